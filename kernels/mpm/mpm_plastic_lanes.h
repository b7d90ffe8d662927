/* mpm_plastic_lanes.h -- a batch of plastic particles, and the flow of the laws that are computed by series in all of
 * its lanes (plasticity_series.h): von Mises, Drucker and Prager, Herschel and Bulkley; with the adjoint. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_LANES_H
#define PIOLA_KERNELS_MPM_PLASTIC_LANES_H

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
    real h;                      /* time step, s */
    PER_LANE(real, F, DIM *DIM); /* trial */
    PER_LANE(real, third, 1);    /* the third elastic strain, in 2D */
    PER_LANE(real, a, 1);
    PER_LANE(real, e, DIM *DIM);
    PER_LANE(int, within, 1); /* the series are within reach */
    PER_LANE(real, A, 1);     /* of bulkley_equation */
    PER_LANE(real, B, 1);
    PER_LANE(real, p, 1);
    PER_LANE(real, z, 1);        /* its solution y */
    PER_LANE(int, more, 1);      /* steps of an iteration are left */
    PER_LANE(real, bulkley, 4);  /* f, t, s, ln (d/h) of bulkley_flow */
    PER_LANE(real, mass, 1);     /* kg, of snow */
    PER_LANE(real, volume, 1);   /* m^3 */
    PER_LANE(real, G, DIM *DIM); /* F V, and then U */
    PER_LANE(real, sigma, DIM);
    PER_LANE(real, V, DIM *DIM);
    PER_LANE(int, flow, 1);    /* FLOW_... */
    PER_LANE(real, to, 3);     /* (n', l', a') */
    PER_LANE(real, margin, 1); /* of plastic_outcome */
    PER_LANE(real, F_to, DIM *DIM);
    PER_LANE(real, third_to, 1);
    PER_LANE(int, deforms, 1);
} plastic_lanes;

/* Returns the bit of a plastic law. */
PIO_FN unsigned plastic_bit(int law)
{
    return 1u << law;
}

/* Returns the plastic laws that are computed by series. */
PIO_FN unsigned plastic_series_laws(void)
{
    return plastic_bit(PIO_VON_MISES) | plastic_bit(PIO_DRUCKER_PRAGER) | plastic_bit(PIO_HERSCHEL_BULKLEY);
}

/* Loads the particles of a batch; returns the bits of their laws, on CUDA that of the own lane. */
PIO_FN unsigned plastic_load(const mpm_plastic_args *a, const lane_items *t, plastic_lanes *x)
{
    const mpm_matter *m = &a->matter;
    unsigned laws = 0;
    x->h = a->step->h;
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

/* Returns what the law of lane j depends on. */
PIO_FN plastic_matter plastic_lane_matter(plastic_lanes *x, int j)
{
    plastic_matter m;
    m.mu = x->k[0][LANE(j)];
    m.lambda = x->k[1][LANE(j)];
    PIO_UNROLL
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) m.y[c] = x->y[c][LANE(j)];
    m.h = x->h;
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

/* Sets what holds in lanes that nothing is computed for: they are elastic. */
PIO_FN void plastic_begin(plastic_lanes *x)
{
    FULL_LANES(j)
    {
        x->within[0][LANE(j)] = 0;
        x->to[2][LANE(j)] = x->a[0][LANE(j)];
        x->flow[0][LANE(j)] = FLOW_ELASTIC;
        x->margin[0][LANE(j)] = R(1);
    }
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
    }
}

/* Sets the flow of a step of the lanes of Herschel and Bulkley's law, as bulkley_solve does: a lane that needs no more
 * steps keeps what it has. */
PIO_FN void plastic_bulkley_lanes(plastic_lanes *x)
{
    int left = 0;
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j);
        const bulkley_equation q = bulkley_equation_of(x->to[0][LANE(j)], &m);
        const int flows = (x->law[0][LANE(j)] == PIO_HERSCHEL_BULKLEY) & x->within[0][LANE(j)] & q.flows;
        x->A[0][LANE(j)] = q.A;
        x->B[0][LANE(j)] = q.B;
        x->p[0][LANE(j)] = q.p;
        x->z[0][LANE(j)] = R(1);
        x->more[0][LANE(j)] = 2 * flows;
        left |= flows;
    }
    for (int k = 0; k < BULKLEY_STEPS && left; k++) {
        left = 0;
        FULL_LANES(j)
        {
            int more = x->more[0][LANE(j)];
            x->z[0][LANE(j)] =
                bulkley_step(x->A[0][LANE(j)], x->B[0][LANE(j)], x->p[0][LANE(j)], x->z[0][LANE(j)], &more);
            x->more[0][LANE(j)] = more;
            left |= more;
        }
    }
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j);
        const bulkley_equation q = bulkley_equation_of(x->to[0][LANE(j)], &m);
        const bulkley_flow r = bulkley_flow_of(&q, x->z[0][LANE(j)]);
        x->bulkley[0][LANE(j)] = r.f;
        x->bulkley[1][LANE(j)] = r.t;
        x->bulkley[2][LANE(j)] = r.s;
        x->bulkley[3][LANE(j)] = r.log_rate;
    }
}

