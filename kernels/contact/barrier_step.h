/* barrier_step.h -- which time step, and which stiffness, an explicit step needs to bounce from a barrier.
 *
 * What a step has failed at may lie at a gap of next to nothing, where the barrier's stiffness says nothing. What says
 * something is how far a blow comes: a node of mass m that meets the barrier C h B(s) with the energy E is stopped
 * where C h B(s) = E, and what is behind it then presses with the force of a wave, Z v, Z = m omega its impedance (of a
 * bar of equal elements that is exact). Both together reach about the gap s of
 *
 *     -C B'(s) = -C B'(s_e) + Z v,    C h B(s_e) = E = m v^2/2
 *
 * where the step must be stable, dt^2 (omega^2 + C B''(s)/(h m)) <= 4, and a small part of h/v. A barrier that lets the
 * blow come nearer than a tenth of h would need steps that grow short exponentially with the energy: a stiffer one is
 * right, which stops it at a fifth of h or before. */
#ifndef PIOLA_KERNELS_BARRIER_STEP_H
#define PIOLA_KERNELS_BARRIER_STEP_H

#include "kernels/contact/barrier.h"

/* What meets a barrier. */
typedef struct {
    double mass, area;          /* kg; m^2 of it that the barrier acts on, > 0 */
    double stiffness, distance; /* K, Pa, and h, m */
    double rows;                /* row sum of the stiffness that it adds, in units of that of one barrier */
    double gap, speed;          /* at the beginning of the step, m; at which it closes in the step, m/s */
    double step;                /* s */
    double square;              /* omega^2 of the elements, 1/s^2 */
} barrier_blow;

/* What would be right. */
typedef struct {
    double step, stiffness; /* s; Pa: that of the blow, or more */
} barrier_need;

/* A gap below which a barrier is too weak, in units of h; values of B and -B' at the gaps 0.4 and 0.2: */
#define BARRIER_WEAK W(0.1)
#define BARRIER_HELD_VALUE W(0.32)
#define BARRIER_HELD_SLOPE W(3.7) /* -B'(0.2) + B'(0.4) */
/* Parts of the stable step, and of h/v, that are right. */
#define BARRIER_STABLE W(0.7)
#define BARRIER_CROSSED W(0.25)
enum { BARRIER_HALVINGS = 60 };

/* Returns B(s), or with `slope` -B'(s), 0 < s < 1. */
PIO_FN double barrier_at(double s, int slope)
{
    const double t = s - 1, l = log(s);
    return slope ? t * (2 * l + t / s) : -t * t * l;
}

/* Returns the s at which B, or with `slope` -B', has a value >= 0: by bisection of its logarithm. */
PIO_FN double barrier_inverse(double value, int slope)
{
    double low = -600, high = 0;
    for (int n = 0; n < BARRIER_HALVINGS; n++) {
        const double middle = (double)W(0.5) * (low + high);
        if (barrier_at(exp(middle), slope) > value)
            low = middle;
        else
            high = middle;
    }
    return exp(low);
}

/* Returns the gap that a blow of energy E, J, and impulse Z v, N, reaches at a barrier of K, in units of h. */
PIO_FN double barrier_reached(const barrier_blow *b, double stiffness, double energy, double press)
{
    const double scale = b->area * stiffness, first = barrier_inverse(energy / (scale * b->distance), 0);
    return barrier_inverse(barrier_at(first < 1 ? first : 1, 1) + press / scale, 1);
}

/* Returns the step and the stiffness that a blow needs. */
PIO_FN barrier_need barrier_need_of(const barrier_blow *b)
{
    const double scale = b->area * b->stiffness, least = (double)W(1e-6);
    const double ratio = b->gap / b->distance, s0 = ratio > 1 ? 1 : ratio > least ? ratio : least;
    const double half = (double)W(0.5), push = half * b->step * scale * barrier_at(s0, 1) / b->mass;
    const double v0 = b->speed + push;
    const double energy = half * b->mass * v0 * v0 + scale * b->distance * barrier_at(s0, 0);
    const double v = sqrt(2 * energy / b->mass), press = b->mass * sqrt(b->square) * v;
    barrier_need need;
    need.stiffness = b->stiffness;
    double s = barrier_reached(b, need.stiffness, energy, press);
    if (s < (double)BARRIER_WEAK) {
        const double by_energy = energy / (b->area * b->distance * (double)BARRIER_HELD_VALUE);
        const double by_press = press / (b->area * (double)BARRIER_HELD_SLOPE);
        need.stiffness = by_energy > by_press ? by_energy : by_press;
        s = barrier_reached(b, need.stiffness, energy, press);
    }
    const double t = s - 1, curve = t / s * (t / s - 4) - 2 * log(s);
    const double stiff = b->rows * b->area * need.stiffness * curve / b->distance;
    const double crossed = (double)BARRIER_CROSSED * b->distance / v;
    need.step = 2 * (double)BARRIER_STABLE / sqrt(b->square + stiff / b->mass);
    if (!(need.step < crossed)) need.step = crossed;
    if (need.stiffness > b->stiffness) return need;
    if (!(need.step < half * b->step)) need.step = half * b->step; /* this one is too long */
    return need;
}

#endif
