/* model_control.c -- actuators and control of a scene, of particles or elements, as the engine's channels, knots and
 * networks.
 *
 * Channels are numbered as entries of control name actuators, so that those of a network lie together. */
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/model_groups.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pio_model_control parts;
struct pio_model_control {
    int32_t *channel;           /* [particles or elements] channel that drives each, or -1 */
    double *fibre;              /* [channels][dim] unit vector of the fibres at the start */
    pio_channel_desc *channels; /* [channels] descriptions of channels */
    pio_knots_desc *knots;      /* [channels] knots of signals */
    double *values;             /* [desc.n_control_values] knots, Pa, weights, and Hz and rad of clocks */
    pio_network_desc *networks; /* [desc.n_networks] descriptions of networks */
    pio_input_desc *inputs;     /* inputs of all networks, one network after another */
    int32_t *of_actuator;       /* [actuators] its channel */
    int32_t *first, *value;     /* [entries of control] number of its first channel, of its first knot or weight */
    double **weight;            /* [n_weights] of meshes: [nodes] weights of nodes in means */
    size_t n_weights;           /* inputs that are means, of all axes */
};

void pio_model_control_free(parts *c)
{
    if (!c) return;
    free(c->channel);
    free(c->fibre);
    free(c->channels);
    free(c->knots);
    free(c->values);
    free(c->networks);
    free(c->inputs);
    free(c->of_actuator);
    free(c->first);
    free(c->value);
    for (size_t i = 0; i < c->n_weights; i++) free(c->weight[i]);
    free(c->weight);
    free(c);
}

/* Returns the number of control values of an entry: knots; of a network weights, and then frequencies and phases of its
 * clocks. */
static size_t values_of(const scene_control *c)
{
    return c->type == PIO_NETWORK ? c->weights.n + 2 * c->clock[0].n : c->knots.n;
}

static int32_t clocks_of(const pio_model *m, size_t i)
{
    return m->control->value[i] + (int32_t)m->scene->actuation.control[i].weights.n;
}

static piola_status take(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const size_t items = (size_t)pio_model_items(m, false), channels = s->actuation.n_actuators;
    size_t values = 0, inputs = 0;
    for (size_t i = 0; i < s->actuation.n_control; i++) {
        values += values_of(&s->actuation.control[i]);
        for (size_t k = 0; k < s->actuation.control[i].n_inputs; k++)
            inputs += s->actuation.control[i].inputs[k].type == PIO_INPUT_PHASE ? 2 : 3;
    }
    parts *c = m->control = calloc(1, sizeof *c);
    if (!c) return pio_fail_memory(error, sizeof *c, "control");
    c->channel = malloc(sizeof *c->channel * (items + 1));
    c->fibre = calloc(channels * 3, sizeof *c->fibre);
    c->channels = calloc(channels, sizeof *c->channels);
    c->knots = calloc(channels, sizeof *c->knots);
    c->values = calloc(values + 1, sizeof *c->values);
    c->networks = calloc(s->actuation.n_control, sizeof *c->networks);
    c->inputs = calloc(inputs + 1, sizeof *c->inputs);
    c->of_actuator = calloc(channels, sizeof *c->of_actuator);
    c->first = calloc(s->actuation.n_control, sizeof *c->first);
    c->value = calloc(s->actuation.n_control, sizeof *c->value);
    c->weight = calloc(inputs + 1, sizeof *c->weight);
    if (c->channel && c->fibre && c->channels && c->knots && c->values && c->networks && c->inputs && c->of_actuator &&
        c->first && c->value && c->weight)
        return PIOLA_OK;
    return pio_fail_memory(error, items * sizeof *c->channel + values * sizeof *c->values, "control");
}

/* ---- actuators ------------------------------------------------------------------------------------------- */

/* Returns whether a place x [dimension] lies in the actuator's box; where it has none, all places do. */
static bool in_box(const pio_model *m, const scene_actuator *a, const double *x)
{
    for (int k = 0; k < m->scene->method.dimension && !isnan(a->on.min[0]); k++)
        if (!(x[k] >= a->on.min[k] && x[k] < a->on.max[k])) return false;
    return true;
}

