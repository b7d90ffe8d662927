#!/usr/bin/env python3
"""test_folder.py PIOLA -- two runs in one folder, runs that are killed, and symbolic links that someone planted."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PIOLA = ""
SCENE = """version: 1
name: tiny
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: lbfgs, max_iterations: 3}
output: {states: {every: 1 ms}}
"""
LONG = ("--set", "time.duration=60 s", "--set", "output.states.every=10 ms")
DEADLINE = 120


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.scene, self.out = self.folder / "tiny.yaml", self.folder / "out"
        self.scene.write_text(SCENE, encoding="utf-8")

    def command(self, name, *more):
        return [PIOLA, name, str(self.scene), "-o", str(self.out), "--device", "cpu", "--threads", "1", *map(str, more)]

    def expect(self, codes, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        return done.stderr

    def begin(self, name, pattern, *more):
        """A run in the background, once a file of that pattern is there with something in it."""
        process = subprocess.Popen(self.command(name, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not any(p.stat().st_size for p in self.out.glob(pattern)):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process

    def names(self):
        return sorted(p.name for p in self.out.iterdir())

    def test_a_second_run_is_refused_and_touches_nothing(self):
        self.out.mkdir()
        first = self.begin("run", "states.*.partial.vtkhdf", *LONG)
        before = self.names()
        for name in "grad", "run", "check", "optimize":
            report = self.expect((73,), name)
            print(report.strip())
            self.assertIn(f"pid {first.pid} on ", report)
            self.assertRegex(report, r"piola run .*tiny\.yaml .*since 20\d\d-")
            self.assertEqual(self.names(), before)
        self.scene.write_text(SCENE.replace("version: 1", "version: 7"), encoding="utf-8")
        self.expect((65,), "run")  # a scene that is wrong does not touch another's folder either
        self.assertEqual(self.names(), before)
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(DEADLINE), 75)
        result = json.loads((self.out / "result.json").read_text(encoding="utf-8"))
        partial, = (name for name in result["files"] if name.endswith(".partial.vtkhdf"))
        subprocess.run([PIOLA, "info", partial], check=True, stdout=subprocess.DEVNULL)
        self.assertNotIn(".piola-lock", self.names())

    def test_both_of_two_that_begin_at_once_end_with_readable_files_or_are_refused(self):
        for _ in range(5):
            both = [subprocess.Popen(self.command("grad"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    for _ in range(2)]
            report = [process.communicate(timeout=DEADLINE)[1] for process in both]
            codes = sorted(process.returncode for process in both)
            self.assertIn(codes, ([0, 0], [0, 73]), report)
            subprocess.run([PIOLA, "info", self.out / "states.vtkhdf"], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(self.names(), ["result.json", "states.vtkhdf"])

    def test_what_a_killed_run_left_can_be_read_and_goes_with_the_next(self):
        process = self.begin("run", "states.*.partial.vtkhdf", *LONG)
        partial, = self.out.glob("states.*.partial.vtkhdf")
        sizes, end = set(), time.monotonic() + DEADLINE
        while len(sizes) < 5 and time.monotonic() < end:  # it grows with each frame
            sizes.add(partial.stat().st_size)
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.kill()
        process.wait(DEADLINE)
        left = self.names()
        self.assertEqual(len(left), 2)
        self.assertEqual(left[0], ".piola-lock")
        self.assertRegex(left[1], r"^states\.\d+-\d+\.partial\.vtkhdf$")
        info = subprocess.run([PIOLA, "info", self.out / left[1]], check=True, capture_output=True, text=True).stdout
        frames = int(re.search(r"frames: (\d+)", info).group(1))
        print(f"{frames} frames of the killed run can be read")
        self.assertGreater(frames, 0)
        report = self.expect((0,), "run", "-v")
        self.assertRegex(report, rf"piola run .*pid {process.pid} on .* was killed, or its machine stopped")
        self.assertIn("1 files that a killed run left unfinished", report)
        self.assertEqual(self.names(), ["result.json", "states.vtkhdf"])

    def test_planted_links_are_not_written_through(self):
        precious = self.folder / "precious"
        names = ["states.vtkhdf", "history.vtkhdf", "result.json", "picture.png", "evaluations.record", "check.json",
                 "states.partial.vtkhdf", "history.partial.vtkhdf", "states-on-disk.h5"]
        names += [f"{stem}.{pid}-{count}.partial.vtkhdf" for stem in ("states", "history") for pid in range(1, 40)
                  for count in (0, 1)]
        for name in "run", "grad", "check", "optimize":
            for dangling in False, True:
                for link in self.out.glob("*") if self.out.exists() else ():
                    link.unlink()
                self.out.mkdir(exist_ok=True)
                precious.unlink(missing_ok=True)
                if not dangling:
                    precious.write_bytes(b"precious")
                for link in names:
                    if link != "picture.png" or dangling:  # one to what is no picture is refused before the run
                        (self.out / link).symlink_to(precious)
                if name == "optimize":  # which would resume from it
                    self.assertIn("a symbolic link", self.expect((74,), name))
                    (self.out / "evaluations.record").unlink()
                self.expect((0, 1), name)
                if dangling:
                    self.assertFalse(precious.exists(), name)
                else:
                    self.assertEqual(precious.read_bytes(), b"precious", name)
                self.assertFalse((self.out / "result.json").is_symlink())
        for link, arguments in (("frame.png", ["render"]), ("frame.csv", ["export", "--to", "csv"]),
                                ("frame.vtu", ["export", "--to", "vtu"])):
            (self.out / link).symlink_to(precious)
            subprocess.run([PIOLA, *arguments, self.out / "states.vtkhdf", "-o", self.out / link], check=False,
                           capture_output=True)
            self.assertFalse(precious.exists(), link)

    def test_a_planted_lock_is_refused(self):
        self.out.mkdir()
        (self.out / ".piola-lock").symlink_to(self.folder / "precious")
        self.assertIn(".piola-lock", self.expect((73,), "run"))
        self.assertFalse((self.folder / "precious").exists())


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
