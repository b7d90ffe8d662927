/* config_yaml.c -- YAML text to a tree of nodes that know their line and column. */
#include "host/config/config.h"

#include <string.h>
#include <yaml.h>

typedef struct anchor {
    struct anchor *next;
    const char *name;
    cfg_node *node; /* NULL until the node is complete */
} anchor;

typedef struct reader {
    cfg_doc *doc;
    const cfg_file *file;
    yaml_parser_t parser;
    const char *text; /* text that is parsed: the file's, or its part after '=' */
    size_t size;
    size_t breaks; /* line breaks in the text */
    anchor *anchors;
    size_t n_anchors;
    int column; /* columns that are added in the first line */
} reader;

static cfg_mark shifted(const reader *r, size_t line, size_t column)
{
    return (cfg_mark){r->file, (int)line + 1, (int)column + 1 + (line == 0 ? r->column : 0)};
}

/* Returns line and column of a byte, for faults that libyaml reports without them. */
static cfg_mark place_of_byte(const reader *r, size_t byte)
{
    size_t line = 0, column = 0;
    for (size_t i = 0; i < byte && i < r->size; i++) {
        if (r->text[i] == '\n') {
            line++;
            column = 0;
        } else if (((unsigned char)r->text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    return shifted(r, line, column);
}

/* Returns the place of a mark of libyaml, which puts the end of a text without a final new line into a line of its own.
 */
static cfg_mark place(const reader *r, yaml_mark_t mark)
{
    return mark.line > r->breaks ? place_of_byte(r, r->size) : shifted(r, mark.line, mark.column);
}

/* Returns whether the character with this index (libyaml counts characters) is a tab. */
static bool is_tab(const reader *r, size_t index)
{
    size_t i = 0;
    for (size_t seen = 0; i < r->size; i++)
        if (((unsigned char)r->text[i] & 0xC0) != 0x80 && seen++ == index) break;
    return i < r->size && r->text[i] == '\t';
}

static void syntax_fault(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "unreadable";
    if (p->error == YAML_MEMORY_ERROR) {
        r->doc->no_memory = true;
    } else if (p->error == YAML_READER_ERROR) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, place_of_byte(r, p->problem_offset), "",
                       "not a text file: %s; a scene is YAML in UTF-8", problem);
    } else {
        cfg_mark mark = place(r, p->problem_mark);
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "YAML: %s%s%s%s", problem, p->context ? ", " : "",
                       p->context ? p->context : "",
                       is_tab(r, p->problem_mark.index) ? "; indent with spaces, not with tabs" : "");
    }
}

static bool next_event(reader *r, yaml_event_t *event)
{
    if (pio_cfg_stop(r->doc)) return false;
    if (yaml_parser_parse(&r->parser, event)) return true;
    syntax_fault(r);
    return false;
}

static cfg_node *copy(reader *r, const cfg_node *from)
{
    if (++r->doc->copies > CFG_MAX_COPIES) return NULL;
    cfg_node *node = pio_cfg_node(r->doc, from->kind, from->mark);
    if (!node) return NULL;
    node->text = from->text;
    node->plain = from->plain;
    for (size_t i = 0; i < from->n; i++) {
        cfg_node *item = copy(r, from->items[i]);
        if (!item || !pio_cfg_put(r->doc, node, from->keys[i], item)) return NULL;
    }
    return node;
}

static cfg_node *expand(reader *r, const char *name, cfg_mark mark, int depth)
{
    const anchor *a = r->anchors;
    while (a && strcmp(a->name, name) != 0) a = a->next;
    if (!a) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "alias '*%s' has no anchor '&%s' above it",
                       pio_cfg_printable(r->doc, name), pio_cfg_printable(r->doc, name));
    } else if (!a->node) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "alias '*%s' stands inside its own anchor",
                       pio_cfg_printable(r->doc, name));
    } else if (depth + a->node->height > CFG_MAX_DEPTH) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "alias '*%s' nests deeper than %d levels",
                       pio_cfg_printable(r->doc, name), CFG_MAX_DEPTH);
    } else {
        cfg_node *node = copy(r, a->node);
        if (!node && !r->doc->no_memory)
            pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "aliases expand to more than %d values; write fewer",
                           CFG_MAX_COPIES);
        return node;
    }
    return NULL;
}

