/* test_render_layers.c -- transparent bodies and surfaces of particles in pictures: blending, order, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/render/pixels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 20 };

/* Sheets: quadrangles that are bodies of their own, coloured by their number. */
typedef struct {
    double points[12 * MOST], values[MOST];
    uint8_t types[MOST];
    int64_t offsets[MOST + 1], connectivity[4 * MOST];
    uint32_t body[MOST];
    pio_style styles[MOST];
    pio_snapshot_mesh mesh;
} sheets;

static pio_picture picture_of(sheets *s, int dimension, int n)
{
    pio_picture p = pio_picture_default();
    for (int i = 0; i < n; i++) {
        s->types[i] = PIO_CELL_QUAD4;
        s->offsets[i + 1] = 4 * (i + 1);
        s->values[i] = n > 1 ? (double)i / (n - 1) : 0.5;
        s->body[i] = (uint32_t)i;
        s->styles[i].opacity = 1;
        for (int k = 0; k < 4; k++) s->connectivity[4 * i + k] = 4 * i + k;
    }
    s->offsets[0] = 0;
    s->mesh = (pio_snapshot_mesh){n, s->types, s->offsets, s->connectivity};
    p.dimension = dimension;
    p.n = 4 * (size_t)n;
    p.points = s->points;
    p.values = s->values;
    p.mesh = &s->mesh;
    p.at_cells = true;
    p.body = s->body;
    p.styles = s->styles;
    p.n_styles = (size_t)n;
    p.lo = 0, p.hi = 1;
    p.map = PIO_MAP_SEQUENTIAL;
    p.width = 640, p.height = 360;
    for (int k = 0; k < 3; k++) p.box_min[k] = 0, p.box_max[k] = 1;
    return p;
}

/* Sets the corners of sheet i: a square from `low` to `high` at the depth y, which is upright in space. */
static void square(sheets *s, int i, double low, double high, double y)
{
    for (int k = 0; k < 4; k++) {
        double *p = s->points + 12 * i + 3 * k;
        p[0] = k == 1 || k == 2 ? high : low;
        p[1] = y >= 0 ? y : k > 1 ? high : low;
        p[2] = y < 0 ? 0 : k > 1 ? high : low;
    }
}

/* The plot of a 2D picture: left, top, width, height of what is pure white. */
static void find_plot(const pio_image *image, int box[4])
{
    int right = -1, bottom = -1;
    box[0] = box[1] = 1 << 20;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            if (!same_colour(pixel(image, x, y), (pio_rgb){255, 255, 255})) continue;
            box[0] = x < box[0] ? x : box[0];
            box[1] = y < box[1] ? y : box[1];
            right = x > right ? x : right;
            bottom = y > bottom ? y : bottom;
        }
    }
    box[2] = right + 1 - box[0];
    box[3] = bottom + 1 - box[1];
}

static pio_rgb at(const pio_image *image, const int box[4], double x, double y)
{
    return pixel(image, (int)(box[0] + x * box[2]), (int)(box[1] + (1 - y) * box[3]));
}

