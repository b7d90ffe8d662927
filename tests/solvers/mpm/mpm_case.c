/* mpm_case.c -- see mpm_case.h. */
#include "tests/solvers/mpm/mpm_case.h"
#include "tests/solvers/engine/device_numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = CASE_DIM };

static void *need(void *memory)
{
    if (!memory) fail_msg("the test ran out of memory");
    return memory;
}

case_body case_body_of(const case_material *m, double density)
{
    case_body b = {.law = m->law, .parameter_form = m->parameter_form, .density = density};
    memcpy(b.parameters, m->parameters, sizeof b.parameters);
    return b;
}

void case_init(mpm_case *c, int nodes0, int nodes1, int nodes2, double dx, double dt, int64_t steps)
{
    const int32_t nodes[3] = {nodes0, nodes1, nodes2};
    memset(c, 0, sizeof *c);
    c->random = 1;
    c->desc =
        (pio_engine_desc){.size = sizeof c->desc, .threads = 1, .dt = dt, .cfl = 0.5, .steps = steps, .adjoint = 1};
    c->desc.grid.spacing = dx;
    for (int a = 0; a < D; a++) {
        c->desc.grid.nodes[a] = nodes[a];
        c->desc.grid.face[a][0] = -1; /* no node is at or beyond these */
        c->desc.grid.face[a][1] = nodes[a];
    }
}

void case_free(mpm_case *c)
{
    free(c->position);
    free(c->velocity);
    free(c->volume);
    free(c->density);
    free(c->parameters);
    free(c->viscosity);
    free(c->field);
    free(c->law);
    free(c->parameter_form);
    free(c->body);
    free(c->channel);
    free(c->plasticity);
    free(c->yield);
    free(c->sample_weight);
    for (int i = 0; i < c->n_owned; i++) free(c->owned[i]);
    for (int i = 0; i < c->n_points; i++) free(c->points[i]);
    memset(c, 0, sizeof *c);
}

void case_wall(mpm_case *c, int axis, int side, pio_wall kind, int node)
{
    c->desc.grid.wall[axis][side] = (int32_t)kind;
    c->desc.grid.face[axis][side] = node;
}

/* xorshift64* (Vigna 2016) */
double case_random(mpm_case *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (double)((c->random * UINT64_C(2685821657736338717)) >> 11) * 0x1p-52 - 1;
}

/* ---- particles ------------------------------------------------------------------------------------------ */

static void grow(mpm_case *c)
{
    if (c->n < c->room) return;
    c->room = c->room ? 2 * c->room : 256;
    const size_t room = (size_t)c->room;
    c->position = need(realloc(c->position, sizeof(double) * D * room));
    c->velocity = need(realloc(c->velocity, sizeof(double) * D * room));
    c->volume = need(realloc(c->volume, sizeof(double) * room));
    c->density = need(realloc(c->density, sizeof(double) * room));
    c->parameters = need(realloc(c->parameters, sizeof(double) * PIO_LAW_CONSTANTS * room));
    c->viscosity = need(realloc(c->viscosity, sizeof(double) * room));
    c->law = need(realloc(c->law, sizeof(int32_t) * room));
    c->parameter_form = need(realloc(c->parameter_form, sizeof(int32_t) * room));
    c->body = need(realloc(c->body, sizeof(int32_t) * room));
}

static void add(mpm_case *c, const case_body *b, int body, const double x[3], double volume)
{
    grow(c);
    const int64_t i = c->n++;
    for (int a = 0; a < D; a++) {
        c->position[i * D + a] = x[a];
        c->velocity[i * D + a] = b->velocity[a];
        for (int k = 0; k < D; k++) c->velocity[i * D + a] += b->spin[a][k] * (x[k] - b->centre[k]);
    }
    c->volume[i] = volume;
    c->density[i] = b->density;
    memcpy(c->parameters + PIO_LAW_CONSTANTS * i, b->parameters, sizeof b->parameters);
    c->viscosity[i] = b->viscosity;
    c->viscous |= b->viscosity > 0;
    c->law[i] = (int32_t)b->law;
    c->parameter_form[i] = b->parameter_form;
    c->body[i] = body;
}

