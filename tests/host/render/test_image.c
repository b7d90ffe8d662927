/* test_image.c -- the parts of a picture: the PNG file, ticks and numbers, colour maps, letters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/render/text.h"
#include "host/render/render_parts.h"

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define PATH "test_image_picture.png"

static size_t bytes_of(const pio_image *image)
{
    return 3 * (size_t)image->width * (size_t)image->height;
}

/* Something of everything, of odd size on purpose. */
static pio_image drawing(void)
{
    pio_image image;
    assert_int_equal(pio_text_begin(NULL), PIOLA_OK);
    assert_int_equal(pio_image_make(&image, 511, 333, (pio_rgb){250, 250, 252}, NULL), PIOLA_OK);
    double corners[4][2] = {{30, 30}, {200.5, 60}, {180, 300}, {10, 222.2}};
    for (int i = 0; i < 300; i++) {
        pio_image_rectangle(&image, 210 + i, 20.5, 211 + i, 90,
                            (pio_rgb){(uint8_t)(i % 256), (uint8_t)(i * i % 251), 40}, 1);
        const pio_pen pen = {1.3, {9, 80, (uint8_t)(i / 2)}, 0.4, NULL, NULL};
        pio_image_line(&image, 300, 250, 300 + 150 * cos(i), 250 + 150 * sin(i), &pen);
    }
    pio_image_polygon(&image, corners, 4, (pio_rgb){200, 30, 90}, 0.8);
    pio_text_draw(&image, 20, 130, 18, false, (pio_rgb){0, 0, 0}, "Piola 0123456789");
    const pio_pen black = {2, {0, 0, 0}, 1, NULL, NULL};
    pio_image_line(&image, -1e300, NAN, 5, 5, &black);
    pio_image_line(&image, -1e9, 100, 1e9, 120, &black);
    pio_image_rectangle(&image, -1e300, 320, 1e300, 325, (pio_rgb){0, 0, 0}, 1);
    snprintf(image.notes, sizeof image.notes, "3 particles lie outside the picture");
    return image;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint8_t *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end > 0);
    *size = (size_t)end;
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void unfilter(uint8_t *row, const uint8_t *above, size_t bytes, uint8_t type)
{
    for (size_t i = 0; i < bytes; i++) {
        int left = i >= 3 ? row[i - 3] : 0, up = above != NULL ? above[i] : 0,
            corner = i >= 3 && above != NULL ? above[i - 3] : 0;
        int p = left + up - corner, dl = abs(p - left), du = abs(p - up), dc = abs(p - corner), guess = 0;
        if (type == 1) guess = left;
        if (type == 2) guess = up;
        if (type == 3) guess = (left + up) / 2;
        if (type == 4) guess = dl <= du && dl <= dc ? left : du <= dc ? up : corner;
        row[i] = (uint8_t)(row[i] + guess);
    }
}

