/* json.h -- a small streaming writer of JSON (RFC 8259).
 *
 * Every value has a key in an object; the key is NULL in an array and at the top. The writer keeps its first failure,
 * ignores what follows, and returns it from pio_json_finish(), so that calls need no checks. It does not detect
 * repeated keys. One writer must not be used by two threads at the same time. */
#ifndef PIOLA_HOST_JSON_H
#define PIOLA_HOST_JSON_H

#include "piola_status.h"

#include <stdio.h>

enum { PIO_JSON_DEPTH = 64, PIO_JSON_DOUBLE = 32 };

typedef struct pio_json {
    FILE *file;   /* destination of the text; NULL: `text` */
    char *text;   /* allocated by the writer; ends with a NUL that `size` does not count */
    size_t size;  /* bytes written so far, in either case */
    size_t space; /* bytes allocated at `text` */
    int indent;   /* blanks per level; 0: everything on one line */
    int depth;    /* open objects and arrays, 0 ... PIO_JSON_DEPTH */
    struct {
        bool object; /* an object, otherwise an array */
        bool filled; /* it has a member already */
    } level[PIO_JSON_DEPTH];
    bool done;           /* the one value at the top is complete */
    piola_error failure; /* the first failure */
} pio_json;

/* Begins a text that goes to a file. `indent` is 0 to 16 blanks per level. The file remains the caller's:
 * pio_json_finish() flushes it and does not close it. */
void pio_json_to_file(pio_json *json, FILE *file, int indent);
/* Begins a text that is kept in json->text. */
void pio_json_to_memory(pio_json *json, int indent);

/* Begins an object. */
void pio_json_begin_object(pio_json *json, const char *key);
/* Ends the innermost object. */
void pio_json_end_object(pio_json *json);
/* Begins an array. */
void pio_json_begin_array(pio_json *json, const char *key);
/* Ends the innermost array. */
void pio_json_end_array(pio_json *json);

/* Writes a string, or null for NULL. UTF-8 is kept, and each invalid sequence becomes U+FFFD. */
void pio_json_string(pio_json *json, const char *key, const char *value);
/* Writes the shortest decimal number that reads back as the same double; null for NaN and infinities. */
void pio_json_double(pio_json *json, const char *key, double value);
/* Writes a whole number. */
void pio_json_integer(pio_json *json, const char *key, int64_t value);
/* Writes true or false. */
void pio_json_bool(pio_json *json, const char *key, bool value);
/* Writes null. */
void pio_json_null(pio_json *json, const char *key);
/* Writes an array of n doubles in one line. */
void pio_json_doubles(pio_json *json, const char *key, const double *values, size_t n);

/* Ends the text: exactly one value must have been written, and every object and array must have been ended. A file gets
 * a final new line and is flushed. Returns the first failure of the whole text: PIOLA_IO if it could not be written,
 * PIOLA_NO_MEMORY if there was no memory for it, PIOLA_INTERNAL if the calls do not make one complete value. */
piola_status pio_json_finish(pio_json *json, piola_error *error);
/* Frees the memory of a text. It may be called after any outcome and more than once. */
void pio_json_free(pio_json *json);

/* Writes the shortest decimal number that reads back as the same double into `to`, with a decimal point in any locale,
 * or "null" if it is not finite. Returns `to`. */
char *pio_format_double(char to[PIO_JSON_DOUBLE], double value);

#endif
