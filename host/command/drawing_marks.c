/* drawing_marks.c -- targets, data and paths of the places that a scene observes: mean positions of whole bodies of
 * particles, and displacements of points of a mesh, drawn where the node that is nearest to the point is. */
#include "host/command/drawing.h"
#include "host/base/fail.h"
#include "host/base/path.h"
#include "host/report/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PLACES = 32 };

/* An observed place. */
typedef struct {
    const char *name; /* of the observation */
    bool mesh;        /* a displacement of a point, else the mean position of a body */
    size_t body;      /* number of the body */
    double rest[3];   /* point of a mesh, m */
    int64_t node;     /* nearest to it */
    bool lost;        /* the masses of its particles differ, and the file does not have them: no path is known */
} place;

/* ---- what the scene observes ----------------------------------------------------------------------------- */

static const cfg_node *list_of(const cfg_node *scene, const char *key)
{
    const cfg_node *list = pio_report_get(scene, key);
    return list && list->kind == CFG_SEQUENCE ? list : NULL;
}

/* Returns the number of the body of this name; the number of bodies if there is none. */
static size_t body_of(const cfg_node *bodies, const char *name)
{
    size_t b = 0;
    while (bodies && b < bodies->n && strcmp(pio_report_text(bodies->items[b], "name", ""), name) != 0) b++;
    return b;
}

/* Sets coordinates from a list of numbers, NaN where it has none. */
static void take(const cfg_node *list, int dimension, double out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = list && list->kind == CFG_SEQUENCE && a < dimension && (size_t)a < list->n
                     ? pio_cfg_number_of(list->items[a])
                     : (double)NAN;
}

/* Returns whether a design changes densities within a body. */
static bool has_designed_densities(const pio_drawing *d)
{
    const cfg_node *designs = list_of(d->scene, "design");
    for (size_t k = 0; designs && k < designs->n; k++) {
        const char *per = pio_report_text(designs->items[k], "per", "target");
        const cfg_node *list = pio_report_get(designs->items[k], "targets");
        const char *only = pio_report_text(designs->items[k], "target", "");
        const size_t n = list && list->kind == CFG_SEQUENCE ? list->n : 1;
        for (size_t i = 0; i < n && strcmp(per, "target") != 0 && strcmp(per, "body") != 0; i++) {
            const char *target = list && list->kind == CFG_SEQUENCE ? list->items[i]->text : only;
            const char *key = target ? strrchr(target, '.') : NULL;
            if (key && !strcmp(key, ".density")) return true;
        }
    }
    return false;
}

/* Returns whether the particles of a body may have different masses: they are filled in part, have volumes of their own
 * from a file, or densities of their own by a design. */
static bool is_uneven(const pio_drawing *d, const cfg_node *body)
{
    const cfg_node *shapes = list_of(d->scene, "geometry");
    const size_t own = body_of(shapes, pio_report_text(body, "geometry", ""));
    if (pio_report_get(body, "relative_density") || has_designed_densities(d)) return true;
    return shapes && own < shapes->n && !strcmp(pio_report_text(shapes->items[own], "type", ""), "points") &&
           !pio_report_get(shapes->items[own], "volume");
}

/* Returns the field of the masses of particles; NULL: there is none. */
static const pio_snapshot_field_info *masses(const pio_drawing *d)
{
    const pio_snapshot_field_info *f = pio_drawing_find(d->info, "mass", 4);
    return f && !d->info->n_cells && f->stored == 1 && f->location == PIO_SNAPSHOT_POINT ? f : NULL;
}

/* Reads entry o of `observe`. Returns false if it observes no place that can be drawn, as where a mesh is at rest. */
static bool read_place(const pio_drawing *d, const cfg_node *o, place *p)
{
    const cfg_node *bodies = list_of(d->scene, "bodies");
    const char *type = pio_report_text(o, "type", "");
    *p = (place){.name = pio_report_text(o, "name", ""), .mesh = !strcmp(type, "displacement")};
    p->body = body_of(bodies, pio_report_text(o, "body", ""));
    take(pio_report_get(o, "point"), d->info->dimension, p->rest);
    if (p->mesh) return d->info->n_cells && fabs(d->factor) > 0 && isfinite(p->rest[0]) && isfinite(p->rest[1]);
    if (strcmp(type, "mean_position") != 0 || !bodies || p->body >= bodies->n || d->info->n_cells) return false;
    p->lost = !masses(d) && is_uneven(d, bodies->items[p->body]);
    return !pio_report_get(o, "group");
}

