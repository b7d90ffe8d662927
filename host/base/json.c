/* json.c -- the JSON writer of json.h. */
#include "host/base/json.h"

#include "host/base/fail.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static bool failed(const pio_json *json)
{
    return json->failure.status != PIOLA_OK;
}

static void put(pio_json *json, const char *bytes, size_t n)
{
    if (failed(json) || n == 0) return;
    if (json->file) {
        if (fwrite(bytes, 1, n, json->file) != n) {
            pio_fail(&json->failure, PIOLA_IO, "writing JSON failed after %zu bytes: %s", json->size, strerror(errno));
            return;
        }
    } else {
        if (n >= SIZE_MAX / 4 - json->size) {
            pio_fail(&json->failure, PIOLA_NO_MEMORY, "a JSON text of more than %zu bytes cannot be held", json->size);
            return;
        }
        if (json->size + n + 1 > json->space) {
            size_t space = 2 * (json->size + n + 1) + 256;
            char *text = realloc(json->text, space);
            if (!text) {
                pio_fail(&json->failure, PIOLA_NO_MEMORY, "no memory for a JSON text of %zu bytes", space);
                return;
            }
            json->text = text;
            json->space = space;
        }
        memcpy(json->text + json->size, bytes, n);
        json->text[json->size + n] = 0;
    }
    json->size += n;
}

static void put_text(pio_json *json, const char *text)
{
    put(json, text, strlen(text));
}

static void new_line(pio_json *json)
{
    static const char blanks[] = "                ";
    if (json->indent == 0) return;
    put(json, "\n", 1);
    for (int i = 0; i < json->depth; i++) put(json, blanks, (size_t)json->indent);
}

/* The length of the valid UTF-8 sequence that starts at s (Unicode 15, table 3-7), or 0; then *bad is how many bytes to
 * replace by one U+FFFD: the longest start of a valid sequence (Unicode 15, section 3.9, "maximal subpart"). */
static size_t utf8_length(const unsigned char *s, size_t *bad)
{
    *bad = 1;
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    size_t n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    unsigned char low = 0x80, high = 0xBF;
    if (s[0] == 0xE0) low = 0xA0;
    if (s[0] == 0xED) high = 0x9F;
    if (s[0] == 0xF0) low = 0x90;
    if (s[0] == 0xF4) high = 0x8F;
    for (size_t i = 1; i < n; i++, low = 0x80, high = 0xBF) {
        if (s[i] < low || s[i] > high) {
            *bad = i;
            return 0;
        }
    }
    return n;
}

static void put_quoted(pio_json *json, const char *value)
{
    static const char shorts[] = "btn?fr"; /* for the control characters 8 ... 13; 11 has no short form */
    const unsigned char *s = (const unsigned char *)value;
    put(json, "\"", 1);
    while (*s && !failed(json)) {
        size_t bad, n = utf8_length(s, &bad);
        if (n == 0) {
            put_text(json, "\xEF\xBF\xBD"); /* U+FFFD */
            s += bad;
            continue;
        }
        if (*s == '"' || *s == '\\') {
            char escape[2] = {'\\', (char)*s};
            put(json, escape, 2);
        } else if (*s >= 8 && *s <= 13 && *s != 11) {
            char escape[2] = {'\\', shorts[*s - 8]};
            put(json, escape, 2);
        } else if (*s < 0x20) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*s);
            put(json, escape, 6);
        } else {
            put(json, (const char *)s, n);
        }
        s += n;
    }
    put(json, "\"", 1);
}

/* ---- structure ------------------------------------------------------------------------------------------- */

static void begin_text(pio_json *json, FILE *file, int indent)
{
    memset(json, 0, sizeof *json);
    json->file = file;
    json->indent = indent < 0 ? 0 : indent > 16 ? 16 : indent;
}

void pio_json_to_file(pio_json *json, FILE *file, int indent)
{
    begin_text(json, file, indent);
    if (!file) pio_fail(&json->failure, PIOLA_INTERNAL, "JSON is to be written to a file that is not open");
}

void pio_json_to_memory(pio_json *json, int indent)
{
    begin_text(json, NULL, indent);
}

/* Writes what precedes a value: the comma, the line break, the key. */
static void begin_value(pio_json *json, const char *key)
{
    if (failed(json)) return;
    bool in_object = json->depth > 0 && json->level[json->depth - 1].object;
    if (json->done) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "a JSON text has one value at the top, and a second was written");
    } else if (in_object && !key) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "a value in a JSON object needs a key");
    } else if (!in_object && key) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "the JSON key '%s' stands outside an object", key);
    } else if (json->depth == 0) {
        json->done = true;
    } else {
        if (json->level[json->depth - 1].filled) put(json, ",", 1);
        json->level[json->depth - 1].filled = true;
        new_line(json);
        if (key) {
            put_quoted(json, key);
            put_text(json, json->indent ? ": " : ":");
        }
    }
}

