/* command_sweep_member.c -- the members of a sweep: their overrides, checks, plans and runs. */
#include "host/base/fail.h"
#include "host/command/command.h"
#include "host/command/command_optimize.h"
#include "host/command/command_sweep.h"
#include "host/results/identity.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- overrides ------------------------------------------------------------------------------------------- */

static const char one_start[] = "optimizer.multi_start=1";

/* Returns the overrides of a member, those of all members first, as one block to free(); *n is their number. NULL
 * without memory. */
static const char **sets_of(const pio_sweep_call *s, int64_t member, size_t *n)
{
    const size_t common = s->options->n_sets, axes = s->members.n_axes;
    size_t bytes = 0;
    for (size_t a = 0; a < axes; a++) bytes += 1 + pio_members_set(&s->members, member, a, NULL, 0);
    const char **sets = malloc((common + 1 + axes) * sizeof *sets + bytes);
    *n = common;
    for (size_t i = 0; sets && i < common; i++) sets[i] = s->options->sets[i];
    char *at = (char *)(sets + common + 1 + axes), *const end = at + bytes;
    if (sets && s->several) sets[(*n)++] = one_start;
    for (size_t a = 0; sets && a < axes; a++) {
        const size_t length = pio_members_set(&s->members, member, a, at, (size_t)(end - at));
        if (!length) continue;
        sets[(*n)++] = at;
        at += length + 1;
    }
    return sets;
}

void pio_sweep_member_line(const pio_sweep_call *s, int64_t member, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t a = 0; a < s->members.n_axes; a++) {
        char set[PIO_MEMBER_TEXT + CFG_PATH];
        if (!pio_members_set(&s->members, member, a, set, sizeof set) || used >= size) continue;
        const int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "", set);
        used += n > 0 ? (size_t)n : 0;
    }
}

void pio_sweep_member_folder(const pio_sweep_call *s, int64_t member, char *out)
{
    char name[40];
    snprintf(name, sizeof name, "members/%05lld", (long long)member);
    pio_path_join(out, PIO_PATH, s->folder, name);
}

/* ---- checks ---------------------------------------------------------------------------------------------- */

/* Loads the scene of a member, or with member -1 the scene without the axes; messages go to `errors` or nowhere. */
static piola_status load(const pio_sweep_call *s, int64_t member, FILE *errors, pio_scene **scene, piola_error *error)
{
    const piola_options *o = s->options;
    const pio_scene_leave leave = {.allowed = {o->allow, o->n_allow}, .writes = !o->directory};
    const pio_scene_text text = {.path = o->scene};
    size_t n = o->n_sets;
    *scene = NULL;
    if (member < 0) return pio_scene_load(scene, &text, &leave, o->sets, n, errors, error);
    const char **sets = sets_of(s, member, &n);
    if (!sets) return pio_fail_memory(error, n * (CFG_PATH + PIO_MEMBER_TEXT), "the overrides of a member");
    const piola_status rc = pio_scene_load(scene, &text, &leave, sets, n, errors, error);
    free(sets);
    return rc;
}

/* Describes the box of a design entry. */
static piola_status box_of(const pio_scene *scene, size_t entry, pio_box *box, char *key, size_t size,
                           piola_error *error)
{
    const scene_design *d = &scene->goal.design[entry];
    scene_target target;
    char path[40];
    snprintf(path, sizeof path, "design[%zu].bounds", entry);
    if (!isfinite(d->bounds[0]) || !isfinite(d->bounds[1]))
        return pio_scene_fault(scene, error, path,
                               "--starts samples within the bounds of each design; add bounds: [LOW, HIGH] to '%s'",
                               d->name);
    if (d->bounds[0] >= d->bounds[1])
        return pio_scene_fault(scene, error, path, "--starts needs bounds that leave '%s' a choice", d->name);
    pio_design_target(scene, d, 0, &target);
    snprintf(key, size, "design.%s.initial", d->name);
    *box = (pio_box){.key = key,
                     .low = d->bounds[0],
                     .high = d->bounds[1],
                     .quantity = target.quantity,
                     .logarithmic = d->transform == SCENE_LOG && d->bounds[0] > 0,
                     .parts = target.components * (d->targets.n ? 1 : (int)d->target.n)};
    return PIOLA_OK;
}

