#!/usr/bin/env python3
"""test_linear.py PIOLA SOURCE -- which solver of linear equations the command takes, how it says so, and what it
refuses."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest


def run(*arguments):
    return subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


THICK = """
version: 1
name: thick
method: {type: fem, dimension: 3}
solver: {linear: auto, linear_iterations: 12, halvings: 0}
time: {load_steps: 3}
materials: [{name: soft, model: st_venant_kirchhoff, E: 1 MPa, nu: 0.3}]
geometry: [{name: cube, type: box, element: hex8, elements: [9, 9, 9], min: [0, 0, 0], max: [1 m, 1 m, 1 m]}]
bodies: [{name: cube, geometry: cube, material: soft}]
boundary: [{name: clamp, body: cube, on: {group: left}, type: fixed}]
loads: [{name: side, body: cube, on: {group: right}, type: force, value: [0 N, -1 kN, 0 N]}]
observe: [{name: tip, type: displacement, body: cube, on: {group: right}}]
design: [{name: load, target: loads.side.value}]
objective: [{type: minimize, of: tip.y}]
"""

# A beam whose parts differ by 1e6: the rounding of its energy is more than what Newton's direction lowers it by.
UNEVEN = """\
version: 1
name: uneven
method: {type: fem, dimension: 2}
constants: {h: 1 m}
materials: [{name: r, model: neo_hookean, E: "if(sin(pi*x/h) > 0, 1 MPa, 1 Pa)", nu: 0.499}]
geometry: [{name: a, type: box, element: quad4, elements: [80, 4], min: [0, 0], max: [20 m, 1 m]}]
bodies: [{name: one, geometry: a, material: r}]
boundary: [{name: edge, body: one, on: {group: left}, type: fixed}]
loads: [{name: f, body: one, on: {group: right}, type: force, value: [0, 1 mN]}]
observe: [{name: tip, type: displacement, body: one, on: {group: right}}]
design: [{name: f, target: loads.f.value}]
objective: [{type: minimize, of: tip.y}]
"""


class Linear(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.beam = SOURCE / "tests" / "data" / "check_scenes" / "fem_slender.yaml"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def expect(self, code, words, *arguments):
        done = run(*arguments, "--device", "cpu")
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def test_a_factor_that_does_not_fit_is_71_with_the_bytes_before_anything_runs(self):
        done = self.expect(71, ["solver.direct_memory", "and 1000 are allowed"], "grad", self.beam, "--dry-run",
                           "--set", "solver.direct_memory=1000 B")
        needed = int(re.search(r"needs (\d+) bytes", done.stderr).group(1))
        self.expect(0, ["solver: MUMPS", f"({needed} bytes) of them for factors"], "grad", self.beam, "--dry-run")
        self.expect(71, [f"needs {needed} bytes, and {needed - 1} are allowed"], "grad", self.beam, "--dry-run",
                    "--set", f"solver.direct_memory={needed - 1} B")
        self.assertFalse((self.folder / "out").exists())

    def test_a_descent_that_rounding_hides_is_found_by_every_solver(self):
        scene = self.folder / "uneven.yaml"
        scene.write_text(UNEVEN)
        for linear in ("auto", "direct", "pcg"):
            moved = []
            for load in (1e-5, 1e-7):  # N
                self.expect(0, [], "grad", scene, "--set", f"loads[0].value=[0, {load} N]", "--set",
                            f"solver.linear={linear}", "-o", self.folder / "uneven")
                result = json.loads((self.folder / "uneven" / "result.json").read_text())
                moved.append(result["objective"] / load)
            print(linear, moved, moved[1] / moved[0] - 1, file=sys.stderr)
            self.assertLess(abs(moved[1] / moved[0] - 1), 1e-4)

    def test_log_result_and_certificate_say_which_solver_and_why(self):
        short = ["--set", "geometry.beam.max=[0.1, 0.01]"]
        for linear, name in (("direct", "MUMPS"), ("auto", "MUMPS"), ("pcg", "conjugate gradients")):
            folder, scene = self.folder / linear, self.folder / f"{linear}.yaml"
            solver = "linear: pcg" if linear == "pcg" else f"linear: {linear}, direct_memory: 64 MiB"
            scene.write_text(re.sub(r"linear: direct, direct_memory: 64 MiB", solver, self.beam.read_text()))
            self.expect(0, [f"solver: {name}"], "grad", scene, *short, "-o", folder)
            report = json.loads((folder / "result.json").read_text())
            certificate = report["certificate"]
            print(report["solver"], certificate["linear_solves"], file=sys.stderr)
            self.assertIn(name, report["solver"]["linear"])
            self.assertEqual(report["solver"]["linear"], certificate["linear_solver"])
            self.assertEqual(report["solver"]["why"], certificate["linear_solver_why"])
            self.assertIn("auto: " if linear == "auto" else "requests it", report["solver"]["why"])
            self.assertEqual(report["solver"]["library_bytes"] > 0, linear != "pcg")
            self.assertGreater(report["memory"]["peak_bytes"], report["solver"]["library_bytes"])
            self.assertTrue(0 <= certificate["linear_solves"][0]["adjoint_residual"] <= 1e-10)

    def test_products_are_our_own_unless_requested_and_result_certificate_and_manifest_say_so(self):
        folder = self.folder / "own"
        done = self.expect(0, [], "grad", self.beam, "--set", "geometry.beam.max=[0.1, 0.01]", "-o", folder)
        report = json.loads((folder / "result.json").read_text())
        self.assertEqual(report["solver"]["product"], "own")
        self.assertEqual(report["certificate"]["matrix_product"], "own")
        self.assertNotIn("products of matrix and vector", done.stderr)
        self.assertRegex(run("info", folder / "states.vtkhdf").stdout, r"matrix_product +own")

    def test_cusparse_on_a_cpu_is_69_before_anything_runs_and_never_replaced(self):
        for command in ("run", "grad", "check"):
            self.expect(69, ["solver.product is cusparse", "no library of products for cpu: the device has none",
                             "'product: own', or the device cuda, would be right"], command, self.beam, "--set",
                        "solver.product=cusparse", "-o", self.folder / "no")
            self.expect(69, ["solver.product is cusparse"], command, self.beam, "--set", "solver.product=cusparse",
                        "--dry-run")

    def test_the_doctor_names_libraries_of_products_or_says_why_there_is_none(self):
        self.assertRegex(run("doctor").stdout, r"Products of matrix and vector, beside Piola's own\n"
                                               r"  cpu +no library of products for cpu: the device has none")
        for engine in json.loads(run("doctor", "--json").stdout)["engines"]:
            if engine["runs"] and engine["name"].startswith("cpu"):
                self.assertIsNone(engine["matrix_product"])

    def test_an_adjoint_meets_its_tolerance_by_either_solver_and_one_that_misses_it_is_76(self):
        scene, gradients = self.folder / "slender_pcg.yaml", []
        scene.write_text(self.beam.read_text().replace("direct, direct_memory: 64 MiB", "pcg"))
        for name, of in (("pcg", scene), ("direct", self.beam)):
            self.expect(0, [], "grad", of, "-o", self.folder / f"met_{name}")
            report = json.loads((self.folder / f"met_{name}" / "result.json").read_text())
            residual = report["certificate"]["linear_solves"][0]["adjoint_residual"]
            gradients.append(report["parameters"]["loads.tip.value"]["gradient"])
            print(name, residual, gradients[-1], file=sys.stderr)
            self.assertLessEqual(residual, 1e-10)
        for by_pcg, direct in zip(*gradients):
            self.assertLessEqual(abs(by_pcg - direct), 1e-6 * abs(direct))
        self.expect(76, ["the adjoint solve", "not 1e-40"], "grad", scene, "--set", "solver.adjoint_tolerance=1e-40",
                    "-o", self.folder / "missed")

    def test_auto_goes_on_by_elimination_and_log_result_and_certificate_say_why(self):
        scene, reports = self.folder / "thick.yaml", {}
        for name, solver in (("changed", "auto, linear_iterations: 12"), ("direct", "direct"),
                             ("enough", "auto, linear_iterations: 20000")):
            scene.write_text(THICK.replace("auto, linear_iterations: 12", solver))
            done = self.expect(0, [], "grad", scene, "-o", self.folder / name)
            reports[name] = report = json.loads((self.folder / name / "result.json").read_text())
            changed, certificate = report["solver"]["changed"], report["certificate"]
            print(name, changed, report["memory"]["peak_bytes"], file=sys.stderr)
            self.assertEqual(changed, certificate["linear_solver_changed"])
            solves = [s["changed"] + s["adjoint_changed"] for s in certificate["linear_solves"]]
            if name == "changed":
                for word in ("step 0: conjugate gradients stopped at", "after 12 iterations (the limit)", "MUMPS"):
                    self.assertIn(word, changed)
                self.assertIn(changed, done.stderr)
                self.assertEqual(solves, [1, 0, 0])
            else:
                self.assertIsNone(changed)
                self.assertNotIn("solver: auto: step", done.stderr)
                self.assertEqual(solves, [0, 0, 0])
        values = {name: report["parameters"]["loads.side.value"]["gradient"] for name, report in reports.items()}
        print(values, file=sys.stderr)
        for name in ("direct", "enough"):
            for a, b in zip(values["changed"], values[name]):
                self.assertLessEqual(abs(a - b), 1e-8 * max(map(abs, values[name])))
        self.assertGreater(reports["changed"]["memory"]["peak_bytes"], reports["enough"]["memory"]["peak_bytes"])
        scene.write_text(THICK)
        self.expect(76, ["PCG has not converged in 12 iterations", "'solver.linear: auto'"], "grad", scene, "--set",
                    "solver.linear=pcg", "-o", self.folder / "explicit")

    def test_elimination_that_takes_over_keeps_to_the_budget(self):
        scene, folder = self.folder / "budget.yaml", self.folder / "budget"
        scene.write_text(THICK + "gradient: {memory: {budget: 1 GiB}}\n")
        self.expect(0, [], "grad", scene, "-o", folder)
        report = json.loads((folder / "result.json").read_text())
        peak, state = report["memory"]["peak_bytes"], report["memory"]["state_bytes"]
        # room for all of it but one state: the plan is made anew, with the same bits
        tight = self.folder / "tight"
        done = self.expect(0, ["the gradient begins anew with room for it"], "grad", scene, "--set",
                           f"gradient.memory.budget={peak - state // 2} B", "-o", tight)
        again = json.loads((tight / "result.json").read_text())
        print(peak, state, again["memory"]["peak_bytes"], file=sys.stderr)
        self.assertLessEqual(again["memory"]["peak_bytes"], peak - state // 2)
        self.assertEqual(again["parameters"]["loads.side.value"], report["parameters"]["loads.side.value"])
        self.assertIn(report["solver"]["changed"], done.stderr)
        for command in ("run", "grad"):
            self.expect(71, ["a direct solver needs", "gradient.memory.budget"], command, scene, "--set",
                               f"gradient.memory.budget={peak // 2} B", "-o", self.folder / "short")

    def test_the_doctor_names_the_direct_solvers(self):
        self.assertRegex(run("doctor").stdout, r"Direct solvers of finite elements\n  cpu +MUMPS \d")
        for engine in json.loads(run("doctor", "--json").stdout)["engines"]:
            if engine["runs"] and engine["name"].startswith("cpu"):
                self.assertIn("MUMPS", engine["direct_solver"])

    def test_without_the_library_direct_is_69_and_auto_says_so(self):
        alone = self.folder / "alone"
        alone.mkdir()
        for engine in pathlib.Path(PIOLA).parent.glob("piola_engine_cpu_f64_2d*.so"):
            (alone / engine.name).write_bytes(engine.read_bytes())
        os.environ["PIOLA_ENGINES"] = str(alone)
        try:
            self.expect(69, ["solver.linear is direct", "there is no ", "piola_direct_mumps.so"], "grad", self.beam,
                        "--dry-run")
            self.expect(0, ["conjugate gradients", "there is no "], "grad", self.beam, "--dry-run", "--set",
                        "solver.linear=auto")
        finally:
            del os.environ["PIOLA_ENGINES"]


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
