"""Runs experiments of Mosaic's problem `structural-mesh` with Piola, in this process and without containers.

    pip install mosaic-bench==0.2.0 && python3 run.py

Prints the compliance beside Mosaic's references, and the derivative beside differences, by Mosaic's own kernel.
"""
import pathlib
from types import SimpleNamespace

import mosaic.benchmarks.problems.structural_mesh.config as structural
import numpy as np
from mosaic.benchmarks.core.experiment import KernelContext
from mosaic.benchmarks.problems.shared.gradient import fd_check
from tesseract_core import Tesseract

HERE = pathlib.Path(__file__).resolve().parent
REFERENCES = pathlib.Path(structural.__file__).parent / "references"
# The experiments as Mosaic 0.2.0 registers them in structural_mesh/config.py; of fd_check all steps but 2, which
# leads to densities below 0.
BEAM = {"nx": 8, "ny": 2, "nz": 4, "Lx": 2.0, "Ly": 1.0, "Lz": 1.0, "F_total": 1.0, "corner_load": False}
SWEEPS = {"baseline": ("nx", [4, 6, 8, 12, 16]), "agreement": ("rho_0", [0.2, 0.4, 0.5, 0.7, 0.9])}
STEPS = [0.5, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001]
# Mosaic has a list of solvers whose loads are tractions, as Piola's are, and not forces on nodes.
TRACTIONS = SimpleNamespace(key="jax_fem", input_overrides={})


def inputs_of(_, densities, **physics):
    """Mosaic's inputs for a solver with tractions."""
    return structural.make_inputs(TRACTIONS, densities, **physics)


def forward(solver, name):
    """[(value of the sweep, compliance, Mosaic's reference)] of an experiment of forward/."""
    key, values = SWEEPS[name]
    data, rows = np.load(REFERENCES / f"forward_{name}.npz"), []
    for i, value in enumerate(values):
        physics = {"rho_0": 0.5, **BEAM, key: value}
        found = solver.apply(inputs_of(None, None, **physics))["compliance"]
        rows.append((value, float(found), float(data[f"reference_{i}"])))
    return rows


def gradient(solver):
    """{step: (largest relative error of six slopes, 1 - cosine)} of gradient/fd_check."""
    physics = {**BEAM, "corner_load": True}
    context = KernelContext("piola", structural.problem, structural._random(**physics, seed=0), physics, None, None,
                            "rho", "compliance", inputs_of, 2.0, {"fd": {"eps_values": STEPS, "n_dirs": 6}})
    found = fd_check(solver, context)["metrics"]["eps_sweep"]
    return {step: (max(r["rel_error"]), 1 - r["cosine"]) for step, r in found.items()}


def opened():
    """Piola as a Tesseract in this process."""
    return Tesseract.from_tesseract_api(HERE / "piola_structural/tesseract_api.py")


if __name__ == "__main__":
    piola = opened()
    for name in ("baseline", "agreement"):
        for value, found, reference in forward(piola, name):
            print(f"forward/{name} {value}: {found:.8g}, reference {reference:.8g}, "
                  f"relative difference {found / reference - 1:.1e}")
    for step, (error, cosine) in gradient(piola).items():
        print(f"gradient/fd_check {step}: largest relative error {error:.1e}, 1 - cosine {cosine:.1e}")
