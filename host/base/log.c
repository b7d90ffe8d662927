/* log.c -- messages, the progress line, and the JSON file. */
#include "host/base/log.h"

#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512, NAME = 64 };
static const double redraw = 0.1, repeat = 10; /* s between two drawings; s between two lines */

struct pio_log {
    FILE *human, *json;
    const char *subject; /* what messages begin with; "": nothing */
    pio_log_level level;
    bool terminal, colour;
    double (*clock)(void *);
    void *clock_context;
    piola_error failure; /* first failure of the JSON file */

    bool active; /* a stage is running */
    bool recurs; /* stages come again and again: none leaves a line */
    char stage[NAME], unit[NAME];
    int64_t done, total;
    double began, drawn, reported; /* s: start of the stage, last drawing, last line elsewhere and in the JSON file */
    int shown;                     /* columns of the progress line on the terminal */
};

static double steady_clock(void *context)
{
    (void)context;
    return pio_clock();
}

static piola_status fail(piola_error *error, piola_status status, const char *what, const char *where)
{
    return pio_fail(error, status, "%s: %s: %s", where, what, strerror(errno));
}

static void note_failure(pio_log *log)
{
    if (log->failure.status == PIOLA_OK) fail(&log->failure, PIOLA_IO, "the log could not be written", "--log-json");
}

pio_log_level pio_log_level_from(int quiet, int verbose)
{
    int level = PIO_INFO - quiet + verbose;
    return level < PIO_ERROR ? PIO_ERROR : level > PIO_DETAIL ? PIO_DETAIL : (pio_log_level)level;
}

/* ---- create and close ------------------------------------------------------------------------------------ */

static bool set(const char *name)
{
    const char *value = getenv(name);
    return value && *value; /* the convention of no-color.org: present and not empty */
}

/* Opens the file to which lines are appended: a new or empty one, a device or a pipe, or an existing log, whose last
 * line is ended if it was cut off. */
static piola_status open_json(pio_log *log, const char *path, piola_error *error)
{
    static const char begin[] = "{\"time\":";
    char head[sizeof begin] = "";
    struct stat st;
    const bool exists = stat(path, &st) == 0, append = exists && S_ISREG(st.st_mode) && st.st_size > 0;
    FILE *json = fopen(path, append ? "a+e" : "ae");
    if (!json) return fail(error, PIOLA_CANNOT_CREATE, "cannot open it for the log", path);
    if (append && (fread(head, 1, sizeof begin - 1, json) != sizeof begin - 1 || strcmp(head, begin))) {
        fclose(json);
        errno = EEXIST;
        return fail(error, PIOLA_CANNOT_CREATE, "what is there is no log, and no line is appended to it", path);
    }
    log->json = json;
    if (append && !fseek(json, -1, SEEK_END) && getc(json) != '\n' &&
        (fseek(json, 0, SEEK_END) || putc('\n', json) == EOF || fflush(json)))
        note_failure(log);
    return PIOLA_OK;
}

piola_status pio_log_create(pio_log **out, const pio_log_options *options, piola_error *error)
{
    *out = NULL;
    pio_log *log = calloc(1, sizeof *log);
    if (!log) return fail(error, PIOLA_NO_MEMORY, "no memory for the log", "log");
    log->human = options->human ? options->human : stderr;
    log->level = options->level;
    log->subject = options->subject ? options->subject : "";
    log->clock = options->clock ? options->clock : steady_clock;
    log->clock_context = options->clock_context;
    const char *kind = getenv("TERM");
    log->terminal = isatty(fileno(log->human)) && !(kind && strcmp(kind, "dumb") == 0);
    log->colour = log->terminal && !set("NO_COLOR");
    const piola_status rc = options->json_path ? open_json(log, options->json_path, error) : PIOLA_OK;
    if (rc)
        free(log);
    else
        *out = log;
    return rc;
}

piola_status pio_log_failed(const pio_log *log, piola_error *error)
{
    if (!log || log->failure.status == PIOLA_OK) return PIOLA_OK;
    if (error) *error = log->failure;
    return log->failure.status;
}

piola_status pio_log_close(pio_log **at, piola_error *error)
{
    pio_log *log = *at;
    *at = NULL;
    if (!log) return PIOLA_OK;
    pio_log_progress_end(log);
    if (log->json && fclose(log->json) != 0) note_failure(log);
    const piola_status status = pio_log_failed(log, error);
    free(log);
    return status;
}

/* ---- the JSON file --------------------------------------------------------------------------------------- */