static bool reject_tag(reader *r, const yaml_char_t *tag, cfg_mark mark)
{
    if (!tag) return false;
    pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "tags are not read; remove '%s'",
                   pio_cfg_printable(r->doc, (const char *)tag));
    return true;
}

static anchor *open_anchor(reader *r, const yaml_char_t *name, cfg_mark mark)
{
    if (!name) return NULL;
    if (++r->n_anchors > CFG_MAX_ANCHORS) {
        if (r->n_anchors == CFG_MAX_ANCHORS + 1) /* reading stops */
            pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "more than %d anchors in one file", CFG_MAX_ANCHORS);
        return NULL;
    }
    anchor *a = pio_pool_take(&r->doc->pool, sizeof *a);
    char *text = pio_pool_text(&r->doc->pool, (const char *)name, strlen((const char *)name));
    if (!a || !text) {
        r->doc->no_memory = true;
        return NULL;
    }
    *a = (anchor){r->anchors, text, NULL};
    r->anchors = a;
    return a;
}

static cfg_node *read_node(reader *r, yaml_event_t *event, int depth);

/* Reads the node of the next event. Returns NULL at `end` or after a fault (then *fault is set). */
static cfg_node *read_next(reader *r, yaml_event_type_t end, int depth, bool *fault)
{
    yaml_event_t event;
    if (!next_event(r, &event)) {
        *fault = true;
        return NULL;
    }
    cfg_node *node = NULL;
    if (event.type != end) {
        node = read_node(r, &event, depth);
        *fault = !node;
    }
    yaml_event_delete(&event);
    return node;
}

static bool read_list(reader *r, cfg_node *list, int depth)
{
    bool fault = false;
    cfg_node *item;
    while ((item = read_next(r, YAML_SEQUENCE_END_EVENT, depth + 1, &fault)))
        if (!pio_cfg_put(r->doc, list, NULL, item)) return false;
    return !fault;
}

/* Restores the key `on`, which programs that read YAML 1.1 take for a boolean and write as `true`: no key of a scene
 * has that name. */
static void restore_on(cfg_node *key)
{
    static char on[] = "on";
    if (key->kind == CFG_SCALAR && (!strcmp(key->text, "true") || !strcmp(key->text, "True"))) key->text = on;
}

/* Returns whether a key is a scalar that the mapping does not have yet; reports it otherwise. */
static bool is_valid_key(reader *r, const cfg_node *mapping, const cfg_node *key)
{
    cfg_node *first;
    if (key->kind != CFG_SCALAR) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, key->mark, "", "a key must be a name, not a %s",
                       key->kind == CFG_SEQUENCE ? "list" : "mapping");
        return false;
    }
    if (pio_cfg_get(mapping, key->text, &first)) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, key->mark, "", "key '%s' occurs twice; the first is in line %d",
                       pio_cfg_printable(r->doc, key->text), first->mark.line);
        return false;
    }
    if (mapping->n == CFG_MAX_KEYS) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, key->mark, "", "more than %d keys in one mapping", CFG_MAX_KEYS);
        return false;
    }
    return true;
}

static bool read_pairs(reader *r, cfg_node *mapping, int depth)
{
    bool fault = false;
    cfg_node *key;
    while ((key = read_next(r, YAML_MAPPING_END_EVENT, depth + 1, &fault))) {
        restore_on(key);
        bool good = is_valid_key(r, mapping, key);
        cfg_node *item = read_next(r, YAML_NO_EVENT, depth + 1, &fault);
        if (!item) return false;
        if (!good && key->kind != CFG_SCALAR) continue;
        if (good && !pio_cfg_put(r->doc, mapping, key, item)) return false;
        if (mapping->n == CFG_MAX_KEYS && !good) return false;
    }
    return !fault;
}

