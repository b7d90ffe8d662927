/* fem_rigid.h -- rigid motions of bodies and of their parts, those that supports leave free, and text about them. */
#ifndef PIOLA_SOLVERS_FEM_RIGID_H
#define PIOLA_SOLVERS_FEM_RIGID_H

#include "solvers/fem/fem.h"

enum { MOTIONS = DIM == 3 ? 6 : 3 }; /* number of independent rigid motions */

/* A body, or a part of one, that is taken as rigid. Its motions are those of fem_rigid.c about its middle, rotations in
 * units of 1/size. */
typedef struct {
    double middle[DIM], size;     /* m; size: largest distance of a node from the middle along an axis */
    int64_t nodes;                /* number of its nodes */
    double RtR[MOTIONS][MOTIONS]; /* R^T R, where each row of R is the component of the motions along a support */
} fem_body;

/* Sets a row of R: the components along d [3] of the motions at X, m (fem_rigid.c). */
void fem_motion_row(const fem_body *b, const double *X, const double *d, double row[MOTIONS]);
/* Adds R^T R of supports and springs: node i belongs to bodies[of[i]], a face to the body of its element, or, where
 * of_element is NULL, of its first node. */
void fem_support_rows(const pio_fem_desc *m, const int *of, const int *of_element, fem_body *bodies);
/* Diagonalises a symmetric matrix A; the columns of V become its eigenvectors. */
void fem_diagonalise(double A[MOTIONS][MOTIONS], double V[MOTIONS][MOTIONS]);
/* Returns the number of motions that the supports leave free, which are the orthonormal rows of `motion`. RtR is
 * overwritten. */
int fem_free_motions(fem_body *b, double motion[MOTIONS][MOTIONS]);

/* A text that grows. */
typedef struct {
    char *text;        /* [size] */
    size_t size, used; /* bytes: capacity, length so far */
} fem_words;

/* Appends formatted text; what does not fit is cut off. */
void fem_say(fem_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a position [DIM], m, such as "(0, 1)". */
void fem_say_place(fem_words *w, const double *x);
/* Appends n motions, such as "from moving along x and from rotating about (0, 1)". `motion` is left in another
 * basis. */
void fem_say_motions(fem_words *w, const fem_body *b, double motion[MOTIONS][MOTIONS], int n);

/* Returns whether a loop is to stop before its item i; `interrupted` is polled at every 1024th. */
static inline int fem_stops(const char *(*interrupted)(void), int64_t i)
{
    return (i & 1023) == 1023 && interrupted && interrupted();
}

/* Returns the number of corner nodes of an element, which are its first nodes. */
static inline int fem_vertices_of(pio_element_type type)
{
    if (type == PIO_TRI3 || type == PIO_TRI6) return 3;
    return type == PIO_HEX8 || type == PIO_HEX20 || type == PIO_HEX27 ? 8 : 4;
}

/* Returns 1 if every body is one piece of elements that share two vertices or more, in 3D three, 0 if this was not
 * found, -1 without memory, -2 if `interrupted` requests to stop. `of` [n]: the first node of each node's body
 * (fem_whole.c). */
int fem_bodies_are_whole(const pio_fem_desc *m, const int *of, const char *(*interrupted)(void));

/* Returns 1 if no part of a body can turn about the nodes that it shares with others, 0 with the reason in `w` if
 * one can, -1 without memory, -2 if `interrupted` requests to stop. `of` [n]: the first node of each node's body;
 * bodies [n] at that node (fem_mechanism.c). */
int fem_check_mechanisms(const pio_fem_desc *m, const int *of, const fem_body *bodies, const char *(*interrupted)(void),
                         fem_words *w);

#endif
