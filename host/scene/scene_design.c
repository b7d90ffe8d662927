/* scene_design.c -- the rules for design variables. */
#include "host/scene/design_path.h"
#include "host/scene/design_table.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/scene_vary.h"

#include <math.h>
#include <string.h>

void pio_scene_complete_design(pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->goal.n_design; i++) {
        scene_design *d = &scene->goal.design[i];
        if (d->targets.n) d->target = d->targets;
        d->path = pio_pool_take(&doc->pool, (d->target.n + 1) * sizeof *d->path);
        doc->no_memory |= !d->path;
        for (size_t k = 0; d->path && k < d->target.n; k++) pio_design_path_parse(scene, d->target.v[k], &d->path[k]);
    }
}

/* ---- faults -------------------------------------------------------------------------------------------- */

/* Finds the first expression of the value that a path names as a whole or, with .x, .y or .z at its end, in part.
 * Returns false where the owner's value is made of numbers, or there is no such key. */
static bool expression_of(const pio_scene *s, const char *text, scene_vary *out)
{
    static const scene_owner owners[] = {
        [SCENE_VARY_LOAD] = SCENE_OWNER_LOAD,        [SCENE_VARY_BOUNDARY] = SCENE_OWNER_BOUNDARY,
        [SCENE_VARY_ANGLE] = SCENE_OWNER_BOUNDARY,   [SCENE_VARY_DISPLACEMENT] = SCENE_OWNER_BODY,
        [SCENE_VARY_VELOCITY] = SCENE_OWNER_BODY,    [SCENE_VARY_THICKNESS] = SCENE_OWNER_BODY,
        [SCENE_VARY_TEMPERATURE] = SCENE_OWNER_BODY, [SCENE_VARY_RELATIVE_DENSITY] = SCENE_OWNER_BODY};
    scene_path path;
    const char *key;
    if (!pio_design_path_owner(s, text, &path, &key)) return false;
    const scene_material *m = pio_design_path_material(s, &path);
    const size_t all = strlen(key);
    const size_t n = all > 2 && key[all - 2] == '.' && strchr("xyz", key[all - 1]) ? all - 2 : all;
    for (size_t i = 0; pio_scene_vary(s, i, out); i++) {
        const char *own = strchr(out->path, '.') + 1;
        const bool owned = out->kind == SCENE_VARY_MATERIAL
                               ? m == &s->materials.v[out->index]
                               : path.owner == owners[out->kind] && path.index == (int32_t)out->index;
        if (owned && strncmp(own, key, n) == 0 && (own[n] == '\0' || own[n] == '[')) return true;
    }
    return false;
}

/* Reports that a path names an expression, and what of it can be designed. Returns false where it names none. */
static bool say_expression(const pio_scene *s, cfg_doc *doc, const char *at, const char *text)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    scene_vary v;
    pio_expression e;
    pio_expression_fault fault;
    if (!expression_of(s, text, &v)) return false;
    if (pio_scene_vary_compile(s, &v, &e, &fault))
        for (size_t k = 0; k < s->constants.n && k < MOST; k++)
            if (e.constants >> k & 1) names[n++] = s->constants.v[k].name;
    const char *is = strchr(v.path, '\0')[-1] == ']' ? "belongs to a value with an expression" : "is an expression";
    if (n > 0)
        pio_cfg_fault(doc, at,
                      "'%s' %s, %s; design one of its constants, constants.NAME (%s), or name another number of it in "
                      "`constants`",
                      pio_cfg_printable(doc, text), is, v.path, pio_cfg_join(doc, names, n));
    else
        pio_cfg_fault(doc, at, "'%s' %s, %s; name a number of it in `constants`, and design constants.NAME",
                      pio_cfg_printable(doc, text), is, v.path);
    return true;
}

/* Reports why a path has no component of what it names; returns false where it names none. */
static bool say_component(const pio_scene *s, cfg_doc *doc, const char *at, const char *text)
{
    const size_t n = strlen(text);
    char whole[CFG_PATH];
    scene_path path;
    scene_target t;
    if (n < 3 || n >= sizeof whole || text[n - 2] != '.' || !strchr("xyz", text[n - 1])) return false;
    snprintf(whole, sizeof whole, "%.*s", (int)n - 2, text);
    if (!pio_design_path_parse(s, whole, &path) || path.part >= 0) return false;
    pio_design_path_target(s, &path, &t);
    const char *shown = pio_cfg_printable(doc, whole);
    if (t.components == 1)
        pio_cfg_fault(doc, at, "'%s' is one number, and has no component %c; remove .%c", shown, text[n - 1],
                      text[n - 1]);
    else if (t.item)
        pio_cfg_fault(doc, at, "'%s' is a list of %d, without axes; name it as a whole", shown, t.components);
    else
        pio_cfg_fault(doc, at, "'%s' has no component %c here; there are %d", shown, text[n - 1], t.components);
    return true;
}

