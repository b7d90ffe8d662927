/* mpm_p2g.h -- particles to grid, and its adjoint. MLS-MPM with APIC (Hu et al. 2018, eq. 29; Jiang et al. 2015):
 *
 *     A_p = m_p C_p - h V_p (4/dx^2) tau_p                                            [kg/s]
 *     m_i = sum_p w_ip m_p,    p_i = sum_p w_ip (m_p v_p + A_p (x_i - x_p))           [kg], [kg m/s]
 *
 * In units of the grid, x_i - x_p = dx (o - f): an affine field b + B o with B = dx A_p, b = m_p v_p - B f. A block
 * sums its particles, in the order of cells and ids, into the nodes of its tile; then each node sums the tiles that
 * it is in, in a fixed order. */
#ifndef PIOLA_KERNELS_MPM_P2G_H
#define PIOLA_KERNELS_MPM_P2G_H

#include "kernels/mpm/mpm_p2g_args.h"
#include "kernels/mpm/mpm_sort.h"
#include "kernels/mpm/mpm_team.h"

typedef struct {
    team_cells cells;
    spread_batch t;
    tile_sums tile;
} mpm_p2g_shared;

/* Returns the Kirchhoff stress of the law of stored particle p, Pa, which is number `id`; that of fibres is added where
 * there are any. C, 1/s, is read for fluids alone, whose viscosity needs it. The constants of the neo-Hookean law are
 * read where it is written out. */
PIO_FN mat particle_tau(const mpm_state *s, const mpm_matter *m, int p, int id, mat C)
{
    const int law = m->law[id];
    if (law_is_fluid(law)) return fluid_tau(law, s->J[p], C, matter_constants(m, id));
    const mat F = mat_load(s->F, m->n, p);
    if (law == PIO_HYPER_NEO_HOOKEAN) return mat_mul_t(neo_hookean_P(F, matter_lame_parameters(m, id)), F);
    return mat_mul_t(solid_P(law, F, matter_constants(m, id)), F);
}

/* Returns what plasticity adds to particle_tau of stored particle p, a plastic one, Pa. The stress does not depend on
 * the time step h. */
PIO_FN mat yield_tau(const mpm_state *s, const mpm_matter *m, int p, real h)
{
    const int id = s->id[p];
    const plastic_matter y = plastic_matter_of(m, id, h);
    return plastic_tau(m->plasticity[id], mat_load(s->F, m->n, p), s->e33 ? s->e33[p] : R(0), s->hardening[p], &y);
}

/* Returns the stress of the fibres of stored particle p, fibre_tau, Pa; 0 where it has none. */
PIO_FN mat activation_tau(const mpm_state *s, const mpm_matter *m, int p)
{
    const int channel = m->channel[s->id[p]];
    if (channel < 0) return mat_diag(R(0));
    return fibre_tau(mat_load(s->F, m->n, p), vec_load(m->fibre, m->channels, channel), m->activation[channel]);
}

/* Returns by what factor plastic flow has opened or packed stored particle p: its volume is det F times this. It is 1
 * for one that is not plastic. */
PIO_FN real p2g_swelling(const mpm_state *s, const mpm_matter *m, int p)
{
    const int plastic = m->plasticity ? m->plasticity[s->id[p]] : PIO_ELASTIC;
    if (plastic == PIO_ELASTIC) return R(1);
    return exp(plastic_log_volume(plastic, s->e33 ? s->e33[p] : R(0), s->hardening[p]));
}

/* Returns the viscous stress of stored particle p, a solid, Pa; 0 for fluids. eta is multiplied by the swelling, since
 * its J is that of the volume. */
PIO_FN mat solid_viscous_tau(const mpm_state *s, const mpm_matter *m, int p)
{
    const int id = s->id[p];
    if (law_is_fluid(m->law[id])) return mat_diag(R(0));
    return viscous_tau(mat_load(s->F, m->n, p), mat_load(s->C, m->n, p), m->viscosity[id] * p2g_swelling(s, m, p));
}

