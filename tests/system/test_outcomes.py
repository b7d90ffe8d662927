#!/usr/bin/env python3
"""test_outcomes.py PIOLA SOURCE_FOLDER -- what commands leave behind when something is wrong, and where they stop."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import unittest

import test_command
from test_command import ENVIRONMENT


class Outcomes(unittest.TestCase):
    setUpClass = classmethod(test_command.Command.setUpClass.__func__)
    tearDownClass = classmethod(test_command.Command.tearDownClass.__func__)
    expect = test_command.Command.expect

    def test_a_constraint_that_overflows_is_76_with_its_name(self):
        scene = test_command.SOURCE / "tests" / "data" / "bad_scenes" / "parts" / "mesh.yaml"
        sets = ["bodies=[{name: one, geometry: block, material: soft, thickness: 1e9}]",
                "constraints=[{of: lid, max: 1}]", "observe=[{name: lid, type: volume, body: one}]"]
        sets = [x for value in sets for x in ("--set", value)]
        self.expect(0, [], "run", scene, "-o", self.folder / "bound", *sets)
        out = self.folder / "overflown"
        self.expect(76, ["the constraint lid.max is inf: it overflowed or is not a number"], "run", scene,
                    "-o", out, *sets, "--set", "constraints[0].max=1e-300")
        report = json.loads((out / "result.json").read_text())
        self.assertEqual((report["exit"], report["failure"]["kind"]), (76, "objective"))

    def test_a_design_without_bounds_stays_within_its_own_range(self):
        # a block under pressure gets the firmer the nearer nu is to 0.5, where there is no law any more
        scene = test_command.SOURCE / "tests" / "data" / "bad_scenes" / "parts" / "mesh.yaml"
        sets = ["design=[{name: nu, target: materials.soft.nu}]", "objective=[{type: maximize, of: lid.y}]",
                "optimizer={type: adam, learning_rate: 0.3, max_iterations: 20}"]
        out = self.folder / "own_range"
        self.expect(0, [], "optimize", scene, "-o", out, *[x for value in sets for x in ("--set", value)])
        report = json.loads((out / "result.json").read_text())["parameters"]["materials.soft.nu"]
        self.assertTrue(0.45 < report["value"] <= 0.4997 + 1e-12, report)

    def test_a_scene_with_faults_leaves_no_result_of_an_earlier_run(self):
        place = self.folder / "stale"
        other = place / "elsewhere" / "result.json"
        result = place / "out" / "tiny" / "result.json"
        other.parent.mkdir(parents=True)
        good = self.scene.read_text()
        for spoilt in (good + "unknown: 1\n", good.replace("E:", "e:"),
                       good.replace("output: {", "output: {directory: elsewhere, x: 1, ")):
            (place / "scene.yaml").write_text(good)
            self.expect(0, [], "run", "scene.yaml", "-q", cwd=place)
            other.write_text("{}")
            (place / "scene.yaml").write_text(spoilt)
            self.expect(65, [], "run", "scene.yaml", "--dry-run", cwd=place)
            self.expect(65, [], "run", "scene.yaml", "-o", place / "third", cwd=place)
            self.assertTrue(result.exists() and other.exists())
            self.expect(65, [], "run", "scene.yaml", cwd=place)
            self.assertEqual((result.exists(), other.exists()), ("elsewhere" in spoilt, "elsewhere" not in spoilt))
            self.assertTrue((result.parent / "states.vtkhdf").exists())  # what was computed stays

    def test_an_export_beyond_the_file_limit_is_74_and_leaves_nothing(self):
        def limited(*arguments):
            done = subprocess.run([test_command.PIOLA, *map(str, arguments)], capture_output=True, text=True,
                                  env=ENVIRONMENT,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
            self.assertEqual(done.returncode, 74, done.stderr)
            self.assertIn("File too large", done.stderr)

        place = self.folder / "limited"
        for form, name in (("vtu", "a.vtu"), ("csv", "a.csv"), ("npy", "a_npy")):
            place.mkdir()
            limited("export", self.states, "--to", form, "-o", place / name)
            left = [str(path) for path in place.rglob("*") if path.is_file() and path.suffix not in (".npy", ".json")]
            self.assertEqual(left, [])
            self.assertFalse([path for path in place.rglob("*") if path.is_file() and path.stat().st_size >= 512])
            shutil.rmtree(place)
        place.mkdir()
        limited("render", self.states, "-o", place / "a.png")
        self.assertEqual(list(place.iterdir()), [])


if __name__ == "__main__":
    test_command.PIOLA = os.path.abspath(sys.argv[1])
    test_command.SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
