/* new_file.h -- a file that appears under its name whole or not at all, and what killed programs leave of such files.
 *
 * Until it is whole it is `.NAME.piola-PID-COUNT.tmp` in the folder of its name. That name is new (O_EXCL), so nothing
 * that lies there already is written to or through, no symbolic link either. As long as the program lives it holds a
 * lock (flock) on it: what is not locked is left of a program that died. Where the file system knows no locks, such a
 * rest is kept. */
#ifndef PIOLA_HOST_NEW_FILE_H
#define PIOLA_HOST_NEW_FILE_H

#include "piola.h"

typedef struct pio_new_file {
    char *path, *name; /* what it is to be called, and what it is called now */
    int fd;            /* open for reading and writing; -1: none */
} pio_new_file;

/* Begin a file that is to be `path`, with the rights that the umask leaves. PIOLA_CANNOT_CREATE where a folder, device
 * or pipe has that name, or the folder takes no file; then there is nothing to drop. */
piola_status pio_new_file_begin(pio_new_file *f, const char *path, piola_error *error);
/* Append bytes. PIOLA_IO. */
piola_status pio_new_file_write(pio_new_file *f, const void *bytes, size_t size, piola_error *error);
/* All of it is on the disk: it gets its name, in place of what had it (a symbolic link is replaced, not followed), and
 * the folder's entry is on the disk too. The descriptor stays open, the rest is released. PIOLA_IO: what had the name
 * has it still, unless the message says that only the folder could not be synced. */
piola_status pio_new_file_place(pio_new_file *f, piola_error *error);
/* Close it and, where it has not got its name, remove it. Safe after any outcome and more than once. */
void pio_new_file_drop(pio_new_file *f);
/* Make `path` hold exactly these bytes, or leave it as it was: a temporary file in the same folder, fsync, rename,
 * fsync of the folder. A symbolic link is replaced, not followed; a folder, device or pipe is refused. When the process
 * is killed the temporary file may stay behind, until a run or a command that writes there removes it. */
piola_status pio_write_file_atomically(const char *path, const void *bytes, size_t size, piola_error *error);

/* The entry of `path` in its folder is on the disk: 0, or -1 with errno. A file system that cannot sync folders counts
 * as done. */
int pio_sync_folder_of(const char *path);
/* Remove what programs that died left of new files in a folder, given by its descriptor; how many. */
int pio_new_file_leftovers(int folder);
/* The same by the name of a file in it. */
int pio_new_file_leftovers_beside(const char *path);

#endif
