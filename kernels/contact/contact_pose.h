/* contact_pose.h -- where obstacles are in a step and how they move in it, with the adjoint: rotations about any axis,
 * and motions given by points in time. */
#ifndef PIOLA_KERNELS_CONTACT_POSE_H
#define PIOLA_KERNELS_CONTACT_POSE_H

#include "kernels/contact/contact_pose_args.h"
#include "kernels/contact/obstacle.h"

/* ---- rotations ------------------------------------------------------------------------------------------------ */

typedef struct {
    wide m[DIM][DIM];
} turn_matrix;

#if PIO_DIM == 3
/* sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3 of a^2; by their series where the last would lose digits. */
typedef struct {
    wide sine, cosine, rest;
} turn_factors;

/* Returns the three factors for x = a^2 >= 0, a in rad. */
PIO_FN turn_factors turn_factors_of(wide x)
{
    turn_factors f;
    if (x < W(0.1)) {
        f.sine = W(1) - x / W(6) * (W(1) - x / W(20) * (W(1) - x / W(42) * (W(1) - x / W(72) * (W(1) - x / W(110)))));
        f.cosine =
            W(0.5) - x / W(24) * (W(1) - x / W(30) * (W(1) - x / W(56) * (W(1) - x / W(90) * (W(1) - x / W(132)))));
        f.rest =
            (W(1) - x / W(20) * (W(1) - x / W(42) * (W(1) - x / W(72) * (W(1) - x / W(110) * (W(1) - x / W(156)))))) /
            W(6);
        return f;
    }
    const wide a = sqrt(x), half = sin(a / W(2));
    f.sine = sin(a) / a;
    f.cosine = W(2) * half * half / x;
    f.rest = (W(1) - f.sine) / x;
    return f;
}

/* Returns K with K v = r x v for every v. */
PIO_FN turn_matrix turn_cross(const wide r[3])
{
    turn_matrix k;
    PIO_UNROLL
    for (int a = 0; a < 3; a++) {
        k.m[a][a] = W(0);
        k.m[a][(a + 1) % 3] = -r[(a + 2) % 3];
        k.m[a][(a + 2) % 3] = r[(a + 1) % 3];
    }
    return k;
}

/* Returns I + p K + q K^2, K the cross product with r: with (sine, cosine) the rotation exp(K) (Rodrigues), with
 * (cosine, rest) its left Jacobian: exp(K + dK) = exp((J dr) x) exp(K). */
PIO_FN turn_matrix turn_series(const wide r[3], wide p, wide q)
{
    const turn_matrix k = turn_cross(r);
    turn_matrix out;
    PIO_UNROLL
    for (int a = 0; a < 3; a++) {
        PIO_UNROLL
        for (int b = 0; b < 3; b++) {
            wide square = W(0);
            PIO_UNROLL
            for (int c = 0; c < 3; c++) square += k.m[a][c] * k.m[c][b];
            out.m[a][b] = W(a == b ? 1 : 0) + p * k.m[a][b] + q * square;
        }
    }
    return out;
}

