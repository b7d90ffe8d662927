/* command_render.c -- piola render: one frame of a snapshot as a picture. */
#include "host/config/config.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/signals.h"
#include "host/render/render_obstacles.h"
#include "host/snapshot/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

piola_render_options piola_render_options_default(void)
{
    const double automatic = (double)NAN;
    return (piola_render_options){.frame = -1,
                                  .lo = automatic,
                                  .hi = automatic,
                                  .azimuth = automatic,
                                  .elevation = automatic,
                                  .zoom = automatic,
                                  .deformation = 1};
}

/* The quantity that the colours show: one stored component, or the root of the sum of squares of all. */
typedef struct {
    const pio_snapshot_field_info *info;
    int component; /* stored component; -1: magnitude, or the number itself for one component */
    char label[200];
} shown_field;

typedef struct {
    const piola_render_options *options;
    pio_snapshot_file *file;
    const pio_snapshot_info *info;
    int64_t frame;
    double factor; /* of displacements */
    shown_field field;
    double *points, *values;
    double lo, hi;          /* ends of the colour bar over all frames; NaN: not held */
    pio_snapshot_mesh mesh; /* cells; n_cells = 0 for particles */
    pio_solid *solids;
    char *names[PIO_MOST_NAMES]; /* [n_names] of bodies or materials, where the field has their numbers */
    size_t n_names;
    char title[200], caption[100];
    pio_picture picture;
} drawing;

/* ---- choice of the field -------------------------------------------------------------------------------- */

static const pio_snapshot_field_info *find_field(const pio_snapshot_info *info, const char *name, size_t length)
{
    for (size_t i = 0; i < info->n_fields; i++)
        if (strlen(info->fields[i].name) == length && !strncmp(info->fields[i].name, name, length))
            return &info->fields[i];
    return NULL;
}

/* Returns the stored component that a suffix names: x of a vector, xy of a matrix (both have three axes in the file,
 * and a matrix of nine numbers has them in 2D too); -1 if there is none. */
static int component_of(const pio_snapshot_field_info *f, int dimension, const char *suffix)
{
    int axis[2] = {0, 0};
    const int letters = (int)strlen(suffix);
    const bool vector = f->components == dimension, whole = f->components == 9;
    const bool matrix = whole || f->components == dimension * dimension;
    const int axes = whole ? 3 : dimension;
    if (!(vector && letters == 1) && !(matrix && letters == 2)) return -1;
    for (int i = 0; i < letters; i++) {
        axis[i] = suffix[i] - 'x';
        if (axis[i] < 0 || axis[i] >= axes) return -1;
    }
    return letters == 1 ? axis[0] : 3 * axis[0] + axis[1];
}

/* Says that a field lies where no picture has a place for it. */
static piola_status at_points(const drawing *d, const pio_snapshot_field_info *field, piola_error *error)
{
    return pio_fail(error, PIOLA_USAGE,
                    "%s: '%s' lies at integration points, which a picture has no place for; the same field of "
                    "elements or nodes would be right (output.states.per), or `piola export`",
                    d->options->file, field->name);
}

/* Lists the fields that a picture can show; a field of this name at integration points has a word of its own. */
static piola_status unknown_field(const drawing *d, const char *name, piola_error *error)
{
    char list[1000] = "", points[100];
    size_t used = 0;
    snprintf(points, sizeof points, "%.90s_points", name);
    const pio_snapshot_field_info *own = find_field(d->info, points, strlen(points));
    if (own && own->location == PIO_SNAPSHOT_INTEGRATION) return at_points(d, own, error);
    for (size_t i = 0; i < d->info->n_fields && used < sizeof list - 100; i++)
        if (d->info->fields[i].location != PIO_SNAPSHOT_INTEGRATION)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.90s", used ? ", " : "", d->info->fields[i].name);
    return pio_fail(
        error, PIOLA_USAGE,
        "%s has no field '%.100s'; there are: %s. One entry of a vector is called velocity.x, of a matrix F.xy",
        d->options->file, name, list);
}

/* Finds a field by the beginning of a text; where it is not of elements, that of nodes. */
static const pio_snapshot_field_info *find_place(const pio_snapshot_info *info, const char *name, size_t length)
{
    char nodal[100];
    const pio_snapshot_field_info *f = find_field(info, name, length);
    const int n = snprintf(nodal, sizeof nodal, "%.*s_nodal", (int)length, name);
    return f || n >= (int)sizeof nodal ? f : find_field(info, nodal, (size_t)n);
}

