/* config_schema.c -- JSON Schema, from the same table that decodes. */
#include "host/config/config.h"
#include "host/base/json.h"

#include <math.h>
#include <string.h>

#define NUMBER "[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?"
#define NAME "[a-zA-Z_][a-zA-Z0-9_]{0,63}"

/* ---- schema -------------------------------------------------------------------------------------------- */

static void words_schema(pio_json *j, const char *key, const cfg_field *f)
{
    const char *words[CFG_MOST_VALUES];
    const size_t n = pio_field_values(f, words);
    pio_json_begin_object(j, key);
    pio_json_begin_array(j, "enum");
    for (size_t v = 0; v < n; v++) pio_json_string(j, NULL, words[v]);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

static void range_schema(pio_json *j, const cfg_range *range)
{
    if (range->ends & CFG_FROM) pio_json_double(j, "minimum", range->lo);
    if (range->ends & CFG_OVER) pio_json_double(j, "exclusiveMinimum", range->lo);
    if (range->ends & CFG_UP_TO) pio_json_double(j, "maximum", range->hi);
    if (range->ends & CFG_BELOW) pio_json_double(j, "exclusiveMaximum", range->hi);
}

/* Writes the schema of a number, or of a text that is one: with a unit, or one that a reader of YAML 1.1 takes for a
 * text (1e-6). */
/* Writes the alternative of a number that it is an expression. */
static void expression_schema(pio_json *j)
{
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "string");
    pio_json_string(j, "description", "an expression of x, y, z, t and constants");
    pio_json_integer(j, "minLength", 1);
    pio_json_end_object(j);
}

static void number_schema(pio_json *j, const char *key, const cfg_field *f)
{
    char units[400], pattern[600];
    size_t used = 0;
    pio_quantity_units(f->quantity, "|", units, sizeof units);
    used = (size_t)snprintf(pattern, sizeof pattern, "^" NUMBER);
    if (*units) used += (size_t)snprintf(pattern + used, sizeof pattern - used, "( *(");
    for (const char *u = units; *u && used + 8 < sizeof pattern; u++) {
        if (*u == '.') pattern[used++] = '\\';
        pattern[used++] = *u;
    }
    snprintf(pattern + used, sizeof pattern - used, *units ? "))?$" : "$");
    pio_json_begin_object(j, key);
    pio_json_begin_array(j, "anyOf");
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "number");
    range_schema(j, &f->range);
    pio_json_end_object(j);
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "string");
    pio_json_string(j, "pattern", pattern);
    pio_json_end_object(j);
    if (f->texts) expression_schema(j);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

/* Writes the schema of a mapping of names to numbers. */
static void named_schema(pio_json *j, const cfg_field *f)
{
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "object");
    number_schema(j, "additionalProperties", f);
    pio_json_end_object(j);
}

static void text_schema(pio_json *j, const char *key, const cfg_field *f)
{
    const char *pattern = f->type == CFG_NAME        ? "^" NAME "$"
                          : f->type == CFG_LABEL     ? "^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$"
                          : f->type == CFG_COMPONENT ? "^" NAME "(\\.([xyz]|xx|yy|zz|xy|yz|xz|[123]))?$"
                                                     : NULL;
    if (f->values) {
        words_schema(j, key, f);
        return;
    }
    pio_json_begin_object(j, key);
    pio_json_string(j, "type", "string");
    if (pattern) pio_json_string(j, "pattern", pattern);
    if (!pattern) pio_json_integer(j, "minLength", 1);
    pio_json_end_object(j);
}

/* Writes the schema of an array of `least` to `most` (0: any number of) items that `item` writes. */
static void array_schema(pio_json *j, const cfg_field *f, int least, int most,
                         void (*item)(pio_json *, const char *, const cfg_field *))
{
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "array");
    item(j, "items", f);
    pio_json_integer(j, "minItems", least);
    if (most) pio_json_integer(j, "maxItems", most);
    pio_json_end_object(j);
}

