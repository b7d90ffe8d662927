/* fem_reversible_leapfrog.c -- the leapfrog of fem_leapfrog.c on a lattice of displacements and velocities: a step is taken back to the
 * bit (kernels/fem/fem_lattice_leap.h). Forces are functions of displacement and time alone, so that those at the beginning are found
 * again once the drift is taken back, and held unknowns are functions of time: nothing has to be remembered. A state has 16 bytes
 * for each degree of freedom. The adjoint is that of the leapfrog, rounding to the lattice being differentiated as the identity. */
#include "solvers/fem/fem.h"

#include <math.h>

/* With L the mesh's largest extent: the quantum of displacements is at most 2^-53 L, they may reach 128 L; that of velocities is at most
 * 2^-59 L/dt, and these may reach 2 L/dt. Forces are known to the rounding of 1 times the strain's stress at best: f64 has no use for
 * finer displacements, while velocities add up small increments. */
enum { PLACE_BITS = 54, SPEED_BITS = 60 };

piola_status fem_leap_check(const pio_engine_desc *desc, piola_error *error)
{
    const pio_fem_desc *m = desc->fem;
    int damped = m->alpha || m->beta;
    for (int d = 0; d < desc->n_designs; d++)
        damped |= desc->designs[d].quantity == PIO_MASS_DAMPING || desc->designs[d].quantity == PIO_STIFFNESS_DAMPING;
    if (!damped) return PIOLA_OK;
    return sim_fail(
        error, PIOLA_BAD_DATA,
        "damping: the reversible leapfrog has none, since going back would amplify what was lost; no damping, the "
        "leapfrog, or reversible backward Euler would be right");
}

/* The power of two by which `size` has 2^(bits-1) quanta or more, and less than 2^bits. */
static double per(double size, int bits)
{
    int exponent;
    frexp(size, &exponent);
    return ldexp(1, bits - exponent);
}

void fem_leap_scale(fem_sim *f, const pio_engine_desc *desc)
{
    const pio_fem_desc *m = desc->fem;
    double size = 0;
    for (int c = 0; c < DIM; c++) {
        double low = m->rest[c], high = m->rest[c];
        for (int64_t i = 0; i < m->n; i++) {
            low = fmin(low, m->rest[i * DIM + c]);
            high = fmax(high, m->rest[i * DIM + c]);
        }
        size = fmax(size, high - low);
    }
    f->per_metre = per(size, PLACE_BITS);
    f->per_speed = per(size / desc->dt, SPEED_BITS);
}

static void leap(fem_sim *f, int64_t step, int sign, int kicks, int drifts)
{
    pio_map(&f->base.queue, fem_lattice_leap, f->nodes, NULL, .s = fem_lattice_of(f, f->lattice), .held = f->held,
            .sign = sign, .kicks = kicks, .drifts = drifts, .h = f->dt, .kick = fem_leap_kick(f, step), .mass = f->mass,
            .force = f->rhs, .u = f->u, .v = fem_state(f, f->u, STATE_V), .step = f->step);
}

/* The curves are set anew for the number of the step, which a fault tells. */
void fem_leap_forward(fem_sim *f, int64_t step)
{
    fem_leap_force(f, step);
    fem_lattice_held(f, fem_whole(step));
    fem_curves(f, fem_whole(step), f->factor);
    leap(f, step, 1, 1, 1);
}

piola_status fem_leap_back(fem_sim *f, piola_error *error)
{
    if (f->base.index == 0) return sim_fail(error, PIOLA_USAGE, "there is no step before the first state");
    const int64_t step = --f->base.index;
    fem_lattice_held(f, fem_whole(step - 1));
    leap(f, step, -1, 0, 1);
    fem_leap_force(f, step);
    leap(f, step, -1, 1, 0);
    return sim_failed(&f->base, error);
}
