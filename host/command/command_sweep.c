/* command_sweep.c -- piola sweep: a scene with many values of its keys, each in a process of its own. */
#include "host/command/command_sweep.h"

#include "host/base/fail.h"
#include "host/base/output.h"
#include "host/base/signals.h"
#include "host/base/threads.h"
#include "host/command/command.h"
#include "host/command/command_study.h"
#include "host/snapshot/snapshot_private.h"

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

piola_sweep_options piola_sweep_options_default(void)
{
    return (piola_sweep_options){.jobs = 1};
}

/* ---- members --------------------------------------------------------------------------------------------- */

/* Returns what the progress is called. */
static const char *stage_of(const pio_sweep_call *s)
{
    return s->optimizes ? "starts" : "sweep";
}

/* Records how a member ended. The cause of one that failed is the first line of its message. */
static void on_end(void *call, int64_t member, const pio_process_end *end)
{
    pio_sweep_call *s = call;
    pio_table_member *to = &s->table.ends[member];
    const char *message = end->error.message[0] ? end->error.message : "log.txt of the member says why";
    char line[400];
    to->exit = end->exit;
    to->cause = end->exit > PIOLA_NO ? pio_pool_text(&s->table.pool, message, strcspn(message, "\n")) : NULL;
    if (end->exit > PIOLA_NO && !to->cause) to->cause = "no memory for its cause";
    pio_sweep_member_line(s, member, line, sizeof line);
    if (to->cause)
        pio_log_message(s->log, PIO_WARNING, "member %lld (%s) failed with exit code %d: %s", (long long)member, line,
                        to->exit, to->cause);
    else
        pio_log_message(s->log, PIO_INFO, "member %lld (%s): done in %.3g s%s", (long long)member, line, end->seconds,
                        end->exit == PIOLA_NO ? ", the optimiser did not converge" : "");
    s->advanced |= pio_sweep_is_final(to->exit);
    if (s->left) s->left--;
    pio_log_progress(s->log, stage_of(s), s->to - s->from - s->left, s->to - s->from, "members");
    piola_error why = {0};
    if (s->sweep->members && pio_sweep_note_failure(s, member, &why))
        pio_log_message(s->log, PIO_WARNING, "%s", why.message);
}

/* Records that a member was stopped with the sweep, and had something new on disk then. */
static void on_stop(void *call, int64_t member, int exit)
{
    (void)member;
    ((pio_sweep_call *)call)->advanced |= exit == PIOLA_INTERRUPTED;
}

/* Returns the numbers of the members that are to be run, [*n], to free(); NULL without memory. */
static int64_t *members_left(const pio_sweep_call *s, int64_t *n)
{
    int64_t *items = malloc((size_t)(s->to - s->from) * sizeof *items);
    *n = 0;
    for (int64_t i = s->from; items && i < s->to; i++)
        if (s->table.ends[i].exit < 0) items[(*n)++] = i;
    return items;
}

/* Runs what is left, and writes the files of the sweep in any case, if all of it was to run. */
static piola_status run_members(pio_sweep_call *s, piola_error *error)
{
    const int64_t all = s->to - s->from;
    piola_error lost = {0};
    pio_sweep_find_finished(s);
    int64_t n, *items = members_left(s, &n);
    if (!items) return pio_fail_memory(error, (size_t)s->members.n * sizeof *items, "the members of a sweep");
    s->left = n;
    if (n < all)
        pio_log_message(s->log, PIO_INFO, "resuming: %lld of %lld members are finished", (long long)(all - n),
                        (long long)all);
    pio_log_progress(s->log, stage_of(s), all - n, all, "members");
    const pio_processes run = {.jobs = s->jobs,
                               .items = items,
                               .n = n,
                               .context = s,
                               .work = pio_sweep_run_member,
                               .ended = on_end,
                               .stopped = on_stop};
    piola_status rc = pio_processes_run(&run, error);
    rc = pio_command_stalled(s->options, rc, s->advanced, error);
    free(items);
    pio_log_progress_end(s->log);
    if (rc == PIOLA_INTERRUPTED || rc == PIOLA_NO_PROGRESS)
        pio_signals_install(NULL); /* what was finished is written as if it were not */
    if (s->sweep->members) {
        pio_sweep_count(s);
        return rc;
    }
    piola_status written = pio_sweep_write(s, rc, rc ? error->message : "done", &lost);
    if (!written && s->optimizes) {
        written = pio_sweep_place_best(s, rc, rc ? error->message : "done", &lost);
        if (written) pio_sweep_set_exit(s, rc ? rc : written, rc ? error->message : lost.message);
    }
    if (written && s->optimizes) /* which printed no result */
        pio_command_print_failure(s->options, "optimize", rc ? rc : written, rc ? error : &lost);
    if (rc || !written) return rc;
    *error = lost;
    return written;
}

