/* mpm_reversible_move.h -- kick and strain, by which nodes change a particle of the reversible integrator, and their
 * adjoints:
 *
 *     kick     v  <- gamma v + Q(h a),   a = sum_i w_ip a_i + g + stiffness dx walls(x)
 *     strain   l  <- l + Q(ln det A'),   Fbar <- A Fbar,   A' = I + h sum_i V_i (grad w_ip)^T,   A = A'/det^(1/d) A'
 *
 * One kernel has both signs, so that it subtracts exactly what it added: two kernels may be contracted differently. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_MOVE_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_MOVE_H

#include "kernels/mpm/mpm_reversible_move_args.h"
#include "kernels/mpm/mpm_reversible_shear.h"
#include "kernels/mpm/mpm_reversible_transfer.h"

/* ---- penalty walls: a particle in the wall by d gets the acceleration `stiffness` dx r(d) out of it
 * ------------------ */

/* Depth over which a wall eases in, in units of the spacing, so that no state gets a kink where a particle enters a
 * step sooner or later: were r = d, its slope by the design would jump there by h^2 stiffness. */
#define WALL_EASE R(0.5)

/* Returns r of the depth d into a wall, both in units of the spacing: 0 outside, d^2/(2 w) up to w = WALL_EASE, d - w/2
 * beyond. */
PIO_FN real wall_ease(real d)
{
    if (!(d > R(0))) return R(0);
    return d < WALL_EASE ? d * d / (R(2) * WALL_EASE) : d - WALL_EASE / R(2);
}

/* Returns dr/dd: 0 outside, d/w up to w, 1 beyond. */
PIO_FN real wall_ease_slope(real d)
{
    if (!(d > R(0))) return R(0);
    return d < WALL_EASE ? d / WALL_EASE : R(1);
}

/* Returns the sum of r, positive into the box, over the walls at both faces of an axis, for a particle at base + f. */
PIO_FN real wall_push(const mpm_box *box, int axis, int base, real f)
{
    real push = R(0);
    if (box->wall[axis][0] == PIO_WALL_PENALTY) push += wall_ease(R(box->face[axis][0] - base) - f);
    if (box->wall[axis][1] == PIO_WALL_PENALTY) push -= wall_ease(f - R(box->face[axis][1] - base));
    return push;
}

/* Returns the derivative of wall_push by f, which is 0 or negative. */
PIO_FN real wall_push_slope(const mpm_box *box, int axis, int base, real f)
{
    real slope = R(0);
    if (box->wall[axis][0] == PIO_WALL_PENALTY) slope -= wall_ease_slope(R(box->face[axis][0] - base) - f);
    if (box->wall[axis][1] == PIO_WALL_PENALTY) slope -= wall_ease_slope(f - R(box->face[axis][1] - base));
    return slope;
}

/* ---- kick -------------------------------------------------------------------------------------------------------- */

typedef struct {
    node_vectors y;
} mpm_kick_shared;

/* Returns the acceleration a of a particle, m/s^2, by the formula at the head; y has a_i of its block's tile, in
 * which its cell is at place `at`. It has one body on a CPU, which could lay the two signs into loops of their own. */
PIO_SHARED_FN vec kick_acceleration(const mpm_kick_args *a, const node_vectors *y, int at, const int base[DIM], vec f)
{
    const spline w = spline_at(f);
    vec r = stencil_mean(y, at, &w);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        r.x[c] += a->step->gravity[c] + a->stiffness * a->box.dx * wall_push(&a->box, c, base[c], f.x[c]);
    return r;
}

/* Kicks stored particle p, or reverses the kick: v <- gamma v + Q(h a). A number out of range is a fault, and becomes
 * the nearest in it. */
PIO_FN void kick_particle(const mpm_kick_args *a, const mpm_kick_shared *sh, int p)
{
    const mpm_lattice *t = &a->t;
    const int place = tile_cell_of(&a->s, p);
    int base[DIM];
    node_index(&a->box, a->s.cell[p], base);
    const vec acceleration = kick_acceleration(a, &sh->y, place, base, vec_load(a->s.offset, t->n, p));
    const wide h = W(a->step->h), gain = h * h / W(a->box.dx) * QUANTA_OF_SPEED, unit = speed_unit(&a->box, a->step);
    int fault = -1;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = field_at(t->n, DIM, c, p);
        const wide more = W(acceleration.x[c]) * gain;
        const int fits = fabs(more) <= QUANTA_OF_SPEED;
        const quanta q = quanta_of(speed_within(more));
        uint64_t kept = t->kept ? t->kept[at] : 0;
        quanta v = t->v[at];
        if (a->sign > 0 && t->kept) v = damped(v, a->damping, &kept);
        v += a->sign < 0 ? -q : q;
        if (a->sign < 0 && t->kept) v = undamped(v, a->damping, &kept);
        if (!fits || !(fabs(W(v)) <= QUANTA_OF_SPEED)) {
            if (fault < 0) fault = FAULT_CFL;
            if (!(more - more >= 0)) fault = FAULT_NOT_FINITE;
            v = quanta_of(speed_within(W(v)));
        }
        if (a->next_v) a->next_v[at] = v;
        if (a->keep && t->kept) t->kept[at] = kept;
        a->velocity[at] = speed_value(v, unit);
    }
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->s.id[p], fault));
}

