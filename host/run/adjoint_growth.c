/* adjoint_growth.c -- see adjoint_growth.h. */
#include "host/run/adjoint_growth.h"

#include <math.h>
#include <stdio.h>

enum { SCALES = 60, MOST_SAMPLES = 256 };

static double norm_of(const pio_adjoint_norm *norm, int which, double time_scale)
{
    return hypot(norm->velocity[which], time_scale * norm->position[which]);
}

/* Returns ln G from entry i + 1 to entry i. As long as J has observed nothing the cotangents are zero, without growth.
 */
static double growth_between(const pio_adjoint_norm *norms, int64_t i, double time_scale)
{
    const double from = norm_of(&norms[i + 1], 1, time_scale), to = norm_of(&norms[i], 0, time_scale);
    return from > 0 && to > 0 && isfinite(from) && isfinite(to) ? log(to / from) : 0;
}

static double state_size(const pio_adjoint_norm *norm, double time_scale)
{
    return hypot(norm->speed, norm->place / time_scale);
}

/* Computes ln of the largest G, and ln A: the largest rise of the sum of ln G from the last state to the first, for A
 * with the ratio of the state there to the largest state. */
static void largest_growth(const pio_adjoint_norm *norms, int64_t n, double time_scale, double *growth,
                           double *amplification)
{
    double sum = 0, least = 0, largest = 0;
    *growth = *amplification = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, state_size(&norms[i], time_scale));
    for (int64_t i = n - 2; i >= 0; i--) {
        const double state = state_size(&norms[i], time_scale);
        sum += growth_between(norms, i, time_scale);
        least = fmin(least, sum);
        *growth = fmax(*growth, sum - least);
        if (state > 0) *amplification = fmax(*amplification, sum - least + log(state / largest));
    }
}

/* Returns the slope of ln G by least squares over the time to the last state that has a cotangent. */
static double slope(const pio_adjoint_norm *norms, int64_t n, double time_scale, double dt)
{
    double sum = 0, mean_t = 0, mean_y = 0, tt = 0, ty = 0;
    int64_t last = n - 1, used = 0;
    while (last > 0 && !(norm_of(&norms[last], 1, time_scale) > 0)) last--;
    for (int64_t i = last; i >= 0; i--) { /* the sums are updated by Welford's formulas (1962) */
        if (i < last) sum += growth_between(norms, i, time_scale);
        const double t = (double)(norms[last].step - norms[i].step) * dt, from_mean = t - mean_t;
        used++;
        mean_t += from_mean / (double)used;
        mean_y += (sum - mean_y) / (double)used;
        tt += from_mean * (t - mean_t);
        ty += from_mean * (sum - mean_y);
    }
    return used > 2 && tt > 0 ? ty / tt : (double)NAN;
}

pio_growth pio_adjoint_growth(const pio_adjoint_norm *norms, int64_t n, double dt, int f32)
{
    pio_growth g = {.n = n, .exponent = (double)NAN, .error = (double)NAN, .factor = 1, .amplification = 1, .f32 = f32};
    if (n < 2) return g;
    const double steps = (double)(norms[n - 1].step - norms[0].step);
    double best = INFINITY, least = INFINITY;
    for (int k = 0; k <= SCALES; k++) { /* scales from dt to the whole run, evenly spaced in the logarithm */
        const double scale = dt * pow(steps, (double)k / SCALES);
        double growth, amplification;
        largest_growth(norms, n, scale, &growth, &amplification);
        if (amplification > best || (amplification >= best && growth >= least)) continue;
        best = amplification;
        least = growth;
        g.time_scale = scale;
        g.factor = exp(growth);
    }
    g.amplification = exp(best);
    g.exponent = slope(norms, n, g.time_scale, dt);
    g.error = 4 * (f32 ? 0x1p-24 : 0x1p-53) * sqrt(steps) * g.amplification;
    return g;
}

bool pio_growth_warning(const pio_growth *g, char *text, size_t size)
{
    if (!(g->error > PIO_GRADIENT_ERROR)) return false;
    snprintf(text, size,
             "the adjoint grew by a factor of %.3g from the end to the start (%.3g 1/s): of this gradient about %.2g "
             "is rounding, relative to "
             "its size; "
             "a shorter time.duration, gradient.window%s would be right",
             g->factor, g->exponent, g->error, g->f32 ? " or f64" : "");
    return true;
}

void pio_growth_json(const pio_growth *g, const pio_adjoint_norm *norms, double dt, pio_json *json)
{
    double step[MOST_SAMPLES], time[MOST_SAMPLES], value[MOST_SAMPLES];
    const int64_t stride = (g->n + MOST_SAMPLES - 2) / (MOST_SAMPLES - 1);
    size_t used = 0;
    char text[400];
    if (g->n < 2) {
        pio_json_null(json, "adjoint_norms");
        pio_json_null(json, "adjoint_growth");
        pio_json_null(json, "predicted_gradient_error");
        pio_json_null(json, "warning");
        return;
    }
    for (int64_t i = 0; i < g->n; i = i + stride < g->n || i == g->n - 1 ? i + stride : g->n - 1) {
        step[used] = (double)norms[i].step;
        time[used] = step[used] * dt;
        value[used++] = norm_of(&norms[i], 1, g->time_scale);
    }
    pio_json_begin_object(json, "adjoint_norms");
    pio_json_doubles(json, "step", step, used);
    pio_json_doubles(json, "time", time, used);
    pio_json_doubles(json, "value", value, used);
    pio_json_double(json, "time_scale", g->time_scale);
    pio_json_end_object(json);
    pio_json_begin_object(json, "adjoint_growth");
    pio_json_double(json, "exponent", g->exponent);
    pio_json_double(json, "factor", g->factor);
    pio_json_double(json, "amplification", g->amplification);
    pio_json_end_object(json);
    pio_json_double(json, "predicted_gradient_error", g->error);
    pio_json_string(json, "warning", pio_growth_warning(g, text, sizeof text) ? text : NULL);
}

bool pio_kink_warning(const pio_engine *engine, pio_sim *sim, char *text, size_t size)
{
    pio_kinks kinks = {0};
    for (int32_t i = 0; engine->kinks; i++) {
        const int64_t count = engine->kinks(sim, i, &kinks);
        if (count < 0) return false;
        if (count == 0 || !kinks.advice) continue;
        snprintf(text, size, "%lld %s: %s", (long long)count, kinks.what, kinks.advice);
        return true;
    }
    return false;
}
