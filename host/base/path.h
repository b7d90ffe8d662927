/* path.h -- names of files and folders: never cut, and kept to where they may lie. */
#ifndef PIOLA_HOST_PATH_H
#define PIOLA_HOST_PATH_H

#include "piola.h"

#include <limits.h>

/* A name takes this many bytes with its end, as the system takes no more; the name of a folder for results leaves room
 * for the names of the files in it. */
enum { PIO_PATH = PATH_MAX, PIO_FOLDER_MOST = PATH_MAX - 128 };

/* "folder/name" into out[size]; "" and false where that does not fit. */
bool pio_path_join(char *out, size_t size, const char *folder, const char *name);
/* PIOLA_CANNOT_CREATE for the name of a folder for results that is longer than PIO_FOLDER_MOST bytes. */
piola_status pio_path_folder(const char *folder, piola_error *error);

/* Files and folders outside its own that a scene may name (--allow). */
typedef struct pio_allowed {
    const char *const *paths; /* [n]; of a folder, all below it */
    size_t n;
} pio_allowed;

/* Is the file or folder `path` one of those, or below one, once all symbolic links are followed? Of what does not
 * exist, its nearest folder that does is asked, and what comes behind it must not go up. */
bool pio_path_allowed(const char *path, const pio_allowed *allowed);
/* folder/relative into `out`, or an absolute path as it is. PIOLA_REFUSED when it leaves the folder (by .., as an
 * absolute path or by a symbolic link) and is not allowed, PIOLA_NO_INPUT when there is no such file. */
piola_status pio_path_beneath(const char *folder, const char *relative, const pio_allowed *allowed, char *out,
                              size_t size, piola_error *error);

#endif
