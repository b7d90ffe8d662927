/* mesh_tie_rows.h -- private to host/mesh: rows of weights of tied nodes, and what those do that supports have. */
#ifndef PIOLA_HOST_MESH_TIE_ROWS_H
#define PIOLA_HOST_MESH_TIE_ROWS_H

#include "host/mesh/mesh_project.h"
#include "host/mesh/mesh_tie.h"

#define PIO_TIE_BENT 0.2 /* what corners of tri6 and quad8 have of the middles of their edges */

/* A contribution to the weight of a master. */
typedef struct pio_tie_term {
    int32_t row, master, order; /* number of the tied node; node of the other mesh; contributions before it */
    double value;
} pio_tie_term;

/* Contributions, in any order. */
typedef struct pio_tie_terms {
    pio_tie_term *v; /* [n] */
    int32_t n, room;
} pio_tie_terms;

/* What is known of the nodes of tied faces, which have numbers from 0 on. */
typedef struct pio_tying {
    pio_mesh_surface *tied, *to; /* [n_tied], [n_to] */
    int n_tied, n_to;
    double gap;                 /* m */
    const char *fixed;          /* [nodes of the other mesh] bits of axes along which they are fixed, or NULL */
    int32_t rows, *row;         /* number of tied nodes; [nodes of the tied mesh] the number of each, or -1 */
    char *support, *end;        /* [rows] bits of axes; 1: it follows the place that is nearest to it */
    double *size;               /* [rows] D_a, m^2, in 2D m */
    int32_t (*edge)[2];         /* [rows] corners of the edge of tri6 or quad8 whose middle it is, or -1 */
    int32_t *face_start, *face; /* [rows + 1] where the tied faces of each begin; their numbers */
    int32_t *seen, *queue;      /* [rows] of a search */
    pio_tie_terms terms;
    pio_mesh_ties pure, nearest, part; /* rows of v by the mortar method; rows of u of ends; what ends leave, by D_c */
} pio_tying;

/* Adds a contribution. Returns whether there was memory. */
bool pio_tie_add(pio_tie_terms *t, int32_t row, int32_t master, double value);
/* Sets rows to the sums of all contributions, divided by `size` [rows] unless that is NULL, and removes them. Returns
 * whether there was memory. */
bool pio_tie_gather(pio_tie_terms *t, const double *size, int32_t rows, pio_mesh_ties *out);
/* Computes the rows of u from `pure` and, where nodes are ends, from `nearest`. Returns PIOLA_BAD_DATA, with the end in
 * *alone, where no node can take its part; PIOLA_NO_MEMORY. */
piola_status pio_tie_rows(pio_tying *t, pio_mesh_ties *out, int32_t *alone);
/* Makes ends of nodes whose supports contradict what they follow in `rows`; returns how many. */
int32_t pio_tie_new_ends(pio_tying *t, const pio_mesh_ties *rows);

#endif
