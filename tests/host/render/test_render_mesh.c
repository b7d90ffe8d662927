/* test_render_mesh.c -- pictures of meshes: colours, curves, which side is seen, what is hidden, lines, determinism,
 * errors. */
#include "tests/host/render/pixels.h"
#include "tests/host/mesh/mesh_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The box is 0..1 m along every axis; the view of 3D is along +y. */
static pio_picture picture_of(const block_mesh *m, const double *values, bool at_cells)
{
    pio_picture p = pio_picture_default();
    p.dimension = m->dimension;
    p.n = (size_t)m->n;
    p.points = m->points;
    p.mesh = &m->mesh;
    p.values = values;
    p.at_cells = at_cells;
    p.field = "energy";
    p.map = PIO_MAP_SEQUENTIAL;
    p.lo = 0;
    p.hi = 1;
    p.width = 640;
    p.height = 360;
    p.threads = 1;
    p.azimuth = p.elevation = 0;
    for (int k = 0; k < 3; k++) p.box_min[k] = 0, p.box_max[k] = 1;
    return p;
}

/* The plot of a 2D picture, left, top, right and bottom (inclusive): what two pictures with another mesh have in
 * white. */
static void find_plot(const pio_image *image, int box[4])
{
    box[0] = box[1] = 1 << 20;
    box[2] = box[3] = -1;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            if (!same_colour(pixel(image, x, y), (pio_rgb){255, 255, 255})) continue;
            if (x < box[0]) box[0] = x;
            if (y < box[1]) box[1] = y;
            if (x > box[2]) box[2] = x;
            if (y > box[3]) box[3] = y;
        }
}

/* The colour at a place of a 2D picture. */
static pio_rgb at(const pio_image *image, const int box[4], double x, double y)
{
    return pixel(image, (int)(box[0] + x * (box[2] + 1 - box[0])), (int)(box[1] + (1 - y) * (box[3] + 1 - box[1])));
}

static void bend_smaller(double p[3])
{
    for (int k = 0; k < 3; k++) p[k] = 0.2 + 0.6 * p[k];
}

/* Pixels that are nearly yellow (value 1), violet (value 0), in the middle of the picture. */
static void count_ends(const pio_image *image, int *yellow, int *violet)
{
    *yellow = *violet = 0;
    for (int y = 40; y < image->height - 30; y++)
        for (int x = 100; x < image->width - 110; x++) {
            const pio_rgb c = pixel(image, x, y);
            *yellow += c.r > 2 * c.b && c.g > 80;
            *violet += c.b > 2 * c.g && c.b > c.r && c.b > 30;
        }
}

/* ---- 2D -------------------------------------------------------------------------------------------------- */

static void a_cell_has_the_colour_of_its_value(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_QUAD4, PIO_CELL_QUAD8, PIO_CELL_QUAD9};
    const double values[4] = {0.1, 0.35, 0.6, 0.93};
    pio_colormap map;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    for (int i = 0; i < 3; i++) {
        int box[4];
        block_mesh m = block_make(kinds[i], 2, 2, 1, bend_smaller);
        pio_picture p = picture_of(&m, values, true);
        pio_image image = render(&p);
        find_plot(&image, box);
        for (int c = 0; c < 4; c++) {
            const pio_rgb got = at(&image, box, c % 2 ? 0.6 : 0.35, c / 2 ? 0.6 : 0.35);
            assert_true(same_colour(got, map.colour[pio_colormap_index(values[c])]));
            assert_false(same_colour(got, map.colour[pio_colormap_index(values[3 - c])])); /* control */
        }
        assert_true(same_colour(at(&image, box, 0.11, 0.47), (pio_rgb){255, 255, 255}));
        pio_image_free(&image);
        block_free(&m);
    }
}

