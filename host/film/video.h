/* video.h -- the seam to libraries that encode video: one table of functions per library.
 *
 * A library is a loadable module, piola_video_NAME.so in the folder of the engines, that exports its table as
 * `piola_video`. Only the module is linked with the library. */
#ifndef PIOLA_HOST_VIDEO_H
#define PIOLA_HOST_VIDEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIO_VIDEO_VERSION = 1, PIO_VIDEO_TEXT = 256 };

/* The outcome of a call; all but OK come with a message. */
typedef enum {
    PIO_VIDEO_OK,
    PIO_VIDEO_NO_MEMORY, /* the library had not enough memory */
    PIO_VIDEO_FAILED     /* the library reports another failure */
} pio_video_outcome;

typedef struct {
    int width, height; /* pixels */
    int rate;          /* pictures in 100 s */
    int between_keys;  /* pictures from one that stands alone to the next, at most */
} pio_video_format;

/* A picture: brightness and colour differences (ITU-R BT.709, limited range). */
typedef struct {
    const uint8_t *y;       /* [height][width] */
    const uint8_t *cb, *cr; /* [(height + 1) / 2][(width + 1) / 2] */
} pio_video_planes;

/* An encoded picture. */
typedef struct {
    const void *data; /* valid until the next call; NULL: there is none now */
    size_t size;      /* bytes */
    int64_t at;       /* number of the picture, from 0 */
    bool key;         /* it stands alone */
} pio_video_packet;

typedef struct {
    uint32_t version, size;
    const char *codec; /* its name in WebM, such as "V_VP9" */
    /* Begins a video. `message` has room for PIO_VIDEO_TEXT everywhere. */
    pio_video_outcome (*begin)(const pio_video_format *format, void **context, char *message);
    /* Adds picture number `at`; NULL: there are no more. */
    pio_video_outcome (*put)(void *context, const pio_video_planes *planes, int64_t at, char *message);
    /* Takes the next encoded picture, until there is none. */
    pio_video_outcome (*take)(void *context, pio_video_packet *packet, char *message);
    /* Ends a video at any time; NULL is allowed. */
    void (*end)(void *context);
} pio_video_table;

#endif