/* Writes the files of the sweep of what other processes ran. Returns PIOLA_INTERRUPTED while members are left. */
static piola_status collect(pio_sweep_call *s, piola_error *error)
{
    pio_sweep_find_finished(s);
    pio_sweep_count(s);
    const int64_t left = s->left;
    piola_error lost = {0};
    const piola_status rc =
        !left ? PIOLA_OK
              : pio_fail(error, PIOLA_INTERRUPTED, "%lld of %lld members are not finished; run them, and collect again",
                         (long long)left, (long long)s->members.n);
    const piola_status written = pio_sweep_write(s, rc, rc ? error->message : "done", &lost);
    if (written) *error = lost;
    return written ? written : rc;
}

/* ---- plans ----------------------------------------------------------------------------------------------- */

/* The plans of members. */
typedef struct {
    pio_sweep_call *call;
    pio_sweep_plan first;       /* that of the first member of the list */
    int64_t most, disk, failed; /* greatest bytes in memory and on disk; members without a plan */
    piola_status status;        /* of the first of these */
    piola_error error;
    bool shows; /* plans are logged */
} plans;

static piola_status plan_work(void *context, int64_t member, char *answer, piola_error *error)
{
    return pio_sweep_plan_member(((plans *)context)->call, member, answer, error);
}

static void on_plan(void *context, int64_t member, const pio_process_end *end)
{
    plans *p = context;
    pio_sweep_plan plan;
    char line[400];
    pio_sweep_member_line(p->call, member, line, sizeof line);
    if (end->exit) {
        if (!p->failed++) {
            p->status = end->exit < 128 ? (piola_status)end->exit : PIOLA_INTERNAL;
            if (end->exit == 128 + SIGKILL) p->status = PIOLA_NO_MEMORY; /* as a system without memory does */
            p->error = end->error;
        }
        if (p->shows)
            pio_log_message(p->call->log, PIO_WARNING, "plan: member %lld (%s): exit code %d: %s", (long long)member,
                            line, end->exit, end->error.message);
        return;
    }
    memcpy(&plan, end->answer, sizeof plan);
    if (member == 0) p->first = plan;
    if (plan.bytes > p->most) p->most = plan.bytes;
    if (plan.disk > p->disk) p->disk = plan.disk;
    if (p->shows)
        pio_log_message(p->call->log, PIO_INFO, "plan: member %lld (%s): %lld bytes", (long long)member, line,
                        (long long)plan.bytes);
}