/* Decodes an 8-bit RGB PNG with every checksum checked; `comment` gets the text chunk. */
static uint8_t *decode_png(const char *path, int *width, int *height, char *comment, size_t comment_size)
{
    size_t size, packed_size = 0;
    uint8_t *file = slurp(path, &size), *packed = malloc(size);
    assert_non_null(packed);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    comment[0] = '\0';
    *width = *height = 0;
    bool ended = false;
    for (size_t at = 8; at < size;) {
        assert_true(at + 12 <= size && !ended);
        size_t length = big_endian(file + at);
        const uint8_t *type = file + at + 4, *data = file + at + 8;
        assert_true(at + 12 + length <= size);
        assert_int_equal(crc32(0, type, (uInt)(length + 4)), big_endian(data + length));
        if (memcmp(type, "IHDR", 4) == 0) {
            *width = (int)big_endian(data);
            *height = (int)big_endian(data + 4);
            assert_memory_equal(data + 8, "\x08\x02\0\0\0", 5);
        }
        if (memcmp(type, "tEXt", 4) == 0)
            snprintf(comment, comment_size, "%.*s", (int)(length - 8), (const char *)data + 8);
        if (memcmp(type, "IDAT", 4) == 0) memcpy(packed + packed_size, data, length), packed_size += length;
        ended = memcmp(type, "IEND", 4) == 0;
        at += 12 + length;
    }
    assert_true(ended);
    size_t bytes = 3 * (size_t)*width, rows = (size_t)*height;
    uLongf room = rows * (bytes + 1);
    uint8_t *raw = malloc(room), *rgb = malloc(rows * bytes);
    assert_non_null(raw);
    assert_non_null(rgb);
    assert_int_equal(uncompress(raw, &room, packed, packed_size), Z_OK);
    assert_int_equal(room, rows * (bytes + 1));
    for (size_t y = 0; y < rows; y++) {
        memcpy(rgb + y * bytes, raw + y * (bytes + 1) + 1, bytes);
        unfilter(rgb + y * bytes, y > 0 ? rgb + (y - 1) * bytes : NULL, bytes, raw[y * (bytes + 1)]);
    }
    free(raw);
    free(packed);
    free(file);
    return rgb;
}

