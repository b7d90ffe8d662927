/* fem_direct.c -- the choice of the linear solver of a mesh, and solves by a factor of the Jacobian.
 *
 * `auto` compares work. Conjugate gradients with block-Jacobi need iterations in proportion to the length of the mesh,
 * counted in neighbours (levels of fem_topology.h), each of two operations per entry of the matrix: slender bodies take
 * many, and by far the most where bending is soft. A factorisation takes what its analysis says, which is little for
 * slender and plane bodies and a lot for thick ones. So:
 *
 *     direct  if  operations of a factorisation <= 2 entries ITERATIONS_PER_LEVEL levels,  and its bytes are allowed
 *     pcg     otherwise
 *
 * and where they are preconditioned by multigrid (fem_multigrid.c), as many products as that costs whatever the length.
 *
 * The analysis of a large thick body is itself work: it is left out where eliminating level by level, which nothing but
 * a better order improves upon, takes more than HOPELESS times that.
 *
 * That is a guess of work, not of success: where a solve of `auto` fails, the other solver goes on (fem_standby.c).
 *
 * A factor of K with negative pivots says that the state is unstable: K^-1 r may lead uphill. It is counted, and the
 * direction is made with the projected matrix, or where that is not wanted by conjugate gradients. An adjoint is exact
 * whatever the signs. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_modal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ITERATIONS_PER_LEVEL = 8, HOPELESS = 64;
static const double LOOSE = 1e-2; /* residual of a direction: one that a factor gives is far below it, or of no use */

