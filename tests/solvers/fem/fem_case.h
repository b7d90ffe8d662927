/* fem_case.h -- builds meshes for the engine that a test is linked with: boxes of irregular elements of one or two
 * types, matter, loads, supports, observations and designs; runs them, and hashes what comes out. A failure of the
 * builder fails the running test. */
#ifndef PIOLA_TESTS_FEM_CASE_H
#define PIOLA_TESTS_FEM_CASE_H

#include "host/verify/taylor.h"
#include "solvers/driver/driver.h"
#include "tests/solvers/engine/sample_terms.h"
#include "tests/host/mesh/mesh_pieces.h"

enum { FEM_DIM = PIO_DIM, FEM_MOST = 32, FEM_SAMPLES = 64, FEM_VARIABLES = 1 << 14, FEM_LAWS = PIO_HYPER_HENCKY + 1 };

/* By law; those with PIO_VOLUME_QUADRATIC are beyond FEM_LAWS. */
extern const char *const fem_law_names[2 * PIO_VOLUME_QUADRATIC];
/* Returns the law after `law` in loops over these too, or 2 PIO_VOLUME_QUADRATIC. */
int fem_next_law(int law);
extern const char *const fem_type_names[PIO_ELEMENT_TYPES];
/* The element types of this dimension, linear first and the serendipity type last. */
enum { FEM_TYPES = 5 };
extern const pio_element_type fem_types[FEM_TYPES];

typedef struct {
    pio_hyper_law law;
    int parameter_form;   /* 1: the parameters are mu, lambda */
    double parameters[5]; /* as in pio_fem_desc */
    double density;       /* kg/m^3 */
} fem_material;

/* A material of this law with E or its like near `modulus` Pa, and nu = 0.3 at small strain where the law is
 * compressible. */
fem_material fem_material_of(pio_hyper_law law, double modulus);

typedef struct {
    pio_engine_desc desc;
    pio_fem_desc fem;
    int n, elements;
    int order, lines[3]; /* of nodes along each axis of the lattice */
    int *node_at;        /* [lattice] number of the node there; -1 where no element has one */
    double *rest;        /* [n][dim] */
    pio_block_desc block[2];
    int32_t *law, *parameter_form, *material;
    double *parameters, *density, *thickness;
    double *initial_displacement, *initial_velocity; /* [n][dim] of a motion */
    pio_load_desc load[FEM_MOST];
    double value[FEM_MOST][3];
    pio_contact_desc contact[FEM_MOST];
    pio_obstacle_desc obstacle[FEM_MOST];
    int32_t *constrained_node, *constrained_axis, *constrained_support;
    double *support_value;
    int32_t *support_curve;
    int32_t curve_start[FEM_MOST + 1];
    double curve_t[8 * FEM_MOST], curve_value[8 * FEM_MOST];
    pio_observation_desc observation[FEM_MOST];
    pio_sample_weight *sample_weight;
    pio_design_desc design[FEM_MOST];
    void *owned[256]; /* freed with the case */
    int n_owned;
    int samples, variables;                          /* numbers in all */
    double linear[FEM_SAMPLES], square[FEM_SAMPLES]; /* J = sum_k linear_k y_k + square_k y_k^2 / 2 */
    uint64_t random;
} fem_case;

/* Tight tolerances, one constant curve (number 0), no supports, no loads. */
void fem_case_begin(fem_case *c, double dt, int64_t steps);
void fem_case_free(fem_case *c);
double fem_case_random(fem_case *c); /* in [-1, 1), the same for every run */

/* The box 0..1 of cells, taken by `map` to where it is to be. */
typedef void (*fem_map)(const double s[3], double x[3]);
typedef struct {
    pio_element_type even, odd; /* of the elements that cells are cut into, in turn; they may be equal */
    int cells[3];               /* along each axis; in 2D the third does not count */
    fem_map map;                /* NULL: none */
    double jitter;              /* of a cell: vertices within are moved by up to this */
} fem_grid;
/* Nodes between vertices lie half-way; numbers of nodes have no order. */
void fem_case_grid(fem_case *c, fem_grid grid);
int fem_case_at(const fem_case *c, int i, int j, int k); /* node at a place of the lattice */
int fem_case_on_side(const fem_case *c, int node, int axis, int side);
/* Element e gets material e % count, and (2D) a thickness. */
void fem_case_matter(fem_case *c, const fem_material *m, int count, double thickness);

/* With inertia: initial displacements and velocities zero, to be filled; Rayleigh's damping the same in all
 * elements. */
void fem_case_motion(fem_case *c, pio_integrator integrator, int lumped, double alpha, double beta);

