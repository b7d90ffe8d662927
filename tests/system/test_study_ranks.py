#!/usr/bin/env python3
"""test_study_ranks.py PIOLA -- a study by mpirun has the bytes that it has by --jobs, and ends as a run of its own
does.

Processes that are killed or stopped must end all others. Without mpirun nothing is checked.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import test_study
from test_study import DEADLINE, children_of

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
FEM = """version: 1
name: block
method: {type: fem, dimension: 2}
materials: [{name: soft, model: linear, E: 1 kPa, nu: 0.2}]
geometry: [{name: block, type: box, element: quad4, elements: [4, 4], min: [0, 0], max: [1, 1]}]
bodies: [{name: one, geometry: block, material: soft}]
boundary: [{name: floor, body: one, on: {group: bottom}, type: fixed}]
loads: [{name: push, body: one, on: {group: top}, type: pressure, value: 10 Pa}]
observe: [{name: lid, type: displacement, body: one, on: {group: top}}]
objective: [{type: target, of: lid.y, value: -0.02}]
solver: {linear: direct}
"""
FEM_STUDY = """version: 1
name: blocks
experiments:
  - {name: soft, scene: block.yaml}
  - {name: hard, scene: block.yaml, set: {loads.push.value: 20 Pa}, weight: 0.25}
