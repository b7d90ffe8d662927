/* scene_validate_fem.c -- rules of a scene of finite elements that no single key can state. */
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"
#include "host/base/sha256.h"
#include "host/mesh/mesh.h"
#include "host/scene/scene_names.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool is_3d(pio_element_type element)
{
    return element >= PIO_TET4;
}

/* Checks the corners [dimension] of a box, m; `key` is the path of `max`. A `flat` box may have no height. */
static void check_box(cfg_doc *doc, const char *key, const double *min, const double *max, int dimension, bool flat)
{
    for (int a = 0; a < dimension; a++) {
        char path[CFG_PATH + 16];
        snprintf(path, sizeof path, "%s[%d]", key, a);
        if (flat ? max[a] >= min[a] : max[a] > min[a]) continue;
        pio_cfg_fault(doc, path, "%g m is not above min, %g m, along %c", max[a], min[a], "xyz"[a]);
    }
}

static void check_counts(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_geometry *g = &s->matter.geometry[i];
    const size_t needed = (size_t)s->method.dimension;
    PATH(path, "geometry[%zu].elements", i);
    if (g->elements.n != needed) {
        pio_cfg_fault(doc, path, "%zu numbers; %zu are needed", g->elements.n, needed);
        return;
    }
    for (size_t a = 0; a < g->elements.n; a++)
        if (fabs(g->elements.v[a] - round(g->elements.v[a])) > 0)
            pio_cfg_fault(doc, path, "%g is not a whole number", g->elements.v[a]);
    if (g->mesh == SCENE_MESH_PLATE && fmod(g->elements.v[1], 2) > 0)
        pio_cfg_fault(
            doc, path,
            "%g cells around the hole; the number must be even, so that an edge meets the corner of the plate",
            g->elements.v[1]);
}

static void check_file(const pio_scene *s, cfg_doc *doc, size_t i)
{
    char place[PATH_MAX];
    piola_error error;
    bool found;
    PATH(path, "geometry[%zu].file", i);
    char sha256[PIO_SHA256_TEXT];
    if (!pio_scene_file(s, s->matter.geometry[i].file, place, sizeof place, &error) &&
        !pio_sha256_of_file(place, sha256, &error)) {
        pio_cfg_input(doc, place, sha256);
        return;
    }
    pio_cfg_report(doc, error.status, pio_cfg_find(doc->root, path, &found)->mark, path, "%s", error.message);
}

static void check_geometry(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_geometry *g = &s->matter.geometry[i];
    PATH(type, "geometry[%zu].type", i);
    PATH(element, "geometry[%zu].element", i);
    PATH(corners, "geometry[%zu].corners", i);
    PATH(size, "geometry[%zu].size", i);
    PATH(thickness, "geometry[%zu].thickness", i);
    PATH(max, "geometry[%zu].max", i);
    if (g->mesh == SCENE_MESH_FILE) {
        check_file(s, doc, i);
        return;
    }
    if (is_3d(g->element) != (s->method.dimension == 3))
        pio_cfg_fault(doc, element, "this element is for %dD and the scene is %dD; possible are: %s",
                      is_3d(g->element) ? 3 : 2, s->method.dimension,
                      s->method.dimension == 2 ? "tri3, tri6, quad4, quad8, quad9" : "tet4, tet10, hex8, hex20, hex27");
    check_counts(s, doc, i);
    if (g->mesh == SCENE_MESH_BOX) check_box(doc, max, g->min, g->max, s->method.dimension, false);
    if (g->mesh == SCENE_MESH_QUADRILATERAL && s->method.dimension == 3)
        pio_cfg_fault(doc, type, "a quadrilateral needs a 2D scene; use 'box' or 'mesh' in 3D");
    if (g->mesh == SCENE_MESH_QUADRILATERAL && g->corners.n != 8)
        pio_cfg_fault(doc, corners, "%zu numbers; 8 are needed: x and y of four corners", g->corners.n);
    if (g->mesh != SCENE_MESH_PLATE) return;
    if (!(g->size > g->radius))
        pio_cfg_fault(doc, size, "%g m is not above the radius of the hole, %g m", g->size, g->radius);
    if (s->method.dimension == 3 && !(g->thickness > 0))
        pio_cfg_fault(doc, thickness, "a plate in 3D needs a thickness above 0");
}

