/* fem_morph.c -- the mesh follows where rest positions are designed: nodes inside move as those of an elastic body
 * whose surface is moved (Stein, Tezduyar and Benney 2003: small elements are stiffer, so that large ones take up the
 * change).
 *
 *     K_ff w_f = -K_fs w_s,    X = X0 + w
 *
 * w_s: what the designs move, 0 where nothing does; f: the nodes that follow. K is that of the linear law on the
 * reference mesh, so that w is a linear map of the designs and its adjoint is one solve with the same matrix:
 *
 *     K_ff y_f = X_bar_f,    X_bar_s += -K_sf y_f */
#include "solvers/fem/fem.h"

static const double tolerance = sizeof(real) == 4 ? 1e-5 : 1e-12;

/* clang-format off */
static fem_block block_of(const fem_sim *f, const fem_element_block *p)
{
    fem_block b = fem_block_of(f, p, RULE_STIFFNESS);
    b.dilatations = 0;
    b.plane = PIO_PLANE_STRAIN; /* sections of rings move as a slice does */
    b.rest = f->mesh.reference;
    b.thick = NULL; /* a thickness that is designed does not change the map */
    return b;
}

static fem_matter matter_of(const fem_sim *f)
{
    return (fem_matter){.elements = f->mesh.elements, .law = f->morph.law, .k = f->morph.k,
                        .density = f->materials.density};
}

/* out = K w */
static void apply(fem_sim *f, const real *w, real *out)
{
    pio_queue *q = &f->base.queue;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_force, p->n, NULL, .b = block_of(f, p), .m = matter_of(f), .u = w, .out = f->mesh.dof_out);
    pio_queue_zero(q, out, sizeof *out * DIM * (size_t)f->mesh.nodes);
    pio_map(q, fem_node_sum, f->mesh.nodes, NULL,
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .in = f->mesh.dof_out, .scale = 1,
            .out = out);
    pio_halo(q, out);
}

/* x = 0 where nodes stay; or where they follow. */
static void mask(fem_sim *f, int keep_stays, real *x)
{
    pio_map(&f->base.queue, fem_mask, f->mesh.nodes, NULL, .constrained = f->morph.fixed,
            .keep_constrained = keep_stays, .x = x);
}

/* K_ff x = b, by conjugate gradients; b is 0 where nodes stay. The Jacobian's memory holds the matrix: there is no step
 * under way. */
static piola_status solve_by_iterations(fem_sim *f, const real *b, real *x, int *iterations, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    pio_krylov_result result = {0};
    pio_queue_zero(q, x, sizeof *x * DIM * (size_t)f->mesh.nodes);
    f->matrix.constant.valid = 0;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_tangent, p->n, NULL,
                .b = block_of(f, p), .m = matter_of(f), .u = x, .node_pair = p->node_pair, .node_pairs = p->node_pairs,
                .first_node_pair = p->first_node_pair, .out = f->matrix.block_out);
    if (f->matrix.face_blocks) /* what loads and contact have left */
        pio_queue_zero(q, f->matrix.block_out + (size_t)f->matrix.element_blocks * DIM * DIM,
                       sizeof *f->matrix.block_out * DIM * DIM * (size_t)f->matrix.face_blocks);
    pio_map(q, fem_assemble, f->matrix.graph.blocks, NULL,
            .blocks = f->matrix.graph.blocks, .row = f->matrix.block_row, .column = f->matrix.bsr.column,
            .start = f->matrix.block_start, .source = f->matrix.block_source, .element_matrices = f->matrix.block_out,
            .constrained = f->morph.fixed, .out = f->matrix.bsr.value);
    f->matrix.bsr.beside = (bsr_beside){0};
    piola_status rc = pio_bsr_invert_diagonal(&f->matrix.bsr, error);
    if (rc) return rc;
    const pio_linop op = pio_bsr_operator(&f->matrix.bsr, PIO_SPD, 1);
    const pio_krylov_options options = {.method = PIO_PCG,
                                        .tolerance = tolerance,
                                        .max_iterations = f->linear.iterations,
                                        .check_every = q->stream ? 16 : 1,
                                        .few_launches = q->stream != NULL,
                                        .interrupted = f->base.interrupted};
    rc = pio_krylov_solve(&f->linear.krylov, q, &(pio_krylov_system){.op = &op, .b = b, .x = x}, &options, &result,
                          error);
    *iterations = result.iterations;
    return rc;
}

