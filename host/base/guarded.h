/* guarded.h -- runs a library that reads untrusted files in a child process.
 *
 * The child inherits the memory of the program and answers one request after another through two pipes. If it crashes,
 * loops or requests absurd amounts of memory, the caller gets PIOLA_BAD_DATA with the name of the file. The child ends
 * with the program, leaves signals from the keyboard to it, keeps none of its files open, writes nothing to its outputs
 * and leaves no core file. The length of an answer is known in advance; its contents must be checked before they are
 * used as an index or as a size.
 *
 * Start it before threads hold locks: of a program with threads, only the calling thread lives on in the child. */
#ifndef PIOLA_HOST_GUARDED_H
#define PIOLA_HOST_GUARDED_H

#include "piola_status.h"

typedef struct pio_guarded pio_guarded; /* the program's end of the connection */
typedef struct pio_guard pio_guard;     /* the child's end of the connection */

enum { PIO_GUARDED_SECONDS = 60 }; /* time limit of an answer, plus 1 s for every 4 MB of it */

/* The work of the child: it reads requests and answers each, until pio_guard_request() returns false. */
typedef void pio_guarded_work(pio_guard *guard, void *context);

/* Starts a child that runs `work`. `path` names the file in messages and must remain valid. The child may use `bytes`
 * plus 1 GiB more memory than the program uses now. Returns PIOLA_NO_MEMORY if no process can be started. */
piola_status pio_guarded_start(pio_guarded **out, const char *path, int64_t bytes, pio_guarded_work *work,
                               void *context, piola_error *error);

/* Sends a request and receives the status of the answer. After PIOLA_OK an answer of *bytes is waiting, which
 * pio_guarded_take() must fetch before the next request. `expected` bytes extend the time limit. Returns the error of
 * the answer, PIOLA_BAD_DATA if the child crashed, exceeded the time limit or sent an impossible answer,
 * PIOLA_NO_MEMORY if it ended for lack of memory, PIOLA_IO if it runs but cannot be reached, or PIOLA_INTERRUPTED.
 * After a failure of the child itself every further call returns PIOLA_BAD_DATA. */
piola_status pio_guarded_call(pio_guarded *g, const void *request, size_t size, size_t expected, size_t *bytes,
                              piola_error *error);
/* Receives `bytes` bytes of the answer into `out`. Returns PIOLA_BAD_DATA, PIOLA_NO_MEMORY, PIOLA_IO or
 * PIOLA_INTERRUPTED where pio_guarded_call() does. */
piola_status pio_guarded_take(pio_guarded *g, void *out, size_t bytes, piola_error *error);
/* Sends a request and receives an answer of exactly `bytes` bytes into `out`. Returns the errors of pio_guarded_call(),
 * and PIOLA_BAD_DATA if the answer has another length. */
piola_status pio_guarded_read(pio_guarded *g, const void *request, size_t size, void *out, size_t bytes,
                              piola_error *error);
/* Ends the child and frees `g`, which may be NULL. */
void pio_guarded_end(pio_guarded *g);

/* Reads the next request of exactly `size` bytes, in the child. Returns false when there are no more. */
bool pio_guard_request(pio_guard *guard, void *request, size_t size);
/* Sends an answer, in the child: the status, followed by `data` if that is PIOLA_OK and by the error otherwise. */
void pio_guard_answer(pio_guard *guard, piola_status status, const piola_error *error, const void *data, size_t bytes);

#endif
