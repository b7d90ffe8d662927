/* mpm_create.c -- see mpm_create.h. */
#include "solvers/mpm/mpm_create.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_box(mpm_box *box, const pio_grid_desc *g, int fields)
{
    box->field_nodes = BLOCK_NODES;
    for (int a = DIM - 1; a >= 0; a--) {
        box->nodes[a] = g->nodes[a];
        box->stride[a] = box->field_nodes;
        box->field_nodes *= (g->nodes[a] + BLOCK_EDGE - 1) / BLOCK_EDGE;
        box->origin[a] = g->origin[a];
        for (int side = 0; side < 2; side++) {
            box->face[a][side] = g->face[a][side];
            box->wall[a][side] = g->wall[a][side];
        }
    }
    box->fields = fields > 1 ? fields : 1;
    box->rough = 0;
    box->dx = (real)g->spacing;
    box->inv_dx = (real)(1 / g->spacing);
}

/* The laws exist, and their stresses rotate with the body. */
static piola_status check_laws(const pio_particles_desc *p, piola_error *error)
{
    for (int64_t i = 0; i < p->n; i++) {
        if (p->law[i] == PIO_HYPER_LINEAR)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "particle %lld: the linear law takes a turn for a strain, and particles turn; the fixed "
                            "corotated law would be right",
                            (long long)i);
        if (!law_exists(p->law[i]))
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: there is no law %d; 1 to %d would be right",
                            (long long)i, (int)p->law[i], PIO_LAWS - 1);
    }
    return PIOLA_OK;
}

/* A number for each particle, and a design only where there is one to change. */
static piola_status check_viscosity(const pio_engine_desc *desc, piola_error *error)
{
    const double *eta = desc->particles.viscosity;
    for (int64_t i = 0; eta && i < desc->particles.n; i++)
        if (!(eta[i] >= 0) || !isfinite(eta[i]))
            return sim_fail(error, PIOLA_BAD_DATA, "particle %lld: viscosity %g Pa s; 0 or more would be right",
                            (long long)i, eta[i]);
    for (int d = 0; d < desc->n_designs; d++)
        if (desc->designs[d].quantity == PIO_VISCOSITY && !eta)
            return sim_fail(error, PIOLA_BAD_DATA, "design %d: the description has no viscosity of solids to change",
                            d);
    return PIOLA_OK;
}

static piola_status check_desc(const pio_engine_desc *desc, piola_error *error)
{
    double nodes = desc->particles.fields > 1 ? desc->particles.fields : 1;
    if (desc->size != sizeof *desc)
        return sim_fail(error, PIOLA_INTERNAL, "engine and program are of different builds");
    for (int a = 0; a < DIM; a++) {
        nodes *= ceil(desc->grid.nodes[a] / (double)BLOCK_EDGE) * BLOCK_EDGE; /* whole blocks */
        const int32_t last = desc->grid.nodes[a] - 1, *face = desc->grid.face[a];
        if (last < 4) return sim_fail(error, PIOLA_BAD_DATA, "a grid needs at least 5 nodes per axis");
        if (face[0] >= face[1] || face[0] >= last || face[1] <= 0) /* one node inside each: mirrors are in the grid */
            return sim_fail(
                error, PIOLA_BAD_DATA,
                "axis %d: walls at nodes %d and %d of 0 to %d; the first must lie below the second and below "
                "the last node, the second above node 0",
                a, face[0], face[1], last);
    }
    const double beyond =
        desc->particles.fields > 1 ? nodes / desc->particles.fields : 0; /* loops over fields reach one grid beyond */
    if (nodes + beyond > 2147480000.0)
        return sim_fail(error, PIOLA_BAD_DATA, "a grid of %.0f nodes is too large", nodes);
    if (desc->particles.n < 1 || desc->particles.n > 2147483000 / (DIM * DIM))
        return sim_fail(error, PIOLA_BAD_DATA, "%lld particles: from 1 to %d are possible",
                        (long long)desc->particles.n, 2147483000 / (DIM * DIM));
    if (desc->first < 0 || (desc->first > 0 && desc->first >= desc->steps))
        return sim_fail(error, PIOLA_INTERNAL, "adjoint sweeps end at state %lld of %lld", (long long)desc->first,
                        (long long)desc->steps);
    if (desc->steps < 0 || desc->steps >= (int64_t)1 << 29)
        return sim_fail(error, PIOLA_BAD_DATA, "%lld steps: at most 536870911 are possible", (long long)desc->steps);
    piola_status rc = check_laws(&desc->particles, error);
    if (!rc) rc = check_viscosity(desc, error);
    if (!rc) rc = mpm_interpolation_accepts(desc, error);
    if (!rc) rc = mpm_flip_accepts(desc, error);
    if (!rc) rc = mpm_contact_accepts(desc, error);
    if (!rc) rc = mpm_repel_accepts(desc, error);
    if (!rc) rc = mpm_rub_accepts(desc, error);
    if (!rc) rc = mpm_walls_accept(desc, error);
    if (!rc) rc = mpm_reversible_accepts(desc, error);
    if (!rc) rc = mpm_plastic_accepts(desc, error);
    if (!rc) rc = mpm_obstacles_accept(desc, error);
    return rc ? rc : mpm_control_accepts(desc, error);
}

