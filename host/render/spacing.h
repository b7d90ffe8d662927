/* spacing.h -- how far apart particles are. */
#ifndef PIOLA_HOST_SPACING_H
#define PIOLA_HOST_SPACING_H

#include <stddef.h>

/* Returns the distance of neighbouring particles that would fill their volume evenly, m, estimated from the finite ones
 * of points[n][3] (m); 0 if they have one place, or without memory. */
double pio_survey_spacing(const double *points, size_t n, int dimension);

#endif