/* Returns opacity times `front` plus the rest times `back`, in each channel. */
static void mix(const double front[3], double opacity, const double back[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = opacity * front[k] + (1 - opacity) * back[k];
}

static double beside(pio_rgb c, const double wanted[3])
{
    return fmax(fabs(c.r - wanted[0]), fmax(fabs(c.g - wanted[1]), fabs(c.b - wanted[2])));
}

static void channels(pio_rgb c, double out[3])
{
    out[0] = c.r, out[1] = c.g, out[2] = c.b;
}

/* ---- blending --------------------------------------------------------------------------------------------- */

static void colours_in_the_plane_are_those_computed_by_hand(void **state)
{
    static sheets s;
    const double white[3] = {255, 255, 255};
    double near[3], far[3], one[3], other[3], both[3], wrong[3];
    pio_colormap map;
    int box[4];
    (void)state;
    pio_picture p = picture_of(&s, 2, 2);
    square(&s, 0, 0.23, 0.57, -1);
    square(&s, 1, 0.43, 0.77, -1);
    s.styles[0].opacity = 0.3;
    s.styles[1].opacity = 0.5;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    channels(map.colour[0], near);
    channels(map.colour[PIO_COLORMAP_SIZE - 1], far);
    mix(near, 0.3, white, one);
    mix(far, 0.5, white, other);
    mix(near, 0.3, other, both);
    mix(far, 0.5, one, wrong);
    pio_image image = render(&p);
    find_plot(&image, box);
    const double found[4] = {beside(at(&image, box, 0.33, 0.33), one), beside(at(&image, box, 0.67, 0.67), other),
                             beside(at(&image, box, 0.48, 0.53), both), beside(at(&image, box, 0.48, 0.53), wrong)};
    printf("colours beside those computed: %.2f, %.2f, both %.2f (1); in the other order %.0f (> 10)\n", found[0],
           found[1], found[2], found[3]);
    assert_true(found[0] <= 1 && found[1] <= 1 && found[2] <= 1 && found[3] > 10);
    pio_image_free(&image);
}

static pio_rgb middle_of(const pio_picture *p)
{
    pio_image image = render(p);
    const pio_rgb c = pixel(&image, image.width / 2 - 40, image.height / 2 + 10);
    pio_image_free(&image);
    return c;
}

static void the_nearest_is_in_front_whatever_its_number(void **state)
{
    static sheets s;
    double colour[3][3], deepest[3], all[3];
    (void)state;
    pio_picture p = picture_of(&s, 3, 3);
    p.azimuth = p.elevation = 0;
    p.threads = 2;
    for (int i = 0; i < 3; i++) { /* each alone */
        for (int k = 0; k < 3; k++) {
            square(&s, k, 0.1, 0.9, 0.2 + 0.3 * k);
            s.styles[k].opacity = k == i;
        }
        channels(middle_of(&p), colour[i]);
    }
    s.styles[0].opacity = 0.4, s.styles[1].opacity = 0.6, s.styles[2].opacity = 1;
    mix(colour[1], 0.6, colour[2], deepest);
    mix(colour[0], 0.4, deepest, all);
    const pio_rgb seen = middle_of(&p);
    for (int k = 0; k < 3; k++) { /* the same sheets with other numbers */
        square(&s, k, 0.1, 0.9, 0.8 - 0.3 * k);
        s.values[k] = 1 - 0.5 * k;
    }
    s.styles[2].opacity = 0.4, s.styles[1].opacity = 0.6, s.styles[0].opacity = 1;
    const pio_rgb again = middle_of(&p);
    printf("0.4 before 0.6 before 1: %d %d %d, beside the computed %.2f (1.5), with other numbers %d %d %d\n", seen.r,
           seen.g, seen.b, beside(seen, all), again.r, again.g, again.b);
    assert_true(beside(seen, all) <= 1.5);
    assert_true(same_colour(seen, again));
    for (int k = 0; k < 3; k++) s.styles[k].opacity = 0.4; /* negative control: the last lets the paper through */
    assert_false(same_colour(middle_of(&p), again));
}

static void no_more_than_the_nearest_sixteen_are_blended(void **state)
{
    static sheets s;
    double paper[3], alone[2][3], wanted[3] = {0, 0, 0};
    (void)state;
    pio_picture p = picture_of(&s, 2, MOST);
    pio_colormap map;
    int box[4];
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    for (int i = 0; i < MOST; i++) {
        square(&s, i, 0.23, 0.77, -1);
        s.styles[i].opacity = 0.1;
        s.values[i] = i < 16 ? 0 : 1;
    }
    channels(map.colour[0], alone[0]);
    for (int k = 0; k < 3; k++) paper[k] = 255;
    mix(alone[0], 1 - pow(0.9, 16), paper, wanted);
    pio_image image = render(&p);
    find_plot(&image, box);
    const pio_rgb c = at(&image, box, 0.53, 0.48);
    printf("20 sheets: beside the nearest 16 %.2f (1)\n", beside(c, wanted));
    assert_true(beside(c, wanted) <= 1);
    s.values[15] = 1; /* negative control: the sixteenth is seen */
    pio_image other = render(&p);
    assert_true(beside(at(&other, box, 0.53, 0.48), wanted) > 1);
    pio_image_free(&image);
    pio_image_free(&other);
}

static void opacity_zero_is_not_drawn_and_one_changes_nothing(void **state)
{
    static sheets s;
    (void)state;
    pio_picture p = picture_of(&s, 3, 2);
    square(&s, 0, 0.2, 0.8, 0.3);
    square(&s, 1, 0.1, 0.7, 0.6);
    pio_image opaque = render(&p);
    const size_t bytes = 3 * (size_t)opaque.width * (size_t)opaque.height;
    p.n_styles = 0;
    pio_image plain = render(&p);
    assert_memory_equal(plain.rgb, opaque.rgb, bytes);
    p.n_styles = 2;
    s.styles[0].opacity = 0;
    pio_image hidden = render(&p);
    assert_memory_not_equal(hidden.rgb, opaque.rgb, bytes);
    const pio_rgb front = pixel(&hidden, 320, 170);
    s.styles[1].opacity = 0.5; /* negative control */
    pio_image half = render(&p);
    assert_false(same_colour(pixel(&half, 320, 170), front));
    printf("opacity 1: the same %zu bytes; opacity 0 shows what is behind, %d %d %d\n", bytes, front.r, front.g,
           front.b);
    pio_image_free(&opaque);
    pio_image_free(&plain);
    pio_image_free(&hidden);
    pio_image_free(&half);
}

/* ---- particles -------------------------------------------------------------------------------------------- */

enum { SIDE = 20 };

/* A block of particles, of which the left half is body 0. */
static pio_picture block(int dimension, double *points, double *values, uint32_t *body)
{
    pio_picture p = pio_picture_default();
    for (int i = 0; i < SIDE * SIDE * (dimension == 3 ? SIDE : 1); i++) {
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = 0.2 + 0.03 * (i / (k == 0 ? 1 : k == 1 ? SIDE : SIDE * SIDE) % SIDE);
        values[i] = points[3 * i];
        body[i] = i % SIDE >= SIDE / 2;
        p.n++;
    }
    p.dimension = dimension;
    p.points = points;
    p.values = values;
    p.body = body;
    p.lo = 0, p.hi = 1;
    p.width = 640, p.height = 360;
    for (int k = 0; k < 3; k++) p.box_min[k] = 0, p.box_max[k] = 1;
    return p;
}

static size_t different(const pio_image *a, const pio_image *b)
{
    size_t count = 0;
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < a->width; x++) count += !same_colour(pixel(a, x, y), pixel(b, x, y));
    return count;
}

