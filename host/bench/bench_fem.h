/* bench_fem.h -- measuring a FEM engine: one load step of a trial and its gradient; assembly, products, iterations,
 * bytes. */
#ifndef PIOLA_HOST_BENCH_FEM_H
#define PIOLA_HOST_BENCH_FEM_H

#include "host/bench/bench.h"
#include "host/bench/trial_fem.h"

enum { PIO_FEM_BENCH_REPETITIONS = 3, PIO_FEM_BENCH_TIMERS = 256 }; /* timers: more than an engine has */

/* One number of threads: s of wall time, and of CPU time of all threads together. */
typedef struct {
    int threads;
    pio_spread forward, forward_cpu; /* from the design to the objective */
    pio_spread adjoint, adjoint_cpu; /* from the objective to the gradient */
    double copy;                     /* B/s, read and written bytes counted */
} pio_fem_bench_row;

typedef struct {
    const char *name;
    int64_t forward_calls, adjoint_calls;
    double forward, adjoint; /* s */
} pio_fem_bench_kernel;

/* What kernels belong to. */
typedef enum { PIO_FEM_ASSEMBLY, PIO_FEM_PRODUCT, PIO_FEM_SOLVER, PIO_FEM_FORCES, PIO_FEM_PARTS } pio_fem_bench_part;
extern const char *const pio_fem_bench_part_names[PIO_FEM_PARTS];
pio_fem_bench_part pio_fem_bench_part_of(const char *kernel);

typedef struct {
    pio_engine_module engine;
    pio_fem_trial_options options; /* threads: the most */
    pio_engine_bytes bytes;
    int64_t nodes, elements, unknowns, blocks; /* blocks: of the matrix */
    double matrix_bytes, product_bytes;        /* of its values and columns; moved by a product, each once */
    bool on_cpu;
    pio_step_record record;
    double J, defect;     /* objective, m; pio_fem_trial_defect of the gradient */
    int64_t process_peak; /* bytes the process held at most */
    pio_fem_bench_row rows[PIO_BENCH_ROWS];
    int n_rows;
    pio_fem_bench_kernel kernels[PIO_BENCH_KERNELS]; /* of a run of their own with the most threads; those that ran */
    int n_kernels;
    double kernel_forward, kernel_adjoint; /* s, of all kernels */
    double part[PIO_FEM_PARTS][2];         /* s, forward and adjoint */
    double assembly, product, iteration,
        element;            /* s: an assembly, a product, a solver's iteration; ns: an element's part
                                                     of an assembly */
    char library[128];      /* of products, beside our own; "": the device has none */
    double library_product; /* s: a product by it */
} pio_fem_bench;

/* Fill everything but `engine` and `options`, which are given. */
piola_status pio_fem_bench_measure(pio_fem_bench *b, piola_error *error);

#endif
