/* scene_complete.c -- defaults of a scene that depend on its other keys. */
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"
#include "host/base/axes.h"

#include <math.h>
#include <string.h>

static double value_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static void complete_material(scene_material *m)
{
    m->by_lame_parameters = !isnan(m->mu);
    bool solid = LAW_BIT(m->model) & LAWS_HYPERELASTIC & ~LAWS_OWN;
    if (solid && m->by_lame_parameters) {
        m->E = m->mu * (3 * m->lambda + 2 * m->mu) / (m->lambda + m->mu);
        m->nu = m->lambda / (2 * (m->lambda + m->mu));
    } else if (solid) {
        m->mu = m->E / (2 * (1 + m->nu));
        m->lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu));
    } else {
        m->E = m->nu = m->mu = m->lambda = 0;
    }
    m->bulk = value_or(m->bulk, 0);
}

static void complete_observe(const pio_scene *scene, cfg_doc *doc, scene_observe *o)
{
    bool over = o->over[1] > 0;
    double n = 1, step = scene->time.duration;
    o->every = value_or(o->every, 0);
    o->sharpness = value_or(o->sharpness, 4 / scene->mpm.grid.spacing);
    o->quantile = value_or(o->quantile, 0);
    if (!over) o->over[0] = o->over[1] = -1;
    if (o->type == PIO_EFFORT || o->type == PIO_SMOOTHNESS || o->type == PIO_EIGENFREQUENCY) return;
    if (o->at.n || over || o->type == PIO_DISTANCE) return;
    if (o->every > 0) {
        n = floor(scene->time.duration / o->every + 1e-9);
        step = o->every;
    }
    if (n > SCENE_MOST_SAMPLES || n < 1) return; /* pio_scene_validate rejects it */
    o->at.v = pio_pool_take(&doc->pool, (size_t)n * sizeof(double));
    if (!o->at.v) {
        doc->no_memory = true;
        return;
    }
    o->at.n = (size_t)n;
    for (size_t k = 0; k < o->at.n; k++) o->at.v[k] = fmin((double)(k + 1) * step, scene->time.duration);
}

/* A part of a body that is not given is no box: its corners are NaN. */
static void complete_box(cfg_doc *doc, const char *list, size_t i, scene_where *on)
{
    PATH(path, "%s[%zu].on.min", list, i);
    const bool found = pio_scene_is_set(doc, path);
    for (int a = 0; !found && a < 3; a++) on->min[a] = on->max[a] = NAN;
}

/* A point that is not given is NaN. */
static void complete_point(cfg_doc *doc, size_t i, scene_observe *o)
{
    PATH(path, "observe[%zu].point", i);
    for (int a = 0; !pio_scene_is_set(doc, path) && a < 3; a++) o->point[a] = NAN;
}

/* Without axes a boundary has all; nodes inside follow a surface that is designed. */
static void complete_places(pio_scene *scene, cfg_doc *doc)
{
    const size_t bytes = 3 * sizeof *pio_axis_names;
    for (size_t i = 0; i < scene->loading.n_boundary; i++) {
        scene_strings *own = &scene->loading.boundary[i].axes;
        if (own->n) continue;
        own->n = (size_t)scene->method.dimension;
        own->v = pio_pool_take(&doc->pool, bytes);
        if (own->v)
            memcpy(own->v, pio_axis_names, bytes);
        else
            doc->no_memory = true;
    }
    for (size_t i = 0; i < scene->goal.n_observe; i++) {
        complete_box(doc, "observe", i, &scene->goal.observe[i].on);
        complete_point(doc, i, &scene->goal.observe[i]);
    }
    for (size_t i = 0; i < scene->loading.n_ties; i++) {
        scene_tie *t = &scene->loading.ties[i];
        PATH(to, "ties[%zu].to_on.min", i);
        PATH(gap, "ties[%zu].gap", i);
        complete_box(doc, "ties", i, &t->on);
        for (int a = 0; !pio_scene_is_set(doc, to) && a < 3; a++) t->to_on.min[a] = t->to_on.max[a] = NAN;
        if (!pio_scene_is_set(doc, gap)) t->gap = NAN;
    }
    for (size_t i = 0; i < scene->loading.n_loads; i++) complete_box(doc, "loads", i, &scene->loading.loads[i].on);
    for (size_t i = 0; i < scene->goal.n_design; i++) {
        scene_design *d = &scene->goal.design[i];
        complete_box(doc, "design", i, &d->on);
        pio_scene_complete_lattice(scene, doc, i);
        PATH(path, "design[%zu].mesh_update", i);
        if (!pio_scene_is_set(doc, path) && (d->on.group || !isnan(d->on.min[0]))) d->mesh_update = SCENE_MESH_ELASTIC;
    }
}

void pio_scene_default_folder(const char *name, char *out, size_t size)
{
    snprintf(out, size, "out/%.64s", name);
}

