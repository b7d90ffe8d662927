/* test_render.c -- pictures of particles: colours, clipping, what hides what, what is counted, determinism, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/render/pixels.h"

#include "host/render/render_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t bytes_of(const pio_image *image)
{
    return 3 * (size_t)image->width * (size_t)image->height;
}

/* The plot of a 2D picture: the bounds of its pure white, which is nowhere else. left, top, right, bottom (inclusive).
 */
static void find_plot(const pio_image *image, int box[4])
{
    box[0] = box[1] = 1 << 20;
    box[2] = box[3] = -1;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            if (!same_colour(pixel(image, x, y), (pio_rgb){255, 255, 255})) continue;
            if (x < box[0]) box[0] = x;
            if (y < box[1]) box[1] = y;
            if (x > box[2]) box[2] = x;
            if (y > box[3]) box[3] = y;
        }
    }
}

/* A block of 12 x 12 (x 12) particles in the unit box, coloured by x. */
static pio_picture block(int dimension, double *points, double *values)
{
    pio_picture p = pio_picture_default();
    size_t n = 0;
    for (int i = 0; i < 12 * 12 * (dimension == 3 ? 12 : 1); i++, n++) {
        points[3 * n] = 0.3 + 0.03 * (i % 12);
        points[3 * n + 1] = 0.3 + 0.03 * (i / 12 % 12);
        points[3 * n + 2] = dimension == 3 ? 0.02 + 0.03 * (i / 144) : 0;
        values[n] = 1 + 0.25 * (i % 12);
    }
    p.dimension = dimension;
    p.n = n;
    p.points = points;
    p.values = values;
    p.field = "velocity";
    p.units = "m/s";
    p.title = "Block";
    p.caption = "t = 0.42 s";
    p.radius = 0.015;
    p.width = 640;
    p.height = 360;
    p.threads = 1;
    for (int k = 0; k < 3; k++) p.box_min[k] = 0, p.box_max[k] = 1;
    return p;
}

/* ---- pictures ------------------------------------------------------------------------------------------ */

static void bytes_do_not_depend_on_the_run_or_the_threads(void **state)
{
    double points[3 * 1728], values[1728];
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        pio_picture p = block(dimension, points, values);
        p.zoom = 1.7;
        pio_image first = render(&p);
        for (int threads = 0; threads <= 5; threads++) {
            p.threads = threads;
            pio_image again = render(&p);
            assert_memory_equal(again.rgb, first.rgb, bytes_of(&first));
            pio_image_free(&again);
        }
        values[p.n / 2] += 1; /* control: another value is another picture */
        p.zoom = 1.71;
        pio_image other = render(&p);
        assert_memory_not_equal(other.rgb, first.rgb, bytes_of(&first));
        pio_image_free(&other);
        pio_image_free(&first);
    }
    printf("2D and 3D: the same bytes for 0 to 5 threads\n");
}

static void a_particle_has_the_colour_of_its_value(void **state)
{
    const double points[9] = {0.25, 0.5, 0, 0.5, 0.25, 0, 0.8, 0.7, 0};
    double values[3] = {1.3, 2.2, 3.9};
    pio_colormap map;
    int box[4];
    (void)state;
    for (int kind = PIO_MAP_SEQUENTIAL; kind <= PIO_MAP_DIVERGING; kind++) {
        pio_picture p = block(2, (double[3 * 144]){0}, (double[144]){0});
        p.n = 3, p.points = points, p.values = values, p.radius = 0.05;
        p.map = (pio_map_kind)kind;
        p.lo = kind == PIO_MAP_DIVERGING ? -4 : 1;
        p.hi = 4;
        pio_image image = render(&p);
        pio_colormap_make(&map, p.map);
        find_plot(&image, box);
        for (int i = 0; i < 3; i++) {
            int x = (int)(box[0] + points[3 * i] * (box[2] + 1 - box[0]));
            int y = (int)(box[1] + (1 - points[3 * i + 1]) * (box[3] + 1 - box[1]));
            double t = (values[i] - p.lo) / (p.hi - p.lo);
            assert_true(same_colour(pixel(&image, x, y), map.colour[pio_colormap_index(t)]));
            assert_false(
                same_colour(pixel(&image, x + 30, y), map.colour[pio_colormap_index(t)])); /* control: beside it */
        }
        int wide = box[2] + 1 - box[0], high = box[3] + 1 - box[1];
        printf("plot %d x %d pixels for a box of 1 m x 1 m\n", wide, high);
        assert_int_equal(wide, high); /* true aspect */
        pio_image_free(&image);
    }
}

