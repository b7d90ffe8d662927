#!/usr/bin/env python3
"""test_optimizer_end.py PIOLA PIOLA_CUT -- L-BFGS ends where nothing is left to gain, on scenes that ship; what
`optimize` says on its way, without a terminal, and at the end, and how result.json counts evaluations.

PIOLA_CUT is the command with a clock that each poll of a sweep moves on by 10 s (cut.c).
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import small_scenes

PIOLA = PIOLA_CUT = ""
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
GAIN, MOST_AFTER = 1e-8, 5  # docs/optimisers.md
EPSILON_F32 = 2.0**-23
NEVER = "optimizer.stop.objective=-1"


def objectives(path, terms):
    """The objectives in a record of evaluations (host/base/record.h, host/results/evaluations.h): between variables and
    as many derivatives, with no constraints; the terms of J follow."""
    data = path.read_bytes()
    at, found = 32 + struct.unpack_from("<Q", data, 16)[0], []
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 16)[0]
        numbers = struct.unpack_from(f"<{size // 8}d", data, at + 32)
        found.append(numbers[(len(numbers) - terms) // 2])
        at += 32 + size
    return found


def after_the_last_gain(found):
    """How many evaluations follow the last that lowered the least objective by a relative gain; small ones add up."""
    last = 0
    for k, value in enumerate(found):
        if value < found[last] - GAIN * abs(found[last]):
            last = k
    return len(found) - 1 - last


def variance_of_rounding(values):
    """That of independent errors of values at equal distances, by their second differences, in which what is linear
    cancels: each is of the errors e - 2 f + g, with six times the variance of one."""
    second = [a - 2 * b + c for a, b, c in zip(values, values[1:], values[2:])]
    return sum(d * d for d in second) / (6 * len(second))


class End(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(temporary.cleanup)

    def optimize(self, scene, out, *options, code=0, slow=False):
        """The log. `slow`: by its clock, polls of sweeps are 10 s apart."""
        command = [PIOLA_CUT if slow else PIOLA, "optimize", *small_scenes.words(small_scenes.find(scene))]
        done = subprocess.run([*command, "--device", "cpu", "-o", str(out), *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                              env={**ENVIRONMENT, "PIOLA_CUT": str(10**9)} if slow else ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def rounding(self, throw):
        """What rounding alone leaves of the squared distance to the target, in f32 with the engine of the optimisation:
        the sum of the variances of the centre's components, at designs around `throw` that differ by few units in the
        last place."""
        centres, out = [], self.folder / "rounding"
        for k in range(-16, 17):
            initial = ", ".join(repr(v + k * 2.0**-20) for v in throw)  # 4 units in the last place at 2 to 4 m/s
            done = subprocess.run([PIOLA, "run", *small_scenes.words(small_scenes.find("mpm_throw_small.yaml")), "-q",
                                   "--device", "cpu", "--precision", "f32", "-o", str(out), "--set",
                                   f"design[0].initial=[{initial}]", "--set", "output.states.every=0.6 s"],
                                  capture_output=True, text=True, timeout=300, env=ENVIRONMENT, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads((out / "result.json").read_text())
            centres.append(result["observations"]["centre"]["value"][-1])
        variances = [variance_of_rounding(x) for x in zip(*centres)]
        for variance, x in zip(variances, centres[0]):
            ulps = variance**0.5 / (EPSILON_F32 * abs(x))
            print(f"rounding of the centre at {x:.2f} m: {variance**0.5:.3g} m, {ulps:.2g} relative units of f32 "
                  "(between 0.1 and 10)")
            self.assertTrue(0.1 < ulps < 10)  # a threshold from it is one of rounding
        return sum(variances)

    def test_a_variance_of_rounding_is_that_of_the_errors_alone(self):
        drawn = random.Random(1)
        errors = [drawn.gauss(0, 3e-7) for _ in range(4000)]
        for slope in (0, 1e-5):
            found = variance_of_rounding([2 + slope * k + e for k, e in enumerate(errors)])
            print(f"slope {slope:g}: standard deviation {found**0.5:.3g} (3e-7, within 5 %)")
            self.assertAlmostEqual(found**0.5 / 3e-7, 1, delta=0.05)

    def end_of(self, scene, precision):
        """The report, and the objectives of all evaluations, of which at most MOST_AFTER follow the last gain."""
        out = self.folder / f"{scene}-{precision}"
        self.optimize(scene, out, "--precision", precision, "--set", NEVER)
        report = json.loads((out / "result.json").read_text())
        found = objectives(out / "evaluations.record", len(report["terms"]))
        after = after_the_last_gain(found)
        print(f"{scene} {precision}, {report['engine']['isa']}: {len(found)} evaluations, {after} after the last gain "
              f"(at most {MOST_AFTER})")
        self.assertEqual(report["optimizer"]["evaluations"], len(found))
        self.assertTrue(report["optimizer"]["converged"])
        self.assertLessEqual(after, MOST_AFTER)
        return report, found

    def test_at_most_five_evaluations_follow_the_last_gain(self):
        # The objectives are those that NLopt's own end reached, after 17 and 19 evaluations without a gain.
        for scene, most in (("mpm_throw_small.yaml", 1e-29), ("fem_tension_id.yaml", 1.06e-10)):
            with self.subTest(scene):
                report, _ = self.end_of(scene, "f64")
                print(f"objective {report['objective']:.3g} (threshold {most:.3g})")
                self.assertLess(report["objective"], most)

    def test_in_f32_it_ends_where_only_rounding_is_left(self):
        report, found = self.end_of("mpm_throw_small.yaml", "f32")
        rounding = self.rounding(report["parameters"]["bodies.ball.velocity"]["value"])
        most = 9 * rounding  # three standard deviations of both components
        above = sum(J > most for J in found)
        print(f"objective {report['objective']:.3g} (threshold {most:.3g}, from {rounding:.3g} of rounding, which "
              f"{above} evaluations miss)")
        self.assertLess(report["objective"], most)
        self.assertGreater(above, len(found) // 2)  # an end that is too early would be found

    def test_progress_inside_evaluations_is_shown_without_a_terminal(self):
        few = ("--set", "optimizer.max_iterations=1", "--set", "time.duration=0.2 s", "--set", "optimizer.stop={}")
        log = self.optimize("mpm_throw_small.yaml", self.folder / "slow", *few, slow=True)
        lines = re.findall(r"^(evaluation \d+|best design), (forward|backward)  (\d+) %  (\d+)/200 steps", log, re.M)
        shown = {(of, sweep) for of, sweep, *_ in lines}
        print(f"{len(lines)} lines of progress, of {len(shown)} sweeps")
        evaluations = json.loads((self.folder / "slow" / "result.json").read_text())["optimizer"]["evaluations"]
        wanted = {(of, sweep) for of in ["best design", *(f"evaluation {k}" for k in range(evaluations))]
                  for sweep in ("forward", "backward")}
        self.assertEqual(shown, wanted)
        self.assertTrue(any(0 < int(percent) < 100 for *_, percent, _ in lines))
        self.assertFalse(set("\r\033") & set(log))
        log = self.optimize("mpm_throw_small.yaml", self.folder / "fast", *few)
        self.assertNotIn("forward", log)  # evaluations that take less than 10 s leave no lines
        log = self.optimize("mpm_throw_small.yaml", self.folder / "quiet", *few, "-q", slow=True)
        self.assertNotIn("forward", log)

    def test_final_values_have_units_and_name_the_bound_where_they_are(self):
        narrow = ("design[0].bounds=[150 kPa, 2 MPa]", "design[1].bounds=[20 kPa, 300 kPa]",
                  "design[3].bounds=[0.1, 0.2]", "optimizer.max_iterations=30")
        out = self.folder / "bounds"
        log = self.optimize("fem_tension_id.yaml", out, *(x for s in narrow for x in ("--set", s)))
        report = json.loads((out / "result.json").read_text())["parameters"]
        print("\n".join(line for line in log.split("\n") if " = " in line))
        self.assertIn("materials.hard.E = 300000 Pa, at its upper bound\n", log)
        self.assertIn("materials.soft.E = 150000 Pa, at its lower bound\n", log)
        self.assertRegex(log, r"materials.soft.nu = 0\.\d+\n") # between its bounds
        for path, unit, low, high in (("materials.soft.E", " Pa", 150e3, 2e6), ("materials.hard.E", " Pa", 20e3, 3e5),
                                      ("materials.soft.nu", "", 0.05, 0.49), ("materials.hard.nu", "", 0.1, 0.2)):
            value = report[path]["value"]
            near = 1e-9 * (high - low)
            bound = (", at its lower bound" if value <= low + near else ", at its upper bound" if value >= high - near
                     else "")
            with self.subTest(path):
                self.assertIn(f"{path} = {value:.9g}{unit}{bound}\n", log)
        out = self.folder / "field"
        log = self.optimize("fem_field_id_small.yaml", out, "--set", "optimizer={type: lbfgs, max_iterations: 2}",
                            "--set", "design[0].bounds=[99 kPa, 101 kPa]")
        found = re.search(r"materials.soft.E = (\S+) to (\S+) Pa: 400 values, (\d+) at their lower bound, "
                          r"(\d+) at their upper\n", log)
        self.assertIsNotNone(found, log)
        print(found[0].strip())
        low, high = float(found[1]), float(found[2])
        self.assertTrue(99e3 <= low < high <= 101e3)
        self.assertEqual(int(found[3]) > 0, low <= 99e3)
        self.assertEqual(int(found[4]) > 0, high >= 101e3)

    def test_the_stages_have_all_evaluations(self):
        for kind in ("lbfgs", "mma", "adam", "gradient_descent"):
            with self.subTest(kind):
                out = self.folder / kind
                log = self.optimize("mpm_throw_small.yaml", out, "--set", "time.duration=0.2 s",
                                    "--set", f"optimizer={{type: {kind}, max_iterations: 4}}")
                done = json.loads((out / "result.json").read_text())["optimizer"]
                steps = [int(n) for n in re.findall(r"^iteration .* (\d+) evaluations", log, re.M)]
                stages = done["stages"]
                print(f"{kind}: {stages}, {done['evaluations']} evaluations")
                self.assertEqual(stages["start"] + stages["steps"] + stages["end"], done["evaluations"])
                self.assertEqual([stages["start"], stages["start"] + stages["steps"]], [steps[0], steps[-1]])
                self.assertEqual(stages["best"], 1)
                self.optimize("mpm_throw_small.yaml", out, "--resume", "auto", "--set", "time.duration=0.2 s", "--set",
                              f"optimizer={{type: {kind}, max_iterations: 4}}")
                again = json.loads((out / "result.json").read_text())["optimizer"]
                self.assertEqual({**again, "replayed": 0}, done)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    PIOLA_CUT = os.path.abspath(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