static void slots_schema(pio_json *j, const cfg_field *f)
{
    words_schema(j, NULL, f);
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "object");
    pio_json_bool(j, "additionalProperties", false);
    pio_json_begin_object(j, "properties");
    words_schema(j, "default", f);
    for (const char *const *s = f->slots; *s; s++) words_schema(j, *s, f);
    pio_json_end_object(j);
    pio_json_end_object(j);
}

static void table_schema(pio_json *j, const char *key, const cfg_table *table, bool partial);

/* Returns the name of the definition of entries of lists, which are defined once, by what they are. */
static const char *definition_name(const char *what, char *out, size_t size)
{
    snprintf(out, size, "%s", what);
    for (char *c = out; *c; c++)
        if (*c == ' ') *c = '_';
    return out;
}

/* Writes the schema of a list with at least `least` entries, which are `what`. */
static void entries_schema(pio_json *j, size_t least, const char *what)
{
    char name[64], at[100];
    snprintf(at, sizeof at, "#/definitions/%s", definition_name(what, name, sizeof name));
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", "array");
    pio_json_integer(j, "minItems", (int64_t)least);
    pio_json_begin_object(j, "items");
    pio_json_string(j, "$ref", at);
    pio_json_end_object(j);
    pio_json_end_object(j);
}

static void list_schema(pio_json *j, const cfg_field *f)
{
    entries_schema(j, f->least, f->table->what);
}

/* Writes the schema of a mapping, or of a list of mappings, whose caller decodes them. */
static void tree_schema(pio_json *j, const cfg_field *f)
{
    if (f->entries) {
        entries_schema(j, f->least, f->entries->what);
        return;
    }
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "type", f->least ? "array" : "object");
    if (f->least) pio_json_integer(j, "minItems", (int64_t)f->least);
    if (f->least) pio_json_begin_object(j, "items");
    if (f->least) pio_json_string(j, "type", "object");
    if (f->least) pio_json_end_object(j);
    pio_json_end_object(j);
}

static void field_schema(pio_json *j, const cfg_field *f, bool partial)
{
    char about[1000];
    const char *unit = pio_quantity_unit(f->quantity), *fallback = f->fallback ? f->fallback : f->computed;
    snprintf(about, sizeof about, "%s%s%s%s%s%s", f->meaning, *unit ? "; in " : "", unit, fallback ? "; default " : "",
             fallback ? fallback : "", f->required ? "; required" : "");
    pio_json_begin_object(j, f->key);
    pio_json_string(j, "description", about);
    pio_json_begin_array(j, "anyOf");
    switch (f->type) {
    case CFG_NUMBER:
        number_schema(j, NULL, f);
        break;
    case CFG_INTEGER:
        pio_json_begin_object(j, NULL);
        pio_json_string(j, "type", "integer");
        range_schema(j, &f->range);
        pio_json_end_object(j);
        break;
    case CFG_TEXT:
    case CFG_NAME:
    case CFG_LABEL:
    case CFG_ENUM:
    case CFG_COMPONENT:
        text_schema(j, NULL, f);
        break;
    case CFG_ENUM_MAP:
        slots_schema(j, f);
        break;
    case CFG_VECTOR:
        array_schema(j, f, 2, 3, number_schema);
        break;
    case CFG_SPIN:
        number_schema(j, NULL, f);
        array_schema(j, f, 3, 3, number_schema);
        break;
    case CFG_PAIR:
        array_schema(j, f, 2, 2, number_schema);
        break;
    case CFG_NUMBERS:
        number_schema(j, NULL, f);
        array_schema(j, f, 1, 0, number_schema);
        break;
    case CFG_NAMED:
        named_schema(j, f);
        break;
    case CFG_TEXTS:
        text_schema(j, NULL, f);
        array_schema(j, f, 1, 0, text_schema);
        break;
    case CFG_MAPPING:
        table_schema(j, NULL, f->table, partial);
        break;
    case CFG_LIST:
    case CFG_TREE:
        (f->type == CFG_LIST ? list_schema : tree_schema)(j, f);
        break;
    }
    pio_json_end_array(j);
    pio_json_end_object(j);
}

