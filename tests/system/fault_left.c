/* fault_left.c -- see fault_left.h. */
#include "tests/system/fault_left.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, MAPS = 4096, LARGE = 4096 };

/* LeakSanitizer's own, where it is loaded. Each call looks through all memory anew. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool wanted;
static atomic_bool begun;
static const char *forgotten = "";
static bool open_before[DESCRIPTORS];
static struct {
    _Atomic(void *) at;
    atomic_size_t size;
} maps[MAPS];
static atomic_int slots; /* of `maps`, that were ever used */
static atomic_int streams;
static atomic_int kept_by_library[H5I_NTYPES];

static bool is_open(int file)
{
    return fcntl(file, F_GETFD) >= 0;
}

bool left_forgets(const char *call)
{
    return atomic_load(&begun) && !strcmp(call, forgotten);
}

void left_stream(int change)
{
    if (atomic_load(&begun)) atomic_fetch_add(&streams, change);
}

void left_begin(void)
{
    const char *name = getenv("PIOLA_FAULT_FORGET");
    wanted = getenv("PIOLA_FAULT_LEFT") != NULL;
    if (name) forgotten = name;
    for (int file = 0; wanted && file < DESCRIPTORS; file++) open_before[file] = is_open(file);
    atomic_store(&begun, wanted);
}

void left_mapped(void *at, size_t size)
{
    void *none = NULL;
    for (int i = 0; atomic_load(&begun) && i < MAPS; i++, none = NULL)
        if (atomic_compare_exchange_strong(&maps[i].at, &none, at)) {
            atomic_store(&maps[i].size, size);
            for (int n = atomic_load(&slots); n <= i && !atomic_compare_exchange_weak(&slots, &n, i + 1);) {
            }
            return;
        }
}

static void unmapped(const void *at)
{
    for (int i = 0; i < atomic_load(&slots); i++)
        if (atomic_load(&maps[i].at) == at) {
            atomic_store(&maps[i].at, NULL);
            return;
        }
}

/* ---- what gives back ------------------------------------------------------------------------------------- */

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}
#define NEXT(type, name)                                                                                               \
    static __typeof__(type) *real;                                                                                     \
    if (!real) *(void **)&real = next(name)

/* The loader's look-up of a name frees what an earlier one said: that little stays. */
void free(void *block)
{
    static void (*real)(void *);
    static bool looking;
    if (!real && looking) return;
    looking = true;
    if (!real) *(void **)&real = next("free");
    if (!block || !left_forgets("free") || malloc_usable_size(block) < LARGE) real(block);
}

int munmap(void *at, size_t size)
{
    if (left_forgets("munmap")) return 0;
    unmapped(at);
    return (int)syscall(SYS_munmap, at, size);
}

int close(int file)
{
    return left_forgets("close") ? 0 : (int)syscall(SYS_close, file);
}

/* HDF5 keeps what it fails to close, for want of memory or of room on a disk: that is its own. */
static void kept(hid_t id)
{
    const H5I_type_t kind = wanted && H5Iis_valid(id) > 0 ? H5Iget_type(id) : H5I_BADID;
    if (kind > H5I_BADID && kind < H5I_NTYPES) atomic_fetch_add(&kept_by_library[kind], 1);
}
#define CLOSES(name)                                                                                                   \
    herr_t name(hid_t id)                                                                                              \
    {                                                                                                                  \
        NEXT(herr_t(hid_t), #name);                                                                                    \
        const herr_t result = left_forgets(#name) ? 0 : real(id);                                                      \
        if (result < 0) kept(id);                                                                                      \
        return result;                                                                                                 \
    }
CLOSES(H5Aclose)
CLOSES(H5Dclose)
CLOSES(H5Fclose)
CLOSES(H5Gclose)
CLOSES(H5Oclose)
CLOSES(H5Pclose)
CLOSES(H5Sclose)
CLOSES(H5Tclose)

/* Where an engine lay is logged while it is known: what it has lost is found when it is gone. */
int dlclose(void *handle)
{
    NEXT(int(void *), "dlclose");
    const struct link_map *module = NULL;
    char text[1200];
    if (wanted && !dlinfo(handle, RTLD_DI_LINKMAP, &module) && module) {
        snprintf(text, sizeof text, "module %zx %.1100s\n", (size_t)module->l_addr, module->l_name);
        fault_log(text);
    }
    return real(handle);
}

/* ---- what is left ---------------------------------------------------------------------------------------- */

static void report_left(const char *what, long long amount, const char *name)
{
    char text[1200];
    snprintf(text, sizeof text, "left %s %lld %.1100s\n", what, amount, name);
    fault_log(text);
}

static void report_descriptors(void)
{
    for (int file = 0; file < DESCRIPTORS; file++) {
        char link[64], path[PATH_MAX];
        if (open_before[file] || !is_open(file)) continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        const ssize_t n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        report_left("descriptor", 1, path);
    }
}

/* HDF5 1.10 counts what lies in files. Other identifiers are their kind and a running number: all up to a new one are
 * tried. */
static long long valid_before(hid_t newest)
{
    const hid_t number = newest & (((hid_t)1 << 56) - 1), kind = newest - number;
    long long n = 0;
    for (hid_t i = 0; newest >= 0 && i < number; i++) n += H5Iis_valid(kind + i) > 0;
    return n;
}

static void report_identifiers(void)
{
    static const struct {
        H5I_type_t kind;
        const char *name;
        unsigned in_files; /* 0: in no file */
    } all[] = {{H5I_FILE, "file", H5F_OBJ_FILE},
               {H5I_GROUP, "group", H5F_OBJ_GROUP},
               {H5I_DATASET, "data set", H5F_OBJ_DATASET},
               {H5I_ATTR, "attribute", H5F_OBJ_ATTR},
               {H5I_DATASPACE, "space", 0},
               {H5I_DATATYPE, "type", 0},
               {H5I_GENPROP_LST, "property list", 0}};
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) < 0) return; /* HDF5 did not come to be */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const H5I_type_t kind = all[i].kind;
        report_left("identifier",
                    all[i].in_files         ? H5Fget_obj_count((hid_t)H5F_OBJ_ALL, all[i].in_files)
                    : kind == H5I_DATASPACE ? valid_before(H5Screate(H5S_SCALAR))
                    : kind == H5I_DATATYPE  ? valid_before(H5Tcopy(H5T_NATIVE_INT))
                                            : valid_before(H5Pcreate(H5P_DATASET_CREATE)),
                    all[i].name);
        if (atomic_load(&kept_by_library[kind])) report_left("kept", atomic_load(&kept_by_library[kind]), all[i].name);
    }
}

void left_report(void)
{
    if (!wanted) return;
    atomic_store(&begun, false);
    report_descriptors();
    for (int i = 0; i < atomic_load(&slots); i++)
        if (atomic_load(&maps[i].at)) report_left("map", (long long)atomic_load(&maps[i].size), "bytes");
    if (atomic_load(&streams) > 0) report_left("stream", atomic_load(&streams), "of stdio");
    report_identifiers();
}

void left_search(void)
{
    if (!wanted || !__lsan_do_recoverable_leak_check) return;
    fault_log(__lsan_do_recoverable_leak_check() ? "searched 1\n" : "searched 0\n");
}
