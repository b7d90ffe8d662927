/* sim_fields.c -- fields of every method as doubles in the order of ids, for the host or in memory of the device. */
#include "solvers/engine/sim.h"

#include <stdlib.h>

/* Returns the first component with the same values as component c. */
static int first_of(const sim_field *field, int c)
{
    return field->same ? field->same[c] : c;
}

piola_status sim_read(pio_sim *sim, const sim_field *field, double *values, piola_error *error)
{
    pio_queue *q = &sim->queue;
    const int n = field->items, components = field->components;
    if (field->of_host) {
        field->of_host(sim, values);
        return PIOLA_OK;
    }
    for (int c = 0; c < components; c++) {
        const int from = first_of(field, c);
        if (from == c) {
            field->component(sim, field->of, c, sim->transfer, 1);
            pio_queue_download(q, sim->host_transfer, sim->transfer, sizeof(double) * (size_t)n);
            if (pio_queue_failed(q)) return sim_failed(sim, error);
        }
        for (int i = 0; i < n; i++) {
            double *item = values + (ptrdiff_t)i * components;
            item[c] = from == c ? sim->host_transfer[i] : item[from];
        }
    }
    return PIOLA_OK;
}

/* Sets device memory to numbers of the host. */
static piola_status upload(pio_sim *sim, const sim_field *field, double *out, size_t bytes, piola_error *error)
{
    double *values = malloc(bytes);
    if (!values) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %zu bytes of a field", bytes);
    field->of_host(sim, values);
    pio_queue_upload(&sim->queue, out, values, bytes);
    free(values);
    return PIOLA_OK;
}

piola_status sim_read_device(pio_sim *sim, const sim_field *field, double **values, piola_error *error)
{
    const pio_backend *backend = sim->arena.backend;
    const size_t bytes = sizeof(double) * (size_t)field->items * (size_t)field->components;
    piola_status rc = PIOLA_OK;
    void *memory;
    *values = NULL;
    const int code = pio_device_memory(backend, bytes, &memory);
    if (code)
        return sim_fail(error, PIOLA_NO_MEMORY, "%zu bytes of device memory for a field: %s", bytes,
                        backend->error_text(code));
    double *out = memory;
    if (field->of_host)
        rc = upload(sim, field, out, bytes, error);
    else
        for (int c = 0; c < field->components; c++) field->component(sim, field->of, c, out + c, field->components);
    if (!rc && pio_queue_failed(&sim->queue)) rc = sim_failed(sim, error);
    if (rc)
        backend->release(memory, bytes);
    else
        *values = out;
    return rc;
}
