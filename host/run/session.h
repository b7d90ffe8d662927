/* Room host/run: engine modules, the memory plan, and the session that evaluates an objective and its gradient. */
/* session.h -- a scene on a device, for the commands run, grad, check and optimize and for programs. */
#ifndef PIOLA_HOST_SESSION_H
#define PIOLA_HOST_SESSION_H

#include "host/run/adjoint_growth.h"
#include "host/run/engines.h"
#include "host/base/folder.h"
#include "host/model/constraint.h"
#include "host/base/log.h"
#include "host/model/objective.h"
#include "host/base/path.h"
#include "host/model/residual.h"
#include "host/scene/scene_leave.h"
#include "host/run/plan.h"
#include "solvers/driver/driver.h"
#include "piola.h"

/* session.c: the wall-clock time of what surrounds the steps, s. */
typedef struct {
    double scene;  /* reading and validating the scene, and making the model */
    double engine; /* loading the engine's module and finding its device */
    double plan;   /* planning the memory, with the step costs that it measures, and creating the simulation */
    double first;  /* by the steady clock: when the first evaluation began; 0: none did */
    double last;   /* by the steady clock: when the last evaluation ended; 0: none did */
} pio_session_seconds;

/* What a session was opened for, by session.c. */
typedef struct {
    const piola_options *options;
    const char *command; /* "run", "grad", ...; "evaluate": the evaluations of a program */
    /* what a study says of the scene, which is one of its experiments, by whose name messages begin; NULL: nothing */
    const pio_scene_overlay *over;
    pio_log *log;
    double opened;    /* s, when the session was opened, by the steady clock */
    bool shows_steps; /* progress counts the steps of each sweep; else the command has a progress of its own */
    char sweep[40];   /* which evaluation its sweeps are of, "evaluation 7, "; "" if there is one */
    pio_session_seconds seconds;
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

/* session_evaluate.c: the frames of an evaluation, which its caller receives one by one. */
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
    /* bytes that plans leave to a direct solver with which `auto` has to go on; 0: what is left anyway */
    size_t standby;
    struct pio_disk_states *disk; /* states kept on disk, from the first on; or NULL */
} pio_session_memory;

/* session_evaluate.c: the last evaluation forward. n_samples and n_variables are the model's; samples and values have
 * the units of what they are. */
typedef struct {
    double *samples;          /* [2][n_samples] of the observations, and in a gradient dJ/dsamples */
    double *values;           /* [n_variables] of the design's quantities */
    double *filtered;         /* [n_variables] z after the designs' filters */
    double *engine_z;         /* [2][n_engine] the engine's variables, and room for their values */
    double *terms;            /* [objective.n] */
    double J;                 /* the sum of the terms */
    double *c;                /* [constraints.n] */
    double *r;                /* [residuals.n] */
    bool start_known;         /* bounds of constraints that are relative to the initial design are known */
    pio_sweep_result sweep;   /* steps and seconds */
    pio_solver_change change; /* where `auto` went on with another linear solver */
    bool change_logged;       /* that was logged */
} pio_session_evaluation;

/* session_evaluate.c: the last gradient, and what its adjoint showed. A gradient has one sweep for J, the last one;
 * with of_constraints each constraint has a sweep before it, and each residual of an observation. */
typedef struct {
    bool of_constraints;      /* gradients are those of the constraints too */
    int64_t sweeps;           /* number of sweeps of a gradient; the plan may be one for more */
    double *value_bar;        /* [n_variables] dJ/dvalue, J's unit per that of the value */
    double *z_bar;            /* [n_variables] dJ/dz */
    double *engine_bar;       /* [2][n_engine] dJ/dvalue and dJ/dz of the engine's variables */
    double *filtered_bar;     /* [n_variables] dJ/dz of the terms of the design alone, by filtered variables */
    double *c_bar;            /* [constraints.n][n_variables] dc/dz, with of_constraints */
    double *r_bar;            /* [residuals.n][n_variables] dr/dz */
    double *sum_bar;          /* [n_variables] by columns: the derivative of pio_residuals_sum_slope()'s sum */
    double columns_error;     /* by columns: the largest difference from it, relative, pio_session_jacobian() */
    int64_t runs;             /* by columns: forward runs of the last evaluation for differences */
    pio_step_record *records; /* [sweeps][steps] implicit steps, of FEM; else NULL */
    int64_t n_records;        /* records of each sweep that are there */
    double *sample_terms;     /* [sweeps] sum over the samples of |y dJ/dy|, the size of what J is made of */
    pio_adjoint_norm *norms;  /* [growth.n] of the sweep for J */
    pio_growth growth;        /* of these norms over time */
    bool growth_warned;       /* a warning of the growth was logged */
    bool kinks_warned;        /* a warning of kinks was logged */
} pio_session_adjoint;

