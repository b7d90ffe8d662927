/* byte_input.c -- see byte_input.h. */
#include "host/base/byte_input.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/stop.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pio_input_fail(pio_input *in, const char *format, ...)
{
    char place[48], text[800];
    va_list list;
    if (in->status) return;
    if (in->binary) {
        snprintf(place, sizeof place, " offset %zu", in->mark);
    } else {
        size_t line = 1;
        for (size_t i = 0; i < in->mark; i++) line += in->text[i] == '\n';
        snprintf(place, sizeof place, "%zu", line);
    }
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    in->status = pio_fail(in->error, PIOLA_BAD_DATA, "%.500s:%s: error: %s", in->path, place, text);
}

void pio_input_no_memory(pio_input *in, size_t bytes, const char *what)
{
    if (!in->status) in->status = pio_fail_memory(in->error, bytes, what);
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(pio_input *in)
{
    while (in->at < in->size && blank(in->text[in->at])) in->at++;
    in->mark = in->at;
}

bool pio_input_line_ends(pio_input *in)
{
    skip_blanks(in);
    return in->at == in->size || in->text[in->at] == '\n';
}

void pio_input_skip_line(pio_input *in)
{
    while (in->at < in->size && in->text[in->at] != '\n') in->at++;
    if (in->at < in->size) in->at++;
}

void pio_input_poll(pio_input *in)
{
    if (!in->status) in->status = pio_stop_at(in->polls++, "reading a file", in->error);
}

bool pio_input_line(pio_input *in)
{
    while (!in->status && in->at < in->size) {
        pio_input_poll(in);
        if (!pio_input_line_ends(in)) return true;
        pio_input_skip_line(in);
    }
    return false;
}

/* Returns the length of the word that begins here; it is not 0 unless the line ends here. */
static size_t word_length(const pio_input *in)
{
    size_t n = 0;
    while (in->at + n < in->size && !blank(in->text[in->at + n]) && in->text[in->at + n] != '\n') n++;
    return n;
}

bool pio_input_word(pio_input *in, const char *what)
{
    in->word[0] = '\0';
    if (in->status) return false;
    if (pio_input_line_ends(in)) {
        pio_input_fail(in,
                       in->at == in->size ? "the file ends where %s is expected; it was cut off"
                                          : "the line ends where %s is expected",
                       what);
        return false;
    }
    const size_t length = word_length(in), shown = length < PIO_INPUT_WORD - 1 ? length : PIO_INPUT_WORD - 1;
    for (size_t i = 0; i < shown; i++) {
        const char c = in->text[in->at + i];
        in->word[i] = (char)(c > 32 && c < 127 ? c : '?');
    }
    in->word[shown] = '\0';
    in->at += length;
    return true;
}

void pio_input_expect(pio_input *in, const char *word)
{
    if (pio_input_word(in, word) && strcmp(in->word, word) != 0)
        pio_input_fail(in, "'%s' where '%s' is expected", in->word, word);
}

/* Returns whether a word ends before this byte. */
static bool word_ends(const pio_input *in, size_t at)
{
    return at == in->size || blank(in->text[at]) || in->text[at] == '\n';
}

/* Reads a word that is a finite number and nothing else. Returns false, having read nothing, otherwise; the caller
 * then reads it as a word, which reports the fault. */
static bool try_number(pio_input *in, double *value)
{
    if (in->status) return false;
    skip_blanks(in);
    const size_t length = pio_decimal(in->text + in->at, value);
    if (!length || length >= PIO_INPUT_WORD || !isfinite(*value) || !word_ends(in, in->at + length)) return false;
    in->at += length;
    return true;
}

double pio_input_number(pio_input *in, const char *what)
{
    double number;
    if (try_number(in, &number)) return number;
    if (!pio_input_word(in, what)) return 0;
    const size_t length = in->at - in->mark;
    char *end;
    if (length >= PIO_INPUT_WORD || pio_number_length(in->word) != length) {
        pio_input_fail(in, "'%s' where %s is expected; give a finite decimal number", in->word, what);
        return 0;
    }
    const double value = strtod(in->word, &end);
    if (*end || !isfinite(value)) pio_input_fail(in, "'%s' is too large for a double", in->word);
    return in->status ? 0 : value;
}

bool pio_input_try_integer(pio_input *in, int64_t low, int64_t high, const char *behind, int64_t *value)
{
    enum { MOST_DIGITS = 10 };
    int64_t v = 0;
    if (in->status) return false;
    skip_blanks(in);
    const bool minus = in->text[in->at] == '-';
    size_t at = in->at + minus;
    const size_t first = at;
    for (; in->text[at] >= '0' && in->text[at] <= '9' && at - first < MOST_DIGITS; at++)
        v = 10 * v + (in->text[at] - '0');
    if (at == first) return false;
    v = minus ? -v : v;
    if (behind && in->text[at] == behind[0])
        while (in->text[at] && at - in->at < PIO_INPUT_WORD && strchr(behind, in->text[at])) at++;
    if (v < low || v > high || at - in->at >= PIO_INPUT_WORD || !word_ends(in, at)) return false;
    in->at = at;
    *value = v;
    return true;
}

int64_t pio_input_integer(pio_input *in, int64_t low, int64_t high, const char *what)
{
    char *end;
    int64_t number;
    if (pio_input_try_integer(in, low, high, NULL, &number)) return number;
    if (!pio_input_word(in, what)) return 0;
    errno = 0;
    const long long value = strtoll(in->word, &end, 10);
    if (*end || end == in->word || errno || in->at - in->mark >= PIO_INPUT_WORD)
        pio_input_fail(in, "'%s' where %s is expected; give a whole number", in->word, what);
    else if (value < low || value > high)
        pio_input_fail(in, "%lld is out of range for %s, which goes from %lld to %lld", value, what, (long long)low,
                       (long long)high);
    return in->status ? 0 : value;
}

/* ---- bytes ------------------------------------------------------------------------------------------------- */

bool pio_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

size_t pio_input_remaining(const pio_input *in)
{
    return in->size - in->at;
}

void pio_input_bytes(pio_input *in, void *to, size_t n, const char *what)
{
    unsigned char *c = to;
    memset(to, 0, n);
    if (in->status) return;
    in->mark = in->at;
    pio_input_poll(in);
    if (n > pio_input_remaining(in)) {
        pio_input_fail(in, "the file ends where %s is expected; it was cut off", what);
        return;
    }
    for (size_t i = 0; i < n; i++) c[in->swap ? n - 1 - i : i] = (unsigned char)in->text[in->at + i];
    in->at += n;
}

bool pio_input_room(pio_input *in, void *array, size_t n, size_t *room, size_t item)
{
    void *old;
    if (in->status) return false;
    if (n < *room) return true;
    memcpy(&old, array, sizeof old);
    const size_t more = *room ? 2 * *room : 256;
    void *new = realloc(old, more * item);
    if (!new) {
        pio_input_no_memory(in, more * item, in->path);
        return false;
    }
    memcpy(array, &new, sizeof new);
    *room = more;
    return true;
}
