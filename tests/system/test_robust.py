#!/usr/bin/env python3
"""test_robust.py PIOLA SPOILED -- studies whose J is a smooth maximum, and whose experiments have projections of
their own: eroded, intermediate and dilated layouts of one design (Sigmund 2009; Wang, Lazarov and Sigmund 2011).

The maximum and its gradient are compared with their formulas, evaluated here from `piola grad` of the experiments. The
layouts that are found must have one topology and a length scale; a design that is not robust must fail that. SPOILED is
a folder of engines whose gradients are wrong, by which checks must fail.
"""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

PIOLA = SPOILED = ""
DEADLINE = 600  # s, for one command
SCENES = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes"
NX, NY, RADIUS = 24, 8, 3.0
THRESHOLDS = {"eroded": 0.7, "intermediate": 0.5, "dilated": 0.3}
WEIGHTS = {"eroded": 1.0, "intermediate": 3.4, "dilated": 9.2}
STUDY = """version: 1
name: robust
experiments:
  - {name: eroded, scene: beam.yaml, projection: {threshold: 0.7}, set: {constraints: []}}
  - {name: intermediate, scene: beam.yaml, weight: 3.4, set: {constraints: []}}
  - {name: dilated, scene: beam.yaml, weight: 9.2, projection: {threshold: 0.3},
     set: {constraints: [{of: filled, max: 0.65}]}}
combine: %s
design:
  - {name: layout, target: bodies.beam.relative_density, per: element, initial: 0.4, bounds: [0, 1],
     filter: {type: cone, radius: 3 m}, projection: {beta: 2, end: 4, double_every: 4}}
gradient: {check: {directions: 1}}
optimizer: {type: mma, max_iterations: 16}
"""
POWER, WIDTH = "{type: maximum, power: 6}", "{type: maximum, width: 200 J}"


def beam(nx, ny):
    """The text of the scene of the MBB beam, nx x ny elements of 1 m."""
    text = (SCENES / "topology_mbb_projected.yaml").read_text(encoding="utf-8")
    return text.replace("[60 m, ", f"[{nx} m, ").replace("20 m]", f"{ny} m]").replace("[60, 20]", f"[{nx}, {ny}]")


def p_mean(x, p):
    """(mean of x^p)^(1/p) and its derivatives, as they are defined."""
    mean = sum(v**p for v in x) / len(x)
    return mean**(1 / p), [mean**(1 / p - 1) * v**(p - 1) / len(x) for v in x]


def soft_maximum(x, width):
    """width ln(mean of exp(x/width)) and its derivatives (Kreisselmeier and Steinhauser 1979, with a mean)."""
    powers = [math.exp(v / width) for v in x]
    return width * math.log(sum(powers) / len(x)), [v / sum(powers) for v in powers]


def components(solid, corners):
    """The number of connected parts of a set of elements, which touch at edges, or at corners, too."""
    near = [(0, 1), (1, 0), (0, -1), (-1, 0)] + [(1, 1), (1, -1), (-1, 1), (-1, -1)] * corners
    left, n = {tuple(map(int, at)) for at in np.argwhere(solid)}, 0
    while left:
        n += 1
        stack = [left.pop()]
        while stack:
            y, x = stack.pop()
            found = {(y + dy, x + dx) for dy, dx in near} & left
            left -= found
            stack.extend(found)
    return n


def topology(layout):
    """The numbers of parts that are full and of parts that are empty."""
    full = layout > 0.5
    return components(full, True), components(~full, False)


def depth_at(threshold, radius):
    """How far within a straight edge the cone filter of a step from 0 to 1 has the value of the threshold."""
    at = np.linspace(-radius, radius, 801)
    cone = np.maximum(0, radius - np.hypot(*np.meshgrid(at, at))).sum(0)
    return np.interp(threshold, np.cumsum(cone) / cone.sum(), at)


