/* amg.h -- a multilevel preconditioner by smoothed aggregation, for a matrix of blocks whose rows are nodes of a body.
 * What is computed: kernels/linear/amg_setup.h and amg.h; which rows are one on the next level: amg_graph.h.
 *
 *     pio_amg_plan_make(&plan, &pattern, left_out, corners);    once per mesh, on the host
 *     pio_amg_layout(&amg, arena, &plan, room);                 with no memory to measure, then again to take
 *     pio_amg_begin(&amg, queue, &plan, &matrix, e);            once
 *     pio_amg_plan_free(&plan);
 *     pio_amg_refresh(&amg, rest, u, scratch, &right, e);       for the matrix as it is now
 *     pio_amg_apply(&amg, x, y);                                as often as wanted; bsr.h does
 *
 * The numbers are a function of the matrix, the places of nodes and the plan alone, and have the same bits for any
 * number of threads. */
#ifndef PIOLA_SOLVERS_AMG_H
#define PIOLA_SOLVERS_AMG_H

#include "solvers/linear/amg_graph.h"
#include "solvers/linear/bsr.h"

enum { PIO_AMG_LEVELS = 12 };

/* The hierarchy on the host. */
typedef struct {
    int levels;                        /* matrices, the given one included */
    int corners;                       /* 1: the first step is from nodes to corners */
    const int *node;                   /* [rows of level 1] the node of each corner; the source's */
    int rows[PIO_AMG_LEVELS];          /* block rows of each level */
    int size[PIO_AMG_LEVELS];          /* of its blocks */
    int blocks[PIO_AMG_LEVELS];        /* that it stores */
    pio_amg_step step[PIO_AMG_LEVELS]; /* from each level to the next */
} pio_amg_plan;

/* What a plan is made of. */
typedef struct {
    pio_amg_pattern pattern;       /* of the matrix */
    const unsigned char *left_out; /* [rows] 1: a node that cannot move */
    /* Elements have nodes beside their corners where `corners` is above 0: then as many rows of the next level, of
     * which corner c is node[c], ascending; p_start [rows + 1] and p_column list, ascending, the corners whose mean
     * each node is. Corners of one element, and no others, have a block in the pattern. */
    int corners;
    const int *node, *p_start, *p_column;
} pio_amg_source;

/* Makes a plan. Returns 1, or 0 without memory. */
int pio_amg_plan_make(pio_amg_plan *plan, const pio_amg_source *source);
/* Frees a plan. */
void pio_amg_plan_free(pio_amg_plan *plan);

/* One level, on the device but for the numbers. */
typedef struct {
    int rows, size, blocks, next_rows, next_size, p_blocks, ap_blocks; /* as of amg_args.h; next_rows 0: the last */
    int *row_start, *column, *mirror, *diagonal;                       /* as of pio_bsr; of level 0 the matrix' own */
    real *value;                                                       /* likewise */
    narrow *narrowed, *inverse, *coefficients; /* see amg_smoothen_args; f32: narrowed is value */
    wide *lambda;                              /* [1] */
    narrow *vector[5];                         /* [rows][size] each */
    /* to the next level */
    int *aggregate, *member_start, *member; /* NULL: P is given */
    int *p_start, *p_column, *t_start, *t_row, *t_entry, *ap_start, *ap_column;
    narrow *p;                    /* [p_blocks][size][next_size] */
    wide *place;                  /* [rows][DIM]; of level 0, or where P before it is given */
    int *constrained;             /* [rows] likewise */
    int *node;                    /* [rows] of corners; NULL: rows are nodes */
    wide *center, *basis, *modes; /* of the next level's rows; see amg_modes_args */
} pio_amg_level;

typedef struct pio_amg {
    pio_queue *queue;
    pio_bsr *matrix;
    int levels, dense; /* dense: the last level is inverted */
    int symmetric;     /* the matrix is, to the bit; the caller's */
    pio_amg_level level[PIO_AMG_LEVELS];
    real *scratch;           /* of the setup; NULL: what refresh() is given is enough */
    int64_t scratch_numbers; /* that the setup needs */
    wide *inverse[2], *own;  /* [unknowns of the last level] squared: the inverse is in the first; its diagonal */
    wide *dots, *square;
    uint64_t *fault; /* [2] BLOCK_RIGHT, or lowered; BLOCK_RIGHT */
} pio_amg;

/* Takes the device memory from the arena, or measures it. `room`: numbers that refresh() may use as scratch. */
void pio_amg_layout(pio_amg *amg, pio_arena *arena, const pio_amg_plan *plan, int64_t room);

/* Uploads the plan. `constrained`: host [rows of the matrix], bits of the axes on which a node cannot move, and
 * AMG_AT_REST where all strains at a node are small ones of its place at rest. Returns
 * PIOLA_NO_MEMORY without host memory, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status pio_amg_begin(pio_amg *amg, pio_queue *queue, const pio_amg_plan *plan, pio_bsr *matrix,
                           const int *constrained, piola_error *error);

/* Sets all numbers from the matrix and the places of its nodes, X + u: device [rows][DIM], m. `scratch`: device [room],
 * overwritten. *right: 1, or 0 where the matrix is not positive definite on some level: then the preconditioner must
 * not be used. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status pio_amg_refresh(pio_amg *amg, const real *rest, const real *u, real *scratch, int *right,
                             piola_error *error);

/* Applies the preconditioner: y = M^-1 x, device [rows][DIM]. Returns 0, or the queue's error code. */
int pio_amg_apply(pio_amg *amg, const real *x, real *y);

#endif
