/* model_warning.c -- warnings: what is legal in a scene and surely a mistake. */
#include "host/model/model.h"
#include "host/model/model_fem.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

void pio_model_warn(pio_model *m, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!m->warnings) m->warnings = calloc(MOST, sizeof *m->warnings);
    char *own = m->warnings && m->n_warnings < MOST ? strdup(text) : NULL;
    if (own) m->warnings[m->n_warnings++] = own;
}

/* ---- control ------------------------------------------------------------------------------------------------ */

static void check_period(pio_model *m, const char *name, const char *what, double period)
{
    const double dt = m->scene->time.dt;
    if (period > 0 && period < 2 * dt * (1 - 1e-9))
        pio_model_warn(m,
                       "control '%s': the period%s of %g s is shorter than two time steps of %g s, which cannot follow "
                       "it; use a longer one, or a smaller time.dt",
                       name, what, period, dt);
}

static void check_control(pio_model *m, const scene_control *c)
{
    if (c->type == PIO_SINE) check_period(m, c->name, "", 1 / fabs(c->frequency));
    if (c->type == PIO_PIECEWISE || c->type == PIO_SPLINE) check_period(m, c->name, "", c->period);
    for (size_t k = 0; k < c->n_inputs; k++)
        if (c->inputs[k].type == PIO_INPUT_PHASE) check_period(m, c->name, " of its phase", 1 / c->inputs[k].frequency);
}

/* ---- obstacles ---------------------------------------------------------------------------------------------- */

/* Returns the greatest distance of an obstacle from its origin, m; 0 where that is not known or makes no difference. */
static double reach(const scene_obstacle *o, int dimension)
{
    double square = 0;
    if (o->type == PIO_CYLINDER) return o->scale * hypot(o->radius, o->height / 2);
    for (int a = 0; o->type == PIO_BOX && a < dimension; a++) square += o->size[a] * o->size[a] / 4;
    return o->scale * sqrt(square);
}

/* Returns the longest path of a point of the obstacle in one step, m. */
static double fastest(const scene_obstacle *o, const pio_scene *s)
{
    double most = 0;
    for (size_t k = 1; k < o->time.n; k++) {
        const double span = o->time.v[k] - o->time.v[k - 1], begin = o->time.v[k - 1];
        double path = o->angle.n ? fabs(o->angle.v[k] - o->angle.v[k - 1]) * reach(o, s->method.dimension) : 0,
               square = 0;
        for (int a = 0; a < s->method.dimension; a++)
            if (o->shift[a].n) square += pow(o->shift[a].v[k] - o->shift[a].v[k - 1], 2);
        path = fmax(path, sqrt(square));
        if (begin < s->time.duration) most = fmax(most, path * fmin(1, s->time.dt / span));
    }
    return most;
}

static void check_obstacle(pio_model *m, const scene_obstacle *o)
{
    const pio_scene *s = m->scene;
    const double path = fastest(o, s);
    if (o->time.n && o->time.v[0] >= s->time.duration)
        pio_model_warn(m, "obstacle '%s': its motion begins at %g s, and the run ends at %g s: it stands still",
                       o->name, o->time.v[0], s->time.duration);
    const bool potential = o->model == PIO_CONTACT_POTENTIAL;
    const double over = potential ? o->distance : o->width;
    if (path > over)
        pio_model_warn(
            m,
            "obstacle '%s': it moves %g m in one time step, farther than `%s`, %g m, over which contact sets "
            "in: it hits bodies with its full speed at once or passes through them; use a slower motion, or "
            "a smaller time.dt",
            o->name, path, potential ? "distance" : "width", over);
}

/* ---- which way is up ---------------------------------------------------------------------------------------- */

