#!/usr/bin/env python3
"""cantilever_torch_fem.py [--cells N] [--linear auto|direct|cg]  -- the bar of cantilever.py in torch-fem,
differentiated by `backward` through its implicit solve."""
import importlib.metadata

import torch
from torchfem import Solid
from torchfem.materials import Hyperelastic3D
from torchfem.mesh import cube_hexa

import cantilever
import measure


def energy(F, params):
    nu = cantilever.NU
    mu, lam = params[0] / (2 * (1 + nu)), params[0] * nu / ((1 + nu) * (1 - 2 * nu))
    C = F.transpose(-1, -2) @ F
    log_J = 0.5 * torch.logdet(C)
    return mu / 2 * (torch.trace(C) - 3) - mu * log_J + lam / 2 * log_J**2


def main():
    parser = cantilever.options()
    parser.add_argument("--linear", choices=("auto", "direct", "cg"), default="auto")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_default_dtype(torch.float64)
    nodes, elements = cube_hexa(*(n + 1 for n in cantilever.elements(options.cells)), *cantilever.SIZE)
    tip = torch.isclose(nodes[:, 0], torch.tensor(cantilever.SIZE[0]))

    def objective(E):
        """J of moduli [n][1] in Pa."""
        model = Solid(nodes, elements, Hyperelastic3D(energy, E))
        model.constraints[torch.isclose(nodes[:, 0], torch.tensor(0.0))] = True
        model.forces = model.integrate_surface_load(tip, torch.tensor([0.0, 0.0, cantilever.TRACTION]))
        u = model.solve(max_iter=30, rtol=1e-10, atol=1e-10,
                        method=None if options.linear == "auto" else options.linear,
                        differentiable_parameters=E if E.requires_grad else None)[0]
        return u[tip, 2].mean()

    def gradient():
        E = (cantilever.E * torch.ones(len(elements), 1)).requires_grad_(True)
        J = objective(E)
        J.backward()
        return float(J.detach()), float(E.grad.sum())

    E = cantilever.E * torch.ones(len(elements), 1)
    _, forward, _ = measure.least(options.repeat, lambda: float(objective(E)))
    times, whole, (J, slope) = measure.least(options.repeat, gradient)
    low, high = (float(objective(E * (1 + sign * cantilever.STEP))) for sign in (-1, 1))
    version = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("torch-fem", "torch"))
    difference = (high - low) / (2 * cantilever.STEP * cantilever.E)
    cantilever.report(options, f"torch-fem {options.linear}", version, (J, slope, difference),
                      (forward, whole, times[0]))


if __name__ == "__main__":
    main()
