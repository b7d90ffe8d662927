/* fuzz_entry.c -- what libFuzzer calls: the target that PIOLA_FUZZ_TARGET names. Built by clang where PIOLA_FUZZ is
 * ON. */
#include "tests/system/fuzz_targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Readers request the number of threads from OpenMP. clang compiles their loops without it: one. */
int omp_get_max_threads(void);

int omp_get_max_threads(void)
{
    return 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("PIOLA_FUZZ_TARGET");
    (void)argc;
    (void)argv;
    for (const fuzz_target *t = fuzz_targets; t->name; t++)
        if (name && !strcmp(t->name, name)) chosen = t;
    if (chosen) return 0;
    fprintf(stderr, "PIOLA_FUZZ_TARGET must be one of:");
    for (const fuzz_target *t = fuzz_targets; t->name; t++) fprintf(stderr, " %s", t->name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    chosen->one(data, size);
    return 0;
}
