#!/usr/bin/env python3
"""test_turning.py PIOLA -- faces that are turned as a rigid body by any angle, and moments on faces: places, courses in
time, equilibrium and pure bending compared with closed forms."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
DEADLINE = 300  # s, for one command
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
BAR = """version: 1
name: bar
method: {type: fem, dimension: %(dimension)d}
time: {%(time)s}
%(constants)s
materials: [{name: soft, model: %(law)s, E: 1 MPa, nu: %(nu)g, density: 1000}]
geometry: [{name: bar, type: box, element: %(element)s, elements: %(count)s, min: %(min)s, max: %(max)s}]
bodies: [{name: one, geometry: bar, material: soft}]
boundary: [{name: root, body: one, on: {group: left}, %(support)s}]
%(loads)s
%(curves)s
%(output)s
"""
PLANE = {"dimension": 2, "element": "quad4", "count": "[6, 2]", "min": "[0, 0]", "max": "[0.3, 0.1]",
         "law": "neo_hookean", "nu": 0.3, "loads": "", "curves": "", "constants": "",
         "output": "output: {states: {fields: reaction}}", "time": "load_steps: 4"}
SPACE = dict(PLANE, dimension=3, element="hex8", count="[3, 1, 1]", min="[0, 0, 0]", max="[0.3, 0.1, 0.08]")


def turned(X, angle, center, axis):
    """The displacement of places X by a rotation, in the form of matrices."""
    k = np.array(axis, float) / np.abs(axis).max()
    k /= np.linalg.norm(k)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    R1 = np.sin(angle) * K + 2 * np.sin(angle / 2) ** 2 * K @ K  # R - 1
    return (X - np.array(center, float)) @ R1.T


class Turning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_scene(self, **parts):
        """Places at rest, and displacements and reactions of all frames."""
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(BAR % parts)
        done = subprocess.run([PIOLA, "run", str(scene), "--device", "cpu", "--threads", "1", "-q", "-o",
                               str(out)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)
        with h5py.File(out / "states.vtkhdf") as file:
            grid = file["VTKHDF"]
            n = int(grid["NumberOfPoints"][0])
            point = grid["PointData"]
            r = point["reaction"][:].reshape(-1, n, 3) if "reaction" in point else None
            return grid["Points"][:n], point["displacement"][:].reshape(-1, n, 3), r

    def below(self, what, measured, limit):
        print(f"  {what}: {measured:.3g} (limit {limit:.3g})")
        self.assertLessEqual(measured, limit, what)

    def test_places_are_those_of_the_rotation(self):
        for angle in (1e-9, 0.5, 3.5, -7.0):
            X, u, _ = self.run_scene(**dict(PLANE, time="load_steps: %d" % max(4, 12 * abs(angle)), support=
                                            "type: rotation, angle: %r rad, center: [-0.02, 0.13]" % angle))
            face = X[:, 0] < 1e-9
            exact = turned(X, angle, (-0.02, 0.13, 0), (0, 0, 1))
            self.below(f"2D, {angle} rad: places", np.abs(u[-1] - exact)[face].max() / abs(exact).max(), 1e-14)
            wrong = turned(X, angle * 1.001, (-0.02, 0.13, 0), (0, 0, 1))
            self.assertGreater(np.abs(u[-1] - wrong)[face].max() / abs(exact).max(), 1e-5)
        for axis in ((1, 2, -0.5), (0, 0, 3), (-1, 0, 0), (1e200, 0, -2e200), (0, 3e-200, 1e-200), (1e308, 1.5e308, 0)):
            text = "type: rotation, angle: 40 deg, center: [-0.02, 0.13, 0.01], axis: [%g, %g, %g]" % axis
            X, u, _ = self.run_scene(**dict(SPACE, support=text))
            face = X[:, 0] < 1e-9
            exact = turned(X, np.pi * 40 / 180, (-0.02, 0.13, 0.01), axis)
            self.below(f"3D about {axis}: places", np.abs(u[-1] - exact)[face].max() / abs(exact).max(), 1e-14)

    def test_the_angle_is_raised_and_not_the_displacement(self):
        X, u, _ = self.run_scene(**dict(PLANE, output="output: {states: {every: 0.25 s}}",
                                        support="type: rotation, angle: 80 deg, center: [0, 0.05]"))
        face = X[:, 0] < 1e-9
        self.assertEqual(len(u), 5)
        for k in range(5):
            exact = turned(X, np.pi * 80 / 180 * k / 4, (0, 0.05, 0), (0, 0, 1))
            self.below(f"after {k} of 4 load steps", np.abs(u[k] - exact)[face].max(), 1e-14)
        self.assertGreater(np.abs(2 * u[2] - u[4])[face].max(), 1e-3)

    def test_courses_in_time(self):
        center = "center: [0.01, 0.04]"
        times = ("load_steps: 4, duration: 40 ms", "integrator: newmark, dt: 2 ms, duration: 40 ms",
                 "integrator: bdf2, dt: 2 ms, duration: 40 ms", "integrator: backward_euler, dt: 2 ms, duration: 40 ms",
                 "integrator: leapfrog, dt: 0.5 ms, duration: 40 ms",
                 "integrator: reversible_leapfrog, dt: 0.5 ms, duration: 40 ms",
                 "integrator: reversible_euler, dt: 2 ms, duration: 40 ms")
        constants = "constants: {A: 0.6 rad, T: 20 ms}"
        angle = "A*min(t/T, 1)"
        arms = "(x - 0.01 m)", "(y - 0.04 m)"
        value = ('"(cos({a}) - 1)*{x} - sin({a})*{y}"', '"sin({a})*{x} + (cos({a}) - 1)*{y}"')
        value = ", ".join(v.format(a=angle, x=arms[0], y=arms[1]) for v in value)
        for time in times:
            ends = []
            for support, more in (
                    (f'type: rotation, angle: "{angle}", {center}', {"constants": constants}),
                    (f"type: rotation, angle: 0.6 rad, {center}, curve: up",
                     {"curves": "curves: [{name: up, time: [0, 20 ms, 1 s], value: [0, 1, 1]}]"}),
                    (f"type: displacement, axes: [x, y], value: [{value}]", {"constants": constants})):
                ends.append(self.run_scene(**dict(PLANE, time=time, output="", support=support, **more))[1][-1])
            for other in ends[1:]:
                self.below(time, np.abs(other - ends[0]).max() / np.abs(ends[0]).max(), 1e-11)

    def test_an_expression_may_be_too_long(self):
        path = DATA / "bad_scenes" / "parts" / "rotation_long.yaml"
        place, said = path.read_text().split("\n")[0].removeprefix("# expect: ").split(": ", 1)
        done = subprocess.run([PIOLA, "validate", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=DEADLINE)
        print(f"  {path.name}: exit {done.returncode} (expected 65), at {place}")
        self.assertEqual(done.returncode, 65, done.stdout)
        self.assertIn(f"{path.name}:{place}: error: {said}", done.stdout)

    def moment_of(self, X, r):
        return np.cross(X, r).sum(0)

    def test_moments_have_no_force_and_their_moment(self):
        fixed = "type: fixed"
        for element in ("quad4", "tri6", "quad8", "quad9", "tri3"):
            X, _, r = self.run_scene(**dict(PLANE, element=element, law="linear", support=fixed, time="load_steps: 1",
                                            loads="loads: [{name: m, body: one, on: {group: right}, type: moment, "
                                                  "value: 3 N.mm}]"))
            self.below(f"{element}: resultant", np.abs(r[-1].sum(0)).max() / np.abs(r[-1]).sum(), 1e-9)
            self.below(f"{element}: moment", abs(self.moment_of(X, r[-1])[2] + 0.003) / 0.003, 1e-8)
        m = np.array((0.004, -0.002, 0.003))
        for element in ("hex8", "tet10", "hex20", "tet4", "hex27"):
            for face in ("right", "top"):
                X, _, r = self.run_scene(**dict(SPACE, element=element, law="linear", support=fixed,
                                                time="load_steps: 1",
                                                loads="loads: [{name: m, body: one, on: {group: %s}, type: moment, "
                                                      "value: [4 N.mm, -2 N.mm, 3 N.mm]}]" % face))
                self.below(f"{element}, {face}: resultant", np.abs(r[-1].sum(0)).max() / np.abs(r[-1]).sum(), 1e-9)
                self.below(f"{element}, {face}: moment",
                           np.abs(self.moment_of(X, r[-1]) + m).max() / np.abs(m).max(), 1e-8)

    def test_pure_bending(self):
        """A moment on the end of a beam without lateral strain: the curvature is M/(E I) everywhere, exactly."""
        L, h, E, M = 0.3, 0.1, 1e6, 0.002
        kappa = M / (E * h ** 3 / 12)
        for element in ("quad8", "quad9", "tri6"):
            X, u, _ = self.run_scene(**dict(PLANE, element=element, law="linear", nu=0, time="load_steps: 1",
                                            support="type: displacement, axes: [x], value: 0}, {name: pin, body: one, "
                                                    "on: {min: [0, 0], max: [0, 0]}, type: fixed, axes: y",
                                            loads="loads: [{name: m, body: one, on: {group: right}, type: moment, "
                                                  "value: %r}]" % M))
            y = X[:, 1] - h / 2
            exact = np.stack([-kappa * X[:, 0] * y, kappa * X[:, 0] ** 2 / 2, 0 * y], 1)
            self.below(f"{element}: displacements of pure bending", np.abs(u[-1] - exact).max() / np.abs(exact).max(),
                       1e-9)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names, Turning) if names else loader.loadTestsFromTestCase(Turning)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
