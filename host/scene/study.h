/* study.h -- a study: several scenes, its experiments, with one design, as a file of its own.
 *
 *   version: 1
 *   name: sheet
 *   experiments:
 *     - {name: tension, scene: tension.yaml, weight: 2, set: {time.dt: 1 ms}}
 *     - {name: shear, scene: shear.yaml}
 *   combine: {type: sum}
 *   design: [{name: stiffness, target: materials.rubber.E, experiments: [tension], ...}]
 *   optimizer: {type: lbfgs}
 *
 * J is the sum of the weights times the experiments' objectives, or a smooth maximum of these products. Each entry of
 * `design` is one of every experiment's scene, or of those that it names, in place of the design that the scene has
 * itself. */
#ifndef PIOLA_HOST_STUDY_H
#define PIOLA_HOST_STUDY_H

#include "host/scene/scene.h"
#include "host/scene/scene_leave.h"

typedef struct {
    char *name;                 /* of the experiment, also of its folder */
    char *scene;                /* file of its scene, relative to the study's folder */
    double weight;              /* factor of its objective in the sum, >= 0 */
    double threshold;           /* of the projections of its fields; NaN: that of the design */
    const struct cfg_node *set; /* mapping of paths to values of the scene; NULL: none */
    char *path;                 /* the file, with the study's folder */
    struct cfg_node *design;    /* list of the entries that govern it */
    pio_scene_overlay over;     /* all of it, to load the scene with */
} study_experiment;

/* How J is made of the experiments' objectives, each times its weight: their sum; the mean of their powers, to the
 * inverse of the power; the function of Kreisselmeier and Steinhauser (1979) in its form with a mean. */
typedef enum { STUDY_SUM, STUDY_MAXIMUM } study_combination;

typedef struct {
    study_combination type; /* of J */
    double power, width;    /* of a maximum: exponent, or width in the unit of J; NaN: it is the other one */
} study_combine;

typedef struct pio_study {
    pio_scene own;                 /* of its members: input, seed, checks and budget of gradients, optimizer, folder */
    study_experiment *experiments; /* [n] */
    size_t n;                      /* number of experiments */
    study_combine combine;         /* how J is made of them */
    const struct cfg_node *design; /* list of entries; NULL: none */
} pio_study;

extern const struct cfg_table pio_study_table; /* the keys of a study */

/* Returns whether a file is that of a study: one that has the key `experiments`. One that cannot be read is none. */
bool pio_study_is(const char *path);
/* Reads, overrides and checks a study, with arguments as those of pio_scene_load(); the scenes of the experiments are
 * only looked for. Returns the errors of pio_scene_load(). */
piola_status pio_study_load(pio_study **out, const char *path, const pio_scene_leave *leave, const char *const *sets,
                            size_t n_sets, FILE *errors, piola_error *error);
/* Frees a study, which may be NULL and must outlive the scenes that were loaded with its experiments. */
void pio_study_free(pio_study *study);
/* Returns the word for how J is made of the experiments' objectives, such as "sum". */
const char *pio_study_combination(const pio_study *study);
/* Returns whether the study's file has the key of this path, such as "optimizer.stop". */
bool pio_study_has(const pio_study *study, const char *path);
/* Returns the number of entries of the design. */
size_t pio_study_entries(const pio_study *study);
/* Returns the name of an entry of the design; "" where it has none that is a text. */
const char *pio_study_entry(const pio_study *study, size_t entry);
/* Reports a fault at a path of the study, such as "experiments[0].weight", as pio_scene_fault(). Returns
 * PIOLA_BAD_DATA. */
piola_status pio_study_fault(const pio_study *study, piola_error *error, const char *path, const char *what);

#endif
