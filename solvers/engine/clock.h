/* clock.h -- how long something takes: the one clock of engines, the driver and the host. */
#ifndef PIOLA_SOLVERS_CLOCK_H
#define PIOLA_SOLVERS_CLOCK_H

/* Returns seconds on the system's steady clock; any thread may call it. */
double pio_clock(void);

#endif
