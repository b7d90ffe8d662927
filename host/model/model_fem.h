/* model_fem.h -- the description of a scene of finite elements for an engine: meshes, supports, loads as one
 * pio_fem_desc. */
#ifndef PIOLA_HOST_MODEL_FEM_H
#define PIOLA_HOST_MODEL_FEM_H

#include "host/mesh/mesh.h"
#include "host/model/model.h"
#include "host/scene/scene_vary.h"

/* All data of the meshes, which most members of `desc` point to. Nodes and elements are numbered body after body,
 * elements as their mesh's cells. */
struct pio_model_fem {
    pio_fem_desc desc;        /* its pointers point into this struct */
    int bodies;               /* number of bodies */
    pio_mesh *mesh;           /* [bodies] meshes, moved and scaled, m */
    int64_t *node_first;      /* [bodies + 1] nodes of body b are node_first[b] .. node_first[b+1]-1 */
    int64_t *element_first;   /* [bodies + 1] its elements, likewise */
    pio_block_desc *blocks;   /* [desc.n_blocks] elements of one type each */
    int32_t *body, *material; /* [elements] numbers in the scene */
    /* [nodes][dim] positions at rest, m; [elements][PIO_LAW_CONSTANTS] parameters of the law; [elements] kg/m^3;
     * [elements] m, NULL in 3D; [elements] 1/K and K, NULL where nothing is heated. */
    double *rest, *law_parameters, *density, *thickness, *expansion, *temperature;
    double *relative_density;          /* [elements]; NULL: no body has one */
    double *choice;                    /* [elements] 1 where nothing is chosen; NULL: nowhere is */
    int32_t *interpolation;            /* [elements] that of its body, or -1; likewise */
    pio_interpolation *interpolations; /* [bodies]; likewise */
    /* Of a motion, else NULL: [elements] Rayleigh's alpha, 1/s, and beta, s; [nodes][dim] m and m/s at the start. */
    double *alpha, *beta, *displacement, *velocity;
    int32_t *law, *parameter_form; /* [elements] see pio_fem_desc */
    pio_load_desc *loads;          /* [desc.n_loads] loads on one type of faces or elements each */
    double *values;                /* [loads of the scene][3] values, in the units of their kinds */
    /* [desc.n_constrained] node, axis and support of each constrained unknown; [supports] curve or -1; [curves + 1]
     * first point of each curve. */
    int32_t *constrained_node, *constrained_axis, *constrained_support, *support_curve, *curve_start;
    /* [boundaries] first support of each, one per number of its value; [supports] boundary of each. */
    int32_t *support_first, *support_boundary;
    double *support_value, *curve_t, *curve_value; /* [supports] m; [points of all curves] s, and factors */
    int32_t *follows;                              /* [nodes] bits of axes, see pio_fem_desc; NULL: none follows */
    double *follow_parameters;                     /* [elements][5] see pio_fem_desc; NULL as follows */
    /* Values that vary: programs and their numbers; constants in the order of the engine, which begins with those that
     * designs change; [constants of the scene, then where something turns boundaries] the engine's number of each. */
    int32_t *program_start, *program_code, *constant_number;
    double *program_numbers, *constants;
    /* [desc.programs.n] the expression that each was made of; those of rotations, whose components are 1 + axis of an
     * angle, come last */
    scene_vary *program_of;
    int32_t *table_at, *curve_at; /* [tables of the scene], [desc.n_curves] where their numbers begin among those of the
                                   * programs */
    pio_vary_desc *varies;        /* [desc.n_varies] items of others than loads are owned */
    /* Ties: [desc.ties.n] nodes, [desc.ties.n + 1] where their masters begin; masters and their weights */
    int32_t *tied, *tied_start, *tied_master;
    double *tied_weight;
    pio_contact_desc *contacts; /* [desc.n_contacts] outer faces, which touch; NULL: there are none */
    int32_t *contact_body;      /* [desc.n] number of the body of each node; NULL: faces touch no faces */
    double edge;                /* shortest edge of all elements, m: the scale of moves of nodes */
};

/* Makes model->fem and what of model->desc it concerns: a part of pio_model_create(). Returns PIOLA_BAD_DATA at the
 * mesh, the support or the load that is wrong, and the other errors of pio_model_create(). */
