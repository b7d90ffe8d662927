/* piola_status.h -- the outcomes of functions: a part of piola.h, which includes it. */
#ifndef PIOLA_STATUS_H
#define PIOLA_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum piola_status {
    PIOLA_OK = 0,
    PIOLA_NO = 1,             /* the answer is no: a check failed, or the optimiser did not converge */
    PIOLA_USAGE = 2,          /* an option or argument is wrong */
    PIOLA_BAD_DATA = 65,      /* a scene or a data file is wrong; the message has file:line:col */
    PIOLA_NO_INPUT = 66,      /* an input file is missing or cannot be read */
    PIOLA_UNAVAILABLE = 69,   /* the requested device or engine is not available */
    PIOLA_INTERNAL = 70,      /* an error in Piola itself */
    PIOLA_NO_MEMORY = 71,     /* memory or budget exhausted; the message names the bytes needed */
    PIOLA_CANNOT_CREATE = 73, /* an output file cannot be created */
    PIOLA_IO = 74,            /* reading or writing failed (disk full, ...) */
    PIOLA_INTERRUPTED = 75,   /* stopped by a signal or a time limit; what was finished is on disk */
    PIOLA_NUMERICAL = 76,     /* the computation failed; the message names step, item and value, `failure` the kind */
    PIOLA_REFUSED = 77,       /* not allowed: a path outside the scene's folder, or resuming a run of another machine */
    PIOLA_MEMBERS_FAILED = 78, /* members of a sweep failed, each with its cause in sweep.csv; the others are done */
    PIOLA_NO_PROGRESS = 79     /* as PIOLA_INTERRUPTED, but nothing new is on disk; only with `require_progress` */
} piola_status;

/* What failed in a computation, for programs; scripts read its name in `failure` of result.json. */
typedef enum piola_failure_kind {
    PIOLA_FAILED_NOT, /* no failure of a computation */
    /* Failures with meshes and with particles: */
    PIOLA_FAILED_CONSTANTS,  /* the constants of a law are outside its range */
    PIOLA_FAILED_TIME_STEP,  /* a time step exceeds the limit of stability of an explicit scheme */
    PIOLA_FAILED_NOT_FINITE, /* a value is NaN or infinite */
    PIOLA_FAILED_INVERTED,   /* an element or a particle is inverted, where its law is not defined */
    /* Failures with meshes: */
    PIOLA_FAILED_REST_SHAPE,   /* an element has no positive volume at rest */
    PIOLA_FAILED_RIGID_MOTION, /* the supports of a static body permit rigid motion */
    PIOLA_FAILED_LINE_SEARCH,  /* the line search found no lower potential along Newton's direction */
    PIOLA_FAILED_NEWTON,       /* Newton's method needed more iterations than are allowed */
    /* the adjoint solve did not reach its tolerance; `cause` is the failure of the linear solve */
    PIOLA_FAILED_ADJOINT,
    PIOLA_FAILED_EIGENVALUES, /* modal analysis found no, or not all, eigenvalues */
    PIOLA_FAILED_REPEATED,    /* one of repeated frequencies, or that of a rigid motion, has no derivative */
    /* Failures of linear solves: */
    PIOLA_FAILED_LINEAR_LIMIT,       /* the solve needed more iterations than are allowed */
    PIOLA_FAILED_STAGNATION,         /* the residual does not decrease any further */
    PIOLA_FAILED_NEGATIVE_CURVATURE, /* the operator is not positive definite, which the method requires */
    PIOLA_FAILED_SINGULAR,           /* the operator is singular, or one of its diagonal blocks */
    PIOLA_FAILED_PRECONDITIONER,     /* the preconditioner is not positive definite */
    /* Failures with particles: */
    PIOLA_FAILED_START_OUTSIDE, /* a particle starts outside the grid */
    PIOLA_FAILED_LEFT_GRID,     /* a particle left the grid */
    PIOLA_FAILED_CFL,           /* a particle moves farther in one step than the allowed fraction of a cell */
    /* Failures of results: */
    PIOLA_FAILED_OBJECTIVE, /* an observation, the objective or a constraint is not finite */
    PIOLA_FAILED_GRADIENT,  /* a derivative is not finite */
    PIOLA_FAILED_REVERSAL,  /* steps that were reversed did not lead back to the state where they began */
    /* Contact: */
    PIOLA_FAILED_CONTACT, /* a node or a particle is in an obstacle or another body, or a step would take it there */
    PIOLA_FAILURES
} piola_failure_kind;

/* Where a computation failed. */
typedef enum piola_failed_item {
    PIOLA_FAILED_NOWHERE, /* at no single item */
    PIOLA_FAILED_ELEMENT, /* in an element */
    PIOLA_FAILED_NODE,    /* at a node */
    PIOLA_FAILED_PARTICLE /* at a particle */
} piola_failed_item;

/* A failure of a computation, for programs. */
typedef struct piola_failure {
    piola_failure_kind kind;  /* what failed */
    piola_failure_kind cause; /* why it failed, for kinds that have a cause */
    piola_failed_item of;     /* kind of `item`; PIOLA_FAILED_NOWHERE: there is none */
    int64_t item;             /* number of the element, node or particle */
    int64_t step;             /* number of the time step; -1: none */
    double residual;          /* relative residual of the solve that failed; NaN if there is none */
} piola_failure;

/* Returns the name of a kind, as in `failure` of result.json: "line_search" and so on; "none". */
const char *piola_failure_name(piola_failure_kind kind);

/* The outcome of a call that failed. */
typedef struct piola_error {
    piola_status status;   /* as the call returned it */
    char message[2048];    /* says what was wrong, where, and what would be right */
    piola_failure failure; /* kind PIOLA_FAILED_NOT if no computation failed */
} piola_error;

#ifdef __cplusplus
}
#endif
#endif
