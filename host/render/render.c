/* render.c -- the picture as a whole: checks, layout, the order of drawing, and the notes. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"
#include "host/base/threads.h"
#include "host/render/text.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

pio_picture pio_picture_default(void)
{
    return (pio_picture){.dimension = 3,
                         .lo = NAN,
                         .hi = NAN,
                         .box_min = {NAN, NAN, NAN},
                         .box_max = {NAN, NAN, NAN},
                         .azimuth = 30,
                         .elevation = 24,
                         .zoom = 1};
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static piola_status check_data(const pio_picture *p, piola_error *error)
{
    if (p->dimension != 2 && p->dimension != 3) {
        return pio_fail(error, PIOLA_USAGE, "a picture of dimension %d: it must be 2 or 3", p->dimension);
    }
    if (p->n == 0) return pio_fail(error, PIOLA_BAD_DATA, "there are no particles to draw");
    if (p->at_cells && p->mesh == NULL) {
        return pio_fail(error, PIOLA_USAGE, "values of cells need a mesh that has the cells");
    }
    if (p->points == NULL) return pio_fail(error, PIOLA_USAGE, "a picture of %zu particles needs their points", p->n);
    if (p->n >= PIO_NO_OWNER || p->n > SIZE_MAX / 64) {
        return pio_fail(error, PIOLA_USAGE, "%zu particles in one picture: at most %u", p->n, PIO_NO_OWNER - 1);
    }
    for (int k = 0; k < p->dimension; k++) {
        double lo = p->box_min[k], hi = p->box_max[k];
        if (isnan(lo) && isnan(hi)) continue;
        if (!isfinite(lo) || !isfinite(hi) || lo >= hi) {
            return pio_fail(error, PIOLA_USAGE,
                            "the box of the picture goes from %g to %g m along %c: the upper end must be larger (both "
                            "NaN: from the points)",
                            lo, hi, "xyz"[k]);
        }
    }
    return PIOLA_OK;
}

static piola_status check_options(const pio_picture *p, piola_error *error)
{
    if (isinf(p->lo) || isinf(p->hi) || p->lo >= p->hi) { /* false where one is NaN */
        return pio_fail(error, PIOLA_USAGE,
                        "the range of colours goes from %g to %g: the upper end must be larger (NaN: from the values)",
                        p->lo, p->hi);
    }
    if (!(p->radius >= 0) || isinf(p->radius)) {
        return pio_fail(error, PIOLA_USAGE, "a particle radius of %g m: it must be positive, or 0 to be estimated",
                        p->radius);
    }
    if (!isfinite(p->azimuth) || !(fabs(p->elevation) <= 90)) {
        return pio_fail(error, PIOLA_USAGE,
                        "the eye at azimuth %g, elevation %g degrees: the elevation must be -90 to 90", p->azimuth,
                        p->elevation);
    }
    if (!(p->zoom >= 1e-3 && p->zoom <= 1e3)) {
        return pio_fail(error, PIOLA_USAGE, "a zoom of %g: it must be 0.001 to 1000", p->zoom);
    }
    if (p->n_names > PIO_MOST_NAMES) {
        return pio_fail(error, PIOLA_USAGE, "%zu names beside a colour bar: at most %d", p->n_names, PIO_MOST_NAMES);
    }
    for (size_t i = 0; i < p->n_styles; i++) {
        if (p->styles[i].opacity >= 0 && p->styles[i].opacity <= 1 && p->styles[i].spacing >= 0) continue;
        return pio_fail(error, PIOLA_USAGE,
                        "body %zu has opacity %g and spacing %g m: the first must be 0 to 1, the other 0 or positive",
                        i, p->styles[i].opacity, p->styles[i].spacing);
    }
    if (p->map != PIO_MAP_AUTO && p->map != PIO_MAP_SEQUENTIAL && p->map != PIO_MAP_DIVERGING) {
        return pio_fail(error, PIOLA_USAGE, "colour map %d does not exist", (int)p->map);
    }
    int w = p->width == 0 ? 1280 : p->width, h = p->height == 0 ? 720 : p->height;
    if (w < 320 || h < 180 || w > PIO_IMAGE_MAX_SIDE || h > PIO_IMAGE_MAX_SIDE) {
        return pio_fail(error, PIOLA_USAGE, "a picture of %d x %d pixels: it must be 320 x 180 to %d x %d", p->width,
                        p->height, PIO_IMAGE_MAX_SIDE, PIO_IMAGE_MAX_SIDE);
    }
    return pio_threads_check(p->threads, error);
}

/* ---- layout -------------------------------------------------------------------------------------------- */

static pio_area whole_pixels(pio_area a)
{
    return (pio_area){floor(a.x), floor(a.y), fmax(8, floor(a.w)), fmax(8, floor(a.h))};
}

