/* engines.c -- see engines.h. */
#include "host/run/engines.h"

#include "host/base/fail.h"
#include "host/base/modules.h"
#include "host/scene/words.h"
#include "piola.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Instruction sets of CPU engines, the best first. */
#if defined(__x86_64__)
static const char *const isas[] = {"x86-64-v4", "x86-64-v3"};
#elif defined(__aarch64__)
static const char *const isas[] = {"aarch64"};
#else
static const char *const isas[] = {"native"};
#endif
enum { ISAS = sizeof isas / sizeof *isas };

const char *pio_engine_isa(int i)
{
    return i >= 0 && i < ISAS ? isas[i] : NULL;
}

static void name_cpu(char name[64], const char *precision, int dimension, const char *isa)
{
    snprintf(name, 64, "cpu_%s_%dd_%s", precision, dimension, isa);
}

/* Returns whether this processor has the instructions of a module. It is tested before any code of the module runs: all
 * of that is built for its instruction set, so that calling it could be an illegal instruction. */
static bool processor_has(const char *name)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strstr(name, "x86-64-v4")) return __builtin_cpu_supports("x86-64-v4");
    if (strstr(name, "x86-64-v3")) return __builtin_cpu_supports("x86-64-v3");
#else
    (void)name;
#endif
    return true;
}

piola_status pio_engine_open_module(pio_engine_module *out, const char *name, piola_error *error)
{
    char folder[PIO_PATH], base[128];
    *out = (pio_engine_module){0};
    if (!processor_has(name))
        return pio_fail(error, PIOLA_UNAVAILABLE, "this processor cannot run %s, which needs %s", name,
                        strstr(name, "x86-64-v4") ? "AVX-512" : "AVX2 and FMA");
    pio_module_folder(folder, sizeof folder);
    snprintf(base, sizeof base, "piola_engine_%.80s.so", name);
    if (!folder[0] || !pio_path_join(out->file, sizeof out->file, folder, base))
        return pio_fail(error, PIOLA_UNAVAILABLE, "the name of the folder of the engines is longer than %d bytes",
                        PIO_PATH - 128);
    if (access(out->file, R_OK)) return pio_fail(error, PIOLA_UNAVAILABLE, "there is no %s", out->file);
    out->handle = dlopen(out->file, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) return pio_fail(error, PIOLA_UNAVAILABLE, "%s", dlerror());
    out->table = dlsym(out->handle, "piola_engine");
    out->fem = dlsym(out->handle, "piola_engine_fem");
    piola_status rc = PIOLA_OK;
    if (!out->table || !out->fem || out->fem->version != PIO_ENGINE_VERSION || out->fem->size != sizeof(pio_engine) ||
        out->table->version != PIO_ENGINE_VERSION || out->table->size != sizeof(pio_engine))
        rc = pio_fail(error, PIOLA_UNAVAILABLE, "%s is of another build of Piola", out->file);
    else
        rc = out->table->probe(0, out->device, out->driver, error);
    if (!rc &&
        piola_refused_bytes()) /* then the name of the device, by which records identify the machine, may be absent */
        rc = pio_fail_memory(error, piola_refused_bytes(), "an engine");
    if (rc) pio_engine_close(out);
    return rc;
}

static piola_status try_cpu(pio_engine_module *out, const char *precision, int dimension, piola_error *error)
{
    char skipped[400] = "";
    for (int i = 0; i < ISAS; i++) {
        char name[64];
        piola_error inner;
        name_cpu(name, precision, dimension, isas[i]);
        if (!pio_engine_open_module(out, name, &inner)) {
            snprintf(out->why, sizeof out->why, "the best instruction set that runs here is %s", out->table->isa);
            return PIOLA_OK;
        }
        snprintf(skipped + strlen(skipped), sizeof skipped - strlen(skipped), "%s%.180s", i ? "; " : "", inner.message);
    }
    return pio_fail(error, PIOLA_UNAVAILABLE, "no CPU engine runs: %s", skipped);
}

