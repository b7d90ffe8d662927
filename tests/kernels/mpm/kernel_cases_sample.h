/* kernel_cases_sample.h -- the particles, grid and lists of all MPM cases. Case text: C11 and C++17.
 *
 * A box of over a hundred cells with walls of each kind; a third of the cells is empty, most have one to twelve
 * particles, some more than one batch of TEAM_LANES. The four laws are mixed within each cell. */
#ifndef PIOLA_TESTS_KERNEL_CASES_SAMPLE_H
#define PIOLA_TESTS_KERNEL_CASES_SAMPLE_H

#include "kernels/material/law.h"
#include "kernels/base/quad.h"
#include "kernels/mpm/mpm.h"
#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"
#include "tests/kernels/material/case_laws.h"

#include <math.h>
#include <string.h>

typedef struct {
    int n, nodes, blocks, max_blocks; /* max_blocks: those with particles */
    mpm_box box;
    int *cell, *id, *law; /* host: [n] of stored particles; law in id order */
    int most;             /* particles in the fullest cell */
    mpm_state s;
    mpm_matter matter;
    mpm_lists l;
    mpm_step *step;          /* device */
    real *F_after, *J_after; /* of what changes F and J in place: copies of them */
} sample;

/* Numbers nodes block after block, so many of them along each axis. */
static void sample_nodes(mpm_box *box, const int *nodes)
{
    box->field_nodes = BLOCK_NODES;
    for (int a = DIM - 1; a >= 0; a--) {
        box->nodes[a] = nodes[a];
        box->stride[a] = box->field_nodes;
        box->field_nodes *= (nodes[a] + BLOCK_EDGE - 1) / BLOCK_EDGE;
    }
}

static mpm_box sample_box(const case_io *io, int turned)
{
    static const int small[3] = {DIM == 3 ? 8 : 15, DIM == 3 ? 9 : 17, 10},
                     large[3] = {DIM == 3 ? 20 : 90, DIM == 3 ? 22 : 84, 22};
    const int *nodes = io->large ? large : small;
    /* each axis: lower wall, upper wall */
    static const int wall[2][3][2] = {
        {{PIO_WALL_STICKY, PIO_WALL_SLIP}, {PIO_WALL_SEPARATE, PIO_WALL_SEPARATE}, {PIO_WALL_SLIP, PIO_WALL_SEPARATE}},
        {{PIO_WALL_SEPARATE, PIO_WALL_STICKY}, {PIO_WALL_SLIP, PIO_WALL_STICKY}, {PIO_WALL_SEPARATE, PIO_WALL_SLIP}}};
    mpm_box box;
    box.fields = 1;
    box.rough = 0;
    sample_nodes(&box, nodes);
    for (int a = 0; a < DIM; a++) {
        box.face[a][0] = 2;
        box.face[a][1] = nodes[a] - 3;
        for (int side = 0; side < 2; side++) box.wall[a][side] = wall[turned][a][side];
        box.origin[a] = -0.3 + 0.17 * a;
    }
    box.dx = R(0.0437);
    box.inv_dx = R(1) / box.dx;
    return box;
}

/* Particles of the cell with this base node: none in a third of the cells, some cells over 32, one over 64. */
static int sample_fill(int cell, int number)
{
    static const int full[4] = {33, 70, 32, 41};
    if (number % 17 == 5) return full[number / 17 % 4];
    const double u = case_unit("fill", cell);
    return u < 1.0 / 3 ? 0 : 1 + (int)(12 * case_unit("count", cell));
}

/* Cells and ids of the stored particles: storage order is neither that of the cells nor that of the ids. The last
 * `empty` nodes of each axis have none; nor has in fields but the first the second half of axis 0. */
