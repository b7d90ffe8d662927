/* config_message.c -- messages about faults, which are kept with their places, sorted, and shown with the source line
 * and a caret. */
#include "host/config/config.h"
#include "host/base/fail.h"
#include "host/base/nearest.h"
#include "piola.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 1000 /* messages that are kept; more are only counted */

static void keep(cfg_doc *doc, piola_status status, cfg_mark mark, const char *path, const char *format, va_list args)
{
    char text[PIO_PATH + 1024]; /* a message may name a file */
    int head = *path ? snprintf(text, sizeof text, "%.300s: ", path) : 0;
    vsnprintf(text + head, sizeof text - (size_t)head, format, args);
    if (doc->n_messages == KEPT) {
        doc->lost++;
        return;
    }
    if (doc->n_messages == doc->room) {
        size_t room = doc->room ? 2 * doc->room : 16;
        cfg_message *grown = pio_pool_take(&doc->pool, room * sizeof *grown);
        if (!grown) {
            doc->no_memory = true;
            return;
        }
        if (doc->n_messages) memcpy(grown, doc->messages, doc->n_messages * sizeof *grown);
        doc->messages = grown;
        doc->room = room;
    }
    char *own = pio_pool_text(&doc->pool, text, strlen(text));
    if (!own) {
        doc->no_memory = true;
        return;
    }
    doc->messages[doc->n_messages] = (cfg_message){status, mark, own, doc->n_messages};
    doc->n_messages++;
}

void pio_cfg_report(cfg_doc *doc, piola_status status, cfg_mark mark, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    keep(doc, status, mark, path, format, args);
    va_end(args);
}

void pio_cfg_fault(cfg_doc *doc, const char *path, const char *format, ...)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, path, &found);
    va_list args;
    va_start(args, format);
    keep(doc, PIOLA_BAD_DATA, node->mark, path, format, args);
    va_end(args);
}

/* Returns where the character of a scalar is: in the same line behind its mark, where the file has the text there. */
static cfg_mark within(const cfg_node *node, size_t offset)
{
    cfg_mark mark = node->mark;
    const char *line = mark.file ? mark.file->text : NULL, *at = line;
    for (int n = 1; line && n < mark.line; n++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    for (int column = 1; line && *line && column < mark.column; line++)
        if (((unsigned char)line[1] & 0xC0) != 0x80) column++;
    at = line;
    if (at && !node->plain && (*at == '"' || *at == '\'')) at++;
    if (node->kind != CFG_SCALAR || !at || strncmp(at, node->text, strlen(node->text)) != 0) return mark;
    mark.column += (int)(at - line) + (int)offset;
    return mark;
}

void pio_cfg_fault_within(cfg_doc *doc, const char *path, size_t offset, const char *format, ...)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, path, &found);
    va_list args;
    va_start(args, format);
    keep(doc, PIOLA_BAD_DATA, found ? within(node, offset) : node->mark, path, format, args);
    va_end(args);
}

const char *pio_cfg_printable(cfg_doc *doc, const char *text)
{
    char out[80];
    size_t n = 0;
    for (; text[n] && n < 60; n++) out[n] = (unsigned char)text[n] < 32 || text[n] == 127 ? '?' : text[n];
    if (text[n]) {
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--; /* do not cut within a character */
        memcpy(out + n, "...", 3);
        n += 3;
    }
    const char *own = pio_pool_text(&doc->pool, out, n);
    if (!own) doc->no_memory = true;
    return own ? own : "?";
}

/* ---- did you mean -------------------------------------------------------------------------------------- */

const char *pio_cfg_did_you_mean(cfg_doc *doc, const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = pio_nearest(word, candidates, n);
    char text[160];
    if (!nearest) return "";
    snprintf(text, sizeof text, "; did you mean '%.100s'?", nearest);
    const char *own = pio_pool_text(&doc->pool, text, strlen(text));
    return own ? own : "";
}

const char *pio_cfg_join(cfg_doc *doc, const char *const *words, size_t n)
{
    char text[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (used + strlen(words[i]) + 8 > sizeof text) {
            memcpy(text + used, ", ...", 6);
            used += 5;
            break;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *own = pio_pool_text(&doc->pool, text, used);
    return own ? own : "";
}

/* ---- keys ------------------------------------------------------------------------------------------------- */

/* Returns the table at a path such as materials[0] below another one, or NULL. */
static const cfg_table *table_at(const cfg_table *table, const char *path)
{
    char word[CFG_PATH];
    while (table && *path) {
        const size_t length = strcspn(path, ".[");
        snprintf(word, sizeof word, "%.*s", (int)length, path);
        const cfg_field *f = pio_table_field(table, word);
        table = f ? f->table : NULL;
        path += length;
        if (*path == '[') path += strcspn(path, "]");
        path += strspn(path, "].");
    }
    return table;
}

void pio_cfg_unknown_key(cfg_doc *doc, const cfg_node *key, const char *path, const cfg_table *table, int variant)
{
    const char *keys[64];
    size_t n = 0;
    const cfg_field *own = pio_table_field(table, key->text);
    for (const cfg_field *f = table->fields; f->key && n < 64; f++)
        if (pio_field_legal(f, variant)) keys[n++] = f->key;
    const char *known = pio_cfg_join(doc, keys, n);
    const cfg_table *other = own ? NULL : table_at(doc->other, path);
    if (own) {
        const cfg_field *tag = pio_table_field(table, table->discriminator);
        const char *having[CFG_MOST_VALUES];
        n = 0;
        for (int v = 0; tag->values[v]; v++)
            if (pio_value_legal(tag, v) && pio_field_legal(own, v)) having[n++] = tag->values[v];
        pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path, "'%s' is not a key of %s '%s', but of %s; its keys: %s",
                       key->text, tag->key, tag->values[variant], pio_cfg_join(doc, having, n), known);
    } else if (other && pio_table_field(other, key->text)) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path, "'%s' is a key of %s, and this is none; known here: %s",
                       key->text, doc->other_kind, known);
    } else if (strcmp(key->text, "<<") == 0) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path, "merge keys '<<' are not in YAML 1.2; write the keys out");
    } else {
        const char *near = pio_cfg_did_you_mean(doc, key->text, keys, n);
        pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path, "unknown key '%s'%s%s%s",
                       pio_cfg_printable(doc, key->text), near, *near ? "" : "; known: ", *near ? "" : known);
    }
}

