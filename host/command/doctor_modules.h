/* doctor_modules.h -- the optional modules: what Piola can do with libraries that need not be there. */
#ifndef PIOLA_HOST_DOCTOR_MODULES_H
#define PIOLA_HOST_DOCTOR_MODULES_H

#include "host/base/json.h"
#include "host/base/modules.h"

enum { PIO_DOCTOR_MODULES = 5 };

typedef struct {
    const char *library, *brings; /* what it is linked with; what it is for */
    /* Debian's packages with what it needs to run, and to be built */
    const char *package, *build_package;
    bool found;
    char why[PIO_MODULE_TEXT]; /* it is not found */
} pio_doctor_module;

/* Opens each module and reports whether it can be used. */
void pio_doctor_modules_find(pio_doctor_module out[PIO_DOCTOR_MODULES]);
/* Prints them as a table. */
void pio_doctor_modules_print(const pio_doctor_module *modules);
/* Writes them as the member `modules`. */
void pio_doctor_modules_json(const pio_doctor_module *modules, pio_json *json);

#endif
