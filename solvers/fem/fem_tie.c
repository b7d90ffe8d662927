/* fem_tie.c -- nodes that are tied to others, u_s = sum_k w_k u_k = T u (kernels/fem/fem_tie.h). The unknowns are those
 * of all other nodes: displacements, rates and solutions of linear solves are extended to tied nodes by T, residuals
 * and cotangents are condensed by T^T, and the matrix is T^T K T (fem_topology.c). So tied nodes count as constrained
 * for all that works on unknowns, and no support has them. The weights are constants: they stay where rest positions
 * are designed. */
#include "solvers/fem/fem.h"

#include <stdlib.h>

/* ---- setting up ------------------------------------------------------------------------------------------- */

/* Returns what is wrong with tied node number i, or NULL; marks [nodes]: 1 tied, 2 constrained. */
static const char *fault_of(const pio_fem_desc *m, int i, const char *marks)
{
    const pio_tie_desc *t = &m->ties;
    if (i && t->node[i] <= t->node[i - 1]) return "tied nodes are in ascending order";
    if (marks[t->node[i]] & 2) return "no support constrains a tied node";
    if (t->start[i + 1] <= t->start[i]) return "a tied node has masters";
    for (int k = t->start[i]; k < t->start[i + 1]; k++) {
        if (t->master[k] < 0 || t->master[k] >= m->n) return "masters are nodes";
        if (marks[t->master[k]] & 1) return "masters are tied to nothing";
    }
    return NULL;
}

piola_status fem_tie_check(const pio_fem_desc *m, piola_error *error)
{
    const pio_tie_desc *t = &m->ties;
    const int explicitly = m->integrator == PIO_LEAPFROG || m->integrator == PIO_REVERSIBLE_LEAPFROG;
    if (!t->n) return PIOLA_OK;
    if (explicitly || m->integrator == PIO_MODAL || fem_on_lattice(m->integrator) || m->follows)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "tied nodes are possible in static scenes and with Newmark's rule, BDF2 "
                        "and backward Euler, where no node follows a design");
    for (int i = 0; i < t->n; i++)
        if (t->node[i] < 0 || t->node[i] >= m->n)
            return sim_fail(error, PIOLA_BAD_DATA, "tied node %d is no node", t->node[i]);
    char *marks = calloc((size_t)m->n, 1);
    if (!marks) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %lld nodes", (long long)m->n);
    const char *fault = NULL;
    for (int i = 0; i < t->n; i++) marks[t->node[i]] |= 1;
    for (int h = 0; h < m->n_constrained; h++) marks[m->constrained_node[h]] |= 2;
    for (int i = 0; i < t->n && !fault; i++) {
        fault = fault_of(m, i, marks);
        if (fault) sim_fail(error, PIOLA_BAD_DATA, "tied node %d: %s", t->node[i], fault);
    }
    free(marks);
    return fault ? PIOLA_BAD_DATA : PIOLA_OK;
}

int fem_tie_begin(fem_sim *f, const pio_fem_desc *m)
{
    const fem_stand_in *s = &f->setup.stand_in;
    f->ties.n = m->ties.n;
    if (!m->ties.n) return 1;
    if (!fem_stand_in_make(&f->setup.stand_in, f->mesh.nodes, &m->ties)) return 0;
    f->ties.entries = m->ties.start[m->ties.n];
    for (int p = 0; p < f->mesh.nodes; p++) f->ties.masters += s->from_start[p + 1] > s->from_start[p] + 1;
    return 1;
}

void fem_tie_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_ties *t = &f->ties;
    if (!t->n) return;
    TAKE(arena, t->node, t->n);
    TAKE(arena, t->start, t->n + 1);
    TAKE(arena, t->master, t->entries);
    TAKE(arena, t->weight, t->entries);
    TAKE(arena, t->master_node, t->masters);
    TAKE(arena, t->master_start, t->masters + 1);
    TAKE(arena, t->tied, t->entries);
    TAKE(arena, t->tied_weight, t->entries);
    if (!f->setup.start_only) TAKE(arena, f->matrix.block_weight, f->matrix.graph.sources);
}

#define UPLOAD(target, source, count) pio_queue_upload(q, target, source, sizeof *(source) * (size_t)(count))

/* Uploads numbers as reals. Returns 0 without memory. */
static int upload_reals(fem_sim *f, real *out, const double *in, int n)
{
    pio_queue *q = &f->base.queue;
    real *own = malloc(sizeof *own * ((size_t)n + 1));
    for (int i = 0; own && i < n; i++) own[i] = (real)in[i];
    if (own) UPLOAD(out, own, n);
    free(own);
    return own != NULL;
}

/* Uploads the transpose: of each master the nodes that are tied to it. Returns 0 without memory. */
static int upload_masters(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_stand_in *s = &f->setup.stand_in;
    const size_t n = (size_t)f->ties.masters, entries = (size_t)f->ties.entries;
    int *node = malloc(sizeof *node * (n + 1)), *start = calloc(n + 1, sizeof *start);
    int *tied = malloc(sizeof *tied * (entries + 1)), at = 0, masters = 0;
    double *weight = malloc(sizeof *weight * (entries + 1));
    int ok = node && start && tied && weight;
    for (int p = 0; ok && p < f->mesh.nodes; p++) {
        if (s->from_start[p + 1] <= s->from_start[p] + 1) continue;
        for (int k = s->from_start[p]; k < s->from_start[p + 1]; k++) {
            if (s->from[k] == p) continue;
            tied[at] = s->from[k];
            weight[at++] = s->from_weight[k];
        }
        node[masters++] = p;
        start[masters] = at;
    }
    if (ok) {
        UPLOAD(f->ties.master_node, node, n);
        UPLOAD(f->ties.master_start, start, n + 1);
        UPLOAD(f->ties.tied, tied, entries);
        ok = upload_reals(f, f->ties.tied_weight, weight, (int)entries);
    }
    free(node);
    free(start);
    free(tied);
    free(weight);
    return ok;
}

piola_status fem_tie_upload(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_ties *t = &f->ties;
    if (!t->n) return PIOLA_OK;
    UPLOAD(t->node, m->ties.node, t->n);
    UPLOAD(t->start, m->ties.start, t->n + 1);
    UPLOAD(t->master, m->ties.master, t->entries);
    int ok = upload_reals(f, t->weight, m->ties.weight, t->entries) && upload_masters(f);
    if (ok && !f->setup.start_only)
        ok = upload_reals(f, f->matrix.block_weight, f->matrix.graph.weight, f->matrix.graph.sources);
    return ok ? PIOLA_OK : sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d tied nodes", t->n);
}

/* ---- in use ------------------------------------------------------------------------------------------------ */

void fem_tie_nodes(fem_sim *f, real *x)
{
    const fem_sim_ties *t = &f->ties;
    if (t->n)
        pio_map(&f->base.queue, fem_tie, t->n, NULL, .node = t->node, .start = t->start, .master = t->master,
                .weight = t->weight, .x = x);
}

void fem_tie_nodes_adj(fem_sim *f, real *x)
{
    const fem_sim_ties *t = &f->ties;
    if (!t->n) return;
    pio_map(&f->base.queue, fem_tie_adj, t->masters, NULL, .node = t->master_node, .start = t->master_start,
            .tied = t->tied, .weight = t->tied_weight, .x = x);
    pio_map(&f->base.queue, fem_tie_clear, t->n, NULL, .node = t->node, .x = x);
}

void fem_condense(fem_sim *f, real *x)
{
    fem_tie_nodes_adj(f, x);
    fem_mask_constrained(f, 0, x);
}
