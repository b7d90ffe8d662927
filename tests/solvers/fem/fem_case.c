/* fem_case.c -- see fem_case.h. Meshes: fem_case_mesh.c. */
#include "tests/solvers/fem/fem_case.h"
#include "tests/solvers/engine/device_numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

void fem_case_begin(fem_case *c, double dt, int64_t steps)
{
    memset(c, 0, sizeof *c);
    c->random = 1;
    c->desc = (pio_engine_desc){.size = sizeof c->desc, .threads = 1, .dt = dt, .steps = steps, .adjoint = 1};
    c->fem = (pio_fem_desc){
        .newton_tolerance = 1e-12, .newton_iterations = 40, .adjoint_tolerance = 1e-12, .linear_iterations = 20000};
    if (fem_case_is_f32()) { /* strains of 1e-3 are known to three digits or four */
        c->fem.newton_tolerance = 2e-4;
        c->fem.adjoint_tolerance = 2e-3;
    }
    fem_case_curve(c, 1, (double[]){0}, (double[]){1});
}

void fem_case_free(fem_case *c)
{
    for (int i = 0; i < c->n_owned; i++) free(c->owned[i]);
    free(c->sample_weight);
    free(c->constrained_node);
    free(c->constrained_axis);
    free(c->constrained_support);
    free(c->support_value);
    free(c->support_curve);
    memset(c, 0, sizeof *c);
}

/* xorshift64* (Vigna 2016) */
double fem_case_random(fem_case *c)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (double)((c->random * UINT64_C(2685821657736338717)) >> 11) * 0x1p-52 - 1;
}

static void *own(fem_case *c, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory || c->n_owned == (int)(sizeof c->owned / sizeof *c->owned)) fail_msg("the test ran out of memory");
    return c->owned[c->n_owned++] = memory;
}

static void *grown(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) fail_msg("the test ran out of memory");
    return memory;
}

/* ---- matter, loads, supports ----------------------------------------------------------------------------- */

void fem_case_matter(fem_case *c, const fem_material *m, int count, double thickness)
{
    const size_t n = (size_t)c->elements;
    c->law = own(c, n, sizeof *c->law);
    c->parameter_form = own(c, n, sizeof *c->parameter_form);
    c->material = own(c, n, sizeof *c->material);
    c->parameters = own(c, 5 * n, sizeof *c->parameters);
    c->density = own(c, n, sizeof *c->density);
    c->thickness = own(c, n, sizeof *c->thickness);
    for (int e = 0; e < c->elements; e++) {
        const fem_material *of = m + e % count;
        c->law[e] = (int32_t)of->law;
        c->parameter_form[e] = of->parameter_form;
        c->material[e] = e % count;
        c->density[e] = of->density;
        c->thickness[e] = thickness;
        memcpy(c->parameters + 5 * e, of->parameters, sizeof of->parameters);
    }
}

void fem_case_motion(fem_case *c, pio_integrator integrator, int lumped, double alpha, double beta)
{
    double *a = own(c, (size_t)c->elements, sizeof *a), *b = own(c, (size_t)c->elements, sizeof *b);
    for (int e = 0; e < c->elements; e++) a[e] = alpha, b[e] = beta;
    c->initial_displacement = own(c, (size_t)(c->n * D), sizeof(double));
    c->initial_velocity = own(c, (size_t)(c->n * D), sizeof(double));
    c->fem.integrator = integrator;
    c->fem.lumped = lumped;
    c->fem.alpha = alpha > 0 ? a : NULL;
    c->fem.beta = beta > 0 ? b : NULL;
    c->fem.displacement = c->initial_displacement;
    c->fem.velocity = c->initial_velocity;
}

int fem_case_curve(fem_case *c, int points, const double *t, const double *value)
{
    const int curve = c->fem.n_curves++, first = c->curve_start[curve];
    if (curve >= FEM_MOST || first + points > 8 * FEM_MOST) fail_msg("too many curves");
    memcpy(c->curve_t + first, t, sizeof *t * (size_t)points);
    memcpy(c->curve_value + first, value, sizeof *value * (size_t)points);
    c->curve_start[curve + 1] = first + points;
    return curve;
}

