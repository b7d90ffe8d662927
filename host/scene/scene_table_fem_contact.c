/* scene_table_fem_contact.c -- the table of `contact` of meshes: outer faces that touch each other. */
#include "host/scene/scene_table.h"
#include "host/scene/words.h"

static bool has_room(const void *s)
{
    return ((const pio_scene *)s)->touch.pairs > 0;
}

static const cfg_field contact_fields[] = {
    {"distance", CFG_NUMBER, AT(pio_scene, touch.distance), .required = true, .quantity = CFG_LENGTH, POSITIVE,
     .meaning =
         "distance below which surfaces push each other away, without bound as it goes to 0; less than the "
         "thickness of bodies and the size of their elements; half of it makes contact harder and steps shorter"},
    {"stiffness", CFG_NUMBER, AT(pio_scene, touch.stiffness),
     .computed = "a hundredth of the largest Young's modulus at small strain of all materials",
     .quantity = CFG_PRESSURE, POSITIVE,
     .meaning = "pressure K, about which surfaces press at half the distance; larger keeps them nearer to the "
                "distance apart"},
    {"friction", CFG_NUMBER, AT(pio_scene, touch.friction), .fallback = "0", NOT_NEGATIVE,
     .meaning = "Coulomb's coefficient: of each normal force this fraction acts against sliding; with a larger one "
                "bodies can be gripped and lifted by a smaller pressure, and implicit steps with any are solved with "
                "an unsymmetric matrix"},
    {"friction_velocity", CFG_NUMBER, AT(pio_scene, touch.friction_velocity), .fallback = "1 mm/s", REGULARISATION,
     .meaning = "sliding speed at which friction has 0.7 of its size; bodies that should stick creep at about this "
                "speed, and a larger one makes derivatives milder"},
    {"between", CFG_ENUM, AT(pio_scene, touch.between), .values = pio_touch_words, .fallback = "all",
     .meaning = "what touches: all surfaces, each body itself too; or bodies each other alone, whose elements may then "
                "be smaller than the distance"},
    {"pairs", CFG_INTEGER, AT(pio_scene, touch.pairs),
     .computed = "4 in 2D and 16 in 3D for each node of outer faces, and at least 1000",
     .range = {CFG_FROM | CFG_UP_TO, 1, 1e8}, .present = has_room,
     .meaning = "pairs of pieces of surfaces for which there is room in memory, those near each other at a time; a run "
                "that has more ends, and says how many would do"},
    END};
const cfg_table pio_fem_contact_table = {.what = "contact of meshes", .fields = contact_fields};
