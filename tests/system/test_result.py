#!/usr/bin/env python3
"""test_result.py PIOLA SOURCE_FOLDER -- what commands write as JSON is what docs/reference/*.schema.json say.

Small scenes of particles and of meshes and a study are run, differentiated, checked and optimised; some end well, some
with no, fail or are interrupted. Each result.json validates, and every key of the schema is in one of them. The
negative control spoils them at every place: a key that is not known, a value of another type, a missing key. Likewise
what `doctor` and `bench` print.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

import small_scenes

PIOLA, SOURCE = "", pathlib.Path()
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
BALL = """version: 1
name: ball
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: lbfgs, max_iterations: 5}
output: {states: {every: 10 ms}}
"""
SLAB = """version: 1
name: slab
method: {type: fem, dimension: 2, precision: f64}
materials: [{name: m, model: neo_hookean, E: 200 kPa, nu: 0.3, density: 1000}]
geometry: [{name: g, type: box, element: quad4, elements: [6, 2], min: [0, 0], max: [0.6, 0.2]}]
bodies: [{name: b, geometry: g, material: m, thickness: 0.2}]
boundary: [{name: root, body: b, on: {group: left}, type: fixed}]
loads: [{name: push, body: b, on: {group: right}, type: force, value: [20 N, -30 N]}]
observe:
  - {name: end, type: displacement, body: b, on: {group: right}}
  - {name: size, type: volume, body: b}
design:
  - {name: depth, target: bodies.b.thickness, bounds: [0.1, 0.4]}
  - {name: stiffness, target: materials.m.E, per: element, bounds: [100 kPa, 400 kPa], transform: log}
objective: [{type: target, of: end.y, value: -0.01, weight: 1000}]
"""
STUDY = """version: 1
name: slabs
experiments:
  - {name: light, scene: slab.yaml, weight: 2, set: {loads.push.value: [10 N, -15 N]}}
  - {name: heavy, scene: slab.yaml, set: {objective: [{type: target, of: end, value: [0.001, -0.01], weight: 1000}]}}
