/* mutants.c -- see mutants.h. */
#include "tests/system/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value in place of another: what is next to legal, and what a program that writes scenes gets wrong. */
static const char *const values[] = {
    "",
    "~",
    "0",
    "-1",
    "1",
    "2",
    "1000000",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "2147483648",
    "-2147483649",
    "9007199254740993",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
    "nan",
    ".inf",
    "true",
    "on",
    "x",
    "''",
    "\"\\0\"",
    "\"a\\nb\"",
    "[]",
    "{}",
    "[1]",
    "[0, 0, 0]",
    "[1, 2, 3, 4, 5]",
    "[[1, 2], [3]]",
    "[1 m, 2 kPa]",
    "{x: 1}",
    "[{}]",
    "[{name: x}]",
    "&a *a",
    "*b",
    "!!int 3",
    "!t x",
    "1 m",
    "1 um",
    "1 kPa",
    "1 ns",
    "1000 s",
    "1 furlong",
    "1e3 kg/m^3",
    "../../x",
    "/etc/passwd",
    "./",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\xC3\xA4",
    "\xFF\xFE",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
enum { VALUES = sizeof values / sizeof *values, RENAME = 0, DROP, TWICE, AS_TRUE, WAYS, CHANGES = WAYS + VALUES };

static const char *const tokens[] = {"version: 1\n",
                                     "include: ",
                                     "- ",
                                     "name: ",
                                     "type: ",
                                     "  ",
                                     "\t",
                                     "&a ",
                                     "*a",
                                     "<<: ",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ": ",
                                     "#",
                                     "|\n",
                                     ">\n",
                                     "\"",
                                     "'",
                                     "---\n",
                                     "...\n",
                                     "%YAML",
                                     "1e6",
                                     "-0.0",
                                     "12",
                                     "m",
                                     "kPa",
                                     "target: x",
                                     "on: {",
                                     "file: a",
                                     "materials.x",
                                     ".E",
                                     "[0]",
                                     "\xEF\xBB\xBF",
                                     "\xE2\x80\xA8",
                                     "\r\n",
                                     "method:",
                                     "bodies.x.E"};
enum { TOKENS = sizeof tokens / sizeof *tokens };

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* ---- keys -------------------------------------------------------------------------------------------------- */

static int letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* One past the value that begins at `at`: up to a comma, bracket, comment or line's end that is not within brackets. */
static size_t value_end(const char *text, size_t size, size_t at)
{
    int depth = 0;
    size_t end = at;
    for (; end < size; end++) {
        const char c = text[end];
        if (c == '[' || c == '{') depth++;
        if ((c == ']' || c == '}' || c == ',') && depth == 0) break;
        if (c == ']' || c == '}') depth--;
        if (c == '\n' && depth == 0) break;
        if (c == '#' && end > at && text[end - 1] == ' ') break;
    }
    while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\r')) end--;
    return end;
}

int mutant_open(mutant_source *source, const char *text, size_t size)
{
    size_t room = 0, begin = 0;
    *source = (mutant_source){.text = text, .size = size, .cuts = size};
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n'))
            while (i < size && text[i] != '\n') i++;
        if (i == size) break;
        if (letter(text[i]) && (i == 0 || !letter(text[i - 1]))) begin = i;
        const int ends = i + 1 == size || text[i + 1] == ' ' || text[i + 1] == '\n';
        if (text[i] != ':' || !ends || i == 0 || !letter(text[i - 1])) continue;
        if (source->n_keys == room) {
            room = room ? 2 * room : 64;
            mutant_key *grown = realloc(source->keys, room * sizeof *grown);
            if (!grown) return -1;
            source->keys = grown;
        }
        size_t at = i + 1;
        while (at < size && text[at] == ' ') at++;
        source->keys[source->n_keys++] = (mutant_key){begin, i, at, value_end(text, size, at)};
    }
    source->changes = (uint64_t)source->n_keys * CHANGES;
    return 0;
}

void mutant_close(mutant_source *source)
{
    free(source->keys);
    *source = (mutant_source){0};
}

/* ---- damage ------------------------------------------------------------------------------------------------ */

