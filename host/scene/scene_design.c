/* scene_design.c -- the paths that a design may change, and the rules for design variables. */
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <string.h>

static bool moves(const pio_scene *s)
{
    return s->method == SCENE_MPM || s->integrator != PIO_STATIC;
}

/* Is there damping that a design may change? */
static bool damps(const pio_scene *s)
{
    return moves(s) && s->integrator != PIO_REVERSIBLE_LEAPFROG;
}

/* One key of a material that is a constant of its model, as the file gave it (E, nu or mu, lambda). */
static const cfg_field *constant(const pio_scene *s, const scene_material *m, const char *key)
{
    const cfg_table *table = pio_scene_materials(s);
    const cfg_field *f = pio_table_field(table, key);
    if (!f && s->method == SCENE_MPM) {
        table = &pio_plastic_table; /* a part of the same struct */
        f = pio_table_field(table, key);
    }
    if (!f || f->type != CFG_NUMBER || !pio_field_legal(f, pio_table_variant(table, m))) return NULL;
    if (!strcmp(key, "mass_damping") || !strcmp(key, "stiffness_damping")) return damps(s) ? f : NULL;
    return !f->present || f->present(m) ? f : NULL;
}

const cfg_table *pio_scene_materials(const pio_scene *s)
{
    return s->method == SCENE_FEM ? &pio_fem_material_table : &pio_material_table;
}

static bool vector(scene_target *t, cfg_quantity quantity, const pio_scene *s, const double value[3])
{
    *t = (scene_target){.quantity = quantity, .components = s->dimension};
    memcpy(t->value, value, sizeof t->value);
    return true;
}

static bool scalar(scene_target *t, cfg_quantity quantity, double value, cfg_range range)
{
    *t = (scene_target){.quantity = quantity, .components = 1, .value = {value}, .range = range};
    return true;
}

static bool numbers(scene_target *t, cfg_quantity quantity, const scene_numbers *value, cfg_range range)
{
    *t = (scene_target){.quantity = quantity, .components = (int)value->n, .range = range};
    for (size_t c = 0; c < value->n && c < 3; c++) t->value[c] = value->v[c];
    return value->n > 0 && value->n <= 3;
}

/* loads.NAME.value, boundary.NAME.value */
static bool value_target(const pio_scene *s, const char *list, const char *name, scene_target *t)
{
    for (size_t i = 0; !strcmp(list, "loads") && i < s->n_loads; i++) {
        const scene_load *l = &s->loads[i];
        const cfg_range range = pio_load_is_springs(l) ? (cfg_range){CFG_FROM, 0, 0} : (cfg_range){0};
        if (!strcmp(l->name, name)) return numbers(t, pio_load_quantity(l), &l->value, range);
    }
    for (size_t i = 0; !strcmp(list, "boundary") && i < s->n_boundary; i++)
        if (!strcmp(s->boundary[i].name, name) && s->boundary[i].type == SCENE_PRESCRIBED)
            return numbers(t, CFG_LENGTH, &s->boundary[i].value, (cfg_range){0});
    return false;
}

/* A number of the whole scene, by its path; 0 where it has none. */
static bool scene_number(const pio_scene *s, const char *path, scene_target *t)
{
    const bool apic = s->method == SCENE_MPM && s->mpm_integrator == SCENE_APIC;
    if (apic && !strcmp(path, "method.flip"))
        return scalar(t, CFG_ONE, s->flip, (cfg_range){CFG_FROM | CFG_UP_TO, 0, 1});
    if (apic && s->n_fields > 0 && !strcmp(path, "contact.friction"))
        return scalar(t, CFG_ONE, s->friction, (cfg_range){CFG_FROM, 0, 0});
    if (apic && s->n_fields > 0 && !strcmp(path, "contact.onset"))
        return scalar(t, CFG_VELOCITY, s->onset, (cfg_range){CFG_FROM, PIO_LEAST_ONSET, 0});
    return false;
}

const char *pio_scene_number(int i)
{
    static const char *const paths[] = {"method.flip", "contact.friction", "contact.onset"};
    return i < (int)(sizeof paths / sizeof *paths) ? paths[i] : NULL;
}

/* Is it one for the whole scene? */
static bool of_all(const char *path)
{
    const char *number;
    for (int i = 0; (number = pio_scene_number(i)); i++)
        if (!strcmp(number, path)) return true;
    return !strcmp(path, "gravity");
}

/* What a body has besides the constants of its material. */
static bool body_target(const pio_scene *s, const scene_body *b, const char *key, scene_target *t)
{
    const bool fem = s->method == SCENE_FEM;
    if (!strcmp(key, fem ? "rest_position" : "position")) return vector(t, CFG_LENGTH, s, b->position);
    if (fem && moves(s) && !strcmp(key, "displacement")) return vector(t, CFG_LENGTH, s, b->displacement);
    if (moves(s) && !strcmp(key, "velocity")) return vector(t, CFG_VELOCITY, s, b->velocity);
    if (fem && s->dimension == 2 && !strcmp(key, "thickness"))
        return scalar(t, CFG_LENGTH, b->thickness, (cfg_range){CFG_OVER, 0, 0});
    return false;
}

