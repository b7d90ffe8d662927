/* mpm_plastic.h -- plastic flow of particles, after mpm_g2p has stored the trial deformation F' = (I + h C') F; and its
 * adjoint.
 *
 * What a plastic particle has besides F, which is then the elastic part: `hardening` (a of plasticity.h) and in 2D
 * `e33`, the elastic Hencky strain out of the plane. mpm_g2p leaves them alone: they come from where the particle was
 * stored before.
 *
 * A team has the particles of TEAM_LANES consecutive places. Von Mises' and Drucker and Prager's laws are computed in
 * all lanes, by series; the other laws, and strains beyond the reach of these, lane by lane. What a lane computes
 * depends on its own particle alone. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_H
#define PIOLA_KERNELS_MPM_PLASTIC_H

#include "kernels/base/lanes.h"
#include "kernels/mpm/mpm_plastic_args.h"
#include "kernels/mpm/mpm.h"

/* ---- a batch ---------------------------------------------------------------------------------------------------- */

/* What lanes compute with. */
typedef struct {
    PER_LANE(int, id, 1);
    PER_LANE(int, law, 1); /* a pio_plastic_law */
    PER_LANE(real, k, 2);  /* mu, lambda, Pa */
    PER_LANE(real, y, PIO_PLASTIC_CONSTANTS);
    PER_LANE(real, F, DIM *DIM); /* trial */
    PER_LANE(real, third, 1);    /* the third elastic strain, in 2D */
    PER_LANE(real, a, 1);
    PER_LANE(real, e, DIM *DIM);
    PER_LANE(int, within, 1);  /* the series are within reach */
    PER_LANE(int, flow, 1);    /* FLOW_... */
    PER_LANE(real, to, 3);     /* (n', l', a') */
    PER_LANE(real, margin, 1); /* of plastic_outcome */
    PER_LANE(real, F_to, DIM *DIM);
    PER_LANE(real, third_to, 1);
    PER_LANE(int, deforms, 1);
} plastic_lanes;

typedef struct {
    int unused;
} mpm_plastic_shared;

/* Returns the bit of a plastic law. */
PIO_FN unsigned plastic_bit(int law)
{
    return 1u << law;
}

/* Returns the plastic laws that are computed in all lanes. */
PIO_FN unsigned plastic_lane_laws(void)
{
    return plastic_bit(PIO_VON_MISES) | plastic_bit(PIO_DRUCKER_PRAGER);
}

/* Loads the particles of a batch; returns the bits of their laws, on CUDA that of the own lane. */
PIO_FN unsigned plastic_load(const mpm_plastic_args *a, const lane_items *t, plastic_lanes *x)
{
    const mpm_matter *m = &a->matter;
    unsigned laws = 0;
    FULL_LANES(j) x->id[0][LANE(j)] = a->s.id[t->item[LANE(j)]];
    FULL_LANES(j) x->law[0][LANE(j)] = m->plasticity[x->id[0][LANE(j)]];
    FULL_LANES(j) laws |= plastic_bit(x->law[0][LANE(j)]);
    lanes_load(x->a, a->s.hardening, m->n, 1, t);
    if (a->s.e33) {
        lanes_load(x->third, a->s.e33, m->n, 1, t);
    } else {
        FULL_LANES(j) x->third[0][LANE(j)] = R(0);
    }
    if (laws == plastic_bit(PIO_ELASTIC)) return laws;
    lanes_load_places(x->F, a->next.F, m->n, DIM * DIM, t);
    const int together = numbers_together(x->id[0], TEAM_LANES, m->n);
    lanes_load_of(x->y, m->yield, m->n, PIO_PLASTIC_CONSTANTS, x->id[0], together);
    if (m->constants == 2) {
        lanes_load_of(x->k, m->k, m->n, 2, x->id[0], together);
        return laws;
    }
    FULL_LANES(j)
    {
        PIO_UNROLL
        for (int c = 0; c < 2; c++) x->k[c][LANE(j)] = m->k[field_at(m->n, m->constants, c, x->id[0][LANE(j)])];
    }
    return laws;
}