/* A quadratic field at points has its values between them too, to half a step of the map. */
static void a_field_of_points_is_interpolated(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_TRI6, PIO_CELL_QUAD8, PIO_CELL_QUAD9, PIO_CELL_TRI3, PIO_CELL_QUAD4};
    pio_colormap map;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    for (int i = 0; i < 5; i++) {
        int box[4];
        double worst = 0;
        const bool quadratic = i < 3;
        block_mesh m = block_make(kinds[i], 3, 3, 1, bend_smaller);
        double *values = calloc((size_t)m.n, sizeof *values);
        assert_non_null(values);
        for (int64_t k = 0; k < m.n; k++) {
            const double x = m.points[3 * k], y = m.points[3 * k + 1];
            values[k] = quadratic ? x * x + 0.2 * y : 0.8 * x + 0.2 * y;
        }
        pio_picture p = picture_of(&m, values, false);
        pio_image image = render(&p);
        find_plot(&image, box);
        for (int k = 0; k < 12; k++) {
            const double x = 0.23 + 0.2 * (k % 3) + 0.06 * (k / 6), y = 0.25 + 0.2 * (k % 3) + 0.02 * (k % 4);
            const int px = (int)(box[0] + x * (box[2] + 1 - box[0])),
                      py = (int)(box[1] + (1 - y) * (box[3] + 1 - box[1]));
            const double cx = (px + 0.5 - box[0]) / (box[2] + 1 - box[0]),
                         cy = 1 - (py + 0.5 - box[1]) / (box[3] + 1 - box[1]);
            const double want = quadratic ? cx * cx + 0.2 * cy : 0.8 * cx + 0.2 * cy;
            const pio_rgb got = pixel(&image, px, py), wanted = map.colour[pio_colormap_index(want)];
            const int off = abs(got.r - wanted.r) + abs(got.g - wanted.g) + abs(got.b - wanted.b);
            if (off < 60) worst = fmax(worst, off); /* else on the line of a cell's side */
            if (k == 0) assert_true(off < 60);
        }
        printf("kind %d: sums of the colour's channels are off by at most %g (threshold 6)\n", kinds[i], worst);
        assert_true(worst <= 6);
        pio_image_free(&image);
        free(values);
        block_free(&m);
    }
}

static void sides_of_quadratic_cells_are_curved(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_QUAD9, PIO_CELL_QUAD8, PIO_CELL_TRI6};
    for (int i = 0; i < 3; i++)
        for (int bulge = 0; bulge < 2; bulge++) {
            int box[4];
            block_mesh m = block_make(kinds[i], 1, 1, 1, bend_smaller);
            m.points[3 * 1 + 1] -= bulge ? 0.12 : 0; /* the middle of the lower side, from y = 0.2 */
            pio_picture p = picture_of(&m, NULL, false);
            pio_image image = render(&p);
            find_plot(&image, box);
            const bool below = !same_colour(at(&image, box, 0.5, 0.1), (pio_rgb){255, 255, 255});
            const bool quarter = !same_colour(at(&image, box, 0.35, 0.13), (pio_rgb){255, 255, 255});
            const bool beyond = !same_colour(at(&image, box, 0.35, 0.09), (pio_rgb){255, 255, 255});
            assert_int_equal(below, bulge);   /* y = 0.08 there */
            assert_int_equal(quarter, bulge); /* the parabola is at 0.2 - 0.12 * 3/4 = 0.11, a straight line at 0.14 */
            assert_false(beyond);
            pio_image_free(&image);
            block_free(&m);
        }
}

static void sides_of_cells_are_drawn_unless_they_are_too_fine(void **state)
{
    (void)state;
    pio_colormap map;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    for (int fine = 0; fine < 2; fine++) {
        int box[4], lines = 0, plain = 0;
        const int n = fine ? 150 : 5;
        block_mesh m = block_make(PIO_CELL_QUAD4, n, n, 1, bend_smaller);
        double *values = calloc((size_t)m.mesh.n_cells, sizeof *values);
        assert_non_null(values);
        for (int64_t c = 0; c < m.mesh.n_cells; c++) values[c] = 0.7;
        pio_picture p = picture_of(&m, values, true);
        pio_image image = render(&p);
        find_plot(&image, box);
        for (int y = box[1] + (box[3] - box[1]) / 4; y < box[3] - (box[3] - box[1]) / 4; y++)
            for (int x = box[0] + (box[2] - box[0]) / 4; x < box[2] - (box[2] - box[0]) / 4; x++) {
                const bool same = same_colour(pixel(&image, x, y), map.colour[pio_colormap_index(0.7)]);
                lines += !same;
                plain += same;
            }
        printf("%d x %d cells: %d pixels within them, %d of lines (%s)\n", n, n, plain, lines, fine ? "0" : "> 200");
        assert_true(fine ? lines == 0 : lines > 200 && plain > 4 * lines);
        pio_image_free(&image);
        free(values);
        block_free(&m);
    }
}

/* ---- 3D -------------------------------------------------------------------------------------------------- */

