/* sim_touch.c -- which steps contribute to which samples, and the weights of observed points. */
#include "solvers/engine/sim.h"

#include <math.h>

int sim_first_touch(const pio_sim *sim, int64_t index)
{
    int low = 0, high = sim->n_touches;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sim->touches[middle].step < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int sim_uses_previous_state(const pio_sim *sim, int64_t index)
{
    for (int i = sim_first_touch(sim, index); i < sim->n_touches && sim->touches[i].step == index; i++)
        if (sim->touches[i].past > 0) return 1;
    return 0;
}

int sim_ever_uses_previous_state(const pio_engine_desc *desc)
{
    for (int i = 0; i < desc->n_touches; i++)
        if (desc->touches[i].past > 0) return 1;
    return 0;
}

void sim_weigh_points(const pio_observation_desc *d, double *sums)
{
    for (ptrdiff_t s = 0; s < d->samples; s++)
        for (ptrdiff_t r = s * d->rows; r < (s + 1) * d->rows; r++)
            if (!isnan(d->points[r * DIM])) sums[s] += d->point_weight ? d->point_weight[r] : 1;
}
