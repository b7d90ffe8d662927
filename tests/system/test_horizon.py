#!/usr/bin/env python3
"""test_horizon.py PIOLA -- are long horizons honest: does the predicted error of a gradient hold, does an
adjoint that overflows end in words, and is a window what it says?"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import small_scenes

# A strip that hangs from a corner and swings wildly.
SWINGING = """version: 1
name: swinging
method: {type: fem, dimension: 2}
time: {integrator: leapfrog, dt: 1 ms, duration: 1 s}
gravity: [0, -9.81]
materials: [{name: m, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: g, type: box, element: quad4, elements: [3, 1], min: [0, 0], max: [1, 0.2]}]
bodies: [{name: b, geometry: g, material: m, velocity: [0, 0.1]}]
boundary: [{name: w, body: b, on: {min: [0, 0], max: [0, 0]}, type: fixed}]
observe: [{name: tip, type: displacement, body: b, on: {group: right}}]
design: [{name: E, target: materials.m.E}, {name: v, target: bodies.b.velocity}]
objective: [{type: target, of: tip, value: [0.1, 0.1]}]
"""
# A strip under a load that buckles it: the load is dead, and the state grows as its disturbances do.
BUCKLING = """version: 1
name: buckling
method: {type: fem, dimension: 2}
time: {integrator: leapfrog, dt: 0.2 ms, duration: 0.3 s}
materials: [{name: m, model: neo_hookean, E: 1 MPa, nu: 0.3, density: 1000}]
geometry: [{name: g, type: box, element: quad4, elements: [16, 2], min: [0, 0], max: [1, 0.1]}]
bodies: [{name: b, geometry: g, material: m, velocity: [0, 0.1]}]
boundary: [{name: w, body: b, on: {group: left}, type: fixed}]
loads: [{name: p, body: b, on: {group: right}, type: traction, value: [-30 kPa, 1 Pa]}]
observe: [{name: tip, type: displacement, body: b, on: {group: right}}]
design: [{name: E, target: materials.m.E}, {name: t, target: loads.p.value}]
objective: [{type: target, of: tip, value: [0.1, 0.1]}]
"""
# Two soft balls that meet, and bounce off the floor and the walls.
BALLS = """version: 1
name: balls
method: {type: mpm, dimension: 2, grid: {spacing: 50 mm, min: [0, 0], max: [2, 2], walls: {default: separate}}}
time: {dt: 1 ms, duration: 1 s}
gravity: [0, -9.81]
materials: [{name: m, model: neo_hookean, E: 30 kPa, nu: 0.3, density: 1000}]
geometry:
  - {name: g, type: ball, center: [0.5, 1], radius: 0.2}
  - {name: h, type: ball, center: [1.5, 1.1], radius: 0.2}
bodies:
  - {name: b, geometry: g, material: m, velocity: [3, 0]}
  - {name: c, geometry: h, material: m, velocity: [-2, 0]}
