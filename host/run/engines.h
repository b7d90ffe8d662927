/* engines.h -- finds and opens the engine of a run. */
#ifndef PIOLA_HOST_ENGINES_H
#define PIOLA_HOST_ENGINES_H

#include "host/base/path.h"
#include "solvers/engine/engine.h"

typedef struct {
    const pio_engine *table;      /* engine of particles; a session of a mesh sets it to `fem` */
    const pio_engine *fem;        /* engine of meshes */
    void *handle;                 /* the open module, for dlclose() */
    char file[PIO_PATH];          /* path of the module */
    char device[128], driver[64]; /* names of the device and of its driver */
    char why[512];                /* reason for the choice of this engine, one sentence */
} pio_engine_module;

/* Opens an engine. `device` is "auto", "cpu" or "cuda"; `isa` is NULL or the one instruction set of CPU engines that is
 * tried (with "auto" then no GPU is used); `precision` is "f32" or "f64"; `dimension` is 2 or 3. "auto" uses CUDA if
 * there are an engine and a GPU, otherwise the CPU engine for the best instruction set that runs, and `why` says so;
 * "cuda" never falls back. pio_module_folder() says where modules are. Returns PIOLA_USAGE if an argument is unknown,
 * or PIOLA_UNAVAILABLE if no such engine runs. */
piola_status pio_engine_open(pio_engine_module *out, const char *device, const char *isa, const char *precision,
                             int dimension, piola_error *error);
/* Closes the module; an empty one is allowed. */
void pio_engine_close(pio_engine_module *engine);
/* Keeps the module loaded after pio_engine_close() too, and sets *held for pio_engine_let_go(). Returns
 * PIOLA_UNAVAILABLE if the loader refuses, or PIOLA_NO_MEMORY; *held is then NULL. */
piola_status pio_engine_hold(const pio_engine_module *engine, void **held, piola_error *error);
/* Ends that; NULL is allowed. Any thread may call it. */
void pio_engine_let_go(void *held);
/* Opens one module by its name, as pio_engine_list() has it. Returns PIOLA_UNAVAILABLE if it is absent or does not run,
 * or PIOLA_NO_MEMORY. */
piola_status pio_engine_open_module(pio_engine_module *out, const char *name, piola_error *error);
/* Returns instruction set i of the CPU engines of this build, the best first; NULL past the last. */
const char *pio_engine_isa(int i);
/* Describes combination i of device, precision, dimension and instruction set, for `piola doctor`: its name, whether
 * its module runs, the reason if it does not, and its device. Returns 0 past the last, otherwise 1. */
int pio_engine_list(int i, char name[64], bool *runs, char reason[512], char device[128]);

#endif