/* Host side of observations and designs: counts and first indices. */
static int take_tables(mpm_sim *sim, const pio_engine_desc *desc)
{
    int first = 0;
    sim->observe.n_observations = desc->n_observations;
    sim->design.n_designs = desc->n_designs;
    sim->observe.observations = calloc((size_t)desc->n_observations + 1, sizeof *sim->observe.observations);
    sim->design.designs = calloc((size_t)desc->n_designs + 1, sizeof *sim->design.designs);
    if (!sim->observe.observations || !sim->design.designs) return 0;
    for (int o = 0; o < desc->n_observations; o++) {
        mpm_observation *obs = &sim->observe.observations[o];
        obs->desc = desc->observations[o];
        obs->first = first;
        first += obs->desc.samples * obs->desc.components;
        obs->markers = calloc((size_t)obs->desc.samples + 1, sizeof *obs->markers);
        if (!obs->markers) return 0;
    }
    first = 0;
    for (int d = 0; d < desc->n_designs; d++) {
        sim->design.designs[d].desc = desc->designs[d];
        sim->design.designs[d].first = first;
        first += desc->designs[d].groups * desc->designs[d].components;
    }
    return 1;
}

static piola_status begin(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, piola_error *error)
{
    const piola_status bad = check_desc(desc, error);
    if (bad) return bad;
    mpm_sim *sim = calloc(1, sizeof *sim);
    if (!sim) return sim_fail(error, PIOLA_NO_MEMORY, "no memory for a simulation (%zu bytes)", sizeof *sim);
    *out = &sim->base;
    sim->particles.n = (int)desc->particles.n;
    sim->stepping.dt = desc->dt;
    sim->stepping.cfl = desc->cfl;
    sim->control.n_channels = desc->n_channels;
    sim->material.has_viscosity = desc->particles.viscosity != NULL;
    sim->material.n_interpolations = desc->particles.relative_density ? desc->particles.n_interpolations : 0;
    sim->control.n_values = desc->n_channels ? desc->n_control_values : 0;
    for (int a = 0; a < DIM; a++) sim->stepping.gravity[a] = desc->gravity[a];
    set_box(&sim->grid.box, &desc->grid, desc->particles.fields);
    sim->grid.nodes = sim->grid.box.fields * sim->grid.box.field_nodes;
    sim->grid.blocks = sim->grid.nodes / BLOCK_NODES;
    sim->grid.max_blocks = sim->particles.n < sim->grid.blocks ? sim->particles.n : sim->grid.blocks;
    for (int i = 0; i < sim->particles.n; i++) {
        const int law = desc->particles.law[i], fluid = law_is_fluid(law), constants = law_count(law);
        if (sim->material.constants < constants) sim->material.constants = constants;
        sim->material.laws |= law_bit(law);
        if (i == 0) sim->material.one_law = 1 + law;
        if (sim->material.one_law != 1 + law) sim->material.one_law = 0;
        sim->particles.has_fluid |= fluid;
        sim->particles.has_solid |= !fluid;
        sim->slots.solids += !fluid;
        sim->plastic.used |= desc->particles.plasticity && desc->particles.plasticity[i] != PIO_ELASTIC;
    }
    mpm_reversible_begin(sim, desc);
    mpm_flip_begin(sim, desc);
    mpm_walls_begin(sim, desc);
    mpm_kinks_begin(sim, desc);
    mpm_repel_begin(sim, desc);
    mpm_rub_begin(sim, desc);
    sim->contact.on_grid = sim->grid.box.fields > 1 && !sim->repulsion.used;
    sim->contact.friction = desc->friction;
    sim->contact.regularisation_velocity = desc->regularisation_velocity;
    if (!mpm_networks_begin(sim, desc) || !take_tables(sim, desc) || !mpm_obstacles_begin(sim, desc) ||
        !sim_begin(&sim->base, backend, desc, sim->particles.n))
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d particles", sim->particles.n);
    mpm_layout(sim, desc);
    return PIOLA_OK;
}

