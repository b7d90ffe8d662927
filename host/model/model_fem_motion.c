/* model_fem_motion.c -- a scene that moves in time: integrator, masses, damping of elements, initial state of nodes. */
#include "host/base/fail.h"
#include "host/model/model_fem.h"

#include <stdlib.h>

static piola_status set_damping(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const size_t n = (size_t)f->element_first[f->bodies];
    f->alpha = calloc(n + 1, sizeof(double));
    f->beta = calloc(n + 1, sizeof(double));
    if (!f->alpha || !f->beta) return pio_fail_memory(error, 2 * n * sizeof(double), "damping");
    bool any_alpha = false, any_beta = false;
    for (size_t e = 0; e < n; e++) {
        const scene_material *mat = &m->scene->materials.v[f->material[e]];
        f->alpha[e] = mat->mass_damping;
        f->beta[e] = mat->stiffness_damping;
        any_alpha |= f->alpha[e] > 0;
        any_beta |= f->beta[e] > 0;
    }
    f->desc.alpha = any_alpha ? f->alpha : NULL;
    f->desc.beta = any_beta ? f->beta : NULL;
    return PIOLA_OK;
}

/* Sets displacements, and velocities v = velocity + w x (X - the mean of the body's nodes). */
static void set_body(pio_model *m, int b)
{
    pio_model_fem *f = m->fem;
    const scene_body *body = &m->scene->matter.bodies[b];
    const int64_t dim = m->scene->method.dimension, first = f->node_first[b], end = f->node_first[b + 1];
    const double *w = body->angular_velocity;
    const bool u_varies = pio_scene_varies(m->scene, SCENE_VARY_DISPLACEMENT, (size_t)b), /* model_vary.c adds them */
        v_varies = pio_scene_varies(m->scene, SCENE_VARY_VELOCITY, (size_t)b);
    double mean[3] = {0};
    for (int64_t i = first; i < end; i++)
        for (int64_t a = 0; a < dim; a++) mean[a] += f->rest[i * dim + a] / (double)(end - first);
    for (int64_t i = first; i < end; i++) {
        double r[3] = {0};
        for (int64_t a = 0; a < dim; a++) r[a] = f->rest[i * dim + a] - mean[a];
        const double spin[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
        for (int64_t a = 0; a < dim; a++) {
            f->displacement[i * dim + a] = u_varies ? 0 : body->displacement[a];
            f->velocity[i * dim + a] = (v_varies ? 0 : body->velocity[a]) + spin[a];
        }
    }
}

piola_status pio_model_motion(pio_model *m, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const size_t count = (size_t)f->node_first[f->bodies] * (size_t)m->scene->method.dimension;
    f->displacement = calloc(count + 1, sizeof(double));
    f->velocity = calloc(count + 1, sizeof(double));
    if (!f->displacement || !f->velocity) return pio_fail_memory(error, 2 * count * sizeof(double), "initial states");
    for (int b = 0; b < f->bodies; b++) set_body(m, b);
    f->desc.integrator = m->scene->fem.integrator;
    f->desc.lumped = m->scene->fem.mass == SCENE_LUMPED;
    f->desc.displacement = f->displacement;
    f->desc.velocity = f->velocity;
    return set_damping(m, error);
}
