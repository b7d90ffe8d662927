/* problem.c -- see problem.h. */
#include "host/study/problem.h"

#include "host/base/fail.h"
#include "host/base/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests -------------------------------------------------------------------------------------------- */

static const char *name_of(void *call, size_t experiment)
{
    return ((const pio_study_call *)call)->study->experiments[experiment].name;
}

static void begin_request(pio_study_problem *p, pio_study_request what)
{
    pio_blob_clear(&p->request);
    pio_blob_put_integer(&p->request, what);
}

/* Sends the request, and reads the statuses of the answers. */
static piola_status request_all(pio_study_problem *p, piola_error *error)
{
    piola_error first = {0};
    piola_status rc = pio_team_request(p->team, &p->request, p->answers, error);
    if (rc) return rc;
    for (size_t e = 0; e < p->work.n; e++) {
        piola_error own = {0};
        const piola_status status = (piola_status)pio_blob_get_integer(&p->answers[e]);
        if (!status) continue;
        pio_blob_get(&p->answers[e], &own, sizeof own);
        if (rc && (rc != PIOLA_NUMERICAL || status == PIOLA_NUMERICAL)) continue;
        const bool placed = !own.message[0] || strstr(own.message, ": error: ");
        rc = status;
        first = own;
        if (!placed)
            snprintf(first.message, sizeof first.message, "experiment '%.64s': %.1900s", name_of(p->work.context, e),
                     own.message);
    }
    if (rc) *error = first;
    return rc;
}

/* ---- variables ------------------------------------------------------------------------------------------- */

static double *take(pio_study_problem *p, size_t n)
{
    return pio_pool_take(&p->pool, (n + 1) * sizeof(double));
}

static char *text_of(pio_study_problem *p, pio_blob *from)
{
    const char *text = pio_blob_get_text(from);
    return pio_pool_text(&p->pool, text, strlen(text));
}

/* A parameter as an experiment describes it. */
typedef struct {
    pio_study_parameter parameter;
    double *bounds[4]; /* [n] each: z0, lower, upper, unit */
} described;

static bool read_parameter(pio_study_problem *p, pio_blob *from, described *d)
{
    pio_study_parameter *of = &d->parameter;
    of->design = text_of(p, from);
    of->path = text_of(p, from);
    of->unit = text_of(p, from);
    of->n = (size_t)pio_blob_get_integer(from);
    of->of_first = (size_t)pio_blob_get_integer(from);
    of->shared = pio_blob_get_integer(from) != 0;
    pio_blob_get(from, of->scale, sizeof of->scale);
    of->initial = take(p, of->n);
    bool memory = of->design && of->path && of->unit && of->initial;
    for (int k = 0; k < 4; k++) memory &= (d->bounds[k] = take(p, of->n)) != NULL;
    if (!memory) return false;
    pio_blob_get_doubles(from, of->initial, of->n);
    for (int k = 0; k < 4; k++) pio_blob_get_doubles(from, d->bounds[k], of->n);
    return true;
}

/* Reports that two experiments disagree about a parameter. */
static piola_status disagree(const pio_study_problem *p, const pio_study_parameter *a, const pio_study_parameter *b,
                             const char *how, piola_error *error)
{
    const pio_study *study = p->call->study;
    char path[60], text[600];
    size_t entry = 0;
    while (entry + 1 < pio_study_entries(study) && strcmp(pio_study_entry(study, entry), a->design) != 0) entry++;
    snprintf(path, sizeof path, "design[%zu]", entry);
    snprintf(text, sizeof text, "'%.200s' %s in the experiments '%.64s' and '%.64s'", a->path, how,
             study->experiments[a->of].name, study->experiments[b->of].name);
    return pio_study_fault(study, error, path, text);
}

/* Compares a parameter with that of an experiment before, to the bit. */
static piola_status compare(const pio_study_problem *p, const pio_study_parameter *had, const described *d,
                            piola_error *error)
{
    const pio_study_parameter *now = &d->parameter;
    const double *all[] = {p->z0, p->lower, p->upper, p->unit};
    if (had->n != now->n)
        return disagree(p, had, now, "has not as many values; two entries with `experiments: [...]` would be right",
                        error);
    if (memcmp(had->initial, now->initial, had->n * sizeof *had->initial) != 0)
        return disagree(p, had, now, "starts at other values, those of their scenes; add `initial`", error);
    bool same = !memcmp(had->scale, now->scale, sizeof had->scale);
    for (int k = 0; k < 4; k++) same &= !memcmp(all[k] + had->first, d->bounds[k], had->n * sizeof **all);
    return same ? PIOLA_OK : disagree(p, had, now, "is scaled differently; add `bounds: [LOW, HIGH]`", error);
}

