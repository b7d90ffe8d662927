/* scene_validate.c -- rules of a scene that no single key can state. Every fault says what would be right. */
#include "host/scene/design_path.h"
#include "host/scene/law.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_vary.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <string.h>

static const char axes[] = "xyz";

/* ---- grid and time ------------------------------------------------------------------------------------- */

/* Returns false when the box has an axis without length. */
static bool check_grid(const pio_scene *s, cfg_doc *doc)
{
    double nodes = 1;
    for (int a = 0; a < s->method.dimension; a++) {
        double length = s->mpm.grid.max[a] - s->mpm.grid.min[a], cells = ceil(length / s->mpm.grid.spacing - 1e-9);
        if (!(length > 0)) {
            PATH(path, "method.grid.max[%d]", a);
            pio_cfg_fault(doc, path, "%g m is not above method.grid.min, %g m, along %c", s->mpm.grid.max[a],
                          s->mpm.grid.min[a], axes[a]);
            return false;
        }
        if (cells < 4)
            pio_cfg_fault(doc, "method.grid.spacing", "only %g cells along %c; at least 4 are needed: at most %g m",
                          cells, axes[a], length / 4);
        nodes *= cells + 1;
    }
    if (nodes > 2147483648.0)
        pio_cfg_fault(doc, "method.grid.spacing",
                      "the grid has %.3g nodes; at most 2^31 are possible: use a larger spacing", nodes);
    static const char *const along_z[] = {"method.grid.walls.z_min", "method.grid.walls.z_max",
                                          "method.grid.wall_friction.z_min", "method.grid.wall_friction.z_max"};
    for (int k = 0; k < 4 && s->method.dimension == 2; k++)
        if (pio_scene_is_set(doc, along_z[k]))
            pio_cfg_fault(doc, along_z[k], "a 2D scene has no walls along z; remove it");
    return true;
}

/* A window is a whole number of steps of a motion; those of the run are checked elsewhere. */
static void check_window(const pio_scene *s, cfg_doc *doc)
{
    const char *path = "gradient.window";
    const double steps = round(s->gradient.window / s->time.dt);
    if (!(s->gradient.window > 0)) return;
    if (s->method.type == SCENE_FEM && s->fem.integrator == PIO_STATIC)
        pio_cfg_fault(
            doc, path,
            "the load steps of a static scene do not depend on one another; remove it, or set time.integrator");
    else if (s->method.type == SCENE_FEM && s->fem.integrator == PIO_MODAL)
        pio_cfg_fault(doc, path, "modes do not depend on one another; remove it, or set another time.integrator");
    else if (s->gradient.window > s->time.duration * (1 + 1e-9))
        pio_cfg_fault(doc, path, "%.9g s is longer than time.duration, %.9g s", s->gradient.window, s->time.duration);
    else if (steps < 1 || fabs(steps * s->time.dt - s->gradient.window) > 1e-6 * s->gradient.window)
        pio_cfg_fault(
            doc, path, "%.9g s is not a whole number of steps of %.9g s; the nearest that is: %.12g s (%.0f step%s)",
            s->gradient.window, s->time.dt, fmax(steps, 1) * s->time.dt, fmax(steps, 1), steps > 1 ? "s" : "");
}

/* ---- what there is ------------------------------------------------------------------------------------- */

static void check_materials(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->materials.n; i++) {
        const scene_material *m = &s->materials.v[i];
        double parameters[PIO_LAW_CONSTANTS];
        char text[160];
        if (pio_scene_material_has_text(m)) continue; /* elements have others: pio_model_vary() */
        pio_law_parameters(m, parameters);
        const char *key = pio_law_fault(m, parameters, text, sizeof text);
        PATH(path, "materials[%zu].%s", i, key ? key : "");
        if (key) pio_cfg_fault(doc, path, "%s", text);
    }
}

