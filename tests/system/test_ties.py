#!/usr/bin/env python3
"""test_ties.py PIOLA -- bodies whose meshes do not match and are tied: the patch test in the plane and in space, ties
of meshes that match against one mesh, ties of tied nodes, faults, and ties that hold a body."""
import itertools
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
PLANE = """version: 1
name: patch
method: {type: fem, dimension: 2}
time: {load_steps: 1}
solver: {tolerance: 1e-13}
materials: [{name: steel, model: linear, E: 1 MPa, nu: 0.3}]
geometry:
  - {name: low, type: %(shape)s, element: %(low)s, elements: [%(n)d, 2], %(low_box)s}
  - {name: high, type: %(shape)s, element: %(high)s, elements: [%(m)d, 2], %(high_box)s}
bodies:
  - {name: low, geometry: low, material: steel}
  - {name: high, geometry: high, material: steel}
boundary:
  - {name: floor, body: low, on: {group: bottom}, type: fixed, axes: y}
  - {name: pin, body: low, on: {min: [0, 0], max: [0, 0]}, type: fixed, axes: x}
ties: [{name: seam, body: %(body)s, on: {group: %(side)s}, to: %(to)s}]
loads: [{name: pull, body: high, on: {group: top}, type: traction, value: [0, 1 kPa]}]
output: {states: {fields: cauchy_stress, per: point}}
"""
SPACE = """version: 1
name: patch
method: {type: fem, dimension: 3}
time: {load_steps: 1}
solver: {tolerance: 1e-13}
materials: [{name: steel, model: linear, E: 1 MPa, nu: 0.3}]
geometry:
  - {name: low, type: box, element: %(low)s, elements: [2, 2, 3], min: [0, 0, 0], max: [1, 0.5, 1]}
  - {name: high, type: box, element: %(high)s, elements: [3, 1, 2], min: [0, 0.5, 0], max: [1, 1, 1]}
bodies:
  - {name: low, geometry: low, material: steel}
  - {name: high, geometry: high, material: steel}
boundary:
  - {name: floor, body: low, on: {group: bottom}, type: fixed, axes: y}
  - {name: pin, body: low, on: {min: [0, 0, 0], max: [0, 0, 0]}, type: fixed, axes: [x, z]}
  - {name: turn, body: low, on: {min: [1, 0, 0], max: [1, 0, 0]}, type: fixed, axes: z}
ties: [{name: seam, body: %(body)s, on: {group: %(side)s}, to: %(to)s}]
loads: [{name: pull, body: high, on: {group: top}, type: traction, value: [0, 1 kPa, 0]}]
output: {states: {fields: cauchy_stress, per: point}}
"""
WHOLE = """version: 1
name: whole
method: {type: fem, dimension: 2}
time: {%(time)s}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 1 MPa, nu: 0.3, density: 1000%(damping)s}]
geometry: %(geometry)s
bodies: %(bodies)s
boundary: [{name: wall, body: %(first)s, on: {group: left}, type: displacement, value: [0, "1 mm*sin(30*t/(1 s))"]}]
%(ties)s
loads: [{name: push, body: %(last)s, on: {group: right}, type: traction, value: [0, -20 Pa]}]
"""
BOX = "{name: %s, type: box, element: %s, elements: [%d, 2], min: [%g, 0], max: [%g, 0.1]}"


