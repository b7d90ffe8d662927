/* plastic.c -- see plastic.h. */
#include "host/scene/plastic.h"

#include "host/scene/scene_names.h"

#include <string.h>

#define AT(member) offsetof(scene_material, member)
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

static const pio_law_constant von_mises[] = {{"yield_stress", "Pa", "yield stress", AT(yield_stress), 0},
                                             {"hardening_modulus", "Pa", "hardening modulus", AT(hardening_modulus), 1},
                                             END};
static const pio_law_constant drucker_prager[] = {{"friction_angle", "rad", "friction angle", AT(friction_angle), 0},
                                                  {"cohesion", "Pa", "cohesion", AT(cohesion), 1},
                                                  END};
static const pio_law_constant herschel_bulkley[] = {{"yield_stress", "Pa", "yield stress", AT(yield_stress), 0},
                                                    {"consistency", "Pa.s^exponent", "consistency", AT(consistency), 1},
                                                    {"exponent", "1", "exponent of the rate of flow", AT(exponent), 2},
                                                    END};
static const pio_law_constant snow[] = {
    {"critical_compression", "1", "critical compression", AT(critical_compression), 0},
    {"critical_stretch", "1", "critical stretch", AT(critical_stretch), 1},
    {"hardening", "1", "hardening of snow", AT(hardening), 2},
    END};
static const pio_law_constant elastic[] = {END};
static const pio_law_constant *const lists[] = {[PIO_ELASTIC] = elastic,
                                                [PIO_VON_MISES] = von_mises,
                                                [PIO_DRUCKER_PRAGER] = drucker_prager,
                                                [PIO_HERSCHEL_BULKLEY] = herschel_bulkley,
                                                [PIO_SNOW] = snow};

/* Returns the constants of the material's plastic law, in the order of kernels/material/plasticity.h; a NULL key ends
 * them. An elastic material has none. */
static const pio_law_constant *constants_of(const scene_material *m)
{
    return lists[m->plasticity];
}

static const pio_law_constant *find(const pio_law_constant *list, const char *key)
{
    for (; list->key; list++)
        if (!strcmp(list->key, key)) return list;
    return NULL;
}

const pio_law_constant *pio_plastic_constant_of(const scene_material *m, const char *key)
{
    return find(constants_of(m), key);
}

const pio_law_constant *pio_plastic_every_constant(int i)
{
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (const pio_law_constant *c = lists[l]; c->key; c++) {
            bool known = false;
            for (size_t k = 0; k < l; k++) known |= find(lists[k], c->key) != NULL;
            if (!known && i-- == 0) return c;
        }
    return NULL;
}

void pio_plastic_parameters(const scene_material *m, double *yield)
{
    memset(yield, 0, PIO_PLASTIC_CONSTANTS * sizeof *yield);
    for (const pio_law_constant *c = constants_of(m); c->key; c++)
        memcpy(&yield[c->number], (const char *)m + c->offset, sizeof *yield);
}

bool pio_scene_is_plastic(const pio_scene *s)
{
    for (size_t b = 0; s->method.type == SCENE_MPM && b < s->matter.n_bodies; b++) {
        const scene_material *m = pio_scene_material(s, s->matter.bodies[b].material);
        if (m && m->plasticity != PIO_ELASTIC) return true;
    }
    return false;
}