static int new_body(mpm_case *c, const case_body *b)
{
    const int body = c->desc.particles.bodies++;
    if (body >= CASE_MOST) fail_msg("a case has at most %d bodies", CASE_MOST);
    for (int a = 0; a < D; a++)
        for (int k = 0; k < D; k++) c->spin[body][a * D + k] = b->spin[a][k];
    return body;
}

/* A box, and within it a ball where `centre` is not NULL. */
typedef struct {
    double lo[3], hi[3];
    const double *centre;
    double radius;
} region;

/* Lattice points of a region, `per` of them to a cell along each axis. */
static int fill(mpm_case *c, const case_body *b, const region *r, int per, double jitter)
{
    const int body = new_body(c, b);
    const double gap = c->desc.grid.spacing / per, volume = pow(gap, D);
    int count[3] = {1, 1, 1};
    for (int a = 0; a < D; a++) count[a] = (int)floor((r->hi[a] - r->lo[a]) / gap + 0.5);
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        const int at[3] = {i / (count[1] * count[2]), i / count[2] % count[1], i % count[2]};
        double x[3] = {0}, square = 0;
        for (int a = 0; a < D; a++) {
            x[a] = r->lo[a] + (at[a] + 0.5) * gap;
            if (r->centre) square += (x[a] - r->centre[a]) * (x[a] - r->centre[a]);
        }
        if (r->centre && square > r->radius * r->radius) continue;
        for (int a = 0; a < D; a++) x[a] += jitter * gap * case_random(c);
        add(c, b, body, x, volume);
    }
    return body;
}

int case_block(mpm_case *c, const case_body *b, const double lo[3], const double hi[3], int per, double jitter)
{
    const region box = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}, NULL, 0};
    return fill(c, b, &box, per, jitter);
}

int case_ball(mpm_case *c, const case_body *b, const double centre[3], double radius, int per, double jitter)
{
    const region ball = {{centre[0] - radius, centre[1] - radius, centre[2] - radius},
                         {centre[0] + radius, centre[1] + radius, centre[2] + radius},
                         centre,
                         radius};
    return fill(c, b, &ball, per, jitter);
}

int case_particle(mpm_case *c, const case_body *b, const double x[3], double volume)
{
    const int body = new_body(c, b);
    add(c, b, body, x, volume);
    return body;
}

void case_more(mpm_case *c, const case_body *b, int body, const double x[3], double volume)
{
    add(c, b, body, x, volume);
}

int case_channel(mpm_case *c, const pio_channel_desc *channel, int body, const double fibre[3])
{
    const int k = c->desc.n_channels++;
    double square = 0;
    if (k >= CASE_MOST) fail_msg("a case has at most %d channels", CASE_MOST);
    c->channels[k] = *channel;
    for (int a = 0; a < D; a++) square += fibre[a] * fibre[a];
    for (int a = 0; a < D; a++) c->fibre[k][a] = fibre[a] / sqrt(square);
    if (!c->channel) {
        c->channel = need(malloc(sizeof *c->channel * (size_t)c->n));
        for (int64_t i = 0; i < c->n; i++) c->channel[i] = -1;
    }
    for (int64_t i = 0; i < c->n; i++)
        if (c->body[i] == body) c->channel[i] = k;
    return k;
}

void case_field(mpm_case *c, int body, int field)
{
    if (!c->field) {
        c->field = need(calloc((size_t)c->n, sizeof *c->field));
        c->desc.particles.fields = 1;
    }
    for (int64_t i = 0; i < c->n; i++)
        if (c->body[i] == body) c->field[i] = field;
    if (c->desc.particles.fields <= field) c->desc.particles.fields = field + 1;
}

