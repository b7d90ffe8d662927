/* test_log.c -- what a terminal, a pipe and the JSON file get, with a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/log.h"
#include "tests/host/base/json_checker.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

enum { TEXT = 65536 };

static double the_time;
static double test_clock(void *context)
{
    return *(double *)context;
}

/* A log that writes to a pipe or a pseudo terminal, and what came out of it. */
typedef struct bench {
    pio_log *log;
    FILE *human;
    int from;
    char text[TEXT];
} bench;

static void open_bench(bench *b, bool terminal, unsigned short columns, pio_log_level level, const char *json)
{
    int ends[2];
    memset(b, 0, sizeof *b);
    if (terminal) {
        struct winsize w = {.ws_row = 24, .ws_col = columns};
        struct termios raw;
        assert_int_equal(openpty(&ends[0], &ends[1], NULL, NULL, &w), 0);
        assert_int_equal(tcgetattr(ends[1], &raw), 0);
        raw.c_oflag &= ~(tcflag_t)OPOST; /* \n stays \n */
        assert_int_equal(tcsetattr(ends[1], TCSANOW, &raw), 0);
    } else {
        assert_int_equal(pipe(ends), 0);
    }
    b->from = ends[0];
    assert_int_equal(fcntl(b->from, F_SETFL, O_NONBLOCK), 0);
    b->human = fdopen(ends[1], "w");
    assert_non_null(b->human);
    the_time = 100;
    pio_log_options o = {
        .human = b->human, .level = level, .json_path = json, .clock = test_clock, .clock_context = &the_time};
    piola_error error;
    assert_int_equal(pio_log_create(&b->log, &o, &error), PIOLA_OK);
}

/* Append what was written since the last call. */
static const char *seen(bench *b)
{
    size_t n = strlen(b->text);
    for (ssize_t got; n + 1 < TEXT && (got = read(b->from, b->text + n, TEXT - 1 - n)) > 0;) n += (size_t)got;
    b->text[n] = 0;
    return b->text;
}

static void close_bench(bench *b)
{
    assert_int_equal(pio_log_close(&b->log, NULL), PIOLA_OK);
    assert_null(b->log);
    seen(b);
    fclose(b->human);
    close(b->from);
}

/* What a person would see: \r goes back to the left edge, later characters overwrite. Escape codes are not handled. */
static void as_on_screen(const char *text, char *screen)
{
    size_t begin = 0, at = 0, end = 0;
    for (; *text; text++) {
        if (*text == '\r') {
            at = begin;
        } else if (*text == '\n') {
            while (end > begin && screen[end - 1] == ' ') end--;
            screen[end++] = '\n';
            begin = at = end;
        } else {
            screen[at++] = *text;
            if (at > end) end = at;
        }
    }
    while (end > begin && screen[end - 1] == ' ') end--;
    screen[end] = 0;
}

static void run_2000_steps(bench *b, double seconds_per_step)
{
    for (int i = 0; i <= 2000; i++) {
        pio_log_progress(b->log, "forward", i, 2000, "steps");
        if (i < 2000) the_time += seconds_per_step;
        if (i % 100 == 0) seen(b); /* a pipe holds 64 kB */
    }
    pio_log_progress_end(b->log);
}

static void say_everything(pio_log *log)
{
    pio_log_message(log, PIO_ERROR, "no such %s", "thing");
    pio_log_message(log, PIO_WARNING, "odd value %d", 3);
    pio_log_message(log, PIO_INFO, "engine cpu");
    pio_log_message(log, PIO_DETAIL, "arena 12 MiB");
}

static void a_pipe_gets_plain_lines_of_the_level_requested(void **state)
{
    (void)state;
    const char *expected[] = {"error: no such thing\n", "error: no such thing\nwarning: odd value 3\n",
                              "error: no such thing\nwarning: odd value 3\nengine cpu\n",
                              "error: no such thing\nwarning: odd value 3\nengine cpu\narena 12 MiB\n"};
    for (int level = PIO_ERROR; level <= PIO_DETAIL; level++) {
        bench b;
        open_bench(&b, false, 0, (pio_log_level)level, NULL);
        say_everything(b.log);
        close_bench(&b);
        assert_string_equal(b.text, expected[level]);
    }
    assert_int_equal(pio_log_level_from(0, 0), PIO_INFO);
    assert_int_equal(pio_log_level_from(1, 0), PIO_WARNING);
    assert_int_equal(pio_log_level_from(5, 0), PIO_ERROR);
    assert_int_equal(pio_log_level_from(0, 3), PIO_DETAIL);
}