piola_status pio_sweep_find_starts(pio_sweep_call *s, pio_box **boxes, size_t *n, piola_error *error)
{
    pio_scene *scene;
    *boxes = NULL;
    *n = 0;
    piola_status rc = load(s, -1, stderr, &scene, error);
    s->printed = rc != PIOLA_OK;
    if (rc) return rc;
    const size_t entries = scene->goal.n_design, key = CFG_PATH;
    s->fits = scene->optimizer.is_set && scene->optimizer.type == PIO_LEVENBERG_MARQUARDT;
    s->several = scene->optimizer.is_set && scene->optimizer.multi_start > 1;
    if (entries == 0)
        rc = pio_scene_fault(scene, error, "design",
                             s->optimizes ? "piola optimize needs a `design:` to improve"
                                          : "--starts needs a `design:` to start");
    if (!rc && !(*boxes = malloc(entries * (sizeof **boxes + key))))
        rc = pio_fail_memory(error, entries * (sizeof **boxes + key), "the starts of a design");
    for (; !rc && *n < entries; ++*n)
        rc = box_of(scene, *n, &(*boxes)[*n], (char *)(*boxes + entries) + *n * key, key, error);
    pio_scene_free(scene);
    return rc;
}

/* Explains why the scene of a member cannot be loaded: if the scene has faults without the axes, these are printed;
 * otherwise a value of an axis is wrong. */
static piola_status explain(pio_sweep_call *s, int64_t member, piola_error *error)
{
    pio_scene *scene;
    piola_error of_scene = {0};
    char line[600];
    const piola_status rc = error->status, own = load(s, -1, NULL, &scene, &of_scene);
    pio_scene_free(scene);
    if (rc == PIOLA_INTERRUPTED || rc == PIOLA_NO_MEMORY) return rc;
    if (own && !strcmp(own == rc ? of_scene.message : "", error->message)) {
        load(s, -1, stderr, &scene, error);
        s->printed = true;
        return rc;
    }
    const piola_error why = *error;
    const char *what = strncmp(why.message, "--set:", 6) ? NULL : strstr(why.message, ": error: ");
    pio_sweep_member_line(s, member, line, sizeof line);
    return pio_fail(error, rc, "--over: member %lld (%s): %s", (long long)member, line, what ? what + 9 : why.message);
}

/* Rejects two axes of one key that they spell in two ways, by a name and by a number. */
static piola_status check_keys(const pio_sweep_call *s, const pio_scene *scene, piola_error *error)
{
    const pio_axis *const axes = s->members.axes;
    for (size_t i = 0; i < s->members.n_axes; i++)
        for (size_t j = 0; j < i; j++) {
            const bool parts = axes[i].parts && axes[j].parts;
            if (parts || !pio_scene_same_key(scene, axes[i].key, axes[j].key)) continue;
            return pio_fail(error, PIOLA_USAGE,
                            "--over: %.200s and %.200s are one key, varied by '%.200s' and by '%.200s'; give one axis "
                            "for it",
                            axes[j].path, axes[i].path, axes[j].text, axes[i].text);
        }
    return PIOLA_OK;
}

/* Returns whether what a --set changes is replaced by an axis: it has the axis's key, or one below it. */
static bool is_replaced(const pio_scene *scene, const char *set, const pio_axis *axis)
{
    char key[CFG_PATH];
    size_t n = strcspn(set, "=");
    while (n > 0 && set[n - 1] == ' ') n--;
    if (n >= sizeof key) return false;
    memcpy(key, set, n);
    for (key[n] = '\0'; n > 0; key[n] = '\0') {
        if (pio_scene_same_key(scene, axis->key, key)) return true;
        for (n--; n > 0 && key[n] != '.' && key[n] != '[';) n--;
    }
    return false;
}