static void surfaces_have_the_same_bytes_for_any_threads(void **state)
{
    static double points[3 * SIDE * SIDE * SIDE], values[SIDE * SIDE * SIDE];
    static uint32_t body[SIDE * SIDE * SIDE];
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const pio_style styles[2] = {{true, 0.4, 0}, {true, 1, 0.03}};
        pio_picture p = block(dimension, points, values, body);
        p.threads = 1;
        pio_image discs = render(&p);
        p.styles = styles;
        p.n_styles = 2;
        pio_image first = render(&p);
        for (p.threads = 2; p.threads <= 5; p.threads++) {
            pio_image again = render(&p);
            assert_int_equal(different(&again, &first), 0);
            pio_image_free(&again);
        }
        p.n_styles = 1; /* the right half as discs */
        pio_image half = render(&p);
        const size_t changed[2] = {different(&first, &discs), different(&half, &first)};
        printf("%dD: 1 to 5 threads, the same bytes; %zu pixels differ from discs, %zu from half of them (> 500)\n",
               dimension, changed[0], changed[1]);
        assert_true(changed[0] > 500 && changed[1] > (dimension == 3 ? 500 : 50));
        pio_image_free(&discs);
        pio_image_free(&first);
        pio_image_free(&half);
    }
}

/* In space the picture shows more than the box; what is a disc there, but part of no surface, is counted. */
static void particles_far_from_their_surface_are_counted(void **state)
{
    static double points[3 * SIDE * SIDE * SIDE], values[SIDE * SIDE * SIDE];
    static uint32_t body[SIDE * SIDE * SIDE];
    const pio_style styles[2] = {{true, 1, 0}, {true, 1, 0}};
    (void)state;
    pio_picture p = block(3, points, values, body);
    p.zoom = 0.5;
    points[0] = 1.6, points[3 * 5 + 2] = -0.4; /* beyond a quarter of the box, and in the picture */
    points[3 * 7] = 1.2;                       /* beyond the box, and part of a surface */
    points[3 * 9] = 400;                       /* outside the picture */
    pio_image image = render(&p);
    assert_string_equal(image.notes, "1 particle lies outside the picture"); /* control: discs */
    pio_image_free(&image);
    p.styles = styles;
    p.n_styles = 2;
    image = render(&p);
    printf("%s\n", image.notes);
    assert_string_equal(image.notes, "1 particle lies outside the picture; "
                                     "2 particles are too far from the box for their surface");
    pio_image_free(&image);
    points[0] = 0.2;
    image = render(&p);
    assert_string_equal(image.notes, "1 particle lies outside the picture; "
                                     "1 particle is too far from the box for its surface");
    pio_image_free(&image);
    p = block(3, points, values, body);
    p.styles = styles;
    p.n_styles = 2;
    image = render(&p);
    assert_string_equal(image.notes, "");
    pio_image_free(&image);
}