void case_plastic(mpm_case *c, int body, pio_plastic_law law, const double yield[PIO_PLASTIC_CONSTANTS])
{
    const size_t each = PIO_PLASTIC_CONSTANTS * sizeof *yield;
    if (!c->plasticity) {
        c->plasticity = need(calloc((size_t)c->n, sizeof *c->plasticity));
        c->yield = need(calloc((size_t)c->n, each));
    }
    for (int64_t i = 0; i < c->n; i++) {
        if (c->body[i] != body) continue;
        c->plasticity[i] = (int32_t)law;
        memcpy(c->yield + PIO_PLASTIC_CONSTANTS * i, yield, each);
    }
}

/* ---- observations and designs ---------------------------------------------------------------------------- */

static int32_t *own(mpm_case *c)
{
    if (c->n_owned >= 4 * CASE_MOST) fail_msg("too many tables");
    return c->owned[c->n_owned++] = need(malloc(sizeof(int32_t) * (size_t)c->n));
}

int case_observe(mpm_case *c, pio_observable type, int body, int samples)
{
    const int o = c->desc.n_observations++;
    if (o >= CASE_MOST) fail_msg("a case has at most %d observations", CASE_MOST);
    const int components = type == PIO_MEAN_POSITION || type == PIO_MEAN_VELOCITY ? D : 1;
    c->observation[o] =
        (pio_observation_desc){.type = type, .body = body, .components = components, .samples = samples};
    for (int k = 0; k < samples * components; k++) {
        c->linear[c->samples + k] = 1 + 0.5 * case_random(c);
        c->square[c->samples + k] = 0.5 * case_random(c);
    }
    c->samples += samples * components;
    if (c->samples > 256) fail_msg("a case has at most 256 sampled values");
    return o;
}

int case_observe_distance(mpm_case *c, int body, int samples, double reach)
{
    const int o = case_observe(c, PIO_DISTANCE, body, samples);
    int32_t *marker = own(c), rows = 0;
    for (int64_t i = 0; i < c->n; i++) marker[i] = c->body[i] == body && i % 2 == 0 ? rows++ : -1;
    double *points = c->points[c->n_points++] = need(malloc(sizeof(double) * (size_t)(samples * rows * D)));
    for (int s = 0; s < samples; s++)
        for (int64_t i = 0; i < c->n; i++)
            for (int a = 0; a < D && marker[i] >= 0; a++)
                points[(s * rows + marker[i]) * D + a] =
                    s == 0 && marker[i] == 1 ? (double)NAN : c->position[i * D + a] + reach * case_random(c);
    c->observation[o].marker = marker;
    c->observation[o].rows = rows;
    c->observation[o].points = points;
    return o;
}

pio_sample_weight *case_sample(mpm_case *c, int observation, int64_t step, int sample, double weight)
{
    const size_t count = (size_t)c->desc.n_sample_weights++;
    c->sample_weight = need(realloc(c->sample_weight, sizeof *c->sample_weight * (count + 1)));
    size_t at = count;
    for (; at > 0 && c->sample_weight[at - 1].step > step; at--) c->sample_weight[at] = c->sample_weight[at - 1];
    c->sample_weight[at] =
        (pio_sample_weight){.step = step, .observation = observation, .sample = sample, .weight = weight};
    return &c->sample_weight[at];
}

