/* fem_supports.c -- whether the supports constrain every rigid motion of every body, and of every part of one. This is
 * checked before anything is solved. A body is what elements and ties connect. Its rigid motions are those of
 * fem_rigid.c, those of its parts are fem_mechanism.c's; parts of rings that share a node have no motion of their
 * own. */
#include "solvers/fem/fem_supports.h"
#include "solvers/fem/disjoint.h"
#include "solvers/fem/fem_rigid.h"

#include <math.h>
#include <stdlib.h>

/* ---- bodies: union of the nodes of every element ------------------------------------------------------------ */

/* 0 when it is to stop. */
static int connect(const pio_fem_desc *m, const char *(*interrupted)(void), int *parent)
{
    for (int64_t i = 0; i < m->n; i++) parent[i] = (int)i;
    for (int b = 0; b < m->n_blocks; b++) {
        const int nodes = fem_nodes_of(m->blocks[b].type);
        for (int64_t e = 0; e < m->blocks[b].n; e++) {
            const int32_t *node = m->blocks[b].nodes + e * nodes;
            if (fem_stops(interrupted, e)) return 0;
            for (int a = 1; a < nodes; a++) pio_disjoint_join(parent, node[a], node[0]);
        }
    }
    for (int i = 0; i < m->ties.n; i++)
        for (int k = m->ties.start[i]; k < m->ties.start[i + 1]; k++)
            pio_disjoint_join(parent, m->ties.node[i], m->ties.master[k]);
    for (int64_t i = 0; i < m->n; i++) parent[i] = pio_disjoint_root(parent, (int)i);
    return 1;
}

static void measure(const pio_fem_desc *m, const int *of, fem_body *bodies)
{
    for (int64_t i = 0; i < m->n; i++) {
        fem_body *b = &bodies[of[i]];
        b->nodes++;
        for (int c = 0; c < DIM; c++) b->middle[c] += m->rest[i * DIM + c];
    }
    for (int64_t i = 0; i < m->n; i++)
        if (of[i] == i)
            for (int c = 0; c < DIM; c++) bodies[i].middle[c] /= (double)bodies[i].nodes;
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < DIM; c++) {
            fem_body *b = &bodies[of[i]];
            b->size = fmax(b->size, fabs(m->rest[i * DIM + c] - b->middle[c]));
        }
}

/* Rings resist every motion of their section but that along the axis: they would stretch. */
static void hold_rings(const pio_fem_desc *m, const int *of, fem_body *bodies)
{
    for (int64_t i = 0; i < m->n; i++)
        for (int k = 0; k < MOTIONS && of[i] == i; k++) bodies[i].RtR[k][k] += k != 1;
}

/* ---- the verdict -------------------------------------------------------------------------------------------- */

/* Returns whether the body is constrained. */
static int judge(fem_body *b, fem_words *w)
{
    double motion[MOTIONS][MOTIONS] = {{0}};
    const int n = fem_free_motions(b, motion);
    if (!n) return 1;
    fem_say(w, "the body around ");
    fem_say_place(w, b->middle);
    fem_say(w, " is unconstrained: nothing keeps it ");
    fem_say_motions(w, b, motion, n);
    fem_say(w, "; a static body must be constrained against every rigid motion");
    return 0;
}

piola_status fem_check_supports(const pio_fem_desc *m, const char *(*interrupted)(void), piola_error *error)
{
    piola_error own = {0};
    int *of = malloc(sizeof *of * (size_t)m->n), constrained = -1;
    fem_body *bodies = calloc((size_t)m->n, sizeof *bodies);
    fem_words w = {.text = own.message, .size = sizeof own.message};
    if (of && bodies) constrained = connect(m, interrupted, of) ? 1 : -2;
    if (constrained > 0) {
        measure(m, of, bodies);
        fem_support_rows(m, of, NULL, bodies);
        if (m->plane == PIO_AXISYMMETRIC) hold_rings(m, of, bodies);
        for (int64_t i = 0; i < m->n && constrained; i++) constrained = of[i] != i || judge(&bodies[i], &w);
        if (constrained && m->plane != PIO_AXISYMMETRIC)
            constrained = fem_check_mechanisms(m, of, bodies, interrupted, &w);
    }
    free(of);
    free(bodies);
    const char *why = interrupted && constrained == -2 ? interrupted() : NULL;
    if (constrained == -2)
        return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s in setting up a mesh", why ? why : "a signal");
    if (constrained < 0) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %lld nodes", (long long)m->n);
    return constrained ? PIOLA_OK
                       : sim_fail_as(error, PIOLA_BAD_DATA, sim_failure(PIOLA_FAILED_RIGID_MOTION), "%s", own.message);
}
