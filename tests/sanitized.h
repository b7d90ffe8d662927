/* sanitized.h -- whether this build has sanitizers: its tests look for errors of memory, for which fewer and smaller
 * cases of the same kind do; the numbers themselves are judged by the release build. */
#ifndef PIOLA_TESTS_SANITIZED_H
#define PIOLA_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

#endif
