/* student.c -- see student.h. */
#include "host/optimize/student.h"

#include <math.h>
#include <stdbool.h>

/* Returns the probability of |T| <= t = sqrt(degrees) tan(angle): Abramowitz and Stegun 1964, 26.7.3 and 26.7.4. */
static double probability_of(double angle, int degrees)
{
    const double c = cos(angle), s = sin(angle);
    const bool odd = degrees % 2;
    double term = odd ? c : 1, sum = degrees > 1 ? term : 0;
    for (int k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
        term *= c * c * (k - 1) / k;
        sum += term;
    }
    return odd ? 2 / acos(-1) * (angle + s * sum) : s * sum;
}

double pio_student(double probability, int degrees)
{
    double low = 0, high = acos(-1) / 2;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) return sqrt(degrees) * tan(low);
        if (probability_of(middle, degrees) < probability)
            low = middle;
        else
            high = middle;
    }
}
