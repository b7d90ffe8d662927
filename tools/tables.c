/* tables.c -- THE tables of commands and options; parsing, did-you-mean and help come from them. */
#include "tools/options.h"

#include <stddef.h>

#define ON(command) (1u << TOOL_##command)
#define SIMULATING (ON(RUN) | ON(GRAD) | ON(CHECK) | ON(OPTIMIZE))
#define RUNNING (SIMULATING | ON(SWEEP)) /* commands that simulate, one member or many */
#define SCENES (RUNNING | ON(PARAMS) | ON(VALIDATE))
#define EVERY ((2u << TOOL_COMMANDS) - 1) /* all commands, and the program itself */
#define DRAWING (ON(RENDER) | ON(FILM))
#define TO(member) offsetof(tool_settings, member)

static const char *const devices[] = {"auto", "cuda", "cpu", NULL};
static const char *const precisions[] = {"f32", "f64", NULL};
static const char *const resumes[] = {"auto", "never", NULL};
static const char *const whats[] = {"run", "grad", "optimize", NULL};
static const char *const samplings[] = {"sobol", "lhs", NULL};
static const char *const formats[] = {"vtu", "csv", "npy", "stl", NULL};
static const char *const scales[] = {"linear", "log", NULL};
static const char *const boxes[] = {"tight", "loose", NULL};
static const char *const plastic_laws[] = {"none", "von_mises", "drucker_prager", "herschel_bulkley", "snow", NULL};
static const char *const starts[] = {"sorted", "shuffled", NULL};
static const char *const preconditioners[] = {"auto", "jacobi", "multigrid", NULL};
static const char *const elements[] = {"hex8",  "hex20", "hex27", "tet4", "tet10", "quad4",
                                       "quad8", "quad9", "tri3",  "tri6", NULL};