static piola_status choose_field(drawing *d, piola_error *error)
{
    shown_field *f = &d->field;
    const char *name = d->options->field, *dot = name ? strrchr(name, '.') : NULL;
    f->component = -1;
    if (d->info->n_fields == 0) return name ? unknown_field(d, name, error) : PIOLA_OK;
    if (name)
        f->info = find_place(d->info, name, strlen(name));
    else
        f->info = find_field(d->info, "velocity", 8);
    if (!name && !f->info) f->info = find_field(d->info, "displacement", 12);
    if (!name && !f->info) f->info = &d->info->fields[0];
    if (!f->info && dot) {
        f->info = find_place(d->info, name, (size_t)(dot - name));
        if (f->info) f->component = component_of(f->info, d->info->dimension, dot + 1);
        if (f->component < 0) f->info = NULL;
    }
    if (!f->info) return unknown_field(d, name, error);
    if (f->info->location == PIO_SNAPSHOT_INTEGRATION) return at_points(d, f->info, error);
    if (f->component >= 0)
        snprintf(f->label, sizeof f->label, "%.99s%s", f->info->name, dot);
    else
        snprintf(f->label, sizeof f->label, f->info->components > 1 ? "|%s|" : "%s", f->info->name);
    return PIOLA_OK;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static piola_status choose_frame(drawing *d, piola_error *error)
{
    const int64_t frames = d->info->n_frames;
    if (frames == 0) return pio_fail(error, PIOLA_BAD_DATA, "%s holds no frame to draw", d->options->file);
    d->frame = d->options->frame < 0 ? frames - 1 : d->options->frame;
    if (d->frame >= frames)
        return pio_fail(error, PIOLA_USAGE, "%s has no frame %lld: from 0 to %lld are there", d->options->file,
                        (long long)d->frame, (long long)frames - 1);
    snprintf(d->caption, sizeof d->caption, d->info->kind == PIO_SNAPSHOT_HISTORY ? "iteration %g" : "t = %g s",
             d->info->times[d->frame]);
    return PIOLA_OK;
}

static piola_status read_values(drawing *d, piola_error *error)
{
    const shown_field *f = &d->field;
    if (!f->info) return PIOLA_OK;
    const size_t n = (size_t)f->info->rows, stored = (size_t)f->info->stored;
    double *all = malloc(n * stored * sizeof *all);
    if (!d->values) d->values = malloc(n * sizeof *d->values);
    if (!all || !d->values) {
        free(all);
        return pio_fail_memory(error, n * (stored + 1) * sizeof *all, "a field");
    }
    const piola_status rc = pio_snapshot_read_field(d->file, f->info->name, d->frame, all, error);
    for (size_t i = 0; !rc && i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < stored; c++) sum += all[i * stored + c] * all[i * stored + c];
        if (f->component >= 0)
            d->values[i] = all[i * stored + (size_t)f->component];
        else
            d->values[i] = stored == 1 ? all[i] : sqrt(sum);
    }
    free(all);
    return rc;
}

/* Finds the largest displacement of all frames and the longest side of the mesh at rest, m; `x` has room for points. */
static piola_status measure(const drawing *d, const char *name, double *x, double *largest, double *longest,
                            piola_error *error)
{
    const size_t n = (size_t)d->info->n_points;
    double low[3] = {INFINITY, INFINITY, INFINITY}, up[3] = {-INFINITY, -INFINITY, -INFINITY};
    piola_status rc = pio_snapshot_read_points(d->file, 0, x, error);
    for (size_t i = 0; !rc && i < 3 * n; i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        up[i % 3] = fmax(up[i % 3], x[i]);
    }
    *longest = fmax(up[0] - low[0], fmax(up[1] - low[1], up[2] - low[2]));
    for (int64_t frame = 0; !rc && frame < d->info->n_frames; frame++) {
        rc = pio_snapshot_read_field(d->file, name, frame, x, error);
        for (size_t i = 0; !rc && i < n; i++)
            *largest =
                fmax(*largest, sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]));
    }
    return rc;
}

