/* fem_multigrid.c -- the multilevel preconditioner of a mesh (solvers/linear/amg.h): when it is used, from which graph
 * it is made, and when its numbers are made anew.
 *
 * Nodes couple by the elements that they share, each as stiff as its law is at rest and its size: no matrix exists when
 * the memory of a run is planned. Elements with nodes beside their corners are coarsened to their corners first.
 *
 * The iterates of an inexact Newton's method depend on the preconditioner. Its numbers are therefore made anew at the
 * first matrix of every step, part of a step, and adjoint: from there on they depend on nothing but the state at which
 * that begins, and a step that is repeated from whichever state was kept has the same bits. Within a step they serve
 * the matrices of later iterations too, until a solve takes over 1.5 times as many iterations for a digit, and 3, as
 * the first with them did, or the matrix is projected and that of the numbers was not. Of a matrix that is not positive
 * definite they are those of the projected one, which is near (fem_newton.c). */
#include "solvers/fem/fem.h"
#include "kernels/fem/fem_element.h"
#include "kernels/material/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SLOWER = 1.5, SLACK = 3;
/* Products of the matrix with a vector that its setup and a solve by it cost about, and iterations of block-Jacobi for
 * each level of the mesh (fem_direct.c). */
static const double PRODUCTS = 160, ITERATIONS_PER_LEVEL = 8;
static const double QUADRATIC = 4; /* times as many iterations, where elements have nodes beside their corners */

/* ---- the graph -------------------------------------------------------------------------------------------- */

static pio_element_type corner_type(pio_element_type type)
{
    switch (type) {
    case PIO_TRI6:
        return PIO_TRI3;
    case PIO_QUAD8:
    case PIO_QUAD9:
        return PIO_QUAD4;
    case PIO_TET10:
        return PIO_TET4;
    case PIO_HEX20:
    case PIO_HEX27:
        return PIO_HEX8;
    default:
        return type;
    }
}

/* Which corners node a of an element is the mean of: those whose linear shape functions are not 0 there. */
static int corners_of(pio_element_type type, int a, int corner[8])
{
    const pio_element_type linear = corner_type(type);
    const int corners = fem_nodes_of(linear);
    real xi[3] = {0, 0, 0};
    int n = 0;
    if (a < corners) {
        corner[0] = a;
        return 1;
    }
    if (element_is_simplex(type)) {
        const int *edge = type == PIO_TRI6 ? tri6_edge[a - corners] : tet10_edge[a - corners];
        memcpy(corner, edge, 2 * sizeof *edge);
        return 2;
    }
    for (int k = 0; k < element_rdim[type]; k++) xi[k] = (real)(lattice_index((int)type, a, k) - 1);
    for (int c = 0; c < corners; c++)
        if (element_shape((int)linear, c, xi).N > (real)0.01) corner[n++] = c;
    return n;
}

