/* test_surface_order.c -- how surfaces are put in order and found to be closed, against a plain sort of all places and
 * edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/surface/surface_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

typedef struct {
    size_t n_vertices, n_triangles;
    double *vertex;    /* [n_vertices][3] */
    int32_t *triangle; /* [n_triangles][3] */
} soup;

/* Triangles of vertices on a lattice of `most` places per axis, so that many are at one place; some at -0, some
 * subnormal and some so near to each other that the scale makes them one. */
static soup make_soup(size_t n, uint64_t most)
{
    soup s = {.n_vertices = n, .n_triangles = n};
    s.vertex = malloc(n * 3 * sizeof *s.vertex);
    s.triangle = malloc(n * 3 * sizeof *s.triangle);
    assert_non_null(s.vertex);
    assert_non_null(s.triangle);
    for (size_t i = 0; i < 3 * n; i++) {
        const uint64_t bits = random_bits();
        const double x = (double)(bits % most);
        s.vertex[i] = bits >> 32 & 3   ? x
                      : bits >> 34 & 1 ? -x
                      : bits >> 35 & 1 ? x * 4.9e-324
                                       : x * (1 + 0x1p-52 * (double)(bits >> 36 & 3));
        s.triangle[i] = (int32_t)(random_bits() % n);
    }
    return s;
}

/* ---- the plain way ------------------------------------------------------------------------------------------ */

typedef struct {
    double x[3];
    int32_t number;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] < q->x[k] || p->x[k] > q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Vertices in the order in which their places first occur among the corners of triangles whose corners differ. */
static pio_trimesh merge(const soup *t, double scale)
{
    pio_trimesh s = {0};
    placed *sorted = malloc(t->n_vertices * sizeof *sorted);
    int32_t *same = malloc(t->n_vertices * sizeof *same), *number = malloc(t->n_vertices * sizeof *number);
    s.vertex = malloc(t->n_vertices * 3 * sizeof *s.vertex);
    s.triangle = malloc(t->n_triangles * 3 * sizeof *s.triangle);
    assert_true(sorted && same && number && s.vertex && s.triangle);
    for (size_t i = 0; i < t->n_vertices; i++) {
        sorted[i].number = (int32_t)i;
        for (size_t a = 0; a < 3; a++) sorted[i].x[a] = scale * t->vertex[3 * i + a] + 0.0;
    }
    qsort(sorted, t->n_vertices, sizeof *sorted, by_place);
    for (size_t i = 0, first = 0; i < t->n_vertices; i++) {
        if (memcmp(sorted[i].x, sorted[first].x, sizeof sorted[i].x) != 0) first = i;
        same[sorted[i].number] = sorted[first].number;
        number[i] = -1;
    }
    for (size_t c = 0; c < 3 * t->n_triangles; c += 3) {
        int32_t own[3];
        for (size_t k = 0; k < 3; k++) own[k] = same[t->triangle[c + k]];
        if (own[0] == own[1] || own[1] == own[2] || own[2] == own[0]) continue;
        for (int k = 0; k < 3; k++) {
            int32_t *is = &number[own[k]];
            for (int a = 0; a < 3 && *is < 0; a++)
                s.vertex[3 * s.n_vertices + a] = scale * t->vertex[3 * own[k] + a] + 0.0;
            if (*is < 0) *is = s.n_vertices++;
            s.triangle[3 * s.n_triangles + k] = *is;
        }
        s.n_triangles++;
    }
    free(sorted);
    free(same);
    free(number);
    return s;
}

typedef struct {
    int32_t low, high, way;
} edge;

