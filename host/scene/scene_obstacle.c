/* scene_obstacle.c -- obstacles: defaults, rules that no single key can state, and motions from tables. */
#include "host/scene/law.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_surface.h"
#include "host/scene/scene_names.h"
#include "host/scene/words.h"
#include "host/base/axes.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void take_column(cfg_doc *doc, const pio_csv *csv, size_t column, scene_numbers *to)
{
    to->v = pio_pool_take(&doc->pool, csv->n_rows * sizeof(double));
    doc->no_memory |= !to->v;
    to->n = to->v ? csv->n_rows : 0;
    for (size_t row = 0; row < to->n; row++) to->v[row] = csv->values[row * csv->n_columns + column];
}

/* Reads the motion from its table: time, which increases from 0 or later, and any of x, y, z and angle. An unknown
 * column is a fault, because its motion would be ignored. */
static void read_motion(pio_scene *s, cfg_doc *doc, size_t i)
{
    static const char *const names[] = {"time", "x", "y", "z", "angle"};
    enum { COLUMNS = sizeof names / sizeof *names };
    scene_obstacle *o = &s->obstacles.v[i];
    scene_numbers *const to[COLUMNS] = {&o->time, &o->shift[0], &o->shift[1], &o->shift[2], &o->angle};
    pio_csv csv;
    piola_error error;
    PATH(path, "obstacles[%zu].motion.file", i);
    if (!pio_scene_table_of(s, doc, path, o->motion_file, &csv)) return;
    const int t = pio_scene_course_column(doc, path, &csv);
    if (t >= 0 && csv.n_rows > 0 && !(csv.values[t] >= 0)) {
        pio_csv_fault(&csv, 0, (size_t)t, &error, "the first time, %g s, is before 0", csv.values[t]);
        pio_scene_report(doc, path, &error);
    }
    for (size_t c = 0; c < csv.n_columns; c++) {
        size_t k = 0;
        while (k < COLUMNS && strcmp(csv.columns[c], names[k]) != 0) k++;
        if (k == COLUMNS)
            pio_cfg_fault(doc, path, "%s has a column '%s'; a motion has the columns time, x, y, z [m] and angle [rad]",
                          csv.path, pio_cfg_printable(doc, csv.columns[c]));
        else if (t >= 0)
            take_column(doc, &csv, c, to[k]);
    }
    pio_csv_free(&csv);
}

/* Returns the largest Young's modulus at small strain of all materials, Pa. */
static double largest_modulus(const pio_scene *s)
{
    double most = 0;
    for (size_t k = 0; k < s->materials.n; k++) {
        double parameters[PIO_LAW_CONSTANTS];
        pio_law_parameters(&s->materials.v[k], parameters);
        const double mu = pio_law_shear(&s->materials.v[k], parameters);
        most = fmax(most, 2 * mu * (1 + pio_law_poisson(&s->materials.v[k], parameters)));
    }
    return most;
}

/* Of meshes: they separate from obstacles, by a potential; the distances of a surface of triangles are kept as far as
 * twice where that begins. */
static void complete_of_mesh(const pio_scene *s, scene_obstacle *o)
{
    o->behaviour = PIO_WALL_SEPARATE;
    o->model = PIO_CONTACT_POTENTIAL;
    o->width = 2 * o->distance;
    o->separation_velocity = PIO_LEAST_VELOCITY;
    if (isnan(o->stiffness)) o->stiffness = 0.01 * largest_modulus(s);
    if (isnan(o->resolution)) o->resolution = o->distance;
}

cfg_range pio_scene_scales(const scene_obstacle *o)
{
    return o->type == PIO_CLOSED_MESH ? (cfg_range){CFG_FROM, o->scale / 2, 0} : (cfg_range){CFG_OVER, 0, 0};
}

static bool is_given(const cfg_doc *doc, size_t i, const char *key)
{
    PATH(path, "obstacles[%zu].%s", i, key);
    return pio_scene_is_set(doc, path);
}

