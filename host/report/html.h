/* html.h -- pieces of a page: texts from files are escaped, so that no name becomes a mark or a script.
 *
 * All write to a stream whose failure the caller finds once, at the end (ferror()). Texts are UTF-8; bytes that are
 * not, and control characters, become U+FFFD. */
#ifndef PIOLA_HOST_REPORT_HTML_H
#define PIOLA_HOST_REPORT_HTML_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum { PIO_HTML_POWER = 40 }; /* bytes of a power of ten */

/* Writes a text for an element or for an attribute in double quotes; NULL is "". */
void pio_html_text(FILE *to, const char *text);
/* Writes what printf() makes of the format, escaped as a whole. */
void pio_html_format(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a number with so many significant digits, as 1.25, 120000 or 1.2x10^-7 with superscripts; "-" if it is not
 * finite. */
void pio_html_number(FILE *to, double value, int digits);
/* Writes a power of ten, 10 and a superscript. */
void pio_html_power_text(int exponent, char out[PIO_HTML_POWER]);
/* Writes a power of ten, 10 and a superscript. */
void pio_html_power(FILE *to, int exponent);
/* Writes bytes as a data: address of the type `type`, in base64. */
void pio_html_data(FILE *to, const char *type, const void *bytes, size_t size);
/* Writes a row of a table: a name as its heading, and what printf() makes of the format. */
void pio_html_row(FILE *to, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes a row with a number and its unit, which may be NULL. */
void pio_html_row_number(FILE *to, const char *name, double value, const char *unit);
/* Writes a row with a number of bytes, also as kB, MB or GB. */
void pio_html_row_bytes(FILE *to, const char *name, double bytes);
/* Begins a section with a heading of the second level; `id` is a word of our own. */
void pio_html_section(FILE *to, const char *id, const char *title);
/* Ends a section. */
void pio_html_section_end(FILE *to);
/* Writes a paragraph that says what is not there. */
void pio_html_missing(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
