/* bench_traffic.c -- the bytes that a step must move, and the operations of its hot kernels. Every array that a stage
 * reads or writes is counted once per stage, by its items: particles, occupied blocks, active nodes or nodes of the
 * box; an array that is added to counts twice. The actual traffic is smaller by what stays in caches between stages,
 * and larger by cache lines that are read before they are written.
 *
 * Operations are counted from the formulas of the method (Jiang, Schroeder, Teran, Stomakhin and Selle 2016), not from
 * the code: each multiplication, addition, division, root and logarithm is one. With d axes and N = 3^d nodes:
 * - weights of quadratic B-splines: 9 d, and 3^2 + ... + 3^d products;
 * - a transfer to nodes: the mass, 2 N, and d components of an affine field, N d (2 d + 2);
 * - a transfer from nodes: d components and their d^2 slopes, N (2 d + d (2 d + 1));
 * - a stress as of a neo-Hookean solid, of any law: determinant and inverse 2 d^3, a product 2 d^3, sums 5 d^2;
 * - F of the next step, d^2 (2 d + 1), and the position, 2 d;
 * - a node's velocity from its momentum, with gravity: 3 d + 1.
 * An adjoint has twice the operations of what it differentiates, since a product has two derivatives, and the stress
 * once more, which it computes again. */
#include "host/bench/bench.h"
#include "host/base/fail.h"
#include "host/scene/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that a stage moves per item: `ints` of 4 bytes and `reals` of the engine's precision. */
typedef struct {
    double ints, reals;
} moved;
typedef struct {
    moved particle, block, active, box;
} stage;

typedef struct {
    double particles, blocks, active, box, real;
} counts;

static double bytes_of(const stage *s, const counts *n)
{
    const moved *m[4] = {&s->particle, &s->block, &s->active, &s->box};
    const double items[4] = {n->particles, n->blocks, n->active, n->box};
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += items[i] * (4 * m[i]->ints + n->real * m[i]->reals);
    return sum;
}

/* Nodes of a block along each axis, see kernels/mpm/mpm_args.h. */
static int block_edge(int dimension)
{
    return dimension == 3 ? 4 : 8;
}

/* Appends the work of a kernel, one call for each of these stages. */
static void add_work(pio_bench *b, const char *kernel, bool adjoint, double bytes, double operations)
{
    b->works[b->n_works++] = (pio_kernel_work){kernel, adjoint, bytes, operations};
}

/* The operations of a particle in each part of a step, see above. */
typedef struct {
    double to_nodes, from_nodes, stress, state;
} operations;

/* Counts them. d: dimension; fluid: F is one number, the ratio of volumes. */
static operations count_operations(double d, bool fluid)
{
    const double nodes = pow(3, d), weights = 9 * d + (d > 2 ? 36 : 9);
    return (operations){.to_nodes = weights + nodes * (2 + d * (2 * d + 2)),
                        .from_nodes = weights + nodes * (2 * d + d * (2 * d + 1)),
                        .stress = fluid ? 4 : 4 * d * d * d + 5 * d * d,
                        .state = (fluid ? d + 2 : d * d * (2 * d + 1)) + 2 * d};
}

/* Sums the traffic of all stages, and lists the work of hot kernels. d: dimension; h: stored numbers of the deformation
 * (F or J); k: constants of the law. A block has `nodes` cells and gives `sums` numbers to the nodes of its tile, four
 * to each. */
