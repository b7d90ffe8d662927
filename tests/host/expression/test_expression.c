/* test_expression.c -- the language of values that vary: values and derivatives against the same operations of complex
 * numbers (Squire and Trapp 1998), units, and what is wrong and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define PIO_REAL double
#define PIO_DIM 3
#include "kernels/base/expression.h"

#include "host/expression/expression.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static char names[][4] = {"H", "f", "P", "k"};
static const cfg_named constants[] = {{names[0], 0.25, CFG_LENGTH},
                                      {names[1], 3, CFG_FREQUENCY},
                                      {names[2], 2e6, CFG_PRESSURE},
                                      {names[3], 0.7, CFG_ONE}};
enum { CONSTANTS = 4, INPUTS = 3 + CONSTANTS };
static const pio_expression_scope scope = {.constants = constants, .n = CONSTANTS, .dimension = 3};
static const double place[3] = {0.13, 0.21, -0.4};
static const double now = 0.037;

static void equal_to(double got, double want, double tolerance, const char *text)
{
    if (!(fabs(got - want) <= tolerance * (1 + fabs(want)))) fail_msg("%s: %.17g is not %.17g", text, got, want);
}

/* ---- values and derivatives ------------------------------------------------------------------------------------- */

/* Sets the constants, as programs read them. */
static expression_programs programs_of(const pio_expression *e, int start[2], double constant[CONSTANTS])
{
    start[0] = 0;
    start[1] = e->n;
    for (int k = 0; k < CONSTANTS; k++) constant[k] = constants[k].value;
    return (expression_programs){start, e->code, e->number, constant};
}

static complex double one_of(int op, complex double a)
{
    switch (op) {
    case PIO_OP_NEGATE:
        return -a;
    case PIO_OP_SQRT:
        return csqrt(a);
    case PIO_OP_EXP:
        return cexp(a);
    case PIO_OP_LOG:
        return clog(a);
    case PIO_OP_SIN:
        return csin(a);
    case PIO_OP_COS:
        return ccos(a);
    case PIO_OP_TANH:
        return ctanh(a);
    default:
        return creal(a) < 0 ? -a : a;
    }
}

static complex double two_of(int op, complex double a, complex double b)
{
    switch (op) {
    case PIO_OP_ADD:
        return a + b;
    case PIO_OP_SUBTRACT:
        return a - b;
    case PIO_OP_MULTIPLY:
        return a * b;
    case PIO_OP_DIVIDE:
        return a / b;
    case PIO_OP_POWER:
        return cexp(b * clog(a));
    case PIO_OP_MIN:
        return creal(b) < creal(a) ? b : a;
    case PIO_OP_MAX:
        return creal(b) > creal(a) ? b : a;
    case PIO_OP_LESS:
        return creal(a) < creal(b);
    default:
        return creal(a) <= creal(b);
    }
}

/* The program's value where input number `moved` has an imaginary step. */
static complex double complex_value(const pio_expression *e, int moved)
{
    complex double v[PIO_PROGRAM_OPS];
    for (int k = 0; k < e->n; k++) {
        const int op = e->code[k] & 255, i = e->code[k] >> 8 & 255, j = e->code[k] >> 16 & 255, which = e->code[k] >> 8;
        if (op == PIO_OP_NUMBER)
            v[k] = e->number[which];
        else if (op == PIO_OP_CONSTANT)
            v[k] = CMPLX(constants[which].value, moved == 3 + which ? 1e-30 : 0);
        else if (op == PIO_OP_TIME)
            v[k] = now;
        else if (op < PIO_OP_NEGATE)
            v[k] = CMPLX(place[op - PIO_OP_X], moved == op - PIO_OP_X ? 1e-30 : 0);
        else if (op < PIO_OP_ADD)
            v[k] = one_of(op, v[i]);
        else if (op < PIO_OP_SELECT)
            v[k] = two_of(op, v[i], v[j]);
        else
            v[k] = creal(v[i]) > 0 ? v[j] : v[e->code[k] >> 24];
    }
    return v[e->n - 1];
}

/* Returns the largest relative difference between the derivatives and those of complex steps; `wrong` scales them. */
static double derivative_error(const pio_expression *e, double wrong)
{
    double v[PIO_PROGRAM_OPS], bar[INPUTS] = {0}, constant[CONSTANTS], worst = 0;
    expression_bar bars = {{0, 0, 0}, bar + 3, CONSTANTS, 1};
    int start[2];
    const expression_programs p = programs_of(e, start, constant);
    const expression_at at = {{place[0], place[1], place[2]}, now};
    expression_value(&p, 0, &at, v);
    expression_value_adj(&p, 0, &at, v, 1, &bars);
    memcpy(bar, bars.x, sizeof bars.x);
    for (int i = 0; i < INPUTS; i++) {
        const double want = cimag(complex_value(e, i)) / 1e-30;
        worst = fmax(worst, fabs(wrong * bar[i] - want) / (1 + fabs(want)));
    }
    return worst;
}

