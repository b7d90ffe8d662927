/* scene_validate_mpm.c -- which walls, materials and outputs an integrator of particles can have. */
#include "host/scene/plastic.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <string.h>

/* Returns the key at which the file says what this face is, or the one that makes it matter. */
static const char *face_path(const cfg_doc *doc, int axis, int side)
{
    static const char *const paths[3][2] = {{"method.grid.walls.x_min", "method.grid.walls.x_max"},
                                            {"method.grid.walls.y_min", "method.grid.walls.y_max"},
                                            {"method.grid.walls.z_min", "method.grid.walls.z_max"}};
    if (pio_scene_is_set(doc, paths[axis][side])) return paths[axis][side];
    if (pio_scene_is_set(doc, "method.grid.walls.default")) return "method.grid.walls.default";
    return pio_scene_is_set(doc, "method.grid.walls") ? "method.grid.walls" : "time.integrator";
}

/* Reports only the first face that is wrong. */
static void check_walls(const pio_scene *s, cfg_doc *doc)
{
    const bool reversible = s->mpm.integrator == SCENE_REVERSIBLE;
    for (int a = 0; a < s->method.dimension; a++)
        for (int side = 0; side < 2; side++) {
            if (reversible == (s->mpm.grid.wall[a][side] == PIO_WALL_PENALTY)) continue;
            pio_cfg_fault(
                doc, face_path(doc, a, side), "%s",
                reversible ? "sticky, slip and separating walls dissipate energy, and time.integrator: reversible must "
                             "be able to reverse its steps; use 'penalty' for every face"
                           : "penalty walls need time.integrator: reversible; with apic use sticky, slip, separate or "
                             "sticky_separate");
            return;
        }
}

static void check_stiffness(const pio_scene *s, cfg_doc *doc)
{
    static const char path[] = "method.grid.wall_stiffness";
    const char *penalty = NULL;
    for (int a = 0; a < s->method.dimension; a++)
        for (int side = 0; side < 2 && !penalty; side++)
            if (s->mpm.grid.wall[a][side] == PIO_WALL_PENALTY) penalty = face_path(doc, a, side);
    const double most = 1 / (s->time.dt * s->time.dt);
    if (penalty && !(s->mpm.grid.wall_stiffness > 0))
        pio_cfg_fault(doc, penalty,
                      "penalty walls need method.grid.wall_stiffness, in 1/s2: a particle that hits a wall with speed "
                      "v penetrates it by up to v/sqrt(wall_stiffness) plus a quarter of a cell, and at most 1/dt^2 = "
                      "%.3g is stable",
                      most);
    else if (!penalty && s->mpm.grid.wall_stiffness > 0)
        pio_cfg_fault(doc, path, "no wall has the type penalty; remove it");
    else if (s->mpm.grid.wall_stiffness > most)
        pio_cfg_fault(doc, path,
                      "%g 1/s2 is not stable with this time step; use at most 1/dt^2 = %.6g, or a smaller time.dt",
                      s->mpm.grid.wall_stiffness, most);
}

/* Friction is of walls along which material slides, and its velocity of scenes that have any. */
static void check_friction(const pio_scene *s, cfg_doc *doc)
{
    static const char *const faces[3][2] = {{"x_min", "x_max"}, {"y_min", "y_max"}, {"z_min", "z_max"}};
    static const char velocity[] = "method.grid.wall_friction_velocity";
    bool rough = false;
    for (int a = 0; a < s->method.dimension; a++)
        for (int side = 0; side < 2; side++) {
            PATH(path, "method.grid.wall_friction.%s", faces[a][side]);
            rough |= pio_wall_is_rough(s, a, side);
            if (!(s->mpm.grid.wall_friction[a][side] > 0)) continue;
            if (s->mpm.integrator == SCENE_REVERSIBLE)
                pio_cfg_fault(doc, path,
                              "friction dissipates energy, and time.integrator: reversible must be able to reverse its "
                              "steps; remove it, or use integrator: apic");
            else if (!pio_wall_can_rub(s->mpm.grid.wall[a][side]))
                pio_cfg_fault(doc, path, "only walls of type slip and separate have friction; remove it, or use one");
        }
    if (!rough && pio_scene_is_set(doc, velocity))
        pio_cfg_fault(doc, velocity, "no wall has friction or is sticky_separate; remove it");
}