static void count_stages(const counts *n, double d, double h, double k, pio_bench *b)
{
    pio_traffic *out = &b->traffic;
    const double nodes = pow(block_edge((int)d), d), sums = 4 * pow(block_edge((int)d) + 2, d);
    const double state = 2 * d + d * d + h; /* offset, velocity, C, and F or J */
    const double matter = 2 + k;            /* volume, mass, constants */
    /* cell twice, order; list and its slot, start three times, what it was before twice, count; the node list; count
     * and start, two masks of 64 bits, one of them twice, two slots and one again */
    const stage sort = {.particle = {3, 0}, .block = {2 + 6 * nodes, 0}, .active = {1, 0}, .box = {2 + 9 / nodes, 0}};
    const stage p2g = {.particle = {3, state + matter}, .block = {3 + nodes, sums}};
    const stage node_velocity = {.block = {1, sums}, .active = {0, 2 * d + 1}};
    const stage grid = {.active = {1, 2 * d + 1}}; /* where the sums are kept */
    const stage g2p = {.particle = {5, d + h + state}, .block = {3 + nodes, 0}, .active = {0, d}};
    const stage g2p_adj = {.particle = {3, 2 * (d + h) + state}, .block = {3 + nodes, sums}, .active = {0, d}};
    const stage velocity_sum = {.block = {1, sums}, .active = {1, d}};
    const stage grid_adj = {.active = {1, 4 * d + 2}};
    const stage gravity_sum = {.active = {d, d}};
    const stage p2g_adj = {
        .particle = {3, state + matter + state + d + h + 2 + 2 * k}, .block = {3 + nodes, 0}, .active = {0, d + 1}};
    /* A state that the adjoint needs is where the step wrote it; where its cells begin is copied. */
    const stage store = {.box = {2, 0}};
    /* that again; list and its slot; node list; count and start twice, four masks of 64 bits, three slots */
    const stage restore = {.block = {2, 0}, .active = {1, 0}, .box = {6 + 11 / nodes, 0}};
    const double transfer = bytes_of(&p2g, n) + bytes_of(&node_velocity, n);
    out->forward = bytes_of(&sort, n) + transfer + bytes_of(&g2p, n);
    out->store = bytes_of(&store, n);
    out->restore = bytes_of(&restore, n);
    out->adjoint = bytes_of(&grid, n) + bytes_of(&g2p_adj, n) + bytes_of(&velocity_sum, n) + bytes_of(&grid_adj, n) +
                   bytes_of(&gravity_sum, n) + bytes_of(&p2g_adj, n);
    const operations o = count_operations(d, h < d);
    add_work(b, "mpm_p2g", false, bytes_of(&p2g, n), n->particles * (o.to_nodes + o.stress));
    add_work(b, "mpm_node_velocity", false, bytes_of(&node_velocity, n), n->blocks * sums + n->active * (3 * d + 1));
    add_work(b, "mpm_g2p", false, bytes_of(&g2p, n), n->particles * (o.from_nodes + o.state));
    add_work(b, "mpm_g2p_adj", true, bytes_of(&g2p_adj, n), n->particles * 2 * (o.from_nodes + o.state));
    add_work(b, "mpm_grid_adj", true, bytes_of(&grid_adj, n), n->active * 2 * (3 * d + 1));
    add_work(b, "mpm_p2g_adj", true, bytes_of(&p2g_adj, n), n->particles * (2 * o.to_nodes + 3 * o.stress));
}

/* Marks the base node of every particle's stencil, with `edge` above 1 the block of so many nodes along each axis.
 * Returns the number of marks. */
static int64_t mark_cells(const pio_bench_case *t, int dim, int edge, uint8_t *cell)
{
    const pio_grid_desc *g = &t->desc.grid;
    int64_t marked = 0;
    for (int64_t i = 0; i < t->desc.particles.n; i++) {
        int64_t at = 0;
        for (int a = 0; a < dim; a++)
            at = at * g->nodes[a] + (int64_t)floor((t->position[i * dim + a] - g->origin[a]) / g->spacing - 0.5) / edge;
        marked += !cell[at];
        cell[at] = 1;
    }
    return marked;
}

/* Spreads the marks by 0, 1 and 2 nodes along one axis: a node is active if one of the three cells behind it is
 * occupied. */
static void spread_axis(uint8_t *mark, int64_t nodes, int64_t stride, int64_t length)
{
    for (int64_t i = nodes - 1; i >= 0; i--) {
        const int64_t index = i / stride % length;
        if (index > 0) mark[i] |= mark[i - stride];
        if (index > 1) mark[i] |= mark[i - 2 * stride];
    }
}

piola_status pio_bench_count(pio_bench *b, const pio_bench_case *t, piola_error *error)
{
    const int dim = b->options.dimension;
    const pio_law law = b->options.law;
    const bool fluid = LAW_BIT(law) & LAWS_FLUID;
    int64_t nodes = 1, stride = 1;
    for (int a = 0; a < dim; a++) nodes *= t->desc.grid.nodes[a];
    uint8_t *mark = calloc((size_t)nodes, 1);
    if (!mark) return pio_fail_memory(error, (size_t)nodes, "the cells of a benchmark case");
    const int64_t blocks = mark_cells(t, dim, block_edge(dim), mark);
    memset(mark, 0, (size_t)nodes);
    b->cells = mark_cells(t, dim, 1, mark);
    for (int a = dim - 1; a >= 0; a--) {
        spread_axis(mark, nodes, stride, t->desc.grid.nodes[a]);
        stride *= t->desc.grid.nodes[a];
    }
    b->nodes = 0;
    b->box = nodes;
    for (int64_t i = 0; i < nodes; i++) b->nodes += mark[i];
    free(mark);
    const counts n = {.particles = (double)b->particles,
                      .blocks = (double)blocks,
                      .active = (double)b->nodes,
                      .box = (double)nodes,
                      .real = strcmp(b->engine.table->precision, "f64") ? 4 : 8};
    b->n_works = 0;
    count_stages(&n, dim, fluid ? 1 : dim * dim, pio_law_count(law), b);
    return PIOLA_OK;
}
