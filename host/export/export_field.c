/* export_field.c -- fields of a frame, as every format takes them. */
#include "host/export/export.h"
#include "host/base/fail.h"

#include <stdio.h>
#include <stdlib.h>

piola_status pio_export_field(const pio_export *e, const pio_snapshot_field_info *v, double **out, piola_error *error)
{
    const size_t n = (size_t)v->rows * (size_t)v->stored;
    *out = malloc((n + 1) * sizeof **out);
    if (!*out) return pio_fail_memory(error, n * sizeof **out, v->name);
    const piola_status rc = pio_snapshot_read_field(e->file, v->name, e->frame, *out, error);
    if (!rc) return rc;
    free(*out);
    *out = NULL;
    return rc;
}

int pio_export_component(const pio_export *e, const pio_snapshot_field_info *v, int c, char letters[16])
{
    static const char axes[] = "xyz";
    const int d = e->info->dimension, side = v->components == 9 ? 3 : d; /* a matrix in 2D may have three rows too */
    letters[0] = '\0';
    if (v->components == 1) return c;
    if (v->components == d)
        snprintf(letters, 16, ".%c", axes[c]);
    else if (v->components == d * d || v->components == 9)
        snprintf(letters, 16, ".%c%c", axes[c / side], axes[c % side]);
    else
        snprintf(letters, 16, ".%d", c);
    return v->components == 4 && v->stored == 9 ? c / 2 * 3 + c % 2 : c;
}