static void values_beyond_the_range_are_clipped_and_get_an_arrow(void **state)
{
    const double points[6] = {0.5, 0.5, 0, 0.2, 0.2, 0};
    double values[2] = {2, 1.5};
    pio_colormap map;
    int box[4];
    pio_picture p = block(2, (double[3 * 144]){0}, (double[144]){0});
    (void)state;
    p.n = 2, p.points = points, p.values = values, p.radius = 0.05, p.lo = 1, p.hi = 2;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    pio_image inside = render(&p);
    find_plot(&inside, box);
    for (int k = 0; k < 2; k++) {
        values[0] = k == 0 ? 7 : INFINITY;
        pio_image beyond = render(&p);
        int in_plot = 0, in_bar = 0;
        for (int y = 0; y < inside.height; y++) {
            for (int x = 0; x < inside.width; x++) {
                bool differs = !same_colour(pixel(&inside, x, y), pixel(&beyond, x, y));
                in_plot += differs && x <= box[2];
                in_bar += differs && x > box[2] && y < 150; /* not the line "max 7" */
            }
        }
        printf("value %g: %d pixels differ in the plot (0), %d at the head of the bar (> 20)\n", values[0], in_plot,
               in_bar);
        assert_int_equal(in_plot, 0);
        assert_true(in_bar > 20);
        pio_image_free(&beyond);
    }
    assert_true(
        same_colour(pixel(&inside, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2), map.colour[PIO_COLORMAP_SIZE - 1]));
    pio_image_free(&inside);
}

static void a_given_range_lays_pictures_out_alike(void **state)
{
    static double points[3 * 144], values[144];
    int box[2][4], free_box[2][4];
    (void)state;
    for (int given = 1; given >= 0; given--) {
        for (int k = 0; k < 2; k++) {
            pio_picture p = block(2, points, values);
            p.field = "v";
            if (given) p.lo = 0, p.hi = 2;
            for (size_t i = 0; i < p.n; i++) values[i] = k == 0 ? 1 : -1.2345e-21 * (double)(i + 1);
            pio_image image = render(&p);
            find_plot(&image, given ? box[k] : free_box[k]);
            pio_image_free(&image);
        }
    }
    printf("right end of the plot: %d and %d pixels with a given range, %d and %d without\n", box[0][2], box[1][2],
           free_box[0][2], free_box[1][2]);
    assert_memory_equal(box[0], box[1], sizeof box[0]);
    assert_int_not_equal(free_box[0][2], free_box[1][2]); /* control: other words beside the bar move the plot */
}

/* Returns the pixels right of the plot with colour number `at` of the map. */
static int in_bar(const pio_image *image, const int box[4], const pio_colormap *map, int at)
{
    int count = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = box[2] + 2; x < image->width; x++) count += same_colour(pixel(image, x, y), map->colour[at]);
    return count;
}

static void names_stand_beside_a_block_of_the_bar_each(void **state)
{
    static double points[3 * 144], values[144];
    const char *const names[2] = {"foot", "hand"}, *const others[2] = {"foot", "dnah"}; /* as wide */
    const int low = pio_colormap_index(0.25), high = pio_colormap_index(0.75);
    pio_colormap map;
    int box[4], box_of_numbers[4], differ[2] = {0, 0};
    (void)state;
    pio_colormap_make(&map, PIO_MAP_SEQUENTIAL);
    pio_picture p = block(2, points, values);
    for (size_t i = 0; i < p.n; i++) values[i] = (double)(i % 2);
    p.names = names, p.n_names = 2;
    pio_image named = render(&p);
    p.names = others;
    pio_image other = render(&p);
    p.n_names = 0;
    pio_image numbers = render(&p);
    find_plot(&named, box);
    find_plot(&numbers, box_of_numbers);
    for (int y = 0; y < named.height; y++)
        for (int x = 0; x < named.width; x++)
            differ[x > box[2]] += !same_colour(pixel(&named, x, y), pixel(&other, x, y));
    const int blocks[2] = {in_bar(&named, box, &map, low), in_bar(&named, box, &map, high)};
    const int of_numbers = in_bar(&numbers, box_of_numbers, &map, low);
    printf("pixels of the bar: %d and %d in two colours (> 500), of numbers %d in the first (< 100); of other names %d "
           "differ in the plot (0), %d beside (> 5)\n",
           blocks[0], blocks[1], of_numbers, differ[0], differ[1]);
    assert_true(blocks[0] > 500 && blocks[1] > 500);
    assert_true(of_numbers < 100); /* control: the bar of numbers has all colours */
    assert_int_equal(differ[0], 0);
    assert_true(differ[1] > 5);
    pio_image_free(&named);
    pio_image_free(&other);
    pio_image_free(&numbers);
}

