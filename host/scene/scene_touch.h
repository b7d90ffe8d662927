/* scene_touch.h -- what a scene says of contact of meshes with each other. */
#ifndef PIOLA_SCENE_TOUCH_H
#define PIOLA_SCENE_TOUCH_H

/* Whether bodies touch themselves, or each other alone. */
typedef enum { SCENE_TOUCH_ALL, SCENE_TOUCH_BODIES } scene_touching;
/* scene_table_fem_contact.c: `contact` of FEM, between outer faces. distance 0: there is none. */
typedef struct {
    double distance, stiffness;         /* h, m; K, Pa */
    double friction, friction_velocity; /* Coulomb's coefficient; speed at which it has 0.7 of its size, m/s */
    scene_touching between;             /* what touches */
    int pairs;                          /* room for so many; 0: computed */
} scene_touch;

#endif
