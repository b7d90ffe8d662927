#!/usr/bin/env python3
"""test_hidden_cells.py PIOLA -- pictures and films of meshes without the cells in which a field is below a value, and
the picture of an optimised layout in space."""
import base64
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import animation
from test_film import rows_of

PIOLA = ""
WIDTH, HEIGHT, LEFT, BAR = 480, 270, 85, 360  # pixels; the plot is between LEFT, which has the axes, and BAR
TOP = 48  # height of the heading
# A block on the ground, of which the left half is nearly empty.
BLOCK = """version: 1
name: block
method: {type: fem, dimension: 3, precision: f64}
materials: [{name: solid, model: linear, E: 1 MPa, nu: 0.3}%s]
geometry: [{name: box, type: box, min: [0, 0, 0], max: [1, 1, 1], elements: [6, 6, 6], element: hex8}]
bodies:
  - {name: block, geometry: box, material: solid, relative_density: %s, interpolation: {power: 3, least: 1e-3%s}}
boundary: [{name: ground, body: block, on: {group: front}, type: fixed}]
loads: [{name: load, body: block, on: {group: right}, type: traction, value: [0, 0, -1 kPa]}]
"""
HALF = "0.55 + 0.35*tanh(1000*(x/(1 m) - 0.5))"  # 0.2 and 0.9
DESIGN = """observe:
  - {name: work, type: compliance}
  - {name: filled, type: relative_density, body: block}
objective: [{type: minimize, of: work}]
design: [{name: layout, target: bodies.block.relative_density, per: element, bounds: [0, 1]}]
constraints: [{of: filled, max: 0.4}]
optimizer: {type: mma, max_iterations: 6}
"""


def shown(rows):
    """How many pixels of the plot have the colours of what is nearly empty, purple, and of what is full, yellow."""
    plot = [pixel for row in rows[TOP:] for pixel in row[LEFT:BAR]]
    return sum(b > g + 20 for _, g, b in plot), sum(g > b + 20 for _, g, b in plot)


class HiddenCells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, *arguments, code=0):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def run_block(self, text, command="run", codes=(0,)):
        """Runs a scene of this text and returns the name of its states."""
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(text)
        done = subprocess.run([PIOLA, command, scene, "-o", out, "--device", "cpu", "-q", "--resume", "never"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        return out / "states.vtkhdf"

    def file(self, states, *options):
        path = self.root / "frame.png"
        self.piola("render", states, "-o", path, *options)
        return path

    def picture(self, states, *options):
        return rows_of(self.file(states, "--size", f"{WIDTH}x{HEIGHT}", *options))

    def test_cells_below_the_value_are_not_drawn_and_what_they_hid_is(self):
        states = self.run_block(BLOCK % ("", HALF, ""))
        options = ("--field", "relative_density", "--range", "0,1", "--azimuth", "-60", "--deformation", "0")
        whole, full = (shown(self.picture(states, *options, *more))
                       for more in ((), ("--hide-below", "relative_density=0.5")))
        print(f"  pixels nearly empty and full: {full} where they are hidden; negative control {whole} where not")
        self.assertEqual(full[0], 0)
        self.assertGreater(whole[0], 3000)
        self.assertGreater(full[1], whole[1] + 1000, "the surface behind is drawn")
        plain = self.picture(states, *options)
        for least, words in ((0.1, "none is hidden"), (0.95, "none is left")):
            rows = self.picture(states, *options, "--hide-below", f"relative_density={least}")
            self.assertEqual(rows[TOP:], plain[TOP:], words)
            self.assertNotEqual(rows[:TOP], plain[:TOP], "the heading does not say it")

    def test_the_field_that_is_drawn_need_not_be_the_one_that_hides(self):
        states = self.run_block(BLOCK % ("", HALF, ""))
        hide = ("--hide-below", "relative_density=0.5")
        for field in ("material", "displacement"):
            self.assertNotEqual(self.picture(states, "--field", field, *hide)[TOP:],
                                self.picture(states, "--field", field)[TOP:], field)

    def test_a_film_hides_the_same_cells(self):
        states, film = self.run_block(BLOCK % ("", HALF, "")), self.root / "film.png"
        found = {}
        for more in ((), ("--hide-below", "relative_density=0.5")):
            self.piola("film", states, "-o", film, "--size", f"{WIDTH}x{HEIGHT}", "--field", "relative_density",
                       "--range", "0,1", "--azimuth", "-60", *more)
            found[more] = [shown(rows)[0] for rows in animation.Animation(film).frames]
        print(f"  pixels nearly empty in each frame: {list(found.values())[1]}; negative control {found[()]}")
        self.assertEqual(max(list(found.values())[1]), 0)
        self.assertGreater(min(found[()]), 3000)

    def test_the_picture_of_a_layout_in_space_is_without_what_is_empty(self):
        options = ("--field", "relative_density", "--deformation", "0")
        hidden = (*options, "--range", "0,1", "--hide-below", "relative_density=0.5")
        other = ", {name: soft, model: linear, E: 1 kPa, nu: 0.3}"
        for text, wanted, control in ((BLOCK % ("", "0.4", ""), hidden, options),
                                      (BLOCK % (other, "0.4", ", other: soft"), options, hidden)):
            states = self.run_block(text.replace("least: 1e-3, other", "other") + DESIGN, "optimize", (0, 1))
            seen = (states.parent / "picture.png").read_bytes()
            same, different = (self.file(states, *o).read_bytes() for o in (wanted, control))
            self.assertEqual(seen, same)
            self.assertNotEqual(seen, different, "negative control")

    def test_a_report_hides_what_is_empty_in_the_design_and_in_the_states(self):
        states = self.run_block(BLOCK % ("", "0.4", "") + DESIGN, "optimize", (0, 1))
        page = self.root / "report.html"
        self.piola("report", states.parent, "-o", page)
        pictures = [base64.b64decode(text) for text in
                    re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", page.read_text(encoding="utf-8"))]
        history, layout = states.parent / "history.vtkhdf", "bodies_block_relative_density"
        hide = ("--hold", "--size", "960x540", "--hide-below")
        for file, options in ((states, ("--fit", *hide, "relative_density=0.5")),
                              (history, ("--field", layout, "--range", "0,1", *hide, layout + "=0.5"))):
            self.assertIn(self.file(file, *options).read_bytes(), pictures)
            self.assertNotIn(self.file(file, *options[:-2]).read_bytes(), pictures, "negative control")

    def test_what_cannot_be_hidden_is_said(self):
        states = self.run_block(BLOCK % ("", HALF, ""))
        for text, said in (("relative_density", "is not FIELD=VALUE, as relative_density=0.5"),
                           ("relative_density=", "is not FIELD=VALUE"), ("=0.5", "is not FIELD=VALUE"),
                           ("relative_density=0.5x", "is not FIELD=VALUE"),
                           ("relative_density=.nan", "is not FIELD=VALUE"),
                           ("density=0.5", "no field 'density' with one number for each cell; there are: "),
                           ("displacement=0.5", "no field 'displacement' with one number for each cell")):
            error = self.piola("render", states, "-o", self.root / "no.png", "--hide-below", text, code=2)
            self.assertIn(said, error)
            self.assertFalse((self.root / "no.png").exists())
        self.assertIn("relative_density", error)


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
