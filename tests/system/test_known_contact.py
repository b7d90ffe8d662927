#!/usr/bin/env python3
"""test_known_contact.py PIOLA -- contact of meshes whose answer is known: two discs that collide, a ball between two
plates, a chain of links."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

sys.dont_write_bytecode = True
import hard_scenes

PIOLA = ""
DEADLINE = 300  # s, for one command


def disc(n, radius, centre):
    """A disc in the plane of n by n quadrilaterals."""
    def place(s):
        p = 2 * np.array(s) - 1
        outer = np.abs(p).max()
        length = max(np.hypot(*p), 1e-12)
        return np.array(centre) + radius * p * ((1 - outer ** 2) * 0.8 + outer ** 2 * outer / length)
    return hard_scenes.grid((n, n), place)


def graded(s):
    return 0.25 * s + 0.75 * s ** 3


def half_section(n, radius):
    """Half of a ball's section, from its axis x = 0, fine at both poles."""
    def place(s):
        v = 2 * s[1] - 1
        p = np.array([graded(s[0]), math.copysign(1 - graded(1 - abs(v)), v)])
        outer = np.abs(p).max()
        length = max(np.hypot(*p), 1e-12)
        return radius * p * ((1 - outer ** 2) * 0.8 + outer ** 2 * outer / length)
    return hard_scenes.grid((n, 2 * n), place)


def linking(a, b):
    """Gauss' integral of two closed curves [n, 3], which is a whole number: how often one goes through the other."""
    fine = [np.concatenate([x + (np.roll(x, -1, axis=0) - x) * k / 20 for k in range(20)]) for x in (a, b)]
    order = [np.argsort(np.tile(np.arange(len(x)), 20) * 20 + np.repeat(np.arange(20), len(x))) for x in (a, b)]
    fine = [x[o] for x, o in zip(fine, order)]
    step = [np.roll(x, -1, axis=0) - x for x in fine]
    mid = [x + d / 2 for x, d in zip(fine, step)]
    r = mid[0][:, None] - mid[1][None]
    cross = np.cross(step[0][:, None], step[1][None])
    total = (r * cross).sum(axis=2) / np.linalg.norm(r, axis=2) ** 3
    return total.sum() / (4 * math.pi)