int fem_case_curve(fem_case *c, int points, const double *t, const double *value);
int fem_case_value(fem_case *c, double x, double y, double z);
void fem_case_load(fem_case *c, pio_load_kind kind, int axis, int side, int value, int curve);
/* The faces of a side touch obstacles; an obstacle of that shape, of this stiffness, Pa, which acts from `distance` m
 * on, to be completed. */
void fem_case_contact(fem_case *c, int axis, int side);
pio_obstacle_desc *fem_case_obstacle(fem_case *c, pio_shape_type type, double stiffness, double distance);
/* Springs at one node; a force on the elements of a block, but every fourth. */
void fem_case_springs(fem_case *c, int node, int value);
void fem_case_body_force(fem_case *c, int block, int value, int curve);
int fem_case_support(fem_case *c, double value, int curve);
void fem_case_hold(fem_case *c, int node, int axis, int support);
void fem_case_hold_side(fem_case *c, int side_axis, int side, int axis, int support);
void fem_case_clamp(fem_case *c, int side_axis, int side); /* all axes, at zero */

/* An observation with random weights in J (and of nodes); distance: every second node has a point, one is left out, of
 * several samples with weights; volume,
 * mass, strain energy and stress (p = 6): of four elements in five. */
int fem_case_observe(fem_case *c, pio_observable type, int samples);
pio_sample_weight *fem_case_sample(fem_case *c, int observation, int64_t step, int sample,
                                   double weight); /* valid until the next */
/* Makes an observation of a field one at points of elements: `elements` [n], and `xi` [n][3] in the reference element
 * of each. */
void fem_case_point(fem_case *c, int observation, int n, const int *elements, const double *xi);
/* Makes an observation of distances one of points within elements: each has three nodes, some far from each other, with
 * shape functions that sum to 1. */
void fem_case_places(fem_case *c, int observation);
/* J = displacement of one node along one axis at the end, and nothing else. */
void fem_case_observe_node(fem_case *c, int node, int axis);

typedef enum { FEM_SCALAR, FEM_GROUPS, FEM_EACH } fem_per;
/* What a variable z stands for: a + b z, or if logarithmic exp(a + b z). */
typedef struct {
    int logarithmic;
    double a, b;
} fem_transform;
static inline fem_transform fem_linear(double a, double b)
{
    return (fem_transform){0, a, b};
}
static inline fem_transform fem_logarithmic(double a, double b)
{
    return (fem_transform){1, a, b};
}
/* Of the elements of a material (-1: of all), or of all nodes; load, support: value `which`. Returns its number. */
int fem_case_design(fem_case *c, pio_quantity quantity, int material, fem_per per, fem_transform transform, int which);
/* Of two materials of density near 2.5: density of each element, and each constant that is not 0. */
void fem_case_design_matter(fem_case *c);
int fem_case_design_first(const fem_case *c, int design);
int fem_case_design_count(const fem_case *c, int design);

/* Fill the description; make the engine's copy (it must succeed). slots: states that can be saved. */
void fem_case_describe(fem_case *c, int64_t slots, int threads);
pio_sim *fem_case_create(fem_case *c, int64_t slots, int threads);
/* The same, with room for every state, at state 0; after the last step. */
pio_sim *fem_case_start(fem_case *c);
pio_sim *fem_case_solve(fem_case *c);
static inline sample_terms fem_case_terms(const fem_case *c)
{
    return (sample_terms){c->samples, c->linear, c->square};
}
/* J at z, and dJ/dz; `sample` [samples] may be NULL. */
double fem_case_forward(fem_case *c, pio_sim *sim, const double *z, double *sample);
double fem_case_gradient(fem_case *c, pio_sim *sim, pio_schedule *schedule, const double *z, double *z_bar);
/* A block clamped at one end and pulled at the other, which runs; quad9 or hex8. */
void fem_case_block(fem_case *c, pio_hyper_law law, int steps);
piola_status fem_case_try(fem_case *c, const double *z, int gradient, piola_error *error); /* create and run */

double *fem_case_read(pio_sim *sim, const char *field); /* to be freed */

int fem_case_is_f32(void);
/* Print both and fail unless |measured| <= limit (NaN fails). f32 engines: the limit is the second one. */
void fem_case_below(const char *what, double measured, double limit64, double limit32);

#define FEM_HASH_START UINT64_C(14695981039346656037)
uint64_t fem_case_hash(uint64_t hash, const void *bytes, size_t count); /* FNV-1a */
uint64_t fem_case_hash_state(pio_sim *sim);
uint64_t fem_case_hash_gradients(pio_sim *sim);

#endif
