/* schedule_judge.h -- is a stream of actions legal? An interpreter that knows nothing but the meaning of the
 * actions. */
#ifndef PIOLA_TESTS_SCHEDULE_JUDGE_H
#define PIOLA_TESTS_SCHEDULE_JUDGE_H

#include "solvers/driver/schedule.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST = 256 };

typedef struct {
    int64_t steps, slots;        /* slots of both tiers */
    int64_t second, moves;       /* the first slot of the second tier; states written to it and read from it */
    int64_t current;             /* number of the current state */
    int64_t first;               /* where sweeps end: the steps before it are run once, and nothing of them is kept */
    int64_t kept[MOST];          /* state in each slot, -1 */
    bool just_turned;            /* by the action before */
    bool unproven;               /* a step was inverted, and no state verified since */
    int64_t inverse_steps;       /* number of steps that were inverted */
    int64_t adjoint;             /* of this sweep the adjoints of steps-1 .. adjoint are done */
    int64_t sweeps, turns;       /* adjoint sweeps: wanted, begun */
    int64_t forward, held, peak; /* steps run, slots in use now and at most */
} interpreter;

/* NULL, or the rule that the action breaks. */
static inline const char *invert(interpreter *m, const pio_action *a)
{
    if (a->from != m->current) return "inverted a step from a state that is not the current one";
    if (a->to != a->from - 1 || a->to < 0) return "inverted more than a step, or none";
    m->current = a->to;
    m->inverse_steps++;
    m->unproven = true;
    return NULL;
}

static inline const char *verify(interpreter *m, const pio_action *a)
{
    if (a->slot < 0 || a->slot >= m->slots || m->kept[a->slot] < 0) return "verified by an empty slot";
    if (m->kept[a->slot] != m->current || a->from != m->current) return "verified by another state";
    m->unproven = false;
    return NULL;
}

static inline const char *interpret(interpreter *m, const pio_action *a)
{
    const bool after_turn = m->just_turned;
    m->just_turned = a->kind == PIO_TURN;
    switch (a->kind) {
    case PIO_FORWARD:
        if (a->from != m->current) return "forward from a state that is not the current one";
        if (a->to <= a->from || a->to > m->steps) return "forward to nowhere";
        m->forward += a->to - a->from;
        m->current = a->to;
        return NULL;
    case PIO_STORE:
        if (a->from != m->current) return "the state stored is not the current one";
        if (a->slot < 0 || a->slot >= m->slots) return "stored where there is no slot";
        if (m->current < m->first) return "stored a state that no sweep needs";
        if (m->kept[a->slot] >= 0) return "stored in a slot that is taken";
        m->kept[a->slot] = m->current;
        m->moves += a->slot >= m->second;
        if (a->slot >= m->second) return NULL;
        if (++m->held > m->peak) m->peak = m->held;
        return NULL;
    case PIO_RESTORE:
        if (a->slot < 0 || a->slot >= m->slots || m->kept[a->slot] < 0) return "restored from an empty slot";
        if (m->kept[a->slot] != a->from) return "restored a state that is not in this slot";
        m->current = a->from;
        m->moves += a->slot >= m->second;
        return NULL;
    case PIO_TURN:
        if (m->current != m->steps || a->from != m->steps) return "turned before the end was reached";
        if (m->turns > 0 && m->adjoint > m->first) return "turned again with steps left";
        m->turns++;
        m->adjoint = m->steps;
        return NULL;
    case PIO_PREVIOUS_STATE:
        if (!after_turn) return "went back without a turn";
        if (a->from != m->steps - 1) return "went back more than a step";
        m->current = a->from;
        return NULL;
    case PIO_INVERSE_STEP:
        return invert(m, a);
    case PIO_VERIFY:
        return verify(m, a);
    case PIO_ADJOINT_STEP:
        if (m->unproven && a->from == 0) return "the adjoint of step 0 at a state that nothing verified";
        if (m->turns == 0) return "an adjoint step before it turned";
        if (a->from != m->current) return "an adjoint step without its state";
        if (a->from != m->adjoint - 1) return "adjoint steps out of order";
        if (a->from < m->first) return "the adjoint of a step that is left out";
        m->adjoint = a->from;
        return NULL;
    case PIO_DISCARD:
        if (a->slot < 0 || a->slot >= m->slots || m->kept[a->slot] < 0) return "discarded an empty slot";
        m->kept[a->slot] = -1;
        m->held -= a->slot < m->second;
        return NULL;
    case PIO_DONE:
        if (m->turns != m->sweeps) return "done with too few sweeps, or too many";
        return m->adjoint == m->first ? NULL : "done with steps left";
    }
    return "no such action";
}

/* Run a whole schedule; NULL or the first rule broken. */
static inline const char *judge(pio_schedule *s, interpreter *m)
{
    *m = (interpreter){.steps = s->steps,
                       .slots = s->slots + s->kept,
                       .second = s->slots,
                       .first = s->first,
                       .adjoint = s->steps,
                       .sweeps = s->sweeps};
    for (int i = 0; i < MOST; i++) m->kept[i] = -1;
    if (m->slots > MOST) return "more slots than this test has";
    for (int64_t i = 0; i < 4000000; i++) {
        const pio_action a = s->next(s);
        const char *broken = interpret(m, &a);
        if (broken || a.kind == PIO_DONE) return broken;
    }
    return "it does not end";
}

#endif