static void complete_output(pio_scene *scene, cfg_doc *doc)
{
    scene_output *o = &scene->output;
    if (scene->method.type == SCENE_FEM && scene->fem.integrator == PIO_MODAL) o->states_every = scene->time.dt;
    o->states_every = value_or(o->states_every, scene->time.duration / 50);
    o->adjoint_every = value_or(o->adjoint_every, 0);
    if (!o->directory && scene->input.name) {
        char text[80];
        pio_scene_default_folder(scene->input.name, text, sizeof text);
        o->directory = pio_pool_text(&doc->pool, text, strlen(text));
        doc->no_memory |= !o->directory;
    }
    if (o->state_fields.n == 0 && scene->method.type == SCENE_MPM) {
        static const char *const usual[] = {"velocity", "J"};
        o->state_fields.v = pio_pool_take(&doc->pool, sizeof usual);
        doc->no_memory |= !o->state_fields.v;
        for (size_t i = 0; i < 2 && o->state_fields.v; i++)
            o->state_fields.v[i] = pio_pool_text(&doc->pool, usual[i], strlen(usual[i]));
        o->state_fields.n = 2;
        doc->no_memory |= o->state_fields.v && (!o->state_fields.v[0] || !o->state_fields.v[1]);
    }
}

/* Makes a list of one word. */
static void complete_word(cfg_doc *doc, scene_strings *list, const char *word)
{
    list->v = pio_pool_take(&doc->pool, sizeof *list->v);
    doc->no_memory |= !list->v;
    if (!list->v) return;
    list->v[0] = pio_pool_text(&doc->pool, word, strlen(word));
    doc->no_memory |= !list->v[0];
    list->n = 1;
}

/* Fields of meshes are of elements, where nothing else is said; reactions are of nodes. */
static void complete_fields(pio_scene *scene, cfg_doc *doc)
{
    scene_output *o = &scene->output;
    if (!o->state_per.n && pio_scene_has_stress(scene)) complete_word(doc, &o->state_per, pio_place_words[0]);
    if (!o->gradient_per.n) complete_word(doc, &o->gradient_per, pio_gradient_per_words[SCENE_GRADIENT_PER_ELEMENT]);
}

/* Steps of modal analysis are its modes: the time of a frame is the number of its mode. pio_scene_validate rejects a
 * scene without their number, and one with a duration. */
static void complete_modes(pio_scene *scene)
{
    if (scene->time.modes < 1) scene->time.modes = 1;
    scene->time.dt = 1;
    scene->time.duration = scene->time.modes;
}

/* The time step follows from load steps in a static scene; some integrators have lumped masses. */
static void complete_steps(pio_scene *scene, cfg_doc *doc)
{
    scene_time *time = &scene->time;
    const bool lumps = scene_leaps(scene->fem.integrator) || scene->fem.integrator == PIO_REVERSIBLE_EULER;
    if (lumps && !pio_scene_is_set(doc, "solver.mass")) scene->fem.mass = SCENE_LUMPED;
    if (scene->fem.integrator != PIO_MODAL && !pio_scene_is_set(doc, "time.dt"))
        time->dt = time->duration / time->load_steps; /* pio_scene_validate rejects a motion without dt */
}

void pio_scene_complete(pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->materials.n; i++) complete_material(&scene->materials.v[i]);
    for (size_t i = 0; i < scene->matter.n_geometry; i++) {
        scene->matter.geometry[i].radius = value_or(scene->matter.geometry[i].radius, 0);
        scene->matter.geometry[i].height = value_or(scene->matter.geometry[i].height, 0);
    }
    for (size_t i = 0; i < scene->matter.n_bodies; i++) {
        scene_body *b = &scene->matter.bodies[i];
        if (!b->particles_per_cell) b->particles_per_cell = scene->method.dimension == 2 ? 4 : 8;
        const scene_geometry *g = pio_scene_geometry(scene, b->geometry);
        b->of_points = g && g->shape == PIO_POINTS;
    }
    if (scene->method.type == SCENE_FEM && scene->fem.integrator == PIO_MODAL) complete_modes(scene);
    for (size_t i = 0; i < scene->goal.n_observe; i++) complete_observe(scene, doc, &scene->goal.observe[i]);
    for (size_t i = 0; i < scene->goal.n_design; i++) {
        scene_design *d = &scene->goal.design[i];
        if (d->bounds[0] >= d->bounds[1]) { /* both 0: not given, a given pair increases */
            d->bounds[0] = -INFINITY;
            d->bounds[1] = INFINITY;
        }
    }
    for (size_t i = 0; i < scene->actuation.n_actuators; i++)
        complete_box(doc, "actuators", i, &scene->actuation.actuators[i].on);
    pio_scene_complete_control(scene, doc);
    if (scene->method.type == SCENE_FEM) complete_places(scene, doc);
    if (scene->method.type == SCENE_FEM) complete_steps(scene, doc);
    if (scene->method.type == SCENE_FEM) complete_fields(scene, doc);
    for (size_t i = 0; i < scene->goal.n_constraints; i++) {
        scene->goal.constraints[i].min = value_or(scene->goal.constraints[i].min, -INFINITY);
        scene->goal.constraints[i].max = value_or(scene->goal.constraints[i].max, INFINITY);
    }
    pio_scene_complete_contact(scene, doc);
    scene->mpm.grid.wall_stiffness = value_or(scene->mpm.grid.wall_stiffness, 0);
    scene->optimizer.is_set = pio_cfg_get(doc->root, "optimizer", NULL) != NULL;
    scene->optimizer.stop_objective = value_or(scene->optimizer.stop_objective, -INFINITY);
    scene->gradient.memory_budget = value_or(scene->gradient.memory_budget, 0);
    scene->gradient.memory_disk = value_or(scene->gradient.memory_disk, 0);
    scene->gradient.window = value_or(scene->gradient.window, 0);
    complete_output(scene, doc);
    pio_scene_complete_tables(scene, doc);
    pio_scene_complete_obstacles(scene, doc);
    pio_scene_complete_design(scene, doc);
}