static void nothing_is_drawn_outside_the_plot(void **state)
{
    double points[3 * 1728], values[1728];
    int box[4], stray = 0, drawn = 0;
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        pio_picture p = block(dimension, points, values);
        p.radius = 0.08;
        p.box_min[2] = -1; /* the eye's axis is then through the particles */
        pio_image shown = render(&p);
        find_plot(&shown, box);
        for (size_t i = 0; i < p.n; i++) { /* all on a circle that the plot's edges cut in 2D, and far beyond in 3D */
            double angle = 2 * M_PI * (double)i / (double)p.n, r = dimension == 2 ? 0.55 : 0.9;
            points[3 * i] = 0.5 + r * cos(angle);
            points[3 * i + 1] = 0.5 + r * sin(angle);
        }
        pio_image ring = render(&p);
        for (int y = 0; y < shown.height; y++) {
            for (int x = 0; x < shown.width; x++) {
                bool differs = !same_colour(pixel(&shown, x, y), pixel(&ring, x, y));
                bool plot = dimension == 2 ? x >= box[0] - 2 && x <= box[2] + 2 && y >= box[1] - 2 && y <= box[3] + 2
                                           : x < shown.width - 60 && y > 28;
                if (y > shown.height - 20) continue; /* the notes */
                if (differs && plot) drawn++;
                if (differs && !plot) stray++;
            }
        }
        pio_image_free(&ring);
        pio_image_free(&shown);
    }
    printf("%d pixels differ in the plots (> 1000), %d outside (0)\n", drawn, stray);
    assert_true(drawn > 1000);
    assert_int_equal(stray, 0);
}

static void a_near_particle_hides_a_far_one(void **state)
{
    double points[6] = {0.5, 0.9, 0.5, 0.5, 0.1, 0.5}; /* the eye is at -y */
    const double values[2] = {0, 1};
    (void)state;
    int yellow[2], violet[2];
    for (int side = 0; side < 2; side++) {
        pio_picture p = block(3, (double[3 * 1728]){0}, (double[1728]){0});
        p.n = 2, p.points = points, p.values = values, p.radius = 0.1, p.azimuth = 0, p.elevation = 0;
        points[0] = side == 0 ? 0.5 : 0.2; /* control: beside it the far one shows */
        pio_image image = render(&p);
        yellow[side] = violet[side] = 0;
        for (int y = 0; y < image.height; y++) {
            for (int x = 60; x < image.width - 100; x++) { /* neither triad nor bar */
                pio_rgb c = pixel(&image, x, y);
                yellow[side] += c.r > 2 * c.b;
                violet[side] += c.b > 2 * c.g && c.b > c.r;
            }
        }
        pio_image_free(&image);
    }
    printf("near %d and %d pixels, far %d (0) and %d (> 300)\n", yellow[0], yellow[1], violet[0], violet[1]);
    assert_true(yellow[0] > 300 && yellow[1] > 300);
    assert_int_equal(violet[0], 0);
    assert_true(violet[1] > 300);
}

static void a_signed_field_is_neutral_at_zero_and_robust(void **state)
{
    double points[3 * 144], values[144];
    int box[4];
    (void)state;
    pio_picture p = block(2, points, values);
    p.field = "grad_E";
    for (size_t i = 0; i < p.n; i++) values[i] = i % 2 ? -1e-9 * (double)(i + 1) : 2e-9 * (double)(i + 1);
    values[0] = 5; /* an outlier */
    values[66] = 0;
    points[3 * 66] = 0.9, points[3 * 66 + 1] = 0.9;
    values[67] = 2.8e-7;
    points[3 * 67] = 0.9, points[3 * 67 + 1] = 0.1;
    pio_image image = render(&p);
    find_plot(&image, box);
    int x = (int)(box[0] + 0.9 * (box[2] + 1 - box[0]));
    pio_rgb zero = pixel(&image, x, (int)(box[1] + 0.1 * (box[3] + 1 - box[1])));
    pio_rgb large = pixel(&image, x, (int)(box[1] + 0.9 * (box[3] + 1 - box[1])));
    printf("0: %d %d %d (grey within 6); 2.8e-7 beside an outlier of 5: %d %d %d (strongly red)\n", zero.r, zero.g,
           zero.b, large.r, large.g, large.b);
    assert_true(abs(zero.r - zero.g) <= 6 && abs(zero.g - zero.b) <= 6 && zero.r < 240);
    assert_true(large.r > 2 * large.g && large.r > 2 * large.b);
    pio_image_free(&image);
}

