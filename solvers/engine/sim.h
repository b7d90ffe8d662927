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
    int32_t ordinal;      /* number of the device */
    int adjoint, turned;  /* there is memory for cotangents; in an adjoint sweep, where states are not observed again */
    int64_t steps, index; /* of the run; of the current state, as the host counts */
    const char *(*interrupted)(void); /* see pio_engine_desc */

    char *slots; /* [n_slots][slot_bytes + slot_extra] */
    int64_t n_slots;
    size_t slot_bytes;  /* of one saved state */
    size_t slot_extra;  /* of what a slot has room for beside its state */
    int64_t *slot_step; /* host [n_slots] number of the state in each slot, -1: empty */
    size_t library;     /* bytes that a library predicts to take beside the arena */
    /* offsets in the arena, bytes: beginning and end of what every call sets before it reads it; where slots begin */
    size_t scratch[2], before_slots;
    size_t host_bytes; /* of the state that the host holds */
    char *host_image;  /* [host_bytes] that state, allocated when memory_out() or memory_in() needs it; or NULL */

    double dt;          /* time step, s */
    int64_t first;      /* state at which adjoint sweeps end */
    int n_norms;        /* states whose cotangents are measured: 0 without room for them */
    int64_t *norm_step; /* host [n_norms] their numbers, ascending */
    int norm_last;      /* of these, index of the last one measured in this adjoint sweep; n_norms: none yet */
    double *norms;      /* device [n_norms][NORMS] sums of squares */

    int n_sample_weights, n_samples, n_variables;
    pio_sample_weight *sample_weights;     /* host [n_sample_weights] ascending in step */
    double *samples, *samples_bar;         /* device [n_samples] */
    double *z, *value, *value_bar, *z_bar; /* device [n_variables] */
    double *z_start, *reference;           /* device [n_variables]: see pio_design_desc */
    double *scalar, *gravity_bar;          /* device [1] scratch; [DIM] J's unit per m/s^2 */
    double *transfer;                      /* device [items of the largest field] component that is read or written */
    double *host_transfer;                 /* host, likewise */
    int sum_items;                         /* largest number of items of one sum */
};

/* Returns PIOLA_OK, or PIOLA_UNAVAILABLE with the message of the queue's first error. */
static inline piola_status sim_failed(const pio_sim *sim, piola_error *error)
{
    if (!sim->queue.error.code) return PIOLA_OK;
    return sim_fail(error, PIOLA_UNAVAILABLE, "%s", sim->queue.error.message);
}

/* Returns the memory of a slot, which is there. */
static inline char *sim_slot(const pio_sim *sim, int64_t slot)
{
    return sim->slots + (sim->slot_bytes + sim->slot_extra) * (size_t)slot;
}

/* Copies `state`, slot_bytes long, into a slot as the current state number (sim.c). Returns PIOLA_INTERNAL if there is
 * no such slot, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_save(pio_sim *sim, int64_t slot, const void *state, piola_error *error);
/* Copies the state in a slot into `state`; its number is the current one. Returns PIOLA_INTERNAL if the slot holds no
 * state, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_load(pio_sim *sim, int64_t slot, void *state, piola_error *error);

/* Counts the words of 32 bits in which `state` and the contents of a slot differ; the padding of both is zeros. Returns
 * PIOLA_INTERNAL if the slot holds no state, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_differs(pio_sim *sim, int64_t slot, const void *state, int64_t *words, piola_error *error);

/* Copies `state`, slot_bytes long, to the host. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_state_out(pio_sim *sim, void *bytes, const void *state, piola_error *error);
/* Copies a state from the host into `state`; its number `step` is the current one. Returns PIOLA_UNAVAILABLE after an
 * error of the device. */
piola_status sim_state_in(pio_sim *sim, const void *bytes, int64_t step, void *state, piola_error *error);

/* Lays out the shared device memory, for sums and scans over up to `items` matrices, and for reading and writing fields
 * of up to `transfer` items. */
void sim_layout(pio_sim *sim, int items, int transfer);
/* Sets the shared members and allocates host memory, for fields of up to `items` items; returns 0 without memory. */
int sim_begin(pio_sim *sim, const pio_backend *backend, const pio_engine_desc *desc, int64_t items);
/* Frees the shared device and host memory. */
void sim_end(pio_sim *sim);

/* Opens the device, and reads what it is and has free: before a library takes any of it. Returns PIOLA_UNAVAILABLE if
 * it cannot be opened. */
piola_status sim_open(pio_sim *sim, const pio_engine_desc *desc, piola_error *error);
/* Allocates the arena that was measured, on the open device. Returns PIOLA_NO_MEMORY if that, with what libraries take,
 * is more than was free, or cannot be had. */
piola_status sim_allocate(pio_sim *sim, piola_error *error);
/* Sets the bytes of the shared part; those of the residual log, solver and products are zero. */
void sim_bytes(const pio_sim *sim, pio_engine_bytes *bytes);