int fem_case_value(fem_case *c, double x, double y, double z)
{
    const int v = c->fem.n_values++;
    if (v >= FEM_MOST) fail_msg("too many values");
    memcpy(c->value[v], (double[3]){x, y, z}, sizeof c->value[v]);
    return v;
}

int fem_case_support(fem_case *c, double value, int curve)
{
    const int s = c->fem.n_supports++;
    c->support_value = grown(c->support_value, sizeof *c->support_value * (size_t)(s + 1));
    c->support_curve = grown(c->support_curve, sizeof *c->support_curve * (size_t)(s + 1));
    c->support_value[s] = value;
    c->support_curve[s] = curve;
    return s;
}

void fem_case_hold(fem_case *c, int node, int axis, int support)
{
    const size_t bytes = sizeof(int32_t) * (size_t)(c->fem.n_constrained + 1);
    c->constrained_node = grown(c->constrained_node, bytes);
    c->constrained_axis = grown(c->constrained_axis, bytes);
    c->constrained_support = grown(c->constrained_support, bytes);
    c->constrained_node[c->fem.n_constrained] = node;
    c->constrained_axis[c->fem.n_constrained] = axis;
    c->constrained_support[c->fem.n_constrained++] = support;
}

void fem_case_hold_side(fem_case *c, int side_axis, int side, int axis, int support)
{
    for (int i = 0; i < c->n; i++)
        if (fem_case_on_side(c, i, side_axis, side)) fem_case_hold(c, i, axis, support);
}

void fem_case_clamp(fem_case *c, int side_axis, int side)
{
    const int zero = fem_case_support(c, 0, -1);
    for (int axis = 0; axis < D; axis++) fem_case_hold_side(c, side_axis, side, axis, zero);
}

/* ---- observations and designs ---------------------------------------------------------------------------- */

static void observe_points(fem_case *c, pio_observation_desc *o, int samples)
{
    int32_t *marker = own(c, (size_t)c->n, sizeof *marker), rows = 0;
    for (int i = 0; i < c->n; i++) marker[i] = i % 2 ? rows++ : -1;
    double *points = own(c, (size_t)(samples * rows * D), sizeof *points);
    for (int s = 0; s < samples; s++)
        for (int i = 0; i < c->n; i++)
            for (int a = 0; a < D && marker[i] >= 0; a++)
                points[(s * rows + marker[i]) * D + a] =
                    s == 0 && marker[i] == 1 ? (double)NAN : c->rest[i * D + a] + 0.2 * fem_case_random(c);
    o->marker = marker;
    o->rows = rows;
    o->points = points;
    if (samples == 1) return;
    double *weight = own(c, (size_t)(samples * rows), sizeof *weight);
    for (int r = 0; r < samples * rows; r++) weight[r] = r % 4 ? 1 + 0.5 * sin(r) : 0;
    o->point_weight = weight;
}

static int components_of(pio_observable type)
{
    if (type == PIO_DISPLACEMENT || type == PIO_REACTION || type == PIO_MEAN_VELOCITY) return D;
    if (type == PIO_CONTACT_FORCE) return D;
    if (type == PIO_REACTION_MOMENT || type == PIO_ANGULAR_MOMENTUM || type == PIO_OF_ROTATION) return D == 3 ? 3 : 1;
    if (type == PIO_OF_CAUCHY_STRESS || type == PIO_OF_GREEN_STRAIN) return D == 3 ? 6 : 4;
    return type == PIO_OF_PRINCIPAL_STRESS ? 3 : 1;
}

