/* fields.h -- device arrays to and from the doubles of the outside, one component at a time, in id order. */
#ifndef PIOLA_KERNELS_FIELDS_H
#define PIOLA_KERNELS_FIELDS_H

#include "kernels/mpm/mpm_p2g.h"

typedef struct {
    const int *id; /* [n] particle stored at i; NULL: i itself */
    int n, components, component;
    const real *in; /* [components][n], of which `component` is read */
    double scale;
    double *out; /* [n]; set at id */
} field_read_args;

PIO_FN void field_read(int i, const field_read_args *a)
{
    a->out[a->id ? a->id[i] : i] = a->scale * (double)a->in[field_at(a->n, a->components, a->component, i)];
}

typedef struct {
    const int *id;
    const double *in; /* [n] in id order */
    int n, components, component;
    real *out; /* [components][n] as stored; `component` is set */
} field_write_args;

PIO_FN void field_write(int i, const field_write_args *a)
{
    a->out[field_at(a->n, a->components, a->component, i)] = R(a->in[a->id ? a->id[i] : i]);
}

/* Quantities that are not stored as such. */
enum { DERIVED_POSITION, DERIVED_J, DERIVED_F, DERIVED_PRESSURE, DERIVED_MASS };
typedef struct {
    mpm_state s;
    mpm_matter matter;
    mpm_box box;
    int what, component;
    double *out; /* [n] in id order; set */
} derived_read_args;

/* Kirchhoff stress of a solid's law and of plasticity, without activation. */
PIO_FN mat derived_tau(const mpm_state *s, const mpm_matter *m, int p, int id)
{
    const mat tau = particle_tau(s, m, p, id, mat_diag(R(0)));
    if (!m->plasticity || m->plasticity[id] == PLASTIC_NONE) return tau;
    return mat_axpby(R(1), tau, R(1), yield_tau(s, m, p, R(0)));
}

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
    a->out[id] = v;
}

/* How many of n numbers are not finite: the NaN watch. The padding of a field is zeros. */
typedef struct {
    const real *in;
} count_not_finite_args;

PIO_FN wide count_not_finite(int i, const count_not_finite_args *a)
{
    return is_finite(a->in[i]) ? W(0) : W(1);
}

/* In how many of n words two pieces of memory differ: states that ought to be the same, to the bit. */
typedef struct {
    const uint32_t *a, *b;
} words_differ_args;

PIO_FN wide words_differ(int i, const words_differ_args *a)
{
    return a->a[i] == a->b[i] ? W(0) : W(1);
}

#endif
