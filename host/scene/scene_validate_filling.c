/* scene_validate_filling.c -- the rules of bodies that are filled in part. */
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"

#include <string.h>

/* Particles: nothing but an elastic solid follows its relative density wholly. */
static void check_particles(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_body *b = &s->matter.bodies[i];
    const scene_material *m = pio_scene_material(s, b->material);
    PATH(path, "bodies[%zu].relative_density", i);
    if (m && !(LAW_BIT(m->model) & LAWS_HYPERELASTIC))
        pio_cfg_fault(doc, path, "'%s' is a fluid, which fills its body; remove it, or use the material of a solid",
                      m->name);
    else if (m && m->plasticity != PIO_ELASTIC)
        pio_cfg_fault(doc, path,
                      "'%s' is plastic, and its strength would not follow the relative density; remove it, or use an "
                      "elastic material",
                      m->name);
    for (size_t k = 0; k < s->actuation.n_actuators; k++) {
        if (strcmp(s->actuation.actuators[k].body, b->name) != 0) continue;
        PATH(actuator, "actuators[%zu].body", k);
        pio_cfg_fault(doc, actuator,
                      "'%s' has a relative density, which fibres would not follow; drive another body, or remove its "
                      "relative density",
                      b->name);
    }
}

void pio_scene_validate_filling(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_body *b = &s->matter.bodies[i];
    PATH(interpolation, "bodies[%zu].interpolation", i);
    PATH(power, "bodies[%zu].interpolation.power", i);
    if (!pio_scene_body_is_partial(b)) {
        if (pio_scene_is_set(doc, interpolation))
            pio_cfg_fault(doc, interpolation, "the body is full; add 'relative_density', or remove the interpolation");
        return;
    }
    if (b->interpolation.type == PIO_SIMP && b->interpolation.power < 1)
        pio_cfg_fault(doc, power, "%g is below 1, where simp has no derivative at 0; use at least 1, or ramp",
                      b->interpolation.power);
    if (s->method.type == SCENE_MPM) check_particles(s, doc, i);
}
