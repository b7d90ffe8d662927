/* fem_observe_field.c -- fields of stress and strain (kernels/fem/fem_probe.h) as observations: at a point, and over
 * elements as mean, largest value or norm. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_observe.h"

/* In observe.sums: those of the numbers of a field and of the volume, and their cotangents. */
enum { SUMS, SUMS_BAR = PROBE_NUMBERS + 1, ALL_SUMS = 2 * SUMS_BAR };
/* In observe.found. */
enum { KEY, ELEMENT, FOUND };

static const pio_stress_field fields[] = {
    PIO_CAUCHY_STRESS,    PIO_GREEN_STRAIN, PIO_VON_MISES_STRESS,       PIO_VOLUME_RATIO, PIO_ENERGY_DENSITY,
    PIO_PRINCIPAL_STRESS, PIO_ROTATION,     PIO_RELATIVE_DENSITY_FIELD, PIO_GREYNESS,     PIO_OWN_FRACTION};

int fem_of_fields(pio_observable type)
{
    return type >= PIO_OF_CAUCHY_STRESS;
}

const fem_element_block *fem_block_with(const fem_sim *f, int element)
{
    const fem_element_block *p = f->mesh.block + f->mesh.n_blocks - 1;
    while (p->first > element) p--;
    return p;
}

/* The field in the elements of a block. */
static fem_probe_at elements_of(const fem_sim *f, const fem_observation *o, const fem_element_block *p)
{
    const fem_block b = fem_block_of(f, p, RULE_STIFFNESS);
    return (fem_probe_at){.b = b,
                          .m = fem_matter_of(f),
                          .form = f->materials.parameter_form,
                          .u = f->state.u,
                          .field = fields[o->desc.type - PIO_OF_CAUCHY_STRESS],
                          .at = b.rule,
                          .weight = o->element_weight};
}

/* The field at the observed point of element k of those that have it: a block of one element and a rule of one
 * point. */
static fem_probe_at point_of(const fem_sim *f, const fem_observation *o, int k)
{
    const fem_element_block *p = fem_block_with(f, o->place.element[k]);
    fem_probe_at s = elements_of(f, o, p);
    const int i = o->place.element[k] - p->first, nodes = s.b.rule.nodes;
    s.b.n = 1;
    s.b.first += i;
    s.b.first_element_node += i * nodes;
    s.b.node += (ptrdiff_t)i * nodes;
    s.at.points = 1;
    s.at.w = o->place.w + k;
    s.at.N = o->place.N + (ptrdiff_t)k * ELEMENT_NODES;
    s.at.dN = o->place.dN + (ptrdiff_t)k * ELEMENT_NODES * DIM;
    s.xi = o->place.xi + 3 * (ptrdiff_t)k;
    s.weight = NULL;
    return s;
}

/* p of a norm, else 0. */
static double power_of(const fem_observation *o)
{
    return !o->desc.places && o->desc.measure == PIO_PNORM ? o->desc.power : 0;
}

/* clang-format off */
/* total += weight times the sum of a number of the field, or of the volume (-1), over a block */
static void add_sum(fem_sim *f, const fem_observation *o, const fem_probe_at *s, int component, double weight,
                    wide *total)
{
    pio_queue *q = &f->base.queue;
    pio_sum(q, fem_probe, s->b.n, NULL, f->base.scalar,
            .s = *s, .component = component, .power = power_of(o), .size = o->desc.size);
    pio_map(q, fem_observe_add, 1, NULL, .sum = f->base.scalar, .weight = weight, .sample = total);
}

static void add_sums(fem_sim *f, const fem_observation *o)
{
    const int count = o->desc.components;
    pio_queue_zero(&f->base.queue, f->observe.sums, ALL_SUMS * sizeof *f->observe.sums);
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        const fem_probe_at s = elements_of(f, o, p);
        for (int c = 0; c <= count; c++) add_sum(f, o, &s, c < count ? c : -1, 1, f->observe.sums + SUMS + c);
    }
}

/* Finds the largest value of a number of the field. */
static void find_top(fem_sim *f, const fem_observation *o, int component)
{
    static const uint64_t none[FOUND] = {UINT64_MAX, UINT64_MAX};
    pio_queue *q = &f->base.queue;
    fem_sim_observe *x = &f->observe;
    pio_queue_upload(q, x->found, none, sizeof none);
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_probe_top, p->n, NULL,
                .s = elements_of(f, o, p), .component = component, .top = x->top, .best = x->best,
                .key = x->found + KEY);
    pio_map(q, fem_probe_which, f->mesh.elements, NULL,
            .weight = o->element_weight, .top = x->top, .key = x->found + KEY, .which = x->found + ELEMENT);
}

