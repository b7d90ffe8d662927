/* piola.c -- the command `piola`: arguments in, one call of the public interface, exit code out. */
#include "tools/guard.h"
#include "tools/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the arguments as one line that a shell reads back unchanged; NULL without memory. */
static char *command_line(int argc, char **argv)
{
    size_t size = 1;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *line = malloc(size), *to = line;
    for (int i = 0; line && i < argc; i++) {
        const char *word = i ? argv[i] : "piola";
        bool plain = *word != '\0';
        for (const char *at = word; *at; at++) plain &= isalnum((unsigned char)*at) || strchr("_-./=:,+@%", *at);
        if (i) *to++ = ' ';
        if (!plain) *to++ = '\'';
        for (; *word; word++)
            if (*word == '\'')
                to = memcpy(to, "'\\''", 4), to += 4;
            else
                *to++ = *word;
        if (!plain) *to++ = '\'';
    }
    if (line) *to = '\0';
    return line;
}

/* Prints an error. A message that begins with its place (file:line:col: error: ...) is printed unchanged. */
static void print_error(const piola_error *error)
{
    const char *line_end = strchr(error->message, '\n'), *own = strstr(error->message, ": error: ");
    if (!error->message[0]) return;
    if (own && (!line_end || own < line_end))
        fprintf(stderr, "%s\n", error->message);
    else
        fprintf(stderr, "piola: error: %s\n", error->message);
}

static piola_status render(const piola_render_options *options, piola_error *error)
{
    const piola_status rc = piola_render(options, error);
    if (!rc) printf("wrote %s\n", options->output);
    return rc;
}

static piola_status film(const piola_film_options *options, piola_error *error)
{
    const piola_status rc = piola_film(options, error);
    if (!rc) printf("wrote %s\n", options->picture.output);
    return rc;
}

static piola_status plot(const piola_plot_options *options, piola_error *error)
{
    const piola_status rc = piola_plot(options, error);
    if (!rc) printf("wrote %s\n", options->output);
    return rc;
}

/* Runs a sweep; scripts are to run the program that this is. */
static piola_status sweep(const tool_settings *s, piola_error *error)
{
    char program[4096];
    piola_sweep_options options = s->sweep;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) program[n] = '\0';
    if (n > 0) options.program = program;
    return piola_sweep(&s->common, &options, error);
}

static piola_status run(const tool_settings *s, piola_error *error)
{
    if (s->info.no_verify)
        fprintf(stderr, "piola: warning: %s: its bytes are not compared with the checksums at its end (--no-verify)\n",
                s->argument);
    switch (s->command) {
    case TOOL_RUN:
        return piola_run(&s->common, error);
    case TOOL_GRAD:
        return piola_grad(&s->common, error);
    case TOOL_CHECK:
        return piola_check(&s->common, error);
    case TOOL_OPTIMIZE:
        return piola_optimize(&s->common, error);
    case TOOL_SWEEP:
        return sweep(s, error);
    case TOOL_PARAMS:
        return piola_params(&s->common, error);
    case TOOL_VALIDATE:
        return piola_validate(&s->common, error);
    case TOOL_SCHEMA:
        return piola_schema(s->markdown, error);
    case TOOL_INFO:
        return piola_info(&s->info, error);
    case TOOL_RENDER:
        return render(&s->render, error);
    case TOOL_FILM:
        return film(&s->film, error);
    case TOOL_PLOT:
        return plot(&s->plot, error);
    case TOOL_EXPORT:
        return piola_export(&s->export, error);
    case TOOL_REPORT:
        return piola_report(&s->report, error);
    case TOOL_DOCTOR:
        return piola_doctor(s->common.json, error);
    case TOOL_BENCH:
        break;
    case TOOL_COMMANDS:
        return PIOLA_INTERNAL;
    }
    if (!strcmp(s->argument, "memory")) return piola_bench_memory(&s->bench_memory, error);
    if (!strcmp(s->argument, "snapshot")) return piola_bench_snapshot(&s->bench_snapshot, error);
    return strcmp(s->argument, "fem") ? piola_bench_mpm(&s->bench, error) : piola_bench_fem(&s->bench_fem, error);
}

static piola_status dispatch(tool_settings *s, int argc, char **argv, piola_error *error)
{
    if (s->version) return printf("piola %s\n", PIOLA_VERSION) < 0 ? PIOLA_IO : PIOLA_OK;
    if (s->help) {
        tool_help(s->command, stdout);
        return PIOLA_OK;
    }
    char *line = command_line(argc, argv);
    s->common.command_line = line;
    const piola_status rc = run(s, error);
    free(line);
    return rc;
}

static piola_status command(int argc, char **argv)
{
    piola_error error = {0};
    tool_settings settings = tool_settings_default();
    piola_status rc;
    if (argc == 1) {
        tool_help(TOOL_COMMANDS, stderr);
        return PIOLA_USAGE;
    }
    rc = tool_parse(argc, argv, &settings, &error);
    if (!rc) rc = dispatch(&settings, argc, argv, &error);
    if (rc) print_error(&error);
    if (rc == PIOLA_USAGE && settings.command != TOOL_COMMANDS)
        fprintf(stderr, "piola: 'piola %s --help' has more\n", tool_commands[settings.command].name);
    else if (rc == PIOLA_USAGE)
        fprintf(stderr, "piola: 'piola --help' has more\n");
    tool_settings_free(&settings);
    errno = 0;
    const bool lost = fflush(stdout) || ferror(stdout);
    if (lost && !rc) {
        fprintf(stderr, "piola: error: cannot write to standard output: %s\n",
                errno ? strerror(errno) : "output was lost");
        rc = PIOLA_IO;
    }
    if (rc && rc != PIOLA_NO) piola_disown_result();
    return rc;
}

int main(int argc, char **argv)
{
    tool_guard_begin();
    const piola_status rc = command(argc, argv);
    tool_guard_end();
    return rc;
}
