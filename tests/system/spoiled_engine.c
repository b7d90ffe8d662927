/* spoiled_engine.c -- an engine whose gradients are wrong by a thousandth: the negative control of `piola check`.
 *
 * The module lies in a folder of its own under the names of the engines, and PIOLA_ENGINES names that folder. It opens
 * the engine of the same name in the folder that the build names, and offers its tables; only the entry of the gradient
 * that is largest, of the normalised variables and of their values, is multiplied by 1.001. With SPOILED_EVERY=n in the
 * environment this happens in one sweep of n, the last, or the first with SPOILED_FIRST=1. */
#include "solvers/engine/engine.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double factor = 1.001;

/* The tables, which engine.h declares constant; of version 0, which no program takes, until the engine is there. */
#define EXPORTED(name) __asm__(name) __attribute__((visibility("default")))
extern pio_engine particles EXPORTED("piola_engine");
extern pio_engine meshes EXPORTED("piola_engine_fem");
pio_engine particles, meshes;

enum { PARTICLES, MESHES, METHODS };
static void *module;
static const pio_engine *engine[METHODS];

/* The simulations that there are. */
typedef struct simulation {
    struct simulation *next;
    pio_sim *sim;
    int method;
    int64_t variables;
} simulation;
static simulation *simulations;

static piola_status create(int method, const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                           piola_error *error)
{
    simulation *s = calloc(1, sizeof *s);
    if (!s) {
        if (error) *error = (piola_error){.status = PIOLA_NO_MEMORY, .message = "no memory for a simulation"};
        return PIOLA_NO_MEMORY;
    }
    const piola_status rc = engine[method]->create(desc, out, bytes, error);
    if (rc) {
        free(s);
        return rc;
    }
    *s = (simulation){.next = simulations, .sim = *out, .method = method};
    for (int d = 0; d < desc->n_designs; d++)
        s->variables += (int64_t)desc->designs[d].groups * desc->designs[d].components;
    simulations = s;
    return PIOLA_OK;
}

static piola_status create_particles(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes,
                                     piola_error *error)
{
    return create(PARTICLES, desc, out, bytes, error);
}

static piola_status create_mesh(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error)
{
    return create(MESHES, desc, out, bytes, error);
}

/* The link that points to a simulation of ours. */
static simulation **link_of(const pio_sim *sim)
{
    simulation **s = &simulations;
    while ((*s)->sim != sim) s = &(*s)->next;
    return s;
}

static void destroy(pio_sim *sim)
{
    if (!sim) return;
    simulation **link = link_of(sim), *s = *link;
    engine[s->method]->destroy(sim);
    *link = s->next;
    free(s);
}

/* Returns whether the sweep that ends is one that is spoiled. */
static bool is_spoiled(void)
{
    static int64_t sweeps;
    const char *every = getenv("SPOILED_EVERY");
    const int64_t n = every ? atoll(every) : 1;
    return sweeps++ % n == (getenv("SPOILED_FIRST") ? 0 : n - 1);
}

static piola_status adjoint_end(pio_sim *sim, double *value_bar, double *z_bar, piola_error *error)
{
    const simulation *s = *link_of(sim);
    const piola_status rc = engine[s->method]->adjoint_end(sim, value_bar, z_bar, error);
    if (rc || !z_bar || !s->variables || !is_spoiled()) return rc;
    int64_t worst = 0;
    for (int64_t v = 1; v < s->variables; v++)
        if (fabs(z_bar[v]) > fabs(z_bar[worst])) worst = v;
    z_bar[worst] *= factor;
    if (value_bar) value_bar[worst] *= factor;
    return PIOLA_OK;
}

static void take(pio_engine *out, const char *symbol, int method)
{
    const pio_engine *of = dlsym(module, symbol);
    if (!of || of->version != PIO_ENGINE_VERSION || of->size != sizeof *of) return;
    engine[method] = of;
    *out = *of;
    out->create = method == MESHES ? create_mesh : create_particles;
    out->destroy = destroy;
    out->adjoint_end = adjoint_end;
}

__attribute__((constructor)) static void open_engine(void)
{
    Dl_info here;
    char *file = NULL;
    if (!dladdr(&particles, &here) || !here.dli_fname || !strrchr(here.dli_fname, '/')) return;
    if (asprintf(&file, "%s%s", TEST_ENGINES, strrchr(here.dli_fname, '/')) < 0) return;
    module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (module) {
        take(&particles, "piola_engine", PARTICLES);
        take(&meshes, "piola_engine_fem", MESHES);
    } else {
        fprintf(stderr, "spoiled_engine: %s\n", dlerror());
    }
    free(file);
}

__attribute__((destructor)) static void close_engine(void)
{
    if (module) dlclose(module);
}
