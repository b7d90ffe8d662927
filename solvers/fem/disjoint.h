/* disjoint.h -- disjoint sets of the numbers 0 .. n-1: a forest in an array (union-find).
 *
 * parent[i] is the parent of i, a root its own; two numbers are in one set when they have the same root. Begin with
 * parent[i] = i. */
#ifndef PIOLA_SOLVERS_DISJOINT_H
#define PIOLA_SOLVERS_DISJOINT_H

/* The root of the set of i. Shortens the path that it walks, by which no root changes. */
int pio_disjoint_root(int *parent, int i);

/* The sets of a and b become one, whose root is that of b. */
void pio_disjoint_join(int *parent, int a, int b);

#endif
