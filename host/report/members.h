/* members.h -- sweep.csv as columns, for the sections of a sweep. */
#ifndef PIOLA_HOST_REPORT_MEMBERS_H
#define PIOLA_HOST_REPORT_MEMBERS_H

#include "host/report/report_parts.h"

/* What a column of sweep.csv is about. */
typedef enum { PIO_OF_MEMBER, PIO_OF_AXIS, PIO_OF_RESULT, PIO_OF_DESIGN, PIO_OF_SAMPLE, PIO_OF_OTHERS } pio_column_kind;

typedef struct {
    char *name, *unit; /* without what its kind says: "materials.rubber.E", "Pa"; "" without a unit */
    pio_column_kind kind;
    char **text;   /* [rows] as in the file */
    double *value; /* [rows] NaN where it is no number; of an axis of texts their order of appearance, from 0 */
    bool words;    /* an axis of texts */
    bool log;      /* an axis of equal ratios */
} pio_member_column;

typedef struct {
    pio_member_column *columns; /* [n] the first four are member, folder, exit, cause */
    size_t n, rows;
} pio_members_table;

/* Reads sweep.csv of the folder into the pool. Samples of observations other than the last are of the kind
 * PIO_OF_OTHERS, and so are gradients. Returns PIOLA_NO_INPUT, PIOLA_BAD_DATA if it is no such table, or
 * PIOLA_NO_MEMORY. */
piola_status pio_members_read(const pio_report *r, pio_pool *pool, pio_members_table *out, piola_error *error);
/* Draws parallel coordinates of the axes and of the first results. */
void pio_members_parallel(FILE *to, const pio_members_table *t);
/* Makes the plot of a column over an axis of numbers in the pool: a curve for each value of the other axis where there
 * is one with few values, else dots. Returns false without memory. */
bool pio_members_response(pio_pool *pool, const pio_members_table *t, const pio_member_column *x,
                          const pio_member_column *y, pio_plot *out);
/* Returns whether a column is one of results that differ between members. */
bool pio_members_answers(const pio_members_table *t, const pio_member_column *c);
/* Draws each response over each axis. */
void pio_members_responses(FILE *to, pio_pool *pool, const pio_members_table *t);

#endif
