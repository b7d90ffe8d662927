/* section_files.c -- the scene, what made the files, and the files with their checksums (report_parts.h). */
#include "host/report/report_parts.h"

#include "host/base/fail.h"
#include "host/base/sha256.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void pio_section_scene(FILE *to, const pio_report *r)
{
    pio_html_section(to, "scene", "Scene");
    if (!r->verbatim && !r->resolved) {
        pio_html_missing(to, "The scene is not in this folder: states.vtkhdf has its text. %s", r->states.why);
        pio_html_section_end(to);
        return;
    }
    if (r->verbatim && *r->verbatim) {
        fputs("<details open><summary>The scene file, as it was read</summary>\n<pre><code>", to);
        pio_html_text(to, r->verbatim);
        fputs("</code></pre></details>\n", to);
    }
    if (r->resolved && *r->resolved) {
        fputs("<details><summary>The scene that was computed: overrides, includes and every default filled in, in SI "
              "units</summary>\n<pre><code>",
              to);
        pio_html_text(to, r->resolved);
        fputs("</code></pre></details>\n", to);
    }
    pio_html_section_end(to);
}

/* ---- what made them -------------------------------------------------------------------------------------- */

static void write_manifest(FILE *to, const pio_report *r)
{
    const pio_snapshot_info *info = r->states.info ? r->states.info : r->history.info;
    if (!info) {
        pio_html_missing(to, "The manifest, with the checksums of input files, is in states.vtkhdf. %s",
                         r->sweep ? "Each member has its own." : r->states.why);
        return;
    }
    fputs("<h3>Manifest: what the bits depend on</h3>\n<table class=\"facts\"><tbody>\n", to);
    for (size_t i = 0; i < info->n_pairs; i++)
        if (*info->pairs[i].value) pio_html_row(to, info->pairs[i].key, "%s", info->pairs[i].value);
    fputs("</tbody></table>\n", to);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* Files that are not results: those of this program that come and go. */
static int wanted(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Writes the row of a file; folders and what is no file are left out. */
static piola_status write_file(FILE *to, const char *folder, const char *name, piola_error *error)
{
    char path[PIO_PATH], sha256[PIO_SHA256_TEXT];
    struct stat about;
    if (!pio_path_join(path, sizeof path, folder, name) || lstat(path, &about) || !S_ISREG(about.st_mode))
        return PIOLA_OK;
    const piola_status rc = pio_sha256_of_file(path, sha256, error);
    if (rc) return rc;
    fputs("<tr><th scope=\"row\">", to);
    pio_html_text(to, name);
    fprintf(to, "</th><td class=\"n\">%lld</td><td class=\"hash\">%s</td></tr>\n", (long long)about.st_size, sha256);
    return PIOLA_OK;
}

static void write_integrity(FILE *to, const char *name, const pio_report_states *s)
{
    if (s->info)
        pio_html_row(to, name, "%s; %s", pio_snapshot_integrity_text(s->info->integrity),
                     s->info->complete ? "complete" : "not complete: the run was cut off");
    else
        pio_html_row(to, name, "%s", s->why);
}

piola_status pio_section_files(FILE *to, const pio_report *r, const char *own, piola_error *error)
{
    struct dirent **names = NULL;
    piola_status rc = PIOLA_OK;
    const int n = scandir(r->folder, &names, wanted, alphasort);
    pio_html_section(to, "files", "Files");
    if (!r->sweep) {
        fputs("<table class=\"facts\"><tbody>\n", to);
        write_integrity(to, "states.vtkhdf", &r->states);
        if (!strcmp(pio_report_command(r), "optimize")) write_integrity(to, "history.vtkhdf", &r->history);
        fputs("</tbody></table>\n", to);
    }
    fputs("<h3>Files of the folder</h3>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\">file</th>"
          "<th class=\"n\" scope=\"col\">bytes</th><th scope=\"col\">SHA-256</th></tr></thead>\n<tbody>\n",
          to);
    for (int i = 0; i < n; i++) {
        if (!rc && (!own || strcmp(own, names[i]->d_name) != 0))
            rc = write_file(to, r->folder, names[i]->d_name, error);
        free(names[i]);
    }
    free(names);
    fputs("</tbody></table></div>\n", to);
    write_manifest(to, r);
    pio_html_section_end(to);
    if (n < 0) return pio_fail(error, PIOLA_NO_INPUT, "cannot list the folder '%.1000s'", r->folder);
    return rc;
}
