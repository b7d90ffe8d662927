/* design_path.c -- see design_path.h. */
#include "host/scene/design_path.h"

#include "host/scene/design_table.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/scene_vary.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- owners ---------------------------------------------------------------------------------------------- */

/* The lists of each kind of owner: key in the file; offsets of the list and of its length in pio_scene; bytes of an
 * entry, which begins with its name. */
static const struct {
    const char *list;
    size_t items, n, size;
} lists[SCENE_OWNERS] = {[SCENE_OWNER_MATERIAL] = {"materials", offsetof(pio_scene, materials.v),
                                                   offsetof(pio_scene, materials.n), sizeof(scene_material)},
                         [SCENE_OWNER_BODY] = {"bodies", offsetof(pio_scene, matter.bodies),
                                               offsetof(pio_scene, matter.n_bodies), sizeof(scene_body)},
                         [SCENE_OWNER_CONTROL] = {"control", offsetof(pio_scene, actuation.control),
                                                  offsetof(pio_scene, actuation.n_control), sizeof(scene_control)},
                         [SCENE_OWNER_LOAD] = {"loads", offsetof(pio_scene, loading.loads),
                                               offsetof(pio_scene, loading.n_loads), sizeof(scene_load)},
                         [SCENE_OWNER_BOUNDARY] = {"boundary", offsetof(pio_scene, loading.boundary),
                                                   offsetof(pio_scene, loading.n_boundary), sizeof(scene_boundary)},
                         [SCENE_OWNER_CONSTANT] = {"constants", offsetof(pio_scene, constants.v),
                                                   offsetof(pio_scene, constants.n), sizeof(cfg_named)},
                         [SCENE_OWNER_OBSTACLE] = {"obstacles", offsetof(pio_scene, obstacles.v),
                                                   offsetof(pio_scene, obstacles.n), sizeof(scene_obstacle)}};

static size_t owners_of(const pio_scene *s, scene_owner owner)
{
    size_t n = 1;
    if (owner != SCENE_OWNER_ALL) memcpy(&n, (const char *)s + lists[owner].n, sizeof n);
    return n;
}

/* Returns the struct of the owner. */
static const void *owner_of(const pio_scene *s, scene_owner owner, int32_t index)
{
    const char *items;
    if (owner == SCENE_OWNER_ALL) return s;
    memcpy(&items, (const char *)s + lists[owner].items, sizeof items);
    return items + (size_t)index * lists[owner].size;
}

static const char *name_of(const pio_scene *s, scene_owner owner, int32_t index)
{
    const char *name;
    memcpy(&name, owner_of(s, owner, index), sizeof name);
    return name;
}

const scene_material *pio_design_path_material(const pio_scene *s, const scene_path *p)
{
    if (p->owner == SCENE_OWNER_MATERIAL) return &s->materials.v[p->index];
    return p->owner == SCENE_OWNER_BODY ? pio_scene_material(s, s->matter.bodies[p->index].material) : NULL;
}

