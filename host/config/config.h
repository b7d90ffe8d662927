/* Room host/config: decodes YAML into C structs by a table of keys with units and ranges; it knows no scene. */
/* config.h -- a table-driven decoder for YAML files, and the schema, reference and JSON that are made of the same
 * table.
 *
 * A file becomes a tree of nodes that know their places; includes and overrides are merged into the tree; a table of
 * fields then fills a C struct. Scalars have their meaning in YAML 1.2 core: `true` is a boolean, `010` is 10, `1e6` is
 * a number, `yes` is a text; tags, hexadecimal, octal, `.inf` and `.nan` are errors. All memory belongs to the
 * document's pool. */
#ifndef PIOLA_HOST_CONFIG_H
#define PIOLA_HOST_CONFIG_H

#include "host/base/path.h"
#include "host/base/pool.h"
#include "host/base/sha256.h"

#include <stdarg.h>
#include <stdio.h>

#define CFG_MAX_BYTES (4u << 20) /* bytes of one YAML file */
#define CFG_MAX_DEPTH 32         /* levels of nesting */
#define CFG_MAX_KEYS 256         /* keys in one mapping */
#define CFG_MAX_ENTRIES 4000     /* entries of one list of mappings; names of other lists are searched linearly */
#define CFG_MAX_ANCHORS 1000     /* anchors in one file */
#define CFG_MAX_COPIES 100000    /* nodes made by expanding aliases, in total */
#define CFG_MAX_FILES 64         /* files loaded by includes, in total */
#define CFG_MAX_SHOWN 20         /* messages printed */
#define CFG_MOST_VALUES 33       /* values of an enumeration, one bit each, and the NULL at the end */
#define CFG_PATH 512             /* characters of a path such as materials[0].E */

/* ---- tree ---------------------------------------------------------------------------------------------- */

typedef struct cfg_file {
    const char *name; /* name in messages; "--set" for an override */
    const char *text; /* [size] contents */
    size_t size;
    int order; /* messages are sorted by the order of their files */
    bool set;  /* it is an override from the command line */
} cfg_file;

typedef struct cfg_mark {
    const cfg_file *file; /* the file, or override */
    int line, column;     /* from 1, columns in characters, not bytes; 0: the file as a whole, which cannot be read */
} cfg_mark;

typedef enum { CFG_SCALAR, CFG_SEQUENCE, CFG_PAIRS } cfg_kind;

typedef struct cfg_node {
    cfg_kind kind;           /* scalar, sequence or mapping */
    cfg_mark mark;           /* place of the node */
    char *text;              /* text of a scalar */
    bool plain;              /* a scalar without quotes */
    struct cfg_node **keys;  /* [n] keys of a mapping, which are scalars */
    struct cfg_node **items; /* [n] items of a sequence or a mapping */
    size_t n, room;          /* items, and memory for them */
    int height;              /* levels of nesting below */
} cfg_node;

typedef struct cfg_message {
    piola_status status; /* status that the message stands for */
    cfg_mark mark;       /* place that the message shows */
    const char *text;    /* "path: what is wrong" */
    size_t order;        /* number of the message, which keeps the sort stable */
} cfg_message;

typedef struct cfg_input {
    const char *path; /* path with which the file was opened */
    char sha256[PIO_SHA256_TEXT];
    struct cfg_input *next; /* next file; NULL: none */
} cfg_input;

typedef struct cfg_doc {
    pio_pool pool;        /* memory of everything below */
    cfg_node *root;       /* the tree; NULL before it is loaded */
    const char *contents; /* contents of the main file, followed by a NUL; NULL: the file is read */
    size_t contents_size;
    char *text;          /* contents of the main file, verbatim */
    const char *folder;  /* folder of the main file, as given ("." if it has none) */
    pio_allowed allowed; /* files and folders outside of `folder` that may be named */
    int dimension;       /* length of vectors; 0: 2 or 3 */
    /* The table and the name of files of another kind, such as "scenes of `method: {type: fem}`", whose keys messages
     * name; NULL: none. */
    const struct cfg_table *other;
    const char *other_kind;
    cfg_input *inputs; /* files that were read, in order */
    int n_files;       /* number of files loaded by includes */
    size_t copies;     /* number of nodes made by expanding aliases */
    cfg_message *messages;
    size_t n_messages, room; /* messages that are kept, and memory for them */
    size_t lost;             /* number of messages beyond those */
    bool broken;             /* an included file is missing or cannot be read */
    bool no_memory;
    piola_status stopped; /* PIOLA_INTERRUPTED if reading was stopped; `why` has the reason */
    piola_error why;
} cfg_doc;

/* Returns whether reading must stop, because of a signal or the time limit. The reason is recorded then, and no value
 * of the document is valid. */
