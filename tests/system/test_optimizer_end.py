#!/usr/bin/env python3
"""test_optimizer_end.py PIOLA -- L-BFGS ends where nothing is left to gain, on scenes that ship, and says where it is."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import small_scenes

PIOLA = ""
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
GAIN, MOST_AFTER = 1e-8, 5  # docs/optimisers.md
NEVER = "optimizer.stop.objective=-1"


def objectives(path):
    """The objectives in a record of evaluations (host/base/record.h, host/results/evaluations.h), without constraints."""
    data = path.read_bytes()
    at, found = 32 + struct.unpack_from("<Q", data, 16)[0], []
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 16)[0]
        numbers = struct.unpack_from(f"<{size // 8}d", data, at + 32)
        found.append(numbers[len(numbers) // 2])
        at += 32 + size
    return found


def after_the_last_gain(found):
    """How many evaluations follow the last that lowered the least objective by a relative gain; small ones add up."""
    last = 0
    for k, value in enumerate(found):
        if value < found[last] - GAIN * abs(found[last]):
            last = k
    return len(found) - 1 - last


class End(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(temporary.cleanup)

    def optimize(self, scene, out, *options, code=0):
        done = subprocess.run([PIOLA, "optimize", *small_scenes.words(small_scenes.find(scene)), "--device", "cpu", "-o",
                               str(out), *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_at_most_five_evaluations_follow_the_last_gain(self):
        # The objectives are those that NLopt's own end reached, after 17, 27 and 19 evaluations without a gain.
        for scene, precision, most in (("mpm_throw_small.yaml", "f64", 1e-29), ("mpm_throw_small.yaml", "f32", 8e-14),
                                       ("fem_tension_id.yaml", "f64", 1.06e-10)):
            with self.subTest(f"{scene} {precision}"):
                out = self.folder / f"{scene}-{precision}"
                self.optimize(scene, out, "--precision", precision, "--set", NEVER)
                report = json.loads((out / "result.json").read_text())
                found = objectives(out / "evaluations.record")
                after = after_the_last_gain(found)
                print(f"{scene} {precision}: {len(found)} evaluations, {after} after the last gain (at most "
                      f"{MOST_AFTER}), objective {report['objective']:.3g} (threshold {most:.3g})")
                self.assertEqual(report["optimizer"]["evaluations"], len(found))
                self.assertTrue(report["optimizer"]["converged"])
                self.assertLessEqual(after, MOST_AFTER)
                self.assertLess(report["objective"], most)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
