/* command_sweep_slurm.c -- the batch scripts by which Slurm runs a sweep: an array of jobs for its members, and a job
 * that collects what they gave. Options and variables are those of sbatch(1) and scontrol(1) of Slurm 22.05. */
#include "host/base/fail.h"
#include "host/base/new_file.h"
#include "host/command/command_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_TASKS = 1000,    /* of an array, unless --chunk says otherwise: Slurm permits 1001 where nothing else is set */
    MOST_RESTARTS = 1000, /* of a task: each of them has got something new onto the disk */
    WARNING = 60          /* s before its time limit at which a task is warned */
};

typedef struct {
    const pio_sweep_call *s;
    int64_t chunk, tasks;      /* members of a task; tasks */
    int cpus;                  /* processors of a task */
    char here[PIO_PATH];       /* the current folder, from which all names in the command count */
    char folder[2 * PIO_PATH]; /* the sweep's folder, as an absolute name */
} scripts;

/* Writes text as one word of a shell. */
static void put_word(FILE *to, const char *word)
{
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

static void put_option(FILE *to, const char *name, const char *value)
{
    if (!value) return;
    fprintf(to, " \\\n    --%s ", name);
    put_word(to, value);
}

static void put_integer(FILE *to, const char *name, int64_t value)
{
    if (value) fprintf(to, " \\\n    --%s %lld", name, (long long)value);
}

static void put_list(FILE *to, const char *name, const char *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) put_option(to, name, v[i]);
}

/* Writes the command that is common to the tasks and to the job that collects. */
static void put_command(FILE *to, const scripts *c)
{
    const piola_options *o = c->s->options;
    const piola_sweep_options *w = c->s->sweep;
    put_word(to, w->program ? w->program : "piola");
    fputs(" sweep ", to);
    put_word(to, o->scene);
    put_option(to, "output", c->folder);
    put_list(to, "over", w->over, w->n_over);
    put_integer(to, "samples", w->samples);
    put_integer(to, "starts", w->starts);
    put_option(to, "sampling", w->sampling);
    put_integer(to, "seed", w->seed);
    put_option(to, "what", c->s->what);
    put_list(to, "set", o->sets, o->n_sets);
    put_list(to, "allow", o->allow, o->n_allow);
    put_option(to, "device", o->device);
    put_option(to, "isa", o->isa);
    put_option(to, "precision", o->precision);
    if (o->accept_machine) fputs(" \\\n    --accept-different-machine", to);
    for (int i = 0; i < o->quiet; i++) fputs(" -q", to);
    for (int i = 0; i < o->verbose; i++) fputs(" -v", to);
}

/* Writes the head of a script: what sbatch reads, the options that the user gave last, for the last one counts. */
static void put_head(FILE *to, const scripts *c, const char *kind, const char *output)
{
    const char *name = strrchr(c->folder, '/');
    fprintf(to, "#!/bin/bash\n#SBATCH --job-name=");
    put_word(to, name && name[1] ? name + 1 : "sweep");
    fprintf(to, "%s\n#SBATCH --output=", kind);
    put_word(to, c->folder);
    fprintf(to, "/slurm/%s\n", output);
    fputs("#SBATCH --ntasks=1\n#SBATCH --open-mode=append\n", to);
}

static void put_sbatch(FILE *to, const scripts *c)
{
    for (size_t i = 0; i < c->s->sweep->n_sbatch; i++) fprintf(to, "#SBATCH %s\n", c->s->sweep->sbatch[i]);
    fputs("\ncd ", to);
    put_word(to, c->here);
    fputs(" || exit 73\n", to);
}

/* Writes members.sbatch. Its shell passes the warning of Slurm on to piola, which writes checkpoints and ends with 75;
 * then the task is queued again. */
static void put_members(FILE *to, const scripts *c)
{
    const double limit = c->s->options->max_walltime;
    const long long minutes = (long long)ceil(limit / 60), last = (long long)c->s->members.n - 1;
    put_head(to, c, "", "members_%A_%a.txt");
    fprintf(to, "#SBATCH --array=0-%lld\n#SBATCH --cpus-per-task=%d\n#SBATCH --requeue\n", (long long)c->tasks - 1,
            c->cpus);
    if (limit > 0) fprintf(to, "#SBATCH --time=%lld\n", minutes);
    fprintf(to, "#SBATCH --signal=B:USR1@%d\n", limit > 0 && limit < 3 * WARNING ? (int)(limit / 3) : WARNING);
    put_sbatch(to, c);
    fprintf(to,
            "first=$((SLURM_ARRAY_TASK_ID * %lld))\n"
            "last=$((first + %lld))\n"
            "if [ \"$last\" -gt %lld ]; then last=%lld; fi\n"
            "restarts=${SLURM_RESTART_COUNT:-0}\n"
            "echo \"task $SLURM_ARRAY_TASK_ID: members $first to $last, restart $restarts, $(date)\"\n",
            (long long)c->chunk, (long long)c->chunk - 1, last, last);
    put_command(to, c);
    put_integer(to, "jobs", c->s->jobs);
    fprintf(to,
            " \\\n    --threads \"${SLURM_CPUS_PER_TASK:-%d}\" --members \"$first..$last\" --require-progress &\n"
            "pid=$!\n"
            "trap 'signalled=1; kill -USR1 \"$pid\"' USR1\n"
            "trap 'signalled=1; kill -TERM \"$pid\"' TERM\n"
            "signalled=1\n"
            "while [ -n \"$signalled\" ]; do # a signal ends `wait` before piola has ended\n"
            "    signalled=\n"
            "    wait \"$pid\"\n"
            "    code=$?\n"
            "done\n"
            "echo \"task $SLURM_ARRAY_TASK_ID: exit code $code, $(date)\"\n"
            "# 75: stopped, with something new on disk. 79: stopped with nothing new, so that more time is needed.\n"
            "if [ \"$code\" -eq 75 ] && [ \"$restarts\" -lt %d ]; then\n"
            "    task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
            "    state=$(squeue -h -j \"$task\" -o '%%T %%r')\n"
            "    case $state in # a task that was cancelled is in neither of these\n"
            "    RUNNING* | *TimeLimit) scontrol requeue \"$task\" ;;\n"
            "    *) echo \"task $SLURM_ARRAY_TASK_ID: $state, so it is not queued again\" ;;\n"
            "    esac\n"
            "fi\n"
            "exit \"$code\"\n",
            c->cpus, MOST_RESTARTS);
}

