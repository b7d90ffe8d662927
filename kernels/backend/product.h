/* product.h -- the seam between solvers and libraries of sparse products: one table of functions per library.
 *
 * y = A x for a matrix of square blocks. As in direct.h a library is a loadable module of its own,
 * piola_product_NAME.so beside the engines, that exports its table as `piola_product`, and the device's backend
 * names it (table.h). The outcome of a call is reported as there; no outcome here is SINGULAR or INDEFINITE, and
 * `message` has room for PIO_DIRECT_TEXT.
 *
 * Two products of the same numbers must give the same bits: a library whose products do not is of no use here. */
#ifndef PIOLA_KERNELS_BACKEND_PRODUCT_H
#define PIOLA_KERNELS_BACKEND_PRODUCT_H

#include "kernels/backend/direct.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PIO_PRODUCT_VERSION = 1 };

/* Compressed rows of blocks, each dim x dim numbers, row by row. Every row has a block on the diagonal. */
typedef struct {
    int rows, blocks;     /* block rows and columns; entries */
    int dim, bits;        /* 2 or 3; 32 or 64 of each number */
    const int *row_start; /* [rows + 1], the first 0 */
    const int *column;    /* [blocks] from 0, ascending within a row */
    const void *value;    /* [blocks][dim][dim] */
} pio_product_matrix;

typedef struct {
    uint32_t version, size;
    int transposes; /* apply takes A^T too */
    /* Name and version of the library. */
    pio_direct_outcome (*probe)(int device, char name[128], char *message);
    /* Bytes that prepare() will take on the device, from a matrix on the host without values; none stay taken. */
    pio_direct_outcome (*predict)(int device, const pio_product_matrix *host, size_t *bytes, char *message);
    /* Whatever is to be done once for a matrix on the device. Its addresses and its structure stay, its values may
     * change. */
    pio_direct_outcome (*prepare)(int device, pio_stream stream, const pio_product_matrix *matrix, void **context,
                                  char *message);
    /* y = A x, or A^T x, with the values as they are now; x and y [rows][dim] on the device do not overlap. The former
     * content of y is not read. Takes no memory. */
    pio_direct_outcome (*apply)(void *context, pio_stream stream, int transposed, const void *x, void *y,
                                char *message);
    /* Ends the use of a context. */
    void (*release)(void *context);
} pio_product_table;

/* Returns the table of the module piola_product_NAME.so beside this one, or NULL and why in `message`. The module stays
 * open as long as the process. */
const pio_product_table *pio_product_open(const char *name, char *message);

#ifdef __cplusplus
}
#endif
#endif
