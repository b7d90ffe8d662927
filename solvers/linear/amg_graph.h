/* amg_graph.h -- the graphs of smoothed aggregation: which block rows of a matrix are one of the next coarser matrix,
 * and where the matrices of a hierarchy have blocks. Integers, made on the host once for each mesh.
 *
 * The next matrix is P^T A P (Vanek, Mandel and Brezina 1996, "Algebraic multigrid by smoothed aggregation for second
 * and fourth order elliptic problems"). Aggregates are of the rows within two strong connections of a root, roots being
 * a maximal set of rows no two of which are as near (Bell, Dalton and Olson 2012, "Exposing fine-grained parallelism in
 * algebraic multigrid methods"). In which order rows become roots is a hash of their numbers: no result depends on
 * threads, and meshes in rows and columns do not make aggregates of one shape. */
#ifndef PIOLA_SOLVERS_AMG_GRAPH_H
#define PIOLA_SOLVERS_AMG_GRAPH_H

/* Where a symmetric pattern has blocks, on the host, and how strongly they couple. */
typedef struct {
    int rows, blocks;     /* block rows and columns; stored blocks */
    const int *row_start; /* [rows + 1] first block of each row */
    const int *column;    /* [blocks] ascending within a row; the diagonal is stored */
    /* [blocks] how strongly two rows couple, >= 0, of any unit, and symmetric; that of a row with itself is what its
     * couplings are relative to */
    const float *coupling;
} pio_amg_pattern;

/* One step from a matrix A to the next coarser one, on the host: the patterns of P, P^T, A P and P^T A P. */
typedef struct {
    int rows, coarse;               /* block rows of A, and of P^T A P */
    int *aggregate;                 /* [rows] to which a row belongs; -1: to none */
    int *member_start, *member;     /* [coarse + 1], [rows] the rows of each aggregate, ascending */
    int *p_start, *p_column;        /* [rows + 1], [p_start[rows]] rows of P, columns ascending */
    int *t_start, *t_row, *t_entry; /* [coarse + 1], [p_start[rows]] blocks of each column of P, rows ascending */
    int *ap_start, *ap_column;      /* [rows + 1], [ap_start[rows]] rows of A P, columns ascending */
    int *row_start, *column;        /* [coarse + 1], [row_start[coarse]] rows of P^T A P, columns ascending */
    float *coupling;                /* [row_start[coarse]] how strongly the rows of P^T A P couple */
} pio_amg_step;

/* Joins rows to aggregates: of rows that couple by more than `theta` times the root of the product of their own
 * couplings. Rows of which left_out[i] is not 0 join none; left_out may be NULL. Sets step->rows, coarse, aggregate and
 * members. Returns 1, or 0 without memory: then all of the step is freed. */
int pio_amg_aggregate(pio_amg_step *step, const pio_amg_pattern *a, const unsigned char *left_out, double theta);

/* Makes the patterns of a P that has been smoothed once: row i of P has the aggregates of all columns of row i of A.
 * Returns 1, or 0 without memory, or if a pattern has more than 2^31 - 1 blocks: then all of the step is freed. */
int pio_amg_smoothed(pio_amg_step *step, const pio_amg_pattern *a);

/* Makes the patterns of a P whose rows are given (step->rows, coarse, p_start and p_column); it has no aggregates.
 * Returns as pio_amg_smoothed(). */
int pio_amg_given(pio_amg_step *step, const pio_amg_pattern *a);

/* Frees all of a step. */
void pio_amg_step_free(pio_amg_step *step);

#endif
