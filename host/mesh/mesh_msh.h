/* mesh_msh.h -- parts of the reader of Gmsh files: a stream of words and binary numbers, and the sections. */
#ifndef PIOLA_HOST_MESH_MSH_H
#define PIOLA_HOST_MESH_MSH_H

#include "host/mesh/mesh_parts.h"

#include <stdio.h>

enum { MSH_WORD = 64, MSH_NAME = 127, MSH_BUFFER = 1 << 16 };

/* The first failure stays in `status`; every function below does nothing after it, so callers check once per record. */
typedef struct msh_input {
    const char *path;
    FILE *file;
    int64_t size, base; /* bytes of the file; where the buffer begins */
    size_t at, end;     /* in the buffer */
    int64_t line;       /* from 1; counted in text only */
    int64_t mark;       /* byte where the present item begins, for messages */
    bool binary, swap;  /* the file's numbers; bytes in the other order */
    bool old;           /* version 2.2 */
    piola_status status;
    piola_error *error;
    pio_raw_mesh raw;
    bool has_names, has_entities, has_nodes, has_elements;
    char word[MSH_WORD];                  /* the last word, cut; not printable bytes are '?' */
    unsigned char buffer[MSH_BUFFER + 1]; /* behind its end a NUL */
} msh_input;

void msh_fail(msh_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
void msh_no_memory(msh_input *in, size_t bytes, const char *what);

int msh_peek(msh_input *in); /* EOF at the end */
int msh_next(msh_input *in);

/* Go to the next word, over blanks and ends of lines (text only). */
void msh_skip_space(msh_input *in);
/* The next word of this line, into in->word; false when there is none. */
bool msh_read_word(msh_input *in, const char *what);
/* The rest of the line holds nothing: go behind it. */
void msh_end_line(msh_input *in, const char *what);
/* A number in text, whatever the file's kind. */
int64_t msh_text_integer(msh_input *in, int64_t low, int64_t high, const char *what);

/* Numbers of a record, in the file's own kind. A record of text has a line of its own. */
void msh_begin_record(msh_input *in);
void msh_end_record(msh_input *in, const char *what);
int32_t msh_int(msh_input *in, const char *what);
int64_t msh_size(msh_input *in, const char *what); /* size_t of 8 bytes; from 0 */
double msh_double(msh_input *in, const char *what);

/* A count that the rest of the file can hold, each of at least so many bytes, and below 2^31. */
void msh_check_count(msh_input *in, int64_t count, int64_t least, const char *what);
/* "$End" and the name. */
void msh_end_section(msh_input *in, const char *name);
/* Behind the end of a section that is not read. */
void msh_skip_section(msh_input *in, const char *name);

/* Sections, from behind the line with the name to behind the line with its end. */
void msh_read_entities(msh_input *in);
void msh_read_nodes2(msh_input *in);
void msh_read_nodes4(msh_input *in);
void msh_read_elements2(msh_input *in);
void msh_read_elements4(msh_input *in);

#endif