static void particles_left_out_are_counted(void **state)
{
    double points[3 * 144], values[144];
    pio_picture p = block(2, points, values);
    (void)state;
    points[0] = NAN, points[4] = INFINITY, points[7] = -INFINITY;
    points[5] = NAN; /* the third coordinate of a 2D particle is not read */
    points[30] = 40;
    values[20] = values[21] = NAN;
    values[0] = NAN; /* not drawn at all: counted once */
    pio_image image = render(&p);
    printf("%s\n", image.notes);
    assert_string_equal(image.notes,
                        "3 particles without a finite position are not drawn; 1 particle lies outside the picture; "
                        "2 particles without a value are grey");
    int box[4];
    find_plot(&image, box);
    int x = (int)(box[0] + points[60] * (box[2] + 1 - box[0])),
        y = (int)(box[1] + (1 - points[61]) * (box[3] + 1 - box[1]));
    pio_rgb c = pixel(&image, x, y);
    assert_true(abs(c.r - c.g) < 4 && abs(c.g - c.b) < 4 && c.r < 160);
    pio_image_free(&image);
    p = block(2, points, values);
    image = render(&p);
    assert_string_equal(image.notes, ""); /* control */
    pio_image_free(&image);
}

/* Pixels with a colour; axes, outlines and letters are grey. Neither the triad's nor the bar's. */
static int coloured(const pio_image *image)
{
    int count = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = 60; x < image->width - 100; x++) {
            const pio_rgb c = pixel(image, x, y);
            count += abs(c.r - c.g) > 20 || abs(c.g - c.b) > 20;
        }
    return count;
}

static void extreme_pictures_are_drawn(void **state)
{
    static const double magnitudes[] = {0, 1, 1e-300, 5e-324, 1e299, 1.7e308, -3e-7, 6.02e23};
    static const double lengths[] = {1, 1e-9, 1e12, 0};
    double points[36], values[12];
    int pictures = 0, least = 1 << 20, most = 0;
    (void)state;
    for (size_t m = 0; m < sizeof magnitudes / sizeof *magnitudes; m++) {
        for (int k = 0; k < 16; k++) {
            pio_picture p = pio_picture_default();
            double length = lengths[k % 4];
            for (int i = 0; i < 12; i++) {
                for (int c = 0; c < 3; c++) points[3 * i + c] = length * (i * (c + 1) % 5);
                values[i] = magnitudes[m] * (k & 4 ? 1 : (i - 4.0) / 8);
            }
            p.dimension = k & 8 ? 2 : 3;
            p.n = m % 2 ? 12 : 1;
            p.points = points;
            p.values = values;
            p.width = 320;
            p.height = 180;
            p.title = "A title that is a good deal wider than this picture and must therefore be cut";
            p.field = "a field name of the same kind, longer than its column";
            p.units = "kg.m2/s3";
            pio_image image = render(&p);
            /* of values beyond 1e300 alone there is no range, and no colour */
            const bool range = magnitudes[m] < 1e300 || !(k & 4);
            const int seen = coloured(&image);
            if (range && seen < least) least = seen;
            if (!range && seen > most) most = seen;
            pio_image_free(&image);
            pictures++;
        }
    }
    printf("%d pictures of equal, huge, tiny and subnormal values: coloured pixels %d at least (> 1000); of values "
           "without a range %d at most (< 200)\n",
           pictures, least, most);
    assert_true(least > 1000 && most < 200);
}

