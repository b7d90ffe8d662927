/* surface_read.c -- the formats STL, OBJ and PLY as lists of triangles.
 *
 * STL: 3D Systems, StereoLithography Interface Specification, 1989. OBJ: Wavefront, Advanced Visualizer Manual,
 * appendix B1. */
#include "host/data/ply.h"
#include "host/surface/surface_parts.h"
#include "host/base/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

void pio_triangles_vertex(pio_triangles *t, pio_input *in, const double x[3])
{
    if (t->n_vertices == INT32_MAX / 3) pio_input_fail(in, "more than %d vertices", INT32_MAX / 3);
    if (in->status) return;
    memcpy(t->waiting[t->n_waiting++], x, 3 * sizeof *x);
    t->n_vertices++;
    if (t->n_waiting == PIO_PLACES) pio_triangles_end(t, in);
}

void pio_triangles_add(pio_triangles *t, pio_input *in, int32_t a, int32_t b, int32_t c)
{
    const int32_t corner[3] = {a, b, c};
    if (t->n_triangles == INT32_MAX / 3) pio_input_fail(in, "more than %d triangles", INT32_MAX / 3);
    if (!pio_input_room(in, &t->triangle, t->n_triangles, &t->triangle_room, 3 * sizeof *t->triangle)) return;
    memcpy(t->triangle + 3 * t->n_triangles++, corner, sizeof corner);
}

/* ---- STL --------------------------------------------------------------------------------------------------- */

/* Adds the triangle of the last three vertices. */
static void add_last(pio_triangles *t, pio_input *in)
{
    const int32_t n = (int32_t)t->n_vertices;
    if (!in->status) pio_triangles_add(t, in, n - 3, n - 2, n - 1);
}

/* Returns the number of triangles in the header of a binary file, which is recognised only by the fact that its size
 * fits. */
static size_t stl_count(pio_input *in)
{
    uint32_t n;
    in->at = STL_HEADER - 4;
    in->binary = true;
    in->swap = !pio_little_endian();
    pio_input_bytes(in, &n, sizeof n, "the number of triangles");
    return n;
}

