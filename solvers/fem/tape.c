/* tape.c -- see tape.h. */
#include "solvers/fem/tape.h"

void pio_tape_layout(pio_tape *t, pio_arena *arena, int64_t capacity, int n, double *level)
{
    t->capacity = capacity;
    t->n = n;
    t->blocks = rice_blocks(n);
    t->level = level;
    TAKE(arena, t->state, 1);
    TAKE(arena, t->data, capacity);
    TAKE(arena, t->mode, t->blocks);
    TAKE(arena, t->bytes, t->blocks);
    TAKE(arena, t->offset, t->blocks + 1);
}

/* clang-format off */
static void move(pio_tape *t, pio_queue *q, int what, int64_t step)
{
    pio_map(q, rice_move, 1, NULL, .what = what, .blocks = t->blocks, .step = step, .capacity = t->capacity,
            .total = t->offset + t->blocks, .data = t->data, .log = t->state, .level = t->level);
}

void pio_tape_empty(pio_tape *t, pio_queue *q, int64_t step)
{
    t->first = t->next = step;
    t->checked = 1;
    t->kept = 0;
    move(t, q, RICE_EMPTY, step);
}

void pio_tape_push(pio_tape *t, pio_queue *q, const int64_t *numbers, int64_t step)
{
    const rice_numbers a = {.n = t->n, .item = t->item};
    t->checked = 0;
    pio_map(q, rice_measure, t->blocks, NULL, .a = a, .in = numbers, .mode = t->mode, .bytes = t->bytes);
    pio_scan(q, rice_start, t->blocks, t->offset, .bytes = t->bytes, .log = t->state, .data = t->data);
    move(t, q, RICE_OPEN, step);
    pio_map(q, rice_write, t->blocks, NULL, .a = a, .in = numbers, .mode = t->mode, .bytes = t->bytes,
            .offset = t->offset, .log = t->state, .data = t->data);
}

void pio_tape_pop(pio_tape *t, pio_queue *q, int64_t *numbers)
{
    const rice_numbers a = {.n = t->n, .item = t->item};
    move(t, q, RICE_CLOSE, 0);
    pio_scan(q, rice_start, t->blocks, t->offset, .log = t->state, .data = t->data);
    pio_map(q, rice_read, t->blocks, NULL, .a = a, .offset = t->offset, .log = t->state, .data = t->data,
            .out = numbers);
    move(t, q, RICE_DROP, 0);
}
/* clang-format on */

void pio_tape_mark(pio_tape *t, pio_queue *q)
{
    move(t, q, RICE_MARK, 0);
}

void pio_tape_rewind(pio_tape *t, pio_queue *q)
{
    move(t, q, RICE_REWIND, 0);
}

void pio_tape_state(const pio_tape *t, pio_queue *q, rice_log *state)
{
    pio_queue_download(q, state, t->state, sizeof *state);
}
