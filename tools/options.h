/* options.h -- the command line: one table of commands and one of options drive parsing, messages and help. */
#ifndef PIOLA_TOOLS_OPTIONS_H
#define PIOLA_TOOLS_OPTIONS_H

#include "piola.h"

#include <stdio.h>

typedef enum {
    TOOL_RUN,
    TOOL_GRAD,
    TOOL_CHECK,
    TOOL_OPTIMIZE,
    TOOL_PARAMS,
    TOOL_VALIDATE,
    TOOL_SCHEMA,
    TOOL_INFO,
    TOOL_RENDER,
    TOOL_EXPORT,
    TOOL_DOCTOR,
    TOOL_BENCH,
    TOOL_COMMANDS /* none yet: piola --help */
} tool_id;

enum { TOOL_OPTIONS = 96 }; /* at most */

/* What an option that may be repeated said. */
typedef struct {
    const char **v;
    size_t n;
} tool_list;

/* What a command line said. Begin with tool_settings_default(). */
typedef struct {
    tool_id command;
    const char *argument; /* SCENE, FILE or what to bench; NULL when none was given */
    piola_options common; /* also holds device, precision, threads and json of every command */
    piola_bench_options bench;
    piola_bench_fem_options bench_fem;
    piola_bench_memory_options bench_memory;
    piola_bench_snapshot_options bench_snapshot;
    piola_info_options info;
    piola_render_options render;
    piola_export_options export;
    const char *output; /* -o */
    tool_list sets, allow;
    bool markdown, help, version;
    bool given[TOOL_OPTIONS]; /* by place in tool_options */
} tool_settings;

tool_settings tool_settings_default(void);
void tool_settings_free(tool_settings *settings);
/* Fill `settings` from the arguments. PIOLA_USAGE says which argument is wrong and what would be right. */
piola_status tool_parse(int argc, char **argv, tool_settings *settings, piola_error *error);
/* The help of a command, or with TOOL_COMMANDS the list of all. */
void tool_help(tool_id command, FILE *to);

/* ---- the tables, shared by the parser and the help ------------------------------------------------------ */

typedef enum {
    OPTION_FLAG,    /* bool: true */
    OPTION_COUNT,   /* int: one more each time */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* tool_list: one more */
    OPTION_CHOICE,  /* const char *, one of `values` */
    OPTION_FIRST,   /* bool: whether it is the first of the two `values` */
    OPTION_INTEGER, /* int, least..most */
    OPTION_WIDE,    /* int64_t, least..most; 1e6 is allowed */
    OPTION_NUMBER,  /* double, least..most */
    OPTION_TIME,    /* double in s: 90, 90s, 10m, 2h */
    OPTION_SIZE,    /* two int: WIDTHxHEIGHT, each least..most */
    OPTION_RANGE    /* two double: LO,HI with LO < HI */
} option_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    option_kind kind;
    size_t offset;             /* of the member of tool_settings */
    unsigned commands;         /* bit c: command c takes it */
    const char *argument;      /* as the help names it; NULL: it takes none */
    const char *const *values; /* NULL-ended */
    double least, most;
    const char *meaning;  /* for the help; NULL: hidden, for tests */
    const char *fallback; /* default in words, or NULL */
    const char *bench;    /* of what benchmarks alone it is an option, or NULL */
} tool_option;

typedef struct {
    const char *name;
    const char *argument; /* "SCENE"; NULL: none */
    const char *purpose;  /* one line */
    const char *detail;   /* lines, or "" */
    const char *codes;    /* exit codes it may return besides 0 and 2: "65 66 71" */
    const char *examples; /* lines */
} tool_command;

extern const tool_option tool_options[]; /* ended by name NULL */
extern const tool_command tool_commands[TOOL_COMMANDS];

typedef struct {
    int code; /* exit code, a piola_status */
    const char *meaning;
} tool_code;

extern const tool_code tool_codes[]; /* ended by meaning NULL */

/* Whether `list`, codes between blanks besides 0 and 2, or NULL for all of them, has this code. */
bool tool_returns(const char *list, int code);

#endif
