/* sha256.h -- SHA-256 (FIPS 180-4): what tells two input files apart. */
#ifndef PIOLA_HOST_SHA256_H
#define PIOLA_HOST_SHA256_H

#include "piola.h"

enum { PIO_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

typedef struct {
    uint32_t h[8];
    uint64_t bytes;         /* in all; at most 2^61 - 1 */
    unsigned char rest[64]; /* the bytes % 64 that no whole block has taken yet */
    bool plain;             /* without the processor's instructions for it */
} pio_sha256;

void pio_sha256_begin(pio_sha256 *s);
/* As pio_sha256_begin(), in plain C on any processor: the same digest, a tenth as fast. */
void pio_sha256_begin_plain(pio_sha256 *s);
void pio_sha256_add(pio_sha256 *s, const void *data, size_t size);
/* Ends it: begin anew before more is added. */
void pio_sha256_end(pio_sha256 *s, char out[PIO_SHA256_TEXT]);
void pio_sha256_of(const void *data, size_t size, char out[PIO_SHA256_TEXT]);
/* Of a whole file, read piece by piece; PIOLA_NO_INPUT when it cannot be read. */
piola_status pio_sha256_of_file(const char *path, char out[PIO_SHA256_TEXT], piola_error *error);

#endif
