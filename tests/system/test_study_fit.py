#!/usr/bin/env python3
"""test_study_fit.py PIOLA -- the errors of a study's fit are those of the weighted residuals of all its experiments,
stacked; they have the same bits for any number of processes; and its history has each experiment's objective.

The study is scenes/study_silicone.yaml on coarse meshes, with measurements that are made here.
"""
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
SCENES = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes"
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
TRUE = {"c10": 180e3, "c01": 40e3}  # Pa
SMALL = {"tension": {"geometry[0].elements": "[4, 1]"}, "shear": {"geometry[0].elements": "[4, 1]"},
         "inflation": {"geometry[0].elements": "[6, 1]", "time.load_steps": "10"}}
CURVES = {"tension": ("force", 0, 0.04), "shear": ("force", 0, 2.0), "inflation": ("height", 1, 1e-4)}  # sigma, SI
STUDENT = {18: 2.10092204, 28: 2.04840714}  # 97.5 % of t, Abramowitz and Stegun 1964, table 26.10


class Silicone:
    """The small study in a folder, and measurements of it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        shutil.copytree(SCENES / "silicone", self.folder / "silicone")
        text = (SCENES / "study_silicone.yaml").read_text()
        for name, sets in SMALL.items():
            keys = ", ".join(f'"{key}": {value}' for key, value in sets.items())
            old = f"scene: silicone/{name}.yaml"
            assert old in text
            text = text.replace(old, f"{old}, set: {{{keys}}}")
        (self.folder / "study.yaml").write_text(text)
        self.exact = {name: self.curve(name, TRUE) for name in CURVES}

    def piola(self, command, scene, out, *sets, options=()):
        """The log of a command that ends with 0."""
        words = [word for text in sets for word in ("--set", text)]
        done = subprocess.run([PIOLA, command, scene, "-o", out, "--device", "cpu", "--threads", "1", *words, *options],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, timeout=300, check=False,
                              cwd=self.folder, env=ENVIRONMENT)
        if done.returncode:
            raise AssertionError(f"exit {done.returncode}: {done.stderr}")
        return done.stderr

    def fit(self, out, *sets, options=()):
        """The result of the study, and the log."""
        log = self.piola("optimize", "study.yaml", out, *sets, options=options)
        return self.result(out), log

    def result(self, out):
        return json.loads((self.folder / out / "result.json").read_text())

    def curve(self, name, constants):
        """What an experiment observes with these constants."""
        sets = [f"{key}={value}" for key, value in SMALL[name].items()]
        sets += [f"materials[0].{key}={value!r}" for key, value in constants.items()]
        self.piola("run", f"silicone/{name}.yaml", "run", "objective=[]", *sets)
        (seen,) = self.result("run")["observations"].values()
        return [y[CURVES[name][1]] for y in seen["value"]]

    def measure(self, seed):
        """Write the data of all experiments with the noise of a seed; returns them."""
        data = {}
        for number, (name, (column, _, sigma)) in enumerate(CURVES.items()):
            noise = random.Random(1000 * seed + number)
            data[name] = [y + noise.gauss(0, sigma) for y in self.exact[name]]
            lines = [f"time,{column}"] + [f"{k + 1},{y!r}" for k, y in enumerate(data[name])]
            (self.folder / f"silicone/{name}.csv").write_text("\n".join(lines) + "\n")
        return data


def covariance_of(columns):
    """The inverse of A^T A of two columns."""
    aa, ab, bb = (sum(x * y for x, y in zip(columns[i], columns[j])) for i, j in ((0, 0), (0, 1), (1, 1)))
    determinant = aa * bb - ab * ab
    return [[bb / determinant, -ab / determinant], [-ab / determinant, aa / determinant]]


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.silicone = Silicone(temporary.name)
        cls.folder = cls.silicone.folder

    def stacked(self, found, weights):
        """dr/dvalue of all residuals, by moduli that differ by 0.1 %."""
        columns = []
        for key, value in found.items():
            column = []
            for name, (_, _, sigma) in CURVES.items():
                low, high = (self.silicone.curve(name, found | {key: value * factor}) for factor in (0.999, 1.001))
                column += [weights[name] ** 0.5 * (b - a) / sigma / (0.002 * value) for a, b in zip(low, high)]
            columns.append(column)
        return columns

    def test_errors_and_intervals_are_those_of_the_stacked_weighted_residuals(self):
        one = dict.fromkeys(CURVES, 1.0)
        for seed, weights in ((1, one), (2, one | {"shear": 0.25})):
            self.silicone.measure(seed)
            result, log = self.silicone.fit("fit", f"experiments.shear.weight={weights['shear']}",
                                            options=("--jobs", "2"))
            fit = result["least_squares"]
            found = {key: result["parameters"][f"materials.silicone.{key}"]["value"] for key in TRUE}
            columns = self.stacked(found, weights)
            variance = 2 * result["objective"] / (30 - 2)
            expected = [[variance * c for c in row] for row in covariance_of(columns)]
            worst = max(abs(fit["covariance"][i][j] / expected[i][j] - 1) for i in range(2) for j in range(2))
            print(f"seed {seed}: covariance differs by {worst:.1e} of it (threshold 1e-3: differences of 0.1 %)")
            self.assertLess(worst, 1e-3)
            print(f"variance {fit['variance']:.6f}, of J {variance:.6f} (threshold 1e-9 of it)")
            self.assertLess(abs(fit["variance"] / variance - 1), 1e-9)
            self.assertEqual((fit["residuals"], fit["free_variables"]), (30, 2))
            for i, of in enumerate(fit["parameters"]):
                self.assertEqual(of["variable"], f"materials.silicone.{list(TRUE)[i]}")
                self.assertEqual((of["value"], of["unit"]), (list(found.values())[i], "Pa"))
                self.assertAlmostEqual(of["standard_error"] / fit["covariance"][i][i] ** 0.5, 1, 12)
                for end, sign in (("lower", -1), ("upper", 1)):
                    t = sign * (of[end] - of["value"]) / of["standard_error"]
                    print(f"{end} end of {of['variable']}: t {t:.6f} (threshold {STUDENT[28]:.6f} +- 1e-6)")
                    self.assertLess(abs(t - STUDENT[28]), 1e-6)
            errors = [of["standard_error"] for of in fit["parameters"]]
            self.assertAlmostEqual(fit["correlation"][0][1], fit["covariance"][0][1] / (errors[0] * errors[1]), 12)
            self.assertRegex(log, r"materials.silicone.c10 = \S+ Pa \+- \S+ Pa \(95 %\)")
            if weights != one:  # control: the weight is in it
                wrong = covariance_of(self.stacked(found, one))
                off = abs(fit["covariance"][0][0] / (variance * wrong[0][0]) - 1)
                print(f"without the weight it would differ by {off:.2f} (threshold above 0.01)")
                self.assertGreater(off, 0.01)

    def test_the_bytes_do_not_depend_on_the_number_of_processes(self):
        self.silicone.measure(3)
        for jobs in "1", "2", "3":
            self.silicone.fit(f"jobs{jobs}", options=("--jobs", jobs))
        self.assertIn("least_squares", self.silicone.result("jobs1"))
        for name in "result.json", "history.csv", "evaluations.record":
            for jobs in "2", "3":
                self.assertEqual((self.folder / "jobs1" / name).read_bytes(),
                                 (self.folder / f"jobs{jobs}" / name).read_bytes(), name)

    def test_the_history_has_the_objective_of_each_experiment_and_so_has_that_of_a_resumed_run(self):
        self.silicone.measure(4)
        weight = "experiments.shear.weight=0.25"
        result, _ = self.silicone.fit("whole", weight)
        self.silicone.fit("part", weight, "optimizer.max_iterations=1")
        part, _ = self.silicone.fit("part", weight)
        self.assertGreater(part["optimizer"]["replayed"], 1)
        self.assertLess(part["optimizer"]["replayed"], part["optimizer"]["evaluations"])
        self.assertEqual((self.folder / "whole/history.csv").read_bytes(),
                         (self.folder / "part/history.csv").read_bytes())
        with open(self.folder / "whole/history.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[5:], [f"objective.{name}" for name in CURVES])
        self.assertGreater(len(rows), 2)
        for row in rows:
            total = (float(row["objective.tension"]) + 0.25 * float(row["objective.shear"]) +
                     float(row["objective.inflation"]))
            self.assertEqual(total, float(row["objective"]))
        self.assertEqual([e["objective"] for e in result["experiments"]],
                         [float(rows[-1][f"objective.{name}"]) for name in CURVES])
        print(f"{len(rows)} iterations, {part['optimizer']['replayed']} evaluations replayed; the parts add up to J")

    def test_an_experiment_of_weight_0_has_no_residuals(self):
        self.silicone.measure(5)
        result, _ = self.silicone.fit("without", "experiments.shear.weight=0")
        fit = result["least_squares"]
        self.assertEqual(fit["residuals"], 20)
        variance = 2 * result["objective"] / 18
        print(f"variance {fit['variance']:.6f} of 20 residuals, of J {variance:.6f} (threshold 1e-9 of it)")
        self.assertLess(abs(fit["variance"] / variance - 1), 1e-9)
        of = fit["parameters"][0]
        self.assertLess(abs((of["upper"] - of["value"]) / of["standard_error"] - STUDENT[18]), 1e-6)

    def test_what_the_experiments_together_do_not_determine_is_named(self):
        """By one force alone only the products of thickness and constants are found; with another body, all."""
        self.silicone.measure(6)
        both = "design=[{name: first, target: materials.silicone.c10}, " \
               "{name: second, target: materials.silicone.c01}, " \
               "{name: stiff, target: materials.silicone.bulk, bounds: [10 MPa, 1 GPa]}, " \
               "{name: depth, experiments: tension, target: bodies.strip.thickness, bounds: [1 mm, 4 mm]}]"
        alone = ("experiments.shear.weight=0", "experiments.inflation.weight=0", "optimizer.max_iterations=6")
        words = ("optimize", "study.yaml", "alone", both, *alone)
        log = self.silicone.piola(*words)
        fit = self.silicone.result("alone")["least_squares"]
        (unknown,) = fit["not_identifiable"]
        names = {part["variable"] for part in unknown["combination"]}
        print(f"alone: singular values {fit['singular_values']}, unknown {unknown}")
        self.assertLessEqual({"materials.silicone.c10", "bodies.strip.thickness"}, names)
        self.assertIsNone(fit["parameters"][0]["standard_error"])
        self.assertIn("not identifiable: J does not change", log)
        self.silicone.piola("optimize", "study.yaml", "together", both, "optimizer.max_iterations=6")
        together = self.silicone.result("together")["least_squares"]
        print(f"together: singular values {together['singular_values']}")
        self.assertEqual(together["not_identifiable"], [])


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
