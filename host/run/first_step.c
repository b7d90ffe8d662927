/* first_step.c -- see first_step.h. */
#include "host/run/first_step.h"

#include "host/run/engines.h"
#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/scene/design_path.h"

#include <stdio.h>

#define CHECKING "checking the first step"

enum { MOST_STEPS = (1 << 29) - 1 }; /* greatest number of steps of an engine */

typedef struct {
    const pio_model *model;   /* model that is checked */
    const pio_engine *engine; /* engine that checks it */
    pio_engine_desc desc;     /* the model's, without observations and without memory for gradients */
} first_step;

/* Starts with the designs of `desc`, whose variables begin at z. PIOLA_NUMERICAL: the engine rejects it, and *error
 * says why. */
static piola_status start(const first_step *f, const pio_engine_desc *desc, const double *z, piola_error *error)
{
    pio_sim *sim = NULL;
    piola_status rc = pio_stop(CHECKING, error);
    if (!rc) rc = f->engine->create(desc, &sim, NULL, error);
    if (!rc) rc = pio_stop(CHECKING, error);
    if (!rc) rc = f->engine->start(sim, z, error);
    if (!rc) rc = pio_stop(CHECKING, error);
    if (!rc) rc = f->engine->check(sim, error);
    if (sim) f->engine->destroy(sim);
    return rc;
}

/* Starts with the duration divided into `steps` equal steps. */
static piola_status start_in(const first_step *f, int64_t steps)
{
    pio_engine_desc desc = f->desc;
    desc.dt = f->model->scene->time.duration / (double)steps;
    return start(f, &desc, f->model->engine_z0, NULL);
}

/* Attributes a rejection that no shorter step avoids to the scene without its designs, or to one of them. */
static piola_status attribute_rejection(const first_step *f, const char *why, piola_error *error)
{
    const pio_model *m = f->model;
    char place[64] = "design";
    pio_engine_desc desc = f->desc;
    desc.dt = m->scene->time.duration / MOST_STEPS;
    desc.n_designs = 0;
    if (start(f, &desc, NULL, NULL)) return pio_scene_fault(m->scene, error, "materials", "%s", why);
    desc.n_designs = 1;
    for (int k = 0; k < m->n_parameters; k++) {
        desc.designs = &m->designs[k];
        const pio_parameter *p = &m->parameters[k];
        if (start(f, &desc, m->engine_z0 + p->engine_first, NULL) != PIOLA_NUMERICAL) continue;
        snprintf(place, sizeof place, "design[%zu].%s", (size_t)(p->design - m->scene->goal.design),
                 p->design->initial.n ? "initial" : pio_design_targets_key(p->design));
        break;
    }
    return pio_scene_fault(m->scene, error, place, "%s", why);
}

/* Finds the least number of steps that is accepted, up to one part in 256 too high; `rejected` steps are too few and
 * MOST_STEPS are enough. */
static piola_status enough_steps(const first_step *f, int64_t rejected, int64_t *enough)
{
    *enough = MOST_STEPS;
    for (bool doubling = true; *enough - rejected > 1 + *enough / 256;) {
        const int64_t between = doubling ? 2 * rejected : rejected + (*enough - rejected) / 2;
        if (between >= *enough) {
            doubling = false;
            continue;
        }
        const piola_status rc = start_in(f, between);
        if (rc && rc != PIOLA_NUMERICAL) return rc;
        if (rc)
            rejected = between;
        else
            *enough = between;
        doubling &= rc != PIOLA_OK;
    }
    return PIOLA_OK;
}

/* Fails at time.dt with a number of steps that is enough, or where attribute_rejection() says. */
static piola_status explain_failure(const first_step *f, piola_status rc, const char *why, piola_error *error)
{
    const pio_model *m = f->model;
    int64_t steps;
    if (rc != PIOLA_NUMERICAL) return pio_fail(error, rc, "%s", why);
    rc = start_in(f, MOST_STEPS);
    if (rc == PIOLA_NUMERICAL) return attribute_rejection(f, why, error);
    if (!rc) rc = enough_steps(f, m->steps, &steps);
    if (rc) return pio_scene_fault(m->scene, error, "time.dt", "%s", why);
    return pio_scene_fault(m->scene, error, "time.dt", "%s; %.9g s (%lld steps) is right", why,
                           m->scene->time.duration / (double)steps, (long long)steps);
}

static piola_status examine(const first_step *f, piola_error *error)
{
    piola_error why = {0};
    piola_status rc = start(f, &f->desc, f->model->engine_z0, &why);
    if (rc == PIOLA_BAD_DATA) rc = pio_model_explain_rejection(f->model, rc, &why);
    pio_model_control_advice(f->model, &why);
    if (!rc) return PIOLA_OK;
    rc = rc == PIOLA_INTERRUPTED ? pio_fail(error, rc, "%s", why.message) : explain_failure(f, rc, why.message, error);
    const piola_status stopped = pio_stop(CHECKING, error); /* an interruption may have caused the failure */
    if (stopped) return stopped;
    if (error) error->failure = why.failure;
    return rc;
}

piola_status pio_first_step(const pio_model *model, const char *precision, piola_error *error)
{
    first_step f = {.model = model, .desc = model->desc};
    pio_engine_module engine;
    f.desc.n_observations = f.desc.n_sample_weights = 0;
    f.desc.adjoint = 0;
    f.desc.slots = 0;
    f.desc.start_only = 1;
    piola_status rc = pio_engine_open(&engine, "cpu", NULL, precision, model->scene->method.dimension, error);
    if (rc) return rc;
    f.engine = model->fem ? engine.fem : engine.table;
    rc = examine(&f, error);
    pio_engine_close(&engine);
    return rc;
}
