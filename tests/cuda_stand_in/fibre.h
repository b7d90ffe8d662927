/* fibre.h -- stacks of their own, between which one thread switches: lanes of a block, which wait for one another. */
#ifndef PIOLA_TESTS_FIBRE_H
#define PIOLA_TESTS_FIBRE_H

#if defined(__SANITIZE_ADDRESS__)
#define STAND_IN_ASAN 1
#else
#define STAND_IN_ASAN 0
#endif
#ifndef STAND_IN_TSAN /* 1: kernels are compiled with the thread sanitizer, the stand-in itself is not */
#define STAND_IN_TSAN 0
#endif
#ifndef STAND_IN_UCONTEXT /* 1: switches by the C library, several times slower */
#if defined(__x86_64__)
#define STAND_IN_UCONTEXT 0
#else
#define STAND_IN_UCONTEXT 1
#endif
#endif

struct fibre;

/* A fibre that will run `main`, which pauses and never returns. It lives as long as the process. */
fibre *fibre_create(void (*main)(fibre *self));
/* Goes on with a fibre until it pauses. Called outside of fibres. */
void fibre_resume(fibre *f);
/* Goes back to where the fibre that runs was resumed. */
void fibre_pause(fibre *f);

/* For the thread sanitizer, which learns of no order from switches: all that was done before a release of a token was
 * done before what follows an acquisition of it. */
void fibre_release(void *token);
/* See fibre_release. */
void fibre_acquire(void *token);

#endif