/* Returns the flow that plastic_bulkley_lanes found for lane j. */
PIO_FN bulkley_flow plastic_lane_bulkley(plastic_lanes *x, int j)
{
    bulkley_flow r;
    r.f = x->bulkley[0][LANE(j)];
    r.t = x->bulkley[1][LANE(j)];
    r.s = x->bulkley[2][LANE(j)];
    r.log_rate = x->bulkley[3][LANE(j)];
    return r;
}

/* Replaces the state of lane j by the one after the flow of a law, a constant, and returns the outcome. */
PIO_FN plastic_outcome plastic_lane_flow(const int law, plastic_lanes *x, int j, const plastic_matter *m,
                                         plastic_point *to)
{
    if (law != PIO_HERSCHEL_BULKLEY) return plastic_flow(law, to, m);
    const bulkley_flow r = plastic_lane_bulkley(x, j);
    return bulkley(&r, to, m);
}

/* Adjoint of plastic_lane_flow at the state `from`: as plastic_flow_adj. */
PIO_FN void plastic_lane_flow_adj(const int law, plastic_lanes *x, int j, plastic_point from, const plastic_matter *m,
                                  plastic_point *bar, plastic_matter *m_bar)
{
    const int flow = x->flow[0][LANE(j)];
    if (law != PIO_HERSCHEL_BULKLEY) {
        plastic_flow_adj(law, flow, from, m, bar, m_bar);
    } else if (flow == FLOW_LIMIT) {
        const bulkley_flow r = plastic_lane_bulkley(x, j);
        bulkley_adj(&r, from, m, bar, m_bar);
    }
}

/* Sets (n', l', a'), the outcome and its margin of the lanes of a law, a constant. */
PIO_FN void plastic_flow_lanes(const int law, plastic_lanes *x)
{
    FULL_LANES(j)
    {
        const plastic_matter m = plastic_lane_matter(x, j);
        const hencky_trial t = plastic_lane_trial(x, j);
        const plastic_point old = plastic_lane_to(x, j);
        const int there = x->law[0][LANE(j)] == law, flow = x->flow[0][LANE(j)];
        const real margin = x->margin[0][LANE(j)];
        plastic_point to = t.x;
        const plastic_outcome w = plastic_lane_flow(law, x, j, &m, &to);
        x->to[0][LANE(j)] = there ? to.n : old.n;
        x->to[1][LANE(j)] = there ? to.l : old.l;
        x->to[2][LANE(j)] = there ? to.a : old.a;
        x->flow[0][LANE(j)] = there ? w.branch : flow;
        x->margin[0][LANE(j)] = there ? w.margin : margin;
    }
}

/* Returns 1 where lane j is of a law that is computed by series, and within reach. */
PIO_FN int plastic_by_series(plastic_lanes *x, int j)
{
    const int law = x->law[0][LANE(j)];
    return ((law == PIO_VON_MISES) | (law == PIO_DRUCKER_PRAGER) | (law == PIO_HERSCHEL_BULKLEY)) &
           x->within[0][LANE(j)];
}

/* Computes the strains and the flow of a batch of these laws; lanes of others and beyond reach are as elastic ones.
 * Returns 1 where F of some lane changes, on CUDA of the own. */
PIO_FN int plastic_flows(unsigned laws, plastic_lanes *x)
{
    int deforms = 0;
    plastic_strains(x);
    if (laws & plastic_bit(PIO_VON_MISES)) plastic_flow_lanes(PIO_VON_MISES, x);
    if (laws & plastic_bit(PIO_DRUCKER_PRAGER)) plastic_flow_lanes(PIO_DRUCKER_PRAGER, x);
    if (laws & plastic_bit(PIO_HERSCHEL_BULKLEY)) {
        plastic_bulkley_lanes(x);
        plastic_flow_lanes(PIO_HERSCHEL_BULKLEY, x);
    }
    FULL_LANES(j)
    {
        const hencky_trial t = plastic_lane_trial(x, j);
        const int own = plastic_by_series(x, j) & flow_deforms(x->flow[0][LANE(j)], t.x, plastic_lane_to(x, j));
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

/* ---- adjoint ---- */

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
        const plastic_matter m = plastic_lane_matter(x, j);
        const hencky_trial t = plastic_lane_trial(x, j);
        const int there = x->law[0][LANE(j)] == law, flow = x->flow[0][LANE(j)];
        const real n = bar->x[0][LANE(j)], l = bar->x[1][LANE(j)], a = bar->x[2][LANE(j)];
        const real mu = bar->k[0][LANE(j)], lambda = bar->k[1][LANE(j)];
        plastic_matter m_bar = plastic_matter_zero();
        plastic_point p;
        p.n = n;
        p.l = l;
        p.a = a;
        plastic_lane_flow_adj(law, x, j, t.x, &m, &p, &m_bar);
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
        const int there = plastic_by_series(x, j);
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

#endif
