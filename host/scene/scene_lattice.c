/* scene_lattice.c -- defaults and rules of lattices of control points, and of targets that share their variables. */
#include "host/scene/design_path.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <math.h>

void pio_scene_complete_lattice(pio_scene *scene, cfg_doc *doc, size_t i)
{
    scene_lattice *l = &scene->goal.design[i].lattice;
    PATH(min, "design[%zu].lattice.min", i);
    for (int a = 0; !pio_scene_is_set(doc, min) && a < 3; a++) l->min[a] = l->max[a] = NAN;
    for (size_t h = 0; h < l->n_hold; h++) {
        PATH(own, "design[%zu].lattice.hold[%zu].min", i, h);
        for (int a = 0; !pio_scene_is_set(doc, own) && a < 3; a++) l->hold[h].on.min[a] = l->hold[h].on.max[a] = NAN;
    }
}

static void check_box(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_lattice *l = &s->goal.design[i].lattice;
    for (int a = 0; a < s->method.dimension; a++) {
        PATH(cells, "design[%zu].lattice.cells[%d]", i, a);
        PATH(max, "design[%zu].lattice.max[%d]", i, a);
        if (fabs(l->cells[a] - round(l->cells[a])) > 0)
            pio_cfg_fault(doc, cells, "%g is not a whole number of cells", l->cells[a]);
        if (l->max[a] <= l->min[a])
            pio_cfg_fault(doc, max, "the box has no extent along %c: it begins at %g m", "xyz"[a], l -> min[a]);
    }
}

static void check_lattice(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_design *d = &s->goal.design[i];
    const bool given = d->lattice.cells[0] > 0;
    PATH(per, "design[%zu].per", i);
    PATH(lattice, "design[%zu].lattice", i);
    PATH(along, "design[%zu].along", i);
    PATH(hold, "design[%zu].lattice.hold", i);
    PATH(ease, "design[%zu].lattice.ease", i);
    if (given != (d->per == SCENE_PER_LATTICE)) {
        pio_cfg_fault(doc, given ? lattice : per,
                      given ? "a lattice has a value for each of its control points; use 'per: lattice'"
                            : "there is no lattice; add `lattice`, as {cells: [3, 2]}");
        return;
    }
    if (!given) return;
    for (size_t k = 0; k < d->target.n; k++) {
        PATH(target, "design[%zu].%s[%zu]", i, pio_design_targets_key(d), k);
        if (d->path[k].key && d->path[k].quantity != PIO_POSITION)
            pio_cfg_fault(doc, target, "'%s' is no place; a lattice moves bodies.NAME.rest_position", d->target.v[k]);
    }
    if (d->along == SCENE_ALONG_NORMAL)
        pio_cfg_fault(doc, along, "a lattice has no normal; use x, y%s or all", s->method.dimension == 3 ? ", z" : "");
    if (d->lattice.n_hold && !(d->lattice.ease > 0))
        pio_cfg_fault(doc, hold, "nothing says how far from there nodes move in full; add `ease`, as 5 mm");
    if (!d->lattice.n_hold && d->lattice.ease > 0)
        pio_cfg_fault(doc, ease, "nothing is held, from which to ease; add `hold`, or remove it");
    check_box(s, doc, i);
}

/* Checks that the targets of an entry, which share their variables, begin with the same values. */
static void check_shared(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_design *d = &s->goal.design[i];
    PATH(per, "design[%zu].per", i);
    if (d->per != SCENE_PER_TARGET && d->per != SCENE_PER_LATTICE)
        pio_cfg_fault(doc, per,
                      "`targets` share one variable for each component, or the control points of one lattice; use "
                      "'per: target' or 'per: lattice', or name them in `target`");
    for (size_t k = 1; k < d->target.n && d->initial.n == 0; k++) {
        scene_target first, own;
        if (!d->path[0].key || !d->path[k].key) return;
        pio_design_target(s, d, 0, &first);
        pio_design_target(s, d, k, &own);
        if (own.quantity != first.quantity || own.components != first.components) return; /* is reported elsewhere */
        for (size_t c = 0; c < (size_t)own.components; c++) {
            const double a = pio_target_value(&first, c), b = pio_target_value(&own, c);
            PATH(target, "design[%zu].targets[%zu]", i, k);
            if (fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b))) continue;
            pio_cfg_fault(doc, target,
                          "'%s' is %g and '%s' is %g in the scene, and one variable begins with one value; add "
                          "`initial`",
                          d->target.v[k], b, d->target.v[0], a);
            return;
        }
    }
}

void pio_scene_validate_lattices(const pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->goal.n_design; i++) {
        if (scene->method.type == SCENE_FEM) check_lattice(scene, doc, i);
        if (scene->goal.design[i].targets.n) check_shared(scene, doc, i);
    }
}