static const struct {
    const char *text;
    cfg_quantity quantity;
    double value;
} cases[] = {
    {"2 MPa", CFG_PRESSURE, 2e6},
    {"P", CFG_PRESSURE, 2e6},
    {"P * (1 - (y/H)^2)", CFG_PRESSURE, 2e6 * (1 - 0.84 * 0.84)},
    {"-P", CFG_PRESSURE, -2e6},
    {"-x^2", CFG_AREA, -0.0169},
    {"2^-1", CFG_ONE, 0.5},
    {"2^3^2", CFG_ONE, 512},
    {"8/4/2", CFG_ONE, 1},
    {"10 mm + x", CFG_LENGTH, 0.14},
    {"10 m/s * t", CFG_LENGTH, 0.37},
    {"1/f", CFG_TIME, 1.0 / 3},
    {"sqrt(x*y)", CFG_LENGTH, 0.16522711641858304},
    {"(x*x*y)^(1/3)", CFG_LENGTH, 0.1525347049922567},
    {"if(x < 10 cm, P, 0)", CFG_PRESSURE, 0},
    {"if(x > 10 cm, P, 0)", CFG_PRESSURE, 2e6},
    {"if(13 cm <= x, 1, 2)", CFG_ONE, 1},
    {"if(t >= 1 s, 1, 2)", CFG_ONE, 2},
    {"if(x < 0, sqrt(x/H), k)", CFG_ONE, 0.7},
    {"if(x > 0, k, sqrt(-x/H))", CFG_ONE, 0.7},
    {"max(0, x, y, z)", CFG_LENGTH, 0.21},
    {"min(x, y, H)", CFG_LENGTH, 0.13},
    {"abs(z)", CFG_LENGTH, 0.4},
    {"90 deg", CFG_ANGLE, PI / 2},
    {"sin(90 deg) + cos(pi)", CFG_ONE, 0},
    {"exp(log(k))", CFG_ONE, 0.7},
    {"tan(k) * cos(k) / sin(k)", CFG_ONE, 1},
    {"tanh(k*x/H)", CFG_ONE, 0.3487324660048766},
    {"k^(x/H)", CFG_ONE, 0.8307129501232889},
    {"(x/H)^k", CFG_ONE, 0.6327065647044162},
    {"P*sin(2*pi*f*t)*exp(-((x - 1 m/s*t)/(2 cm))^2)", CFG_PRESSURE, NAN},
    {"1/(1 + (x^2 + y^2 + z^2)/H^2)^2", CFG_ONE, NAN},
    {"x^5/H^4 - 3*y^-2*H^3", CFG_LENGTH, NAN},
    {"9.81 m/s2 * 1000 kg/m3 * (0.5 m - y)", CFG_PRESSURE, 9810 * 0.29},
    {"0", CFG_PRESSURE, 0},
    {"0*x + 3 mm", CFG_LENGTH, 0.003},
};

static void values_and_derivatives(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pio_expression e;
        pio_expression_fault fault;
        double v[PIO_PROGRAM_OPS], constant[CONSTANTS];
        int start[2];
        if (!pio_expression_compile(cases[i].text, &scope, cases[i].quantity, &e, &fault))
            fail_msg("%s: at %zu: %s", cases[i].text, fault.at, fault.text);
        const expression_programs p = programs_of(&e, start, constant);
        const expression_at at = {{place[0], place[1], place[2]}, now};
        const double value = expression_value(&p, 0, &at, v);
        if (!isnan(cases[i].value)) equal_to(value, cases[i].value, 1e-14, cases[i].text);
        equal_to(value, creal(complex_value(&e, -1)), 1e-14, cases[i].text);
        const double error = derivative_error(&e, 1);
        if (!(error < 1e-13)) fail_msg("%s: derivatives differ by %g", cases[i].text, error);
        worst = fmax(worst, error);
    }
    pio_expression e;
    pio_expression_fault fault;
    assert_true(pio_expression_compile("P * (1 - (y/H)^2)", &scope, CFG_PRESSURE, &e, &fault));
    printf("derivatives differ by %.2g at most, limit 1e-13; scaled by 1.0001 by %.2g\n", worst,
           derivative_error(&e, 1.0001));
    assert_true(derivative_error(&e, 1.0001) > 1e-5);
}