static int find(const fem_graph *g, int row, int column)
{
    int begin = g->row_start[row], end = g->row_start[row + 1];
    while (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        if (g->column[middle] <= column)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

/* The modulus of pressure waves of element e at rest, Pa. */
static double modulus_of(const pio_fem_desc *m, int e)
{
    hyper_constants parameters = {{0}};
    for (int c = 0; c < law_count(m->law[e]); c++)
        parameters.k[c] = (real)m->law_parameters[(ptrdiff_t)e * PIO_LAW_CONSTANTS + c];
    return (double)law_wave_modulus(m->law[e], law_from_parameters(m->law[e], m->parameter_form[e], parameters));
}

/* How large an element is, m: twice the root of the mean squared distance of its corners from their centre, over the
 * root of the dimension. */
static double size_of(const pio_fem_desc *m, const int32_t *node, int corners)
{
    double square = 0;
    for (int c = 0; c < DIM; c++) {
        double mean = 0;
        for (int a = 0; a < corners; a++) mean += m->rest[(ptrdiff_t)node[a] * DIM + c] / corners;
        for (int a = 0; a < corners; a++) {
            const double x = m->rest[(ptrdiff_t)node[a] * DIM + c] - mean;
            square += x * x / corners;
        }
    }
    return 2 * sqrt(square / DIM);
}

/* Returns the node that stands for another in the matrix, of several masters the one with the largest weight. */
static int stands_for(const fem_sim *f, int node)
{
    const fem_stand_in *s = &f->setup.stand_in;
    if (!f->ties.n) return node;
    int heaviest = s->start[node];
    for (int k = heaviest + 1; k < s->start[node + 1]; k++)
        if (fabs(s->weight[k]) > fabs(s->weight[heaviest])) heaviest = k;
    return s->node[heaviest];
}

/* How strongly the corners of elements couple, for each block of the matrix, N/m; how many elements a wave crosses in a
 * step, at most, of a mesh that moves. Returns NULL without memory. */
static float *coupling_of(const fem_sim *f, const pio_fem_desc *m, double *crossed)
{
    const fem_graph *g = &f->matrix.graph;
    float *coupling = calloc((size_t)g->blocks + 1, sizeof *coupling);
    int e = 0;
    *crossed = 0;
    for (int b = 0; coupling && b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type), corners = fem_nodes_of(corner_type(m->blocks[b].type));
        for (int i = 0; i < m->blocks[b].n; i++, e++) {
            const int32_t *node = m->blocks[b].nodes + (ptrdiff_t)i * nodes;
            const double modulus = modulus_of(m, e), size = size_of(m, node, corners);
            const double stiffness = modulus * (DIM == 3 ? size : m->thickness ? m->thickness[e] : 1);
            if (m->density[e] > 0)
                *crossed = fmax(*crossed, f->stepping.dt * sqrt(fmax(modulus, 0) / m->density[e]) / size);
            if (!(stiffness > 0)) continue;
            for (int a = 0; a < corners; a++)
                for (int c = 0; c < corners; c++)
                    coupling[find(g, stands_for(f, node[a]), stands_for(f, node[c]))] += (float)stiffness;
        }
    }
    return coupling;
}

/* Inserts a number into n ascending ones. */
static void insert(int *list, int n, int number)
{
    for (; n > 0 && list[n - 1] > number; n--) list[n] = list[n - 1];
    list[n] = number;
}

/* Corners as rows of their own, and the corners whose mean each node is. Returns 0 without memory. */
static int find_corners(fem_sim_multigrid *g, const pio_fem_desc *m)
{
    const size_t nodes = (size_t)m->n;
    int *number = malloc(sizeof *number * (nodes + 1)), corner[8], quadratic = 0;
    if (!number) return 0;
    for (size_t i = 0; i < nodes; i++) number[i] = 1; /* 1: a corner, or in no element */
    for (int b = 0; b < m->n_blocks; b++) {
        const int n = fem_nodes_of(m->blocks[b].type), corners = fem_nodes_of(corner_type(m->blocks[b].type));
        quadratic |= n != corners;
        for (ptrdiff_t i = 0; i < (ptrdiff_t)m->blocks[b].n * n; i++)
            if (i % n >= corners) number[m->blocks[b].nodes[i]] = 0;
    }
    for (int b = 0; b < m->n_blocks; b++) { /* what is a corner of one element is a corner */
        const int n = fem_nodes_of(m->blocks[b].type), corners = fem_nodes_of(corner_type(m->blocks[b].type));
        for (ptrdiff_t i = 0; i < (ptrdiff_t)m->blocks[b].n * n; i++)
            if (i % n < corners) number[m->blocks[b].nodes[i]] = 1;
    }
    if (!quadratic) {
        free(number);
        return 1;
    }
    unsigned char *done = calloc(nodes + 1, 1);
    g->node = malloc(sizeof *g->node * (nodes + 1));
    g->p_start = calloc(nodes + 2, sizeof *g->p_start);
    g->p_column = malloc(sizeof *g->p_column * (8 * nodes + 1));
    int ok = done && g->node && g->p_start && g->p_column;
    for (size_t i = 0; ok && i < nodes; i++) {
        if (number[i]) g->node[g->corners] = (int)i;
        number[i] = number[i] ? g->corners++ : -1;
    }
    for (int pass = 0; ok && pass < 2; pass++) { /* count, then list */
        for (size_t i = 0; i < nodes; i++) {
            if (number[i] < 0) continue;
            if (pass)
                g->p_column[g->p_start[i]] = number[i];
            else
                g->p_start[i + 1] = 1;
        }
        for (int b = 0; b < m->n_blocks; b++) {
            const int n = fem_nodes_of(m->blocks[b].type);
            for (ptrdiff_t i = 0; i < (ptrdiff_t)m->blocks[b].n * n; i++) {
                const int32_t *element = m->blocks[b].nodes + i / n * n;
                const int here = m->blocks[b].nodes[i];
                if (number[here] >= 0) continue;
                if (!pass ? g->p_start[here + 1] > 0 : done[here]) continue; /* of the first element that has it */
                const int count = corners_of(m->blocks[b].type, (int)(i % n), corner);
                if (!pass) g->p_start[here + 1] = count;
                done[here] = (unsigned char)pass;
                for (int k = 0; pass && k < count; k++)
                    insert(g->p_column + g->p_start[here], k, number[element[corner[k]]]);
            }
        }
        for (size_t i = 0; !pass && i < nodes; i++) g->p_start[i + 1] += g->p_start[i];
    }
    free(done);
    free(number);
    return ok;
}

/* Which nodes cannot move at all, and along which axes each cannot. Returns NULL without memory. */
static int *constrained_axes(const pio_fem_desc *m)
{
    int *axes = calloc((size_t)m->n + 1, sizeof *axes);
    for (int i = 0; axes && i < m->n_constrained; i++) axes[m->constrained_node[i]] |= 1 << m->constrained_axis[i];
    for (int i = 0; axes && i < m->ties.n; i++) axes[m->ties.node[i]] = (1 << DIM) - 1;
    return axes;
}

static int make_plan(fem_sim *f, const pio_fem_desc *m, const float *coupling)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    int *axes = constrained_axes(m);
    unsigned char *left_out = malloc((size_t)m->n + 1);
    int ok = axes && left_out && find_corners(g, m);
    for (int64_t i = 0; ok && i < m->n; i++) left_out[i] = axes[i] == (1 << DIM) - 1;
    const pio_amg_source source = {.pattern = {.rows = f->mesh.nodes,
                                               .blocks = f->matrix.graph.blocks,
                                               .row_start = f->matrix.graph.row_start,
                                               .column = f->matrix.graph.column,
                                               .coupling = coupling},
                                   .left_out = left_out,
                                   .corners = g->corners,
                                   .node = g->node,
                                   .p_start = g->p_start,
                                   .p_column = g->p_column};
    ok = ok && pio_amg_plan_make(&g->plan, &source);
    free(axes);
    free(left_out);
    return ok;
}