bool pio_scene_target(const pio_scene *s, const char *path, scene_target *t)
{
    char part[3][80];
    size_t n = 0;
    const char *at = path;
    for (; n < 3 && *at; n++) {
        size_t length = strcspn(at, ".");
        if (length == 0 || length >= sizeof part[0]) return false;
        snprintf(part[n], sizeof part[0], "%.*s", (int)length, at);
        at += length;
        if (*at == '.' && !*++at) return false;
    }
    if (*at) return false;
    if (n == 1 && strcmp(part[0], "gravity") == 0)
        return pio_scene_is_heavy(s) && vector(t, CFG_ACCELERATION, s, s->gravity);
    if (n == 2) return scene_number(s, path, t);
    if (n != 3) return false;
    if (strcmp(part[0], "control") == 0) return pio_scene_control_target(s, part[1], part[2], t);
    const scene_body *b = strcmp(part[0], "bodies") == 0 ? pio_scene_body(s, part[1]) : NULL;
    const scene_material *m = strcmp(part[0], "materials") == 0 ? pio_scene_material(s, part[1])
                              : b                               ? pio_scene_material(s, b->material)
                                                                : NULL;
    if (b && body_target(s, b, part[2], t)) return true;
    if (!strcmp(part[2], "value")) return value_target(s, part[0], part[1], t);
    if (!strcmp(part[0], "obstacles")) return pio_scene_obstacle_target(s, part[1], part[2], t);
    const cfg_field *f = m ? constant(s, m, part[2]) : NULL;
    if (!f) return false;
    *t = (scene_target){.quantity = f->quantity, .components = 1, .range = f->range};
    memcpy(t->value, (const char *)m + f->offset, sizeof(double));
    return true;
}

bool pio_scene_design_target(const pio_scene *s, const scene_design *d, const char *path, scene_target *t)
{
    const char *dot = strrchr(path, '.');
    if (!pio_scene_target(s, path, t)) return false;
    if (d->per != SCENE_PER_NODE || !dot || strcmp(dot, ".rest_position")) return true;
    for (int c = 0; c < 3; c++) t->value[c] = 0; /* a shift */
    if (d->along != SCENE_ALONG_ALL) t->components = 1;
    return true;
}

/* ---- faults -------------------------------------------------------------------------------------------- */

#define MOST_PATHS 400

static void add_path(cfg_doc *doc, const char **paths, size_t *n, const char *list, const char *name, const char *key)
{
    char text[200];
    snprintf(text, sizeof text, "%s.%.64s.%s", list, name, key);
    if (*n < MOST_PATHS) paths[*n] = pio_pool_text(&doc->pool, text, strlen(text));
    if (*n < MOST_PATHS && paths[*n]) ++*n;
}

static void add_constants(const pio_scene *s, cfg_doc *doc, const char **paths, size_t *n, const char *list,
                          const char *name, const scene_material *m)
{
    for (const cfg_field *f = pio_scene_materials(s)->fields; m && f->key; f++)
        if (constant(s, m, f->key)) add_path(doc, paths, n, list, name, f->key);
    for (const cfg_field *f = pio_plastic_table.fields; m && f->key; f++)
        if (constant(s, m, f->key)) add_path(doc, paths, n, list, name, f->key);
}

/* The constant that materials.NAME.KEY or bodies.NAME.KEY names and that the material could have, but was not given;
 * its material. */
static const scene_material *without_key(const pio_scene *s, const char *path, const char **key)
{
    const char *dot = strchr(path, '.'), *last = strrchr(path, '.');
    char name[80];
    if (!dot || dot == last) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(last - dot - 1), dot + 1);
    const scene_body *body = strncmp(path, "bodies.", 7) ? NULL : pio_scene_body(s, name);
    const scene_material *m = !strncmp(path, "materials.", 10) ? pio_scene_material(s, name)
                              : body                           ? pio_scene_material(s, body->material)
                                                               : NULL;
    const cfg_table *table = pio_scene_materials(s);
    const cfg_field *f = pio_table_field(table, *key = last + 1);
    if (!m || !f || f->type != CFG_NUMBER || !f->fallback || !pio_field_legal(f, pio_table_variant(table, m)))
        return NULL;
    const bool of_motion = !strcmp(*key, "mass_damping") || !strcmp(*key, "stiffness_damping");
    return (f->present && f->present(m)) || (of_motion && !damps(s)) ? NULL : m;
}

