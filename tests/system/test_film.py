#!/usr/bin/env python3
"""test_film.py PIOLA -- films: axes and colour bar are the same in every frame of `film`, as in the pictures of `render
--hold`. Numbers of bodies and materials have their names."""
import itertools
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

sys.dont_write_bytecode = True
import animation

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
DESIGN = """observe: [{name: tip, type: displacement, body: bar, on: {group: right}}]
objective: [{type: minimize, of: tip.y}]
design: [{name: E, target: materials.rubber.E, bounds: [200 kPa, 400 kPa]}]
optimizer: {type: lbfgs, max_iterations: 2}
"""
WHITE, WIDTH, HEIGHT = (255, 255, 255), 480, 270


def unfiltered(kind, row, above):
    """The bytes of a row of RGB whose filter is of that kind (PNG specification, section 9.2)."""
    row = bytearray(row)
    if kind == 1:
        for k in range(3):
            row[k::3] = bytes(itertools.accumulate(row[k::3], lambda left, change: left + change & 255))
    elif kind == 2:
        row = bytearray(change + up & 255 for change, up in zip(row, above))
    elif kind == 4:
        for i in range(3):  # nothing is to the left of the first pixel
            row[i] = row[i] + above[i] & 255
        for i in range(3, len(row)):
            a, b, c = row[i - 3], above[i], above[i - 3]
            to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            nearest = a if to_a <= to_b and to_a <= to_c else b if to_b <= to_c else c
            row[i] = row[i] + nearest & 255
    else:
        assert kind == 0, f"Piola writes no filter {kind}"
    return row


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
        above = unfiltered(raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)], above)
        rows.append(list(zip(above[0::3], above[1::3], above[2::3])))
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


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scene.yaml").write_text(SWING)
        self.piola("run", self.root / "scene.yaml", "-o", self.root / "out", "--device", "cpu")

    def piola(self, *arguments):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def expect(self, code, texts, *arguments, **environment):
        """Runs the command, which must fail with this exit code and these texts."""
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def frame(self, number, *options):
        picture = self.root / "frame.png"
        self.piola("render", self.root / "out" / "states.vtkhdf", "-o", picture, "--frame", number, "--size",
                   f"{WIDTH}x{HEIGHT}", *options)
        return rows_of(picture)


class Pictures(Case):
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


