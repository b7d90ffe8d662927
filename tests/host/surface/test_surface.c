/* test_surface.c -- closed surfaces: every format gives the same body, and what is no closed surface is refused by
 * name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/byte_input.h"
#include "host/surface/surface_inside.h"
#include "host/surface/surface_mesh.h"

#include <dirent.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "surface.mesh"

/* A brick of 1 x 2 x 3 m from (-1, 0, 0), its faces counter-clockwise from outside. */
enum { CORNERS = 8, FACES = 6 };
static const double corner[CORNERS][3] = {{-1, 0, 0}, {0, 0, 0}, {0, 2, 0}, {-1, 2, 0},
                                          {-1, 0, 3}, {0, 0, 3}, {0, 2, 3}, {-1, 2, 3}};
static const int quad[FACES][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 4, 7, 3}, {1, 2, 6, 5}};

typedef struct {
    char *text;
    size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
    b->text = realloc(b->text, b->size + size + 1);
    assert_non_null(b->text);
    memcpy(b->text + b->size, data, size);
    b->size += size;
}

static void say(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(bytes *b, const char *format, ...)
{
    char line[400];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    put(b, line, (size_t)n);
}

/* In this order of bytes. */
static void put_number(bytes *b, const void *value, size_t size, bool big)
{
    unsigned char c[8];
    memcpy(c, value, size);
    for (size_t i = 0; big == pio_little_endian() && i < size / 2; i++) {
        const unsigned char other = c[i];
        c[i] = c[size - 1 - i];
        c[size - 1 - i] = other;
    }
    put(b, c, size);
}

static const double *point(int face, int triangle, int k)
{
    return corner[quad[face][k == 0 ? 0 : k + triangle]];
}

static bytes stl_text(void)
{
    bytes b = {0};
    say(&b, "solid a brick\r\n");
    for (int f = 0; f < 2 * FACES; f++) {
        say(&b, "  facet normal 0 0 nan\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double *x = point(f / 2, f % 2, k);
            say(&b, "      vertex %.9e %g %g\n", x[0], x[1], x[2]);
        }
        say(&b, "    endloop\n  endfacet\n");
    }
    say(&b, "endsolid a brick\n");
    return b;
}

static bytes stl_binary(void)
{
    bytes b = {0};
    const char title[80] = "solid, as some begin";
    const uint32_t n = 2 * FACES;
    put(&b, title, sizeof title);
    put_number(&b, &n, sizeof n, false);
    for (int f = 0; f < 2 * FACES; f++) {
        const float zero = 0;
        for (int a = 0; a < 3; a++) put_number(&b, &zero, sizeof zero, false);
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                const float x = (float)point(f / 2, f % 2, k)[a];
                put_number(&b, &x, sizeof x, false);
            }
        put(&b, "\0\0", 2);
    }
    return b;
}