static void unknown_path(const pio_scene *s, cfg_doc *doc, const char *at, const char *path)
{
    const char *paths[MOST_PATHS] = {"gravity"};
    size_t n = pio_scene_is_heavy(s);
    if (!n && !strcmp(path, "gravity")) {
        pio_cfg_fault(doc, at, "nothing has a density, so gravity has no effect; add the density of a material");
        return;
    }
    const char *key;
    const scene_material *bare = without_key(s, path, &key);
    if (bare) {
        pio_cfg_fault(doc, at, "nothing to design at '%s': the material '%s' has no key '%s'; give it there, above 0",
                      pio_cfg_printable(doc, path), bare->name, key);
        return;
    }
    const char *network = pio_scene_without_clock(s, path);
    if (network) {
        pio_cfg_fault(doc, at, "the network '%s' has no clock; add an input of type phase, which has these", network);
        return;
    }
    const char *number;
    scene_target known;
    for (int i = 0; (number = pio_scene_number(i)); i++)
        if (scene_number(s, number, &known)) paths[n++] = number;
    for (size_t i = 0; i < s->n_materials; i++)
        add_constants(s, doc, paths, &n, "materials", s->materials[i].name, &s->materials[i]);
    for (size_t i = 0; i < s->n_bodies; i++) {
        static const char *const keys[] = {"position", "velocity", "displacement", "rest_position", "thickness"};
        scene_target unused;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (body_target(s, &s->bodies[i], keys[k], &unused))
                add_path(doc, paths, &n, "bodies", s->bodies[i].name, keys[k]);
        add_constants(s, doc, paths, &n, "bodies", s->bodies[i].name, pio_scene_material(s, s->bodies[i].material));
    }
    for (size_t i = 0; i < s->n_control; i++)
        for (size_t k = 0; pio_scene_control_key(k); k++) {
            scene_target unused;
            if (pio_scene_control_target(s, s->control[i].name, pio_scene_control_key(k), &unused))
                add_path(doc, paths, &n, "control", s->control[i].name, pio_scene_control_key(k));
        }
    for (size_t i = 0; i < s->n_loads; i++) add_path(doc, paths, &n, "loads", s->loads[i].name, "value");
    for (size_t i = 0; i < s->n_boundary; i++)
        if (s->boundary[i].type == SCENE_PRESCRIBED) add_path(doc, paths, &n, "boundary", s->boundary[i].name, "value");
    for (size_t i = 0; i < s->n_obstacles; i++) {
        static const char *const keys[] = {"position", "rotation", "friction"};
        scene_target unused;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (pio_scene_obstacle_target(s, s->obstacles[i].name, keys[k], &unused))
                add_path(doc, paths, &n, "obstacles", s->obstacles[i].name, keys[k]);
    }
    const char *near = pio_cfg_did_you_mean(doc, path, paths, n);
    pio_cfg_fault(doc, at, "nothing to design at '%s'%s%s%s", pio_cfg_printable(doc, path), near,
                  *near ? "" : "; there are: ", *near ? "" : pio_cfg_join(doc, paths, n));
}

/* ---- rules --------------------------------------------------------------------------------------------- */

typedef struct place {
    cfg_doc *doc;
    char path[CFG_PATH]; /* design[i] */
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

/* A target of the entry, by its number. */
typedef struct {
    scene_target is;
    const char *path;
    size_t number;
} numbered;

/* One value that the variable may take: inside the constant's range and, for log, above 0. */
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

/* What this target starts with; `initial` is legal in number. */
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
            snprintf(at, sizeof at, "target[%zu]", t->number);
        if (!legal(p, at, d, t, value)) return false;
        if (value >= d->bounds[0] && value <= d->bounds[1]) continue;
        fault(p, at, "the %s %g%s%s is outside the bounds [%g, %g]",
              d->initial.n ? "initial value" : "scene's own value", value, *unit ? " " : "", unit, d->bounds[0],
              d->bounds[1]);
        return false;
    }
    return true;
}

/* All targets are known and of one kind; the first fault ends it. */
static void check_values(const pio_scene *s, const place *p, const scene_design *d, const scene_target *first)
{
    const size_t one = (size_t)first->components, many = one * d->target.n;
    if (d->initial.n && d->initial.n != one && d->initial.n != many) {
        fault(p, "initial", many > one ? "%zu numbers; %zu or %zu are needed" : "%zu numbers, but the target has %zu",
              d->initial.n, one, many);
        return;
    }
    for (size_t k = 0; k < d->target.n; k++) {
        numbered t = {.path = d->target.v[k], .number = k};
        if (!pio_scene_design_target(s, d, t.path, &t.is)) return;
        for (int side = 0; side < 2 && isfinite(d->bounds[0]); side++)
            if (!legal(p, side ? "bounds[1]" : "bounds[0]", d, &t, d->bounds[side])) return;
        if (!check_start(p, d, &t)) return;
    }
}

