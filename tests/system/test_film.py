#!/usr/bin/env python3
"""test_film.py PIOLA -- pictures of a film: with `render --hold` axes and colour bar are the same in every frame.
Numbers of bodies and materials have their names."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PIOLA = ""
# A beam that swings down; at the end its tip is farther down than it is high, and fast.
SWING = """version: 1
name: swing
method: {type: fem, dimension: 2, precision: f64}
time: {integrator: newmark, dt: 10 ms, duration: 0.3 s}
gravity: [0, -9.81]
materials: [{name: rubber, model: neo_hookean, E: 300 kPa, nu: 0.3, density: 1000}]
geometry: [{name: bar, type: box, element: quad4, elements: [10, 2], min: [0, 0], max: [1, 0.1]}]
bodies: [{name: bar, geometry: bar, material: rubber}]
boundary: [{name: clamp, body: bar, on: {group: left}, type: fixed}]
output: {states: {every: 50 ms}}
"""
WHITE, WIDTH, HEIGHT = (255, 255, 255), 480, 270


def rows_of(path):
    """The rows of a PNG of 8-bit RGB, as lists of pixels."""
    data, packed, at = path.read_bytes(), b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert (bits, colour) == (8, 2), "not RGB"
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, stride, above, rows = zlib.decompress(packed), 3 * width, bytearray(3 * width), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (row[i - 3], above[i], above[i - 3]) if i > 2 else (0, above[i], 0)
            p = a + b - c
            paeth = min(((abs(p - v), k, v) for k, v in enumerate((a, b, c))))[2]
            row[i] = row[i] + (0, a, b, (a + b) // 2, paeth)[kind] & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, stride, 3)])
        above = row
    return rows


def plot_of(rows):
    """Left, top, right and bottom of what is white: the plot."""
    places = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel == WHITE]
    return (min(x for x, _ in places), min(y for _, y in places), max(x for x, _ in places),
            max(y for _, y in places))


def around(rows, plot):
    """What is left of the plot below the heading, below it, and right of it above the extremes."""
    left, top, right, bottom = plot
    return ([row[:left - 1] for row in rows[top:]], [row[:right] for row in rows[bottom + 2:]],
            [row[right + 2:] for row in rows[:HEIGHT - 50]])


def beside(rows):
    """What is right of the plot."""
    right = plot_of(rows)[2]
    return [row[right + 2:] for row in rows]


class Film(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scene.yaml").write_text(SWING)
        self.piola("run", self.root / "scene.yaml", "-o", self.root / "out", "--device", "cpu")

    def piola(self, *arguments):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def frame(self, number, *options):
        picture = self.root / "frame.png"
        self.piola("render", self.root / "out" / "states.vtkhdf", "-o", picture, "--frame", number, "--size",
                   f"{WIDTH}x{HEIGHT}", *options)
        return rows_of(picture)

    def test_axes_and_bar_are_the_same_in_every_frame_that_is_held(self):
        first, middle, last = (self.frame(n, "--hold") for n in (1, 3, 6))
        plot = plot_of(first)
        print(f"  plot {plot} in frames 1, 3 and 6")
        self.assertEqual([plot_of(middle), plot_of(last)], [plot, plot])
        self.assertEqual(around(middle, plot), around(first, plot))
        self.assertEqual(around(last, plot), around(first, plot))
        self.assertNotEqual(last, first, "negative control: frames differ")
        free = [self.frame(n) for n in (1, 6)]
        self.assertNotEqual(plot_of(free[0]), plot_of(free[1]), "negative control: without --hold the plot moves")

    def test_a_range_of_ones_own_goes_before_that_of_the_frames(self):
        held, own = self.frame(6, "--hold"), self.frame(6, "--hold", "--range", "0,100")
        self.assertEqual(plot_of(held)[1::2], plot_of(own)[1::2])  # the same window
        self.assertNotEqual(held, own)

    def test_the_box_of_all_frames_is_that_of_the_displacements_that_are_drawn(self):
        self.assertNotEqual(plot_of(self.frame(6, "--hold", "--deformation", "0")), plot_of(self.frame(6, "--hold")))

    def test_bodies_and_materials_are_shown_by_their_names(self):
        named = {field: self.frame(6, "--field", field) for field in ("body", "material")}
        scene = self.root / "scene.yaml"
        scene.write_text(SWING.replace("body: bar", "body: leg").replace("{name: bar, geometry: bar", "{name: leg, "
                                                                        "geometry: bar"))
        self.piola("run", scene, "-o", self.root / "out", "--device", "cpu")
        self.assertEqual(self.frame(6, "--field", "material"), named["material"])
        leg = self.frame(6, "--field", "body")
        self.assertNotEqual(beside(leg), beside(named["body"]), "the name is not shown")
        numbers = self.frame(6, "--field", "body", "--range", "-1,1")
        scene.write_text(SWING)
        self.piola("run", scene, "-o", self.root / "out", "--device", "cpu")
        self.assertEqual(beside(self.frame(6, "--field", "body", "--range", "-1,1")), beside(numbers),
                         "negative control: with a range the bar has numbers")


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
