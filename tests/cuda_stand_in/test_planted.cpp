/* test_planted.cpp -- negative controls of the stand-in for CUDA: faults of kernels, of launches, of copies and of
 * calls of libraries, each of which must be found, and what is right, which must pass. Faults that stop the process are
 * in a process of their own. */
#include "kernels/backend/direct.h"
#include "tests/cuda_stand_in/planted.h"
#include "tests/cuda_stand_in/runtime.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace
{
int failed;
cudaStream_t stream;

void expect(bool holds, const char *what)
{
    printf("%s %s\n", holds ? "passed" : "FAILED", what);
    failed += !holds;
}

/* The fault ends the process with these words on its standard error. */
void stops(const char *what, void (*fault)(), const char *says)
{
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends)) return expect(false, "a pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        fault();
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char part[256];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, (size_t)n);
    close(ends[0]);
    waitpid(child, &status, 0);
    const bool ended = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect(ended && said.find(says) != std::string::npos, what);
    printf("       %s", said.empty() ? "(silence)\n" : (said.substr(0, said.find('\n')) + "\n").c_str());
}

template <typename T> T *taken(size_t count)
{
    void *memory = nullptr;
    cudaMalloc(&memory, sizeof(T) * count);
    return (T *)memory;
}

template <typename T> std::vector<T> downloaded(const T *device, size_t count)
{
    std::vector<T> host(count);
    cudaMemcpyAsync(host.data(), device, sizeof(T) * count, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    return host;
}

/* ---- orders, barriers, shared memory ---------------------------------------------------------------------- */

int wrong_mirrors(int barrier)
{
    double *out = taken<double>(PLANTED_BLOCKS * PLANTED_LANES);
    int wrong = 0;
    planted_mirrored(stream, barrier, out);
    const std::vector<double> got = downloaded(out, PLANTED_BLOCKS * PLANTED_LANES);
    for (int i = 0; i < PLANTED_BLOCKS * PLANTED_LANES; i++) wrong += !(fabs(got[i] - 100 + i % PLANTED_LANES) < 0.5);
    cudaFree(out);
    return wrong;
}

int last_block()
{
    int *out = taken<int>(1);
    planted_last_block(stream, out);
    const int last = downloaded(out, 1)[0];
    cudaFree(out);
    return last;
}

void orders()
{
    int seen[PLANTED_BLOCKS] = {0}, different = 0;
    for (int o = FORWARD; o <= RANDOM; o++) {
        order = (stand_in_order)o;
        expect(wrong_mirrors(1) == 0, "shared memory behind a barrier");
        const int wrong = wrong_mirrors(0);
        printf("       without the barrier %d of %d numbers are wrong\n", wrong, PLANTED_BLOCKS * PLANTED_LANES);
        expect(wrong >= PLANTED_BLOCKS, "a missing barrier: memory that was not written is not a number");
    }
    for (int i = 0; i < 100; i++) seen[last_block()]++;
    for (int count : seen) different += count > 0;
    expect(different == PLANTED_BLOCKS, "in random order every block is the last one at times");
    order = BACKWARD;
    expect(last_block() == 0, "backward, the first block is the last one");
    order = FORWARD;
    expect(last_block() == PLANTED_BLOCKS - 1, "forward, the last block is");
    planted_divergent(stream, PLANTED_RIGHT);
    expect(cudaStreamSynchronize(stream) == cudaSuccess, "barriers that all lanes reach");
}

template <int way> void diverges()
{
    planted_divergent(stream, way);
    cudaStreamSynchronize(stream);
}

void barriers()
{
    stops("lanes of a warp at two barriers", diverges<PLANTED_TWO_PLACES>, "a divergent barrier in divergent");
    stops("lanes of a warp at barriers of two kinds", diverges<PLANTED_TWO_KINDS>, "a divergent barrier in divergent");
    stops("a lane that leaves", diverges<PLANTED_ONE_LEAVES>, "a divergent barrier in divergent: 1 of 32 lanes end");
    stops("half of a block", diverges<PLANTED_HALF_OF_BLOCK>, "a divergent barrier in divergent: 32 of 64 lanes end");
}

/* ---- launches --------------------------------------------------------------------------------------------- */

cudaError_t shaped(unsigned blocks, unsigned rows, unsigned lanes, unsigned deep, size_t bytes)
{
    const planted_grid grid = {blocks, rows, lanes, deep, bytes};
    planted_shape(stream, grid);
    return cudaGetLastError();
}

void limits()
{
    expect(shaped(3, 1, 1024, 1, 48 * 1024) == cudaSuccess, "the largest block");
    expect(cudaGetLastError() == cudaSuccess, "an error is reported once");
    expect(shaped(1, 1, 1025, 1, 0) == cudaErrorInvalidConfiguration, "1,025 threads of a block");
    expect(shaped(1, 1, 0, 1, 0) == cudaErrorInvalidConfiguration, "no threads");
    expect(shaped(1, 1, 2, 65, 0) == cudaErrorInvalidConfiguration, "65 threads deep");
    expect(shaped(0, 1, 32, 1, 0) == cudaErrorInvalidConfiguration, "no blocks");
    expect(shaped(0x80000000u, 1, 1, 1, 0) == cudaErrorInvalidConfiguration, "2^31 blocks");
    expect(shaped(1, 65536, 1, 1, 0) == cudaErrorInvalidConfiguration, "65,536 rows of blocks");
    expect(shaped(1, 1, 32, 1, 48 * 1024 + 1) == cudaErrorInvalidValue, "more than 48 KiB of shared memory");
}

double on_host;

void host_argument()
{
    planted_store(stream, taken<double>(1), &on_host, 0);
}

void argument_never_set()
{
    double *never;
    memset(&never, 0xfe, sizeof never); /* as -ftrivial-auto-var-init=pattern sets it */
    planted_store(stream, taken<double>(1), never, 0);
}

void beyond_the_end()
{
    double *out = taken<double>(32), *value = taken<double>(1);
    order = FORWARD;
    fprintf(stderr, "32 numbers, and one beyond\n");
    planted_store(stream, out, value, 32);
    cudaStreamSynchronize(stream);
}

void after_its_end()
{
    double *out = taken<double>(32), *value = taken<double>(1);
    cudaFree(out);
    fprintf(stderr, "memory that was returned\n");
    planted_store(stream, out, value, 0);
    cudaStreamSynchronize(stream);
}

void twice()
{
    double *out = taken<double>(1);
    cudaFree(out);
    cudaFree(out);
}

void read_by_the_host()
{
    const volatile double *out = taken<double>(1);
    cudaStreamSynchronize(stream);
    (void)*out;
}

void arguments()
{
    stops("an argument that is an address of the host", host_argument, "is an address of the host");
    stops("an argument that was never set", argument_never_set, "was never set");
    stops("a number beyond an array", beyond_the_end, "one beyond");
    stops("a number of an array that was returned", after_its_end, "was returned");
    stops("memory that is returned twice", twice, "or was returned before");
    stops("a number that the host reads on the device", read_by_the_host, "the host reads or writes");
}

/* ---- copies ----------------------------------------------------------------------------------------------- */

void copy_to_host()
{
    double host[2] = {1, 2};
    cudaMemcpyAsync(host, host + 1, sizeof *host, cudaMemcpyHostToDevice, stream);
}

void copy_too_much()
{
    cudaMemcpyAsync(taken<double>(2), taken<double>(1), 2 * sizeof(double), cudaMemcpyDeviceToDevice, stream);
}

void copies()
{
    double *device = taken<double>(1), host = 0;
    const double one = 1;
    stops("a copy whose target is on the wrong side", copy_to_host, "are not on the device");
    stops("a copy of more than there is", copy_too_much, "the source of a copy: 16 bytes");
    deferring = true;
    cudaMemcpyAsync(device, &one, sizeof one, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(&host, device, sizeof host, cudaMemcpyDeviceToHost, stream);
    expect(!(host > 0), "a copy that nobody waited for has not happened");
    cudaStreamSynchronize(stream);
    expect(host > 0.5, "one that the host waited for has");
    const double two = 2;
    cudaMemcpy(device, &two, sizeof two, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(&host, device, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    expect(host < 1.5, "a stream does not wait for a copy in the default one");
    cudaDeviceSynchronize();
    expect(downloaded(device, 1)[0] > 1.5, "until the host waits for the device");
    deferring = false;
    cudaFree(device);
}

/* ---- graphs ----------------------------------------------------------------------------------------------- */

cudaMemsetParams fill(void *target, unsigned value, size_t width)
{
    cudaMemsetParams f = {};
    f.dst = target;
    f.value = value;
    f.elementSize = 1;
    f.width = width;
    f.height = 1;
    return f;
}

/* Two fills of one byte, the second of which waits for the first or does not. */
struct two_fills {
    unsigned char *byte = taken<unsigned char>(2);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;

    explicit two_fills(bool waits)
    {
        const cudaMemsetParams one = fill(byte, 1, 1), two = fill(byte, 2, 1);
        cudaGraphCreate(&graph, 0);
        cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &one);
        cudaGraphAddMemsetNode(&second, graph, &first, waits, &two);
        cudaGraphInstantiate(&exec, graph, 0);
    }
    ~two_fills()
    {
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
        cudaFree(byte);
    }
    cudaError_t set(cudaGraphNode_t node, unsigned value, size_t width)
    {
        const cudaMemsetParams f = fill(byte, value, width);
        return cudaGraphExecMemsetNodeSetParams(exec, node, &f);
    }
    int launched()
    {
        cudaGraphLaunch(exec, stream);
        return downloaded(byte, 1)[0];
    }
};

void set_after_the_graph()
{
    two_fills g(true);
    cudaGraphDestroy(g.graph);
    g.set(g.first, 3, 1);
}

/* Where nothing runs before the host waits. */
void settings_are_of_later_launches()
{
    two_fills g(true);
    unsigned char seen = 0;
    deferring = true;
    cudaGraphLaunch(g.exec, stream);
    cudaMemcpyAsync(&seen, g.byte, 1, cudaMemcpyDeviceToHost, stream);
    expect(!g.set(g.second, 3, 1), "a node is set while a launch waits");
    cudaStreamSynchronize(stream);
    expect(seen == 2, "the launch that waits keeps what it had");
    deferring = false;
    expect(g.launched() == 3, "the next one has what was set");
}

void graphs()
{
    order = BACKWARD;
    expect(two_fills(true).launched() == 2, "a node that waits for another");
    expect(two_fills(false).launched() == 1, "one that does not comes before it");
    order = FORWARD;
    settings_are_of_later_launches();
    two_fills g(true), other(true);
    expect(g.set(other.second, 3, 1) == cudaErrorInvalidValue, "a node of another graph");
    expect(g.set(g.second, 3, 2) == cudaErrorInvalidValue, "a fill of more bytes");
    expect(g.set(g.second, 3, 0) == cudaErrorInvalidValue, "a fill of none");
    expect(cudaGraphExecMemcpyNodeSetParams1D(g.exec, g.second, g.byte, g.byte + 1, 1, cudaMemcpyDeviceToDevice) ==
               cudaErrorInvalidValue,
           "a copy in place of a fill");
    expect(g.launched() == 2, "what cannot be set changes nothing");
    cudaGetLastError();
    stops("a node of a graph that was destroyed is set", set_after_the_graph, "that was destroyed");
}

/* ---- libraries -------------------------------------------------------------------------------------------- */

const pio_direct_table *library;

void analysed(void **factor)
{
    const int start[] = {0, 1, 2}, column[] = {0, 1};
    const pio_direct_pattern pattern = {2, start, column};
    pio_direct_forecast forecast;
    char message[PIO_DIRECT_TEXT];
    const pio_direct_outcome outcome =
        library->analyse(0, PIO_FACTOR_CHOLESKY, &pattern, 1u << 20, factor, &forecast, message);
    if (outcome) stand_in_stop("no analysis: %s", message);
}

void solve_without_factor()
{
    void *factor = nullptr;
    char message[PIO_DIRECT_TEXT];
    analysed(&factor);
    library->solve(factor, stream, 0, 1, taken<double>(2), message);
}

void values_of_host()
{
    void *factor = nullptr;
    const double value[] = {1, 2};
    char message[PIO_DIRECT_TEXT];
    int negative;
    analysed(&factor);
    library->factorise(factor, stream, value, &negative, message);
}

void libraries(const char *folder)
{
    for (const char *name : {"cudss", "cusolver"}) {
        const std::string file = std::string(folder) + "/piola_direct_" + name + ".so";
        void *module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        library = module ? (const pio_direct_table *)dlsym(module, "piola_direct") : nullptr;
        if (!library) {
            expect(false, dlerror());
            continue;
        }
        stops("a solve without a factor", solve_without_factor, "a solve without a factor");
        stops("a factor of values of the host", values_of_host, "not on the device");
    }
}
} // namespace

int main(int, char **arguments_of)
{
    const std::string program = arguments_of[0];
    cudaDeviceProp properties;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGetDeviceProperties(&properties, 0);
    expect(strstr(properties.name, "no GPU") != nullptr, "the device says that it is no GPU");
    orders();
    barriers();
    limits();
    arguments();
    copies();
    graphs();
    libraries(program.substr(0, program.rfind('/')).c_str());
    cudaStreamDestroy(stream);
    printf("%d failed\n", failed);
    return failed > 0;
}
