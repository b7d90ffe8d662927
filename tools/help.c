/* help.c -- the help texts, made from the tables. */
#include "tools/options.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN = 26, WIDTH = 100 };

/* Prints the text, broken between words, from `column` on; the cursor is at `at`. */
static void print_wrapped(FILE *to, const char *text, int at, int column)
{
    if (at >= column) {
        fputc('\n', to);
        at = 0;
    }
    fprintf(to, "%*s", column - at, "");
    at = column;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > WIDTH) {
            fprintf(to, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(to, "%s%.*s", at > column ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

static void print_option(FILE *to, const tool_option *o)
{
    char letter[8] = "      ", text[600];
    size_t used = 0;
    if (o->letter) snprintf(letter, sizeof letter, "  -%c, ", o->letter);
    const int at = fprintf(to, "%s--%s%s%s", letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    for (const char *const *v = o->values; v && *v; v++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", v == o->values ? "" : ", ", *v);
    snprintf(text + used, sizeof text - used, "%s%s%s%s%s", used ? ": " : "", o->meaning,
             o->fallback ? " (default: " : "", o->fallback ? o->fallback : "", o->fallback ? ")" : "");
    print_wrapped(to, text, at, COLUMN);
}

static void print_options(FILE *to, tool_id command)
{
    fputs("\nOptions:\n", to);
    for (const tool_option *o = tool_options; o->name; o++)
        if (o->commands >> command & 1) print_option(to, o);
}

bool tool_returns(const char *list, int code)
{
    bool found = !list || code == 0 || code == 2;
    for (const char *at = list; at && *at;) {
        char *end;
        found |= strtol(at, &end, 10) == code;
        at = end;
    }
    return found;
}

/* Prints exit codes; `list` is as in tool_returns(). */
static void print_codes(FILE *to, const char *list)
{
    fputs("\nExit codes:\n", to);
    for (const tool_code *c = tool_codes; c->meaning; c++)
        if (tool_returns(list, c->code)) fprintf(to, "  %2d  %s\n", c->code, c->meaning);
}

static void help_all(FILE *to)
{
    fputs("piola -- a differentiable solver for soft bodies and fluids\n\nUsage: piola COMMAND [ARGUMENT] [options]\n\n"
          "Commands:\n",
          to);
    for (int c = 0; c < TOOL_COMMANDS; c++) {
        const tool_command *t = &tool_commands[c];
        const int at = fprintf(to, "  %s %s", t->name, t->argument ? t->argument : "");
        print_wrapped(to, t->purpose, at, COLUMN - 6);
    }
    print_options(to, TOOL_COMMANDS);
    print_codes(to, NULL);
    fputs("\nExample:\n  piola validate scene.yaml && piola run scene.yaml -o out/first\n"
          "      finds the errors of scene.yaml, or simulates it\n\n"
          "`piola COMMAND --help`, or `piola help COMMAND`, lists the options of a command.\n",
          to);
}

void tool_help(tool_id command, FILE *to)
{
    if (command == TOOL_COMMANDS) {
        help_all(to);
        return;
    }
    const tool_command *c = &tool_commands[command];
    fprintf(to, "piola %s -- %s\n\nUsage: piola %s%s%s [options]\n", c->name, c->purpose, c->name,
            c->argument ? " " : "", c->argument ? c->argument : "");
    if (*c->detail) fprintf(to, "\n%s\n", c->detail);
    print_options(to, command);
    print_codes(to, c->codes);
    fprintf(to, "\nExamples:\n%s\n", c->examples);
}
