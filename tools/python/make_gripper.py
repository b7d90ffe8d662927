#!/usr/bin/env python3
"""make_gripper.py -- the meshes scenes/data/gripper.msh, two fingers of a soft gripper, and gripper_ball.msh, what they
lift: quad4 in a plane. Lengths are mm.

A finger hangs from its upper end, and has five chambers one above the other behind its inner wall, which is thick, with
ribs between them; the outer wall is thin, so that pressure in the chambers bends the finger inward. Groups: the surface
`fingers`; the lines `top`, by which both hang, `chambers`, the walls of all chambers, and `outside`. The ball is a disc
about the origin: the surface `ball`, the line `rim`.
"""
import math
import pathlib

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes" / "data"
WIDTHS = (3, 3, 3, 3, 1.5, 1.5)   # of the columns, from the inner side: inner wall, chambers, outer wall
HOLLOW = (2, 3)                   # columns of chambers
CHAMBERS, CELLS, ROW = 5, 3, 3    # chambers, rows of each, height of a row; a rib is one row
INSIDE, TIP = 13.5, 13           # of the inner sides: distance from the middle; height of the lower ends
RADIUS, CORE, RINGS, SECTORS = 10, 4.5, 3, 4  # of the ball, half of its square core, elements from there to the rim,
                                              # and along a side of the core


class Mesh:
    """Nodes by their places, quadrilaterals, and lines by group."""

    def __init__(self):
        self.nodes, self.quads, self.lines = {}, [], {}

    def node(self, x, y):
        return self.nodes.setdefault((round(x, 6) + 0.0, round(y, 6) + 0.0), len(self.nodes) + 1)

    def quad(self, corners):
        """Adds one with these corners, counter-clockwise."""
        self.quads.append([self.node(*corner) for corner in corners])

    def outline(self, group_of):
        """Puts the outer edges into groups, by their middles."""
        edges = {}
        for quad in self.quads:
            for a, b in zip(quad, quad[1:] + quad[:1]):
                edges.setdefault(frozenset((a, b)), []).append((a, b))
        place = {number: at for at, number in self.nodes.items()}
        for (a, b), *others in edges.values():
            if others:
                continue
            middle = [(p + q) / 2 for p, q in zip(place[a], place[b])]
            self.lines.setdefault(group_of(*middle), []).append((a, b))

    def write(self, name, surface):
        groups = [(1, group) for group in sorted(self.lines)] + [(2, surface)]
        text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", f"{len(groups)}"]
        text += [f'{dim} {k + 1} "{group}"' for k, (dim, group) in enumerate(groups)]
        text += ["$EndPhysicalNames", "$Nodes", f"{len(self.nodes)}"]
        text += [f"{number} {x:g} {y:g} 0" for (x, y), number in self.nodes.items()]
        elements = [(1, k + 1, edge) for k, (dim, group) in enumerate(groups) if dim == 1 for edge in self.lines[group]]
        elements += [(3, len(groups), quad) for quad in self.quads]
        text += ["$EndNodes", "$Elements", f"{len(elements)}"]
        text += [f"{k + 1} {kind} 2 {tag} {tag} " + " ".join(map(str, nodes))
                 for k, (kind, tag, nodes) in enumerate(elements)]
        (DATA / f"{name}.msh").write_text("\n".join(text + ["$EndElements", ""]))
        print(f"{name}.msh: {len(self.nodes)} nodes, {len(self.quads)} elements")


def fingers():
    mesh, rows = Mesh(), 1 + CHAMBERS * (CELLS + 1)
    across = [INSIDE + sum(WIDTHS[:k]) for k in range(len(WIDTHS) + 1)]
    top = TIP + rows * ROW
    for side in (-1, 1):
        for column in range(len(WIDTHS)):
            for row in range(rows):
                if column in HOLLOW and row % (CELLS + 1):
                    continue
                x, y = across[column:column + 2], (TIP + row * ROW, TIP + (row + 1) * ROW)
                corners = [(side * x[0], y[0]), (side * x[1], y[0]), (side * x[1], y[1]), (side * x[0], y[1])]
                mesh.quad(corners[::side])

    def group(x, y):
        if y > top - 1e-3:
            return "top"
        inner = across[0] + 1e-3 < abs(x) < across[-1] - 1e-3 and TIP + 1e-3 < y
        return "chambers" if inner else "outside"

    mesh.outline(group)
    mesh.write("gripper", "fingers")


def ball():
    mesh, n = Mesh(), SECTORS
    core = [2 * CORE * k / n - CORE for k in range(n + 1)]

    def ring(quarter, k, j):
        """A place k along a side of the core, which is that of a quarter, and j outward."""
        along, t = core[k], j / RINGS
        angle = math.atan2(along, CORE) * (1 - t) + math.pi / 2 * (k / n - 0.5) * t
        flat = math.hypot(along, CORE)
        radius = flat + (RADIUS - flat) * t
        angle += quarter * math.pi / 2
        return radius * math.cos(angle), radius * math.sin(angle)

    for a in range(n):
        for b in range(n):
            mesh.quad([(core[a], core[b]), (core[a + 1], core[b]), (core[a + 1], core[b + 1]), (core[a], core[b + 1])])
    for quarter in range(4):
        for k in range(n):
            for j in range(RINGS):
                mesh.quad([ring(quarter, k, j), ring(quarter, k, j + 1), ring(quarter, k + 1, j + 1),
                           ring(quarter, k + 1, j)])
    mesh.outline(lambda x, y: "rim")
    mesh.write("gripper_ball", "ball")


fingers()
ball()