/* Chooses how an obstacle acts where the file does not say it: as its other keys say; else separating ones push solids
 * by a potential. */
static pio_contact_model model_of(const pio_scene *s, const cfg_doc *doc, size_t i)
{
    if (is_given(doc, i, "stiffness") || is_given(doc, i, "distance")) return PIO_CONTACT_POTENTIAL;
    if (is_given(doc, i, "width") || is_given(doc, i, "separation_velocity")) return PIO_CONTACT_GRID;
    return s->obstacles.v[i].behaviour == PIO_WALL_SEPARATE && pio_scene_stiffest(s) > 0 && !pio_scene_not_solid(s)
               ? PIO_CONTACT_POTENTIAL
               : PIO_CONTACT_GRID;
}

static void complete_of_particles(const pio_scene *s, const cfg_doc *doc, size_t i)
{
    scene_obstacle *o = &s->obstacles.v[i];
    PATH(model, "obstacles[%zu].model", i);
    if (!pio_scene_is_set(doc, model)) o->model = model_of(s, doc, i);
    if (isnan(o->stiffness)) o->stiffness = pio_scene_stiffest(s);
    if (isnan(o->distance)) o->distance = s->mpm.grid.spacing / 4;
}

void pio_scene_complete_obstacles(pio_scene *s, cfg_doc *doc)
{
    if (s->touch.distance > 0 && isnan(s->touch.stiffness)) s->touch.stiffness = 0.01 * largest_modulus(s);
    for (size_t i = 0; i < s->obstacles.n; i++) {
        scene_obstacle *o = &s->obstacles.v[i];
        PATH(axis, "obstacles[%zu].motion.axis", i);
        if (o->motion_file) read_motion(s, doc, i);
        if (s->method.type == SCENE_FEM)
            complete_of_mesh(s, o);
        else
            complete_of_particles(s, doc, i);
        if (isnan(o->width)) o->width = 1.5 * s->mpm.grid.spacing;
        if (isnan(o->separation_velocity))
            o->separation_velocity = fmax(0.1 * s->mpm.grid.spacing / s->time.duration, PIO_LEAST_VELOCITY);
        if (isnan(o->resolution)) o->resolution = s->mpm.grid.spacing / 2;
        if (o->type == PIO_PLANE) o->scale = 1;
        if (s->method.dimension == 3 && o->angle.n && !pio_scene_is_set(doc, axis)) o->turns[2] = 1;
    }
}

/* ---- rules ----------------------------------------------------------------------------------------------------- */

static double length(const pio_scene *s, const double v[3])
{
    return s->method.dimension == 3 ? hypot(hypot(v[0], v[1]), v[2]) : hypot(v[0], v[1]);
}

static void check_course(const scene_obstacle *o, cfg_doc *doc, size_t i, const char *key, const scene_numbers *course)
{
    PATH(path, "obstacles[%zu].motion.%s", i, key);
    if (o->motion_file && pio_scene_is_set(doc, path))
        pio_cfg_fault(doc, path, "the file gives the motion; remove this, or `file`");
    else if (course->n && course->n != o->time.n)
        pio_cfg_fault(doc, path, "%zu number%s for %zu time%s; one each is needed", course->n, course->n > 1 ? "s" : "",
                      o->time.n, o->time.n > 1 ? "s" : "");
}

