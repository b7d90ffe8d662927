/* sha256.c -- see sha256.h. Names as in FIPS 180-4: sections 4.1.2 (functions), 4.2.2 (K), 5.3.3 (H(0)), 6.2 (the
 * hash). */
#include "host/base/sha256.h"

#include "host/base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void take_blocks(uint32_t h[8], const unsigned char *m, size_t blocks)
{
    uint32_t W[64], v[8];
    for (; blocks; blocks--, m += 64) {
        for (int t = 0; t < 16; t++)
            W[t] = (uint32_t)m[4 * t] << 24 | (uint32_t)m[4 * t + 1] << 16 | (uint32_t)m[4 * t + 2] << 8 | m[4 * t + 3];
        for (int t = 16; t < 64; t++) {
            const uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
            const uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
            W[t] = s1 + W[t - 7] + s0 + W[t - 16];
        }
        memcpy(v, h, sizeof v);
        for (int t = 0; t < 64; t++) {
            const uint32_t a = v[0], b = v[1], c = v[2], e = v[4], f = v[5], g = v[6];
            const uint32_t T1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + W[t];
            const uint32_t T2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += T1;
            v[0] = T1 + T2;
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
    }
}

#if defined(__x86_64__)
/* The same with the processor's instructions (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
 * SHA256RNDS2, SHA256MSG1, SHA256MSG2): each of 16 passes makes four words of W and does four rounds. */
__attribute__((target("sha,sse4.1"))) static void take_blocks_sha(uint32_t h[8], const unsigned char *m, size_t blocks)
{
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i abef = _mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]);
    __m128i cdgh = _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7]);
    for (; blocks; blocks--, m += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i W[16];
        for (int q = 0; q < 16; q++) {
            if (q < 4) {
                W[q] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(m + 16 * q)), big_endian);
            } else {
                const __m128i s0 = _mm_sha256msg1_epu32(W[q - 4], W[q - 3]);
                const __m128i minus_7 = _mm_alignr_epi8(W[q - 1], W[q - 2], 4);
                W[q] = _mm_sha256msg2_epu32(_mm_add_epi32(s0, minus_7), W[q - 1]);
            }
            const __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(K + 4 * q));
            const __m128i two = _mm_add_epi32(W[q], k), other_two = _mm_shuffle_epi32(two, 0x0e);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, two); /* the state after two rounds; the roles are swapped */
            abef = _mm_sha256rnds2_epu32(abef, cdgh, other_two);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    h[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    h[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    h[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    h[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    h[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    h[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    h[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    h[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

/* Leaf 7 of CPUID: bit 29 of EBX is SHA; leaf 1: bit 19 of ECX is SSE4.1. */
static bool has_instructions;

/* This runs once, because CPUID under a hypervisor takes as long as hashing a scene. */
__attribute__((constructor)) static void detect_instructions(void)
{
    unsigned a, b, c, d, features;
    if (!__get_cpuid(1, &a, &b, &features, &d) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    has_instructions = (features >> 19 & 1) && (b >> 29 & 1);
}
#else
static const bool has_instructions = false;
#define take_blocks_sha take_blocks
#endif

/* H(0): first 32 bits of the fractional parts of the square roots of the first 8 primes. */
void pio_sha256_begin(pio_sha256 *s)
{
    *s = (pio_sha256){
        .h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
        .plain = !has_instructions};
}

void pio_sha256_add(pio_sha256 *s, const void *data, size_t size)
{
    void (*take)(uint32_t *, const unsigned char *, size_t) = s->plain ? take_blocks : take_blocks_sha;
    const unsigned char *at = data;
    const size_t held = s->bytes % sizeof s->rest, room = sizeof s->rest - held;
    if (!size) return;
    s->bytes += size;
    if (held) {
        const size_t n = size < room ? size : room;
        memcpy(s->rest + held, at, n);
        if (n < room) return;
        take(s->h, s->rest, 1);
        at += n;
        size -= n;
    }
    take(s->h, at, size / sizeof s->rest);
    memcpy(s->rest, at + size / sizeof s->rest * sizeof s->rest, size % sizeof s->rest);
}

/* Padding (section 5.1.1): a bit 1, zeros, and the length in bits as 64 bits at the end of a block. */
void pio_sha256_end(pio_sha256 *s, char out[PIO_SHA256_TEXT])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    const uint64_t bits = 8 * s->bytes;
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    pio_sha256_add(s, padding, 1 + (119 - s->bytes % 64) % 64);
    pio_sha256_add(s, length, sizeof length);
    for (int i = 0; i < 8; i++) snprintf(out + 8 * i, 9, "%08x", (unsigned)s->h[i]);
}

void pio_sha256_of(const void *data, size_t size, char out[PIO_SHA256_TEXT])
{
    pio_sha256 s;
    pio_sha256_begin(&s);
    pio_sha256_add(&s, data, size);
    pio_sha256_end(&s, out);
}

piola_status pio_sha256_of_file(const char *path, char out[PIO_SHA256_TEXT], piola_error *error)
{
    char piece[1 << 14];
    size_t n;
    pio_sha256 s;
    FILE *from = fopen(path, "rb");
    if (!from) return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s': %s", path, strerror(errno));
    pio_sha256_begin(&s);
    while ((n = fread(piece, 1, sizeof piece, from)) > 0) pio_sha256_add(&s, piece, n);
    const bool failed = ferror(from);
    fclose(from);
    if (failed) return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s'", path);
    pio_sha256_end(&s, out);
    return PIOLA_OK;
}
