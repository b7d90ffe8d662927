/* piola.h -- the public interface of Piola, a differentiable solver for soft bodies and fluids.
 *
 * Units are SI throughout: m, kg, s, N, Pa, J. Numbers cross this interface as double, whatever precision the
 * engine computes in. 2D scenes are plane strain per metre of thickness. Every function that can fail returns a
 * piola_status, which is also the exit code of the command, and fills `error` (which may be NULL).
 */
#ifndef PIOLA_H
#define PIOLA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PIOLA_VERSION "0.1.0"

/* ---- outcomes ------------------------------------------------------------------------------------------ */

typedef enum piola_status {
    PIOLA_OK = 0,
    PIOLA_NO = 1,             /* the answer is no: check failed, optimiser not converged */
    PIOLA_USAGE = 2,          /* an option or argument is wrong */
    PIOLA_BAD_DATA = 65,      /* a scene or a data file is wrong; the message has file:line:col */
    PIOLA_NO_INPUT = 66,      /* an input file is missing or cannot be read */
    PIOLA_UNAVAILABLE = 69,   /* the device or engine asked for is not there */
    PIOLA_INTERNAL = 70,      /* a bug in Piola */
    PIOLA_NO_MEMORY = 71,     /* memory or budget exhausted; the message names the bytes needed */
    PIOLA_CANNOT_CREATE = 73, /* an output file cannot be created */
    PIOLA_IO = 74,            /* reading or writing failed (disk full, ...) */
    PIOLA_INTERRUPTED = 75,   /* stopped by a signal or a time limit; what was finished is on disk */
    PIOLA_NUMERICAL = 76,     /* the computation failed; the message names step, item and value, `failure` the kind */
    PIOLA_REFUSED = 77        /* without leave: a path outside its folder, a run of another machine */
} piola_status;

/* What failed in a computation, for programs; scripts read its name in `failure` of result.json. */
typedef enum piola_failure_kind {
    PIOLA_FAILED_NOT, /* nothing, or nothing of this kind */
    /* of meshes and of particles */
    PIOLA_FAILED_CONSTANTS,  /* a law is not defined for its constants */
    PIOLA_FAILED_TIME_STEP,  /* a time step is longer than an explicit scheme is stable for */
    PIOLA_FAILED_NOT_FINITE, /* a value is not a number, or infinite */
    PIOLA_FAILED_INVERTED,   /* an element or a particle is inside out, where its law is not defined */
    /* of meshes */
    PIOLA_FAILED_REST_SHAPE,  /* an element has no positive volume at rest */
    PIOLA_FAILED_LOOSE_BODY,  /* supports leave a static body free to move */
    PIOLA_FAILED_LINE_SEARCH, /* no lower potential along Newton's direction */
    PIOLA_FAILED_NEWTON,      /* Newton's method needs more iterations than are allowed */
    PIOLA_FAILED_ADJOINT,     /* the adjoint solve missed its tolerance; `cause` says how */
    /* of linear solves */
    PIOLA_FAILED_LINEAR_LIMIT,       /* more iterations than are allowed */
    PIOLA_FAILED_STAGNATION,         /* the residual falls no further */
    PIOLA_FAILED_NEGATIVE_CURVATURE, /* the operator is not positive definite, and the method needs it to be */
    PIOLA_FAILED_SINGULAR,           /* the operator is singular, or one of its diagonal blocks */
    PIOLA_FAILED_PRECONDITIONER,     /* the preconditioner is not positive definite */
    /* of particles */
    PIOLA_FAILED_START_OUTSIDE, /* a particle starts outside the grid */
    PIOLA_FAILED_LEFT_GRID,     /* a particle left the grid */
    PIOLA_FAILED_CFL,           /* a particle crosses more of a cell in one step than is allowed */
    /* of results */
    PIOLA_FAILED_OBJECTIVE, /* an observation, the objective or a constraint is not finite */
    PIOLA_FAILED_GRADIENT,  /* a derivative is not finite */
    PIOLA_FAILED_REVERSAL,  /* steps that were taken back did not lead to where they began */
    PIOLA_FAILURES
} piola_failure_kind;

typedef enum piola_failed_item {
    PIOLA_FAILED_NOWHERE,
    PIOLA_FAILED_ELEMENT,
    PIOLA_FAILED_NODE,
    PIOLA_FAILED_PARTICLE
} piola_failed_item;

typedef struct piola_failure {
    piola_failure_kind kind, cause;
    piola_failed_item of; /* what `item` is the number of; else it means nothing */
    int64_t item;
    int64_t step;    /* -1: of none */
    double residual; /* relative, of the solve that failed; NaN where there is none */
} piola_failure;

/* "line_search" and so on; "none". */
const char *piola_failure_name(piola_failure_kind kind);

typedef struct piola_error {
    piola_status status;
    char message[2048];    /* says what was wrong, where, and what would be right */
    piola_failure failure; /* kind PIOLA_FAILED_NOT: not a computation that failed */
} piola_error;