static void a_million_particles_are_drawn(void **state)
{
    size_t n = 1000000;
    double *points = malloc(3 * n * sizeof *points), *values = malloc(n * sizeof *values);
    (void)state;
    assert_non_null(points);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            points[3 * i + (size_t)k] = 0.01 * (double)(i / (k == 0 ? 1 : k == 1 ? 100 : 10000) % 100);
        values[i] = points[3 * i] * points[3 * i + 2];
    }
    pio_picture p = pio_picture_default();
    p.n = n, p.points = points, p.values = values, p.field = "pressure", p.units = "Pa", p.threads = 1;
    double start = seconds();
    pio_image image = render(&p);
    printf("1e6 particles, %d x %d, one thread: %.2f s\n", image.width, image.height, seconds() - start);
    assert_int_equal(image.width, 1280);
    assert_int_equal(image.height, 720);
    assert_string_equal(image.notes, "");
    pio_image_free(&image);
    free(points);
    free(values);
}

/* ---- errors -------------------------------------------------------------------------------------------- */

static void expect(const pio_picture *p, piola_status status, const char *words)
{
    pio_image image;
    piola_error error = {0};
    assert_int_equal(pio_render(p, &image, &error), status);
    assert_int_equal(error.status, status);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    assert_null(image.rgb);
    assert_int_equal(pio_render(p, &image, NULL), status);
    pio_image_free(&image);
}

static void bad_pictures_are_refused_with_a_reason(void **state)
{
    double points[3 * 144], values[144], nowhere[3] = {NAN, 0, 0};
    const pio_picture good = block(2, points, values);
    pio_picture p;
    (void)state;
    p = good, p.n = 0, expect(&p, PIOLA_BAD_DATA, "no particles");
    p = good, p.n = 1, p.points = nowhere, expect(&p, PIOLA_BAD_DATA, "finite position");
    p = good, p.points = NULL, expect(&p, PIOLA_USAGE, "points");
    p = good, p.dimension = 1, expect(&p, PIOLA_USAGE, "dimension 1");
    p = good, p.lo = 2, p.hi = 2, expect(&p, PIOLA_USAGE, "range of colours");
    p = good, p.hi = INFINITY, expect(&p, PIOLA_USAGE, "range of colours");
    p = good, p.n_names = 25, expect(&p, PIOLA_USAGE, "25 names");
    p = good, p.radius = -1, expect(&p, PIOLA_USAGE, "radius");
    p = good, p.radius = 15, expect(&p, PIOLA_USAGE, "longest side is 1 m");
    p = good, p.radius = NAN, expect(&p, PIOLA_USAGE, "radius");
    p = good, p.zoom = 0, expect(&p, PIOLA_USAGE, "zoom");
    p = good, p.zoom = 0.0009, expect(&p, PIOLA_USAGE, "0.001 to 1000");
    p = good, p.zoom = 1001, expect(&p, PIOLA_USAGE, "0.001 to 1000");
    p = good, p.elevation = 91, expect(&p, PIOLA_USAGE, "elevation");
    p = good, p.azimuth = NAN, expect(&p, PIOLA_USAGE, "azimuth");
    p = good, p.threads = -1, expect(&p, PIOLA_USAGE, "threads");
    p = good, p.width = 100, expect(&p, PIOLA_USAGE, "320 x 180");
    p = good, p.height = 9000, expect(&p, PIOLA_USAGE, "8192");
    p = good, p.box_max[1] = 0, expect(&p, PIOLA_USAGE, "along y");
    p = good, p.box_max[1] = NAN, expect(&p, PIOLA_USAGE, "along y");
    p = good, p.map = (pio_map_kind)9, expect(&p, PIOLA_USAGE, "colour map");
    p = good, points[0] = 1e200, p.box_min[0] = p.box_max[0] = NAN, expect(&p, PIOLA_BAD_DATA, "too large");
    assert_int_equal(pio_image_make(&(pio_image){.width = 0}, 0, 5, (pio_rgb){0, 0, 0}, NULL), PIOLA_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_do_not_depend_on_the_run_or_the_threads),
        cmocka_unit_test(a_particle_has_the_colour_of_its_value),
        cmocka_unit_test(values_beyond_the_range_are_clipped_and_get_an_arrow),
        cmocka_unit_test(a_given_range_lays_pictures_out_alike),
        cmocka_unit_test(names_stand_beside_a_block_of_the_bar_each),
        cmocka_unit_test(nothing_is_drawn_outside_the_plot),
        cmocka_unit_test(a_near_particle_hides_a_far_one),
        cmocka_unit_test(a_signed_field_is_neutral_at_zero_and_robust),
        cmocka_unit_test(particles_left_out_are_counted),
        cmocka_unit_test(extreme_pictures_are_drawn),
        cmocka_unit_test(a_million_particles_are_drawn),
        cmocka_unit_test(bad_pictures_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
