/* folder.h -- the folder for results: only one run writes into it at a time, and files that dead runs left are removed.
 *
 * The lock is the kernel's (flock) on the file `.piola-lock` in the folder. It ends with the process, however that
 * ends, so that no lock is ever stale. The file names the holder in lines `pid`, `host`, `start` and `command`. A run
 * that ends removes it; if it is found without a lock, the run that it names was killed. On a network file system the
 * kernel's lock works between machines where the system supports it (NFS does, unless it is mounted with nolock). Where
 * there are no locks, the file itself is the lock: it is created as new (O_EXCL); a file whose process is dead on this
 * machine is taken over, and any other is respected until a person removes it. */
#ifndef PIOLA_HOST_FOLDER_H
#define PIOLA_HOST_FOLDER_H

#include "piola_status.h"

typedef struct pio_folder pio_folder;

/* Creates a folder and its parents where they are missing. Returns PIOLA_CANNOT_CREATE if that fails or nothing can be
 * written into it, or PIOLA_NO_MEMORY. */
piola_status pio_folder_make(const char *directory, piola_error *error);

/* Locks an existing folder; `command` describes the holder to other runs. Returns PIOLA_CANNOT_CREATE if another run
 * holds it (the message has its pid, host and start), or if the folder cannot be written to, or PIOLA_NO_MEMORY. */
piola_status pio_folder_lock(pio_folder **out, const char *directory, const char *command, piola_error *error);
/* As pio_folder_lock(), but waits up to `seconds` for another run to release the folder, for locks that are held for a
 * moment. Returns the errors of pio_folder_lock(). */
piola_status pio_folder_lock_within(pio_folder **out, const char *directory, const char *command, double seconds,
                                    piola_error *error);
/* Returns a notice for the user about what was found when the folder was locked: a run that was killed, or a file
 * system without locks. It is "" otherwise, and valid until pio_folder_unlock(). */
const char *pio_folder_notice(const pio_folder *f);
/* Removes the file `old` and the files that dead runs left: unfinished snapshots, files of states and temporary files,
 * which are recognised by their names. Returns the number of the latter. */
int pio_folder_clean(const pio_folder *f, const char *old);
/* Releases the lock and frees `f`, which may be NULL. */
void pio_folder_unlock(pio_folder *f);

/* Removes the file `old` of the folder, unless another run holds the folder or it cannot be locked. */
void pio_folder_remove(const char *directory, const char *old);

/* Returns the names of unfinished snapshots in this folder, [*n], as one block that the caller frees; NULL if there are
 * none or no memory. */
char **pio_folder_partials(const char *directory, size_t *n);

#endif
