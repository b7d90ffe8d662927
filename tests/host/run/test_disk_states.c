/* test_disk_states.c -- states are read from the disk as they were written, a changed one is found, and no file
 * remains. */
#include "host/base/path.h"
#include "host/run/disk_states.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { PLACES = 5, BYTES = 100003 };

static const char *const path = "disk_states_test.h5";

static pio_disk_states *opened(void)
{
    pio_disk_states *d;
    piola_error error;
    if (pio_disk_states_create(&d, path, PLACES, BYTES, &error)) fail_msg("%s", error.message);
    return d;
}

/* A simulation whose state is bytes, and as much of an engine as these files need. */
struct pio_sim {
    unsigned char state[BYTES];
    int64_t step;
};
static pio_sim sim;

static piola_status state_out(pio_sim *from, void *bytes, piola_error *error)
{
    (void)error;
    memcpy(bytes, from->state, BYTES);
    return PIOLA_OK;
}

static piola_status state_in(pio_sim *to, const void *bytes, int64_t step, piola_error *error)
{
    (void)error;
    memcpy(to->state, bytes, BYTES);
    to->step = step;
    return PIOLA_OK;
}

static const pio_engine engine = {.state_out = state_out, .state_in = state_in};

static piola_status put(pio_disk_states *d, int64_t slot, piola_error *error)
{
    return pio_disk_states_keep(d, slot, &engine, &sim, error);
}

static piola_status get(pio_disk_states *d, int64_t slot, piola_error *error)
{
    const piola_status rc = pio_disk_states_fetch(d, slot, 10 + slot, &engine, &sim, error);
    if (!rc) assert_int_equal(sim.step, 10 + slot);
    return rc;
}

static void fill(int slot)
{
    for (int i = 0; i < BYTES; i++) sim.state[i] = (unsigned char)((i * 31 + slot * 7) >> (slot + 1));
}

static void states_come_back_as_they_went(void **unused)
{
    piola_error error;
    static unsigned char first[BYTES];
    (void)unused;
    pio_disk_states *d = opened();
    for (int p = 0; p < PLACES; p++) {
        fill(p);
        assert_int_equal(put(d, p, &error), PIOLA_OK);
    }
    for (int p = PLACES - 1; p >= 0; p--) {
        fill(p);
        memcpy(first, sim.state, BYTES);
        memset(sim.state, 0, BYTES);
        assert_int_equal(get(d, p, &error), PIOLA_OK);
        assert_memory_equal(sim.state, first, BYTES);
    }
    assert_int_equal(put(d, PLACES, &error), PIOLA_INTERNAL);
    pio_disk_states_free(d);
    d = opened();
    assert_int_equal(get(d, 0, &error), PIOLA_INTERNAL); /* nothing was written there */
    pio_disk_states_free(d);
}

/* A process that was killed after it created its file and before it unlinked it leaves an empty file. */
static void a_file_that_a_killed_process_left_is_in_nobodys_way(void **unused)
{
    static const char *const left[] = {"disk_states_test.h5", "disk_states_test.h5.abcdef"};
    piola_error error;
    (void)unused;
    for (int i = 0; i < 2; i++) {
        FILE *f = fopen(left[i], "w");
        assert_non_null(f);
        assert_int_equal(fputs("not ours", f) >= 0 && fclose(f) == 0, 1);
        pio_disk_states *d = opened(), *other = opened(); /* two at a time */
        fill(1);
        assert_int_equal(put(d, 1, &error), PIOLA_OK);
        fill(2);
        assert_int_equal(put(other, 1, &error), PIOLA_OK);
        assert_int_equal(pio_disk_states_sync(d, &error), PIOLA_OK);
        assert_int_equal(get(d, 1, &error), PIOLA_OK);
        pio_disk_states_free(d);
        pio_disk_states_free(other);
        char text[16] = {0};
        f = fopen(left[i], "r"); /* the old file is unchanged */
        assert_non_null(f);
        assert_non_null(fgets(text, sizeof text, f));
        fclose(f);
        assert_string_equal(text, "not ours");
        assert_int_equal(unlink(left[i]), 0);
    }
}

/* Counts the files here whose names begin with that of the test's. */
static int files_here(void)
{
    DIR *here = opendir(".");
    int n = 0;
    assert_non_null(here);
    for (const struct dirent *e = readdir(here); e; e = readdir(here)) n += !strncmp(e->d_name, path, strlen(path));
    closedir(here);
    return n;
}

static void nothing_is_left_behind_from_the_first_moment(void **unused)
{
    (void)unused;
    assert_int_equal(files_here(), 0);
    pio_disk_states *d = opened();
    assert_int_equal(files_here(), 0);
    pio_disk_states_free(d);
    assert_int_equal(files_here(), 0);
}

/* Opens the file without a name again, through /proc. */
static int open_again(void)
{
    DIR *fds = opendir("/proc/self/fd");
    int found = -1;
    assert_non_null(fds);
    for (struct dirent *e = readdir(fds); e && found < 0; e = readdir(fds)) {
        char link[PIO_PATH], target[PIO_PATH];
        snprintf(link, sizeof link, "/proc/self/fd/%.200s", e->d_name);
        const ssize_t n = readlink(link, target, sizeof target - 1);
        if (n < 0) continue;
        target[n] = '\0';
        if (strstr(target, path)) found = open(link, O_RDWR);
    }
    closedir(fds);
    return found;
}

static void a_state_that_changed_on_disk_is_an_error(void **unused)
{
    piola_error error;
    (void)unused;
    pio_disk_states *d = opened();
    fill(2);
    assert_int_equal(put(d, 2, &error), PIOLA_OK);
    assert_int_equal(get(d, 2, &error), PIOLA_OK);
    const int fd = open_again();
    assert_true(fd >= 0);
    const off_t end = lseek(fd, 0, SEEK_END);
    static unsigned char all[PLACES * BYTES + 100000];
    assert_true(end > 0 && (size_t)end <= sizeof all);
    assert_int_equal(pread(fd, all, (size_t)end, 0), end);
    const unsigned char *at = memmem(all, (size_t)end, sim.state, BYTES);
    assert_non_null(at);
    const unsigned char flipped = (unsigned char)(at[BYTES / 2] ^ 4);
    assert_int_equal(pwrite(fd, &flipped, 1, at - all + BYTES / 2), 1);
    close(fd);
    assert_int_equal(get(d, 2, &error), PIOLA_IO);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, "other bytes"));
    pio_disk_states_free(d);
}

static void room_that_is_not_there_is_refused_before_anything_is_written(void **unused)
{
    pio_disk_states *d;
    piola_error error;
    struct rlimit kept, small = {.rlim_cur = 200000};
    (void)unused;
    getrlimit(RLIMIT_FSIZE, &kept);
    small.rlim_max = kept.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const piola_status rc = pio_disk_states_create(&d, path, PLACES, BYTES, &error);
    setrlimit(RLIMIT_FSIZE, &kept);
    print_message("  %s\n", error.message);
    assert_int_equal(rc, PIOLA_IO);
    assert_null(d);
    assert_non_null(strstr(error.message, "cannot be reserved"));
    assert_int_equal(files_here(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_back_as_they_went),
        cmocka_unit_test(a_file_that_a_killed_process_left_is_in_nobodys_way),
        cmocka_unit_test(nothing_is_left_behind_from_the_first_moment),
        cmocka_unit_test(a_state_that_changed_on_disk_is_an_error),
        cmocka_unit_test(room_that_is_not_there_is_refused_before_anything_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
