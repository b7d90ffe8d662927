/* expression_rotation.c -- the displacement of a rotation as an expression of place and angle.
 *
 * With r = X - c and an axis k of length 1 (Rodrigues 1840),
 *
 *     u = sin(a) k x r + (1 - cos(a)) (k (k.r) - r),   1 - cos(a) = 2 sin(a/2)^2,
 *
 * which has all its digits for small angles, too. */
#include "host/expression/expression_code.h"

#include <math.h>

static const pio_dimension none = {0, 0, 0, 0};

static pio_term two(pio_expression *e, pio_operation op, const pio_term *a, const pio_term *b)
{
    return pio_term_make(e, op, a, b, NULL, 0);
}

/* Returns a number times a term. */
static pio_term scaled(pio_expression *e, double factor, const pio_term *term)
{
    const pio_term number = pio_term_number(factor, none, 0);
    return fabs(factor - 1) > 0 ? two(e, PIO_OP_MULTIPLY, &number, term) : *term;
}

/* Adds a number times a coordinate of r to a sum of `*terms` terms. */
static void add_arm(pio_expression *e, const pio_expression_rotation *rotation, double factor, int axis, pio_term *sum,
                    int *terms)
{
    if (!(fabs(factor) > 0)) return;
    pio_term r = pio_term_leaf(e, (pio_operation)(PIO_OP_X + axis), 0, none, 0);
    const pio_term center = pio_term_number(rotation->center[axis], none, 0);
    if (fabs(rotation->center[axis]) > 0) r = two(e, PIO_OP_SUBTRACT, &r, &center);
    r = scaled(e, factor, &r);
    *sum = (*terms)++ ? two(e, PIO_OP_ADD, sum, &r) : r;
}

bool pio_expression_rotate(const pio_expression_rotation *rotation, int component, pio_expression *out)
{
    const double *k = rotation->axis;
    const int i = component, j = (i + 1) % 3, l = (i + 2) % 3;
    const pio_term half = pio_term_number(0.5, none, 0), twice = pio_term_number(2, none, 0);
    pio_term turned = pio_term_number(0, none, 0), drawn = turned; /* of k x r, and of k (k.r) - r */
    int turns = 0, draws = 0;
    *out = rotation->angle;
    pio_term angle = {.op = out->n - 1};
    if (rotation->curve >= 0) {
        const pio_term factor = pio_term_leaf(out, PIO_OP_CURVE, rotation->curve, none, 0);
        angle = two(out, PIO_OP_MULTIPLY, &angle, &factor);
    }
    add_arm(out, rotation, k[j], l, &turned, &turns);
    add_arm(out, rotation, -k[l], j, &turned, &turns);
    for (int c = 0; c < 3; c++) add_arm(out, rotation, k[i] * k[c] - (c == i), c, &drawn, &draws);
    const pio_term sine = pio_term_make(out, PIO_OP_SIN, &angle, NULL, NULL, 0);
    const pio_term halved = two(out, PIO_OP_MULTIPLY, &half, &angle);
    const pio_term sine_of_half = pio_term_make(out, PIO_OP_SIN, &halved, NULL, NULL, 0);
    const pio_term squared = two(out, PIO_OP_MULTIPLY, &sine_of_half, &sine_of_half);
    const pio_term lost = two(out, PIO_OP_MULTIPLY, &twice, &squared);
    if (turns) turned = two(out, PIO_OP_MULTIPLY, &sine, &turned);
    if (draws) drawn = two(out, PIO_OP_MULTIPLY, &lost, &drawn);
    const pio_term sum = turns && draws ? two(out, PIO_OP_ADD, &turned, &drawn) : turns ? turned : drawn;
    return pio_term_finish(out, &sum);
}
