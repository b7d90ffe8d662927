/* scene_vary.c -- see scene_vary.h, and the rules of expressions and of constants. */
#include "host/scene/scene_vary.h"

#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <stdio.h>
#include <string.h>

/* ---- which there are ------------------------------------------------------------------------------------------- */

/* Where the texts of one kind are: key; texts of entry i and how many numbers its value has. */
typedef struct {
    const char *list, *key;
    char *const *texts; /* [n], or NULL: none */
    size_t n;
    bool one; /* the value is one number, not a list */
} texts_of_entry;

static size_t entries_of(const pio_scene *s, scene_vary_kind kind)
{
    if (s->method.type != SCENE_FEM) return 0;
    if (kind == SCENE_VARY_LOAD) return s->loading.n_loads;
    return kind == SCENE_VARY_BOUNDARY || kind == SCENE_VARY_ANGLE ? s->loading.n_boundary : s->matter.n_bodies;
}

static texts_of_entry texts_of(const pio_scene *s, scene_vary_kind kind, size_t i)
{
    const scene_load *l = kind == SCENE_VARY_LOAD ? &s->loading.loads[i] : NULL;
    const scene_boundary *b = kind == SCENE_VARY_BOUNDARY ? &s->loading.boundary[i] : NULL;
    if (kind == SCENE_VARY_ANGLE)
        return (texts_of_entry){"boundary", "angle", &s->loading.boundary[i].angle_text, 1, true};
    if (l) return (texts_of_entry){"loads", "value", l->value_text, l->value.n, false};
    if (b) return (texts_of_entry){"boundary", "value", b->value_text, b->value.n, false};
    const scene_body *body = &s->matter.bodies[i];
    const size_t dim = (size_t)s->method.dimension;
    if (kind == SCENE_VARY_DISPLACEMENT)
        return (texts_of_entry){"bodies", "displacement", body->displacement_text, dim, false};
    if (kind == SCENE_VARY_VELOCITY) return (texts_of_entry){"bodies", "velocity", body->velocity_text, dim, false};
    if (kind == SCENE_VARY_TEMPERATURE)
        return (texts_of_entry){"bodies", "temperature", &body->temperature_text, 1, true};
    if (kind == SCENE_VARY_RELATIVE_DENSITY)
        return (texts_of_entry){"bodies", "relative_density", &body->relative_density_text, 1, true};
    return (texts_of_entry){"bodies", "thickness", &body->thickness_text, 1, true};
}

bool pio_scene_material_varies(const scene_material *m, const cfg_field *f)
{
    char *text = NULL;
    if (f->texts) memcpy(&text, (const char *)m + f->texts, sizeof text);
    return text != NULL;
}

bool pio_scene_material_has_text(const scene_material *m)
{
    static const scene_material_texts none = {0};
    return memcmp(&m->texts, &none, sizeof none) != 0;
}

/* Finds expression number i of all materials. */
static bool of_materials(const pio_scene *s, size_t i, scene_vary *out)
{
    for (size_t k = 0; s->method.type == SCENE_FEM && k < s->materials.n; k++)
        for (const cfg_field *f = pio_scene_materials(s)->fields; f->key; f++) {
            if (!pio_scene_material_varies(&s->materials.v[k], f) || i-- > 0) continue;
            *out = (scene_vary){.kind = SCENE_VARY_MATERIAL, .index = k, .field = f};
            out->component = (size_t)(f - pio_scene_materials(s)->fields);
            memcpy(&out->text, (const char *)&s->materials.v[k] + f->texts, sizeof out->text);
            snprintf(out->path, sizeof out->path, "materials[%zu].%s", k, f->key);
            return true;
        }
    return false;
}

bool pio_scene_vary(const pio_scene *s, size_t i, scene_vary *out)
{
    for (int kind = SCENE_VARY_LOAD; kind < SCENE_VARY_MATERIAL; kind++)
        for (size_t e = 0; e < entries_of(s, (scene_vary_kind)kind); e++) {
            const texts_of_entry t = texts_of(s, (scene_vary_kind)kind, e);
            for (size_t c = 0; t.texts && c < t.n; c++) {
                if (!t.texts[c]) continue;
                if (i > 0) {
                    i--;
                    continue;
                }
                *out = (scene_vary){.kind = (scene_vary_kind)kind, .index = e, .component = c, .text = t.texts[c]};
                snprintf(out->path, sizeof out->path, t.one ? "%s[%zu].%s" : "%s[%zu].%s[%zu]", t.list, e, t.key, c);
                return true;
            }
        }
    return of_materials(s, i, out);
}

bool pio_scene_varies(const pio_scene *s, scene_vary_kind kind, size_t index)
{
    const texts_of_entry t = texts_of(s, kind, index);
    bool varies = false;
    for (size_t c = 0; t.texts && c < t.n; c++) varies |= t.texts[c] != NULL;
    return varies;
}

/* ---- what they are --------------------------------------------------------------------------------------------- */

static cfg_quantity quantity_of(const pio_scene *s, const scene_vary *v)
{
    if (v->kind == SCENE_VARY_MATERIAL) return v->field->quantity;
    if (v->kind == SCENE_VARY_LOAD) return pio_load_quantity(&s->loading.loads[v->index]);
    if (v->kind == SCENE_VARY_ANGLE) return CFG_ANGLE;
    if (v->kind == SCENE_VARY_TEMPERATURE) return CFG_TEMPERATURE;
    if (v->kind == SCENE_VARY_RELATIVE_DENSITY) return CFG_ONE;
    return v->kind == SCENE_VARY_VELOCITY ? CFG_VELOCITY : CFG_LENGTH;
}