/* Adds the variables of a parameter. */
static piola_status add_variables(pio_study_problem *p, const described *d, piola_error *error)
{
    double **all[] = {&p->z0, &p->lower, &p->upper, &p->unit};
    const size_t n = p->n + d->parameter.n;
    bool memory = true;
    for (int k = 0; k < 4 && memory; k++) {
        double *more = realloc(*all[k], (n + 1) * sizeof *more);
        memory = more != NULL;
        if (!memory) break;
        *all[k] = more;
        memcpy(more + p->n, d->bounds[k], d->parameter.n * sizeof *more);
    }
    if (!memory) return pio_fail_memory(error, n * sizeof(double), "the variables of a study");
    p->n = n;
    return PIOLA_OK;
}

/* Adds a parameter that no experiment before had: with the variables of parameter `with`, or new ones if that is
 * n_parameters. */
static piola_status add(pio_study_problem *p, const described *d, size_t with, piola_error *error)
{
    const size_t at = p->n_parameters;
    pio_study_parameter *list = realloc(p->parameters, (at + 1) * sizeof *p->parameters);
    if (!list) return pio_fail_memory(error, (at + 1) * sizeof *list, "the design of a study");
    p->parameters = list;
    list[at] = d->parameter;
    list[at].tied = with < at;
    list[at].first = with < at ? list[with].first : p->n;
    const piola_status rc = with < at ? compare(p, &list[with], d, error) : add_variables(p, d, error);
    if (!rc) p->n_parameters++;
    return rc;
}

/* Returns the number of the parameter of an entry and a path, or with NULL of the entry; n_parameters if there is
 * none. */
static size_t find(const pio_study_problem *p, const char *entry, const char *path)
{
    size_t at = 0;
    while (at < p->n_parameters &&
           (strcmp(p->parameters[at].design, entry) != 0 || (path && strcmp(p->parameters[at].path, path) != 0)))
        at++;
    return at;
}