/* Checks that the elements of a body have a use for a projected dilatation. */
static void check_dilatation(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_geometry *g = pio_scene_geometry(s, s->matter.bodies[i].geometry);
    PATH(path, "bodies[%zu].dilatation", i);
    if (s->fem.plane == PIO_PLANE_STRESS)
        pio_cfg_fault(doc, path, "in plane stress the thickness gives way, and nothing locks; remove it");
    if (s->fem.plane == PIO_AXISYMMETRIC)
        pio_cfg_fault(doc, path, "rings have no projected dilatation; remove it, and use quad9 where nu is near 0.5");
    if (g && g->mesh != SCENE_MESH_FILE && pio_element_has_one_dilatation(g->element))
        pio_cfg_fault(doc, path,
                      "the volume of a %s changes everywhere alike, and it locks with its projection, too; use %s",
                      pio_elements[g->element].name, g->element == PIO_TRI3 ? "quad4 or tri6" : "hex8 or tet10");
}

/* Reports a temperature that nothing of the body expands with. */
static void check_temperature(const pio_scene *s, cfg_doc *doc, size_t i)
{
    PATH(path, "bodies[%zu].temperature", i);
    if (pio_scene_body_is_heated(&s->matter.bodies[i]) && !pio_scene_body_expands(s, i))
        pio_cfg_fault(doc, path, "no material of this body expands; add 'expansion' to it, or remove the temperature");
}

static void check_bodies(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        const scene_body *b = &s->matter.bodies[i];
        PATH(geometry, "bodies[%zu].geometry", i);
        PATH(material, "bodies[%zu].material", i);
        PATH(thickness, "bodies[%zu].thickness", i);
        if (s->method.dimension == 3 && (b->thickness_text || fabs(b->thickness - 1) > 0))
            pio_cfg_fault(doc, thickness, "in 3D the mesh gives the thickness; remove it");
        if (b->dilatation == PIO_DILATATION_PROJECTED) check_dilatation(s, doc, i);
        check_temperature(s, doc, i);
        pio_scene_validate_filling(s, doc, i);
        pio_scene_entry(doc, geometry, "geometry", b->geometry, s->matter.geometry, s->matter.n_geometry,
                        sizeof *s->matter.geometry);
        pio_scene_entry(doc, material, "materials", b->material, s->materials.v, s->materials.n,
                        sizeof *s->materials.v);
        for (size_t r = 0; r < b->n_regions; r++) {
            PATH(region, "bodies[%zu].regions[%zu].material", i, r);
            pio_scene_entry(doc, region, "materials", b->regions[r].material, s->materials.v, s->materials.n,
                            sizeof *s->materials.v);
        }
    }
}

