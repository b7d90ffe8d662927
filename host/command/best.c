/* best.c -- see best.h. */
#include "host/command/best.h"

#include "host/base/fail.h"
#include "host/results/certificate.h"
#include "host/results/design_fields.h"
#include "host/results/states.h"
#include "host/run/output_folder.h"
#include "host/run/session_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether displacements are as large as the load or the norm of a mode says, however large that is. */
static bool is_linear(const pio_session *s)
{
    bool linear = s->model->fem && s->scene->fem.integrator == PIO_STATIC;
    for (size_t m = 0; m < s->scene->materials.n; m++)
        linear = linear && s->scene->materials.v[m].model == (pio_law)PIO_HYPER_LINEAR;
    return linear || (s->model->fem && s->scene->fem.integrator == PIO_MODAL);
}

/* Returns whether relative densities say what is full and what is empty, and in no body choose between materials. */
static bool has_empty(const pio_session *s)
{
    bool empty = true;
    for (size_t b = 0; b < s->scene->matter.n_bodies; b++) empty = empty && !s->scene->matter.bodies[b].other;
    return empty;
}

/* Draws the last state. Where each particle or element has a number of its own in the design, the colours show the
 * first of these quantities, and a mesh without motion is drawn at rest: its layout is what was looked for. Of relative
 * densities in space the elements that are less than half full are left out, since what is empty would hide the layout.
 * Targets and paths of observed places are drawn over it.
 * Displacements beyond a fifth of the body are drawn smaller where they are linear. Where no picture can be drawn, a
 * warning says so. */
static piola_status draw_best(const pio_session *s, piola_error *error)
{
    char states[PIO_PATH], picture[PIO_PATH];
    pio_design_field shown;
    pio_session_path(s, "states.vtkhdf", states, sizeof states);
    pio_session_path(s, "picture.png", picture, sizeof picture);
    piola_render_options render = piola_render_options_default();
    render.file = states;
    render.output = picture;
    render.fit = is_linear(s);
    render.targets = render.paths = true;
    if (pio_design_field_of(s, 0, &shown)) {
        const pio_integrator integrator = s->scene->fem.integrator;
        render.field = shown.name;
        if (s->model->fem && (integrator == PIO_STATIC || integrator == PIO_MODAL)) render.deformation = 0;
        if (s->model->fem && s->scene->method.dimension == 3 && !strcmp(shown.of, "relative_density") && has_empty(s)) {
            render.hide_below = "relative_density=0.5";
            render.lo = 0;
            render.hi = 1;
        }
    }
    const piola_status rc = piola_render(&render, error);
    if (rc != PIOLA_UNAVAILABLE) return rc;
    unlink(picture); /* it would be of an earlier run */
    pio_log_message(s->call.log, PIO_WARNING, "there is no picture.png: %s", error->message);
    *error = (piola_error){0};
    return PIOLA_OK;
}

piola_status pio_write_best(pio_session *s, const double *z, piola_error *error)
{
    pio_states *file = NULL;
    pio_sweep sweep = {0};
    piola_status rc = pio_states_create(&file, s, true, error);
    if (rc) return rc;
    pio_states_sweep(file, &sweep);
    snprintf(s->call.sweep, sizeof s->call.sweep, "best design, ");
    rc = pio_session_jacobian(s, z, &sweep, error);
    char *certificate = rc ? NULL : pio_certificate_text(s, NULL, 0);
    if (!rc)
        rc = certificate ? pio_states_gradient(file, certificate, error)
                         : pio_fail_memory(error, 4096, "the certificate");
    free(certificate);
    if (rc) {
        pio_states_abandon(file);
        return rc;
    }
    rc = pio_states_finish(file, error);
    return rc ? rc : draw_best(s, error);
}
