/* test_palette.c -- the colours of a film: exact where they are few, near where they are many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/film/film_parts.h"

enum { WIDE = 320, HIGH = 200 };

/* The colour by which the palette shows one. */
static pio_rgb shown(const pio_palette *p, const uint8_t *c)
{
    return p->colour[p->index[(uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]]];
}

static double distance(pio_rgb a, const uint8_t *c)
{
    return sqrt((a.r - c[0]) * (a.r - c[0]) + (a.g - c[1]) * (a.g - c[1]) + (a.b - c[2]) * (a.b - c[2]));
}

/* Fills a picture with n colours, all different. */
static void with_colours(pio_image *image, int n)
{
    for (int i = 0; i < WIDE * HIGH; i++) {
        const int k = i % n;
        image->rgb[3 * i] = (uint8_t)(k * 7 % 256);
        image->rgb[3 * i + 1] = (uint8_t)(k / 2);
        image->rgb[3 * i + 2] = (uint8_t)(255 - k * 3 % 256);
    }
}

static double greatest_distance(int n, int *colours)
{
    pio_image image;
    pio_palette p;
    double most = 0;
    assert_int_equal(pio_image_make(&image, WIDE, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    with_colours(&image, n);
    assert_int_equal(pio_palette_make(&p, NULL), PIOLA_OK);
    pio_palette_count(&p, &image);
    assert_int_equal(pio_palette_choose(&p, NULL), PIOLA_OK);
    for (int i = 0; i < WIDE * HIGH; i++) most = fmax(most, distance(shown(&p, image.rgb + 3 * i), image.rgb + 3 * i));
    *colours = p.n;
    pio_palette_free(&p);
    pio_image_free(&image);
    return most;
}

static void up_to_255_colours_are_exact(void **state)
{
    int colours[3];
    (void)state;
    const double one = greatest_distance(1, &colours[0]), most = greatest_distance(255, &colours[1]),
                 more = greatest_distance(256, &colours[2]);
    printf("1, 255 and 256 colours: %d, %d and %d in the palette; greatest distances %g and %g (0), %g (> 0: the "
           "negative control)\n",
           colours[0], colours[1], colours[2], one, most, more);
    assert_int_equal(colours[0], 1);
    assert_int_equal(colours[1], 255);
    assert_int_equal(colours[2], 255);
    assert_true(one <= 0 && most <= 0 && more > 0);
}

/* A picture of paper, lines and a ball with shades of many colours. */
static void scene(pio_image *image)
{
    static const uint8_t paper[3] = {252, 252, 253}, plot[3] = {255, 255, 255}, line[3] = {74, 81, 92};
    for (int i = 0; i < WIDE * HIGH; i++) {
        const int x = i % WIDE, y = i / WIDE;
        const double u = (x - 160) / 70., v = (y - 100) / 70., r = u * u + v * v;
        uint8_t *c = image->rgb + 3 * i;
        memcpy(c, x < 20 ? paper : plot, 3);
        if (x == 20 || y == 180) memcpy(c, line, 3);
        if (r >= 1) continue;
        const double shade = 0.35 + 0.65 * sqrt(1 - r);
        c[0] = (uint8_t)(shade * 127 * (1 + u));
        c[1] = (uint8_t)(shade * 127 * (1 + v));
        c[2] = (uint8_t)(shade * 127 * (1 - u * v));
    }
}

static void paper_and_lines_keep_their_colours_beside_thousands(void **state)
{
    pio_image image;
    pio_palette p, again;
    double most = 0, sum = 0;
    int colours = 0;
    (void)state;
    assert_int_equal(pio_image_make(&image, WIDE, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    scene(&image);
    assert_int_equal(pio_palette_make(&p, NULL), PIOLA_OK);
    assert_int_equal(pio_palette_make(&again, NULL), PIOLA_OK);
    pio_palette_count(&p, &image);
    pio_palette_count(&again, &image);
    for (int i = 0; i < 1 << 24; i++) colours += p.count[i] > 0;
    assert_int_equal(pio_palette_choose(&p, NULL), PIOLA_OK);
    assert_int_equal(pio_palette_choose(&again, NULL), PIOLA_OK);
    assert_memory_equal(p.colour, again.colour, sizeof p.colour);
    const uint8_t *exact[3] = {image.rgb, image.rgb + 3 * 40, image.rgb + 3 * 20};
    for (int i = 0; i < 3; i++) assert_true(distance(shown(&p, exact[i]), exact[i]) <= 0);
    for (int i = 0; i < WIDE * HIGH; i++) {
        const double d = distance(shown(&p, image.rgb + 3 * i), image.rgb + 3 * i);
        most = fmax(most, d);
        sum += d * d;
    }
    const double mean = sqrt(sum / (WIDE * HIGH));
    /* 255 cells that fill the surface of the ball's colours evenly, about 200 x 200 of them, are 12 wide: their corners
     * are 9 from their middles, and shades across the surface add as much again. */
    printf("%d colours (> 5000), %d in the palette: greatest distance %.1f (< 30), root of the mean square %.2f (< 5); "
           "paper, plot and lines are exact\n",
           colours, p.n, most, mean);
    assert_true(colours > 5000 && most < 30 && mean < 5);
    pio_palette_free(&p);
    pio_palette_free(&again);
    pio_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_255_colours_are_exact),
        cmocka_unit_test(paper_and_lines_keep_their_colours_beside_thousands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
