/* scene_load.c -- a scene file from disk to a pio_scene and back to text. */
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cfg_case pio_fem_case = {"method", "type", "fem", &pio_fem_scene_table};

/* Vectors are as long as method.dimension says; without a good one they may have 2 or 3 entries. */
static int peek_dimension(const cfg_doc *doc)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, "method.dimension", &found);
    if (!found || node->kind != CFG_SCALAR) return 0;
    return strcmp(node->text, "2") == 0 ? 2 : strcmp(node->text, "3") == 0 ? 3 : 0;
}

/* Returns the table of the scene's method; that of mpm where `method.type` is not legal. */
static const cfg_table *table_of(const cfg_doc *doc)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, pio_fem_case.mapping, &found);
    node = found ? pio_cfg_get(node, pio_fem_case.key, NULL) : NULL;
    return node && node->kind == CFG_SCALAR && !strcmp(node->text, pio_fem_case.value) ? pio_fem_case.table
                                                                                       : &pio_scene_table;
}

/* Decodes the loaded document by the table of its method; messages say where a key is one of the other method. */
static bool decode(cfg_doc *doc, pio_scene *scene)
{
    const cfg_table *table = table_of(doc);
    const bool fem = table == pio_fem_case.table;
    doc->dimension = peek_dimension(doc);
    doc->other = fem ? &pio_scene_table : pio_fem_case.table;
    doc->other_kind = fem ? "scenes of `method: {type: mpm}`" : "scenes of `method: {type: fem}`";
    return pio_cfg_decode(doc, table, scene);
}

/* Checks that what --allow names exists. */
static void check_allowed(cfg_doc *doc)
{
    for (size_t i = 0; i < doc->allowed.n; i++) {
        const int why = access(doc->allowed.paths[i], F_OK) ? errno : 0;
        cfg_file *file = why ? pio_cfg_file(doc, "--allow", "", 0) : NULL;
        if (file)
            pio_cfg_report(doc, PIOLA_NO_INPUT, (cfg_mark){file, 0, 0}, "", "--allow %s: %s", doc->allowed.paths[i],
                           strerror(why));
    }
}

/* Returns whether results may be written where the scene says: below the current folder or the scene's own, and where
 * the user allows it or sets it. */
static bool may_write(const cfg_doc *doc, const char *directory, bool set)
{
    const char *own[] = {".", doc->folder};
    return set || pio_path_allowed(directory, &(pio_allowed){own, 2}) || pio_path_allowed(directory, &doc->allowed);
}

static const cfg_node *directory_of(const cfg_doc *doc)
{
    bool found;
    return pio_cfg_find(doc->root, "output.directory", &found);
}

static void check_directory(const pio_scene *scene, cfg_doc *doc)
{
    const cfg_node *node = directory_of(doc);
    const char *directory = scene->output.directory;
    if (!directory || may_write(doc, directory, node->mark.file->set)) return;
    pio_cfg_report(doc, PIOLA_REFUSED, node->mark, "output.directory",
                   "'%s' is neither below the scene's folder nor below the current one; name the folder by -o, or "
                   "allow it with --allow PATH",
                   pio_cfg_printable(doc, directory));
}

/* Applies what a study says of the scene. Returns false after a fault. */
static bool apply_overlay(cfg_doc *doc, const pio_scene_overlay *over)
{
    const size_t before = doc->n_messages;
    pio_cfg_drop(doc->root, "design");
    pio_cfg_drop(doc->root, "optimizer");
    for (size_t i = 0; over->set && i < over->set->n; i++) {
        const cfg_node *key = over->set->keys[i];
        pio_cfg_place(doc, key->text, strlen(key->text), key->mark, over->set->items[i]);
    }
    for (size_t i = 0; i < over->keys->n; i++) {
        pio_cfg_drop(doc->root, over->keys->keys[i]->text);
        pio_cfg_put(doc, doc->root, over->keys->keys[i], over->keys->items[i]);
    }
    pio_cfg_input(doc, over->file, over->sha256);
    return doc->n_messages == before && !doc->no_memory;
}

static void load(pio_scene *scene, cfg_doc *doc, const pio_scene_text *from, const pio_scene_leave *leave,
                 const char *const *sets, size_t n_sets)
{
    const char *path = from->path;
    doc->allowed = leave->allowed;
    scene->input.source->experiment = from->over != NULL;
    check_allowed(doc);
    if (!pio_cfg_load(doc, path, sets, n_sets)) return;
    if (from->over && !apply_overlay(doc, from->over)) return;
    if (!decode(doc, scene)) return;
    pio_scene_complete(scene, doc);
    scene->input.path = pio_pool_text(&doc->pool, path, strlen(path));
    scene->input.text = doc->text;
    doc->no_memory |= !scene->input.path || !scene->input.text;
    if (!doc->no_memory && leave->writes) check_directory(scene, doc);
    if (!doc->no_memory) pio_scene_validate(scene, doc);
}

piola_status pio_scene_load(pio_scene **out, const pio_scene_text *from, const pio_scene_leave *leave,
                            const char *const *sets, size_t n_sets, FILE *errors, piola_error *error)
{
    *out = NULL;
    pio_scene *scene = calloc(1, sizeof *scene);
    struct scene_source *source = calloc(1, sizeof *source);
    if (!scene || !source) {
        free(scene);
        free(source);
        if (errors) fprintf(errors, "piola: error: no memory to read the scene\n");
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory to read the scene");
    }
    scene->input.source = source;
    source->doc.contents = from->text;
    source->doc.contents_size = from->size;
    pio_locale old = pio_locale_begin();
    load(scene, &source->doc, from, leave, sets, n_sets);
    piola_status status = pio_cfg_print_messages(&source->doc, errors, error);
    pio_locale_end(old);
    if (status)
        pio_scene_free(scene);
    else
        *out = scene;
    return status;
}

bool pio_scene_folder(const char *path, const pio_allowed *allowed, const char *const *sets, size_t n_sets, char *out,
                      size_t size)
{
    pio_scene scene = {0};
    cfg_doc doc = {.allowed = *allowed};
    const pio_locale old = pio_locale_begin();
    if (pio_cfg_load(&doc, path, sets, n_sets))
        decode(&doc, &scene); /* what is legal of it is there, whatever is not */
    pio_locale_end(old);
    bool known = scene.output.directory || scene.input.name;
    if (scene.output.directory)
        known = (size_t)snprintf(out, size, "%s", scene.output.directory) < size;
    else if (known)
        pio_scene_default_folder(scene.input.name, out, size);
    known = known && may_write(&doc, out, directory_of(&doc)->mark.file->set);
    pio_cfg_free(&doc);
    return known;
}

void pio_scene_resolved(const pio_scene *scene, FILE *to)
{
    pio_cfg_resolved(scene->method.type == SCENE_FEM ? &pio_fem_scene_table : &pio_scene_table, scene,
                     scene->method.dimension, to);
}
