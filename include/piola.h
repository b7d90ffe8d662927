/* piola.h -- the public interface of Piola, a differentiable solver for soft bodies and fluids.
 *
 * Units are SI throughout: m, kg, s, N, Pa, J. Numbers cross this interface as double, whatever precision the
 * engine computes in. In 2D, particles are in plane strain, per metre of thickness; bodies that are meshes are in plane
 * strain or plane stress (`method.plane`) and have a thickness (`bodies[].thickness`, 1 m by default), or they are
 * rings, of which all numbers are those of the whole ring. Every function that can fail returns a piola_status, which
 * is also the exit code of the command, and fills `error` (which may be NULL).
 */
#ifndef PIOLA_H
#define PIOLA_H

#include "piola_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PIOLA_VERSION "0.1.0"
#define PIOLA_MOST_THREADS 4096 /* greatest number of threads that may be requested */

/* Returns PIOLA_VERSION of the library, for programs that load it and were made for one version. */
const char *piola_version(void);

/* ---- memory that was refused -----------------------------------------------------------------------------
 *
 * Libraries that Piola uses do not always report that memory was refused to them: they report another failure, end the
 * process or crash. A program that sees every refusal (the command defines malloc and related functions, see
 * tools/memory.c) reports it here; after that, a failure that lack of memory can explain is PIOLA_NO_MEMORY. */

/* Reports that an allocation of `bytes` was refused. Any thread and signal handlers may call it. */
void piola_memory_refused(size_t bytes);
/* Returns the bytes of the first refusal in this process; 0: none so far. */
size_t piola_refused_bytes(void);
/* Removes the result.json that the last command wrote, unless it reports a failure; for a process that then ends
 * differently. A signal handler may call it. */
void piola_disown_result(void);

/* ---- options of commands --------------------------------------------------------------------------------- */

/* Options of the commands and of piola_open(). Start from piola_options_default(). Strings remain the caller's and must
 * outlive the call. */
typedef struct piola_options {
    const char *scene; /* name of the scene file */
    /* the scene itself, of which `scene` is the name in messages, in a folder where relative paths begin; NULL: it is
     * read from that file. Of piola_open() alone: for commands it is PIOLA_USAGE */
    const char *text;
    const char *directory;    /* folder for the results; NULL: the scene's output.directory */
    const char *const *sets;  /* [n_sets] overrides of keys of the scene, such as "time.dt=0.1 ms" */
    size_t n_sets;            /* number of overrides */
    const char *const *allow; /* [n_allow] files and folders outside the scene's folder that the scene may name */
    size_t n_allow;           /* number of them */
    const char *device;       /* where to compute: "auto" (default) takes a GPU if there is one, "cpu", "cuda" */
    const char *isa;       /* instruction set of the CPU engine, such as "x86-64-v3"; NULL: the best that runs here */
    const char *precision; /* digits of the computation: "f32", "f64"; NULL: the scene's (check: f64) */
    /* number of CPU threads, 1 to PIOLA_MOST_THREADS, which does not change results; 0: as many as OpenMP offers */
    int threads;
    int jobs;      /* of a study, or of optimizer.multi_start: processes at a time, which do not change results; 0: 1 */
    double memory; /* greatest bytes of a simulation with its states; 0: the scene's budget, or what there is */
    bool resume;   /* continue an earlier run: from the evaluations of optimize, or from a checkpoint of run and grad */
    bool accept_machine;  /* also continue a run of another machine, where the same bits are not guaranteed */
    bool dry_run;         /* print the plan and stop; nothing is written */
    bool json;            /* print result.json on stdout too */
    int quiet, verbose;   /* number of -q and -v: fewer and more messages */
    const char *log_json; /* file to which the log is appended as JSON lines; NULL: none */
    double max_walltime;  /* limit of wall time in s, after which the run stops with PIOLA_INTERRUPTED; 0: none */
    /* what is interrupted before a new evaluation, a checkpoint at a later step or another member is on disk ends with
     * PIOLA_NO_PROGRESS: to run it again in the same time would lead no farther */
    bool require_progress;
    const char *command_line; /* command line for the manifest; NULL: none */
} piola_options;

/* Returns the defaults. */
piola_options piola_options_default(void);

