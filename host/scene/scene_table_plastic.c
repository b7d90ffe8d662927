/* scene_table_plastic.c -- the table of materials[].plasticity: how particles flow beyond a limit
 * (kernels/material/plasticity.h). */
#include "host/scene/scene_private.h"
#include "host/scene/words.h"

#include <stddef.h>

#define AT(member) .offset = offsetof(scene_material, member), .size = sizeof(((scene_material *)0)->member)
#define ONLY(law) (1u << (law))
#define POSITIVE .range = {CFG_OVER, 0, 0}
#define NOT_NEGATIVE .range = {CFG_FROM, 0, 0}

static const cfg_field fields[] = {
    {"type", CFG_ENUM, AT(plasticity), .required = true, .values = pio_plastic_words, .without = ONLY(PIO_ELASTIC),
     .instead = "is what a material without this key is; remove it",
     .meaning =
         "what limits elastic strain: von_mises (metals), drucker_prager (sand, soil) and herschel_bulkley (pastes, "
         "foams) of model hencky, snow of model fixed_corotated"},
    {"yield_stress", CFG_NUMBER, AT(yield_stress), .required = true, .quantity = CFG_PRESSURE, POSITIVE,
     .only = ONLY(PIO_VON_MISES) | ONLY(PIO_HERSCHEL_BULKLEY),
     .meaning =
         "von Mises stress from which it flows, in shear 1/sqrt(3) of it; larger keeps its shape under larger loads"},
    {"hardening_modulus", CFG_NUMBER, AT(hardening_modulus), .fallback = "0", .quantity = CFG_PRESSURE, NOT_NEGATIVE,
     .only = ONLY(PIO_VON_MISES),
     .meaning = "rise of the yield stress with plastic strain; larger resists more the more it has flowed"},
    {"friction_angle", CFG_NUMBER, AT(friction_angle), .required = true, .quantity = CFG_ANGLE,
     .range = {CFG_OVER | CFG_BELOW, 0, 1.5707963267948966}, .only = ONLY(PIO_DRUCKER_PRAGER),
     .meaning = "angle of internal friction, of the Mohr-Coulomb law in plane strain in 2D and in triaxial compression "
                "in 3D; larger makes steeper heaps"},
    {"cohesion", CFG_NUMBER, AT(cohesion), .fallback = "0", .quantity = CFG_PRESSURE, NOT_NEGATIVE,
     .only = ONLY(PIO_DRUCKER_PRAGER),
     .meaning = "Mohr-Coulomb cohesion; above 0 the material sticks together, up to the tension cohesion / "
                "tan(friction_angle). Volume that opens beyond that is stored and closes first: after a spray it can "
                "be several times the volume at rest, in 'hardening' and in J"},
    {"consistency", CFG_NUMBER, AT(consistency), .required = true, POSITIVE, .only = ONLY(PIO_HERSCHEL_BULKLEY),
     .meaning = "stress above the yield stress at a plastic strain rate of 1/s, in Pa s^exponent; larger flows more "
                "slowly"},
    {"exponent", CFG_NUMBER, AT(exponent), .fallback = "1", .range = {CFG_FROM | CFG_UP_TO, 0.05, 10},
     .only = ONLY(PIO_HERSCHEL_BULKLEY),
     .meaning = "power of the plastic strain rate; below 1 it thins as it flows faster, above 1 it thickens"},
    {"critical_compression", CFG_NUMBER, AT(critical_compression), .fallback = "0.025",
     .range = {CFG_FROM | CFG_BELOW, 0, 1}, .only = ONLY(PIO_SNOW),
     .meaning = "compression from which it packs; smaller packs, and hardens, earlier"},
    {"critical_stretch", CFG_NUMBER, AT(critical_stretch), .fallback = "0.0075", NOT_NEGATIVE, .only = ONLY(PIO_SNOW),
     .meaning = "stretch from which it breaks; smaller breaks into more chunks"},
    {"hardening", CFG_NUMBER, AT(hardening), .fallback = "10", NOT_NEGATIVE, .only = ONLY(PIO_SNOW),
     .meaning = "growth of the moduli with packing, exp(hardening (1 - Jp)); larger is stiffer where packed, weaker "
                "where broken, and needs a smaller time step"},
    {.key = NULL}};
const cfg_table pio_plastic_table = {.what = "plasticity", .fields = fields, .discriminator = "type"};
