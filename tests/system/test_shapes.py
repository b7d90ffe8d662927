#!/usr/bin/env python3
"""test_shapes.py PIOLA -- lattices of control points and targets that share their variables: Taylor tests with a
negative control, what a shared variable's derivative is, optimisations, and runs that resume with the same bits."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
DEADLINE = 600  # s, for one command
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCENES, GOOD = SOURCE / "scenes", SOURCE / "tests" / "data" / "good_scenes"

PAIR = """version: 1
name: pair
method: {type: fem, dimension: 2, precision: f64}
solver: {tolerance: 1e-13, adjoint_tolerance: 1e-13}
materials:
  - {name: soft, model: neo_hookean, E: 50 kPa, nu: 0.3}
  - {name: hard, model: neo_hookean, E: 50 kPa, nu: 0.3}
geometry:
  - {name: a, type: box, min: [0, 0], max: [1 m, 0.5 m], elements: [4, 2], element: quad4}
  - {name: b, type: box, min: [0, 1], max: [1 m, 1.5 m], elements: [6, 2], element: quad4}
bodies: [{name: a, geometry: a, material: soft}, {name: b, geometry: b, material: hard}]
boundary:
  - {name: ra, body: a, on: {group: left}, type: fixed}
  - {name: rb, body: b, on: {group: left}, type: fixed}
loads:
  - {name: pa, body: a, on: {group: right}, type: force, value: [0 N, 300 N]}
  - {name: pb, body: b, on: {group: right}, type: force, value: [100 N, 300 N]}
observe:
  - {name: ta, type: displacement, body: a, on: {group: right}}
  - {name: tb, type: displacement, body: b, on: {group: right}}
design:
  - {name: E, %s: [materials.soft.E, materials.hard.E], bounds: [10 kPa, 100 kPa], transform: log}
  - {name: push, %s: [loads.pa.value.y, loads.pb.value.y], bounds: [0 N, 500 N]}
objective: [{type: target, of: ta.y, value: 0.1 m}, {type: target, of: tb.y, value: 0.1 m, weight: 2}]
optimizer: {type: lbfgs, max_iterations: 30}
"""

BEAM = """version: 1
name: beam
method: {type: fem, dimension: 2, precision: f64, plane: stress}
materials: [{name: m, model: linear, E: 2.4 GPa, nu: 0.35}]
geometry: [{name: bar, type: box, min: [0, 0], max: [120 mm, 24 mm], elements: [60, 12], element: quad4}]
bodies: [{name: arm, geometry: bar, material: m, thickness: 10 mm}]
boundary: [{name: wall, body: arm, on: {group: left}, type: fixed}]
loads:
  - {name: weight, body: arm, on: {min: [120 mm, 0 mm], max: [120 mm, 0 mm]}, type: point_force, value: [0 N, -20 N]}
observe:
  - {name: tip, type: displacement, body: arm, on: {min: [120 mm, 0 mm], max: [120 mm, 0 mm]}}
  - {name: volume, type: volume, body: arm}
design:
  - {name: form, target: bodies.arm.rest_position, per: lattice, lattice: {cells: [4, 1]}, along: y,
     bounds: [-9 mm, 9 mm]}
