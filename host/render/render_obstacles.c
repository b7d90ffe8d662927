/* render_obstacles.c -- turns obstacles of a snapshot's scene, at their places in a frame, into shapes of a 2D picture.
 */
#include "host/render/render_obstacles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text of a key of obstacle i; "" if there is none. */
static const char *text(cfg_node *root, size_t i, const char *key)
{
    char path[120];
    bool found;
    snprintf(path, sizeof path, "obstacles[%zu].%.60s", i, key);
    const cfg_node *node = pio_cfg_find(root, path, &found);
    return found && node->kind == CFG_SCALAR ? node->text : "";
}

/* Returns the number of a key of obstacle i; NaN if there is none. */
static double number(cfg_node *root, size_t i, const char *key)
{
    const char *digits = text(root, i, key);
    return *digits ? strtod(digits, NULL) : (double)NAN;
}

static double entry(cfg_node *root, size_t i, const char *key, int at)
{
    char path[100];
    snprintf(path, sizeof path, "%.40s[%d]", key, at);
    return number(root, i, path);
}

/* Replaces values by those of obstacles.NAME.KEY in the file, which an optimisation found. */
static void designed(pio_snapshot_file *file, const char *name, const char *key, int64_t frame, int n, double *values)
{
    const pio_snapshot_info *info = pio_snapshot_describe(file);
    char path[300];
    double *own = malloc(sizeof *own * ((size_t)n + 1));
    piola_error ignored;
    snprintf(path, sizeof path, "obstacles.%.200s.%s", name, key);
    for (size_t g = 0; g < info->n_gradients && own; g++)
        if (!strcmp(info->gradients[g].path, path) && info->gradients[g].size == n &&
            !pio_snapshot_read_gradient(file, path, info->kind == PIO_SNAPSHOT_HISTORY ? frame : 0, own, NULL,
                                        &ignored))
            memcpy(values, own, sizeof *own * (size_t)n);
    free(own);
}

/* A moment of a snapshot: t seconds from the start, with the designs of this frame. */
typedef struct {
    pio_snapshot_file *file;
    int64_t frame;
    double t;
} moment;

/* Returns the motion of obstacle i at that time, linear between the times of its table; 0 if it does not move, NaN
 * without memory. */
static double course(const moment *m, cfg_node *root, size_t i, const char *key)
{
    char path[60];
    int n = 0;
    snprintf(path, sizeof path, "motion.%.20s", key);
    while (!isnan(entry(root, i, path, n))) n++;
    double *value = malloc(sizeof *value * ((size_t)n + 1));
    if (!value) return (double)NAN;
    for (int k = 0; k < n; k++) value[k] = entry(root, i, path, k);
    designed(m->file, text(root, i, "name"), path, m->frame, n, value);
    double result = n ? value[n - 1] : 0, from = 0;
    for (int k = 0; k < n; k++) {
        const double at = entry(root, i, "motion.time", k);
        if (m->t <= at) {
            result = k ? value[k - 1] + (value[k] - value[k - 1]) * (m->t - from) / (at - from) : value[0];
            break;
        }
        from = at;
    }
    free(value);
    return result;
}

/* Reads one obstacle. Returns false if the scene is incomplete. */
static bool read_one(pio_snapshot_file *file, cfg_node *root, size_t i, int64_t frame, pio_solid *s)
{
    const pio_snapshot_info *info = pio_snapshot_describe(file);
    const char *type = text(root, i, "type"), *name = text(root, i, "name");
    const moment m = {file, frame, info->kind == PIO_SNAPSHOT_HISTORY ? 0 : info->times[frame]};
    double sum, scale = number(root, i, "scale");
    if (isnan(scale)) scale = 1; /* a plane */
    s->angle = number(root, i, "rotation");
    if (isnan(s->angle)) s->angle = 0; /* a ball */
    for (int a = 0; a < 2; a++) {
        s->centre[a] = entry(root, i, "position", a);
        s->normal[a] = entry(root, i, "normal", a);
        s->size[a] = entry(root, i, "size", a);
    }
    s->radius = number(root, i, "radius");
    s->shape = !strcmp(type, "plane") ? PIO_PLANE : !strcmp(type, "ball") ? PIO_BALL : PIO_BOX;
    designed(file, name, "position", frame, 2, s->centre);
    designed(file, name, "rotation", frame, 1, &s->angle);
    designed(file, name, "scale", frame, 1, &scale);
    s->radius *= scale;
    for (int a = 0; a < 2; a++) s->size[a] *= scale;
    s->centre[0] += course(&m, root, i, "x");
    s->centre[1] += course(&m, root, i, "y");
    s->angle += course(&m, root, i, "angle");
    sum = s->centre[0] + s->centre[1] + s->angle;
    sum += s->shape == PIO_PLANE  ? s->normal[0] + s->normal[1]
           : s->shape == PIO_BALL ? s->radius
                                  : s->size[0] + s->size[1];
    return isfinite(sum);
}

size_t pio_render_obstacles(pio_snapshot_file *file, cfg_node *root, int64_t frame, pio_solid **solids)
{
    bool found;
    size_t n = 0;
    const cfg_node *list = pio_cfg_find(root, "obstacles", &found);
    *solids = NULL;
    if (!found || list->kind != CFG_SEQUENCE || pio_snapshot_describe(file)->dimension != 2) return 0;
    *solids = calloc(list->n + 1, sizeof **solids);
    if (!*solids) return PIO_NO_SOLIDS;
    for (size_t i = 0; i < list->n; i++) n += read_one(file, root, i, frame, &(*solids)[n]);
    return n;
}
