/* test_record.c -- the append-only record: a file cut at any byte, with any bit flipped, and with any call failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "host/base/record.h"

enum { ROWS = 5, HEAD = 32, MOST = 4096 };
static const char path[] = "test_record.record", identity[] = "scene {a: 1}\nengine cpu", kind[] = "TEST";

/* ---- calls that fail on request ---------------------------------------------------------------- */

typedef enum { OPEN, WRITE, PWRITE, PREAD, FSYNC, FDATASYNC, FTRUNCATE, RENAME, CALLS } call;
static const char *const call_names[CALLS] = {"open",  "write",     "pwrite",    "pread",
                                              "fsync", "fdatasync", "ftruncate", "rename"};
static struct {
    call which;
    /* the call that makes it 0 fails with `why`; why 0: it does but half of its bytes, then ENOSPC */
    int countdown, why;
    bool lasting, done;
} fault;

static bool lazy = true; /* nothing waits for the disk: these tests make thousands of files, and cut no power */

static bool fails(call which)
{
    if (fault.which != which || fault.countdown <= 0) return false;
    if (--fault.countdown > 0) return false;
    if (fault.lasting) fault.countdown = 1;
    fault.done = true;
    errno = fault.why ? fault.why : ENOSPC;
    return true;
}

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, mode_t mode);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __real_pread(int fd, void *bytes, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *name, int flags, mode_t mode)
{
    return fails(OPEN) ? -1 : __real_open(name, flags, mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (!fails(WRITE)) return __real_write(fd, bytes, size);
    fault.countdown = fault.why ? fault.countdown : 1; /* the other half finds no room */
    return fault.why || size < 2 ? -1 : (fault.why = ENOSPC, __real_write(fd, bytes, size / 2));
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    if (!fails(PWRITE)) return __real_pwrite(fd, bytes, size, at);
    fault.countdown = fault.why ? fault.countdown : 1;
    return fault.why || size < 2 ? -1 : (fault.why = ENOSPC, __real_pwrite(fd, bytes, size / 2, at));
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at)
{
    return fails(PREAD) ? -1 : __real_pread(fd, bytes, size, at);
}

int __wrap_fsync(int fd)
{
    return fails(FSYNC) ? -1 : lazy ? 0 : __real_fsync(fd);
}

int __wrap_fdatasync(int fd)
{
    return fails(FDATASYNC) ? -1 : lazy ? 0 : __real_fdatasync(fd);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return fails(FTRUNCATE) ? -1 : __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : __real_rename(from, to);
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static size_t payload(unsigned char *to, int k)
{
    const size_t bytes = (size_t)(7 * k) % 23; /* the first has none */
    for (int i = 0; i < (int)bytes; i++) to[i] = (unsigned char)(31 * k + i * i + 0x52);
    return bytes;
}

static piola_status add(pio_record *r, int k, piola_error *error)
{
    unsigned char bytes[64];
    const size_t n = payload(bytes, k), first = n / 3;
    const pio_record_part parts[2] = {{bytes, first}, {bytes + first, n - first}};
    return pio_record_add(r, (uint32_t)(k % 2), (uint64_t)k, parts, 2, error);
}

/* Rows first ... are there, but for number `without`. */
static void expect(const pio_record *r, size_t want, int without)
{
    size_t count;
    const pio_record_row *rows = pio_record_rows(r, &count);
    assert_int_equal(count, want);
    for (size_t i = 0; i < count; i++) {
        const int k = (int)i + (without >= 0 && (int)i >= without);
        unsigned char bytes[64], got[64];
        const size_t n = payload(bytes, k);
        assert_int_equal(rows[i].number, k);
        assert_int_equal(rows[i].type, k % 2);
        assert_int_equal(rows[i].bytes, n);
        assert_int_equal(pio_record_read(r, &rows[i], got, NULL), PIOLA_OK);
        assert_memory_equal(bytes, got, n);
    }
}

static size_t slurp(unsigned char *to)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t n = fread(to, 1, MOST, file);
    fclose(file);
    return n;
}

static void put_back(const unsigned char *from, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(from, 1, n, file), n);
    fclose(file);
}

