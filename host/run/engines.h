/* engines.h -- finding and opening the engine that a run asks for. */
#ifndef PIOLA_HOST_ENGINES_H
#define PIOLA_HOST_ENGINES_H

#include "host/base/path.h"
#include "solvers/engine/engine.h"

typedef struct {
    const pio_engine *table; /* of particles, until somebody sets it to the next */
    const pio_engine *fem;   /* of meshes */
    void *handle;
    char file[PIO_PATH]; /* of the module */
    char device[128], driver[64];
    char why[512]; /* why this one: one sentence */
} pio_engine_module;

/* device: "auto", "cpu" or "cuda"; isa: NULL, or the instruction set of the CPU engine, which then is taken or none
 * (with "auto" no GPU is); precision: "f32" or "f64". `auto` takes CUDA when an engine and a GPU are there, else the
 * CPU engine for the best instruction set that runs, and says so in `why`; "cuda" never falls back. Modules lie beside
 * the program or the shared library, in the folder `piola` of installed libraries, or in the folder that PIOLA_ENGINES
 * names. */
piola_status pio_engine_open(pio_engine_module *out, const char *device, const char *isa, const char *precision,
                             int dimension, piola_error *error);
void pio_engine_close(pio_engine_module *engine);
/* One module by its name, as pio_engine_list gives it. */
piola_status pio_engine_open_module(pio_engine_module *out, const char *name, piola_error *error);
/* Instruction sets of CPU engines of this build, the best first; NULL past the last. */
const char *pio_engine_isa(int i);
/* The folder where modules are looked for, "" where its name does not fit: that of PIOLA_ENGINES, else the first of the
 * shared library's (or, without one, the program's), its sub-folder `piola`, and ../lib/piola, that has engines; the
 * first when none has. */
void pio_engine_folder(char *out, size_t size);

/* For `piola doctor`: every combination that could be, whether its module is there and runs, and why not. Returns 0
 * past the last. */
int pio_engine_list(int i, char name[64], bool *runs, char reason[512], char device[128]);

#endif
