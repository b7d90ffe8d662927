/* identity.c -- see identity.h. */
#include "host/identity.h"

#include "host/model_fem.h"
#include "host/states.h"

#include <gnu/libc-version.h>
#include <math.h>
#include <stdlib.h>

/* FNV-1a, continued. */
static uint64_t hash_more(uint64_t h, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t b = 0; bytes && b < size; b++) h = (h ^ bytes[b]) * 0x100000001b3ULL;
    return h;
}

/* What a mesh is, which a file may change while the scene's text stays. */
static uint64_t mesh_hash(uint64_t h, const pio_fem_desc *d, size_t dim)
{
    size_t elements = 0;
    h = hash_more(h, d->rest, sizeof(double) * dim * (size_t)d->n);
    for (int b = 0; b < d->n_blocks; b++) {
        const size_t nodes = (size_t)pio_elements[d->blocks[b].type].nodes;
        elements += (size_t)d->blocks[b].n;
        h = hash_more(h, d->blocks[b].nodes, sizeof(int32_t) * nodes * (size_t)d->blocks[b].n);
    }
    h = hash_more(h, d->given, sizeof(double) * 5 * elements);
    h = hash_more(h, d->law, sizeof(int32_t) * elements);
    h = hash_more(h, d->held_node, sizeof(int32_t) * (size_t)d->n_held);
    h = hash_more(h, d->held_axis, sizeof(int32_t) * (size_t)d->n_held);
    h = hash_more(h, d->held_support, sizeof(int32_t) * (size_t)d->n_held);
    for (int l = 0; l < d->n_loads; l++) {
        h = hash_more(h, d->loads[l].vertices,
                      sizeof(int32_t) * (size_t)d->loads[l].n * (size_t)pio_elements[d->loads[l].type].nodes);
        h = hash_more(h, d->loads[l].owner, sizeof(int32_t) * (size_t)d->loads[l].n);
    }
    h = hash_more(h, d->curve_t, sizeof(double) * (size_t)d->curve_start[d->n_curves]);
    return hash_more(h, d->curve_value, sizeof(double) * (size_t)d->curve_start[d->n_curves]);
}

static uint64_t data_hash(const pio_session *s)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < s->objective.n; i++) {
        const pio_term *t = &s->objective.terms[i];
        if (!t->data) continue;
        const size_t used = t->term->component < 0 ? (size_t)t->output->components : 1;
        h = hash_more(h, t->data, sizeof(double) * used * (size_t)t->output->samples);
    }
    for (int o = 0; o < s->model->n_outputs; o++) {
        const pio_observation_desc *d = &s->model->observations[o];
        const size_t samples = (size_t)d->samples, rows = (size_t)d->rows, dim = (size_t)s->scene->dimension;
        h = hash_more(h, s->model->outputs[o].time, sizeof(double) * samples);
        h = hash_more(h, d->points, sizeof(double) * samples * rows * dim);
        h = hash_more(h, d->marker, sizeof(int32_t) * (size_t)pio_model_items(s->model, true));
    }
    for (int o = 0; o < s->model->desc.n_obstacles; o++) {
        const pio_obstacle_desc *d = &s->model->obstacles[o];
        if (d->distance)
            h = hash_more(h, d->distance,
                          sizeof(double) * (size_t)d->samples[0] * (size_t)d->samples[1] * (size_t)d->samples[2]);
    }
    return s->model->fem ? mesh_hash(h, &s->model->fem->desc, (size_t)s->scene->dimension) : h;
}

char *pio_identity(const pio_session *s, bool optimizer)
{
    pio_scene scene = *s->scene;
    char *all = NULL, dash[] = "-";
    scene.optimizer.max_iterations = 0;
    scene.optimizer.stop_objective = -INFINITY;
    scene.optimizer.stop_relative_objective = scene.optimizer.stop_gradient = 0;
    scene.has_optimizer &= optimizer;
    scene.output.directory = scene.description = dash;
    scene.output.states_every = scene.duration;
    scene.output.adjoint_every = scene.memory_budget = scene.memory_disk = 0;
    scene.memory_strategy = SCENE_AUTO;
    scene.check_directions = 0;
    scene.check_tolerance = 0;
    char *text = pio_resolved_json(&scene);
    if (text && asprintf(&all, "%s\ndata %016llx\npiola %s, %s, glibc %s\nsolver %s\nproduct %s\nspoiled %d\n", text,
                         (unsigned long long)data_hash(s), PIOLA_VERSION, __VERSION__, gnu_get_libc_version(),
                         s->bytes.solver, s->bytes.product, s->options->corrupt_gradient) < 0)
        all = NULL;
    free(text);
    return all;
}
