/* test_snapshot_crash.c -- what a kill, a full disk and a damaged file may cost.
 *
 * HDF5 writes through pwrite(). This program has its own, which can copy the file before a write (what a kill at
 * that moment leaves behind, since what was written stays in the kernel) or make writes fail as a full disk does. */
#include "tests/host/snapshot/snapshot_check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A damaged file may request absurd memory: malloc must fail, and the program must not end. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

#ifdef __SANITIZE_ADDRESS__
enum { BEFORE_SPLIT = 64 };
static int every = 11; /* a sanitizer makes a fork slow: every 11th write, fewer frames */
#else
enum { BEFORE_SPLIT = 62 };
static int every = 3; /* writes; `test_snapshot_crash --all`: 1 */
#endif

static char folder[] = "/tmp/piola_crash_XXXXXX";
static char partial[64], final[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(final, sizeof final, "%s/k.vtkhdf", folder);
    snprintf(partial, sizeof partial, "%s/k.partial.vtkhdf", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(final);
    (void)unlink(partial);
    return rmdir(folder);
}

static void ok(piola_status status, const piola_error *error)
{
    if (status != PIOLA_OK) fail_msg("status %d: %s", (int)status, error->message);
}

/* ---- the disk ------------------------------------------------------------------------------------------ */

typedef enum { DISK_PLAIN, DISK_COPIED, DISK_FULL, DISK_FAILED, DISK_STUMBLES } disk_mode;
static struct {
    disk_mode mode;
    long writes, fail_from; /* counted; the first that fails */
    long reported;          /* frames reported so far: sent with each copy */
    long results;           /* gradients reported so far */
    int receiver;           /* pipe to the process that checks the copies */
} disk;

static void send_all(int fd, const void *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, (const char *)data + at, size - at);
        if (n <= 0) _exit(3);
        at += (size_t)n;
    }
}

typedef struct {
    long reported, results, bytes;
} moment;

/* The file as it is, and with the first `torn` bytes of the coming write. */
static void send_moment(int fd, const void *data, size_t torn, off_t offset)
{
    struct stat st;
    if (fstat(fd, &st) != 0) _exit(4);
    size_t size = (size_t)st.st_size, end = (size_t)offset + torn, room = size > end ? size : end;
    char *copy = calloc(room + 1, 1);
    if (!copy || pread(fd, copy, size, 0) != (ssize_t)size) _exit(5);
    if (torn) memcpy(copy + offset, data, torn);
    moment p = {disk.reported, disk.results, (long)(torn ? room : size)};
    send_all(disk.receiver, &p, sizeof p);
    send_all(disk.receiver, copy, (size_t)p.bytes);
    free(copy);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    long n = disk.writes++;
    if (disk.mode == DISK_COPIED) {
        send_moment(fd, data, 0, offset);
        for (size_t torn = 4096 - (size_t)(offset % 4096); torn < size; torn += 4096)
            send_moment(fd, data, torn, offset);
    }
    if (n >= disk.fail_from && (disk.mode == DISK_FAILED || (disk.mode == DISK_STUMBLES && n == disk.fail_from))) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, data, size, offset);
}

/* A full disk has no room to reserve; a failed one cannot reserve any either. */
int posix_fallocate(int fd, off_t offset, off_t size)
{
    if (disk.mode == DISK_FULL) return ENOSPC;
    if (disk.mode == DISK_FAILED && disk.writes >= disk.fail_from) return EIO;
    return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}

/* Between the last write of a flush and this the file may be shorter than it says. */
int ftruncate(int fd, off_t size)
{
    if (disk.mode == DISK_COPIED) send_moment(fd, NULL, 0, 0);
    if (disk.mode == DISK_FAILED && disk.writes >= disk.fail_from) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, fd, size);
}

/* ---- a small writer ------------------------------------------------------------------------------------ */