static fem_probe_mean_args mean_of(const fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    return (fem_probe_mean_args){.count = o->desc.components, .sums = f->observe.sums + SUMS, .power = power_of(o),
                                 .size = o->desc.size, .weight = t->weight};
}

void fem_observe_field(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    pio_queue *q = &f->base.queue;
    const int count = o->desc.components, places = o->desc.places;
    wide *sample = f->base.samples + o->first + t->sample * count;
    for (int k = 0; k < places; k++) {
        const fem_probe_at s = point_of(f, o, k);
        for (int c = 0; c < count; c++) add_sum(f, o, &s, c, t->weight / places, sample + c);
    }
    if (places) return;
    if (o->desc.measure == PIO_MAXIMUM) {
        for (int c = 0; c < count; c++) {
            find_top(f, o, c);
            pio_map(q, fem_probe_top_add, 1, NULL,
                    .top = f->observe.top, .which = f->observe.found + ELEMENT, .weight = t->weight,
                    .sample = sample + c);
        }
        return;
    }
    add_sums(f, o);
    const fem_probe_mean_args a = mean_of(f, o, t);
    pio_map(q, fem_probe_mean, 1, NULL,
            .count = a.count, .sums = a.sums, .power = a.power, .size = a.size, .weight = a.weight, .sample = sample);
}

/* The adjoint of sums over the elements of s of `count` numbers of the field from `first` on. */
static fem_probe_adj_args adjoint_of(fem_sim *f, const fem_observation *o, const fem_probe_at *s, int first, int count)
{
    return (fem_probe_adj_args){.fwd = {.s = *s, .power = power_of(o), .size = o->desc.size},
                                .first = first, .count = count, .scale = 1,
                                .u_bar = f->mesh.dof_out, .rest_bar = f->mesh.dof_rest, .k_bar = f->materials.k_bar,
                                .heat_bar = f->materials.heat_bar, .relative_bar = f->materials.relative_bar,
                                .choice_bar = f->materials.choice_bar,
                                .thick_bar = f->materials.has_thickness ? f->materials.thickness_bar : NULL};
}

static void point_adj(fem_sim *f, const fem_observation *o, double weight, const wide *sample_bar)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.element_dofs;
    pio_queue_zero(q, f->mesh.dof_out, bytes);
    pio_queue_zero(q, f->mesh.dof_rest, bytes);
    for (int k = 0; k < o->desc.places; k++) {
        const fem_probe_at s = point_of(f, o, k);
        fem_probe_adj_args b = adjoint_of(f, o, &s, 0, o->desc.components);
        b.sums_bar = sample_bar;
        b.scale = weight / o->desc.places;
        pio_map_with(q, fem_probe_adj, 1, NULL, &b);
    }
    fem_add_observed(f);
}

/* The adjoint over the elements of all blocks; of the largest value, of the one point where it is. */
static void elements_adj(fem_sim *f, const fem_observation *o, int first, int count, double scale, const wide *bar)
{
    const int largest = o->desc.measure == PIO_MAXIMUM;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        const fem_probe_at s = elements_of(f, o, p);
        fem_probe_adj_args b = adjoint_of(f, o, &s, first, count);
        b.sums_bar = bar;
        b.scale = scale;
        b.which = largest ? f->observe.found + ELEMENT : NULL;
        b.best = f->observe.best;
        pio_map_with(&f->base.queue, fem_probe_adj, p->n, NULL, &b);
    }
    fem_add_observed(f);
}

void fem_observe_field_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t)
{
    const int count = o->desc.components;
    const wide *sample_bar = f->base.samples_bar + o->first + t->sample * count;
    if (o->desc.places) {
        point_adj(f, o, t->weight, sample_bar);
        return;
    }
    for (int c = 0; c < count && o->desc.measure == PIO_MAXIMUM; c++) {
        find_top(f, o, c);
        elements_adj(f, o, c, 1, t->weight, sample_bar + c);
    }
    if (o->desc.measure == PIO_MAXIMUM) return;
    add_sums(f, o);
    pio_map(&f->base.queue, fem_probe_mean_adj, 1, NULL,
            .fwd = mean_of(f, o, t), .sample_bar = sample_bar, .sums_bar = f->observe.sums + SUMS_BAR);
    elements_adj(f, o, 0, count, 1, f->observe.sums + SUMS_BAR);
}
/* clang-format on */
