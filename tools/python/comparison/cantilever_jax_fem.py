#!/usr/bin/env python3
"""cantilever_jax_fem.py [--cells N] [--linear NAME]  -- the bar of cantilever.py in JAX-FEM,
differentiated by its `ad_wrapper` (the adjoint method)."""
import importlib.metadata
import logging
import os

import cantilever
import measure

OPTIONS = {"jax": {"jax_solver": {}}, "umfpack": {"umfpack_solver": {}}, "petsc": {"petsc_solver": {}},
           "petsc_lu": {"petsc_solver": {"ksp_type": "preonly", "pc_type": "lu"}}}


def limit_threads(count):
    """Before JAX is loaded: it takes as many threads as there are processors."""
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:count]))
    os.environ["OMP_NUM_THREADS"] = str(count)


def make_problem(cells):
    import jax
    import jax.numpy as np
    import numpy as onp
    from jax_fem.generate_mesh import Mesh, box_mesh
    from jax_fem.problem import Problem

    class Bar(Problem):
        def get_tensor_map(self):
            nu = cantilever.NU

            def energy(F, E):
                mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
                log_J = np.log(np.linalg.det(F))
                return mu / 2 * (np.sum(F * F) - 3) - mu * log_J + lam / 2 * log_J**2

            stress = jax.grad(energy)
            return lambda u_grad, E: stress(u_grad + np.eye(3), E)

        def get_surface_maps(self):
            return [lambda u, x: np.array([0.0, 0.0, -cantilever.TRACTION])]  # enters the residual: minus the traction

        def set_params(self, E):
            self.internal_vars = [np.repeat(E[:, None], self.fes[0].num_quads, axis=1)]

    made = box_mesh(*cantilever.elements(cells), *cantilever.SIZE)
    mesh = Mesh(made.points, made.cells_dict["hexahedron"])
    end = cantilever.SIZE[0]
    clamp = [[lambda p: np.isclose(p[0], 0.0, atol=1e-6)] * 3, [0, 1, 2], [lambda p: 0.0] * 3]
    problem = Bar(mesh, vec=3, dim=3, ele_type="HEX8", dirichlet_bc_info=clamp,
                  location_fns=[lambda p: np.isclose(p[0], end, atol=1e-6)])
    tip = onp.flatnonzero(onp.isclose(onp.asarray(mesh.points)[:, 0], end))
    return problem, tip, len(mesh.cells)


def main():
    parser = cantilever.options()
    parser.add_argument("--linear", choices=OPTIONS, default="jax")
    options = parser.parse_args()
    limit_threads(options.threads)
    import jax
    import jax.numpy as np
    from jax_fem import logger
    from jax_fem.solver import ad_wrapper
    logger.setLevel(logging.WARNING)
    problem, tip, count = make_problem(options.cells)
    how = {**OPTIONS[options.linear], "tol": 1e-10, "rel_tol": 1e-10}
    solve = ad_wrapper(problem, how, how)

    def objective(E):
        return np.mean(solve(E)[0][tip, 2])

    E = cantilever.E * np.ones(count)
    _, forward, J = measure.least(options.repeat, lambda: float(objective(E)))
    times, whole, slope = measure.least(options.repeat, lambda: float(np.sum(jax.grad(objective)(E))))
    low, high = (float(objective(E * (1 + sign * cantilever.STEP))) for sign in (-1, 1))
    version = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("jax-fem", "jax"))
    difference = (high - low) / (2 * cantilever.STEP * cantilever.E)
    cantilever.report(options, f"jax-fem {options.linear}", version, (J, slope, difference), (forward, whole, times[0]))


if __name__ == "__main__":
    main()
