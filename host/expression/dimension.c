/* dimension.c -- dimensions of physical quantities in m, kg, s and K; see expression.h. */
#include "host/expression/expression.h"

#include <stdio.h>
#include <stdlib.h>

/* Whole exponents of m, kg, s, K; angles have none. */
static const signed char exponents[CFG_QUANTITIES][4] = {[CFG_LENGTH] = {1, 0, 0, 0},
                                                         [CFG_AREA] = {2, 0, 0, 0},
                                                         [CFG_VOLUME] = {3, 0, 0, 0},
                                                         [CFG_TIME] = {0, 0, 1, 0},
                                                         [CFG_MASS] = {0, 1, 0, 0},
                                                         [CFG_DENSITY] = {-3, 1, 0, 0},
                                                         [CFG_PRESSURE] = {-1, 1, -2, 0},
                                                         [CFG_VISCOSITY] = {-1, 1, -1, 0},
                                                         [CFG_VELOCITY] = {1, 0, -1, 0},
                                                         [CFG_ACCELERATION] = {1, 0, -2, 0},
                                                         [CFG_ANGLE_RATE] = {0, 0, -1, 0},
                                                         [CFG_RATE] = {0, 0, -1, 0},
                                                         [CFG_RATE_SQUARED] = {0, 0, -2, 0},
                                                         [CFG_ENERGY] = {2, 1, -2, 0},
                                                         [CFG_FORCE] = {1, 1, -2, 0},
                                                         [CFG_FORCE_DENSITY] = {-2, 1, -2, 0},
                                                         [CFG_STIFFNESS] = {0, 1, -2, 0},
                                                         [CFG_WAVE_NUMBER] = {-1, 0, 0, 0},
                                                         [CFG_FREQUENCY] = {0, 0, -1, 0},
                                                         [CFG_EFFORT] = {-2, 2, -3, 0},
                                                         [CFG_SMOOTHNESS] = {-2, 2, -5, 0},
                                                         [CFG_MOMENT] = {2, 1, -2, 0},
                                                         [CFG_ANGULAR_MOMENTUM] = {2, 1, -1, 0},
                                                         [CFG_TEMPERATURE] = {0, 0, 0, 1},
                                                         [CFG_EXPANSION] = {0, 0, 0, -1}};

pio_dimension pio_dimension_of(cfg_quantity quantity)
{
    const signed char *e = exponents[quantity];
    const int parts = PIO_DIMENSION_PARTS;
    return (pio_dimension){e[0] * parts, e[1] * parts, e[2] * parts, e[3] * parts};
}

bool pio_dimension_same(pio_dimension a, pio_dimension b)
{
    return a.m == b.m && a.kg == b.kg && a.s == b.s && a.K == b.K;
}

pio_dimension pio_dimension_times(pio_dimension a, pio_dimension b, int factor)
{
    const int parts = PIO_DIMENSION_PARTS;
    return (pio_dimension){a.m + b.m * factor / parts, a.kg + b.kg * factor / parts, a.s + b.s * factor / parts,
                           a.K + b.K * factor / parts};
}

bool pio_dimension_legal(pio_dimension a)
{
    const int most = PIO_DIMENSION_MOST;
    return abs(a.m) <= most && abs(a.kg) <= most && abs(a.s) <= most && abs(a.K) <= most;
}

const char *pio_dimension_text(pio_dimension d, char *out, size_t size)
{
    const int exponent[] = {d.m, d.kg, d.s, d.K};
    static const char *const base[] = {"m", "kg", "s", "K"};
    for (int q = CFG_ONE; q < CFG_ANY; q++) {
        if (q == CFG_ANGLE_RATE || q == CFG_ANGLE || q == CFG_FREQUENCY || q == CFG_MEMORY) continue;
        const char *name = pio_quantity_name((cfg_quantity)q), *unit = pio_quantity_unit((cfg_quantity)q);
        if (!pio_dimension_same(d, pio_dimension_of((cfg_quantity)q))) continue;
        const bool vowel = name[0] == 'a' || name[0] == 'e';
        snprintf(out, size, *unit ? "a%s %s (%s)" : "a%s %s%s", vowel ? "n" : "", name, unit);
        return out;
    }
    size_t used = 0;
    for (int k = 0; k < 4 && used < size; k++) {
        const double power = (double)exponent[k] / PIO_DIMENSION_PARTS;
        if (!exponent[k]) continue;
        const char *between = used ? " " : "";
        used += (size_t)(exponent[k] == PIO_DIMENSION_PARTS
                             ? snprintf(out + used, size - used, "%s%s", between, base[k])
                             : snprintf(out + used, size - used, "%s%s^%g", between, base[k], power));
    }
    return out;
}
