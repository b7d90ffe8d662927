/* scene_control.c -- actuators and control of a scene: defaults, weights at the start, and rules. */
#include "host/scene/control_weights.h"
#include "host/base/random.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_UNITS = 256,
    MOST_KNOTS = 65536,
    WEIGHT_STREAM = 1 << 20 /* first stream of random numbers; bodies have those before */
};

size_t pio_scene_layers(const pio_scene *s, const scene_control *c, int width[SCENE_LAYERS], int *layers)
{
    size_t count = 0;
    *layers = (int)c->hidden.n + 1;
    if (c->hidden.n > PIO_NETWORK_HIDDEN) return 0;
    width[0] = 0;
    for (size_t i = 0; i < c->n_inputs; i++) width[0] += c->inputs[i].type == PIO_INPUT_PHASE ? 2 : s->method.dimension;
    for (size_t l = 0; l < c->hidden.n; l++) {
        const double units = c->hidden.v[l];
        if (!(units >= 1 && units <= MOST_UNITS) || units > floor(units)) return 0;
        width[l + 1] = (int)units;
    }
    width[*layers] = (int)c->actuators.n;
    for (int l = 0; l < *layers; l++) count += (size_t)width[l + 1] * ((size_t)width[l] + 1);
    return count;
}

/* ---- defaults -------------------------------------------------------------------------------------------- */

/* Sets W at random and b = 0. */
static void draw_weights(const pio_scene *s, size_t control, const int *width, int layers)
{
    const scene_control *c = &s->actuation.control[control];
    size_t at = 0;
    for (int l = 0; l < layers; l++)
        for (int r = 0; r < width[l + 1]; r++)
            for (int k = 0; k <= width[l]; k++, at++) {
                const double u = pio_uniform((uint64_t)s->common.seed, WEIGHT_STREAM + control, at, 0);
                c->weights.v[at] = k < width[l] ? c->weight_scale * (2 * u - 1) / sqrt(width[l]) : 0;
            }
}

static void read_weights(const pio_scene *s, cfg_doc *doc, size_t i, scene_numbers *weights)
{
    const scene_control *c = &s->actuation.control[i];
    char place[PATH_MAX], dataset[300];
    PATH(path, "control[%zu].weights", i);
    piola_error error;
    bool found;
    if (c->weights_dataset)
        snprintf(dataset, sizeof dataset, "%.299s", c->weights_dataset);
    else
        snprintf(dataset, sizeof dataset, "/piola/gradient/control.%.200s.weights/value", c->name);
    piola_status rc = pio_scene_file(s, c->weights_file, place, sizeof place, &error);
    if (!rc) rc = pio_control_weights(place, dataset, weights->v, weights->n, &error);
    char sha256[PIO_SHA256_TEXT];
    if (!rc) rc = pio_sha256_of_file(place, sha256, &error);
    if (!rc)
        pio_cfg_input(doc, place, sha256);
    else
        pio_cfg_report(doc, rc, pio_cfg_find(doc->root, path, &found)->mark, path, "%s", error.message);
}

/* A single limit is that of every actuator. */
static void complete_limit(cfg_doc *doc, scene_control *c)
{
    if (c->limit.n != 1 || c->actuators.n == 1) return;
    const double limit = c->limit.v[0];
    c->limit.v = pio_pool_take(&doc->pool, (c->actuators.n + 1) * sizeof(double));
    c->limit.n = c->limit.v ? c->actuators.n : 0;
    doc->no_memory |= !c->limit.v;
    for (size_t k = 0; k < c->limit.n; k++) c->limit.v[k] = limit;
}

static void gather_clocks(cfg_doc *doc, scene_control *c)
{
    for (int part = 0; part < 2; part++) {
        scene_numbers *all = &c->clock[part];
        all->n = 0;
        all->v = pio_pool_take(&doc->pool, (c->n_inputs + 1) * sizeof(double));
        doc->no_memory |= !all->v;
        for (size_t k = 0; k < c->n_inputs && all->v; k++)
            if (c->inputs[k].type == PIO_INPUT_PHASE)
                all->v[all->n++] = part ? c->inputs[k].phase : c->inputs[k].frequency;
    }
}

