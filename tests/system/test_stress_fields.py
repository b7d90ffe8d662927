#!/usr/bin/env python3
"""test_stress_fields.py PIOLA -- fields of stress and strain in snapshots of meshes, from the scene to the pictures.

What the file holds is compared with itself: von Mises' stress with Cauchy's, means of elements with their integration
points, means around nodes with their elements, reactions with the loads of the scene. Then `piola render` and `piola
export` get the same fields, and the plan its bytes.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

PIOLA = ""
DEADLINE = 300  # s, for one command
FIELDS = ("cauchy_stress", "von_mises", "green_strain", "J", "energy_density")
SCENE = """version: 1
name: plate
method: {type: fem, dimension: %(dimension)d, precision: f64}
time: {load_steps: 2}
materials: [{name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.3}, {name: steel, model: %(law)s, E: 5 MPa, nu: 0.2}]
geometry: [{name: block, type: box, element: %(element)s, elements: %(elements)s, min: %(min)s, max: %(max)s}]
bodies:
  - {name: one, geometry: block, material: rubber, regions: [{on: {min: %(min)s, max: %(middle)s}, material: steel}]}
boundary: [{name: grip, body: one, on: {group: left}, type: fixed}]
loads: [{name: pull, body: one, on: {group: right}, type: traction, value: %(traction)s}]
output: {states: {fields: [%(fields)s, reaction], per: %(per)s}}
"""
PLANE = {"dimension": 2, "law": "hencky", "element": "quad9", "elements": "[8, 4]", "min": "[0, 0]", "max": "[2, 1]",
         "middle": "[1, 1]", "traction": "[60 kPa, 30 kPa]"}
SPACE = {"dimension": 3, "law": "mooney_rivlin, c10: 1 MPa, c01: 0.1 MPa, bulk: 5 MPa", "element": "hex8",
         "elements": "[6, 3, 3]", "min": "[0, 0, 0]", "max": "[2, 1, 1]", "middle": "[1, 1, 1]",
         "traction": "[60 kPa, 30 kPa, 10 kPa]"}
FORCE = {2: (60e3, 30e3), 3: (60e3, 30e3, 10e3)}  # N, of the traction on 1 m x 1 m


def run(*words):
    return subprocess.run([PIOLA, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=DEADLINE)


class Stress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def scene(self, kind, per="[element, node, point]", fields=", ".join(FIELDS)):
        text = SCENE % {**kind, "per": per, "fields": fields}
        if "c10" in kind["law"]:
            text = text.replace("bulk: 5 MPa, E: 5 MPa, nu: 0.2", "bulk: 5 MPa")
        path = self.root / "scene.yaml"
        path.write_text(text)
        return path

    def states(self, scene, name, *more):
        done = run("run", scene, "--device", "cpu", "-q", "-o", self.root / name, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.root / name / "states.vtkhdf"

    def below(self, what, measured, limit):
        print(f"  {what}: {measured:.3g} (limit {limit:.3g})")
        self.assertLessEqual(measured, limit, what)

    def compare(self, kind):
        with h5py.File(self.states(self.scene(kind), "run", "--threads", "2")) as file:
            grid = file["VTKHDF"]
            frames = int(grid["Steps"].attrs["NSteps"])
            point, cell, inside = grid["PointData"], grid["CellData"], grid["FieldData"]
            volume, element = inside["volume_points"][:], inside["element_points"][:]
            cells, nodes = len(grid["Types"]), int(grid["NumberOfPoints"][0])
            ends, connectivity = grid["Offsets"][:], grid["Connectivity"][:]
            self.below("volumes of integration points, less that of the body", abs(volume.sum() / 2 - 1), 1e-13)
            self.assertTrue(np.all(np.diff(element) >= 0) and element[0] == 0 and element[-1] == cells - 1)
            rest, corner = inside["rest_position_points"][:], grid["Points"][:]
            middle = np.array([rest[element == e].mean(0) for e in range(cells)])
            wanted = np.array([corner[connectivity[a:b]].mean(0) for a, b in zip(ends, ends[1:])])
            self.below("middles of integration points - those of elements, m", np.abs(middle - wanted).max(), 1e-13)
            weight = np.bincount(element, volume)
            whole = [group[name][:].reshape(frames, rows, -1)[-1] for group, rows, ending in
                     ((cell, cells, ""), (point, nodes, "_nodal"), (inside, len(volume), "_points"))
                     for name in (field + ending for field in FIELDS)]
            of_cells, of_nodes, of_points = whole[:5], whole[5:10], whole[10:]
            stress = of_points[0].reshape(-1, 3, 3)
            deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] * np.eye(3) / 3
            mises = np.sqrt(1.5 * (deviator ** 2).sum((1, 2)))
            size = mises.max()
            self.below("von Mises' stress - that of Cauchy's", np.abs(of_points[1][:, 0] - mises).max() / size, 1e-13)
            self.assertGreater(np.abs(of_points[1][:, 0] * (1 + 1e-6) - mises).max() / size, 1e-7)  # control
            C = 2 * of_points[2].reshape(-1, 3, 3) + np.eye(3)
            self.below("J^2 - det(2 E + 1)", np.abs(of_points[3][:, 0] ** 2 - np.linalg.det(C)).max(), 1e-13)
            self.assertEqual(np.abs(stress - stress.transpose(0, 2, 1)).max(), 0)
            if kind["dimension"] == 2:
                self.assertGreater(np.abs(stress[:, 2, 2]).max(), 0.1 * size)  # plane strain
            for name, mean, around, at in zip(FIELDS, of_cells, of_nodes, of_points):
                sums = np.stack([np.bincount(element, volume * column) for column in at.T], 1) / weight[:, None]
                largest = np.abs(mean).max()
                self.below(f"{name} of elements - that of points", np.abs(sums - mean).max() / largest, 1e-13)
                total, V = np.zeros_like(around), np.zeros(nodes)
                for e, (a, b) in enumerate(zip(ends, ends[1:])):
                    total[connectivity[a:b]] += weight[e] * mean[e]
                    V[connectivity[a:b]] += weight[e]
                self.below(f"{name} of nodes - that of elements", np.abs(total / V[:, None] - around).max() / largest,
                           1e-13)
            reaction = point["reaction"][:].reshape(frames, nodes, -1)[-1]
            held = corner[:, 0] == 0
            force = np.array(FORCE[kind["dimension"]])
            self.assertEqual(np.abs(reaction[~held]).max(), 0)
            self.below("sum of reactions + load, of the load",
                       np.abs(reaction.sum(0)[:len(force)] + force).max() / force.max(), 1e-9)
            self.assertEqual(np.abs(point["reaction"][:nodes]).max(), 0)  # the first frame is at rest
            self.assertEqual(np.abs(cell["von_mises"][:cells]).max(), 0)

    def test_plane_strain(self):
        self.compare(PLANE)

    def test_space(self):
        self.compare(SPACE)

    def test_equal_bits_for_any_number_of_threads(self):
        scene, found = self.scene(PLANE), []
        for threads in (1, 2, 3):
            with h5py.File(self.states(scene, f"threads{threads}", "--threads", threads)) as file:
                found.append({f"{group}/{name}": data[:].tobytes() for group in ("PointData", "CellData", "FieldData")
                              for name, data in file["VTKHDF"][group].items()})
        self.assertEqual(len(found[0]), 5 + 5 + 5 + 3 + 3 + 2)
        self.assertTrue(found[0] == found[1] == found[2])

    def test_pictures(self):
        states, pictures = self.states(self.scene(PLANE, "[element, node]"), "both"), {}
        for name in ("von_mises", "von_mises_nodal", "J", "cauchy_stress.xx", "cauchy_stress.zz", "green_strain.xy",
                     "cauchy_stress", "reaction.x"):
            out = self.root / f"{name}.png"
            done = run("render", states, "--field", name, "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            pictures[name] = out.read_bytes()
        self.assertEqual(len(set(pictures.values())), len(pictures))
        nodal = self.states(self.scene(PLANE, "node"), "nodal")  # the same name, where there is no field of elements
        for name in ("von_mises", "cauchy_stress.zz"):
            done = run("render", nodal, "--field", name, "-o", self.root / "nodal.png")
            self.assertEqual(done.returncode, 0, done.stderr)
        points = self.states(self.scene(PLANE, "point"), "points")
        for name in ("von_mises_points", "von_mises"):
            done = run("render", points, "--field", name, "-o", self.root / "no.png")
            self.assertEqual(done.returncode, 2)
            self.assertIn("'von_mises_points' lies at integration points", done.stderr)
        done = run("render", points, "--field", "stress", "-o", self.root / "no.png")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no field 'stress'; there are: displacement, internal_force", done.stderr)
        self.assertNotIn("_points", done.stderr)  # which no picture shows
        done = run("render", states, "--field", "cauchy_stress.xw", "-o", self.root / "no.png")
        self.assertEqual(done.returncode, 2)

    def test_exports(self):
        states = self.states(self.scene(SPACE), "run")
        out = self.root / "last.vtu"
        self.assertEqual(run("export", states, "--to", "vtu", "-o", out).returncode, 0)
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(out))
        reader.Update()
        grid = reader.GetOutput()
        with h5py.File(states) as file:
            for group, data in (("PointData", grid.GetPointData()), ("CellData", grid.GetCellData()),
                                ("FieldData", grid.GetFieldData())):
                for name, whole in file["VTKHDF"][group].items():
                    got = vtk_to_numpy(data.GetArray(name))
                    self.assertTrue(np.array_equal(got, whole[-len(got):]), name)

    def test_plan(self):
        """The plan names bytes of memory that grow with the places, and about those of the file."""
        memory, foreseen, taken = [], [], []
        for per in ("element", "[element, node]", "[element, node, point]"):
            scene = self.scene({**PLANE, "elements": "[40, 20]"}, per)
            done = run("run", scene, "--device", "cpu", "--dry-run")
            memory.append(int(re.search(r"\((\d+) bytes\) of cpu memory in all", done.stderr)[1]))
            foreseen.append(float(re.search(r"states.vtkhdf takes about .* \((\d+) bytes\) of disk: 3 frames",
                                        done.stderr)[1]))
            taken.append(os.path.getsize(self.states(scene, "run")))
        print(f"  memory {memory}, files foreseen {foreseen}, and taken {taken}")
        self.assertTrue(memory[0] < memory[1] < memory[2])
        for a, b in zip(foreseen, taken):
            self.below("file foreseen - taken, of it", abs(a / b - 1), 0.1)
        self.assertGreater(abs(foreseen[0] / taken[1] - 1), 0.1)  # control


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
