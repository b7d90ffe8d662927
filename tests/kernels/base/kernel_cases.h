/* kernel_cases.h -- the interface between a case of test_every_kernel and the harness. No `real` here: numbers
 * cross as double.
 *
 * A case is a function that supplies sample arguments to its kernel, launches it, names the outputs, and (where the
 * kernel has an adjoint) launches that with cotangents of the outputs and names the gradients of the inputs. Its text
 * is compiled twice, with the engine's `real` and with dual numbers, and run many times: the same calls give the same
 * numbers.
 *
 *     real *x = REALS(io, "x", parts, n, lo, hi);       an input that is differentiated, component by component
 *     real *y = NEW_FIELD(io, parts, n, CASE_SET);      memory that the kernel sets, or adds to: CASE_ADDED;
 *                                                       CASE_ZERO where the next kernel needs the sum alone
 *     LAUNCH(io, kernel, n, limit, &args);
 *     case_out(io, "y", CASE_FIELD, parts, n, y);       an output
 *     if (!case_adjoint(io)) return;                    the dual build ends here
 *     real *y_bar = FIELD_COTANGENT(io, "y");
 *     LAUNCH(io, kernel_adj, n, limit, &adj);
 *     case_gradient(io, "x", CASE_FIELD, parts, n, x_bar);
 *
 * To the harness, arrays are component by component: component c of item i is at [c*n + i]. In memory a field,
 * CASE_FIELD, is stored as field_at of vec.h says, its padding is NaN where a case uploads it, and no
 * kernel may write there. */
#ifndef PIOLA_TESTS_KERNEL_CASES_H
#define PIOLA_TESTS_KERNEL_CASES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
#define MAP(name, adjoint) CASE_OF_##name,
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
    CASE_KERNELS
};

/* CASE_FIELD: reals whose array is a field. CASE_QUANTA: int64 too, but numbers of quanta, which may change by
 * rounding. CASE_NARROW: in the digits of a preconditioner. CASE_ROUGH: wide, but made from numbers of those digits. */
typedef enum {
    CASE_INT,
    CASE_INT64,
    CASE_QUANTA,
    CASE_DOUBLE,
    CASE_REAL,
    CASE_FIELD,
    CASE_NARROW,
    CASE_ROUGH,
    CASE_WIDE,
    CASE_TYPES
} case_type;
typedef enum { CASE_INPUT, CASE_CONSTANT, CASE_OUTPUT, CASE_GRADIENT } case_role;
typedef enum { CASE_SET, CASE_ADDED, CASE_ZERO } case_how;

enum { CASE_MAX_ARRAYS = 48, CASE_MAX_BLOCKS = 512, CASE_NAME = 32 };

/* An input, output or gradient as the harness sees it after a run. */
typedef struct {
    char name[CASE_NAME];
    case_role role;
    case_type type;
    case_how how;
    int parts, count;     /* parts * count numbers */
    int no_influence;     /* inputs: the derivative is known to be zero */
    double *value;        /* [parts * count] */
    double *dot;          /* [parts * count] directional derivative (dual build), else NULL */
    double *before;       /* [parts * count] what the memory held before, or NULL: zeros */
    unsigned char *bytes; /* [parts * count] outputs and gradients: what the machine stored */
    size_t size;          /* of bytes */
} case_array;

typedef struct CUstream_st *case_stream;

/* Where kernels run: functions as in kernels/backend/table.h. */
typedef struct {
    const char *name;
    const void *kernels; /* const pio_kernels * */
    case_stream stream;
    int (*allocate)(size_t bytes, void **base); /* zeroed */
    void (*release)(void *base, size_t bytes);
    int (*upload)(case_stream stream, void *target, const void *source, size_t bytes);
    int (*download)(case_stream stream, void *target, const void *source, size_t bytes);
} case_machine;

typedef struct case_io case_io;
typedef void (*case_function)(case_io *io);

/* One compilation of the cases. */
typedef struct {
    int dual, dimension;
    size_t size[CASE_TYPES];
    void (*pack)(void *target, case_type type, const double *value, const double *dot,
                 size_t count);                                                                   /* dot may be NULL */
    void (*unpack)(double *value, double *dot, const void *source, case_type type, size_t count); /* likewise */
    const case_function *cases;                                                                   /* [CASE_KERNELS] */
} case_build;

extern const case_build case_build_real, case_build_dual;
extern const void *const case_kernels_dual; /* const pio_kernels * of the dual build */

typedef struct {
    void *device, *host;
    size_t bytes;
    case_type type;
    case_how how;
    int made;       /* by case_new, of zeros where `before` is NULL */
    double *before; /* what it was filled with, or NULL */
} case_block;

struct case_io {
    const case_build *build;
    const case_machine *machine;
    int variant;                /* which variant of the case to run */
    const case_io *weights;     /* run whose cotangents are used again, or NULL */
    int only_output, only_part; /* all other cotangents are 0; -1: none is */
    int prefill;                /* fill memory with garbage before */
    int large;                  /* so many items that the CPU backend uses its threads */
    const char *direction_of;   /* dual build: input that is varied, and how */
    const double *direction;

    char variant_name[CASE_NAME];
    int variants, differentiable; /* variants of this case; does this one run an adjoint? */
    int n_arrays, n_blocks;
    case_array arrays[CASE_MAX_ARRAYS];
    case_block blocks[CASE_MAX_BLOCKS];
    double *weight[CASE_MAX_ARRAYS];                 /* cotangent of output k */
    int launched[CASE_KERNELS], items[CASE_KERNELS]; /* times; items of the largest launch */
    char error[256];                                 /* the first thing that went wrong, or "" */
};

