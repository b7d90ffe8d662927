/* states.h -- states.vtkhdf: the frames of a run, and what a gradient adds to them. */
#ifndef PIOLA_HOST_STATES_H
#define PIOLA_HOST_STATES_H

#include "host/run/session.h"
#include "host/snapshot/snapshot.h"

typedef struct pio_states pio_states;

/* Begin DIRECTORY/states.vtkhdf. `gradient`: with fields for gradients per particle and, where output.adjoint.every asks for
 * them, adjoint frames. */
piola_status pio_states_create(pio_states **out, pio_session *s, bool gradient, piola_error *error);
/* Hook the frames of `sweep` to the file: frame k is the model's frame k. */
void pio_states_sweep(pio_states *f, pio_sweep *sweep);
/* To keep frames elsewhere: bytes of the state frame, or of its adjoint fields (0: it has none); these bytes, in the file's precision, of a
 * frame that was written; and from them into a file where it is the next one, or is there (`adjoint`: what was known of it). */
size_t pio_states_bytes(const pio_states *f, int64_t frame, bool adjoint);
piola_status pio_states_out(pio_states *f, int64_t frame, bool adjoint, void *bytes, piola_error *error);
piola_status pio_states_in(pio_states *f, int64_t frame, bool adjoint, const void *bytes, piola_error *error);
/* After a gradient: fields per particle, the design's values and gradients, the objective and the certificate. */
piola_status pio_states_gradient(pio_states *f, const char *certificate, piola_error *error);
/* After a plain run: the objective, if the scene has one. */
piola_status pio_states_objective(pio_states *f, piola_error *error);
piola_status pio_states_finish(pio_states *f, piola_error *error); /* always releases */
void pio_states_abandon(pio_states *f);                            /* keeps the .partial file; NULL is allowed */

/* What describes program, build, engine, machine, inputs and run. A file that was read is the pair "sha256 FILE". */
typedef struct {
    pio_snapshot_pair *pair; /* [n], also as JSON */
    size_t n;
    char *json, *resolved; /* the resolved scene, as JSON */
} pio_manifest;
/* On failure it is empty. */
piola_status pio_manifest_create(pio_manifest *out, const pio_session *s, piola_error *error);
void pio_manifest_free(pio_manifest *m);
const char *pio_build_commit(void); /* of the last configuration, or "unknown" */
/* The resolved scene as JSON; free() it. NULL without memory. */
char *pio_resolved_json(const pio_scene *scene);

/* Gradient fields per particle, element or node that the scene's materials have: "grad_E" of "materials.*.E", from the engine's field
 * "grad_given_0" of the particles whose law has it there. Returns 0 past the last. */
typedef struct {
    char name[32], engine_field[32], of[32], units[32], meaning[96];
    int components;
    bool nodal;    /* of a mesh: values are at nodes, else of elements */
    bool constant; /* of laws, which only some materials have; it has no engine field of its own */
} pio_gradient_field;
int pio_gradient_field_of(const pio_session *s, int i, pio_gradient_field *out);
/* Unit of a derivative with respect to something in `unit` ("" or "1": a plain number): "1/Pa", "1/(m/s)". */
void pio_inverse_unit(const char *unit, char *out, size_t size);
/* Every design's values and derivatives [n_variables] into /piola/gradient/<path>. */
piola_status pio_write_parameters(pio_snapshot *file, const pio_model *m, const double *value, const double *value_bar,
                                  piola_error *error);
/* Read one: [n][components], 0 for particles that have no such constant. */
piola_status pio_gradient_field_read(pio_session *s, const pio_gradient_field *g, double *values, piola_error *error);

#endif
