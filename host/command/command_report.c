/* command_report.c -- piola report: a page about a folder of results, with pictures of its states. */
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"
#include "host/base/new_file.h"
#include "host/base/path.h"
#include "host/base/signals.h"
#include "host/base/threads.h"
#include "host/report/report.h"
#include "piola.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28, WIDTH = 960, HEIGHT = 540 };
enum { MOST_EXPERIMENTS = 50, FILM_PICTURES = 60, FILM_SECONDS = 4, FILM_WIDTH = 640, FILM_HEIGHT = 360 };
static const char mark[] = "<!DOCTYPE html>\n<!-- piola report -->\n"; /* how a report begins */

piola_report_options piola_report_options_default(void)
{
    return (piola_report_options){0};
}

/* What is drawn, and into which folder pictures go before they are in the page. */
typedef struct {
    const piola_report_options *options;
    pio_report *report;
    char scratch[PIO_PATH];
} drawing;

/* ---- pictures -------------------------------------------------------------------------------------------- */

static const pio_snapshot_field_info *find_field(const pio_snapshot_info *info, const char *name)
{
    for (size_t i = 0; i < info->n_fields; i++)
        if (!strcmp(info->fields[i].name, name)) return &info->fields[i];
    return NULL;
}

/* Returns the first design of a history that has a value at each point or element, or NULL. */
static const pio_snapshot_field_info *design_field(const pio_snapshot_info *history)
{
    for (size_t i = 0; history && i < history->n_fields; i++)
        if (!*history->fields[i].of && history->fields[i].when == PIO_SNAPSHOT_FRAME) return &history->fields[i];
    return NULL;
}

/* Leaves out what is less than half full of a mesh in space whose `field` is a relative density, as the picture.png of
 * an optimisation does; `rule` has room for the option. */
static void hide_empty(const drawing *d, const char *field, bool alone, char rule[100], piola_render_options *render)
{
    if (!field || !pio_report_has_empty(d->report, alone)) return;
    snprintf(rule, 100, "%.80s=0.5", field);
    render->hide_below = rule;
}

/* Returns whether a field of a history is a design of relative densities: its meaning is the path. */
static bool is_density(const pio_snapshot_field_info *f)
{
    static const char end[] = ".relative_density";
    const size_t length = strlen(f->meaning);
    return f->stored == 1 && length >= sizeof end && !strcmp(f->meaning + length + 1 - sizeof end, end);
}

/* Returns the name of the field of relative densities of elements in states.vtkhdf, or NULL. */
static const char *density_of(const pio_snapshot_info *info)
{
    const pio_snapshot_field_info *f = find_field(info, "relative_density");
    return f && f->location == PIO_SNAPSHOT_CELL && f->stored == 1 ? f->name : NULL;
}

/* Adds what was drawn as `drawn`, with the outcome `rc` and its cause, to the report and removes that file; why it
 * could not be drawn becomes part of the page. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
static piola_status add_drawn(drawing *d, const char *drawn, piola_status rc, piola_error *why,
                              pio_report_picture *picture, piola_error *error)
{
    char *bytes = NULL;
    if (!rc) rc = pio_file_read(drawn, MOST_BYTES, &bytes, &picture->size, why);
    unlink(drawn);
    if (rc == PIOLA_NO_MEMORY || rc == PIOLA_INTERRUPTED) return pio_fail(error, rc, "%s", why->message);
    picture->bytes = bytes;
    if (rc) snprintf(picture->missing, sizeof picture->missing, "%.590s", why->message);
    if (pio_report_add(d->report, picture)) return PIOLA_OK;
    free(bytes);
    return pio_fail_memory(error, picture->size, "a picture");
}

/* Draws one frame of a file of the folder, and adds it to the report. Returns PIOLA_NO_MEMORY or PIOLA_INTERRUPTED. */
static piola_status add_picture(drawing *d, const char *file, piola_render_options render, pio_report_picture *picture,
                                piola_error *error)
{
    char from[PIO_PATH], to[PIO_PATH] = "";
    piola_error why = {0};
    piola_status rc = PIOLA_OK;
    if (!pio_path_join(from, sizeof from, d->options->folder, file) ||
        !pio_path_join(to, sizeof to, d->scratch, "picture.png"))
        rc = pio_fail(&why, PIOLA_NO_INPUT, "the name of the folder is too long");
    render.file = from;
    render.output = to;
    render.width = WIDTH;
    render.height = HEIGHT;
    render.threads = d->options->threads;
    if (!rc) rc = piola_render(&render, &why);
    return add_drawn(d, to, rc, &why, picture, error);
}

