/* test_snapshot_digest.c -- a finished file that was changed anywhere is noticed before HDF5 reads it.
 *
 * `--all` flips every bit of the two files, not one bit of every seventh byte. */
#include "host/base/crc32c.h"
#include "host/snapshot/snapshot_digest.h"
#include "tests/sanitized.h"
#include "tests/host/snapshot/snapshot_check.h"
#include "tests/host/snapshot/snapshot_spoiled.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool all_bits;

/* ---- the checksum --------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double speed(uint32_t (*sum)(uint32_t, const void *, size_t), const char *data, size_t bytes)
{
    volatile uint32_t keep = 0;
    const double begin = seconds_now();
    for (int i = 0; i < 8; i++) keep = sum(keep, data, bytes);
    return 8e-9 * (double)bytes / (seconds_now() - begin);
}

static void the_checksum_is_that_of_rfc_3720_by_every_way(void **state)
{
    (void)state;
    enum { BYTES = 1 << 22 };
    assert_int_equal(pio_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(pio_crc32c_by_table(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(pio_crc32c(pio_crc32c(0, "1234", 4), "56789", 5), 0xe3069283u);
    char zeros[32] = {0}, *data = malloc(BYTES);
    assert_non_null(data);
    assert_int_equal(pio_crc32c(0, zeros, 32), 0x8a9136aau); /* RFC 3720, B.4 */
    for (size_t i = 0; i < BYTES; i++) data[i] = (char)(i * 2654435761u >> 13);
    for (size_t n = 0; n < 300; n++) /* any length, any alignment */
        assert_int_equal(pio_crc32c((uint32_t)n, data + n, n), pio_crc32c_by_table((uint32_t)n, data + n, n));
    print_message("CRC-32C: %.1f GB/s, by table %.1f GB/s\n", speed(pio_crc32c, data, BYTES),
                  speed(pio_crc32c_by_table, data, BYTES));
    free(data);
}

/* ---- damage to a whole file ----------------------------------------------------------------------------- */

static void write_all(int fd, const char *data, size_t bytes, off_t at)
{
    assert_int_equal(pwrite(fd, data, bytes, at), bytes);
}

/* 'w' whole, 'd' damaged, '-' without checksums: what comparing the bytes says. */
static char compare(int fd)
{
    piola_error error;
    pio_digest digest;
    const piola_status status = pio_digest_compare(fd, "file", &digest, &error);
    if (status == PIOLA_BAD_DATA && strstr(error.message, "file: damaged")) return 'd';
    return status != PIOLA_OK ? '?' : digest.there ? 'w' : '-';
}

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    long cases = 0, whole_ones = 0, unmarked = 0;
    for (int mesh = 0; mesh < 2; mesh++) {
        take(mesh);
        const int fd = memfd_create("flipped", MFD_CLOEXEC);
        assert_true(fd >= 0);
        write_all(fd, good, good_size, 0);
        assert_int_equal(compare(fd), 'w');
        for (size_t i = 0; i < good_size; i += all_bits ? 1 : TEST_SANITIZED ? 97 : 7)
            for (int bit = all_bits ? 0 : (int)(i * 2654435761u >> 7 & 7), last = all_bits ? 7 : bit; bit <= last;
                 bit++) {
                const char flipped = (char)(good[i] ^ 1 << bit);
                write_all(fd, &flipped, 1, (off_t)i);
                const char answer = compare(fd);
                assert_true(answer == 'd' || answer == '-' || answer == 'w');
                cases++;
                whole_ones += answer == 'w';
                unmarked +=
                    answer == '-'; /* in the mark itself: such a file has lost its table, and is refused as that */
                write_all(fd, &good[i], 1, (off_t)i);
            }
        assert_int_equal(compare(fd), 'w');
        (void)close(fd);
    }
    print_message("%ld flipped bits: %ld passed (threshold 0), %ld in the mark of the table\n", cases, whole_ones,
                  unmarked);
    assert_int_equal(whole_ones, 0);
    assert_true(unmarked <= 2 * 16 * 8);
}

/* ---- damage, and what opening says ----------------------------------------------------------------------- */

typedef void damage(char *data, size_t *size, size_t number);

static size_t mix(size_t x)
{
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
    return x ^ (x >> 27);
}

static void flip(char *data, size_t *size, size_t number)
{
    data[mix(number) % *size] ^= (char)(1u << mix(number + 77) % 8);
}
static void cut(char *data, size_t *size, size_t number)
{
    (void)data;
    *size = number < 100 ? *size - 1 - number : mix(number) % *size;
}
static void grow(char *data, size_t *size, size_t number)
{
    const size_t more = 1 + mix(number) % 5000;
    memset(data + *size, number % 2 ? 0 : (int)number, more);
    *size += more;
}

