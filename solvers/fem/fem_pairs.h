/* fem_pairs.h -- contact of surfaces with each other (kernels/fem/fem_pairs.h): its part of forces and of
 * explicit steps. Without such contact all of these do nothing. Which pairs are near is found anew for each
 * displacement, so that forces are a function of that alone. */
#ifndef PIOLA_SOLVERS_FEM_PAIRS_H
#define PIOLA_SOLVERS_FEM_PAIRS_H

#include "solvers/fem/fem_friction.h"

/* Checks the description of the contact and the designs of it. Returns PIOLA_BAD_DATA, and what would be right. */
piola_status fem_pairs_accept(const pio_engine_desc *desc, piola_error *error);
/* Returns the nodes of the flat pieces that a face of this type is cut into, [pieces][DIM], in the order of VTK, and
 * sets how many there are; NULL: it has none. */
const signed char *fem_pieces_of(pio_element_type type, int *pieces);
/* Lists pieces and edges of the surface, on the host, once the points of contact are numbered (fem_pairs_surface.c).
 * Returns 1, or 0 without memory. */
int fem_pairs_begin(fem_sim *f, const pio_engine_desc *desc);
/* Frees what the host has of it until the simulation is created. */
void fem_pairs_free_plan(fem_sim *f);
/* Takes its memory from the arena, or measures it: what does not depend on the room for pairs. */
void fem_pairs_layout(fem_sim *f);
/* The same for the lists of pairs and what each of them gives, scratch that each call sets before it reads it: so a
 * checkpoint does not have it, and a run goes on from there with another room. */
void fem_pairs_room_layout(fem_sim *f);
/* Returns the most items that its sums and scans are over. */
int fem_pairs_items(const fem_sim *f);
/* Uploads pieces and numbers. */
void fem_pairs_upload(fem_sim *f);

/* Puts pieces and edges into cells, by where they are on a way. */
void fem_pairs_sort(fem_sim *f, const fem_pair_way *way);
/* Lists the pairs that are near in displacement u [nodes][DIM]. */
void fem_pairs_find(fem_sim *f, const real *u);
/* Returns what the search for pairs on a way needs. */
fem_pair_near_args fem_pairs_near(const fem_sim *f, const fem_pair_way *way);
/* Returns what kernels need of the pairs that are listed, in displacement u, with what they give to their nodes. */
fem_pair_args fem_pairs_of(const fem_sim *f, const real *u, real *out);
/* Adds what the listed pairs give to their nodes, [room][FEM_PAIR_NODES][DIM], to out [nodes][DIM]. */
void fem_pairs_add(fem_sim *f, const real *in, real *out);

/* Adds dPhi/du in displacement u [nodes][DIM], N, and where v is not NULL the friction at velocities v, to out
 * (fem_pairs_forces.c, as its adjoint). */
void fem_pairs_forces(fem_sim *f, const real *u, const real *v, real *out);
/* Its adjoint with cotangents y of these forces, as fem_internal_adj(); friction is that at fem_slip_velocity(). */
void fem_pairs_forces_adj(fem_sim *f, const real *u, const real *y, fem_friction_bars bar);
/* Adds what they give to cotangents of rest positions, areas, K and h, in the arrays of fem_sim_pairs, to these. */
void fem_pairs_parameters_adj(fem_sim *f);
/* Zeroes the cotangents of K and h, at the beginning of an adjoint sweep. */
void fem_pairs_adj_begin(fem_sim *f);
/* Copies the value of a design of K or h to where it is used, or with `back` its cotangent into `value`. */
void fem_pairs_design(fem_sim *f, pio_quantity quantity, double *value, int back);
/* Returns whether a quantity is one of these. */
static inline int fem_is_of_pairs(pio_quantity quantity)
{
    return quantity == PIO_PAIR_STIFFNESS || quantity == PIO_PAIR_DISTANCE;
}

/* Lowers the first component of out [nodes][DIM] to the least distance of the pairs of each node in u, m. */
void fem_pairs_gaps(fem_sim *f, const real *u, real *out);

/* ---- implicit steps (fem_pairs_matrix.c) ---- */

/* Takes the memory of the matrix's part from the arena, or measures it. */
void fem_pairs_matrix_layout(fem_sim *f);
/* Adds Phi in displacement u, J, to *energy, device memory; at least 1e300 where surfaces touch. */
void fem_pairs_potential(fem_sim *f, const real *u, double *energy);
/* Adds the forces that fem_pairs_forces() has found last to out. */
void fem_pairs_pressed(fem_sim *f, real *out);
/* Sets d^2 Phi/du^2 in displacement u, with the derivative of friction, `projected` without what is negative or has no
 * potential: adds what is on the matrix's diagonal to
 * the blocks of points, and leaves the rest to fem_pairs_beside(), until pairs are listed anew of another u. */
void fem_pairs_blocks(fem_sim *f, const real *u, int projected);
/* Returns what of it is beside the matrix. */
bsr_beside fem_pairs_beside(const fem_sim *f);
/* Lowers *limit, device memory, to the key (contact_key) of the part of `scale` du by which u may change, if it is
 * below 1, see CONTACT_KEPT. */
void fem_pairs_limit(fem_sim *f, const real *u, const real *du, double scale, uint64_t *limit);

/* Checks the start, and begins the counts. Returns PIOLA_NUMERICAL with nodes and distance if
 * surfaces touch, pass through each other, or are nearer at rest within one body than the contact's distance; the
 * errors of fem_pairs_check(). */
piola_status fem_pairs_start(fem_sim *f, piola_error *error);
/* Returns PIOLA_NUMERICAL with nodes and bodies if one lies within another one in the current state, PIOLA_NO_MEMORY
 * or PIOLA_UNAVAILABLE (fem_pairs_inside.c). */
piola_status fem_pairs_inside(fem_sim *f, piola_error *error);

/* The deepest point of a body in another. */
typedef struct {
    int node, body, other; /* its node, or -1; its body; the one that it is in */
    double depth;          /* m from that one's surface */
} fem_pairs_depth;

/* Returns that of bodies a and b in each other in the current state; its node is -1 where none is, where they are one,
 * and without host memory (fem_pairs_inside.c). */
fem_pairs_depth fem_pairs_deepest(fem_sim *f, int a, int b);
/* Returns PIOLA_NUMERICAL with nodes, bodies and distance of the nearest pair that is listed in u [nodes][DIM], of one
 * body where `own`; PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE (fem_pairs_fault.c). */
piola_status fem_pairs_too_near(fem_sim *f, const real *u, int own, const char *right, piola_error *error);
/* Returns PIOLA_NUMERICAL with nodes, bodies and depth of the edge that passes through a face by this key, see
 * fem_pair_cross_args; PIOLA_UNAVAILABLE. */
piola_status fem_pairs_crossing(fem_sim *f, uint64_t key, piola_error *error);
/* Counts what is within reach in the current state. */
void fem_pairs_count(fem_sim *f);
/* Checks an explicit step of h s that has led to the current state; a fault is found by fem_check_fault(). */
void fem_pairs_leaped(fem_sim *f, double h);
/* Returns PIOLA_NO_MEMORY with the number that would do if there were more pairs than there is room for, or
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_pairs_check(fem_sim *f, piola_error *error);
/* Adds its part to the report of contact. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_pairs_report(fem_sim *f, pio_contact_report *report, piola_error *error);

#endif
