/* mpm_plastic.h -- plastic flow of particles, after mpm_g2p has stored the trial deformation F' = (I + h C') F; and its
 * adjoint.
 *
 * What a plastic particle has besides F, which is then the elastic part: `hardening` (a of plasticity.h) and in 2D
 * `e33`, the elastic Hencky strain out of the plane. mpm_g2p leaves them alone: they come from where the particle was
 * stored before. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_H
#define PIOLA_KERNELS_MPM_PLASTIC_H

#include "kernels/mpm/mpm_plastic_args.h"
#include "kernels/mpm/mpm.h"

/* Lowers the fault where hardened snow is too stiff for the time step: waves in it are faster by the root of its
 * hardening. */
PIO_FN void plastic_check_wave(const mpm_plastic_args *a, int id, real hardening, const plastic_matter *m)
{
    const real modulus = law_wave_modulus(a->matter.law[id], matter_constants(&a->matter, id));
    const real density = a->matter.mass[id] / a->matter.volume[id];
    const real cfl = a->step->h * a->inv_dx * sqrt(snow_hardening(hardening, m) * modulus / density);
    if (!(cfl <= a->step->cfl)) atomic_min_u64(&a->step->fault, fault_key(a->step->index, id, FAULT_HARDENED));
}

/* Maps the trial deformation of the particle stored as number i of the new state back to the elastic domain, and
 * carries the hardening of others along. */
PIO_FN void mpm_plastic(int i, const mpm_plastic_args *a)
{
    const int n = a->matter.n, p = a->order[i], id = a->s.id[p], plastic = a->matter.plasticity[id];
    real hardening = a->s.hardening[p], third = a->s.e33 ? a->s.e33[p] : R(0);
    if (plastic != PIO_ELASTIC) {
        const plastic_matter m = plastic_matter_of(&a->matter, id, a->step->h);
        mat F = mat_load(a->next.F, n, i);
        const plastic_outcome w =
            plastic == PIO_SNOW ? snow_map(&F, &hardening, &m) : hencky_map(plastic, &F, &third, &hardening, &m);
        mat_store(a->next.F, n, i, F);
        if (plastic == PIO_SNOW) plastic_check_wave(a, id, hardening, &m);
        if (a->near && w.margin < plastic_near()) atomic_add_u64(a->near, 1);
    }
    a->next.hardening[i] = hardening;
    if (a->next.e33) a->next.e33[i] = third;
}

/* ---- adjoint: of F' in place; of hardening and e33 where the particle lay before */

/* Replaces the cotangent of F of particle i by that of its trial F, and sets those of the state before. */
PIO_FN void mpm_plastic_adj(int i, const mpm_plastic_adj_args *b)
{
    const mpm_plastic_args *a = &b->fwd;
    const int n = a->matter.n, p = a->order[i], id = a->s.id[p], plastic = a->matter.plasticity[id];
    real hardening_bar = b->next_bar.hardening[i], third_bar = b->next_bar.e33 ? b->next_bar.e33[i] : R(0);
    if (plastic != PIO_ELASTIC) {
        const plastic_matter m = plastic_matter_of(&a->matter, id, a->step->h);
        plastic_matter m_bar = plastic_matter_zero();
        plastic_strain x, x_bar;
        x.F = mat_load(a->next.F, n, i);
        x.third = a->s.e33 ? a->s.e33[p] : R(0);
        x.a = a->s.hardening[p];
        x_bar.F = mat_load(b->next_bar.F, n, i);
        x_bar.third = third_bar;
        x_bar.a = hardening_bar;
        if (plastic == PIO_SNOW)
            snow_map_adj(x.F, &m, &x_bar.F, hardening_bar, &m_bar);
        else
            hencky_map_adj(plastic, x, &m, &x_bar, &m_bar);
        mat_store(b->next_bar.F, n, i, x_bar.F);
        third_bar = x_bar.third;
        hardening_bar = x_bar.a;
        plastic_matter_add(&a->matter, id, &m_bar, b->k_bar, b->yield_bar);
    }
    b->bar.hardening[p] = hardening_bar;
    if (b->bar.e33) b->bar.e33[p] = third_bar;
}

/* ---- before the first step, per particle: constants in range */

/* Lowers the fault where particle i has constants that its plastic law does not allow. */
PIO_FN void mpm_plastic_check(int i, const mpm_plastic_check_args *a)
{
    const plastic_matter m = plastic_matter_of(&a->matter, i, a->step->h);
    if (!plastic_constants_hold(a->matter.plasticity[i], m.y))
        atomic_min_u64(&a->step->fault, fault_key(a->step->index, i, FAULT_PLASTIC_CONSTANT));
}

#endif
