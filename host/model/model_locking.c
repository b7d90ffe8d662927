/* model_locking.c -- elements that are too stiff where a material hardly changes its volume: warnings, and what a
 * projected dilatation is of no use to (Hughes 2000, chapter 4; see docs/finite_elements.md). */
#include "host/model/model_fem.h"
#include "host/scene/law.h"
#include "host/scene/scene_names.h"

#include <math.h>
#include <stdio.h>

/* Above this Poisson's ratio elements with the dilatation of F are too stiff: at 0.49 a cube of hex8 that is bent gives
 * way by 0.65 of what it should, at 0.4999 by 0.51 (16 cells an edge). Above the second one, pressures of quad4 and
 * hex8 oscillate from element to element. */
static const double LOCKS = 0.49, OSCILLATES = 0.495;

/* Returns the largest Poisson's ratio at rest of the elements first .. first + n - 1. */
static double largest_ratio(const pio_model *m, int64_t first, int64_t n)
{
    const pio_model_fem *f = m->fem;
    double most = -1;
    for (int64_t e = first; e < first + n; e++)
        most = fmax(most,
                    pio_law_poisson(&m->scene->materials.v[f->material[e]], f->law_parameters + PIO_LAW_CONSTANTS * e));
    return most;
}

/* Returns the element that would not lock in the place of one of this type. */
static const char *better(pio_element_type type)
{
    switch (type) {
    case PIO_TRI3:
        return "tri6 with dilatation: projected";
    case PIO_TET4:
        return "tet10 with dilatation: projected";
    default:
        return "dilatation: projected";
    }
}

/* Warns of the elements of one type of body b whose largest ratio is nu. */
static void check_block(pio_model *m, int b, pio_element_type type, double nu)
{
    const scene_body *body = &m->scene->matter.bodies[b];
    const bool projected = body->dilatation == PIO_DILATATION_PROJECTED && !pio_element_has_one_dilatation(type);
    const bool linear_product = type == PIO_QUAD4 || type == PIO_HEX8;
    if (m->scene->fem.plane == PIO_AXISYMMETRIC) {
        if (nu > LOCKS && type != PIO_QUAD9)
            pio_model_warn(m, "body '%s': %s elements lock where nu is %.6g, and are too stiff; use %s", body->name,
                           pio_elements[type].name, nu,
                           type == PIO_TRI3 || type == PIO_TRI6 ? "a smaller nu, or quadrilaterals: quad9" : "quad9");
        return;
    }
    if (!projected && nu > LOCKS)
        pio_model_warn(m, "body '%s': %s elements lock where nu is %.6g, and are too stiff; use %s", body->name,
                       pio_elements[type].name, nu, better(type));
    if (projected && linear_product && nu > OSCILLATES)
        pio_model_warn(
            m,
            "body '%s': where nu is %.6g the pressures of %s elements oscillate, and linear solves take many "
            "iterations; %s would be right",
            body->name, nu, pio_elements[type].name, type == PIO_QUAD4 ? "quad9" : "hex27");
}

piola_status pio_model_locking(pio_model *m, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    if (m->scene->fem.plane == PIO_PLANE_STRESS) return PIOLA_OK;
    for (int b = 0; b < f->bodies; b++) {
        int64_t first = f->element_first[b];
        bool useful = false;
        for (int t = PIO_TRI3; t < PIO_ELEMENT_TYPES; t++) {
            const int64_t n = pio_elements[t].dimension == f->mesh[b].dimension ? f->mesh[b].block[t].n : 0;
            if (n) check_block(m, b, (pio_element_type)t, largest_ratio(m, first, n));
            useful |= n > 0 && !pio_element_has_one_dilatation((pio_element_type)t);
            first += n;
        }
        if (m->scene->matter.bodies[b].dilatation != PIO_DILATATION_PROJECTED || useful) continue;
        char path[64];
        snprintf(path, sizeof path, "bodies[%d].dilatation", b);
        return pio_scene_fault(m->scene, error, path,
                               "the mesh has linear triangles or tetrahedra alone, each with one dilatation already; "
                               "use a mesh of second order");
    }
    return PIOLA_OK;
}
