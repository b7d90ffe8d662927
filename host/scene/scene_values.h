/* scene_values.h -- what expressions of a scene name: constants, and tables of values at points. */
#ifndef PIOLA_HOST_SCENE_VALUES_H
#define PIOLA_HOST_SCENE_VALUES_H

#include <stddef.h>

/* Between the points of a table. */
typedef enum { SCENE_GRID, SCENE_NEAREST } scene_interpolation;

/* scene_table_fem.c: `constants` of FEM, which expressions name. */
typedef struct {
    struct cfg_named *v; /* [n] constants, see config.h */
    size_t n;            /* number of them */
} scene_constants;

/* FEM: values at points, which expressions name. */
typedef struct {
    char *name, *file, *column;        /* name of the table; of its file; of the column of its values */
    char *unit;                        /* of the values; NULL: plain numbers */
    scene_interpolation interpolation; /* between its points */
    int quantity;                      /* a cfg_quantity: that of the unit */
    double *numbers;                   /* [n] as programs have them, see kernels/base/expression.h, in SI units */
    size_t n;                          /* how many numbers these are */
} scene_table;

/* scene_table_fem.c: `tables` of FEM. */
typedef struct {
    scene_table *v; /* [n] tables */
    size_t n;       /* number of them */
} scene_tables;

#endif
