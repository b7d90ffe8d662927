/* fem_case_pairs.h -- meshes whose surfaces touch each other: two blocks, one above the other; a ring with a gap. */
#ifndef PIOLA_TESTS_FEM_CASE_PAIRS_H
#define PIOLA_TESTS_FEM_CASE_PAIRS_H

#include "tests/solvers/fem/fem_case.h"

/* What a place of the box 0..1 belongs to. */
enum { PAIR_LOWER, PAIR_UPPER };

/* A box of this many cells along the other axes and of five along the second, whose middle row is left out, so that
 * there are two bodies; before matter is given. Linear elements alone. */
void fem_case_blocks(fem_case *c, fem_grid grid);
/* Returns the body of a node. */
int fem_case_body(const fem_case *c, int node);
/* All outer faces touch each other, with these numbers; room: for so many pairs. */
void fem_case_pairs(fem_case *c, double stiffness, double distance, int itself, int room);
/* Returns how many edges of outer faces, in 2D faces, pass through an outer face in the current state, each tried with
 * each; of linear elements. */
int fem_case_crossings(const fem_case *c, pio_sim *sim);
/* A map to a ring about the origin of radii near 1 and 1.3, whose ends are about 0.08 apart near (1, 0). */
void fem_case_ring(const double s[3], double x[3]);
/* Sets initial displacements that bring the ends of that ring nearer by `by` m. */
void fem_case_close_ring(fem_case *c, double by);

#endif
