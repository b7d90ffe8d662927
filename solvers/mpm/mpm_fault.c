/* mpm_fault.c -- what a fault in the step block says: step, particle and value, in words. Runs only after a failure. */
#include "kernels/contact/contact_pose.h"
#include "kernels/contact/repulsion.h"
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Component values of one particle; NaN where the field cannot be read. */
static void particle_values(mpm_sim *sim, const char *field, int id, double *out, int count)
{
    for (int c = 0; c < count; c++) out[c] = NAN;
    const int components = mpm_components(&sim->base, field);
    double *all = components ? malloc(sizeof *all * (size_t)sim->particles.n * (size_t)components) : NULL;
    if (all && mpm_read(&sim->base, field, all, NULL) == PIOLA_OK)
        for (int c = 0; c < count && c < components; c++) out[c] = all[(ptrdiff_t)id * components + c];
    free(all);
}

static void print_vector(char *out, size_t size, const double *v)
{
    if (DIM == 2)
        snprintf(out, size, "(%.6g, %.6g)", v[0], v[1]);
    else
        snprintf(out, size, "(%.6g, %.6g, %.6g)", v[0], v[1], v[DIM - 1]);
}

/* Largest activation of a particle, Pa: control_most of its channel. */
static double activation_of(mpm_sim *sim, int id)
{
    pio_queue *q = &sim->base.queue;
    int channel = -1;
    double most = 0, value;
    control_knots knots;
    if (sim->control.channel) pio_queue_download(q, &channel, sim->control.channel + id, sizeof channel);
    if (channel < 0) return 0;
    pio_queue_download(q, &knots, sim->control.knots + channel, sizeof knots);
    for (int j = 0; j < knots.count; j++) {
        pio_queue_download(q, &value, sim->control.values + knots.first + j, sizeof value);
        most = fmax(most, fabs(value));
    }
    if (knots.count) return most;
    const ptrdiff_t at = control_at(sim->control.n_channels, CONTROL_AMPLITUDE, channel);
    pio_queue_download(q, &value, sim->control.parameters + at, sizeof value);
    return fabs(value);
}

static piola_failure of_particle(piola_failure_kind kind, int64_t step, int id)
{
    piola_failure what = sim_failure(kind);
    what.step = step;
    what.of = PIOLA_FAILED_PARTICLE;
    what.item = id;
    return what;
}

/* A particle's law, its parameters, and what follows from them. */
typedef struct {
    int law;
    char parameters[160];      /* in words */
    double modulus, viscosity; /* of waves, Pa; Pa s */
} particle_law;

static particle_law law_of(mpm_sim *sim, int id)
{
    particle_law r = {0};
    hyper_constants parameters = {{0}};
    int parameter_form = 0;
    size_t used = 0;
    pio_queue_download(&sim->base.queue, &r.law, sim->material.law + id, sizeof r.law);
    pio_queue_download(&sim->base.queue, &parameter_form, sim->material.parameter_form + id, sizeof parameter_form);
    for (int c = 0; c < law_count(r.law); c++) {
        char field[24];
        double value;
        snprintf(field, sizeof field, "parameter_%d", c);
        particle_values(sim, field, id, &value, 1);
        parameters.k[c] = (real)value;
        used += (size_t)snprintf(r.parameters + used, sizeof r.parameters - used, "%s%.6g", c ? ", " : "", value);
    }
    r.modulus = (double)law_wave_modulus(r.law, law_from_parameters(r.law, parameter_form, parameters));
    if (law_is_fluid(r.law))
        r.viscosity = (double)parameters.k[2];
    else
        r.modulus += activation_of(sim, id);
    if (!law_is_fluid(r.law) && sim->material.viscosity) {
        particle_values(sim, "viscosity", id, &r.viscosity, 1);
        snprintf(r.parameters + used, sizeof r.parameters - used, ", viscosity %.6g", r.viscosity);
    }
    return r;
}