/* A file of ROWS rows; its bytes, and where each row begins, the end too. */
static size_t sample(unsigned char *to, size_t begins[ROWS + 1])
{
    pio_record *r;
    unsigned char none[64];
    assert_int_equal(pio_record_create(&r, path, kind, identity, NULL), PIOLA_OK);
    for (int k = 0; k < ROWS; k++) assert_int_equal(add(r, k, NULL), PIOLA_OK);
    pio_record_close(r);
    begins[0] = HEAD + strlen(identity);
    for (int k = 0; k < ROWS; k++) begins[k + 1] = begins[k] + HEAD + payload(none, k);
    const size_t n = slurp(to);
    assert_int_equal(n, begins[ROWS]);
    return n;
}

static void expect_bytes(const unsigned char *want, size_t n)
{
    unsigned char got[MOST];
    assert_int_equal(slurp(got), n);
    assert_memory_equal(got, want, n);
}

/* Opens and recovers a record, whose identity must be that of the test; on a failure *out is NULL. */
static piola_status reopen(pio_record **out, const char *file, const char *of_kind, piola_error *error)
{
    piola_status rc = pio_record_open(out, file, of_kind, error);
    if (!rc) assert_string_equal(pio_record_identity(*out), identity);
    if (!rc) rc = pio_record_recover(*out, error);
    if (!rc) return rc;
    pio_record_close(*out);
    *out = NULL;
    return rc;
}

/* ---- tests ------------------------------------------------------------------------------------------------ */

static void what_was_added_comes_back(void **state)
{
    (void)state;
    pio_record *r;
    unsigned char whole[MOST];
    size_t begins[ROWS + 1];
    lazy = false;
    sample(whole, begins);
    assert_int_equal(reopen(&r, path, kind, NULL), PIOLA_OK);
    lazy = true;
    expect(r, ROWS, -1);
    assert_int_equal(add(r, ROWS, NULL), PIOLA_OK);
    pio_record_close(r);
    assert_int_equal(reopen(&r, path, kind, NULL), PIOLA_OK);
    expect(r, ROWS + 1, -1);
    assert_int_equal(pio_record_found(r).damaged + (size_t)pio_record_found(r).cut, 0);
    pio_record_close(r);
}

/* The layout as record.h says it, byte by byte, made by hand. */
static void the_layout_is_as_documented(void **state)
{
    (void)state;
    unsigned char whole[MOST],
        by_hand[MOST] = {0x89, 'P', 'I', 'O', 'R', 'E', 'C', '\n', 1, 0, 0, 0, 'T', 'E', 'S', 'T'};
    size_t begins[ROWS + 1], at = HEAD;
    const size_t n = sample(whole, begins), text = strlen(identity);
    by_hand[16] = (unsigned char)text;
    memcpy(by_hand + at, identity, text);
    at += text;
    for (int k = 0; k < 4; k++) by_hand[24 + k] = (unsigned char)(crc32(0, by_hand + HEAD, (uInt)text) >> 8 * k);
    const uLong seed = crc32(0, by_hand, 28);
    for (int k = 0; k < 4; k++) by_hand[28 + k] = (unsigned char)(seed >> 8 * k);
    for (int row = 0; row < ROWS; row++) {
        unsigned char *head = by_hand + at;
        const size_t bytes = payload(head + HEAD, row);
        memcpy(head, "\xC5ROW", 4);
        head[4] = (unsigned char)(row % 2), head[8] = (unsigned char)row, head[16] = (unsigned char)bytes;
        for (int k = 0; k < 4; k++) head[24 + k] = (unsigned char)(crc32(seed, head + HEAD, (uInt)bytes) >> 8 * k);
        for (int k = 0; k < 4; k++) head[28 + k] = (unsigned char)(crc32(seed, head, 28) >> 8 * k);
        at += HEAD + bytes;
    }
    assert_int_equal(at, n);
    assert_memory_equal(whole, by_hand, n);
}

