/* rice.h -- whole numbers that are mostly small, in a log of few bits: a stack of records, each of n numbers of 64
 * bits.
 *
 * Golomb's codes (Golomb 1966, IEEE Trans. Inf. Theory 12, 399) with Rice's parameter (Rice 1979, JPL 79-22). A number
 * r becomes z = 0, 1, 2, 3, 4 ... of r = 0, -1, 1, -2, 2 ...; with a parameter k, z >> k is written in unary and the k
 * low bits as they are. A block of RICE_BLOCK numbers has its mode in 6 bits in front, the one that takes the fewest
 * bits:
 *     0 .. 55   Rice's code with this k; z >> k of RICE_LIMIT or more: RICE_LIMIT ones, then 64 bits of z
 *     56        64 bits each
 *     57 .. 63  few of them are not 0: the lengths of the runs of zeros, by Rice's code with k = mode - 57, and after
 *               each run a z - 1 with k = 0; the block ends where a run reaches its end
 * A block of zeros takes no bits at all. A block ends with a whole byte; 2 bytes more say how many it has. A block is
 * one item of a launch: blocks are measured, their places are prefix sums, then all are written, and read, side by
 * side.
 *
 *     record = data of the blocks, up to 3 bytes of padding, [blocks] bytes of each (16 bits), its bytes (32 bits)
 *
 * A record ends with its length, since a stack is read from its top.
 *
 * The code is Piola's own, because the numbers are made and used on the device that computes, step by step: for zlib,
 * zstd, LZ4 and the like they would have to be copied to the host in each step; nvCOMP is for GPUs alone, closed, and
 * codes bytes rather than numbers, so that the CPU engine would have another format, and both engines are to have one
 * text. Arithmetic coding and tables of asymmetric numeral systems (Duda 2013) come nearer to the entropy by some
 * tenths of a bit, but adapt over more numbers than a block has, or carry a table per record. The bits above the
 * entropy are measured in tests/solvers/fem/test_residual_log.c. */
#ifndef PIOLA_KERNELS_RICE_H
#define PIOLA_KERNELS_RICE_H

#include "kernels/base/rice_args.h"
#include "kernels/base/base.h"

/* Returns z of r: 0, 1, 2, 3, 4 ... of 0, -1, 1, -2, 2 ... */
PIO_FN uint64_t rice_zigzag(int64_t r)
{
    const uint64_t u = (uint64_t)r;
    return (u << 1) ^ (uint64_t)(0 - (u >> 63));
}

/* Returns r of z, the inverse of rice_zigzag. */
PIO_FN int64_t rice_number(uint64_t z)
{
    return (int64_t)((z >> 1) ^ (uint64_t)(0 - (z & 1)));
}

/* ---- bits, the lowest first ------------------------------------------------------------------------------------ */

typedef struct {
    uint8_t *at;
    uint64_t buffer;
    int bits; /* of `buffer`, 0 .. 7 between calls */
} rice_writer;

/* Writes the `count` low bits of a value that has no others; 0 <= count <= 56. */
PIO_FN void rice_put(rice_writer *w, uint64_t value, int count)
{
    w->buffer |= value << w->bits;
    w->bits += count;
    while (w->bits >= 8) {
        *w->at++ = (uint8_t)w->buffer;
        w->buffer >>= 8;
        w->bits -= 8;
    }
}

/* Writes all 64 bits of z. */
PIO_FN void rice_put_all(rice_writer *w, uint64_t z)
{
    rice_put(w, z & 0xffffffffu, 32);
    rice_put(w, z >> 32, 32);
}

/* Writes `count` ones. */
PIO_FN void rice_put_ones(rice_writer *w, int count)
{
    for (; count > 32; count -= 32) rice_put(w, 0xffffffffu, 32);
    rice_put(w, ((uint64_t)1 << count) - 1, count);
}

/* Writes z by Rice's code with parameter k, or in full where its unary part would be too long. */
PIO_FN void rice_put_number(rice_writer *w, uint64_t z, int k)
{
    if (z >> k >= RICE_LIMIT) {
        rice_put_ones(w, RICE_LIMIT);
        rice_put_all(w, z);
        return;
    }
    rice_put_ones(w, (int)(z >> k));
    rice_put(w, 0, 1);
    rice_put(w, z & (((uint64_t)1 << k) - 1), k);
}

/* Beyond the end there are zeros, so that a damaged log is read without harm. */
typedef struct {
    const uint8_t *at, *end;
    uint64_t buffer;
    int bits; /* of `buffer` */
} rice_reader;

/* Reads and returns the next `count` bits; 0 <= count <= 56. */
PIO_FN uint64_t rice_get(rice_reader *r, int count)
{
    while (r->bits < count) {
        r->buffer |= (uint64_t)(r->at < r->end ? *r->at : 0) << r->bits;
        r->at++;
        r->bits += 8;
    }
    const uint64_t value = r->buffer & (((uint64_t)1 << count) - 1);
    r->buffer >>= count;
    r->bits -= count;
    return value;
}

