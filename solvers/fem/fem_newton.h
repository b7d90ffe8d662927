/* fem_newton.h -- what one solve by Newton's method knows on the host, and how it fails. */
#ifndef PIOLA_SOLVERS_FEM_NEWTON_H
#define PIOLA_SOLVERS_FEM_NEWTON_H

#include "solvers/fem/fem.h"

#include <math.h>

/* Places of sums among the scalars that are downloaded together. */
enum {
    SUM_RESIDUAL,
    SUM_INTERNAL,
    SUM_EXTERNAL,
    SUM_MOVE,
    SUM_WORK,
    SUM_SLOPE,
    SUM_ENERGY,
    SUM_INERTIA,
    SUM_KINETIC,
    SUM_DRAG,
    SUM_SPRINGS,
    SUM_FOLLOW,
    SUM_ROUNDED,
    SUM_RESIDUAL_LOG,
    SUM_BARRIER,
    SUM_PRESSED,
    SUM_THIN,
    SUM_SLID,
    SUMS
};
_Static_assert((int)SUM_RESIDUAL_LOG == (int)FEM_RESIDUAL_LOG_LEVEL, "the log's level is downloaded with the sums");
/* What one step knows on the host. */
typedef struct {
    fem_sim *f;
    fem_span span;
    double ca, cv; /* da/du, dv/du where free */
    double constrained_ca, constrained_cv;
    double rounded;  /* N: what rounding of u alone leaves of the residual, the most of all places so far */
    double thin;     /* N: what rounding of places leaves of the forces of barriers, where the residual is of */
    double momentum; /* |M v0|/h, N: forces below the tolerance times it change the motion by less than the tolerance */
    double thermal;  /* N: of thermal strains and fibres where nothing is displaced, which a free body brings to zero */
    pio_step_record *record; /* of the whole step: iterations of all its parts */
    int iterations;          /* of this solve */
    int evaluated; /* the search evaluated the residual of the trial: it is in lambda, and its norms in sums */
    int exact;     /* the last direction was taken where internal forces are nothing, to the last digit */
    double sums[SUMS];
    double forces;     /* N: what the residual is relative to */
    double unbalanced; /* N: |r| */
    double residual;   /* relative */
    double reach;      /* part of the last direction that contact leaves, 0 .. 1 */
    int carried;       /* obstacles move in this span */
    int left;          /* some of the move of supports and obstacles is left, as contact has shortened it */
    int moved;         /* iterations until nothing was left */
    int settling;      /* iterations since the last move */
    piola_error *error;
} newton;

/* Returns the residual, N, that rounding alone may leave. */
static inline double fem_newton_dust(const newton *n)
{
    return fmax(fmax(n->f->newton.rounding, n->rounded), n->thin);
}

/* Returns PIOLA_NUMERICAL and says that the move of the constrained unknowns has taken an element to newton.y, where
 * its law is not defined (fem_newton_fault.c). */
piola_status fem_newton_inside_out(newton *n);
/* Returns PIOLA_NUMERICAL and says that the method has failed, and how; forces newton.rhs are out of balance most at
 * some node. */
piola_status fem_newton_at_node(newton *n, piola_failure_kind kind, const char *how);
/* Returns PIOLA_NUMERICAL and says where forces or the move of the constrained unknowns are not numbers, or too
 * large. */
piola_status fem_newton_not_finite(newton *n);
/* Returns PIOLA_INTERRUPTED if the run is to stop, else PIOLA_OK. */
piola_status fem_newton_interrupted(const newton *n);

#endif