/* Returns what the law of lane j depends on; h is the time step, s. */
PIO_FN plastic_matter plastic_lane_matter(plastic_lanes *x, int j, real h)
{
    plastic_matter m;
    m.mu = x->k[0][LANE(j)];
    m.lambda = x->k[1][LANE(j)];
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) m.y[c] = x->y[c][LANE(j)];
    m.h = h;
    return m;
}

/* Returns the strain of lane j. */
PIO_FN hencky_trial plastic_lane_trial(plastic_lanes *x, int j)
{
    return hencky_trial_of(lane_mat(x->e, j), x->third[0][LANE(j)], x->a[0][LANE(j)]);
}

/* Returns (n', l', a') of lane j. */
PIO_FN plastic_point plastic_lane_to(plastic_lanes *x, int j)
{
    plastic_point r;
    r.n = x->to[0][LANE(j)];
    r.l = x->to[1][LANE(j)];
    r.a = x->to[2][LANE(j)];
    return r;
}

/* Sets the strains of the lanes, and which are within reach. */
PIO_FN void plastic_strains(plastic_lanes *x)
{
    FULL_LANES(j)
    {
        const hencky_series s = hencky_series_of(lane_mat(x->F, j));
        lane_mat_put(x->e, j, hencky_series_strain(s));
        x->within[0][LANE(j)] = hencky_in_reach(s);
    }
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        x->within[0][LANE(j)] &= trial_in_reach(t.x);
        x->to[0][LANE(j)] = t.x.n;
        x->to[1][LANE(j)] = t.x.l;
        x->to[2][LANE(j)] = t.x.a;
        x->flow[0][LANE(j)] = FLOW_ELASTIC;
        x->margin[0][LANE(j)] = R(1);
    }
}

/* Sets (n', l', a'), the outcome and its margin of the lanes of a law, a constant. */
PIO_FN void plastic_flow_lanes(const int law, plastic_lanes *x)
{
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j, R(0)); /* neither law depends on the time step */
        const hencky_trial t = plastic_lane_trial(x, j);
        const plastic_point old = plastic_lane_to(x, j);
        const int there = x->law[0][LANE(j)] == law, flow = x->flow[0][LANE(j)];
        const real margin = x->margin[0][LANE(j)];
        plastic_point to = t.x;
        const plastic_outcome w = plastic_flow(law, &to, &m);
        x->to[0][LANE(j)] = there ? to.n : old.n;
        x->to[1][LANE(j)] = there ? to.l : old.l;
        x->to[2][LANE(j)] = there ? to.a : old.a;
        x->flow[0][LANE(j)] = there ? w.branch : flow;
        x->margin[0][LANE(j)] = there ? w.margin : margin;
    }
}

/* Returns 1 where lane j is of a law that is computed in all lanes, and within reach. */
PIO_FN int plastic_in_lanes(plastic_lanes *x, int j)
{
    const int law = x->law[0][LANE(j)];
    return ((law == PIO_VON_MISES) | (law == PIO_DRUCKER_PRAGER)) & x->within[0][LANE(j)];
}

/* Computes the strains and the flow of a batch of these laws; lanes of others and beyond reach are as elastic ones.
 * Returns 1 where F of some lane changes, on CUDA of the own. */
PIO_FN int plastic_flows(unsigned laws, plastic_lanes *x)
{
    int deforms = 0;
    plastic_strains(x);
    if (laws & plastic_bit(PIO_VON_MISES)) plastic_flow_lanes(PIO_VON_MISES, x);
    if (laws & plastic_bit(PIO_DRUCKER_PRAGER)) plastic_flow_lanes(PIO_DRUCKER_PRAGER, x);
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        const int own = plastic_in_lanes(x, j) & flow_deforms(x->flow[0][LANE(j)], t.x, plastic_lane_to(x, j));
        x->deforms[0][LANE(j)] = own;
        deforms |= own;
    }
    return deforms;
}