static int is_quadratic(const pio_fem_desc *m)
{
    int quadratic = 0;
    for (int b = 0; b < m->n_blocks; b++) quadratic |= corner_type(m->blocks[b].type) != m->blocks[b].type;
    return quadratic;
}

/* ---- the choice ------------------------------------------------------------------------------------------- */

piola_status fem_choose_preconditioner(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    fem_levels shape = {0};
    double crossed;
    if (fem_leaps(f) || f->setup.start_only || m->preconditioner == PIO_PRECONDITIONER_JACOBI) return PIOLA_OK;
    const int known = m->preconditioner == PIO_PRECONDITIONER_AUTO
                          ? fem_graph_levels(&f->matrix.graph, &shape, f->base.interrupted)
                          : 1;
    if (known == -2)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", f->base.interrupted());
    float *coupling = known ? coupling_of(f, m, &crossed) : NULL;
    int ok = coupling != NULL;
    if (ok) {
        const int moves = fem_moves(f);
        const double levels = moves ? fmin(shape.levels, 2 * crossed) : shape.levels;
        const double iterations = ITERATIONS_PER_LEVEL * levels * (is_quadratic(m) ? QUADRATIC : 1);
        g->chosen =
            m->preconditioner == PIO_PRECONDITIONER_MULTIGRID || f->linear.pressure.count || iterations > PRODUCTS;
    }
    if (ok && g->chosen) ok = make_plan(f, m, coupling);
    free(coupling);
    return ok ? PIOLA_OK : sim_fail(error, PIOLA_NO_MEMORY, "no host memory for levels of %d nodes", f->mesh.nodes);
}

/* Counted twice: products wait for memory, where elimination computes. Systems with pressures take some four times the
 * iterations. */