int case_design(mpm_case *c, pio_quantity quantity, int body, case_per per, int logarithmic, double a, double b)
{
    const int d = c->desc.n_designs++;
    if (d >= CASE_MOST) fail_msg("a case has at most %d designs", CASE_MOST);
    pio_design_desc *e = &c->design[d];
    const int vector = quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_GRAVITY ||
                       quantity == PIO_OBSTACLE_POSITION;
    const int turns = quantity == PIO_OBSTACLE_ROTATION ? (D == 3 ? 3 : 1) : quantity == PIO_OBSTACLE_FRICTION;
    *e = (pio_design_desc){.quantity = quantity,
                           .components = vector                                               ? D
                                         : turns                                              ? turns
                                         : quantity >= PIO_AMPLITUDE && quantity <= PIO_PHASE ? c->desc.n_channels
                                                                                              : 1,
                           .groups = 1,
                           .each = per == CASE_EACH,
                           .logarithmic = logarithmic,
                           .a = a,
                           .b = b};
    if (quantity < PIO_GRAVITY) {
        int32_t *index = own(c), count = 0, members = 0;
        for (int64_t i = 0; i < c->n; i++) members += body < 0 || c->body[i] == body;
        for (int64_t i = 0; i < c->n; i++) {
            index[i] = -1;
            if (body >= 0 && c->body[i] != body) continue;
            index[i] = per == CASE_EACH ? count : per == CASE_GROUPS ? count >= members / 2 : 0;
            count++;
        }
        e->index = index;
        e->groups = per == CASE_EACH ? members : per == CASE_GROUPS ? 2 : 1;
    }
    c->variables += e->groups * e->components;
    if (c->variables > CASE_VARIABLES) fail_msg("a case has at most %d variables", CASE_VARIABLES);
    return d;
}

int case_design_values(mpm_case *c, int first, int count, double a, double b)
{
    const int d = c->desc.n_designs++;
    if (d >= CASE_MOST) fail_msg("a case has at most %d designs", CASE_MOST);
    c->design[d] = (pio_design_desc){
        .quantity = PIO_CONTROL_VALUES, .components = count, .groups = 1, .which = first, .a = a, .b = b};
    c->variables += count;
    return d;
}

int case_design_motion(mpm_case *c, int o, int axis, double a, double b)
{
    const int d = c->desc.n_designs++, count = c->desc.obstacles[o].n_points;
    if (d >= CASE_MOST) fail_msg("a case has at most %d designs", CASE_MOST);
    c->design[d] = (pio_design_desc){.quantity = axis < 0 ? PIO_OBSTACLE_ANGLE : PIO_OBSTACLE_SHIFT,
                                     .component = axis < 0 ? 0 : axis,
                                     .components = count,
                                     .groups = 1,
                                     .which = o,
                                     .a = a,
                                     .b = b};
    c->variables += count;
    return d;
}

int case_design_count(const mpm_case *c, int design)
{
    return c->design[design].groups * c->design[design].components;
}

