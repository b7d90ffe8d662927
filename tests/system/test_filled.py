#!/usr/bin/env python3
"""test_filled.py PIOLA -- particles that are filled in part move as those of a material with other constants do, with
every law; what is observed of them; and the Taylor tests of their gradients."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py

PIOLA = ""
DEADLINE = 300  # s, for one command
GOOD = pathlib.Path(__file__).resolve().parent.parent / "data" / "good_scenes"
R, LEAST, DENSITY, VISCOSITY = 0.6, 1e-2, 1000.0, 3.0
# Constants of every law of particles, with the moduli among them, Pa; Ogden's exponents are none.
LAWS = {"neo_hookean": {"mu": 8e3, "lambda": 12e3}, "st_venant_kirchhoff": {"mu": 8e3, "lambda": 12e3},
        "fixed_corotated": {"mu": 8e3, "lambda": 12e3}, "neo_hookean_iso": {"mu": 8e3, "lambda": 12e3},
        "stable_neo_hookean": {"mu": 8e3, "lambda": 12e3}, "hencky": {"mu": 8e3, "lambda": 12e3},
        "mooney_rivlin": {"c10": 3e3, "c01": 1e3, "bulk": 20e3},
        "ogden": {"mu1": 8e3, "alpha1": 1.5, "mu2": -1e3, "alpha2": -2.0, "bulk": 20e3}}
FORMULAS = {"{type: simp, power: 3, least: 1e-2}": R**3, "{type: ramp, power: 4, least: 1e-2}": R / (1 + 4 * (1 - R))}
SCENE = """version: 1
name: filled
method:
  type: mpm
  dimension: %d
  precision: f64
  grid: {spacing: 50 mm, min: %s, max: %s}
time: {dt: 0.5 ms, duration: 60 ms}
gravity: %s
materials: [{name: soft, model: %s, %s, density: %.17g, viscosity: %.17g%s}]
geometry: [{name: ball, type: ball, center: %s, radius: 0.15}]
bodies: [{name: thrown, geometry: ball, material: soft, velocity: %s%s}]
observe:
  - {name: place, type: mean_position, body: thrown}
  - {name: energy, type: kinetic_energy, body: thrown}
  - {name: size, type: volume, body: thrown}
  - {name: weight, type: mass, body: thrown}
  - {name: filled, type: relative_density, body: thrown}
  - {name: grey, type: greyness, body: thrown}
