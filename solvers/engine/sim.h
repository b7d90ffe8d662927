/* sim.h -- what simulations of every method have: queue, arena, saved states, samples and the design vector. */
#ifndef PIOLA_SOLVERS_SIM_H
#define PIOLA_SOLVERS_SIM_H

#include "kernels/backend/queue.h"
#include "solvers/engine/engine.h"
#include "solvers/engine/fail.h"

struct pio_sim {
    pio_queue queue;
    pio_arena arena;
    pio_device_info device;
    int32_t ordinal;      /* of the device */
    int adjoint, turned;  /* room for cotangents; on the way back: steps that are run again are not observed again */
    int64_t steps, index; /* of the run; of the current state, as the host counts */
    const char *(*interrupted)(void); /* see pio_engine_desc */

    char *slots; /* [n_slots][slot_bytes] */
    int64_t n_slots;
    size_t slot_bytes;
    int64_t *slot_step; /* host: state number in each slot, -1 empty */
    size_t library;     /* bytes that a library predicts to take beside the arena */
    size_t scratch[2],
        /* of the arena, in bytes: from .. to what every call sets before it reads it; where slots begin */
        before_slots;
    size_t host_bytes; /* of what the host keeps of it, */
    char *host_image;  /* and these, once somebody has asked; NULL */

    double dt;          /* s, of the description */
    int64_t first;      /* likewise */
    int n_norms;        /* states whose cotangents are measured: 0 without room for them */
    int64_t *norm_step; /* host [n_norms] their numbers, ascending */
    int norm_last;      /* of these, measured last in this sweep back; n_norms: none yet */
    double *norms;      /* device [n_norms][NORMS] sums of squares */

    int n_touches, n_samples, n_variables;
    pio_touch *touches;
    double *samples, *samples_bar;         /* device [n_samples] */
    double *z, *value, *value_bar, *z_bar; /* device [n_variables] */
    double *z_start, *described;           /* device [n_variables]: where designs start that say so */
    double *scalar, *gravity_bar;          /* device [1] scratch, [DIM] */
    double *transfer;                      /* device [items of the largest field] a component on its way in or out */
    double *host_transfer;                 /* host, likewise */
    int sum_items;                         /* most that one sum can have */
};

/* PIOLA_OK, or what the queue's sticky error says. */
static inline piola_status sim_failed(const pio_sim *sim, piola_error *error)
{
    if (!sim->queue.error.code) return PIOLA_OK;
    return sim_fail(error, PIOLA_UNAVAILABLE, "%s", sim->queue.error.message);
}

/* sim.c: `state`, slot_bytes long, to and from a slot, with its number. */
piola_status sim_save(pio_sim *sim, int64_t slot, const void *state, piola_error *error);
piola_status sim_load(pio_sim *sim, int64_t slot, void *state, piola_error *error);

/* In how many words of 32 bits `state` and what a slot holds differ; the padding of both is zeros. */
piola_status sim_differs(pio_sim *sim, int64_t slot, const void *state, int64_t *words, piola_error *error);

/* The same to and from the host, with the number `step`. */
piola_status sim_state_out(pio_sim *sim, void *bytes, const void *state, piola_error *error);
piola_status sim_state_in(pio_sim *sim, const void *bytes, int64_t step, void *state, piola_error *error);

/* Device memory of the shared part, for sums and scans over up to `items` matrices and fields of up to `transfer` items
 * to read and write; host memory of touches, slots and transfers (0 when there is none); and its end. */
void sim_layout(pio_sim *sim, int items, int transfer);
int sim_begin(pio_sim *sim, const pio_backend *backend, const pio_engine_desc *desc, int64_t items);
void sim_end(pio_sim *sim);

/* What the device is and has free, asked of it without keeping it open. */
piola_status sim_survey(pio_sim *sim, const pio_engine_desc *desc, piola_error *error);

/* Open the device and take the arena that was measured. */
piola_status sim_open(pio_sim *sim, const pio_engine_desc *desc, piola_error *error);
void sim_bytes(const pio_sim *sim, pio_engine_bytes *bytes);

/* Entries of the engine's table that are the same for every method. */
piola_status sim_probe(int32_t device, char name[128], char driver[64], piola_error *error);
piola_status sim_samples(pio_sim *sim, double *values, piola_error *error);
piola_status sim_values(pio_sim *sim, double *values, piola_error *error);
int64_t sim_step(const pio_sim *sim);
int sim_timer(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds);
void sim_timer_reset(pio_sim *sim);

/* sim_memory.c: for memory_out() and memory_in() of engine.h. `of_host` sets the image, host_bytes long, of what the
 * host keeps, or takes it back (`in`). */
typedef void sim_host_image(pio_sim *sim, void *image, int in);
size_t sim_memory_bytes(const pio_sim *sim);
piola_status sim_memory_out(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, void *bytes,
                            piola_error *error);
piola_status sim_memory_in(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, const void *bytes,
                           piola_error *error);

/* sim_touch.c: the touches of state number `index` lie together: [first, end). */
int sim_first_touch(const pio_sim *sim, int64_t index);

/* Does some touch of state number `index` look at the state before, too? Of any state: is there such a touch at all? */
int sim_uses_previous_state(const pio_sim *sim, int64_t index);
int sim_ever_uses_previous_state(const pio_engine_desc *desc);

/* Of an observation of distances: the sum of the weights of the points that each sample has, [samples]. */
void sim_weigh_points(const pio_observation_desc *desc, double *sums);

/* sim_norms.c: how large cotangents are on the way back. Sums of squares, of positions and of
 * velocities each: of cotangents as they arrive at a state, with what is observed of it, and of the state itself. */
enum { NORM_ARRIVED, NORM_WITH_SOURCES = 2, NORM_OF_STATE = 4, NORMS = 6 };
/* Which states; 0 without host memory. Nothing is summed at the others. */
int sim_norms_begin(pio_sim *sim);
void sim_norms_start(pio_sim *sim);
/* `count` numbers of positions and of velocities (NULL: there are none), of state number `index`. */
void sim_norm(pio_sim *sim, int64_t index, int which, const real *position, const real *velocity, size_t count);
/* For adjoint_norms() and check_adjoint() of engine.h. Positions are in units of `spacing`, m; `cells`: how large they
 * are all together, m, or 0: their squares were summed. */
int64_t sim_adjoint_norms(pio_sim *sim, double spacing, double cells, pio_adjoint_norm *norms);
piola_status sim_check_adjoint(pio_sim *sim, piola_error *error);
/* The adjoint of the step from the current state could not be solved, as `rc` and the error say: the same failure as
 * above where numbers in it were not finite and the cotangents that it began with were already near the largest there
 * are, else `rc`. */
piola_status sim_solve_overflowed(pio_sim *sim, piola_status rc, piola_error *error);

/* Is what touches state number `index` part of what is differentiated? Of the state where sweeps end only if that is
 * the start. */
static inline int sim_counts(const pio_sim *sim, int64_t index)
{
    return index > sim->first || !sim->first;
}

#endif