/* A part of a body whose group may be meant as another side; `list` and `name` are those of its entry. */
static void check_side(pio_model *m, const char *list, const char *name, const char *body, const scene_where *on)
{
    const pio_scene *s = m->scene;
    const int b = body ? pio_scene_body_number(s, body) : -1;
    if (b < 0 || !on->group || (strcmp(on->group, "top") != 0 && strcmp(on->group, "bottom") != 0)) return;
    if (pio_scene_geometry(s, s->matter.bodies[b].geometry)->mesh != SCENE_MESH_BOX) return;
    const bool top = on->group[0] == 't', z_up = s->common.gravity[2] < 0;
    pio_model_warn(
        m, "%s '%s': '%s' is the side of the box where y is %s, and gravity acts along z; the side %s is '%s'", list,
        name, on->group, top ? "greatest" : "least", top ? "above" : "below", top == z_up ? "back" : "front");
}

/* Gravity along z says that z is up, but top and bottom of a box are sides along y. */
static void check_sides(pio_model *m)
{
    const pio_scene *s = m->scene;
    const double *g = s->common.gravity;
    if (s->method.dimension < 3 || !(fabs(g[2]) > fabs(g[0]) && fabs(g[2]) > fabs(g[1]))) return;
    for (size_t i = 0; i < s->loading.n_boundary; i++)
        check_side(m, "boundary", s->loading.boundary[i].name, s->loading.boundary[i].body, &s->loading.boundary[i].on);
    for (size_t i = 0; i < s->loading.n_loads; i++)
        check_side(m, "load", s->loading.loads[i].name, s->loading.loads[i].body, &s->loading.loads[i].on);
    for (size_t i = 0; i < s->goal.n_observe; i++)
        check_side(m, "observation", s->goal.observe[i].name, s->goal.observe[i].body, &s->goal.observe[i].on);
}

/* ---- heat --------------------------------------------------------------------------------------------------- */

/* Modes are those without heat, so that a material may keep its expansion in them. */
static void check_expansion(pio_model *m, const scene_material *own)
{
    const pio_scene *s = m->scene;
    bool used = false, heated = false;
    if (!pio_scene_material_expands(own) || s->fem.integrator == PIO_MODAL) return;
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const bool has = pio_body_is_made_of(&s->matter.bodies[b], own);
        used |= has;
        heated |= has && (pio_scene_body_is_heated(&s->matter.bodies[b]) ||
                          pio_design_of(s, SCENE_OWNER_BODY, (int32_t)b, PIO_TEMPERATURE));
    }
    if (used && !heated)
        pio_model_warn(m,
                       "material '%s': its expansion has no effect, since no body made of it has a temperature; give "
                       "bodies[].temperature, or remove the expansion",
                       own->name);
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

void pio_model_check(pio_model *m)
{
    for (size_t i = 0; i < m->scene->actuation.n_control; i++) check_control(m, &m->scene->actuation.control[i]);
    for (size_t i = 0; !m->fem && i < m->scene->obstacles.n; i++) check_obstacle(m, &m->scene->obstacles.v[i]);
    if (m->fem) check_sides(m);
    for (size_t k = 0; m->fem && k < m->scene->materials.n; k++) check_expansion(m, &m->scene->materials.v[k]);
}

bool pio_model_warning(const pio_model *m, int i, char *out, size_t size)
{
    for (int b = 0; m->fem && b < m->fem->bodies; b++) {
        const pio_mesh *mesh = &m->fem->mesh[b];
        const int kept = mesh->n_warnings < PIO_MESH_WARNINGS ? mesh->n_warnings : PIO_MESH_WARNINGS;
        if (i < kept) {
            snprintf(out, size, "body '%s': %s", m->scene->matter.bodies[b].name, mesh->warnings[i]);
            return true;
        }
        i -= kept;
    }
    if (i >= m->n_warnings) return false;
    snprintf(out, size, "%s", m->warnings[i]);
    return true;
}

void pio_model_warnings_free(pio_model *m)
{
    for (int i = 0; i < m->n_warnings; i++) free(m->warnings[i]);
    free(m->warnings);
}
