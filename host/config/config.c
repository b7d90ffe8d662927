/* config.c -- decodes a tree of nodes into a C struct, as a table of fields says. */
#include "host/config/config_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ------------------------------------------------------------------------------------------- */

static bool text_node(cfg_doc *doc, const cfg_node *node, const char *path)
{
    if (pio_cfg_is_text(node) && *node->text) return true;
    pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a text, got %s%s",
                   node->kind == CFG_SCALAR && !*node->text ? "nothing" : pio_cfg_kind_of(node),
                   node->kind == CFG_SCALAR && *node->text ? "; put it in quotes" : "");
    return false;
}

static void name(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    if (!text_node(doc, node, path)) return;
    if (f->type != CFG_TEXT && !pio_cfg_is_name(node->text, strlen(node->text), f->type == CFG_LABEL)) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path,
                       "'%s' is not a name; use up to 64 letters, digits and _%s, %s",
                       pio_cfg_printable(doc, node->text), f->type == CFG_LABEL ? ", - and ." : "",
                       f->type == CFG_LABEL ? "beginning with a letter or digit" : "beginning with a letter or _");
        return;
    }
    char *own = pio_cfg_own_text(doc, node->text, strlen(node->text));
    if (f->size) memcpy(at, &own, sizeof own);
}

/* Decodes `name` or `name.x`. */
const char *const pio_component_words[] = {"x", "y", "z", "xx", "yy", "zz", "xy", "yz", "xz", "1", "2", "3", NULL};

static void component(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner)
{
    if (!text_node(doc, node, path)) return;
    size_t length = strcspn(node->text, ".");
    const char *rest = node->text + length;
    int which = -1;
    if (*rest)
        for (which = 0; pio_component_words[which] && strcmp(pio_component_words[which], rest + 1) != 0;) which++;
    if ((*rest && !pio_component_words[which]) || !pio_cfg_is_name(node->text, length, false)) {
        pio_cfg_report(
            doc, PIOLA_BAD_DATA, node->mark, path,
            "'%s' is not a name or a name with a component behind it: .x, .y, .z, of a tensor .xx, .yy, .zz, "
            ".xy, .yz, .xz, of principal values .1, .2, .3",
            pio_cfg_printable(doc, node->text));
        return;
    }
    char *own = pio_cfg_own_text(doc, node->text, length);
    memcpy(owner + f->offset, &own, sizeof own);
    memcpy(owner + f->second, &which, sizeof which);
}

static bool choice(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, int *out)
{
    const char *values[CFG_MOST_VALUES];
    const size_t n = pio_field_values(f, values);
    if (!text_node(doc, node, path)) return false;
    for (int i = 0; f->values[i]; i++) {
        if (strcmp(node->text, f->values[i]) != 0) continue;
        *out = i;
        if (pio_value_legal(f, i)) return true;
        if (!f->instead) break;
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "'%s' %s", node->text, f->instead);
        return false;
    }
    pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "unknown value '%s'%s (one of: %s)",
                   pio_cfg_printable(doc, node->text), pio_cfg_did_you_mean(doc, node->text, values, n),
                   pio_cfg_join(doc, values, n));
    return false;
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static void enum_map(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    size_t n = pio_words(f->slots);
    int value;
    if (node->kind != CFG_PAIRS) {
        if (!choice(doc, node, path, f, &value)) return;
        for (size_t s = 0; s < n; s++) memcpy(at + s * sizeof value, &value, sizeof value);
        return;
    }
    const cfg_node *rest = pio_cfg_get(node, "default", NULL);
    if (rest) enum_map(doc, rest, path, f, at);
    for (size_t i = 0; i < node->n; i++) {
        const char *key = node->keys[i]->text;
        char sub[CFG_PATH];
        size_t s = 0;
        while (s < n && strcmp(f->slots[s], key) != 0) s++;
        snprintf(sub, sizeof sub, "%s.%.80s", path, key);
        if (strcmp(key, "default") == 0) continue;
        if (s == n)
            pio_cfg_report(doc, PIOLA_BAD_DATA, node->keys[i]->mark, path, "unknown key '%s'%s (known: default, %s)",
                           pio_cfg_printable(doc, key), pio_cfg_did_you_mean(doc, key, f->slots, n),
                           pio_cfg_join(doc, f->slots, n));
        else if (choice(doc, node->items[i], sub, f, &value))
            memcpy(at + s * sizeof value, &value, sizeof value);
    }
}

