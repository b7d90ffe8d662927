#!/usr/bin/env python3
"""test_gradient_fields.py PIOLA -- every field grad_* that `piola grad` writes is the derivative of what the scene
says.

Nothing here goes through designs: the number in the scene, the nodes in its mesh file or the points in its file are
changed, and the differences of the objective of `piola run` are held against the field. A field that nothing is held
against is a fault.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PIOLA = ""
WHERE = ("--device", "cpu", "--threads", "1", "--precision", "f64")
DEADLINE = 300  # s, for one command
TOLERANCE = 1e-7  # of a derivative, of the sum of the sizes of its terms
STEP = 3e-5  # of differences, of a constant's size or an element's


class Case:
    """A scene that is written anew for each change: text with the keys of `numbers` in %(...)s, and tables that it
    refers to."""

    def __init__(self, test, name, text, numbers, tables=None, tolerance=TOLERANCE):
        self.test, self.name, self.text, self.numbers, self.tolerance = test, name, text, numbers, tolerance
        self.tables = tables or {}  # file name: (array of places, function to text)
        self.folder = test.root / name
        self.folder.mkdir()
        self.compared = set()
        self.evaluate({}, {}, "grad")
        with h5py.File(self.folder / "out" / "states.vtkhdf") as file:
            self.fields = {key: np.array(group[key]) for group in (file["VTKHDF/PointData"], file["VTKHDF/CellData"])
                           for key in group if key.startswith("grad_") or key in ("body", "material")}

    def evaluate(self, numbers, places, command="run"):
        for name, (array, text) in self.tables.items():
            (self.folder / name).write_text(text(places.get(name, array)))
        given = {key: repr(float(value)) if isinstance(value, (int, float)) else value
                 for key, value in {**self.numbers, **numbers}.items()}
        (self.folder / "scene.yaml").write_text(self.text % given)
        done = subprocess.run([PIOLA, command, str(self.folder / "scene.yaml"), *WHERE, "-q",
                               "-o", str(self.folder / "out")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE)
        self.test.assertEqual(done.returncode, 0, f"{self.name}: {done.stdout}")
        return json.loads((self.folder / "out" / "result.json").read_text())["objective"]

    def slope(self, at, h):
        """Central differences."""
        return (at(h) - at(-h)) / (2 * h)

    def compare(self, what, field, terms, truth):
        """Is the sum of the terms, of the field, the truth? Would the same field with another size be seen?"""
        self.compared.add(field)
        value, size = terms.sum(), np.abs(terms).sum()
        off = abs(value - truth) / size if size > 0 else abs(truth)
        print(f"{self.name}: {what}: field {value:.9g}, differences {truth:.9g}, apart {off:.1e} of {size:.3g} "
              f"(threshold {self.tolerance})")
        self.test.assertTrue(math.isfinite(off) and size > 0, what)
        self.test.assertLessEqual(off, self.tolerance, f"{self.name}: {what}")

    def number(self, key, field, chosen=None, h=None):
        """A number of the scene that all of `chosen` (an array of bools; None: all) have, or all by these factors."""
        start = self.numbers[key]
        terms = self.fields[field] if chosen is None else self.fields[field][chosen]
        truth = self.slope(lambda step: self.evaluate({key: start + step}, {}), h or STEP * abs(start))
        self.compare(key, field, terms, truth)

    def vector(self, key, field, h, dimension):
        """A vector of the scene, for every node or point of the body alike."""
        start = self.numbers[key]
        for axis in range(dimension):
            def at(step, axis=axis):
                moved = [float(x) + (step if a == axis else 0) for a, x in enumerate(start.strip("[]").split(","))]
                return self.evaluate({key: str(moved)}, {})
            self.compare(f"{key}.{'xyz'[axis]}", field, self.fields[field][:, axis], self.slope(at, h))

    def places(self, file, field, h, dimension, single=()):
        """Places in a file: some alone, and all in a direction at random."""
        array = self.tables[file][0]
        ways = []
        for node, axis in single:
            way = np.zeros_like(array)
            way[node, axis] = 1
            ways.append((f"{file}, {node}.{'xyz'[axis]}", way))
        way = np.zeros_like(array)
        way[:, :dimension] = np.random.default_rng(7).uniform(-1, 1, (len(array), dimension))
        ways.append((f"{file}, all at random", way))
        for what, way in ways:
            terms = (self.fields[field][:, :dimension] * way[:, :dimension]).ravel()
            self.compare(what, field, terms, self.slope(lambda step: self.evaluate({}, {file: array + step * way}), h))

    def finish(self):
        written = {key for key in self.fields if key.startswith("grad_")}
        self.test.assertEqual(written - self.compared, set(), f"{self.name}: fields that nothing was held against")


# ---- meshes ----------------------------------------------------------------------------------------------------------


def gmsh(groups, elements):
    """Text of a Gmsh 2.2 file by its nodes; groups: (dimension, name); elements: (type, group, nodes), all numbered
    from 0."""
    def text(nodes):
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
        lines += [f'{dimension} {i + 1} "{name}"' for i, (dimension, name) in enumerate(groups)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(nodes))]
        lines += [f"{i + 1} " + " ".join(repr(float(c)) for c in x) for i, x in enumerate(nodes)]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        lines += [f"{i + 1} {kind} 2 {group + 1} {group + 1} " + " ".join(str(n + 1) for n in nodes)
                  for i, (kind, group, nodes) in enumerate(elements)]
        return "\n".join([*lines, "$EndElements", ""])
    return text


LINE, TRI, QUAD, TET, HEX = 1, 2, 3, 4, 5


def sheet():
    """4 x 2 cells, quadrilaterals on the left and triangles on the right, of 1 m by 0.5 m, all nodes a little off."""
    at = lambda i, j: 5 * j + i
    rng = np.random.default_rng(3)
    nodes = np.array([[i / 4, j / 4, 0] for j in range(3) for i in range(5)])
    nodes[:, :2] += rng.uniform(-0.02, 0.02, (15, 2))
    groups = [(1, "left"), (1, "right"), (1, "top"), (1, "bottom"), (2, "near"), (2, "far")]
    elements = [(LINE, 0, (at(0, j), at(0, j + 1))) for j in range(2)]
    elements += [(LINE, 1, (at(4, j), at(4, j + 1))) for j in range(2)]
    elements += [(LINE, 2, (at(i, 2), at(i + 1, 2))) for i in range(4)]
    elements += [(LINE, 3, (at(i, 0), at(i + 1, 0))) for i in range(4)]
    for j in range(2):
        for i in range(4):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            elements += [(QUAD, 4, (a, b, c, d))] if i < 2 else [(TRI, 5, (a, b, c)), (TRI, 5, (a, c, d))]
    return nodes, gmsh(groups, elements)


def blocks():
    """A block of two hexahedra and one of five tetrahedra apart from it: the ends of both are one group of
    quadrilaterals and triangles."""
    rng = np.random.default_rng(5)
    nodes = [[x, y, z] for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)]
    nodes += [[x, y + 3, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    nodes = np.array(nodes, dtype=float) + rng.uniform(-0.08, 0.08, (20, 3))
    groups = [(2, "held"), (2, "pulled"), (3, "all")]
    corner = lambda first, a, b, c: first + 4 * a + 2 * b + c
    cube = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
    brick = lambda first: tuple(corner(first, *p) for p in cube)
    a = brick(12)
    elements = [(QUAD, 0, (0, 1, 3, 2)), (QUAD, 1, (8, 9, 11, 10)), (HEX, 2, brick(0)), (HEX, 2, brick(4))]
    elements += [(TET, 2, tuple(a[i] for i in t))
                 for t in ((0, 1, 3, 4), (1, 2, 3, 6), (1, 6, 4, 5), (3, 4, 6, 7), (1, 3, 4, 6))]
    elements += [(TRI, 0, (a[0], a[3], a[4])), (TRI, 0, (a[3], a[7], a[4])), (TRI, 1, (a[1], a[6], a[2])),
                 (TRI, 1, (a[1], a[5], a[6]))]
    return nodes, gmsh(groups, elements)


FEM_LOADS = """version: 1
name: loads
method: {type: fem, dimension: 2}
%(time)s
gravity: [0.5, -9.81]
materials:
  - {name: near, model: neo_hookean, E: %(E)s, nu: %(nu)s, density: %(density)s%(damping)s}
  - {name: far, model: mooney_rivlin, c10: %(c10)s, c01: %(c01)s, bulk: %(bulk)s, density: %(density_far)s%(damping)s}