/* Returns 1 where yield_tau of particle number `id` is not 0: in 2D of plastic ones, in 3D of snow alone. */
PIO_FN int has_yield_tau(const mpm_matter *m, int id)
{
    return m->plasticity[id] != PIO_ELASTIC && (m->plasticity[id] == PIO_SNOW || HYPER_THIRD);
}

/* What p2g computes with, of each lane. */
typedef struct {
    PER_LANE(int, id, 1);
    PER_LANE(int, law, 1);
    PER_LANE(real, mass, 1);   /* kg */
    PER_LANE(real, volume, 1); /* m^3 */
    PER_LANE(real, k, 2);      /* the first two constants of the law */
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);        /* m/s */
    PER_LANE(real, C, DIM *DIM);   /* 1/s */
    PER_LANE(real, F, DIM *DIM);   /* where there are solids */
    PER_LANE(real, tau, DIM *DIM); /* Pa */
    PER_LANE(real, b, QUAD);       /* the affine field, kg m/s; 0 beyond DIM */
    PER_LANE(real, B, DIM *DIM);
} p2g_lanes;

/* Returns the first two constants of lane j, which are mu and lambda of the neo-Hookean law, Pa; the third is 0. */
PIO_FN law_constants p2g_lame_parameters(p2g_lanes *x, int j)
{
    law_constants k;
    k.k[2] = R(0);
    k.k[0] = x->k[0][LANE(j)];
    k.k[1] = x->k[1][LANE(j)];
    return k;
}

/* Loads the particles of a batch. */
PIO_FN void p2g_load(const mpm_state *s, const mpm_matter *m, const lane_items *t, p2g_lanes *x)
{
    lanes_load(x->f, s->offset, m->n, DIM, t);
    lanes_load(x->v, s->velocity, m->n, DIM, t);
    lanes_load(x->C, s->C, m->n, DIM * DIM, t);
    if (s->F) lanes_load(x->F, s->F, m->n, DIM * DIM, t);
    FULL_LANES(j)
    {
        const int id = s->id[t->item[LANE(j)]];
        x->id[0][LANE(j)] = id;
        x->law[0][LANE(j)] = m->law[id];
        x->mass[0][LANE(j)] = m->mass[id];
        x->volume[0][LANE(j)] = m->volume[id];
        x->k[0][LANE(j)] = m->k[field_at(m->n, m->constants, 0, id)];
        x->k[1][LANE(j)] = m->k[field_at(m->n, m->constants, 1, id)];
    }
}

/* Adds `more` to the stress of lane j. */
PIO_FN void p2g_add(p2g_lanes *x, int j, mat more)
{
    lane_mat_put(x->tau, j, mat_axpby(R(1), lane_mat(x->tau, j), R(1), more));
}

/* Sets the stress of the lanes: neo-Hookean in all of them, and then those of other laws and what is added to it, one
 * after the other; h is the time step, s. */
PIO_FN void p2g_stress(const mpm_state *s, const mpm_matter *m, real h, const lane_items *t, p2g_lanes *x)
{
    if (s->F) {
        FULL_LANES(j)
        {
            const mat F = lane_mat(x->F, j);
            lane_mat_put(x->tau, j, mat_mul_t(neo_hookean_P(F, p2g_lame_parameters(x, j)), F));
        }
    }
    LANES (j, t->m) {
        if (x->law[0][LANE(j)] == PIO_HYPER_NEO_HOOKEAN) continue;
        lane_mat_put(x->tau, j, particle_tau(s, m, t->item[LANE(j)], x->id[0][LANE(j)], lane_mat(x->C, j)));
    }
    if (m->channel) {
        LANES (j, t->m) p2g_add(x, j, activation_tau(s, m, t->item[LANE(j)]));
    }
    if (m->viscosity) {
        LANES (j, t->m) p2g_add(x, j, solid_viscous_tau(s, m, t->item[LANE(j)]));
    }
    if (m->plasticity) {
        LANES (j, t->m)
            if (has_yield_tau(m, x->id[0][LANE(j)])) p2g_add(x, j, yield_tau(s, m, t->item[LANE(j)], h));
    }
}

