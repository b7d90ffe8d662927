/* test_webm.c -- a film as WebM, read back by an own reader of EBML and decoded by libvpx, and what a film rejects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

#include "host/film/film.h"

enum { WIDE = 321, HIGH = 181, PICTURES = 70, RATE = 999, MOST = 1 << 22 }; /* odd sides; 9.99 pictures per second */

static char folder[200];

static const char *path_of(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static pio_film_format format_of(const char *name)
{
    return (pio_film_format){path_of(name), PIO_MODULES, WIDE, HIGH, PICTURES, RATE};
}

/* Picture k: a grey ground with a coloured bar that moves. */
static void draw(pio_image *image, int k)
{
    pio_image_rectangle(image, 0, 0, WIDE, HIGH, (pio_rgb){200, 205, 210}, 1);
    pio_image_rectangle(image, 20 + 3 * k, 40, 60 + 3 * k, 140, (pio_rgb){180, 30, 60}, 1);
}

static pio_film *begun(const char *name)
{
    pio_film *film;
    piola_error error = {0};
    const pio_film_format format = format_of(name);
    assert_int_equal(pio_film_begin(&film, &format, &error), PIOLA_OK);
    return film;
}

static void write_film(const char *name)
{
    pio_image image;
    pio_film *film = begun(name);
    assert_int_equal(pio_image_make(&image, WIDE, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    for (int k = 0; k < PICTURES; k++) {
        draw(&image, k);
        assert_int_equal(pio_film_add(film, &image, NULL), PIOLA_OK);
    }
    assert_int_equal(access(path_of(name), F_OK), -1);
    assert_int_equal(pio_film_end(film, NULL), PIOLA_OK);
    pio_film_drop(film);
    pio_image_free(&image);
}

static uint8_t *contents_of(const char *name, size_t *size)
{
    uint8_t *data = malloc(MOST);
    FILE *file = fopen(path_of(name), "rb");
    assert_true(data && file);
    *size = fread(data, 1, MOST, file);
    fclose(file);
    return data;
}

/* ---- a reader of EBML ---------------------------------------------------------------------------------- */

typedef struct {
    uint32_t id;
    const uint8_t *data;
    size_t size;
} element;

static uint64_t number_of(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v = v << 8 | p[i];
    return v;
}

/* Reads the element at *at, which must end by `end`, and moves on. Returns false at the end. */
static bool next(const uint8_t **at, const uint8_t *end, element *out)
{
    if (*at >= end) return false;
    const size_t id = (size_t)__builtin_clz((unsigned)**at << 24) + 1;
    out->id = (uint32_t)number_of(*at, id);
    *at += id;
    const size_t n = (size_t)__builtin_clz((unsigned)**at << 24) + 1;
    out->size = (size_t)(number_of(*at, n) & ((1ull << 7 * n) - 1));
    out->data = *at + n;
    *at = out->data + out->size;
    assert_true(*at <= end);
    return true;
}

/* The first element of this number within another. */
static element child(element of, uint32_t id)
{
    const uint8_t *at = of.data;
    element e = {0};
    while (next(&at, of.data + of.size, &e))
        if (e.id == id) return e;
    fail_msg("there is no element %x", id);
    return e;
}

static double real_of(element e)
{
    double v;
    const uint64_t bits = number_of(e.data, 8);
    assert_int_equal(e.size, 8);
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Root of the mean square of the differences of brightness between a decoded picture and picture k. */
static double difference(const vpx_image_t *image, int k, pio_image *own)
{
    double sum = 0;
    draw(own, k);
    assert_int_equal(image->d_w, WIDE);
    assert_int_equal(image->d_h, HIGH);
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            const uint8_t *c = own->rgb + 3 * (y * WIDE + x);
            const double bright = 16 + (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]) * 219 / 255;
            sum += pow(image->planes[0][y * image->stride[0] + x] - bright, 2);
        }
    return sqrt(sum / (WIDE * HIGH));
}

typedef struct {
    vpx_codec_ctx_t codec;
    pio_image own;
    int pictures, keys;
    double worst, beside; /* beside: of another picture, the negative control */
} decoding;

/* Decodes the blocks of a cluster. */
static void decode(decoding *d, element cluster)
{
    const uint8_t *at = cluster.data;
    const double start = (double)number_of(child(cluster, 0xE7).data, child(cluster, 0xE7).size);
    element e;
    for (int first = 1; next(&at, cluster.data + cluster.size, &e);) {
        if (e.id != 0xA3) continue;
        const double time = start + (double)number_of(e.data + 1, 2), right = d->pictures * 1e5 / RATE;
        assert_int_equal(e.data[0], 0x81);
        assert_true(fabs(time - right) <= 0.5); /* whole ms */
        assert_int_equal(e.data[3], first ? 0x80 : 0);
        d->keys += first;
        first = 0;
        assert_int_equal(vpx_codec_decode(&d->codec, e.data + 4, (unsigned)e.size - 4, NULL, 0), VPX_CODEC_OK);
        vpx_codec_iter_t it = NULL;
        const vpx_image_t *image = vpx_codec_get_frame(&d->codec, &it);
        assert_non_null(image);
        d->worst = fmax(d->worst, difference(image, d->pictures, &d->own));
        d->beside = fmin(d->beside, difference(image, d->pictures + 4, &d->own));
        d->pictures++;
    }
}

static void a_video_shows_every_picture_at_its_time(void **state)
{
    size_t size;
    element top, e;
    decoding d = {.beside = 1e9};
    int clusters = 0;
    (void)state;
    write_film("film.webm");
    uint8_t *data = contents_of("film.webm", &size);
    const uint8_t *at = data;
    assert_true(next(&at, data + size, &top) && top.id == 0x1A45DFA3);
    assert_memory_equal(child(top, 0x4282).data, "webm", 4);
    assert_true(next(&at, data + size, &top) && top.id == 0x18538067);
    assert_true(at == data + size);
    printf("duration %.3f ms (%.3f)\n", real_of(child(child(top, 0x1549A966), 0x4489)), PICTURES * 1e5 / RATE);
    assert_true(fabs(real_of(child(child(top, 0x1549A966), 0x4489)) - PICTURES * 1e5 / RATE) < 1e-9);
    const element video = child(child(child(top, 0x1654AE6B), 0xAE), 0xE0);
    assert_int_equal(number_of(child(video, 0xB0).data, child(video, 0xB0).size), WIDE);
    assert_int_equal(number_of(child(video, 0xBA).data, child(video, 0xBA).size), HIGH);
    assert_int_equal(vpx_codec_dec_init(&d.codec, vpx_codec_vp9_dx(), NULL, 0), VPX_CODEC_OK);
    assert_int_equal(pio_image_make(&d.own, WIDE, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    const element cues = child(top, 0x1C53BB6B);
    const uint8_t *cue = cues.data, *inside = top.data;
    while (next(&inside, top.data + top.size, &e)) {
        element point;
        if (e.id != 0x1F43B675) continue;
        assert_true(next(&cue, cues.data + cues.size, &point)); /* each cluster has a cue, which leads to it */
        const element position = child(child(point, 0xB7), 0xF1);
        const uint8_t *there = top.data + number_of(position.data, position.size);
        assert_int_equal(number_of(there, 4), 0x1F43B675);
        assert_int_equal(number_of(child(point, 0xB3).data, child(point, 0xB3).size),
                         number_of(child(e, 0xE7).data, child(e, 0xE7).size));
        decode(&d, e);
        clusters++;
    }
    printf("%d pictures (%d) in %d clusters (2: 5 s and the rest); brightness differs by %.2f at most (< 3), from a "
           "later picture by %.1f at least (> 8)\n",
           d.pictures, PICTURES, clusters, d.worst, d.beside);
    assert_int_equal(d.pictures, PICTURES);
    assert_int_equal(d.keys, clusters);
    assert_int_equal(clusters, 2);
    assert_true(d.worst < 3 && d.beside > 8);
    vpx_codec_destroy(&d.codec);
    pio_image_free(&d.own);
    free(data);
}

static void the_same_pictures_give_the_same_bytes(void **state)
{
    size_t sizes[2];
    (void)state;
    write_film("one.webm");
    write_film("two.webm");
    uint8_t *one = contents_of("one.webm", &sizes[0]), *two = contents_of("two.webm", &sizes[1]);
    printf("%zu and %zu bytes\n", sizes[0], sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(one, two, sizes[0]);
    free(one);
    free(two);
}

static void what_is_wrong_of_a_film_is_an_error_and_leaves_nothing(void **state)
{
    pio_image image, small;
    pio_film *film;
    piola_error error = {0};
    (void)state;
    pio_film_format format = format_of("no.gif");
    assert_int_equal(pio_film_begin(&film, &format, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "ends in neither .png nor .webm"));
    pio_film_drop(film);
    format = format_of("no.webm");
    format.modules = folder;
    assert_int_equal(pio_film_begin(&film, &format, &error), PIOLA_UNAVAILABLE);
    assert_non_null(strstr(error.message, "needs libvpx"));
    pio_film_drop(film);
    format.modules = PIO_MODULES;
    format.pictures = 0;
    assert_int_equal(pio_film_begin(&film, &format, &error), PIOLA_USAGE);
    assert_int_equal(pio_image_make(&image, WIDE, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    assert_int_equal(pio_image_make(&small, WIDE - 1, HIGH, (pio_rgb){0, 0, 0}, NULL), PIOLA_OK);
    film = begun("no.webm");
    assert_int_equal(pio_film_add(film, &small, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "320 x 181 pixels in a film of 321 x 181"));
    assert_int_equal(pio_film_add(film, &image, &error), PIOLA_OK);
    assert_int_equal(pio_film_end(film, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "70 pictures and has 1"));
    pio_film_drop(film);
    film = begun("no.png");
    for (int k = 0; k < PICTURES; k++) assert_int_equal(pio_film_add(film, &image, &error), PIOLA_OK);
    assert_int_equal(pio_film_add(film, &image, &error), PIOLA_USAGE);
    assert_non_null(strstr(error.message, "was to have 70 pictures"));
    pio_film_drop(film);
    assert_int_equal(access(path_of("no.webm"), F_OK), -1);
    assert_int_equal(access(path_of("no.png"), F_OK), -1);
    pio_image_free(&image);
    pio_image_free(&small);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/piola-webm-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    static const char *const names[] = {"film.webm", "one.webm", "two.webm"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
    return rmdir(folder); /* fails where anything else is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_video_shows_every_picture_at_its_time),
        cmocka_unit_test(the_same_pictures_give_the_same_bytes),
        cmocka_unit_test(what_is_wrong_of_a_film_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