/* Functions of the samples, of which a caller wants the derivatives in place of those of objective and constraints. */
typedef struct {
    int64_t n; /* number of functions, each with an adjoint sweep of its own */
    /* Sets samples_bar [n_samples], which holds dJ/dsamples, to the derivatives of function i by the samples. */
    void (*slope)(void *context, int64_t i, double *samples_bar);
    /* Called when value_bar and z_bar of the session have the derivatives of function i, without terms of J of the
     * design alone; may be NULL. */
    void (*on_function)(void *context, int64_t i);
    void *context; /* first argument of both */
} pio_session_functions;

typedef struct pio_session {
    pio_session_call call;
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    pio_constraints constraints;
    pio_residuals residuals; /* of an optimisation by Levenberg and Marquardt's method; otherwise empty */
    pio_engine_module engine;
    pio_sim *sim; /* NULL: there is none, after a dry run or for want of memory */
    pio_session_memory memory;
    pio_session_evaluation evaluation;
    pio_session_adjoint adjoint;
    const pio_session_functions *functions; /* those of a pio_session_derivatives() that runs; otherwise NULL */
    pio_session_frames frames;
    pio_session_folder folder;
} pio_session;

typedef enum { PIO_NO_GRADIENT, PIO_GRADIENT, PIO_ALL_GRADIENTS } pio_session_gradients;

/* Loads and checks the scene, builds the model, opens the engine, plans and creates the simulation. `gradients`: none,
 * of the objective, or of the constraints too; `precision`: used if the options name none (NULL: the scene's). It logs
 * the engine and the reason for its choice; with options->dry_run it logs the plan and leaves sim NULL. On failure *out
 * is NULL, and *printed: the messages of the scene, of which *error has one, were printed to stderr. Returns
 * PIOLA_USAGE for options that do not go together, PIOLA_NO_MEMORY, PIOLA_UNAVAILABLE, and the errors of
 * pio_log_create(), pio_scene_load(), pio_model_create() and pio_session_create_sim(). */
piola_status pio_session_open(pio_session **out, const piola_options *options, const char *command,
                              pio_session_gradients gradients, const char *precision, bool *printed,
                              piola_error *error);
/* What a session is for. */
typedef struct {
    const char *command;             /* name of the command */
    pio_session_gradients gradients; /* as of pio_session_open(), like `precision` */
    const char *precision;
    const pio_scene_overlay *over; /* what a study says of the scene; NULL: nothing. It outlives the session */
} pio_session_use;
/* Does what pio_session_open() does, also with one of the experiments of a study. Returns the errors of
 * pio_session_open(). */
piola_status pio_session_open_for(pio_session **out, const piola_options *options, const pio_session_use *use,
                                  bool *printed, piola_error *error);
/* Frees a session, which may be NULL. */
void pio_session_close(pio_session *s);
/* Frees a session, which may be NULL, at the end of a command with status rc. Returns PIOLA_IO if rc is a success but
 * the file of the log (--log-json) could not be written, otherwise rc. */
piola_status pio_session_end(pio_session *s, piola_status rc, piola_error *error);

/* Returns the greatest number of bytes that the simulation may take with the states that it keeps: that of the options,
 * or else of the scene; 0: none is set (session_plan.c). */
double pio_session_budget(const pio_session *s);

/* Measures the simulation, chooses its schedule and logs the plan, in detail with options->dry_run (session_plan.c).
 * With `adjoint` for gradients of `sweeps` adjoint sweeps. Returns PIOLA_NO_MEMORY if the budget of the scene does not
 * suffice, and the errors of pio_plan_make() and pio_plan_measure(). */
