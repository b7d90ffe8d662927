/* sim_sample_weight.c -- which steps contribute to which samples, and the weights of observed points. */
#include "solvers/engine/sim.h"

#include <math.h>

int sim_first_sample_weight(const pio_sim *sim, int64_t index)
{
    int low = 0, high = sim->n_sample_weights;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sim->sample_weights[middle].step < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int sim_uses_previous_state(const pio_sim *sim, int64_t index)
{
    for (int i = sim_first_sample_weight(sim, index); i < sim->n_sample_weights && sim->sample_weights[i].step == index;
         i++)
        if (sim->sample_weights[i].past > 0) return 1;
    return 0;
}

int sim_ever_uses_previous_state(const pio_engine_desc *desc)
{
    for (int i = 0; i < desc->n_sample_weights; i++)
        if (desc->sample_weights[i].past > 0) return 1;
    return 0;
}

void sim_weigh_points(const pio_observation_desc *d, double *sums)
{
    for (ptrdiff_t s = 0; s < d->samples; s++)
        for (ptrdiff_t r = s * d->rows; r < (s + 1) * d->rows; r++)
            if (!isnan(d->points[r * DIM])) sums[s] += d->point_weight ? d->point_weight[r] : 1;
}
