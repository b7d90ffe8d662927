/* adjoint_growth.h -- the growth of the adjoint from the last state to the first, and the rounding error of the
 * gradient that follows from it. */
#ifndef PIOLA_HOST_ADJOINT_GROWTH_H
#define PIOLA_HOST_ADJOINT_GROWTH_H

#include "host/base/json.h"
#include "solvers/engine/engine.h"

/* Norms of the cotangents of a state and of the state itself, with a time scale tau:
 *
 *     |a|^2 = |v_bar|^2 + tau^2 |x_bar|^2,   |s|^2 = |v|^2 + |x|^2/tau^2
 *
 * |a| is the change of J, in units of J per m/s, due to independent disturbances of all velocities by 1 m/s and of all
 * positions by tau times that. From state m to an earlier state n the adjoint grew by
 *
 *     G(n, m) = product over the states k from n to m - 1 of |a as computed at k| / |a that left k + 1|
 *
 * where |a that left k + 1| includes what J observes of that state, so that observations do not count as growth.
 * Rounding disturbs state n by u |s_n|, u being the unit roundoff. In state m that disturbance is u |s_n| G(n, m), and
 * it changes the tangent of the motion by about its ratio to the largest state. Where the state grows as its
 * disturbances do, as in the buckling of a body that was at rest, no digit is lost. Over N steps the disturbances are
 * independent of one another (Higham and Mary 2019, SIAM J. Sci. Comput. 41, A2815), so that the relative error of the
 * gradient is about u sqrt(N) A. In chaotic runs it was up to six times as large; the prediction is
 *
 *     4 u sqrt(N) A,   A = max over n <= m of G(n, m) |s_n| / max |s|
 *
 * tau is a constant of the run: the time between one step and the whole run for which A is the least. Then motion
 * without forces and oscillation have A near 1, and only growth that no choice of unit removes remains. The prediction
 * does not include the error of an objective so near its minimum that its derivative is a difference of large numbers,
 * nor the residual forces of implicit steps. */
typedef struct {
    int64_t n;            /* number of norms; 0: there are none, and the other members are unknown */
    double time_scale;    /* tau, s */
    double factor;        /* the largest G(n, m), at least 1 */
    double amplification; /* A */
    /* Slope, 1/s, of the line of least squares through ln G(n, last) over the time from n to last; NaN for fewer than 3
     * states. */
    double exponent;
    int f32;      /* the engine computes in f32 */
    double error; /* predicted relative error of the gradient */
} pio_growth;

/* Computes the growth from the norms [n] of the last gradient, with the time step dt in s; `f32`: the engine's
 * precision. */
pio_growth pio_adjoint_growth(const pio_adjoint_norm *norms, int64_t n, double dt, int f32);

/* Predicted relative errors above this are a warning. */
#define PIO_GRADIENT_ERROR 1e-3

/* Writes a warning to `text` [size] if the predicted error is above PIO_GRADIENT_ERROR. Returns whether it is. */
bool pio_growth_warning(const pio_growth *growth, char *text, size_t size);

/* Writes the members adjoint_norms, adjoint_growth, predicted_gradient_error and warning of a certificate; norms
 * [growth->n], dt in s. */
void pio_growth_json(const pio_growth *growth, const pio_adjoint_norm *norms, double dt, pio_json *json);

/* Writes a warning to `text` [size] if the last gradient was computed near kinks of the motion. Returns whether it was.
 */
bool pio_kink_warning(const pio_engine *engine, pio_sim *sim, char *text, size_t size);

#endif
