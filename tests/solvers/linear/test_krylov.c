/* test_krylov.c -- PCG, MINRES and GMRES over block matrices: right where they are right, and loud where they are
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/solvers/linear/krylov_case.h"

#include <stdio.h>

enum { F32 = sizeof(real) == 4 };
static const double tolerance = F32 ? 2e-6 : 1e-13; /* of the residual */
static const double close_to = F32 ? 2e-3 : 1e-10;  /* of the solution */
static const char *const names[] = {[PIO_PCG] = "PCG", [PIO_MINRES] = "MINRES", [PIO_GMRES] = "GMRES"};
static const pio_linear_method all[] = {PIO_PCG, PIO_MINRES, PIO_GMRES};

static void set_threads(int threads)
{
    pio_device_info info;
    pio_stream stream;
    assert_int_equal(pio_backend_cpu.open(0, threads, &info, &stream), 0);
}

static void open_case(system_case *s, case_matrix kind)
{
    piola_error error = {0};
    if (case_open(s, kind, &error)) fail_msg("%s", error.message);
}

static pio_krylov_options options_of(pio_linear_method method)
{
    return (pio_krylov_options){.method = method, .tolerance = tolerance, .max_iterations = 5000, .check_every = 1};
}

/* From x = 0. */
static piola_status solve_with(system_case *s, const pio_linop *op, const pio_krylov_options *o, pio_krylov_result *r,
                               piola_error *error)
{
    *error = (piola_error){0};
    pio_queue_zero(&s->queue, s->x, sizeof *s->x * UNKNOWNS);
    return pio_krylov_solve(&s->krylov, &s->queue, &(pio_krylov_system){.op = op, .b = s->b, .x = s->x}, o, r, error);
}

/* Solve, and see that what is reported is true and the solution the known one; returns the iterations. */
static int solves(system_case *s, const pio_linop *op, pio_linear_method method, int transposed, const char *what)
{
    const pio_krylov_options o = options_of(method);
    pio_krylov_result r;
    piola_error error;
    double rounding;
    if (solve_with(s, op, &o, &r, &error)) fail_msg("%s: %s", what, error.message);
    const double truth = true_residual(s, transposed, &rounding), wrong = solution_error(s);
    print_message("%-8s %-26s %4d iterations, %d restarts, residual %.2e (host %.2e, wanted %.0e), error %.1e (%.0e)\n",
                  names[method], what, r.iterations, r.restarts, r.relative, truth, tolerance, wrong, close_to);
    assert_int_equal(r.stop, KRYLOV_CONVERGED);
    assert_true(r.relative <= tolerance && r.iterations > 0);
    assert_true(fabs(r.relative - truth) <= 1e-6 * truth + rounding);
    assert_true(fabs(r.residual - r.relative * r.rhs) <= 1e-12 * r.residual);
    assert_true(fabs(r.rhs - length(s->right)) <= 1e-12 * r.rhs);
    assert_true(wrong <= close_to);
    return r.iterations;
}

/* ---- what is solved --------------------------------------------------------------------------------------- */

static void positive_definite_systems_are_solved_and_block_jacobi_saves_iterations(void **state)
{
    (void)state;
    system_case s;
    open_case(&s, CONTRAST);
    const pio_linop with = pio_bsr_operator(&s.a, PIO_SPD, 1), without = pio_bsr_operator(&s.a, PIO_SPD, 0);
    print_message("%d unknowns, %d blocks of %dx%d\n", UNKNOWNS, s.blocks, DIM, DIM);
    assert_true(UNKNOWNS >= (TEST_SANITIZED ? 2000 : 10000));
    for (int m = 0; m < 3; m++) {
        const int fewer = solves(&s, &with, all[m], 0, "block-Jacobi");
        const int more = solves(&s, &without, all[m], 0, "no preconditioner");
        assert_true(fewer < 0.8 * more);
    }
    case_close(&s);
}

