/* test_api.cpp -- piola.h is C++ too, and a program of one's own can evaluate a scene and its gradient with nothing
 * else.
 *
 *     test_api SCENE_FOLDER    (a writable folder for the scene it makes) */
#include "piola.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace
{

int faults = 0;

void expect(const char *sentence, bool holds, double measured, double threshold)
{
    std::printf("%-64s measured %.3e, threshold %.3e: %s\n", sentence, measured, threshold, holds ? "ok" : "FAILED");
    faults += !holds;
}

const char scene_text[] =
    "version: 1\n"
    "name: api\n"
    "method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: slip}}\n"
    "time: {dt: 1 ms, duration: 50 ms}\n"
    "gravity: [0, -9.81]\n"
    "materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]\n"
    "geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]\n"
    "bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]\n"
    "observe: [{name: place, type: mean_position, body: ball}]\n"
    "design: [{name: speed, target: bodies.ball.velocity, bounds: [-3 m/s, 3]}, {name: pull, target: gravity}]\n"
    "objective: [{type: minimize, of: place.x}]\n";

piola_options options_for(const std::string &scene)
{
    piola_options options = piola_options_default();
    options.scene = scene.c_str();
    options.device = "cpu";
    return options;
}

/* J is the mean x at T = 0.05 s, so dJ/dv_x = T, dJ/dg_x = h^2 N (N + 1)/2 (symplectic Euler), and the rest is 0. */
void check_gradient(piola_problem *problem)
{
    piola_error error = {};
    const double duration = 0.05, h = 1e-3, steps = 50;
    const double exact[4] = {duration, 0, h * h * steps * (steps + 1) / 2, 0};
    double J = 0, J_again = 0, gradient[4] = {}, worst = 0;
    expect("there are four design variables", piola_variables(problem) == 4, double(piola_variables(problem)), 4);
    if (faults || piola_evaluate(problem, nullptr, &J, gradient, 4, &error)) {
        std::printf("FAILED: %s\n", error.message);
        faults++;
        return;
    }
    for (int v = 0; v < 4; v++) worst = std::fmax(worst, std::fabs(gradient[v] - exact[v]));
    expect("the gradient of free flight is T and h^2 N(N+1)/2", worst <= 1e-13, worst, 1e-13);

    std::vector<double> values(4);
    for (size_t v = 0; v < 4; v++) piola_variable(problem, v, nullptr, 0, &values[v], nullptr);
    piola_status rc = piola_evaluate(problem, values.data(), &J_again, nullptr, 0, &error);
    double off = std::fabs(J_again - J);
    expect("values that are the start give the same J", !rc && off <= 0, off, 0);
    values[0] += 0.5;
    rc = piola_evaluate(problem, values.data(), &J_again, nullptr, 0, &error);
    off = std::fabs(J_again - J - duration / 2);
    expect("half a metre per second more moves the body by T/2", !rc && off <= 1e-13, off, 1e-13);
    gradient[0] = J_again = -7;
    rc = piola_evaluate(problem, values.data(), &J_again, gradient, 3, &error);
    expect("a gradient of four is not written into a buffer for three",
           rc == PIOLA_USAGE && std::strstr(error.message, "4") && !(gradient[0] < -7 || gradient[0] > -7) &&
               !(J_again < -7 || J_again > -7),
           rc, PIOLA_USAGE);
    values[0] = std::nan("");
    const bool refused = piola_evaluate(problem, values.data(), &J_again, nullptr, 0, &error) == PIOLA_USAGE;
    expect("a value that is not a number is refused by name",
           refused && std::strstr(error.message, "bodies.ball.velocity.x"), refused, 1);
}

/* The mean of the positions is J; after a gradient the last state can still be read, to the bit. */
void check_fields(piola_problem *problem)
{
    piola_error error = {};
    const size_t n = piola_particles(problem), components = piola_components(problem, "position");
    std::vector<double> position(n * 2), again(n * 2), mass(n), slope(n * 2);
    double J = 0, gradient[4], sum = 0, total = 0, slopes = 0;
    expect("a position has two components", components == 2, double(components), 2);
    expect("there is no field 'speed'",
           piola_components(problem, "speed") == 0 &&
               piola_read(problem, "speed", mass.data(), mass.size(), &error) == PIOLA_USAGE,
           0, 0);
    bool read = !piola_evaluate(problem, nullptr, &J, nullptr, 0, &error) &&
                !piola_read(problem, "position", position.data(), position.size(), &error) &&
                !piola_read(problem, "mass", mass.data(), mass.size(), &error);
    expect("a gradient field is refused after an evaluation without one",
           piola_read(problem, "grad_velocity", slope.data(), slope.size(), &error) == PIOLA_USAGE, 0, 0);
    read = read && !piola_evaluate(problem, nullptr, &J, gradient, 4, &error) &&
           !piola_read(problem, "position", again.data(), again.size(), &error) &&
           !piola_read(problem, "grad_velocity", slope.data(), slope.size(), &error);
    expect("fields can be read", read, read, 1);
    for (size_t i = 0; i < n; i++) {
        sum += mass[i] * position[2 * i];
        total += mass[i];
        slopes += slope[2 * i];
    }
    expect("the mass-weighted mean of the positions is J", std::fabs(sum / total - J) <= 1e-14,
           std::fabs(sum / total - J), 1e-14);
    expect("gradients of the particles' velocities add up to T", std::fabs(slopes - 0.05) <= 1e-14,
           std::fabs(slopes - 0.05), 1e-14);
    const bool same = std::memcmp(position.data(), again.data(), sizeof(double) * position.size()) == 0;
    expect("the last state after a gradient has the same bits", same, !same, 0);
}

/* Every field that is listed can be read and has the shape that is listed; derivatives have the names of snapshots. */
void check_list(piola_problem *problem)
{
    piola_error error = {};
    double J = 0, gradient[4];
    const size_t n = piola_fields(problem);
    bool read = !piola_evaluate(problem, nullptr, &J, gradient, 4, &error), twice = false, E = false;
    std::vector<std::string> names;
    for (size_t i = 0; i < n; i++) {
        piola_field_info info = {};
        read = read && !piola_field(problem, i, &info, &error);
        std::vector<double> values(info.items * info.components);
        read = read && !values.empty() && info.items == piola_items(problem, info.name) &&
               info.components == piola_components(problem, info.name) &&
               !piola_read(problem, info.name, values.data(), values.size(), &error);
        for (const std::string &other : names) twice = twice || other == info.name;
        names.emplace_back(info.name);
        if (names.back() == "grad_E") {
            std::vector<double> same(values.size(), -7);
            E = std::strcmp(info.unit, "1/Pa") == 0 &&
                !piola_read(problem, "grad_parameter_0", same.data(), same.size(), &error) && same == values;
        }
    }
    expect("every field that is listed can be read", read && n > 8, double(n), 8);
    expect("none is listed twice", !twice, twice, 0);
    expect("grad_E is listed, with its unit and the bits of parameter 0", E, E, 1);
    piola_field_info info = {};
    const piola_status rc = piola_field(problem, n, &info, &error);
    expect("there is none past the last", rc == PIOLA_USAGE && std::strstr(error.message, "there is no field"), rc,
           PIOLA_USAGE);
    expect("a field of that name cannot be read into a buffer that is too small",
           piola_read(problem, "grad_E", gradient, 1, &error) == PIOLA_USAGE, 0, 0);
    expect("the scene has an objective", piola_has_objective(problem), piola_has_objective(problem), 1);
}

/* Numbers of options that cannot be are refused, and a study is no scene. */
void check_numbers(const std::string &scene)
{
    const struct {
        int threads;
        double memory, max_walltime;
        const char *message;
    } wrong[] = {{-1, 0, 0, "-1 threads: it must be a number from 1 to 4096"},
                 {4097, 0, 0, "4097 threads"},
                 {1, -5, 0, "a memory of -5 bytes"},
                 {1, std::nan(""), 0, "a memory of nan bytes"},
                 {1, 0, -1, "max_walltime is -1 s"},
                 {1, 0, std::nan(""), "max_walltime is nan s"}};
    piola_problem *problem = nullptr;
    piola_error error = {};
    for (const auto &row : wrong) {
        piola_options options = options_for(scene);
        options.threads = row.threads;
        options.memory = row.memory;
        options.max_walltime = row.max_walltime;
        const piola_status rc = piola_open(&problem, &options, &error);
        expect(row.message, rc == PIOLA_USAGE && std::strstr(error.message, row.message), rc, PIOLA_USAGE);
    }
    const std::string study = scene + ".study.yaml";
    std::ofstream(study) << "version: 1\nname: two\nexperiments: [{name: one, scene: a.yaml}]\n";
    const piola_options options = options_for(study);
    const piola_status rc = piola_open(&problem, &options, &error);
    expect("a study is refused", rc == PIOLA_USAGE && std::strstr(error.message, "is a study; a problem is a scene"),
           rc, PIOLA_USAGE);
}

/* A failure gives no problem, a status and a message with the place. */
void check_failures(const std::string &scene)
{
    piola_error error = {};
    piola_problem *problem = reinterpret_cast<piola_problem *>(&error);
    const std::string missing = scene + ".none";
    piola_options options = options_for(missing);
    piola_status rc = piola_open(&problem, &options, &error);
    expect("a missing scene is PIOLA_NO_INPUT and no problem", rc == PIOLA_NO_INPUT && !problem && error.message[0], rc,
           66);
    const char *sets[] = {"time.dt=1 kg"};
    options = options_for(scene);
    options.sets = sets;
    options.n_sets = 1;
    rc = piola_open(&problem, &options, &error);
    expect("a wrong unit is PIOLA_BAD_DATA with its place",
           rc == PIOLA_BAD_DATA && std::strstr(error.message, "error: time.dt"), rc, 65);
    options = options_for(scene);
    options.dry_run = true;
    rc = piola_open(&problem, &options, &error);
    expect("a dry run is refused", rc == PIOLA_USAGE && std::strstr(error.message, "the option dry_run, which is of"),
           rc, PIOLA_USAGE);
    check_numbers(scene);
    piola_close(nullptr);
}

} // namespace

void check_failure_names()
{
    int same = 0;
    for (int a = 0; a < PIOLA_FAILURES; a++)
        for (int b = 0; b < a; b++)
            same += !std::strcmp(piola_failure_name(piola_failure_kind(a)), piola_failure_name(piola_failure_kind(b)));
    expect("every kind of failure has a name of its own", same == 0, same, 0);
}

int main(int argc, char **argv)
{
    const std::string scene = std::string(argc > 1 ? argv[1] : ".") + "/test_api_scene.yaml";
    std::ofstream(scene) << scene_text;
    piola_problem *problem = nullptr;
    piola_error error = {};
    const piola_options options = options_for(scene);
    if (piola_open(&problem, &options, &error)) {
        std::printf("FAILED: %s\n", error.message);
        return 1;
    }
    check_gradient(problem);
    check_fields(problem);
    check_list(problem);
    piola_close(problem);
    expect("the library is of this version", std::strcmp(piola_version(), PIOLA_VERSION) == 0, 0, 0);
    check_failures(scene);
    check_failure_names();
    std::remove(scene.c_str());
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