/* The travelling pulse by C's own functions. */
static void a_value_written_out(void **state)
{
    (void)state;
    pio_expression e;
    pio_expression_fault fault;
    double v[PIO_PROGRAM_OPS], constant[CONSTANTS];
    int start[2];
    assert_true(
        pio_expression_compile("P*sin(2*pi*f*t)*exp(-((x - 1 m/s*t)/(2 cm))^2)", &scope, CFG_PRESSURE, &e, &fault));
    const expression_programs p = programs_of(&e, start, constant);
    const expression_at at = {{place[0], place[1], place[2]}, now};
    const double far = (place[0] - now) / 0.02;
    equal_to(expression_value(&p, 0, &at, v), 2e6 * sin(2 * PI * 3 * now) * exp(-far * far), 1e-14, "a pulse");
    assert_true(e.in_time && e.in_space && e.constants == 6);
}

/* Whole powers are products, of negative numbers too. */
static void whole_powers_of_negative_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } powers[] = {{"(0.5 - 2)^18", 1477.891880035400390625}, {"(0.5 - 2)^3", -3.375}, {"(1 - 3)^-20", 0x1p-20}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        pio_expression e;
        pio_expression_fault fault;
        double v[PIO_PROGRAM_OPS], constant[CONSTANTS];
        int start[2];
        char text[80];
        snprintf(text, sizeof text, "0*x/(1 m) + %s", powers[i].text);
        if (!pio_expression_compile(text, &scope, CFG_ONE, &e, &fault)) fail_msg("%s", fault.text);
        const expression_programs p = programs_of(&e, start, constant);
        const expression_at at = {{place[0], place[1], place[2]}, now};
        equal_to(expression_value(&p, 0, &at, v), powers[i].value, 1e-14, powers[i].text);
    }
}

/* Every quantity that has a unit but angles and amounts of memory has a dimension. */
static void every_unit_has_a_dimension(void **state)
{
    (void)state;
    int with = 0;
    for (int q = 0; q < CFG_QUANTITIES; q++) {
        const char *unit = pio_quantity_unit((cfg_quantity)q);
        const pio_dimension d = pio_dimension_of((cfg_quantity)q);
        const bool none = d.m == 0 && d.kg == 0 && d.s == 0 && d.K == 0;
        const bool plain = !*unit || !strcmp(unit, "B") || !strcmp(unit, "rad");
        if (none != plain) fail_msg("%s: %s", unit, none ? "it has no dimension" : "it has a dimension");
        with += !none;
    }
    assert_true(with >= 20);
}

