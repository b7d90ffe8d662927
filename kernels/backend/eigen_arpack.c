/* eigen_arpack.c -- eigenvalues by ARPACK: the implicitly restarted Lanczos method, shifted and inverted (Sorensen
 * 1992; Lehoucq, Sorensen and Yang 1998, whose users' guide numbers iparam and ipntr from 1, mode 3).
 *
 * Same problem, same bits: the first vector is the caller's, and the BLAS runs one thread. ARPACK keeps variables
 * between calls, so that a process has one problem at a time. Only where its basis already spans all that the first
 * vector leads to does it draw a vector of its own, from a series that goes on from problem to problem. */
#include "kernels/backend/eigen.h"

#include <arpack/arpack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IPARAM(i) iparam[(i)-1]
#define IPNTR(i) ipntr[(i)-1]
enum { RESTARTS = 3, CONVERGED = 5, MODE = 7, SHIFT_INVERT = 3, NOT_CONVERGED = 1, NO_SHIFTS = 3 };

typedef struct {
    pio_eigen_problem wanted; /* `start` is not kept */
    a_int ido, info, iparam[11], ipntr[14], lworkl;
    double *resid; /* [n] */
    double *v;     /* [basis][n] */
    double *workd; /* [3][n] */
    double *workl; /* [lworkl] */
    a_int *select; /* [basis] */
} lanczos;

static lanczos *present; /* the one problem, NULL: there is none */

/* Threads of whatever BLAS stands behind the name: those that have threads have one of these. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern void bli_thread_set_num_threads(long) __attribute__((weak));
extern void MKL_Set_Num_Threads(int) __attribute__((weak));

static void one_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (bli_thread_set_num_threads) bli_thread_set_num_threads(1);
    if (MKL_Set_Num_Threads) MKL_Set_Num_Threads(1);
}

static pio_eigen_outcome probe(char name[128], char *message)
{
    (void)message;
    snprintf(name, 128, "ARPACK");
    return PIO_EIGEN_OK;
}

static size_t numbers_of(int n, int basis)
{
    return ((size_t)basis + 4) * (size_t)n + (size_t)basis * ((size_t)basis + 8);
}

static size_t bytes(int n, int basis)
{
    return sizeof(double) * numbers_of(n, basis) + sizeof(a_int) * (size_t)basis + sizeof(lanczos);
}

static void end(void *context)
{
    lanczos *l = context;
    if (!l) return;
    if (present == l) present = NULL;
    free(l->resid);
    free(l->select);
    free(l);
}

static pio_eigen_outcome begin(const pio_eigen_problem *problem, void **context, char *message)
{
    const size_t n = (size_t)problem->n, basis = (size_t)problem->basis;
    *context = NULL;
    if (present) {
        snprintf(message, PIO_EIGEN_TEXT, "ARPACK solves one eigenproblem at a time, and another one has not ended");
        return PIO_EIGEN_BUSY;
    }
    lanczos *l = calloc(1, sizeof *l);
    if (l) l->resid = malloc(sizeof(double) * numbers_of(problem->n, problem->basis));
    if (l) l->select = calloc(basis, sizeof *l->select);
    if (!l || !l->resid || !l->select) {
        end(l);
        snprintf(message, PIO_EIGEN_TEXT, "no memory for %zu vectors of %zu unknowns", basis + 4, n);
        return PIO_EIGEN_NO_MEMORY;
    }
    l->wanted = *problem;
    l->wanted.start = NULL;
    l->v = l->resid + n;
    l->workd = l->v + basis * n;
    l->workl = l->workd + 3 * n;
    l->lworkl = (a_int)(basis * (basis + 8));
    l->info = 1; /* resid is the first vector */
    l->IPARAM(1) = 1;
    l->IPARAM(RESTARTS) = problem->restarts;
    l->IPARAM(4) = 1;
    l->IPARAM(MODE) = SHIFT_INVERT;
    memcpy(l->resid, problem->start, sizeof(double) * n);
    *context = present = l;
    return PIO_EIGEN_OK;
}