static void check_geometry(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_geometry; i++) {
        const scene_geometry *g = &s->matter.geometry[i];
        PATH(type, "geometry[%zu].type", i);
        if (g->shape == PIO_CLOSED_MESH && s->method.dimension == 2)
            pio_cfg_fault(doc, type, "a closed mesh needs a 3D scene; use 'points' for any shape in 2D");
        if (g->shape == PIO_CYLINDER && s->method.dimension == 2)
            pio_cfg_fault(doc, type, "a cylinder needs a 3D scene; use 'ball' for a disc in 2D");
        for (int a = 0; a < s->method.dimension && g->shape == PIO_BOX; a++) {
            PATH(path, "geometry[%zu].max[%d]", i, a);
            if (!(g->max[a] > g->min[a]))
                pio_cfg_fault(doc, path, "%g m is not above min, %g m, along %c", g->max[a], g->min[a], axes[a]);
        }
    }
}

/* Computes the bounding box of a shape. */
static void extent(const scene_geometry *g, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        double half = g->shape == PIO_CYLINDER && a == g->axis ? g->height / 2 : g->radius;
        low[a] = g->shape == PIO_BOX ? g->min[a] : g->center[a] - half;
        high[a] = g->shape == PIO_BOX ? g->max[a] : g->center[a] + half;
    }
}

static void check_fill(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_body *b = &s->matter.bodies[i];
    int root = (int)lround(s->method.dimension == 2 ? sqrt(b->particles_per_cell) : cbrt(b->particles_per_cell));
    int power = s->method.dimension == 2 ? root * root : root * root * root;
    PATH(path, "bodies[%zu].fill.particles_per_cell", i);
    if (b->fill != SCENE_JITTERED && power != b->particles_per_cell)
        pio_cfg_fault(doc, path,
                      "%d is not a %s number, which a %s fill needs; the nearest is %d, or use 'method: jittered'",
                      b->particles_per_cell, s->method.dimension == 2 ? "square" : "cube",
                      b->fill == SCENE_CUT ? "cut" : "regular", power);
}

static void check_bodies(const pio_scene *s, cfg_doc *doc, bool box)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        const scene_body *b = &s->matter.bodies[i];
        PATH(geometry, "bodies[%zu].geometry", i);
        PATH(material, "bodies[%zu].material", i);
        size_t g = pio_scene_entry(doc, geometry, "geometry", b->geometry, s->matter.geometry, s->matter.n_geometry,
                                   sizeof *s->matter.geometry);
        pio_scene_entry(doc, material, "materials", b->material, s->materials.v, s->materials.n,
                        sizeof *s->materials.v);
        if (box && g < s->matter.n_geometry && s->matter.geometry[g].shape != PIO_CLOSED_MESH &&
            s->matter.geometry[g].shape != PIO_POINTS) {
            double low[3], high[3];
            extent(&s->matter.geometry[g], low, high);
            pio_scene_check_inside(s, doc, i, low, high);
        }
        check_fill(s, doc, i);
    }
}

/* ---- observations and objective ------------------------------------------------------------------------ */

/* Times are those of load steps, because nothing is in equilibrium between them. */
static void check_load_step(const pio_scene *s, cfg_doc *doc, const char *path, double t)
{
    const double steps = round(t / s->time.dt);
    if (s->method.type != SCENE_FEM || s->fem.integrator != PIO_STATIC || fabs(t / s->time.dt - steps) < 1e-6) return;
    pio_cfg_fault(doc, path,
                  "%g s lies between load steps, which are %g s apart; the nearest is at %g s (or change "
                  "time.load_steps)",
                  t, s->time.dt, steps * s->time.dt);
}

static void check_times(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    double end = s->time.duration * (1 + 1e-9);
    PATH(every, "observe[%zu].every", i);
    PATH(over, "observe[%zu].over", i);
    PATH(times, "observe[%zu].at", i);
    if (o->every > end)
        pio_cfg_fault(doc, every, "%g s is longer than time.duration, %g s", o->every, s->time.duration);
    else if (o->every > 0 && s->time.duration / o->every > SCENE_MOST_SAMPLES)
        pio_cfg_fault(doc, every, "%.3g samples; at most %d are possible: use a longer time",
                      s->time.duration / o->every, SCENE_MOST_SAMPLES);
    if (o->over[1] > end)
        pio_cfg_fault(doc, over, "the window ends at %g s, after time.duration, %g s", o->over[1], s->time.duration);
    for (size_t k = 0; k < o->at.n && !(o->every > 0); k++) {
        PATH(at, "observe[%zu].at[%zu]", i, k);
        if (o->at.v[k] > end)
            pio_cfg_fault(doc, at, "%g s is after time.duration, %g s", o->at.v[k], s->time.duration);
        else
            check_load_step(s, doc, at, o->at.v[k]);
    }
    if (o->every > 0)
        check_load_step(s, doc, every, o->every);
    else
        pio_scene_check_increase(doc, times, &o->at);
}

