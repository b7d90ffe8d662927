/* module_open.c -- see direct.h, eigen.h and product.h. A module of kind K and name N is the file piola_K_N.so, which
 * exports the table piola_K; every such table begins with its version and its size. */
#include "kernels/backend/eigen.h"
#include "kernels/backend/product.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint32_t version, size;
} table_head;

/* The folder of the engine, or of the program that it is linked with. */
static int folder_of_this(char *out, size_t size)
{
    static const char here = 0;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname) return 0;
    if ((size_t)snprintf(out, size, "%s", info.dli_fname) >= size) return 0;
    char *slash = strrchr(out, '/');
    if (!slash) return snprintf(out, size, ".") > 0;
    *slash = '\0';
    return 1;
}

static const void *open_module(const char *kind, const char *name, table_head wanted, char *message)
{
    char folder[PATH_MAX], file[PATH_MAX + 80], symbol[64];
    if (!folder_of_this(folder, sizeof folder)) {
        snprintf(message, PIO_DIRECT_TEXT, "the engine's folder is not known");
        return NULL;
    }
    snprintf(file, sizeof file, "%s/piola_%.20s_%.40s.so", folder, kind, name);
    snprintf(symbol, sizeof symbol, "piola_%.20s", kind);
    if (access(file, R_OK)) {
        snprintf(message, PIO_DIRECT_TEXT, "there is no %.200s", file);
        return NULL;
    }
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const table_head *table = handle ? dlsym(handle, symbol) : NULL;
    if (!table) {
        const char *why = dlerror();
        snprintf(message, PIO_DIRECT_TEXT, "%.250s", why ? why : file);
        return NULL;
    }
    if (table->version != wanted.version || table->size != wanted.size) {
        snprintf(message, PIO_DIRECT_TEXT, "%.200s is of another build of Piola", file);
        return NULL;
    }
    return table;
}

const pio_direct_table *pio_direct_open(const char *name, char *message)
{
    return open_module("direct", name, (table_head){PIO_DIRECT_VERSION, sizeof(pio_direct_table)}, message);
}

const pio_eigen_table *pio_eigen_open(const char *name, char *message)
{
    return open_module("eigen", name, (table_head){PIO_EIGEN_VERSION, sizeof(pio_eigen_table)}, message);
}

const pio_product_table *pio_product_open(const char *name, char *message)
{
    return open_module("product", name, (table_head){PIO_PRODUCT_VERSION, sizeof(pio_product_table)}, message);
}