/* Adds a displacement, times the factor with which displacements are drawn, to the point at rest. */
static void displace(const pio_drawing *d, const place *p, double at[3])
{
    for (int a = 0; p->mesh && a < d->info->dimension; a++) at[a] = p->rest[a] + d->factor * at[a];
}

/* ---- targets and data ------------------------------------------------------------------------------------ */

/* Sets the target of a place: of terms `target` and `absolute` of the whole observation, or of one component each.
 * Returns whether there is one. */
static bool read_target(const pio_drawing *d, const place *p, double at[3])
{
    const cfg_node *terms = list_of(d->scene, "objective");
    const size_t length = strlen(p->name);
    bool found = false;
    for (int a = 0; a < 3; a++) at[a] = (double)NAN;
    for (size_t t = 0; terms && t < terms->n; t++) {
        const char *type = pio_report_text(terms->items[t], "type", ""),
                   *of = pio_report_text(terms->items[t], "of", "");
        const cfg_node *value = pio_report_get(terms->items[t], "value");
        const bool aims = !strcmp(type, "target") || !strcmp(type, "absolute");
        if (!aims || !value || strncmp(of, p->name, length) != 0) continue;
        const cfg_node *first = value->kind == CFG_SEQUENCE && value->n == 1 ? value->items[0] : value;
        if (!of[length]) {
            take(value, d->info->dimension, at);
        } else if (of[length] == '.' && of[length + 1] >= 'x' && of[length + 1] < 'x' + d->info->dimension) {
            at[of[length + 1] - 'x'] = pio_cfg_number_of(first);
        } else {
            continue;
        }
        found = true;
    }
    displace(d, p, at);
    return found;
}

/* Adds a mark of n points. Returns NULL without memory. */
static pio_mark *add_mark(pio_drawing *d, pio_mark_kind kind, size_t n)
{
    pio_drawn_marks *m = &d->marks;
    pio_mark *list = realloc(m->list, (m->n + 1) * sizeof *list);
    if (list) m->list = list;
    double(*at)[3] = list ? calloc(n + 1, sizeof *at) : NULL;
    if (!at) return NULL;
    m->list[m->n] = (pio_mark){kind, at, n};
    return &m->list[m->n++];
}

/* Adds a mark of n points that are nowhere yet. */
static pio_mark *add_blank(pio_drawing *d, pio_mark_kind kind, size_t n)
{
    pio_mark *m = add_mark(d, kind, n);
    for (size_t k = 0; m && k < 3 * n; k++) m->at[k / 3][k % 3] = (double)NAN;
    return m;
}

/* Adds the data that an observation is compared with: `data` of result.json, whose terms may have a component each. */
static bool add_data(pio_drawing *d, const place *p, const cfg_node *result)
{
    const cfg_node *data = pio_report_get(result, "data"), *all = pio_report_get(result, "observations");
    const int dimension = d->info->dimension;
    pio_report_observation o;
    pio_pool pool = {0};
    pio_mark *m = NULL;
    bool whole = true;
    const bool read = pio_report_observation_of(&pool, p->name, pio_report_get(all, p->name), &o);
    for (size_t i = 0; read && data && data->kind == CFG_PAIRS && i < data->n; i++) {
        if (strcmp(pio_report_text(data->items[i], "observation", ""), p->name) != 0) continue;
        if (!m && !(m = add_blank(d, PIO_MARK_DATA, o.n))) whole = false;
        for (size_t c = 0; m && c < (size_t)dimension && c < o.components; c++) {
            double sigma;
            const double *v = pio_report_data(&pool, data->items[i], &o, c, &sigma);
            for (size_t k = 0; v && k < o.n; k++) m->at[k][c] = v[k];
        }
    }
    for (size_t k = 0; m && k < m->n; k++) displace(d, p, m->at[k]);
    whole = whole && !pool.refused;
    pio_pool_free(&pool);
    return whole;
}

