/* identity.c -- see identity.h. */
#include "host/results/identity.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/results/manifest.h"

#include <gnu/libc-version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Continues the FNV-1a hash h over `size` bytes; `data` may be NULL. */
static uint64_t hash_more(uint64_t h, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t b = 0; bytes && b < size; b++) h = (h ^ bytes[b]) * 0x100000001b3ULL;
    return h;
}

/* Continues a hash over the mesh, which a file may change while the scene's text stays the same. */
static uint64_t mesh_hash(uint64_t h, const pio_fem_desc *d, size_t dim)
{
    size_t elements = 0;
    h = hash_more(h, d->rest, sizeof(double) * dim * (size_t)d->n);
    for (int b = 0; b < d->n_blocks; b++) {
        const size_t nodes = (size_t)pio_elements[d->blocks[b].type].nodes;
        elements += (size_t)d->blocks[b].n;
        h = hash_more(h, d->blocks[b].nodes, sizeof(int32_t) * nodes * (size_t)d->blocks[b].n);
    }
    h = hash_more(h, d->law_parameters, sizeof(double) * PIO_LAW_CONSTANTS * elements);
    h = hash_more(h, d->law, sizeof(int32_t) * elements);
    h = hash_more(h, d->density, sizeof(double) * elements);
    h = hash_more(h, d->thickness, sizeof(double) * elements);
    h = hash_more(h, d->relative_density, sizeof(double) * elements);
    h = hash_more(h, d->choice, sizeof(double) * elements);
    h = hash_more(h, d->expansion, sizeof(double) * elements);
    h = hash_more(h, d->temperature, sizeof(double) * elements);
    h = hash_more(h, d->programs.numbers, sizeof(double) * (size_t)d->programs.n_numbers); /* of tables, too */
    h = hash_more(h, d->constrained_node, sizeof(int32_t) * (size_t)d->n_constrained);
    h = hash_more(h, d->constrained_axis, sizeof(int32_t) * (size_t)d->n_constrained);
    h = hash_more(h, d->constrained_support, sizeof(int32_t) * (size_t)d->n_constrained);
    for (int l = 0; l < d->n_loads; l++) {
        h = hash_more(h, d->loads[l].vertices,
                      sizeof(int32_t) * (size_t)d->loads[l].n * (size_t)pio_elements[d->loads[l].type].nodes);
        h = hash_more(h, d->loads[l].owner, sizeof(int32_t) * (size_t)d->loads[l].n);
    }
    h = hash_more(h, d->ties.node, sizeof(int32_t) * (size_t)d->ties.n);
    h = hash_more(h, d->ties.start, d->ties.n ? sizeof(int32_t) * ((size_t)d->ties.n + 1) : 0);
    for (int i = 0; i < d->ties.n; i++) {
        const int32_t first = d->ties.start[i], n = d->ties.start[i + 1] - first;
        h = hash_more(h, d->ties.master + first, sizeof(int32_t) * (size_t)n);
        h = hash_more(h, d->ties.weight + first, sizeof(double) * (size_t)n);
    }
    h = hash_more(h, d->curve_t, sizeof(double) * (size_t)d->curve_start[d->n_curves]);
    return hash_more(h, d->curve_value, sizeof(double) * (size_t)d->curve_start[d->n_curves]);
}

/* Returns how many weights of nodes or elements an observation of a mesh has. */
static size_t weights_of(const pio_model *m, const pio_observation_desc *d)
{
    if (!d->weight) return 0;
    return d->type >= PIO_VOLUME ? (size_t)m->fem->element_first[m->fem->bodies]
                                 : (size_t)m->fem->desc.n * (size_t)m->scene->method.dimension;
}