bool pio_scene_vary_compile(const pio_scene *s, const scene_vary *v, pio_expression *out, pio_expression_fault *fault)
{
    static const char *const no_time[] = {[SCENE_VARY_DISPLACEMENT] = "the state at the start has",
                                          [SCENE_VARY_VELOCITY] = "the state at the start has",
                                          [SCENE_VARY_THICKNESS] = "the thickness of a body has",
                                          [SCENE_VARY_TEMPERATURE] = "the temperature of a body has",
                                          [SCENE_VARY_RELATIVE_DENSITY] = "the relative density of a body has",
                                          [SCENE_VARY_MATERIAL] = "what a material is made of has"};
    pio_expression_table tables[64];
    const size_t n_tables = s->tables.n < 64 ? s->tables.n : 64;
    for (size_t k = 0; k < n_tables; k++) {
        const scene_table *t = &s->tables.v[k];
        tables[k] = (pio_expression_table){t->name, (cfg_quantity)t->quantity, t->interpolation == SCENE_NEAREST};
    }
    const pio_expression_scope scope = {.tables = tables,
                                        .n_tables = n_tables,
                                        .constants = s->constants.v,
                                        .n = s->constants.n,
                                        .dimension = s->method.dimension,
                                        .no_time = no_time[v->kind],
                                        .no_space = v->kind == SCENE_VARY_ANGLE ? "the angle of a rotation has" : NULL};
    return pio_expression_compile(v->text, &scope, quantity_of(s, v), out, fault);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Names that mean something else in expressions. */
static const char *const taken[] = {"x",    "y",   "z",   "t",    "pi",  "sin", "cos", "tan",
                                    "tanh", "exp", "log", "sqrt", "abs", "min", "max", "if"};

static bool is_taken(const char *name)
{
    bool is = false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) is |= !strcmp(taken[i], name);
    return is;
}

/* Where an expression is at fault, `all` is false, and what no other one names may be meant there. */
static void check_constants(const pio_scene *s, cfg_doc *doc, uint64_t used, bool all)
{
    if (s->constants.n > 64) {
        pio_cfg_fault(doc, "constants", "%zu constants; at most 64 are possible", s->constants.n);
        return;
    }
    for (size_t k = 0; k < s->constants.n; k++) {
        const char *name = s->constants.v[k].name;
        PATH(path, "constants.%s", name);
        if (is_taken(name))
            pio_cfg_fault(doc, path, "'%s' means something else in expressions; use another name", name);
        else if (s->constants.v[k].quantity == CFG_MEMORY)
            pio_cfg_fault(doc, path, "an amount of memory does not belong into expressions; remove it");
        else if (all && !(used >> k & 1))
            pio_cfg_fault(doc, path, "no expression names '%s'; name it in one, or remove it", name);
    }
}

/* Returns why this value must not vary, or NULL. */
static const char *why_not(const pio_scene *s, const scene_vary *v)
{
    const scene_load *l = v->kind == SCENE_VARY_LOAD ? &s->loading.loads[v->index] : NULL;
    if (l && l->type == PIO_FORCE)
        return "a total force is spread evenly; give a number, or use a traction, which may vary";
    if (l && l->type == PIO_MOMENT) return "a moment is one of its faces together; give a number";
    if (l && pio_load_is_springs(l)) return "springs are the same everywhere; give a number";
    if ((v->kind == SCENE_VARY_DISPLACEMENT || v->kind == SCENE_VARY_VELOCITY) && s->fem.integrator == PIO_STATIC)
        return "nothing moves in a static scene; remove it, or set time.integrator";
    return NULL;
}

static void check_tables(const pio_scene *s, cfg_doc *doc, uint64_t used, bool all)
{
    if (s->tables.n > 64) pio_cfg_fault(doc, "tables", "%zu tables; at most 64 are possible", s->tables.n);
    for (size_t k = 0; k < s->tables.n && k < 64; k++) {
        const char *name = s->tables.v[k].name;
        PATH(path, "tables[%zu].name", k);
        bool twice = false;
        for (size_t c = 0; c < s->constants.n; c++) twice |= !strcmp(s->constants.v[c].name, name);
        if (is_taken(name))
            pio_cfg_fault(doc, path, "'%s' means something else in expressions; use another name", name);
        else if (twice)
            pio_cfg_fault(doc, path, "'%s' is a constant, too; use another name", name);
        else if (all && !(used >> k & 1))
            pio_cfg_fault(doc, path, "no expression names '%s'; name it in one, or remove it", name);
    }
}

void pio_scene_validate_vary(const pio_scene *s, cfg_doc *doc)
{
    uint64_t used = 0, tables = 0;
    bool all = true;
    scene_vary v;
    for (size_t k = 0; k < s->tables.n; k++)
        if (!s->tables.v[k].numbers) return; /* a fault that was reported, and that others may follow from */
    for (size_t i = 0; !pio_cfg_stop(doc) && pio_scene_vary(s, i, &v); i++) {
        pio_expression e;
        pio_expression_fault fault;
        const char *why = why_not(s, &v);
        bool found;
        pio_cfg_find(doc->root, v.path, &found);
        if (!found && v.kind != SCENE_VARY_MATERIAL) *strrchr(v.path, '[') = '\0'; /* one number, without a list */
        const bool good = pio_scene_vary_compile(s, &v, &e, &fault);
        used |= e.constants;
        tables |= e.tables;
        all &= good && !why;
        if (why)
            pio_cfg_fault(doc, v.path, "%s", why);
        else if (!good)
            pio_cfg_fault_within(doc, v.path, fault.at, "%s", fault.text);
    }
    check_constants(s, doc, used, all);
    check_tables(s, doc, tables, all);
}
