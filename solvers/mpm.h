/* mpm.h -- the MPM simulation: its device arrays, one step in each direction, observations and design. */
#ifndef PIOLA_SOLVERS_MPM_H
#define PIOLA_SOLVERS_MPM_H

#include "kernels/backend/queue.h"
#include "solvers/engine.h"

typedef struct {
    pio_observation_desc desc; /* host pointers are not kept */
    int first;                 /* of its samples among all */
    int *marker;               /* device [n] */
    double *points;            /* device [samples][rows][DIM] */
    double *markers;           /* host [samples] points that are given */
    double *total;             /* device [1] M of the body, kg */
    double *place;             /* device [1] front: where it is, roughly, m */
} mpm_observation;

typedef struct {
    pio_design_desc desc;
    int first;  /* of its variables among all */
    int *index; /* device [n] */
} mpm_design;

struct pio_sim {
    pio_queue queue;
    pio_arena arena;
    pio_device_info device;
    mpm_box box;
    int n, nodes, max_cells; /* particles, nodes, most cells that can be occupied */
    int has_solid, has_fluid, adjoint;
    int64_t steps, index; /* of the run; of the current state (as the host counts) */
    double dt, cfl, gravity[DIM];
    int32_t ordinal;    /* of the device */
    int turned;         /* on the way back: steps that are run again are not observed again */
    pio_watch watch[5]; /* what the NaN watch looks at */

    mpm_step *step;             /* device: the step block */
    mpm_state state[2], bar[2]; /* current and next; cotangents likewise */
    int current, current_bar;   /* which of the two */
    mpm_lists lists;
    real *cell_sums;                 /* [max_cells][DIM + 1][STENCIL_PAD] */
    real *node_sums, *node_velocity; /* [DIM + 1][nodes], [DIM][nodes] */
    real *node_velocity_bar, *node_bar;

    int *law, *lame, *body; /* [n] */
    real *volume, *density, *mass, *given, *k, *spin;
    int *start_cell, *reference_cell;
    real *start_offset, *start_velocity, *reference_offset, *reference_velocity;
    real *mass_bar, *k_bar, *density_bar, *given_bar, *position_bar, *velocity_bar;

    int n_channels;                /* of control; 0: what follows is NULL */
    int *channel, *signal;         /* [n] channel of a particle or -1 (NULL: none drives any), [channels] */
    real *fibre, *activation;      /* [DIM][channels], [channels] */
    double *control, *control_bar; /* [CONTROL_PARAMETERS][channels] amplitude, frequency, phase */
    real *activation_share;        /* [n] a particle's part of activation_bar */
    double *activation_bar;        /* [channels] */

    char *slots; /* [n_slots][slot_bytes] */
    int64_t n_slots;
    size_t slot_bytes;
    int64_t *slot_step; /* host: state number in each slot, -1 empty */

    int n_observations, n_touches, n_designs, n_samples, n_variables;
    mpm_observation *observations;
    mpm_design *designs;
    pio_touch *touches;
    double *samples, *samples_bar;         /* device [n_samples] */
    double *z, *value, *value_bar, *z_bar; /* device [n_variables] */
    double *z_start, *described;           /* device [n_variables]: where designs start that say so */
    double *scalar, *gravity_bar;          /* device [1] scratch, [DIM] */
    double *transfer;                      /* device [n] one component on its way in or out */
    double *host_transfer;                 /* host [n] */
};

/* mpm_memory.c: lay out (measure) all device memory of `sim` in its arena. */
void mpm_layout(pio_sim *sim, const pio_engine_desc *desc);

/* mpm_step.c: one step. `transfer` recomputes lists and grid of the current state. */
void mpm_transfer(pio_sim *sim);
void mpm_forward(pio_sim *sim);
void mpm_reverse(pio_sim *sim);
mpm_matter mpm_matter_of(const pio_sim *sim);

/* observe.c: add (forward), or add the cotangents of (reverse), all observations that touch state number `index`. */
void mpm_observe_step(pio_sim *sim, int64_t index);
void mpm_observe_step_adj(pio_sim *sim, int64_t index);
void mpm_observe_totals(pio_sim *sim);

/* parameters.c: z to constants and initial state, and gradients back to z. */
void mpm_design_apply(pio_sim *sim);
void mpm_design_adj(pio_sim *sim);

/* control.c: whether channels of control are as they must be, their upload, and the stage of a step that fills activation[],
 * with its adjoint at the end of a step back. */
piola_status mpm_control_accepts(const pio_engine_desc *desc, piola_error *error);
void mpm_control_upload(pio_sim *sim, const pio_engine_desc *desc);
void mpm_control_step(pio_sim *sim);
void mpm_control_step_adj(pio_sim *sim);

/* mpm_fields.c: fields by name. */
int32_t mpm_components(const pio_sim *sim, const char *field);
piola_status mpm_read(pio_sim *sim, const char *field, double *values, piola_error *error);
piola_status mpm_view(pio_sim *sim, const char *field, pio_field_view *view, piola_error *error);

/* mpm_fault.c: what the step block's fault says, in words. */
piola_status mpm_check_fault(pio_sim *sim, piola_error *error);

piola_status mpm_fail(piola_error *error, piola_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
