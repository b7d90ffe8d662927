#!/usr/bin/env python3
"""test_gradient_volumes.py PIOLA -- fields of `piola grad` over the volumes of elements: times the volumes they are the
derivative, on a finer mesh they are the same field, and render and export know them."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
DEADLINE = 300  # s, for one command
E, DEPTH = 40e3, 0.3  # Pa, m
SCENE = """version: 1
name: per_volume
method: {type: fem, dimension: 2}
solver: {tolerance: 1e-13, adjoint_tolerance: 1e-12}
materials: [{name: m, model: neo_hookean, E: %r, nu: 0.3}]
geometry: [{name: strip, type: box, element: quad9, elements: %r, min: [0, 0], max: [1, 0.5]}]
bodies: [{name: b, geometry: strip, material: m, thickness: %r}]
boundary: [{name: root, body: b, on: {group: left}, type: fixed}]
loads: [{name: push, body: b, on: {group: right}, type: force, value: [0, 30 N]}]
observe: [{name: end, type: displacement, body: b, point: [1, 0.25]}]
objective: [{type: minimize, of: end.y}]
gradient: {}
output: {gradient: {per: [%s]}}
"""
# A cylinder with half a ball taken out of its lower end: elements with curved sides.
RING = """version: 1
name: rings
method: {type: fem, dimension: 2, plane: axisymmetric}
materials: [{name: m, model: neo_hookean, E: 40 kPa, nu: 0.3}]
geometry: [{name: hollow, type: plate, element: %s, elements: [4, 6], radius: 0.4, size: 1}]
bodies: [{name: b, geometry: hollow, material: m}]
boundary:
  - {name: foot, body: b, on: {min: [0, 0], max: [1, 0]}, type: fixed, axes: [y]}
  - {name: axis, body: b, on: {min: [0, 0], max: [0, 1]}, type: fixed, axes: [x]}
loads: [{name: push, body: b, on: {min: [1, 0], max: [1, 1]}, type: pressure, value: 900 Pa}]
observe: [{name: end, type: displacement, body: b, point: [1, 0.25]}, {name: all, type: volume, body: b}]
objective: [{type: minimize, of: end.x}, {type: minimize, of: all, weight: 1e-9}]
gradient: {}
output: {gradient: {per: [element, volume]}}
"""


class Volumes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def piola(self, *arguments):
        done = subprocess.run([PIOLA, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)

    def evaluate(self, command, modulus, cells, per):
        """The objective; the file of states is self.states then."""
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(SCENE % (modulus, cells, DEPTH, per))
        self.piola(command, scene, "--device", "cpu", "-q", "-o", out)
        self.states = out / "states.vtkhdf"
        return json.loads((out / "result.json").read_text())["objective"]

    def fields(self, cells, per):
        self.evaluate("grad", E, cells, per)
        with h5py.File(self.states) as file:
            cell = file["VTKHDF/CellData"]
            return {key: np.array(cell[key]) for key in cell if key.startswith("grad_")}

    def test_volumes_times_the_field_are_the_derivative(self):
        means = []
        for cells in [4, 2], [8, 4]:
            field = self.fields(cells, "element, volume")
            volume = DEPTH * 0.5 / (cells[0] * cells[1])
            off = np.abs(field["grad_E_per_volume"] * volume / field["grad_E"] - 1).max()
            print(f"{cells}: field over volumes, times the volume, over grad_E, less 1: {off:.1e} (threshold 1e-12)")
            self.assertLess(off, 1e-12)
            h = 3e-5 * E
            above, below = (self.evaluate("run", E + side * h, cells, "volume") for side in (1, -1))
            truth = (above - below) / (2 * h)
            off = abs(field["grad_E_per_volume"].sum() * volume / truth - 1)
            print(f"{cells}: sum of volumes times the field over differences, less 1: {off:.1e} (threshold 1e-6)")
            self.assertLess(off, 1e-6)
            means.append((field["grad_E_per_volume"].mean(), field["grad_E"].mean()))
        change, other = abs(means[1][0] / means[0][0] - 1), means[1][1] / means[0][1]
        print(f"four times as many elements: the mean over volumes changes by {change:.3f} (threshold 0.1), that of "
              f"elements is {other:.3f} of before (threshold 0.3)")
        self.assertLess(change, 0.1)
        self.assertLess(other, 0.3)

    def test_volumes_of_rings_are_those_that_they_sweep(self):
        exact = np.pi * (1 - 2 / 3 * 0.4**3)
        for element, limit in (("quad4", 1e-2), ("tri3", 1e-2), ("quad8", 1e-4), ("quad9", 1e-4), ("tri6", 1e-4)):
            scene, out = self.root / "ring.yaml", self.root / "ring"
            scene.write_text(RING % element)
            self.piola("grad", scene, "--device", "cpu", "-q", "-o", out)
            with h5py.File(out / "states.vtkhdf") as file:
                cell = file["VTKHDF/CellData"]
                total = (np.array(cell["grad_E"]) / np.array(cell["grad_E_per_volume"])).sum()
                self.assertNotIn("grad_thickness", cell)
            observed = json.loads((out / "result.json").read_text())["observations"]["all"]["value"][0][0]
            print(f"{element}: volumes of rings over that observed, less 1: {abs(total / observed - 1):.1e} (threshold "
                  f"1e-12); over that of the body, {abs(total / exact - 1):.1e} (threshold {limit:g})")
            self.assertLess(abs(total / observed - 1), 1e-12)
            self.assertLess(abs(total / exact - 1), limit)

    def test_they_can_be_alone_and_other_commands_know_them(self):
        field = self.fields([4, 2], "volume")
        self.assertNotIn("grad_E", field)
        self.assertIn("grad_rest_position", self.points())
        with h5py.File(self.states) as file:
            self.assertEqual(file["VTKHDF/CellData/grad_E_per_volume"].attrs["units"], b"1/Pa/m3")
        picture, table = self.root / "field.png", self.root / "field.csv"
        self.piola("render", self.states, "--field", "grad_E_per_volume", "-o", picture)
        self.assertGreater(picture.stat().st_size, 0)
        self.piola("export", self.states, "--to", "csv", "-o", table)
        self.assertTrue(any("grad_E_per_volume" in text.read_text() for text in self.root.glob("field*.csv")))

    def points(self):
        with h5py.File(self.states) as file:
            return list(file["VTKHDF/PointData"])


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main()
