/* config_number.c -- numbers and their units. */
#include "host/config/config.h"
#include "host/base/decimal.h"
#include "host/base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct unit {
    const char *text;
    cfg_quantity quantity;
    int exponent;  /* power of ten, applied to the decimal text so that the value is rounded once */
    double factor; /* remaining factor */
} unit;

/* The first unit of a quantity is the SI one. */
static const unit units[] = {
    {"m", CFG_LENGTH, 0, 1},
    {"km", CFG_LENGTH, 3, 1},
    {"cm", CFG_LENGTH, -2, 1},
    {"mm", CFG_LENGTH, -3, 1},
    {"um", CFG_LENGTH, -6, 1},
    {"m2", CFG_AREA, 0, 1},
    {"cm2", CFG_AREA, -4, 1},
    {"mm2", CFG_AREA, -6, 1},
    {"m3", CFG_VOLUME, 0, 1},
    {"cm3", CFG_VOLUME, -6, 1},
    {"mm3", CFG_VOLUME, -9, 1},
    {"s", CFG_TIME, 0, 1},
    {"ms", CFG_TIME, -3, 1},
    {"us", CFG_TIME, -6, 1},
    {"min", CFG_TIME, 0, 60},
    {"kg", CFG_MASS, 0, 1},
    {"g", CFG_MASS, -3, 1},
    {"kg/m3", CFG_DENSITY, 0, 1},
    {"g/cm3", CFG_DENSITY, 3, 1},
    {"Pa", CFG_PRESSURE, 0, 1},
    {"kPa", CFG_PRESSURE, 3, 1},
    {"MPa", CFG_PRESSURE, 6, 1},
    {"GPa", CFG_PRESSURE, 9, 1},
    {"Pa.s", CFG_VISCOSITY, 0, 1},
    {"mPa.s", CFG_VISCOSITY, -3, 1},
    {"m/s", CFG_VELOCITY, 0, 1},
    {"cm/s", CFG_VELOCITY, -2, 1},
    {"mm/s", CFG_VELOCITY, -3, 1},
    {"m/s2", CFG_ACCELERATION, 0, 1},
    {"mm/s2", CFG_ACCELERATION, -3, 1},
    {"rad/s", CFG_ANGLE_RATE, 0, 1},
    {"deg/s", CFG_ANGLE_RATE, 0, PI / 180},
    {"1/s", CFG_RATE, 0, 1},
    {"1/ms", CFG_RATE, 3, 1},
    {"1/s2", CFG_RATE_SQUARED, 0, 1},
    {"1/ms2", CFG_RATE_SQUARED, 6, 1},
    {"J", CFG_ENERGY, 0, 1},
    {"mJ", CFG_ENERGY, -3, 1},
    {"kJ", CFG_ENERGY, 3, 1},
    {"N.m", CFG_MOMENT, 0, 1},
    {"N.mm", CFG_MOMENT, -3, 1},
    {"kN.m", CFG_MOMENT, 3, 1},
    {"kg.m2/s", CFG_ANGULAR_MOMENTUM, 0, 1},
    {"N", CFG_FORCE, 0, 1},
    {"mN", CFG_FORCE, -3, 1},
    {"kN", CFG_FORCE, 3, 1},
    {"MN", CFG_FORCE, 6, 1},
    {"N/m3", CFG_FORCE_DENSITY, 0, 1},
    {"kN/m3", CFG_FORCE_DENSITY, 3, 1},
    {"MN/m3", CFG_FORCE_DENSITY, 6, 1},
    {"N/m", CFG_STIFFNESS, 0, 1},
    {"kN/m", CFG_STIFFNESS, 3, 1},
    {"MN/m", CFG_STIFFNESS, 6, 1},
    {"1/m", CFG_WAVE_NUMBER, 0, 1},
    {"1/cm", CFG_WAVE_NUMBER, 2, 1},
    {"1/mm", CFG_WAVE_NUMBER, 3, 1},
    {"B", CFG_MEMORY, 0, 1},
    {"kB", CFG_MEMORY, 3, 1},
    {"MB", CFG_MEMORY, 6, 1},
    {"GB", CFG_MEMORY, 9, 1},
    {"TB", CFG_MEMORY, 12, 1},
    {"KiB", CFG_MEMORY, 0, 1024},
    {"MiB", CFG_MEMORY, 0, 1048576},
    {"GiB", CFG_MEMORY, 0, 1073741824},
    {"TiB", CFG_MEMORY, 0, 1099511627776.0},
    {"rad", CFG_ANGLE, 0, 1},
    {"deg", CFG_ANGLE, 0, PI / 180},
    {"Hz", CFG_FREQUENCY, 0, 1},
    {"kHz", CFG_FREQUENCY, 3, 1},
    {"Pa2.s", CFG_EFFORT, 0, 1},
    {"kPa2.s", CFG_EFFORT, 6, 1},
    {"Pa2/s", CFG_SMOOTHNESS, 0, 1},
    {"kPa2/s", CFG_SMOOTHNESS, 6, 1},
    {"K", CFG_TEMPERATURE, 0, 1},
    {"mK", CFG_TEMPERATURE, -3, 1},
    {"1/K", CFG_EXPANSION, 0, 1},
};
enum { UNITS = sizeof units / sizeof *units };

