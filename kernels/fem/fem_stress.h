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
#include "kernels/material/hyper_field.h"

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
                          real out[FEM_TENSOR])
{
    const int e = a->b.first + i;
    if (a->field == PIO_POINT_POSITION) {
        fem_point_place(&a->b, i, q, out);
        return;
    }
    if (a->field == PIO_POINT_VOLUME) {
        out[0] = p->volume;
        return;
    }
    hyper_point x;
    x.law = a->m.law[e];
    x.form = a->form[e];
    x.plane = hyper_point_plane(a->b.plane, x.law);
    x.k = fem_constants_of(&a->m, e);
    x.heated = a->m.heat != NULL;
    x.e = fem_heat_of(&a->m, e);
    x.F = fem_deformation(x.law, &a->b, i, p, a->u);
    x.third = fem_third(&a->m, &a->b, i, p, x.F, a->u);
    if (a->field == PIO_ENERGY_DENSITY) {
        out[0] = fem_law_psi(&a->m, &a->b, t, i, q, x.F, x.third);
        return;
    }
    x.bar = fem_dilated(&a->b, t, x.law, q, x.F);
    hyper_field(a->field, &x, out);
}

/* Sets the field at the points of element i, where these are wanted, its mean, and the element's volume. */
PIO_FN void fem_stress(int i, const fem_stress_args *a)
{
    const int e = a->b.first + i, points = a->b.rule.points;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, a->m.law[e], a->u);
    wide sum[FEM_TENSOR], volume = W(0);
    for (int c = 0; c < a->components; c++) sum[c] = W(0);
    for (int q = 0; q < points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        real x[FEM_TENSOR];
        fem_stress_at(a, i, q, &p, &t, x);
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