bool pio_design_path_owner(const pio_scene *s, const char *text, scene_path *out, const char **key)
{
    const char *name = strchr(text, '.'), *end = name ? strchr(name + 1, '.') : NULL;
    const bool constant = name && !end && strncmp(text, "constants.", 10) == 0; /* which has no key but its value */
    if (constant) end = name + strlen(name);
    *out = (scene_path){.part = -1};
    for (int o = SCENE_OWNER_ALL + 1; end && o < SCENE_OWNERS; o++) {
        if (strlen(lists[o].list) != (size_t)(name - text) || strncmp(text, lists[o].list, (size_t)(name - text)) != 0)
            continue;
        for (size_t i = 0; i < owners_of(s, (scene_owner)o); i++) {
            const char *own = name_of(s, (scene_owner)o, (int32_t)i);
            if (strlen(own) != (size_t)(end - name - 1) || strncmp(own, name + 1, strlen(own)) != 0) continue;
            *out = (scene_path){.owner = (scene_owner)o, .index = (int32_t)i, .part = -1};
            *key = constant ? "value" : end + 1;
            return true;
        }
    }
    return false;
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

/* Returns the key of a material where it is a number that its law has, else NULL. */
static const cfg_field *field_of(const pio_scene *s, const scene_material *m, const char *key)
{
    const cfg_table *table = pio_scene_materials(s);
    const cfg_field *f = pio_table_field(table, key);
    if (!f && s->method.type == SCENE_MPM) {
        table = &pio_plastic_table; /* a part of the same struct */
        f = pio_table_field(table, key);
    }
    return f && f->type == CFG_NUMBER && pio_field_legal(f, pio_table_variant(table, m)) ? f : NULL;
}

/* Returns whether the row is about this key of the material, and sets the path's quantity, key and row then. The
 * numbers of constants of laws count from the row's quantity. */
static bool of_material(const pio_scene *s, const design_row *row, const scene_material *m, const char *key,
                        scene_path *out)
{
    const pio_law_constant *c = row->constant ? row->constant(m, key) : NULL;
    const cfg_field *f = field_of(s, m, key);
    if (f && f->present && !f->present(m) && !row->optional) return false; /* E and nu, or mu and lambda */
    if (f && pio_scene_material_varies(m, f)) return false;                /* its constants are designed */
    if (!f || (row->key ? strcmp(row->key, key) != 0 : !c) || (row->has && !row->has(s, m))) return false;
    out->quantity = c ? (pio_quantity)((int)row->quantity + c->number) : row->quantity;
    out->key = f->key;
    out->row = row;
    return true;
}

/* Returns whether the owner has a value: no list may be empty, and a short one has at most three numbers. */
static bool has_values(const design_row *row, const void *owner)
{
    scene_numbers list;
    if (row->shape != DESIGN_FEW && row->shape != DESIGN_LIST) return true;
    memcpy(&list, (const char *)owner + row->offset, sizeof list);
    return list.n > 0 && (row->shape == DESIGN_LIST || list.n <= 3);
}

/* Sets the quantity of an owner's path by its key. Returns false where there is none. */
static bool find_row(const pio_scene *s, scene_path *p, const char *key)
{
    const void *owner = owner_of(s, p->owner, p->index);
    const scene_material *m = pio_design_path_material(s, p);
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++) {
        if (row->owner == SCENE_OWNER_MATERIAL && m && of_material(s, row, m, key, p)) return true;
        if (row->owner != p->owner || m == owner || strcmp(row->key, key) != 0) continue;
        if ((row->has && !row->has(s, owner)) || !has_values(row, owner)) continue;
        p->quantity = row->quantity;
        p->component = row->component ? (int32_t)row->component(owner) : 0;
        p->key = row->key;
        p->row = row;
        return true;
    }
    return false;
}

/* Returns the number of the component along an axis, 'x' on, of the quantity of a path, or -1: values of a boundary are
 * those of its axes. */
static int32_t part_along(const pio_scene *s, const scene_path *p, char axis)
{
    scene_target t;
    const scene_strings *axes = p->owner == SCENE_OWNER_BOUNDARY ? &s->loading.boundary[p->index].axes : NULL;
    int32_t part = axis - 'x';
    pio_design_path_target(s, p, &t);
    for (size_t a = 0; axes && a < axes->n; a++)
        if (axes->v[a][0] == axis) part = (int32_t)a;
    const bool constrained = !axes || axes->n == 0 || (part < (int32_t)axes->n && axes->v[part][0] == axis);
    return p->row->parts && t.components > 1 && part < t.components && constrained ? part : -1;
}

/* Finds the path of one component, the text of all of them followed by .x, .y or .z. */
static bool find_part(const pio_scene *s, const char *text, scene_path *out)
{
    const size_t n = strlen(text);
    char whole[CFG_PATH];
    if (n < 3 || n >= sizeof whole || text[n - 2] != '.' || text[n - 1] < 'x' || text[n - 1] > 'z') return false;
    snprintf(whole, sizeof whole, "%.*s", (int)n - 2, text);
    if (!pio_design_path_parse(s, whole, out) || out->part >= 0) return false;
    out->part = part_along(s, out, text[n - 1]);
    return out->part >= 0;
}

bool pio_design_path_parse(const pio_scene *s, const char *text, scene_path *out)
{
    const char *key = text;
    scene_path path;
    if (!pio_design_path_owner(s, text, &path, &key)) path = (scene_path){.owner = SCENE_OWNER_ALL, .part = -1};
    const bool known = find_row(s, &path, key) || find_part(s, text, &path);
    *out = known ? path : (scene_path){.part = -1};
    return known;
}