/* ---- memory that was refused -----------------------------------------------------------------------------
 *
 * Libraries that Piola stands on do not always tell that memory was refused to them: they report another failure, end
 * the process or crash. A program that sees every refusal (the command defines malloc and its kin, see tools/memory.c)
 * tells it here; from then on what fails in a way that lack of memory can explain is PIOLA_NO_MEMORY. */

/* `bytes` were asked for and refused. For any thread, and for signal handlers. */
void piola_memory_refused(size_t bytes);
/* The bytes of the first refusal in this process; 0: none so far. */
size_t piola_refused_bytes(void);
/* Remove the result.json that the last command wrote, unless it tells of a failure: for a process that ends otherwise
 * than the file says. May be called in a signal handler. */
void piola_disown_result(void);

/* ---- what every command takes --------------------------------------------------------------------------- */

/* Start from piola_options_default(). Strings stay the caller's and must outlive the call. */
typedef struct piola_options {
    const char *scene;       /* the scene file */
    const char *directory;   /* output folder; NULL: the scene's output.directory */
    const char *const *sets; /* [n_sets] overrides "time.dt=0.1 ms" */
    size_t n_sets;
    const char *const *allow; /* [n_allow] files and folders outside the scene's folder that the scene may name */
    size_t n_allow;
    const char *device;    /* "auto" (default), "cpu", "cuda" */
    const char *isa;       /* instruction set of the CPU engine, "x86-64-v3"; NULL: the best that runs */
    const char *precision; /* NULL: the scene's (check: f64), or "f32", "f64" */
    int threads;           /* CPU threads; 0: what OpenMP offers */
    bool resume; /* continue from what an earlier run left: evaluations of optimize, a checkpoint of run, grad */
    bool accept_machine;      /* continue what another machine began, whose bits may be others */
    bool dry_run;             /* print the plan and stop */
    bool json;                /* result.json on stdout too */
    int quiet, verbose;       /* how often -q and -v were given */
    const char *log_json;     /* file of JSON log lines, or NULL */
    double max_walltime;      /* s; 0: no limit */
    const char *command_line; /* for the manifest, or NULL */
    /* test only: run and grad look after every step, and at this look, from 1, the run is interrupted; negative:
     * killed */
    int test_cut;
    bool corrupt_gradient; /* test only: spoil one entry of the gradient, so that a check has to say no */
} piola_options;

piola_options piola_options_default(void);

/* ---- the commands: each does what `piola NAME` does, writes its files and result.json, and returns its exit code
 * --- */

piola_status piola_run(const piola_options *options, piola_error *error);      /* simulate, write states */
piola_status piola_grad(const piola_options *options, piola_error *error);     /* forward and adjoint, gradients */
piola_status piola_check(const piola_options *options, piola_error *error);    /* adjoint against differences */
piola_status piola_optimize(const piola_options *options, piola_error *error); /* improve the design */
piola_status piola_validate(const piola_options *options,
                            piola_error *error); /* all errors of a scene; --json: resolved */
piola_status piola_params(const piola_options *options, piola_error *error); /* what can be differentiated */
piola_status piola_schema(bool reference, piola_error *error); /* JSON Schema of scenes, or the keys as Markdown */
piola_status piola_doctor(bool json, piola_error *error);      /* devices, libraries, self-test */

/* Laws of materials, the `model` of a scene's materials, by name; NULL-ended. */
extern const char *const piola_laws[];

typedef struct piola_bench_options {
    int64_t particles; /* about this many */
    int per_cell, dimension, steps;
    const char *device, *isa, *precision, *law; /* law: of piola_laws */
    int threads;                                /* most; thread scaling is measured from 1 up to it */
    bool json;
} piola_bench_options;

piola_bench_options piola_bench_options_default(void);
piola_status piola_bench_mpm(const piola_bench_options *options, piola_error *error);

typedef struct piola_bench_fem_options {
    const char *element;                        /* NULL: hex8, in 2D quad4 */
    int cells;                                  /* per axis; 0: 31, in 2D 512 */
    int dimension;                              /* 0: the element's */
    const char *device, *isa, *precision, *law; /* the laws of `method: {type: fem}` */
    double tolerance;                           /* of Newton and adjoint; 0: 1e-10, in f32 1e-3 */
    int threads;                                /* most; 1, 2, 4, ... up to it are measured */
    bool json;
} piola_bench_fem_options;

typedef struct piola_bench_memory_options {
    int64_t particles; /* of the MPM case, about this many */
    int steps;
    const char *device, *isa, *precision;
    int threads; /* 0: all */
    bool json;
} piola_bench_memory_options;

piola_bench_memory_options piola_bench_memory_options_default(void);
piola_status piola_bench_memory(const piola_bench_memory_options *options, piola_error *error);

typedef struct piola_bench_snapshot_options {
    int64_t particles; /* about this many */
    int dimension, frames;
    const char *precision;
    const char *folder; /* for the file that is written, read and removed */
    bool json;
} piola_bench_snapshot_options;

piola_bench_snapshot_options piola_bench_snapshot_options_default(void);
piola_status piola_bench_snapshot(const piola_bench_snapshot_options *options, piola_error *error);