/* Reports which key would give the scene the quantity; returns false where that is not known. */
static bool say_missing(const pio_scene *s, cfg_doc *doc, const char *at, const char *text)
{
    scene_path path;
    if (say_expression(s, doc, at, text) || say_component(s, doc, at, text)) return true;
    if (!pio_design_path_missing(s, text, &path)) return false;
    const scene_material *m = pio_design_path_material(s, &path);
    const cfg_field *f = m ? pio_table_field(pio_scene_materials(s), path.key) : NULL;
    const bool has = !path.row->has || (m && path.row->has(s, m));
    if (path.quantity == PIO_GRAVITY)
        pio_cfg_fault(doc, at, "nothing has a density, so gravity has no effect; add the density of a material");
    else if (path.owner == SCENE_OWNER_CONTROL && path.row->component &&
             s->actuation.control[path.index].type == PIO_NETWORK)
        pio_cfg_fault(doc, at,
                      "the network '%s' has no clock; add an input of type phase, which has a frequency and a phase",
                      s->actuation.control[path.index].name);
    else if (has && f && f->fallback && pio_field_legal(f, pio_table_variant(pio_scene_materials(s), m)))
        pio_cfg_fault(doc, at,
                      "there is no design quantity '%s': the material '%s' has no key '%s'; give it there, above 0",
                      pio_cfg_printable(doc, text), m->name, path.key);
    else
        return false;
    return true;
}

/* Returns the texts of paths [n], whose lengths are added to *bytes; NULL when out of memory. */
static const char **texts_of(const pio_scene *s, cfg_doc *doc, const scene_path *paths, size_t n, size_t *bytes)
{
    const char **texts = pio_pool_take(&doc->pool, (n + 1) * sizeof *texts);
    for (size_t i = 0; texts && i < n; i++) {
        char text[200];
        pio_design_path_text(s, &paths[i], text, sizeof text);
        *bytes += strlen(text);
        texts[i] = pio_pool_text(&doc->pool, text, strlen(text));
        if (!texts[i]) return NULL;
    }
    return texts;
}

/* Reports a path that names nothing, with all paths of the scene, or those of the named owner where all would be too
 * long for a message. */
static void unknown_path(const pio_scene *s, cfg_doc *doc, const char *at, const char *path)
{
    enum { LIST = 380 };
    if (say_missing(s, doc, at, path)) return;
    const size_t n = pio_design_paths(s, NULL, 0);
    scene_path *paths = pio_pool_take(&doc->pool, (n + 1) * sizeof *paths), named;
    size_t bytes = 0, listed = 0;
    const char *key;
    pio_design_paths(s, paths, paths ? n : 0);
    const char **texts = paths ? texts_of(s, doc, paths, n, &bytes) : NULL;
    doc->no_memory |= !texts;
    if (!texts) return;
    const char *near = pio_cfg_did_you_mean(doc, path, texts, n);
    const bool own = bytes + 2 * n > LIST && pio_design_path_owner(s, path, &named, &key);
    for (size_t i = 0; i < n; i++)
        if (!own || (paths[i].owner == named.owner && paths[i].index == named.index)) texts[listed++] = texts[i];
    pio_cfg_fault(doc, at, "there is no design quantity '%s'%s%s%s", pio_cfg_printable(doc, path), near,
                  *near ? "" : "; there are: ", *near ? "" : pio_cfg_join(doc, texts, listed));
}

/* ---- rules --------------------------------------------------------------------------------------------- */

typedef struct place {
    cfg_doc *doc;        /* document that gets the faults */
    char path[CFG_PATH]; /* path of the entry, design[i] */
} place;