static void from_material(const pio_scene *s, const scene_path *p, scene_target *t)
{
    const scene_material *m = pio_design_path_material(s, p);
    const cfg_field *f = field_of(s, m, p->key);
    *t = (scene_target){.quantity = f->quantity, .components = 1, .range = f->range};
    memcpy(t->value, (const char *)m + f->offset, sizeof(double));
}

static void from_list(const design_row *row, const char *value, scene_target *t)
{
    scene_numbers list;
    memcpy(&list, value, sizeof list);
    t->components = (int)list.n;
    if (row->shape == DESIGN_LIST) {
        t->all = list.v;
        t->item = list.n > 1 ? row->item : NULL;
    }
    for (size_t c = 0; row->shape == DESIGN_FEW && c < list.n; c++) t->value[c] = list.v[c];
}

/* Fills in what the path names, all components of it. */
static void whole_target(const pio_scene *s, const scene_path *p, scene_target *t)
{
    const design_row *row = p->row;
    const char *owner = owner_of(s, p->owner, p->index), *value = owner + row->offset;
    if (row->owner == SCENE_OWNER_MATERIAL) {
        from_material(s, p, t);
        return;
    }
    *t = (scene_target){.quantity = row->unit, .components = 1, .range = row->range};
    if (row->owner == SCENE_OWNER_CONSTANT) t->quantity = s->constants.v[p->index].quantity;
    if (row->owner == SCENE_OWNER_LOAD) t->quantity = pio_load_quantity(&s->loading.loads[p->index]);
    switch (row->shape) {
    case DESIGN_NUMBER:
        memcpy(t->value, value, sizeof(double));
        if (row->quantity == PIO_OBSTACLE_SCALE)
            t->range = pio_scene_scales((const scene_obstacle *)(const void *)owner);
        break;
    case DESIGN_VECTOR:
        t->components = s->method.dimension;
        memcpy(t->value, value, sizeof t->value);
        break;
    case DESIGN_ROTATION:
        t->components = s->method.dimension == 3 ? 3 : 1;
        memcpy(t->value, value + (s->method.dimension == 3 ? 0 : 2 * sizeof(double)),
               sizeof(double) * (size_t)t->components);
        break;
    case DESIGN_FEW:
    case DESIGN_LIST:
        from_list(row, value, t);
        break;
    }
}

void pio_design_path_target(const pio_scene *s, const scene_path *p, scene_target *t)
{
    whole_target(s, p, t);
    if (p->part < 0) return;
    t->components = 1;
    t->value[0] = t->value[p->part];
}

void pio_design_target(const pio_scene *s, const scene_design *d, size_t k, scene_target *t)
{
    pio_design_path_target(s, &d->path[k], t);
    const bool shifts = d->per == SCENE_PER_NODE || d->per == SCENE_PER_LATTICE;
    if (s->method.type != SCENE_FEM || d->path[k].quantity != PIO_POSITION || !shifts) return;
    for (int c = 0; c < 3; c++) t->value[c] = 0;
    if (d->along != SCENE_ALONG_ALL) t->components = 1;
}

void pio_design_path_text(const pio_scene *s, const scene_path *p, char *out, size_t size)
{
    const scene_strings *axes = p->owner == SCENE_OWNER_BOUNDARY ? &s->loading.boundary[p->index].axes : NULL;
    char part[3] = "";
    if (p->part >= 0) snprintf(part, sizeof part, ".%c", axes && axes->n ? axes->v[p->part][0] : "xyz"[p->part]);
    if (p->owner == SCENE_OWNER_ALL)
        snprintf(out, size, "%s%s", p->key, part);
    else if (p->owner == SCENE_OWNER_CONSTANT)
        snprintf(out, size, "constants.%s", name_of(s, p->owner, p->index));
    else
        snprintf(out, size, "%s.%s.%s%s", lists[p->owner].list, name_of(s, p->owner, p->index), p->key, part);
}

