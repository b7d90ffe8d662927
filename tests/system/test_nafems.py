#!/usr/bin/env python3
"""test_nafems.py PIOLA -- two benchmarks of NAFEMS (The Standard NAFEMS Benchmarks, 1990) from scenes alone: LE1, an
elliptic membrane in plane stress, and LE10, a thick elliptic plate under pressure.

The meshes are made here as Gmsh files: a structured quarter between two ellipses, with nodes between corners on curves
of the same family. The stress is observed at the point D of the benchmark.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
THRESHOLD = 0.01  # of the reference
DEADLINE = 300  # s, for one command
QUAD = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1))  # Gmsh's order, in half cells
HEX = ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2), (1, 0, 0), (0, 1, 0),
       (0, 0, 1), (2, 1, 0), (2, 0, 1), (1, 2, 0), (2, 2, 1), (0, 2, 1), (1, 0, 2), (0, 1, 2), (2, 1, 2), (1, 2, 2),
       (1, 1, 0), (1, 0, 1), (0, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 1, 1))
KINDS = {"quad8": (16, QUAD[:8], 8), "quad9": (10, QUAD, 8), "hex20": (17, HEX[:20], 16), "hex27": (12, HEX, 10)}
FACES = {"hex20": 16, "hex27": 10}  # Gmsh's numbers of quad8 and quad9

LE1 = """version: 1
name: le1
method: {type: fem, dimension: 2, plane: stress}
materials: [{name: steel, model: linear, E: 210 GPa, nu: 0.3}]
geometry: [{name: membrane, type: mesh, file: mesh.msh, scale: 1}]
bodies: [{name: one, geometry: membrane, material: steel, thickness: 0.1}]
boundary:
  - {name: ab, body: one, on: {group: ab}, type: fixed, axes: x}
  - {name: cd, body: one, on: {group: cd}, type: fixed, axes: y}
loads: [{name: pull, body: one, on: {group: outer}, type: pressure, value: -10 MPa}]
observe: [{name: d, type: cauchy_stress, body: one, point: [2, 0]}]
"""
LE10 = """version: 1
name: le10
method: {type: fem, dimension: 3}
materials: [{name: steel, model: linear, E: 210 GPa, nu: 0.3}]
geometry: [{name: plate, type: mesh, file: mesh.msh, scale: 1}]
bodies: [{name: one, geometry: plate, material: steel}]
boundary:
  - {name: ab, body: one, on: {group: ab}, type: fixed, axes: x}
  - {name: cd, body: one, on: {group: cd}, type: fixed, axes: y}
  - {name: outer_x, body: one, on: {group: rim_x}, type: fixed, axes: x}
  - {name: outer_y, body: one, on: {group: rim_y}, type: fixed, axes: y}
  - {name: middle, body: one, on: {group: middle}, type: fixed, axes: z}
