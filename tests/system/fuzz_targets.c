/* fuzz_targets.c -- see fuzz_targets.h. */
#include "tests/system/fuzz_targets.h"

#include "host/scene/control_weights.h"
#include "host/data/csv.h"
#include "host/scene/fill.h"
#include "host/mesh/mesh.h"
#include "host/base/record.h"
#include "host/scene/scene_private.h"
#include "host/snapshot/snapshot.h"
#include "host/surface/surface_mesh.h"
#include "tests/host/scene/load_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PIO_SOURCE_DIR
#define PIO_SOURCE_DIR "."
#endif

/* A file of the bytes; end_file removes it. A reader may refuse what is no plain file of its own name, so it is one. */
static void make_file(const uint8_t *data, size_t size, char path[64])
{
    snprintf(path, 64, "/tmp/piola_fuzz_XXXXXX");
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file)) abort();
}

static void end_file(const char *path)
{
    unlink(path);
}

static void judge(piola_status rc, const piola_error *error)
{
    const int known = rc == PIOLA_OK || rc == PIOLA_NO || rc == PIOLA_BAD_DATA || rc == PIOLA_NO_INPUT ||
                      rc == PIOLA_NO_MEMORY || rc == PIOLA_REFUSED || rc == PIOLA_IO;
    if (known && (rc == PIOLA_OK || error->message[0])) return;
    fprintf(stderr, "status %d: '%s'\n", (int)rc, error->message);
    abort();
}

static void one_scene(const uint8_t *data, size_t size)
{
    pio_scene *scene;
    piola_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return;
    for (size_t i = 0; i < size; i++) text[i] = (char)data[i];
    text[size] = '\0';
    const pio_scene_text from = {.path = PIO_SOURCE_DIR "/scenes/fuzz.yaml", .text = text, .size = size};
    judge(load_scene_text(&scene, &from, NULL, &error), &error);
    pio_scene_free(scene);
    free(text);
}

static void one_mesh(const uint8_t *data, size_t size)
{
    char path[64];
    pio_mesh mesh;
    piola_error error = {0};
    make_file(data, size, path);
    judge(pio_mesh_read(&mesh, path, &error), &error);
    pio_mesh_free(&mesh);
    end_file(path);
}

static void one_surface(const uint8_t *data, size_t size)
{
    char path[64];
    pio_trimesh surface;
    piola_error error = {0};
    make_file(data, size, path);
    judge(pio_trimesh_load(&surface, path, 1, &error), &error);
    pio_trimesh_free(&surface);
    end_file(path);
}

static void one_table(const uint8_t *data, size_t size)
{
    char path[64];
    pio_csv csv;
    piola_error error = {0};
    make_file(data, size, path);
    judge(pio_csv_load(&csv, path, &error), &error);
    pio_csv_free(&csv);
    end_file(path);
}

static void one_point_file(const uint8_t *data, size_t size)
{
    static const double nowhere[3];
    char path[64];
    pio_fill_result fill = {0};
    pio_csv csv;
    piola_error error = {0};
    char name[] = "g";
    const scene_geometry geometry = {.name = name, .shape = PIO_POINTS, .scale = 1, .volume = (double)NAN};
    make_file(data, size, path);
    piola_status rc = pio_csv_load(&csv, path, &error);
    if (!rc) rc = pio_fill_points(&geometry, &csv, nowhere, 2, &fill, &error);
    judge(rc, &error);
    pio_csv_free(&csv);
    free(fill.position);
    free(fill.volumes);
    end_file(path);
}

static void one_weights(const uint8_t *data, size_t size)
{
    char path[64];
    double weights[16];
    piola_error error = {0};
    make_file(data, size, path);
    judge(pio_control_weights(path, "/gait", weights, 16, &error), &error);
    end_file(path);
}

static void one_record(const uint8_t *data, size_t size)
{
    char path[64];
    pio_record *record = NULL;
    piola_error error = {0};
    make_file(data, size, path);
    piola_status rc = pio_record_open(&record, path, "TEST", &error);
    if (!rc) rc = pio_record_recover(record, &error);
    judge(rc, &error);
    size_t count = 0;
    const pio_record_row *rows = rc ? NULL : pio_record_rows(record, &count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].bytes > size) abort();
        char *payload = malloc(rows[i].bytes + 1);
        if (payload) judge(pio_record_read(record, &rows[i], payload, &error), &error);
        free(payload);
    }
    pio_record_close(record);
    end_file(path);
}

static void one_snapshot(const uint8_t *data, size_t size)
{
    char path[64];
    pio_snapshot_file *snapshot;
    piola_error error = {0};
    make_file(data, size, path);
    const piola_status rc = pio_snapshot_open(&snapshot, path, true, &error);
    judge(rc, &error);
    if (!rc) pio_snapshot_close(snapshot);
    end_file(path);
}

const fuzz_target fuzz_targets[] = {
    {"scene", one_scene, {"good_scenes", "bad_scenes"}, {".yaml"}},
    {"mesh", one_mesh, {"good_meshes", "bad_meshes", "bad_scenes/parts"}, {".msh"}},
    {"surface", one_surface, {"corpus/surface", "bad_scenes/parts", "good_scenes/parts"}, {".stl", ".obj"}},
    {"table", one_table, {"corpus/table", "bad_scenes/parts", "good_scenes/parts"}, {".csv", ".ply"}},
    {"point", one_point_file, {"corpus/table", "bad_scenes/parts", "good_scenes/parts"}, {".csv", ".ply"}},
    {"weights", one_weights, {"good_scenes/parts"}, {".vtkhdf"}},
    {"record", one_record, {"corpus/record"}, {".rec"}},
    {"snapshot", one_snapshot, {"good_scenes/parts"}, {".vtkhdf"}},
    {NULL, NULL, {NULL}, {NULL}}};
