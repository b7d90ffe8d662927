/* fault_left.h -- what a program has not given back when it ends: the part of fault_shim.c that looks for it.
 *
 *     PIOLA_FAULT_LEFT=1       at a normal end the file of PIOLA_FAULT_LOG gets the lines
 *                                left descriptor 1 PATH     a descriptor that main() opened and left open
 *                                left map BYTES bytes       what it mapped and did not unmap
 *                                left stream N of stdio     streams that it opened and did not close, those in memory
 *                                too
 *                                left identifier N KIND     identifiers of HDF5 that live; some are the library's own
 *                                left kept N KIND           how many of those HDF5 has failed to close
 *                                module BASE FILE           where a module lay that was unloaded, hexadecimal
 *                                searched 0|1               LeakSanitizer, where it is loaded too, has found lost
 *                                memory
 *     PIOLA_FAULT_FORGET=NAME  free (of 4 KiB and more), munmap, close, fclose or a close of HDF5 does nothing:
 *     something that is
 *                              to be found */
#ifndef FAULT_LEFT_H
#define FAULT_LEFT_H

#include <stdbool.h>
#include <stddef.h>

/* Append a line, with its end, to the file of PIOLA_FAULT_LOG; without memory. Failures end the process or are
 * silent. */
void fault_log(const char *text);

/* main() begins: what is open already is not counted. */
void left_begin(void);

/* `size` bytes were mapped at `at`, by a call of this program's. */
void left_mapped(void *at, size_t size);

/* A stream of stdio was opened (1) or closed (-1). */
void left_stream(int change);

/* Whether a call of this name is to do nothing. */
bool left_forgets(const char *call);

/* main() is over: log descriptors, maps, streams and identifiers. */
void left_report(void);

/* The process ends, after all that runs at its end: let LeakSanitizer look for lost memory, and log whether there is
 * any. */
void left_search(void);

#endif