objective: [{type: minimize, of: energy}, {type: minimize, of: place.x}]
"""


def scene(law="neo_hookean", part="", stiffness=1.0, mass=1.0, dimension=2, more=""):
    """The text of a scene, whose moduli, viscosity and mass are multiplied."""
    constants = ", ".join(f"{k}: {v if 'alpha' in k else v * stiffness:.17g}" for k, v in LAWS[law].items())
    at = [[0, 0, 0], [1, 1, 1], [0, -9.81, 0], [0.3, 0.2, 0.4], [2, -3, 0.5]]
    low, high, gravity, center, velocity = (v[:dimension] for v in at)
    return SCENE % (dimension, low, high, gravity, law, constants, DENSITY * mass, VISCOSITY * stiffness, more, center,
                    velocity, part)


class Filled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_scene(self, text, command="run", *more):
        path = self.root / "scene.yaml"
        path.write_text(text)
        done = subprocess.run([PIOLA, command, str(path), "--device", "cpu", "--threads", "1", "-q", "--resume",
                               "never", "-o", str(self.root / "out"), *more], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)
        seen = json.loads((self.root / "out" / "result.json").read_text(encoding="utf-8"))["observations"]
        return {name: one["value"][-1] for name, one in seen.items()}

    def below(self, what, value, limit):
        print(f"  {what}: {value:.3g} (limit {limit:.3g})")
        self.assertLessEqual(value, limit, what)

    @staticmethod
    def distance(a, b):
        """Of places relative to 0.1 m that they move by, and of energies."""
        return max(max(abs(x - y) / 0.1 for x, y in zip(a["place"], b["place"])),
                   abs(a["energy"][0] / b["energy"][0] - 1), abs(a["weight"][0] / b["weight"][0] - 1))

    def compare(self, law, formula, full, dimension=2):
        """Rounding grows in 120 steps, with contact, to far less than 1e-11; a wrong power is seen at 1e-3."""
        s, m = LEAST + (1 - LEAST) * full, LEAST + (1 - LEAST) * R
        part = f", relative_density: {R}, interpolation: {formula}"
        a = self.run_scene(scene(law, part, dimension=dimension))
        b = self.run_scene(scene(law, "", s, m, dimension=dimension))
        self.below(f"{law} in {dimension}D, {formula}", self.distance(a, b), 1e-11)
        return a

    def test_every_law_moves_as_with_its_moduli_viscosity_and_density_multiplied(self):
        for law in LAWS:
            for formula, full in FORMULAS.items():
                self.compare(law, formula, full)
        a = self.compare("hencky", "{type: simp, power: 3, least: 1e-2}", R**3, 3)
        b = self.run_scene(scene("hencky", f", relative_density: {R}, interpolation: {{power: 3.01, least: 1e-2}}",
                                 dimension=3))
        wrong = self.distance(a, b)
        print(f"  negative control, power 3.01: {wrong:.3g} (must exceed 1e-8)")
        self.assertGreater(wrong, 1e-8)

    def test_what_is_observed_of_matter_follows_the_relative_density(self):
        full = self.run_scene(scene())
        part = self.run_scene(scene(part=f", relative_density: {R}, interpolation: {{least: 1e-2}}"))
        exact = {"size": R * full["size"][0], "filled": R, "grey": 4 * R * (1 - R),
                 "weight": (LEAST + (1 - LEAST) * R) * DENSITY * full["size"][0]}
        for name, value in exact.items():
            self.below(name, abs(part[name][0] / value - 1), 1e-13)
        self.assertEqual((full["filled"], full["grey"]), ([1], [0]))

    def test_a_full_body_has_the_bits_of_one_without_relative_density(self):
        a, b = self.run_scene(scene()), self.run_scene(scene(part=", relative_density: 1"))
        print(f"  energy {a['energy'][0]!r} without the key, {b['energy'][0]!r} full (difference allowed: 0)")
        self.assertEqual(a, b)

    def test_an_empty_body_moves_as_a_full_one_within_the_same_time_step(self):
        """Both stiffness and mass are `least` of the full ones there: accelerations are the same."""
        a, b = self.run_scene(scene()), self.run_scene(scene(part=", relative_density: 0"))
        far = max(abs(x - y) / 0.1 for x, y in zip(a["place"], b["place"]))
        self.below("place of the empty body, away from that of the full one", far, 1e-11)
        self.below("its energy over that of the full one, away from 1e-3",
                   abs(1e3 * b["energy"][0] / a["energy"][0] - 1), 1e-11)

    def test_frames_and_gradients_have_the_relative_density(self):
        self.run_scene(scene(part=f", relative_density: {R}"), "grad")
        with h5py.File(self.root / "out" / "states.vtkhdf") as file:
            names = [*file["VTKHDF/PointData"], *file["VTKHDF/CellData"]]
            fields = {n: file[f"VTKHDF/{g}/{n}"][:] for g in ("PointData", "CellData") for n in file[f"VTKHDF/{g}"]
                      if "relative" in n}
        print(f"  fields {sorted(fields)} of {len(names)}")
        self.assertEqual(sorted(fields), ["grad_relative_density", "relative_density"])
        self.assertTrue((abs(fields["relative_density"] - R) < 1e-15).all())
        self.assertTrue(fields["grad_relative_density"].any())

    def test_gradients_pass_the_taylor_test(self):
        for path in (GOOD / "filled_2d.yaml", GOOD / "filled_reversible.yaml"):
            done = subprocess.run([PIOLA, "check", str(path), "--device", "cpu", "--threads", "1", "-o",
                                   str(self.root / "check")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
            print(f"  check {path.name}: exit {done.returncode} (threshold 0)")
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    load = unittest.defaultTestLoader
    suite = load.loadTestsFromNames(names, Filled) if names else load.loadTestsFromTestCase(Filled)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
