/* state_fields.c -- see state_fields.h. */
#include "host/results/state_fields.h"

#include "host/results/adjoint_fields.h"
#include "host/results/stress_fields.h"
#include "host/scene/scene_query.h"

#include <stdlib.h>
#include <string.h>

/* What is listed for whom; without `to->field` the fields are counted. */
typedef struct {
    const pio_session *s;
    pio_state_fields *to;
    bool gradient, adjoint;
} lister;

static void add_field(lister *f, pio_snapshot_field field)
{
    if (f->to->field) f->to->field[f->to->n] = field;
    f->to->n++;
}

/* Adds a static field of integers, the number of the body or of the material. */
static void add_number(lister *f, const char *name, const char *meaning)
{
    add_field(f, (pio_snapshot_field){name, 1, "1", meaning, .when = PIO_SNAPSHOT_STATIC, .integer = true});
}

/* Makes the values of the last field belong to the cells of the mesh, if there is one. */
static void of_cells(lister *f)
{
    if (f->to->field && f->s->model->fem) f->to->field[f->to->n - 1].location = PIO_SNAPSHOT_CELL;
}

/* Adds the adjoint fields. */
static void list_adjoint(lister *f)
{
    pio_snapshot_field field;
    bool passed;
    for (int i = 0; pio_adjoint_field_of(f->s->scene, i, &field, &passed); i++) {
        if (f->to->field) f->to->passed[f->to->n] = passed;
        add_field(f, field);
    }
}

/* Returns how many numbers a particle has in a field. */
static int numbers_of(const char *name, int dimension)
{
    const bool matrix = !strcmp(name, "F") || !strcmp(name, "C");
    return matrix ? dimension * dimension : !strcmp(name, "velocity") ? dimension : 1;
}

/* Lists the frame fields of the scene, static numbers and adjoint fields, in this order. */
static void list_frame_fields(lister *f)
{
    static const struct {
        const char *name, *units, *meaning;
    } known[] = {{"velocity", "m/s", "velocity"},
                 {"J", "1", "volume ratio"},
                 {"F", "1", "deformation gradient, of plastic solids the elastic part"},
                 {"C", "1/s", "affine velocity matrix"},
                 {"mass", "kg", "mass"},
                 {"pressure", "Pa", "pressure, -tr(sigma)/dimension"},
                 {"hardening", "1", "equivalent plastic strain, opened volume of sand, or ln Jp of snow"},
                 {"e33", "1", "elastic Hencky strain out of the plane"}};
    const int dim = f->s->scene->method.dimension;
    const pio_session *s = f->s;
    const scene_strings *wanted = &s->scene->output.state_fields;
    if (s->model->fem) {
        const bool modal = s->scene->fem.integrator == PIO_MODAL;
        add_field(f, (pio_snapshot_field){"displacement", dim, "m",
                                          modal ? "shape phi of the mode, of such a size that phi^T M phi = 1 kg m^2"
                                                : "displacement from rest",
                                          .when = PIO_SNAPSHOT_FRAME});
        add_field(f, (pio_snapshot_field){"internal_force", dim, "N",
                                          modal ? "force of the material on its nodes, K phi of the mode"
                                                : "force of the material on its nodes",
                                          .when = PIO_SNAPSHOT_FRAME});
        if (s->scene->fem.integrator != PIO_STATIC && !modal)
            add_field(f, (pio_snapshot_field){"velocity", dim, "m/s", "velocity", .when = PIO_SNAPSHOT_FRAME});
    }
    pio_snapshot_field stress;
    for (int i = 0; s->model->fem && pio_stress_field_of(s->scene, i, &stress); i++) add_field(f, stress);
    for (size_t i = 0; i < wanted->n && !s->model->fem; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(known[k].name, wanted->v[i]))
                add_field(f, (pio_snapshot_field){known[k].name, numbers_of(known[k].name, dim), known[k].units,
                                                  known[k].meaning, .when = PIO_SNAPSHOT_FRAME});
    if (!s->model->fem && pio_scene_has_partial_bodies(s->scene))
        add_field(f, (pio_snapshot_field){"relative_density", 1, "1", "part of the particle's volume that is filled",
                                          .when = PIO_SNAPSHOT_FRAME});
    f->to->n_frame = f->to->n;
    add_number(f, "body", "number of the body");
    of_cells(f);
    add_number(f, "material", "number of the material");
    of_cells(f);
    for (int i = 0; s->model->fem && pio_integration_field_of(s->scene, i, &stress); i++) add_field(f, stress);
    if (f->adjoint) list_adjoint(f);
}

/* Adds the fields of the design that frames do not have. */
static void list_design(lister *f)
{
    pio_state_fields *to = f->to;
    pio_design_field first, *one;
    for (to->n_design = 0; pio_design_field_of(f->s, to->n_design, &first); to->n_design++) {
        one = to->field ? &to->design[to->n_design] : &first; /* the file's field has its name */
        *one = first;
        if (one->in_frames) continue;
        add_field(f, (pio_snapshot_field){one->name, 1, one->units, one->meaning, .when = PIO_SNAPSHOT_STATIC});
        of_cells(f);
    }
}

/* Lists these, the fields of the design and the gradient fields. */
static void list_fields(lister *f)
{
    pio_state_fields *to = f->to;
    pio_gradient_field first, *g;
    to->n = 0;
    list_frame_fields(f);
    if (!f->gradient) return;
    list_design(f);
    for (to->n_gradient = 0; pio_gradient_field_of(f->s, to->n_gradient, &first); to->n_gradient++) {
        g = to->field ? &to->gradient[to->n_gradient] : &first;
        *g = first;
        add_field(f, (pio_snapshot_field){g->name, g->components, g->units, g->meaning, .of = g->of,
                                          .when = PIO_SNAPSHOT_STATIC});
        if (!g->nodal) of_cells(f);
    }
}

bool pio_state_fields_create(pio_state_fields *to, const pio_session *s, bool gradient, bool adjoint)
{
    lister f = {s, to, gradient, adjoint};
    *to = (pio_state_fields){0};
    list_fields(&f);
    to->passed = calloc(to->n + 1, sizeof *to->passed);
    to->gradient = calloc((size_t)to->n_gradient + 1, sizeof *to->gradient);
    to->design = calloc((size_t)to->n_design + 1, sizeof *to->design);
    to->field = to->passed && to->gradient && to->design ? calloc(to->n + 1, sizeof *to->field) : NULL;
    if (to->field)
        list_fields(&f);
    else
        pio_state_fields_free(to);
    return to->field != NULL;
}

void pio_state_fields_free(pio_state_fields *of)
{
    free(of->field);
    free(of->passed);
    free(of->gradient);
    free(of->design);
    *of = (pio_state_fields){0};
}
