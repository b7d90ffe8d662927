/* members.c -- see members.h: reading sweep.csv (RFC 4180). */
#include "host/report/members.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30, FIRST = 4 };

/* Ends the field at *at with a NUL, its quotes removed, and returns it; *last: it is the last of its line. */
static char *take_field(char **at, bool *last)
{
    char *field = *at, *to = *at, *from = *at;
    bool quoted = *from == '"';
    if (quoted) from++;
    for (; *from; from++) {
        if (quoted && *from == '"' && from[1] == '"')
            from++;
        else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\r' || *from == '\n'))
            break;
        *to++ = *from;
    }
    *last = *from != ',';
    if (*from == '\r') from++;
    if (*from) from++;
    *to = '\0';
    *at = from;
    return field;
}

static size_t count_fields(const char *text)
{
    bool quoted = false;
    size_t n = 1;
    for (; *text && (quoted || (*text != '\n' && *text != '\r')); text++) {
        quoted ^= *text == '"';
        n += !quoted && *text == ',';
    }
    return n;
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Returns how many samples an observation has by the columns of its times. */
static long samples_of(const pio_members_table *t, const char *observation, size_t length)
{
    long n = 0;
    for (size_t c = FIRST; c < t->n; c++)
        if (!strncmp(t->columns[c].name, observation, length) && !strncmp(t->columns[c].name + length, "/time", 5)) n++;
    return n;
}

/* Returns whether a column has values of the last sample of its observation. */
static bool is_last(const pio_members_table *t, const char *name)
{
    const char *value = strstr(name, "/value");
    if (!value) return false;
    const long samples = samples_of(t, name, (size_t)(value - name));
    return samples == 1 || (value[6] == '[' && strtol(value + 7, NULL, 10) == samples - 1);
}

/* Cuts the beginning that says what a column is off its name, and its unit. */
static void classify(const pio_members_table *t, size_t c)
{
    static const struct {
        const char *begin;
        pio_column_kind kind;
    } kinds[] = {{"parameters/", PIO_OF_AXIS}, {"objective", PIO_OF_RESULT},
                 {"terms/", PIO_OF_RESULT},    {"constraints/", PIO_OF_RESULT},
                 {"design/", PIO_OF_DESIGN},   {"observations/", PIO_OF_SAMPLE},
                 {"", PIO_OF_OTHERS}};
    pio_member_column *of = &t->columns[c];
    size_t k = 0;
    while (strncmp(of->name, kinds[k].begin, strlen(kinds[k].begin)) != 0) k++;
    of->kind = c < FIRST ? PIO_OF_MEMBER : kinds[k].kind;
    if (of->kind == PIO_OF_SAMPLE && !is_last(t, of->name)) of->kind = PIO_OF_OTHERS;
}

static void shorten(pio_member_column *c)
{
    char *slash = strchr(c->name, '/'), *bracket = c->kind == PIO_OF_AXIS ? strrchr(c->name, '[') : NULL;
    if (c->kind != PIO_OF_MEMBER && slash) c->name = slash + 1;
    c->unit = "";
    if (!bracket || bracket == c->name || bracket[-1] != ' ') return;
    bracket[-1] = '\0';
    c->unit = bracket + 1;
    c->unit[strcspn(c->unit, "]")] = '\0';
}

/* Gives an axis of texts their order of appearance as its values. */
static void order_words(pio_member_column *c, size_t rows)
{
    double n = 0;
    c->words = true;
    for (size_t i = 0; i < rows; i++) {
        size_t j = 0;
        while (strcmp(c->text[j], c->text[i]) != 0) j++;
        c->value[i] = j < i ? c->value[j] : n++;
    }
}

static void read_values(pio_member_column *c, size_t rows)
{
    size_t numbers = 0, texts = 0;
    for (size_t i = 0; i < rows; i++) {
        const size_t length = pio_decimal(c->text[i], &c->value[i]);
        const bool number = length && !c->text[i][length];
        if (!number) c->value[i] = (double)NAN;
        numbers += number;
        texts += !number && *c->text[i];
    }
    if (c->kind == PIO_OF_AXIS && texts) order_words(c, rows);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static bool allocate(pio_pool *pool, pio_members_table *t)
{
    t->columns = pio_pool_take(pool, t->n * sizeof *t->columns);
    for (size_t c = 0; t->columns && c < t->n; c++) {
        t->columns[c].text = pio_pool_take(pool, (t->rows + 1) * sizeof(char *));
        t->columns[c].value = pio_pool_take(pool, (t->rows + 1) * sizeof(double));
        if (!t->columns[c].text || !t->columns[c].value) return false;
    }
    return t->columns != NULL;
}

static piola_status parse(pio_pool *pool, pio_members_table *t, char *at, piola_error *error)
{
    bool last = false;
    t->n = count_fields(at);
    for (const char *c = at; *c; c++) t->rows += *c == '\n';
    t->rows = t->rows ? t->rows - 1 : 0;
    if (!allocate(pool, t)) return pio_fail_memory(error, t->n * t->rows, "sweep.csv");
    for (size_t c = 0; c < t->n; c++) t->columns[c].name = take_field(&at, &last);
    if (t->n < FIRST || strcmp(t->columns[0].name, "member") != 0 || strcmp(t->columns[2].name, "exit") != 0)
        return pio_fail(error, PIOLA_BAD_DATA, "sweep.csv is not the table of a sweep");
    for (size_t i = 0; i < t->rows; i++)
        for (size_t c = 0; c < t->n; c++) {
            t->columns[c].text[i] = take_field(&at, &last);
            if (last != (c == t->n - 1))
                return pio_fail(error, PIOLA_BAD_DATA, "sweep.csv:%zu: the line has not %zu entries", i + 2, t->n);
        }
    return PIOLA_OK;
}

/* Marks axes whose values have equal ratios, as sweep.json says. */
static void mark_ratios(const pio_report *r, pio_members_table *t)
{
    const cfg_node *axes = pio_report_get(r->result, "axes");
    for (size_t a = 0; axes && axes->kind == CFG_SEQUENCE && a < axes->n; a++) {
        const char *over = pio_report_text(axes->items[a], "over", ""), *colon = strrchr(over, ':');
        for (size_t c = FIRST; c < t->n; c++)
            if (t->columns[c].kind == PIO_OF_AXIS &&
                !strcmp(t->columns[c].name, pio_report_text(axes->items[a], "path", "")))
                t->columns[c].log = colon && !strcmp(colon, ":log");
    }
}

piola_status pio_members_read(const pio_report *r, pio_pool *pool, pio_members_table *out, piola_error *error)
{
    char path[PIO_PATH], *text = NULL;
    size_t size = 0;
    *out = (pio_members_table){0};
    if (!pio_path_join(path, sizeof path, r->folder, "sweep.csv"))
        return pio_fail(error, PIOLA_NO_INPUT, "the name of the folder is too long");
    piola_status rc = pio_file_read(path, MOST_BYTES, &text, &size, error);
    if (rc) return rc;
    char *own = pio_pool_text(pool, text, size);
    free(text);
    if (!own) return pio_fail_memory(error, size, "sweep.csv");
    rc = parse(pool, out, own, error);
    if (rc) return rc;
    for (size_t c = 0; c < out->n; c++) classify(out, c);
    for (size_t c = 0; c < out->n; c++) {
        shorten(&out->columns[c]);
        read_values(&out->columns[c], out->rows);
    }
    mark_ratios(r, out);
    return PIOLA_OK;
}