design: [{name: stiffness, target: materials.soft.E, initial: 1 kPa, bounds: [0.2 kPa, 5 kPa], transform: log}]
optimizer: {type: lbfgs, max_iterations: 3}
"""


class Ranks(test_study.Study):
    def mpirun(self, ranks, *words):
        return ["mpirun", "-n", str(ranks), test_study.PIOLA, *map(str, words)]

    def run_ranks(self, code, ranks, *words):
        done = subprocess.run(self.mpirun(ranks, *words), capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def same_files(self, one, other):
        for name in "result.json", "evaluations.record", "history.csv":
            self.assertEqual((self.folder / one / name).read_bytes(), (self.folder / other / name).read_bytes(), name)

    def test_the_bytes_do_not_depend_on_the_number_of_ranks(self):
        self.piola(0, *self.command("optimize", "jobs", "--jobs", 2))
        for ranks in 1, 2, 3, 5:
            done = self.run_ranks(0, ranks, *self.command("optimize", f"ranks{ranks}"))
            self.same_files("jobs", f"ranks{ranks}")
            self.assertEqual(done.stderr.count("iteration    0:"), 1)  # one rank speaks
        self.run_ranks(0, 2, *self.command("optimize", "other", "--set", "experiments.spin.weight=1.001"))
        self.assertNotEqual(self.bits("jobs"), self.bits("other"))

    def test_the_errors_of_a_fit_do_not_depend_on_the_number_of_ranks(self):
        study = self.write(test_study.STUDY.replace("type: lbfgs", "type: levenberg_marquardt"), "squares.yaml")
        self.piola(0, *self.command("optimize", "squares", "--jobs", 2, study=study))
        self.run_ranks(0, 3, *self.command("optimize", "squares3", study=study))
        self.same_files("squares", "squares3")
        self.assertEqual(self.result("squares3")["least_squares"]["free_variables"], 2)

    def test_a_maximum_has_the_bytes_of_one_without_ranks(self):
        more = ("--set", "combine={type: maximum, power: 4}")
        self.piola(0, *self.command("optimize", "jobs", "--jobs", 2, *more))
        self.run_ranks(0, 3, *self.command("optimize", "ranks", *more))
        self.same_files("jobs", "ranks")
        self.piola(0, *self.command("optimize", "sum"))
        self.assertNotEqual(self.bits("jobs"), self.bits("sum"))

    def test_direct_solves_beside_ranks_have_the_bytes_of_those_without(self):
        (self.folder / "block.yaml").write_text(FEM, encoding="utf-8")
        study = self.write(FEM_STUDY, "blocks.yaml")
        self.piola(0, *self.command("optimize", "jobs", "--jobs", 2, study=study))
        self.run_ranks(0, 2, *self.command("optimize", "ranks", study=study))
        self.same_files("jobs", "ranks")

    def test_failures_are_those_of_the_program(self):
        bad = self.write(test_study.STUDY.replace("name: speed,", "name: speed, experiments: [hard],"), "bad.yaml")
        done = self.run_ranks(65, 2, *self.command("grad", "bad", study=bad))
        self.assertEqual(done.stderr.count("there is no experiment 'hard'"), 1)
        both = self.run_ranks(2, 2, *self.command("grad", "j", "--jobs", 2))
        self.assertIn("one of them would be right", both.stderr)
        scene = self.command("grad", "scene", study=self.folder / "tiny.yaml")
        self.assertIn("mpirun is for studies", self.run_ranks(2, 2, *scene).stderr)

    def stopped_ranks(self, kill):
        """An optimisation by two ranks that `kill` stops after two evaluations."""
        more = ("--set", "experiments.soft.set={time.duration: 500 ms}", "--set", "optimizer.max_iterations=8")
        words = self.mpirun(2, *self.command("optimize", "cut", *more))
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        end, record, size = time.monotonic() + DEADLINE, self.folder / "cut/evaluations.record", 0
        while time.monotonic() < end and process.poll() is None:
            now = record.stat().st_size if record.exists() else 0
            if now > size > 0:
                break
            size = now
            time.sleep(0.002)
        self.assertIsNone(process.poll())
        ranks = [p for p in children_of(process.pid)]
        kill(process.pid, ranks)
        message = process.communicate(timeout=DEADLINE)[1]
        while time.monotonic() < end and any(pathlib.Path(f"/proc/{p}").exists() for p in ranks):
            time.sleep(0.01)
        self.assertEqual([p for p in ranks if pathlib.Path(f"/proc/{p}").exists()], [])
        return process.returncode, message, more

    def goes_on_by_ranks(self, more):
        self.run_ranks(0, 3, *self.command("optimize", "cut", *more))
        self.piola(0, *self.command("optimize", "whole", *more, "--jobs", 2))
        self.assertGreater(self.result("cut")["optimizer"]["replayed"], 0)
        self.assertEqual(self.bits("cut"), self.bits("whole"))

    def test_a_warning_of_a_batch_system_ends_all_ranks_with_75(self):
        code, message, more = self.stopped_ranks(lambda pid, _: os.kill(pid, signal.SIGUSR1))
        self.assertEqual(code, 75, message)
        self.assertIn("--resume auto", message)
        self.goes_on_by_ranks(more)

    def test_ranks_that_are_terminated_end_with_75(self):
        code, message, more = self.stopped_ranks(lambda _, ranks: [os.kill(p, signal.SIGTERM) for p in ranks])
        self.assertEqual(code, 75, message)
        self.goes_on_by_ranks(more)

    def test_a_killed_rank_ends_the_run_with_its_number(self):
        killed = []

        def kill(_, ranks):
            killed.append(max(ranks))
            os.kill(max(ranks), signal.SIGKILL)

        code, message, more = self.stopped_ranks(kill)
        self.assertNotEqual(code, 0)
        self.assertIn(f"rank 1 of 2, process {killed[0]}, of the experiments stiff, has ended", message)
        self.assertIn("--resume auto", message)
        self.assertEqual(json.loads((self.folder / "cut/result.json").read_text())["exit"], 75)
        self.goes_on_by_ranks(more)


def load_tests(loader, _tests, _pattern):
    """Without those of test_study."""
    own = [name for name in loader.getTestCaseNames(Ranks) if name in vars(Ranks)]
    return unittest.TestSuite(map(Ranks, own))


if __name__ == "__main__":
    test_study.PIOLA = sys.argv.pop(1)
    if not shutil.which("mpirun"):
        print("not checked: there is no mpirun; tools/check.sh installs it")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    unittest.main()
