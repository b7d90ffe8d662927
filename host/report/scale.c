/* scale.c -- the ends and ticks of axes (plot.h). */
#include "host/report/html.h"
#include "host/report/plot.h"

#include <math.h>

/* Returns 1, 2 or 5 times a power of ten that is not below x > 0. */
static double nice(double x)
{
    const double power = pow(10, floor(log10(x))), m = x / power;
    return power * (m <= 1.0000001 ? 1 : m <= 2.0000001 ? 2 : m <= 5.0000001 ? 5 : 10);
}

static pio_scale make_log(double lo, double hi, int ticks, bool round)
{
    pio_scale s = {.lo = log10(lo), .hi = log10(hi), .log = true};
    if (round || s.hi - s.lo < 1e-9) {
        s.lo = floor(s.lo + 1e-9);
        s.hi = ceil(s.hi - 1e-9);
        if (s.hi <= s.lo) s.hi = s.lo + 1;
    }
    s.step = fmax(1, ceil((s.hi - s.lo) / ticks));
    s.between = s.hi - s.lo < 2;
    return s;
}

pio_scale pio_scale_make(double lo, double hi, bool log, int ticks, bool round)
{
    if (log && lo > 0) return make_log(lo, hi, ticks, round);
    const double middle = fmax(fabs(lo), fabs(hi));
    if (!(hi - lo > 1e-12 * middle)) { /* one value */
        const double wide = middle > 0 ? 0.5 * middle : 1;
        lo -= wide;
        hi += wide;
    }
    pio_scale s = {.lo = lo, .hi = hi, .step = nice((hi - lo) / ticks)};
    if (round) {
        s.lo = s.step * floor(lo / s.step + 1e-9);
        s.hi = s.step * ceil(hi / s.step - 1e-9);
    }
    const int order = (int)floor(log10(fmax(fabs(s.lo), fabs(s.hi))) + 1e-12);
    if (order < -2 || order > 4) s.exponent = 3 * (int)floor(order / 3.0);
    const double decimals = ceil(-log10(s.step) + s.exponent - 1e-9);
    s.decimals = decimals > 0 ? (int)fmin(decimals, 12) : 0;
    return s;
}

double pio_scale_at(const pio_scale *s, double value)
{
    if (!isfinite(value) || (s->log && !(value > 0))) return (double)NAN;
    return ((s->log ? log10(value) : value) - s->lo) / (s->hi - s->lo);
}

/* Returns tick k of a logarithmic scale with few powers of ten: 1, 2 and 5 times them. */
static double tick_between(const pio_scale *s, int k)
{
    static const double factor[] = {1, 2, 5};
    const double slack = 1e-9;
    const int power = (int)floor(s->lo);
    int n = 0;
    for (int i = 0; i < 12; i++) {
        const double tick = factor[i % 3] * pow(10, power + i / 3);
        if (log10(tick) < s->lo - slack || log10(tick) > s->hi + slack) continue;
        if (n++ == k) return tick;
    }
    return (double)NAN;
}

double pio_scale_tick(const pio_scale *s, int k)
{
    if (s->between) return tick_between(s, k);
    const double first = s->step * ceil(s->lo / s->step - 1e-9), at = first + k * s->step;
    if (at > s->hi + 1e-9 * (s->hi - s->lo) || k > 100) return (double)NAN;
    if (s->log) return pow(10, at);
    return fabs(at) < 1e-9 * s->step ? 0 : at;
}

void pio_scale_text(const pio_scale *s, double tick, char out[PIO_SCALE_TEXT])
{
    char power[PIO_HTML_POWER];
    const int exponent = s->log ? (int)floor(log10(tick) + 1e-9) : 0;
    const double factor = s->log ? tick / pow(10, exponent) : 1;
    pio_html_power_text(exponent, power);
    if (s->log && factor > 1.5)
        snprintf(out, PIO_SCALE_TEXT, "%.0f\u00d7%s", factor, power);
    else if (s->log)
        snprintf(out, PIO_SCALE_TEXT, "%s", power);
    else
        snprintf(out, PIO_SCALE_TEXT, "%.*f", s->decimals, tick * pow(10, -s->exponent));
}

void pio_scale_label(FILE *to, const pio_scale *s, double tick)
{
    char text[PIO_SCALE_TEXT];
    pio_scale_text(s, tick, text);
    fputs(text, to);
}