/* Sets the channel of actuator number a for item number p, which it has. */
static piola_status drive(pio_model *m, size_t a, const char *path, int64_t p, piola_error *error)
{
    int32_t *channel = &m->control->channel[p];
    if (*channel >= 0)
        return pio_scene_fault(m->scene, error, path,
                               m->fem ? "it shares elements with another actuator; an element has one direction of "
                                        "fibres"
                                      : "it shares particles with another actuator; a particle has one direction of "
                                        "fibres");
    *channel = m->control->of_actuator[a];
    return PIOLA_OK;
}

/* Sets the particles of actuator number a; *count is their number. */
static piola_status set_particles(pio_model *m, size_t a, const char *path, int64_t *count, piola_error *error)
{
    const scene_actuator *own = &m->scene->actuation.actuators[a];
    const int b = pio_scene_body_number(m->scene, own->body);
    piola_status rc = PIOLA_OK;
    for (int64_t p = m->body_first[b]; !rc && p < m->body_first[b + 1]; p++) {
        if (own->group && !m->groups[pio_model_group(m, own->group)][p]) continue;
        if (!in_box(m, own, m->position + p * m->scene->method.dimension)) continue;
        rc = drive(m, a, path, p, error);
        ++*count;
    }
    return rc;
}

/* Sets the elements of actuator number a, whose centres, the means of their nodes, lie in its box; *count is their
 * number. */
static piola_status set_driven(pio_model *m, size_t a, const char *path, int64_t *count, piola_error *error)
{
    const scene_actuator *own = &m->scene->actuation.actuators[a];
    const int b = pio_scene_body_number(m->scene, own->body);
    const pio_mesh *mesh = &m->fem->mesh[b];
    piola_error inner = {0};
    pio_index_list list = {.n = mesh->n_cells};
    piola_status rc = own->group ? pio_mesh_group_cells(mesh, own->group, &list, &inner) : PIOLA_OK;
    if (rc == PIOLA_BAD_DATA) return pio_scene_fault(m->scene, error, path, "%s", inner.message);
    if (rc) return pio_fail(error, rc, "%s", inner.message);
    for (int32_t i = 0; !rc && i < list.n; i++) {
        const int32_t cell = own->group ? list.item[i] : i;
        double center[3];
        pio_mesh_center(mesh, cell, center);
        if (!in_box(m, own, center)) continue;
        rc = drive(m, a, path, m->fem->element_first[b] + cell, error);
        ++*count;
    }
    free(list.item);
    return rc;
}

/* Sets the particles or elements of actuator number a, and its fibre. */
static piola_status set_actuator(pio_model *m, size_t a, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_actuator *own = &s->actuation.actuators[a];
    const int32_t channel = m->control->of_actuator[a];
    const size_t dim = (size_t)s->method.dimension;
    int64_t count = 0;
    char path[64];
    snprintf(path, sizeof path, "actuators[%zu].%s", a, own->group && isnan(own->on.min[0]) ? "group" : "on");
    const piola_status rc = (m->fem ? set_driven : set_particles)(m, a, path, &count, error);
    if (rc) return rc;
    if (!count)
        return pio_scene_fault(s, error, path,
                               m->fem ? "no element of '%s' lies in it" : "no particle of '%s' lies in it", own->body);
    double square = 0;
    for (size_t k = 0; k < dim; k++) square += own->fibre[k] * own->fibre[k];
    for (size_t k = 0; k < dim; k++) m->control->fibre[(size_t)channel * dim + k] = own->fibre[k] / sqrt(square);
    return PIOLA_OK;
}

/* ---- networks -------------------------------------------------------------------------------------------- */

/* Returns the number of the body or of the actuator's channel of that name; *by_channel says which. */
static int32_t seen(const pio_model *m, const char *name, int32_t *by_channel)
{
    const pio_scene *s = m->scene;
    const size_t a =
        pio_scene_find(name, s->actuation.actuators, s->actuation.n_actuators, sizeof *s->actuation.actuators);
    *by_channel = a < s->actuation.n_actuators;
    return *by_channel ? m->control->of_actuator[a] : pio_scene_body_number(s, name);
}

/* Returns the mean position of nodes at the start, by their weights, along an axis, m. */
static double place_of(const pio_model *m, const double *weight, int axis)
{
    const int dim = m->scene->method.dimension;
    const pio_model_fem *f = m->fem;
    double sum = 0;
    for (int64_t n = 0; n < f->desc.n; n++)
        sum += weight[n] * (f->rest[n * dim + axis] + (f->displacement ? f->displacement[n * dim + axis] : 0));
    return sum;
}