static void set_bytes(const mpm_sim *sim, const pio_engine_desc *desc, pio_engine_bytes *bytes)
{
    sim_bytes(&sim->base, bytes);
    bytes->slot_nodes = sim->slots.node_room;
    bytes->start_nodes = mpm_slot_nodes(sim, desc);
    bytes->residual_log = mpm_reversible_log_bytes(sim, desc->steps);
}

piola_status mpm_measure(const pio_backend *backend, const pio_engine_desc *desc, pio_engine_bytes *bytes,
                         piola_error *error)
{
    pio_sim *sim = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) rc = sim_open(sim, desc, error);
    if (!rc) set_bytes(mpm_of(sim), desc, bytes);
    mpm_destroy(sim);
    return rc;
}

/* ---- uploading ------------------------------------------------------------------------------------------ */

/* The first `components` of the `count` numbers of each particle. */
static void upload_reals(mpm_sim *sim, real *out, const double *in, int count, int components)
{
    for (int c = 0; c < components; c++) {
        if (sim->base.interrupted && sim->base.interrupted()) return; /* as the caller will report */
        for (int i = 0; i < sim->particles.n; i++) sim->base.host_transfer[i] = in[(ptrdiff_t)i * count + c];
        pio_queue_upload(&sim->base.queue, sim->base.transfer, sim->base.host_transfer,
                         sizeof(double) * (size_t)sim->particles.n);
        pio_map(&sim->base.queue, field_write, sim->particles.n, NULL, .in = sim->base.transfer, .n = sim->particles.n,
                .components = components, .component = c, .out = out);
    }
}

static piola_status stopped(const pio_engine_desc *desc, piola_error *error)
{
    const char *why = desc->interrupted ? desc->interrupted() : NULL;
    if (!why) return PIOLA_OK;
    return sim_fail(error, PIOLA_INTERRUPTED, "interrupted by %s while setting up %lld particles", why,
                    (long long)desc->particles.n);
}

/* Base node and offset of every particle; 0 when one is outside the grid, and its number in *bad. */
static int upload_positions(mpm_sim *sim, const pio_particles_desc *p, int *bad)
{
    const double *position = p->position;
    const int one = sim->grid.nodes / sim->grid.box.fields;
    const pio_queue *q = &sim->base.queue;
    int *cell = calloc((size_t)sim->particles.n, sizeof *cell);
    if (!cell) return -1;
    for (int i = 0; sim->grid.box.fields > 1 && i < sim->particles.n; i++) cell[i] = p->field[i] * one;
    for (int c = 0; c < DIM; c++) {
        for (int i = 0; i < sim->particles.n; i++) {
            const double g = (position[(ptrdiff_t)i * DIM + c] - sim->grid.box.origin[c]) / (double)sim->grid.box.dx;
            const double b = floor(g - 0.5);
            if (!(b >= 0 && b <= sim->grid.box.nodes[c] - 3)) {
                *bad = i;
                free(cell);
                return 0;
            }
            sim->base.host_transfer[i] = g - b;
            cell[i] += node_step(&sim->grid.box, c, (int)b);
        }
        pio_queue_upload(&sim->base.queue, sim->base.transfer, sim->base.host_transfer,
                         sizeof(double) * (size_t)sim->particles.n);
        pio_map(&sim->base.queue, field_write, sim->particles.n, NULL, .in = sim->base.transfer, .n = sim->particles.n,
                .components = DIM, .component = c, .out = sim->initial.reference_offset);
    }
    pio_queue_upload(&sim->base.queue, sim->initial.reference_cell, cell, sizeof *cell * (size_t)sim->particles.n);
    free(cell);
    return !q->error.code;
}