/* Faults found before the first step: constants and time step. */
static piola_status fail_before(mpm_sim *sim, piola_error *error, int kind, int id)
{
    double density, x[DIM];
    char at[96];
    const particle_law of = law_of(sim, id);
    const double modulus = of.modulus, viscosity = of.viscosity;
    particle_values(sim, "density", id, &density, 1);
    particle_values(sim, "position", id, x, DIM);
    print_vector(at, sizeof at, x);
    const double dx = (double)sim->grid.box.dx, c = sqrt(modulus / density);
    const piola_failure step = of_particle(PIOLA_FAILED_TIME_STEP, 0, id);
    if (kind == FAULT_WAVE_CFL)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, step,
            "step 0, particle %d at %s: elastic waves of %.4g m/s cross %.4g cells in one time step of %.4g s, "
            "more than time.cfl_limit = %.4g; a time step of at most %.4g s would be right",
            id, at, c, sim->stepping.dt * c / dx, sim->stepping.dt, sim->stepping.cfl, sim->stepping.cfl * dx / c);
    if (kind == FAULT_VISCOUS)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, step,
            "step 0, particle %d at %s: viscosity %.4g Pa s with density %.4g kg/m3 needs a time step of at most "
            "%.4g s (it is %.4g s)",
            id, at, viscosity, density, density * dx * dx / (4 * DIM * viscosity), sim->stepping.dt);
    return sim_fail_as(
        error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CONSTANTS, 0, id),
        "step 0, particle %d at %s: material constants (%s) with density %.6g kg/m3 are outside what the law allows: "
        "%s",
        id, at, of.parameters, density,
        law_is_fluid(of.law) ? "stiffness, density and gamma must be positive, viscosity not negative"
        : hyper_has_own_parameters(of.law)
            ? "density, the bulk modulus and the shear modulus at rest, 2 (c10 + c01) or (mu1 alpha1 + mu2 alpha2)/2, "
              "must be positive"
            : "stiffness and density must be positive, -1 < nu < 1/2, lambda above -2/3 mu, viscosity not negative");
}

/* Largest stiffness of an obstacle's potential, Pa. */
static double stiffest(mpm_sim *sim)
{
    const sim_obstacles *all = &sim->obstacles.all;
    double stiffness = 0, own = 0;
    for (int o = 0; o < all->n; o++) {
        if (sim->obstacles.number[o] < 0) continue;
        pio_queue_download(&sim->base.queue, &own, all->parameters + obstacle_at(all->n, OBSTACLE_STIFFNESS, o),
                           sizeof own);
        stiffness = fmax(stiffness, own);
    }
    return stiffness;
}

/* The longest time step of particle `id` at an obstacle of this stiffness, and between bodies that repel each other
 * with this `repulsion`, s; see mpm_check_args. */
static double contact_step(mpm_sim *sim, int id, double stiffness, double repulsion)
{
    double density;
    particle_values(sim, "density", id, &density, 1);
    return 2 * (double)sim->grid.box.dx * sqrt(density / (2.9 * law_of(sim, id).modulus + stiffness + 4 * repulsion));
}

static piola_status fail_contact(mpm_sim *sim, piola_error *error, int id)
{
    const double stiffness = stiffest(sim), repulsion = sim->repulsion.stiffness;
    if (repulsion > 0)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_TIME_STEP, 0, id),
            "step 0, particle %d: between bodies whose potential has a stiffness of %.4g Pa, beside obstacles with one "
            "of at most %.4g Pa, it would vibrate too fast for the time step of %.4g s; a time step of at most %.4g s "
            "would be right, or a smaller stiffness",
            id, repulsion, stiffness, sim->stepping.dt, contact_step(sim, id, stiffness, repulsion));
    return sim_fail_as(
        error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_TIME_STEP, 0, id),
        "step 0, particle %d: at an obstacle whose potential has a stiffness of %.4g Pa it would vibrate "
        "too fast for the time step of %.4g s; a time step of at most %.4g s would be right, or a smaller "
        "stiffness",
        id, stiffness, sim->stepping.dt, contact_step(sim, id, stiffness, 0));
}

