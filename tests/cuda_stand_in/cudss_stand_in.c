/* cudss_stand_in.c -- what kernels/backend/direct_cudss.c calls of cuDSS, on the CPU: it solves by MUMPS and stops at
 * what cuDSS forbids: phases out of order, arrays that are not on the device, types that do not fit, results that are
 * requested before there are any. What cuDSS computes, and whether runs give equal bits, is for test_pairings on a
 * GPU. */
#include "tests/cuda_stand_in/elimination.h"

#include <cudss.h>
#include <stdlib.h>
#include <string.h>

struct cudssContext {
    cudaStream_t stream;
};
struct cudssConfig {
    int deterministic;
};
struct cudssMatrix {
    int dense;
    int64_t rows, entries;
    const int *start, *column; /* device */
    const void *value;         /* device */
    cudssMatrixType_t type;
};
struct cudssData {
    elimination *e;
    int factored, info, negative;
};

static void need(int holds, const char *what)
{
    if (!holds) stand_in_stop("cuDSS: %s", what);
}

static cudssStatus_t made(const void *object)
{
    return object ? CUDSS_STATUS_SUCCESS : CUDSS_STATUS_ALLOC_FAILED;
}

/* ---- handles and matrices --------------------------------------------------------------------------------- */

cudssStatus_t cudssGetProperty(libraryPropertyType type, int *value)
{
    (void)type;
    *value = 0; /* cuDSS 0.0.0 */
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssCreate(cudssHandle_t *handle)
{
    return made(*handle = calloc(1, sizeof **handle));
}

cudssStatus_t cudssDestroy(cudssHandle_t handle)
{
    free(handle);
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssConfigCreate(cudssConfig_t *config)
{
    return made(*config = calloc(1, sizeof **config));
}

cudssStatus_t cudssConfigDestroy(cudssConfig_t config)
{
    free(config);
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssConfigSet(cudssConfig_t config, cudssConfigParam_t param, const void *value, size_t bytes)
{
    need(param == CUDSS_CONFIG_DETERMINISTIC_MODE && bytes == sizeof config->deterministic, "an unknown configuration");
    memcpy(&config->deterministic, value, bytes);
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssDataCreate(const cudssHandle_t handle, cudssData_t *data)
{
    need(handle != NULL, "data without a handle");
    return made(*data = calloc(1, sizeof **data));
}

cudssStatus_t cudssDataDestroy(cudssHandle_t handle, cudssData_t data)
{
    need(handle != NULL, "data without a handle");
    elimination_free(data->e);
    free(data);
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t entries,
                                   const void *start, const void *end, const void *column, const void *value,
                                   cudaDataType starts, cudaDataType indices, cudaDataType values,
                                   cudssMatrixType_t type, cudssMatrixViewType_t view, cudssIndexBase_t base)
{
    need(rows > 0 && rows == columns && entries > 0 && !end, "a matrix that is not square, or has ends of rows");
    need(starts == CUDA_R_32I && indices == CUDA_R_32I && values == CUDA_R_64F, "other types than int, int, double");
    need(base == CUDSS_BASE_ZERO && (view == CUDSS_MVIEW_FULL) == (type == CUDSS_MTYPE_GENERAL), "another view");
    need(stand_in_on_device(start, sizeof(int) * (size_t)(rows + 1)) &&
             stand_in_on_device(column, sizeof(int) * (size_t)entries) &&
             stand_in_on_device(value, sizeof(double) * (size_t)entries),
         "a matrix that is not on the device");
    struct cudssMatrix *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct cudssMatrix){
            .rows = rows, .entries = entries, .start = start, .column = column, .value = value, .type = type};
    return made(*matrix = m);
}

cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t stride,
                                  const void *value, cudaDataType type, cudssLayout_t layout)
{
    need(columns == 1 && stride == rows && type == CUDA_R_64F && layout == CUDSS_LAYOUT_COL_MAJOR,
         "a vector that is not one of doubles");
    need(stand_in_on_device(value, sizeof(double) * (size_t)rows), "a vector that is not on the device");
    struct cudssMatrix *m = calloc(1, sizeof *m);
    if (m) *m = (struct cudssMatrix){.dense = 1, .rows = rows, .value = value};
    return made(*matrix = m);
}

cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix)
{
    free(matrix);
    return CUDSS_STATUS_SUCCESS;
}

cudssStatus_t cudssMatrixSetValues(cudssMatrix_t matrix, const void *value)
{
    need(!matrix->dense && stand_in_on_device(value, sizeof(double) * (size_t)matrix->entries),
         "values that are not on the device");
    matrix->value = value;
    return CUDSS_STATUS_SUCCESS;
}

/* ---- phases ----------------------------------------------------------------------------------------------- */

static void analyse(cudssData_t data, const struct cudssMatrix *m)
{
    static const pio_factor_kind kinds[] = {[CUDSS_MTYPE_GENERAL] = PIO_FACTOR_LU,
                                            [CUDSS_MTYPE_SYMMETRIC] = PIO_FACTOR_LDLT,
                                            [CUDSS_MTYPE_SPD] = PIO_FACTOR_CHOLESKY};
    need(m->start[0] == 0 && m->start[m->rows] == m->entries, "a pattern whose rows do not have all entries");
    for (int64_t i = 0; i < m->rows; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            need(m->column[k] >= 0 && m->column[k] < m->rows, "a pattern with a column that does not exist");
            need(m->type == CUDSS_MTYPE_GENERAL || m->column[k] <= i, "an entry above the lower triangle");
            need(k == m->start[i] || m->column[k] > m->column[k - 1], "a row whose columns do not ascend");
        }
    need(!data->e, "a second analysis of the same data");
    data->e = elimination_analyse(kinds[m->type], (int)m->rows, m->start, m->column);
}

static cudssStatus_t factorise(cudssData_t data, const struct cudssMatrix *m, int again)
{
    need(elimination_is_of(data->e, (int)m->rows, m->entries), "a factorisation of what was not analysed");
    need(data->factored == again, "the first factorisation, or one of those that follow, by the other's phase");
    const pio_direct_outcome outcome = elimination_factor(data->e, m->value, &data->negative);
    const int stopped = outcome == PIO_DIRECT_SINGULAR || outcome == PIO_DIRECT_INDEFINITE;
    data->factored = 1;
    data->info = stopped ? (int)m->rows : 0;
    return outcome && !stopped ? CUDSS_STATUS_EXECUTION_FAILED : CUDSS_STATUS_SUCCESS;
}

/* Phases are in the order of the stream; here, its work is done first. */
cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, const cudssConfig_t config, cudssData_t data,
                           const cudssMatrix_t matrix, cudssMatrix_t solution, const cudssMatrix_t right)
{
    need(handle && config && data && matrix && !matrix->dense, "a phase without its objects");
    need(config->deterministic == 1, "another mode than the deterministic one");
    need((phase == CUDSS_PHASE_SOLVE) == (solution && right), "vectors in the wrong phase");
    STAND_IN_WORKS(handle->stream);
    switch (phase) {
    case CUDSS_PHASE_ANALYSIS:
        analyse(data, matrix);
        return made(data->e);
    case CUDSS_PHASE_FACTORIZATION:
        return factorise(data, matrix, 0);
    case CUDSS_PHASE_REFACTORIZATION:
        return factorise(data, matrix, 1);
    case CUDSS_PHASE_SOLVE:
        need(elimination_ready(data->e), "a solve without a factor");
        need(solution->dense && right->dense && solution->rows == matrix->rows && right->rows == matrix->rows &&
                 solution->value != right->value,
             "vectors that do not fit");
        return elimination_solve(data->e, right->value, (double *)(uintptr_t)solution->value)
                   ? CUDSS_STATUS_EXECUTION_FAILED
                   : CUDSS_STATUS_SUCCESS;
    default:
        return CUDSS_STATUS_INVALID_VALUE;
    }
}

