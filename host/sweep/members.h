/* Room host/sweep: the members of a sweep and their values, the processes that run them, and the table of their
 * results; it knows no scene. */
/* members.h -- the members of a sweep: which value each key of the scene has in which of them.
 *
 * An axis is `PATH=LOW..HIGH:COUNT`, followed by `:log` or `:linear` (the default), or a list `PATH=a,b,c`, whose
 * entries may be any values of a scene. Without samples the members are the product of the axes, of which the last one
 * changes fastest. With samples a range has no count: the members are points of the unit cube, one coordinate for each
 * axis, and a list is divided evenly. The values of a member follow from its number, not from other members. */
#ifndef PIOLA_HOST_SWEEP_MEMBERS_H
#define PIOLA_HOST_SWEEP_MEMBERS_H

#include "host/base/pool.h"
#include "host/config/config.h"

enum { PIO_MEMBERS_MOST = 100000, PIO_MEMBER_TEXT = 1024 };

/* What a sweep varies. */
typedef struct {
    const char *text; /* as given; it remains the caller's */
    char *key;        /* key of the scene */
    char *path;       /* the key, followed by [part] where this is one part of its value */
    int part, parts;  /* number of the part, and of all of them, whose axes follow each other; parts 0: the value */
    bool logarithmic; /* a range whose values have equal ratios */
    double low, high; /* SI: ends of a range */
    cfg_quantity quantity; /* of the ends, or of all entries where they are numbers */
    int64_t count;         /* values of a list, or of a range without samples */
    char **entries;        /* [count] of a list; NULL: a range */
    bool numbers;          /* values are numbers */
    int64_t *order;        /* [members] numbers of the intervals of a Latin hypercube; NULL: none */
} pio_axis;

typedef enum { PIO_PRODUCT, PIO_SOBOL, PIO_LATIN_HYPERCUBE } pio_sampling;

/* The members of a sweep. */
typedef struct {
    pio_axis *axes; /* [n_axes] */
    size_t n_axes;
    int64_t n; /* members */
    pio_sampling sampling;
    uint64_t seed;  /* of a Latin hypercube; of a random shift of Sobol's points, 0: none */
    uint32_t first; /* number of Sobol's point of member 0 */
    pio_pool pool;  /* memory of all of it */
} pio_members;

/* A box within which values are sampled: each part of the key's value has the same range. */
typedef struct {
    const char *key;       /* key of the scene */
    double low, high;      /* SI */
    cfg_quantity quantity; /* of both */
    bool logarithmic;      /* as of an axis */
    int parts;             /* number of parts; 1: the value is one number */
} pio_box;

/* What to make members of; `options` of piola_sweep() as they are. */
typedef struct {
    const pio_box *boxes; /* [n_boxes] what is sampled besides the axes, or NULL */
    size_t n_boxes;
    const char *const *over; /* [n_over] axes */
    size_t n_over;
    int64_t samples;      /* 0: the product of the axes */
    const char *sampling; /* "sobol", "lhs"; NULL: sobol */
    int64_t seed;         /* 0 or more */
} pio_members_of;

/* Makes the members, to free with pio_members_free() after any outcome. Returns PIOLA_USAGE, with the argument, what is
 * wrong and what would be right, or PIOLA_NO_MEMORY. */
piola_status pio_members_create(pio_members *m, const pio_members_of *of, piola_error *error);
/* Frees what belongs to the members. */
void pio_members_free(pio_members *m);

/* Writes what a member sets by an axis, as in `--set`: "PATH=50000 Pa", or of the first part of a value "PATH=[1, 2]",
 * into out[size], cut to fit. Returns its length; 0 for the other parts. */
size_t pio_members_set(const pio_members *m, int64_t member, size_t axis, char *out, size_t size);
/* Writes the value that an axis has in a member, as it stands in a scene ("50000 Pa"), into text[PIO_MEMBER_TEXT]. */
void pio_members_text(const pio_members *m, int64_t member, size_t axis, char *text);
/* Returns the same value in SI units; NaN if the axis has no numbers. */
double pio_members_value(const pio_members *m, int64_t member, size_t axis);
/* Returns "product", "sobol" or "lhs". */
const char *pio_members_sampling(const pio_members *m);

#endif
