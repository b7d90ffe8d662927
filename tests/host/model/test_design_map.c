/* test_design_map.c -- fields of elements that are fixed, mirrored or extruded, and the filter by a differential
 * equation: compared with filters that are computed another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "host/model/design_filter.h"
#include "tests/host/model/model_helpers.h"

enum { MOST = 256 };

#define FIELD "target: bodies.one.relative_density, per: element, bounds: [0, 1], "
static const char *const partial = "bodies=[{name: one, geometry: block, material: soft, relative_density: 0.5}]";

static pio_model *designed(const char *geometry, const char *design, pio_scene **scene)
{
    pio_model *m = model_of((const char *const[]){geometry, partial, design}, 3, scene);
    assert_true(pio_model_items(m, false) <= MOST);
    return m;
}

static void done(pio_model *m, pio_scene *scene)
{
    pio_model_free(m);
    pio_scene_free(scene);
}

static double random_number(void)
{
    static uint64_t r = 88172645463325252u; /* xorshift (Marsaglia 2003) */
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    return ldexp((double)(r >> 11), -53);
}

static void middle(const pio_model *m, int32_t e, double x[3])
{
    pio_element_type type;
    const int32_t *nodes = pio_mesh_element(&m->fem->mesh[0], e, &type);
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int k = 0; k < pio_elements[type].nodes; k++)
            x[a] += m->fem->mesh[0].x[3 * (size_t)nodes[k] + (size_t)a] / pio_elements[type].nodes;
    }
}

/* ---- fixed, mirrored, extruded -------------------------------------------------------------------------------- */

#define FIXED "fixed: [{on: {min: [0, 0], max: [1, 0.25]}, value: 1}, {on: {min: [0, 0], max: [0.2, 0.2]}, value: 0}], "
static const char *const grid =
    "geometry=[{name: block, type: box, element: quad4, elements: [6, 8], min: [0, 0], max: [1, 1]}]";

/* Returns the value of element e before the projection, by a sum over all pairs: the cone's mean of the variables, and
 * of 1 and 0 in fixed elements, and of it the mean over the element and its images. */
static double reference(const pio_model *m, double radius, const double *z, int32_t e)
{
    const int32_t n = (int32_t)pio_model_items(m, false), *index = m->designs[0].index;
    double sum = 0;
    int members = 0;
    for (int32_t i = 0; i < n; i++) {
        double above = 0, below = 0, x[3], y[3];
        if (index[i] != index[e]) continue;
        middle(m, i, x);
        for (int32_t j = 0; j < n; j++) {
            middle(m, j, y);
            const double w = fmax(0, radius - hypot(x[0] - y[0], x[1] - y[1]));
            above += w * (index[j] >= 0 ? z[index[j]] : y[0] < 0.2 && y[1] < 0.2 ? 0 : 1);
            below += w;
        }
        sum += above / below;
        members++;
    }
    return sum / members;
}

static void check_filter(const char *design, int variables)
{
    pio_scene *scene = NULL;
    pio_model *m = designed(grid, design, &scene);
    double z[MOST], y[MOST], Hz[MOST], Hty[MOST] = {0}, H0[MOST], zero[MOST] = {0}, worst = 0, left = 0, right = 0;
    const pio_filter_desc *h = m->parameters[0].filter;
    print_message("%s: %d variables, expected %d\n", design, m->n_variables, variables);
    assert_int_equal(m->n_variables, variables);
    for (int v = 0; v < variables; v++) z[v] = random_number(), y[v] = random_number();
    pio_filter_apply(h, false, variables, z, Hz);
    pio_filter_apply(h, false, variables, zero, H0);
    pio_filter_apply(h, true, variables, y, Hty);
    for (int32_t e = 0; e < pio_model_items(m, false); e++)
        if (m->designs[0].index[e] >= 0)
            worst = fmax(worst, fabs(reference(m, 0.4, z, e) - Hz[m->designs[0].index[e]]));
    for (int v = 0; v < variables; v++) left += y[v] * (Hz[v] - H0[v]), right += Hty[v] * z[v];
    print_message("  filter off by %.1e, y.Hz - H'y.z = %.1e (thresholds 1e-14 and 1e-13)\n", worst, left - right);
    assert_true(worst < 1e-14 && fabs(left - right) < 1e-13);
    double reach = 0; /* control: fixed elements reach others */
    for (int v = 0; v < variables; v++) reach = fmax(reach, H0[v]);
    print_message("  control: a fixed element adds up to %.3g to others (more than 0.05)\n", reach);
    assert_true(reach > 0.05);
    done(m, scene);
}