/* Particles, or a mesh. */
static sample_case small(int64_t frames, bool mesh)
{
    return (sample_case){"k.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F64, mesh, 12, frames, true, mesh ? 9 : 0};
}

static pio_snapshot *start(const sample_case *c, int64_t expected)
{
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    pio_snapshot_def def = sample_def(c, final, fields);
    def.expected_frames = expected;
    def.n_fields = 3; /* those of every frame */
    return pio_snapshot_create(&s, &def, &error) == PIOLA_OK ? s : NULL;
}

/* ---- killed -------------------------------------------------------------------------------------------- */

/* Writes frames and gradients; the disk copies the file in the frames [0, 3) and [from, frames). */
static void copied_writer(int receiver, const sample_case *c, int64_t from, int64_t expected)
{
    piola_error error;
    const int64_t frames = c->frames;
    pio_snapshot *s = start(c, expected);
    if (!s) _exit(6);
    disk.receiver = receiver;
    for (int64_t k = 0; k < frames; k++) {
        disk.mode = k < 3 || k >= from ? DISK_COPIED : DISK_PLAIN;
        if (sample_gradients(s, k, &error) != PIOLA_OK) _exit(7);
        disk.results = k + 1;
        if (sample_frame(s, c, k, &error) != PIOLA_OK) _exit(8);
        disk.reported = k + 1;
    }
    if (pio_snapshot_finish(s, &error) != PIOLA_OK) _exit(9); /* until it has its final name */
    _exit(0);
}

static bool receive(int fd, void *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)data + at, size - at);
        if (n <= 0) return false;
        at += (size_t)n;
    }
    return true;
}

/* Checks every copy, or every third; returns how many were bad, and prints the first. */
static int check_moments(int receiver, const sample_case *c, int *moments)
{
    moment p;
    int bad = 0;
    char path[80];
    snprintf(path, sizeof path, "%s/moment.partial.vtkhdf", folder);
    for (*moments = 0; receive(receiver, &p, sizeof p); ++*moments) {
        char *data = malloc((size_t)p.bytes);
        FILE *file = fopen(path, "wb");
        assert_non_null(data);
        assert_non_null(file);
        assert_true(receive(receiver, data, (size_t)p.bytes));
        if (*moments % every) {
            assert_int_equal(fclose(file), 0);
            free(data);
            continue;
        }
        assert_int_equal(fwrite(data, 1, (size_t)p.bytes, file), p.bytes);
        assert_int_equal(fclose(file), 0);
        free(data);
        const char *wrong = check_file(path, c, p.reported, p.results);
        if (wrong && bad++ == 0) print_message("  write %d, after %ld frames: %s\n", *moments, p.reported, wrong);
    }
    (void)unlink(path);
    return bad;
}

static int explore(const sample_case *c, int64_t from, int64_t expected, int *moments)
{
    int pipes[2], status = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        copied_writer(pipes[1], c, from, expected);
    }
    close(pipes[1]);
    int bad = check_moments(pipes[0], c, moments);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return bad;
}

static void a_kill_before_any_write_or_within_it_loses_no_reported_frame(void **state)
{
    (void)state;
    int moments = 0;
    for (int mesh = 0; mesh < 2; mesh++) {
        sample_case c = small(67, mesh);
        int bad = explore(&c, BEFORE_SPLIT, 70, &moments);
        print_message("%s: %d moments, of which %d lose a reported frame or gradient (threshold 0)\n",
                      mesh ? "mesh" : "particles", moments, bad);
        assert_true(moments > 200);
        assert_int_equal(bad, 0);
        c.frames = 66;
        bad = explore(&c, BEFORE_SPLIT, 0, &moments);
        print_message("for comparison, without expected_frames: %d of %d moments\n", bad, moments);
    }
}

enum { KILLS = 40, KILL_POINTS = 10000, KILL_FRAMES = 400 };

static const sample_case many[2] = {
    {"k.vtkhdf", PIO_SNAPSHOT_STATES, 3, PIO_SNAPSHOT_F32, false, KILL_POINTS, KILL_FRAMES, true, 0},
    {"k.vtkhdf", PIO_SNAPSHOT_STATES, 3, PIO_SNAPSHOT_F32, true, KILL_POINTS, KILL_FRAMES, true, SAMPLE_CELLS}};

/* Reports each frame that pio_snapshot_frame() has reported, until it is killed. The first number says that the file
 * exists. */
static void writer_until_killed(const sample_case *c, int report)
{
    piola_error error;
    pio_snapshot *s = start(c, KILL_FRAMES);
    if (!s) _exit(6);
    for (int64_t k = 0; k < KILL_FRAMES; k++) {
        send_all(report, &k, sizeof k);
        if (sample_frame(s, c, k, &error) != PIOLA_OK) _exit(8);
    }
    _exit(9);
}

