/* model_vary.c -- values of a mesh that vary in space and time: programs for the engine, and the loads, constrained
 * unknowns, elements and nodes that have them. */
#include "host/base/fail.h"
#include "host/base/stop.h"
#include "host/model/model_fem.h"
#include "host/scene/design_path.h"
#include "solvers/engine/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs --------------------------------------------------------------------------------------------- */

static size_t count_of(const pio_scene *s)
{
    scene_vary v;
    size_t n = 0;
    while (pio_scene_vary(s, n, &v)) n++;
    return n;
}

static size_t rotations_of(const pio_scene *s)
{
    size_t n = 0;
    for (size_t b = 0; b < s->loading.n_boundary; b++) n += s->loading.boundary[b].type == SCENE_ROTATION;
    return n;
}

/* Returns whether a design changes constant number k, and sets its value: those of the scene, then an angle for each
 * boundary. */
static bool constant_of(const pio_scene *s, size_t k, double *value)
{
    const bool named = k < s->constants.n;
    const size_t index = named ? k : k - s->constants.n;
    *value = named ? s->constants.v[k].value : s->loading.boundary[index].angle;
    return pio_design_of(s, named ? SCENE_OWNER_CONSTANT : SCENE_OWNER_BOUNDARY, (int32_t)index, PIO_NAMED_CONSTANT);
}

/* Numbers the constants: those that designs change come first. */
static piola_status number_constants(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    const size_t n = s->constants.n + (rotations_of(s) ? s->loading.n_boundary : 0);
    int32_t next = 0;
    f->constant_number = calloc(n + 1, sizeof *f->constant_number);
    f->constants = calloc(n + 1, sizeof *f->constants);
    if (!f->constant_number || !f->constants) return pio_fail_memory(error, n * sizeof *f->constants, "constants");
    for (int designed = 1; designed >= 0; designed--) {
        for (size_t k = 0; k < n; k++) {
            double value;
            if (constant_of(s, k, &value) != (designed == 1)) continue;
            f->constants[next] = value;
            f->constant_number[k] = next++;
        }
        if (designed) f->desc.programs.n_designed = next;
    }
    f->desc.programs.n_constants = next;
    f->desc.programs.constants = f->constants;
    return PIOLA_OK;
}

/* Adds a compiled expression as the next program. */
static void add_program(pio_model_fem *f, const pio_expression *e)
{
    pio_program_desc *p = &f->desc.programs;
    const int32_t first = f->program_start[p->n];
    for (int k = 0; k < e->n; k++) {
        const int op = e->code[k] & 255, which = e->code[k] >> 8;
        f->program_code[first + k] = op == PIO_OP_NUMBER     ? op | (p->n_numbers + which) << 8
                                     : op == PIO_OP_CONSTANT ? op | f->constant_number[which] << 8
                                     : op == PIO_OP_LINEAR_TABLE || op == PIO_OP_NEAREST_TABLE
                                         ? op | f->table_at[which] << 8
                                     : op == PIO_OP_CURVE ? op | f->curve_at[which] << 8
                                                          : e->code[k];
    }
    memcpy(f->program_numbers + p->n_numbers, e->number, sizeof *e->number * (size_t)e->n_numbers);
    p->n_numbers += e->n_numbers;
    f->program_start[++p->n] = first + e->n;
}

/* Those of tables and, where they turn something, of curves. */
static size_t numbers_of_tables(const pio_model *m)
{
    const pio_scene *s = m->scene;
    const pio_fem_desc *d = &m->fem->desc;
    size_t n = 0;
    for (size_t k = 0; k < s->tables.n; k++) n += s->tables.v[k].n;
    return n + (rotations_of(s) ? 2 * (size_t)d->curve_start[d->n_curves] + (size_t)d->n_curves : 0);
}

/* Copies the curves, of each the number of points, their times and their values. */
static void copy_curves(pio_model_fem *f)
{
    double *at = f->program_numbers + f->desc.programs.n_numbers;
    for (int32_t c = 0; c < f->desc.n_curves; c++) {
        const int32_t first = f->curve_start[c], n = f->curve_start[c + 1] - first;
        f->curve_at[c] = (int32_t)(at - f->program_numbers);
        *at++ = n;
        memcpy(at, f->curve_t + first, sizeof *at * (size_t)n);
        memcpy(at + n, f->curve_value + first, sizeof *at * (size_t)n);
        at += 2 * n;
    }
    f->desc.programs.n_numbers = (int32_t)(at - f->program_numbers);
}

