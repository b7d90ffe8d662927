/* mpm_fenced.h -- a simulation of particles on a CPU backend whose memory lies between pages that fault. */
#ifndef PIOLA_TESTS_MPM_FENCED_H
#define PIOLA_TESTS_MPM_FENCED_H

#include "solvers/mpm/mpm_create.h"
#include "tests/solvers/mpm/mpm_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t fenced_pages(size_t bytes)
{
    return (bytes + page_size() - 1) / page_size() * page_size();
}

/* The last byte is the last of its page; arena sizes are multiples of 256, so that the start is aligned. */
static int fenced_allocate(size_t bytes, void **base)
{
    const size_t page = page_size(), inside = fenced_pages(bytes);
    char *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return 1;
    if (mprotect(all + page, inside, PROT_READ | PROT_WRITE)) return 1;
    *base = all + page + inside - bytes;
    return 0;
}

static void fenced_release(void *base, size_t bytes)
{
    const size_t page = page_size(), inside = fenced_pages(bytes);
    munmap((char *)base + bytes - inside - page, inside + 2 * page);
}

static pio_sim *fenced_create(mpm_case *c, int threads)
{
    static pio_backend fenced;
    piola_error error;
    pio_sim *sim = case_create(c, 0, threads); /* fills the description */
    piola_engine.destroy(sim);
    fenced = pio_backend_cpu;
    fenced.allocate = fenced_allocate;
    fenced.release = fenced_release;
    fenced.guard = NULL;
    if (mpm_create(&fenced, &c->desc, &sim, NULL, &error)) fail_msg("create: %s", error.message);
    return sim;
}

#endif