/* Kicks the particles of occupied block number `slot`, or with a negative sign reverses the kick. */
PIO_FN void mpm_kick(int slot, mpm_kick_shared *sh, const mpm_kick_args *a)
{
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int first = a->l.start[place.node], end = a->l.start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(a->mean, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, end - first) kick_particle(a, sh, a->l.order[first + j]);
}

typedef struct {
    node_vectors y;
    team_cells cells;
    vector_batch t;
    tile_sums tile;
} mpm_kick_adj_shared;

/* Adjoint of kick_particle for stored particle p: replaces the cotangent of its velocity, adds to that of its offset,
 * and stores a_bar as entry j of the batch, as mpm_kick_adj_args says. */
PIO_FN void kick_particle_adj(const mpm_kick_adj_args *b, mpm_kick_adj_shared *sh, int j, int p)
{
    const mpm_kick_args *a = &b->fwd;
    const int n = a->t.n;
    int base[DIM];
    node_index(&a->box, a->s.cell[p], base);
    const vec f = vec_load(a->s.offset, n, p), v_bar = vec_load(b->velocity_bar, n, p);
    const vec a_bar = vec_scale(a->step->h, v_bar);
    const spline w = spline_at(f);
    vec f_bar = stencil_slope(&sh->y, NULL, tile_cell_of(&a->s, p), R(0), &w, a_bar, mat_diag(R(0)));
    PIO_UNROLL
    for (int c = 0; c < DIM; c++)
        f_bar.x[c] += wall_push_slope(&a->box, c, base[c], f.x[c]) * a->stiffness * a->box.dx * a_bar.x[c];
    vec_store(b->offset_bar, n, p, vec_axpby(R(1), vec_load(b->offset_bar, n, p), R(1), f_bar));
    vec_store(b->velocity_bar, n, p, vec_scale(b->gamma, v_bar));
    vector_put(&sh->t, j, f, a_bar, R(0));
}

/* Replaces the cotangents of the velocities of occupied block number `slot`, adds those of the offsets, and sets its
 * contribution to those of the accelerations. */
PIO_FN void mpm_kick_adj(int slot, mpm_kick_adj_shared *sh, const mpm_kick_adj_args *b)
{
    const mpm_kick_args *a = &b->fwd;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch batch;
    batch.cell = 0;
    tile_load(sh->y.y, node_field_of(a->mean, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        batch = team_batch_at(&sh->cells, cells, first, batch.cell);
        LANES (j, batch.m) kick_particle_adj(b, sh, j, a->l.order[first + j]);
        TEAM_SYNC();
        vector_spread(&sh->t, &sh->cells, &batch, 0, &sh->tile);
    }
    tile_store(&sh->tile, b->sums, slot);
}

/* Returns the term of particle p in dJ/dg of one component, h v'_bar. */
PIO_FN wide mpm_kick_gravity(int p, const mpm_kick_gravity_args *a)
{
    return W(a->step->h) * W(a->velocity_bar[field_at(a->n, DIM, a->component, p)]);
}

/* ---- strain ------------------------------------------------------------------------------------------------------ */

typedef mpm_kick_shared mpm_strain_shared;

/* Sets the increments of l and Fbar of a particle with offset f in the cell at place `at` of the tile y, ln det A'
 * and the shears of A, from D = A' - I with `scale` h/dx; returns a fault, or -1. A fluid has no shears. It has one
 * body on a CPU, as above. */
PIO_SHARED_FN int strain_of(const node_vectors *y, int at, vec f, real scale, int fluid, real *log_det, shears *by)
{
    const spline w = spline_at(f);
    const mat D = mat_scale(scale, stencil_gradient(y, at, &w));
    const real e = det_less_one(D);
    if (!(e > R(-1))) return is_finite(e) ? FAULT_INVERTED : FAULT_NOT_FINITE;
    *log_det = log_of_one_and(e);
    return fluid || shears_of(unimodular_less_one(D, e, *log_det), by) ? -1 : FAULT_PIVOT;
}

/* Replaces Fbar of stored particle p by A Fbar, or with a negative sign by A^-1 Fbar; returns 0 where a number is out
 * of range. */
PIO_FN int strain_rows(const mpm_lattice *t, int p, const shears *by, int sign)
{
    quanta F[DIM][DIM];
    PIO_UNROLL
    for (int c = 0; c < DIM * DIM; c++) F[c / DIM][c % DIM] = t->F[field_at(t->n, DIM * DIM, c, p)];
    const int in_range = shear_all(F, by, sign);
    PIO_UNROLL
    for (int c = 0; c < DIM * DIM; c++) t->F[field_at(t->n, DIM * DIM, c, p)] = F[c / DIM][c % DIM];
    return in_range;
}

/* Strains stored particle p, or reverses the strain: l <- l + Q(ln det A'), Fbar <- A Fbar; then sets its F or J. */
PIO_FN void strain_particle(const mpm_strain_args *a, const mpm_strain_shared *sh, int p)
{
    const mpm_lattice *t = &a->t;
    const int id = a->s.id[p], law = a->law[id], fluid = law_is_fluid(law), at = tile_cell_of(&a->s, p);
    real log_det = R(0);
    shears by;
    int fault = strain_of(&sh->y, at, vec_load(a->s.offset, t->n, p), a->step->h * a->box.inv_dx, fluid, &log_det, &by);
    if (fault < 0) {
        const quanta q = quanta_of(W(log_det) * QUANTA_OF_LOG), l = t->l[p] + (a->sign < 0 ? -q : q);
        if (!(fabs(W(l)) <= W(LOG_MOST) * QUANTA_OF_LOG))
            fault = FAULT_RANGE;
        else
            t->l[p] = l;
        if (fault < 0 && !fluid && !strain_rows(t, p, &by, a->sign)) fault = FAULT_RANGE;
    }
    lattice_strain(t, law, p, &a->s);
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, id, fault));
}

