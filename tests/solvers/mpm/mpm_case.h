/* mpm_case.h -- builds descriptions for the engine that a test is linked with: a grid box, bodies of particles,
 * observations and designs; runs them, and hashes what comes out. A failure of the builder fails the running test. */
#ifndef PIOLA_TESTS_MPM_CASE_H
#define PIOLA_TESTS_MPM_CASE_H

#include "host/verify/taylor.h"
#include "solvers/driver/driver.h"
#include "tests/solvers/engine/sample_terms.h"

enum { CASE_DIM = PIO_DIM, CASE_MOST = 24, CASE_VARIABLES = 1 << 14 };

/* A body: what all its particles have in common. */
typedef struct {
    pio_law law;
    int parameter_form;                   /* 1: the parameters are mu, lambda */
    double parameters[PIO_LAW_CONSTANTS]; /* as in pio_particles_desc */
    double density;                       /* kg/m^3 */
    double velocity[3];                   /* m/s, of the centre */
    double spin[3][3];                    /* velocity gradient 1/s */
    double centre[3];                     /* of the spin, m */
    double viscosity;                     /* of a solid, Pa s */
} case_body;

/* What tests try one after another. */
typedef struct {
    const char *name;
    pio_law law;
    int parameter_form;
    double parameters[PIO_LAW_CONSTANTS];
} case_material;
case_body case_body_of(const case_material *m, double density);

typedef struct {
    pio_engine_desc desc;
    int64_t n, room;
    double *position, *velocity, *volume, *density, *parameters;
    double *viscosity;                              /* [n] of solids */
    int32_t *field;                                 /* [n] velocity field, by body; desc.particles.fields of them */
    int viscous;                                    /* some solid is, or is to be: the description has them */
    int32_t *law, *parameter_form, *body, *channel; /* channel: NULL until a body has one */
    int32_t *plasticity;                            /* and its constants: NULL until a body is plastic */
    double *yield;
    double spin[CASE_MOST][CASE_DIM * CASE_DIM]; /* contiguous: [bodies][dim][dim] */
    pio_channel_desc channels[CASE_MOST];
    double fibre[CASE_MOST][CASE_DIM];
    pio_observation_desc observation[CASE_MOST];
    pio_design_desc design[CASE_MOST];
    pio_sample_weight *sample_weight;
    int32_t *owned[4 * CASE_MOST]; /* index and marker tables, freed with the case */
    double *points[CASE_MOST];
    int n_owned, n_points;
    int samples, variables;          /* numbers in all */
    double linear[256], square[256]; /* J = sum_k linear_k y_k + square_k y_k^2 / 2 */
    uint64_t random;
} mpm_case;

/* nodes per axis (the unused third is ignored), spacing m, time step s, steps. No walls in reach, no gravity. */
void case_init(mpm_case *c, int nodes0, int nodes1, int nodes2, double dx, double dt, int64_t steps);
void case_free(mpm_case *c);
void case_wall(mpm_case *c, int axis, int side, pio_wall kind, int node);

/* Put a body that is there into this velocity field; all others are in field 0 until they are. To be called when all
 * particles are there. */
void case_field(mpm_case *c, int body, int field);

/* A random number in [-1, 1), the same for every run. */
double case_random(mpm_case *c);

/* A new body whose particles, `per` to a spacing and axis, fill the box lo..hi or the ball; each is moved at random by
 * up to `jitter` of the distance between them. Returns the number of the body. */
int case_block(mpm_case *c, const case_body *b, const double lo[3], const double hi[3], int per, double jitter);
int case_ball(mpm_case *c, const case_body *b, const double centre[3], double radius, int per, double jitter);
int case_particle(mpm_case *c, const case_body *b, const double x[3], double volume);
void case_more(mpm_case *c, const case_body *b, int body, const double x[3],
               double volume); /* one particle more of it */

/* A new channel of control that drives all particles of the body along `fibre` (made a unit vector); body -1: none. To
 * be called when all particles are there. Returns its number. */
int case_channel(mpm_case *c, const pio_channel_desc *channel, int body, const double fibre[3]);

/* Make the body plastic; to be called when all particles are there. */
void case_plastic(mpm_case *c, int body, pio_plastic_law law, const double yield[PIO_PLASTIC_CONSTANTS]);

/* An observation of `samples` samples; J gets random weights for its values. Returns its number. */
int case_observe(mpm_case *c, pio_observable type, int body, int samples);
pio_sample_weight *case_sample(mpm_case *c, int observation, int64_t step, int sample,
                               double weight); /* valid until the next */
/* Distance: every second particle of the body gets a point near where it starts, in every sample; one is left out. */
int case_observe_distance(mpm_case *c, int body, int samples, double reach);

typedef enum { CASE_SCALAR, CASE_GROUPS, CASE_EACH } case_per;
/* A design of the particles of one body: as one group, as two halves or each by itself; value = a + b z, or exp of it.
 * body -1: every particle. Control: one variable per channel so far, whatever `per`; of an obstacle: the caller sets
 * `which`. Returns its number. */
int case_design(mpm_case *c, pio_quantity quantity, int body, case_per per, int logarithmic, double a, double b);
/* Likewise the shifts along an axis at all points of the motion of obstacle o, or with axis -1 its angles. */
int case_design_motion(mpm_case *c, int o, int axis, double a, double b);
/* The same of `count` values of control from number `first` on. */
int case_design_values(mpm_case *c, int first, int count, double a, double b);
int case_design_first(const mpm_case *c, int design); /* its first variable */
int case_design_count(const mpm_case *c, int design);

/* The description's arrays are those of the case. */
void case_describe(mpm_case *c);
/* Make the engine's copy. slots: states that can be saved; threads 0: one. */
pio_sim *case_create(mpm_case *c, int64_t slots, int threads);
static inline sample_terms case_terms(const mpm_case *c)
{
    return (sample_terms){c->samples, c->linear, c->square};
}
/* J at z; the run must be without faults. */
double case_forward(mpm_case *c, pio_sim *sim, const double *z);
/* J, and dJ/dz in z_bar, by the given schedule (NULL: keep everything). */
double case_gradient(mpm_case *c, pio_sim *sim, pio_schedule *schedule, const double *z, double *z_bar);

/* Kinks near which the last gradient went, of the kind whose description has this text; fails where there is none. */
int64_t case_kinks(pio_sim *sim, const char *text, pio_kinks *kinks);

/* A field in id order: [n][components], to be freed. */
double *case_read(pio_sim *sim, const char *field, int64_t n);

/* Print both and fail unless |measured| <= limit (NaN fails). f32 engines: the limit is the second one. */
void case_below(const char *what, double measured, double limit64, double limit32);
int case_is_f32(void);

/* FNV-1a, 64 bits (Fowler, Noll, Vo), continued from `hash`. */
#define CASE_HASH_START UINT64_C(14695981039346656037)
uint64_t case_hash(uint64_t hash, const void *bytes, size_t count);
/* Of every field of the current state, or of every gradient after adjoint_end. */
uint64_t case_hash_state(pio_sim *sim, int64_t n);
uint64_t case_hash_gradients(pio_sim *sim, int64_t n);

#endif
