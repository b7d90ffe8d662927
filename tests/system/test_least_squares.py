#!/usr/bin/env python3
"""test_least_squares.py PIOLA SPOILED -- `optimizer.type: levenberg_marquardt` finds two moduli from a tension test:
the same as L-BFGS in far fewer evaluations, with rows that add up to the gradient, and with the same bits where it is
resumed.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PIOLA = SPOILED = ""
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
SOFT, HARD = 120e3, 400e3
SCENE = """
version: 1
name: fit
method: {type: fem, dimension: 2, precision: f64}
time: {load_steps: 4, duration: 4 s}
geometry:
  - {name: strip, type: box, min: [0, 0], max: [100 mm, 20 mm], element: quad4, elements: [10, 2]}
materials:
  - {name: soft, model: neo_hookean, E: 200 kPa, nu: 0.3}
  - {name: hard, model: neo_hookean, E: 200 kPa, nu: 0.42}
bodies:
  - {name: strip, geometry: strip, material: soft, thickness: 5 mm,
     regions: [{on: {min: [50 mm, 0], max: [100 mm, 20 mm]}, material: hard}]}
boundary:
  - {name: clamp, body: strip, on: {group: left}, type: fixed}
  - {name: grip_sideways, body: strip, on: {group: right}, type: fixed, axes: y}
  - {name: grip, body: strip, on: {group: right}, type: displacement, axes: x, value: 25 mm}
observe:
  - {name: force, type: reaction, boundary: grip, every: 1 s}
  - {name: middle, type: displacement, body: strip, on: {min: [50 mm, 0], max: [50 mm, 20 mm]}, at: 4 s}
design:
  - {name: soft_modulus, target: materials.soft.E, bounds: [20 kPa, 2 MPa], transform: log}
  - {name: hard_modulus, target: materials.hard.E, bounds: [20 kPa, 2 MPa], transform: log}
"""
GOAL = """
objective:
  - {type: misfit, of: force.x, data: {file: force.csv, columns: force}, sigma: 10 mN}
  - {type: target, of: middle.x, value: %.17g, weight: 1e9}
