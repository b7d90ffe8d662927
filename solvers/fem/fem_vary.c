/* fem_vary.c -- values that vary in space and time (kernels/fem/fem_vary.h): of loads at their integration points, of
 * constrained unknowns, of elements and of nodes. Those without the time are set once, when the design is applied;
 * the others whenever the time is set. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_vary.h"

#include <stdlib.h>

/* ---- setting up ------------------------------------------------------------------------------------------- */

/* Why these values cannot vary, or NULL. */
static const char *fault_of(const pio_fem_desc *m, const pio_vary_desc *d)
{
    const int load = d->quantity == PIO_LOAD, support = d->quantity == PIO_SUPPORT;
    if (d->components < 1 || d->components > 3) return "a value has one to three numbers";
    for (int c = 0; c < d->components; c++)
        if (d->program[c] >= m->programs.n) return "there is no such program";
    if (load && (d->which < 0 || d->which >= m->n_loads)) return "there is no such load";
    if (load && (m->loads[d->which].total || m->loads[d->which].moment || m->loads[d->which].kind == PIO_SPRINGS ||
                 m->loads[d->which].kind == PIO_FOUNDATION))
        return "total forces, moments and springs are the same everywhere";
    if (support && (d->which < m->plain_supports || d->which + d->n > m->n_supports)) return "there is no such support";
    if (!load && !support && d->in_time) return "loads and supports alone vary in time";
    return NULL;
}

piola_status fem_vary_check(const pio_fem_desc *m, piola_error *error)
{
    const pio_program_desc *p = &m->programs;
    for (int i = 0; m->n_varies && i < p->n; i++)
        if (p->start[i + 1] <= p->start[i] || p->start[i + 1] - p->start[i] > PIO_PROGRAM_OPS)
            return sim_fail(error, PIOLA_BAD_DATA, "program %d: a program has from 1 to %d operations", i,
                            PIO_PROGRAM_OPS);
    if (m->n_varies && (p->n_designed > 64 || p->n_designed > p->n_constants))
        return sim_fail(error, PIOLA_BAD_DATA, "%d designed constants: at most 64 are possible", p->n_designed);
    for (int v = 0; v < m->n_varies; v++) {
        const char *fault = fault_of(m, &m->varies[v]);
        if (fault) return sim_fail(error, PIOLA_BAD_DATA, "value %d that varies: %s", v, fault);
    }
    return PIOLA_OK;
}

/* Bits of the designed constants that the programs of a value have. */
static uint64_t constants_of(const pio_program_desc *p, const pio_vary_desc *d)
{
    uint64_t bits = 0;
    for (int c = 0; c < d->components; c++)
        for (int k = d->program[c] < 0 ? 0 : p->start[d->program[c]];
             d->program[c] >= 0 && k < p->start[d->program[c] + 1]; k++)
            if ((p->code[k] & 255) == PIO_OP_CONSTANT && p->code[k] >> 8 < p->n_designed)
                bits |= UINT64_C(1) << (p->code[k] >> 8);
    return bits;
}

int fem_vary_begin(fem_sim *f, const pio_fem_desc *m)
{
    f->varies.list = calloc((size_t)m->n_varies + 1, sizeof *f->varies.list);
    if (!f->varies.list) return 0;
    f->varies.n = m->n_varies;
    f->varies.n_programs = m->programs.n;
    f->varies.n_constants = m->programs.n_constants;
    f->varies.designed = m->programs.n_designed;
    for (int i = 0; i < m->n_varies; i++) {
        fem_varying *v = &f->varies.list[i];
        *v = (fem_varying){.desc = m->varies[i], .n = m->varies[i].n, .points = 1};
        v->constants = constants_of(&m->programs, &v->desc);
        f->varies.in_time |= v->desc.in_time;
        f->varies.supports_in_time |= v->desc.in_time && fem_varies_support(v);
        if (fem_varies_load(v)) {
            fem_load *l = &f->loads.load[v->desc.which];
            l->varies = v;
            v->n = l->desc.n;
            v->points = fem_points_of(RULE_MASS, l->desc.type);
        }
        for (int p = 0; p < f->mesh.n_blocks; p++)
            if (!fem_varies_load(v) && v->n > 0 && f->mesh.block[p].first <= m->varies[i].items[0]) v->block = p;
    }
    return 1;
}

static int indexed(const fem_sim *f, const fem_varying *v)
{
    return fem_varies_support(v) ? f->supports.n_constrained : fem_varies_nodes(v) ? f->mesh.nodes : f->mesh.elements;
}

