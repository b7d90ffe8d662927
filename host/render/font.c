/* font.c -- an upright sans-serif alphabet drawn with strokes, and text set in it.
 *
 * A glyph is a path on a grid where capitals are 20 high, small letters 14, and descenders reach -6. The path language:
 *   M x y   go to            L x y   straight line to           D x y   a dot
 *   h x y   quarter ellipse to (x, y), leaving horizontally      v x y   the same, leaving vertically
 *   q a b x y   parabola to (x, y) with the control point (a, b)
 * More pairs after L go on as lines; after h or v they go on as quarters that leave in turn vertically and
 * horizontally, so that a full ellipse is one M and four pairs. Strokes have a constant width and round ends, and their
 * coverage of a pixel follows from the distance to the nearest stroke, so that any size is smooth. */
#include "host/render/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CAPITAL 20.0
#define GAP 5.4        /* distance between the paths of neighbouring glyphs */
#define SPACE 7.5      /* advance of a space */
#define RAISED 0.62    /* size of a superscript */
#define MOST_PIECES 96 /* straight pieces of one glyph */

typedef struct {
    uint32_t code; /* Unicode */
    double width;
    const char *path;
} glyph;

static const glyph ascii[] = {
    {'!', 1, "M.5 20L.5 6.5D.5 .3"},
    {'"', 5, "M0 20L0 14.5M5 20L5 14.5"},
    {'#', 14, "M3.2 0L6.2 20M8.6 0L11.6 20M.6 13.6L14 13.6M0 6.4L13.4 6.4"},
    {'$', 12, "M11.4 15.8v6 20 .5 15.2 6 10.4 12 5.2 6 0 0 4.4M6 22.6L6 -2.6"},
    {'%', 17, "M3.6 20h7.2 15.6 3.6 11.2 0 15.6 3.6 20M13.4 8.8h17 4.4 13.4 0 9.8 4.4 13.4 8.8M14.4 20L2.6 0"},
    {'&', 14, "M14 0L3.2 12.8q1.6 14.7 1.6 16.2v5.4 20h9.2 16.4q9.2 13.4 5.2 11.4q0 8.8 0 5.2v5.4 0q11.4 0 12.8 8.6"},
    {'\'', 0, "M0 20L0 14.5"},
    {'(', 4.5, "M4.5 22.5q0 17.5 0 9q0 .5 4.5 -4.5"},
    {')', 4.5, "M0 22.5q4.5 17.5 4.5 9q4.5 .5 0 -4.5"},
    {'*', 9, "M4.5 20L4.5 11M.6 17.8L8.4 13.2M.6 13.2L8.4 17.8"},
    {'+', 12, "M6 13.5L6 2.5M.5 8L11.5 8"},
    {',', 1.6, "D1 .3M1.2 .3L0 -4"},
    {'-', 6.5, "M0 7.4L6.5 7.4"},
    {'.', 1, "D.5 .3"},
    {'/', 8.5, "M0 -3L8.5 22"},
    {'0', 12, "M6 20h12 13L12 7v6 0h0 7L0 13v6 20"},
    {'1', 12, "M2.6 15.8L7.6 20L7.6 0"},
    {'2', 12, "M.4 14.6v6 20h11.6 14.4q11.6 11.6 9.4 9.2L.4 0L12 0"},
    {'3', 12, "M.6 15.8v6 20 11.4 15.4 6.4 10.8L4.2 10.8M6.4 10.8h12 5.4 6 0 0 4.4"},
    {'4', 12.4, "M9 0L9 20L0 5.4L12.4 5.4"},
    {'5', 12, "M10.8 20L2 20L1 10.8q3.2 13 6 13h12 6.5 6 0 .2 4"},
    {'6', 12, "M6 12.6h12 6.3 6 0 0 6.3 6 12.6M0 6.3L0 12v7 20q10 20 11.2 17.4"},
    {'7', 12, "M.4 20L12 20L4.2 0"},
    {'8', 12, "M6 20h11.4 15.4 6 10.8 .6 15.4 6 20M6 10.8h12 5.4 6 0 0 5.4 6 10.8"},
    {'9', 12, "M6 7.4h0 13.7 6 20 12 13.7 6 7.4M12 13.7L12 8v5 0q2 0 .8 2.6"},
    {':', 1, "D.5 .3D.5 11"},
    {';', 1.6, "D1 11D1 .3M1.2 .3L0 -4"},
    {'<', 11, "M11 14L.5 8L11 2"},
    {'=', 12, "M.5 10.8L11.5 10.8M.5 5.2L11.5 5.2"},
    {'>', 11, "M0 14L10.5 8L0 2"},
    {'?', 10, "M0 15.4v5 20h10 15.2q10 12.8 7.5 10.8q5 8.8 5 6.4D5 .3"},
    {'@', 20,
     "M16.2 -2.6q13.6 -4.4 10 -4.4h0 5.5L0 9v10 19 20 9.5q20 3 16.8 3q14.4 3 14.4 6.4L14.4 12.4M10 12.6"
     "h5.8 7.8 10 3 14.4 7.8 10 12.6"},
    {'A', 14, "M0 0L7 20L14 0M2.5 7L11.5 7"},
    {'B', 12.4, "M0 0L0 20L6.4 20h11.4 15.4 6.4 10.8L0 10.8M6.4 10.8h12.4 5.4 6.4 0L0 0"},
    {'C', 12.6, "M12.4 14.8v6.6 20h0 13.4L0 6.6v6.6 0h12.6 5.2"},
    {'D', 13, "M0 0L0 20L5.6 20h13 12.6L13 7.4v5.6 0L0 0"},
    {'E', 11, "M11 20L0 20L0 0L11 0M0 10.4L9.6 10.4"},
    {'F', 11, "M11 20L0 20L0 0M0 10L9.6 10"},
    {'G', 13, "M12.6 15v6.6 20h0 13.4L0 6.6v6.6 0h13 6.4L13 9L7.6 9"},
    {'H', 13, "M0 0L0 20M13 0L13 20M0 10.4L13 10.4"},
    {'I', 0, "M0 0L0 20"},
    {'J', 9, "M9 20L9 5.8v4.4 0q1.4 0 0 2.4"},
    {'K', 12.6, "M0 0L0 20M12 20L0 7.6M4.3 12L12.6 0"},
    {'L', 10.4, "M0 20L0 0L10.4 0"},
    {'M', 15, "M0 0L0 20L7.5 5.6L15 20L15 0"},
    {'N', 13, "M0 0L0 20L13 0L13 20"},
    {'O', 14, "M7 20h14 13L14 7v7 0h0 7L0 13v7 20"},
    {'P', 12, "M0 0L0 20L6.4 20h12 14.6 6.4 9.2L0 9.2"},
    {'Q', 14, "M7 20h14 13L14 7v7 0h0 7L0 13v7 20M8.6 4.6L14 -1.4"},
    {'R', 12.6, "M0 0L0 20L6.4 20h12 14.8 6.4 9.6L0 9.6M6.2 9.6L12.6 0"},
    {'S', 12, "M11.4 15.8v6 20 .5 15.2 6 10.4 12 5.2 6 0 0 4.4"},
    {'T', 13, "M0 20L13 20M6.5 20L6.5 0"},
    {'U', 13, "M0 20L0 6.5v6.5 0h13 6.5L13 20"},
    {'V', 13.4, "M0 20L6.7 0L13.4 20"},
    {'W', 20, "M0 20L5 0L10 16.6L15 0L20 20"},
    {'X', 12.6, "M0 0L12.6 20M0 20L12.6 0"},
    {'Y', 13, "M0 20L6.5 9.4L13 20M6.5 9.4L6.5 0"},
    {'Z', 12, "M0 20L12 20L0 0L12 0"},
    {'[', 4.4, "M4.4 22.4L0 22.4L0 -4.4L4.4 -4.4"},
    {'\\', 8.5, "M0 22L8.5 -3"},
    {']', 4.4, "M0 22.4L4.4 22.4L4.4 -4.4L0 -4.4"},
    {'^', 9, "M0 13.6L4.5 20L9 13.6"},
    {'_', 10, "M0 -4L10 -4"},
    {'`', 3.6, "M0 20.6L3.6 16.8"},
    {'a', 10, "M.8 11.2v5.2 14h10 9.4L10 0M10 8.2L4.6 8.2h0 4.1 4.4 0 10 4.6"},
    {'b', 10.6, "M0 20L0 0M0 8.8v5.4 14h10.6 8.7L10.6 5.3v5.4 0h0 5.2"},
    {'c', 9.6, "M9.4 10.2v5.2 14h0 8.8L0 5.2v5.2 0h9.6 3.8"},
    {'d', 10.6, "M10.6 20L10.6 0M10.6 8.8v5.2 14h0 8.7L0 5.3v5.2 0h10.6 5.2"},
    {'e', 10.6, "M0 7.3L10.6 7.3L10.6 8.7v5.3 14h0 8.7L0 5.3v5.4 0q8.8 0 10 2.6"},
    {'f', 6.8, "M7 20h2.5 16L2.5 0M0 13.6L6.6 13.6"},
    {'g', 10.6, "M10.6 14L10.6 -1.4v5.4 -6.4q2 -6.4 .8 -4.2M10.6 8.8v5.2 14h0 8.7L0 5.3v5.2 0h10.6 5.2"},
    {'h', 10, "M0 20L0 0M0 8.6v5.2 14h10 8.8L10 0"},
    {'i', 1, "M.5 14L.5 0D.5 19.2"},
    {'j', 3.6, "M3 14L3 -2.6q3 -6.4 0 -6.4D3 19.2"},
    {'k', 10, "M0 20L0 0M9.4 14L0 4.8M3.6 8.3L10 0"},
    {'l', 3.4, "M0 20L0 3.6v3.4 0"},
    {'m', 16, "M0 14L0 0M0 9.2v4.4 14h8 9.4L8 0M8 9.2v12.4 14h16 9.4L16 0"},
    {'n', 10, "M0 14L0 0M0 8.6v5.2 14h10 8.8L10 0"},
    {'o', 11, "M5.5 14h11 8.5L11 5.5v5.5 0h0 5.5L0 8.5v5.5 14"},
    {'p', 10.6, "M0 14L0 -6.2M0 8.8v5.4 14h10.6 8.7L10.6 5.3v5.4 0h0 5.2"},
    {'q', 10.6, "M10.6 14L10.6 -6.2M10.6 8.8v5.2 14h0 8.7L0 5.3v5.2 0h10.6 5.2"},
    {'r', 6.4, "M0 14L0 0M0 8.4v5.2 14L6.4 14"},
    {'s', 9.2, "M8.6 11v4.6 14 .4 10.6 4.6 7.2 9.2 3.7 4.6 0 0 3"},
    {'t', 6.8, "M2.6 18.6L2.6 3.6v6 0L7 0M0 13.6L6.8 13.6"},
    {'u', 10, "M0 14L0 5.2v4.8 0h10 5.4M10 14L10 0"},
    {'v', 10.6, "M0 14L5.3 0L10.6 14"},
    {'w', 16, "M0 14L4 0L8 12L12 0L16 14"},
    {'x', 10, "M0 0L10 14M0 14L10 0"},
    {'y', 10.6, "M0 14L5.5 0M10.6 14L4.3 -3.4q3.2 -6.4 .4 -6.4"},
    {'z', 9.4, "M0 14L9.4 14L0 0L9.4 0"},
    {'{', 6.4, "M6.4 22.4q3 22.4 3 18.5L3 13q3 9 0 9q3 9 3 5L3 -.5q3 -4.4 6.4 -4.4"},
    {'|', 0, "M0 22.4L0 -4.4"},
    {'}', 6.4, "M0 22.4q3.4 22.4 3.4 18.5L3.4 13q3.4 9 6.4 9q3.4 9 3.4 5L3.4 -.5q3.4 -4.4 0 -4.4"},
    {'~', 12, "M0 6.2q2.6 10.6 6 8q9.4 5.4 12 9.8"},
};

