/* config_table.c -- questions about a table of fields. */
#include "host/config/config.h"
#include "host/base/json.h"

#include <string.h>

size_t pio_words(const char *const *words)
{
    size_t n = 0;
    while (words && words[n]) n++;
    return n;
}

const cfg_field *pio_table_field(const cfg_table *table, const char *key)
{
    for (const cfg_field *f = table->fields; f->key; f++)
        if (strcmp(f->key, key) == 0) return f;
    return NULL;
}

int pio_table_variant(const cfg_table *table, const void *owner)
{
    int variant = -1;
    if (table->discriminator) {
        const cfg_field *f = pio_table_field(table, table->discriminator);
        memcpy(&variant, (const char *)owner + f->offset, sizeof variant);
    }
    return variant;
}

bool pio_field_legal(const cfg_field *field, int variant)
{
    return !field->only || (variant >= 0 && (field->only >> variant & 1));
}

bool pio_field_required(const cfg_field *field, int variant)
{
    const bool needed = variant >= 0 && (field->needed >> variant & 1);
    return (field->required || needed) && pio_field_legal(field, variant);
}

bool pio_value_legal(const cfg_field *field, int value)
{
    return !(field->without >> value & 1);
}

size_t pio_field_values(const cfg_field *field, const char *values[CFG_MOST_VALUES])
{
    size_t n = 0;
    for (int v = 0; field->values[v] && n + 1 < CFG_MOST_VALUES; v++)
        if (pio_value_legal(field, v)) values[n++] = field->values[v];
    values[n] = NULL;
    return n;
}

bool pio_range_holds(const cfg_range *range, double value)
{
    if ((range->ends & CFG_FROM) && !(value >= range->lo)) return false;
    if ((range->ends & CFG_OVER) && !(value > range->lo)) return false;
    if ((range->ends & CFG_UP_TO) && !(value <= range->hi)) return false;
    if ((range->ends & CFG_BELOW) && !(value < range->hi)) return false;
    return true;
}

const char *pio_range_text(const cfg_range *range, char *out, size_t size)
{
    char lo[PIO_JSON_DOUBLE], hi[PIO_JSON_DOUBLE];
    const char *low = range->ends & CFG_FROM ? "at least " : range->ends & CFG_OVER ? "above " : "";
    const char *high = range->ends & CFG_UP_TO ? "at most " : range->ends & CFG_BELOW ? "below " : "";
    snprintf(out, size, "%s%s%s%s%s", low, *low ? pio_format_double(lo, range->lo) : "", *low && *high ? " and " : "",
             high, *high ? pio_format_double(hi, range->hi) : "");
    return out;
}
