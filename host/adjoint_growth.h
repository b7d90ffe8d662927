/* adjoint_growth.h -- how the adjoint grew going back, and what that says about the gradient's digits. */
#ifndef PIOLA_HOST_ADJOINT_GROWTH_H
#define PIOLA_HOST_ADJOINT_GROWTH_H

#include "host/json.h"
#include "solvers/engine.h"

/* Norms of the cotangents of a state: sqrt(|v_bar|^2 + tau^2 |x_bar|^2), the size of what independent disturbances of all velocities
 * by 1 m/s each, and of all places by tau of these, do to J; unit of J per m/s.
 *
 * From state m back to state n < m the adjoint grew by G(n, m) = product over the states k between of
 *
 *     |cotangents that arrive at k| / |cotangents that left k + 1|
 *
 * so that what J observes on the way is no growth. tau is a constant of the run, that between a step and all of it for which the largest
 * G is the least: then motion without forces and oscillation have G near 1, and what grows in every unit remains. */
typedef struct {
    int64_t n; /* norms that there are; 0: the states are no history, and nothing of this is known */
    double time_scale;
    double factor;   /* the largest G(n, m), at least 1 */
    double exponent; /* 1/s, slope of the line of least squares through ln G(n, last) over the time back; NaN: from fewer than 3 states */
    double error;    /* predicted, of the gradient, relative; see pio_adjoint_growth */
} pio_growth;

/* The gradient's predicted relative error: rounding disturbs every step's states by their unit roundoff u, 2^-24 or 2^-53, in `steps`
 * of them independently (sqrt(steps): Higham and Mary 2019, SIAM J. Sci. Comput. 41, A2815); J's derivatives feel a disturbance in
 * state n as much more as the adjoint grows until there:
 *
 *     error = u sqrt(steps) max G(n, m)
 *
 * `dt` in s; `f32`: of the engine. */
pio_growth pio_adjoint_growth(const pio_adjoint_norm *norms, int64_t n, double dt, int f32);

/* The norm of entry i with that time scale. */
double pio_adjoint_size(const pio_adjoint_norm *norm, double time_scale);

/* Above this, a person is warned. */
#define PIO_GRADIENT_ERROR 1e-3

/* Members adjoint_norms, adjoint_growth, predicted_gradient_error of a certificate. */
void pio_growth_json(const pio_growth *growth, const pio_adjoint_norm *norms, double dt, pio_json *json);

#endif