const tool_option tool_options[] = {
    {"output", 'o', OPTION_TEXT, TO(output), RUNNING, "DIR", .meaning = "folder for the results; made when missing",
     .fallback = "the scene's output.directory"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(RENDER), "FILE.png", .meaning = "picture to write; required"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(FILM), "FILE",
     .meaning = "film to write, FILE.png or FILE.webm; required"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(PLOT), "FILE",
     .meaning = "figure to write, FILE.svg, FILE.pdf or FILE.png; required"},
    {"curve", 0, OPTION_LIST, TO(curves), ON(PLOT), "NAME",
     .meaning = "observation over time, tip or one component, tip.y, with the data that the objective compares it "
                "with; may be repeated"},
    {"history", 0, OPTION_LIST, TO(history), ON(PLOT), "NAME",
     .meaning =
         "over the iterations of an optimisation: objective, a term, a constraint, a measure or a design; may be "
         "repeated"},
    {"response", 0, OPTION_LIST, TO(responses), ON(PLOT), "NAME",
     .meaning = "of the members of a sweep over an axis: objective, a term, a constraint, an observation or a design; "
                "may be repeated"},
    {"over", 0, OPTION_TEXT, TO(plot.over), ON(PLOT), "PATH", .meaning = "axis of the sweep, with --response",
     .fallback = "the first that has numbers"},
    {"scale", 0, OPTION_CHOICE, TO(plot.scale), ON(PLOT), "NAME", scales, .meaning = "of the upright axis",
     .fallback = "log for --history and --response where all values are above 0 and span a factor of 50"},
    {"title", 0, OPTION_TEXT, TO(plot.title), ON(PLOT), "TEXT", .meaning = "text above the curves", .fallback = "none"},
    {"size", 0, OPTION_SIZE, TO(render.width), ON(PLOT), "WxH", .least = 180, .most = 8192,
     .meaning = "pixels, of a PDF points of 1/72 inch, at least 320x180", .fallback = "960x600"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(EXPORT), "OUT",
     .meaning = "file to write; npy: folder, made when missing",
     .fallback = "FILE's name with the frame's number, beside it"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(REPORT), "FILE.html", .meaning = "page to write",
     .fallback = "report.html in the folder"},
    {"output", 'o', OPTION_TEXT, TO(output), ON(BENCH), "DIR",
     .meaning = "snapshot: folder for the file that is written, which is removed in the end",
     .fallback = "the current one", .bench = "snapshot"},
    {"to", 0, OPTION_CHOICE, TO(export.to), ON(EXPORT), "FORMAT", formats,
     .meaning = "VTK's XML, a table, NumPy arrays, or the deformed surface of a mesh as triangles; required"},
    {"over", 0, OPTION_LIST, TO(over), ON(SWEEP), "AXIS",
     .meaning = "key of the scene and its values: PATH=LOW..HIGH:COUNT, evenly or with :log in equal ratios, or a list "
                "PATH=a,b,c; may be repeated: members are the product of all axes"},
    {"samples", 0, OPTION_WIDE, TO(sweep.samples), ON(SWEEP), "N", .least = 1, .most = 100000,
     .meaning = "members sampled within the axes instead of their product; ranges have no count then"},
    {"starts", 0, OPTION_WIDE, TO(sweep.starts), ON(SWEEP), "N", .least = 1, .most = 100000,
     .meaning = "instead of axes: optimisations that begin at N points sampled within the bounds of the design"},
    {"sampling", 0, OPTION_CHOICE, TO(sweep.sampling), ON(SWEEP), "NAME", samplings,
     .meaning = "points of Sobol's sequence, or a Latin hypercube", .fallback = "sobol"},
    {"seed", 0, OPTION_WIDE, TO(sweep.seed), ON(SWEEP), "N", .least = 0, .most = (double)(1ll << 53),
     .meaning = "of the sample: another seed gives other members; 0 leaves Sobol's points as they are",
     .fallback = "0"},
    {"what", 0, OPTION_CHOICE, TO(sweep.what), ON(SWEEP), "COMMAND", whats, .meaning = "command of each member",
     .fallback = "grad if the scene has an objective and a design, else run"},
    {"jobs", 0, OPTION_INTEGER, TO(sweep.jobs), ON(SWEEP), "N", .least = 1, .most = 1024,
     .meaning = "members that run at the same time, among which threads and memory are divided; results do not depend "
                "on it",
     .fallback = "1"},
    {"members", 0, OPTION_TEXT, TO(sweep.members), ON(SWEEP), "FIRST..LAST",
     .meaning = "run these members alone, while other processes run others of the same sweep; --collect makes the "
                "sweep's files once all are done"},
    {"collect", 0, OPTION_FLAG, TO(sweep.collect), ON(SWEEP),
     .meaning = "run nothing, and make sweep.csv, sweep.h5 and sweep.json of the members that are done; exit code 75 "
                "while some are left"},
    {"slurm", 0, OPTION_FLAG, TO(sweep.slurm), ON(SWEEP),
     .meaning = "run nothing, and write slurm/submit.sh into the output folder, which submits the sweep to Slurm: an "
                "array of jobs, requeued on exit code 75, and one that collects; --max-walltime is the time limit of "
                "each, --jobs and --threads are those of each"},
    {"chunk", 0, OPTION_WIDE, TO(sweep.chunk), ON(SWEEP), "N", .least = 1, .most = 100000,
     .meaning = "with --slurm: members of a job of the array",
     .fallback = "those of --jobs, or more where there were more than 1000 jobs"},
    {"sbatch", 0, OPTION_LIST, TO(sbatch), ON(SWEEP), "OPTION",
     .meaning = "with --slurm: a further option for sbatch, as --sbatch=--partition=short; may be repeated"},
    {"require-progress", 0, OPTION_FLAG, TO(common.require_progress), ON(RUN) | ON(GRAD) | ON(OPTIMIZE) | ON(SWEEP),
     .meaning = "end with exit code 79 instead of 75 if it is stopped before a new evaluation, a later checkpoint or "
                "another member is on disk, so that a batch system does not requeue it for ever"},
    {"jobs", 0, OPTION_INTEGER, TO(common.jobs), ON(GRAD) | ON(CHECK), "N", .least = 1, .most = 1024,
     .meaning = "of a study: processes, to which its experiments are dealt out and among which threads are divided; "
                "results do not depend on it",
     .fallback = "1"},
    {"jobs", 0, OPTION_INTEGER, TO(common.jobs), ON(OPTIMIZE), "N", .least = 1, .most = 1024,
     .meaning = "of a study: processes, to which its experiments are dealt out; of optimizer.multi_start: starts that "
                "run at the same time; threads are divided among them, and results do not depend on it",
     .fallback = "1"},
    {"set", 0, OPTION_LIST, TO(sets), SCENES, "PATH=VALUE",
     .meaning = "override a key of the scene, with its unit: --set \"time.dt=0.1 ms\", --set materials[0].nu=0.4; "
                "may be repeated"},
    {"allow", 0, OPTION_LIST, TO(allow), SCENES, "PATH",
     .meaning =
         "file or folder outside the scene's that the scene may name, as input or as its output.directory; links are "
         "followed before it is compared; may be repeated"},
    {"device", 0, OPTION_CHOICE, TO(common.device), RUNNING | ON(BENCH), "NAME", devices,
     .meaning = "where to compute: auto takes a GPU when an engine and a GPU are there; cuda never falls back",
     .fallback = "auto", .bench = "mpm, fem, memory"},
    {"isa", 0, OPTION_TEXT, TO(common.isa), RUNNING | ON(BENCH), "NAME",
     .meaning =
         "instruction set of the CPU engine, x86-64-v3 or x86-64-v4 (`piola doctor` lists those that run here): the "
         "same bits on every processor that has it; no GPU is taken",
     .fallback = "the best that runs", .bench = "mpm, fem, memory"},
    {"precision", 0, OPTION_CHOICE, TO(common.precision), ON(RUN) | ON(GRAD) | ON(OPTIMIZE) | ON(SWEEP), "NAME",
     precisions, .meaning = "digits of the computation", .fallback = "the scene's method.precision"},
    {"precision", 0, OPTION_CHOICE, TO(common.precision), ON(CHECK), "NAME", precisions,
     .meaning = "digits of the computation; in f32 rounding hides errors below about 1e-3", .fallback = "f64"},
    {"precision", 0, OPTION_CHOICE, TO(common.precision), ON(BENCH), "NAME", precisions,
     .meaning = "digits of the computation", .fallback = "f32, fem: f64"},
    {"threads", 0, OPTION_INTEGER, TO(common.threads), RUNNING | DRAWING | ON(REPORT), "N", .least = 1,
     .most = PIOLA_MOST_THREADS, .meaning = "CPU threads; results do not depend on it",
     .fallback = "all, or OMP_NUM_THREADS"},
    {"threads", 0, OPTION_INTEGER, TO(common.threads), ON(BENCH), "N", .least = 1, .most = PIOLA_MOST_THREADS,
     .meaning = "most CPU threads; 1, 2, 4, ... up to it are measured", .fallback = "all, or OMP_NUM_THREADS",
     .bench = "mpm, fem, memory"},
    {"resume", 0, OPTION_FIRST, TO(common.resume), ON(OPTIMIZE), "WHEN", resumes,
     .meaning = "auto continues from the evaluations in the output folder, never begins anew", .fallback = "auto"},
    {"resume", 0, OPTION_FIRST, TO(common.resume), ON(RUN) | ON(GRAD), "WHEN", resumes,
     .meaning = "auto goes on from the checkpoint in the output folder, never begins anew", .fallback = "auto"},
    {"resume", 0, OPTION_FIRST, TO(common.resume), ON(SWEEP), "WHEN", resumes,
     .meaning = "auto goes on with the sweep in the output folder: members that are finished are not run again, others "
                "go on from their checkpoint or evaluations; never begins anew",
     .fallback = "auto"},
    {"accept-different-machine", 0, OPTION_FLAG, TO(common.accept_machine),
     ON(RUN) | ON(GRAD) | ON(OPTIMIZE) | ON(SWEEP),
     .meaning =
         "resume what another processor, instruction set, GPU, driver or libm began; without it exit code 77, as the "
         "bits may differ"},
    {"max-walltime", 0, OPTION_TIME, TO(common.max_walltime), RUNNING, "TIME",
     .meaning = "stop after so long (seconds, or 90s, 10m, 2h) with exit code 75 and a checkpoint; run again to go on",
     .fallback = "no limit"},
    {"dry-run", 0, OPTION_FLAG, TO(common.dry_run), RUNNING,
     .meaning = "print the plan (particles, steps, bytes) and stop; nothing is written"},
    {"log-json", 0, OPTION_TEXT, TO(common.log_json), RUNNING, "FILE",
     .meaning = "append the log to FILE as JSON lines"},
    {"json", 0, OPTION_FLAG, TO(common.json), RUNNING,
     .meaning = "print result.json on standard output too, and nothing else there"},
    {"json", 0, OPTION_FLAG, TO(common.json), ON(VALIDATE),
     .meaning = "print the scene with every default filled in, in SI units, as JSON"},
    {"json", 0, OPTION_FLAG, TO(common.json), ON(PARAMS) | ON(INFO) | ON(DOCTOR) | ON(BENCH),
     .meaning = "print JSON, for programs"},
    {"markdown", 0, OPTION_FLAG, TO(markdown), ON(SCHEMA), .meaning = "print the reference of all keys instead"},
    {"field", 0, OPTION_TEXT, TO(render.field), DRAWING, "NAME",
     .meaning = "field that the colours show, as `piola info FILE` lists them: a magnitude where it is a vector or a "
                "matrix, or one entry (velocity.x, F.xy); von_mises is von_mises_nodal where the file has no other",
     .fallback = "velocity, else displacement, else the first there is"},
    {"deformation", 0, OPTION_NUMBER, TO(render.deformation), DRAWING, "FACTOR", .least = -1e9, .most = 1e9,
     .meaning = "of a mesh: draws its displacement so many times as large; 0: at rest", .fallback = "1"},
    {"frame", 0, OPTION_WIDE, TO(render.frame), ON(RENDER) | ON(EXPORT), "N", .least = -1, .most = (double)(1ll << 53),
     .meaning = "number of the frame, from 0; -1 is the last", .fallback = "-1"},
    {"fit", 0, OPTION_FLAG, TO(render.fit), DRAWING,
     .meaning = "of a mesh whose displacement exceeds a fifth of its size in some frame: draws 1/2, 1/5, 1/10 ... of "
                "it, so that it does not, and says so"},
    {"hide-below", 0, OPTION_TEXT, TO(render.hide_below), DRAWING, "FIELD=VALUE",
     .meaning = "of a mesh: leaves out the cells in which this field is below the value, as relative_density=0.5; in a "
                "frame where none is left, all are drawn"},
    {"surface", 0, OPTION_TEXT, TO(render.surface), DRAWING, "BODY,...",
     .meaning = "of particles: bodies that are drawn as a smooth surface, in 2D as a filled contour, instead of discs; "
                "names, or `fluids`, `all`, `none`",
     .fallback = "fluids"},
    {"opacity", 0, OPTION_TEXT, TO(render.opacity), DRAWING, "BODY=VALUE,...",
     .meaning = "opacity of bodies, from 0, not drawn, to 1, as tank=0.3; all=0.3 for all of them; a body of particles "
                "below 1 is drawn as a surface",
     .fallback = "1"},
    {"targets", 0, OPTION_FLAG, TO(render.targets), DRAWING,
     .meaning = "draws the targets of observed places, mean positions of bodies and displacements of points, and the "
                "data of result.json beside the file that they are compared with"},
    {"paths", 0, OPTION_FLAG, TO(render.paths), DRAWING,
     .meaning = "draws the paths of these places over all frames, and where they are; reads the whole file"},
    {"hold", 0, OPTION_FLAG, TO(render.hold), ON(RENDER),
     .meaning = "ends of the colour bar and of the axes are those of all frames, so that the pictures of a film have "
                "one view; reads the whole file"},
    {"no-verify", 0, OPTION_FLAG, TO(info.no_verify), ON(INFO) | DRAWING | ON(EXPORT),
     .meaning = "do not compare the file's bytes with their checksums first, which takes as long as reading all of it"},
    {"size", 0, OPTION_SIZE, TO(render.width), DRAWING, "WxH", .least = 180, .most = 8192,
     .meaning = "pixels, at least 320x180", .fallback = "1280x720"},
    {"range", 0, OPTION_RANGE, TO(render.lo), DRAWING, "LO,HI",
     .meaning = "ends of the colour bar, in the field's unit", .fallback = "from the values"},
    {"azimuth", 0, OPTION_NUMBER, TO(render.azimuth), DRAWING, "DEG", .least = -3600, .most = 3600,
     .meaning = "3D: rotates the eye about the vertical; 0: view along +y", .fallback = "30"},
    {"elevation", 0, OPTION_NUMBER, TO(render.elevation), DRAWING, "DEG", .least = -90, .most = 90,
     .meaning = "3D: lifts the eye", .fallback = "24"},
    {"zoom", 0, OPTION_NUMBER, TO(render.zoom), DRAWING, "FACTOR", .least = 0.001, .most = 1000,
     .meaning = "enlarges about the middle; 1: everything fits", .fallback = "1"},
    {"fps", 0, OPTION_NUMBER, TO(film.fps), ON(FILM), "N", .least = 0.1, .most = 120,
     .meaning = "frames per second of the film, rounded to a hundredth", .fallback = "15"},
    {"every", 0, OPTION_WIDE, TO(film.every), ON(FILM), "N", .least = 1, .most = (double)(1ll << 53),
     .meaning = "draw every N-th frame, from the first", .fallback = "1"},
    {"particles", 0, OPTION_WIDE, TO(bench.particles), ON(BENCH), "N", .least = 1, .most = 2e9,
     .meaning = "mpm, memory, snapshot: about so many particles, a full block of cells",
     .fallback = "1000000, memory: 8000", .bench = "mpm, memory, snapshot"},
    {"per-cell", 0, OPTION_INTEGER, TO(bench.per_cell), ON(BENCH), "K", .least = 1, .most = 512,
     .meaning = "mpm: particles per cell", .fallback = "8 in 3D, 4 in 2D", .bench = "mpm"},
    {"sizes", 0, OPTION_FLAG, TO(bench.sizes), ON(BENCH),
     .meaning =
         "mpm: 1000 particles, ten times as many, and so on, up to --particles or as many as fit into the memory, "
         "with all threads",
     .bench = "mpm"},
    {"plasticity", 0, OPTION_CHOICE, TO(bench.plasticity), ON(BENCH), "NAME", plastic_laws,
     .meaning = "mpm: plastic law, with the elastic law that it needs in place of --law", .fallback = "none",
     .bench = "mpm"},
    {"viscosity", 0, OPTION_NUMBER, TO(bench.viscosity), ON(BENCH), "ETA", .least = 0, .most = 1000,
     .meaning = "mpm: viscosity of the solid, Pa s", .fallback = "0", .bench = "mpm"},
    {"fibres", 0, OPTION_FLAG, TO(bench.fibres), ON(BENCH), .meaning = "mpm: the solid has fibres, which contract",
     .bench = "mpm"},
    {"box", 0, OPTION_CHOICE, TO(bench.box), ON(BENCH), "NAME", boxes,
     .meaning = "mpm: tight, or loose: with three times as many cells on each side as the particles occupy",
     .fallback = "tight", .bench = "mpm"},
    {"start", 0, OPTION_CHOICE, TO(bench.start), ON(BENCH), "NAME", starts,
     .meaning = "mpm: order of the particles at the start, cell by cell or random", .fallback = "sorted",
     .bench = "mpm"},
    {"compare", 0, OPTION_TEXT, TO(bench.compare), ON(BENCH), "OLD.json",
     .meaning =
         "mpm, fem: print each figure beside that of OLD.json, which `--json` printed of the same case, and their "
         "ratio; of another case: exit code 2",
     .bench = "mpm, fem"},
    {"element", 0, OPTION_CHOICE, TO(bench_fem.element), ON(BENCH), "NAME", elements,
     .meaning = "fem: type of the elements", .fallback = "hex8, in 2D quad4", .bench = "fem"},
    {"cells", 0, OPTION_INTEGER, TO(bench_fem.cells), ON(BENCH), "N", .least = 1, .most = 1000,
     .meaning = "fem: cells along each side; triangles halve one, tetrahedra cut it in six",
     .fallback = "31, in 2D 512", .bench = "fem"},
    {"tolerance", 0, OPTION_NUMBER, TO(bench_fem.tolerance), ON(BENCH), "T", .least = 1e-14, .most = 0.5,
     .meaning = "fem: of Newton's residual and of the adjoint solve", .fallback = "1e-10, in f32 1e-3", .bench = "fem"},
    {"preconditioner", 0, OPTION_CHOICE, TO(bench_fem.preconditioner), ON(BENCH), "NAME", preconditioners,
     .meaning = "fem: as solver.preconditioner of a scene", .fallback = "auto", .bench = "fem"},
    {"dimension", 0, OPTION_INTEGER, TO(bench.dimension), ON(BENCH), "D", .least = 2, .most = 3, .meaning = "of space",
     .fallback = "3", .bench = "mpm, fem, snapshot"},
    {"steps", 0, OPTION_INTEGER, TO(bench.steps), ON(BENCH), "N", .least = 1, .most = 100000,
     .meaning =
         "mpm, memory: steps of one repetition; in mpm each keeps a state in memory; snapshot: frames of the file",
     .fallback = "10, memory: 1000, snapshot: 5", .bench = "mpm, memory, snapshot"},
    {"law", 0, OPTION_CHOICE, TO(bench.law), ON(BENCH), "NAME", piola_laws,
     .meaning = "constitutive law; mpm takes all but linear, fem all but the fluids linear_fluid and tait",
     .fallback = "neo_hookean", .bench = "mpm, fem"},
    {"quiet", 'q', OPTION_COUNT, TO(common.quiet), RUNNING, .meaning = "only warnings and errors; twice: errors only"},
    {"quiet", 'q', OPTION_COUNT, TO(common.quiet), ON(VALIDATE), .meaning = "print nothing if there is no error"},
    {"verbose", 'v', OPTION_COUNT, TO(common.verbose), RUNNING, .meaning = "print more messages"},
    {"help", 'h', OPTION_FLAG, TO(help), EVERY, .meaning = "this help"},
    {"version", 0, OPTION_FLAG, TO(version), EVERY, .meaning = "the version"},
    {.name = NULL}};
