/* mesh_msh.c -- reader of Gmsh files: the file as a whole (Gmsh Reference Manual, "MSH file format" and "MSH file
 * format version 2 (Legacy)"). */
#include "host/mesh/mesh_msh.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pio_mesh_is_msh(const char *path)
{
    static const char magic[] = "$MeshFormat";
    char start[sizeof magic] = {0};
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".msh") == 0) return true;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    const ssize_t n = read(file, start, sizeof magic - 1);
    close(file);
    return n == (ssize_t)sizeof magic - 1 && strcmp(start, magic) == 0;
}

/* ---- $MeshFormat ------------------------------------------------------------------------------------------- */

static void read_version(msh_input *in)
{
    if (!msh_read_word(in, "a version")) return;
    char *end;
    const double version = strtod(in->word, &end);
    in->old = fabs(version - 2.2) < 1e-9;
    if (*end || end == in->word)
        msh_fail(in, "'%s' where a version is expected; 2.2 and 4.1 are read", in->word);
    else if (!in->old && !(fabs(version - 4.1) < 1e-9))
        msh_fail(in,
                 "MSH version %s is not read; save it as 4.1 or 2.2 (gmsh -format msh41, Mesh.MshFileVersion = 4.1)",
                 in->word);
}

static void read_byte_order(msh_input *in)
{
    in->binary = true;
    const int32_t one = msh_int(in, "the number 1 that shows the byte order");
    in->swap = one == 0x01000000;
    if (one != 1 && !in->swap)
        msh_fail(in, "the number that shows the byte order is %d; it must be 1 in one order or the other", one);
    msh_end_line(in, "the number 1");
}

static void read_format(msh_input *in)
{
    msh_skip_space(in);
    if (!msh_read_word(in, "$MeshFormat")) return;
    if (strcmp(in->word, "$NOD") == 0) {
        msh_fail(in, "MSH version 1 is not read; save it as 4.1 or 2.2 (gmsh -format msh41)");
    } else if (strcmp(in->word, "$MeshFormat") != 0) {
        msh_fail(in, "'%s' where $MeshFormat is expected; this is no Gmsh .msh file", in->word);
    }
    msh_end_line(in, "$MeshFormat");
    read_version(in);
    const bool binary = msh_text_integer(in, 0, 1, "the kind of file (0: text, 1: binary)") == 1;
    const int64_t size = msh_text_integer(in, 0, INT32_MAX, "the size of numbers");
    if (size != 8) msh_fail(in, "numbers of %lld bytes; only 8 are read", (long long)size);
    msh_end_line(in, "the size of numbers");
    if (!in->status && binary) read_byte_order(in);
    msh_end_section(in, "MeshFormat");
}

/* ---- $PhysicalNames ---------------------------------------------------------------------------------------- */

/* Reads a name in double quotes, UTF-8. */
static void read_name(msh_input *in, char name[MSH_NAME + 1])
{
    size_t n = 0;
    int c;
    while ((c = msh_peek(in)) == ' ' || c == '\t') msh_next(in);
    if (c != '"') {
        msh_fail(in, "a physical name must stand in double quotes");
        return;
    }
    msh_next(in);
    for (c = msh_peek(in); c != '"' && !in->status; c = msh_peek(in)) {
        if (c == EOF || c == '\n' || c == '\r') {
            msh_fail(in, "a physical name without its closing quote");
        } else if (c < 32 || c == 127) {
            msh_fail(
                in, "a physical name with the control character 0x%02x at its place %zu; name it by letters and digits",
                c, n + 1);
        } else if (n == MSH_NAME) {
            msh_fail(in, "a physical name of more than %d characters", MSH_NAME);
        } else {
            name[n++] = (char)c;
            msh_next(in);
        }
    }
    name[n] = '\0';
    msh_next(in);
    if (!n) msh_fail(in, "an empty physical name; leave it out or give one");
}

static void read_one_name(msh_input *in, pio_tag_map *named)
{
    char name[MSH_NAME + 1];
    msh_skip_space(in);
    const int dimension = (int)msh_text_integer(in, 0, 3, "the dimension of a physical group");
    const int32_t tag = (int32_t)msh_text_integer(in, 1, INT32_MAX, "the tag of a physical group");
    read_name(in, name);
    if (in->status) return;
    const int64_t key = pio_tag_key(dimension, tag);
    if (pio_tag_find(named, key) >= 0) {
        msh_fail(in, "the physical group %d of dimension %d is named twice", tag, dimension);
        return;
    }
    const int32_t group = pio_raw_group(&in->raw, dimension, tag);
    char *copy = strdup(name);
    if (group < 0 || !copy || !pio_tag_add(named, key, group)) {
        free(copy);
        msh_no_memory(in, sizeof name, "a physical name");
        return;
    }
    free(in->raw.mesh.groups[group].name);
    in->raw.mesh.groups[group].name = copy;
    msh_end_line(in, "a physical name");
}