static void check_observe(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->goal.n_observe; i++) {
        const scene_observe *o = &s->goal.observe[i];
        PATH(body, "observe[%zu].body", i);
        PATH(axis, "observe[%zu].axis", i);
        if (o->body)
            pio_scene_entry(doc, body, "bodies", o->body, s->matter.bodies, s->matter.n_bodies,
                            sizeof *s->matter.bodies);
        if (o->type == PIO_FRONT && o->axis >= s->method.dimension)
            pio_cfg_fault(doc, axis, "a 2D scene has no axis z; use x or y");
    }
}

/* Returns whether a target of the entry has several components. */
static bool has_vectors(const pio_scene *s, const scene_design *d)
{
    for (size_t k = 0; k < d->target.n; k++) {
        scene_target target;
        if (!d->path[k].key) continue;
        pio_design_target(s, d, k, &target);
        if (target.components > 1) return true;
    }
    return false;
}

/* A term of a design entry: its fields, its components and its units. */
static void check_design_term(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_term *t = &s->goal.objective[i];
    PATH(of, "objective[%zu].of", i);
    PATH(mean, "objective[%zu].mean", i);
    PATH(sigma, "objective[%zu].sigma", i);
    PATH(width, "objective[%zu].width", i);
    const size_t which =
        pio_scene_entry(doc, of, "design", t->of, s->goal.design, s->goal.n_design, sizeof *s->goal.design);
    if (which == s->goal.n_design) return;
    const scene_design *d = &s->goal.design[which];
    const bool pairs = t->type == SCENE_SMOOTHNESS || t->type == SCENE_TOTAL_VARIATION;
    const char *items = s->method.type == SCENE_FEM ? "element" : "particle";
    if (pairs && (t->component >= 0 || d->per != SCENE_PER_PARTICLE))
        pio_cfg_fault(doc, of, "%s needs a field of %ss; name a design entry with 'per: %s'", pio_term_words[t->type],
                      items, items);
    else if (pairs && has_vectors(s, d))
        pio_cfg_fault(doc, of, "%s is of fields of numbers, and '%s' is a vector", pio_term_words[t->type], t->of);
    else if (t->component >= 0)
        pio_cfg_fault(doc, of, "'%s' is a design entry; write it without .%s", t->of,
                      pio_component_words[t->component]);
    if (t->type == SCENE_TOTAL_VARIATION) pio_scene_unit(doc, width, CFG_ONE);
    if (t->type != SCENE_PRIOR || !d->path[0].key) return;
    scene_target target;
    pio_design_target(s, d, 0, &target);
    pio_scene_unit(doc, mean, target.quantity);
    pio_scene_unit(doc, sigma, target.quantity);
    if (t->mean.n > 1 && t->mean.n != (size_t)target.components)
        pio_cfg_fault(doc, mean, "%zu numbers, but '%s' has %d component%s", t->mean.n, t->of, target.components,
                      target.components > 1 ? "s" : "");
}

/* Returns the observation of `of: name` or `of: name.x`, and in *n the number of components that count; NULL after a
 * fault. */
static const scene_observe *check_of(const pio_scene *s, cfg_doc *doc, const char *at, const char *of, int component,
                                     int *n)
{
    const size_t which =
        pio_scene_entry(doc, at, "observe", of, s->goal.observe, s->goal.n_observe, sizeof *s->goal.observe);
    if (which == s->goal.n_observe) return NULL;
    const scene_observe *o = &s->goal.observe[which];
    const int all = pio_observe_components(s, o);
    char known[60];
    size_t used = 0;
    *n = component < 0 ? all : 1;
    for (int c = 0; c < all && all > 1; c++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s.%s",
                                 c == 0        ? ""
                                 : c + 1 < all ? ", "
                                               : " or ",
                                 pio_observe_component_name(s, o, c));
    if (component >= 0 && all == 1)
        pio_cfg_fault(doc, at, "'%s' is a single number; write it without .%s", of, pio_component_words[component]);
    else if (pio_observe_component(s, o, component) == PIO_NO_COMPONENT)
        pio_cfg_fault(doc, at, "'%s' has no component %s%s; use %s", of, pio_component_words[component],
                      s->method.dimension == 2 ? " in a 2D scene" : "", known);
    return o;
}

