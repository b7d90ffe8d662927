/* test_api_mesh.cpp -- what a program of one's own reads of a mesh: gradients with respect to values before a filter,
 * constraints and their gradients, observations, fields on nodes and on elements, and buffers that are too small.
 *
 *     test_api_mesh [FOLDER]    (a writable folder for the scene it makes) */
#include "piola.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace
{

int faults = 0;

void expect(const char *sentence, bool holds, double measured, double threshold)
{
    std::printf("%-72s measured %.3e, threshold %.3e: %s\n", sentence, measured, threshold, holds ? "ok" : "FAILED");
    faults += !holds;
}

const char scene_text[] =
    "version: 1\n"
    "name: sheet\n"
    "method: {type: fem, dimension: 2, plane: stress}\n"
    "materials: [{name: steel, model: linear, E: 210 GPa, nu: 0.3}]\n"
    "geometry: [{name: box, type: box, element: quad4, elements: [6, 3], min: [0, 0], max: [2, 1]}]\n"
    "bodies: [{name: one, geometry: box, material: steel, thickness: 2 mm}]\n"
    "boundary: [{name: wall, body: one, on: {group: left}, type: fixed}]\n"
    "loads: [{name: tip, body: one, on: {min: [2, 1], max: [2, 1]}, type: point_force, value: [0 N, -1 kN]}]\n"
    "observe: [{name: work, type: compliance}, {name: volume, type: volume, body: one}]\n"
    "design:\n"
    "  - {name: depth, target: bodies.one.thickness, bounds: [1 mm, 4 mm], per: element,\n"
    "     filter: {type: cone, radius: 0.6}}\n"
    "  - {name: stiffness, target: materials.steel.E, per: element, transform: log}\n"
    "objective: [{type: minimize, of: work}]\n"
    "constraints: [{of: volume, max: 1, relative_to: initial}]\n"
    "optimizer: {type: mma}\n";

enum { NODES = 28, ELEMENTS = 18 };

/* J and c at values moved by t along the direction. */
bool at(piola_problem *p, const std::vector<double> &start, const std::vector<double> &way, double t, double y[2])
{
    std::vector<double> values(start);
    piola_error error = {};
    for (size_t v = 0; v < values.size(); v++) values[v] += t * way[v];
    if (!piola_evaluate(p, values.data(), &y[0], nullptr, 0, &error) &&
        !piola_constraint(p, 0, nullptr, 0, &y[1], &error))
        return true;
    std::printf("FAILED: %s\n", error.message);
    return false;
}

/* Each variable moves by up to a tenth of itself; differences of the fourth order along that direction. */
void check_gradients(piola_problem *p)
{
    piola_error error = {};
    const size_t n = piola_variables(p);
    std::vector<double> start(n), way(n), slope[2] = {std::vector<double>(n), std::vector<double>(n)};
    double J = 0, c = 1, y[4][2], exact[2] = {0, 0};
    char name[120];
    expect("there are two variables for each element", n == 2 * ELEMENTS, double(n), 2 * ELEMENTS);
    expect("there is one constraint", piola_constraints(p) == 1, double(piola_constraints(p)), 1);
    expect("a constraint is refused before an evaluation",
           piola_constraint(p, 0, nullptr, 0, &c, &error) == PIOLA_USAGE, 0, 0);
    for (size_t v = 0; v < n; v++) {
        piola_variable(p, v, nullptr, 0, &start[v], nullptr);
        way[v] = start[v] * std::sin(1.0 + 2.7 * double(v)) / 10;
    }
    bool ok = !piola_evaluate(p, start.data(), &J, slope[0].data(), n, &error) &&
              !piola_constraint(p, 0, name, sizeof name, &c, &error) &&
              !piola_constraint_gradient(p, 0, slope[1].data(), n, &error);
    expect("a constraint has a name, a value and a gradient", ok && std::strstr(name, "volume"), ok, 1);
    expect("the volume is what it is at the start, so c is 0", std::fabs(c) <= 1e-14, std::fabs(c), 1e-14);
    const double step = 0.02, times[4] = {-2 * step, -step, step, 2 * step};
    for (int k = 0; k < 4; k++) ok = ok && at(p, start, way, times[k], y[k]);
    expect("the gradient of a constraint is refused after an evaluation without one",
           piola_constraint_gradient(p, 0, slope[1].data(), n, &error) == PIOLA_USAGE, 0, 0);
    for (int of = 0; ok && of < 2; of++) {
        for (size_t v = 0; v < n; v++) exact[of] += slope[of][v] * way[v];
        const double rate = (y[0][of] - 8 * y[1][of] + 8 * y[2][of] - y[3][of]) / (12 * step);
        const double off = std::fabs(rate - exact[of]) / std::fabs(rate);
        expect(of ? "dc/dvalues is that of differences" : "dJ/dvalues before the filter is that of differences",
               off <= 1e-7, off, 1e-7);
        double wrong = 0; /* the control: one entry in the middle that is off by a hundredth */
        for (size_t v = 0; v < n; v++) wrong += slope[of][v] * way[v] * (v == ELEMENTS / 2 ? 1.01 : 1);
        const double far = std::fabs(rate - wrong) / std::fabs(rate);
        expect("an entry that is off by a hundredth would be found", far > 1e-7, far, 1e-7);
    }
    expect("the direction changes J", std::fabs(exact[0]) > 1e-3 * std::fabs(J), std::fabs(exact[0] / J), 1e-3);
}

void check_observations(piola_problem *p)
{
    piola_error error = {};
    piola_observation_info work = {}, none = {};
    double J = 0, value = 0, time = -1;
    expect("there are two observations", piola_observations(p) == 2, double(piola_observations(p)), 2);
    expect("there is no third", piola_observation(p, 2, &none, &error) == PIOLA_USAGE, 0, 0);
    bool ok = !piola_observation(p, 0, &work, &error) && !std::strcmp(work.name, "work");
    expect("the first is 'work', one number", ok && work.samples * work.components == 1,
           double(work.samples * work.components), 1);
    ok = !piola_evaluate(p, nullptr, &J, nullptr, 0, &error) &&
         !piola_read_observation(p, 0, &time, 1, &value, 1, &error);
    expect("J is the work of the load", ok && !(std::fabs(value - J) > 0), std::fabs(value - J), 0);
    expect("the time of a static state is the end's", time >= 0, time, 0);
    expect("a buffer for no number is refused",
           piola_read_observation(p, 0, &time, 1, &value, 0, &error) == PIOLA_USAGE, 0, 0);
}

/* How many of the numbers are not the one that they were filled with. */
long changed(const std::vector<double> &buffer, double filled)
{
    long n = 0;
    for (const double x : buffer) n += std::memcmp(&x, &filled, sizeof x) != 0;
    return n;
}

/* Buffers that are one number short, each between numbers that must stay: PIOLA_USAGE with the number that is needed,
 * nothing is written, and nothing was computed. With the right size only the right numbers are written. */
void check_buffers(piola_problem *p)
{
    const size_t n = piola_variables(p);
    const double filled = -77.25;
    std::vector<double> buffer(n + 2, filled);
    piola_error error = {};
    double J = filled, time = filled, value = filled;
    const auto refused = [&](piola_status rc, const char *needed) {
        const long written = changed(buffer, filled) + changed({J, time, value}, filled);
        std::printf("    %s\n", error.message);
        return rc == PIOLA_USAGE && error.status == rc && std::strstr(error.message, needed) && !written;
    };
    expect("a gradient is not written into a buffer that is one number short",
           refused(piola_evaluate(p, nullptr, &J, &buffer[1], n - 1, &error), "36"), double(changed(buffer, filled)),
           0);
    bool ok = !piola_read_observation(p, 0, nullptr, 0, &value, 1, &error);
    expect("and the evaluation before it can still be read", ok && changed({value}, filled), value, filled);
    value = filled;
    ok = !piola_evaluate(p, nullptr, &J, &buffer[1], n, &error);
    expect("with room it is, and nothing beside it", ok && changed(buffer, filled) == long(n),
           double(changed(buffer, filled)), double(n));
    buffer.assign(n + 2, filled);
    J = filled;
    expect("nor is that of a constraint", refused(piola_constraint_gradient(p, 0, &buffer[1], n - 1, &error), "36"),
           double(changed(buffer, filled)), 0);
    ok = !piola_constraint_gradient(p, 0, &buffer[1], n, &error);
    expect("with room it is, and nothing beside it either", ok && changed(buffer, filled) == long(n),
           double(changed(buffer, filled)), double(n));
    buffer.assign(n + 2, filled);
    expect("the times of an observation need room too, and without it no value is written",
           refused(piola_read_observation(p, 0, &time, 0, &value, 1, &error), "size 1"), 0, 0);
    expect("the values do, and without it no time is written",
           refused(piola_read_observation(p, 0, &time, 1, &value, 0, &error), "size 1"), 0, 0);
    ok = !piola_read_observation(p, 0, &time, 1, nullptr, 0, &error);
    expect("times can be read alone", ok && time >= 0 && !changed({value}, filled), time, 0);
    expect("there is no constraint after the last",
           piola_constraint(p, 1, nullptr, 0, nullptr, &error) == PIOLA_USAGE &&
               piola_constraint_gradient(p, 1, &buffer[1], n, &error) == PIOLA_USAGE,
           0, 0);
}

void check_fields(piola_problem *p)
{
    piola_error error = {};
    std::vector<double> moved(2 * NODES), depth(ELEMENTS), gradient(2 * ELEMENTS);
    double J = 0;
    expect("there are no particles", piola_particles(p) == 0, double(piola_particles(p)), 0);
    expect("nodes are counted", piola_nodes(p) == NODES, double(piola_nodes(p)), NODES);
    expect("elements are counted", piola_elements(p) == ELEMENTS, double(piola_elements(p)), ELEMENTS);
    expect("a displacement is of nodes", piola_items(p, "displacement") == NODES,
           double(piola_items(p, "displacement")), NODES);
    expect("grad_thickness is of elements", piola_items(p, "grad_thickness") == ELEMENTS,
           double(piola_items(p, "grad_thickness")), ELEMENTS);
    expect("there are no items of 'speed'", piola_items(p, "speed") == 0, double(piola_items(p, "speed")), 0);
    const bool ok = !piola_evaluate(p, nullptr, &J, gradient.data(), gradient.size(), &error) &&
                    !piola_read(p, "displacement", moved.data(), moved.size(), &error) &&
                    !piola_read(p, "grad_thickness", depth.data(), depth.size(), &error);
    if (!ok) std::printf("%s\n", error.message);
    expect("fields of nodes and of elements can be read", ok, ok, 1);
    expect("a displacement is not read into a buffer that is one number short",
           piola_read(p, "displacement", moved.data(), moved.size() - 1, &error) == PIOLA_USAGE &&
               std::strstr(error.message, "56"),
           0, 0);
    double least = 0; /* the load pulls down at the end: every node is constrained, or goes down */
    for (int i = 0; i < NODES; i++) least = std::fmin(least, moved[size_t(2 * i + 1)]);
    expect("the end goes down by a millimetre or so", least < -1e-5 && least > -1e-2, -least, 1e-5);
}

} // namespace

int main(int argc, char **argv)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(argc > 1 ? argv[1] : ".") / "test_api_mesh_folder";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string scene = (folder / "scene.yaml").string();
    std::ofstream(scene) << scene_text;
    piola_options options = piola_options_default();
    options.scene = scene.c_str();
    options.device = "cpu";
    piola_problem *problem = nullptr;
    piola_error error = {};
    if (piola_open(&problem, &options, &error)) {
        std::printf("FAILED: %s\n", error.message);
        return 1;
    }
    check_gradients(problem);
    check_observations(problem);
    check_buffers(problem);
    check_fields(problem);
    piola_close(problem);
    long files = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) files += entry.exists();
    expect("there is no file but the scene", files == 1, double(files), 1);
    fs::remove_all(folder);
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