/* Kill a writer `wait` microseconds after it has reported `frames`; those it had reported then, by the pipe that
 * outlives it. */
static int64_t kill_one(const sample_case *c, int64_t frames, useconds_t wait)
{
    int pipes[2], status = 0;
    int64_t k = -1, reported = -1;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        writer_until_killed(c, pipes[1]);
    }
    close(pipes[1]);
    while (reported < frames && receive(pipes[0], &k, sizeof k)) reported = k;
    usleep(wait);
    assert_int_equal(kill(child, SIGKILL), 0);
    while (receive(pipes[0], &k, sizeof k)) reported = k;
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return reported;
}

static void a_killed_writer_leaves_every_frame_it_reported(void **state)
{
    (void)state;
    uint32_t seed = 12345;
    long total = 0, least = KILL_FRAMES, most = 0;
    for (int i = 0; i < KILLS; i++) {
        seed = seed * 1664525u + 1013904223u;
        long reported = (long)kill_one(&many[i % 2], seed >> 27, (useconds_t)(seed >> 8) % 4000);
        const char *wrong = check_file(partial, &many[i % 2], reported, 0);
        if (wrong) fail_msg("kill %d, after %ld frames: %s", i, reported, wrong);
        total += reported;
        least = reported < least ? reported : least;
        most = reported > most ? reported : most;
    }
    print_message("%d kills, %ld frames of %d points reported (%ld to %ld per run), none lost\n", KILLS, total,
                  KILL_POINTS, least, most);
    assert_true(total > KILLS);
}

static void the_check_finds_a_frame_that_is_missing(void **state)
{
    (void)state;
    piola_error error;
    const sample_case c = small(3, false);
    pio_snapshot *s = start(&c, 3);
    assert_non_null(s);
    for (int64_t k = 0; k < 3; k++) ok(sample_frame(s, &c, k, &error), &error);
    pio_snapshot_abandon(s);
    assert_null(check_file(partial, &c, 3, 0));
    assert_non_null(check_file(partial, &c, 4, 0));
    assert_non_null(check_file(partial, &c, 3, 1));
    sample_case shifted = c;
    shifted.n = 13;
    assert_non_null(check_file(partial, &shifted, 3, 0));
    shifted = small(3, true);
    assert_non_null(check_file(partial, &shifted, 3, 0));
}

/* ---- full and failed disks ------------------------------------------------------------------------------- */

/* Frames with gradients until the disk fails from write `from` on. Returns the frames reported; *gradients counts
 * theirs. */
static int64_t write_until_failure(pio_snapshot *s, const sample_case *c, disk_mode mode, long from, int64_t *gradients,
                                   piola_error *error)
{
    disk.mode = mode;
    disk.writes = 0;
    disk.fail_from = from;
    for (int64_t k = 0; k < c->frames; k++) {
        *gradients = k;
        if (sample_gradients(s, k, error) != PIOLA_OK) return k;
        *gradients = k + 1;
        if (sample_frame(s, c, k, error) != PIOLA_OK) return k;
    }
    return c->frames;
}

/* In a child, because HDF5 cannot close a file whose last flush failed. Exit code: 0 nothing failed, 1 failed rightly.
 */
static void failing_writer(disk_mode mode, long from, int report)
{
    piola_error error = {.status = PIOLA_OK};
    const sample_case c = small(5, true);
    int64_t counts[2];
    pio_snapshot *s = start(&c, 5);
    if (!s) _exit(6);
    counts[0] = write_until_failure(s, &c, mode, from, &counts[1], &error);
    bool failed = counts[0] < c.frames;
    if (failed &&
        (error.status != PIOLA_IO || !strstr(error.message, partial) || !strstr(error.message, "Input/output error")))
        fprintf(stderr, "%s\n", error.message), _exit(7);
    disk.mode =
        DISK_PLAIN; /* well again: what failed while reserving goes on, and what failed later is refused for good */
    piola_status status = failed ? sample_frame(s, &c, counts[0], &error) : PIOLA_OK;
    if (status != PIOLA_OK && (status != PIOLA_IO || !strstr(error.message, "earlier write failed"))) _exit(8);
    if (failed && status == PIOLA_OK) counts[0]++;
    pio_snapshot_abandon(s);
    send_all(report, counts, sizeof counts);
    exit(failed ? 1 : 0); /* not _exit: HDF5's exit handler must not fall over */
}

