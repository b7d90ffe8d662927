/* law.c -- see law.h. */
#include "host/scene/law.h"

#include <stdio.h>
#include <string.h>

const char *const piola_laws[] = {[PIO_HYPER_LINEAR] = "linear",
                                  [PIO_HYPER_ST_VENANT] = "st_venant_kirchhoff",
                                  [PIO_HYPER_FIXED_COROTATED] = "fixed_corotated",
                                  [PIO_HYPER_NEO_HOOKEAN] = "neo_hookean",
                                  [PIO_HYPER_NEO_HOOKEAN_ISO] = "neo_hookean_iso",
                                  [PIO_HYPER_STABLE_NEO_HOOKEAN] = "stable_neo_hookean",
                                  [PIO_HYPER_MOONEY_RIVLIN] = "mooney_rivlin",
                                  [PIO_HYPER_OGDEN] = "ogden",
                                  [PIO_HYPER_HENCKY] = "hencky",
                                  [PIO_LINEAR_FLUID] = "linear_fluid",
                                  [PIO_TAIT] = "tait",
                                  NULL};

#define AT(member) offsetof(scene_material, member)
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

static const pio_law_constant engineering[] = {
    {"E", "Pa", "Young's modulus", AT(E), 0}, {"nu", "1", "Poisson's ratio", AT(nu), 1}, END};
static const pio_law_constant lame_parameters[] = {
    {"mu", "Pa", "shear modulus mu", AT(mu), 0}, {"lambda", "Pa", "Lame constant lambda", AT(lambda), 1}, END};
static const pio_law_constant mooney[] = {{"c10", "Pa", "constant c10", AT(c10), 0},
                                          {"c01", "Pa", "constant c01", AT(c01), 1},
                                          {"bulk", "Pa", "bulk modulus", AT(bulk), 2},
                                          END};
static const pio_law_constant ogden[] = {
    {"mu1", "Pa", "constant mu1", AT(mu1), 0},   {"alpha1", "1", "exponent alpha1", AT(alpha1), 1},
    {"mu2", "Pa", "constant mu2", AT(mu2), 2},   {"alpha2", "1", "exponent alpha2", AT(alpha2), 3},
    {"bulk", "Pa", "bulk modulus", AT(bulk), 4}, END};
static const pio_law_constant fluid[] = {
    {"bulk", "Pa", "bulk modulus", AT(bulk), 0}, {"viscosity", "Pa.s", "viscosity", AT(viscosity), 2}, END};
static const pio_law_constant tait[] = {{"bulk", "Pa", "bulk modulus", AT(bulk), 0},
                                        {"gamma", "1", "exponent of the Tait law", AT(gamma), 1},
                                        {"viscosity", "Pa.s", "viscosity", AT(viscosity), 2},
                                        END};

static const pio_law_constant *of_law(pio_law law, bool by_lame_parameters)
{
    switch (law) {
    case PIO_HYPER_MOONEY_RIVLIN:
        return mooney;
    case PIO_HYPER_OGDEN:
        return ogden;
    case PIO_LINEAR_FLUID:
        return fluid;
    case PIO_TAIT:
        return tait;
    default:
        return by_lame_parameters ? lame_parameters : engineering;
    }
}

/* Returns the constants of the material's law in its form (E, nu or mu, lambda); a NULL key ends them. */
static const pio_law_constant *constants_of(const scene_material *m)
{
    return of_law(m->model, m->by_lame_parameters);
}

int pio_law_count(pio_law law)
{
    int count = 0;
    for (const pio_law_constant *c = of_law(law, false); c->key; c++) count = c->number + 1;
    return count;
}

pio_law pio_law_of(const scene_material *m)
{
    return m->volume == SCENE_VOLUME_QUADRATIC ? m->model | PIO_VOLUME_QUADRATIC : m->model;
}

static const pio_law_constant *find(const pio_law_constant *list, const char *key)
{
    for (; list->key; list++)
        if (!strcmp(list->key, key)) return list;
    return NULL;
}

