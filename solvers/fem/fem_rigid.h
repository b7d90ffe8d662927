/* fem_rigid.h -- rigid motions of bodies and of parts of them, what supports leave of them, and words for it. */
#ifndef PIOLA_SOLVERS_FEM_RIGID_H
#define PIOLA_SOLVERS_FEM_RIGID_H

#include "solvers/fem/fem.h"

enum { MOTIONS = DIM == 3 ? 6 : 3 };

/* Something rigid. Its motions are those of fem_rigid.c about its middle, rotations in units of 1/size. */
typedef struct {
    double middle[DIM], size; /* m; size: largest distance of a node from the middle along an axis */
    int64_t nodes;
    double RtR[MOTIONS][MOTIONS]; /* of its supports */
} fem_body;

/* fem_rigid.c: a row of R, the component along d [3] of the motions at X. */
void fem_motion_row(const fem_body *b, const double *X, const double *d, double row[MOTIONS]);
/* Add R^T R of supports and springs: node i belongs to bodies[of[i]], a face to that of its element, or (NULL) of its
 * first node. */
void fem_support_rows(const pio_fem_desc *m, const int *of, const int *of_element, fem_body *bodies);
/* A becomes diagonal, the columns of V its eigenvectors. */
void fem_diagonalise(double A[MOTIONS][MOTIONS], double V[MOTIONS][MOTIONS]);
/* Motions that the supports leave free, orthonormal rows; how many. RtR is used up. */
int fem_free_motions(fem_body *b, double motion[MOTIONS][MOTIONS]);

typedef struct {
    char *text;
    size_t size, used;
} fem_words;

void fem_say(fem_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fem_say_place(fem_words *w, const double *x);
/* "from moving along x and from turning about (0, 1)", of n motions, which come back combined otherwise */
void fem_say_motions(fem_words *w, const fem_body *b, double motion[MOTIONS][MOTIONS], int n);

/* Is a loop to stop before its item i? Asks at every 1024th. */
static inline int fem_stops(const char *(*interrupted)(void), int64_t i)
{
    return (i & 1023) == 1023 && interrupted && interrupted();
}

/* Corners of an element, its first nodes. */
static inline int fem_vertices_of(pio_element_type type)
{
    if (type == PIO_TRI3 || type == PIO_TRI6) return 3;
    return type == PIO_HEX8 || type == PIO_HEX27 ? 8 : 4;
}

/* fem_whole.c: 1 when every body is one piece, of elements that share two vertices or more, in 3D three; 0 when that
 * was not found,
 * -1 without memory, -2 when `interrupted` says to stop. `of` [n]: the first node of each node's body. */
int fem_bodies_are_whole(const pio_fem_desc *m, const int *of, const char *(*interrupted)(void));

/* fem_hinge.c: 1 when no part of a body turns about what it shares with others, 0 and why when one does, -1 without
 * memory, -2 when `interrupted` says to stop. `of` [n]: the first node of each node's body; bodies [n] at that node. */
int fem_check_hinges(const pio_fem_desc *m, const int *of, const fem_body *bodies, const char *(*interrupted)(void),
                     fem_words *w);

#endif
