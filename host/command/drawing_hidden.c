/* drawing_hidden.c -- cells that a picture leaves out: those of a mesh in which a field is below a value. */
#include "host/command/drawing.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether cells can be chosen by a field: one number for each. */
static bool can_choose(const pio_snapshot_field_info *f)
{
    return f->location == PIO_SNAPSHOT_CELL && f->stored == 1;
}

static piola_status unknown(const pio_drawing *d, int length, piola_error *error)
{
    char list[1000] = "";
    size_t used = 0;
    for (size_t i = 0; i < d->info->n_fields && used < sizeof list - 100; i++)
        if (can_choose(&d->info->fields[i]))
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.90s", used ? ", " : "", d->info->fields[i].name);
    return pio_fail(error, PIOLA_USAGE,
                    "--hide-below: %s has no field '%.*s' with one number for each cell; there are: %s",
                    d->options->file, length < 100 ? length : 100, d->options->hide_below, used ? list : "none");
}

piola_status pio_drawing_choose_hidden(pio_drawing *d, piola_error *error)
{
    pio_drawn_cells *s = &d->shown;
    const char *text = d->options->hide_below, *equals = text ? strrchr(text, '=') : NULL;
    if (!text) return PIOLA_OK;
    const pio_locale old = pio_locale_begin();
    const size_t digits = equals ? pio_decimal(equals + 1, &s->least) : 0;
    pio_locale_end(old);
    if (!digits || equals[1 + digits] || !isfinite(s->least) || equals == text)
        return pio_fail(error, PIOLA_USAGE, "--hide-below: '%.100s' is not FIELD=VALUE, as relative_density=0.5", text);
    if (!d->info->n_cells)
        return pio_fail(error, PIOLA_USAGE, "%s holds particles: only cells of a mesh can be hidden", d->options->file);
    s->info = pio_drawing_find(d->info, text, (size_t)(equals - text));
    if (!s->info || !can_choose(s->info)) return unknown(d, (int)(equals - text), error);
    const size_t cells = (size_t)d->info->n_cells, nodes = (size_t)d->info->n_connectivity;
    s->by = malloc(cells * sizeof *s->by);
    uint8_t *types = malloc(cells);
    int64_t *offsets = malloc((cells + 1) * sizeof *offsets), *connectivity = malloc(nodes * sizeof *connectivity);
    s->mesh = (pio_snapshot_mesh){0, types, offsets, connectivity};
    if (s->by && types && offsets && connectivity) return PIOLA_OK;
    return pio_fail_memory(error, 17 * cells + 8 * nodes, "the cells that are drawn");
}

/* Copies cell c behind those that are drawn, and its value, which is never before it. */
static void show(pio_drawing *d, int64_t c)
{
    pio_snapshot_mesh *to = &d->shown.mesh;
    const pio_snapshot_mesh *from = &d->mesh;
    const int64_t k = to->n_cells++, nodes = from->offsets[c + 1] - from->offsets[c];
    int64_t *offsets = (int64_t *)to->offsets, *connectivity = (int64_t *)to->connectivity;
    offsets[0] = 0;
    offsets[k + 1] = offsets[k] + nodes;
    ((uint8_t *)to->types)[k] = from->types[c];
    memcpy(connectivity + offsets[k], from->connectivity + from->offsets[c], (size_t)nodes * sizeof *connectivity);
    if (d->field.info && d->field.info->location == PIO_SNAPSHOT_CELL) d->values[k] = d->values[c];
    if (d->bodies.all) d->bodies.shown[k] = d->bodies.all[c];
}

piola_status pio_drawing_hide(pio_drawing *d, piola_error *error)
{
    pio_drawn_cells *s = &d->shown;
    if (!s->info) return PIOLA_OK;
    const piola_status rc = pio_snapshot_read_field(d->file, s->info->name, d->frame, s->by, error);
    s->mesh.n_cells = 0;
    for (int64_t c = 0; !rc && c < d->mesh.n_cells; c++)
        if (!(s->by[c] < s->least)) show(d, c);
    const size_t used = strlen(d->caption), left = sizeof d->caption - used;
    snprintf(d->caption + used, left,
             s->mesh.n_cells ? "   \u00b7   %.90s \u2265 %g" : "   \u00b7   %.90s < %g everywhere: all is drawn",
             s->info->name, s->least);
    return rc;
}

void pio_drawing_free_hidden(pio_drawing *d)
{
    free(d->shown.by);
    free((void *)d->shown.mesh.types);
    free((void *)d->shown.mesh.offsets);
    free((void *)d->shown.mesh.connectivity);
}
