/* text_cairo.c -- text, and figures with text, by cairo and FreeType, in DejaVu Sans: without hinting, so that widths
 * are in proportion to the size. The files of the font are opened by their names: the same files give the same pixels
 * whatever else the machine has, and a machine without them is noticed. */
#include "host/render/text_table.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>
#include <ft2build.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include FT_FREETYPE_H

#define CAPITAL 0.729 /* height of a capital of DejaVu Sans in units of the size of the font */

static cairo_font_face_t *faces[2]; /* regular and bold */

/* Where distributions have the font: Debian, Fedora (two), Arch. */
static const char *const folders[] = {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
                                      "/usr/share/fonts/dejavu", "/usr/share/fonts/TTF"};
static const char *const files[2] = {"DejaVuSans.ttf", "DejaVuSans-Bold.ttf"};

/* Returns the bytes of a file, to free(), and sets their number; NULL where it cannot be read. */
static unsigned char *bytes_of(const char *path, long *size)
{
    FILE *file = fopen(path, "rbe");
    unsigned char *bytes = NULL;
    *size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : 0;
    if (*size > 0 && !fseek(file, 0, SEEK_SET)) bytes = malloc((size_t)*size);
    if (bytes && fread(bytes, 1, (size_t)*size, file) != (size_t)*size) {
        free(bytes);
        bytes = NULL;
    }
    if (file) fclose(file);
    return bytes;
}

/* Opens a file of the font, whose bytes stay in memory as long as the process. Returns NULL if it is not there or is no
 * font. */
static cairo_font_face_t *open_face(FT_Library library, const char *folder, const char *file)
{
    char path[4096];
    long size;
    FT_Face face;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path) return NULL;
    unsigned char *bytes = bytes_of(path, &size);
    if (!bytes || FT_New_Memory_Face(library, bytes, size, 0, &face)) {
        free(bytes);
        return NULL;
    }
    cairo_font_face_t *out = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING | FT_LOAD_NO_AUTOHINT);
    if (!cairo_font_face_status(out)) return out;
    FT_Done_Face(face);
    free(bytes);
    return NULL;
}

/* Opens both files of the font in a folder. Returns whether they are there. */
static bool open_faces(FT_Library library, const char *folder)
{
    for (int k = 0; k < 2; k++) faces[k] = open_face(library, folder, files[k]);
    return faces[0] && faces[1];
}

/* Opens the font in the folder `fonts` beside this module, where a package that brings its own has it. */
static bool open_bundled(FT_Library library)
{
    char folder[4096];
    Dl_info info;
    const char *end = dladdr(faces, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (!end) return false;
    const int length = (int)(end - info.dli_fname);
    if ((size_t)snprintf(folder, sizeof folder, "%.*s/fonts", length, info.dli_fname) >= sizeof folder) return false;
    return open_faces(library, folder);
}

static bool open(char *message, size_t size)
{
    static FT_Library library;
    const char *own = getenv("PIOLA_FONTS");
    if (!library && FT_Init_FreeType(&library)) {
        snprintf(message, size, "FreeType does not start");
        return false;
    }
    const bool given = own && *own;
    bool found = given ? open_faces(library, own) : open_bundled(library);
    for (size_t i = 0; !given && !found && i < sizeof folders / sizeof *folders; i++)
        found = open_faces(library, folders[i]);
    if (found) return true;
    snprintf(message, size, "there is no %s with %s in %s", files[0], files[1],
             given ? own : "/usr/share/fonts/truetype/dejavu");
    return false;
}

static cairo_font_options_t *options_of_font(void)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    return options;
}

static cairo_scaled_font_t *font_of(const pio_text_run *run)
{
    cairo_matrix_t size, identity;
    cairo_font_options_t *options = options_of_font();
    cairo_matrix_init_scale(&size, run->size / CAPITAL, run->size / CAPITAL);
    cairo_matrix_init_identity(&identity);
    cairo_scaled_font_t *font = cairo_scaled_font_create(faces[run->bold], &size, &identity, options);
    cairo_font_options_destroy(options);
    return font;
}

static double width(const pio_text_run *run)
{
    cairo_text_extents_t extents = {.x_advance = -1};
    cairo_scaled_font_t *font = font_of(run);
    cairo_scaled_font_text_extents(font, run->text, &extents);
    const bool lost = cairo_scaled_font_status(font) != CAIRO_STATUS_SUCCESS;
    cairo_scaled_font_destroy(font);
    return lost ? -1 : extents.x_advance;
}

static bool draw(const pio_text_run *run, double x, double y, const pio_text_area *area)
{
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(area->cover, CAIRO_FORMAT_A8, area->width, area->height, area->stride);
    cairo_t *c = cairo_create(surface);
    cairo_scaled_font_t *font = font_of(run);
    cairo_set_scaled_font(c, font);
    cairo_move_to(c, x, y);
    cairo_show_text(c, run->text);
    cairo_surface_flush(surface);
    const bool drawn = !cairo_status(c) && !cairo_scaled_font_status(font) && !cairo_surface_status(surface);
    cairo_scaled_font_destroy(font);
    cairo_destroy(c);
    cairo_surface_destroy(surface);
    return drawn;
}

/* ---- figures --------------------------------------------------------------------------------------------- */