/* A field as it is read (sim_fields.c): its components one by one, by a launch each, or numbers of the host. */
typedef struct {
    int items, components;
    const int *same; /* [components] the first component with the same values as this one; NULL: no two are equal */
    const void *of;  /* what the method knows of the field */
    /* Enqueues what sets component c: a double for each item, `stride` doubles apart, at `out` on the device. */
    void (*component)(pio_sim *sim, const void *of, int c, double *out, int stride);
    /* Sets values [items][components] that only the host has; NULL: `component` is for this field. */
    void (*of_host)(const pio_sim *sim, double *values);
} sim_field;

/* Reads a field as the member read of pio_engine does. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_read(pio_sim *sim, const sim_field *field, double *values, piola_error *error);
/* Reads a field as the member read_device of pio_engine does. Returns PIOLA_NO_MEMORY without memory of the device, or
 * of the host where the field has `of_host`, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_read_device(pio_sim *sim, const sim_field *field, double **values, piola_error *error);

/* ---- entries of the engine's table that are the same for every method ---------------------------------------- */

/* The member probe of pio_engine. Returns PIOLA_UNAVAILABLE if the device cannot be opened. */
piola_status sim_probe(int32_t device, char name[128], char driver[64], piola_error *error);
/* The member samples of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_samples(pio_sim *sim, double *values, piola_error *error);
/* The member values of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_values(pio_sim *sim, double *values, piola_error *error);
/* The member release of pio_engine. */
void sim_release(double *values, size_t bytes);
/* The member step of pio_engine. */
int64_t sim_step(const pio_sim *sim);
/* The member timer of pio_engine. */
int sim_timer(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds);
/* The member timer_reset of pio_engine. */
void sim_timer_reset(pio_sim *sim);
/* The member calls of pio_engine. */
void sim_calls(const pio_sim *sim, pio_device_calls *calls);

/* Writes the state that the host holds into `image`, host_bytes long, or with `in` reads it from there. */
typedef void sim_host_image(pio_sim *sim, void *image, int in);
/* Returns the bytes of memory_out() of engine.h (sim_memory.c). */
size_t sim_memory_bytes(const pio_sim *sim);
/* The member memory_out of pio_engine, with the method's function for the host's state. Returns PIOLA_NO_MEMORY without
 * host memory for that state, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_memory_out(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, void *bytes,
                            piola_error *error);
/* The member memory_in of pio_engine, with the same function and the same errors, PIOLA_NO_MEMORY and
 * PIOLA_UNAVAILABLE. */
piola_status sim_memory_in(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, const void *bytes,
                           piola_error *error);

/* Returns the index of the first sample weight of state number `index` or of a later one; sample weights are sorted
 * (sim_sample_weight.c). */
int sim_first_sample_weight(const pio_sim *sim, int64_t index);

/* Returns whether a sample weight of state number `index` depends on the state before, too. */
int sim_uses_previous_state(const pio_sim *sim, int64_t index);
/* Returns whether a sample weight of any state does. */
int sim_ever_uses_previous_state(const pio_engine_desc *desc);

/* Adds to sums [samples] the weights of the points that each sample of an observation of distances has. */
void sim_weigh_points(const pio_observation_desc *desc, double *sums);

/* Norms of cotangents in an adjoint sweep (sim_norms.c): sums of squares, of positions and of velocities each, of the
 * cotangents as they arrive at a state, of them with the contributions of its samples, and of the state itself. */
enum { NORM_ARRIVED, NORM_WITH_SOURCES = 2, NORM_OF_STATE = 4, NORMS = 6 };
/* Chooses the states whose norms are measured; returns 0 without host memory. */
int sim_norms_begin(pio_sim *sim);
/* Zeroes the norms at the beginning of an adjoint sweep. */
void sim_norms_start(pio_sim *sim);
/* Sums the squares of `count` numbers of positions and of velocities (each may be NULL) of state number `index` into
 * entry `which`, a NORM_ constant, if its norms are measured. */
void sim_norm(pio_sim *sim, int64_t index, int which, const real *position, const real *velocity, size_t count);
/* The member adjoint_norms of pio_engine. Positions are in units of `spacing`, m; `cells`: the norm of all positions,
 * m, or 0: it was summed. */
int64_t sim_adjoint_norms(pio_sim *sim, double spacing, double cells, pio_adjoint_norm *norms);
/* The member check_adjoint of pio_engine. Returns PIOLA_NUMERICAL if cotangents are too large for a norm,
 * PIOLA_NO_MEMORY without host memory to find where, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status sim_check_adjoint(pio_sim *sim, piola_error *error);
/* To be called where the adjoint of the step from the current state could not be solved, with the status `rc`. Returns
 * PIOLA_NUMERICAL as sim_check_adjoint() does where numbers in it were not finite and the cotangents that it began with
 * were already near the largest number, PIOLA_UNAVAILABLE after an error of the device, otherwise `rc`. */
piola_status sim_solve_overflowed(pio_sim *sim, piola_status rc, piola_error *error);

/* Returns whether the sample weights of state number `index` are differentiated: those of the state where sweeps end
 * are only if it is the start. */
static inline int sim_counts(const pio_sim *sim, int64_t index)
{
    return index > sim->first || !sim->first;
}

#endif
