/* schedule.c -- see schedule.h. */
#include "solvers/schedule.h"

/* Way out: Store s, Forward s -> s+1. Way back: Restore s, Reverse s, Discard s. `at` counts actions. */
static pio_action store_all_next(pio_schedule *s)
{
    const int64_t out = 2 * s->steps, at = s->at++;
    if (at < out) {
        const int64_t step = at / 2;
        return at % 2 == 0 ? (pio_action){PIO_STORE, step, step, step} : (pio_action){PIO_FORWARD, step, step + 1, -1};
    }
    const int64_t step = s->steps - 1 - (at - out) / 3;
    if (step < 0) return (pio_action){PIO_DONE, 0, 0, -1};
    switch ((at - out) % 3) {
    case 0:
        return (pio_action){PIO_RESTORE, step, step, step};
    case 1:
        return (pio_action){PIO_REVERSE, step, step, -1};
    default:
        return (pio_action){PIO_DISCARD, step, step, step};
    }
}

pio_schedule pio_schedule_store_all(int64_t steps)
{
    return (pio_schedule){.name = "store", .steps = steps, .slots = steps, .next = store_all_next};
}
