/* command_bench_prepare.c -- the case and the engine that the options of piola bench mpm name. */
#include "host/command/command_bench.h"

#include "host/base/fail.h"
#include "host/base/threads.h"
#include "host/scene/law.h"
#include "host/scene/words.h"

#include <math.h>
#include <string.h>

/* Returns the number of the plastic law of that name, or -1. */
static int plastic_named(const char *name)
{
    for (int i = 0; pio_plastic_words[i]; i++)
        if (!strcmp(pio_plastic_words[i], name)) return i;
    return -1;
}

piola_status pio_bench_mpm_prepare(pio_bench *b, const piola_bench_options *o, piola_error *error)
{
    const int dim = o->dimension, per = o->per_cell ? o->per_cell : dim == 3 ? 8 : 4;
    const pio_law wanted = pio_law_named(o->law, ~LAW_BIT(PIO_HYPER_LINEAR));
    const int plasticity = plastic_named(o->plasticity);
    if (wanted < 0)
        return pio_fail(error, PIOLA_USAGE, "particles have no law '%.60s'; neo_hookean would be right", o->law);
    if (plasticity < 0)
        return pio_fail(error, PIOLA_USAGE, "unknown plasticity '%.60s'; von_mises would be right", o->plasticity);
    const pio_law law = pio_bench_case_law(wanted, (pio_plastic_law)plasticity);
    if ((o->viscosity > 0 || o->fibres) && LAW_BIT(law) & LAWS_FLUID)
        return pio_fail(error, PIOLA_USAGE, "--viscosity and --fibres are of solids, and %s is a fluid", o->law);
    if ((dim != 2 && dim != 3) || o->particles < 1 || per < 1 || o->steps < 1)
        return pio_fail(error, PIOLA_USAGE,
                        "a benchmark needs dimension 2 or 3 and at least one particle, per cell and step");
    if (strcmp(o->precision, "f32") && strcmp(o->precision, "f64"))
        return pio_fail(error, PIOLA_USAGE, "unknown precision '%.60s': f32 or f64", o->precision);
    if (strcmp(o->box, "tight") && strcmp(o->box, "loose"))
        return pio_fail(error, PIOLA_USAGE, "unknown box '%.60s': tight or loose", o->box);
    if (strcmp(o->start, "sorted") && strcmp(o->start, "shuffled"))
        return pio_fail(error, PIOLA_USAGE, "unknown start '%.60s': sorted or shuffled", o->start);
    const double cells = (double)o->particles / per;
    const int side = (int)fmax(1, round(dim == 3 ? cbrt(cells) : sqrt(cells)));
    b->options = (pio_bench_case_options){.dimension = dim,
                                          .cells = side,
                                          .per_cell = per,
                                          .law = law,
                                          .plasticity = (pio_plastic_law)plasticity,
                                          .viscosity = o->viscosity,
                                          .fibres = o->fibres,
                                          .steps = o->steps,
                                          .threads = o->threads,
                                          .loose = !strcmp(o->box, "loose"),
                                          .shuffled = !strcmp(o->start, "shuffled")};
    const piola_status rc = pio_threads_check(o->threads, error);
    return rc ? rc : pio_engine_open(&b->engine, o->device, o->isa, o->precision, dim, error);
}

void pio_bench_material_json(pio_json *json, const pio_bench_case_options *o)
{
    pio_json_string(json, "law", piola_laws[o->law]);
    pio_json_string(json, "plasticity", pio_plastic_words[o->plasticity]);
    pio_json_double(json, "viscosity", o->viscosity);
    pio_json_bool(json, "fibres", o->fibres);
}

void pio_bench_engine_json(pio_json *json, const pio_engine_module *engine)
{
    const pio_engine *e = engine->table;
    pio_json_begin_object(json, "engine");
    pio_json_string(json, "device", e->device);
    pio_json_string(json, "precision", e->precision);
    pio_json_integer(json, "dimension", e->dimension);
    pio_json_string(json, "isa", e->isa);
    pio_json_string(json, "device_name", engine->device);
    pio_json_string(json, "driver", engine->driver);
    pio_json_end_object(json);
}
