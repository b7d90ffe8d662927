/* stress_fields.c -- see stress_fields.h. */
#include "host/results/stress_fields.h"

#include "host/scene/scene_query.h"

enum { PLACES = 3, TENSOR = 9 }; /* of pio_stress_place, bit by bit */

static const pio_snapshot_location locations[PLACES] = {PIO_SNAPSHOT_CELL, PIO_SNAPSHOT_POINT,
                                                        PIO_SNAPSHOT_INTEGRATION};

/* A field with its name and meaning at each place. */
static const struct {
    scene_state state;
    int components;
    const char *units, *name[PLACES], *meaning[PLACES];
} fields[] = {
    {SCENE_STATE_CAUCHY_STRESS,
     TENSOR,
     "Pa",
     {"cauchy_stress", "cauchy_stress_nodal", "cauchy_stress_points"},
     {"Cauchy's stress, mean over the element", "Cauchy's stress, mean of the elements around the node",
      "Cauchy's stress"}},
    {SCENE_STATE_VON_MISES,
     1,
     "Pa",
     {"von_mises", "von_mises_nodal", "von_mises_points"},
     {"von Mises' stress, mean over the element", "von Mises' stress, mean of the elements around the node",
      "von Mises' stress"}},
    {SCENE_STATE_GREEN_STRAIN,
     TENSOR,
     "1",
     {"green_strain", "green_strain_nodal", "green_strain_points"},
     {"Green's strain, mean over the element", "Green's strain, mean of the elements around the node",
      "Green's strain"}},
    {SCENE_STATE_J,
     1,
     "1",
     {"J", "J_nodal", "J_points"},
     {"volume ratio, mean over the element", "volume ratio, mean of the elements around the node", "volume ratio"}},
    {SCENE_STATE_ENERGY_DENSITY,
     1,
     "J/m3",
     {"energy_density", "energy_density_nodal", "energy_density_points"},
     {"strain energy per volume at rest, mean over the element",
      "strain energy per volume at rest, mean of the elements around the node", "strain energy per volume at rest"}},
};

/* A field that nodes have alone, by its own name. */
static const struct {
    scene_state state;
    bool vector;
    const char *units, *meaning;
} of_nodes[] = {
    {SCENE_STATE_REACTION, true, "N", "force of the supports on the constrained nodes, 0 elsewhere"},
    {SCENE_STATE_CONTACT_FORCE, true, "N", "force of obstacles, with friction, and other surfaces on the node"},
    {SCENE_STATE_CONTACT_PRESSURE, false, "Pa", "that force without friction for the node's part of the area at rest"},
    {SCENE_STATE_GAP, false, "m", "distance to the nearest obstacle or other surface, as far as these touch"},
};

bool pio_stress_field_of(const pio_scene *s, int i, pio_snapshot_field *out)
{
    const int places = pio_scene_stress_places(s);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        for (int p = 0; p < PLACES; p++) {
            if (!pio_scene_has_state(s, fields[k].state) || !(places >> p & 1) || i-- > 0) continue;
            *out = (pio_snapshot_field){.name = fields[k].name[p],
                                        .components = fields[k].components,
                                        .units = fields[k].units,
                                        .meaning = fields[k].meaning[p],
                                        .when = PIO_SNAPSHOT_FRAME,
                                        .location = locations[p]};
            return true;
        }
    for (size_t k = 0; k < sizeof of_nodes / sizeof *of_nodes; k++) {
        if (!pio_scene_has_state(s, of_nodes[k].state) || i-- > 0) continue;
        *out = (pio_snapshot_field){.name = pio_state_words[of_nodes[k].state],
                                    .components = of_nodes[k].vector ? s->method.dimension : 1,
                                    .units = of_nodes[k].units,
                                    .meaning = of_nodes[k].meaning,
                                    .when = PIO_SNAPSHOT_FRAME};
        return true;
    }
    *out = (pio_snapshot_field){.name = "relative_density",
                                .components = 1,
                                .units = "1",
                                .meaning = "part of the element's volume that is filled",
                                .when = PIO_SNAPSHOT_FRAME,
                                .location = PIO_SNAPSHOT_CELL};
    const int filled = pio_scene_has_partial_bodies(s);
    if (i < filled) return true;
    *out = (pio_snapshot_field){.name = "choice",
                                .components = 1,
                                .units = "1",
                                .meaning = "part of what is filled that is the body's own material",
                                .when = PIO_SNAPSHOT_FRAME,
                                .location = PIO_SNAPSHOT_CELL};
    return i == filled && pio_scene_has_second_materials(s);
}

bool pio_integration_field_of(const pio_scene *s, int i, pio_snapshot_field *out)
{
    const pio_snapshot_field known[] = {
        {.name = "element_points", .components = 1, .units = "1", .meaning = "number of the element", .integer = true},
        {.name = "rest_position_points",
         .components = s->method.dimension,
         .units = "m",
         .meaning = "position at rest"},
        {.name = "volume_points", .components = 1, .units = "m3", .meaning = "part of the element's volume at rest"}};
    if (i >= (int)(sizeof known / sizeof *known) || !(pio_scene_stress_places(s) & PIO_STRESS_AT_POINTS)) return false;
    *out = known[i];
    out->when = PIO_SNAPSHOT_STATIC;
    out->location = PIO_SNAPSHOT_INTEGRATION;
    return true;
}
