/* ply.c -- see ply.h. Format: G. Turk, The PLY Polygon File Format, 1994. */
#include "host/data/ply_parts.h"

#include "host/base/large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROPERTIES = 256, MOST_ELEMENTS = 64, NAME = PIO_INPUT_WORD };

typedef struct {
    bool binary, big;
    size_t n_elements, n_all;
    ply_element element[MOST_ELEMENTS];
    ply_property all[MOST_PROPERTIES];
} ply_header;

bool pio_is_ply(const char *text, size_t size)
{
    return size >= 4 && !memcmp(text, "ply", 3) && (text[3] == '\n' || text[3] == '\r');
}

/* ---- header ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *other;
    size_t size;
} types[] = {{"none", "none", 0},   {"char", "int8", 1},     {"uchar", "uint8", 1},
             {"short", "int16", 2}, {"ushort", "uint16", 2}, {"int", "int32", 4},
             {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

static ply_type read_type(pio_input *in)
{
    if (!pio_input_word(in, "a type")) return PLY_NONE;
    for (ply_type t = PLY_I8; t <= PLY_F64; t++)
        if (!strcmp(in->word, types[t].name) || !strcmp(in->word, types[t].other)) return t;
    pio_input_fail(in,
                   "'%s' is no type of a PLY file; the types are char, uchar, short, ushort, int, uint, float, double",
                   in->word);
    return PLY_NONE;
}

static void read_property(ply_header *h, pio_input *in)
{
    if (!h->n_elements) pio_input_fail(in, "a property before the first element");
    if (h->n_all == MOST_PROPERTIES) pio_input_fail(in, "more than %d properties", MOST_PROPERTIES);
    if (in->status) return;
    ply_element *e = &h->element[h->n_elements - 1];
    ply_property *p = &h->all[h->n_all++];
    const size_t at = in->at;
    *p = (ply_property){0};
    if (pio_input_word(in, "a type") && !strcmp(in->word, "list")) {
        p->count = read_type(in);
        if (p->count >= PLY_F32) pio_input_fail(in, "'%s' cannot count a list; take a whole number's type", in->word);
    } else {
        in->at = at;
    }
    p->type = read_type(in);
    if (pio_input_word(in, "the property's name")) memcpy(p->name, in->word, sizeof p->name);
    for (size_t i = 0; i < e->n_properties; i++)
        if (!strcmp(e->property[i].name, p->name)) pio_input_fail(in, "the property '%s' occurs twice", p->name);
    e->n_properties++;
}

static void read_element(ply_header *h, pio_input *in)
{
    if (h->n_elements == MOST_ELEMENTS) {
        pio_input_fail(in, "more than %d elements", MOST_ELEMENTS);
        return;
    }
    ply_element *e = &h->element[h->n_elements++];
    *e = (ply_element){.property = h->all + h->n_all};
    if (pio_input_word(in, "the element's name")) memcpy(e->name, in->word, sizeof e->name);
    e->n = (size_t)pio_input_integer(in, 0, INT32_MAX, "the element's count");
    for (size_t i = 0; i + 1 < h->n_elements; i++)
        if (!strcmp(h->element[i].name, e->name)) pio_input_fail(in, "the element '%s' occurs twice", e->name);
}

static void read_format(ply_header *h, pio_input *in)
{
    if (!pio_input_word(in, "the format")) return;
    h->big = !strcmp(in->word, "binary_big_endian");
    h->binary = h->big || !strcmp(in->word, "binary_little_endian");
    if (!h->binary && strcmp(in->word, "ascii") != 0)
        pio_input_fail(in, "'%s' is no format; it is ascii, binary_little_endian or binary_big_endian", in->word);
    pio_input_expect(in, "1.0");
}

static void read_header(ply_header *h, pio_input *in)
{
    bool format = false;
    pio_input_expect(in, "ply");
    for (;;) {
        if (!in->status && !pio_input_line_ends(in)) pio_input_fail(in, "unexpected text before the end of the line");
        pio_input_skip_line(in);
        if (in->status || !pio_input_word(in, "end_header")) return;
        if (!strcmp(in->word, "end_header")) break;
        if (!strcmp(in->word, "comment") || !strcmp(in->word, "obj_info")) {
            while (in->at < in->size && in->text[in->at] != '\n') in->at++;
        } else if (!strcmp(in->word, "format")) {
            format = true;
            read_format(h, in);
        } else if (!strcmp(in->word, "element")) {
            read_element(h, in);
        } else if (!strcmp(in->word, "property")) {
            read_property(h, in);
        } else {
            pio_input_fail(in, "'%s' where format, comment, element, property or end_header is expected", in->word);
        }
    }
    if (!format) pio_input_fail(in, "the header has no format");
    if (!pio_input_line_ends(in)) pio_input_fail(in, "unexpected words after end_header, where the line must end");
    pio_input_skip_line(in);
    in->binary = h->binary;
    in->swap = h->binary && h->big == pio_little_endian();
}

/* ---- values ------------------------------------------------------------------------------------------------ */