/* Draws the states as a film: a WebM video, or an animated PNG where the module for it is missing. */
static piola_status draw_film(const drawing *d, piola_film_options film, char to[PIO_PATH], const char **type,
                              piola_error *why)
{
    static const char *const names[] = {"film.webm", "film.png"}, *const types[] = {"video/webm", "image/png"};
    char from[PIO_PATH];
    piola_status rc = PIOLA_UNAVAILABLE;
    for (int i = 0; i < 2 && rc == PIOLA_UNAVAILABLE; i++) {
        *type = types[i];
        if (!pio_path_join(from, sizeof from, d->options->folder, "states.vtkhdf") ||
            !pio_path_join(to, PIO_PATH, d->scratch, names[i]))
            return pio_fail(why, PIOLA_NO_INPUT, "the name of the folder is too long");
        film.picture.file = from;
        film.picture.output = to;
        rc = piola_film(&film, why);
    }
    return rc;
}

/* Adds a film of the states, of evenly chosen frames and at most FILM_PICTURES; where there are no more than the two
 * that are drawn as pictures, the page says so. */
static piola_status add_film(drawing *d, piola_error *error)
{
    const pio_snapshot_info *info = pio_report_snapshot(d->report, false);
    char to[PIO_PATH] = "", rule[100];
    piola_error why = {0};
    if (!info || info->n_frames < 1) return PIOLA_OK;
    pio_report_picture p = {.type = "image/png"};
    piola_film_options film = piola_film_options_default();
    film.every = (info->n_frames + FILM_PICTURES - 1) / FILM_PICTURES;
    const int64_t pictures = (info->n_frames - 1) / film.every + 1;
    const double rate = (double)pictures / FILM_SECONDS;
    film.fps = rate < 2 ? 2 : rate;
    film.picture.width = FILM_WIDTH;
    film.picture.height = FILM_HEIGHT;
    film.picture.threads = d->options->threads;
    film.picture.fit = info->n_cells && pio_report_linear(d->report);
    film.picture.no_verify = true;
    film.picture.targets = film.picture.paths = true;
    hide_empty(d, density_of(info), false, rule, &film.picture);
    snprintf(p.title, sizeof p.title, "Film of the states");
    if (info->n_frames < 3) {
        snprintf(p.missing, sizeof p.missing, "there is none, for states.vtkhdf has %lld frame%s, drawn above",
                 (long long)info->n_frames, info->n_frames > 1 ? "s" : "");
        return pio_report_add(d->report, &p) ? PIOLA_OK : pio_fail_memory(error, sizeof p, "a film");
    }
    snprintf(p.title, sizeof p.title, "Film of the states, t = %.6g s to %.6g s", info->times[0],
             info->times[(pictures - 1) * film.every]);
    snprintf(p.detail, sizeof p.detail, "%lld of %lld frames, with equal axes and colours", (long long)pictures,
             (long long)info->n_frames);
    const piola_status rc = draw_film(d, film, to, &p.type, &why);
    return add_drawn(d, to, rc, &why, &p, error);
}