static void png_decodes_to_the_pixels_drawn(void **state)
{
    char comment[600];
    int width, height;
    (void)state;
    pio_image image = drawing();
    piola_error error = {0};
    assert_int_equal(pio_image_write_png(&image, PATH, &error), PIOLA_OK);
    uint8_t *rgb = decode_png(PATH, &width, &height, comment, sizeof comment);
    assert_int_equal(width, 511);
    assert_int_equal(height, 333);
    assert_memory_equal(rgb, image.rgb, bytes_of(&image));
    assert_string_equal(comment, image.notes);
    printf("%d x %d, comment \"%s\"\n", width, height, comment);
    free(rgb);
    pio_image_free(&image);
    assert_int_equal(pio_image_make(&image, 0, 5, (pio_rgb){0, 0, 0}, &error), PIOLA_USAGE);
    assert_int_equal(pio_image_write_png(&image, PATH, &error), PIOLA_USAGE);
    unlink(PATH);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    pio_image image = drawing();
    piola_error error = {0};
    struct rlimit before, small;
    (void)state;
    assert_int_equal(pio_image_write_png(&image, "no_such_folder/picture.png", &error), PIOLA_CANNOT_CREATE);
    assert_non_null(strstr(error.message, "no_such_folder/picture.png"));
    unlink(PATH);
    assert_int_equal(mkfifo(PATH, 0600), 0);
    assert_int_equal(pio_image_write_png(&image, PATH, &error), PIOLA_CANNOT_CREATE);
    unlink(PATH);
    FILE *old = fopen(PATH, "w");
    assert_non_null(old);
    fputs("notes of someone", old);
    fclose(old);
    assert_int_equal(pio_image_write_png(&image, PATH, &error), PIOLA_CANNOT_CREATE);
    assert_non_null(strstr(error.message, "is not a PNG picture"));
    old = fopen(PATH, "w");
    assert_non_null(old);
    fputs("\x89PNG\r\n\x1a\nold", old);
    fclose(old);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    fflush(NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    piola_status status = pio_image_write_png(&image, PATH, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PIOLA_IO);
    printf("%s\n", error.message);
    size_t size;
    uint8_t *bytes = slurp(PATH, &size);
    assert_int_equal(size, 11);
    assert_memory_equal(bytes + 8, "old", 3);
    free(bytes);
    glob_t left;
    assert_int_equal(glob(".*" PATH "*.tmp", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
    assert_int_equal(pio_image_write_png(&image, PATH, &error), PIOLA_OK); /* control: now it is replaced */
    bytes = slurp(PATH, &size);
    assert_true(size > 1000);
    free(bytes);
    unlink(PATH);
    pio_image_free(&image);
}

/* ---- numbers, colours, letters ------------------------------------------------------------------------- */

static void ticks_are_round_numbers_within_the_range(void **state)
{
    static const double ranges[][2] = {
        {0, 1},          {0.013, 4.87},   {-3, 7},      {-2.1e-7, 2.1e-7}, {1000, 1000.0399}, {1e-30, 2e-30},
        {-1e300, 1e300}, {99999, 100001}, {0, 6.02e23}, {-0.31, -0.3},     {1.23e9, 9.9e9}};
    int total = 0;
    (void)state;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (int most = 2; most <= 10; most++) {
            pio_ticks t = pio_ticks_make(ranges[r][0], ranges[r][1], most);
            assert_true(t.n >= 2 && t.n <= (most < 4 ? 5 : most + 1));
            double step = t.n > 1 ? t.at[1] - t.at[0] : fabs(t.at[0]);
            for (int i = 0; i < t.n; i++, total++) {
                char label[64], plain[80] = "";
                double slack = 1e-8 * (ranges[r][1] - ranges[r][0]), m = step / pow(10, floor(log10(step) + 1e-6));
                assert_true(t.at[i] >= ranges[r][0] - slack && t.at[i] <= ranges[r][1] + slack);
                if (t.n > 2) assert_true(fabs(m - 1) < 1e-4 || fabs(m - 2) < 1e-4 || fabs(m - 5) < 1e-4);
                pio_tick_label(&t, t.at[i], label, sizeof label);
                const char *minus = strstr(label, "\u2212");
                snprintf(plain, sizeof plain, "%s%s", minus != NULL ? "-" : "", minus != NULL ? label + 3 : label);
                double read =
                    strtod(plain, NULL) * pow(10, t.exponent); /* the label says the value, and in few digits */
                assert_true(fabs(read - t.at[i]) <= 1e-6 * step);
                assert_true(strlen(plain) <= 12);
            }
        }
    }
    assert_int_equal(pio_ticks_make(1, 1, 5).n, 0);
    printf("%d ticks: all round, within the range, and shown by their labels\n", total);
}

static void numbers_and_units_are_typeset(void **state)
{
    static const char *const units[][2] = {
        {"m/s", "m/s"}, {"m/s2", "m/s²"}, {"kg/m3", "kg/m³"},       {"1/Pa", "1/Pa"},         {"Pa.s", "Pa·s"},
        {"m^2", "m²"},  {"s-1", "s⁻¹"},   {"J/(kg.K)", "J/(kg·K)"}, {"1/(m.s)2", "1/(m·s)²"}, {"kg*m^-12", "kg·m⁻¹²"}};
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        pio_unit_pretty(units[i][0], out, sizeof out);
        assert_string_equal(out, units[i][1]);
    }
    pio_number(-1.234e-5, 3, out, sizeof out);
    assert_string_equal(out, "\u22121.23×10⁻⁵");
    pio_number(-0.0, 3, out, sizeof out);
    assert_string_equal(out, "0");
    pio_ticks t = pio_ticks_make(-20000, 20000, 5);
    pio_tick_label(&t, -10000, out, sizeof out);
    assert_string_equal(out, "\u221210");
    assert_int_equal(t.exponent, 3);
}

/* The linear value of a value of sRGB, IEC 61966-2-1. */
static double decode(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Oklab coordinates L (0..1), a, b of a colour (Ottosson 2020): distances there are about as large as they look. */
static void oklab(pio_rgb colour, double lab[3])
{
    double r = decode(colour.r / 255.0), g = decode(colour.g / 255.0), b = decode(colour.b / 255.0);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double lab_distance(pio_rgb a, pio_rgb b)
{
    double p[3], q[3];
    oklab(a, p);
    oklab(b, q);
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void colour_steps_appear_equal(void **state)
{
    const int stride = 64;
    (void)state;
    for (int kind = PIO_MAP_SEQUENTIAL; kind <= PIO_MAP_DIVERGING; kind++) {
        pio_colormap map;
        double least = INFINITY, most = 0, lab[3], end[3];
        pio_colormap_make(&map, (pio_map_kind)kind);
        for (int i = stride; i < PIO_COLORMAP_SIZE; i += stride) {
            double step = lab_distance(map.colour[i - stride], map.colour[i]);
            least = fmin(least, step);
            most = fmax(most, step);
        }
        printf("map %d: steps in Oklab %.4f to %.4f (ratio %.3f, at most 1.15)\n", kind, least, most, most / least);
        assert_true(most / least < 1.15);
        for (int i = 1; i < PIO_COLORMAP_SIZE;
             i++) { /* lightness grows (up to 8-bit rounding); in a diverging map to 0 */
            double before[3];
            oklab(map.colour[i - 1], before);
            oklab(map.colour[i], lab);
            bool rising = kind == PIO_MAP_SEQUENTIAL || i <= PIO_COLORMAP_SIZE / 2;
            assert_true(rising ? lab[0] > before[0] - 0.004 : lab[0] < before[0] + 0.004);
        }
        oklab(map.colour[PIO_COLORMAP_SIZE / 2], lab);
        oklab(map.colour[0], end);
        if (kind == PIO_MAP_DIVERGING) assert_true(hypot(lab[1], lab[2]) < 0.01 && lab[0] - end[0] > 0.5);
    }
    assert_int_equal(pio_colormap_index(-3), 0);
    assert_int_equal(pio_colormap_index(INFINITY), PIO_COLORMAP_SIZE - 1);
}

static void every_printable_character_is_drawn_and_distinct(void **state)
{
    enum { SIDE = 40 };
    static uint8_t drawn[95][SIDE * SIDE * 3];
    (void)state;
    assert_int_equal(pio_text_begin(NULL), PIOLA_OK);
    for (int c = ' '; c <= '~'; c++) {
        char text[2] = {(char)c, '\0'};
        pio_image image;
        assert_int_equal(pio_image_make(&image, SIDE, SIDE, (pio_rgb){255, 255, 255}, NULL), PIOLA_OK);
        pio_text_draw(&image, 8, 28, 14, false, (pio_rgb){0, 0, 0}, text);
        memcpy(drawn[c - ' '], image.rgb, sizeof drawn[0]);
        int dark = 0;
        for (size_t i = 0; i < bytes_of(&image); i++) {
            dark += image.rgb[i] < 128;
            int x = (int)(i / 3 % SIDE);
            if (image.rgb[i] < 250) assert_true(x >= 6 && x <= 8 + pio_text_width(text, 14, false) + 2);
        }
        assert_true(c == ' ' ? dark == 0 : dark > 6);
        for (int other = ' '; other < c; other++) {
            if (memcmp(drawn[c - ' '], drawn[other - ' '], sizeof drawn[0]) == 0)
                fail_msg("'%c' resembles '%c'", c, other);
        }
        pio_image_free(&image);
    }
    char cut[64];
    pio_text_fit("velocity of the h\u00e9ad in m/s\u00b2 and more", 10, 120, cut, sizeof cut, false);
    printf("cut to 120 pixels: \"%s\" (%.1f pixels)\n", cut, pio_text_width(cut, 10, false));
    assert_true(pio_text_width(cut, 10, false) <= 120 && strstr(cut, "...") != NULL);
    assert_true(pio_text_width("\xff\xc3\xe2\x88", 10, false) > 0); /* bytes that are no UTF-8 */
    assert_int_equal(pio_text_end(NULL), PIOLA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_decodes_to_the_pixels_drawn),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(ticks_are_round_numbers_within_the_range),
        cmocka_unit_test(numbers_and_units_are_typeset),
        cmocka_unit_test(colour_steps_appear_equal),
        cmocka_unit_test(every_printable_character_is_drawn_and_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