static void check_place(const pio_scene *s, cfg_doc *doc, const char *list, size_t i, const char *body,
                        const scene_where *on)
{
    PATH(path, "%s[%zu].body", list, i);
    PATH(max, "%s[%zu].on.max", list, i);
    pio_scene_entry(doc, path, "bodies", body, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    if (!on->group && !isnan(on->min[0]))
        check_box(doc, max, on->min, on->max, s->method.dimension, true); /* a plane is a flat box */
}

static void check_curve(const pio_scene *s, cfg_doc *doc, const char *list, size_t i, const char *curve)
{
    PATH(path, "%s[%zu].curve", list, i);
    if (curve)
        pio_scene_entry(doc, path, "curves", curve, s->loading.curves, s->loading.n_curves, sizeof *s->loading.curves);
}

/* In space a rotation has an axis; in the plane there is one alone. */
static void check_rotation(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const double *k = s->loading.boundary[i].axis;
    PATH(axis, "boundary[%zu].axis", i);
    PATH(type, "boundary[%zu].type", i);
    const bool given = pio_scene_is_set(doc, axis), space = s->method.dimension == 3;
    if (given && !space)
        pio_cfg_fault(doc, axis, "in 2D everything turns about an axis out of the plane; remove it");
    else if (!given && space)
        pio_cfg_fault(doc, type, "a rotation in 3D needs an axis; add its direction, as 'axis: [0, 0, 1]'");
    else if (given && !(fabs(k[0]) + fabs(k[1]) + fabs(k[2]) > 0))
        pio_cfg_fault(doc, axis, "[0, 0, 0] is no direction; give one, as [0, 0, 1]");
}

static void check_boundary(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_boundary *b = &s->loading.boundary[i];
    PATH(axes, "boundary[%zu].axes", i);
    PATH(value, "boundary[%zu].value", i);
    check_place(s, doc, "boundary", i, b->body, &b->on);
    check_curve(s, doc, "boundary", i, b->curve);
    if (b->type == SCENE_ROTATION) check_rotation(s, doc, i);
    if (b->type == SCENE_PRESCRIBED && b->value.n != 1 && b->value.n != b->axes.n)
        pio_cfg_fault(doc, value, "%zu numbers for %zu ax%s; one number for all, or one for each is needed", b->value.n,
                      b->axes.n, b->axes.n == 1 ? "is" : "es");
    for (size_t a = 0; a < b->axes.n; a++) {
        if (s->method.dimension == 2 && !strcmp(b->axes.v[a], "z"))
            pio_cfg_fault(doc, axes, "a 2D scene has no axis z; use x or y");
        for (size_t k = 0; k < a; k++)
            if (!strcmp(b->axes.v[a], b->axes.v[k])) pio_cfg_fault(doc, axes, "%s is named twice", b->axes.v[a]);
    }
}

/* Checks that stiffnesses are at least 0 and that one of them is above 0. */
static void check_stiffness(const scene_load *l, cfg_doc *doc, const char *value)
{
    double least = INFINITY, most = 0;
    for (size_t c = 0; c < l->value.n; c++) {
        least = fmin(least, l->value.v[c]);
        most = fmax(most, l->value.v[c]);
    }
    if (least < 0) pio_cfg_fault(doc, value, "%g is below 0; a stiffness is at least 0", least);
    if (!(least < 0) && !(most > 0)) pio_cfg_fault(doc, value, "no stiffness is above 0; give one, or remove the load");
}

static void check_load(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_load *l = &s->loading.loads[i];
    const bool pressure = l->type == PIO_PRESSURE || l->type == PIO_FOLLOWER;
    const bool along_normal = l->type == PIO_FOUNDATION && l->value.n == 1;
    const bool moment = l->type == PIO_MOMENT, plane = s->method.dimension == 2;
    const size_t needed = pressure || along_normal || (moment && plane) ? 1 : (size_t)s->method.dimension;
    PATH(value, "loads[%zu].value", i);
    check_place(s, doc, "loads", i, l->body, &l->on);
    check_curve(s, doc, "loads", i, l->curve);
    if (pio_load_is_springs(l) && !l->value_text) check_stiffness(l, doc, value);
    if (l->value.n != needed)
        pio_cfg_fault(doc, value, "%zu number%s; %s", l->value.n, l->value.n == 1 ? "" : "s",
                      needed == 1   ? moment ? "a moment in the plane is one number" : "a pressure is one number"
                      : needed == 2 ? "one per axis is needed: [x, y]"
                                    : "one per axis is needed: [x, y, z]");
    if (!l->value_text) pio_scene_unit(doc, value, pio_load_quantity(l));
    for (size_t c = 0; l->value_text && c < l->value.n; c++) {
        PATH(one, "loads[%zu].value[%zu]", i, c);
        if (!l->value_text[c]) pio_scene_unit(doc, one, pio_load_quantity(l));
    }
}

/* Checks a tie, and what ties exclude. */
static void check_tie(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_tie *t = &s->loading.ties[i];
    PATH(name, "ties[%zu].name", i);
    PATH(to, "ties[%zu].to", i);
    PATH(max, "ties[%zu].to_on.max", i);
    check_place(s, doc, "ties", i, t->body, &t->on);
    pio_scene_entry(doc, to, "bodies", t->to, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    if (!t->to_on.group && !isnan(t->to_on.min[0]))
        check_box(doc, max, t->to_on.min, t->to_on.max, s->method.dimension, true);
    if (!strcmp(t->body, t->to)) pio_cfg_fault(doc, to, "'%s' cannot be tied to itself; name another body", t->to);
    const pio_integrator by = s->fem.integrator;
    if (by != PIO_STATIC && by != PIO_NEWMARK && by != PIO_BDF2 && by != PIO_BACKWARD_EULER)
        pio_cfg_fault(doc, name, "%s knows no ties; use static, newmark, bdf2 or backward_euler, or one mesh for both",
                      pio_integrator_words[by]);
    for (size_t d = 0; d < s->goal.n_design; d++) {
        PATH(update, "design[%zu].mesh_update", d);
        PATH(design, "design[%zu].name", d);
        if (s->goal.design[d].mesh_update == SCENE_MESH_ELASTIC)
            pio_cfg_fault(doc, pio_scene_is_set(doc, update) ? update : design,
                          "bodies that are tied do not follow a design; use 'mesh_update: none'");
    }
}

/* Returns whether a boundary or a load names the curve. */
static bool is_named(const pio_scene *s, const char *curve)
{
    bool named = false;
    for (size_t i = 0; i < s->loading.n_boundary; i++)
        named |= s->loading.boundary[i].curve && !strcmp(s->loading.boundary[i].curve, curve);
    for (size_t i = 0; i < s->loading.n_loads; i++)
        named |= s->loading.loads[i].curve && !strcmp(s->loading.loads[i].curve, curve);
    return named;
}

static void check_curves(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->loading.n_curves; i++) {
        const scene_curve *c = &s->loading.curves[i];
        PATH(time, "curves[%zu].time", i);
        PATH(value, "curves[%zu].value", i);
        PATH(name, "curves[%zu].name", i);
        if (!is_named(s, c->name))
            pio_cfg_fault(doc, name,
                          "no load or support follows '%s'; name it in an entry of loads or boundary, or remove it",
                          c->name);
        if (c->file) continue; /* pio_scene_validate_data */
        if (c->time.n != c->value.n)
            pio_cfg_fault(doc, value, "%zu values for %zu times; one each is needed", c->value.n, c->time.n);
        pio_scene_check_increase(doc, time, &c->time);
    }
}

/* Gravity acts on what has a density. */
static void check_gravity(const pio_scene *s, cfg_doc *doc)
{
    if (!pio_scene_is_heavy(s) &&
        fabs(s->common.gravity[0]) + fabs(s->common.gravity[1]) + fabs(s->common.gravity[2]) > 0)
        pio_cfg_fault(doc, "gravity", "nothing has a density, so gravity has no effect; add the density of a material");
}

/* A mass needs what the body is made of to have a density. */
static void check_mass(const pio_scene *s, cfg_doc *doc, size_t i)
{
    PATH(type, "observe[%zu].type", i);
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_body *body = &s->matter.bodies[b];
        if (strcmp(body->name, s->goal.observe[i].body)) continue;
        for (size_t k = 0; k < s->materials.n; k++) {
            const scene_material *m = &s->materials.v[k];
            if (pio_body_is_made_of(body, m) && !(m->density > 0))
                pio_cfg_fault(doc, type, "'%s', of which '%s' is made, has no density; add materials[%zu].density",
                              m->name, body->name, k);
        }
    }
}

