/* scene_validate_plane.c -- rules of sheets and rings, method.plane, that no single key can state. */
#include "host/scene/scene_names.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <string.h>

/* Returns whether a body of this name has an element of another law than the linear one. */
static bool is_nonlinear(const pio_scene *s, const char *name)
{
    bool found = false;
    for (size_t b = 0; b < s->matter.n_bodies; b++)
        for (size_t k = 0; k < s->materials.n; k++)
            found |= !strcmp(s->matter.bodies[b].name, name) && s->materials.v[k].model != PIO_HYPER_LINEAR &&
                     pio_body_is_made_of(&s->matter.bodies[b], &s->materials.v[k]);
    return found;
}

/* A pressure on the deformed edge of a sheet would need the thickness that is left there. */
static void check_sheets(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->loading.n_loads; i++) {
        const scene_load *l = &s->loading.loads[i];
        PATH(type, "loads[%zu].type", i);
        if (l->type != PIO_FOLLOWER || !is_nonlinear(s, l->body)) continue;
        pio_cfg_fault(
            doc, type,
            "a sheet at finite strain changes its thickness, which a pressure on the deformed edge would have "
            "to know; use 'pressure', on the area at rest, or 'plane: strain'");
    }
}

/* Along x, the radius, no weight acts, and no design may give one. */
static void check_weight(const pio_scene *s, cfg_doc *doc)
{
    if (fabs(s->common.gravity[0]) > 0)
        pio_cfg_fault(doc, "gravity", "x is the radius, along which no weight acts; use [0, y]");
    for (size_t i = 0; i < s->goal.n_design; i++)
        for (size_t k = 0; s->goal.design[i].path && k < s->goal.design[i].target.n; k++) {
            const scene_path *p = &s->goal.design[i].path[k];
            PATH(path, "design[%zu].%s[%zu]", i, pio_design_targets_key(&s->goal.design[i]), k);
            if (p->key && p->quantity == PIO_GRAVITY && p->part != 1)
                pio_cfg_fault(doc, path, "x is the radius, along which no weight acts; design gravity.y");
        }
}

static void check_bodies(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        PATH(thickness, "bodies[%zu].thickness", i);
        PATH(spin, "bodies[%zu].angular_velocity", i);
        const scene_body *b = &s->matter.bodies[i];
        if (b->thickness_text || fabs(b->thickness - 1) > 0)
            pio_cfg_fault(doc, thickness, "a ring goes all the way around, and has no thickness; remove it");
        if (fabs(b->angular_velocity[0]) + fabs(b->angular_velocity[1]) + fabs(b->angular_velocity[2]) > 0)
            pio_cfg_fault(doc, spin, "a section of a ring does not rotate in its plane; remove it");
    }
}

/* What acts on a section in its plane as a ring's cannot. */
static void check_actions(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->loading.n_loads; i++) {
        PATH(path, "loads[%zu].type", i);
        if (s->loading.loads[i].type == PIO_MOMENT)
            pio_cfg_fault(doc, path, "forces on a ring balance all around, and have no moment; use tractions");
    }
    for (size_t i = 0; i < s->loading.n_ties; i++) {
        PATH(path, "ties[%zu].name", i);
        pio_cfg_fault(doc, path,
                      "ties are of slices and sheets, for their weights know no radius; use one mesh for both");
    }
    for (size_t i = 0; i < s->loading.n_boundary; i++) {
        PATH(path, "boundary[%zu].type", i);
        if (s->loading.boundary[i].type == SCENE_ROTATION)
            pio_cfg_fault(doc, path, "a section of a ring does not rotate in its plane; use type displacement");
    }
    for (size_t i = 0; i < s->goal.n_observe; i++) {
        const int type = s->goal.observe[i].type;
        PATH(path, "observe[%zu].type", i);
        if (type == PIO_REACTION_MOMENT || type == PIO_ANGULAR_MOMENTUM)
            pio_cfg_fault(doc, path, "forces on a ring balance all around, and have no moment; observe a reaction");
    }
}

void pio_scene_validate_plane(const pio_scene *s, cfg_doc *doc)
{
    if (s->method.dimension == 3 && pio_scene_is_set(doc, "method.plane"))
        pio_cfg_fault(doc, "method.plane", "a 3D scene has no plane; remove it");
    if (s->fem.plane == PIO_PLANE_STRESS) check_sheets(s, doc);
    if (s->fem.plane != PIO_AXISYMMETRIC) return;
    check_weight(s, doc);
    check_bodies(s, doc);
    check_actions(s, doc);
}