typedef struct {
    pio_paper_desc desc;
    cairo_surface_t *surface;
    cairo_t *c;
} figure;

static cairo_status_t put(void *to, const unsigned char *bytes, unsigned int size)
{
    const figure *f = to;
    return f->desc.put(f->desc.to, bytes, size) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A PDF would have the time of the clock; the same figure is to have the same bytes. */
static cairo_surface_t *begin_pdf(figure *f)
{
    cairo_surface_t *s = cairo_pdf_surface_create_for_stream(put, f, f->desc.width, f->desc.height);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, "piola");
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, f->desc.title);
    return s;
}

static void *paper_begin(const pio_paper_desc *desc)
{
    figure *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->desc = *desc;
    if (desc->format == PIO_PAPER_PDF)
        f->surface = begin_pdf(f);
    else if (desc->format == PIO_PAPER_SVG)
        f->surface = cairo_svg_surface_create_for_stream(put, f, desc->width, desc->height);
    else
        f->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)desc->width, (int)desc->height);
    if (desc->format == PIO_PAPER_SVG) cairo_svg_surface_set_document_unit(f->surface, CAIRO_SVG_UNIT_PX);
    f->c = cairo_create(f->surface);
    cairo_font_options_t *options = options_of_font();
    cairo_set_font_options(f->c, options);
    cairo_font_options_destroy(options);
    cairo_set_source_rgb(f->c, 1, 1, 1);
    cairo_paint(f->c);
    cairo_set_line_join(f->c, CAIRO_LINE_JOIN_ROUND);
    return f;
}

static void set_pen(const figure *f, const pio_paper_pen *pen)
{
    cairo_set_source_rgb(f->c, pen->colour[0] / 255., pen->colour[1] / 255., pen->colour[2] / 255.);
    cairo_set_line_width(f->c, pen->width);
    cairo_set_dash(f->c, &pen->dash, pen->dash > 0, 0);
}

static void paper_line(void *paper, double (*points)[2], size_t n, const pio_paper_pen *pen)
{
    const figure *f = paper;
    bool drawing = false;
    set_pen(f, pen);
    for (size_t i = 0; i < n; i++) {
        const bool there = isfinite(points[i][0]) && isfinite(points[i][1]);
        if (there && drawing) cairo_line_to(f->c, points[i][0], points[i][1]);
        if (there && !drawing) cairo_move_to(f->c, points[i][0], points[i][1]);
        drawing = there;
    }
    if (pen->width > 0)
        cairo_stroke(f->c);
    else
        cairo_fill(f->c);
}

static void paper_discs(void *paper, double (*points)[2], size_t n, double radius, const pio_paper_pen *pen)
{
    const figure *f = paper;
    set_pen(f, pen);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(points[i][0]) || !isfinite(points[i][1])) continue;
        cairo_new_sub_path(f->c);
        cairo_arc(f->c, points[i][0], points[i][1], radius, 0, 2 * acos(-1));
        cairo_close_path(f->c);
    }
    cairo_fill(f->c);
}

static void paper_text(void *paper, const pio_text_run *run, double x, double y, bool upward, const pio_paper_pen *pen)
{
    const figure *f = paper;
    cairo_save(f->c);
    set_pen(f, pen);
    cairo_set_font_face(f->c, faces[run->bold]);
    cairo_set_font_size(f->c, run->size / CAPITAL);
    cairo_translate(f->c, x, y);
    if (upward) cairo_rotate(f->c, -acos(-1) / 2);
    cairo_move_to(f->c, 0, 0);
    cairo_show_text(f->c, run->text);
    cairo_restore(f->c);
}

/* Hands the rows of an image over, as RGB. Returns false if they are not taken. */
static bool put_rows(const figure *f)
{
    const int width = cairo_image_surface_get_width(f->surface), height = cairo_image_surface_get_height(f->surface);
    const int stride = cairo_image_surface_get_stride(f->surface);
    const unsigned char *all = cairo_image_surface_get_data(f->surface);
    unsigned char *row = malloc((size_t)width * 3);
    bool taken = row && all;
    for (int y = 0; taken && y < height; y++) {
        const uint32_t *pixel = (const uint32_t *)(const void *)(all + (size_t)y * (size_t)stride);
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 3; k++) row[3 * x + k] = (unsigned char)(pixel[x] >> (16 - 8 * k));
        taken = f->desc.put(f->desc.to, row, (size_t)width * 3);
    }
    free(row);
    return taken;
}

static bool paper_end(void *paper)
{
    figure *f = paper;
    bool whole = cairo_status(f->c) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(f->c);
    cairo_surface_flush(f->surface);
    if (whole && f->desc.format == PIO_PAPER_PIXELS) whole = put_rows(f);
    cairo_surface_finish(f->surface);
    whole = whole && cairo_surface_status(f->surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(f->surface);
    free(f);
    return whole;
}

__attribute__((visibility("default"))) extern const pio_text_table piola_text;
const pio_text_table piola_text = {.version = PIO_TEXT_VERSION,
                                   .size = sizeof(pio_text_table),
                                   .open = open,
                                   .width = width,
                                   .draw = draw,
                                   .paper_begin = paper_begin,
                                   .paper_line = paper_line,
                                   .paper_discs = paper_discs,
                                   .paper_text = paper_text,
                                   .paper_end = paper_end};
