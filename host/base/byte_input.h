/* byte_input.h -- words, numbers and binary numbers of a file that lies in memory, for readers of foreign formats.
 *
 * The first fault stays and everything after it reads as 0: a reader looks at `status` where it begins something large.
 * A fault is `file:line: error: ...` of text and `file: offset n: error: ...` of binary data. */
#ifndef PIOLA_HOST_BYTE_INPUT_H
#define PIOLA_HOST_BYTE_INPUT_H

#include "piola.h"

enum { PIO_INPUT_WORD = 64 };

typedef struct {
    const char *path, *text; /* text[size] is 0 */
    size_t size, at, mark;   /* mark: where what was read last begins */
    bool binary;             /* faults tell offsets instead of lines */
    bool swap;               /* binary numbers are of the other byte order */
    piola_error *error;
    piola_status status;
    int64_t polls;             /* at whether to stop, or just passed */
    char word[PIO_INPUT_WORD]; /* read last, cut where it is longer; bytes that are not printable are '?' */
} pio_input;

void pio_input_fail(pio_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pio_input_no_memory(pio_input *in, size_t bytes, const char *what);

/* Now and then, is the program to stop? A status then. For loops that read no line. */
void pio_input_poll(pio_input *in);
/* Go to the next line that holds a word; false at the end. */
bool pio_input_line(pio_input *in);
/* Is nothing but blanks left in this line? */
bool pio_input_line_ends(pio_input *in);
void pio_input_skip_line(pio_input *in);
/* The next word of this line, into in->word; it is a fault that there is none. */
bool pio_input_word(pio_input *in, const char *what);
/* Like it, and of one that must be this very word. */
void pio_input_expect(pio_input *in, const char *word);
double pio_input_number(pio_input *in, const char *what); /* finite */
/* A word that is a whole number of at most 10 digits from `low` to `high`, which may be followed by the first byte of
 * `behind` and then by any of its bytes (NULL: by none). False leaves it to be read again, and told what is wrong with
 * it. */
bool pio_input_quick_whole(pio_input *in, int64_t low, int64_t high, const char *behind, int64_t *value);
int64_t pio_input_integer(pio_input *in, int64_t low, int64_t high, const char *what);

void pio_input_bytes(pio_input *in, void *to, size_t n, const char *what);
size_t pio_input_remaining(const pio_input *in);
/* Is the byte order of this machine the little one? */
bool pio_little_endian(void);

/* Room for one more item in an array that doubles; false after a fault. */
bool pio_input_room(pio_input *in, void *array, size_t n, size_t *room, size_t item);

#endif
