/* scene_private.h -- what the files of this room share. */
#ifndef PIOLA_HOST_SCENE_PRIVATE_H
#define PIOLA_HOST_SCENE_PRIVATE_H

#include "host/config/config.h"
#include "host/data/csv.h"
#include "host/scene/scene.h"
#include "host/scene/scene_leave.h"
#include "solvers/engine/engine.h"

#define SCENE_MOST_SAMPLES 1000000 /* greatest number of times of one observation */

/* Declares an array `name` with the path of a key, formatted as by printf. */
#define PATH(name, ...)                                                                                                \
    char name[CFG_PATH];                                                                                               \
    snprintf(name, sizeof name, __VA_ARGS__)

struct scene_source {
    cfg_doc doc;                    /* the document, with the position of every key, and all memory of the scene */
    bool experiment;                /* it is one of a study, whose optimizer is of all its experiments */
    struct scene_surface *surfaces; /* list of surfaces that were read, see scene_surface.c */
};

/* Returns whether the file, or one that it includes, has this key. */
static inline bool pio_scene_is_set(const cfg_doc *doc, const char *path)
{
    bool found;
    pio_cfg_find(doc->root, path, &found);
    return found;
}

/* Tables of mpm, and those that both methods share (scene_table.c and, by their names, scene_table_*.c). Those of fem
 * begin with pio_fem. */
extern const cfg_table pio_scene_table, pio_material_table, pio_term_table, pio_fem_term_table, pio_constraint_table,
    pio_gradient_table, pio_check_table, pio_optimizer_table, pio_adjoint_table, pio_checkpoint_table,
    pio_geometry_table, pio_body_table, pio_observe_table, pio_design_table;
extern const cfg_table pio_obstacle_table, pio_motion_table;  /* scene_table_obstacle.c */
extern const cfg_table pio_fem_obstacle_table;                /* scene_table_fem_obstacle.c */
extern const cfg_table pio_fem_contact_table;                 /* scene_table_fem_contact.c */
extern const cfg_table pio_group_table;                       /* scene_table_bodies.c */
extern const cfg_table pio_actuator_table, pio_control_table; /* scene_table_control.c */
extern const cfg_table pio_plastic_table;                     /* scene_table_plastic.c */
extern const cfg_case pio_fem_case; /* the method whose scenes have another table (scene_load.c) */
extern const cfg_table pio_fem_scene_table, pio_fem_material_table, pio_fem_design_table;
extern const cfg_table pio_fem_method_table, pio_fem_time_table, pio_fem_solver_table, pio_fem_output_table;
extern const cfg_table pio_tie_table;        /* ties between meshes (scene_table_tie.c) */
extern const cfg_table pio_projection_table; /* of designs (scene_table_fem_design.c) */
extern const cfg_table pio_lattice_table;    /* of designs of meshes (scene_table_lattice.c) */

