/* taylor.c -- the fit and the verdict described in taylor.h. */
#include "host/verify/taylor.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MAX_POWERS = 4 };
static const double errors_allowed = 13; /* see taylor.h */
static const double zero_adjoint = 1e-10;

const char *pio_taylor_verdict_name(pio_taylor_verdict verdict)
{
    static const char *const names[] = {"passed", "FAILED", "inconclusive"};
    return names[verdict];
}

__attribute__((format(printf, 3, 4))) static void conclude(pio_taylor_row *row, pio_taylor_verdict verdict,
                                                           const char *format, ...)
{
    va_list list;
    va_start(list, format);
    row->verdict = verdict;
    vsnprintf(row->reason, sizeof row->reason, format, list);
    va_end(list);
}

/* ---- fits ------------------------------------------------------------------------------------------------ */

typedef struct model {
    int n;
    int power[MAX_POWERS]; /* powers of e, the linear one last */
} model;

typedef struct fit {
    double a;       /* coefficient of e^1 */
    double error;   /* uncertainty of a */
    double scatter; /* scatter of the data about the fit, root mean square per degree of freedom */
    double worst;   /* the most that a changes where each value of the window does by 1 at most */
    size_t first;   /* the window is first ... n - 1 */
} fit;

/* Fits y by least squares over the powers of e in the window, by modified Gram-Schmidt (Bjorck 1967). With the linear
 * column last its coefficient is <q, y>/R and its variance (scatter/R)^2. Weights are uniform: the rounding of J is the
 * same for all steps, so that small steps need not be removed, they merely have little weight. */
static fit fit_window(const model *m, const double *step, const double *y, size_t n, size_t first, double noise)
{
    double residual[PIO_TAYLOR_STEPS], q[MAX_POWERS][PIO_TAYLOR_STEPS], R = 1, along = 0, sum = 0;
    size_t rows = n - first;
    for (size_t k = 0; k < rows; k++) residual[k] = y[first + k];
    for (int j = 0; j < m->n; j++) {
        for (size_t k = 0; k < rows; k++) q[j][k] = pow(step[first + k] / step[first], m->power[j]);
        for (int i = 0; i < j; i++) {
            double dot = 0;
            for (size_t k = 0; k < rows; k++) dot += q[i][k] * q[j][k];
            for (size_t k = 0; k < rows; k++) q[j][k] -= dot * q[i][k];
        }
        R = 0;
        for (size_t k = 0; k < rows; k++) R += q[j][k] * q[j][k];
        R = sqrt(R);
        along = 0;
        for (size_t k = 0; k < rows; k++) along += (q[j][k] /= R) * residual[k];
        for (size_t k = 0; k < rows; k++) residual[k] -= along * q[j][k];
    }
    for (size_t k = 0; k < rows; k++) sum += residual[k] * residual[k];
    fit f = {.first = first, .scatter = sqrt(sum / (double)(rows - (size_t)m->n))};
    f.a = along / R / step[first];
    f.error = errors_allowed * fmax(f.scatter, noise) / R / step[first];
    f.worst = sqrt((double)rows) / R / step[first]; /* a = sum_k w_k y_k with |w| = 1/(R step) */
    return f;
}

/* Returns the fit with the smallest uncertainty of a. */
static fit best_fit(const model *models, int n_models, const double *step, const double *y, size_t n, double noise)
{
    fit best = {.error = HUGE_VAL};
    for (int i = 0; i < n_models; i++) {
        for (size_t first = 0; first + PIO_TAYLOR_WINDOW <= n && first + (size_t)models[i].n + 3 <= n; first++) {
            fit f = fit_window(&models[i], step, y, n, first, noise);
            if (f.error < best.error) best = f;
        }
    }
    return best;
}

static const model one_sided[] = {{2, {2, 1}}, {3, {2, 3, 1}}, {4, {2, 3, 4, 1}}};
static const model odd[] = {{1, {1}}, {2, {3, 1}}, {3, {3, 5, 1}}};
static const model even[] = {{2, {2, 1}}, {3, {2, 4, 1}}, {4, {2, 4, 6, 1}}};

