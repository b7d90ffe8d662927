/* report_parts.h -- what the sections of the page share: the files of the folder, and a function for each section. */
#ifndef PIOLA_HOST_REPORT_PARTS_H
#define PIOLA_HOST_REPORT_PARTS_H

#include "host/base/pool.h"
#include "host/config/config.h"
#include "host/report/html.h"
#include "host/report/plot.h"
#include "host/report/report.h"

/* A file of states or a history. */
typedef struct {
    pio_snapshot_file *file; /* NULL: it cannot be read */
    const pio_snapshot_info *info;
    bool absent; /* there is no such file */
    char why[600];
} pio_report_states;

/* Of each iteration of an optimisation. */
typedef struct {
    size_t n;          /* iterations, with the start */
    double *number;    /* [n] 0, 1, ... */
    double *objective; /* [n] */
    double **terms;    /* [info->n_terms][n] counts and measures, by their names in history.vtkhdf */
} pio_report_steps;

struct pio_report {
    char folder[PIO_PATH];
    bool sweep;
    cfg_doc result_doc, scene_doc;
    const cfg_node *result, *scene; /* result.json or sweep.json; the scene, NULL: not there */
    char *resolved, *verbatim;      /* texts of the scene, NULL: not there */
    pio_report_states states, history;
    pio_report_steps steps;
    pio_report_picture *pictures; /* [n_pictures] */
    size_t n_pictures;
    pio_pool pool;
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Returns the member of a mapping; NULL if `of` is none or has no such key, or the value is null. */
const cfg_node *pio_report_get(const cfg_node *of, const char *key);
/* Returns the text of a member, or `fallback`. */
const char *pio_report_text(const cfg_node *of, const char *key, const char *fallback);
/* Returns the number of a member; NaN if there is none. */
double pio_report_number(const cfg_node *of, const char *key);
/* Returns a list of numbers, [*n], in the pool; NULL if it is no list or there is no memory. */
double *pio_report_numbers(pio_pool *pool, const cfg_node *list, size_t *n);
/* Opens states.vtkhdf or history.vtkhdf of the folder; where it cannot be read, out->why says why. Returns
 * PIOLA_NO_MEMORY if there was no memory for it. */
piola_status pio_report_open_states(const char *folder, const char *name, pio_report_states *out, piola_error *error);
/* Reads objective and terms of every iteration. Returns PIOLA_NO_MEMORY, and the errors of
 * pio_snapshot_read_objective(). */
piola_status pio_report_read_steps(pio_report *r, piola_error *error);
/* Returns the values of a column of the history by its name, or NULL. */
const double *pio_report_step(const pio_report *r, const char *term);

/* history.csv of a study: a row for each iteration, from the start on. */
typedef struct {
    char **name;    /* [columns] iteration, evaluations, objective, projected_gradient, violation, and then
                            objective.NAME of each experiment */
    double **value; /* [columns][rows] NaN where there is no number; objectives in the unit of J */
    size_t columns, rows;
} pio_report_history;

/* Reads it into the pool. Returns false where there is no iteration, no such table, or no memory. */
bool pio_report_read_history(const pio_report *r, pio_pool *pool, pio_report_history *out);
/* Returns the column of this name, [rows]; NULL if there is none. */
const double *pio_report_history_column(const pio_report_history *h, const char *name);

/* ---- observations ----------------------------------------------------------------------------------------- */

enum { PIO_REPORT_COMPONENT = 24 }; /* bytes of the name of a component */

/* An observation: its samples. */
typedef struct {
    const char *name, *unit; /* unit: "" for none, "SI" where it is not known */
    double *time, *value;    /* [n] s, [components][n] in the unit */
    size_t n, components;
} pio_report_observation;

/* Reads an entry of `observations` into the pool. Returns false if it has another form. */
bool pio_report_observation_of(pio_pool *pool, const char *name, const cfg_node *node, pio_report_observation *out);
/* Returns the name of component c: x, y, z of a vector, else its number, in `text`. */
const char *pio_report_component(size_t components, size_t c, char text[PIO_REPORT_COMPONENT]);
/* Returns what an entry of `data` has of component c of its observation, [n], NaN where it has none, and the standard
 * deviation; NULL if it has nothing of that component, or without memory. */
double *pio_report_data(pio_pool *pool, const cfg_node *term, const pio_report_observation *o, size_t c, double *sigma);

/* ---- sections -------------------------------------------------------------------------------------------- */

/* Returns what the report is about: the name in the scene, or the scene's file. */
const char *pio_report_name(const pio_report *r);
/* Each writes its section, if it applies to the folder. */
/* What was requested and how it ended. */
void pio_section_summary(FILE *to, const pio_report *r);
/* Pictures and films. */
void pio_section_pictures(FILE *to, const pio_report *r);
/* Curves over the iterations. */
void pio_section_iterations(FILE *to, const pio_report *r);
/* Objective, its terms and the constraints at the end. */
void pio_section_objective(FILE *to, const pio_report *r);
/* What is designed, with starts, ends and bounds. */
void pio_section_parameters(FILE *to, const pio_report *r);
/* Errors, intervals and correlation of a fit by least squares. */
void pio_section_squares(FILE *to, const pio_report *r);
/* Observations against data, with residuals, and all observations. `pool`, here and below: of what the page draws. */
void pio_section_observations(FILE *to, const pio_report *r, pio_pool *pool);
/* Comparisons of the gradient with differences, and the certificate. */
void pio_section_gradient(FILE *to, const pio_report *r, pio_pool *pool);
/* Memory, plan, and time. */
void pio_section_memory(FILE *to, const pio_report *r);
/* The scene. */
void pio_section_scene(FILE *to, const pio_report *r);
/* Program, machine, inputs and files with checksums. Returns PIOLA_NO_INPUT if a file cannot be read. */
piola_status pio_section_files(FILE *to, const pio_report *r, const char *own, piola_error *error);
/* Experiments of a study; `links`: the page lies in the folder, so that names may lead to the experiments' folders. */
void pio_section_study(FILE *to, const pio_report *r, bool links);
/* Curves over the iterations of a study, where it has a history. */
void pio_section_study_history(FILE *to, const pio_report *r);
/* Starts of an optimisation that has several; `links` as of a study. */
void pio_section_starts(FILE *to, const pio_report *r, bool links);
/* Returns whether there are several. */
bool pio_report_starts(const pio_report *r);
/* Members of a sweep: table, parallel coordinates, responses. */
void pio_section_sweep(FILE *to, const pio_report *r, pio_pool *pool);

#endif
