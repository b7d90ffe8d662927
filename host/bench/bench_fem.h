/* bench_fem.h -- measurements of a FEM engine: one load step of a benchmark case and its gradient; assembly, products,
 * iterations, bytes. */
#ifndef PIOLA_HOST_BENCH_FEM_H
#define PIOLA_HOST_BENCH_FEM_H

#include "host/bench/bench.h"
#include "host/bench/bench_fem_case.h"

enum { PIO_FEM_BENCH_REPETITIONS = 3, PIO_FEM_BENCH_TIMERS = PIO_BENCH_TIMERS };

/* The times for one number of threads: wall time, and CPU time of all threads together, s. */
typedef struct {
    int threads;                     /* number of threads */
    pio_spread forward, forward_cpu; /* from the design to the objective */
    pio_spread adjoint, adjoint_cpu; /* from the objective to the gradient */
    double copy;                     /* B/s of a copy, bytes read plus bytes written */
} pio_fem_bench_row;

typedef struct {
    const char *name;                     /* name of the kernel */
    int64_t forward_calls, adjoint_calls; /* calls in each sweep */
    double forward, adjoint;              /* s in each sweep */
} pio_fem_bench_kernel;

/* Tasks to which kernels belong. */
typedef enum { PIO_FEM_ASSEMBLY, PIO_FEM_PRODUCT, PIO_FEM_SOLVER, PIO_FEM_FORCES, PIO_FEM_PARTS } pio_fem_bench_part;
extern const char *const pio_fem_bench_part_names[PIO_FEM_PARTS]; /* their names in reports */
/* Returns the task of a kernel, by its name. */
pio_fem_bench_part pio_fem_bench_part_of(const char *kernel);

typedef struct {
    pio_engine_module engine;                  /* engine that is measured */
    pio_bench_fem_case_options options;        /* of the benchmark case; threads: the greatest number */
    pio_engine_bytes bytes;                    /* memory of the simulation */
    int64_t nodes, elements, unknowns, blocks; /* blocks: nonzero blocks of the matrix, a pair of nodes each */
    double matrix_bytes, product_bytes;        /* bytes of its values and columns; bytes that a product must move */
    bool on_cpu;                               /* the engine runs on the processor */
    pio_step_record record;                    /* iterations of the load step and of its adjoint */
    double J, defect;                          /* objective, m; pio_bench_fem_case_defect() of the gradient */
    int64_t process_peak;                      /* greatest bytes of memory of the process */
    pio_fem_bench_row rows[PIO_BENCH_ROWS];    /* [n_rows] times, one row for each number of threads */
    int n_rows;                                /* number of rows */
    /* [n_kernels] kernels that were called, in a run of their own with the most threads */
    pio_fem_bench_kernel kernels[PIO_BENCH_KERNELS];
    int n_kernels;                         /* number of kernels */
    double kernel_forward, kernel_adjoint; /* s, sums over all kernels */
    pio_bench_calls calls;                 /* what the load step and its adjoint give the device to do */
    double part[PIO_FEM_PARTS][2];         /* s of each task, forward and adjoint */
    /* s of an assembly, a product, a solver's iteration; ns of an assembly per element */
    double assembly, product, iteration, element;
    char library[128];      /* library of products other than Piola's own; "": the device has none */
    double library_product; /* s of a product by that library */
} pio_fem_bench;

/* Measures, and fills all members except `engine` and `options`, which the caller sets. Returns PIOLA_INTERNAL if the
 * gradient is wrong, PIOLA_NO_MEMORY, and the errors of the engine. */
piola_status pio_fem_bench_measure(pio_fem_bench *b, piola_error *error);

#endif
