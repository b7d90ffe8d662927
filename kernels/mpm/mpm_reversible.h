/* mpm_reversible.h -- the particle state of the reversible integrator, whose steps are reversed to the bit: numbers
 * on lattices, and what is added to them.
 *
 * Every stage of a step adds to one number a function of the others, rounded to the lattice by Q, so that its inverse
 * subtracts the same number again (Levesque and Verlet 1993). With h the time step, dx the spacing and d the
 * dimension:
 *
 *     number         quantum                  count per particle             range
 *     x              dx 2^-bits               d                              the grid
 *     v              (dx/h) 2^-60             d                              |h v/dx| <= 1
 *     l = ln J       2^-50                    1                              |l| <= 64
 *     Fbar           2^-48                    d d, solids                    |Fbar_ij| < 2^10
 *     residual bits                           d, where motion is damped
 *
 * F = exp(l/d) Fbar, det Fbar = 1. In these units h v/dx moves a place by v 2^(bits - 60), which is a shift. A particle
 * takes 56 bytes in 3D and 40 in 2D, a solid 72 and 32 more, damping 24 and 16 more. In the dual build a number is the
 * real one, and Q the identity: so it is differentiated. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_H

#include "kernels/mpm/mpm_reversible_args.h"
#include "kernels/base/lattice.h"
#include "kernels/mpm/mpm.h"

/* Returns Q(x), the whole number of quanta nearest to x, |x| < 2^63; in the dual build x itself. */
PIO_FN quanta quanta_of(wide x)
{
#ifdef PIO_DUAL
    return x;
#else
    return lattice_of(x, 1);
#endif
}

/* Returns the number that k quanta represent, `per_unit` of them being 1. */
PIO_FN wide quanta_value(quanta k, wide per_unit)
{
    return W(k) / per_unit;
}

/* ---- places ----------------------------------------------------------------------------------------------- */

/* Returns the quanta of a place per spacing, 2^bits. */
PIO_FN wide quanta_of_place(int bits)
{
    return W((int64_t)1 << bits);
}

/* Returns the base node of x along its axis, floor(x/dx - 1/2). */
PIO_FN int place_base(int bits, quanta x)
{
#ifdef PIO_DUAL
    return (int)floor(x / quanta_of_place(bits) - W(0.5));
#else
    return (int)((x - ((int64_t)1 << (bits - 1))) >> bits);
#endif
}

/* Returns the place, in quanta from node 0, of an offset from this base node. */
PIO_FN quanta place_at(int bits, int base, real offset)
{
#ifdef PIO_DUAL
    return (W(base) + offset) * quanta_of_place(bits);
#else
    return ((int64_t)base << bits) + quanta_of(W(offset) * quanta_of_place(bits));
#endif
}

/* Returns the offset of x from its base node in units of the spacing, in [1/2, 3/2). In f32 it may round up to 3/2,
 * which is harmless for the weights. */
PIO_FN real place_offset(int bits, quanta x, int base)
{
#ifdef PIO_DUAL
    return x / quanta_of_place(bits) - W(base);
#else
    return R(lattice_value(x - ((int64_t)base << bits), quanta_of_place(bits)));
#endif
}

/* Returns h v, the increment of a position in its quanta, of v in those of velocities: v 2^(bits - 60), rounded. */
PIO_FN quanta place_increment(int bits, quanta v)
{
#ifdef PIO_DUAL
    return v * quanta_of_place(bits) / QUANTA_OF_SPEED;
#else
    const int down = 60 - bits;
    return (v + ((int64_t)1 << (down - 1))) >> down;
#endif
}

/* ---- velocities ------------------------------------------------------------------------------------------- */

/* Returns the quantum of velocities, (dx/h) 2^-60, m/s. */
PIO_FN wide speed_unit(const mpm_box *box, const mpm_step *step)
{
    return W(box->dx) / W(step->h) / QUANTA_OF_SPEED;
}

/* Returns the number nearest to v in the range |v| <= 2^60 quanta; 0 for NaN. */
PIO_FN wide speed_within(wide v)
{
    if (!(fabs(v) <= QUANTA_OF_SPEED)) return v > W(0) ? QUANTA_OF_SPEED : v < W(0) ? -QUANTA_OF_SPEED : W(0);
    return v;
}

