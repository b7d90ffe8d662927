/* model.c -- see model.h. */
#include "host/model/design_filter.h"
#include "host/model/model.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/model_lattice.h"
#include "host/model/model_groups.h"
#include "host/model/room.h"
#include "host/scene/scene_surface.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 2 }; /* nodes beyond each wall: room for a stencil whose particle has crossed it by half a cell */

static void set_grid(pio_model *m)
{
    const scene_grid *g = &m->scene->mpm.grid;
    pio_grid_desc *d = &m->desc.grid;
    d->spacing = g->spacing;
    d->wall_friction_velocity = g->wall_friction_velocity;
    for (int a = 0; a < m->scene->method.dimension; a++) {
        const int cells = (int)ceil((g->max[a] - g->min[a]) / g->spacing - 1e-9);
        d->nodes[a] = cells + 1 + 2 * PAD;
        d->origin[a] = g->min[a] - PAD * g->spacing;
        d->face[a][0] = PAD;
        d->face[a][1] = PAD + cells;
        for (int side = 0; side < 2; side++) {
            d->wall[a][side] = (int32_t)g->wall[a][side];
            d->wall_friction[a][side] = g->wall_friction[a][side];
        }
    }
}

/* ---- time ----------------------------------------------------------------------------------------------- */

static piola_status set_frames(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const double every = fmax(s->output.states_every, s->time.dt); /* at most every state */
    const int64_t most = (int64_t)floor(s->time.duration / every * (1 + 1e-12)) + 3;
    m->frames = malloc(sizeof *m->frames * (size_t)most);
    if (!m->frames) return pio_fail_memory(error, sizeof *m->frames * (size_t)most, "frames");
    for (int64_t k = 0; k < most; k++) {
        const piola_status rc = pio_stop_at(k, "listing frames", error);
        if (rc) return rc;
        int64_t step = llround((double)k * every / s->time.dt);
        if (step > m->steps) step = m->steps;
        if (m->n_frames && m->frames[m->n_frames - 1] == step) continue;
        m->frames[m->n_frames++] = step;
    }
    if (m->frames[m->n_frames - 1] != m->steps) m->frames[m->n_frames++] = m->steps;
    return PIOLA_OK;
}

piola_status pio_model_create(pio_model **out, const pio_scene *scene, piola_error *error)
{
    pio_model *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return pio_fail_memory(error, sizeof *m, "a model");
    m->scene = scene;
    m->steps = llround(scene->time.duration / scene->time.dt);
    piola_status rc = pio_room_for_model(m, error);
    if (rc) {
        free(m);
        return rc;
    }
    if (scene->gradient.window > 0) m->desc.first = m->steps - llround(scene->gradient.window / scene->time.dt);
    m->desc.size = sizeof m->desc;
    m->desc.dt = scene->time.dt;
    m->desc.cfl = scene->time.cfl_limit;
    m->desc.steps = m->steps;
    m->desc.reversible = scene->mpm.integrator == SCENE_REVERSIBLE;
    m->desc.damping = scene->mpm.damping;
    m->desc.flip = scene->mpm.flip;
    m->desc.friction = scene->contact.friction;
    m->desc.regularisation_velocity = scene->contact.model == PIO_CONTACT_POTENTIAL
                                          ? scene->contact.friction_velocity
                                          : scene->contact.regularisation_velocity;
    m->desc.contact_model = scene->contact.model;
    m->desc.contact_stiffness = scene->contact.stiffness;
    m->desc.contact_distance = scene->contact.distance;
    m->desc.penalty = scene->mpm.grid.wall_stiffness;
    memcpy(m->desc.gravity, scene->common.gravity, sizeof m->desc.gravity);
    m->desc.interrupted = pio_interruption;
    if (scene->method.type == SCENE_FEM) {
        rc = pio_model_fem_create(m, error);
        if (!rc) rc = pio_model_control(m, error);
    } else {
        set_grid(m);
        rc = pio_model_particles(m, error);
        if (!rc) rc = pio_model_thin(m, error);
        if (!rc) rc = pio_model_groups(m, error);
        if (!rc) rc = pio_model_control(m, error);
    }
    if (!rc) rc = pio_model_obstacles(m, error);
    if (!rc) pio_model_check(m);
    if (!rc) rc = set_frames(m, error);
    if (!rc) rc = pio_model_observations(m, error);
    if (!rc) rc = pio_model_designs(m, error);
    if (!rc) rc = pio_model_rings_designs(m, error);
    pio_scene_drop_surfaces(scene);
    if (rc)
        pio_model_free(m);
    else
        *out = m;
    return rc;
}

static void free_particles(pio_model *m)
{
    free(m->position);
    free(m->velocity);
    free(m->volume);
    free(m->density);
    free(m->law_parameters);
    free(m->viscosity);
    free(m->relative_density);
    free(m->interpolation);
    free(m->interpolations);
    free(m->field);
    free(m->spin);
    free(m->law);
    free(m->parameter_form);
    free(m->body);
    free(m->plasticity);
    free(m->yield);
}

static void free_designs(pio_model *m)
{
    for (int p = 0; p < m->n_parameters; p++) {
        free(m->parameters[p].initial);
        free((void *)m->designs[p].index);
        free((void *)(uintptr_t)m->designs[p].member_start);
        free((void *)(uintptr_t)m->designs[p].member);
        pio_filter_free(m->parameters[p].filter);
        pio_lattice_free(m->parameters[p].lattice);
        free((void *)(uintptr_t)m->designs[p].direction);
    }
    free(m->parameters);
    free(m->designs);
    free(m->z0);
    free(m->engine_z0);
    free(m->lower);
    free(m->upper);
    free(m->unit);
}

void pio_model_free(pio_model *m)
{
    if (!m) return;
    pio_model_fem_free(m->fem);
    pio_model_control_free(m->control);
    for (int o = 0; o < m->n_outputs; o++) {
        free(m->outputs[o].time);
        free((void *)m->observations[o].marker);
        free((void *)m->observations[o].points);
        free((void *)m->observations[o].point_weight);
        free((void *)m->observations[o].weight);
        free((void *)(uintptr_t)m->observations[o].place_element);
        free((void *)(uintptr_t)m->observations[o].place_xi);
        free((void *)(uintptr_t)m->observations[o].row_start);
        free((void *)(uintptr_t)m->observations[o].row_node);
        free((void *)(uintptr_t)m->observations[o].row_shape);
        free((void *)(uintptr_t)m->observations[o].node_start);
        free((void *)(uintptr_t)m->observations[o].node_row);
        free((void *)(uintptr_t)m->observations[o].node_shape);
        free((void *)(uintptr_t)m->observations[o].member);
        free((void *)(uintptr_t)m->observations[o].field);
        free((void *)(uintptr_t)m->observations[o].channel_weight);
    }
    free_designs(m);
    for (int o = 0; m->obstacles && o < m->desc.n_obstacles; o++) {
        free((void *)(uintptr_t)m->obstacles[o].motion);
        free((void *)(uintptr_t)m->obstacles[o].distance);
    }
    free(m->obstacles);
    pio_model_groups_free(m);
    pio_model_warnings_free(m);
    free(m->outputs);
    free(m->observations);
    free(m->sample_weights);
    free(m->frames);
    free(m->body_first);
    free_particles(m);
    free(m);
}

piola_status pio_model_explain_rejection(const pio_model *m, piola_status rc, piola_error *error)
{
    const char *path = m->scene->fem.integrator == PIO_MODAL ? "time.modes" : "boundary"; /* modes need no supports */
    return m->fem ? pio_scene_attribute_error(m->scene, rc, error, path) : rc;
}