/* Returns coordinate k of the nine of a triangle. */
static double stl_number(const pio_input *in, size_t offset, size_t k)
{
    uint32_t bits;
    float v;
    memcpy(&bits, in->text + offset + sizeof bits * k, sizeof bits);
    if (in->swap) bits = __builtin_bswap32(bits);
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

/* Reads a binary file, whose size is that of n triangles. */
static void read_stl_binary(pio_triangles *t, pio_input *in, size_t n)
{
    enum { AT_ONCE = PIO_PLACES / 3 };
    double x[PIO_PLACES][3];
    if (n > INT32_MAX / 3 / 3) pio_input_fail(in, "more than %d vertices", INT32_MAX / 3);
    if (in->status) return;
    t->triangle = malloc((n + 1) * 3 * sizeof *t->triangle);
    if (!t->triangle) pio_input_no_memory(in, (n + 1) * 3 * sizeof *t->triangle, "a surface");
    for (size_t first = 0; first < n && !in->status; first += AT_ONCE) {
        const size_t some = n - first < AT_ONCE ? n - first : AT_ONCE;
        pio_input_poll(in);
        for (size_t i = 0; i < 9 * some; i++) { /* skip the normal, which follows from the order of the corners */
            const size_t at = in->at + STL_TRIANGLE * (i / 9) + 3 * sizeof(float);
            x[i / 3][i % 3] = stl_number(in, at, i % 9);
            if (isfinite(x[i / 3][i % 3])) continue;
            in->mark = at + i % 9 * sizeof(float);
            pio_input_fail(in, "%g is not a finite coordinate, in triangle %zu", x[i / 3][i % 3], first + i / 9);
        }
        pio_triangles_places(t, in, 3 * some, x, t->triangle + 3 * first);
        in->at += STL_TRIANGLE * some;
    }
    t->n_triangles = n;
}

static void next_line(pio_input *in, const char *what)
{
    if (in->status) return;
    if (!pio_input_line_ends(in)) pio_input_fail(in, "unexpected text before the end of the line");
    if (!pio_input_line(in) && !in->status) {
        in->mark = in->at;
        pio_input_fail(in, "the file ends where '%s' is expected; it was cut off", what);
    }
}

/* Reads a facet from behind its first word. */
static void read_facet(pio_triangles *t, pio_input *in)
{
    pio_input_expect(in, "normal");
    for (int a = 0; a < 3; a++) pio_input_word(in, "the normal"); /* which some programs write as nan */
    next_line(in, "outer loop");
    pio_input_expect(in, "outer");
    pio_input_expect(in, "loop");
    for (int k = 0; k < 3; k++) {
        double x[3];
        next_line(in, "vertex");
        pio_input_expect(in, "vertex");
        for (int a = 0; a < 3; a++) x[a] = pio_input_number(in, "a coordinate");
        pio_triangles_vertex(t, in, x);
    }
    next_line(in, "endloop");
    pio_input_expect(in, "endloop");
    next_line(in, "endfacet");
    pio_input_expect(in, "endfacet");
    add_last(t, in);
}

static void read_stl_text(pio_triangles *t, pio_input *in)
{
    while (pio_input_line(in)) {
        pio_input_expect(in, "solid");
        pio_input_skip_line(in); /* skip the name */
        for (;;) {
            if (!pio_input_line(in)) {
                in->mark = in->at;
                pio_input_fail(in, "the file ends where 'endsolid' is expected; it was cut off");
                return;
            }
            pio_input_word(in, "facet");
            if (!strcmp(in->word, "endsolid")) break;
            if (strcmp(in->word, "facet") != 0)
                pio_input_fail(in, "'%s' where 'facet' or 'endsolid' is expected", in->word);
            read_facet(t, in);
            if (!in->status && !pio_input_line_ends(in)) pio_input_fail(in, "more behind 'endfacet'");
        }
        pio_input_skip_line(in);
    }
}

/* ---- OBJ --------------------------------------------------------------------------------------------------- */

/* Reads a corner, v, v/vt, v//vn or v/vt/vn; numbers below 0 count back from the last vertex so far. */
static int32_t read_corner(pio_triangles *t, pio_input *in)
{
    long long v;
    char rest;
    int length = 0;
    int64_t number;
    if (pio_input_try_integer(in, 1, (int64_t)t->n_vertices, "/0123456789-", &number)) return (int32_t)(number - 1);
    if (!pio_input_word(in, "a corner")) return 0;
    const int found = sscanf(in->word, "%11lld%n%c", &v, &length, &rest);
    const long long n = (long long)t->n_vertices;
    if (found < 1 || (found == 2 && rest != '/') ||
        strspn(in->word + length, "/0123456789-") < strlen(in->word + length))
        pio_input_fail(in, "'%s' where a corner is expected; give v, v/vt, v//vn or v/vt/vn", in->word);
    else if (v == 0 || v > n || v < -n)
        pio_input_fail(in, "there is no vertex %lld; there are %lld so far, numbered from 1", v, n);
    return in->status ? 0 : (int32_t)(v > 0 ? v - 1 : n + v);
}

static void read_face(pio_triangles *t, pio_input *in)
{
    int32_t first = read_corner(t, in), last = read_corner(t, in);
    do {
        const int32_t corner = read_corner(t, in);
        if (in->status) return;
        pio_triangles_add(t, in, first, last, corner);
        last = corner;
    } while (!in->status && !pio_input_line_ends(in));
}

/* Returns whether a statement says nothing about polygons. */
static bool passes(const char *word)
{
    static const char *const list[] = {"vt",     "vn",       "vp",       "g",      "o",   "s",          "mg",
                                       "usemtl", "mtllib",   "usemap",   "maplib", "lod", "shadow_obj", "trace_obj",
                                       "bevel",  "c_interp", "d_interp", "l",      "p"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(word, list[i])) return true;
    return word[0] == '#';
}

static void read_obj(pio_triangles *t, pio_input *in)
{
    while (pio_input_line(in) && pio_input_word(in, "a statement")) {
        if (!strcmp(in->word, "v")) {
            double x[3]; /* a weight or a colour may follow */
            for (int a = 0; a < 3; a++) x[a] = pio_input_number(in, "a coordinate");
            pio_triangles_vertex(t, in, x);
        } else if (!strcmp(in->word, "f")) {
            read_face(t, in);
        } else if (!passes(in->word)) {
            pio_input_fail(in, "'%s' is not a statement that is read; these are v (vertices) and f (polygons)",
                           in->word);
        }
        pio_input_skip_line(in);
    }
}

/* ---- PLY --------------------------------------------------------------------------------------------------- */

static void read_ply(pio_triangles *t, pio_input *in)
{
    size_t at[3];
    pio_ply ply;
    pio_ply_read(&ply, in);
    if (in->status) return;
    in->mark = 0;
    for (int a = 0; a < 3; a++) {
        at[a] = 0;
        while (at[a] < ply.n_columns && strcmp(ply.columns[at[a]], pio_axis_names[a]) != 0) at[a]++;
        if (at[a] == ply.n_columns) pio_input_fail(in, "the vertices have no property '%s'", pio_axis_names[a]);
    }
    if (ply.n_rows > INT32_MAX / 3) pio_input_fail(in, "more than %d vertices", INT32_MAX / 3);
    const bool others = ply.n_columns != 3 || at[0] != 0 || at[1] != 1;
    for (size_t r = 0; others && r < ply.n_rows && !in->status; r++) { /* drop the other properties */
        const double *row = ply.values + r * ply.n_columns, x[3] = {row[at[0]], row[at[1]], row[at[2]]};
        memcpy(ply.values + 3 * r, x, sizeof x);
        pio_input_poll(in);
    }
    if (!in->status) {
        pio_triangles_whole(t, in, ply.values, ply.n_rows);
        ply.values = NULL;
    }
    if (!ply.face_start && !in->status) {
        t->triangle = ply.corner;
        t->n_triangles = t->triangle_room = ply.n_faces;
        ply.corner = NULL;
    }
    for (size_t f = 0; f < ply.n_faces && ply.face_start; f++) {
        const int32_t *c = ply.corner + ply.face_start[f];
        for (size_t k = 2; k < ply.face_start[f + 1] - ply.face_start[f] && !in->status; k++)
            pio_triangles_add(t, in, c[0], c[k - 1], c[k]);
    }
    pio_ply_free(&ply);
}

/* ---- which ------------------------------------------------------------------------------------------------- */

/* Returns whether the first word of the first line that is not a comment is one of these. */
static bool begins_with(const pio_input *in, const char *const *words)
{
    pio_input ahead = *in;
    while (pio_input_line(&ahead)) {
        if (ahead.text[ahead.at] != '#') {
            pio_input_word(&ahead, "a word");
            for (; *words; words++)
                if (!strcmp(ahead.word, *words)) return true;
            return false;
        }
        pio_input_skip_line(&ahead);
    }
    return false;
}

static void read_known(pio_triangles *t, pio_input *in)
{
    static const char *const stl[] = {"solid", NULL};
    static const char *const obj[] = {"v", "f", "o", "g", "s", "mtllib", "usemtl", "vt", "vn", NULL};
    if (pio_is_ply(in->text, in->size)) {
        read_ply(t, in);
        return;
    }
    if (in->size >= STL_HEADER) {
        pio_input ahead = *in;
        const size_t n = stl_count(&ahead);
        if (in->size == STL_HEADER + STL_TRIANGLE * n) {
            *in = ahead;
            read_stl_binary(t, in, n);
            return;
        }
    }
    if (begins_with(in, stl))
        read_stl_text(t, in);
    else if (begins_with(in, obj))
        read_obj(t, in);
    else
        pio_input_fail(in, "this is neither PLY nor OBJ nor STL, or a binary STL that was cut off");
}

void pio_triangles_read(pio_triangles *t, pio_input *in)
{
    read_known(t, in);
    pio_triangles_end(t, in);
}
