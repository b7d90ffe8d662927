#!/usr/bin/env python3
"""test_good_scenes.py PIOLA -- every scene of tests/data/good_scenes is computed to its end, with its gradient where it
has an objective.

These scenes use every key and every value of one, so that combinations of them cannot die unnoticed. What is set here
requires no library that a machine may lack, or makes a scene shorter."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PIOLA = ""
SCENES = sorted((pathlib.Path(__file__).resolve().parent.parent / "data" / "good_scenes").glob("*.yaml"))
SETTINGS = {
    "fluids_3d": ["time.duration=10 ms", "observe[1].every=5 ms"],
    "motion_newmark": ["solver.product=own", "solver.linear=auto"],
}
WITHOUT_OBJECTIVE = {"included"}
DEADLINE = 120  # s, for one command


class GoodScenes(unittest.TestCase):
    def test_there_are_scenes_and_settings_are_of_scenes(self):
        names = {scene.stem for scene in SCENES}
        self.assertGreaterEqual(len(names), 11)
        self.assertLessEqual(set(SETTINGS) | WITHOUT_OBJECTIVE, names)

    def test_every_good_scene_runs_to_its_end(self):
        for scene in SCENES:
            with self.subTest(scene.name), tempfile.TemporaryDirectory() as folder:
                name, began = "run" if scene.stem in WITHOUT_OBJECTIVE else "grad", time.monotonic()
                settings = [word for s in SETTINGS.get(scene.stem, []) for word in ("--set", s)]
                done = subprocess.run([PIOLA, name, str(scene), "--device", "cpu", "--threads", "1", "-q", "-o",
                                       folder + "/out", *settings], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
                print(f"{name} {scene.name}: exit {done.returncode} (threshold 0), {time.monotonic() - began:.1f} s")
                self.assertEqual(done.returncode, 0, done.stdout)
                result = json.loads((pathlib.Path(folder) / "out" / "result.json").read_text(encoding="utf-8"))
                if name == "grad":
                    self.assertTrue(result["parameters"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(GoodScenes)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