geometry: [{name: sheet, type: mesh, file: sheet.msh}]
bodies:
  - name: sheet
    geometry: sheet
    material: near
    thickness: %(thickness)s
    regions: [{on: {group: far}, material: far}]
    %(start)s
boundary:
  - {name: grip, body: sheet, on: {group: left}, type: displacement, value: [1 mm, -2 mm]}
loads:
  - {name: shear, body: sheet, on: {group: right}, type: force, value: [300 N, 900 N]%(curve)s}
  - {name: pull, body: sheet, on: {group: top}, type: force, value: [200 N, -100 N]}
  - {name: wind, body: sheet, on: {group: top}, type: traction, value: [500 Pa, 200 Pa]}
  - {name: press, body: sheet, on: {group: right}, type: pressure, value: 300 Pa}
  - {name: follow, body: sheet, on: {group: bottom}, type: %(follower)s, value: 400 Pa}
  - {name: heave, body: sheet, on: {group: far}, type: body_force, value: [200 N/m3, 1 kN/m3]}
  - {name: bed, body: sheet, on: {group: bottom}, type: foundation, value: 3 kN/m3}
  - {name: ties, body: sheet, on: {group: top}, type: springs, value: [200 N/m, 100 N/m]}
  - {name: poke, body: sheet, on: {group: right}, type: point_force, value: [20 N, 40 N]}
