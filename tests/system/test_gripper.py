#!/usr/bin/env python3
"""test_gripper.py PIOLA -- the compliant gripper of scenes/ on a coarse mesh and with fewer evaluations: its jaws close
in parallel and hold, which small strains would not predict, and empty elements carry nothing."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
DEADLINE = 900  # s, for one command
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCENE = SOURCE / "scenes" / "topology_compliant_gripper.yaml"
COARSE = ("--set", "geometry[0].elements=[50, 25]")
SHORT = ("--set", "design[0].projection.double_every=10", "--set", "optimizer.stop.relative_objective=1e-3")
CELLS = 50 * 25
SMALL = ("--set", "materials[0].model=linear")  # small strains
FEASIBLE = 1 + 1e-4  # optimizer.stop.feasibility


class Gripper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        cls.start = cls.piola("run", SCENE, "start")
        cls.found = cls.piola("optimize", SCENE, "found", *SHORT)

    @classmethod
    def piola(cls, name, scene, out, *more):
        """Runs a command on the coarse mesh; returns the last values of what it observes."""
        done = subprocess.run([PIOLA, name, str(scene), "--device", "cpu", "--threads", "1", "-q", "-o",
                               str(cls.root / out), *COARSE, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
        if done.returncode:
            raise AssertionError(f"{name} {scene}: exit {done.returncode}\n{done.stdout}")
        seen = json.loads((cls.root / out / "result.json").read_text(encoding="utf-8"))["observations"]
        return {name: one["value"][-1] for name, one in seen.items()}

    def below(self, what, value, limit):
        print(f"  {what}: {value:.6g} (limit {limit:.6g})")
        self.assertLessEqual(value, limit, what)

    def above(self, what, value, limit):
        print(f"  {what}: {value:.6g} (must exceed {limit:.6g})")
        self.assertGreater(value, limit, what)

    def carried(self, out):
        """The scene with the layout that the command of folder `out` found, as a table, and without a design."""
        with h5py.File(self.root / out / "states.vtkhdf") as file:
            group = file["VTKHDF"]
            corners = group["Connectivity"][:4 * CELLS].reshape(CELLS, 4)
            centres = group["Points"][:int(group["NumberOfPoints"][0])][corners].mean(axis=1)
            layout = group["CellData/relative_density"][-CELLS:].ravel()
        folder = self.root / f"{out}_carried"
        folder.mkdir(exist_ok=True)
        np.savetxt(folder / "layout.csv", np.column_stack([centres[:, :2], layout]), delimiter=",", header="x,y,r",
                   comments="", fmt="%.17g")
        text = SCENE.read_text(encoding="utf-8")
        self.assertEqual(text.count("relative_density: 0.25"), 1)
        text = text.replace("relative_density: 0.25", "relative_density: layout")
        text = text[:text.index("design:")] + text[text.index("objective:"):text.index("constraints:")]
        scene = folder / "scene.yaml"
        scene.write_text(text + "tables: [{name: layout, file: layout.csv, column: r, interpolation: nearest}]\n")
        return scene

    def test_the_jaws_close_in_parallel_and_hold(self):
        closed, before = -self.found["jaw"][1], -self.start["jaw"][1]
        self.above("jaws close by, m", closed, 2 * before)
        self.below("they turn by, rad", abs(self.found["turn"][0]), 0.05 * FEASIBLE)
        self.below("they give, m", self.found["give"][1], 4e-3 * FEASIBLE)
        self.below("filled", self.found["filled"][0], 0.28 * FEASIBLE)
        self.below("greyness", self.found["grey"][0], 0.05)
        self.above("negative control: those of the start give, m", self.start["give"][1], 4e-3)
        self.above("negative control: its greyness", self.start["grey"][0], 0.05)

    def test_the_layout_carried_by_a_table_is_the_same(self):
        """The table has the layout to the last digit, so that the difference is what Newton's tolerance leaves."""
        again = self.piola("run", self.carried("found"), "again")
        self.below("difference of the jaws' place, m", abs(again["jaw"][1] - self.found["jaw"][1]), 1e-9)

    def test_small_strains_predict_another_turn_of_the_jaws(self):
        linear = self.piola("run", self.carried("found"), "linear", *SMALL)
        self.above("turn with small strains less that at finite strain, rad",
                   abs(linear["turn"][0] - self.found["turn"][0]), 0.02)
        self.above("likewise of the jaws' way along the rod, m", abs(linear["jaw"][0] - self.found["jaw"][0]), 1e-3)

    def test_empty_elements_carry_nothing_whatever_their_law(self):
        """1 % of the way, and 0.005 rad, a tenth of what is allowed, are less than what the design has to spare."""
        scene, (x, y), turn = self.carried("found"), self.found["jaw"], self.found["turn"][0]
        for what, more in (("a stiffness of 1e-8", "bodies[0].interpolation.least=1e-8"),
                           ("a law that has no inverted element", "materials[0].model=neo_hookean")):
            other = self.piola("run", scene, "other", "--set", more)
            self.below(f"{what}: jaws, in parts of their way", abs(other["jaw"][1] / y - 1), 0.01)
            self.below(f"{what}: their way along the rod", abs(other["jaw"][0] / x - 1), 0.01)
            self.below(f"{what}: turn, rad", abs(other["turn"][0] - turn), 0.005)
        stiff = self.piola("run", scene, "stiff", "--set", "bodies[0].interpolation.least=1e-3")
        self.above("negative control, a stiffness of 1e-3: turn, rad", abs(stiff["turn"][0] - turn), 0.005)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    load = unittest.defaultTestLoader
    suite = load.loadTestsFromNames(names, Gripper) if names else load.loadTestsFromTestCase(Gripper)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
