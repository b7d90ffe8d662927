/* section_study_history.c -- curves over the iterations of a study, from its history.csv (report_parts.h). */
#include "host/report/report_parts.h"

#include <string.h>

enum { MOST_CURVES = 12 };
enum { COLUMNS_OF_ALL = 5 }; /* before those of the experiments */
static const char of_experiment[] = "objective.";

/* Draws the columns whose name is `name`, or begins with it where there are several. */
static void draw(FILE *to, const pio_report_history *h, const char *title, const char *axis, const char *name,
                 bool several)
{
    pio_series s[MOST_CURVES];
    const size_t length = strlen(name);
    size_t n = 0;
    bool log = true;
    for (size_t k = 1; k < h->columns && n < MOST_CURVES; k++) {
        const double *y = h->value[k];
        if (several ? strncmp(h->name[k], name, length) : strcmp(h->name[k], name)) continue;
        log = log && pio_plot_suits_log(y, h->rows);
        s[n++] = (pio_series){.name = several ? h->name[k] + length : NULL, .x = h->value[0], .y = y, .n = h->rows};
    }
    const pio_plot p = {.title = title,
                        .x = {.name = "iteration", .whole = true},
                        .y = {.name = axis, .log = log},
                        .series = s,
                        .n_series = n};
    if (n) pio_plot_write(to, &p);
}

/* Draws J, its parts and the gradient. */
static void draw_all(FILE *to, const pio_report_history *h)
{
    fputs("<div class=\"figures\">\n", to);
    draw(to, h, "Objective at each iteration", "J", "objective", false);
    draw(to, h, "Objective of each experiment, without its weight, at each iteration", "J", of_experiment, true);
    draw(to, h, "Norm of the projected gradient, of scaled variables, at each iteration", "projected gradient",
         "projected_gradient", false);
    fputs("</div>\n", to);
    if (h->columns > COLUMNS_OF_ALL + MOST_CURVES)
        pio_html_missing(to, "The first %d experiments are drawn; history.csv has all.", (int)MOST_CURVES);
}

void pio_section_study_history(FILE *to, const pio_report *r)
{
    pio_pool pool = {0};
    pio_report_history h;
    if (strcmp(pio_report_command(r), "optimize") != 0) return;
    pio_html_section(to, "iterations", "Iterations");
    if (pio_report_read_history(r, &pool, &h))
        draw_all(to, &h);
    else
        pio_html_missing(to, "No curves. There is no history.csv with iterations.");
    pio_html_section_end(to);
    pio_pool_free(&pool);
}
