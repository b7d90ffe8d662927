#!/usr/bin/env python3
"""test_open.py PIOLA OPEN_CLOSE -- piola_open and piola_close print, write and remove nothing.

The program OPEN_CLOSE opens and closes scenes in a folder with all that commands would replace or remove: results, a
checkpoint, the files that a killed run left unfinished. Before and after, every name, number, size, byte and time of a
change is compared, of files and of folders, so that a file that comes and goes is seen too; the home and the place of
temporary files lie in that folder. Scenes are of particles and of meshes, read tables, keep states on disk, or cannot
be opened; then those of tests/data/good_scenes.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PIOLA, PROGRAM = "", ""
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
PARTICLES = """version: 1
name: particles
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: slip}}
time: {dt: 1 ms, duration: 50 ms}
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 0]}]
observe: [{name: place, type: mean_position, body: ball, every: 10 ms}]
design: [{name: speed, target: bodies.ball.velocity, bounds: [-3 m/s, 3]}]
objective: [{type: misfit, of: place, data: {file: places.csv, time: t, columns: [x, y]}, sigma: 1 mm}]
output: {directory: out, states: {every: 10 ms}}
"""
TABLE = "t,x,y\n" + "".join(f"{t / 100},{0.5 + t / 100},0.5\n" for t in range(1, 6))
MESH = """version: 1
name: mesh
method: {type: fem, dimension: 2, plane: stress}
materials: [{name: steel, model: linear, E: 210 GPa, nu: 0.3}]
geometry: [{name: box, type: box, element: quad4, elements: [6, 3], min: [0, 0], max: [2, 1]}]
bodies: [{name: one, geometry: box, material: steel, thickness: 2 mm}]
boundary: [{name: wall, body: one, on: {group: left}, type: fixed}]
loads: [{name: tip, body: one, on: {min: [2, 1], max: [2, 1]}, type: point_force, value: [0 N, -1 kN]}]
observe: [{name: work, type: compliance}, {name: volume, type: volume, body: one}]
design: [{name: depth, target: bodies.one.thickness, bounds: [1 mm, 4 mm], per: element}]
objective: [{type: minimize, of: work}]
constraints: [{of: volume, max: 1, relative_to: initial}]
output: {directory: out}
"""
DISK = "gradient: {memory: {strategy: checkpoint, budget: BUDGET, disk: 1 GB}}\n"


def contents(folder):
    """What is there and since when: of a folder, its last change is that of its list of names."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        s = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[path.relative_to(folder).as_posix()] = (s.st_mode, s.st_ino, s.st_nlink, s.st_size, s.st_mtime_ns,
                                                      s.st_ctime_ns, digest)
    return found


class Open(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "here"
        for name in ("home", "tmp"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "kept").write_text("kept\n")
        (self.folder / "places.csv").write_text(TABLE)
        for name, text in (("particles", PARTICLES), ("mesh", MESH)):
            (self.folder / f"{name}.yaml").write_text(text)
        self.environment = {**os.environ, "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
                            "OMP_NUM_THREADS": "2"}

        out = self.folder / "out"
        for name in ("checkpoint/even", "result.json", "states.vtkhdf", "states.partial.vtkhdf", ".piola-lock",
                     "evaluations.record"):
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(b"left by another run")

    def changes(self, program, *words, codes=(0,), **environment):
        """(what differs in the folder, what was printed) when the program runs."""
        before = contents(self.folder)
        done = subprocess.run([program, *words], cwd=self.folder, env={**self.environment, **environment},
                              capture_output=True, timeout=300)
        self.assertIn(done.returncode, codes, f"{words}: {done.stdout} {done.stderr}")
        after = contents(self.folder)
        return sorted(n for n in {*before, *after} if before.get(n) != after.get(n)), done.stdout + done.stderr

    def silent(self, *words, **environment):
        self.assertEqual(self.changes(PROGRAM, *words, **environment), ([], b""), words)

    def on_disk(self):
        """A scene that keeps states on disk: its budget has room for three of 50 states in memory."""
        with_disk = ("--set", "gradient.memory.strategy=checkpoint", "--set", "gradient.memory.disk=1 GB")
        _, said = self.changes(PIOLA, "grad", "particles.yaml", "--device", "cpu", "--dry-run", *with_disk, "--set",
                               "gradient.memory.budget=1 B", codes=(71,))
        least, state = map(int, re.search(rb"needs (\d+) bytes, .* 1 states of (\d+) bytes", said).groups())
        (self.folder / "disk.yaml").write_text(PARTICLES + DISK.replace("BUDGET", f"{least + 2 * state} B"))

    def test_scenes_are_opened_and_closed(self):
        for scene in "particles.yaml", "mesh.yaml":
            self.silent(scene)
            self.silent(scene, "0", "gradient")  # nor does an evaluation leave anything

    def test_states_on_disk_wait_for_an_evaluation(self):
        self.on_disk()
        self.silent("disk.yaml")
        differ, printed = self.changes(PROGRAM, "disk.yaml", "0", "gradient")
        self.assertEqual((differ, printed), (["out"], b""))  # a nameless file was made there

    def test_scenes_that_cannot_be_opened(self):
        self.on_disk()
        (self.folder / "wrong.yaml").write_text(PARTICLES.replace("1 ms", "1 kg"))
        (self.folder / "large.yaml").write_text(PARTICLES + DISK.replace("BUDGET", "1 B"))
        self.silent("wrong.yaml", "65")
        self.silent("none.yaml", "66")
        self.silent("large.yaml", "71")
        self.silent("particles.yaml", "69", PIOLA_ENGINES=str(self.folder))

    def test_all_good_scenes(self):
        shutil.copytree(DATA / "good_scenes", self.folder / "good_scenes")
        scenes = sorted((self.folder / "good_scenes").glob("*.yaml"))
        self.assertGreater(len(scenes), 20)
        for scene in scenes:
            self.silent(f"good_scenes/{scene.name}", codes=(0, 69))  # one wants a library of CUDA
        print(f"{len(scenes)} scenes were opened and closed without a trace")

    def test_what_is_planted_is_found(self):
        """The negative control."""
        for fault, differ, printed in (("print", [], b"planted\n"), ("complain", [], b"planted\n"),
                                       ("write", [".", "planted"], b""), ("delete", [".", "kept"], b""),
                                       ("touch", ["kept"], b""), ("temporary", ["."], b"")):
            self.setUp()
            self.assertEqual(self.changes(PROGRAM, "mesh.yaml", "0", fault), (differ, printed), fault)
        differ, printed = self.changes(PIOLA, "run", "particles.yaml", "--device", "cpu")
        self.assertNotEqual(printed, b"")
        for name in "out/result.json", "out/states.vtkhdf", "out/states.partial.vtkhdf", "out/checkpoint/even":
            self.assertIn(name, differ)


if __name__ == "__main__":
    PIOLA, PROGRAM = sys.argv[1], sys.argv[2]
    unittest.main(argv=sys.argv[:1], verbosity=2)
