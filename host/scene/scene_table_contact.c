/* scene_table_contact.c -- the table of `contact`: which bodies have velocity fields of their own, and what is between
 * them. */
#include "host/scene/scene_table.h"

static const cfg_field field_fields[] = {
    {"bodies", CFG_TEXTS, AT(scene_field, bodies), .required = true,
     .meaning = "names of the bodies that share this velocity field: they stick to each other where they meet"},
    END};
static const cfg_table field_table = {.what = "velocity field", .size = sizeof(scene_field), .fields = field_fields};

static bool on_grid(const void *s)
{
    return ((const pio_scene *)s)->contact.model == PIO_CONTACT_GRID;
}
static bool repels(const void *s)
{
    return ((const pio_scene *)s)->contact.model == PIO_CONTACT_POTENTIAL;
}

static const cfg_field contact_fields[] = {
    {"fields", CFG_LIST, AT(pio_scene, contact.fields), .second = offsetof(pio_scene, contact.n_fields),
     .required = true, .least = 1, .table = &field_table,
     .meaning =
         "velocity fields, at most 4, each a mapping with `bodies`; bodies that no entry names share one more, the "
         "last. Bodies of different fields slide on each other and separate; with model grid the surface where two "
         "fields meet is that of the earlier one, so name flat bodies first, then what slides on them. Each field has "
         "a "
         "grid of its own"},
    {"model", CFG_ENUM, AT(pio_scene, contact.model), .values = pio_contact_model_words,
     .computed = "potential with stiffness, distance or friction_velocity; grid with friction or "
                 "regularisation_velocity, or a design of them; else potential where all bodies are solids, neither "
                 "granular nor snow, and full, and grid where not",
     .meaning = "how fields act on each other: grid exchanges momentum at nodes and takes energy from what collides; "
                "potential lets the particles of solids repel those of other fields by forces that depend on where "
                "they are alone, and returns their energy but for what friction takes"},
    {"friction", CFG_NUMBER, AT(pio_scene, contact.friction), .fallback = "0", NOT_NEGATIVE,
     .meaning = "Coulomb's coefficient between fields; larger lets them slide less"},
    {"friction_velocity", CFG_NUMBER, AT(pio_scene, contact.friction_velocity), .fallback = "1 mm/s", REGULARISATION,
     .present = repels,
     .meaning = "model potential: sliding speed at which friction has 0.7 of its size; bodies that should stick creep "
                "at about this speed, and a larger one makes derivatives milder"},
    {"regularisation_velocity", CFG_NUMBER, AT(pio_scene, contact.regularisation_velocity),
     .computed = "0.1 method.grid.spacing/time.duration", REGULARISATION, .present = on_grid,
     .meaning = "model grid: velocity of approach above which contact stops fields completely; below it contact sets "
                "in smoothly, "
                "so that gradients have no kink, and fields may creep into each other at up to this velocity; larger "
                "is smoother, smaller more accurate"},
    {"stiffness", CFG_NUMBER, AT(pio_scene, contact.stiffness), .quantity = CFG_PRESSURE, POSITIVE,
     .computed = "a quarter of the smallest lambda + 2 mu of the bodies' materials", .present = repels,
     .meaning = "model potential: particles are pushed back by this times how deep they are in another body, for each "
                "spacing and area; larger keeps bodies further apart, takes more energy from collisions, and needs a "
                "smaller time step"},
    {"distance", CFG_NUMBER, AT(pio_scene, contact.distance), .quantity = CFG_LENGTH, POSITIVE,
     .computed = "half of method.grid.spacing", .present = repels,
     .meaning = "model potential: depth over which its stiffness grows from nothing, at most a spacing; larger is "
                "smoother and softer"},
    END};
const cfg_table pio_contact_table = {.what = "contact", .fields = contact_fields};
