/* piola_dlpack.h -- fields of a problem as tensors of DLPack, in the memory of its device: a part of piola.h that a
 * program includes itself.
 *
 * The structures are those of DLPack 1.0, https://dmlc.github.io/dlpack/latest/c_api.html, as far as such a tensor uses
 * them. A program with that project's own header includes it first; then none is defined here. */
#ifndef PIOLA_DLPACK_H
#define PIOLA_DLPACK_H

#include "piola.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DLPACK_DLPACK_H_ /* of DLPack's own header */
/* Kinds of devices, those that Piola has. */
typedef enum DLDeviceType { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
/* Kinds of numbers, the one that Piola has. */
typedef enum DLDataTypeCode { kDLFloat = 2 } DLDataTypeCode;

/* A device. */
typedef struct DLDevice {
    DLDeviceType device_type;
    int32_t device_id; /* number of the device among those of its kind */
} DLDevice;

/* The type of the numbers. */
typedef struct DLDataType {
    uint8_t code;   /* a DLDataTypeCode */
    uint8_t bits;   /* of a number: 64 */
    uint16_t lanes; /* numbers that form one: 1 */
} DLDataType;

/* Numbers on a device, without their memory's owner. */
typedef struct DLTensor {
    void *data;           /* address on the device */
    DLDevice device;      /* where data is */
    int32_t ndim;         /* number of dimensions */
    DLDataType dtype;     /* of each number */
    int64_t *shape;       /* [ndim] */
    int64_t *strides;     /* [ndim] in numbers, not bytes */
    uint64_t byte_offset; /* from data to the first number */
} DLTensor;

/* A tensor with its memory's owner, in the form before DLPack 1.0. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;                            /* the numbers */
    void *manager_ctx;                             /* the owner's */
    void (*deleter)(struct DLManagedTensor *self); /* returns the memory, also that of *self */
} DLManagedTensor;

/* The version of DLPack's structures: another `major` has others. */
typedef struct DLPackVersion {
    uint32_t major, minor;
} DLPackVersion;

/* Flags: the numbers must not be written; they are a copy, which is the receiver's alone until its deleter is called.
 */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

/* A tensor with its memory's owner, in the form since DLPack 1.0. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;                                  /* comes first in every version */
    void *manager_ctx;                                      /* the owner's */
    void (*deleter)(struct DLManagedTensorVersioned *self); /* returns the memory, also that of *self */
    uint64_t flags;                                         /* DLPACK_FLAG_BITMASK_... */
    DLTensor dl_tensor;                                     /* the numbers */
} DLManagedTensorVersioned;
#endif

/* Both forms, also where a header from before 1.0 has only the first. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Returns a field as a tensor of doubles [items][components], row by row: the values that piola_read() reads, to the
 * bit, in the scene's order and in SI units. They are on the device of the problem, kDLCPU or kDLCUDA with its number,
 * and those of a GPU do not travel through the host; all is complete when the function returns. The tensor is the
 * caller's: its memory, 8 bytes for each value and outside the memory budget of the scene, is of this field as it is
 * now, and remains after later calls and after piola_close(), until its deleter is called, once, by any thread. The
 * library has to stay loaded until then. On failure *out is NULL: the errors of piola_read(); PIOLA_NO_MEMORY; and
 * PIOLA_USAGE where the values are put together on the host from several fields, as those of grad_E are if only some
 * laws have an E. */
piola_status piola_dlpack(piola_problem *problem, const char *field, struct DLManagedTensorVersioned **out,
                          piola_error *error);
/* Does the same with a tensor in the form before DLPack 1.0, for receivers that know no other. Returns the errors of
 * piola_dlpack(). */
piola_status piola_dlpack_unversioned(piola_problem *problem, const char *field, struct DLManagedTensor **out,
                                      piola_error *error);

/* Sets the kind of the device on which tensors of this problem are, kDLCPU or kDLCUDA, and its number. */
void piola_dlpack_device(const piola_problem *problem, int32_t *kind, int32_t *number);

#ifdef __cplusplus
}
#endif
#endif
