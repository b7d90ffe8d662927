/* mpm_derived.h -- quantities of particles that are not stored as such, to the doubles of the outside. */
#ifndef PIOLA_KERNELS_MPM_DERIVED_H
#define PIOLA_KERNELS_MPM_DERIVED_H

#include "kernels/mpm/mpm_derived_args.h"
#include "kernels/mpm/mpm_p2g.h"

/* Returns the Kirchhoff stress of a solid's law and of plasticity, Pa, without activation and viscosity. */
PIO_FN mat derived_tau(const mpm_state *s, const mpm_matter *m, int p, int id)
{
    const mat tau = particle_tau(s, m, p, id, mat_diag(R(0)));
    if (!m->plasticity || m->plasticity[id] == PIO_ELASTIC) return tau;
    return mat_axpby(R(1), tau, R(1), yield_tau(s, m, p, R(0)));
}

/* Sets the double of stored particle p: one component of its place (m), its J, one of its F, its pressure (Pa) or its
 * mass (kg). A solid's J is det F times p2g_swelling, and its pressure -tr tau/(d J). */
PIO_FN void derived_read(int p, const derived_read_args *a)
{
    const int n = a->matter.n, id = a->s.id[p], law = a->matter.law[id], fluid = law_is_fluid(law), c = a->component;
    double v;
    if (a->what == DERIVED_POSITION) {
        v = (double)particle_position(&a->box, a->s.cell[p], a->s.offset[field_at(n, DIM, c, p)], c);
    } else if (a->what == DERIVED_MASS) {
        v = (double)a->matter.mass[id];
    } else if (fluid) { /* F of a fluid is the isotropic one with its J */
        const real J = a->s.J[p];
        const double root = exp((double)real_log(J) / DIM);
        if (a->what == DERIVED_J)
            v = (double)J;
        else if (a->what == DERIVED_F)
            v = c % (DIM + 1) == 0 ? root : 0;
        else
            v = (double)fluid_pressure(law, J, matter_constants(&a->matter, id));
    } else {
        const mat F = mat_load(a->s.F, n, p);
        const real J = mat_det(F, mat_cofactor(F)) * p2g_swelling(&a->s, &a->matter, p);
        if (a->what == DERIVED_J)
            v = (double)J;
        else if (a->what == DERIVED_F)
            v = (double)F.m[c / DIM][c % DIM];
        else
            v = -(double)mat_trace(derived_tau(&a->s, &a->matter, p, id)) / (DIM * (double)J);
    }
    a->out[(ptrdiff_t)id * a->stride] = v;
}

#endif