static void check_constraint(const pio_scene *s, cfg_doc *doc, size_t i)
{
    static const char *const keys[] = {"min", "max"};
    const scene_constraint *c = &s->goal.constraints[i];
    PATH(at, "constraints[%zu]", i);
    PATH(of, "constraints[%zu].of", i);
    int n;
    const scene_observe *o = check_of(s, doc, of, c->of, c->component, &n);
    if (!o) return;
    if (!isfinite(c->min) && !isfinite(c->max))
        pio_cfg_fault(doc, at, "the constraint has no bound; add `min:`, `max:` or both");
    else if (c->min > c->max)
        pio_cfg_fault(doc, at, "min is above max, so nothing satisfies it");
    for (size_t k = 0; k < 2; k++) {
        PATH(key, "constraints[%zu].%s", i, keys[k]);
        pio_scene_unit(doc, key, c->relative_to == SCENE_OF_INITIAL ? CFG_ONE : pio_observe_quantity(o));
    }
}

static void check_constraints(const pio_scene *s, cfg_doc *doc)
{
    if (!s->goal.n_constraints && !s->input.source->experiment && pio_scene_is_set(doc, "optimizer.stop.feasibility"))
        pio_cfg_fault(doc, "optimizer.stop.feasibility",
                      "the scene has no constraints; add `constraints`, or remove it");
    if (s->goal.n_constraints && s->optimizer.is_set && s->optimizer.type != PIO_MMA)
        pio_cfg_fault(doc, "optimizer.type",
                      "only mma handles constraints; use it, or make them terms of the objective");
    for (size_t i = 0; i < s->goal.n_constraints; i++) check_constraint(s, doc, i);
}

/* Several starts lie within the bounds of each design. */
static void check_starts(const pio_scene *s, cfg_doc *doc)
{
    if (!s->optimizer.is_set || s->optimizer.multi_start <= 1) return;
    for (size_t i = 0; i < s->goal.n_design; i++) {
        const scene_design *d = &s->goal.design[i];
        PATH(at, "design[%zu].bounds", i);
        if (isfinite(d->bounds[0]) && isfinite(d->bounds[1])) continue;
        pio_cfg_fault(doc, at,
                      "optimizer.multi_start samples within the bounds of each design; add bounds: [LOW, HIGH] to '%s'",
                      d->name);
    }
}

/* Levenberg and Marquardt's method is for sums of squares. */
static void check_squares(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_term_type type = s->goal.objective[i].type;
    PATH(at, "objective[%zu].type", i);
    if (!s->optimizer.is_set || s->optimizer.type != PIO_LEVENBERG_MARQUARDT) return;
    if (type == SCENE_TARGET || type == SCENE_MISFIT || type == SCENE_PRIOR) return;
    pio_cfg_fault(doc, at,
                  "%s is no sum of squares, which levenberg_marquardt needs: target, misfit and prior are; lbfgs takes "
                  "all terms",
                  pio_term_words[type]);
}

