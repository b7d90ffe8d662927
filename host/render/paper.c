/* paper.c -- see paper.h. */
#include "host/render/paper.h"

#include "host/base/fail.h"
#include "host/render/text.h"
#include "host/render/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pio_paper {
    const pio_text_table *table;
    void *figure; /* of the module */
    pio_paper_format format;
    int width, height;
    char title[PIO_TEXT_LONGEST];
    FILE *to; /* receives the bytes */
    char *bytes;
    size_t size;
};

static const struct {
    const char *end, *head, *kind; /* of the name; how a file begins; what it is called */
} formats[] = {[PIO_PAPER_PIXELS] = {".png", pio_png_signature, "PNG picture"},
               [PIO_PAPER_SVG] = {".svg", "<!-- piola plot", "figure of piola as SVG"},
               [PIO_PAPER_PDF] = {".pdf", "%PDF-", "PDF"}};

/* Returns the format that a name says, or -1. */
static int format_of(const char *path)
{
    const size_t length = strlen(path);
    for (int k = 0; k < 3; k++)
        if (length > 4 && !strcasecmp(path + length - 4, formats[k].end)) return k;
    return -1;
}

piola_status pio_paper_replaces(const char *path, piola_error *error)
{
    const int format = format_of(path);
    if (format < 0)
        return pio_fail(error, PIOLA_USAGE, "a figure is PNG, SVG or PDF: '%.200s' does not end in .png, .svg or .pdf",
                        path);
    return pio_new_file_replaces(path, formats[format].head, strlen(formats[format].head), formats[format].kind, error);
}

static bool put(void *to, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, to) == size;
}

void pio_paper_drop(pio_paper *p)
{
    if (!p) return;
    if (p->figure) p->table->paper_end(p->figure);
    if (p->to) fclose(p->to);
    free(p->bytes);
    free(p);
}

piola_status pio_paper_begin(pio_paper **out, const char *path, int width, int height, const char *title,
                             piola_error *error)
{
    *out = NULL;
    piola_status rc = pio_paper_replaces(path, error);
    if (!rc) rc = pio_text_begin(error);
    if (rc) return rc;
    pio_paper *p = calloc(1, sizeof *p);
    if (!p) return pio_fail_memory(error, sizeof *p, "a figure");
    p->table = pio_text_module();
    p->format = (pio_paper_format)format_of(path);
    p->width = width;
    p->height = height;
    pio_text_clean(title, p->title);
    p->to = open_memstream(&p->bytes, &p->size);
    const pio_paper_desc desc = {p->format, width, height, p->title, put, p->to};
    if (p->to) p->figure = p->table->paper_begin(&desc);
    if (p->figure)
        *out = p;
    else
        pio_paper_drop(p);
    return *out ? PIOLA_OK : pio_fail_memory(error, sizeof *p, "a figure");
}

static pio_paper_pen pen_of(const pio_pen_of_paper *pen)
{
    return (pio_paper_pen){{pen->colour.r, pen->colour.g, pen->colour.b}, pen->width, pen->dash};
}

void pio_paper_line(pio_paper *p, double (*points)[2], size_t n, const pio_pen_of_paper *pen)
{
    const pio_paper_pen own = pen_of(pen);
    p->table->paper_line(p->figure, points, n, &own);
}

void pio_paper_discs(pio_paper *p, double (*points)[2], size_t n, double radius, pio_rgb colour)
{
    const pio_paper_pen pen = {.colour = {colour.r, colour.g, colour.b}};
    p->table->paper_discs(p->figure, points, n, radius, &pen);
}

void pio_paper_text(pio_paper *p, const pio_place_of_text *at, const char *text)
{
    char valid[PIO_TEXT_LONGEST];
    const pio_text_run run = {valid, at->size, at->bold};
    const pio_paper_pen pen = {.colour = {at->colour.r, at->colour.g, at->colour.b}};
    pio_text_clean(text, valid);
    if (*valid) p->table->paper_text(p->figure, &run, at->x, at->y, at->upward, &pen);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static piola_status write_png(pio_paper *p, const char *path, piola_error *error)
{
    pio_image image = {.width = p->width, .height = p->height, .rgb = (uint8_t *)p->bytes};
    if (p->size != 3 * (size_t)p->width * (size_t)p->height)
        return pio_fail(error, PIOLA_INTERNAL, "a figure of %d x %d pixels has %zu bytes", p->width, p->height,
                        p->size);
    return pio_image_write_png(&image, path, error);
}

static void write_escaped(FILE *to, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&", *text))
            fprintf(to, "&#%d;", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

/* Writes the SVG with a comment in place of cairo's declaration of XML, by which it is recognised later, and with its
 * title. */
static piola_status write_svg(const pio_paper *p, const char *path, piola_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const char *root = strstr(p->bytes, "<svg"), *inside = root ? strchr(root, '>') : NULL;
    if (!inside) return pio_fail(error, PIOLA_INTERNAL, "cairo wrote an SVG without <svg>");
    FILE *to = open_memstream(&text, &size);
    if (!to) return pio_fail_memory(error, p->size, "a figure");
    inside++;
    fprintf(to, "%s -->\n%.*s\n<title>", formats[PIO_PAPER_SVG].head, (int)(inside - root), root);
    write_escaped(to, p->title);
    fputs("</title>", to);
    fwrite(inside, 1, p->size - (size_t)(inside - p->bytes), to);
    const bool lost = fclose(to) != 0;
    const piola_status rc =
        lost ? pio_fail_memory(error, size, "a figure") : pio_write_file_atomically(path, text, size, error);
    free(text);
    return rc;
}

piola_status pio_paper_end(pio_paper *p, const char *path, piola_error *error)
{
    bool whole = p->table->paper_end(p->figure);
    p->figure = NULL;
    whole = !fclose(p->to) && whole;
    p->to = NULL;
    piola_status rc = whole ? pio_text_end(error) : pio_fail_memory(error, p->size, "a figure");
    if (!rc && p->format == PIO_PAPER_PIXELS) rc = write_png(p, path, error);
    if (!rc && p->format == PIO_PAPER_SVG) rc = write_svg(p, path, error);
    if (!rc && p->format == PIO_PAPER_PDF) rc = pio_write_file_atomically(path, p->bytes, p->size, error);
    pio_paper_drop(p);
    return rc;
}