curves: [{name: late, time: [0, 1], value: [0.5, 1.5]}]
observe:
  - {name: edge, type: displacement, body: sheet, on: {group: right}}
  - {name: far, type: displacement, body: sheet, on: {group: bottom}}
%(observe)s
objective:
  - {type: maximize, of: edge.y, weight: 30}
  - {type: maximize, of: far.x, weight: 30}
%(objective)s
gradient: {}
output: {states: {every: %(every)s}}
"""
FEM_NUMBERS = {"E": 40e3, "nu": 0.3, "density": 11.0, "c10": 4e3, "c01": 2e3, "bulk": 30e3, "density_far": 7.0,
               "thickness": 0.3, "damping": "", "start": "displacement: [0, 0]", "curve": ", curve: late",
               "follower": "follower_pressure", "every": "1 s"}
STATIC = "time: {load_steps: 2}\nsolver: {tolerance: 1e-13, adjoint_tolerance: 1e-12}"
STATIC_OBSERVED = """  - {name: hold, type: reaction, boundary: grip}
  - {name: work, type: compliance}
  - {name: content, type: volume, body: sheet}
  - {name: mass, type: mass, body: sheet}
  - {name: energy, type: strain_energy, body: sheet}
  - {name: stress, type: von_mises, body: sheet, measure: pnorm}"""
STATIC_OBJECTIVE = """  - {type: minimize, of: hold.x, weight: 1e-3}
  - {type: minimize, of: work, weight: 1e-2}
  - {type: minimize, of: content, weight: 3}
  - {type: minimize, of: mass, weight: 0.3}
  - {type: minimize, of: energy, weight: 0.01}
  - {type: minimize, of: stress, weight: 1e-4}"""
MOTION_OBSERVED = """  - {name: speed, type: mean_velocity, body: sheet, at: [20 ms, 40 ms]}
  - {name: energy, type: kinetic_energy, body: sheet}"""
MOTION_OBJECTIVE = """  - {type: minimize, of: speed.y}
  - {type: minimize, of: energy, weight: 0.03}"""
FORCE_3D = """version: 1
name: force
method: {type: fem, dimension: 3}
time: {load_steps: 1}
solver: {tolerance: 1e-13, adjoint_tolerance: 1e-12}
materials: [{name: m, model: stable_neo_hookean, mu: %(mu)s, lambda: %(lambda)s, density: %(density)s}]
geometry: [{name: blocks, type: mesh, file: blocks.msh}]
bodies: [{name: b, geometry: blocks, material: m}]
boundary: [{name: root, body: b, on: {group: held}, type: fixed}]
loads:
  - {name: pull, body: b, on: {group: pulled}, type: force, value: [800 N, 300 N, 500 N]}
  - {name: suck, body: b, on: {group: pulled}, type: follower_pressure, value: 200 Pa}
