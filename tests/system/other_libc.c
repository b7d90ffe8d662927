/* other_libc.c -- preloaded: the C library says that it is another version, as on another machine. */
#include <gnu/libc-version.h>

const char *gnu_get_libc_version(void)
{
    return "9.99";
}
