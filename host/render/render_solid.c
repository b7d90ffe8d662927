/* render_solid.c -- obstacles in a 2D picture, behind the particles: pixel by pixel from their signed distance. */
#include "host/render/render_parts.h"

#include <math.h>

/* Returns the signed distance of a point, m; negative inside. */
static double distance(const pio_solid *s, const double place[2])
{
    const double c = cos(s->angle), n = sin(s->angle), x = place[0] - s->centre[0], y = place[1] - s->centre[1];
    const double u[2] = {c * x + n * y, c * y - n * x};
    const double q[2] = {fabs(u[0]) - s->size[0] / 2, fabs(u[1]) - s->size[1] / 2};
    switch (s->shape) {
    case PIO_PLANE:
        return (s->normal[0] * u[0] + s->normal[1] * u[1]) / hypot(s->normal[0], s->normal[1]);
    case PIO_BALL:
        return hypot(x, y) - s->radius;
    default:
        break; /* a box */
    }
    return hypot(fmax(q[0], 0), fmax(q[1], 0)) + fmin(fmax(q[0], q[1]), 0);
}

static double clamped(double alpha)
{
    return fmin(fmax(alpha, 0), 1);
}

void pio_solids_draw(const pio_frame *f, pio_image *image)
{
    static const pio_rgb inside = {216, 219, 224};
    const pio_view *v = &f->view;
    const double pixel = v->unit / v->scale, line = fmax(1, f->size / 10);
    const int left = (int)f->plot.x, top = (int)f->plot.y;
    for (int y = top; y < top + (int)f->plot.h && f->p.n_solids > 0; y++) {
        for (int x = left; x < left + (int)f->plot.w; x++) {
            const double place[2] = {v->centre[0] + (x + 0.5 - v->x0) * pixel,
                                     v->centre[1] - (y + 0.5 - v->y0) * pixel / v->squeeze};
            for (size_t i = 0; i < f->p.n_solids; i++) {
                const double d = distance(&f->p.solids[i], place) / pixel;
                if (!(d < line + 1)) continue; /* also if it is not a number */
                pio_image_blend(image, x, y, inside, clamped(0.5 - d));
                pio_image_blend(image, x, y, pio_line_colour, clamped(line / 2 + 0.5 - fabs(d)));
            }
        }
    }
}