static void minres_solves_an_indefinite_system_and_pcg_says_why_it_does_not(void **state)
{
    (void)state;
    system_case s;
    open_case(&s, INDEFINITE);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SYMMETRIC, 1), wrong = pio_bsr_operator(&s.a, PIO_SPD, 1);
    solves(&s, &op, PIO_MINRES, 0, "indefinite");
    const pio_krylov_options o = options_of(PIO_PCG);
    pio_krylov_result r;
    piola_error error;
    assert_int_equal(solve_with(&s, &wrong, &o, &r, &error), PIOLA_NUMERICAL);
    print_message("%s\n", error.message);
    double rounding;
    const double truth = true_residual(&s, 0, &rounding);
    assert_int_equal(error.status, PIOLA_NUMERICAL);
    assert_int_equal(r.stop, KRYLOV_NEGATIVE_CURVATURE);
    assert_true(r.value < 0 && r.iterations >= 1);
    assert_non_null(strstr(error.message, "negative curvature"));
    assert_true(fabs(r.relative - truth) <= 1e-6 * truth + rounding); /* also of a failure */
    case_close(&s);
}

static void gmres_solves_an_unsymmetric_system_and_its_transposed(void **state)
{
    (void)state;
    system_case s;
    open_case(&s, CONVECTION);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_GENERAL, 1), transposed = pio_linop_transposed(&op);
    const int forward = solves(&s, &op, PIO_GMRES, 0, "convection");
    case_right(&s, 1);
    const int back = solves(&s, &transposed, PIO_GMRES, 1, "convection, transposed");
    assert_true(forward < 5 * back && back < 5 * forward);
    /* control: the operator is not its transposed, and the check would notice */
    pio_krylov_result r;
    piola_error error;
    double rounding;
    const pio_krylov_options o = options_of(PIO_GMRES);
    assert_int_equal(solve_with(&s, &op, &o, &r, &error), PIOLA_OK);
    const double truth = true_residual(&s, 1, &rounding);
    print_message("control: A x = b solved where A^T x = b was requested: %.1e, wanted %.0e\n", truth, tolerance);
    assert_true(truth > 100 * tolerance && solution_error(&s) > close_to);
    case_close(&s);
}

static void no_right_hand_side_gives_zero_at_once(void **state)
{
    (void)state;
    system_case s;
    open_case(&s, CONTRAST);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    for (int m = 0; m < 3; m++) {
        pio_krylov_result r;
        piola_error error;
        const pio_krylov_options o = options_of(all[m]);
        case_right(&s, 0);
        put(&s, s.x, s.wanted, UNKNOWNS); /* the solution as first guess: nothing to do, in f32 little */
        assert_int_equal(
            pio_krylov_solve(&s.krylov, &s.queue, &(pio_krylov_system){.op = &op, .b = s.b, .x = s.x}, &o, &r, &error),
            PIOLA_OK);
        print_message("%-8s from the solution: %d iterations, residual %.1e\n", names[all[m]], r.iterations,
                      r.relative);
        assert_int_equal(r.iterations, 0);
        pio_queue_zero(&s.queue, s.b, sizeof *s.b * UNKNOWNS);
        assert_int_equal(
            pio_krylov_solve(&s.krylov, &s.queue, &(pio_krylov_system){.op = &op, .b = s.b, .x = s.x}, &o, &r, &error),
            PIOLA_OK);
        get(&s, s.x, s.got);
        assert_true(r.iterations == 0 && r.downloads == 1 && r.stop == KRYLOV_CONVERGED);
        assert_true(length(s.got) <= 0 && r.relative <= 0 && r.residual <= 0);
    }
    case_close(&s);
}

/* ---- promises ----------------------------------------------------------------------------------------------- */