/* The numbers of tables come before those of programs. */
static void copy_tables(pio_model *m)
{
    pio_model_fem *f = m->fem;
    for (size_t k = 0; k < m->scene->tables.n; k++) {
        const scene_table *t = &m->scene->tables.v[k];
        f->table_at[k] = f->desc.programs.n_numbers;
        memcpy(f->program_numbers + f->table_at[k], t->numbers, sizeof *t->numbers * t->n);
        f->desc.programs.n_numbers += (int32_t)t->n;
    }
    if (rotations_of(m->scene)) copy_curves(f);
}

/* Adds the programs of a rotation, one for each axis, whose angle is number `index` of the boundaries: the expression
 * `own`, or NULL: a constant. Of a static scene a number follows the curve that raises loads. */
static piola_status add_rotation(pio_model *m, size_t index, const pio_expression *own, piola_error *error)
{
    const pio_scene *s = m->scene;
    const scene_boundary *b = &s->loading.boundary[index];
    pio_expression_rotation r = {.dimension = s->method.dimension, .curve = pio_model_curve(s, b->curve)};
    const double *k = b->axis, most = fmax(fabs(k[0]), fmax(fabs(k[1]), fabs(k[2]))); /* squares may be out of range */
    const double length = hypot(hypot(k[0] / most, k[1] / most), k[2] / most);
    const bool raised = s->fem.integrator == PIO_STATIC && !(own && own->in_time);
    r.angle = own ? *own : (pio_expression){.n = 1, .code = {PIO_OP_CONSTANT | (int32_t)(s->constants.n + index) << 8}};
    if (!b->curve && !raised) r.curve = -1;
    for (int c = 0; c < 3; c++) r.axis[c] = r.dimension == 3 ? k[c] / most / length : c == 2;
    for (int c = 0; c < r.dimension; c++) r.center[c] = b->center[c];
    for (int c = 0; c < r.dimension; c++) {
        pio_expression e;
        char path[48];
        snprintf(path, sizeof path, "boundary[%zu].angle", index);
        if (!pio_expression_rotate(&r, c, &e))
            return pio_scene_fault(s, error, path,
                                   "with its rotation the expression has more than %d operations; shorten it",
                                   PIO_PROGRAM_OPS);
        m->fem->program_of[m->fem->desc.programs.n] =
            (scene_vary){.kind = SCENE_VARY_ANGLE, .index = index, .component = 1 + (size_t)c};
        add_program(m->fem, &e);
    }
    return PIOLA_OK;
}

/* Adds the programs of all rotations, behind those of expressions. */
static piola_status add_rotations(pio_model *m, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (size_t b = 0; !rc && b < m->scene->loading.n_boundary; b++) {
        pio_expression own;
        pio_expression_fault fault;
        scene_vary v;
        bool varies = false;
        if (m->scene->loading.boundary[b].type != SCENE_ROTATION) continue;
        for (size_t i = 0; !varies && pio_scene_vary(m->scene, i, &v); i++)
            varies = v.kind == SCENE_VARY_ANGLE && v.index == b;
        if (varies && !pio_scene_vary_compile(m->scene, &v, &own, &fault))
            return pio_scene_fault(m->scene, error, v.path, "%s", fault.text);
        rc = add_rotation(m, b, varies ? &own : NULL, error);
    }
    return rc;
}

static piola_status make_programs(pio_model *m, size_t n, piola_error *error)
{
    pio_model_fem *f = m->fem;
    n += 3 * rotations_of(m->scene);
    f->program_start = calloc(n + 1, sizeof *f->program_start);
    f->program_of = calloc(n + 1, sizeof *f->program_of);
    f->program_code = calloc(n * PIO_PROGRAM_OPS + 1, sizeof *f->program_code);
    const size_t numbers = n * PIO_PROGRAM_OPS + numbers_of_tables(m);
    if (numbers >= (size_t)1 << 23) /* an operation has 23 bits for where its numbers are */
        return pio_scene_fault(m->scene, error, "tables", "the tables have %zu numbers; at most 2^23 are possible",
                               numbers);
    f->curve_at = calloc((size_t)f->desc.n_curves + 1, sizeof *f->curve_at);
    f->program_numbers = calloc(numbers + 1, sizeof *f->program_numbers);
    f->table_at = calloc(m->scene->tables.n + 1, sizeof *f->table_at);
    if (!f->program_start || !f->program_of || !f->program_code || !f->program_numbers || !f->table_at || !f->curve_at)
        return pio_fail_memory(error, numbers * sizeof *f->program_numbers, "expressions");
    copy_tables(m);
    scene_vary v;
    for (size_t i = 0; pio_scene_vary(m->scene, i, &v); i++) {
        pio_expression e;
        pio_expression_fault fault;
        if (!pio_scene_vary_compile(m->scene, &v, &e, &fault))
            return pio_scene_fault(m->scene, error, v.path, "%s", fault.text);
        f->program_of[f->desc.programs.n] = v;
        add_program(f, &e);
    }
    const piola_status rc = add_rotations(m, error);
    if (rc) return rc;
    f->desc.programs.start = f->program_start;
    f->desc.programs.code = f->program_code;
    f->desc.programs.numbers = f->program_numbers;
    return PIOLA_OK;
}