gravity: [0, 0, -9.81]
observe: [{name: ends, type: displacement, body: b, on: {group: pulled}}]
objective: [{type: target, of: ends, value: [0.1, 0.4, -0.2]}]
gradient: {}
"""
LAWS = """version: 1
name: laws
method: {type: fem, dimension: 2}
solver: {tolerance: 1e-13, adjoint_tolerance: 1e-12}
materials:
%(materials)s
geometry: [{name: strip, type: box, element: quad4, elements: [3, 2], min: [0, 0], max: [1, 0.4]}]
bodies:
%(bodies)s
boundary:
%(boundary)s
loads:
%(loads)s
observe:
%(observe)s
objective:
%(objective)s
gradient: {}
"""
LAME_LAWS = ("linear", "st_venant_kirchhoff", "fixed_corotated", "neo_hookean", "neo_hookean_iso", "stable_neo_hookean",
        "hencky")
OTHERS = {"mooney_rivlin": {"c10": 3e3, "c01": 1e3, "bulk": 20e3},
          "ogden": {"mu1": 7e3, "alpha1": 1.7, "mu2": -1.6e3, "alpha2": -2.1, "bulk": 16e3}}


class Meshes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def sheet_case(self, name, **numbers):
        return Case(self, name, FEM_LOADS, {**FEM_NUMBERS, **numbers}, {"sheet.msh": sheet()})

    def every_constant(self, case, *more):
        material = case.fields["material"]
        for key, field, which in (("E", "E", 0), ("nu", "nu", 0), ("density", "density", 0), ("c10", "c10", 1),
                                  ("c01", "c01", 1), ("bulk", "bulk", 1), ("density_far", "density", 1), *more):
            case.number(key, f"grad_{field}", material == which)
        case.number("thickness", "grad_thickness")
        case.places("sheet.msh", "grad_rest_position", 3e-6, 2, [(14, 0), (14, 1), (9, 1), (6, 0)])

    def test_loads_of_every_type_at_rest(self):
        """The corner 14 and the node 9 are loaded by total forces: what they do to the areas is part of the
        derivative."""
        case = self.sheet_case("static", time=STATIC, observe=STATIC_OBSERVED, objective=STATIC_OBJECTIVE)
        self.every_constant(case)
        case.finish()

    def test_motions(self):
        start = "displacement: %(displacement)s\n    velocity: %(velocity)s"
        for integrator, mass in ("newmark", "consistent"), ("bdf2", "lumped"), ("leapfrog", "lumped"):
            steps = "dt: 1 ms, duration: 40 ms" if integrator == "leapfrog" else "dt: 5 ms, duration: 40 ms"
            explicit = integrator == "leapfrog"
            solver = f"mass: {mass}" + ("" if explicit else ", tolerance: 1e-13, adjoint_tolerance: 1e-12")
            numbers = {"time": f"time: {{integrator: {integrator}, {steps}}}\nsolver: {{{solver}}}",
                       "observe": MOTION_OBSERVED, "objective": MOTION_OBJECTIVE, "every": "20 ms",
                       "follower": "pressure"}
            damping = ", mass_damping: %(alpha)s, stiffness_damping: %(beta)s"
            text = FEM_LOADS.replace("%(start)s", start).replace("%(damping)s", damping)
            case = Case(self, integrator, text, {**FEM_NUMBERS, **numbers, "alpha": 3.0, "beta": 1e-4,
                                                 "displacement": "[0.01, 0.02]", "velocity": "[0.3, -0.2]"},
                        {"sheet.msh": sheet()})
            self.every_constant(case)
            case.number("alpha", "grad_mass_damping")
            case.number("beta", "grad_stiffness_damping")
            case.vector("velocity", "grad_velocity", 3e-5, 2)
            case.vector("displacement", "grad_displacement", 3e-6, 2)
            case.finish()

    def test_a_force_on_faces_of_two_types_in_3d(self):
        case = Case(self, "force_3d", FORCE_3D, {"mu": 8e3, "lambda": 9e3, "density": 20.0}, {"blocks.msh": blocks()})
        for key in "mu", "lambda", "density":
            case.number(key, f"grad_{key}")
        case.places("blocks.msh", "grad_rest_position", 3e-6, 3, [(8, 1), (10, 2), (18, 0), (17, 2)])
        case.finish()

    def test_every_constant_of_every_law(self):
        laws, numbers = [], {}
        for k, model in enumerate(LAME_LAWS):
            laws.append((model, {"E": 30e3 + 1e3 * k, "nu": 0.3} if k % 2 else {"mu": 10e3 + 1e3 * k, "lambda": 12e3}))
        laws += OTHERS.items()
        rows = {key: [] for key in ("materials", "bodies", "boundary", "loads", "observe", "objective")}
        for k, (model, constants) in enumerate(laws):
            numbers |= {f"{key}_{k}": value for key, value in constants.items()}
            given = ", ".join(f"{key}: %({key}_{k})s" for key in constants)
            rows["materials"].append(f"{{name: m{k}, model: {model}, {given}}}")
            rows["bodies"].append(f"{{name: b{k}, geometry: strip, material: m{k}, position: [0, {k}], "
                                  "thickness: 0.5}")
            rows["boundary"].append(f"{{name: root{k}, body: b{k}, on: {{group: left}}, type: fixed}}")
            force = "[80 N, 50 N]" if model == "linear" else "[500 N, 200 N]"
            rows["loads"].append(f"{{name: push{k}, body: b{k}, on: {{group: right}}, type: force, value: {force}}}")
            rows["observe"].append(f"{{name: end{k}, type: displacement, body: b{k}, on: {{group: right}}}}")
            rows["objective"].append(f"{{type: target, of: end{k}, value: [0.3, -0.2]}}")
        text = LAWS % {key: "\n".join(f"  - {row}" for row in list_) for key, list_ in rows.items()}
        case = Case(self, "laws", text, numbers)
        for k, (_, constants) in enumerate(laws):
            for key in constants:
                case.number(f"{key}_{k}", f"grad_{key}", case.fields["material"] == k)
        case.compared |= {"grad_rest_position", "grad_thickness", "grad_density"}  # of meshes of files above
        case.finish()


# ---- particles -------------------------------------------------------------------------------------------------------

POINTS = """version: 1
name: points
method:
  {type: mpm, dimension: %(dimension)d, precision: f64%(flip)s,
   grid: {spacing: 5 cm, min: [0, 0%(zero)s], max: [0.6, 0.6%(deep)s], walls: sticky}}