cudssStatus_t cudssDataGet(const cudssHandle_t handle, const cudssData_t data, cudssDataParam_t param, void *value,
                           size_t bytes, size_t *written)
{
    const int n = data->e ? (int)elimination_forecast(data->e).bytes : 0;
    const int64_t estimates[16] = {n, n}, operations = (int64_t)elimination_forecast(data->e).operations;
    const int inertia[2] = {0, data->negative};
    const struct {
        cudssDataParam_t param;
        int there;
        const void *value;
        size_t bytes;
    } known[] = {{CUDSS_DATA_INFO, data->factored, &data->info, sizeof data->info},
                 {CUDSS_DATA_INERTIA, data->factored, inertia, sizeof inertia},
                 {CUDSS_DATA_MEMORY_ESTIMATES, data->e != NULL, estimates, sizeof estimates},
                 {CUDSS_DATA_FLOPS, data->e != NULL, &operations, sizeof operations}};
    need(handle != NULL, "data without a handle");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].param != param) continue;
        need(known[i].there && bytes == known[i].bytes, "a result before there is one, or of another size");
        memcpy(value, known[i].value, bytes);
        *written = bytes;
        return CUDSS_STATUS_SUCCESS;
    }
    return CUDSS_STATUS_INVALID_VALUE;
}