/* ---- what is reported beside the verdict ------------------------------------------------------------------ */

static double quotient(const pio_taylor_direction *d, size_t k)
{
    return d->minus ? (d->plus[k] - d->minus[k]) / (2 * d->step[k]) : (d->plus[k] - d->J0) / d->step[k];
}

/* Returns the quotient with the smallest change from its neighbour, with rounding added so that a chance agreement of
 * noise is not chosen. */
static double best_difference(const pio_taylor_direction *d, double noise)
{
    double best = quotient(d, 0), least = HUGE_VAL;
    for (size_t k = 0; k + 1 < d->n; k++) {
        double next = quotient(d, k + 1), change = fabs(next - quotient(d, k)) + noise / d->step[k + 1];
        if (change < least) best = next, least = change;
    }
    return best;
}

/* Returns the median order at which y decreases with the step, over the pairs that are well above rounding. */
static double observed_order(const double *step, const double *y, size_t n, double noise)
{
    double order[PIO_TAYLOR_STEPS];
    size_t count = 0;
    for (size_t k = 0; k + 1 < n; k++) {
        if (!(fabs(y[k]) > 20 * noise && fabs(y[k + 1]) > 20 * noise)) continue;
        double p = log(fabs(y[k] / y[k + 1])) / log(step[k] / step[k + 1]);
        size_t i = count++;
        for (; i > 0 && order[i - 1] > p; i--) order[i] = order[i - 1];
        order[i] = p;
    }
    if (count == 0) return (double)NAN;
    return count % 2 ? order[count / 2] : (order[count / 2 - 1] + order[count / 2]) / 2;
}

/* ---- the verdict ----------------------------------------------------------------------------------------- */

static bool usable(const pio_taylor_direction *d, pio_taylor_row *row)
{
    if (d->n < PIO_TAYLOR_WINDOW || d->n > PIO_TAYLOR_STEPS || !(d->tolerance > 0) || !(d->noise >= 0) ||
        !(d->scale >= 0)) {
        conclude(row, PIO_TAYLOR_INCONCLUSIVE,
                 "a check needs %d to %d steps, a tolerance above 0, noise and scale not negative", PIO_TAYLOR_WINDOW,
                 PIO_TAYLOR_STEPS);
        return false;
    }
    for (size_t k = 0; k < d->n; k++) {
        if (d->step[k] > 0 && d->step[k] < HUGE_VAL && (k == 0 || d->step[k] < d->step[k - 1])) continue;
        conclude(row, PIO_TAYLOR_INCONCLUSIVE, "step %zu is %g; steps must be positive and fall", k, d->step[k]);
        return false;
    }
    if (!isfinite(d->J0) || !isfinite(d->adjoint)) {
        conclude(row, PIO_TAYLOR_FAILED, "J is %g and the adjoint's derivative %g; both must be finite", d->J0,
                 d->adjoint);
        return false;
    }
    for (size_t k = 0; k < 2 * d->n; k++) {
        const double *J = k < d->n ? d->plus : d->minus;
        if (!J || isfinite(J[k % d->n])) continue;
        conclude(row, PIO_TAYLOR_FAILED, "J(m %c e h) is %g at e = %g", k < d->n ? '+' : '-', J[k % d->n],
                 d->step[k % d->n]);
        return false;
    }
    return true;
}

/* Returns the standard deviation of a difference of two values of J by rounding: about an ulp of each, and of e <g,h>.
 */
static double rounding(const pio_taylor_direction *d)
{
    double largest = fabs(d->J0);
    for (size_t k = 0; k < d->n; k++) {
        largest = fmax(largest, fabs(d->plus[k]));
        if (d->minus) largest = fmax(largest, fabs(d->minus[k]));
    }
    return fmax(2 * DBL_EPSILON * (largest + d->step[0] * fabs(d->adjoint)), sqrt(2) * d->noise);
}

/* Returns whether the error bound of J explains the difference of gradients f that was found, which then does not count
 * as one: with errors of n values up to the bound a = sum_k w_k y_k is off by sqrt(n) of it times |w| at most. `apart`
 * is how many bounds apart values of y can be. */
