/* test_mpm_target.c -- observations of groups, shapes, densities and separations: their values written out, and their
 * gradients. */
#include "tests/solvers/mpm/mpm_reversible_case.h"
#include "tests/solvers/mpm/mpm_taylor.h"

enum { D = CASE_DIM, STEPS = 30 };

typedef struct {
    mpm_case c;
    int64_t nodes;
    double *field;       /* [nodes] signed distance from a ball */
    double *target;      /* [nodes] kg/m^3 */
    int32_t *half, *two; /* [n] a group of body 0; parts of two bodies */
    int outside, surface, density, part, apart, place;
} scene;

/* Node `node` of the grid, m. */
static void node_place(const mpm_case *c, int64_t node, double x[D])
{
    const pio_grid_desc *g = &c->desc.grid;
    for (int a = D - 1; a >= 0; a--) {
        x[a] = g->origin[a] + g->spacing * (double)(node % g->nodes[a]);
        node /= g->nodes[a];
    }
}

static int observed(scene *s, pio_observable type, const int32_t *member, const double *field, int outside)
{
    mpm_case *c = &s->c;
    const int o = case_observe(c, type, 0, 2);
    c->observation[o].member = member;
    c->observation[o].field = field;
    c->observation[o].outside = outside;
    c->square[c->samples - 1] = c->square[c->samples - 2] = 0.2;
    case_sample(c, o, STEPS / 3, 0, 0.6);
    case_sample(c, o, STEPS / 3 + 1, 0, 0.4);
    case_sample(c, o, STEPS, 1, 1);
    return o;
}

/* Two bodies fly at each other, partly through a ball that is the shape; the target density is that of a block
 * elsewhere. */
static void begin(scene *s, int reversible)
{
    mpm_case *c = &s->c;
    collision(c, &materials[0], &materials[8], STEPS);
    if (!reversible) {
        c->desc.reversible = 0;
        c->desc.penalty = 0;
        for (int a = 0; a < D; a++)
            for (int side = 0; side < 2; side++)
                case_wall(c, a, side, PIO_WALL_SLIP, side ? c->desc.grid.nodes[a] - 3 : 2);
    }
    for (int64_t p = 0; p < c->n; p++) /* the first body is pulled apart, so that its stiffness matters */
        if (c->body[p] == 0) c->velocity[p * D] += (reversible && D == 2 ? 5 : 8) * (c->position[p * D] - 0.65);
    s->nodes = 1;
    for (int a = 0; a < D; a++) s->nodes *= c->desc.grid.nodes[a];
    s->field = calloc((size_t)s->nodes, sizeof *s->field);
    s->target = calloc((size_t)s->nodes, sizeof *s->target);
    s->half = calloc((size_t)c->n, sizeof *s->half);
    s->two = calloc((size_t)c->n, sizeof *s->two);
    assert_true(s->field && s->target && s->half && s->two);
    for (int64_t i = 0; i < s->nodes; i++) {
        double x[D], r = 0;
        node_place(c, i, x);
        for (int a = 0; a < D; a++) r += (x[a] - 0.65) * (x[a] - 0.65);
        s->field[i] = sqrt(r) - 0.25;
        s->target[i] = x[0] > 0.5 && x[0] < 1 && x[1] > 0.4 && x[1] < 0.9 ? 1000 : 0;
    }
    for (int64_t p = 0; p < c->n; p++) {
        s->half[p] = c->body[p] == 0 && c->position[p * D] > 0.6;
        s->two[p] = c->body[p] == 0 ? 1 : c->position[p * D + 1] > 0.5 ? 2 : 0;
    }
    s->outside = observed(s, PIO_SHAPE, NULL, s->field, 1);
    s->surface = observed(s, PIO_SHAPE, s->half, s->field, 0);
    s->density = observed(s, PIO_DENSITY_MISFIT, NULL, s->target, 0);
    s->part = observed(s, PIO_DENSITY_MISFIT, s->half, s->target, 0);
    s->apart = observed(s, PIO_SEPARATION, s->two, NULL, 0);
    s->place = observed(s, PIO_MEAN_POSITION, s->half, NULL, 0);
}