/* A point is no part of a body, and takes no measure; only a p-norm has a p. */
static void check_point(cfg_doc *doc, size_t i, const scene_observe *o)
{
    PATH(on, "observe[%zu].on", i);
    PATH(measure, "observe[%zu].measure", i);
    PATH(power, "observe[%zu].p", i);
    const bool point = !isnan(o->point[0]);
    if (point && pio_scene_is_set(doc, on))
        pio_cfg_fault(doc, on, "'on' and 'point' exclude each other; remove one of them");
    if (point && pio_scene_is_set(doc, measure))
        pio_cfg_fault(doc, measure, "there is one value at a point; remove it, or use 'on' in place of 'point'");
    if (pio_scene_is_set(doc, power) && o->measure != PIO_PNORM)
        pio_cfg_fault(doc, power, "only 'measure: pnorm' has an exponent; remove it, or set the measure");
}

static void check_seen(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(type, "observe[%zu].type", i);
    const bool moves = o->type == PIO_MEAN_VELOCITY || o->type == PIO_KINETIC_ENERGY || o->type == PIO_ANGULAR_MOMENTUM;
    if (s->fem.integrator == PIO_STATIC && moves)
        pio_cfg_fault(doc, type, "nothing moves in a static scene; set time.integrator, or observe displacement");
    const bool reacts = o->type == PIO_REACTION || o->type == PIO_REACTION_MOMENT;
    if (scene_leaps(s->fem.integrator) && reacts)
        pio_cfg_fault(doc, type,
                      "the leapfrog keeps no accelerations, which reactions need; use newmark, bdf2 or backward_euler");
    if (s->fem.integrator == PIO_REVERSIBLE_EULER && reacts)
        pio_cfg_fault(doc, type,
                      "reversible_euler keeps no accelerations, which reactions need; use newmark, bdf2 or "
                      "backward_euler");
    PATH(boundary, "observe[%zu].boundary", i);
    if (reacts)
        pio_scene_entry(doc, boundary, "boundary", o->boundary, s->loading.boundary, s->loading.n_boundary,
                        sizeof *s->loading.boundary);
    pio_scene_validate_seen(s, doc, i);
    check_point(doc, i, o);
    if (o->body) check_place(s, doc, "observe", i, o->body, &o->on);
    if (o->type == PIO_MASS) check_mass(s, doc, i);
}