/* Reads and returns all 64 bits of a number of rice_put_all. */
PIO_FN uint64_t rice_get_all(rice_reader *r)
{
    const uint64_t low = rice_get(r, 32);
    return low | rice_get(r, 32) << 32;
}

/* Counts the ones before the next zero, and reads both; after `most` ones there is no zero. */
PIO_FN int rice_get_ones(rice_reader *r, int most)
{
    int count = 0;
    while (count < most && rice_get(r, 1)) count++;
    return count;
}

/* Reads and returns a number of rice_put_number with the same parameter k. */
PIO_FN uint64_t rice_get_number(rice_reader *r, int k)
{
    const int ones = rice_get_ones(r, RICE_LIMIT);
    if (ones == RICE_LIMIT) return rice_get_all(r);
    return (uint64_t)ones << k | rice_get(r, k);
}

/* ---- a block --------------------------------------------------------------------------------------------------- */

/* Returns the end of a block's numbers in the record. */
PIO_FN int rice_end(const rice_numbers *a, int block)
{
    const int end = (block + 1) * RICE_BLOCK;
    return end < a->n ? end : a->n;
}

/* Returns the index in memory of number i of the record. */
PIO_FN int rice_place(const rice_numbers *a, int i)
{
    return a->item ? a->item[i] : i;
}

/* Returns the bits of z by Rice's code with parameter k. */
PIO_FN int rice_bits(uint64_t z, int k)
{
    return z >> k >= RICE_LIMIT ? RICE_LIMIT + 64 : (int)(z >> k) + 1 + k;
}

/* Returns the bits that a block of the numbers `in` takes in one of the modes, without its header. */
PIO_FN int rice_cost(const rice_numbers *a, const int64_t *in, int block, int mode)
{
    const int first = block * RICE_BLOCK, end = rice_end(a, block);
    int bits = 0, run = 0;
    if (mode == RICE_RAW) return 64 * (end - first);
    for (int i = first; i < end; i++) {
        const uint64_t z = rice_zigzag(in[rice_place(a, i)]);
        if (mode < RICE_RAW) {
            bits += rice_bits(z, mode);
        } else if (z) {
            bits += (run >> (mode - RICE_RUNS)) + 1 + (mode - RICE_RUNS) + rice_bits(z - 1, 0);
            run = 0;
        } else {
            run++;
        }
    }
    return mode > RICE_RAW && run ? bits + (run >> (mode - RICE_RUNS)) + 1 + (mode - RICE_RUNS) : bits;
}

/* Finds the mode in which a block takes the fewest bits, and its bytes, by the cost of every mode that can win. */
PIO_FN void rice_measure(int block, const rice_measure_args *s)
{
    const int first = block * RICE_BLOCK, end = rice_end(&s->a, block);
    uint64_t all = 0;
    int others = 0, largest = 0;
    for (int i = first; i < end; i++) {
        const uint64_t z = rice_zigzag(s->in[rice_place(&s->a, i)]);
        all |= z;
        others += z != 0;
    }
    while (largest < 64 && all >> largest) largest++; /* bits of the largest */
    s->mode[block] = RICE_RAW;
    s->bytes[block] = 0;
    if (!others) return;
    int least = rice_cost(&s->a, s->in, block, RICE_RAW);
    for (int mode = 0; mode < RICE_MODES; mode++) {
        if (mode < RICE_RAW ? mode > largest : mode == RICE_RAW || 3 * others > end - first) continue;
        const int bits = rice_cost(&s->a, s->in, block, mode);
        if (bits >= least) continue;
        least = bits;
        s->mode[block] = mode;
    }
    s->bytes[block] = (RICE_HEADER + least + 7) / 8;
}

/* Returns the bytes of a block, as measured, or as the record in the log says; 0 where no record is open. */
PIO_FN uint64_t rice_start(int block, const rice_start_args *s)
{
    if (s->bytes) return (uint64_t)s->bytes[block];
    if (s->log->start < 0) return 0;
    const uint8_t *at = s->data + s->log->end + 2 * (int64_t)block;
    return (uint64_t)(at[0] | at[1] << 8);
}

/* Sets the place of a block, after the bytes of those before it; that of the block after the last is their end. */
PIO_FN void rice_start_put(int block, uint64_t before, const rice_start_args *s)
{
    s->offset[block] = (int)before;
}

