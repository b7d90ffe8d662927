/* text_cairo.c -- text by cairo and FreeType, in DejaVu Sans: without hinting, so that widths are in proportion to the
 * size. The files of the font are opened by their names: the same files give the same pixels whatever else the machine
 * has, and a machine without them is noticed. */
#include "host/render/text_table.h"

#include <cairo-ft.h>
#include <cairo.h>
#include <ft2build.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool open(char *message, size_t size)
{
    static FT_Library library;
    const char *own = getenv("PIOLA_FONTS");
    if (!library && FT_Init_FreeType(&library)) {
        snprintf(message, size, "FreeType does not start");
        return false;
    }
    const size_t n = own && *own ? 1 : sizeof folders / sizeof *folders;
    for (size_t i = 0; i < n && !(faces[0] && faces[1]); i++)
        for (int k = 0; k < 2; k++) faces[k] = open_face(library, own && *own ? own : folders[i], files[k]);
    if (faces[0] && faces[1]) return true;
    snprintf(message, size, "there is no %s with %s in %s", files[0], files[1],
             own && *own ? own : "/usr/share/fonts/truetype/dejavu");
    return false;
}

static cairo_scaled_font_t *font_of(const pio_text_run *run)
{
    cairo_matrix_t size, identity;
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
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

__attribute__((visibility("default"))) extern const pio_text_table piola_text;
const pio_text_table piola_text = {
    .version = PIO_TEXT_VERSION, .size = sizeof(pio_text_table), .open = open, .width = width, .draw = draw};