/* A page, or a sector, of zeros or of ones, as disks and file systems lose them; not one that was so. */
static void blank(char *data, size_t *size, size_t number)
{
    const size_t block = number % 2 ? 4096 : 512, at = mix(number) % (*size / block) * block;
    memset(data + at, number % 4 < 2 ? 0 : 0xff, block);
}

/* Two sectors change places. */
static void swap(char *data, size_t *size, size_t number)
{
    const size_t sectors = *size / 512, a = mix(number) % sectors * 512, b = mix(number + 1) % sectors * 512;
    char kept[512];
    memcpy(kept, data + a, 512);
    memmove(data + a, data + b, 512);
    memcpy(data + b, kept, 512);
}

/* The bytes behind some place move by one: a lost and a doubled byte. */
static void slip(char *data, size_t *size, size_t number)
{
    const size_t at = mix(number) % (*size - 1);
    memmove(data + at + 1, data + at, *size - at - 1);
}

static void noise(char *data, size_t *size, size_t number)
{
    const size_t at = mix(number) % (*size - 64);
    for (size_t i = 0; i < 64; i++) data[at + i] = (char)mix(number * 64 + i);
}

static void every_damaged_file_is_refused(void **state)
{
    (void)state;
    static const struct {
        damage *spoil;
        const char *what;
    } kinds[] = {{flip, "a flipped bit"},     {cut, "cut short"},        {grow, "with more behind it"},
                 {blank, "a lost block"},     {swap, "swapped sectors"}, {slip, "a slipped byte"},
                 {noise, "64 bytes of noise"}};
    const size_t cases = TEST_SANITIZED ? 20 : 200;
    piola_error error;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        int refused = 0, same = 0, passed = 0;
        for (size_t i = 0; i < cases; i++) {
            take(i % 2);
            char *data = malloc(good_size + 8192);
            size_t size = good_size;
            pio_snapshot_file *f = NULL;
            assert_non_null(data);
            memcpy(data, good, good_size);
            kinds[kind].spoil(data, &size, i);
            const bool changed = size != good_size || memcmp(data, good, size);
            assert_true(put(data, size));
            free(data);
            const piola_status status = pio_snapshot_open(&f, bad_path, true, &error);
            pio_snapshot_close(f);
            if (!changed)
                same++;
            else if (status == PIOLA_BAD_DATA && strstr(error.message, bad_path))
                refused++;
            else
                passed++;
        }
        print_message("%zu files, %s: %d rejected, %d passed (threshold 0), %d were not changed by it\n", cases,
                      kinds[kind].what, refused, passed, same);
        assert_int_equal(passed, 0);
        assert_true(refused > (int)cases / 4);
    }
}

static void a_damaged_block_is_named(void **state)
{
    (void)state;
    piola_error error;
    pio_digest digest;
    const int fd = memfd_create("blocks", MFD_CLOEXEC);
    char *data = calloc(1, 3 << 20);
    assert_true(fd >= 0 && data);
    write_all(fd, data, (3 << 20) - 7, 0);
    assert_int_equal(pio_digest_append(fd, "file", &error), PIOLA_OK);
    assert_int_equal(pio_digest_compare(fd, "file", &digest, &error), PIOLA_OK);
    assert_true(digest.there && digest.blocks == 3 && digest.covered == (3 << 20) - 7);
    write_all(fd, "x", 1, (3 << 20) - 8);
    assert_int_equal(pio_digest_compare(fd, "file", &digest, &error), PIOLA_BAD_DATA);
    assert_non_null(strstr(error.message, "bytes 2097152 to 3145720 do not match"));
    assert_non_null(strstr(error.message, "1 of 3 blocks"));
    print_message("%s\n", error.message);
    free(data);
    (void)close(fd);
}

/* ---- a file that was never finished ------------------------------------------------------------------------ */

/* What reads back is what was written, or it is refused: 's' a wrong value was given, 'r' refused, 'o' all is right. */
static char verdict_on(const char *path, const sample_case *c)
{
    const char *wrong = check_file(path, c, 0, c->frames);
    if (!wrong) return 'o';
    return !strncmp(wrong, "a point", 7) || !strncmp(wrong, "a value", 7) || !strncmp(wrong, "a cell", 6) ||
                   !strncmp(wrong, "a gradient", 10)
               ? 's'
               : 'r';
}