/* ---- commands -------------------------------------------------------------------------------------------
 *
 * Each function does what `piola NAME` does, writes its files and result.json, and returns the exit code. Several have
 * the same errors:
 *
 *   errors of a scene        PIOLA_USAGE (an option), PIOLA_BAD_DATA, PIOLA_NO_INPUT, PIOLA_NO_MEMORY,
 *                            PIOLA_INTERRUPTED, PIOLA_REFUSED (a path outside the scene's folder)
 *   errors of a simulation   those of a scene; PIOLA_UNAVAILABLE, PIOLA_NUMERICAL, PIOLA_CANNOT_CREATE (also where
 *                            another run has the output folder), PIOLA_IO
 *   errors of a file         PIOLA_USAGE (an option), PIOLA_NO_INPUT, PIOLA_BAD_DATA (it is damaged or of another
 *                            kind), PIOLA_NO_MEMORY, PIOLA_IO
 *   errors of a benchmark    PIOLA_USAGE (an option), PIOLA_UNAVAILABLE, PIOLA_NO_MEMORY, PIOLA_CANNOT_CREATE,
 *                            PIOLA_IO, PIOLA_INTERRUPTED, PIOLA_NUMERICAL, PIOLA_INTERNAL (a result is wrong)
 *
 * PIOLA_INTERNAL, an error in Piola itself, is possible of each. */

/* Simulates the scene and writes its states. The errors of a simulation; PIOLA_REFUSED too for a checkpoint of another
 * machine. */
piola_status piola_run(const piola_options *options, piola_error *error);
/* Simulates forward and adjoint, and writes the objective and its gradient. The errors of a simulation; PIOLA_REFUSED
 * too for a checkpoint of another machine. */
piola_status piola_grad(const piola_options *options, piola_error *error);
/* Compares the gradient with differences along random directions. PIOLA_NO if they disagree or no difference is exact
 * enough to decide; the errors of a simulation. */
piola_status piola_check(const piola_options *options, piola_error *error);
/* Improves the design until the objective is minimal. PIOLA_NO if that did not converge; the errors of a simulation;
 * PIOLA_REFUSED too for evaluations of another machine. With optimizer.multi_start above 1 it runs the sweep of
 * piola_sweep() with so many starts, and makes the files of the best those of the folder, too: PIOLA_NO if none
 * converged, PIOLA_MEMBERS_FAILED if none could be computed, or one failed that another call may compute. Like
 * piola_sweep(), it is then for a process that has computed nothing yet. */
piola_status piola_optimize(const piola_options *options, piola_error *error);

/* Options of piola_sweep(). */
typedef struct piola_sweep_options {
    /* [n_over] what the members vary: "PATH=LOW..HIGH:COUNT", followed by ":log" or not, or "PATH=a,b,c" */
    const char *const *over;
    size_t n_over;        /* number of axes */
    int64_t samples;      /* members sampled within the axes, whose ranges have no count then; 0: the axes' product */
    const char *sampling; /* "sobol", or "lhs" for a Latin hypercube; NULL: sobol */
    int64_t seed;         /* of the sample; 0: Sobol's points as they are */
    int64_t starts;       /* instead of axes: optimisations that begin at so many points within the design's bounds */
    const char *what; /* "run", "grad" or "optimize"; NULL: grad if the scene has an objective and a design, or run */
    int jobs;         /* members at the same time, which do not change results; 0: 1 */
    /* run these members alone, "8..15" or "8", and write nothing but their folders, while other processes run others;
     * NULL: all */
    const char *members;
    bool collect; /* run nothing, and write sweep.csv, sweep.h5 and sweep.json of what other processes ran */
    /* run nothing, and write the batch scripts by which Slurm does, slurm/ in the output folder; piola_options has
     * the time limit of a task (max_walltime) */
    bool slurm;
    int64_t chunk;             /* members of a task of Slurm; 0: `jobs`, or more where tasks would exceed 1000 */
    const char *const *sbatch; /* [n_sbatch] further options of sbatch, such as "--partition=short" */
    size_t n_sbatch;           /* number of them */
    const char *program;       /* the command `piola` that scripts run; NULL: the one in the path */
} piola_sweep_options;