static bool in_time(const pio_program_desc *p, int32_t program)
{
    bool has = false;
    for (int32_t k = program < 0 ? 0 : p->start[program]; program >= 0 && k < p->start[program + 1]; k++)
        has |= (p->code[k] & 255) == PIO_OP_TIME || (p->code[k] & 255) == PIO_OP_CURVE;
    return has;
}

/* ---- what has them ---------------------------------------------------------------------------------------- */

/* Returns a value of an entry of the scene that has these numbers, with the programs of its expressions. */
static pio_vary_desc value_of(const pio_model *m, scene_vary_kind kind, size_t index, const double *numbers, int n)
{
    pio_vary_desc d = {.components = n};
    for (int c = 0; c < 3; c++) d.program[c] = -1;
    for (int c = 0; c < n; c++) d.number[c] = numbers[c];
    for (int32_t i = 0; i < m->fem->desc.programs.n; i++) {
        const scene_vary *v = &m->fem->program_of[i];
        if (v->kind == kind && v->index == index) d.program[v->component] = i;
    }
    for (int c = 0; c < n; c++) d.in_time |= in_time(&m->fem->desc.programs, d.program[c]);
    return d;
}

/* A load that has the time as a variable follows no curve that it does not name. */
static void add_loads(pio_model *m)
{
    pio_model_fem *f = m->fem;
    for (int32_t l = 0; l < f->desc.n_loads; l++) {
        const size_t number = (size_t)f->loads[l].value;
        const scene_load *own = &m->scene->loading.loads[number];
        if (!own->value_text) continue;
        pio_vary_desc *d = &f->varies[f->desc.n_varies++];
        *d = value_of(m, SCENE_VARY_LOAD, number, own->value.v, (int)own->value.n);
        d->quantity = PIO_LOAD;
        d->which = l;
        if (d->in_time && !own->curve) f->loads[l].curve = -1;
    }
}

/* Returns the program of a boundary's value number k along an axis, or -1. */
static int32_t program_of(const pio_model *m, size_t b, size_t k, int axis)
{
    const scene_boundary *own = &m->scene->loading.boundary[b];
    const bool turns = own->type == SCENE_ROTATION;
    const scene_vary_kind kind = turns ? SCENE_VARY_ANGLE : SCENE_VARY_BOUNDARY;
    int32_t program = -1;
    for (int32_t i = 0; i < m->fem->desc.programs.n; i++) {
        const scene_vary *v = &m->fem->program_of[i];
        if (v->kind == kind && v->index == b && v->component == (turns ? 1 + (size_t)axis : k)) program = i;
    }
    return program;
}

/* Gives each unknown of a boundary's value number k along an axis a support of its own. */
static piola_status add_support(pio_model *m, size_t b, size_t k, int axis, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const scene_boundary *own = &m->scene->loading.boundary[b];
    const int32_t old = f->support_first[b] + (int32_t)k;
    int32_t *items = malloc(sizeof *items * ((size_t)f->desc.n_constrained + 1)), n = 0;
    if (!items) return pio_fail_memory(error, sizeof *items * (size_t)f->desc.n_constrained, "supports");
    pio_vary_desc *d = &f->varies[f->desc.n_varies];
    *d = (pio_vary_desc){.quantity = PIO_SUPPORT, .components = 1, .which = f->desc.n_supports, .items = items};
    for (int c = 0; c < 3; c++) d->program[c] = c ? -1 : program_of(m, b, k, axis);
    d->in_time = in_time(&f->desc.programs, d->program[0]);
    for (int32_t h = 0; h < f->desc.n_constrained; h++) {
        if (f->constrained_support[h] != old || f->constrained_axis[h] != axis) continue;
        const int32_t support = f->desc.n_supports++;
        f->constrained_support[h] = support;
        f->support_value[support] = 0;
        f->support_curve[support] = d->in_time && !own->curve ? -1 : f->support_curve[old];
        f->support_boundary[support] = (int32_t)b;
        items[n++] = h;
    }
    d->n = n;
    if (n) f->desc.n_varies++;
    if (!n) free(items); /* nothing is constrained along this axis */
    if (!n) d->items = NULL;
    return pio_stop("setting up supports and loads", error);
}

