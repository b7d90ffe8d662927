/* Room host/config: decodes YAML into C structs by a table of keys with units and ranges; it knows no scene. */
/* config.h -- a table-driven decoder for YAML files, and the schema, reference and JSON that the same table gives.
 *
 * A file becomes a tree of nodes that remember their place; includes and overrides are merged into the tree; a table
 * of fields then fills a C struct. YAML 1.2 core meaning: `true` is a boolean, `010` is 10, `1e6` is a number, `yes`
 * is a text; tags, hexadecimal, octal, `.inf` and `.nan` are refused. All memory belongs to the document's pool. */
#ifndef PIOLA_HOST_CONFIG_H
#define PIOLA_HOST_CONFIG_H

#include "host/base/path.h"
#include "host/base/pool.h"
#include "host/base/sha256.h"

#include <stdarg.h>
#include <stdio.h>

#define CFG_MAX_BYTES (4u << 20) /* of one YAML file */
#define CFG_MAX_DEPTH 32         /* levels of nesting */
#define CFG_MAX_KEYS 256         /* keys in one mapping */
#define CFG_MAX_ENTRIES 4000  /* in one list of mappings; each may name one of another list, which is looked through */
#define CFG_MAX_ANCHORS 1000  /* in one file */
#define CFG_MAX_COPIES 100000 /* nodes made by expanding aliases, in all */
#define CFG_MAX_FILES 64      /* files loaded by includes, in all */
#define CFG_MAX_SHOWN 20      /* messages printed */
#define CFG_MOST_VALUES 33    /* of an enumeration: a bit each, and the NULL at the end */
#define CFG_PATH 512          /* characters of a path such as materials[0].E */

/* ---- tree ---------------------------------------------------------------------------------------------- */

typedef struct cfg_file {
    const char *name; /* as shown in messages; "--set" for an override */
    const char *text;
    size_t size;
    int order; /* messages are sorted by it */
    bool set;  /* it is an override, so the user's own word */
} cfg_file;

typedef struct cfg_mark {
    const cfg_file *file;
    int line, column; /* from 1, columns in characters, not bytes; 0: of the file, which cannot be read */
} cfg_mark;

typedef enum { CFG_SCALAR, CFG_SEQUENCE, CFG_PAIRS } cfg_kind;

typedef struct cfg_node {
    cfg_kind kind;
    cfg_mark mark;
    char *text;              /* scalar */
    bool plain;              /* scalar without quotes */
    struct cfg_node **keys;  /* mapping; scalars */
    struct cfg_node **items; /* sequence and mapping */
    size_t n, room;
    int height; /* levels below */
} cfg_node;

typedef struct cfg_message {
    piola_status status;
    cfg_mark mark;
    const char *text; /* "path: what" */
    size_t order;
} cfg_message;

typedef struct cfg_input {
    const char *path; /* as it was opened */
    char sha256[PIO_SHA256_TEXT];
    struct cfg_input *next;
} cfg_input;

typedef struct cfg_doc {
    pio_pool pool;
    cfg_node *root;
    const char *given; /* text to be read for the main file's, NULL: read the file; its bytes, and a NUL behind them */
    size_t given_size;
    char *text;          /* main file, verbatim */
    const char *folder;  /* of the main file, as given ("." when none) */
    pio_allowed allowed; /* outside of it, what may be named all the same */
    int dimension;       /* length of vectors; 0: 2 or 3 */
    /* Of files of another kind, "scenes of `method: {type: fem}`", to tell their keys; or NULL. */
    const struct cfg_table *other;
    const char *other_kind;
    cfg_input *inputs; /* files that were read, in this order */
    int n_files;
    size_t copies;
    cfg_message *messages;
    size_t n_messages, room; /* kept */
    size_t lost;             /* beyond what is kept */
    bool broken;             /* an included file is missing or cannot be read */
    bool no_memory;
    piola_status stopped; /* PIOLA_INTERRUPTED, with the reason: */
    piola_error why;
} cfg_doc;

/* Whether reading must stop, by a signal or the time limit; it is put down then, and no value is to be trusted. */
bool pio_cfg_stop(cfg_doc *doc);
/* Load the file, its includes and the overrides; faults go to doc->messages. Returns false when decoding has no sense.
 */
bool pio_cfg_load(cfg_doc *doc, const char *path, const char *const *sets, size_t n_sets);
void pio_cfg_free(cfg_doc *doc);
/* One YAML document, ended by a NUL; `column` is added to the columns of its first line. NULL when it cannot be read;
 * duplicate keys are reported and the tree is returned. */