/* Sets F and in 2D the third strain of the lanes that change. */
PIO_FN void plastic_deform(plastic_lanes *x)
{
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        const plastic_point to = plastic_lane_to(x, j);
        const real ratio = flow_ratio(x->flow[0][LANE(j)], t.x, to);
        lane_mat_put(x->F_to, j, flow_deformation(lane_mat(x->F, j), &t, ratio, to.l));
        x->third_to[0][LANE(j)] = ratio * t.last + to.l / R(3);
    }
    FULL_LANES(j) lane_mat_choose(x->F, j, x->deforms[0][LANE(j)], lane_mat(x->F_to, j));
    if (HYPER_THIRD) {
        FULL_LANES(j)
        {
            const real old = x->third[0][LANE(j)], to = x->third_to[0][LANE(j)];
            x->third[0][LANE(j)] = x->deforms[0][LANE(j)] ? to : old;
        }
    }
}

/* ---- lane by lane ----------------------------------------------------------------------------------------------- */

/* Lowers the fault where hardened snow is too stiff for the time step: waves in it are faster by the root of its
 * hardening. */
PIO_FN void plastic_check_wave(const mpm_plastic_args *a, int id, real hardening, const plastic_matter *m)
{
    const real modulus = law_wave_modulus(a->matter.law[id], matter_constants(&a->matter, id));
    const real density = a->matter.mass[id] / a->matter.volume[id];
    const real cfl = a->step->h * a->inv_dx * sqrt(snow_hardening(hardening, m) * modulus / density);
    if (!(cfl <= a->step->cfl)) atomic_min_u64(&a->step->fault, fault_key(a->step->index, id, FAULT_HARDENED));
}

/* Maps the trial deformation of lane j back to the elastic domain. */
PIO_FN void plastic_one(const mpm_plastic_args *a, plastic_lanes *x, int j)
{
    const int law = x->law[0][LANE(j)];
    const plastic_matter m = plastic_lane_matter(x, j, a->step->h);
    mat F = lane_mat(x->F, j);
    real third = x->third[0][LANE(j)], hardening = x->a[0][LANE(j)];
    const plastic_outcome w =
        law == PIO_SNOW ? snow_map(&F, &hardening, &m) : hencky_map(law, &F, &third, &hardening, &m);
    lane_mat_put(x->F, j, F);
    x->third[0][LANE(j)] = third;
    x->a[0][LANE(j)] = hardening;
    x->margin[0][LANE(j)] = w.margin;
    if (law == PIO_SNOW) plastic_check_wave(a, x->id[0][LANE(j)], hardening, &m);
}

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

/* Opens the batch of a team, that of the places from TEAM_LANES times its number on; returns how many these are, 0 or
 * less where there are none. */
PIO_FN int plastic_open(lane_items *t, int team, const mpm_plastic_args *a)
{
    const int first = team * TEAM_LANES, left = a->step->particles - first;
    if (left <= 0) return 0;
    lanes_open(t, a->order, a->matter.n, first, left < TEAM_LANES ? left : TEAM_LANES);
    return t->m;
}

/* Counts the lanes of a batch that came near a change of branch. */
PIO_FN void plastic_count_near(const mpm_plastic_args *a, const lane_items *t, plastic_lanes *x)
{
    int near = 0;
    LANES (j, t->m) near += (x->law[0][LANE(j)] != PIO_ELASTIC) & (x->margin[0][LANE(j)] < plastic_near());
    if (near) atomic_add_u64(a->near, (uint64_t)near);
}

/* Maps the trial deformation of the particles of a team in the new state back to the elastic domain, and carries the
 * hardening of others along. */