/* Sets the affine fields of the lanes: B = m dx C - h V (4/dx) tau, b = m v - B f. */
PIO_FN void p2g_field(const mpm_box *box, real h, p2g_lanes *x)
{
    const real stress = -h * R(4) * box->inv_dx, dx = box->dx;
    FULL_LANES(j)
    {
        const real mass = x->mass[0][LANE(j)];
        const mat B = mat_axpby(mass * dx, lane_mat(x->C, j), stress * x->volume[0][LANE(j)], lane_mat(x->tau, j));
        lane_mat_put(x->B, j, B);
        lane_vec_put(x->b, j, vec_axpby(mass, lane_vec(x->v, j), R(-1), mat_apply(B, lane_vec(x->f, j))));
        PIO_UNROLL
        for (int c = DIM; c < QUAD; c++) x->b[c][LANE(j)] = R(0);
    }
}

/* Sets the sums of occupied block number `slot`, sum_p w_ip m_p and sum_p w_ip (m_p v_p + A_p (x_i - x_p)). */
PIO_FN void mpm_p2g(int slot, mpm_p2g_shared *sh, const mpm_p2g_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l);
    team_batch b;
    b.cell = 0;
    tile_clear(&sh->tile);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        p2g_lanes x;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lanes_open(&t, a->l.order, first, b.m);
        p2g_load(&a->s, &a->matter, &t, &x);
        p2g_stress(&a->s, &a->matter, a->step->h, &t, &x);
        p2g_field(&a->box, a->step->h, &x);
        spread_put(&sh->t, x.mass[0], x.b, x.B);
        spread_weights(&sh->t, x.f);
        TEAM_SYNC();
        spread_add(&sh->t, &sh->cells, &b, &sh->tile);
    }
    tile_store(&sh->tile, a->sums, slot);
}

/* Sets the sums of a node, [components][nodes], over the tiles that it is in; `components` is a constant at both calls,
 * so that the compiler can unroll. */
PIO_FN void node_sum(const mpm_node_sum_args *a, int node, const int components)
{
    int index[DIM];
    quad sum = quad_zero();
    real out[QUAD];
    node_index(&a->box, node, index);
    for (int k = 0; k < 1 << DIM; k++) {
        const ptrdiff_t entry = tile_entry(&a->box, &a->l, node, index, k);
        if (entry >= 0) sum = quad_add(sum, quad_load(a->sums + QUAD * entry));
    }
    quad_store(out, sum);
    for (int c = 0; c < components; c++) a->out[field_at(a->nodes, components, c, node)] = out[c];
}

/* Sets the sums of active node i over the tiles that it is in. */
PIO_FN void mpm_node_sum(int i, const mpm_node_sum_args *a)
{
    if (a->components == DIM + 1)
        node_sum(a, a->l.node_list[i], DIM + 1);
    else
        node_sum(a, a->l.node_list[i], DIM);
}

/* ---- adjoint: a block reads the cotangents of its tile; each particle adds to its own ----------------------------
 *     b_bar = sum_o w_o p_bar_o,  B_bar = sum_o w_o p_bar_o o^T - b_bar f^T
 *     v_bar += m b_bar;  C_bar += m dx B_bar;  tau_bar = -h V (4/dx) B_bar
 *     m_bar += sum_o w_o m_bar_o + b_bar . v + dx B_bar : C
 *     f_bar += slope(p_bar, m_bar; b, B) - B^T b_bar */

typedef struct {
    team_cells cells;
    real z[1][TILE_NODES]; /* m_bar */
    node_vectors y;        /* p_bar */
} mpm_p2g_adj_shared;

