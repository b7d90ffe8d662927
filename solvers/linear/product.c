/* product.c -- see product.h. */
#include "solvers/linear/product.h"
#include "solvers/engine/sim.h"

#include <stdio.h>

piola_status pio_product_library(const pio_backend *backend, int ordinal, const pio_product_table **table,
                                 char name[128], piola_error *error)
{
    char message[PIO_DIRECT_TEXT] = "the device has none";
    name[0] = '\0';
    *table = backend->product ? pio_product_open(backend->product, message) : NULL;
    if (*table && (*table)->probe(ordinal, name, message) == PIO_DIRECT_OK) return PIOLA_OK;
    *table = NULL;
    return sim_fail(error, PIOLA_UNAVAILABLE, "no library of products for %s: %s", backend->name, message);
}

/* Returns the status of a library's outcome, with its message in `error`. */
static piola_status outcome_status(pio_direct_outcome outcome, const char *message, piola_error *error)
{
    if (!outcome) return PIOLA_OK;
    return sim_fail(error,
                    outcome == PIO_DIRECT_NO_MEMORY     ? PIOLA_NO_MEMORY
                    : outcome == PIO_DIRECT_UNAVAILABLE ? PIOLA_UNAVAILABLE
                                                        : PIOLA_INTERNAL,
                    "products by a library: %s", message);
}

piola_status pio_product_predict(const pio_product_table *table, int ordinal, const pio_product_matrix *host,
                                 size_t *bytes, piola_error *error)
{
    char message[PIO_DIRECT_TEXT] = "";
    return outcome_status(table->predict(ordinal, host, bytes, message), message, error);
}

piola_status pio_product_begin(pio_product *p, const pio_product_table *table, int ordinal, pio_queue *queue,
                               const pio_product_matrix *matrix, piola_error *error)
{
    char message[PIO_DIRECT_TEXT] = "";
    *p = (pio_product){.table = table};
    if (queue->error.code) return sim_fail(error, PIOLA_UNAVAILABLE, "%s", queue->error.message);
    pio_arena_open(queue->arena);
    const pio_direct_outcome outcome = table->prepare(ordinal, queue->stream, matrix, &p->context, message);
    pio_arena_close(queue->arena);
    return outcome_status(outcome, message, error);
}

int pio_product_apply(const pio_product *p, pio_queue *queue, int transposed, const void *x, void *y)
{
    char message[PIO_DIRECT_TEXT] = "";
    pio_direct_outcome outcome = PIO_DIRECT_OK;
    if (pio_queue_begin(queue)) {
        outcome = p->table->apply(p->context, queue->stream, transposed, x, y, message);
        pio_queue_end(queue, KERNEL_PRODUCT, __FILE__, __LINE__, 0);
    }
    if (outcome && !queue->error.code) {
        queue->error.code = -1;
        snprintf(queue->error.message, sizeof queue->error.message, "a product by a library failed on %s: %.200s",
                 queue->backend->name, message);
    }
    return queue->error.code;
}

void pio_product_free(pio_product *p)
{
    if (p->context) p->table->release(p->context);
    *p = (pio_product){0};
}