const pio_law_constant *pio_law_constant_of(const scene_material *m, const char *key)
{
    return find(constants_of(m), key);
}

const pio_law_constant *pio_law_every_constant(int i)
{
    static const pio_law_constant *const lists[] = {engineering, lame_parameters, mooney, ogden, tait};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (const pio_law_constant *c = lists[l]; c->key; c++) {
            bool before = false;
            for (size_t k = 0; k < l; k++) before |= find(lists[k], c->key) != NULL;
            if (!before && i-- == 0) return c;
        }
    return NULL;
}

void pio_law_parameters(const scene_material *m, double *parameters)
{
    memset(parameters, 0, PIO_LAW_CONSTANTS * sizeof *parameters);
    for (const pio_law_constant *c = constants_of(m); c->key; c++)
        memcpy(&parameters[c->number], (const char *)m + c->offset, sizeof *parameters);
}

pio_law pio_law_named(const char *name, unsigned laws)
{
    for (pio_law law = 0; piola_laws[law]; law++)
        if (LAW_BIT(law) & laws && !strcmp(piola_laws[law], name)) return law;
    return -1;
}

void pio_law_like(pio_law law, double E, double nu, double *parameters)
{
    const double mu = E / (2 * (1 + nu)), bulk = E / (3 * (1 - 2 * nu));
    const double usual[] = {E, nu, 0, 0, 0}, liquid[] = {E, 7, 0.01, 0, 0};
    const double of_mooney[] = {0.4 * mu, 0.1 * mu, bulk, 0, 0};  /* mu = 2 (c10 + c01) */
    const double of_ogden[] = {0.8 * mu, 2, -0.2 * mu, -2, bulk}; /* mu = (mu_1 alpha_1 + mu_2 alpha_2)/2 */
    const double *own = LAW_BIT(law) & LAWS_FLUID        ? liquid
                        : law == PIO_HYPER_MOONEY_RIVLIN ? of_mooney
                        : law == PIO_HYPER_OGDEN         ? of_ogden
                                                         : usual;
    memcpy(parameters, own, PIO_LAW_CONSTANTS * sizeof *parameters);
}

double pio_law_shear(const scene_material *m, const double *k)
{
    if (m->model == PIO_HYPER_MOONEY_RIVLIN) return 2 * (k[0] + k[1]);
    if (m->model == PIO_HYPER_OGDEN) return (k[0] * k[1] + k[2] * k[3]) / 2;
    return m->by_lame_parameters ? k[0] : k[0] / (2 * (1 + k[1]));
}

double pio_law_poisson(const scene_material *m, const double *k)
{
    const double mu = pio_law_shear(m, k), bulk = k[pio_law_count(m->model) - 1];
    if (LAW_BIT(m->model) & LAWS_OWN) return (3 * bulk - 2 * mu) / (2 * (3 * bulk + mu));
    return m->by_lame_parameters ? k[1] / (2 * (k[0] + k[1])) : k[1];
}

const char *pio_law_fault(const scene_material *m, const double *k, char *text, size_t size)
{
    const double mu = pio_law_shear(m, k);
    if (m->model == PIO_HYPER_MOONEY_RIVLIN && !(mu > 0)) {
        snprintf(text, size, "c10 + c01 = %g Pa; half the shear modulus must be above 0", mu / 2);
        return "c10";
    }
    if (m->model == PIO_HYPER_OGDEN && !(mu > 0)) {
        snprintf(text, size, "mu1 alpha1 + mu2 alpha2 = %g Pa; twice the shear modulus must be above 0", 2 * mu);
        return "mu1";
    }
    if (m->by_lame_parameters && !(3 * k[1] + 2 * k[0] > 0)) {
        snprintf(text, size, "%g Pa makes the material collapse under pressure; it must be above -2/3 mu = %g Pa", k[1],
                 -2 * k[0] / 3);
        return "lambda";
    }
    return NULL;
}