/* Plans the first member, from which the identity of the sweep and the memory of each member follow. */
static piola_status plan_first(pio_sweep_call *s, piola_error *error)
{
    static const int64_t first[] = {0};
    plans p = {.call = s};
    const pio_processes plan = {.jobs = 1, .items = first, .n = 1, .context = &p, .work = plan_work, .ended = on_plan};
    char *over = NULL;
    size_t size = 0;
    piola_status rc = pio_processes_run(&plan, error);
    if (!rc && p.failed) {
        *error = p.error;
        return p.status;
    }
    if (rc) return rc;
    if (s->jobs > 1) s->memory = (p.first.budget > 0 ? p.first.budget : 0.9 * p.first.free) / s->jobs;
    FILE *to = open_memstream(&over, &size);
    if (!to) return pio_fail_memory(error, 4096, "the sweep's identity");
    fprintf(to, "sweep: %s of %lld members, %s, seed %llu, over", s->what, (long long)s->members.n,
            pio_members_sampling(&s->members), (unsigned long long)s->members.seed);
    for (size_t a = 0; a < s->members.n_axes; a++) fprintf(to, "%s %s", a ? ";" : "", s->members.axes[a].text);
    fprintf(to, "\n%s", p.first.identity);
    if (fclose(to) == 0) s->identity = over;
    if (s->identity) return PIOLA_OK;
    free(over);
    return pio_fail_memory(error, size, "the sweep's identity");
}

/* Plans all members and logs what the sweep takes, for --dry-run. */
static piola_status plan_all(pio_sweep_call *s, piola_error *error)
{
    plans p = {.call = s, .shows = true};
    int64_t n, *items = members_left(s, &n);
    if (!items) return pio_fail_memory(error, (size_t)s->members.n * sizeof *items, "the members of a sweep");
    const pio_processes plan = {
        .jobs = s->jobs, .items = items, .n = n, .context = &p, .work = plan_work, .ended = on_plan};
    const piola_status rc = pio_processes_run(&plan, error);
    free(items);
    if (rc) return rc;
    pio_log_message(s->log, PIO_INFO, "plan: piola %s of %lld members (%s of %zu ax%s), %d at a time", s->what,
                    (long long)s->members.n, pio_members_sampling(&s->members), s->members.n_axes,
                    s->members.n_axes == 1 ? "is" : "es", s->jobs);
    pio_log_message(s->log, PIO_INFO,
                    "plan: at most %lld bytes of memory and %lld of disk for a member, %lld bytes of memory for all "
                    "that run at a time",
                    (long long)p.most, (long long)p.disk, (long long)p.most * s->jobs);
    if (!p.failed) return PIOLA_OK;
    return pio_fail(error, PIOLA_MEMBERS_FAILED, "%lld of %lld members cannot be run; the first: %s",
                    (long long)p.failed, (long long)s->members.n, p.error.message);
}

/* ---- the command ----------------------------------------------------------------------------------------- */

/* Divides the threads among the members that run at a time. */
static void divide_threads(pio_sweep_call *s)
{
    const int all = s->options->threads > 0 ? s->options->threads : omp_get_max_threads();
    s->jobs = s->sweep->jobs > 0 ? s->sweep->jobs : 1;
    if (s->jobs > s->to - s->from) s->jobs = (int)(s->to - s->from);
    s->threads = s->jobs == 1 ? s->options->threads : all / s->jobs > 0 ? all / s->jobs : 1;
}

/* Rejects options that contradict a call for a part of a sweep, for its collection, or for its scripts. */
static piola_status check_parts(const pio_sweep_call *s, piola_error *error)
{
    const piola_sweep_options *o = s->sweep;
    const char *const given = o->members ? "--members" : o->collect ? "--collect" : o->slurm ? "--slurm" : NULL;
    if ((o->members != NULL) + o->collect + o->slurm > 1)
        return pio_fail(error, PIOLA_USAGE, "%s does not go with %s", given,
                        o->members && o->collect ? "--collect" : "--slurm");
    if ((o->chunk || o->n_sbatch) && !o->slurm)
        return pio_fail(error, PIOLA_USAGE, "--%s does nothing without --slurm", o->chunk ? "chunk" : "sbatch");
    if (given && !s->options->resume && !o->slurm)
        return pio_fail(error, PIOLA_USAGE,
                        "%s goes on with the sweep in the folder; it does not go with --resume never", given);
    if (s->options->dry_run && (o->collect || o->slurm))
        return pio_fail(error, PIOLA_USAGE, "%s runs no member; it has no --dry-run", given);
    if (s->options->json && (o->members || o->slurm))
        return pio_fail(error, PIOLA_USAGE, "%s has no result for --json; --collect has", given);
    return PIOLA_OK;
}

