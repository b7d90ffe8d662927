/* test_members.c -- the members of a sweep: Sobol's points against published ones, products, samples, and messages. */
#include "host/sweep/members.h"
#include "host/sweep/sobol.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Points of scipy 1.17.1, qmc.Sobol(21, scramble=False), which has the direction numbers of Joe and Kuo (2008), in
 * units of 2^-32. */
static const struct {
    uint32_t index, x[PIO_SOBOL_DIMENSIONS];
} published[] = {
    {33, {2348810240, 3288334336, 872415232,  201326592,  2751463424, 1811939328, 1275068416,
          738197504,  2080374784, 2348810240, 3825205248, 1946157056, 4093640704, 2080374784,
          2080374784, 2617245696, 2885681152, 2348810240, 3959422976, 67108864,   3556769792}},
    {63, {67108864,   3422552064, 1543503872, 1946157056, 3690987520, 603979776,  2483027968,
          603979776,  3556769792, 2483027968, 1811939328, 2885681152, 2348810240, 3288334336,
          1409286144, 3288334336, 335544320,  1677721600, 4093640704, 1006632960, 1006632960}},
    {1000, {943718400,  415236096,  2227175424, 2906652672, 1203765248, 3896508416, 197132288,
            3862953984, 2151677952, 297795584,  364904448,  1094713344, 692060160,  1648361472,
            616562688,  1589641216, 3091202048, 1480589312, 4257218560, 3116367872, 2243952640}},
};

static void sobol_has_the_published_points(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof published / sizeof *published; p++)
        for (int d = 0; d < PIO_SOBOL_DIMENSIONS; d++)
            assert_int_equal(pio_sobol(published[p].index, d), published[p].x[d]);
    for (int d = 0; d < PIO_SOBOL_DIMENSIONS; d++) assert_int_equal(pio_sobol(0, d), 0);
    assert_int_not_equal(pio_sobol(34, 0), published[0].x[0]); /* a point of another number is another */
}

/* Returns the direction number of a bit, whose number in Gray's code is that of point 2 bit - 1. */
static uint32_t direction(uint32_t bit, int dimension)
{
    return pio_sobol(2 * bit - 1, dimension);
}

/* Point i + 1 of the order of Gray's code is point i with one direction number, that of the lowest zero bit of i
 * (Antonov, Saleev 1979): the recurrence that a direct computation must agree with. */
static void a_point_by_its_number_is_that_of_the_recurrence(void **state)
{
    (void)state;
    for (int d = 0; d < PIO_SOBOL_DIMENSIONS; d++) {
        uint32_t x = 0;
        for (uint32_t i = 0; i < 4096; i++) {
            uint32_t lowest = 1;
            assert_int_equal(pio_sobol(i, d), x);
            while (i & lowest) lowest <<= 1;
            x ^= direction(lowest, d);
        }
    }
}

/* The first 2^k points have one coordinate in each of 2^k intervals, in each dimension. */
static void points_are_one_in_each_interval(void **state)
{
    enum { K = 8, N = 1 << K };
    (void)state;
    for (int d = 0; d < PIO_SOBOL_DIMENSIONS; d++) {
        int count[N] = {0};
        for (uint32_t i = 0; i < N; i++) count[pio_sobol(i, d) >> (32 - K)]++;
        for (int c = 0; c < N; c++) assert_int_equal(count[c], 1);
    }
}

static void make(pio_members *m, const pio_members_of *of)
{
    piola_error error = {0};
    const piola_status rc = pio_members_create(m, of, &error);
    if (rc) fail_msg("%d: %s", rc, error.message);
}

static void the_last_axis_of_a_product_changes_fastest(void **state)
{
    static const char *const over[] = {"materials.rubber.E=50kPa..200 kPa:3:log", "laws=[a, b],\"c,d\"", "n=1..4:4"};
    static const char *const right[][3] = {{"50000 Pa", "[a, b]", "1"}, {"50000 Pa", "[a, b]", "2"}};
    pio_members m;
    char text[PIO_MEMBER_TEXT];
    (void)state;
    make(&m, &(pio_members_of){.over = over, .n_over = 3});
    assert_int_equal(m.n, 24);
    for (int i = 0; i < 2; i++)
        for (size_t a = 0; a < 3; a++) {
            pio_members_text(&m, i, a, text);
            assert_string_equal(text, right[i][a]);
        }
    pio_members_text(&m, 23, 0, text);
    assert_string_equal(text, "200000 Pa");
    pio_members_text(&m, 23, 1, text);
    assert_string_equal(text, "\"c,d\"");
    assert_true(pio_members_value(&m, 23, 2) == 4);
    assert_true(isnan(pio_members_value(&m, 23, 1)));
    assert_true(fabs(pio_members_value(&m, 8, 0) - 1e5) <= 1e-10 * 1e5); /* the geometric mean, rounded by pow() */
    pio_members_free(&m);
}

