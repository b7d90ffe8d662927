#!/usr/bin/env python3
"""test_control.py PIOLA SOURCES -- control through the command: paths that can be designed, weights that come back from
a file."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import small_scenes

PIOLA, SOURCES = "", pathlib.Path()
DEADLINE = 60  # s, for one command


def piola(*words):
    return subprocess.run([PIOLA, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE)


class Control(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        shutil.copy(SOURCES / "tests" / "data" / "good_scenes" / "control_2d.yaml", self.folder / "scene.yaml")

    def grad(self, name, *settings):
        words = [word for s in settings for word in ("--set", s)]
        done = piola("grad", self.folder / "scene.yaml", "--device", "cpu", "--threads", "1", "-q",
                     "-o", self.folder / name, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / name / "result.json").read_text(encoding="utf-8"))

    def test_params_lists_every_part_of_control_with_shape_and_unit(self):
        done = piola("params", self.folder / "scene.yaml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["path"]: row for row in json.loads(done.stdout)["parameters"]}
        for path, shape, unit in (("hold.amplitude", [], "Pa"), ("swing.frequency", [], "Hz"),
                                  ("swing.phase", [], "rad"), ("steps.knots", [4], "Pa"), ("wave.knots", [5], "Pa"),
                                  ("mind.weights", [59], ""), ("mind.limit", [2], "Pa"), ("mind.frequency", [], "Hz"),
                                  ("mind.phase", [], "rad")):
            row = rows[f"control.{path}"]
            print(f"control.{path}: shape {row['shape']}, unit '{row['unit']}' (must be {shape}, '{unit}')")
            self.assertEqual((row["shape"], row["unit"]), (shape, unit))
        self.assertEqual(rows["control.steps.knots"]["value"], [0, 1000, -1000, 500])
        self.assertNotIn("control.swing.knots", rows)

    def test_weights_read_from_a_result_give_the_same_bits(self):
        first = self.grad("first")
        other = self.grad("other", "seed=1")
        scene = self.folder / "scene.yaml"
        scene.write_text(scene.read_text(encoding="utf-8").replace("    weight_scale: 1.5\n", ""), encoding="utf-8")
        again = self.grad("again", "seed=1", "control[4].weights={file: first/states.vtkhdf}")
        objectives = [r["objective"] for r in (first, other, again)]
        print(f"objective {objectives[0]!r}, with another seed {objectives[1]!r}, with the first's weights "
              f"{objectives[2]!r}")
        self.assertEqual(objectives[0], objectives[2])
        self.assertNotEqual(objectives[0], objectives[1])
        self.assertEqual(first["parameters"]["control.mind.weights"], again["parameters"]["control.mind.weights"])

    def test_a_step_too_long_for_an_activation_says_whose_it_is(self):
        done = piola("validate", self.folder / "scene.yaml", "--set", "control[0].amplitude=1 GPa")
        print(done.stderr.strip().splitlines()[0])
        self.assertEqual(done.returncode, 65)
        self.assertIn("control 'hold' drives it, and its activations, up to 1e+09 Pa in the scene", done.stderr)

    def test_two_actuators_cannot_share_particles(self):
        done = piola("validate", self.folder / "scene.yaml", "--set", "actuators[1].on.min=[0.06, 0]")
        print(done.stderr.strip().splitlines()[0])
        self.assertEqual(done.returncode, 65)
        self.assertIn("actuators[1].on: it shares particles with another actuator", done.stderr)
        done = piola("validate", self.folder / "scene.yaml", "--set", "groups[0].max=[0.4, 0.2]")
        print(done.stderr.strip().splitlines()[0])
        self.assertEqual(done.returncode, 65)
        self.assertIn("it shares particles with another actuator", done.stderr)

    def test_an_actuator_without_particles_is_reported(self):
        done = piola("validate", self.folder / "scene.yaml", "--set", "actuators[0].on.max=[0.02, 0.1]")
        print(done.stderr.strip().splitlines()[0])
        self.assertEqual(done.returncode, 65)
        self.assertIn("actuators[0].on: no particle of 'worm' lies in it", done.stderr)

    def test_random_signals_have_the_effort_of_the_learned_one_and_may_be_better(self):
        scene, folder = small_scenes.words(small_scenes.find("mpm_crawler_small.yaml")), self.folder / "out"
        done = piola("run", *scene, "--device", "cpu", "--threads", "1", "-qq", "-o", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        learned = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        effort = learned["observations"]["work"]["value"][-1][0]
        for place, code, better in (1.0, 0, 0), (-1.0, 1, 3):  # as if it had come far, and as if it had gone back
            learned["observations"]["place"]["value"][-1][0] = place
            (folder / "result.json").write_text(json.dumps(learned), encoding="utf-8")
            done = subprocess.run([sys.executable, SOURCES / "tools" / "random_signals.py", PIOLA, *scene, folder,
                                   "--device", "cpu", "--signals", "3"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
            rows = [line.split() for line in done.stdout.splitlines() if line.split()[0] == "random"]
            off = max(abs(float(row[3]) / effort - 1) for row in rows)
            print(f"learned at {place} m: exit {done.returncode} (must be {code}), {len(rows)} random signals (3), "
                  f"efforts off by {off:.1e} (threshold 0.02)")
            self.assertEqual((done.returncode, len(rows)), (code, 3), done.stderr)
            self.assertLessEqual(off, 0.02)
            self.assertIn(f"{better} of them came as far", done.stdout)
            self.assertEqual(len({row[2] for row in rows}), 3)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PIOLA, SOURCES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Control)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
