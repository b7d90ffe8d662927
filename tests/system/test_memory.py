#!/usr/bin/env python3
"""test_memory.py PIOLA -- does a budget of memory change anything but the time?"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import small_scenes

SPRAY = """# A spinning drop flies apart, into more cells than it began in.
version: 1
name: spray
description: a drop that flies apart
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 50 mm, min: [0, 0], max: [4, 4]}}
time: {dt: 2 ms, duration: 0.3 s}
gravity: [0, 0]
materials: [{name: gas, model: linear_fluid, bulk: 1 kPa, viscosity: 0.1 Pa.s, density: 1000 kg/m3}]
geometry: [{name: ball, type: ball, center: [2, 2], radius: 0.3}]
bodies: [{name: drop, geometry: ball, material: gas, angular_velocity: 8 rad/s, velocity: [0.1 m/s, 0]}]
observe: [{name: energy, type: kinetic_energy, body: drop, every: 20 ms}]
design: [{name: throw, target: bodies.drop.velocity, bounds: [-5 m/s, 5 m/s]}]
objective: [{type: minimize, of: energy}]
output: {states: {every: 10 ms, fields: [velocity]}}
"""


def run(*arguments):
    return subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False)


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "spray.yaml").write_text(SPRAY)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def words(cls, scene):
        return small_scenes.words(cls.folder / "spray.yaml" if scene == "spray" else
                                  small_scenes.find(f"{scene}.yaml"))

    def result(self, command, scene, budget, *more):
        folder = self.folder / f"{scene}_{budget}"
        sets = ["--set", f"gradient.memory.budget={budget} B" if budget else "gradient.memory.strategy=store"]
        done = run(command, *self.words(scene), "--device", "cpu", *sets, *more, "-v", "-o", folder)
        self.assertIn(done.returncode, (0, 1) if command == "optimize" else (0,), done.stderr)  # 1: not converged yet
        report = json.loads((folder / "result.json").read_text())
        report["stderr"] = done.stderr
        memory, plan = report["memory"], report["memory"]["plan"]
        print(f"{scene}, {budget or 'no'} budget: {plan}, {memory['peak_bytes']} bytes", file=sys.stderr)
        if budget:
            self.assertLessEqual(memory["peak_bytes"], budget)
            self.assertEqual(plan["strategy"], "checkpoint")
        return report

    def least(self, command, scene):
        """The bytes that the refusal of a budget of one byte names."""
        done = run(command, *self.words(scene), "--device", "cpu", "--dry-run", "--set", "gradient.memory.budget=1 B")
        self.assertEqual(done.returncode, 71, done.stderr)
        return int(re.search(r"needs (\d+) bytes", done.stderr).group(1))

    def test_a_gradient_has_the_same_digits_for_every_budget(self):
        for scene, extra in (("mpm_throw_small", (5, 20, 100)), ("mpm_jelly_small", (3, 8)),
                             ("fem_swing_small", (0, 1, 3, 8))):
            all_kept = self.result("grad", scene, None)
            least, state = self.least("grad", scene), all_kept["memory"]["state_bytes"]
            for more in extra:
                report = self.result("grad", scene, least + more * state)
                self.assertEqual(report["parameters"], all_kept["parameters"])
                self.assertEqual(report["objective"], all_kept["objective"])
                certificate, plan = report["certificate"], report["memory"]["plan"]
                self.assertEqual(certificate["forward_steps_run"], plan["forward_steps"])
                self.assertEqual(certificate["adjoint_steps_run"], certificate["steps"])
                memory = report["memory"]
                self.assertGreaterEqual(plan["states_kept"], more)
                self.assertGreater(memory["peak_bytes"] + memory["state_bytes"] + 256, memory["budget_bytes"])
                self.assertLessEqual(memory["state_bytes"], state)
                self.assertGreater(plan["forward_steps"], certificate["steps"])

    def test_particles_are_kept_as_the_step_to_them_where_that_saves_time_and_whole_where_all_fit(self):
        for scene in ("mpm_jelly_small", "mpm_modulus_small", "spray"):
            whole = self.result("grad", scene, None)["memory"]
            few = self.result("grad", scene, self.least("grad", scene) + 250000)["memory"]
            self.assertEqual(whole["state_form"], "whole")
            self.assertEqual(few["state_form"], "cut after the grid update")
            self.assertGreater(few["state_nodes"], 0)
            self.assertLess(few["state_bytes"], 0.75 * whole["state_bytes"])

    def test_a_gradient_whose_particles_spread_begins_anew_and_has_the_same_digits(self):
        all_kept = self.result("grad", "spray", None)
        least = self.least("grad", "spray")
        # with the disk so little memory that whole states could not go there; measured step costs may still be against
        # it
        for more, disk in ((100000, ()), (30000, ("--set", "gradient.memory.disk=16 MiB"))):
            report = self.result("grad", "spray", least + more, *disk)
            if disk and "a kept state is the step to it" not in report["stderr"]:
                continue
            self.assertEqual(report["stderr"].count("the gradient begins anew with more"), 1)
            nodes = re.search(r"spread: (\d+) nodes of the grid are active, and a kept state has room for (\d+)",
                              report["stderr"])
            self.assertGreater(int(nodes.group(1)), int(nodes.group(2)))
            self.assertGreaterEqual(report["memory"].get("state_nodes", 1 << 40), 2 * int(nodes.group(2)))
            self.assertEqual(report["parameters"], all_kept["parameters"])
            self.assertEqual(report["objective"], all_kept["objective"])
            self.assertEqual(report["certificate"]["forward_steps_run"], report["memory"]["plan"]["forward_steps"])
        report = self.result("grad", "spray", least)  # one state, the first: it is made again of the design
        self.assertNotIn("begins anew", report["stderr"])
        self.assertEqual(report["parameters"], all_kept["parameters"])

    def test_room_that_ends_on_the_way_back_is_seen_there(self):
        # with two states the first that is kept after the spread is one on the way back
        short = ["--set", "time.duration=140 ms"]
        all_kept = self.result("grad", "spray", None, *short)
        report = self.result("grad", "spray", self.least("grad", "spray") + 20000, *short, "--set",
                             "gradient.memory.strategy=checkpoint")
        self.assertIn("the gradient begins anew with more", report["stderr"])
        self.assertEqual(report["parameters"], all_kept["parameters"])

    def test_a_gradient_has_the_same_digits_with_states_on_disk(self):
        for scene, more in (("mpm_throw_small", 2), ("fem_swing_small", 2)):
            all_kept = self.result("grad", scene, None)
            budget = self.least("grad", scene) + more * all_kept["memory"]["state_bytes"]
            report = self.result("grad", scene, budget, "--set", "gradient.memory.disk=16 MiB")
            memory, plan = report["memory"], report["memory"]["plan"]
            self.assertEqual(report["parameters"], all_kept["parameters"])
            self.assertEqual(report["objective"], all_kept["objective"])
            self.assertGreater(plan["states_on_disk"], 0)
            self.assertLessEqual(memory["disk_bytes"], 16 * 2**20)
            self.assertGreaterEqual(memory["disk_bytes"], plan["states_on_disk"] * memory["state_bytes"])
            self.assertEqual(report["certificate"]["forward_steps_run"], plan["forward_steps"])
            self.assertEqual([f.name for f in (self.folder / f"{scene}_{budget}").glob("*disk*")], [])

    def gradient_by(self, scene, strategy, *sets):
        folder = self.folder / f"{scene}_{strategy}"
        words = [word for one in (f"gradient.memory.strategy={strategy}", *sets) for word in ("--set", one)]
        done = run("grad", *self.words(scene), "--device", "cpu", *words, "-o", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((folder / "result.json").read_text())
        print(f"{scene}: {result['memory']['plan']}, {result['memory']['peak_bytes']} bytes", file=sys.stderr)
        self.assertEqual(result["memory"]["plan"]["strategy"], strategy)
        self.assertLessEqual(result["memory"]["peak_bytes"], result["memory"]["budget_bytes"])
        return result

    def test_steps_that_are_reversed_give_the_same_digits(self):
        parts = {"mpm_long_bounce_small": "10 ms", "fem_long_swing_small": "40 ms",
                 "fem_long_swing_euler_small": "40 ms"}
        for scene, part in parts.items():
            for window in [], [f"gradient.window={part}"]:
                store = self.gradient_by(scene, "store", "gradient.memory.budget=1 GiB", *window)
                memory = store["memory"]
                few = memory["peak_bytes"] - (memory["plan"]["states_kept"] - 6) * memory["state_bytes"]
                for strategy, budget in ("checkpoint", [f"gradient.memory.budget={few} B"]), ("reverse", []):
                    report = self.gradient_by(scene, strategy, *window, *budget)
                    self.assertEqual(report["parameters"], store["parameters"])
                    self.assertEqual(report["objective"], store["objective"])
                    self.assertLess(report["memory"]["peak_bytes"], store["memory"]["peak_bytes"])
                certificate = report["certificate"]
                steps = certificate["steps"] - certificate["steps_left_out"]
                self.assertEqual((certificate["inverse_steps_run"], certificate["forward_steps_run"]),
                                 (steps, certificate["steps"]))
                self.assertEqual(certificate["residual_log_bytes_used"] > 0, "euler" in scene)

    def test_a_residual_log_that_the_budget_does_not_hold_is_refused_with_the_bytes_that_would_do(self):
        def needs(budget):
            done = run("grad", *self.words("fem_long_swing_euler_small"), "--device", "cpu", "--dry-run", "--set",
                       f"gradient.memory.budget={budget} B")
            self.assertEqual(done.returncode, 71, done.stderr)
            return int(re.search(r"inverse steps need: (?:more than )?(\d+) bytes", done.stderr).group(1))

        least = needs(1)  # the residual log is not known without a run, which needs some too
        for budget in least - 256, least:
            done = run("grad", *self.words("fem_long_swing_euler_small"), "--device", "cpu", "--dry-run", "--set",
                       f"gradient.memory.budget={budget} B")
            self.assertEqual(done.returncode, 71 if budget < least else 0, done.stderr)
        report = self.gradient_by("fem_long_swing_euler_small", "reverse", f"gradient.memory.budget={least} B")
        used = report["certificate"]["residual_log_bytes_used"]
        self.assertLess(used, report["memory"]["plan"]["residual_log_bytes"])

    def test_one_byte_less_than_the_least_is_refused_and_the_least_is_not(self):
        least = self.least("grad", "mpm_throw_small")
        for bytes_, code in ((least - 1, 71), (least, 0)):
            done = run("grad", *self.words("mpm_throw_small"), "--device", "cpu", "--dry-run", "--set",
                       f"gradient.memory.budget={bytes_} B")
            self.assertEqual(done.returncode, code, done.stderr)

    def test_constraints_have_adjoint_sweeps_as_often_and_find_the_same_design(self):
        short = ["--set", "optimizer.max_iterations=3"]
        scene = "fem_cantilever_shape_small"
        all_kept = self.result("optimize", scene, None, *short)
        report = self.result("optimize", scene, self.least("optimize", scene), *short)
        self.assertEqual(report["parameters"], all_kept["parameters"])
        self.assertEqual(report["constraints"], all_kept["constraints"])

    def test_a_dry_run_prints_states_steps_bytes_and_the_cost(self):
        done = run("grad", *self.words("mpm_throw_small"), "--device", "cpu", "--dry-run", "--set",
                   "gradient.memory.budget=1 MiB")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"checkpoint: \d+ states of .* kept at a time, \d+ steps forward for 600, \d+ of")
        cost = float(re.search(r"about ([0-9.]+) times the time of a run forward", done.stderr).group(1))
        self.assertTrue(1 < cost < 100, cost)


if __name__ == "__main__":
    PIOLA = sys.argv[1]
    sys.argv[1:] = sys.argv[2:]
    unittest.main(verbosity=2)