static void filters_of_fixed_and_tied_elements_are_those_of_all_pairs(void **state)
{
    (void)state;
    check_filter("design=[{name: a, " FIELD FIXED "filter: {type: cone, radius: 0.4}}]", 36);
    check_filter("design=[{name: a, " FIELD FIXED "filter: {type: cone, radius: 0.4}, symmetry: {x: 0.5}}]", 18);
    check_filter("design=[{name: a, " FIELD FIXED "filter: {type: cone, radius: 0.4}, extrusion: y}]", 6);
    check_filter("design=[{name: a, " FIELD FIXED "filter: {type: cone, radius: 0.4}, extrusion: x}]", 6);
}

static void fixed_elements_have_their_values_and_are_no_variables(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed(grid, "design=[{name: a, " FIELD FIXED "filter: {type: cone, radius: 0.4}}]", &scene);
    int fixed = 0;
    (void)state;
    for (int32_t e = 0; e < pio_model_items(m, false); e++) {
        double x[3];
        middle(m, e, x);
        const double want = x[0] < 0.2 && x[1] < 0.2 ? 0 : x[1] < 0.25 ? 1 : 0.5;
        assert_true(fabs(m->fem->relative_density[e] - want) <= 0);
        assert_int_equal(m->designs[0].index[e] < 0, x[1] < 0.25);
        fixed += x[1] < 0.25;
    }
    print_message("%d of %d elements are fixed\n", fixed, (int)pio_model_items(m, false));
    done(m, scene);
}

/* Centres are compared within the images: two planes make sets of four, in 3D with an extrusion sets of columns. */
static void mirrored_and_extruded_elements_share_a_variable_and_others_do_not(void **state)
{
    static const char *const brick =
        "geometry=[{name: block, type: box, element: hex8, elements: [4, 3, 5], min: [0, 0, 0], max: [2, 1, 3]}]";
    pio_scene *scene = NULL;
    (void)state;
    pio_model *m =
        model_of((const char *const[]){"method.dimension=3", brick, partial,
                                       "design=[{name: a, " FIELD "symmetry: {x: 1, y: 0.5}, extrusion: z}]"},
                 4, &scene);
    int wrong = 0, n = (int)pio_model_items(m, false);
    assert_int_equal(m->n_variables, 4);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            double x[3], y[3];
            middle(m, i, x);
            middle(m, j, y);
            const bool same =
                fabs(fabs(x[0] - 1) - fabs(y[0] - 1)) < 1e-9 && fabs(fabs(x[1] - 0.5) - fabs(y[1] - 0.5)) < 1e-9;
            wrong += same != (m->designs[0].index[i] == m->designs[0].index[j]);
        }
    print_message("%d variables of %d elements; %d of %d pairs are wrong (allowed: 0)\n", m->n_variables, n, wrong,
                  n * n);
    assert_int_equal(wrong, 0);
    const int32_t *start = m->designs[0].member_start, *member = m->designs[0].member;
    for (int32_t v = 0; v < 4; v++)
        for (int32_t k = start[v]; k < start[v + 1]; k++) {
            assert_int_equal(m->designs[0].index[member[k]], v);
            assert_true(k == start[v] || member[k] > member[k - 1]);
        }
    assert_int_equal(start[4], n);
    done(m, scene);
}

/* ---- the filter by a differential equation --------------------------------------------------------------------- */

/* Solves the equation for n cells along a line of length 1, by elimination. */
static void along_a_line(int n, double radius, const double *x, double *out)
{
    const double h = 1.0 / n, off = -radius * radius / 12 / h;
    double a[MOST];
    for (int i = 0; i < n; i++) {
        a[i] = h - (i > 0) * off - (i < n - 1) * off;
        out[i] = h * x[i];
    }
    for (int i = 1; i < n; i++) {
        out[i] -= off / a[i - 1] * out[i - 1];
        a[i] -= off / a[i - 1] * off;
    }
    out[n - 1] /= a[n - 1];
    for (int i = n - 2; i >= 0; i--) out[i] = (out[i] - off * out[i + 1]) / a[i];
}

/* The equation on the whole line, for x = cos(k s), has the solution cos(k s)/(1 + r^2 k^2); k = pi has no flux at the
 * ends. */
