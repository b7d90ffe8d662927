/* manual.c -- the program piola_manual: manual pages, and completion for shells, from the tables of commands and
 * options.
 *
 *     piola_manual FOLDER    writes piola.1, piola-COMMAND.1, piola.bash and _piola into FOLDER, which exists
 */
#include "tools/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Writes text for roff: hyphens that can be copied, no accidental escapes, no line that is a request. */
static void put_roff(FILE *to, const char *text)
{
    for (bool begins = true; *text; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", to);
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
    }
}

static bool takes(const tool_option *o, tool_id command)
{
    return o->commands >> command & 1;
}

static void put_options(FILE *to, tool_id command)
{
    fputs(".SH OPTIONS\n", to);
    for (const tool_option *o = tool_options; o->name; o++) {
        if (!takes(o, command)) continue;
        fputs(".TP\n", to);
        if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", to);
        put_roff(to, o->name);
        fputs("\\fR", to);
        if (o->argument) {
            fputs(" \\fI", to);
            put_roff(to, o->argument);
            fputs("\\fR", to);
        }
        fputc('\n', to);
        for (const char *const *v = o->values; v && *v; v++) {
            if (v != o->values) fputs(", ", to);
            put_roff(to, *v);
        }
        if (o->values) fputs(": ", to);
        put_roff(to, o->meaning);
        if (o->fallback) {
            fputs(" (default: ", to);
            put_roff(to, o->fallback);
            fputc(')', to);
        }
        fputc('\n', to);
    }
}

static void put_codes(FILE *to, const char *list)
{
    fputs(".SH EXIT STATUS\n", to);
    for (const tool_code *c = tool_codes; c->meaning; c++) {
        if (!tool_returns(list, c->code)) continue;
        fprintf(to, ".TP\n\\fB%d\\fR\n", c->code);
        put_roff(to, c->meaning);
        fputc('\n', to);
    }
}

static void put_head(FILE *to, const char *page, const char *purpose)
{
    fprintf(to, ".TH \"%s\" 1 \"\" \"Piola %s\" \"Piola\"\n.SH NAME\n", page, PIOLA_VERSION);
    put_roff(to, page);
    fputs(" \\- ", to);
    put_roff(to, purpose);
    fputs("\n.SH SYNOPSIS\n", to);
}

static void put_verbatim(FILE *to, const char *heading, const char *text)
{
    fprintf(to, ".SH %s\n.nf\n", heading);
    put_roff(to, text);
    fputs("\n.fi\n", to);
}

/* Writes the page of the command, or of the program itself. */
static void put_page(FILE *to, tool_id command)
{
    if (command == TOOL_COMMANDS) {
        put_head(to, "piola", "a differentiable solver for soft bodies and fluids");
        fputs("\\fBpiola\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR] [\\fIoptions\\fR]\n.SH COMMANDS\n", to);
        for (int c = 0; c < TOOL_COMMANDS; c++) {
            fprintf(to, ".TP\n\\fB%s\\fR(1)\n", tool_commands[c].name);
            put_roff(to, tool_commands[c].purpose);
            fputc('\n', to);
        }
        put_options(to, command);
        put_codes(to, NULL);
        fputs(".SH ENVIRONMENT\n.TP\n\\fBPIOLA_ENGINES\\fR\nfolder of the engines; without it they are beside the "
              "program or the library, or in the folder\n\\fBpiola\\fR of its libraries\n.TP\n\\fBOMP_NUM_THREADS\\fR\n"
              "processor threads; results do not depend on it\n",
              to);
        return;
    }
    const tool_command *c = &tool_commands[command];
    char page[64];
    snprintf(page, sizeof page, "piola-%s", c->name);
    put_head(to, page, c->purpose);
    fprintf(to, "\\fBpiola %s\\fR", c->name);
    if (c->argument) {
        fputs(" \\fI", to);
        put_roff(to, c->argument);
        fputs("\\fR", to);
    }
    fputs(" [\\fIoptions\\fR]\n", to);
    if (*c->detail) put_verbatim(to, "DESCRIPTION", c->detail);
    put_options(to, command);
    put_codes(to, c->codes);
    put_verbatim(to, "EXAMPLES", c->examples);
    fputs(".SH SEE ALSO\n\\fBpiola\\fR(1)\n", to);
}

