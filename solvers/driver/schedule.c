/* schedule.c -- see schedule.h. */
#include "solvers/driver/schedule.h"

/* Action number `at` of the last sweep, from its turn on: Turn, then Restore s, Adjoint of s, Discard s. */
static pio_action last_sweep(const pio_schedule *s, int64_t at)
{
    const int64_t step = s->steps - 1 - (at - 1) / 3;
    if (at == 0) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (step < 0) return (pio_action){PIO_DONE, 0, 0, -1};
    switch ((at - 1) % 3) {
    case 0:
        return (pio_action){PIO_RESTORE, step, step, step};
    case 1:
        return (pio_action){PIO_ADJOINT_STEP, step, step, -1};
    default:
        return (pio_action){PIO_DISCARD, step, step, step};
    }
}

/* Action number `at` of a sweep that another one follows: Turn, then Restore s, Adjoint of s; in the end Restore the
 * last state. */
static pio_action earlier_sweep(const pio_schedule *s, int64_t at)
{
    const int64_t step = s->steps - 1 - (at - 1) / 2;
    if (at == 0) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (step < 0) return (pio_action){PIO_RESTORE, s->steps, s->steps, s->steps};
    return (at - 1) % 2 == 0 ? (pio_action){PIO_RESTORE, step, step, step}
                             : (pio_action){PIO_ADJOINT_STEP, step, step, -1};
}

/* Forward run: Store s, Forward s -> s+1; with several sweeps Store the last state, which the last sweep discards at
 * its beginning. `at` counts actions. */
static pio_action store_all_next(pio_schedule *s)
{
    const int64_t last = s->steps, length = 2 * last + 2;
    int64_t at = s->at++;
    if (at < 2 * last) {
        const int64_t step = at / 2;
        return at % 2 == 0 ? (pio_action){PIO_STORE, step, step, step} : (pio_action){PIO_FORWARD, step, step + 1, -1};
    }
    at -= 2 * last;
    if (s->sweeps == 1) return last_sweep(s, at);
    if (at-- == 0) return (pio_action){PIO_STORE, last, last, last};
    if (at < (s->sweeps - 1) * length) return earlier_sweep(s, at % length);
    at -= (s->sweeps - 1) * length;
    return at == 0 ? (pio_action){PIO_DISCARD, last, last, last} : last_sweep(s, at - 1);
}

pio_schedule pio_schedule_store_all(int64_t steps, int64_t sweeps)
{
    return (pio_schedule){
        .name = "store", .steps = steps, .slots = steps + (sweeps > 1), .sweeps = sweeps, .next = store_all_next};
}

/* Action number `at` from a sweep's turn on: Turn, then Inverse to s, Adjoint of s; before the adjoint of 0 Verify. */
static pio_action sweep_of_inverses(const pio_schedule *s, int64_t at)
{
    const int64_t step = s->steps - 1 - (at - 1) / 2;
    if (at == 0) return (pio_action){PIO_TURN, s->steps, s->steps, -1};
    if (at % 2) return (pio_action){PIO_INVERSE_STEP, step + 1, step, -1};
    if (step > 0) return (pio_action){PIO_ADJOINT_STEP, step, step, -1};
    return (pio_action){PIO_VERIFY, 0, 0, 0};
}

/* Store 0; each sweep: Forward to the end, its turn and what follows; Discard 0. */
static pio_action reverse_next(pio_schedule *s)
{
    const int64_t length = s->steps ? 2 * s->steps + 3 : 1;
    int64_t at = s->at++;
    if (at-- == 0) return (pio_action){PIO_STORE, 0, 0, 0};
    if (at == s->sweeps * length) return (pio_action){PIO_DISCARD, 0, 0, 0};
    if (at > s->sweeps * length) return (pio_action){PIO_DONE, 0, 0, -1};
    at %= length;
    if (s->steps && at-- == 0) return (pio_action){PIO_FORWARD, 0, s->steps, -1};
    return at == 2 * s->steps + 1 && s->steps ? (pio_action){PIO_ADJOINT_STEP, 0, 0, -1} : sweep_of_inverses(s, at);
}

pio_schedule pio_schedule_reverse(int64_t steps, int64_t sweeps)
{
    return (pio_schedule){
        .name = "reverse", .steps = steps, .slots = 1, .sweeps = sweeps, .reversed = 1, .next = reverse_next};
}

/* ---- the last steps alone ----------------------------------------------------------------------------------- */

/* Forward to the window's first state, then the window's own stream, whose states are counted from there. */
static pio_action window_next(pio_schedule *s)
{
    if (s->at == 0) {
        s->at++;
        return (pio_action){PIO_FORWARD, 0, s->first, -1};
    }
    s->at--;
    s->steps -= s->first;
    pio_action a = s->of_window(s);
    s->steps += s->first;
    s->at++;
    if (a.kind == PIO_DONE) return a;
    a.from += s->first;
    a.to += s->first;
    return a;
}

pio_schedule pio_schedule_window(pio_schedule of_window, int64_t first)
{
    pio_schedule s = of_window;
    if (first == 0) return s;
    s.first = first;
    s.steps += first;
    s.of_window = of_window.next;
    s.next = window_next;
    return s;
}