static uint64_t data_hash(const pio_session *s)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < s->objective.n; i++) {
        const pio_term *t = &s->objective.terms[i];
        if (!t->data) continue;
        const size_t used = t->component < 0 ? (size_t)t->output->components : 1;
        h = hash_more(h, t->data, sizeof(double) * used * (size_t)t->output->samples);
    }
    for (int o = 0; o < s->model->n_outputs; o++) {
        const pio_observation_desc *d = &s->model->observations[o];
        const size_t samples = (size_t)d->samples, rows = (size_t)d->rows, dim = (size_t)s->scene->method.dimension;
        h = hash_more(h, s->model->outputs[o].time, sizeof(double) * samples);
        h = hash_more(h, d->points, sizeof(double) * samples * rows * dim);
        h = hash_more(h, d->point_weight, sizeof(double) * samples * rows);
        h = hash_more(h, d->place_xi, sizeof(double) * 3 * (size_t)d->places);
        h = hash_more(h, d->place_element, sizeof(int32_t) * (size_t)d->places);
        h = hash_more(h, d->weight, sizeof(double) * weights_of(s->model, d));
        if (d->marker) h = hash_more(h, d->marker, sizeof(int32_t) * (size_t)pio_model_items(s->model, true));
        if (!d->row_start) continue;
        h = hash_more(h, d->row_node, sizeof(int32_t) * (size_t)d->row_start[d->rows]);
        h = hash_more(h, d->row_shape, sizeof(double) * (size_t)d->row_start[d->rows]);
    }
    for (int o = 0; o < s->model->desc.n_obstacles; o++) {
        const pio_obstacle_desc *d = &s->model->obstacles[o];
        if (d->distance)
            h = hash_more(h, d->distance,
                          sizeof(double) * (size_t)d->samples[0] * (size_t)d->samples[1] * (size_t)d->samples[2]);
    }
    return s->model->fem ? mesh_hash(h, &s->model->fem->desc, (size_t)s->scene->method.dimension) : h;
}

/* Returns the resolved scene without its description, output, budgets, checks and stopping criteria, and with its
 * optimizer only if `optimizer`. */
static char *scene_text(const pio_session *s, bool optimizer)
{
    pio_scene scene = *s->scene;
    char dash[] = "-";
    scene.optimizer.max_iterations = 0;
    scene.optimizer.multi_start = 1; /* a start has the bits that it has alone */
    scene.optimizer.stop_objective = -INFINITY;
    scene.optimizer.stop_relative_objective = scene.optimizer.stop_gradient = 0;
    scene.optimizer.is_set &= optimizer;
    scene.output.directory = scene.input.description = dash;
    scene.output.states_every = scene.time.duration;
    scene.output.checkpoint_every = 0;
    scene.output.adjoint_every = scene.gradient.memory_budget = scene.gradient.memory_disk = 0;
    scene.gradient.memory_strategy = SCENE_AUTO;
    scene.gradient.check_directions = 0;
    scene.gradient.check_tolerance = 0;
    scene.touch.pairs = 0; /* room in memory */
    return pio_resolved_json(&scene);
}

char *pio_identity_of_gradient(const pio_session *s)
{
    char *all = NULL, *text = scene_text(s, false);
    if (text && asprintf(&all, "%s\ndata %016llx\npiola %s, %s, glibc %s\nsolver %s\nproduct %s\n", text,
                         (unsigned long long)data_hash(s), PIOLA_VERSION, __VERSION__, gnu_get_libc_version(),
                         s->memory.bytes.solver, s->memory.bytes.product) < 0)
        all = NULL;
    free(text);
    return all;
}

/* ---- runs ----------------------------------------------------------------------------------------------- */

/* Labels of lines about the machine begin with the first; the scene is the last line and takes the rest of the text. */
static const char of_machine[] = "machine's ", of_scene[] = "scene: ";