/* The cotangents of each lane. */
typedef struct {
    PER_LANE(real, b, DIM);
    PER_LANE(real, B, DIM *DIM);
    PER_LANE(real, f, DIM);
    PER_LANE(real, v, DIM);
    PER_LANE(real, C, DIM *DIM);
    PER_LANE(real, F, DIM *DIM); /* where there are solids */
    PER_LANE(real, tau, DIM *DIM);
    PER_LANE(real, k, 2);
    PER_LANE(real, mass, 1);
} p2g_bar;

/* Sets sum_o w_o p_bar_o, sum_o w_o p_bar_o o^T, the slope and sum_o w_o m_bar_o of the lanes of a batch: they begin
 * the cotangents of b, B, f and the mass. */
PIO_FN void p2g_gather(const mpm_p2g_adj_shared *sh, const team_batch *t, p2g_lanes *x, p2g_bar *bar)
{
    RUNS(r, t->runs, run_of(&sh->cells, t, OWN_LANE))
    {
        const int begin = run_begin(&sh->cells, t, r), end = run_end(&sh->cells, t, r),
                  at = sh->cells.cell[t->cell + r];
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(x->f, j));
            vec S;
            mat M;
            stencil_moments(&sh->y, at, &w, &S, &M);
            lane_vec_put(bar->b, j, S);
            lane_mat_put(bar->B, j, M);
        }
        RUN_LANES(j, begin, end)
        {
            const spline w = spline_at(lane_vec(x->f, j));
            const real mass = x->mass[0][LANE(j)];
            lane_vec_put(bar->f, j,
                         stencil_slope(&sh->y, sh->z[0], at, mass, &w, lane_vec(x->b, j), lane_mat(x->B, j)));
            bar->mass[0][LANE(j)] = stencil_scalar(sh->z[0], at, &w);
        }
    }
}

/* Sets the cotangents of the lanes that do not depend on the law. */
PIO_FN void p2g_motion_adj(const mpm_p2g_adj_args *a, p2g_lanes *x, p2g_bar *bar)
{
    const real stress = -a->step->h * R(4) * a->box.inv_dx, dx = a->box.dx;
    FULL_LANES(j)
    {
        const vec f = lane_vec(x->f, j), v = lane_vec(x->v, j), b_bar = lane_vec(bar->b, j);
        const mat C = lane_mat(x->C, j), B = lane_mat(x->B, j);
        const mat B_bar = mat_axpby(R(1), lane_mat(bar->B, j), R(-1), mat_outer(b_bar, f));
        const real mass = x->mass[0][LANE(j)];
        lane_vec_put(bar->f, j, vec_axpby(R(1), lane_vec(bar->f, j), R(-1), mat_t_apply(B, b_bar)));
        lane_vec_put(bar->v, j, vec_scale(mass, b_bar));
        lane_mat_put(bar->C, j, mat_scale(mass * dx, B_bar));
        lane_mat_put(bar->tau, j, mat_scale(stress * x->volume[0][LANE(j)], B_bar));
        bar->mass[0][LANE(j)] += vec_dot(b_bar, v) + dx * mat_ddot(B_bar, C);
    }
}

/* Adjoint of particle_tau in the lanes, neo-Hookean in all of them: sets the cotangents of F and of the constants. */
PIO_FN void p2g_neo_hookean_adj(p2g_lanes *x, p2g_bar *bar)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j);
        const law_constants k = p2g_lame_parameters(x, j);
        law_constants k_bar;
        k_bar.k[0] = k_bar.k[1] = R(0);
        lane_mat_put(bar->F, j, neo_hookean_tau_adj(F, k, neo_hookean_P(F, k), lane_mat(bar->tau, j), &k_bar));
        bar->k[0][LANE(j)] = k_bar.k[0];
        bar->k[1][LANE(j)] = k_bar.k[1];
    }
}

/* Adjoint of particle_tau for lane j, whose law is another: sets the cotangent of F or adds to those of J and C, and
 * adds to those of its constants. */
