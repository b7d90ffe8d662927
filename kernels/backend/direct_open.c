/* direct_open.c -- see direct.h. */
#include "kernels/backend/direct.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the engine, or of the program that it is linked with. */
static int folder_of_this(char *out, size_t size)
{
    static const char here = 0;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname) return 0;
    snprintf(out, size, "%s", info.dli_fname);
    char *slash = strrchr(out, '/');
    if (!slash) return snprintf(out, size, ".") > 0;
    *slash = '\0';
    return 1;
}

const pio_direct_table *pio_direct_open(const char *name, char *message)
{
    char folder[900], file[1024];
    if (!folder_of_this(folder, sizeof folder)) {
        snprintf(message, PIO_DIRECT_TEXT, "the engine's folder is not known");
        return NULL;
    }
    snprintf(file, sizeof file, "%s/piola_direct_%.40s.so", folder, name);
    if (access(file, R_OK)) {
        snprintf(message, PIO_DIRECT_TEXT, "there is no %.200s", file);
        return NULL;
    }
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const pio_direct_table *table = handle ? dlsym(handle, "piola_direct") : NULL;
    if (!table) {
        const char *why = dlerror();
        snprintf(message, PIO_DIRECT_TEXT, "%.250s", why ? why : file);
        return NULL;
    }
    if (table->version != PIO_DIRECT_VERSION || table->size != sizeof *table) {
        snprintf(message, PIO_DIRECT_TEXT, "%.200s is of another build of Piola", file);
        return NULL;
    }
    return table;
}