/* Reports fields of frames that this integrator does not have, and places of none. */
static void check_output(const pio_scene *s, cfg_doc *doc)
{
    const bool leaps = scene_leaps(s->fem.integrator), reacts = pio_scene_has_state(s, SCENE_STATE_REACTION);
    if (reacts && (leaps || s->fem.integrator == PIO_REVERSIBLE_EULER))
        pio_cfg_fault(doc, "output.states.fields",
                      "%s keeps no accelerations, which reactions need; remove reaction, or use newmark, bdf2 or "
                      "backward_euler",
                      pio_integrator_words[s->fem.integrator]);
    for (int field = SCENE_STATE_CONTACT_FORCE; field < SCENE_STATES; field++)
        if (pio_scene_has_state(s, (scene_state)field) && !s->obstacles.n && !(s->touch.distance > 0))
            pio_cfg_fault(doc, "output.states.fields",
                          "%s is of contact, and nothing touches; add obstacles or contact, or remove it",
                          pio_state_words[field]);
    if (pio_scene_is_set(doc, "output.states.per") && !pio_scene_has_stress(s))
        pio_cfg_fault(doc, "output.states.per",
                      s->output.state_fields.n
                          ? "reactions and contact are of nodes in any case; remove it, or add another field"
                          : "there are no fields that it could place; add output.states.fields, or remove it");
}

/* Reports keys that a scene without inertia does not use. */
static void check_static(const pio_scene *s, cfg_doc *doc)
{
    static const char *const of_body[] = {"displacement", "velocity", "angular_velocity"};
    static const char *const of_material[] = {"mass_damping", "stiffness_damping"};
    if (pio_scene_is_set(doc, "time.dt"))
        pio_cfg_fault(doc, "time.dt", "a static scene has load steps; use time.load_steps, or another time.integrator");
    if (pio_scene_is_set(doc, "solver.mass"))
        pio_cfg_fault(doc, "solver.mass", "a static scene has no inertia; remove it, or set time.integrator");
    for (size_t i = 0; i < s->matter.n_bodies; i++)
        for (size_t k = 0; k < 3; k++) {
            PATH(path, "bodies[%zu].%s", i, of_body[k]);
            const scene_body *b = &s->matter.bodies[i];
            const double *v = k == 0 ? b->displacement : k == 1 ? b->velocity : b->angular_velocity;
            if (fabs(v[0]) + fabs(v[1]) + fabs(v[2]) > 0)
                pio_cfg_fault(doc, path, "nothing moves in a static scene; remove it, or set time.integrator");
        }
    for (size_t i = 0; i < s->materials.n; i++)
        for (size_t k = 0; k < 2; k++) {
            PATH(path, "materials[%zu].%s", i, of_material[k]);
            if (pio_scene_is_set(doc, path))
                pio_cfg_fault(doc, path, "nothing moves in a static scene; remove it, or set time.integrator");
        }
}