/* ---- for cases ------------------------------------------------------------------------------------------- */

/* A number in [0, 1) that depends on the name and the index only. */
double case_unit(const char *name, int64_t i);
/* n, or eight times as many in a large run. */
int case_size(const case_io *io, int n);
/* Names of the variants, NULL at the end; returns the one to run. */
int case_variant(case_io *io, const char *const *names);
/* An array of numbers in [lo, hi); the case may change `value` before it is packed. */
case_array *case_uniform(case_io *io, case_role role, const char *name, int parts, int count, double lo, double hi);
void *case_pack(case_io *io, const case_array *array, case_type type);   /* in host memory, with its derivatives */
void *case_upload(case_io *io, const case_array *array, case_type type); /* in device memory, with its derivatives */
void *case_host(case_io *io, size_t bytes);                              /* zeroed host memory */
void *case_push(case_io *io, const void *host, size_t bytes);            /* a copy in device memory */
void *case_new(case_io *io, case_type type, size_t count, case_how how); /* device memory for a kernel to write */
void case_out(case_io *io, const char *name, case_type type, int parts, int count, const void *device);
int case_adjoint(case_io *io);
void *case_cotangent(case_io *io, const char *output, case_type type);
void case_gradient(case_io *io, const char *input, case_type type, int parts, int count, const void *device);
/* Components first, first + 1, ... of a field of `components` on the device, of reals or of CASE_WIDE; an array that is
 * no field has 0 components. */
typedef struct {
    const void *device;
    int components, first;
} case_slice;
static inline case_slice case_components(const void *device, int components, int first)
{
    case_slice s;
    s.device = device;
    s.components = components;
    s.first = first;
    return s;
}
/* case_gradient, where the gradient is some components of a field. */
void case_gradient_of(case_io *io, const char *input, case_type type, int parts, int count, case_slice gradient);
/* The case knows that no output depends on this input, here or in any of its variants. */
void case_no_influence(case_io *io, const char *input);
void case_launched(case_io *io, int kernel, int n, int rc); /* over n items */
void case_expect(case_io *io, int holds, const char *what);

#define CASE_TYPE_int CASE_INT
#define CASE_TYPE_uint64_t CASE_INT64
#define CASE_TYPE_double CASE_DOUBLE
#define CASE_TYPE_real CASE_REAL
#define CASE_TYPE_narrow CASE_NARROW
#define CASE_TYPE_wide CASE_WIDE
/* Fields of reals: an input, a constant, memory for a kernel to write, the cotangent of an output that is one. */
#define REALS(io, name, parts, n, lo, hi)                                                                              \
    ((real *)case_upload(io, case_uniform(io, CASE_INPUT, name, parts, n, lo, hi), CASE_FIELD))
#define CONSTANTS(io, name, parts, n, lo, hi)                                                                          \
    ((real *)case_upload(io, case_uniform(io, CASE_CONSTANT, name, parts, n, lo, hi), CASE_FIELD))
#define NEW_FIELD(io, parts, n, how) NEW(io, real, field_size(n, parts), how)
#define FIELD_COTANGENT(io, output) ((real *)case_cotangent(io, output, CASE_FIELD))
#define WIDES(io, name, parts, n, lo, hi)                                                                              \
    ((wide *)case_upload(io, case_uniform(io, CASE_INPUT, name, parts, n, lo, hi), CASE_WIDE))
#define NEW(io, type, count, how) ((type *)case_new(io, CASE_TYPE_##type, (size_t)(count), how))
#define COTANGENT(io, type, output) ((type *)case_cotangent(io, output, CASE_TYPE_##type))
#define HOST(io, type, count) ((type *)case_host(io, sizeof(type) * (size_t)(count)))
#define PUSH(io, type, host, count) ((type *)case_push(io, host, sizeof(type) * (size_t)(count)))

#define CASE_TABLE(io) ((const pio_kernels *)(io)->machine->kernels)
#define LAUNCH(io, kernel, n, limit, args)                                                                             \
    case_launched(io, CASE_OF_##kernel, n, CASE_TABLE(io)->kernel((io)->machine->stream, n, limit, args))
#define LAUNCH_SUM(io, kernel, n, limit, args, sum)                                                                    \
    case_launched(                                                                                                     \
        io, CASE_OF_##kernel, n,                                                                                       \
        CASE_TABLE(io)->kernel((io)->machine->stream, n, limit, args, sum, NEW(io, wide, PIO_SUM_WORK(n), CASE_ZERO)))
#define LAUNCH_SCAN(io, kernel, n, args)                                                                               \
    case_launched(io, CASE_OF_##kernel, n,                                                                             \
                  CASE_TABLE(io)->kernel((io)->machine->stream, n, args, NEW(io, int, PIO_SCAN_WORK(n), CASE_ZERO)))

/* ---- for the harness ------------------------------------------------------------------------------------- */

extern const case_machine case_host_machine; /* memory on the heap; `kernels` to be filled in */

void case_run(case_io *io, int kernel); /* build, machine and wishes are set, the rest is set here */
void case_free(case_io *io);
const case_array *case_find(const case_io *io, case_role role, const char *name);
double case_rms(const double *v, int count);

#ifdef __cplusplus
}
#endif
#endif
