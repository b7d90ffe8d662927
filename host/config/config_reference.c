/* config_reference.c -- the key reference and the resolved JSON, from the same table that decodes. */
#include "host/config/config.h"
#include "host/base/decimal.h"
#include "host/base/json.h"

#include <math.h>
#include <string.h>

/* ---- reference ----------------------------------------------------------------------------------------- */

static const char *type_text(const cfg_field *f)
{
    switch (f->type) {
    case CFG_NUMBER:
        return f->texts ? "number or expression" : "number";
    case CFG_INTEGER:
        return "whole number";
    case CFG_TEXT:
        return "text";
    case CFG_NAME:
    case CFG_LABEL:
        return "name";
    case CFG_ENUM:
        return "one of";
    case CFG_ENUM_MAP:
        return "one of, or mapping";
    case CFG_VECTOR:
        return f->texts ? "vector, of expressions too" : "vector";
    case CFG_SPIN:
        return "number (2D), vector (3D)";
    case CFG_PAIR:
        return "list of 2";
    case CFG_NUMBERS:
        return f->texts ? "number, expression or list" : "number or list";
    case CFG_NAMED:
        return "names of numbers";
    case CFG_TEXTS:
        return "text or list";
    case CFG_COMPONENT:
        return "name[.component]";
    case CFG_MAPPING:
        return "mapping";
    case CFG_LIST:
        return "list";
    case CFG_TREE:
        return f->least ? "list of mappings" : "mapping";
    }
    return "";
}

static void rows(const cfg_table *table, const char *path, FILE *to)
{
    for (const cfg_field *f = table->fields; f->key; f++) {
        char here[CFG_PATH], range[100];
        const char *fallback = f->required ? "required" : f->fallback ? f->fallback : f->computed ? f->computed : "-";
        const char *unit = f->type == CFG_NAMED     ? "any"
                           : f->quantity == CFG_ANY ? "of the target"
                                                    : pio_quantity_unit(f->quantity);
        snprintf(here, sizeof here, "%.400s%s%s%s", path, *path ? "." : "", f->key,
                 f->type == CFG_LIST || f->entries ? "[]" : "");
        fprintf(to, "| `%s` | %s | %s | %s | ", here, type_text(f), *unit ? unit : "-", fallback);
        const char *values[CFG_MOST_VALUES];
        const size_t n = f->values ? pio_field_values(f, values) : 0;
        for (size_t v = 0; v < n; v++) fprintf(to, "%s%s", v ? ", " : "", values[v]);
        pio_range_text(&f->range, range, sizeof range);
        fprintf(to, "%s | ", f->values ? "" : *range ? range : "-");
        const cfg_field *tag = f->only ? pio_table_field(table, table->discriminator) : NULL;
        bool first = true;
        for (int v = 0; tag && tag->values[v]; v++) {
            if (!pio_field_legal(f, v) || !pio_value_legal(tag, v)) continue;
            fprintf(to, "%s%s", first ? "*" : ", ", tag->values[v]);
            first = false;
        }
        fprintf(to, "%s%s |\n", tag ? "*: " : "", f->meaning);
        if (f->table) rows(f->table, here, to);
        const cfg_field besides[] = {f->entries ? *f->entries->more : (cfg_field){0}, {0}};
        if (f->entries) rows(&(cfg_table){.fields = besides}, here, to);
    }
}

