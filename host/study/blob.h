/* blob.h -- bytes that processes of one machine, or of the same build, send each other: written and read piece by
 * piece. */
#ifndef PIOLA_HOST_STUDY_BLOB_H
#define PIOLA_HOST_STUDY_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero, it is empty. */
typedef struct {
    char *data;        /* [room] bytes, of which `size` are there */
    size_t size, room; /* bytes */
    size_t at;         /* where the next piece is read */
    bool failed;       /* there was no memory, or more was read than there is: everything after that is zero */
} pio_blob;

/* Appends bytes. */
void pio_blob_put(pio_blob *b, const void *bytes, size_t size);
/* Appends a text; NULL counts as "". */
void pio_blob_put_text(pio_blob *b, const char *text);
/* Appends doubles and their number. */
void pio_blob_put_doubles(pio_blob *b, const double *v, size_t n);
/* Appends doubles times a factor, each rounded once, and their number. */
void pio_blob_put_scaled(pio_blob *b, double factor, const double *v, size_t n);
/* Appends a whole number. */
void pio_blob_put_integer(pio_blob *b, int64_t v);
/* Appends a double. */
void pio_blob_put_double(pio_blob *b, double v);

/* Reads bytes; zeros where there are none. */
void pio_blob_get(pio_blob *b, void *bytes, size_t size);
/* Returns a text, which remains the blob's; "" where there is none. */
const char *pio_blob_get_text(pio_blob *b);
/* Reads doubles into v [n]. They are NaN if the blob has another number of them. */
void pio_blob_get_doubles(pio_blob *b, double *v, size_t n);
/* Reads a whole number. */
int64_t pio_blob_get_integer(pio_blob *b);
/* Reads a double. */
double pio_blob_get_double(pio_blob *b);

/* Makes room for `size` bytes and sets the size to that. Returns false without memory. */
bool pio_blob_resize(pio_blob *b, size_t size);
/* Makes it empty, and keeps the memory. */
void pio_blob_clear(pio_blob *b);
/* Frees the memory. */
void pio_blob_free(pio_blob *b);

#endif