PIO_FN void mpm_plastic(int team, mpm_plastic_shared *sh, const mpm_plastic_args *a)
{
    const int n = a->matter.n;
    plastic_lanes all, *x = &all;
    lane_items t;
    (void)sh;
    if (!plastic_open(&t, team, a)) return;
    const unsigned laws = plastic_load(a, &t, x);
    if (laws != plastic_bit(PIO_ELASTIC)) {
        int changes = 0;
        FULL_LANES(j) x->within[0][LANE(j)] = 0;
        if (laws & plastic_lane_laws()) {
            changes = plastic_flows(laws, x);
            if (changes) plastic_deform(x);
            FULL_LANES(j)
            {
                const real old = x->a[0][LANE(j)], to = x->to[2][LANE(j)];
                x->a[0][LANE(j)] = plastic_in_lanes(x, j) ? to : old;
            }
        }
        LANES (j, t.m) {
            if (x->law[0][LANE(j)] == PIO_ELASTIC || plastic_in_lanes(x, j)) continue;
            plastic_one(a, x, j);
            changes = 1;
        }
        if (changes) lanes_store_places(a->next.F, n, DIM * DIM, &t, x->F);
        if (a->near) plastic_count_near(a, &t, x);
    }
    lanes_store_places(a->next.hardening, n, 1, &t, x->a);
    if (a->next.e33) lanes_store_places(a->next.e33, n, 1, &t, x->third);
}

/* ---- adjoint: of F' in place; of hardening and e33 where the particle lay before -------------------------------- */

/* The cotangents of each lane. */
typedef struct {
    PER_LANE(real, F, DIM *DIM);
    PER_LANE(real, third, 1);
    PER_LANE(real, a, 1);
    PER_LANE(real, F_to, DIM *DIM); /* of F at constant strain, and then of F */
    PER_LANE(real, e, DIM *DIM);
    PER_LANE(real, third_to, 1);
    PER_LANE(real, ratio, 1);
    PER_LANE(real, l, 1); /* of l' - l in F' */
    PER_LANE(real, x, 3); /* of (n', l', a'), and then of (n, l, a) */
    PER_LANE(real, k, 2);
    PER_LANE(real, y, PIO_PLASTIC_CONSTANTS);
} plastic_bar;

typedef struct {
    int unused;
} mpm_plastic_adj_shared;

/* Adjoint of plastic_deform: sets the cotangents of F and d at constant (n', l', a'), and of those. */
PIO_FN void plastic_deform_adj(plastic_lanes *x, plastic_bar *bar)
{
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        const plastic_point to = plastic_lane_to(x, j);
        const real ratio = flow_ratio(x->flow[0][LANE(j)], t.x, to), third_bar = bar->third[0][LANE(j)];
        const flow_bar r = flow_deformation_adj(lane_mat(x->F, j), &t, ratio, to.l, lane_mat(bar->F, j), third_bar);
        lane_mat_put(bar->F_to, j, r.F);
        lane_mat_put(bar->e, j, r.e);
        bar->third_to[0][LANE(j)] = r.third;
        bar->ratio[0][LANE(j)] = r.ratio;
        bar->l[0][LANE(j)] = r.x.l;
    }
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        const real n = t.x.n > R(0) ? t.x.n : R(1), ratio_bar = bar->ratio[0][LANE(j)];
        bar->x[0][LANE(j)] = x->flow[0][LANE(j)] == FLOW_LIMIT ? ratio_bar / n : R(0);
        bar->x[1][LANE(j)] = bar->l[0][LANE(j)] + (HYPER_THIRD ? bar->third[0][LANE(j)] / R(3) : R(0));
        bar->x[2][LANE(j)] = bar->a[0][LANE(j)];
        bar->k[0][LANE(j)] = bar->k[1][LANE(j)] = R(0);
        PIO_UNROLL
        for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) bar->y[c][LANE(j)] = R(0);
    }
}

/* Adjoint of plastic_flow_lanes: the cotangents of (n', l', a') become those of (n, l, a), and those of the constants
 * are set, in the lanes of a law, a constant. */
