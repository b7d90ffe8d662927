/* test_mutants.c -- damaged scenes, in this process: every one is read, or refused with a documented status and a
 * message that is not empty, within 2 s. `test_mutants` takes 3,000 of the scenes that ship and of the small ones of
 * tests, which may name files of the former; `--count N` takes N, which has every cut and every changed key in it
 * where N is large enough, and random damage beyond; `--write N FOLDER` writes N of the scenes in a folder into it, for
 * a test of the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "tests/system/mutants.h"
#include "tests/sanitized.h"
#include "tests/host/scene/scene_helpers.h"

#include "host/model/room.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_private.h"

#include <dirent.h>
#include <time.h>

enum { MOST_SCENES = 100, NORMAL = 3000 };
static const double most_seconds = 2, least_rate = 1000;

static uint64_t requested = NORMAL;
static const char *write_to;
static const char *const folders[] = {PIO_SOURCE_DIR "/scenes", PIO_SOURCE_DIR "/tests/data/small_scenes"};

typedef struct {
    char path[PIO_PATH];
    char *text;
    mutant_source source;
} scene_file;

static scene_file files[MOST_SCENES];
static size_t n_files;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const scene_file *)a)->path, ((const scene_file *)b)->path);
}

/* The scenes of a folder, of which there is at least one. */
static void open_folder(const char *name)
{
    const size_t before = n_files;
    DIR *folder = opendir(name);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) && n_files < MOST_SCENES;) {
        const size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        scene_file *f = &files[n_files++];
        snprintf(f->path, sizeof f->path, "%s/%.200s", name, entry->d_name);
        f->text = slurp(f->path);
        assert_non_null(f->text);
    }
    closedir(folder);
    assert_true(n_files > before && n_files < MOST_SCENES);
}

static int open_scenes(void **state)
{
    (void)state;
    if (write_to) open_folder(write_to);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !write_to; i++) open_folder(folders[i]);
    qsort(files, n_files, sizeof *files, by_path);
    for (size_t i = 0; i < n_files; i++)
        assert_int_equal(mutant_open(&files[i].source, files[i].text, strlen(files[i].text)), 0);
    return 0;
}

static int close_scenes(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_files; i++) {
        mutant_close(&files[i].source);
        free(files[i].text);
    }
    n_files = 0;
    return 0;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool documented(piola_status status)
{
    switch (status) {
    case PIOLA_OK:
    case PIOLA_BAD_DATA:
    case PIOLA_NO_INPUT:
    case PIOLA_NO_MEMORY:
    case PIOLA_REFUSED:
        return true;
    default:
        return false;
    }
}

/* Mutant number k: of which scene, and which of its own. Cuts of all scenes come first, then changed keys, then random
 * damage. */
static const scene_file *locate(uint64_t k, uint64_t *own)
{
    for (int changes = 0; changes < 2; changes++)
        for (size_t i = 0; i < n_files; i++) {
            const mutant_source *s = &files[i].source;
            const uint64_t n = changes ? s->changes : s->cuts;
            *own = k + (changes ? s->cuts : 0);
            if (k < n) return &files[i];
            k -= n;
        }
    const scene_file *f = &files[k % n_files];
    *own = f->source.cuts + f->source.changes + k / n_files;
    return f;
}

/* How many cuts and changed keys all scenes have. */
static void count_all(uint64_t *cuts, uint64_t *changes)
{
    *cuts = *changes = 0;
    for (size_t i = 0; i < n_files; i++) {
        *cuts += files[i].source.cuts;
        *changes += files[i].source.changes;
    }
}

/* Number i of `count`: all in order where they have room; else of four one is a cut, two are changed keys, spread over
 * all, and one is random damage. */
static uint64_t chosen(uint64_t i, uint64_t count)
{
    uint64_t cuts, changes;
    count_all(&cuts, &changes);
    if (count >= cuts + changes || i % 4 == 3) return count >= cuts + changes ? i : cuts + changes + i;
    const double part = (double)i / (double)count;
    return i % 4 == 0 ? (uint64_t)(part * (double)cuts) : cuts + (uint64_t)(part * (double)changes);
}

/* Of a scene that was accepted and has few items and steps (what visits each step of 10^8 is listed for seconds): its
 * particles or elements, samples and designs are made too. */
