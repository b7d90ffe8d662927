/* fem_faces.c -- faces that carry loads: what kernels know of them, the sums at nodes of what they give, and the way
 * back to the value of a load. Faces write what they give to their element degrees of freedom, vertices add theirs;
 * vertices are nodes here (surface.h, the identity). */
#include "solvers/fem/fem.h"

/* clang-format off */
void fem_to_vertices(fem_sim *f, const real *in, real *out)
{
    pio_map(&f->base.queue, surface_vertex, f->mesh.nodes, NULL, .map = f->faces.gather, .in = in, .out = out);
}

const wide *fem_factor_of(const fem_sim *f, const fem_load *l)
{
    return l->desc.curve < 0 ? NULL : f->curves.factor + l->desc.curve;
}

fem_face_args fem_faces_of(const fem_sim *f, const fem_load *l, const real *places)
{
    const int pressure = l->desc.kind == PIO_PRESSURE || l->desc.kind == PIO_FOLLOWER;
    return (fem_face_args){.rule = l->rule, .plane = f->mesh.plane,
                           .kind = pressure ? PIO_PRESSURE : PIO_TRACTION,
                           .first_element_node = l->first_element_node,
                           .vertex = l->vertex, .rest = places, .owner = l->owner,
                           .thick = f->materials.has_thickness ? f->materials.thickness : NULL,
                           .scale = l->desc.scale,
                           .value = l->varies ? l->varies->value
                                              : l->couple_value ? l->couple_value
                                                                : f->loads.values + 3 * l->desc.value,
                           .stride = l->varies ? l->varies->desc.components : l->couple_value ? DIM : 0,
                           .factor = fem_factor_of(f, l),
                           .area = l->desc.total ? f->loads.areas + l->desc.value : NULL, .out = f->faces.dof_out};
}

void fem_add_faces(fem_sim *f, const real *in, double scale, real *out)
{
    pio_queue *q = &f->base.queue;
    fem_zero_points(f, f->faces.force);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->faces.dof_start, .element_node = f->faces.dof_list, .in = in, .scale = (real)scale,
            .out = f->faces.force);
    pio_map(q, surface_vertex_adj, f->mesh.nodes, NULL, .map = f->faces.scatter, .in = f->faces.force, .out = out);
    pio_halo(q, out);
}

void fem_value_adj(fem_sim *f, const fem_load *l)
{
    pio_queue *q = &f->base.queue;
    const int n = l->desc.n;
    for (int c = 0; c < DIM && !l->desc.moment; c++) { /* of a moment see fem_couple.c */
        pio_sum(q, field_sum, n, NULL, f->base.scalar, .n = n, .components = DIM, .component = c,
                .in = l->value_contribution);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->loads.values_bar + 3 * l->desc.value + c);
    }
    if (l->thick_contribution)
        pio_map(q, fem_face_thick, 1, NULL, .faces = n, .owner = l->owner, .contribution = l->thick_contribution,
                .thick_bar = f->materials.thickness_bar);
}
/* clang-format on */
