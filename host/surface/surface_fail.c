/* surface_fail.c -- the error message of a surface. */
#include "host/surface/surface_parts.h"

#include "host/base/fail.h"

#include <stdarg.h>
#include <stdio.h>

piola_status pio_trimesh_fail(const pio_trimesh *s, piola_error *error, const char *format, ...)
{
    char text[800];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return pio_fail(error, PIOLA_BAD_DATA, "%.500s: error: %s", s->path, text);
}
