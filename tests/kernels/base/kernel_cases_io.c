/* kernel_cases_io.c -- the memory and the numbers behind a case. Numbers are a hash of name and index: the same in
 * every run, build and place. Memory on the CPU is a heap block of its own, so that the address sanitizer sees a kernel
 * that writes beyond its array. */
#include "kernels/base/vec.h"
#include "tests/kernels/base/kernel_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fprintf(stderr, "kernel cases: out of memory for %zu bytes\n", count * size);
        exit(71);
    }
    return p;
}

static void fail(case_io *io, const char *what, const char *name)
{
    if (!io->error[0]) snprintf(io->error, sizeof io->error, "%s: %s", what, name);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014) of an FNV-1a hash of the name */
double case_unit(const char *name, int64_t i)
{
    uint64_t x = 0xcbf29ce484222325ULL;
    for (; *name; name++) x = (x ^ (unsigned char)*name) * 0x100000001b3ULL;
    x += ((uint64_t)i + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

double case_rms(const double *v, int count)
{
    double s = 0;
    int n = 0;
    for (int i = 0; i < count; i++)
        if (fabs(v[i]) > 0 && isfinite(v[i])) {
            s += v[i] * v[i];
            n++;
        }
    return n ? sqrt(s / n) : 0;
}

/* ---- blocks of memory ---------------------------------------------------------------------------------- */

static int heap_allocate(size_t bytes, void **base)
{
    *base = take(bytes, 1);
    return 0;
}
static void heap_release(void *base, size_t bytes)
{
    (void)bytes;
    free(base);
}
static int heap_copy(case_stream stream, void *target, const void *source, size_t bytes)
{
    (void)stream;
    memcpy(target, source, bytes);
    return 0;
}
const case_machine case_host_machine = {
    .name = "cpu", .allocate = heap_allocate, .release = heap_release, .upload = heap_copy, .download = heap_copy};

static case_block *block(case_io *io, size_t bytes, int device)
{
    if (io->n_blocks == CASE_MAX_BLOCKS) {
        fprintf(stderr, "kernel cases: more than %d blocks of memory\n", CASE_MAX_BLOCKS);
        exit(70);
    }
    case_block *b = &io->blocks[io->n_blocks++];
    memset(b, 0, sizeof *b);
    b->bytes = bytes;
    if (!device) {
        b->host = take(bytes, 1);
    } else if (io->machine->allocate(bytes ? bytes : 1, &b->device)) {
        fprintf(stderr, "kernel cases: %s: cannot allocate %zu bytes\n", io->machine->name, bytes);
        exit(71);
    }
    return b;
}

void *case_host(case_io *io, size_t bytes)
{
    return block(io, bytes, 0)->host;
}

void *case_push(case_io *io, const void *host, size_t bytes)
{
    void *device = block(io, bytes, 1)->device;
    if (bytes && io->machine->upload(io->machine->stream, device, host, bytes)) fail(io, io->machine->name, "upload");
    return device;
}

/* With `prefill`: NaN (integers: 7) in what is to be set, numbers in what is to be added to. Else zeros. */
void *case_new(case_io *io, case_type type, size_t count, case_how how)
{
    case_block *b = block(io, io->build->size[type] * count, 1);
    b->made = 1;
    b->type = type;
    b->how = how;
    if (!io->prefill || !count || how == CASE_ZERO) return b->device;
    b->before = take(count, sizeof *b->before);
    const int integer = type == CASE_INT || type == CASE_INT64 || type == CASE_QUANTA;
    for (size_t i = 0; i < count; i++)
        b->before[i] = how == CASE_ADDED ? 2 * case_unit("before", (int64_t)i) - 1 : integer ? 7 : (double)NAN;
    void *packed = take(count, io->build->size[type]);
    io->build->pack(packed, type, b->before, NULL, count);
    if (io->machine->upload(io->machine->stream, b->device, packed, b->bytes)) fail(io, io->machine->name, "upload");
    free(packed);
    return b->device;
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

static case_array *array(case_io *io, case_role role, const char *name, case_type type, int parts, int count)
{
    if (io->n_arrays == CASE_MAX_ARRAYS || strlen(name) >= CASE_NAME || case_find(io, role, name)) {
        fprintf(stderr, "kernel cases: array '%s' is one too many, too long a name, or named twice\n", name);
        exit(70);
    }
    case_array *a = &io->arrays[io->n_arrays++];
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "%s", name);
    a->role = role;
    a->type = type;
    a->parts = parts;
    a->count = count;
    a->value = take((size_t)parts * (size_t)count, sizeof *a->value);
    if (io->build->dual) a->dot = take((size_t)parts * (size_t)count, sizeof *a->dot);
    return a;
}

int case_size(const case_io *io, int n)
{
    return io->large ? 8 * n : n;
}

int case_variant(case_io *io, const char *const *names)
{
    io->variants = 0;
    while (names[io->variants]) io->variants++;
    snprintf(io->variant_name, sizeof io->variant_name, "%s", names[io->variant]);
    return io->variant;
}

case_array *case_uniform(case_io *io, case_role role, const char *name, int parts, int count, double lo, double hi)
{
    case_array *a = array(io, role, name, CASE_DOUBLE, parts, count);
    const int n = parts * count;
    for (int i = 0; i < n; i++) a->value[i] = lo + (hi - lo) * case_unit(name, i);
    if (a->dot && io->direction_of && !strcmp(io->direction_of, name))
        memcpy(a->dot, io->direction, sizeof *a->dot * (size_t)n);
    return a;
}

/* Numbers that an array of `count` items takes in memory: as a field of `components`, or (0) one after the other. */
static size_t room_of(int components, int parts, int count)
{
    return components ? field_size(count, components) : (size_t)parts * (size_t)count;
}

/* The index of number i of an array, whose component 0 is component `first` of the field. */
static ptrdiff_t place_of(int components, int first, int count, int i)
{
    return components ? field_at(count, components, first + i / count, i % count) : i;
}

static void *pack(case_io *io, case_type type, const double *value, const double *dot, int parts, int count)
{
    const int components = type == CASE_FIELD ? parts : 0;
    const size_t room = room_of(components, parts, count);
    void *host = case_host(io, io->build->size[type] * room);
    double *v = take(room, sizeof *v), *d = take(room, sizeof *d);
    for (size_t i = 0; i < room; i++) v[i] = (double)NAN; /* stays in the padding */
    for (int i = 0; i < parts * count; i++) {
        v[place_of(components, 0, count, i)] = value[i];
        d[place_of(components, 0, count, i)] = dot ? dot[i] : 0;
    }
    io->build->pack(host, type, v, d, room);
    free(v);
    free(d);
    return host;
}

void *case_pack(case_io *io, const case_array *a, case_type type)
{
    return pack(io, type, a->value, a->dot, a->parts, a->count);
}

void *case_upload(case_io *io, const case_array *a, case_type type)
{
    const size_t room = room_of(type == CASE_FIELD ? a->parts : 0, a->parts, a->count);
    return case_push(io, case_pack(io, a, type), io->build->size[type] * room);
}

/* ---- outputs and gradients ------------------------------------------------------------------------------ */

/* The block that case_new made and that contains these bytes, or NULL. */
static const case_block *block_of(const case_io *io, const void *device, size_t bytes)
{
    for (int i = 0; i < io->n_blocks; i++) {
        const case_block *b = &io->blocks[i];
        const ptrdiff_t at = (const char *)device - (const char *)b->device;
        if (b->made && at >= 0 && (size_t)at + bytes <= b->bytes) return b;
    }
    return NULL;
}

/* The padding of a field of zeros, where no item is stored, must still be zero. */
static int padding_is_zero(const unsigned char *stored, size_t size, int components, int count)
{
    const size_t room = field_size(count, components);
    unsigned char *item = take(room, 1);
    int zero = 1;
    for (int c = 0; c < components; c++)
        for (int i = 0; i < count; i++) item[field_at(count, components, c, i)] = 1;
    for (size_t i = 0; i < room * size; i++) zero = zero && (item[i / size] || !stored[i]);
    free(item);
    return zero;
}

/* A new array of what the device holds. */
static void fetch(case_io *io, case_role role, const char *name, case_type type, int parts, int count, case_slice from)
{
    const int components = from.components;
    const void *device = from.device;
    case_array *a = array(io, role, name, type, parts, count);
    const size_t size = io->build->size[type], room = room_of(components, parts, count);
    unsigned char *stored = take(room, size);
    double *v = take(room, sizeof *v), *d = take(room, sizeof *d);
    if (io->machine->download(io->machine->stream, stored, device, room * size)) fail(io, io->machine->name, name);
    io->build->unpack(v, d, stored, type, room);
    const case_block *b = block_of(io, device, room * size);
    const double *before =
        b && b->before ? b->before + ((const char *)device - (const char *)b->device) / (ptrdiff_t)size : NULL;
    if (b && !before && components && !padding_is_zero(stored, size, components, count))
        fail(io, "a kernel wrote to the padding", name);
    a->size = (size_t)parts * (size_t)count * size;
    a->bytes = take(a->size, 1);
    if (before) a->before = take((size_t)parts * (size_t)count, sizeof *a->before);
    if (before) a->how = b->how;
    for (int i = 0; i < parts * count; i++) {
        const ptrdiff_t at = place_of(components, from.first, count, i);
        a->value[i] = v[at];
        if (a->dot) a->dot[i] = d[at];
        if (before) a->before[i] = before[at];
        memcpy(a->bytes + (size_t)i * size, stored + (size_t)at * size, size);
    }
    free(stored);
    free(v);
    free(d);
}

void case_out(case_io *io, const char *name, case_type type, int parts, int count, const void *device)
{
    fetch(io, CASE_OUTPUT, name, type, parts, count, case_components(device, type == CASE_FIELD ? parts : 0, 0));
}

void case_gradient_of(case_io *io, const char *input, case_type type, int parts, int count, case_slice gradient)
{
    const case_array *x = case_find(io, CASE_INPUT, input);
    if (!x || x->parts != parts || x->count != count) fail(io, "a gradient of what is no input of this shape", input);
    fetch(io, CASE_GRADIENT, input, type, parts, count, gradient);
}

void case_gradient(case_io *io, const char *input, case_type type, int parts, int count, const void *device)
{
    case_gradient_of(io, input, type, parts, count, case_components(device, type == CASE_FIELD ? parts : 0, 0));
}

int case_adjoint(case_io *io)
{
    io->differentiable = 1;
    return !io->build->dual;
}

/* In units in which every component of the output has root mean square 1, so that none hides behind another. */
void *case_cotangent(case_io *io, const char *output, case_type type)
{
    const case_array *y = case_find(io, CASE_OUTPUT, output);
    if (!y) {
        fprintf(stderr, "kernel cases: a cotangent of '%s', which is no output\n", output);
        exit(70);
    }
    const int k = (int)(y - io->arrays), n = y->parts * y->count;
    io->weight[k] = take((size_t)n, sizeof(double));
    for (int part = 0; part < y->parts; part++) {
        const double rms = case_rms(y->value + part * y->count, y->count);
        for (int i = part * y->count; i < (part + 1) * y->count; i++)
            io->weight[k][i] = io->weights ? io->weights->weight[k][i]
                                           : (2 * case_unit(output, i + 1000003) - 1) / (rms > 0 ? rms : 1);
    }
    double *w = take((size_t)n, sizeof *w);
    for (int i = 0; i < n; i++)
        if (io->only_output < 0 || (io->only_output == k && io->only_part == i / y->count)) w[i] = io->weight[k][i];
    void *host = pack(io, type, w, NULL, y->parts, y->count);
    free(w);
    return case_push(io, host, io->build->size[type] * room_of(type == CASE_FIELD ? y->parts : 0, y->parts, y->count));
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

void case_launched(case_io *io, int kernel, int n, int rc)
{
    static const char *const names[] = {
#define MAP(name, adjoint) #name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
    };
    io->launched[kernel]++;
    if (n > io->items[kernel]) io->items[kernel] = n;
    if (rc) fail(io, "a launch failed", names[kernel]);
}

void case_no_influence(case_io *io, const char *input)
{
    for (int i = 0; i < io->n_arrays; i++)
        if (io->arrays[i].role == CASE_INPUT && !strcmp(io->arrays[i].name, input)) io->arrays[i].no_influence = 1;
}

void case_expect(case_io *io, int holds, const char *what)
{
    if (!holds) fail(io, "does not hold", what);
}

const case_array *case_find(const case_io *io, case_role role, const char *name)
{
    for (int i = 0; i < io->n_arrays; i++)
        if (io->arrays[i].role == role && !strcmp(io->arrays[i].name, name)) return &io->arrays[i];
    return NULL;
}

void case_run(case_io *io, int kernel)
{
    io->n_arrays = io->n_blocks = io->differentiable = 0;
    io->variants = 1;
    io->variant_name[0] = io->error[0] = '\0';
    memset(io->weight, 0, sizeof io->weight);
    memset(io->launched, 0, sizeof io->launched);
    memset(io->items, 0, sizeof io->items);
    io->build->cases[kernel](io);
    /* device memory ends here, except what `before` points to */
    for (int i = 0; i < io->n_blocks; i++) {
        case_block *b = &io->blocks[i];
        if (b->device) io->machine->release(b->device, b->bytes ? b->bytes : 1);
        free(b->host);
        b->device = b->host = NULL;
    }
}

void case_free(case_io *io)
{
    for (int i = 0; i < io->n_arrays; i++) {
        free(io->arrays[i].value);
        free(io->arrays[i].dot);
        free(io->arrays[i].bytes);
        free(io->arrays[i].before);
        free(io->weight[i]);
    }
    for (int i = 0; i < io->n_blocks; i++) free(io->blocks[i].before);
    io->n_arrays = io->n_blocks = 0;
}