/* ---- what is wrong ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    cfg_quantity quantity;
    size_t at;
    const char *says;
} wrong[] = {
    {"x + t", CFG_LENGTH, 2, "'+' is between a length (m) and a time (s); both must be of one kind"},
    {"P * y", CFG_PRESSURE, 2, "the value is a stiffness (N/m), but a pressure is expected (Pa, kPa, MPa, GPa)"},
    {"2 + 3", CFG_PRESSURE, 2, "the value is a plain number, but a pressure is expected"},
    {"sin(x)", CFG_ONE, 0, "sin is of an angle or a plain number, not of a length (m); divide it by"},
    {"exp(P)", CFG_ONE, 0, "exp is of a plain number, not of a pressure (Pa)"},
    {"P * yy", CFG_FORCE, 4, "unknown name 'yy'; did you mean 'y'?"},
    {"sine(k)", CFG_ONE, 0, "unknown name 'sine'; did you mean 'sin'?"},
    {"Q", CFG_ONE, 0, "unknown name 'Q'"},
    {"2 kPa/s*t", CFG_PRESSURE, 6,
     "unknown name 's'; only the compound units of docs/scene.md can do without parentheses: write 2 kPa/(1 s)"},
    {"t + 1 N / mm2", CFG_PRESSURE, 10, "do without parentheses: write 1 N / (1 mm2)"},
    {"2 kPa/Q*t", CFG_PRESSURE, 6, "unknown name 'Q'; there are x, y, z, t, pi"},
    {"2 x", CFG_LENGTH, 2, "unknown unit 'x' behind a number; a product is written 2*x"},
    {"x y", CFG_AREA, 2, "an operator is missing here"},
    {"x**2", CFG_AREA, 2, "a power is written with ^, as in x^2"},
    {"x^y", CFG_AREA, 1, "an exponent is a plain number, not a length (m)"},
    {"x^k", CFG_ONE, 1, "needs an exponent that is a number"},
    {"(x + 1 m", CFG_LENGTH, 8, "')' is missing at the end, to close the parenthesis"},
    {"x +", CFG_LENGTH, 3, "the expression ends where a number, a name or '(' is expected"},
    {"x + )", CFG_LENGTH, 4, "a number, a name or '(' is expected here, not ')'"},
    {"x < y", CFG_ONE, 2, "a comparison stands in the first place of if(condition, a, b) alone"},
    {"if(x, 1, 2)", CFG_ONE, 4, "if begins with a comparison"},
    {"if(x < t, 1, 2)", CFG_ONE, 5, "the comparison is of a length (m) and a time (s)"},
    {"if(x < y, x, t)", CFG_LENGTH, 11, "if gives a length (m) or a time (s)"},
    {"min(x)", CFG_LENGTH, 5, "min has two values or more"},
    {"max(x, P)", CFG_LENGTH, 0, "max is of a length (m) and a pressure (Pa)"},
    {"sqrt(x)/H", CFG_ONE, 7, "the value is m^-0.5, but a plain number is expected"},
    {"x/0", CFG_LENGTH, 1, "this divides by 0"},
    {"3 GB", CFG_ONE, 2, "an amount of memory does not belong here"},
    {"x # y", CFG_LENGTH, 2, "an operator or the end is expected here, not '#'"},
    {"x^40*x^40", CFG_ONE, 1, "has an exponent from -16 to 16"},
};

static void faults_have_their_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pio_expression e;
        pio_expression_fault fault;
        if (pio_expression_compile(wrong[i].text, &scope, wrong[i].quantity, &e, &fault))
            fail_msg("%s is accepted", wrong[i].text);
        if (!strstr(fault.text, wrong[i].says)) fail_msg("%s: %s", wrong[i].text, fault.text);
        if (fault.at != wrong[i].at)
            fail_msg("%s: at %zu, not %zu: %s", wrong[i].text, fault.at, wrong[i].at, fault.text);
    }
    const pio_expression_scope still = {.dimension = 2, .no_time = "the density of a material has"};
    pio_expression e;
    pio_expression_fault fault;
    assert_false(pio_expression_compile("1 kg/m3 * t/(1 s)", &still, CFG_DENSITY, &e, &fault));
    assert_string_equal(fault.text, "the density of a material has no time t; it is the same at all times");
    assert_false(pio_expression_compile("z", &still, CFG_LENGTH, &e, &fault));
    assert_string_equal(fault.text, "a 2D scene has no z; there are x and y");
}

/* Texts that are long, deep, or of many operations end with an error, and none of them without one. */
static void hostile_texts_are_limited(void **state)
{
    (void)state;
    static char text[4000];
    pio_expression e;
    pio_expression_fault fault;
    static const struct {
        const char *begin, *part, *says;
        int times;
    } many[] = {{"", "(", "in each other", 900},
                {"", "-", "in each other", 900},
                {"", "sin(", "in each other", 200},
                {"x", "+x", "characters", 1500},
                {"x", "*(x+1 m)^1", "operations", 90},
                {"2", "^2", "in each other", 400},
                {"x", "^16", "in each other", 60},
                {"k", "*1.5e300", "operations", 100},
                {"sin(k", "+sin(k*1.1)*k", "at the end", 1}};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        strcpy(text, many[i].begin);
        for (int n = 0; n < many[i].times && strlen(text) < 3900; n++) strcat(text, many[i].part);
        const bool good = pio_expression_compile(text, &scope, CFG_ONE, &e, &fault);
        assert_true(e.n <= PIO_PROGRAM_OPS && e.n_numbers <= PIO_PROGRAM_OPS);
        if (!good && !strstr(fault.text, many[i].says) && i != 4 && i != 7) fail_msg("%s: %s", text, fault.text);
        assert_true(!good || i == 7);
    }
    unsigned seed = 1;
    static const char letters[] = "xyztHfPk0123. +-*/^()<>=,sincoexpmaxifsqrt%\"'\\";
    for (int n = 0; n < 200000; n++) {
        const int length = (int)(seed % 40);
        for (int c = 0; c < length; c++) {
            seed = seed * 1664525u + 1013904223u;
            text[c] = letters[(seed >> 8) % (sizeof letters - 1)];
        }
        seed = seed * 1664525u + 1013904223u;
        text[length] = '\0';
        if (!pio_expression_compile(text, &scope, CFG_ONE, &e, &fault)) {
            assert_true(fault.text[0] && fault.at <= strlen(text));
            continue;
        }
        for (int k = 0; k < e.n; k++)
            for (int i = 0; i < 3 && (e.code[k] & 255) >= PIO_OP_NEGATE; i++)
                assert_true((e.code[k] >> (8 + 8 * i) & 255) < (k ? k : 1));
    }
}

