/* test_sha256.c -- the examples that the standard's authors publish, and that pieces do not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/base/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NIST, Examples with Intermediate Values: SHA-256; the longest is one million letters a. */
static void the_published_examples_have_their_hashes(void **state)
{
    (void)state;
    static const char *const examples[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqr"
         "stu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    static const char million[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    char got[PIO_SHA256_TEXT];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        pio_sha256_of(examples[i][0], strlen(examples[i][0]), got);
        assert_string_equal(got, examples[i][1]);
    }
    char *letters = malloc(1000000);
    assert_non_null(letters);
    memset(letters, 'a', 1000000);
    pio_sha256_of(letters, 1000000, got);
    assert_string_equal(got, million);
    letters[999999] = 'b';
    pio_sha256_of(letters, 1000000, got);
    assert_string_not_equal(got, million);
    free(letters);
}

/* Where the processor has instructions for it, they do what the plain text says; else both are the plain text. */
static void the_instructions_hash_as_the_plain_text(void **state)
{
    (void)state;
    enum { MOST = 700 };
    unsigned char bytes[MOST];
    char fast[PIO_SHA256_TEXT], plain[PIO_SHA256_TEXT];
    uint32_t x = 1;
    int different = 0;
    for (size_t size = 0; size <= MOST; size++) {
        pio_sha256 s;
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)((x = 1664525 * x + 1013904223) >> 24);
        pio_sha256_of(bytes, size, fast);
        pio_sha256_begin(&s);
        s.plain = true; /* as on a processor without them */
        pio_sha256_add(&s, bytes, size);
        pio_sha256_end(&s, plain);
        different += strcmp(fast, plain) != 0;
    }
    print_message("%d lengths, %d differ (threshold 0)\n", MOST + 1, different);
    assert_int_equal(different, 0);
}

static void pieces_and_files_hash_as_the_whole(void **state)
{
    (void)state;
    unsigned char bytes[300];
    char whole[PIO_SHA256_TEXT], pieces[PIO_SHA256_TEXT];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(7 * i + i / 3);
    int different = 0;
    for (size_t size = 0; size <= sizeof bytes; size++) {
        pio_sha256 s;
        pio_sha256_of(bytes, size, whole);
        pio_sha256_begin(&s);
        for (size_t at = 0, n; at < size; at += n) {
            n = 1 + (at * 5 + size) % 90;
            if (n > size - at) n = size - at;
            pio_sha256_add(&s, bytes + at, n);
        }
        pio_sha256_end(&s, pieces);
        different += strcmp(whole, pieces) != 0;
    }
    print_message("%zu lengths, %d differ in pieces (threshold 0)\n", sizeof bytes + 1, different);
    assert_int_equal(different, 0);
    char path[] = "/tmp/piola_sha256_XXXXXX";
    piola_error error = {0};
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    close(file);
    assert_int_equal(pio_sha256_of_file(path, pieces, &error), PIOLA_OK);
    assert_string_equal(whole, pieces);
    unlink(path);
    assert_int_equal(pio_sha256_of_file(path, pieces, &error), PIOLA_NO_INPUT);
    assert_non_null(strstr(error.message, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_examples_have_their_hashes),
        cmocka_unit_test(the_instructions_hash_as_the_plain_text),
        cmocka_unit_test(pieces_and_files_hash_as_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