/* Returns the rotation exp(r x) by |r| rad about r, by the formula of Rodrigues. */
PIO_FN turn_matrix turn_of(const wide r[3])
{
    const turn_factors f = turn_factors_of(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    return turn_series(r, f.sine, f.cosine);
}
#else
/* Returns the rotation by r[0] rad. */
PIO_FN turn_matrix turn_of(const wide r[1])
{
    turn_matrix out;
    out.m[0][0] = out.m[1][1] = cos(r[0]);
    out.m[1][0] = sin(r[0]);
    out.m[0][1] = -out.m[1][0];
    return out;
}
#endif

/* Adds a x b to `out` [OBSTACLE_TURNS]; in 2D the one component that there is. */
PIO_FN void cross_add(real out[OBSTACLE_TURNS], vec a, vec b)
{
#if PIO_DIM == 3
    PIO_UNROLL
    for (int i = 0; i < 3; i++) out[i] += a.x[(i + 1) % 3] * b.x[(i + 2) % 3] - a.x[(i + 2) % 3] * b.x[(i + 1) % 3];
#else
    out[0] += a.x[0] * b.x[1] - a.x[1] * b.x[0];
#endif
}

/* ---- where obstacles are -------------------------------------------------------------------------------------- */

/* Returns the index of parameter k of obstacle o in an array [OBSTACLE_PARAMETERS][obstacles]. */
PIO_FN ptrdiff_t obstacle_at(int obstacles, int k, int o)
{
    return field_at(obstacles, OBSTACLE_PARAMETERS, k, o);
}

/* Returns the time of point k of the motions, s. */
PIO_FN double motion_time(const contact_pose_args *a, int k)
{
    return (double)a->motion[(ptrdiff_t)k * MOTION_NUMBERS];
}

/* A time of a motion: between the points low and high, at this part of the way; high < low: there is no motion. */
typedef struct {
    int low, high;
    double part; /* 0 .. 1 */
} motion_place;

/* Returns where time t, s, is among the points of obstacle o's motion. */
PIO_FN motion_place motion_place_of(const contact_pose_args *a, int o, double t)
{
    motion_place at;
    at.low = a->motion_start[o];
    at.high = a->motion_start[o + 1] - 1;
    at.part = 0;
    if (at.high < at.low) return at;
    while (at.high - at.low > 1) { /* low is at or before t, or the first */
        const int middle = at.low + (at.high - at.low) / 2;
        if (motion_time(a, middle) <= t)
            at.low = middle;
        else
            at.high = middle;
    }
    const double from = motion_time(a, at.low), to = motion_time(a, at.high);
    if (to > from) at.part = (t - from) / (to - from);
    at.part = at.part < 0 ? 0 : at.part > 1 ? 1 : at.part;
    return at;
}

/* Sets the motion of obstacle o at time t, s: straight between points, at rest before the first and after the last; 0
 * without points. out[MOTION_TIME] is not t where it rests. */
PIO_FN void motion_at(const contact_pose_args *a, int o, double t, wide out[MOTION_NUMBERS])
{
    const motion_place at = motion_place_of(a, o, t);
    for (int k = 0; k < MOTION_NUMBERS; k++) out[k] = W(0);
    if (at.high < at.low) return;
    const wide *from = a->motion + (ptrdiff_t)at.low * MOTION_NUMBERS,
               *to = a->motion + (ptrdiff_t)at.high * MOTION_NUMBERS;
    for (int k = 0; k < MOTION_NUMBERS; k++) out[k] = from[k] + W(at.part) * (to[k] - from[k]);
}

/* Adjoint of motion_at by shifts and angles: adds to the cotangents of the points [points][MOTION_NUMBERS]. */
PIO_FN void motion_at_adj(const contact_pose_args *a, int o, double t, const wide out_bar[MOTION_NUMBERS],
                          wide *motion_bar)
{
    const motion_place at = motion_place_of(a, o, t);
    if (at.high < at.low) return;
    wide *from = motion_bar + (ptrdiff_t)at.low * MOTION_NUMBERS,
         *to = motion_bar + (ptrdiff_t)at.high * MOTION_NUMBERS;
    for (int k = MOTION_SHIFT; k < MOTION_NUMBERS; k++) {
        from[k] += W(1 - at.part) * out_bar[k];
        to[k] += W(at.part) * out_bar[k];
    }
}

/* Adjoint of the difference of motion_at at two times, s, divided by `span`, s: what the two times give to one point is
 * put together first, as it cancels but for a part of span. */
PIO_FN void motion_rate_adj(const contact_pose_args *a, int o, const double time[2], double span,
                            const wide out_bar[MOTION_NUMBERS], wide *motion_bar)
{
    const motion_place p = motion_place_of(a, o, time[0]), q = motion_place_of(a, o, time[1]);
    const int point[4] = {p.low, p.high, q.low, q.high};
    double weight[4] = {p.part - 1, -p.part, 1 - q.part, q.part};
    if (p.high < p.low) return;
    for (int i = 0; i < 4; i++) {
        wide *to = motion_bar + (ptrdiff_t)point[i] * MOTION_NUMBERS;
        for (int j = i + 1; j < 4; j++) {
            if (point[j] != point[i]) continue;
            weight[i] += weight[j];
            weight[j] = 0;
        }
        for (int k = MOTION_SHIFT; k < MOTION_NUMBERS; k++) to[k] += W(weight[i] / span) * out_bar[k];
    }
}

/* Returns component k of the axis about which obstacle o's motion turns it, of unit length; in 2D there is one. */
PIO_FN double motion_axis(const contact_pose_args *a, int o, int k)
{
    return OBSTACLE_TURNS == 1 ? 1 : a->axis[3 * o + k];
}

/* Returns the turn of obstacle o's motion by this angle, rad, about its axis. */
PIO_FN turn_matrix motion_turn(const contact_pose_args *a, int o, wide angle)
{
    wide r[OBSTACLE_TURNS];
    for (int k = 0; k < OBSTACLE_TURNS; k++) r[k] = angle * W(motion_axis(a, o, k));
    return turn_of(r);
}

/* Sets the rotation parameters of obstacle o, rad; the turn of its motion comes after them. */
PIO_FN void obstacle_rotation(const contact_pose_args *a, int o, wide r[OBSTACLE_TURNS])
{
    for (int k = 0; k < OBSTACLE_TURNS; k++) r[k] = a->parameters[obstacle_at(a->obstacles, OBSTACLE_ROTATION + k, o)];
}

/* Returns the time of the step at this fraction of it, s. */
PIO_FN double pose_time(const contact_pose_args *a, double fraction)
{
    return ((double)*a->index + fraction) * a->dt;
}

/* Sets the pose of obstacle o at a time of the step, its parameters followed by its motion, and its velocities, the
 * differences of its motion over a span of the step divided by its length. */
PIO_FN void contact_pose(int o, const contact_pose_args *a)
{
    wide now[MOTION_NUMBERS], first[MOTION_NUMBERS], last[MOTION_NUMBERS];
    const double start_time = pose_time(a, a->from), span = a->dt * (a->to - a->from);
    obstacle_pose *to = a->pose + o;
    wide r[OBSTACLE_TURNS];
    motion_at(a, o, pose_time(a, a->at), now);
    motion_at(a, o, start_time, first);
    motion_at(a, o, start_time + span, last);
    obstacle_rotation(a, o, r);
    const turn_matrix start = turn_of(r), moved = motion_turn(a, o, now[MOTION_ANGLE]);
    const wide rate = (last[MOTION_ANGLE] - first[MOTION_ANGLE]) / W(span);
    for (int i = 0; i < DIM; i++) {
        to->centre[i] = a->parameters[obstacle_at(a->obstacles, i, o)] + now[MOTION_SHIFT + i];
        to->velocity.x[i] = R((last[MOTION_SHIFT + i] - first[MOTION_SHIFT + i]) / W(span));
        for (int j = 0; j < DIM; j++) {
            wide sum = W(0);
            for (int k = 0; k < DIM; k++) sum += moved.m[i][k] * start.m[k][j];
            to->turn.m[i][j] = R(sum);
            to->spin.m[i][j] = R(0);
        }
    }
#if PIO_DIM == 3
    for (int i = 0; i < 3; i++) {
        to->spin.m[i][(i + 1) % 3] = R(-rate * W(a->axis[3 * o + (i + 2) % 3]));
        to->spin.m[i][(i + 2) % 3] = R(rate * W(a->axis[3 * o + (i + 1) % 3]));
    }
#else
    to->spin.m[0][1] = R(-rate);
    to->spin.m[1][0] = R(rate);
#endif
    to->scale = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_SCALE, o)]);
    to->grip.friction = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_FRICTION, o)]);
    to->grip.friction_velocity = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_FRICTION_VELOCITY, o)]);
    to->grip.separation_velocity = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_SEPARATION_VELOCITY, o)]);
    to->grip.stiffness = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_STIFFNESS, o)]);
    to->grip.distance = R(a->parameters[obstacle_at(a->obstacles, OBSTACLE_DISTANCE, o)]);
}

