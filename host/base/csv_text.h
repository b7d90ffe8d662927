/* csv_text.h -- entries of tables of comma-separated values (RFC 4180), as they are written. */
#ifndef PIOLA_HOST_CSV_TEXT_H
#define PIOLA_HOST_CSV_TEXT_H

#include <stdio.h>

/* Writes a text, in quotes where it needs them. Control characters become blanks, so that a row is a line. */
void pio_csv_put_text(FILE *to, const char *text);
/* Writes a number that reads back as the same double; nothing where it is not finite. */
void pio_csv_put_number(FILE *to, double value);

#endif
