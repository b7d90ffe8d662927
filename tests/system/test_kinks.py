#!/usr/bin/env python3
"""test_kinks.py PIOLA -- near which kinks a gradient went is counted at obstacles and walls, and reported where it
makes the gradient misleading."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import small_scenes

PIOLA = ""
WHERE = ("--device", "cpu", "--threads", "1")
DEADLINE = 300  # s, for one command
DURATION = 0.3  # s
WARNING = "may be much larger than what differences show"
GROUND = ("obstacles=[{name: ground, type: plane, normal: [0, 1], friction: %g, friction_velocity: %g, "
          "separation_velocity: %g}]")
STICKY = "obstacles=[{name: ground, type: plane, normal: [0, 1], behaviour: sticky}]"
BOX = """version: 1
name: box
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 5 cm, min: [0, 0], max: [0.6, 0.6], walls: %s}}
time: {dt: 0.5 ms, duration: 600 ms}
gravity: [0, %g]
materials: [{name: m, model: neo_hookean, E: 20 kPa, nu: 0.3, density: 1000}]
geometry: [{name: b, type: box, min: [0.2, 0.05], max: [0.4, 0.25]}]
bodies: [{name: b, geometry: b, material: m, velocity: [0.2, -1]}]
observe: [{name: place, type: mean_position, body: b}]
objective: [{type: maximize, of: place.y}]
gradient: {}
output: {states: {every: 600 ms}}
"""


class Kinks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def gradient(self, scene, *sets):
        """The norm of the gradient, counts of kinks by what they are, whether the log and the certificate warn,
        growth."""
        words = [word for text in sets for word in ("--set", text)]
        done = subprocess.run([PIOLA, "grad", *small_scenes.words(scene), *WHERE, "-q", "-o",
                               str(self.root / "out"), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)
        report = json.loads((self.root / "out" / "result.json").read_text())
        certificate = report["certificate"]
        values = [v for p in report["parameters"].values()
                  for v in (p["gradient"] if isinstance(p["gradient"], list) else [p["gradient"]])]
        warned = certificate["kink_warning"] is not None
        self.assertEqual(warned, WARNING in done.stdout)
        self.assertEqual(warned, warned and WARNING in certificate["kink_warning"])
        return math.hypot(*values), {k["what"]: k["near"] for k in certificate.get("kinks", [])}, warned, certificate

    def test_friction_that_sets_in_at_once_is_reported(self):
        """A crawler on ground that holds it by friction 100 from 1 mm/s on, and on ground that it sticks to: the same
        motion, nearly."""
        scene, duration = small_scenes.find("mpm_crawler_small.yaml"), f"time.duration={DURATION} s"
        rough = self.gradient(scene, duration, GROUND % (100, 1e-3, 1e-3))
        wide = self.gradient(scene, duration, GROUND % (100, 1, 1))
        shipped = self.gradient(scene, duration)
        sticky = self.gradient(scene, duration, STICKY)
        for name, (norm, kinks, warned, certificate) in {"friction 100, 1 mm/s": rough, "friction 100, 1 m/s": wide,
                                                         "as shipped": shipped, "sticky": sticky}.items():
            print(f"{name}: |gradient| {norm:.3g}, growth {certificate['adjoint_growth']['factor']:.3g}, rounding "
                  f"{certificate['predicted_gradient_error']:.1e}, warned: {warned}, {kinks}")
        self.assertGreater(rough[0], 5 * sticky[0])  # what is to be reported
        self.assertLess(rough[3]["predicted_gradient_error"], 1e-6)  # and rounding does not show it
        self.assertTrue(rough[2])
        self.assertFalse(wide[2] or shipped[2] or sticky[2])
        self.assertEqual([what for what in sticky[1] if "obstacle" in what], [])
        bends = next(what for what in rough[1] if "contact or friction" in what)
        self.assertGreater(rough[1][bends], 0)
        self.assertLess(wide[1][bends], rough[1][bends])

    def test_separating_walls_are_counted(self):
        counts = {}
        for walls, gravity in ("separate", -9.81), ("separate", 0), ("sticky", -9.81), ("slip", -9.81):
            scene = self.root / "box.yaml"
            scene.write_text(BOX % (walls, gravity))
            _, kinks, warned, _ = self.gradient(scene)
            counts[walls, gravity] = [near for what, near in kinks.items() if "separating wall" in what]
            print(f"{walls}, gravity {gravity}: {kinks}")
            self.assertFalse(warned)
        self.assertEqual((counts["sticky", -9.81], counts["slip", -9.81]), ([], []))
        self.assertGreater(counts["separate", -9.81][0], 0)
        self.assertGreater(counts["separate", 0][0], 0)  # what forces change is measured, gravity or not


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