static void sample_particles_in(case_io *io, sample *t, const int *empty)
{
    const mpm_box box = t->box;
    memset(t, 0, sizeof *t); /* what a case does not need is NULL */
    t->box = box;
    t->nodes = t->box.fields * t->box.field_nodes;
    t->blocks = t->nodes / BLOCK_NODES;
    t->n = t->max_blocks = t->most = 0;
    int *fill = HOST(io, int, t->nodes), number = 0, cells = 0, last = -1;
    for (int node = 0; node < t->nodes; node++) {
        int index[DIM], is_cell = 1;
        node_index(&t->box, node, index);
        for (int a = 0; a < DIM; a++) is_cell = is_cell && index[a] <= t->box.nodes[a] - empty[a] - 3;
        if (!is_cell || (node >= t->box.field_nodes && index[0] > t->box.nodes[0] / 2)) continue;
        fill[node] = sample_fill(node, number++);
        t->n += fill[node];
        cells += fill[node] > 0;
        t->max_blocks += fill[node] > 0 && node / BLOCK_NODES != last;
        if (fill[node] > 0) last = node / BLOCK_NODES;
        if (fill[node] > t->most) t->most = fill[node];
    }
    t->cell = HOST(io, int, t->n);
    t->id = HOST(io, int, t->n);
    for (int node = 0, i = 0; node < t->nodes; node++)
        for (int j = 0; j < fill[node]; j++, i++) {
            t->cell[i] = node;
            t->id[i] = i;
        }
    for (int i = t->n - 1; i > 0; i--) { /* shuffles (Fisher and Yates) */
        const int j = (int)((i + 1) * case_unit("place", i)), k = (int)((i + 1) * case_unit("id", i));
        const int c = t->cell[i], d = t->id[i];
        t->cell[i] = t->cell[j];
        t->cell[j] = c;
        t->id[i] = t->id[k];
        t->id[k] = d;
    }
    case_expect(io, number > 100 && cells < number && t->most > 2 * TEAM_LANES, "a sample of the promised shape");
}

static void sample_particles(case_io *io, sample *t)
{
    static const int none[3] = {0, 0, 0};
    sample_particles_in(io, t, none);
}

/* Offsets; in the outermost cells away from the border, so that a step within the CFL limit leaves no particle outside.
 */
static case_array *sample_offset(case_io *io, const sample *t)
{
    case_array *f = case_uniform(io, CASE_INPUT, "offset", DIM, t->n, 0.5, 1.5);
    for (int p = 0; p < t->n; p++) {
        int index[DIM];
        node_index(&t->box, t->cell[p], index);
        for (int a = 0; a < DIM; a++) {
            double *x = &f->value[a * t->n + p];
            if (index[a] == 0 || index[a] == t->box.nodes[a] - 3) *x = 0.8 + 0.4 * (*x - 0.5);
        }
    }
    return f;
}

/* The state: F = I + E with |E_ij| < 0.2, hence det F > 0; J in [0.8, 1.25). Role of C, F and J: `deformation`. */
static void sample_state(case_io *io, sample *t, case_role deformation)
{
    t->s.id = PUSH(io, int, t->id, t->n);
    t->s.cell = PUSH(io, int, t->cell, t->n);
    t->s.offset = (real *)case_upload(io, sample_offset(io, t), CASE_FIELD);
    t->s.velocity = REALS(io, "velocity", DIM, t->n, -1, 1);
    t->s.C = (real *)case_upload(io, case_uniform(io, deformation, "C", DIM * DIM, t->n, -20, 20), CASE_FIELD);
    t->s.hardening = t->s.e33 = NULL;
    case_array *F = case_uniform(io, deformation, "F", DIM * DIM, t->n, -0.2, 0.2);
    for (int a = 0; a < DIM; a++)
        for (int p = 0; p < t->n; p++) F->value[(DIM + 1) * a * t->n + p] += 1;
    t->s.F = (real *)case_upload(io, F, CASE_FIELD);
    t->s.J = (real *)case_upload(io, case_uniform(io, deformation, "J", 1, t->n, 0.8, 1.25), CASE_FIELD);
}

