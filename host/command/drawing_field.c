/* drawing_field.c -- which field of a snapshot the colours of a picture show. */
#include "host/command/drawing.h"
#include "host/base/fail.h"

#include <string.h>

const pio_snapshot_field_info *pio_drawing_find(const pio_snapshot_info *info, const char *name, size_t length)
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
static piola_status at_points(const pio_drawing *d, const pio_snapshot_field_info *field, piola_error *error)
{
    return pio_fail(error, PIOLA_USAGE,
                    "%s: '%s' lies at integration points, which a picture has no place for; the same field of "
                    "elements or nodes would be right (output.states.per), or `piola export`",
                    d->options->file, field->name);
}

/* Lists the fields that a picture can show; a field of this name at integration points has a word of its own. */
static piola_status unknown_field(const pio_drawing *d, const char *name, piola_error *error)
{
    char list[1000] = "", points[100];
    size_t used = 0;
    snprintf(points, sizeof points, "%.90s_points", name);
    const pio_snapshot_field_info *own = pio_drawing_find(d->info, points, strlen(points));
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
    const pio_snapshot_field_info *f = pio_drawing_find(info, name, length);
    const int n = snprintf(nodal, sizeof nodal, "%.*s_nodal", (int)length, name);
    return f || n >= (int)sizeof nodal ? f : pio_drawing_find(info, nodal, (size_t)n);
}

piola_status pio_drawing_choose_field(pio_drawing *d, piola_error *error)
{
    pio_drawn_field *f = &d->field;
    const char *name = d->options->field, *dot = name ? strrchr(name, '.') : NULL;
    f->component = -1;
    if (d->info->n_fields == 0) return name ? unknown_field(d, name, error) : PIOLA_OK;
    if (name)
        f->info = find_place(d->info, name, strlen(name));
    else
        f->info = pio_drawing_find(d->info, "velocity", 8);
    if (!name && !f->info) f->info = pio_drawing_find(d->info, "displacement", 12);
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
