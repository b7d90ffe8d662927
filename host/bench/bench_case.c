/* bench_case.c -- see bench_case.h. */
#include "host/bench/bench_case.h"

#include "host/base/fail.h"
#include "host/scene/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MARGIN = 6, PAD = 2 }; /* free cells on each side; nodes beyond the walls */

static const double spacing = 0.01, density = 1000, modulus = 1e5, poisson = 0.3; /* m, kg/m^3, Pa, - */
static const double courant = 0.2;    /* fraction of a cell that an elastic wave travels in a step */
static const double activation = 100; /* of fibres, Pa */
/* Constants of plastic laws, with which most particles flow in a step: yield stress Pa and hardening Pa;
 * friction angle rad and cohesion Pa; yield stress Pa, consistency Pa s^m and exponent; critical compression and
 * stretch, and hardening. */
static const double yield_constants[PIO_PLASTIC_LAWS][PIO_PLASTIC_CONSTANTS] = {[PIO_VON_MISES] = {20, 1e3, 0},
                                                                                [PIO_DRUCKER_PRAGER] = {0.6, 0, 0},
                                                                                [PIO_HERSCHEL_BULKLEY] = {20, 1, 0.5},
                                                                                [PIO_SNOW] = {5e-4, 5e-4, 5}};

double pio_cpu_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns a number that is uniform in [0, 1): the upper 53 bits of Knuth's 64-bit generator for MMIX. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(*state >> 11), -53);
}

/* Returns the number of free cells on each side of the block. */
static int margin_of(const pio_bench_case_options *o)
{
    return o->loose && o->cells > MARGIN ? o->cells : MARGIN;
}

static void set_grid(pio_bench_case *t, const pio_bench_case_options *o)
{
    pio_grid_desc *g = &t->desc.grid;
    g->spacing = spacing;
    for (int a = 0; a < o->dimension; a++) {
        g->nodes[a] = o->cells + 2 * margin_of(o) + 1 + 2 * PAD;
        g->face[a][0] = PAD;
        g->face[a][1] = g->nodes[a] - 1 - PAD;
        g->wall[a][0] = g->wall[a][1] = PIO_WALL_SEPARATE;
    }
}

/* Returns the speed of plane waves, m/s: sqrt((lambda + 2 mu)/rho) of a solid, sqrt(K/rho) of a fluid. */
static double wave_speed(pio_law law)
{
    const double wave =
        LAW_BIT(law) & LAWS_FLUID ? modulus : modulus * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
    return sqrt(wave / density);
}

static void fill(pio_bench_case *t, const pio_bench_case_options *o)
{
    const int dim = o->dimension, per = o->per_cell, margin = margin_of(o);
    const double centre = (PAD + margin + 0.5 * o->cells) * spacing;
    uint64_t state = 1;
    double sum[3] = {0};
    for (int64_t i = 0; i < t->desc.particles.n; i++) {
        int64_t cell = i / per;
        double r[3] = {0};
        for (int a = dim - 1; a >= 0; a--) {
            const double place = (double)(PAD + margin + cell % o->cells) + uniform(&state);
            t->position[i * dim + a] = place * spacing;
            r[a] = place * spacing - centre;
            cell /= o->cells;
        }
        for (int a = 0; a < dim; a++) {
            const double turn = a == 0 ? -o->spin * r[1] : a == 1 ? o->spin * r[0] : 0;
            t->speed[i * dim + a] = 0.3 - 0.2 * a + 0.2 * (uniform(&state) - 0.5) + turn;
            sum[a] += t->speed[i * dim + a];
        }
        t->volume[i] = pow(spacing, dim) / per;
        t->density[i] = density;
        t->law[i] = o->law;
        pio_law_like(o->law, modulus, poisson, t->law_parameters + PIO_LAW_CONSTANTS * i);
    }
    for (int a = 0; a < dim; a++) t->velocity[a] = sum[a] / (double)t->desc.particles.n;
    t->spin[1] = -o->spin;
    t->spin[dim] = o->spin;
}

/* Exchanges particles until each order is as likely as any other (Knuth 1997, algorithm P), the same order everywhere.
 * */
static void shuffle(pio_bench_case *t, int dim)
{
    uint64_t state = 2;
    for (int64_t i = t->desc.particles.n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(uniform(&state) * (double)(i + 1));
        for (int a = 0; a < dim; a++) {
            double *const fields[2] = {t->position, t->speed};
            for (int k = 0; k < 2; k++) {
                const double kept = fields[k][i * dim + a];
                fields[k][i * dim + a] = fields[k][j * dim + a];
                fields[k][j * dim + a] = kept;
            }
        }
    }
}

pio_law pio_bench_case_law(pio_law law, pio_plastic_law plasticity)
{
    return plasticity == PIO_ELASTIC ? law : plasticity == PIO_SNOW ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_HENCKY;
}