static void a_contour_fills_what_the_particles_fill(void **state)
{
    static double points[3 * SIDE * SIDE], values[SIDE * SIDE];
    static uint32_t body[SIDE * SIDE];
    const pio_style style = {true, 1, 0};
    int box[4], filled = 0, empty = 0;
    (void)state;
    pio_picture p = block(2, points, values, body);
    pio_image image = render(&p);
    find_plot(&image, box);
    pio_image_free(&image);
    p.body = NULL; /* one body: between two there is a hairline */
    p.styles = &style;
    p.n_styles = 1;
    image = render(&p);
    for (int j = 0; j < 100; j++) {
        for (int i = 0; i < 100; i++) {
            const double x = (i + 0.5) / 100, y = (j + 0.5) / 100, edge = fmax(fabs(x - 0.485), fabs(y - 0.485));
            const pio_rgb c = at(&image, box, x, y);
            const bool colour = abs(c.r - c.g) > 8 || abs(c.g - c.b) > 8;
            if (edge < 0.28) filled += colour, empty += !colour;
            if (edge > 0.32) assert_false(colour);
        }
    }
    printf("%d places within have a colour, %d have none (0)\n", filled, empty);
    assert_true(filled > 2000);
    assert_int_equal(empty, 0);
    pio_image_free(&image);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void the_surface_of_a_million_particles_is_drawn(void **state)
{
    const size_t n = 1000000;
    double *points = malloc(3 * n * sizeof *points);
    const pio_style style = {true, 1, 0};
    pio_picture p = pio_picture_default();
    (void)state;
    assert_non_null(points);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            points[3 * i + k] = 0.01 * (double)(i / (k == 0 ? 1 : k == 1 ? 100 : 10000) % 100);
    p.n = n, p.points = points, p.threads = 2, p.width = 640, p.height = 360;
    pio_image discs = render(&p);
    p.styles = &style, p.n_styles = 1;
    const double start = seconds();
    pio_image image = render(&p);
    printf("1e6 particles, 640 x 360, two threads: %.2f s; %zu pixels differ from discs (> 5000)\n", seconds() - start,
           different(&image, &discs));
    assert_true(different(&image, &discs) > 5000);
    assert_string_equal(image.notes, "");
    pio_image_free(&image);
    pio_image_free(&discs);
    free(points);
}

/* ---- held colours ---------------------------------------------------------------------------------------- */

static void a_frame_without_values_keeps_the_bar_of_its_film(void **state)
{
    static double points[3 * SIDE * SIDE], values[SIDE * SIDE];
    static uint32_t body[SIDE * SIDE];
    int box[2][4], free_box[4];
    (void)state;
    pio_picture p = block(2, points, values, body);
    pio_image valued = render(&p);
    for (int i = 0; i < SIDE * SIDE; i++) values[i] = NAN;
    pio_image none = render(&p);
    p.lo = p.hi = NAN;
    pio_image barless = render(&p); /* negative control */
    find_plot(&valued, box[0]);
    find_plot(&none, box[1]);
    find_plot(&barless, free_box);
    int same = 0;
    for (int y = 60; y < 280; y++) /* the bar, above the extremes of the frame */
        for (int x = box[0][0] + box[0][2] + 20; x < valued.width; x++)
            if (pixel(&valued, x, y).r != pixel(&valued, x, y).b)
                same += same_colour(pixel(&valued, x, y), pixel(&none, x, y)) ? 1 : -100000;
    printf(
        "%d pixels of the bar are those of a frame with values (> 1000); right end of the plot %d and %d, %d without "
        "a range\n",
        same, box[0][0] + box[0][2], box[1][0] + box[1][2], free_box[0] + free_box[2]);
    assert_true(same > 1000);
    assert_memory_equal(box[0], box[1], sizeof box[0]);
    assert_memory_not_equal(box[0], free_box, sizeof free_box);
    pio_image_free(&valued);
    pio_image_free(&none);
    pio_image_free(&barless);
}

static void styles_out_of_range_are_refused(void **state)
{
    static double points[3 * SIDE * SIDE], values[SIDE * SIDE];
    static uint32_t body[SIDE * SIDE];
    const pio_style bad[4] = {{true, -0.1, 0}, {true, 1.1, 0}, {true, NAN, 0}, {true, 1, -1}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        pio_picture p = block(2, points, values, body);
        pio_image image;
        piola_error error = {0};
        p.styles = &bad[i];
        p.n_styles = 1;
        assert_int_equal(pio_render(&p, &image, &error), PIOLA_USAGE);
        assert_non_null(strstr(error.message, "body 0 has opacity"));
        assert_null(image.rgb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_in_the_plane_are_those_computed_by_hand),
        cmocka_unit_test(the_nearest_is_in_front_whatever_its_number),
        cmocka_unit_test(no_more_than_the_nearest_sixteen_are_blended),
        cmocka_unit_test(opacity_zero_is_not_drawn_and_one_changes_nothing),
        cmocka_unit_test(surfaces_have_the_same_bytes_for_any_threads),
        cmocka_unit_test(particles_far_from_their_surface_are_counted),
        cmocka_unit_test(a_contour_fills_what_the_particles_fill),
        cmocka_unit_test(the_surface_of_a_million_particles_is_drawn),
        cmocka_unit_test(a_frame_without_values_keeps_the_bar_of_its_film),
        cmocka_unit_test(styles_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
