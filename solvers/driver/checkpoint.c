/* checkpoint.c -- the schedule with the fewest steps run forward for a number of states that can be kept: binomial
 * checkpointing (Griewank and Walther 2000, Algorithm 799; Griewank 1992, Optim. Methods Softw. 1, 35).
 *
 * With s states, of which one is the first of them, and every step run at most r times,
 *
 *     beta(s, r) = (s + r)!/(s! r!)
 *
 * adjoint steps can be run. For l of them, with r the least that suffices,
 *
 *     t(l, s) = r l - beta(s + 1, r - 1)
 *
 * steps are run forward: t(l, s) = min over m of  m + t(l - m, s - 1) + t(m, s),  where state m is the next that is
 * kept. Every m attains it that leaves both parts within their r: beta(s, r - 2) <= m <= beta(s, r - 1), beta(s - 1, r
 * - 1) <= l - m <= beta(s - 1, r). The largest is taken.
 *
 * With d states more in a second tier, written in the forward run and read once (Stumm and Walther 2009, SIAM J. Sci.
 * Comput. 31, 1946; Aupy, Herrmann, Hovland and Robert 2016, ACM Trans. Math. Softw. 42, 21), the steps are cut into d
 * + 1 segments of lengths l_0 .. l_d: each but the last is run through once, and its adjoint later from its beginning,
 *
 *     steps run forward = sum over i < d of (l_i + t(l_i, s)) + t(l_d, s)
 *
 * t is convex in l, with slope r where r is the least that suffices, so the sum is least where the slopes are equal: r
 * = R - 1 in the earlier segments, R in the last. */
#include "solvers/driver/schedule.h"

#include <stdlib.h>

