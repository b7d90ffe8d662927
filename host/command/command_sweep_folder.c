/* command_sweep_folder.c -- the folder of a sweep: which sweep it holds, which members are finished, and the files that
 * are made of their results. */
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/new_file.h"
#include "host/base/sha256.h"
#include "host/base/signals.h"
#include "host/command/command_sweep.h"
#include "host/render/image.h"
#include "host/results/identity.h"
#include "host/results/residual_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double WAIT = 60; /* s: for a lock that parts hold for a moment */

static void path_of(const pio_sweep_call *s, const char *name, char out[PIO_PATH])
{
    pio_path_join(out, PIO_PATH, s->folder, name);
}

/* ---- sweep.json ------------------------------------------------------------------------------------------ */

void pio_sweep_member_json(const pio_sweep_call *s, int64_t i, pio_json *json)
{
    pio_json_integer(json, "number", i);
    pio_json_string(json, "folder", s->table.ends[i].folder);
    pio_json_begin_array(json, "sets");
    for (size_t a = 0; a < s->members.n_axes; a++) {
        const size_t length = pio_members_set(&s->members, i, a, NULL, 0);
        char *set = length ? malloc(length + 1) : NULL;
        if (set) pio_members_set(&s->members, i, a, set, length + 1);
        if (length) pio_json_string(json, NULL, set);
        free(set);
    }
    pio_json_end_array(json);
    if (s->table.ends[i].exit >= 0)
        pio_json_integer(json, "exit", s->table.ends[i].exit);
    else
        pio_json_null(json, "exit");
    pio_json_string(json, "cause", s->table.ends[i].cause);
}