/* ---- output -------------------------------------------------------------------------------------------- */

/* Returns the start of a line; line breaks are \n, \r and \r\n. */
static const char *line_start(const cfg_file *file, int line)
{
    const char *at = file->text, *end = file->text + file->size;
    for (int l = 1; l < line && at < end; at++)
        if (*at == '\n' || (*at == '\r' && at[1] != '\n')) l++;
    return at;
}

/* Writes at most 100 characters before the column and 60 after it; tabs and control characters become blanks and '?'.
 */
void pio_cfg_excerpt(cfg_mark mark, char *out, size_t size)
{
    enum { BEFORE = 100, BEHIND = 60 };
    char line[4 * (BEFORE + BEHIND) + 16];
    const char *at = line_start(mark.file, mark.line), *end = mark.file->text + mark.file->size;
    int column = 1, caret = 0;
    size_t used = 0;
    if (mark.column > BEFORE) {
        memcpy(line, "...", 3);
        used = 3;
        caret = 3;
    }
    for (; at < end && *at != '\n' && *at != '\r' && column < mark.column + BEHIND; at++) {
        unsigned char c = (unsigned char)*at;
        bool starts = (c & 0xC0) != 0x80;
        if (column > mark.column - BEFORE && used + 2 < sizeof line) {
            line[used++] = c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : (char)c;
            if (starts && column < mark.column) caret++;
        }
        if (starts) column++;
    }
    if (column < mark.column) caret += mark.column - column;
    if (caret > BEFORE + 3) caret = BEFORE + 3;
    snprintf(out, size, "  %4d | %.*s\n       | %*s^", mark.line, (int)used, line, caret, "");
}

static int by_place(const void *a, const void *b)
{
    const cfg_message *p = a, *q = b;
    if (p->mark.file->order != q->mark.file->order) return p->mark.file->order < q->mark.file->order ? -1 : 1;
    if (p->mark.line != q->mark.line) return p->mark.line < q->mark.line ? -1 : 1;
    if (p->mark.column != q->mark.column) return p->mark.column < q->mark.column ? -1 : 1;
    return p->order < q->order ? -1 : 1;
}

piola_status pio_cfg_print_messages(cfg_doc *doc, FILE *to, piola_error *error)
{
    piola_status status = PIOLA_OK;
    doc->no_memory |= doc->n_messages && piola_refused_bytes(); /* lack of memory may look like a fault of the scene */
    if (pio_cfg_stop(doc)) {
        status = pio_fail(error, doc->stopped, "%s", doc->why.message);
        if (to) fprintf(to, "piola: error: %s\n", doc->why.message);
    } else if (doc->no_memory) {
        status = pio_fail(error, PIOLA_NO_MEMORY, "no memory to read the scene");
        if (to) fprintf(to, "piola: error: no memory to read the scene\n");
    } else if (doc->n_messages) {
        qsort(doc->messages, doc->n_messages, sizeof *doc->messages, by_place);
        status = doc->messages[0].status;
    }
    if (error) {
        error->status = status;
        error->failure = (piola_failure){0};
    }
    for (size_t i = 0; i < doc->n_messages && !doc->no_memory && !doc->stopped; i++) {
        const cfg_message *m = &doc->messages[i];
        char line[2 * PIO_PATH + 2048], excerpt[1024];
        const bool placed = m->mark.line > 0;
        if (placed)
            snprintf(line, sizeof line, "%s:%d:%d: error: %s", m->mark.file->name, m->mark.line, m->mark.column,
                     m->text);
        else
            snprintf(line, sizeof line, "%s", m->text);
        if (i == 0) pio_fail(error, status, "%s", line);
        if (i == CFG_MAX_SHOWN || !to) break;
        fprintf(to, "%s%s\n", placed ? "" : "piola: error: ", line);
        if (!placed) continue;
        pio_cfg_excerpt(m->mark, excerpt, sizeof excerpt);
        fprintf(to, "%s\n", excerpt);
    }
    size_t all = doc->n_messages + doc->lost;
    if (to && all > CFG_MAX_SHOWN) fprintf(to, "... and %zu more\n", all - CFG_MAX_SHOWN);
    return status;
}