cfg_node *pio_cfg_parse(cfg_doc *doc, const cfg_file *file, const char *text, size_t size, int column);
cfg_file *pio_cfg_file(cfg_doc *doc, const char *name, const char *text, size_t size);
/* The value at "bodies[0].fill" or "materials.soft.E" below `from`, or the nearest one above it; *found tells which. */
cfg_node *pio_cfg_find(cfg_node *from, const char *path, bool *found);
/* Item of a mapping by key (NULL when absent); *key, when asked for, is the key's node. */
cfg_node *pio_cfg_get(const cfg_node *mapping, const char *key, cfg_node **key_node);
bool pio_cfg_put(cfg_doc *doc, cfg_node *mapping, cfg_node *key, cfg_node *item);
cfg_node *pio_cfg_node(cfg_doc *doc, cfg_kind kind, cfg_mark mark);
/* What a node is in YAML 1.2: "a list", "a number", "nothing", ... */
const char *pio_cfg_kind_of(const cfg_node *node);
/* Is it a text: in quotes, or nothing else that a plain scalar can be? */
bool pio_cfg_is_text(const cfg_node *node);
/* A file was read; one of a path that is known already changes nothing. */
void pio_cfg_input(cfg_doc *doc, const char *path, const char sha256[PIO_SHA256_TEXT]);

/* ---- messages ------------------------------------------------------------------------------------------ */

