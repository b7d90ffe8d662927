/* test_api_interrupt.cpp -- piola_interrupt() ends a call of another thread soon, from a thread and from a signal
 * handler, in a run of many steps and within a step that is long; what is computed afterwards has the same bits. */
#include "tests/system/api_case.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <sys/time.h>
#include <thread>

using namespace api;

namespace
{

#ifdef __SANITIZE_ADDRESS__
const double soon = 20; /* s */
const int slower = 10;  /* so many times; calls are to take as long */
#else
const double soon = 2; /* s */
const int slower = 1;
#endif

using clock = std::chrono::steady_clock;

double seconds(clock::time_point from, clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

/* A ball that hits the walls again and again. */
std::string many_steps(int steps)
{
    return "version: 1\n"
           "name: steps\n"
           "method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: "
           "slip}}\n"
           "time: {dt: 1 ms, duration: " +
           std::to_string(steps) +
           " ms}\n"
           "gravity: [0, -1]\n"
           "materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]\n"
           "geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.3}]\n"
           "bodies: [{name: ball, geometry: disc, material: soft, velocity: [0.5, 0.1]}]\n"
           "observe: [{name: place, type: mean_position, body: ball}]\n"
           "design: [{name: speed, target: bodies.ball.velocity}]\n"
           "objective: [{type: minimize, of: place.x}]\n";
}

/* One static step of a large mesh, by iterations. */
std::string long_step(int n)
{
    const std::string by = std::to_string(n);
    return "version: 1\n"
           "name: step\n"
           "method: {type: fem, dimension: 2, plane: stress}\n"
           "time: {load_steps: 1}\n"
           "solver: {linear: pcg}\n"
           "materials: [{name: soft, model: neo_hookean, E: 40 kPa, nu: 0.3}]\n"
           "geometry: [{name: box, type: box, element: quad4, elements: [" +
           by + ", " + by +
           "], min: [0, 0], max: [1, 1]}]\n"
           "bodies: [{name: one, geometry: box, material: soft}]\n"
           "boundary: [{name: wall, body: one, on: {group: left}, type: fixed}]\n"
           "loads: [{name: pull, body: one, on: {group: right}, type: force, value: [500 N, 200 N]}]\n"
           "observe: [{name: work, type: compliance}]\n"
           "design: [{name: E, target: materials.soft.E}]\n"
           "objective: [{type: minimize, of: work}]\n";
}

using call = std::function<piola_status(piola_problem *, piola_error *)>;

struct outcome {
    piola_status rc;
    double took, after; /* s: the whole call; from the request to the end */
    std::string message;
};

/* Runs a call in a thread of its own and requests its end `delay` later. */
outcome interrupted(piola_problem *p, const call &of, double delay)
{
    piola_error error = {};
    outcome o = {PIOLA_OK, 0, 0, ""};
    clock::time_point ended;
    const clock::time_point began = clock::now();
    std::thread other([&] {
        o.rc = of(p, &error);
        ended = clock::now();
    });
    std::this_thread::sleep_for(std::chrono::duration<double>(delay));
    const clock::time_point requested = clock::now();
    piola_interrupt(p);
    other.join();
    o.took = seconds(began, ended);
    o.after = seconds(requested, ended);
    o.message = error.message;
    return o;
}

/* Ends the call early and late, and compares what follows with what came before. A call may be done before it is to
 * end, where the machine was slow for a while; then it is tried again sooner. */
void check_call(const char *what, piola_problem *p, const call &of, const std::function<vector()> &result)
{
    enum { TRIALS = 8 };
    piola_error error = {};
    std::printf("%s\n", what);
    clock::time_point began = clock::now();
    bool ok = worked(of(p, &error), error);
    double whole = seconds(began, clock::now());
    began = clock::now();
    ok = ok && worked(of(p, &error), error);
    whole = std::fmin(whole, seconds(began, clock::now()));
    const vector before = result();
    expect("  it works, and takes long enough to be ended", ok && whole > 0.01, whole, 0.01);
    for (const double part : {0.2, 0.7}) {
        outcome o = {};
        double delay = part * whole;
        for (int k = 0; k < TRIALS && o.rc != PIOLA_INTERRUPTED; k++, delay /= 2) o = interrupted(p, of, delay);
        std::printf("    %s\n", o.message.c_str());
        expect("  another thread ends it", o.rc == PIOLA_INTERRUPTED && o.message.find("piola_interrupt") < 2048, o.rc,
               PIOLA_INTERRUPTED);
        expect("  soon", o.after < soon, o.after, soon);
        double value = -7;
        expect("  nothing can be read then",
               piola_read_observation(p, 0, nullptr, 0, &value, 1, &error) == PIOLA_USAGE && value < -6, value, -7);
        expect("  and what follows has the same bits", worked(of(p, &error), error) && same_bits(result(), before), 0,
               0);
    }
    piola_interrupt(p);
    expect("  a request when no call runs ends none", worked(of(p, &error), error) && same_bits(result(), before), 0,
           0);
}

void check_evaluations(const char *name, const std::string &text, bool all_calls)
{
    const problem p = open(text);
    if (!p) return;
    vector y(3), gradient(piola_variables(p.get()));
    const auto forward = [&](piola_problem *of, piola_error *error) {
        return piola_evaluate(of, nullptr, y.data(), nullptr, 0, error);
    };
    const auto backward = [&](piola_problem *of, piola_error *error) {
        return piola_evaluate(of, nullptr, y.data(), gradient.data(), gradient.size(), error);
    };
    const auto steps = [&](piola_problem *of, piola_error *error) {
        const piola_status rc = piola_begin(of, nullptr, error);
        return rc ? rc : piola_step(of, piola_steps(of), error);
    };
    const auto all = [&] {
        vector result(gradient), seen;
        observations_of(p.get(), seen);
        result.insert(result.end(), seen.begin(), seen.end());
        return result;
    };
    std::printf("%s\n", name);
    check_call(" an evaluation", p.get(), forward, all);
    if (!all_calls) return;
    check_call(" an evaluation with a gradient", p.get(), backward, all);
    check_call(" single steps", p.get(), steps, all);
}

piola_problem *running;

void on_alarm(int)
{
    piola_interrupt(running);
}

void check_signal()
{
    const problem p = open(many_steps(400000));
    if (!p) return;
    piola_error error = {};
    struct itimerval timer = {{0, 0}, {0, 200000}};
    running = p.get();
    (void)std::signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, nullptr);
    const clock::time_point began = clock::now();
    const piola_status rc = piola_evaluate(p.get(), nullptr, nullptr, nullptr, 0, &error);
    const double took = seconds(began, clock::now()) - 0.2;
    (void)std::signal(SIGALRM, SIG_DFL);
    expect("a signal handler of the program ends an evaluation soon", rc == PIOLA_INTERRUPTED && took < soon, took,
           soon);
}

/* A time limit is that of one problem, and not of another that runs at the same time. */
void check_limits()
{
    piola_options options = piola_options_default();
    piola_error error[2] = {};
    piola_status rc[2] = {};
    const std::string text = many_steps(400000), brief = many_steps(20000 / slower);
    piola_problem *limited = nullptr;
    options.scene = "scene.yaml";
    options.text = text.c_str();
    options.device = "cpu";
    options.max_walltime = 0.1;
    const problem free = open(brief);
    if (!free || piola_open(&limited, &options, &error[0])) {
        faults++;
        return;
    }
    std::thread other([&] { rc[0] = piola_evaluate(limited, nullptr, nullptr, nullptr, 0, &error[0]); });
    rc[1] = piola_evaluate(free.get(), nullptr, nullptr, nullptr, 0, &error[1]);
    other.join();
    std::printf("    %s\n", error[0].message);
    expect("the time limit of one problem ends its evaluation", rc[0] == PIOLA_INTERRUPTED, rc[0], PIOLA_INTERRUPTED);
    expect("and not that of another one", worked(rc[1], error[1]), rc[1], 0);
    piola_close(limited);
}

} // namespace

int main()
{
    check_evaluations("many steps", many_steps(10000 / slower), true);
    check_evaluations("a step", long_step(slower > 1 ? 35 : 70), true);
    check_evaluations("a long step", long_step(slower > 1 ? 70 : 150), false);
    check_signal();
    check_limits();
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