static void neither_threads_nor_checks_change_a_bit(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8, 1, 2}, checks[] = {1, 1, 1, 1, 4, 7};
    system_case s;
    open_case(&s, CONTRAST);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    double *first = malloc(sizeof *first * UNKNOWNS);
    assert_non_null(first);
    for (int m = 0; m < 3; m++) {
        pio_krylov_result reference = {0}, r;
        for (int t = 0; t < 6; t++) {
            piola_error error;
            pio_krylov_options o = options_of(all[m]);
            o.check_every = checks[t];
            set_threads(threads[t]);
            if (solve_with(&s, &op, &o, &r, &error)) fail_msg("%s", error.message);
            get(&s, s.x, t ? s.got : first);
            if (!t) reference = r;
            if (t && memcmp(first, s.got, sizeof *first * UNKNOWNS))
                fail_msg("%s: other bits with %d threads and a check every %d", names[all[m]], threads[t], checks[t]);
            assert_true(r.iterations == reference.iterations && r.restarts == reference.restarts);
            assert_memory_equal(&r.residual, &reference.residual, sizeof r.residual);
        }
        print_message("%-8s the same %zu bytes with 1, 2, 3, 8 threads and a check every 1, 4, 7 iterations\n",
                      names[all[m]], sizeof(real) * UNKNOWNS);
    }
    first[UNKNOWNS / 2] = nextafter(first[UNKNOWNS / 2], 9); /* control */
    assert_int_not_equal(memcmp(first, s.got, sizeof *first * UNKNOWNS), 0);
    free(first);
    set_threads(1);
    case_close(&s);
}

/* As krylov.h says, for a solve that began `restarts` times more. PCG and MINRES: without restart. */
static int64_t stated_checks(pio_linear_method method, const pio_krylov_result *r, int check_every)
{
    if (method != PIO_GMRES) return 1 + (r->iterations + check_every - 1) / check_every + 1;
    int64_t checks = 1;
    for (int done = 0, c = 0; c <= r->restarts; c++, done += RESTART) {
        const int columns = r->iterations - done < RESTART ? r->iterations - done : RESTART;
        const int rounded = (columns + check_every - 1) / check_every * check_every;
        checks += rounded < RESTART ? rounded / check_every : (RESTART - 1) / check_every;
        checks += 1;
    }
    return checks;
}

static void the_host_checks_as_often_as_stated(void **state)
{
    (void)state;
    static const int checks[] = {1, 2, 7, 50, 1000};
    system_case s;
    open_case(&s, CONTRAST);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    for (int m = 0; m < 3; m++)
        for (int l = 0; l < 5; l++) {
            pio_krylov_result r;
            piola_error error;
            pio_krylov_options o = options_of(all[m]);
            o.tolerance = F32 ? 1e-4 : 1e-10;
            o.check_every = checks[l];
            const int64_t downloaded = s.queue.downloads, waited = s.queue.counts.waits;
            if (solve_with(&s, &op, &o, &r, &error)) fail_msg("%s", error.message);
            const int64_t counted = s.queue.downloads - downloaded, stated = stated_checks(all[m], &r, checks[l]);
            print_message("%-8s a check every %4d: %d iterations, %d restarts, %d downloads, stated %d\n",
                          names[all[m]], checks[l], r.iterations, r.restarts, (int)counted, (int)stated);
            assert_int_equal(counted, stated);
            assert_true(counted == r.downloads && counted == s.queue.counts.waits - waited);
            if (all[m] != PIO_GMRES) assert_int_equal(r.restarts, 0);
        }
    case_close(&s);
}

/* ---- operators that lie ------------------------------------------------------------------------------------- */

typedef struct {
    system_case *s;
    pio_linop op;
    int calls, at; /* spoil call number `at`, or every one: -1 */
    double by;     /* relative to |b| */
} liar;

/* One number of the product is wrong, by another amount in each call: else one could take it for a part of b. */
static int lie(void *context, const void *x, void *y)
{
    liar *l = context;
    const int rc = l->op.apply(l->op.context, x, y);
    const int call = l->calls++;
    if (rc || (l->at >= 0 && call != l->at)) return rc;
    real v;
    real *place = (real *)y + UNKNOWNS / 3;
    pio_queue_download(&l->s->queue, &v, place, sizeof v);
    v += (real)(l->by * length(l->s->right) * (noise("sign", call) < 0.5 ? -1 : 1) * (0.5 + noise("lie", call)));
    pio_queue_upload(&l->s->queue, place, &v, sizeof v);
    return l->s->queue.error.code;
}

static pio_linop lying(liar *l)
{
    pio_linop op = l->op;
    op.context = l;
    op.apply = lie;
    return op;
}