int fem_case_observe(fem_case *c, pio_observable type, int samples)
{
    const int o = c->desc.n_observations++, components = components_of(type);
    if (o >= FEM_MOST || c->samples + samples * components > FEM_SAMPLES) fail_msg("too many observations");
    pio_observation_desc *d = &c->observation[o];
    *d = (pio_observation_desc){.type = type,
                                .components = components,
                                .samples = samples,
                                .measure = type == PIO_OF_VON_MISES ? PIO_PNORM : PIO_MEAN,
                                .center = {0.3, -0.2, 0.4}};
    for (int k = 0; k < samples * components; k++) {
        c->linear[c->samples] = 1 + 0.5 * fem_case_random(c);
        c->square[c->samples++] = 0.5 * fem_case_random(c);
    }
    if (type == PIO_DISTANCE) observe_points(c, d, samples);
    if (type == PIO_DISTANCE || type == PIO_COMPLIANCE || type == PIO_GAP) return o;
    if (type >= PIO_VOLUME) {
        double *weight = own(c, (size_t)c->elements, sizeof *weight);
        for (int e = 0; e < c->elements; e++) weight[e] = e % 5 == 3 ? 0 : 1;
        d->weight = weight;
        d->power = 6;
        d->size = 50;
        return o;
    }
    double *weight = own(c, (size_t)(c->n * D), sizeof *weight);
    for (int i = 0; i < c->n * D; i++) weight[i] = type == PIO_CONTACT_FORCE ? 1 : fem_case_random(c);
    d->weight = weight;
    return o;
}

pio_sample_weight *fem_case_sample(fem_case *c, int observation, int64_t step, int sample, double weight)
{
    const size_t count = (size_t)c->desc.n_sample_weights++;
    size_t at = count;
    c->sample_weight = grown(c->sample_weight, sizeof *c->sample_weight * (count + 1));
    for (; at > 0 && c->sample_weight[at - 1].step > step; at--) c->sample_weight[at] = c->sample_weight[at - 1];
    c->sample_weight[at] =
        (pio_sample_weight){.step = step, .observation = observation, .sample = sample, .weight = weight};
    return &c->sample_weight[at];
}

void fem_case_observe_node(fem_case *c, int node, int axis)
{
    const int first = c->samples, o = fem_case_observe(c, PIO_DISPLACEMENT, 1);
    double *weight = own(c, (size_t)(c->n * D), sizeof *weight);
    for (int a = 0; a < D; a++) weight[node * D + a] = 1;
    c->observation[o].weight = weight;
    for (int a = 0; a < D; a++) {
        c->linear[first + a] = a == axis;
        c->square[first + a] = 0;
    }
    fem_case_sample(c, o, c->desc.steps, 0, 1);
}

static int member(const fem_case *c, int material, int e)
{
    return material < 0 || c->material[e] == material;
}

int fem_case_design(fem_case *c, pio_quantity quantity, int material, fem_per per, fem_transform transform, int which)
{
    const int d = c->desc.n_designs++,
              nodes = quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_DISPLACED;
    const int place = nodes || quantity == PIO_GRAVITY || quantity == PIO_OBSTACLE_POSITION;
    const int vector = place || (quantity == PIO_OBSTACLE_ROTATION && D == 3) ? D : 1;
    if (d >= FEM_MOST) fail_msg("too many designs");
    pio_design_desc *e = &c->design[d];
    *e = (pio_design_desc){.quantity = quantity, .components = vector, .groups = 1, .each = per == FEM_EACH};
    e->logarithmic = transform.logarithmic;
    e->a = transform.a;
    e->b = transform.b;
    e->which = which;
    if (quantity == PIO_OBSTACLE_SHIFT || quantity == PIO_OBSTACLE_ANGLE) e->components = c->obstacle[which].n_points;
    for (int l = 0; l < c->fem.n_loads && quantity == PIO_LOAD; l++)
        if (c->load[l].value == which)
            e->components = c->load[l].kind == PIO_TRACTION || c->load[l].kind >= PIO_SPRINGS ? D : 1;
    for (int l = 0; l < c->fem.n_loads && quantity == PIO_LOAD; l++)
        if (c->load[l].value == which && c->load[l].kind == PIO_FOUNDATION) e->components = 1;
    if (quantity < PIO_GRAVITY) {
        const int n = nodes ? c->n : c->elements;
        int32_t *index = own(c, (size_t)n, sizeof *index), count = 0, members = 0;
        for (int i = 0; i < n; i++) members += nodes || member(c, material, i);
        for (int i = 0; i < n; i++) {
            index[i] = -1;
            if (!nodes && !member(c, material, i)) continue;
            index[i] = per == FEM_EACH ? count : per == FEM_GROUPS ? count >= members / 2 : 0;
            count++;
        }
        e->index = index;
        e->groups = per == FEM_EACH ? members : per == FEM_GROUPS ? 2 : 1;
    }
    c->variables += e->groups * e->components;
    if (c->variables > FEM_VARIABLES) fail_msg("a case has at most %d variables", FEM_VARIABLES);
    return d;
}

