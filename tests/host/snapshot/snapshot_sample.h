/* snapshot_sample.h -- files of known content, for test_snapshot*.c; check_snapshot.py knows the same formulas.
 *
 * Every value is a multiple of 1/8 below 64 in magnitude, so that f32 holds it exactly. */
#ifndef PIOLA_TESTS_SNAPSHOT_SAMPLE_H
#define PIOLA_TESTS_SNAPSHOT_SAMPLE_H

#include "host/base/path.h"
#include "host/snapshot/snapshot.h"
#include "piola.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `code` of a quantity, point or row i, component c, frame or iteration k. */
static inline double sample_value(int code, int64_t i, int c, int64_t k)
{
    return (double)((7 * i + 131 * c + 29 * k + 53 * code) % 1021 - 510) / 8.0;
}

static inline double sample_time(int64_t k)
{
    return 0.125 * (double)k;
}

typedef struct {
    const char *name; /* file name */
    pio_snapshot_kind kind;
    int dimension;
    pio_snapshot_precision precision;
    bool static_points;
    int64_t n, frames;
    bool finished;
    int64_t cells; /* of a mesh; 0: particles */
} sample_case;

static const sample_case sample_cases[] = {
    {"states3_f32.vtkhdf", PIO_SNAPSHOT_STATES, 3, PIO_SNAPSHOT_F32, false, 137, 70, true, 0},
    {"states2_f64.vtkhdf", PIO_SNAPSHOT_STATES, 2, PIO_SNAPSHOT_F64, false, 50, 5, true, 0},
    {"checkpoint2_f32.vtkhdf", PIO_SNAPSHOT_CHECKPOINT, 2, PIO_SNAPSHOT_F32, false, 1, 3, true, 0},
    {"history.vtkhdf", PIO_SNAPSHOT_HISTORY, 3, PIO_SNAPSHOT_F64, true, 40, 66, true, 0},
    {"abandoned.vtkhdf", PIO_SNAPSHOT_STATES, 3, PIO_SNAPSHOT_F32, false, 30, 4, false, 0},
    {"mesh3_f32.vtkhdf", PIO_SNAPSHOT_STATES, 3, PIO_SNAPSHOT_F32, true, 137, 70, true, 60},
    {"mesh2_f64.vtkhdf", PIO_SNAPSHOT_STATES, 2, PIO_SNAPSHOT_F64, true, 50, 5, true, 71},
    {"meshes.vtkhdf", PIO_SNAPSHOT_HISTORY, 3, PIO_SNAPSHOT_F64, true, 140, 6, true, 16},
    {"unfinished.vtkhdf", PIO_SNAPSHOT_STATES, 2, PIO_SNAPSHOT_F32, true, 41, 4, false, 12},
};
enum { SAMPLE_CASES = sizeof sample_cases / sizeof sample_cases[0], SAMPLE_FIELDS = 9, SAMPLE_CELLS = 100 };

/* The place in this list is the `code`; points have code 0, so fields count from 1. */
static inline void sample_fields(const sample_case *c, pio_snapshot_field *out)
{
    const int d = c->dimension;
    const pio_snapshot_field particles[SAMPLE_FIELDS] = {
        {"velocity", d, "m/s", "velocity", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"J", 1, "", "volume ratio", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"F", d * d, "", "deformation gradient", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"body", 1, "", "number of the body", NULL, PIO_SNAPSHOT_STATIC, true, PIO_SNAPSHOT_POINT},
        {"rho", 1, "kg/m3", "density at rest", NULL, PIO_SNAPSHOT_STATIC, false, PIO_SNAPSHOT_POINT},
        {"grad_E", 1, "1/Pa", "dJ/dE", "materials.soft.E", PIO_SNAPSHOT_STATIC, false, PIO_SNAPSHOT_POINT},
        {"adj_velocity", d, "s/m", "dJ/dv", "velocity", PIO_SNAPSHOT_ADJOINT, false, PIO_SNAPSHOT_POINT},
        {"stretch", 9, "1", "stretch in space", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"layer", 1, "", "number of the layer", NULL, PIO_SNAPSHOT_STATIC, true, PIO_SNAPSHOT_POINT}};
    const pio_snapshot_field mesh[SAMPLE_FIELDS] = {
        {"displacement", d, "m", "displacement", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_POINT},
        {"energy", 1, "J/m3", "elastic energy", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_CELL},
        {"stress", d * d, "Pa", "Cauchy stress", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_CELL},
        {"group", 1, "", "number of the group", NULL, PIO_SNAPSHOT_STATIC, true, PIO_SNAPSHOT_CELL},
        {"mass", 1, "kg", "lumped mass", NULL, PIO_SNAPSHOT_STATIC, false, PIO_SNAPSHOT_POINT},
        {"grad_E", 1, "1/Pa", "dJ/dE", "materials.soft.E", PIO_SNAPSHOT_STATIC, false, PIO_SNAPSHOT_CELL},
        {"adj_stress", d * d, "1/Pa", "dJ/dsigma", "stress", PIO_SNAPSHOT_ADJOINT, false, PIO_SNAPSHOT_CELL},
        {"stress_points", 9, "Pa", "Cauchy stress", NULL, PIO_SNAPSHOT_FRAME, false, PIO_SNAPSHOT_INTEGRATION},
        {"element_points", 1, "", "number of the element", NULL, PIO_SNAPSHOT_STATIC, true, PIO_SNAPSHOT_INTEGRATION}};
    for (int i = 0; i < SAMPLE_FIELDS; i++) out[i] = c->cells ? mesh[i] : particles[i];
}

