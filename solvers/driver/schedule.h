/* schedule.h -- the order in which a gradient runs steps, stores and restores states, and runs adjoint steps.
 *
 * A schedule is a stream of actions over states 0..steps; step s leads from state s to state s + 1. One driver
 * (driver.c) executes it, and no solver knows which schedule runs. A run may have several adjoint sweeps, one for each
 * function of it that has a gradient: each sweep begins with a turn. */
#ifndef PIOLA_SOLVERS_SCHEDULE_H
#define PIOLA_SOLVERS_SCHEDULE_H

#include <stdint.h>

typedef enum {
    PIO_FORWARD, /* run steps from .. to-1; the current state is `from` */
    /* store the current state, number `from`, in `slot`; slots from `slots` on are those of the second tier */
    PIO_STORE,
    PIO_RESTORE, /* make state `from`, stored in `slot`, the current one */
    PIO_TURN,    /* begin an adjoint sweep; the current state is the last one, `from` */
    /* just after a turn: make state `from`, that before the last step, the current one again, stored or not */
    PIO_PREVIOUS_STATE,
    /* state `from` is current: compute state `to` = `from` - 1 from it alone, which becomes the current one */
    PIO_INVERSE_STEP,
    PIO_VERIFY,       /* the current state, number `from`, must be that in `slot` to the bit */
    PIO_ADJOINT_STEP, /* run the adjoint of step `from`; the current state is `from` */
    PIO_DISCARD,      /* `slot` is free again */
    PIO_DONE
} pio_action_kind;

/* One action; what it does not use is -1 or repeats `from`. */
typedef struct {
    pio_action_kind kind;
    int64_t from, to, slot; /* states, and a slot, as of the kind */
} pio_action;

typedef struct pio_schedule {
    const char *name;     /* store, checkpoint or reverse */
    int64_t steps, slots; /* of the run; largest number of states stored at one time */
    int64_t kept;         /* likewise in the second tier, a disk */
    int64_t sweeps;       /* number of adjoint sweeps, at least 1 */
    int64_t at;           /* position in the stream; 0 begins it anew */
    int reversed;         /* 1: steps are inverted, and must lead to the state in slot 0 */
    /* state where adjoint sweeps end: steps before it are run once, and none of their states is stored */
    int64_t first;
    /* of pio_schedule_window(): returns the next action of the stream of the steps from there on */
    pio_action (*of_window)(struct pio_schedule *schedule);
    pio_action (*next)(struct pio_schedule *schedule); /* returns the next action */
    struct pio_checkpoints *checkpoints;               /* of pio_schedule_checkpoint, or NULL */
} pio_schedule;

/* Stores every state: no step is run twice, however many sweeps there are. It needs `steps` slots, and with several
 * sweeps one more, for the last state. */
pio_schedule pio_schedule_store_all(int64_t steps, int64_t sweeps);

/* Stores state 0 alone and runs the inverse of every step, for reversible integrators. State 0 is verified at the
 * end. */
pio_schedule pio_schedule_reverse(int64_t steps, int64_t sweeps);

/* Stores `slots` states (at least 1 if there are 2 steps or more), and `kept` more in the second tier, each of which is
 * written and read once (kept < steps, or 0), and runs the fewest possible steps again from them (checkpoint.c). A
 * further sweep repeats all of it. Its `checkpoints` are NULL without host memory; pio_schedule_end() frees them. */
pio_schedule pio_schedule_checkpoint(int64_t steps, int64_t slots, int64_t kept, int64_t sweeps);
/* Returns the schedule `of_window` for the last steps of a run that has `first` more before them; 0: it is
 * unchanged. */
pio_schedule pio_schedule_window(pio_schedule of_window, int64_t first);
/* Frees the memory of a schedule. */
void pio_schedule_end(pio_schedule *schedule);

/* Returns the number of steps that are run forward for the adjoints of `steps` of them with `slots` >= 1 states and
 * `kept` in the second tier. The run of its own step in each adjoint is not counted; the schedule runs one more in each
 * sweep, the last, on whose end the objective depends. */
int64_t pio_checkpoint_advances(int64_t steps, int64_t slots, int64_t kept);

#endif