PIO_FN void p2g_law_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar, int j)
{
    const int n = a->matter.n, p = t->item[LANE(j)], id = x->id[0][LANE(j)], law = x->law[0][LANE(j)];
    const hyper_constants k = matter_constants(&a->matter, id);
    const mat tau_bar = lane_mat(bar->tau, j);
    hyper_constants k_bar = constants_zero();
    mat F_bar = mat_diag(R(0));
    if (law_is_fluid(law)) {
        fluid_state s, s_bar;
        s.J = a->s.J[p];
        s.C = lane_mat(x->C, j);
        s_bar.J = a->bar.J[p];
        s_bar.C = lane_mat(bar->C, j);
        fluid_tau_adj(law, s, k, tau_bar, &s_bar, &k_bar);
        a->bar.J[p] = s_bar.J;
        lane_mat_put(bar->C, j, s_bar.C);
    } else {
        const mat F = lane_mat(x->F, j);
        solid_tau_adj(law, F, k, solid_P(law, F, k), tau_bar, &F_bar, &k_bar);
    }
    if (a->s.F) lane_mat_put(bar->F, j, F_bar);
    constants_add(a->k_bar, n, a->matter.constants, id, k_bar);
}

/* Adjoint of ln p2g_swelling for stored particle p: adds to the cotangents of its hardening and e33; log_bar is dJ/d of
 * that logarithm. */
PIO_FN void p2g_swelling_adj(const mpm_p2g_adj_args *a, int p, real log_bar)
{
    const int plastic = a->matter.plasticity ? a->matter.plasticity[a->s.id[p]] : PIO_ELASTIC;
    real third_bar = R(0), a_bar = R(0);
    if (plastic == PIO_ELASTIC) return;
    plastic_log_volume_adj(plastic, log_bar, &third_bar, &a_bar);
    if (a->bar.e33) a->bar.e33[p] += third_bar;
    a->bar.hardening[p] += a_bar;
}

/* Adjoint of activation_tau for lane j: adds to the cotangent of F, and sets that of its activation. */
PIO_FN void p2g_activation_adj(const mpm_p2g_adj_args *a, p2g_lanes *x, p2g_bar *bar, int j)
{
    const int id = x->id[0][LANE(j)], channel = a->matter.channel[id];
    if (channel < 0) return;
    const vec fibre = vec_load(a->matter.fibre, a->matter.channels, channel);
    mat F_bar = lane_mat(bar->F, j);
    a->activation_bar[id] =
        fibre_tau_adj(lane_mat(x->F, j), fibre, a->matter.activation[channel], lane_mat(bar->tau, j), &F_bar);
    lane_mat_put(bar->F, j, F_bar);
}

/* Adjoint of solid_viscous_tau for lane j, which is stored particle p: adds to the cotangents of F, C and viscosity,
 * and of hardening and e33 through the swelling. */
PIO_FN void p2g_viscous_adj(const mpm_p2g_adj_args *a, int p, p2g_lanes *x, p2g_bar *bar, int j)
{
    const int id = x->id[0][LANE(j)];
    if (law_is_fluid(x->law[0][LANE(j)])) return;
    const real swelling = p2g_swelling(&a->s, &a->matter, p), eta = a->matter.viscosity[id] * swelling;
    mat F_bar = lane_mat(bar->F, j), C_bar = lane_mat(bar->C, j);
    const real eta_bar =
        viscous_tau_adj(lane_mat(x->F, j), lane_mat(x->C, j), eta, lane_mat(bar->tau, j), &F_bar, &C_bar);
    a->viscosity_bar[id] += swelling * eta_bar;
    p2g_swelling_adj(a, p, eta * eta_bar);
    lane_mat_put(bar->F, j, F_bar);
    lane_mat_put(bar->C, j, C_bar);
}

/* Adjoint of yield_tau for lane j, which is stored particle p: adds to the cotangents of F, hardening, e33 and
 * constants. */