time: {dt: 0.5 ms, duration: 40 ms}
gravity: [0.3, -9.81%(zero)s]
materials:
  - {name: soft, model: neo_hookean, E: %%(E)s, nu: %%(nu)s, viscosity: %%(viscosity)s, density: %%(density)s}
  - {name: wet, model: tait, bulk: %%(bulk)s, gamma: %%(gamma)s, viscosity: %%(thin)s, density: %%(density_wet)s}
geometry:
  - {name: lump, type: points, file: lump.csv}
  - {name: drop, type: points, file: drop.csv, volume: %(volume)s}
bodies:
  - {name: lump, geometry: lump, material: soft, velocity: %%(velocity)s}
  - {name: drop, geometry: drop, material: wet, position: [0.25, 0.05%(zero)s], velocity: [-1, -1%(zero)s]}
obstacles:
  - {name: bump, type: ball, position: [0.1, 0.02%(zero)s], radius: 0.05,
     behaviour: slip, friction: 0.3, friction_velocity: 0.1}
observe:
  - {name: place, type: mean_position, body: lump}
  - {name: speed, type: mean_velocity, body: drop, at: [10 ms, 40 ms]}
  - {name: energy, type: kinetic_energy, body: lump, at: 20 ms}
  - {name: gap, type: separation, body: lump, from: drop}