observe: [{name: x, type: mean_position, body: b}]
design: [{name: v, target: bodies.b.velocity}, {name: E, target: materials.m.E}]
objective: [{type: target, of: x, value: [1.5, 0.5]}]
"""
# The error is at most FACTOR times as large as predicted, and at least a PART of it. Of the balls in flight that is the
# root mean square over durations of 0.5 to 0.7 s, since one error is small by chance: it was a 20th of the prediction
# when each cell had sums of its own, and is a 60th to a 90th since blocks are summed in tiles. Above an error of 0.1
# all digits are lost, and it is known to be large.
FACTOR, PART = 25, 1 / 200
WARNED, QUIET = 1e-3, 1e-5


class Horizon(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def piola(self, command, scene, *sets, code=0):
        path = scene
        if isinstance(scene, str):
            path = self.folder / "scene.yaml"
            path.write_text(scene)
        done = subprocess.run([PIOLA, command, *small_scenes.words(path), "--device", "cpu", "-o", self.folder / "out",
                               *[word for s in sets for word in ("--set", s)]],
                              capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        result = self.folder / "out" / "result.json"
        return done, json.loads(result.read_text()) if result.exists() else {}

    def gradient(self, report):
        values = [p["gradient"] for _, p in sorted(report["parameters"].items())]
        return [v for g in values for v in (g if isinstance(g, list) else [g])]

    def horizons(self, name, scene, durations):
        for duration in durations:
            single, double = (self.piola("grad", scene, f"time.duration={duration} s", f"method.precision={p}")
                              for p in ("f32", "f64"))
            right = self.gradient(double[1])
            error = math.dist(self.gradient(single[1]), right) / math.hypot(*right)
            certificate = single[1]["certificate"]
            predicted = certificate["predicted_gradient_error"]
            print(f"{name}, {duration} s: true error {error:.2g}, predicted {predicted:.2g} "
                  f"(ratio {error / predicted:.2g}, within {PART:g} and {FACTOR}), "
                  f"growth {certificate['adjoint_growth']}",
                  file=sys.stderr)
            warned = certificate["warning"] is not None
            self.assertEqual(warned, predicted > WARNED)
            self.assertEqual(warned, "the adjoint grew" in single[0].stderr)
            self.assertTrue(warned or error <= WARNED, "a gradient that is wrong, and no warning")
            self.assertFalse(warned and error < QUIET, "a warning, and the gradient is right")
            self.assertNotIn("the adjoint grew", double[0].stderr)
            yield error, predicted, certificate

    def test_the_predicted_error_holds_within_a_factor_and_warns_where_it_must(self):
        errors = []
        swinging, balls = ((2,), (4,), (6,), (8,), (12,)), ((0.5, 0.55, 0.6, 0.65, 0.7), (2,), (4,))
        for name, scene, groups in (("swinging", SWINGING, swinging), ("balls", BALLS, balls)):
            for durations in groups:
                found = [(error, predicted) for error, predicted, _ in self.horizons(name, scene, durations)]
                errors += [error for error, _ in found]
                for error, predicted in found:
                    self.assertGreater(predicted, min(error, 0.1) / FACTOR)
                if max(errors[-len(found):]) < 0.1:
                    mean = math.hypot(*(error / predicted for error, predicted in found)) / math.sqrt(len(found))
                    print(f"{name}: root mean square of these ratios {mean:.2g}", file=sys.stderr)
                    self.assertGreater(mean, PART)
        self.assertLess(min(errors), QUIET)  # the horizons reach from one end of the scale to the other
        self.assertGreater(max(errors), WARNED)

    def test_growth_that_the_state_shares_costs_no_digits_and_is_not_warned_of(self):
        for error, predicted, certificate in self.horizons("buckling", BUCKLING, (0.3,)):
            self.assertGreater(certificate["adjoint_growth"]["factor"], 100)
            self.assertLess(error, QUIET)
            self.assertLess(error, FACTOR * predicted)

    def test_a_certificate_lists_the_norms_of_the_run(self):
        _, report = self.piola("grad", BALLS, "time.duration=0.5 s")
        norms = report["certificate"]["adjoint_norms"]
        self.assertTrue(128 <= len(norms["step"]) <= 256)
        self.assertEqual((norms["step"][0], norms["step"][-1]), (0, 500))
        self.assertAlmostEqual(norms["time"][-1], 0.5, delta=1e-12)
        self.assertTrue(all(v > 0 for v in norms["value"]))
        _, report = self.piola("grad", small_scenes.find("fem_cook_small.yaml"))
        certificate = report["certificate"]  # static: no history
        keys = ("adjoint_norms", "adjoint_growth", "predicted_gradient_error", "warning")
        self.assertEqual([certificate[k] for k in keys], [None] * 4)

    def test_an_adjoint_that_overflows_is_76_with_its_step_and_the_states_stay(self):
        wild = ["gravity=[0, -30]", "time.duration=15 s", "method.precision=f32"]
        done, report = self.piola("grad", SWINGING, *wild, code=76)
        print(report["message"], file=sys.stderr)
        self.assertEqual((report["exit"], report["failure"]["kind"]), (76, "gradient"))
        self.assertTrue(0 < report["failure"]["step"] < 15000)
        self.assertIn(f"the adjoint overflowed in step {report['failure']['step']} ", report["message"])
        states, = (name for name in report["files"] if name.endswith(".partial.vtkhdf"))
        self.assertRegex(states, r"/out/states\.\d+-\d+\.partial\.vtkhdf$")
        self.assertIn(report["message"], done.stderr)
        info = subprocess.run([PIOLA, "info", states], capture_output=True, text=True, check=True)
        self.assertIn("frames: 51", info.stdout)  # all of them
        # what the message says would be right is right
        window = float(report["message"].split("of at most ")[1].split(" s")[0])
        self.piola("grad", SWINGING, *wild, f"gradient.window={round(window / 2, 3)} s")
        self.piola("grad", SWINGING, *wild[:2], "method.precision=f64")
        self.piola("run", SWINGING, *wild)

    def test_an_adjoint_that_overflows_in_its_solve_is_reported_likewise(self):
        still = SWINGING.replace("leapfrog, dt: 1 ms", "bdf2, dt: 2 ms")
        _, report = self.piola("grad", still, "solver.linear=pcg", "method.precision=f32", "gravity=[0, -30]",
                               "time.duration=60 s", code=76)
        print(report["message"], file=sys.stderr)
        self.assertEqual(report["failure"]["kind"], "gradient")
        self.assertIn(f"the adjoint overflowed in step {report['failure']['step']}", report["message"])

    def test_a_window_of_the_whole_run_changes_no_bit(self):
        for scene, whole, half in (("mpm_throw_small", "600 ms", "300 ms"), ("fem_swing_small", None, None)):
            path = small_scenes.find(f"{scene}.yaml")
            _, without = self.piola("grad", path)
            steps = without["certificate"]["steps"]
            norms = without["certificate"]["adjoint_norms"]
            duration = norms["time"][-1]
            dt = duration / steps
            done, report = self.piola("grad", path, f"gradient.window={whole or repr(duration)}")
            for key in ("parameters", "objective", "observations"):
                self.assertEqual(report[key], without[key])
            self.assertEqual(report["certificate"]["adjoint_norms"], norms)
            self.assertEqual(report["certificate"]["steps_left_out"], 0)
            self.assertNotIn("left out", done.stderr)
            done, report = self.piola("grad", path, f"gradient.window={half or repr(steps // 2 * dt)}")
            self.assertNotEqual(report["parameters"], without["parameters"])  # control
            self.assertIn("are left out", done.stderr)

    def test_only_states_of_the_window_are_kept_and_every_strategy_has_the_same_bits(self):
        path = small_scenes.find("mpm_throw_small.yaml")
        window = ["gradient.window=100 ms",
                  "design=[{name: v, target: bodies.ball.velocity}, {name: g, target: gravity}]"]
        done, store = self.piola("grad", path, *window, "gradient.memory.strategy=store")
        certificate = store["certificate"]
        self.assertEqual((certificate["steps"], certificate["steps_left_out"]), (600, 500))
        self.assertIn("steps 0 to 499 are left out, and with them the effect of the initial state on J", done.stderr)
        counts = [certificate[k] for k in ("states_kept", "forward_steps_run", "adjoint_steps_run")]
        self.assertEqual(counts, [100, 600, 100])
        for key, parameter in store["parameters"].items():
            print(key, parameter["gradient"], file=sys.stderr)
            self.assertEqual(set(parameter["gradient"]) == {0}, "velocity" in key)
        memory = store["memory"]
        least = memory["peak_bytes"] - 100 * memory["node_sums_bytes"] - 95 * memory["state_bytes"]
        for more in ([f"gradient.memory.budget={least} B"],
                     [f"gradient.memory.budget={least} B", "gradient.memory.disk=16 MiB"]):
            _, report = self.piola("grad", path, *window, *more)
            plan = report["memory"]["plan"]
            print(plan, file=sys.stderr)
            self.assertLess(plan["states_kept"], 10)
            self.assertEqual(plan["states_on_disk"] > 0, len(more) > 1)
            self.assertEqual(report["certificate"]["forward_steps_run"], plan["forward_steps"])
            self.assertEqual(report["parameters"], store["parameters"])

    def test_constraints_have_adjoint_sweeps_over_the_window_too(self):
        sets = ["constraints=[{of: tip.y, max: 1}]", "optimizer={type: mma, max_iterations: 1}",
                "design=[{name: E, target: materials.m.E, bounds: [5 kPa, 20 kPa]}]", "time.duration=0.2 s",
                "gradient.window=50 ms"]
        _, store = self.piola("optimize", SWINGING, *sets)
        budget = store["memory"]["peak_bytes"] - 40 * store["memory"]["state_bytes"]
        _, few = self.piola("optimize", SWINGING, *sets, "gradient.memory.strategy=checkpoint",
                            f"gradient.memory.budget={budget} B")
        self.assertLess(few["memory"]["plan"]["states_kept"], 20)
        for key in ("parameters", "constraints"):
            self.assertEqual(few[key], store[key])

    def test_a_check_does_not_accuse_a_window_but_says_what_it_is(self):
        done, report = self.piola("check", SWINGING, "time.duration=20 ms", "gradient.window=10 ms", code=2)
        self.assertIn("gradient.window", done.stderr)
        self.assertIn("not the derivative of the objective", done.stderr)
        self.assertEqual(report, {})
        done, report = self.piola("check", SWINGING, "time.duration=0.3 s", "gradient.window=0.3 s")
        self.assertTrue(report["check"]["passed"])


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv[1]).resolve())
    sys.argv[1:] = sys.argv[2:]
    unittest.main(verbosity=2)
