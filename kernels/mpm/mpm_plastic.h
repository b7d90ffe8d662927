/* mpm_plastic.h -- plastic flow of particles, after mpm_g2p has stored the trial deformation F' = (I + h C') F; and its
 * adjoint.
 *
 * What a plastic particle has besides F, which is then the elastic part: `hardening` (a of plasticity.h) and in 2D
 * `e33`, the elastic Hencky strain out of the plane. mpm_g2p leaves them alone: they come from where the particle was
 * stored before.
 *
 * A team has the particles of TEAM_LANES consecutive places. All laws are computed in all lanes: snow by rotations, the
 * others by series; strains beyond the reach of these lane by lane. What a lane computes depends on its own particle
 * alone. */
#ifndef PIOLA_KERNELS_MPM_PLASTIC_H
#define PIOLA_KERNELS_MPM_PLASTIC_H

#include "kernels/mpm/mpm_plastic_snow.h"

typedef struct {
    int unused;
} mpm_plastic_shared;

/* ---- lane by lane ----------------------------------------------------------------------------------------------- */

/* Maps the trial deformation of lane j back to the elastic domain. */
PIO_FN void plastic_one(plastic_lanes *x, int j)
{
    const int law = x->law[0][LANE(j)];
    const plastic_matter m = plastic_lane_matter(x, j);
    mat F = lane_mat(x->F, j);
    real third = x->third[0][LANE(j)], hardening = x->a[0][LANE(j)];
    const plastic_outcome w =
        law == PIO_SNOW ? snow_map(&F, &hardening, &m) : hencky_map(law, &F, &third, &hardening, &m);
    lane_mat_put(x->F, j, F);
    x->third[0][LANE(j)] = third;
    x->a[0][LANE(j)] = hardening;
    x->margin[0][LANE(j)] = w.margin;
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
        plastic_begin(x);
        if (laws & plastic_series_laws()) {
            changes = plastic_flows(laws, x);
            if (changes) plastic_deform(x);
        }
        if (laws & plastic_bit(PIO_SNOW)) changes |= plastic_snow(x);
        FULL_LANES(j)
        {
            const real old = x->a[0][LANE(j)], to = x->to[2][LANE(j)];
            x->a[0][LANE(j)] = plastic_in_lanes(x, j) ? to : old;
        }
        LANES (j, t.m) {
            if (x->law[0][LANE(j)] == PIO_ELASTIC || plastic_in_lanes(x, j)) continue;
            plastic_one(x, j);
            changes = 1;
        }
        if (laws & plastic_bit(PIO_SNOW)) plastic_check_waves(a, &t, x);
        if (changes) lanes_store_places(a->next.F, n, DIM * DIM, &t, x->F);
        if (a->near) plastic_count_near(a, &t, x);
    }
    lanes_store_places(a->next.hardening, n, 1, &t, x->a);
    if (a->next.e33) lanes_store_places(a->next.e33, n, 1, &t, x->third);
}

/* ---- adjoint: of F' in place; of hardening and e33 where the particle lay before -------------------------------- */

typedef struct {
    int unused;
} mpm_plastic_adj_shared;

/* Adjoint of plastic_one for lane j. */
PIO_FN void plastic_one_adj(const mpm_plastic_adj_args *b, plastic_lanes *x, plastic_bar *bar, int j)
{
    const int law = x->law[0][LANE(j)];
    const plastic_matter m = plastic_lane_matter(x, j);
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
        plastic_begin(x);
        if (laws & plastic_series_laws()) {
            const int deforms = plastic_flows(laws, x);
            if (deforms || laws & plastic_bit(PIO_DRUCKER_PRAGER)) { /* sand's volume goes on in the elastic domain */
                plastic_deform_adj(x, bar);
                if (laws & plastic_bit(PIO_VON_MISES)) plastic_flow_lanes_adj(PIO_VON_MISES, x, bar);
                if (laws & plastic_bit(PIO_DRUCKER_PRAGER)) plastic_flow_lanes_adj(PIO_DRUCKER_PRAGER, x, bar);
                if (laws & plastic_bit(PIO_HERSCHEL_BULKLEY)) plastic_flow_lanes_adj(PIO_HERSCHEL_BULKLEY, x, bar);
                plastic_strains_adj(x, bar);
                LANES (j, t.m)
                    if (plastic_by_series(x, j)) plastic_constants_adj(b, x, bar, j);
            }
        }
        if (laws & plastic_bit(PIO_SNOW)) plastic_snow_adj(b, &t, x, bar);
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
