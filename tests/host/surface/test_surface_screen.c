/* test_surface_screen.c -- what is certain about the two sides of all triangles at once agrees with a test of each
 * point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/surface/surface_inside.h"
#include "host/surface/surface_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;

static double random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

enum { MOST = 100000 };

static pio_trimesh empty(void)
{
    pio_trimesh s = {.path = (char *)(uintptr_t) "parts"};
    s.vertex = malloc(MOST * 3 * sizeof *s.vertex);
    s.triangle = malloc(MOST * 3 * sizeof *s.triangle);
    assert_true(s.vertex && s.triangle);
    return s;
}

static void put(pio_trimesh *s, int32_t a, int32_t b, int32_t c, bool inward)
{
    const int32_t corner[3] = {a, inward ? c : b, inward ? b : c};
    assert_true(s->n_triangles < MOST);
    memcpy(s->triangle + 3 * s->n_triangles++, corner, sizeof corner);
}

/* A cube of n x n squares a side, or a ball of the same; stretched, moved, and shaken by a fraction of a square. */
static void add(pio_trimesh *s, int n, bool round, const double half[3], const double at[3], double shake, bool inward)
{
    const int32_t m = n + 1, first = s->n_vertices;
    int32_t *number = malloc((size_t)(m * m * m) * sizeof *number);
    assert_non_null(number);
    for (int32_t i = 0; i < m * m * m; i++) {
        const int32_t c[3] = {i % m, i / m % m, i / m / m};
        double x[3], r = 0;
        bool outer = false;
        for (int a = 0; a < 3; a++) {
            outer = outer || c[a] == 0 || c[a] == n;
            x[a] = 2.0 * c[a] / n - 1;
            r += x[a] * x[a];
        }
        number[i] = outer ? s->n_vertices : -1;
        for (int a = 0; a < 3 && outer; a++)
            s->vertex[3 * s->n_vertices + a] =
                at[a] + half[a] * ((round ? x[a] / sqrt(r) : x[a]) + shake / n * (random_number() - 0.5));
        s->n_vertices += outer;
    }
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++)
            for (int32_t i = 0; i < n * n; i++) {
                int32_t q[4];
                for (int k = 0; k < 4; k++) {
                    int32_t c[3];
                    c[a] = side * n;
                    c[(a + 1) % 3] = i % n + (k == 1 || k == 2);
                    c[(a + 2) % 3] = i / n + (k >= 2);
                    q[k] = number[c[0] + m * (c[1] + m * c[2])];
                    assert_true(q[k] >= first);
                }
                put(s, q[0], q[1], q[2], inward != !side);
                put(s, q[0], q[2], q[3], inward != !side);
            }
    free(number);
}

/* A cone of n long triangles, and its base. */
static void add_needles(pio_trimesh *s, int32_t n, double length)
{
    const int32_t first = s->n_vertices;
    for (int32_t i = 0; i < n + 2; i++) {
        double *x = s->vertex + 3 * s->n_vertices++;
        x[0] = i < n ? cos(2 * M_PI * i / n) : 0;
        x[1] = i < n ? sin(2 * M_PI * i / n) : 0;
        x[2] = i == n ? length : 0;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < 2; k++) put(s, first + i, first + (i + 1) % n, first + n + k, k);
}

/* A rod of n rings along row `along` of the rotation in surface_screen.c, its sides `across` times its length. */
static void add_rod(pio_trimesh *s, int32_t n, int along, const double across[2])
{
    static const double turn[3][3] = {
        {0.876442, -0.36241, -0.317031}, {0.017214, 0.681575, -0.731545}, {0.4812, 0.6357, 0.6036}};
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int32_t i = 0; i <= n; i++)
        for (int c = 0; c < 4; c++)
            for (int a = 0; a < 3; a++)
                s->vertex[3 * (4 * i + c) + a] = across[0] * corner[c][0] * turn[(along + 1) % 3][a] +
                                                 across[1] * corner[c][1] * turn[(along + 2) % 3][a] +
                                                 (double)i / n * turn[along][a];
    s->n_vertices = 4 * (n + 1);
    for (int32_t i = 0; i < n; i++)
        for (int32_t c = 0; c < 4; c++) {
            const int32_t a = 4 * i + c, b = 4 * i + (c + 1) % 4;
            put(s, a, b, b + 4, false);
            put(s, a, b + 4, a + 4, false);
        }
    for (int32_t end = 0; end < 2; end++) {
        put(s, 4 * n * end, 4 * n * end + 1, 4 * n * end + 2, !end);
        put(s, 4 * n * end, 4 * n * end + 2, 4 * n * end + 3, !end);
    }
}

static void set_box(pio_trimesh *s)
{
    for (int a = 0; a < 3; a++) {
        s->low[a] = INFINITY;
        s->high[a] = -INFINITY;
        for (int32_t v = 0; v < s->n_vertices; v++) {
            s->low[a] = fmin(s->low[a], s->vertex[3 * v + a]);
            s->high[a] = fmax(s->high[a], s->vertex[3 * v + a]);
        }
    }
}

