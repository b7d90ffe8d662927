/* fem_network.c -- networks that drive channels of control of a mesh.
 *
 * Forces in state s have the activations a_s. An explicit step reads them from the state with which it begins, whose
 * forces it needs; an implicit one, which ends where forces balance, holds those of its beginning throughout:
 *
 *     leapfrog    a_s = N(x_s, t_s)
 *     implicit    a_0 = N(x_0, 0),   a_(s+1) = N(x_s, t_s)
 *
 * so that no equation has the network in it, and the adjoint of a step needs one of the network. The activations of all
 * states stay in memory, n_channels numbers for each step: whatever needs the forces of a state finds them, parts of
 * a step that was divided and steps that are repeated too. Rates are (a_s - a_(s-1))/dt, and 0 in state 0. */
#include "solvers/fem/fem_network.h"

#include <math.h>
#include <stdlib.h>

piola_status fem_networks_check(const pio_engine_desc *desc, piola_error *error)
{
    const piola_status rc = sim_networks_accept(desc, error);
    if (rc || !desc->n_networks) return rc;
    if (desc->fem->integrator == PIO_STATIC)
        return sim_fail(error, PIOLA_BAD_DATA, "a network reads a motion; in a static run, a signal would be right");
    if (fem_on_lattice(desc->fem->integrator))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "networks are unknown to reversible integrators; leapfrog or backward_euler would be right");
    for (int i = 0; i < desc->n_networks; i++)
        for (int j = 0; j < desc->networks[i].n_inputs; j++) {
            const pio_input_desc *in = &desc->networks[i].inputs[j];
            if (!sim_input_is_mean(in->kind)) continue;
            if (!in->node_weight)
                return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: a mean over no nodes", i, j);
            for (int64_t n = 0; n < desc->fem->n; n++)
                if (!isfinite(in->node_weight[n]))
                    return sim_fail(error, PIOLA_BAD_DATA, "network %d, input %d: the weight %g of node %lld", i, j,
                                    in->node_weight[n], (long long)n);
        }
    return PIOLA_OK;
}

/* Returns the weights of an input of all, or NULL of a clock. */
static const double *weights_of(const pio_engine_desc *desc, int input)
{
    int i = 0;
    for (; input >= desc->networks[i].n_inputs; i++) input -= desc->networks[i].n_inputs;
    return desc->networks[i].inputs[input].node_weight;
}

int fem_networks_begin(fem_sim *f, const pio_engine_desc *desc)
{
    fem_sim_networks *n = &f->networks;
    const double *last = NULL;
    if (!sim_networks_begin(&n->all, desc)) return 0;
    if (!n->all.n_networks) return 1;
    n->host_set = calloc((size_t)n->all.n_inputs, sizeof *n->host_set);
    if (!n->host_set) return 0;
    for (int j = 0; j < n->all.n_inputs; j++) {
        const double *weight = weights_of(desc, j);
        n->n_sets += weight && weight != last;
        if (weight) last = weight;
        n->host_set[j] = weight ? n->n_sets - 1 : 0;
    }
    return 1;
}

void fem_networks_layout(fem_sim *f, const pio_engine_desc *desc)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_networks *n = &f->networks;
    const size_t channels = (size_t)f->control.n_channels;
    if (!n->all.n_networks) return;
    sim_networks_layout(&n->all, arena, f->base.adjoint);
    TAKE(arena, n->set, n->all.n_inputs);
    if (n->n_sets) TAKE(arena, n->weight, (size_t)n->n_sets * (size_t)f->mesh.nodes);
    TAKE(arena, n->past, (size_t)(desc->steps + 1) * channels);
    if (!f->base.adjoint) return;
    TAKE(arena, n->bar, channels);
    TAKE(arena, n->earlier_bar, channels);
}

void fem_networks_upload(fem_sim *f, const pio_engine_desc *desc)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_networks *n = &f->networks;
    if (!n->all.n_networks) return;
    sim_networks_upload(&n->all, q);
    pio_queue_upload(q, n->set, n->host_set, sizeof *n->set * (size_t)n->all.n_inputs);
    for (int j = 0, set = -1; j < n->all.n_inputs; j++) {
        const double *weight = weights_of(desc, j);
        if (!weight || n->host_set[j] == set) continue;
        set = n->host_set[j];
        pio_queue_upload(q, n->weight + (ptrdiff_t)set * f->mesh.nodes, weight, sizeof *weight * (size_t)f->mesh.nodes);
    }
}

