"""cantilever.py -- the problem, in f64, of cantilever_piola.py, cantilever_jax_fem.py and cantilever_torch_fem.py.

A neo-Hookean bar of 1 x 0.25 x 0.25 m is clamped at x = 0 and pulled down by a dead traction on its other end; hex8
elements with 2x2x2 points. J is the mean vertical displacement of the loaded end in m; wanted is dJ/dE of every
element. Each script compares the sum of that gradient with a central difference of its own J. docs/comparison.md has
what was measured.
"""
import argparse
import json
import platform

import measure

SIZE = (1.0, 0.25, 0.25)  # m
E, NU = 1e6, 0.3          # Pa, 1
TRACTION = -2000.0        # Pa, along z
STEP = 1e-4               # of E, of the difference


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=8, help="elements across the bar, four times as many along it")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2, help="the least time of so many counts")
    return parser


def elements(cells):
    return 4 * cells, cells, cells


def report(options, name, version, result, times):
    """Print one line of JSON. `result` is (J, the sum of dJ/dE, the central difference of J by E); `times` are
    (wall-clock, CPU) in s of (a solution, a solution with its gradient, the first of these, which compiles)."""
    (objective, gradient, difference), (forward, whole, first) = result, times
    nx, ny, nz = elements(options.cells)

    def rounded(pair):
        return [round(t, 3) for t in pair]

    print(json.dumps({
        "name": name, "version": version, "python": platform.python_version(),
        "unknowns": 3 * (nx + 1) * (ny + 1) * (nz + 1), "threads": options.threads, "J": objective,
        "dJ_dE": gradient, "difference": difference, "relative": abs(gradient / difference - 1),
        "forward_s": rounded(forward), "gradient_s": rounded(whole), "first_s": rounded(first),
        "peak_MB": round(measure.peak_bytes() / 1e6, 1)}))
