#!/usr/bin/env python3
"""test_study.py PIOLA -- a study has the weighted sum of its experiments' gradients, and the same bits for any number
of processes, also after it was stopped.

The gradient is compared bit for bit with `piola grad` of the experiments as scenes of their own. One that has another
weight, or leaves an experiment out, must differ.
"""
import csv
import json
import os
import pathlib
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
observe: [{name: place, type: mean_position, body: ball, every: 5 ms}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
output: {states: {every: 5 ms}}
"""
DESIGN = "{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}"
STUDY = """version: 1
name: trials
experiments:
  - {name: soft, scene: tiny.yaml, weight: 0.3}
  - {name: stiff, scene: tiny.yaml, weight: 1.7, set: {materials.soft.E: 20 kPa, gravity: [0, -3]}}
  - {name: spin, scene: tiny.yaml, set: {"bodies[0].angular_velocity": 5}}
design: [%s]
optimizer: {type: lbfgs, max_iterations: 4}
""" % DESIGN
SETS = {"soft": (), "stiff": ("materials.soft.E=20 kPa", "gravity=[0, -3]"), "spin": ("bodies[0].angular_velocity=5",)}
EXPERIMENTS = STUDY[STUDY.index("  - "):]
WEIGHTS = {"soft": 0.3, "stiff": 1.7, "spin": 1.0}
DEADLINE = 120


def children_of(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Study(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.study = self.write(STUDY)
        (self.folder / "tiny.yaml").write_text(SCENE, encoding="utf-8")

    def write(self, text, name="study.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def piola(self, code, *words):
        done = subprocess.run([PIOLA, *map(str, words)], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def command(self, name, out, *more, study=None):
        return (name, study or self.study, "-o", self.folder / out, "--device", "cpu", *more)

    def result(self, out):
        return json.loads((self.folder / out / "result.json").read_text())

    def gradient(self, out):
        return self.result(out)["parameters"]["bodies.ball.velocity"]["gradient"]

    def sum_of_scenes(self, weights):
        """The weighted sum of the gradients of the experiments as scenes, and of their objectives."""
        total, J = [0.0, 0.0], 0.0
        for name, sets in SETS.items():
            more = [word for text in (f"design=[{DESIGN}]", *sets) for word in ("--set", text)]
            self.piola(0, *self.command("grad", "one-" + name, *more, study=self.folder / "tiny.yaml"))
            J += weights[name] * self.result("one-" + name)["objective"]
            total = [t + weights[name] * g for t, g in zip(total, self.gradient("one-" + name))]
        return total, J

    def test_the_gradient_is_the_weighted_sum_of_the_experiments(self):
        self.piola(0, *self.command("grad", "all", "--jobs", 2))
        total, J = self.sum_of_scenes(WEIGHTS)
        print("gradient of the study", self.gradient("all"), "sum of scenes", total)
        self.assertEqual(self.gradient("all"), total)
        self.assertEqual(self.result("all")["objective"], J)
        for name in SETS:
            self.assertTrue((self.folder / "all/experiments" / name / "picture.png").exists(), name)
        wrong, _ = self.sum_of_scenes(WEIGHTS | {"stiff": 1.7001})
        self.assertNotEqual(self.gradient("all"), wrong)

    def bits(self, out):
        folder = self.folder / out
        result = self.result(out)
        result["optimizer"].pop("replayed")
        return [result, (folder / "history.csv").read_bytes()]

    def test_the_bits_do_not_depend_on_the_number_of_processes(self):
        for jobs in 1, 2, 3, 7:
            self.piola(0, *self.command("optimize", f"jobs{jobs}", "--jobs", jobs))
        records = [(self.folder / f"jobs{j}/evaluations.record").read_bytes() for j in (1, 2, 3, 7)]
        self.assertGreater(len(records[0]), 500)
        for jobs, record in zip((2, 3, 7), records[1:]):
            self.assertEqual(self.bits("jobs1"), self.bits(f"jobs{jobs}"))
            self.assertEqual(record, records[0])
        self.piola(0, *self.command("optimize", "other", "--set", "experiments.spin.weight=1.001"))
        self.assertNotEqual(self.bits("jobs1"), self.bits("other"))

    def stopped(self, kill, *words):
        """An optimisation that `kill` stops after two evaluations, and its message."""
        more = ("--jobs", "2", "--set", "experiments.soft.set={time.duration: 500 ms}")
        words = [PIOLA, *map(str, self.command("optimize", "cut", *more, *words))]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end, record = time.monotonic() + DEADLINE, self.folder / "cut/evaluations.record"
        size = 0
        while time.monotonic() < end and process.poll() is None:
            now = record.stat().st_size if record.exists() else 0
            if now > size > 0:
                break
            size = now
            time.sleep(0.002)
        self.assertIsNone(process.poll())
        kill(process.pid)
        message = process.communicate(timeout=DEADLINE)[1]
        return process.returncode, message, more

    def goes_on(self, more):
        self.piola(0, *self.command("optimize", "cut", *more))
        self.piola(0, *self.command("optimize", "whole", *more))
        self.assertGreater(self.result("cut")["optimizer"]["replayed"], 0)
        self.assertEqual(self.bits("cut"), self.bits("whole"))

    def test_a_killed_process_ends_the_run_which_goes_on_with_the_same_bits(self):
        code, message, more = self.stopped(lambda pid: os.kill(children_of(pid)[1], signal.SIGKILL))
        self.assertEqual(code, 75, message)
        self.assertIn("process 2 of 2, of the experiments stiff, was ended by signal 9", message)
        self.assertIn("--resume auto", message)
        self.goes_on(more)

    def test_a_run_that_is_terminated_goes_on_with_the_same_bits(self):
        code, message, more = self.stopped(lambda pid: os.kill(pid, signal.SIGTERM))
        self.assertEqual(code, 75, message)
        self.goes_on(more)

    def test_a_life_without_a_new_evaluation_ends_with_79(self):
        code, message, more = self.stopped(lambda pid: os.kill(pid, signal.SIGUSR1), "--require-progress")
        self.assertEqual(code, 75, message)
        said = self.piola(79, *self.command("optimize", "cut", *more, "--require-progress", "--max-walltime", "1e-6"))
        self.assertIn("nothing new is on disk", said)
        self.piola(75, *self.command("optimize", "cut", *more, "--max-walltime", "1e-6"))  # as ever without it
        self.goes_on((*more, "--require-progress"))

    def test_a_constraint_is_kept_whatever_the_weight_of_its_experiment(self):
        text = STUDY.replace("type: lbfgs, max_iterations: 4", "type: mma, max_iterations: 5").replace(
            "set: {materials.soft.E: 20 kPa,", "set: {constraints: [{of: place.x, max: 0.512}],")
        study = self.write(text, "bound.yaml")
        for jobs in 1, 2:
            self.piola(0, *self.command("optimize", f"bound{jobs}", "--jobs", jobs, study=study))
        self.assertEqual(self.bits("bound1"), self.bits("bound2"))
        free = self.write(text.replace("max: 0.512", "max: 9"), "f.yaml")
        self.piola(0, *self.command("optimize", "free", study=free))
        places = {}
        for out in "bound1", "free":
            own = json.loads((self.folder / out / "experiments/stiff/result.json").read_text())
            places[out] = own["observations"]["place"]["value"][-1][0]
        print("place with max 0.512 m:", places["bound1"], "without:", places["free"])
        self.assertLessEqual(places["bound1"], 0.512 * (1 + 1e-6))
        self.assertGreater(places["free"], 0.5121)

    def test_a_trial_point_that_one_experiment_cannot_compute_is_rejected(self):
        text = STUDY.replace("bounds: [-3 m/s, 3]", "bounds: [-30 m/s, 30]").replace(
            "{name: spin, scene: tiny.yaml, set: {", "{name: spin, scene: tiny.yaml, set: {time.cfl_limit: 0.1, ")
        study = self.write(text, "far.yaml")
        said = self.piola(0, *self.command("optimize", "far", "--jobs", 2, study=study))
        self.assertIn("its trial point is rejected: experiment 'spin'", said)
        self.assertNotIn("rejected: experiment 'soft'", said)
        rejected = self.result("far")["optimizer"]["rejected"]
        print("rejected evaluations:", rejected, "of", self.result("far")["optimizer"]["evaluations"], "(threshold 1)")
        self.assertEqual(rejected, said.count("its trial point is rejected"))
        self.assertGreater(rejected, 0)

    def test_a_check_passes_and_reports_its_directions(self):
        self.piola(0, *self.command("check", "check", "--jobs", 2))
        check = self.result("check")["check"]
        for row in check["rows"]:
            print(row["direction"], "remainder", row["remainder"], "tolerance", check["tolerance"])
        self.assertEqual(check["verdict"], "passed")
        self.assertGreaterEqual(len(check["rows"]), 3)
        strict = self.piola(1, *self.command("check", "strict", "--set", "gradient.check.tolerance=1e-17"))
        self.assertIn("of 5 directions passed at tolerance 1e-17", strict)
        self.assertFalse(self.result("strict")["check"]["passed"])

    def test_no_process_remains_of_a_killed_program(self):
        left = []

        def kill(pid):
            left.extend(children_of(pid))
            os.kill(pid, signal.SIGKILL)

        _, _, more = self.stopped(kill)
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and any(pathlib.Path(f"/proc/{pid}").exists() for pid in left):
            time.sleep(0.01)
        self.assertEqual([pid for pid in left if pathlib.Path(f"/proc/{pid}").exists()], [])
        self.assertEqual(len(left), 2)
        self.goes_on(more)

    def test_a_start_that_an_experiment_cannot_compute_names_it(self):
        text = STUDY.replace("bounds: [-3 m/s, 3]", "bounds: [-80 m/s, 80]").replace(
            "{name: spin, scene: tiny.yaml,", "{name: spin, scene: tiny.yaml, weight: 200,")
        start = text.replace("initial: [0.5, 0.5 m/s]", "initial: [70, 70 m/s]")
        said = self.piola(76, *self.command("grad", "fast", study=self.write(start, "s.yaml")))
        self.assertIn("experiment 'soft'", said)
        self.assertEqual(self.result("fast")["exit"], 76)

    def test_levenberg_marquardt_has_the_residuals_of_all_experiments(self):
        text = STUDY.replace("type: lbfgs", "type: levenberg_marquardt")
        study = self.write(text, "squares.yaml")
        for jobs in 1, 3:
            self.piola(0, *self.command("optimize", f"squares{jobs}", "--jobs", jobs, study=study))
        self.assertEqual(self.bits("squares1"), self.bits("squares3"))
        self.piola(0, *self.command("optimize", "lbfgs", "--jobs", 2))
        self.assertLessEqual(self.result("squares1")["objective"], self.result("lbfgs")["objective"] * (1 + 1e-9))

    def test_each_experiment_of_a_fit_has_its_residuals(self):
        study = self.write(STUDY.replace("type: lbfgs", "type: levenberg_marquardt"), "tables.yaml")
        self.piola(0, *self.command("optimize", "tables", "--jobs", 2, study=study))
        J = 0.0
        for name, weight in WEIGHTS.items():
            folder = self.folder / "tables/experiments" / name
            self.assertIn(f"{folder}/residuals.csv", json.loads((folder / "result.json").read_text())["files"])
            with (folder / "residuals.csv").open(newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 8)
            J += weight * sum(float(row["residual"]) ** 2 for row in rows) / 2
        off = abs(J / self.result("tables")["objective"] - 1)
        print(f"half the weighted sums of squares differ from J by {off:.1e} (threshold 1e-12)")
        self.assertLess(off, 1e-12)

    def test_an_entry_governs_the_experiments_that_it_names(self):
        one = DESIGN.replace("name: speed", "name: fast, experiments: [soft, spin]")
        two = "{name: other, experiments: stiff, target: materials.soft.E, bounds: [5 kPa, 50 kPa]}"
        study = self.write(STUDY.replace(f"[{DESIGN}]", f"[{one}, {two}]"), "parts.yaml")
        self.piola(0, *self.command("grad", "parts", "--jobs", 2, study=study))
        total, _ = self.sum_of_scenes(WEIGHTS | {"stiff": 0.0})
        self.assertEqual(self.gradient("parts"), total)
        self.assertNotEqual(self.result("parts")["parameters"]["materials.soft.E"]["gradient"], 0)

    def test_targets_that_share_their_variables_share_them_in_all_experiments(self):
        """The gradient is the sum over experiments and over both bodies; a study has it as its scenes have it."""
        scene = SCENE.replace("bodies: [", "bodies: [{name: other, geometry: far, material: soft}, ").replace(
            "geometry: [", "geometry: [{name: far, type: ball, center: [1.4, 0.5], radius: 0.2}, ").replace(
            "observe: [", "observe: [{name: there, type: mean_position, body: other, every: 5 ms}, ").replace(
            "objective: [", "objective: [{type: target, of: there, value: [1.41, 0.5]}, ")
        (self.folder / "tiny.yaml").write_text(scene, encoding="utf-8")
        shared = DESIGN.replace("target: bodies.ball.velocity",
                                "targets: [bodies.ball.velocity, bodies.other.velocity]")
        more = "{name: stiffness, target: materials.soft.E, bounds: [5 kPa, 50 kPa], initial: 12 kPa}"
        text = STUDY.replace(f"[{DESIGN}]", f"[{shared}, {more}]").replace('{"bodies[0].angular_velocity": 5}',
                                                                          "{gravity: [0, -5]}")
        study, total, slope = self.write(text, "shared.yaml"), [0.0, 0.0], 0.0
        self.piola(0, *self.command("grad", "all", "--jobs", 2, study=study))
        for name, sets in {**SETS, "spin": ("gravity=[0, -5]",)}.items():
            words = [word for set_ in (f"design=[{shared}, {more}]", *sets) for word in ("--set", set_)]
            self.piola(0, *self.command("grad", "one-" + name, *words, study=self.folder / "tiny.yaml"))
            own = self.result("one-" + name)["parameters"]
            total = [t + WEIGHTS[name] * g for t, g in zip(total, own["bodies.ball.velocity"]["gradient"])]
            slope += WEIGHTS[name] * own["materials.soft.E"]["gradient"]
        found = self.result("all")["parameters"]
        print("gradient of the study", found["bodies.ball.velocity"]["gradient"], "sum of scenes", total)
        for body in "ball", "other":
            self.assertEqual(found[f"bodies.{body}.velocity"]["gradient"], total)
        self.assertEqual(found["materials.soft.E"]["gradient"], slope)
        self.assertNotEqual(self.result("one-soft")["parameters"]["bodies.ball.velocity"]["gradient"], total)
        self.piola(0, *self.command("check", "check", study=study))
        self.assertTrue(self.result("check")["check"]["passed"])
        self.assertIn("3 design variables", self.piola(0, *self.command("optimize", "p", "--dry-run", study=study)))
        squares = self.write(text.replace("type: lbfgs", "type: levenberg_marquardt"), "squares.yaml")
        for jobs in 1, 2:
            self.piola(0, *self.command("optimize", f"shared{jobs}", "--jobs", jobs, study=squares))
        self.assertEqual(self.bits("shared1"), self.bits("shared2"))
        self.assertEqual([row["variable"] for row in self.result("shared1")["least_squares"]["parameters"]][:2],
                         ["speed.x", "speed.y"])

    def test_files_of_others_in_the_folder_of_an_experiment_are_found_before_the_run(self):
        study = self.write(STUDY.replace("type: lbfgs", "type: levenberg_marquardt"), "fit.yaml")
        for name in "residuals.csv", "picture.png":
            mine = self.folder / "mine/experiments/stiff" / name
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.write_text("mine", encoding="utf-8")
            said = self.piola(73, *self.command("optimize", "mine", study=study))
            self.assertIn(str(mine), said)
            self.assertNotIn("iteration", said)
            self.assertEqual(mine.read_text(encoding="utf-8"), "mine")
            self.piola(0, *self.command("check", "mine", study=study))  # writes neither
            mine.unlink()
        self.piola(0, *self.command("optimize", "mine", study=study))

    def test_bad_studies_are_rejected_with_their_place(self):
        bad = (("name: spin", "name: soft", 65, "study.yaml:6:12: error: experiments[2]: the name 'soft' is taken"),
               ("name: speed,", "name: speed, experiments: [hard],", 65, "there is no experiment 'hard'"),
               ("name: speed,", "name: speed, experiments: [],", 65,
                "expected a name or a list of names of experiments"),
               ("bodies.ball.velocity", "bodies.bal.velocity", 65, "study.yaml:7:32: error: design[0].target"),
               ("{materials.soft.E: 20 kPa,", "{materials.sof.E: 20 kPa,", 65, "study.yaml:5:"),
               ("{materials.soft.E: 20 kPa,", "{optimizer.type: mma,", 65, "`optimizer` is the study's"),
               ("weight: 0.3", "weight: -1", 65, "must be at least 0"),
               (EXPERIMENTS, "  - {name: soft, scene: tiny.yaml, weight: 0}\ndesign: [%s]\n"
                "optimizer: {type: levenberg_marquardt}\n" % DESIGN, 65,
                "study.yaml:6:19: error: optimizer.type: least squares need an experiment whose weight is above 0"),
               ("scene: tiny.yaml, weight: 0.3", "scene: none.yaml", 66, "none.yaml"),
               ("scene: tiny.yaml, weight: 0.3", "scene: ../tiny.yaml", 77, "leaves"),
               ("initial: [0.5, 0.5 m/s], ", "", 0, ""),
               ("optimizer:", "optimiser:", 65, "did you mean 'optimizer'?"))
        for old, new, code, message in bad:
            with self.subTest(new=new):
                self.assertIn(old, STUDY)
                self.write(STUDY.replace(old, new, 1))
                self.assertIn(message, self.piola(code, "validate", self.study))
        self.write(STUDY.replace("initial: [0.5, 0.5 m/s], ", "").replace("{\"bodies[0].angular_velocity\": 5}",
                                                                        "{\"bodies[0].velocity\": [2, 1]}"))
        said = self.piola(65, *self.command("grad", "none"))
        self.assertIn("starts at other values, those of their scenes; add `initial`", said)
        self.write(STUDY)
        for words in (["run"], ["params"], ["sweep", "--over", "seed=1,2"]):
            self.assertIn("is a study", self.piola(2, words[0], self.study, *words[1:]))
        self.assertIn("--jobs is for studies", self.piola(2, "grad", self.folder / "tiny.yaml", "--jobs", 2))
        bad = self.write(SCENE.replace("weight", "wait").replace("nu: 0.3", "nu: 3"), "bad.yaml")
        said = self.piola(65, "optimize", bad, "--jobs", 2)
        self.assertIn("bad.yaml:6:", said)
        self.assertNotIn("--jobs", said)

    def test_faults_of_the_design_have_their_places_in_the_study(self):
        entry = "design: [%s]" % DESIGN
        bad = ((entry, "bounds", "bound", "bound", "design[0]: unknown key 'bound'; did you mean 'bounds'?"),
               (entry, "[-3 m/s, 3]", "3", "3}", "design[0].bounds: expected "),
               (entry, "[-3 m/s, 3]", "[3, -3]", "[3, -3]", "design[0].bounds: "),
               (entry, "name: speed, ", "", "{target", "design[0]: the required key 'name' is missing"),
               (entry, "target: bodies.ball.velocity, ", "", "{name", "design[0]: one of these is needed: target"),
               (entry, "0.5 m/s", "0.5 kg", "0.5 kg", "design[0].initial: '0.5 kg' "),
               (entry, "[0.5, 0.5 m/s]", "[0.5]", "[0.5]", "design[0].initial: "),
               (entry, "name: speed, ", "name: speed, transform: ln, ", "ln",
                "design[0].transform: unknown value 'ln'"),
               (entry, DESIGN, "speed", "speed", "design[0]: expected a mapping"),
               (entry, "[%s]" % DESIGN, "speed", "speed", "design: expected a list"),
               (entry, "[%s]" % DESIGN, "[]", "[]", "design: "),
               (entry, "name: speed,", "name: speed, experiments: {soft: 1},", "{soft",
                "design[0].experiments: expected a name or a list of names of experiments, got a mapping"),
               (entry, "name: speed,", "name: speed, experiments: [[soft]],", "[soft]",
                "design[0].experiments: expected the name of an experiment, got a list"),
               (entry, "name: speed,", "name: speed, experiments: [soft, soft],", "soft]",
                "design[0].experiments: 'soft' occurs twice"),
               (entry, "name: speed,", "name: speed, experiments: [soft, stif],", "stif",
                "design[0].experiments: there is no experiment 'stif'; did you mean 'stiff'?"))
        for line, old, new, at, message in bad:
            with self.subTest(new=new):
                self.assertIn(old, line)
                changed = line.replace(old, new, 1)
                self.write(STUDY.replace(line, changed))
                said = self.piola(65, "validate", self.study)
                print(" ", said.splitlines()[0])
                self.assertIn(f"study.yaml:7:{changed.index(at) + 1}: error: {message}", said)

    def test_the_budget_of_a_study_is_divided_among_its_experiments(self):
        said = self.piola(0, *self.command("grad", "plan", "--dry-run"))
        most = int(said.split(" residuals, ")[1].split(" bytes of memory in all")[0])
        for part, strategy in ((1.1, "store"), (0.4, "checkpoint")):
            budget = int(part * most)
            for jobs in 1, 2:  # all experiments stay open, in how many processes ever
                out = f"{strategy}{jobs}"
                words = ("--set", f"gradient.memory.budget={budget} B", "--jobs", jobs)
                self.piola(0, *self.command("grad", out, *words))
                for name in SETS:
                    memory = self.result(f"{out}/experiments/{name}")["memory"]
                    print(f"{name}, budget {budget}, {jobs} processes: {memory['plan']['strategy']}, "
                          f"{memory['peak_bytes']} of {budget / 3:.0f} bytes")
                    self.assertEqual(memory["budget_bytes"], budget // 3)
                    self.assertEqual(memory["plan"]["strategy"], strategy)
                    self.assertLessEqual(memory["peak_bytes"], budget // 3)
                self.assertEqual(self.gradient(out), self.gradient("store1"))
        said = self.piola(71, *self.command("grad", "none", "--set", "gradient.memory.budget=200 kB"))
        self.assertIn("experiment 'soft': gradient.memory: a budget of 66667 bytes holds no gradient", said)

    def test_folders_of_experiments_are_unlocked_at_the_end(self):
        """A lock that is found where nobody holds it is that of a run that was killed, which the next one says."""
        for jobs in 1, 2:
            self.piola(0, *self.command("optimize", "ended", "--jobs", jobs))
            self.piola(0, *self.command("check", "ended", "--jobs", jobs))
            self.assertEqual(list((self.folder / "ended").rglob(".piola-lock")), [])
        self.write(STUDY.replace("spin, scene: tiny.yaml", "spin, scene: tiny.yaml, weight: 0").replace(
            "\"bodies[0].angular_velocity\": 5", "\"objective[0].value\": [1, 1, 1]"))
        self.piola(65, *self.command("grad", "ended"))
        self.assertEqual(list((self.folder / "ended").rglob(".piola-lock")), [])

    def test_threads_are_divided_among_the_processes(self):
        """Of seven threads three processes have two each; a fourth would have no experiment."""
        for jobs, threads, each in ((1, 7, 7), (2, 7, 3), (3, 7, 2), (4, 7, 2), (3, 2, 1)):
            self.piola(0, *self.command("grad", f"threads{jobs}{threads}", "--jobs", jobs, "--threads", threads))
            found = {self.result(f"threads{jobs}{threads}/experiments/{name}")["engine"]["threads"] for name in SETS}
            print(f"  {threads} threads, {jobs} processes: each had {found} (expected {each})")
            self.assertEqual(found, {each})
        self.assertEqual(self.gradient("threads17"), self.gradient("threads37"))
        everything = {**os.environ, "OMP_NUM_THREADS": "5"}
        words = [PIOLA, *map(str, self.command("grad", "all", "--jobs", 2))]
        subprocess.run(words, env=everything, check=True, capture_output=True, timeout=DEADLINE)
        self.assertEqual(self.result("all/experiments/soft")["engine"]["threads"], 2)

    def test_final_values_have_units_and_name_the_bound_where_they_are(self):
        narrow = STUDY.replace("bounds: [-3 m/s, 3]", "bounds: [-3 m/s, 0.9]")
        said = self.piola(0, *self.command("optimize", "narrow", study=self.write(narrow, "narrow.yaml")))
        x, y = self.result("narrow")["parameters"]["bodies.ball.velocity"]["value"]
        print("\n".join(line for line in said.split("\n") if line.startswith("bodies.")))
        self.assertIn("bodies.ball.velocity[0] = 0.9 m/s, at its upper bound\n", said)
        self.assertAlmostEqual(x, 0.9, places=14)
        self.assertLess(y, 0.8999)
        self.assertIn(f"bodies.ball.velocity[1] = {y:.9g} m/s\n", said)
        said = self.piola(0, *self.command("grad", "grad"))
        self.assertNotIn("bodies.ball.velocity[0] =", said)  # the start is no result

    def test_a_plan_writes_nothing(self):
        said = self.piola(0, *self.command("optimize", "plan", "--dry-run"))
        self.assertIn("plan: 3 experiments in 1 process, 2 design variables", said)
        self.assertFalse((self.folder / "plan").exists())


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main()
