/* snapshot_digest.h -- the checksums at the end of a finished file, one for every block, so that a changed bit anywhere
 * is detected before any library reads the file.
 *
 * They follow the last byte that HDF5 counts as its own, where no reader of HDF5 reads:
 *
 *   uint32 sums[n]      CRC-32C of each block of 2^20 bytes, the last of which may be shorter
 *   int64 covered       bytes before `sums`; n = covered / 2^20, rounded up
 *   uint32 block        2^20
 *   uint32 own          CRC-32C of the part of this table before it
 *   char mark[16]       "piola-crc32c-1" and two NUL
 *
 * with the lowest byte first. The file ends there. */
#ifndef PIOLA_HOST_SNAPSHOT_DIGEST_H
#define PIOLA_HOST_SNAPSHOT_DIGEST_H

#include "piola_status.h"

typedef struct {
    bool there;      /* the file ends with a table, or with the rest of one */
    int64_t covered; /* bytes that the table covers */
    int64_t blocks;  /* number of blocks */
} pio_digest;

/* Appends the table to the file `fd`, which is open for reading and writing; `path` is for messages. Returns PIOLA_IO
 * if the file cannot be read or written, or PIOLA_NO_MEMORY. */
piola_status pio_digest_append(int fd, const char *path, piola_error *error);

/* Compares every byte of the file with the table at its end. Returns PIOLA_BAD_DATA with the bytes that differ,
 * PIOLA_OK if there is no table, and then `there` is false, PIOLA_IO if the file cannot be read, or PIOLA_NO_MEMORY. */
piola_status pio_digest_compare(int fd, const char *path, pio_digest *digest, piola_error *error);

#endif
