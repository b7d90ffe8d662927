/* snapshot_spoiled.h -- good files of particles and of a mesh, and a place for damaged copies. For
 * test_snapshot_hostile.c and test_snapshot_lies.c. */
#ifndef PIOLA_TESTS_SNAPSHOT_SPOILED_H
#define PIOLA_TESTS_SNAPSHOT_SPOILED_H

#include "tests/host/snapshot/snapshot_sample.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/piola_hostile_XXXXXX";
static char bad_path[64];
static char *good; /* bytes of the file as it should be that a test spoils, */
static size_t good_size;
static char *whole[2]; /* of particles or of a mesh */
static size_t whole_size[2];
static const sample_case samples[2] = {
    {"good.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F64, false, 12, 3, true, 0},
    {"mesh.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F64, true, 30, 3, true, 10}};

static inline void take(bool mesh)
{
    good = whole[mesh];
    good_size = whole_size[mesh];
}

static inline char *path_of(const char *name, char path[64])
{
    snprintf(path, 64, "%s/%s", folder, name);
    return path;
}

static inline int make_folder(void **state)
{
    (void)state;
    piola_error error;
    char path[64];
    if (!mkdtemp(folder)) return -1;
    path_of("bad.vtkhdf", bad_path);
    for (int i = 0; i < 2; i++) {
        if (sample_write(&samples[i], folder, &error) != PIOLA_OK) return -1;
        FILE *file = fopen(path_of(samples[i].name, path), "rb");
        if (!file) return -1;
        whole[i] = malloc(1 << 20);
        whole_size[i] = whole[i] ? fread(whole[i], 1, 1 << 20, file) : 0;
        fclose(file);
        if (whole_size[i] == 0 || whole_size[i] == 1 << 20) return -1;
    }
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char path[64];
    for (int i = 0; i < 2; i++) {
        free(whole[i]);
        (void)unlink(path_of(samples[i].name, path));
    }
    (void)unlink(bad_path);
    return rmdir(folder);
}

static inline bool put(const char *data, size_t size)
{
    FILE *file = fopen(bad_path, "wb");
    if (!file) return false;
    bool ok = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

#endif
