/* ply_bulk.c -- see ply_parts.h. */
#include "host/data/ply_parts.h"

#include "host/base/large.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 13 }; /* items of a block */

static size_t size_of(ply_type type)
{
    static const size_t size[] = {[PLY_I8] = 1,  [PLY_U8] = 1,  [PLY_I16] = 2, [PLY_U16] = 2,
                                  [PLY_I32] = 4, [PLY_U32] = 4, [PLY_F32] = 4, [PLY_F64] = 8};
    return size[type];
}

/* Converts one property of n items, from[i stride] to to[i step]. False if a value is not finite. */
#define CONVERT(type)                                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        type v;                                                                                                        \
        memcpy(&v, from + i * stride, sizeof v);                                                                       \
        to[i * step] = (double)v;                                                                                      \
        finite &= isfinite(to[i * step]) != 0;                                                                         \
    }                                                                                                                  \
    break

static bool take(const char *from, size_t stride, size_t n, ply_type type, double *to, size_t step)
{
    bool finite = true;
    switch (type) {
    case PLY_I8:
        CONVERT(int8_t);
    case PLY_U8:
        CONVERT(uint8_t);
    case PLY_I16:
        CONVERT(int16_t);
    case PLY_U16:
        CONVERT(uint16_t);
    case PLY_I32:
        CONVERT(int32_t);
    case PLY_U32:
        CONVERT(uint32_t);
    case PLY_F32:
        CONVERT(float);
    default:
        CONVERT(double);
    }
    return finite;
}

bool pio_ply_bulk_rows(pio_input *in, const ply_element *e, double *values)
{
    const size_t columns = e->n_properties;
    size_t stride = 0;
    bool good = in->binary && !in->swap;
    for (size_t c = 0; c < columns; c++) {
        good = good && !e->property[c].count;
        stride += size_of(e->property[c].type);
    }
    if (!good || !e->n || pio_input_remaining(in) / stride < e->n) return false;
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < e->n; first += AT_ONCE) {
        const size_t some = e->n - first < AT_ONCE ? e->n - first : AT_ONCE;
        const char *from = in->text + in->at + first * stride;
        bool fine = pio_stop("reading a file", NULL) == PIOLA_OK;
        for (size_t c = 0; c < columns && fine; c++) {
            fine = take(from, stride, some, e->property[c].type, values + first * columns + c, columns);
            from += size_of(e->property[c].type);
        }
        if (fine) continue;
#pragma omp critical
        good = false;
    }
    if (good) in->at += e->n * stride;
    return good;
}

bool pio_ply_bulk_triangles(pio_input *in, const ply_element *e, size_t vertices, int32_t **corner)
{
    enum { STRIDE = 1 + 3 * sizeof(uint32_t) };
    const ply_property *p = e->property;
    bool good = in->binary && !in->swap && e->n_properties == 1 && size_of(p->count) == 1 &&
                (p->type == PLY_I32 || p->type == PLY_U32);
    if (!good || !e->n || pio_input_remaining(in) / STRIDE < e->n) return false;
    int32_t *to = pio_large_alloc(e->n * 3 * sizeof *to);
    if (!to) return false;
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < e->n; first += AT_ONCE) {
        const size_t some = e->n - first < AT_ONCE ? e->n - first : AT_ONCE;
        const char *from = in->text + in->at + first * STRIDE;
        bool fine = pio_stop("reading a file", NULL) == PIOLA_OK;
        for (size_t i = 0; i < some; i++) {
            uint32_t own[3];
            memcpy(own, from + i * STRIDE + 1, sizeof own);
            fine &= (from[i * STRIDE] == 3) & (own[0] < vertices) & (own[1] < vertices) & (own[2] < vertices);
            memcpy(to + 3 * (first + i), own, sizeof own);
        }
        if (fine) continue;
#pragma omp critical
        good = false;
    }
    if (good) {
        in->at += e->n * STRIDE;
        *corner = to;
    } else {
        free(to);
    }
    return good;
}
