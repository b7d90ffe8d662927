/* nearest.c -- see nearest.h. */
#include "host/base/nearest.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return strncasecmp(&a, &b, 1) == 0;
}

/* Returns the edit distance of two words of at most 60 bytes (optimal string alignment): letters inserted, deleted,
 * replaced, or two neighbours swapped; letter case is ignored. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), rows[3][64];
    if (n > 60 || m > 60) return 99;
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(up[j - 1] + !same(a[i - 1], b[j - 1]), least(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *pio_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = NULL;
    size_t fewest = 99;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(word), other = strlen(candidates[i]);
        size_t d = edit_distance(word, candidates[i]);
        if (d > ((length > other ? length : other) + 1) / 3 || d >= fewest) continue;
        fewest = d;
        nearest = candidates[i];
    }
    return nearest;
}
