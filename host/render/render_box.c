/* render_box.c -- the 3D scene around the particles: the floor with its grid and shadow, the wire frame of the domain,
 * numbers along three edges, and the triad of axes. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"
#include "host/render/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 256 /* cells of the shadow map along the longer side of the floor */

/* ---- floor --------------------------------------------------------------------------------------------- */

typedef struct {
    int nx, ny;
    double cell;         /* m */
    float *dark, *spare; /* [ny][nx] 0..1 */
} shadow;

/* Returns how dark a point at the height z (m) makes the floor. */
static float darkness(const pio_frame *f, double z)
{
    return (float)(1 - 0.7 * fmin(1, fmax(0, (z - f->box[0][2]) / (f->box[1][2] - f->box[0][2]))));
}

static void darken(shadow *m, int x, int y, float dark)
{
    if (x < 0 || y < 0 || x >= m->nx || y >= m->ny) return;
    float *cell = &m->dark[y * m->nx + x];
    *cell = fmaxf(*cell, dark);
}

/* Darkens all cells whose middle lies beneath the triangle p (x and y in cells, z in m), and those nearest to its
 * corners, as its lowest corner does, in proportion to its opacity. */
static void drop_triangle(const pio_frame *f, double p[3][3], float opacity, shadow *m)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    const float dark = opacity * darkness(f, fmin(p[0][2], fmin(p[1][2], p[2][2])));
    for (int v = 0; v < 3; v++) {
        for (int k = 0; k < 2; k++) lo[k] = fmin(lo[k], p[v][k]), hi[k] = fmax(hi[k], p[v][k]);
        darken(m, (int)fmin(CELLS, fmax(-1, round(p[v][0]))), (int)fmin(CELLS, fmax(-1, round(p[v][1]))), dark);
    }
    for (int y = (int)ceil(fmax(0, lo[1])); y <= (int)floor(fmin(m->ny - 1, hi[1])); y++) {
        for (int x = (int)ceil(fmax(0, lo[0])); x <= (int)floor(fmin(m->nx - 1, hi[0])); x++) {
            int left = 0, right = 0;
            for (int v = 0; v < 3; v++) {
                const double *a = p[v], *b = p[(v + 1) % 3];
                const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
                left += side >= 0;
                right += side <= 0;
            }
            if (left == 3 || right == 3) darken(m, x, y, dark);
        }
    }
}

static void drop_skin(const pio_frame *f, const pio_skin *skin, shadow *m)
{
    for (size_t i = 0; i < skin->n; i++) {
        double p[3][3];
        bool whole = true;
        if (skin->triangle[i].opacity == 0) continue;
        for (int v = 0; v < 3; v++) {
            const pio_vertex *corner = &skin->vertex[skin->triangle[i].vertex[v]];
            whole = whole && !isnan(corner->x);
            for (int k = 0; k < 3; k++) p[v][k] = f->view.centre[k] + f->view.unit * (double)corner->place[k];
            for (int k = 0; k < 2; k++) p[v][k] = (p[v][k] - f->box[0][k]) / m->cell - 0.5;
        }
        if (whole) drop_triangle(f, p, (float)skin->triangle[i].opacity / PIO_OPAQUE, m);
    }
}

/* Projects particles straight down onto the floor: full shade if they lie on it, less if they are high above. */
static void drop(const pio_frame *f, const pio_samples *s, shadow *m)
{
    double most = fmin(CELLS, sqrt(3e7 / (double)f->p.n)); /* bounds the work */
    int reach = (int)fmin(most, f->radius / m->cell);
    for (size_t i = 0; i < f->p.n; i++) {
        const double *p = f->p.points + 3 * i;
        if (s->discs[i].r < 0) continue;
        double x = (p[0] - f->box[0][0]) / m->cell, y = (p[1] - f->box[0][1]) / m->cell;
        float dark = darkness(f, p[2] - f->radius);
        if (!(x >= 0 && y >= 0 && x < m->nx && y < m->ny)) continue;
        for (int dy = -reach; dy <= reach; dy++) {
            for (int dx = -reach; dx <= reach; dx++) {
                if (dx * dx + dy * dy <= reach * reach) darken(m, (int)x + dx, (int)y + dy, dark);
            }
        }
    }
}

