/* axis.c -- see axis.h. */
#include "host/sweep/axis.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char form[] = "PATH=LOW..HIGH:COUNT, PATH=LOW..HIGH:COUNT:log or PATH=a,b,c",
                  sampled_form[] = "PATH=LOW..HIGH, PATH=LOW..HIGH:log or PATH=a,b,c";

static piola_status wrong(const pio_axis *a, bool sampled, const char *what, piola_error *error)
{
    return pio_fail(error, PIOLA_USAGE, "--over: '%.200s': %s; write it as %s", a->text, what,
                    sampled ? sampled_form : form);
}

static piola_status no_memory(piola_error *error)
{
    return pio_fail_memory(error, PIO_MEMBER_TEXT, "an axis of a sweep");
}

/* Returns the length of the text before the first `stop` that is not in brackets or quotes; all of it if there is none.
 */
static size_t length_before(const char *text, const char *stop)
{
    const size_t n = strlen(stop);
    int depth = 0;
    char quote = '\0';
    size_t i = 0;
    for (; text[i]; i++) {
        if (quote) {
            if (text[i] == quote) quote = '\0';
        } else if (text[i] == '"' || text[i] == '\'') {
            quote = text[i];
        } else if (depth == 0 && strncmp(text + i, stop, n) == 0) {
            return i;
        } else if (strchr("[{(", text[i])) {
            depth++;
        } else if (strchr("]})", text[i])) {
            depth--;
        }
    }
    return i;
}

/* Returns a copy without blanks at its ends, or NULL without memory. */
static char *trimmed(pio_pool *pool, const char *text, size_t length)
{
    while (length && *text == ' ') text++, length--;
    while (length && text[length - 1] == ' ') length--;
    return pio_pool_text(pool, text, length);
}