int case_design_first(const mpm_case *c, int design)
{
    int first = 0;
    for (int d = 0; d < design; d++) first += case_design_count(c, d);
    return first;
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

void case_describe(mpm_case *c)
{
    pio_engine_desc *d = &c->desc;
    const int32_t bodies = d->particles.bodies, fields = d->particles.fields;
    d->particles = (pio_particles_desc){.n = c->n,
                                        .position = c->position,
                                        .velocity = c->velocity,
                                        .volume = c->volume,
                                        .density = c->density,
                                        .law_parameters = c->parameters,
                                        .law = c->law,
                                        .parameter_form = c->parameter_form,
                                        .body = c->body,
                                        .bodies = bodies,
                                        .spin = &c->spin[0][0],
                                        .channel = c->channel,
                                        .fibre = &c->fibre[0][0],
                                        .viscosity = c->viscous ? c->viscosity : NULL,
                                        .field = c->field,
                                        .fields = fields,
                                        .plasticity = c->plasticity,
                                        .yield = c->yield};
    d->channels = c->channels;
    d->observations = c->observation;
    d->sample_weights = c->sample_weight;
    d->designs = c->design;
}

pio_sim *case_create(mpm_case *c, int64_t slots, int threads)
{
    pio_engine_desc *d = &c->desc;
    case_describe(c);
    d->slots = slots;
    d->threads = threads > 0 ? threads : 1;
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error;
    if (piola_engine.create(d, &sim, &bytes, &error)) fail_msg("create: %s", error.message);
    return sim;
}

double case_forward(mpm_case *c, pio_sim *sim, const double *z)
{
    sample_terms terms = case_terms(c);
    const pio_sweep sweep = {.context = &terms, .objective = sample_terms_objective};
    pio_sweep_result result;
    piola_error error;
    double samples[256];
    if (pio_forward(&piola_engine, sim, c->desc.steps, &(pio_sweep_arrays){.z = z, .samples = samples}, &sweep, &result,
                    &error))
        fail_msg("forward: %s", error.message);
    return result.J;
}

int64_t case_kinks(pio_sim *sim, const char *text, pio_kinks *kinks)
{
    for (int32_t i = 0;; i++) {
        const int64_t count = piola_engine.kinks(sim, i, kinks);
        if (count < 0) fail_msg("no kinks are counted of: %s", text);
        if (strstr(kinks->what, text)) return count;
    }
}

double case_gradient(mpm_case *c, pio_sim *sim, pio_schedule *schedule, const double *z, double *z_bar)
{
    sample_terms terms = case_terms(c);
    const pio_sweep sweep = {.context = &terms, .objective = sample_terms_objective};
    pio_schedule all = pio_schedule_store_all(c->desc.steps, 1);
    pio_sweep_result result;
    piola_error error;
    double samples[512];
    if (pio_gradient(&piola_engine, sim, schedule ? schedule : &all,
                     &(pio_sweep_arrays){.z = z, .samples = samples, .n_samples = c->samples, .z_bar = z_bar}, &sweep,
                     &result, &error))
        fail_msg("gradient: %s", error.message);
    return result.J;
}

double *case_read(pio_sim *sim, const char *field, int64_t n)
{
    const int32_t components = piola_engine.components(sim, field);
    if (!components) fail_msg("there is no field %s", field);
    double *values = need(malloc(sizeof *values * (size_t)(n * components)));
    piola_error error;
    if (piola_engine.read(sim, field, values, &error)) fail_msg("read %s: %s", field, error.message);
    return values;
}

int case_is_f32(void)
{
    return !strcmp(piola_engine.precision, "f32");
}

void case_below(const char *what, double measured, double limit64, double limit32)
{
    const double limit = case_is_f32() ? limit32 : limit64;
    print_message("  %-64s %.3g (limit %.3g)\n", what, measured, limit);
    if (!(fabs(measured) <= limit)) fail_msg("%s: %.9g is beyond %.3g", what, measured, limit);
}

uint64_t case_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t hash_fields(pio_sim *sim, int64_t n, const char *const *fields)
{
    uint64_t hash = CASE_HASH_START;
    for (; *fields; fields++) {
        const int sometimes = !strncmp(*fields, "grad_parameter", 14) || !strncmp(*fields, "grad_yield", 10) ||
                              !strcmp(*fields, "hardening") || !strcmp(*fields, "e33");
        if (sometimes && !piola_engine.components(sim, *fields)) continue; /* of no law there */
        double *values = case_read(sim, *fields, n);
        hash = case_hash(hash, values, sizeof *values * (size_t)(n * piola_engine.components(sim, *fields)));
        free(values);
    }
    return hash;
}

uint64_t case_hash_state(pio_sim *sim, int64_t n)
{
    static const char *const fields[] = {"position", "velocity", "C",         "F",   "J",
                                         "pressure", "mass",     "hardening", "e33", NULL};
    return hash_fields(sim, n, fields);
}

uint64_t case_hash_gradients(pio_sim *sim, int64_t n)
{
    static const char *const fields[] = {"grad_position",    "grad_velocity",
                                         "grad_parameter_0", "grad_parameter_1",
                                         "grad_parameter_2", "grad_parameter_3",
                                         "grad_parameter_4", "grad_yield_0",
                                         "grad_yield_1",     "grad_yield_2",
                                         "grad_density",     "adj_position",
                                         "adj_velocity",     NULL};
    double gravity[3] = {0};
    const uint64_t hash = hash_fields(sim, n, fields);
    assert_int_equal(device_gravity_bar(sim, gravity), 0);
    return case_hash(hash, gravity, sizeof gravity);
}