/* Writes one alternative of a choice: its keys and none of the others'. `take` 4: none of any. */
static void alternative_schema(pio_json *j, const cfg_choice *c, size_t take)
{
    pio_json_begin_object(j, NULL);
    if (take < 4) {
        pio_json_begin_array(j, "required");
        for (size_t k = 0; k < 3 && c->keys[take][k]; k++) pio_json_string(j, NULL, c->keys[take][k]);
        pio_json_end_array(j);
    }
    if (take < 4 && !c->keys[take ? 0 : 1][0]) { /* there are no others */
        pio_json_end_object(j);
        return;
    }
    pio_json_begin_object(j, "not");
    pio_json_begin_array(j, "anyOf");
    for (size_t a = 0; a < 4; a++) {
        for (size_t k = 0; k < 3 && a != take && c->keys[a][k]; k++) {
            pio_json_begin_object(j, NULL);
            pio_json_begin_array(j, "required");
            pio_json_string(j, NULL, c->keys[a][k]);
            pio_json_end_array(j);
            pio_json_end_object(j);
        }
    }
    pio_json_end_array(j);
    pio_json_end_object(j);
    pio_json_end_object(j);
}

static void choice_schema(pio_json *j, const cfg_choice *c, int variant)
{
    if (!c->keys[0][0] || (c->only && !(variant >= 0 && (c->only >> variant & 1)))) return;
    pio_json_begin_array(j, "oneOf");
    for (size_t a = 0; a < 4 && c->keys[a][0]; a++) alternative_schema(j, c, a);
    if (!c->required) alternative_schema(j, c, 4);
    pio_json_end_array(j);
}

/* Writes the schema of a mapping. `more`: a key that it may have besides those of the table; NULL: none. */
static void object_schema(pio_json *j, const char *key, const cfg_table *table, int variant, bool partial,
                          const cfg_field *more)
{
    bool any = false;
    pio_json_begin_object(j, key);
    pio_json_string(j, "type", "object");
    pio_json_bool(j, "additionalProperties", false);
    pio_json_begin_object(j, "properties");
    for (const cfg_field *f = table->fields; f->key; f++) {
        if (!pio_field_legal(f, variant)) continue;
        any |= pio_field_required(f, variant);
        if (variant >= 0 && strcmp(f->key, table->discriminator) == 0) {
            pio_json_begin_object(j, f->key);
            pio_json_string(j, "description", f->meaning);
            pio_json_string(j, "const", f->values[variant]);
            pio_json_end_object(j);
        } else {
            field_schema(j, f, partial);
        }
    }
    if (more) field_schema(j, more, partial);
    pio_json_end_object(j);
    if (any && !partial) {
        pio_json_begin_array(j, "required");
        for (const cfg_field *f = table->fields; f->key; f++)
            if (pio_field_required(f, variant)) pio_json_string(j, NULL, f->key);
        pio_json_end_array(j);
    }
    choice_schema(j, &table->choice, variant);
    pio_json_end_object(j);
}

