#!/usr/bin/env python3
"""test_hard_contact.py PIOLA -- the scenes of hard_scenes.py, run by the command: they end as they should, in no
frame an edge of a surface passes through another piece of it, and there is not more energy than there was at the start.
That crossings are seen is shown by the same plate without contact."""
import fractions
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

sys.dont_write_bytecode = True
import hard_scenes

PIOLA = ""
DEADLINE = 300  # s, for one command
HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
TETRAHEDRA = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
QUAD_FACES = ((0, 1), (1, 2), (2, 3), (3, 0))


def surface(cells):
    """The flat pieces of outer faces, cut along the diagonal from their first node, and their edges, in 2D the same."""
    space = cells.shape[1] == 8
    faces = [tuple(int(v) for v in cell[list(f)]) for cell in cells for f in (HEX_FACES if space else QUAD_FACES)]
    count = {}
    for face in faces:
        count[tuple(sorted(face))] = count.get(tuple(sorted(face)), 0) + 1
    outer = [face for face in faces if count[tuple(sorted(face))] == 1]
    if not space:
        return np.array(outer), np.array(outer)
    pieces = [t for a, b, c, d in outer for t in ((a, b, c), (a, c, d))]
    edges = {tuple(sorted((t[k], t[(k + 1) % 3]))) for t in pieces for k in range(3)}
    return np.array(pieces), np.array(sorted(edges))


def volumes(points, simplex):
    """Signed volumes, in 2D areas, of simplices [n, dim + 1], and what rounding may make of them."""
    x = points[simplex]
    e = x[:, 1:] - x[:, :1]
    size = np.abs(e).max(axis=(1, 2))
    return np.linalg.det(e), 1e-14 * size ** (e.shape[1] - 1) * np.abs(x).max(axis=(1, 2))


def side(points, simplex):
    """Signs of their volumes, by exact arithmetic where rounding might turn them."""
    volume, least = volumes(points, simplex)
    sign = np.sign(volume).astype(int)
    for i in np.flatnonzero(np.abs(volume) <= least):
        x = [[fractions.Fraction(float(v)) for v in points[p]] for p in simplex[i]]
        e = [[b - a for a, b in zip(x[0], y)] for y in x[1:]]
        if len(e) == 2:
            exact = e[0][0] * e[1][1] - e[0][1] * e[1][0]
        else:
            exact = sum(e[0][k] * (e[1][(k + 1) % 3] * e[2][(k + 2) % 3] - e[1][(k + 2) % 3] * e[2][(k + 1) % 3])
                        for k in range(3))
        sign[i] = (exact > 0) - (exact < 0)
    return sign


def crossings(points, pieces, edges):
    """How many edges pass through a piece with which they share no node."""
    dim = points.shape[1]
    low, high = points[edges].min(axis=1), points[edges].max(axis=1)
    piece_low, piece_high = points[pieces].min(axis=1), points[pieces].max(axis=1)
    meet = np.ones((len(edges), len(pieces)), dtype=bool)
    for c in range(dim):
        meet &= (low[:, None, c] <= piece_high[None, :, c]) & (high[:, None, c] >= piece_low[None, :, c])
    i, j = np.nonzero(meet)
    e, t = edges[i], pieces[j]
    apart = ~(e[:, :, None] == t[:, None, :]).any(axis=(1, 2))
    e, t = e[apart], t[apart]
    if not len(e):
        return 0
    passes = side(points, np.column_stack([t, e[:, 0]])) * side(points, np.column_stack([t, e[:, 1]])) < 0
    e, t = e[passes], t[passes]
    if not len(e):
        return 0
    if dim == 2:
        around = [side(points, np.column_stack([e, t[:, k]])) * (1 - 2 * k) for k in range(2)]
    else:
        around = [side(points, np.column_stack([e, t[:, k], t[:, (k + 1) % 3]])) for k in range(3)]
    around = np.array(around)
    return int(((around > 0).all(axis=0) | (around < 0).all(axis=0)).sum())


