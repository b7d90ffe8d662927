#!/usr/bin/env python3
"""test_final_states.py PIOLA -- the states that `piola optimize` leaves are those of `piola run` with the final design,
to the bit.

Every frame and every field of them, whether optimize ran through, was killed after its first iterations and resumed, or
was resumed when nothing was left to do. What a simulation still holds of the evaluation before must be in none of them.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
WHERE = ("--device", "cpu", "--threads", "1")
DEADLINE = 300  # s, for one command

MESH = """version: 1
name: mesh
method: {type: fem, dimension: 2}
time: {%(time)s}
gravity: [0, -9.81]
materials: [{name: m, model: neo_hookean, E: 200 kPa, nu: 0.3, density: 1000%(damping)s}]
geometry: [{name: g, type: box, element: quad4, elements: [6, 2], min: [0, 0], max: [0.6, 0.2]}]
bodies: [{name: b, geometry: g, material: m, thickness: 0.2%(start)s}]
boundary: [{name: root, body: b, on: {group: left}, type: fixed}]
loads:
  - {name: push, body: b, on: {group: right}, type: force, value: [20 N, -30 N]}
  - {name: bed, body: b, on: {group: bottom}, type: foundation, value: 20 kN/m3}
observe:
  - {name: end, type: displacement, body: b, on: {group: right}}
  - {name: hold, type: %(second)s}
design:
  - {name: stiffness, target: materials.m.E, bounds: [100 kPa, 400 kPa], transform: log}
  - {name: depth, target: bodies.b.thickness, bounds: [0.1, 0.4]}
objective:
  - {type: target, of: end.y, value: -0.01, weight: 1000}
  - {type: minimize, of: hold%(component)s, weight: 1e-6}
optimizer: {type: adam, learning_rate: 0.1, max_iterations: 4}
output: {states: {every: %(every)s}}
"""
STILL = {"time": "load_steps: 2", "damping": "", "start": "", "second": "reaction, boundary: root", "component": ".x",
         "every": "0.5 s"}
MOVES = {"damping": ", mass_damping: 2, stiffness_damping: 0.1 ms",
         "start": ", displacement: [1 mm, 0], velocity: [0.2, 0.1]",
         "second": "kinetic_energy, body: b", "component": "", "every": "10 ms"}
MESHES = {"static": STILL,
          **{integrator: {**MOVES, "time": f"integrator: {integrator}, duration: 30 ms, dt: "
                                           f"{'0.5 ms' if 'leapfrog' in integrator else '5 ms'}"}
             for integrator in ("newmark", "bdf2", "backward_euler", "leapfrog")}}
MESH_SETS = {"materials.m.E": "materials[0].E", "bodies.b.thickness": "bodies[0].thickness"}

PARTICLES = """version: 1
name: particles
method:
  {type: mpm, dimension: 2, precision: %(precision)s%(flip)s,
   grid: {spacing: 5 cm, min: [0, 0], max: [1, 0.6], walls: %(walls)s}}
time: {dt: 0.5 ms, duration: 30 ms}
gravity: [0, -9.81]
materials:
  - {name: a, model: hencky, E: 40 kPa, nu: 0.3, density: 1000,
     plasticity: {type: von_mises, yield_stress: 500 Pa, hardening_modulus: 2 kPa}}
  - {name: b, model: neo_hookean, E: 20 kPa, nu: 0.3, density: 900, viscosity: 5 Pa.s}
  - {name: c, model: tait, bulk: 30 kPa, viscosity: 1 Pa.s, density: 1000}
geometry: [{name: block, type: box, min: [0.07, 0.06], max: [0.19, 0.16]}]
bodies:
  - {name: a, geometry: block, material: a, velocity: [0.3, -2], angular_velocity: 6}
  - {name: b, geometry: block, material: b, position: [0.3, 0], velocity: [0.5, -2], angular_velocity: -4}
  - {name: c, geometry: block, material: c, position: [0.6, 0], velocity: [-0.5, -1]}
obstacles: [{name: bump, type: ball, position: [0.4, 0], radius: 0.08, friction: 0.3}]
actuators: [{name: fibre, body: b, fibre: [1, 0]}]
control: [{name: beat, type: sine, actuators: fibre, amplitude: 2 kPa, frequency: 20 Hz}]
observe:
  - {name: a, type: mean_position, body: a}
  - {name: b, type: mean_position, body: b}
design:
  - {name: stiffness, target: [materials.a.E, materials.b.E], bounds: [10 kPa, 80 kPa], transform: log}
  - {name: limit, target: materials.a.yield_stress, bounds: [200 Pa, 1 kPa]}
objective:
  - {type: maximize, of: a.x}
  - {type: maximize, of: b.y}