/* The coefficients of the distances of all meshes, m, which the caller frees; NULL: there are none, or no memory. */
static real *mesh_coefficients(mpm_sim *sim)
{
    const sim_obstacles *all = &sim->obstacles.all;
    size_t count = 0;
    for (int o = 0; o < all->n; o++) {
        obstacle_shape shape = {0};
        size_t own = 1;
        pio_queue_download(&sim->base.queue, &shape, all->shape + o, sizeof shape);
        for (int a = 0; a < DIM; a++) own *= (size_t)shape.count[a];
        if (shape.type == PIO_CLOSED_MESH && (size_t)shape.first + own > count) count = (size_t)shape.first + own;
    }
    real *out = count ? malloc(sizeof *out * count) : NULL;
    if (out) pio_queue_download(&sim->base.queue, out, all->coefficients, sizeof *out * count);
    return out;
}

/* How deep the place x is in an obstacle with a potential, m, below 0 outside, where obstacles stand at the beginning;
 * *obstacle is the one in which it is deepest. */
static double depth_at_start(mpm_sim *sim, const double *x, int *obstacle)
{
    pio_queue *q = &sim->base.queue;
    const sim_obstacles *all = &sim->obstacles.all;
    real *coefficients = mesh_coefficients(sim);
    double deepest = -INFINITY;
    for (int o = 0; o < all->n; o++) {
        obstacle_shape shape = {0};
        obstacle_pose pose = {.turn = {{{0}}}};
        vec way;
        if (sim->obstacles.number[o] < 0) continue;
        pio_queue_download(q, &shape, all->shape + o, sizeof shape);
        pio_queue_download(q, &pose, all->pose + o, sizeof pose);
        for (int c = 0; c < DIM; c++) way.x[c] = (real)(x[c] - (double)pose.centre[c]);
        if (shape.type == PIO_CLOSED_MESH && !coefficients) continue;
        const double depth = -(double)obstacle_near_of(&shape, pose.scale, coefficients, mat_t_apply(pose.turn, way)).d;
        if (!(depth > deepest)) continue;
        deepest = depth;
        *obstacle = o;
    }
    free(coefficients);
    return deepest;
}

/* Begins inside an obstacle. */
static piola_status fail_start(mpm_sim *sim, piola_error *error, int id, const char *at, double depth, int obstacle)
{
    return sim_fail_as(error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CONTACT, 0, id),
                       "step 0, particle %d at %s: begins about %.3g m deep in obstacles[%d], whose potential would "
                       "shoot it out; bodies that begin beside obstacles, or at most an eighth of a spacing of the "
                       "grid in them, %.3g m, would be right",
                       id, at, depth, obstacle, (double)sim->grid.box.dx / 8);
}

/* Found at the beginning of a step. */
static piola_status fail_depth(mpm_sim *sim, piola_error *error, int64_t step, int id)
{
    double x[DIM], v[DIM];
    char at[96], velocity[96];
    const double stiffness = 4 * stiffest(sim);
    mpm_state *now = &sim->particles.state[sim->particles.current];
    const mpm_state kept = *now;
    if (sim->base.index > 0) *now = mpm_state_number(sim, step + 1);
    particle_values(sim, "position", id, x, DIM);
    particle_values(sim, "velocity", id, v, DIM);
    *now = kept;
    print_vector(at, sizeof at, x);
    print_vector(velocity, sizeof velocity, v);
    return sim_fail_as(
        error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_TIME_STEP, step, id),
        "step %lld (t = %.6g s), particle %d at %s: with velocity %s m/s it comes deeper into an obstacle than a "
        "spacing "
        "of the grid or a quarter of the obstacle's thickness, where its potential does not hold; a stiffness of %.4g "
        "Pa "
        "with a time step of at most %.4g s would go a quarter as deep, or a thicker obstacle would be right",
        (long long)step, (double)(step + 1) * sim->stepping.dt, id, at, velocity, stiffness,
        contact_step(sim, id, stiffness, sim->repulsion.stiffness));
}

