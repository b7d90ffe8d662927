/* fem_product.c -- whose products of matrix and vector a mesh's iterative solvers make: as the scene says, never as a
 * measurement turns out. A library that is requested and is not there is an error. Of a mesh that its design moves, the
 * update of the mesh is solved with the same matrix, hence with the same products; the leapfrog, which solves nothing,
 * has Piola's own. */
#include "solvers/fem/fem.h"

#include <stdio.h>

piola_status fem_choose_product(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    size_t bytes;
    piola_error said = {0};
    const pio_product_matrix host = {.rows = f->mesh.nodes,
                                     .blocks = f->matrix.graph.blocks,
                                     .dim = DIM,
                                     .bits = 8 * (int)sizeof(real),
                                     .row_start = f->matrix.graph.row_start,
                                     .column = f->matrix.graph.column};
    if (fem_leaps(f)) return PIOLA_OK;
    snprintf(f->linear.product, sizeof f->linear.product, "own");
    if (m->product == PIO_OWN_PRODUCT) return PIOLA_OK;
    piola_status rc =
        pio_product_library(f->base.arena.backend, f->base.ordinal, &f->linear.product_table, f->linear.product, &said);
    if (!rc) rc = pio_product_predict(f->linear.product_table, f->base.ordinal, &host, &bytes, &said);
    if (rc)
        return sim_fail(error, rc, "solver.product is cusparse: %.1500s; 'product: own'%s would be right", said.message,
                        rc == PIOLA_UNAVAILABLE && !f->base.arena.backend->product ? ", or the device cuda," : "");
    f->base.library += bytes;
    return PIOLA_OK;
}
