/* decimal.h -- decimal numbers in the text of tables, meshes and surfaces. */
#ifndef PIOLA_HOST_DECIMAL_H
#define PIOLA_HOST_DECIMAL_H

#include <stddef.h>

/* Returns the length of the number at the start of `text`, or 0 if there is none. The syntax is that of decimal, finite
 * numbers in the core schema of YAML 1.2. */
size_t pio_number_length(const char *text);

/* Reads the decimal number at the start of `text` (ended by a NUL), with the syntax of pio_number_length(), into
 * *value. Returns its length, or 0 if there is none. The value is rounded once to the nearest double, ties to even, as
 * strtod() does in the C locale, which must be that of the thread (pio_locale_begin()). A number beyond the range of a
 * double becomes infinite. */
size_t pio_decimal(const char *text, double *value);

/* The locale of a thread before pio_locale_begin(). */
typedef void *pio_locale;
/* Sets the C locale in this thread, in which numbers have a decimal point, and returns the locale that it replaces.
 * Each call is paired with one of pio_locale_end(). */
pio_locale pio_locale_begin(void);
/* Restores the locale `old` in this thread. */
void pio_locale_end(pio_locale old);

#endif
