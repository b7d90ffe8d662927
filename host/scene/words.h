/* words.h -- the words of scene files for the vocabulary of engines (solvers/engine/vocabulary.h), for those lists of
 * scene.h that more than one file needs, and for the fields of frames: words[PIO_X] stands for PIO_X, and NULL ends
 * each list. The words for laws are piola_laws (law.c). A table of keys that allows only some words names the others in
 * `without`. */
#ifndef PIOLA_HOST_WORDS_H
#define PIOLA_HOST_WORDS_H

/* How derivatives with respect to what elements have are written. */
typedef enum { SCENE_GRADIENT_PER_ELEMENT, SCENE_GRADIENT_PER_VOLUME } scene_gradient_per;
/* What frames may hold: first of particles, of which meshes have J too, then of meshes. */
typedef enum {
    SCENE_STATE_VELOCITY,
    SCENE_STATE_J,
    SCENE_STATE_F,
    SCENE_STATE_C,
    SCENE_STATE_MASS,
    SCENE_STATE_PRESSURE,
    SCENE_STATE_MATERIAL,
    SCENE_STATE_BODY,
    SCENE_STATE_HARDENING,
    SCENE_STATE_E33,
    SCENE_STATE_CAUCHY_STRESS,
    SCENE_STATE_VON_MISES,
    SCENE_STATE_GREEN_STRAIN,
    SCENE_STATE_ENERGY_DENSITY,
    SCENE_STATE_REACTION, /* the first that nodes have alone */
    SCENE_STATE_CONTACT_FORCE,
    SCENE_STATE_CONTACT_PRESSURE,
    SCENE_STATE_GAP,
    SCENE_STATES
} scene_state;

extern const char *const pio_element_words[];        /* by pio_element_type, as in pio_elements[].name */
extern const char *const pio_plastic_words[];        /* by pio_plastic_law */
extern const char *const pio_wall_words[];           /* by pio_wall */
extern const char *const pio_touch_words[];          /* by scene_touching */
extern const char *const pio_contact_model_words[];  /* by pio_contact_model */
extern const char *const pio_shape_words[];          /* by pio_shape_type */
extern const char *const pio_signal_words[];         /* by pio_signal */
extern const char *const pio_input_words[];          /* by pio_network_input */
extern const char *const pio_load_words[];           /* by pio_load_kind */
extern const char *const pio_integrator_words[];     /* by pio_integrator */
extern const char *const pio_solve_words[];          /* by pio_solve */
extern const char *const pio_product_words[];        /* by pio_product_choice */
extern const char *const pio_dilatation_words[];     /* by pio_dilatation */
extern const char *const pio_preconditioner_words[]; /* by pio_preconditioner_choice */
extern const char *const pio_projection_words[];     /* by pio_projection */
extern const char *const pio_observable_words[];     /* by pio_observable */
extern const char *const pio_observable_units[];     /* SI, "" for none; by pio_observable */
extern const char *const pio_measure_words[];        /* by pio_measure */
extern const char *const pio_method_words[];         /* by scene_method_type */
extern const char *const pio_precision_words[];      /* by scene_precision */
extern const char *const pio_jacobian_words[];       /* by pio_jacobian */
extern const char *const pio_transform_words[];      /* by scene_transform */
extern const char *const pio_interpolation_words[];  /* by pio_interpolation_type */
extern const char *const pio_per_words[];            /* by scene_per, of particles */
extern const char *const pio_mesh_per_words[];       /* by scene_per, of meshes */
extern const char *const pio_term_words[];           /* by scene_term_type */
extern const char *const pio_state_words[];          /* by scene_state */
extern const char *const pio_gradient_per_words[];   /* by scene_gradient_per */
extern const char *const pio_volume_words[];         /* of the volumetric energy, by scene_volume */
extern const char *const pio_place_words[];          /* of fields of a mesh, by the bits of pio_stress_place */

#endif