static void upload_spin(mpm_sim *sim, const pio_particles_desc *p)
{
    const size_t count = (size_t)p->bodies * DIM * DIM;
    real *spin = calloc(count, sizeof *spin);
    if (!spin) {
        sim->base.queue.error.code = -1;
        return;
    }
    for (size_t i = 0; i < count; i++) spin[i] = (real)p->spin[i];
    pio_queue_upload(&sim->base.queue, sim->initial.spin, spin, sizeof *spin * count);
    free(spin);
}

static void upload_tables(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_queue *q = &sim->base.queue;
    for (int d = 0; d < sim->design.n_designs; d++) {
        const mpm_design *own = &sim->design.designs[d];
        const size_t bytes = sizeof(double) * (size_t)own->desc.groups * (size_t)own->desc.components;
        if (own->index) pio_queue_upload(q, own->index, own->desc.index, sizeof(int) * (size_t)sim->particles.n);
        if (own->start) mpm_filter_upload(sim, own);
        if (!own->desc.start) continue;
        pio_queue_upload(q, sim->base.z_start + own->first, own->desc.start, bytes);
        pio_queue_upload(q, sim->base.reference + own->first, own->desc.reference, bytes);
    }
    for (int i = 0; i < sim->observe.n_observations; i++) {
        mpm_observation *o = &sim->observe.observations[i];
        const pio_observation_desc *d = &o->desc;
        if (o->member) pio_queue_upload(q, o->member, d->member, sizeof(int) * (size_t)sim->particles.n);
        mpm_target_upload(sim, o, &desc->particles);
        if (d->type != PIO_DISTANCE) continue;
        pio_queue_upload(q, o->marker, d->marker, sizeof(int) * (size_t)sim->particles.n);
        pio_queue_upload(q, o->points, d->points, sizeof(double) * (size_t)d->samples * (size_t)d->rows * DIM);
        if (o->point_weight)
            pio_queue_upload(q, o->point_weight, d->point_weight,
                             sizeof(double) * (size_t)d->samples * (size_t)d->rows);
        sim_weigh_points(d, o->markers);
    }
}

static piola_status upload_all(mpm_sim *sim, const pio_engine_desc *desc, piola_error *error)
{
    pio_queue *q = &sim->base.queue;
    const pio_particles_desc *p = &desc->particles;
    const size_t n = (size_t)sim->particles.n, vectors = sizeof(real) * field_size(sim->particles.n, DIM);
    int bad = -1;
    pio_queue_upload(q, sim->material.law, p->law, sizeof(int) * n);
    pio_queue_upload(q, sim->material.parameter_form, p->parameter_form, sizeof(int) * n);
    pio_queue_upload(q, sim->particles.body, p->body, sizeof(int) * n);
    upload_reals(sim, sim->material.volume, p->volume, 1, 1);
    upload_reals(sim, sim->material.density, p->density, 1, 1);
    upload_reals(sim, sim->material.parameters, p->law_parameters, PIO_LAW_CONSTANTS, sim->material.constants);
    upload_reals(sim, sim->initial.reference_velocity, p->velocity, DIM, DIM);
    if (sim->material.viscosity) upload_reals(sim, sim->material.viscosity, p->viscosity, 1, 1);
    if (sim->material.n_interpolations) {
        const size_t bytes = sizeof *p->interpolations * (size_t)p->n_interpolations;
        pio_queue_upload(q, sim->material.interpolation, p->interpolation, sizeof(int) * n);
        pio_queue_upload(q, sim->material.interpolations, p->interpolations, bytes);
        upload_reals(sim, sim->material.relative, p->relative_density, 1, 1);
    }
    upload_spin(sim, p);
    mpm_control_upload(sim, desc);
    mpm_obstacles_upload(sim, desc);
    mpm_plastic_upload(sim, desc);
    if (sim->plastic.used)
        upload_reals(sim, sim->plastic.yield, p->yield, PIO_PLASTIC_CONSTANTS, PIO_PLASTIC_CONSTANTS);
    upload_tables(sim, desc);
    const piola_status rc = stopped(desc, error);
    if (rc) return rc;
    const int placed = upload_positions(sim, p, &bad);
    if (placed < 0 || sim->base.queue.error.code == -1)
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d particles", sim->particles.n);
    if (placed == 0 && bad >= 0)
        return sim_fail(error, PIOLA_BAD_DATA, "particle %d at (%g, %g%s) lies outside the grid", bad,
                        p->position[(ptrdiff_t)bad * DIM], p->position[(ptrdiff_t)bad * DIM + 1],
                        DIM == 3 ? ", ..." : "");
    pio_queue_copy(q, sim->initial.cell, sim->initial.reference_cell, sizeof(int) * n);
    pio_queue_copy(q, sim->initial.offset, sim->initial.reference_offset, vectors);
    pio_queue_copy(q, sim->initial.velocity, sim->initial.reference_velocity, vectors);
    if (pio_queue_failed(q)) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", q->error.message);
    return PIOLA_OK;
}

