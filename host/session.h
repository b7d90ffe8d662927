/* session.h -- a scene on a device: what run, grad, check and optimize share. */
#ifndef PIOLA_HOST_SESSION_H
#define PIOLA_HOST_SESSION_H

#include "host/engines.h"
#include "host/json.h"
#include "host/log.h"
#include "host/objective.h"
#include "solvers/adjoint.h"

typedef struct pio_session {
    const piola_options *options;
    const char *command; /* "run", ... */
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    pio_engine_module engine;
    pio_engine_bytes bytes;
    pio_sim *sim;
    pio_schedule schedule;
    pio_log *log;
    bool steps_shown; /* progress tells the steps of each sweep; else the caller tells its own */
    char directory[1024];
    double *samples;                    /* [2 n_samples] workspace */
    double *values, *value_bar, *z_bar; /* [n_variables] of the last evaluation */
    double *filtered, *filtered_bar;    /* [n_variables] likewise: z after the designs' filters */
    double *terms;                      /* [objective.n] of the last evaluation */
    double J;
    pio_sweep_result sweep;   /* of the last evaluation */
    pio_step_record *records; /* [n_records] of the last gradient: its implicit steps */
    int64_t n_records;
    double started;            /* s, steady clock */
    bool told;                 /* the scene's messages were printed where they belong */
    struct pio_states *states; /* the file that frames go to, or NULL */
} pio_session;

/* Load, check and build everything; `adjoint`: with room for gradients; `precision`: what to use when neither options nor
 * NULL-ness says otherwise (NULL: the scene's). Prints the engine and why. With options->dry_run, prints the plan and leaves
 * sim NULL. On failure *out is NULL. */
piola_status pio_session_open(pio_session **out, const piola_options *options, const char *command, bool adjoint,
                              const char *precision, piola_error *error);
void pio_session_close(pio_session *s);

/* Evaluate at z: J alone, or with its gradient. `extra` supplies frames and their callbacks (its context, objective and
 * progress are set here), or is NULL. */
piola_status pio_session_forward(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);
piola_status pio_session_gradient(pio_session *s, const double *z, const pio_sweep *extra, piola_error *error);

/* Create the output folder and its parents. */
piola_status pio_session_make_directory(pio_session *s, piola_error *error);
/* "DIRECTORY/name". */
void pio_session_path(const pio_session *s, const char *name, char *out, size_t size);

/* result.json: begin with what all commands tell; the caller adds its own members; end writes the file, and stdout with
 * --json. `files`: names in the folder, NULL-terminated. */
void pio_result_begin(pio_session *s, pio_json *json, piola_status exit, const char *message);
piola_status pio_result_end(pio_session *s, pio_json *json, const char *const *files, piola_error *error);
/* Members `objective`, `terms` and `parameters` (with gradients where there are some) of the last evaluation. */
void pio_result_evaluation(pio_session *s, pio_json *json, const double *z, bool gradient);

double pio_clock(void); /* s, steady */

#endif