/* Opens result.json beside the file, where there is one; else *root is NULL. */
static piola_status open_result(const pio_drawing *d, cfg_doc *doc, cfg_node **root, piola_error *error)
{
    char folder[PIO_PATH], path[PIO_PATH];
    const char *slash = strrchr(d->options->file, '/');
    *root = NULL;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - d->options->file) : 1,
             slash ? d->options->file : ".");
    if (!pio_path_join(path, sizeof path, folder, "result.json") || access(path, F_OK)) return PIOLA_OK;
    return pio_cfg_json(doc, path, "the result of a command", root, error);
}

static piola_status add_aims(pio_drawing *d, const place *places, piola_error *error)
{
    cfg_doc doc = {.folder = "."};
    cfg_node *result = NULL;
    bool whole = true;
    const piola_status rc = open_result(d, &doc, &result, error);
    for (size_t i = 0; !rc && whole && i < d->marks.places; i++) {
        double at[3];
        whole = !result || add_data(d, &places[i], result);
        if (!whole || !read_target(d, &places[i], at)) continue;
        pio_mark *m = add_mark(d, PIO_MARK_TARGET, 1);
        if (m) memcpy(m->at[0], at, sizeof at);
        whole = m != NULL;
    }
    pio_cfg_free(&doc);
    if (rc) return rc;
    return whole ? PIOLA_OK : pio_fail_memory(error, sizeof(pio_mark), "marks");
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

/* What paths are made of in a frame. */
typedef struct {
    double *x, *v;       /* [n][3] points, and displacements or NULL, m */
    double *body, *mass; /* [n] numbers of bodies; masses, kg; NULL: one body, equal masses */
} state;

/* Sets where the places are in a frame: NaN where that is not known. */
static void locate(const pio_drawing *d, const place *places, const state *s, double (*out)[3])
{
    for (size_t i = 0; i < d->marks.places; i++) {
        const place *p = &places[i];
        double sum[3] = {0, 0, 0}, total = p->lost ? (double)NAN : 0;
        for (int64_t k = 0; !p->mesh && k < d->info->n_points; k++) {
            const double m = s->mass ? s->mass[k] : 1;
            if (s->body && fabs(s->body[k] - (double)p->body) > 0.5) continue;
            for (int a = 0; a < 3; a++) sum[a] += m * s->x[3 * k + a];
            total += m;
        }
        for (int a = 0; a < 3; a++)
            out[i][a] =
                p->mesh ? s->x[3 * p->node + a] + d->factor * (s->v ? s->v[3 * p->node + a] : 0) : sum[a] / total;
    }
}

/* Finds the nodes nearest to the points. */
static void find_nodes(const pio_drawing *d, place *places, const double *x)
{
    for (size_t i = 0; i < d->marks.places; i++) {
        double least = INFINITY;
        for (int64_t k = 0; k < d->info->n_points; k++) {
            double square = 0;
            for (int a = 0; a < d->info->dimension; a++) {
                const double gap = x[3 * k + a] - places[i].rest[a];
                square += gap * gap;
            }
            if (!(square < least)) continue;
            least = square;
            places[i].node = k;
        }
    }
}

static piola_status read_paths(pio_drawing *d, place *places, piola_error *error)
{
    pio_drawn_marks *m = &d->marks;
    const size_t n = (size_t)d->info->n_points, frames = (size_t)d->info->n_frames;
    const pio_snapshot_field_info *u = pio_drawing_find(d->info, "displacement", 12),
                                  *b = pio_drawing_find(d->info, "body", 4), *w = masses(d);
    double *x = malloc(8 * n * sizeof *x);
    m->place = calloc(frames * m->places + 1, sizeof *m->place);
    if (!x || !m->place) {
        free(x);
        return pio_fail_memory(error, 8 * n * sizeof *x, "paths");
    }
    if (u && (u->stored != 3 || u->location != PIO_SNAPSHOT_POINT)) u = NULL;
    if (d->info->n_cells || !b || b->stored != 1) b = NULL;
    const state s = {x, u ? x + 3 * n : NULL, b ? x + 6 * n : NULL, w ? x + 7 * n : NULL};
    piola_status rc = b ? pio_snapshot_read_field(d->file, b->name, 0, s.body, error) : PIOLA_OK;
    for (size_t k = 0; !rc && k < frames; k++) {
        rc = pio_snapshot_read_points(d->file, (int64_t)k, x, error);
        if (!rc && k == 0) find_nodes(d, places, x);
        if (!rc && u) rc = pio_snapshot_read_field(d->file, u->name, (int64_t)k, s.v, error);
        if (!rc && w) rc = pio_snapshot_read_field(d->file, w->name, (int64_t)k, s.mass, error);
        if (!rc) locate(d, places, &s, m->place + k * m->places);
    }
    free(x);
    return rc;
}

static piola_status add_paths(pio_drawing *d, place *places, piola_error *error)
{
    pio_drawn_marks *m = &d->marks;
    const size_t frames = (size_t)d->info->n_frames;
    piola_status rc = read_paths(d, places, error);
    for (size_t i = 0; !rc && i < m->places; i++) {
        pio_mark *path = add_mark(d, PIO_MARK_PATH, frames);
        for (size_t k = 0; path && k < frames; k++) memcpy(path->at[k], m->place[k * m->places + i], sizeof *path->at);
        if (!path) rc = pio_fail_memory(error, frames * sizeof *path->at, "paths");
    }
    pio_mark *now = rc ? NULL : add_mark(d, PIO_MARK_PLACE, m->places);
    if (!rc && !now) rc = pio_fail_memory(error, m->places * sizeof *now->at, "paths");
    m->now = now ? now->at : NULL;
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

piola_status pio_drawing_choose_marks(pio_drawing *d, piola_error *error)
{
    const cfg_node *observe = list_of(d->scene, "observe");
    place places[MOST_PLACES];
    piola_status rc = PIOLA_OK;
    if (!(d->options->targets || d->options->paths) || d->info->kind == PIO_SNAPSHOT_HISTORY) return PIOLA_OK;
    for (size_t o = 0; observe && o < observe->n && !d->marks.more; o++) {
        place next;
        if (!read_place(d, observe->items[o], &next)) continue;
        d->marks.more = d->marks.places == MOST_PLACES;
        if (!d->marks.more) places[d->marks.places++] = next;
    }
    if (!d->marks.places) return PIOLA_OK;
    if (d->options->paths) rc = add_paths(d, places, error);
    return rc || !d->options->targets ? rc : add_aims(d, places, error);
}

/* Returns whether a mark has a point that is drawn; a path needs two in succession. */
static bool is_drawn(const pio_drawing *d, const pio_mark *m)
{
    bool before = m->kind != PIO_MARK_PATH, drawn = false;
    for (size_t i = 0; i < m->n && !drawn; i++) {
        int known = 0;
        for (int a = 0; a < d->info->dimension; a++) known += isfinite(m->at[i][a]) != 0;
        const bool there = known == d->info->dimension;
        drawn = (there && before) || (m->kind == PIO_MARK_TARGET && d->info->dimension == 2 && known == 1);
        if (m->kind == PIO_MARK_PATH) before = there;
    }
    return drawn;
}

void pio_drawing_mark(pio_drawing *d)
{
    static const char *const words[] = {[PIO_MARK_PATH] = "line: path",
                                        [PIO_MARK_DATA] = "+ data",
                                        [PIO_MARK_PLACE] = "\u25cb observed",
                                        [PIO_MARK_TARGET] = "\u2295 target"};
    const pio_drawn_marks *m = &d->marks;
    bool of[sizeof words / sizeof *words] = {false};
    if (m->now) memcpy(m->now, m->place + (size_t)d->frame * m->places, m->places * sizeof *m->now);
    for (size_t k = 0; k < m->n; k++) of[m->list[k].kind] |= is_drawn(d, &m->list[k]);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t used = strlen(d->caption);
        if (of[k]) snprintf(d->caption + used, sizeof d->caption - used, "   \u00b7   %s", words[k]);
    }
    const size_t used = strlen(d->caption);
    if (m->more)
        snprintf(d->caption + used, sizeof d->caption - used, "   \u00b7   of the first %d places", MOST_PLACES);
}

void pio_drawing_free_marks(pio_drawing *d)
{
    for (size_t k = 0; k < d->marks.n; k++) free(d->marks.list[k].at);
    free(d->marks.list);
    free(d->marks.place);
}
