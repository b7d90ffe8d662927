/* mesh_tie.h -- which nodes of one mesh follow which nodes of another, where two meshes that do not match touch. */
#ifndef PIOLA_HOST_MESH_TIE_H
#define PIOLA_HOST_MESH_TIE_H

#include "host/mesh/mesh.h"

/* The nodes of the tied faces, ascending, and the nodes of the other mesh that each follows. */
typedef struct pio_mesh_ties {
    int32_t n;       /* number of tied nodes */
    int32_t *node;   /* [n] */
    int32_t *start;  /* [n + 1] where the masters of each begin */
    int32_t *master; /* [start[n]] nodes of the other mesh, ascending for each */
    double *weight;  /* [start[n]] whose sum is 1 for each */
} pio_mesh_ties;

/* Faces of a mesh. */
typedef struct pio_mesh_side {
    const pio_mesh *mesh;
    const pio_face_list *faces;
    const char *support; /* [n_nodes] bits of axes: of the tied side along which a support has the node, of the other
                            along which it is fixed; NULL: none is */
} pio_mesh_side;

/* Why faces cannot be tied. */
typedef enum pio_mesh_tie_reason {
    PIO_TIE_OPEN,  /* a part of a face, or a node, is farther than the gap from the other side */
    PIO_TIE_TWICE, /* a part of a face has two of the other side opposite */
    PIO_TIE_ALONE, /* a node whose support contradicts what it follows has no other that can take its part */
} pio_mesh_tie_reason;

/* Where and why faces cannot be tied. */
typedef struct pio_mesh_tie_fault {
    pio_mesh_tie_reason reason;
    double x[3];    /* m */
    double overlap; /* of PIO_TIE_OPEN, where x is inside the other mesh: distance from x to its faces, m; or 0 */
} pio_mesh_tie_fault;

/* Ties the nodes of the faces of one side to those of another, by the mortar method with dual functions (Wohlmuth 2000;
 * Puso 2004): with functions psi_a that are biorthogonal to the shape functions N_b of the tied faces,
 *
 *     u_a = sum_k (M_ak/D_a) u_k,   D_a = int N_a dA,   M_ak = int psi_a N_k dA,
 *
 * integrated where faces of both sides lie on each other, along the normal of the tied face. A stress that is constant
 * passes from one mesh to the other without change. A node c with a support along an axis along which not all that it
 * would follow is fixed follows the place that is nearest to it, which a support may have, too, and the nearest nodes a
 * whose supports allow it, n_c of them, take its part:
 *
 *     u_a = sum_k (M_ak + sum_c (M_ck - D_c N_k(x_c))/n_c)/D_a u_k
 *
 * which keeps linear functions and uniform stresses. Fails with PIOLA_BAD_DATA, and *fault says where and why, for
 * instance where faces are farther than `gap` (m) from the other side; PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_mesh_tie(pio_mesh_ties *out, pio_mesh_side tied, pio_mesh_side to, double gap,
                          pio_mesh_tie_fault *fault, piola_error *error);
/* Frees what ties hold. */
void pio_mesh_ties_free(pio_mesh_ties *ties);

#endif