static const glyph others[] = {
    {0xb0, 6.4, "M3.2 20h6.4 16.8 3.2 13.6 0 16.8 3.2 20"},   /* degree */
    {0xb5, 10, "M0 14L0 -6.2M0 5.2v4.8 0h10 5.4M10 14L10 0"}, /* micro */
    {0xb7, 1, "D.5 8"},                                       /* middle dot */
    {0xd7, 10, "M.5 3.5L9.5 12.5M.5 12.5L9.5 3.5"},           /* times */
    {0x2212, 11, "M0 8L11 8"},                                /* minus */
};

static const glyph unknown = {0xfffd, 10, "M0 20L10 20L10 0L0 0L0 20"};

/* Returns the character of which `code` is the superscript, or 0. */
static uint32_t lowered(uint32_t code)
{
    if (code == 0xb2 || code == 0xb3) return code - 0xb2 + '2';
    if (code == 0xb9) return '1';
    if (code == 0x2070 || (code >= 0x2074 && code <= 0x2079)) return code - 0x2070 + '0';
    if (code == 0x207a) return '+';
    if (code == 0x207b) return 0x2212;
    return 0;
}

static const glyph *glyph_of(uint32_t code)
{
    if (code > ' ' && code <= '~') return &ascii[code - '!'];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].code == code) return &others[i];
    }
    return &unknown;
}