static int by_vertices(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

/* The message about the edges, or "". */
static void message_on_edges(const pio_trimesh *s, char *out, size_t size)
{
    const size_t n = 3 * (size_t)s->n_triangles;
    long long open = 0, turned = 0;
    size_t first_open = 0, first_turned = 0;
    edge *e = malloc(n * sizeof *e + 1);
    assert_non_null(e);
    for (size_t i = 0; i < n; i++) {
        const int32_t a = s->triangle[i], b = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
        e[i] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
    qsort(e, n, sizeof *e, by_vertices);
    for (size_t i = 0, next; i < n; i = next) {
        int64_t sum = 0;
        for (next = i; next < n && by_vertices(&e[i], &e[next]) == 0; next++) sum += e[next].way;
        if (sum == 0) continue;
        if ((next - i) % 2) {
            if (!open++) first_open = i;
        } else if (!turned++) {
            first_turned = i;
        }
    }
    out[0] = '\0';
    if (open || turned) {
        const edge *first = e + (open ? first_open : first_turned);
        const double *p = s->vertex + 3 * first->low, *q = s->vertex + 3 * first->high;
        snprintf(out, size, "%lld edge%s%s, the first from (%g %g %g) to (%g %g %g) m", open ? open : turned,
                 (open ? open : turned) > 1 ? "s" : "",
                 open > 1 ? " are open"
                 : open   ? " is open"
                          : "",
                 p[0], p[1], p[2], q[0], q[1], q[2]);
    }
    free(e);
}

/* ---- comparisons -------------------------------------------------------------------------------------------- */

static void compare_edges(pio_trimesh *s)
{
    char words[400];
    piola_error error = {0};
    s->path = (char *)(uintptr_t) "soup";
    message_on_edges(s, words, sizeof words);
    const piola_status rc = pio_trimesh_check_closed(s, &error);
    s->path = NULL;
    print_message("%d vertices, %d triangles: %s\n", s->n_vertices, s->n_triangles, rc ? error.message : "closed");
    assert_int_equal(rc, *words ? PIOLA_BAD_DATA : PIOLA_OK);
    if (*words && !strstr(error.message, words)) fail_msg("the plain way says: %s", words);
}

/* As the corners come, from a file whose vertices have numbers, and from one that has all of them at once. */
typedef enum { CORNERS, NUMBERED, WHOLE } coming;

static void compare(const soup *from, double scale, coming how)
{
    const bool numbered = how != CORNERS;
    piola_error error = {0};
    pio_input in = {.path = "soup", .error = &error};
    pio_triangles t = {.scale = scale};
    pio_trimesh s = {0}, plain = merge(from, scale);
    if (how == WHOLE) {
        double *all = malloc(from->n_vertices * 3 * sizeof *all);
        assert_non_null(all);
        memcpy(all, from->vertex, from->n_vertices * 3 * sizeof *all);
        pio_triangles_whole(&t, &in, all, from->n_vertices);
    }
    for (size_t i = 0; how != WHOLE && i < (numbered ? from->n_vertices : 3 * from->n_triangles); i++)
        pio_triangles_vertex(&t, &in, from->vertex + 3 * (numbered ? i : (size_t)from->triangle[i]));
    for (size_t i = 0; i < from->n_triangles; i++) {
        const int32_t *c = from->triangle + 3 * i, k = (int32_t)(3 * i);
        pio_triangles_add(&t, &in, numbered ? c[0] : k, numbered ? c[1] : k + 1, numbered ? c[2] : k + 2);
    }
    pio_triangles_end(&t, &in);
    assert_int_equal(in.status, PIOLA_OK);
    assert_int_equal(pio_triangles_order(&t, &s, &error), PIOLA_OK);
    pio_triangles_free(&t);
    assert_int_equal(s.n_vertices, plain.n_vertices);
    assert_int_equal(s.n_triangles, plain.n_triangles);
    assert_memory_equal(s.vertex, plain.vertex, 24 * (size_t)s.n_vertices);
    assert_memory_equal(s.triangle, plain.triangle, 12 * (size_t)s.n_triangles);
    compare_edges(&s);
    pio_trimesh_free(&s);
    pio_trimesh_free(&plain);
}

static void places_are_numbered_as_a_sort_does(void **state)
{
    static const double scales[] = {1, 0.3, 1e-3, 1e308};
    static const struct {
        size_t n;
        uint64_t places;
    } sizes[] = {{3, 2}, {50, 2}, {191, 100}, {2000, 8}, {3000, 40}, {60000, 30}, {60000, 100000}};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
            soup s = make_soup(sizes[k].n, sizes[k].places);
            for (coming how = CORNERS; how <= WHOLE; how++) compare(&s, scales[i], how);
            free(s.vertex);
            free(s.triangle);
        }
}

/* A closed surface whose edges all meet the vertices 0 or 1, and the same with triangles that are turned, doubled and
 * gone. */
static void edges_are_judged_as_a_sort_does(void **state)
{
    enum { AROUND = 30000, MOST = 2 * AROUND + 100 };
    (void)state;
    for (int trial = 0; trial < 16; trial++) {
        pio_trimesh s = {.n_vertices = AROUND + 2};
        s.vertex = calloc((size_t)s.n_vertices * 3, sizeof *s.vertex);
        s.triangle = malloc((size_t)MOST * 3 * sizeof *s.triangle);
        assert_true(s.vertex && s.triangle);
        for (int i = 0; i < 3 * s.n_vertices; i++) s.vertex[i] = i;
        for (int32_t i = 0; i < AROUND; i++)
            for (int32_t side = 0; side < 2; side++) {
                const int32_t a = i + 2, b = (i + 1) % AROUND + 2, c[3] = {side, side ? b : a, side ? a : b};
                memcpy(s.triangle + 3 * s.n_triangles++, c, sizeof c);
            }
        for (int k = 0; k < trial; k++) {
            const size_t at = 3 * (random_bits() % (size_t)s.n_triangles), to = 3 * (size_t)(s.n_triangles - 1);
            const int32_t first = s.triangle[at];
            if (trial % 3 < 2) { /* turn */
                s.triangle[at] = s.triangle[at + 1];
                s.triangle[at + 1] = first;
            }
            if (trial % 3 == 1) memcpy(s.triangle + 3 * s.n_triangles++, s.triangle + at, 12);
            if (trial % 3 == 2) memmove(s.triangle + at, s.triangle + to, 12);
            if (trial % 3 == 2) s.n_triangles--;
        }
        compare_edges(&s);
        pio_trimesh_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_numbered_as_a_sort_does),
                                       cmocka_unit_test(edges_are_judged_as_a_sort_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