objective: [{type: maximize, of: tip.y, weight: 1000}]
constraints: [{of: volume, max: 1, relative_to: initial}]
optimizer: {type: mma, max_iterations: 60, stop: {relative_objective: 1e-5}}
"""


class Shapes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.out = self.root / "out"

    def tearDown(self):
        self.folder.cleanup()

    def piola(self, command, scene, *more, status=0):
        done = subprocess.run([PIOLA, command, str(scene), "--device", "cpu", "-o", str(self.out), *more],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              timeout=DEADLINE)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def result(self):
        return json.loads((self.out / "result.json").read_text())

    def scene(self, text):
        path = self.root / "scene.yaml"
        path.write_text(text)
        return path

    def below(self, what, value, limit):
        print(f"  {what}: {value:.6g} (limit {limit:.6g})")
        self.assertLessEqual(value, limit, what)

    def test_gradients_pass_the_taylor_test_and_wrong_ones_would_not(self):
        for name in ("lattices_2d", "lattice_of_two_2d", "lattice_3d", "shared_2d"):
            self.piola("check", GOOD / f"{name}.yaml")
            rows, wrong = self.result()["check"]["rows"], 0
            tolerance = self.result()["check"]["tolerance"]
            rows = [row for row in rows if row["adjoint"]]  # where the volume does not change, both are 0
            for row in rows:  # a gradient that is scaled by 1.0001 differs by more than the rows allow
                wrong += abs(1.0001 * row["adjoint"] - row["difference"]) > tolerance * abs(row["adjoint"])
            print(f"  check {name}: {len(rows)} directions passed; scaled by 1.0001, {wrong} would fail")
            self.assertGreater(len(rows), 5)
            self.assertEqual(wrong, len(rows))

    def test_the_derivative_of_a_shared_variable_is_the_sum_over_its_targets(self):
        self.piola("grad", self.scene(PAIR % ("target", "target")))
        own, j = self.result()["parameters"], self.result()["objective"]
        self.piola("grad", self.scene(PAIR % ("targets", "targets")))
        shared = self.result()["parameters"]
        self.assertEqual(self.result()["objective"], j)
        for pair in (("materials.soft.E", "materials.hard.E"), ("loads.pa.value.y", "loads.pb.value.y")):
            parts, whole = [own[p]["gradient"] for p in pair], [shared[p]["gradient"] for p in pair]
            print(f"  {pair}: {parts[0]:.10g} + {parts[1]:.10g} = {whole[0]:.10g} of both")
            self.assertEqual(whole, [parts[0] + parts[1]] * 2)
            self.assertGreater(min(map(abs, parts)), 1e-3 * abs(whole[0]))  # each of them counts

    def test_targets_that_share_a_variable_end_with_one_value(self):
        log = self.piola("optimize", self.scene(PAIR % ("targets", "target")))
        parameters = self.result()["parameters"]
        values = [parameters[p]["value"] for p in ("materials.soft.E", "materials.hard.E")]
        loads = [parameters[p]["value"] for p in ("loads.pa.value.y", "loads.pb.value.y")]
        print(f"  both moduli are {values[0]:.6g} Pa, the loads {loads[0]:.6g} and {loads[1]:.6g} N; "
              f"J = {self.result()['objective']:.3g}")
        self.assertEqual(values[0], values[1])
        self.assertNotEqual(loads[0], loads[1])
        self.assertEqual(len(re.findall(r"^E = ", log, re.M)), 1)
        self.below("objective", self.result()["objective"], 1e-8)

    def test_a_lattice_finds_a_stiffer_beam_and_resumes_with_its_bits(self):
        """Bending alone allows 16/27 = 0.593; vertex morphing of the upper edge, in scenes/, reaches 0.62."""
        scene = self.scene(BEAM)
        self.piola("run", scene)
        start = self.result()["observations"]["tip"]["value"][-1][1]
        self.piola("optimize", scene)
        first = self.result()
        tip = first["observations"]["tip"]["value"][-1][1]
        self.below("deflection in parts of the start", tip / start, 0.62)
        self.below("volume above the start", first["constraints"][0]["violation"], 1e-4 * 2.88e-5)
        with h5py.File(self.out / "history.vtkhdf") as file:
            values = file["piola/gradient/bodies.arm.rest_position/value"][:]
        record = self.out / "evaluations.record"
        os.truncate(record, int(0.5 * record.stat().st_size))
        self.piola("optimize", scene)
        again = self.result()
        print(f"  resumed after {again['optimizer']['replayed']} of {again['optimizer']['evaluations']} evaluations")
        self.assertTrue(0 < again["optimizer"]["replayed"] < again["optimizer"]["evaluations"])
        for key in ("objective", "constraints", "observations"):
            self.assertEqual(first[key], again[key], key)
        with h5py.File(self.out / "history.vtkhdf") as file:
            self.assertEqual(values.tobytes(), file["piola/gradient/bodies.arm.rest_position/value"][:].tobytes())
        self.assertTrue(np.isfinite(values).all())

    def test_the_largest_stress_of_a_hook_falls_by_a_quarter_at_its_volume(self):
        scene = SCENES / "shape_hook.yaml"

        def seen():
            return {name: own["value"][-1][0] for name, own in self.result()["observations"].items()}
        self.piola("run", scene)
        start = seen()
        self.piola("optimize", scene)
        end = seen()
        for name, limit in (("largest", 0.75), ("stress", 0.75)):
            self.below(f"{name}: {start[name] / 1e6:.1f} to {end[name] / 1e6:.1f} MPa, in parts of the start",
                       end[name] / start[name], limit)
        self.below("volume, relative to the start", abs(end["volume"] / start["volume"] - 1), 1e-4)
        self.below("evaluations", self.result()["optimizer"]["evaluations"], 100)
        self.piola("check", scene)
        rows = self.result()["check"]["rows"]
        print(f"  {sum(row['verdict'] == 'passed' for row in rows)} of {len(rows)} directions pass the Taylor test")
        self.assertTrue(rows and all(row["verdict"] == "passed" for row in rows))

    def test_a_lattice_that_inverts_an_element_names_it(self):
        text = BEAM.replace("bounds: [-9 mm, 9 mm]", "initial: -30 mm").replace("along: y", "along: x").replace(
            "cells: [4, 1]", "cells: [4, 1], hold: [{group: left}], ease: 1 mm")
        out = self.piola("run", self.scene(text), status=76)
        print(" ", [line for line in out.splitlines() if "error" in line][0])
        self.assertIn("has no positive volume at rest", out)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    load = unittest.defaultTestLoader
    suite = load.loadTestsFromNames(names, Shapes) if names else load.loadTestsFromTestCase(Shapes)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