design: [{name: stiffness, target: materials.m.E, bounds: [100 kPa, 400 kPa], transform: log}]
gradient: {check: {directions: 2}}
optimizer: {type: levenberg_marquardt, max_iterations: 20}
"""
STUDY_BOUND = ["optimizer={type: mma, max_iterations: 2}",
               "design=[{name: depth, target: bodies.b.thickness, bounds: [0.1, 0.4]}]",
               "experiments.light.set={constraints: [{of: size, max: 1.001, relative_to: initial}]}"]
STUDY_ERODED = ["combine={type: maximum, power: 4}", "optimizer={type: mma, max_iterations: 2}",
                "design=[{name: layout, target: bodies.b.relative_density, per: element, bounds: [0, 1], "
                "filter: {type: cone, radius: 0.15}, projection: {beta: 2}}]",
                "experiments.heavy.projection={threshold: 0.6}", *(
                    f"experiments.{name}.set={{bodies: [{{name: b, geometry: g, material: m, relative_density: 0.5}}], "
                    "objective: [{type: target, of: end, value: [0.001, -0.01], weight: 1000}]}"
                    for name in ("light", "heavy"))]
MOTION = ["time={integrator: bdf2, dt: 5 ms, duration: 30 ms}"]
BOUND = ["constraints=[{of: size, max: 1.001, relative_to: initial}]", "optimizer={type: mma, max_iterations: 2}"]
LAYOUT = ["bodies=[{name: b, geometry: g, material: m, relative_density: 0.5}]", "design=[{name: layout, "
          "target: bodies.b.relative_density, per: element, bounds: [0, 1], filter: {type: cone, radius: 0.15}, "
          "projection: {beta: 2}}]"]
FIT = ["optimizer={type: levenberg_marquardt, max_iterations: 20}",
       "objective=[{type: target, of: end, value: [0.001, -0.01], weight: 1000}]", "design=[{name: stiffness, "
       "target: materials.m.E, bounds: [100 kPa, 400 kPa], transform: log}]"]
# By forces alone only the product of thickness and modulus is found.
OPEN = ["design=[{name: depth, target: bodies.b.thickness, bounds: [0.05, 0.8]}, {name: stiffness, "
        "target: materials.m.E, bounds: [20 kPa, 2 MPa], transform: log}]"]
LONG = ["time.duration=1000 s", "output.states.every=1000 s", "gradient.memory.budget=50 MB"]  # a million steps
TINY = ["gradient.check={directions: 2}"]
# Name: exit code, command, scene, settings, further options. A scene of one line is the file of a small one.
RUNS = {
    "ball": (0, "run", BALL, [], []),
    "ball_grad": (0, "grad", BALL, [], []),
    "ball_check": (0, "check", BALL, TINY, []),
    "ball_optimize": (0, "optimize", BALL, [], []),
    "ball_starts": (0, "optimize", BALL, ["optimizer.multi_start=3"], []),
    "ball_starts_too_fast": (78, "optimize", BALL, ["optimizer.multi_start=2", "time={dt: 19 ms, duration: 190 ms}"],
                             []),
    "ball_checked": (0, "grad", BALL, TINY, [], "ball_check"),  # in the folder of that check
    "ball_without_an_end": (0, "run", BALL, ["design=[]", "objective=[]"], []),
    "ball_on_little_memory": (0, "grad", "mpm_jelly_small.yaml", ["gradient.memory.budget=2 MB"],
                              ["--threads", "1"]),
    "ball_reversed": (0, "grad", "mpm_long_bounce_small.yaml", ["time.duration=50 ms"], []),
    "ball_too_fast": (76, "grad", BALL, ["time={dt: 19 ms, duration: 190 ms}"], []),
    "ball_in_f32": (0, "grad", BALL, ["method.precision=f32"], []),
    "slab": (0, "run", SLAB, [], []),
    "slab_grad": (0, "grad", SLAB, [], []),
    "slab_check": (0, "check", SLAB, TINY + BOUND, []),
    "slab_undecided": (1, "check", SLAB, ["gradient.check={directions: 1, tolerance: 1e-14}"], []),
    "slab_optimize": (0, "optimize", SLAB, BOUND, []),
    "slab_projected": (0, "optimize", SLAB, LAYOUT + BOUND, []),
    "slab_fit": (0, "optimize", SLAB, FIT, []),
    "slab_columns": (0, "optimize", SLAB, FIT + ["optimizer.jacobian=columns", "method.precision=f64"], []),
    "slab_open": (0, "optimize", SLAB, FIT + OPEN, []),
    "slab_not_converged": (1, "optimize", SLAB, ["optimizer={type: adam, max_iterations: 2, stop: {objective: -1}}"],
                           []),
    "slab_in_motion": (0, "grad", SLAB, MOTION, []),
    "fork": (0, "grad", "fem_fork_small.yaml", [], []),
    "touched": (0, "grad", "../check_scenes/fem_contact.yaml", ["obstacles[0].friction=0.3"], []),
    "collided": (0, "grad", "../check_scenes/fem_pairs.yaml", [], []),
    "folded": (0, "grad", "fem_fold_small.yaml", [], []),
    "dam": (0, "grad", "mpm_dam_viscosity_small.yaml", [], []),
    "slab_inside_out": (76, "run", SLAB, ["solver.halvings=0", "boundary=[{name: left, body: b, on: {group: left}, "
                                          "type: fixed}, {name: right, body: b, on: {group: right}, "
                                          "type: displacement, value: [-2, 0]}]", "loads=[]"], []),
    "slab_by_iteration": (0, "grad", SLAB, ["solver.linear=pcg"], []),
    "slab_unbalanced": (76, "run", SLAB, ["solver={max_iterations: 1, halvings: 0}"], []),
    "study": (0, "optimize", STUDY, [], []),
    "study_grad": (0, "grad", STUDY, [], ["--jobs", "2"]),
    "study_check": (0, "check", STUDY, [], []),
    "study_bound": (0, "optimize", STUDY, STUDY_BOUND, []),
    "study_eroded": (0, "optimize", STUDY, STUDY_ERODED, []),
    "study_width": (0, "grad", STUDY, ["combine={type: maximum, width: 2}", "optimizer={type: mma}"], []),
    "study_unbalanced": (76, "grad", STUDY,
                         ["experiments.heavy.set={solver.max_iterations: 1, solver.halvings: 0}"], []),
    "ball_interrupted": (75, "run", BALL, LONG, ["--max-walltime", "2"]),
    "ball_optimize_interrupted": (75, "optimize", BALL, LONG, ["--max-walltime", "2"]),
    "ball_starts_interrupted": (75, "optimize", BALL, LONG + ["optimizer.multi_start=3"], ["--max-walltime", "2"]),
}
# Objects whose keys are names of the scene.
NAMES = ("terms", "observations", "data", "parameters")
# What writes these keys; of check_record.c also the record itself, whose `identity` no result has.
WRITERS = ("results/result", "results/certificate", "results/check_record", "results/fit", "run/adjoint_growth",
           "command/command", "command/command_check", "command/command_optimize", "command/command_study",
           "command/command_study_check", "command/command_sweep_best", "study/experiment")
EVALUATED = ("objective", "terms", "constraints", "observations", "parameters")


def run(*arguments, code=0):
    done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=ENVIRONMENT, timeout=300)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stderr}"
    return done.stdout


def short(value):
    """A document with at most two entries in each list."""
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    return [short(inner) for inner in value[:2]] if isinstance(value, list) else value


def places(value, at=()):
    """Paths to all that is in a document, of keys and numbers."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield at + (key,)
        yield from places(inner, at + (key,))