static void sample_laws(case_io *io, sample *t)
{
    t->law = HOST(io, int, t->n);
    const int laws = CASE_SOLIDS + PIO_LAWS - PIO_HYPER_LAWS;
    for (int i = 0; i < t->n; i++) {
        const int at = 1 + (int)((laws - 1) * case_unit("law", i)); /* not the linear one */
        t->law[i] = at < CASE_SOLIDS ? case_solid(at) : PIO_LINEAR_FLUID + at - CASE_SOLIDS;
    }
}

/* Inputs of cases: the constants of a law, and the parameters that they follow from. */
static const char *const constant_names[2][PIO_LAW_CONSTANTS] = {
    {"k0", "k1", "k2", "k3", "k4"}, {"parameter0", "parameter1", "parameter2", "parameter3", "parameter4"}};

/* Constants of the laws, about 1e4 Pa; exponents of Ogden's law, gamma in [1, 7.5), viscosity in [0, 2) Pa s, none for
 * some. Each constant is an input of its own. */
static void sample_matter(case_io *io, sample *t, case_role role)
{
    const int n = t->n;
    sample_laws(io, t);
    case_array *k[PIO_LAW_CONSTANTS];
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k[c] = case_uniform(io, role, constant_names[0][c], 1, n, 5e3, 2e4);
    for (int i = 0; i < n; i++) {
        if (law_is_fluid(t->law[i])) {
            k[1]->value[i] = 1 + 6.5 * case_unit("gamma", i);
            k[2]->value[i] = i % 8 == 0 ? 0 : 2 * case_unit("viscosity", i);
        } else if (case_is_ogden(t->law[i])) {
            k[1]->value[i] = 1.4 + 1.6 * case_unit("alpha 1", i);
            k[2]->value[i] *= -0.5;
            k[3]->value[i] = -1.5 - case_unit("alpha 2", i);
        }
    }
    real *all = HOST(io, real, field_size(n, PIO_LAW_CONSTANTS));
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        const real *one = (const real *)case_pack(io, k[c], CASE_REAL);
        for (int i = 0; i < n; i++) all[field_at(n, PIO_LAW_CONSTANTS, c, i)] = one[i];
    }
    double volume = 1;
    for (int a = 0; a < DIM; a++) volume *= 0.0437 / 2;
    memset(&t->matter, 0, sizeof t->matter); /* no channels */
    t->matter.n = n;
    t->matter.constants = PIO_LAW_CONSTANTS;
    t->matter.law = PUSH(io, int, t->law, n);
    t->matter.k = PUSH(io, real, all, field_size(n, PIO_LAW_CONSTANTS));
    t->matter.volume = CONSTANTS(io, "volume", 1, n, 0.8 * volume, 1.2 * volume);
    t->matter.mass =
        (real *)case_upload(io, case_uniform(io, role, "mass", 1, n, 800 * volume, 1200 * volume), CASE_FIELD);
}

static void sample_step(case_io *io, sample *t)
{
    mpm_step *step = HOST(io, mpm_step, 1);
    step->index = 41;
    step->fault = FAULT_NONE;
    step->particles = t->n;
    step->h = R(0.004);
    step->cfl = R(0.4);
    step->wall_friction_velocity = R(0.3);
    for (int a = 0; a < DIM; a++) step->gravity[a] = R(1.5 * a - 9.81);
    t->step = PUSH(io, mpm_step, step, 1);
}

static mpm_sort_args sample_sort(const sample *t)
{
    mpm_sort_args a;
    a.l = t->l;
    a.cell = t->s.cell;
    a.id = t->s.id;
    a.step = t->step;
    a.box = t->box;
    a.cells = t->nodes;
    a.before = NULL;
    return a;
}

/* The end of a sort, when each particle has a place in its cell. */
static void sample_lists_end(case_io *io, const sample *t, mpm_sort_args a)
{
    LAUNCH_SCAN(io, mpm_active_slot, t->blocks, &a);
    LAUNCH(io, mpm_sort_ids, t->max_blocks, &t->step->blocks, &a);
}

