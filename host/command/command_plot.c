/* command_plot.c -- piola plot: curves of a folder of results as a PNG, SVG or PDF. */
#include "host/base/fail.h"
#include "host/base/decimal.h"
#include "host/base/signals.h"
#include "host/render/paper.h"
#include "host/report/curves.h"
#include "host/report/figure.h"
#include "host/report/report.h"
#include "piola.h"

enum { WIDTH = 960, HEIGHT = 600, LEAST_WIDTH = 320, LEAST_HEIGHT = 180 };

piola_plot_options piola_plot_options_default(void)
{
    return (piola_plot_options){0};
}

piola_status piola_plot(const piola_plot_options *o, piola_error *error)
{
    pio_report *report = NULL;
    pio_pool pool = {0};
    pio_plot plot = {0};
    if (!o->folder || !o->output)
        return pio_fail(error, PIOLA_USAGE, "a figure needs a folder of results and an output");
    const int width = o->width ? o->width : WIDTH, height = o->height ? o->height : HEIGHT;
    if (width < LEAST_WIDTH || height < LEAST_HEIGHT)
        return pio_fail(error, PIOLA_USAGE, "a figure of %d x %d: it must be at least %d x %d", width, height,
                        LEAST_WIDTH, LEAST_HEIGHT);
    piola_status rc = pio_paper_replaces(o->output, error);
    if (rc) return rc;
    const pio_curves_wanted wanted = {.curves = o->curves,
                                      .history = o->history,
                                      .responses = o->responses,
                                      .over = o->over,
                                      .scale = o->scale,
                                      .n_curves = o->n_curves,
                                      .n_history = o->n_history,
                                      .n_responses = o->n_responses};
    const pio_locale old = pio_locale_begin();
    rc = pio_report_open(&report, o->folder, error);
    if (!rc) rc = pio_curves_make(report, &wanted, &pool, &plot, error);
    if (!rc && pool.refused) rc = pio_fail_memory(error, pool.refused, "a curve of the figure");
    pio_file_limit_begin();
    if (!rc) rc = pio_figure_write(&plot, o->output, width, height, o->title, error);
    pio_file_limit_end();
    pio_report_free(report);
    pio_pool_free(&pool);
    pio_locale_end(old);
    return rc;
}
