/* scene_rules.c -- checks that the rules of both methods share. */
#include "host/scene/scene_private.h"

#include <math.h>
#include <string.h>

void pio_scene_check_time(const pio_scene *s, cfg_doc *doc)
{
    double steps = round(s->time.duration / s->time.dt);
    if (s->time.dt > s->time.duration) {
        pio_cfg_fault(doc, "time.dt", "%g s is longer than time.duration, %g s; use a smaller step", s->time.dt,
                      s->time.duration);
    } else if (fabs(steps * s->time.dt - s->time.duration) > 1e-6 * s->time.duration) {
        pio_cfg_fault(doc, "time.duration",
                      "%.9g s is not a whole number of steps of %.9g s; the nearest that is: %.12g s (%.0f steps)",
                      s->time.duration, s->time.dt, steps * s->time.dt, steps);
    } else if (steps > 2147483647.0) {
        pio_cfg_fault(doc, "time.dt", "%.3g steps; at most 2^31 - 1 are possible: use a larger step", steps);
    }
}

size_t pio_scene_entry(cfg_doc *doc, const char *path, const char *list, const char *name, const void *items, size_t n,
                       size_t size)
{
    const char *names[CFG_MAX_KEYS] = {NULL};
    size_t count = n < CFG_MAX_KEYS ? n : CFG_MAX_KEYS;
    for (size_t i = 0; i < n; i++) {
        char *own;
        memcpy(&own, (const char *)items + i * size, sizeof own);
        if (strcmp(own, name) == 0) return i;
        if (i < count) names[i] = own;
    }
    const char *near = pio_cfg_did_you_mean(doc, name, names, count);
    pio_cfg_fault(doc, path, "%s has no entry named '%s'%s%s%s", list, name, near,
                  *near || !n ? "" : "; there are: ", *near ? "" : pio_cfg_join(doc, names, count));
    return n;
}

void pio_scene_check_increase(cfg_doc *doc, const char *path, const scene_numbers *times)
{
    for (size_t k = 1; k < times->n; k++) {
        PATH(at, "%s[%zu]", path, k);
        if (!(times->v[k] > times->v[k - 1]))
            pio_cfg_fault(doc, at, "the times must increase, but %g s follows %g s", times->v[k], times->v[k - 1]);
    }
}

void pio_scene_check_inside(const pio_scene *s, cfg_doc *doc, size_t i, const double low[3], const double high[3])
{
    const scene_body *b = &s->matter.bodies[i];
    PATH(position, "bodies[%zu].position", i);
    PATH(geometry, "bodies[%zu].geometry", i);
    const bool moved = pio_scene_is_set(doc, position);
    for (int a = 0; a < s->method.dimension; a++) {
        double slack = 1e-9 * (s->mpm.grid.max[a] - s->mpm.grid.min[a]);
        double from = low[a] + b->position[a], to = high[a] + b->position[a];
        if (from >= s->mpm.grid.min[a] - slack && to <= s->mpm.grid.max[a] + slack) continue;
        pio_cfg_fault(doc, moved ? position : geometry,
                      "the body reaches from %g m to %g m along %c, outside the grid, which goes from %g m to %g m",
                      from, to, "xyz"[a], s -> mpm.grid.min[a], s->mpm.grid.max[a]);
        return;
    }
}

bool pio_scene_unit(cfg_doc *doc, const char *path, cfg_quantity quantity)
{
    bool found, good = true;
    double value;
    char why[400];
    const cfg_node *node = pio_cfg_find(doc->root, path, &found);
    size_t n = !found ? 0 : node->kind == CFG_SEQUENCE ? node->n : 1;
    for (size_t i = 0; i < n; i++) {
        const cfg_node *one = node->kind == CFG_SEQUENCE ? node->items[i] : node;
        if (one->kind != CFG_SCALAR || pio_quantity_parse(one->text, quantity, &value, why, sizeof why)) continue;
        pio_cfg_report(doc, PIOLA_BAD_DATA, one->mark, path, "%s", why);
        good = false;
    }
    return good;
}