static piola_status add_supports(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    const size_t most = (size_t)f->desc.n_supports + (size_t)f->desc.n_constrained + 1;
    double *value = realloc(f->support_value, sizeof *value * most);
    if (value) f->support_value = value;
    int32_t *curve = realloc(f->support_curve, sizeof *curve * most);
    if (curve) f->support_curve = curve;
    int32_t *boundary = realloc(f->support_boundary, sizeof *boundary * most);
    if (boundary) f->support_boundary = boundary;
    if (!value || !curve || !boundary) return pio_fail_memory(error, most * sizeof *value, "supports");
    piola_status rc = PIOLA_OK;
    for (size_t b = 0; b < s->loading.n_boundary; b++) {
        const size_t numbers = s->loading.boundary[b].type == SCENE_ROTATION ? 1 : s->loading.boundary[b].value.n;
        for (size_t k = 0; k < numbers; k++)
            for (int axis = 0; !rc && axis < s->method.dimension; axis++)
                if (program_of(m, b, k, axis) >= 0) rc = add_support(m, b, k, axis, error);
    }
    f->desc.support_value = f->support_value;
    f->desc.support_curve = f->support_curve;
    return rc;
}

/* The state at the start of the nodes of a body. */
static piola_status add_nodes(pio_model *m, size_t b, scene_vary_kind kind, piola_error *error)
{
    pio_model_fem *f = m->fem;
    const scene_body *body = &m->scene->matter.bodies[b];
    if (!pio_scene_varies(m->scene, kind, b)) return PIOLA_OK;
    pio_vary_desc *d = &f->varies[f->desc.n_varies++];
    *d = value_of(m, kind, b, kind == SCENE_VARY_VELOCITY ? body->velocity : body->displacement,
                  m->scene->method.dimension);
    d->quantity = kind == SCENE_VARY_VELOCITY ? PIO_VELOCITY : PIO_DISPLACED;
    return pio_model_vary_items(d, f->node_first[b], f->node_first[b + 1], error);
}

piola_status pio_model_vary(pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    pio_model_fem *f = m->fem;
    const size_t n = count_of(s);
    f->desc.plain_supports = f->desc.n_supports;
    if (n + rotations_of(s) == 0) return PIOLA_OK;
    const size_t most = (size_t)f->desc.n_loads + 9 * s->loading.n_boundary + 2 * s->matter.n_bodies +
                        (size_t)f->desc.n_blocks * (n + 2) + 1;
    f->varies = calloc(most, sizeof *f->varies);
    if (!f->varies) return pio_fail_memory(error, most * sizeof *f->varies, "values that vary");
    f->desc.varies = f->varies;
    piola_status rc = number_constants(m, error);
    if (!rc) rc = make_programs(m, n, error);
    if (rc) return rc;
    add_loads(m);
    rc = add_supports(m, error);
    for (size_t b = 0; !rc && b < s->matter.n_bodies; b++) {
        rc = add_nodes(m, b, SCENE_VARY_DISPLACEMENT, error);
        if (!rc) rc = add_nodes(m, b, SCENE_VARY_VELOCITY, error);
    }
    if (!rc) rc = pio_model_vary_elements(m, error);
    return rc ? rc : pio_model_vary_finite(m, error);
}

void pio_model_vary_free(pio_model_fem *f)
{
    for (int v = 0; f->varies && v < f->desc.n_varies; v++) free((void *)(uintptr_t)f->varies[v].items);
    free(f->varies);
    free(f->program_start);
    free(f->program_of);
    free(f->program_code);
    free(f->program_numbers);
    free(f->constants);
    free(f->constant_number);
    free(f->table_at);
    free(f->curve_at);
}