void pio_cfg_report(cfg_doc *doc, piola_status status, cfg_mark mark, const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* At the node that `path` names, or at the nearest one above it when the key is not in the file. */
void pio_cfg_fault(cfg_doc *doc, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sorts and prints the first 20 (to may be NULL); the first line goes to `error`. Returns the first one's status. */
piola_status pio_cfg_print_messages(cfg_doc *doc, FILE *to, piola_error *error);
/* "file:line:col: error: text" and the source line with a caret below. */
void pio_cfg_excerpt(cfg_mark mark, char *out, size_t size);
/* A text from a file made fit for a message: cut to 60 bytes, control characters replaced. Memory of the pool, never
 * NULL. */
const char *pio_cfg_printable(cfg_doc *doc, const char *text);
/* "; did you mean 'x'?" or "" -- of the pool. */
const char *pio_cfg_did_you_mean(cfg_doc *doc, const char *word, const char *const *candidates, size_t n);
/* "a, b, c" -- of the pool. */
const char *pio_cfg_join(cfg_doc *doc, const char *const *words, size_t n);

/* ---- numbers ------------------------------------------------------------------------------------------- */

typedef enum {
    CFG_ONE, /* a plain number */
    CFG_LENGTH,
    CFG_AREA,
    CFG_VOLUME,
    CFG_TIME,
    CFG_MASS,
    CFG_DENSITY,
    CFG_PRESSURE,
    CFG_VISCOSITY,
    CFG_VELOCITY,
    CFG_ACCELERATION,
    CFG_ANGLE_RATE,
    CFG_RATE,
    CFG_RATE_SQUARED,
    CFG_ENERGY,
    CFG_FORCE,
    CFG_FORCE_DENSITY,
    CFG_STIFFNESS,
    CFG_WAVE_NUMBER,
    CFG_MEMORY,
    CFG_ANGLE,
    CFG_FREQUENCY,
    CFG_EFFORT,     /* integral of a squared activation */
    CFG_SMOOTHNESS, /* of its rate */
    CFG_ANY,        /* any unit; checked later against what the number stands for */
    CFG_QUANTITIES
} cfg_quantity;

const char *pio_quantity_name(cfg_quantity quantity); /* "pressure" */
const char *pio_quantity_unit(cfg_quantity quantity); /* SI: "Pa"; "" for a plain number */
/* The units of a quantity joined by `between`: "Pa, kPa, MPa, GPa". */
void pio_quantity_units(cfg_quantity quantity, const char *between, char *out, size_t size);
/* "120 kPa" -> 120000, rounded once. On failure `why` says what is wrong and what would be right. */
bool pio_quantity_parse(const char *text, cfg_quantity want, double *value, char *why, size_t size);

/* ---- table --------------------------------------------------------------------------------------------- */

typedef enum {
    CFG_NUMBER,    /* double */
    CFG_INTEGER,   /* int or int64_t */
    CFG_TEXT,      /* char * */
    CFG_NAME,      /* char *, [a-zA-Z_][a-zA-Z0-9_]*, unique in its list */
    CFG_LABEL,     /* char *, as CFG_NAME with . and - allowed after the first character */
    CFG_ENUM,      /* int-sized enum; `values` */
    CFG_ENUM_MAP,  /* int-sized enum[]: one name for all, or a mapping of `slots` and `default` */
    CFG_VECTOR,    /* double[3], as many as the dimension */
    CFG_SPIN,      /* double[3]: one number in 2D (the third entry), a vector in 3D */
    CFG_PAIR,      /* double[2], in increasing order */
    CFG_NUMBERS,   /* {double *v; size_t n}: one number or a list */
    CFG_TEXTS,     /* {char **v; size_t n}: one text or a list; `values` limits them */
    CFG_COMPONENT, /* char * and, at `second`, int: `name` or `name.x`; -1 for none */
    CFG_MAPPING,   /* `table`, its offsets counted from the same struct */
    CFG_LIST       /* pointer to structs and, at `second`, size_t; `table` */
} cfg_type;

enum { CFG_FROM = 1, CFG_OVER = 2, CFG_UP_TO = 4, CFG_BELOW = 8 };
typedef struct cfg_range {
    int ends; /* CFG_FROM (lo is legal) or CFG_OVER (lo is not), CFG_UP_TO or CFG_BELOW; 0: any number */
    double lo, hi;
} cfg_range;

typedef struct cfg_table cfg_table;

typedef struct cfg_field {
    const char *key;
    cfg_type type;
    size_t offset, size; /* of the member; size 0: checked and not stored */
    size_t second;
    const char *meaning; /* what turning it does; starts a sentence, no full stop */
    bool required;
    const char *fallback; /* default as it would stand in a file (scalars) */
    const char *computed; /* default in words, filled in by the caller */
    cfg_quantity quantity;
    cfg_range range;
    const char *const *values; /* NULL-ended */
    unsigned without;          /* bit v: value v is not for this table */
    const char *instead;       /* why not, and what would be right; NULL: such a value is unknown here */
    const char *const *slots;  /* NULL-ended */
    const cfg_table *table;
    size_t least;                       /* entries of a list */
    unsigned only;                      /* bit v: legal for variant v; 0: for all */
    unsigned needed;                    /* bit v: required of variant v, where it is not of all */
    bool (*present)(const void *owner); /* is it part of the resolved file? NULL: yes */
} cfg_field;

/* Alternatives of which exactly one (or, when not required, at most one) must be given in full. */
typedef struct cfg_choice {
    const char *keys[4][3]; /* NULL-ended in both directions */
    bool required;
    unsigned only;
} cfg_choice;

struct cfg_table {
    const char *what;          /* "material" */
    size_t size;               /* of the struct; for lists */
    const cfg_field *fields;   /* ended by key NULL */
    const char *discriminator; /* key of a required CFG_ENUM, or NULL */
    cfg_choice choice;         /* keys[0][0] NULL: none */
};

/* The files with `mapping: {key: value}` have a table of their own. */
typedef struct cfg_case {
    const char *mapping, *key, *value;
    const cfg_table *table;
} cfg_case;

/* A key that the table does not have, or not for this variant. */
void pio_cfg_unknown_key(cfg_doc *doc, const cfg_node *key, const char *path, const cfg_table *table, int variant);
/* For a number out of range: "; ... did you mean '30 deg'?" where it is an angle without a unit that would be in range;
 * else "". */
void pio_angle_hint(const char *text, const cfg_field *field, double value, char *out, size_t size);
/* Fills *out (zeroed by the caller) from doc->root. Numbers without a default that are absent become NaN. */
bool pio_cfg_decode(cfg_doc *doc, const cfg_table *table, void *out);
bool pio_range_holds(const cfg_range *range, double value);
/* "above 0", "from 1 to 100", "above -1 and below 0.5"; "" for any. */
const char *pio_range_text(const cfg_range *range, char *out, size_t size);
const cfg_field *pio_table_field(const cfg_table *table, const char *key);
int pio_table_variant(const cfg_table *table, const void *owner); /* -1 when it has none */
bool pio_field_legal(const cfg_field *field, int variant);
bool pio_field_required(const cfg_field *field, int variant); /* legal, and not to be left out */
bool pio_value_legal(const cfg_field *field, int value);
/* The legal values, and NULL after the last; returns how many there are. */
size_t pio_field_values(const cfg_field *field, const char *values[CFG_MOST_VALUES]);
size_t pio_words(const char *const *words); /* length of a NULL-ended list; 0 for NULL */

/* JSON Schema draft-07, the keys as a Markdown table, and a decoded struct as JSON in SI units that can be read back.
 */
void pio_cfg_schema(const cfg_table *table, const cfg_case *special, const char *title, FILE *to);
void pio_cfg_reference(const cfg_table *table, FILE *to);
void pio_cfg_resolved(const cfg_table *table, const void *from, int dimension, FILE *to);

#endif
