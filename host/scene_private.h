/* scene_private.h -- what the scene's own files share. */
#ifndef PIOLA_HOST_SCENE_PRIVATE_H
#define PIOLA_HOST_SCENE_PRIVATE_H

#include "host/config.h"
#include "host/scene.h"

#define SCENE_MOST_SAMPLES 1000000 /* times of one observation */

struct scene_source {
    cfg_doc doc;
};

/* scene_table.c: of mpm, and what both methods share; scene_table_fem.c: of fem; scene_table_material.c: materials of both. */
extern const cfg_table pio_scene_table, pio_material_table, pio_term_table, pio_fem_term_table, pio_constraint_table,
    pio_gradient_table, pio_optimizer_table, pio_adjoint_table, pio_geometry_table, pio_body_table, pio_observe_table,
    pio_design_table;
extern const cfg_table pio_fem_scene_table, pio_fem_material_table;
extern const cfg_table pio_fem_method_table, pio_fem_time_table, pio_fem_solver_table, pio_fem_output_table;

bool pio_scene_has_adjoint(const void *scene); /* frames of it are asked for */
extern const cfg_table pio_contact_table;      /* scene_table_contact.c */
/* Defaults that depend on other keys; only after a decode without faults. */
void pio_scene_complete(pio_scene *scene, cfg_doc *doc);
/* Rules that no single key can state; faults go to the document. */
void pio_scene_validate(const pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_fem(const pio_scene *scene, cfg_doc *doc);
/* scene_validate_mpm.c: what the integrators of particles can and cannot do. */
void pio_scene_validate_mpm(const pio_scene *scene, cfg_doc *doc);
/* Its velocity fields, 1 or more; that of a body, by name. */
int pio_scene_fields(const pio_scene *s);
int pio_scene_field(const pio_scene *s, const char *body);
/* Whether the duration is a whole number of steps. */
void pio_scene_check_time(const pio_scene *s, cfg_doc *doc);
void pio_scene_validate_design(const pio_scene *scene, cfg_doc *doc);
void pio_scene_validate_data(const pio_scene *scene, cfg_doc *doc);
const cfg_table *pio_scene_materials(const pio_scene *scene); /* of its method */

/* Index of a name in a list of structs that begin with their name, or n after a fault. */
size_t pio_scene_entry(cfg_doc *doc, const char *path, const char *list, const char *name, const void *items, size_t n,
                       size_t size);
/* What a design path names. */
typedef struct scene_target {
    cfg_quantity quantity;
    int components;  /* 1, or the dimension for vectors */
    double value[3]; /* the scene's own, SI */
    cfg_range range; /* of the constant */
} scene_target;
bool pio_scene_design_target(const pio_scene *scene, const scene_design *design, const char *path,
                             scene_target *target);
/* Paths of single numbers of a scene besides gravity, in order; NULL past the last. Not every scene has each. */
const char *pio_scene_number(int i);
bool pio_scene_target(const pio_scene *scene, const char *path, scene_target *target); /* false: no such path */
/* The quantity of a load's value; whether it is springs. */
cfg_quantity pio_load_quantity(const scene_load *load);
bool pio_load_is_springs(const scene_load *load);
/* Has anything of what bodies are made of a density? */
bool pio_scene_is_heavy(const pio_scene *scene);
/* A total force on the body whose area a design of this path would change, or NULL. */
const scene_load *pio_scene_force_on(const pio_scene *scene, const char *path);
/* scene_validate_mpm.c: is this key of materials one that the scene's integrator cannot have? */
bool pio_scene_has_no(const pio_scene *scene, const char *key);
/* Components of an observation: the dimension for positions and velocities, else 1; and its quantity. */
int pio_observe_components(const pio_scene *scene, const scene_observe *observe);
cfg_quantity pio_observe_quantity(const scene_observe *observe);
const scene_observe *pio_scene_observe(const pio_scene *scene, const char *name);
/* The scalars of a value decoded as CFG_ANY must have the unit of `quantity`. */
bool pio_scene_unit(cfg_doc *doc, const char *path, cfg_quantity quantity);

#endif
