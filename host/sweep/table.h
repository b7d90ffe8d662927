/* table.h -- what the members of a sweep gave, in the order of the members: read from their result.json, written as
 * sweep.csv and sweep.h5.
 *
 * A column has the name of its dataset in sweep.h5:
 *   objective, terms/NAME, constraints/NAME, design/PATH, gradient/PATH, observations/NAME/time, .../value
 * Its values are those of the members in order; what a member has not is NaN. */
#ifndef PIOLA_HOST_SWEEP_TABLE_H
#define PIOLA_HOST_SWEEP_TABLE_H

#include "host/sweep/members.h"

/* The values of a column in one member. */
typedef struct {
    double *v; /* [n] values */
    size_t n;
} pio_cells;

typedef struct {
    char *name;
    size_t inner;     /* values of one sample of an observation; 1: a list or a single value */
    size_t most;      /* greatest number of values of a member */
    pio_cells *cells; /* [members] */
} pio_table_column;

/* How a member ended. */
typedef struct {
    int exit;          /* as in pio_process_end; -1: it has not been run to its end */
    const char *cause; /* why it failed; NULL: it did not */
    const char *folder;
} pio_table_member;

typedef struct {
    const pio_members *members;
    pio_table_member *ends;    /* [members->n] */
    pio_table_column *columns; /* [n_columns] */
    size_t n_columns, room;
    pio_pool pool; /* memory of all of it, except `columns` */
} pio_table;

/* What else sweep.h5 says of the sweep. */
typedef struct {
    const char *scene, *command, *program;
} pio_table_head;

/* Makes a table without columns, to free with pio_table_free() after any outcome. Returns PIOLA_NO_MEMORY. */
piola_status pio_table_create(pio_table *t, const pio_members *members, piola_error *error);
/* Frees what belongs to the table. */
void pio_table_free(pio_table *t);

/* Reads how a member ended from its result.json at `path`. Returns whether there is one that can be read; then *exit
 * and, in the table's memory, *message are those of the member. */
bool pio_table_exit(pio_table *t, const char *path, int *exit, const char **message);
/* Reads a text of a file of JSON into the table's memory. Returns PIOLA_NO_INPUT if there is no such file,
 * PIOLA_BAD_DATA if it cannot be read or has no such text, or PIOLA_NO_MEMORY. */
piola_status pio_table_text(pio_table *t, const char *path, const char *key, const char **text, piola_error *error);
/* Adds the numbers of a member's result.json. Returns PIOLA_NO_INPUT or PIOLA_BAD_DATA if it cannot be read, or
 * PIOLA_NO_MEMORY. */
piola_status pio_table_add(pio_table *t, int64_t member, const char *path, piola_error *error);

/* Writes sweep.csv, or leaves it unchanged. Returns the errors of pio_write_file_atomically(). */
piola_status pio_table_write_csv(const pio_table *t, const char *path, piola_error *error);
/* Writes sweep.h5, or leaves it unchanged. Returns PIOLA_IO or PIOLA_NO_MEMORY, also where the HDF5 library fails, and
 * the errors of pio_write_file_atomically(). */
piola_status pio_table_write_h5(const pio_table *t, const pio_table_head *head, const char *path, piola_error *error);

#endif