/* Computes a running mean over 2 r + 1 cells along x (stride 1) or y. */
static void soften(const float *from, float *to, int lines, int length, int line_stride, int stride, int r)
{
    for (int line = 0; line < lines; line++) {
        for (int i = 0; i < length; i++) {
            float sum = 0;
            for (int k = -r; k <= r; k++) {
                if (i + k >= 0 && i + k < length) sum += from[line * line_stride + (i + k) * stride];
            }
            to[line * line_stride + i * stride] = sum / (float)(2 * r + 1);
        }
    }
}

static float shade_at(const shadow *m, double x, double y)
{
    double cx = fmin(m->nx - 1.001, fmax(0, x - 0.5)), cy = fmin(m->ny - 1.001, fmax(0, y - 0.5));
    int i = (int)cx, j = (int)cy;
    float u = (float)(cx - i), v = (float)(cy - j);
    const float *d = m->dark + j * m->nx + i;
    return (d[0] * (1 - u) + d[1] * u) * (1 - v) + (d[m->nx] * (1 - u) + d[m->nx + 1] * u) * v;
}

/* Computes where the ray of the eye through pixel (x, y) meets the floor, m. Returns false if it does not. */
static bool on_floor(const pio_frame *f, double x, double y, double out[2])
{
    const pio_view *v = &f->view;
    double a = (x - v->x0) / v->scale, b = (v->y0 - y) / v->scale, ray[3];
    for (int k = 0; k < 3; k++) ray[k] = a * v->right[k] + b * v->up[k] - v->toward[k];
    double floor_z = (f->box[0][2] - v->centre[2]) / v->unit, t = (floor_z - v->distance * v->toward[2]) / ray[2];
    if (!(t > 0) || !isfinite(t)) return false;
    for (int k = 0; k < 2; k++) out[k] = v->centre[k] + v->unit * (v->distance * v->toward[k] + t * ray[k]);
    return true;
}

static bool above_floor(const pio_frame *f)
{
    return f->view.distance * f->view.toward[2] * f->view.unit + f->view.centre[2] > f->box[0][2];
}

static double line_in_plot(void *context, int x, int y, double along)
{
    const pio_area *a = context;
    (void)along;
    return x >= a->x && y >= a->y && x < a->x + a->w && y < a->y + a->h ? 1 : 0;
}

static pio_ticks box_ticks(const pio_frame *f, int axis)
{
    double longest = 0, side = f->box[1][axis] - f->box[0][axis];
    for (int k = 0; k < 3; k++) longest = fmax(longest, f->box[1][k] - f->box[0][k]);
    return pio_ticks_make(f->box[0][axis], f->box[1][axis], (int)fmax(3, fmin(5, ceil(6 * side / longest))));
}

static void segment(const pio_frame *f, pio_image *image, const double p[3], const double q[3], double width,
                    pio_rgb colour, double alpha)
{
    double a[3], b[3];
    pio_area plot = f->plot;
    if (!pio_view_project(&f->view, p, a) || !pio_view_project(&f->view, q, b)) return;
    pio_image_line(image, a[0], a[1], b[0], b[1], &(pio_pen){width, colour, alpha, line_in_plot, &plot});
}

static void floor_grid(const pio_frame *f, pio_image *image)
{
    for (int axis = 0; axis < 2; axis++) {
        pio_ticks t = box_ticks(f, axis);
        for (int i = 0; i < t.n; i++) {
            double p[3] = {f->box[0][0], f->box[0][1], f->box[0][2]}, q[3] = {f->box[1][0], f->box[1][1], f->box[0][2]};
            p[axis] = q[axis] = t.at[i];
            segment(f, image, p, q, fmax(1, f->size / 11), (pio_rgb){206, 211, 218}, 0.9);
        }
    }
}