void fem_networks_free(fem_sim *f)
{
    sim_networks_free(&f->networks.all);
    free(f->networks.host_set);
}

/* ---- evaluation ------------------------------------------------------------------------------------------------- */

static double *past_of(const fem_sim *f, int64_t state)
{
    return f->networks.past + state * f->control.n_channels;
}

/* clang-format off */
static control_network_args network_args(const fem_sim *f, double *activation)
{
    return (control_network_args){.of = sim_network_set(&f->networks.all, f->control.n_channels, f->control.parameters,
                                                        f->control.values),
                                  .t = f->stepping.dt * (double)f->base.index, .activation = activation};
}

static control_recall_args recall_args(const fem_sim *f, int64_t state)
{
    return (control_recall_args){.signal = f->control.signal, .now = past_of(f, state),
                                 .before = state > 0 ? past_of(f, state - 1) : NULL, .h = f->stepping.dt,
                                 .activation = f->control.activation, .rate = f->control.rate};
}

/* The units and means stay for an adjoint. */
static void evaluate(fem_sim *f, double *activation)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_networks *n = &f->networks;
    for (int j = 0; j < n->all.n_inputs; j++)
        if (sim_input_is_mean((pio_network_input)n->all.host_inputs[j].kind))
            pio_sum(q, fem_sense, f->mesh.nodes, NULL, n->all.means + j, .input = n->all.inputs + j,
                    .weight = n->weight + (ptrdiff_t)n->host_set[j] * f->mesh.nodes, .rest = f->mesh.rest,
                    .u = f->state.u, .v = fem_state(f, f->state.u, STATE_V));
    const control_network_args a = network_args(f, activation);
    pio_map_with(q, control_network, n->all.n_networks, NULL, &a);
}

void fem_networks_evaluate(fem_sim *f, int64_t state)
{
    if (f->networks.all.n_networks) evaluate(f, past_of(f, state));
}

void fem_networks_recall(fem_sim *f, int64_t state)
{
    if (!f->networks.all.n_networks) return;
    f->networks.recalled = state;
    const control_recall_args a = recall_args(f, state);
    pio_map_with(&f->base.queue, control_recall, f->control.n_channels, NULL, &a);
}

/* ---- adjoint ---------------------------------------------------------------------------------------------------- */

void fem_networks_recall_adj(fem_sim *f)
{
    if (!f->networks.all.n_networks) return;
    pio_map(&f->base.queue, control_recall_adj, f->control.n_channels, NULL,
            .fwd = recall_args(f, f->networks.recalled), .activation_bar = f->control.activation_bar,
            .rate_bar = f->control.rate_bar, .now_bar = f->networks.bar, .before_bar = f->networks.earlier_bar);
}

void fem_networks_evaluate_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_networks *n = &f->networks;
    if (!n->all.n_networks) return;
    evaluate(f, past_of(f, f->base.index + !fem_leaps(f))); /* the same bits again, for the units */
    pio_map(q, control_network_adj, n->all.n_networks, NULL, .fwd = network_args(f, NULL), .activation_bar = n->bar,
            .bar = sim_network_set_bar(&n->all, f->control.parameters_bar, f->control.values_bar));
    pio_map(q, fem_sense_adj, f->mesh.nodes, NULL, .nodes = f->mesh.nodes, .inputs = n->all.n_inputs,
            .input = n->all.inputs, .set = n->set, .weight = n->weight, .means_bar = n->all.means_bar,
            .rest_bar = f->mesh.rest_bar, .u_bar = f->adjoint.u_bar,
            .v_bar = fem_state(f, f->adjoint.u_bar, STATE_V));
    pio_queue_zero(q, n->bar, sizeof *n->bar * (size_t)f->control.n_channels);
}

void fem_networks_go_back(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_networks *n = &f->networks;
    const size_t bytes = sizeof *n->bar * (size_t)f->control.n_channels;
    if (!n->all.n_networks) return;
    pio_queue_copy(q, n->bar, n->earlier_bar, bytes);
    pio_queue_zero(q, n->earlier_bar, bytes);
}

void fem_networks_adj_begin(fem_sim *f)
{
    const fem_sim_networks *n = &f->networks;
    const size_t bytes = sizeof *n->bar * (size_t)f->control.n_channels;
    if (!n->all.n_networks) return;
    pio_queue_zero(&f->base.queue, n->bar, bytes);
    pio_queue_zero(&f->base.queue, n->earlier_bar, bytes);
}
/* clang-format on */