PIO_FN void p2g_yield_adj(const mpm_p2g_adj_args *a, int p, p2g_lanes *x, p2g_bar *bar, int j)
{
    const int id = x->id[0][LANE(j)];
    if (!has_yield_tau(&a->matter, id)) return;
    const plastic_matter y = plastic_matter_of(&a->matter, id, a->step->h);
    plastic_matter y_bar = plastic_matter_zero();
    plastic_strain s, s_bar;
    s.F = lane_mat(x->F, j);
    s.third = a->s.e33 ? a->s.e33[p] : R(0);
    s.a = a->s.hardening[p];
    s_bar.F = lane_mat(bar->F, j);
    s_bar.third = a->bar.e33 ? a->bar.e33[p] : R(0);
    s_bar.a = a->bar.hardening[p];
    plastic_tau_adj(a->matter.plasticity[id], s, &y, lane_mat(bar->tau, j), &s_bar, &y_bar);
    lane_mat_put(bar->F, j, s_bar.F);
    a->bar.hardening[p] = s_bar.a;
    if (a->bar.e33) a->bar.e33[p] = s_bar.third;
    plastic_matter_add(&a->matter, id, &y_bar, a->k_bar, a->yield_bar);
}

/* Adjoint of p2g_stress: sets or adds to the cotangents of what the stress of the lanes depends on. */
PIO_FN void p2g_stress_adj(const mpm_p2g_adj_args *a, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    const int n = a->matter.n, constants = a->matter.constants;
    if (a->s.F) p2g_neo_hookean_adj(x, bar);
    LANES (j, t->m) {
        const int id = x->id[0][LANE(j)];
        if (x->law[0][LANE(j)] != PIO_HYPER_NEO_HOOKEAN) {
            p2g_law_adj(a, t, x, bar, j);
            continue;
        }
        a->k_bar[field_at(n, constants, 0, id)] += bar->k[0][LANE(j)];
        a->k_bar[field_at(n, constants, 1, id)] += bar->k[1][LANE(j)];
    }
    if (a->matter.channel) {
        LANES (j, t->m) p2g_activation_adj(a, x, bar, j);
    }
    if (a->matter.viscosity) {
        LANES (j, t->m) p2g_viscous_adj(a, t->item[LANE(j)], x, bar, j);
    }
    if (a->matter.plasticity) {
        LANES (j, t->m) p2g_yield_adj(a, t->item[LANE(j)], x, bar, j);
    }
}

/* Adds the cotangents of the particles of occupied block number `slot`. */
PIO_FN void mpm_p2g_adj(int slot, mpm_p2g_adj_shared *sh, const mpm_p2g_adj_args *a)
{
    const int cells = team_open(&sh->cells, slot, &a->l), n = a->matter.n;
    const block_place place = block_place_of(&a->box, &a->l, slot);
    team_batch b;
    b.cell = 0;
    tile_load(sh->z, node_field_of(a->node_bar, a->nodes, DIM + 1, 0, 1), &a->box, &place);
    tile_load(sh->y.y, node_field_of(a->node_bar, a->nodes, DIM + 1, 1, DIM), &a->box, &place);
    TEAM_SYNC();
    for (int first = sh->cells.start[0]; first < sh->cells.start[cells]; first += TEAM_LANES) {
        lane_items t;
        p2g_lanes x;
        p2g_bar bar;
        b = team_batch_at(&sh->cells, cells, first, b.cell);
        lanes_open(&t, a->l.order, first, b.m);
        p2g_load(&a->s, &a->matter, &t, &x);
        p2g_stress(&a->s, &a->matter, a->step->h, &t, &x);
        p2g_field(&a->box, a->step->h, &x);
        p2g_gather(sh, &b, &x, &bar);
        p2g_motion_adj(a, &x, &bar);
        p2g_stress_adj(a, &t, &x, &bar);
        lanes_add(a->bar.offset, n, DIM, &t, bar.f);
        lanes_add(a->bar.velocity, n, DIM, &t, bar.v);
        lanes_add(a->bar.C, n, DIM * DIM, &t, bar.C);
        if (a->s.F) lanes_add(a->bar.F, n, DIM * DIM, &t, bar.F);
        LANES (j, t.m) a->mass_bar[x.id[0][LANE(j)]] += bar.mass[0][LANE(j)];
    }
}

#endif
