/* colormap.c -- two colour maps, each a curve through a few colours in Oklab, walked at constant speed.
 *
 * Oklab: Bjoern Ottosson, "A perceptual color space for image processing", 2020 (the matrices below are his). sRGB's
 * transfer curve: IEC 61966-2-1. */
#include "host/render/colormap.h"

#include <math.h>

#define FINE 4096 /* points at which the length of the curve is measured */

typedef struct {
    double lightness, chroma, hue; /* Oklab in polar form; hue in degrees */
} knot;

static const knot sequential[] = {{0.27, 0.115, 297}, {0.40, 0.125, 270}, {0.53, 0.105, 238},
                                  {0.66, 0.106, 193}, {0.79, 0.150, 152}, {0.90, 0.175, 110}};
static const knot below_zero[] = {{0.36, 0.140, 262}, {0.53, 0.140, 256}, {0.73, 0.090, 248}, {0.90, 0.004, 248}};
static const knot above_zero[] = {{0.90, 0.004, 40}, {0.73, 0.100, 38}, {0.53, 0.165, 28}, {0.36, 0.130, 22}};

static double encode(double linear)
{
    double v = fmin(1, fmax(0, linear));
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static pio_rgb from_oklab(const double lab[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l, m = m * m * m, s = s * s * s;
    double r = encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    double g = encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    double b = encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return (pio_rgb){(uint8_t)(255 * r + 0.5), (uint8_t)(255 * g + 0.5), (uint8_t)(255 * b + 0.5)};
}

/* Computes a point of the Catmull-Rom curve through n knots; t in 0..1 covers all of them. */
static void curve(const knot *knots, int n, double t, double lab[3])
{
    double place = t * (n - 1);
    int i = (int)fmin(n - 2, floor(place));
    double u = place - i, w[4], sum[3] = {0};
    w[0] = u * (-0.5 + u * (1 - 0.5 * u));
    w[1] = 1 + u * u * (-2.5 + 1.5 * u);
    w[2] = u * (0.5 + u * (2 - 1.5 * u));
    w[3] = u * u * (-0.5 + 0.5 * u);
    for (int k = 0; k < 4; k++) {
        double p[2][3]; /* at the ends the missing knot is the mirror image of the next one */
        int at = i - 1 + k, inside = at < 0 ? 0 : at > n - 1 ? n - 1 : at, mirror = 2 * inside - at;
        for (int side = 0; side < 2; side++) {
            const knot *q = &knots[side == 0 ? inside : mirror];
            p[side][0] = q->lightness;
            p[side][1] = q->chroma * cos(q->hue * M_PI / 180);
            p[side][2] = q->chroma * sin(q->hue * M_PI / 180);
        }
        for (int c = 0; c < 3; c++) sum[c] += w[k] * (at == inside ? p[0][c] : 2 * p[0][c] - p[1][c]);
    }
    for (int c = 0; c < 3; c++) lab[c] = sum[c];
}

/* Computes `count` colours at equal distances along the curve. */
static void walk(const knot *knots, int n, pio_rgb *out, int count)
{
    double length[FINE + 1], last[3], lab[3];
    length[0] = 0;
    curve(knots, n, 0, last);
    for (int i = 1; i <= FINE; i++) {
        curve(knots, n, (double)i / FINE, lab);
        length[i] =
            length[i - 1] + sqrt((lab[0] - last[0]) * (lab[0] - last[0]) + (lab[1] - last[1]) * (lab[1] - last[1]) +
                                 (lab[2] - last[2]) * (lab[2] - last[2]));
        for (int c = 0; c < 3; c++) last[c] = lab[c];
    }
    for (int i = 0, at = 0; i < count; i++) {
        double want = length[FINE] * i / (count - 1);
        while (at < FINE - 1 && length[at + 1] < want) at++;
        double part = (want - length[at]) / (length[at + 1] - length[at]);
        curve(knots, n, (at + fmin(1, fmax(0, part))) / FINE, lab);
        out[i] = from_oklab(lab);
    }
}

void pio_colormap_make(pio_colormap *map, pio_map_kind kind)
{
    const int half = PIO_COLORMAP_SIZE / 2 + 1;
    if (kind != PIO_MAP_DIVERGING) {
        walk(sequential, (int)(sizeof sequential / sizeof *sequential), map->colour, PIO_COLORMAP_SIZE);
        return;
    }
    walk(above_zero, (int)(sizeof above_zero / sizeof *above_zero), map->colour + half - 1, half);
    walk(below_zero, (int)(sizeof below_zero / sizeof *below_zero), map->colour, half);
}

int pio_colormap_index(double t)
{
    if (isnan(t)) return PIO_COLORMAP_SIZE / 2;
    return (int)(fmin(1, fmax(0, t)) * (PIO_COLORMAP_SIZE - 1) + 0.5);
}
