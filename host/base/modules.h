/* modules.h -- loadable modules: the engines, and libraries that stand behind tables of functions. */
#ifndef PIOLA_HOST_MODULES_H
#define PIOLA_HOST_MODULES_H

#include "host/base/path.h"
#include "piola_status.h"

enum { PIO_MODULE_TEXT = 512 }; /* bytes of a message */

/* The head of every table that a module exports. */
typedef struct {
    uint32_t version, size;
} pio_module_head;

/* Writes the folder of the modules to out[size], "" if it does not fit: that of PIOLA_ENGINES; otherwise the first that
 * has engines of the folder of the shared library (or, without one, of the program), its sub-folder `piola`, and
 * ../lib/piola; the first of them if none has engines. */
void pio_module_folder(char *out, size_t size);
/* Opens the module piola_KIND_NAME.so in a folder and returns the table that it exports as `piola_KIND`, or NULL with
 * the reason in message[PIO_MODULE_TEXT]; wanted.version 0: of any version. It stays open as long as the process. */
const void *pio_module_open(const char *folder, const char *kind, const char *name, pio_module_head wanted,
                            char *message);

#endif
