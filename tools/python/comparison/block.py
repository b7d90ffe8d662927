"""block.py -- the problem that block_piola.py, block_taichi.py and block_warp.py solve, in 3D and f32.

A free neo-Hookean block spins; its corners fly out and come back. J is its kinetic energy at the end; wanted is dJ/dE
of every particle. Explicit MLS-MPM, APIC, quadratic B-splines, 8 particles per cell on a lattice; SI units.
docs/comparison.md has what was measured.
"""
import argparse
import json
import platform

import measure

SPACING = 0.01        # m, of the grid
DT = 0.5e-3           # s; an elastic wave crosses 0.28 cells
E, NU = 20e3, 0.35    # Pa, 1
DENSITY = 1000.0      # kg/m3
SPIN = (8.0, 4.0, 0.0)  # rad/s
MU, LAMBDA = 0.5 / (1 + NU), NU / ((1 + NU) * (1 - 2 * NU))  # over E
MASS = DENSITY * SPACING**3 / 8
VOLUME = SPACING**3 / 8


def options():
    """The options of all three scripts: how large, how long, on how many threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10, help="along an edge of the block; 8 particles each")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3, help="the least time of so many counts")
    parser.add_argument("--forward-only", action="store_true")
    return parser


def nodes(cells):
    """Cells of the grid along an axis: the block and a margin that its corners do not leave."""
    return cells + 2 * margin(cells)


def margin(cells):
    return int(0.4 * cells) + 4


def lattice(cells):
    """([n][3] positions m, [n][3] velocities m/s, [3][3] the spin as a matrix 1/s) of the particles at the start."""
    import numpy as np
    low = margin(cells) * SPACING
    line = low + (np.arange(2 * cells) + 0.5) * SPACING / 2
    x = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    a, b, c = SPIN
    spin = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    return x, (x - x.mean(axis=0)) @ spin.T, spin


def energy(v):
    """J in joule, summed in double."""
    return 0.5 * MASS * float((v.astype("float64")**2).sum())


def report(options, name, version, result, times):
    """Print one line of JSON. `result` is (J, the sum of dJ/dE); `times` are (wall-clock, CPU) in s of all steps
    (forward, forward and backward); None: not computed."""
    (objective, gradient), (forward, whole) = result, times
    particles = 8 * options.cells**3

    def per_step(pair):
        return pair and [round(1e9 * t / (particles * options.steps), 1) for t in pair]

    print(json.dumps({
        "name": name, "version": version, "python": platform.python_version(), "particles": particles,
        "steps": options.steps, "threads": options.threads, "J": objective, "dJ_dE": gradient,
        "forward_ns": per_step(forward), "gradient_ns": per_step(whole),
        "peak_MB": round(measure.peak_bytes() / 1e6, 1)}))
