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

typedef struct pio_session {
    const piola_options *options;
    const char *command; /* "run", ... */
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    pio_engine_module engine;
    pio_engine_bytes bytes;
    pio_sim *sim;
    pio_plan plan;                    /* with gradients: what is kept */
    int64_t slot_nodes, nodes_needed; /* room that was too little for what a gradient kept, and what it needed; or 0 */
    int64_t frames_told;              /* frames of the evaluation at hand that its caller has */
    piola_status (*on_state)(void *context, int64_t frame, int64_t step,
                             piola_error *error); /* of that caller, or NULL */
    struct pio_disk_states *disk;                 /* where it is kept on disk, from the first on; or NULL */
    pio_schedule schedule;
    pio_log *log;
    bool steps_shown; /* progress tells the steps of each sweep; else the caller tells its own */
    bool writes;      /* into its folder: all commands do, evaluations for a program that calls do not */
    pio_folder *lock; /* of the folder, from when it is there; or NULL */
    char directory[PIO_PATH];
    double *samples;                    /* [2 n_samples] workspace */
    double *values, *value_bar, *z_bar; /* [n_variables] of the last evaluation */
    double *filtered, *filtered_bar;    /* [n_variables] likewise: z after the designs' filters */
    double *terms;                      /* [objective.n] of the last evaluation */
    double J;
    pio_constraints constraints;
    double *c;              /* [constraints.n] of the last evaluation */
    double *c_bar;          /* [constraints.n][n_variables] dc/dz of the last gradient, with all_gradients */
    bool all_gradients;     /* gradients are those of the constraints too, a sweep back each */
    bool started;           /* bounds of constraints that are relative to the start are known */
    pio_sweep_result sweep; /* of the last evaluation */
    /* [sweeps][steps], n_records of each are there: the implicit steps of the last gradient */
    pio_step_record *records;
    int64_t n_records;
    pio_adjoint_norm *norms; /* [growth.n] of the last gradient's adjoint */
    pio_growth growth;
    bool growth_told, kinks_told; /* a person was warned of it, of them */
    /* [sweeps] of the last gradient: sum over the samples of |y dJ/dy|, the size of what J is made of */
    double *terms_of_samples;
    double opened;                         /* s, steady clock */
    bool claims;                           /* the result that is being written says that all went well */
    struct pio_states *states;             /* the file that frames go to, or NULL */
    struct pio_run_checkpoint *checkpoint; /* that is written now and then, or NULL */
    int64_t looks;                         /* that asked whether to stop; counted for tests */
    int64_t frames_resumed;                /* frames in that file from an earlier run, which this one goes on with */
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
