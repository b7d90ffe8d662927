/* command_bench_sizes.c -- piola bench mpm --sizes: from a thousand particles to as many as fit, in decades. */
#include "host/command/command_bench.h"

#include "host/base/fail.h"
#include "host/base/output.h"
#include "host/model/room.h"
#include "host/results/manifest.h"

#include <math.h>
#include <stdio.h>

enum { LEAST = 1000, MOST_SIZES = 8, MOST_STEPS = 100 };
static const double work = 1e5;     /* particle-steps of a repetition at least, as far as MOST_STEPS steps make them */
static const double headroom = 1.2; /* of a size's bytes, over ten times those of the size before */

typedef struct {
    const piola_bench_options *options;
    pio_bench list[MOST_SIZES]; /* [n] */
    int n;
    double per_particle; /* bytes of the last size, per particle */
} sizes;

/* Measures one size, with the most threads alone. */
static piola_status measure(sizes *s, double particles, piola_error *error)
{
    pio_bench *b = &s->list[s->n];
    piola_bench_options o = *s->options;
    o.particles = (int64_t)particles;
    const double steps = fmin(MOST_STEPS, work / particles);
    if (steps > o.steps) o.steps = (int)steps;
    piola_status rc = pio_bench_mpm_prepare(b, &o, error);
    b->only_most = true;
    if (!rc) rc = pio_bench_measure(b, error);
    s->per_particle = (double)b->bytes.total / (double)(b->particles ? b->particles : 1);
    pio_engine_close(&b->engine);
    s->n += !rc;
    return rc;
}

/* Returns whether ten times as many particles are wanted and fit. */
static bool next_fits(const sizes *s, double particles)
{
    const bool wanted = particles <= (double)s->options->particles && s->n < MOST_SIZES;
    return wanted && headroom * s->per_particle * particles < pio_room_bytes();
}

static void print_table(const sizes *s)
{
    const pio_bench *first = &s->list[0];
    printf("piola %s bench mpm --sizes, commit %s\n", PIOLA_VERSION, pio_build_commit());
    printf("%s %s %dD, %s, %s box, %s; %d thread%s, best of %d\n", first->on_cpu ? "CPU" : "GPU", s->options->precision,
           s->options->dimension, piola_laws[first->options.law], s->options->box, s->options->start,
           first->rows[0].threads, first->rows[0].threads == 1 ? "" : "s", PIO_BENCH_REPETITIONS);
    printf("%s\n", "                                             a step, wall time          ns per particle-step");
    printf("%11s %6s %11s %9s  %10s  %10s  %9s  %9s\n", "particles", "steps", "nodes", "GB", "forward us",
           "gradient us", "forward", "gradient");
    const int digits = first->on_cpu ? 1 : 3; /* of ns: a GPU takes less than one for a particle */
    for (int i = 0; i < s->n; i++) {
        const pio_bench *b = &s->list[i];
        const pio_bench_row *r = &b->rows[0];
        printf("%11lld %6lld %11lld %9.3f  %10.1f  %10.1f  %9.*f  %9.*f\n", (long long)b->particles,
               (long long)b->options.steps, (long long)b->box, 1e-9 * (double)b->bytes.total,
               1e6 * r->forward_wall.best, 1e6 * r->gradient_wall.best, digits,
               1e9 * r->forward_wall.best / (double)b->particles, digits,
               1e9 * r->gradient_wall.best / (double)b->particles);
    }
}

static piola_status print_json(const sizes *s, const pio_engine_module *engine, piola_error *error)
{
    pio_json json;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", "bench mpm --sizes");
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    pio_json_string(&json, "commit", pio_build_commit());
    pio_bench_engine_json(&json, engine);
    pio_json_begin_object(&json, "case");
    pio_bench_material_json(&json, &s->list[0].options);
    pio_json_integer(&json, "per_cell", s->list[0].options.per_cell);
    pio_json_string(&json, "box", s->options->box);
    pio_json_string(&json, "start", s->options->start);
    pio_json_integer(&json, "threads", s->list[0].rows[0].threads);
    pio_json_integer(&json, "repetitions", PIO_BENCH_REPETITIONS);
    pio_json_end_object(&json);
    pio_json_begin_array(&json, "sizes");
    for (int i = 0; i < s->n; i++) {
        const pio_bench *b = &s->list[i];
        pio_json_begin_object(&json, NULL);
        pio_json_integer(&json, "particles", b->particles);
        pio_json_integer(&json, "steps", b->options.steps);
        pio_json_integer(&json, "box_nodes", b->box);
        pio_json_integer(&json, "bytes", (int64_t)b->bytes.total);
        pio_json_double(&json, "forward_seconds", b->rows[0].forward_wall.best);
        pio_json_double(&json, "gradient_seconds", b->rows[0].gradient_wall.best);
        pio_json_end_object(&json);
    }
    pio_json_end_array(&json);
    pio_json_end_object(&json);
    return pio_json_finish(&json, error);
}

piola_status pio_bench_mpm_sizes(const piola_bench_options *options, piola_error *error)
{
    sizes s = {.options = options};
    pio_bench of = {0};
    piola_status rc = options->compare ? pio_fail(error, PIOLA_USAGE, "--compare does nothing with --sizes") : PIOLA_OK;
    if (!rc) rc = pio_bench_mpm_prepare(&of, options, error);
    double particles = fmin(LEAST, (double)options->particles);
    do {
        if (!rc) rc = measure(&s, particles, error);
        particles *= 10;
    } while (!rc && next_fits(&s, particles));
    if (!rc && options->json)
        rc = print_json(&s, &of.engine, error);
    else if (!rc)
        print_table(&s);
    pio_engine_close(&of.engine);
    return rc ? rc : pio_output_flush(error);
}
