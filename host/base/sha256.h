/* sha256.h -- the hash SHA-256 (FIPS 180-4), which identifies input files. */
#ifndef PIOLA_HOST_SHA256_H
#define PIOLA_HOST_SHA256_H

#include "piola_status.h"

enum { PIO_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

typedef struct {
    uint32_t h[8];          /* state of the hash */
    uint64_t bytes;         /* bytes hashed so far; at most 2^61 - 1 */
    unsigned char rest[64]; /* the last bytes % 64 bytes, which do not fill a block yet */
    bool plain;             /* do not use the processor's SHA instructions */
} pio_sha256;

/* Begins a hash. */
void pio_sha256_begin(pio_sha256 *s);
/* Adds `size` bytes to the hash. */
void pio_sha256_add(pio_sha256 *s, const void *data, size_t size);
/* Writes the digest as text. Begin again before more bytes are added. */
void pio_sha256_end(pio_sha256 *s, char out[PIO_SHA256_TEXT]);
/* Writes the digest of `size` bytes as text. */
void pio_sha256_of(const void *data, size_t size, char out[PIO_SHA256_TEXT]);
/* Writes the digest of a whole file, which is read in pieces. Returns PIOLA_NO_INPUT if it cannot be read. */
piola_status pio_sha256_of_file(const char *path, char out[PIO_SHA256_TEXT], piola_error *error);

#endif