/* The particle of another velocity field that is nearest to particle `id`, places being [n][DIM]; -1 without memory. */
static int nearest_other(mpm_sim *sim, int id, const double *places)
{
    int *cell = malloc(sizeof *cell * (size_t)sim->particles.n), *ids = malloc(sizeof *ids * (size_t)sim->particles.n);
    const mpm_state *now = &sim->particles.state[sim->particles.current];
    const size_t bytes = sizeof *cell * (size_t)sim->particles.n;
    int nearest = -1, own = 0;
    double least = INFINITY;
    if (cell && ids) {
        pio_queue_download(&sim->base.queue, cell, now->cell, bytes);
        pio_queue_download(&sim->base.queue, ids, now->id, bytes);
    }
    for (int p = 0; cell && ids && p < sim->particles.n; p++)
        if (ids[p] == id) own = cell[p] / sim->grid.box.field_nodes;
    for (int p = 0; cell && ids && p < sim->particles.n; p++) {
        double square = 0;
        for (int a = 0; a < DIM; a++)
            square += pow(places[(ptrdiff_t)ids[p] * DIM + a] - places[(ptrdiff_t)id * DIM + a], 2);
        if (cell[p] / sim->grid.box.field_nodes == own || !(square < least)) continue;
        least = square;
        nearest = ids[p];
    }
    free(cell);
    free(ids);
    return nearest;
}

/* The depth of particle `id` in the velocity field of particle `other`'s body, m: what mpm_repel_fill makes of the
 * sum, here over all particles of that body. */
static double depth_in(mpm_sim *sim, int id, int other, const double *places)
{
    const int n = sim->particles.n;
    const double dx = (double)sim->grid.box.dx;
    int *body = malloc(sizeof *body * (size_t)n);
    real *radius = malloc(sizeof *radius * (size_t)n);
    double sum = 0, depth = NAN;
    if (body && radius && other >= 0) {
        pio_queue_download(&sim->base.queue, body, sim->particles.body, sizeof *body * (size_t)n);
        pio_queue_download(&sim->base.queue, radius, sim->obstacles.radius, sizeof *radius * (size_t)n);
        for (int q = 0; q < n; q++) {
            vec y;
            for (int a = 0; a < DIM; a++)
                y.x[a] = (real)((places[(ptrdiff_t)id * DIM + a] - places[(ptrdiff_t)q * DIM + a]) / dx);
            if (body[q] == body[other])
                sum += pow(2 * (double)radius[q] / dx, DIM) * (double)repulsion_kernel_of(y).value;
        }
        depth = (double)repulsion_depth((real)sum, sim->grid.box.dx);
    }
    free(body);
    free(radius);
    return depth;
}

/* A particle in another body: at the start, or so deep that the potential does not hold. Found at the beginning of a
 * step. */
static piola_status fail_bodies(mpm_sim *sim, piola_error *error, int kind, int64_t step, int id)
{
    const int n = sim->particles.n;
    mpm_state *now = &sim->particles.state[sim->particles.current];
    const mpm_state kept = *now;
    const double stiffness = 4 * sim->repulsion.stiffness;
    double *places = malloc(sizeof *places * (size_t)n * DIM), v[DIM];
    int other = -1, obstacle = -1;
    double depth = NAN, sunk = -INFINITY;
    char at[96] = "?", velocity[96];
    if (sim->base.index > 0) *now = mpm_state_number(sim, step + 1);
    particle_values(sim, "velocity", id, v, DIM);
    if (places && mpm_read(&sim->base, "position", places, NULL) == PIOLA_OK) {
        print_vector(at, sizeof at, places + (ptrdiff_t)id * DIM);
        if (kind == FAULT_OVERLAP) sunk = depth_at_start(sim, places + (ptrdiff_t)id * DIM, &obstacle);
        other = nearest_other(sim, id, places);
        depth = depth_in(sim, id, other, places);
    }
    *now = kept;
    free(places);
    print_vector(velocity, sizeof velocity, v);
    if (kind == FAULT_OVERLAP && sunk > 0) return fail_start(sim, error, id, at, sunk, obstacle);
    if (kind == FAULT_OVERLAP)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CONTACT, 0, id),
            "step 0, particle %d at %s: begins about %.3g m deep in another body, beside its particle "
            "%d; bodies of different velocity fields that begin apart would be right, or contact on the grid",
            id, at, depth, other);
    return sim_fail_as(
        error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CONTACT, step, id),
        "step %lld (t = %.6g s), particle %d at %s: with velocity %s m/s it is about %.3g m deep in another body, "
        "beside its particle %d, where the potential between bodies does not hold; a stiffness of %.4g Pa with a time "
        "step of at most %.4g s, or bodies thicker than three spacings of the grid, would be right",
        (long long)step, (double)(step + 1) * sim->stepping.dt, id, at, velocity, depth, other, stiffness,
        contact_step(sim, id, stiffest(sim), stiffness));
}

