/* table.c -- see table.h: the table, and reading a member's result.json. */
#include "host/sweep/table.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the result of a member";

/* A result.json that is read, for one member. */
typedef struct {
    pio_table *t;
    int64_t member;
    bool no_memory;
} reader;

piola_status pio_table_create(pio_table *t, const pio_members *members, piola_error *error)
{
    *t = (pio_table){.members = members};
    t->ends = pio_pool_take(&t->pool, (size_t)members->n * sizeof *t->ends);
    if (!t->ends) return pio_fail_memory(error, (size_t)members->n * sizeof *t->ends, "the table of a sweep");
    for (int64_t i = 0; i < members->n; i++) t->ends[i].exit = -1;
    return PIOLA_OK;
}

void pio_table_free(pio_table *t)
{
    free(t->columns);
    pio_pool_free(&t->pool);
    t->columns = NULL;
    t->n_columns = t->room = 0;
}

/* ---- columns --------------------------------------------------------------------------------------------- */

static pio_table_column *new_column(pio_table *t, const char *name)
{
    if (t->n_columns == t->room) {
        const size_t room = 2 * t->room + 16;
        pio_table_column *columns = realloc(t->columns, room * sizeof *columns);
        if (!columns) return NULL;
        t->columns = columns;
        t->room = room;
    }
    pio_table_column *c = &t->columns[t->n_columns];
    *c = (pio_table_column){.name = pio_pool_text(&t->pool, name, strlen(name)), .inner = 1};
    c->cells = pio_pool_take(&t->pool, (size_t)t->members->n * sizeof *c->cells);
    if (!c->name || !c->cells) return NULL;
    t->n_columns++;
    return c;
}

/* Returns room for n values of the reader's member in the column `group`/`name`/`last`, of which the latter two may be
 * NULL; NULL without memory. */