static void check_motion(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_obstacle *o = &s->obstacles.v[i];
    PATH(motion, "obstacles[%zu].motion", i);
    PATH(time, "obstacles[%zu].motion.time", i);
    PATH(z, "obstacles[%zu].motion.z", i);
    PATH(axis, "obstacles[%zu].motion.axis", i);
    size_t courses = o->angle.n;
    for (int a = 0; a < 3; a++) {
        check_course(o, doc, i, pio_axis_names[a], &o->shift[a]);
        courses += o->shift[a].n;
    }
    check_course(o, doc, i, "angle", &o->angle);
    if (!o->motion_file) pio_scene_check_increase(doc, time, &o->time);
    if (o->time.n && !courses)
        pio_cfg_fault(doc, motion, "the motion neither shifts nor turns the obstacle; add x, y, z or angle");
    if (s->method.dimension == 2 && o->shift[2].n) pio_cfg_fault(doc, z, "a 2D scene has no z; use x, y or angle");
    if (!pio_scene_is_set(doc, axis)) return;
    if (s->method.dimension == 2 || !o->angle.n)
        pio_cfg_fault(doc, axis,
                      s->method.dimension == 2 ? "in 2D the axis of rotation is z; remove it"
                                               : "an axis of rotation needs an angle; add `angle`, or remove the axis");
    else if (!(length(s, o->turns) > 0))
        pio_cfg_fault(doc, axis, "the axis has no direction; [0, 0, 1] would be the z axis");
}

/* Checks that the file has a surface, of which the obstacle will be made. */
static void check_file(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_obstacle *o = &s->obstacles.v[i];
    char place[PATH_MAX];
    bool found;
    piola_error error;
    const pio_trimesh *surface;
    PATH(file, "obstacles[%zu].file", i);
    PATH(type, "obstacles[%zu].type", i);
    if (s->method.dimension == 2) {
        pio_cfg_fault(doc, type, "a surface of triangles needs a 3D scene; use plane, ball or box in 2D");
        return;
    }
    if (!pio_scene_file(s, o->file, place, sizeof place, &error) &&
        !pio_scene_surface(s, place, o->scale, &surface, &error))
        pio_cfg_input(doc, place, surface->sha256);
    else
        pio_cfg_report(doc, error.status, pio_cfg_find(doc->root, file, &found)->mark, file, "%s", error.message);
}

/* Keys that belong to the other model are refused: they would be ignored. */
static void check_model(const scene_obstacle *o, cfg_doc *doc, size_t i)
{
    static const char *const keys[2][2] = {{"stiffness", "distance"}, {"width", "separation_velocity"}};
    const bool potential = o->model == PIO_CONTACT_POTENTIAL;
    for (int k = 0; k < 2; k++) {
        const char *key = keys[potential][k];
        PATH(path, "obstacles[%zu].%s", i, key);
        if (pio_scene_is_set(doc, path))
            pio_cfg_fault(doc, path, "this obstacle is of model '%s', which has no %s; remove it, or use 'model: %s'",
                          pio_contact_model_words[o->model], key, pio_contact_model_words[!potential]);
    }
}

static void check_potential(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_obstacle *o = &s->obstacles.v[i];
    const scene_body *other = pio_scene_not_solid(s);
    PATH(name, "obstacles[%zu].name", i);
    PATH(model, "obstacles[%zu].model", i);
    PATH(distance, "obstacles[%zu].distance", i);
    const char *at = pio_scene_is_set(doc, model) ? model : name;
    if (o->behaviour != PIO_WALL_SEPARATE)
        pio_cfg_fault(doc, at,
                      "a potential pushes away, it neither sticks nor holds what leaves; use 'behaviour: "
                      "separate', or 'model: grid'");
    else if (other)
        pio_cfg_fault(doc, at,
                      "a potential holds solids, and the material '%s' of body '%s' is a fluid, granular or snow; use "
                      "'model: grid'",
                      other->material, other->name);
    if (o->distance > s->mpm.grid.spacing)
        pio_cfg_fault(doc, distance, "the potential would set in over %g m, more than a spacing of the grid, %g m",
                      o->distance, s->mpm.grid.spacing);
}

