/* drawing.c -- see drawing.h. */
#include "host/command/drawing.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/render/render_obstacles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------------------- */

static piola_status check_frame(const pio_drawing *d, piola_error *error)
{
    const int64_t frames = d->info->n_frames;
    if (frames == 0) return pio_fail(error, PIOLA_BAD_DATA, "%s holds no frame to draw", d->options->file);
    if (d->options->frame >= frames)
        return pio_fail(error, PIOLA_USAGE, "%s has no frame %lld: from 0 to %lld are there", d->options->file,
                        (long long)d->options->frame, (long long)frames - 1);
    return PIOLA_OK;
}

/* Writes the second line of the picture. */
static void set_caption(pio_drawing *d)
{
    const double factor = d->factor;
    snprintf(d->caption, sizeof d->caption, d->info->kind == PIO_SNAPSHOT_HISTORY ? "iteration %g" : "t = %g s",
             d->info->times[d->frame]);
    const size_t used = strlen(d->caption), left = sizeof d->caption - used;
    if (!d->info->n_cells || !(factor < 1 || factor > 1)) return;
    if (factor < 0 || factor > 0)
        snprintf(d->caption + used, left, "   \u00b7   deformation \u00d7 %g", factor);
    else
        snprintf(d->caption + used, left, "   \u00b7   drawn at rest");
}

