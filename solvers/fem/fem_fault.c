/* fem_fault.c -- what a fault in the step block says: element and value, in words. Runs only after a failure. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double parameter_at(fem_sim *f, int element, int constant)
{
    real value = 0;
    const int n = f->materials.rows ? f->materials.rows : f->mesh.elements;
    const ptrdiff_t at = field_at(n, PIO_LAW_CONSTANTS, constant, fem_row_of(f, element));
    pio_queue_download(&f->base.queue, &value, f->materials.parameters + at, sizeof value);
    return (double)value;
}

/* clang-format off */
piola_failure fem_failed_inside_out(fem_sim *f, const real *u)
{
    pio_queue *q = &f->base.queue;
    piola_failure what = sim_failure(PIOLA_FAILED_INVERTED);
    const uint64_t none = FEM_NONE;
    uint64_t fault = FEM_NONE;
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++)
        pio_map(q, fem_admit, p->n, NULL,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u, .step = f->step);
    pio_queue_download(q, &fault, &f->step->fault, sizeof fault);
    pio_queue_upload(q, &f->step->fault, &none, sizeof none); /* a step that is taken in more parts begins without */
    what.step = f->base.index;
    if (fault == FEM_NONE) return what;
    what.of = PIOLA_FAILED_ELEMENT;
    what.item = (int64_t)(fault >> 4 & 0xffffffff);
    return what;
}
/* clang-format on */

piola_failure fem_failed_at_node(fem_sim *f, piola_failure_kind kind, const real *r, double residual)
{
    const size_t bytes = sizeof *r * DIM * (size_t)f->mesh.nodes;
    real *host = malloc(bytes), largest = -1;
    piola_failure what = sim_failure(kind);
    what.step = f->base.index;
    what.residual = residual;
    if (!host) return what;
    pio_queue_download(&f->base.queue, host, r, bytes);
    for (int i = 0; i < f->mesh.nodes; i++) {
        real square = 0;
        for (int c = 0; c < DIM; c++) square += host[(ptrdiff_t)i * DIM + c] * host[(ptrdiff_t)i * DIM + c];
        if (square <= largest) continue; /* NaN is larger */
        what.of = PIOLA_FAILED_NODE;
        what.item = i;
        largest = square;
        if (!isfinite(square)) break;
    }
    free(host);
    return what;
}

/* An explicit step that an obstacle does not allow. */
static piola_status passed(fem_sim *f, uint64_t fault, piola_error *error)
{
    piola_failure what = sim_failure(PIOLA_FAILED_CONTACT);
    what.of = PIOLA_FAILED_NODE;
    what.item = (int64_t)(fault >> 4 & 0xffffffff);
    what.step = (int64_t)(fault >> 36);
    const fem_contact_need need = fem_contact_needed(f, what.step);
    char stiffer[160] = "";
    size_t used = 0;
    if (need.surfaces > 0)
        used = (size_t)snprintf(stiffer, sizeof stiffer, "a `contact.stiffness` of %.4g Pa with ", need.surfaces);
    if (need.obstacles > 0)
        snprintf(stiffer + used, sizeof stiffer - used, "obstacles with a `stiffness` of %.4g Pa and ", need.obstacles);
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "step %lld: node %lld would pass an obstacle or a surface, or bounce from its barrier in an "
                       "unstable way; %sa time step of %.3g s would be right, or an implicit integrator",
                       (long long)what.step, (long long)what.item, stiffer, need.step);
}

piola_status fem_check_fault(pio_sim *sim, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    fem_step step = {0};
    pio_queue_download(&sim->queue, &step, f->step, sizeof step);
    if (pio_queue_failed(&sim->queue)) return sim_failed(sim, error);
    if (step.fault == FEM_NONE) return PIOLA_OK;
    const int element = (int)(step.fault >> 4 & 0xffffffff);
    piola_failure what = sim_failure(PIOLA_FAILED_CONSTANTS);
    what.of = PIOLA_FAILED_ELEMENT;
    what.item = element;
    if ((step.fault & 15) == FEM_NOT_FINITE) {
        what.kind = PIOLA_FAILED_NOT_FINITE;
        what.of = PIOLA_FAILED_NODE;
        what.step = (int64_t)(step.fault >> 36);
        return sim_fail_as(error, PIOLA_NUMERICAL, what,
                           "step %lld: the velocity of node %d is not finite; a shorter time step would be right%s",
                           (long long)what.step, element,
                           f->varies.n ? ", if values that vary are finite everywhere" : "");
    }
    if ((step.fault & 15) == FEM_PASSED) return passed(f, step.fault, error);
    if ((step.fault & 15) == FEM_OFF_LATTICE) {
        what.kind = PIOLA_FAILED_NOT_FINITE;
        what.of = PIOLA_FAILED_NODE;
        what.step = (int64_t)(step.fault >> 36);
        return sim_fail_as(error, PIOLA_NUMERICAL, what,
                           "step %lld: the displacement, the velocity or the force of node %d is not finite, or too "
                           "large for the lattice of this integrator, which holds %.4g m and %.4g m/s",
                           (long long)what.step, element, 0x1p61 / f->lattice.per_metre, 0x1p61 / f->lattice.per_speed);
    }
    if ((step.fault & 15) == FEM_INVERTED_REST) {
        what.kind = PIOLA_FAILED_REST_SHAPE;
        return sim_fail_as(error, PIOLA_NUMERICAL, what,
                           "element %d has no positive volume at rest: its nodes' order or places are wrong", element);
    }
    if ((step.fault & 15) == FEM_NEGATIVE_RADIUS) {
        what.kind = PIOLA_FAILED_REST_SHAPE;
        return sim_fail_as(error, PIOLA_NUMERICAL, what,
                           "element %d has a node at a negative radius x: bounds that keep it at 0 or above would be "
                           "right",
                           element);
    }
    if ((step.fault & 15) == FEM_COLD) {
        real heat = 0;
        pio_queue_download(&sim->queue, &heat, f->materials.heat + element, sizeof heat);
        return sim_fail_as(
            error, PIOLA_NUMERICAL, what,
            "element %d: its thermal strain, expansion times temperature, is %g, which leaves nothing of "
            "it; one above -1 would be right",
            element, (double)heat);
    }
    if ((step.fault & 15) == FEM_NOT_FILLED)
        return sim_fail_as(error, PIOLA_NUMERICAL, what,
                           "element %d has a relative density below 0; bounds that keep it from 0 to 1 would be right",
                           element);
    real density = 0;
    pio_queue_download(&sim->queue, &density, f->materials.density + fem_row_of(f, element), sizeof density);
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "element %d: its law is not defined for the constants %g, %g, %g with density %g kg/m^3",
                       element, parameter_at(f, element, 0), parameter_at(f, element, 1), parameter_at(f, element, 2),
                       (double)density);
}