/* Rejects options that say the same thing twice. */
static piola_status check_options(const pio_sweep_call *s, piola_error *error)
{
    const piola_options *o = s->options;
    if (!o->scene) return pio_fail(error, PIOLA_USAGE, "options->scene names no file");
    piola_status rc = pio_command_no_text(o, error);
    if (!rc) rc = pio_threads_check(o->threads, error);
    if (!rc && !s->optimizes) rc = pio_command_no_study(o, "sweep", error);
    if (rc) return rc;
    if (o->dry_run && o->json)
        return pio_fail(error, PIOLA_USAGE, "--dry-run prints a plan for people; it has no --json");
    if (s->sweep->starts && (s->sweep->n_over || s->sweep->samples))
        return pio_fail(error, PIOLA_USAGE, "--starts varies the start of the design; it does not go with --%s",
                        s->sweep->n_over ? "over" : "samples");
    return check_parts(s, error);
}

/* Reads which members this call is about: all, or those of "8..15" or "8". */
static piola_status read_range(pio_sweep_call *s, piola_error *error)
{
    const char *text = s->sweep->members;
    char *end = NULL;
    s->from = 0;
    s->to = s->members.n;
    if (!text) return PIOLA_OK;
    bool good = *text >= '0' && *text <= '9';
    const long long first = good ? strtoll(text, &end, 10) : 0;
    const bool range = good && !strncmp(end, "..", 2);
    const char *second = range ? end + 2 : text;
    good = good && *second >= '0' && *second <= '9';
    const long long last = good ? strtoll(second, &end, 10) : 0;
    if (!good || *end || first > last || last >= s->members.n)
        return pio_fail(error, PIOLA_USAGE,
                        "--members: '%.60s' is no range of members; FIRST..LAST is, from 0 to %lld, both included",
                        text, (long long)s->members.n - 1);
    s->from = first;
    s->to = last + 1;
    return PIOLA_OK;
}

/* Makes the members: of the axes, or of starts of the design. */
static piola_status make_members(pio_sweep_call *s, piola_error *error)
{
    const piola_sweep_options *o = s->sweep;
    pio_members_of of = {.over = o->over,
                         .n_over = o->n_over,
                         .samples = o->starts ? o->starts : o->samples,
                         .sampling = o->sampling,
                         .seed = o->seed};
    pio_box *boxes = NULL;
    piola_status rc = o->starts ? pio_sweep_find_starts(s, &boxes, &of.n_boxes, error) : PIOLA_OK;
    of.boxes = boxes;
    if (!rc) rc = pio_members_create(&s->members, &of, error);
    free(boxes);
    return rc;
}

static piola_status open_call(pio_sweep_call *s, piola_error *error)
{
    const piola_options *o = s->options;
    const pio_log_options log = {.level = pio_log_level_from(o->quiet, o->verbose), .json_path = o->log_json};
    piola_status rc = check_options(s, error);
    if (!rc) rc = make_members(s, error);
    if (!rc) rc = read_range(s, error);
    if (!rc) rc = pio_log_create(&s->log, &log, error);
    if (!rc) rc = pio_table_create(&s->table, &s->members, error);
    if (!rc) rc = pio_sweep_check(s, error);
    for (int64_t i = 0; !rc && i < s->members.n; i++) {
        char name[40];
        const int length = snprintf(name, sizeof name, "members/%05lld", (long long)i);
        s->table.ends[i].folder = pio_pool_text(&s->table.pool, name, (size_t)length);
        if (!s->table.ends[i].folder) rc = pio_fail_memory(error, sizeof name, "the table of a sweep");
    }
    if (!rc) divide_threads(s);
    return rc;
}

