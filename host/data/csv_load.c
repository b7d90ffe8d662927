/* csv_load.c -- a table of any of the formats: of text, HDF5 or PLY. */
#include "host/data/csv.h"

#include "host/base/fail.h"
#include "host/base/file.h"
#include "host/data/ply.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (256u << 20)

static const char signature[] = "\x89HDF\r\n\x1a\n"; /* first bytes of an HDF5 file */

piola_status pio_csv_load(pio_csv *out, const char *path, piola_error *error)
{
    size_t size;
    *out = (pio_csv){0};
    piola_status status = pio_file_read(path, MOST_BYTES, &out->text, &size, error);
    if (status) return status;
    out->path = calloc(strlen(path) + 1, 1);
    if (!out->path) {
        pio_csv_free(out);
        return pio_fail_memory(error, strlen(path) + 1, "a table");
    }
    memcpy(out->path, path, strlen(path));
    pio_sha256_of(out->text, size, out->sha256);
    if (size >= sizeof signature - 1 && memcmp(out->text, signature, sizeof signature - 1) == 0) {
        free(out->text);
        out->text = NULL;
        status = pio_csv_load_hdf5(out, error);
    } else if (pio_is_ply(out->text, size)) {
        status = pio_csv_of_ply(out, size, error);
    } else {
        status = pio_csv_of_text(out, size, error);
    }
    if (status) pio_csv_free(out);
    return status;
}
