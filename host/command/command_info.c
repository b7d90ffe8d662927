/* command_info.c -- piola schema and piola info. */
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/mesh/mesh.h"
#include "host/base/output.h"
#include "host/scene/scene.h"
#include "host/snapshot/snapshot.h"
#include "host/snapshot/snapshot_words.h"
#include "piola.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

piola_status piola_schema(bool reference, piola_error *error)
{
    if (reference)
        pio_scene_reference(stdout);
    else
        pio_scene_schema(stdout);
    return pio_output_flush(error);
}

/* ---- names ---------------------------------------------------------------------------------------------- */

static const char *when_name(pio_snapshot_when when)
{
    static const char *const names[] = {"every frame", "whole file", "adjoint frames"};
    return names[when];
}

/* Counts the cells of each type, [256] by type. */
static piola_status count_cells(pio_snapshot_file *f, const pio_snapshot_info *info, int64_t count[256],
                                piola_error *error)
{
    memset(count, 0, 256 * sizeof *count);
    if (!info->n_cells) return PIOLA_OK;
    uint8_t *types = malloc((size_t)info->n_cells);
    if (!types) return pio_fail_memory(error, (size_t)info->n_cells, "the cells");
    const piola_status rc = pio_snapshot_read_mesh(f, types, NULL, NULL, error);
    for (int64_t c = 0; !rc && c < info->n_cells; c++) count[types[c]]++;
    free(types);
    return rc;
}

/* Of gradients with more numbers than this only the least and the greatest entry are printed. */
enum { FEW = 6 };

/* Reads value and gradient of the last iteration; free(*value) frees both. */
static piola_status read_last(pio_snapshot_file *f, const pio_snapshot_gradient_info *g, double **value, double **grad,
                              piola_error *error)
{
    *value = malloc(2 * sizeof **value * (size_t)g->size + 1);
    if (!*value) return pio_fail_memory(error, 2 * sizeof **value * (size_t)g->size, "a gradient");
    *grad = *value + g->size;
    const piola_status rc = pio_snapshot_read_gradient(f, g->path, g->iterations - 1, *value, *grad, error);
    if (rc) {
        free(*value);
        *value = NULL;
    }
    return rc;
}

static void extremes(const double *v, int64_t n, double *least, double *most)
{
    *least = *most = (double)NAN;
    for (int64_t i = 0; i < n; i++) {
        *least = fmin(*least, v[i]);
        *most = fmax(*most, v[i]);
    }
}

/* ---- report for people ----------------------------------------------------------------------------------- */

static void print_numbers(const char *name, const double *v, int64_t n, const char *units)
{
    double least, most;
    extremes(v, n, &least, &most);
    printf("  %s ", name);
    if (n > FEW) printf("%.6g .. %.6g", least, most);
    for (int64_t i = 0; n <= FEW && i < n; i++) printf("%s%.9g", i ? ", " : "", v[i]);
    printf("%s%s\n", *units ? " " : "", units);
}

static piola_status print_gradients(pio_snapshot_file *f, const pio_snapshot_info *info, piola_error *error)
{
    if (info->n_gradients) printf("gradients (of the last iteration):\n");
    for (size_t i = 0; i < info->n_gradients; i++) {
        const pio_snapshot_gradient_info *g = &info->gradients[i];
        double *value = NULL, *grad = NULL;
        if (g->iterations < 1) continue;
        const piola_status rc = read_last(f, g, &value, &grad, error);
        if (rc) return rc;
        printf("  %s", g->path);
        for (int a = 0; a < g->rank; a++)
            printf("%s%lld%s", a ? " x " : " [", (long long)g->shape[a], a == g->rank - 1 ? "]" : "");
        printf("\n");
        print_numbers("    value   ", value, g->size, g->units);
        print_numbers("    gradient", grad, g->size, g->grad_units);
        free(value);
    }
    return PIOLA_OK;
}

static piola_status print_objective(pio_snapshot_file *f, const pio_snapshot_info *info, piola_error *error)
{
    const int64_t last = info->n_objectives - 1;
    double v;
    if (last < 0) return PIOLA_OK;
    piola_status rc = pio_snapshot_read_objective(f, last, NULL, &v, error);
    if (rc) return rc;
    printf("objective: %.12g%s%s", v, info->objective[0] ? " = " : "", info->objective);
    if (last > 0) printf(" (iteration %lld)", (long long)last);
    printf("\n");
    for (size_t t = 0; !rc && t < info->n_terms; t++) {
        rc = pio_snapshot_read_objective(f, last, info->terms[t], &v, error);
        if (!rc) printf("  %-24s %.12g\n", info->terms[t], v);
    }
    return rc;
}