optimizer: {type: levenberg_marquardt, max_iterations: 60}
"""


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        scene = cls.folder / "fit.yaml"
        scene.write_text(SCENE)
        cls.piola("run", "truth", f"materials[0].E={SOFT}", f"materials[1].E={HARD}")
        seen = cls.result("truth")["observations"]
        rows = zip(seen["force"]["time"], seen["force"]["value"])
        cls.middle = seen["middle"]["value"][0][0]
        (cls.folder / "force.csv").write_text("time,force\n" + "".join(f"{t!r},{y[0]!r}\n" for t, y in rows))
        scene.write_text(SCENE + GOAL % cls.middle)

    @classmethod
    def piola(cls, command, out, *sets, options=(), code=0, more=()):
        """The log of a command that ends with `code`."""
        words = [word for text in sets for word in ("--set", text)]
        done = subprocess.run([PIOLA, command, "fit.yaml", "-o", out, "--device", "cpu", *words, *options],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, timeout=300,
                              cwd=cls.folder, env={**ENVIRONMENT, **dict(more)})
        if done.returncode != code:
            raise AssertionError(f"exit {done.returncode}, not {code}: {done.stderr}")
        return done.stderr

    @classmethod
    def result(cls, out):
        return json.loads((cls.folder / out / "result.json").read_text())

    def values(self, out):
        parameters = self.result(out)["parameters"]
        return parameters["materials.soft.E"]["value"], parameters["materials.hard.E"]["value"]

    def test_it_finds_the_moduli_in_fewer_evaluations_than_lbfgs(self):
        log = self.piola("optimize", "squares")
        self.piola("optimize", "lbfgs", "optimizer.type=lbfgs")
        counts = {out: self.result(out)["optimizer"]["evaluations"] for out in ("squares", "lbfgs")}
        for out in counts:
            off = max(abs(a / b - 1) for a, b in zip(self.values(out), (SOFT, HARD)))
            print(f"{out}: {counts[out]} evaluations, moduli off by {off:.1e} (threshold 1e-6)")
            self.assertLess(off, 1e-6)
        self.assertLess(2 * counts["squares"], counts["lbfgs"], "fewer than half was expected")
        error = float(re.search(r"rows: sum r dr/dz differs .* by (\S+) of sum", log)[1])
        print(f"rows differ from the gradient by {error:.1e} of sum |r dr/dz| (threshold 1e-12)")
        self.assertLess(error, 1e-12)
        self.assertIn("5 residuals of observations and 0 of priors; each evaluation takes 6 adjoint sweeps", log)

    def test_a_run_that_is_resumed_ends_with_the_same_bits(self):
        self.piola("optimize", "whole")
        self.piola("optimize", "part", "optimizer.max_iterations=2", options=["--resume", "auto"])
        self.piola("optimize", "part", options=["--resume", "auto"])
        whole, part = self.result("whole"), self.result("part")
        print(f"{part['optimizer']['replayed']} of {part['optimizer']['evaluations']} evaluations replayed")
        self.assertGreater(part["optimizer"]["replayed"], 1)
        self.assertLess(part["optimizer"]["replayed"], part["optimizer"]["evaluations"])
        self.assertEqual(self.values("whole"), self.values("part"))
        self.assertEqual(whole["objective"], part["objective"])
        records = [(self.folder / out / "evaluations.record").read_bytes() for out in ("whole", "part")]
        self.assertEqual(records[0], records[1])

    def test_a_prior_has_a_row_without_a_sweep(self):
        prior = "objective[1]={type: prior, of: hard_modulus, mean: 390 kPa, sigma: 1 kPa}"
        log = self.piola("optimize", "prior", prior)
        self.assertIn("4 residuals of observations and 1 of priors; each evaluation takes 5 adjoint sweeps", log)
        error = float(re.search(r"rows: sum r dr/dz differs .* by (\S+) of sum", log)[1])
        print(f"with a prior: rows differ by {error:.1e} (threshold 1e-12); E {self.values('prior')}")
        self.assertLess(error, 1e-12)
        self.assertLess(abs(self.values("prior")[1] - 390e3), 10e3, "it is between the prior and the data")

    def test_columns_find_the_same_moduli_with_the_same_errors_as_rows(self):
        log = self.piola("optimize", "columns", "optimizer.jacobian=columns")
        self.piola("optimize", "rows", "optimizer.jacobian=rows")
        self.assertIn("each evaluation takes 2 adjoint sweeps, and 4 runs or more for differences", log)
        fits = [self.result(out)["least_squares"] for out in ("rows", "columns")]
        self.assertEqual([fit["jacobian"] for fit in fits], ["rows", "columns"])
        self.assertEqual(fits[0]["runs"], 0)
        self.assertGreaterEqual(fits[1]["runs"], 4)
        off = max(abs(a / b - 1) for a, b in zip(self.values("columns"), (SOFT, HARD)))
        print(f"columns: moduli off by {off:.1e} (threshold 1e-6)")
        self.assertLess(off, 1e-6)
        print(f"columns differ from a sweep by {fits[1]['columns_error']:.1e} (threshold 1e-6)")
        self.assertLess(fits[1]["columns_error"], 1e-6)
        worst = max(abs(b / a - 1) for a, b in zip(fits[0]["singular_values"], fits[1]["singular_values"]))
        worst = max(worst, *(abs(b[i] - a[i]) for a, b in zip(fits[0]["correlation"], fits[1]["correlation"])
                             for i in range(2)))
        print(f"singular values and correlation differ by {worst:.1e} (threshold 1e-6)")
        self.assertLess(worst, 1e-6)

    def test_columns_at_a_bound_are_differences_to_one_side(self):
        self.piola("optimize", "at_bound", "optimizer.jacobian=columns", "design[0].bounds=[200 kPa, 2 MPa]")
        fit = self.result("at_bound")["least_squares"]
        print(f"at a bound columns differ from a sweep by {fit['columns_error']:.1e} (threshold 1e-6)")
        self.assertLess(fit["columns_error"], 1e-6)
        self.assertEqual(self.values("at_bound")[0], 200e3)

    def test_a_resumed_run_with_columns_ends_with_the_same_bits(self):
        columns = "optimizer.jacobian=columns"
        self.piola("optimize", "whole_columns", columns)
        self.piola("optimize", "part_columns", columns, "optimizer.max_iterations=2", options=["--resume", "auto"])
        self.piola("optimize", "part_columns", columns, options=["--resume", "auto"])
        self.assertGreater(self.result("part_columns")["optimizer"]["replayed"], 1)
        self.assertEqual(self.values("whole_columns"), self.values("part_columns"))
        records = [(self.folder / out / "evaluations.record").read_bytes() for out in ("whole_columns", "part_columns")]
        self.assertEqual(records[0], records[1])

    def test_derivatives_that_do_not_add_up_to_the_gradient_end_the_run(self):
        """Controls: an engine whose every sixth, or second, adjoint sweep is wrong by a thousandth: that of J."""
        for jacobian, every in (("rows", 6), ("columns", 2)):
            wrong = {"PIOLA_ENGINES": SPOILED, "SPOILED_EVERY": str(every)}
            log = self.piola("optimize", f"spoiled_{jacobian}", f"optimizer.jacobian={jacobian}", code=76, more=wrong)
            self.assertRegex(log, r"sum of r dr/dz differs from the gradient, .*, more than 1e-04")
        log = self.piola("optimize", "spoiled_sum", "optimizer.jacobian=columns", code=76,
                         more={"PIOLA_ENGINES": SPOILED, "SPOILED_EVERY": "2", "SPOILED_FIRST": "1"})
        self.assertRegex(log, r"by differences of runs, differ from an adjoint sweep by .* more than 1e-04")

    def test_many_samples_of_few_variables_have_columns(self):
        log = self.piola("optimize", "many", "observe[0].every=10 ms", "time.load_steps=400",
                         "objective=[{type: target, of: force.x, value: 1}]", "optimizer.max_iterations=1")
        self.assertRegex(log, r"40[01] residuals of observations .* 2 adjoint sweeps, and 4 runs")

    def test_errors_are_those_of_derivatives_by_differences(self):
        """The covariance from forces at moduli that differ by 0.1 %, with data that no moduli explain."""
        data = (self.folder / "force.csv").read_text().splitlines()
        (self.folder / "noisy.csv").write_text("\n".join(
            [data[0]] + [f"{line.split(',')[0]},{float(line.split(',')[1]) + 0.02 * (-1) ** k!r}"
                         for k, line in enumerate(data[1:])]) + "\n")
        log = self.piola("optimize", "noisy", "objective[0].data.file=noisy.csv")
        found, fit = self.values("noisy"), self.result("noisy")["least_squares"]
        columns = []
        for k in range(2):
            seen = []
            for factor in (0.999, 1.001):
                moduli = [value * (factor if i == k else 1) for i, value in enumerate(found)]
                self.piola("run", "moved", "design=[]",
                           f"materials[0].E={moduli[0]!r}", f"materials[1].E={moduli[1]!r}")
                at = self.result("moved")["observations"]
                seen.append([y[0] / 0.01 for y in at["force"]["value"]] +
                            [at["middle"]["value"][0][0] * (2 * 1e9) ** 0.5])
            columns.append([(b - a) / (0.002 * found[k]) for a, b in zip(*seen)])
        aa, ab, bb = (sum(x * y for x, y in zip(columns[i], columns[j])) for i, j in ((0, 0), (0, 1), (1, 1)))
        variance = 2 * self.result("noisy")["objective"] / (5 - 2)
        expected = [[bb, -ab], [-ab, aa]]
        worst = max(abs(fit["covariance"][i][j] / (variance * expected[i][j] / (aa * bb - ab * ab)) - 1)
                    for i in range(2) for j in range(2))
        print(f"rows at the minimum differ by {fit['rows_error']:.1e} (threshold 1e-12)")
        self.assertLess(fit["rows_error"], 1e-12)
        print(f"covariance differs by {worst:.1e} of it (threshold 1e-3: differences of 0.1 %)")
        self.assertLess(worst, 1e-3)
        self.assertAlmostEqual(fit["variance"] / variance, 1, places=12)
        t95 = (fit["parameters"][0]["upper"] - found[0]) / fit["parameters"][0]["standard_error"]
        print(f"t of 3 degrees: {t95:.4f} (threshold 3.1824 +- 1e-4)")
        self.assertLess(abs(t95 - 3.1824), 1e-4)
        self.assertRegex(log, r"materials.soft.E = \S+ Pa \+- \S+ Pa \(95 %\)")

    def test_the_residuals_are_a_table(self):
        prior = ("objective=[{type: misfit, of: force.x, data: {file: force.csv, columns: force}, sigma: 10 mN}, "
                 "{type: prior, of: hard_modulus, mean: 390 kPa, sigma: 1 kPa, weight: 4}, "
                 f"{{type: target, of: middle.x, value: {self.middle!r}, weight: 1e9}}]")
        self.piola("optimize", "table", prior)
        result, path = self.result("table"), self.folder / "table" / "residuals.csv"
        self.assertIn("table/residuals.csv", result["files"])
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]),
                         ["term", "of", "sample", "time", "component", "measured", "computed", "sigma", "residual"])
        self.assertEqual([row["term"] for row in rows],
                         4 * ["misfit_force_x"] + ["target_middle_x", "prior_hard_modulus"])
        self.assertEqual([row["of"] for row in rows], 4 * ["force"] + ["middle", "materials.hard.E"])
        self.assertEqual([row["sample"] for row in rows], ["0", "1", "2", "3", "0", ""])
        self.assertEqual([row["component"] for row in rows], 5 * ["0"] + [""])
        self.assertEqual([row["time"] for row in rows], ["1", "2", "3", "4", "4", ""])
        seen = result["observations"]
        computed = [y[0] for name in ("force", "middle") for y in seen[name]["value"]] + [self.values("table")[1]]
        measured = [float(line.split(",")[1]) for line in (self.folder / "force.csv").read_text().splitlines()[1:]]
        self.assertEqual([float(row["measured"]) for row in rows], [*measured, self.middle, 390e3])
        self.assertEqual([float(row["computed"]) for row in rows[:5]], computed[:5])  # the same bits
        sigma = 4 * [0.01] + [(2 * 1e9) ** -0.5, 500]
        off = max(abs(float(row["computed"]) / c - 1) for row, c in zip(rows, computed))
        off = max(off, *(abs(float(row["sigma"]) / s - 1) for row, s in zip(rows, sigma)))
        off = max(off, *(abs(float(row["residual"]) - (float(row["computed"]) - float(row["measured"])) / s)
                         for row, s in zip(rows, sigma)))
        half = sum(float(row["residual"]) ** 2 for row in rows) / 2
        print(f"numbers of the table differ by {off:.1e} (threshold 1e-10), half the sum of their squares from J by "
              f"{abs(half / result['objective'] - 1):.1e} (threshold 1e-12)")
        self.assertLess(off, 1e-10)
        self.assertLess(abs(half / result["objective"] - 1), 1e-12)
        before = path.read_bytes()
        self.piola("optimize", "table", prior, options=["--resume", "auto"])
        self.assertEqual(path.read_bytes(), before)
        self.piola("optimize", "table", "optimizer.type=lbfgs", "optimizer.max_iterations=1")
        self.assertNotIn("table/residuals.csv", self.result("table")["files"], "it is that of an earlier fit")

    def test_a_file_of_the_users_is_not_overwritten_by_the_table(self):
        (self.folder / "mine").mkdir()
        mine = self.folder / "mine" / "residuals.csv"
        mine.write_text("my notes\n")
        log = self.piola("optimize", "mine", code=73)
        self.assertIn("residuals.csv: exists and is not a residuals table", log)
        self.assertEqual(mine.read_text(), "my notes\n")
        self.assertFalse((self.folder / "mine" / "evaluations.record").exists())

    def test_what_forces_alone_do_not_determine_is_named(self):
        both = "design=[{name: depth, target: bodies.strip.thickness, bounds: [1 mm, 20 mm]}, " \
               "{name: soft_modulus, target: materials.soft.E, bounds: [20 kPa, 2 MPa], transform: log}, " \
               "{name: hard_modulus, target: materials.hard.E, bounds: [20 kPa, 2 MPa], transform: log}]"
        log = self.piola("optimize", "open", both)
        fit = self.result("open")["least_squares"]
        self.assertEqual(len(fit["not_identifiable"]), 1)
        self.assertEqual(len(fit["not_identifiable"][0]["combination"]), 3)
        self.assertEqual([p["standard_error"] for p in fit["parameters"]], [None] * 3)
        self.assertIn("not identifiable: J does not change", log)

    def test_too_many_samples_and_too_few_residuals_are_errors(self):
        many = self.piola("optimize", "many_rows", "observe[0].every=10 ms", "time.load_steps=400",
                          "objective[0]={type: target, of: force.x, value: 1}", "optimizer.jacobian=rows", code=65)
        self.assertRegex(many, r"optimizer.jacobian: 40[012] samples are compared, and rows need")
        single = self.piola("optimize", "single", "optimizer.jacobian=columns", "method.precision=f32", code=65)
        self.assertIn("for which f32 has too few digits", single)
        none = self.piola("optimize", "none", "objective=[{type: target, of: middle.x, value: 1 mm, weight: 0}]",
                          code=65)
        self.assertIn("no term has a weight above 0", none)
        for out in ("many_rows", "single", "none"):
            self.assertFalse((self.folder / out / "evaluations.record").exists())


if __name__ == "__main__":
    PIOLA, SPOILED = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