static void finer_cells_come_nearer_to_the_differential_equation(void **state)
{
    double error[2];
    (void)state;
    for (int half = 0; half < 2; half++) {
        const int n = half ? 64 : 32;
        pio_scene *scene = NULL;
        pio_model *m = designed(half ? "geometry=[{name: block, type: box, element: quad4, elements: [64, 1], min: [0, "
                                       "0], max: [1, 1]}]"
                                     : "geometry=[{name: block, type: box, element: quad4, elements: [32, 1], min: [0, "
                                       "0], max: [1, 1]}]",
                                "design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 0.6}}]", &scene);
        double z[MOST], out[MOST];
        for (int i = 0; i < n; i++) z[i] = cos(acos(-1) * (i + 0.5) / n);
        pio_filter_apply(m->parameters[0].filter, false, n, z, out);
        error[half] = fabs(out[0] / z[0] * (1 + 0.03 * acos(-1) * acos(-1)) - 1);
        done(m, scene);
    }
    print_message("errors %.2e and %.2e, a ratio of %.3f (4 within 1 %%)\n", error[0], error[1], error[0] / error[1]);
    assert_true(fabs(error[0] / error[1] - 4) < 0.04);
}

/* Steps from 0 to 1 in a mesh whose elements are far larger than the radius, and far smaller. */
static void filtered_values_stay_between_the_least_and_the_greatest(void **state)
{
    static const char *const designs[] = {"design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 0.05}}]",
                                          "design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 1.4}}]"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        pio_scene *scene = NULL;
        pio_model *m = designed(grid, designs[k], &scene);
        double z[MOST], out[MOST], least = 1, most = 0;
        for (int t = 0; t < 20; t++) {
            for (int v = 0; v < m->n_variables; v++) z[v] = random_number() > 0.8;
            pio_filter_apply(m->parameters[0].filter, false, m->n_variables, z, out);
            for (int v = 0; v < m->n_variables; v++) least = fmin(least, out[v]), most = fmax(most, out[v]);
        }
        print_message("from %.3g to %.17g (allowed: 0 to 1)\n", least, most);
        assert_true(least >= 0 && most <= 1);
        done(m, scene);
    }
}

/* On a grid, a field that varies along x alone stays one, and is that of a line. */
static void check_line(const char *method, const char *geometry, const char *element)
{
    pio_scene *scene = NULL;
    pio_model *m =
        model_of((const char *const[]){method, geometry, partial,
                                       "design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 0.5}}]"},
                 4, &scene);
    const int n = m->n_variables, cells = 8;
    double z[MOST], out[MOST], line[MOST], want[MOST], other[MOST], worst = 0, differs = 0;
    assert_true(n <= MOST);
    for (int i = 0; i < cells; i++) line[i] = random_number();
    along_a_line(cells, 0.5, line, want);
    along_a_line(cells, 0.501, line, other);
    for (int i = 0; i < n; i++) z[i] = line[i % cells];
    pio_filter_apply(m->parameters[0].filter, false, n, z, out);
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(out[i] - want[i % cells]));
        differs = fmax(differs, fabs(out[i] - other[i % cells]));
    }
    print_message("%s: off by %.1e (threshold 1e-13); control, another radius: %.1e (more than 1e-5)\n", element, worst,
                  differs);
    assert_true(worst < 1e-13 && differs > 1e-5);
    done(m, scene);
}

static void a_field_of_one_coordinate_is_filtered_as_on_a_line(void **state)
{
#define BOX(element, cells, low, high)                                                                                 \
    "geometry=[{name: block, type: box, element: " element ", elements: " cells ", min: " low ", max: " high "}]"
    (void)state;
    check_line("method.dimension=2", BOX("quad4", "[8, 3]", "[0, 0]", "[1, 0.7]"), "quad4");
    check_line("method.dimension=2", BOX("quad8", "[8, 3]", "[0, 0]", "[1, 0.7]"), "quad8");
    check_line("method.dimension=2", BOX("quad9", "[8, 3]", "[0, 0]", "[1, 0.7]"), "quad9");
    check_line("method.dimension=3", BOX("hex8", "[8, 3, 2]", "[0, 0, 0]", "[1, 0.7, 0.3]"), "hex8");
    check_line("method.dimension=3", BOX("hex20", "[8, 3, 2]", "[0, 0, 0]", "[1, 0.7, 0.3]"), "hex20");
    check_line("method.dimension=3", BOX("hex27", "[8, 3, 2]", "[0, 0, 0]", "[1, 0.7, 0.3]"), "hex27");
}

