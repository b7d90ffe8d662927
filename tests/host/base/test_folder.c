/* test_folder.c -- one run at a time in a folder, on file systems with locks and without; files that appear whole;
 * leftovers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/base/folder.h"
#include "host/base/json.h"
#include "host/base/new_file.h"

static char folder[] = "piola_folder_XXXXXX", name[200];
static int no_locks; /* errno of a file system without locks, or 0 */

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int __wrap_flock(int fd, int how)
{
    if (!no_locks) return __real_flock(fd, how);
    errno = no_locks;
    return -1;
}

static const char *in_folder(const char *base)
{
    snprintf(name, sizeof name, "%s/%s", folder, base);
    return name;
}

static void put(const char *base, const char *text)
{
    FILE *file = fopen(in_folder(base), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_text(const char *base, const char *want)
{
    char got[1000] = "";
    FILE *file = fopen(in_folder(base), "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, want);
}

static bool is_there(const char *base)
{
    struct stat there;
    return !lstat(in_folder(base), &there);
}

/* A process that holds the lock until a signal ends it. */
static pid_t hold(void)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        pio_folder *lock;
        if (pio_folder_lock(&lock, folder, "piola grad a.yaml", NULL) || write(ends[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void expect_refused(pid_t holder)
{
    char pid[40], host[256] = "";
    pio_folder *lock;
    piola_error error;
    assert_int_equal(pio_folder_lock(&lock, folder, "piola run b.yaml", &error), PIOLA_CANNOT_CREATE);
    assert_null(lock);
    print_message("%s\n", error.message);
    snprintf(pid, sizeof pid, "pid %ld ", (long)holder);
    gethostname(host, sizeof host - 1);
    assert_non_null(strstr(error.message, pid));
    assert_non_null(strstr(error.message, host));
    assert_non_null(strstr(error.message, "since 20"));
    assert_non_null(strstr(error.message, "piola grad a.yaml"));
}

static void a_second_run_is_refused_and_a_killed_one_is_not_in_the_way(void **state)
{
    (void)state;
    static const int kinds[] = {0, ENOSYS, ENOLCK, EOPNOTSUPP};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        pio_folder *lock;
        no_locks = kinds[k];
        const pid_t child = hold();
        expect_refused(child);
        end(child);
        assert_true(is_there(".piola-lock"));
        assert_int_equal(pio_folder_lock(&lock, folder, "piola run b.yaml", NULL), PIOLA_OK);
        print_message("%s\n", pio_folder_notice(lock));
        assert_non_null(strstr(pio_folder_notice(lock), no_locks ? "no locks" : "was killed"));
        pio_folder_unlock(lock);
        assert_false(is_there(".piola-lock"));
        assert_int_equal(pio_folder_lock(&lock, folder, "piola run b.yaml", NULL), PIOLA_OK);
        if (!no_locks) assert_string_equal(pio_folder_notice(lock), "");
        pio_folder_unlock(lock);
    }
    no_locks = 0;
}

/* What a killed run began may end a moment after it; until then it has the lock too. */
static void a_child_of_a_killed_run_is_waited_for(void **state)
{
    (void)state;
    enum { LINGER_US = 300000 };
    int ends[2];
    char byte;
    pio_folder *lock;
    piola_error error;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (pio_folder_lock(&lock, folder, "piola grad a.yaml", NULL)) _exit(1);
        if (fork() == 0) {
            if (read(ends[0], &byte, 1) == 1) (void)usleep(LINGER_US);
            _exit(0);
        }
        for (;;) pause();
    }
    while (!is_there(".piola-lock")) (void)usleep(1000);
    (void)usleep(100000);  /* the grandchild is there */
    expect_refused(child); /* control: its holder lives */
    end(child);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(pio_folder_lock(&lock, folder, "piola run b.yaml", &error), PIOLA_OK);
    pio_folder_unlock(lock);
    close(ends[0]);
    close(ends[1]);
}

static void an_old_file_is_forgotten_unless_the_folder_is_anothers(void **state)
{
    (void)state;
    put("old", "x");
    const pid_t child = hold();
    pio_folder_remove(folder, "old");
    assert_true(is_there("old"));
    end(child);
    pio_folder_remove(folder, "old");
    assert_false(is_there("old"));
    assert_true(is_there(".piola-lock")); /* the killed run must still be reported */
    assert_int_equal(unlink(in_folder(".piola-lock")), 0);
    pio_folder_remove(folder, "old");
    assert_false(is_there(".piola-lock"));
}

/* Two problems of one process exclude each other too. */
static void one_process_has_a_folder_once(void **state)
{
    (void)state;
    pio_folder *first, *second;
    assert_int_equal(pio_folder_lock(&first, folder, "piola grad a.yaml", NULL), PIOLA_OK);
    expect_refused(getpid());
    pio_folder_unlock(first);
    assert_int_equal(pio_folder_lock(&second, folder, "b", NULL), PIOLA_OK);
    pio_folder_unlock(second);
}

static void without_locks_a_run_of_another_machine_is_respected(void **state)
{
    (void)state;
    pio_folder *lock;
    piola_error error;
    put(".piola-lock", "pid 1\nhost nowhere.example\nstart 2026-01-01T00:00:00Z\ncommand piola run c.yaml\n");
    no_locks = ENOSYS;
    assert_int_equal(pio_folder_lock(&lock, folder, "b", &error), PIOLA_CANNOT_CREATE);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "nowhere.example"));
    assert_non_null(strstr(error.message, "remove "));
    no_locks = 0;
    assert_int_equal(pio_folder_lock(&lock, folder, "b", &error),
                     PIOLA_OK); /* control: with locks it is known to be dead */
    pio_folder_unlock(lock);
}

static void odd_locks_are_refused(void **state)
{
    (void)state;
    pio_folder *lock;
    piola_error error;
    put("precious", "precious");
    assert_int_equal(symlink("precious", in_folder(".piola-lock")), 0);
    assert_int_equal(pio_folder_lock(&lock, folder, "b", &error), PIOLA_CANNOT_CREATE);
    print_message("%s\n", error.message);
    expect_text("precious", "precious");
    assert_int_equal(unlink(in_folder(".piola-lock")), 0);
    assert_int_equal(mkfifo(in_folder(".piola-lock"), 0666), 0);
    assert_int_equal(pio_folder_lock(&lock, folder, "b", &error), PIOLA_CANNOT_CREATE);
    assert_int_equal(unlink(in_folder(".piola-lock")), 0);
    put(".piola-lock",
        "command \033[2J\033]0;x\007\nhost \xff\npid 99999999999999999999\n"); /* no terminal is led astray */
    assert_int_equal(pio_folder_lock(&lock, folder, "b", &error), PIOLA_OK);
    for (const char *at = pio_folder_notice(lock); *at; at++) assert_in_range(*at, ' ', '~');
    print_message("%s\n", pio_folder_notice(lock));
    pio_folder_unlock(lock);
    assert_int_equal(pio_folder_lock(&lock, "no_such_folder", "b", &error), PIOLA_CANNOT_CREATE);
    assert_int_equal(unlink(in_folder("precious")), 0);
}

/* Files of dead runs are removed; files of others, of a living process, and with similar names remain. */
static void leftovers_go_and_nothing_else(void **state)
{
    (void)state;
    static const char *const dead[] = {"states.4711-0.partial.vtkhdf", "history.1-22.partial.vtkhdf",
                                       "states.partial.vtkhdf",        "states-on-disk.h5.aZ09xy",
                                       ".result.json.piola-12-3.tmp",  ".evaluations.record.piola-1-0.tmp",
                                       ".a.piola-1.piola-1-0.tmp"};
    static const char *const alive[] = {"states.vtkhdf",
                                        "states.x.partial.vtkhdf",
                                        "my.1-1.partial.vtkhdf",
                                        "states.1-1.partial.h5",
                                        ".result.json.piola-12.tmp",
                                        "result.json.piola-1-2.tmp",
                                        ".x.tmp",
                                        "states-on-disk.h5.short",
                                        ".piola-1-2.tmpx"};
    enum { DEAD = sizeof dead / sizeof *dead, ALIVE = sizeof alive / sizeof *alive };
    pio_folder *lock;
    pio_new_file living;
    for (int k = 0; k < DEAD; k++) put(dead[k], "x");
    for (int k = 0; k < ALIVE; k++) put(alive[k], "x");
    assert_int_equal(mkdir(in_folder(".d.piola-1-1.tmp"), 0777), 0);
    assert_int_equal(pio_new_file_begin(&living, in_folder("report"), NULL), PIOLA_OK);
    assert_int_equal(pio_folder_lock(&lock, folder, "b", NULL), PIOLA_OK);
    put("old", "x");
    assert_int_equal(pio_folder_clean(lock, "old"), DEAD);
    assert_false(is_there("old"));
    for (int k = 0; k < DEAD; k++) assert_false(is_there(dead[k]));
    for (int k = 0; k < ALIVE; k++) assert_true(is_there(alive[k]));
    pio_folder_unlock(lock);
    assert_int_equal(pio_new_file_write(&living, "whole", 5, NULL), PIOLA_OK);
    assert_int_equal(pio_new_file_place(&living, NULL), PIOLA_OK);
    pio_new_file_drop(&living);
    expect_text("report", "whole");
    for (int k = 0; k < ALIVE; k++) assert_int_equal(unlink(in_folder(alive[k])), 0);
    assert_int_equal(unlink(in_folder("report")), 0);
    assert_int_equal(rmdir(in_folder(".d.piola-1-1.tmp")), 0);
}

/* A link is replaced by the file, and what it pointed to stays. */
static void a_planted_link_is_not_written_through(void **state)
{
    (void)state;
    put("precious", "precious");
    assert_int_equal(symlink("precious", in_folder("result.json")), 0);
    assert_int_equal(pio_write_file_atomically(in_folder("result.json"), "{}\n", 3, NULL), PIOLA_OK);
    expect_text("precious", "precious");
    expect_text("result.json", "{}\n");
    for (int count = 0; count < 200; count++) { /* the temporary name, should anyone guess it */
        char link[100];
        snprintf(link, sizeof link, ".result.json.piola-%ld-%d.tmp", (long)getpid(), count);
        if (symlink("precious", in_folder(link))) fail_msg("%s: %s", link, strerror(errno));
    }
    assert_int_equal(pio_write_file_atomically(in_folder("result.json"), "{1}\n", 4, NULL), PIOLA_OK);
    expect_text("precious", "precious");
    expect_text("result.json", "{1}\n");
    for (int count = 0; count < 200; count++) {
        char link[100];
        snprintf(link, sizeof link, ".result.json.piola-%ld-%d.tmp", (long)getpid(), count);
        assert_int_equal(unlink(in_folder(link)), 0);
    }
    assert_int_equal(unlink(in_folder("precious")), 0);
    assert_int_equal(unlink(in_folder("result.json")), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* nothing is left in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_run_is_refused_and_a_killed_one_is_not_in_the_way),
        cmocka_unit_test(a_child_of_a_killed_run_is_waited_for),
        cmocka_unit_test(an_old_file_is_forgotten_unless_the_folder_is_anothers),
        cmocka_unit_test(one_process_has_a_folder_once),
        cmocka_unit_test(without_locks_a_run_of_another_machine_is_respected),
        cmocka_unit_test(odd_locks_are_refused),
        cmocka_unit_test(leftovers_go_and_nothing_else),
        cmocka_unit_test(a_planted_link_is_not_written_through),
    };
    return cmocka_run_group_tests_name("folder", tests, make_folder, remove_folder);
}
