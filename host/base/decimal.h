/* decimal.h -- decimal numbers as they stand in tables, meshes and surfaces. */
#ifndef PIOLA_HOST_DECIMAL_H
#define PIOLA_HOST_DECIMAL_H

#include <stddef.h>

/* Length of the number at the start of `text` (YAML 1.2 core, decimal, finite syntax), 0 when there is none. */
size_t pio_number_length(const char *text);

/* Length of the decimal number that `text` (ended by a NUL) begins with, as pio_number_length() has it, 0 when there is
 * none; its value goes to *value, rounded once to the nearest double, ties to even, as strtod() in the C locale rounds
 * it, which must be the thread's (pio_locale_begin()). A number beyond the range of a double is infinite. */
size_t pio_decimal(const char *text, double *value);

/* Numbers are read and written with a point whatever the program's locale: calls come in pairs. */
typedef void *pio_locale;
pio_locale pio_locale_begin(void);
void pio_locale_end(pio_locale old);

#endif
