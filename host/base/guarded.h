/* guarded.h -- a process of its own for a library that reads what nobody vouches for.
 *
 * The child inherits the memory of the program, answers one request after another through two pipes, and may crash,
 * loop or ask for absurd memory: that is an answer too, PIOLA_BAD_DATA with the file named. It dies with the program,
 * leaves signals from the keyboard to it, keeps none of its files open, writes nothing to its outputs and leaves no
 * core file. Its answers are bytes of known number, so what it sends must be checked where it is used to index or to
 * reserve.
 *
 * Start it before threads hold locks: of a program with threads only the caller's lives on in the child. */
#ifndef PIOLA_HOST_GUARDED_H
#define PIOLA_HOST_GUARDED_H

#include "piola.h"

typedef struct pio_guarded pio_guarded; /* the child, as the program sees it */
typedef struct pio_guard pio_guard;     /* the program, as the child sees it */

enum { PIO_GUARDED_SECONDS = 60 }; /* for an answer, and one more for every 4 MB of it */

/* In the child: take requests and answer each, until pio_guard_request() returns false. */
typedef void pio_guarded_work(pio_guard *guard, void *context);

/* Start a child that does `work`. `path` names the file in messages and must live as long. The child may have `bytes`
 * more memory than the program has now, and 1 GiB. PIOLA_NO_MEMORY when there can be no further process. */
piola_status pio_guarded_start(pio_guarded **out, const char *path, int64_t bytes, pio_guarded_work *work,
                               void *context, piola_error *error);
/* Other seconds for an answer, for tests. */
void pio_guarded_set_limit(pio_guarded *g, double seconds);

/* Send a request and receive the answer's status; on PIOLA_OK *bytes follow, which pio_guarded_take() must take before
 * the next request. `expected` (bytes) prolongs the time limit. After a failure of the child itself every further call
 * fails. */
piola_status pio_guarded_call(pio_guarded *g, const void *request, size_t size, size_t expected, size_t *bytes,
                              piola_error *error);
piola_status pio_guarded_take(pio_guarded *g, void *out, size_t bytes, piola_error *error);
/* Ask for an answer of exactly `bytes` and take it. */
piola_status pio_guarded_read(pio_guarded *g, const void *request, size_t size, void *out, size_t bytes,
                              piola_error *error);
/* End the child. NULL is allowed. */
void pio_guarded_end(pio_guarded *g);

/* In the child: the next request, exactly `size` bytes; false when there is none. */
bool pio_guard_request(pio_guard *guard, void *request, size_t size);
/* In the child: the answer. `data` follows when `status` is PIOLA_OK, else the error does. */
void pio_guard_answer(pio_guard *guard, piola_status status, const piola_error *error, const void *data, size_t bytes);

#endif