/* Returns the next character of `text` and steps over it. Bytes that are not UTF-8 give U+FFFD one by one. */
static uint32_t next_code(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] < 0x80                   ? 0
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                             : -1;
    uint32_t code = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fu >> more) : 0xfffd;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            code = 0xfffd, more = 0;
            break;
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    *text += 1 + (more > 0 ? more : 0);
    return code;
}

/* Returns the advance of the pen for `code`, for capitals of height 1. */
static double advance(uint32_t code)
{
    uint32_t base = lowered(code);
    if (code == ' ' || code == 0xa0) return SPACE / CAPITAL;
    return base != 0 ? RAISED * (glyph_of(base)->width + GAP) / CAPITAL : (glyph_of(code)->width + GAP) / CAPITAL;
}

double pio_text_width(const char *text, double size)
{
    double width = 0;
    while (*text != '\0') width += advance(next_code(&text));
    return width > 0 ? (width - GAP / CAPITAL) * size : 0;
}

void pio_text_fit(const char *text, double size, double width, char *out, size_t out_size)
{
    if (pio_text_width(text, size) <= width && strlen(text) < out_size) {
        memcpy(out, text, strlen(text) + 1);
        return;
    }
    double used = pio_text_width("...", size);
    const char *end = text;
    for (const char *next = text; *next != '\0'; end = next) {
        used += advance(next_code(&next)) * size;
        if (used > width || (size_t)(next - text) + 4 > out_size) break;
    }
    snprintf(out, out_size, "%.*s...", (int)(end - text), text);
}

