/* modes.c -- see modes.h. */
#include "host/results/modes.h"

void pio_modes_json(const pio_session *s, pio_json *json)
{
    pio_step_record r;
    if (!s->model->fem || s->scene->fem.integrator != PIO_MODAL) return;
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
