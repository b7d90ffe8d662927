/* fem_morph.c -- the mesh follows where rest positions are designed: nodes inside move as those of an elastic body
 * whose surface is moved (Stein, Tezduyar and Benney 2003: small elements are stiffer, so that large ones take up the
 * change).
 *
 *     K_ff w_f = -K_fs w_s,    X = X0 + w
 *
 * w_s: what the designs move, 0 where nothing does; f: the nodes that follow. K is that of the linear law on the mesh
 * as described, so that w is a linear map of the designs and its adjoint is one solve with the same matrix:
 *
 *     K_ff y_f = X_bar_f,    X_bar_s += -K_sf y_f */
#include "solvers/fem/fem.h"

static const double tolerance = sizeof(real) == 4 ? 1e-5 : 1e-12;

/* clang-format off */
static fem_block block_of(const fem_sim *f, const fem_part *p)
{
    fem_block b = fem_block_of(f, p, RULE_STIFFNESS);
    b.rest = f->reference;
    b.thick = NULL; /* a thickness that is designed does not change the map */
    return b;
}

static fem_matter matter_of(const fem_sim *f)
{
    return (fem_matter){.elements = f->elements, .law = f->follow_law, .k = f->follow_k, .density = f->density};
}

/* out = K w */
static void apply(fem_sim *f, const real *w, real *out)
{
    pio_queue *q = &f->base.queue;
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(q, fem_force, p->n, NULL, .b = block_of(f, p), .m = matter_of(f), .u = w, .out = f->corner_out);
    pio_queue_zero(q, out, sizeof *out * DIM * (size_t)f->nodes);
    pio_map(q, fem_node_sum, f->nodes, NULL,
            .start = f->corner_start, .corner = f->corner_list, .in = f->corner_out, .scale = 1, .out = out);
    pio_halo(q, out);
}

/* x = 0 where nodes stay; or where they follow. */
static void mask(fem_sim *f, int keep_stays, real *x)
{
    pio_map(&f->base.queue, fem_mask, f->nodes, NULL, .held = f->stays, .keep_held = keep_stays, .x = x);
}

/* K_ff x = b; b is 0 where nodes stay. The Jacobian's memory holds the matrix: there is no step under way. */
static piola_status solve(fem_sim *f, const real *b, real *x, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    pio_krylov_result result = {0};
    pio_queue_zero(q, x, sizeof *x * DIM * (size_t)f->nodes);
    for (const fem_part *p = f->part; p < f->part + f->n_parts; p++)
        pio_map(q, fem_tangent, p->n, NULL,
                .b = block_of(f, p), .m = matter_of(f), .u = x, .pair = p->pair, .pairs = p->pairs,
                .first_pair = p->first_pair, .out = f->pair_out);
    pio_map(q, fem_assemble, f->graph.blocks, NULL,
            .row = f->block_row, .column = f->matrix.column, .start = f->block_start, .source = f->block_source,
            .pairs = f->pair_out, .held = f->stays, .out = f->matrix.value);
    piola_status rc = pio_bsr_invert_diagonal(&f->matrix, error);
    if (rc) return rc;
    const pio_linop op = pio_bsr_operator(&f->matrix, PIO_SPD, 1);
    const pio_krylov_options options = {.method = PIO_PCG,
                                        .tolerance = tolerance,
                                        .max_iterations = f->linear_iterations,
                                        .look_every = q->stream ? 8 : 1,
                                        .interrupted = f->base.interrupted};
    rc = pio_krylov_solve(&f->krylov, q, &(pio_krylov_system){.op = &op, .b = b, .x = x}, &options, &result, error);
    if (!rc || !error) return rc;
    const piola_error said = *error;
    return sim_fail(error, rc, "the update of the mesh: %.1900s", said.message);
}
/* clang-format on */

void fem_morph_begin(fem_sim *f)
{
    if (f->stays) pio_queue_copy(&f->base.queue, f->rest, f->reference, sizeof(real) * DIM * (size_t)f->nodes);
}

piola_status fem_morph(fem_sim *f, piola_error *error)
{
    if (!f->stays) return PIOLA_OK;
    fem_combine(f, 1, f->rest, -1, f->reference, f->du);
    apply(f, f->du, f->rhs);
    fem_combine(f, -1, f->rhs, 0, f->rhs, f->rhs);
    mask(f, 0, f->rhs);
    const piola_status rc = solve(f, f->rhs, f->trial, error);
    if (rc) return rc;
    fem_combine(f, 1, f->rest, 1, f->trial, f->rest);
    return sim_failed(&f->base, error);
}

piola_status fem_morph_adj(fem_sim *f, piola_error *error)
{
    if (!f->stays) return PIOLA_OK;
    fem_combine(f, 1, f->rest_bar, 0, f->rest_bar, f->rhs);
    mask(f, 0, f->rhs);
    const piola_status rc = solve(f, f->rhs, f->lambda, error);
    if (rc) return rc;
    apply(f, f->lambda, f->rhs);
    fem_combine(f, 1, f->rest_bar, -1, f->rhs, f->rest_bar);
    mask(f, 1, f->rest_bar);
    return sim_failed(&f->base, error);
}