static void text_list(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    bool many = node->kind == CFG_SEQUENCE;
    size_t n = many ? node->n : 1;
    if (node->kind == CFG_PAIRS || n == 0) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a text or a list of texts, got %s",
                       n ? "a mapping" : "an empty list");
        return;
    }
    cfg_array list = {pio_pool_take(&doc->pool, n * sizeof(char *)), n};
    doc->no_memory |= !list.v;
    for (size_t i = 0; i < n && list.v; i++) {
        const cfg_node *item = many ? node->items[i] : node;
        char sub[CFG_PATH];
        int value;
        snprintf(sub, sizeof sub, many ? "%.480s[%zu]" : "%.480s", path, i);
        if (f->values ? !choice(doc, item, sub, f, &value) : !text_node(doc, item, sub)) continue;
        for (size_t j = 0; j < i && f->values; j++)
            if (((char **)list.v)[j] && strcmp(((char **)list.v)[j], item->text) == 0)
                pio_cfg_report(doc, PIOLA_BAD_DATA, item->mark, sub, "'%s' occurs twice", item->text);
        ((char **)list.v)[i] = pio_cfg_own_text(doc, item->text, strlen(item->text));
    }
    if (f->size) memcpy(at, &list, sizeof list);
}

/* ---- structs ------------------------------------------------------------------------------------------- */

static bool mapping(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_table *table, char *owner);

static void value(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner);

static void set_defaults(cfg_doc *doc, const cfg_table *table, char *owner)
{
    for (const cfg_field *f = table->fields; f->key; f++) {
        const double none = NAN;
        cfg_node fallback = {.kind = CFG_SCALAR, .plain = true};
        if (f->type == CFG_MAPPING) set_defaults(doc, f->table, owner);
        if (f->type == CFG_NUMBER && f->size) memcpy(owner + f->offset, &none, sizeof none);
        if (!f->fallback) continue;
        fallback.text = pio_cfg_own_text(doc, f->fallback, strlen(f->fallback));
        if (fallback.text) value(doc, &fallback, f->key, f, owner);
    }
}

typedef struct named {
    const cfg_node *own; /* the scalar of the key `name` */
    size_t entry;
} named;

static int by_name(const void *a, const void *b)
{
    const named *p = a, *q = b;
    const int order = strcmp(p->own->text, q->own->text);
    return order ? order : (p->entry > q->entry) - (p->entry < q->entry);
}

/* Reports names that occur twice in one list. */
static void unique(cfg_doc *doc, const cfg_node *list, const char *path, const cfg_table *table)
{
    named *names = pio_pool_take(&doc->pool, (list->n + 1) * sizeof *names);
    size_t n = 0;
    doc->no_memory |= !names;
    for (size_t i = 0; names && pio_table_field(table, "name") && i < list->n; i++) {
        names[n] = (named){pio_cfg_get(list->items[i], "name", NULL), i};
        n += names[n].own && names[n].own->kind == CFG_SCALAR;
    }
    if (n) qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1, first = 0; i < n; i++) {
        char sub[CFG_PATH];
        if (strcmp(names[i].own->text, names[first].own->text) != 0) {
            first = i;
            continue;
        }
        snprintf(sub, sizeof sub, "%.480s[%zu]", path, names[i].entry);
        pio_cfg_report(doc, PIOLA_BAD_DATA, names[i].own->mark, sub,
                       "the name '%s' is taken by the entry in line %d; use another",
                       pio_cfg_printable(doc, names[i].own->text), names[first].own->mark.line);
    }
}

