/* plane.h -- what a two-dimensional body is of one in space. */
#ifndef PIOLA_KERNELS_PLANE_H
#define PIOLA_KERNELS_PLANE_H

/* A slice whose third direction does not stretch, F33 = 1; a sheet, F33 such that no stress is across it; a ring, whose
 * section lies in the plane of radius x and axis y, F33 = 1 + u_x/x. */
typedef enum { PIO_PLANE_STRAIN, PIO_PLANE_STRESS, PIO_AXISYMMETRIC } pio_plane_state;

#endif
