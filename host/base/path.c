/* path.c -- see path.h. */
#include "host/base/path.h"

#include "host/base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool pio_path_join(char *out, size_t size, const char *folder, const char *name)
{
    const int n = snprintf(out, size, "%s/%s", folder, name);
    if (n >= 0 && (size_t)n < size) return true;
    out[0] = '\0';
    return false;
}

piola_status pio_path_folder(const char *folder, piola_error *error)
{
    const size_t length = strlen(folder);
    if (length <= PIO_FOLDER_MOST) return PIOLA_OK;
    return pio_fail(error, PIOLA_CANNOT_CREATE,
                    "a folder for results whose name has %zu bytes, at most %d are taken: %.60s...%s", length,
                    PIO_FOLDER_MOST, folder, folder + length - 60);
}

/* Returns whether a component of the path is "..". */
static bool has_parent_step(const char *path)
{
    for (const char *at = path; *at; at += strspn(at, "/")) {
        const size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') return true;
        at += length;
    }
    return false;
}

/* Finds `path` itself or its nearest existing folder, with all links followed. Returns false if the missing part has
 * "..", or if a name cannot be looked up. */
static bool nearest_real(const char *path, char real[PATH_MAX])
{
    char shorter[PATH_MAX];
    struct stat st;
    size_t length = strlen(path);
    if (!length || length >= sizeof shorter) return false;
    memcpy(shorter, path, length + 1);
    while (!realpath(length ? shorter : ".", real)) {
        if (errno != ENOENT || !length || !lstat(shorter, &st)) return false; /* or a link to a missing file */
        while (length && shorter[length - 1] == '/') length--;
        while (length && shorter[length - 1] != '/') length--;
        shorter[length] = '\0';
    }
    return !has_parent_step(path + length);
}

bool pio_path_allowed(const char *path, const pio_allowed *allowed)
{
    char real[PATH_MAX], top[PATH_MAX];
    if (!nearest_real(path, real)) return false;
    for (size_t i = 0; i < allowed->n; i++) {
        if (!realpath(allowed->paths[i], top)) continue;
        const size_t length = strlen(top);
        if (!strncmp(real, top, length) && (!real[length] || real[length] == '/' || top[length - 1] == '/'))
            return true;
    }
    return false;
}

/* Returns whether the components of a relative path stay at or below its start. */
static bool stays_below(const char *path)
{
    int depth = 0;
    if (*path == '/') return false;
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            if (--depth < 0) return false;
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            depth++;
        }
        path += length;
        path += strspn(path, "/");
    }
    return true;
}

piola_status pio_path_beneath(const char *folder, const char *relative, const pio_allowed *allowed, char *out,
                              size_t size, piola_error *error)
{
    char real[PATH_MAX];
    const bool inside = stays_below(relative), whole = *relative == '/' || strcmp(folder, ".") == 0;
    if (!*relative) return pio_fail(error, PIOLA_NO_INPUT, "an empty path; name a file below %s", folder);
    const int n = whole ? snprintf(out, size, "%s", relative)
                        : snprintf(out, size, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", relative);
    const bool fits = n >= 0 && (size_t)n < size, named = fits && pio_path_allowed(out, allowed);
    if (!inside && !named)
        return pio_fail(error, PIOLA_REFUSED,
                        "'%s' leaves the scene's folder; name a file below it, or allow it with --allow PATH",
                        relative);
    if (!fits) return pio_fail(error, PIOLA_NO_INPUT, "a path of more than %zu bytes", size - 1);
    if (!realpath(folder, real)) return pio_fail(error, PIOLA_NO_INPUT, "%s: %s", folder, strerror(errno));
    if (!realpath(out, real)) return pio_fail(error, PIOLA_NO_INPUT, "no file '%s': %s", out, strerror(errno));
    if (!named && !pio_path_allowed(out, &(pio_allowed){&folder, 1}))
        return pio_fail(error, PIOLA_REFUSED,
                        "'%s' leaves the scene's folder by a symbolic link; name a file below it, or allow it with "
                        "--allow PATH",
                        relative);
    return PIOLA_OK;
}