/* The screen and pio_trimesh_check_inside() against each point by itself. */
static void compare(const char *what, pio_trimesh *s, double most_doubtful)
{
    unsigned char *doubtful = malloc((size_t)s->n_triangles);
    pio_trimesh_lines *lines;
    piola_error error = {0}, first = {0};
    piola_status plain = PIOLA_OK;
    int64_t n = 0, twice = 0, missed = 0;
    set_box(s);
    const double depth = 1e-6 * pio_trimesh_size(s);
    assert_non_null(doubtful);
    assert_int_equal(pio_trimesh_lines_create(&lines, s, &error), PIOLA_OK);
    assert_int_equal(pio_trimesh_screen(s, depth, doubtful, &error), PIOLA_OK);
    for (int32_t t = 0; t < s->n_triangles; t++) {
        double x[2][3];
        bool once = true, inside;
        if (!pio_trimesh_probes(s, t, depth, x)) continue;
        for (int side = 0; side < 2; side++) {
            const int winding = pio_trimesh_winding(lines, x[side]);
            once = once && (winding == 0 || winding == 1);
            if (!plain) plain = pio_trimesh_inside(lines, x[side], &inside, &first);
        }
        n += doubtful[t];
        twice += !once;
        missed += !once && !doubtful[t];
    }
    const piola_status rc = pio_trimesh_check_inside(lines, &error);
    print_message("%s: of %d triangles %lld doubtful, %lld not wound once, of which %lld were missed (0); %s\n", what,
                  s->n_triangles, (long long)n, (long long)twice, (long long)missed, rc ? error.message : "fine");
    assert_int_equal(missed, 0);
    assert_int_equal(rc, plain);
    if (rc) assert_string_equal(error.message, first.message);
    assert_true((double)(n - twice) <= most_doubtful * s->n_triangles);
    pio_trimesh_lines_free(lines);
    free(doubtful);
    free(s->vertex);
    free(s->triangle);
}

static void what_is_certain_is_what_every_point_says(void **state)
{
    static const double middle[3] = {0}, beside[3] = {0.7, 0.1, 0}, apart[3] = {2.5, 0, 0}, far[3] = {300, -2e3, 5e4},
                        one[3] = {1, 1, 1}, small[3] = {0.4, 0.5, 0.6}, thin[3] = {1, 1e-5, 0.5},
                        tiny[3] = {1e-9, 2e-9, 1e-9}, least[3] = {1e-160, 1e-160, 1e-160};
    static const struct {
        const char *what;
        const double *half, *other, *at; /* other, at: of a second part, or NULL */
        bool inward;
        double most;
    } list[] = {{"one", one, NULL, NULL, false, 1e-3},       {"tiny", tiny, NULL, NULL, false, 1e-3},
                {"thin", thin, NULL, NULL, false, 1e-3},     {"too small", least, NULL, NULL, false, 1},
                {"apart", one, one, apart, false, 1e-3},     {"cavity", one, small, middle, true, 1e-3},
                {"nested", one, small, middle, false, 1e-3}, {"across", one, one, beside, false, 1e-3},
                {"turned", one, small, apart, true, 1e-3},   {"the same twice", one, one, middle, false, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int form = 0; form < 4; form++) {
            char what[80];
            pio_trimesh s = empty();
            const double *at = k == 0 && form % 2 ? far : middle;
            add(&s, form < 2 ? 6 : 31, form % 2, list[k].half, at, form == 2 ? 0.3 : 0, false);
            if (list[k].other) add(&s, 17, form % 2, list[k].other, list[k].at, 0, list[k].inward);
            snprintf(what, sizeof what, "%s, form %d", list[k].what, form);
            compare(what, &s, list[k].most);
        }
    for (int k = 0; k < 3; k++) {
        pio_trimesh s = empty();
        add_needles(&s, 3000, k ? 10 : 1e-3);
        if (k == 2) add(&s, 9, true, one, middle, 0.1, false);
        compare("needles", &s, k ? 1e-2 : 1);
    }
}

/* Along the line of the screen all lie in one bin; the thinner ones are less wide than the probes are apart, and their
 * numbers of triangles are none of sixteen at a time. */
static void a_rod_along_the_line_is_screened_along_another(void **state)
{
    static const double thin[2] = {0.4e-6, 2.5e-6}, thick[2] = {1e-3, 3e-4};
    static const int32_t rings[] = {2, 3, 5, 7, 19, 300};
    (void)state;
    for (size_t k = 0; k < sizeof rings / sizeof *rings; k++)
        for (int along = 0; along < 3; along++) {
            pio_trimesh s = empty();
            add_rod(&s, rings[k], along, thin);
            compare("a thin rod", &s, 1);
        }
    for (int along = 0; along < 3; along++) {
        pio_trimesh s = empty();
        add_rod(&s, 5000, along, thick);
        compare("a rod", &s, 1e-2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_certain_is_what_every_point_says),
                                       cmocka_unit_test(a_rod_along_the_line_is_screened_along_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
