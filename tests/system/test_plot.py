#!/usr/bin/env python3
"""test_plot.py PIOLA -- curves as SVG, PDF and PNG: what is drawn is what the files of the folder hold, to a pixel.

The axes of a figure are found by its own lines: in the map that the first and the last point of a curve give, every
grid line and every tick must be at a round value, and every other point where its value is.
"""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from test_report import DATA, SCENE, STUDY

PIOLA = ""
FIRST, SECOND = "rgb(0%,44.705882%,69.803922%)", "rgb(83.529412%,36.862745%,0%)"  # of curves
GRID = "rgb(87.058824%,88.235294%,90.196078%)"


def paths(svg):
    """The paths of a figure beside its letters: stroke and list of lines, each a list of points."""
    root = xml.etree.ElementTree.fromstring(svg.read_text(encoding="utf-8"))
    letters = {id(path) for symbol in root.findall(".//{*}symbol") for path in symbol.findall(".//{*}path")}
    found = []
    for path in root.findall(".//{*}path"):
        stroke = re.search(r"stroke:(rgb\([^)]*\))", path.get("style"))
        if id(path) in letters or not stroke:
            continue
        lines = [[tuple(map(float, pair)) for pair in re.findall(r"([-\d.]+) ([-\d.]+)", line)]
                 for line in path.get("d").split("M")[1:]]
        found.append((stroke.group(1), lines))
    return root, found


def curve(found, stroke, points):
    """The places of evenly spaced points on the only line of this colour across the figure; where three are in a row,
    cairo leaves out the one between."""
    of = [lines[0] for colour, lines in found if colour == stroke and len(lines) == 1 and
          lines[0][-1][0] - lines[0][0][0] > 200]
    assert len(of) == 1 and len(of[0]) <= points, f"{len(of)} lines across the figure are {stroke}"
    line, places, k = of[0], [], 0
    for i in range(points):
        x = line[0][0] + (line[-1][0] - line[0][0]) * i / (points - 1)
        while k < len(line) - 2 and line[k + 1][0] < x:
            k += 1
        (x0, y0), (x1, y1) = line[k:k + 2]
        places.append((x, y0 + (y1 - y0) * (x - x0) / (x1 - x0)))
    return places