/* ---- strokes ------------------------------------------------------------------------------------------- */

typedef struct {
    double x0, y0, x1, y1, extra; /* pixels; `extra` widens a dot */
} piece;

typedef struct {
    double x, y, scale; /* origin of the glyph, pixels; pixels per grid unit */
    double at[2];       /* the pen, in grid units */
    piece pieces[MOST_PIECES];
    int n;
} pen;

static void line_to(pen *p, double x, double y, double extra)
{
    if (p->n < MOST_PIECES) {
        p->pieces[p->n++] = (piece){p->x + p->at[0] * p->scale, p->y - p->at[1] * p->scale, p->x + x * p->scale,
                                    p->y - y * p->scale, extra * p->scale};
    }
    p->at[0] = x;
    p->at[1] = y;
}

static void quarter_to(pen *p, double x, double y, bool horizontal)
{
    double x0 = p->at[0], y0 = p->at[1];
    for (int i = 1; i <= 6; i++) {
        double s = sin(i * M_PI / 12), c = cos(i * M_PI / 12);
        line_to(p, horizontal ? x0 + (x - x0) * s : x + (x0 - x) * c, horizontal ? y + (y0 - y) * c : y0 + (y - y0) * s,
                0);
    }
}

static void parabola_to(pen *p, const double *v)
{
    double x0 = p->at[0], y0 = p->at[1];
    for (int i = 1; i <= 6; i++) {
        double t = i / 6.0, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        line_to(p, a * x0 + b * v[0] + c * v[2], a * y0 + b * v[1] + c * v[3], 0);
    }
}