static const char *const plastic_ranges[PIO_PLASTIC_LAWS] = {
    [PIO_VON_MISES] = "von_mises: yield_stress must be above 0, hardening_modulus at least 0",
    [PIO_DRUCKER_PRAGER] = "drucker_prager: friction_angle must be between 0 and 90 degrees, cohesion at least 0",
    [PIO_HERSCHEL_BULKLEY] = "herschel_bulkley: yield_stress, consistency and exponent must be above 0",
    [PIO_SNOW] = "snow: critical_compression must be from 0 to below 1, critical_stretch and hardening at least 0"};

static piola_status fail_plastic(mpm_sim *sim, piola_error *error, int id)
{
    double y[PIO_PLASTIC_CONSTANTS], x[DIM];
    char at[96];
    int law = 0;
    pio_queue_download(&sim->base.queue, &law, sim->plastic.law + id, sizeof law);
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) {
        char field[24];
        snprintf(field, sizeof field, "yield_%d", c);
        particle_values(sim, field, id, &y[c], 1);
    }
    particle_values(sim, "position", id, x, DIM);
    print_vector(at, sizeof at, x);
    return sim_fail_as(error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CONSTANTS, 0, id),
                       "step 0, particle %d at %s: plastic constants (%.6g, %.6g, %.6g) are outside what the law "
                       "allows: %s",
                       id, at, y[0], y[1], y[2], plastic_ranges[law]);
}

/* Snow at the end of the step. */
static piola_status fail_hardened(mpm_sim *sim, piola_error *error, int64_t step, int id)
{
    double ln_Jp, density, hardening, x[DIM];
    char at[96];
    mpm_state *now = &sim->particles.state[sim->particles.current];
    const mpm_state kept = *now;
    const particle_law of = law_of(sim, id);
    if (sim->base.index > 0) *now = mpm_state_number(sim, step + 1);
    particle_values(sim, "hardening", id, &ln_Jp, 1);
    particle_values(sim, "position", id, x, DIM);
    *now = kept;
    particle_values(sim, "yield_2", id, &hardening, 1);
    particle_values(sim, "density", id, &density, 1);
    print_vector(at, sizeof at, x);
    const double factor = exp(hardening * (1 - exp(ln_Jp))), c = sqrt(factor * of.modulus / density);
    const double dx = (double)sim->grid.box.dx;
    return sim_fail_as(
        error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_TIME_STEP, step, id),
        "step %lld (t = %.6g s), particle %d at %s: snow compressed to Jp = %.4g is %.4g times as stiff as at rest, "
        "and its waves of %.4g m/s cross %.4g cells in one time step, more than time.cfl_limit = %.4g; a time step of "
        "at most %.4g s, or less hardening, would be right",
        (long long)step, (double)(step + 1) * sim->stepping.dt, id, at, exp(ln_Jp), factor, c,
        sim->stepping.dt * c / dx, sim->stepping.cfl, sim->stepping.cfl * dx / c);
}