static double number(pio_input *in, ply_type type, const char *what)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } v = {0};
    if (!in->binary) return pio_input_number(in, what);
    const size_t size = types[type].size;
    if (in->swap || in->status || size > pio_input_remaining(in)) {
        pio_input_bytes(in, &v, size, what);
    } else { /* begin_item() and the readers of long lists poll whether to stop */
        in->mark = in->at;
        memcpy(&v, in->text + in->at, size);
        in->at += size;
    }
    switch (type) {
    case PLY_I8:
        return v.i8;
    case PLY_U8:
        return v.u8;
    case PLY_I16:
        return v.i16;
    case PLY_U16:
        return v.u16;
    case PLY_I32:
        return v.i32;
    case PLY_U32:
        return v.u32;
    case PLY_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

/* Reads a whole number from 0 up to, not including, `end`. */
static size_t read_integer(pio_input *in, ply_type type, double end, const char *what)
{
    const double v = number(in, type, what);
    if (!in->status && !(v >= 0 && v < end && v <= (double)(int64_t)v))
        pio_input_fail(in, "%g is out of range for %s, a whole number from 0 to %.0f", v, what, end - 1);
    return in->status ? 0 : (size_t)v;
}

/* Returns the minimum number of bytes of one item. */
static size_t least_bytes(const ply_header *h, const ply_element *e)
{
    size_t bytes = 0;
    for (size_t i = 0; i < e->n_properties; i++)
        bytes += h->binary ? types[e->property[i].count ? e->property[i].count : e->property[i].type].size : 2;
    return bytes;
}

/* Checks a count, which is untrusted: no memory is allocated, and no loop begun, for more items than the file can hold.
 */
static void check_count(const ply_header *h, const ply_element *e, pio_input *in)
{
    const size_t least = least_bytes(h, e);
    in->mark = in->at;
    if (e->n && !least)
        pio_input_fail(in, "the element '%s' has no properties", e->name);
    else if (e->n && (pio_input_remaining(in) + 1) / least < e->n)
        pio_input_fail(in,
                       "the header has %zu of '%s', but the rest of the file (%zu bytes) holds at most %zu; it was cut "
                       "off or the count is wrong",
                       e->n, e->name, pio_input_remaining(in), (pio_input_remaining(in) + 1) / least);
}

static void begin_item(pio_input *in, const ply_element *e)
{
    if (in->binary) pio_input_poll(in);
    if (in->binary || pio_input_line(in) || in->status) return;
    in->mark = in->at;
    pio_input_fail(in, "the file ends within the element '%s'; it was cut off", e->name);
}

static void end_item(pio_input *in, const ply_element *e)
{
    if (!in->status && !in->binary && !pio_input_line_ends(in))
        pio_input_fail(in, "more numbers in this line than '%s' has properties", e->name);
}

static void skip_list(pio_input *in, const ply_property *p)
{
    const size_t n = read_integer(in, p->count, 1e9, "the length of a list");
    for (size_t i = 0; i < n && !in->status; i++) {
        number(in, p->type, p->name);
        pio_input_poll(in);
    }
}

static void take_columns(pio_ply *out, pio_input *in, const ply_element *e)
{
    size_t n = 0;
    out->columns = calloc(e->n_properties + 1, sizeof *out->columns);
    for (size_t i = 0; out->columns && i < e->n_properties; i++) {
        if (e->property[i].count) continue;
        char *name = malloc(NAME);
        if (!name) break;
        memcpy(name, e->property[i].name, NAME);
        out->columns[out->n_columns++] = name;
    }
    for (size_t i = 0; i < e->n_properties; i++) n += !e->property[i].count;
    const size_t bytes = (n * e->n + 1) * sizeof *out->values;
    out->values = pio_large_alloc(bytes);
    if (!out->values || !out->columns || out->n_columns != n) pio_input_no_memory(in, bytes, in->path);
}

static void read_vertices(pio_ply *out, pio_input *in, const ply_element *e)
{
    take_columns(out, in, e);
    if (!in->status && pio_ply_bulk_rows(in, e, out->values)) {
        out->n_rows = e->n;
        return;
    }
    for (size_t r = 0; r < e->n && !in->status; r++) {
        size_t c = 0;
        begin_item(in, e);
        for (size_t i = 0; i < e->n_properties && !in->status; i++) {
            if (e->property[i].count) {
                skip_list(in, &e->property[i]);
                continue;
            }
            const double v = number(in, e->property[i].type, e->property[i].name);
            if (!isfinite(v)) pio_input_fail(in, "%g is no value for '%s' of vertex %zu", v, e->property[i].name, r);
            out->values[r * out->n_columns + c++] = v;
        }
        end_item(in, e);
        out->n_rows++;
    }
}

static bool is_vertex_list(const ply_property *p)
{
    return p->count && (!strcmp(p->name, "vertex_indices") || !strcmp(p->name, "vertex_index"));
}

static void read_corners(pio_ply *out, pio_input *in, const ply_property *p, size_t vertices, size_t *n, size_t *room)
{
    const size_t count = read_integer(in, p->count, 1e9, "the number of a face's corners");
    if (!in->status && count < 3) pio_input_fail(in, "a face of %zu corners; it needs 3", count);
    for (size_t i = 0; i < count && pio_input_room(in, &out->corner, *n, room, sizeof *out->corner); i++) {
        out->corner[(*n)++] = (int32_t)read_integer(in, p->type, (double)vertices, "the number of a vertex");
        pio_input_poll(in);
    }
}

static void read_faces(pio_ply *out, pio_input *in, const ply_element *e, size_t vertices)
{
    size_t n = 0, room = 0, lists = 0;
    for (size_t i = 0; i < e->n_properties; i++) lists += is_vertex_list(&e->property[i]);
    if (lists != 1) {
        pio_input_fail(in, "%zu lists of corners; the element 'face' needs one list, vertex_indices", lists);
        return;
    }
    if (pio_ply_bulk_triangles(in, e, vertices, &out->corner)) {
        out->n_faces = e->n;
        return;
    }
    out->face_start = pio_large_alloc((e->n + 1) * sizeof *out->face_start);
    if (!out->face_start) {
        pio_input_no_memory(in, (e->n + 1) * sizeof *out->face_start, in->path);
        return;
    }
    out->face_start[0] = 0;
    for (size_t f = 0; f < e->n && !in->status; f++) {
        begin_item(in, e);
        for (size_t i = 0; i < e->n_properties && !in->status; i++) {
            const ply_property *p = &e->property[i];
            if (is_vertex_list(p))
                read_corners(out, in, p, vertices, &n, &room);
            else if (p->count)
                skip_list(in, p);
            else
                number(in, p->type, p->name);
        }
        end_item(in, e);
        out->face_start[++out->n_faces] = n;
    }
}

static void skip_element(pio_input *in, const ply_element *e)
{
    for (size_t r = 0; r < e->n && !in->status; r++) {
        begin_item(in, e);
        for (size_t i = 0; i < e->n_properties && !in->status; i++) {
            if (e->property[i].count)
                skip_list(in, &e->property[i]);
            else
                number(in, e->property[i].type, e->property[i].name);
        }
        end_item(in, e);
    }
}

void pio_ply_read(pio_ply *out, pio_input *in)
{
    ply_header *h = calloc(1, sizeof *h);
    size_t vertices = 0;
    *out = (pio_ply){0};
    if (!h) {
        pio_input_no_memory(in, sizeof *h, in->path);
        return;
    }
    read_header(h, in);
    for (size_t i = 0; i < h->n_elements; i++)
        if (!strcmp(h->element[i].name, "vertex")) vertices = h->element[i].n;
    if (!in->status && !vertices) pio_input_fail(in, "there are no vertices");
    for (size_t i = 0; i < h->n_elements && !in->status; i++) {
        const ply_element *e = &h->element[i];
        check_count(h, e, in);
        if (in->status) break;
        if (!strcmp(e->name, "vertex"))
            read_vertices(out, in, e);
        else if (!strcmp(e->name, "face"))
            read_faces(out, in, e, vertices);
        else
            skip_element(in, e);
    }
    free(h);
    if (in->status) pio_ply_free(out);
}

void pio_ply_free(pio_ply *ply)
{
    for (size_t c = 0; c < ply->n_columns; c++) free(ply->columns[c]);
    free(ply->columns);
    free(ply->values);
    free(ply->face_start);
    free(ply->corner);
    *ply = (pio_ply){0};
}