static void write_axes(const pio_sweep_call *s, pio_json *json)
{
    pio_json_begin_array(json, "axes");
    for (size_t a = 0; a < s->members.n_axes; a++) {
        const pio_axis *axis = &s->members.axes[a];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "path", axis->path);
        pio_json_string(json, "over", axis->text);
        pio_json_string(json, "unit", axis->numbers ? pio_quantity_unit(axis->quantity) : NULL);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes the SHA-256 of the result.json that the folder has already, of a command before this sweep, or null where it
 * has none that can be read. Each result has its own, as it holds the seconds that its command took; so one with
 * another SHA-256 is that of a later command. Several starts remove it when they begin and write theirs after
 * sweep.json. */
static void write_earlier(const pio_sweep_call *s, pio_json *json)
{
    char path[PIO_PATH], sha256[PIO_SHA256_TEXT];
    piola_error unused;
    path_of(s, "result.json", path);
    if (!s->optimizes && !access(path, F_OK) && !pio_sha256_of_file(path, sha256, &unused))
        pio_json_string(json, "earlier_result", sha256);
    else
        pio_json_null(json, "earlier_result");
}

/* Writes sweep.json, and prints it where `prints`; verdict -1: the sweep has begun. */
static piola_status write_json(const pio_sweep_call *s, int verdict, const char *message, bool prints,
                               piola_error *error)
{
    char path[PIO_PATH];
    pio_json json;
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", "sweep");
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    pio_json_string(&json, "scene", s->options->scene);
    pio_json_string(&json, "what", s->what);
    pio_json_string(&json, "sampling", pio_members_sampling(&s->members));
    pio_json_integer(&json, "seed", (int64_t)s->members.seed);
    if (verdict < 0)
        pio_json_null(&json, "exit");
    else
        pio_json_integer(&json, "exit", verdict);
    pio_json_string(&json, "message", message);
    pio_json_integer(&json, "n_members", s->members.n);
    pio_json_integer(&json, "finished", s->finished);
    pio_json_integer(&json, "failed", s->failed);
    pio_json_integer(&json, "left", s->left);
    if (s->best >= 0)
        pio_json_integer(&json, "best", s->best);
    else
        pio_json_null(&json, "best");
    write_axes(s, &json);
    pio_json_begin_array(&json, "members");
    for (int64_t i = 0; i < s->members.n; i++) {
        pio_json_begin_object(&json, NULL);
        pio_sweep_member_json(s, i, &json);
        pio_json_end_object(&json);
    }
    pio_json_end_array(&json);
    write_earlier(s, &json);
    pio_json_string(&json, "identity", s->identity);
    pio_json_end_object(&json);
    piola_status rc = pio_json_finish(&json, error);
    path_of(s, "sweep.json", path);
    if (!rc) rc = pio_write_file_atomically(path, json.text, json.size, error);
    if (!rc && prints &&
        (fwrite(json.text, 1, json.size, stdout) != json.size || putchar('\n') == EOF || fflush(stdout)))
        rc = pio_fail(error, PIOLA_IO, "cannot write the result to standard output: %s",
                      errno ? strerror(errno) : "output was lost");
    pio_json_free(&json);
    return rc;
}

/* ---- the folder ------------------------------------------------------------------------------------------ */

/* Removes the results of all members that the folder holds, which then count as not run. */
static void forget_members(const pio_sweep_call *s)
{
    char members[PIO_PATH], member[PIO_PATH];
    path_of(s, "members", members);
    DIR *folder = opendir(members);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (strspn(e->d_name, "0123456789") == strlen(e->d_name) && pio_path_join(member, PIO_PATH, members, e->d_name))
            pio_folder_remove(member, "result.json");
    if (folder) closedir(folder);
}

/* Decides whether the sweep that the folder holds is continued. Returns PIOLA_NO_INPUT if it holds none. */
static piola_status admit(pio_sweep_call *s, piola_error *error)
{
    char path[PIO_PATH], differs[1200];
    const char *there;
    path_of(s, "sweep.json", path);
    piola_status rc = pio_table_text(&s->table, path, "identity", &there, error);
    if (rc == PIOLA_BAD_DATA)
        return pio_fail(error, rc,
                        "%.1000s is damaged; it is left as it is; if it is moved away, or with --resume "
                        "never, the sweep begins anew",
                        path);
    if (rc) return rc;
    const bool accept = s->options->accept_machine || s->sweep->collect;
    rc = pio_identity_admit(path, there, s->identity, accept, differs, sizeof differs, error);
    if (!rc && s->sweep->collect) { /* what collects computes nothing: the sweep remains that of its machine */
        char *of = strdup(there);
        if (!of) return pio_fail_memory(error, strlen(there) + 1, "the sweep's identity");
        free(s->identity);
        s->identity = of;
        return PIOLA_OK;
    }
    if (!rc && *differs)
        pio_log_message(s->log, PIO_WARNING,
                        "continuing a sweep of another machine, so the bits are those of neither: %s", differs);
    if (rc != PIOLA_BAD_DATA) return rc;
    const piola_error why = *error;
    return pio_fail(error, PIOLA_CANNOT_CREATE,
                    "%.1900s; it is left as it is: another folder (-o DIR) would be right, or --resume never, which "
                    "begins anew there",
                    why.message);
}

piola_status pio_sweep_begin_anew(const pio_sweep_call *s, piola_error *error)
{
    static const char *const made[] = {"sweep.json", "sweep.csv", "sweep.h5"};
    pio_folder *lock;
    if (access(s->folder, F_OK)) return PIOLA_OK;
    const piola_status rc = pio_folder_lock(&lock, s->folder, "piola sweep", error);
    if (rc) return rc;
    forget_members(s);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[PIO_PATH];
        path_of(s, made[i], path);
        (void)unlink(path);
    }
    pio_folder_unlock(lock);
    return PIOLA_OK;
}