class KnownContact(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)

    def piola(self, command, name, text, *more):
        scene = self.root / (name + ".yaml")
        scene.write_text(text, encoding="utf-8")
        out = self.root / (name + "_" + command)
        done = subprocess.run([PIOLA, command, str(scene), "--device", "cpu", "--threads", "1", "-q", "-o", str(out),
                               *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads((out / "result.json").read_text(encoding="utf-8")), out

    def below(self, what, value, limit):
        print(f"  {what}: {value:.6g} (limit {limit:.6g})", flush=True)
        self.assertLessEqual(value, limit, what)

    @staticmethod
    def momenta(out):
        """Mean velocities of the left and the right disc in the first frame and the last, and the mass of one, kg/m."""
        with h5py.File(out / "states.vtkhdf") as file:
            group = file["VTKHDF"]
            n = int(group["NumberOfPoints"][0])
            v = group["PointData/velocity"][:].reshape(-1, n, 3)[[0, -1]]
            cells = group["Connectivity"][:].reshape(-1, 4)[:int(group["NumberOfCells"][0])]
            x = group["Points"][:n][cells]
        a, b = x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]
        area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
        left = x.mean(axis=1)[:, 0] < 0
        means = [[np.average(frame[cells].mean(axis=1)[which], axis=0, weights=area[which]) for which in (left, ~left)]
                 for frame in v]
        return means[0], means[1], 1000 * area[left].sum()

    def test_discs_that_collide_exchange_their_velocities(self):
        radius, gap, speed, duration = 0.05, 0.002, 0.1, 0.2
        hard_scenes.write_mesh(self.root / "one.msh", disc(10, radius, (-radius - gap / 2, 0)), 2)
        hard_scenes.write_mesh(self.root / "two.msh", disc(10, radius, (radius + gap / 2, 0)), 2)
        text = f"""version: 1
name: discs
method: {{type: fem, dimension: 2, precision: f64}}
time: {{integrator: leapfrog, dt: 40 us, duration: {duration} s}}
geometry: [{{name: one, type: mesh, file: one.msh}}, {{name: two, type: mesh, file: two.msh}}]
materials: [{{name: soft, model: neo_hookean, E: 1 MPa, nu: 0.3, density: 1000}}]
bodies:
  - {{name: one, geometry: one, material: soft, velocity: [{speed}, 0]}}
  - {{name: two, geometry: two, material: soft, velocity: [{-speed}, 0]}}
contact: {{distance: 1 mm, stiffness: 5 kPa}}
observe:
  - {{name: first, type: displacement, body: one}}
  - {{name: push, type: contact_force, body: one, other: two, every: 1 ms}}
  - {{name: back, type: contact_force, body: two, other: one, every: 1 ms}}
  - {{name: kinetic_one, type: kinetic_energy, body: one}}
  - {{name: kinetic_two, type: kinetic_energy, body: two}}
  - {{name: strain_one, type: strain_energy, body: one}}
  - {{name: strain_two, type: strain_energy, body: two}}
design:
  - {{name: x1, target: bodies.one.rest_position.x}}
  - {{name: x2, target: bodies.two.rest_position.x}}
  - {{name: v1, target: bodies.one.velocity.x}}
  - {{name: v2, target: bodies.two.velocity.x}}
objective: [{{type: minimize, of: first.x}}]
output: {{states: {{every: {duration / 4} s}}}}
"""
        result, out = self.piola("grad", "discs", text)
        seen = {name: np.array(one["value"]) for name, one in result["observations"].items()}
        before, after, mass = self.momenta(out)
        restitution = (after[1][0] - after[0][0]) / (before[0][0] - before[1][0])
        start = mass * speed ** 2
        energy = sum(seen[name][-1].sum() for name in seen if name.startswith(("kinetic", "strain")))
        print(f"  restitution {restitution:.5f}, energy {energy / start:.5f} of that at the start")
        self.below("forces of both on each other, of the largest",
                   np.abs(seen["push"] + seen["back"]).max() / np.abs(seen["push"]).max(), 1e-13)
        self.below("1 less the restitution", 1 - restitution, 0.005)
        self.below("the change of energy", abs(energy / start - 1), 0.001)
        got = {name: one["gradient"] for name, one in result["parameters"].items()}
        got = [got[f"bodies.{body}.{key}.x"] for key in ("rest_position", "velocity") for body in ("one", "two")]
        got[0] += 1  # of the place, which is that at rest and the displacement
        print("  d(final place)/d(x1, x2, v1, v2) =", [round(g, 4) for g in got], "ideal (0, 1, 0,", duration, ")")
        sizes = (1, 1, duration, duration)
        for what, value, ideal, scale in zip(("x1", "x2", "v1", "v2"), got, (0, 1, 0, duration), sizes):
            self.below(f"derivative by {what} less the ideal one, of 1 or T", abs(value - ideal) / scale, 0.05)

    def test_a_ball_between_two_plates_is_pressed_as_hertz_says(self):
        radius, distance, gap = 0.05, 1e-5, 1.1e-5
        width, thick = 0.4 * radius, 0.25 * radius
        hard_scenes.write_mesh(self.root / "ball.msh", half_section(28, radius), 2)
        for name, low in (("under", -radius - gap - thick), ("over", radius + gap)):
            mesh = hard_scenes.grid((28, 6), lambda s, low=low: [width * graded(s[0]), low + thick * s[1]])
            hard_scenes.write_mesh(self.root / f"{name}.msh", mesh, 2)
        deep, stiff, E = 0.005 * radius, 200.0, 1e6
        fixed = [("axis", "ball", [0, -0.051], [0, 0.051], "fixed, axes: x"),
                 ("axis_under", "under", [0, -0.08], [0, -0.05], "fixed, axes: x"),
                 ("axis_over", "over", [0, 0.05], [0, 0.08], "fixed, axes: x"),
                 ("middle", "ball", [-1e-6, -1e-6], [1e-6, 1e-6], "fixed, axes: y")]
        ends = [("foot", "under", -radius - gap - thick, deep), ("head", "over", radius + gap + thick, -deep)]
        lines = [f"  - {{name: {n}, body: {b}, on: {{min: {lo}, max: {hi}}}, type: {what}}}"
                 for n, b, lo, hi, what in fixed]
        lines += [f"  - {{name: {n}, body: {b}, on: {{min: [0, {y - 1e-6:.9g}], max: [1, {y + 1e-6:.9g}]}}, "
                  f"type: displacement, axes: y, value: {way:.9g}}}" for n, b, y, way in ends]
        text = f"""version: 1
name: ball
method: {{type: fem, dimension: 2, plane: axisymmetric, precision: f64}}
time: {{load_steps: 10, duration: 10 s}}
geometry: [{", ".join(f"{{name: {n}, type: mesh, file: {n}.msh}}" for n in ("ball", "under", "over"))}]
materials:
  - {{name: soft, model: neo_hookean, E: {E}, nu: 0.3}}
  - {{name: hard, model: neo_hookean, E: {stiff * E}, nu: 0.3}}
bodies:
  - {{name: ball, geometry: ball, material: soft}}
  - {{name: under, geometry: under, material: hard}}
  - {{name: over, geometry: over, material: hard}}
contact: {{distance: {distance} m, stiffness: {0.05 * E}, between: bodies}}
boundary:
""" + "\n".join(lines) + """
observe:
  - {name: from_under, type: contact_force, body: ball, other: under, every: 1 s}
  - {name: from_over, type: contact_force, body: ball, other: over, every: 1 s}
  - {name: gap, type: gap, body: ball, other: over, every: 1 s}
  - {name: held, type: reaction, boundary: middle, every: 1 s}
  - {name: foot, type: reaction, boundary: foot, every: 1 s}
"""
        result, _ = self.piola("run", "ball", text)
        seen = {name: np.array(one["value"]) for name, one in result["observations"].items()}
        under, over = seen["from_under"][:, 1], seen["from_over"][:, 1]
        depth = deep * np.arange(1, 11) / 10 - gap + seen["gap"][:, 0]
        module = E / (1 - 0.3 ** 2) / (1 + 1 / stiff)
        hertz = 4 / 3 * module * math.sqrt(radius) * depth ** 1.5
        exponent = np.polyfit(np.log(depth[4:]), np.log(under[4:]), 1)[0]
        for k in (4, 9):
            print(f"  depth {depth[k]:.4g} m: {under[k]:.5g} N from below, {over[k]:.5g} N from above, "
                  f"Hertz {hertz[k]:.5g} N")
        self.below("both plates' forces together, of one", np.abs(under + over).max() / under.max(), 1e-8)
        self.below("what the middle is held with, of one plate's force", np.abs(seen["held"]).max() / under.max(), 1e-8)
        foot = seen["foot"][:, 1]
        self.below("the foot's reaction less the force, of it", np.abs(foot - under).max() / under.max(), 1e-8)
        self.below("exponent of the depth less 1.5", abs(exponent - 1.5), 0.05)
        self.below("force less Hertz', of it", np.abs(under / hertz - 1)[4:].max(), 0.05)

    def test_a_chain_hangs_by_its_weight_and_stays_linked(self):
        radius, wire, links = 0.03, 0.006, 3
        pitch = 2 * radius - 2 * math.sqrt(2) * wire - 0.002
        for k in range(links):
            side = (1, 0, 0) if k % 2 else (0, 1, 0)
            mesh = hard_scenes.tube(hard_scenes.circle((0, 0, -k * pitch), radius, (0, 0, 1), side), 16, wire)
            hard_scenes.write_mesh(self.root / f"link{k}.msh", mesh, 3)
        top = radius - 0.5 * wire
        hangs = [f"  - {{name: on{k}, type: contact_force, body: link{k}, other: link{k - 1}, every: 0.1 s}}"
                 for k in range(1, links)]
        text = f"""version: 1
name: chain
method: {{type: fem, dimension: 3, precision: f64}}
time: {{integrator: backward_euler, dt: 20 ms, duration: 2 s}}
gravity: [0, 0, -9.81]
geometry: [{", ".join(f"{{name: link{k}, type: mesh, file: link{k}.msh}}" for k in range(links))}]
materials: [{{name: rubber, model: neo_hookean, E: 2 MPa, nu: 0.4, density: 1000, mass_damping: 20}}]
bodies: [{", ".join(f"{{name: link{k}, geometry: link{k}, material: rubber}}" for k in range(links))}]
contact: {{distance: 1 mm}}
boundary: [{{name: hook, body: link0, on: {{min: [-1, -1, {top}], max: [1, 1, 1]}}, type: fixed}}]
observe:
  - {{name: hook, type: reaction, boundary: hook, every: 0.1 s}}
{chr(10).join(f"  - {{name: mass{k}, type: mass, body: link{k}}}" for k in range(links))}
{chr(10).join(hangs)}
output: {{states: {{every: 0.2 s}}}}
"""
        result, out = self.piola("run", "chain", text)
        seen = {name: np.array(one["value"]) for name, one in result["observations"].items()}
        weight = [9.81 * seen[f"mass{k}"].item() for k in range(links)]
        with h5py.File(out / "states.vtkhdf") as file:
            group = file["VTKHDF"]
            n = int(group["NumberOfPoints"][0])
            x = group["Points"][:n] + group["PointData/displacement"][:].reshape(-1, n, 3)
        curves = x.reshape(len(x), links, 16, 4, 3).mean(axis=3)
        worst = max(abs(abs(linking(frame[k], frame[k + 1])) - 1) for frame in curves for k in range(links - 1))
        apart = max(abs(linking(frame[0], frame[2])) for frame in curves)
        print(f"  the hook holds {seen['hook'][-1]} N of {sum(weight):.6g} N")
        self.below("linking numbers less 1", worst, 0.02)
        self.below("linking number of the first and the third", apart, 0.02)
        self.below("the hook's force less the weight, of it", abs(seen["hook"][-1][2] / sum(weight) - 1), 1e-6)
        for k in range(1, links):
            self.below(f"what link {k} hangs by less the weight below, of it",
                       abs(seen[f"on{k}"][-1][2] / sum(weight[k:]) - 1), 1e-6)


if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=1)
