/* student.h -- quantiles of Student's distribution. */
#ifndef PIOLA_HOST_STUDENT_H
#define PIOLA_HOST_STUDENT_H

/* Returns the t that |T| does not exceed with the given probability, in (0, 1), for T of Student's distribution with
 * `degrees` >= 1 degrees of freedom. */
double pio_student(double probability, int degrees);

#endif