static void a_list_of_numbers_has_their_values_and_texts(void **state)
{
    static const char *const over[] = {"time.dt=1 ms,0.5ms", "bodies.a.angle=0 deg,90 deg", "mixed=1 m,2 s"};
    pio_members m;
    char text[PIO_MEMBER_TEXT];
    (void)state;
    make(&m, &(pio_members_of){.over = over, .n_over = 3});
    pio_members_text(&m, 7, 0, text);
    assert_string_equal(text, "0.5ms");
    assert_true(pio_members_value(&m, 7, 0) == 0.5e-3);
    assert_int_equal(m.axes[0].quantity, CFG_TIME);
    assert_int_equal(m.axes[1].quantity, CFG_ANGLE);
    assert_false(m.axes[2].numbers);
    pio_members_free(&m);
}

static void samples_are_sobols_points_between_the_ends(void **state)
{
    static const char *const over[] = {"a=-1..3", "b=1 kPa..16 kPa:log", "c=x,y,z"};
    pio_members m, shifted;
    (void)state;
    make(&m, &(pio_members_of){.over = over, .n_over = 3, .samples = 300});
    make(&shifted, &(pio_members_of){.over = over, .n_over = 3, .samples = 300, .sampling = "sobol", .seed = 7});
    int differ = 0;
    for (int64_t i = 0; i < m.n; i++) {
        const double u = pio_sobol((uint32_t)i, 0) * 0x1p-32, v = pio_sobol((uint32_t)i, 1) * 0x1p-32;
        assert_true(pio_members_value(&m, i, 0) == -1 + 4 * u);
        assert_true(pio_members_value(&m, i, 1) == 1000 * pow(16, v));
        const double other = pio_members_value(&shifted, i, 0);
        assert_true(other >= -1 && other < 3);
        differ += other != pio_members_value(&m, i, 0);
    }
    assert_int_equal(differ, 300);
    pio_members_free(&m);
    pio_members_free(&shifted);
}

/* A shift by exclusive or keeps one point in each interval. */
static void a_shifted_sample_is_one_in_each_interval(void **state)
{
    static const char *const over[] = {"a=0..1", "b=0..1"};
    pio_members m;
    (void)state;
    make(&m, &(pio_members_of){.over = over, .n_over = 2, .samples = 64, .seed = 3});
    for (size_t a = 0; a < 2; a++) {
        int count[64] = {0};
        for (int64_t i = 0; i < 64; i++) count[(int)(pio_members_value(&m, i, a) * 64)]++;
        for (int c = 0; c < 64; c++) assert_int_equal(count[c], 1);
    }
    pio_members_free(&m);
}

static void a_latin_hypercube_has_one_in_each_interval_of_any_number(void **state)
{
    static const char *const over[] = {"a=0..1", "b=0..1", "c=0..1"};
    pio_members m, again, other;
    enum { N = 37 };
    (void)state;
    make(&m, &(pio_members_of){.over = over, .n_over = 3, .samples = N, .sampling = "lhs", .seed = 1});
    make(&again, &(pio_members_of){.over = over, .n_over = 3, .samples = N, .sampling = "lhs", .seed = 1});
    make(&other, &(pio_members_of){.over = over, .n_over = 3, .samples = N, .sampling = "lhs", .seed = 2});
    int differ = 0, same_order = 0;
    for (size_t a = 0; a < 3; a++) {
        int count[N] = {0};
        for (int64_t i = 0; i < N; i++) {
            const double value = pio_members_value(&m, i, a);
            count[(int)(value * N)]++;
            assert_true(value == pio_members_value(&again, i, a));
            differ += value != pio_members_value(&other, i, a);
            same_order += (int)(value * N) == (int)(pio_members_value(&m, i, (a + 1) % 3) * N);
        }
        for (int c = 0; c < N; c++) assert_int_equal(count[c], 1);
    }
    assert_int_equal(differ, 3 * N);
    assert_true(same_order < 20); /* 3 on average where the axes are independent, 111 where they have one order */
    pio_members_free(&m);
    pio_members_free(&again);
    pio_members_free(&other);
}