PIO_FN void plastic_flow_lanes_adj(const int law, plastic_lanes *x, plastic_bar *bar)
{
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j, R(0));
        const hencky_trial t = plastic_lane_trial(x, j);
        const int there = x->law[0][LANE(j)] == law, flow = x->flow[0][LANE(j)];
        const real n = bar->x[0][LANE(j)], l = bar->x[1][LANE(j)], a = bar->x[2][LANE(j)];
        const real mu = bar->k[0][LANE(j)], lambda = bar->k[1][LANE(j)];
        plastic_matter m_bar = plastic_matter_zero();
        plastic_point p;
        p.n = n;
        p.l = l;
        p.a = a;
        plastic_flow_adj(law, flow, t.x, &m, &p, &m_bar);
        /* of n in r = n'/n */
        const real ratio = flow == FLOW_LIMIT ? flow_ratio(flow, t.x, plastic_lane_to(x, j)) : R(0);
        bar->x[0][LANE(j)] = there ? p.n - ratio * n : n;
        bar->x[1][LANE(j)] = there ? p.l : l;
        bar->x[2][LANE(j)] = there ? p.a : a;
        bar->k[0][LANE(j)] = there ? m_bar.mu : mu;
        bar->k[1][LANE(j)] = there ? m_bar.lambda : lambda;
        PIO_UNROLL
        for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) {
            const real old = bar->y[c][LANE(j)];
            bar->y[c][LANE(j)] = there ? m_bar.y[c] : old;
        }
    }
}

/* Adjoint of plastic_strains: adds what goes through the strain to the cotangent of F, and chooses it and those of the
 * third strain and a in the lanes that were computed. */
PIO_FN void plastic_strains_adj(plastic_lanes *x, plastic_bar *bar)
{
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        flow_bar r;
        r.e = lane_mat(bar->e, j);
        r.third = bar->third_to[0][LANE(j)];
        r.x.n = bar->x[0][LANE(j)];
        r.x.l = bar->x[1][LANE(j)];
        hencky_trial_adj(&t, bar->l[0][LANE(j)], &r);
        lane_mat_put(bar->e, j, r.e);
        bar->third_to[0][LANE(j)] = r.third;
    }
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j);
        const hencky_series s = hencky_series_of(F);
        const mat through = hencky_series_adj(s, F, lane_mat(bar->e, j));
        lane_mat_put(bar->F_to, j, mat_axpby(R(1), lane_mat(bar->F_to, j), R(1), through));
    }
    FULL_LANES(j)
    {
        const int there = plastic_in_lanes(x, j);
        const real third = bar->third[0][LANE(j)], third_to = bar->third_to[0][LANE(j)];
        const real a = bar->a[0][LANE(j)], a_to = bar->x[2][LANE(j)];
        lane_mat_choose(bar->F, j, there, lane_mat(bar->F_to, j));
        bar->third[0][LANE(j)] = there ? third_to : third; /* 0 in 3D */
        bar->a[0][LANE(j)] = there ? a_to : a;
    }
}

/* Adds the cotangents of constants of lane j. */
PIO_FN void plastic_constants_adj(const mpm_plastic_adj_args *b, plastic_lanes *x, plastic_bar *bar, int j)
{
    plastic_matter m;
    m.mu = bar->k[0][LANE(j)];
    m.lambda = bar->k[1][LANE(j)];
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) m.y[c] = bar->y[c][LANE(j)];
    plastic_matter_add(&b->fwd.matter, x->id[0][LANE(j)], &m, b->k_bar, b->yield_bar);
}