piola_status pio_floor_draw(const pio_frame *f, const pio_samples *s, pio_image *image, piola_error *error)
{
    static const pio_rgb ground = {240, 242, 245}, dark = {120, 128, 142};
    double sx = f->box[1][0] - f->box[0][0], sy = f->box[1][1] - f->box[0][1];
    shadow m = {.cell = fmax(sx, sy) / CELLS};
    if (!above_floor(f)) {
        floor_grid(f, image);
        return PIOLA_OK;
    }
    m.nx = (int)fmax(2, ceil(sx / m.cell - 1e-9));
    m.ny = (int)fmax(2, ceil(sy / m.cell - 1e-9));
    m.dark = calloc((size_t)m.nx * (size_t)m.ny, sizeof *m.dark);
    m.spare = calloc((size_t)m.nx * (size_t)m.ny, sizeof *m.spare);
    if (m.dark == NULL || m.spare == NULL) {
        free(m.dark);
        free(m.spare);
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory for the shadow");
    }
    drop_skin(f, &s->skin, &m);
    if (s->grainy) drop(f, s, &m);
    for (int pass = 0; pass < 2; pass++) {
        soften(m.dark, m.spare, m.ny, m.nx, m.nx, 1, 4);
        soften(m.spare, m.dark, m.nx, m.ny, 1, m.nx, 4);
    }
    for (int y = (int)f->plot.y; y < (int)(f->plot.y + f->plot.h); y++) {
        for (int x = (int)f->plot.x; x < (int)(f->plot.x + f->plot.w); x++) {
            double p[2];
            if (!on_floor(f, x + 0.5, y + 0.5, p)) continue;
            double cx = (p[0] - f->box[0][0]) / m.cell, cy = (p[1] - f->box[0][1]) / m.cell;
            if (!(cx > -1 && cy > -1 && cx < sx / m.cell + 1 && cy < sy / m.cell + 1)) continue;
            double inside = fmin(fmin(cx, cy), fmin(sx / m.cell - cx, sy / m.cell - cy));
            pio_image_blend(image, x, y, ground, fmin(1, fmax(0, inside + 0.5)));
            pio_image_blend(image, x, y, dark, 0.6 * (double)shade_at(&m, cx, cy) * fmin(1, fmax(0, inside + 0.5)));
        }
    }
    free(m.dark);
    free(m.spare);
    floor_grid(f, image);
    return PIOLA_OK;
}

/* ---- wire frame and numbers ---------------------------------------------------------------------------- */

typedef struct {
    const pio_frame *f;
    const pio_samples *s;
    double from, to; /* depths at the ends */
} edge;

/* Returns the opacity of an edge: full where it lies before all particles, faint behind them. Inverse depth is linear
 * along a line on the screen. */
static double edge_strength(void *context, int x, int y, double along)
{
    const edge *e = context;
    const pio_samples *s = e->s;
    double depth = 1 / ((1 - along) / e->from + along / e->to);
    int hidden = 0, left = PIO_SAMPLES * (x - (int)e->f->plot.x), top = PIO_SAMPLES * (y - (int)e->f->plot.y);
    if (left < 0 || top < 0 || left >= s->width || top >= s->height) return 0;
    for (int k = 0; k < PIO_SAMPLES * PIO_SAMPLES; k++) {
        ptrdiff_t at = (ptrdiff_t)(top + k / PIO_SAMPLES) * s->width + left + k % PIO_SAMPLES;
        if ((double)s->depth[at] < depth) hidden++;
    }
    return 1 - 0.84 * hidden / (PIO_SAMPLES * PIO_SAMPLES);
}

/* Returns whether the eye is on the outer side of the box's face. */
static bool faces_eye(const pio_frame *f, int axis, int side)
{
    double eye = f->view.centre[axis] + f->view.unit * f->view.distance * f->view.toward[axis];
    return side == 0 ? eye < f->box[0][axis] : eye > f->box[1][axis];
}

