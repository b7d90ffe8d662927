/* scene_validate_seen.c -- rules of observations of contact of meshes: of an obstacle, or between bodies. */
#include "host/scene/scene_private.h"

#include <string.h>

/* Checks that the observation names an obstacle or a body, and not both. */
static void check_which(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(type, "observe[%zu].type", i);
    PATH(body, "observe[%zu].body", i);
    PATH(obstacle, "observe[%zu].obstacle", i);
    PATH(other, "observe[%zu].other", i);
    if (o->obstacle)
        pio_scene_entry(doc, obstacle, "obstacles", o->obstacle, s->obstacles.v, s->obstacles.n,
                        sizeof *s->obstacles.v);
    if (o->other)
        pio_scene_entry(doc, other, "bodies", o->other, s->matter.bodies, s->matter.n_bodies, sizeof *s->matter.bodies);
    if (o->obstacle && o->body)
        pio_cfg_fault(doc, body, "it is of an obstacle, or between bodies; remove 'body' or 'obstacle'");
    else if (!o->obstacle && !o->body)
        pio_cfg_fault(doc, type, "add 'obstacle', of which it is, or 'body', of the contact between surfaces");
    else if (!o->body && o->other)
        pio_cfg_fault(doc, other, "the other body of which? Add 'body', and remove 'obstacle'");
    else if (o->body && !(s->touch.distance > 0))
        pio_cfg_fault(doc, body, "bodies do not touch each other in this scene; add contact, or name an obstacle");
}

/* Checks that there is something between the two bodies. */
static void check_between(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(body, "observe[%zu].body", i);
    PATH(other, "observe[%zu].other", i);
    const bool itself = o->other ? !strcmp(o->other, o->body) : s->matter.n_bodies < 2;
    if (itself && o->type == PIO_CONTACT_FORCE)
        pio_cfg_fault(doc, o->other ? other : body,
                      "forces of a body on itself sum to zero; name another body, or observe contact_pressure");
    else if (itself && s->touch.between == SCENE_TOUCH_BODIES)
        pio_cfg_fault(doc, o->other ? other : body,
                      "with 'between: bodies' no body touches itself; remove that, or name another body");
}

void pio_scene_validate_seen(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_observe *o = &s->goal.observe[i];
    PATH(type, "observe[%zu].type", i);
    PATH(measure, "observe[%zu].measure", i);
    if (o->type == PIO_CONTACT_PRESSURE && !s->obstacles.n && !(s->touch.distance > 0))
        pio_cfg_fault(doc, type, "nothing touches in this scene; add obstacles or contact");
    if (o->type == PIO_CONTACT_PRESSURE && o->measure == PIO_MAXIMUM)
        pio_cfg_fault(doc, measure, "pressures have a mean and a pnorm, which is smooth; use one of these");
    if (o->type != PIO_CONTACT_FORCE && o->type != PIO_GAP) return;
    check_which(s, doc, i);
    if (o->body && s->touch.distance > 0) check_between(s, doc, i);
}