static void a_product_that_was_wrong_is_noticed(void **state)
{
    (void)state;
    system_case s;
    int mended = 0;
    open_case(&s, CONTRAST);
    for (int m = 0; m < 3; m++)
        for (int at = -1; at <= 1000; at = at < 0 ? 10 : at * 100) { /* always, the tenth call, none */
            liar l = {.s = &s, .op = pio_bsr_operator(&s.a, PIO_SPD, 0), .at = at, .by = 0.03};
            const pio_linop op = lying(&l);
            pio_krylov_options o = options_of(all[m]);
            pio_krylov_result r;
            piola_error error;
            double rounding;
            o.max_iterations = F32 ? 500 : 1000;
            o.tolerance = F32 ? 1e-4 : 1e-10;
            const piola_status rc = solve_with(&s, &op, &o, &r, &error);
            const double truth = true_residual(&s, 0, &rounding);
            print_message("%-8s wrong %s: %d iterations, %d restarts, reported %.2e, true %.2e %s\n", names[all[m]],
                          at < 0     ? "in every call"
                          : at == 10 ? "once"
                                     : "never",
                          r.iterations, r.restarts, r.relative, truth, error.message);
            assert_int_equal(r.stop == KRYLOV_CONVERGED, rc == PIOLA_OK);
            if (at != 1000) assert_true(rc == PIOLA_NUMERICAL || r.restarts >= 1); /* a restart mends one wrong call */
            if (at == 1000) assert_int_equal(rc, PIOLA_OK);
            if (at == 1000 && all[m] != PIO_GMRES) assert_int_equal(r.restarts, 0);
            if (at < 0) assert_int_equal(rc, PIOLA_NUMERICAL);
            if (rc == PIOLA_OK) assert_true(truth <= o.tolerance + rounding);
            mended += at == 10 && rc == PIOLA_OK;
        }
    assert_true(mended >= 1);
    case_close(&s);
}

/* ---- failures ------------------------------------------------------------------------------------------------ */

static void expect(system_case *s, const pio_linop *op, const pio_krylov_options *o, piola_status status, int stop,
                   const char *says)
{
    pio_krylov_result r;
    piola_error error;
    const piola_status rc = solve_with(s, op, o, &r, &error);
    print_message("%s\n", error.message);
    assert_int_equal(rc, status);
    assert_int_equal(error.status, status);
    assert_int_equal(r.stop, stop);
    assert_true(!(r.relative <= o->tolerance)); /* NaN where it is not known */
    assert_non_null(strstr(error.message, says));
    expect_failure(&r, &error.failure);
}

static void wrong_pairings_are_refused_before_anything_is_done(void **state)
{
    (void)state;
    system_case s;
    open_case(&s, CONTRAST);
    const int64_t before = s.queue.downloads;
    pio_linop op = pio_bsr_operator(&s.a, PIO_SYMMETRIC, 1);
    pio_krylov_options o = options_of(PIO_PCG);
    expect(&s, &op, &o, PIOLA_BAD_DATA, KRYLOV_RUNNING, "use MINRES");
    op.kind = PIO_GENERAL;
    expect(&s, &op, &o, PIOLA_BAD_DATA, KRYLOV_RUNNING, "use GMRES");
    o.method = PIO_MINRES;
    expect(&s, &op, &o, PIOLA_BAD_DATA, KRYLOV_RUNNING, "use GMRES");
    o.method = PIO_LU;
    expect(&s, &op, &o, PIOLA_BAD_DATA, KRYLOV_RUNNING, "not iterative");
    o = options_of(PIO_GMRES);
    o.tolerance = 0;
    expect(&s, &op, &o, PIOLA_BAD_DATA, KRYLOV_RUNNING, "0 < tolerance < 1");
    op.unknowns++;
    expect(&s, &op, &o, PIOLA_INTERNAL, KRYLOV_RUNNING, "workspace");
    assert_int_equal(s.queue.downloads, before);
    case_close(&s);
}

