/* api_dlpack_before.c -- piola_dlpack.h in C, in a program with a header of its own from before DLPack 1.0. */
#include "piola.h"

/* What such a header has of a tensor, in its own words. */
#define DLPACK_DLPACK_H_
#include <stdint.h>
typedef struct {
    int32_t kind, number;
} device;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} type;
typedef struct DLManagedTensor {
    struct {
        void *data;
        device where;
        int32_t dimensions;
        type of;
        int64_t *shape, *strides;
        uint64_t offset;
    } view;
    void *owner;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#include "piola_dlpack.h"

/* Sets *first to the first value of a field, and returns the number of its values; -1 if there is no tensor of it. */
long values_before_1_0(piola_problem *problem, const char *field, double *first);

long values_before_1_0(piola_problem *problem, const char *field, double *first)
{
    DLManagedTensor *t = NULL;
    if (piola_dlpack_unversioned(problem, field, &t, NULL)) return -1;
    const long n = t->view.where.kind == 1 && t->view.of.bits == 64 && t->view.dimensions == 2
                       ? (long)(t->view.shape[0] * t->view.shape[1])
                       : -1;
    *first = *(const double *)t->view.data;
    t->deleter(t);
    return n;
}
