/* json.h -- a small streaming JSON writer (RFC 8259).
 *
 * Every value takes the key it has in the enclosing object; the key is NULL inside an array and at the top. The writer
 * remembers its first failure, ignores what follows, and tells it in pio_json_finish, so calls need no checks between.
 * It does not look for repeated keys. Not safe for two threads on one writer. */
#ifndef PIOLA_HOST_JSON_H
#define PIOLA_HOST_JSON_H

#include "piola.h"

#include <stdio.h>

enum { PIO_JSON_DEPTH = 64, PIO_JSON_DOUBLE = 32 };

typedef struct pio_json {
    FILE *file;   /* where the text goes, or NULL: into `text` */
    char *text;   /* grown by the writer; ends with a 0 that `size` does not count */
    size_t size;  /* bytes written so far, in either case */
    size_t space; /* bytes allocated at `text` */
    int indent;   /* blanks per level; 0: everything on one line */
    int depth;    /* open objects and arrays, 0 ... PIO_JSON_DEPTH */
    struct {
        bool object; /* object or array */
        bool filled; /* has a member already */
    } level[PIO_JSON_DEPTH];
    bool done; /* the one value at the top is complete */
    piola_error failure;
} pio_json;

/* Begin a text. `indent` is 0 ... 16. The file stays the caller's: it is flushed by pio_json_finish, never closed. */
void pio_json_to_file(pio_json *json, FILE *file, int indent);
void pio_json_to_memory(pio_json *json, int indent);

void pio_json_begin_object(pio_json *json, const char *key);
void pio_json_end_object(pio_json *json);
void pio_json_begin_array(pio_json *json, const char *key);
void pio_json_end_array(pio_json *json);

/* UTF-8 is kept, each invalid sequence becomes U+FFFD; NULL is written as null. */
void pio_json_string(pio_json *json, const char *key, const char *value);
/* Shortest decimal that reads back as the same double; NaN and infinities are written as null. */
void pio_json_double(pio_json *json, const char *key, double value);
void pio_json_integer(pio_json *json, const char *key, int64_t value);
void pio_json_bool(pio_json *json, const char *key, bool value);
void pio_json_null(pio_json *json, const char *key);
/* An array of n doubles on one line. */
void pio_json_doubles(pio_json *json, const char *key, const double *values, size_t n);

/* End the text: exactly one value must have been written and everything opened must be closed. A file gets a final
 * newline and is flushed. Returns the first failure of the whole text. */
piola_status pio_json_finish(pio_json *json, piola_error *error);
/* Release the memory of a text; safe after any outcome and more than once. */
void pio_json_free(pio_json *json);

/* The shortest decimal that reads back as the same double, with a point whatever the locale; "null" when not finite.
 * Returns `to`. */
char *pio_format_double(char to[PIO_JSON_DOUBLE], double value);

#endif