/* Finds or adds the parameters of an entry of the design in an experiment. */
static piola_status join(pio_study_problem *p, size_t e, described *of, size_t n, const char *entry, piola_error *error)
{
    for (size_t k = 0; k < n; k++) {
        const pio_study_parameter *own = &of[k].parameter;
        if (strcmp(own->design, entry) != 0) continue;
        const size_t at = find(p, entry, own->path), with = own->shared ? find(p, entry, NULL) : p->n_parameters;
        const piola_status rc =
            at < p->n_parameters ? compare(p, &p->parameters[at], &of[k], error) : add(p, &of[k], with, error);
        if (rc) return rc;
        for (size_t v = 0; v < own->n; v++) p->parts[e].map[own->of_first + v] = p->parameters[at].first + v;
    }
    return PIOLA_OK;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Reads what experiment.c describes, with its parameters [*n], which are the pool's. */
static piola_status read_part(pio_study_problem *p, size_t e, described **of, size_t *n, piola_error *error)
{
    pio_study_part *part = &p->parts[e];
    pio_blob *from = &p->answers[e];
    part->f32 = pio_blob_get_integer(from) != 0;
    part->bytes = pio_blob_get_integer(from);
    part->stages = (int)pio_blob_get_integer(from);
    part->stage_evaluations = (int)pio_blob_get_integer(from);
    part->identity = text_of(p, from);
    part->rows = (size_t)pio_blob_get_integer(from);
    part->n = (size_t)pio_blob_get_integer(from);
    part->m = (size_t)pio_blob_get_integer(from);
    part->constraints = pio_pool_take(&p->pool, (part->m + 1) * sizeof *part->constraints);
    bool memory = part->identity && part->constraints;
    for (size_t i = 0; i < part->m && memory; i++) memory = (part->constraints[i] = text_of(p, from)) != NULL;
    *n = memory ? (size_t)pio_blob_get_integer(from) : 0;
    *of = pio_pool_take(&p->pool, (*n + 1) * sizeof **of);
    memory &= *of != NULL;
    for (size_t k = 0; k < *n && memory; k++) {
        memory = read_parameter(p, from, &(*of)[k]);
        (*of)[k].parameter.of = e;
    }
    part->names = pio_pool_take(&p->pool, (part->n + 1) * sizeof *part->names);
    memory &= part->names != NULL;
    for (size_t v = 0; v < part->n && part->rows && memory; v++) memory = (part->names[v] = text_of(p, from)) != NULL;
    part->map = pio_pool_take(&p->pool, (part->n + 1) * sizeof *part->map);
    part->z_bar = take(p, part->n);
    part->value_bar = take(p, part->n);
    part->values = take(p, part->n);
    part->c = take(p, part->m);
    part->c_bar = take(p, part->m * part->n);
    part->r = take(p, part->rows);
    part->r_bar = take(p, part->rows * part->n);
    part->slope = take(p, part->n);
    p->m += part->m;
    p->rows += part->rows;
    memory &= part->map && part->z_bar && part->value_bar && part->values && part->c && part->c_bar && part->r &&
              part->r_bar && part->slope && !from->failed;
    return memory ? PIOLA_OK : pio_fail_memory(error, from->size, "the description of an experiment");
}

/* Reads all descriptions and joins their parameters in the order of the study's design. */
static piola_status read_parts(pio_study_problem *p, piola_error *error)
{
    const pio_study *study = p->call->study;
    described **of = pio_pool_take(&p->pool, study->n * sizeof *of);
    size_t *n = pio_pool_take(&p->pool, study->n * sizeof *n);
    piola_status rc = of && n ? PIOLA_OK : pio_fail_memory(error, study->n * sizeof *of, "the experiments of a study");
    for (size_t e = 0; !rc && e < study->n; e++) rc = read_part(p, e, &of[e], &n[e], error);
    for (size_t i = 0; !rc && i < pio_study_entries(study); i++)
        for (size_t e = 0; !rc && e < study->n; e++) rc = join(p, e, of[e], n[e], pio_study_entry(study, i), error);
    return rc;
}

static piola_status send_maps(pio_study_problem *p, piola_error *error)
{
    begin_request(p, PIO_STUDY_MAP);
    for (size_t e = 0; e < p->work.n; e++) {
        pio_blob_put_integer(&p->request, (int64_t)p->parts[e].n);
        for (size_t v = 0; v < p->parts[e].n; v++) pio_blob_put_integer(&p->request, (int64_t)p->parts[e].map[v]);
    }
    return request_all(p, error);
}

piola_status pio_study_problem_open(pio_study_problem *p, const pio_study_call *call, int jobs,
                                    void (*progress)(void *, size_t), piola_error *error)
{
    const size_t n = call->study->n;
    *p = (pio_study_problem){.call = call};
    p->work = (pio_team_work){.n = n,
                              .context = (void *)call,
                              .work = pio_study_work,
                              .end = pio_study_end,
                              .name = name_of,
                              .progress = progress,
                              .ranks = call->ranks};
    p->parts = calloc(n, sizeof *p->parts);
    p->answers = calloc(n, sizeof *p->answers);
    if (!p->parts || !p->answers) return pio_fail_memory(error, n * sizeof *p->parts, "the experiments of a study");
    piola_status rc = pio_team_start(&p->team, &p->work, jobs, error);
    begin_request(p, PIO_STUDY_OPEN);
    if (!rc) rc = request_all(p, error);
    if (!rc) rc = read_parts(p, error);
    if (!rc && !p->m && pio_study_has(call->study, "optimizer.stop.feasibility"))
        rc = pio_study_fault(call->study, error, "optimizer.stop.feasibility",
                             "no experiment has constraints; add `constraints` to a scene, or remove it");
    return rc ? rc : send_maps(p, error);
}

void pio_study_problem_close(pio_study_problem *p)
{
    pio_team_end(p->team);
    for (size_t e = 0; e < p->work.n && p->answers; e++) pio_blob_free(&p->answers[e]);
    pio_blob_free(&p->request);
    free(p->answers);
    free(p->parts);
    free(p->parameters);
    free(p->z0);
    free(p->lower);
    free(p->upper);
    free(p->unit);
    pio_pool_free(&p->pool);
    *p = (pio_study_problem){0};
}

/* ---- evaluations ----------------------------------------------------------------------------------------- */

/* Reads what the errors of a fit need besides the residuals: put_fit() of experiment.c. */
static void read_fit(pio_study_part *part, pio_blob *from)
{
    part->cost.sweeps = pio_blob_get_integer(from);
    part->cost.runs = pio_blob_get_integer(from);
    part->cost.by_columns = pio_blob_get_integer(from) != 0;
    part->cost.columns_error = pio_blob_get_double(from);
    part->cost.rows_error = pio_blob_get_double(from);
    for (size_t v = 0; v < part->n; v++) part->slope[v] = pio_blob_get_double(from);
}

static piola_status read_evaluation(pio_study_part *part, pio_blob *from, piola_error *error)
{
    part->J = pio_blob_get_double(from);
    part->weighted = pio_blob_get_double(from);
    pio_blob_get_doubles(from, part->z_bar, part->n);
    pio_blob_get_doubles(from, part->value_bar, part->n);
    pio_blob_get_doubles(from, part->values, part->n);
    pio_blob_get_doubles(from, part->c, part->m);
    pio_blob_get_doubles(from, part->c_bar, part->m * part->n);
    pio_blob_get_doubles(from, part->r, part->rows);
    pio_blob_get_doubles(from, part->r_bar, part->rows * part->n);
    if (part->rows) read_fit(part, from);
    return from->failed ? pio_fail(error, PIOLA_INTERNAL, "an experiment gave an answer of another length") : PIOLA_OK;
}

/* Copies rows [n_rows] of an experiment, whose variables are spread over those of the study. */
static void spread(const pio_study_problem *p, const pio_study_part *part, const double *rows, size_t n_rows,
                   double *to)
{
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t v = 0; v < p->n; v++) to[i * p->n + v] = 0;
        for (size_t v = 0; v < part->n; v++) to[i * p->n + part->map[v]] = rows[i * part->n + v];
    }
}

