/* kernel_cases_rice.h -- the case of the log of records: two of them are written, and read again. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_RICE_H
#define PIOLA_TESTS_KERNEL_CASES_RICE_H

#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"

enum { LOG_NUMBERS = 66000 }; /* eight times as many are blocks enough for several threads */

typedef struct {
    rice_move_args move;
    rice_measure_args measure;
    rice_start_args start;
    rice_write_args write;
    rice_read_args read;
    int *offset;
} log_args;

static void log_move(case_io *io, log_args *a, int what)
{
    a->move.what = what;
    LAUNCH(io, rice_move, 1, NULL, &a->move);
}

static void log_push(case_io *io, log_args *a, const int64_t *in)
{
    const int blocks = a->move.blocks;
    a->measure.in = a->write.in = in;
    a->start.bytes = a->measure.bytes;
    LAUNCH(io, rice_measure, blocks, NULL, &a->measure);
    LAUNCH_SCAN(io, rice_start, blocks, &a->start);
    log_move(io, a, RICE_OPEN);
    LAUNCH(io, rice_write, blocks, NULL, &a->write);
}

static void log_pop(case_io *io, log_args *a, int64_t *out)
{
    const int blocks = a->move.blocks;
    a->read.out = out;
    a->start.bytes = NULL;
    log_move(io, a, RICE_CLOSE);
    LAUNCH_SCAN(io, rice_start, blocks, &a->start);
    LAUNCH(io, rice_read, blocks, NULL, &a->read);
    log_move(io, a, RICE_DROP);
}

static void log_of(case_io *io, log_args *a, int n, const int *item)
{
    const int blocks = rice_blocks(n);
    uint8_t *data = (uint8_t *)case_new(io, CASE_INT64, (size_t)(4 * n), CASE_SET);
    rice_log *record = (rice_log *)case_new(io, CASE_INT64, sizeof(rice_log) / sizeof(int64_t), CASE_SET);
    rice_numbers of;
    of.n = n;
    of.item = item;
    a->offset = NEW(io, int, blocks + 1, CASE_SET);
    a->measure.a = a->write.a = a->read.a = of;
    a->measure.mode = NEW(io, int, blocks, CASE_SET);
    a->measure.bytes = NEW(io, int, blocks, CASE_SET);
    a->write.mode = a->measure.mode;
    a->write.bytes = a->measure.bytes;
    a->write.offset = a->read.offset = a->start.offset = a->offset;
    a->start.log = a->write.log = a->read.log = a->move.log = record;
    a->start.data = a->read.data = a->write.data = a->move.data = data;
    a->move.total = a->offset + blocks;
    a->move.blocks = blocks;
    a->move.step = 3;
    a->move.capacity = 32 * (int64_t)n;
    a->move.level = NEW(io, double, 1, CASE_SET);
}

static void case_rice_write(case_io *io)
{
    static const char *const names[] = {"small numbers", "numbers of any size", "few that are not zero", NULL};
    const int kind = case_variant(io, names), n = case_size(io, LOG_NUMBERS);
    int *item = HOST(io, int, n);
    int64_t *host = HOST(io, int64_t, n);
    log_args a;
    for (int i = 0; i < n; i++) {
        const double u = case_unit("number", i) - 0.5;
        const uint64_t wide_bits = (uint64_t)(case_unit("bits", i) * 9007199254740992.0) << 11;
        item[i] = (int)((int64_t)i * 7919 % n); /* no divisor of it is one of n */
        host[i] = kind == 0 ? (int64_t)(300 * u) : kind == 2 ? (int64_t)(2.2 * u) : (int64_t)wide_bits >> i % 64;
    }
    log_of(io, &a, n, PUSH(io, int, item, n));
    const int64_t *in = PUSH(io, int64_t, host, n);
    int64_t *again = (int64_t *)case_new(io, CASE_INT64, (size_t)n, CASE_SET);
    log_move(io, &a, RICE_EMPTY);
    log_push(io, &a, in);
    log_move(io, &a, RICE_MARK);
    log_push(io, &a, in);
    log_move(io, &a, RICE_REWIND);
    case_out(io, "bytes of blocks", CASE_INT, 1, a.move.blocks, a.measure.bytes);
    case_out(io, "residual log", CASE_INT64, 1, sizeof(rice_log) / sizeof(int64_t), a.move.log);
    case_out(io, "words", CASE_INT, 1, a.move.blocks, a.move.data);
    log_pop(io, &a, again);
    case_out(io, "numbers", CASE_INT64, 1, n, again);
    case_out(io, "level", CASE_DOUBLE, 1, 1, a.move.level);
    const case_array *out = case_find(io, CASE_OUTPUT, "numbers");
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += fabs(out->value[i] - (double)host[i]) > 0;
    case_expect(io, !wrong, "what was written is read");
    case_expect(io, fabs(case_find(io, CASE_OUTPUT, "level")->value[0]) < 0.5, "the residual log is empty again");
}
#define case_rice_measure case_rice_write
#define case_rice_start case_rice_write
#define case_rice_read case_rice_write
#define case_rice_move case_rice_write

#endif
