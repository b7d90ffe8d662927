/* test_mesh_bad.c -- bad meshes are refused with one clear message; damaged ones never crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/path.h"
#include "tests/host/mesh/mesh_files.h"

#include <dirent.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#define BAD PIO_SOURCE_DIR "/tests/data/bad_meshes/"

/* A file in memory: thousands are written here. */
static char scratch[40];
static int scratch_file = -1;

static int make_scratch(void **state)
{
    (void)state;
    scratch_file = memfd_create("mesh", MFD_CLOEXEC);
    snprintf(scratch, sizeof scratch, "/proc/self/fd/%d", scratch_file);
    return scratch_file < 0;
}

static int remove_scratch(void **state)
{
    (void)state;
    return close(scratch_file);
}

/* Is it refused with this status and a message that begins so? Says what differs. */
static bool refuses(const char *path, piola_status wanted, const char *begin)
{
    pio_mesh mesh;
    piola_error error = {0};
    const piola_status status = pio_mesh_read(&mesh, path, &error);
    const bool good = status == wanted && error.status == wanted && strncmp(error.message, begin, strlen(begin)) == 0;
    if (!good) print_message("expected %d: %s\n     got %d: %s\n", (int)wanted, begin, (int)status, error.message);
    assert_null(mesh.x);
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(pio_mesh_read(&mesh, path, NULL), status);
    return good;
}

static void refused(const char *path, piola_status wanted, const char *begin)
{
    assert_true(refuses(path, wanted, begin));
}

/* ---- files by hand --------------------------------------------------------------------------------------------- */

static void every_bad_mesh_gives_its_message(void **state)
{
    (void)state;
    char line[700], path[PIO_PATH], begin[1400];
    int listed = 0, there = 0, differ = 0;
    FILE *list = fopen(BAD "expected.txt", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (line[0] == '#') continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(path, sizeof path, BAD "%.*s.msh", (int)(strstr(line, ".msh") - line), line);
        snprintf(begin, sizeof begin, BAD "%s", line);
        differ += !refuses(path, PIOLA_BAD_DATA, begin);
        listed++;
    }
    fclose(list);
    DIR *folder = opendir(BAD);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) there += strstr(entry->d_name, ".msh") != NULL;
    closedir(folder);
    print_message("%d bad meshes (at least 30), each with its message\n", listed);
    assert_int_equal(differ, 0);
    assert_true(listed >= 30);
    assert_int_equal(listed, there);
}

static void what_is_no_file_is_distinguished(void **state)
{
    (void)state;
    refused("no/such/file.msh", PIOLA_NO_INPUT, "cannot read 'no/such/file.msh': No such file");
    refused("/", PIOLA_NO_INPUT, "'/' is not a file");
    refused("/dev/null", PIOLA_NO_INPUT, "'/dev/null' is not a file");
}

/* ---- binary files ----------------------------------------------------------------------------------------------- */

typedef struct {
    unsigned char *byte;
    size_t n;
} content;

static content slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    content c = {.n = (size_t)ftell(file)};
    rewind(file);
    c.byte = malloc(c.n + 1);
    assert_non_null(c.byte);
    assert_int_equal(fread(c.byte, 1, c.n, file), c.n);
    fclose(file);
    return c;
}

