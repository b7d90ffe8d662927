/* scene.c -- release of a scene, faults at the position of a key, input files. */
#include "host/scene/scene.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_surface.h"

#include <stdlib.h>

void pio_scene_free(pio_scene *scene)
{
    if (!scene) return;
    pio_scene_drop_surfaces(scene);
    pio_cfg_free(&scene->input.source->doc);
    free(scene->input.source);
    free(scene);
}

piola_status pio_scene_fault(const pio_scene *scene, piola_error *error, const char *path, const char *format, ...)
{
    bool found;
    if (!error) return PIOLA_BAD_DATA;
    const cfg_node *node = pio_cfg_find(scene->input.source->doc.root, path, &found);
    char what[800], excerpt[600];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    pio_cfg_excerpt(node->mark, excerpt, sizeof excerpt);
    return pio_fail(error, PIOLA_BAD_DATA, "%s:%d:%d: error: %.200s%s%s\n%s", node->mark.file->name, node->mark.line,
                    node->mark.column, path, *path ? ": " : "", what, excerpt);
}

piola_status pio_scene_attribute_error(const pio_scene *scene, piola_status rc, piola_error *error, const char *path)
{
    if (rc != PIOLA_BAD_DATA || !error) return rc;
    const piola_error said = *error;
    pio_scene_fault(scene, error, path, "%s", said.message);
    error->failure = said.failure;
    return rc;
}

piola_status pio_scene_file(const pio_scene *scene, const char *relative, char *out, size_t size, piola_error *error)
{
    const cfg_doc *doc = &scene->input.source->doc;
    return pio_path_beneath(doc->folder, relative, &doc->allowed, out, size, error);
}

const char *pio_scene_input(const pio_scene *scene, size_t i, const char **sha256)
{
    const cfg_input *input = scene->input.source->doc.inputs;
    while (input && i--) input = input->next;
    if (input) *sha256 = input->sha256;
    return input ? input->path : NULL;
}
