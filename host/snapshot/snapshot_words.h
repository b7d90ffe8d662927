/* snapshot_words.h -- the words of snapshot files for what they hold: words[PIO_SNAPSHOT_X] stands for
 * PIO_SNAPSHOT_X. */
#ifndef PIOLA_HOST_SNAPSHOT_WORDS_H
#define PIOLA_HOST_SNAPSHOT_WORDS_H

enum {
    PIO_SNAPSHOT_KINDS = 3, /* lengths of the lists */
    PIO_SNAPSHOT_PRECISIONS = 2,
    PIO_SNAPSHOT_WHENS = 3,
    PIO_SNAPSHOT_LOCATIONS = 3
};

extern const char *const pio_snapshot_kind_words[PIO_SNAPSHOT_KINDS];           /* by pio_snapshot_kind */
extern const char *const pio_snapshot_precision_words[PIO_SNAPSHOT_PRECISIONS]; /* by pio_snapshot_precision */
extern const char *const pio_snapshot_when_words[PIO_SNAPSHOT_WHENS];           /* by pio_snapshot_when */
extern const char *const pio_snapshot_location_words[PIO_SNAPSHOT_LOCATIONS];   /* by pio_snapshot_location */

#endif
