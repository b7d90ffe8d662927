/* scene_table.h -- what the tables of the scene file are written with. */
#ifndef PIOLA_HOST_SCENE_TABLE_H
#define PIOLA_HOST_SCENE_TABLE_H

#include "host/scene_private.h"

#define AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define POSITIVE .range = {CFG_OVER, 0, 0}
#define NOT_NEGATIVE .range = {CFG_FROM, 0, 0}
#define ONLY(v) (1u << (v))
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

#endif
