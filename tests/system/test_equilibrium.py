#!/usr/bin/env python3
"""test_equilibrium.py PIOLA -- `run` and `grad` warn of forces out of balance where these put the displacement off, and
of nothing else."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
DEADLINE = 300  # s, for one command
REPORTED = re.compile(r"leave ([\d.e+-]+) of the forces out of balance, and that puts the displacement off by about "
                      r"([\d.e+-]+) of itself")
BLOCK = """version: 1
name: block
method: {type: fem, dimension: 2, precision: %(precision)s}
time: {load_steps: %(steps)s}
solver: {tolerance: %(tolerance)g}
materials: [{name: m, model: %(model)s, E: 1 MPa, nu: 0.3}]
geometry: [{name: g, type: box, element: quad4, elements: [8, 4], min: [0, 0], max: [%(length)g, 0.4]}]
bodies: [{name: b, geometry: g, material: m}]
boundary:
%(boundary)s
%(loads)s
observe: [{name: end, type: displacement, body: b, on: {group: right}}]
"""
CLAMP = "  - {name: root, body: b, on: {group: left}, type: fixed}"
# 0.12 m are 15 % of 0.8 m
PULL = CLAMP + "\n  - {name: pull, body: b, on: {group: right}, type: displacement, axes: x, value: 0.12}"
MOVE = ("  - {name: root, body: b, on: {group: left}, type: displacement, value: [0.25, 0.125]}\n"
        "  - {name: end, body: b, on: {group: right}, type: displacement, value: [0.25, 0.125]}")
PUSH = "loads: [{name: push, body: b, on: {group: right}, type: traction, value: [%g Pa, %g Pa]}]"


class Equilibrium(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def run_block(self, **given):
        """The end's displacement; what was reported: forces out of balance, displacement off by; None: nothing."""
        scene = self.root / "scene.yaml"
        scene.write_text(BLOCK % {"precision": "f64", "steps": 1, "tolerance": 1e-10, "model": "neo_hookean",
                                  "length": 0.8, "boundary": CLAMP, "loads": "", **given})
        done = subprocess.run([PIOLA, "run", str(scene), "--device", "cpu", "--threads", "1",
                               "-o", str(self.root / "out")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)
        end = json.loads((self.root / "out" / "result.json").read_text())["observations"]["end"]["value"][0]
        report = REPORTED.search(done.stdout)
        self.assertEqual(report is None, "balance" not in done.stdout, done.stdout)
        return end, [float(x) for x in report.groups()] if report else None

    def test_nothing_is_reported_where_the_answer_is_right(self):
        """Each of these was reported to have loads that are small beside the rounding of stresses."""
        quiet = {"15 % strain, a tolerance of 1e-15": {"boundary": PULL, "tolerance": 1e-15, "steps": 2},
                 "a bent beam of 20 m, a tolerance of 1e-14": {"length": 20, "loads": PUSH % (0, 300),
                                                               "tolerance": 1e-14, "steps": 4},
                 "a block that its supports move as it is": {"boundary": MOVE},
                 "the same, linear": {"boundary": MOVE, "model": "linear"}}
        for name, given in quiet.items():
            end, report = self.run_block(**given)
            print(f"{name}: the end moves by {end}, reported: {report}")
            if report:
                # what is reported is more than the tolerance
                self.assertGreaterEqual(report[1], given.get("tolerance", 1e-10))
            if "block" in name or "linear" in name:
                off = max(abs(end[0] / 0.25 - 1), abs(end[1] / 0.125 - 1))
                print(f"  off by {off:.1e} of itself (threshold 1e-15)")
                self.assertLessEqual(off, 1e-15)
                self.assertIsNone(report)

    def test_small_loads_move_a_body_from_rest_exactly_and_nothing_is_reported(self):
        """The same load a billion times larger shows what the small one should do: both are linear, nearly."""
        for precision, small, large, off_at_most in ("f64", 1e-10, 1e-1, 1e-6), ("f32", 0.1, 100, 1e-4):
            far, _ = self.run_block(loads=PUSH % (0, large))
            near, report = self.run_block(precision=precision, tolerance=1e-10 if precision == "f64" else 1e-3,
                                          loads=PUSH % (0, small))
            off = abs(near[1] / small / (far[1] / large) - 1)
            print(f"{precision}, {small:g} Pa: off by {off:.1e} (threshold {off_at_most}), reported: {report}")
            self.assertLessEqual(off, off_at_most)
            self.assertIsNone(report)

    def test_what_is_reported_of_small_loads_in_several_steps_is_about_what_they_are_off_by(self):
        """From the second step on the forces that are there already are rounded, and that is all of the next step's
        error."""
        for precision, small in ("f64", 1e-10), ("f64", 1e-8), ("f32", 0.1), ("f32", 1):
            far, _ = self.run_block(loads=PUSH % (0, 1e-1))
            near, report = self.run_block(precision=precision, steps=4, tolerance=1e-10 if precision == "f64" else 1e-3,
                                          loads=PUSH % (0, small))
            off = abs(near[1] / small / (far[1] / 1e-1) - 1)
            print(f"{precision}, {small:g} Pa in 4 steps: off by {off:.1e}, reported: {report} "
                  "(threshold: within a factor of 10)")
            self.assertIsNotNone(report)
            self.assertTrue(report[1] / 10 < off < 10 * report[1])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
