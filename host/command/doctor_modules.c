/* doctor_modules.c -- see doctor_modules.h. */
#include "host/command/doctor_modules.h"

#include "host/film/video.h"
#include "host/render/text_table.h"
#include "host/study/mpi_table.h"

#include <stdio.h>

/* Where a module is, and the head of its table; version 0: engines compare it when they use it. */
typedef struct {
    const char *kind, *name;
    pio_module_head wanted;
} place;

static const place places[PIO_DOCTOR_MODULES] = {
    {"text", "cairo", {PIO_TEXT_VERSION, sizeof(pio_text_table)}},
    {"video", "vpx", {PIO_VIDEO_VERSION, sizeof(pio_video_table)}},
    {"mpi", "openmpi", {PIO_MPI_VERSION, sizeof(pio_mpi_table)}},
    {"direct", "mumps", {0}},
    {"eigen", "arpack", {0}},
};
static const pio_doctor_module known[PIO_DOCTOR_MODULES] = {
    {"cairo", "pictures, films and those of reports: their text", "libcairo2", "libcairo2-dev", false, ""},
    {"libvpx", "films as WebM", "libvpx7", "libvpx-dev", false, ""},
    {"Open MPI", "studies under mpirun", "libopenmpi3", "libopenmpi-dev", false, ""},
    {"MUMPS", "direct solves of meshes on CPUs", "libmumps-seq-5.5", "libmumps-seq-dev", false, ""},
    {"ARPACK", "vibration modes of meshes", "libarpack2", "libarpack2-dev", false, ""},
};

void pio_doctor_modules_find(pio_doctor_module out[PIO_DOCTOR_MODULES])
{
    char folder[PIO_PATH];
    pio_module_folder(folder, sizeof folder);
    for (int i = 0; i < PIO_DOCTOR_MODULES; i++) {
        out[i] = known[i];
        const void *table = pio_module_open(folder, places[i].kind, places[i].name, places[i].wanted, out[i].why);
        out[i].found = table != NULL;
        if (i > 0 || !table) continue;
        const pio_text_table *text = table; /* letters are of a font, which another package brings */
        out[i].found = text->open(out[i].why, sizeof out[i].why);
        if (!out[i].found) out[i].package = "fonts-dejavu-core";
    }
}

void pio_doctor_modules_print(const pio_doctor_module *modules)
{
    printf("\nOptional modules\n");
    for (int i = 0; i < PIO_DOCTOR_MODULES; i++) {
        const pio_doctor_module *m = &modules[i];
        printf("  %-14s %-3s  %s\n", m->library, m->found ? "yes" : "no", m->brings);
        if (!m->found)
            printf("  %-19s %s: install it (Debian: %s; to build Piola with it, %s)\n", "", m->why, m->package,
                   m->build_package);
    }
}

void pio_doctor_modules_json(const pio_doctor_module *modules, pio_json *json)
{
    pio_json_begin_array(json, "modules");
    for (int i = 0; i < PIO_DOCTOR_MODULES; i++) {
        const pio_doctor_module *m = &modules[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "library", m->library);
        pio_json_string(json, "brings", m->brings);
        pio_json_bool(json, "found", m->found);
        pio_json_string(json, "why", m->found ? NULL : m->why);
        pio_json_string(json, "package", m->package);
        pio_json_string(json, "build_package", m->build_package);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}