/* Writes a block into the record that is open. */
PIO_FN void rice_write(int block, const rice_write_args *s)
{
    const int first = block * RICE_BLOCK, end = rice_end(&s->a, block), mode = s->mode[block];
    if (s->log->start < 0) return;
    uint8_t *length = s->data + s->log->end + 2 * (int64_t)block;
    length[0] = (uint8_t)(s->bytes[block] & 255);
    length[1] = (uint8_t)(s->bytes[block] >> 8);
    if (!s->bytes[block]) return;
    rice_writer w;
    w.at = s->data + s->log->start + s->offset[block];
    w.buffer = 0;
    w.bits = 0;
    rice_put(&w, (uint64_t)mode, RICE_HEADER);
    uint64_t run = 0;
    for (int i = first; i < end; i++) {
        const uint64_t z = rice_zigzag(s->in[rice_place(&s->a, i)]);
        if (mode < RICE_RAW) {
            rice_put_number(&w, z, mode);
        } else if (mode == RICE_RAW) {
            rice_put_all(&w, z);
        } else if (z) {
            rice_put_ones(&w, (int)(run >> (mode - RICE_RUNS)));
            rice_put(&w, 0, 1);
            rice_put(&w, run & (((uint64_t)1 << (mode - RICE_RUNS)) - 1), mode - RICE_RUNS);
            rice_put_number(&w, z - 1, 0);
            run = 0;
        } else {
            run++;
        }
    }
    if (mode > RICE_RAW && run) {
        rice_put_ones(&w, (int)(run >> (mode - RICE_RUNS)));
        rice_put(&w, 0, 1);
        rice_put(&w, run & (((uint64_t)1 << (mode - RICE_RUNS)) - 1), mode - RICE_RUNS);
    }
    if (w.bits) rice_put(&w, 0, 8 - w.bits);
}

/* Reads a block of the record that RICE_CLOSE of rice_move() found, and sets its numbers; a block that takes no bytes
 * is zeros. */
PIO_FN void rice_read(int block, const rice_read_args *s)
{
    const int first = block * RICE_BLOCK, end = rice_end(&s->a, block);
    const int64_t from = s->log->start + s->offset[block], to = s->log->start + s->offset[block + 1];
    rice_reader r;
    r.buffer = 0;
    r.bits = 0;
    r.end = s->data + (to < s->log->end ? to : s->log->end);
    r.at = s->data + (from < s->log->end ? from : s->log->end);
    if (s->offset[block] == s->offset[block + 1] || s->log->start < 0) {
        for (int i = first; i < end; i++) s->out[rice_place(&s->a, i)] = 0;
        return;
    }
    const int mode = (int)rice_get(&r, RICE_HEADER), k = mode - RICE_RUNS;
    for (int i = first; i < end; i++) {
        if (mode > RICE_RAW) {
            uint64_t run = (uint64_t)rice_get_ones(&r, RICE_BLOCK) << k;
            for (run |= rice_get(&r, k); run > 0 && i < end; run--) s->out[rice_place(&s->a, i++)] = 0;
            if (i < end) s->out[rice_place(&s->a, i)] = rice_number(rice_get_number(&r, 0) + 1);
        } else {
            s->out[rice_place(&s->a, i)] = rice_number(mode == RICE_RAW ? rice_get_all(&r) : rice_get_number(&r, mode));
        }
    }
}

/* ---- the stack ------------------------------------------------------------------------------------------------- */

/* Changes the top of the stack as `what` says; the one item is 0. */
PIO_FN void rice_move(int i, const rice_move_args *s)
{
    rice_log *t = s->log;
    (void)i;
    if (s->what == RICE_EMPTY) {
        t->capacity = s->capacity;
        t->used = t->mark = t->missing = 0;
        t->fails = -1;
    } else if (s->what == RICE_MARK) {
        t->mark = t->used;
    } else if (s->what == RICE_REWIND) {
        t->used = t->mark;
    } else if (s->what == RICE_DROP) {
        t->used = t->start < 0 ? 0 : t->start;
    }
    t->start = -1;
    const int64_t tail = 2 * (int64_t)s->blocks + 4;
    if (s->what == RICE_OPEN) {
        const int64_t size = (*s->total + tail + 3) / 4 * 4, over = t->used + size - t->capacity;
        if (over > 0 && t->fails < 0) {
            t->fails = s->step;
            t->missing = over;
        }
        if (t->fails < 0) {
            t->start = t->used;
            t->used += size;
            t->end = t->used - tail;
            for (int64_t b = t->start + *s->total; b < t->end; b++) s->data[b] = 0;
            for (int b = 0; b < 4; b++) s->data[t->used - 4 + b] = (uint8_t)(size >> 8 * b);
        }
    } else if (s->what == RICE_CLOSE && t->used >= tail) {
        int64_t size = 0;
        for (int b = 0; b < 4; b++) size |= (int64_t)s->data[t->used - 4 + b] << 8 * b;
        t->start = size >= tail && size <= t->used ? t->used - size : t->used - tail;
        t->end = t->used - tail;
    }
    *s->level = t->fails < 0 ? (double)t->used : -1;
}

#endif