static void check_obstacle(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_obstacle *o = &s->obstacles.v[i];
    PATH(type, "obstacles[%zu].type", i);
    PATH(normal, "obstacles[%zu].normal", i);
    PATH(friction, "obstacles[%zu].friction", i);
    PATH(velocity, "obstacles[%zu].friction_velocity", i);
    PATH(separation, "obstacles[%zu].separation_velocity", i);
    PATH(stiffness, "obstacles[%zu].stiffness", i);
    if (s->method.type == SCENE_FEM && !(o->stiffness > 0))
        pio_cfg_fault(doc, stiffness,
                      "Young's moduli, of which the stiffness is made, are no numbers above 0 everywhere; add a "
                      "stiffness, such as a hundredth of Young's modulus");
    if (o->type == PIO_CYLINDER && s->method.dimension == 2)
        pio_cfg_fault(doc, type, "a cylinder needs a 3D scene; use 'ball' for a disc in 2D");
    if (o->type == PIO_CLOSED_MESH) check_file(s, doc, i);
    if (o->type == PIO_PLANE && !(length(s, o->normal) > 0))
        pio_cfg_fault(doc, normal, "the normal has no direction; it must point out of the solid side");
    if (o->behaviour == PIO_WALL_STICKY && pio_scene_is_set(doc, friction))
        pio_cfg_fault(doc, friction,
                      "a sticky obstacle has no friction; remove it, or use 'behaviour: separate' or 'slip'");
    else if (o->behaviour == PIO_WALL_STICKY && pio_scene_is_set(doc, velocity))
        pio_cfg_fault(doc, velocity,
                      "a sticky obstacle has no friction; remove it, or use 'behaviour: separate' or 'slip'");
    if (o->behaviour != PIO_WALL_SEPARATE && pio_scene_is_set(doc, separation))
        pio_cfg_fault(doc, separation,
                      "only a separating obstacle has a separation velocity; remove it, or use 'behaviour: separate'");
    check_model(o, doc, i);
    if (s->method.type == SCENE_MPM && o->model == PIO_CONTACT_POTENTIAL) check_potential(s, doc, i);
    check_motion(s, doc, i);
}

/* Contact of outer faces with each other. */
static void check_touch(const pio_scene *s, cfg_doc *doc)
{
    if (!(s->touch.distance > 0)) return;
    if (s->fem.integrator == PIO_MODAL || s->fem.integrator == PIO_REVERSIBLE_EULER ||
        s->fem.integrator == PIO_REVERSIBLE_LEAPFROG)
        pio_cfg_fault(doc, "contact",
                      "modal analysis and the reversible integrators have no contact of surfaces; use a static run, "
                      "backward_euler, bdf2, newmark or leapfrog");
    else if (s->fem.integrator != PIO_LEAPFROG && s->fem.linear == PIO_SOLVE_DIRECT)
        pio_cfg_fault(doc, "solver.linear",
                      "where surfaces touch each other the matrix has another pattern in every iteration, which "
                      "elimination does not follow; remove it, or use 'linear: pcg'");
    if (s->loading.n_ties)
        pio_cfg_fault(doc, "contact",
                      "faces that are tied touch each other from the start; remove the contact, or the ties");
    if (!(s->touch.stiffness > 0))
        pio_cfg_fault(doc, "contact.stiffness",
                      "Young's moduli, of which the stiffness is made, are no numbers above 0 everywhere; add a "
                      "stiffness, such as a hundredth of Young's modulus");
}

void pio_scene_validate_obstacles(const pio_scene *s, cfg_doc *doc)
{
    const pio_integrator integrator = s->fem.integrator;
    const bool fem = s->method.type == SCENE_FEM;
    if (fem) check_touch(s, doc);
    if (fem && s->obstacles.n &&
        (integrator == PIO_MODAL || integrator == PIO_REVERSIBLE_EULER || integrator == PIO_REVERSIBLE_LEAPFROG))
        pio_cfg_fault(doc, "obstacles",
                      "modal analysis and the reversible integrators have no obstacles; use a static run, "
                      "backward_euler, bdf2, newmark or leapfrog");
    if (!fem && s->obstacles.n && s->mpm.integrator == SCENE_REVERSIBLE)
        pio_cfg_fault(doc, "obstacles",
                      "obstacles dissipate energy, and time.integrator: reversible must be able to reverse its steps; "
                      "use integrator: apic, or penalty walls");
    for (size_t i = 0; i < s->obstacles.n; i++) check_obstacle(s, doc, i);
}