/* Returns the defaults. */
piola_sweep_options piola_sweep_options_default(void);
/* Runs a scene with many values of its keys: each member in a process and a folder of its own, members/NUMBER in the
 * output folder, with the bits of piola_run(), piola_grad() or piola_optimize() with the same values in `sets`. Threads
 * and memory are divided among the members that run at the same time. Writes sweep.json, sweep.csv and sweep.h5, also
 * when it is interrupted; a sweep that is continued runs the members that are not finished. Call it in a process that
 * has computed nothing yet. With `members`, several processes run one sweep, on one machine or many that share the
 * folder. PIOLA_MEMBERS_FAILED if members failed, which does not end the others; PIOLA_NO if none
 * failed, but an optimiser did not converge; the errors of a simulation, before anything is written;
 * PIOLA_CANNOT_CREATE also where the folder holds another sweep, and PIOLA_REFUSED for one of another machine. With
 * `collect`, PIOLA_NO_INPUT if the folder holds no sweep, and PIOLA_INTERRUPTED while members are left. */
piola_status piola_sweep(const piola_options *options, const piola_sweep_options *sweep, piola_error *error);

/* Finds all errors of a scene without simulating it; with `json`, prints the resolved scene. The errors of a
 * scene, of which all are printed to stderr; PIOLA_IO if the scene cannot be printed. */
piola_status piola_validate(const piola_options *options, piola_error *error);
/* Lists the parameters that can be differentiated and designed. The errors of a scene; PIOLA_IO if the list cannot be
 * printed. */
piola_status piola_params(const piola_options *options, piola_error *error);
/* Prints the JSON Schema of scenes and studies or, with `reference`, the keys as Markdown. PIOLA_IO if it cannot be
 * printed. */
piola_status piola_schema(bool reference, piola_error *error);
/* Lists devices, engines and libraries, and tests them. PIOLA_NO if a test fails, PIOLA_UNAVAILABLE if no engine runs
 * here; PIOLA_NO_MEMORY; PIOLA_IO if the list cannot be printed. */
piola_status piola_doctor(bool json, piola_error *error);

/* The names of material laws, as in `model` of a scene's materials; ended by NULL. */
extern const char *const piola_laws[];

/* Options of piola_bench_mpm(). */
typedef struct piola_bench_options {
    int64_t particles; /* approximate number of particles */
    int per_cell;      /* particles per cell; 0: 8 in 3D, 4 in 2D */
    int dimension;     /* 2 or 3 */
    int steps;         /* time steps of one repetition, each of which keeps a state in memory */
    const char *device, *isa, *precision, *law; /* as in piola_options; law: one of piola_laws */
    /* "none", or a plastic law as in `plasticity.type` of a scene's materials, which replaces the law by its own */
    const char *plasticity;
    double viscosity;  /* of a solid, Pa s; 0: none */
    bool fibres;       /* the solid has fibres, which contract */
    const char *box;   /* "tight", or "loose": three times as many cells per axis as the particles occupy */
    const char *start; /* order of the particles at the start: "sorted" by cell, or "shuffled" */
    bool sizes;        /* sizes from 1000 particles in decades to `particles` or as many as fit, with a table of them */
    const char *compare; /* file with what --json printed of the same case: each figure is divided by its; or NULL */
    /* greatest number of threads, as in piola_options; scaling is measured from 1 up to it */
    int threads;
    bool json; /* print JSON instead of a table */
} piola_bench_options;

/* Returns the defaults. */
piola_bench_options piola_bench_options_default(void);
/* Measures the speed of the MPM solver and prints it. The errors of a benchmark. */
piola_status piola_bench_mpm(const piola_bench_options *options, piola_error *error);

/* Options of piola_bench_fem(). */
typedef struct piola_bench_fem_options {
    const char *element;                        /* type of the elements; NULL: hex8, in 2D quad4 */
    int cells;                                  /* cells along each axis; 0: 31, in 2D 512 */
    int dimension;                              /* 2 or 3; 0: that of the element */
    const char *device, *isa, *precision, *law; /* as in piola_options; law: one for `method: {type: fem}` */
    /* relative tolerance of Newton's method and of the adjoint solve; 0: 1e-10, in f32 1e-3 */
    double tolerance;
    const char *preconditioner; /* as solver.preconditioner of a scene; NULL: auto */
    const char *compare;        /* as in piola_bench_options */
    /* greatest number of threads, as in piola_options; 1, 2, 4, ... up to it are measured */
    int threads;
    bool json; /* print JSON instead of a table */
} piola_bench_fem_options;

