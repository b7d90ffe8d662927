/* run_checkpoint.c -- see run_checkpoint.h. */
#include "host/results/run_checkpoint.h"

#include "host/run/checkpoint_file.h"
#include "host/run/output_folder.h"
#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/results/identity.h"
#include "host/base/signals.h"
#include "host/scene/scene_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SLOW = 0.25; /* s: a step that takes longer may be interrupted before its end */
static const double REST = 19;   /* durations of a checkpoint pass before the next: they take a twentieth of the time */

enum { MOST_STATES = 16 }; /* single states of the forward sweep on disk, at steps as evenly spaced as possible */

struct pio_run_checkpoint {
    pio_session *session;             /* the run; not owned */
    pio_states *states;               /* file of states; not owned */
    bool gradient;                    /* the run computes a gradient */
    char folder[PIO_PATH];            /* folder of the checkpoints */
    char *identity;                   /* what a run that continues must have equal, of identity.h */
    pio_checkpoint_head head;         /* the checkpoint that was found, then the last one that was written */
    bool found;                       /* the run continues from a checkpoint */
    double ended, took;               /* s: when the last one was written, on pio_clock(), and its duration */
    int frames;                       /* descriptor of the file of frames, or -1 */
    int64_t out, adjoint_out;         /* frames in it, and the first frame whose adjoint fields are in it */
    double looked;                    /* s, on pio_clock(): when the current step began */
    void *first;                      /* state 0, from which states are recomputed, or NULL */
    int64_t step[MOST_STATES + 1];    /* [n_steps] numbers of the single states on disk, ascending */
    int n_steps;                      /* number of them */
    void *single;                     /* buffer for one of them */
    size_t single_bytes, stash_bytes; /* of these; both grow if a gradient begins anew with larger slots */
    /* Steps are solves of equations; `stash` is valid; the error says how to continue. */
    bool solves, stashed, explained;
    pio_place place; /* position of the sweep before the current step */
    char *stash;     /* memory of the simulation at that position */
    pio_place from;  /* position from which the run continues */
};

/* ---- identity of the run ------------------------------------------------------------------------------------ */

/* Returns the identity of this run, which includes the times of frames, because frames are among its results. */
static char *identity_of(const pio_session *s)
{
    const scene_output *o = &s->scene->output;
    char *all = NULL, *more = NULL;
    if (asprintf(&more, "command: %s\nframes: every %a s, of the adjoint %a s\n", s->call.command, o->states_every,
                 o->adjoint_every) >= 0) {
        all = pio_identity_of_run(s, false, more);
        free(more);
    }
    return all;
}

/* ---- finding a checkpoint ----------------------------------------------------------------------------------- */

/* Renames the folder of another run's checkpoint, which is never overwritten. */
static piola_status set_aside(pio_run_checkpoint *c, const char *why, piola_error *error)
{
    char aside[PIO_PATH + 40];
    snprintf(aside, sizeof aside, "%s.previous", c->folder);
    for (int i = 2; access(aside, F_OK) == 0; i++) snprintf(aside, sizeof aside, "%s.previous.%d", c->folder, i);
    if (rename(c->folder, aside))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot rename %s to %s: %s", c->folder, aside, strerror(errno));
    pio_log_message(c->session->call.log, PIO_WARNING, "beginning anew: %s; it is now %s", why, aside);
    return PIOLA_OK;
}

/* Reads the checkpoint of even or odd number and verifies it, with its frames. PIOLA_NO: it is of another run, as
 * *error says; PIOLA_REFUSED: it is of another machine. */
static piola_status examine(const pio_run_checkpoint *c, int odd, pio_checkpoint_head *head, piola_error *error)
{
    char *identity = NULL, differs[800] = "";
    piola_status rc = pio_checkpoint_read(c->folder, odd, head, &identity, error);
    if (rc) return rc;
    rc = pio_identity_admit(c->folder, identity, c->identity, c->session->call.options->accept_machine, differs,
                            sizeof differs, error);
    free(identity);
    if (rc) return rc == PIOLA_BAD_DATA ? PIOLA_NO : rc;
    if (*differs)
        pio_log_message(c->session->call.log, PIO_WARNING,
                        "a checkpoint of another machine, so the bits are those of neither: %s", differs);
    return pio_checkpoint_walk(c->folder, head->frames, NULL, NULL, error);
}