optimizer: {type: adam, learning_rate: 0.05, max_iterations: 4}
gradient: {memory: {strategy: %(strategy)s%(budget)s}}
output: {states: {every: 5 ms, fields: [velocity, J, F, C, mass, pressure, hardening, e33]}}
"""
PLAIN = {"precision": "f64", "walls": "separate", "flip": "", "strategy": "store", "budget": ""}
KINDS = {"apic": PLAIN, "flip_f32": {**PLAIN, "precision": "f32", "flip": ", flip: 0.5"},
         "checkpoints": {**PLAIN, "walls": "sticky", "strategy": "checkpoint", "budget": ", budget: 600 kB"}}
PARTICLE_SETS = {"materials.a.E": "materials[0].E", "materials.b.E": "materials[1].E",
                 "materials.a.yield_stress": "materials[0].plasticity.yield_stress"}


def datasets(path):
    """Every array of frames and fields, by name."""
    found = {}
    with h5py.File(path) as file:
        for group in "PointData", "CellData", "Steps":
            file["VTKHDF"][group].visititems(
                lambda name, node, group=group:
                found.update({f"{group}/{name}": np.array(node)}) if isinstance(node, h5py.Dataset) else None)
        found["Points"] = np.array(file["VTKHDF/Points"])
    return found


class FinalStates(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def piola(self, command, scene, out, *more, codes=(0,)):
        done = subprocess.run([PIOLA, command, str(scene), *WHERE, "-q", "-o", str(self.root / out), *more],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE)
        self.assertIn(done.returncode, codes, done.stdout)
        return json.loads((self.root / out / "result.json").read_text())

    def killed(self, scene, out):
        """An optimize that is killed when it has reported an iteration."""
        with subprocess.Popen([PIOLA, "optimize", str(scene), *WHERE, "-o", str(self.root / out)],
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            reported = any("iteration" in line and "2:" in line for line in process.stderr)
            process.send_signal(signal.SIGKILL)
            process.stderr.read()
        self.assertTrue(reported)

    def same(self, what, of, other, whole):
        one, two = datasets(self.root / of / "states.vtkhdf"), datasets(self.root / other / "states.vtkhdf")
        names = one.keys() | two.keys() if whole else two.keys()
        different = [name for name in sorted(names) if name not in one or name not in two
                     or one[name].tobytes() != two[name].tobytes()]
        print(f"{what}: {len(names)} arrays, {len(different)} differ", *different)
        self.assertEqual(different, [], what)
        self.assertGreater(len(names), 5)
        return names

    def compare(self, name, text, sets):
        scene = self.root / f"{name}.yaml"
        scene.write_text(text)
        codes = (0, 1)  # a few steps of Adam need not converge
        done = self.piola("optimize", scene, f"{name}-through", codes=codes)
        self.assertGreater(done["optimizer"]["evaluations"], 2)
        values = [word for path, key in sets.items()
                  for word in ("--set", f"{key}={done['parameters'][path]['value']!r}")]
        changed = [path for path in sets if done["parameters"][path]["value"] != done["parameters"][path]["initial"]]
        self.assertEqual(changed, list(sets), "the optimiser moves every parameter")
        self.piola("run", scene, f"{name}-run", *values)
        names = self.same(f"{name}: through, and run with the final design", f"{name}-through", f"{name}-run", False)
        self.piola("optimize", scene, f"{name}-through", "--resume", "auto", codes=codes)
        self.same(f"{name}: resumed when all was done, and run with the final design", f"{name}-through",
                  f"{name}-run", False)
        self.killed(scene, f"{name}-killed")
        self.piola("optimize", scene, f"{name}-killed", "--resume", "auto", codes=codes)
        self.same(f"{name}: resumed after a kill, and resumed when all was done, with gradients", f"{name}-killed",
                  f"{name}-through", True)
        self.piola("grad", scene, f"{name}-grad", *values)
        self.same(f"{name}: grad with the final design, and optimize", f"{name}-grad", f"{name}-run", False)
        return names

    def test_meshes(self):
        for name, text in MESHES.items():
            names = self.compare(name, MESH % text, MESH_SETS)
            self.assertIn("PointData/internal_force", names)

    def test_particles(self):
        for name, text in KINDS.items():
            names = self.compare(name, PARTICLES % text, PARTICLE_SETS)
            wanted = ("velocity", "J", "F", "C", "mass", "pressure", "hardening", "e33")
            self.assertLessEqual({f"PointData/{field}" for field in wanted}, names)

    def test_the_force_of_a_frame_is_that_of_its_displacement(self):
        """The leapfrog's last frame and its first: by the force of a run that begins with that displacement at rest."""
        scene = self.root / "scene.yaml"
        scene.write_text(MESH % {**MESHES["leapfrog"], "start": ", displacement: [1 mm, 0]"})
        self.piola("run", scene, "explicit")
        scene.write_text(MESH % {**MESHES["newmark"], "start": ", displacement: [1 mm, 0]"})
        self.piola("run", scene, "implicit")
        explicit, implicit = (datasets(self.root / name / "states.vtkhdf") for name in ("explicit", "implicit"))
        n = len(explicit["Points"])
        first = [fields["PointData/internal_force"].reshape(-1, n, 3)[0] for fields in (explicit, implicit)]
        print(f"force at the start: up to {np.abs(first[0]).max():.6g} N, and by another integrator "
              f"{np.abs(first[1]).max():.6g} N")
        self.assertGreater(np.abs(first[0]).max(), 1)
        self.assertTrue(np.array_equal(*first))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
