/* new_file.h -- files that appear under their names complete or not at all, and the removal of what killed programs
 * left of them.
 *
 * Until it is complete, a file is called `.NAME.piola-PID-COUNT.tmp` in the same folder. That name is new (O_EXCL), so
 * that no existing file is overwritten and no symbolic link is followed. While the program lives, it holds a lock
 * (flock) on the file; a file that is not locked was left by a program that died. Where the file system has no locks,
 * such files are kept. */
#ifndef PIOLA_HOST_NEW_FILE_H
#define PIOLA_HOST_NEW_FILE_H

#include "piola_status.h"

typedef struct pio_new_file {
    char *path, *name; /* the final name; the present name */
    int fd;            /* descriptor, open for reading and writing; -1: none */
} pio_new_file;

/* Returns PIOLA_CANNOT_CREATE if a file of that name would replace one that neither is empty nor begins with these
 * bytes; `kind` names what does, such as "PNG picture". */
piola_status pio_new_file_replaces(const char *path, const void *head, size_t size, const char *kind,
                                   piola_error *error);
/* Creates a file that will be called `path`, with the permissions that the umask allows. Returns PIOLA_CANNOT_CREATE if
 * a folder, device or pipe has that name, or the file cannot be created, or PIOLA_NO_MEMORY; then nothing need be
 * dropped. */
piola_status pio_new_file_begin(pio_new_file *f, const char *path, piola_error *error);
/* Appends bytes. Returns PIOLA_IO if that fails. */
piola_status pio_new_file_write(pio_new_file *f, const void *bytes, size_t size, piola_error *error);
/* Syncs the file to disk and gives it its name in place of what had the name (a symbolic link is replaced, not
 * followed), then syncs the folder. The descriptor stays open, everything else is released. Returns PIOLA_IO if that
 * fails: the previous file still has the name, unless the message says that only the folder could not be synced. */
piola_status pio_new_file_place(pio_new_file *f, piola_error *error);
/* Closes the file, and removes it if it does not have its final name. It may be called after any outcome and more than
 * once. */
void pio_new_file_drop(pio_new_file *f);
/* Makes `path` contain exactly these bytes, or leaves it unchanged, by a temporary file in the same folder, fsync,
 * rename and fsync of the folder. A symbolic link is replaced, not followed. If the process is killed the temporary
 * file may remain until a later command that writes there removes it. Returns PIOLA_CANNOT_CREATE if a folder, device
 * or pipe has that name, or no file can be created in its folder, PIOLA_IO if writing fails, or PIOLA_NO_MEMORY. */
piola_status pio_write_file_atomically(const char *path, const void *bytes, size_t size, piola_error *error);

/* Syncs the entry of `path` in its folder to disk. Returns 0, or -1 with errno. A file system that cannot sync folders
 * counts as success. */
int pio_sync_folder_of(const char *path);
/* Removes temporary files of dead programs in a folder, which is given by its descriptor. Returns their number. */
int pio_new_file_leftovers(int folder);
/* Removes temporary files of dead programs in the folder of the file `path`, as pio_new_file_leftovers() does. */
int pio_new_file_leftovers_beside(const char *path);

#endif