loads: [{name: push, body: one, on: {group: above}, type: pressure, value: 1 MPa}]
observe: [{name: d, type: cauchy_stress, body: one, point: [2, 0, 0.6]}]
"""


def place(r, t, z):
    """r = 0 ... 1 from the inner ellipse to the outer one, t = 0 ... 1 from the x axis to the y axis."""
    c, s = math.cos(t * math.pi / 2), math.sin(t * math.pi / 2)
    return (2 + 1.25 * r) * c, (1 + 1.75 * r) * s, z


def graded(i, n, ratio):
    """Place i of n + 1 on [0, 1], the first step `ratio` times as small as the last."""
    x = i / n
    return x / ratio + (1 - 1 / ratio) * x * x


class Mesh:
    """Cells [nr][nt][nz] of a kind; nodes are those of half cells that an element has."""

    def __init__(self, kind, nr, nt, nz):
        self.kind, self.count, self.nodes, self.elements = kind, (nr, nt, nz), {}, []
        code, pattern, _ = KINDS[kind]
        three = kind.startswith("hex")
        for i in range(nr):
            for j in range(nt):
                for k in range(nz if three else 1):
                    at = [(2 * i + p[0], 2 * j + p[1], 2 * k + p[2] if three else 0) for p in pattern]
                    self.elements.append((code, "all", [self.node(a) for a in at]))

    def node(self, at):
        return self.nodes.setdefault(at, len(self.nodes) + 1)

    def side(self, group, axis, value):
        """Adds the faces of elements (edges of a 2D mesh) where a half-cell coordinate has this value."""
        three = self.kind.startswith("hex")
        code = FACES[self.kind] if three else 8
        pattern = [p for p in (QUAD[:8] if code == 16 else QUAD)] if three else ((0,), (2,), (1,))
        others = [a for a in range(3 if three else 2) if a != axis]
        for cell in self.cells(others):
            at = []
            for p in pattern:
                x = [0, 0, 0]
                x[axis] = value
                for a, other in enumerate(others):
                    x[other] = 2 * cell[a] + p[a]
                at.append(self.node(tuple(x)))
            self.elements.append((code, group, at))

    def cells(self, axes):
        if len(axes) == 1:
            return [(i,) for i in range(self.count[axes[0]])]
        return [(i, j) for i in range(self.count[axes[0]]) for j in range(self.count[axes[1]])]

    def line(self, group, at):
        """Adds points at these half-cell coordinates, those that are nodes."""
        self.elements += [(15, group, [self.nodes[a]]) for a in at if a in self.nodes]

    def text(self, height):
        dimension = {15: 0, 8: 1}
        groups, out = {}, ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(self.nodes))]
        nr, nt, nz = self.count
        for at, number in self.nodes.items():
            x = place(graded(at[0], 2 * nr, 4), graded(at[1], 2 * nt, 4), height * at[2] / (2 * nz) if nz else 0)
            out.append(f"{number} {x[0]!r} {x[1]!r} {x[2]!r}")
        out += ["$EndNodes", "$Elements", str(len(self.elements))]
        solid = self.kind.startswith("hex")
        for number, (code, group, nodes) in enumerate(self.elements):
            of = 3 if solid and group == "all" else dimension.get(code, 2)
            tag = groups.setdefault((of, group), len(groups) + 1)
            out.append(" ".join(map(str, (number + 1, code, 2, tag, tag, *nodes))))
        names = ["$PhysicalNames", str(len(groups))] + [f'{of} {tag} "{name}"' for (of, name), tag in groups.items()]
        return "\n".join(out[:3] + names + ["$EndPhysicalNames"] + out[3:] + ["$EndElements", ""])


def membrane(kind, nr, nt):
    mesh = Mesh(kind, nr, nt, 0)
    mesh.side("cd", 1, 0)
    mesh.side("ab", 1, 2 * nt)
    mesh.side("outer", 0, 2 * nr)
    return mesh.text(0)


def plate(kind, nr, nt, nz):
    mesh = Mesh(kind, nr, nt, nz)
    rim = [(2 * nr, j, k) for j in range(2 * nt + 1) for k in range(2 * nz + 1)]
    mesh.side("cd", 1, 0)
    mesh.side("ab", 1, 2 * nt)
    mesh.side("above", 2, 2 * nz)
    mesh.line("rim_x", [at for at in rim if at[1] != 2 * nt])  # those on the axes are fixed there already
    mesh.line("rim_y", [at for at in rim if at[1] != 0])
    mesh.line("middle", [at for at in rim if at[2] == nz])
    return mesh.text(0.6)


class Nafems(unittest.TestCase):
    def stress(self, scene, mesh):
        """sigma_yy at D, Pa."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "mesh.msh").write_text(mesh)
            (root / "scene.yaml").write_text(scene)
            done = subprocess.run([PIOLA, "run", str(root / "scene.yaml"), "-q", "--device", "cpu", "-o",
                                   str(root / "out")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=DEADLINE)
            self.assertEqual(done.returncode, 0, done.stdout)
            return json.loads((root / "out" / "result.json").read_text())["observations"]["d"]["value"][0][1]

    def compare(self, what, value, reference):
        error = abs(value / reference - 1)
        print(f"{what}: sigma_yy at D {value / 1e6:.4f} MPa, reference {reference / 1e6:.2f} MPa, off by "
              f"{100 * error:.3f} % (threshold {100 * THRESHOLD:g} %)")
        self.assertLess(error, THRESHOLD)

    def test_le1(self):
        for kind in ("quad8", "quad9"):
            self.compare(f"LE1, {kind}", self.stress(LE1, membrane(kind, 8, 12)), 92.7e6)

    def test_le10(self):
        for kind, layers in ("hex20", 4), ("hex27", 6):
            self.compare(f"LE10, {kind}", self.stress(LE10, plate(kind, 6, 10, layers)), -5.38e6)

    def test_a_mesh_that_is_too_coarse_is_seen(self):
        value = self.stress(LE1, membrane("quad8", 1, 1))
        print(f"LE1, one quad8: {value / 1e6:.4f} MPa, which must be off")
        self.assertGreater(abs(value / 92.7e6 - 1), THRESHOLD)


if __name__ == "__main__":
    PIOLA = sys.argv.pop(1)
    unittest.main()