/* Sets the factor of displacements: the one of the options, or with `fit` its largest part of 1, 1/2, 1/5, 1/10 ...
 * with which the largest displacement is at most a fifth of the longest side. */
static piola_status choose_factor(drawing *d, piola_error *error)
{
    const pio_snapshot_field_info *v = find_field(d->info, "displacement", 12);
    const size_t bytes = 3 * sizeof(double) * (size_t)d->info->n_points;
    double largest = 0, longest = 0;
    d->factor = d->options->deformation;
    if (!d->options->fit || !d->info->n_cells || !v || v->stored != 3 || v->location != PIO_SNAPSHOT_POINT)
        return PIOLA_OK;
    double *x = malloc(bytes);
    if (!x) return pio_fail_memory(error, bytes, "displacements");
    const piola_status rc = measure(d, v->name, x, &largest, &longest, error);
    free(x);
    const double most = 0.2 * longest, drawn = fabs(d->factor) * largest;
    for (int k = 1; isfinite(drawn) && most > 0 && fabs(d->factor) * largest > most; k++) {
        static const double parts[3] = {1, 2, 5};
        d->factor = d->options->deformation / (parts[k % 3] * pow(10, k / 3));
    }
    return rc;
}

/* Moves the points of a mesh by the displacement times the factor; a history may have no displacement. */
static piola_status deform(drawing *d, piola_error *error)
{
    const pio_snapshot_field_info *v = find_field(d->info, "displacement", 12);
    const double factor = d->factor;
    const size_t n = 3 * (size_t)d->info->n_points;
    if (!v || v->stored != 3 || v->location != PIO_SNAPSHOT_POINT || !(factor < 0 || factor > 0)) return PIOLA_OK;
    double *u = malloc(n * sizeof *u);
    if (!u) return pio_fail_memory(error, n * sizeof *u, "displacements");
    const piola_status rc = pio_snapshot_read_field(d->file, v->name, d->frame, u, error);
    for (size_t i = 0; i < n && !rc; i++) d->points[i] += factor * u[i];
    free(u);
    return rc;
}

static piola_status read_mesh(drawing *d, piola_error *error)
{
    const size_t cells = (size_t)d->info->n_cells, nodes = (size_t)d->info->n_connectivity;
    const double factor = d->factor;
    if (!cells && (factor < 1 || factor > 1 || d->options->fit))
        return pio_fail(error, PIOLA_USAGE, "%s holds particles: only a mesh has a deformation to draw larger",
                        d->options->file);
    if (!cells) return PIOLA_OK;
    uint8_t *types = malloc(cells);
    int64_t *offsets = malloc((cells + 1) * sizeof *offsets), *connectivity = malloc(nodes * sizeof *connectivity);
    d->mesh = (pio_snapshot_mesh){(int64_t)cells, types, offsets, connectivity};
    if (!types || !offsets || !connectivity) return pio_fail_memory(error, 9 * cells + 8 * nodes, "the cells");
    if (factor < 1 || factor > 1) {
        const size_t used = strlen(d->caption), left = sizeof d->caption - used;
        if (factor < 0 || factor > 0)
            snprintf(d->caption + used, left, "   \u00b7   deformation \u00d7 %g", factor);
        else
            snprintf(d->caption + used, left, "   \u00b7   drawn at rest");
    }
    return pio_snapshot_read_mesh(d->file, types, offsets, connectivity, error);
}

static piola_status read_points(drawing *d, piola_error *error)
{
    const size_t bytes = 3 * sizeof *d->points * (size_t)d->info->n_points;
    if (!d->points) d->points = malloc(bytes);
    if (!d->points) return pio_fail_memory(error, bytes, "points");
    const piola_status rc = pio_snapshot_read_points(d->file, d->frame, d->points, error);
    return rc || !d->info->n_cells ? rc : deform(d, error);
}

/* ---- the scene in the file: JSON, which is YAML too ------------------------------------------------------- */

static double number_at(cfg_node *root, const char *path)
{
    bool found;
    const cfg_node *node = pio_cfg_find(root, path, &found);
    return found && node->kind == CFG_SCALAR ? strtod(node->text, NULL) : (double)NAN;
}

/* Copies the names of the bodies or materials whose numbers the field shows. Where there are too many for a picture, it
 * shows numbers. Returns false without memory. */