piola_status pio_session_plan(pio_session *s, bool adjoint, int64_t sweeps, piola_error *error);

/* Creates the simulation of the plan (session_plan.c). Returns PIOLA_NO_MEMORY, PIOLA_BAD_DATA for a description that
 * the engine rejects, and its other errors. */
piola_status pio_session_create_sim(pio_session *s, piola_error *error);

/* Makes a new plan and a simulation with larger compact slots, after a gradient failed with PIOLA_NO_MEMORY because
 * they were too small, and logs it (session_plan.c). Returns PIOLA_NO_MEMORY, and changes nothing, if they were not. */
piola_status pio_session_more_room(pio_session *s, piola_error *error);

/* Makes a plan with the strategy, slots, kept and residual log of `plan`, and with compact slots for slot_nodes active
 * nodes, the session's, and creates the simulation again if the plan was another (session_plan.c). Returns PIOLA_NO,
 * with the session as it was, if the memory does not suffice, and the other errors of pio_session_create_sim(). */
piola_status pio_session_take_plan(pio_session *s, const pio_plan *plan, int64_t slot_nodes, piola_error *error);

/* Evaluates J and c at the variables z [n_variables]. `extra` is NULL or supplies frames and their callbacks; its
 * context, objective and progress are set here. Returns PIOLA_NUMERICAL if the simulation fails or J or c is not
 * finite, PIOLA_BAD_DATA if a bound is relative to a value that is 0 at the start, PIOLA_INTERRUPTED, PIOLA_NO_MEMORY,
 * and the other errors of the engine and of the callbacks. */
piola_status pio_session_forward(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);
/* Returns how many stages an optimisation has, in which the sharpness of projections grows: 1 where none grows. Sets
 * *evaluations to those of each stage but the last. */
int pio_session_stages(const pio_session *s, int *evaluations);
/* Sets the sharpness of all projections to that of a stage, from 0 on, for following evaluations. */
void pio_session_begin_stage(pio_session *s, int stage);
/* Returns the largest sharpness of a projection at hand; 0: there is no projection. */
double pio_session_sharpness(const pio_session *s);
/* Returns the greatest error of columns, or of rows by pio_session_rows_error(), with which an evaluation goes on. */
double pio_session_jacobian_limit(const pio_session *s);
/* Computes the rows of the residuals that are functions of the design alone (session_rows.c). */
void pio_session_design_rows(pio_session *s);
/* Returns by how much sum_j r_j dr_j/dz of the last gradient differs from dJ/dz, the result of a sweep of its own,
 * relative to the largest sum_j |r_j dr_j/dz|, as the sum is 0 at a minimum; 0 without residuals (session_rows.c). */
double pio_session_rows_error(const pio_session *s);

/* Evaluates J and c and their gradients, with the same arguments. Returns PIOLA_NUMERICAL also if a derivative is not
 * finite, and the other errors of pio_session_forward(). */
piola_status pio_session_gradient(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);

/* Evaluates J and c at z, with the same arguments, and the derivatives of functions of the samples, which are in
 * value_bar and z_bar of the session afterwards: those of the last function, and with J_bar, the factor with which J is
 * in it, those of J's terms of the design alone. The plan is one for two sweeps or more, as those of the command
 * "evaluate" are. Returns the errors of pio_session_gradient(). */
piola_status pio_session_derivatives(pio_session *s, const double *z, const pio_session_functions *of, double J_bar,
                                     const pio_sweep *extra, piola_error *error);

/* Begins a run of single steps: makes state 0 of the design z the current one. Returns the errors of
 * pio_session_forward(). */
piola_status pio_session_begin_steps(pio_session *s, const double *z, piola_error *error);
/* Runs n further steps, no more than the scene has, and evaluates J and c after the last step of the scene, with the
 * bits of pio_session_forward(). Faults are looked for, and interruptions, after each `check_every` steps. Returns the
 * errors of pio_session_forward(), after which the run must begin anew. */
piola_status pio_session_steps(pio_session *s, int64_t n, int64_t check_every, piola_error *error);

#endif