bool pio_design_path_missing(const pio_scene *s, const char *text, scene_path *out)
{
    const char *key = text;
    scene_path path;
    if (!pio_design_path_owner(s, text, &path, &key)) path = (scene_path){.owner = SCENE_OWNER_ALL, .part = -1};
    const scene_material *m = pio_design_path_material(s, &path);
    const design_row *row, *best = NULL;
    for (size_t r = 0; (row = pio_design_row(r)); r++) {
        const bool of_its_material = m && row->owner == SCENE_OWNER_MATERIAL;
        if (!row->key || strcmp(row->key, key) != 0 || (row->owner != path.owner && !of_its_material)) continue;
        const void *owner = of_its_material ? m : owner_of(s, path.owner, path.index);
        if (!best || !row->has || row->has(s, owner)) best = row;
    }
    *out = path;
    out->row = best;
    if (best) {
        out->quantity = best->quantity;
        out->key = best->key;
    }
    return best;
}

bool pio_design_path_same(const scene_path *a, const scene_path *b)
{
    return pio_design_path_overlaps(a, b) && a->part == b->part;
}

bool pio_design_path_overlaps(const scene_path *a, const scene_path *b)
{
    return a->owner == b->owner && a->index == b->index && a->quantity == b->quantity && a->component == b->component &&
           (a->part < 0 || b->part < 0 || a->part == b->part);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

typedef struct {
    const pio_scene *scene; /* whose quantities are collected */
    scene_path *out;        /* [most] gets the first paths */
    size_t most, n;         /* room of `out`; number of paths found */
} collection;

/* Returns whether bodies are mixed with the material, whose constants are no designs then (scene_mixture.c). */
static bool is_other(const pio_scene *s, int32_t material)
{
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_body *body = &s->matter.bodies[b];
        if (body->other && pio_scene_material_number(s, body->other) == material) return true;
        if (body->second && pio_scene_material_number(s, body->second) == material) return true;
    }
    return false;
}

/* Adds the path of the owner that the key names, where it has it by this row (NULL: by any). */
static void collect(collection *to, scene_path path, const char *key, const design_row *row)
{
    if (!find_row(to->scene, &path, key) || (row && path.row != row) || pio_scene_has_no(to->scene, key)) return;
    if (path.quantity == PIO_GRAVITY && to->scene->fem.plane == PIO_AXISYMMETRIC) path.part = 1; /* along the axis */
    if (to->n < to->most) to->out[to->n] = path;
    to->n++;
}

static void collect_owner(collection *to, scene_owner owner, int32_t index)
{
    const scene_path path = {.owner = owner, .index = index, .part = -1};
    const design_row *row;
    for (size_t r = 0; (row = pio_design_row(r)); r++)
        if (row->owner == owner && owner != SCENE_OWNER_MATERIAL) collect(to, path, row->key, row);
    if (!pio_design_path_material(to->scene, &path)) return;
    if (owner == SCENE_OWNER_MATERIAL && is_other(to->scene, index)) return;
    for (const cfg_field *f = pio_scene_materials(to->scene)->fields; f->key; f++) collect(to, path, f->key, NULL);
    for (const cfg_field *f = pio_plastic_table.fields; f->key; f++) collect(to, path, f->key, NULL);
}

size_t pio_design_paths(const pio_scene *s, scene_path *out, size_t most)
{
    collection to = {s, out, most, 0};
    for (int owner = 0; owner < SCENE_OWNERS; owner++)
        for (size_t i = 0; i < owners_of(s, (scene_owner)owner); i++)
            collect_owner(&to, (scene_owner)owner, (int32_t)i);
    return to.n;
}

const scene_design *pio_design_of(const pio_scene *s, scene_owner owner, int32_t index, pio_quantity quantity)
{
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t k = 0; k < s->goal.design[d].target.n; k++) {
            const scene_path *p = &s->goal.design[d].path[k];
            if (p->owner == owner && p->index == index && p->quantity == quantity) return &s->goal.design[d];
        }
    return NULL;
}

cfg_quantity pio_design_row_unit(const pio_scene *s, const design_row *row)
{
    const cfg_field *f = row->key ? pio_table_field(pio_scene_materials(s), row->key) : NULL;
    return row->owner == SCENE_OWNER_MATERIAL && f ? f->quantity : row->unit;
}

bool pio_nodal(pio_quantity quantity)
{
    return quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_DISPLACED;
}