piola_status pio_sweep_open_folder(pio_sweep_call *s, piola_error *error)
{
    const bool part = s->sweep->members != NULL, shared = part || s->sweep->collect;
    char who[300], path[PIO_PATH];
    snprintf(who, sizeof who, "piola %s %s%s", s->optimizes ? "optimize" : "sweep", s->options->scene,
             part                ? " --members"
             : s->sweep->collect ? " --collect"
                                 : "");
    piola_status rc = PIOLA_OK;
    if (s->sweep->collect && access(s->folder, F_OK))
        return pio_fail(error, PIOLA_NO_INPUT, "there is no folder %.1000s, so nothing to collect", s->folder);
    rc = pio_folder_make(s->folder, error);
    if (!rc) rc = pio_folder_lock_within(&s->lock, s->folder, who, shared ? WAIT : 0, error);
    if (rc) return rc;
    rc = s->options->resume ? admit(s, error) : PIOLA_NO_INPUT;
    const bool anew = rc == PIOLA_NO_INPUT;
    if (anew && s->sweep->collect)
        return pio_fail(error, rc, "%.1000s holds no sweep, so there is nothing to collect", s->folder);
    if (rc && !anew) return rc;
    if (*pio_folder_notice(s->lock)) pio_log_message(s->log, PIO_DETAIL, "%s", pio_folder_notice(s->lock));
    if (s->optimizes) {
        path_of(s, "picture.png", path);
        piola_status replaces = pio_image_replaces(path, error); /* found before the run, not after it */
        if (!replaces && s->fits) replaces = pio_residual_file_replaces(s->folder, error);
        if (replaces) return replaces;
        path_of(s, "result.json", path);
        (void)unlink(path);
    }
    if (!part) {
        pio_folder_clean(s->lock, "sweep.h5");
        path_of(s, "sweep.csv", path);
        (void)unlink(path);
    }
    if (anew) forget_members(s);
    rc = anew ? write_json(s, -1, "begun", false, error) : PIOLA_OK;
    if (!part) return rc;
    pio_folder_unlock(s->lock);
    s->lock = NULL;
    return rc;
}

/* ---- results --------------------------------------------------------------------------------------------- */

bool pio_sweep_is_final(int exit)
{
    return exit == PIOLA_OK || exit == PIOLA_NO || exit == PIOLA_NUMERICAL;
}

static void file_of(const pio_sweep_call *s, int64_t member, const char *name, char out[PIO_PATH])
{
    char folder[PIO_PATH];
    pio_sweep_member_folder(s, member, folder);
    pio_path_join(out, PIO_PATH, folder, name);
}

piola_status pio_sweep_note_failure(const pio_sweep_call *s, int64_t member, piola_error *error)
{
    const pio_table_member *end = &s->table.ends[member];
    char path[PIO_PATH];
    pio_json json;
    file_of(s, member, "result.json", path);
    if (!end->cause || !access(path, F_OK)) return PIOLA_OK;
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_integer(&json, "exit", end->exit);
    pio_json_string(&json, "message", end->cause);
    pio_json_end_object(&json);
    piola_status rc = pio_json_finish(&json, error);
    file_of(s, member, PIO_SWEEP_FAILURE, path);
    if (!rc) rc = pio_write_file_atomically(path, json.text, json.size, error);
    pio_json_free(&json);
    return rc;
}

/* Returns how a member ended, to run what is left of it or to list it; -1: it is not finished. */
static int exit_of(pio_sweep_call *s, int64_t member, const char **message)
{
    char path[PIO_PATH];
    int exit = -1;
    file_of(s, member, "result.json", path);
    if (access(path, F_OK)) file_of(s, member, PIO_SWEEP_FAILURE, path);
    if (access(path, F_OK) || !pio_table_exit(&s->table, path, &exit, message)) return -1;
    const bool listed = s->sweep->collect && exit != PIOLA_INTERRUPTED && exit != PIOLA_NO_PROGRESS;
    return listed || pio_sweep_is_final(exit) ? exit : -1;
}

void pio_sweep_find_finished(pio_sweep_call *s)
{
    for (int64_t i = s->from; i < s->to; i++) {
        pio_table_member *end = &s->table.ends[i];
        const char *message = NULL;
        end->exit = exit_of(s, i, &message);
        end->cause = NULL;
        if (end->exit <= PIOLA_NO) continue;
        end->cause = pio_pool_text(&s->table.pool, message, strcspn(message, "\n"));
        if (!end->cause) end->cause = "no memory for its cause";
    }
}