/* The same by a factor, where iterations have failed. */
static piola_status solve_by_factor(fem_sim *f, const real *b, real *x, piola_error *error)
{
    int negative = 0;
    pio_direct_result result;
    const pio_direct_request request = {.columns = 1, .b = b, .x = x, .tolerance = tolerance};
    pio_queue_zero(&f->base.queue, x, sizeof *x * DIM * (size_t)f->mesh.nodes);
    const piola_status rc = pio_direct_factor(&f->linear.direct, 0, &negative, error);
    return rc ? rc : pio_direct_solve(&f->linear.direct, &request, &result, error);
}

/* K_ff x = b; unless the scene requests iterations, by a factor where these fail. */
static piola_status solve(fem_sim *f, const real *b, real *x, piola_error *error)
{
    piola_error failed = {0}, said = {0};
    int iterations = 0;
    piola_status rc = solve_by_iterations(f, b, x, &iterations, &failed);
    if (!rc) return rc;
    const int goes_on = rc == PIOLA_NUMERICAL && (f->linear.standby.automatic || f->linear.direct_first);
    const piola_status ready = goes_on ? fem_standby_ready(f, &said) : PIOLA_NO;
    if (ready && ready != PIOLA_NO)
        return sim_fail(error, ready, "the update of the mesh: %.900s; %.900s", failed.message, said.message);
    if (!ready) {
        fem_standby_count(f, 1, failed.failure, iterations);
        rc = solve_by_factor(f, b, x, &said);
        if (!rc) return rc;
    }
    if (rc == PIOLA_NUMERICAL) fem_standby_advise(f, 0, goes_on ? &said : NULL, &failed);
    return sim_fail(error, rc, "the update of the mesh: %.1900s", failed.message);
}
/* clang-format on */

void fem_morph_begin(fem_sim *f)
{
    if (f->morph.fixed)
        pio_queue_copy(&f->base.queue, f->mesh.rest, f->mesh.reference, sizeof(real) * DIM * (size_t)f->mesh.nodes);
}

piola_status fem_morph(fem_sim *f, piola_error *error)
{
    if (!f->morph.fixed) return PIOLA_OK;
    fem_combine(f, 1, f->mesh.rest, -1, f->mesh.reference, f->newton.du);
    apply(f, f->newton.du, f->newton.rhs);
    fem_combine(f, -1, f->newton.rhs, 0, f->newton.rhs, f->newton.rhs);
    mask(f, 0, f->newton.rhs);
    const piola_status rc = solve(f, f->newton.rhs, f->newton.trial, error);
    if (rc) return rc;
    fem_combine(f, 1, f->mesh.rest, 1, f->newton.trial, f->mesh.rest);
    return sim_failed(&f->base, error);
}

piola_status fem_morph_adj(fem_sim *f, piola_error *error)
{
    if (!f->morph.fixed) return PIOLA_OK;
    fem_combine(f, 1, f->mesh.rest_bar, 0, f->mesh.rest_bar, f->newton.rhs);
    mask(f, 0, f->newton.rhs);
    const piola_status rc = solve(f, f->newton.rhs, f->newton.lambda, error);
    if (rc) return rc;
    apply(f, f->newton.lambda, f->newton.rhs);
    fem_combine(f, 1, f->mesh.rest_bar, -1, f->newton.rhs, f->mesh.rest_bar);
    mask(f, 1, f->mesh.rest_bar);
    return sim_failed(&f->base, error);
}