/* Rejects a --set of what an axis varies, which would do nothing. */
static piola_status check_sets(const pio_sweep_call *s, const pio_scene *scene, piola_error *error)
{
    const char *const starts = s->optimizes ? "optimizer.multi_start" : "--starts";
    for (size_t i = 0; i < s->options->n_sets; i++)
        for (size_t a = 0; a < s->members.n_axes; a++) {
            const pio_axis *axis = &s->members.axes[a];
            if (!is_replaced(scene, s->options->sets[i], axis)) continue;
            if (s->sweep->starts)
                return pio_fail(error, PIOLA_USAGE,
                                "--set '%.200s' would do nothing: %s gives each member its own %.200s; leave out one "
                                "of them",
                                s->options->sets[i], starts, axis->key);
            return pio_fail(error, PIOLA_USAGE,
                            "--set '%.200s' would do nothing: --over '%.200s' replaces it in every member; leave out "
                            "one of them",
                            s->options->sets[i], axis->text);
        }
    return PIOLA_OK;
}

/* Chooses the command of the members by the scene of one. */
static piola_status choose_what(pio_sweep_call *s, const pio_scene *scene, piola_error *error)
{
    const char *what = s->sweep->starts && !s->sweep->what ? "optimize" : s->sweep->what;
    const bool has_gradient = scene->goal.n_objective && scene->goal.n_design;
    s->what = what ? what : has_gradient ? "grad" : "run";
    if (s->sweep->starts && strcmp(s->what, "optimize") != 0)
        return pio_fail(error, PIOLA_USAGE, "--starts is of optimisations; it does not go with --what %.60s", s->what);
    if (!strcmp(s->what, "run") || !strcmp(s->what, "grad") || !strcmp(s->what, "optimize")) return PIOLA_OK;
    return pio_fail(error, PIOLA_USAGE, "--what: unknown value '%.60s'; there are: run, grad, optimize", s->what);
}

piola_status pio_sweep_check(pio_sweep_call *s, piola_error *error)
{
    for (int64_t i = 0; i < s->to; i = i || s->from < 2 ? i + 1 : s->from) { /* the first, and those of this call */
        pio_scene *scene;
        piola_status rc = load(s, i, NULL, &scene, error);
        if (rc) return explain(s, i, error);
        const char *folder = s->options->directory ? s->options->directory : scene->output.directory;
        if (i == 0) rc = check_keys(s, scene, error);
        if (i == 0 && !rc) rc = check_sets(s, scene, error);
        if (i == 0 && !rc) rc = choose_what(s, scene, error);
        if (!rc && !strcmp(s->what, "optimize") && scene->optimizer.is_set && scene->optimizer.multi_start > 1)
            rc = pio_scene_fault(scene, error, "optimizer.multi_start",
                                 "a member of a sweep has one start; --starts N makes a sweep of starts, and --set "
                                 "optimizer.multi_start=1 leaves each member the design's own");
        if (i == 0 && !rc) rc = pio_path_folder(folder, error);
        if (i == 0 && !rc) snprintf(s->folder, sizeof s->folder, "%s", folder);
        pio_scene_free(scene);
        if (rc) return rc;
    }
    char folder[PIO_PATH];
    pio_sweep_member_folder(s, 0, folder);
    return pio_path_folder(folder, error);
}

/* ---- processes ------------------------------------------------------------------------------------------- */

/* Returns the options of a member, whose overrides and folder are the caller's. */
static piola_options options_of(const pio_sweep_call *s, const char *const *sets, size_t n, const char *folder)
{
    piola_options o = *s->options;
    o.sets = sets;
    o.n_sets = n;
    o.directory = folder;
    o.threads = s->threads;
    o.memory = s->memory;
    o.json = false;
    o.log_json = NULL;
    o.max_walltime = 0;
    return o;
}