static void wire_frame(const pio_frame *f, const pio_samples *s, pio_image *image)
{
    for (int k = 0; k < 12; k++) {
        int axis = k / 4, one = (axis + 1) % 3, two = (axis + 2) % 3;
        double p[3], q[3], a[3], b[3];
        p[one] = q[one] = f->box[k & 1][one];
        p[two] = q[two] = f->box[k >> 1 & 1][two];
        p[axis] = f->box[0][axis];
        q[axis] = f->box[1][axis];
        if (!pio_view_project(&f->view, p, a) || !pio_view_project(&f->view, q, b)) continue;
        bool seen = faces_eye(f, one, k & 1) || faces_eye(f, two, k >> 1 & 1);
        edge e = {f, s, a[2], b[2]};
        const pio_pen pen = {fmax(1, f->size / 8.5), pio_line_colour, seen ? 0.8 : 0.34, edge_strength, &e};
        pio_image_line(image, a[0], a[1], b[0], b[1], &pen);
    }
}

/* Finds the edge along `axis` that carries the numbers: x and y at the foot, low on the screen; z at the left. */
static void numbered_edge(const pio_frame *f, int axis, double p[3], double q[3])
{
    double best = -INFINITY;
    for (int k = 0; k < 4; k++) {
        int one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
        double a[3], b[3], from[3], to[3];
        if (axis != 2 && (k & 2)) continue;
        a[one] = b[one] = f->box[k & 1][one];
        a[two] = b[two] = f->box[k >> 1 & 1][two];
        a[axis] = f->box[0][axis];
        b[axis] = f->box[1][axis];
        if (!pio_view_project(&f->view, a, from) || !pio_view_project(&f->view, b, to)) continue;
        double score = axis == 2 ? -(from[0] + to[0]) : from[1] + to[1] - 0.01 * (from[0] + to[0]);
        if (score <= best + 1e-6) continue;
        best = score;
        for (int c = 0; c < 3; c++) p[c] = a[c], q[c] = b[c];
    }
}

typedef struct {
    double box[64][4]; /* left, top, right, bottom, pixels */
    int n;
} placed;

/* Draws `text` with its middle at (x, y), if it lies within the plot and does not cover other text. */
static void text_at(const pio_frame *f, pio_image *image, placed *others, double x, double y, const char *text)
{
    double wide = pio_text_width(text, f->size, false), left = x - wide / 2, base = y + f->size / 2;
    const pio_area *a = &f->plot;
    if (left < a->x || base - f->size < a->y || left + wide > a->x + a->w || base + 0.4 * f->size > a->y + a->h) return;
    double mine[4] = {left - 0.4 * f->size, base - 1.2 * f->size, left + wide + 0.4 * f->size, base + 0.3 * f->size};
    for (int i = 0; i < others->n; i++) {
        const double *o = others->box[i];
        if (mine[0] < o[2] && o[0] < mine[2] && mine[1] < o[3] && o[1] < mine[3]) return;
    }
    if (others->n < 64) memcpy(others->box[others->n++], mine, sizeof mine);
    pio_text_draw(image, left, base, f->size, false, pio_ink, text);
}

