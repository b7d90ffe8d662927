#!/usr/bin/env python3
"""test_check.py PIOLA SPOILED -- does a check accuse right gradients, and does it decide where it can?

SPOILED is the folder of the engines whose gradients are wrong by a thousandth (spoiled_engine.c)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BLOCK = """version: 1
name: block
method: {type: fem, dimension: DIM}
materials: [{name: m, LAW, density: 1000}]
geometry: [{name: g, type: box, element: ELEMENT, elements: CELLS, min: [0, 0, 0], max: [1, 0.5, 0.4]}]
bodies: [{name: b, geometry: g, material: m}]
boundary: [{name: w, body: b, on: {group: left}, type: fixed}]
loads: [{name: p, body: b, on: {group: right}, type: traction, value: FORCE}]
observe: [{name: tip, type: displacement, body: b, on: {group: right}}]
design: [DESIGN]
objective: [{type: minimize, of: tip.y}]
gradient: {check: {directions: 1}}
"""
HOOKEAN = "model: neo_hookean, E: 1 MPa, nu: 0.3"
MODULUS = "{name: E, target: materials.m.E}"

# loads that follow and an indefinite choice of solver: GMRES, whose directions leave a residual that goes with the step
FOLLOWING = """version: 1
name: following
method: {type: fem, dimension: 3}
time: {load_steps: 2}
gravity: [1, -9.81, 2]
materials: [{name: m, model: neo_hookean, E: 1 MPa, nu: 0.3, density: 1000}]
geometry: [{name: g, type: box, element: hex27, elements: [1, 1, 2], min: [0, 0, 0], max: [1, 0.5, 0.4]}]
bodies: [{name: b, geometry: g, material: m}]
boundary:
  - {name: w, body: b, on: {group: left}, type: fixed}
  - {name: pr, body: b, on: {group: right}, type: displacement, axes: x, value: 0.1, curve: c}
loads:
  - {name: tr, body: b, on: {group: top}, type: traction, value: [3000, -8000, 2000]}
  - {name: fp, body: b, on: {group: top}, type: follower_pressure, value: 6 kPa}
  - {name: fo, body: b, on: {group: bottom}, type: foundation, value: 20 kN/m3}
curves: [{name: c, time: [0, 1], value: [0, 1]}]
observe:
  - {name: tip, type: displacement, body: b, on: {group: right}}
  - {name: sp, type: von_mises, body: b, measure: pnorm, p: 8}
  - {name: re, type: reaction, boundary: pr}
design: [{name: nu, target: materials.m.nu}, {name: E, target: materials.m.E, per: element}]
objective:
  - {type: target, of: tip, value: [0.1, 0.1, 0.1], weight: 100}
  - {type: minimize, of: sp, weight: 1e-4}
  - {type: minimize, of: re.x, weight: 1e-3}
gradient: {check: {directions: 1}}
"""

SWUNG = """version: 1
name: swung
method: {type: fem, dimension: 2}
solver: {max_iterations: 2, halvings: 8}
time: {integrator: backward_euler, dt: 2 ms, duration: 10 ms}
gravity: [1, -9.81]
materials: [{name: m, model: neo_hookean, E: 1 MPa, nu: 0.3, density: 1000}]
geometry: [{name: g, type: box, element: quad4, elements: [2, 2], min: [0, 0], max: [1, 0.5]}]
bodies: [{name: b, geometry: g, material: m, velocity: [1, 0.5]}]
boundary:
  - {name: w, body: b, on: {group: left}, type: fixed}
  - {name: pr, body: b, on: {group: right}, type: displacement, axes: x, value: 0.1, curve: c}