/* Lays out a 2D picture: the window fits `area` beside its numbers; plot and bar together are centred in it. */
static void layout_flat(pio_frame *f, pio_area area, double column)
{
    double w[2][3] = {{0}}, s = f->size, gap = column > 0 ? 2.5 * s : 0, left = 5 * s;
    for (int k = 0; k < 2; k++) {
        double middle = f->box[0][k] / 2 + f->box[1][k] / 2, half = (f->box[1][k] - f->box[0][k]) / 2 / f->p.zoom;
        w[0][k] = middle - half;
        w[1][k] = middle + half;
    }
    for (int k = 0; k < 2; k++) { /* a thin strip gets some paper along its sides */
        double lack = ((w[1][1 - k] - w[0][1 - k]) / 40 - (w[1][k] - w[0][k])) / 2;
        if (lack > 0) w[0][k] -= lack, w[1][k] += lack;
    }
    area.y += 2.4 * s; /* the title of the upright axis */
    area.h -= 6.8 * s; /* and numbers and title below */
    for (int pass = 0; pass < 3; pass++) {
        double room = fmax(8, area.w - left - gap - column), sx = w[1][0] - w[0][0], sy = w[1][1] - w[0][1];
        double scale = fmin(room / sx, area.h / sy), wide = fmax(8, round(scale * sx)),
               high = fmax(8, round(scale * sy));
        double x = area.x + left + (area.w - left - gap - column - wide) / 2;
        f->plot = whole_pixels((pio_area){x, area.y + (area.h - high) / 2, wide, high});
        f->bar_left = f->plot.x + wide + gap;
        pio_view_flat(&f->view, w, &f->plot);
        left = fmax(3 * s, pio_axes_left(f));
    }
}

/* Lays out a 3D picture: the plot has all the space except the bar's column, and the box leaves a margin for the
 * numbers along its edges. */
static void layout_space(pio_frame *f, pio_area area, double column)
{
    double s = f->size;
    f->bar_left = area.x + area.w - column;
    area.w -= column > 0 ? column + 1.5 * s : 0;
    f->plot = whole_pixels(area);
    pio_area inner = {f->plot.x + 7 * s, f->plot.y + 1.2 * s, fmax(8, f->plot.w - 12 * s),
                      fmax(8, f->plot.h - 6.6 * s)};
    pio_view_space(&f->view, f->box, f->p.azimuth, f->p.elevation, f->p.zoom, &inner);
}

static void layout(pio_frame *f)
{
    double w = f->p.width, h = f->p.height, s = f->size, margin = 2.2 * s;
    double top = margin + (f->p.title != NULL ? 2.2 * s : 0) + 2.6 * s, bottom = h - 3.2 * s;
    double tip = 1.35 * s, bar_height = fmin(0.56 * h, bottom - top - 8.5 * s);
    f->bar = (pio_area){0, floor(top + 3.8 * s + tip + (bottom - top - bar_height - 10 * s) * 0.45), floor(1.8 * s),
                        floor(fmax(4 * s, bar_height))};
    f->bar_ticks = (pio_ticks){.n = 0};
    if (f->coloured && f->named) {
        f->bar_ticks = pio_ticks_named(&f->p);
    } else if (f->coloured && f->equal && f->kind != PIO_MAP_DIVERGING) {
        f->bar_ticks = pio_ticks_make(f->lo, f->hi, 4);
    } else if (f->coloured) {
        f->bar_ticks = pio_ticks_make(f->lo, f->hi, (int)fmax(2, f->bar.h / (4.2 * s)));
    }
    double column = pio_bar_column(f);
    pio_area area = {margin, top, w - 2 * margin, bottom - top};
    if (f->p.dimension == 2) {
        layout_flat(f, area, column);
    } else {
        layout_space(f, area, column);
    }
    f->bar.x = floor(f->bar_left);
    f->bar_left = f->bar.x;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* Writes `n` in groups of three digits with thin spaces: "1 000 000". */
static void grouped(size_t n, char *out, size_t size)
{
    char plain[32];
    int length = snprintf(plain, sizeof plain, "%zu", n);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[at++] = ' ';
        out[at++] = plain[i];
    }
    out[at] = '\0';
}

static void heading(const pio_frame *f, pio_image *image)
{
    double s = f->size, margin = 2.2 * s, room = image->width - 2 * margin, base = margin + s;
    char text[1024], line[1024], count[48];
    if (f->p.title != NULL) {
        pio_text_fit(f->p.title, 1.4 * s, room, line, sizeof line, true);
        pio_text_draw(image, margin, base + 0.2 * s, 1.4 * s, true, pio_ink, line);
        base += 2.5 * s;
    }
    const size_t n = f->p.mesh != NULL ? (size_t)f->p.mesh->n_cells : f->p.n;
    grouped(n, count, sizeof count);
    bool captioned = f->p.caption != NULL && f->p.caption[0] != '\0';
    snprintf(text, sizeof text, "%s%s%s %s%s", captioned ? f->p.caption : "", captioned ? "   \u00b7   " : "", count,
             f->p.mesh != NULL ? "cell" : "particle", n == 1 ? "" : "s");
    pio_text_fit(text, s, room, line, sizeof line, false);
    pio_text_draw(image, margin, base, s, false, pio_pale, line);
}

