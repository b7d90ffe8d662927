/* state_fields.h -- which fields states.vtkhdf has, of any number. */
#ifndef PIOLA_HOST_STATE_FIELDS_H
#define PIOLA_HOST_STATE_FIELDS_H

#include "host/results/design_fields.h"
#include "host/results/gradient_fields.h"

/* The fields of a file: those that every frame has, static numbers, adjoint fields, and what the gradient adds. */
typedef struct {
    pio_snapshot_field *field; /* [n] all of them, first the n_frame that every frame has */
    bool *passed; /* [n] adjoint fields that are known only after the adjoint sweep has passed their frame */
    size_t n, n_frame;
    pio_gradient_field *gradient; /* [n_gradient] those that the gradient adds */
    pio_design_field *design;     /* [n_design] the design of each particle or element */
    int n_gradient, n_design;
} pio_state_fields;

/* Lists the fields of a session's states, with those of its gradient and its adjoint frames or not, to free with
 * pio_state_fields_free(). Returns false without memory. */
bool pio_state_fields_create(pio_state_fields *to, const pio_session *s, bool gradient, bool adjoint);
/* Frees the lists; none are left. */
void pio_state_fields_free(pio_state_fields *of);

#endif
