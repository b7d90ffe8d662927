/* file.c -- see file.h. */
#include "host/base/file.h"

#include "host/base/fail.h"
#include "host/base/large.h"
#include "host/base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 16 << 20 }; /* bytes per read */

static piola_status read_all(int file, const char *path, size_t most, char **text, size_t *size, piola_error *error)
{
    struct stat about;
    if (fstat(file, &about)) return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s': it is not a regular file", path);
    if (about.st_size < 0 || (unsigned long long)about.st_size > most)
        return pio_fail(error, PIOLA_BAD_DATA, "cannot read '%s': it has %lld bytes, at most %zu are read", path,
                        (long long)about.st_size, most);
    size_t want = (size_t)about.st_size, got = 0;
    char *bytes = pio_large_alloc(want + 1);
    if (!bytes)
        return pio_fail(error, PIOLA_NO_MEMORY, "cannot read '%s': %zu bytes of memory are needed", path, want + 1);
    while (got < want) {
        const piola_status stopped = pio_stop("reading a file", error);
        if (stopped) {
            free(bytes);
            return stopped;
        }
        ssize_t n = read(file, bytes + got, want - got < PIECE ? want - got : PIECE);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            piola_status status = pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s': %s", path, strerror(errno));
            free(bytes);
            return status;
        }
        if (n == 0) break; /* shortened while being read */
        got += (size_t)n;
    }
    bytes[got] = '\0';
    *text = bytes;
    *size = got;
    return PIOLA_OK;
}

piola_status pio_file_read(const char *path, size_t most, char **text, size_t *size, piola_error *error)
{
    *text = NULL;
    *size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return pio_fail(error, PIOLA_NO_INPUT, "cannot read '%s': %s", path, strerror(errno));
    piola_status status = read_all(file, path, most, text, size, error);
    close(file);
    return status;
}
