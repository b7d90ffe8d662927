/* snapshot_words.c -- see snapshot_words.h. */
#include "host/snapshot/snapshot_words.h"

#include "host/snapshot/snapshot.h"

const char *const pio_snapshot_kind_words[PIO_SNAPSHOT_KINDS] = {
    [PIO_SNAPSHOT_STATES] = "states", [PIO_SNAPSHOT_HISTORY] = "history", [PIO_SNAPSHOT_CHECKPOINT] = "checkpoint"};
const char *const pio_snapshot_precision_words[PIO_SNAPSHOT_PRECISIONS] = {
    [PIO_SNAPSHOT_F32] = "f32", [PIO_SNAPSHOT_F64] = "f64"};
const char *const pio_snapshot_when_words[PIO_SNAPSHOT_WHENS] = {
    [PIO_SNAPSHOT_FRAME] = "frame", [PIO_SNAPSHOT_STATIC] = "static", [PIO_SNAPSHOT_ADJOINT] = "adjoint"};
const char *const pio_snapshot_location_words[PIO_SNAPSHOT_LOCATIONS] = {
    [PIO_SNAPSHOT_POINT] = "point", [PIO_SNAPSHOT_CELL] = "cell", [PIO_SNAPSHOT_INTEGRATION] = "integration point"};