static pio_eigen_outcome outcome_of(const lanczos *l, const char *what, int info, char *message)
{
    if (info == NOT_CONVERGED || info == NO_SHIFTS) {
        snprintf(message, PIO_EIGEN_TEXT, "ARPACK found %d of %d eigenvalues in %d restarts of a basis of %d vectors",
                 (int)l->IPARAM(CONVERGED), l->wanted.wanted, (int)l->IPARAM(RESTARTS), l->wanted.basis);
        return PIO_EIGEN_NOT_CONVERGED;
    }
    snprintf(message, PIO_EIGEN_TEXT, "ARPACK's %s ended with info = %d", what, info);
    return PIO_EIGEN_FAILED;
}

static pio_eigen_outcome step(void *context, pio_eigen_request *request, char *message)
{
    lanczos *l = context;
    const pio_eigen_problem *w = &l->wanted;
    one_thread();
    dsaupd_c(&l->ido, "G", w->n, "LM", w->wanted, 0, l->resid, w->basis, l->v, w->n, l->iparam, l->ipntr, l->workd,
             l->workl, l->lworkl, &l->info);
    *request = (pio_eigen_request){.task = PIO_EIGEN_DONE};
    if (l->ido == 99) return l->info ? outcome_of(l, "dsaupd", (int)l->info, message) : PIO_EIGEN_OK;
    if (l->ido != -1 && l->ido != 1 && l->ido != 2) {
        snprintf(message, PIO_EIGEN_TEXT, "ARPACK's dsaupd requests %d, which is not expected", (int)l->ido);
        return PIO_EIGEN_FAILED;
    }
    request->task = l->ido == -1 ? PIO_EIGEN_INVERSE : l->ido == 1 ? PIO_EIGEN_SOLVE : PIO_EIGEN_MASS;
    request->x = l->workd + l->IPNTR(1) - 1;
    request->y = l->workd + l->IPNTR(2) - 1;
    if (l->ido == 1) request->mx = l->workd + l->IPNTR(3) - 1;
    return PIO_EIGEN_OK;
}

/* Eigenvalues ascend already, as all are above the shift: 1/(lambda - shift) descends. They are sorted all the same. */
static void sort(int wanted, size_t n, double *lambda, double *vectors, double *scratch)
{
    for (int i = 1; i < wanted; i++)
        for (int k = i; k > 0 && lambda[k - 1] > lambda[k]; k--) {
            const double other = lambda[k];
            double *x = vectors + (size_t)k * n, *before = x - n;
            lambda[k] = lambda[k - 1];
            lambda[k - 1] = other;
            memcpy(scratch, x, sizeof(double) * n);
            memcpy(x, before, sizeof(double) * n);
            memcpy(before, scratch, sizeof(double) * n);
        }
}

static pio_eigen_outcome result(void *context, double *lambda, double *vectors, char *message)
{
    lanczos *l = context;
    const pio_eigen_problem *w = &l->wanted;
    a_int info = 0;
    one_thread();
    dseupd_c(1, "A", l->select, lambda, vectors, w->n, w->shift, "G", w->n, "LM", w->wanted, 0, l->resid, w->basis,
             l->v, w->n, l->iparam, l->ipntr, l->workd, l->workl, l->lworkl, &info);
    if (info) return outcome_of(l, "dseupd", (int)info, message);
    if (l->IPARAM(CONVERGED) < w->wanted) return outcome_of(l, "dsaupd", NOT_CONVERGED, message);
    sort(w->wanted, (size_t)w->n, lambda, vectors, l->workd);
    return PIO_EIGEN_OK;
}

__attribute__((visibility("default"))) extern const pio_eigen_table piola_eigen;
const pio_eigen_table piola_eigen = {
    .version = PIO_EIGEN_VERSION,
    .size = sizeof(pio_eigen_table),
    .probe = probe,
    .bytes = bytes,
    .begin = begin,
    .step = step,
    .result = result,
    .end = end,
};