static void every_failure_has_its_name(void **state)
{
    (void)state;
    system_case s, zero;
    open_case(&s, CONTRAST);
    open_case(&zero, NOTHING);
    put(&zero, zero.b, s.right, UNKNOWNS);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1), none = pio_bsr_operator(&zero.a, PIO_SPD, 0);
    pio_linop unable = op;
    unable.apply = NULL;
    for (int m = 0; m < 3; m++) {
        pio_krylov_options o = options_of(all[m]);
        expect(&zero, &none, &o, PIOLA_NUMERICAL, m ? KRYLOV_BREAKDOWN : KRYLOV_NEGATIVE_CURVATURE, "1");
        o.max_iterations = 5;
        expect(&s, &op, &o, PIOLA_NUMERICAL, KRYLOV_LIMIT, "has not converged in 5 iterations");
        o.max_iterations = 5000;
        o.tolerance = F32 ? 1e-10 : 1e-18;
        expect(&s, &op, &o, PIOLA_NUMERICAL, KRYLOV_STAGNATED, "stagnates");
        expect(&s, &unable, &o, PIOLA_INTERNAL, KRYLOV_RUNNING, "no product");
    }
    case_close(&zero);
    for (int m = 0; m < 3; m++) {
        const pio_krylov_options o = options_of(all[m]);
        liar l = {.s = &s, .op = pio_bsr_operator(&s.a, PIO_SPD, 0), .at = 7, .by = (double)NAN}; /* call 0: b - A x */
        const pio_linop lies = lying(&l);
        expect(&s, &lies, &o, PIOLA_NUMERICAL, KRYLOV_NOT_FINITE, "iteration 7: a value is not finite");
    }
    s.value[(ptrdiff_t)DD * (s.row_start[NODES / 2] + 1)] = (double)INFINITY;
    put_values(&s);
    for (int m = 0; m < 3; m++) {
        const pio_krylov_options o = options_of(all[m]);
        expect(&s, &op, &o, PIOLA_NUMERICAL, KRYLOV_NOT_FINITE, "not finite");
    }
    case_close(&s);
}

static void scale_values(system_case *s, double factor)
{
    for (ptrdiff_t k = 0; k < (ptrdiff_t)s->blocks * DD; k++) s->value[k] *= factor;
    put_values(s);
}

static void an_indefinite_preconditioner_is_named(void **state)
{
    (void)state;
    system_case s;
    piola_error error;
    open_case(&s, CONTRAST);
    const pio_linop op = pio_bsr_operator(&s.a, PIO_SPD, 1);
    scale_values(&s, -1);
    assert_int_equal(pio_bsr_invert_diagonal(&s.a, &error), PIOLA_OK);
    scale_values(&s, -1); /* A as it was, and -D^-1 */
    for (int m = 0; m < 2; m++) {
        const pio_krylov_options o = options_of(all[m]);
        expect(&s, &op, &o, PIOLA_NUMERICAL, KRYLOV_PRECONDITIONER, "preconditioner is not positive definite");
    }
    solves(&s, &op, PIO_GMRES, 0, "negative preconditioner"); /* which takes any */
    case_close(&s);
}

/* ---- matrices ------------------------------------------------------------------------------------------------- */

static void a_singular_block_is_named(void **state)
{
    (void)state;
    system_case s;
    piola_error error = {0};
    char node[32];
    open_case(&s, CONTRAST);
    const int row = NODES - 100;
    double *block = NULL, kept[DD];
    for (int k = s.row_start[row]; k < s.row_start[row + 1]; k++)
        if (s.column[k] == row) block = s.value + (ptrdiff_t)k * DD;
    assert_non_null(block);
    memcpy(kept, block, sizeof kept);
    snprintf(node, sizeof node, "of node %d is", row);
    for (int what = 0; what < 3; what++) { /* rank 1, which rounding makes not quite singular; zero; not finite */
        for (int c = 0; c < DD; c++) block[c] = what ? 0 : (1 + 0.1 * (c / DIM)) * (3 + 0.7 * (c % DIM));
        if (what == 2) memcpy(block, kept, sizeof kept), block[DIM] = (double)NAN;
        put_values(&s);
        assert_int_equal(pio_bsr_invert_diagonal(&s.a, &error), PIOLA_NUMERICAL);
        print_message("%s\n", error.message);
        assert_non_null(strstr(error.message, node));
        assert_non_null(strstr(error.message, what == 2 ? "not finite" : "singular"));
        assert_int_equal(error.failure.kind, what == 2 ? PIOLA_FAILED_NOT_FINITE : PIOLA_FAILED_SINGULAR);
        assert_int_equal(error.failure.of, PIOLA_FAILED_NODE);
        assert_int_equal(error.failure.item, row);
    }
    memset(block, 0, sizeof kept); /* control: far from singular, however unequal its numbers */
    for (int c = 0; c < DIM; c++) block[c * (DIM + 1)] = c ? 1e-8 : 1e8;
    put_values(&s);
    assert_int_equal(pio_bsr_invert_diagonal(&s.a, &error), PIOLA_OK);
    case_close(&s);
}