piola_bench_fem_options piola_bench_fem_options_default(void);
piola_status piola_bench_fem(const piola_bench_fem_options *options, piola_error *error);

typedef struct piola_info_options {
    const char *file; /* a snapshot, or a Gmsh mesh */
    bool json;        /* for programs */
    bool no_verify;   /* do not compare the bytes of the file with their checksums first */
} piola_info_options;

/* Print what a snapshot or a mesh holds. */
piola_status piola_info(const piola_info_options *options, piola_error *error);

typedef struct piola_render_options {
    const char *file, *output;       /* a snapshot, the PNG to write */
    const char *field;               /* NULL: magnitude of velocity or displacement, or the first field there is */
    int64_t frame;                   /* -1: the last */
    int width, height;               /* pixels; 0: 1280 x 720 */
    double lo, hi;                   /* range of the colour bar; NaN: automatic */
    double azimuth, elevation, zoom; /* 3D camera, degrees; NaN: default */
    double deformation;              /* of a mesh: factor of its displacement; 1: as it is, 0: at rest */
    int threads;
    bool no_verify; /* do not compare the bytes of the file with their checksums first */
} piola_render_options;

piola_render_options piola_render_options_default(void);
piola_status piola_render(const piola_render_options *options, piola_error *error);

typedef struct piola_export_options {
    const char *file; /* a snapshot */
    const char *to;   /* "vtu", "csv", "npy" or "stl" */
    const char
        *output;    /* the file to write (npy: the folder); NULL: beside the snapshot, with its name and the frame's */
    int64_t frame;  /* -1: the last */
    bool no_verify; /* do not compare the bytes of the file with their checksums first */
} piola_export_options;

piola_export_options piola_export_options_default(void);
/* One frame for other programs; prints "wrote NAME" for every file. Files that it did not write itself are left
 * alone. */
piola_status piola_export(const piola_export_options *options, piola_error *error);

/* ---- a scene in a program of one's own ------------------------------------------------------------------- */

typedef struct piola_problem piola_problem; /* a scene on a device. Not for two threads at once. */

/* Load the scene and put it on the device, with room for gradients. Writes, removes and prints nothing, but the file of
 * options->log_json; the scene's first fault is in `error`. options->dry_run is PIOLA_USAGE. On failure *out is
 * NULL. */
piola_status piola_open(piola_problem **out, const piola_options *options, piola_error *error);
void piola_close(piola_problem *problem);

/* The design variables of the scene: how many, the name of each and its starting value, in SI. */
size_t piola_variables(const piola_problem *problem);
piola_status piola_variable(const piola_problem *problem, size_t i, char *name, size_t size, double *start,
                            piola_error *error);

/* Simulate with `values` [variables] (NULL: the start); J, and dJ/dvalues in `gradient` [variables] unless it is NULL.
 * Of a design with a filter the values are those before it. Where the scene keeps states on disk, they go into its
 * folder. */
piola_status piola_evaluate(piola_problem *problem, const double *values, double *J, double *gradient,
                            piola_error *error);

/* The observations of the scene, as of the last evaluation. An observation has values [samples][components] in SI
 * units, at times [samples] in s (of a window its middle). */
typedef struct piola_observation_info {
    char name[120]; /* of the scene's `observe` */
    size_t samples, components;
} piola_observation_info;
size_t piola_observations(const piola_problem *problem);
piola_status piola_observation(const piola_problem *problem, size_t i, piola_observation_info *info,
                               piola_error *error);
/* `times` may be NULL; `size`: the doubles that `values` has room for, PIOLA_USAGE where they are fewer than
 * samples * components. */
piola_status piola_read_observation(const piola_problem *problem, size_t i, double *times, double *values, size_t size,
                                    piola_error *error);

/* The constraints of the scene, inequalities c <= 0 where c is a share of the bound, as of the last evaluation: name
 * and value, and dc/dvalues in `gradient` [variables] unless it is NULL, which takes an evaluation with a gradient.
 * (Each constraint takes an adjoint sweep of such an evaluation.) */
size_t piola_constraints(const piola_problem *problem);
piola_status piola_constraint(const piola_problem *problem, size_t i, char *name, size_t size, double *c,
                              double *gradient, piola_error *error);

/* Fields by name, on particles, nodes or elements: how many items and components one has, 0 where there is no field of
 * that name, and after an evaluation its values [items][components], in the scene's order. `size`: the doubles that
 * `values` has room for; PIOLA_USAGE where they are too few. Of particles: position velocity C F J pressure mass; after
 * a gradient, grad_position grad_velocity grad_given_0 grad_given_1 grad_given_2 grad_density. Of meshes: displacement
 * velocity reaction and more on nodes, stress and more on elements: docs/reference/fields.md. */
size_t piola_items(const piola_problem *problem, const char *field);
size_t piola_components(const piola_problem *problem, const char *field);
piola_status piola_read(piola_problem *problem, const char *field, double *values, size_t size, piola_error *error);
/* How many of each the scene has. */
size_t piola_particles(const piola_problem *problem);
size_t piola_nodes(const piola_problem *problem);
size_t piola_elements(const piola_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