static void begin_record(pio_json *json, const char *level, const char *message)
{
    struct timespec t = {0};
    struct tm utc = {0};
    char day[32] = "", text[48];
    clock_gettime(CLOCK_REALTIME, &t); /* cannot fail for this clock on Linux */
    gmtime_r(&t.tv_sec, &utc);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, sizeof text, "%s.%03ldZ", day, t.tv_nsec / 1000000);
    pio_json_to_memory(json, 0);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "time", text);
    pio_json_string(json, "level", level);
    pio_json_string(json, "message", message);
}

/* Writes the line at once, so that a killed run leaves complete lines. */
static void end_record(pio_log *log, pio_json *json)
{
    pio_json_end_object(json);
    piola_error error;
    if (pio_json_finish(json, &error) != PIOLA_OK) {
        if (log->failure.status == PIOLA_OK) log->failure = error;
    } else if (fprintf(log->json, "%s\n", json->text) < 0 || fflush(log->json) != 0) {
        note_failure(log);
    }
    pio_json_free(json);
}

static void record_message(pio_log *log, pio_log_level level, const char *message)
{
    static const char *const names[] = {"error", "warning", "info", "detail"};
    pio_json json;
    if (!log->json) return;
    begin_record(&json, names[level], message);
    end_record(log, &json);
}

static void record_progress(pio_log *log, double seconds)
{
    pio_json json;
    if (!log->json) return;
    begin_record(&json, "progress", log->stage);
    pio_json_string(&json, "stage", log->stage);
    pio_json_integer(&json, "done", log->done);
    pio_json_integer(&json, "total", log->total);
    pio_json_string(&json, "unit", log->unit);
    pio_json_double(&json, "seconds", seconds);
    end_record(log, &json);
}

/* ---- messages -------------------------------------------------------------------------------------------- */

/* Writes text. If that fails, for instance because the terminal was closed, the run goes on. */
static void put(pio_log *log, const char *text)
{
    fputs(text, log->human);
}

static void flush(pio_log *log)
{
    fflush(log->human);
}

/* Overwrites the progress line with blanks, which works without escape codes. */
static void clear_line(pio_log *log)
{
    if (log->shown == 0) return;
    fprintf(log->human, "\r%*s\r", log->shown, "");
    log->shown = 0;
}

static void replace_controls(char *text, bool one_line)
{
    for (unsigned char *s = (unsigned char *)text; *s; s++) {
        bool layout = !one_line && (*s == '\n' || *s == '\t');
        if ((*s < 0x20 && !layout) || *s == 0x7F) *s = '?';
        if (*s == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0) s[0] = s[1] = '?'; /* the control characters of U+0080 */
    }
}

static void show_message(pio_log *log, pio_log_level level, char *message)
{
    static const char *const prefix[] = {"error: ", "warning: ", "", ""};
    static const char *const colour[] = {"\033[1;31m", "\033[1;33m", "", "\033[2m"};
    if (level > log->level) return;
    replace_controls(message, false);
    clear_line(log);
    bool coloured = log->colour && *colour[level];
    if (coloured) put(log, colour[level]);
    put(log, prefix[level]);
    if (coloured && level != PIO_DETAIL) put(log, "\033[0m");
    put(log, message);
    if (coloured && level == PIO_DETAIL) put(log, "\033[0m");
    put(log, "\n");
    flush(log);
    log->drawn = -1e300; /* the progress line is drawn again with the next step */
}

void pio_log_message(pio_log *log, pio_log_level level, const char *format, ...)
{
    va_list list;
    if (!log) return;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    const size_t about = strlen(log->subject) + (*log->subject ? 2 : 0);
    char *message = length < 0 ? NULL : malloc(about + (size_t)length + 1);
    if (!message) {
        note_failure(log);
        return;
    }
    va_start(list, format);
    if (about) snprintf(message, about + 1, "%s: ", log->subject);
    vsnprintf(message + about, (size_t)length + 1, format, list);
    va_end(list);
    record_message(log, level, message);
    show_message(log, level, message);
    free(message);
}

/* ---- progress -------------------------------------------------------------------------------------------- */

static void format_time(char *to, size_t size, double seconds)
{
    long long s = (long long)(seconds + 0.5);
    if (seconds < 99.95) {
        snprintf(to, size, "%.1f s", seconds);
    } else if (s < 6000) {
        snprintf(to, size, "%lld min %02lld s", s / 60, s % 60);
    } else {
        snprintf(to, size, "%lld h %02lld min", s / 3600, s % 3600 / 60);
    }
}

/* Formats a rate with three figures: "336", "33.6", "12.3k", "4.56M". */
static void format_rate(char *to, size_t size, double rate)
{
    static const char *const unit[] = {"", "k", "M", "G", "T"};
    int i = 0;
    while (rate >= 999.5 && i < 4) rate /= 1000, i++;
    snprintf(to, size, "%.*f%s", rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2, rate, unit[i]);
}

