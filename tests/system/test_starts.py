#!/usr/bin/env python3
"""test_starts.py PIOLA -- optimizer.multi_start: the folder of an optimisation has the files of its best start.

The starts are those of `piola sweep --starts`, whatever the jobs, and whatever was interrupted.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

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
optimizer: {type: lbfgs, max_iterations: 3, multi_start: 4}
output: {states: {every: 5 ms}}
"""
OF_BEST = ("states.vtkhdf", "history.vtkhdf", "picture.png")
# about a second for each start on one thread
LONG = ("--set", "time.duration=4 s", "--set", "output.states.every=2 s", "--set", "observe.place.every=2 s", "--set",
        "optimizer.multi_start=2")
# at the second start the ball crosses cells in one step
FAST = ("--set", "design.speed.bounds=[-1000, 1000]")
NOT_CONVERGED = ("--set", "optimizer={type: adam, max_iterations: 1, stop: {objective: -1}, multi_start: 2}")


class Starts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.scene, self.out = self.folder / "tiny.yaml", self.folder / "out"
        self.scene.write_text(SCENE, encoding="utf-8")

    def piola(self, code, *words):
        done = subprocess.run([PIOLA, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), done.stderr)
        return done

    def optimize(self, code, *more, out=None):
        return self.piola(code, "optimize", self.scene, "-o", out or self.out, "--device", "cpu", *more)

    def result(self, out=None):
        return json.loads(((out or self.out) / "result.json").read_text())

    def best(self, out=None):
        starts = self.result(out)["multi_start"]
        return (out or self.out) / starts["members"][starts["best"]]["folder"]

    def same(self, a, b, *names):
        for name in names:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)

    def test_the_result_is_that_of_the_best_start_for_any_jobs(self):
        self.optimize(0, "--jobs", 3)
        result, best = self.result(), self.best()
        self.same(self.out, best, *OF_BEST)
        own = json.loads((best / "result.json").read_text())
        self.assertEqual({key for key in own if own[key] != result[key]}, {"files"})
        objectives = [start["objective"] for start in result["multi_start"]["members"]]
        self.assertEqual((len(objectives), min(objectives)), (4, result["objective"]))
        self.assertEqual(len({*objectives}), 4)  # or any start were the best
        self.assertEqual([start["exit"] for start in result["multi_start"]["members"]], [0] * 4)
        self.assertEqual(result["files"], [str(self.out / name) for name in (*OF_BEST, "sweep.csv", "sweep.h5",
                                                                            "sweep.json", "result.json")])
        one, other = self.folder / "one", self.folder / "sweep"
        self.optimize(0, out=one)
        self.piola(0, "sweep", self.scene, "--starts", 4, "-o", other, "--device", "cpu")
        self.same(self.out, one, "sweep.csv", "sweep.h5")
        self.same(self.out, other, "sweep.csv", "sweep.h5")
        with h5py.File(self.out / "sweep.h5") as sweep:
            self.assertEqual(list(sweep["objective"]), objectives)

    def test_a_start_has_the_bits_of_an_optimisation_from_there(self):
        self.optimize(0)
        start = self.result()["multi_start"]["members"][2]
        alone = self.folder / "alone"
        self.optimize(0, "--set", "optimizer.multi_start=1", "--set", start["sets"][0], out=alone)
        self.assertEqual(self.result(alone)["objective"], start["objective"])

    def test_final_values_have_units_and_their_bounds(self):
        """The place is out of reach with speeds to 1.5 m/s along x, which then is at its upper bound."""
        near = ("--set", "design.speed.bounds=[-3, 1.5]", "--set", "objective[0].value=[0.9, 0.51]", "--set",
                "optimizer.max_iterations=30")
        text = self.optimize(0, *near).stderr
        value = self.result()["parameters"]["bodies.ball.velocity"]["value"]
        print("  values", value)
        self.assertEqual(value[0], 1.5)
        self.assertIn("bodies.ball.velocity[0] = 1.5 m/s, at its upper bound\n", text)
        self.assertIn(f"bodies.ball.velocity[1] = {value[1]:.9g} m/s\n", text)
        text = self.optimize(0, out=self.folder / "free").stderr
        self.assertIn("bodies.ball.velocity[0] = ", text)
        self.assertNotIn("bound\n", text)
        field = "[{name: E, target: materials.soft.E, per: particle, bounds: [5 kPa, 20 kPa]}]"
        few = ("--set", "design=" + field, "--set", "optimizer={type: lbfgs, max_iterations: 1, multi_start: 2}")
        text = self.piola((0, 1), "optimize", self.scene, "-o", self.folder / "each", "--device", "cpu", *few).stderr
        n = self.result(self.folder / "each")["parameters"]["materials.soft.E"]["values"]
        self.assertIn(f"materials.soft.E: {n} values, in states.vtkhdf\n", text)

    def test_targets_that_share_their_variables_have_starts(self):
        text = SCENE.replace("bodies: [", "bodies: [{name: other, geometry: far, material: soft}, ").replace(
            "geometry: [", "geometry: [{name: far, type: ball, center: [1.4, 0.5], radius: 0.2}, ").replace(
            "target: bodies.ball.velocity", "targets: [bodies.ball.velocity, bodies.other.velocity]")
        self.assertIn("targets", text)
        self.scene.write_text(text, encoding="utf-8")
        self.optimize(0)
        starts = self.result()["multi_start"]
        self.assertEqual([start["exit"] for start in starts["members"]], [0] * 4)
        own = self.result()["parameters"]
        self.assertEqual(own["bodies.ball.velocity"]["value"], own["bodies.other.velocity"]["value"])
        self.assertEqual(self.result()["objective"], min(start["objective"] for start in starts["members"]))

    def test_the_residuals_of_a_fit_are_those_of_its_best_start(self):
        fit, table = ("--set", "optimizer.type=levenberg_marquardt"), self.out / "residuals.csv"
        self.optimize(0, *fit)
        self.same(self.out, self.best(), "residuals.csv")
        self.assertIn(str(table), self.result()["files"])
        self.optimize(0, "--resume", "never")  # by lbfgs
        self.assertFalse(table.exists(), "it would be of another design")
        table.write_text("mine")
        self.optimize(0, "--resume", "never")
        self.assertEqual(table.read_text(), "mine")
        before = sorted(self.out.glob("members/*/*"))
        text = self.optimize(73, *fit, "--resume", "never").stderr
        self.assertIn("residuals.csv", text)
        self.assertEqual((table.read_text(), sorted(self.out.glob("members/*/*"))), ("mine", before))

    def test_a_best_that_cannot_be_placed_is_a_failure_for_json_too(self):
        self.optimize(0)
        (self.out / "states.vtkhdf").unlink()
        (self.out / "states.vtkhdf").mkdir()
        done = self.optimize(73, "--json")
        printed = json.loads(done.stdout)
        self.assertEqual((printed["command"], printed["exit"]), ("optimize", 73))
        self.assertIn("states.vtkhdf", printed["message"])

    def page_is_of(self, last):
        """What the report of the folder is about: "starts", "sweep" or "result", that of another command. `last` of
        them was written last, but its file seems the oldest by its time."""
        files = sorted(("result.json", "sweep.json"), key=lambda name: (name == "sweep.json") != (last == "sweep"))
        for at, name in enumerate(files):
            if (self.out / name).exists():
                os.utime(self.out / name, (10**9 + at, 10**9 + at))
        self.piola(0, "report", self.out)
        page = (self.out / "report.html").read_text()
        return "sweep" if 'id="parallel"' in page else "starts" if 'id="starts"' in page else "result"

    def test_a_report_is_of_the_last_command_in_the_folder(self):
        commands = {"result": ("optimize", "--set", "optimizer.multi_start=1"), "starts": ("optimize",),
                    "sweep": ("sweep", "--starts", 4)}
        # each after each other, and a second time with nothing left to run
        order = ("starts", "result", "starts", "sweep", "sweep", "result", "sweep", "starts", "starts")
        for at, of in enumerate(order):
            name, *more = commands[of]
            self.piola(0, name, self.scene, "-o", self.out, "--device", "cpu", *more)
            self.assertEqual(self.page_is_of(of), of, order[:at + 1])

    def test_a_sweep_of_other_keys_has_its_report_whatever_was_in_the_folder_before(self):
        over = ("--over", "materials.soft.E=10kPa,20kPa")
        plain = self.folder / "plain.yaml"
        plain.write_text(SCENE.replace(", multi_start: 4", ""))
        for of, name, *more in (("result", "optimize"), ("sweep", "sweep", *over), ("result", "optimize"),
                                ("sweep", "sweep", *over), ("starts", "optimize", "--resume", "never"),
                                ("sweep", "sweep", "--resume", "never", *over)):
            self.piola(0, name, self.scene if of == "starts" else plain, "-o", self.out, "--device", "cpu", *more)
            self.assertEqual(self.page_is_of(of), of)
        listed = json.loads((self.out / "sweep.json").read_text())["earlier_result"]
        self.assertEqual(listed, hashlib.sha256((self.out / "result.json").read_bytes()).hexdigest())

    def begin(self, *more):
        """An optimisation whose first start has begun."""
        words = [PIOLA, "optimize", str(self.scene), "-o", str(self.out), "--device", "cpu", *LONG, *more]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + 60
        while not list(self.out.glob("members/*/evaluations.record")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process

    def test_what_was_stopped_says_so_and_goes_on(self):
        process = self.begin("--json")
        process.terminate()
        result = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual(process.returncode, 75)
        self.assertEqual(result, self.result())
        self.assertEqual((result["command"], result["exit"]), ("optimize", 75))
        self.assertGreater(result["multi_start"]["left"], 0)
        self.assertNotIn("objective", result)
        self.piola(0, "report", self.out)
        self.assertIn("The best is not known yet", (self.out / "report.html").read_text())
        self.optimize(0, *LONG, "--jobs", 2)
        whole = self.folder / "whole"
        self.optimize(0, *LONG, out=whole)
        self.same(self.out, whole, "sweep.csv", "sweep.h5", "picture.png")
        self.assertEqual(self.result()["parameters"], self.result(whole)["parameters"])
        before = {path: path.stat().st_mtime_ns for path in self.out.glob("members/*/*")}
        self.optimize(0, *LONG)  # nothing is left
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.out.glob("members/*/*")}, before)

    def test_after_sigkill_it_goes_on_to_the_same_bytes(self):
        process = self.begin("--jobs", "2")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 2)
        process.kill()
        self.assertEqual(process.wait(60), -9)
        self.assertFalse((self.out / "result.json").exists())
        end = time.monotonic() + 60
        while any(pathlib.Path("/proc", child).exists() for child in children):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        self.optimize(0, *LONG)
        whole = self.folder / "whole"
        self.optimize(0, *LONG, out=whole)
        self.same(self.out, whole, "sweep.csv", "sweep.h5", "picture.png")
        self.assertEqual(self.result()["parameters"], self.result(whole)["parameters"])

    def test_memory_is_divided_among_the_starts_at_a_time(self):
        plan = self.optimize(0, "--dry-run", "--jobs", 2).stderr
        most = int(plan.split("plan: at most ")[1].split(" bytes")[0])
        self.assertIn(f"{2 * most} bytes of memory for all that run at a time", plan)
        budget = int(1.1 * most)  # enough to keep all states of one start
        strategies = {}
        for jobs in 1, 4:
            out = self.folder / f"jobs{jobs}"
            self.optimize(0, "--set", f"gradient.memory.budget={budget} B", "--jobs", jobs, out=out)
            found = [json.loads(p.read_text())["memory"] for p in sorted(out.glob("members/*/result.json"))]
            self.assertEqual([of["budget_bytes"] for of in found], [budget // jobs] * 4)
            self.assertLessEqual(max(of["peak_bytes"] for of in found), budget // jobs)
            strategies[jobs] = {of["plan"]["strategy"] for of in found}
        print(f"of {budget} bytes, with one at a time {strategies[1]}, with four {strategies[4]}")
        self.assertEqual(strategies, {1: {"store"}, 4: {"checkpoint"}})
        self.same(self.folder / "jobs1", self.folder / "jobs4", "sweep.csv")
        said = self.optimize(78, "--set", f"gradient.memory.budget={budget} B", "--set",
                             "gradient.memory.strategy=store", "--jobs", 4).stderr
        self.assertIn("no optimisation from any of 4 starts came to an end", said)

    def test_threads_are_divided_among_the_starts(self):
        for jobs, each in ((1, 6), (2, 3), (4, 1), (9, 1)):  # nine jobs are four, of as many starts
            out = self.folder / f"threads{jobs}"
            self.optimize(0, "--jobs", jobs, "--threads", 6, out=out)
            found = [json.loads(path.read_text())["engine"]["threads"] for path in out.glob("members/*/result.json")]
            print(f"  6 threads, {jobs} at a time: {found} (expected {each} of each)")
            self.assertEqual(found, [each] * 4)
        self.same(self.folder / "threads1", self.folder / "threads4", "sweep.csv")

    def test_a_start_that_cannot_be_computed_leaves_the_best_of_the_others(self):
        text = self.optimize(0, *FAST).stderr
        self.assertRegex(text, r"member 1 .* failed with exit code 76")
        starts = self.result()["multi_start"]
        self.assertGreater(starts["failed"], 0)
        self.assertEqual(starts["members"][1]["exit"], 76)
        self.assertIsNone(starts["members"][1]["objective"])
        self.assertEqual(starts["members"][starts["best"]]["exit"], 0)

    def test_a_failure_that_another_run_may_not_have_ends_with_78(self):
        self.optimize(0)
        best, worst = self.best(), next(p for p in sorted(self.out.glob("members/*")) if p != self.best())
        (worst / "result.json").unlink()
        (worst / "log.txt").unlink()
        (worst / "log.txt").mkdir()  # its log cannot be opened
        text = self.optimize(78).stderr
        message = "1 of 4 starts failed, of which another run may compute some"
        self.assertIn(message, text)
        self.assertIn(message, self.result()["message"])
        self.assertEqual((self.result()["exit"], self.best()), (78, best))
        (worst / "log.txt").rmdir()
        self.optimize(0)
        self.assertEqual(self.result()["exit"], 0)

    def test_it_ends_with_1_if_no_start_converged_and_with_78_if_none_came_to_an_end(self):
        text = self.optimize(1, *NOT_CONVERGED).stderr
        self.assertIn("did not converge from any of 2 starts", text)
        result = self.result()
        self.assertEqual((result["exit"], result["optimizer"]["converged"]), (1, False))
        self.same(self.out, self.best(), *OF_BEST)
        text = self.optimize(78, "--set", "time={dt: 19 ms, duration: 190 ms}", "--resume", "never").stderr
        self.assertIn("no optimisation from any of 4 starts came to an end", text)
        self.assertEqual((self.result()["exit"], self.result()["multi_start"]["best"]), (78, None))

    def test_other_files_of_an_earlier_best_are_replaced(self):
        self.out.mkdir()
        (self.out / "picture.png").write_text("mine")
        text = self.optimize(73).stderr
        self.assertIn("picture.png", text)
        self.assertEqual((self.out / "picture.png").read_text(), "mine")
        (self.out / "picture.png").unlink()
        (self.out / "states.vtkhdf").write_text("old")
        self.optimize(0)
        self.same(self.out, self.best(), *OF_BEST)
        self.assertIn("of another run", self.optimize(73, "--set", "optimizer.multi_start=5").stderr)
        self.optimize(0, "--set", "optimizer.multi_start=5", "--resume", "never")
        self.assertEqual(len(self.result()["multi_start"]["members"]), 5)

    def test_a_best_that_cannot_be_copied_is_no_success(self):
        self.optimize(0)
        (self.out / "history.vtkhdf").unlink()
        (self.out / "history.vtkhdf").mkdir()
        self.assertIn("history.vtkhdf", self.optimize(73).stderr)
        self.assertEqual(json.loads((self.out / "sweep.json").read_text())["exit"], 73)
        self.assertFalse((self.out / "result.json").exists())

    def test_options_that_contradict_several_starts_are_named(self):
        one = ("--set", "optimizer.multi_start=1")
        self.assertIn("optimizer.multi_start above 1", self.optimize(2, *one, "--jobs", 2).stderr)
        text = self.optimize(2, "--set", "design[0].initial=[1, 1]").stderr
        self.assertIn("--set 'design[0].initial=[1, 1]' would do nothing: optimizer.multi_start", text)
        text = self.piola(65, "sweep", self.scene, "--what", "optimize", "--over", "gravity[1]=0,1").stderr
        self.assertIn("tiny.yaml:12:58: error: optimizer.multi_start: a member of a sweep has one start", text)
        self.scene.write_text(SCENE.replace(", bounds: [-3 m/s, 3]", ""))
        self.assertIn("add bounds: [LOW, HIGH] to 'speed'", self.optimize(65).stderr)
        study = self.folder / "study.yaml"
        study.write_text("version: 1\nname: s\nexperiments: [{name: a, scene: tiny.yaml}]\ndesign:\n  - {name: speed, "
                         "target: bodies.ball.velocity}\noptimizer: {type: lbfgs, multi_start: 2}\n")
        text = self.piola(65, "validate", study).stderr
        self.assertIn("study.yaml:6:39: error: optimizer.multi_start: a study begins at one point", text)
        self.assertFalse(self.out.exists())

    def test_a_dry_run_plans_every_start_and_writes_nothing(self):
        text = self.optimize(0, "--dry-run", "--jobs", 2).stderr
        self.assertIn("piola optimize of 4 members", text)
        self.assertFalse(self.out.exists())

    def test_the_report_is_of_the_best_and_lists_all(self):
        self.optimize(0)
        self.piola(0, "report", self.out)
        page, starts = (self.out / "report.html").read_text(), self.result()["multi_start"]
        self.assertIn(f"All that follows is of start {starts['best']}, the best of 4", page)
        for start in starts["members"]:
            self.assertIn(f'<a href="{start["folder"]}/">', page)
            self.assertIn(f"<td>{start['sets'][0]}</td>", page)
        self.assertIn('id="iterations"', page)
        self.assertNotIn('id="parallel"', page)
        (self.out / "result.json").unlink()  # then it is a sweep
        self.piola(0, "report", self.out)
        self.assertIn('id="parallel"', (self.out / "report.html").read_text())


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main(verbosity=2)