static void x_goes_right_and_z_up(void **state)
{
    (void)state;
    block_mesh m = block_make(PIO_CELL_HEX8, 2, 1, 2, bend_smaller);
    for (int c = 0; c < 4; c++) {
        double values[4] = {0, 0, 0, 0};
        values[c] = 1;
        pio_picture p = picture_of(&m, values, true);
        pio_image image = render(&p);
        double x = 0, y = 0, n = 0, all_x = 0, all_y = 0, all = 0;
        for (int py = 40; py < image.height - 30; py++)
            for (int px = 100; px < image.width - 110; px++) {
                const pio_rgb rgb = pixel(&image, px, py);
                const bool yellow = rgb.r > 2 * rgb.b && rgb.g > 80, violet = rgb.b > 2 * rgb.g && rgb.b > 30;
                if (yellow) x += px, y += py, n++;
                if (yellow || violet) all_x += px, all_y += py, all++;
            }
        assert_true(n > 500 && all > 3.5 * n && all < 4.5 * n);
        assert_int_equal(x / n > all_x / all, c % 2);
        assert_int_equal(y / n < all_y / all, c / 2);
        pio_image_free(&image);
    }
    block_free(&m);
}

static void move_back(double p[3])
{
    bend_smaller(p);
    p[1] = 0.65 + 0.25 * (p[1] - 0.2);
}

static void move_front(double p[3])
{
    bend_smaller(p);
    p[1] = 0.05 + 0.25 * (p[1] - 0.2);
    for (int k = 0; k < 3; k += 2) p[k] = 0.5 + 1.1 * (p[k] - 0.5);
}

/* Two plates of hexahedra as one mesh, the second behind the first or beside it; either is drawn first. */
static void a_near_face_hides_a_far_one(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        block_mesh front = block_make(PIO_CELL_HEX27, 2, 1, 2, order ? move_back : move_front),
                   back = block_make(PIO_CELL_HEX27, 2, 1, 2, order ? move_front : move_back);
        const int64_t cells = front.mesh.n_cells, nodes = front.offsets[cells];
        int64_t offsets[9], *connectivity = malloc(2 * (size_t)nodes * sizeof *connectivity);
        double *points = malloc(6 * (size_t)front.n * sizeof *points), values[8];
        uint8_t types[8];
        assert_non_null(connectivity);
        assert_non_null(points);
        for (int c = 0; c < 8; c++) types[c] = PIO_CELL_HEX27, values[c] = (c < 4) != order; /* the near one is 1 */
        for (int c = 0; c <= 8; c++) offsets[c] = 27 * c;
        for (int64_t k = 0; k < nodes; k++) {
            connectivity[k] = front.connectivity[k];
            connectivity[nodes + k] = front.n + back.connectivity[k];
        }
        for (int aside = 0; aside < 2; aside++) {
            memcpy(points, front.points, 3 * (size_t)front.n * sizeof *points);
            memcpy(points + 3 * front.n, back.points, 3 * (size_t)back.n * sizeof *points);
            double *near = order ? points + 3 * front.n : points;
            for (int64_t k = 0; k < front.n && aside; k++) near[3 * k] -= 0.3; /* control: the far one comes out */
            const pio_snapshot_mesh mesh = {8, types, offsets, connectivity};
            pio_picture p = picture_of(&front, values, true);
            p.n = 2 * (size_t)front.n, p.points = points, p.mesh = &mesh;
            pio_image image = render(&p);
            int yellow, violet;
            count_ends(&image, &yellow, &violet);
            printf("near: %d pixels (> 3000), far: %d (%s)\n", yellow, violet, aside ? "> 1000" : "0");
            assert_true(yellow > 3000 && (aside ? violet > 1000 : violet == 0));
            pio_image_free(&image);
        }
        free(connectivity);
        free(points);
        block_free(&front);
        block_free(&back);
    }
}

static void what_lies_inside_is_not_seen(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_HEX8, PIO_CELL_TET4, PIO_CELL_TET10};
    for (int i = 0; i < 3; i++)
        for (int control = 0; control < 2; control++) {
            block_mesh m = block_make(kinds[i], 3, 3, 3, bend_smaller);
            const int64_t parts = m.mesh.n_cells / 27;
            double *values = calloc((size_t)m.mesh.n_cells, sizeof *values);
            assert_non_null(values);
            for (int64_t k = 0; k < parts; k++) values[(control ? 10 : 13) * parts + k] = 1; /* 13: the middle of all */
            int yellow, violet;
            pio_picture p = picture_of(&m, values, true);
            p.azimuth = 20;
            p.elevation = 30;
            pio_image image = render(&p);
            count_ends(&image, &yellow, &violet);
            assert_true(violet > 5000);
            assert_true(control ? yellow > 500 : yellow == 0); /* 10: the middle of the face at y = 0 */
            pio_image_free(&image);
            free(values);
            block_free(&m);
        }
}