/* Returns the mean position of particles at the start, weighted by volume, along an axis, m. */
static double mean_of(const pio_model *m, int32_t number, int32_t by_channel, int axis)
{
    const int32_t *is = by_channel ? m->control->channel : m->body;
    double sum = 0, volume = 0;
    for (int64_t p = 0; p < m->desc.particles.n; p++) {
        if (is[p] != number) continue;
        sum += m->volume[p] * m->position[p * m->scene->method.dimension + axis];
        volume += m->volume[p];
    }
    return sum / volume;
}

static piola_status add_means(const pio_model *m, const scene_input *in, pio_input_desc *out, piola_error *error)
{
    parts *c = m->control;
    const bool place = in->type == PIO_INPUT_POSITION;
    pio_input_desc d = {.kind = in->type, .from = -1, .scale = in->scale};
    d.of = seen(m, in->of, &d.of_channel);
    if (in->relative_to) d.from = seen(m, in->relative_to, &d.from_channel);
    if (m->fem && !(d.node_weight = c->weight[c->n_weights] = pio_model_sense(m, &d, c->channel, error)))
        return PIOLA_NO_MEMORY;
    c->n_weights += m->fem != NULL;
    for (int a = 0; a < m->scene->method.dimension; a++) {
        d.axis = a;
        d.offset = 0;
        if (place && m->fem) d.offset = place_of(m, d.node_weight, a);
        if (place && !m->fem) d.offset = mean_of(m, d.of, d.of_channel, a);
        if (place && !m->fem && d.from >= 0) d.offset -= mean_of(m, d.from, d.from_channel, a);
        out[a] = d;
    }
    return PIOLA_OK;
}