def has_names(place):
    """Whether the keys of the object there are names of the scene."""
    return len(place) == 1 and place[0] in NAMES or len(place) == 3 and place[::2] == ("experiments", "constraints")


def general(place):
    """A path with `*` for numbers and for names of the scene."""
    return tuple("*" if isinstance(key, int) or has_names(place[:at]) else key for at, key in enumerate(place))


def found(document, place):
    for key in place:
        document = document[key]
    return document


def entries(schema, entry, at=()):
    """(path, what the schema says of it) of all that a document may have, with `*` as in general()."""
    if "$ref" in entry:
        yield from entries(schema, found(schema, entry["$ref"].split("/")[1:]), at)
    for choice in entry.get("oneOf", ()):
        yield from entries(schema, choice, at)
    for key, inner in entry.get("properties", {}).items():
        yield at + (key,), inner
        yield from entries(schema, inner, at + (key,))
    for inner in (entry.get("items"), entry.get("additionalProperties")):
        if inner:
            yield at + ("*",), inner
            yield from entries(schema, inner, at + ("*",))


def faults_of(validator, document):
    return [f"{e.json_path}: {e.message[:300]}" for e in validator.iter_errors(document)]


class Schemas(unittest.TestCase):
    """What is required of either schema."""

    def spoil(self, validator, keys, documents, least):
        """How many documents were refused that were spoiled at one place: each place of a kind once."""
        done, counts = set(), {"unknown": 0, "other": 0, "missing": 0}

        def refused(kind, spoiled, place):
            self.assertNotEqual(faults_of(validator, spoiled), [], f"{kind} at {place}")
            counts[kind] += 1

        for name, report in documents.items():
            report = short(report)
            self.assertEqual(faults_of(validator, report), [], name)
            for place in [(), *places(report)]:
                spoiled = copy.deepcopy(report)
                value = found(spoiled, place)
                if (general(place), type(value)) in done:
                    continue
                done.add((general(place), type(value)))
                if isinstance(value, dict) and not has_names(place):
                    value["unknown"] = 1
                    refused("unknown", spoiled, place)
                    del value["unknown"]
                if not place:
                    continue
                owner = found(spoiled, place[:-1])
                owner[place[-1]] = {"wrong": {}}
                refused("other", spoiled, place)
                if general(place)[-1] != "*" and "when" not in keys[general(place)]:
                    del owner[place[-1]]
                    refused("missing", spoiled, place)
        print(f"refused: {counts['unknown']} unknown keys, {counts['other']} values of another type, "
              f"{counts['missing']} missing keys (each at least {least})", file=sys.stderr)
        self.assertGreaterEqual(min(counts.values()), least)

    def explained(self, schema):
        """Each key has a meaning, a number has a unit, and what is not required has when it is there."""
        jsonschema.Draft202012Validator.check_schema(schema)
        owners, deeper = [], [schema, *schema["$defs"].values()]
        while deeper:
            owner = deeper.pop()
            owners += [owner] if "properties" in owner else []
            inner = [e for entry in owner.get("properties", {}).values() for e in (entry, entry.get("items", {}))]
            deeper += [entry for entry in inner if "properties" in entry]
        for owner in owners:
            self.assertIs(owner["additionalProperties"], False)
            for key, entry in owner["properties"].items():
                if entry.get("$ref", "").startswith("#/properties/"):
                    continue
                self.assertEqual("when" in entry, key not in owner["required"], key)
                self.assertTrue(entry["description"].endswith("."), key)
                parts = json.dumps({k: entry.get(k) for k in ("type", "oneOf", "additionalProperties")})
                items = entry.get("items", {})
                parts += json.dumps("properties" not in items and items)
                numeric = re.search('"(number|integer)"', parts) or entry.get("$ref") == "#/$defs/spread"
                self.assertEqual("unit" in entry, bool(numeric), key)


