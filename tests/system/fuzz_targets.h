/* fuzz_targets.h -- readers of foreign bytes as functions of bytes, for libFuzzer and for the replay of its corpus. */
#ifndef PIOLA_TESTS_FUZZ_TARGETS_H
#define PIOLA_TESTS_FUZZ_TARGETS_H

#include <stddef.h>
#include <stdint.h>

/* Every target reads the bytes as its reader would read a file of them, and aborts where the answer is no documented
 * one: a status that the reader cannot give, or a failure without a message. `seeds`: folders below tests/ whose files
 * it begins with, of that suffix. */
typedef struct {
    const char *name;
    void (*one)(const uint8_t *data, size_t size);
    const char *seeds[3], *suffix[2];
} fuzz_target;

extern const fuzz_target fuzz_targets[]; /* ended by name NULL */

#endif
