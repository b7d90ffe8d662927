/* fem_contact_seen_args.h -- what launches pass to the kernels of fem_contact_seen.h. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_SEEN_ARGS_H
#define PIOLA_KERNELS_FEM_CONTACT_SEEN_ARGS_H

#include "kernels/fem/fem_pairs_args.h"

/* ---- between bodies ---------------------------------------------------------------------------------------------- */

/* Which pairs are seen: those of a body with another one, which may be the same. */
typedef struct {
    int body, other; /* numbers as in fem_pair_surface; other -1: any body */
} fem_pair_sides;

/* What the surfaces of the other body do to nodes of the body: one item for each pair. */
typedef struct {
    fem_pair_args fwd;    /* out: [pairs][FEM_PAIR_NODES][DIM] -dPhi/dx of nodes of the body, N; of others 0; set */
    fem_pair_sides sides; /* which pairs */
} fem_pair_push_args;

/* With y the cotangent of these forces: one item for each pair. */
typedef struct {
    fem_pair_adj_args back; /* see there; all of it is read */
    fem_pair_sides sides;   /* which pairs */
} fem_pair_push_adj_args;

/* The distance of each pair, and the least of them: one item for each pair. */
typedef struct {
    fem_pair_args fwd;    /* area and out are not read */
    fem_pair_sides sides; /* which pairs */
    real *gap;            /* [pairs] d, m; of pairs that are not seen h; set */
    uint64_t *found;      /* [2] the key (contact_key) of the least d below h, lowered; number of its pair */
} fem_pair_gap_args;

/* Adds the least distance, or h where there is no pair, to a sample: one item. */
typedef struct {
    const real *gap;       /* [pairs] d, m */
    const uint64_t *found; /* [2] of which the number is read: that of a pair, or UINT64_MAX */
    const wide *grip;      /* [PAIR_GRIP] K, h */
    double weight;         /* of the state in the sample, 1 */
    wide *sample;          /* [1] m; added to */
} fem_pair_gap_add_args;

/* Its adjoint: the pair that has the least distance. One item for each pair. */
typedef struct {
    fem_pair_args fwd;      /* area and out are not read */
    const uint64_t *found;  /* [2] of which the number is read */
    double weight;          /* of the state in the sample, 1 */
    const wide *sample_bar; /* [1] J's unit per m */
    real *x_bar;            /* [pairs][FEM_PAIR_NODES][DIM] to the cotangents of u and, the same, of X; set */
} fem_pair_gap_adj_args;

/* The same where there is no pair: one item. */
typedef struct {
    const uint64_t *found;  /* [2] of which the number is read */
    double weight;          /* of the state in the sample, 1 */
    const wide *sample_bar; /* [1] J's unit per m */
    wide *grip_bar;         /* [PAIR_GRIP] of which that of h is added to */
} fem_pair_gap_none_args;

/* ---- pressures --------------------------------------------------------------------------------------------------- */

/* Terms of sum_k w A f(|force|/A): one for each point. */
typedef struct {
    const int *node;    /* [points] node of each, each once */
    const real *area;   /* [points] A, m^2, >= 0; a point without area has no pressure */
    const real *force;  /* [nodes][DIM] of contact without friction, N */
    const real *weight; /* [nodes][DIM] w, the first of each */
    int component;      /* 0: f = (p/s0)^power, or p where power is 0; -1: f = 1 */
    double power, size; /* power and s0 > 0, Pa */
} fem_contact_pressed_args;

/* Its adjoint: one item for each point. */
typedef struct {
    fem_contact_pressed_args fwd; /* component is not read */
    const wide *sums_bar;         /* [2] cotangents of the sums of components 0 and -1 */
    real *force_bar;              /* [nodes][DIM] J's unit per N; set for nodes of points */
    real *area_bar;               /* [points] J's unit per m^2; added to */
} fem_contact_pressed_adj_args;

#endif
