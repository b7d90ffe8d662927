/* output_folder.c -- see output_folder.h. */
#include "host/run/output_folder.h"

#include "host/base/folder.h"
#include "host/base/log.h"
#include "host/base/path.h"

#include <stdio.h>
#include <unistd.h>

void pio_forget_result(const piola_options *options, const char *directory)
{
    if (!options->dry_run) pio_folder_remove(directory, "result.json");
}

piola_status pio_session_lock_folder(pio_session *s, piola_error *error)
{
    char who[300];
    if (s->folder.lock || access(s->folder.path, F_OK)) return PIOLA_OK;
    snprintf(who, sizeof who, "piola %s %s", s->call.command, s->call.options->scene);
    const piola_status rc = pio_folder_lock(&s->folder.lock, s->folder.path, who, error);
    if (rc) return rc;
    const int removed = pio_folder_clean(s->folder.lock, "result.json");
    if (*pio_folder_notice(s->folder.lock))
        pio_log_message(s->call.log, PIO_DETAIL, "%s", pio_folder_notice(s->folder.lock));
    if (removed)
        pio_log_message(s->call.log, PIO_DETAIL, "%d files that a killed run left unfinished in %s are removed",
                        removed, s->folder.path);
    return PIOLA_OK;
}

piola_status pio_session_make_directory(pio_session *s, piola_error *error)
{
    const piola_status rc = pio_folder_make(s->folder.path, error);
    return rc ? rc : pio_session_lock_folder(s, error);
}

void pio_session_path(const pio_session *s, const char *name, char *out, size_t size)
{
    pio_path_join(out, size, s->folder.path, name); /* it fits, as pio_path_folder() checked */
}