bool pio_cfg_stop(cfg_doc *doc);
/* Loads the file, its includes and the overrides `sets`; faults are added to doc->messages. Returns false if decoding
 * makes no sense. */
bool pio_cfg_load(cfg_doc *doc, const char *path, const char *const *sets, size_t n_sets);
/* Replaces the value at a path such as "materials[0].E" or "materials.soft.E"; a key that the file does not have is
 * added. The first `length` characters of `text` are the path, of which the first has the place `mark`; faults are
 * added to doc->messages. */
void pio_cfg_place(cfg_doc *doc, const char *text, size_t length, cfg_mark mark, cfg_node *value);
/* Removes a key from a mapping, if it has it. */
void pio_cfg_drop(cfg_node *mapping, const char *key);
/* Frees the document and all that belongs to its pool. */
void pio_cfg_free(cfg_doc *doc);
/* Parses one YAML document, which ends with a NUL; `column` is added to the columns of its first line. Returns NULL if
 * it cannot be read; duplicate keys are reported and the tree is returned. */
cfg_node *pio_cfg_parse(cfg_doc *doc, const cfg_file *file, const char *text, size_t size, int column);
/* Reads a file of JSON, of at most 1 GiB, as a mapping; `what` it should be, such as "the result of a member". `doc` is
 * to be freed after any outcome. Returns PIOLA_NO_INPUT if the file cannot be read, PIOLA_BAD_DATA if it is no mapping,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_cfg_json(cfg_doc *doc, const char *path, const char *what, cfg_node **root, piola_error *error);
/* Returns the number of a node; NaN for null and everything else, also for NULL. */
double pio_cfg_number_of(const cfg_node *node);
/* Registers a text as a file that messages can name, and returns it. */
cfg_file *pio_cfg_file(cfg_doc *doc, const char *name, const char *text, size_t size);
/* Returns the value at a path below `from`, such as "bodies[0].fill" or "materials.soft.E", or the nearest existing one
 * above it; *found is whether the value itself exists. */