double fem_multigrid_products(const fem_sim *f)
{
    return (f->linear.pressure.count ? 8 : 2) * PRODUCTS;
}

void fem_multigrid_drop(fem_sim *f)
{
    fem_multigrid_free_plan(f);
    f->linear.multigrid.chosen = 0;
}

/* Nodes of elements of the linear law alone. */
static void mark_at_rest(const pio_fem_desc *m, int *axes)
{
    for (int64_t i = 0; i < m->n; i++) axes[i] |= AMG_AT_REST;
    for (int b = 0, e = 0; b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type);
        for (ptrdiff_t i = 0; i < m->blocks[b].n; i++, e++)
            for (int a = 0; a < nodes && m->law[e] != PIO_HYPER_LINEAR; a++)
                axes[m->blocks[b].nodes[i * nodes + a]] &= ~AMG_AT_REST;
    }
}

void fem_multigrid_layout(fem_sim *f)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    const int64_t room = (int64_t)(f->matrix.element_blocks + f->matrix.face_blocks) * DIM * DIM;
    if (g->chosen) pio_amg_layout(&g->amg, &f->base.arena, &g->plan, room);
}

piola_status fem_multigrid_begin(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    if (!g->chosen) return PIOLA_OK;
    int *axes = constrained_axes(m);
    if (!axes) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d nodes", f->mesh.nodes);
    mark_at_rest(m, axes);
    const piola_status rc = pio_amg_begin(&g->amg, &f->base.queue, &g->plan, &f->matrix.bsr, axes, error);
    f->matrix.bsr.multigrid = &g->amg;
    g->amg.symmetric = f->matrix.kind != PIO_GENERAL; /* blocks (i,j) and (j,i) sum the same terms in one order */
    free(axes);
    return rc;
}

void fem_multigrid_free_plan(fem_sim *f)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    pio_amg_plan_free(&g->plan);
    free(g->node);
    free(g->p_start);
    free(g->p_column);
    g->node = g->p_start = g->p_column = NULL;
}

/* ---- its numbers ------------------------------------------------------------------------------------------ */

void fem_multigrid_expire(fem_sim *f)
{
    f->linear.multigrid.fresh = 0;
}

static piola_status refresh(fem_sim *f, piola_error *error)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    g->of_projected = f->matrix.projected;
    return pio_amg_refresh(&g->amg, f->mesh.rest, f->matrix.at, f->matrix.block_out, &g->right, error);
}

/* Numbers of the matrix at hand, or where that is not positive definite of the projected one. */
static piola_status refresh_positive(fem_sim *f, piola_error *error)
{
    const fem_span span = f->matrix.span;
    const real *u = f->matrix.at;
    piola_status rc = refresh(f, error);
    f->linear.multigrid.negative = !rc && !f->linear.multigrid.right;
    if (rc || f->linear.multigrid.right || f->matrix.projected || f->matrix.kind == PIO_GENERAL) return rc;
    fem_projected_jacobian(f, span, u);
    rc = refresh(f, error);
    fem_jacobian(f, span, u);
    return rc;
}

piola_status fem_multigrid_ready(fem_sim *f, pio_preconditioner *which, piola_error *error)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    *which = PIO_BLOCK_JACOBI;
    if (!g->chosen || g->skipped) return PIOLA_OK;
    if (!g->fresh || g->slow || (f->matrix.projected && !g->of_projected)) {
        fem_pressure_reduce(f, 1);
        piola_status rc = pio_bsr_invert_diagonal(&f->matrix.bsr, error); /* what holds no node is said as ever */
        if (!rc) rc = refresh_positive(f, error);
        fem_pressure_reduce(f, 0);
        if (rc) return rc;
        g->fresh = 1;
        g->slow = 0;
        g->first_rate = -1;
    }
    if (g->right) *which = PIO_MULTIGRID;
    return PIOLA_OK;
}

void fem_multigrid_took(fem_sim *f, int iterations, double tolerance)
{
    fem_sim_multigrid *g = &f->linear.multigrid;
    const double digits = -log10(tolerance);
    if (g->first_rate < 0)
        g->first_rate = iterations / digits;
    else
        g->slow = iterations > SLOWER * g->first_rate * digits + SLACK;
}
