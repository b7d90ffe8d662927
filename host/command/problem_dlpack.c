/* problem_dlpack.c -- fields of a problem as tensors of DLPack, in memory of their own on its device; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"
#include "piola_dlpack.h"

#include <stdlib.h>
#include <string.h>

/* A tensor with what its deleter returns. The engine stays loaded for that. */
typedef struct {
    union {
        DLManagedTensor unversioned;
        DLManagedTensorVersioned versioned;
    } form; /* of which the receiver has one */
    int64_t shape[2], strides[2];
    double *values; /* on the device */
    size_t bytes;
    void (*release)(double *values, size_t bytes);
    void *engine; /* of pio_engine_hold() */
} tensor;

static void end(tensor *t)
{
    if (t->values) t->release(t->values, t->bytes);
    pio_engine_let_go(t->engine);
    free(t);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    end(self->manager_ctx);
}

static void delete_unversioned(DLManagedTensor *self)
{
    end(self->manager_ctx);
}

void piola_dlpack_device(const piola_problem *p, int32_t *kind, int32_t *number)
{
    *kind = strcmp(p->session->engine.table->device, "cpu") ? kDLCUDA : kDLCPU;
    *number = p->session->model->desc.device;
}

static DLTensor view_of(const piola_problem *p, tensor *t)
{
    int32_t kind, number;
    piola_dlpack_device(p, &kind, &number);
    return (DLTensor){.data = t->values,
                      .device = {(DLDeviceType)kind, number},
                      .ndim = 2,
                      .dtype = {kDLFloat, 64, 1},
                      .shape = t->shape,
                      .strides = t->strides};
}

/* Reads the field into a new tensor, whose form is not set. */
static piola_status make(piola_problem *p, const char *field, tensor **out, piola_error *error)
{
    const pio_engine_module *engine = &p->session->engine;
    tensor *t = calloc(1, sizeof *t);
    if (!t) return pio_fail_memory(error, sizeof *t, "a tensor");
    const int64_t items = (int64_t)piola_items(p, field), components = (int64_t)piola_components(p, field);
    *t = (tensor){.shape = {items, components},
                  .strides = {components, 1},
                  .bytes = sizeof(double) * (size_t)(items * components),
                  .release = engine->table->release};
    piola_status rc = pio_engine_hold(engine, &t->engine, error);
    if (!rc) rc = pio_problem_field_device(p, field, &t->values, error);
    if (rc)
        end(t);
    else
        *out = t;
    return rc;
}

piola_status piola_dlpack(piola_problem *p, const char *field, DLManagedTensorVersioned **out, piola_error *error)
{
    piola_error own = {0};
    tensor *t = NULL;
    *out = NULL;
    const piola_status rc = make(p, field, &t, error ? error : &own);
    if (rc) return rc;
    t->form.versioned = (DLManagedTensorVersioned){.version = {1, 0},
                                                   .manager_ctx = t,
                                                   .deleter = delete_versioned,
                                                   .flags = DLPACK_FLAG_BITMASK_IS_COPIED,
                                                   .dl_tensor = view_of(p, t)};
    *out = &t->form.versioned;
    return PIOLA_OK;
}

piola_status piola_dlpack_unversioned(piola_problem *p, const char *field, DLManagedTensor **out, piola_error *error)
{
    piola_error own = {0};
    tensor *t = NULL;
    *out = NULL;
    const piola_status rc = make(p, field, &t, error ? error : &own);
    if (rc) return rc;
    t->form.unversioned =
        (DLManagedTensor){.dl_tensor = view_of(p, t), .manager_ctx = t, .deleter = delete_unversioned};
    *out = &t->form.unversioned;
    return PIOLA_OK;
}