/* Reads the number at *path (sign, digits, at most one point) in any locale, and steps over it and the blanks before
 * it. */
static double number(const char **path)
{
    double value = 0, scale = 0;
    while (**path == ' ') ++*path;
    double sign = **path == '-' ? -1 : 1;
    if (**path == '-') ++*path;
    for (; (**path >= '0' && **path <= '9') || **path == '.'; ++*path) {
        if (**path == '.') {
            scale = 1;
            continue;
        }
        value = 10 * value + (**path - '0');
        scale *= 10;
    }
    return sign * (scale > 0 ? value / scale : value);
}

static void trace(pen *p, const char *path)
{
    char command = 'M';
    p->n = 0;
    while (*path != '\0') {
        double v[4] = {0};
        if (strchr("MLDhvq", *path) != NULL) command = *path++;
        for (int i = 0; i < (command == 'q' ? 4 : 2); i++) v[i] = number(&path);
        if (command == 'M' || command == 'D') p->at[0] = v[0], p->at[1] = v[1];
        if (command == 'D') line_to(p, v[0], v[1], 0.45);
        if (command == 'L') line_to(p, v[0], v[1], 0);
        if (command == 'q') parabola_to(p, v);
        if (command == 'h' || command == 'v') {
            quarter_to(p, v[0], v[1], command == 'h');
            command = command == 'h' ? 'v' : 'h';
        }
        while (*path == ' ') path++;
    }
}

static double distance(const piece *s, double x, double y)
{
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0, length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? fmin(1, fmax(0, (px * dx + py * dy) / length2)) : 0;
    return hypot(px - t * dx, py - t * dy) - s->extra;
}

static void ink(pio_image *image, const pen *p, double stroke, pio_rgb colour)
{
    double half = fmax(stroke, 1) / 2, faint = fmin(1, 0.3 + 0.7 * stroke), box[4] = {1e9, 1e9, -1e9, -1e9};
    for (int i = 0; i < p->n; i++) {
        const piece *s = &p->pieces[i];
        double reach = half + s->extra + 1;
        box[0] = fmin(box[0], fmin(s->x0, s->x1) - reach), box[1] = fmin(box[1], fmin(s->y0, s->y1) - reach);
        box[2] = fmax(box[2], fmax(s->x0, s->x1) + reach), box[3] = fmax(box[3], fmax(s->y0, s->y1) + reach);
    }
    int left = (int)fmax(0, box[0]), right = (int)fmin(image->width - 1, box[2]);
    int top = (int)fmax(0, box[1]), bottom = (int)fmin(image->height - 1, box[3]);
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            double nearest = 1e9;
            for (int i = 0; i < p->n; i++) nearest = fmin(nearest, distance(&p->pieces[i], x + 0.5, y + 0.5));
            pio_image_blend(image, x, y, colour, faint * fmin(1, half + 0.5 - nearest));
        }
    }
}

void pio_text_draw(pio_image *image, double x, double y, double size, double weight, pio_rgb colour, const char *text)
{
    if (!isfinite(x) || !isfinite(y) || !(size > 0) || fabs(x) > 1e6 || fabs(y) > 1e6 || size > 1e4) return;
    double base = floor(y) + 0.5; /* the stroke at the base line fills whole pixels, which is sharper */
    pen p;
    while (*text != '\0') {
        uint32_t code = next_code(&text), low = lowered(code);
        const glyph *g = glyph_of(low != 0 ? low : code);
        p.scale = size / CAPITAL * (low != 0 ? RAISED : 1);
        p.x = x;
        p.y = base - (low != 0 ? (1.08 - RAISED) * size : 0);
        p.at[0] = p.at[1] = 0;
        if (code != ' ' && code != 0xa0) {
            trace(&p, g->path);
            ink(image, &p, weight * size * (low != 0 ? 0.85 : 1), colour);
        }
        x += advance(code) * size;
    }
}