static bool copy_names(drawing *d, cfg_node *root)
{
    const pio_snapshot_field_info *f = d->field.info;
    const char *list = !f || !f->integer              ? NULL
                       : !strcmp(f->name, "body")     ? "bodies"
                       : !strcmp(f->name, "material") ? "materials"
                                                      : NULL;
    bool found = list != NULL, lost = false;
    while (found) {
        char path[60];
        snprintf(path, sizeof path, "%s[%zu].name", list, d->n_names);
        const cfg_node *name = pio_cfg_find(root, path, &found);
        found = found && name->kind == CFG_SCALAR;
        const bool fits = found && d->n_names < PIO_MOST_NAMES;
        if (fits) d->names[d->n_names] = strdup(name->text);
        lost |= fits && !d->names[d->n_names];
        if (fits) d->n_names++;
        if (found && !fits) list = NULL, found = false;
    }
    d->picture.names = (const char *const *)d->names;
    d->picture.n_names = list ? d->n_names : 0;
    return !lost;
}

static piola_status use_scene(drawing *d, const char *text, piola_error *error)
{
    cfg_doc doc = {.folder = "."};
    const pio_locale old = pio_locale_begin();
    const cfg_file *file = pio_cfg_file(&doc, "scene", text, strlen(text));
    cfg_node *root = file ? pio_cfg_parse(&doc, file, text, strlen(text), 0) : NULL;
    const cfg_node *name = root && root->kind == CFG_PAIRS ? pio_cfg_get(root, "name", NULL) : NULL;
    if (name && name->kind == CFG_SCALAR) snprintf(d->title, sizeof d->title, "%s", name->text);
    for (int a = 0; root && a < d->info->dimension; a++) {
        char path[40];
        snprintf(path, sizeof path, "method.grid.min[%d]", a);
        d->picture.box_min[a] = number_at(root, path);
        snprintf(path, sizeof path, "method.grid.max[%d]", a);
        d->picture.box_max[a] = number_at(root, path);
    }
    if (root) d->picture.n_solids = pio_render_obstacles(d->file, root, d->frame, &d->solids);
    const bool named = !root || copy_names(d, root);
    const bool lost = !file || doc.no_memory || !named || d->picture.n_solids == PIO_NO_SOLIDS;
    pio_locale_end(old);
    pio_cfg_free(&doc);
    return lost ? pio_fail_memory(error, strlen(text), "the scene in the file") : PIOLA_OK;
}

/* Reads title and box of the scene. Without a scene in the file there is no title, and the box is that of the points.
 */
static piola_status read_scene(drawing *d, piola_error *error)
{
    char *text = NULL;
    piola_status rc = pio_snapshot_read_document(d->file, PIO_SNAPSHOT_SCENE_RESOLVED, &text, error);
    if (!rc && *text) rc = use_scene(d, text, error);
    free(text);
    return rc;
}

/* ---- all frames ----------------------------------------------------------------------------------------- */

/* Extremes of what the frames show. */
typedef struct {
    double least, most;   /* finite values of the field */
    double low[3], up[3]; /* finite positions, m */
} extremes;

static void extend(const drawing *d, extremes *e)
{
    const shown_field *f = &d->field;
    for (int64_t i = 0; f->info && i < f->info->rows; i++) {
        if (!isfinite(d->values[i])) continue;
        e->least = fmin(e->least, d->values[i]);
        e->most = fmax(e->most, d->values[i]);
    }
    for (int64_t i = 0; i < 3 * d->info->n_points; i++) {
        if (!isfinite(d->points[i])) continue;
        e->low[i % 3] = fmin(e->low[i % 3], d->points[i]);
        e->up[i % 3] = fmax(e->up[i % 3], d->points[i]);
    }
}

/* Sets the box, where the scene has no domain, with a margin and a least thickness as one frame alone would have. */
static void hold_box(drawing *d, const extremes *e)
{
    const double margin = 0.03, thinnest = 1.0 / 12; /* in parts of the longest side */
    double longest = 0;
    for (int a = 0; a < d->info->dimension; a++) longest = fmax(longest, e->up[a] - e->low[a]);
    for (int a = 0; a < d->info->dimension && longest > 0; a++) {
        const double half = fmax((e->up[a] - e->low[a]) / 2 + margin * longest, thinnest * longest / 2);
        const double middle = e->low[a] / 2 + e->up[a] / 2;
        if (!isnan(d->picture.box_min[a])) continue;
        d->picture.box_min[a] = middle - half;
        d->picture.box_max[a] = middle + half;
    }
}

