#!/usr/bin/env python3
"""test_command.py PIOLA SOURCE_FOLDER SPOILED -- the command as scripts meet it; SPOILED: see spoiled_engine.c."""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PIOLA = SPOILED = ""
SOURCE = pathlib.Path()
COMMANDS = ("run grad check optimize sweep params validate schema info render film plot export report doctor "
            "bench").split()
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
optimizer: {type: lbfgs, max_iterations: 5}
output: {states: {every: 10 ms}}
"""

# Tests run beside each other: threads that wait should sleep.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


def run(*arguments, cwd=None, stdout=subprocess.PIPE, program=None, engines=None):
    return subprocess.run([program or PIOLA, *map(str, arguments)], cwd=cwd, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, stdin=subprocess.DEVNULL, timeout=300,
                          env={**ENVIRONMENT, "PIOLA_ENGINES": engines} if engines else ENVIRONMENT)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.scene = cls.folder / "tiny.yaml"
        cls.scene.write_text(SCENE)
        (cls.folder / "no.vtkhdf").write_text("this is no HDF5 file\n")
        done = run("run", cls.scene, "-o", cls.folder / "first", "-q")
        doctor = run("doctor", "--json")  # once: it takes seconds with sanitizers
        assert done.returncode == doctor.returncode == 0, done.stderr + doctor.stderr
        cls.states, cls.doctor = cls.folder / "first" / "states.vtkhdf", json.loads(doctor.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def expect(self, code, words, *arguments, **others):
        """The exit code, and all of the words on standard error."""
        done = run(*arguments, **others)
        shown = " ".join(map(str, arguments))
        report = f"piola {shown}: exit {done.returncode}, expected {code}\n{done.stderr}"
        self.assertEqual(done.returncode, code, report)
        for word in words:
            self.assertIn(word, done.stderr, f"piola {shown}")
        return done

    # ---- help

    def test_every_help_exits_0_and_has_usage_options_codes_and_an_example(self):
        for command in COMMANDS:
            done = self.expect(0, [], command, "--help")
            for word in (f"piola {command} -- ", f"Usage: piola {command}", "Options:", "Exit codes:",
                         "Examples:\n  piola "):
                self.assertIn(word, done.stdout, command)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110, command)

    def test_the_list_of_commands_is_complete(self):
        done = self.expect(0, [], "--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", done.stdout)
        bare = self.expect(2, ["Usage: piola COMMAND"])
        self.assertEqual(bare.stdout, "")

    def test_help_is_a_command_too(self):
        self.assertEqual(self.expect(0, [], "help").stdout, run("--help").stdout)
        for command in COMMANDS:
            self.assertEqual(self.expect(0, [], "help", command).stdout, run(command, "--help").stdout)
        self.expect(2, ["unknown command 'rum'; did you mean 'run'?"], "help", "rum")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.expect(0, [], "--version").stdout, r"^piola \d+\.\d+\.\d+\n$")

    # ---- usage

    def test_mistyped_words_get_a_hint(self):
        self.expect(2, ["unknown command 'optimise'; did you mean 'optimize'?"], "optimise", self.scene)
        self.expect(2, ["unknown option '--devcie'; did you mean '--device'?"], "run", self.scene, "--devcie", "cpu")
        self.expect(2, ["unknown value 'gpu'; there are: auto, cuda, cpu"], "run", self.scene, "--device", "gpu")
        self.expect(2, ["did you mean 'f64'?"], "run", self.scene, "--precision", "f63")
        done = self.expect(2, ["unknown command 'zzzzzzzz'"], "zzzzzzzz")
        self.assertNotIn("did you mean", done.stderr)

    def test_an_option_of_another_command_is_refused_with_its_owner(self):
        for words, *arguments in (("--resume does nothing for 'check'; it belongs to: run, grad, optimize",
                                   "check", "--resume", "auto"),
                                  ("--dry-run does nothing for 'schema'; it belongs to: run, grad, check, optimize",
                                   "schema", "--dry-run")):
            self.expect(2, [words], *arguments)

    def test_wrong_values_are_refused(self):
        for arguments in (["run"], ["run", "a", "b"], ["schema", "x"], ["run", self.scene, "--threads", "0"],
                          ["run", self.scene, "--threads", "1.5"], ["run", self.scene, "--threads", "0x10"],
                          ["run", self.scene, "--threads"], ["run", self.scene, "--max-walltime", "10q"],
                          ["run", self.scene, "--max-walltime", "-1"], ["run", self.scene, "--dry-run=yes"],
                          ["run", self.scene, "-o", ""], ["run", self.scene, "-z"], ["bench"], ["bench", "fluid"],
                          ["bench", "mpm", "--dimension", "4"], ["bench", "mpm", "--cells", "3"],
                          ["bench", "snapshot", "--threads", "1"], ["bench", "mpm", "-o", "x"],
                          ["bench", "fem", "--steps", "3"], ["bench", "fem", "--law", "tait"],
                          ["bench", "fem", "--dimension", "2", "--element", "hex8"],
                          ["render", self.states], ["render", self.states, "-o", "x.png", "--size", "10x10"],
                          ["render", self.states, "-o", "x.png", "--size", "1280"],
                          ["render", self.states, "-o", "x.png", "--range", "2,1"],
                          ["render", self.states, "-o", "x.png", "--range", "nan,1"], ["export", self.states],
                          ["export", self.states, "--to", "obj"], ["export", self.states, "--to", "stl"],
                          ["export", self.states, "--to", "vtu", "--frame", "9"]):
            done = self.expect(2, ["piola: error: ", "--help' has more"], *arguments)
            self.assertEqual(done.stdout, "")

    def test_equal_signs_clusters_and_double_dash_are_understood(self):
        self.expect(0, [], "run", f"-o{self.folder / 'cluster'}", "-qq", "--set=time.duration=2 ms", "--", self.scene)

    # ---- exit codes

    def test_a_bad_scene_is_65_at_its_place(self):
        bad = SOURCE / "tests" / "data" / "bad_scenes" / "unknown_key.yaml"
        for command in ("validate", "params", "run", "grad", "check", "optimize", "sweep --starts 2"):
            done = self.expect(65, [f"{bad}:", ": error: "], *command.split(), bad)
            self.assertNotIn("piola: error: ", done.stderr, "the library has printed it already")
        self.expect(65, [], "info", self.folder / "no.vtkhdf")
        self.expect(65, [], "render", self.folder / "no.vtkhdf", "-o", self.folder / "x.png")

    def test_a_missing_file_is_66(self):
        for words in ("validate none.yaml", "run none.yaml", "info none.vtkhdf", "render none.vtkhdf -o x.png",
                      "film none.vtkhdf -o x.webm", "export none.vtkhdf --to vtu"):
            self.expect(66, ["none."], *words.split())

    def test_a_scene_that_cannot_be_read_has_no_line_to_show(self):
        for command in "validate params run grad check optimize".split():
            for scene, why in (("none.yaml", "No such file or directory"), (self.folder, "it is not a regular file")):
                done = self.expect(66, [], command, scene)
                self.assertEqual(done.stderr, f"piola: error: cannot read '{scene}': {why}\n")
        for command in ("run", "sweep --starts 2", "sweep --over time.dt=1ms,2ms"):
            report = json.loads(self.expect(66, [], *command.split(), "none.yaml", "--json").stdout)
            self.assertEqual(report["message"], "cannot read 'none.yaml': No such file or directory")

    def test_files_that_are_no_snapshots_are_refused_in_plain_words(self):
        whole = self.states.read_bytes()
        (self.folder / "cut.vtkhdf").write_bytes(whole[:len(whole) // 2])
        self.expect(0, [], "optimize", self.scene, "-o", self.folder / "best")
        for name, code, words in (("no.vtkhdf", 65, "not an HDF5 file; the files that Piola writes for this are "),
                                  ("cut.vtkhdf", 65, "damaged or cut off: "),
                                  ("best/evaluations.record", 65, "HDF5"),
                                  (".", 66, "a folder; name a file in it, such as states.vtkhdf"),
                                  ("none", 66, "No such file or directory")):
            for command in (["info"], ["render", "-o", self.folder / "x.png"]):
                done = self.expect(code, [words], *command, self.folder / name)
                self.assertRegex(done.stderr, r"\Apiola: error: [^\n]+\n\Z")
                self.assertNotIn("no reason", done.stderr)

    def test_a_device_that_is_not_there_is_69(self):
        if any(e["runs"] and e["name"].startswith("cuda") for e in self.doctor["engines"]):
            self.skipTest("this machine has a GPU")
        self.expect(69, ["device cuda was requested"], "run", self.scene, "--device", "cuda")
        self.expect(69, ["device cuda was requested"], "bench", "mpm", "--device", "cuda")

    def test_a_budget_that_is_too_small_is_71_with_the_bytes(self):
        self.expect(71, ["bytes"], "grad", self.scene, "--set", "gradient.memory.budget=1 KiB", "--dry-run")

    def test_an_output_that_cannot_be_created_is_73(self):
        self.expect(73, [str(self.scene)], "run", self.scene, "-o", self.scene / "below_a_file")
        self.expect(73, [], "render", self.states, "-o", self.folder / "nowhere" / "x.png")

    def test_a_full_disk_is_74(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "w") as full:
            for arguments in (["schema"], ["info", self.states], ["params", self.scene], ["--help"]):
                self.expect(74, ["standard output"], *arguments, stdout=full)

    def test_a_path_that_leaves_the_folder_is_77(self):
        for name in ("include_escapes", "data_escapes"):
            self.expect(77, ["leaves the scene's folder"], "validate", SOURCE / f"tests/data/bad_scenes/{name}.yaml")

    def test_a_spoilt_gradient_is_1_and_the_true_one_0(self):
        self.expect(1, ["FAILED"], "check", self.scene, "-o", self.folder / "spoilt", engines=SPOILED)
        self.expect(0, [], "check", self.scene, "-o", self.folder / "checked")

    def test_a_gradient_that_is_not_finite_is_76_with_its_state_and_in_no_file(self):
        spoil = ["--precision", "f32", "--set", "objective[0].weight=1e45"]
        for sets in ([], ["--set", "design=[]"]):
            out, name = self.folder / "overflow", "in state 20"
            self.expect(76, [name, "the adjoint overflowed"], "grad", self.scene, "-o", out, *spoil, *sets)
            report = json.loads((out / "result.json").read_text())
            self.assertEqual((report["failure"]["kind"], name in report["message"]), ("gradient", True))
            self.assertFalse((out / "states.vtkhdf").exists())

    def test_a_result_names_what_failed_for_scripts(self):
        def failure(code, scene, *values):
            sets = [x for value in values for x in ("--set", value)]
            return json.loads(self.expect(code, [], "run", scene, "--json", *sets, cwd=self.folder).stdout)["failure"]

        self.assertIsNone(failure(0, self.scene))
        fast = failure(76, self.scene, "bodies[0].velocity=[3000 m/s, 0 m/s]", "design=[]")
        self.assertEqual((fast["kind"], fast["step"], fast["particle"] >= 0), ("cfl", 0, True))
        few = failure(76, SOURCE / "scenes" / "fem_cook.yaml", "solver.max_iterations=2", "solver.halvings=0")
        self.assertEqual((few["kind"], few["step"], few["residual"] > 0), ("newton_limit", 0, True))
        self.assertEqual(failure(65, SOURCE / "tests/data/bad_scenes/parts/loose.yaml")["kind"], "rigid_motion")

    def test_a_certificate_reports_the_last_check_of_the_same_scene(self):
        out = self.folder / "certified"

        def check_of(command, *sets):
            self.expect(0, [], command, self.scene, "-o", out, *sets)
            report = json.loads((out / "result.json").read_text())["certificate"]["check"]
            snapshot = json.loads(run("info", out / "states.vtkhdf", "--json").stdout)["certificate"]
            self.assertEqual(json.loads(snapshot)["check"], report)
            return report

        self.assertEqual(check_of("grad"), "not checked")
        self.expect(0, [], "check", self.scene, "-o", out)
        for command in ("grad", "optimize"):
            report = check_of(command)
            self.assertEqual((report["passed"], report["directions"], report["tolerance"]), (True, 5, 1e-6))
            self.assertRegex(report["when"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertRegex(report["engine"], r"^(cpu|cuda)_f64_2d$")
        self.assertTrue(check_of("grad", "--precision", "f32")["passed"])
        self.assertTrue(check_of("grad", "--set", "output.states.every=5 ms")["passed"])
        self.assertEqual(check_of("grad", "--set", "materials[0].E=11 kPa"), "not checked")
        self.expect(1, [], "check", self.scene, "-o", out, "--set", "gradient.check.tolerance=1e-18")
        self.assertFalse(check_of("grad")["passed"])
        (out / "check.json").write_text('{"identity": [')
        self.assertEqual(check_of("grad"), "not checked")

    def test_a_time_limit_is_75(self):
        self.expect(75, ["time limit"], "run", self.scene, "-o", self.folder / "late", "--set", "time.duration=1000 s",
                    "--set", "output.states.every=1000 s", "--max-walltime", "0.2s")

    # ---- output

    def test_json_is_all_that_is_on_standard_output(self):
        out, runs = self.folder / "json", "run grad check optimize sweep,--starts,2".split()
        for arguments in (["validate", self.scene], ["params", self.scene], ["info", self.states],
                          *([*c.split(","), self.scene, "-o", out] for c in runs),
                          ["bench", "mpm", "--particles", "100", "--dimension", "2", "--steps", "2", "--threads", "1"],
                          ["bench", "snapshot", "--particles", "100", "-o", self.folder]):
            done = self.expect(0, [], *arguments, "--json")
            self.assertIsInstance(json.loads(done.stdout), dict, arguments)
        self.assertIn("$schema", json.loads(self.expect(0, [], "schema").stdout))

    def test_json_and_exit_code_agree(self):
        done = self.expect(1, [], "check", self.scene, "-o", self.folder / "agree", "--json", engines=SPOILED)
        self.assertEqual(json.loads(done.stdout)["exit"], 1)

    def test_the_resolved_scene_is_a_scene_and_resolves_to_itself(self):
        once = self.expect(0, [], "validate", self.scene, "--json").stdout
        (self.folder / "resolved.yaml").write_text(once)
        self.assertEqual(self.expect(0, [], "validate", self.folder / "resolved.yaml", "--json").stdout, once)

    def test_validate_says_what_is_there_or_nothing(self):
        done = self.expect(0, [], "validate", self.scene)
        self.assertRegex(done.stdout, r": no errors \(2D, 1 body, \d+ particles, .* 20 steps, 3 frames, 1 observation, "
                                      r"2 design variables, 1 objective term\)\n$")
        self.assertEqual(self.expect(0, [], "validate", self.scene, "-q").stdout, "")

    # Where the scene starts, a run would refuse it: validate says so, and which time step is right for every body.
    PAIR = ("geometry=[{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}, "
            "{name: next, type: ball, center: [1.5, 0.5], radius: 0.2}]",
            "bodies=[{name: ball, geometry: disc, material: soft}, {name: two, geometry: next, material: other}]")
    ELASTIC = "{name: other, model: neo_hookean, E: 100 MPa, nu: 0.3, density: 1000}"
    SYRUP = "{name: other, model: tait, bulk: 1 kPa, viscosity: 9000 Pa.s, density: 1000}"

    def test_validate_says_which_time_step_every_body_accepts(self):
        for E, other, reason in (("10 kPa", self.ELASTIC, "elastic waves of 366.9 m/s"),
                                 ("5 MPa", self.ELASTIC, "elastic waves of 82.04 m/s"),  # not the stiffest body
                                 ("10 kPa", self.SYRUP, "viscosity 9000 Pa s")):
            soft = f"{{name: soft, model: neo_hookean, E: {E}, nu: 0.3, density: 1000}}"
            sets = [x for item in (*self.PAIR, f"materials=[{soft}, {other}]") for x in ("--set", item)]
            done = self.expect(65, [f"{self.scene}:4:12: error: time.dt: step 0, particle ", reason], "validate",
                               self.scene, *sets)
            step, steps = re.search(r"; (\S+) s \((\d+) steps\) is right", done.stderr).groups()
            self.expect(0, [], "validate", self.scene, *sets, "--set", f"time.dt={step} s")
            fewer = 0.02 / (0.985 * int(steps) // 1)
            print(f"{step} s is right, {fewer:.6g} s is not", file=sys.stderr)
            self.expect(65, ["time.dt: step 0"], "validate", self.scene, *sets, "--set", f"time.dt={fewer:.12g} s")
            self.expect(76, [reason], "run", self.scene, *sets, "-o", self.folder / "too_long")

    def test_an_unconstrained_body_is_refused_before_anything_is_solved(self):
        scene = SOURCE / "tests" / "data" / "bad_scenes" / "parts" / "loose.yaml"
        words = [":3:11: error: boundary: the body around (0.5, 0.5) is unconstrained: nothing keeps it from moving"]
        self.expect(65, words, "validate", scene)
        self.expect(65, words, "run", scene, "-o", self.folder / "loose")

    def test_validate_checks_what_the_design_starts_with(self):
        def design(path, start):
            return ["--set", f"design=[{{name: a, target: gravity}}, {{name: b, target: {path}, initial: {start}}}]"]

        self.expect(65, [": error: time.dt: ", "elastic waves"], "validate", self.scene,
                    *design("materials.soft.E", "100 MPa"))
        self.expect(65, [": error: design[1].initial: ", "outside the grid"], "validate", self.scene,
                    *design("bodies.ball.position", "[9, 9]"))
        f32 = ["--set", "method.precision=f32"]  # in which these are one half
        self.expect(65, [": error: design[1].initial: ", "material constants"], "validate", self.scene,
                    *design("materials.soft.nu", "0.4999999999"), *f32)
        self.expect(65, [": error: materials: ", "material constants"], "validate", self.scene, *f32, "--set",
                    "materials[0].nu=0.4999999999")

    def test_validate_lists_what_it_could_not_check(self):
        done = subprocess.run([PIOLA, "validate", self.scene], env={**ENVIRONMENT, "PIOLA_ENGINES": "/nowhere"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: time.dt and the start of the design were not checked: no CPU engine runs", done.stderr)

    def test_every_path_that_params_lists_can_be_designed(self):
        scenes = [self.scene, *sorted((SOURCE / "tests" / "data" / "good_scenes").glob("*.yaml"))]
        total = 0
        for scene in scenes:  # of those with several starts each design needs bounds
            one = ["--set", "optimizer.multi_start=1"] if "multi_start" in scene.read_text() else []
            listed = json.loads(self.expect(0, [], "params", scene, "--json").stdout)["parameters"]
            shown = self.expect(0, [], "params", scene).stdout
            self.assertEqual([row["path"] for row in listed if f"{row['path']} " not in shown], [])
            for row in listed:
                how = ".y" if row["path"] == "gravity" else ", per: node, along: y"  # on the axis of rings
                how = how * (scene.stem == "axisymmetric" and row["path"].endswith(("gravity", "rest_position")))
                done = run("params", scene, "--json", "--set", f"design=[{{name: q, target: {row['path']}{how}}}]",
                           "--set", "objective=[]", *one)
                self.assertEqual(done.returncode, 0, done.stderr)
                marked = [r["path"] for r in json.loads(done.stdout)["parameters"] if r["design"]]
                self.assertEqual(marked, [row["path"] + how.partition(",")[0]])
            total += len(listed)
        print(f"{total} paths of {len(scenes)} scenes (threshold: more than 20)", file=sys.stderr)
        self.assertGreater(total, 20)

    def test_the_reference_names_every_top_level_key(self):
        text = self.expect(0, [], "schema", "--markdown").stdout
        schema = json.loads(self.expect(0, [], "schema").stdout)
        for whole in schema["then"], schema["else"]["then"], schema["else"]["else"]["else"]:  # studies, fem, mpm
            self.assertEqual(len({"materials", "experiments"} & set(whole["else"]["properties"])), 1)
            for key in whole["else"]["properties"]:  # "then" has `include`
                self.assertRegex(text, rf"(?m)^\| `{key}(\[\])?` \|")

    def test_quiet_is_quiet_and_the_log_is_json_lines(self):
        log = self.folder / "log.jsonl"
        done = self.expect(0, [], "run", self.scene, "-o", self.folder / "quiet", "-q", "--log-json", log)
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        levels = {json.loads(line)["level"] for line in log.read_text().splitlines()}
        self.assertIn("info", levels)

    def test_a_dry_run_lists_bytes_and_writes_nothing(self):
        for command in "run grad check optimize".split():
            self.expect(0, ["plan: ", "bytes"], command, self.scene, "-o", self.folder / "dry", "--dry-run")
        self.assertFalse((self.folder / "dry").exists())

    def test_designs_per_particle_have_fields_of_their_own_in_the_history(self):
        long = "n" * 64
        for names in (("soft", "soft"), (long, long)):
            sets = [f"materials=[{{name: {names[0]}, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}}]",
                    f"bodies=[{{name: ball, geometry: disc, material: {names[0]}}}, "
                    f"{{name: {names[1]}, geometry: disc, material: {names[0]}}}]",
                    f"design=[{{name: a, target: materials.{names[0]}.E, per: particle}}, "
                    f"{{name: b, target: bodies.{names[1]}.E, per: particle}}]", "optimizer.max_iterations=1"]
            out = self.folder / "fields"
            done = run("optimize", self.scene, "-o", out, *[x for item in sets for x in ("--set", item)])
            self.assertIn(done.returncode, (0, 1), done.stderr)
            report = json.loads(self.expect(0, [], "info", out / "history.vtkhdf", "--json").stdout)
            found = {f["name"]: f["meaning"] for f in report["fields"] if not f["name"].startswith("grad_")}
            wanted = ("materials_soft_E", "bodies_soft_E") if names[0] == "soft" else ("design_0", "design_1")
            self.assertEqual(found, dict(zip(wanted, (f"materials.{names[0]}.E", f"bodies.{names[1]}.E"))))
            self.assertEqual(sum(f["name"].startswith("grad_") for f in report["fields"]), 2)

    def test_info_lists_frames_fields_and_origin(self):
        done = self.expect(0, [], "info", self.states)
        for word in ("states, 2D, f64, complete", "frames: 3, t = 0 s to 0.02 s", "velocity", "m/s", "command_line"):
            self.assertIn(word, done.stdout)
        report = json.loads(self.expect(0, [], "info", self.states, "--json").stdout)
        self.assertEqual((report["kind"], len(report["times"])), ("states", 3))
        self.assertIn(f"piola run {self.scene} -o", report["manifest"]["command_line"])

    def test_the_manifest_has_the_hash_of_every_input_and_of_the_engine(self):
        scenes = self.folder / "scenes"
        (scenes / "below").mkdir(parents=True)
        (scenes / "below" / "data.csv").write_bytes(b"\xef\xbb\xbftime,x,y\n0.02,0.52,0.51\n")  # with a byte order mark
        (scenes / "below" / "tiny.yaml").write_text(SCENE)
        (scenes / "top.yaml").write_text("include: below/tiny.yaml\nobjective: [{type: misfit, of: place, data: "
                                         "{file: below/data.csv, columns: [x, y]}}]\n")
        long = "description=" + 70000 * "x"
        self.expect(0, [], "run", scenes / "top.yaml", "-o", scenes, "--set", long)
        manifest = json.loads(self.expect(0, [], "info", scenes / "states.vtkhdf", "--json").stdout)["manifest"]
        hashes = {key[7:]: value for key, value in manifest.items() if key.startswith("sha256 ")}
        files = [scenes / name for name in ("top.yaml", "below/tiny.yaml", "below/data.csv")]
        self.assertEqual(hashes, {str(f): hashlib.sha256(f.read_bytes()).hexdigest() for f in files})
        engine = pathlib.Path(PIOLA).parent / f"piola_engine_{manifest['engine']}_{manifest['instruction_set']}.so"
        if manifest["engine"].startswith("cpu"):
            self.assertEqual(manifest["engine_sha256"], hashlib.sha256(engine.read_bytes()).hexdigest())
        for key in ("compiler", "compiler_flags", "commit"):
            self.assertTrue(manifest[key], key)
        self.assertTrue(manifest["command_line"].endswith(" ... (cut here)"))

    # ---- pictures

    def picture(self, *arguments):
        path = self.folder / "frame.png"
        self.expect(0, [], "render", self.states, "-o", path, *arguments)
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", data[16:24]), data

    def test_render_draws_the_frame_field_and_size_that_were_requested(self):
        size, last = self.picture()
        self.assertEqual(size, (1280, 720))
        self.assertEqual(self.picture("--size", "640x480")[0], (640, 480))
        self.assertEqual(self.picture("--frame", "2")[1], last)
        self.assertEqual(self.picture("--frame", "-1")[1], last)
        self.assertEqual(self.picture("--field", "velocity")[1], last)
        self.assertEqual(self.picture("--threads", "1")[1], last)
        for other in (["--frame", "0"], ["--field", "velocity.x"], ["--field", "J"], ["--range", "-7,7"]):
            self.assertNotEqual(self.picture(*other)[1], last, other)

    def test_render_says_which_fields_and_frames_there_are(self):
        target = self.folder / "none.png"
        self.expect(2, ["no field 'speed'", "velocity"], "render", self.states, "-o", target, "--field", "speed")
        self.expect(2, ["no field 'velocity.z'"], "render", self.states, "-o", target, "--field", "velocity.z")
        self.expect(2, ["no field 'J.x'"], "render", self.states, "-o", target, "--field", "J.x")
        self.expect(2, ["--frame: '-2' is not a whole number of at least -1"], "render", self.states, "-o", target,
                    "--frame", "-2")
        for given, said in (("--deformation=2", "a mesh has a deform"), ("--hide-below=J=1", "cells of a mesh can")):
            self.expect(2, ["holds particles: only " + said], "render", self.states, "-o", target, given)
        self.expect(2, ["no frame 3: from 0 to 2"], "render", self.states, "-o", target, "--frame", "3")
        self.assertFalse(target.exists())

    def test_export_names_what_it_wrote_and_replaces_only_that(self):
        target = self.folder / "last.csv"
        for _ in range(2):
            done = self.expect(0, [], "export", self.states, "--to", "csv", "-o", target)
            self.assertEqual(done.stdout, f"wrote {target}\n")
        self.assertIn("point,x [m],y [m],J [1],", target.read_text())
        target.write_text("my own table\n")
        self.expect(73, [f"{target} exists and was not written by this command"], "export", self.states, "--to", "csv",
                    "-o", target)
        self.assertEqual(target.read_text(), "my own table\n")
        done = self.expect(0, [], "export", self.states, "--to", "vtu", "--frame", "1")
        self.assertEqual(done.stdout, f"wrote {self.states.with_name('states_1.vtu')}\n")

    # ---- designs

    def test_a_design_that_starts_where_the_scene_is_changes_no_bit_of_a_run(self):
        designs = ["design=[]"]
        for target, more in (("materials.soft.E", "bounds: [0.7 kPa, 110 kPa], transform: log"),
                             ("materials.soft.nu", "bounds: [0.1, 0.45], per: particle"),
                             ("bodies.ball.velocity", "bounds: [-3, 3.1]"),
                             ("bodies.ball.position", "bounds: [-1, 0.7]"),
                             ("materials.soft.density", "transform: log"), ("gravity", "bounds: [-11, 0.3]")):
            designs.append(f"design=[{{name: d, target: {target}, {more}}}]")
        for sets in ([], ["--set", "materials[0].E=10.1 kPa", "--set", "materials[0].nu=0.31"]):
            hashes = []
            for design in designs:
                self.expect(0, [], "run", self.scene, "-o", self.folder / "start", "--set", design, "--set",
                            "output.states.fields=[velocity, F, C, mass]", *sets)
                report = json.loads((self.folder / "start" / "result.json").read_text())
                hashes.append(json.dumps(report["observations"]))
            self.assertEqual(len(set(hashes)), 1, hashes)

    # ---- folders, doctor

    def test_it_works_from_any_folder_and_through_a_link(self):
        link = self.folder / "linked"
        link.symlink_to(PIOLA)
        for program, cwd, scene in ((PIOLA, "/", self.scene), (PIOLA, self.folder, "tiny.yaml"),
                                    (link, "/", self.scene)):
            done = run("run", scene, "-o", self.folder / "any", cwd=cwd, program=program)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_doctor_finds_healthy_engines(self):
        self.assertTrue(self.doctor["healthy"])
        ran = [e for e in self.doctor["engines"] if e["runs"]]
        for e in ran:
            t = e["self_test"]
            print(f"{e['name']}: momentum {t['momentum']:.1e}, flight {t['flight']:.1e} (threshold "
                  f"{t['threshold']:.0e}), {t['differing']} bit patterns differ (threshold 0)", file=sys.stderr)
            self.assertTrue(0 <= t["momentum"] <= t["threshold"] and 0 <= t["flight"] <= t["threshold"], e["name"])
        self.assertGreaterEqual(len(ran), 4, "two precisions, two dimensions")


if __name__ == "__main__":
    PIOLA, SPOILED = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3])
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
