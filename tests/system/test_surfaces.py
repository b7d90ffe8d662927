#!/usr/bin/env python3
"""test_surfaces.py PIOLA -- pictures, films and reports of fluids as surfaces, and of transparent bodies."""
import base64
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py

sys.dont_write_bytecode = True
import animation
from test_film import rows_of

PIOLA = ""
WIDTH, HEIGHT, LEFT, BAR, TOP = 480, 270, 85, 360, 48  # pixels; the plot is between LEFT, BAR and below TOP
# A drop of syrup, which hides a cube of jelly behind it.
DROP = """version: 1
name: drop
method: {type: mpm, dimension: 3, precision: f64, grid: {spacing: 50 mm, min: [0, 0, 0], max: [1, 1, 1]}}
time: {dt: 0.2 ms, duration: 1 ms}
gravity: [0, 0, -9.81]
materials:
  - {name: syrup, model: tait, bulk: 100 kPa, gamma: 7, viscosity: 4 Pa.s, density: 1200 kg/m3}
  - {name: jelly, model: neo_hookean, E: 40 kPa, nu: 0.35, density: 1000 kg/m3}
geometry:
  - {name: front, type: box, min: [0.25, 0.2, 0.25], max: [0.75, 0.4, 0.75]}
  - {name: behind, type: box, min: [0.4, 0.6, 0.4], max: [0.6, 0.8, 0.6]}
bodies:
  - {name: drop, geometry: front, material: syrup}
  - {name: cube, geometry: behind, material: jelly}
output: {states: {every: 0.4 ms, fields: [velocity, body]}}
"""
# The same as a mesh of two solids.
MESH = """version: 1
name: block
method: {type: fem, dimension: 3, precision: f64}
materials: [{name: solid, model: linear, E: 1 MPa, nu: 0.3}]
geometry:
  - {name: front, type: box, min: [0.2, 0.1, 0.2], max: [0.8, 0.3, 0.8], elements: [3, 1, 3], element: hex8}
  - {name: behind, type: box, min: [0.4, 0.6, 0.4], max: [0.6, 0.8, 0.6], elements: [1, 1, 1], element: hex8}
bodies:
  - {name: drop, geometry: front, material: solid}
  - {name: cube, geometry: behind, material: solid}
boundary:
  - {name: one, body: drop, on: {group: bottom}, type: fixed}
  - {name: other, body: cube, on: {group: bottom}, type: fixed}
loads: [{name: load, body: drop, on: {group: right}, type: traction, value: [0, 0, -1 Pa]}]
"""
VIEW = ("--azimuth", "0", "--elevation", "0", "--field", "body")


def shown(rows):
    """How many pixels of the plot have the colours of the first body, blue, and of the last, green."""
    plot = [pixel for row in rows[TOP:] for pixel in row[LEFT:BAR]]
    return sum(b > g + 20 for _, g, b in plot), sum(g > b + 20 for _, g, b in plot)