static piola_status set_network(pio_model *m, size_t i, pio_network_desc *out, pio_input_desc *inputs,
                                piola_error *error)
{
    const scene_control *c = &m->scene->actuation.control[i];
    int width[SCENE_LAYERS], layers;
    pio_scene_layers(m->scene, c, width, &layers);
    *out = (pio_network_desc){.first = m->control->first[i],
                              .outputs = (int32_t)c->actuators.n,
                              .n_inputs = width[0],
                              .inputs = inputs,
                              .hidden = layers - 1,
                              .weights = m->control->value[i],
                              .n_clocks = 0,
                              .clocks = clocks_of(m, i)};
    for (int l = 1; l < layers; l++) out->width[l - 1] = width[l];
    for (size_t k = 0; k < c->n_inputs; k++) {
        const scene_input *in = &c->inputs[k];
        if (in->type != PIO_INPUT_PHASE) {
            const piola_status rc = add_means(m, in, inputs, error);
            if (rc) return rc;
            inputs += m->scene->method.dimension;
            continue;
        }
        *inputs++ = (pio_input_desc){.kind = PIO_INPUT_SINE, .clock = out->n_clocks, .from = -1};
        *inputs++ = (pio_input_desc){.kind = PIO_INPUT_COSINE, .clock = out->n_clocks++, .from = -1};
    }
    return PIOLA_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Sets channels, knots and values of entry i. */
static void set_signal(pio_model *m, size_t i)
{
    const pio_scene *s = m->scene;
    const scene_control *c = &s->actuation.control[i];
    const bool network = c->type == PIO_NETWORK;
    const scene_numbers *values = network ? &c->weights : &c->knots;
    parts *out = m->control;
    out->first[i] = m->desc.n_channels;
    out->value[i] = m->desc.n_control_values;
    for (size_t k = 0; k < values->n; k++) out->values[m->desc.n_control_values++] = values->v[k];
    for (int part = 0; part < 2 && network; part++)
        for (size_t k = 0; k < c->clock[part].n; k++) out->values[m->desc.n_control_values++] = c->clock[part].v[k];
    for (size_t k = 0; k < c->actuators.n; k++) {
        const int32_t channel = m->desc.n_channels++;
        out->of_actuator[pio_scene_find(c->actuators.v[k], s->actuation.actuators, s->actuation.n_actuators,
                                        sizeof *s->actuation.actuators)] = channel;
        out->channels[channel] = (pio_channel_desc){.signal = c->type, .amplitude = network ? c->limit.v[k] : 0};
        if (c->type == PIO_CONSTANT || c->type == PIO_SINE) out->channels[channel].amplitude = c->amplitude;
        if (c->type == PIO_SINE) {
            out->channels[channel].frequency = c->frequency;
            out->channels[channel].phase = c->phase;
        }
        if (!network && c->knots.n)
            out->knots[channel] = (pio_knots_desc){.first = out->value[i],
                                                   .count = (int32_t)c->knots.n,
                                                   .periodic = c->period > 0,
                                                   .span = c->period > 0 ? c->period : s->time.duration};
    }
}

piola_status pio_model_control(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    if (!s->actuation.n_actuators) return PIOLA_OK;
    piola_status rc = take(m, error);
    if (rc) return rc;
    parts *c = m->control;
    for (int64_t p = 0; p < pio_model_items(m, false); p++) c->channel[p] = -1;
    for (size_t i = 0; i < s->actuation.n_control; i++) set_signal(m, i);
    for (size_t a = 0; !rc && a < s->actuation.n_actuators; a++) rc = set_actuator(m, a, error);
    if (rc) return rc;
    pio_input_desc *inputs = c->inputs;
    for (size_t i = 0; !rc && i < s->actuation.n_control; i++) {
        if (s->actuation.control[i].type != PIO_NETWORK) continue;
        pio_network_desc *network = &c->networks[m->desc.n_networks++];
        rc = set_network(m, i, network, inputs, error);
        inputs += network->n_inputs;
    }
    if (rc) return rc;
    m->desc.channels = c->channels;
    m->desc.knots = c->knots;
    m->desc.control_values = c->values;
    m->desc.networks = c->networks;
    if (m->fem) {
        m->fem->desc.channel = c->channel;
        m->fem->desc.fibre = c->fibre;
    } else {
        m->desc.particles.channel = c->channel;
        m->desc.particles.fibre = c->fibre;
    }
    return PIOLA_OK;
}

piola_status pio_model_channel_weights(const pio_model *m, int observation, pio_observation_desc *d, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_strings *names = &s->goal.observe[observation].control;
    double *weight = calloc((size_t)m->desc.n_channels + 1, sizeof *weight);
    d->channel_weight = weight;
    if (!weight) return pio_fail_memory(error, (size_t)m->desc.n_channels * sizeof *weight, "an observation");
    for (size_t i = 0; i < s->actuation.n_control; i++) {
        bool counts = names->n == 0;
        for (size_t k = 0; k < names->n; k++) counts |= !strcmp(names->v[k], s->actuation.control[i].name);
        for (size_t k = 0; counts && k < s->actuation.control[i].actuators.n; k++)
            weight[m->control->first[i] + (int32_t)k] = 1;
    }
    return PIOLA_OK;
}

/* Returns the largest activation of an entry in the scene, Pa; a design may make it larger. */
static double largest_activation(const scene_control *c)
{
    double most = c->type == PIO_CONSTANT || c->type == PIO_SINE ? fabs(c->amplitude) : 0;
    for (size_t k = 0; k < c->knots.n; k++) most = fmax(most, fabs(c->knots.v[k]));
    for (size_t k = 0; k < c->limit.n; k++) most = fmax(most, c->limit.v[k]);
    return most;
}

void pio_model_control_advice(const pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    if (!error || !m->control || error->failure.kind != PIOLA_FAILED_TIME_STEP ||
        error->failure.of != PIOLA_FAILED_PARTICLE || error->failure.item >= m->desc.particles.n)
        return;
    const int32_t channel = m->control->channel[error->failure.item];
    for (size_t i = 0; i < s->actuation.n_control && channel >= 0; i++) {
        const scene_control *c = &s->actuation.control[i];
        if (channel < m->control->first[i] || channel >= m->control->first[i] + (int32_t)c->actuators.n) continue;
        const size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used,
                 "; control '%s' drives it, and its activations, up to %g Pa in the scene, add to the stiffness: "
                 "smaller ones allow longer steps",
                 c->name, largest_activation(c));
    }
}

int32_t pio_model_control_which(const pio_model *m, const scene_path *path)
{
    const size_t i = (size_t)path->index;
    return path->quantity == PIO_CONTROL_VALUES ? m->control->value[i] + path->component : m->control->first[i];
}
