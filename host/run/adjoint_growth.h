/* adjoint_growth.h -- how the adjoint grew going back, and what that says about the gradient's digits. */
#ifndef PIOLA_HOST_ADJOINT_GROWTH_H
#define PIOLA_HOST_ADJOINT_GROWTH_H

#include "host/base/json.h"
#include "solvers/engine/engine.h"

/* Norms of the cotangents of a state and of the state itself, with a time scale tau:
 *
 *     |a|^2 = |v_bar|^2 + tau^2 |x_bar|^2,   |s|^2 = |v|^2 + |x|^2/tau^2
 *
 * |a| is what independent disturbances of all velocities by 1 m/s each, and of all places by tau times that, do to J;
 * unit of J per m/s. From state m back to state n < m the adjoint grew by
 *
 *     G(n, m) = product over the states k between of |a that arrives at k| / |a that left k + 1|
 *
 * so that what J observes on the way is no growth. Rounding disturbs state n by u |s_n|, u being the unit roundoff,
 * which by then is u |s_n| G(n, m) in state m, where it changes the tangent of the motion by about as much as it is a
 * part of the largest state: of growth that is linear, the buckling of what moves from rest, the state has its share,
 * and no digit is lost. Over N steps the disturbances are independent of one another (Higham and Mary 2019, SIAM J.
 * Sci. Comput. 41, A2815), so that the gradient's relative error is about u sqrt(N) A. In chaotic runs it was found to
 * be up to six times that; told is
 *
 *     4 u sqrt(N) A,   A = max over n <= m of G(n, m) |s_n| / max |s|
 *
 * tau is a constant of the run, that between a step and all of it for which A is the least: motion without forces and
 * oscillation have A near 1 then, and what grows in every unit remains. What this does not see: an objective so near
 * its least that its own derivative is a difference of large numbers, and what an implicit step's solver leaves out of
 * balance. */
typedef struct {
    int64_t n; /* norms that there are; 0: the states are no history, and nothing of this is known */
    double time_scale;
    double factor;        /* the largest G(n, m), at least 1 */
    double amplification; /* A */
    /* 1/s, slope of the line of least squares through ln G(n, last) over the time back; NaN: from fewer than 3
     * states */
    double exponent;
    int f32;
    double error; /* predicted, of the gradient, relative */
} pio_growth;

/* `dt` in s; `f32`: of the engine. */
pio_growth pio_adjoint_growth(const pio_adjoint_norm *norms, int64_t n, double dt, int f32);

/* Above this, a person is warned. */
#define PIO_GRADIENT_ERROR 1e-3

/* What to tell a person, if anything: is the predicted error above PIO_GRADIENT_ERROR? */
bool pio_growth_warning(const pio_growth *growth, char *text, size_t size);

/* Members adjoint_norms, adjoint_growth, predicted_gradient_error and its warning of a certificate. */
void pio_growth_json(const pio_growth *growth, const pio_adjoint_norm *norms, double dt, pio_json *json);

/* What to tell a person of the kinks near which the last gradient went, if anything. */
bool pio_kink_warning(const pio_engine *engine, pio_sim *sim, char *text, size_t size);

#endif
