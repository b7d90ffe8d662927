#!/usr/bin/env python3
"""test_bootstrap.py PIOLA -- the errors of a fit are those that a bootstrap finds with a model of its own.

A sheet in plane strain is stretched uniformly: its force and its width follow from one equation for each stretch, which
is solved here by numpy alone. From noisy forces and widths `piola optimize` finds E and nu with standard errors and
intervals. The parametric bootstrap (Efron and Tibshirani 1993, section 6.5) adds new noise to the fitted curve,
thousands of times, and fits each anew with the model here: how far those fits lie apart is what the errors claim. The
end of the fit, its covariance and its singular values are compared with numpy.linalg.lstsq, too, by derivatives that
are differences of `piola run`.
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PIOLA = ""
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
LENGTH, WIDTH, THICKNESS, PULL, STEPS = 0.1, 0.02, 0.005, 0.03, 5
TRUTH = np.array([200e3, 0.35])
SIGMA = np.repeat([0.02, 60e-6], STEPS)  # N, m
SCENE = """
version: 1
name: sheet
method: {type: fem, dimension: 2, precision: f64}
time: {load_steps: 5, duration: 5 s}
geometry:
  - {name: sheet, type: box, min: [0, 0], max: [100 mm, 20 mm], element: quad4, elements: [2, 1]}
materials:
  - {name: rubber, model: neo_hookean, E: 150 kPa, nu: 0.3}
bodies:
  - {name: sheet, geometry: sheet, material: rubber, thickness: 5 mm}
boundary:
  - {name: clamp, body: sheet, on: {group: left}, type: fixed, axes: x}
  - {name: floor, body: sheet, on: {group: bottom}, type: fixed, axes: y}
  - {name: grip, body: sheet, on: {group: right}, type: displacement, axes: x, value: 30 mm}
observe:
  - {name: force, type: reaction, boundary: grip, every: 1 s}
  - {name: side, type: displacement, body: sheet, on: {group: top}, every: 1 s}
"""
FIT = """
design:
  - {name: modulus, target: materials.rubber.E, bounds: [20 kPa, 2 MPa], transform: log}
  - {name: contraction, target: materials.rubber.nu, bounds: [0.05, 0.48]}
objective:
  - {type: misfit, of: force.x, data: {file: data.csv, columns: force}, sigma: 20 mN}
  - {type: misfit, of: side.y, data: {file: data.csv, columns: side}, sigma: 60 um}
