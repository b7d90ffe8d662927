/* disjoint.h -- disjoint sets of the numbers 0 .. n-1: a forest in an array (union-find).
 *
 * parent[i] is the parent of i, a root its own; two numbers are in one set when they have the same root. Begin with
 * parent[i] = i. */
#ifndef PIOLA_SOLVERS_DISJOINT_H
#define PIOLA_SOLVERS_DISJOINT_H

/* Returns the root of the set of i, and shortens the path to it, which changes no root. */
int pio_disjoint_root(int *parent, int i);

/* Joins the sets of a and b, with the root of b. */
void pio_disjoint_join(int *parent, int a, int b);

#endif
