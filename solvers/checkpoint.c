/* checkpoint.c -- the schedule with the fewest steps run forward for a number of states that can be kept: binomial checkpointing
 * (Griewank and Walther 2000, Algorithm 799; Griewank 1992, Optim. Methods Softw. 1, 35).
 *
 * With s states, of which one is the first of them, and every step run at most r times,
 *
 *     beta(s, r) = (s + r)!/(s! r!)
 *
 * steps can be reversed. For l of them, with r the least that suffices,
 *
 *     t(l, s) = r l - beta(s + 1, r - 1)
 *
 * steps are run forward: t(l, s) = min over m of  m + t(l - m, s - 1) + t(m, s),  where state m is the next that is kept. Every m
 * attains it that leaves both parts within their r: beta(s, r - 2) <= m <= beta(s, r - 1), beta(s - 1, r - 1) <= l - m <=
 * beta(s - 1, r). The largest is taken. */
#include "solvers/schedule.h"

#include <stdlib.h>

struct pio_checkpoints {
    int64_t n, current, end; /* states kept; the current state; steps end .. steps-1 are reversed */
    int64_t sweep;
    int turned;     /* this sweep has turned */
    int64_t held[]; /* [slots] numbers of the states kept, ascending; the i-th lies in slot i */
};

/* beta(s, r), or INT64_MAX where that is exceeded; 0 for r < 0 */
static int64_t beta(int64_t s, int64_t r)
{
    const int64_t most = s > r ? s : r, least = s > r ? r : s;
    int64_t value = 1;
    if (least < 0) return 0;
    for (int64_t i = 1; i <= least; i++) { /* (most + i)!/(most! i!), a whole number for each i */
        if (value > INT64_MAX / (most + i)) return INT64_MAX;
        value = value * (most + i) / i;
    }
    return value;
}

/* The least r with beta(s, r) >= l. */
static int64_t repetitions(int64_t l, int64_t s)
{
    int64_t r = 0;
    while (beta(s, r) < l) r++;
    return r;
}

int64_t pio_checkpoint_advances(int64_t steps, int64_t slots)
{
    if (steps < 1) return 0;
    const int64_t r = repetitions(steps, slots);
    return r * steps - beta(slots + 1, r - 1);
}

/* From a state that is kept, l >= 2 steps are to be reversed with s >= 2 states, this one counted: the next to be kept. */
static int64_t next_kept(int64_t l, int64_t s)
{
    const int64_t r = repetitions(l, s), a = beta(s, r - 1), b = l - beta(s - 1, r - 1);
    return a < b ? a : b;
}

static pio_action forward(struct pio_checkpoints *c, int64_t to)
{
    const pio_action a = {PIO_FORWARD, c->current, to, -1};
    c->current = to;
    return a;
}

static pio_action begin_sweep(struct pio_checkpoints *c, int64_t steps)
{
    c->turned = 1;
    c->end = steps;
    return (pio_action){PIO_TURN, steps, steps, -1};
}

static int is_held(const struct pio_checkpoints *c, int64_t state)
{
    return c->n > 0 && c->held[c->n - 1] == state;
}

static pio_action discard_last(struct pio_checkpoints *c)
{
    c->n--;
    return (pio_action){PIO_DISCARD, c->held[c->n], c->held[c->n], c->n};
}

static pio_action reverse(struct pio_checkpoints *c)
{
    c->end = c->current;
    return (pio_action){PIO_REVERSE, c->current, c->current, -1};
}

/* Towards state end - 1, which is next to be reversed: keep this state where there is more than one step to go, and go on to the
 * next to be kept, or to the end. On the way out the end is the last state, one step further. */
static pio_action approach(pio_schedule *s, struct pio_checkpoints *c)
{
    const int64_t l = c->end - c->current, last = c->turned ? c->end - 1 : c->end;
    if (l > 1 && !is_held(c, c->current)) {
        const pio_action a = {PIO_STORE, c->current, c->current, c->n};
        c->held[c->n++] = c->current;
        return a;
    }
    const int64_t left = s->slots - c->n;
    return forward(c, l > 1 && left > 0 ? c->current + next_kept(l, left + 1) : last);
}

static pio_action checkpoint_next(pio_schedule *s)
{
    struct pio_checkpoints *c = s->checkpoints;
    if (s->at++ == 0) *c = (struct pio_checkpoints){.end = s->steps};
    if (!c->turned) return c->current == s->steps ? begin_sweep(c, s->steps) : approach(s, c);
    if (c->end == 0) { /* a sweep is done */
        if (c->n > 0) return discard_last(c);
        if (c->sweep + 1 == s->sweeps) {
            s->at--; /* and it stays so */
            return (pio_action){PIO_DONE, 0, 0, -1};
        }
        *c = (struct pio_checkpoints){.end = s->steps, .sweep = c->sweep + 1};
        return s->steps ? approach(s, c) : begin_sweep(c, 0);
    }
    if (c->current == s->steps) { /* just turned */
        c->current--;
        return (pio_action){PIO_BACK, c->current, c->current, -1};
    }
    if (c->current == c->end - 1) return reverse(c);
    if (is_held(c, c->end)) return discard_last(c);
    if (c->current == c->end) { /* just reversed; the state before it is further back */
        c->current = c->held[c->n - 1];
        return (pio_action){PIO_RESTORE, c->current, c->current, c->n - 1};
    }
    return approach(s, c);
}

pio_schedule pio_schedule_checkpoint(int64_t steps, int64_t slots, int64_t sweeps)
{
    const int64_t most = slots < steps ? slots : steps;
    return (pio_schedule){.name = "checkpoint",
                          .steps = steps,
                          .slots = slots,
                          .sweeps = sweeps,
                          .next = checkpoint_next,
                          .checkpoints =
                              calloc(1, sizeof(struct pio_checkpoints) + sizeof(int64_t) * (size_t)(most + 1))};
}

void pio_schedule_end(pio_schedule *schedule)
{
    free(schedule->checkpoints);
    schedule->checkpoints = NULL;
}