/* Returns the value of the last operation, at a place, with constant 0 and the curves that a rotation may have. */
static double evaluate(const pio_expression *e, const double x[3], double angle)
{
    double v[PIO_PROGRAM_OPS] = {0};
    for (int k = 0; k < e->n; k++) {
        const int op = e->code[k] & 255, a = e->code[k] >> 8 & 255, b = e->code[k] >> 16 & 255;
        v[k] = op == PIO_OP_NUMBER     ? e->number[e->code[k] >> 8]
               : op == PIO_OP_CONSTANT ? angle
               : op == PIO_OP_CURVE    ? 0.75
               : op == PIO_OP_SIN      ? sin(v[a])
               : op == PIO_OP_ADD      ? v[a] + v[b]
               : op == PIO_OP_SUBTRACT ? v[a] - v[b]
               : op == PIO_OP_MULTIPLY ? v[a] * v[b]
                                       : x[op - PIO_OP_X];
    }
    return v[e->n - 1];
}

/* The displacement keeps lengths and right angles of arms, and turns about the axis by the angle; small angles keep
 * their digits. */
static void a_rotation_is_one(void **unused)
{
    static const double axes[][3] = {{0, 0, 1}, {1, 0, 0}, {0.6, 0, -0.8}, {0.48, -0.6, 0.64}},
                        angles[] = {1e-12, 0.7, 4};
    (void)unused;
    double worst = 0;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
            for (int curved = 0; curved < 2; curved++) {
                pio_expression_rotation r = {.dimension = 3,
                                             .center = {0.25, 0, -2},
                                             .angle = {.n = 1, .code = {PIO_OP_CONSTANT}},
                                             .curve = curved - 1};
                const double x[3] = {1.5, -0.5, 3}, a = angles[k] * (curved ? 0.75 : 1), *e = axes[i];
                double arm[3], u[3], along = 0, turn[3];
                for (int c = 0; c < 3; c++) {
                    pio_expression made;
                    r.axis[c] = e[c];
                    arm[c] = x[c] - r.center[c];
                    along += e[c] * arm[c];
                    if (c < 2) continue;
                    for (int d = 0; d < 3; d++) {
                        assert_true(pio_expression_rotate(&r, d, &made));
                        u[d] = evaluate(&made, x, angles[k]);
                    }
                }
                for (int c = 0; c < 3; c++)
                    turn[c] = e[(c + 1) % 3] * arm[(c + 2) % 3] - e[(c + 2) % 3] * arm[(c + 1) % 3];
                for (int c = 0; c < 3; c++) {
                    const double exact = sin(a) * turn[c] + 2 * pow(sin(a / 2), 2) * (e[c] * along - arm[c]);
                    worst = fmax(worst, fabs(u[c] - exact) / (10 * fmin(a, 1)));
                }
            }
    print_message("rotations off by %.2g of their size (threshold 1e-15)\n", worst);
    assert_true(worst < 1e-15);
}

/* What is left of the operations is too little for a rotation about an oblique axis, and is said so. */
static void a_rotation_may_be_too_long(void **unused)
{
    pio_expression_rotation r = {.dimension = 3, .axis = {0.48, -0.6, 0.64}, .center = {1, 2, 3}, .curve = -1};
    pio_expression made;
    (void)unused;
    int most = 0;
    for (int n = 1; n <= PIO_PROGRAM_OPS; n++) {
        r.angle.n = n;
        for (int k = 0; k < n; k++) r.angle.code[k] = k ? PIO_OP_SIN | (k - 1) << 8 : PIO_OP_TIME;
        const bool fits = pio_expression_rotate(&r, 0, &made);
        assert_true(made.n <= PIO_PROGRAM_OPS);
        if (fits) most = n;
        assert_int_equal(fits, most == n);
    }
    print_message("an angle of up to %d operations fits (at least 24)\n", most);
    assert_true(most >= 24 && most < PIO_PROGRAM_OPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_is_one),
        cmocka_unit_test(a_rotation_may_be_too_long),
        cmocka_unit_test(values_and_derivatives),
        cmocka_unit_test(a_value_written_out),
        cmocka_unit_test(whole_powers_of_negative_numbers),
        cmocka_unit_test(every_unit_has_a_dimension),
        cmocka_unit_test(faults_have_their_places),
        cmocka_unit_test(hostile_texts_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