/* PIOLA_NAN_WATCH=1: after every kernel these fields must be finite; slow, for finding where a NaN is born. */
static void set_watch(mpm_sim *sim)
{
    const char *wanted = getenv("PIOLA_NAN_WATCH");
    if (!wanted || wanted[0] != '1') return;
    const size_t vectors = field_size(sim->particles.n, DIM), matrices = field_size(sim->particles.n, DIM * DIM);
    const pio_watch apic[] = {{sim->particles.state[0].velocity, vectors, "velocity"},
                              {sim->particles.state[1].velocity, vectors, "velocity"},
                              {sim->particles.state[0].C, matrices, "C"},
                              {sim->particles.state[1].C, matrices, "C"},
                              {sim->grid.velocity, field_size(sim->grid.nodes, DIM), "grid velocity"}};
    const pio_watch reversible[] = {
        {sim->particles.state[0].velocity, vectors, "velocity"},
        {sim->particles.state[1].velocity, vectors, "velocity"},
        {sim->particles.state[0].F, sim->particles.has_solid ? matrices : 0, "F"},
        {sim->particles.state[0].J, sim->particles.has_fluid ? field_size(sim->particles.n, 1) : 0, "J"},
        {sim->grid.velocity, field_size(sim->grid.nodes, DIM + 1), "grid velocity"}};
    _Static_assert(sizeof apic == sizeof sim->stepping.watch && sizeof reversible == sizeof sim->stepping.watch,
                   "one size");
    memcpy(sim->stepping.watch, sim->reversible.used ? reversible : apic, sizeof apic);
    sim->base.queue.watch = sim->stepping.watch;
    sim->base.queue.n_watch = sizeof apic / sizeof *apic;
}

piola_status mpm_create(const pio_backend *backend, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                        piola_error *error)
{
    pio_sim *sim = NULL;
    *out = NULL;
    piola_status rc = begin(backend, desc, &sim, error);
    if (!rc) rc = sim_open(sim, desc, error);
    if (!rc) rc = sim_allocate(sim, error);
    if (!rc) {
        mpm_layout(mpm_of(sim), desc);
        if (!mpm_in_place_create(mpm_of(sim)))
            rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %lld slots", (long long)sim->n_slots);
        if (!rc) rc = upload_all(mpm_of(sim), desc, error);
        if (!rc) rc = mpm_slot_upload(mpm_of(sim), desc, error);
    }
    if (rc) {
        mpm_destroy(sim);
        return rc;
    }
    set_watch(mpm_of(sim));
    if (bytes) set_bytes(mpm_of(sim), desc, bytes);
    *out = sim;
    return PIOLA_OK;
}

void mpm_destroy(pio_sim *sim)
{
    if (!sim) return;
    mpm_sim *m = mpm_of(sim);
    for (int o = 0; m->observe.observations && o < m->observe.n_observations; o++)
        free(m->observe.observations[o].markers);
    free(m->observe.observations);
    free(m->design.designs);
    sim_obstacles_free(&m->obstacles.all);
    free(m->obstacles.number);
    sim_networks_free(&m->networks.all);
    free(m->networks.host_sights);
    free(m->slots.held);
    sim_end(sim);
    free(m);
}
