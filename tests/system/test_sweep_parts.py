#!/usr/bin/env python3
"""test_sweep_parts.py PIOLA -- parts of a sweep run by several processes at once, collected, and written for Slurm.

Whatever runs the members, in whichever order, the collected files are those of one sweep, byte by byte. The scripts for
Slurm are run by a shell with commands in place of Slurm's; a real Slurm runs them in tools/slurm/try.sh.
"""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import unittest

import test_sweep
from test_sweep import AXES, DEADLINE, EMPTY, LONG

FILES = ("sweep.csv", "sweep.h5", "sweep.json")
OPTIMIZE = ("--what", "optimize", "--set", "optimizer={type: adam, learning_rate: 0.05, max_iterations: 8}")
HALF = tuple(word.replace("time.duration=6 s", "time.duration=3 s") for word in LONG)  # enough for iterations


class Parts(unittest.TestCase):
    setUp = test_sweep.Sweep.setUp
    command = test_sweep.Sweep.command
    sweep = test_sweep.Sweep.sweep
    rows = test_sweep.Sweep.rows
    report = test_sweep.Sweep.report
    times_of_results = test_sweep.Sweep.times_of_results

    def whole(self, *more, code=0):
        """The folder of the same sweep, run by one process."""
        whole = self.folder / "whole"
        self.sweep(code, *more, out=whole)
        return whole

    def same_files(self, whole):
        for name in FILES:
            self.assertEqual((self.out / name).read_bytes(), (whole / name).read_bytes(), name)

    def begin(self, *more):
        process = subprocess.Popen(self.command(*more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, seen):
        end = time.monotonic() + DEADLINE
        while not seen():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def wait_for_lock(self):
        """Returns once a process holds member 0: its lines are in the file only after the lock is taken."""
        lock = self.out / "members" / "00000" / ".piola-lock"
        self.wait_for(lambda: lock.exists() and lock.stat().st_size)

    def iterations(self):
        """How many iterations members have computed, those that they replayed not counted."""
        lines = [line for log in self.out.glob("members/*/log.txt") for line in log.read_text().splitlines()]
        return len([line for line in lines if line.startswith("iteration") and "replayed" not in line])

    def test_parts_at_the_same_time_are_collected_to_the_bytes_of_one_sweep(self):
        parts = [self.begin(*AXES, "--members", part) for part in ("4..5", "0..2", "3")]
        for part in parts:
            self.assertEqual(part.wait(DEADLINE), 0, part.stderr.read())
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["members", "sweep.json"])
        self.assertIsNone(self.report()["exit"])
        self.sweep(0, *AXES, "--collect")
        whole = self.whole(*AXES, "--jobs", 2)
        self.same_files(whole)
        self.sweep(0, *AXES, "--collect")
        self.same_files(whole)
        (self.out / "members" / "00002" / "result.json").unlink()  # or else the comparison would find nothing
        self.sweep(75, *AXES, "--collect")
        self.assertNotEqual((self.out / "sweep.csv").read_bytes(), (whole / "sweep.csv").read_bytes())

    def test_what_is_collected_early_lists_the_members_that_are_left(self):
        self.assertIn("holds no sweep", self.sweep(66, *AXES, "--collect", out=self.folder))
        self.assertIn("nothing to collect", self.sweep(66, *AXES, "--collect"))
        self.assertFalse(self.out.exists())
        self.sweep(0, *AXES, "--members", "1..2")
        self.assertIn("4 of 6 members are not finished", self.sweep(75, *AXES, "--collect"))
        report = self.report()
        self.assertEqual((report["exit"], report["finished"], report["left"]), (75, 2, 4))
        self.assertEqual([row["exit"] for row in self.rows()], ["", "0", "0", "", "", ""])
        before = self.times_of_results()
        self.sweep(0, *AXES)  # a whole sweep goes on from there
        after = self.times_of_results()
        self.assertEqual({k: after[k] for k in before}, before)
        self.same_files(self.whole(*AXES))

    def test_causes_of_failures_in_parts_are_collected(self):
        self.sweep(78, *EMPTY, "--members", "0..1")
        self.sweep(78, *EMPTY, "--collect")
        self.same_files(self.whole(*EMPTY, code=78))
        self.assertEqual([row["exit"] for row in self.rows()], ["0", "65"])

    def test_a_killed_member_has_its_cause_until_it_is_run_again(self):
        part = self.begin(*AXES, *LONG, "--members", "0")
        self.wait_for_lock()
        os.kill(test_sweep.children_of(part.pid)[0], signal.SIGKILL)
        self.assertEqual(part.wait(DEADLINE), 78, part.stderr.read())
        failure = self.out / "members" / "00000" / "failure.json"
        self.assertEqual(json.loads(failure.read_text())["exit"], 137)
        self.sweep(75, *AXES, *LONG, "--collect")
        self.assertEqual((self.rows()[0]["exit"], self.report()["failed"]), ("137", 1))
        self.assertIn("signal 9", self.rows()[0]["cause"])
        self.sweep(0, *AXES, *LONG)
        self.assertFalse(failure.exists())
        self.same_files(self.whole(*AXES, *LONG))

    def test_another_sweep_in_the_folder_is_rejected_by_parts_and_collections(self):
        self.sweep(0, *AXES, "--members", "0")
        before = (self.out / "sweep.json").read_bytes()
        other = ("--over", "materials.soft.E=5kPa,7kPa")
        for part in (("--members", "0"), ("--collect",)):
            self.assertIn("it is left as it is", self.sweep(73, *other, *part))
        self.assertEqual((self.out / "sweep.json").read_bytes(), before)
        self.assertFalse((self.out / ".piola-lock").exists())

    def test_a_member_that_another_process_runs_is_not_run_twice(self):
        first = self.begin(*AXES, *LONG, "--members", "0")
        self.wait_for_lock()
        first.send_signal(signal.SIGSTOP)
        os.kill(test_sweep.children_of(first.pid)[0], signal.SIGSTOP)
        said = self.sweep(78, *AXES, *LONG, "--members", "0..1")
        self.assertIn("failed with exit code 73", said)
        self.assertIn("is in use by piola", said)
        os.kill(test_sweep.children_of(first.pid)[0], signal.SIGCONT)
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(DEADLINE), 0, first.stderr.read())
        self.sweep(0, *AXES, *LONG)
        self.same_files(self.whole(*AXES, *LONG))

    def test_contradictions_are_usage_and_write_nothing(self):
        for more, message in ((("--members", "3..2"), "no range of members"), (("--members", "0..6"), "from 0 to 5"),
                              (("--members", "x"), "no range"), (("--members", "1.."), "no range"),
                              (("--members", "1..2x"), "no range"), (("--members", "-1"), "no range"),
                              (("--members", "0", "--collect"), "--members does not go with --collect"),
                              (("--members", "0", "--slurm"), "--members does not go with --slurm"),
                              (("--collect", "--slurm"), "--collect does not go with --slurm"),
                              (("--chunk", "2"), "--chunk does nothing without --slurm"),
                              (("--sbatch=--mem=1G",), "--sbatch does nothing without --slurm"),
                              (("--slurm", "--sbatch=mem"), "'mem' is no option of sbatch"),
                              (("--slurm", "--sbatch=--mem=1\nrm x"), "is no option of sbatch"),
                              (("--slurm", "--max-walltime", "59"), "count in minutes"),
                              (("--members", "0", "--resume", "never"), "--resume never"),
                              (("--collect", "--resume", "never"), "--resume never"),
                              (("--collect", "--dry-run"), "--collect runs no member"),
                              (("--slurm", "--json"), "--slurm has no result")):
            self.assertIn(message, self.sweep(2, *AXES, *more))
        self.assertFalse(self.out.exists())

    def test_a_part_that_gets_nothing_new_onto_the_disk_ends_with_79(self):
        slow = ("--set", "time.duration=4000 s", "--set", "output.states.every=400 s", "--set",
                "observe.place.every=400 s")
        part = self.begin(*AXES, *OPTIMIZE, *slow, "--members", "0", "--require-progress")
        self.wait_for_lock()
        part.send_signal(signal.SIGUSR1)
        self.assertEqual(part.wait(DEADLINE), 79)
        said = part.stderr.read()
        self.assertIn("interrupted by SIGUSR1", said)
        self.assertIn("nothing new is on disk", said)
        self.sweep(75, *AXES, *OPTIMIZE, *slow, "--members", "0", "--max-walltime", "0.3")  # as ever without it

    def test_a_part_that_gets_something_new_onto_the_disk_ends_with_75(self):
        part = self.begin(*AXES, *OPTIMIZE, *HALF, "--members", "0..1", "--require-progress")
        self.wait_for(self.iterations)
        part.send_signal(signal.SIGTERM)
        self.assertEqual(part.wait(DEADLINE), 75, part.stderr.read())
        self.sweep(0, *AXES, *OPTIMIZE, *HALF, "--members", "0..5", "--jobs", 2)
        self.sweep(0, *AXES, *OPTIMIZE, *HALF, "--collect")
        self.same_files(self.whole(*AXES, *OPTIMIZE, *HALF, "--jobs", 2))

    def test_a_run_makes_progress_only_if_its_checkpoint_is_a_later_one(self):
        slow = ("--set", "time.duration=4000 s", "--set", "output.states.every=400 s")
        run = [test_sweep.PIOLA, "run", str(self.scene), "-o", str(self.out), "--device", "cpu", "--require-progress",
               *slow]
        seen = []
        for limit in ("1", "1", "0.001"):
            done = subprocess.run([*run, "--max-walltime", limit], capture_output=True, text=True, timeout=DEADLINE,
                                  check=False)
            seen.append(done.returncode)
            self.assertIn("interrupted by the time limit", done.stderr)
        self.assertEqual(seen, [75, 75, 79])

    # ---- scripts for Slurm ----------------------------------------------------------------------------------

    def stubs(self, state="RUNNING None"):
        """Commands in place of Slurm's, which keep what they were given in calls.txt."""
        folder, calls = self.folder / "stubs", self.folder / "calls.txt"
        folder.mkdir(exist_ok=True)
        for name, text in (("squeue", f"echo '{state}'"), ("scontrol", ""), ("sbatch", "echo 17")):
            path = folder / name
            path.write_text(f'#!/bin/sh\necho "{name} $*" >>{shlex.quote(str(calls))}\n{text}\n')
            path.chmod(0o755)
        return calls, dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", SLURM_ARRAY_JOB_ID="17",
                           SLURM_CPUS_PER_TASK="2")

    def task(self, number, environment, name="members.sbatch", **more):
        return subprocess.Popen(["bash", str(self.out / "slurm" / name)], stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT,
                                env=dict(environment, SLURM_ARRAY_TASK_ID=str(number), **more))

    def test_scripts_run_the_sweep_whatever_its_names(self):
        place = self.folder / "it's a $HOME \"place\""
        place.mkdir()
        self.scene = self.scene.rename(place / "the scene.yaml")
        self.out = place / "out put"
        calls, environment = self.stubs()
        said = self.sweep(0, *AXES, "--slurm", "--chunk", 4, "--threads", 2, "--max-walltime", "90m",
                          "--sbatch=--partition=short")
        self.assertIn("6 members in 2 tasks of 4", said)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["slurm"])
        text = (self.out / "slurm" / "members.sbatch").read_text()
        for line in ("--array=0-1", "--time=90", "--signal=B:USR1@60", "--requeue", "--cpus-per-task=2",
                     "--partition=short"):
            self.assertIn(f"#SBATCH {line}\n", text)
        for number in (1, 0):
            task = self.task(number, environment)
            said = task.communicate(timeout=DEADLINE)[0]
            self.assertEqual(task.returncode, 0, said)
        task = self.task(0, environment, "collect.sbatch")
        self.assertEqual(task.wait(DEADLINE), 0, task.communicate()[0])
        self.same_files(self.whole(*AXES))
        done = subprocess.run(["sh", str(self.out / "slurm" / "submit.sh"), "--account=me"], env=environment, text=True,
                              capture_output=True, check=True, timeout=DEADLINE)
        self.assertIn("job 17 runs the members, and then job 17 collects", done.stdout)
        self.assertEqual(calls.read_text().splitlines(),
                         ["sbatch --parsable --account=me members.sbatch",
                          "sbatch --parsable --dependency=afterany:17 --account=me collect.sbatch"])

    def test_the_line_that_submits_is_one_of_a_shell(self):
        out = self.folder / "it's mine"
        line = self.sweep(0, *AXES, "--slurm", out=out).split("submit them by: ")[1].splitlines()[0]
        self.assertEqual(shlex.split(line), ["sh", f"{out}/slurm/submit.sh"])

    def test_a_task_requeues_itself_on_75_alone(self):
        self.sweep(0, *AXES, *OPTIMIZE, *HALF, "--slurm", "--chunk", 6)
        for state, restarts, code, queued in (("RUNNING None", "0", 75, True), ("COMPLETING None", "0", 75, False),
                                              ("COMPLETING TimeLimit", "999", 75, True),
                                              ("RUNNING None", "1000", 75, False), ("RUNNING None", "0", 0, False)):
            calls, environment = self.stubs(state)
            calls.unlink(missing_ok=True)
            seen = self.iterations()
            task = self.task(0, environment, SLURM_RESTART_COUNT=restarts)
            if code:
                self.wait_for(lambda: self.iterations() > seen + 1)
                task.send_signal(signal.SIGUSR1)
            said = task.communicate(timeout=DEADLINE)[0]
            self.assertEqual(task.returncode, code, said)
            there = calls.exists() and "scontrol requeue 17_0\n" in calls.read_text()
            self.assertEqual(there, queued, said)

    def test_scripts_for_a_sweep_that_begins_anew_forget_its_members(self):
        self.sweep(0, *AXES)
        self.sweep(0, *AXES, "--slurm")
        self.assertEqual(len(self.times_of_results()), 6)
        self.sweep(0, *AXES, "--slurm", "--resume", "never")
        self.assertEqual((len(self.times_of_results()), (self.out / "sweep.json").exists()), (0, False))
        self.sweep(0, *AXES, "--members", "0..5")
        self.assertEqual(len(self.times_of_results()), 6)


if __name__ == "__main__":
    test_sweep.PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