/* Returns the velocity of v quanta, m/s: one product, so that every kernel rounds it alike. */
PIO_FN real speed_value(quanta v, wide unit)
{
    return R(W(v) * unit);
}

/* ---- damping with residual bits (Maclaurin, Duvenaud, Adams 2015, Proc. ICML 37, 2113, algorithm 3) ----------
 *
 * v is multiplied by gamma = n/d, d = 2^14:   v = q d + r  becomes  v' = q n + (k mod n)  with  k = kept d + r,
 * and k div n is the new residual `kept`. So v' is gamma v up to less than d quanta, and no bit is lost: the residual
 * grows by log2(d/n) bits. It must stay below 2^49, see mpm_log_residuals. n changes from step to step, so that gamma
 * is the wanted factor on average. */

/* Returns v' of v, with 0 < n <= 2^DAMPING_BITS, and replaces its residual by the new one. */
PIO_FN quanta damped(quanta v, int64_t n, uint64_t *kept)
{
#ifdef PIO_DUAL
    (void)kept;
    return v * W(n) / W((int64_t)1 << DAMPING_BITS);
#else
    const uint64_t k = *kept << DAMPING_BITS | ((uint64_t)v & (((uint64_t)1 << DAMPING_BITS) - 1));
    *kept = k / (uint64_t)n;
    return (v >> DAMPING_BITS) * n + (int64_t)(k % (uint64_t)n);
#endif
}

/* Returns v of v', the inverse of damped() with the same n, and replaces its residual by the one before. */
PIO_FN quanta undamped(quanta v, int64_t n, uint64_t *kept)
{
#ifdef PIO_DUAL
    (void)kept;
    return v * W((int64_t)1 << DAMPING_BITS) / W(n);
#else
    const int64_t q = v / n - (v % n < 0);
    const uint64_t k = *kept * (uint64_t)n + (uint64_t)(v - q * n);
    *kept = k >> DAMPING_BITS;
    return (int64_t)((uint64_t)q << DAMPING_BITS | (k & (((uint64_t)1 << DAMPING_BITS) - 1)));
#endif
}

/* Moves the low 32 bits of residual i into the log, or with a negative sign back. */
PIO_FN void mpm_log_residuals(int i, const mpm_log_residuals_args *a)
{
    if (a->sign < 0) {
        a->kept[i] = a->kept[i] << 32 | a->log[i];
        return;
    }
    if (a->log) a->log[i] = (uint32_t)a->kept[i];
    a->kept[i] >>= 32;
}

/* ---- deformation ------------------------------------------------------------------------------------------ */

/* Sets F = exp(l/d) Fbar of stored particle p, or J = exp(l) of a fluid: products without sums, so that every kernel
 * rounds them alike. */
PIO_FN void lattice_strain(const mpm_lattice *t, int law, int p, const mpm_state *out)
{
    const real l = R(quanta_value(t->l[p], QUANTA_OF_LOG));
    if (law_is_fluid(law)) {
        out->J[p] = exp(l);
        return;
    }
    const real s = exp(l * R(1.0 / DIM));
    PIO_UNROLL
    for (int c = 0; c < DIM * DIM; c++) {
        const ptrdiff_t at = field_at(t->n, DIM * DIM, c, p);
        out->F[at] = s * R(quanta_value(t->F[at], QUANTA_OF_FBAR));
    }
}

/* ---- a state to the lattice, and from it -------------------------------------------------------------------- */

/* Sets l = Q(ln det F) and Fbar = Q(det^(-1/d) F) of stored particle p, det F > 0, or l = Q(ln J) of a fluid. */
PIO_FN void lattice_round_strain(const mpm_lattice_round_args *a, int p)
{
    const mpm_lattice *t = &a->t;
    if (law_is_fluid(a->law[a->s.id[p]])) {
        t->l[p] = quanta_of(W(real_log(a->s.J[p])) * QUANTA_OF_LOG);
        return;
    }
    const mat F = mat_load(a->s.F, t->n, p);
    const real l = real_log(mat_det(F, mat_cofactor(F)));
    const mat Fbar = mat_scale(exp(l * R(-1.0 / DIM)), F);
    t->l[p] = quanta_of(W(l) * QUANTA_OF_LOG);
    PIO_UNROLL
    for (int c = 0; c < DIM * DIM; c++)
        t->F[field_at(t->n, DIM * DIM, c, p)] = quanta_of(W(Fbar.m[c / DIM][c % DIM]) * QUANTA_OF_FBAR);
}