/* Finds the newest checkpoint that is whole. */
static piola_status find(pio_run_checkpoint *c, piola_error *error)
{
    piola_error other = {0};
    bool damaged = false;
    for (int odd = 0; odd < 2; odd++) {
        pio_checkpoint_head head;
        piola_error why = {0};
        const piola_status rc = examine(c, odd, &head, &why);
        damaged |= rc == PIOLA_BAD_DATA;
        if (rc == PIOLA_NO) other = why;
        if (rc == PIOLA_BAD_DATA) pio_log_message(c->session->call.log, PIO_WARNING, "%s; it is not used", why.message);
        if (rc == PIOLA_OK && (!c->found || head.number > c->head.number)) {
            c->found = true;
            c->head = head;
        }
        if (rc == PIOLA_OK || rc == PIOLA_NO || rc == PIOLA_BAD_DATA || rc == PIOLA_NO_INPUT) continue;
        if (error) *error = why;
        return rc;
    }
    if (*other.message && !c->found) return set_aside(c, other.message, error);
    if (damaged && !c->found)
        pio_log_message(c->session->call.log, PIO_WARNING, "beginning anew: no checkpoint is whole");
    return PIOLA_OK;
}

static void log_found(const pio_run_checkpoint *c)
{
    const pio_session *s = c->session;
    const pio_place *p = &c->head.place;
    const bool adjoint = p->sweep >= 0;
    pio_log_message(s->call.log, PIO_INFO, "going on from the checkpoint in %s: %s%lld of %lld%s", c->folder,
                    adjoint ? "" : "step ", (long long)(adjoint ? p->passed : p->reached),
                    (long long)(s->model->steps - (adjoint ? s->model->desc.first : 0)),
                    adjoint ? " steps of the adjoint sweep are done" : "");
}

/* Makes the plan of the checkpoint the session's; if the memory does not suffice for it, the run begins anew. */
static piola_status take_over(pio_run_checkpoint *c, piola_error *error)
{
    pio_session *s = c->session;
    const pio_checkpoint_head *h = &c->head;
    const size_t log = (size_t)h->residual_log;
    const pio_plan plan = {(scene_strategy)h->strategy, .slots = h->slots, .kept = h->kept, .residual_log = log};
    const piola_status rc = c->gradient ? pio_session_take_plan(s, &plan, h->slot_nodes, error) : PIOLA_OK;
    const bool fits = rc == PIOLA_OK && h->memory == s->memory.bytes.memory;
    if (rc && rc != PIOLA_NO) return rc;
    if (!fits)
        pio_log_message(s->call.log, PIO_WARNING, "beginning anew: %s",
                        rc ? error->message : "the simulation of the checkpoint takes another size of memory");
    if (error) *error = (piola_error){0};
    c->found = fits;
    if (!fits) c->head = (pio_checkpoint_head){0};
    return PIOLA_OK;
}

/* Inserts the number of a state into the ascending list. */
static void list_state(pio_run_checkpoint *c, int64_t step)
{
    int i = c->n_steps++;
    for (; i > 0 && c->step[i - 1] > step; i--) c->step[i] = c->step[i - 1];
    c->step[i] = step;
}

static void find_states(pio_run_checkpoint *c)
{
    int64_t steps[MOST_STATES];
    const int n = c->gradient ? pio_checkpoint_list_states(c->folder, steps, MOST_STATES) : 0;
    for (int i = 0; i < n; i++) list_state(c, steps[i]);
}

piola_status pio_run_checkpoint_open(pio_run_checkpoint **out, pio_session *s, bool gradient, piola_error *error)
{
    pio_run_checkpoint *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) return pio_fail_memory(error, sizeof *c, "a checkpoint");
    c->session = s;
    c->gradient = gradient;
    c->frames = -1;
    c->solves = s->model->fem && !scene_leaps(s->scene->fem.integrator);
    c->ended = c->looked = pio_clock();
    c->adjoint_out = s->model->n_frames;
    pio_session_path(s, "checkpoint", c->folder, sizeof c->folder);
    c->identity = identity_of(s);
    piola_status rc = c->identity ? PIOLA_OK : pio_fail_memory(error, 1 << 16, "the run's identity");
    if (!rc && s->call.options->resume) rc = find(c, error);
    if (!rc && c->found) rc = take_over(c, error);
    if (!rc && c->found) find_states(c);
    if (!rc && c->found) log_found(c);
    if (!rc && !c->found) pio_checkpoint_remove(c->folder);
    if (!rc) s->folder.checkpoint = *out = c;
    if (rc) pio_run_checkpoint_close(c);
    return rc;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static piola_status memory_out(void *context, size_t at, size_t n, void *bytes, piola_error *error)
{
    const pio_run_checkpoint *c = context;
    return c->session->engine.table->memory_out(c->session->sim, at, n, bytes, error);
}