static cfg_node *read_scalar(reader *r, const yaml_event_t *event, cfg_mark mark)
{
    cfg_node *node = pio_cfg_node(r->doc, CFG_SCALAR, mark);
    if (!node) return NULL;
    node->text = pio_pool_text(&r->doc->pool, (const char *)event->data.scalar.value, event->data.scalar.length);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!node->text) r->doc->no_memory = true;
    if (node->text && strlen(node->text) != event->data.scalar.length) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "a text must not contain \\0");
        return NULL;
    }
    return node->text ? node : NULL;
}

static cfg_node *read_node(reader *r, yaml_event_t *event, int depth)
{
    cfg_mark mark = place(r, event->start_mark);
    if (event->type == YAML_ALIAS_EVENT) return expand(r, (const char *)event->data.alias.anchor, mark, depth);
    if (depth > CFG_MAX_DEPTH) {
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "nested deeper than %d levels", CFG_MAX_DEPTH);
        return NULL;
    }
    cfg_node *node = NULL;
    anchor *a = NULL;
    bool good = true;
    if (event->type == YAML_SCALAR_EVENT) {
        if (reject_tag(r, event->data.scalar.tag, mark)) return NULL;
        a = open_anchor(r, event->data.scalar.anchor, mark);
        node = read_scalar(r, event, mark);
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        if (reject_tag(r, event->data.sequence_start.tag, mark)) return NULL;
        a = open_anchor(r, event->data.sequence_start.anchor, mark);
        node = pio_cfg_node(r->doc, CFG_SEQUENCE, mark);
        good = node && read_list(r, node, depth);
    } else {
        if (reject_tag(r, event->data.mapping_start.tag, mark)) return NULL;
        a = open_anchor(r, event->data.mapping_start.anchor, mark);
        node = pio_cfg_node(r->doc, CFG_PAIRS, mark);
        good = node && read_pairs(r, node, depth);
    }
    if (a) a->node = node;
    return good && !r->doc->no_memory && r->n_anchors <= CFG_MAX_ANCHORS ? node : NULL;
}

/* Returns whether the text has characters that are line breaks in YAML 1.1, which libyaml reads, and not in YAML 1.2.
 */
static bool has_other_line_breaks(reader *r)
{
    static const char *const breaks[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(r->text, breaks[i]);
        if (!at) continue;
        pio_cfg_report(r->doc, PIOLA_BAD_DATA, place_of_byte(r, (size_t)(at - r->text)), "",
                       "the line separators U+0085, U+2028 and U+2029 are not read; use an ordinary new line");
        return true;
    }
    return false;
}

static cfg_node *read_document(reader *r)
{
    yaml_event_t event;
    cfg_node *root = NULL;
    bool first = true, going = true;
    while (going && next_event(r, &event)) {
        cfg_mark mark = place(r, event.start_mark);
        if (event.type == YAML_DOCUMENT_START_EVENT) {
            const yaml_version_directive_t *version = event.data.document_start.version_directive;
            bool other = version && (version->major != 1 || version->minor != 2);
            if (!first) pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "a second document; one file holds one");
            if (other) pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "only YAML 1.2 is read; remove the directive");
            going = first && !other;
            first = false;
        } else if (event.type == YAML_STREAM_END_EVENT) {
            if (first)
                pio_cfg_report(r->doc, PIOLA_BAD_DATA, mark, "", "%s",
                               r->column ? "no value after '='"
                                         : "the file is empty; a scene starts with 'version: 1'");
            going = false;
        } else if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_END_EVENT) {
            root = read_node(r, &event, 1);
            going = root != NULL;
        }
        yaml_event_delete(&event);
    }
    return root;
}

cfg_node *pio_cfg_parse(cfg_doc *doc, const cfg_file *file, const char *text, size_t size, int column)
{
    reader r = {.doc = doc, .file = file, .text = text, .size = size, .column = column};
    for (size_t i = 0; i < size; i++) r.breaks += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    if (has_other_line_breaks(&r)) return NULL;
    if (!yaml_parser_initialize(&r.parser)) {
        doc->no_memory = true;
        return NULL;
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    cfg_node *root = read_document(&r);
    yaml_parser_delete(&r.parser);
    return doc->no_memory || doc->stopped ? NULL : root;
}
