/* fem_rows.c -- constants of a simulation that is only started: one row for each run of elements whose descriptions are
 * the same.
 *
 * Most bodies are of one material. Nothing of a start but the check of the constants reads them; a row of each element,
 * described and made into moduli, would take more memory than the whole mesh, and more time than all else. Where
 * designs set them element by element there are no rows. */
#include "solvers/fem/fem.h"

#include <stdlib.h>
#include <string.h>

static int same(const pio_fem_desc *m, ptrdiff_t e, ptrdiff_t other)
{
    const size_t constants = sizeof *m->law_parameters * PIO_LAW_CONSTANTS;
    return m->law[e] == m->law[other] && m->parameter_form[e] == m->parameter_form[other] &&
           !memcmp(&m->density[e], &m->density[other], sizeof *m->density) &&
           !memcmp(m->law_parameters + e * PIO_LAW_CONSTANTS, m->law_parameters + other * PIO_LAW_CONSTANTS, constants);
}

static int are_designed(const pio_engine_desc *desc)
{
    for (int d = 0; d < desc->n_designs; d++)
        if (desc->designs[d].quantity >= PIO_LAW_PARAMETER_0 && desc->designs[d].quantity <= PIO_DENSITY) return 1;
    return 0;
}

int fem_rows_find(fem_sim *f, const pio_engine_desc *desc)
{
    enum { MOST = 4096 };
    const pio_fem_desc *m = desc->fem;
    int rows = 1;
    if (!f->setup.start_only || f->mesh.elements < 1 || are_designed(desc) || m->n_varies || m->relative_density)
        return 1;
    f->materials.row_first = malloc(sizeof *f->materials.row_first * MOST);
    if (!f->materials.row_first) return 0;
    f->materials.row_first[0] = 0;
    for (int e = 1; e < f->mesh.elements; e++) {
        if (same(m, e, e - 1)) continue;
        if (rows == MOST) return 1; /* as many rows as elements are no worse */
        f->materials.row_first[rows++] = e;
    }
    f->materials.rows = rows;
    return 1;
}

int fem_row_of(const fem_sim *f, int element)
{
    int row = f->materials.rows - 1;
    if (!f->materials.rows) return element;
    while (f->materials.row_first[row] > element) row--;
    return row;
}

static void upload(fem_sim *f, real *out, const double *in, int components)
{
    pio_sim *s = &f->base;
    for (int c = 0; c < components; c++) {
        for (int r = 0; r < f->materials.rows; r++)
            s->host_transfer[r] = in[(ptrdiff_t)f->materials.row_first[r] * components + c];
        pio_queue_upload(&s->queue, s->transfer, s->host_transfer, sizeof(double) * (size_t)f->materials.rows);
        pio_map(&s->queue, field_write, f->materials.rows, NULL, .in = s->transfer, .n = f->materials.rows,
                .components = components, .component = c, .out = out);
    }
}

void fem_rows_upload(fem_sim *f, const pio_fem_desc *m)
{
    pio_queue *q = &f->base.queue;
    for (int r = 0; r < f->materials.rows; r++) {
        pio_queue_upload(q, f->materials.law + r, m->law + f->materials.row_first[r], sizeof *m->law);
        pio_queue_upload(q, f->materials.parameter_form + r, m->parameter_form + f->materials.row_first[r],
                         sizeof *m->parameter_form);
    }
    upload(f, f->materials.parameters, m->law_parameters, PIO_LAW_CONSTANTS);
    upload(f, f->materials.density, m->density, 1);
}

/* The faults of elements' shapes are in the step block; those of constants are of the first elements of their rows. */
void fem_rows_check(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const uint64_t none = FEM_NONE;
    uint64_t of_shape = FEM_NONE, of_row = FEM_NONE;
    const fem_matter rows = {
        .elements = f->materials.rows, .law = f->materials.law, .k = f->materials.k, .density = f->materials.density};
    pio_queue_download(q, &of_shape, &f->step->fault, sizeof of_shape);
    pio_queue_upload(q, &f->step->fault, &none, sizeof none);
    pio_map(q, fem_check, f->materials.rows, NULL, .b = {.n = f->materials.rows}, .m = rows, .step = f->step);
    pio_queue_download(q, &of_row, &f->step->fault, sizeof of_row);
    if (of_row != FEM_NONE) {
        const int element = f->materials.row_first[of_row >> 4];
        if ((uint64_t)element <= of_shape >> 4) of_shape = fem_fault_key(element, FEM_CONSTANT);
    }
    pio_queue_upload(q, &f->step->fault, &of_shape, sizeof of_shape);
}