void pio_scene_complete_control(pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->actuation.n_control; i++) {
        scene_control *c = &s->actuation.control[i];
        int width[SCENE_LAYERS], layers;
        if (isnan(c->period)) c->period = 0;
        if (c->type != PIO_NETWORK) continue;
        complete_limit(doc, c);
        gather_clocks(doc, c);
        c->weights.n = pio_scene_layers(s, c, width, &layers);
        c->weights.v = pio_pool_take(&doc->pool, (c->weights.n + 1) * sizeof(double));
        if (!c->weights.v) {
            doc->no_memory = true;
            c->weights.n = 0;
        }
        if (!c->weights.n) continue; /* pio_scene_validate_control rejects it */
        if (c->weights_file)
            read_weights(s, doc, i, &c->weights);
        else
            draw_weights(s, i, width, layers);
    }
}

/* ---- rules ----------------------------------------------------------------------------------------------- */

static void check_actuator(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_actuator *a = &s->actuation.actuators[i];
    PATH(body, "actuators[%zu].body", i);
    PATH(fibre, "actuators[%zu].fibre", i);
    double square = 0;
    const size_t b =
        pio_scene_entry(doc, body, "bodies", a->body, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    const scene_material *m = b < s->matter.n_bodies ? pio_scene_material(s, s->matter.bodies[b].material) : NULL;
    if (m && m->model >= PIO_LINEAR_FLUID)
        pio_cfg_fault(doc, body, "'%s' is a fluid, which has no fibres; name a solid body", a->body);
    for (int k = 0; k < s->method.dimension; k++) square += a->fibre[k] * a->fibre[k];
    if (!(square > 0)) pio_cfg_fault(doc, fibre, "the fibres have no direction; at least one number must not be 0");
    for (int k = 0; k < s->method.dimension && !isnan(a->on.min[0]); k++) {
        PATH(max, "actuators[%zu].on.max[%d]", i, k);
        if (!(a->on.max[k] > a->on.min[k]))
            pio_cfg_fault(doc, max, "%g m is not above min, %g m, along %c", a->on.max[k], a->on.min[k], "xyz"[k]);
    }
}

/* Each actuator is driven once. */
static void check_driven(const pio_scene *s, cfg_doc *doc)
{
    for (size_t a = 0; a < s->actuation.n_actuators; a++) {
        size_t times = 0;
        for (size_t i = 0; i < s->actuation.n_control; i++)
            for (size_t k = 0; k < s->actuation.control[i].actuators.n; k++) {
                PATH(path, "control[%zu].actuators[%zu]", i, k);
                if (strcmp(s->actuation.control[i].actuators.v[k], s->actuation.actuators[a].name) != 0 || ++times != 2)
                    continue;
                pio_cfg_fault(doc, path, "'%s' is already driven; one entry of control drives an actuator",
                              s->actuation.actuators[a].name);
            }
        PATH(path, "actuators[%zu].name", a);
        if (!times)
            pio_cfg_fault(doc, path, "no entry of control drives '%s'; add one, or remove it",
                          s->actuation.actuators[a].name);
    }
}

/* Checks that the name is that of a body or of an actuator, not of both. */
static void check_seen(const pio_scene *s, cfg_doc *doc, const char *path, const char *name)
{
    const bool actuator = pio_scene_find(name, s->actuation.actuators, s->actuation.n_actuators,
                                         sizeof *s->actuation.actuators) < s->actuation.n_actuators;
    if (!actuator)
        pio_scene_entry(doc, path, "bodies", name, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    else if (pio_scene_body(s, name))
        pio_cfg_fault(doc, path, "'%s' is a body and an actuator; give one of them another name", name);
}

static void check_network(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_control *c = &s->actuation.control[i];
    PATH(type, "control[%zu].type", i);
    PATH(hidden, "control[%zu].hidden", i);
    PATH(limit, "control[%zu].limit", i);
    PATH(spread, "control[%zu].weight_scale", i);
    if (s->method.type == SCENE_FEM && s->fem.integrator == PIO_STATIC)
        pio_cfg_fault(doc, type, "a network reads a motion; give time.integrator, or drive by a signal of time");
    if (s->method.type == SCENE_FEM &&
        (s->fem.integrator == PIO_REVERSIBLE_LEAPFROG || s->fem.integrator == PIO_REVERSIBLE_EULER))
        pio_cfg_fault(
            doc, type,
            "networks are unknown to reversible integrators; use integrator: leapfrog or backward_euler, or a "
            "signal of time");
    if (s->mpm.integrator == SCENE_REVERSIBLE)
        pio_cfg_fault(doc, type,
                      "a network reads velocities, which time.integrator: reversible does not know yet when it "
                      "reverses a step; use integrator: apic, or a signal of time");
    if (c->limit.n != c->actuators.n)
        pio_cfg_fault(doc, limit, "%zu limits for %zu actuator%s; give one for all, or one for each", c->limit.n,
                      c->actuators.n, c->actuators.n == 1 ? "" : "s");
    if (c->hidden.n > PIO_NETWORK_HIDDEN)
        pio_cfg_fault(doc, hidden, "%zu layers; at most %d are possible", c->hidden.n, PIO_NETWORK_HIDDEN);
    if (c->weights_file && pio_scene_is_set(doc, spread))
        pio_cfg_fault(doc, spread, "the weights are read from a file; remove this, or `weights` to start at random");
    for (size_t l = 0; l < c->hidden.n; l++) {
        PATH(path, "control[%zu].hidden[%zu]", i, l);
        const double units = c->hidden.v[l];
        if (!(units >= 1 && units <= MOST_UNITS) || units > floor(units))
            pio_cfg_fault(doc, path, "%g units; give a whole number from 1 to %d", units, MOST_UNITS);
    }
    for (size_t k = 0; k < c->n_inputs; k++) {
        const scene_input *in = &c->inputs[k];
        PATH(of, "control[%zu].inputs[%zu].of", i, k);
        PATH(relative, "control[%zu].inputs[%zu].relative_to", i, k);
        PATH(scale, "control[%zu].inputs[%zu].scale", i, k);
        if (in->type == PIO_INPUT_PHASE) continue;
        check_seen(s, doc, of, in->of);
        if (in->relative_to) check_seen(s, doc, relative, in->relative_to);
        pio_scene_unit(doc, scale, in->type == PIO_INPUT_POSITION ? CFG_LENGTH : CFG_VELOCITY);
    }
}

/* Reports what meshes do not have. */
static void check_meshes(const pio_scene *s, cfg_doc *doc)
{
    if (s->actuation.n_actuators && s->fem.integrator == PIO_MODAL)
        pio_cfg_fault(doc, "actuators", "modes are those of small free vibrations about rest; remove the actuators");
    for (size_t i = 0; i < s->actuation.n_actuators; i++) {
        const scene_body *b = pio_scene_body(s, s->actuation.actuators[i].body);
        PATH(body, "actuators[%zu].body", i);
        if (b && pio_scene_body_is_partial(b))
            pio_cfg_fault(doc, body,
                          "'%s' has a relative density, which fibres would not follow; drive another body, or remove "
                          "its relative density",
                          b->name);
    }
}

static void check_control(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_control *c = &s->actuation.control[i];
    const size_t least = c->type == PIO_PIECEWISE ? 2 : c->type == PIO_SPLINE ? 4 : 0;
    PATH(actuators, "control[%zu].actuators", i);
    PATH(knots, "control[%zu].knots", i);
    for (size_t k = 0; k < c->actuators.n; k++) {
        PATH(path, "control[%zu].actuators[%zu]", i, k);
        pio_scene_entry(doc, path, "actuators", c->actuators.v[k], s->actuation.actuators, s->actuation.n_actuators,
                        sizeof *s->actuation.actuators);
    }
    if (c->type == PIO_NETWORK)
        check_network(s, doc, i);
    else if (c->actuators.n != 1)
        pio_cfg_fault(doc, actuators, "a signal drives one actuator, not %zu; only a network has several outputs",
                      c->actuators.n);
    if (least && (c->knots.n < least || c->knots.n > MOST_KNOTS))
        pio_cfg_fault(doc, knots, "%zu knot%s; from %zu to %d are possible", c->knots.n, c->knots.n == 1 ? "" : "s",
                      least, MOST_KNOTS);
}

static void check_observation(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(type, "observe[%zu].type", i);
    if (o->type != PIO_EFFORT && o->type != PIO_SMOOTHNESS) return;
    if (!s->actuation.n_control)
        pio_cfg_fault(doc, type, "the scene has no entry of control; add one, or remove the observation");
    for (size_t k = 0; k < o->control.n && s->actuation.n_control; k++) {
        PATH(path, "observe[%zu].control[%zu]", i, k);
        pio_scene_entry(doc, path, "control", o->control.v[k], s->actuation.control, s->actuation.n_control,
                        sizeof *s->actuation.control);
    }
}

void pio_scene_validate_control(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->actuation.n_actuators; i++) check_actuator(s, doc, i);
    for (size_t i = 0; i < s->actuation.n_control; i++) check_control(s, doc, i);
    check_driven(s, doc);
    if (s->method.type == SCENE_FEM) check_meshes(s, doc);
    for (size_t i = 0; i < s->goal.n_observe; i++) check_observation(s, doc, i);
}
