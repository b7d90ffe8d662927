/* test_api_steps.cpp -- a run of single steps: its states have the bits of shorter runs and of the evaluation, and what
 * cannot be is refused. */
#include "tests/system/api_case.h"

using namespace api;

namespace
{

/* The fields of a run of `steps` of the scene, evaluated as a whole. */
bool whole(const std::string &text, const std::vector<const char *> &fields, std::vector<vector> &values)
{
    const problem p = open(text);
    piola_error error = {};
    bool ok = p && worked(piola_evaluate(p.get(), nullptr, nullptr, nullptr, 0, &error), error);
    for (size_t f = 0; ok && f < fields.size(); f++) ok = read(p.get(), fields[f], values[f]);
    return ok;
}

void check_run(std::string (*scene)(int), const std::vector<const char *> &fields, int steps, double dt)
{
    const problem p = open(scene(steps));
    if (!p) return;
    piola_error error = {};
    std::vector<vector> now(fields.size()), then(fields.size());
    vector y, at_end, moved;
    double J = 0, c = 0, c_end = 0;
    const bool constrained = piola_constraints(p.get()) > 0;
    bool ok = worked(piola_evaluate(p.get(), nullptr, &J, nullptr, 0, &error), error) && observations_of(p.get(), y);
    if (constrained) ok = ok && !piola_constraint(p.get(), 0, nullptr, 0, &c, &error);
    expect("the scene has its number of steps", piola_steps(p.get()) == size_t(steps), double(piola_steps(p.get())),
           steps);
    ok = ok && worked(piola_begin(p.get(), nullptr, &error), error) && piola_step_number(p.get()) == 0;
    expect("a run begins at state 0, of which fields can be read", ok && read(p.get(), fields[0], moved), ok, 1);
    expect("its observations cannot be read",
           piola_read_observation(p.get(), 0, nullptr, 0, y.data(), y.size(), &error) == PIOLA_USAGE, 0, 0);
    size_t done = 0, same = 0, compared = 0;
    for (const size_t n : {size_t(1), size_t(0), size_t(3), size_t(steps) - 4 - 2}) {
        ok = ok && worked(piola_step(p.get(), n, &error), error);
        done += n;
        if (n == 0) continue;
        ok = ok && whole(scene(int(done)), fields, then);
        for (size_t f = 0; ok && f < fields.size(); f++, compared++)
            same += read(p.get(), fields[f], now[f]) && same_bits(now[f], then[f]);
    }
    expect("fields in the middle have the bits of runs that end there", ok && same == compared, double(same),
           double(compared));
    expect("number and time of the state are known",
           piola_step_number(p.get()) == done && std::fabs(piola_time(p.get()) - dt * double(done)) <= 1e-15,
           piola_time(p.get()), dt * double(done));
    expect("steps beyond the end are refused, and the run goes on",
           piola_step(p.get(), 3, &error) == PIOLA_USAGE && piola_step_number(p.get()) == done, 0, 0);
    std::printf("    %s\n", error.message);
    ok = worked(piola_step(p.get(), 2, &error), error) && observations_of(p.get(), at_end);
    expect("at the end observations have the bits of an evaluation", ok && same_bits(y, at_end), !ok, 0);
    if (constrained) ok = !piola_constraint(p.get(), 0, nullptr, 0, &c_end, &error);
    expect("and so have constraints", ok && !std::memcmp(&c, &c_end, sizeof c), c_end, c);
    ok = whole(scene(steps), fields, then);
    for (size_t f = 0; f < fields.size(); f++)
        ok = ok && read(p.get(), fields[f], now[f]) && same_bits(now[f], then[f]);
    expect("and fields", ok, !ok, 0);
    expect("no step follows the last", piola_step(p.get(), 1, &error) == PIOLA_USAGE, 0, 0);
    /* the control: another state has other bits */
    ok = worked(piola_begin(p.get(), nullptr, &error), error) && worked(piola_step(p.get(), 1, &error), error) &&
         read(p.get(), fields[0], now[0]);
    expect("a state one step after the start has other bits than the last", ok && !same_bits(now[0], then[0]), !ok, 0);
}

void check_misuse()
{
    const problem p = open(particles(20));
    if (!p) return;
    piola_error error = {};
    const size_t n = piola_variables(p.get());
    vector place(2 * piola_particles(p.get()), -7), bad(n, NAN), gradient(n);
    const vector filled(place);
    double J = 0;
    expect("a step is refused before a run begins", piola_step(p.get(), 1, &error) == PIOLA_USAGE, 0, 0);
    expect("a run does not begin at values that cannot be", piola_begin(p.get(), bad.data(), &error) == PIOLA_USAGE, 0,
           0);
    expect("nor can a field be read then",
           piola_read(p.get(), "position", place.data(), place.size(), &error) == PIOLA_USAGE &&
               same_bits(place, filled),
           0, 0);
    bool ok = worked(piola_begin(p.get(), nullptr, &error), error) && worked(piola_step(p.get(), 5, &error), error);
    expect("in a run there are no fields of derivatives",
           ok && piola_read(p.get(), "grad_velocity", place.data(), place.size(), &error) == PIOLA_USAGE &&
               same_bits(place, filled),
           0, 0);
    ok = worked(piola_evaluate(p.get(), nullptr, &J, gradient.data(), n, &error), error);
    expect("an evaluation ends the run", ok && piola_step(p.get(), 1, &error) == PIOLA_USAGE, 0, 0);
    expect("and its state is the last", piola_step_number(p.get()) == 20, double(piola_step_number(p.get())), 20);
}

} // namespace

int main()
{
    check_run([](int steps) { return particles(steps, "0.5 ms"); }, {"position", "velocity", "F"}, 40, 0.5e-3);
    check_run([](int steps) { return mesh(steps, "2 ms"); }, {"displacement", "velocity", "reaction"}, 10, 2e-3);
    check_misuse();
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
