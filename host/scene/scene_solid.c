/* scene_solid.c -- which bodies of a scene of particles are solids that a potential holds, and how stiff. */
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/words.h"

#include <math.h>

/* Returns lambda + 2 mu of the material of body b, Pa; 0 where that is no solid, or no finite number. */
static double modulus_of(const pio_scene *s, size_t b)
{
    const scene_material *m = pio_scene_material(s, s->matter.bodies[b].material);
    double p[PIO_LAW_CONSTANTS];
    if (!m || LAW_BIT(m->model) & LAWS_FLUID) return 0;
    pio_law_parameters(m, p);
    const double mu = pio_law_shear(m, p), nu = pio_law_poisson(m, p), modulus = 2 * mu * (1 - nu) / (1 - 2 * nu);
    return modulus > 0 && isfinite(modulus) ? modulus : 0;
}

double pio_scene_stiffest(const pio_scene *s)
{
    double most = 0;
    for (size_t b = 0; b < s->matter.n_bodies; b++) most = fmax(most, modulus_of(s, b));
    return most;
}

double pio_scene_softest(const pio_scene *s)
{
    double least = 0;
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const double own = modulus_of(s, b);
        if (own > 0 && (!(least > 0) || own < least)) least = own;
    }
    return least;
}

const scene_body *pio_scene_not_solid(const pio_scene *s)
{
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const scene_material *m = pio_scene_material(s, s->matter.bodies[b].material);
        if (m && (LAW_BIT(m->model) & LAWS_FLUID || m->plasticity == PIO_DRUCKER_PRAGER || m->plasticity == PIO_SNOW))
            return &s->matter.bodies[b];
    }
    return NULL;
}