static void a_wrong_structure_is_refused(void **state)
{
    (void)state;
    static const struct {
        int start[4], column[6];
        const char *says;
    } wrong[] = {
        {{0, 2, 4, 6}, {0, 1, 0, 1, 1, 2}, "no block in row 1, column 2 for that in row 2, column 1"},
        {{0, 2, 4, 6}, {0, 1, 1, 2, 1, 2}, "no block in row 1, column 0 for that in row 0, column 1"},
        {{0, 2, 4, 6}, {0, 2, 1, 2, 1, 2}, "no block in row 2, column 0 for that in row 0, column 2"},
        {{0, 2, 4, 6}, {1, 0, 0, 1, 1, 2}, "column 0 comes after column 1"},
        {{0, 2, 4, 6}, {0, 0, 0, 1, 1, 2}, "column 0 comes after column 0"},
        {{0, 2, 4, 6}, {0, 3, 0, 1, 1, 2}, "column 3 of 3"},
        {{0, 2, 4, 5}, {0, 1, 0, 1, 2, 2}, "row_start goes from 0 to 5"},
        {{0, 4, 2, 6}, {0, 1, 0, 1, 1, 2}, "block row 1 begins at entry 4"},
        {{0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, "block row 0 has no block on the diagonal"},
        {{0, 2, 5, 6}, {0, 1, 0, 1, 2, 2}, "no block in row 2, column 1 for that in row 1, column 2"},
    };
    pio_arena arena = {.backend = &pio_backend_cpu};
    pio_queue q = {.backend = &pio_backend_cpu, .arena = &arena};
    pio_bsr a;
    pio_bsr_layout(&a, &arena, 3, 6);
    assert_int_equal(pio_arena_create(&arena, &pio_backend_cpu, arena.used), 0);
    pio_bsr_layout(&a, &arena, 3, 6);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        piola_error error = {0};
        const piola_status rc = pio_bsr_structure(&a, &q, wrong[i].start, wrong[i].column, &error);
        print_message("%s\n", error.message);
        assert_int_equal(rc, PIOLA_BAD_DATA);
        if (!strstr(error.message, wrong[i].says)) fail_msg("it should say: %s", wrong[i].says);
    }
    pio_arena_destroy(&arena);
}

/* Runs last. */
static void every_kind_of_a_linear_failure_was_met(void **state)
{
    (void)state;
    for (int kind = PIOLA_FAILED_LINEAR_LIMIT; kind <= PIOLA_FAILED_PRECONDITIONER; kind++) {
        print_message("failure number %d: %d times\n", kind, produced[kind]);
        assert_true(produced[kind] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positive_definite_systems_are_solved_and_block_jacobi_saves_iterations),
        cmocka_unit_test(minres_solves_an_indefinite_system_and_pcg_says_why_it_does_not),
        cmocka_unit_test(gmres_solves_an_unsymmetric_system_and_its_transposed),
        cmocka_unit_test(no_right_hand_side_gives_zero_at_once),
        cmocka_unit_test(neither_threads_nor_checks_change_a_bit),
        cmocka_unit_test(the_host_checks_as_often_as_stated),
        cmocka_unit_test(a_product_that_was_wrong_is_noticed),
        cmocka_unit_test(wrong_pairings_are_refused_before_anything_is_done),
        cmocka_unit_test(every_failure_has_its_name),
        cmocka_unit_test(an_indefinite_preconditioner_is_named),
        cmocka_unit_test(a_singular_block_is_named),
        cmocka_unit_test(a_wrong_structure_is_refused),
        cmocka_unit_test(every_kind_of_a_linear_failure_was_met),
    };
    set_threads(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
