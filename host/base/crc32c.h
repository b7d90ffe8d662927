/* crc32c.h -- a checksum of bytes: CRC-32C, the cyclic code of Castagnoli's polynomial 0x1edc6f41.
 *
 * It sees every change of up to three bits in 2^31 bits, every burst of up to 32 bits, and any other change but one in
 * 2^32. (Castagnoli, Braeuer, Herrmann 1993, IEEE Trans. Commun. 41, 883; the check value is that of RFC 3720: the
 * checksum of "123456789" is 0xe3069283.) */
#ifndef PIOLA_HOST_CRC32C_H
#define PIOLA_HOST_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of some bytes, of which those before `data` have the checksum `before`: 0 when there are none. Takes the
 * processor's own instruction where it has one. */
uint32_t pio_crc32c(uint32_t before, const void *data, size_t bytes);

/* The same by tables: for any processor, and for the test that both agree. */
uint32_t pio_crc32c_by_table(uint32_t before, const void *data, size_t bytes);

#endif
