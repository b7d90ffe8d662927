/* test_dlpack.cpp PRECISION -- fields as tensors of the CUDA engine, without a GPU: they are in memory of the device,
 * and what they hold has not travelled through the host. */
#include "tests/system/api_dlpack.h"

#include "tests/cuda_stand_in/cuda_runtime_api.h"

using namespace api;

namespace
{

problem open_on_device(const std::string &text)
{
    piola_options options = piola_options_default();
    piola_error error = {};
    piola_problem *p = nullptr;
    options.scene = "scene.yaml";
    options.text = text.c_str();
    options.device = "cuda";
    if (!worked(piola_open(&p, &options, &error), error)) faults++;
    return problem(p, piola_close);
}

struct measured {
    int fields = 0, right = 0, on_device = 0;
    long tensor_downloads = 0, read_downloads = 0;
};

/* One field as a tensor, copied to the host after the call. */
void measure(piola_problem *p, const char *field, measured *m)
{
    piola_error error = {};
    vector values;
    DLManagedTensorVersioned *t = nullptr;
    m->fields++;
    const stand_in_counted start = stand_in_count();
    if (!worked(piola_dlpack(p, field, &t, &error), error)) return;
    const stand_in_counted made = stand_in_count();
    read(p, field, values);
    m->tensor_downloads += made.downloads - start.downloads;
    m->read_downloads += stand_in_count().downloads - made.downloads;
    const size_t bytes = sizeof(double) * values.size();
    m->on_device += stand_in_on_device(t->dl_tensor.data, bytes);
    vector copied(values.size());
    if (cudaMemcpy(copied.data(), t->dl_tensor.data, bytes, cudaMemcpyDeviceToHost) == cudaSuccess)
        m->right += is_tensor_of(t->dl_tensor, p, field, kDLCUDA) && same_bits(copied, values);
    t->deleter(t);
}

void check_scene(const scene &s)
{
    const problem p = open_on_device(s.text);
    vector place;
    if (!p || !evaluate(p.get()) || !read(p.get(), "position", place)) return; /* the run is at its last state now */
    measured m;
    for (const std::string &name : fields_of(p.get())) measure(p.get(), name.c_str(), &m);
    const auto say = [&](const char *what) { return s.name + ": " + what; };
    expect(say("each field is a tensor with the bits of piola_read").c_str(), m.right == m.fields && m.fields > 10,
           m.right, m.fields);
    expect(say("all of them are on the device").c_str(), m.on_device == m.fields, m.on_device, m.fields);
    expect(say("copies to the host while tensors are made").c_str(), m.tensor_downloads == 0,
           double(m.tensor_downloads), 0);
    expect(say("copies to the host by piola_read, which are counted").c_str(), m.read_downloads >= m.fields - 1,
           double(m.read_downloads), m.fields - 1);
}

void check_lifetime(const scene &s)
{
    problem p = open_on_device(s.text);
    piola_error error = {};
    DLManagedTensorVersioned *t = nullptr;
    vector values;
    if (!p || !evaluate(p.get()) || !worked(piola_dlpack(p.get(), "position", &t, &error), error) ||
        !read(p.get(), "position", values))
        return;
    const size_t bytes = sizeof(double) * values.size();
    void *const data = t->dl_tensor.data;
    p.reset();
    vector copied(values.size());
    const bool there = stand_in_on_device(data, bytes) &&
                       cudaMemcpy(copied.data(), data, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    expect("a tensor has its values after the problem is closed", there && same_bits(copied, values), there, 1);
    t->deleter(t);
    expect("and its memory is the device's again after its deleter", !stand_in_on_device(data, bytes),
           stand_in_on_device(data, bytes), 0);
    expect("negative control: an address of the host is not on the device", !stand_in_on_device(values.data(), bytes),
           stand_in_on_device(values.data(), bytes), 0);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const std::vector<scene> scenes = scenes_of(2, argv[1]);
    for (const scene &s : scenes) {
        check_scene(s);
        check_lifetime(s);
    }
    std::printf("%d faults\n", faults);
    return faults != 0;
}
