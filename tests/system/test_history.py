#!/usr/bin/env python3
"""test_history.py PIOLA -- history.vtkhdf is what docs/optimisers.md says.

The page's block of Python is run on the history of a throw, and its lines compared with those of the log and with
result.json. The page's table is compared with the files of a design of numbers and of one per element: each dataset
that it lists is in one of them and has its shape, and no array of designs or objective is left out.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

import small_scenes

PIOLA = ""
PAGE = small_scenes.SOURCE / "docs" / "optimisers.md"
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
SETTINGS = {"mpm_throw_small.yaml": ("optimizer={type: lbfgs, max_iterations: 3}", "time.duration=0.2 s"),
            "fem_field_id_small.yaml": ("optimizer={type: lbfgs, max_iterations: 2}",)}
DESIGNED = re.compile(r"VTKHDF/(Point|Cell)Data/|piola/(gradient|objective)/")


def general(name):
    """A dataset as the page's table names it: the design's path is PATH, a term of J is NAME, and a field may be of
    points or cells."""
    return re.sub(r"/term .*", "/term NAME", re.sub(r"piola/gradient/.*/", "piola/gradient/PATH/", name))


class History(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder, cls.logs = pathlib.Path(cls.temporary.name), {}
        for scene, sets in SETTINGS.items():
            done = subprocess.run([PIOLA, "optimize", *small_scenes.words(small_scenes.find(scene)), "--device", "cpu",
                                   "-o", str(cls.folder / scene), *(x for s in sets for x in ("--set", s))],
                                  capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
            assert done.returncode == 0, done.stderr
            cls.logs[scene] = done.stderr
        cls.page = PAGE.read_text()

    def test_the_block_of_the_page_prints_what_the_log_has(self):
        block, = re.findall(r"```python\n(.*?)```", self.page, re.S)
        scene = "mpm_throw_small.yaml"
        self.assertIn("out/mpm-throw/", block)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block.replace("out/mpm-throw/", f"{self.folder / scene}/"), {})  # pylint: disable=exec-used
        print(printed.getvalue(), end="")
        lines = [re.match(r"(\d+) (\d+) (\S+) (\S+) \[(.*?)\] (\S+) \[(.*?)\]", line) for line in
                 printed.getvalue().splitlines()]
        log = re.findall(r"^iteration +(\d+): J = (\S+), .* (\d+) evaluations", self.logs[scene], re.M)
        self.assertEqual(len(lines), len(log))
        for line, (number, objective, evaluations) in zip(lines, log):
            self.assertEqual((line[1], line[2]), (number, evaluations))
            self.assertEqual(f"{float(line[3]):.9g}", objective)
            self.assertEqual((line[4], line[6]), ("bodies.ball.velocity", "m/s"))
        best = json.loads((self.folder / scene / "result.json").read_text())["parameters"]["bodies.ball.velocity"]
        for at, key, tolerance in ((5, "value", 1e-8), (7, "gradient", 1e-7)):  # print() rounds to 8 digits
            shown = numpy.array(lines[-1][at].split(), dtype=float)
            off = max(abs(shown - best[key])) / max(map(abs, best[key]))
            print(f"{key} of the last iteration: off by {off:.1e} of its size, threshold {tolerance:.0e}")
            self.assertLess(off, tolerance)

    def test_the_table_of_the_page_has_every_array_and_its_shape(self):
        rows = dict(re.findall(r"^\| `((?:VTKHDF|piola)/[^`]+)` \| (.*?) \|", self.page, re.M))
        self.assertGreater(len(rows), 8)
        found = {}
        for scene in SETTINGS:
            with h5py.File(self.folder / scene / "history.vtkhdf") as f:
                sizes = {"T": f["VTKHDF/Steps"].attrs["NSteps"], "points": f["VTKHDF/NumberOfPoints"][0],
                         "elements": f["VTKHDF/NumberOfCells"][0], "3": 3}
                names = []
                f.visit(names.append)
                for name in names:
                    if isinstance(f[name], h5py.Dataset):
                        found.setdefault(general(name), (f[name].shape, sizes))
        for name, shape in rows.items():
            twin = name.replace("PointData", "CellData")  # a field of cells stands for one of points
            self.assertIn(twin, found)
            real, sizes = found[twin]
            if name != twin:
                shape = rows[twin.replace("grad_", "")]
            factors = re.findall(r"\[(.*?)\]", shape)
            expected = [int(numpy.prod([sizes.get(f.strip(), -1) for f in factor.split("*")])) for factor in factors]
            print(f"{name}: {shape} is {real}")
            self.assertEqual(len(real), len(expected))
            for have, want in zip(real, expected):
                if want >= 0:
                    self.assertEqual(have, want)
        left_out = {name for name in found if DESIGNED.match(name) and "checksums" not in name} - {
            row.replace("PointData", "CellData") for row in rows}
        self.assertEqual(left_out, set())

    def test_the_terms_of_each_iteration_add_up_to_j_and_are_the_same_from_the_record(self):
        out, found = self.folder / "terms", []
        terms = ("objective=[{type: target, of: centre.x, value: 2}, "
                 "{type: target, of: centre.y, value: 0.7, weight: 3}]")
        sets = (*SETTINGS["mpm_throw_small.yaml"], terms)
        for _ in range(2):  # the second replays all evaluations of the first
            done = subprocess.run([PIOLA, "optimize", *small_scenes.words(small_scenes.find("mpm_throw_small.yaml")),
                                   "--device", "cpu", "-o", str(out), *(x for s in sets for x in ("--set", s))],
                                  capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(out / "history.vtkhdf") as f:
                of = f["piola/objective/terms"]
                found.append(numpy.array([f["piola/objective/value"][:], *(of[name][:] for name in of
                                                                          if name.startswith("term "))]))
        self.assertIn("(replayed)", done.stderr)
        self.assertEqual(len(found[0]), 3)
        off = numpy.max(abs(found[0][0] - found[0][1] - found[0][2]) / found[0][0])
        control = numpy.max(abs(found[0][0] - found[0][1] - numpy.roll(found[0][2], 1)) / found[0][0])
        print(f"J less its terms: {off:.1e} of J, threshold 1e-15; negative control, the terms of the iteration before "
              f"{control:.1e}")
        self.assertLessEqual(off, 1e-15)
        self.assertGreater(control, 1e-3)
        numpy.testing.assert_array_equal(found[0], found[1])
        with h5py.File(self.folder / "mpm_throw_small.yaml" / "history.vtkhdf") as f:
            self.assertFalse([name for name in f["piola/objective/terms"] if name.startswith("term ")], "J is the term")

    def test_a_frame_is_an_iteration_and_the_field_is_the_design(self):
        scene = "fem_field_id_small.yaml"
        with h5py.File(self.folder / scene / "history.vtkhdf") as f:
            frames, cells = int(f["VTKHDF/Steps"].attrs["NSteps"]), int(f["VTKHDF/NumberOfCells"][0])
            self.assertEqual(list(f["VTKHDF/Steps/Values"]), list(range(frames)))
            for name, of in (("materials_soft_E", "value"), ("grad_materials_soft_E", "grad")):
                field = f[f"VTKHDF/CellData/{name}"][:].reshape(frames, cells)
                numpy.testing.assert_array_equal(field, f[f"piola/gradient/materials.soft.E/{of}"][:])
            values = f["piola/gradient/materials.soft.E/value"][:]
            self.assertTrue((values[0] == values[0, 0]).all() and (values[0] != values[-1]).any())


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
