/* mpm_start.h -- what happens before the first step: material constants, the initial state and its checks. */
#ifndef PIOLA_KERNELS_MPM_START_H
#define PIOLA_KERNELS_MPM_START_H

#include "kernels/contact/contact_pose.h"
#include "kernels/mpm/mpm_start_args.h"
#include "kernels/mpm/mpm_control.h"

/* Sets the constants of particle i from its parameters, and its mass, density times volume, kg. */
PIO_FN void mpm_constants(int i, const mpm_constants_args *a)
{
    const hyper_constants parameters = constants_load(a->parameters, a->n, a->constants, i);
    const hyper_constants k = law_from_parameters(a->law[i], a->parameter_form[i], parameters);
    for (int c = 0; c < a->constants; c++) a->k[field_at(a->n, a->constants, c, i)] = k.k[c];
    a->mass[i] = a->density[i] * a->volume[i];
}

/* Adjoint of mpm_constants for particle i: adds to the cotangents of its parameters and its density. */
PIO_FN void mpm_constants_adj(int i, const mpm_constants_adj_args *b)
{
    const mpm_constants_args *a = &b->fwd;
    const hyper_constants parameters = constants_load(a->parameters, a->n, a->constants, i);
    const hyper_constants k_bar = constants_load(b->k_bar, a->n, a->constants, i);
    hyper_constants parameters_bar = constants_zero();
    law_from_parameters_adj(a->law[i], a->parameter_form[i], parameters, k_bar, &parameters_bar);
    constants_add(b->parameters_bar, a->n, a->constants, i, parameters_bar);
    b->density_bar[i] += b->mass_bar[i] * a->volume[i];
}

/* Sets particle i of state 0: its place and velocity, C the spin of its body, F = I, J = 1, no plastic strain. */
PIO_FN void mpm_start(int i, const mpm_start_args *a)
{
    a->out.id[i] = i;
    a->out.cell[i] = a->cell[i];
    vec_store(a->out.offset, a->n, i, vec_load(a->offset, a->n, i));
    vec_store(a->out.velocity, a->n, i, vec_load(a->velocity, a->n, i));
    if (a->out.C) mat_store(a->out.C, a->n, i, mat_of(a->spin + (ptrdiff_t)a->body[i] * DIM * DIM));
    if (a->out.F) mat_store(a->out.F, a->n, i, mat_diag(R(1)));
    if (a->out.J) a->out.J[i] = R(1);
    if (a->out.hardening) a->out.hardening[i] = R(0);
    if (a->out.e33) a->out.e33[i] = R(0);
}

/* Adjoint of mpm_start for particle i: adds to the cotangents of its position, offset_bar/dx, and its velocity. */
PIO_FN void mpm_start_adj(int i, const mpm_start_adj_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = field_at(a->n, DIM, c, i);
        a->position_bar[at] += a->inv_dx * a->bar.offset[at];
        a->velocity_bar[at] += a->bar.velocity[at];
    }
}

/* Returns h c/dx of particle i, the CFL number of elastic or sound waves (mpm_check_args). */
PIO_FN real wave_cfl(const mpm_check_args *a, int i)
{
    const int channel = a->matter.channel ? a->matter.channel[i] : -1;
    real E = law_wave_modulus(a->matter.law[i], matter_constants(&a->matter, i));
    if (channel >= 0) E += R(control_most(a->matter.channels, a->parameters, a->knots, a->values, channel));
    return a->step->h * a->inv_dx * sqrt(E / a->density[i]);
}

/* Returns the viscosity of particle i, Pa s, of a fluid or of a solid. */
PIO_FN real particle_viscosity(const mpm_matter *m, int i)
{
    if (law_is_fluid(m->law[i])) return matter_constants(m, i).k[2];
    return m->viscosity ? m->viscosity[i] : R(0);
}

/* Returns 4 d h eta/(rho dx^2) of particle i, the stability number of viscous diffusion, which is to be at most 1. */
PIO_FN real viscous_number(const mpm_check_args *a, int i)
{
    return R(4 * DIM) * a->step->h * a->inv_dx * a->inv_dx * particle_viscosity(&a->matter, i) / a->density[i];
}

/* Returns (h omega/2)^2 of particle i at the stiffest obstacle with a potential and between bodies that repel each
 * other, which is to be at most 1 (mpm_check_args); 0 without both. */
PIO_FN real contact_number(const mpm_check_args *a, int i, real cfl)
{
    real K = R(0);
    for (int o = 0; o < a->obstacles; o++) {
        const real own = R(a->obstacle_parameters[obstacle_at(a->obstacles, OBSTACLE_STIFFNESS, o)]);
        if (a->shape[o].model == PIO_CONTACT_POTENTIAL && own > K) K = own;
    }
    const real step = a->step->h * a->inv_dx;
    K += R(4) * a->repulsion;
    return K > R(0) ? (R(2.9) * cfl * cfl + step * step * K / a->density[i]) / R(4) : R(0);
}

/* Lowers the fault where particle i does not satisfy a condition of mpm_check_args. */
PIO_FN void mpm_check(int i, const mpm_check_args *a)
{
    const real cfl = wave_cfl(a, i);
    int fault = -1;
    if (!(a->density[i] > R(0)) || !law_constants_hold(a->matter.law[i], matter_constants(&a->matter, i)) ||
        !(particle_viscosity(&a->matter, i) >= R(0)))
        fault = FAULT_CONSTANT;
    else if (!(cfl <= a->step->cfl))
        fault = FAULT_WAVE_CFL;
    else if (!(contact_number(a, i, cfl) <= R(1)))
        fault = FAULT_CONTACT;
    else if (!(viscous_number(a, i) <= R(1)))
        fault = FAULT_VISCOUS;
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, i, fault));
}

/* Counts the step, or ends all work after a fault; the one item is 0. */
PIO_FN void mpm_advance(int i, const mpm_advance_args *a)
{
    (void)i;
    if (a->step->nodes > a->step->most_nodes) a->step->most_nodes = a->step->nodes;
    if (a->step->fault == FAULT_NONE) {
        a->step->index += 1;
        return;
    }
    a->step->particles = a->step->blocks = a->step->nodes = 0;
}

/* Sets the number of the step; the one item is 0. */
PIO_FN void mpm_set_index(int i, const mpm_set_index_args *a)
{
    (void)i;
    a->step->index = a->index;
}

#endif
