/* config_merge.c -- one tree from the main file, the files it includes and the overrides. */
#include "host/config/config.h"
#include "host/base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct chain { /* the files that are being loaded, innermost first */
    const struct chain *up;
    const char *real;
} chain;

cfg_file *pio_cfg_file(cfg_doc *doc, const char *name, const char *text, size_t size)
{
    cfg_file *file = pio_pool_take(&doc->pool, sizeof *file);
    char *own_name = pio_pool_text(&doc->pool, name, strlen(name)), *own = pio_pool_text(&doc->pool, text, size);
    if (!file || !own_name || !own) {
        doc->no_memory = true;
        return NULL;
    }
    *file = (cfg_file){own_name, own, size, doc->n_files++, false};
    return file;
}

void pio_cfg_input(cfg_doc *doc, const char *path, const char sha256[PIO_SHA256_TEXT])
{
    cfg_input **at = &doc->inputs;
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->path, path) == 0) return;
    cfg_input *input = pio_pool_take(&doc->pool, sizeof *input);
    if (input) input->path = pio_pool_text(&doc->pool, path, strlen(path));
    if (!input || !input->path) {
        doc->no_memory = true;
        return;
    }
    memcpy(input->sha256, sha256, PIO_SHA256_TEXT);
    *at = input;
}

/* Merges two trees, both of which are consumed: keys of `over` take precedence, mappings are merged, everything else is
 * replaced. */
static cfg_node *merge(cfg_doc *doc, cfg_node *under, cfg_node *over)
{
    if (!under || under->kind != CFG_PAIRS || over->kind != CFG_PAIRS) return over;
    under->mark = over->mark;
    for (size_t i = 0; i < over->n; i++) {
        size_t at = 0;
        while (at < under->n && strcmp(under->keys[at]->text, over->keys[i]->text) != 0) at++;
        if (at < under->n) {
            under->keys[at] = over->keys[i];
            under->items[at] = merge(doc, under->items[at], over->items[i]);
        } else if (!pio_cfg_put(doc, under, over->keys[i], over->items[i])) {
            return under;
        }
    }
    return under;
}

void pio_cfg_drop(cfg_node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->n; i++) {
        if (strcmp(mapping->keys[i]->text, key) != 0) continue;
        mapping->n--;
        for (; i < mapping->n; i++) {
            mapping->keys[i] = mapping->keys[i + 1];
            mapping->items[i] = mapping->items[i + 1];
        }
    }
}

static cfg_node *load(cfg_doc *doc, const char *path, const cfg_node *from, const chain *up);

/* Writes what would be right for a file that lies beside the one that includes it, in another folder than the scene's;
 * "" if there is no such file. */
static void hint_beside(const cfg_doc *doc, const cfg_node *name, char *hint, size_t size)
{
    const char *own = name->mark.file->name, *slash = strrchr(own, '/');
    const size_t folder = strlen(doc->folder);
    char beside[PATH_MAX];
    hint[0] = '\0';
    if (!slash || snprintf(beside, sizeof beside, "%.*s/%s", (int)(slash - own), own, name->text) >= PATH_MAX) return;
    if (access(beside, F_OK)) return;
    const char *right = strncmp(beside, doc->folder, folder) || beside[folder] != '/' ? beside : beside + folder + 1;
    if (!strcmp(right, name->text)) return;
    snprintf(hint, size, "; names are as seen from the scene's folder, from which it is '%.400s'",
             strncmp(right, "./", 2) ? right : right + 2);
}

static cfg_node *include_one(cfg_doc *doc, cfg_node *base, const cfg_node *name, const chain *up)
{
    char path[PATH_MAX], hint[512];
    piola_error error;
    if (name->kind != CFG_SCALAR) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, name->mark, "include", "expected a file name or a list of file names");
        doc->broken = true;
        return base;
    }
    piola_status status = pio_path_beneath(doc->folder, name->text, &doc->allowed, path, sizeof path, &error);
    cfg_node *sub = status ? NULL : load(doc, path, name, up);
    if (status) hint_beside(doc, name, hint, sizeof hint);
    if (status) pio_cfg_report(doc, status, name->mark, "include", "%s%s", error.message, hint);
    doc->broken |= !sub;
    return sub ? merge(doc, base, sub) : base;
}

/* Loads the root mapping of a file, with its includes merged below it. `from` is the including node; NULL: it is the
 * main file. */