/* The full sort of a step, as the solver launches it. */
static void sample_lists(case_io *io, sample *t)
{
    t->l.count = NEW(io, int, t->nodes, CASE_SET);
    t->l.start = NEW(io, int, t->nodes + 1, CASE_SET);
    t->l.order = NEW(io, int, t->n, CASE_SET);
    t->l.occupied = NEW(io, uint64_t, t->blocks, CASE_SET);
    t->l.settled = NEW(io, uint64_t, t->blocks, CASE_SET);
    t->l.active = NEW(io, uint64_t, t->blocks, CASE_SET);
    t->l.block_slot = NEW(io, int, t->blocks + 1, CASE_SET);
    t->l.block_list = NEW(io, int, t->max_blocks, CASE_SET);
    t->l.active_slot = NEW(io, int, t->blocks + 1, CASE_SET);
    t->l.node_list = NEW(io, int, t->nodes, CASE_SET);
    const mpm_sort_args a = sample_sort(t);
    LAUNCH(io, mpm_sort_clear, t->nodes, NULL, &a);
    LAUNCH(io, mpm_sort_count, t->n, &t->step->particles, &a);
    LAUNCH_SCAN(io, mpm_sort_start, t->blocks, &a);
    LAUNCH(io, mpm_sort_place, t->n, &t->step->particles, &a);
    sample_lists_end(io, t, a);
}

/* The sort of a step by exceptions, into the same lists: particles are stored in the order that these have, and now are
 * in other cells, t->s.cell. */
static void sample_lists_again(case_io *io, const sample *t)
{
    mpm_sort_args a = sample_sort(t);
    a.before = NEW(io, int, t->max_blocks *BLOCK_NODES + 1, CASE_SET);
    LAUNCH(io, mpm_sort_leave, t->max_blocks, &t->step->blocks, &a);
    LAUNCH_SCAN(io, mpm_sort_start, t->blocks, &a);
    LAUNCH(io, mpm_sort_stay, t->max_blocks, &t->step->blocks, &a);
    sample_lists_end(io, t, a);
}

/* Everything before p2g; the constants of the materials in this role. */
static sample sample_mpm(case_io *io, case_role constants)
{
    sample t;
    t.box = sample_box(io, 0);
    sample_particles(io, &t);
    sample_state(io, &t, CASE_INPUT);
    sample_matter(io, &t, constants);
    sample_step(io, &t);
    sample_lists(io, &t);
    return t;
}

/* Gives the solids whose law is computed lane by lane another, neo-Hookean or fixed corotated. */
static void sample_lane_laws(case_io *io, sample *t)
{
    for (int i = 0; i < t->n; i++)
        if (!(law_bit(t->law[i]) & lane_laws())) t->law[i] = i % 2 ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_NEO_HOOKEAN;
    t->matter.law = PUSH(io, int, t->law, t->n);
}

/* Memory for one state that a kernel sets or adds to. */
static mpm_state sample_new_state(case_io *io, int n, case_how how)
{
    mpm_state s;
    memset(&s, 0, sizeof s); /* nothing is plastic */
    s.id = NEW(io, int, n, CASE_SET);
    s.cell = NEW(io, int, n, CASE_SET);
    s.offset = NEW_FIELD(io, DIM, n, how);
    s.velocity = NEW_FIELD(io, DIM, n, how);
    s.C = NEW_FIELD(io, DIM * DIM, n, how);
    s.F = NEW_FIELD(io, DIM * DIM, n, how);
    s.J = NEW_FIELD(io, 1, n, how);
    return s;
}

static void sample_out_state(case_io *io, const mpm_state *s, int n)
{
    case_out(io, "next id", CASE_INT, 1, n, s->id);
    case_out(io, "next cell", CASE_INT, 1, n, s->cell);
    case_out(io, "next offset", CASE_FIELD, DIM, n, s->offset);
    case_out(io, "next velocity", CASE_FIELD, DIM, n, s->velocity);
    case_out(io, "next C", CASE_FIELD, DIM * DIM, n, s->C);
    case_out(io, "next F", CASE_FIELD, DIM * DIM, n, s->F);
    case_out(io, "next J", CASE_FIELD, 1, n, s->J);
}

#endif
