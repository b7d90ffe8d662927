/* control_weights.c -- see control_weights.h. */
#include "host/control_weights.h"

#include "host/fail.h"

#include <hdf5.h>
#include <math.h>

static piola_status check(hid_t set, const char *path, const char *dataset, size_t count, piola_error *error)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const hssize_t length = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (class != H5T_FLOAT && class != H5T_INTEGER)
        return pio_fail(error, PIOLA_BAD_DATA, "%.400s: %.300s holds no numbers", path, dataset);
    if (length != (hssize_t)count)
        return pio_fail(error, PIOLA_BAD_DATA, "%.400s: %.300s has %lld numbers; the network has %zu weights", path,
                        dataset, (long long)length, count);
    return PIOLA_OK;
}

static piola_status read_all(hid_t file, const char *path, const char *dataset, double *weights, size_t count,
                             piola_error *error)
{
    const hid_t object = H5Oopen(file, dataset, H5P_DEFAULT);
    if (object < 0 || H5Iget_type(object) != H5I_DATASET) {
        if (object >= 0) H5Oclose(object);
        return pio_fail(error, PIOLA_BAD_DATA, "%.400s: there is no dataset %.300s", path, dataset);
    }
    piola_status rc = check(object, path, dataset, count, error);
    if (!rc && H5Dread(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, weights) < 0)
        rc = pio_fail(error, PIOLA_BAD_DATA, "%.400s: %.300s cannot be read", path, dataset);
    for (size_t i = 0; !rc && i < count; i++)
        if (!isfinite(weights[i]))
            rc = pio_fail(error, PIOLA_BAD_DATA, "%.400s: %.300s[%zu]: %g is not a finite number", path, dataset, i,
                          weights[i]);
    H5Dclose(object);
    return rc;
}

piola_status pio_control_weights(const char *path, const char *dataset, double *weights, size_t count,
                                 piola_error *error)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return pio_fail(error, PIOLA_BAD_DATA, "%.800s: cannot be opened as HDF5", path);
    const piola_status rc = read_all(file, path, dataset, weights, count, error);
    H5Fclose(file);
    return rc;
}