class Surfaces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, *arguments, code=0):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def run_scene(self, text):
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(text)
        self.piola("run", scene, "-o", out, "--device", "cpu", "-q")
        return out / "states.vtkhdf"

    def file(self, states, *options):
        path = self.root / "frame.png"
        self.piola("render", states, "-o", path, "--size", f"{WIDTH}x{HEIGHT}", *options)
        return path

    def picture(self, states, *options):
        return rows_of(self.file(states, *options))

    def test_fluids_are_surfaces_and_solids_are_not_unless_requested(self):
        states = self.run_scene(DROP)
        default, fluids, name, every, none = (self.file(states, *more).read_bytes() for more in (
            (), ("--surface", "fluids"), ("--surface", "drop"), ("--surface", "all"), ("--surface", "none")))
        self.assertEqual(default, fluids)
        self.assertEqual(default, name)
        self.assertEqual(len({default, every, none}), 3, "negative control: they do not differ")
        both = self.file(states, "--surface", "none,drop,cube", "--threads", "3").read_bytes()
        self.assertEqual(both, every)

    def test_what_is_behind_a_transparent_body_is_seen(self):
        for text, opaque in ((DROP, ("--surface", "all")), (MESH, ())):
            states = self.run_scene(text)
            hidden, half, gone = (shown(self.picture(states, *VIEW, *more)) for more in (
                opaque, ("--opacity", "drop=0.3"), ("--opacity", "drop=0")))
            print(f"  pixels of the drop and of the cube behind: {gone} where the drop is not drawn, {half} at 0.3, "
                  f"{hidden} where it is opaque")
            self.assertGreater(hidden[0], 3000)
            self.assertLess(hidden[1], 20)
            self.assertGreater(gone[1], 500)
            self.assertLess(gone[0], 20)
            self.assertGreater(half[0], 3000)
            self.assertNotEqual(self.picture(states, *VIEW, "--opacity", "drop=0.3"),
                                self.picture(states, *VIEW, "--opacity", "drop=0.3,cube=0"), "the cube is not seen")

    def test_films_and_reports_draw_the_same(self):
        states, film = self.run_scene(DROP), self.root / "film.png"
        frames = {}
        for more in ((), ("--surface", "none"), ("--opacity", "all=0.5")):
            self.piola("film", states, "-o", film, "--size", f"{WIDTH}x{HEIGHT}", *VIEW, *more)
            frames[more] = animation.Animation(film).frames[-1]
            still = self.picture(states, *VIEW, "--hold", *more)
            far = sum(max(abs(a - b) for a, b in zip(p, q)) > 24 for r, s in zip(frames[more], still)
                      for p, q in zip(r, s))
            print(f"  {' '.join(more) or 'default'}: {far} pixels of the last frame are not as in the picture (0)")
            self.assertEqual(far, 0)
        self.assertNotEqual(frames[()], frames["--surface", "none"])
        self.assertNotEqual(frames[()], frames["--opacity", "all=0.5"])
        self.piola("report", states.parent)
        page = (states.parent / "report.html").read_text()
        for more, there in (((), True), (("--surface", "none"), False)):
            path = self.root / "last.png"
            self.piola("render", states, "-o", path, "--size", REPORT, "--hold", *more)
            self.assertEqual(base64.b64encode(path.read_bytes()).decode() in page, there, more)

    def test_what_cannot_be_drawn_so_is_said(self):
        states = self.run_scene(DROP)
        for options, said in ((("--surface", "dorp"), "has no body 'dorp'; there are: drop, cube, and all"),
                              (("--surface", "drop,"), "has no body ''"),
                              (("--opacity", "drop"), "'drop' is not BODY=VALUE with a value of 0 to 1"),
                              (("--opacity", "drop=1.5"), "is not BODY=VALUE"),
                              (("--opacity", "drop=nan"), "is not BODY=VALUE"),
                              (("--opacity", "drop=0.5x"), "is not BODY=VALUE"),
                              (("--opacity", "drop=0.5,dorp=0.5"), "has no body 'dorp'")):
            error = self.piola("render", states, "-o", self.root / "no.png", *options, code=2)
            self.assertIn(said, error)
            self.assertFalse((self.root / "no.png").exists())
        states = self.run_scene(MESH)
        error = self.piola("render", states, "-o", self.root / "no.png", "--surface", "drop", code=2)
        self.assertIn("holds a mesh, which is drawn by its own surface", error)

    def run_without_bodies(self, text):
        """States of a scene without the numbers of the bodies, and without the checksums, which would not be right."""
        states = self.run_scene(text)
        with h5py.File(states, "r+") as file:
            del file["VTKHDF/PointData/body"], file["VTKHDF/Steps/PointDataOffsets/body"]
            del file["piola"].attrs["checksums"]
        return states

    def test_fluids_are_surfaces_only_where_it_is_known_which_particles_are_fluids(self):
        states = self.run_without_bodies(DROP)
        default, none, every = (self.file(states, *more).read_bytes() for more in (
            (), ("--surface", "none"), ("--surface", "all")))
        self.assertEqual(default, none)
        self.assertNotEqual(default, every, "negative control: surfaces do not differ from discs")
        half, discs = (self.file(states, "--opacity", "all=0.5", *more).read_bytes() for more in (
            (), ("--surface", "none")))
        self.assertEqual(half, discs)
        self.assertNotEqual(half, default, "the transparency of all bodies is left out")
        refused = self.root / "no.png"
        for command in ("render", "film"):
            error = self.piola(command, states, "-o", refused, "--surface", "fluids", code=2)
            self.assertIn("has fluids and solids, but no field 'body' that says which particles are which; all or none "
                          "is right", error)
            self.assertFalse(refused.exists())

    def test_two_fluids_need_no_numbers_of_bodies(self):
        states = self.run_without_bodies(DROP.replace("material: jelly", "material: syrup"))
        default, fluids, every, none = (self.file(states, *more).read_bytes() for more in (
            (), ("--surface", "fluids"), ("--surface", "all"), ("--surface", "none")))
        self.assertEqual(default, every)
        self.assertEqual(fluids, every)
        self.assertNotEqual(none, every, "negative control: surfaces do not differ from discs")


REPORT = "960x540"  # pixels of the pictures of a report

if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