loads: [{name: tr, body: b, on: {group: top}, type: traction, value: [3000, -8000]}]
curves: [{name: c, time: [0, 0.01], value: [0, 1]}]
observe: [{name: tip, type: displacement, body: b, on: {group: right}}]
design: [{name: E, target: materials.m.E, per: element}, {name: tr, target: loads.tr.value}]
objective: [{type: target, of: tip, value: [0.1, 0.1], weight: 100}]
gradient: {check: {directions: 1}}
"""


def block(dimension=2, law=HOOKEAN, force="[0, 5 kPa]", design=MODULUS):
    text = BLOCK.replace("DIM", str(dimension)).replace("LAW", law).replace("FORCE", force).replace("DESIGN", design)
    text = text.replace("ELEMENT", "quad4" if dimension == 2 else "hex8")
    text = text.replace("CELLS", "[4, 2]" if dimension == 2 else "[4, 2, 2]")
    return text.replace(", 0], max: [1, 0.5, 0.4]", "], max: [1, 0.5]") if dimension == 2 else text


class Check(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def piola(self, command, text, *arguments, engines=None):
        scene = self.folder / "scene.yaml"
        scene.write_text(text)
        done = subprocess.run([PIOLA, command, scene, "--device", "cpu", "-o", self.folder / "out", *arguments],
                              capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, "PIOLA_ENGINES": engines} if engines else None)
        path = self.folder / "out" / "result.json"
        return done, json.loads(path.read_text()) if path.exists() else {}

    def check(self, code, text, *arguments, engines=None):
        done, report = self.piola("check", text, *arguments, engines=engines)
        self.assertEqual(done.returncode, code, done.stderr)
        for row in report["check"]["rows"]:
            print(row["direction"], row["verdict"], row["remainder"], row["reason"], file=sys.stderr)
        return done, report["check"]

    def test_what_newtons_method_leaves_accuses_no_gradient_and_a_wrong_one_still_fails(self):
        done, report = self.check(0, FOLLOWING)
        self.assertAlmostEqual(report["equilibrium_tolerance"], 1e-13, delta=1e-20)
        self.assertIn("solved to 1e-13 of the forces", done.stderr)
        done, _ = self.check(1, FOLLOWING, engines=SPOILED)
        self.assertIn("the gradient is not the derivative", done.stderr)

    def test_what_single_precision_cannot_decide_is_said_to_be_undecided(self):
        for text in (FOLLOWING, SWUNG, block(), block(force="[0, 1 Pa]")):
            _, report = self.check(1, text, "--precision", "f32")
            self.assertNotIn("FAILED", [row["verdict"] for row in report["rows"]])
            self.assertEqual(report["verdict"], "undecided")

    def test_a_derivative_that_is_small_beside_J_is_decided_by_longer_steps(self):
        design = f"{MODULUS.replace('}', ', per: element}')}, " \
                 "{name: s, target: bodies.b.rest_position, per: node}, {name: l, target: loads.p.value}"
        text = block(law="model: linear, E: 210 GPa, nu: 0.3", force="[0, -30 kPa]", design=design)
        # J is 1, its derivatives 1e-6
        text = text.replace("{type: minimize, of: tip.y}", "{type: target, of: tip.y, value: -1}")
        done, report = self.check(0, text)
        self.assertGreater(max(row["first_step"] for row in report["rows"]), 1e-3)
        self.assertEqual((report["verdict"], report["undecided"]), ("passed", 0))
        done, report = self.check(1, text, engines=SPOILED)
        self.assertEqual(report["verdict"], "FAILED")
        self.assertIn("check FAILED", done.stderr)
        # far below the rounding of J nothing decides; that accuses no gradient, and says what would decide it
        done, report = self.check(1, text.replace("-30 kPa", "-1 Pa"))
        self.assertEqual((report["verdict"], report["failed"], report["passed"]), ("undecided", 0, False))
        self.assertGreater(report["undecided"], 0)
        self.assertIn("check undecided", done.stderr)
        self.assertNotIn("FAILED", done.stderr)
        self.assertIn("would decide it: ", done.stderr)
        self.assertIn("one nearer to 0 at the start", done.stderr)

    def test_loads_below_rounding_are_answered_and_accuse_no_gradient(self):
        for force in ("[0, 1e-6]", "[0, 1e-9]"):
            done, report = self.piola("check", block(law="model: hencky, E: 1 MPa, nu: 0.3", force=force))
            verdicts = [row["verdict"] for row in report["check"]["rows"]]
            print(force, verdicts, file=sys.stderr)
            self.assertNotIn("FAILED", verdicts)
            self.assertIn(done.returncode, (0, 1))
        linear = block(law="model: linear, E: 1 MPa, nu: 0.3", force="[0, 1 Pa]")
        J = {}
        for precision in ("f32", "f64"):
            done, report = self.piola("grad", linear, "--precision", precision)
            self.assertEqual(done.returncode, 0, done.stderr)
            J[precision] = report["objective"]
            # from rest even f32 is right; test_equilibrium.py has what it is not
            self.assertNotIn("out of balance", done.stderr)
        print(J, file=sys.stderr)
        self.assertLess(abs(J["f32"] / J["f64"] - 1), 1e-3)

    def test_what_J_does_not_depend_on_passes_and_says_so(self):
        ogden = "model: ogden, mu1: 300 kPa, alpha1: 2, mu2: 1 kPa, alpha2: 0, bulk: 1 MPa"
        shift = "{name: X, target: bodies.b.rest_position}"
        for text in (block(law=ogden,
                           design="{name: m1, target: materials.m.mu1}, {name: m2, target: materials.m.mu2}"),
                     block(design=f"{MODULUS}, {shift}"), block(design=shift)):
            done, report = self.check(0, text)
            self.assertTrue(any("does not depend on it" in row["reason"] for row in report["rows"]), done.stderr)

    def first_steps(self, text):
        """Checks the scene, which passes; returns the first step of each row."""
        done, report = self.check(0, text)
        for row in report["rows"]:  # the table shows it, too
            self.assertTrue(any(line.startswith(row["direction"] + " ") and f"{row['first_step']:.1e}" in line
                                for line in done.stderr.splitlines()), done.stderr)
        return {row["direction"]: row["first_step"] for row in report["rows"]}

    def test_steps_stay_within_the_range_of_a_quantity_and_of_a_law(self):
        # the distance to 0.5 is 5e-4 of the width of the bounds
        design = f"{MODULUS}, {{name: nu, target: materials.m.nu, bounds: [0.2999, 0.4999]}}"
        nearly = HOOKEAN.replace("0.3", "0.4999")
        steps = self.first_steps(block(law=nearly, design=design))
        self.assertAlmostEqual(steps["materials.m.nu"], 0.75 * 1e-4 / 0.2, delta=1e-12)
        self.assertAlmostEqual(steps["materials.m.E"], 1e-3, delta=1e-12)
        far = self.first_steps(block(design=design.replace("0.4999", "0.4").replace("0.2999", "0.2")))
        self.assertAlmostEqual(far["materials.m.nu"], 1e-3, delta=1e-12)
        # a constant of an expression has no range of its own: there the law has a limit
        text = block(law="model: neo_hookean, E: 1 MPa, nu: k", design="{name: k, target: constants.k}")
        steps = self.first_steps(text + "constants: {k: 0.4999}\n")
        self.assertAlmostEqual(steps["constants.k"], 1e-3 / 16, delta=1e-12)
        # no step that is tried is short enough
        done, _ = self.piola("check", text + "constants: {k: 0.4999999}\n")
        self.assertEqual(done.returncode, 76, done.stderr)
        self.assertRegex(done.stderr, "its law is not defined for the constants 1e[+]06, 0.500002, .*; piola check "
                                      "moved the design there, by 3.9e-06 of its normalised variables along "
                                      "'constants.k'")

    def test_near_an_end_of_a_range_longer_steps_go_to_the_other_side(self):
        """A sheet hardly depends on nu, so that steps below 0.5 - nu do not decide."""
        text = block(law=HOOKEAN.replace("0.3", "0.49999"), force="[100 kPa, 0]",
                     design="{name: nu, target: materials.m.nu, bounds: [0.3, 0.49999]}")
        text = text.replace("dimension: 2", "dimension: 2, plane: stress").replace("of: tip.y", "of: tip.x")
        for engines, code, verdict in ((None, 0, "passed"), (SPOILED, 1, "FAILED")):
            done, report = self.check(code, text, engines=engines)
            row, = report["rows"]
            self.assertGreater(row["first_step"], 1e-3)
            self.assertEqual(row["verdict"], verdict, done.stderr)
            self.assertLess(abs(row["difference"] / row["adjoint"] - 1), 0.01)  # and with its sign

    def test_a_repeated_step_has_iterations_to_spare(self):
        self.check(0, SWUNG)


if __name__ == "__main__":
    PIOLA, SPOILED = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main(verbosity=2)