static void list(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner)
{
    if (node->kind != CFG_SEQUENCE || node->n < f->least || node->n > CFG_MAX_ENTRIES) {
        char got[40], few[60];
        snprintf(got, sizeof got, "%zu", node->n);
        snprintf(few, sizeof few, "at most %d entries, each a ", CFG_MAX_ENTRIES);
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a list of %s%s, got %s",
                       f->least && node->n <= CFG_MAX_ENTRIES ? "at least one " : few, f->table->what,
                       node->kind == CFG_SEQUENCE ? got : pio_cfg_kind_of(node));
        return;
    }
    char *items = pio_pool_take(&doc->pool, node->n * f->table->size + 1);
    if (!items) {
        doc->no_memory = true;
        return;
    }
    for (size_t i = 0; i < node->n && !pio_cfg_stop(doc); i++) {
        char sub[CFG_PATH];
        snprintf(sub, sizeof sub, "%.480s[%zu]", path, i);
        set_defaults(doc, f->table, items + i * f->table->size);
        mapping(doc, node->items[i], sub, f->table, items + i * f->table->size);
    }
    unique(doc, node, path, f->table);
    memcpy(owner + f->offset, &items, sizeof items);
    memcpy(owner + f->second, &node->n, sizeof node->n);
}

/* Keeps a mapping, or a list of mappings, for the caller to decode. */
static void tree(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    const bool list = f->least > 0;
    char sub[CFG_PATH];
    snprintf(sub, sizeof sub, "%.480s", path);
    const cfg_node *wrong = node->kind == (list ? CFG_SEQUENCE : CFG_PAIRS) && node->n >= f->least ? NULL : node;
    for (size_t i = 0; list && !wrong && i < node->n; i++) {
        if (node->items[i]->kind == CFG_PAIRS) continue;
        wrong = node->items[i];
        snprintf(sub, sizeof sub, "%.480s[%zu]", path, i);
    }
    if (!wrong)
        memcpy(at, &node, sizeof node);
    else
        pio_cfg_report(doc, PIOLA_BAD_DATA, wrong->mark, sub, "expected %s, got %s",
                       list && wrong == node ? "a list of at least one mapping of keys" : "a mapping of keys",
                       list && wrong->kind == CFG_SEQUENCE && !wrong->n ? "an empty list" : pio_cfg_kind_of(wrong));
}

static void value(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner)
{
    char *at = owner + f->offset;
    double one = 0, three[3] = {0, 0, 0};
    char *text, *texts[3] = {NULL, NULL, NULL};
    int which;
    switch (f->type) {
    case CFG_NUMBER:
        if (!pio_cfg_number(doc, node, path, f, &one, &text)) break;
        memcpy(at, &one, sizeof one);
        if (text) memcpy(owner + f->texts, &text, sizeof text);
        break;
    case CFG_INTEGER:
        pio_cfg_integer(doc, node, path, f, at);
        break;
    case CFG_TEXT:
    case CFG_NAME:
    case CFG_LABEL:
        name(doc, node, path, f, at);
        break;
    case CFG_ENUM:
        if (choice(doc, node, path, f, &which) && f->size) memcpy(at, &which, sizeof which);
        break;
    case CFG_ENUM_MAP:
        enum_map(doc, node, path, f, at);
        break;
    case CFG_VECTOR:
        if (!pio_cfg_numbers(doc, node, path, f, (size_t)doc->dimension, three, f->texts ? texts : NULL)) break;
        memcpy(at, three, sizeof three);
        if (f->texts) memcpy(owner + f->texts, texts, sizeof texts);
        break;
    case CFG_SPIN:
        pio_cfg_spin(doc, node, path, f, at);
        break;
    case CFG_PAIR:
        pio_cfg_pair(doc, node, path, f, at);
        break;
    case CFG_NUMBERS:
        pio_cfg_number_list(doc, node, path, f, owner);
        break;
    case CFG_NAMED:
        pio_cfg_named(doc, node, path, f, owner);
        break;
    case CFG_TEXTS:
        text_list(doc, node, path, f, at);
        break;
    case CFG_COMPONENT:
        component(doc, node, path, f, owner);
        break;
    case CFG_MAPPING:
        mapping(doc, node, path, f->table, owner);
        break;
    case CFG_LIST:
        list(doc, node, path, f, owner);
        break;
    case CFG_TREE:
        tree(doc, node, path, f, at);
        break;
    }
}