/* Reads a number with its unit, of whatever quantity. Returns false with what is wrong in why[size]. */
static bool read_number(const char *text, double *value, cfg_quantity *quantity, char *why, size_t size)
{
    *quantity = CFG_ONE;
    if (!pio_quantity_parse(text, CFG_ANY, value, why, size)) return false;
    const char *unit = text + pio_number_length(text);
    unit += strspn(unit, " ");
    if (*unit) pio_unit_length(unit, quantity);
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* Finds out whether all entries are numbers of one quantity. */
static void find_quantity(pio_axis *a)
{
    a->numbers = true;
    for (int64_t i = 0; i < a->count && a->numbers; i++) {
        char why[400];
        double value;
        cfg_quantity quantity;
        a->numbers = read_number(a->entries[i], &value, &quantity, why, sizeof why);
        if (i == 0) a->quantity = quantity;
        a->numbers &= quantity == a->quantity;
    }
    if (!a->numbers) a->quantity = CFG_ONE;
}

static piola_status parse_list(pio_axis *a, const char *text, bool sampled, pio_pool *pool, piola_error *error)
{
    int64_t n = 1;
    for (size_t i = length_before(text, ","); text[i]; i += 1 + length_before(text + i + 1, ",")) n++;
    a->entries = pio_pool_take(pool, (size_t)n * sizeof *a->entries);
    if (!a->entries) return no_memory(error);
    for (const char *at = text; a->count < n; a->count++) {
        const size_t length = length_before(at, ",");
        char *entry = trimmed(pool, at, length);
        if (!entry) return no_memory(error);
        if (!*entry) return wrong(a, sampled, "a value of the list is empty", error);
        if (strlen(entry) >= PIO_MEMBER_TEXT) return wrong(a, sampled, "a value is longer than 1023 bytes", error);
        a->entries[a->count] = entry;
        at += length + 1;
    }
    find_quantity(a);
    return PIOLA_OK;
}

/* ---- ranges ---------------------------------------------------------------------------------------------- */

static piola_status parse_end(const pio_axis *a, const char *text, bool sampled, double *value, cfg_quantity *quantity,
                              piola_error *error)
{
    char why[400], what[480];
    if (read_number(text, value, quantity, why, sizeof why)) return PIOLA_OK;
    char *const known = strstr(why, "; known: "); /* all units that there are */
    if (known) *known = '\0';
    snprintf(what, sizeof what, "an end of the range: %s", why);
    return wrong(a, sampled, what, error);
}

/* Reads a word behind the ends: a count, log or linear. */
static piola_status parse_word(pio_axis *a, const char *word, bool sampled, piola_error *error)
{
    char *end, what[200];
    if (!strcmp(word, "log") || !strcmp(word, "linear")) {
        a->logarithmic = !strcmp(word, "log");
        return PIOLA_OK;
    }
    const long long count = strtoll(word, &end, 10);
    if (*word < '0' || *word > '9' || *end) {
        snprintf(what, sizeof what, "'%.60s' is neither a count nor log or linear", word);
        return wrong(a, sampled, what, error);
    }
    if (sampled) return wrong(a, sampled, "with --samples a range has no count", error);
    if (a->count) return wrong(a, sampled, "it has two counts", error);
    if (count < 2 || count > PIO_MEMBERS_MOST) {
        snprintf(what, sizeof what, "the count of a range is from 2 to %d, not %.40s", PIO_MEMBERS_MOST, word);
        return wrong(a, sampled, what, error);
    }
    a->count = count;
    return PIOLA_OK;
}

/* Checks the ends of a range, and that it has a count where it needs one. */
static piola_status check_range(const pio_axis *a, cfg_quantity high, bool sampled, piola_error *error)
{
    char what[300];
    if (a->quantity != high) {
        const char *low_name = pio_quantity_name(a->quantity), *high_name = pio_quantity_name(high);
        snprintf(what, sizeof what, "the ends of a range have one kind of unit, these are: %s, %s", low_name,
                 high_name);
        return wrong(a, sampled, what, error);
    }
    if (a->low >= a->high) return wrong(a, sampled, "the low end of a range is below its high end", error);
    if (a->logarithmic && a->low <= 0) return wrong(a, sampled, "both ends of a range with log are above 0", error);
    if (!sampled && a->count == 0) return wrong(a, sampled, "a range needs a count, or --samples", error);
    return PIOLA_OK;
}

static piola_status parse_range(pio_axis *a, const char *text, bool sampled, pio_pool *pool, piola_error *error)
{
    const size_t length = length_before(text, "..");
    char *low = trimmed(pool, text, length), *word;
    const char *at = text + length + 2;
    cfg_quantity high = CFG_ONE;
    if (!low) return no_memory(error);
    piola_status rc = parse_end(a, low, sampled, &a->low, &a->quantity, error);
    for (int i = 0; !rc; i++) {
        const size_t n = strcspn(at, ":");
        word = trimmed(pool, at, n);
        if (!word) return no_memory(error);
        rc = i == 0 ? parse_end(a, word, sampled, &a->high, &high, error) : parse_word(a, word, sampled, error);
        if (!at[n]) break;
        at += n + 1;
    }
    a->numbers = true;
    return rc ? rc : check_range(a, high, sampled, error);
}

piola_status pio_axis_parse(pio_axis *a, const char *text, bool sampled, pio_pool *pool, piola_error *error)
{
    *a = (pio_axis){.text = text};
    const char *equals = strchr(text, '=');
    if (!equals) return wrong(a, sampled, "it has no =", error);
    a->key = a->path = trimmed(pool, text, (size_t)(equals - text));
    if (!a->path) return no_memory(error);
    if (!*a->path) return wrong(a, sampled, "it names no key", error);
    const char *values = equals + 1;
    if (values[strspn(values, " ")] == '\0') return wrong(a, sampled, "it has no values", error);
    const bool range = values[length_before(values, "..")] && pio_number_length(values + strspn(values, " "));
    return range ? parse_range(a, values, sampled, pool, error) : parse_list(a, values, sampled, pool, error);
}

piola_status pio_axis_of_box(pio_axis *a, const pio_box *box, int part, pio_pool *pool, piola_error *error)
{
    char text[2 * CFG_PATH], low[PIO_JSON_DOUBLE], high[PIO_JSON_DOUBLE];
    const char *unit = pio_quantity_unit(box->quantity), *blank = *unit ? " " : "";
    *a = (pio_axis){.low = box->low,
                    .high = box->high,
                    .quantity = box->quantity,
                    .logarithmic = box->logarithmic,
                    .numbers = true,
                    .part = part,
                    .parts = box->parts > 1 ? box->parts : 0};
    const int key = snprintf(text, sizeof text, a->parts ? "%.500s[%d]" : "%.500s", box->key, part);
    a->key = pio_pool_text(pool, box->key, strlen(box->key));
    a->path = pio_pool_text(pool, text, (size_t)key);
    pio_format_double(low, box->low);
    pio_format_double(high, box->high);
    const int length = snprintf(text + key, sizeof text - (size_t)key, "=%s%s%s..%s%s%s%s", low, blank, unit, high,
                                blank, unit, box->logarithmic ? ":log" : "");
    a->text = pio_pool_text(pool, text, (size_t)(key + length));
    return a->key && a->path && a->text ? PIOLA_OK : no_memory(error);
}
