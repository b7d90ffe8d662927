/* folder.h -- the folder that a run writes into: one run at a time, and nothing left of those that died.
 *
 * The lock is that of the kernel (flock) on the file `.piola-lock` in the folder; it ends with the process, however
 * that ends, so that no lock is ever stale. The file tells people who holds it: lines `pid`, `host`, `start` and
 * `command`. A run that ends removes it; where it is found without a lock, the run that it tells of was killed. On a
 * network file system the kernel's lock holds between machines where the system has it (NFS: yes, unless mounted with
 * nolock). Where it has none, the file itself is the lock: it is created as new (O_EXCL), one whose process is dead on
 * this machine is taken over, and any other is respected until a person removes it. */
#ifndef PIOLA_HOST_FOLDER_H
#define PIOLA_HOST_FOLDER_H

#include "piola.h"

typedef struct pio_folder pio_folder;

/* Create a folder and its parents. PIOLA_CANNOT_CREATE. */
piola_status pio_folder_make(const char *directory, piola_error *error);

/* Lock a folder that is there; `command` says who. PIOLA_CANNOT_CREATE: another run has it, which is told by pid, host
 * and start; or the folder cannot be written to. */
piola_status pio_folder_lock(pio_folder **out, const char *directory, const char *command, piola_error *error);
/* What was found when it was locked: of a run that was killed, or of a file system without locks; "" where there is
 * nothing to tell. */
const char *pio_folder_notice(const pio_folder *f);
/* Remove the file `old`, and what runs that died left: unfinished snapshots, files of states and temporary files, all
 * by the names that we give them. How many of the latter. */
int pio_folder_clean(const pio_folder *f, const char *old);
void pio_folder_unlock(pio_folder *f); /* NULL is allowed */

/* Remove a file, unless another run has the folder or it cannot be locked. */
void pio_folder_remove(const char *directory, const char *old);

/* The names of snapshots that runs in this folder have not finished, [*n] of them, one block to free(); NULL: none, or
 * no memory. */
char **pio_folder_partials(const char *directory, size_t *n);

#endif
