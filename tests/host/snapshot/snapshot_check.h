/* snapshot_check.h -- does a file hold what its writer had reported? For test_snapshot_crash.c. */
#ifndef PIOLA_TESTS_SNAPSHOT_CHECK_H
#define PIOLA_TESTS_SNAPSHOT_CHECK_H

#include "tests/host/snapshot/snapshot_sample.h"

#include <math.h>
#include <string.h>

/* Points and fields of one frame; NULL, or what is wrong. */
static inline const char *check_frame(pio_snapshot_file *f, const sample_case *c, int64_t k)
{
    static double got[10000 * 9];
    static piola_error error;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    sample_fields(c, fields);
    if (pio_snapshot_read_points(f, k, got, &error) != PIOLA_OK) return error.message;
    for (int64_t i = 0; i < c->n; i++)
        if (fabs(got[3 * i] - sample_value(0, i, 0, c->static_points ? 0 : k)) > 0) return "a point is wrong";
    for (int v = 0; v < 2; v++) { /* a vector, and a number */
        const int stored = v ? 1 : 3, last = v ? 0 : 1;
        if (pio_snapshot_read_field(f, fields[v].name, k, got, &error) != PIOLA_OK) return error.message;
        for (int64_t i = 0; i < sample_rows(c, &fields[v]); i++)
            if (fabs(got[stored * i + last] - sample_value(v + 1, i, last, k)) > 0) return "a value is wrong";
    }
    return NULL;
}

static inline const char *check_cells(pio_snapshot_file *f, const sample_case *c)
{
    static piola_error error;
    static int64_t connectivity[27 * SAMPLE_CELLS];
    const pio_snapshot_mesh *mesh = sample_mesh(c);
    if (!mesh) return NULL;
    if (pio_snapshot_read_mesh(f, NULL, NULL, connectivity, &error) != PIOLA_OK) return error.message;
    const size_t bytes = (size_t)mesh->offsets[c->cells] * sizeof *connectivity;
    return memcmp(connectivity, mesh->connectivity, bytes) ? "a cell is wrong" : NULL;
}

/* Every frame of the file, the `wanted` first ones at least, has the right values. NULL, or what is wrong. */
static inline const char *check_file(const char *path, const sample_case *c, long wanted, long results)
{
    static char wrong[2200];
    static double got[12];
    piola_error error;
    pio_snapshot_file *f = NULL;
    if (pio_snapshot_open(&f, path, true, &error) != PIOLA_OK) {
        snprintf(wrong, sizeof wrong, "does not open: %s", error.message);
        return wrong;
    }
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    const char *verdict = info->n_frames < wanted ? "a reported frame is not counted" : check_cells(f, c);
    for (int64_t k = 0; k < info->n_frames && !verdict; k++) verdict = check_frame(f, c, k);
    for (long k = 0; k < results && !verdict; k++) {
        if (pio_snapshot_read_gradient(f, "control.gait", k, NULL, got, &error) != PIOLA_OK)
            verdict = error.message;
        else if (fabs(got[11] - sample_value(32, 11, 0, k)) > 0)
            verdict = "a gradient is wrong";
    }
    if (verdict) snprintf(wrong, sizeof wrong, "%s", verdict);
    pio_snapshot_close(f);
    return verdict ? wrong : NULL;
}

#endif