objective:
  - {type: target, of: place, value: [0.3, 0.2%(zero)s], weight: 30}
  - {type: maximize, of: speed.x, weight: 0.1}
  - {type: minimize, of: energy}
  - {type: minimize, of: gap}
gradient: {}
output: {states: {every: 40 ms}}
"""
PLASTIC = (("metal", "hencky", {"E": 40e3, "nu": 0.3},
            {"type": "von_mises", "yield_stress": 500.0, "hardening_modulus": 2e3}),
           ("sand", "hencky", {"mu": 15e3, "lambda": 15e3},
            {"type": "drucker_prager", "friction_angle": 0.5, "cohesion": 400.0}),
           ("paste", "hencky", {"E": 40e3, "nu": 0.4},
            {"type": "herschel_bulkley", "yield_stress": 200.0, "consistency": 40.0, "exponent": 0.8}),
           ("snow", "fixed_corotated", {"E": 40e3, "nu": 0.2},
            {"type": "snow", "critical_compression": 0.02, "critical_stretch": 0.005, "hardening": 4.0}))
MPM_OTHERS = {**OTHERS, "linear_fluid": {"bulk": 30e3, "viscosity": 3.0},
              "tait": {"bulk": 30e3, "gamma": 5.0, "viscosity": 2.0}}
BLOCKS = """version: 1
name: blocks
method:
  {type: mpm, dimension: 2, precision: f64,
   grid: {spacing: 5 cm, min: [0, 0], max: [%(width)s, 0.5], walls: sticky}}
