/* fem_lattice.h -- a mesh's motion on a lattice: displacements and velocities in whole quanta, [nodes][DIM] each, that
 * steps add to and can take away again to the bit (lattice.h). What is added is computed by the same kernel both
 * ways. */
#ifndef PIOLA_KERNELS_FEM_LATTICE_H
#define PIOLA_KERNELS_FEM_LATTICE_H

#include "kernels/fem/fem.h"
#include "kernels/base/lattice.h"

typedef struct {
    int64_t *u, *v;              /* [nodes][DIM] in quanta */
    double per_metre, per_speed; /* quanta in 1 m, in 1 m/s; powers of two */
} fem_lattice;

/* Q(x) in quanta, 0 where held; a fault where the lattice does not hold it. */
PIO_FN int64_t fem_lattice_quanta(int held, double x, double per, fem_step *step, int node)
{
    if (!held && !lattice_holds(x, per)) {
        atomic_min_u64(&step->fault, fem_fault_at(step->index, node, FEM_OFF_LATTICE));
        return 0;
    }
    return held ? 0 : lattice_of(x, per);
}

/* The state as numbers. */
typedef struct {
    fem_lattice s; /* read */
    real *u, *v;   /* [nodes][DIM] m, m/s; set */
} fem_lattice_read_args;

PIO_FN void fem_lattice_read(int i, const fem_lattice_read_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->u[at] = R(lattice_value(a->s.u[at], a->s.per_metre));
        a->v[at] = R(lattice_value(a->s.v[at], a->s.per_speed));
    }
}

/* Q of numbers, where they are free. */
typedef struct {
    const int *held; /* [nodes] bits */
    double per;      /* quanta in a unit */
    const real *x;   /* [nodes][DIM] */
    int64_t *out;    /* [nodes][DIM]; set where free */
    fem_step *step;
} fem_lattice_round_args;

PIO_FN void fem_lattice_round(int i, const fem_lattice_round_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        if (!(a->held[i] >> c & 1)) a->out[at] = fem_lattice_quanta(0, (double)a->x[at], a->per, a->step, i);
    }
}

/* u += sign Q(h v) where free. */
typedef struct {
    const int *held;
    fem_lattice s; /* u: changed */
    double h;      /* s */
    int sign;      /* 1, -1 */
    fem_step *step;
} fem_lattice_drift_args;

PIO_FN void fem_lattice_drift(int i, const fem_lattice_drift_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const double way = a->h * lattice_value(a->s.v[at], a->s.per_speed);
        a->s.u[at] += a->sign * fem_lattice_quanta(a->held[i] >> c & 1, way, a->s.per_metre, a->step, i);
    }
}

/* out = v + sign Q(h f/m) where free, v where held. */
typedef struct {
    const int *held;
    const real *mass, *force; /* [nodes][DIM] kg, N */
    double per_speed, h;      /* 1/(m/s), s */
    int sign;
    const int64_t *v; /* [nodes][DIM] */
    int64_t *out;     /* [nodes][DIM]; set, may be v */
    fem_step *step;
} fem_lattice_kick_args;

PIO_FN void fem_lattice_kick(int i, const fem_lattice_kick_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const double change = a->h * ((double)a->force[at] / (double)a->mass[at]);
        a->out[at] = a->v[at] + a->sign * fem_lattice_quanta(a->held[i] >> c & 1, change, a->per_speed, a->step, i);
    }
}

/* out = x + sign y */
typedef struct {
    const int64_t *x, *y; /* [nodes][DIM] */
    int sign;
    int64_t *out; /* [nodes][DIM]; set, may be x or y */
} fem_lattice_sum_args;

PIO_FN void fem_lattice_sum(int i, const fem_lattice_sum_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->out[at] = a->x[at] + a->sign * a->y[at];
    }
}

/* Held unknowns are a function of time alone, so that they cost no memory: u = Q(place), v = Q((place after - place
 * before)/h). */
typedef struct {
    const int *node, *axis, *support; /* [held unknowns] */
    const wide *value;                /* [supports] m */
    const int *curve;                 /* [supports] or -1: constant */
    const wide *before, *after, *now; /* [curves] where the rate's difference begins and ends; one of the two */
    double h;                         /* s */
    fem_lattice s;                    /* set at held unknowns */
    fem_step *step;
} fem_lattice_hold_args;

PIO_FN void fem_lattice_hold(int i, const fem_lattice_hold_args *a)
{
    const int s = a->support[i], curve = a->curve[s], node = a->node[i];
    const ptrdiff_t at = (ptrdiff_t)node * DIM + a->axis[i];
    const double value = (double)a->value[s], change = curve < 0 ? 0 : (double)(a->after[curve] - a->before[curve]);
    const double place = value * (curve < 0 ? 1 : (double)a->now[curve]);
    a->s.u[at] = fem_lattice_quanta(0, place, a->s.per_metre, a->step, node);
    a->s.v[at] = fem_lattice_quanta(0, value * change / a->h, a->s.per_speed, a->step, node);
}

#endif