/* Says how the sweep ended. */
static piola_status report(const pio_sweep_call *s, piola_status rc, piola_error *error)
{
    static const char *const files[] = {"sweep.csv", "sweep.h5", "sweep.json"};
    char path[PIO_PATH];
    for (size_t i = 0; !s->sweep->members && i < sizeof files / sizeof *files; i++)
        if (pio_path_join(path, sizeof path, s->folder, files[i])) pio_log_message(s->log, PIO_INFO, "wrote %s", path);
    if (s->optimizes && pio_path_join(path, sizeof path, s->folder, "result.json") && !access(path, F_OK))
        pio_log_message(s->log, PIO_INFO, "wrote %s", path);
    bool memory = false;
    for (int64_t i = s->from; i < s->to; i++) memory |= s->table.ends[i].exit == PIOLA_NO_MEMORY;
    if (memory && s->jobs > 1)
        pio_log_message(s->log, PIO_WARNING,
                        "each of %d members at a time has at most %.0f bytes; fewer --jobs give each more, and the "
                        "members that failed for want of memory are run again",
                        s->jobs, s->memory);
    if (rc) return rc;
    if (s->optimizes) return pio_sweep_report_starts(s, error);
    if (s->failed)
        return pio_fail(error, PIOLA_MEMBERS_FAILED, "%lld of %lld members failed; their causes are in %.1000s/%s",
                        (long long)s->failed, (long long)(s->to - s->from), s->folder,
                        s->sweep->members ? "members" : "sweep.csv");
    if (s->unconverged)
        return pio_fail(error, PIOLA_NO, "the optimiser did not converge in %lld of %lld members",
                        (long long)s->unconverged, (long long)(s->to - s->from));
    return PIOLA_OK;
}

/* Does what the options request, with the signal handlers installed. */
static piola_status run_call(pio_sweep_call *s, piola_error *error)
{
    const bool writes = !s->options->dry_run && !s->sweep->slurm;
    piola_status rc = open_call(s, error);
    if (!rc && s->sweep->slurm) return pio_sweep_write_slurm(s, error);
    if (!rc) rc = plan_first(s, error);
    if (!rc) rc = writes ? pio_sweep_open_folder(s, error) : plan_all(s, error);
    if (rc) {
        rc = pio_command_stalled(s->options, rc, false, error);
        pio_command_print_failure(s->options, s->optimizes ? "optimize" : "sweep", rc, error);
        if (s->printed) error->message[0] = '\0'; /* not to be printed twice */
        return rc;
    }
    if (!writes) return PIOLA_OK;
    rc = s->sweep->collect ? collect(s, error) : run_members(s, error);
    return report(s, rc, error);
}

piola_status piola_sweep(const piola_options *options, const piola_sweep_options *sweep, piola_error *error)
{
    return pio_command_sweep(options, sweep, false, error);
}

piola_status pio_command_sweep(const piola_options *options, const piola_sweep_options *sweep, bool optimizes,
                               piola_error *error)
{
    pio_sweep_call s = {.options = options, .sweep = sweep, .optimizes = optimizes, .best = -1};
    piola_error own = {0}, lost;
    if (!error) error = &own;
    pio_h5_restore(pio_h5_silence()); /* before any other call of HDF5 */
    piola_status rc = pio_signals_install(error);
    if (rc) return rc;
    pio_signals_deadline(sweep->slurm ? 0 : options->max_walltime); /* that of a task */
    rc = run_call(&s, error);
    const piola_status log = pio_log_close(&s.log, &lost);
    if (!rc && log) *error = lost;
    pio_folder_unlock(s.lock);
    pio_table_free(&s.table);
    pio_members_free(&s.members);
    free(s.identity);
    pio_signals_restore();
    return rc ? rc : log;
}
