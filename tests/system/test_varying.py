#!/usr/bin/env python3
"""test_varying.py PIOLA -- values that vary in space and time, from scenes alone: a manufactured solution converges at
the rate of theory, water on the face of a dam has the force and the moment of a textbook, a course in time is the same
as an expression and as a curve, and gradients pass `piola check` with every integrator."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
DEADLINE = 300  # s, for one command
GOOD = pathlib.Path(__file__).resolve().parent.parent / "data" / "good_scenes"
# u = A (sin kx cos ky, cos kx sin ky): -div sigma = 2 k^2 (lambda + 2 mu) u, sigma_xx = sigma_yy = 2 A k (lambda + mu)
# cos kx cos ky, sigma_xy = -2 A k mu sin kx sin ky
E, NU, A, K = 1e6, 0.3, 1e-3, 2.5
MU, LAMBDA = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
MADE = """version: 1
name: made
method: {type: fem, dimension: 2}
time: {load_steps: 1}
constants: {A: 1 mm, k: 2.5 1/m, mu: %(mu).17g Pa, lambda: %(lambda).17g Pa}
materials: [{name: soft, model: linear, E: 1 MPa, nu: 0.3}]
geometry: [{name: square, type: box, element: %(element)s, elements: [%(n)d, %(n)d], min: [0, 0], max: [1, 1]}]
bodies: [{name: one, geometry: square, material: soft}]
boundary:
  - {name: left, body: one, on: {min: [0, 0], max: [0, 1]}, type: displacement,
     value: [A*sin(k*x)*cos(k*y), A*cos(k*x)*sin(k*y)]}
loads:
  - {name: inside, body: one, type: body_force,
     value: [2*k^2*(lambda + 2*mu)*A*sin(k*x)*cos(k*y), 2*k^2*(lambda + 2*mu)*A*cos(k*x)*sin(k*y)]}
  - {name: right, body: one, on: {group: right}, type: traction,
     value: [2*A*k*(lambda + mu)*cos(k*x)*cos(k*y), -2*A*k*mu*sin(k*x)*sin(k*y)]}
  - {name: top, body: one, on: {group: top}, type: traction,
     value: [-2*A*k*mu*sin(k*x)*sin(k*y), 2*A*k*(lambda + mu)*cos(k*x)*cos(k*y)]}
  - {name: bottom, body: one, on: {group: bottom}, type: traction,
     value: [2*A*k*mu*sin(k*x)*sin(k*y), -2*A*k*(lambda + mu)*cos(k*x)*cos(k*y)]}
"""
DAM = """version: 1
name: dam
method: {type: fem, dimension: 2}
time: {load_steps: 1}
constants: {rho: 1000 kg/m3, g: 9.81 m/s2, H: 2 m}
materials: [{name: concrete, model: linear, E: 30 GPa, nu: 0.2}]
geometry:
  - {name: wall, type: quadrilateral, element: %s, elements: [3, 5], corners: [0, 0, 3, 0, 1.5, 2, 0.5, 2]}