/* Returns the defaults. */
piola_bench_fem_options piola_bench_fem_options_default(void);
/* Measures the speed of the FEM solver and prints it. The errors of a benchmark. */
piola_status piola_bench_fem(const piola_bench_fem_options *options, piola_error *error);

/* Options of piola_bench_memory(). */
typedef struct piola_bench_memory_options {
    int64_t particles;                    /* approximate number of particles of the MPM case */
    int steps;                            /* time steps of each case */
    const char *device, *isa, *precision; /* as in piola_options */
    int threads;                          /* as in piola_options */
    bool json;                            /* print JSON instead of a table */
} piola_bench_memory_options;

/* Returns the defaults. */
piola_bench_memory_options piola_bench_memory_options_default(void);
/* Measures gradients with all states in memory and with few, and prints the results. The errors of a benchmark. */
piola_status piola_bench_memory(const piola_bench_memory_options *options, piola_error *error);

/* Options of piola_bench_snapshot(). */
typedef struct piola_bench_snapshot_options {
    int64_t particles;     /* approximate number of particles */
    int dimension;         /* 2 or 3 */
    int frames;            /* frames of the file */
    const char *precision; /* digits of the fields: "f32", "f64" */
    const char *folder;    /* folder for the file that is written, read and removed */
    bool json;             /* print JSON instead of a table */
} piola_bench_snapshot_options;

/* Returns the defaults. */
piola_bench_snapshot_options piola_bench_snapshot_options_default(void);
/* Measures writing and reading of a file of states and its checksums, and prints the results. The errors of a
 * benchmark. */
piola_status piola_bench_snapshot(const piola_bench_snapshot_options *options, piola_error *error);

/* Options of piola_info(). */
typedef struct piola_info_options {
    const char *file; /* name of a snapshot or of a Gmsh mesh */
    bool json;        /* print JSON, for programs */
    bool no_verify;   /* do not compare the bytes of the file with their checksums first */
} piola_info_options;

/* Prints what a snapshot or a mesh holds. The errors of a file. */
piola_status piola_info(const piola_info_options *options, piola_error *error);

/* Options of piola_render(). */
typedef struct piola_render_options {
    const char *file, *output; /* name of a snapshot; name of the PNG to write */
    /* field that the colours show; NULL: magnitude of velocity or displacement, or the first field */
    const char *field;
    int64_t frame;                   /* number of the frame, from 0; -1: the last */
    int width, height;               /* size of the picture in pixels; 0: 1280 x 720 */
    double lo, hi;                   /* range of the colour bar, in the field's unit; NaN: automatic */
    double azimuth, elevation, zoom; /* direction of the 3D camera in degrees, and its magnification; NaN: default */
    double deformation;              /* factor of a mesh's displacement; 1: as it is, 0: at rest */
    const char *hide_below; /* "FIELD=VALUE": cells of a mesh below it are not drawn, where others are; NULL: all are */
    const char *surface;    /* particles as a surface, not discs: "BODY,...", "fluids", "all", "none"; NULL: fluids */
    const char *opacity;    /* "BODY=VALUE,...", "all": 0 to 1; particles below 1 are drawn as a surface; NULL: 1 */
    bool fit; /* of a displacement that exceeds a fifth of the mesh, 1/2, 1/5, 1/10 ... is drawn, so that it does not */
    bool hold;           /* automatic ends of the colour bar and of the axes are those of all frames */
    bool targets, paths; /* draw targets and data of observed places, and their paths over all frames */
    int threads;         /* as in piola_options; they do not change the picture */
    bool no_verify;      /* do not compare the bytes of the file with their checksums first */
} piola_render_options;

/* Returns the defaults. */
piola_render_options piola_render_options_default(void);
/* Draws one frame of a snapshot as a PNG. The errors of a file; PIOLA_CANNOT_CREATE of the PNG; PIOLA_UNAVAILABLE where
 * cairo, its module or the font DejaVu Sans is missing. */
