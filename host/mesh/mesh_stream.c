/* mesh_stream.c -- words and binary numbers of a Gmsh file. */
#include "host/mesh/mesh_msh.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/stop.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void msh_fail(msh_input *in, const char *format, ...)
{
    char place[40], text[1200];
    va_list list;
    if (in->status) return;
    if (in->binary)
        snprintf(place, sizeof place, " offset %lld", (long long)in->mark);
    else
        snprintf(place, sizeof place, "%lld", (long long)in->line);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    in->status = pio_fail(in->error, PIOLA_BAD_DATA, "%.500s:%s: error: %s", in->path, place, text);
}

void msh_no_memory(msh_input *in, size_t bytes, const char *what)
{
    if (!in->status) in->status = pio_fail_memory(in->error, bytes, what);
}

/* ---- bytes ------------------------------------------------------------------------------------------------- */

static bool refill(msh_input *in)
{
    if (!in->status) in->status = pio_stop("reading a mesh", in->error);
    if (in->status == PIOLA_INTERRUPTED) return false; /* the rest of the file then reads as its end */
    in->base += (int64_t)in->end;
    in->at = 0;
    in->end = fread(in->buffer, 1, MSH_BUFFER, in->file);
    in->buffer[in->end] = '\0';
    if (!in->end && ferror(in->file) && !in->status)
        in->status = pio_fail(in->error, PIOLA_NO_INPUT, "cannot read '%.500s': %s", in->path, strerror(errno));
    return in->end > 0;
}

int msh_peek(msh_input *in)
{
    return in->at < in->end || refill(in) ? in->buffer[in->at] : EOF;
}

int msh_next(msh_input *in)
{
    const int c = msh_peek(in);
    if (c == EOF) return EOF;
    in->at++;
    in->line += c == '\n';
    return c;
}

static int64_t position(const msh_input *in)
{
    return in->base + (int64_t)in->at;
}

/* Returns the number of bytes from here to the end of the file. */
static int64_t bytes_left(const msh_input *in)
{
    return in->size > position(in) ? in->size - position(in) : 0;
}

