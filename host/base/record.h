/* record.h -- an append-only file of rows that each have a length and checksums: what was added before a kill, a full
 * disk or a power cut is there afterwards, and no flipped bit is taken for data. Little-endian on every machine.
 *
 *   file   0  8  "\x89PIOREC\n"                       row    0  4  "\xC5ROW"
 *          8  4  version of this layout, 1                   4  4  type, the consumer's
 *         12  4  kind: four ASCII letters, "EVAL"            8  8  number, the consumer's
 *         16  8  bytes of the identity                      16  8  bytes of the payload
 *         24  4  CRC-32 of the identity                     24  4  CRC-32 of the payload, continued from the file's
 *         28  4  CRC-32 of bytes 0 to 27                    28  4  CRC-32 of bytes 0 to 27 of the row, likewise
 *         32     identity, UTF-8 without a NUL              32     payload; the next row follows without a gap
 *
 * CRC-32 is zlib's (that of PNG and gzip; zlib.crc32 in Python): in rows below 512 MB one or two flipped bits are found
 * with certainty, and so is any damage within 32 bits in a row; other damage is missed once in 2^32. SHA-256 takes ten
 * times as long, and would only keep off those who make a false row on purpose. "Continued from the file's": the sum
 * begins with the checksum in bytes 28 to 31 of the file instead of with 0, so that a row of another file does not
 * count here.
 *
 * The file gets its name when its beginning is on the disk (new_file.h). A row is written behind the last whole one and
 * synced before pio_record_add returns. What is not a whole row, at the end, is what a kill left: it is cut off when
 * the file is continued. Between whole rows it is damage: it stays, is told by pio_record_found, and costs no row but
 * those it lies in. A consumer that can make such a row again adds it with the old number. Whoever continues a file
 * keeps others away from it (folder.h). */
#ifndef PIOLA_HOST_RECORD_H
#define PIOLA_HOST_RECORD_H

#include "piola.h"

typedef struct pio_record pio_record;

typedef struct pio_record_row {
    uint32_t type;
    uint64_t number;
    size_t bytes; /* of the payload */
    int64_t at;   /* where the payload begins in the file */
} pio_record_row;

typedef struct pio_record_part { /* of a payload */
    const void *data;
    size_t bytes;
} pio_record_part;

typedef struct pio_record_condition {
    int64_t cut;           /* bytes behind the last whole row that were cut off */
    size_t damaged;        /* places between rows that are no rows */
    int64_t damaged_at;    /* byte of the file where the first of them begins; -1 */
    int64_t damaged_bytes; /* of all of them together */
} pio_record_condition;

/* Begin a file, in place of one that is there. `kind`: four letters; `identity`: text that must be the same for whoever
 * continues it. PIOLA_CANNOT_CREATE, PIOLA_IO, PIOLA_NO_MEMORY. */
piola_status pio_record_create(pio_record **out, const char *path, const char *kind, const char *identity,
                               piola_error *error);
/* Open a file that is there, and leave it as it is. PIOLA_NO_INPUT: there is none. PIOLA_NO: it is of another kind or
 * version. PIOLA_BAD_DATA: it is no record, or its beginning is damaged. PIOLA_IO: it cannot be opened or read; the
 * message names it and the cause. */
piola_status pio_record_open(pio_record **out, const char *path, const char *kind, piola_error *error);
/* The identity it was created with, valid until close: of an opened record only. */
const char *pio_record_identity(const pio_record *r);
/* Ready an opened record for further rows: every checksum is verified, and the end is cut back to the last whole row,
 * on the disk too. PIOLA_IO: it cannot be read or cut. */
piola_status pio_record_recover(pio_record *r, piola_error *error);
/* Open and recover, for who has one identity: PIOLA_NO where the file has another, which is left as it is. */
piola_status pio_record_continue(pio_record **out, const char *path, const char *kind, const char *identity,
                                 piola_error *error);
/* The whole rows that were there when it was recovered: [*count], in the file's order, valid until close. */
const pio_record_row *pio_record_rows(const pio_record *r, size_t *count);
pio_record_condition pio_record_found(const pio_record *r);
/* The payload of one of these rows into payload[row->bytes]. PIOLA_IO. */
piola_status pio_record_read(const pio_record *r, const pio_record_row *row, void *payload, piola_error *error);
/* Append a row of n parts, one after the other, and sync. PIOLA_IO: the file is cut back, as far as that is possible,
 * and takes no further rows. */
piola_status pio_record_add(pio_record *r, uint32_t type, uint64_t number, const pio_record_part *parts, size_t n,
                            piola_error *error);
void pio_record_close(pio_record *r); /* NULL is allowed; nothing is left to be written */

#endif