/* Returns the table of materials of the scene's method (scene_table_material.c). */
const cfg_table *pio_scene_materials(const pio_scene *scene);
/* Returns whether the scene requests frames of the adjoint (scene_table.c). */
bool pio_scene_has_adjoint(const void *scene);
extern const cfg_table pio_contact_table; /* scene_table_contact.c */
/* Sets defaults that depend on other keys; only after decoding without faults (scene_complete.c). */
void pio_scene_complete(pio_scene *scene, cfg_doc *doc);
/* Writes the folder of the results of a scene with this name that names no folder into out[size] (scene_complete.c). */
void pio_scene_default_folder(const char *name, char *out, size_t size);
/* Checks the rules that no single key can state; faults go to the document, as with all rules (scene_validate.c). */
void pio_scene_validate(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of scenes of finite elements (scene_validate_fem.c). */
void pio_scene_validate_fem(const pio_scene *scene, cfg_doc *doc);
/* Reads the tables that expressions name (scene_vary_table.c). */
void pio_scene_complete_tables(pio_scene *scene, cfg_doc *doc);
/* Checks expressions and the constants that they name (scene_vary.c). */
void pio_scene_validate_vary(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of modal analysis, and that other scenes have nothing of it (scene_validate_modal.c). */
void pio_scene_validate_modal(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of observation i if it is of contact of meshes (scene_validate_seen.c). */
void pio_scene_validate_seen(const pio_scene *scene, cfg_doc *doc, size_t i);
/* Checks the rules of sheets and rings (scene_validate_plane.c). */
void pio_scene_validate_plane(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of the integrators of particles (scene_validate_mpm.c). */
void pio_scene_validate_mpm(const pio_scene *scene, cfg_doc *doc);
/* Returns the largest modulus of plane waves, lambda + 2 mu = 2 mu (1 - nu)/(1 - 2 nu), of the bodies' materials, Pa; 0
 * where none is a solid (scene_solid.c). */
double pio_scene_stiffest(const pio_scene *s);
/* Returns the smallest of them likewise. */
double pio_scene_softest(const pio_scene *s);
/* Returns the first body that a potential would not hold, or NULL: fluids and grains have no shape. */
const scene_body *pio_scene_not_solid(const pio_scene *s);
/* Sets defaults of contact between velocity fields that depend on other keys (scene_contact.c). */
void pio_scene_complete_contact(pio_scene *scene, const cfg_doc *doc);
/* Checks the rules of contact between velocity fields (scene_contact.c). */
void pio_scene_validate_contact(const pio_scene *scene, cfg_doc *doc);
/* Returns what a design may make of an obstacle's scale: of a mesh, whose distances are kept for that, at least half of
 * it (scene_obstacle.c). */
cfg_range pio_scene_scales(const scene_obstacle *obstacle);
/* Sets defaults of obstacles that depend on other keys, and reads their motions (scene_obstacle.c). */
void pio_scene_complete_obstacles(pio_scene *scene, cfg_doc *doc);
/* Checks the rules of obstacles (scene_obstacle.c). */
void pio_scene_validate_obstacles(const pio_scene *scene, cfg_doc *doc);
/* Checks a body that is filled in part, or that it has nothing of it (scene_validate_filling.c). */
void pio_scene_validate_filling(const pio_scene *scene, cfg_doc *doc, size_t body);
/* Checks the files of geometries, groups, and what names groups (scene_validate_bodies.c). */
void pio_scene_validate_bodies(const pio_scene *scene, cfg_doc *doc);
/* Loads the table `file` that the key at `path` names, and records it as an input of the scene; the caller frees it.
 * Returns false after a fault (scene_data.c). */
bool pio_scene_table_of(const pio_scene *scene, cfg_doc *doc, const char *path, const char *file, pio_csv *csv);
/* Returns the number of a column of the table, -1 after a fault (scene_data.c). */
int pio_scene_column(cfg_doc *doc, const char *path, const pio_csv *csv, const char *name);
/* Returns the number of the column `time`, -1 where there is none; it is a fault if it does not increase
 * (scene_data.c). */
int pio_scene_course_column(cfg_doc *doc, const char *path, const pio_csv *csv);
/* Reports at the key an error of the file that it names (scene_data.c). */
void pio_scene_report(cfg_doc *doc, const char *path, const piola_error *error);
/* Parses the targets of designs into design[i].path, with a NULL key where a target names nothing (scene_design.c). */
void pio_scene_complete_design(pio_scene *scene, cfg_doc *doc);
/* Sets what the lattice of design i does not say to NaN (scene_lattice.c). */
void pio_scene_complete_lattice(pio_scene *scene, cfg_doc *doc, size_t i);
/* Checks the rules of lattices, and of targets that share their variables (scene_lattice.c). */
void pio_scene_validate_lattices(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of bodies that are mixed of two materials (scene_mixture.c). */
void pio_scene_validate_mixtures(const pio_scene *scene, cfg_doc *doc);
/* Checks the rules of designs (scene_design.c). */
void pio_scene_validate_design(const pio_scene *scene, cfg_doc *doc);
/* Checks the tables of curves, of measured data and of measured points (scene_data.c). */
void pio_scene_validate_data(const pio_scene *scene, cfg_doc *doc);

/* Returns the index of a name in `items` [n], structs of `size` bytes that begin with their name; n after a fault at
 * `path`, which calls the list `list` (scene_rules.c). */
size_t pio_scene_entry(cfg_doc *doc, const char *path, const char *list, const char *name, const void *items, size_t n,
                       size_t size);
/* Checks that body i, whose bounding box without its position is low to high [m], lies in the grid (scene_rules.c). */
void pio_scene_check_inside(const pio_scene *scene, cfg_doc *doc, size_t i, const double low[3], const double high[3]);
/* Checks that each number [s] of the list at `path` is above the one before it (scene_rules.c). */
void pio_scene_check_increase(cfg_doc *doc, const char *path, const scene_numbers *times);
/* Checks that the duration is a whole number of steps (scene_rules.c). */
void pio_scene_check_time(const pio_scene *scene, cfg_doc *doc);
/* Checks that the scalars of a value decoded as CFG_ANY have the unit of `quantity`; returns false after a fault
 * (scene_rules.c). */
bool pio_scene_unit(cfg_doc *doc, const char *path, cfg_quantity quantity);
/* Sets defaults of control that depend on other keys, and the weights of networks (scene_control.c). */
void pio_scene_complete_control(pio_scene *scene, cfg_doc *doc);
/* Checks the rules of actuators and control (scene_control.c). */
void pio_scene_validate_control(const pio_scene *scene, cfg_doc *doc);
enum { PIO_MOST_LATTICE_CELLS = 12 };           /* along an axis: higher Bernstein polynomials hardly differ */
enum { SCENE_LAYERS = PIO_NETWORK_HIDDEN + 2 }; /* most layers of units of a network, inputs and outputs too */
/* Computes the units of each layer of a network, width[*layers + 1] (inputs first, outputs last), and returns the
 * number of weights; 0 where the hidden layers are not legal (scene_control.c). */
size_t pio_scene_layers(const pio_scene *scene, const scene_control *control, int width[SCENE_LAYERS], int *layers);

#endif