static cfg_node *load(cfg_doc *doc, const char *path, const cfg_node *from, const chain *up)
{
    char real[PATH_MAX], sha256[PIO_SHA256_TEXT], *text = NULL;
    size_t size = doc->contents_size;
    piola_error error;
    const bool in_memory = !from && doc->contents;
    if (!realpath(path, real)) snprintf(real, sizeof real, "%s", path);
    for (const chain *c = up; c; c = c->up) {
        if (strcmp(c->real, real) != 0) continue;
        pio_cfg_report(doc, PIOLA_BAD_DATA, from->mark, "include", "'%s' includes itself%s; break the circle",
                       pio_cfg_printable(doc, from->text), c == up ? "" : " by way of others");
        return NULL;
    }
    if (doc->n_files >= CFG_MAX_FILES) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, from->mark, "include", "more than %d files are included", CFG_MAX_FILES);
        return NULL;
    }
    piola_status status = PIOLA_OK;
    if (!in_memory) status = pio_file_read(path, CFG_MAX_BYTES, &text, &size, &error);
    if (status) {
        cfg_file *nowhere = from ? NULL : pio_cfg_file(doc, path, "", 0);
        if (from) pio_cfg_report(doc, status, from->mark, "include", "%s", error.message);
        if (nowhere) pio_cfg_report(doc, status, (cfg_mark){nowhere, 0, 0}, "", "%s", error.message);
        return NULL;
    }
    const char *all = in_memory ? doc->contents : text;
    const size_t mark = size >= 3 && !memcmp(all, "\xEF\xBB\xBF", 3) ? 3 : 0; /* bytes of a byte order mark */
    pio_sha256_of(all, size, sha256);
    pio_cfg_input(doc, path, sha256);
    cfg_file *file = pio_cfg_file(doc, path, all + mark, size - mark);
    if (file && !from) doc->text = pio_pool_text(&doc->pool, all, size);
    if (!in_memory) free(text);
    if (!file) return NULL;
    cfg_node *root = pio_cfg_parse(doc, file, file->text, file->size, 0);
    if (!root) return NULL;
    if (root->kind != CFG_PAIRS) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, root->mark, "", "expected a mapping of keys such as 'version: 1', got a %s",
                       root->kind == CFG_SCALAR ? "text" : "list");
        return NULL;
    }
    const cfg_node *include = pio_cfg_get(root, "include", NULL);
    if (!include) return root;
    cfg_node *base = NULL;
    chain here = {up, real};
    if (include->kind == CFG_SEQUENCE)
        for (size_t i = 0; i < include->n; i++) base = include_one(doc, base, include->items[i], &here);
    else
        base = include_one(doc, base, include, &here);
    pio_cfg_drop(root, "include");
    return merge(doc, base, root);
}

/* ---- overrides ----------------------------------------------------------------------------------------- */

typedef struct step { /* one part of a path: a name or an index */
    char name[CFG_PATH];
    size_t index;
    bool by_index;
    int column;
} step;

/* Reads the next part of "a.b[0].c" at *at. Returns false at its end or when it is malformed (then *fault is set). */
static bool next_step(const char *text, size_t *at, size_t end, step *s, bool *fault)
{
    if (*at == end) return false;
    s->column = (int)*at + 1;
    s->by_index = text[*at] == '[';
    if (s->by_index) {
        char *stop;
        s->index = strtoul(text + *at + 1, &stop, 10);
        *fault = *stop != ']' || stop == text + *at + 1 || text[*at + 1] == '-' || text[*at + 1] == '+';
        *at = (size_t)(stop - text) + 1;
    } else {
        size_t length = strcspn(text + *at, ".[=");
        *fault = length == 0 || length >= CFG_PATH;
        snprintf(s->name, sizeof s->name, "%.*s", (int)(*fault ? 0 : length), text + *at);
        *at += length;
    }
    if (!*fault && *at < end && text[*at] == '.') {
        ++*at;
        *fault = *at == end;
    } else if (!*fault && *at < end && text[*at] != '[') {
        *fault = true;
    }
    return !*fault;
}