static void table_schema(pio_json *j, const char *key, const cfg_table *table, bool partial)
{
    if (!table->discriminator) {
        object_schema(j, key, table, -1, partial, NULL);
        return;
    }
    const cfg_field *tag = pio_table_field(table, table->discriminator);
    pio_json_begin_object(j, key);
    pio_json_begin_array(j, partial ? "anyOf" : "oneOf");
    for (int v = 0; tag->values[v]; v++)
        if (pio_value_legal(tag, v)) object_schema(j, NULL, table, v, partial, NULL);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

/* Writes the definitions of what the lists of a table have whose caller decodes them. */
static void entries_definitions(pio_json *j, const cfg_table *table)
{
    char name[64];
    for (const cfg_field *f = table->fields; f->key; f++) {
        if (!f->entries) continue;
        pio_json_begin_object(j, definition_name(f->entries->what, name, sizeof name));
        pio_json_begin_array(j, "anyOf");
        for (size_t k = 0; k < 2; k++) object_schema(j, NULL, f->entries->tables[k], -1, false, f->entries->more);
        pio_json_end_array(j);
        pio_json_end_object(j);
    }
}

enum { MOST_DEFINITIONS = 32 };

/* Collects the tables of all lists below this one, each once. */
static size_t collect_lists(const cfg_table *table, const cfg_table **seen, size_t n)
{
    for (const cfg_field *f = table->fields; f->key; f++) {
        bool known = !f->table;
        if (f->type == CFG_MAPPING) n = collect_lists(f->table, seen, n);
        if (f->type != CFG_LIST) continue;
        for (size_t i = 0; i < n; i++) known |= seen[i] == f->table;
        if (!known && n < MOST_DEFINITIONS) seen[n++] = f->table;
        if (!known) n = collect_lists(f->table, seen, n);
    }
    return n;
}

/* Writes the condition that a key is there. */
static void key_schema(pio_json *j, const char *key)
{
    pio_json_begin_object(j, "if");
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, key);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

/* Writes the schema of a file. Required keys may be missing in a file with includes, as these may have them. */
static void file_schema(pio_json *j, const char *key, const cfg_table *table)
{
    pio_json_begin_object(j, key);
    key_schema(j, "include");
    table_schema(j, "then", table, true);
    table_schema(j, "else", table, false);
    pio_json_end_object(j);
}

/* Writes { "properties": { "method": { "properties": { "type": { "const": "fem" } } } } }, with both keys required. */
static void condition_schema(pio_json *j, const cfg_case *c)
{
    pio_json_begin_object(j, "if");
    pio_json_begin_object(j, "properties");
    pio_json_begin_object(j, c->mapping);
    pio_json_begin_object(j, "properties");
    pio_json_begin_object(j, c->key);
    pio_json_string(j, "const", c->value);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, c->key);
    pio_json_end_array(j);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, c->mapping);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

/* Writes the schema of a file that includes another and does not state its method, which may be of either kind. */
static void included_schema(pio_json *j, const cfg_table *table, const cfg_case *c)
{
    pio_json_begin_object(j, "if");
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, "include");
    pio_json_end_array(j);
    pio_json_begin_object(j, "not");
    pio_json_begin_object(j, "properties");
    pio_json_begin_object(j, c->mapping);
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, c->key);
    pio_json_end_array(j);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_begin_array(j, "required");
    pio_json_string(j, NULL, c->mapping);
    pio_json_end_array(j);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_begin_object(j, "then");
    pio_json_begin_array(j, "anyOf");
    table_schema(j, NULL, table, true);
    table_schema(j, NULL, c->table, true);
    pio_json_end_array(j);
    pio_json_end_object(j);
}

void pio_cfg_schema(const cfg_table *table, const cfg_case *special, const cfg_file_kind *other, const char *title,
                    FILE *to)
{
    pio_json json, *j = &json;
    const cfg_table *lists[MOST_DEFINITIONS];
    char name[64];
    size_t n = collect_lists(special->table, lists, collect_lists(table, lists, 0));
    n = collect_lists(other->table, lists, n);
    pio_json_to_file(j, to, 1);
    pio_json_begin_object(j, NULL);
    pio_json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
    pio_json_string(j, "title", title);
    key_schema(j, other->key);
    file_schema(j, "then", other->table);
    pio_json_begin_object(j, "else");
    condition_schema(j, special);
    file_schema(j, "then", special->table);
    pio_json_begin_object(j, "else");
    included_schema(j, table, special);
    file_schema(j, "else", table);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_begin_object(j, "definitions");
    for (size_t i = 0; i < n; i++) table_schema(j, definition_name(lists[i]->what, name, sizeof name), lists[i], false);
    entries_definitions(j, other->table);
    pio_json_end_object(j);
    pio_json_end_object(j);
    pio_json_finish(j, NULL);
    pio_json_free(j);
}