/* Prints the fields. Those of particles all belong to points, so that their location is not printed. */
static void print_fields(const pio_snapshot_info *info)
{
    printf("fields:\n");
    for (size_t i = 0; i < info->n_fields; i++) {
        const pio_snapshot_field_info *v = &info->fields[i];
        printf("  %-20s %d %-9s %-8s ", v->name, v->components, v->components == 1 ? "number" : "numbers", v->units);
        if (info->n_cells) printf("%-6s ", pio_snapshot_location_words[v->location]);
        printf("%-15s %s%s%s\n", when_name(v->when), v->meaning, *v->of ? " -- of " : "", v->of);
    }
}

static piola_status print_size(pio_snapshot_file *f, const pio_snapshot_info *info, piola_error *error)
{
    int64_t count[256];
    const piola_status rc = count_cells(f, info, count, error);
    if (rc || !info->n_cells) {
        if (!rc) printf("particles: %lld\n", (long long)info->n_points);
        return rc;
    }
    printf("mesh: %lld points, %lld cells", (long long)info->n_points, (long long)info->n_cells);
    for (int type = 0, shown = 0; type < 256; type++)
        if (count[type]) printf("%s%lld %s", shown++ ? ", " : ": ", (long long)count[type], pio_cell_name(type));
    if (info->n_integration) printf("; %lld integration points", (long long)info->n_integration);
    printf("\n");
    return PIOLA_OK;
}

static piola_status print_info(pio_snapshot_file *f, const char *file, piola_error *error)
{
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    char *certificate = NULL;
    printf("%s: %s, %dD, %s, %s\n", file, pio_snapshot_kind_words[info->kind], info->dimension,
           pio_snapshot_precision_words[info->precision],
           info->complete ? "complete" : "NOT complete: the run was cut off");
    printf("checksums: %s\n", pio_snapshot_integrity_text(info->integrity));
    piola_status rc = print_size(f, info, error);
    if (rc) return rc;
    printf("frames: %lld", (long long)info->n_frames);
    if (info->n_frames)
        printf(info->kind == PIO_SNAPSHOT_HISTORY ? ", iterations %g to %g" : ", t = %g s to %g s", info->times[0],
               info->times[info->n_frames - 1]);
    printf("\n");
    print_fields(info);
    rc = print_objective(f, info, error);
    if (!rc) rc = print_gradients(f, info, error);
    if (!rc) rc = pio_snapshot_read_document(f, PIO_SNAPSHOT_CERTIFICATE, &certificate, error);
    if (rc) return rc;
    if (*certificate) printf("certificate: %s\n", certificate);
    free(certificate);
    if (info->n_pairs) printf("made by:\n");
    for (size_t i = 0; i < info->n_pairs; i++)
        printf("  %-16s %s\n", info->pairs[i].key, *info->pairs[i].value ? info->pairs[i].value : "-");
    return PIOLA_OK;
}

/* ---- report for programs --------------------------------------------------------------------------------- */

static piola_status json_gradients(pio_json *json, pio_snapshot_file *f, const pio_snapshot_info *info,
                                   piola_error *error)
{
    pio_json_begin_array(json, "gradients");
    for (size_t i = 0; i < info->n_gradients; i++) {
        const pio_snapshot_gradient_info *g = &info->gradients[i];
        double *value = NULL, *grad = NULL;
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "path", g->path);
        pio_json_begin_array(json, "shape");
        for (int a = 0; a < g->rank; a++) pio_json_integer(json, NULL, g->shape[a]);
        pio_json_end_array(json);
        pio_json_integer(json, "iterations", g->iterations);
        pio_json_string(json, "unit", g->units);
        pio_json_string(json, "gradient_unit", g->grad_units);
        if (g->iterations > 0 && g->size <= FEW) {
            const piola_status rc = read_last(f, g, &value, &grad, error);
            if (rc) return rc;
            pio_json_doubles(json, "value", value, (size_t)g->size);
            pio_json_doubles(json, "gradient", grad, (size_t)g->size);
            free(value);
        }
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
    return PIOLA_OK;
}

static piola_status json_objective(pio_json *json, pio_snapshot_file *f, const pio_snapshot_info *info,
                                   piola_error *error)
{
    const int64_t last = info->n_objectives - 1;
    double v = 0;
    if (last < 0) {
        pio_json_null(json, "objective");
        return PIOLA_OK;
    }
    piola_status rc = pio_snapshot_read_objective(f, last, NULL, &v, error);
    pio_json_begin_object(json, "objective");
    pio_json_string(json, "name", info->objective);
    pio_json_integer(json, "iterations", info->n_objectives);
    pio_json_double(json, "value", v);
    pio_json_begin_object(json, "terms");
    for (size_t t = 0; !rc && t < info->n_terms; t++) {
        rc = pio_snapshot_read_objective(f, last, info->terms[t], &v, error);
        pio_json_double(json, info->terms[t], v);
    }
    pio_json_end_object(json);
    pio_json_end_object(json);
    return rc;
}

