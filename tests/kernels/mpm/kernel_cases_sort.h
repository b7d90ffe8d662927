/* kernel_cases_sort.h -- cases of the sort of particles, full and by exceptions. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_SORT_H
#define PIOLA_TESTS_KERNEL_CASES_SORT_H

#include "tests/kernels/mpm/kernel_cases_plain.h"

static sample sort_sample(case_io *io)
{
    static const int many[3] = {DIM == 3 ? 66 : 520, DIM == 3 ? 66 : 522, 65}; /* blocks enough for several threads */
    int empty[3] = {0};
    sample t;
    t.box = sample_box(io, 0);
    for (int a = 0; io->large && a < DIM; a++) empty[a] = many[a] - t.box.nodes[a];
    if (io->large) sample_nodes(&t.box, many);
    sample_particles_in(io, &t, empty);
    return t;
}

static void sort_outputs(case_io *io, const sample *t)
{
    case_out(io, "count", CASE_INT, 1, t->nodes, t->l.count);
    case_out(io, "start", CASE_INT, 1, t->nodes + 1, t->l.start);
    case_out(io, "order", CASE_INT, 1, t->n, t->l.order);
    case_out(io, "occupied", CASE_INT64, 1, t->blocks, t->l.occupied);
    case_out(io, "active", CASE_INT64, 1, t->blocks, t->l.active);
    case_out(io, "block_slot", CASE_INT, 1, t->blocks + 1, t->l.block_slot);
    case_out(io, "blocks", CASE_INT, 1, 1, &t->step->blocks);
    case_out(io, "nodes", CASE_INT, 1, 1, &t->step->nodes);
    const int blocks = (int)case_find(io, CASE_OUTPUT, "blocks")->value[0];
    const int active = (int)case_find(io, CASE_OUTPUT, "nodes")->value[0];
    case_out(io, "block_list", CASE_INT, 1, blocks, t->l.block_list);
    case_out(io, "active_slot", CASE_INT, 1, t->blocks + 1, t->l.active_slot);
    case_out(io, "node_list", CASE_INT, 1, active, t->l.node_list);
    const double *order = case_find(io, CASE_OUTPUT, "order")->value;
    int sorted = 1;
    for (int i = 1; i < t->n; i++) {
        const int p = (int)order[i - 1], q = (int)order[i];
        sorted = sorted && (t->cell[p] < t->cell[q] || (t->cell[p] == t->cell[q] && t->id[p] < t->id[q]));
    }
    case_expect(io, sorted, "particles are in the order (block, cell, id)");
    expect_active(io, t);
}

static void case_mpm_sort_ids(case_io *io)
{
    sample t = sort_sample(io);
    sample_state(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    sort_outputs(io, &t);
    case_expect(io, (int)case_find(io, CASE_OUTPUT, "blocks")->value[0] == t.max_blocks,
                "every occupied block has a slot");
}

/* What a slot does not hold is made again from where the particles of each cell begin: the same counts. */
static void case_mpm_sort_restore(case_io *io)
{
    sample t = sort_sample(io);
    sample_state(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    mpm_sort_args a = sample_sort(&t);
    a.l.count = NEW(io, int, t.nodes, CASE_SET);
    LAUNCH(io, mpm_sort_restore, t.nodes, NULL, &a);
    case_out(io, "count", CASE_INT, 1, t.nodes, t.l.count);
    case_out(io, "count again", CASE_INT, 1, t.nodes, a.l.count);
    const double *count = case_find(io, CASE_OUTPUT, "count")->value,
                 *again = case_find(io, CASE_OUTPUT, "count again")->value;
    double particles = 0;
    for (int c = 0; c < t.nodes; c++) particles += count[c];
    case_expect(io, memcmp(count, again, sizeof *count * (size_t)t.nodes) == 0 && particles >= t.n && particles <= t.n,
                "the full sort leaves the number of particles of each cell, and so does this");
}

/* mpm_sort_place leaves the order within a cell open; it is tested when mpm_sort_ids has closed it */
#define case_mpm_sort_clear case_mpm_sort_ids
#define case_mpm_sort_count case_mpm_sort_ids
#define case_mpm_sort_start case_mpm_sort_ids
#define case_mpm_sort_place case_mpm_sort_ids
#define case_mpm_active_slot case_mpm_sort_ids

/* Stores the particles in the order of a sort, and makes room for cells in any block. */
static void sample_stored_in_order(case_io *io, sample *t)
{
    int *cell_of = HOST(io, int, t->n), *first = HOST(io, int, t->nodes + 1);
    for (int p = 0; p < t->n; p++) {
        cell_of[t->id[p]] = t->cell[p];
        first[t->cell[p] + 1]++;
    }
    for (int c = 0; c < t->nodes; c++) first[c + 1] += first[c];
    for (int id = 0; id < t->n; id++) {
        const int p = first[cell_of[id]]++;
        t->cell[p] = cell_of[id];
        t->id[p] = id;
    }
    t->max_blocks = t->blocks;
}

/* Moves a tenth of the particles, and all of the first block, to a cell near that of another particle. Which cells no
 * particle leaves is known of every other block. */
static void sample_moves(case_io *io, sample *t)
{
    int *cell = HOST(io, int, t->n), left = 0;
    uint64_t *settled = HOST(io, uint64_t, t->blocks);
    for (int b = 0; b < t->blocks; b += 2) settled[b] = ~UINT64_C(0);
    for (int p = 0; p < t->n; p++) {
        int index[DIM];
        const int moves = t->cell[p] / BLOCK_NODES == t->cell[0] / BLOCK_NODES || case_unit("moves", p) < 0.1;
        const int near = (int)(t->n * case_unit("near", p)), axis = (int)(DIM * case_unit("axis", p));
        node_index(&t->box, t->cell[moves ? near : p], index);
        if (moves && index[axis] < t->box.nodes[axis] - 3) index[axis]++;
        cell[p] = node_number(&t->box, 0, index);
        if (cell[p] == t->cell[p]) continue;
        settled[t->cell[p] / BLOCK_NODES] &= ~(UINT64_C(1) << t->cell[p] % BLOCK_NODES);
        left++;
    }
    case_expect(io, left > t->n / 20 && left < t->n / 2, "some particles leave their cells, and most stay");
    t->cell = cell;
    t->s.cell = PUSH(io, int, cell, t->n);
    t->l.settled = PUSH(io, uint64_t, settled, t->blocks);
}

static void case_mpm_sort_stay(case_io *io)
{
    sample t = sort_sample(io);
    sample_stored_in_order(io, &t);
    sample_state(io, &t, CASE_CONSTANT);
    sample_step(io, &t);
    sample_lists(io, &t);
    sample_moves(io, &t);
    sample_lists_again(io, &t);
    sort_outputs(io, &t);
    sample full = t;
    sample_lists(io, &full);
    case_out(io, "order of a full sort", CASE_INT, 1, t.n, full.l.order);
    const double *order = case_find(io, CASE_OUTPUT, "order")->value,
                 *full_order = case_find(io, CASE_OUTPUT, "order of a full sort")->value;
    case_expect(io, memcmp(order, full_order, sizeof *order * (size_t)t.n) == 0,
                "the sort by exceptions and the full sort give one order");
}
#define case_mpm_sort_leave case_mpm_sort_stay

#endif
