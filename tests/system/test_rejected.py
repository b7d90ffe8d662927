#!/usr/bin/env python3
"""test_rejected.py PIOLA -- optimisers survive trial points that cannot be computed: steps that leave the grid, break
CFL or turn elements over."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}
BALL = """version: 1
name: ball
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1]}]
observe: [{name: place, type: mean_position, body: ball}]
design: [{name: speed, target: bodies.ball.velocity, bounds: [-400, 400]}] # far beyond what a step of 1 ms bears
objective: [{type: target, of: place, value: [0.55, 0.51]}]
"""
MESH = """version: 1
name: mesh
method: {type: fem, dimension: 2}
materials: [{name: soft, model: linear, E: 1 kPa, nu: 0.2}]
geometry: [{name: block, type: box, element: quad4, elements: [4, 4], min: [0, 0], max: [1, 1]}]
bodies: [{name: one, geometry: block, material: soft}]
boundary: [{name: floor, body: one, on: {group: bottom}, type: fixed}]
loads: [{name: push, body: one, on: {group: top}, type: pressure, value: 10 Pa}]
observe: [{name: lid, type: displacement, body: one, on: {group: top}}]
design: [{name: shape, target: bodies.one.rest_position, per: node}] # nodes may pass each other
objective: [{type: target, of: lid.y, value: -0.05}]
"""
SCENES = {"ball": (BALL, "more than time.cfl_limit"), "mesh": (MESH, "has no positive volume at rest")}
TYPES = {"lbfgs": "lbfgs", "mma": "mma", "adam": "adam, learning_rate: {rate}",
         "gradient_descent": "gradient_descent, learning_rate: {rate}"}
RATE = {"ball": 120, "mesh": 10}


class Rejected(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def command(self, name, kind, out, *sets, iterations=6):
        scene = self.folder / f"{name}.yaml"
        scene.write_text(SCENES[name][0])
        sets = (f"optimizer={{type: {TYPES[kind].format(rate=RATE[name])}, max_iterations: {iterations}}}", *sets)
        return [PIOLA, "optimize", str(scene), "--threads", "1", "-o", str(out),
                *[x for s in sets for x in ("--set", s)]]

    def optimize(self, code, *arguments, resume=False, **others):
        done = subprocess.run(self.command(*arguments, **others) + ["--resume", "auto"] * resume,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_every_optimizer_goes_on_and_counts(self):
        for name, (_, words) in SCENES.items():
            for kind in TYPES:
                with self.subTest(f"{name} {kind}"):
                    out = self.folder / f"{name}-{kind}"
                    log = self.optimize(0, name, kind, out)
                    self.assertIn(words, log)
                    report = json.loads((out / "result.json").read_text())
                    optimizer, rejected = report["optimizer"], log.count("its trial point is rejected")
                    info = [PIOLA, "info", "--json", str(out / "history.vtkhdf")]
                    history = json.loads(subprocess.check_output(info))
                    counts = history["objective"]["terms"]
                    start = float(log.split("iteration    0: J = ")[1].split(",")[0])
                    print(f"{name} {kind}: {optimizer['rejected']} of {optimizer['evaluations']} evaluations rejected "
                          f"(threshold 1), J {start:g} -> {report['objective']:g}")
                    self.assertEqual(optimizer["rejected"], rejected)
                    self.assertGreater(rejected, 0)
                    self.assertGreater(counts["rejected"], 0)
                    self.assertLessEqual(counts["rejected"], rejected)
                    self.assertLessEqual(report["objective"], start * (1 + 1e-8))  # of which the log has nine digits
                    if kind != "adam":  # whose steps do not depend on J
                        self.assertLess(report["objective"], 0.5 * start)

    def test_a_body_that_leaves_the_grid_is_rejected(self):
        best = (1.7, 0.5)  # as near to the target as a body of radius 0.2 m comes that begins two cells within the grid
        far = ("design=[{name: start, target: bodies.ball.position}]",
               "objective=[{type: target, of: place, value: [2.4, 0.5]}]")
        for kind, rate in ("lbfgs", 0), ("mma", 0), ("adam", 3), ("gradient_descent", 5):
            with self.subTest(kind):
                out = self.folder / f"far-{kind}"
                optimizer = TYPES[kind].format(rate=rate)
                log = self.optimize(0, "ball", kind, out, *far, f"optimizer={{type: {optimizer}, max_iterations: 8}}")
                report = json.loads((out / "result.json").read_text())
                start = float(log.split("iteration    0: J = ")[1].split(",")[0])
                print(f"{kind}: {log.count('its initial position is outside the grid')} trial points outside the grid, "
                      f"J {report['objective']:g} (threshold {0.2 * start:g})")
                self.assertEqual(report["optimizer"]["rejected"], log.count("its trial point is rejected"))
                self.assertLess(report["objective"], 0.2 * start)
                self.assertLess(report["parameters"]["bodies.ball.position"]["value"][0], best[0])
                if kind != "mma":  # which begins with short steps
                    self.assertGreater(report["optimizer"]["rejected"], 0)

    def test_mma_keeps_its_constraint_beside_rejected_points(self):
        out = self.folder / "constrained"
        log = self.optimize(0, "ball", "mma", out, "objective=[{type: target, of: place.x, value: 0.55}]",
                            "constraints=[{of: place.y, max: 0.505}]", iterations=8)
        report = json.loads((out / "result.json").read_text())
        kept, = report["constraints"]
        print(f"mma: {report['optimizer']['rejected']} rejected (threshold 1), J {report['objective']:g} (threshold "
              f"1e-9), place.y {kept['value']:g} (at most 0.505)")
        self.assertIn("more than time.cfl_limit", log)
        self.assertGreater(report["optimizer"]["rejected"], 0)
        self.assertLess(report["objective"], 1e-9)
        self.assertLessEqual(kept["value"], 0.505)
        start = log.split("iteration    0: ")[1].split("\n")[0]
        self.assertIn("violation 0.0", start)  # control: it did not hold at the start

    def test_a_start_that_fails_is_76_and_nothing_is_rejected(self):
        out = self.folder / "start"
        log = self.optimize(76, "ball", "lbfgs", out, "design[0].initial=[300, 0]")
        self.assertIn("more than time.cfl_limit", log)
        self.assertNotIn("rejected", log)
        self.assertEqual(json.loads((out / "result.json").read_text())["exit"], 76)

    def test_steps_of_a_rate_do_not_depend_on_bounds(self):
        for kind in "adam", "gradient_descent":
            values = []
            for bounds in "[-400, 400]", "[-3, 397]", "[-.inf, .inf]":
                out = self.folder / (kind + bounds)
                limits = [] if ".inf" in bounds else [f"design[0].bounds={bounds}"]
                scene = [] if limits else ["design=[{name: speed, target: bodies.ball.velocity}]"]
                kept = f"optimizer={{type: {kind}, learning_rate: 0.05, max_iterations: 3}}"
                self.optimize(0, "ball", kind, out, *scene, *limits, kept)
                parameters = json.loads((out / "result.json").read_text())["parameters"]
                values.append(parameters["bodies.ball.velocity"]["value"])
            apart = max(abs(a - b) for other in values[1:] for a, b in zip(values[0], other))
            print(f"{kind}: {values[0]} m/s with bounds and without, {apart:.1e} apart (threshold 1e-9)")
            self.assertLess(apart, 1e-9)
            self.assertGreater(abs(values[0][0] - 1), 0.01)

    def test_a_killed_run_with_rejected_points_continues_to_the_same_bits(self):
        killed_in_time = 0
        for name in SCENES:
            for kind in TYPES:
                with self.subTest(f"{name} {kind}"):
                    whole, killed = self.folder / f"{name}{kind}", self.folder / f"{name}{kind}-killed"
                    self.optimize(0, name, kind, whole)
                    with subprocess.Popen(self.command(name, kind, killed), stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
                        for line in process.stderr:
                            if line.startswith("iteration    1:"):
                                process.kill()
                        code = process.wait(timeout=60)
                    self.assertIn(code, (0, -signal.SIGKILL))  # 0: it was faster; then all of it is replayed
                    killed_in_time += code != 0
                    self.optimize(0, name, kind, killed, resume=True)
                    first, second = (json.loads((f / "result.json").read_text()) for f in (whole, killed))
                    self.assertGreater(first["optimizer"]["rejected"], 0)
                    self.assertGreater(second["optimizer"]["replayed"], 0)
                    for key in "objective", "terms", "observations", "parameters", "message":
                        self.assertEqual(repr(first[key]), repr(second[key]), key)
                    for key in "iterations", "evaluations", "rejected", "converged", "projected_gradient":
                        self.assertEqual(repr(first["optimizer"][key]), repr(second["optimizer"][key]), key)
                    print(f"{name} {kind}: {second['optimizer']['replayed']} of {first['optimizer']['evaluations']} "
                          f"evaluations replayed, {first['optimizer']['rejected']} rejected: the same bits")
        self.assertGreater(killed_in_time, 0)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