/* Opens the engine of that instruction set and no other. */
static piola_status pin_cpu(pio_engine_module *out, const char *precision, int dimension, const char *isa,
                            piola_error *error)
{
    char name[64], there[400] = "";
    piola_error inner = {0};
    bool known = false;
    for (int i = 0; i < ISAS; i++) known |= !strcmp(isas[i], isa);
    if (known) {
        name_cpu(name, precision, dimension, isa);
        if (!pio_engine_open_module(out, name, &inner)) {
            snprintf(out->why, sizeof out->why, "--isa requests %s", out->table->isa);
            return PIOLA_OK;
        }
    }
    for (int i = 0; i < ISAS; i++) {
        pio_engine_module other;
        const size_t used = strlen(there);
        name_cpu(name, precision, dimension, isas[i]);
        const bool runs = !pio_engine_open_module(&other, name, NULL);
        if (runs) pio_engine_close(&other);
        snprintf(there + used, sizeof there - used, "%s%s%s", i ? ", " : "", isas[i],
                 runs ? "" : " (does not run here)");
    }
    return pio_fail(error, PIOLA_UNAVAILABLE, "--isa %.60s: %s%s; there are: %s", isa,
                    known ? "" : "there is no such instruction set", inner.message, there);
}

static piola_status try_cuda(pio_engine_module *out, const char *precision, int dimension, piola_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "cuda_%s_%dd", precision, dimension);
    return pio_engine_open_module(out, name, error);
}

piola_status pio_engine_open(pio_engine_module *out, const char *device, const char *isa, const char *precision,
                             int dimension, piola_error *error)
{
    piola_error cuda = {0};
    if (isa && !strcmp(device, "cuda"))
        return pio_fail(error, PIOLA_USAGE,
                        "--isa %.60s is an instruction set of CPUs; with --device cuda it does nothing", isa);
    if (isa && (!strcmp(device, "cpu") || !strcmp(device, "auto")))
        return pin_cpu(out, precision, dimension, isa, error);
    if (!strcmp(device, "cpu")) return try_cpu(out, precision, dimension, error);
    if (strcmp(device, "cuda") && strcmp(device, "auto"))
        return pio_fail(error, PIOLA_USAGE, "unknown device '%s': auto, cpu or cuda", device);
    piola_status rc = try_cuda(out, precision, dimension, &cuda);
    if (!rc) {
        snprintf(out->why, sizeof out->why, "a CUDA engine and %.120s are there", out->device);
        return PIOLA_OK;
    }
    if (!strcmp(device, "cuda"))
        return pio_fail(error, PIOLA_UNAVAILABLE, "device cuda was requested: %s; use device cpu or auto",
                        cuda.message);
    rc = try_cpu(out, precision, dimension, error);
    if (!rc) {
        char cpu[200];
        snprintf(cpu, sizeof cpu, "%.190s", out->why);
        snprintf(out->why, sizeof out->why, "no CUDA (%.200s); %s", cuda.message, cpu);
    }
    return rc;
}

void pio_engine_close(pio_engine_module *engine)
{
    if (engine->handle) dlclose(engine->handle);
    *engine = (pio_engine_module){0};
}

piola_status pio_engine_hold(const pio_engine_module *engine, void **held, piola_error *error)
{
    *held = dlopen(engine->file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); /* the module that is there, once more */
    if (*held) return PIOLA_OK;
    const char *why = dlerror();
    return pio_fail(error, PIOLA_UNAVAILABLE, "%s cannot be kept loaded%s%s", engine->file, why ? ": " : "",
                    why ? why : "");
}

void pio_engine_let_go(void *held)
{
    if (held) dlclose(held);
}

int pio_engine_list(int i, char name[64], bool *runs, char reason[512], char device[128])
{
    const int kinds = 1 + ISAS;
    if (i < 0 || i >= 4 * kinds) return 0;
    const char *precision = pio_precision_words[i % 2];
    const int dimension = 2 + i / 2 % 2, kind = i / 4;
    pio_engine_module module;
    piola_error error = {0};
    if (kind == 0)
        snprintf(name, 64, "cuda_%s_%dd", precision, dimension);
    else
        name_cpu(name, precision, dimension, isas[kind - 1]);
    *runs = pio_engine_open_module(&module, name, &error) == PIOLA_OK;
    snprintf(reason, 512, "%.500s", *runs ? "" : error.message);
    snprintf(device, 128, "%s", *runs ? module.device : "");
    if (*runs) pio_engine_close(&module);
    return 1;
}