static bool explained_by_errors(const pio_taylor_direction *d, pio_taylor_row *row, const fit *f, double apart,
                                double reference)
{
    if (!(d->error_bound > 0)) return false;
    const double error = fmax(f->error, apart * d->error_bound * f->worst);
    if ((fabs(f->a) - error) / reference > d->tolerance) return false;
    conclude(row, PIO_TAYLOR_INCONCLUSIVE,
             "differences cannot decide: |a| = %.2e +- %.1e of %.2g, tolerance %.1e; forces out of balance and the "
             "engine's digits "
             "leave J uncertain by %.1e: a smaller solver.tolerance, f64, or loads that strain more would decide",
             fabs(f->a) / reference, error / reference, reference, d->tolerance, d->error_bound);
    return true;
}

static void test_fit(const pio_taylor_direction *d, pio_taylor_row *row, const fit *f, bool affine)
{
    const char *of = row->absolute ? "scale, the adjoint being zero" : "|<g,h>|";
    char window[96] = "";
    if (affine) {
        snprintf(window, sizeof window, "; the remainder is all rounding, compared at e = %.3g", d->step[0]);
    } else if (f->first > 0) {
        snprintf(window, sizeof window, "; %zu of the largest steps left out", f->first);
    }
    if (row->uncertainty <= d->tolerance && row->remainder <= d->tolerance) {
        conclude(row, PIO_TAYLOR_PASSED, "|a| = %.2e +- %.1e of %s, tolerance %.1e%s", row->remainder, row->uncertainty,
                 of, d->tolerance, window);
    } else if (row->remainder - row->uncertainty > d->tolerance || row->uncertainty <= d->tolerance) {
        conclude(row, PIO_TAYLOR_FAILED,
                 "the adjoint is not the derivative: |a| = %.2e +- %.1e of %s, tolerance %.1e; differences show %.9g%s",
                 row->remainder, row->uncertainty, of, d->tolerance, row->fitted, window);
    } else {
        conclude(
            row, PIO_TAYLOR_INCONCLUSIVE,
            "differences cannot decide: |a| = %.2e +- %.1e of %s, tolerance %.1e; J has a kink or noise of about %.1e "
            "here, or the first step %.3g is too small or too large",
            row->remainder, row->uncertainty, of, d->tolerance, f->scatter, d->step[0]);
    }
}

/* A function that is smooth at m has an even part without linear term. A kink overrules the verdict so far. */
static void find_kink(const pio_taylor_direction *d, pio_taylor_row *row, double noise, double reference)
{
    double y[PIO_TAYLOR_STEPS];
    for (size_t k = 0; k < d->n; k++) y[k] = ((d->plus[k] - d->J0) + (d->minus[k] - d->J0)) / 2;
    fit f = best_fit(even, 3, d->step, y, d->n, noise);
    if (fabs(f.a) > d->tolerance * reference && fabs(f.a) > f.error &&
        !explained_by_errors(d, row, &f, 2, reference)) { /* differences to J0 */
        conclude(row, PIO_TAYLOR_FAILED,
                 "J has a kink here: its slopes to the two sides differ by %.2e +- %.1e; no gradient is right",
                 2 * fabs(f.a), 2 * f.error);
    }
}

/* Returns whether the adjoint and every difference are no more than rounding of J. */
static bool independent(const pio_taylor_direction *d, pio_taylor_row *row, const double *change)
{
    const double least = 8 * fmax(rounding(d), d->error_bound), bound = least / d->step[0];
    bool none = fabs(d->adjoint) <= bound && d->weight > 0 && bound <= d->tolerance * d->weight;
    for (size_t k = 0; k < d->n; k++)
        none = none && fabs(change[k]) <= least && (!d->minus || fabs(d->minus[k] - d->J0) <= least);
    if (!none) return false;
    row->absolute = true;
    row->remainder = fabs(change[0] - d->step[0] * d->adjoint) / d->step[0] / d->weight;
    row->uncertainty = bound / d->weight;
    row->relative_error = 0;
    row->fitted = change[0] / d->step[0];
    conclude(row, PIO_TAYLOR_PASSED,
             "J does not depend on it: the adjoint and every difference are no more than rounding of J; a derivative "
             "below %.1e "
             "would not be seen",
             bound);
    return true;
}

