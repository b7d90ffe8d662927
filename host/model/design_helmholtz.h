/* design_helmholtz.h -- the filter of a design field by a differential equation (Lazarov and Sigmund 2011). */
#ifndef PIOLA_HOST_DESIGN_HELMHOLTZ_H
#define PIOLA_HOST_DESIGN_HELMHOLTZ_H

#include "host/model/design_map.h"

/* Makes the filter of a field of elements, a function of the host that solves
 *
 *     -r^2 div grad u + u = x,   r = radius/(2 sqrt 3),   no flux through the boundary of the field,
 *
 * by finite volumes (Eymard, Gallouet and Herbin 2000): with V_e the volume of an element, A the area of a face and d
 * the distance between the means of the nodes of its two elements,
 *
 *     V_e u_e + sum_faces r^2 A/d (u_e - u_f) = V_e x_e.
 *
 * The matrix is symmetric and has no positive number beside its diagonal, so that u lies within the least and the
 * greatest x, and the integral of the field stays. It is solved by conjugate gradients with the diagonal as
 * preconditioner, by one thread, until the residual is 1e-14 of the right-hand side. index[e] is the number in the map
 * of element e of the model, or -1; the radius is in m; the map is copied. Returns PIOLA_NO_MEMORY or
 * PIOLA_INTERRUPTED; *out, which may be NULL, is to be freed in any case by pio_filter_free(). */
piola_status pio_helmholtz_filter(pio_filter_desc **out, const pio_design_map *map, const pio_model *model,
                                  const int32_t *index, double radius, piola_error *error);

#endif