int fem_case_design_count(const fem_case *c, int design)
{
    return c->design[design].groups * c->design[design].components;
}

void fem_case_design_matter(fem_case *c)
{
    for (int k = 0; k < 2; k++) {
        fem_case_design(c, PIO_DENSITY, k, FEM_EACH, fem_logarithmic(log(2.5), 0.2), 0);
        for (int i = 0; i < 5; i++) {
            double value = 0;
            for (int e = 0; e < c->elements; e++)
                if (c->material[e] == k) value = c->parameters[5 * e + i];
            if (fabs(value) > 0)
                fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, FEM_SCALAR,
                                fem_linear(value, 0.1 * value), 0);
        }
    }
}

int fem_case_design_first(const fem_case *c, int design)
{
    int first = 0;
    for (int d = 0; d < design; d++) first += fem_case_design_count(c, d);
    return first;
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

void fem_case_describe(fem_case *c, int64_t slots, int threads)
{
    pio_engine_desc *d = &c->desc;
    pio_fem_desc *m = &c->fem;
    m->n = c->n;
    m->contacts = c->contact;
    d->obstacles = c->obstacle;
    m->rest = c->rest;
    m->blocks = c->block;
    m->law = c->law;
    m->parameter_form = c->parameter_form;
    m->law_parameters = c->parameters;
    m->density = c->density;
    m->thickness = D == 2 ? c->thickness : NULL;
    m->loads = c->load;
    m->values = &c->value[0][0];
    m->constrained_node = c->constrained_node;
    m->constrained_axis = c->constrained_axis;
    m->constrained_support = c->constrained_support;
    m->support_value = c->support_value;
    m->support_curve = c->support_curve;
    m->curve_start = c->curve_start;
    m->curve_t = c->curve_t;
    m->curve_value = c->curve_value;
    d->fem = m;
    d->observations = c->observation;
    d->sample_weights = c->sample_weight;
    d->designs = c->design;
    d->slots = slots;
    d->threads = threads > 0 ? threads : 1;
}

pio_sim *fem_case_create(fem_case *c, int64_t slots, int threads)
{
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error;
    fem_case_describe(c, slots, threads);
    if (piola_engine_fem.create(&c->desc, &sim, &bytes, &error)) fail_msg("create: %s", error.message);
    return sim;
}

pio_sim *fem_case_start(fem_case *c)
{
    piola_error error = {0};
    pio_sim *sim = fem_case_create(c, c->desc.steps, 1);
    if (piola_engine_fem.start(sim, NULL, &error)) fail_msg("start: %s", error.message);
    return sim;
}

pio_sim *fem_case_solve(fem_case *c)
{
    piola_error error = {0};
    pio_sim *sim = fem_case_start(c);
    if (piola_engine_fem.advance(sim, c->desc.steps, &error)) fail_msg("advance: %s", error.message);
    return sim;
}

double fem_case_forward(fem_case *c, pio_sim *sim, const double *z, double *sample)
{
    sample_terms terms = fem_case_terms(c);
    const pio_sweep sweep = {.context = &terms, .objective = sample_terms_objective};
    pio_sweep_result result;
    piola_error error;
    double samples[2 * FEM_SAMPLES] = {0};
    if (pio_forward(&piola_engine_fem, sim, c->desc.steps, &(pio_sweep_arrays){.z = z, .samples = samples}, &sweep,
                    &result, &error))
        fail_msg("forward: %s", error.message);
    if (sample) memcpy(sample, samples, sizeof *sample * (size_t)c->samples);
    return result.J;
}

static piola_status gradient(fem_case *c, pio_sim *sim, pio_schedule *schedule, const double *z, double *z_bar,
                             pio_sweep_result *result, piola_error *error)
{
    sample_terms terms = fem_case_terms(c);
    const pio_sweep sweep = {.context = &terms, .objective = sample_terms_objective};
    pio_schedule all = pio_schedule_store_all(c->desc.steps, 1);
    double samples[2 * FEM_SAMPLES];
    return pio_gradient(&piola_engine_fem, sim, schedule ? schedule : &all,
                        &(pio_sweep_arrays){.z = z, .samples = samples, .n_samples = c->samples, .z_bar = z_bar},
                        &sweep, result, error);
}

double fem_case_gradient(fem_case *c, pio_sim *sim, pio_schedule *schedule, const double *z, double *z_bar)
{
    pio_sweep_result result;
    piola_error error;
    if (gradient(c, sim, schedule, z, z_bar, &result, &error)) fail_msg("gradient: %s", error.message);
    return result.J;
}

piola_status fem_case_try(fem_case *c, const double *z, int with_gradient, piola_error *error)
{
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    pio_sweep_result result;
    double *z_bar = own(c, (size_t)c->variables, sizeof *z_bar);
    *error = (piola_error){0};
    fem_case_describe(c, c->desc.steps, 1);
    piola_status rc = piola_engine_fem.create(&c->desc, &sim, &bytes, error);
    if (rc) {
        assert_null(sim);
        return rc;
    }
    if (with_gradient) {
        rc = gradient(c, sim, NULL, z, z_bar, &result, error);
    } else {
        rc = piola_engine_fem.start(sim, z, error);
        if (!rc) rc = piola_engine_fem.advance(sim, c->desc.steps, error);
        if (!rc) rc = piola_engine_fem.check(sim, error);
    }
    piola_engine_fem.destroy(sim);
    return rc;
}

double *fem_case_read(pio_sim *sim, const char *field)
{
    const int32_t components = piola_engine_fem.components(sim, field);
    const int64_t items = piola_engine_fem.items(sim, field);
    if (!components) fail_msg("there is no field %s", field);
    double *values = grown(NULL, sizeof *values * (size_t)(items * components));
    piola_error error;
    if (piola_engine_fem.read(sim, field, values, &error)) fail_msg("read %s: %s", field, error.message);
    return values;
}

int fem_case_is_f32(void)
{
    return !strcmp(piola_engine_fem.precision, "f32");
}

void fem_case_below(const char *what, double measured, double limit64, double limit32)
{
    const double limit = fem_case_is_f32() ? limit32 : limit64;
    print_message("  %-72s %.3g (limit %.3g)\n", what, measured, limit);
    if (!(fabs(measured) <= limit)) fail_msg("%s: %.9g is beyond %.3g", what, measured, limit);
}

uint64_t fem_case_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t hash_fields(pio_sim *sim, const char *const *fields)
{
    uint64_t hash = FEM_HASH_START;
    for (; *fields; fields++) {
        const int32_t components = piola_engine_fem.components(sim, *fields);
        if (!components) continue; /* thickness in 3D */
        double *values = fem_case_read(sim, *fields);
        hash =
            fem_case_hash(hash, values, sizeof *values * (size_t)(piola_engine_fem.items(sim, *fields) * components));
        free(values);
    }
    return hash;
}

uint64_t fem_case_hash_state(pio_sim *sim)
{
    static const char *const fields[] = {"displacement", "position", "internal_force", "external_force", NULL};
    return hash_fields(sim, fields);
}

uint64_t fem_case_hash_gradients(pio_sim *sim)
{
    static const char *const fields[] = {
        "grad_rest_position", "grad_parameter_0", "grad_parameter_1", "grad_parameter_2", "grad_parameter_3",
        "grad_parameter_4",   "grad_density",     "grad_thickness",   "adj_displacement", NULL};
    double gravity[3] = {0};
    const uint64_t hash = hash_fields(sim, fields);
    assert_int_equal(device_gravity_bar(sim, gravity), 0);
    return fem_case_hash(hash, gravity, sizeof gravity);
}