piola_status pio_model_fem_create(pio_model *model, piola_error *error);
/* Frees the data of meshes, which may be NULL. */
void pio_model_fem_free(pio_model_fem *fem);

/* Returns the box of `on`, larger by a millionth of the shortest edge, because positions of nodes are rounded
 * (model_where.c). */
scene_where pio_model_box(const pio_model *model, const scene_where *on);

/* Lists the nodes of the model that lie at `on` of the body, ascending; the caller frees out->item. Returns
 * PIOLA_BAD_DATA at the scene's key `path` if there are none, or PIOLA_NO_MEMORY (model_where.c). */
piola_status pio_model_nodes(const pio_model *model, const char *path, const char *body, const scene_where *on,
                             pio_index_list *out, piola_error *error);

/* Lists the elements of the model at `on` of a body, by its number: of a group, or those whose centre lies in the box;
 * the caller frees out->item. Returns PIOLA_BAD_DATA at the scene's key `path` if there are none, or PIOLA_NO_MEMORY
 * (model_elements.c). */
piola_status pio_model_elements(const pio_model *model, const char *path, size_t body, const scene_where *on,
                                pio_index_list *out, piola_error *error);
/* Returns the weight of every element in an observation, [elements] 0 or 1, which the caller frees; NULL with *status
 * and the error set on failure (model_elements.c). */
double *pio_model_element_weights(const pio_model *model, size_t observation, piola_status *status, piola_error *error);
/* Returns a typical value of what is observed, in its unit: of stresses and energies the greatest shear modulus of all
 * materials, else 1 (model_elements.c). */
double pio_model_field_size(const pio_model *model, const scene_observe *observe);

/* Finds the element of a body that has the place x (m) at rest, of several the one with the lowest number. Returns
 * PIOLA_BAD_DATA with the nearest point of the mesh if there is none (model_point.c). */
piola_status pio_model_find(const pio_model *model, int body, const pio_mesh_locator *locator, const double x[3],
                            pio_mesh_point *out, piola_error *error);
/* Sets the elements that have the observed point, in a description whose body is set; the model frees them. Returns
 * PIOLA_BAD_DATA at the scene's key if there is none, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED (model_point.c). */
piola_status pio_model_point(const pio_model *model, int observation, pio_observation_desc *desc, piola_error *error);
/* Sets the weights [nodes][dim] of a displacement or velocity of the observed point, which were 0: the values of the
 * shape functions of the first element that has it. Returns the errors of pio_model_point() (model_point.c). */
piola_status pio_model_point_weights(const pio_model *model, size_t observation, double *weight, piola_error *error);

/* Returns the number of a curve: 0 is the ramp from 0 to 1 over the duration, or 1 in a motion; those of the scene
 * follow (model_fem_loads.c). */
int32_t pio_model_curve(const pio_scene *scene, const char *name);
/* Makes curves and supports: a part of pio_model_fem_create() (model_fem_loads.c). Returns PIOLA_BAD_DATA where a
 * support holds no node, two prescribe one unknown, or the table of a curve is wrong, and the other errors of
 * pio_model_create(). */
piola_status pio_model_supports(pio_model *model, piola_error *error);
/* Checks places and supports of rings (model_rings.c): a part of pio_model_fem_create(). Returns PIOLA_BAD_DATA at a
 * node of negative radius, or on the axis and not held along x there. */
piola_status pio_model_rings(pio_model *model, piola_error *error);
/* Checks the designs of a model, of rings: none moves a node of the axis along x. Returns PIOLA_BAD_DATA where one
 * does. */
piola_status pio_model_rings_designs(const pio_model *model, piola_error *error);
/* Warns of elements that lock (model_locking.c): a part of pio_model_fem_create(). Returns PIOLA_BAD_DATA at a body
 * whose dilatation is to be projected and has no element with a use for it. */
piola_status pio_model_locking(pio_model *model, piola_error *error);

/* Lists the outer faces at `on` of a body; the caller frees out->item. `use` says why they must be outer ones. Returns
 * PIOLA_BAD_DATA at the scene's key `path` if there are none, or PIOLA_NO_MEMORY (model_fem_loads.c). */