static void colour_is_for_terminals_without_no_color(void **state)
{
    (void)state;
    const struct {
        bool terminal;
        const char *no_color, *term;
        bool coloured;
    } cases[] = {{true, NULL, "xterm", true},
                 {true, "", "xterm", true},
                 {true, "1", "xterm", false},
                 {true, NULL, "dumb", false},
                 {false, NULL, "xterm", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        setenv("TERM", cases[i].term, 1);
        if (cases[i].no_color) setenv("NO_COLOR", cases[i].no_color, 1);
        if (!cases[i].no_color) unsetenv("NO_COLOR");
        open_bench(&b, cases[i].terminal, 100, PIO_DETAIL, NULL);
        say_everything(b.log);
        run_2000_steps(&b, 0.02);
        close_bench(&b);
        unsetenv("NO_COLOR");
        setenv("TERM", "xterm", 1);
        printf("terminal %d, NO_COLOR %s, TERM %s: escape codes %s\n", cases[i].terminal,
               cases[i].no_color ? cases[i].no_color : "unset", cases[i].term, strchr(b.text, '\033') ? "yes" : "no");
        assert_int_equal(strchr(b.text, '\033') != NULL, cases[i].coloured);
        bool rewritten = cases[i].terminal && strcmp(cases[i].term, "dumb") != 0;
        assert_int_equal(strchr(b.text, '\r') != NULL, rewritten);
    }
}

static void a_terminal_shows_one_line_that_is_rewritten(void **state)
{
    (void)state;
    bench b;
    char screen[TEXT];
    open_bench(&b, true, 100, PIO_INFO, NULL);
    for (int i = 0; i <= 1040; i++) {
        pio_log_progress(b.log, "forward", i, 2000, "steps");
        if (i < 1040) the_time += 0.003;
    }
    the_time += 0.1;
    pio_log_progress(b.log, "forward", 1040, 2000, "steps");
    as_on_screen(seen(&b), screen);
    printf("%s\n", screen);
    assert_string_equal(screen, "forward  [#####     ]  52 %  1040/2000 steps  323/s  3.2 s  left 3.0 s");
    int drawn = 0;
    for (const char *s = b.text; *s; s++) drawn += *s == '\r';
    printf("drawn %d times in 3.2 s, threshold 34\n", drawn);
    assert_true(drawn > 20 && drawn <= 34);

    pio_log_message(b.log, PIO_INFO, "a message in between"); /* takes the line's place; the bar comes back below */
    pio_log_progress(b.log, "forward", 1041, 2000, "steps");
    as_on_screen(seen(&b), screen);
    assert_true(strncmp(screen, "a message in between\nforward  [#####", 36) == 0);

    the_time += 2.78;
    pio_log_progress(b.log, "forward", 2000, 2000, "steps");
    pio_log_progress_end(b.log);
    as_on_screen(seen(&b), screen);
    assert_string_equal(screen, "a message in between\nforward  100 %  2000/2000 steps  333/s  6.0 s\n");
    close_bench(&b);
}

static void a_narrow_terminal_does_not_wrap(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, true, 30, PIO_INFO, NULL);
    run_2000_steps(&b, 0.01);
    close_bench(&b);
    char *last = strrchr(b.text, '\r');
    assert_non_null(last);
    *last = 0; /* the final line may wrap: it stays */
    size_t longest = 0;
    for (const char *s = strtok(b.text, "\r\n"); s; s = strtok(NULL, "\r\n")) {
        if (strlen(s) > longest) longest = strlen(s);
    }
    printf("longest drawing %zu columns, threshold 29\n", longest);
    assert_true(longest > 20 && longest <= 29);
}

static void a_pipe_gets_a_line_every_ten_seconds(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, false, 0, PIO_INFO, NULL);
    run_2000_steps(&b, 0.0175); /* 35 s */
    close_bench(&b);
    printf("%s", b.text);
    int lines = 0;
    for (const char *s = b.text; *s; s++) lines += *s == '\n';
    assert_int_equal(lines, 4); /* at 10, 20, 30 s and the end */
    assert_true(strncmp(b.text, "forward  28 %  572/2000 steps  57.1/s  10.0 s  left 25.0 s\n", 58) == 0);
    assert_non_null(strstr(b.text, "forward  100 %  2000/2000 steps  57.1/s  35.0 s\n"));
}

static void stages_that_recur_leave_no_line_but_one_every_ten_seconds(void **state)
{
    (void)state;
    for (int terminal = 0; terminal < 2; terminal++) {
        bench b;
        open_bench(&b, terminal, 80, PIO_INFO, NULL);
        pio_log_progress_recurs(b.log);
        for (int k = 0; k < 12; k++) { /* 12 sweeps of 3 s: lines at 12, 24 and 36 s, when 10 s or more have passed */
            the_time += 1.5;
            pio_log_progress(b.log, k % 2 ? "backward" : "forward", 50, 100, "steps");
            the_time += 1.5;
            pio_log_progress(b.log, k % 2 ? "backward" : "forward", 100, 100, "steps");
            pio_log_progress_end(b.log);
        }
        close_bench(&b);
        int lines = 0;
        for (const char *s = b.text; *s; s++) lines += *s == '\n';
        printf("%d lines on a %s, %s\n", lines, terminal ? "terminal" : "pipe", terminal ? "0" : "3");
        assert_int_equal(lines, terminal ? 0 : 3);
        if (terminal) continue;
        printf("%s", b.text);
        assert_true(strncmp(b.text, "backward  50 %  50/100 steps", 28) == 0 ||
                    strncmp(b.text, "backward  100 %  100/100 steps", 30) == 0);
    }
}