static void end(scene *s)
{
    free(s->field);
    free(s->target);
    free(s->half);
    free(s->two);
    case_free(&s->c);
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* Quadratic B-spline about 0 (Steffen, Kirby, Berzins 2008, eq. 10). */
static double hat(double u)
{
    u = fabs(u);
    return u < 0.5 ? 0.75 - u * u : u < 1.5 ? 0.5 * (1.5 - u) * (1.5 - u) : 0;
}

static double weight(const mpm_case *c, int64_t node, const double *x)
{
    double at[D], w = 1;
    node_place(c, node, at);
    for (int a = 0; a < D; a++) w *= hat((x[a] - at[a]) / c->desc.grid.spacing);
    return w;
}

static int is_in(const mpm_case *c, const int32_t *member, int64_t p)
{
    return member ? member[p] == 1 : c->body[p] == 0;
}

static double density_misfit(const scene *s, const double *x, const int32_t *member)
{
    const mpm_case *c = &s->c;
    double sum = 0, size = 0;
    for (int64_t i = 0; i < s->nodes; i++) {
        double mass = 0;
        for (int64_t p = 0; p < c->n; p++)
            if (is_in(c, member, p)) mass += weight(c, i, x + p * D) * c->density[p] * c->volume[p];
        const double rest = mass / pow(c->desc.grid.spacing, D) - s->target[i];
        sum += rest * rest;
        size += s->target[i] * s->target[i];
    }
    return sum / size;
}

static double shape_distance(const scene *s, const double *x, const int32_t *member, int outside)
{
    const mpm_case *c = &s->c;
    double sum = 0, mass = 0;
    for (int64_t p = 0; p < c->n; p++) {
        double d = 0;
        if (!is_in(c, member, p)) continue;
        for (int64_t i = 0; i < s->nodes; i++) d += weight(c, i, x + p * D) * s->field[i];
        mass += c->density[p] * c->volume[p];
        sum += c->density[p] * c->volume[p] * (outside && d < 0 ? 0 : d * d);
    }
    return sum / mass;
}

static double separation(const scene *s, const double *x)
{
    const mpm_case *c = &s->c;
    double mean[2][D] = {{0}}, mass[2] = {0}, sum = 0;
    for (int64_t p = 0; p < c->n; p++) {
        if (!s->two[p]) continue;
        mass[s->two[p] - 1] += c->density[p] * c->volume[p];
        for (int a = 0; a < D; a++) mean[s->two[p] - 1][a] += c->density[p] * c->volume[p] * x[p * D + a];
    }
    for (int a = 0; a < D; a++) sum += pow(mean[0][a] / mass[0] - mean[1][a] / mass[1], 2);
    return sqrt(sum);
}

/* The last sample of observation o. */
static double last(const scene *s, const double *samples, int o)
{
    int first = 0;
    for (int i = 0; i < o; i++) first += s->c.observation[i].samples * s->c.observation[i].components;
    return samples[first + 1];
}

static void values_are_the_sums_that_they_should_be(void **unused)
{
    static scene s;
    static double samples[64];
    piola_error error;
    (void)unused;
    begin(&s, 0);
    pio_sim *sim = case_create(&s.c, 0, 2);
    case_forward(&s.c, sim, NULL);
    assert_int_equal(piola_engine.samples(sim, samples, &error), PIOLA_OK);
    double *x = case_read(sim, "position", s.c.n);
    const struct {
        const char *name;
        double seen, exact;
    } rows[] = {{"outside a ball", last(&s, samples, s.outside), shape_distance(&s, x, NULL, 1)},
                {"from its surface, a group", last(&s, samples, s.surface), shape_distance(&s, x, s.half, 0)},
                {"density", last(&s, samples, s.density), density_misfit(&s, x, NULL)},
                {"density of a group", last(&s, samples, s.part), density_misfit(&s, x, s.half)},
                {"separation", last(&s, samples, s.apart), separation(&s, x)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_message("  %s: %.12g\n", rows[i].name, rows[i].exact);
        assert_true(rows[i].exact > 1e-4);
        case_below(rows[i].name, rows[i].seen / rows[i].exact - 1, 1e-12, 1e-4);
    }
    free(x);
    piola_engine.destroy(sim);
    end(&s);
}

/* ---- gradients ---------------------------------------------------------------------------------------------- */

/* The reversible integrator's forces have kinks where particles cross cells: what is designed keeps off them. */
static void design(mpm_case *c)
{
    case_design(c, PIO_VELOCITY, 0, CASE_SCALAR, 0, 0, 1);
    case_design(c, PIO_POSITION, 1, CASE_EACH, 0, 0, 0.1);
    if (!c->desc.reversible || D == 3) case_design(c, PIO_LAW_PARAMETER_0, 0, CASE_SCALAR, 1, log(2e4), 1);
    case_design(c, PIO_DENSITY, 0, CASE_EACH, 0, 1000, 300);
}

static void gradients_are_derivatives(void **unused)
{
    (void)unused;
    for (int reversible = 0; reversible < 2; reversible++) {
        static mpm_taylor t;
        static scene s;
        begin(&s, reversible);
        design(&s.c);
        mpm_taylor_begin(&t, &s.c, 0.1);
        mpm_taylor_all(&t);
        mpm_taylor_end(&t, reversible ? "reversible" : "apic");
        end(&s);
    }
}

static void wrong_gradients_are_refused(void **unused)
{
    static mpm_taylor t;
    static scene s;
    static double h[CASE_VARIABLES];
    (void)unused;
    begin(&s, 0);
    design(&s.c);
    mpm_taylor_begin(&t, &s.c, 0.1);
    t.quiet = 1;
    for (int i = 0; i < s.c.variables; i++) t.z_bar[i] *= 1.0001;
    mpm_taylor_gradient(&t, h, 0, s.c.variables);
    assert_int_equal(mpm_taylor_direction(&t, "scaled by 1.0001", h), PIO_TAYLOR_FAILED);
    piola_engine.destroy(t.sim);
    end(&s);
}

/* Observing sorts particles once more, between two steps, and compact states hold what the step before has left. */
static void the_gradient_has_the_same_bits_for_every_number_of_states(void **unused)
{
    static const int slots[] = {2, 5, 9};
    static scene s;
    static double z[CASE_VARIABLES], first[CASE_VARIABLES], z_bar[CASE_VARIABLES];
    (void)unused;
    begin(&s, 0);
    design(&s.c);
    for (int i = 0; i < s.c.variables; i++) z[i] = 0.1 * sin(i);
    pio_sim *sim = case_create(&s.c, STEPS, 1);
    case_gradient(&s.c, sim, NULL, z, first);
    piola_engine.destroy(sim);
    s.c.desc.slot_nodes = s.nodes;
    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++) {
        pio_schedule plan = pio_schedule_checkpoint(STEPS, slots[k], 0, 1);
        sim = case_create(&s.c, slots[k], 3);
        case_gradient(&s.c, sim, &plan, z, z_bar);
        piola_engine.destroy(sim);
        pio_schedule_end(&plan);
        int differ = 0;
        for (int i = 0; i < s.c.variables; i++) differ += memcmp(&first[i], &z_bar[i], sizeof *first) != 0;
        print_message("  %d states, 3 threads: %d of %d numbers differ (threshold 0)\n", slots[k], differ,
                      s.c.variables);
        assert_int_equal(differ, 0);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_sums_that_they_should_be),
        cmocka_unit_test(gradients_are_derivatives),
        cmocka_unit_test(wrong_gradients_are_refused),
        cmocka_unit_test(the_gradient_has_the_same_bits_for_every_number_of_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