/* Adds to the cotangents of the points of obstacle o's motion; `out` [OBSTACLE_PARAMETERS] are those of its pose. The
 * place has the shift, a small rotation e the change of the angle about the axis, and velocities the differences over
 * the span. */
PIO_FN void contact_motion_adj(const contact_pose_adj_args *b, int o, const wide out[OBSTACLE_PARAMETERS])
{
    const contact_pose_args *a = &b->fwd;
    const double start = pose_time(a, a->from), span = a->dt * (a->to - a->from);
    const double ends[2] = {start, start + span};
    wide now[MOTION_NUMBERS], rate[MOTION_NUMBERS];
    for (int k = 0; k < MOTION_NUMBERS; k++) now[k] = rate[k] = W(0);
    for (int i = 0; i < DIM; i++) {
        now[MOTION_SHIFT + i] = out[i];
        rate[MOTION_SHIFT + i] = out[OBSTACLE_VELOCITY + i];
    }
    for (int k = 0; k < OBSTACLE_TURNS; k++) {
        now[MOTION_ANGLE] += W(motion_axis(a, o, k)) * out[OBSTACLE_ROTATION + k];
        rate[MOTION_ANGLE] += W(motion_axis(a, o, k)) * out[OBSTACLE_SPIN + k];
    }
    motion_at_adj(a, o, pose_time(a, a->at), now, b->motion_bar);
    motion_rate_adj(a, o, ends, span, rate, b->motion_bar);
}

/* Adjoint of contact_pose for obstacle o: adds to the cotangents of its parameters and motion. That of the small turn
 * e after Q is brought to the rotation vector by the transpose of its left Jacobian and of the motion's turn. */
PIO_FN void contact_pose_adj(int o, const contact_pose_adj_args *b)
{
    const int n = b->fwd.obstacles;
    wide out[OBSTACLE_PARAMETERS];
    for (int k = 0; k < OBSTACLE_PARAMETERS; k++) out[k] = b->pose_bar[obstacle_at(n, k, o)];
    if (b->motion_bar) contact_motion_adj(b, o, out);
#if PIO_DIM == 3
    wide r[3], turned[3], now[MOTION_NUMBERS];
    obstacle_rotation(&b->fwd, o, r);
    motion_at(&b->fwd, o, pose_time(&b->fwd, b->fwd.at), now);
    const turn_factors f = turn_factors_of(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const turn_matrix left = turn_series(r, f.cosine, f.rest), moved = motion_turn(&b->fwd, o, now[MOTION_ANGLE]);
    for (int i = 0; i < 3; i++) {
        turned[i] = W(0);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) turned[i] += left.m[j][i] * moved.m[k][j] * out[OBSTACLE_ROTATION + k];
    }
    for (int i = 0; i < 3; i++) out[OBSTACLE_ROTATION + i] = turned[i];
#endif
    for (int k = 0; k < OBSTACLE_VELOCITY; k++) b->parameters_bar[obstacle_at(n, k, o)] += out[k];
}

#endif
