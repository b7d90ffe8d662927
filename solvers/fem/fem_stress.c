/* fem_stress.c -- fields of stress and strain of the current state (kernels/fem/fem_stress.h), by name. They are no
 * part of the state: each is computed when it is read. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREE = 3 };

static const char *const names[PIO_STRESS_FIELDS] = {[PIO_CAUCHY_STRESS] = "cauchy_stress",
                                                     [PIO_GREEN_STRAIN] = "green_strain",
                                                     [PIO_VON_MISES_STRESS] = "von_mises",
                                                     [PIO_VOLUME_RATIO] = "J",
                                                     [PIO_ENERGY_DENSITY] = "energy_density"};
/* Fields of integration points that do not change: element_points is not computed by a kernel. */
enum { POINT_ELEMENT = PIO_POINT_VOLUME + 1 };
static const struct {
    const char *name;
    int field;
} of_points[] = {{"rest_position_points", PIO_POINT_POSITION},
                 {"volume_points", PIO_POINT_VOLUME},
                 {"element_points", POINT_ELEMENT}};
static const struct {
    pio_stress_place place;
    const char *ending;
} places[] = {{PIO_STRESS_AT_ELEMENTS, ""}, {PIO_STRESS_AT_NODES, "_nodal"}, {PIO_STRESS_AT_POINTS, "_points"}};

/* Numbers of a field that are stored. */
static int stored(int field)
{
    return field <= PIO_GREEN_STRAIN ? FEM_TENSOR : field == PIO_POINT_POSITION ? DIM : 1;
}

int fem_stress_begin(fem_sim *f, const pio_fem_desc *m)
{
    int64_t points = 0;
    f->stress.places = f->setup.start_only ? 0 : m->stress_places;
    for (int b = 0; b < f->mesh.n_blocks && f->stress.places & PIO_STRESS_AT_POINTS; b++)
        points += (int64_t)f->mesh.block[b].n * fem_points_of(RULE_STIFFNESS, f->mesh.block[b].type);
    f->stress.points = (int)points;
    return points <= PIO_MOST_ITEMS;
}

int fem_most_items(const fem_sim *f)
{
    const int most = f->mesh.nodes > f->mesh.elements ? f->mesh.nodes : f->mesh.elements;
    return most > f->stress.points ? most : f->stress.points;
}

piola_status fem_stress_upload(fem_sim *f, piola_error *error)
{
    if (!f->stress.element) return PIOLA_OK;
    const size_t bytes = sizeof(int) * (size_t)f->mesh.element_dofs;
    int *element = malloc(bytes + 1), *at = element;
    if (!element) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d elements", f->mesh.elements);
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        for (int i = 0; i < p->n; i++)
            for (int a = 0; a < fem_nodes_of(p->type); a++) *at++ = p->first + i;
    pio_queue_upload(&f->base.queue, f->stress.element, element, bytes);
    free(element);
    return PIOLA_OK;
}

int fem_stress_find(const fem_sim *f, const char *name, fem_stress_view *out)
{
    for (int k = 0; k < PIO_STRESS_FIELDS; k++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            const size_t length = strlen(names[k]);
            if (!(f->stress.places & (int)places[p].place)) continue;
            if (strncmp(name, names[k], length) != 0 || strcmp(name + length, places[p].ending) != 0) continue;
            const int items = places[p].place == PIO_STRESS_AT_NODES    ? f->mesh.nodes
                              : places[p].place == PIO_STRESS_AT_POINTS ? f->stress.points
                                                                        : f->mesh.elements;
            *out = (fem_stress_view){k, places[p].place, stored(k) > 1 ? THREE * THREE : 1, items, NULL};
            return 1;
        }
    for (size_t k = 0; k < sizeof of_points / sizeof *of_points; k++)
        if (f->stress.places & PIO_STRESS_AT_POINTS && !strcmp(name, of_points[k].name)) {
            const int field = of_points[k].field;
            *out = (fem_stress_view){field, PIO_STRESS_AT_POINTS, stored(field), f->stress.points, NULL};
            return 1;
        }
    return 0;
}

int fem_stress_name(const fem_sim *f, int i, char name[64])
{
    enum { PLACES = sizeof places / sizeof *places, OF_POINTS = sizeof of_points / sizeof *of_points };
    for (int k = 0; k < PIO_STRESS_FIELDS * PLACES + OF_POINTS; k++) {
        const int point = k - PIO_STRESS_FIELDS * PLACES, p = k % PLACES;
        fem_stress_view unused;
        snprintf(name, 64, "%s%s", point < 0 ? names[k / PLACES] : of_points[point].name,
                 point < 0 ? places[p].ending : "");
        if (fem_stress_find(f, name, &unused) && i-- == 0) return 1;
    }
    return 0;
}

/* Sets the element of each integration point. */
static void read_elements(const pio_sim *sim, double *values)
{
    const fem_sim *f = (const fem_sim *)sim;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        for (int i = 0; i < p->n; i++)
            for (int q = 0; q < fem_points_of(RULE_STIFFNESS, p->type); q++) *values++ = p->first + i;
}

/* clang-format off */
/* Computes the field at its place; returns where it is. */
static const real *compute(fem_sim *f, const fem_stress_view *v)
{
    pio_queue *q = &f->base.queue;
    int first = 0;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        pio_map(q, fem_stress, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .form = f->materials.parameter_form,
                .u = f->state.u, .field = v->field, .components = stored(v->field), .first_point = first,
                .points = f->stress.points, .mean = f->stress.mean, .volume = f->stress.volume,
                .at = v->place == PIO_STRESS_AT_POINTS ? f->stress.at : NULL);
        first += p->n * fem_points_of(RULE_STIFFNESS, p->type);
    }
    if (v->place == PIO_STRESS_AT_POINTS) return f->stress.at;
    if (v->place == PIO_STRESS_AT_ELEMENTS) return f->stress.mean;
    pio_map(q, fem_stress_node, f->mesh.nodes, NULL,
            .nodes = f->mesh.nodes, .elements = f->mesh.elements, .components = stored(v->field),
            .start = f->mesh.dof_start, .element_node = f->mesh.dof_list, .element = f->stress.element,
            .mean = f->stress.mean, .volume = f->stress.volume, .out = f->stress.node);
    return f->stress.node;
}
/* clang-format on */

/* Component c of a field, of which a tensor is stored as xx, yy, zz, xy, yz, xz. */
static const int stored_of[THREE * THREE] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
static const int same[THREE * THREE] = {0, 1, 2, 1, 4, 5, 2, 5, 8};

static void component(pio_sim *sim, const void *of, int c, double *out, int stride)
{
    const fem_stress_view *v = of;
    const int n = stored(v->field);
    pio_map(&sim->queue, field_read, v->items, NULL, .in = v->in, .n = v->items, .components = n,
            .component = n == FEM_TENSOR ? stored_of[c] : c, .scale = 1, .stride = stride, .out = out);
}

void fem_stress_compute(fem_sim *f, fem_stress_view *v, sim_field *out)
{
    *out = (sim_field){.items = v->items, .components = v->components, .of = v, .component = component};
    if (stored(v->field) == FEM_TENSOR) out->same = same;
    if (v->field == POINT_ELEMENT)
        out->of_host = read_elements;
    else
        v->in = compute(f, v);
}