class HardContact(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def ran(self, name, touches=True):
        """Runs a scene; returns its exit code, the last line of its log, and its folder."""
        hard = hard_scenes.SCENES[name]
        root = pathlib.Path(self.folder.name) / (name + ("" if touches else "_without"))
        root.mkdir()
        for k, body in enumerate(hard.bodies):
            hard_scenes.write_mesh(root / f"{name}{k}.msh", body.mesh, hard.dim)
        (root / "scene.yaml").write_text(hard.text(name, touches), encoding="utf-8")
        done = subprocess.run([PIOLA, "run", str(root / "scene.yaml"), "--device", "cpu", "--threads", "1", "-q", "-o",
                               str(root / "out")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE, check=False)
        return done.returncode, done.stdout.strip(), root / "out"

    def crossed(self, out, dim):
        """Crossings in each frame of a folder's states, and the least gap of all, m."""
        with h5py.File(out / "states.vtkhdf") as file:
            group = file["VTKHDF"]
            n, corners = int(group["NumberOfPoints"][0]), 2 ** dim
            cells = group["Connectivity"][:].reshape(-1, corners)
            cells = cells[:int(group["NumberOfCells"][0])]
            rest = group["Points"][:n, :dim]
            gap = group["PointData/gap"][:].min() if "gap" in group["PointData"] else None
            u = group["PointData/displacement"][:].reshape(-1, n, 3)[:, :, :dim]
        pieces, edges = surface(cells)
        return [crossings(rest + frame, pieces, edges) for frame in u], gap

    def one(self, name):
        hard = hard_scenes.SCENES[name]
        start = time.monotonic()
        code, log, out = self.ran(name)
        said = f"  {name}: exit {code}, {time.monotonic() - start:.1f} s"
        self.assertEqual(code, hard.code, f"{name}: {log}")
        if code == 76:
            self.assertRegex(log, r"dt|time step", name)
            print(said + ": " + log.splitlines()[-1])
            return
        crossed, gap = self.crossed(out, hard.dim)
        result = json.loads((out / "result.json").read_text(encoding="utf-8"))
        said += f", {len(crossed)} frames, {max(crossed)} crossings, nearest {gap:.2g} m of {hard.distance:.2g}"
        if hard.grows is not None:
            energy = sum(np.array(o["value"], dtype=float) for o in result["observations"].values())
            said += f", energy at most {energy.max() / self.energy(hard):.5f} of that at the start (limit {hard.grows})"
            self.assertLessEqual(energy.max(), hard.grows * self.energy(hard), name)
        print(said, flush=True)
        self.assertEqual(max(crossed), 0, name)
        self.assertLess(gap, hard.distance, f"{name}: nothing touches")

    @staticmethod
    def energy(hard):
        """Kinetic energy at the start of bodies at rest strain, J; in the plane 1 m thick."""
        total = 0.0
        for body in hard.bodies:
            points, cells = body.mesh
            v = np.zeros((len(points), 3))
            v[:, :hard.dim] += body.keys.get("velocity", [0] * hard.dim)
            turn = body.keys.get("angular_velocity", 0)
            arm = points - points.mean(axis=0)
            v[:, 0] -= turn * arm[:, 1]
            v[:, 1] += turn * arm[:, 0]
            for cell in cells:
                x = points[cell]
                if hard.dim == 2:
                    (a, b), (c, d) = (x[2] - x[0])[:2], (x[3] - x[1])[:2]
                    size = abs(a * d - b * c) / 2
                else:
                    size = sum(abs(np.linalg.det(x[list(t)][1:] - x[t[0]])) / 6 for t in TETRAHEDRA)
                total += 0.5 * 1000 * size * (v[cell] ** 2).sum(axis=1).mean()
        return total

    def test_crossings_are_seen_without_contact(self):
        code, log, out = self.ran("fast_plate", touches=False)
        self.assertEqual(code, 0, log)
        crossed, _ = self.crossed(out, 2)
        print(f"  fast_plate without contact: {max(crossed)} crossings")
        self.assertGreater(max(crossed), 0)


for scene in hard_scenes.SCENES:
    def check(self, name=scene):
        self.one(name)
    setattr(HardContact, "test_" + scene, check)

if __name__ == "__main__":
    PIOLA = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=1)
