/* blob.c -- see blob.h. */
#include "host/study/blob.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pio_blob_resize(pio_blob *b, size_t size)
{
    if (size > b->room) {
        const size_t room = size + size / 2 + 64;
        char *data = realloc(b->data, room);
        if (!data) {
            b->failed = true;
            return false;
        }
        b->data = data;
        b->room = room;
    }
    b->size = size;
    return true;
}

void pio_blob_put(pio_blob *b, const void *bytes, size_t size)
{
    const size_t at = b->size;
    if (b->failed || !pio_blob_resize(b, at + size)) return;
    if (size) memcpy(b->data + at, bytes, size);
}

void pio_blob_put_integer(pio_blob *b, int64_t v)
{
    pio_blob_put(b, &v, sizeof v);
}

void pio_blob_put_double(pio_blob *b, double v)
{
    pio_blob_put(b, &v, sizeof v);
}

void pio_blob_put_text(pio_blob *b, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    pio_blob_put_integer(b, (int64_t)length);
    pio_blob_put(b, text ? text : "", length + 1);
}

void pio_blob_put_doubles(pio_blob *b, const double *v, size_t n)
{
    pio_blob_put_integer(b, (int64_t)n);
    pio_blob_put(b, v, n * sizeof *v);
}

void pio_blob_put_scaled(pio_blob *b, double factor, const double *v, size_t n)
{
    pio_blob_put_integer(b, (int64_t)n);
    for (size_t i = 0; i < n; i++) pio_blob_put_double(b, factor * v[i]);
}

void pio_blob_get(pio_blob *b, void *bytes, size_t size)
{
    if (b->failed || size > b->size - b->at) {
        b->failed = true;
        memset(bytes, 0, size);
        return;
    }
    if (size) memcpy(bytes, b->data + b->at, size);
    b->at += size;
}

int64_t pio_blob_get_integer(pio_blob *b)
{
    int64_t v;
    pio_blob_get(b, &v, sizeof v);
    return v;
}

double pio_blob_get_double(pio_blob *b)
{
    double v;
    pio_blob_get(b, &v, sizeof v);
    return v;
}

const char *pio_blob_get_text(pio_blob *b)
{
    const int64_t length = pio_blob_get_integer(b);
    if (b->failed || length < 0 || (size_t)length >= b->size - b->at) {
        b->failed = true;
        return "";
    }
    const char *text = b->data + b->at;
    b->at += (size_t)length + 1;
    return text;
}

void pio_blob_get_doubles(pio_blob *b, double *v, size_t n)
{
    const int64_t there = pio_blob_get_integer(b);
    if (b->failed || there < 0 || (size_t)there != n) {
        b->failed = true;
        for (size_t i = 0; i < n; i++) v[i] = NAN;
        return;
    }
    pio_blob_get(b, v, n * sizeof *v);
}

void pio_blob_clear(pio_blob *b)
{
    b->size = b->at = 0;
    b->failed = false;
}

void pio_blob_free(pio_blob *b)
{
    free(b->data);
    *b = (pio_blob){0};
}