static void add_note(char *notes, size_t size, size_t count, const char *one, const char *many)
{
    size_t used = strlen(notes);
    char number[48];
    if (count == 0) return;
    grouped(count, number, sizeof number);
    snprintf(notes + used, size - used, "%s%s %s", used > 0 ? "; " : "", number, count == 1 ? one : many);
}

static void footing(const pio_frame *f, pio_image *image)
{
    char line[sizeof image->notes];
    double s = f->size;
    static const char *const notes[2][8] = {
        {"particle without a finite position is not drawn", "particles without a finite position are not drawn",
         "particle lies outside the picture", "particles lie outside the picture", "particle without a value is grey",
         "particles without a value are grey"},
        {"point has no finite position: its cells are not drawn",
         "points have no finite position: their cells are not drawn", "face lies outside the picture",
         "faces lie outside the picture", "point without a value is grey", "points without a value are grey",
         "cell without a value is grey", "cells without a value are grey"}};
    const char *const *words = notes[f->p.mesh != NULL];
    add_note(image->notes, sizeof image->notes, f->bad_points, words[0], words[1]);
    add_note(image->notes, sizeof image->notes, f->outside, words[2], words[3]);
    add_note(image->notes, sizeof image->notes, f->far_away, "particle is too far from the box for its surface",
             "particles are too far from the box for their surface");
    add_note(image->notes, sizeof image->notes, f->grey, words[f->p.at_cells ? 6 : 4], words[f->p.at_cells ? 7 : 5]);
    add_note(image->notes, sizeof image->notes, f->marks_outside, "target or point of data lies outside the picture",
             "targets or points of data lie outside the picture");
    pio_text_fit(image->notes, 0.9 * s, image->width - 4.4 * s, line, sizeof line, false);
    pio_text_draw(image, 2.2 * s, image->height - 1.6 * s, 0.9 * s, false, (pio_rgb){158, 84, 20}, line);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Draws particles into samples: discs, and surfaces around those of some bodies. */
static piola_status splat(pio_frame *f, pio_samples *samples, piola_error *error)
{
    piola_status status = pio_splat(f, samples, error);
    if (status != PIOLA_OK || f->p.n_styles == 0) return status;
    status = pio_fluid_make(f, &samples->skin, error);
    if (status == PIOLA_OK) {
        pio_raster(f, samples);
    } else {
        pio_samples_free(samples);
    }
    return status;
}

/* Draws the surface of a mesh into samples. */
static piola_status cover(pio_frame *f, pio_samples *samples, piola_error *error)
{
    piola_status status = pio_samples_make(f, samples, error);
    if (status != PIOLA_OK) return status;
    status = pio_skin_make(f, samples, &samples->skin, error);
    if (status == PIOLA_OK) {
        pio_raster(f, samples);
    } else {
        pio_samples_free(samples);
    }
    return status;
}

static piola_status draw(pio_frame *f, pio_image *image, piola_error *error)
{
    pio_samples samples;
    piola_status status = f->p.mesh != NULL ? cover(f, &samples, error) : splat(f, &samples, error);
    if (status != PIOLA_OK) return status;
    heading(f, image);
    if (f->p.dimension == 2) {
        pio_axes_draw(f, image, true);
        pio_solids_draw(f, image);
        status = pio_shade(f, &samples, image, error);
        pio_axes_draw(f, image, false);
    } else {
        status = pio_floor_draw(f, &samples, image, error);
        if (status == PIOLA_OK) status = pio_shade(f, &samples, image, error);
        pio_box_draw(f, &samples, image);
    }
    pio_marks_draw(f, image);
    pio_bar_draw(f, image);
    footing(f, image);
    pio_samples_free(&samples);
    return status;
}

piola_status pio_render(const pio_picture *picture, pio_image *image, piola_error *error)
{
    pio_frame f = {.p = *picture};
    memset(image, 0, sizeof *image);
    piola_status status = check_options(picture, error);
    if (status == PIOLA_OK) status = check_data(picture, error);
    if (status != PIOLA_OK) return status;
    if (f.p.width == 0) f.p.width = 1280;
    if (f.p.height == 0) f.p.height = 720;
    if (f.p.threads == 0) f.p.threads = omp_get_max_threads();
    f.size = fmax(6.5, 10 * fmin(f.p.width / 1280.0, f.p.height / 720.0));
    status = pio_text_begin(error);
    if (status == PIOLA_OK) status = pio_survey(&f, error);
    if (status == PIOLA_OK) status = pio_image_make(image, f.p.width, f.p.height, pio_paper, error);
    if (status != PIOLA_OK) return status;
    pio_colormap_make(&f.map, f.kind);
    layout(&f);
    status = draw(&f, image, error);
    if (status == PIOLA_OK) status = pio_text_end(error);
    if (status != PIOLA_OK) pio_image_free(image);
    return status;
}

piola_status pio_render_radius(const pio_picture *picture, double *radius, piola_error *error)
{
    pio_frame f = {.p = *picture};
    *radius = 0;
    piola_status status = check_options(picture, error);
    if (status == PIOLA_OK) status = check_data(picture, error);
    if (status == PIOLA_OK) status = pio_survey(&f, error);
    if (status == PIOLA_OK) *radius = f.radius;
    return status;
}