bodies: [{name: dam, geometry: wall, material: concrete}]
boundary: [{name: rock, body: dam, on: {group: bottom}, type: fixed}]
loads: [{name: water, body: dam, on: {group: left}, type: pressure, value: rho*g*(H - y)}]
output: {states: {fields: reaction}}
"""
COURSE = """version: 1
name: course
method: {type: fem, dimension: 2}
time: {%(time)s, duration: 40 ms}
constants: {P: 2 kPa, T: 20 ms, a: 1 mm}
materials: [{name: soft, model: neo_hookean, E: 100 kPa, nu: 0.3, density: 1000}]
geometry: [{name: bar, type: box, element: quad4, elements: [6, 2], min: [0, 0], max: [0.3, 0.1]}]
bodies: [{name: one, geometry: bar, material: soft}]
boundary: [{name: wall, body: one, on: {group: left}, type: displacement, axes: [x, y], value: %(value)s}]
loads: [{name: push, body: one, on: {group: top}, type: %(type)s, value: %(load)s}]
%(curves)s
"""


class Varying(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, name, scene, *words):
        shutil.rmtree(self.root / "out", ignore_errors=True)
        return subprocess.run([PIOLA, name, str(scene), "--device", "cpu", "--threads", "1", "-q", "-o",
                               str(self.root / "out"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)

    def end(self, text, field="displacement"):
        """Positions at rest and a nodal field at the end of a scene."""
        scene = self.root / "scene.yaml"
        scene.write_text(text)
        done = self.piola("run", scene)
        self.assertEqual(done.returncode, 0, done.stdout)
        with h5py.File(self.root / "out" / "states.vtkhdf") as file:
            grid = file["VTKHDF"]
            n = int(grid["NumberOfPoints"][0])
            u = grid["PointData"]["displacement"][-n:, :2]
            return grid["Points"][:n, :2], u, grid["PointData"][field][-n:, :2]

    def below(self, what, measured, limit):
        print(f"  {what}: {measured:.3g} (limit {limit:.3g})")
        self.assertLessEqual(measured, limit, what)

    def same(self, what, u, v):
        self.below(f"{what}: difference of displacements", np.abs(u - v).max() / np.abs(v).max(), 1e-12)

    def made(self, element, n, change=lambda text: text):
        X, u, _ = self.end(change(MADE % {"mu": MU, "lambda": LAMBDA, "element": element, "n": n}))
        exact = A * np.stack([np.sin(K * X[:, 0]) * np.cos(K * X[:, 1]), np.cos(K * X[:, 0]) * np.sin(K * X[:, 1])], 1)
        return np.sqrt(np.mean((u - exact) ** 2)) / A

    def test_a_manufactured_solution_converges(self):
        for element, rate, counts in (("quad4", 2, (8, 16)), ("tri3", 2, (8, 16)), ("quad9", 3, (4, 8)),
                                      ("tri6", 3, (4, 8))):
            coarse, fine = (self.made(element, n) for n in counts)
            got = np.log2(coarse / fine)
            print(f"  {element}: errors {coarse:.3g} and {fine:.3g}, rate {got:.2f} (at least {rate - 0.1})")
            self.assertGreaterEqual(got, rate - 0.1)
        wrong = self.made("quad9", 8, lambda text: text.replace("lambda + 2*mu)*A*sin", "lambda + 2.02*mu)*A*sin"))
        print(f"  quad9 with a body force that is wrong by 1 %: error {wrong:.3g} (above {10 * fine:.3g})")
        self.assertGreater(wrong, 10 * fine)

    def test_water_on_a_dam(self):
        weight, s = 1000 * 9.81, 0.25  # N/m^3; the face is x = s y
        for element in ("quad4", "tri6", "quad8"):
            X, _, r = self.end(DAM % element, "reaction")
            force = r.sum(0)
            moment = (X[:, 0] * r[:, 1] - X[:, 1] * r[:, 0]).sum()
            self.below(f"{element}: horizontal force", abs(force[0] / (-weight * 2) - 1), 1e-9)
            self.below(f"{element}: vertical force", abs(force[1] / (weight * 2 * s) - 1), 1e-9)
            self.below(f"{element}: moment", abs(moment / ((1 + s * s) * weight * 8 / 6) - 1), 1e-9)

    def both(self, time, kind):
        vector = "[%s, 0]" if kind in ("traction", "point_force", "body_force") else "%s"
        unit = {"point_force": "*1 m^2", "body_force": "/(1 m)"}.get(kind, "")
        number = {"point_force": "2 kN", "body_force": "2 kN/m3"}.get(kind, "2 kPa")
        curves = "curves: [{name: up, time: [0, 20 ms, 1 s], value: [0, 1, 1]}]"
        written = COURSE % {"time": time, "type": kind, "curves": "", "value": '"a*min(t/T, 1)"',
                            "load": vector % f'"P*min(t/T, 1){unit}"'}
        named = COURSE % {"time": time, "type": kind, "curves": curves, "value": "1 mm, curve: up",
                          "load": vector % number + ", curve: up"}
        if kind == "point_force":
            written, named = (text.replace("on: {group: top}, type: point", "on: {group: right}, type: point")
                              for text in (written, named))
        if kind == "body_force":
            written, named = (text.replace("on: {group: top}, type: body", "type: body") for text in (written, named))
        named = named.replace("constants: {P: 2 kPa, T: 20 ms, a: 1 mm}\n", "")
        return self.end(written)[1], self.end(named)[1]

    def test_a_course_is_the_same_as_a_curve(self):
        times = ("load_steps: 4", "integrator: newmark, dt: 2 ms", "integrator: bdf2, dt: 2 ms",
                 "integrator: backward_euler, dt: 2 ms", "integrator: leapfrog, dt: 0.5 ms",
                 "integrator: reversible_leapfrog, dt: 0.5 ms", "integrator: reversible_euler, dt: 2 ms")
        for time in times:
            written, named = self.both(time, "traction")
            self.same(time, written, named)
        for kind in ("pressure", "follower_pressure", "body_force", "point_force"):
            written, named = self.both("integrator: newmark, dt: 2 ms", kind)
            self.same(kind, written, named)

    def test_a_static_load_with_the_time_has_no_ramp(self):
        text = COURSE % {"time": "load_steps: 4", "type": "traction", "curves": "", "value": "a*x/(1 m)",
                         "load": "[P*t/(40 ms), 0]"}
        plain = COURSE % {"time": "load_steps: 4", "type": "traction", "curves": "", "value": "0 mm",
                          "load": "[2 kPa, 0]"}
        text = text.replace(", T: 20 ms", "")
        plain = plain.replace("constants: {P: 2 kPa, T: 20 ms, a: 1 mm}\n", "")
        written, named = self.end(text)[1], self.end(plain)[1]
        self.same("a static load with the time", written, named)

    def bar(self, load, modulus, tables=""):
        """The end of a bar with a traction and a modulus; its constants and tables."""
        text = COURSE % {"time": "load_steps: 1", "type": "traction", "curves": tables, "value": "0 mm", "load": load}
        text = text.replace("constants: {P: 2 kPa, T: 20 ms, a: 1 mm}\n", "").replace("E: 100 kPa", "E: " + modulus)
        return self.end(text)[1]

    def test_a_table_is_its_function(self):
        plane = [(x, y, 1 + 20 * x - 3 * y + 40 * x * y) for y in (0.1, 0) for x in (0.3, 0, 0.07)]
        (self.root / "grid.csv").write_text("y,p,x\n" + "".join(f"{y!r},{p!r},{x!r}\n" for x, y, p in plane))
        (self.root / "two.csv").write_text("x,E\n0.25,60\n0.05,140\n")
        tables = ("tables: [{name: push, file: grid.csv, column: p, unit: kPa, interpolation: linear},\n"
                  "         {name: firm, file: two.csv, column: E, unit: kPa, interpolation: nearest}]\n")
        read = self.bar("[push, 0]", "firm", tables)
        load = '["1 kPa*(1 + 20*x/(1 m) - 3*y/(1 m) + 40*x*y/(1 m^2))", 0]'
        self.same("tables and expressions", read, self.bar(load, '"if(x < 0.15 m, 140 kPa, 60 kPa)"'))
        other = self.bar(load, '"140 kPa - 400 kPa/(1 m)*(x - 0.05 m)"')
        print(f"  linear between two points: {np.abs(read - other).max() / np.abs(read).max():.3g} (above 1e-3)")
        self.assertGreater(np.abs(read - other).max(), 1e-3 * np.abs(read).max())

    def test_what_is_not_finite_is_reported(self):
        scene = self.root / "scene.yaml"
        early = r"scene.yaml:\d+:\d+: error: loads\[0\].value\[0\]: at \(0.189434, 0.1\) the expression is not a number"
        late = "step 1: the value of loads.0. is not finite somewhere"  # no end of the first, middle and last step
        for value, code, words in (("P*sqrt((0.15 m - x)/(1 m))", 65, early),
                                   ("P*sqrt(abs(0.15 m - x)/(1 m))", 0, ""),
                                   ("P*sqrt(abs(t - 16 ms)/(1 ms) - 1)", 76, late),
                                   ("P*sqrt(abs(t - 16 ms)/(1 ms) + 1)", 0, "")):
            text = COURSE % {"time": "load_steps: 5", "type": "traction", "curves": "", "value": "0 mm",
                             "load": f"[{value}, 0]"}
            scene.write_text(text.replace(", T: 20 ms, a: 1 mm", ""))
            done = self.piola("run", scene)
            print(f"  {value}: exit {done.returncode} (expected {code})")
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertRegex(done.stdout, words or "^$")

    def check(self, scene, *sets):
        words = [word for text in sets for word in ("--set", text)]
        done = self.piola("check", scene, *words)
        print(f"  check {pathlib.Path(scene).name} {' '.join(sets)}: exit {done.returncode} (threshold 0)")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_gradients_of_every_integrator(self):
        self.check(GOOD / "varying_2d.yaml")
        self.check(GOOD / "varying_3d.yaml")
        self.check(GOOD / "varying_motion.yaml")
        for integrator in ("bdf2", "backward_euler", "reversible_euler"):
            self.check(GOOD / "varying_motion.yaml", f"time.integrator={integrator}")
        for integrator in ("leapfrog", "reversible_leapfrog"):
            self.check(GOOD / "varying_motion.yaml", f"time.integrator={integrator}", "time.dt=0.5 ms")

    def test_gradients_by_rest_positions(self):
        shutil.copytree(GOOD / "parts", self.root / "parts")
        for scene in ("varying_2d", "varying_motion"):
            text = (GOOD / f"{scene}.yaml").read_text()
            head, rest = text.split("\ndesign:\n")
            shape = "\ndesign:\n  - {name: shape, target: bodies.one.rest_position, per: node}\nobjective:\n"
            path = self.root / f"{scene}_shape.yaml"
            path.write_text(head + shape + rest.split("\nobjective:\n")[1])
            self.check(path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names, Varying) if names else loader.loadTestsFromTestCase(Varying)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