/* Volumes of a plate with a hole differ, so that the filter is not symmetrical, but V H is. */
static void check_integral(const char *method, const char *geometry, const char *element)
{
    pio_scene *scene = NULL;
    pio_model *m =
        model_of((const char *const[]){method, geometry, partial, "boundary=[]", "loads=[]",
                                       "observe=[{name: v, type: volume, body: one}]",
                                       "design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 0.5}}]"},
                 7, &scene);
    const int n = m->n_variables;
    double z[MOST], y[MOST], Hz[MOST], Hty[MOST], Hy[MOST], one[MOST], volume[MOST], V = 0, before = 0, after = 0;
    double left = 0, right = 0, other = 0, worst = 0;
    assert_true(n <= MOST);
    pio_mesh_cell_volumes(&m->fem->mesh[0], volume);
    const pio_filter_desc *h = m->parameters[0].filter;
    for (int i = 0; i < n; i++) z[i] = random_number(), y[i] = random_number(), Hy[i] = 3;
    pio_filter_apply(h, false, n, Hy, one);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(one[i] - 3));
    pio_filter_apply(h, false, n, z, Hz);
    pio_filter_apply(h, true, n, y, Hty);
    pio_filter_apply(h, false, n, y, Hy);
    for (int i = 0; i < n; i++) {
        left += y[i] * Hz[i], right += Hty[i] * z[i], other += Hy[i] * z[i];
        V += volume[i], before += volume[i] * z[i], after += volume[i] * Hz[i];
    }
    print_message("%s: a constant is off by %.1e, the mean by %.1e, y.Hz - H'y.z = %.1e (thresholds 1e-13)\n", element,
                  worst, (after - before) / V, left - right);
    print_message("  control: y.Hz - Hy.z = %.1e (more than 1e-4)\n", left - other);
    assert_true(worst < 1e-13 && fabs(after - before) < 1e-13 * V && fabs(left - right) < 1e-13 * n);
    assert_true(fabs(left - other) > 1e-4);
    done(m, scene);
}

static void the_integral_of_a_field_stays_and_the_transpose_is_one(void **state)
{
#define PLATE(element, cells)                                                                                          \
    "geometry=[{name: block, type: plate, element: " element ", elements: " cells ", radius: 0.2, size: 1" REST "}]"
    (void)state;
#define REST ""
    check_integral("method.dimension=2", PLATE("quad4", "[6, 8]"), "quad4");
    check_integral("method.dimension=2", PLATE("tri3", "[6, 8]"), "tri3");
#undef REST
#define REST ", thickness: 0.3"
    check_integral("method.dimension=3", PLATE("hex8", "[4, 6, 2]"), "hex8");
    check_integral("method.dimension=3", PLATE("tet4", "[3, 4, 2]"), "tet4");
}

static void variables_that_are_not_finite_are_an_error_and_no_filtered_field(void **state)
{
    pio_scene *scene = NULL;
    pio_model *m = designed(grid, "design=[{name: a, " FIELD "filter: {type: helmholtz, radius: 0.4}}]", &scene);
    double z[MOST] = {0}, out[MOST];
    piola_error error = {0};
    const pio_filter_desc *h = m->parameters[0].filter;
    (void)state;
    assert_int_equal(h->apply(h, 0, z, out, &error), PIOLA_OK);
    z[7] = (double)NAN;
    assert_int_equal(h->apply(h, 0, z, out, &error), PIOLA_NUMERICAL);
    print_message("%s\n", error.message);
    pio_filter_apply(h, false, m->n_variables, z, out);
    for (int v = 0; v < m->n_variables; v++) assert_true(isnan(out[v]));
    done(m, scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_of_fixed_and_tied_elements_are_those_of_all_pairs),
        cmocka_unit_test(fixed_elements_have_their_values_and_are_no_variables),
        cmocka_unit_test(mirrored_and_extruded_elements_share_a_variable_and_others_do_not),
        cmocka_unit_test(a_field_of_one_coordinate_is_filtered_as_on_a_line),
        cmocka_unit_test(finer_cells_come_nearer_to_the_differential_equation),
        cmocka_unit_test(filtered_values_stay_between_the_least_and_the_greatest),
        cmocka_unit_test(the_integral_of_a_field_stays_and_the_transpose_is_one),
        cmocka_unit_test(variables_that_are_not_finite_are_an_error_and_no_filtered_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
