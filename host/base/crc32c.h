/* crc32c.h -- the checksum CRC-32C, the cyclic redundancy code of Castagnoli's polynomial 0x1edc6f41.
 *
 * It detects every change of up to three bits in 2^31 bits, every burst of up to 32 bits, and any other change except
 * one in 2^32. (Castagnoli, Braeuer, Herrmann 1993, IEEE Trans. Commun. 41, 883; the check value is that of RFC 3720:
 * the checksum of "123456789" is 0xe3069283.) */
#ifndef PIOLA_HOST_CRC32C_H
#define PIOLA_HOST_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of a sequence of bytes that ends with these; `before` is the checksum of the bytes before
 * `data`, 0 if there are none. It uses the processor's instruction where there is one. */
uint32_t pio_crc32c(uint32_t before, const void *data, size_t bytes);

/* Returns the same by tables. It runs on any processor, and a test compares both. */
uint32_t pio_crc32c_by_table(uint32_t before, const void *data, size_t bytes);

#endif
