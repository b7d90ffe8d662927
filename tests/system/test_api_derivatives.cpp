/* test_api_derivatives.cpp -- derivatives of observations: pullbacks of cotangents and Jacobians, compared with the
 * gradient of the objective, with one another, with differences, and with a flight whose derivatives are known. */
#include "tests/system/api_case.h"

#include <cstdlib>

using namespace api;

namespace
{

/* Numbers without a pattern between -1 and 1. */
double number(size_t k, double seed)
{
    return std::sin(seed + 2.7 * double(k) + 1.3 * double(k * k % 17));
}

/* The gradient of bar->J J + samples_bar y; empty if that failed. */
vector pulled(piola_problem *p, const vector &values, double J_bar, const vector &samples_bar)
{
    piola_error error = {};
    vector gradient(piola_variables(p));
    const piola_cotangents bar = {J_bar, samples_bar.empty() ? nullptr : samples_bar.data(), samples_bar.size()};
    if (!worked(piola_pullback(p, values.data(), &bar, gradient.data(), gradient.size(), &error), error))
        gradient.clear();
    return gradient;
}

/* The largest difference of two vectors, relative to the largest number of the second. */
double difference(const vector &a, const vector &b)
{
    double worst = 0, largest = 0;
    if (a.size() != b.size() || a.empty()) return INFINITY;
    for (size_t v = 0; v < a.size(); v++) {
        worst = std::fmax(worst, std::fabs(a[v] - b[v]));
        largest = std::fmax(largest, std::fabs(b[v]));
    }
    return worst / largest;
}

void check_objective(piola_problem *p, const vector &values)
{
    piola_error error = {};
    const size_t n = values.size();
    vector gradient(n), minus(n), some(n), field, twice;
    double J = 0;
    bool ok = worked(piola_evaluate(p, values.data(), &J, gradient.data(), n, &error), error);
    const char *name = piola_particles(p) ? "grad_velocity" : "grad_thickness";
    ok = ok && read(p, name, field);
    expect("the pullback of the objective alone is its gradient, to the bit",
           ok && same_bits(pulled(p, values, 1, {}), gradient), difference(pulled(p, values, 1, {}), gradient), 0);
    for (size_t v = 0; v < n; v++) minus[v] = -4 * gradient[v];
    for (size_t v = 0; v < n; v++) some[v] = 0.7 * gradient[v];
    expect("that of -4 J is -4 times as large, to the bit",
           same_bits(pulled(p, values, -4, vector(piola_samples(p))), minus),
           difference(pulled(p, values, -4, {}), minus), 0);
    ok = read(p, name, twice);
    for (size_t i = 0; i < field.size(); i++) field[i] *= -4;
    expect("and so is the field of derivatives", ok && same_bits(twice, field), difference(twice, field), 0);
    const double off = difference(pulled(p, values, 0.7, {}), some);
    expect("that of 0.7 J is 0.7 times as large, to rounding", off <= 1e-12, off, 1e-12);
}

void check_rows(piola_problem *p, const vector &values)
{
    piola_error error = {};
    const size_t n = values.size(), m = piola_samples(p);
    vector jacobian(m * n, -7), sum(n), bar(m), gradient(n), y, again, row(n), one(m);
    double J = 0;
    bool ok = worked(piola_evaluate(p, values.data(), &J, gradient.data(), n, &error), error) && observations_of(p, y);
    ok = ok && worked(piola_jacobian(p, values.data(), jacobian.data(), m * n, &error), error);
    ok = ok && observations_of(p, again);
    expect("observations after a Jacobian have the bits of an evaluation", ok && same_bits(y, again), !ok, 0);
    for (size_t k = 0; k < m; k++) bar[k] = number(k, 0.4) / (std::fabs(y[k]) + 1e-3);
    for (size_t k = 0; k < m; k++)
        for (size_t v = 0; v < n; v++) sum[v] += bar[k] * jacobian[k * n + v];
    double off = difference(pulled(p, values, 0, bar), sum);
    expect("a pullback is the sum of rows times cotangents", off <= 1e-10, off, 1e-10);
    for (size_t v = 0; v < n; v++) sum[v] += 0.3 * gradient[v];
    off = difference(pulled(p, values, 0.3, bar), sum);
    expect("also with a share of the objective", off <= 1e-10, off, 1e-10);
    one[m / 2] = 1;
    row.assign(jacobian.begin() + long(m / 2 * n), jacobian.begin() + long((m / 2 + 1) * n));
    expect("a row is the pullback of its value alone, to the bit", same_bits(pulled(p, values, 0, one), row),
           difference(pulled(p, values, 0, one), row), 0);
    expect("a field of derivatives is refused after a Jacobian",
           !piola_jacobian(p, values.data(), jacobian.data(), m * n, &error) &&
               piola_read(p, piola_particles(p) ? "grad_velocity" : "grad_thickness", sum.data(), 1, &error) ==
                   PIOLA_USAGE,
           0, 0);
}

/* Each variable moves by up to a hundredth of itself; differences of the fourth order along that direction. */
void check_differences(piola_problem *p, const vector &values)
{
    piola_error error = {};
    const size_t n = values.size(), m = piola_samples(p);
    vector way(n), bar(m), y, phi(4);
    const double times[4] = {-2, -1, 1, 2};
    bool ok = worked(piola_evaluate(p, values.data(), nullptr, nullptr, 0, &error), error) && observations_of(p, y);
    for (size_t v = 0; v < n; v++) way[v] = number(v, 1) / 100 * (std::fabs(values[v]) > 0 ? values[v] : 1);
    for (size_t k = 0; k < m; k++) bar[k] = number(k, 0.4) / (std::fabs(y[k]) + 1e-3);
    for (size_t t = 0; ok && t < 4; t++) {
        vector moved(values);
        for (size_t v = 0; v < n; v++) moved[v] += times[t] * way[v];
        ok = worked(piola_evaluate(p, moved.data(), nullptr, nullptr, 0, &error), error) && observations_of(p, y);
        for (size_t k = 0; k < m; k++) phi[t] += bar[k] * y[k];
    }
    const vector gradient = pulled(p, values, 0, bar);
    const double rate = (phi[0] - 8 * phi[1] + 8 * phi[2] - phi[3]) / 12;
    double exact = 0, wrong = 0, largest = 0;
    size_t at = 0;
    for (size_t v = 0; v < gradient.size(); v++) {
        exact += gradient[v] * way[v];
        if (std::fabs(gradient[v] * way[v]) > largest) largest = std::fabs(gradient[v] * way[v]), at = v;
    }
    for (size_t v = 0; v < gradient.size(); v++) wrong += gradient[v] * way[v] * (v == at ? 1.01 : 1);
    const double off = std::fabs(rate - exact) / std::fabs(rate), far = std::fabs(rate - wrong) / std::fabs(rate);
    expect("a pullback has the slope of differences of the observations", ok && off <= 1e-6, off, 1e-6);
    expect("an entry that is off by a hundredth would be found", far > 1e-6, far, 1e-6);
}

void check_misuse(piola_problem *p, const vector &values)
{
    piola_error error = {};
    const size_t n = values.size(), m = piola_samples(p);
    const double filled = -77.25;
    vector buffer(m * n, filled), bar(m, 1), y, after, bad(values);
    const piola_cotangents good = {1, bar.data(), m}, few = {1, bar.data(), m - 1}, none = {NAN, nullptr, 0};
    bool ok = worked(piola_evaluate(p, values.data(), nullptr, nullptr, 0, &error), error) && observations_of(p, y);
    bad[0] = NAN;
    const auto refused = [&](piola_status rc) {
        std::printf("    %s\n", error.message);
        return rc == PIOLA_USAGE && error.message[0] && same_bits(buffer, vector(m * n, filled));
    };
    expect("a pullback needs room for the gradient",
           refused(piola_pullback(p, values.data(), &good, buffer.data(), n - 1, &error)), 0, 0);
    expect("and a cotangent of every value", refused(piola_pullback(p, values.data(), &few, buffer.data(), n, &error)),
           0, 0);
    expect("and finite ones", refused(piola_pullback(p, values.data(), &none, buffer.data(), n, &error)), 0, 0);
    expect("and finite values", refused(piola_pullback(p, bad.data(), &good, buffer.data(), n, &error)), 0, 0);
    expect("a Jacobian needs room for all rows",
           refused(piola_jacobian(p, values.data(), buffer.data(), m * n - 1, &error)), 0, 0);
    ok = ok && observations_of(p, after);
    expect("after all of that the evaluation before it can still be read", ok && same_bits(y, after), !ok, 0);
}

/* A plan that keeps few states runs steps again, and begins each row of a Jacobian with a forward run: the bits are the
 * same. The message of a budget that is too small says which would do. */
void check_plans(const std::string &text)
{
    const std::string few = text + "gradient: {memory: {strategy: checkpoint, budget: ";
    const std::string small = few + "1 B}}\n";
    piola_options options = piola_options_default();
    piola_problem *none = nullptr;
    piola_error error = {};
    options.scene = "scene.yaml";
    options.text = small.c_str();
    options.device = "cpu";
    const piola_status rc = piola_open(&none, &options, &error);
    unsigned long long needed = 0, states = 0, state = 0;
    const char *at = std::strstr(error.message, "needs "), *of = std::strstr(error.message, "states of ");
    if (rc == PIOLA_NO_MEMORY && at && of) {
        needed = std::strtoull(at + 6, nullptr, 10);
        state = std::strtoull(of + 10, nullptr, 10);
        states = 3;
    }
    expect("a budget of one byte is refused with the number that is needed", needed > 0 && state > 0, double(needed),
           0);
    const problem all = open(text), three = open(few + std::to_string(needed + (states - 1) * state) + " B}}\n");
    if (!all || !three) return;
    const vector values = start_of(all.get());
    const size_t n = values.size(), m = piola_samples(all.get());
    vector bar(m), rows[2] = {vector(m * n), vector(m * n, 1)};
    for (size_t k = 0; k < m; k++) bar[k] = number(k, 0.4);
    expect("with three states the pullback has the bits of a plan that keeps all",
           same_bits(pulled(all.get(), values, 1, bar), pulled(three.get(), values, 1, bar)), 0, 0);
    const bool ok = worked(piola_jacobian(all.get(), values.data(), rows[0].data(), m * n, &error), error) &&
                    worked(piola_jacobian(three.get(), values.data(), rows[1].data(), m * n, &error), error);
    expect("and so has the Jacobian", ok && same_bits(rows[0], rows[1]), difference(rows[1], rows[0]), 0);
}

/* A body in free flight: x = x0 + v t + g h^2 n (n + 1)/2 after n steps, by symplectic Euler. */
void check_flight()
{
    std::string text =
        "version: 1\n"
        "name: flight\n"
        "method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1]}}\n"
        "time: {dt: 1 ms, duration: 50 ms}\n"
        "gravity: [0, -9.81]\n"
        "materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]\n"
        "geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]\n"
        "bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]\n"
        "observe: [{name: place, type: mean_position, body: ball, every: 10 ms}]\n"
        "design: [{name: speed, target: bodies.ball.velocity}, {name: pull, target: gravity}]\n";
    const problem p = open(text);
    if (!p) return;
    piola_error error = {};
    piola_observation_info place = {};
    const size_t m = piola_samples(p.get());
    vector jacobian(4 * m), times(m / 2), gradient(4), bar(m, 1);
    bool ok = worked(piola_jacobian(p.get(), nullptr, jacobian.data(), 4 * m, &error), error) &&
              !piola_observation(p.get(), 0, &place, &error) &&
              !piola_read_observation(p.get(), 0, times.data(), m / 2, nullptr, 0, &error);
    expect("places are in metres", ok && !std::strcmp(place.unit, "m"), ok, 1);
    double worst = 0;
    for (size_t k = 0; k < m; k++)
        for (size_t v = 0; v < 4; v++) {
            const double t = times[k / 2], n = std::round(t / 1e-3);
            const double exact = v % 2 != k % 2 ? 0 : v < 2 ? t : 1e-6 * n * (n + 1) / 2;
            worst = std::fmax(worst, std::fabs(jacobian[4 * k + v] - exact));
        }
    expect("the Jacobian of a free flight is t and h^2 n(n+1)/2", ok && worst <= 1e-13, worst, 1e-13);
    const piola_cotangents without = {0, bar.data(), m}, with = {1, bar.data(), m};
    ok = worked(piola_pullback(p.get(), nullptr, &without, gradient.data(), 4, &error), error);
    double sum = 0;
    for (const double t : times) sum += t;
    expect("a scene without an objective has pullbacks", ok && std::fabs(gradient[0] - sum) <= 1e-12,
           std::fabs(gradient[0] - sum), 1e-12);
    expect("but not of the objective",
           piola_pullback(p.get(), nullptr, &with, gradient.data(), 4, &error) == PIOLA_USAGE, 0, 0);
}

} // namespace

int main()
{
    for (const std::string &text : {particles(40), mesh(6)}) {
        const problem p = open(text);
        if (!p) return 1;
        vector values = start_of(p.get());
        for (size_t v = 0; v < values.size(); v++) values[v] += number(v, 3) / 50 * values[v];
        check_objective(p.get(), values);
        check_rows(p.get(), values);
        check_differences(p.get(), values);
        check_misuse(p.get(), values);
        check_plans(text);
    }
    check_flight();
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