static piola_status stash_out(void *context, size_t at, size_t n, void *bytes, piola_error *error)
{
    const pio_run_checkpoint *c = context;
    (void)error;
    memcpy(bytes, c->stash + at, n);
    return PIOLA_OK;
}

static piola_status add_frame(pio_run_checkpoint *c, uint64_t *end, bool adjoint, int64_t frame, piola_error *error)
{
    const size_t n = pio_states_bytes(c->states, frame, adjoint);
    if (n == 0) return PIOLA_OK;
    void *bytes = malloc(n);
    if (!bytes) return pio_fail_memory(error, n, "a frame");
    piola_status rc = pio_states_out(c->states, frame, adjoint, bytes, error);
    if (!rc)
        rc = pio_checkpoint_add(c->frames, c->folder, end, &(pio_checkpoint_frame){adjoint, frame, bytes, n}, error);
    free(bytes);
    return rc;
}

/* Adds the frames that are complete at position p and not yet in the file. The last frame whose adjoint fields are in
 * the file is added again, because it may have had only some of them. */
static piola_status add_frames(pio_run_checkpoint *c, const pio_place *p, uint64_t *end, piola_error *error)
{
    const int64_t there = p->sweep < 0 ? p->frame : c->session->model->n_frames;
    const int64_t last =
        c->adjoint_out < c->session->model->n_frames ? c->adjoint_out : c->session->model->n_frames - 1;
    int64_t frame = c->out;
    piola_status rc = PIOLA_OK;
    if (c->frames < 0) c->frames = pio_checkpoint_frames(c->folder, *end, error);
    if (c->frames < 0) return error && error->status ? error->status : PIOLA_IO;
    for (; !rc && frame < there; frame++) rc = add_frame(c, end, false, frame, error);
    for (int64_t k = last; !rc && p->sweep >= 0 && k >= p->frame; k--) rc = add_frame(c, end, true, k, error);
    if (!rc) rc = pio_checkpoint_sync(c->frames, c->folder, error);
    if (rc) return rc;
    c->out = frame;
    if (p->sweep >= 0) c->adjoint_out = p->frame;
    return PIOLA_OK;
}

static void drop_state(pio_run_checkpoint *c, int i)
{
    pio_checkpoint_drop_state(c->folder, c->step[i]);
    memmove(c->step + i, c->step + i + 1, sizeof *c->step * (size_t)(--c->n_steps - i));
}

/* Removes a state if there is one too many: that whose neighbours are nearest to each other, but never the last. */
static void thin(pio_run_checkpoint *c)
{
    int best = 0;
    int64_t least = INT64_MAX;
    if (c->n_steps <= MOST_STATES) return;
    for (int i = 0; i + 1 < c->n_steps; i++) {
        const int64_t gap = c->step[i + 1] - (i ? c->step[i - 1] : 0);
        if (gap < least) best = i;
        if (gap < least) least = gap;
    }
    drop_state(c, best);
}

static bool has_single(pio_run_checkpoint *c)
{
    if (c->single && c->single_bytes == c->session->memory.bytes.state) return true;
    while (c->single && c->n_steps) drop_state(c, 0);
    free(c->single);
    c->single_bytes = c->session->memory.bytes.state;
    c->single = malloc(c->single_bytes);
    return c->single != NULL;
}

/* Writes the current state of a gradient's forward sweep to a file of its own, from which states are recomputed if the
 * adjoint sweep continues in another process. In the adjoint sweep removes the states that it has passed. This only
 * saves time, so a failure is a warning. */
static void keep_state(pio_run_checkpoint *c, const pio_place *p)
{
    const pio_session *s = c->session;
    piola_error why = {0};
    while (p->sweep >= 0 && c->n_steps && c->step[c->n_steps - 1] > s->model->steps - p->passed)
        drop_state(c, c->n_steps - 1);
    if (!c->gradient || p->sweep >= 0 || p->state == 0 || !has_single(c)) return;
    if (c->n_steps && c->step[c->n_steps - 1] >= p->state) return;
    if (s->engine.table->state_out(s->sim, c->single, &why) ||
        pio_checkpoint_put_state(c->folder, p->state, c->single, s->memory.bytes.state, &why)) {
        pio_log_message(s->call.log, PIO_WARNING, "%s; the run goes on", why.message);
        return;
    }
    list_state(c, p->state);
    thin(c);
}