/* `text` with its bytes from `from` to `to` replaced; NULL without memory. */
static char *replace(const char *text, size_t length, size_t from, size_t to, const char *by, size_t n, size_t *size)
{
    char *out = malloc(length - (to - from) + n + 1);
    if (!out) return NULL;
    memcpy(out, text, from);
    memcpy(out + from, by, n);
    memcpy(out + from + n, text + to, length - to);
    *size = length - (to - from) + n;
    out[*size] = '\0';
    return out;
}

static char *change_key(const mutant_source *s, uint64_t k, size_t *size)
{
    const mutant_key *key = &s->keys[k / CHANGES];
    const unsigned how = (unsigned)(k % CHANGES);
    char again[600];
    if (how >= WAYS) {
        const char *by = values[how - WAYS];
        return replace(s->text, s->size, key->value, key->value_end, by, strlen(by), size);
    }
    if (how == RENAME) return replace(s->text, s->size, key->key_end, key->key_end, "x", 1, size);
    if (how == AS_TRUE) return replace(s->text, s->size, key->key, key->key_end, "true", 4, size);
    size_t end = key->value_end;
    if (end < s->size && s->text[end] == ',') end++;
    if (how == DROP) return replace(s->text, s->size, key->key, end, "", 0, size);
    const int n = snprintf(again, sizeof again, "%.*s: 1%s", (int)(key->key_end - key->key), s->text + key->key,
                           end > key->value_end ? ", " : "\n");
    return replace(s->text, s->size, key->key, key->key, again, (size_t)n, size);
}

/* One to four random changes. */
static char *spoil(const mutant_source *s, uint64_t k, size_t *size)
{
    uint64_t state = k * 0x2545f4914f6cdd1dULL + 1;
    char *text = replace(s->text, s->size, 0, 0, "", 0, size);
    for (uint64_t n = 1 + draw(&state) % 4; text && n; n--) {
        const size_t from = *size ? (size_t)(draw(&state) % *size) : 0;
        const size_t left = *size - from, span = left ? (size_t)(draw(&state) % (left < 40 ? left : 40)) : 0;
        const char *by = tokens[draw(&state) % TOKENS];
        const char byte = (char)(draw(&state) & 255);
        const size_t other = *size ? (size_t)(draw(&state) % *size) : 0;
        const size_t copied = *size - other < 60 ? *size - other : 60;
        char *next = NULL;
        const unsigned how = (unsigned)(draw(&state) % 5);
        if (how == 0) next = replace(text, *size, from, from + (left > 0), &byte, 1, size);
        if (how == 1) next = replace(text, *size, from, from, by, strlen(by), size);
        if (how == 2) next = replace(text, *size, from, from + span, "", 0, size);
        if (how == 3) next = replace(text, *size, from, from + span, by, strlen(by), size);
        if (how == 4) next = replace(text, *size, from, from, text + other, copied, size);
        free(text);
        text = next;
    }
    return text;
}

char *mutant_make(const mutant_source *s, uint64_t k, size_t *size)
{
    if (k < s->cuts) return replace(s->text, s->size, (size_t)k, s->size, "", 0, size);
    if (k < s->cuts + s->changes) return change_key(s, k - s->cuts, size);
    return spoil(s, k - s->cuts - s->changes, size);
}

void mutant_describe(const mutant_source *s, uint64_t k, char *out, size_t size)
{
    static const char *const ways[] = {"renamed", "left out", "written twice", "named 'true'"};
    if (k < s->cuts) {
        snprintf(out, size, "cut behind %llu bytes", (unsigned long long)k);
    } else if (k < s->cuts + s->changes) {
        const uint64_t c = k - s->cuts;
        const mutant_key *key = &s->keys[c / CHANGES];
        const unsigned how = (unsigned)(c % CHANGES);
        snprintf(out, size, "key '%.*s' at byte %zu %s%s", (int)(key->key_end - key->key), s->text + key->key, key->key,
                 how < WAYS ? ways[how] : "with the value ", how < WAYS ? "" : values[how - WAYS]);
    } else {
        snprintf(out, size, "random damage %llu", (unsigned long long)(k - s->cuts - s->changes));
    }
}