char *pio_identity_of_run(const pio_session *s, bool optimizer, const char *more)
{
    const pio_engine *e = s->engine.table;
    const char *m = of_machine;
    char *all = NULL, *text = scene_text(s, optimizer);
    if (text && asprintf(&all,
                         "program: piola %s of commit %s, gcc %s\n"
                         "precision: %s\n"
                         "dimension: %d\n"
                         "data: %016llx\n"
                         "%s"
                         "%sdevice: %s\n"
                         "%sinstruction set: %s\n"
                         "%sprocessor: %s\n"
                         "%sdriver: %s\n"
                         "%slibm: glibc %s\n"
                         "%slinear solver: %s\n"
                         "%smatrix product: %s\n"
                         "%s%s",
                         PIOLA_VERSION, pio_build_commit(), __VERSION__, e->precision, s->scene->method.dimension,
                         (unsigned long long)data_hash(s), more, m, e->device, m, e->isa, m, s->engine.device, m,
                         s->engine.driver, m, gnu_get_libc_version(), m, s->memory.bytes.solver, m,
                         s->memory.bytes.product, of_scene, text) < 0)
        all = NULL;
    free(text);
    return all;
}

typedef struct {
    const char *label, *value;      /* they are not NUL-terminated */
    int label_length, value_length; /* bytes */
} identity_line;

/* Reads the line at *at, which then moves behind it. Returns false at the end of the text. */
static bool next_line(const char **at, identity_line *out)
{
    const char *text = *at;
    if (!*text) return false;
    out->label = text;
    out->label_length = (int)strcspn(text, ":\n");
    text += out->label_length;
    text += strspn(text, ": ");
    out->value = text;
    out->value_length = (int)(strncmp(*at, of_scene, sizeof of_scene - 1) ? strcspn(text, "\n") : strlen(text));
    *at = text + out->value_length;
    *at += **at == '\n';
    return true;
}

/* Appends the label of a line that differs, and both values if people can read them. */
static void add_difference(char *differs, size_t size, const identity_line *there, const identity_line *here)
{
    const size_t used = strlen(differs);
    const char *comma = used ? ", " : "";
    const bool readable = strncmp(there->label, "scene", 5) != 0 && strncmp(there->label, "data", 4) != 0;
    if (readable)
        snprintf(differs + used, size - used, "%s%.*s ('%.*s' there, '%.*s' here)", comma, there->label_length,
                 there->label, there->value_length, there->value, here->value_length, here->value);
    else
        snprintf(differs + used, size - used, "%s%.*s", comma, there->label_length, there->label);
}

pio_identity_match pio_identity_compare(const char *there, const char *here, char *differs, size_t size)
{
    char machine[400] = "";
    identity_line a, b;
    differs[0] = '\0';
    while (*there && *here && next_line(&there, &a) && next_line(&here, &b)) {
        if (a.label_length != b.label_length || memcmp(a.label, b.label, (size_t)a.label_length)) {
            snprintf(differs, size, "the lines that describe it");
            return PIO_OTHER_RUN;
        }
        if (a.value_length == b.value_length && !memcmp(a.value, b.value, (size_t)a.value_length)) continue;
        if (strncmp(a.label, of_machine, sizeof of_machine - 1))
            add_difference(differs, size, &a, &b);
        else
            add_difference(machine, sizeof machine, &a, &b);
    }
    if (*there || *here) {
        snprintf(differs, size, "the number of lines that describe it");
        return PIO_OTHER_RUN;
    }
    if (differs[0]) return PIO_OTHER_RUN;
    snprintf(differs, size, "%s", machine);
    return machine[0] ? PIO_OTHER_MACHINE : PIO_SAME_RUN;
}

piola_status pio_identity_admit(const char *path, const char *there, const char *here, bool accept, char *differs,
                                size_t size, piola_error *error)
{
    switch (pio_identity_compare(there, here, differs, size)) {
    case PIO_SAME_RUN:
        return PIOLA_OK;
    case PIO_OTHER_MACHINE:
        if (accept) return PIOLA_OK;
        return pio_fail(error, PIOLA_REFUSED,
                        "%s is of another machine: %s; to continue it there would give the same bits, here it may not: "
                        "--accept-different-machine allows it, --resume never begins anew",
                        path, differs);
    case PIO_OTHER_RUN:
        break;
    }
    return pio_fail(error, PIOLA_BAD_DATA, "%s is of another run, which differs in: %s", path, differs);
}