/* Writes the alternatives as words: "E and nu, or mu and lambda". */
static void choice_text(const cfg_choice *c, char *out, size_t size)
{
    size_t used = 0;
    for (size_t a = 0; a < 4 && c->keys[a][0]; a++)
        for (size_t k = 0; k < 3 && c->keys[a][k]; k++)
            used += (size_t)snprintf(out + used, size - used, "%s%s", k ? " and " : a ? ", or " : "", c->keys[a][k]);
}

static void check_choice(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_choice *c, int variant)
{
    char all[200];
    cfg_node *first = NULL;
    size_t taken = 4, given = 0, wanted = 0;
    if (!c->keys[0][0] || (c->only && !(variant >= 0 && (c->only >> variant & 1)))) return;
    choice_text(c, all, sizeof all);
    for (size_t a = 0; a < 4 && c->keys[a][0]; a++) {
        for (size_t k = 0; k < 3 && c->keys[a][k]; k++) {
            cfg_node *key;
            if (!pio_cfg_get(node, c->keys[a][k], &key)) continue;
            if (taken < 4 && taken != a) {
                pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path, "'%s' and '%s' exclude each other; give %s",
                               first->text, key->text, all);
                return;
            }
            taken = a;
            if (!first) first = key;
            given++;
        }
    }
    while (taken < 4 && wanted < 3 && c->keys[taken][wanted]) wanted++;
    if (taken == 4 ? c->required : given < wanted)
        pio_cfg_report(doc, PIOLA_BAD_DATA, first ? first->mark : node->mark, path, "%s%s%s needed: %s",
                       first ? "'" : "one of these is", first ? first->text : "", first ? "' is not enough," : "", all);
}

/* Finds the variant of a mapping. Returns false after a fault. */
static bool find_variant(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_table *table, int *variant)
{
    if (!table->discriminator) return true;
    const cfg_field *f = pio_table_field(table, table->discriminator);
    const cfg_node *tag = pio_cfg_get(node, table->discriminator, NULL);
    char sub[CFG_PATH];
    snprintf(sub, sizeof sub, "%.400s%s%s", path, *path ? "." : "", table->discriminator);
    const char *values[CFG_MOST_VALUES];
    if (tag) return choice(doc, tag, sub, f, variant);
    pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "the required key '%s' is missing (one of: %s)",
                   table->discriminator, pio_cfg_join(doc, values, pio_field_values(f, values)));
    return false;
}

static bool mapping(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_table *table, char *owner)
{
    int variant = -1;
    if (node->kind != CFG_PAIRS) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a mapping of keys (a %s), got %s", table->what,
                       pio_cfg_kind_of(node));
        return false;
    }
    if (!find_variant(doc, node, path, table, &variant)) return false;
    for (size_t i = 0; i < node->n; i++) {
        const cfg_field *f = pio_table_field(table, node->keys[i]->text);
        char sub[CFG_PATH];
        if (!f || !pio_field_legal(f, variant)) {
            pio_cfg_unknown_key(doc, node->keys[i], path, table, variant);
            continue;
        }
        snprintf(sub, sizeof sub, "%.400s%s%s", path, *path ? "." : "", f->key);
        value(doc, node->items[i], sub, f, owner);
    }
    for (const cfg_field *f = table->fields; f->key; f++) {
        char unit[40] = "";
        if (!pio_field_required(f, variant) || pio_cfg_get(node, f->key, NULL)) continue;
        if (*pio_quantity_unit(f->quantity)) snprintf(unit, sizeof unit, ", %s", pio_quantity_unit(f->quantity));
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "the required key '%s' is missing (%s%s)", f->key,
                       f->meaning, unit);
    }
    check_choice(doc, node, path, &table->choice, variant);
    return true;
}

bool pio_cfg_decode(cfg_doc *doc, const cfg_table *table, void *out)
{
    set_defaults(doc, table, out);
    mapping(doc, doc->root, "", table, out);
    return !doc->n_messages && !doc->no_memory && !doc->stopped;
}
