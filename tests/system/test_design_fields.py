#!/usr/bin/env python3
"""test_design_fields.py PIOLA -- designs with a number for each element or particle: their fields in states.vtkhdf, and
the picture of an optimisation, which shows the first of them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
# Two squares side by side and a third above: of the left E and thickness are designed, of the middle the E of its
# material is constant, and the law of the upper one has no E.
MESH = """version: 1
name: squares
method: {type: fem, dimension: 2, precision: f64}
TIME
materials:
  - {name: left, model: MODEL, E: 100 kPa, nu: 0.3, density: 1000}
  - {name: middle, model: neo_hookean, E: 300 kPa, nu: 0.25, density: 1000}
  - {name: upper, model: mooney_rivlin, c10: 20 kPa, c01: 5 kPa, bulk: 200 kPa, density: 1000}
geometry:
  - {name: one, type: box, element: quad4, elements: [3, 3], min: [0, 0], max: [1, 1]}
  - {name: two, type: box, element: quad4, elements: [2, 2], min: [2, 0], max: [3, 1]}
  - {name: three, type: box, element: quad4, elements: [2, 2], min: [0, 2], max: [1, 3]}
bodies:
  - {name: one, geometry: one, material: leftPARTIAL}
  - {name: two, geometry: two, material: middle}
  - {name: three, geometry: three, material: upper}
boundary:
  - {name: first, body: one, on: {group: bottom}, type: fixed}
  - {name: second, body: two, on: {group: bottom}, type: fixed}
  - {name: third, body: three, on: {group: bottom}, type: fixed}
loads: [{name: pull, body: one, on: {group: top}, type: traction, value: [0, 20 kPa]}]
observe: [{name: rise, type: displacement, body: one}]
design:
DESIGN
objective: [{type: minimize, of: rise.y, weight: 1}]
optimizer: {type: lbfgs, max_iterations: 2}
"""
STATIC, MOTION = "time: {duration: 1 s}", "time: {integrator: newmark, dt: 5 ms, duration: 20 ms}"
E_AND_THICKNESS = """  - {name: E, target: materials.left.E, per: element, bounds: [50 kPa, 400 kPa]}
  - {name: thick, target: bodies.one.thickness, per: element, bounds: [0.5, 2]}"""
LAYOUT = "  - {name: layout, target: bodies.one.relative_density, per: element, bounds: [0, 1]}"
ONE_NUMBER = "  - {name: E, target: materials.left.E, bounds: [50 kPa, 400 kPa]}"
SOFT = """version: 1
name: soft
method: {type: fem, dimension: 2, precision: f64}
materials: [{name: soft, model: MODEL, E: 1 Pa, nu: 0.3}]
geometry: [{name: bar, type: box, element: quad4, elements: [8, 4], min: [0, 0], max: [2, 1]}]
bodies: [{name: bar, geometry: bar, material: soft}]
boundary: [{name: clamp, body: bar, on: {group: left}, type: fixed}]
loads: [{name: pull, body: bar, on: {group: right}, type: traction, value: [FORCE, 0]}]
observe: [{name: reach, type: displacement, body: bar}]
design:
DESIGN
objective: [{type: minimize, of: reach.x, weight: 1}]
optimizer: {type: lbfgs, max_iterations: 1}
"""
SNOW = """version: 1
name: snow
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [1.2, 1.2],
         walls: {default: slip}}}
time: {dt: 0.2 ms, duration: 10 ms}
gravity: [0, -9.81]
materials: [{name: snow, model: fixed_corotated, E: 100 kPa, nu: 0.2, density: 400,
             plasticity: {type: snow, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10}}]