/* Returns the largest weighted objective of the experiments that count, those with a weight, and their number in *n. */
static double largest_of(const pio_study_problem *p, double *n)
{
    double most = -INFINITY;
    *n = 0;
    for (size_t e = 0; e < p->work.n; e++) {
        if (!(p->call->study->experiments[e].weight > 0)) continue;
        most = fmax(most, p->parts[e].weighted);
        *n += 1;
    }
    return most;
}

/* Sets *J to the smooth maximum of the weighted objectives x, and the factors to its derivatives. With m the largest x,
 * which no power and no exponential exceeds, J = m (mean of (x/m)^p)^(1/p), or m + w ln(mean of exp((x - m)/w)) (after
 * Kreisselmeier and Steinhauser 1979, whose sum is a mean here). */
static piola_status maximum(pio_study_problem *p, double *J, piola_error *error)
{
    const study_combine *how = &p->call->study->combine;
    const bool powers = isfinite(how->power);
    double n, sum = 0;
    const double most = largest_of(p, &n);
    for (size_t e = 0; e < p->work.n; e++) {
        const double x = p->parts[e].weighted;
        double *factor = &p->parts[e].factor;
        char text[300];
        *factor = 0;
        if (!(p->call->study->experiments[e].weight > 0)) continue;
        if (powers && x < 0) {
            snprintf(text, sizeof text,
                     "the objective of '%.64s' is %.6g, and powers are of numbers that are not "
                     "negative; `width`, in the unit of J, takes all",
                     name_of(p->work.context, e), p->parts[e].J);
            return pio_study_fault(p->call->study, error, "combine.power", text);
        }
        if (powers && !(most > 0)) continue; /* all are 0, their least value, and J is 0 */
        *factor = powers ? pow(x / most, how->power - 1) : exp((x - most) / how->width);
        sum += powers ? pow(x / most, how->power) : *factor;
    }
    if (powers)
        *J = most > 0 ? most * pow(sum / n, 1 / how->power) : 0;
    else
        *J = most + how->width * log(sum / n);
    const double share = powers ? pow(sum / n, 1 / how->power - 1) / n : 1 / sum;
    for (size_t e = 0; e < p->work.n; e++)
        if (p->parts[e].factor > 0) p->parts[e].factor *= share;
    return PIOLA_OK;
}