static piola_status build(const pio_scene *scene, uint64_t *built, piola_error *error)
{
    pio_model *model = NULL;
    if (pio_count(scene).items > 5000 || scene->time.duration / scene->time.dt > 1e6) return PIOLA_OK;
    const piola_status status = pio_model_create(&model, scene, error);
    *built += status == PIOLA_OK;
    assert_true((model != NULL) == (status == PIOLA_OK));
    pio_model_free(model);
    return status;
}

static int check_mutant(uint64_t k, double *slowest, uint64_t *accepted, uint64_t *built)
{
    uint64_t own;
    size_t size;
    char what[200];
    pio_scene *scene = NULL;
    piola_error error = {0};
    const scene_file *f = locate(k, &own);
    char *text = mutant_make(&f->source, own, &size);
    assert_non_null(text);
    const double begin = cpu_seconds();
    const pio_scene_leave leave = {.allowed = {folders, 1}};
    const pio_scene_text from = {.path = f->path, .text = text, .size = size};
    piola_status status = pio_scene_load(&scene, &from, &leave, NULL, 0, NULL, &error);
    const bool paired = (scene != NULL) == (status == PIOLA_OK);
    *accepted += status == PIOLA_OK;
    if (scene) status = build(scene, built, &error);
    const double seconds = cpu_seconds() - begin;
    const bool answered = paired && (!status || (error.message[0] != '\0' && error.status == status));
    pio_scene_free(scene);
    free(text);
    if (seconds > *slowest) *slowest = seconds;
    if (documented(status) && answered && seconds < most_seconds) return 0;
    mutant_describe(&f->source, own, what, sizeof what);
    print_message("%s: %s: status %d after %.3g s: %s\n", f->path, what, (int)status, seconds, error.message);
    return 1;
}

static void every_mutant_has_an_answer(void **state)
{
    (void)state;
    uint64_t cuts, changes;
    count_all(&cuts, &changes);
    double slowest = 0;
    uint64_t accepted = 0, built = 0, faults = 0;
    const double begin = cpu_seconds();
    for (uint64_t i = 0; i < requested; i++)
        faults += (uint64_t)check_mutant(chosen(i, requested), &slowest, &accepted, &built);
    const double seconds = cpu_seconds() - begin, rate = (double)requested / seconds;
    print_message("%llu mutants of %zu scenes (which have %llu cuts and %llu changed keys): %llu accepted (%llu of "
                  "them made ready for an engine), %llu "
                  "without a proper answer "
                  "(threshold 0), slowest %.3g s (threshold %g s), %.0f per second (threshold %g without sanitizers)\n",
                  (unsigned long long)requested, n_files, (unsigned long long)cuts, (unsigned long long)changes,
                  (unsigned long long)accepted, (unsigned long long)built, (unsigned long long)faults, slowest,
                  most_seconds, rate, least_rate);
    assert_int_equal(faults, 0);
    assert_true(accepted > 0 && accepted < requested); /* else the damage would not be noticed, or nothing be read */
    if (!TEST_SANITIZED) assert_true(rate >= least_rate);
}

/* Mutants as files, in folders where their tables are found. */
static void written(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < requested; i++) {
        uint64_t own;
        size_t size;
        char path[PIO_PATH];
        const scene_file *f = locate(chosen(i, requested), &own);
        char *text = mutant_make(&f->source, own, &size);
        assert_non_null(text);
        snprintf(path, sizeof path, "%s/mutant_%05llu.yaml", write_to, (unsigned long long)i);
        FILE *to = fopen(path, "wb");
        assert_non_null(to);
        assert_int_equal(fwrite(text, 1, size, to), size);
        assert_int_equal(fclose(to), 0);
        free(text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mutant_has_an_answer)};
    const struct CMUnitTest writing[] = {cmocka_unit_test(written)};
    if (argc == 3 && !strcmp(argv[1], "--count")) requested = strtoull(argv[2], NULL, 10);
    if (argc == 4 && !strcmp(argv[1], "--write")) {
        requested = strtoull(argv[2], NULL, 10);
        write_to = argv[3];
        return cmocka_run_group_tests(writing, open_scenes, close_scenes);
    }
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