geometry: [{name: box, type: box, min: [0.3, 0.3], max: [0.7, 0.7]}]
bodies: [{name: block, geometry: box, material: snow, velocity: [0, -5]}]
observe: [{name: middle, type: mean_position, body: block}]
design:
DESIGN
objective: [{type: minimize, of: middle.y, weight: 1}]
optimizer: {type: lbfgs, max_iterations: 1}
output: {states: {every: 5 ms, fields: [velocity, hardening]}}
"""
OBSERVED = ("--targets", "--paths")  # as pictures of optimisations have them


class DesignFields(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, *arguments):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: two iterations do not converge
        return done

    def optimize(self, text, design, command="optimize"):
        scene = self.root / "scene.yaml"
        scene.write_text(text.replace("DESIGN", design))
        self.piola(command, scene, "-o", self.root / "out", "--device", "cpu", "--threads", "1")
        return self.root / "out" / "states.vtkhdf"

    def mesh(self, design, time=STATIC, model="neo_hookean", partial="", command="optimize"):
        text = MESH.replace("TIME", time).replace("MODEL", model).replace("PARTIAL", partial)
        return self.optimize(text, design, command)

    def drawn(self, *options):
        """The bytes of the picture that `piola render` draws of the last frame."""
        picture = self.root / "other.png"
        self.piola("render", self.root / "out" / "states.vtkhdf", "-o", picture, *options)
        return picture.read_bytes()

    def picture(self):
        return (self.root / "out" / "picture.png").read_bytes()

    def test_fields_hold_the_design_and_the_constants_of_what_is_not_designed(self):
        states = self.mesh(E_AND_THICKNESS)
        with h5py.File(states) as file, h5py.File(states.with_name("history.vtkhdf")) as history:
            cells = file["VTKHDF/CellData"]
            body, E, thickness = (cells[name][:].ravel() for name in ("body", "E", "thickness"))
            designed = file["piola/gradient/materials.left.E/value"][:]
            thick = file["piola/gradient/bodies.one.thickness/value"][:]
            past = history["VTKHDF/CellData/materials_left_E"][:].reshape(-1, len(body))
            self.assertEqual((cells["E"].attrs["units"], cells["thickness"].attrs["units"]), (b"Pa", b"m"))
            self.assertIn(b"Young's modulus of each element", cells["E"].attrs["meaning"])
            self.assertEqual(cells["grad_E"].attrs["of"], b"E")
        self.assertTrue(np.array_equal(E[body == 0], designed))
        self.assertTrue(np.array_equal(thickness[body == 0], thick))
        self.assertGreater(np.ptp(designed), 0)  # a field, not one number
        best = [row for row in past if np.array_equal(row[body == 0], E[body == 0])]
        self.assertGreater(len(best), 0)         # the design of an iteration
        self.assertFalse(np.array_equal(past[0][body == 0], E[body == 0]), "negative control: not that of the start")
        self.assertTrue(np.all(E[body == 1] == 300e3))
        self.assertTrue(np.all(np.isnan(E[body == 2])))  # mooney_rivlin has no E
        self.assertTrue(np.all(thickness[body > 0] == 1))

    def test_the_picture_shows_the_first_field_of_the_design_at_rest(self):
        self.mesh(E_AND_THICKNESS)
        self.assertEqual(self.picture(), self.drawn("--field", "E", "--deformation", "0"))
        for other in ((), ("--field", "E"), ("--field", "thickness", "--deformation", "0"), ("--deformation", "0")):
            self.assertNotEqual(self.picture(), self.drawn(*other), f"negative control: {other}")

    def test_the_picture_of_a_motion_shows_the_design_where_the_mesh_is_at_the_end(self):
        self.mesh(E_AND_THICKNESS, time=MOTION)
        self.assertEqual(self.picture(), self.drawn("--field", "E"))
        self.assertNotEqual(self.picture(), self.drawn("--field", "E", "--deformation", "0"), "negative control")

    def test_the_picture_of_a_layout_shows_relative_densities(self):
        states = self.mesh(LAYOUT, partial=", relative_density: 0.5")
        self.assertEqual(self.picture(), self.drawn("--field", "relative_density", "--deformation", "0"))
        with h5py.File(states) as file:
            self.assertNotIn("design_relative_density", file["VTKHDF/CellData"])
            last = file["VTKHDF/CellData/relative_density"][:].reshape(-1, 17)[-1]
            self.assertTrue(np.allclose(last[:9], file["piola/gradient/bodies.one.relative_density/value"][:],
                                        rtol=1e-15, atol=0))

    def test_without_a_field_in_the_design_the_picture_is_that_of_the_last_state(self):
        states = self.mesh(ONE_NUMBER)
        self.assertEqual(self.picture(), self.drawn())
        with h5py.File(states) as file:
            self.assertNotIn("E", file["VTKHDF/CellData"])

    def linear(self, force, model="linear"):
        """Optimises a single E of the soft bar, 2 m long; returns its largest displacement in m."""
        states = self.optimize(SOFT.replace("FORCE", force).replace("MODEL", model),
                               "  - {name: E, target: materials.soft.E, bounds: [0.9, 1.1]}")
        with h5py.File(states) as file:
            return float(np.linalg.norm(file["VTKHDF/PointData/displacement"][:], axis=1).max())

    def test_linear_displacements_beyond_a_fifth_of_the_body_are_drawn_smaller(self):
        for force in ("0.4 Pa", "1 Pa", "3 Pa", "70 Pa"):
            largest = self.linear(force)
            parts = [1 / (k * 10**n) for n in range(5) for k in (1, 2, 5)]
            part = next(i for i, f in enumerate(parts) if f * largest <= 0.2 * 2)
            print(f"  displacement {largest:.3g} m of a body of 2 m: drawn times {parts[part]:g}")
            self.assertGreater(part, 0)
            self.assertEqual(self.picture(), self.drawn("--deformation", f"{parts[part]:g}"))
            self.assertEqual(self.picture(), self.drawn("--fit"))
            for other in (parts[part - 1], parts[part + 1]):
                self.assertNotEqual(self.picture(), self.drawn("--deformation", f"{other:g}"), "negative control")

    def test_displacements_that_are_small_or_not_linear_are_drawn_as_they_are(self):
        self.assertLess(self.linear("0.1 Pa"), 0.4)
        self.assertEqual(self.picture(), self.drawn("--deformation", "1"))
        self.assertEqual(self.picture(), self.drawn("--fit"))
        self.assertGreater(self.linear("0.6 Pa", model="neo_hookean"), 0.4)
        self.assertEqual(self.picture(), self.drawn("--deformation", "1"))
        self.assertNotEqual(self.picture(), self.drawn("--fit"), "negative control")

    def test_a_gradient_has_the_fields_of_the_design_that_it_is_of(self):
        with h5py.File(self.mesh(E_AND_THICKNESS, command="grad")) as file:
            self.assertEqual(set(file["VTKHDF/CellData/E"][:9].ravel()), {100e3})

    def test_particles_have_their_design_beside_a_state_of_the_same_name(self):
        states = self.optimize(SNOW, "  - {name: h, target: materials.snow.hardening, per: particle, bounds: [5, 20]}")
        with h5py.File(states) as file:
            points = file["VTKHDF/PointData"]
            self.assertTrue(np.array_equal(points["design_hardening"][:].ravel(),
                                           file["piola/gradient/materials.snow.hardening/value"][:]))
            self.assertGreater(points["hardening"].size, points["design_hardening"].size)  # of every frame
        self.assertEqual(self.picture(), self.drawn("--field", "design_hardening", *OBSERVED))
        self.assertNotEqual(self.picture(), self.drawn("--field", "hardening", *OBSERVED), "negative control")

    def test_vectors_of_particles_are_no_field_of_the_design(self):
        states = self.optimize(SNOW, "  - {name: v, target: bodies.block.velocity, per: particle, bounds: [-6, 6]}")
        self.assertEqual(self.picture(), self.drawn(*OBSERVED))
        done = subprocess.run([PIOLA, "render", states, "-o", self.root / "no.png", "--fit"], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, "only a mesh has a deformation" in done.stderr), (2, True), done.stderr)
        self.assertFalse((self.root / "no.png").exists())
        with h5py.File(states) as file:
            self.assertFalse([name for name in file["VTKHDF/PointData"] if name.startswith("design")])


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
