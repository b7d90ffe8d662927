/* scene_table_material.c -- the tables of materials: what particles and what meshes are made of. */
#include "host/scene/law.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"
#include "piola.h"

#define AT(member) .offset = offsetof(scene_material, member), .size = sizeof(((scene_material *)0)->member)
#define POSITIVE .range = {CFG_OVER, 0, 0}
#define NOT_NEGATIVE .range = {CFG_FROM, 0, 0}
#define MOONEY LAW_BIT(PIO_HYPER_MOONEY_RIVLIN)
#define OGDEN LAW_BIT(PIO_HYPER_OGDEN)
#define ELASTIC (LAWS_HYPERELASTIC & ~LAWS_OWN)
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

static bool by_engineering(const void *m)
{
    return !((const scene_material *)m)->by_lame_parameters;
}
static bool by_lame_parameters(const void *m)
{
    return ((const scene_material *)m)->by_lame_parameters;
}
static bool is_plastic(const void *m)
{
    return ((const scene_material *)m)->plasticity != PIO_ELASTIC;
}
static bool has_density(const void *m)
{
    return ((const scene_material *)m)->density > 0;
}
static bool is_damped(const void *m)
{
    return ((const scene_material *)m)->mass_damping > 0;
}
static bool is_stiffly_damped(const void *m)
{
    return ((const scene_material *)m)->stiffness_damping > 0;
}

/* Of meshes a constant may be an expression, in whose place a number of the usual size stands. */
#define NUMBER(member, usual)
#define OR_TEXT(member, usual) .texts = offsetof(scene_material, texts.member), .instead_of = (usual),

/* Both tables begin with these keys: name, law and the constants of solids. TEXT says whether these may be expressions.
 * E_effect and nu_effect end the meanings of E and nu. */
// clang-format off
#define LAW_FIELDS(TEXT, E_effect, nu_effect, ...)                                                                     \
    {"name", CFG_NAME, AT(name), .required = true, .meaning = "name that bodies and design paths use"},                \
    {"model", CFG_ENUM, AT(model), .required = true, .values = piola_laws, __VA_ARGS__},                            \
    {"E", CFG_NUMBER, AT(E), TEXT(E, 1e6)                                                                              \
     .quantity = CFG_PRESSURE, POSITIVE, .only = ELASTIC, .present = by_engineering,                                   \
     .meaning = "Young's modulus; larger is stiffer" E_effect},                                                        \
    {"nu", CFG_NUMBER, AT(nu), TEXT(nu, 0.3)                                                                           \
     .range = {CFG_OVER | CFG_BELOW, -1, 0.5}, .only = ELASTIC, .present = by_engineering,                             \
     .meaning = "Poisson's ratio; near 0.5 the volume hardly changes" nu_effect},                                      \
    {"mu", CFG_NUMBER, AT(mu), TEXT(mu, 1e6)                                                                           \
     .quantity = CFG_PRESSURE, POSITIVE, .only = ELASTIC, .present = by_lame_parameters,                               \
     .meaning = "shear modulus (second Lame constant), instead of E and nu"},                                          \
    {"lambda", CFG_NUMBER, AT(lambda), TEXT(lambda, 1e6)                                                               \
     .quantity = CFG_PRESSURE, .only = ELASTIC, .present = by_lame_parameters,                                         \
     .meaning = "first Lame constant, above -2/3 mu; larger resists volume change more"},                              \
    {"c10", CFG_NUMBER, AT(c10), TEXT(c10, 1e6)                                                                        \
     .required = true, .quantity = CFG_PRESSURE, .only = MOONEY,                                                       \
     .meaning = "factor of the first isochoric invariant; mu = 2 (c10 + c01) must be above 0"},                        \
    {"c01", CFG_NUMBER, AT(c01), TEXT(c01, 1e6)                                                                        \
     .required = true, .quantity = CFG_PRESSURE, .only = MOONEY,                                                       \
     .meaning = "factor of the second isochoric invariant"},                                                           \
    {"mu1", CFG_NUMBER, AT(mu1), TEXT(mu1, 1e6)                                                                        \
     .required = true, .quantity = CFG_PRESSURE, .only = OGDEN,                                                        \
     .meaning = "modulus of the first term"},                                                                          \
    {"alpha1", CFG_NUMBER, AT(alpha1), TEXT(alpha1, 2)                                                                 \
     .required = true, .only = OGDEN,                                                                                  \
     .meaning = "exponent of the first term; mu1 alpha1 + mu2 alpha2 must be above 0"},                                \
    {"mu2", CFG_NUMBER, AT(mu2), TEXT(mu2, 1e6)                                                                        \
     .fallback = "0", .quantity = CFG_PRESSURE, .only = OGDEN,                                                         \
     .meaning = "modulus of the second term"},                                                                         \
    {"alpha2", CFG_NUMBER, AT(alpha2), TEXT(alpha2, 2)                                                                 \
     .fallback = "2", .only = OGDEN, .meaning = "exponent of the second term"},                                        \
    {"volumetric_energy", CFG_ENUM, AT(volume), .fallback = "standard", .values = pio_volume_words,                    \
     .only = LAWS_VOLUME,                                                                                              \
     .meaning = "energy of a change of volume: standard is lambda/2 (ln J)^2 (neo_hookean) or "                        \
                "bulk/4 (J^2 - 1 - 2 ln J), quadratic the same constant times (J - 1)^2/2, which is softer in "        \
                "compression; small strains do not differ"}
