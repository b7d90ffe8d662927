/* api_case.h -- what the tests of piola_problem.h share: sentences that hold or not, problems of scenes in memory, and
 * two scenes, of particles and of meshes. */
#ifndef PIOLA_API_CASE_H
#define PIOLA_API_CASE_H

#include "piola.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace api
{

inline int faults = 0;

inline void expect(const char *sentence, bool holds, double measured, double threshold)
{
    std::printf("%-76s measured %.3e, threshold %.3e: %s\n", sentence, measured, threshold, holds ? "ok" : "FAILED");
    faults += !holds;
}

using vector = std::vector<double>;
using problem = std::unique_ptr<piola_problem, decltype(&piola_close)>;

/* Opens a scene in memory, whose name is `name`; NULL, and a fault, if that fails. */
inline problem open(const std::string &text, const char *name = "scene.yaml")
{
    piola_options options = piola_options_default();
    piola_error error = {};
    piola_problem *p = nullptr;
    options.scene = name;
    options.text = text.c_str();
    options.device = "cpu";
    if (piola_open(&p, &options, &error)) {
        std::printf("FAILED: %s\n", error.message);
        faults++;
    }
    return problem(p, piola_close);
}

/* Returns whether a call worked, and prints why not. */
inline bool worked(piola_status rc, const piola_error &error)
{
    if (rc) std::printf("    %d: %s\n", rc, error.message);
    return rc == PIOLA_OK;
}

inline bool same_bits(const vector &a, const vector &b)
{
    return a.size() == b.size() && !std::memcmp(a.data(), b.data(), sizeof(double) * a.size());
}

/* The starting values of the design. */
inline vector start_of(const piola_problem *p)
{
    vector start(piola_variables(p));
    for (size_t v = 0; v < start.size(); v++) piola_variable(p, v, nullptr, 0, &start[v], nullptr);
    return start;
}

/* All values of the observations of the last evaluation, [observation][sample][component]. */
inline bool observations_of(const piola_problem *p, vector &y)
{
    piola_error error = {};
    size_t at = 0;
    y.assign(piola_samples(p), 0);
    for (size_t i = 0; i < piola_observations(p); i++) {
        piola_observation_info info = {};
        if (!worked(piola_observation(p, i, &info, &error), error)) return false;
        const size_t n = info.samples * info.components;
        if (at + n > y.size()) return false;
        if (!worked(piola_read_observation(p, i, nullptr, 0, y.data() + at, n, &error), error)) return false;
        at += n;
    }
    return at == y.size();
}

inline bool read(piola_problem *p, const char *field, vector &values)
{
    piola_error error = {};
    values.assign(piola_items(p, field) * piola_components(p, field), 0);
    return worked(piola_read(p, field, values.data(), values.size(), &error), error);
}

/* Two bodies of particles, whose stiffness and velocity are tied; `steps` of 0.5 ms. */
inline std::string particles(int steps, const char *every = "5 ms")
{
    return "version: 1\n"
           "name: particles\n"
           "method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.05, min: [0, 0], max: [2, 1]}}\n"
           "time: {dt: 0.5 ms, duration: " +
           std::to_string(0.5 * steps) +
           " ms}\n"
           "materials:\n"
           "  - {name: soft, model: neo_hookean, E: 20 kPa, nu: 0.3, density: 1000}\n"
           "  - {name: hard, model: fixed_corotated, E: 30 kPa, nu: 0.3, density: 1200}\n"
           "geometry:\n"
           "  - {name: left, type: box, min: [0.3, 0.3], max: [0.6, 0.6]}\n"
           "  - {name: right, type: box, min: [1.2, 0.3], max: [1.5, 0.6]}\n"
           "bodies:\n"
           "  - {name: one, geometry: left, material: soft, velocity: [1, 0]}\n"
           "  - {name: two, geometry: right, material: hard, velocity: [-1, 0], angular_velocity: 4}\n"
           "observe:\n"
           "  - {name: centre, type: mean_position, body: one, every: " +
           std::string(every) +
           "}\n"
           "  - {name: energy, type: kinetic_energy, body: two}\n"
           "design:\n"
           "  - {name: E, targets: [materials.soft.E, materials.hard.E], initial: 25 kPa, bounds: [5 kPa, 50 kPa],\n"
           "     transform: log}\n"
           "  - {name: rise, targets: [bodies.one.velocity.y, bodies.two.velocity.y], bounds: [-2 m/s, 2 m/s]}\n"
           "  - {name: weight, target: materials.hard.density}\n"
           "  - {name: pull, target: gravity}\n"
           "objective:\n"
           "  - {type: target, of: centre, value: [0.7, 0.46]}\n"
           "  - {type: minimize, of: energy, weight: 1e-3}\n";
}

/* A body of elements in motion, whose thickness has a filter and a part that is fixed, and a second one, tied to its
 * stiffness; `steps` of 2 ms. */
inline std::string mesh(int steps, const char *every = "4 ms", const char *solver = "auto")
{
    return "version: 1\n"
           "name: mesh\n"
           "method: {type: fem, dimension: 2, plane: stress}\n"
           "time: {integrator: newmark, dt: 2 ms, duration: " +
           std::to_string(2 * steps) +
           " ms}\n"
           "solver: {linear: " +
           std::string(solver) +
           "}\n"
           "materials:\n"
           "  - {name: soft, model: neo_hookean, E: 40 kPa, nu: 0.3, density: 1100}\n"
           "  - {name: hard, model: neo_hookean, E: 60 kPa, nu: 0.3, density: 1100}\n"
           "geometry:\n"
           "  - {name: low, type: box, element: quad4, elements: [8, 4], min: [0, 0], max: [1, 0.5]}\n"
           "  - {name: high, type: box, element: quad4, elements: [4, 2], min: [0, 1], max: [1, 1.5]}\n"
           "bodies:\n"
           "  - {name: one, geometry: low, material: soft, thickness: 0.5}\n"
           "  - {name: two, geometry: high, material: hard, velocity: [0.1, 0.4]}\n"
           "boundary:\n"
           "  - {name: root, body: one, on: {group: left}, type: fixed}\n"
           "  - {name: grip, body: two, on: {group: left}, type: fixed}\n"
           "loads:\n"
           "  - {name: push, body: one, on: {group: right}, type: force, value: [20, 50]}\n"
           "  - {name: pull, body: two, on: {group: right}, type: force, value: [-10, 50]}\n"
           "observe:\n"
           "  - {name: end, type: displacement, body: one, on: {group: right}, every: " +
           std::string(every) +
           "}\n"
           "  - {name: stress, type: von_mises, body: two, measure: pnorm, p: 6}\n"
           "  - {name: size, type: volume, body: one}\n"
           "design:\n"
           "  - {name: E, targets: [materials.soft.E, materials.hard.E], initial: 50 kPa, transform: log}\n"
           "  - {name: depth, target: bodies.one.thickness, bounds: [0.2 m, 0.8 m], per: element,\n"
           "     fixed: [{on: {min: [0, 0], max: [0.1, 0.5]}, value: 0.5}], filter: {type: cone, radius: 0.2}}\n"
           "  - {name: push, target: loads.push.value.x, bounds: [10 N, 30 N]}\n"
           "  - {name: speed, target: bodies.two.velocity}\n"
           "objective:\n"
           "  - {type: target, of: end.y, value: 0.05}\n"
           "  - {type: minimize, of: stress, weight: 1e-6}\n"
           "  - {type: prior, of: E, mean: 40 kPa, sigma: 30 kPa, weight: 1e-3}\n"
           "constraints: [{of: size, max: 1.05, relative_to: initial}]\n";
}

} // namespace api

#endif