piola_status pio_model_faces(const pio_model *model, const char *path, const char *body, const scene_where *on,
                             const char *use, pio_face_list *out, piola_error *error);
/* Makes ties: a part of pio_model_fem_create(), between supports and values that vary (model_tie.c). Returns
 * PIOLA_BAD_DATA where a face has no other opposite, or a node is tied twice, or constrained and tied; PIOLA_NO_MEMORY
 * or PIOLA_INTERRUPTED. */
piola_status pio_model_ties(pio_model *model, piola_error *error);

/* Checks that bodies are thicker than the distance from which obstacles push them (model_contact_width.c). Returns
 * PIOLA_BAD_DATA at the scene's key if one is not. */
piola_status pio_model_contact_widths(const pio_model *model, piola_error *error);
/* Lists the outer faces where the scene has obstacles: a part of pio_model_fem_create() (model_contact.c). Returns
 * PIOLA_NO_MEMORY without memory for them, and the errors of pio_model_contact_widths(). */
piola_status pio_model_contacts(pio_model *model, piola_error *error);
/* Frees them. */
void pio_model_contacts_free(pio_model_fem *fem);
/* Makes loads: a part of pio_model_fem_create() (model_fem_loads.c). Returns PIOLA_BAD_DATA where a load acts on
 * nothing, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_model_loads(pio_model *model, piola_error *error);
/* Makes the programs of values that vary, and the lists of what has them (model_vary.c): a part of
 * pio_model_fem_create(), after supports and loads. Returns PIOLA_NO_MEMORY without memory for them. */
piola_status pio_model_vary(pio_model *model, piola_error *error);
/* Frees what the former has made. */
void pio_model_vary_free(pio_model_fem *fem);
/* A part of pio_model_vary(): values of elements that vary (model_vary_elements.c). Returns PIOLA_BAD_DATA where an
 * element's value is beyond its range, or PIOLA_NO_MEMORY. */
piola_status pio_model_vary_elements(pio_model *model, piola_error *error);
/* A part of pio_model_vary(), once all is known that varies (model_vary_finite.c). Returns PIOLA_BAD_DATA where the
 * value of a load, a support or an initial state is not finite, or PIOLA_INTERRUPTED. */
piola_status pio_model_vary_finite(const pio_model *model, piola_error *error);
/* Writes the coordinates of a place, m, into out[size]: (0.1, 2), in space three (model_vary_finite.c). */
void pio_model_place(const pio_model *model, const double x[3], char *out, size_t size);
/* Makes the list of items first .. end-1 of values that vary. Returns PIOLA_NO_MEMORY without memory for it. */
piola_status pio_model_vary_items(pio_vary_desc *vary, int64_t first, int64_t end, piola_error *error);
/* Returns PIOLA_BAD_DATA where an element's thermal strain is -1 or below, or not finite; once all values of elements
 * are known. */
piola_status pio_model_heat(const pio_model *model, piola_error *error);
/* Sets integrator, masses, initial state and damping of a motion (model_fem_motion.c). Returns PIOLA_NO_MEMORY without
 * memory for them. */
piola_status pio_model_motion(pio_model *model, piola_error *error);

/* Returns the weights [nodes] of nodes in the mean over the elements of a body, or of a channel of channel [elements],
 * less that over others, as an input of a network has them: by the elements' volumes at the start, each spread evenly
 * over its nodes. The caller frees them; NULL with the error set without memory (model_sense.c). */
double *pio_model_sense(const pio_model *model, const pio_input_desc *of, const int32_t *channel, piola_error *error);

/* Sets index [elements], of nodal quantities [nodes], to the group of each that a design path governs, else -1. Returns
 * the number of groups (model_fem_design.c). */
int32_t pio_model_fem_groups(const pio_model *model, const scene_path *path, scene_per per, int32_t *index);
/* Returns the weight of every unknown in an observation, [nodes][dim], which the caller frees; NULL with *status and
 * the error set on failure (model_weights.c). */
double *pio_model_weights(const pio_model *model, size_t observation, piola_status *status, piola_error *error);

#endif