/* Formats a progress line: stage  [#####     ]  52 %  1040/2000 steps  336/s  3.1 s  left 2.9 s. */
static void format_progress(const pio_log *log, char *to, size_t size, double seconds, bool bar, bool last)
{
    char elapsed[48], left[48] = "", percent[64] = "", rate[32] = "", count[64], per_second[48] = "";
    format_time(elapsed, sizeof elapsed, seconds);
    if (log->total > 0) {
        double part = (double)log->done / (double)log->total;
        int filled = part > 1 ? 10 : part < 0 ? 0 : (int)(10 * part);
        snprintf(percent, sizeof percent, bar ? "  [%.*s%*s]  %2d %%" : "%.*s%*s  %d %%", bar ? filled : 0,
                 "##########", bar ? 10 - filled : 0, "", (int)(100 * part));
        snprintf(count, sizeof count, "%lld/%lld", (long long)log->done, (long long)log->total);
        if (!last && log->done > 0) {
            format_time(rate, sizeof rate, seconds * (1 / part - 1));
            snprintf(left, sizeof left, "  left %s", rate);
        }
    } else {
        snprintf(count, sizeof count, "%lld", (long long)log->done);
    }
    if (seconds > 0) {
        format_rate(rate, sizeof rate, (double)log->done / seconds);
        snprintf(per_second, sizeof per_second, "  %s/s", rate);
    }
    snprintf(to, size, "%s%s  %s %s%s  %s%s", log->stage, percent, count, log->unit, per_second, elapsed, left);
}

static int columns(const pio_log *log)
{
    struct winsize w;
    if (ioctl(fileno(log->human), TIOCGWINSZ, &w) != 0 || w.ws_col < 2) return 80;
    return w.ws_col;
}

/* Returns the number of columns that the text takes, at most `most`; *end is where it must be cut. Each character
 * counts as one column, since names are short. */
static int measure(const char *text, int most, size_t *end)
{
    int n = 0;
    size_t i = 0;
    for (; text[i]; i++) {
        bool starts = ((unsigned char)text[i] & 0xC0) != 0x80;
        if (starts && n == most) break;
        n += starts;
    }
    *end = i;
    return n;
}

static void draw(pio_log *log, double seconds)
{
    char line[LINE];
    size_t end;
    format_progress(log, line, sizeof line, seconds, true, false);
    int n = measure(line, columns(log) - 1, &end), rest = log->shown > n ? log->shown - n : 0;
    fprintf(log->human, "\r%.*s%*s", (int)end, line, rest, "");
    flush(log);
    log->shown = n;
}

static void put_line(pio_log *log, double seconds, bool last)
{
    char line[LINE];
    format_progress(log, line, sizeof line - 1, seconds, false, last);
    strcat(line, "\n");
    put(log, line);
    flush(log);
}

static void begin_stage(pio_log *log, const char stage[NAME], const char *unit, double now)
{
    pio_log_progress_end(log);
    memcpy(log->stage, stage, sizeof log->stage);
    snprintf(log->unit, sizeof log->unit, "%s", unit);
    replace_controls(log->unit, true);
    log->active = true;
    log->began = now;
    if (!log->recurs) log->reported = now;
    log->drawn = -1e300;
}

void pio_log_progress_recurs(pio_log *log)
{
    if (!log) return;
    pio_log_progress_end(log);
    log->recurs = true;
    log->reported = log->clock(log->clock_context);
}

void pio_log_progress(pio_log *log, const char *stage, int64_t done, int64_t total, const char *unit)
{
    if (!log) return;
    double now = log->clock(log->clock_context);
    char name[NAME] = "";
    snprintf(name, sizeof name, "%s", stage);
    replace_controls(name, true);
    if (!log->active || strcmp(name, log->stage) != 0) begin_stage(log, name, unit, now);
    log->done = done;
    log->total = total;
    bool shows = log->level >= PIO_INFO, due = now - log->reported >= repeat;
    if (due) {
        log->reported = now;
        record_progress(log, now - log->began);
    }
    if (shows && log->terminal && now - log->drawn >= redraw) {
        log->drawn = now;
        draw(log, now - log->began);
    } else if (shows && !log->terminal && due) {
        put_line(log, now - log->began, false);
    }
}

void pio_log_progress_end(pio_log *log)
{
    if (!log || !log->active) return;
    double seconds = log->clock(log->clock_context) - log->began;
    log->active = false;
    if (!log->recurs) record_progress(log, seconds);
    if (log->level < PIO_INFO) return;
    clear_line(log);
    if (!log->recurs) put_line(log, seconds, true);
}