/* Adjoint of plastic_one for lane j. */
PIO_FN void plastic_one_adj(const mpm_plastic_adj_args *b, plastic_lanes *x, plastic_bar *bar, int j)
{
    const int law = x->law[0][LANE(j)];
    const plastic_matter m = plastic_lane_matter(x, j, b->fwd.step->h);
    plastic_matter m_bar = plastic_matter_zero();
    plastic_strain s, s_bar;
    s.F = lane_mat(x->F, j);
    s.third = x->third[0][LANE(j)];
    s.a = x->a[0][LANE(j)];
    s_bar.F = lane_mat(bar->F, j);
    s_bar.third = bar->third[0][LANE(j)];
    s_bar.a = bar->a[0][LANE(j)];
    if (law == PIO_SNOW)
        snow_map_adj(s.F, &m, &s_bar.F, s_bar.a, &m_bar);
    else
        hencky_map_adj(law, s, &m, &s_bar, &m_bar);
    lane_mat_put(bar->F, j, s_bar.F);
    bar->third[0][LANE(j)] = s_bar.third;
    bar->a[0][LANE(j)] = s_bar.a;
    plastic_matter_add(&b->fwd.matter, x->id[0][LANE(j)], &m_bar, b->k_bar, b->yield_bar);
}

/* Replaces the cotangent of F of the particles of a team by that of their trial F, and sets those of the state
 * before. */
PIO_FN void mpm_plastic_adj(int team, mpm_plastic_adj_shared *sh, const mpm_plastic_adj_args *b)
{
    const mpm_plastic_args *a = &b->fwd;
    const int n = a->matter.n;
    plastic_lanes all, *x = &all;
    plastic_bar all_bar, *bar = &all_bar;
    lane_items t;
    (void)sh;
    if (!plastic_open(&t, team, a)) return;
    const unsigned laws = plastic_load(a, &t, x);
    lanes_load_places(bar->a, b->next_bar.hardening, n, 1, &t);
    if (b->next_bar.e33) {
        lanes_load_places(bar->third, b->next_bar.e33, n, 1, &t);
    } else {
        FULL_LANES(j) bar->third[0][LANE(j)] = R(0);
    }
    if (laws != plastic_bit(PIO_ELASTIC)) {
        lanes_load_places(bar->F, b->next_bar.F, n, DIM * DIM, &t);
        FULL_LANES(j) x->within[0][LANE(j)] = 0;
        if (laws & plastic_lane_laws()) {
            const int deforms = plastic_flows(laws, x);
            if (deforms || laws & plastic_bit(PIO_DRUCKER_PRAGER)) { /* sand's volume goes on in the elastic domain */
                plastic_deform_adj(x, bar);
                if (laws & plastic_bit(PIO_VON_MISES)) plastic_flow_lanes_adj(PIO_VON_MISES, x, bar);
                if (laws & plastic_bit(PIO_DRUCKER_PRAGER)) plastic_flow_lanes_adj(PIO_DRUCKER_PRAGER, x, bar);
                plastic_strains_adj(x, bar);
                LANES (j, t.m)
                    if (plastic_in_lanes(x, j)) plastic_constants_adj(b, x, bar, j);
            }
        }
        LANES (j, t.m)
            if (x->law[0][LANE(j)] != PIO_ELASTIC && !plastic_in_lanes(x, j)) plastic_one_adj(b, x, bar, j);
        lanes_store_places(b->next_bar.F, n, DIM * DIM, &t, bar->F);
    }
    lanes_store(b->bar.hardening, n, 1, &t, bar->a);
    if (b->bar.e33) lanes_store(b->bar.e33, n, 1, &t, bar->third);
}

/* ---- before the first step, per particle: constants in range */

/* Lowers the fault where particle i has constants that its plastic law does not allow. */
PIO_FN void mpm_plastic_check(int i, const mpm_plastic_check_args *a)
{
    const plastic_matter m = plastic_matter_of(&a->matter, i, a->step->h);
    if (!plastic_constants_hold(a->matter.plasticity[i], m.y))
        atomic_min_u64(&a->step->fault, fault_key(a->step->index, i, FAULT_PLASTIC_CONSTANT));
}

#endif
