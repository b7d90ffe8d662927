#!/usr/bin/env python3
"""test_sweep.py PIOLA -- sweeps: members have the bits of single runs, whatever the jobs, and whatever was interrupted.

A sweep is stopped by SIGTERM, killed, and has a process killed; then the same command goes on, and its files are those
of a sweep that was not interrupted, byte by byte. A member that fails is listed with its cause and ends no other.
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

import test_resume

PIOLA = ""
SCENE = """version: 1
name: tiny
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball, every: 5 ms}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: lbfgs, max_iterations: 3}
output: {states: {every: 5 ms}}
"""
AXES = ("--over", "materials.soft.E=5kPa..20kPa:3:log", "--over", "materials.soft.nu=0.2, 0.35")
LONG = ("--set", "time.duration=6 s", "--set", "output.states.every=1 s", "--set", "observe.place.every=1 s")
# the group of the second member has no particle, which only its model shows
EMPTY = ("--over", "groups[0].max=[0.6, 0.6], [0.1, 0.1]", "--set",
         "groups=[{name: part, body: ball, type: box, min: [0, 0], max: [1, 1]}]")
FILES = ("sweep.csv", "sweep.h5")
DEADLINE = 120


def alive(pid):
    """Whether a process runs: one that has ended and waits for its parent does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Sweep(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.scene, self.out = self.folder / "tiny.yaml", self.folder / "out"
        self.scene.write_text(SCENE, encoding="utf-8")

    def command(self, *more, out=None):
        return [PIOLA, "sweep", str(self.scene), "-o", str(out or self.out), "--device", "cpu", *map(str, more)]

    def sweep(self, code, *more, out=None):
        done = subprocess.run(self.command(*more, out=out), capture_output=True, text=True, timeout=DEADLINE,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def begin(self, *more):
        """A sweep in the background, once a member is done and before all are."""
        process = subprocess.Popen(self.command(*more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not list(self.out.glob("members/*/result.json")):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process

    def rows(self, out=None):
        with open((out or self.out) / "sweep.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def report(self, out=None):
        return json.loads(((out or self.out) / "sweep.json").read_text())

    def times_of_results(self):
        return {p.parent.name: p.stat().st_mtime_ns for p in self.out.glob("members/*/result.json")}

    def in_the_middle(self, process):
        """The process of a member that is halted, before it has a result."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            for pid in children_of(process.pid):
                os.kill(pid, signal.SIGSTOP)
                links = [os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
                folders = {pathlib.Path(link).parent for link in links if link.endswith(".partial.vtkhdf")}
                if len(folders) == 1 and not (folders.pop() / "result.json").exists():
                    return pid
                os.kill(pid, signal.SIGCONT)
            time.sleep(0.001)
        raise self.failureException("no member was seen in the middle of its run")

    def same_files(self, a, b):
        for name in FILES:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)

    def test_members_have_the_bits_of_single_runs(self):
        self.sweep(0, *AXES, "--jobs", 2)
        members, seen = self.report()["members"], set()
        self.assertEqual(len(members), 6)
        for member in members:
            sets = [word for one in member["sets"] for word in ("--set", one)]
            single = self.folder / "single" / member["folder"]
            subprocess.run([PIOLA, "grad", str(self.scene), "-o", str(single), "--device", "cpu", "-q", *sets],
                           timeout=DEADLINE, check=True)
            of_sweep = self.out / member["folder"]
            self.assertEqual(test_resume.numbers(of_sweep), test_resume.numbers(single))
            self.assertEqual(test_resume.datasets(of_sweep / "states.vtkhdf"),
                             test_resume.datasets(single / "states.vtkhdf"))
            seen.add(test_resume.numbers(single)["objective"])
        self.assertEqual(len(seen), 6)  # or else the comparison would find nothing

    def test_files_do_not_depend_on_the_jobs(self):
        other = self.folder / "other"
        self.sweep(0, *AXES, "--jobs", 1, "--threads", 1)
        self.sweep(0, *AXES, "--jobs", 4, "--threads", 2, out=other)
        self.same_files(self.out, other)
        third = self.folder / "third"
        self.sweep(0, *AXES, "--set", "gravity=[0, -9.82]", out=third)
        for name in FILES:  # a single digit of the scene is seen
            self.assertNotEqual((self.out / name).read_bytes(), (third / name).read_bytes())

    def test_the_files_have_what_the_members_have(self):
        self.sweep(0, *AXES)
        rows = self.rows()
        with h5py.File(self.out / "sweep.h5") as file:
            self.assertEqual(file.attrs["layout"], b"piola-sweep-1")
            self.assertEqual((file.attrs["members"], file.attrs["finished"]), (6, 6))
            modulus = file["parameters/materials.soft.E"]
            self.assertEqual(modulus.attrs["unit"], b"Pa")
            np.testing.assert_allclose(modulus[:], np.repeat([5e3, 1e4, 2e4], 2), rtol=1e-15)
            np.testing.assert_array_equal(file["parameters/materials.soft.nu"][:], np.tile([0.2, 0.35], 3))
            for i, row in enumerate(rows):
                result = json.loads((self.out / row["folder"] / "result.json").read_text())
                gradient = result["parameters"]["bodies.ball.velocity"]["gradient"]
                place = result["observations"]["place"]
                self.assertEqual(file["objective"][i], result["objective"])
                self.assertEqual(float(row["objective"]), result["objective"])
                self.assertEqual(file["gradient/bodies.ball.velocity"][i].tolist(), gradient)
                self.assertEqual([float(row[f"gradient/bodies.ball.velocity[{k}]"]) for k in range(2)], gradient)
                self.assertEqual(file["observations/place/time"][i].tolist(), place["time"])
                self.assertEqual(file["observations/place/value"][i].tolist(), place["value"])
                self.assertEqual(float(row["observations/place/value[1][0]"]), place["value"][1][0])
                self.assertEqual(float(row["parameters/materials.soft.E [Pa]"]), modulus[i])
                self.assertEqual((row["exit"], row["cause"]), ("0", ""))

    def whole(self, *more):
        """The folder of the same sweep, not interrupted."""
        whole = self.folder / "whole"
        self.sweep(0, *more, out=whole)
        return whole

    def test_after_sigterm_the_same_command_goes_on_to_the_same_bytes(self):
        process = self.begin(*AXES, *LONG, "--jobs", 2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 75, process.stderr.read())
        report, before = self.report(), self.times_of_results()
        self.assertEqual(report["exit"], 75)
        self.assertGreater(report["left"], 0)
        self.assertGreater(report["finished"], 0)
        done = [m["folder"] for m in report["members"] if m["exit"] == 0]
        self.assertEqual(len(done), report["finished"])
        self.assertEqual([row["folder"] for row in self.rows() if row["exit"] == "0"], done)
        self.sweep(0, *AXES, *LONG, "--jobs", 1)
        after = self.times_of_results()
        for folder in done:  # they were not run again
            name = folder.split("/")[1]
            self.assertEqual(after[name], before[name])
        self.same_files(self.out, self.whole(*AXES, *LONG))

    def test_a_time_limit_stops_it_and_it_goes_on(self):
        self.assertIn("time limit", self.sweep(75, *AXES, *LONG, "--max-walltime", "0.4"))
        self.sweep(0, *AXES, *LONG)
        self.same_files(self.out, self.whole(*AXES, *LONG))

    def test_after_sigkill_no_process_is_left_and_what_was_done_stays(self):
        process = self.begin(*AXES, *LONG, "--jobs", 2)
        children = children_of(process.pid)
        self.assertTrue(children)
        process.kill()
        process.wait(DEADLINE)
        end = time.monotonic() + DEADLINE
        while any(map(alive, children)) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertFalse([child for child in children if alive(child)])
        before = self.times_of_results()
        self.assertTrue(before)
        self.sweep(0, *AXES, *LONG, "--jobs", 2)
        after = self.times_of_results()
        for name, when in before.items():
            self.assertEqual(after[name], when)
        self.same_files(self.out, self.whole(*AXES, *LONG))

    def test_a_process_that_is_killed_is_a_failed_member_and_is_run_again(self):
        process = self.begin(*AXES, *LONG, "--jobs", 1)
        os.kill(self.in_the_middle(process), signal.SIGKILL)
        self.assertEqual(process.wait(DEADLINE), 78, process.stderr.read())
        failed = [row for row in self.rows() if row["exit"] != "0"]
        self.assertEqual([row["exit"] for row in failed], ["137"])
        self.assertIn("signal 9", failed[0]["cause"])
        self.assertEqual(failed[0]["objective"], "")
        self.assertIn("resuming: 5 of 6", self.sweep(0, *AXES, *LONG))
        self.same_files(self.out, self.whole(*AXES, *LONG))

    def test_a_member_that_fails_is_listed_and_ends_no_other(self):
        axes = ("--over", "gravity=[0, -9.81], [0, -5e6], [1, 0]")
        report = self.sweep(78, *axes, "--jobs", 2)
        self.assertIn("1 of 3 members failed", report)
        rows = self.rows()
        self.assertEqual([row["exit"] for row in rows], ["0", "76", "0"])
        self.assertEqual([bool(row["cause"]) for row in rows], [False, True, False])
        self.assertIn("step", rows[1]["cause"])
        self.assertEqual(rows[1]["parameters/gravity"], "[0, -5e6]")
        with h5py.File(self.out / "sweep.h5") as file:
            self.assertEqual(file["members/exit"][:].tolist(), [0, 76, 0])
            self.assertEqual(file["members/cause"][1].decode(), rows[1]["cause"])
            self.assertEqual(file["parameters/gravity"][1], b"[0, -5e6]")
            self.assertEqual(np.isnan(file["objective"][:]).tolist(), [False, True, False])
        self.assertEqual(self.report()["exit"], 78)
        before = self.times_of_results()
        self.sweep(78, *axes)
        self.assertEqual(self.times_of_results(), before)  # it would fail in the same way

    def test_a_model_that_cannot_be_built_is_a_failed_member(self):
        self.sweep(78, *EMPTY)
        rows = self.rows()
        self.assertEqual([row["exit"] for row in rows], ["0", "65"])
        self.assertIn("no particle of body 'ball'", rows[1]["cause"])
        self.assertIn("no particle of body 'ball'", (self.out / "members/00001/log.txt").read_text())

    def test_what_is_wrong_is_said_before_anything_is_written(self):
        cases = (
            (2, ["--over", "a sweep needs what it varies"], ()),
            (2, ["'materials.soft.E=1..2'", "needs a count"], ("--over", "materials.soft.E=1..2")),
            (2, ["materials.soft.E is varied twice"], ("--over", "materials.soft.E=1,2", "--over",
                                                       "materials.soft.E=3,4")),
            (2, ["materials[0].E and materials.soft.E are one key"], ("--over", "materials[0].E=1,2", "--over",
                                                                      "materials.soft.E=3,4")),
            (2, ["design.speed.initial and design[0].initial are one key"],
             ("--over", "design.speed.initial=[0, 1], [1, 0]", "--over", "design[0].initial=[0, 1], [1, 0]")),
            (2, ["--set 'materials[0].E=1 kPa' would do nothing: --over 'materials.soft.E=1,2'"],
             ("--set", "materials[0].E=1 kPa", "--over", "materials.soft.E=1,2")),
            (2, ["--set 'gravity[1]=0' would do nothing: --over 'gravity=[0, 1], [1, 0]'"],
             ("--set", "gravity[1]=0", "--over", "gravity=[0, 1], [1, 0]")),
            (2, ["--set 'design[0].initial=[1, 1]' would do nothing: --starts"],
             ("--set", "design[0].initial=[1, 1]", "--starts", 2)),
            (2, ["--samples", "from 1 to 100000"], ("--samples", 0, "--over", "materials.soft.E=1..2")),
            (2, ["with --samples a range has no count"], ("--samples", 4, "--over", "materials.soft.E=1..2:2")),
            (2, ["--sampling", "sobol, lhs"], ("--samples", 4, "--sampling", "x", "--over", "materials.soft.E=1..2")),
            (2, ["--what", "run, grad, optimize"], ("--what", "check", *AXES)),
            (65, ["--over", "member 0 (materials.soft.F=1)", "'F'"], ("--over", "materials.soft.F=1,2")),
            (65, ["--over", "member 1 (geometry.disc.center=[5, 5])", "outside the grid"],
             ("--over", "geometry.disc.center=[0.5, 0.5], [5, 5]")),
            (65, ["--over", "member 1 (materials.soft.nu=0.5)", "below 0.5"], ("--over",
                                                                              "materials.soft.nu=0.25..0.5:2")),
            (65, ["member 0", "is a time"], ("--over", "materials.soft.E=1 s..2 s:2")),
            (65, ["no entry is named 'hard'"], ("--over", "materials.hard.E=1,2")),
            (65, ["objective"], (*AXES, "--what", "grad", "--set", "objective=[]")),
            (65, ["optimizer"], (*AXES, "--what", "optimize", "--set", "optimizer={}")),
            (65, ["--set:1:", "materials[0].G"], (*AXES, "--set", "materials[0].G=3")),
            (69, ["cuda"], (*AXES, "--device", "cuda", "--set", "method.precision=f64")),
        )
        for code, words, arguments in cases:
            with self.subTest(arguments=arguments):
                done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=DEADLINE,
                                      check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertFalse(self.out.exists())

    def test_the_folder_of_another_sweep_is_left_as_it_is(self):
        self.sweep(0, *AXES)
        before = {p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}
        for more in (("--over", "materials.soft.E=1kPa,2kPa"), (*AXES, "--set", "gravity=[0, -5]"),
                     (*AXES, "--what", "run")):
            said = self.sweep(73, *more)
            self.assertIn("another run", said)
            self.assertIn("-o DIR", said)
        self.assertEqual({p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}, before)
        self.sweep(0, "--over", "materials.soft.E=1kPa,2kPa", "--resume", "never")
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(sorted(self.times_of_results()), ["00000", "00001"])  # the others are forgotten
        (self.out / "sweep.json").write_text("{")
        self.assertIn("damaged", self.sweep(65, "--over", "materials.soft.E=1kPa,2kPa"))

    def test_a_folder_in_use_is_refused(self):
        process = self.begin(*AXES, *LONG)
        self.assertIn(str(process.pid), self.sweep(73, *AXES, *LONG))

    def test_a_dry_run_plans_every_member_and_writes_nothing(self):
        said = self.sweep(0, *AXES, "--dry-run", "--jobs", 2)
        self.assertEqual(said.count("plan: member "), 6)
        self.assertIn("piola grad of 6 members", said)
        self.assertIn("2 at a time", said)
        most = int(said.split("plan: at most ")[1].split(" bytes")[0])
        self.assertGreater(most, 0)
        self.assertIn(f"{2 * most} bytes of memory for all", said)
        self.assertFalse(self.out.exists())
        said = self.sweep(78, *EMPTY, "--dry-run")
        self.assertIn("1 of 2 members cannot be run", said)

    def test_memory_is_divided_among_the_jobs(self):
        most = int(self.sweep(0, *AXES, "--dry-run").split("plan: at most ")[1].split(" bytes")[0])
        budget = ("--set", f"gradient.memory.budget={int(1.1 * most)} B")
        fewer = self.folder / "fewer"
        self.sweep(0, *AXES, *budget, "--jobs", 3, out=fewer)  # with fewer states, and the same bits
        result = json.loads((fewer / "members/00000/result.json").read_text())
        self.assertEqual(result["memory"]["plan"]["strategy"], "checkpoint")
        self.assertEqual(result["memory"]["budget_bytes"], int(1.1 * most) // 3)
        budget += ("--set", "gradient.memory.strategy=store")
        said = self.sweep(78, *AXES, *budget, "--jobs", 3)
        self.assertIn(f"each of 3 members at a time has at most {int(1.1 * most) / 3:.0f} bytes", said)
        self.assertEqual({row["exit"] for row in self.rows()}, {"71"})
        self.assertIn("gradient.memory: a budget of ", self.rows()[0]["cause"])
        self.sweep(0, *AXES, *budget, "--jobs", 1)  # they are run again, with all of it
        self.same_files(self.out, self.whole(*AXES))
        self.same_files(self.out, fewer)

    def test_a_sweep_of_another_machine_is_continued_with_permission_only(self):
        self.sweep(78, *EMPTY)
        text = (self.out / "sweep.json").read_text()
        other = re.sub("(libm: glibc )[0-9.]+", r"\g<1>9.99", text)
        self.assertNotEqual(other, text)
        (self.out / "sweep.json").write_text(other)
        said = self.sweep(77, *EMPTY)
        self.assertIn("'glibc 9.99' there", said)
        self.assertEqual((self.out / "sweep.json").read_text(), other)
        self.assertIn("the bits are those of neither", self.sweep(78, *EMPTY, "--accept-different-machine"))

    def test_samples_are_the_same_in_every_sweep_of_them(self):
        axes = ("--over", "materials.soft.E=5kPa..20kPa:log", "--over", "materials.soft.nu=0.2..0.4")
        values = {}
        for name, more in {"sobol": (), "shifted": ("--seed", 5), "lhs": ("--sampling", "lhs", "--seed", 5)}.items():
            out = self.folder / name
            self.sweep(0, *axes, "--samples", 8, *more, "--what", "run", "--jobs", 2, out=out)
            values[name] = [float(row["parameters/materials.soft.nu"]) for row in self.rows(out)]
            self.assertEqual(sorted(int((v - 0.2) / 0.2 * 8 + 1e-9) for v in values[name]), list(range(8)), name)
        # the second coordinate of the first eight points (Joe and Kuo 2008)
        expected = [0.2 + 0.2 * x for x in (0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625)]
        np.testing.assert_allclose(values["sobol"], expected, rtol=1e-12)
        self.assertEqual(len(set(map(tuple, values.values()))), 3)

    def test_members_may_be_optimised(self):
        self.sweep(1, "--over", "materials.soft.E=8kPa,9kPa", "--what", "optimize", "--jobs", 2, "--set",
                   "optimizer={type: adam, max_iterations: 1, stop: {objective: 1e-12}}")
        rows = self.rows()
        self.assertEqual([row["exit"] for row in rows], ["1", "1"])
        for row in rows:
            report = json.loads((self.out / row["folder"] / "result.json").read_text())
            self.assertEqual(float(row["objective"]), report["objective"])
            self.assertTrue((self.out / row["folder"] / "history.vtkhdf").exists())

    def test_starts_are_optimisations_from_points_within_the_bounds(self):
        more = ("--set", "optimizer={type: adam, max_iterations: 2}")  # which ends where it began, more or less
        self.assertIn("best: member ", self.sweep(0, "--starts", 5, "--jobs", 2, *more))
        rows, report = self.rows(), self.report()
        starts = [[float(row[f"parameters/design.speed.initial[{k}] [m/s]"]) for k in range(2)] for row in rows]
        # points 1 to 5 of Sobol's sequence (Joe and Kuo 2008) between -3 m/s and 3 m/s
        points = [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375], [0.875, 0.875]]
        self.assertEqual(starts, [[6 * x - 3 for x in point] for point in points])
        objectives = [float(row["objective"]) for row in rows]
        self.assertEqual(len(set(objectives)), 5)
        self.assertEqual(report["best"], objectives.index(min(objectives)))
        self.assertEqual(report["what"], "optimize")
        best = report["members"][report["best"]]
        single = self.folder / "single"
        subprocess.run([PIOLA, "optimize", str(self.scene), "-o", str(single), "--device", "cpu", "-q", *more,
                        "--set", *best["sets"]], timeout=DEADLINE, check=True)
        self.assertEqual(test_resume.numbers(self.out / best["folder"]), test_resume.numbers(single))
        for code, word, arguments in ((2, "--over", AXES), (2, "--samples", ("--samples", 3)),
                                      (2, "--what grad", ("--what", "grad")),
                                      (65, "add bounds", ("--set", "design=[{name: g, target: gravity}]"))):
            self.assertIn(word, self.sweep(code, "--starts", 2, *arguments, out=self.folder / "none"))
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main()
