/* scene_schema.c -- the JSON Schema and the reference of scenes and studies, from the tables that decode them. */
#include "host/scene/scene_private.h"
#include "host/scene/study.h"

void pio_scene_schema(FILE *to)
{
    const cfg_file_kind study = {"experiments", &pio_study_table};
    pio_cfg_schema(&pio_scene_table, &pio_fem_case, &study, "Piola scene or study", to);
}

void pio_scene_reference(FILE *to)
{
    fputs("Scenes of `method: {type: mpm}`:\n\n", to);
    pio_cfg_reference(&pio_scene_table, to);
    fputs("\nScenes of `method: {type: fem}`:\n\n", to);
    pio_cfg_reference(&pio_fem_scene_table, to);
    fputs("\nStudies:\n\n", to);
    pio_cfg_reference(&pio_study_table, to);
}
