/* fem_stress.h -- fields that frames show: stress, strain, volume ratio and energy density of elements at their
 * integration points, the means over elements, and those around nodes.
 *
 *     element   sum_q V_q x_q / sum_q V_q               V_q = weight det(dX/dxi) thickness, at rest
 *     node      sum_e V_e x_e / sum_e V_e               over the elements that have the node, V_e = sum_q V_q
 *
 * Every field is averaged itself: von Mises' stress of an element is the mean of that at its points, not that of the
 * mean stress. */
#ifndef PIOLA_KERNELS_FEM_STRESS_H
#define PIOLA_KERNELS_FEM_STRESS_H

#include "kernels/fem/fem_solid.h"
#include "kernels/fem/fem_stress_args.h"
#include "kernels/material/hyperelastic_stress.h"

/* The deformation at an integration point: that of the displacement, I + grad u, or of the linear law grad u
 * (hyper_diagonal), and that which the law is given: the same, or Fbar of fem_dilatation.h. */
typedef struct {
    mat F;   /* whose strain and volume ratio are shown */
    mat law; /* whose stress and energy are shown */
} fem_strained;

/* Returns the deformation at quadrature point q, which is p, of element i of the block, whose dilatation is t. */
PIO_FN fem_strained fem_strained_at(const fem_stress_args *a, int i, int q, const fem_point *p, const fem_dilatation *t)
{
    const int law = a->m.law[a->b.first + i];
    fem_strained r;
    r.F = fem_deformation(law, &a->b, i, p, a->u);
    r.law = fem_dilated(&a->b, t, law, q, r.F);
    return r;
}

/* Sets the six numbers of a symmetric tensor whose part in the plane, or in space, is t. */
PIO_FN void fem_tensor(mat t, real t33, real out[FEM_TENSOR])
{
    out[0] = t.m[0][0];
    out[1] = t.m[1][1];
    out[2] = DIM == 3 ? t.m[DIM - 1][DIM - 1] : t33;
    out[3] = R(0.5) * (t.m[0][1] + t.m[1][0]);
    out[4] = DIM == 3 ? R(0.5) * (t.m[1][DIM - 1] + t.m[DIM - 1][1]) : R(0);
    out[5] = DIM == 3 ? R(0.5) * (t.m[0][DIM - 1] + t.m[DIM - 1][0]) : R(0);
}

/* Sets the value of a field but the energy where the deformation is d: FEM_TENSOR numbers of a tensor, else one. */
PIO_OUTLINE_FN void fem_stress_value(int field, int law, int form, const fem_strained *d, hyper_constants k,
                                     real out[FEM_TENSOR])
{
    if (field == PIO_CAUCHY_STRESS) {
        const hyper_cauchy_stress c = hyper_cauchy(law, form, d->law, k);
        fem_tensor(c.s, c.s33, out);
    } else if (field == PIO_GREEN_STRAIN) {
        const hyper_strain s = hyper_strain_of(law, form, d->F, k);
        fem_tensor(s.e, s.e33, out);
    } else if (field == PIO_VON_MISES_STRESS) {
        out[0] = sqrt(von_mises_square(law, form, d->law, k));
    } else {
        out[0] = hyper_volume_ratio(law, form, d->F, k);
    }
}

/* Sets the place X = sum_a N_a X_a at rest of quadrature point q of element i, m. */
PIO_FN void fem_point_place(const fem_block *b, int i, int q, real out[FEM_TENSOR])
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    vec X = vec_zero();
    for (int a = 0; a < nodes; a++)
        X = vec_axpby(R(1), X, b->rule.N[(ptrdiff_t)q * nodes + a], point_load(b->rest, node[a]));
    for (int c = 0; c < DIM; c++) out[c] = X.x[c];
}

/* Sets the numbers of a field at quadrature point q, which is p, of element i of the block. */
PIO_FN void fem_stress_at(const fem_stress_args *a, int i, int q, const fem_point *p, const fem_dilatation *t,
                          hyper_constants k, real out[FEM_TENSOR])
{
    const int e = a->b.first + i;
    if (a->field == PIO_POINT_POSITION) {
        fem_point_place(&a->b, i, q, out);
    } else if (a->field == PIO_POINT_VOLUME) {
        out[0] = p->volume;
    } else {
        const fem_strained d = fem_strained_at(a, i, q, p, t);
        if (a->field == PIO_ENERGY_DENSITY) {
            out[0] = fem_psi(&a->b, t, a->m.law[e], q, d.F, k);
            return;
        }
        fem_stress_value(a->field, a->m.law[e], a->form[e], &d, k, out);
    }
}

/* Sets the field at the points of element i, where these are wanted, its mean, and the element's volume. */
PIO_FN void fem_stress(int i, const fem_stress_args *a)
{
    const int e = a->b.first + i, points = a->b.rule.points;
    const hyper_constants k = fem_constants_of(&a->m, e);
    const fem_dilatation t = fem_dilatation_of(&a->b, i, a->m.law[e], a->u);
    wide sum[FEM_TENSOR], volume = W(0);
    for (int c = 0; c < a->components; c++) sum[c] = W(0);
    for (int q = 0; q < points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        real x[FEM_TENSOR];
        fem_stress_at(a, i, q, &p, &t, k, x);
        for (int c = 0; c < a->components; c++) {
            sum[c] += W(p.volume) * W(x[c]);
            if (a->at) a->at[field_at(a->points, a->components, c, a->first_point + i * points + q)] = x[c];
        }
        volume += W(p.volume);
    }
    for (int c = 0; c < a->components; c++) a->mean[field_at(a->m.elements, a->components, c, e)] = R(sum[c] / volume);
    a->volume[e] = R(volume);
}

/* Sets the mean around a node, weighted by volumes at rest; 0 at a node that no element has. */
PIO_FN void fem_stress_node(int node, const fem_stress_node_args *a)
{
    wide sum[FEM_TENSOR], volume = W(0);
    for (int c = 0; c < a->components; c++) sum[c] = W(0);
    for (int j = a->start[node]; j < a->start[node + 1]; j++) {
        const int e = a->element[a->element_node[j]];
        const wide V = W(a->volume[e]);
        for (int c = 0; c < a->components; c++) sum[c] += V * W(a->mean[field_at(a->elements, a->components, c, e)]);
        volume += V;
    }
    for (int c = 0; c < a->components; c++)
        a->out[field_at(a->nodes, a->components, c, node)] = volume > W(0) ? R(sum[c] / volume) : R(0);
}

#endif