/* Integration points of a mesh; 0: particles. */
static inline int64_t sample_integration(const sample_case *c)
{
    return c->cells ? 2 * c->cells + 1 : 0;
}

static inline int64_t sample_rows(const sample_case *c, const pio_snapshot_field *f)
{
    if (f->location == PIO_SNAPSHOT_INTEGRATION) return sample_integration(c);
    return f->location == PIO_SNAPSHOT_CELL ? c->cells : c->n;
}

/* Kinds of cells in turn (3D has ten, 2D five); node j of cell c is point (5 c + 3 j) mod n. It lives until the next
 * call.
 */
static inline const pio_snapshot_mesh *sample_mesh(const sample_case *c)
{
    static const uint8_t kinds[] = {PIO_CELL_TRI3, PIO_CELL_QUAD9, PIO_CELL_TRI6, PIO_CELL_QUAD4, PIO_CELL_QUAD8,
                                    PIO_CELL_TET4, PIO_CELL_TET10, PIO_CELL_HEX8, PIO_CELL_HEX27, PIO_CELL_HEX20};
    static uint8_t types[SAMPLE_CELLS];
    static int64_t offsets[SAMPLE_CELLS + 1], connectivity[27 * SAMPLE_CELLS];
    static pio_snapshot_mesh mesh;
    for (int64_t i = 0; i < c->cells; i++) {
        types[i] = kinds[i % (c->dimension == 3 ? 10 : 5)];
        offsets[i + 1] = offsets[i] + pio_cell_nodes(types[i]);
        for (int64_t j = 0; j < pio_cell_nodes(types[i]); j++) connectivity[offsets[i] + j] = (5 * i + 3 * j) % c->n;
    }
    mesh = (pio_snapshot_mesh){c->cells, types, offsets, connectivity};
    return c->cells ? &mesh : NULL;
}

/* The value of a field: integers are counted, the others follow the formula. */
static inline double sample_field(int code, bool integer, int64_t i, int c, int64_t k)
{
    return integer ? (double)(i % 5 + ((int64_t)1 << 40)) : sample_value(code, i, c, k);
}

/* [n][components] for the field of this code, in a buffer that is free()d. NULL when there is no memory. */
static inline double *sample_array(int code, bool integer, int64_t n, int components, int64_t k)
{
    double *out = malloc((size_t)(n * components) * sizeof *out);
    for (int64_t i = 0; i < n && out; i++)
        for (int c = 0; c < components; c++) out[i * components + c] = sample_field(code, integer, i, c, k);
    return out;
}

static const char sample_scene[] = "version: 1\n# caf\xc3\xa9: a comment that must survive\nname: sample\n";
static const char sample_resolved[] = "{\"version\": 1, \"name\": \"sample\"}";
static const char sample_manifest[] = "{\"program\": \"piola\", \"seed\": 7}";
static const char sample_certificate[] = "{\"check\": \"not checked\"}";
static const pio_snapshot_pair sample_pairs[] = {{"program", "piola"},
                                                 {"version", PIOLA_VERSION},
                                                 {"engine", "cpu_f32_3d"},
                                                 {"command_line", "piola run a b.yaml"},
                                                 {"device", "cpu"},
                                                 {"precision", "f32"},
                                                 {"seed", "7"},
                                                 {"libraries", "hdf5"},
                                                 {"host", "x86-64"}};
enum { SAMPLE_PAIRS = sizeof sample_pairs / sizeof sample_pairs[0] };

/* `fields` has room for SAMPLE_FIELDS; `path`, with .vtkhdf, must outlive the call. Until it is finished it is
 * STEM.partial.vtkhdf. */