_Static_assert(sizeof tool_options / sizeof *tool_options <= TOOL_OPTIONS, "tool_settings.given has room for each");

#define SCENE_CODES "65 66 69 71 73 74 75 76 77"

const tool_command tool_commands[TOOL_COMMANDS] = {
    [TOOL_RUN] = {"run", "SCENE", "simulate a scene and write its states",
                  "Writes states.vtkhdf (for ParaView, h5py, NumPy, `piola render`) and result.json.",
                  SCENE_CODES " 79",
                  "  piola run scene.yaml -o out/first --set \"time.duration=0.2 s\"\n"
                  "      simulates 0.2 s of scene.yaml; out/first/states.vtkhdf holds the frames\n"
                  "  piola render out/first/states.vtkhdf -o last.png\n"
                  "      draws the last of them"},
    [TOOL_GRAD] =
        {"grad", "SCENE", "simulate, and differentiate the objective by the adjoint method",
         "The scene needs `objective` and `design`. Writes states.vtkhdf with gradient fields and result.json\n"
         "with the objective and the gradient of every design variable.",
         SCENE_CODES " 79",
         "  piola grad scene.yaml -o out/grad --json | python3 -m json.tool\n"
         "      prints J, its terms and dJ/d(each design variable)\n"
         "  piola render out/grad/states.vtkhdf --field grad_E -o sensitivity.png\n"
         "      draws where a stiffer material would change J"},
    [TOOL_CHECK] = {"check", "SCENE", "compare the gradient with differences along random directions",
                    "Answers yes (exit 0) or no (exit 1), with the measured differences and the scene's\n"
                    "gradient.check.tolerance.",
                    "1 " SCENE_CODES,
                    "  piola check scene.yaml -o out/check --set gradient.check.directions=5\n"
                    "      five directions; exit 0 when adjoint and differences agree in all of them"},
    [TOOL_OPTIMIZE] =
        {"optimize", "SCENE", "improve the design until the objective is small",
         "The scene needs `objective`, `design` and `optimizer`. Every evaluation is kept in the output\n"
         "folder; run the same command again to continue a stopped one, with the same result to the bit.\n"
         "With optimizer.multi_start above 1 it begins at so many points, and the best is the result.",
         "1 " SCENE_CODES " 78 79",
         "  piola optimize scene.yaml -o out/best --max-walltime 2h\n"
         "      works for at most two hours; exit 75: run the same line again to continue\n"
         "  piola optimize scene.yaml -o out/best --resume never\n"
         "      begins anew\n"
         "  piola optimize scene.yaml -o out/best --set optimizer.multi_start=8 --jobs 2\n"
         "      the best of eight starts, two at a time"},
    [TOOL_SWEEP] =
        {"sweep", "SCENE", "run a scene with many values of its keys",
         "Each member is what `piola run`, `grad` or `optimize` does with these values as --set, in a process and a\n"
         "folder of its own, members/NUMBER. Writes sweep.csv and sweep.h5 with the parameters, observations,\n"
         "objective and gradient of every member, and sweep.json. A member that fails does not end the sweep; run the\n"
         "same command again to continue a stopped one.",
         "1 65 66 69 71 73 74 75 76 77 78 79",
         "  piola sweep scene.yaml -o out/sweep --over materials.rubber.E=50kPa..200kPa:8:log --jobs 4\n"
         "      eight moduli with equal ratios, four at a time\n"
         "  piola sweep scene.yaml -o out/sample --samples 64 --over materials.rubber.E=50kPa..200kPa:log \\\n"
         "      --over materials.rubber.nu=0.3..0.45\n"
         "      64 points of Sobol's sequence in a rectangle\n"
         "  piola sweep scene.yaml -o out/starts --starts 8 --jobs 2\n"
         "      eight optimisations from other starts; sweep.json names the best\n"
         "  piola sweep scene.yaml -o out/laws --over materials.rubber.model=neo_hookean,stvk --dry-run\n"
         "      two laws: what each takes of memory"},
    [TOOL_PARAMS] = {"params", "SCENE", "list what can be differentiated and designed",
                     "Nothing is simulated. The paths are what `design: [{target: PATH}]` takes.", "65 66 71 74 75 77",
                     "  piola params scene.yaml\n"
                     "      path, shape, unit, value and range of each; the last column names those in `design`"},
    [TOOL_VALIDATE] =
        {"validate", "SCENE", "find all errors of a scene without simulating it",
         "Every error is file:line:col with the line and what would be right; up to 20 of them. The limits of\n"
         "the time step are computed by a CPU engine, which prepares the scene and takes no step.",
         "65 66 71 74 75 77",
         "  piola validate scene.yaml\n"
         "      scene.yaml: no errors (2D, 1 body, 1024 particles, ...)\n"
         "  piola validate scene.yaml --json > resolved.json\n"
         "      the scene with every default filled in; kept beside the scene, it is one too"},
    [TOOL_SCHEMA] = {"schema", NULL, "print the JSON Schema of scenes and studies, for editors", "", "74",
                     "  piola schema > scene.schema.json\n"
                     "      and then, as the first line of a scene or study, for editors with a YAML language server:\n"
                     "      # yaml-language-server: $schema=scene.schema.json\n"
                     "  piola schema --markdown | less\n"
                     "      every key with type, unit, default, range and meaning"},
    [TOOL_INFO] = {"info", "FILE", "print what a .vtkhdf file or a Gmsh mesh holds", "", "65 66 71 74",
                   "  piola info out/first/states.vtkhdf\n"
                   "      frames, fields, gradients, objective, certificate and where the file comes from"},
    [TOOL_RENDER] = {"render", "FILE", "draw one frame of a .vtkhdf file as a PNG picture", "", "65 66 69 71 73 74",
                     "  piola render out/first/states.vtkhdf -o frame.png --frame 10 --field velocity.x --range -1,1\n"
                     "      frame 10 coloured by the horizontal velocity, from -1 m/s to 1 m/s"},
    [TOOL_FILM] =
        {"film", "FILE", "draw the frames of a .vtkhdf file as a film",
         "Axes, colours and the view are the same in every frame. The end of the film's name says what it is:\n"
         "FILE.png an animated PNG, FILE.webm a VP9 video, for which libvpx must be installed.",
         "65 66 69 71 73 74 75",
         "  piola film out/first/states.vtkhdf -o film.png --size 640x360\n"
         "      15 frames per second, coloured by the velocity\n"
         "  piola film out/first/states.vtkhdf -o film.webm --every 2 --fps 30"},
    [TOOL_PLOT] =
        {"plot", "DIR", "draw curves of a folder of results as SVG, PDF or PNG",
         "DIR is the output folder of run, grad, check, optimize or sweep. A name that is not there is an error that\n"
         "lists those that are. Curves of one figure have one unit. The same folder gives the same bytes.",
         "65 66 69 71 73 74",
         "  piola plot out/throw --curve ball.x --curve ball.y -o throw.svg\n"
         "      an observation over time, with the data that it is compared with and their error bars\n"
         "  piola plot out/throw --history objective -o convergence.pdf\n"
         "      the objective at each iteration of an optimisation\n"
         "  piola plot out/sweep --response objective --over materials.rubber.E -o sweep.png\n"
         "      what the members of a sweep have, over one of its axes"},
    [TOOL_EXPORT] =
        {"export", "FILE", "write one frame of a .vtkhdf file for other programs",
         "Prints the name of every file it writes. What it did not write itself it never replaces. The points of\n"
         "a mesh are its nodes at rest, with a field `displacement`; stl is deformed. A table has the units in its\n"
         "first line, and of a mesh with fields of cells a second file OUT_cells.csv, with those of integration\n"
         "points OUT_integration_points.csv; fields.json has those of the arrays.",
         "65 66 71 73 74 76",
         "  piola export out/first/states.vtkhdf --to vtu --frame 10\n"
         "      writes out/first/states_10.vtu\n"
         "  piola export out/first/states.vtkhdf --to npy -o arrays\n"
         "      the last frame as arrays/velocity.npy, arrays/grid-points.npy, ... for numpy.load()\n"
         "  piola export out/first/states.vtkhdf --to csv -o last.csv\n"
         "      one row per particle, for a spreadsheet"},
    [TOOL_REPORT] =
        {"report", "DIR", "write one HTML page about a folder of results",
         "DIR is the output folder of run, grad, check, optimize or sweep. The page has pictures, curves, parameters,\n"
         "checks, the scene, and every file with its checksum; it needs no network and no other file. It says what\n"
         "is missing. What is no report is not replaced.",
         "65 66 71 73 74 75",
         "  piola report out/best\n"
         "      writes out/best/report.html\n"
         "  piola report out/sweep -o sweep.html\n"
         "      members of a sweep: a table, parallel coordinates, and what responds to which axis"},
    [TOOL_DOCTOR] =
        {"doctor", NULL, "list devices, engines and libraries, and test them",
         "Runs a small simulation and its gradient on every engine that this machine can run, and lists the\n"
         "optional modules, with the package of what is missing. Exit 0: all engines pass; 1: some test\n"
         "failed; 69: no engine runs.",
         "1 69 71 74",
         "  piola doctor\n"
         "      engines with `yes` can be selected by --device and --precision"},
    [TOOL_BENCH] =
        {"bench", "mpm|fem|memory|snapshot",
         "measure a solver's speed, gradients in little memory, or files of states and their checksums",
         "mpm: ns per particle-step and core (forward, adjoint, whole gradient), bytes per particle-step. fem: one\n"
         "load step of a cube that is pushed sideways, and its gradient with respect to the moduli of every element:\n"
         "assembly, matrix-vector product, iterations, bytes. Both: thread scaling and the share of each kernel.\n"
         "mpm also measures what the machine gives, copies and multiplications with additions, and which share of\n"
         "it hot kernels reach by their bytes and operations.\n"
         "memory: a gradient that keeps every state, or few of them and runs steps again, over a run forward.\n"
         "snapshot: a file of states as a run writes it, read back with and without the comparison of its bytes with\n"
         "their checksums: what writing, reading and checksums take.\n"
         "Close other programs first.",
         "66 69 70 71 73 74 75 76",
         "  piola bench mpm\n"
         "      3D, neo-Hookean, f32, one million particles, 8 per cell: about 2 GB, a few minutes\n"
         "  piola bench mpm --particles 1e5 --dimension 2 --precision f64 --threads 1\n"
         "      a smaller one\n"
         "  piola bench mpm --sizes --threads 1\n"
         "      from 1000 particles to as many as fit\n"
         "  piola bench mpm --json > old.json; piola bench mpm --compare old.json\n"
         "      two builds, or two machines, figure by figure\n"
         "  piola bench fem --threads 2\n"
         "      31x31x31 hex8 elements, neo-Hookean, f64, to 1e-10: about 0.3 GB, a minute\n"
         "  piola bench memory\n"
         "      1000 steps of particles and of a mesh: about 1 GB, a minute\n"
         "  piola bench snapshot\n"
         "      5 frames of a million particles, f32: about 0.2 GB on the disk and 0.4 GB of memory, some seconds\n"
         "  piola bench fem --element tet10 --cells 10 --law ogden\n"
         "      another element and law"},
};

const tool_code tool_codes[] = {
    {0, "done"},
    {1, "the answer is no: a check failed, or the optimiser did not converge"},
    {2, "the command line is wrong"},
    {65, "the scene or a data file is wrong; the message has file:line:col"},
    {66, "an input file is missing or cannot be read"},
    {69, "the requested device, engine or library is not available"},
    {70, "an error in Piola itself"},
    {71, "out of memory, or over the scene's budget; the message names the bytes"},
    {73, "an output file cannot be created"},
    {74, "reading or writing failed (disk full, ...)"},
    {75, "stopped by a signal or a time limit, with a checkpoint; run again to go on"},
    {76, "the computation failed; the message names step, item and value"},
    {77, "not allowed: a path leaves its folder, or the run to resume is of another machine"},
    {78, "members of a sweep, or starts, failed, each with its cause in sweep.csv; the others are done"},
    {79, "as 75, but nothing new is on disk (--require-progress): it needs more time"},
    {0, NULL}};