static bytes obj(void)
{
    bytes b = {0};
    say(&b, "# a brick\nmtllib none.mtl\no brick\n");
    for (int c = 0; c < CORNERS; c++) say(&b, "v %g %g %g 1.0\n", corner[c][0], corner[c][1], corner[c][2]);
    say(&b, "vt 0 0\nvn 0 0 1\ns off\n");
    for (int f = 0; f < FACES; f++) {
        const int *q = quad[f];
        if (f == 0)
            say(&b, "f %d/1/1 %d//1 %d/1 %d\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
        else
            say(&b, "f %d %d %d %d\n", q[0] + 1, q[1] - CORNERS, q[2] - CORNERS, q[3] + 1);
    }
    return b;
}

/* form: 0 ascii, 1 little endian, 2 big endian */
static bytes ply(int form)
{
    static const char *const name[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    bytes b = {0};
    say(&b, "ply\nformat %s 1.0\ncomment a brick\nelement vertex %d\nproperty float x\n", name[form], CORNERS);
    say(&b, "property double y\nproperty uchar red\nproperty float z\nelement edge 1\nproperty list uchar short of\n");
    say(&b, "element face %d\nproperty list uchar int vertex_indices\nproperty int part\nend_header\n", FACES);
    for (int c = 0; c < CORNERS; c++) {
        const float x = (float)corner[c][0], z = (float)corner[c][2];
        const unsigned char red = 200;
        if (form == 0) {
            say(&b, "%g %g 200 %g\n", (double)x, corner[c][1], (double)z);
            continue;
        }
        put_number(&b, &x, sizeof x, form == 2);
        put_number(&b, &corner[c][1], sizeof(double), form == 2);
        put(&b, &red, 1);
        put_number(&b, &z, sizeof z, form == 2);
    }
    const short none[2] = {1, 2};
    if (form == 0) say(&b, "2 1 2\n");
    if (form) put(&b, "\2", 1);
    for (int k = 0; form && k < 2; k++) put_number(&b, &none[k], sizeof(short), form == 2);
    for (int f = 0; f < FACES; f++) {
        const int part = 7;
        if (form == 0) {
            say(&b, "4 %d %d %d %d 7\n", quad[f][0], quad[f][1], quad[f][2], quad[f][3]);
            continue;
        }
        put(&b, "\4", 1);
        for (int k = 0; k < 4; k++) put_number(&b, &quad[f][k], sizeof(int), form == 2);
        put_number(&b, &part, sizeof part, form == 2);
    }
    return b;
}

enum { FORMS = 6 };
static bytes brick(int form)
{
    return form == 0 ? stl_text() : form == 1 ? stl_binary() : form == 2 ? obj() : ply(form - 3);
}

static void write_bytes(const void *data, size_t size)
{
    FILE *file = fopen(FILE_NAME, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void every_format_gives_the_same_brick(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        bytes b = brick(form);
        pio_trimesh s;
        piola_error error = {0};
        write_bytes(b.text, b.size);
        free(b.text);
        if (pio_trimesh_load(&s, FILE_NAME, 2, &error)) fail_msg("form %d: %s", form, error.message);
        print_message("form %d: %d vertices, %d triangles, volume %.17g, centroid %g %g %g\n", form, s.n_vertices,
                      s.n_triangles, s.volume, s.centroid[0], s.centroid[1], s.centroid[2]);
        assert_int_equal(s.n_vertices, CORNERS);
        assert_int_equal(s.n_triangles, 2 * FACES);
        assert_true(fabs(s.volume - 48) < 1e-12);
        assert_true(fabs(s.centroid[0] + 1) < 1e-14 && fabs(s.centroid[1] - 2) < 1e-14);
        assert_true(fabs(s.centroid[2] - 3) < 1e-14);
        assert_true(fabs(s.low[0] + 2) <= 0 && fabs(s.high[2] - 6) <= 0);
        assert_int_equal(strlen(s.sha256), 64);
        pio_trimesh_free(&s);
    }
}

static void expect_bytes(const void *data, size_t size, const char *words)
{
    pio_trimesh s;
    piola_error error = {0};
    write_bytes(data, size);
    const piola_status rc = pio_trimesh_load(&s, FILE_NAME, 1, &error);
    print_message("%s\n", error.message);
    assert_int_equal(rc, PIOLA_BAD_DATA);
    if (!strstr(error.message, words)) fail_msg("the message lacks '%s'", words);
    assert_null(s.vertex);
}

static void expect(const char *text, const char *words)
{
    expect_bytes(text, strlen(text), words);
}

/* The text of a file with `from`, which it holds, changed. */
static void expect_changed(bytes b, const char *from, const char *to, const char *words)
{
    put(&b, "", 1);
    char *at = strstr(b.text, from);
    bytes out = {0};
    assert_non_null(at);
    put(&out, b.text, (size_t)(at - b.text));
    put(&out, to, strlen(to));
    put(&out, at + strlen(from), b.size - 1 - (size_t)(at - b.text) - strlen(from));
    expect_bytes(out.text, out.size, words);
    free(b.text);
    free(out.text);
}

static void what_is_no_closed_surface_is_refused(void **state)
{
    (void)state;
    expect_changed(obj(), "f 1/1/1 4//1 3/1 2\n", "", "not closed: 4 edges are open, the first from (");
    expect_changed(obj(), "f 1/1/1 4//1 3/1 2\n", "f 1 2 3 4\n",
                   "neighbours disagree about which side is outside at 4");
    expect("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n",
           "inside out: it encloses -0.166");
    expect("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n", "flat");
    expect("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles");
    expect("v 1e200 0 0\nv 0 0 0\nv 0 1e200 0\nv 0 0 1e200\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n", "too large");
}

static void faults_of_text_name_the_line(void **state)
{
    (void)state;
    expect("", "mesh:1: error: this is neither PLY nor OBJ nor STL");
    expect("hello\n", ":1: error: this is neither PLY nor OBJ nor STL");
    expect("v 0 0 0\nv 1 0 nan\n", ":2: error: 'nan' where a coordinate is expected");
    expect("v 0 0 0\nv 1 0\n", ":2: error: the line ends where a coordinate is expected");
    expect("v 0 0 0\nv 1 0 1e999\n", ":2: error: '1e999' is too large");
    expect("v 0 0 0\nf 1 1 2\n", ":2: error: there is no vertex 2; there are 1 so far");
    expect("v 0 0 0\nf 1 0 1\n", "there is no vertex 0");
    expect("v 0 0 0\nf 1 1\n", ":2: error: the line ends where a corner is expected");
    expect("v 0 0 0\nf 1 1 99999999999999\n", "'99999999999999' where a corner is expected");
    expect("v 0 0 0\nf 1 1 1x\n", "'1x' where a corner is expected");
    expect("v 0 0 0\ncurv 1 2 3\n", ":2: error: 'curv' is not a statement that is read");
    expect_changed(stl_text(), "endsolid", "", "where 'facet' or 'endsolid' is expected");
    expect_changed(stl_text(), "      vertex", "      edge", ":4: error: 'edge' where 'vertex' is expected");
    expect_changed(stl_text(), "outer loop\n", "outer loop 5\n", "unexpected text before the end");
    expect("solid s\nfacet normal 0 0 1\nouter loop\n", "the file ends where 'vertex' is expected; it was cut off");
    expect_changed(ply(0), "format ascii 1.0\n", "", "the header has no format");
    expect_changed(ply(0), "ascii", "text", ":2: error: 'text' is no format");
    expect_changed(ply(0), "property float x", "property half x", "'half' is no type");
    expect_changed(ply(0), "property float x", "property float w", "have no property 'x'");
    expect_changed(ply(0), "element vertex 8", "element vertex 99999999", "the header has 99999999 of 'vertex'");
    expect_changed(ply(0), "element vertex 8", "element vertex 7",
                   ":22: error: -1 is out of range for the length of a list");
    expect_changed(ply(0), "vertex_indices", "corners", "the element 'face' needs one list");
    expect_changed(ply(0), "4 0 3 2 1 7\n", "4 0 3 2 8 7\n", "8 is out of range for the number of a vertex");
    expect_changed(ply(0), "4 0 3 2 1 7\n", "4 0 3 2 1.5 7\n", "1.5 is out of range for the number of a vertex");
    expect_changed(ply(0), "4 0 3 2 1 7\n", "2 0 3 7\n", "a face of 2 corners");
    expect_changed(ply(0), "4 0 3 2 1 7\n", "4 0 3 2 1 7 7\n", "more numbers in this line");
}

static void faults_of_binary_files_name_the_offset(void **state)
{
    const float bad = NAN;
    bytes b = stl_binary();
    (void)state;
    expect_bytes(b.text, b.size - 1, "a binary STL that was cut off");
    memcpy(b.text + 84 + 50 + 12, &bad, sizeof bad);
    expect_bytes(b.text, b.size, "mesh: offset 146: error: nan is not a finite coordinate, in triangle 1");
    free(b.text);
    b = ply(1);
    expect_bytes(b.text, b.size - 1, "it was cut off");
    free(b.text);
    expect_changed(ply(2), "element face 6", "element face 2147483647", "the header has 2147483647 of 'face'");
    expect_changed(ply(2), "element edge 1\nproperty list uchar short of\n", "element edge 2000000000\n",
                   "the element 'edge' has no properties");
}

static uint64_t random_bits(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* A spoiled file is read or refused; that memory stays sound is for the sanitizers to see. */
static void spoiled_files_are_read_or_refused(void **state)
{
    uint64_t seed = 88172645463325252u;
    int refused = 0, all = 0;
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        bytes b = brick(form);
        for (int trial = 0; trial < 400; trial++, all++) {
            bytes c = {0};
            pio_trimesh s;
            piola_error error = {0};
            put(&c, b.text, b.size);
            const size_t cut = trial % 4 ? b.size : random_bits(&seed) % b.size;
            for (int k = 0; k < 1 + trial % 3; k++) c.text[random_bits(&seed) % c.size] = (char)random_bits(&seed);
            write_bytes(c.text, cut);
            free(c.text);
            const piola_status rc = pio_trimesh_load(&s, FILE_NAME, 1, &error);
            assert_true(rc == PIOLA_OK || rc == PIOLA_BAD_DATA);
            assert_true(!rc || (error.message[0] && !s.vertex));
            refused += rc != PIOLA_OK;
            pio_trimesh_free(&s);
        }
        free(b.text);
    }
    print_message("%d of %d spoiled files were refused\n", refused, all);
    assert_true(refused > all / 2);
}

/* A box of subnormal width, whose bins per m overflow: the winding about any place is found all the same. */
static void subnormal_widths_have_bins(void **state)
{
    static const double widths[] = {1e-290, 5e-309, 3e-310, 1e-320};
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int thin = 1; thin < 3; thin++) { /* the axes that bins are along */
            double vertex[24];
            static const int32_t triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                                 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
            pio_trimesh s = {
                .n_vertices = 8, .n_triangles = 12, .vertex = vertex, .triangle = (int32_t *)(uintptr_t)triangle};
            pio_trimesh_lines *lines = NULL;
            for (int v = 0; v < 8; v++)
                for (int a = 0; a < 3; a++) vertex[3 * v + a] = (v >> a & 1) * (a == thin ? widths[w] : 1);
            for (int a = 0; a < 3; a++) s.high[a] = a == thin ? widths[w] : 1;
            assert_int_equal(pio_trimesh_lines_create(&lines, &s, NULL), PIOLA_OK);
            double in[3] = {0.5, 0.5, 0.5}, out[3] = {1.5, 0.5, 0.5};
            in[thin] = out[thin] = widths[w] / 2;
            const int winding = pio_trimesh_winding(lines, in);
            print_message("width %g m along axis %d: winding %d within, %d outside\n", widths[w], thin, winding,
                          pio_trimesh_winding(lines, out));
            assert_true(winding == 1 || widths[w] < 1e-300); /* products of subnormal numbers may be 0 */
            assert_int_equal(pio_trimesh_winding(lines, out), 0);
            pio_trimesh_lines_free(lines);
        }
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(tasks);
    while (readdir(tasks)) n++;
    closedir(tasks);
    return n;
}

/* Where one thread is all that may be, no other is begun. Runs first: threads that were begun stay. */
static void one_thread_is_one(void **state)
{
    const int most = omp_get_max_threads(), before = count_threads();
    (void)state;
    omp_set_num_threads(1);
    for (int form = 0; form < FORMS; form++) {
        bytes b = brick(form);
        pio_trimesh s;
        write_bytes(b.text, b.size);
        free(b.text);
        assert_int_equal(pio_trimesh_load(&s, FILE_NAME, 1, NULL), PIOLA_OK);
        pio_trimesh_free(&s);
    }
    assert_int_equal(count_threads(), before);
    omp_set_num_threads(most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_is_one),
        cmocka_unit_test(every_format_gives_the_same_brick),
        cmocka_unit_test(what_is_no_closed_surface_is_refused),
        cmocka_unit_test(faults_of_text_name_the_line),
        cmocka_unit_test(faults_of_binary_files_name_the_offset),
        cmocka_unit_test(spoiled_files_are_read_or_refused),
        cmocka_unit_test(subnormal_widths_have_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