class Robust(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write(beam(NX, NY), "beam.yaml")

    def write(self, text, name):
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return path

    def study(self, combine=POWER, change=("", "")):
        text = STUDY % combine
        self.assertIn(change[0], text)
        return self.write(text.replace(*change, 1), "study.yaml")

    def command(self, name, path, out, *more):
        words = [] if name == "validate" else ["--device", "cpu", "-o", str(self.root / out)]
        return [PIOLA, name, str(path), *words, *map(str, more)]

    def piola(self, exits, name, path, out, *more, engines=None):
        done = subprocess.run(self.command(name, path, out, "-q", *more), stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False,
                              env={**os.environ, "PIOLA_ENGINES": engines} if engines else None)
        self.assertIn(done.returncode, exits if isinstance(exits, tuple) else (exits,), done.stdout)
        return done.stdout

    def result(self, out):
        return json.loads((self.root / out / "result.json").read_text(encoding="utf-8"))

    @staticmethod
    def gradient(result):
        return np.array(result["parameters"]["bodies.beam.relative_density"]["gradient"])

    def below(self, what, value, limit):
        print(f"  {what}: {value:.6g} (limit {limit:.6g})")
        self.assertLessEqual(value, limit, what)

    # ---- the maximum ---------------------------------------------------------------------------------------------

    def parts(self):
        """The objectives of the experiments, and their gradients, by a study of one experiment each."""
        objectives, gradients = [], []
        for name, weight in WEIGHTS.items():
            text = STUDY % "{type: sum}"
            lines = [line for line in text.splitlines(True)
                     if not line.startswith("  - {name: ") or f"name: {name}" in line or "layout" in line]
            one = "".join(lines).replace(f"weight: {weight:g}, ", "")
            if name != "dilated":
                one = one.replace("     set: {constraints: [{of: filled, max: 0.65}]}}\n", "")
            one = self.write(one, "one.yaml")
            self.piola(0, "grad", one, "one")
            objectives.append(self.result("one")["objective"])
            gradients.append(self.gradient(self.result("one")))
        return objectives, gradients

    def test_a_maximum_and_its_gradient_are_those_of_the_formulas(self):
        objectives, gradients = self.parts()
        for combine, formula, shape in ((POWER, p_mean, 6), (WIDTH, soft_maximum, 200)):
            self.piola(0, "grad", self.study(combine), "all", "--jobs", 2)
            result = self.result("all")
            x = [w * J for w, J in zip(WEIGHTS.values(), objectives)]
            J, factors = formula(x, shape)
            slope = sum(f * w * g for f, w, g in zip(factors, WEIGHTS.values(), gradients))
            size = np.abs(slope).max()
            print(f"  {combine}: J {result['objective']:.15g} of {[f'{v:.6g}' for v in x]}")
            # a power multiplies the rounding of its base
            self.below("J", abs(result["objective"] / J - 1), 1e-14)
            self.below("its gradient", np.abs(self.gradient(result) - slope).max() / size, 1e-13)
            wrong = sum(f * w * g for f, w, g in zip(formula(x, 1.001 * shape)[1], WEIGHTS.values(), gradients))
            self.assertGreater(np.abs(self.gradient(result) - wrong).max() / size, 1e-5)
            for part, factor, weight in zip(result["experiments"], factors, WEIGHTS.values()):
                self.below("weight in the gradient", abs(part["gradient_weight"] / (factor * weight) - 1), 1e-13)
            self.assertEqual(result["combine"]["largest"], max(x))
            least = max(x) / 3**(1 / 6) if combine == POWER else max(x) - 200 * math.log(3)
            self.assertTrue(least < result["objective"] < max(x), (least, max(x)))

    def test_both_maxima_are_lowered(self):
        for combine in POWER, WIDTH:
            path = self.study(combine, (", end: 4, double_every: 4", ""))  # of another sharpness J is another one
            self.piola(0, "grad", path, "start")
            self.piola((0, 1), "optimize", path, "end", "--jobs", 2, "--resume", "never")
            start, end = (self.result(out) for out in ("start", "end"))
            self.below(f"J over that of the start, {combine}", end["objective"] / start["objective"], 0.5)
            of = [max(WEIGHTS[part["name"]] * part["objective"] for part in one["experiments"]) for one in (start, end)]
            self.below("the largest over that of the start", of[1] / of[0], 0.5)

    def test_an_experiment_without_weight_counts_in_no_maximum(self):
        for combine in POWER, WIDTH:
            path = self.study(combine, ("weight: 3.4", "weight: 0"))
            self.piola(0, "grad", path, "all")
            result = self.result("all")
            x = [WEIGHTS[p["name"]] * p["objective"] for p in result["experiments"] if p["name"] != "intermediate"]
            J, _ = p_mean(x, 6) if combine == POWER else soft_maximum(x, 200)
            self.below("J of two experiments", abs(result["objective"] / J - 1), 1e-14)
            self.assertEqual(result["experiments"][1]["gradient_weight"], 0)

    def test_a_sum_is_what_it_is_without_the_key(self):
        self.piola(0, "grad", self.study("{type: sum}"), "sum")
        self.piola(0, "grad", self.study("{type: sum}", ("combine: {type: sum}\n", "")), "plain")
        a, b = self.result("sum"), self.result("plain")
        self.assertEqual(a, b)
        self.assertEqual(a["objective"], sum(w * p["objective"] for w, p in zip(WEIGHTS.values(), a["experiments"])))
        self.assertEqual([p["gradient_weight"] for p in a["experiments"]], list(WEIGHTS.values()))

    def test_a_width_takes_negative_objectives_and_a_power_does_not(self):
        self.write(beam(NX, NY).replace("type: minimize", "type: maximize"), "beam.yaml")
        self.piola(0, "grad", self.study(WIDTH), "width")
        parts = zip(WEIGHTS.values(), self.result("width")["experiments"])
        J, _ = soft_maximum([w * p["objective"] for w, p in parts], 200)
        self.assertLess(J, 0)
        self.below("J of negative objectives", abs(self.result("width")["objective"] / J - 1), 1e-14)
        said = self.piola(65, "grad", self.study(POWER), "power")
        self.assertIn("study.yaml:8:33: error: combine.power: the objective of 'eroded' is -", said)
        self.assertIn("powers are of numbers that are not negative; `width`, in the unit of J, takes all", said)

    def test_checks_of_maxima_pass_with_their_constraints_and_fail_with_wrong_gradients(self):
        for combine in POWER, WIDTH:
            self.piola(0, "check", self.study(combine), "check", "--jobs", 2)
            rows = self.result("check")["check"]["rows"]
            for row in rows:
                print(f"  {combine} {row['direction']}: remainder {row['remainder']:.2g} (tolerance 1e-6)")
            self.assertEqual({r["verdict"] for r in rows}, {"passed"})
            ours = [r["direction"] for r in rows if r["direction"].startswith("dilated: filled.max: ")]
            self.assertEqual((len(rows), len(ours)), (6, 3))
        self.piola(1, "check", self.study(), "spoiled", engines=SPOILED)
        failed = [r["direction"] for r in self.result("spoiled")["check"]["rows"] if r["verdict"] == "FAILED"]
        print("  negative control, with gradients that are wrong by a thousandth these fail:", failed)
        self.assertTrue(any(name.startswith("dilated: filled.max: ") for name in failed))
        self.assertTrue(any(":" not in name for name in failed))

    # ---- projections of experiments ------------------------------------------------------------------------------

    def test_an_experiment_has_its_own_threshold_and_all_else_of_the_design(self):
        self.piola(0, "grad", self.study(), "all")
        design = (STUDY.partition("design:\n")[2]).partition("gradient:")[0]
        found = {p["name"]: p for p in self.result("all")["experiments"]}
        self.assertEqual([p.get("threshold") for p in found.values()], [0.7, None, 0.3])

        def scene(threshold):
            text = beam(NX, NY)
            own = design.replace("beta: 2", f"threshold: {threshold}, beta: 2")
            head, _, rest = text.partition("design:\n")
            path = self.write(head + "design:\n" + own + "objective:" + rest.partition("objective:")[2], "scene.yaml")
            self.piola(0, "grad", path, "scene")
            return self.result("scene")["objective"]

        for name, threshold in THRESHOLDS.items():
            one = scene(threshold)
            print(f"  {name}: {found[name]['objective']!r}, of the scene with threshold {threshold} {one!r}")
            self.assertEqual(found[name]["objective"], one)
            self.assertNotEqual(found[name]["objective"], scene(threshold + 1e-6))

    def bits(self, out):
        result = self.result(out)
        result["optimizer"].pop("replayed")
        names = "history.csv", "evaluations.record"
        return [result, *((self.root / out / name).read_bytes() for name in names)]

    def test_the_bits_are_those_of_any_number_of_processes_and_of_a_run_that_was_killed(self):
        path = self.study()  # sixteen iterations need not reach the bound on the volume
        for jobs in 1, 2, 3:
            self.piola((0, 1), "optimize", path, f"jobs{jobs}", "--jobs", jobs)
        for jobs in 2, 3:
            self.assertEqual(self.bits("jobs1"), self.bits(f"jobs{jobs}"))
        self.piola((0, 1), "optimize", path, "other", "--set", "combine.power=6.001")
        self.assertNotEqual(self.bits("jobs1"), self.bits("other"))
        process = subprocess.Popen(self.command("optimize", path, "cut", "--jobs", 2), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        record, whole = self.root / "cut/evaluations.record", (self.root / "jobs1/evaluations.record").stat().st_size
        end = time.monotonic() + DEADLINE
        while process.poll() is None and time.monotonic() < end:
            if record.exists() and record.stat().st_size > whole / 2:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        self.assertEqual(process.wait(timeout=DEADLINE), -signal.SIGKILL)
        self.piola((0, 1), "optimize", path, "cut", "--jobs", 3)
        replayed, evaluations = (self.result("cut")["optimizer"][key] for key in ("replayed", "evaluations"))
        print(f"  resumed after {replayed} of {evaluations} evaluations (threshold: 4, of another sharpness, not all)")
        self.assertTrue(4 < replayed < evaluations)
        self.assertEqual(self.bits("jobs1"), self.bits("cut"))
        said = self.piola((0, 1), "optimize", path, "cut", "--set", "combine.power=7")
        self.assertIn("beginning anew", said)  # the evaluations of another study

    # ---- layouts -------------------------------------------------------------------------------------------------

    def layouts(self, out, nx, ny):
        found = {}
        for name in THRESHOLDS:
            with h5py.File(self.root / out / "experiments" / name / "states.vtkhdf") as file:
                found[name] = file["VTKHDF/CellData/relative_density"][-nx * ny:].reshape(ny, nx)
        return found

    def check_layouts(self, out, nx, ny, h):
        """The three layouts lie within each other, are of one topology, and their edges are as far apart as filter and
        thresholds make those of a straight edge."""
        found = self.layouts(out, nx, ny)
        shapes = {name: topology(layout) for name, layout in found.items()}
        print(f"  full and empty parts: {shapes}")
        self.assertEqual(len(set(shapes.values())), 1, shapes)
        self.assertEqual(shapes["intermediate"][0], 1)
        self.assertGreater(shapes["intermediate"][1], 1)
        eroded, layout, dilated = (found[name] > 0.5 for name in THRESHOLDS)
        self.assertTrue((eroded <= layout).all() and (layout <= dilated).all())
        # the length of edges in all directions is pi/4 of that of the elements' sides
        edge = math.pi / 4 * h * ((layout[1:] != layout[:-1]).sum() + (layout[:, 1:] != layout[:, :-1]).sum())
        return shapes["intermediate"], (dilated.sum() - eroded.sum()) * h * h / edge

    def test_three_layouts_have_one_topology_and_a_length_scale(self):
        """Of the scene that ships, which need not have converged within its iterations."""
        path = SCENES / "study_robust_mbb.yaml"
        self.piola((0, 1), "optimize", path, "robust", "--jobs", 2)
        shape, layer = self.check_layouts("robust", 60, 20, 1)
        expected = depth_at(0.7, 2.4) - depth_at(0.3, 2.4)
        # elements of 1 m on both sides of an edge are counted whole or not at all
        self.below("edges between eroded and dilated over those of a straight edge, less 1", abs(layer / expected - 1),
                   0.3)
        filled = self.layouts("robust", 60, 20)["dilated"].mean()
        self.below("volume of the dilated layout over 0.6, less 1", abs(filled / 0.6 - 1), 1e-3)
        works = [part["objective"] for part in self.result("robust")["experiments"]]
        self.assertTrue(works[0] > works[1] > works[2], works)
        self.piola((0, 1), "optimize", path, "plain", "--jobs", 2, "--set",
                   "experiments.eroded.weight=0", "--set", "experiments.dilated.weight=0")
        plain = self.result("plain")["experiments"]
        self.assertEqual([part["weight"] for part in plain], [0, 1, 0])
        plain, found = [part["objective"] for part in plain], self.layouts("plain", 60, 20)
        shapes = [topology(found[name]) for name in THRESHOLDS]
        print(f"  works {works}, {shape} parts; of a design for the intermediate layout alone {plain}, {shapes}")
        self.below("work of the eroded layout over that of the design for the intermediate one", works[0] / plain[0],
                   0.85)
        self.below("work of the intermediate layout of that design over the robust one's", plain[1] / works[1], 1.05)
        self.assertGreater(len(set(shapes)), 1, "negative control: without the others layouts differ in topology")

    # ---- bad input -----------------------------------------------------------------------------------------------

    def test_bad_studies_are_rejected_with_their_place(self):
        bad = (("power: 6", "power: 0.5", "study.yaml:8:33: error: combine.power: '0.5' is out of range"),
               ("power: 6", "power: 6, width: 1",
                "study.yaml:8:36: error: combine: 'power' and 'width' exclude each other; give power, or width"),
               (", power: 6", "", "study.yaml:8:10: error: combine: one of these is needed: power, or width"),
               ("type: maximum, ", "type: sum, ",
                "study.yaml:8:22: error: combine: 'power' is not a key of type 'sum', but of maximum"),
               ("type: maximum, ", "", "study.yaml:8:10: error: combine: the required key 'type' is missing"),
               ("type: maximum", "type: max",
                "study.yaml:8:17: error: combine.type: unknown value 'max' (one of: sum, maximum)"),
               ("type: mma", "type: levenberg_marquardt",
                "study.yaml:8:17: error: combine.type: levenberg_marquardt is for sums of squares, which a maximum is "
                "not; use `sum`, or another optimizer, as lbfgs"),
               ("threshold: 0.7", "threshold: 1", "study.yaml:4:62: error: experiments[0].projection.threshold: "),
               ("{threshold: 0.7}", "{beta: 3}",
                "study.yaml:4:50: error: experiments[0].projection: the required key 'threshold' is missing"),
               ("{threshold: 0.7}", "0.7",
                "study.yaml:4:50: error: experiments[0].projection: expected a mapping of keys"),
               (", projection: {beta: 2, end: 4, double_every: 4}", "",
                "study.yaml:4:50: error: experiments[0].projection: no entry of the design that governs 'eroded' is "
                "projected; add a `projection`, as {beta: 1}, there"))
        for old, new, message in bad:
            with self.subTest(new=new):
                said = self.piola(65, "validate", self.study(change=(old, new)), "none")
                print(" ", said.splitlines()[0])
                self.assertIn(message, said)
        none = (STUDY % POWER).replace("weight: 3.4", "weight: 0").replace("weight: 9.2", "weight: 0")
        none = none.replace("scene: beam.yaml, p", "scene: beam.yaml, weight: 0, p", 1)
        said = self.piola(65, "validate", self.write(none, "study.yaml"), "none")
        self.assertIn("combine.type: a maximum needs an experiment whose weight is above 0", said)
        self.assertFalse((self.root / "none").exists())
        path = self.study(change=("iterations: 16", "iterations: 16, stop: {feasibility: 1e-3}"))
        self.piola(0, "grad", path, "some")
        path.write_text(path.read_text().replace("[{of: filled, max: 0.65}]", "[]"), encoding="utf-8")
        self.assertIn("study.yaml:13:64: error: optimizer.stop.feasibility: no experiment has constraints; add "
                      "`constraints` to a scene, or remove it", self.piola(65, "grad", path, "without"))

    def test_a_plan_of_a_maximum_writes_nothing(self):
        done = subprocess.run(self.command("optimize", self.study(), "plan", "--dry-run"), capture_output=True,
                              text=True, timeout=DEADLINE, check=True)
        self.assertIn("J is a smooth maximum of 3 objectives, power 6: from 0.833 of the largest to the largest",
                      done.stderr)
        self.assertFalse((self.root / "plan").exists())


if __name__ == "__main__":
    PIOLA, SPOILED = (os.path.abspath(name) for name in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
