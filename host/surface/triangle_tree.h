/* triangle_tree.h -- the distance from the nearest triangle of a surface, found by a tree of boxes. */
#ifndef PIOLA_HOST_TRIANGLE_TREE_H
#define PIOLA_HOST_TRIANGLE_TREE_H

#include "host/surface/surface_mesh.h"

typedef struct pio_triangle_tree pio_triangle_tree;

/* Builds the tree; the surface must remain valid as long as *out. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
piola_status pio_triangle_tree_create(pio_triangle_tree **out, const pio_trimesh *surface, piola_error *error);
/* Frees `tree`, which may be NULL. */
void pio_triangle_tree_free(pio_triangle_tree *tree);
/* Returns the distance of x (m) from the nearest triangle, >= 0, m. */
double pio_triangle_tree_distance(const pio_triangle_tree *tree, const double x[3]);

#endif