class Ties(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_scene(self, text, code=0):
        """What it says, and where it succeeds, places, displacements and other fields at the end."""
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(text)
        done = subprocess.run([PIOLA, "run", str(scene), "--device", "cpu", "--threads", "1", "-q", "-o", str(out)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              timeout=DEADLINE)
        self.assertEqual(done.returncode, code, done.stdout)
        if code:
            return done.stdout
        with h5py.File(out / "states.vtkhdf") as file:
            grid = file["VTKHDF"]
            n = int(grid["NumberOfPoints"][0])
            stress = grid["FieldData"].get("cauchy_stress_points") if "FieldData" in grid else None
            frames = len(grid["Steps"]["Values"]) if "Steps" in grid else 1
            end = None if stress is None else stress[:].reshape(frames, -1, 9)[-1]
            return grid["Points"][:n], grid["PointData"]["displacement"][-n:], end

    def below(self, what, measured, limit):
        print(f"  {what}: {measured:.3g} (limit {limit:.3g})")
        self.assertLessEqual(measured, limit, what)

    def patch(self, what, text, dimension, limit):
        """Differences from the uniform stress of 1 kPa along y, of stresses and displacements."""
        X, u, stress = self.run_scene(text)
        E, nu, s = 1e6, 0.3, 1e3
        exact = np.zeros((3, 3))
        exact[1, 1] = s
        if dimension == 2:  # plane strain
            exact[2, 2] = nu * s
            x, y = -nu * (1 + nu) * s / E, (1 - nu * nu) * s / E
        else:
            x, y = -nu * s / E, s / E
        ends = X * np.array((x, y, x if dimension == 3 else 0))
        self.below(f"{what}: stress", np.abs(stress - exact.ravel()).max() / s, limit)
        self.below(f"{what}: displacement", np.abs(u - ends).max() / np.abs(ends).max(), limit)

    def test_patch_in_the_plane(self):
        straight = {"shape": "box", "low_box": "min: [0, 0], max: [1, 0.5]", "high_box": "min: [0, 0.5], max: [1, 1]"}
        oblique = {"shape": "quadrilateral", "low_box": "corners: [0, 0, 1, 0, 1, 0.7, 0, 0.4]",
                   "high_box": "corners: [0, 0.4, 1, 0.7, 1, 1, 0, 1]"}
        for low, high, n, m in (("quad4", "quad4", 3, 4), ("quad4", "quad4", 2, 7), ("quad8", "quad4", 2, 5),
                                ("quad9", "quad9", 3, 2), ("tri3", "quad4", 3, 5), ("tri6", "quad8", 2, 3)):
            for name, boxes in (("straight", straight), ("oblique", oblique)):
                for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
                    text = PLANE % dict(boxes, low=low, high=high, n=n, m=m, body=body, side=side, to=to)
                    self.patch(f"{low} {n} below {high} {m}, {name}, {body} follows", text, 2, 1e-10)

    def test_patch_where_supports_have_tied_nodes(self):
        boxes = {"shape": "box", "low_box": "min: [0, 0], max: [1, 0.5]", "high_box": "min: [0, 0.5], max: [1, 1]"}
        pin = "  - {name: pin, body: low, on: {min: [0, 0], max: [0, 0]}, type: fixed, axes: x}\n"
        walls = "".join("  - {name: wall_%s, body: %s, on: {group: left}, type: fixed, axes: x}\n" % (b, b)
                        for b in ("low", "high"))
        for low, high, n, m in (("quad4", "quad4", 3, 4), ("quad9", "quad4", 2, 5), ("quad8", "tri6", 3, 2)):
            for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
                text = PLANE % dict(boxes, low=low, high=high, n=n, m=m, body=body, side=side, to=to)
                self.patch(f"{low} {n} below {high} {m}, walls, {body} follows", text.replace(pin, walls), 2, 1e-10)

    def test_patch_in_space_where_supports_have_tied_nodes(self):
        walls = "".join(f"  - {{name: {b}_{side}, body: {b}, on: {{group: {side}}}, type: fixed, axes: {axis}}}\n"
                        for b in ("low", "high") for side, axis in (("left", "x"), ("front", "z")))
        for low, high in (("hex8", "hex8"), ("tet10", "hex20"), ("hex27", "tet4")):
            for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
                text = SPACE % {"low": low, "high": high, "body": body, "side": side, "to": to}
                lines = [line for line in text.split("\n") if "name: pin" not in line and "name: turn" not in line]
                text = "\n".join(lines).replace("ties: [", walls + "ties: [")
                self.patch(f"{low} below {high}, walls, {body} follows", text, 3, 1e-10)

    def test_patch_between_walls(self):
        """Walls on any sides of meshes with one layer of elements or more, whichever side follows."""
        sides = {"left": ["left"], "right": ["right"], "both": ["left", "right"], "none": []}
        depths = {"front": ["front"], "back": ["back"], "both": ["front", "back"]}
        for low, high, n, m in (("hex8", "hex8", "[3, 2, 1]", "[5, 1, 1]"), ("hex8", "tet4", "[3, 2, 2]", "[4, 1, 3]"),
                                ("tet10", "hex20", "[2, 1, 1]", "[3, 1, 2]")):
            for along, across in itertools.product(sides, depths):
                walls = "".join(f"  - {{name: {b}_{side}, body: {b}, on: {{group: {side}}}, type: fixed, "
                                f"axes: {axis}}}\n"
                                for b in ("low", "high")
                                for group, axis in ((sides[along], "x"), (depths[across], "z")) for side in group)
                for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
                    text = SPACE % {"low": low, "high": high, "body": body, "side": side, "to": to}
                    text = text.replace("[2, 2, 3]", n).replace("[3, 1, 2]", m).replace("ties: [", walls + "ties: [")
                    gone = "name: turn" if along == "none" else ("name: pin", "name: turn")
                    text = "\n".join(line for line in text.split("\n") if not any(
                        word in line for word in ([gone] if along == "none" else gone)))
                    if along == "none":
                        text = text.replace("axes: [x, z]", "axes: x").replace("max: [0, 0, 0]}", "max: [0, 0, 1]}")
                    self.walls(f"{low} {n} below {high} {m}, walls {along} and {across}, {body} follows", text, along,
                               across)

    def test_one_edge_between_walls(self):
        """The nodes of one tied edge, both at walls, have none beside them; the other side may follow it."""
        boxes = {"shape": "box", "low_box": "min: [0, 0], max: [1, 0.5]", "high_box": "min: [0, 0.5], max: [1, 1]"}
        pin = "  - {name: pin, body: low, on: {min: [0, 0], max: [0, 0]}, type: fixed, axes: x}\n"
        walls = "".join("  - {name: %s_%s, body: %s, on: {group: %s}, type: fixed, axes: x}\n" % (b, s, b, s)
                        for b in ("low", "high") for s in ("left", "right"))
        for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
            text = PLANE % dict(boxes, low="quad4", high="quad4", n=3, m=1, body=body, side=side, to=to)
            text = text.replace(pin, walls)
            if body == "high":
                self.assertIn("no node beside it is left", self.run_scene(text, 65))
            else:
                _, _, stress = self.run_scene(text)
                self.below("three edges follow one", np.abs(stress[:, 4] - 1e3).max() / 1e3, 1e-10)

    def walls(self, what, text, along, across):
        """Differences from the uniform stress of 1 kPa along y between walls that hold x, z or both."""
        _, _, stress = self.run_scene(text)
        nu, s = 0.3, 1e3
        x, z = along == "both", across == "both"
        side = nu / (1 - nu) * s if x and z else nu * s
        exact = np.diag([side if x else 0, s, side if z else 0])
        self.below(f"{what}: stress", np.abs(stress - exact.ravel()).max() / s, 1e-10)

    def test_patch_in_space(self):
        for low, high in (("hex8", "hex8"), ("tet4", "hex8"), ("hex20", "hex27"), ("hex27", "tet4"),
                          ("tet10", "hex8"), ("tet10", "hex20")):
            for body, side, to in (("high", "bottom", "low"), ("low", "top", "high")):
                text = SPACE % {"low": low, "high": high, "body": body, "side": side, "to": to}
                self.patch(f"{low} below {high}, {body} follows", text, 3, 1e-10)

    def ends(self, element, time, damping=""):
        """The end of a bar of one mesh, and of two that match and are tied."""
        whole = WHOLE % {"time": time, "damping": damping, "geometry": "[" + BOX % ("a", element, 6, 0, 0.6) + "]",
                         "bodies": "[{name: a, geometry: a, material: soft}]", "first": "a", "last": "a", "ties": ""}
        two = WHOLE % {"time": time, "damping": damping, "first": "a", "last": "b",
                       "geometry": "[%s, %s]" % (BOX % ("a", element, 3, 0, 0.3), BOX % ("b", element, 3, 0.3, 0.6)),
                       "bodies": "[{name: a, geometry: a, material: soft}, {name: b, geometry: b, material: soft}]",
                       "ties": "ties: [{name: seam, body: b, on: {group: left}, to: a}]"}
        X, u, _ = self.run_scene(whole)
        Y, v, _ = self.run_scene(two)
        at = [int(np.argmin(np.abs(X - y).sum(1))) for y in Y]
        return np.abs(u[at] - v).max() / np.abs(u).max()

    def test_meshes_that_match(self):
        for element in ("quad4", "tri3", "quad8", "quad9", "tri6"):
            self.below(f"{element}: static", self.ends(element, "load_steps: 2"), 1e-9)
        for time in ("integrator: newmark", "integrator: bdf2", "integrator: backward_euler"):
            self.below(time, self.ends("quad4", time + ", dt: 5 ms, duration: 100 ms",
                                       ", mass_damping: 2 1/s, stiffness_damping: 1 ms"), 1e-8)

    def test_faults_have_their_places(self):
        for path in sorted((DATA / "bad_scenes" / "parts").glob("tie_*.yaml")):
            place, said = path.read_text().split("\n")[0].removeprefix("# expect: ").split(": ", 1)
            done = subprocess.run([PIOLA, "validate", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=DEADLINE)
            print(f"  {path.name}: exit {done.returncode} (expected 65), at {place}")
            self.assertEqual(done.returncode, 65, done.stdout)
            self.assertIn(f"{path.name}:{place}: error: {said}", done.stdout)

    def test_nodes_that_follow_tied_nodes(self):
        """Three bodies in a row: the third follows nodes of the second, of which some follow the first."""
        text = PLANE % {"shape": "box", "low_box": "min: [0, 0], max: [1, 0.5]", "low": "quad4", "high": "quad4",
                        "high_box": "min: [0, 0.5], max: [1, 1]", "n": 3, "m": 4, "body": "high", "side": "bottom",
                        "to": "low"}
        text = text.replace("bodies:\n",
                            "  - {name: side, type: box, element: quad4, elements: [2, 3], min: [1, 0], max: [1.5, 1]}"
                            "\nbodies:\n  - {name: side, geometry: side, material: steel}\n")
        text = text.replace("boundary:\n", "boundary:\n  - {name: more, body: side, on: {group: bottom}, type: fixed, "
                                            "axes: y}\n")
        text = text.replace("ties: [",
                            "ties: [{name: beside, body: side, on: {min: [1, 0.5], max: [1, 1]}, to: high}, ")
        text = text.replace("elements: [2, 3]", "elements: [2, 4]").replace(
            "loads: [", "loads: [{name: lift, body: side, on: {group: top}, type: traction, value: [0, 1 kPa]}, ")
        self.patch("a body beside two", text, 2, 1e-10)

    def test_a_body_that_only_a_tie_holds(self):
        """Without the tie the upper body is free; a tie to one face of two points leaves nothing free."""
        text = PLANE % {"shape": "box", "low_box": "min: [0, 0], max: [1, 0.5]", "low": "quad4", "high": "quad4",
                        "high_box": "min: [0, 0.5], max: [1, 1]", "n": 2, "m": 3, "body": "high", "side": "bottom",
                        "to": "low"}
        free = "\n".join(line for line in text.split("\n") if not line.startswith("ties:"))
        said = self.run_scene(free, 65)
        self.assertIn("is unconstrained", said)
        self.run_scene(text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names, Ties) if names else loader.loadTestsFromTestCase(Ties)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