/* Rounds position, velocity and deformation of stored particle p to the lattice, and clears its residuals of damping. A
 * velocity out of range is a fault, and becomes the nearest in it. */
PIO_FN void mpm_lattice_round(int p, const mpm_lattice_round_args *a)
{
    const mpm_lattice *t = &a->t;
    const wide per = W(a->step->h) / W(a->box.dx) * QUANTA_OF_SPEED;
    int base[DIM], fault = -1;
    node_index(&a->box, a->s.cell[p], base);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = field_at(t->n, DIM, c, p);
        const wide v = W(a->s.velocity[at]) * per;
        const int in_range = fabs(v) <= QUANTA_OF_SPEED;
        if (!in_range) fault = v - v >= 0 ? FAULT_CFL : FAULT_NOT_FINITE;
        t->v[at] = quanta_of(speed_within(v));
        t->x[at] = place_at(t->bits, base[c], a->s.offset[at]);
        if (t->kept) t->kept[at] = 0;
    }
    lattice_round_strain(a, p);
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->s.id[p], fault));
}

/* Sets number, position, velocity and deformation of particle p as floats. */
PIO_FN void mpm_lattice_read(int p, const mpm_lattice_read_args *a)
{
    const mpm_lattice *t = &a->t;
    const wide unit = speed_unit(&a->box, a->step);
    int cell = 0;
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = field_at(t->n, DIM, c, p);
        const int base = place_base(t->bits, t->x[at]);
        cell += node_step(&a->box, c, base);
        a->out.offset[at] = place_offset(t->bits, t->x[at], base);
        a->out.velocity[at] = speed_value(t->v[at], unit);
    }
    a->out.id[p] = p;
    a->out.cell[p] = cell;
    lattice_strain(t, a->law[p], p, &a->out);
}

/* ---- x += Q(h v), and its adjoint v_bar += (h/dx) f_bar; sign < 0: reversed --------------------------------- */

/* Sets place, cell and offset of particle p after x += sign Q(h v). One that leaves the grid or moves by more than a
 * cell stays where it is; the fault says so. */
PIO_FN void mpm_drift(int p, const mpm_drift_args *a)
{
    const int bits = a->t.bits;
    int base[DIM], cell = 0, fault = -1;
    node_index(&a->box, a->from[p], base);
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = field_at(a->t.n, DIM, c, p);
        const quanta x = a->x[at], increment = place_increment(bits, a->v[at]);
        quanta y = x + (a->sign < 0 ? -increment : increment);
        int b = place_base(bits, y);
        if (fabs(quanta_value(increment, quanta_of_place(bits))) > W(a->step->cfl)) fault = FAULT_CFL;
        if (b < 0 || b > a->box.nodes[c] - 3) {
            if (fault < 0) fault = FAULT_LEFT_GRID;
            y = x;
            b = base[c];
        }
        cell += node_step(&a->box, c, b);
        a->offset[at] = place_offset(bits, y, b);
        if (a->next_x) a->next_x[at] = y;
    }
    a->cell[p] = cell;
    if (fault >= 0) atomic_min_u64(&a->step->fault, fault_key(a->step->index, a->id[p], fault));
}

/* Adjoint of mpm_drift for particle p: v_bar += (h/dx) f_bar. */
PIO_FN void mpm_drift_adj(int p, const mpm_drift_adj_args *a)
{
    const vec f_bar = vec_load(a->offset_bar, a->n, p), v_bar = vec_load(a->velocity_bar, a->n, p);
    vec_store(a->velocity_bar, a->n, p, vec_axpby(R(1), v_bar, a->step->h * a->inv_dx, f_bar));
}

#endif
