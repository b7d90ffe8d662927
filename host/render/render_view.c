/* render_view.c -- from metres to pixels: a flat map for 2D, a perspective eye for 3D (z is up). */
#include "host/render/render_parts.h"

#include <math.h>
#include <string.h>

#define EYE_DISTANCE 2.3 /* diagonals of the box from its middle to the eye, a mild perspective */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool pio_view_project(const pio_view *view, const double point[3], double out[3])
{
    double q[3] = {0, 0, 0};
    for (int k = 0; k < view->dimension; k++) q[k] = (point[k] - view->centre[k]) / view->unit;
    double depth = view->dimension == 3 ? view->distance - dot(view->toward, q) : 1;
    if (!(depth > 0.02)) return false;
    out[0] = view->x0 + view->scale * dot(view->right, q) / depth;
    out[1] = view->y0 - view->scale * view->squeeze * dot(view->up, q) / depth;
    out[2] = depth;
    return true;
}

void pio_view_flat(pio_view *view, double window[2][3], const pio_area *area)
{
    memset(view, 0, sizeof *view);
    view->dimension = 2;
    view->unit = fmax(window[1][0] - window[0][0], window[1][1] - window[0][1]);
    for (int k = 0; k < 2; k++) view->centre[k] = window[0][k] / 2 + window[1][k] / 2;
    view->right[0] = view->up[1] = view->toward[2] = 1;
    view->scale = area->w / (window[1][0] - window[0][0]) * view->unit;
    view->squeeze = area->h / (window[1][1] - window[0][1]) * view->unit / view->scale;
    view->x0 = area->x + area->w / 2;
    view->y0 = area->y + area->h / 2;
}

void pio_view_space(pio_view *view, double box[2][3], double azimuth, double elevation, double zoom,
                    const pio_area *area)
{
    double a = azimuth * M_PI / 180, e = elevation * M_PI / 180, diagonal = 0;
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    *view = (pio_view){.dimension = 3,
                       .right = {cos(a), sin(a), 0},
                       .up = {-sin(a) * sin(e), cos(a) * sin(e), cos(e)},
                       .toward = {sin(a) * cos(e), -cos(a) * cos(e), sin(e)},
                       .distance = EYE_DISTANCE,
                       .scale = 1,
                       .squeeze = 1};
    for (int k = 0; k < 3; k++) {
        view->centre[k] = box[0][k] / 2 + box[1][k] / 2;
        diagonal = hypot(diagonal, box[1][k] - box[0][k]);
    }
    view->unit = diagonal;
    for (int corner = 0; corner < 8; corner++) {
        double p[3], at[3];
        for (int k = 0; k < 3; k++) p[k] = box[corner >> k & 1][k];
        pio_view_project(view, p, at); /* corners lie at most half a unit from the middle, before the eye */
        for (int k = 0; k < 2; k++) least[k] = fmin(least[k], at[k]), most[k] = fmax(most[k], at[k]);
    }
    view->scale = zoom * fmin(area->w / (most[0] - least[0]), area->h / (most[1] - least[1]));
    view->x0 = area->x + area->w / 2 - view->scale * (least[0] + most[0]) / 2;
    view->y0 = area->y + area->h / 2 - view->scale * (least[1] + most[1]) / 2;
}