static void fault(const place *p, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fault(const place *p, const char *key, const char *format, ...)
{
    char path[CFG_PATH], text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(path, sizeof path, "%.400s.%s", p->path, key);
    pio_cfg_fault(p->doc, path, "%s", text);
}

/* A target of the entry. */
typedef struct {
    scene_target is;  /* what it names */
    const char *path; /* text of its path */
    size_t number;    /* index among the targets of the entry */
} numbered;

/* Checks a value that the variable may take: inside the range of the quantity and, for log, above 0. */
static bool legal(const place *p, const char *key, const scene_design *d, const numbered *t, double value)
{
    char range[80];
    const char *unit = pio_quantity_unit(t->is.quantity);
    if (!pio_range_holds(&t->is.range, value)) {
        fault(p, key, "%g%s%s is out of the range of %s: it must be %s", value, *unit ? " " : "", unit, t->path,
              pio_range_text(&t->is.range, range, sizeof range));
        return false;
    }
    if (d->transform == SCENE_LOG && !(value > 0)) {
        fault(p, key, "%g%s%s has no logarithm; 'transform: log' needs values above 0", value, *unit ? " " : "", unit);
        return false;
    }
    return true;
}

/* Checks the start of this target; the count of `initial` is legal. */
static bool check_start(const place *p, const scene_design *d, const numbered *t)
{
    const size_t one = (size_t)t->is.components, first = d->initial.n > one ? t->number * one : 0;
    const char *unit = pio_quantity_unit(t->is.quantity);
    for (size_t c = 0; c < one; c++) {
        const double value = d->initial.n ? d->initial.v[first + c] : pio_target_value(&t->is, c);
        char at[40];
        if (d->initial.n)
            snprintf(at, sizeof at, "initial[%zu]", first + c);
        else
            snprintf(at, sizeof at, "%s[%zu]", pio_design_targets_key(d), t->number);
        if (!legal(p, at, d, t, value)) return false;
        if (value >= d->bounds[0] && value <= d->bounds[1]) continue;
        fault(p, at, "the %s %g%s%s is outside the bounds [%g, %g]",
              d->initial.n ? "initial value" : "scene's own value", value, *unit ? " " : "", unit, d->bounds[0],
              d->bounds[1]);
        return false;
    }
    return true;
}

/* Checks start and bounds of all targets, which are of one kind; the first fault ends it. */
static void check_values(const pio_scene *s, const place *p, const scene_design *d, const scene_target *first)
{
    const size_t one = (size_t)first->components, many = d->targets.n ? one : one * d->target.n;
    if (d->initial.n && d->initial.n != one && d->initial.n != many) {
        fault(p, "initial", many > one ? "%zu numbers; %zu or %zu are needed" : "%zu numbers, but the target has %zu",
              d->initial.n, one, many);
        return;
    }
    for (size_t k = 0; k < d->target.n; k++) {
        numbered t = {.path = d->target.v[k], .number = k};
        if (!d->path[k].key) return;
        pio_design_target(s, d, k, &t.is);
        for (int side = 0; side < 2 && isfinite(d->bounds[0]); side++)
            if (!legal(p, side ? "bounds[1]" : "bounds[0]", d, &t, d->bounds[side])) return;
        if (!check_start(p, d, &t)) return;
    }
}

static void check_twice(const pio_scene *s, cfg_doc *doc, size_t i, size_t k)
{
    const char *path = s->goal.design[i].target.v[k];
    for (size_t j = 0; j <= i; j++) {
        for (size_t l = 0; l < (j == i ? k : s->goal.design[j].target.n); l++) {
            if (!pio_design_path_overlaps(&s->goal.design[j].path[l], &s->goal.design[i].path[k])) continue;
            char at[80];
            snprintf(at, sizeof at, "design[%zu].%s[%zu]", i, pio_design_targets_key(&s->goal.design[i]), k);
            pio_cfg_fault(doc, at, "'%s' is already changed by the design variable '%s'; name it once", path,
                          s->goal.design[j].name);
            return;
        }
    }
}

/* A quantity of the whole scene cannot vary in it. */
static void check_per(const pio_scene *s, const place *p, const scene_design *d, size_t k)
{
    const char *path = d->target.v[k];
    const scene_owner owner = d->path[k].owner;
    const bool nodal = pio_nodal(d->path[k].quantity), fem = s->method.type == SCENE_FEM;
    if (d->per != SCENE_PER_TARGET && owner == SCENE_OWNER_ALL)
        fault(p, "per", "%s is the same everywhere; use 'per: target'", path);
    else if (d->per != SCENE_PER_TARGET && owner == SCENE_OWNER_CONTROL)
        fault(p, "per", "%s belongs to no body; use 'per: target'", path);
    else if (d->per != SCENE_PER_TARGET && owner != SCENE_OWNER_MATERIAL && owner != SCENE_OWNER_BODY)
        fault(p, "per", "%s is one value; use 'per: target'", path);
    else if (fem && nodal && d->per == SCENE_PER_PARTICLE)
        fault(p, "per", "%s belongs to nodes; use 'per: node'", path);
    else if (fem && !nodal && d->per == SCENE_PER_NODE)
        fault(p, "per", "%s belongs to elements; use 'per: element'", path);
}

/* Checks the filter of a field of particles. */
static void check_filter(const place *p, const scene_design *d, size_t k)
{
    const pio_quantity quantity = d->path[k].quantity;
    if (!(d->filter_radius > 0)) return;
    if (d->per != SCENE_PER_PARTICLE)
        fault(p, "filter", "a filter needs a field of particles; add 'per: particle'");
    else if (quantity == PIO_POSITION || quantity == PIO_VELOCITY)
        fault(p, "filter", "%s is a vector; a filter is of fields of numbers, remove it", d->target.v[k]);
}

/* Checks the keys that only fields of elements or nodes have. */
static void check_shape(const pio_scene *s, const place *p, const scene_design *d, size_t k)
{
    const bool part = d->on.group || !isnan(d->on.min[0]), all = d->along == SCENE_ALONG_ALL,
               shape = d->path[k].quantity == PIO_POSITION && d->per == SCENE_PER_NODE,
               moves = shape || d->per == SCENE_PER_LATTICE;
    if (s->method.type != SCENE_FEM) {
        check_filter(p, d, k);
        return;
    }
    if (d->filter_radius > 0 && d->filter == SCENE_HELMHOLTZ && d->per != SCENE_PER_PARTICLE)
        fault(p, "filter.type", "helmholtz is a filter of elements; use cone, or 'per: element'");
    else if (d->filter_radius > 0 && d->per != SCENE_PER_PARTICLE && !(shape && part))
        fault(p, "filter",
              "a filter needs a field of elements ('per: element'), or rest positions 'per: node' with `on`");
    if (part && !shape)
        fault(p, "on", "only rest positions with 'per: node' can be restricted to a part of the surface; remove it");
    if (!all && !moves)
        fault(p, "along", "only rest positions with 'per: node' or 'per: lattice' have a direction; remove it");
    if (moves && d->path[k].part >= 0) {
        char at[40];
        snprintf(at, sizeof at, "%s[%zu]", pio_design_targets_key(d), k);
        fault(p, at, "shifts of nodes have a direction, not components; use the path without .%c, and 'along: %c'",
              "xyz"[d->path[k].part], "xyz"[d->path[k].part]);
    }
    if (d->along == SCENE_ALONG_NORMAL && !part && d->per != SCENE_PER_LATTICE)
        fault(p, "along", "a normal direction needs a part of the surface; add `on`");
    if (d->along == SCENE_ALONG_Z && s->method.dimension == 2)
        fault(p, "along", "a 2D scene has no z; use x, y or normal");
    if (d->mesh_update == SCENE_MESH_ELASTIC && !part)
        fault(p, "mesh_update", "no node is left to follow when all nodes are design variables; add `on`");
}

/* Checks the values that parts of a field keep. */
static void check_fixed(const pio_scene *s, cfg_doc *doc, const place *p, const scene_design *d)
{
    for (size_t i = 0; i < d->map.n_fixed; i++) {
        const double value = d->map.fixed[i].value;
        char key[40], path[CFG_PATH + 40];
        numbered t = {.path = d->target.v[0]};
        snprintf(key, sizeof key, "fixed[%zu].value", i);
        snprintf(path, sizeof path, "%s.%s", p->path, key);
        pio_design_target(s, d, 0, &t.is);
        if (!pio_scene_unit(doc, path, t.is.quantity) || !legal(p, key, d, &t, value)) continue;
        if (value < d->bounds[0] || value > d->bounds[1])
            fault(p, key, "%g is outside the bounds [%g, %g]", value, d->bounds[0], d->bounds[1]);
    }
}

/* Checks what only fields of elements have: parts that are fixed, planes of symmetry, extrusion. */
static void check_map(const pio_scene *s, cfg_doc *doc, const place *p, const scene_design *d)
{
    const bool mirrored = isfinite(d->map.symmetry[0]) || isfinite(d->map.symmetry[1]) || isfinite(d->map.symmetry[2]);
    const char *key = d->map.n_fixed ? "fixed" : mirrored ? "symmetry" : "extrusion";
    if (s->method.type != SCENE_FEM || !(d->map.n_fixed || mirrored || d->map.extrusion)) return;
    if (d->per != SCENE_PER_PARTICLE) {
        fault(p, key, "only a field of elements has it; add 'per: element', or remove it");
        return;
    }
    if (isfinite(d->map.symmetry[2]) && s->method.dimension == 2)
        fault(p, "symmetry.z", "a 2D scene has no z; use x or y");
    if (d->map.extrusion == SCENE_EXTRUDED_Z && s->method.dimension == 2)
        fault(p, "extrusion", "a 2D scene has no z; use x or y");
    check_fixed(s, doc, p, d);
}

/* Returns the number of the first term of the objective that is of this design itself, or -1. */
static int own_term_of(const pio_scene *s, const scene_design *d)
{
    for (size_t i = 0; i < s->goal.n_objective; i++)
        if (pio_term_of_design(s, &s->goal.objective[i]) && !strcmp(s->goal.objective[i].of, d->name)) return (int)i;
    return -1;
}

/* Checks the projection of a field, and how its sharpness grows. */
static void check_projection(const pio_scene *s, const place *p, const scene_design *d)
{
    const bool grows = d->double_every > 0, ends = d->sharpest > 0;
    const int own = own_term_of(s, d);
    if (!(d->sharpness > 0)) return;
    if (!(d->filter_radius > 0)) fault(p, "projection", "only a field with a filter is projected; add `filter`");
    if (!isfinite(d->bounds[0]))
        fault(p, "projection", "values are projected on their bounds, and there are none; add `bounds`, as [0, 1]");
    if (grows && !ends) fault(p, "projection.double_every", "the sharpness would grow for ever; add `end`, as 32");
    if (ends && !grows)
        fault(p, "projection.end", "nothing says when the sharpness grows to it; add `double_every`, as 50");
    if (grows && ends && !(d->sharpest > d->sharpness))
        fault(p, "projection.end", "%g is no sharper than beta, %g, from which it grows", d->sharpest, d->sharpness);
    for (const scene_design *e = s->goal.design; e < d; e++)
        if (grows && e->double_every > 0 && e->double_every != d->double_every)
            fault(p, "projection.double_every", "'%s' doubles every %d evaluations, and all do it together; use that",
                  e->name, e->double_every);
    if (own >= 0)
        fault(p, "projection", "objective[%d] is a term of '%s' before its projection, which makes steps; remove one",
              own, d->name);
}

static void check_design(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_design *d = &s->goal.design[i];
    scene_target first = {0};
    place p = {doc, ""};
    snprintf(p.path, sizeof p.path, "design[%zu]", i);
    for (size_t k = 0; k < d->target.n; k++) {
        char at[80];
        scene_target t;
        snprintf(at, sizeof at, "design[%zu].%s[%zu]", i, pio_design_targets_key(d), k);
        if (!d->path[k].key) {
            unknown_path(s, doc, at, d->target.v[k]);
            return;
        }
        pio_design_target(s, d, k, &t);
        check_twice(s, doc, i, k);
        if (k == 0) first = t;
        if (t.quantity != first.quantity || t.components != first.components) {
            pio_cfg_fault(doc, at, "'%s' is a %s and '%s' is a %s; one design variable needs targets of one kind",
                          d->target.v[k], pio_quantity_name(t.quantity), d->target.v[0],
                          pio_quantity_name(first.quantity));
            return;
        }
        check_per(s, &p, d, k);
        check_shape(s, &p, d, k);
    }
    check_projection(s, &p, d);
    check_map(s, doc, &p, d);
    char initial[CFG_PATH + 16], bounds[CFG_PATH + 16];
    snprintf(initial, sizeof initial, "%s.initial", p.path);
    snprintf(bounds, sizeof bounds, "%s.bounds", p.path);
    bool units = pio_scene_unit(doc, initial, first.quantity);
    if (pio_scene_unit(doc, bounds, first.quantity) && units) check_values(s, &p, d, &first);
}

void pio_scene_validate_design(const pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->goal.n_design; i++) check_design(scene, doc, i);
    pio_scene_validate_lattices(scene, doc);
    if (scene->method.type == SCENE_FEM) pio_scene_validate_mixtures(scene, doc);
}