static void check_damping(const pio_scene *s, cfg_doc *doc)
{
    if (s->mpm.integrator != SCENE_REVERSIBLE && pio_scene_is_set(doc, "time.damping"))
        pio_cfg_fault(doc, "time.damping",
                      "damping needs time.integrator: reversible; remove it, or use that integrator");
    else if (s->mpm.damping * s->time.dt > 0.5)
        pio_cfg_fault(doc, "time.damping", "%g 1/s is too much for one step; use at most 0.5/dt = %.6g", s->mpm.damping,
                      0.5 / s->time.dt);
}

/* Reports what a reversible run cannot have. */
static void check_materials(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->materials.n; i++) {
        const scene_material *m = &s->materials.v[i];
        PATH(path, "materials[%zu].viscosity", i);
        if (m->viscosity > 0)
            pio_cfg_fault(doc, path,
                          "viscosity dissipates energy, and time.integrator: reversible must be able to reverse its "
                          "steps; use 0, or integrator: apic");
    }
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t t = 0; t < s->goal.design[d].target.n; t++) {
            const char *key = s->goal.design[d].path[t].key;
            PATH(path, "design[%zu].%s", d, pio_design_targets_key(&s->goal.design[d]));
            if (key && !strcmp(key, "viscosity"))
                pio_cfg_fault(doc, path,
                              "time.integrator: reversible has no viscosity; remove it, or use integrator: apic");
        }
}

static void check_output(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->output.state_fields.n; i++)
        if (!strcmp(s->output.state_fields.v[i], "C"))
            pio_cfg_fault(doc, "output.states.fields", "particles of time.integrator: reversible have no C; remove it");
}

/* A plastic law needs the elastic law that it is made for, and an integrator with plastic steps. */
static void check_plasticity(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->materials.n; i++) {
        const scene_material *m = &s->materials.v[i];
        const bool snow = m->plasticity == PIO_SNOW;
        PATH(path, "materials[%zu].plasticity.type", i);
        if (m->plasticity == PIO_ELASTIC) continue;
        if (m->model != (snow ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_HENCKY))
            pio_cfg_fault(doc, path, "%s needs model '%s'; use that model, or another type",
                          snow ? "snow" : "this type", snow ? "fixed_corotated" : "hencky");
        if (s->mpm.integrator == SCENE_REVERSIBLE)
            pio_cfg_fault(doc, path,
                          "plastic flow dissipates energy, and time.integrator: reversible must be able to reverse its "
                          "steps; use integrator: apic");
    }
    for (size_t i = 0; i < s->output.state_fields.n; i++) {
        const char *field = s->output.state_fields.v[i];
        const bool plane = !strcmp(field, "e33");
        if ((plane || !strcmp(field, "hardening")) && !pio_scene_is_plastic(s))
            pio_cfg_fault(doc, "output.states.fields", "no body is plastic, and so none has '%s'; remove it", field);
        else if (plane && s->method.dimension == 3)
            pio_cfg_fault(doc, "output.states.fields", "only plastic solids in 2D have e33; remove it");
    }
}

static void check_flip(const pio_scene *s, cfg_doc *doc)
{
    if (s->mpm.integrator == SCENE_REVERSIBLE && s->mpm.flip > 0)
        pio_cfg_fault(doc, "method.flip",
                      "a FLIP ratio blends velocities that cannot be separated again, and time.integrator: reversible "
                      "must be able to reverse its steps; use 0, or integrator: apic");
}

void pio_scene_validate_mpm(const pio_scene *s, cfg_doc *doc)
{
    check_walls(s, doc);
    check_stiffness(s, doc);
    check_friction(s, doc);
    check_damping(s, doc);
    check_flip(s, doc);
    pio_scene_validate_contact(s, doc);
    check_plasticity(s, doc);
    if (s->mpm.integrator != SCENE_REVERSIBLE) return;
    check_materials(s, doc);
    check_output(s, doc);
}