def worst(line, values):
    """The farthest that a point of a line is from its value, in pixels, where the extremes of both are one map; the
    map as a function from pixels to values."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    a, b = order[0], order[-1]
    per_pixel = (values[b] - values[a]) / (line[b] - line[a])
    return max(abs((v - values[a]) / per_pixel - (p - line[a])) for v, p in zip(values, line)), \
        lambda pixel: values[a] + (pixel - line[a]) * per_pixel


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="piola_plot_")
        cls.root = pathlib.Path(cls.scratch.name)
        (cls.root / "fit.yaml").write_text(SCENE, encoding="utf-8")
        (cls.root / "force.csv").write_text(DATA, encoding="utf-8")
        log = cls.run_piola("optimize", cls.root / "fit.yaml", "-o", cls.root / "fit")
        cls.J = [float(J) for J in re.findall(r"iteration +\d+: J = ([^,]+),", log)]
        cls.result = json.loads((cls.root / "fit/result.json").read_text(encoding="utf-8"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @staticmethod
    def run_piola(*arguments, code=0):
        done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr}"
        return done.stderr

    def plot(self, end, *options, folder="fit"):
        path = self.root / f"figure.{end}"
        path.unlink(missing_ok=True)
        self.run_piola("plot", self.root / folder, "-o", path, *options)
        return path

    def expect_round(self, pixels, value, step):
        """Lines at these pixels, which are whole, are at multiples of the step."""
        self.assertGreaterEqual(len(pixels), 3)
        for pixel in pixels:
            off = abs(value(pixel) / step - round(value(pixel) / step)) * step
            self.assertLessEqual(off, abs(value(pixel + 1) - value(pixel)), f"a line is at {value(pixel):.6g}")

    def test_an_observation_is_drawn_where_its_values_are(self):
        _, found = paths(self.plot("svg", "--curve", "force.x"))
        o = self.result["observations"]["force"]
        values, times = [row[0] for row in o["value"]], o["time"]
        line = curve(found, SECOND, len(values))
        off, value = worst([y for _, y in line], values)
        _, time = worst([x for x, _ in line], times)
        spoilt = [v * (1.02 if k == 1 else 1) for k, v in enumerate(values)]
        control, _ = worst([y for _, y in line], spoilt)
        print(f"  farthest from its value {off:.3f} pixels; at most 0.1, for cairo rounds to 1/256; negative control, "
              f"one value 2 % larger: {control:.2f}")
        self.assertLessEqual(off, 0.1)
        self.assertGreater(control, 1)
        self.assertGreater(value(100), value(400), "larger values are higher")
        levels = [lines[0][0][1] for colour, lines in found if colour == GRID]
        self.expect_round(levels, value, 500)
        ticks = [lines[0][0][0] for colour, lines in found
                 if len(lines[0]) == 2 and lines[0][0][0] == lines[0][1][0] and 0 < lines[0][1][1] - lines[0][0][1] < 9]
        self.expect_round(ticks, time, 0.5)

    def test_data_have_bars_of_one_standard_deviation(self):
        root, found = paths(self.plot("svg", "--curve", "force.x"))
        o = self.result["observations"]["force"]
        _, value = worst([y for _, y in curve(found, SECOND, 4)], [row[0] for row in o["value"]])
        data = [float(row.split(",")[1]) for row in DATA.split()[1:]]
        bars = [lines[0] for colour, lines in found if colour == FIRST and len(lines) == 3]
        self.assertEqual(len(bars), len(data))
        per_pixel = abs(value(1) - value(0))
        for ((_, top), (_, bottom)), wanted in zip(bars, data):
            self.assertLess(abs(value(top) - wanted - 10) / per_pixel, 0.1)
            self.assertLess(abs(value(bottom) - wanted + 10) / per_pixel, 0.1)
        self.assertEqual(root.find("{*}title").text, "fit: force.x, data, force.x over time")

    def test_the_objective_is_drawn_by_its_logarithm(self):
        for scale, function in (("log", math.log10), ("linear", float)):
            line = curve(paths(self.plot("svg", "--history", "objective", "--scale", scale))[1], FIRST, len(self.J))
            off, _ = worst([y for _, y in line], [function(v) for v in self.J])
            other, _ = worst([y for _, y in line], [(float if scale == "log" else math.log10)(v) for v in self.J])
            print(f"  {scale}: farthest from its value {off:.3f} pixels; negative control, the other scale {other:.0f}")
            self.assertLessEqual(off, 0.1)
            self.assertGreater(other, 10)

    def test_a_design_is_drawn_over_the_iterations(self):
        svg = self.plot("svg", "--history", "materials.rubber.E")
        self.assertIn("materials.rubber.E over iteration", svg.read_text(encoding="utf-8"))

    def test_the_same_folder_gives_the_same_bytes_of_each_format(self):
        for end, head in (("svg", b"<!-- piola plot"), ("pdf", b"%PDF-1."), ("png", b"\x89PNG\r\n\x1a\n")):
            options = ("--curve", "force", "--size", "640x400", "--title", "Force <x> & y")
            once = self.plot(end, *options).read_bytes()
            again = self.plot(end, *options).read_bytes()
            self.assertEqual(once, again, end)
            self.assertTrue(once.startswith(head), once[:20])
            self.assertNotEqual(once, self.plot(end, "--curve", "force", "--size", "640x400").read_bytes())
            if end == "pdf":
                self.assertIn(b"19700101", once)
                self.assertIn(b"DejaVuSans", once, "the font is in the file")
                self.assertTrue(once.rstrip().endswith(b"%%EOF"))
            if end == "png":
                self.assertEqual(once[16:24], (640).to_bytes(4, "big") + (400).to_bytes(4, "big"))
            self.plot(end, *options)
            self.run_piola("plot", self.root / "fit", "-o", self.root / f"figure.{end}", *options)  # replaced

    def test_members_of_a_sweep_are_drawn_over_an_axis(self):
        self.run_piola("sweep", self.root / "fit.yaml", "-o", self.root / "sweep", "-q", "--what", "run", "--over",
                       "materials.rubber.E=0.5MPa..2MPa:4:log", "--over", "materials.rubber.nu=0.3,0.4")
        svg = self.plot("svg", "--response", "objective", "--over", "materials.rubber.E", folder="sweep")
        root, found = paths(svg)
        rows = [row.split(",") for row in (self.root / "sweep/sweep.csv").read_text(encoding="utf-8").splitlines()]
        column = {name: k for k, name in enumerate(rows[0])}
        for stroke, nu in ((FIRST, 0.3), (SECOND, 0.4)):
            of = [row for row in rows[1:] if float(row[column["parameters/materials.rubber.nu"]]) == nu]
            line = curve(found, stroke, 4)
            for axis, name in ((0, "parameters/materials.rubber.E [Pa]"), (1, "objective")):
                values = [float(row[column[name]]) for row in of]
                by = min(worst([p[axis] for p in line], [f(v) for v in values])[0] for f in (math.log10, float))
                self.assertLessEqual(by, 0.1, name)
        self.assertIn("objective, materials.rubber.nu = 0.3", root.find("{*}title").text)
        error = self.run_piola("plot", self.root / "sweep", "-o", self.root / "no.svg", "--response", "objective",
                               "--over", "materials.rubber", code=2)
        self.assertIn("there are: materials.rubber.E, materials.rubber.nu", error)

    def test_the_history_of_a_study_is_drawn_of_j_and_of_each_experiment(self):
        study = self.root / "study.yaml"
        study.write_text(STUDY.replace("lbfgs", "lbfgs, max_iterations: 4"), encoding="utf-8")
        self.run_piola("optimize", study, "-o", self.root / "study", "-q", "--device", "cpu")
        with (self.root / "study/history.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreaterEqual(len(rows), 3)
        for name, column in (("objective", "objective"), ("far", "objective.far"), ("objective.near",) * 2,
                             ("projected_gradient",) * 2, ("evaluations",) * 2):
            svg = self.plot("svg", "--history", name, "--scale", "linear", folder="study")
            root, found = paths(svg)
            line = [y for _, y in curve(found, FIRST, len(rows))]
            values = [float(row[column]) for row in rows]
            off, _ = worst(line, values)
            other, _ = worst(line, [float(row["objective" if name == "far" else "objective.far"]) for row in rows])
            print(f"  {name}: farthest from its value {off:.3f} pixels (at most 0.1); as another column {other:.2f}")
            self.assertLessEqual(off, 0.1)
            self.assertGreater(other, 0.1, "negative control")
            self.assertEqual(root.find("{*}title").text, f"study.yaml: {name} over iteration")
        both = paths(self.plot("svg", "--history", "near", "--history", "far", folder="study"))[1]
        self.assertTrue(curve(both, FIRST, len(rows)) != curve(both, SECOND, len(rows)))
        error = self.run_piola("plot", self.root / "study", "-o", self.root / "no.svg", "--history", "nearer", code=2)
        self.assertIn("study/history.csv has no 'nearer'; there are: evaluations, objective, projected_gradient, "
                      "violation, objective.near, objective.far", error)
        self.run_piola("grad", study, "-o", self.root / "slope", "-q", "--device", "cpu")
        error = self.run_piola("plot", self.root / "slope", "-o", self.root / "no.svg", "--history", "near", code=2)
        self.assertIn("slope/history.csv has no iterations, or is not there", error)

    def test_several_starts_have_the_history_of_the_best_and_responses(self):
        self.run_piola("optimize", self.root / "fit.yaml", "-o", self.root / "starts", "-q", "--device", "cpu", "--set",
                       "optimizer.multi_start=3")
        result = json.loads((self.root / "starts/result.json").read_text(encoding="utf-8"))
        best = "starts/" + result["multi_start"]["members"][result["multi_start"]["best"]]["folder"]
        svg = self.plot("svg", "--history", "objective", folder="starts")
        self.assertEqual(svg.read_bytes(), self.plot("svg", "--history", "objective", folder=best).read_bytes())
        svg = self.plot("svg", "--response", "objective", folder="starts")
        self.assertIn("objective over design.modulus.initial", svg.read_text(encoding="utf-8"))
        error = self.run_piola("plot", self.root / "starts", "-o", self.root / "no.svg", "--response", "tip", code=2)
        self.assertIn("sweep.csv has no 'tip'", error)

    def test_what_cannot_be_drawn_is_said_and_nothing_is_written(self):
        no = self.root / "no.svg"
        for options, said in (((), "--curve, --history or --response"),
                              (("--curve", "force", "--history", "objective"), "one of them"),
                              (("--curve", "tip"), "no observation 'tip'"),
                              (("--curve", "force.z"), "there are: force. One component"),
                              (("--curve", "force."), "no observation 'force.'"),
                              (("--history", "tip"), "has no 'tip'; there are: objective, "),
                              (("--response", "objective"), "is the folder of one run"),
                              (("--curve", "force", "--over", "a"), "--over belongs to --response"),
                              (("--history", "materials.rubber.E", "--history", "objective"), "has the unit 'Pa'")):
            self.assertIn(said, self.run_piola("plot", self.root / "fit", "-o", no, *options, code=2))
        self.assertIn("does not end in .png, .svg or .pdf",
                      self.run_piola("plot", self.root / "fit", "-o", self.root / "no.eps", "--curve", "force", code=2))
        self.assertFalse(no.exists())
        no.write_text("<?xml version='1.0'?><svg/>", encoding="utf-8")
        self.assertIn("exists and is not",
                      self.run_piola("plot", self.root / "fit", "-o", no, "--curve", "force", code=73))
        self.assertEqual(no.read_text(encoding="utf-8"), "<?xml version='1.0'?><svg/>")
        self.run_piola("plot", self.root / "nowhere", "-o", self.root / "a.svg", "--curve", "force", code=66)


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
