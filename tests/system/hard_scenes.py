"""hard_scenes.py -- small scenes of contact that are known to be hard, and their meshes: SCENES, by name. A body is
0.1 m or so; sound goes at about 10 m/s through it."""
import itertools
import math

import numpy as np

SOFT = {"E": "100 kPa", "nu": 0.3, "density": 1000}
HEX, QUAD = 5, 3  # Gmsh's numbers of elements


# ---- meshes: points [n, 3] in m, and elements by their points

def grid(counts, place):
    """The box 0..1 of so many cells along each axis, each point taken by place(s) to where it is to be."""
    dim = len(counts)
    axes = [np.arange(n + 1) / n for n in counts]
    points = [list(place(np.array(s))) for s in itertools.product(*axes)]
    strides = np.cumprod([1] + [n + 1 for n in counts[:0:-1]])[::-1]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corners = corners if dim == 2 else [(a, b, c) for c in (0, 1) for a, b in corners]
    cells = [[int(np.dot(np.array(cell) + corner, strides)) for corner in corners]
             for cell in itertools.product(*map(range, counts))]
    return np.array([p + [0] * (3 - dim) for p in points], dtype=float), np.array(cells)


def box(counts, low, high):
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    return grid(counts, lambda s: low + s * (high - low))


def moved(mesh, shift=(0, 0, 0), angle=0.0, axis=(0, 0, 1)):
    """The mesh turned about an axis through the origin, and shifted."""
    k = np.array(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    turn = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    return mesh[0] @ turn.T + np.array(tuple(shift) + (0,) * (3 - len(shift))), mesh[1]


def joined(*meshes):
    """One body of several meshes, whose common points are one."""
    points, cells, first = [], [], 0
    for p, c in meshes:
        points.append(p)
        cells.append(c + first)
        first += len(p)
    points, cells = np.vstack(points), np.vstack(cells)
    unique, where = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    return unique, where.ravel()[cells]


def tube(around, along, radius, closed=True):
    """A rod of square section about a curve [n, 3], `along` elements long; closed: its ends are one."""
    fine = around(np.linspace(0, 1, 40 * along + 1))
    way = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    curve = np.column_stack([np.interp(np.arange(along + (not closed)) / along * way[-1], way, x) for x in fine.T])
    tangent = np.roll(curve, -1, axis=0) - np.roll(curve, 1, axis=0) if closed else np.gradient(curve, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    normal = np.cross(tangent[0], [0.3, 0.2, 1])
    frames = []
    for t in tangent:  # carried along the curve
        normal = normal - t * np.dot(t, normal)
        normal /= np.linalg.norm(normal)
        frames.append((normal, np.cross(t, normal)))
    if closed:  # what the normal has turned by in one round is undone evenly
        back = frames[0][0] - tangent[-1] * np.dot(tangent[-1], frames[0][0])
        twist = math.atan2(np.dot(back, frames[-1][1]), np.dot(back, frames[-1][0]))
        for i, (a, b) in enumerate(frames):
            angle = twist * i / (along - 1)
            frames[i] = (a * math.cos(angle) + b * math.sin(angle), b * math.cos(angle) - a * math.sin(angle))
    section = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    points = [x + radius * (u * a + v * b) for x, (a, b) in zip(curve, frames) for u, v in section]
    n = len(curve)
    cells = [[4 * (i % n) + k for k in range(4)] + [4 * ((i + 1) % n) + k for k in range(4)] for i in range(along)]
    return np.array(points), np.array(cells)


def write_mesh(path, mesh, dim):
    """Gmsh's format 2.2."""
    points, cells = mesh
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i + 1} {x:.17g} {y:.17g} {z:.17g}" for i, (x, y, z) in enumerate(points)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    kind = HEX if dim == 3 else QUAD
    lines += [f"{e + 1} {kind} 2 1 1 " + " ".join(str(i + 1) for i in cell) for e, cell in enumerate(cells)]
    path.write_text("\n".join(lines + ["$EndElements", ""]), encoding="utf-8")


# ---- scenes

class Body:
    """A mesh with what the scene says of it: velocity, angular_velocity, ..."""
    def __init__(self, mesh, **keys):
        self.mesh, self.keys = mesh, keys


class Hard:
    """A scene. integrator: or None, static; dt and steps; supports: of bodies by number, (body, on, type and value);
    grows: the most that kinetic energy and that of strain may be of what they are at the start, or None where
    something drives; code: what the command ends with."""
    def __init__(self, dim, bodies, distance, integrator=None, dt=1.0, steps=10, contact="", supports=(), obstacles=(),
                 gravity=None, solver="", grows=None, code=0, frames=20, material=None):
        self.dim, self.bodies, self.distance, self.integrator = dim, bodies, distance, integrator
        self.dt, self.steps, self.contact, self.supports, self.obstacles = dt, steps, contact, supports, obstacles
        self.gravity, self.solver, self.grows, self.code = gravity, solver, grows, code
        self.frames, self.material = frames, material or SOFT

    def text(self, name, touches=True):
        time = f"{{load_steps: {self.steps}}}" if not self.integrator else \
            f"{{integrator: {self.integrator}, dt: {self.dt:.9g} s, duration: {self.dt * self.steps:.9g} s}}"
        duration = 1.0 if not self.integrator else self.dt * self.steps
        every = max(1, self.steps // self.frames) * duration / self.steps
        m = self.material
        lines = ["version: 1", f"name: {name}", f"method: {{type: fem, dimension: {self.dim}, precision: f64}}",
                 f"time: {time}",
                 f"materials: [{{name: soft, model: neo_hookean, E: {m['E']}, nu: {m['nu']}, "
                 f"density: {m['density']}}}]", "geometry:"]
        if self.gravity:
            lines.insert(3, f"gravity: {self.gravity}")
        if self.solver:
            lines.insert(3, f"solver: {self.solver}")
        lines += [f"  - {{name: g{k}, type: mesh, file: {name}{k}.msh}}" for k in range(len(self.bodies))] + ["bodies:"]
        for k, body in enumerate(self.bodies):
            keys = "".join(f", {key}: {value}" for key, value in body.keys.items())
            lines.append(f"  - {{name: b{k}, geometry: g{k}, material: soft{keys}}}")
        if touches:
            lines.append(f"contact: {{distance: {self.distance:.9g} m{', ' + self.contact if self.contact else ''}}}")
        if self.supports:
            lines += ["boundary:"] + [f"  - {{name: s{i}, body: b{k}, on: {on}, {what}}}"
                                      for i, (k, on, what) in enumerate(self.supports)]
            if any("curve" in what for _, _, what in self.supports):
                lines.append(f"curves: [{{name: pull, time: [0, {duration:.9g}], value: [0, 1]}}]")
        if self.obstacles:
            lines += ["obstacles:"] + [f"  - {{name: o{i}, {what}}}" for i, what in enumerate(self.obstacles)]
        fields = ", fields: gap" if touches or self.obstacles else ""
        if self.grows is not None:
            lines.append("observe:")
            for k in range(len(self.bodies)):
                for what in ("kinetic_energy", "strain_energy"):
                    lines.append(f"  - {{name: {what}{k}, type: {what}, body: b{k}, every: {every:.9g} s}}")
        lines.append(f"output: {{states: {{every: {every:.9g} s{fields}}}}}")
        return "\n".join(lines) + "\n"


def fast_plate(integrator, dt, **keys):
    """A plate of one element that flies at a block, 10 thicknesses in a step."""
    return Hard(2, [Body(box((8, 1), (0, 0.1), (0.1, 0.104)), velocity=[0, -0.04 / dt]),
                    Body(box((5, 3), (0.03, 0), (0.13, 0.06)))], 1e-3, integrator, dt, 8, **keys)


def corner(gap):
    """Two blocks of space with a corner of each ahead, one above the other."""
    turned = moved(box((2, 2, 2), (-0.05,) * 3, (0.05,) * 3), angle=math.pi / 4)
    block = moved(turned, angle=math.atan(math.sqrt(2)), axis=(1, 0, 0))
    height = 0.05 * math.sqrt(3)
    return moved(block, (0, 0, -height)), moved(block, (0, 0, height + gap))


def edge_up(shift, angle=0.0):
    """A block of space with an edge up, or down, at the height 0."""
    turned = moved(box((2, 2, 2), (-0.05,) * 3, (0.05,) * 3), (0, 0, 0), math.pi / 4, (1, 0, 0))
    return moved(moved(turned, (0, 0, 0), angle), shift)


HALF = 0.05 * math.sqrt(2)  # half of a block's diagonal


def diamond(x, y, counts=(4, 4)):
    return moved(box(counts, (-0.05, -0.05), (0.05, 0.05)), (x, y), math.pi / 4)


def overhand(s):
    """An open knot, the trefoil of Shastri (1992)."""
    t = 4 * (s - 0.5)
    return 0.03 * np.column_stack([t ** 3 - 3 * t, t ** 4 - 4 * t ** 2, 0.2 * (t ** 5 - 10 * t)])


def circle(centre, radius, first, second):
    def at(s):
        a = 2 * math.pi * s
        return np.array(centre) + radius * (np.outer(np.cos(a), first) + np.outer(np.sin(a), second))
    return at


def zigzag(folds, thick, high):
    """A strip that goes up and down, in cells of its thickness."""
    cell, rows = thick, round(high / thick)
    pieces = []
    for i in range(folds):
        x = 3 * i * cell
        pieces.append(box((1, rows), (x, 0), (x + cell, high)))
        y = high - cell if i % 2 == 0 else 0
        if i + 1 < folds:
            pieces.append(box((2, 1), (x + cell, y), (x + 3 * cell, y + cell)))
    return joined(*pieces)


def pile(n, gap, size, speed):
    """n by n blocks that fly at their middle."""
    bodies = []
    for i in range(n):
        for j in range(n):
            x, y = (i - (n - 1) / 2) * (size + gap), (j - (n - 1) / 2) * (size + gap)
            mesh = box((2, 2), (x - size / 2, y - size / 2), (x + size / 2, y + size / 2))
            r = max(math.hypot(x, y), 1e-9)
            bodies.append(Body(mesh, velocity=[round(-speed * x / r, 6) + 0.0, round(-speed * y / r, 6) + 0.0]))
    return bodies


def cross(x, y, angle):
    """Two bars of a cross in the plane."""
    arms = joined(box((6, 2), (-0.06, -0.02), (0.06, 0.02)), box((2, 2), (-0.02, 0.02), (0.02, 0.06)),
                  box((2, 2), (-0.02, -0.06), (0.02, -0.02)))
    return moved(arms, (x, y), angle)


def ring(counts, inner, outer):
    """A ring in the plane, closed."""
    points, cells = grid(counts, lambda s: [
        (inner + s[0] * (outer - inner)) * math.cos(2 * math.pi * s[1]),
        (inner + s[0] * (outer - inner)) * math.sin(2 * math.pi * s[1])])
    return joined((points, cells))


def flat(low, high):
    return "{min: " + str(list(low)) + ", max: " + str(list(high)) + "}"


def around(points):
    """What holds the nodes at these points."""
    low, high = points.min(axis=0) - 1e-6, points.max(axis=0) + 1e-6
    return flat([float(f"{v:.9g}") for v in low], [float(f"{v:.9g}") for v in high])


WAVE = {"integrator": "leapfrog", "dt": 1e-4, "steps": 800, "grows": 1.01, "contact": "stiffness: 20 kPa"}
NEWMARK = {"integrator": "newmark", "dt": 5e-4, "steps": 160, "grows": 1.01, "contact": "stiffness: 20 kPa"}
DAMPED = dict(NEWMARK, integrator="backward_euler", dt=1e-3, steps=80, grows=1.0001)
EULER = "backward_euler"


def driven(kind, place, way, time):
    """An obstacle that moves."""
    return f"type: {kind}, position: {place}, distance: {{}} mm, motion: {{{{time: [0, {time}], {way}}}}}"


def plane_scenes():
    """Those of the plane, by name."""
    block = box((4, 4), (0, 0), (0.1, 0.1))
    needle = moved(grid((1, 6), lambda s: [(s[0] - 0.5) * (0.0006 + 0.012 * s[1]), 0.08 * s[1]]), (0.02, 0.01), -0.6)
    walls = [(f"plane, normal: {n}", p, m) for n, p, m in (
        ([1, 0], [-0.053, 0], "x: [0, 0.01]"), ([-1, 0], [0.103, 0], "x: [0, -0.01]"),
        ([0, 1], [0, -0.053], "y: [0, 0.01]"), ([0, -1], [0, 0.053], "y: [0, -0.01]"))]
    shifts = [0.01 * (k % 2) for k in range(5)]
    return {
        "fast_plate": fast_plate(EULER, 2e-2, grows=1.0001),
        "fast_plate_bdf2": fast_plate("bdf2", 2e-2, grows=1.05),  # whose steps are far longer than the contact
        "fast_plate_leapfrog": fast_plate("leapfrog", 1e-4, code=76),
        "stack": Hard(2, [Body(box((4, 2), (x, 0.0512 * k + 0.001), (0.1 + x, 0.0512 * k + 0.051)))
                          for k, x in enumerate(shifts)], 1e-3, EULER, 5e-3, 40, gravity=[0, -9.81],
                      obstacles=["type: plane, normal: [0, 1], distance: 1 mm"]),
        "point_on_point": Hard(2, [Body(diamond(-0.073, 0)), Body(diamond(0.073, 0), velocity=[-2, 0])], 2e-3, **WAVE),
        "sliding_faces": Hard(2, [Body(block), Body(moved(block, (0.02, 0.1011)), velocity=[1, -0.2])], 1e-3, **WAVE),
        "across_a_seam": Hard(2, [Body(block), Body(moved(block, (0.101, 0))),
                                  Body(box((4, 2), (0.005, 0.1012), (0.085, 0.1512)), velocity=[1, -0.2])], 1e-3,
                              **WAVE),
        "needle_in_a_corner": Hard(2, [Body(box((8, 3), (0, -0.03), (0.12, 0))),
                                       Body(box((3, 6), (-0.031, 0.001), (-0.001, 0.1))),
                                       Body(needle, velocity=[-1, -1])], 5e-4, **DAMPED),
        "pressed_between": Hard(2, [Body(block), Body(moved(block, (0.102, 0.013)))], 2e-3, EULER, 1e-2, 30, obstacles=[
            "type: plane, normal: [1, 0], position: [-0.002, 0], distance: 2 mm",
            driven("ball, radius: 0.05", [0.256, 0.06], "x: [0, -0.05]", 0.3).format(2)]),
        "closing_box": Hard(2, [Body(moved(block, (-0.05, -0.05))), Body(box((2, 2), (0.053, -0.05), (0.1, 0.0))),
                                Body(box((2, 2), (0.053, 0.003), (0.1, 0.05)))], 2e-3, EULER, 1e-2, 20,
                            obstacles=[driven(*wall, 0.2).format(2) for wall in walls]),
        "slot": Hard(2, [Body(box((2, 6), (-0.051, -0.1), (-0.0208, 0))), Body(box((2, 6), (0.0208, -0.1), (0.051, 0))),
                         Body(box((3, 4), (-0.01999, 0.01), (0.02001, 0.06)), velocity=[0, -1])], 1e-3,
                     **dict(NEWMARK, steps=120)),
        "zigzag": Hard(2, [Body(zigzag(5, 0.01, 0.08))], 2e-3, EULER, 1e-2, 40,
                       supports=[(0, flat([-1e-6, -1e-6], [0.0, 0.081]), "type: fixed")],
                       obstacles=[driven("plane, normal: [-1, 0]", [0.133, 0], "x: [0, -0.06]", 0.4).format(2)]),
        "turning_crosses": Hard(2, [Body(cross(-0.056, 0, 0), angular_velocity=20),
                                    Body(cross(0.056, 0, math.pi / 4), angular_velocity=20)], 1e-3, **WAVE),
        "pile": Hard(2, pile(4, 0.004, 0.03, 2), 1e-3, **dict(WAVE, dt=5e-5)),
        "thin_wire": Hard(2, [Body(box((1, 12), (0.049, 0.06), (0.0492, 0.12)), velocity=[0, -4]),
                              Body(box((12, 2), (0, 0), (0.1, 0.05)))], 1e-4, "leapfrog", 1e-6, 4000,
                          "stiffness: 100 kPa", grows=1.01),
        "caged": Hard(2, [Body(ring((2, 24), 0.06, 0.08)),
                          Body(moved(box((3, 3), (-0.02, -0.02), (0.02, 0.02)), (0.01, 0.005), 0.3), velocity=[20, 7])],
                      1e-3, EULER, 1e-2, 20, grows=1.0001),
        "thin_layers": Hard(2, [Body(box((10, 1), (0, 0.0052 * k), (0.1, 0.0052 * k + 0.004))) for k in range(5)], 1e-3,
                            EULER, 1e-2, 20, obstacles=[
                                "type: plane, normal: [0, 1], position: [0, -0.0012], distance: 1 mm",
                                driven("ball, radius: 0.06", [0.052, 0.0862], "y: [0, -0.006]", 0.2).format(1)]),
    }


def space_scenes():
    """Those of space, by name."""
    low_corner, high_corner = corner(0.01)
    low_edge, up, down = edge_up((0, 0, -HALF - 0.003)), HALF + 0.003, [0, 0, -1]
    knot = tube(overhand, 100, 0.0025, False)
    links = [tube(circle((0, 0, 0), 0.05, (1, 0, 0), (0, 1, 0)), 16, 0.01),
             tube(circle((0.06, 0, 0), 0.05, (1, 0, 0), (0, 0, 1)), 16, 0.01)]

    def falling(low, high, **keys):
        return Hard(3, [Body(low), Body(high, velocity=down)], 2e-3, **keys)

    return {
        "thin_plate_hit": Hard(3, [Body(box((6, 6, 1), (-0.06, -0.06, 0), (0.06, 0.06, 0.004))),
                                   Body(moved(box((2, 2, 2), (-0.02,) * 3, (0.02,) * 3), (0.003, 0.002, 0.03), 0.3),
                                        velocity=[0, 0, -2])], 1e-3, **dict(WAVE, dt=5e-5, steps=400)),
        "knot": Hard(3, [Body(knot)], 1e-3, EULER, 2e-2, 30, supports=[
            (0, around(knot[0][:4]), "type: displacement, value: [-0.1, 0, 0], curve: pull"),
            (0, around(knot[0][-4:]), "type: displacement, value: [0.1, 0, 0], curve: pull")]),
        "folded_sheet": Hard(3, [Body(box((24, 4, 1), (0, 0, 0), (0.24, 0.04, 0.004)))], 1e-3, EULER, 2e-2, 40,
                             supports=[
            (0, flat([-1, -1, -1], [0.06, 1, 1]), "type: fixed"),
            (0, flat([0.239999, -1, -1], [0.3, 1, 1]), "type: rotation, center: [0.14, 0, 0.0043], axis: [0, -1, 0], "
                                                       "angle: 180 deg, curve: pull")]),
        "rings": Hard(3, [Body(links[0], velocity=[-0.5, 0, 0]), Body(links[1], velocity=[0.5, 0, 0])], 1e-3,
                      **dict(NEWMARK, dt=1e-3, steps=120)),
        "parallel_edges": falling(low_edge, edge_up((0, 0, up)), **WAVE),
        "crossed_edges": falling(low_edge, edge_up((0, 0, up), math.pi / 2), **WAVE),
        "nearly_parallel_edges": falling(low_edge, edge_up((0, 0, up), 1e-7), **WAVE),
        "corner_on_corner": falling(low_corner, high_corner, **DAMPED),
        "corner_on_edge": falling(low_edge, high_corner, **WAVE),
        "corner_pressed_on_corner": Hard(3, [Body(m) for m in corner(0.003)], 2e-3, None, 1, 10,
                                         solver="{max_iterations: 400}", supports=[
            (0, flat([-1, -1, -1], [1, 1, -0.0867]), "type: fixed"),
            (1, flat([-1, -1, 0.0867], [1, 1, 1]), "type: displacement, value: [0, 0, -0.02]")]),
    }


SCENES = {**plane_scenes(), **space_scenes()}
