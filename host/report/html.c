/* html.c -- see html.h. */
#include "host/report/html.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------------------- */

/* Returns the length of the valid character of UTF-8 at `text` (The Unicode Standard, table 3-7), or 0. */
static size_t character(const unsigned char *text)
{
    const unsigned char a = text[0];
    if (a < 0x80) return 1;
    const size_t n = a >= 0xC2 && a <= 0xDF ? 2 : a >= 0xE0 && a <= 0xEF ? 3 : a >= 0xF0 && a <= 0xF4 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    if ((a == 0xE0 && text[1] < 0xA0) || (a == 0xED && text[1] > 0x9F)) return 0;
    if ((a == 0xF0 && text[1] < 0x90) || (a == 0xF4 && text[1] > 0x8F)) return 0;
    return n;
}

/* Returns whether a character turns the direction of what follows it: U+202A to U+202E and U+2066 to U+2069. */
static int turns(const unsigned char *c, size_t n)
{
    if (n != 3 || c[0] != 0xE2) return 0;
    return (c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) || (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9);
}

void pio_html_text(FILE *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    while (*at) {
        const size_t n = character(at);
        const int control = n == 1 && ((*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7F);
        if (n == 0 || control || turns(at, n))
            fputs("\xEF\xBF\xBD", to);
        else if (*at == '&')
            fputs("&amp;", to);
        else if (*at == '<')
            fputs("&lt;", to);
        else if (*at == '>')
            fputs("&gt;", to);
        else if (*at == '"')
            fputs("&quot;", to);
        else if (*at == '\'')
            fputs("&#39;", to);
        else
            fwrite(at, 1, n, to);
        at += n ? n : 1;
    }
}

static void put_list(FILE *to, const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0) {
        fputs("(no memory)", to);
        return;
    }
    pio_html_text(to, text);
    free(text);
}

void pio_html_format(FILE *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(to, format, list);
    va_end(list);
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

void pio_html_power_text(int exponent, char out[PIO_HTML_POWER])
{
    static const char *const digit[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char text[16];
    int used = snprintf(out, PIO_HTML_POWER, "10");
    snprintf(text, sizeof text, "%d", exponent);
    for (const char *at = text; *at; at++)
        used += snprintf(out + used, (size_t)(PIO_HTML_POWER - used), "%s", *at == '-' ? "\u207b" : digit[*at - '0']);
}

void pio_html_power(FILE *to, int exponent)
{
    char text[PIO_HTML_POWER];
    pio_html_power_text(exponent, text);
    fputs(text, to);
}

void pio_html_number(FILE *to, double value, int digits)
{
    char text[64];
    if (!isfinite(value)) {
        fputs("-", to);
        return;
    }
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    char *e = strchr(text, 'e');
    const int exponent = atoi(e + 1);
    if (exponent >= -4 && exponent < 7) {
        fprintf(to, "%.*g", exponent >= digits ? exponent + 1 : digits, value);
        return;
    }
    while (e > text && e[-1] == '0' && strchr(text, '.')) e--;
    if (e > text && e[-1] == '.') e--;
    *e = '\0';
    fprintf(to, "%s\u00d7", text);
    pio_html_power(to, exponent);
}

void pio_html_data(FILE *to, const char *type, const void *bytes, size_t size)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;
    fprintf(to, "data:%s;base64,", type);
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t bits =
            (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (left > 2 ? (uint32_t)at[i + 2] : 0);
        fputc(letter[bits >> 18], to);
        fputc(letter[bits >> 12 & 63], to);
        fputc(left > 1 ? letter[bits >> 6 & 63] : '=', to);
        fputc(left > 2 ? letter[bits & 63] : '=', to);
    }
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

static void begin_row(FILE *to, const char *name)
{
    fputs("<tr><th scope=\"row\">", to);
    pio_html_text(to, name);
    fputs("</th><td>", to);
}

void pio_html_row(FILE *to, const char *name, const char *format, ...)
{
    va_list list;
    begin_row(to, name);
    va_start(list, format);
    put_list(to, format, list);
    va_end(list);
    fputs("</td></tr>\n", to);
}

void pio_html_row_number(FILE *to, const char *name, double value, const char *unit)
{
    begin_row(to, name);
    pio_html_number(to, value, 6);
    if (unit && *unit) fputc(' ', to);
    pio_html_text(to, unit);
    fputs("</td></tr>\n", to);
}

void pio_html_row_bytes(FILE *to, const char *name, double bytes)
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    int k = 0;
    double scaled = bytes;
    while (scaled >= 1000 && k < 4) {
        scaled /= 1000;
        k++;
    }
    if (!isfinite(bytes))
        pio_html_row(to, name, "-");
    else if (k)
        pio_html_row(to, name, "%.3g %s (%.0f bytes)", scaled, unit[k], bytes);
    else
        pio_html_row(to, name, "%.0f bytes", bytes);
}

void pio_html_section(FILE *to, const char *id, const char *title)
{
    fprintf(to, "<section id=\"%s\">\n<h2>", id);
    pio_html_text(to, title);
    fputs("</h2>\n", to);
}

void pio_html_section_end(FILE *to)
{
    fputs("</section>\n", to);
}

void pio_html_missing(FILE *to, const char *format, ...)
{
    va_list list;
    fputs("<p class=\"missing\">", to);
    va_start(list, format);
    put_list(to, format, list);
    va_end(list);
    fputs("</p>\n", to);
}
