/* Room host/study: several scenes, the experiments of a study, as one problem, evaluated in processes. */
/* problem.h -- the variables that the experiments of a study share, and what their objectives are together.
 *
 * Variables are in the order of the study's design. Each experiment adds its weighted part to J and to the gradient in
 * the order of the experiments, so that the bits depend on no number of processes. Of a smooth maximum, the parts of
 * the gradient are those of the chain rule. Constraints and residuals follow each other in the same order. */
#ifndef PIOLA_HOST_STUDY_PROBLEM_H
#define PIOLA_HOST_STUDY_PROBLEM_H

#include "host/base/json.h"
#include "host/base/pool.h"
#include "host/results/fit.h"
#include "host/scene/study.h"
#include "host/study/experiment.h"
#include "host/study/team.h"

/* A target of an entry of the design. Those with the same variables follow each other. */
typedef struct {
    char *design, *path, *unit; /* name of the entry, path of the target, unit of the values */
    size_t first, n;            /* number of its first variable, and of its variables */
    double scale[4];            /* how values become variables: equal in all experiments */
    double *initial;            /* [n] values at the start, SI */
    size_t of;                  /* number of the experiment that was the first to have it */
    size_t of_first;            /* number of its first variable there */
    bool shared, tied;          /* all targets of its entry have the same variables; one before it has its variables */
} pio_study_parameter;

/* What an experiment has, and its last evaluation. */
typedef struct {
    size_t n, m, rows;  /* variables, constraints, residuals */
    size_t *map;        /* [n] numbers of its variables among those of the study */
    char **constraints; /* [m] names */
    char *identity;     /* what its bits depend on */
    int64_t bytes;      /* of its simulation */
    bool f32;           /* it is computed in f32 */
    int stages, stage_evaluations;
    double J, weighted;         /* of the last evaluation: its objective, and times the weight */
    double factor;              /* derivative of the study's J with respect to the weighted objective: 1 in a sum */
    double *z_bar, *value_bar;  /* [n] likewise, times the weight */
    double *values, *c, *c_bar; /* [n], [m], [m][n] */
    double *r, *r_bar;          /* [rows], [rows][n], times the root of the weight */
    double *slope;              /* [n] dvalue/dz, where there are residuals */
    char **names;               /* [n] of the variables, likewise */
    pio_fit_cost cost;          /* of the derivatives of the residuals */
} pio_study_part;

typedef struct {
    const pio_study_call *call;
    pio_team *team;
    pio_team_work work;
    pio_study_part *parts;           /* [experiments] */
    pio_study_parameter *parameters; /* [n_parameters] */
    size_t n_parameters;
    size_t n, m, rows;                 /* variables, constraints, residuals of all */
    double *z0, *lower, *upper, *unit; /* [n] */
    pio_blob request, *answers;        /* [experiments] */
    pio_pool pool;                     /* memory of all the rest */
} pio_study_problem;

/* Starts the processes and opens the experiments. `progress` is as of a team, with its context. Returns PIOLA_BAD_DATA
 * where experiments disagree about a variable or none has the constraints that the optimizer is to satisfy, the errors
 * of pio_session_open_for() with an empty message if it was printed, and those of pio_team_start() and
 * pio_team_request(). *p is to close in any case. */
piola_status pio_study_problem_open(pio_study_problem *p, const pio_study_call *call, int jobs,
                                    void (*progress)(void *, size_t), piola_error *error);
/* Ends the processes and frees everything. */
void pio_study_problem_close(pio_study_problem *p);
/* Where an evaluation of all goes. */
typedef struct {
    double *J, *gradient;   /* J of the study, and [n] its gradient, or NULL */
    double *c, *c_gradient; /* [m + rows], and [m + rows][n], or NULL */
} pio_study_sums;

/* Evaluates all experiments at z [n]; with `finish` they write their files, too. Returns the first failure that is not
 * PIOLA_NUMERICAL, else the first, with the name of the experiment, the errors of pio_team_request(), and
 * PIOLA_BAD_DATA where an objective is negative of which a power is to be taken. */
piola_status pio_study_evaluate(pio_study_problem *p, const double *z, bool finish, const pio_study_sums *to,
                                piola_error *error);
/* Says in out[size] how far J may be from the largest weighted objective. Returns false where J is a sum. */
bool pio_study_combine_text(const pio_study_problem *p, char *out, size_t size);
/* Writes the member `combine` of a result: how J is made of the experiments' objectives, and of a maximum the largest
 * weighted objective of the last evaluation. */
void pio_study_combine_json(const pio_study_problem *p, pio_json *json);
/* Begins a stage in all experiments. Returns the errors of pio_team_request(). */
piola_status pio_study_stage(pio_study_problem *p, int stage, piola_error *error);
/* Returns what the bits of the study depend on, as pio_identity_of_run(), to free(); NULL without memory. */
char *pio_study_identity(const pio_study_problem *p);

#endif
