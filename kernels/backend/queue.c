/* queue.c -- see queue.h. */
#include "kernels/backend/queue.h"

#include "kernels/backend/fault.h"

#include <stdio.h>

int pio_queue_begin(pio_queue *q)
{
    pio_queue_stop_recording(q);
    if (q->error.code) return 0;
    const int fault = pio_device_fault ? pio_device_fault("launch") : 0;
    if (fault) {
        q->error.code = fault;
        snprintf(q->error.message, sizeof q->error.message, "a launch failed on %s: %s", q->backend->name,
                 q->backend->error_text(fault));
        return 0;
    }
    pio_arena_open(q->arena);
    if (q->clock) q->started = q->clock();
    return 1;
}

static void check_watch(pio_queue *q, int kernel)
{
    for (int w = 0; w < q->n_watch && !q->error.code; w++) {
        double bad = 0;
        const count_not_finite_args args = {.in = q->watch[w].field};
        int rc = q->backend->kernels.count_not_finite(q->stream, (int)q->watch[w].count, NULL, &args, q->sum_out,
                                                      q->sum_work);
        if (!rc) rc = q->backend->download(q->stream, &bad, q->sum_out, sizeof bad);
        if (!rc && bad <= 0) continue;
        q->error.code = rc ? rc : -1;
        snprintf(q->error.message, sizeof q->error.message, "after kernel %s: %.0f values of %s are not finite",
                 pio_kernel_names[kernel], bad, q->watch[w].name);
    }
}

void pio_queue_end(pio_queue *q, int kernel, const char *file, int line, int rc)
{
    *(kernel == KERNEL_COPY ? &q->counts.copies : &q->counts.launches) += 1;
    if (q->clock) {
        if (!rc) rc = q->backend->wait(q->stream);
        q->timer[kernel].seconds += q->clock() - q->started;
        q->timer[kernel].calls++;
    }
    if (rc) {
        q->error.code = rc;
        snprintf(q->error.message, sizeof q->error.message, "%s failed on %s (%s:%d): %s", pio_kernel_names[kernel],
                 q->backend->name, file, line, q->backend->error_text(rc));
    } else if (q->watch) {
        check_watch(q, kernel);
    }
    pio_arena_close(q->arena);
}

void pio_queue_zero(pio_queue *q, void *target, size_t bytes)
{
    if (q->recording && pio_record_copy(q, target, NULL, bytes)) return;
    PIO_LAUNCH(q, KERNEL_COPY, q->backend->zero(q->stream, target, bytes));
}

void pio_queue_copy(pio_queue *q, void *target, const void *source, size_t bytes)
{
    if (q->recording && pio_record_copy(q, target, source, bytes)) return;
    PIO_LAUNCH(q, KERNEL_COPY, q->backend->copy(q->stream, target, source, bytes));
}

void pio_queue_upload(pio_queue *q, void *target, const void *source, size_t bytes)
{
    if (!q->error.code) q->counts.waits++;
    PIO_LAUNCH(q, KERNEL_COPY, q->backend->upload(q->stream, target, source, bytes));
}

void pio_queue_download(pio_queue *q, void *target, const void *source, size_t bytes)
{
    if (!q->error.code) {
        q->downloads++;
        q->counts.waits++;
    }
    PIO_LAUNCH(q, KERNEL_COPY, q->backend->download(q->stream, target, source, bytes));
}

int pio_queue_failed(pio_queue *q)
{
    pio_queue_stop_recording(q);
    if (!q->error.code) {
        const int rc = q->backend->wait(q->stream);
        q->counts.waits++;
        if (rc) {
            q->error.code = rc;
            snprintf(q->error.message, sizeof q->error.message, "%s failed while running: %s", q->backend->name,
                     q->backend->error_text(rc));
        }
    }
    return q->error.code != 0;
}
