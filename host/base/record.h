/* record.h -- an append-only file of rows that each have a length and checksums: rows that were added before a kill, a
 * full disk or a power cut are there afterwards, and a flipped bit is never accepted as data. It is little-endian on
 * every machine.
 *
 *   file   0  8  "\x89PIOREC\n"                       row    0  4  "\xC5ROW"
 *          8  4  version of this layout, 1                   4  4  type, the consumer's
 *         12  4  kind: four ASCII letters, "EVAL"            8  8  number, the consumer's
 *         16  8  bytes of the identity                      16  8  bytes of the payload
 *         24  4  CRC-32 of the identity                     24  4  CRC-32 of the payload, continued from the file's
 *         28  4  CRC-32 of bytes 0 to 27                    28  4  CRC-32 of bytes 0 to 27 of the row, likewise
 *         32     identity, UTF-8 without a NUL              32     payload; the next row follows without a gap
 *
 * CRC-32 is zlib's (that of PNG and gzip; zlib.crc32 in Python). In rows below 512 MB it detects one or two flipped
 * bits and any damage within 32 consecutive bits with certainty; it misses other damage once in 2^32. SHA-256 takes ten
 * times as long, and would only protect against rows that are forged on purpose. "Continued from the file's" means that
 * the sum begins with the checksum in bytes 28 to 31 of the file instead of with 0, so that a row of another file is
 * not accepted here.
 *
 * The file gets its name when its beginning is on disk (new_file.h). A row is written after the last complete one and
 * synced before pio_record_add() returns. Incomplete bytes at the end were left by a kill, and are cut off when the
 * file is continued. Between complete rows they are damage, which remains, is reported by pio_record_found(), and costs
 * only the rows in which it lies. A consumer that can compute such a row again adds it with the old number. Whoever
 * continues a file keeps other processes away from it (folder.h). */
#ifndef PIOLA_HOST_RECORD_H
#define PIOLA_HOST_RECORD_H

#include "piola_status.h"

typedef struct pio_record pio_record;

typedef struct pio_record_row {
    uint32_t type;   /* the consumer's type of the row */
    uint64_t number; /* the consumer's number of the row */
    size_t bytes;    /* of the payload */
    int64_t at;      /* byte of the file where the payload begins */
} pio_record_row;

typedef struct pio_record_part { /* a part of a payload */
    const void *data;
    size_t bytes; /* length of the part */
} pio_record_part;

typedef struct pio_record_condition {
    int64_t cut;           /* bytes after the last complete row, which were cut off */
    size_t damaged;        /* number of damaged ranges between complete rows */
    int64_t damaged_at;    /* byte of the file where the first range begins; -1: none */
    int64_t damaged_bytes; /* total bytes of these ranges */
} pio_record_condition;

/* Creates a file, replacing an existing one. `kind` is four letters; `identity` is a text that must be the same when
 * the file is continued. Returns PIOLA_CANNOT_CREATE if that fails, PIOLA_IO if its heading cannot be written, or
 * PIOLA_NO_MEMORY. */
piola_status pio_record_create(pio_record **out, const char *path, const char *kind, const char *identity,
                               piola_error *error);
/* Opens an existing file without changing it. Returns PIOLA_NO_INPUT if there is none, PIOLA_NO if it has another kind
 * or version, PIOLA_BAD_DATA if it is not a record or its beginning is damaged, PIOLA_NO_MEMORY, or PIOLA_IO, with its
 * name and the cause, if it cannot be opened or read. */
piola_status pio_record_open(pio_record **out, const char *path, const char *kind, piola_error *error);
/* Returns the identity with which an opened record was created; it is valid until close. */
const char *pio_record_identity(const pio_record *r);
/* Prepares an opened record for further rows: every checksum is verified, and the file is cut back to the last complete
 * row, on disk too. Returns PIOLA_IO if it cannot be read or cut, or PIOLA_NO_MEMORY. */
piola_status pio_record_recover(pio_record *r, piola_error *error);
/* Returns the complete rows that the file had when it was recovered, [*count] in the file's order; valid until close.
 */
const pio_record_row *pio_record_rows(const pio_record *r, size_t *count);
/* Returns the condition in which the file was found when it was recovered. */
pio_record_condition pio_record_found(const pio_record *r);
/* Reads the payload of one of these rows into payload[row->bytes]. Returns PIOLA_IO if that fails. */
piola_status pio_record_read(const pio_record *r, const pio_record_row *row, void *payload, piola_error *error);
/* Appends a row whose payload consists of n parts, and syncs it to disk. Returns PIOLA_IO if that fails: the file is
 * cut back, as far as that is possible, and accepts no further rows. */
piola_status pio_record_add(pio_record *r, uint32_t type, uint64_t number, const pio_record_part *parts, size_t n,
                            piola_error *error);
/* Closes and frees a record, which may be NULL; everything was written before. */
void pio_record_close(pio_record *r);

#endif