/* Adds the first and the last frame of the states, drawn with the same axes and colours. */
static piola_status add_states(drawing *d, piola_error *error)
{
    const pio_snapshot_info *info = pio_report_snapshot(d->report, false);
    const bool best = !strcmp(pio_report_command(d->report), "optimize");
    const char *of = best ? " of the best design" : "";
    if (!info || info->n_frames < 1) return PIOLA_OK;
    const pio_snapshot_field_info *shown = find_field(info, "velocity");
    if (!shown) shown = find_field(info, "displacement");
    char rule[100];
    for (int last = 0; last < 2; last++) {
        const int64_t frame = last ? info->n_frames - 1 : 0;
        pio_report_picture p = {.type = "image/png"};
        piola_render_options render = piola_render_options_default();
        render.frame = frame;
        render.hold = info->n_frames > 1;
        render.no_verify = true; /* they were compared when the report was opened */
        render.fit = info->n_cells && pio_report_linear(d->report);
        hide_empty(d, density_of(info), false, rule, &render);
        render.targets = render.paths = true;
        if (last && frame == 0) break;
        snprintf(p.title, sizeof p.title, "%s state%s, t = %.6g s", last ? "Last" : "First", of, info->times[frame]);
        snprintf(p.detail, sizeof p.detail, "%lld %s, coloured by %.60s",
                 (long long)(info->n_cells ? info->n_cells : info->n_points), info->n_cells ? "elements" : "particles",
                 shown ? shown->name : "the first field");
        const piola_status rc = add_picture(d, "states.vtkhdf", render, &p, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* Adds the design before and after an optimisation, where it has a value at each point or element. */
static piola_status add_designs(drawing *d, piola_error *error)
{
    const pio_snapshot_info *info = pio_report_snapshot(d->report, true);
    const pio_snapshot_field_info *field = design_field(info);
    char rule[100];
    if (!field || info->n_frames < 1) return PIOLA_OK;
    for (int last = 0; last < 2; last++) {
        pio_report_picture p = {.type = "image/png"};
        piola_render_options render = piola_render_options_default();
        render.frame = last ? info->n_frames - 1 : 0;
        render.hold = info->n_frames > 1;
        render.no_verify = true;
        render.field = field->name;
        if (field->location == PIO_SNAPSHOT_CELL && is_density(field)) {
            hide_empty(d, field->name, true, rule, &render);
            render.lo = 0;
            render.hi = 1;
        }
        snprintf(p.title, sizeof p.title, last ? "Design after iteration %.0f" : "Design before, at iteration %.0f",
                 info->times[render.frame]);
        snprintf(p.detail, sizeof p.detail, "The design %.200s in colours, at rest", field->meaning);
        const piola_status rc = add_picture(d, "history.vtkhdf", render, &p, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* Adds the last frame of each experiment of a study. */
static piola_status add_experiments(drawing *d, piola_error *error)
{
    const char *name;
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; !rc && (name = pio_report_experiment(d->report, i)) != NULL; i++) {
        char file[120];
        pio_report_picture p = {.type = "image/png"};
        piola_render_options render = piola_render_options_default();
        if (!*name || i >= MOST_EXPERIMENTS) continue;
        snprintf(file, sizeof file, "experiments/%.64s/states.vtkhdf", name);
        snprintf(p.title, sizeof p.title, "Last state of the experiment %.64s", name);
        snprintf(p.detail, sizeof p.detail, "At the design of the result");
        rc = add_picture(d, file, render, &p, error);
    }
    return rc;
}

/* Makes the folder for pictures and draws them. */
static piola_status draw(drawing *d, piola_error *error)
{
    const char *base = getenv("TMPDIR");
    if (snprintf(d->scratch, sizeof d->scratch, "%s/piola-report-XXXXXX", base && *base ? base : "/tmp") >=
            (int)sizeof d->scratch ||
        !mkdtemp(d->scratch))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "cannot create a folder for pictures in %.1000s",
                        base && *base ? base : "/tmp");
    piola_status rc = add_designs(d, error);
    if (!rc) rc = add_states(d, error);
    if (!rc) rc = add_film(d, error);
    if (!rc) rc = add_experiments(d, error);
    rmdir(d->scratch);
    return rc;
}

/* ---- the page -------------------------------------------------------------------------------------------- */

/* Returns PIOLA_CANNOT_CREATE if `path` is something else than a report of an earlier call. */
static piola_status replaces(const char *path, piola_error *error)
{
    char head[sizeof mark - 1];
    struct stat about;
    if (stat(path, &about) || (S_ISREG(about.st_mode) && about.st_size == 0)) return PIOLA_OK;
    FILE *file = S_ISREG(about.st_mode) ? fopen(path, "rbe") : NULL;
    const bool own = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, mark, sizeof head);
    if (file) fclose(file);
    if (own) return PIOLA_OK;
    return pio_fail(error, PIOLA_CANNOT_CREATE,
                    "%.1000s: exists and is no report: remove it, or give the report another name", path);
}

/* Returns the name of the file in the folder that the page will be, or NULL if it will lie elsewhere. */
static const char *own_name(const char *folder, const char *output)
{
    char parent[PIO_PATH];
    struct stat a, b;
    const char *slash = strrchr(output, '/');
    if (slash)
        snprintf(parent, sizeof parent, "%.*s", slash == output ? 1 : (int)(slash - output), output);
    else
        snprintf(parent, sizeof parent, ".");
    if (stat(parent, &a) || stat(folder, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino) return NULL;
    return slash ? slash + 1 : output;
}

static piola_status write_page(const drawing *d, const char *output, piola_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return pio_fail_memory(error, 1 << 20, "a report");
    fputs(mark, to);
    piola_status rc = pio_report_write(d->report, own_name(d->options->folder, output), to, error);
    const bool lost = fclose(to) != 0;
    if (!rc && lost) rc = pio_fail_memory(error, size, "a report");
    pio_file_limit_begin();
    if (!rc) rc = pio_write_file_atomically(output, text, size, error);
    pio_file_limit_end();
    free(text);
    return rc;
}

piola_status piola_report(const piola_report_options *options, piola_error *error)
{
    char path[PIO_PATH];
    drawing d = {.options = options};
    if (!options->folder) return pio_fail(error, PIOLA_USAGE, "a report needs a folder of results");
    piola_status rc = pio_threads_check(options->threads, error);
    if (rc) return rc;
    const char *output = options->output;
    const pio_locale old = pio_locale_begin();
    rc = pio_report_open(&d.report, options->folder, error);
    if (!rc && !output && !pio_path_join(path, sizeof path, options->folder, "report.html"))
        rc = pio_fail(error, PIOLA_CANNOT_CREATE, "the name of the folder is too long for a report in it");
    if (!output) output = path;
    if (!rc) rc = replaces(output, error);
    if (!rc && strcmp(pio_report_command(d.report), "sweep") != 0) rc = draw(&d, error);
    if (!rc) rc = write_page(&d, output, error);
    if (!rc) printf("wrote %s\n", output);
    pio_report_free(d.report);
    pio_locale_end(old);
    return rc;
}