/* Finds the ends of the colour bar and of the axes that hold for all frames. */
static piola_status hold(drawing *d, piola_error *error)
{
    const int64_t shown = d->frame;
    extremes e = {INFINITY, -INFINITY, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    piola_status rc = PIOLA_OK;
    for (d->frame = 0; !rc && d->frame < d->info->n_frames; d->frame++) {
        rc = read_points(d, error);
        if (!rc) rc = read_values(d, error);
        if (!rc) extend(d, &e);
    }
    d->frame = shown;
    hold_box(d, &e);
    if (e.least < e.most) {
        d->lo = e.least;
        d->hi = e.most;
    }
    return rc;
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

static void set_picture(drawing *d)
{
    const piola_render_options *o = d->options;
    pio_picture *p = &d->picture;
    p->width = o->width;
    p->height = o->height;
    p->dimension = d->info->dimension;
    p->n = (size_t)d->info->n_points;
    p->points = d->points;
    p->mesh = d->mesh.n_cells ? &d->mesh : NULL;
    p->values = d->values;
    p->solids = d->solids;
    p->at_cells = d->field.info && d->field.info->location == PIO_SNAPSHOT_CELL;
    p->title = *d->title ? d->title : NULL;
    p->caption = d->caption;
    if (d->field.info) {
        p->field = d->field.label;
        p->units = p->n_names ? NULL : d->field.info->units;
    }
    p->lo = isnan(o->lo) && !p->n_names ? d->lo : o->lo;
    p->hi = isnan(o->hi) && !p->n_names ? d->hi : o->hi;
    if (!isnan(o->azimuth)) p->azimuth = o->azimuth;
    if (!isnan(o->elevation)) p->elevation = o->elevation;
    if (!isnan(o->zoom)) p->zoom = o->zoom;
    p->threads = o->threads;
}

/* Draws the picture; notes, such as a number of particles that are left out, are at its lower edge. */
static piola_status draw(const drawing *d, piola_error *error)
{
    pio_image image = {0};
    piola_status rc = pio_render(&d->picture, &image, error);
    if (!rc) rc = pio_image_write_png(&image, d->options->output, error);
    pio_image_free(&image);
    return rc;
}

piola_status piola_render(const piola_render_options *options, piola_error *error)
{
    drawing d = {.options = options, .lo = (double)NAN, .hi = (double)NAN, .picture = pio_picture_default()};
    if (isnan(options->deformation))
        return pio_fail(error, PIOLA_USAGE, "a deformation must be a number: 1 as it is, 0 at rest");
    if (!options->file || !options->output) return pio_fail(error, PIOLA_USAGE, "a picture needs a file and an output");
    const size_t length = strlen(options->output);
    if (length < 4 || strcasecmp(options->output + length - 4, ".png"))
        return pio_fail(error, PIOLA_USAGE, "a picture is a PNG: '%.200s' does not end in .png", options->output);
    piola_status rc = pio_image_replaces(options->output, error);
    if (!rc) rc = pio_snapshot_open(&d.file, options->file, !options->no_verify, error);
    if (rc) return rc;
    d.info = pio_snapshot_describe(d.file);
    rc = choose_field(&d, error);
    if (!rc) rc = choose_frame(&d, error);
    if (!rc) rc = choose_factor(&d, error);
    if (!rc) rc = read_mesh(&d, error);
    if (!rc) rc = read_scene(&d, error);
    if (!rc && options->hold) rc = hold(&d, error);
    if (!rc) rc = read_points(&d, error);
    if (!rc) rc = read_values(&d, error);
    if (!rc) {
        set_picture(&d);
        pio_file_limit_begin();
        rc = draw(&d, error);
        pio_file_limit_end();
    }
    pio_snapshot_close(d.file);
    free(d.points);
    free(d.values);
    free(d.solids);
    for (size_t i = 0; i < d.n_names; i++) free(d.names[i]);
    free((void *)d.mesh.types);
    free((void *)d.mesh.offsets);
    free((void *)d.mesh.connectivity);
    return rc;
}
