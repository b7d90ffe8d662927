/* fem_total.c -- total forces, which are tractions over the area at rest of their faces (fem_face_area of
 * kernels/fem/fem_load.h). */
#include "solvers/fem/fem.h"

/* clang-format off */
void fem_areas(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_totals) return;
    pio_queue_zero(q, f->loads.areas, sizeof *f->loads.areas * (size_t)f->loads.n_values);
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (!l->desc.total) continue;
        pio_sum(q, fem_face_area, l->desc.n, NULL, f->base.scalar, .f = fem_faces_of(f, l, f->faces.rest));
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->loads.areas + l->desc.value);
    }
}

void fem_areas_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->loads.has_totals) return;
    pio_queue_zero(q, f->faces.dof_out, sizeof *f->faces.dof_out * DIM * (size_t)f->faces.element_dofs);
    fem_to_vertices(f, f->mesh.rest, f->faces.rest);
    for (const fem_load *l = f->loads.load; l < f->loads.load + f->loads.n_loads; l++) {
        if (!l->desc.total) continue;
        pio_map(q, fem_face_area_adj, l->desc.n, NULL,
                .fwd = fem_faces_of(f, l, f->faces.rest), .value_bar = f->loads.values_bar + 3 * l->desc.value,
                .rest_bar = f->faces.dof_out, .thick_contribution = l->thick_contribution);
        if (l->thick_contribution)
            pio_map(q, fem_face_thick, 1, NULL,
                    .faces = l->desc.n, .owner = l->owner, .contribution = l->thick_contribution,
                    .thick_bar = f->materials.thickness_bar);
    }
    fem_add_faces(f, f->faces.dof_out, 1, f->mesh.rest_bar);
}
/* clang-format on */
