/* modes.c -- see modes.h. */
#include "host/results/modes.h"

enum { SHOWN = 12 }; /* modes that are logged */

static bool is_modal(const pio_session *s)
{
    return s->model->fem && s->scene->fem.integrator == PIO_MODAL;
}

void pio_modes_json(const pio_session *s, pio_json *json)
{
    pio_step_record r;
    if (!is_modal(s)) return;
    pio_json_begin_array(json, "modes");
    for (int64_t k = 0; k < s->model->steps && s->engine.table->record(s->sim, k, &r); k++) {
        pio_json_begin_object(json, NULL);
        pio_json_integer(json, "mode", k + 1);
        pio_json_double(json, "frequency", r.frequency);
        pio_json_double(json, "residual", r.residual);
        pio_json_integer(json, "found", r.modes_found);
        pio_json_integer(json, "counted", r.modes_counted);
        pio_json_double(json, "counted_below", r.counted_at);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

void pio_modes_log(const pio_session *s)
{
    pio_step_record r;
    const int64_t n = is_modal(s) ? s->model->steps : 0;
    for (int64_t k = 0; k < n && k < SHOWN && s->engine.table->record(s->sim, k, &r); k++)
        pio_log_message(s->call.log, PIO_INFO, "mode %lld: %.6g Hz%s", (long long)k + 1, r.frequency,
                        r.eigenvalue > 0 ? "" : ", a rigid motion");
    if (n > SHOWN)
        pio_log_message(s->call.log, PIO_INFO, "%lld more mode%s in result.json", (long long)n - SHOWN,
                        n == SHOWN + 1 ? "" : "s");
}
