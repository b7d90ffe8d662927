#!/usr/bin/env python3
"""test_marks.py PIOLA -- targets, data and paths over pictures: they are where the scene and the states have them.

Where a picture puts a metre is not assumed: targets that are a metre apart must be equally far apart in pixels along
both axes, and a body that flies freely must have a straight path of its velocity's slope.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from test_film import rows_of

PIOLA = ""
FLIGHT = """version: 1
name: flight
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 50 mm, min: [0, 0], max: [3, 2]}}
time: {dt: 0.5 ms, duration: 0.2 s}
gravity: [0, 0]
materials: [{name: rubber, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000 kg/m3}]
geometry: [{name: ball, type: ball, center: [0.4, 0.6], radius: 0.15}]
bodies: [{name: ball, geometry: ball, material: rubber, velocity: [4 m/s, 2 m/s]}]
observe: [{name: centre, type: mean_position, body: ball, at: [0.1 s, 0.2 s]}]
objective: [%s]
output: {states: {every: 20 ms, fields: [velocity]}}
"""
TARGET = "{type: target, of: centre, value: [%g, %g]}"
BAR = """version: 1
name: bar
method: {type: fem, dimension: 2}
materials: [{name: solid, model: linear, E: 1 MPa, nu: 0.3}]
geometry: [{name: box, type: box, min: [0, 0], max: [2, 1], elements: [8, 4], element: quad4}]
bodies: [{name: bar, geometry: box, material: solid}]
boundary: [{name: clamp, body: bar, on: {group: left}, type: fixed}]
loads: [{name: load, body: bar, on: {group: right}, type: traction, value: [0, -5 kPa]}]
observe: [{name: tip, type: displacement, body: bar, point: [2, 1]}]
objective: [{type: target, of: tip.y, value: -0.3}]
"""


def is_mark(pixel):
    """Whether a pixel is covered by a mark by half or more: they are red, and no colour of a field that is not signed
    is."""
    return pixel[0] > pixel[1] + 60 and pixel[0] > pixel[2] + 40


class Marks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="piola_marks_")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, *arguments, code=0):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)

    def simulate(self, text):
        scene, out = self.root / "scene.yaml", self.root / "out"
        scene.write_text(text, encoding="utf-8")
        self.piola("run", scene, "-o", out, "-q")
        return out / "states.vtkhdf"

    def marks(self, states, *options):
        """The pixels of a picture that have the colour of marks, below the heading, as (x, y)."""
        path = self.root / "frame.png"
        self.piola("render", states, "-o", path, "--size", "960x540", *options)
        return [(x, y) for y, row in enumerate(rows_of(path)) if y > 60
                for x, pixel in enumerate(row) if is_mark(pixel)]

    @staticmethod
    def middle(pixels):
        return tuple((min(p[a] for p in pixels) + max(p[a] for p in pixels)) / 2 for a in (0, 1))

    def test_targets_are_as_far_apart_as_they_are(self):
        places = [(1, 1), (2, 1), (1, 1.5)]
        at = [self.middle(self.marks(self.simulate(FLIGHT % TARGET % p), "--targets")) for p in places]
        metre = at[1][0] - at[0][0]
        off = max(abs(at[1][1] - at[0][1]), abs(at[2][0] - at[0][0]), abs(at[0][1] - at[2][1] - metre / 2))
        print(f"  a metre is {metre:.1f} pixels; targets are off by {off:.1f} pixels at most, 1 is permitted")
        self.assertGreater(metre, 100)
        self.assertLessEqual(off, 1)
        self.assertEqual(self.marks(self.root / "out/states.vtkhdf"), [], "without --targets there is none")

    def test_the_path_of_a_free_flight_is_straight_and_of_its_slope(self):
        states = self.simulate(FLIGHT % "")
        path = self.marks(states, "--paths", "--frame", "5")
        left, right = min(p[0] for p in path), max(p[0] for p in path)
        top, bottom = min(p[1] for p in path), max(p[1] for p in path)
        slope = (bottom - top) / (right - left)
        middle = [(left + right) / 2, (top + bottom) / 2]
        ring = [p for p in path if abs(p[0] - middle[0]) < 12 and abs(p[1] - middle[1]) < 12]
        off = max(abs((p[1] - bottom) + 0.5 * (p[0] - left)) for p in path)
        print(f"  slope {slope:.4f}, of the velocity 0.5; farthest from the line {off:.1f} pixels, 8 is permitted, the "
              f"ring about the place of frame 5; {len(ring)} pixels about it")
        self.assertLess(abs(slope - 0.5), 0.01)
        self.assertLess(off, 8)
        first = self.marks(states, "--paths", "--frame", "0")
        self.assertGreater(right - left, 150)
        self.assertLess(min(p[0] for p in first), left, "the ring is at the start in frame 0")

    def test_a_coordinate_alone_is_a_line_and_data_are_crosses(self):
        line = self.marks(self.simulate(FLIGHT % "{type: target, of: centre.x, value: 1.5}"), "--targets")
        self.assertLess(max(p[0] for p in line) - min(p[0] for p in line), 4)
        self.assertGreater(max(p[1] for p in line) - min(p[1] for p in line), 200)
        (self.root / "where.csv").write_text("time,x,y\n0.1,1,1.5\n0.2,2,1.5\n", encoding="utf-8")
        misfit = "{type: misfit, of: centre, data: {file: where.csv, columns: [x, y]}, sigma: 1 cm}"
        states = self.simulate(FLIGHT % misfit)
        data = self.marks(states, "--targets")
        columns = sorted({p[0] for p in data})
        gap = max(b - a for a, b in zip(columns, columns[1:]))
        self.assertGreater(gap, 100, "two crosses, a metre apart")
        self.assertLess(max(p[1] for p in data) - min(p[1] for p in data), 12)
        (self.root / "out/result.json").unlink()
        self.assertEqual(self.marks(states, "--targets"), [], "data are those of result.json")

    def test_a_point_of_a_mesh_is_where_its_displacement_is_drawn(self):
        states = self.simulate(BAR)
        rings = [self.middle(self.marks(states, "--paths", "--deformation", factor, "--hold"))
                 for factor in ("-0.0001", "0.0001")]
        self.assertLess(abs(rings[0][0] - rings[1][0]) + abs(rings[0][1] - rings[1][1]), 1.1)
        self.assertEqual(self.marks(states, "--paths", "--targets", "--deformation", "0"), [],
                         "where nothing moves no target of a displacement can be met")
        result = json.loads((self.root / "out/result.json").read_text(encoding="utf-8"))
        self.assertLess(result["observations"]["tip"]["value"][-1][1], -0.01)
        both = self.marks(states, "--paths", "--targets")
        level = max((sum(1 for p in both if p[1] == y), y) for y in {p[1] for p in both})
        self.assertGreater(level[0], 300, "the target of one coordinate is a line")

    def test_a_path_is_that_of_the_mass_or_there_is_none(self):
        """Half of the points have a ninth of the volume of the others: the mean of all is 0.08 m, or 16 pixels, from
        the observed place."""
        rows = [f"{0.3 + 0.05 * i},{0.6 + 0.05 * j},{'9e-4' if i > 3 else '1e-4'}" for i in range(8) for j in range(4)]
        (self.root / "points.csv").write_text("x,y,volume\n" + "\n".join(rows) + "\n", encoding="utf-8")
        text = (FLIGHT % TARGET % (1.2, 1)).replace("type: ball, center: [0.4, 0.6], radius: 0.15",
                                                    "type: points, file: points.csv")
        self.assertIn("points.csv", text)
        rows = self.marks(self.simulate(text), "--paths")
        self.assertEqual(rows, [], "the file has no masses, so that no path is known")
        self.simulate(text.replace("[velocity]", "[velocity, mass]"))
        result = json.loads((self.root / "out/result.json").read_text(encoding="utf-8"))
        seen = result["observations"]["centre"]["value"]
        aim = self.simulate(text.replace("[velocity]", "[velocity, mass]").replace("[1.2, 1]", str(seen[-1])))
        last = self.middle(self.marks(aim, "--targets"))
        end = max(self.marks(aim, "--paths", "--frame", "0"))
        print(f"  target at the observed place {last}, end of the path {end}; 3 pixels apart are permitted")
        self.assertLess(abs(end[0] - last[0]) + abs(end[1] - last[1]), 3)

    def test_an_unreadable_result_is_an_error(self):
        states = self.simulate(FLIGHT % TARGET % (1.2, 1))
        (self.root / "out/result.json").write_text("{", encoding="utf-8")
        self.piola("render", states, "-o", self.root / "a.png", "--targets", code=65)
        self.assertFalse((self.root / "a.png").exists())

    def test_data_of_one_coordinate_are_not_drawn_and_not_in_the_caption(self):
        (self.root / "where.csv").write_text("time,y\n0.1,1.5\n0.2,1.5\n", encoding="utf-8")
        misfit = "{type: misfit, of: centre.y, data: {file: where.csv, columns: [y]}, sigma: 1 cm}"
        states = self.simulate(FLIGHT % misfit)
        pictures = []
        for more in ((), ("--targets",), ("--paths",)):
            self.piola("render", states, "-o", self.root / "a.png", *more)
            pictures.append((self.root / "a.png").read_bytes())
        self.assertEqual(pictures[0], pictures[1])
        self.assertNotEqual(pictures[0], pictures[2])

    def test_an_optimisation_draws_them_and_so_do_films(self):
        scene = self.root / "scene.yaml"
        scene.write_text(FLIGHT % TARGET % (1.2, 1) + "design: [{name: throw, target: bodies.ball.velocity, bounds: "
                         "[-9 m/s, 9 m/s]}]\noptimizer: {type: lbfgs, max_iterations: 2}\n", encoding="utf-8")
        done = subprocess.run([PIOLA, "optimize", scene, "-o", self.root / "out", "-q"], timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1))
        rows = rows_of(self.root / "out/picture.png")
        self.assertGreater(sum(is_mark(pixel) for row in rows[60:] for pixel in row), 30)
        film = self.root / "film.png"
        sizes = []
        for more in ((), ("--targets", "--paths")):
            self.piola("film", self.root / "out/states.vtkhdf", "-o", film, "--size", "480x270", *more)
            sizes.append(film.read_bytes())
        self.assertNotEqual(*sizes)


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
