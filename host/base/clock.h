/* clock.h -- how long something takes. */
#ifndef PIOLA_HOST_CLOCK_H
#define PIOLA_HOST_CLOCK_H

/* Returns the time of a steady clock in seconds; its origin is arbitrary. Any thread may call it. */
double pio_clock(void);

#endif