/* The light comes from the upper left: of a cube seen from the front and above, the top is brighter than the front; and
 * both sides of a sheet are lit. */
static void faces_are_lit_by_where_they_turn(void **state)
{
    (void)state;
    block_mesh m = block_make(PIO_CELL_HEX8, 1, 1, 1, bend_smaller);
    pio_picture p = picture_of(&m, NULL, false);
    p.elevation = 35;
    pio_image image = render(&p);
    const int x = 200; /* well inside the plot of 640 x 360, left of whose middle the box stands */
    int least = 255, most = 0;
    for (int y = 60; y < 330; y++)
        for (int k = 0; k < 120; k++) {
            const pio_rgb c = pixel(&image, x + k, y);
            if (!(c.b > c.r + 40)) continue;
            if (c.b < least) least = c.b;
            if (c.b > most) most = c.b;
        }
    printf("blue of the cube from %d to %d (threshold 15 apart)\n", least, most);
    assert_true(most - least > 15);
    pio_image_free(&image);
    block_free(&m);
}

/* ---- anything -------------------------------------------------------------------------------------------- */

static void bytes_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_TRI6, PIO_CELL_QUAD9, PIO_CELL_HEX20, PIO_CELL_HEX27, PIO_CELL_TET4};
    for (int i = 0; i < 5; i++) {
        block_mesh m = block_make(kinds[i], 4, 3, 5, bend_smaller);
        double *values = calloc((size_t)m.n, sizeof *values);
        assert_non_null(values);
        for (int64_t k = 0; k < m.n; k++) values[k] = sin((double)k);
        pio_picture p = picture_of(&m, values, false);
        p.azimuth = 33, p.elevation = 21, p.zoom = 1.3;
        pio_image first = render(&p);
        for (int threads = 2; threads < 6; threads++) {
            p.threads = threads;
            pio_image again = render(&p);
            assert_memory_equal(again.rgb, first.rgb, 3 * 640 * 360);
            pio_image_free(&again);
        }
        m.points[0] += 0.05; /* control */
        pio_image other = render(&p);
        assert_memory_not_equal(other.rgb, first.rgb, 3 * 640 * 360);
        pio_image_free(&other);
        pio_image_free(&first);
        free(values);
        block_free(&m);
    }
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    block_mesh m = block_make(PIO_CELL_QUAD4, 4, 4, 1, bend_smaller);
    double values[25] = {0};
    pio_picture p = picture_of(&m, values, false);
    pio_image image = render(&p);
    assert_string_equal(image.notes, "");
    pio_image_free(&image);
    m.points[0] = NAN;
    values[7] = values[8] = NAN;
    image = render(&p);
    assert_string_equal(image.notes,
                        "1 point has no finite position: its cells are not drawn; 2 points without a value are grey");
    pio_image_free(&image);
    m.points[0] = 0.2;
    p.at_cells = true;
    p.zoom = 5;
    image = render(&p);
    printf("%s\n", image.notes);
    assert_string_equal(image.notes, "12 faces lie outside the picture; 2 cells without a value are grey");
    pio_image_free(&image);
    block_free(&m);
}

/* Pixels of a block of this kind, all of whose values are 1; `odd` says what is wrong with it. */
static int pixels_of_odd(int kind, int odd)
{
    int yellow, violet;
    block_mesh m = block_make(kind, 2, 2, 2, NULL);
    double *values = calloc((size_t)m.n, sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < m.n; k++) values[k] = 1;
    for (int64_t k = 0; k < 3 * m.n; k++) {
        if (odd == 1) m.points[k] = 0.25;                              /* all in one place */
        if (odd == 2 && k % 3 != 0) m.points[k] = 0;                   /* a line */
        if (odd == 3) m.points[k] *= 1e-9;                             /* small */
        if (odd == 4) m.points[k] *= 1e12;                             /* large */
        if (odd == 5) m.points[k] = fmod(0.37 * (double)(k * k), 1.0); /* tangled */
    }
    for (int c = 0; c < 3 && odd == 5; c++) m.connectivity[c] = m.connectivity[3 * c % 2]; /* repeated nodes */
    pio_picture p = picture_of(&m, values, false);
    for (int k = 0; k < 3; k++) p.box_min[k] = p.box_max[k] = (double)NAN;
    pio_image image = render(&p);
    count_ends(&image, &yellow, &violet);
    pio_image_free(&image);
    free(values);
    block_free(&m);
    return yellow;
}

