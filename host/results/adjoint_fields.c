/* adjoint_fields.c -- see adjoint_fields.h. */
#include "host/results/adjoint_fields.h"

#include "host/scene/scene_query.h"

static const struct {
    const char *name, *of, *units, *meaning;
    bool of_particles, of_moving, of_static, passed;
} known[] = {
    {"adj_position", "position", "1/m", "derivative of the objective with respect to the position now", true, false,
     false, false},
    {"adj_displacement", "displacement", "1/m",
     "derivative of the objective with respect to the displacement now: how the objective observes it", false, false,
     true, false},
    {"adj_displacement", "displacement", "1/m",
     "derivative of the objective with respect to the displacement now, the velocity being kept; 0 where "
     "constrained",
     false, true, false, false},
    {"adj_velocity", "velocity", "1/(m/s)", "derivative of the objective with respect to the velocity now", true, false,
     false, false},
    {"adj_velocity", "velocity", "1/(m/s)",
     "derivative of the objective with respect to the velocity now, the displacement being kept; 0 where "
     "constrained",
     false, true, false, false},
    {"adj_force", "force", "1/N",
     "derivative of the objective with respect to a force on the node in the equilibrium now: the adjoint "
     "solution, "
     "and what the objective itself observes of forces",
     false, true, true, true},
};

bool pio_adjoint_field_of(const pio_scene *s, int i, pio_snapshot_field *out, bool *passed)
{
    const bool fem = s->method.type == SCENE_FEM, still = fem && s->fem.integrator == PIO_STATIC;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!(fem ? still ? known[k].of_static : known[k].of_moving : known[k].of_particles)) continue;
        if (fem && known[k].passed && scene_leaps(s->fem.integrator)) continue; /* that step has no solve */
        if (i-- > 0) continue;
        *passed = known[k].passed;
        *out = (pio_snapshot_field){known[k].name,    s->method.dimension, known[k].units,
                                    known[k].meaning, .of = known[k].of,   .when = PIO_SNAPSHOT_ADJOINT};
        return true;
    }
    return false;
}