static void check_term(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_term *t = &s->goal.objective[i];
    PATH(of, "objective[%zu].of", i);
    PATH(value, "objective[%zu].value", i);
    PATH(sigma, "objective[%zu].sigma", i);
    PATH(columns, "objective[%zu].data.columns", i);
    PATH(width, "objective[%zu].width", i);
    check_squares(s, doc, i);
    if (pio_term_of_design(s, t)) {
        check_design_term(s, doc, i);
        return;
    }
    int n;
    const scene_observe *o = check_of(s, doc, of, t->of, t->component, &n);
    if (!o) return;
    if (n > 1 && t->type >= SCENE_MINIMIZE)
        pio_cfg_fault(doc, of, "'%s' has %d components and only one number can be %s; write %s.%s", t->of, n,
                      t->type == SCENE_INTEGRAL ? "integrated"
                      : t->type == SCENE_PNORM  ? "the largest"
                                                : "minimized or maximized",
                      t->of, pio_observe_component_name(s, o, 0));
    if ((t->type == SCENE_INTEGRAL || t->type == SCENE_PNORM) && o->at.n < 2)
        pio_cfg_fault(doc, of, "'%s' is observed once, and %s needs `every` or `at` there", t->of,
                      t->type == SCENE_INTEGRAL ? "an integral over time" : "the largest of several samples");
    const bool wanted = t->type == SCENE_TARGET || t->type == SCENE_ABSOLUTE;
    if (wanted && t->value.n != (size_t)n)
        pio_cfg_fault(doc, value, "%zu number%s, but '%s' has %d component%s", t->value.n, t->value.n > 1 ? "s" : "",
                      t->of, n, n > 1 ? "s" : "");
    if (t->type == SCENE_MISFIT && t->columns.n != (size_t)n)
        pio_cfg_fault(doc, columns, "%zu column%s, but '%s' has %d component%s", t->columns.n,
                      t->columns.n > 1 ? "s" : "", t->of, n, n > 1 ? "s" : "");
    if (wanted) pio_scene_unit(doc, value, pio_observe_quantity(o));
    if (t->type == SCENE_ABSOLUTE) pio_scene_unit(doc, width, pio_observe_quantity(o));
    if (t->type == SCENE_MISFIT) pio_scene_unit(doc, sigma, pio_observe_quantity(o));
}

/* Steps that are to be reversed must be those of a reversible integrator. */
static void check_strategy(const pio_scene *s, cfg_doc *doc)
{
    static const char path[] = "gradient.memory.strategy";
    if (s->gradient.memory_disk > 0 &&
        (s->gradient.memory_strategy == SCENE_REVERSE || s->gradient.memory_strategy == SCENE_STORE))
        pio_cfg_fault(doc, "gradient.memory.disk",
                      "strategy: %s keeps no states on disk; remove it, or use checkpoint or auto",
                      s->gradient.memory_strategy == SCENE_STORE ? "store" : "reverse");
    if (s->gradient.memory_strategy != SCENE_REVERSE) return;
    if (s->method.type == SCENE_MPM && s->mpm.integrator != SCENE_REVERSIBLE)
        pio_cfg_fault(doc, path,
                      "steps of time.integrator: apic dissipate energy and cannot be reversed; use integrator: "
                      "reversible, or strategy: checkpoint");
    if (s->method.type == SCENE_FEM && s->fem.integrator != PIO_REVERSIBLE_LEAPFROG &&
        s->fem.integrator != PIO_REVERSIBLE_EULER)
        pio_cfg_fault(doc, path,
                      "steps of this time.integrator cannot be reversed; use reversible_leapfrog or reversible_euler, "
                      "or strategy: checkpoint");
}

void pio_scene_validate(const pio_scene *scene, cfg_doc *doc)
{
    check_materials(scene, doc);
    if (scene->method.type == SCENE_FEM) {
        pio_scene_validate_fem(scene, doc);
    } else {
        const bool box = check_grid(scene, doc);
        pio_scene_check_time(scene, doc);
        check_geometry(scene, doc);
        check_bodies(scene, doc, box);
        check_observe(scene, doc);
        pio_scene_validate_mpm(scene, doc);
        pio_scene_validate_obstacles(scene, doc);
        if (box) pio_scene_validate_bodies(scene, doc);
        pio_scene_validate_control(scene, doc);
    }
    for (size_t i = 0; i < scene->goal.n_observe; i++) check_times(scene, doc, i);
    for (size_t i = 0; i < scene->goal.n_objective; i++) check_term(scene, doc, i);
    check_constraints(scene, doc);
    check_starts(scene, doc);
    check_strategy(scene, doc);
    check_window(scene, doc);
    pio_scene_validate_design(scene, doc);
    pio_scene_validate_data(scene, doc);
}
