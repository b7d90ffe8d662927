/* mpm_state.c -- the arrays of one state, wherever it lies. */
#include "solvers/mpm/mpm.h"

void mpm_state_layout(mpm_sim *sim, mpm_state *s, int integers)
{
    const int ALWAYS = 1, AFFINE = !sim->reversible.used, SOLID = sim->particles.has_solid,
              FLUID = sim->particles.has_fluid;
    const int PLASTIC = sim->plastic.used, PLANE = sim->plastic.used && DIM == 2;
#define INT_FIELD(name, unit, meaning)                                                                                 \
    if (integers) TAKE(&sim->base.arena, s->name, sim->particles.n);
#define FIELD(name, components, when, unit, meaning)                                                                   \
    if (when) TAKE(&sim->base.arena, s->name, field_size(sim->particles.n, components));
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
}

mpm_state mpm_state_at(mpm_sim *sim, char *memory)
{
    const pio_arena kept = sim->base.arena;
    mpm_state s = {0};
    sim->base.arena = (pio_arena){.backend = kept.backend, .base = memory, .size = sim->base.slot_bytes};
    mpm_state_layout(sim, &s, 1);
    sim->base.arena = kept;
    return s;
}