static void write_bytes(const unsigned char *byte, size_t n)
{
    FILE *file = fopen(scratch, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(byte, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* A small mesh as a file of the kind; the plate has elements in two groups. */
static content small_file(pio_element_type type, msh_kind kind)
{
    pio_mesh mesh;
    piola_error error = {0};
    const int32_t count[3] = {1, 2, 1};
    if (pio_mesh_plate(&mesh, type, count, 0.3, 1, 0.5, &error)) fail_msg("%s", error.message);
    write_msh(&mesh, kind, scratch);
    pio_mesh_free(&mesh);
    return slurp(scratch);
}

static size_t behind(const content *c, const char *words)
{
    const void *found = memmem(c->byte, c->n, words, strlen(words));
    assert_non_null(found);
    return (size_t)((const unsigned char *)found - c->byte) + strlen(words);
}

/* Bytes put over the file at `at`, and how the message goes on behind the offset (at + shift). */
static void spoiled(const content *good, size_t at, const void *bytes, size_t n, long shift, const char *words)
{
    char begin[400];
    unsigned char *copy = malloc(good->n);
    assert_non_null(copy);
    memcpy(copy, good->byte, good->n);
    memcpy(copy + at, bytes, n);
    write_bytes(copy, good->n);
    free(copy);
    snprintf(begin, sizeof begin, "%s: offset %zu: error: %s", scratch, at + (size_t)shift, words);
    refused(scratch, PIOLA_BAD_DATA, begin);
}

static void binary_faults_name_their_offset(void **state)
{
    (void)state;
    const int64_t huge = INT64_MAX, negative = -1, many = 2000000000, unknown = 999999;
    const int32_t two = 2, prism = 6, less = -5;
    const double nan_value = (double)NAN;
    content c = small_file(PIO_HEX8, (msh_kind){false, true, false});
    const size_t nodes = behind(&c, "$Nodes\n"), elements = behind(&c, "$Elements\n");
    spoiled(&c, behind(&c, "1 8\n"), &two, 4, 0, "the number that shows the byte order is 2; it must be 1");
    spoiled(&c, nodes + 8, &huge, 8, 16, "9223372036854775807 nodes; at most 2147483647 can be numbered");
    spoiled(&c, nodes + 8, &many, 8, 16, "2000000000 nodes are promised, but the rest of the file");
    spoiled(&c, nodes + 8, &negative, 8, 0, "18446744073709551615 is out of range for the number of nodes");
    const size_t tags = nodes + 32 + 20, x = tags + 6 * 8; /* the first block has 6 of the 12 nodes */
    spoiled(&c, x + 8, &nan_value, 8, 0, "the y of node 1000 is not a number (NaN)");
    spoiled(&c, tags + 8, c.byte + tags, 8, 0, "node 1000 is defined twice");
    spoiled(&c, elements + 32 + 8, &prism, 4, 0, "elements of type 6 (prism6) are not supported");
    spoiled(&c, elements + 32 + 20 + 16, &unknown, 8, 0,
            "element 1000 (hex8) has node 999999, which $Nodes does not have");
    free(c.byte);
    c = small_file(PIO_HEX8, (msh_kind){true, true, false});
    const size_t run = behind(&c, "$Elements\n") + strcspn((char *)c.byte + behind(&c, "$Elements\n"), "\n") + 1;
    spoiled(&c, run + 4, &less, 4, 4, "-5 elements follow");
    spoiled(&c, run + 8, &less, 4, 0, "-5 where the number of tags is expected");
    free(c.byte);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

/* Xorshift (Marsaglia 2003). */
static uint64_t drawn = 88172645463325252ULL;

static size_t draw(size_t n)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (size_t)(drawn % n);
}

/* True when a mesh came out; else there must be one message. */
static bool comes_out(void)
{
    pio_mesh mesh;
    piola_error error = {0};
    pio_mesh_quality quality;
    const piola_status status = pio_mesh_read(&mesh, scratch, &error);
    if (status) {
        assert_true(error.status == status && error.message[0] && !strchr(error.message, '\n'));
        assert_true(status == PIOLA_BAD_DATA);
        return false;
    }
    pio_mesh_measure(&mesh, &quality);
    assert_true(quality.volume > 0);
    pio_mesh_free(&mesh);
    return true;
}

static void a_file_that_was_cut_is_never_a_mesh(void **state)
{
    (void)state;
    int cuts = 0;
    for (int k = 0; k < MSH_KINDS; k++) {
        const content c = small_file(PIO_TRI3, msh_kinds[k]);
        for (size_t n = 0; n + 1 < c.n; n++, cuts++) { /* without its last end of line it is whole */
            write_bytes(c.byte, n);
            if (comes_out()) fail_msg("cut behind %zu of %zu bytes it is read", n, c.n);
        }
        write_bytes(c.byte, c.n - 1);
        assert_true(comes_out());
        free(c.byte);
    }
    print_message("%d cuts, each refused\n", cuts);
}

/* Bytes turned, put in, taken out, moved: whatever comes, there is a mesh or a message. */
static void damage(content *c)
{
    static const char *const words[] = {"-1",  "nan",        "99999999999", "$End",    "\n",
                                        " 0 ", "4294967297", "\"",          "$Nodes\n"};
    for (size_t times = 1 + draw(4); times; times--) {
        const size_t at = draw(c->n), kind = draw(4), span = 1 + draw(c->n - at < 16 ? c->n - at : 16);
        if (kind == 0) {
            c->byte[at] = (unsigned char)(c->byte[at] ^ (1u << draw(8)));
        } else if (kind == 1) {
            const char *word = words[draw(sizeof words / sizeof *words)];
            for (size_t i = 0; word[i] && at + i < c->n; i++) c->byte[at + i] = (unsigned char)word[i];
        } else if (kind == 2 && c->n > 64) {
            memmove(c->byte + at, c->byte + at + span, c->n - at - span);
            c->n -= span;
        } else {
            memmove(c->byte + at, c->byte + draw(c->n - span), span);
        }
    }
}

static void damaged_files_never_crash(void **state)
{
    (void)state;
    static const pio_element_type types[3] = {PIO_TRI6, PIO_TET4, PIO_HEX27};
    int read = 0, files = 0;
    for (int k = 0; k < MSH_KINDS; k++)
        for (int t = 0; t < 3; t++) {
            const content good = small_file(types[t], msh_kinds[k]);
            for (int i = 0; i < 1000; i++, files++) {
                content c = {malloc(good.n), good.n};
                assert_non_null(c.byte);
                memcpy(c.byte, good.byte, good.n);
                damage(&c);
                write_bytes(c.byte, c.n);
                read += comes_out();
                free(c.byte);
            }
            free(good.byte);
        }
    print_message("%d damaged files: %d still a mesh, %d refused\n", files, read, files - read);
    assert_true(read > 0 && read < files / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_mesh_gives_its_message), cmocka_unit_test(what_is_no_file_is_distinguished),
        cmocka_unit_test(binary_faults_name_their_offset),  cmocka_unit_test(a_file_that_was_cut_is_never_a_mesh),
        cmocka_unit_test(damaged_files_never_crash),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
