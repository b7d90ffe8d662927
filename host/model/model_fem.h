/* model_fem.h -- a scene of finite elements made ready for an engine: meshes, supports, loads as one pio_fem_desc. */
#ifndef PIOLA_HOST_MODEL_FEM_H
#define PIOLA_HOST_MODEL_FEM_H

#include "host/mesh/mesh.h"
#include "host/model/model.h"

/* Everything of the meshes; nodes and elements are numbered body after body, elements as their mesh's cells. */
struct pio_model_fem {
    pio_fem_desc desc; /* its pointers point into this */
    int bodies;
    pio_mesh *mesh;           /* [bodies] */
    int64_t *node_first;      /* [bodies + 1] */
    int64_t *element_first;   /* [bodies + 1] */
    pio_block_desc *blocks;   /* [desc.n_blocks] */
    int32_t *body, *material; /* [elements] numbers in the scene */
    double *rest, *given, *density, *thickness;
    double *alpha, *beta, *displacement, *velocity; /* of a motion */
    int32_t *law, *lame;
    pio_load_desc *loads;
    double *values;
    int32_t *held_node, *held_axis, *held_support, *support_curve, *curve_start;
    int32_t *support_first,
        *support_boundary; /* first support of a boundary's, and back: one per number of its value */
    double *support_value, *curve_t, *curve_value;
    int32_t *follows; /* [nodes], and [elements][5]: see pio_fem_desc */
    double *follow_given;
    double edge; /* shortest between corners, m: the scale of moves of nodes */
};

piola_status pio_model_fem_create(pio_model *model, piola_error *error);
void pio_model_fem_free(pio_model_fem *fem);

/* model_where.c: the box of `on`, larger by a millionth of the shortest edge: nodes are where they are to rounding. */
scene_where pio_model_box(const pio_model *model, const scene_where *on);

/* Nodes of the model that lie at `on` of a body, ascending; `path` names the scene's key in faults. */
piola_status pio_model_nodes(const pio_model *model, const char *path, const char *body, const scene_where *on,
                             pio_index_list *out, piola_error *error);

/* model_amount.c: elements of the model at `on` of a body, by its number: of a group, or those whose middle lies in the
 * box; the share of every element in an observation, [elements], as pio_model_weights; a stress of the size of the
 * moduli, Pa. */
piola_status pio_model_elements(const pio_model *model, const char *path, size_t body, const scene_where *on,
                                pio_index_list *out, piola_error *error);
double *pio_model_shares(const pio_model *model, size_t observation, piola_status *status, piola_error *error);
double pio_model_stress_size(const pio_model *model);

/* model_fem_loads.c: the parts of pio_model_fem_create. */
piola_status pio_model_supports(pio_model *model, piola_error *error);
piola_status pio_model_loads(pio_model *model, piola_error *error);
/* model_fem_motion.c: how a scene that moves begins, and its damping. */
piola_status pio_model_motion(pio_model *model, piola_error *error);

/* model_fem_design.c: group of every element (of nodal quantities: node) that a design path governs; returns the number
 * of groups. */
int32_t pio_model_fem_groups(const pio_model *model, const scene_path *path, scene_per per, int32_t *index);
/* model_weights.c: weight of every unknown in an observation, [nodes][dim]; NULL when there is no memory or *status
 * says what is wrong. */
double *pio_model_weights(const pio_model *model, size_t observation, piola_status *status, piola_error *error);

#endif
