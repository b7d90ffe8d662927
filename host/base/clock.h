/* clock.h -- how long something takes. */
#ifndef PIOLA_HOST_CLOCK_H
#define PIOLA_HOST_CLOCK_H

double pio_clock(void); /* s, steady; any thread may ask */

#endif
