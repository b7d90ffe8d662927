"""bench_case.py -- the case of `piola bench mpm` (host/bench/bench_case.c) in NumPy, and a small block that spins, in
which stresses matter, as arrays and as a scene. SI units; bench_warp.py solves both."""
import math

import numpy as np

PAD, MARGIN = 2, 6  # nodes beyond the walls; free cells on each side
SPACING, DENSITY, E, NU = 0.01, 1000.0, 1e5, 0.3
PER_CELL = 8
GRAVITY = (0.0, 0.0, -9.81)
MU, LAMBDA = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
DT = 0.2 * SPACING / math.sqrt(E * (1 - NU) / ((1 + NU) * (1 - 2 * NU)) / DENSITY)
VOLUME = SPACING**3 / PER_CELL
MASS = DENSITY * VOLUME

CHECK_CELLS, CHECK_STEPS = 10, 100
CHECK_VELOCITY, CHECK_SPIN = (0.3, 0.1, -0.1), (40.0, 20.0, 0.0)  # m/s, 1/s: strains of some per cent

SCENE = """version: 1
name: check
method:
  type: mpm
  dimension: 3
  precision: f32
  grid: {{spacing: {h!r}, min: [0, 0, 0], max: [{top!r}, {top!r}, {top!r}], walls: separate}}
time: {{dt: {dt!r}, duration: {end!r}}}
gravity: {gravity}
materials:
  - {{name: rubber, model: neo_hookean, E: {E!r}, nu: {nu!r}, density: {density!r}}}
geometry:
  - {{name: cube, type: points, file: points.csv, volume: {volume!r}}}
bodies:
  - {{name: block, geometry: cube, material: rubber, velocity: {velocity}, angular_velocity: {spin}}}
observe:
  - {{name: energy, type: kinetic_energy, body: block}}
  - {{name: centre, type: mean_position, body: block}}
design:
  - {{name: stiffness, target: materials.rubber.E}}
  - {{name: contraction, target: materials.rubber.nu}}
  - {{name: throw, target: bodies.block.velocity}}
objective:
  - {{type: minimize, of: energy}}
output: {{states: {{every: {end!r}, fields: [velocity]}}}}
"""


def uniform(count):
    """`count` numbers in [0, 1): the upper 53 bits of Knuth's 64-bit generator for MMIX, s -> a s + c from s = 1. The
    state after k steps is a^k + c (1 + a + ... + a^(k-1)), modulo 2^64 as NumPy computes."""
    power = np.cumprod(np.full(count, 6364136223846793005, dtype=np.uint64))
    series = np.cumsum(np.concatenate((np.ones(1, dtype=np.uint64), power[:-1])))
    return np.ldexp(((power + np.uint64(1442695040888963407) * series) >> np.uint64(11)).astype(float), -53)


def side(cells):
    """Nodes of the grid along each axis."""
    return cells + 2 * MARGIN + 1 + 2 * PAD


def fill(cells):
    """([n][3] positions m, [n][3] velocities m/s) of the benchmark case with so many cells along each axis."""
    number = np.arange(PER_CELL * cells**3) // PER_CELL
    cell = np.stack((number // cells**2, number // cells % cells, number % cells), axis=1)
    draws = uniform(6 * len(cell)).reshape(-1, 6)  # of a particle: z, y, x of its position, x, y, z of its velocity
    position = (PAD + MARGIN + cell + draws[:, 2::-1]) * SPACING
    velocity = 0.3 - 0.2 * np.arange(3) + 0.2 * (draws[:, 3:] - 0.5)
    return position, velocity


def occupied(position, cells):
    """(cells with particles, nodes that those reach) as bench_traffic.c counts them."""
    mark = np.zeros((side(cells),) * 3, dtype=bool)
    mark[tuple(np.floor(position / SPACING - 0.5).astype(int).T)] = True
    count = int(mark.sum())
    for axis in range(3):
        moved = np.moveaxis(mark, axis, 0)
        moved[2:] |= moved[1:-1] | moved[:-2]
        moved[1] |= moved[0]
    return count, int(mark.sum())


def fall(velocity, steps):
    """[3] how far the centre moves in so many steps, m: explicit steps add gravity first; stresses have no effect."""
    return DT * (steps * velocity.mean(axis=0) + 0.5 * steps * (steps + 1) * DT * np.array(GRAVITY))


def check_block():
    """([n][3] positions, [n][3] velocities, [3][3] the spin as a matrix, 1/s) of the block that spins."""
    position, _ = fill(CHECK_CELLS)
    a, b, c = CHECK_SPIN
    spin = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    return position, np.array(CHECK_VELOCITY) + (position - position.mean(axis=0)) @ spin.T, spin


def write_scene(folder):
    """Write the block that spins into `folder` as check.yaml, with points.csv."""
    position = check_block()[0]
    np.savetxt(folder / "points.csv", position, fmt="%.17g", delimiter=",", header="x,y,z", comments="")
    (folder / "check.yaml").write_text(SCENE.format(
        h=SPACING, top=round((side(CHECK_CELLS) - 1) * SPACING, 6), dt=DT, end=CHECK_STEPS * DT, gravity=list(GRAVITY),
        E=E, nu=NU, density=DENSITY, volume=len(position) * VOLUME, velocity=list(CHECK_VELOCITY),
        spin=list(CHECK_SPIN)))


def by_parameters(mu_bar, lambda_bar):
    """(dJ/dE, dJ/dnu) from the derivatives of J with respect to Lame's parameters of the whole body."""
    over = (1 + NU) * (1 - 2 * NU)
    return (mu_bar * MU + lambda_bar * LAMBDA) / E, \
        -mu_bar * E / (2 * (1 + NU)**2) + lambda_bar * E * (1 + 2 * NU**2) / over**2