class Reports(Schemas):
    def test_what_doctor_benchmarks_and_sweeps_print_is_valid_and_has_every_key(self):
        schema = json.loads((SOURCE / "docs/reference/reports.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        self.explained(schema)
        small = {"doctor": ["doctor"],
                 "bench_mpm": "bench mpm --particles 500 --dimension 2 --steps 2 --threads 2".split(),
                 "bench_mpm_sizes": "bench mpm --sizes --particles 500 --dimension 2 --steps 2 --threads 1".split(),
                 "bench_fem": "bench fem --dimension 2 --cells 3 --threads 2".split(),
                 "bench_memory": "bench memory --particles 64 --steps 8 --threads 1".split(),
                 "bench_snapshot": "bench snapshot --particles 500 --dimension 2 --steps 2".split()}
        with tempfile.TemporaryDirectory() as folder:
            small["bench_snapshot"] += ["-o", folder]
            small["sweep"] = ["sweep", str(SOURCE / "tests/data/good_scenes/groups_2d.yaml"), "-o", f"{folder}/sweep",
                              "--over", "materials[0].nu=0.2,0.3", "--what", "run"]
            report = {name: run(*words, "--json") for name, words in small.items()}
        for name, text in report.items():
            document, keys = json.loads(text), dict(entries(schema, {"$ref": f"#/$defs/{name}"}))
            seen = {general(place) for place in places(document)}
            missing = {".".join(path) for path in set(keys) - seen}
            self.assertEqual(faults_of(validator, document), [], name)
            self.assertEqual(seen - set(keys), set())
            self.assertEqual({path for path in missing if "when" not in keys[tuple(path.split("."))]}, set())
            self.spoil(validator, keys, {name: document}, 3)


class Results(Schemas):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.schema = json.loads((SOURCE / "docs/reference/result.schema.json").read_text())
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.reports = {name: cls.result(name, *how) for name, how in RUNS.items()}
        for name in "study", "study_grad", "study_bound":
            path = cls.folder / name / "experiments/light/result.json"
            cls.reports[name + "/light"] = json.loads(path.read_text())
        cls.keys = dict(entries(cls.schema, cls.schema))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def result(cls, name, code, command, scene, sets, options, folder=None):
        path = small_scenes.SMALL / scene
        if "\n" in scene:
            path = cls.folder / f"{name}.yaml"
            path.write_text(scene)
        sets = [word for text in sets for word in ("--set", text)]
        out = cls.folder / (folder or name)
        report = run(command, *small_scenes.words(path), "--device", "cpu", "-o", out, "--json", *sets, *options,
                     code=code)
        assert (out / "result.json").read_text() == report.rstrip("\n"), f"{name}: --json says otherwise"
        return json.loads(report)

    def faults(self, document, definition=None):
        if definition:
            return faults_of(self.validator.evolve(schema=self.schema["$defs"][definition]), document)
        return faults_of(self.validator, document)

    # ---- what is written

    def test_every_result_is_valid(self):
        for name, report in self.reports.items():
            self.assertEqual(self.faults(report), [], name)
            run_of = RUNS[name.split("/")[0]]
            self.assertEqual((report["command"], report["exit"]), (run_of[1], run_of[0]), name)
        print(f"{len(self.reports)} results, 0 faults", file=sys.stderr)

    def test_every_key_is_written_by_some_run(self):
        seen = {general(place) for report in self.reports.values() for place in places(report)}
        self.assertEqual(sorted(seen - set(self.keys)), [])
        missing = [".".join(path) for path in sorted(set(self.keys) - seen)]
        print(f"{len(self.keys)} keys and entries, {len(missing)} not seen", file=sys.stderr)
        self.assertEqual(missing, [])

    def test_a_result_is_what_it_says(self):
        for name, report in self.reports.items():
            if report["exit"] not in (0, 1):
                continue
            if "study" in report:
                parts = [e["weight"] * e["objective"] for e in report["experiments"]]
                if report["combine"]["type"] == "sum":
                    self.assertEqual(sum(parts), report["objective"])
                else:
                    self.assertEqual(max(parts), report["combine"]["largest"])
                    self.assertLessEqual(report["objective"], max(parts))
                there = [(self.folder / name / e["folder"] / "result.json").exists() for e in report["experiments"]]
                self.assertEqual(there, [report["command"] != "check"] * 2, name)
                continue
            self.assertEqual(pathlib.Path(report["files"][-1]).name, "result.json")
            self.assertTrue(all(os.path.exists(file) for file in report["files"]), name)
            if report["objective"] is not None:
                self.assertAlmostEqual(sum(report["terms"].values()), report["objective"], 12)
            seconds = dict(report["seconds"])
            total = seconds.pop("total")
            self.assertLessEqual(sum(seconds.values()), total + 1e-9, name)
            self.assertGreater(min(seconds[key] for key in ("scene", "engine", "plan", "forward", "finish")), 0, name)
        self.assertTrue(self.reports["ball_checked"]["certificate"]["check"]["passed"])
        self.assertIn("particle", self.reports["ball_too_fast"]["failure"])
        self.assertEqual(self.reports["slab_unbalanced"]["failure"]["kind"], "newton_limit")

    def test_a_refusal_is_printed_and_a_dry_run_writes_nothing(self):
        report = json.loads(run("grad", self.folder / "missing.yaml", "--json", code=66))
        self.assertEqual(self.faults(report, "refusal"), [])
        self.assertNotEqual(self.faults({**report, "unknown": 1}, "refusal"), [])
        self.assertNotEqual(self.faults(report), [])
        place = self.folder / "dry"
        run("grad", self.folder / "ball_grad.yaml", "--dry-run", "-o", place)
        self.assertEqual(run("grad", self.folder / "ball_grad.yaml", "--dry-run", "--json", "-o", place, code=2), "")
        self.assertFalse(place.exists())

    # ---- the schema itself

    def test_the_schema_says_of_each_key_what_it_is(self):
        self.explained(self.schema)

    def test_the_schema_has_every_key_and_name_of_the_sources(self):
        written = set()
        for name in WRITERS:
            text = (SOURCE / f"host/{name}.c").read_text()
            written |= set(re.findall(r'pio_json_(?!finish|to_)\w+\(\s*&?json,\s*"(\w+)"', text))
        self.assertGreater(len(written), 70)
        self.assertEqual(written - {path[-1] for path in self.keys} - {"identity"}, set())
        names = re.findall(r'\[PIOLA_FAILED_\w+\] = "(\w+)"', (SOURCE / "host/base/fail.c").read_text())
        self.assertEqual(self.keys["failure", "cause"]["enum"], names)
        self.assertEqual(self.keys["failure", "kind"]["enum"], names[1:])

    # ---- the negative control

    def test_spoiled_results_are_refused(self):
        self.spoil(self.validator, self.keys, self.reports, 20)

    def test_78_is_an_exit_of_several_starts_with_a_best_or_without(self):
        self.assertIn("no optimisation from any of 2 starts came to", self.reports["ball_starts_too_fast"]["message"])
        folder = self.folder / "ball_starts"
        best = self.reports["ball_starts"]["multi_start"]["best"]
        member = folder / f"members/{(best + 1) % 3:05d}"
        (member / "result.json").unlink()
        (member / "log.txt").unlink()
        (member / "log.txt").mkdir()  # its log cannot be opened
        report = json.loads(run("optimize", folder.with_suffix(".yaml"), "--device", "cpu", "-o", folder, "--json",
                                "--set", "optimizer.multi_start=3", code=78))
        self.assertEqual(self.faults(report), [])
        self.assertEqual(report["objective"], self.reports["ball_starts"]["objective"])
        self.assertIn("1 of 3 starts failed", report["message"])
        self.assertNotEqual(self.faults({**report, "exit": 72}), [])

    def test_an_experiment_has_its_name_and_no_optimizer(self):
        report = self.reports["study/light"]
        self.assertEqual(report["experiment"], "light")
        self.assertNotEqual(self.faults({k: v for k, v in report.items() if k != "experiment"}), [])
        self.assertNotEqual(self.faults({**report, "optimizer": self.reports["study"]["optimizer"]}), [])

    def test_what_the_exit_and_the_command_promise_is_demanded(self):
        report = self.reports["study_grad"]
        for key in ("objective", "experiments", "parameters", "study"):
            self.assertNotEqual(self.faults({k: v for k, v in report.items() if k != key}), [], key)
        for key in ("scene", "terms", "certificate", "files"):
            self.assertNotEqual(self.faults({**report, key: self.reports["ball_grad"][key]}), [], key)
        self.assertNotEqual(self.faults({**self.reports["study_unbalanced"], "experiments": report["experiments"]}), [])
        report = self.reports["ball_grad"]
        self.assertNotEqual(self.faults({**report, "experiments": self.reports["study_grad"]["experiments"]}), [])
        for key in (*EVALUATED, "certificate"):
            self.assertNotEqual(self.faults({k: v for k, v in report.items() if k != key}), [], key)
        stopped = self.reports["ball_interrupted"]
        for key in (*EVALUATED, "certificate"):
            self.assertNotEqual(self.faults({**stopped, key: report[key]}), [], key)
        self.assertNotEqual(self.faults({**report, "failure": self.reports["ball_too_fast"]["failure"]}), [])
        self.assertNotEqual(self.faults({**report, "check": self.reports["ball_check"]["check"]}), [])
        for name, key in (("ball_check", "check"), ("ball_optimize", "optimizer")):
            self.assertNotEqual(self.faults({k: v for k, v in self.reports[name].items() if k != key}), [], name)


if __name__ == "__main__":
    PIOLA, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
