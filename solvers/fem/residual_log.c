/* residual_log.c -- see residual_log.h. */
#include "solvers/fem/residual_log.h"

void pio_residual_log_layout(pio_residual_log *log, pio_arena *arena, int64_t capacity, int n, double *level)
{
    log->capacity = capacity;
    log->n = n;
    log->blocks = rice_blocks(n);
    log->level = level;
    TAKE(arena, log->state, 1);
    TAKE(arena, log->data, capacity);
    TAKE(arena, log->mode, log->blocks);
    TAKE(arena, log->bytes, log->blocks);
    TAKE(arena, log->offset, log->blocks + 1);
}

/* clang-format off */
static void move(pio_residual_log *log, pio_queue *q, int what, int64_t step)
{
    pio_map(q, rice_move, 1, NULL, .what = what, .blocks = log->blocks, .step = step, .capacity = log->capacity,
            .total = log->offset + log->blocks, .data = log->data, .log = log->state, .level = log->level);
}

void pio_residual_log_empty(pio_residual_log *log, pio_queue *q, int64_t step)
{
    log->first = log->next = step;
    log->checked = 1;
    log->kept = 0;
    move(log, q, RICE_EMPTY, step);
}

void pio_residual_log_push(pio_residual_log *log, pio_queue *q, const int64_t *numbers, int64_t step)
{
    const rice_numbers a = {.n = log->n, .item = log->item};
    log->checked = 0;
    pio_map(q, rice_measure, log->blocks, NULL, .a = a, .in = numbers, .mode = log->mode, .bytes = log->bytes);
    pio_scan(q, rice_start, log->blocks, .bytes = log->bytes, .log = log->state, .data = log->data,
             .offset = log->offset);
    move(log, q, RICE_OPEN, step);
    pio_map(q, rice_write, log->blocks, NULL, .a = a, .in = numbers, .mode = log->mode, .bytes = log->bytes,
            .offset = log->offset, .log = log->state, .data = log->data);
}

void pio_residual_log_pop(pio_residual_log *log, pio_queue *q, int64_t *numbers)
{
    const rice_numbers a = {.n = log->n, .item = log->item};
    move(log, q, RICE_CLOSE, 0);
    pio_scan(q, rice_start, log->blocks, .log = log->state, .data = log->data, .offset = log->offset);
    pio_map(q, rice_read, log->blocks, NULL, .a = a, .offset = log->offset, .log = log->state, .data = log->data,
            .out = numbers);
    move(log, q, RICE_DROP, 0);
}
/* clang-format on */

void pio_residual_log_mark(pio_residual_log *log, pio_queue *q)
{
    move(log, q, RICE_MARK, 0);
}

void pio_residual_log_rewind(pio_residual_log *log, pio_queue *q)
{
    move(log, q, RICE_REWIND, 0);
}

void pio_residual_log_state(const pio_residual_log *log, pio_queue *q, rice_log *state)
{
    pio_queue_download(q, state, log->state, sizeof *state);
}
