/* fault.h -- failures of a device that a test injects (tests/system/fault_shim.c). */
#ifndef PIOLA_KERNELS_BACKEND_FAULT_H
#define PIOLA_KERNELS_BACKEND_FAULT_H

/* A library that is loaded before the program may define it; else it is NULL. It is called before a device "allocate"s
 * and before each "launch" of a kernel or a copy: a code other than 0 is the failure of that. */
__attribute__((weak, visibility("default"))) extern int pio_device_fault(const char *what);

#endif
