/* fem_reversible_leapfrog.c -- the leapfrog of fem_leapfrog.c on a lattice of displacements and velocities: a step is
 * reversed to the bit (kernels/fem/fem_lattice_leap.h). Forces are functions of displacement and time alone, so that
 * those at the beginning are found again once the drift is undone, and constrained unknowns are functions of time:
 * nothing has to be remembered. A state has 16 bytes for each degree of freedom. The adjoint is that of the leapfrog,
 * rounding to the lattice being differentiated as the identity. */
#include "solvers/fem/fem.h"

static void leap(fem_sim *f, int64_t step, int sign, int kicks, int drifts)
{
    pio_map(&f->base.queue, fem_lattice_leap, f->mesh.nodes, NULL, .s = fem_lattice_of(f, f->lattice.state),
            .constrained = f->supports.constrained, .sign = sign, .kicks = kicks, .drifts = drifts, .h = f->stepping.dt,
            .kick = fem_leap_kick(f, step), .mass = f->motion.mass, .force = f->newton.rhs, .u = f->state.u,
            .v = fem_state(f, f->state.u, STATE_V), .step = f->step);
}

/* The curves are set anew for the number of the step, which a fault names. */
piola_status fem_leap_forward(fem_sim *f, int64_t step, piola_error *error)
{
    fem_leap_force(f, step);
    fem_lattice_constrained(f, fem_whole(step));
    fem_curves(f, fem_whole(step), f->curves.factor);
    leap(f, step, 1, 1, 1);
    fem_external(f, fem_whole(step), f->state.u);
    return sim_failed(&f->base, error);
}

piola_status fem_leap_inverse_step(fem_sim *f, piola_error *error)
{
    if (f->base.index == 0) return sim_fail(error, PIOLA_USAGE, "there is no step before the first state");
    const int64_t step = --f->base.index;
    fem_lattice_constrained(f, fem_whole(step - 1));
    leap(f, step, -1, 0, 1);
    fem_leap_force(f, step);
    leap(f, step, -1, 1, 0);
    return sim_failed(&f->base, error);
}
