/* repulsion.h -- the kernel whose sum over the volumes of a body says how deep a point is inside it, a pure function
 * with its derivatives.
 *
 * In units of a length h of the scene, the spacing of a grid, with R = 3/2 and y from a particle of volume V to the
 * point,
 *
 *     W(y) = c (1 - y^2/R^2)^3 within R, else 0;  c = 4/(pi R^2) in 2D, 315/(64 pi R^3) in 3D: the integral is 1
 *
 * So S = sum V W/h^DIM is 1 deep inside a body, 0 outside, and at a flat surface 1/2 with the slope
 * w = integral of W over the surface, 32 c R/35 in 2D, pi c R^2/4 in 3D. The depth of a particle is
 * s = h (S - 2/5)/w, so that it touches a flat surface from a distance of h/10/w, about an eighth of h. (With
 * S - 1/2 + w r/h, r half the edge of a particle's cube, particles touch when their cubes do; but turned lattices then
 * leave twice the spin in oblique impacts.) */
#ifndef PIOLA_KERNELS_REPULSION_H
#define PIOLA_KERNELS_REPULSION_H

#include "kernels/contact/obstacle_push.h"

#define REPULSION_REACH R(1.5)
#if PIO_DIM == 3
#define REPULSION_SCALE R(0.46420191735136146) /* c */
#define REPULSION_SURFACE R(0.8203125)         /* w */
#else
#define REPULSION_SCALE R(0.5658842421045168)
#define REPULSION_SURFACE R(0.7760698177433372)
#endif

/* W at a place y, its gradient `first` y and its second derivative `first` 1 + `second` y y^T. */
typedef struct {
    real value, first, second;
} repulsion_kernel;

/* Returns them for y, in spacings; 0 beyond the reach. */
PIO_FN repulsion_kernel repulsion_kernel_of(vec y)
{
    const real inverse = R(1) / (REPULSION_REACH * REPULSION_REACH), u = R(1) - vec_dot(y, y) * inverse;
    repulsion_kernel k;
    k.value = k.first = k.second = R(0);
    if (!(u > R(0))) return k;
    k.value = REPULSION_SCALE * u * u * u;
    k.first = R(-6) * REPULSION_SCALE * inverse * u * u;
    k.second = R(24) * REPULSION_SCALE * inverse * inverse * u;
    return k;
}

/* Returns the depth of a particle where the sum is S, m; negative where it does not touch; h, m. */
PIO_FN real repulsion_depth(real S, real h)
{
    return h * (S - R(0.4)) / REPULSION_SURFACE;
}

#endif
