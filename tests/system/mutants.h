/* mutants.h -- damaged scenes, numbered: mutant k of a text is always the same one. First the text cut behind every
 * byte, then every key treated in every way of a list (renamed, left out, twice, its value replaced by each of a list
 * of values), then texts with random damage, without end. */
#ifndef PIOLA_TESTS_MUTANTS_H
#define PIOLA_TESTS_MUTANTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t key, key_end;     /* bytes of the key's name */
    size_t value, value_end; /* of its value, without blanks around it; empty where the value begins in a line below */
} mutant_key;

typedef struct {
    const char *text;
    size_t size;
    mutant_key *keys;
    size_t n_keys;
    uint64_t cuts, changes; /* mutants of the first and of the second kind */
} mutant_source;

/* Finds the keys of a YAML text, which must outlive the source; returns 0, or -1 without memory. */
int mutant_open(mutant_source *source, const char *text, size_t size);
void mutant_close(mutant_source *source);

/* Mutant number k: *size bytes and a NUL behind them; free() it. NULL without memory. */
char *mutant_make(const mutant_source *source, uint64_t k, size_t *size);

/* What was done to it, in words, for a report. */
void mutant_describe(const mutant_source *source, uint64_t k, char *out, size_t size);

#endif
