/* scene_table_contact.c -- the table of `contact`: which bodies have velocity fields of their own, and what is between
 * them. */
#include "host/scene/scene_table.h"

static const cfg_field field_fields[] = {
    {"bodies", CFG_TEXTS, AT(scene_field, bodies), .required = true,
     .meaning = "names of the bodies that share this velocity field: they stick to each other where they meet"},
    END};
static const cfg_table field_table = {.what = "velocity field", .size = sizeof(scene_field), .fields = field_fields};

static const cfg_field contact_fields[] = {
    {"fields", CFG_LIST, AT(pio_scene, contact.fields), .second = offsetof(pio_scene, contact.n_fields),
     .required = true, .least = 1, .table = &field_table,
     .meaning =
         "velocity fields, at most 4, each a mapping with `bodies`; bodies that no entry names share one more, the "
         "last. Bodies of different fields slide on each other and separate; the surface where two fields meet is that "
         "of the earlier one, so name flat bodies first, then what slides on them. Each field has a grid of its own"},
    {"friction", CFG_NUMBER, AT(pio_scene, contact.friction), .fallback = "0", NOT_NEGATIVE,
     .meaning = "Coulomb's coefficient between fields; larger lets them slide less"},
    {"regularisation_velocity", CFG_NUMBER, AT(pio_scene, contact.regularisation_velocity),
     .computed = "0.1 method.grid.spacing/time.duration", REGULARISATION,
     .meaning = "velocity of approach above which contact stops fields completely; below it contact sets in smoothly, "
                "so that gradients have no kink, and fields may creep into each other at up to this velocity; larger "
                "is smoother, smaller more accurate"},
    END};
const cfg_table pio_contact_table = {.what = "contact", .fields = contact_fields};