void pio_cfg_reference(const cfg_table *table, FILE *to)
{
    pio_locale old = pio_locale_begin();
    fprintf(to, "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
    rows(table, "", to);
    pio_locale_end(old);
}

/* ---- resolved ------------------------------------------------------------------------------------------ */

static void resolve(pio_json *j, const char *key, const cfg_table *table, const char *owner, int dimension);

typedef struct array {
    void *v;
    size_t n;
} array;

static int read_int(const char *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void resolve_constant(pio_json *j, const cfg_field *f)
{
    if (f->type == CFG_INTEGER) pio_json_integer(j, f->key, (int64_t)f->range.lo);
    if (f->type == CFG_ENUM) pio_json_string(j, f->key, f->values[0]);
}

static void resolve_slots(pio_json *j, const cfg_field *f, const char *at, int dimension)
{
    pio_json_begin_object(j, f->key);
    for (int s = 0; f->slots[s] && s < 2 * dimension; s++)
        pio_json_string(j, f->slots[s], f->values[read_int(at + (size_t)s * sizeof(int))]);
    pio_json_end_object(j);
}

static void resolve_component(pio_json *j, const cfg_field *f, const char *owner)
{
    char *text, joined[100];
    int which = read_int(owner + f->second);
    memcpy(&text, owner + f->offset, sizeof text);
    snprintf(joined, sizeof joined, "%.64s%s%s", text, which < 0 ? "" : ".",
             which < 0 ? "" : pio_component_words[which]);
    pio_json_string(j, f->key, joined);
}

/* Writes numbers [n], of which those that have a text are expressions; texts may be NULL. */
static void resolve_numbers(pio_json *j, const char *key, const double *numbers, char *const *texts, size_t n)
{
    bool any = false;
    for (size_t i = 0; texts && i < n; i++) any |= texts[i] != NULL;
    if (!any) {
        pio_json_doubles(j, key, numbers, n);
        return;
    }
    pio_json_begin_array(j, key);
    for (size_t i = 0; i < n; i++)
        if (texts[i])
            pio_json_string(j, NULL, texts[i]);
        else
            pio_json_double(j, NULL, numbers[i]);
    pio_json_end_array(j);
}

static void resolve_number(pio_json *j, const cfg_field *f, const char *owner)
{
    char *text = NULL;
    double number;
    memcpy(&number, owner + f->offset, sizeof number);
    if (f->texts) memcpy(&text, owner + f->texts, sizeof text);
    if (text)
        pio_json_string(j, f->key, text);
    else
        pio_json_double(j, f->key, number);
}

static void resolve_vector(pio_json *j, const cfg_field *f, const char *owner, int dimension)
{
    double d[3];
    char *texts[3];
    memcpy(d, owner + f->offset, sizeof d);
    if (f->texts) memcpy(texts, owner + f->texts, sizeof texts);
    if (f->type == CFG_SPIN && dimension == 2)
        pio_json_double(j, f->key, d[2]);
    else
        resolve_numbers(j, f->key, d, f->texts ? texts : NULL, (size_t)dimension);
}

/* Writes named numbers in SI units. */
static void resolve_named(pio_json *j, const cfg_field *f, const char *owner)
{
    const cfg_named *list;
    size_t n;
    memcpy(&list, owner + f->offset, sizeof list);
    memcpy(&n, owner + f->second, sizeof n);
    pio_json_begin_object(j, f->key);
    for (size_t i = 0; i < n; i++) {
        const char *unit = pio_quantity_unit(list[i].quantity);
        char text[80];
        snprintf(text, sizeof text, "%.17g %s", list[i].value, unit);
        if (*unit)
            pio_json_string(j, list[i].name, text);
        else
            pio_json_double(j, list[i].name, list[i].value);
    }
    pio_json_end_object(j);
}

static void resolve_list(pio_json *j, const cfg_field *f, const char *owner, int dimension)
{
    const char *items;
    size_t n;
    memcpy(&items, owner + f->offset, sizeof items);
    memcpy(&n, owner + f->second, sizeof n);
    pio_json_begin_array(j, f->key);
    for (size_t i = 0; i < n; i++) resolve(j, NULL, f->table, items + i * f->table->size, dimension);
    pio_json_end_array(j);
}

static void resolve_field(pio_json *j, const cfg_field *f, const char *owner, int dimension)
{
    const char *at = owner + f->offset;
    double d[3];
    char *text, **of_list = NULL;
    array list;
    int64_t wide;
    switch (f->type) {
    case CFG_NUMBER:
        resolve_number(j, f, owner);
        break;
    case CFG_NAMED:
        resolve_named(j, f, owner);
        break;
    case CFG_INTEGER:
        wide = f->size == sizeof(int) ? read_int(at) : 0;
        if (f->size == sizeof wide) memcpy(&wide, at, sizeof wide);
        pio_json_integer(j, f->key, wide);
        break;
    case CFG_TEXT:
    case CFG_NAME:
    case CFG_LABEL:
        memcpy(&text, at, sizeof text);
        pio_json_string(j, f->key, text);
        break;
    case CFG_ENUM:
        pio_json_string(j, f->key, f->values[read_int(at)]);
        break;
    case CFG_ENUM_MAP:
        resolve_slots(j, f, at, dimension);
        break;
    case CFG_VECTOR:
    case CFG_SPIN:
        resolve_vector(j, f, owner, dimension);
        break;
    case CFG_PAIR:
        memcpy(d, at, 2 * sizeof *d);
        pio_json_doubles(j, f->key, d, 2);
        break;
    case CFG_NUMBERS:
        memcpy(&list, at, sizeof list);
        if (f->texts) memcpy(&of_list, owner + f->texts, sizeof of_list);
        resolve_numbers(j, f->key, list.v, of_list, list.n);
        break;
    case CFG_TEXTS:
        memcpy(&list, at, sizeof list);
        pio_json_begin_array(j, f->key);
        for (size_t i = 0; i < list.n; i++) pio_json_string(j, NULL, ((char **)list.v)[i]);
        pio_json_end_array(j);
        break;
    case CFG_COMPONENT:
        resolve_component(j, f, owner);
        break;
    case CFG_MAPPING:
        resolve(j, f->key, f->table, owner, dimension);
        break;
    case CFG_LIST:
    case CFG_TREE: /* its caller resolves it */
        if (f->type == CFG_LIST) resolve_list(j, f, owner, dimension);
        break;
    }
}

static void resolve(pio_json *j, const char *key, const cfg_table *table, const char *owner, int dimension)
{
    int variant = pio_table_variant(table, owner);
    pio_json_begin_object(j, key);
    for (const cfg_field *f = table->fields; f->key; f++) {
        if (!pio_field_legal(f, variant) || (f->present && !f->present(owner))) continue;
        if (f->size == 0 && f->type != CFG_MAPPING)
            resolve_constant(j, f);
        else
            resolve_field(j, f, owner, dimension);
    }
    pio_json_end_object(j);
}

void pio_cfg_resolved(const cfg_table *table, const void *from, int dimension, FILE *to)
{
    pio_json json;
    pio_json_to_file(&json, to, 1);
    resolve(&json, NULL, table, from, dimension);
    pio_json_finish(&json, NULL);
    pio_json_free(&json);
}