cfg_node *pio_cfg_find(cfg_node *from, const char *path, bool *found);
/* Returns the item of a mapping by key, or NULL if it is absent; *key_node (may be NULL) is the node of the key. */
cfg_node *pio_cfg_get(const cfg_node *mapping, const char *key, cfg_node **key_node);
/* Adds an item to a mapping. Returns false without memory. */
bool pio_cfg_put(cfg_doc *doc, cfg_node *mapping, cfg_node *key, cfg_node *item);
/* Returns a new node of the pool, or NULL without memory. */
cfg_node *pio_cfg_node(cfg_doc *doc, cfg_kind kind, cfg_mark mark);
/* Returns what a node is in YAML 1.2: "a list", "a number", "nothing", ... */
const char *pio_cfg_kind_of(const cfg_node *node);
/* Returns whether a node is a text: in quotes, or a plain scalar that has no other meaning. */
bool pio_cfg_is_text(const cfg_node *node);
/* Records that a file was read, with its hash; a path that is known already changes nothing. */
void pio_cfg_input(cfg_doc *doc, const char *path, const char sha256[PIO_SHA256_TEXT]);

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Adds a message about the value at `path`, at the place `mark`. */
void pio_cfg_report(cfg_doc *doc, piola_status status, cfg_mark mark, const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Adds a message with PIOLA_BAD_DATA at the node that `path` names, or at the nearest one above it if the file does not
 * have that key. */
void pio_cfg_fault(cfg_doc *doc, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same at the character number `offset`, from 0, of the text of a scalar; at its first where the file does not have
 * it letter by letter. */
void pio_cfg_fault_within(cfg_doc *doc, const char *path, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sorts the messages and prints the first CFG_MAX_SHOWN (`to` may be NULL); the first line goes to `error`. Returns the
 * status of the first, such as PIOLA_BAD_DATA; PIOLA_NO_MEMORY or PIOLA_INTERRUPTED if that ended the reading; PIOLA_OK
 * without messages. */
piola_status pio_cfg_print_messages(cfg_doc *doc, FILE *to, piola_error *error);
/* Writes the source line and a caret below the column, as they follow "file:line:col: error: text". */
void pio_cfg_excerpt(cfg_mark mark, char *out, size_t size);
/* Returns a text from a file in a form that fits a message: cut to 60 bytes, with control characters replaced. It
 * belongs to the pool and is never NULL. */
const char *pio_cfg_printable(cfg_doc *doc, const char *text);
/* Returns "; did you mean 'x'?" for the most similar of n candidates, or ""; it belongs to the pool. */
const char *pio_cfg_did_you_mean(cfg_doc *doc, const char *word, const char *const *candidates, size_t n);
/* Returns n words as "a, b, c"; the text belongs to the pool. */
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
    CFG_MOMENT,           /* of forces, N.m */
    CFG_ANGULAR_MOMENTUM, /* kg.m2/s */
    CFG_FORCE,
    CFG_FORCE_DENSITY,
    CFG_STIFFNESS,
    CFG_WAVE_NUMBER,
    CFG_MEMORY,
    CFG_ANGLE,
    CFG_FREQUENCY,
    CFG_EFFORT,      /* integral of a squared activation, Pa2.s */
    CFG_SMOOTHNESS,  /* integral of its squared rate, Pa2/s */
    CFG_TEMPERATURE, /* a difference of temperatures */
    CFG_EXPANSION,   /* strain per temperature, 1/K */
    CFG_ANY,         /* any unit; it is checked later against what the number stands for */
    CFG_QUANTITIES
} cfg_quantity;

/* Returns the name of a quantity, such as "pressure". */
const char *pio_quantity_name(cfg_quantity quantity);
/* Returns the SI unit of a quantity, such as "Pa"; "" for a plain number. */
const char *pio_quantity_unit(cfg_quantity quantity);
/* Writes the units of a quantity, joined by `between`: "Pa, kPa, MPa, GPa". */
void pio_quantity_units(cfg_quantity quantity, const char *between, char *out, size_t size);
/* Reads a number with its unit, rounded once: "120 kPa" gives 120000. Returns false on failure, with what is wrong and
 * what would be right in why[size]. */
bool pio_quantity_parse(const char *text, cfg_quantity want, double *value, char *why, size_t size);

/* Returns the length of the longest unit that a text begins with and that no letter or digit follows, with the quantity
 * that it is of; 0: there is none. */
size_t pio_unit_length(const char *text, cfg_quantity *quantity);

/* A number with a name, of any quantity. */
typedef struct cfg_named {
    char *name;            /* name in the file */
    double value;          /* SI */
    cfg_quantity quantity; /* that of its unit; without one, a plain number */
} cfg_named;

/* ---- table --------------------------------------------------------------------------------------------- */

typedef enum {
    CFG_NUMBER,    /* double */
    CFG_INTEGER,   /* int or int64_t */
    CFG_TEXT,      /* char * */
    CFG_NAME,      /* char *, [a-zA-Z_][a-zA-Z0-9_]*, unique in its list */
    CFG_LABEL,     /* char *, as CFG_NAME with . and - allowed after the first character */
    CFG_ENUM,      /* int-sized enum; `values` */
    CFG_ENUM_MAP,  /* int-sized enum[]: one name for all, or a mapping of `slots` and `default` */
    CFG_VECTOR,    /* double[3], of which as many are given as the dimension */
    CFG_SPIN,      /* double[3]: one number in 2D (the third entry), a vector in 3D */
    CFG_PAIR,      /* double[2], in increasing order */
    CFG_NUMBERS,   /* {double *v; size_t n}: one number or a list of numbers */
    CFG_NAMED,     /* cfg_named * and, at `second`, size_t: a mapping of names to numbers with units */
    CFG_TEXTS,     /* {char **v; size_t n}: one text or a list of texts, which `values` may restrict */
    CFG_COMPONENT, /* char * and, at `second`, int: `name` or `name.x`, number of pio_component_words; -1 for none */
    CFG_MAPPING,   /* `table`, its offsets counted from the same struct */
    CFG_LIST,      /* pointer to structs and, at `second`, size_t; `table` */
    CFG_TREE       /* const cfg_node *: a mapping, or with `least` above 0 a list of mappings, as it is */
} cfg_type;

/* What may stand behind the dot of a CFG_COMPONENT: axes, entries of a symmetric tensor, principal values; NULL at the
 * end. */
extern const char *const pio_component_words[];

enum { CFG_FROM = 1, CFG_OVER = 2, CFG_UP_TO = 4, CFG_BELOW = 8 };
typedef struct cfg_range {
    int ends; /* CFG_FROM (lo is allowed) or CFG_OVER (it is not), CFG_UP_TO or CFG_BELOW; 0: any number */
    double lo, hi;
} cfg_range;

typedef struct cfg_table cfg_table;
typedef struct cfg_entries cfg_entries;

typedef struct cfg_field {
    const char *key;     /* key in the file */
    cfg_type type;       /* type of the value */
    size_t offset, size; /* offset and size of the member in bytes; size 0: the value is checked and not stored */
    size_t second;       /* offset of a second member, for the types that name one */
    /* A number may be an expression: offset of its text, a char *; of vectors char *[3]; of lists a char **, [n] or
     * NULL. A text is NULL where there is a number, and where there is a text the number is `instead_of`. 0: there are
     * numbers alone. */
    size_t texts;
    double instead_of;
    const char *meaning; /* what the key means and what a change of it does; begins a sentence, without full stop */
    bool required;
    const char *fallback; /* default of a scalar, as in a file */
    const char *computed; /* default in words, which the caller computes */
    cfg_quantity quantity;
    cfg_range range;           /* range of numbers */
    const char *const *values; /* NULL-ended */
    unsigned without;          /* bit v: value v is not allowed in this table */
    const char *instead;       /* why not, and what would be right; NULL: the value counts as unknown */
    const char *const *slots;  /* NULL-ended */
    const cfg_table *table;
    const cfg_entries *entries;         /* of a CFG_TREE that is a list: what its entries are; NULL: any mapping */
    size_t least;                       /* minimum number of entries of a list */
    unsigned only;                      /* bit v: allowed in variant v; 0: in all */
    unsigned needed;                    /* bit v: required in variant v, if it is not required in all */
    bool (*present)(const void *owner); /* whether the key is part of the resolved file; NULL: always */
} cfg_field;

/* Alternatives, of which exactly one (or, if not required, at most one) must be given completely. */
typedef struct cfg_choice {
    const char *keys[4][3]; /* [alternative][key], ended by NULL in both directions */
    bool required;
    unsigned only; /* bit v: allowed in variant v; 0: in all */
} cfg_choice;

struct cfg_table {
    const char *what;          /* what an entry is, such as "material" */
    size_t size;               /* bytes of the struct, for lists */
    const cfg_field *fields;   /* ended by key NULL */
    const char *discriminator; /* key of a required CFG_ENUM, or NULL */
    cfg_choice choice;         /* alternatives; keys[0][0] is NULL if there are none */
};

/* What the entries of a list are that its caller decodes: an entry of either table, with one more key. */
struct cfg_entries {
    const char *what;           /* what an entry is, such as "design variable of a study" */
    const cfg_table *tables[2]; /* whose keys an entry has; they have no discriminator */
    const cfg_field *more;      /* the key that it may have besides */
};

/* The table of the files in which `mapping: {key: value}` stands. */
typedef struct cfg_case {
    const char *mapping, *key, *value;
    const cfg_table *table; /* table of those files */
} cfg_case;

/* The table of the files that have a key which no other file has. */
typedef struct cfg_file_kind {
    const char *key;
    const cfg_table *table;
} cfg_file_kind;

/* Reports a key that the table does not have, or not in this variant. */
void pio_cfg_unknown_key(cfg_doc *doc, const cfg_node *key, const char *path, const cfg_table *table, int variant);
/* Writes, for an angle without a unit that is out of range and would be in range in degrees, "; ... did you mean '30
 * deg'?"; otherwise "". */
void pio_angle_hint(const char *text, const cfg_field *field, double value, char *out, size_t size);
/* Fills *out (zeroed by the caller) from doc->root. Absent numbers without a default become NaN. Returns false after a
 * fault. */
bool pio_cfg_decode(cfg_doc *doc, const cfg_table *table, void *out);
/* Returns whether a value lies in the range. */
bool pio_range_holds(const cfg_range *range, double value);
/* Writes a range as words into out[size] and returns it: "above 0", "from 1 to 100", "above -1 and below 0.5"; "" for
 * any number. */
const char *pio_range_text(const cfg_range *range, char *out, size_t size);
/* Returns the field of a key, or NULL. */
const cfg_field *pio_table_field(const cfg_table *table, const char *key);
/* Returns the variant of a struct, the value of its discriminator; -1 if the table has none. */
int pio_table_variant(const cfg_table *table, const void *owner);
/* Returns whether the field is allowed in a variant. */
bool pio_field_legal(const cfg_field *field, int variant);
/* Returns whether the field is allowed in a variant and must not be left out. */
bool pio_field_required(const cfg_field *field, int variant);
/* Returns whether a value of an enumeration is allowed. */
bool pio_value_legal(const cfg_field *field, int value);
/* Lists the allowed values of an enumeration, ended by NULL, and returns their number. */
size_t pio_field_values(const cfg_field *field, const char *values[CFG_MOST_VALUES]);
/* Returns the length of a list of words that ends with NULL; 0 for NULL. */
size_t pio_words(const char *const *words);

/* Prints the JSON Schema (draft-07) of files; `special` is a case with a table of its own, `other` another kind of
 * file. */
void pio_cfg_schema(const cfg_table *table, const cfg_case *special, const cfg_file_kind *other, const char *title,
                    FILE *to);
/* Prints the keys as a Markdown table. */
void pio_cfg_reference(const cfg_table *table, FILE *to);
/* Prints a decoded struct as JSON in SI units, which can be read again as a file. */
void pio_cfg_resolved(const cfg_table *table, const void *from, int dimension, FILE *to);

#endif