static piola_status fail_during(mpm_sim *sim, piola_error *error, int kind, int64_t step, int id)
{
    double x[DIM], v[DIM], J;
    char at[96], velocity[96];
    mpm_state *now = &sim->particles.state[sim->particles.current];
    const mpm_state kept = *now;
    if (sim->base.index > 0) *now = mpm_state_number(sim, step + 1); /* the faulty state */
    particle_values(sim, "position", id, x, DIM);
    particle_values(sim, "velocity", id, v, DIM);
    particle_values(sim, "J", id, &J, 1);
    *now = kept;
    print_vector(at, sizeof at, x);
    print_vector(velocity, sizeof velocity, v);
    double speed = 0;
    for (int c = 0; c < DIM; c++) speed = fmax(speed, fabs(v[c]));
    const double time = (double)(step + 1) * sim->stepping.dt;
    switch (kind) {
    case FAULT_NOT_FINITE:
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_NOT_FINITE, step, id),
            "step %lld (t = %.6g s), particle %d at %s: velocity %s is not finite; a smaller time step may help",
            (long long)step, time, id, at, velocity);
    case FAULT_LEFT_GRID:
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_LEFT_GRID, step, id),
            "step %lld (t = %.6g s), particle %d at %s: left the grid with velocity %s m/s; enlarge method.grid or "
            "use walls that hold it",
            (long long)step, time, id, at, velocity);
    case FAULT_CFL:
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_CFL, step, id),
            "step %lld (t = %.6g s), particle %d at %s: velocity %s m/s crosses %.4g cells in one step, more than "
            "time.cfl_limit = %.4g; a time step of at most %.4g s would be right",
            (long long)step, time, id, at, velocity, speed * sim->stepping.dt / (double)sim->grid.box.dx,
            sim->stepping.cfl, sim->stepping.cfl * (double)sim->grid.box.dx / speed);
    case FAULT_PIVOT:
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_INVERTED, step, id),
            "step %lld (t = %.6g s), particle %d at %s: it was turned or sheared too far in one step to be reversed, "
            "det F = %.6g; a smaller time step would be right",
            (long long)step, time, id, at, J);
    case FAULT_RANGE:
        return sim_fail_as(error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_INVERTED, step, id),
                           "step %lld (t = %.6g s), particle %d at %s: its deformation, det F = %.6g, left the range "
                           "of the reversible "
                           "integrator, e^-64 <= det F <= e^64 and |F| < 1024 det F^(1/d); a stiffer material or a "
                           "smaller time step may "
                           "help",
                           (long long)step, time, id, at, J);
    default:
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_INVERTED, step, id),
            "step %lld (t = %.6g s), particle %d at %s: inverted deformation, det F = %.6g; a smaller time step or "
            "a stiffer material may help",
            (long long)step, time, id, at, J);
    }
}

piola_status mpm_check_fault(pio_sim *base, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    mpm_step step;
    pio_queue_download(&sim->base.queue, &step, sim->step, sizeof step);
    if (pio_queue_failed(&sim->base.queue))
        return sim_fail(error, PIOLA_UNAVAILABLE, "%s", sim->base.queue.error.message);
    if (step.fault == FAULT_NONE && !sim->reversible.log_short) return PIOLA_OK;
    if (step.fault == FAULT_NONE)
        return sim_fail(
            error, PIOLA_NO_MEMORY,
            "%lld steps with damping keep more bits than the residual log has room for; %zu bytes would be right",
            (long long)sim->base.index, mpm_reversible_log_bytes(sim, sim->base.index));
    const int kind = (int)(step.fault & 15), id = (int)(step.fault >> 4 & 0x7fffffff);
    if (kind == FAULT_PLASTIC_CONSTANT) return fail_plastic(sim, error, id);
    if (kind == FAULT_WAVE_CFL || kind == FAULT_CONSTANT || kind == FAULT_VISCOUS)
        return fail_before(sim, error, kind, id);
    if (kind == FAULT_ROOM) {
        sim->slots.nodes_needed = id;
        return sim_fail(
            error, PIOLA_NO_MEMORY,
            "step %lld: %d nodes of the grid are active, and a kept state has room for the velocities of %d",
            (long long)(step.fault >> 35), id, sim->slots.node_room);
    }
    if (sim->base.index == 0 && kind == FAULT_LEFT_GRID)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, of_particle(PIOLA_FAILED_START_OUTSIDE, 0, id),
            "step 0, particle %d: its initial position is outside the grid; method.grid must contain every body "
            "with at least two cells to spare at a design's bounds",
            id);
    if (kind == FAULT_CONTACT) return fail_contact(sim, error, id);
    if (kind == FAULT_DEPTH) return fail_depth(sim, error, (int64_t)(step.fault >> 35), id);
    if (kind == FAULT_BODIES || kind == FAULT_OVERLAP)
        return fail_bodies(sim, error, kind, (int64_t)(step.fault >> 35), id);
    if (kind == FAULT_HARDENED) return fail_hardened(sim, error, (int64_t)(step.fault >> 35), id);
    return fail_during(sim, error, kind, (int64_t)(step.fault >> 35), id);
}