static piola_status write_down(pio_run_checkpoint *c, const pio_place *place, pio_checkpoint_stream *memory,
                               piola_error *error)
{
    const pio_session *s = c->session;
    const double began = pio_clock();
    pio_checkpoint_head head = {.number = c->head.number + 1,
                                .strategy = s->memory.plan.strategy,
                                .slots = s->memory.plan.slots,
                                .kept = s->memory.plan.kept,
                                .slot_nodes = s->memory.bytes.slot_nodes,
                                .residual_log = (int64_t)s->memory.plan.residual_log,
                                .place = *place,
                                .frames = c->head.frames,
                                .memory = s->memory.bytes.memory};
    piola_status rc = add_frames(c, place, &head.frames, error);
    if (!rc) rc = pio_checkpoint_write(c->folder, &head, c->identity, memory, c, error);
    if (!rc && memory == memory_out) keep_state(c, place);
    c->ended = pio_clock();
    c->took = c->ended - began;
    if (rc) return rc;
    c->head = head;
    c->stashed = false;
    pio_log_message(s->call.log, PIO_DETAIL, "checkpoint: %s, state %lld, %.3g s", c->folder, (long long)place->state,
                    c->took);
    return PIOLA_OK;
}

/* Returns whether a checkpoint is to be written, if `every` s are the least between two. */
static bool due(const pio_run_checkpoint *c, double every)
{
    return pio_clock() - c->ended >= (every > REST * c->took ? every : REST * c->took);
}

/* Returns whether there may be a stash: on a CPU it counts in the scene's budget. */
static bool may_stash(const pio_session *s)
{
    const double budget = pio_session_budget(s);
    return !(budget > 0) || strcmp(s->engine.table->device, "cpu") != 0 ||
           (double)(s->memory.bytes.total + s->memory.bytes.memory) <= budget;
}

/* Returns whether a step may lack room for pairs of surfaces, and a stash before each is a copy on the host alone. */
static bool may_lack_room(const pio_session *s)
{
    return s->scene->touch.distance > 0 && strcmp(s->engine.table->device, "cpu") == 0;
}

/* Copies the memory of the simulation before a step, because an interrupted step leaves no state that can be stored.
 * Without memory for the copy a later run continues from the last checkpoint. */
static piola_status stash(pio_run_checkpoint *c, const pio_place *place, piola_error *error)
{
    const pio_session *s = c->session;
    c->stashed = false;
    if (c->stash_bytes != s->memory.bytes.memory) {
        free(c->stash);
        c->stash = malloc(s->memory.bytes.memory);
        c->stash_bytes = c->stash ? s->memory.bytes.memory : 0;
    }
    if (!c->stash) return PIOLA_OK;
    const piola_status rc = s->engine.table->memory_out(s->sim, 0, s->memory.bytes.memory, c->stash, error);
    c->stashed = rc == PIOLA_OK;
    c->place = *place;
    return rc;
}

/* Writes a checkpoint after an interruption, and adds to *error how to continue from it. */
static piola_status keep(pio_run_checkpoint *c, const pio_place *place, pio_checkpoint_stream *memory,
                         piola_error *error)
{
    const piola_error interrupted = *error;
    piola_error why = {0};
    char text[400];
    const piola_status rc = write_down(c, place, memory, &why);
    if (rc)
        return pio_fail(error, rc, "%.600s; its checkpoint could not be written: %.1000s", interrupted.message,
                        why.message);
    snprintf(text, sizeof text, "; run again%s to go on from the checkpoint",
             c->session->call.options->resume ? "" : " with --resume auto");
    pio_fail_append(error, text);
    c->explained = true;
    return PIOLA_OK;
}

static piola_status on_place(void *context, const pio_place *place, int stopping, piola_error *error)
{
    const pio_session *s = context;
    pio_run_checkpoint *c = s->folder.checkpoint;
    piola_error why = {0};
    piola_status rc = PIOLA_OK;
    if (stopping) return keep(c, place, memory_out, error);
    c->stashed = false;
    const bool slow = c->solves && (pio_clock() - c->looked > SLOW || may_lack_room(s)), room = may_stash(s);
    if (due(c, s->scene->output.checkpoint_every) || (slow && !room && due(c, 0))) {
        if (write_down(c, place, memory_out, &why))
            pio_log_message(s->call.log, PIO_WARNING, "no checkpoint: %s; the run goes on", why.message);
    } else if (slow && room) {
        rc = stash(c, place, error);
    }
    c->looked = pio_clock();
    pio_step_begins();
    return rc;
}

/* ---- continuing --------------------------------------------------------------------------------------------- */

static piola_status memory_in(void *context, size_t at, size_t n, void *bytes, piola_error *error)
{
    const pio_run_checkpoint *c = context;
    return c->session->engine.table->memory_in(c->session->sim, at, n, bytes, error);
}

