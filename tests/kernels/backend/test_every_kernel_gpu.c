/* test_every_kernel_gpu.c -- every case on the CPU and on the GPU: the same within a stated bound, and the GPU by
 * itself the same to the bit. Exit code 77 (skipped) where there is no device.
 *
 * TEST_OTHER_BACKEND may name another backend to compare with, so that the comparison itself is tested without a GPU.
 */
#include "kernels/backend/table.h"
#include "tests/kernels/base/kernel_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_OTHER_BACKEND
#define TEST_OTHER_BACKEND pio_backend_cuda
#endif
extern const pio_backend TEST_OTHER_BACKEND;
#ifndef TEST_LARGE
#define TEST_LARGE 1000000 /* so many variants of each case, the first ones, are large: all */
#endif

enum { SKIPPED = 77 };
/* cudaErrorStubLibrary, cudaErrorInsufficientDriver, cudaErrorNoDevice (CUDA runtime API, cudaError_t) */
static int means_no_device(int code)
{
    return code == 34 || code == 35 || code == 100;
}

static const char *const names[] = {
#define MAP(name, adjoint) #name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
};

/* Largest difference of a component of a result, relative to the largest value of that component. Sums of some hundred
 * terms that are contracted differently: a few hundred units in the last place, of the engine's numbers or of those of
 * its preconditioner. */
enum { OF_REAL, OF_NARROW, DIGITS };
static int digits_of(case_type type)
{
    return type == CASE_NARROW || type == CASE_ROUGH ? OF_NARROW : OF_REAL;
}
static double bound_of(int digits)
{
    return digits == OF_NARROW || sizeof(real) == 4 ? 2e-5 : 1e-12;
}

/* Integers must be equal (difference 1 if not); two NaN are equal, infinities too. Sets *at to the number that differs
 * most. */
static double difference(const case_array *a, const case_array *b, int *at)
{
    *at = 0;
    double worst = 0;
    if (a->type == CASE_INT || a->type == CASE_INT64) return memcmp(a->bytes, b->bytes, a->size) ? 1 : 0;
    for (int part = 0; part < a->parts; part++) {
        double largest = 0, d = 0;
        int most = 0;
        for (int i = part * a->count; i < (part + 1) * a->count; i++) {
            const double x = a->value[i], y = b->value[i];
            if (isnan(x) && isnan(y)) continue;
            if (isnan(x) || isnan(y)) return 1;
            if (isinf(x) && isinf(y) && (x > 0) == (y > 0)) continue;
            largest = fmax(largest, fabs(x));
            if (fabs(x - y) > d) most = i;
            d = fmax(d, fabs(x - y));
        }
        const double relative = d > 0 && largest > 0 ? d / largest : d > 0;
        if (relative > worst) *at = most;
        worst = fmax(worst, relative);
    }
    return worst;
}

static case_io *run(int kernel, int variant, const case_machine *machine, const case_io *weights)
{
    case_io *io = calloc(1, sizeof *io);
    if (!io) exit(71);
    io->build = &case_build_real;
    io->machine = machine;
    io->variant = variant;
    io->only_output = -1;
    io->large = variant < TEST_LARGE; /* sums and scans of several levels, several waves of blocks */
    io->weights = weights;
    case_run(io, kernel);
    return io;
}

static void delete (case_io *io)
{
    case_free(io);
    free(io);
}

/* Returns how many results fail. worst[DIGITS] is raised to the largest differences. */
static int compare(int kernel, const case_io *cpu, const case_io *gpu, const case_io *again, double *worst)
{
    int failed = 0;
    for (int i = 0; i < cpu->n_arrays; i++) {
        const case_array *a = &cpu->arrays[i], *b = &gpu->arrays[i], *c = &again->arrays[i];
        if (!a->bytes) continue;
        int at;
        const double d = difference(a, b, &at);
        const int repeats = !memcmp(b->bytes, c->bytes, b->size), digits = digits_of(a->type);
        if (!(d <= bound_of(digits)) || !repeats) {
            printf("FAILED %s (%s): '%s' differs by %.1e%s", names[kernel], cpu->variant_name, a->name, d,
                   repeats ? "" : ", and from run to run");
            printf(", most at number %d of %d, of which %d are alike: %.9g, %.9g\n", at, a->parts * a->count, a->count,
                   a->value[at], b->value[at]);
            failed++;
        }
        worst[digits] = fmax(worst[digits], d);
    }
    return failed;
}