static void quiet_shows_no_progress(void **state)
{
    (void)state;
    for (int terminal = 0; terminal < 2; terminal++) {
        bench b;
        open_bench(&b, terminal, 80, PIO_WARNING, NULL);
        run_2000_steps(&b, 0.1);
        close_bench(&b);
        assert_string_equal(b.text, "");
    }
}

static void a_new_stage_ends_the_one_before_and_an_unknown_total_is_fine(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, false, 0, PIO_INFO, NULL);
    pio_log_progress(b.log, "forward", 0, 10, "steps");
    the_time += 7000;
    pio_log_progress(b.log, "adjoint", 0, 0, "steps");
    the_time += 150;
    pio_log_progress(b.log, "adjoint", 2500000, 0, "steps");
    close_bench(&b);
    printf("%s", b.text);
    assert_non_null(strstr(b.text, "forward  0 %  0/10 steps  0.00/s  1 h 56 min\n"));
    assert_non_null(strstr(b.text, "adjoint  2500000 steps  16.7k/s  2 min 30 s\n"));
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, false, 0, PIO_INFO, NULL);
    pio_log_message(b.log, PIO_INFO, "body '%s' \xC3\xA9", "a\033[2Jb\a\r\x7f\xC2\x9B");
    pio_log_progress(b.log, "st\033age", 1, 2, "st\neps");
    the_time += 2;
    pio_log_progress(b.log, "st\033age", 1, 2, "st\neps"); /* the same stage still */
    pio_log_progress_end(b.log);
    close_bench(&b);
    const char *expected = "body 'a?[2Jb?\?\?\?\?' \xC3\xA9\nst?age  50 %  1/2 st?eps  0.50/s  2.0 s\n";
    assert_string_equal(b.text, expected);
}

static void every_line_of_the_json_log_parses(void **state)
{
    (void)state;
    char path[] = "/tmp/piola_log_XXXXXX", line[4096];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int run = 0; run < 2; run++) { /* the second appends */
        bench b;
        open_bench(&b, false, 0, PIO_ERROR, path);
        say_everything(b.log);
        pio_log_message(b.log, PIO_INFO, "quote \" and\nnew line \xFF");
        run_2000_steps(&b, 0.0175);
        close_bench(&b);
        assert_string_equal(b.text, "error: no such thing\n");
    }
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int lines = 0, bad = 0, quoted = 0, progress = 0;
    while (fgets(line, sizeof line, f)) {
        lines++;
        bad +=
            check_json(line) != NULL || strncmp(line, "{\"time\":\"20", 11) != 0 || !strstr(line, "Z\",\"level\":\"");
        quoted += strstr(line, "\"message\":\"quote \\\" and\\nnew line ") != NULL;
        progress += strstr(line, "\"level\":\"progress\"") != NULL;
        if (lines > 8) printf("%s", line);
    }
    fclose(f);
    unlink(path);
    printf("lines %d (threshold 18), faulty %d (threshold 0), with quotes %d (2), progress %d (8)\n", lines, bad,
           quoted, progress);
    assert_int_equal(lines, 18);
    assert_int_equal(bad, 0);
    assert_int_equal(quoted, 2);
    assert_int_equal(progress, 8);
}

static void what_cannot_be_written_is_reported_at_the_end(void **state)
{
    (void)state;
    pio_log *log;
    piola_error error;
    bench b;
    pio_log_options o = {.human = stderr, .level = PIO_INFO, .json_path = "/nowhere/at/all.json"};
    assert_int_equal(pio_log_create(&log, &o, &error), PIOLA_CANNOT_CREATE);
    assert_null(log);
    printf("%s\n", error.message);
    assert_int_equal(pio_log_close(&log, &error), PIOLA_OK); /* nothing to close */
    pio_log_message(NULL, PIO_INFO, "nobody listens");
    pio_log_progress(NULL, "forward", 0, 1, "steps");
    if (access("/dev/full", W_OK) != 0) {
        printf("not checked: no /dev/full\n");
        skip();
    }
    open_bench(&b, false, 0, PIO_INFO, "/dev/full");
    pio_log_message(b.log, PIO_INFO, "lost in the file");
    assert_int_equal(pio_log_close(&b.log, &error), PIOLA_IO);
    printf("%s\n", error.message);
    assert_string_equal(seen(&b), "lost in the file\n"); /* people still see it */
    fclose(b.human);
    close(b.from);
}

int main(void)
{
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_gets_plain_lines_of_the_level_requested),
        cmocka_unit_test(colour_is_for_terminals_without_no_color),
        cmocka_unit_test(a_terminal_shows_one_line_that_is_rewritten),
        cmocka_unit_test(a_narrow_terminal_does_not_wrap),
        cmocka_unit_test(a_pipe_gets_a_line_every_ten_seconds),
        cmocka_unit_test(stages_that_recur_leave_no_line_but_one_every_ten_seconds),
        cmocka_unit_test(quiet_shows_no_progress),
        cmocka_unit_test(a_new_stage_ends_the_one_before_and_an_unknown_total_is_fine),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(every_line_of_the_json_log_parses),
        cmocka_unit_test(what_cannot_be_written_is_reported_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