static void a_file_cut_at_any_byte_keeps_its_whole_rows(void **state)
{
    (void)state;
    unsigned char whole[MOST];
    size_t begins[ROWS + 1];
    const size_t n = sample(whole, begins);
    for (size_t cut = 0; cut <= n; cut++) {
        pio_record *r;
        piola_error error;
        put_back(whole, cut);
        const piola_status rc = reopen(&r, path, kind, &error);
        if (cut < begins[0]) {
            assert_int_equal(rc, PIOLA_BAD_DATA);
            assert_non_null(strstr(error.message, path));
            expect_bytes(whole, cut);
            continue;
        }
        assert_int_equal(rc, PIOLA_OK);
        int rows = 0;
        while (rows < ROWS && begins[rows + 1] <= cut) rows++;
        expect(r, (size_t)rows, -1);
        assert_int_equal(pio_record_found(r).cut, cut - begins[rows]);
        expect_bytes(whole, begins[rows]);
        for (int k = rows; k < ROWS; k++) assert_int_equal(add(r, k, NULL), PIOLA_OK);
        pio_record_close(r);
        expect_bytes(whole, n);
    }
    print_message("%zu lengths of a file of %d rows\n", n + 1, ROWS);
}

/* A row that is damaged is added again, under its old number. */
static void heal(pio_record *r, int damaged, const unsigned char *spoiled, size_t n)
{
    unsigned char got[MOST];
    size_t count;
    assert_int_equal(pio_record_found(r).damaged, 1);
    assert_int_equal(add(r, damaged, NULL), PIOLA_OK);
    pio_record_close(r);
    assert_true(slurp(got) > n);
    assert_memory_equal(got, spoiled, n);
    assert_int_equal(reopen(&r, path, kind, NULL), PIOLA_OK);
    const pio_record_row *rows = pio_record_rows(r, &count);
    assert_int_equal(count, ROWS);
    assert_int_equal(rows[count - 1].number, damaged);
    pio_record_close(r);
}

static void a_flipped_bit_is_found_wherever_it_is(void **state)
{
    (void)state;
    unsigned char whole[MOST];
    size_t begins[ROWS + 1];
    const size_t n = sample(whole, begins);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        pio_record *r;
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put_back(whole, n);
        const piola_status rc = reopen(&r, path, kind, NULL);
        if (bit / 8 < begins[0]) {
            assert_int_equal(rc, PIOLA_BAD_DATA);
            expect_bytes(whole, n);
        } else {
            int row = 0;
            while (begins[row + 1] <= bit / 8) row++;
            assert_int_equal(rc, PIOLA_OK);
            expect(r, ROWS - 1, row);
            if (row < ROWS - 1) {
                assert_int_equal(pio_record_found(r).cut, 0);
                assert_int_equal(pio_record_found(r).damaged_at, begins[row]);
                assert_int_equal(pio_record_found(r).damaged_bytes, begins[row + 1] - begins[row]);
                heal(r, row, whole, n);
            } else {
                assert_int_equal(pio_record_found(r).cut, n - begins[row]);
                pio_record_close(r);
            }
        }
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    print_message("%zu flips of a file of %d rows\n", 8 * n, ROWS);
}