/* Starts of a design: the parts of a value have coordinates of their own, and no start is the corner of the box. */
static void a_box_has_an_axis_for_each_part_and_one_text(void **state)
{
    static const pio_box boxes[] = {{"design.v.initial", -2, 2, CFG_VELOCITY, false, 2},
                                    {"design.E.initial", 1e3, 1e5, CFG_PRESSURE, true, 1}};
    pio_members m;
    char text[PIO_MEMBER_TEXT];
    (void)state;
    make(&m, &(pio_members_of){.boxes = boxes, .n_boxes = 2, .samples = 5});
    assert_int_equal(m.n_axes, 3);
    assert_string_equal(m.axes[1].path, "design.v.initial[1]");
    assert_string_equal(m.axes[1].text, "design.v.initial[1]=-2 m/s..2 m/s");
    assert_string_equal(m.axes[2].text, "design.E.initial=1000 Pa..100000 Pa:log");
    assert_int_equal(pio_members_set(&m, 1, 0, text, sizeof text), strlen("design.v.initial=[1 m/s, -1 m/s]"));
    assert_string_equal(text, "design.v.initial=[1 m/s, -1 m/s]"); /* point 2 is (3/4, 1/4, 1/4) */
    assert_int_equal(pio_members_set(&m, 1, 1, text, sizeof text), 0);
    assert_true(pio_members_set(&m, 0, 2, text, sizeof text) > 0);
    assert_true(fabs(pio_members_value(&m, 0, 2) - 1e4) <= 1e-11 * 1e4); /* the middle of the ratios, by pow() */
    assert_int_equal(pio_members_set(&m, 1, 0, text, 10), strlen("design.v.initial=[1 m/s, -1 m/s]"));
    assert_string_equal(text, "design.v.");
    pio_members_free(&m);
}

static void what_is_wrong_with_an_axis_is_said(void **state)
{
    static const struct {
        const char *over[2];
        int64_t samples;
        const char *sampling, *says;
    } cases[] = {
        {{"E=1..2"}, 0, NULL, "needs a count, or --samples"},
        {{"E=1..2:3"}, 5, NULL, "with --samples a range has no count"},
        {{"E=1..2:1"}, 0, NULL, "from 2 to 100000, not 1"},
        {{"E=1..2:0"}, 0, NULL, "from 2 to 100000, not 0"},
        {{"E=1..2:3:4"}, 0, NULL, "two counts"},
        {{"E=1..2:3:lag"}, 0, NULL, "'lag' is neither a count nor log or linear"},
        {{"E=2..1:3"}, 0, NULL, "below its high end"},
        {{"E=0..1:3:log"}, 0, NULL, "above 0"},
        {{"E=1kPa..2:3"}, 0, NULL, "one kind of unit, these are: pressure, plain number"},
        {{"E=1kPo..2kPa:3"}, 0, NULL, "unknown unit 'kPo'"},
        {{"E=1,,2"}, 0, NULL, "a value of the list is empty"},
        {{"E="}, 0, NULL, "it has no values"},
        {{"E"}, 0, NULL, "it has no ="},
        {{"=1,2"}, 0, NULL, "it names no key"},
        {{"E=1,2", "E=1..2:3"}, 0, NULL, "E is varied twice"},
        {{NULL}, 0, NULL, "a sweep needs what it varies"},
        {{"E=1,2"}, -1, NULL, "--samples: '-1' is not a whole number"},
        {{"E=1,2"}, 5, "random", "there are: sobol, lhs"},
        {{"E=1,2"}, 0, "lhs", "does nothing without --samples"},
        {{"E=1..2:400", "F=1..2:400"}, 0, NULL, "more than 100000 members"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pio_members m;
        piola_error error = {0};
        const size_t n = cases[i].over[1] ? 2 : cases[i].over[0] ? 1 : 0;
        const pio_members_of of = {
            .over = cases[i].over, .n_over = n, .samples = cases[i].samples, .sampling = cases[i].sampling};
        const piola_status rc = pio_members_create(&m, &of, &error);
        print_message("  %s\n", error.message);
        assert_int_equal(rc, PIOLA_USAGE);
        assert_non_null(strstr(error.message, cases[i].says));
        pio_members_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sobol_has_the_published_points),
        cmocka_unit_test(a_point_by_its_number_is_that_of_the_recurrence),
        cmocka_unit_test(points_are_one_in_each_interval),
        cmocka_unit_test(the_last_axis_of_a_product_changes_fastest),
        cmocka_unit_test(a_list_of_numbers_has_their_values_and_texts),
        cmocka_unit_test(samples_are_sobols_points_between_the_ends),
        cmocka_unit_test(a_shifted_sample_is_one_in_each_interval),
        cmocka_unit_test(a_latin_hypercube_has_one_in_each_interval_of_any_number),
        cmocka_unit_test(a_box_has_an_axis_for_each_part_and_one_text),
        cmocka_unit_test(what_is_wrong_with_an_axis_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
