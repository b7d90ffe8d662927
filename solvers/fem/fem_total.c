/* fem_total.c -- total forces, which are tractions over the area at rest of their faces (fem_face_area of
 * kernels/fem/fem_load.h). */
#include "solvers/fem/fem.h"

/* clang-format off */
void fem_areas(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->totals) return;
    pio_queue_zero(q, f->areas, sizeof *f->areas * (size_t)f->n_values);
    fem_to_vertices(f, f->rest, f->vertex_rest);
    for (const fem_load *l = f->load; l < f->load + f->n_loads; l++) {
        if (!l->desc.total) continue;
        pio_sum(q, fem_face_area, l->desc.n, NULL, f->base.scalar, .f = fem_faces_of(f, l, f->vertex_rest));
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->areas + l->desc.value);
    }
}

void fem_areas_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    if (!f->totals) return;
    pio_queue_zero(q, f->load_out, sizeof *f->load_out * DIM * (size_t)f->load_corners);
    fem_to_vertices(f, f->rest, f->vertex_rest);
    for (const fem_load *l = f->load; l < f->load + f->n_loads; l++) {
        if (!l->desc.total) continue;
        pio_map(q, fem_face_area_adj, l->desc.n, NULL,
                .fwd = fem_faces_of(f, l, f->vertex_rest), .value_bar = f->values_bar + 3 * l->desc.value,
                .rest_bar = f->load_out, .thick_share = l->thick_share);
        if (l->thick_share)
            pio_map(q, fem_face_thick, 1, NULL,
                    .faces = l->desc.n, .owner = l->owner, .share = l->thick_share, .thick_bar = f->thick_bar);
    }
    fem_add_faces(f, f->load_out, 1, f->rest_bar);
}
/* clang-format on */