class Film(Case):
    def film(self, name, *options):
        path = self.root / name
        self.piola("film", self.root / "out" / "states.vtkhdf", "-o", path, "--size", f"{WIDTH}x{HEIGHT}", *options)
        return path

    def test_an_animated_png_has_the_frames_of_the_file_as_render_draws_them(self):
        film = animation.Animation(self.film("film.png", "--fps", "12.5"))
        self.assertEqual((film.width, film.height, film.count, film.plays, len(film.frames)), (WIDTH, HEIGHT, 7, 0, 7))
        self.assertEqual(film.delays, [0.08] * 7)
        whole, rectangles = (0, 0, WIDTH, HEIGHT), film.rectangles
        self.assertEqual(rectangles[0], whole)
        self.assertTrue(all(w * h < 0.7 * WIDTH * HEIGHT for _, _, w, h in rectangles[1:]), rectangles)
        distances = {}
        for shown in (0, 3, 6):
            for drawn in (0, 3, 6):
                rows = self.frame(drawn, "--hold")
                square = sum((a - b) ** 2 for row, other in zip(film.frames[shown], rows)
                             for p, q in zip(row, other) for a, b in zip(p, q))
                distances[shown, drawn] = (square / (3 * WIDTH * HEIGHT)) ** 0.5
        right = max(d for (a, b), d in distances.items() if a == b)
        wrong = min(d for (a, b), d in distances.items() if a != b)
        print(f"  differences of colours: from render's frame {right:.2f} (< 1.5, by the palette), from others "
              f"{wrong:.2f} (> 8)")
        self.assertLess(right, 1.5)
        self.assertGreater(wrong, 8)

    def test_axes_bar_and_colours_hold_still_in_a_film(self):
        film = animation.Animation(self.film("film.png"))
        self.assertAlmostEqual(film.delays[0], 1 / 15)
        plot, first = plot_of(film.frames[0]), film.frames[0]
        left, top, right, bottom = plot
        for number, frame in enumerate(film.frames):
            self.assertEqual(plot_of(frame), plot, number)
            self.assertEqual(around(frame, plot), around(first, plot), number)
        last, before = ([row[left:right] for row in frame[top:bottom]] for frame in (film.frames[6], first))
        self.assertNotEqual(last, before, "negative control: the beam does not move")
        free = [self.frame(n) for n in (1, 6)]
        self.assertNotEqual(around(free[0], plot), around(free[1], plot), "negative control: a film of free frames")

    def test_a_picture_without_its_library_or_its_font_is_69_and_says_what_to_install(self):
        states, fonts = self.root / "out" / "states.vtkhdf", self.root / "fonts"
        fonts.mkdir()
        for command in ("render", "film"):
            arguments = (command, states, "-o", self.root / "a.png")
            self.expect(69, ["needs cairo", "there is no ", "piola_text_cairo.so", "libcairo2"], *arguments,
                        PIOLA_ENGINES=str(fonts))
            self.expect(69, ["DejaVu Sans", str(fonts), "fonts-dejavu-core"], *arguments, PIOLA_FONTS=str(fonts))
            (fonts / "DejaVuSans.ttf").write_text("no font")
            (fonts / "DejaVuSans-Bold.ttf").write_text("no font")
            self.expect(69, ["DejaVu Sans"], *arguments, PIOLA_FONTS=str(fonts))
            self.assertFalse((self.root / "a.png").exists())
        for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
            shutil.copy(next(pathlib.Path("/usr/share/fonts").rglob(name)), fonts / name)
        copied = self.frame(6)
        os.environ["PIOLA_FONTS"] = str(fonts)
        try:
            self.assertEqual(self.frame(6), copied, "the same font in another folder")
        finally:
            del os.environ["PIOLA_FONTS"]

    def test_an_optimisation_goes_on_without_its_picture(self):
        scene, out, fonts = self.root / "scene.yaml", self.root / "best", self.root / "none"
        fonts.mkdir()
        scene.write_text(SWING + DESIGN)
        for with_font in (True, False):
            given = {} if with_font else {"PIOLA_FONTS": str(fonts)}
            done = subprocess.run([PIOLA, "optimize", scene, "-o", out, "--device", "cpu", "--resume", "never"],
                                  capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **given})
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual((out / "picture.png").exists(), with_font)
            listed = [pathlib.Path(name).name for name in json.loads((out / "result.json").read_text())["files"]]
            self.assertEqual("picture.png" in listed, with_font, listed)
            self.assertEqual("there is no picture.png: a picture needs the font" in done.stderr, not with_font)
            self.assertEqual("picture.png\n" in done.stderr, with_font, done.stderr)

    def test_the_same_file_gives_the_same_bytes_with_any_number_of_threads(self):
        for end in ("png", "webm"):
            if end == "webm" and not self.has_webm():
                continue
            one = self.film(f"one.{end}", "--threads", "1").read_bytes()
            self.assertEqual(self.film(f"two.{end}", "--threads", "3").read_bytes(), one)
            self.assertNotEqual(self.film(f"other.{end}", "--range", "0,9").read_bytes(), one, "negative control")

    def has_webm(self):
        found = (pathlib.Path(PIOLA).parent / "piola_video_vpx.so").exists()
        if not found:
            print("  not checked: WebM; libvpx-dev was missing")
            self.assertNotEqual(os.environ.get("CI"), "true")
        return found

    def test_every_second_frame_is_drawn_when_that_is_requested(self):
        films = [animation.Animation(self.film("film.png", "--every", n)) for n in (1, 2, 7)]
        self.assertEqual([len(film.frames) for film in films], [7, 4, 1])
        # palettes differ; plots are white, the beam is not
        shapes = [[[pixel == WHITE for pixel in row] for row in film.frames[at]] for film, at in
                  ((films[0], 4), (films[1], 2), (films[0], 2))]
        self.assertEqual(shapes[0], shapes[1])
        self.assertNotEqual(shapes[0], shapes[2], "negative control")

    def test_a_webm_has_a_block_for_each_frame(self):
        if not self.has_webm():
            self.skipTest("libvpx-dev was missing")
        path = self.film("film.webm", "--fps", "10")
        head, segment = animation.elements_of(path.read_bytes())
        self.assertEqual((head[0], segment[0]), ("1a45dfa3", "18538067"))
        parts = animation.elements_of(segment[1])
        self.assertEqual([name for name, _, _ in parts], ["1549a966", "1654ae6b", "1f43b675", "1c53bb6b"])
        duration = [struct.unpack(">d", c)[0] for name, c, _ in animation.elements_of(parts[0][1]) if name == "4489"]
        blocks = [struct.unpack(">BhB", c[:4]) for name, c, _ in animation.elements_of(parts[2][1]) if name == "a3"]
        self.assertEqual(duration, [700])
        self.assertEqual(blocks, [(0x81, 100 * n, 0 if n else 0x80) for n in range(7)])
        self.assertLess(path.stat().st_size, self.film("film.png").stat().st_size)

    def test_a_film_that_cannot_be_is_an_error_and_leaves_nothing(self):
        states, there = self.root / "out" / "states.vtkhdf", sorted(self.root.iterdir())
        self.expect(2, ["needs the film to write"], "film", states)
        self.expect(2, ["ends in neither .png nor .webm"], "film", states, "-o", self.root / "film.gif")
        for options in (["--fps", "0"], ["--fps", "121"], ["--every", "0"], ["--size", "10x10"], ["--frame", "1"]):
            self.expect(2, [options[0]], "film", states, "-o", self.root / "film.png", *options)
        self.expect(2, ["no field 'speed'"], "film", states, "-o", self.root / "film.png", "--field", "speed")
        self.expect(66, [], "film", self.root / "none.vtkhdf", "-o", self.root / "film.png")
        self.expect(65, [], "film", self.root / "scene.yaml", "-o", self.root / "film.png")
        self.expect(73, [], "film", states, "-o", self.root / "nowhere" / "film.png")
        self.expect(69, ["needs libvpx", "there is no ", "libvpx-dev", ".png"], "film", states, "-o",
                    self.root / "film.webm", PIOLA_ENGINES=str(self.root))
        for name in ("film.png", "film.webm"):
            other = self.root / name
            other.write_text("something else")
            self.expect(73, ["exists and is not a"], "film", states, "-o", other)
            self.assertEqual(other.read_text(), "something else")
            other.unlink()
        self.assertEqual(sorted(self.root.iterdir()), there)

    def test_a_film_that_is_interrupted_leaves_what_was_there(self):
        path = self.film("film.png")
        before = path.read_bytes()
        run = subprocess.Popen([PIOLA, "film", self.root / "out" / "states.vtkhdf", "-o", path, "--size", "8192x8192",
                                "--threads", "1"], stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 120
        while not list(self.root.glob(".*.tmp")) and time.monotonic() < end and run.poll() is None:
            time.sleep(0.01)  # until it has begun
        run.send_signal(signal.SIGINT)
        stderr = run.communicate(timeout=120)[1]
        self.assertEqual(run.returncode, 75, stderr)
        self.assertIn("SIGINT", stderr)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual([p.name for p in self.root.iterdir() if p.name.startswith(".")], [])


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