/* Writes what is suggested after an option with an argument: its values, names of files, or nothing. */
static void put_bash_arguments(FILE *to)
{
    for (const tool_option *o = tool_options; o->name; o++) {
        bool first = true;
        for (const tool_option *p = tool_options; p < o; p++) first &= strcmp(p->name, o->name) != 0;
        if (!o->argument || !first) continue;
        fprintf(to, "    --%s", o->name);
        if (o->letter) fprintf(to, "|-%c", o->letter);
        fputs(")\n        COMPREPLY=(", to);
        if (o->values) {
            fputs("$(compgen -W \"", to);
            for (const char *const *v = o->values; *v; v++) fprintf(to, "%s%s", v == o->values ? "" : " ", *v);
            fputs("\" -- \"$word\")", to);
        } else if (o->kind == OPTION_TEXT || o->kind == OPTION_LIST)
            fputs("$(compgen -f -- \"$word\")", to);
        fputs(")\n        return\n        ;;\n", to);
    }
}

static void put_bash(FILE *to)
{
    fputs("# Completion of the command piola for bash.\n_piola() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
          "before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          to);
    for (int c = 0; c < TOOL_COMMANDS; c++) fprintf(to, "%s ", tool_commands[c].name);
    fputs("help --help --version\" -- \"$word\"))\n        return\n    fi\n    case $before in\n", to);
    put_bash_arguments(to);
    fputs("    esac\n    case $command in\n", to);
    for (int c = 0; c < TOOL_COMMANDS; c++) {
        fprintf(to, "    %s) options=\"", tool_commands[c].name);
        for (const tool_option *o = tool_options; o->name; o++)
            if (takes(o, (tool_id)c)) fprintf(to, "--%s ", o->name);
        fputs("\" ;;\n", to);
    }
    fputs(
        "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -o filenames -F _piola piola\n",
        to);
}

/* Writes text within '...[...]' of _arguments, where quotes, brackets and colons must be escaped. */
static void put_zsh(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", to);
        else if (strchr("[]:\\", *text))
            fprintf(to, "\\%c", *text);
        else
            fputc(*text, to);
}

static void put_zsh_option(FILE *to, const tool_option *o)
{
    fprintf(to, " \\\n                '%s--%s[", o->kind == OPTION_LIST ? "*" : "", o->name);
    put_zsh(to, o->meaning);
    fputs("]", to);
    if (o->argument) {
        fputs(":", to);
        put_zsh(to, o->argument);
        fputs(":", to);
        if (o->values) {
            fputs("(", to);
            for (const char *const *v = o->values; *v; v++) fprintf(to, "%s%s", v == o->values ? "" : " ", *v);
            fputs(")", to);
        } else if (o->kind == OPTION_TEXT || o->kind == OPTION_LIST)
            fputs("_files", to);
    }
    fputs("'", to);
}

static void put_zsh_script(FILE *to)
{
    fputs("#compdef piola\n# Completion of the command piola for zsh.\n_piola() {\n    local -a commands\n    "
          "commands=(\n",
          to);
    for (int c = 0; c < TOOL_COMMANDS; c++) {
        fprintf(to, "        '%s:", tool_commands[c].name);
        put_zsh(to, tool_commands[c].purpose);
        fputs("'\n", to);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe 'command' commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          to);
    for (int c = 0; c < TOOL_COMMANDS; c++) {
        fprintf(to, "        %s)\n            _arguments", tool_commands[c].name);
        for (const tool_option *o = tool_options; o->name; o++)
            if (takes(o, (tool_id)c)) put_zsh_option(to, o);
        fputs(" \\\n                '*:file:_files'\n            ;;\n", to);
    }
    fputs("    esac\n}\n_piola \"$@\"\n", to);
}

static FILE *create(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        fprintf(stderr, "piola_manual: the name of the folder is longer than %d bytes\n", PATH_MAX - 64);
        exit(PIOLA_USAGE);
    }
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "piola_manual: cannot create %s: %s\n", path, strerror(errno));
        exit(PIOLA_CANNOT_CREATE);
    }
    return file;
}

static void finish(FILE *file, const char *name)
{
    if (!ferror(file) & !fclose(file)) return;
    fprintf(stderr, "piola_manual: cannot write %s: %s\n", name, strerror(errno));
    exit(PIOLA_IO);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: piola_manual FOLDER\n");
        return PIOLA_USAGE;
    }
    for (int c = 0; c <= TOOL_COMMANDS; c++) {
        char name[64] = "piola.1";
        if (c < TOOL_COMMANDS) snprintf(name, sizeof name, "piola-%s.1", tool_commands[c].name);
        FILE *page = create(argv[1], name);
        put_page(page, (tool_id)c);
        finish(page, name);
    }
    FILE *file = create(argv[1], "piola.bash");
    put_bash(file);
    finish(file, "piola.bash");
    file = create(argv[1], "_piola");
    put_zsh_script(file);
    finish(file, "_piola");
    return 0;
}