time: {dt: 0.5 ms, duration: 30 ms}
gravity: [0, -9.81]
materials:
%(materials)s
geometry: [{name: block, type: box, min: [0.07, 0.06], max: [0.19, 0.16]}]
bodies:
%(bodies)s
observe:
%(observe)s
objective:
%(objective)s
gradient: {}
output: {states: {every: 30 ms}}
"""


def lump(n, low, high, dimension, volumes):
    """Points a third of a cell apart and a little off, as a table of CSV with volumes or without."""
    rng = np.random.default_rng(11)
    axes = [np.arange(n) * (high - low) / n + low for _ in range(dimension)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, dimension)
    places = places + rng.uniform(0.002, 0.008, places.shape)
    volume = ((high - low) / n) ** dimension * rng.uniform(0.8, 1.2, len(places))

    def text(array):
        rows = ["x,y,z"[:2 * dimension - 1] + (",volume" if volumes else "")]
        for x, v in zip(array, volume):
            rows.append(",".join(repr(float(c)) for c in x) + (f",{v!r}" if volumes else ""))
        return "\n".join([*rows, ""]).replace("np.float64(", "").replace(")", "")
    return places, text


class Particles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def test_points_of_files(self):
        for dimension, flip in (2, ""), (3, ", flip: 0.5"):
            zero, deep = (", 0", ", 0.6") if dimension == 3 else ("", "")
            text = POINTS % {"dimension": dimension, "flip": flip, "zero": zero, "deep": deep,
                             "volume": 0.01 if dimension == 2 else 1e-3}
            n = 6 if dimension == 2 else 4
            tables = {"lump.csv": lump(n, 0.07, 0.2, dimension, True),
                      "drop.csv": lump(n, 0.07, 0.17, dimension, False)}
            numbers = {"E": 20e3, "nu": 0.3, "viscosity": 8.0, "density": 900.0, "bulk": 30e3, "gamma": 5.0,
                       "thin": 2.0, "density_wet": 1000.0, "velocity": f"[1.0, -1.5{zero}]"}
            case = Case(self, f"points_{dimension}d", text, numbers, tables)
            body = case.fields["body"]
            for key, field, which in (("E", "E", 0), ("nu", "nu", 0), ("viscosity", "viscosity", 0),
                                      ("density", "density", 0), ("bulk", "bulk", 1), ("gamma", "gamma", 1),
                                      ("thin", "viscosity", 1), ("density_wet", "density", 1)):
                case.number(key, f"grad_{field}", body == which, 3 * STEP * numbers[key])
            every, first = dict(case.fields), int((body == 0).sum())
            for field in "grad_velocity", "grad_position":
                case.fields[field] = every[field][:first]
            case.vector("velocity", "grad_velocity", 1e-5, dimension)
            case.places("lump.csv", "grad_position", 1e-7, dimension, [(0, 0), (n + 1, 1)])
            case.fields["grad_position"] = every["grad_position"][first:]
            case.places("drop.csv", "grad_position", 1e-7, dimension, [(2, 0)])
            case.finish()

    def blocks_case(self, name, laws, step=3 * STEP, tolerance=TOLERANCE):
        """A block of each (name, model, constants, plastic constants), which spins as it falls to the floor."""
        rows = {key: [] for key in ("materials", "bodies", "observe", "objective")}
        numbers = {}
        for k, (_, model, constants, plastic) in enumerate(laws):
            every = {**constants, **{key: value for key, value in plastic.items() if key != "type"}}
            numbers |= {f"{key}_{k}": value for key, value in every.items()}
            given = ", ".join(f"{key}: %({key}_{k})s" for key in constants)
            limits = ", ".join(f"{key}: %({key}_{k})s" for key in plastic if key != "type")
            flow = f", plasticity: {{type: {plastic['type']}, {limits}}}" if plastic else ""
            rows["materials"].append(f"{{name: m{k}, model: {model}, {given}, density: 1000{flow}}}")
            rows["bodies"].append(f"{{name: b{k}, geometry: block, material: m{k}, position: [{0.25 * k:.4g}, 0], "
                                  "velocity: [0.3, -2], angular_velocity: 6}")
            rows["observe"].append(f"{{name: place{k}, type: mean_position, body: b{k}}}")
            rows["observe"].append(f"{{name: energy{k}, type: kinetic_energy, body: b{k}, at: [10 ms, 30 ms]}}")
            rows["objective"].append(f"{{type: target, of: place{k}, value: [{0.25 * k + 0.2:.4g}, 0.3], weight: 30}}")
            rows["objective"].append(f"{{type: minimize, of: energy{k}}}")
        lists = {key: "\n".join(f"  - {row}" for row in list_) for key, list_ in rows.items()}
        case = Case(self, name, BLOCKS % {"width": 0.25 * len(laws) + 0.05, **lists}, numbers, tolerance=tolerance)
        for k, (_, model, constants, plastic) in enumerate(laws):
            for key in {**constants, **plastic}:
                if key != "type":
                    case.number(f"{key}_{k}", f"grad_{key}", case.fields["material"] == k,
                                step * abs(numbers[f"{key}_{k}"]))
        case.compared |= {"grad_position", "grad_velocity", "grad_density"}  # of points of files above
        case.finish()

    def test_every_constant_of_every_elastic_law_and_fluid(self):
        laws = [(model, model, {"E": 20e3 + 1e3 * k, "nu": 0.3} if k % 2 else {"mu": 8e3 + 500 * k, "lambda": 9e3}, {})
                for k, model in enumerate(LAME_LAWS[1:])]
        self.blocks_case("laws", laws + [(model, model, constants, {}) for model, constants in MPM_OTHERS.items()])

    def test_every_constant_of_every_plastic_law(self):
        # within larger steps some particle begins to flow: a kink
        self.blocks_case("plastic", list(PLASTIC), 1e-6, 1e-5)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