static const char *const names[CFG_QUANTITIES] = {"a plain number",
                                                  "a length",
                                                  "an area",
                                                  "a volume",
                                                  "a time",
                                                  "a mass",
                                                  "a density",
                                                  "a pressure",
                                                  "a viscosity",
                                                  "a velocity",
                                                  "an acceleration",
                                                  "an angle rate",
                                                  "a rate",
                                                  "a rate squared",
                                                  "an energy",
                                                  "a moment",
                                                  "an angular momentum",
                                                  "a force",
                                                  "a force per volume",
                                                  "a stiffness",
                                                  "a wave number",
                                                  "an amount of memory",
                                                  "an angle",
                                                  "a frequency",
                                                  "an effort",
                                                  "a smoothness",
                                                  "a temperature",
                                                  "a thermal expansion",
                                                  "a quantity"};

const char *pio_quantity_name(cfg_quantity quantity)
{
    return strchr(names[quantity], ' ') + 1;
}

const char *pio_quantity_unit(cfg_quantity quantity)
{
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].quantity == quantity) return units[i].text;
    return "";
}

void pio_quantity_units(cfg_quantity quantity, const char *between, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < UNITS; i++) {
        if (units[i].quantity != quantity && quantity != CFG_ANY) continue;
        int n = snprintf(out + used, size - used, "%s%s", used ? between : "", units[i].text);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
}

/* Computes the decimal text times 10^shift, rounded once. */
static bool scaled(const char *text, size_t length, int shift, double *value, char *why, size_t size)
{
    char buffer[160];
    size_t mantissa = 0;
    while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E') mantissa++;
    long power = mantissa < length ? strtol(text + mantissa + 1, NULL, 10) : 0;
    if (mantissa > 100) {
        snprintf(why, size, "a number of more than 100 characters");
        return false;
    }
    if (power > 100000) power = 100000;
    if (power < -100000) power = -100000;
    snprintf(buffer, sizeof buffer, "%.*se%ld", (int)mantissa, text, power + shift);
    *value = strtod(buffer, NULL);
    bool zero = strspn(buffer, "+-.0") == strcspn(buffer, "e");
    if (!isfinite(*value) || (fabs(*value) < 2.3e-308 && !zero)) {
        snprintf(why, size, "'%.*s' is too %s for a double", (int)(length < 60 ? length : 60), text,
                 isfinite(*value) ? "small" : "large");
        return false;
    }
    return true;
}

size_t pio_unit_length(const char *text, cfg_quantity *quantity)
{
    size_t longest = 0;
    for (size_t i = 0; i < UNITS; i++) {
        const size_t length = strlen(units[i].text);
        const char next = strncmp(text, units[i].text, length) == 0 ? text[length] : '_';
        const bool ends = !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                            (next >= '0' && next <= '9') || next == '_');
        if (length <= longest || !ends) continue;
        longest = length;
        *quantity = units[i].quantity;
    }
    return longest;
}

static bool not_a_number(const char *text, cfg_quantity want, char *why, size_t size)
{
    char example[120] = "such as 0.5";
    const char *si = pio_quantity_unit(want);
    if (*si) snprintf(example, sizeof example, "such as 0.5 or 0.5 %s", si);
    bool based = text[0] == '0' && strchr("xXoObB", text[1]) && text[1];
    const char *bare = text + strspn(text, "+-");
    bool word = strncasecmp(bare, ".inf", 4) == 0 || strncasecmp(bare, ".nan", 4) == 0;
    snprintf(why, size, "'%.60s' is not a number%s; give one %s", text,
             based  ? " (hexadecimal, octal and binary are not read)"
             : word ? " (only finite numbers are read)"
                    : "",
             example);
    return false;
}

bool pio_quantity_parse(const char *text, cfg_quantity want, double *value, char *why, size_t size)
{
    size_t length = pio_number_length(text);
    const char *rest = text + length;
    if (!length) return not_a_number(text, want, why, size);
    bool apart = *rest == ' ';
    rest += strspn(rest, " ");
    if (!*rest) return scaled(text, length, 0, value, why, size);
    bool letter = (*rest >= 'a' && *rest <= 'z') || (*rest >= 'A' && *rest <= 'Z');
    bool based = length == 1 && *text == '0' && !apart && strchr("xXob", *rest);
    if (based || (!letter && !(apart && *rest == '1'))) return not_a_number(text, want, why, size);
    char list[300];
    const char *spellings[UNITS];
    const unit *found = NULL;
    for (size_t i = 0; i < UNITS; i++) {
        spellings[i] = units[i].text;
        if (strcmp(units[i].text, rest) == 0) found = &units[i];
    }
    pio_quantity_units(want, ", ", list, sizeof list);
    if (!found) {
        const char *near = pio_nearest(rest, spellings, UNITS);
        snprintf(why, size, "unknown unit '%.40s'%s%s%s; %s%s", rest, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "",
                 want == CFG_ONE ? "a plain number is expected" : "known: ", want == CFG_ONE ? "" : list);
        return false;
    }
    if (found->quantity != want && want != CFG_ANY) {
        snprintf(why, size, "'%.60s' is %s, but %s is expected%s%s%s", text, names[found->quantity], names[want],
                 *list ? " (" : "", list, *list ? ")" : "");
        return false;
    }
    if (!scaled(text, length, found->exponent, value, why, size)) return false;
    *value *= found->factor;
    return true;
}

void pio_angle_hint(const char *text, const cfg_field *f, double value, char *out, size_t size)
{
    const bool bare = pio_number_length(text) == strlen(text);
    out[0] = '\0';
    if (f->quantity == CFG_ANGLE && bare && pio_range_holds(&f->range, value * PI / 180))
        snprintf(out, size, "; without a unit it is in rad, did you mean '%.60s deg'?", text);
}