static void begin_level(pio_json *json, const char *key, bool object)
{
    begin_value(json, key);
    if (failed(json)) return;
    if (json->depth == PIO_JSON_DEPTH) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "JSON nested deeper than %d levels", PIO_JSON_DEPTH);
        return;
    }
    put(json, object ? "{" : "[", 1);
    json->level[json->depth].object = object;
    json->level[json->depth].filled = false;
    json->depth++;
    json->done = false;
}

static void end_level(pio_json *json, bool object)
{
    if (failed(json)) return;
    if (json->depth == 0 || json->level[json->depth - 1].object != object) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "a JSON %s is closed that is not open", object ? "object" : "array");
        return;
    }
    json->depth--;
    if (json->level[json->depth].filled) new_line(json);
    put(json, object ? "}" : "]", 1);
    if (json->depth == 0) json->done = true;
}

void pio_json_begin_object(pio_json *json, const char *key)
{
    begin_level(json, key, true);
}
void pio_json_end_object(pio_json *json)
{
    end_level(json, true);
}
void pio_json_begin_array(pio_json *json, const char *key)
{
    begin_level(json, key, false);
}
void pio_json_end_array(pio_json *json)
{
    end_level(json, false);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static void put_value(pio_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_text(json, text);
}

void pio_json_string(pio_json *json, const char *key, const char *value)
{
    if (!value) {
        pio_json_null(json, key);
        return;
    }
    begin_value(json, key);
    put_quoted(json, value);
}

void pio_json_double(pio_json *json, const char *key, double value)
{
    char text[PIO_JSON_DOUBLE];
    put_value(json, key, pio_format_double(text, value));
}

void pio_json_integer(pio_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put_value(json, key, text);
}

void pio_json_bool(pio_json *json, const char *key, bool value)
{
    put_value(json, key, value ? "true" : "false");
}

void pio_json_null(pio_json *json, const char *key)
{
    put_value(json, key, "null");
}

void pio_json_doubles(pio_json *json, const char *key, const double *values, size_t n)
{
    char text[PIO_JSON_DOUBLE];
    begin_value(json, key);
    put(json, "[", 1);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) put_text(json, json->indent ? ", " : ",");
        put_text(json, pio_format_double(text, values[i]));
    }
    put(json, "]", 1);
}

piola_status pio_json_finish(pio_json *json, piola_error *error)
{
    if (!failed(json) && (json->depth > 0 || !json->done)) {
        pio_fail(&json->failure, PIOLA_INTERNAL, "a JSON text ended with %d levels open%s", json->depth,
                 json->done || json->depth ? "" : " and without a value");
    }
    if (json->file) {
        put(json, "\n", 1);
        if (!failed(json) && fflush(json->file) != 0) {
            pio_fail(&json->failure, PIOLA_IO, "writing JSON failed after %zu bytes: %s", json->size, strerror(errno));
        }
    }
    if (failed(json) && error) *error = json->failure;
    return json->failure.status;
}

void pio_json_free(pio_json *json)
{
    free(json->text);
    json->text = NULL;
    json->size = json->space = 0;
}

char *pio_format_double(char to[PIO_JSON_DOUBLE], double value)
{
    if (!isfinite(value)) return strcpy(to, "null");
    /* Find the fewest digits that read back as the same value; 17 always do (IEEE 754-2019, 5.12.2). */
    int digits = 1;
    while (digits < 17 && (snprintf(to, PIO_JSON_DOUBLE, "%.*e", digits - 1, value),
                           strtod(to, NULL) < value || strtod(to, NULL) > value)) {
        digits++;
    }
    /* %g uses an exponent if it has fewer digits than the integer part; whole numbers below 1e16 are shown whole. */
    int exponent = value < 0 || value > 0 ? (int)floor(log10(fabs(value))) : 0;
    if (exponent < 16 && exponent + 1 > digits) digits = exponent + 1;
    snprintf(to, PIO_JSON_DOUBLE, "%.*g", digits, value);
    const char *point = localeconv()->decimal_point;
    char *at = strstr(to, point);
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
    if (strcmp(to, "-0") == 0) strcpy(to, "-0.0"); /* readers take -0 for an integer and lose the sign */
    return to;
}
