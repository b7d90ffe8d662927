/* test_scene_bad.c -- bad scenes are rejected at the right position with the right words; damaged ones never crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "tests/host/scene/scene_helpers.h"
#include "tests/host/scene/load_scene.h"

#include <dirent.h>
#include <unistd.h>

/* ---- bad scenes ---------------------------------------------------------------------------------------- */

/* Do the words (separated by ~) occur in the first `length` bytes, in this order? */
static bool has_words(const char *text, size_t length, const char *words)
{
    char line[2600], word[600];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    const char *at = line;
    while (*words) {
        words += strspn(words, " ~");
        size_t n = strcspn(words, "~");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        while (n && word[n - 1] == ' ') word[--n] = '\0';
        at = strstr(at, word);
        if (!at) return false;
        at += n;
        words += strcspn(words, "~");
    }
    return true;
}

/* The next message at or behind *at: its start; its length goes to *length. */
static const char *next_message(const char **at, size_t *length)
{
    while (**at) {
        const char *line = *at;
        *length = strcspn(line, "\n");
        *at += *length + (line[*length] == '\n');
        if (line[0] != ' ' && strncmp(line, "...", 3) != 0) return line;
    }
    return NULL;
}

/* Compares one bad scene with its expectations; counts what differs. */
static int check_bad(const char *name)
{
    char path[PIO_PATH], side[PIO_PATH], place[64];
    int faults = 0, status = PIOLA_BAD_DATA, seen = 0;
    snprintf(path, sizeof path, BAD "%s", name);
    snprintf(side, sizeof side, BAD "%.*s.expect", (int)(strlen(name) - 5), name);
    char *heads = slurp(side);
    if (!heads) heads = slurp(path);
    assert_non_null(heads);
    outcome o = load_bad(path, NULL, 0);
    const char *at = o.text, *line, *first = o.text;
    size_t length = 0, first_length = strcspn(o.text, "\n");
    for (char *head = heads, *next; strncmp(head, "# expect:", 9) == 0; head = next, seen++) {
        next = head + strcspn(head, "\n");
        if (*next) *next++ = '\0';
        int row, column, used = 0;
        char *tag = strstr(head, " [status ");
        if (tag) {
            status = (int)strtol(tag + 9, NULL, 10);
            *tag = '\0';
        }
        head += 9;
        if (sscanf(head, " %d:%d:%n", &row, &column, &used) < 2 || !used) {
            if (strstr(o.text, head + strspn(head, " "))) continue;
            print_message("%s: the output lacks '%s'\n", name, head);
            faults++;
            continue;
        }
        line = next_message(&at, &length);
        snprintf(place, sizeof place, ":%d:%d: error: ~", row, column);
        char words[800];
        snprintf(words, sizeof words, "%s%s", place, head + used);
        if (line && has_words(line, length, words)) continue;
        print_message("%s: expected '%s'\n    got '%.*s'\n", name, words, line ? (int)length : 4, line ? line : "none");
        faults++;
    }
    if ((line = next_message(&at, &length))) {
        print_message("%s: not expected: '%.*s'\n", name, (int)length, line);
        faults++;
    }
    if (!seen || (int)o.status != status || (int)o.error.status != status) {
        print_message("%s: status %d, expected %d; %d expectations\n", name, (int)o.status, status, seen);
        faults++;
    }
    if (strlen(o.error.message) != first_length || strncmp(o.error.message, first, first_length) != 0) {
        print_message("%s: error->message is '%s'\n", name, o.error.message);
        faults++;
    }
    free(heads);
    free(o.text);
    return faults;
}

static void every_bad_scene_is_refused_at_the_right_place(void **state)
{
    (void)state;
    int files = 0, faults = 0;
    DIR *folder = opendir(BAD);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        faults += check_bad(entry->d_name);
        files++;
    }
    closedir(folder);
    print_message("%d bad scenes, %d differ from their expectation (threshold 0)\n", files, faults);
    assert_true(files >= 60);
    assert_int_equal(faults, 0);
}

static void a_missing_scene_is_no_input(void **state)
{
    (void)state;
    outcome o = load_bad(BAD "there_is_none.yaml", NULL, 0);
    assert_int_equal(o.status, PIOLA_NO_INPUT);
    assert_non_null(strstr(o.error.message, "there_is_none.yaml"));
    free(o.text);
    o = load_bad(BAD "parts", NULL, 0);
    assert_int_equal(o.status, PIOLA_NO_INPUT);
    free(o.text);
}

static void the_caret_stands_below_the_fault(void **state)
{
    (void)state;
    outcome o = load_bad(BAD "wrong_dimension.yaml", NULL, 0);
    const char *shown = strstr(o.text, "     3 | time: {dt: 1 mm}\n       |            ^\n");
    assert_non_null(shown);
    free(o.text);
}

/* ---- robustness ---------------------------------------------------------------------------------------- */

static piola_status load_bytes(const char *path, const char *bytes, size_t size)
{
    pio_scene *scene;
    piola_error error = {0};
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, size, to), size);
    fclose(to);
    FILE *sink = fopen("/dev/null", "w");
    assert_non_null(sink);
    piola_status status = load_scene(&scene, path, NULL, 0, sink, &error);
    fclose(sink);
    assert_int_equal(status, error.status);
    if (status) assert_true(strlen(error.message) > 0);
    pio_scene_free(scene);
    return status;
}

/* Cut at every byte, and every byte changed, of a file on disk: never a crash, always an answer. */
static void damaged_scenes_never_crash(void **state)
{
    (void)state;
    char *text = slurp(GOOD "fluids_3d.yaml");
    assert_non_null(text);
    char path[] = "/tmp/piola_scene_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    size_t size = strlen(text), tried = 0, refused = 0;
    assert_int_equal(load_bytes(path, text, size), PIOLA_OK);
    for (size_t n = 0; n < size; n += 3, tried++) refused += load_bytes(path, text, n) != PIOLA_OK;
    for (size_t at = 0; at < size; at++, tried++) {
        static const char junk[] = {0,   '\n', '\t', ' ', ':', '-', '[', '}', '&',       '*',
                                    '!', '"',  '\'', '#', '%', '|', 'x', '9', (char)0xFF};
        char kept = text[at];
        text[at] = (char)(at % 3 == 0 ? kept ^ (1 << (at / 3 % 8)) : junk[at % sizeof junk]);
        refused += load_bytes(path, text, size) != PIOLA_OK;
        text[at] = kept;
    }
    print_message("%zu damaged scenes, %zu refused, none crashed\n", tried, refused);
    assert_true(refused > tried / 2); /* else the damage would not be noticed */
    unlink(path);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_scene_is_refused_at_the_right_place),
        cmocka_unit_test(a_missing_scene_is_no_input),
        cmocka_unit_test(the_caret_stands_below_the_fault),
        cmocka_unit_test(damaged_scenes_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