static void json_fields(pio_json *json, const pio_snapshot_info *info)
{
    pio_json_begin_array(json, "fields");
    for (size_t i = 0; i < info->n_fields; i++) {
        const pio_snapshot_field_info *v = &info->fields[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "name", v->name);
        pio_json_integer(json, "components", v->components);
        pio_json_string(json, "unit", v->units);
        pio_json_string(json, "location", pio_snapshot_location_words[v->location]);
        pio_json_string(json, "when", when_name(v->when));
        pio_json_string(json, "meaning", v->meaning);
        pio_json_string(json, "of", *v->of ? v->of : NULL);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

static piola_status json_size(pio_json *json, pio_snapshot_file *f, const pio_snapshot_info *info, piola_error *error)
{
    int64_t count[256];
    const piola_status rc = count_cells(f, info, count, error);
    if (rc) return rc;
    pio_json_integer(json, info->n_cells ? "points" : "particles", info->n_points);
    if (!info->n_cells) return PIOLA_OK;
    pio_json_integer(json, "cells", info->n_cells);
    if (info->n_integration) pio_json_integer(json, "integration_points", info->n_integration);
    pio_json_begin_object(json, "kinds");
    for (int type = 0; type < 256; type++)
        if (count[type]) pio_json_integer(json, pio_cell_name(type), count[type]);
    pio_json_end_object(json);
    return PIOLA_OK;
}

static piola_status write_info(pio_json *json, pio_snapshot_file *f, const char *file, piola_error *error)
{
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    char *certificate = NULL;
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "file", file);
    pio_json_string(json, "kind", pio_snapshot_kind_words[info->kind]);
    pio_json_bool(json, "complete", info->complete);
    pio_json_bool(json, "verified", info->integrity == PIO_SNAPSHOT_VERIFIED);
    pio_json_integer(json, "dimension", info->dimension);
    pio_json_string(json, "precision", pio_snapshot_precision_words[info->precision]);
    piola_status rc = json_size(json, f, info, error);
    if (rc) return rc;
    pio_json_doubles(json, "times", info->times, (size_t)info->n_frames);
    json_fields(json, info);
    rc = json_objective(json, f, info, error);
    if (!rc) rc = json_gradients(json, f, info, error);
    if (!rc) rc = pio_snapshot_read_document(f, PIO_SNAPSHOT_CERTIFICATE, &certificate, error);
    if (rc) return rc;
    pio_json_string(json, "certificate", *certificate ? certificate : NULL);
    free(certificate);
    pio_json_begin_object(json, "manifest");
    for (size_t i = 0; i < info->n_pairs; i++) pio_json_string(json, info->pairs[i].key, info->pairs[i].value);
    pio_json_end_object(json);
    pio_json_end_object(json);
    return PIOLA_OK;
}

/* Prints the report whole or, on a failure, not at all. */
static piola_status print_json(pio_snapshot_file *f, const char *file, piola_error *error)
{
    pio_json json;
    pio_json_to_memory(&json, 2);
    piola_status rc = write_info(&json, f, file, error);
    if (!rc) rc = pio_json_finish(&json, error);
    if (!rc) printf("%s\n", json.text);
    pio_json_free(&json);
    return rc;
}

static piola_status mesh_info(const char *file, bool json, piola_error *error)
{
    pio_mesh mesh;
    piola_status rc = pio_mesh_read(&mesh, file, error);
    if (!rc) pio_mesh_check_size(&mesh, (double)NAN);
    if (!rc) rc = pio_mesh_report(&mesh, json, error);
    pio_mesh_free(&mesh);
    return rc;
}

piola_status piola_info(const piola_info_options *options, piola_error *error)
{
    const char *file = options->file;
    pio_snapshot_file *f = NULL;
    if (!file) return pio_fail(error, PIOLA_USAGE, "info needs a file");
    if (pio_mesh_is_msh(file)) return mesh_info(file, options->json, error);
    piola_status rc = pio_snapshot_open(&f, file, !options->no_verify, error);
    if (rc) return rc;
    rc = options->json ? print_json(f, file, error) : print_info(f, file, error);
    pio_snapshot_close(f);
    return rc ? rc : pio_output_flush(error);
}