static void a_changed_value_of_an_unfinished_file_is_never_given(void **state)
{
    (void)state;
    static const sample_case cases[2] = {
        {"cut.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F64, false, 120, 3, false, 0},
        {"cut.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F32, true, 90, 3, false, 70}};
    const size_t n = all_bits ? 1500 : TEST_SANITIZED ? 10 : 100;
    piola_error error;
    char path[80];
    snprintf(path, sizeof path, "%s/cut.partial.vtkhdf", folder);
    for (int mesh = 0; mesh < 2; mesh++) {
        int silent = 0, refused = 0, right = 0;
        char *data = malloc(1 << 20), *damaged = malloc(1 << 20);
        assert_true(data && damaged);
        assert_int_equal(sample_write(&cases[mesh], folder, &error), PIOLA_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t size = fread(data, 1, 1 << 20, file);
        fclose(file);
        assert_int_equal(verdict_on(path, &cases[mesh]), 'o');
        for (size_t i = 0; i < n; i++) {
            size_t bytes = size;
            memcpy(damaged, data, size);
            (i % 4 == 3 ? blank : i % 4 == 2 ? swap : flip)(damaged, &bytes, i);
            file = fopen(path, "wb");
            assert_true(file && fwrite(damaged, 1, bytes, file) == bytes && fclose(file) == 0);
            const char answer = verdict_on(path, &cases[mesh]);
            silent += answer == 's';
            refused += answer == 'r';
            right += answer == 'o';
        }
        print_message(
            "%zu damaged files that were never finished, %s: %d rejected, %d right in all that counts, %d gave a "
            "wrong value (threshold 0)\n",
            n, mesh ? "mesh" : "particles", refused, right, silent);
        assert_int_equal(silent, 0);
        assert_true(refused > 0 && right > 0);
        free(data);
        free(damaged);
    }
    (void)unlink(path);
}

/* ---- files without checksums ------------------------------------------------------------------------------ */

static pio_snapshot_integrity integrity_of(bool verify)
{
    piola_error error;
    pio_snapshot_file *f = NULL;
    if (pio_snapshot_open(&f, bad_path, verify, &error) != PIOLA_OK) fail_msg("%s", error.message);
    const pio_snapshot_integrity integrity = pio_snapshot_describe(f)->integrity;
    pio_snapshot_close(f);
    return integrity;
}

/* What another program does: it opens for writing, and writes. */
static void change(const char *delete, int64_t iterations)
{
    hid_t file = H5Fopen(bad_path, H5F_ACC_RDWR, H5P_DEFAULT), root = H5Gopen2(file, "piola", H5P_DEFAULT);
    assert_true(root >= 0);
    hid_t objective = H5Gopen2(root, "objective", H5P_DEFAULT), attr = H5Aopen(objective, "iterations", H5P_DEFAULT);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT64, &iterations) >= 0);
    if (delete) assert_true(H5Adelete(root, delete) >= 0);
    H5Aclose(attr);
    H5Gclose(objective);
    H5Gclose(root);
    assert_true(H5Fclose(file) >= 0);
}

static void a_file_that_another_program_changed_is_refused_unless_verification_is_off(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot_file *f = NULL;
    take(false);
    assert_true(put(good, good_size));
    assert_int_equal(integrity_of(true), PIO_SNAPSHOT_VERIFIED);
    assert_int_equal(integrity_of(false), PIO_SNAPSHOT_SKIPPED);
    change(NULL, 2);
    assert_int_equal(pio_snapshot_open(&f, bad_path, true, &error), PIOLA_BAD_DATA);
    print_message("%s\n", error.message);
    assert_true(strstr(error.message, "changed since") || strstr(error.message, "do not match"));
    assert_int_equal(integrity_of(false), PIO_SNAPSHOT_SKIPPED);
}

static void a_file_of_an_earlier_version_opens_and_says_so(void **state)
{
    (void)state;
    take(false);
    assert_true(put(good, good_size - 32)); /* the ending: what is left of the table means nothing */
    change("checksums", 3);
    assert_int_equal(integrity_of(true), PIO_SNAPSHOT_EARLIER);
}

int main(int argc, char **argv)
{
    all_bits = argc > 1 && !strcmp(argv[1], "--all");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_that_of_rfc_3720_by_every_way),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(every_damaged_file_is_refused),
        cmocka_unit_test(a_damaged_block_is_named),
        cmocka_unit_test(a_changed_value_of_an_unfinished_file_is_never_given),
        cmocka_unit_test(a_file_that_another_program_changed_is_refused_unless_verification_is_off),
        cmocka_unit_test(a_file_of_an_earlier_version_opens_and_says_so),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