static double *cells_of(reader *r, const char *group, const char *name, const char *last, size_t n, size_t inner)
{
    char path[1100];
    pio_table *t = r->t;
    pio_table_column *c = NULL;
    snprintf(path, sizeof path, "%s%s%.1000s%s%s", group, name ? "/" : "", name ? name : "", last ? "/" : "",
             last ? last : "");
    for (size_t i = 0; i < t->n_columns && !c; i++)
        if (!strcmp(t->columns[i].name, path)) c = &t->columns[i];
    if (!c) c = new_column(t, path);
    double *v = c ? pio_pool_take(&t->pool, (n + 1) * sizeof *v) : NULL;
    r->no_memory |= !v;
    if (!v) return NULL;
    c->cells[r->member] = (pio_cells){v, n};
    if (n > c->most) c->most = n;
    if (inner > c->inner) c->inner = inner;
    return v;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

/* Adds a number, or a list of numbers. */
static void add_numbers(reader *r, const char *group, const char *name, const char *last, const cfg_node *node)
{
    const bool list = node && node->kind == CFG_SEQUENCE;
    if (!node || node->kind == CFG_PAIRS) return;
    const size_t n = list ? node->n : 1;
    double *v = cells_of(r, group, name, last, n, 1);
    for (size_t i = 0; v && i < n; i++) v[i] = pio_cfg_number_of(list ? node->items[i] : node);
}

/* Adds the samples of an observation, a list of lists. */
static void add_samples(reader *r, const char *name, const cfg_node *node)
{
    if (!node || node->kind != CFG_SEQUENCE) return;
    const size_t inner = node->n ? node->items[0]->n : 0;
    for (size_t k = 0; k < node->n; k++)
        if (node->items[k]->kind != CFG_SEQUENCE || node->items[k]->n != inner) return;
    double *v = cells_of(r, "observations", name, "value", node->n * inner, inner);
    for (size_t k = 0; v && k < node->n; k++)
        for (size_t c = 0; c < inner; c++) v[k * inner + c] = pio_cfg_number_of(node->items[k]->items[c]);
}

static const cfg_node *mapping_of(const cfg_node *root, const char *key)
{
    const cfg_node *node = pio_cfg_get(root, key, NULL);
    return node && node->kind == CFG_PAIRS ? node : NULL;
}

static void add_constraints(reader *r, const cfg_node *list)
{
    for (size_t i = 0; list && list->kind == CFG_SEQUENCE && i < list->n; i++) {
        const cfg_node *c = list->items[i];
        const cfg_node *name = c->kind == CFG_PAIRS ? pio_cfg_get(c, "constraint", NULL) : NULL;
        if (name && name->kind == CFG_SCALAR)
            add_numbers(r, "constraints", name->text, NULL, pio_cfg_get(c, "value", NULL));
    }
}

static void add_all(reader *r, const cfg_node *root)
{
    const cfg_node *terms = mapping_of(root, "terms"), *observations = mapping_of(root, "observations"),
                   *parameters = mapping_of(root, "parameters"), *objective = pio_cfg_get(root, "objective", NULL);
    if (terms && terms->n) add_numbers(r, "objective", NULL, NULL, objective);
    for (size_t i = 0; terms && i < terms->n; i++) add_numbers(r, "terms", terms->keys[i]->text, NULL, terms->items[i]);
    add_constraints(r, pio_cfg_get(root, "constraints", NULL));
    for (size_t i = 0; parameters && i < parameters->n; i++) {
        const cfg_node *p = parameters->items[i];
        if (p->kind != CFG_PAIRS) continue;
        add_numbers(r, "design", parameters->keys[i]->text, NULL, pio_cfg_get(p, "value", NULL));
        add_numbers(r, "gradient", parameters->keys[i]->text, NULL, pio_cfg_get(p, "gradient", NULL));
    }
    for (size_t i = 0; observations && i < observations->n; i++) {
        const cfg_node *o = observations->items[i];
        if (o->kind != CFG_PAIRS) continue;
        add_numbers(r, "observations", observations->keys[i]->text, "time", pio_cfg_get(o, "time", NULL));
        add_samples(r, observations->keys[i]->text, pio_cfg_get(o, "value", NULL));
    }
}

bool pio_table_exit(pio_table *t, const char *path, int *exit, const char **message)
{
    cfg_doc doc;
    cfg_node *root = NULL;
    bool found = false;
    if (pio_cfg_json(&doc, path, what, &root, NULL) == PIOLA_OK) {
        const cfg_node *code = pio_cfg_get(root, "exit", NULL), *why = pio_cfg_get(root, "message", NULL);
        const double value = pio_cfg_number_of(code);
        found = value >= 0 && value < 256;
        if (found) *exit = (int)value;
        *message = found && why && why->kind == CFG_SCALAR ? pio_pool_text(&t->pool, why->text, strlen(why->text)) : "";
    }
    pio_cfg_free(&doc);
    return found;
}

piola_status pio_table_text(pio_table *t, const char *path, const char *key, const char **text, piola_error *error)
{
    cfg_doc doc;
    cfg_node *root = NULL;
    *text = NULL;
    piola_status rc = pio_cfg_json(&doc, path, what, &root, error);
    const cfg_node *node = rc ? NULL : pio_cfg_get(root, key, NULL);
    if (!rc && (!node || node->kind != CFG_SCALAR || node->plain))
        rc = pio_fail(error, PIOLA_BAD_DATA, "%.1000s: it has no text '%s'", path, key);
    if (!rc && !(*text = pio_pool_text(&t->pool, node->text, strlen(node->text))))
        rc = pio_fail_memory(error, strlen(node->text), "the text of a file");
    pio_cfg_free(&doc);
    return rc;
}

piola_status pio_table_add(pio_table *t, int64_t member, const char *path, piola_error *error)
{
    cfg_doc doc;
    cfg_node *root = NULL;
    reader r = {t, member, false};
    const pio_locale old = pio_locale_begin();
    piola_status rc = pio_cfg_json(&doc, path, what, &root, error);
    if (!rc) add_all(&r, root);
    if (r.no_memory) rc = pio_fail_memory(error, 1 << 20, "the table of a sweep");
    pio_cfg_free(&doc);
    pio_locale_end(old);
    return rc;
}
