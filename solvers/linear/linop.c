/* linop.c -- see linop.h. */
#include "solvers/linear/linop.h"

#include "solvers/engine/fail.h"

static const struct {
    const char *name;
    pio_linop_kind needs; /* the most general kind it is right for */
} methods[] = {
    [PIO_CHOLESKY] = {"Cholesky", PIO_SPD},   [PIO_PCG] = {"PCG", PIO_SPD},   [PIO_LDLT] = {"LDL^T", PIO_SYMMETRIC},
    [PIO_MINRES] = {"MINRES", PIO_SYMMETRIC}, [PIO_LU] = {"LU", PIO_GENERAL}, [PIO_QR] = {"QR", PIO_GENERAL},
    [PIO_GMRES] = {"GMRES", PIO_GENERAL}};

piola_status pio_linop_accepts(pio_linear_method method, pio_linop_kind kind, piola_error *error)
{
    static const char *const kinds[] = {"positive definite", "symmetric", "general"};
    static const char *const right[] = {"", "MINRES or LDL^T", "GMRES, LU or QR"};
    if (kind <= methods[method].needs) return PIOLA_OK;
    return sim_fail(error, PIOLA_BAD_DATA, "%s needs a %s operator and this one is %s; use %s", methods[method].name,
                    kinds[methods[method].needs], kinds[kind], right[kind]);
}

pio_linop pio_linop_transposed(const pio_linop *op)
{
    return (pio_linop){.kind = op->kind,
                       .unknowns = op->unknowns,
                       .context = op->context,
                       .apply = op->apply_transposed,
                       .apply_transposed = op->apply,
                       .precondition = op->precondition_transposed,
                       .precondition_transposed = op->precondition};
}
