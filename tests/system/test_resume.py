#!/usr/bin/env python3
"""test_resume.py PIOLA CUT sample|all -- a run that is cut and gone on with has the bits of one that is not.

`run` is cut early and late, `grad` in both sweeps early and late: interrupted at a step (exit code 75), or killed, by
CUT, the command of cut.c. Then PIOLA gets the same arguments and goes on, and every dataset of states.vtkhdf and every
number of result.json that a run makes is that of the uninterrupted one. sample: some cuts of each integrator and family
of materials; all: all of them, and more ways to keep states.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

import small_scenes

PIOLA, CUT, ALL = "", "", False
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
SHORT = ("--set", "time.duration=8 ms")
# name: scene, overrides, steps, those swept back
SCENES = {
    "apic, six elastic laws, viscosity": ("check_scenes/mpm_laws.yaml", ("--set", "time.duration=20 ms"), 20, 20),
    "flip, contact, fluid": ("check_scenes/mpm_contact.yaml", ("--set", "time.duration=20 ms"), 20, 20),
    "network, effort": ("check_scenes/mpm_network.yaml", (), 80, 80),
    "mpm reversible": ("check_scenes/mpm_reversible.yaml", (), 60, 60),
    "mpm reversible, damped": ("good_scenes/reversible_2d.yaml", (), 40, 40),
    "plastic": ("good_scenes/plastic_2d.yaml", ("--set", "time.duration=20 ms"), 20, 20),
    "actuators": ("good_scenes/control_2d.yaml", (), 40, 40),
    "obstacles": ("good_scenes/obstacles_2d.yaml", ("--set", "time.duration=20 ms"), 20, 20),
    "groups": ("good_scenes/groups_2d.yaml", (), 20, 20),
    "static": ("good_scenes/meshes_2d.yaml", (), 4, 4),
    "static, laws in 3D": ("check_scenes/fem_laws.yaml", (), 3, 3),
    "static, loads": ("check_scenes/fem_loads.yaml", (), 1, 1),
    "static, surfaces": ("good_scenes/pressed_2d.yaml", ("--set", "time.load_steps=8"), 8, 8),
    "static, surfaces that rub": ("good_scenes/pressed_2d.yaml",
                                  ("--set", "time.load_steps=8", "--set", "contact.friction=0.3"), 8, 8),
    "bdf2, surfaces that rub": ("good_scenes/rubbed_2d.yaml", (), 10, 10),
    "bdf2": ("check_scenes/fem_motion.yaml", (), 10, 10),
    "backward_euler": ("good_scenes/motion_euler.yaml", (), 10, 10),
    "newmark": ("good_scenes/motion_newmark.yaml", ("--set", "solver.product=own"), 10, 4),
    "newmark, ties": ("check_scenes/fem_ties.yaml", (), 8, 8),
    "newmark, a rotation and a moment in 3D": ("check_scenes/fem_turn_3d.yaml", (), 8, 8),
    "modal": ("check_scenes/fem_modal.yaml", (), 5, 5),
    "newmark, network": ("check_scenes/fem_network.yaml", (), 20, 20),
    "newmark, fibres": ("good_scenes/driven_2d.yaml", (), 10, 10),
    "leapfrog, surfaces": ("good_scenes/collided_2d.yaml", (), 20, 20),
    "newmark, obstacles": ("good_scenes/touched_2d.yaml", (), 10, 10),
    "leapfrog": ("good_scenes/motion_leapfrog.yaml", (), 20, 20),
    "reversible_leapfrog": ("good_scenes/motion_reversible_leapfrog.yaml", (), 20, 20),
    "reversible_euler": ("good_scenes/motion_reversible_euler.yaml", (), 10, 10),
    "plastic laws in 3D": ("good_scenes/plastic_3d.yaml", (), 100, 100),
    "fluids in 3D": ("good_scenes/fluids_3d.yaml",
                     ("--set", "time.duration=2 ms", "--set", "observe[1].every=1 ms"), 20, 20),
    "elastic laws in 3D": ("good_scenes/laws_3d.yaml", (), 100, 100),
    "mpm reversible in 3D": ("good_scenes/reversible_3d.yaml", (), 20, 20),
    "obstacles in 3D": ("good_scenes/obstacles_3d.yaml", (), 50, 50),
    "sand": ("small_scenes/mpm_sand_column_small.yaml", (), 300, 300),
    "snow": ("small_scenes/mpm_snowball_small.yaml", (), 80, 80),
    "metal": ("small_scenes/mpm_taylor_bar_small.yaml", (), 40, 40),
    "viscous fluid": ("small_scenes/mpm_dam_viscosity_small.yaml", (), 1250, 1250),
    "fluid on a solid": ("small_scenes/mpm_pour_small.yaml", (), 100, 100),
}
ONLY_ALL = {"groups", "static, loads", "plastic laws in 3D", "fluids in 3D", "elastic laws in 3D",
            "mpm reversible in 3D", "obstacles in 3D", "sand", "snow", "metal", "viscous fluid", "fluid on a solid"}
# These name command lines, times, steps that were run again, another budget.
NOT_OURS = ("manifest", "certificate", "pairs", "piola/scene")


def datasets(path):
    """Bytes of every dataset that the run makes, by name."""
    found = {}
    with h5py.File(path) as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and not any(word in name for word in NOT_OURS):
                found[name] = np.asarray(item[()]).tobytes()
        file.visititems(visit)
    return found


def numbers(folder):
    report = json.loads((folder / "result.json").read_text())
    certificate = {key: value for key, value in report.get("certificate", {}).items() if key != "forward_steps_run"}
    return {"certificate": certificate,
            **{key: report.get(key) for key in ("objective", "terms", "parameters", "observations", "constraints")}}


def program_and_environment(cut):
    """The command, or the one that is cut at poll number `cut`, killed at -`cut`."""
    return (PIOLA, None) if cut is None else (CUT, {**os.environ, "PIOLA_CUT": str(cut)})


class Resume(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def command(self, code, name, scene, folder, *arguments, cut=None):
        program, more = program_and_environment(cut)
        done = subprocess.run([program, name, *small_scenes.words(DATA / scene), "--device", "cpu", "--threads",
                               "1", "-o", str(folder), *arguments], env=more,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        self.assertEqual(done.returncode, code, f"piola {name} {scene} {arguments}:\n{done.stdout}")
        return done.stdout

    def compare(self, what, folder, golden, same_plan=True):
        mine, theirs = datasets(folder / "states.vtkhdf"), datasets(golden / "states.vtkhdf")
        self.assertEqual(sorted(mine), sorted(theirs), what)
        differ = [name for name in mine if mine[name] != theirs[name]]
        self.assertEqual(differ, [], f"{what}: datasets that differ")
        mine, theirs = numbers(folder), numbers(golden)
        if not same_plan:
            mine["certificate"] = theirs["certificate"] = None
        self.assertEqual(mine, theirs, what)
        self.assertFalse((folder / "checkpoint").exists(), f"{what}: the checkpoint is still there")
        return len(datasets(folder / "states.vtkhdf"))

    def cut_and_go_on(self, name, scene, overrides, cut, golden, what, kill=False, same_plan=True):
        folder = self.folder / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        if kill:
            often = ("--set", "output.checkpoint.every=1 us")
            self.command(-signal.SIGKILL, name, scene, folder, *overrides, *often, cut=-cut)
        else:
            said = self.command(75, name, scene, folder, *overrides, cut=cut)
            self.assertIn("run again to go on from the checkpoint", said, what)
        self.assertTrue((folder / "checkpoint").is_dir(), f"{what}: there is no checkpoint")
        said = self.command(0, name, scene, folder, *overrides)
        self.assertIn("going on from the checkpoint", said, what)
        return self.compare(what, folder, golden, same_plan)

    def cuts(self, name, steps, back):
        """Looks are one after each step of either sweep, and one where the sweep turns."""
        early, late = 2 if steps > 3 else 1, steps - 1
        if name == "run":
            return {"early": early, "late": late}
        first = steps + 1  # where the sweep turns
        return {"early forward": early, "late forward": late, "early adjoint": first + 1,
                "late adjoint": first + back - 1}

    def check(self, name, label, more=(), only=None):
        scene, overrides, steps, back = SCENES[label]
        overrides = (*overrides, *more)
        if name == "grad" and label != "modal":  # frequencies have no adjoint fields of displacements
            overrides += ("--set", f"output.adjoint.every={'1 s' if label.startswith('static') else '2 ms'}")
        golden = self.folder / f"golden {name}"
        shutil.rmtree(golden, ignore_errors=True)
        self.command(0, name, scene, golden, *overrides)
        sets = 0
        for i, (where, cut) in enumerate(self.cuts(name, steps, back).items()):
            if cut < 1 or (back < 2 and i > 1) or (only is not None and i not in only):
                continue
            what = f"{name} {label} {more}, cut {where} (look {cut})"
            measured = "gradient.memory.disk=1 GB" in more  # the plan measures how fast the disk is
            sets = self.cut_and_go_on(name, scene, overrides, cut, golden, what, same_plan=not measured)
        print(f"{name}: {label} {' '.join(more)}: {sets} datasets have the same bits")

    def test_run(self):
        for i, label in enumerate(SCENES):
            if ALL or label not in ONLY_ALL:
                with self.subTest(label):
                    self.check("run", label, only=None if ALL else (i % 2,))

    def test_grad(self):
        for i, label in enumerate(SCENES):
            if ALL or label not in ONLY_ALL:
                with self.subTest(label):
                    self.check("grad", label, only=None if ALL else (i % 2, 2 + i // 2 % 2))

    def budget(self, scene, overrides, name="grad"):
        """Bytes that hold three states."""
        said = self.command(0, name, scene, self.folder / "plan", *overrides,
                            "--set", "gradient.memory.strategy=store", "--dry-run")
        plan = re.search(r"plan: store every state: (\d+) states of .*?\((\d+) bytes\)", said)
        states, state = map(int, plan.groups())
        total = int(re.search(r"plan: \S+ \S+ \((\d+) bytes\) of cpu memory in all", said).group(1))
        sums = re.search(r"the sums at nodes of its step: (\d+) bytes", said)
        return total - (states - 3) * state - (states * int(sums.group(1)) if sums else 0)

    def test_ways_to_keep_states(self):
        for label, ways in (("apic, six elastic laws, viscosity", ("checkpoint", "disk")),
                            ("mpm reversible", ("checkpoint", "reverse")),
                            ("mpm reversible, damped", ("reverse",)),
                            ("backward_euler", ("checkpoint", "disk")),
                            ("reversible_leapfrog", ("reverse", "store")),
                            ("reversible_euler", ("reverse",)),
                            ("leapfrog", ("checkpoint", ))):
            scene, overrides, _, _ = SCENES[label]
            for way in ways:
                if not ALL and way in ("disk", "store"):
                    continue
                more = ("--set", f"gradient.memory.strategy={'checkpoint' if way == 'disk' else way}")
                if way in ("checkpoint", "disk"):
                    more += ("--set", f"gradient.memory.budget={self.budget(scene, overrides)}")
                if way == "disk":
                    more += ("--set", "gradient.memory.disk=1 GB")
                with self.subTest(f"{label}, {way}"):
                    self.check("grad", label, more, only=None if ALL else (1, 2))

    def test_another_budget(self):
        """The checkpoint's plan is gone on with, unless it takes more than the budget now."""
        for label in "apic, six elastic laws, viscosity", "reversible_euler":
            scene, overrides, steps, _ = SCENES[label]
            golden, folder = self.folder / f"golden {label}", self.folder / f"budget {label}"
            small = ("--set", "gradient.memory.strategy=auto",
                     "--set", f"gradient.memory.budget={self.budget(scene, overrides)}")
            self.command(0, "grad", scene, golden, *overrides)
            for first, second, words in ((small, (), "going on"),
                                         ((), small, "beginning anew: the checkpoint's plan takes")):
                self.command(75, "grad", scene, folder, *overrides, *first, cut=2 * steps - 3)
                said = self.command(0, "grad", scene, folder, *overrides, *second)
                self.assertIn(words, said)
                self.compare(f"{label}, {words}", folder, golden, same_plan=False)
            print(f"grad: {label}: the same bits with another budget")

    def test_room_for_pairs_grows(self):
        """A run that lacks room for pairs of surfaces goes on with more, from the step that lacked it."""
        for name, label in ("run", "static, surfaces"), ("grad", "static, surfaces"):
            scene, overrides, _, _ = SCENES[label]
            golden, folder, pairs, codes, went_on = self.folder / "golden", self.folder / "grown", 1, [], 0
            shutil.rmtree(golden, ignore_errors=True)
            self.command(0, name, scene, golden, *overrides)
            while len(codes) < 40 and codes[-1:] != [0]:
                done = subprocess.run([PIOLA, name, *small_scenes.words(DATA / scene), "--device", "cpu", "--threads",
                                       "1", "-o", str(folder), *overrides, "--set", f"contact.pairs={pairs}", "--set",
                                       "output.checkpoint.every=1 us"], capture_output=True, text=True, timeout=300)
                codes.append(done.returncode)
                self.assertIn(done.returncode, (0, 71), done.stderr)
                self.assertNotIn("anew", done.stderr)
                went_on += "going on from the checkpoint" in done.stderr
                wanted = re.search(r"(\d+) pairs of pieces of surfaces are near", done.stderr)
                pairs = int(wanted.group(1)) if wanted else pairs
            print(f"{name} {label}: exit codes {codes}, {went_on} (at least 1) went on, {pairs} pairs in the end")
            self.assertGreaterEqual(went_on, 1)
            self.compare(f"{name} {label}, with more room", folder, golden, same_plan=False)

    def test_another_room_for_pairs(self):
        for name, label, cut in ("run", "leapfrog, surfaces", 12), ("grad", "leapfrog, surfaces", 30):
            scene, overrides, _, _ = SCENES[label]
            golden, folder = self.folder / f"golden {name}", self.folder / f"room {name}"
            self.command(0, name, scene, golden, *overrides)
            self.command(75, name, scene, folder, *overrides, "--set", "contact.pairs=700", cut=cut)
            said = self.command(0, name, scene, folder, *overrides, "--set", "contact.pairs=1234")
            self.assertIn("going on from the checkpoint", said)
            self.compare(f"{name} {label}, with another room", folder, golden, same_plan=False)

    def test_killed(self):
        for name, label, cut in (("run", "plastic", 15), ("grad", "flip, contact, fluid", 15), ("grad", "bdf2", 16),
                                 ("grad", "mpm reversible", 100)):
            with self.subTest(label):
                scene, overrides, _, _ = SCENES[label]
                golden = self.folder / "golden"
                shutil.rmtree(golden, ignore_errors=True)
                self.command(0, name, scene, golden, *overrides)
                self.cut_and_go_on(name, scene, overrides, cut, golden, f"{name} {label}, killed", kill=True)

    def test_killed_at_random(self):
        """Killed at any instant, within writes too, by a clock: with a checkpoint after every step. Then a run that is
        left alone."""
        kills = done = went_on = 0
        chance = random.Random(1)
        for name, label in (("run", "plastic"), ("grad", "actuators"), ("grad", "newmark")):
            scene, overrides, _, _ = SCENES[label]
            golden, folder = self.folder / f"golden {label}", self.folder / f"killed {label}"
            began = time.monotonic()
            self.command(0, name, scene, golden, *overrides)
            took = time.monotonic() - began
            for _ in range(100 if ALL else 4):
                program, more = program_and_environment(1000000)
                process = subprocess.Popen([program, name, str(DATA / scene), "--device", "cpu", "--threads", "1",
                                            "-o", str(folder), *overrides,
                                            "--set", "output.checkpoint.every=1 us"], env=more,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    process.wait(timeout=took * chance.uniform(0.2, 1.2))
                except subprocess.TimeoutExpired:
                    process.kill()
                said = process.communicate(timeout=300)[1]
                self.assertIn(process.returncode, (0, -signal.SIGKILL), said)
                self.assertNotIn("anew", said)
                kills += process.returncode != 0
                went_on += "going on" in said
                if process.returncode == 0:
                    self.compare(f"{name} {label}, killed at random", folder, golden)
                    done += 1
            self.command(0, name, scene, folder, *overrides)
            self.compare(f"{name} {label}, killed at random", folder, golden)
            done += 1
        print(f"{kills} kills, {went_on} runs went on from a checkpoint, {done} runs ended with the same bits")
        self.assertGreater(kills, 3)

    def test_cut_again_and_again(self):
        """Every run makes a few steps more: the adjoint sweep ends all the same."""
        name, label = "grad", "mpm reversible"
        scene, overrides, _, _ = SCENES[label]
        golden, folder, runs = self.folder / "golden", self.folder / "again", 0
        self.command(0, name, scene, golden, *overrides)
        while runs < 40:
            program, more = program_and_environment(9)
            done = subprocess.run([program, name, str(DATA / scene), "--device", "cpu", "--threads", "1",
                                   "-o", str(folder), *overrides], env=more,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            runs += 1
            self.assertIn(done.returncode, (0, 75), done.stdout)
            if done.returncode == 0:
                break
        self.assertGreater(runs, 3)
        print(f"{runs} runs of 9 looks each")
        self.compare("cut again and again", folder, golden)

    def test_what_is_damaged_is_not_used(self):
        scene, overrides, steps, _ = SCENES["plastic"]
        golden, folder = self.folder / "golden", self.folder / "damaged"
        self.command(0, "run", scene, golden, *overrides)
        for newest, oldest, frames, words in ((True, False, False, "it is not used"),
                                              (True, True, False, "no checkpoint is whole"),
                                              (False, False, True, "no checkpoint is whole")):
            shutil.rmtree(folder, ignore_errors=True)
            self.command(-signal.SIGKILL, "run", scene, folder, *overrides, "--set", "output.checkpoint.every=1 us",
                         cut=1 - steps)
            both = sorted((folder / "checkpoint" / name for name in ("even", "odd")),
                          key=lambda p: p.stat().st_mtime_ns)
            for damage, path in ((newest, both[1]), (oldest, both[0]), (frames, folder / "checkpoint" / "frames")):
                if damage:
                    data = bytearray(path.read_bytes())
                    data[len(data) // 3] ^= 0x10
                    path.write_bytes(data)
            said = self.command(0, "run", scene, folder, *overrides)
            self.assertIn(words, said)
            self.compare(words, folder, golden)

    def test_another_run_is_set_aside(self):
        scene, overrides, steps, _ = SCENES["plastic"]
        folder = self.folder / "other"
        self.command(75, "run", scene, folder, *overrides, cut=9)
        said = self.command(0, "run", scene, folder, *overrides, "--set", "time.dt=0.5 ms")
        self.assertIn("checkpoint is of another run, which differs in: scene", said)
        self.assertIn("beginning anew", said)
        self.assertTrue((folder / "checkpoint.previous").is_dir())
        self.command(75, "run", scene, folder, *overrides, cut=9)
        said = self.command(0, "run", scene, folder, *overrides, "--resume", "never")
        self.assertNotIn("going on", said)
        self.assertFalse((folder / "checkpoint").exists())
        # negative control: a flipped bit of a value would be seen
        with h5py.File(folder / "states.vtkhdf", "r+") as file:
            places, golden = file["VTKHDF/Points"], datasets(folder / "states.vtkhdf")
            places[-1, 0] = np.nextafter(places[-1, 0], places.dtype.type(np.inf))
            file.flush()
            self.assertNotEqual(datasets(folder / "states.vtkhdf"), golden)


if __name__ == "__main__":
    PIOLA, CUT, ALL = sys.argv[1], sys.argv[2], sys.argv[3] == "all"
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
