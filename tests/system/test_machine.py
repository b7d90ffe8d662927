#!/usr/bin/env python3
"""test_machine.py PIOLA [OTHER_LIBC] -- what is of another machine is continued with leave alone, and instruction sets
are pinned. OTHER_LIBC is a library to preload, with which the C library says that it is another version."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PIOLA, OTHER_LIBC = "", ""
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
"""
ENDED = (0, 1)  # converged, or not in so many iterations
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


def run(*arguments, elsewhere=False):
    environment = {**ENVIRONMENT, **({"LD_PRELOAD": OTHER_LIBC} if elsewhere else {})}
    return subprocess.run([PIOLA, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env=environment, timeout=300)


def built(isa):
    """Whether the engine of the scene is there for an instruction set: the short check builds not all."""
    return (pathlib.Path(PIOLA).parent / f"piola_engine_cpu_f64_2d_{isa}.so").exists()


class Machine(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.scene = self.folder / "tiny.yaml"
        self.scene.write_text(SCENE)

    def expect(self, code, words, *arguments, **others):
        """The exit code, and all of the words on standard error."""
        done = run(*arguments, **others)
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def optimize(self, code, words, *more, **others):
        return self.expect(code, words, "optimize", self.scene, "-o", self.folder / "out", "--device", "cpu", *more,
                           **others)

    def test_a_record_of_another_machine_is_refused_and_left_as_it_is(self):
        if not OTHER_LIBC:
            self.skipTest("no library to preload")
        self.optimize(ENDED, [], "--set", "optimizer.max_iterations=1")
        record = self.folder / "out" / "evaluations.record"
        before = record.read_bytes()
        done = self.optimize(77, ["libm", "'glibc 9.99' here", "--accept-different-machine", "is of another machine"],
                             elsewhere=True)
        print(done.stderr.strip())
        self.assertEqual(record.read_bytes(), before)
        self.assertEqual(list(record.parent.glob("*.previous*")), [])
        report = json.loads((self.folder / "out" / "result.json").read_text())
        self.assertEqual(report["exit"], 77)
        done = self.optimize(ENDED, ["continuing a record of another machine", "glibc 9.99", "resuming:"],
                             "--accept-different-machine", elsewhere=True)
        report = json.loads((self.folder / "out" / "result.json").read_text())
        self.assertGreater(report["optimizer"]["replayed"], 1)
        self.assertEqual(list(record.parent.glob("*.previous*")), [])
        self.optimize(ENDED, ["resuming:"])  # it is still that of the machine that began it

    def test_a_record_of_another_scene_or_precision_is_set_aside(self):
        self.optimize(ENDED, [], "--set", "optimizer.max_iterations=1")
        self.optimize(ENDED, ["beginning anew", "differs in: scene", "evaluations.record.previous"],
                      "--set", "time.dt=0.5 ms", "--set", "optimizer.max_iterations=1", "--accept-different-machine")
        self.optimize(ENDED, ["beginning anew", "precision ('f64' there, 'f32' here)", "previous.2"],
                      "--precision", "f32", "--set", "time.dt=0.5 ms", "--set", "optimizer.max_iterations=1")

    # ---- instruction sets

    def test_the_doctor_says_for_which_gpus_cuda_engines_are_built(self):
        there = [e for e in json.loads(run("doctor", "--json").stdout)["engines"]
                 if e["name"].startswith("cuda") and not (e["reason"] or "").startswith("there is no ")]
        if not there:
            self.skipTest("no CUDA engine was built")
        for e in there:
            self.assertRegex(e["isa"] if e["runs"] else e["reason"], r"\b(sm_\d+[af]?\+)+ptx_\d+[af]?$")

    def test_the_instruction_set_is_pinned_and_named(self):
        doctor = json.loads(run("doctor", "--json").stdout)
        sets = doctor["instruction_sets"]
        there = [s["name"] for s in sets if s["runs"]]
        print("instruction sets that run here:", there, "of", [s["name"] for s in sets])
        self.assertEqual([s["default"] for s in sets].count(True), 1)
        self.assertEqual(there[0], next(s["name"] for s in sets if s["default"]))  # the best
        there = [isa for isa in there if built(isa)]
        self.assertNotEqual(there, [])
        text = run("doctor").stdout
        for s in sets:
            self.assertRegex(text, rf"(?m)^  {s['name']} +{'yes' if s['runs'] else 'no'}\b")
        for isa in there:
            out = self.folder / isa
            done = self.expect(0, [f"--isa requests {isa}"], "run", self.scene, "-o", out, "--isa", isa)
            report = json.loads((out / "result.json").read_text())
            self.assertEqual((report["engine"]["isa"], report["engine"]["device"]), (isa, "cpu"), done.stderr)
            info = json.loads(run("info", out / "states.vtkhdf", "--json").stdout)
            self.assertEqual(info["manifest"]["instruction_set"], isa)
        for isa in (s["name"] for s in sets if not s["runs"]):
            self.expect(69, [f"--isa {isa}", f"{isa} (does not run here)", there[0]], "run", self.scene, "-o",
                        self.folder / "not", "--isa", isa)
        self.assertFalse((self.folder / "not").exists())

    def test_an_unknown_instruction_set_is_refused_with_those_there_are(self):
        known = [s["name"] for s in json.loads(run("doctor", "--json").stdout)["instruction_sets"]]
        for isa in ("x86-64-v9", "avx2", "x86-64-v", "x" * 300):
            self.expect(69, ["there is no such instruction set", *known], "run", self.scene, "-o", self.folder / "not",
                        "--isa", isa)
            self.expect(69, ["there is no such instruction set", *known], "bench", "mpm", "--particles", "1000",
                        "--isa", isa)
        self.expect(2, ["--device cuda it does nothing"], "grad", self.scene, "--device", "cuda", "--isa", known[0])
        self.expect(2, ["--isa needs NAME"], "run", self.scene, "--isa", "")
        self.assertFalse((self.folder / "not").exists())

    def test_a_record_of_another_instruction_set_is_refused(self):
        there = [s["name"] for s in json.loads(run("doctor", "--json").stdout)["instruction_sets"]
                 if s["runs"] and built(s["name"])]
        if len(there) < 2:
            self.skipTest(f"only {there} runs here and was built")
        self.optimize(ENDED, [], "--set", "optimizer.max_iterations=1", "--isa", there[0])
        self.optimize(77, [f"instruction set ('{there[0]}' there, '{there[1]}' here)"], "--isa", there[1])
        self.optimize(ENDED, ["continuing a record of another machine"], "--isa", there[1],
                      "--accept-different-machine")


if __name__ == "__main__":
    PIOLA = sys.argv[1]
    OTHER_LIBC = sys.argv[2] if len(sys.argv) > 2 else ""
    unittest.main(argv=sys.argv[:1], verbosity=2)