/* True when the disk failed. */
static bool fail_one(disk_mode mode, long from)
{
    const sample_case c = small(5, true);
    int pipes[2], status = 0;
    int64_t counts[2] = {-1, -1};
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) failing_writer(mode, from, pipes[1]);
    close(pipes[1]);
    bool reported = receive(pipes[0], counts, sizeof counts);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!reported || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        fail_msg("failing from write %ld: status %x", from, status);
    const char *wrong = check_file(partial, &c, (long)counts[0], (long)counts[1]);
    if (wrong) fail_msg("failing from write %ld on, after %lld frames: %s", from, (long long)counts[0], wrong);
    return WEXITSTATUS(status) == 1;
}

static void a_disk_that_fails_at_any_write_costs_no_earlier_frame(void **state)
{
    (void)state;
    int dead = 0, stumbled = 0;
    for (long from = 0; fail_one(DISK_FAILED, from); from += every) dead++;
    for (long from = 0; fail_one(DISK_STUMBLES, from); from += every) stumbled++;
    print_message("all writes failing from each of %d on, and each of %d failing alone: no earlier frame lost\n", dead,
                  stumbled);
    assert_true(dead > 20 && stumbled > 20);
}

static void a_full_disk_costs_one_call_and_the_snapshot_goes_on(void **state)
{
    (void)state;
    piola_error error;
    const sample_case c = small(4, true);
    pio_snapshot *s = start(&c, 4);
    assert_non_null(s);
    for (int64_t k = 0; k < 4; k++) {
        disk.mode = DISK_FULL;
        assert_int_equal(sample_gradients(s, k, &error), PIOLA_IO);
        assert_int_equal(sample_frame(s, &c, k, &error), PIOLA_IO);
        assert_non_null(strstr(error.message, partial));
        assert_non_null(strstr(error.message, strerror(ENOSPC)));
        disk.mode = DISK_PLAIN;
        ok(sample_gradients(s, k, &error), &error);
        ok(sample_frame(s, &c, k, &error), &error);
    }
    print_message("%s\n", error.message);
    ok(pio_snapshot_finish(s, &error), &error);
    const char *wrong = check_file(final, &c, 4, 4);
    if (wrong) fail_msg("%s", wrong);
}

/* Frames of 10000 points until a limit of 4 MB on the file's size. */
static void limited_writer(int report)
{
    piola_error error;
    int64_t k = 0;
    const struct rlimit limit = {4000000, 4000000};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(5);
    pio_snapshot *s = start(&many[0], KILL_FRAMES);
    if (!s) _exit(6);
    while (k < KILL_FRAMES && sample_frame(s, &many[0], k, &error) == PIOLA_OK) k++;
    send_all(report, &k, sizeof k);
    send_all(report, &error, sizeof error);
    pio_snapshot_abandon(s);
    exit(0);
}

static void a_file_size_limit_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    int pipes[2], status = 0;
    int64_t reported = -1;
    piola_error error;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) limited_writer(pipes[1]);
    close(pipes[1]);
    assert_true(receive(pipes[0], &reported, sizeof reported) && receive(pipes[0], &error, sizeof error));
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    print_message("after %lld frames: %s\n", (long long)reported, error.message);
    assert_int_equal(error.status, PIOLA_IO);
    assert_non_null(strstr(error.message, partial));
    assert_non_null(strstr(error.message, strerror(EFBIG)));
    assert_true(reported > 2 && reported < 10);
    const char *wrong = check_file(partial, &many[0], (long)reported, 0);
    if (wrong) fail_msg("%s", wrong);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--all")) every = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_finds_a_frame_that_is_missing),
        cmocka_unit_test(a_kill_before_any_write_or_within_it_loses_no_reported_frame),
        cmocka_unit_test(a_killed_writer_leaves_every_frame_it_reported),
        cmocka_unit_test(a_full_disk_costs_one_call_and_the_snapshot_goes_on),
        cmocka_unit_test(a_file_size_limit_is_an_error_that_names_the_file),
        cmocka_unit_test(a_disk_that_fails_at_any_write_costs_no_earlier_frame),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