/* Reads the checkpoint's memory into the simulation. It has just started and is in state 0, from which states that no
 * slot holds are recomputed, so a gradient copies that state first. */
static piola_status on_resume(void *context, piola_error *error)
{
    const pio_session *s = context;
    pio_run_checkpoint *c = s->folder.checkpoint;
    const pio_engine *e = s->engine.table;
    const size_t bytes = s->memory.bytes.state;
    piola_status rc = PIOLA_OK;
    if (c->gradient && e->step(s->sim) == 0) {
        c->first = malloc(bytes);
        rc = c->first ? e->state_out(s->sim, c->first, error) : pio_fail_memory(error, bytes, "a state");
    }
    return rc ? rc : pio_checkpoint_memory(c->folder, &c->head, memory_in, c, error);
}

/* Returns the number of the last state on disk in from + 1 .. to that is whole, which is then in `single`; or 0 if that
 * is state 0 in `first`; or -1. */
static int64_t nearest(void *context, int64_t from, int64_t to)
{
    const pio_session *s = context;
    pio_run_checkpoint *c = s->folder.checkpoint;
    for (int i = has_single(c) ? c->n_steps - 1 : -1; i >= 0 && c->step[i] > from; i--) {
        piola_error why = {0};
        if (c->step[i] > to) continue;
        if (!pio_checkpoint_get_state(c->folder, c->step[i], c->single, s->memory.bytes.state, &why)) return c->step[i];
        pio_log_message(s->call.log, PIO_WARNING, "%s; it is not used", why.message);
        drop_state(c, i);
    }
    return c->first && from < 0 && to >= 0 ? 0 : -1;
}

static piola_status on_nearest(void *context, int64_t step, piola_error *error)
{
    const pio_session *s = context;
    return s->engine.table->state_in(s->sim, step ? s->folder.checkpoint->single : s->folder.checkpoint->first, step,
                                     error);
}

static piola_status frame_in(void *context, const pio_checkpoint_frame *f, piola_error *error)
{
    pio_run_checkpoint *c = context;
    if (f->n != pio_states_bytes(c->states, f->number, f->adjoint) || (!f->adjoint && f->number != c->out))
        return pio_fail(error, PIOLA_BAD_DATA, "%s/frames: frame %lld does not belong there", c->folder,
                        (long long)f->number);
    if (f->adjoint)
        c->adjoint_out = f->number;
    else
        c->out++;
    return pio_states_in(c->states, f->number, f->adjoint, f->bytes, error);
}

piola_status pio_run_checkpoint_begin(pio_run_checkpoint *c, pio_states *states, pio_sweep *sweep, piola_error *error)
{
    c->states = states;
    pio_step_begins();
    sweep->on_place = on_place;
    sweep->check_every = c->solves ? 1 : 0;
    if (!c->found) return PIOLA_OK;
    c->from = c->head.place;
    sweep->resumed = &c->from;
    sweep->on_resume = on_resume;
    sweep->nearest = nearest;
    sweep->on_nearest = on_nearest;
    const piola_status rc = pio_checkpoint_walk(c->folder, c->head.frames, frame_in, c, error);
    c->session->frames.resumed = c->out;
    return rc;
}

piola_status pio_run_checkpoint_ended(pio_run_checkpoint *c, piola_status rc, piola_error *error)
{
    c->session->folder.checkpoint = NULL;
    if (rc == PIOLA_NUMERICAL) pio_checkpoint_remove(c->folder); /* a run that continues from it would fail again */
    /* without memory: another run may have more, or more room for pairs */
    if ((rc != PIOLA_INTERRUPTED && rc != PIOLA_NO_MEMORY) || c->explained) return rc;
    const piola_status kept = c->stashed ? keep(c, &c->place, stash_out, error) : PIOLA_OK;
    if (c->stashed) return kept ? kept : rc;
    pio_fail_append(error, c->head.number ? "; run again to go on from the last checkpoint"
                                          : "; no checkpoint was written yet");
    return rc;
}

bool pio_run_checkpoint_advanced(const pio_run_checkpoint *c)
{
    return c->head.number && !(c->found && pio_checkpoint_same_place(&c->head.place, &c->from));
}

void pio_run_checkpoint_done(pio_run_checkpoint *c)
{
    pio_checkpoint_remove(c->folder);
}

void pio_run_checkpoint_close(pio_run_checkpoint *c)
{
    if (!c) return;
    if (c->session->folder.checkpoint == c) c->session->folder.checkpoint = NULL;
    if (c->frames >= 0) close(c->frames);
    free(c->identity);
    free(c->first);
    free(c->single);
    free(c->stash);
    free(c);
}