static inline pio_snapshot_def sample_def(const sample_case *c, const char *path, pio_snapshot_field *fields)
{
    static char partial[400];
    sample_fields(c, fields);
    snprintf(partial, sizeof partial, "%.*s.partial.vtkhdf", (int)strlen(path) - 7, path);
    return (pio_snapshot_def){.path = path,
                              .partial = partial,
                              .kind = c->kind,
                              .n_points = c->n,
                              .dimension = c->dimension,
                              .precision = c->precision,
                              .static_points = c->static_points,
                              .mesh = sample_mesh(c),
                              .n_integration = sample_integration(c),
                              .expected_frames = c->frames,
                              .fields = fields,
                              .n_fields = SAMPLE_FIELDS,
                              .scene_text = sample_scene,
                              .scene_resolved = sample_resolved,
                              .manifest = sample_manifest,
                              .pairs = sample_pairs,
                              .n_pairs = SAMPLE_PAIRS,
                              .objective = "miss"};
}

static inline piola_status sample_frame(pio_snapshot *s, const sample_case *c, int64_t k, piola_error *error)
{
    pio_snapshot_field fields[SAMPLE_FIELDS];
    double *values[SAMPLE_FIELDS] = {NULL};
    sample_fields(c, fields);
    double *points = c->static_points && k > 0 ? NULL : sample_array(0, false, c->n, c->dimension, k);
    for (int i = 0; i < SAMPLE_FIELDS; i++)
        if (fields[i].when == PIO_SNAPSHOT_FRAME)
            values[i] = sample_array(i + 1, false, sample_rows(c, &fields[i]), fields[i].components, k);
    piola_status status = pio_snapshot_frame(s, sample_time(k), points, (const double *const *)values, error);
    for (int i = 0; i < SAMPLE_FIELDS; i++) free(values[i]);
    free(points);
    return status;
}

/* Iteration k of a scalar, a vector and a field of shape [4, 3]. */
static inline piola_status sample_gradients(pio_snapshot *s, int64_t k, piola_error *error)
{
    static const char *const paths[] = {"materials.soft.E", "gravity", "control.gait"};
    static const int64_t shape[] = {4, 3}, three[] = {3};
    const int64_t *shapes[] = {NULL, three, shape};
    double value[12], grad[12];
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < 12; i++) {
            value[i] = sample_value(20 + p, i, 0, k);
            grad[i] = sample_value(30 + p, i, 0, k);
        }
        const pio_snapshot_gradient g = {paths[p], value, grad, p, shapes[p], "Pa", "1/Pa"};
        piola_status status = pio_snapshot_put_gradient(s, &g, error);
        if (status != PIOLA_OK) return status;
    }
    const pio_snapshot_number terms[] = {{"reach", sample_value(41, 0, 0, k)}, {"effort", sample_value(42, 0, 0, k)}};
    return pio_snapshot_objective(s, sample_value(40, 0, 0, k), terms, 2, error);
}

/* Adjoint frames from the last to the first, only the even ones; static fields; certificate. */
static inline piola_status sample_end(pio_snapshot *s, const sample_case *c, piola_error *error)
{
    const pio_snapshot_number numbers[] = {{"adjoint_residual", 0.125}, {"iterations", 12}};
    pio_snapshot_field fields[SAMPLE_FIELDS];
    piola_status status = PIOLA_OK;
    sample_fields(c, fields);
    for (int i = 0; i < SAMPLE_FIELDS && status == PIOLA_OK; i++) {
        int64_t last = fields[i].when == PIO_SNAPSHOT_ADJOINT ? (c->frames - 1) / 2 * 2 : 0;
        for (int64_t k = last; k >= 0 && status == PIOLA_OK && fields[i].when != PIO_SNAPSHOT_FRAME; k -= 2) {
            double *values =
                sample_array(i + 1, fields[i].integer, sample_rows(c, &fields[i]), fields[i].components, k);
            status = fields[i].when == PIO_SNAPSHOT_STATIC ? pio_snapshot_static(s, fields[i].name, values, error)
                                                           : pio_snapshot_adjoint(s, k, fields[i].name, values, error);
            free(values);
        }
    }
    return status == PIOLA_OK ? pio_snapshot_certificate(s, sample_certificate, numbers, 2, error) : status;
}

/* The whole file `folder`/name. An unfinished one has frames only. */
static inline piola_status sample_write(const sample_case *c, const char *folder, piola_error *error)
{
    char path[PIO_PATH];
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    snprintf(path, sizeof path, "%s/%s", folder, c->name);
    pio_snapshot_def def = sample_def(c, path, fields);
    piola_status status = pio_snapshot_create(&s, &def, error);
    const bool history = c->kind == PIO_SNAPSHOT_HISTORY;
    for (int64_t k = 0; k < c->frames && status == PIOLA_OK; k++) {
        if (history) status = sample_gradients(s, k, error);
        if (status == PIOLA_OK) status = sample_frame(s, c, k, error);
    }
    if (status == PIOLA_OK && c->finished) {
        if (!history) status = sample_gradients(s, 0, error);
        if (status == PIOLA_OK) status = sample_end(s, c, error);
        if (status == PIOLA_OK) return pio_snapshot_finish(s, error);
    }
    pio_snapshot_abandon(s);
    return status;
}

#endif
