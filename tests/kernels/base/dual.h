/* dual.h -- C++17 dual numbers: a value and its derivative along one direction, both double.
 *
 * Kernel text compiled with `real` = pio_dual returns, beside each value, the exact directional derivative of the same
 * arithmetic: J v with rounding error only (forward mode, Griewank and Walther 2008, section 3.1). Comparisons and
 * conversions use the value, so branches are those of the plain build. Selected by
 * -DPIO_DUAL='"tests/kernels/base/dual.h"'. */
#ifndef PIOLA_TESTS_DUAL_H
#define PIOLA_TESTS_DUAL_H

#include <cmath>

struct pio_dual {
    double value, dot;

    pio_dual() = default; /* trivial, so that an array of them is plain memory */
    constexpr pio_dual(double v) : value(v), dot(0) {}
    constexpr pio_dual(double v, double d) : value(v), dot(d) {}
    explicit constexpr operator double() const { return value; }
    explicit constexpr operator float() const { return static_cast<float>(value); }
    explicit constexpr operator int() const { return static_cast<int>(value); }
};

constexpr pio_dual operator+(pio_dual a)
{
    return a;
}
constexpr pio_dual operator-(pio_dual a)
{
    return {-a.value, -a.dot};
}
constexpr pio_dual operator+(pio_dual a, pio_dual b)
{
    return {a.value + b.value, a.dot + b.dot};
}
constexpr pio_dual operator-(pio_dual a, pio_dual b)
{
    return {a.value - b.value, a.dot - b.dot};
}
constexpr pio_dual operator*(pio_dual a, pio_dual b)
{
    return {a.value * b.value, a.dot * b.value + a.value * b.dot};
}
constexpr pio_dual operator/(pio_dual a, pio_dual b)
{
    const double q = a.value / b.value;
    return {q, (a.dot - q * b.dot) / b.value};
}
constexpr pio_dual &operator+=(pio_dual &a, pio_dual b)
{
    return a = a + b;
}
constexpr pio_dual &operator-=(pio_dual &a, pio_dual b)
{
    return a = a - b;
}
constexpr pio_dual &operator*=(pio_dual &a, pio_dual b)
{
    return a = a * b;
}
constexpr pio_dual &operator/=(pio_dual &a, pio_dual b)
{
    return a = a / b;
}

constexpr bool operator<(pio_dual a, pio_dual b)
{
    return a.value < b.value;
}
constexpr bool operator>(pio_dual a, pio_dual b)
{
    return a.value > b.value;
}
constexpr bool operator<=(pio_dual a, pio_dual b)
{
    return a.value <= b.value;
}
constexpr bool operator>=(pio_dual a, pio_dual b)
{
    return a.value >= b.value;
}
constexpr bool operator==(pio_dual a, pio_dual b)
{
    return a.value == b.value;
}
constexpr bool operator!=(pio_dual a, pio_dual b)
{
    return a.value != b.value;
}

inline pio_dual sqrt(pio_dual a)
{
    const double s = std::sqrt(a.value);
    return {s, a.dot / (2 * s)};
}
inline pio_dual exp(pio_dual a)
{
    const double e = std::exp(a.value);
    return {e, a.dot * e};
}
inline pio_dual log(pio_dual a)
{
    return {std::log(a.value), a.dot / a.value};
}
inline pio_dual sin(pio_dual a)
{
    return {std::sin(a.value), a.dot * std::cos(a.value)};
}
inline pio_dual cos(pio_dual a)
{
    return {std::cos(a.value), -a.dot * std::sin(a.value)};
}
inline pio_dual atan2(pio_dual y, pio_dual x)
{
    return {std::atan2(y.value, x.value),
            (x.value * y.dot - y.value * x.dot) / (x.value * x.value + y.value * y.value)};
}
inline pio_dual tanh(pio_dual a)
{
    const double t = std::tanh(a.value);
    return {t, a.dot * (1 - t * t)};
}
inline pio_dual fabs(pio_dual a)
{
    return a.value < 0 ? -a : a;
}
inline pio_dual fma(pio_dual a, pio_dual b, pio_dual c)
{
    return {std::fma(a.value, b.value, c.value), a.dot * b.value + a.value * b.dot + c.dot};
}
inline pio_dual floor(pio_dual a)
{
    return {std::floor(a.value), 0};
} /* piecewise constant */

#endif