void pio_sweep_count(pio_sweep_call *s)
{
    s->finished = s->failed = s->unconverged = s->left = 0;
    for (int64_t i = s->from; i < s->to; i++) {
        const pio_table_member *end = &s->table.ends[i];
        if (end->exit < 0)
            s->left++;
        else if (end->cause)
            s->failed++;
        else
            s->finished++;
        s->unconverged += end->exit == PIOLA_NO;
    }
}

/* Finds the least objective of optimisations: of those that converged, or else of those that did not. */
static void find_best(pio_sweep_call *s)
{
    const pio_table_column *of = NULL;
    for (size_t c = 0; c < s->table.n_columns; c++)
        if (!strcmp(s->table.columns[c].name, "objective")) of = &s->table.columns[c];
    s->best = -1;
    for (int64_t i = 0; of && !strcmp(s->what, "optimize") && i < s->members.n; i++) {
        const int exit = s->table.ends[i].exit, least = s->best < 0 ? exit : s->table.ends[s->best].exit;
        if (of->cells[i].n != 1 || exit > least) continue;
        if (s->best < 0 || exit < least || of->cells[i].v[0] < of->cells[s->best].v[0]) s->best = i;
    }
    if (s->best < 0) return;
    char line[400];
    pio_sweep_member_line(s, s->best, line, sizeof line);
    pio_log_message(s->log, PIO_INFO, "best: member %lld (%s): J = %.12g", (long long)s->best, line,
                    of->cells[s->best].v[0]);
}

piola_status pio_sweep_verdict(const pio_sweep_call *s)
{
    if (!s->optimizes && s->failed) return PIOLA_MEMBERS_FAILED;
    if (!s->optimizes) return s->unconverged ? PIOLA_NO : PIOLA_OK;
    bool again = s->best < 0; /* a start that cannot be computed leaves the best of the others; another failure not */
    for (int64_t i = 0; i < s->members.n; i++)
        again |= s->table.ends[i].cause && !pio_sweep_is_final(s->table.ends[i].exit);
    return again ? PIOLA_MEMBERS_FAILED : (piola_status)s->table.ends[s->best].exit;
}

/* Reads the results of the members that are done; one that cannot be read has failed. */
static piola_status read_results(pio_sweep_call *s, piola_error *error)
{
    for (int64_t i = 0; i < s->members.n; i++) {
        pio_table_member *end = &s->table.ends[i];
        char path[PIO_PATH];
        if (end->exit != PIOLA_OK && end->exit != PIOLA_NO) continue;
        file_of(s, i, "result.json", path);
        const piola_status rc = pio_table_add(&s->table, i, path, error);
        if (rc == PIOLA_NO_MEMORY || rc == PIOLA_INTERRUPTED) return rc;
        if (!rc) continue;
        end->exit = rc;
        end->cause = pio_pool_text(&s->table.pool, error->message, strlen(error->message));
    }
    return PIOLA_OK;
}

piola_status pio_sweep_write(pio_sweep_call *s, piola_status verdict, const char *message, piola_error *error)
{
    const pio_table_head head = {s->options->scene, s->what, "piola " PIOLA_VERSION};
    char path[PIO_PATH];
    piola_status rc = read_results(s, error);
    pio_sweep_count(s);
    find_best(s);
    path_of(s, "sweep.csv", path);
    if (!rc) rc = pio_table_write_csv(&s->table, path, error);
    path_of(s, "sweep.h5", path);
    if (!rc) rc = pio_table_write_h5(&s->table, &head, path, error);
    if (rc) return rc;
    if (verdict == PIOLA_OK) verdict = pio_sweep_verdict(s);
    rc = write_json(s, (int)verdict, message, s->options->json && !s->optimizes, error);
    piola_error again;
    if (rc) (void)write_json(s, (int)rc, error->message, false, &again); /* what is there may claim another end */
    return rc;
}

void pio_sweep_set_exit(const pio_sweep_call *s, piola_status verdict, const char *message)
{
    piola_error unused;
    (void)write_json(s, (int)verdict, message, false, &unused);
}