piola_status fem_direct_library(const pio_backend *backend, int32_t device, const pio_direct_table **table,
                                char name[128], piola_error *error)
{
    char why[3 * PIO_DIRECT_TEXT] = "";
    name[0] = '\0';
    for (int i = 0; i < 2 && backend->direct[i]; i++) {
        char message[PIO_DIRECT_TEXT] = "";
        *table = pio_direct_open(backend->direct[i], message);
        if (*table && (*table)->probe(device, name, message) == PIO_DIRECT_OK) return PIOLA_OK;
        snprintf(why + strlen(why), sizeof why - strlen(why), "%s%s", why[0] ? "; " : "", message);
    }
    *table = NULL;
    return sim_fail(error, PIOLA_UNAVAILABLE, "no direct solver for %s: %s", backend->name, why);
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

const char *fem_iterative_name(const fem_sim *f)
{
    if (f->matrix.kind == PIO_GENERAL) return "GMRES"; /* follower loads or friction make it general */
    return f->linear.pressure.count ? "MINRES with pressures" : "conjugate gradients";
}

#define SAY(...) snprintf(f->linear.solver_why, sizeof f->linear.solver_why, __VA_ARGS__)

static void take_pcg(fem_sim *f)
{
    pio_direct_free(&f->linear.direct);
    snprintf(f->linear.solver, sizeof f->linear.solver, "%s with %s", fem_iterative_name(f),
             f->linear.multigrid.chosen ? "multigrid" : "block-Jacobi");
}

static void take_direct(fem_sim *f, const char *name)
{
    f->linear.direct_first = f->linear.standby.by_factor = 1;
    f->base.library = f->linear.direct.forecast.bytes;
    snprintf(f->linear.solver, sizeof f->linear.solver, "%.40s, %s", name,
             pio_direct_method_name(f->linear.direct.method));
}

piola_status fem_direct_analyse(fem_sim *f, const pio_direct_table *table, const pio_direct_blocks *blocks, double most,
                                piola_error *error)
{
    const pio_linear_method method = pio_direct_method(table, f->matrix.kind);
    const pio_direct_choice choice = {
        .table = table,
        .ordinal = f->base.ordinal,
        .method = method,
        .kind = method == PIO_CHOLESKY ? PIO_SPD : f->matrix.kind, /* at a stable state, and reported elsewhere */
        .most = most};
    return pio_direct_analyse(&f->linear.direct, &choice, blocks, error);
}

static piola_status analyse(fem_sim *f, const pio_direct_table *table, double most, piola_error *error)
{
    const pio_direct_blocks blocks = {
        .rows = f->mesh.nodes, .row_start = f->matrix.graph.row_start, .column = f->matrix.graph.column};
    return fem_direct_analyse(f, table, &blocks, most, error);
}

static piola_status choose_direct(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    const pio_direct_table *table;
    char name[128];
    piola_error said = {0};
    piola_status rc = fem_direct_library(f->base.arena.backend, f->base.ordinal, &table, name, &said);
    if (rc) return sim_fail(error, rc, "solver.linear is direct: %.1500s; 'linear: pcg' would be right", said.message);
    rc = analyse(f, table, m->direct_memory, &said);
    if (rc)
        return sim_fail(error, rc, "solver.linear is direct: %.1500s%s", said.message,
                        rc == PIOLA_NO_MEMORY ? "; a larger solver.direct_memory, or 'linear: pcg', would be right"
                                              : "");
    SAY("the scene requests it");
    take_direct(f, name);
    return PIOLA_OK;
}

static piola_status choose_by_rule(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    const pio_direct_table *table;
    char name[128];
    piola_error said = {0};
    fem_levels shape;
    if (f->pairs.on) {
        SAY("auto: no factor follows the pattern of the matrix where surfaces touch each other");
        return PIOLA_OK;
    }
    if (fem_direct_library(f->base.arena.backend, f->base.ordinal, &table, name, &said)) {
        SAY("auto: %.250s", said.message);
        return PIOLA_OK;
    }
    snprintf(f->linear.standby.factor, sizeof f->linear.standby.factor, "%.40s, %s", name,
             pio_direct_method_name(pio_direct_method(table, f->matrix.kind)));
    const int known = fem_graph_levels(&f->matrix.graph, &shape, f->base.interrupted);
    if (known == -2)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", f->base.interrupted());
    if (!known) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for levels of %d nodes", f->mesh.nodes);
    const double iterations =
        f->linear.multigrid.chosen ? fem_multigrid_products(f) : ITERATIONS_PER_LEVEL * shape.levels;
    const double iterative = 2.0 * DIM * DIM * f->matrix.graph.blocks * iterations;
    const double banded = DIM * DIM * DIM * shape.elimination;
    if (banded > HOPELESS * iterative) {
        SAY("auto: iterations as %.0f products are %.2g operations, and an elimination level by level %.2g, over %.0f "
            "times as many",
            iterations, iterative, banded, HOPELESS);
        return PIOLA_OK;
    }
    const piola_status rc = analyse(f, table, m->direct_memory, &said);
    if (rc == PIOLA_NO_MEMORY) {
        SAY("auto: %.240s by solver.direct_memory", said.message);
        return PIOLA_OK;
    }
    if (rc) return sim_fail(error, rc, "%.1500s", said.message);
    const double operations = f->linear.direct.forecast.operations > 0 ? f->linear.direct.forecast.operations : banded;
    if (f->linear.multigrid.chosen)
        SAY("auto: a factorisation takes %.2g operations, multigrid counts as %.2g", operations, iterative);
    else
        SAY("auto: a factorisation takes %.2g operations, %.0f iterations of conjugate gradients %.2g", operations,
            iterations, iterative);
    if (operations <= iterative) take_direct(f, name);
    return PIOLA_OK;
}

/* Modal analysis inverts K - shift M, and counts its negative pivots. */
static piola_status choose_modal(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    const pio_direct_table *table;
    char name[128], modes[128];
    piola_error said = {0};
    piola_status rc = fem_direct_library(f->base.arena.backend, f->base.ordinal, &table, name, &said);
    if (!rc && pio_direct_method(table, f->matrix.kind) != PIO_LDLT)
        rc = sim_fail(&said, PIOLA_UNAVAILABLE, "%s has no LDL^T, whose pivots count eigenvalues", name);
    if (!rc) rc = analyse(f, table, m->direct_memory, &said);
    if (rc)
        return sim_fail(error, rc, "modal analysis: %.1500s%s", said.message,
                        rc == PIOLA_NO_MEMORY ? "; a larger solver.direct_memory would be right" : "");
    take_direct(f, name);
    rc = fem_modal_choose(f, m, modes, error);
    if (rc) return rc;
    SAY("modal analysis shifts and inverts");
    snprintf(f->linear.solver, sizeof f->linear.solver, "%.24s, %s, and %.16s", name,
             pio_direct_method_name(f->linear.direct.method), modes);
    if (m->preconditioner == PIO_PRECONDITIONER_AUTO) fem_multigrid_drop(f);
    return PIOLA_OK;
}

piola_status fem_choose_solver(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    if (fem_leaps(f)) return rc;
    if (fem_is_modal(f)) return choose_modal(f, m, error);
    if (m->linear == PIO_SOLVE_PCG) SAY("the scene requests it");
    if (m->linear == PIO_SOLVE_DIRECT) rc = choose_direct(f, m, error);
    if (m->linear == PIO_SOLVE_AUTO) rc = choose_by_rule(f, m, error);
    if (!rc && f->linear.direct_first && m->preconditioner == PIO_PRECONDITIONER_AUTO) fem_multigrid_drop(f);
    if (!rc && !f->linear.solver[0]) take_pcg(f);
    return rc;
}

/* ---- solves --------------------------------------------------------------------------------------------- */

/* Factorises the matrix at hand, unless its factor is there. */
static piola_status factorise(fem_sim *f, int transposed, int *negative, piola_error *error)
{
    fem_constant_matrix *c = &f->matrix.constant;
    if (c->valid && c->factored) {
        *negative = c->negative;
        return PIOLA_OK;
    }
    const piola_status rc = pio_direct_factor(&f->linear.direct, transposed, negative, error);
    c->factored = !rc;
    c->negative = *negative;
    return rc;
}

piola_status fem_direct_newton(fem_sim *f, const real *b, real *x, int32_t *solves, piola_error *error)
{
    int negative = 0;
    pio_direct_result result;
    const pio_direct_request request = {.columns = 1, .b = b, .x = x, .tolerance = LOOSE};
    piola_status rc = factorise(f, 0, &negative, error);
    if (!rc && negative) return PIOLA_NO;
    if (!rc) rc = pio_direct_solve(&f->linear.direct, &request, &result, error);
    if (f->matrix.kind != PIO_GENERAL && rc == PIOLA_NUMERICAL) return PIOLA_NO; /* singular to rounding */
    if (!rc) *solves = result.solves;
    return rc;
}

/* J^T x = b; J was assembled at the solution. */
piola_status fem_direct_adjoint(fem_sim *f, const real *b, real *x, double tolerance, int32_t *solves, double *residual,
                                piola_error *error)
{
    int negative = 0;
    pio_direct_result result = {0};
    const pio_direct_request request = {
        .transposed = f->matrix.kind == PIO_GENERAL, .columns = 1, .b = b, .x = x, .tolerance = tolerance};
    piola_status rc = factorise(f, request.transposed, &negative, error);
    if (rc == PIOLA_NUMERICAL && f->linear.direct.method == PIO_CHOLESKY) return PIOLA_NO; /* MINRES can */
    if (!rc) rc = pio_direct_solve(&f->linear.direct, &request, &result, error);
    *solves = result.solves;
    *residual = result.relative;
    return rc;
}
