/* test_api_process.cpp -- what problems do to the process that they are in: two in two threads at a time, a thousand
 * one after the other, and what belongs to the process stays as it was: signals, locale, environment and output. */
#include "tests/system/api_case.h"

#include <clocale>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace api;

namespace
{

/* J, its gradient and all observations of `n` evaluations, each at other values. */
vector evaluations(piola_problem *p, int n)
{
    vector all, y;
    piola_error error = {};
    for (int k = 0; k < n; k++) {
        vector values = start_of(p), gradient(values.size());
        double J = 0;
        for (size_t v = 0; v < values.size(); v++) values[v] *= 1 + 0.01 * std::sin(double(v) + k);
        if (!worked(piola_evaluate(p, values.data(), &J, gradient.data(), gradient.size(), &error), error) ||
            !observations_of(p, y))
            return {};
        all.push_back(J);
        all.insert(all.end(), gradient.begin(), gradient.end());
        all.insert(all.end(), y.begin(), y.end());
    }
    return all;
}

/* Opens, evaluates and closes. */
vector alone(const std::string &text, int n)
{
    const problem p = open(text);
    return p ? evaluations(p.get(), n) : vector();
}

void check_threads()
{
    enum { EVALUATIONS = 6, ROUNDS = 3 };
    const std::string texts[2] = {particles(60), mesh(8)};
    const vector wanted[2] = {alone(texts[0], EVALUATIONS), alone(texts[1], EVALUATIONS)};
    int same = 0, opened = 0;
    for (int round = 0; round < ROUNDS; round++) {
        vector found[2];
        std::thread other([&] { found[0] = alone(texts[0], EVALUATIONS); });
        found[1] = alone(texts[1], EVALUATIONS);
        other.join();
        for (int t = 0; t < 2; t++) opened += !found[t].empty() && same_bits(found[t], wanted[t]);
    }
    expect("problems that are opened and evaluated in two threads at a time have the bits of each alone",
           opened == 2 * ROUNDS, opened, 2 * ROUNDS);
    const problem a = open(texts[0]), b = open(texts[0]), c = open(texts[1]);
    if (!a || !b || !c) return;
    for (int round = 0; round < ROUNDS; round++) {
        vector found[3];
        std::thread one([&] { found[0] = evaluations(a.get(), EVALUATIONS); });
        std::thread two([&] { found[1] = evaluations(b.get(), EVALUATIONS); });
        found[2] = evaluations(c.get(), EVALUATIONS);
        one.join();
        two.join();
        for (int t = 0; t < 3; t++) same += !found[t].empty() && same_bits(found[t], wanted[t / 2]);
    }
    expect("and so have three that stay open, two of one scene", same == 3 * ROUNDS, same, 3 * ROUNDS);
    const std::string direct = mesh(8, "4 ms", "direct");
    const vector solved = alone(direct, EVALUATIONS);
    int turns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        vector found[2];
        std::thread other([&] { found[0] = alone(direct, EVALUATIONS); });
        found[1] = alone(direct, EVALUATIONS);
        other.join();
        for (int t = 0; t < 2; t++) turns += !found[t].empty() && same_bits(found[t], solved);
    }
    expect("and so have two with direct solves", turns == 2 * ROUNDS, turns, 2 * ROUNDS);
    const problem d = open(texts[0]);
    const vector first = evaluations(a.get(), 1), second = evaluations(d.get(), 2), again = evaluations(a.get(), 1);
    expect("problems of one thread do not disturb one another",
           same_bits(first, again) && first.size() * 2 == second.size(), double(second.size()),
           2 * double(first.size()));
}

/* ---- the process ---------------------------------------------------------------------------------------------- */

struct state {
    struct sigaction actions[NSIG];
    sigset_t mask;
    std::string locale, folder;
    locale_t thread;
    mode_t umask;
};

state now()
{
    static state s;
    char folder[4096] = "";
    std::memset(s.actions, 0, sizeof s.actions);
    for (int i = 1; i < NSIG; i++) sigaction(i, nullptr, &s.actions[i]);
    sigemptyset(&s.mask);
    pthread_sigmask(SIG_BLOCK, nullptr, &s.mask);
    s.locale = std::setlocale(LC_ALL, nullptr);
    s.folder = getcwd(folder, sizeof folder) ? folder : "";
    s.thread = uselocale(locale_t(nullptr));
    s.umask = umask(0);
    umask(s.umask);
    return s;
}

int differences(const state &a, const state &b)
{
    int n = 0;
    for (int i = 1; i < NSIG; i++)
        n += a.actions[i].sa_handler != b.actions[i].sa_handler || a.actions[i].sa_flags != b.actions[i].sa_flags ||
             sigismember(&a.mask, i) != sigismember(&b.mask, i);
    return n + (a.locale != b.locale) + (a.folder != b.folder) + (a.thread != b.thread) + (a.umask != b.umask);
}