/* Reports what the reversible leapfrog cannot reverse. */
static void check_reversible(const pio_scene *s, cfg_doc *doc)
{
    static const char *const damping[] = {"mass_damping", "stiffness_damping"};
    for (size_t i = 0; i < s->materials.n; i++)
        for (size_t k = 0; k < 2; k++) {
            PATH(path, "materials[%zu].%s", i, damping[k]);
            if (pio_scene_is_set(doc, path))
                pio_cfg_fault(doc, path, "the reversible leapfrog cannot reverse damping; remove it, or use leapfrog");
        }
}

static void check_motion(const pio_scene *s, cfg_doc *doc)
{
    if (!pio_scene_is_set(doc, "time.dt"))
        pio_cfg_fault(doc, "time.integrator", "this integrator needs time.dt, the time step; add it");
    else
        pio_scene_check_time(s, doc);
    if (pio_scene_is_set(doc, "time.load_steps"))
        pio_cfg_fault(doc, "time.load_steps", "only a static scene has load steps; a motion has time.dt: remove it");
    static const char *const of_solves[] = {
        "tolerance",  "max_iterations", "adjoint_tolerance", "linear_iterations", "halvings",
        "projection", "linear",         "direct_memory",     "product",           "preconditioner"};
    for (size_t k = 0; k < sizeof of_solves / sizeof *of_solves && scene_leaps(s->fem.integrator); k++) {
        PATH(path, "solver.%s", of_solves[k]);
        if (pio_scene_is_set(doc, path)) pio_cfg_fault(doc, path, "the leapfrog solves no equations; remove it");
    }
    if (scene_leaps(s->fem.integrator) && s->fem.mass == SCENE_CONSISTENT)
        pio_cfg_fault(doc, "solver.mass", "the leapfrog divides by the masses of nodes; they must be lumped");
    if (s->fem.integrator == PIO_REVERSIBLE_LEAPFROG) check_reversible(s, doc);
    if (s->fem.integrator == PIO_REVERSIBLE_EULER && s->fem.mass == SCENE_CONSISTENT)
        pio_cfg_fault(doc, "solver.mass",
                      "reversible_euler divides by the masses of nodes to reverse a step; they must be lumped");
    for (size_t i = 0; i < s->materials.n; i++) {
        PATH(path, "materials[%zu].density", i);
        PATH(name, "materials[%zu].name", i);
        if (!(s->materials.v[i].density > 0))
            pio_cfg_fault(doc, pio_scene_is_set(doc, path) ? path : name,
                          "a body in motion needs a density above 0 kg/m3; add materials[%zu].density", i);
    }
}

void pio_scene_validate_fem(const pio_scene *scene, cfg_doc *doc)
{
    if (scene->fem.linear == PIO_SOLVE_PCG && pio_scene_is_set(doc, "solver.direct_memory"))
        pio_cfg_fault(doc, "solver.direct_memory",
                      "conjugate gradients do without elimination; remove it, or use 'linear: direct'");
    static const char *const of_iterations[] = {"solver.linear_iterations", "solver.preconditioner"};
    for (size_t k = 0; k < 2 && scene->fem.linear == PIO_SOLVE_DIRECT; k++)
        if (pio_scene_is_set(doc, of_iterations[k]))
            pio_cfg_fault(doc, of_iterations[k], "elimination does not iterate; remove it, or use 'linear: auto'");
    if (scene->fem.integrator == PIO_STATIC)
        check_static(scene, doc);
    else if (scene->fem.integrator != PIO_MODAL)
        check_motion(scene, doc);
    pio_scene_validate_modal(scene, doc);
    pio_scene_validate_plane(scene, doc);
    for (size_t i = 0; i < scene->matter.n_geometry; i++) check_geometry(scene, doc, i);
    check_bodies(scene, doc);
    for (size_t i = 0; i < scene->loading.n_boundary; i++) check_boundary(scene, doc, i);
    for (size_t i = 0; i < scene->loading.n_loads; i++) check_load(scene, doc, i);
    for (size_t i = 0; i < scene->loading.n_ties; i++) check_tie(scene, doc, i);
    check_curves(scene, doc);
    pio_scene_validate_obstacles(scene, doc);
    pio_scene_validate_vary(scene, doc);
    check_gravity(scene, doc);
    pio_scene_validate_control(scene, doc);
    for (size_t i = 0; i < scene->goal.n_observe; i++) check_seen(scene, doc, i);
    check_output(scene, doc);
}