void pio_taylor_check(const pio_taylor_direction *d, pio_taylor_row *row)
{
    double y[PIO_TAYLOR_STEPS] = {0}, r[PIO_TAYLOR_STEPS] = {0}, change[PIO_TAYLOR_STEPS] = {0};
    *row = (pio_taylor_row){.adjoint = d->adjoint, .tolerance = d->tolerance, .central = d->minus != NULL};
    snprintf(row->name, sizeof row->name, "%s", d->name ? d->name : "");
    row->difference = row->relative_error = row->fitted = row->remainder = row->uncertainty = (double)NAN;
    row->first_order = row->second_order = (double)NAN;
    if (!usable(d, row)) return;
    row->first_step = d->step[0];

    double noise = rounding(d);
    bool affine = true;
    for (size_t k = 0; k < d->n; k++) {
        change[k] = d->plus[k] - d->J0;
        r[k] = change[k] - d->step[k] * d->adjoint;
        y[k] = d->minus ? (d->plus[k] - d->minus[k]) / 2 - d->step[k] * d->adjoint : r[k];
        affine = affine && fabs(y[k]) <= 8 * noise && fabs(r[k]) <= 8 * noise;
    }
    fit f = best_fit(d->minus ? odd : one_sided, 3, d->step, y, d->n, noise);
    if (affine)
        f = (fit){.a = y[0] / d->step[0], .error = 8 * noise / d->step[0], .scatter = noise, .worst = 1 / d->step[0]};

    noise = fmax(noise, f.scatter);
    row->difference = best_difference(d, noise);
    if (independent(d, row, change)) return;
    double larger = fmax(fabs(row->difference), fabs(d->adjoint));
    row->relative_error = larger > 0 ? fabs(row->difference - d->adjoint) / larger : 0;
    row->fitted = d->adjoint + f.a;
    row->first_order = observed_order(d->step, change, d->n, noise);
    row->second_order = observed_order(d->step, r, d->n, noise);
    row->absolute = fabs(d->adjoint) <= zero_adjoint * d->scale;
    double reference = row->absolute ? d->scale : fabs(d->adjoint);
    if (!(reference > 0)) {
        conclude(row, PIO_TAYLOR_INCONCLUSIVE,
                 "the adjoint is zero and no scale was given to compare with; differences show %.3e +- %.1e", f.a,
                 f.error);
        return;
    }
    row->remainder = fabs(f.a) / reference;
    row->uncertainty = f.error / reference;
    test_fit(d, row, &f, affine);
    if (row->verdict == PIO_TAYLOR_FAILED) explained_by_errors(d, row, &f, d->minus ? 1 : 2, reference);
    if (d->minus) find_kink(d, row, noise, reference);
}

/* ---- for people ------------------------------------------------------------------------------------------- */

void pio_taylor_print_header(FILE *to)
{
    fprintf(to, "%-32s %16s %16s %9s %9s %7s %8s %6s %6s  %s\n", "direction", "adjoint", "difference", "rel.error",
            "remainder", "limit", "step", "order1", "order2", "verdict");
}

static void print_order(FILE *to, double order)
{
    if (isnan(order)) {
        fprintf(to, " %6s", "-");
    } else {
        fprintf(to, " %6.2f", order);
    }
}

void pio_taylor_print_row(FILE *to, const pio_taylor_row *row)
{
    fprintf(to, "%-32s %16.9e %16.9e %9.1e %9.1e %7.0e %8.1e", row->name, row->adjoint, row->difference,
            row->relative_error, row->remainder, row->tolerance, row->first_step);
    print_order(to, row->first_order);
    print_order(to, row->second_order);
    fprintf(to, "  %s\n", pio_taylor_verdict_name(row->verdict));
    if (row->verdict != PIO_TAYLOR_PASSED) fprintf(to, "    %s\n", row->reason);
}