piola_status piola_render(const piola_render_options *options, piola_error *error);

/* Options of piola_film(). Start from piola_film_options_default(). */
typedef struct piola_film_options {
    /* As of piola_render(), but `output` ends in .png for an animated PNG or in .webm for a VP9 video. `frame` and
     * `hold` are not read: the ends of the axes and of the colour bar are those of all frames. */
    piola_render_options picture;
    double fps;    /* frames per second of the film, 0.1 to 120, which is rounded to a hundredth */
    int64_t every; /* frames 0, every, 2 every, ... are drawn */
} piola_film_options;

/* Returns the defaults. */
piola_film_options piola_film_options_default(void);
/* Draws the frames of a snapshot as a film, which appears under its name when it is complete. The same file gives the
 * same bytes on the same machine. The errors of piola_render(); PIOLA_UNAVAILABLE for a WebM video also where libvpx or
 * its module is missing; PIOLA_INTERRUPTED, after which nothing is written. */
piola_status piola_film(const piola_film_options *options, piola_error *error);

/* Options of piola_report(). */
typedef struct piola_report_options {
    const char *folder; /* output folder of run, grad, check, optimize or sweep */
    const char *output; /* the HTML file to write; NULL: report.html in the folder */
    int threads;        /* for pictures, which they do not change, as in piola_options */
} piola_report_options;

/* Returns the defaults. */
piola_report_options piola_report_options_default(void);
/* Writes one HTML file about a folder of results, with pictures and curves in it, and prints "wrote NAME". The file is
 * complete or not written; one that is no report is not replaced. PIOLA_NO_INPUT if there is no such folder, or it has
 * neither result.json nor sweep.json, PIOLA_BAD_DATA if these are damaged, PIOLA_CANNOT_CREATE, PIOLA_IO,
 * PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status piola_report(const piola_report_options *options, piola_error *error);

/* Options of piola_plot(). Of curves, history and responses only one has entries. */
typedef struct piola_plot_options {
    const char *folder, *output; /* folder of results; figure to write, whose name ends in .png, .svg or .pdf */
    /* [n_...] observations over time ("tip", "tip.y"); what the history has over iterations ("objective", a term, a
     * constraint, a measure, a design); columns of the members of a sweep */
    const char *const *curves, *const *history, *const *responses;
    size_t n_curves, n_history, n_responses;
    const char *over;  /* the axis of a sweep below the responses; NULL: the first of numbers */
    const char *scale; /* of the upright axis: "linear" or "log"; NULL: as it suits */
    const char *title; /* text above the curves; NULL: none */
    int width, height; /* pixels, of a PDF points of 1/72 inch; at least 320 x 180; 0: 960 x 600 */
} piola_plot_options;

/* Returns the defaults. */
piola_plot_options piola_plot_options_default(void);
/* Draws curves of a folder of results. The same folder gives the same bytes. PIOLA_USAGE for a name that is not there,
 * with a list of those that are; the errors of piola_report(); PIOLA_UNAVAILABLE where cairo, its module or the font
 * DejaVu Sans is missing. */
piola_status piola_plot(const piola_plot_options *options, piola_error *error);

/* Options of piola_export(). */
typedef struct piola_export_options {
    const char *file; /* name of a snapshot */
    const char *to;   /* format: "vtu", "csv", "npy" or "stl" */
    /* The file to write (npy: the folder); NULL: beside the snapshot, with its name and the frame's number. */
    const char *output;
    int64_t frame;  /* number of the frame, from 0; -1: the last */
    bool no_verify; /* do not compare the bytes of the file with their checksums first */
} piola_export_options;

/* Returns the defaults. */
piola_export_options piola_export_options_default(void);
/* Writes one frame for other programs, and prints "wrote NAME" for every file. Files that it did not write itself are
 * not replaced. The errors of a file; PIOLA_CANNOT_CREATE, also of a file that is not replaced; PIOLA_NUMERICAL if a
 * value is not finite, which STL cannot hold. */
piola_status piola_export(const piola_export_options *options, piola_error *error);

#ifdef __cplusplus
}
#endif

#include "piola_problem.h" /* a scene inside a program */
#endif
