/* scene_private.h -- what the scene's own files share. */
#ifndef PIOLA_HOST_SCENE_PRIVATE_H
#define PIOLA_HOST_SCENE_PRIVATE_H

#include "host/config/config.h"
#include "host/data/csv.h"
#include "host/scene/scene.h"
#include "host/scene/scene_leave.h"
#include "solvers/engine/engine.h"

#define SCENE_MOST_SAMPLES 1000000 /* times of one observation */

/* An array `name` with the path of a key, as printf makes it. */
#define PATH(name, ...)                                                                                                \
    char name[CFG_PATH];                                                                                               \
    snprintf(name, sizeof name, __VA_ARGS__)

struct scene_source {
    cfg_doc doc;
    struct scene_surface *surfaces; /* scene_surface.c: a list */
};

/* Does the file, or what it was merged with, have this key? */
static inline bool pio_scene_given(const cfg_doc *doc, const char *path)
{
    bool found;
    pio_cfg_find(doc->root, path, &found);
    return found;
}

/* scene_table.c: of mpm, and what both methods share; scene_table_fem.c: of fem; scene_table_material.c: materials of
 * both. */
extern const cfg_table pio_scene_table, pio_material_table, pio_term_table, pio_fem_term_table, pio_constraint_table,
    pio_gradient_table, pio_optimizer_table, pio_adjoint_table, pio_checkpoint_table, pio_geometry_table,
    pio_body_table, pio_observe_table, pio_design_table;
extern const cfg_table pio_obstacle_table;                    /* scene_table_obstacle.c */
extern const cfg_table pio_group_table;                       /* scene_table_bodies.c */
extern const cfg_table pio_actuator_table, pio_control_table; /* scene_table_control.c */
extern const cfg_table pio_plastic_table;                     /* scene_table_plastic.c */
extern const cfg_table pio_fem_scene_table, pio_fem_material_table;
extern const cfg_table pio_fem_method_table, pio_fem_time_table, pio_fem_solver_table, pio_fem_output_table;

/* scene_table_material.c: the table of materials that the scene's method has. */
const cfg_table *pio_scene_materials(const pio_scene *scene);
bool pio_scene_has_adjoint(const void *scene); /* frames of it are asked for */
extern const cfg_table pio_contact_table;      /* scene_table_contact.c */
/* scene_complete.c: defaults that depend on other keys; only after a decode without faults. */
void pio_scene_complete(pio_scene *scene, cfg_doc *doc);
/* The folder of the results of a scene with this name that names none, into out[size]. */
void pio_scene_default_folder(const char *name, char *out, size_t size);
/* scene_validate.c: rules that no single key can state; faults go to the document. */
void pio_scene_validate(const pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_fem(const pio_scene *scene, cfg_doc *doc);
/* scene_validate_mpm.c: what the integrators of particles can and cannot do. */
void pio_scene_validate_mpm(const pio_scene *scene, cfg_doc *doc);
/* scene_obstacle.c: defaults of obstacles that depend on other keys, and their rules. */
void pio_scene_complete_obstacles(pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_obstacles(const pio_scene *scene, cfg_doc *doc);
/* scene_validate_bodies.c: what the files of geometry hold, groups, and what names them. */
void pio_scene_validate_bodies(const pio_scene *scene, cfg_doc *doc);
/* scene_data.c: the table of a key, which is put down as an input; false after a fault. A column of it, -1 after a
 * fault; `time`, which must increase. Report at the key what is wrong with its file. */
bool pio_scene_table_of(const pio_scene *scene, cfg_doc *doc, const char *path, const char *file, pio_csv *csv);
int pio_scene_column(cfg_doc *doc, const char *path, const pio_csv *csv, const char *name);
int pio_scene_course_column(cfg_doc *doc, const char *path, const pio_csv *csv);
void pio_scene_report(cfg_doc *doc, const char *path, const piola_error *error);
/* scene_design.c: what the targets of designs name, into design[i].path, with NULL keys where that is nothing; then
 * the rules of designs. */
void pio_scene_complete_design(pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_design(const pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_data(const pio_scene *scene, cfg_doc *doc);

/* scene_rules.c: index of a name in a list of structs that begin with their name, or n after a fault. */
size_t pio_scene_entry(cfg_doc *doc, const char *path, const char *list, const char *name, const void *items, size_t n,
                       size_t size);
/* Whether body i, which reaches from low to high [m] without its position, lies in the grid. */
void pio_scene_check_inside(const pio_scene *scene, cfg_doc *doc, size_t i, const double low[3], const double high[3]);
/* Whether each number of the list at `path`, s, is above the one before it. */
void pio_scene_check_increase(cfg_doc *doc, const char *path, const scene_numbers *times);
/* Whether the duration is a whole number of steps. */
void pio_scene_check_time(const pio_scene *scene, cfg_doc *doc);
/* The scalars of a value decoded as CFG_ANY must have the unit of `quantity`; false after a fault. */
bool pio_scene_unit(cfg_doc *doc, const char *path, cfg_quantity quantity);
/* scene_control.c: defaults and rules of actuators and control. */
void pio_scene_complete_control(pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_control(const pio_scene *scene, cfg_doc *doc);
/* Layers of a network: units in each, `width` of them (inputs first, outputs last), and how many weights there are. */
enum { SCENE_LAYERS = PIO_NETWORK_HIDDEN + 2 };
size_t pio_scene_layers(const pio_scene *scene, const scene_control *control, int width[SCENE_LAYERS], int *layers);

#endif