optimizer: {type: levenberg_marquardt, max_iterations: 60}
"""
SEEDS = 60000  # of the bootstrap
QUANTILE = 4.8916385  # a normal variable is farther from its mean in one case of a million


# ---- the model: P = mu (F - F^-T) + lambda ln J F^-T, F = diag(a, b, 1), and nothing pulls at the sides


def curves(theta):
    """[..., 2 STEPS] forces and displacements of the side at theta [..., 2], [..., 2 STEPS, 2] their derivatives."""
    E, nu = theta[..., :1], theta[..., 1:]
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    a = 1 + PULL * np.arange(1, STEPS + 1) / STEPS / LENGTH
    b = np.ones(np.broadcast_shapes(E.shape, a.shape))
    for _ in range(30):  # Newton's method for mu (b^2 - 1) + lambda ln(a b) = 0
        b -= (mu * (b * b - 1) + lam * np.log(a * b)) / (2 * mu * b + lam / b)
    slope = 2 * mu * b + lam / b
    of_b = -(b * b - 1) / slope, -np.log(a * b) / slope  # by mu and lambda
    area = WIDTH * THICKNESS
    force = area * (mu * (a - 1 / a) + lam * np.log(a * b) / a)
    of_force = (area * (a - 1 / a + lam / (a * b) * of_b[0]), area * (np.log(a * b) / a + lam / (a * b) * of_b[1]))
    by_law = [np.concatenate(pair, axis=-1) for pair in zip(of_force, (WIDTH * of_b[0], WIDTH * of_b[1]))]
    by_E = (by_law[0] * mu + by_law[1] * lam) / E
    by_nu = by_law[0] * -mu / (1 + nu) + by_law[1] * E * (1 + 2 * nu * nu) / ((1 + nu) * (1 - 2 * nu)) ** 2
    return np.concatenate((force, WIDTH * (b - 1)), axis=-1), np.stack((by_E, by_nu), axis=-1)


def fits(data, start):
    """Least squares by Gauss and Newton's method for each row of `data`: theta [n, 2], its errors with s^2 = |r|^2/(m -
    2), and s^2 [n]."""
    theta = np.broadcast_to(start, (len(data), 2)).copy()
    for _ in range(12):
        y, slope = curves(theta)
        r, A = (y - data) / SIGMA, slope / SIGMA[:, None]
        normal = np.einsum("kmi,kmj->kij", A, A)
        step = np.linalg.solve(normal, np.einsum("kmi,km->ki", A, r)[..., None])[..., 0]
        theta -= step
    y, slope = curves(theta)
    r, A = (y - data) / SIGMA, slope / SIGMA[:, None]
    variance = (r * r).sum(axis=1) / (data.shape[1] - 2)
    inverse = np.linalg.inv(np.einsum("kmi,kmj->kij", A, A))
    assert np.abs(step / theta).max() < 1e-9, "a fit of the bootstrap has not converged"
    return theta, np.sqrt(variance[:, None] * inverse[:, (0, 1), (0, 1)]), variance


# ---- statistics


def chi_square(degrees):
    """The interval in which chi^2/degrees is but for one case of a million (Wilson and Hilferty 1931)."""
    spread = math.sqrt(2 / (9 * degrees))
    return [(1 - 2 / (9 * degrees) + side * QUANTILE * spread) ** 3 for side in (-1, 1)]


def is_spread(ratio):
    """Whether a standard error may be that of fits which are `ratio` times as far apart."""
    low, high = chi_square(SEEDS - 1)
    return low <= ratio * ratio <= high


def is_confidence(outside):
    """Whether an interval that `outside` of the fits miss may be one of 95 %."""
    return abs(outside - 0.05 * SEEDS) <= QUANTILE * math.sqrt(0.05 * 0.95 * SEEDS)


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "run.yaml").write_text(SCENE)
        (cls.folder / "fit.yaml").write_text(SCENE + FIT)

    @classmethod
    def piola(cls, command, out, *sets):
        words = [word for text in sets for word in ("--set", text)]
        scene = "run.yaml" if command == "run" else "fit.yaml"
        done = subprocess.run([PIOLA, command, scene, "-o", out, "--device", "cpu", "--threads", "1", *words],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, timeout=300, cwd=cls.folder,
                              env=ENVIRONMENT, check=False)
        if done.returncode:
            raise AssertionError(f"exit {done.returncode}: {done.stderr}")
        return json.loads((cls.folder / out / "result.json").read_text())

    @classmethod
    def observed(cls, theta):
        """The curve of a run."""
        seen = cls.piola("run", "run", f"materials[0].E={float(theta[0])!r}",
                         f"materials[0].nu={float(theta[1])!r}")["observations"]
        return np.array([y[0] for y in seen["force"]["value"]] + [y[1] for y in seen["side"]["value"]])

    @classmethod
    def fit(cls, seed, *sets):
        """A fit to noise of a seed: the data, what was found, and `least_squares`."""
        data = curves(TRUTH)[0] + SIGMA * np.random.default_rng(seed).standard_normal(2 * STEPS)
        with (cls.folder / "data.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["time", "force", "side"])
            for k in range(STEPS):
                rows.writerow([k + 1, repr(float(data[k])), repr(float(data[STEPS + k]))])
        result = cls.piola("optimize", "fit", *sets)
        found = [result["parameters"][f"materials.rubber.{key}"]["value"] for key in ("E", "nu")]
        return data, np.array(found), result["least_squares"]

    def test_the_model_here_is_that_of_the_scene(self):
        for theta in TRUTH, np.array([150e3, 0.3]):
            off = np.abs(self.observed(theta) / curves(theta)[0] - 1).max()
            print(f"E = {theta[0]:g} Pa, nu = {theta[1]:g}: forces and widths differ by {off:.1e} (threshold 1e-9)")
            self.assertLess(off, 1e-9)

    def test_the_end_and_the_covariance_are_those_of_lstsq(self):
        for seed, jacobian in (1, "rows"), (2, "columns"), (3, "rows"):
            with self.subTest(f"seed {seed}, {jacobian}"):
                data, found, fit = self.fit(seed, f"optimizer.jacobian={jacobian}")
                r = (self.observed(found) - data) / SIGMA
                h = 1e-3 * found
                A = np.stack([(self.observed(found + h * e) - self.observed(found - h * e)) / (2 * h[i]) / SIGMA
                              for i, e in enumerate(np.eye(2))], axis=1)
                lengths = np.linalg.norm(A, axis=0)
                step, rest, rank, singular = np.linalg.lstsq(A / lengths, -r, rcond=None)
                self.assertEqual(rank, 2)
                variance = float(rest[0]) / (2 * STEPS - 2)
                covariance = variance * np.linalg.inv(A.T @ A)
                errors = np.sqrt(np.diag(covariance))
                moved = np.abs(step / lengths / errors).max()
                off = {"variance": abs(fit["variance"] / variance - 1),
                       "covariance": np.abs(np.array(fit["covariance"]) / covariance - 1).max(),
                       "singular values": np.abs(np.array(fit["singular_values"]) / singular - 1).max()}
                print(f"seed {seed}, {jacobian}: lstsq moves the end by {moved:.1e} standard errors (threshold 1e-5); "
                      + ", ".join(f"{name} differ by {value:.1e}" for name, value in off.items())
                      + " (threshold 1e-5: differences of 0.1 %)")
                self.assertLess(moved, 1e-5)
                self.assertLess(max(off.values()), 1e-5)
                away = (self.observed(found + 0.01 * errors) - data) / SIGMA  # the control
                away = np.abs(np.linalg.lstsq(A / lengths, -away, rcond=None)[0] / lengths / errors).max()
                self.assertGreater(away, 1e-5)
                theta, own, _ = fits(data[None], TRUTH)
                off = max(np.abs(found / theta[0] - 1).max(),
                          *(abs(p["standard_error"] / e - 1) for p, e in zip(fit["parameters"], own[0])))
                print(f"values and errors differ from a fit of the model here by {off:.1e} (threshold 1e-6)")
                self.assertLess(off, 1e-6)

    def test_errors_and_intervals_are_those_of_a_bootstrap(self):
        data, found, fit = self.fit(4)
        centre, _, variance = fits(data[None], TRUTH)
        noise = np.random.default_rng(5).standard_normal((SEEDS, 2 * STEPS))
        theta, errors, _ = fits(curves(centre[0])[0] + math.sqrt(variance[0]) * SIGMA * noise, centre[0])
        low, high = (math.sqrt(edge) for edge in chi_square(SEEDS - 1))
        spread = theta.std(axis=0, ddof=1)
        for i, p in enumerate(fit["parameters"]):
            with self.subTest(p["variable"]):
                ratio = spread[i] / p["standard_error"]
                reach = (p["upper"] - p["value"]) / p["standard_error"], (p["value"] - p["lower"]) / p["standard_error"]
                student = (theta[:, i] - centre[0, i]) / errors[:, i]
                outside = int((student > reach[0]).sum() + (student < -reach[1]).sum())
                print(f"{p['variable']} = {p['value']:.6g} +- {p['standard_error']:.3g}: {SEEDS} fits are {ratio:.4f} "
                      f"times as far apart (thresholds {low:.4f} and {high:.4f}); {outside} of their intervals miss "
                      f"(threshold {0.05 * SEEDS:.0f} +- {QUANTILE * math.sqrt(0.05 * 0.95 * SEEDS):.0f})")
                self.assertEqual(p["value"], found[i])
                self.assertTrue(is_spread(ratio))
                self.assertTrue(is_confidence(outside))
                # Controls: errors that are off by 3 %, those for sigmas that are known, those of each variable alone,
                # m in place of m - n, and the normal distribution in place of Student's.
                wrong = {"by 3 %": 1.03, "known sigmas": math.sqrt(fit["variance"]),
                         "m for m - n": math.sqrt(2 * STEPS / (2 * STEPS - 2)),
                         "each alone": 1 / math.sqrt(1 - fit["correlation"][0][1] ** 2)}
                for name, factor in wrong.items():
                    self.assertFalse(is_spread(ratio * factor), name)
                self.assertFalse(is_confidence(int((np.abs(student) > 1.959964).sum())))
        z = math.atanh(np.corrcoef(theta.T)[0, 1]) - math.atanh(fit["correlation"][0][1])
        limit = QUANTILE / math.sqrt(SEEDS - 3)  # Fisher 1921
        print(f"correlation {fit['correlation'][0][1]:.4f}: Fisher's z differs by {z:.1e} (threshold {limit:.1e})")
        self.assertLess(abs(z), limit)
        self.assertGreater(abs(math.atanh(fit["correlation"][0][1])), limit)  # the control: 0 differs


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