static int check_case(int kernel, const case_machine *cpu_machine, const case_machine *gpu_machine)
{
    int failed = 0;
    double worst[DIGITS] = {0};
    for (int variant = 0, variants = 1; variant < variants; variant++) {
        case_io *cpu = run(kernel, variant, cpu_machine, NULL), *gpu = run(kernel, variant, gpu_machine, cpu);
        case_io *again = run(kernel, variant, gpu_machine, cpu);
        variants = cpu->variants;
        if (cpu->error[0] || gpu->error[0] || again->error[0]) {
            printf("FAILED %s (%s): %s%s%s\n", names[kernel], cpu->variant_name, cpu->error, gpu->error, again->error);
            failed++;
        }
        failed += compare(kernel, cpu, gpu, again, worst);
        delete (cpu);
        delete (gpu);
        delete (again);
    }
    printf("%-20s largest relative difference %8.1e  bound %.0e", names[kernel], worst[OF_REAL], bound_of(OF_REAL));
    if (worst[OF_NARROW] > 0) printf("; of narrow numbers %8.1e  bound %.0e", worst[OF_NARROW], bound_of(OF_NARROW));
    printf("\n");
    return failed;
}

/* Negative control: one value of the adjoint of p2g that is off by ten bounds, and one that changes from run to run. */
static int control(const case_machine *cpu_machine)
{
    int failed = 0;
    double worst[DIGITS] = {0};
    case_io *a = run(CASE_OF_mpm_p2g_rest_adj, 0, cpu_machine, NULL),
            *b = run(CASE_OF_mpm_p2g_rest_adj, 0, cpu_machine, a);
    case_io *c = run(CASE_OF_mpm_p2g_rest_adj, 0, cpu_machine, a);
    case_array *y = &b->arrays[b->n_arrays - 1];
    int largest = 0;
    for (int i = 0; i < y->count; i++)
        if (fabs(y->value[i]) > fabs(y->value[largest])) largest = i;
    failed += compare(CASE_OF_mpm_p2g_rest_adj, a, b, c, worst) != 0;
    printf("negative control, two failures expected:\n");
    y->value[largest] *= 1 + 10 * bound_of(OF_REAL);
    failed += compare(CASE_OF_mpm_p2g_rest_adj, a, b, c, worst) != 1;
    y->value[largest] = a->arrays[b->n_arrays - 1].value[largest];
    y->bytes[y->size / 2] ^= 1;
    failed += compare(CASE_OF_mpm_p2g_rest_adj, a, b, c, worst) != 1;
    delete (a);
    delete (b);
    delete (c);
    return failed;
}

/* Returns whether a kernel is named among the arguments, or none is. */
static int chosen(int argc, char *const *argv, int kernel)
{
    int found = argc < 2;
    for (int i = 1; i < argc; i++) found |= !strcmp(argv[i], names[kernel]);
    return found;
}

/* Arguments: names of kernels, of those that own cases; none: all. */
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was printed before a crash is seen */
    const pio_backend *other = &TEST_OTHER_BACKEND;
    pio_device_info info;
    case_machine cpu = case_host_machine, gpu = case_host_machine;
    const int rc = other->open(0, 0, &info, &gpu.stream);
    if (rc && means_no_device(rc)) {
        printf("skipped: %s: %s\n", other->name, other->error_text(rc));
        return SKIPPED;
    }
    if (rc) {
        printf("FAILED: %s: %s\n", other->name, other->error_text(rc));
        return 1;
    }
    printf("CPU against %s\n", info.name);
    cpu.kernels = &pio_backend_cpu.kernels;
    gpu.name = other->name;
    gpu.kernels = &other->kernels;
    gpu.allocate = other->allocate;
    gpu.release = other->release;
    gpu.upload = other->upload;
    gpu.download = other->download;
    int failed = control(&cpu);
    for (int k = 0; k < CASE_KERNELS; k++) {
        int owner = 0; /* a case may serve several kernels */
        while (case_build_real.cases[owner] != case_build_real.cases[k]) owner++;
        if (owner == k && chosen(argc, argv, k)) failed += check_case(k, &cpu, &gpu);
    }
    other->close(gpu.stream);
    printf("%d failed\n", failed);
    return failed > 0;
}
