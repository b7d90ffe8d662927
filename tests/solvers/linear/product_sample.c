/* product_sample.c -- libraries of products for tests on the CPU: a plain double loop behind the table of
 * kernels/backend/product.h. Several modules are made of this file, see product.cmake; SAMPLE says which this is. */
#include "kernels/backend/product.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    RIGHT,    /* A x and A^T x */
    FORWARD,  /* A x alone, and says so */
    UNTURNED, /* says that it has A^T x, and gives A x: a wrong library */
    FAILING,  /* fails in the third product */
    OLD,      /* of another version of the table */
    ABSENT    /* there, but does not run */
};

typedef struct {
    pio_product_matrix matrix;
    int calls;
} sample;

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    (void)device;
    snprintf(name, 128, "sample 1.%d", SAMPLE);
    snprintf(message, PIO_DIRECT_TEXT, "this sample does not run");
    return SAMPLE == ABSENT ? PIO_DIRECT_UNAVAILABLE : PIO_DIRECT_OK;
}

/* How often a library predicted what it will take, which another one would begin to take. */
__attribute__((visibility("default"))) extern int sample_predictions;
int sample_predictions;

static pio_direct_outcome predict(int device, const pio_product_matrix *host, size_t *bytes, char *message)
{
    (void)device, (void)message;
    sample_predictions++;
    *bytes = sizeof(sample) + (size_t)host->row_start[host->rows] + (size_t)host->column[0];
    return PIO_DIRECT_OK;
}

static pio_direct_outcome prepare(int device, pio_stream stream, const pio_product_matrix *matrix, void **context,
                                  char *message)
{
    sample *s = malloc(sizeof *s);
    (void)device, (void)stream;
    *context = s;
    if (!s) {
        snprintf(message, PIO_DIRECT_TEXT, "no memory for a sample");
        return PIO_DIRECT_NO_MEMORY;
    }
    *s = (sample){.matrix = *matrix};
    return PIO_DIRECT_OK;
}

static double number(const pio_product_matrix *m, const void *array, ptrdiff_t i)
{
    return m->bits == 32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Row or column `c` of the block (i, j), times x. */
static double block_times(const pio_product_matrix *m, int entry, int transpose, int c, const void *x, int j)
{
    double sum = 0;
    for (int d = 0; d < m->dim; d++) {
        const int at = transpose ? d * m->dim + c : c * m->dim + d;
        sum += number(m, m->value, (ptrdiff_t)entry * m->dim * m->dim + at) * number(m, x, (ptrdiff_t)j * m->dim + d);
    }
    return sum;
}

/* Entry k of column i, among the rows that have one there: the structure is symmetric. */
static int entry_at(const pio_product_matrix *m, int row, int column)
{
    int k = m->row_start[row];
    while (m->column[k] != column) k++;
    return k;
}

static pio_direct_outcome apply(void *context, pio_stream stream, int transposed, const void *x, void *y, char *message)
{
    sample *s = context;
    const pio_product_matrix *m = &s->matrix;
    const int transpose = transposed && SAMPLE != UNTURNED;
    (void)stream;
    s->calls++;
    if (SAMPLE == FAILING && s->calls == 3) {
        snprintf(message, PIO_DIRECT_TEXT, "the sample is tired");
        return PIO_DIRECT_FAILED;
    }
    for (int i = 0; i < m->rows; i++)
        for (int c = 0; c < m->dim; c++) {
            double sum = 0;
            for (int k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
                const int j = m->column[k];
                sum += block_times(m, transpose ? entry_at(m, j, i) : k, transpose, c, x, j);
            }
            if (m->bits == 32)
                ((float *)y)[i * m->dim + c] = (float)sum;
            else
                ((double *)y)[i * m->dim + c] = sum;
        }
    return PIO_DIRECT_OK;
}

static void release(void *context)
{
    free(context);
}

__attribute__((visibility("default"))) extern const pio_product_table piola_product;
const pio_product_table piola_product = {
    .version = PIO_PRODUCT_VERSION + (SAMPLE == OLD),
    .size = sizeof(pio_product_table),
    .transposes = SAMPLE != FORWARD,
    .probe = probe,
    .predict = predict,
    .prepare = prepare,
    .apply = apply,
    .release = release,
};