struct pio_checkpoints {
    int64_t n, current, end; /* states stored; the current state; the adjoints of steps end .. steps-1 are done */
    int64_t segment, first;  /* at hand, and its first state */
    int64_t last, shorter;   /* steps of the last segment, and of each before it; so many of these have one step more */
    int64_t longer;
    int64_t sweep;
    int turned;       /* this sweep has turned */
    int moved;        /* the segment's first state has just gone to the second tier, or come from it */
    int64_t stored[]; /* [slots] numbers of the states kept, ascending; the i-th lies in slot i */
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

/* t(l, s) */
static int64_t advances(int64_t l, int64_t s)
{
    if (l < 1) return 0;
    const int64_t r = repetitions(l, s);
    return r * l - beta(s + 1, r - 1);
}

/* Lengths of d + 1 segments, d < steps: the last is as short as its slope lets it be, so that the earlier ones are
 * even. */
static void cut(struct pio_checkpoints *c, int64_t steps, int64_t s, int64_t d)
{
    int64_t R = 0;
    *c = (struct pio_checkpoints){.last = steps, .end = steps};
    if (d == 0) return;
    while (beta(s, R) < steps && d * beta(s, R - 1) < steps - beta(s, R)) R++;
    const int64_t most = beta(s, R - 1), least = R > 0 ? beta(s, R - 1) : 1;
    c->last = d * most < steps - least ? steps - d * most : least;
    c->shorter = (steps - c->last) / d;
    c->longer = (steps - c->last) % d;
}

/* The longer ones come first. */
static int64_t beginning(const struct pio_checkpoints *c, int64_t segment)
{
    return segment * c->shorter + (segment < c->longer ? segment : c->longer);
}

int64_t pio_checkpoint_advances(int64_t steps, int64_t slots, int64_t kept)
{
    struct pio_checkpoints c;
    if (steps < 1) return 0;
    cut(&c, steps, slots, kept);
    return steps - c.last + c.longer * advances(c.shorter + 1, slots) + (kept - c.longer) * advances(c.shorter, slots) +
           advances(c.last, slots);
}

/* From a state that is kept, l >= 2 steps are to have their adjoints with s >= 2 states, this one counted: the next
 * to be kept. */
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

static int is_stored(const struct pio_checkpoints *c, int64_t state)
{
    return c->n > 0 && c->stored[c->n - 1] == state;
}

static pio_action discard_last(struct pio_checkpoints *c)
{
    c->n--;
    return (pio_action){PIO_DISCARD, c->stored[c->n], c->stored[c->n], c->n};
}

static pio_action adjoint_step(struct pio_checkpoints *c)
{
    c->end = c->current;
    return (pio_action){PIO_ADJOINT_STEP, c->current, c->current, -1};
}

/* Towards state end - 1, whose adjoint is next: keep this state where there is more than one step to go, and go
 * on to the next to be kept, or to the end. In the forward run the end is the last state, one step further. */
static pio_action approach(pio_schedule *s, struct pio_checkpoints *c)
{
    const int64_t l = c->end - c->current, last = c->turned ? c->end - 1 : c->end;
    if (l > 1 && !is_stored(c, c->current)) {
        const pio_action a = {PIO_STORE, c->current, c->current, c->n};
        c->stored[c->n++] = c->current;
        return a;
    }
    const int64_t left = s->slots - c->n;
    return forward(c, l > 1 && left > 0 ? c->current + next_kept(l, left + 1) : last);
}

/* Begins the forward run of a sweep. */
static void begin(pio_schedule *s, int64_t sweep)
{
    cut(s->checkpoints, s->steps, s->slots, s->kept);
    s->checkpoints->sweep = sweep;
}

/* In the forward run: the first state of each segment but the last into the second tier. */
static pio_action way_out(pio_schedule *s, struct pio_checkpoints *c)
{
    if (c->segment == s->kept) return c->current == s->steps ? begin_sweep(c, s->steps) : approach(s, c);
    c->moved = !c->moved;
    if (c->moved) return (pio_action){PIO_STORE, c->current, c->current, s->slots + c->segment};
    c->first = beginning(c, ++c->segment);
    return forward(c, c->first);
}

/* The segment's adjoints are done; the one before it begins with its first state. */
static pio_action segment_before(pio_schedule *s, struct pio_checkpoints *c)
{
    c->current = c->first = beginning(c, --c->segment);
    c->moved = 1;
    return (pio_action){PIO_RESTORE, c->first, c->first, s->slots + c->segment};
}

static pio_action checkpoint_next(pio_schedule *s)
{
    struct pio_checkpoints *c = s->checkpoints;
    if (s->at++ == 0) begin(s, 0);
    if (!c->turned) return way_out(s, c);
    if (c->moved) {
        c->moved = 0;
        return (pio_action){PIO_DISCARD, c->first, c->first, s->slots + c->segment};
    }
    if (c->end == c->first) {
        if (c->n > 0) return discard_last(c);
        if (c->segment > 0) return segment_before(s, c);
        if (c->sweep + 1 == s->sweeps) {
            s->at--; /* and it stays so */
            return (pio_action){PIO_DONE, 0, 0, -1};
        }
        begin(s, c->sweep + 1);
        return way_out(s, c);
    }
    if (c->current == s->steps) { /* just turned */
        c->current--;
        return (pio_action){PIO_PREVIOUS_STATE, c->current, c->current, -1};
    }
    if (c->current == c->end - 1) return adjoint_step(c);
    if (is_stored(c, c->end)) return discard_last(c);
    if (c->current == c->end) { /* after an adjoint step; the state before it is at an earlier place */
        c->current = c->stored[c->n - 1];
        return (pio_action){PIO_RESTORE, c->current, c->current, c->n - 1};
    }
    return approach(s, c);
}

pio_schedule pio_schedule_checkpoint(int64_t steps, int64_t slots, int64_t kept, int64_t sweeps)
{
    const int64_t most = slots < steps ? slots : steps;
    return (pio_schedule){.name = "checkpoint",
                          .steps = steps,
                          .slots = slots,
                          .kept = kept,
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