/* Returns the index of an entry of a list, which is given by index or by the entry's `name`. */
static size_t list_place(cfg_doc *doc, const cfg_node *list, const step *s, cfg_mark mark)
{
    const char *names[CFG_MAX_KEYS] = {NULL};
    size_t n = 0;
    if (s->by_index && s->index < list->n) return s->index;
    for (size_t i = 0; i < list->n && !s->by_index; i++) {
        const cfg_node *own = pio_cfg_get(list->items[i], "name", NULL);
        if (!own || own->kind != CFG_SCALAR) continue;
        if (strcmp(own->text, s->name) == 0) return i;
        if (n < CFG_MAX_KEYS) names[n++] = own->text;
    }
    if (s->by_index)
        pio_cfg_report(doc, PIOLA_BAD_DATA, mark, "",
                       "the list has %zu entries; [%zu] is not one of them (the first is [0])", list->n, s->index);
    else
        pio_cfg_report(doc, PIOLA_BAD_DATA, mark, "", "no entry is named '%s'%s", pio_cfg_printable(doc, s->name),
                       pio_cfg_did_you_mean(doc, s->name, names, n));
    return list->n;
}

/* Returns where the value of step `s` below `at` is stored; a missing key is added. Returns NULL after a fault. */
static cfg_node **slot(cfg_doc *doc, cfg_node *at, const step *s, cfg_mark mark)
{
    if (at->kind == CFG_SEQUENCE) {
        size_t place = list_place(doc, at, s, mark);
        return place < at->n ? &at->items[place] : NULL;
    }
    if (at->kind == CFG_SCALAR || s->by_index) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, mark, "", "%s",
                       at->kind == CFG_SCALAR ? "the scene has a single value here, nothing below it can be set"
                                              : "an index is for a list, but here is a mapping; give a key");
        return NULL;
    }
    for (size_t i = 0; i < at->n; i++)
        if (strcmp(at->keys[i]->text, s->name) == 0) return &at->items[i];
    cfg_node *key = pio_cfg_node(doc, CFG_SCALAR, mark), *empty = pio_cfg_node(doc, CFG_PAIRS, mark);
    if (!key || !empty) return NULL;
    key->text = pio_pool_text(&doc->pool, s->name, strlen(s->name));
    if (!key->text) {
        doc->no_memory = true;
        return NULL;
    }
    return pio_cfg_put(doc, at, key, empty) ? &at->items[at->n - 1] : NULL;
}

void pio_cfg_place(cfg_doc *doc, const char *text, size_t length, cfg_mark first, cfg_node *value)
{
    cfg_node **place = &doc->root;
    step s = {.column = 1};
    size_t at = 0;
    bool fault = false;
    cfg_mark mark = first;
    while (next_step(text, &at, length, &s, &fault)) {
        mark.column = first.column + s.column - 1;
        if (place == &doc->root && !s.by_index && strcmp(s.name, "include") == 0) {
            pio_cfg_report(doc, PIOLA_BAD_DATA, mark, "", "include cannot be set; write it in the scene");
            return;
        }
        place = slot(doc, *place, &s, mark);
        if (!place) return;
    }
    mark.column = first.column + s.column - 1;
    if (fault)
        pio_cfg_report(doc, PIOLA_BAD_DATA, mark, "",
                       "malformed path; write it as materials[0].E%s or materials.NAME.E%s",
                       first.file->set ? "=value" : "", first.file->set ? "=value" : "");
    else
        *place = value;
}

/* Applies an override, KEY=VALUE of the command line, which replaces the value of the file. */
static void override(cfg_doc *doc, const char *set)
{
    cfg_file *file = pio_cfg_file(doc, "--set", set, strlen(set));
    if (!file) return;
    file->set = true;
    const char *equals = strchr(set, '=');
    const size_t end = equals ? (size_t)(equals - set) : 0;
    if (!equals || !end) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, (cfg_mark){file, 1, 1}, "", "expected path=value, such as time.dt=1 ms");
        return;
    }
    cfg_node *value = pio_cfg_parse(doc, file, file->text + end + 1, strlen(set) - end - 1, (int)end + 1);
    if (value) pio_cfg_place(doc, set, end, (cfg_mark){file, 1, 1}, value);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

bool pio_cfg_load(cfg_doc *doc, const char *path, const char *const *sets, size_t n_sets)
{
    const char *slash = strrchr(path, '/');
    doc->folder = slash ? pio_pool_text(&doc->pool, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
    if (!doc->folder) doc->no_memory = true;
    if (!doc->no_memory) doc->root = load(doc, path, NULL, NULL);
    size_t before = doc->n_messages;
    for (size_t i = 0; i < n_sets && doc->root && !doc->no_memory; i++) override(doc, sets[i]);
    return doc->root && !doc->broken && doc->n_messages == before && !doc->no_memory && !doc->stopped;
}

void pio_cfg_free(cfg_doc *doc)
{
    pio_pool_free(&doc->pool);
    *doc = (cfg_doc){0};
}