static void read_names(msh_input *in)
{
    pio_tag_map named = {0};
    const int64_t n = msh_text_integer(in, 0, INT32_MAX, "the number of physical names");
    msh_check_count(in, n, 8, "physical names");
    msh_end_line(in, "the number of physical names");
    for (int64_t i = 0; i < n && !in->status; i++) read_one_name(in, &named);
    pio_tag_free(&named);
    msh_end_section(in, "PhysicalNames");
}

/* ---- sections ---------------------------------------------------------------------------------------------- */

typedef enum { NAMES, ENTITIES, NODES, ELEMENTS, OTHER } section;

static const char *const section_name[OTHER] = {"PhysicalNames", "Entities", "Nodes", "Elements"};

static section section_of(const msh_input *in, const char *name)
{
    int s = 0;
    while (s < OTHER && strcmp(name, section_name[s]) != 0) s++;
    return s == ENTITIES && in->old ? OTHER : (section)s;
}

/* Checks that this section may stand here. */
static void check_section(msh_input *in, section s, const char *name)
{
    bool *const has[OTHER] = {&in->has_names, &in->has_entities, &in->has_nodes, &in->has_elements};
    if (s == ENTITIES && in->has_elements) msh_fail(in, "$Entities after $Elements; it must come before it");
    if (s == ELEMENTS && !in->has_nodes) msh_fail(in, "$Elements before $Nodes; the nodes must come first");
    if (s != OTHER && *has[s]) msh_fail(in, "a second $%s; the section may appear only once", name);
    if (strcmp(name, "PartitionedEntities") == 0)
        msh_fail(in,
                 "the mesh is partitioned ($PartitionedEntities); save it whole: unpartition it, or do not use -part");
    if (strcmp(name, "ParametricNodes") == 0)
        msh_fail(in, "the nodes are in $ParametricNodes; save them with Mesh.SaveParametric = 0, or as MSH 4.1");
    if (s != OTHER) *has[s] = true;
}

static void skip(msh_input *in, const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(name, "Periodic") == 0)
        pio_mesh_warn(&in->raw.mesh, "$Periodic is not read: nodes that it couples stay independent");
    else if (length > 4 && strcmp(name + length - 4, "Data") == 0)
        pio_mesh_warn(&in->raw.mesh, "$%s is not read: only the mesh is read, not its data", name);
    else if (strcmp(name, "Comments") != 0)
        pio_mesh_warn(&in->raw.mesh, "the section $%s is not known and not read", name);
    msh_skip_section(in, name);
}

static void read_section(msh_input *in)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char name[MSH_WORD];
    if (!msh_read_word(in, "a section")) return;
    snprintf(name, sizeof name, "%s", in->word + 1);
    if (in->word[0] != '$' || !*name || name[strspn(name, letters)]) {
        msh_fail(in, "'%s' where a section ($Nodes, $Elements, ...) or the end of the file is expected", in->word);
        return;
    }
    const section s = section_of(in, name);
    check_section(in, s, name);
    msh_end_line(in, "the name of a section");
    if (in->status) return;
    if (s == NAMES) read_names(in);
    if (s == ENTITIES) msh_read_entities(in);
    if (s == NODES) in->old ? msh_read_nodes2(in) : msh_read_nodes4(in);
    if (s == ELEMENTS) in->old ? msh_read_elements2(in) : msh_read_elements4(in);
    if (s == OTHER) skip(in, name);
}

static void read_sections(msh_input *in)
{
    read_format(in);
    in->raw.repeats = in->old;
    for (msh_skip_space(in); !in->status && msh_peek(in) != EOF; msh_skip_space(in)) read_section(in);
    if (!in->has_nodes || !in->has_elements)
        msh_fail(in, "the file ends without $%s; a mesh needs $Nodes and $Elements",
                 in->has_nodes ? "Elements" : "Nodes");
}

static piola_status open_file(msh_input *in, piola_error *error)
{
    struct stat about;
    const int file = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%.500s': %s", in->path, strerror(errno));
    const bool known = fstat(file, &about) == 0;
    if (!known || !S_ISREG(about.st_mode)) {
        close(file);
        return pio_fail(error, PIOLA_NO_INPUT, "'%.500s' is not a file; give a Gmsh .msh file", in->path);
    }
    in->size = (int64_t)about.st_size;
    in->file = fdopen(file, "rb");
    if (in->file) return PIOLA_OK;
    close(file);
    return pio_fail_memory(error, sizeof *in, "a file");
}

piola_status pio_mesh_read(pio_mesh *out, const char *path, piola_error *error)
{
    *out = (pio_mesh){0};
    msh_input *in = calloc(1, sizeof *in);
    if (!in) return pio_fail_memory(error, sizeof *in, "reading a mesh");
    in->path = path;
    in->line = 1;
    in->error = error;
    piola_status status = open_file(in, error);
    if (!status) {
        pio_locale old = pio_locale_begin();
        in->raw.mesh.name = strdup(path);
        if (!in->raw.mesh.name) msh_no_memory(in, strlen(path) + 1, "the name of a mesh");
        read_sections(in);
        pio_locale_end(old);
        fclose(in->file);
        status = in->status;
    }
    if (!status)
        status = pio_raw_finish(&in->raw, out, error);
    else
        pio_raw_free(&in->raw);
    free(in);
    return status;
}