/* A picture whose box fits the body does not depend on the body's size; of a body without area, nothing or a line is
 * seen. */
static void odd_meshes_are_drawn_as_large_as_they_are(void **state)
{
    (void)state;
    static const int kinds[] = {PIO_CELL_TRI3, PIO_CELL_QUAD8, PIO_CELL_QUAD9, PIO_CELL_TET10,
                                PIO_CELL_HEX8, PIO_CELL_HEX20, PIO_CELL_HEX27};
    for (int i = 0; i < 7; i++) {
        int seen[6];
        for (int odd = 0; odd < 6; odd++) seen[odd] = pixels_of_odd(kinds[i], odd);
        printf(
            "kind %d: %d pixels (threshold 50000); in one place %d, a line %d (threshold a tenth); 1e-9 as large %d, "
            "1e12 %d (threshold 1 %% less or more); tangled %d (threshold 10000)\n",
            kinds[i], seen[0], seen[1], seen[2], seen[3], seen[4], seen[5]);
        assert_true(seen[0] > 50000 && seen[5] > 10000);
        assert_true(10 * seen[1] < seen[0] && 10 * seen[2] < seen[0]);
        assert_true(100 * abs(seen[3] - seen[0]) <= seen[0] && 100 * abs(seen[4] - seen[0]) <= seen[0]);
    }
}

/* 180000 outer faces of four million hexahedra, and a bent sheet of 980000 triangles: values low and high are seen. */
static void a_million_triangles_are_drawn(void **state)
{
    (void)state;
    for (int sheet = 0; sheet < 2; sheet++) {
        int yellow, violet;
        block_mesh m = sheet ? block_make(PIO_CELL_TRI3, 700, 700, 1, NULL)
                             : block_make(PIO_CELL_HEX8, 100, 100, 400, bend_smaller);
        m.dimension = 3;
        double *values = calloc((size_t)m.n, sizeof *values);
        assert_non_null(values);
        for (int64_t k = 0; k < m.n; k++) {
            double *p = m.points + 3 * k;
            values[k] = p[0] > 0.5;
            if (sheet) p[2] = 0.3 + 0.2 * sin(9 * p[0]) * cos(7 * p[1]);
        }
        pio_picture p = picture_of(&m, values, false);
        p.azimuth = 30, p.elevation = 24, p.width = 1280, p.height = 720, p.threads = 0;
        pio_image image = render(&p);
        count_ends(&image, &yellow, &violet);
        printf("%lld cells: %d pixels of value 1, %d of value 0 (threshold 20000)\n", (long long)m.mesh.n_cells, yellow,
               violet);
        assert_true(yellow > 20000 && violet > 20000);
        assert_string_equal(image.notes, "");
        pio_image_free(&image);
        free(values);
        block_free(&m);
    }
}

static void bad_pictures_are_refused_with_a_reason(void **state)
{
    (void)state;
    block_mesh m = block_make(PIO_CELL_QUAD4, 1, 1, 1, NULL);
    const double values[4] = {0};
    piola_error error;
    pio_image image;
    pio_picture p = picture_of(&m, values, true);
    p.mesh = NULL;
    assert_int_equal(pio_render(&p, &image, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "cells"));
    p = picture_of(&m, values, true);
    for (int k = 0; k < 12; k++) m.points[k] = (double)NAN;
    assert_int_equal(pio_render(&p, &image, &error), PIOLA_BAD_DATA);
    assert_non_null(strstr(error.message, "none of the 4 points"));
    block_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_has_the_colour_of_its_value),
        cmocka_unit_test(a_field_of_points_is_interpolated),
        cmocka_unit_test(sides_of_quadratic_cells_are_curved),
        cmocka_unit_test(sides_of_cells_are_drawn_unless_they_are_too_fine),
        cmocka_unit_test(x_goes_right_and_z_up),
        cmocka_unit_test(a_near_face_hides_a_far_one),
        cmocka_unit_test(what_lies_inside_is_not_seen),
        cmocka_unit_test(faces_are_lit_by_where_they_turn),
        cmocka_unit_test(bytes_do_not_depend_on_the_threads),
        cmocka_unit_test(what_is_left_out_is_counted),
        cmocka_unit_test(odd_meshes_are_drawn_as_large_as_they_are),
        cmocka_unit_test(a_million_triangles_are_drawn),
        cmocka_unit_test(bad_pictures_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