// clang-format on

static const cfg_field particle_fields[] = {
    LAW_FIELDS(
        NUMBER, ", and needs a smaller time step", ", and the time step shrinks", .without = LAW_BIT(PIO_HYPER_LINEAR),
        .instead =
            "takes a rotation for a strain, and particles rotate; use fixed_corotated, which is the same for small "
            "strains",
        .meaning = "constitutive law: an elastic solid, or the fluids linear_fluid and tait; neo_hookean is the "
                   "fastest, neo_hookean_iso splits off the volume"),
    {"bulk", CFG_NUMBER, AT(bulk), .required = true, .quantity = CFG_PRESSURE, POSITIVE, .only = LAWS_FLUID | LAWS_OWN,
     .meaning = "bulk modulus; larger is less compressible, and needs a smaller time step"},
    {"gamma", CFG_NUMBER, AT(gamma), .fallback = "7", .range = {CFG_FROM | CFG_UP_TO, 1, 100},
     .only = LAW_BIT(PIO_TAIT), .meaning = "exponent of Tait's equation; larger stiffens more under compression"},
    {"viscosity", CFG_NUMBER, AT(viscosity), .fallback = "0", .quantity = CFG_VISCOSITY, NOT_NEGATIVE,
     .meaning = "dynamic viscosity eta; larger damps shear faster. A solid gets the Cauchy stress eta (C + C^T) "
                "besides its elastic one (Kelvin-Voigt), C being the velocity gradient; the time step must be at most "
                "density spacing^2/(4 d eta) in d dimensions"},
    {"density", CFG_NUMBER, AT(density), .required = true, .quantity = CFG_DENSITY, POSITIVE,
     .meaning = "mass per volume at rest; larger is heavier and slows the waves"},
    {"plasticity", CFG_MAPPING, .table = &pio_plastic_table,
     .only = LAW_BIT(PIO_HYPER_HENCKY) | LAW_BIT(PIO_HYPER_FIXED_COROTATED), .present = is_plastic,
     .meaning = "how it flows beyond a limit; without it, it is elastic"},
    END};
const cfg_table pio_material_table = {.what = "material",
                                      .size = sizeof(scene_material),
                                      .fields = particle_fields,
                                      .discriminator = "model",
                                      .choice = {{{"E", "nu"}, {"mu", "lambda"}}, true, ELASTIC}};

static const cfg_field element_fields[] = {
    LAW_FIELDS(OR_TEXT, "", " and elements lock", .without = LAWS_FLUID,
               .meaning = "hyperelastic law; linear is for small strains, neo_hookean_iso splits off the volume"),
    {"bulk", CFG_NUMBER, AT(bulk), OR_TEXT(bulk, 1e7).required = true, .quantity = CFG_PRESSURE, POSITIVE,
     .only = LAWS_OWN, .meaning = "bulk modulus; larger is less compressible"},
    {"density", CFG_NUMBER, AT(density), OR_TEXT(density, 1e3).fallback = "0", .quantity = CFG_DENSITY, NOT_NEGATIVE,
     .present = has_density, .meaning = "mass per volume at rest; 0: it has no weight, and cannot move in time"},
    {"expansion", CFG_NUMBER, AT(expansion), OR_TEXT(expansion, 1e-5).fallback = "0", .quantity = CFG_EXPANSION,
     .present = pio_scene_material_expands,
     .meaning = "linear coefficient of thermal expansion: free strain in every direction per bodies[].temperature"},
    {"mass_damping", CFG_NUMBER, AT(mass_damping), .fallback = "0", .quantity = CFG_RATE, NOT_NEGATIVE,
     .present = is_damped, .meaning = "Rayleigh's alpha: forces alpha M v; larger damps slow motions more"},
    {"stiffness_damping", CFG_NUMBER, AT(stiffness_damping), .fallback = "0", .quantity = CFG_TIME, NOT_NEGATIVE,
     .present = is_stiffly_damped,
     .meaning = "Rayleigh's beta: forces beta K v with K the stiffness at rest; larger damps fast motions more"},
    END};
const cfg_table pio_fem_material_table = {.what = "elastic material",
                                          .size = sizeof(scene_material),
                                          .fields = element_fields,
                                          .discriminator = "model",
                                          .choice = {{{"E", "nu"}, {"mu", "lambda"}}, true, ELASTIC}};

const cfg_table *pio_scene_materials(const pio_scene *s)
{
    return s->method.type == SCENE_FEM ? &pio_fem_material_table : &pio_material_table;
}
