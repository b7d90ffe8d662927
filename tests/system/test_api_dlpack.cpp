/* test_api_dlpack.cpp -- fields as tensors on CPUs: their values, who owns them, and what comes of errors. */
#include "tests/system/api_dlpack.h"

#include "tests/sanitized.h"

#include <cerrno>
#include <link.h>
#include <thread>
#include <unistd.h>

using namespace api;

extern "C" long values_before_1_0(piola_problem *problem, const char *field, double *first); /* api_dlpack_before.c */

/* What the next allocation or launch of the engine returns; 0: it is made. */
static int next_allocation, next_launch;
extern "C" __attribute__((visibility("default"))) int pio_device_fault(const char *what)
{
    int &next = !std::strcmp(what, "allocate") ? next_allocation : next_launch;
    const int code = next;
    next = 0;
    return code;
}

namespace
{

/* Whether an engine is loaded. */
bool engine_is_loaded()
{
    const auto look = [](dl_phdr_info *info, size_t, void *) {
        return std::strstr(info->dlpi_name, "piola_engine") ? 1 : 0;
    };
    return dl_iterate_phdr(look, nullptr) != 0;
}

/* Addresses that this process has, in bytes. */
double mapped()
{
    long pages = 0;
    FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%ld", &pages) != 1) faults++;
    if (file) std::fclose(file);
    return double(pages) * double(sysconf(_SC_PAGESIZE));
}

DLManagedTensorVersioned *tensor_of(piola_problem *p, const char *field)
{
    piola_error error = {};
    DLManagedTensorVersioned *t = nullptr;
    return worked(piola_dlpack(p, field, &t, &error), error) ? t : nullptr;
}

vector values_of(const DLTensor &t)
{
    const double *data = static_cast<const double *>(t.data);
    return vector(data, data + size_of(t));
}

/* Whether a field is the same as a tensor of both forms and as piola_read() reads it. */
bool is_read(piola_problem *p, const char *field)
{
    vector values;
    double first = NAN;
    DLManagedTensorVersioned *const t = tensor_of(p, field);
    if (!t || !read(p, field, values)) return false;
    const bool same = is_tensor_of(t->dl_tensor, p, field, kDLCPU) && same_bits(values_of(t->dl_tensor), values) &&
                      t->version.major == 1 && t->flags == DLPACK_FLAG_BITMASK_IS_COPIED &&
                      values_before_1_0(p, field, &first) == long(values.size()) &&
                      !std::memcmp(&first, values.data(), sizeof first);
    t->deleter(t);
    if (!same) std::printf("    %s is another one\n", field);
    return same;
}

void check_values()
{
    for (const char *precision : {"f64", "f32"})
        for (int dimension : {2, 3})
            for (const scene &s : scenes_of(dimension, precision)) {
                const problem p = open(s.text);
                if (!p || !evaluate(p.get())) continue;
                const auto names = fields_of(p.get());
                int same = 0;
                for (const std::string &name : names) same += is_read(p.get(), name.c_str());
                const int least = piola_particles(p.get()) ? 12 : 35;
                expect((s.name + ": each field is a tensor with the bits of piola_read").c_str(),
                       same == int(names.size()) && same >= least, same, double(names.size()));
            }
}

/* A tensor is of its evaluation, and outlives it, its problem and the handle of the engine. */
void check_lifetime()
{
    problem p = open(particles(8, "2 ms"));
    if (!p || !evaluate(p.get())) return;
    vector before, after;
    DLManagedTensorVersioned *const t = tensor_of(p.get(), "velocity");
    if (!t || !read(p.get(), "velocity", before)) return;
    vector values = start_of(p.get());
    for (double &v : values) v += 0.5; /* speeds and gravity, too, which are 0 at the start */
    piola_error error = {};
    worked(piola_evaluate(p.get(), values.data(), nullptr, nullptr, 0, &error), error);
    read(p.get(), "velocity", after);
    double moved = 0;
    for (size_t i = 0; i < after.size(); i++) moved = std::fmax(moved, std::fabs(after[i] - before[i]));
    expect("a tensor is of the evaluation before, as another one has other values",
           same_bits(values_of(t->dl_tensor), before) && moved > 0.1, moved, 0.1);
    const bool loaded = engine_is_loaded();
    p.reset();
    expect("it has its values, and its engine, after the problem is closed",
           loaded && engine_is_loaded() && same_bits(values_of(t->dl_tensor), before), engine_is_loaded(), 1);
    std::thread([t] { t->deleter(t); }).join();
    if (!TEST_SANITIZED) /* whose runtime keeps modules for its reports */
        expect("its deleter, in another thread, leaves no engine loaded", !engine_is_loaded(), engine_is_loaded(), 0);
}

/* Tensors that are deleted leave no memory; those that are not are the negative control. */
void check_memory()
{
    enum { TENSORS = 2000 };
    const problem p = open(particles(8, "2 ms"));
    if (!p || !evaluate(p.get())) return;
    const double bytes = 8.0 * double(piola_items(p.get(), "C") * piola_components(p.get(), "C")),
                 all = TENSORS * bytes;
    std::vector<DLManagedTensorVersioned *> kept;
    const auto make = [&](bool keep) {
        const double start = mapped();
        for (int i = 0; i < TENSORS; i++) {
            DLManagedTensorVersioned *const t = tensor_of(p.get(), "C");
            if (t && keep) kept.push_back(t);
            if (t && !keep) t->deleter(t);
        }
        return mapped() - start;
    };
    make(false);
    const double left = make(false), held = make(true);
    expect("bytes that 2,000 tensors leave when they are deleted", left < 0.02 * all, left, 0.02 * all);
    expect("bytes that 2,000 tensors take while they are not", held >= all, held, all);
    for (DLManagedTensorVersioned *t : kept) t->deleter(t);
}

/* Whether a tensor is refused with this status, and a message that has these words. */
bool is_refused(piola_problem *p, const char *field, piola_status wanted, const char *words)
{
    piola_error error = {};
    DLManagedTensorVersioned *t = reinterpret_cast<DLManagedTensorVersioned *>(&error);
    DLManagedTensor *before = reinterpret_cast<DLManagedTensor *>(&error);
    const bool refused = piola_dlpack(p, field, &t, &error) == wanted && !t && std::strstr(error.message, words);
    std::printf("    %s\n", error.message);
    return refused && piola_dlpack_unversioned(p, field, &before, nullptr) == wanted && !before;
}

void check_errors()
{
    const problem p = open(mesh(3));
    if (!p) return;
    expect("before an evaluation there is no tensor",
           is_refused(p.get(), "displacement", PIOLA_USAGE, "after piola_evaluate has succeeded"), 0, 0);
    expect("an unknown field is refused with the names of all",
           is_refused(p.get(), "disp", PIOLA_USAGE, "there are: ") &&
               is_refused(p.get(), "disp", PIOLA_USAGE, " displacement,") &&
               is_refused(p.get(), "adj_displacement", PIOLA_USAGE, "no field 'adj_displacement'"),
           0, 0);
    piola_error error = {};
    if (!worked(piola_evaluate(p.get(), nullptr, nullptr, nullptr, 0, &error), error)) return;
    expect("after an evaluation without a gradient there is no tensor of one",
           is_refused(p.get(), "grad_thickness", PIOLA_USAGE, "after an evaluation with a gradient"), 0, 0);

    DLManagedTensorVersioned *t = nullptr;
    const size_t bytes = sizeof(double) * piola_items(p.get(), "velocity") * piola_components(p.get(), "velocity");
    next_allocation = ENOMEM;
    const piola_status rc = piola_dlpack(p.get(), "velocity", &t, &error);
    expect("memory that is refused is PIOLA_NO_MEMORY with its bytes, and the next call works",
           rc == PIOLA_NO_MEMORY && !t && std::strstr(error.message, (std::to_string(bytes) + " bytes").c_str()) &&
               is_read(p.get(), "velocity"),
           rc, PIOLA_NO_MEMORY);
    next_launch = ENODEV;
    const double start = mapped();
    const piola_status lost = piola_dlpack(p.get(), "velocity", &t, &error);
    expect("a launch that fails is PIOLA_UNAVAILABLE, and leaves no memory",
           lost == PIOLA_UNAVAILABLE && !t && mapped() <= start, mapped() - start, 0);
}

/* Derivatives by the names of snapshots: one field of the engine has them where all laws have the constant. */
void check_derivatives()
{
    const std::string mixed = replaced(replaced(particles(8, "2 ms"), "model: fixed_corotated, E: 30 kPa, nu: 0.3",
                                                "model: tait, bulk: 200 kPa, gamma: 7"),
                                       "targets: [materials.soft.E, materials.hard.E]", "target: materials.soft.E");
    const problem one = open(particles(8, "2 ms")), two = open(mixed);
    vector values;
    if (!one || !two || !evaluate(one.get()) || !evaluate(two.get())) return;
    expect("a tensor of grad_E where all laws have an E, and none where a fluid has not",
           is_read(one.get(), "grad_E") && is_refused(two.get(), "grad_E", PIOLA_USAGE, "put together on the host") &&
               read(two.get(), "grad_E", values) && is_read(two.get(), "grad_parameter_0"),
           0, 0);
}

} // namespace

int main()
{
    std::printf("threshold of bits: 0 differences\n");
    check_values();
    check_lifetime();
    check_memory();
    check_errors();
    check_derivatives();
    std::printf("%d faults\n", faults);
    return faults != 0;
}
