/* Room host/run: engine modules, the memory plan, and the session that evaluates an objective and its gradient. */
/* session.h -- a scene on a device: what run, grad, check and optimize share. */
#ifndef PIOLA_HOST_SESSION_H
#define PIOLA_HOST_SESSION_H

#include "host/run/adjoint_growth.h"
#include "host/run/engines.h"
#include "host/base/folder.h"
#include "host/model/constraint.h"
#include "host/base/log.h"
#include "host/model/objective.h"
#include "host/base/path.h"
#include "host/run/plan.h"
#include "solvers/driver/driver.h"

/* What a session was opened for, by session.c. */
typedef struct {
    const piola_options *options;
    const char *command; /* "run", "grad", ...; "evaluate": the evaluations of a program */
    pio_log *log;
    double opened;          /* s, when the session was opened, by the steady clock */
    bool shows_steps;       /* progress counts the steps of each sweep; else the command has a progress of its own */
    int64_t progress_calls; /* how often a sweep asked whether to stop; options->test_cut compares with it */
} pio_session_call;

/* output_folder.c: the folder of the results, and the files that are open in it. */
typedef struct {
    char path[PIO_PATH];
    bool writes;                           /* results go there; those of an evaluation for a program go nowhere */
    pio_folder *lock;                      /* of the folder, from when it exists; or NULL */
    bool claims_success;                   /* the result that is being written says that all went well */
    struct pio_states *states;             /* states.h: the file that frames are written to; or NULL */
    struct pio_run_checkpoint *checkpoint; /* run_checkpoint.h: written at intervals of wall-clock time; or NULL */
} pio_session_folder;

/* session.c: the frames of an evaluation, which its caller receives one by one. */
typedef struct {
    /* The caller's function, or NULL. */
    piola_status (*on_state)(void *context, int64_t frame, int64_t step, piola_error *error);
    int64_t delivered; /* frames of this evaluation that the caller has */
    int64_t resumed;   /* frames in the file of states from an earlier run, which this one continues */
} pio_session_frames;

/* session_plan.c: what the simulation takes, and which states a gradient keeps. */
typedef struct {
    pio_engine_bytes bytes; /* of the simulation */
    pio_plan plan;          /* with gradients */
    pio_schedule schedule;  /* with gradients: the order of steps, states and sweeps */
    /* nodes per compact slot: the room that was too little for a state of a gradient, and what that state needed; 0:
     * the room sufficed so far */
    int64_t slot_nodes, nodes_needed;
    struct pio_disk_states *disk; /* states kept on disk, from the first on; or NULL */
} pio_session_memory;

/* session.c: the last evaluation forward. n_samples and n_variables are the model's; samples and values have the units
 * of what they are. */
typedef struct {
    double *samples;        /* [2][n_samples] of the observations, and in a gradient dJ/dsamples */
    double *values;         /* [n_variables] of the design's quantities */
    double *filtered;       /* [n_variables] z after the designs' filters */
    double *terms;          /* [objective.n] */
    double J;               /* the sum of the terms */
    double *c;              /* [constraints.n] */
    bool start_known;       /* bounds of constraints that are relative to the initial design are known */
    pio_sweep_result sweep; /* steps and seconds */
} pio_session_evaluation;

/* session.c: the last gradient, and what its adjoint showed. A gradient has one sweep for J, the last one; with
 * of_constraints each constraint has a sweep before it. */
typedef struct {
    bool of_constraints;      /* gradients are those of the constraints too */
    double *value_bar;        /* [n_variables] dJ/dvalue, J's unit per that of the value */
    double *z_bar;            /* [n_variables] dJ/dz */
    double *filtered_bar;     /* [n_variables] dJ/dz of the terms of the design alone, by filtered variables */
    double *c_bar;            /* [constraints.n][n_variables] dc/dz, with of_constraints */
    pio_step_record *records; /* [sweeps][steps] implicit steps, of FEM; else NULL */
    int64_t n_records;        /* records of each sweep that are there */
    double *sample_terms;     /* [sweeps] sum over the samples of |y dJ/dy|, the size of what J is made of */
    pio_adjoint_norm *norms;  /* [growth.n] of the sweep for J */
    pio_growth growth;        /* of these norms over time */
    bool growth_warned;       /* a warning of the growth was logged */
    bool kinks_warned;        /* a warning of kinks was logged */
} pio_session_adjoint;

typedef struct pio_session {
    pio_session_call call;
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    pio_constraints constraints;
    pio_engine_module engine;
    pio_sim *sim; /* NULL: there is none, after a dry run or for want of memory */
    pio_session_memory memory;
    pio_session_evaluation evaluation;
    pio_session_adjoint adjoint;
    pio_session_frames frames;
    pio_session_folder folder;
} pio_session;

typedef enum { PIO_NO_GRADIENT, PIO_GRADIENT, PIO_ALL_GRADIENTS } pio_session_gradients;

/* Load, check and build everything; `gradients`: none, of the objective, or of the constraints too; `precision`: what
 * to use where the options name none (NULL: the scene's). Tells the log the engine and why. With options->dry_run,
 * tells it the plan and leaves sim NULL. On failure *out is NULL; *told: the message of *error is one of the scene's,
 * which were printed to stderr. */
piola_status pio_session_open(pio_session **out, const piola_options *options, const char *command,
                              pio_session_gradients gradients, const char *precision, bool *told, piola_error *error);
void pio_session_close(pio_session *s);
/* Close it at the end of a command that came to rc; PIOLA_IO where only the file of the log (--log-json) failed, else
 * rc. */
piola_status pio_session_end(pio_session *s, piola_status rc, piola_error *error);

/* session_plan.c: measure the simulation and choose the schedule; tell it, with options->dry_run at length.
 * PIOLA_NO_MEMORY where the scene's budget does not suffice. */
piola_status pio_session_plan(pio_session *s, bool adjoint, int64_t sweeps, piola_error *error);

/* session_plan.c: the simulation of the plan. */
piola_status pio_session_create_sim(pio_session *s, piola_error *error);

/* session_plan.c: after a gradient failed for want of memory. Was there too little room in its compact slots? Then
 * there is a new plan, and a simulation with more, and the log says so; else the failure stays as it is. */
piola_status pio_session_more_room(pio_session *s, piola_error *error);

/* session_plan.c: this plan, of which strategy, slots, kept and tape are read, with that room in compact slots, becomes
 * the session's, and the simulation is made anew where that was another. PIOLA_NO, with the session as it was, where
 * there is not the memory for it. */
piola_status pio_session_take_plan(pio_session *s, const pio_plan *plan, int64_t slot_nodes, piola_error *error);

/* Evaluate at z: J and c alone, or with gradients. `extra` supplies frames and their callbacks (its context, objective
 * and progress are set here), or is NULL. */
piola_status pio_session_forward(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);
piola_status pio_session_gradient(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);

#endif
