/* mesh_msh.h -- the reader of Gmsh files: a stream of words and binary numbers, and the sections of a file. */
#ifndef PIOLA_HOST_MESH_MSH_H
#define PIOLA_HOST_MESH_MSH_H

#include "host/mesh/mesh_parts.h"

#include <stdio.h>

enum { MSH_WORD = 64, MSH_NAME = 127, MSH_BUFFER = 1 << 16 };

/* The state of the reader. The first failure is kept in `status`, and every function below does nothing after it, so
 * that callers check it once per record. */
typedef struct msh_input {
    const char *path;   /* name of the file, for messages */
    FILE *file;         /* the open file */
    int64_t size, base; /* bytes of the file; byte of the file where the buffer begins */
    size_t at, end;     /* next byte, and end of the data, in the buffer */
    int64_t line;       /* line of the file, from 1; counted in text only */
    int64_t mark;       /* byte where the present item begins, for messages */
    bool binary, swap;  /* the file's numbers are binary; their bytes are in the other order */
    bool old;           /* the file has version 2.2 */
    piola_status status;
    piola_error *error; /* filled by the first failure; may be NULL */
    pio_raw_mesh raw;   /* the mesh so far */
    bool has_names, has_entities, has_nodes, has_elements;
    char word[MSH_WORD];                  /* the last word, cut to the array; bytes that are not printable are '?' */
    unsigned char buffer[MSH_BUFFER + 1]; /* a NUL follows the data */
} msh_input;

/* Records a fault at the present item with PIOLA_BAD_DATA, unless there was one before. */
void msh_fail(msh_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Records that `bytes` of memory for `what` could not be had, unless there was a fault before. */
void msh_no_memory(msh_input *in, size_t bytes, const char *what);

/* Returns the next byte without consuming it, or EOF at the end. */
int msh_peek(msh_input *in);
/* Returns and consumes the next byte, or EOF at the end. */
int msh_next(msh_input *in);

/* Goes to the next word, over blanks and ends of lines (text only). */
void msh_skip_space(msh_input *in);
/* Reads the next word of this line into in->word. Returns false if there is none. */
bool msh_read_word(msh_input *in, const char *what);
/* Goes to the next line; it is a fault if this one holds anything more. */
void msh_end_line(msh_input *in, const char *what);
/* Reads a whole number from `low` to `high` in text, whatever the kind of the file. */
int64_t msh_text_integer(msh_input *in, int64_t low, int64_t high, const char *what);

/* Begins a record of numbers, which are of the file's kind. A record of text has a line of its own. */
void msh_begin_record(msh_input *in);
/* Ends a record; in text, its line. */
void msh_end_record(msh_input *in, const char *what);
/* Reads an int of 4 bytes. */
int32_t msh_int(msh_input *in, const char *what);
/* Reads a size_t of 8 bytes, from 0. */
int64_t msh_size(msh_input *in, const char *what);
/* Reads a double of 8 bytes. */
double msh_double(msh_input *in, const char *what);

/* Checks that a count is below 2^31 and that the rest of the file can hold that many items, each of at least `least`
 * bytes. */
void msh_check_count(msh_input *in, int64_t count, int64_t least, const char *what);
/* Reads "$End" and the name. */
void msh_end_section(msh_input *in, const char *name);
/* Goes behind the end of a section that is not read. */
void msh_skip_section(msh_input *in, const char *name);

/* ---- sections, from behind the line with the name to behind the line with the end ---------------------------- */

/* Reads $Entities of version 4.1. */
void msh_read_entities(msh_input *in);
/* Reads $Nodes of version 2.2. */
void msh_read_nodes2(msh_input *in);
/* Reads $Nodes of version 4.1. */
void msh_read_nodes4(msh_input *in);
/* Reads $Elements of version 2.2. */
void msh_read_elements2(msh_input *in);
/* Reads $Elements of version 4.1. */
void msh_read_elements4(msh_input *in);

#endif
