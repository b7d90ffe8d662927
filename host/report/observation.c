/* observation.c -- observations in result.json, and the data that they are compared with (report_parts.h). */
#include "host/report/report_parts.h"

#include <math.h>
#include <stdio.h>

bool pio_report_observation_of(pio_pool *pool, const char *name, const cfg_node *node, pio_report_observation *o)
{
    size_t n;
    const cfg_node *rows = pio_report_get(node, "value");
    *o = (pio_report_observation){.name = name,
                                  .unit = pio_report_text(node, "unit", "SI"),
                                  .time = pio_report_numbers(pool, pio_report_get(node, "time"), &n)};
    if (!o->time || !rows || rows->kind != CFG_SEQUENCE || rows->n != n || !n) return false;
    o->n = n;
    o->components = rows->items[0]->n;
    for (size_t k = 0; k < n; k++)
        if (rows->items[k]->kind != CFG_SEQUENCE || rows->items[k]->n != o->components) return false;
    o->value = pio_pool_take(pool, (n * o->components + 1) * sizeof *o->value);
    for (size_t k = 0; o->value && k < n; k++)
        for (size_t c = 0; c < o->components; c++) o->value[c * n + k] = pio_cfg_number_of(rows->items[k]->items[c]);
    return o->value && o->components > 0;
}

const char *pio_report_component(size_t components, size_t c, char text[PIO_REPORT_COMPONENT])
{
    static const char *const axis[] = {"x", "y", "z"};
    if (components == 2 || components == 3) return axis[c];
    snprintf(text, PIO_REPORT_COMPONENT, "component %zu", c);
    return text;
}

double *pio_report_data(pio_pool *pool, const cfg_node *term, const pio_report_observation *o, size_t c, double *sigma)
{
    const cfg_node *rows = pio_report_get(term, "value");
    const double only = pio_report_number(term, "component");
    const size_t at = only >= 0 ? 0 : c;
    size_t n = 0;
    *sigma = pio_report_number(term, "sigma");
    if (!rows || rows->kind != CFG_SEQUENCE || rows->n != o->n || (only >= 0 && fabs(only - (double)c) > 0.5))
        return NULL;
    double *data = pio_pool_take(pool, (o->n + 1) * sizeof *data);
    for (size_t k = 0; data && k < o->n; k++) {
        const double *row = pio_report_numbers(pool, rows->items[k], &n);
        data[k] = row && at < n ? row[at] : (double)NAN;
    }
    return data;
}