static void read_bytes(msh_input *in, void *to, size_t n, const char *what)
{
    memset(to, 0, n);
    if (in->status) return;
    in->mark = position(in);
    for (size_t done = 0; done < n;) {
        if (msh_peek(in) == EOF) {
            msh_fail(in, "the file ends where %s is expected; it was cut off", what);
            return;
        }
        const size_t part = in->end - in->at < n - done ? in->end - in->at : n - done;
        memcpy((char *)to + done, in->buffer + in->at, part);
        in->at += part;
        done += part;
    }
    for (size_t i = 0; in->swap && i < n / 2; i++) {
        unsigned char *c = to, other = c[n - 1 - i];
        c[n - 1 - i] = c[i];
        c[i] = other;
    }
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static bool blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void msh_skip_space(msh_input *in)
{
    do {
        for (; in->at < in->end; in->at++) {
            const unsigned char c = in->buffer[in->at];
            if (c == '\n')
                in->line++;
            else if (!blank(c))
                break;
        }
    } while (in->at == in->end && refill(in));
    in->mark = position(in);
}

bool msh_read_word(msh_input *in, const char *what)
{
    size_t n = 0;
    in->word[0] = '\0';
    if (in->status) return false;
    while (blank(msh_peek(in))) msh_next(in);
    in->mark = position(in);
    int c = msh_peek(in);
    if (c == EOF) msh_fail(in, "the file ends where %s is expected; it was cut off", what);
    if (c == '\n') msh_fail(in, "the line ends where %s is expected", what);
    for (; c != EOF && c != '\n' && !blank(c) && n < MSH_WORD - 1; c = msh_peek(in)) {
        in->word[n++] = (char)(c > 32 && c < 127 ? c : '?');
        msh_next(in);
    }
    in->word[n] = '\0';
    return !in->status;
}

void msh_end_line(msh_input *in, const char *what)
{
    if (in->status) return;
    if (in->at < in->end && in->buffer[in->at] == '\n') {
        in->at++;
        in->line++;
        return;
    }
    while (blank(msh_peek(in))) msh_next(in);
    in->mark = position(in);
    const int c = msh_peek(in);
    if (c != '\n' && c != EOF) {
        msh_read_word(in, "the end of the line");
        msh_fail(in, "'%s' after %s, where the line must end", in->word, what);
    }
    if (c == '\n') msh_next(in);
}

/* Reads the next whole number, if it lies in the buffer with the blank or the end of the line after it, has at most 18
 * digits and no other letter, as most do. Otherwise it reads nothing and returns false. */
static bool plain_integer(msh_input *in, int64_t *value)
{
    enum { DIGITS = 18 };
    const unsigned char *c = in->buffer + in->at, *const end = in->buffer + in->end;
    while (c < end && blank(*c)) c++;
    const bool negative = c < end && *c == '-';
    c += negative;
    const unsigned char *const first = c, *const most = end - first < DIGITS ? end : first + DIGITS;
    int64_t number = 0;
    for (; c < most && (unsigned)(*c - '0') < 10; c++) number = 10 * number + (*c - '0');
    if (c == first || c == end || !(*c == '\n' || blank(*c))) return false;
    in->at = (size_t)(c - in->buffer);
    *value = negative ? -number : number;
    return true;
}

int64_t msh_text_integer(msh_input *in, int64_t low, int64_t high, const char *what)
{
    char *end;
    int64_t plain;
    const size_t at = in->at;
    if (!in->status && plain_integer(in, &plain)) {
        if (plain >= low && plain <= high) return plain;
        in->at = at; /* for the message */
    }
    if (!msh_read_word(in, what)) return 0;
    errno = 0;
    const long long value = strtoll(in->word, &end, 10);
    if (*end || end == in->word || errno) {
        const bool closed = strncmp(in->word, "$End", 4) == 0;
        msh_fail(in, "'%s' where %s is expected%s", in->word, what,
                 closed ? ": the section holds less than its counts promise" : "; give a whole number");
    } else if (value < low || value > high) {
        msh_fail(in, "%lld is out of range for %s; it goes from %lld to %lld", value, what, (long long)low,
                 (long long)high);
    }
    return in->status ? 0 : value;
}

/* ---- records ----------------------------------------------------------------------------------------------- */

void msh_begin_record(msh_input *in)
{
    if (!in->status && !in->binary) msh_skip_space(in);
}

void msh_end_record(msh_input *in, const char *what)
{
    if (!in->binary) msh_end_line(in, what);
}

int32_t msh_int(msh_input *in, const char *what)
{
    int32_t value;
    if (!in->binary) return (int32_t)msh_text_integer(in, INT32_MIN, INT32_MAX, what);
    read_bytes(in, &value, sizeof value, what);
    return value;
}

int64_t msh_size(msh_input *in, const char *what)
{
    int64_t value;
    if (!in->binary) return msh_text_integer(in, 0, INT64_MAX, what);
    read_bytes(in, &value, sizeof value, what);
    if (value < 0) msh_fail(in, "%llu is out of range for %s", (unsigned long long)value, what);
    return in->status ? 0 : value;
}

/* As plain_integer(), for a decimal number. */
static bool plain_double(msh_input *in, double *value)
{
    size_t at = in->at;
    while (at < in->end && blank(in->buffer[at])) at++;
    const size_t length = pio_decimal((const char *)in->buffer + at, value), behind = at + length;
    if (!length || length >= MSH_WORD || behind >= in->end || !isfinite(*value)) return false;
    if (!(in->buffer[behind] == '\n' || blank(in->buffer[behind]))) return false;
    in->at = behind;
    return true;
}

double msh_double(msh_input *in, const char *what)
{
    double value;
    char *end;
    if (in->binary) {
        read_bytes(in, &value, sizeof value, what);
        return value;
    }
    if (!in->status && plain_double(in, &value)) return value;
    if (!msh_read_word(in, what)) return 0;
    value = strtod(in->word, &end);
    if (*end || end == in->word || (isfinite(value) && pio_number_length(in->word) != strlen(in->word)))
        msh_fail(in, "'%s' where %s is expected; give a decimal number", in->word, what);
    return value;
}

void msh_check_count(msh_input *in, int64_t count, int64_t least, const char *what)
{
    const int64_t left = bytes_left(in);
    if (count > INT32_MAX)
        msh_fail(in, "%lld %s; at most 2147483647 can be numbered", (long long)count, what);
    else if (count > left / least)
        msh_fail(in,
                 "%lld %s are promised, but the rest of the file (%lld bytes) holds at most %lld; the file was cut off "
                 "or the count is wrong",
                 (long long)count, what, (long long)left, (long long)(left / least));
}

/* ---- sections ---------------------------------------------------------------------------------------------- */

void msh_end_section(msh_input *in, const char *name)
{
    char wanted[MSH_WORD];
    if (in->status) return;
    snprintf(wanted, sizeof wanted, "$End%s", name);
    msh_skip_space(in);
    if (!msh_read_word(in, wanted)) return;
    if (strcmp(in->word, wanted) != 0)
        msh_fail(in, "'%s' where %s is expected: the section holds something else than its counts promise", in->word,
                 wanted);
    msh_end_line(in, wanted);
}

/* '$' occurs only at the start of the text that is searched for, so that after a mismatch only '$' can begin it anew.
 */
void msh_skip_section(msh_input *in, const char *name)
{
    char wanted[MSH_WORD + 8];
    const size_t length = (size_t)snprintf(wanted, sizeof wanted, "$End%s", name);
    size_t found = 0;
    while (!in->status && found < length) {
        const int c = msh_next(in);
        if (c == EOF) msh_fail(in, "the file ends within $%s; it was cut off", name);
        found = c == wanted[found] ? found + 1 : c == '$' ? 1 : 0;
    }
    msh_end_line(in, wanted);
}
