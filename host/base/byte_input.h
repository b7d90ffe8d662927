/* byte_input.h -- reads words, decimal numbers and binary numbers of a file that lies in memory; readers of foreign
 * formats use it.
 *
 * The first fault is kept, and everything that is read after it is 0, so that a reader checks `status` only where it
 * begins something large. The message of a fault is `file:line: error: ...` in text and `file: offset n: error: ...` in
 * binary data. */
#ifndef PIOLA_HOST_BYTE_INPUT_H
#define PIOLA_HOST_BYTE_INPUT_H

#include "piola_status.h"

enum { PIO_INPUT_WORD = 64 };

typedef struct {
    const char *path, *text; /* name for messages; the bytes of the file, followed by a NUL */
    size_t size, at, mark;   /* bytes: size of the text, next byte, start of the item that was read last */
    bool binary;             /* messages name byte offsets instead of lines */
    bool swap;               /* binary numbers have the byte order that this machine does not have */
    piola_error *error;
    piola_status status;       /* PIOLA_OK, or that of the first fault */
    int64_t polls;             /* calls of pio_input_poll() so far */
    char word[PIO_INPUT_WORD]; /* the word that was read last, cut to the array; bytes that are not printable are '?' */
} pio_input;

/* Records a fault at the item that was read last, with PIOLA_BAD_DATA, unless there was one before. */
void pio_input_fail(pio_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Records that `bytes` of memory for `what` could not be had (PIOLA_NO_MEMORY), unless there was a fault before. */
void pio_input_no_memory(pio_input *in, size_t bytes, const char *what);

/* Polls from time to time whether the program is to stop, and then records PIOLA_INTERRUPTED. For loops that read no
 * line. */
void pio_input_poll(pio_input *in);
/* Goes to the next line that holds a word. Returns false at the end of the file and after a fault. */
bool pio_input_line(pio_input *in);
/* Returns whether only blanks are left in this line. */
bool pio_input_line_ends(pio_input *in);
/* Goes to the start of the next line. */
void pio_input_skip_line(pio_input *in);
/* Reads the next word of this line into in->word. It is a fault if there is none; `what` names what is expected. */
bool pio_input_word(pio_input *in, const char *what);
/* Reads the next word of this line, which must be `word`. */
void pio_input_expect(pio_input *in, const char *word);
/* Reads the next word of this line as a finite decimal number; returns 0 after a fault. */
double pio_input_number(pio_input *in, const char *what);
/* Reads a whole number of at most 10 digits from `low` to `high`, which may be followed by the first byte of `behind`
 * and then by any of its bytes (NULL: by none). Returns false, having read nothing, where the text is anything else;
 * the caller then reads it with pio_input_integer(), which reports the fault. */
bool pio_input_try_integer(pio_input *in, int64_t low, int64_t high, const char *behind, int64_t *value);
/* Reads the next word of this line as a whole number from `low` to `high`; returns 0 after a fault. */
int64_t pio_input_integer(pio_input *in, int64_t low, int64_t high, const char *what);

/* Copies the next n bytes to `to`; zeros after a fault. It is a fault if the file has fewer. */
void pio_input_bytes(pio_input *in, void *to, size_t n, const char *what);
/* Returns the number of bytes that are left in the file. */
size_t pio_input_remaining(const pio_input *in);
/* Returns whether this machine stores the lowest byte first. */
bool pio_little_endian(void);

/* Makes room for one more item of `item` bytes in a malloc'd array that has n items and room for *room; the array
 * doubles. `array` is the address of the pointer. Returns false after a fault. */
bool pio_input_room(pio_input *in, void *array, size_t n, size_t *room, size_t item);

#endif
