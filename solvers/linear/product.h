/* product.h -- y = A x by a library behind the table of kernels/backend/product.h.
 *
 *     pio_product_library(backend, ordinal, &table, name, e);         which there is
 *     pio_product_predict(table, ordinal, &on_the_host, &bytes, e);   before there is memory
 *     pio_product_begin(&p, table, ordinal, queue, &matrix, e);       once; bsr.h does
 *     pio_product_apply(&p, queue, 0, x, y);                          as often as wanted
 *     pio_product_free(&p);
 */
#ifndef PIOLA_SOLVERS_PRODUCT_H
#define PIOLA_SOLVERS_PRODUCT_H

#include "kernels/backend/queue.h"
#include "piola_status.h"

typedef struct {
    const pio_product_table *table; /* NULL: no library is used */
    void *context;                  /* the library's, of one matrix */
} pio_product;

/* Finds the library that this device has, and its name and version. Returns PIOLA_UNAVAILABLE, and why, if there is
 * none. */
piola_status pio_product_library(const pio_backend *backend, int ordinal, const pio_product_table **table,
                                 char name[128], piola_error *error);

/* Predicts the bytes that the library will take beside the arena, from a matrix on the host. Returns PIOLA_NO_MEMORY,
 * PIOLA_UNAVAILABLE or PIOLA_INTERNAL, with the library's message, if it cannot. */
piola_status pio_product_predict(const pio_product_table *table, int ordinal, const pio_product_matrix *host,
                                 size_t *bytes, piola_error *error);

/* Prepares products with a matrix on the device. Returns PIOLA_NO_MEMORY, PIOLA_UNAVAILABLE or PIOLA_INTERNAL, with the
 * library's message, if it cannot; PIOLA_UNAVAILABLE also after an error of the device. */
piola_status pio_product_begin(pio_product *p, const pio_product_table *table, int ordinal, pio_queue *queue,
                               const pio_product_matrix *matrix, piola_error *error);

/* Enqueues y = A x, or y = A^T x. Returns 0, or the queue's error code: the library's message is then the queue's
 * error, and nothing is launched any more. */
int pio_product_apply(const pio_product *p, pio_queue *queue, int transposed, const void *x, void *y);

/* Frees what the library holds. */
void pio_product_free(pio_product *p);

#endif
