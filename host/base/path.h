/* path.h -- names of files and folders, which are never truncated and are restricted to where they may lie. */
#ifndef PIOLA_HOST_PATH_H
#define PIOLA_HOST_PATH_H

#include "piola_status.h"

#include <limits.h>

/* Sizes in bytes, including the NUL: of the longest name that the system accepts, and of the longest name of a folder
 * for results, which leaves room for the names of the files in it. */
enum { PIO_PATH = PATH_MAX, PIO_FOLDER_MOST = PATH_MAX - 128 };

/* Writes "folder/name" into out[size]. Returns false, with "" in `out`, if it does not fit. */
bool pio_path_join(char *out, size_t size, const char *folder, const char *name);
/* Returns PIOLA_CANNOT_CREATE if the name of a folder for results is longer than PIO_FOLDER_MOST bytes. */
piola_status pio_path_folder(const char *folder, piola_error *error);

/* Files and folders outside the scene's folder that the scene may name (--allow). */
typedef struct pio_allowed {
    const char *const *paths; /* [n] a folder allows everything below it */
    size_t n;
} pio_allowed;

/* Returns whether the file or folder `path` is one of the allowed ones, or lies below one, after all symbolic links are
 * followed. If it does not exist, its nearest existing folder is used, and the rest of the path must not contain "..".
 */
bool pio_path_allowed(const char *path, const pio_allowed *allowed);
/* Writes "folder/relative", or an absolute path unchanged, into out[size]. Returns PIOLA_REFUSED if it leaves the
 * folder (by "..", as an absolute path or by a symbolic link) and is not allowed, or PIOLA_NO_INPUT if there is no such
 * file. */
piola_status pio_path_beneath(const char *folder, const char *relative, const pio_allowed *allowed, char *out,
                              size_t size, piola_error *error);

#endif
