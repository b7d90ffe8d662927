/* crc32c.c -- see crc32c.h. Bits are numbered from the lowest, so the polynomial stands here reflected. */
#include "host/base/crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "eight bytes are taken at once, lowest first"
#endif

static const uint32_t polynomial = 0x82f63b78u;
static uint32_t tables[8][256]; /* [k][b] contribution of the byte b when k bytes follow it */
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        tables[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++) {
            const uint32_t before = tables[k - 1][b];
            tables[k][b] = before >> 8 ^ tables[0][before & 255];
        }
}

/* Processes eight bytes at once, with one table for each. */
uint32_t pio_crc32c_by_table(uint32_t before, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint32_t crc = ~before;
    (void)pthread_once(&tables_made, make_tables);
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint32_t low, high;
        memcpy(&low, at, 4);
        memcpy(&high, at + 4, 4);
        low ^= crc;
        crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
              tables[3][high & 255] ^ tables[2][high >> 8 & 255] ^ tables[1][high >> 16 & 255] ^ tables[0][high >> 24];
    }
    for (; bytes; bytes--, at++) crc = crc >> 8 ^ tables[0][(crc ^ *at) & 255];
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t before, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t crc = ~before;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        crc = _mm_crc32_u64(crc, word);
    }
    for (; bytes; bytes--, at++) crc = _mm_crc32_u8((uint32_t)crc, *at);
    return ~(uint32_t)crc;
}

uint32_t pio_crc32c(uint32_t before, const void *data, size_t bytes)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(before, data, bytes)
                                            : pio_crc32c_by_table(before, data, bytes);
}

#else

uint32_t pio_crc32c(uint32_t before, const void *data, size_t bytes)
{
    return pio_crc32c_by_table(before, data, bytes);
}

#endif
