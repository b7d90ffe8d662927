/* config_tree.c -- the tree of nodes that know their line and column: how it is built and queried. */
#include "host/config/config.h"
#include "host/base/decimal.h"
#include "host/base/stop.h"

#include <stdlib.h>
#include <string.h>

bool pio_cfg_stop(cfg_doc *doc)
{
    if (!doc->stopped) doc->stopped = pio_stop("reading the scene", &doc->why);
    return doc->stopped != PIOLA_OK;
}

cfg_node *pio_cfg_node(cfg_doc *doc, cfg_kind kind, cfg_mark mark)
{
    cfg_node *node = pio_pool_take(&doc->pool, sizeof *node);
    if (!node) {
        doc->no_memory = true;
        return NULL;
    }
    node->kind = kind;
    node->mark = mark;
    return node;
}

bool pio_cfg_put(cfg_doc *doc, cfg_node *to, cfg_node *key, cfg_node *item)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 8;
        cfg_node **items = pio_pool_take(&doc->pool, room * sizeof(cfg_node *));
        cfg_node **keys = pio_pool_take(&doc->pool, room * sizeof(cfg_node *));
        if (!items || !keys) {
            doc->no_memory = true;
            return false;
        }
        if (to->n) {
            memcpy(items, to->items, to->n * sizeof(cfg_node *));
            memcpy(keys, to->keys, to->n * sizeof(cfg_node *));
        }
        to->items = items;
        to->keys = keys;
        to->room = room;
    }
    to->items[to->n] = item;
    to->keys[to->n++] = key;
    if (to->height <= item->height) to->height = item->height + 1;
    return true;
}

cfg_node *pio_cfg_get(const cfg_node *mapping, const char *key, cfg_node **key_node)
{
    if (key_node) *key_node = NULL;
    if (!mapping || mapping->kind != CFG_PAIRS) return NULL;
    for (size_t i = 0; i < mapping->n; i++) {
        if (strcmp(mapping->keys[i]->text, key) != 0) continue;
        if (key_node) *key_node = mapping->keys[i];
        return mapping->items[i];
    }
    return NULL;
}

/* Returns the entry of a list of mappings with this name. */
static cfg_node *entry(const cfg_node *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        const cfg_node *own = pio_cfg_get(list->items[i], "name", NULL);
        if (own && own->kind == CFG_SCALAR && strcmp(own->text, name) == 0) return list->items[i];
    }
    return NULL;
}

cfg_node *pio_cfg_find(cfg_node *from, const char *path, bool *found)
{
    cfg_node *at = from;
    *found = true;
    while (*path && at) {
        cfg_node *next = NULL;
        if (*path == '[') {
            char *end;
            size_t index = strtoul(path + 1, &end, 10);
            if (at->kind == CFG_SEQUENCE && index < at->n) next = at->items[index];
            path = *end == ']' ? end + 1 : end + strlen(end);
        } else {
            size_t length = strcspn(path, ".[");
            char word[CFG_PATH];
            snprintf(word, sizeof word, "%.*s", (int)length, path);
            if (at->kind == CFG_PAIRS) next = pio_cfg_get(at, word, NULL);
            if (at->kind == CFG_SEQUENCE) next = entry(at, word);
            path += length;
        }
        if (!next) {
            *found = false;
            break;
        }
        at = next;
        if (*path == '.') path++;
    }
    return at;
}

/* ---- what a node is ------------------------------------------------------------------------------------- */

static bool one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

const char *pio_cfg_kind_of(const cfg_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const booleans[] = {"true", "True", "TRUE", "false", "False", "FALSE", NULL};
    if (node->kind == CFG_SEQUENCE) return "a list";
    if (node->kind == CFG_PAIRS) return "a mapping";
    if (!node->plain) return "a text in quotes";
    if (one_of(node->text, nulls)) return "nothing";
    if (one_of(node->text, booleans)) return "a boolean";
    size_t length = pio_number_length(node->text);
    return length && !node->text[length] ? "a number" : "a text";
}

bool pio_cfg_is_text(const cfg_node *node)
{
    return node->kind == CFG_SCALAR && (!node->plain || strcmp(pio_cfg_kind_of(node), "a text") == 0);
}
