/* test_fuzz.c -- the corpus of every fuzz target, replayed: each file as it is, cut at many places, and with bytes
 * changed, by the same functions that libFuzzer calls (fuzz_targets.h). A wrong answer aborts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "tests/system/fuzz_targets.h"
#include "tests/host/scene/scene_helpers.h"

#include <dirent.h>

enum { MOST_BYTES = 1 << 16, CUTS = 12, CHANGES = 12 };

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The file, its cuts and its changes; how many inputs that were. HDF5 files are given whole alone: the library is not
 * made for damaged ones, and what guards it has tests of its own. */
static int replay(const fuzz_target *t, const char *path, bool whole)
{
    static uint8_t bytes[MOST_BYTES], spoiled[MOST_BYTES];
    uint32_t state = 1;
    int inputs = 1;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    t->one(bytes, size);
    for (int k = 0; size && !whole && k < CUTS; k++, inputs++) t->one(bytes, draw(&state) % size);
    for (int k = 0; size && !whole && k < CHANGES; k++, inputs++) {
        memcpy(spoiled, bytes, size);
        for (uint32_t n = 1 + draw(&state) % 3; n; n--) spoiled[draw(&state) % size] = (uint8_t)draw(&state);
        t->one(spoiled, size);
    }
    return inputs;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = suffix ? strlen(suffix) : 0;
    return m && n > m && !strcmp(name + n - m, suffix);
}

static void every_corpus_is_replayed(void **state)
{
    (void)state;
    for (const fuzz_target *t = fuzz_targets; t->name; t++) {
        int files = 0, inputs = 0;
        for (int s = 0; s < 3 && t->seeds[s]; s++) {
            char path[PIO_PATH];
            snprintf(path, sizeof path, "%s/tests/data/%s", PIO_SOURCE_DIR, t->seeds[s]);
            DIR *folder = opendir(path);
            assert_non_null(folder);
            for (struct dirent *entry; (entry = readdir(folder));) {
                if (!ends_with(entry->d_name, t->suffix[0]) && !ends_with(entry->d_name, t->suffix[1])) continue;
                snprintf(path, sizeof path, "%s/tests/data/%s/%.200s", PIO_SOURCE_DIR, t->seeds[s], entry->d_name);
                inputs += replay(t, path, ends_with(entry->d_name, ".vtkhdf"));
                files++;
            }
            closedir(folder);
        }
        print_message("%s: %d files, %d inputs, each with a documented answer\n", t->name, files, inputs);
        assert_true(files > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_corpus_is_replayed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
