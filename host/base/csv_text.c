/* csv_text.c -- see csv_text.h. */
#include "host/base/csv_text.h"

#include "host/base/json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void pio_csv_put_text(FILE *to, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n\t") != NULL;
    if (quoted) fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
    }
    if (quoted) fputc('"', to);
}

void pio_csv_put_number(FILE *to, double value)
{
    char text[PIO_JSON_DOUBLE];
    if (isfinite(value)) fputs(pio_format_double(text, value), to);
}
