/* schedule.h -- in which order a gradient runs, keeps, restores and reverses steps.
 *
 * A schedule is a stream of actions over states 0..steps; step s leads from state s to state s + 1. One driver
 * (adjoint.c) executes it, and no solver knows which schedule runs. A run may be swept back several times, once for
 * every function of it that has a gradient: each sweep begins with a turn. */
#ifndef PIOLA_SOLVERS_SCHEDULE_H
#define PIOLA_SOLVERS_SCHEDULE_H

#include <stdint.h>

typedef enum {
    PIO_FORWARD, /* run steps from .. to-1; the current state is `from` */
    /* keep the current state, number `from`, in `slot`; slots from `slots` on are those of the second tier */
    PIO_STORE,
    PIO_RESTORE, /* make state `from`, kept in `slot`, the current one */
    PIO_TURN,    /* a sweep back begins; the current state is the last one, `from` */
    /* just after a turn: state `from`, that before the last step, is the current one again, kept or not */
    PIO_PREVIOUS_STATE,
    /* state `from` is current; state `to` = `from` - 1, found from it alone, is the current one next */
    PIO_INVERSE_STEP,
    PIO_VERIFY,       /* the current state, number `from`, must be that in `slot` to the bit */
    PIO_ADJOINT_STEP, /* the adjoint of step `from`; the current state is `from` */
    PIO_DISCARD,      /* `slot` is free again */
    PIO_DONE
} pio_action_kind;

typedef struct {
    pio_action_kind kind;
    int64_t from, to, slot;
} pio_action;

typedef struct pio_schedule {
    const char *name;
    int64_t steps, slots; /* slots: states kept at one time at most */
    int64_t kept;         /* likewise in the second tier, a disk */
    int64_t sweeps;       /* back; at least 1 */
    int64_t at;           /* position in the stream; 0 begins it anew */
    int reversed;         /* steps are: slot 0 has the state that the run must come back to */
    int64_t first; /* state where sweeps back end: steps before it are run once, and nothing of them is kept; 0: all */
    pio_action (*of_window)(
        struct pio_schedule *schedule); /* of pio_schedule_window: the stream of the steps from there on */
    pio_action (*next)(struct pio_schedule *schedule);
    struct pio_checkpoints *checkpoints; /* of pio_schedule_checkpoint, or NULL */
} pio_schedule;

/* Keep every state: no step is run twice, however many sweeps there are. `steps` slots; with several sweeps one more,
 * for the last state. */
pio_schedule pio_schedule_store_all(int64_t steps, int64_t sweeps);

/* Keep state 0 alone, and take every step back: for integrators that can. It is what state 0 must be again. */
pio_schedule pio_schedule_reverse(int64_t steps, int64_t sweeps);

/* Keep `slots` states (at least 1 where there are 2 steps or more), and `kept` more in the second tier, each of which
 * is written and read once (kept < steps, or 0); run steps again from them, as few as can be (checkpoint.c). A further
 * sweep runs all of it once more. Its `checkpoints` are NULL when there is no host memory, and go to
 * pio_schedule_end. */
pio_schedule pio_schedule_checkpoint(int64_t steps, int64_t slots, int64_t kept, int64_t sweeps);
/* A schedule over so many steps becomes one over the last ones of a run that has `first` more before them; 0: it stays
 * as it is. */
pio_schedule pio_schedule_window(pio_schedule of_window, int64_t first);
void pio_schedule_end(pio_schedule *schedule);

/* Steps that are run forward to reverse `steps` of them with `slots` states and `kept` in the second tier, the run that
 * each adjoint makes of its own step not counted; the schedule runs one more in each sweep, the last, whose end the
 * objective sees. slots >= 1. */
int64_t pio_checkpoint_advances(int64_t steps, int64_t slots, int64_t kept);

#endif