/* Allocates and sets what a material has besides its law. Returns whether there was memory for it. */
static bool add_material(pio_bench_case *t, const pio_bench_case_options *o)
{
    pio_particles_desc *p = &t->desc.particles;
    const size_t n = (size_t)p->n;
    if (o->viscosity > 0) {
        p->viscosity = t->viscosity = malloc(n * sizeof(double));
        for (size_t i = 0; t->viscosity && i < n; i++) t->viscosity[i] = o->viscosity;
        if (!t->viscosity) return false;
    }
    if (o->fibres) {
        t->channel = (pio_channel_desc){.signal = PIO_CONSTANT, .amplitude = activation};
        t->fibre[0] = 1;
        t->desc.channels = &t->channel;
        t->desc.n_channels = 1;
        p->channel = t->zero;
        p->fibre = t->fibre;
    }
    if (o->plasticity == PIO_ELASTIC) return true;
    p->plasticity = t->plasticity = malloc(n * sizeof(int32_t));
    p->yield = t->yield = malloc(PIO_PLASTIC_CONSTANTS * n * sizeof(double));
    if (!t->plasticity || !t->yield) return false;
    for (size_t i = 0; i < n; i++) {
        t->plasticity[i] = (int32_t)o->plasticity;
        memcpy(t->yield + PIO_PLASTIC_CONSTANTS * i, yield_constants[o->plasticity], sizeof *yield_constants);
    }
    return true;
}

static void set_outputs(pio_bench_case *t, const pio_bench_case_options *o)
{
    for (int k = 0; k < 2; k++) {
        t->observations[k] = (pio_observation_desc){
            .type = k ? PIO_MEAN_VELOCITY : PIO_MEAN_POSITION, .components = o->dimension, .samples = 1};
        t->sample_weights[k] = (pio_sample_weight){.step = o->steps, .observation = k, .weight = 1};
    }
    t->design =
        (pio_design_desc){.quantity = PIO_VELOCITY, .components = o->dimension, .groups = 1, .index = t->zero, .b = 1};
    memcpy(t->design.base, t->velocity, sizeof t->velocity);
    t->desc.observations = t->observations;
    t->desc.sample_weights = t->sample_weights;
    t->desc.designs = &t->design;
    t->desc.n_observations = t->desc.n_sample_weights = 2;
    t->desc.n_designs = 1;
}

piola_status pio_bench_case_create(pio_bench_case *t, const pio_bench_case_options *o, piola_error *error)
{
    const int dim = o->dimension;
    const size_t n = (size_t)(pow(o->cells, dim) * o->per_cell + 0.5);
    memset(t, 0, sizeof *t);
    t->position = malloc(n * (size_t)dim * sizeof(double));
    t->speed = malloc(n * (size_t)dim * sizeof(double));
    t->volume = malloc(n * sizeof(double));
    t->density = malloc(n * sizeof(double));
    t->law_parameters = malloc(PIO_LAW_CONSTANTS * n * sizeof(double));
    t->law = malloc(n * sizeof(int32_t));
    t->zero = calloc(n, sizeof(int32_t));
    if (!t->position || !t->speed || !t->volume || !t->density || !t->law_parameters || !t->law || !t->zero) {
        pio_bench_case_free(t);
        return pio_fail_memory(error, n * (size_t)(2 * dim + 8) * sizeof(double), "the particles of a benchmark case");
    }
    t->desc = (pio_engine_desc){.size = sizeof t->desc,
                                .threads = o->threads,
                                .timing = o->timing,
                                .dt = courant * spacing / wave_speed(o->law),
                                .cfl = 0.5,
                                .steps = o->steps,
                                .slots = !o->adjoint    ? 0
                                         : o->steps > 2 ? o->steps
                                                        : 2,
                                .slot_sums = 1,
                                .adjoint = o->adjoint};
    t->desc.gravity[dim - 1] = -9.81;
    t->duration = t->desc.dt * (double)o->steps;
    t->desc.particles = (pio_particles_desc){.n = (int64_t)n,
                                             .position = t->position,
                                             .velocity = t->speed,
                                             .volume = t->volume,
                                             .density = t->density,
                                             .law_parameters = t->law_parameters,
                                             .law = t->law,
                                             .parameter_form = t->zero,
                                             .body = t->zero,
                                             .bodies = 1,
                                             .spin = t->spin};
    if (!add_material(t, o)) {
        pio_bench_case_free(t);
        return pio_fail_memory(error, n * (PIO_PLASTIC_CONSTANTS + 2) * sizeof(double), "the material of a benchmark");
    }
    set_grid(t, o);
    fill(t, o);
    if (o->shuffled) shuffle(t, dim);
    set_outputs(t, o);
    return PIOLA_OK;
}

void pio_bench_case_free(pio_bench_case *t)
{
    free(t->position);
    free(t->speed);
    free(t->volume);
    free(t->density);
    free(t->law_parameters);
    free(t->law);
    free(t->zero);
    free(t->yield);
    free(t->viscosity);
    free(t->plasticity);
    memset(t, 0, sizeof *t);
}

piola_status pio_bench_case_objective(void *context, int64_t sweep, const double *samples, double *J,
                                      double *samples_bar, piola_error *error)
{
    (void)error, (void)sweep;
    *J = samples[0];
    if (samples_bar)
        for (int i = 0; i < PIO_BENCH_CASE_SAMPLES; i++) samples_bar[i] = i == 0;
    if (context) *(double *)context = pio_cpu_clock();
    return PIOLA_OK;
}