/* All that a program calls. */
void use(const std::string &text)
{
    const problem p = open(text);
    if (!p) return;
    const size_t n = piola_variables(p.get());
    vector gradient(n), jacobian(n * piola_samples(p.get())), field;
    piola_error error = {};
    double J = 0;
    const piola_cotangents bar = {1, nullptr, 0};
    const bool ok = worked(piola_evaluate(p.get(), nullptr, &J, gradient.data(), n, &error), error) &&
                    worked(piola_pullback(p.get(), nullptr, &bar, gradient.data(), n, &error), error) &&
                    worked(piola_jacobian(p.get(), nullptr, jacobian.data(), jacobian.size(), &error), error) &&
                    worked(piola_begin(p.get(), nullptr, &error), error) &&
                    worked(piola_step(p.get(), 2, &error), error) &&
                    read(p.get(), piola_particles(p.get()) ? "position" : "displacement", field);
    faults += !ok;
}

void on_usr1(int) {}

void check_state()
{
    (void)std::signal(SIGUSR1, on_usr1);
    (void)std::signal(SIGINT, SIG_IGN);
    std::setlocale(LC_ALL, "C.UTF-8");
    const state before = now();
    for (const auto &text : {particles(10), mesh(3), particles(10) + "wrong: 1\n"}) {
        if (text.find("wrong") == std::string::npos) {
            use(text);
            continue;
        }
        piola_problem *none = nullptr;
        piola_options options = piola_options_default();
        options.scene = "wrong.yaml";
        options.text = text.c_str();
        expect("a wrong scene is refused", piola_open(&none, &options, nullptr) == PIOLA_BAD_DATA && !none, 0, 0);
    }
    const state after = now();
    expect("signals, locale, folder and mask of the process are as before", differences(before, after) == 0,
           differences(before, after), 0);
    (void)std::signal(SIGUSR1, SIG_DFL);
    std::setlocale(LC_ALL, "C");
    expect("a handler and a locale that change would be found", differences(before, now()) == 2,
           differences(before, now()), 2);
    (void)std::signal(SIGINT, SIG_DFL);
}

/* The bytes that a function prints, by the descriptors of standard output and error. */
template <class F> long printed(F of)
{
    struct stat there = {};
    std::FILE *to = std::tmpfile();
    if (!to) return -1;
    std::fflush(stdout);
    const int file = fileno(to), out = dup(1), err = dup(2);
    dup2(file, 1);
    dup2(file, 2);
    of();
    std::fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    fstat(file, &there);
    for (const int fd : {out, err}) close(fd);
    std::fclose(to);
    return long(there.st_size);
}

void check_output()
{
    long bytes = 0;
    for (const auto &text : {particles(10), mesh(3)}) bytes += printed([&] { use(text); });
    expect("nothing is printed", bytes == 0, double(bytes), 0);
    bytes = printed([] { std::puts("planted"); });
    expect("a line that is printed would be found", bytes == 8, double(bytes), 8);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Bytes of the process in memory. */
double resident()
{
    long all = 0, here = 0;
    std::FILE *f = std::fopen("/proc/self/statm", "r");
    if (!f || std::fscanf(f, "%ld %ld", &all, &here) != 2) here = -1;
    if (f) std::fclose(f);
    return double(here) * double(sysconf(_SC_PAGESIZE));
}

/* How many descriptors are open. */
int descriptors()
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1, OPENS = 60 }; /* the sanitizer keeps memory that was freed, and finds leaks itself */
#else
enum { SANITIZED = 0, OPENS = 1000 };
#endif

void check_leaks()
{
    enum { WARM = OPENS / 5, KEPT = 20 };
    const double threshold = 4e6; /* bytes: 4 kB for each, less than any of its arrays */
    const std::string texts[3] = {particles(10), mesh(2), particles(10) + "wrong: 1\n"};
    double before = 0;
    int files = 0;
    for (int k = 0; k < WARM + OPENS; k++) {
        if (k == WARM) before = resident(), files = descriptors();
        piola_problem *p = nullptr;
        piola_options options = piola_options_default();
        options.scene = "scene.yaml";
        options.text = texts[k % 3].c_str();
        options.device = "cpu";
        const piola_status rc = piola_open(&p, &options, nullptr);
        vector gradient(p ? piola_variables(p) : 0);
        if (p && piola_evaluate(p, nullptr, nullptr, gradient.data(), gradient.size(), nullptr)) faults++;
        faults += rc != (k % 3 == 2 ? PIOLA_BAD_DATA : PIOLA_OK);
        piola_close(p);
    }
    const double grown = resident() - before;
    expect("after 1,000 opens, evaluations and closes no file stays open", descriptors() == files, descriptors(),
           files);
    if (SANITIZED) return;
    expect("and the process is no larger", grown < threshold, grown, threshold);
    std::vector<problem> kept;
    const double here = resident();
    for (int k = 0; k < KEPT; k++) kept.push_back(open(particles(200)));
    expect("twenty that are not closed would be found", resident() - here > threshold, resident() - here, threshold);
}

} // namespace

int main()
{
    check_threads();
    check_state();
    check_output();
    check_leaks();
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
