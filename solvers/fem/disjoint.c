/* disjoint.c -- see disjoint.h. */
#include "solvers/fem/disjoint.h"

int pio_disjoint_root(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

void pio_disjoint_join(int *parent, int a, int b)
{
    parent[pio_disjoint_root(parent, a)] = pio_disjoint_root(parent, b);
}