static void numbers(const pio_frame *f, pio_image *image, placed *others, int axis)
{
    double p[3] = {0}, q[3] = {0}, a[3], b[3], middle[3], s = f->size, widest = 0;
    char label[96], power[48] = "";
    pio_ticks t = box_ticks(f, axis);
    numbered_edge(f, axis, p, q);
    if (!pio_view_project(&f->view, p, a) || !pio_view_project(&f->view, q, b)) return;
    pio_view_project(&f->view, f->view.centre, middle);
    double nx = a[1] - b[1], ny = b[0] - a[0], length = hypot(nx, ny);
    double full = f->view.scale / f->view.distance * (f->box[1][axis] - f->box[0][axis]) / f->view.unit;
    if (length < 5 * s || length < 0.3 * full) return; /* seen end on */
    double away = (a[0] + b[0]) / 2 * nx + (a[1] + b[1]) / 2 * ny - middle[0] * nx - middle[1] * ny;
    nx *= (away < 0 ? -1 : 1) / length;
    ny *= (away < 0 ? -1 : 1) / length;
    double apart = fmax(fabs(ny) * 4.5, 2.2) * s; /* between neighbouring numbers */
    int every =
        t.n > 1 ? (int)ceil(apart * (t.n - 1) * (q[axis] - p[axis]) / ((t.at[t.n - 1] - t.at[0]) * length) - 0.25) : 1;
    for (int i = 0; i < t.n; i++) {
        double at[3], from[3] = {p[0], p[1], p[2]};
        from[axis] = t.at[i];
        if ((every > 1 && i % every != 0) || !pio_view_project(&f->view, from, at)) continue;
        pio_tick_label(&t, t.at[i], label, sizeof label);
        double wide = pio_text_width(label, s, false), gap = 1.0 * s + fabs(nx) * wide / 2 + fabs(ny) * s / 2;
        pio_area plot = f->plot;
        const pio_pen pen = {fmax(1, s / 10), pio_line_colour, 1, line_in_plot, &plot};
        pio_image_line(image, at[0], at[1], at[0] + 0.5 * s * nx, at[1] + 0.5 * s * ny, &pen);
        text_at(f, image, others, at[0] + gap * nx, at[1] + gap * ny, label);
        widest = fmax(widest, wide);
    }
    if (t.exponent != 0) pio_power_of_ten(t.exponent, power, sizeof power);
    snprintf(label, sizeof label, "%c (%s%sm)", "xyz"[axis], power, power[0] != '\0' ? " " : "");
    double gap = 2.2 * s + fabs(nx) * (widest + pio_text_width(label, s, false) / 2) + fabs(ny) * 1.6 * s;
    text_at(f, image, others, (a[0] + b[0]) / 2 + gap * nx, (a[1] + b[1]) / 2 + gap * ny, label);
}

static void triad(const pio_frame *f, pio_image *image)
{
    static const pio_rgb colours[3] = {{181, 62, 56}, {58, 132, 70}, {50, 98, 168}};
    double s = f->size, length = 3.4 * s, x = f->plot.x + 5.5 * s, y = f->plot.y + f->plot.h - 5.5 * s;
    int order[3] = {0, 1, 2}; /* the farthest first */
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            int k = order[j];
            if (f->view.toward[k] > f->view.toward[order[j + 1]]) order[j] = order[j + 1], order[j + 1] = k;
        }
    }
    for (int i = 0; i < 3; i++) {
        int k = order[i];
        double dx = f->view.right[k], dy = -f->view.up[k], flat = hypot(dx, dy);
        char letter[2] = {"xyz"[k], '\0'};
        double ex = x + length * dx, ey = y + length * dy, wide = pio_text_width(letter, s, true);
        pio_image_line(image, x, y, ex, ey, &(pio_pen){fmax(1.4, s / 5.5), colours[k], 1, NULL, NULL});
        if (flat > 0.25) {
            double ux = dx / flat, uy = dy / flat, tip = 1.0 * s, half = 0.42 * s;
            double head[3][2] = {
                {ex + tip * ux, ey + tip * uy}, {ex - half * uy, ey + half * ux}, {ex + half * uy, ey - half * ux}};
            pio_image_polygon(image, head, 3, colours[k], 1);
            pio_text_draw(image, ex + 1.9 * s * ux - wide / 2, ey + 1.9 * s * uy + s * 0.35, s, true, colours[k],
                          letter);
        }
    }
}

void pio_box_draw(const pio_frame *f, const pio_samples *s, pio_image *image)
{
    placed texts = {.n = 0};
    wire_frame(f, s, image);
    for (int axis = 0; axis < 3; axis++) numbers(f, image, &texts, axis);
    triad(f, image);
}
