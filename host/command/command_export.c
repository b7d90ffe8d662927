/* command_export.c -- piola export: one frame of a snapshot in another format. */
#include "host/export/export.h"
#include "host/base/fail.h"
#include "host/base/output.h"
#include "host/base/signals.h"
#include "piola.h"

#include <stdlib.h>
#include <string.h>

piola_export_options piola_export_options_default(void)
{
    return (piola_export_options){.frame = -1};
}

/* ---- the frame ------------------------------------------------------------------------------------------- */

static piola_status choose_frame(pio_export *e, int64_t wanted, piola_error *error)
{
    const int64_t frames = e->info->n_frames;
    if (frames == 0) return pio_fail(error, PIOLA_BAD_DATA, "%s holds no frame to export", e->path);
    if (wanted < -1 || wanted >= frames)
        return pio_fail(error, PIOLA_USAGE, "%s has no frame %lld: from 0 to %lld are there", e->path,
                        (long long)wanted, (long long)frames - 1);
    e->frame = wanted < 0 ? frames - 1 : wanted;
    e->time = e->info->times[e->frame];
    return PIOLA_OK;
}

static piola_status read_mesh(pio_export *e, pio_snapshot_mesh *mesh, piola_error *error)
{
    const size_t cells = (size_t)e->info->n_cells, nodes = (size_t)e->info->n_connectivity;
    if (!cells) return PIOLA_OK;
    uint8_t *types = malloc(cells);
    int64_t *offsets = malloc((cells + 1) * sizeof *offsets),
            *connectivity = malloc((nodes + 1) * sizeof *connectivity);
    *mesh = (pio_snapshot_mesh){(int64_t)cells, types, offsets, connectivity};
    e->mesh = mesh;
    if (!types || !offsets || !connectivity) return pio_fail_memory(error, cells * 9 + nodes * 8, "the cells");
    return pio_snapshot_read_mesh(e->file, types, offsets, connectivity, error);
}

static piola_status read_frame(pio_export *e, const piola_export_options *options, pio_snapshot_mesh *mesh,
                               piola_error *error)
{
    piola_status rc = choose_frame(e, options->frame, error);
    if (rc) return rc;
    const size_t bytes = 3 * sizeof *e->points * (size_t)e->info->n_points;
    e->points = malloc(bytes);
    if (!e->points) return pio_fail_memory(error, bytes, "points");
    rc = pio_snapshot_read_points(e->file, e->frame, e->points, error);
    return rc ? rc : read_mesh(e, mesh, error);
}

/* ---- formats --------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *ending;
    piola_status (*write)(const pio_export *e, const char *out, piola_error *error);
} format;

static const format formats[] = {{"vtu", ".vtu", pio_export_vtu},
                                 {"csv", ".csv", pio_export_csv},
                                 {"npy", "_npy", pio_export_npy},
                                 {"stl", ".stl", pio_export_stl}};

/* Returns the default name of the output, to free(): of frame 3 of run/states.vtkhdf it is run/states_3.vtu. */
static char *default_name(const pio_export *e, const format *f)
{
    const size_t length = strlen(e->path), size = length + 40;
    const bool ending = length > 7 && !strcmp(e->path + length - 7, ".vtkhdf");
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s_%lld%s", (int)(ending ? length - 7 : length), e->path, (long long)e->frame,
                 f->ending);
    return name;
}

static piola_status write_format(const pio_export *e, const format *f, const char *output, piola_error *error)
{
    char *own = output ? NULL : default_name(e, f);
    if (!output && !own) return pio_fail_memory(error, strlen(e->path) + 40, "a file's name");
    const piola_status rc = f->write(e, output ? output : own, error);
    free(own);
    return rc;
}

piola_status piola_export(const piola_export_options *options, piola_error *error)
{
    const format *f = NULL;
    pio_export e = {.path = options->file};
    pio_snapshot_mesh mesh;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (options->to && !strcmp(formats[i].name, options->to)) f = &formats[i];
    if (!options->file || !f)
        return pio_fail(error, PIOLA_USAGE, "an export needs a file and a format: vtu, csv, npy or stl");
    piola_status rc = pio_snapshot_open(&e.file, options->file, !options->no_verify, error);
    if (rc) return rc;
    e.info = pio_snapshot_describe(e.file);
    rc = read_frame(&e, options, &mesh, error);
    pio_file_limit_begin(); /* at a limit of the file's size no incomplete file remains */
    if (!rc) rc = write_format(&e, f, options->output, error);
    pio_file_limit_end();
    pio_snapshot_close(e.file);
    free(e.points);
    if (e.mesh) {
        free((void *)mesh.types);
        free((void *)mesh.offsets);
        free((void *)mesh.connectivity);
    }
    return rc ? rc : pio_output_flush(error);
}