/* Writes what the bits of a member depend on; of its scene, which may be long, the hash. */
static bool write_identity(const pio_session *s, bool optimizer, char *out, size_t size)
{
    static const char mark[] = "\nscene: ";
    char sha256[PIO_SHA256_TEXT], *text = pio_identity_of_run(s, optimizer, ""), *scene;
    bool fits = false;
    if (text && (scene = strstr(text, mark))) {
        pio_sha256_of(scene, strlen(scene), sha256);
        *scene = '\0';
        fits = snprintf(out, size, "%s%s%s", text, mark, sha256) < (int)size;
    }
    free(text);
    return fits;
}

_Static_assert(sizeof(pio_sweep_plan) <= PIO_PROCESS_ANSWER, "a plan is an answer");

piola_status pio_sweep_plan_member(void *call, int64_t member, char *answer, piola_error *error)
{
    const pio_sweep_call *s = call;
    const bool optimize = !strcmp(s->what, "optimize"), run = !strcmp(s->what, "run");
    char folder[PIO_PATH];
    pio_session *session = NULL;
    size_t n;
    bool printed;
    const char **sets = sets_of(s, member, &n);
    if (!sets) return pio_fail_memory(error, n * (CFG_PATH + PIO_MEMBER_TEXT), "the overrides of a member");
    pio_sweep_member_folder(s, member, folder);
    piola_options o = options_of(s, sets, n, folder);
    o.dry_run = true;
    o.quiet = 2;
    piola_status rc = pio_session_open(&session, &o, s->what,
                                       run        ? PIO_NO_GRADIENT
                                       : optimize ? PIO_ALL_GRADIENTS
                                                  : PIO_GRADIENT,
                                       NULL, &printed, error);
    if (!rc) rc = pio_command_needs(session, error);
    if (!rc) {
        pio_sweep_plan plan = {.bytes = (int64_t)session->memory.bytes.total,
                               .disk = (int64_t)session->memory.plan.disk_bytes,
                               .budget = session->scene->gradient.memory_budget,
                               .free = (double)session->memory.bytes.free};
        if (!write_identity(session, optimize, plan.identity, sizeof plan.identity))
            rc = pio_fail_memory(error, sizeof plan, "the sweep's identity");
        memcpy(answer, &plan, sizeof plan);
    }
    pio_session_close(session);
    free(sets);
    return rc;
}

/* Lets messages go to log.txt in the member's folder, which continues that of an interrupted member. */
static piola_status log_to(const char *folder, piola_error *error)
{
    char path[PIO_PATH];
    const piola_status rc = pio_folder_make(folder, error);
    if (rc) return rc;
    pio_path_join(path, sizeof path, folder, "log.txt");
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create %.1000s: %s", path, strerror(errno));
    (void)dup2(file, STDERR_FILENO);
    (void)close(file);
    return PIOLA_OK;
}

piola_status pio_sweep_run_member(void *call, int64_t member, char *answer, piola_error *error)
{
    const pio_sweep_call *s = call;
    char folder[PIO_PATH], failure[PIO_PATH];
    size_t n;
    (void)answer;
    const char **sets = sets_of(s, member, &n);
    if (!sets) return pio_fail_memory(error, n * (CFG_PATH + PIO_MEMBER_TEXT), "the overrides of a member");
    pio_sweep_member_folder(s, member, folder);
    piola_status rc = log_to(folder, error);
    pio_path_join(failure, sizeof failure, folder, PIO_SWEEP_FAILURE);
    (void)unlink(failure);
    const piola_options o = options_of(s, sets, n, folder);
    if (!rc)
        rc = !strcmp(s->what, "run")    ? piola_run(&o, error)
             : !strcmp(s->what, "grad") ? piola_grad(&o, error)
                                        : pio_command_optimize(&o, error);
    if (rc && error->message[0]) fprintf(stderr, "%s\n", error->message);
    free(sets);
    return rc;
}