/* A seal that is right, of a file that is not ours to continue. */
static void another_identity_kind_or_version_is_distinguished_from_damage(void **state)
{
    (void)state;
    pio_record *r;
    piola_error error;
    unsigned char whole[MOST];
    size_t begins[ROWS + 1];
    const size_t n = sample(whole, begins);
    assert_int_equal(pio_record_open(&r, path, kind, NULL), PIOLA_OK);
    assert_string_equal(pio_record_identity(r), identity); /* whoever has another one leaves the file as it is */
    pio_record_close(r);
    expect_bytes(whole, n);
    assert_int_equal(reopen(&r, path, "EVAL", &error), PIOLA_NO);
    print_message("%s\n", error.message);
    whole[8] = 2;
    const uLong seed = crc32(0, whole, 28);
    for (int k = 0; k < 4; k++) whole[28 + k] = (unsigned char)(seed >> 8 * k);
    put_back(whole, n);
    assert_int_equal(reopen(&r, path, kind, &error), PIOLA_NO);
    print_message("%s\n", error.message);
    assert_null(r);
    expect_bytes(whole, n);
    assert_int_equal(reopen(&r, "no_such.record", kind, &error), PIOLA_NO_INPUT);
    put_back((const unsigned char *)"\x89HDF\r\n\x1a\n", 8);
    assert_int_equal(reopen(&r, path, kind, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
}

static void a_symbolic_link_is_not_followed(void **state)
{
    (void)state;
    pio_record *r;
    piola_error error;
    struct stat there;
    unsigned char got[MOST];
    put_back((const unsigned char *)"precious", 8);
    assert_int_equal(rename(path, "test_record.precious"), 0);
    assert_int_equal(symlink("test_record.precious", path), 0);
    assert_int_equal(reopen(&r, path, kind, &error), PIOLA_IO);
    print_message("%s\n", error.message);
    assert_int_equal(pio_record_create(&r, path, kind, identity, NULL), PIOLA_OK);
    assert_int_equal(add(r, 0, NULL), PIOLA_OK);
    pio_record_close(r);
    assert_int_equal(lstat(path, &there), 0);
    assert_true(S_ISREG(there.st_mode));
    assert_int_equal(rename("test_record.precious", path), 0);
    assert_int_equal(slurp(got), 8);
    assert_memory_equal(got, "precious", 8);
}

/* Every call of creating, adding and continuing fails once, or from then on, with every cause. */
static void a_call_that_fails_is_reported_and_loses_nothing(void **state)
{
    (void)state;
    static const int causes[] = {ENOSPC, EIO, EMFILE, EACCES, 0};
    int points = 0;
    for (int which = 0; which < CALLS; which++)
        for (size_t c = 0; c < 2 * (sizeof causes / sizeof *causes); c++)
            for (int at = 1;; at++, points++) {
                pio_record *r = NULL;
                piola_error error = {0};
                int added = 0;
                const int why = causes[c / 2];
                unlink(path);
                fault = (typeof(fault)){(call)which, at, why, c % 2 == 1, false};
                piola_status rc = pio_record_create(&r, path, kind, identity, &error);
                while (!rc && added < 2 && !(rc = add(r, added, &error))) added++;
                if (rc && r) assert_int_equal(add(r, added, NULL), PIOLA_IO); /* nothing behind a row that failed */
                pio_record_close(r);
                if (!rc) rc = reopen(&r, path, kind, &error);
                if (!rc) pio_record_close(r);
                const bool done = fault.done;
                const int reported = why ? why : ENOSPC;
                fault.countdown = 0;
                if (!done && !rc) break;
                assert_true(rc == PIOLA_IO || rc == PIOLA_CANNOT_CREATE);
                assert_non_null(strstr(error.message, path));
                if (!strstr(error.message, strerror(reported))) fail_msg("%s: %s", call_names[which], error.message);
                rc = reopen(&r, path, kind, &error);
                if (rc == PIOLA_NO_INPUT) {
                    assert_int_equal(added, 0);
                    continue;
                }
                assert_int_equal(rc, PIOLA_OK);
                size_t count;
                pio_record_rows(r, &count);
                assert_true((int)count == added ||
                            (int)count == added + 1); /* a sync failed: it is there all the same */
                expect(r, count, -1);
                pio_record_close(r);
            }
    print_message("%d points of failure\n", points);
    assert_true(points > 100);
}

/* Continuing a torn file fails at every call: what was whole stays. */
static void continuing_that_fails_leaves_the_file(void **state)
{
    (void)state;
    unsigned char whole[MOST], got[MOST];
    size_t begins[ROWS + 1];
    const size_t n = sample(whole, begins) - 1;
    for (int which = 0; which < CALLS; which++)
        for (int at = 1;; at++) {
            pio_record *r = NULL;
            piola_error error;
            put_back(whole, n);
            fault = (typeof(fault)){(call)which, at, EIO, false, false};
            const piola_status rc = reopen(&r, path, kind, &error);
            const bool done = fault.done;
            fault.countdown = 0;
            pio_record_close(r);
            if (!done) break;
            assert_int_equal(rc, PIOLA_IO);
            assert_non_null(strstr(error.message, strerror(EIO)));
            assert_true(slurp(got) >= begins[ROWS - 1]);
            assert_memory_equal(got, whole, begins[ROWS - 1]);
        }
}

static int clean(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_comes_back),
        cmocka_unit_test(the_layout_is_as_documented),
        cmocka_unit_test(a_file_cut_at_any_byte_keeps_its_whole_rows),
        cmocka_unit_test(a_flipped_bit_is_found_wherever_it_is),
        cmocka_unit_test(another_identity_kind_or_version_is_distinguished_from_damage),
        cmocka_unit_test(a_symbolic_link_is_not_followed),
        cmocka_unit_test(a_call_that_fails_is_reported_and_loses_nothing),
        cmocka_unit_test(continuing_that_fails_leaves_the_file),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, clean);
}