static void check_twice(const pio_scene *s, cfg_doc *doc, size_t i, size_t k)
{
    const char *path = s->design[i].target.v[k];
    for (size_t j = 0; j <= i; j++) {
        for (size_t l = 0; l < (j == i ? k : s->design[j].target.n); l++) {
            if (strcmp(s->design[j].target.v[l], path) != 0) continue;
            char at[80];
            snprintf(at, sizeof at, "design[%zu].target[%zu]", i, k);
            pio_cfg_fault(doc, at, "'%s' is already changed by the design variable '%s'; name it once", path,
                          s->design[j].name);
            return;
        }
    }
}

/* What is one for the whole scene cannot vary in it. */
static void check_per(const pio_scene *s, const place *p, const scene_design *d, const char *path)
{
    const char *dot = strrchr(path, '.');
    const bool nodal =
        dot && (!strcmp(dot, ".rest_position") || !strcmp(dot, ".velocity") || !strcmp(dot, ".displacement"));
    if (d->per != SCENE_PER_TARGET && of_all(path))
        fault(p, "per", "%s is the same everywhere; use 'per: target'", path);
    else if (d->per != SCENE_PER_TARGET && !strncmp(path, "control.", 8))
        fault(p, "per", "%s belongs to no body; use 'per: target'", path);
    else if (d->per != SCENE_PER_TARGET && ((dot && !strcmp(dot, ".value")) || !strncmp(path, "obstacles.", 10)))
        fault(p, "per", "%s is one value; use 'per: target'", path);
    else if (s->method == SCENE_FEM && nodal && d->per == SCENE_PER_PARTICLE)
        fault(p, "per", "%s belongs to nodes; use 'per: node'", path);
    else if (s->method == SCENE_FEM && !nodal && d->per == SCENE_PER_NODE)
        fault(p, "per", "%s belongs to elements; use 'per: element'", path);
}

/* Keys of fields. */
static void check_shape(const pio_scene *s, const place *p, const scene_design *d, const char *path)
{
    const char *dot = strrchr(path, '.');
    const bool part = d->on.group || !isnan(d->on.min[0]), all = d->along == SCENE_ALONG_ALL,
               shape = dot && !strcmp(dot, ".rest_position") && d->per == SCENE_PER_NODE;
    if (s->method != SCENE_FEM) return;
    if (d->filter_radius > 0 && d->per != SCENE_PER_PARTICLE && !(shape && part))
        fault(p, "filter", "it needs a field of elements ('per: element'), or rest positions 'per: node' with `on`");
    if (part && !shape) fault(p, "on", "only rest positions with 'per: node' are of some nodes; remove it");
    if (!all && !shape) fault(p, "along", "only rest positions with 'per: node' have directions; remove it");
    if (d->along == SCENE_ALONG_NORMAL && !part)
        fault(p, "along", "normals are those of a part of the surface; add `on`");
    if (d->along == SCENE_ALONG_Z && s->dimension == 2) fault(p, "along", "a 2D scene has no z; use x, y or normal");
    if (d->mesh_update == SCENE_MESH_ELASTIC && !part)
        fault(p, "mesh_update", "nothing could follow where all nodes are designed; add `on`");
}

static void check_design(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_design *d = &s->design[i];
    scene_target first = {0};
    place p = {doc, ""};
    snprintf(p.path, sizeof p.path, "design[%zu]", i);
    for (size_t k = 0; k < d->target.n; k++) {
        char at[80];
        scene_target t;
        snprintf(at, sizeof at, "design[%zu].target[%zu]", i, k);
        if (!pio_scene_design_target(s, d, d->target.v[k], &t)) {
            unknown_path(s, doc, at, d->target.v[k]);
            return;
        }
        check_twice(s, doc, i, k);
        if (k == 0) first = t;
        if (t.quantity != first.quantity || t.components != first.components) {
            pio_cfg_fault(doc, at, "'%s' is a %s and '%s' is a %s; one design variable needs targets of one kind",
                          d->target.v[k], pio_quantity_name(t.quantity), d->target.v[0],
                          pio_quantity_name(first.quantity));
            return;
        }
        check_per(s, &p, d, d->target.v[k]);
        check_shape(s, &p, d, d->target.v[k]);
    }
    char initial[CFG_PATH + 16], bounds[CFG_PATH + 16];
    snprintf(initial, sizeof initial, "%s.initial", p.path);
    snprintf(bounds, sizeof bounds, "%s.bounds", p.path);
    bool units = pio_scene_unit(doc, initial, first.quantity);
    if (pio_scene_unit(doc, bounds, first.quantity) && units) check_values(s, &p, d, &first);
}

void pio_scene_validate_design(const pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->n_design; i++) check_design(scene, doc, i);
}
