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
    TOOL_SWEEP,
    TOOL_PARAMS,
    TOOL_VALIDATE,
    TOOL_SCHEMA,
    TOOL_INFO,
    TOOL_RENDER,
    TOOL_FILM,
    TOOL_PLOT,
    TOOL_EXPORT,
    TOOL_REPORT,
    TOOL_DOCTOR,
    TOOL_BENCH,
    TOOL_COMMANDS /* none given: piola --help */
} tool_id;

enum { TOOL_OPTIONS = 96 }; /* number of options at most */

/* The values of an option that may be repeated. */
typedef struct {
    const char **v; /* [n] values */
    size_t n;       /* number of values */
} tool_list;

/* The contents of a command line. Begin with tool_settings_default(). */
typedef struct {
    tool_id command;      /* the command */
    const char *argument; /* SCENE, FILE, DIR or the kind of benchmark; NULL if none was given */
    piola_options common; /* also has device, precision, threads and json of every command */
    piola_sweep_options sweep;
    piola_bench_options bench;
    piola_bench_fem_options bench_fem;
    piola_bench_memory_options bench_memory;
    piola_bench_snapshot_options bench_snapshot;
    piola_info_options info;
    piola_render_options render; /* of film, too */
    piola_film_options film;
    piola_export_options export;
    piola_report_options report;
    piola_plot_options plot;
    const char *output; /* value of -o */
    tool_list sets, allow, over, sbatch, curves, history, responses;
    bool markdown, help, version; /* these options were given */
    bool given[TOOL_OPTIONS];     /* options that were given, by index in tool_options */
} tool_settings;

/* Returns the settings of an empty command line. */
tool_settings tool_settings_default(void);
/* Frees what the settings hold. */
void tool_settings_free(tool_settings *settings);
/* Fills `settings` from the arguments. PIOLA_USAGE says which argument is wrong and what would be right. */
piola_status tool_parse(int argc, char **argv, tool_settings *settings, piola_error *error);
/* Prints the help of a command, or with TOOL_COMMANDS the list of all commands. */
void tool_help(tool_id command, FILE *to);

/* ---- the tables, shared by the parser and the help ------------------------------------------------------ */

typedef enum {
    OPTION_FLAG,    /* bool: true */
    OPTION_COUNT,   /* int: incremented each time */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* tool_list: appended each time */
    OPTION_CHOICE,  /* const char *, one of `values` */
    OPTION_FIRST,   /* bool: true for the first of the two `values` */
    OPTION_INTEGER, /* int, least..most */
    OPTION_WIDE,    /* int64_t, least..most; 1e6 is allowed */
    OPTION_NUMBER,  /* double, least..most */
    OPTION_TIME,    /* double in s: 90, 90s, 10m, 2h */
    OPTION_SIZE,    /* two int: WIDTHxHEIGHT, each least..most */
    OPTION_RANGE    /* two double: LO,HI with LO < HI */
} option_kind;

typedef struct {
    const char *name; /* name without the dashes */
    char letter;      /* one letter; 0: none */
    option_kind kind;
    size_t offset;             /* offset of the member in tool_settings */
    unsigned commands;         /* bit c is set if command c has this option */
    const char *argument;      /* name of its argument in the help; NULL: it has none */
    const char *const *values; /* ended by NULL */
    double least, most;
    const char *meaning;  /* meaning in the help */
    const char *fallback; /* default in words; NULL: none */
    const char *bench;    /* the only benchmarks that have this option; NULL: all */
} tool_option;

typedef struct {
    const char *name;
    const char *argument; /* name of its argument, such as "SCENE"; NULL: none */
    const char *purpose;  /* purpose in one line */
    const char *detail;   /* details in lines, or "" */
    const char *codes;    /* exit codes besides 0 and 2: "65 66 71" */
    const char *examples; /* examples in lines */
} tool_command;

extern const tool_option tool_options[];                /* options, ended by name NULL */
extern const tool_command tool_commands[TOOL_COMMANDS]; /* commands, by tool_id */

typedef struct {
    int code; /* exit code, a piola_status */
    const char *meaning;
} tool_code;

extern const tool_code tool_codes[]; /* exit codes, ended by meaning NULL */

/* Returns whether `list` has this code; it lists codes besides 0 and 2, separated by blanks, or is NULL for all. */
bool tool_returns(const char *list, int code);

#endif
