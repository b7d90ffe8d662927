/* test_signals.c -- signals and the time limit set one flag; a second SIGINT kills; handlers come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/signals.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void (*handler_of(int number))(int)
{
    struct sigaction action;
    assert_int_equal(sigaction(number, NULL, &action), 0);
    return action.sa_handler;
}

static volatile sig_atomic_t mine;
static void my_handler(int number)
{
    mine = number;
}

static void each_signal_sets_the_flag_and_is_named(void **state)
{
    (void)state;
    const int numbers[] = {SIGINT, SIGTERM, SIGXCPU, SIGUSR1, SIGHUP, SIGQUIT};
    const char *names[] = {"SIGINT", "SIGTERM", "SIGXCPU", "SIGUSR1", "SIGHUP", "SIGQUIT"};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
        assert_false(pio_interrupted());
        assert_null(pio_interruption());
        assert_int_equal(raise(numbers[i]), 0);
        assert_true(pio_interrupted());
        assert_non_null(strstr(pio_interruption(), names[i]));
        printf("%s\n", pio_interruption());
        pio_signals_restore();
    }
}

static void the_first_signal_is_the_reason_and_sigterm_may_repeat(void **state)
{
    (void)state;
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGXCPU);
    raise(SIGINT);
    assert_non_null(strstr(pio_interruption(), "SIGTERM"));
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    assert_false(pio_interrupted()); /* forgotten */
    pio_signals_restore();
}

static void handlers_come_back_and_an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    signal(SIGTERM, my_handler);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN); /* nohup */
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    assert_true(handler_of(SIGTERM) != my_handler);
    assert_true(handler_of(SIGINT) == SIG_IGN);
    assert_true(handler_of(SIGHUP) == SIG_IGN);
    raise(SIGINT);
    raise(SIGHUP);
    assert_false(pio_interrupted());
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK); /* twice: what is put back is still ours */
    pio_signals_restore();
    assert_true(handler_of(SIGTERM) == my_handler);
    assert_true(handler_of(SIGXCPU) == SIG_DFL);
    raise(SIGTERM);
    assert_int_equal(mine, SIGTERM);
    assert_false(pio_interrupted());
    pio_signals_restore(); /* nothing to do */
    assert_true(handler_of(SIGTERM) == my_handler);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void a_second_sigint_kills_and_the_first_does_not(void **state)
{
    (void)state;
    for (int times = 1; times <= 2; times++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (pio_signals_install(NULL) != PIOLA_OK) _exit(1);
            for (int i = 0; i < times; i++) raise(SIGINT);
            _exit(pio_interrupted() ? 42 : 2);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (times == 1) assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
        if (times == 2) assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        printf("%d SIGINT: %s\n", times, times == 1 ? "went on to a clean exit" : "killed");
    }
}

static void a_read_goes_on_after_a_signal(void **state)
{
    (void)state;
    int pipes[2];
    char byte = 0;
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct timespec pause = {0, 50000000};
        nanosleep(&pause, NULL);
        kill(parent, SIGTERM);
        nanosleep(&pause, NULL);
        _exit(write(pipes[1], "x", 1) == 1 ? 0 : 1);
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(byte, 'x');
    assert_true(pio_interrupted());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(pipes[0]);
    close(pipes[1]);
    pio_signals_restore();
}

static double now(void)
{
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void the_time_limit_interrupts_when_it_is_up_and_not_before(void **state)
{
    (void)state;
    assert_int_equal(pio_signals_install(NULL), PIOLA_OK);
    double began = now();
    pio_signals_deadline(0.2);
    while (!pio_interrupted()) assert_true(now() - began < 10);
    double took = now() - began;
    printf("limit 0.2 s: interrupted after %.3f s (threshold 0.2 to 10), \"%s\"\n", took, pio_interruption());
    assert_true(took >= 0.199);
    assert_non_null(strstr(pio_interruption(), "0.2 s"));
    const double none[] = {0, -1, HUGE_VAL, NAN};
    for (int i = 0; i < 4; i++) {
        pio_signals_deadline(none[i]);
        assert_false(pio_interrupted());
        assert_null(pio_interruption());
    }
    pio_signals_deadline(1e-9);
    assert_true(pio_interrupted());
    raise(SIGTERM); /* a signal is the better reason */
    assert_non_null(strstr(pio_interruption(), "SIGTERM"));
    pio_signals_restore();
}

int main(void)
{
    signal(SIGINT, SIG_DFL); /* a background job starts with it ignored */
    signal(SIGTERM, SIG_DFL);
    signal(SIGXCPU, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_signal_sets_the_flag_and_is_named),
        cmocka_unit_test(the_first_signal_is_the_reason_and_sigterm_may_repeat),
        cmocka_unit_test(handlers_come_back_and_an_ignored_signal_stays_ignored),
        cmocka_unit_test(a_second_sigint_kills_and_the_first_does_not),
        cmocka_unit_test(a_read_goes_on_after_a_signal),
        cmocka_unit_test(the_time_limit_interrupts_when_it_is_up_and_not_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
