/* kernel_wrong_adjoints.h -- wrong adjoints, as someone could write them: the harness must say no to each. */
#ifndef PIOLA_TESTS_KERNEL_WRONG_ADJOINTS_H
#define PIOLA_TESTS_KERNEL_WRONG_ADJOINTS_H

#include "kernels/fem/fem_solid.h"
#include "kernels/mpm/mpm_sort.h"
#include "kernels/backend/table.h"

#include <stdlib.h>

static inline int grid_adj_without_walls(pio_stream s, int n, const int *limit, const mpm_grid_adj_args *args)
{
    mpm_grid_adj_args a = *args;
    for (int c = 0; c < DIM; c++) a.fwd.box.face[c][0] = -1, a.fwd.box.face[c][1] = a.fwd.box.nodes[c];
    return pio_backend_cpu.kernels.mpm_grid_adj(s, n, limit, &a);
}

/* What ghosts have and get is not folded onto their mirrors: as if the ghosts of every wall were not active. */
static inline int grid_adj_without_ghosts(pio_stream s, int n, const int *limit, const mpm_grid_adj_args *args)
{
    mpm_grid_adj_args a = *args;
    const mpm_box *box = &a.fwd.box;
    uint64_t *active = calloc((size_t)a.fwd.nodes / BLOCK_NODES, sizeof *active);
    if (!active) return 1;
    for (int node = 0; node < a.fwd.nodes; node++) {
        int index[DIM], ghost = 0;
        node_index(box, node, index);
        for (int c = 0; c < DIM; c++) ghost |= index[c] == box->face[c][0] - 1 || index[c] == box->face[c][1] + 1;
        if (!ghost && node_is_active(&args->fwd.l, node))
            active[node / BLOCK_NODES] |= UINT64_C(1) << node % BLOCK_NODES;
    }
    a.fwd.l.active = active;
    const int rc = pio_backend_cpu.kernels.mpm_grid_adj(s, n, limit, &a);
    free(active);
    return rc;
}

/* The stress term is too large by 1e-6. */
static inline int p2g_adj_with_another_volume(pio_stream s, int n, const int *limit, const mpm_p2g_adj_args *args)
{
    mpm_p2g_adj_args a = *args;
    real *volume = malloc(sizeof *volume * (size_t)a.matter.n);
    if (!volume) return 1;
    for (int i = 0; i < a.matter.n; i++) volume[i] = a.matter.volume[i] * R(1 + 1e-6);
    a.matter.volume = volume;
    const int rc = pio_backend_cpu.kernels.mpm_p2g_adj(s, n, limit, &a);
    free(volume);
    return rc;
}

/* J' = det G J is forgotten for fluids; the solids are right. */
static inline int g2p_adj_without_fluids(pio_stream s, int n, const int *limit, const mpm_g2p_adj_args *args)
{
    mpm_g2p_adj_args a = *args;
    real *zero = calloc((size_t)a.matter.n, sizeof *zero);
    if (!zero) return 1;
    a.next_bar.J = zero;
    const int rc = pio_backend_cpu.kernels.mpm_g2p_adj(s, n, limit, &a);
    free(zero);
    return rc;
}

/* What the differences of volume, and mass, do to contact is not passed on. */
static inline int contact_volume_adj_forgotten(pio_stream s, int n, const int *limit,
                                               const mpm_contact_volume_adj_args *args)
{
    (void)s, (void)n, (void)limit, (void)args;
    return 0;
}

/* The mass under a velocity without forces is taken as fixed. */
static inline int quotient_adj_with_fixed_mass(pio_stream s, int n, const int *limit, const mpm_quotient_adj_args *args)
{
    mpm_quotient_adj_args a = *args;
    real *other = calloc(field_size(a.nodes, DIM + 1), sizeof *other);
    if (!other) return 1;
    a.node_bar = other;
    const int rc = pio_backend_cpu.kernels.mpm_quotient_adj(s, n, limit, &a);
    free(other);
    return rc;
}

/* The force of penalty walls does not change with the place. */
static inline int kick_adj_without_walls(pio_stream s, int n, const int *limit, const mpm_kick_adj_args *args)
{
    mpm_kick_adj_args a = *args;
    a.fwd.stiffness = R(0);
    return pio_backend_cpu.kernels.mpm_kick_adj(s, n, limit, &a);
}

/* The mass that means are divided by is taken as fixed. */
static inline int node_mean_adj_with_fixed_mass(pio_stream s, int n, const int *limit,
                                                const mpm_node_mean_adj_args *args)
{
    const int rc = pio_backend_cpu.kernels.mpm_node_mean_adj(s, n, limit, args);
    for (int i = 0; i < args->nodes; i++) args->node_bar[field_at(args->nodes, DIM + 1, 0, i)] = R(0);
    return rc;
}

static inline int observe_adj_with_the_wrong_mass(pio_stream s, int n, const int *limit,
                                                  const mpm_observe_adj_args *args)
{
    mpm_observe_adj_args a = *args;
    wide nothing = 0;
    a.sum = &nothing; /* d(1/M)/dm is lost */
    return pio_backend_cpu.kernels.mpm_observe_adj(s, n, limit, &a);
}

/* M = (P : L) I - (grad u)^T dP - L^T P: the last term is forgotten. */
static inline int force_adj_without_a_term(pio_stream s, int n, const int *limit, const fem_force_adj_args *args)
{
    const fem_force_args *a = &args->fwd;
    const int nodes = a->b.rule.nodes, rc = pio_backend_cpu.kernels.fem_force_adj(s, n, limit, args);
    for (int i = 0; i < n; i++)
        for (int q = 0; q < a->b.rule.points; q++) {
            const int e = a->b.first + i;
            const fem_point p = fem_point_at(&a->b, i, q);
            const mat P =
                hyper_P(a->m.law[e], fem_deformation(a->m.law[e], &a->b, i, &p, a->u), fem_constants_of(&a->m, e));
            real *out = args->rest_bar + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
            fem_element_add(out, nodes, &p, mat_t_mul(fem_gradient(&a->b, i, &p, args->y), P));
        }
    return rc;
}

/* The area of a face that is moved stays what it was. */
static inline int face_adj_with_a_fixed_area(pio_stream s, int n, const int *limit, const fem_face_adj_args *args)
{
    const int nodes = args->fwd.rule.nodes, rc = pio_backend_cpu.kernels.fem_face_adj(s, n, limit, args);
    real *out = args->rest_bar + (ptrdiff_t)args->fwd.first_element_node * DIM;
    for (int i = 0; i < n * nodes * DIM; i++) out[i] = 0;
    return rc;
}

/* The values are those of a time that is later by 1e-6 of it. */
static inline int vary_adj_of_another_time(pio_stream s, int n, const int *limit, const fem_vary_adj_args *args)
{
    fem_vary_adj_args a = *args;
    fem_step step = *a.fwd.step;
    step.t *= 1 + 1e-6;
    a.fwd.step = &step;
    return pio_backend_cpu.kernels.fem_vary_adj(s, n, limit, &a);
}

static inline int weight_adj_without_density(pio_stream s, int n, const int *limit, const fem_weight_adj_args *args)
{
    fem_weight_adj_args a = *args;
    real *nowhere = calloc(field_size(a.fwd.m.elements, 1), sizeof *nowhere);
    if (!nowhere) return 1;
    a.density_bar = nowhere;
    const int rc = pio_backend_cpu.kernels.fem_weight_adj(s, n, limit, &a);
    free(nowhere);
    return rc;
}

#endif
