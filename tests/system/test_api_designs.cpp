/* test_api_designs.cpp -- what a program of one's own reads of a design: targets that are tied, filtered, logarithmic,
 * fixed or free, and the bounds of their values. */
#include "tests/system/api_case.h"

using namespace api;

namespace
{

piola_design_info design_of(const piola_problem *p, size_t i)
{
    piola_design_info info = {};
    piola_error error = {};
    if (!worked(piola_design(p, i, &info, &error), error)) faults++;
    return info;
}

bool is(const piola_design_info &d, const char *path, const char *unit, const char *per)
{
    const bool same = !std::strcmp(d.path, path) && !std::strcmp(d.unit, unit) && !std::strcmp(d.per, per);
    if (!same) std::printf("    '%s' '%s' '%s'\n", d.path, d.unit, d.per);
    return same;
}

void check_particles()
{
    const problem p = open(particles(10));
    if (!p) return;
    const size_t n = piola_variables(p.get());
    expect("six targets have five variables", piola_designs(p.get()) == 6 && n == 5, double(n), 5);
    const auto soft = design_of(p.get(), 0), hard = design_of(p.get(), 1), rise = design_of(p.get(), 3),
               pull = design_of(p.get(), 5);
    expect("the first target has the path, unit and count of the scene",
           is(soft, "materials.soft.E", "Pa", "target") && soft.groups * soft.components == 1 && !soft.tied,
           double(soft.groups * soft.components), 1);
    expect("the second is tied to its variable and logarithmic",
           is(hard, "materials.hard.E", "Pa", "target") && hard.tied && hard.logarithmic && hard.first == soft.first,
           double(hard.first), double(soft.first));
    expect("a tied velocity has its own leader", rise.tied && rise.first == 1 && !rise.logarithmic, double(rise.first),
           1);
    expect("a vector without bounds has its components", pull.first == 3 && pull.components == 2 && !pull.filtered,
           double(pull.components), 2);
    vector lower(n), upper(n);
    piola_error error = {};
    bool ok = worked(piola_bounds(p.get(), lower.data(), upper.data(), n, &error), error);
    const vector low = {5e3, -2, 1.2, -INFINITY, -INFINITY}, high = {5e4, 2, INFINITY, INFINITY, INFINITY};
    double worst = 0;
    for (size_t v = 0; v < n; v++) {
        worst = std::fmax(worst, lower[v] == low[v] ? 0 : std::fabs(lower[v] - low[v]) / std::fabs(low[v]));
        worst = std::fmax(worst, upper[v] == high[v] ? 0 : std::fabs(upper[v] - high[v]) / std::fabs(high[v]));
    }
    expect("bounds are those of the scene, of the density 1/1000 of the start, or infinite", ok && worst <= 1e-15,
           worst, 1e-15);
}

void check_mesh()
{
    const problem p = open(mesh(2));
    if (!p) return;
    const size_t n = piola_variables(p.get());
    const auto depth = design_of(p.get(), 2), push = design_of(p.get(), 3);
    expect("elements that are fixed are no variables: 28 of 32 are left", n == 1 + 28 + 1 + 2, double(n), 32);
    expect("a filtered field is per element",
           is(depth, "bodies.one.thickness", "m", "element") && depth.filtered && depth.groups == 28,
           double(depth.groups), 28);
    vector lower(n, -7), upper(n, -7);
    piola_error error = {};
    const bool ok = worked(piola_bounds(p.get(), lower.data(), upper.data(), n, &error), error);
    const double off = std::fabs(lower[push.first] - 10) + std::fabs(upper[push.first] - 30);
    expect("bounds of a load are those of the scene", ok && off <= 0, off, 0);
    bool between = true;
    for (size_t v = 1; v < 29; v++) between = between && lower[v] >= 0.2 && lower[v] <= 0.2 && upper[v] >= 0.8;
    expect("bounds of the field are those of each element", between, between, 1);
    expect("a logarithmic value without bounds has none", std::isinf(lower[0]) && std::isinf(upper[0]), 0, 0);
    lower.assign(n, -7);
    const bool refused = piola_bounds(p.get(), lower.data(), nullptr, n - 1, &error) == PIOLA_USAGE;
    expect("bounds are not written into a buffer that is too small",
           refused && std::strstr(error.message, "32") && same_bits(lower, vector(n, -7)), refused, 1);
    piola_design_info none = {};
    expect("there is no target after the last", piola_design(p.get(), 5, &none, &error) == PIOLA_USAGE && !none.path[0],
           0, 0);
}

} // namespace

int main()
{
    check_particles();
    check_mesh();
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
