#!/usr/bin/env python3
"""test_modal.py PIOLA SOURCE -- modal analysis by the command: what it reports and writes, with equal bits for any
number of threads, what is rejected, and the tone of the fork."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SQUARE = """
version: 1
name: square
method: {type: fem, dimension: 2}
time: {integrator: modal, modes: 3}
materials: [{name: soft, model: linear, E: 1 kPa, nu: 0.3, density: 1000}]
geometry: [{name: block, type: box, element: quad4, elements: [4, 4], min: [0, 0], max: [1, 1]}]
bodies: [{name: one, geometry: block, material: soft}]
boundary:
  - {name: rim, body: one, on: {group: bottom}, type: fixed}
  - {name: lid, body: one, on: {group: top}, type: fixed}
  - {name: west, body: one, on: {group: left}, type: fixed}
  - {name: east, body: one, on: {group: right}, type: fixed}
observe:
  - {name: tone, type: frequency, mode: MODE}
  - {name: third, type: frequency, mode: 3}
design: [{name: weight, target: materials.soft.density}]
objective: [{type: minimize, of: tone}]
"""
# A thin ring of square section, which nothing holds.
RING = """
version: 1
name: ring
method: {type: fem, dimension: 2, plane: axisymmetric}
time: {integrator: modal, modes: 3}
materials: [{name: steel, model: neo_hookean, E: 200 GPa, nu: 0.3, density: 8000 kg/m3}]
geometry: [{name: section, type: box, element: quad9, elements: [2, 2], min: [0.995, 0], max: [1.005, 0.01]}]
bodies: [{name: ring, geometry: section, material: steel}]
observe: [{name: breath, type: frequency, mode: 3}]
design: [{name: E, target: materials.steel.E}]
objective: [{type: minimize, of: breath}]
"""
# A block that nothing holds: its first three modes are rigid motions.
FREE = """
version: 1
name: free
method: {type: fem, dimension: 2}
time: {integrator: modal, modes: MODES}
materials: [{name: soft, model: neo_hookean, E: 100 kPa, nu: 0.3, density: 1000 kg/m3}]
geometry: [{name: block, type: box, element: quad4, elements: [8, 4], min: [0, 0], max: [0.2, 0.1]}]
bodies: [{name: one, geometry: block, material: soft}]
observe: [{name: tone, type: frequency, mode: MODE}, {name: third, type: frequency, mode: 3}]
design: [{name: E, target: materials.soft.E}]
objective: [{type: minimize, of: tone}]
"""


def run(*arguments):
    return subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


class Modal(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.check = SOURCE / "tests" / "data" / "check_scenes" / "fem_modal.yaml"

    def expect(self, code, words, *arguments):
        done = run(*arguments, "--device", "cpu")
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def square(self, mode):
        scene = self.folder / "square.yaml"
        scene.write_text(SQUARE.replace("MODE", mode))
        return scene

    def result(self, name):
        return json.loads((self.folder / name / "result.json").read_text())

    def test_modes_are_reported_and_counted_and_have_equal_bits_for_any_number_of_threads(self):
        seen = []
        for threads in (1, 3):
            out = self.folder / f"out{threads}"
            self.expect(0, [], "grad", self.check, "--threads", threads, "-o", out)
            report = self.result(out.name)
            seen.append((report["modes"], report["parameters"], report["observations"]))
            self.assertEqual(report["certificate"]["modes"], report["modes"])
            self.assertIn("ARPACK", report["solver"]["linear"])
        self.assertEqual(seen[0], seen[1])
        modes = seen[0][0]
        self.assertEqual([m["mode"] for m in modes], [1, 2, 3, 4, 5])
        frequencies = [m["frequency"] for m in modes]
        self.assertEqual(frequencies, sorted(frequencies))
        for m in modes:
            self.assertEqual(m["found"], m["counted"])
            self.assertLess(m["residual"], 1e-8)
            self.assertLess(m["frequency"], m["counted_below"])
        others = seen[0][2]["others"]["value"][0][0]
        self.assertTrue(math.isclose(others, sum(frequencies[1:4]) / 3, rel_tol=1e-14), (others, frequencies))
        self.assertFalse(math.isclose(others, frequencies[1], rel_tol=1e-3))  # negative control

    def test_run_prints_up_to_12_frequencies_which_are_rigid_and_how_many_more_there_are(self):
        (self.folder / "ring.yaml").write_text(RING)
        for scene, modes in ((self.folder / "ring.yaml", 3), (self.square("1"), 12), (self.square("1"), 13),
                             (self.square("1"), 15)):
            out = self.folder / f"{scene.stem}{modes}"
            done = self.expect(0, [], "run", scene, "--set", f"time.modes={modes}", "-o", out)
            lines = [line for line in done.stderr.splitlines() if "mode" in line and "engine" not in line]
            found = [mode["frequency"] for mode in self.result(out.name)["modes"]]
            self.assertEqual(len(found), modes)
            expected = [f"mode {k + 1}: {f:.6g} Hz{'' if f else ', a rigid motion'}" for k, f in enumerate(found[:12])]
            if modes > 12:
                expected.append({13: "1 more mode in result.json", 15: "3 more modes in result.json"}[modes])
            self.assertEqual([line for line in lines if "modal analysis" not in line], expected)
            self.assertEqual("mode 1: 0 Hz, a rigid motion" in lines, scene.stem == "ring")

    def test_the_plan_says_what_it_takes(self):
        self.expect(0, ["ARPACK", "plan: "], "grad", self.check, "--dry-run")
        self.expect(71, ["and 1000 are allowed", "solver.direct_memory"], "run", self.check, "--dry-run", "--set",
                    "solver.direct_memory=1000 B")

    def test_one_of_repeated_frequencies_is_76_and_their_mean_has_a_gradient(self):
        out = self.folder / "one"
        self.expect(76, ["mode 1", "repeated", "[first, last]"], "grad", self.square("1"), "-o", out)
        self.assertEqual(self.result("one")["failure"]["kind"], "repeated_frequency")
        mean = self.folder / "mean"
        self.expect(0, [], "grad", self.square("[1, 2]"), "-o", mean)
        report = self.result("mean")
        density = report["parameters"]["materials.soft.density"]
        # f is in proportion to the root of 1/density
        self.assertAlmostEqual(density["gradient"] * density["value"] / (-0.5 * report["objective"]), 1, 10)
        fields = run("info", mean / "states.vtkhdf", "--json").stdout
        self.assertIn("grad_density", fields)
        self.assertNotIn("damping", fields)  # of the stiffness, by which K is computed

    def test_a_rigid_motion_as_objective_is_an_error_at_its_mode_and_no_matter_of_repeated_frequencies(self):
        scene = self.folder / "free.yaml"
        for mode, modes, first, higher in (("1", 6, 1, "a mode from 4 on"), ("2", 6, 2, "a mode from 4 on"),
                                           ("[1, 3]", 6, 1, "a mode from 4 on"), ("[3, 4]", 6, 3, "a mode from 4 on"),
                                           ("3", 3, 3, "a larger time.modes and a higher mode")):
            scene.write_text(FREE.replace("MODES", str(modes)).replace("MODE", mode))
            done = self.expect(76, ["free.yaml:9:47: error: observe[0].mode: mode "
                                    f"{first} is a rigid motion, and its frequency, 0 Hz, has no derivative: support "
                                    f"the body, or take {higher}"], "grad", scene, "-o", self.folder / "free")
            self.assertNotIn("mean of all", done.stderr)
            failure = self.result("free")["failure"]
            self.assertEqual((failure["kind"], failure["step"]), ("repeated_frequency", first))
            self.expect(0, [], "run", scene, "-o", self.folder / "run")
        # negative control: the third mode is rigid and observed, but J does not depend on it
        scene.write_text(FREE.replace("MODES", "6").replace("MODE", "4"))
        self.expect(0, [], "grad", scene, "-o", self.folder / "free")
        E = self.result("free")["parameters"]["materials.soft.E"]
        slope = 2 * E["gradient"] * E["value"] / self.result("free")["objective"]
        print(f"mode 4 of a free block: E df/dE over f/2, less 1: {slope - 1:.1e} (threshold 1e-9)")
        self.assertLess(abs(slope - 1), 1e-9)

    def test_what_cannot_be_computed_is_rejected_with_its_reason(self):
        # 4 x 4 elements with a fixed rim have 9 free nodes
        words = "error: time.modes: 200 modes of a body with 18 free unknowns; at most 15 are possible"
        done = self.expect(65, [words], "run", self.square("1"), "--set", "time.modes=200", "-o", self.folder / "x")
        self.assertNotIn("boundary", done.stderr)
        self.expect(0, [], "run", self.square("1"), "--set", "time.modes=15", "-o", self.folder / "x")
        self.expect(65, ["eigenvalues need the digits of f64"], "run", self.square("1"), "--set",
                    "method.precision=f32")
        engines = pathlib.Path(PIOLA).parent
        for missing in ("piola_eigen_arpack.so", "piola_direct_mumps.so"):
            alone = self.folder / missing
            alone.mkdir()
            for file in engines.glob("piola_*.so"):
                if file.name != missing and ("cpu_f64_2d" in file.name or "cpu" not in file.name):
                    shutil.copy(file, alone)
            os.environ["PIOLA_ENGINES"] = str(alone)
            try:
                self.expect(69, ["there is no ", missing], "run", self.check, "-o", self.folder / "y")
            finally:
                del os.environ["PIOLA_ENGINES"]

    def test_a_thin_ring_twists_and_breathes(self):
        """One motion along the axis is rigid. The section turns about its middle at w^2 = E/(rho R^2) I_r/(I_r + I_y),
        half for a square, and the ring grows and shrinks at w^2 = E/(rho R^2)."""
        (self.folder / "ring.yaml").write_text(RING)
        self.expect(0, [], "grad", self.folder / "ring.yaml", "-o", self.folder / "ring")
        report = self.result("ring")
        found = [mode["frequency"] for mode in report["certificate"]["modes"]]
        breath = math.sqrt(200e9 / 8000) / (2 * math.pi)
        slope = report["parameters"]["materials.steel.E"]["gradient"] * 2 * 200e9 / found[2]
        print(f"a thin ring: {found} Hz, {breath / math.sqrt(2):.6g} and {breath:.6g} Hz in theory (threshold 1e-4); "
              f"E df/dE over f/2, less 1: {slope - 1:.1e} (threshold 1e-9)")
        self.assertEqual(found[0], 0)
        self.assertLess(abs(found[1] * math.sqrt(2) / breath - 1), 1e-4)
        self.assertLess(abs(found[2] / breath - 1), 1e-4)
        self.assertLess(abs(slope - 1), 1e-9)

    def test_the_forks_tone_becomes_440_hertz_and_frames_are_modes(self):
        out = self.folder / "fork"
        self.expect(0, [], "optimize", SOURCE / "scenes" / "fem_fork.yaml", "-o", out)
        report = self.result("fork")
        tone = report["observations"]["tone"]["value"][0][0]
        print(f"tone {tone:.9g} Hz, after {report['optimizer']['evaluations']} evaluations")
        self.assertLess(abs(tone - 440), 1e-2)
        self.assertLess(report["constraints"][0]["violation"], 1e-4)
        info = json.loads(run("info", out / "states.vtkhdf", "--json").stdout)
        self.assertEqual(info["times"], [0, 1, 2, 3, 4])
        picture = self.folder / "shape.png"
        self.assertEqual(run("render", out / "states.vtkhdf", "-o", picture, "--frame", "2", "--deformation",
                             "0.001").returncode, 0)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