/* Sets *J to what the objectives are together, and the factors of their gradients. */
static piola_status combine(pio_study_problem *p, double *J, piola_error *error)
{
    if (p->call->study->combine.type == STUDY_MAXIMUM) return maximum(p, J, error);
    *J = 0;
    for (size_t e = 0; e < p->work.n; e++) {
        *J += p->parts[e].weighted;
        p->parts[e].factor = 1;
    }
    return PIOLA_OK;
}

bool pio_study_combine_text(const pio_study_problem *p, char *out, size_t size)
{
    const study_combine *how = &p->call->study->combine;
    double n;
    if (how->type != STUDY_MAXIMUM) return false;
    (void)largest_of(p, &n);
    if (isfinite(how->power))
        snprintf(out, size,
                 "J is a smooth maximum of %g objective%s, power %g: from %.3g of the largest to the largest", n,
                 n == 1 ? "" : "s", how->power, pow(n, -1 / how->power));
    else
        snprintf(out, size,
                 "J is a smooth maximum of %g objective%s, width %g: from the largest less %.3g to the largest", n,
                 n == 1 ? "" : "s", how->width, how->width * log(n));
    return true;
}

void pio_study_combine_json(const pio_study_problem *p, pio_json *json)
{
    const study_combine *how = &p->call->study->combine;
    double n;
    pio_json_begin_object(json, "combine");
    pio_json_string(json, "type", pio_study_combination(p->call->study));
    if (how->type == STUDY_MAXIMUM) {
        const bool powers = isfinite(how->power);
        pio_json_double(json, powers ? "power" : "width", powers ? how->power : how->width);
        pio_json_double(json, "largest", largest_of(p, &n));
    }
    pio_json_end_object(json);
}

piola_status pio_study_evaluate(pio_study_problem *p, const double *z, bool finish, const pio_study_sums *to,
                                piola_error *error)
{
    size_t row = 0;
    double J = 0;
    begin_request(p, finish ? PIO_STUDY_FINISH : PIO_STUDY_EVALUATE);
    pio_blob_put_doubles(&p->request, z, p->n);
    piola_status rc = request_all(p, error);
    for (size_t e = 0; !rc && e < p->work.n; e++) rc = read_evaluation(&p->parts[e], &p->answers[e], error);
    if (!rc) rc = combine(p, &J, error);
    if (rc) return rc;
    if (to->J) *to->J = J;
    for (size_t v = 0; to->gradient && v < p->n; v++) to->gradient[v] = 0;
    for (size_t e = 0; e < p->work.n; e++) {
        const pio_study_part *part = &p->parts[e];
        for (size_t v = 0; to->gradient && v < part->n; v++)
            to->gradient[part->map[v]] += part->factor * part->z_bar[v];
        if (to->c && part->m) memcpy(to->c + row, part->c, part->m * sizeof *to->c);
        if (to->c && part->rows) memcpy(to->c + row + part->m, part->r, part->rows * sizeof *to->c);
        if (to->c_gradient) spread(p, part, part->c_bar, part->m, to->c_gradient + row * p->n);
        if (to->c_gradient) spread(p, part, part->r_bar, part->rows, to->c_gradient + (row + part->m) * p->n);
        row += part->m + part->rows;
    }
    return PIOLA_OK;
}

piola_status pio_study_stage(pio_study_problem *p, int stage, piola_error *error)
{
    begin_request(p, PIO_STUDY_STAGE);
    pio_blob_put_integer(&p->request, stage);
    return request_all(p, error);
}

/* ---- identity -------------------------------------------------------------------------------------------- */

char *pio_study_identity(const pio_study_problem *p)
{
    static const char mark[] = "\nscene: ";
    const pio_study *study = p->call->study;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (size_t e = 0; e < study->n; e++) {
        char sha256[PIO_SHA256_TEXT];
        pio_sha256_of(p->parts[e].identity, strlen(p->parts[e].identity), sha256);
        fprintf(to, "experiment %s: weight %.17g, %s\n", study->experiments[e].name, study->experiments[e].weight,
                sha256);
    }
    if (study->combine.type == STUDY_MAXIMUM)
        fprintf(to, "maximum: power %.17g, width %.17g\n", study->combine.power, study->combine.width);
    /* program and machine in words, which are the same for all */
    const char *first = p->parts[0].identity, *scene = strstr(first, mark);
    fprintf(to, "%.*s%sa study", (int)(scene ? scene - first : 0), first, mark);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}
