/* json_checker.h -- a strict JSON reader for tests (RFC 8259, and UTF-8 that is valid), and a lookup of one value.
 *
 * It shares no code with the writer. check_json returns NULL for a text that is one JSON value, else where it stops. */
#ifndef PIOLA_TESTS_JSON_CHECKER_H
#define PIOLA_TESTS_JSON_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *json_blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static const char *json_digits(const char *s)
{
    return s + strspn(s, "0123456789");
}

/* Each of these returns the first character after what it read, or NULL with *bad at the fault. */
static const char *json_number(const char *s, const char **bad)
{
    const char *from = s;
    if (*s == '-') s++;
    const char *end = *s == '0' ? s + 1 : json_digits(s);
    if (end == s) return *bad = from, NULL;
    s = end;
    if (*s == '.') {
        end = json_digits(s + 1);
        if (end == s + 1) return *bad = from, NULL;
        s = end;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-') s++;
        end = json_digits(s);
        if (end == s) return *bad = from, NULL;
        s = end;
    }
    return s;
}

/* One UTF-8 sequence by decoding it and encoding the number again: overlong forms and surrogates do not survive. */
static const char *json_utf8(const char *text, const char **bad)
{
    const unsigned char *s = (const unsigned char *)text;
    int more = s[0] < 0x80 ? 0 : (s[0] & 0xE0) == 0xC0 ? 1 : (s[0] & 0xF0) == 0xE0 ? 2 : (s[0] & 0xF8) == 0xF0 ? 3 : -1;
    static const unsigned long least[] = {0, 0x80, 0x800, 0x10000}, mask[] = {0x7F, 0x1F, 0x0F, 0x07};
    if (more < 0) return *bad = text, NULL;
    unsigned long code = s[0] & mask[more];
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80) return *bad = text, NULL;
        code = code << 6 | (s[i] & 0x3F);
    }
    bool wrong = code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF);
    return wrong ? (*bad = text, NULL) : text + more + 1;
}

static const char *json_quoted(const char *s, const char **bad)
{
    if (*s++ != '"') return *bad = s - 1, NULL;
    while (s && *s != '"') {
        if ((unsigned char)*s < 0x20) return *bad = s, NULL;
        if (*s != '\\') {
            s = json_utf8(s, bad);
        } else if (s[1] == 'u') {
            if (strspn(s + 2, "0123456789abcdefABCDEF") < 4) return *bad = s, NULL;
            s += 6;
        } else {
            if (!s[1] || !strchr("\"\\/bfnrt", s[1])) return *bad = s, NULL;
            s += 2;
        }
    }
    return s ? s + 1 : NULL;
}

static const char *json_value(const char *s, const char **bad)
{
    s = json_blank(s);
    if (*s == '"') return json_quoted(s, bad);
    if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    if (*s != '{' && *s != '[') return json_number(s, bad);
    char close = *s == '{' ? '}' : ']';
    s = json_blank(s + 1);
    if (*s == close) return s + 1;
    for (;;) {
        if (close == '}') {
            s = json_quoted(json_blank(s), bad);
            if (!s) return NULL;
            s = json_blank(s);
            if (*s++ != ':') return *bad = s - 1, NULL;
        }
        s = json_value(s, bad);
        if (!s) return NULL;
        s = json_blank(s);
        if (*s == close) return s + 1;
        if (*s++ != ',') return *bad = s - 1, NULL;
    }
}

static inline const char *check_json(const char *text)
{
    const char *bad = NULL, *end = json_value(text, &bad);
    if (!end) return bad;
    end = json_blank(end);
    return *end ? end : NULL;
}

#endif
