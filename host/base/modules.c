/* modules.c -- see modules.h. */
#include "host/base/modules.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path from the folder of programs to the installed libraries; the build of a package defines it. */
#ifndef PIO_FROM_PROGRAMS
#define PIO_FROM_PROGRAMS "../lib/piola"
#endif

/* Writes the folder of the shared library with this code, or else of the program. Returns false if it does not fit. */
static bool own_folder(char *out, size_t size)
{
    static const char here = 0;
    Dl_info info;
    const bool found = dladdr(&here, &info) && info.dli_fname && strrchr(info.dli_fname, '/');
    if (found && strstr(strrchr(info.dli_fname, '/'), ".so")) {
        if ((size_t)snprintf(out, size, "%s", info.dli_fname) >= size) return false;
    } else {
        const ssize_t n = readlink("/proc/self/exe", out, size - 1);
        if (n <= 0 || (size_t)n >= size - 1) return false; /* a path that fills the buffer may be truncated */
        out[n] = '\0';
    }
    char *slash = strrchr(out, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

/* Returns whether the folder has a CPU engine in f64 and 2D, as each build has. */
static bool has_engines(const char *folder)
{
    static const char engine[] = "piola_engine_cpu_f64_2d_";
    bool found = false;
    DIR *entries = opendir(folder);
    for (const struct dirent *e; entries && !found && (e = readdir(entries));)
        found = !strncmp(e->d_name, engine, sizeof engine - 1);
    if (entries) closedir(entries);
    return found;
}

void pio_module_folder(char *out, size_t size)
{
    static const char *const below[] = {
        "piola", PIO_FROM_PROGRAMS}; /* relative to an installed library, to an installed command */
    const char *given = getenv("PIOLA_ENGINES");
    if (given && *given) {
        if ((size_t)snprintf(out, size, "%s", given) >= size) out[0] = '\0';
        return;
    }
    char own[PIO_PATH];
    if (!own_folder(own, sizeof own) || (size_t)snprintf(out, size, "%s", own) >= size) {
        out[0] = '\0';
        return;
    }
    for (size_t i = 0; i < sizeof below / sizeof *below && !has_engines(out); i++) {
        char installed[PIO_PATH], *real = NULL; /* real: without `..` */
        if (pio_path_join(installed, sizeof installed, own, below[i]) && has_engines(installed))
            real = realpath(installed, NULL);
        if (real && strlen(real) < size) memcpy(out, real, strlen(real) + 1);
        free(real);
    }
}

const void *pio_module_open(const char *folder, const char *kind, const char *name, pio_module_head wanted,
                            char *message)
{
    char base[128], symbol[64], file[PIO_PATH];
    snprintf(base, sizeof base, "piola_%.20s_%.40s.so", kind, name);
    snprintf(symbol, sizeof symbol, "piola_%.20s", kind);
    if (!pio_path_join(file, sizeof file, folder, base) || access(file, R_OK)) {
        snprintf(message, PIO_MODULE_TEXT, "there is no %.400s", file);
        return NULL;
    }
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const pio_module_head *head = handle ? dlsym(handle, symbol) : NULL;
    if (!head) {
        const char *why = dlerror();
        snprintf(message, PIO_MODULE_TEXT, "%.500s", why ? why : file);
        return NULL;
    }
    if (wanted.version == 0 || (head->version == wanted.version && head->size == wanted.size)) return head;
    snprintf(message, PIO_MODULE_TEXT, "%.400s is of another build of Piola", file);
    return NULL;
}