static void put_collect(FILE *to, const scripts *c)
{
    put_head(to, c, "-collect", "collect_%j.txt");
    put_sbatch(to, c);
    fputs("exec ", to);
    put_command(to, c);
    fputs(" --collect\n", to);
}

static void put_submit(FILE *to, const scripts *c)
{
    fputs("#!/bin/sh\n# Submits the members, and the job that collects what they gave once all of them have ended.\n"
          "set -eu\ncd ",
          to);
    put_word(to, c->folder);
    fputs("/slurm\nmembers=$(sbatch --parsable \"$@\" members.sbatch)\nmembers=${members%%;*}\n"
          "collect=$(sbatch --parsable --dependency=\"afterany:$members\" \"$@\" collect.sbatch)\n"
          "echo \"job $members runs the members, and then job ${collect%%;*} collects\"\n",
          to);
}

/* Writes a script. */
static piola_status write_script(const scripts *c, const char *name, void (*put)(FILE *, const scripts *),
                                 piola_error *error)
{
    char path[2 * PIO_PATH + 40], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/slurm/%s", c->folder, name);
    FILE *to = open_memstream(&text, &size);
    if (to) put(to, c);
    piola_status rc = to && fclose(to) == 0 ? PIOLA_OK : pio_fail_memory(error, 4096, "a script");
    if (!rc) rc = pio_write_file_atomically(path, text, size, error);
    free(text);
    return rc;
}

/* Rejects what cannot be a line of a script. */
static piola_status check(const scripts *c, piola_error *error)
{
    const piola_sweep_options *w = c->s->sweep;
    const double limit = c->s->options->max_walltime;
    for (size_t i = 0; i < w->n_sbatch; i++)
        if (w->sbatch[i][0] != '-' || strchr(w->sbatch[i], '\n'))
            return pio_fail(error, PIOLA_USAGE,
                            "--sbatch: '%.200s' is no option of sbatch; --sbatch=--partition=short would be one",
                            w->sbatch[i]);
    if (strchr(c->folder, '\n') || strchr(c->folder, '%'))
        return pio_fail(error, PIOLA_USAGE,
                        "--slurm: the folder's name has a character that sbatch takes otherwise: %s", c->folder);
    if (limit > 0 && limit < 60)
        return pio_fail(error, PIOLA_USAGE,
                        "--max-walltime: %g s is too little for --slurm, whose time limits count in minutes", limit);
    return PIOLA_OK;
}

/* Logs how the scripts in a folder are submitted, as a line for a shell. */
static piola_status log_submit(const pio_sweep_call *s, const char *folder, piola_error *error)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
    char *line = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&line, &size);
    if (!to) return pio_fail_memory(error, PIO_PATH, "a line of the log");
    if (strspn(folder, plain) == strlen(folder))
        fputs(folder, to);
    else
        put_word(to, folder);
    const bool lost = fclose(to) != 0;
    if (!lost) pio_log_message(s->log, PIO_INFO, "submit them by: sh %s/submit.sh", line);
    free(line);
    return lost ? pio_fail_memory(error, size, "a line of the log") : PIOLA_OK;
}

piola_status pio_sweep_write_slurm(pio_sweep_call *s, piola_error *error)
{
    scripts c = {.s = s, .chunk = s->sweep->chunk};
    char folder[PIO_PATH];
    const int64_t n = s->members.n;
    if (!getcwd(c.here, sizeof c.here))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot find the current folder: %s", strerror(errno));
    snprintf(c.folder, sizeof c.folder, "%s%s%s", s->folder[0] == '/' ? "" : c.here, s->folder[0] == '/' ? "" : "/",
             s->folder);
    if (c.chunk == 0)
        c.chunk = (n + MOST_TASKS - 1) / MOST_TASKS > s->jobs ? (n + MOST_TASKS - 1) / MOST_TASKS : s->jobs;
    c.tasks = (n + c.chunk - 1) / c.chunk;
    c.cpus = s->options->threads > s->jobs ? s->options->threads : s->jobs;
    piola_status rc = check(&c, error);
    if (!rc && !s->options->resume) rc = pio_sweep_begin_anew(s, error);
    if (!rc && !pio_path_join(folder, sizeof folder, s->folder, "slurm"))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE, "the name of %s is too long", s->folder);
    if (!rc) rc = pio_folder_make(folder, error);
    if (!rc) rc = write_script(&c, "members.sbatch", put_members, error);
    if (!rc) rc = write_script(&c, "collect.sbatch", put_collect, error);
    if (!rc) rc = write_script(&c, "submit.sh", put_submit, error);
    if (rc) return rc;
    pio_log_message(s->log, PIO_INFO, "slurm: %lld members in %lld tasks of %lld, each with %d processor%s",
                    (long long)n, (long long)c.tasks, (long long)c.chunk, c.cpus, c.cpus == 1 ? "" : "s");
    return log_submit(s, folder, error);
}