static piola_status read_values(pio_drawing *d, piola_error *error)
{
    const pio_drawn_field *f = &d->field;
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
static piola_status measure(const pio_drawing *d, const char *name, double *x, double *largest, double *longest,
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
static piola_status choose_factor(pio_drawing *d, piola_error *error)
{
    const pio_snapshot_field_info *v = pio_drawing_find(d->info, "displacement", 12);
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
static piola_status deform(pio_drawing *d, piola_error *error)
{
    const pio_snapshot_field_info *v = pio_drawing_find(d->info, "displacement", 12);
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

static piola_status read_mesh(pio_drawing *d, piola_error *error)
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
    return pio_snapshot_read_mesh(d->file, types, offsets, connectivity, error);
}

static piola_status read_points(pio_drawing *d, piola_error *error)
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
static bool copy_names(pio_drawing *d, cfg_node *root)
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

static piola_status use_scene(pio_drawing *d, const char *text, piola_error *error)
{
    const pio_locale old = pio_locale_begin();
    const cfg_file *file = pio_cfg_file(&d->doc, "scene", text, strlen(text));
    cfg_node *root = file ? pio_cfg_parse(&d->doc, file, text, strlen(text), 0) : NULL;
    const cfg_node *name = root && root->kind == CFG_PAIRS ? pio_cfg_get(root, "name", NULL) : NULL;
    if (name && name->kind == CFG_SCALAR) snprintf(d->title, sizeof d->title, "%s", name->text);
    for (int a = 0; root && a < d->info->dimension; a++) {
        char path[40];
        snprintf(path, sizeof path, "method.grid.min[%d]", a);
        d->picture.box_min[a] = number_at(root, path);
        snprintf(path, sizeof path, "method.grid.max[%d]", a);
        d->picture.box_max[a] = number_at(root, path);
    }
    d->scene = root;
    const bool named = !root || copy_names(d, root);
    const bool lost = !file || d->doc.no_memory || !named;
    pio_locale_end(old);
    return lost ? pio_fail_memory(error, strlen(text), "the scene in the file") : PIOLA_OK;
}

/* Reads title and box of the scene. Without a scene in the file there is no title, and the box is that of the points.
 */
static piola_status read_scene(pio_drawing *d, piola_error *error)
{
    piola_status rc = pio_snapshot_read_document(d->file, PIO_SNAPSHOT_SCENE_RESOLVED, &d->text, error);
    if (!rc && *d->text) rc = use_scene(d, d->text, error);
    return rc;
}

/* Finds where the obstacles of the scene are in this frame. */
static piola_status read_solids(pio_drawing *d, piola_error *error)
{
    free(d->solids);
    d->solids = NULL;
    d->picture.n_solids = 0;
    if (!d->scene) return PIOLA_OK;
    const pio_locale old = pio_locale_begin();
    d->picture.n_solids = pio_render_obstacles(d->file, d->scene, d->frame, &d->solids);
    pio_locale_end(old);
    return d->picture.n_solids == PIO_NO_SOLIDS ? pio_fail_memory(error, 0, "the obstacles") : PIOLA_OK;
}

/* ---- the picture ---------------------------------------------------------------------------------------- */

static void set_picture(pio_drawing *d)
{
    const piola_render_options *o = d->options;
    pio_picture *p = &d->picture;
    p->width = o->width;
    p->height = o->height;
    p->dimension = d->info->dimension;
    p->n = (size_t)d->info->n_points;
    p->points = d->points;
    p->mesh = d->shown.mesh.n_cells ? &d->shown.mesh : d->mesh.n_cells ? &d->mesh : NULL;
    p->values = d->values;
    p->body = d->shown.mesh.n_cells ? d->bodies.shown : d->bodies.all;
    p->solids = d->solids;
    p->marks = d->marks.list;
    p->n_marks = d->marks.n;
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
    p->radius = d->radius;
}

/* ---- all frames ----------------------------------------------------------------------------------------- */

/* Extremes of what the frames show. */
typedef struct {
    double least, most;   /* finite values of the field */
    double low[3], up[3]; /* finite positions, m */
    bool empty;           /* a frame has no finite value */
} extremes;

static void extend(const pio_drawing *d, extremes *e)
{
    const pio_drawn_field *f = &d->field;
    bool empty = f->info != NULL;
    for (int64_t i = 0; f->info && i < f->info->rows; i++) {
        if (!isfinite(d->values[i])) continue;
        empty = false;
        e->least = fmin(e->least, d->values[i]);
        e->most = fmax(e->most, d->values[i]);
    }
    e->empty |= empty;
    for (int64_t i = 0; i < 3 * d->info->n_points; i++) {
        if (!isfinite(d->points[i])) continue;
        e->low[i % 3] = fmin(e->low[i % 3], d->points[i]);
        e->up[i % 3] = fmax(e->up[i % 3], d->points[i]);
    }
}

/* Sets the box, where the scene has no domain, with a margin and a least thickness as one frame alone would have. */
static void hold_box(pio_drawing *d, const extremes *e)
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

/* Sets the radius of particles to that of the first frame, from whose spacing it is estimated. */
static piola_status hold_radius(pio_drawing *d, piola_error *error)
{
    set_picture(d);
    const piola_status rc = d->info->n_cells ? PIOLA_OK : pio_render_radius(&d->picture, &d->radius, error);
    return rc == PIOLA_BAD_DATA ? PIOLA_OK : rc; /* nothing to draw in this frame: each has its own */
}

/* Finds the ends of the colour bar and of the axes, and the size of particles, that hold for all frames. */
static piola_status hold(pio_drawing *d, piola_error *error)
{
    extremes e = {INFINITY, -INFINITY, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false};
    piola_status rc = PIOLA_OK;
    for (d->frame = 0; !rc && d->frame < d->info->n_frames; d->frame++) {
        rc = read_points(d, error);
        if (!rc) rc = read_values(d, error);
        if (!rc) extend(d, &e);
        if (!rc && d->frame == 0) rc = hold_radius(d, error);
    }
    hold_box(d, &e);
    if (e.empty && e.least >= e.most && isfinite(e.least)) { /* one value, which some frames have and others have not */
        const double middle = e.least, half = fabs(middle) > 0 ? fabs(middle) / 10 : 1;
        e.least = middle - half;
        e.most = middle + half;
    }
    if (e.least < e.most) {
        d->lo = e.least;
        d->hi = e.most;
    }
    return rc;
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

piola_status pio_drawing_open(pio_drawing *d, const piola_render_options *options, piola_error *error)
{
    *d = (pio_drawing){.options = options,
                       .lo = (double)NAN,
                       .hi = (double)NAN,
                       .doc = {.folder = "."},
                       .picture = pio_picture_default()};
    if (isnan(options->deformation))
        return pio_fail(error, PIOLA_USAGE, "a deformation must be a number: 1 as it is, 0 at rest");
    piola_status rc = pio_snapshot_open(&d->file, options->file, !options->no_verify, error);
    if (rc) return rc;
    d->info = pio_snapshot_describe(d->file);
    rc = pio_drawing_choose_field(d, error);
    if (!rc) rc = pio_drawing_choose_hidden(d, error);
    if (!rc) rc = check_frame(d, error);
    if (!rc) rc = choose_factor(d, error);
    if (!rc) rc = read_mesh(d, error);
    if (!rc) rc = read_scene(d, error);
    if (!rc) rc = pio_drawing_choose_bodies(d, error);
    if (!rc) rc = pio_drawing_choose_marks(d, error);
    if (!rc && options->hold) rc = hold(d, error);
    return rc;
}

piola_status pio_drawing_frame(pio_drawing *d, int64_t frame, pio_image *image, piola_error *error)
{
    *image = (pio_image){0};
    d->frame = frame < 0 ? d->info->n_frames - 1 : frame;
    set_caption(d);
    piola_status rc = read_points(d, error);
    if (!rc) rc = read_values(d, error);
    if (!rc) rc = read_solids(d, error);
    if (!rc) rc = pio_drawing_hide(d, error);
    if (rc) return rc;
    pio_drawing_mark(d);
    set_picture(d);
    return pio_render(&d->picture, image, error);
}

void pio_drawing_close(pio_drawing *d)
{
    pio_snapshot_close(d->file);
    pio_cfg_free(&d->doc);
    free(d->text);
    free(d->points);
    free(d->values);
    free(d->solids);
    for (size_t i = 0; i < d->n_names; i++) free(d->names[i]);
    pio_drawing_free_hidden(d);
    pio_drawing_free_bodies(d);
    pio_drawing_free_marks(d);
    free((void *)d->mesh.types);
    free((void *)d->mesh.offsets);
    free((void *)d->mesh.connectivity);
}