/* Strains the particles of occupied block number `slot`, or with a negative sign reverses the strain. */
PIO_FN void mpm_strain(int slot, mpm_strain_shared *sh, const mpm_strain_args *a)
{
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int first = a->l.start[place.node], end = a->l.start[place.node + BLOCK_NODES];
    tile_load(sh->y.y, node_field_of(a->mean, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    TEAM_SYNC();
    LANES (j, end - first) strain_particle(a, sh, a->l.order[first + j]);
}

typedef struct {
    node_vectors y;
    team_cells cells;
    gradient_batch t;
    tile_sums tile;
} mpm_strain_adj_shared;

/* Adjoint of strain_particle for stored particle p: replaces the cotangent of its F or J, adds to that of its offset,
 * and stores K as entry j of the batch, as mpm_strain_adj_args says. */
PIO_FN void strain_particle_adj(const mpm_strain_adj_args *b, mpm_strain_adj_shared *sh, int j, int p)
{
    const mpm_strain_args *a = &b->fwd;
    const int n = a->t.n, at = tile_cell_of(&a->s, p);
    const vec f = vec_load(a->s.offset, n, p);
    const spline w = spline_at(f);
    const real scale = a->step->h * a->box.inv_dx;
    const mat A = mat_axpby(R(1), mat_diag(R(1)), scale, stencil_gradient(&sh->y, at, &w));
    mat K;
    if (law_is_fluid(a->law[a->s.id[p]])) {
        const mat cof = mat_cofactor(A);
        const real J_bar = b->bar.J[p];
        K = mat_scale(scale * a->s.J[p] * J_bar, cof);
        b->bar.J[p] = mat_det(A, cof) * J_bar;
    } else {
        const mat F_bar = mat_load(b->bar.F, n, p);
        K = mat_scale(scale, mat_mul_t(F_bar, mat_load(a->s.F, n, p)));
        mat_store(b->bar.F, n, p, mat_t_mul(A, F_bar));
    }
    const vec f_bar = stencil_bend(&sh->y, NULL, at, R(0), &w, K);
    vec_store(b->bar.offset, n, p, vec_axpby(R(1), vec_load(b->bar.offset, n, p), R(1), f_bar));
    gradient_put(&sh->t, j, f, K, R(0));
}

/* Replaces the cotangents of the deformations of occupied block number `slot`, adds those of the offsets, and sets its
 * contribution to those of the node velocities. */
PIO_FN void mpm_strain_adj(int slot, mpm_strain_adj_shared *sh, const mpm_strain_adj_args *b)
{
    const mpm_strain_args *a = &b->fwd;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch batch;
    batch.cell = 0;
    tile_load(sh->y.y, node_field_of(a->mean, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        batch = team_batch_at(&sh->cells, cells, first, batch.cell);
        LANES (j, batch.m) strain_particle_adj(b, sh, j, a->l.order[first + j]);
        TEAM_SYNC();
        gradient_spread(&sh->t, &sh->cells, &batch, 0, &sh->tile);
    }
    tile_store(&sh->tile, b->sums, slot);
}

#endif