void fem_vary_layout(fem_sim *f, const pio_fem_desc *m)
{
    pio_arena *arena = &f->base.arena;
    size_t most = 0;
    int *start, *code;
    double *number;
    if (!f->varies.n && !f->varies.designed) return;
    TAKE(arena, start, m->programs.n + 1);
    TAKE(arena, code, m->programs.start[m->programs.n]);
    TAKE(arena, number, m->programs.n_numbers);
    TAKE(arena, f->varies.constant, f->varies.n_constants);
    f->varies.programs = (expression_programs){start, code, number, f->varies.constant};
    for (fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++) {
        const size_t values = (size_t)v->n * (size_t)v->points * (size_t)v->desc.components;
        TAKE(arena, v->value, values);
        if (f->base.adjoint) TAKE(arena, v->value_bar, values);
        if ((size_t)v->n > most) most = (size_t)v->n;
        if (fem_varies_load(v)) continue;
        TAKE(arena, v->item, v->n);
        TAKE(arena, v->index, indexed(f, v));
    }
    if (f->base.adjoint) TAKE(arena, f->varies.constant_bar, f->varies.designed);
    if (f->base.adjoint) TAKE(arena, f->varies.contribution, most * (size_t)f->varies.designed);
    if (!f->varies.supports_in_time || f->motion.integrator == PIO_STATIC) return;
    TAKE(arena, f->supports.earlier_value, f->supports.n_supports);
    if (f->base.adjoint) TAKE(arena, f->supports.later_contribution, f->supports.n_constrained);
}

#define UPLOAD(target, source, count) pio_queue_upload(q, target, source, sizeof *(source) * (size_t)(count))

static piola_status upload_items(fem_sim *f, const fem_varying *v, const pio_fem_desc *m, const int32_t *items,
                                 piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const int n = indexed(f, v);
    int *index = malloc(sizeof *index * ((size_t)n + 1)), *item = malloc(sizeof *item * ((size_t)v->n + 1));
    piola_status rc = PIOLA_OK;
    if (!index || !item) rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d values", n);
    for (int i = 0; !rc && i < n; i++) index[i] = -1;
    for (int k = 0; !rc && k < v->n; k++) {
        index[items[k]] = k;
        item[k] = fem_varies_support(v) ? m->constrained_node[items[k]] : items[k];
    }
    if (!rc && n) UPLOAD(v->index, index, n);
    if (!rc && v->n) UPLOAD(v->item, item, v->n);
    free(index);
    free(item);
    return rc;
}

piola_status fem_vary_upload(fem_sim *f, const pio_fem_desc *m, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const pio_program_desc *p = &m->programs;
    piola_status rc = PIOLA_OK;
    if (!f->varies.n && !f->varies.designed) return PIOLA_OK;
    UPLOAD((int *)(uintptr_t)f->varies.programs.start, p->start, p->n + 1);
    UPLOAD((int *)(uintptr_t)f->varies.programs.code, p->code, p->start[p->n]);
    if (p->n_numbers) UPLOAD((double *)(uintptr_t)f->varies.programs.number, p->numbers, p->n_numbers);
    if (p->n_constants) UPLOAD(f->varies.constant, p->constants, p->n_constants);
    for (int i = 0; !rc && i < f->varies.n; i++)
        if (!fem_varies_load(&f->varies.list[i]))
            rc = upload_items(f, &f->varies.list[i], m, m->varies[i].items, error);
    return rc;
}

/* Sets the quantity of elements or nodes to the values. */
static void apply(fem_sim *f, const fem_varying *v)
{
    pio_queue *q = &f->base.queue;
    if (fem_varies_nodes(v)) {
        const fem_node_target t = fem_node_target_of(f, v->desc.quantity);
        const fem_rest_args a = {
            .components = DIM, .index = v->index, .value = v->value, .reference = t.reference, .rest = t.out};
        pio_map_with(q, fem_rest, f->mesh.nodes, NULL, &a);
        return;
    }
    const fem_element_target t = fem_element_target_of(f, v->desc.quantity);
    pio_map(q, design_set, f->mesh.elements, NULL, .n = f->mesh.elements, .components = 1, .index = v->index,
            .value = v->value, .out = t.out, .stored = t.components, .first = t.component);
}

void fem_vary_apply(fem_sim *f)
{
    f->varies.set = 0;
    for (const fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++) {
        if (!v->desc.in_time) fem_vary_set(f, v);
        if (!fem_varies_load(v) && !fem_varies_support(v)) apply(f, v);
    }
}

void fem_vary_apply_adj(fem_sim *f)
{
    pio_queue *q = &f->base.queue;
    for (const fem_varying *v = f->varies.list; v < f->varies.list + f->varies.n; v++) {
        if (fem_varies_load(v) || fem_varies_support(v)) continue;
        if (fem_varies_nodes(v)) {
            pio_map(q, fem_rest_each, f->mesh.nodes, NULL, .components = DIM, .index = v->index,
                    .bar = fem_node_target_of(f, v->desc.quantity).bar, .value_bar = v->value_bar);
            fem_vary_values_adj(f, v, -1, f->mesh.rest_bar);
            continue;
        }
        const fem_element_target t = fem_element_target_of(f, v->desc.quantity);
        pio_map(q, design_each, f->mesh.elements, NULL, .n = f->mesh.elements, .components = 1, .index = v->index,
                .bar = t.bar, .value_bar = v->value_bar, .stored = t.components, .first = t.component);
        pio_queue_zero(q, f->mesh.dof_rest, sizeof *f->mesh.dof_rest * DIM * (size_t)f->mesh.element_dofs);
        fem_vary_values_adj(f, v, f->mesh.block[v->block].first_element_node, f->mesh.dof_rest);
        fem_add_element_dofs(f, f->mesh.dof_rest, f->mesh.rest_bar);
    }
}
