/* study.c -- the table of a study's keys, and the study from its file. */
#include "host/scene/study.h"

#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/scene/scene_table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- keys ------------------------------------------------------------------------------------------------ */

static const char *const combination_names[] = {[STUDY_SUM] = "sum", [STUDY_MAXIMUM] = "maximum", NULL};

static const cfg_field combine_fields[] = {
    {"type", CFG_ENUM, AT(pio_study, combine.type), .required = true, .values = combination_names,
     .meaning =
         "sum: of the experiments' objectives, each times its weight; maximum: smooth, about the largest of these "
         "products"},
    {"power", CFG_NUMBER, AT(pio_study, combine.power), .range = {CFG_FROM | CFG_UP_TO, 1, 1000},
     .only = ONLY(STUDY_MAXIMUM),
     .meaning = "p of the p-mean (mean of x^p)^(1/p), of objectives that are not negative: at most the largest, and at "
                "least that over n^(1/p), for n experiments"},
    {"width", CFG_NUMBER, AT(pio_study, combine.width), POSITIVE, .quantity = CFG_ANY, .only = ONLY(STUDY_MAXIMUM),
     .meaning =
         "w, in the unit of J, of w ln(mean of exp(x/w)), of any objectives (Kreisselmeier and Steinhauser 1979): "
         "at most the largest, and at least that less w ln n"},
    END};
static const cfg_table combine_table = {.what = "combination of experiments",
                                        .fields = combine_fields,
                                        .discriminator = "type",
                                        .choice = {{{"power"}, {"width"}}, true, ONLY(STUDY_MAXIMUM)}};

static const cfg_field threshold_fields[] = {{"threshold", CFG_NUMBER, AT(study_experiment, threshold),
                                              .required = true, .range = {CFG_OVER | CFG_BELOW, 0, 1},
                                              .meaning = "where the step is, as of `design[].projection.threshold`"},
                                             END};
static const cfg_table threshold_table = {.what = "projection of an experiment", .fields = threshold_fields};

static const cfg_field experiment_fields[] = {
    {"name", CFG_LABEL, AT(study_experiment, name), .required = true,
     .meaning = "name of the experiment, also of its folder in `experiments/` of the output folder"},
    {"scene", CFG_TEXT, AT(study_experiment, scene), .required = true,
     .meaning = "file of its scene below the study's folder, else it needs --allow; the scene's own `design` and "
                "`optimizer` are not used"},
    {"weight", CFG_NUMBER, AT(study_experiment, weight), .fallback = "1", NOT_NEGATIVE,
     .meaning = "factor of its objective in the sum, or before the maximum; of 0, only its constraints count"},
    {"projection", CFG_MAPPING, .table = &threshold_table,
     .meaning =
         "of the fields of the design that are projected: what this experiment has of its own, so that it has an "
         "eroded or a dilated layout (Sigmund 2009)"},
    {"set", CFG_TREE, AT(study_experiment, set),
     .meaning = "paths of the scene with other values, as of `--set`: {materials.rubber.nu: 0.4, time.dt: 1 ms}"},
    END};
static const cfg_table experiment_table = {
    .what = "experiment", .size = sizeof(study_experiment), .fields = experiment_fields};

static const cfg_field memory_fields[] = {
    {"budget", CFG_NUMBER, AT(pio_study, own.gradient.memory_budget), .computed = "that of each scene",
     .quantity = CFG_MEMORY, POSITIVE,
     .meaning = "bytes that all experiments may hold, of which each has the same part"},
    END};
static const cfg_table memory_table = {.what = "memory budget", .fields = memory_fields};

static const cfg_field gradient_fields[] = {
    {"check", CFG_MAPPING, .table = &pio_check_table, .meaning = "how `piola check` tests the gradient"},
    {"memory", CFG_MAPPING, .table = &memory_table, .meaning = "what the experiments may use"},
    END};
static const cfg_table gradient_table = {.what = "gradient", .fields = gradient_fields};

static const cfg_field output_fields[] = {
    {"directory", CFG_TEXT, AT(pio_study, own.output.directory), .computed = "out/<name>",
     .meaning = "folder for the results, below the current or the study's folder, else it needs --allow"},
    END};
static const cfg_table output_table = {.what = "output", .fields = output_fields};

/* An entry names those that it governs; the rest of it is decoded with their scenes. */
static const cfg_field governed_field = {"experiments", CFG_TEXTS, .computed = "all of them",
                                         .meaning =
                                             "name or list of names of the experiments whose scenes have this entry"};
static const cfg_entries design_entries = {.what = "design variable of a study",
                                           .tables = {&pio_design_table, &pio_fem_design_table},
                                           .more = &governed_field};

static const cfg_field study_fields[] = {
    {"version", CFG_INTEGER, .required = true, .range = {CFG_FROM | CFG_UP_TO, 1, 1},
     .meaning = "of the study language: 1"},
    {"name", CFG_LABEL, AT(pio_study, own.input.name), .required = true,
     .meaning = "name of the study, also of its output folder"},
    {"description", CFG_TEXT, AT(pio_study, own.input.description), .meaning = "free text"},
    {"seed", CFG_INTEGER, AT(pio_study, own.common.seed), .fallback = "0", NOT_NEGATIVE,
     .meaning = "of the random directions of `piola check`"},
    {"include", CFG_TEXTS,
     .meaning = "file or files below the study's folder that are merged first; keys here win, lists are replaced"},
    {"experiments", CFG_LIST, AT(pio_study, experiments), .second = offsetof(pio_study, n), .required = true,
     .least = 1, .table = &experiment_table,
     .meaning = "the scenes; the objective of the study is the sum of their objectives, each times its weight, in the "
                "order of this list"},
    {"combine", CFG_MAPPING, .table = &combine_table, .meaning = "how J is made of the experiments, if not by a sum"},
    {"design", CFG_TREE, AT(pio_study, design), .entries = &design_entries, .least = 1,
     .meaning = "entries as those of a scene's `design`, of every experiment that they do not exclude by "
                "`experiments`"},
    {"gradient", CFG_MAPPING, .table = &gradient_table,
     .meaning = "how gradients are checked, and what memory they may "
                "take; the rest is the scenes' own"},
    {"optimizer", CFG_MAPPING, .table = &pio_optimizer_table, .meaning = "how the design is improved"},
    {"output", CFG_MAPPING, .table = &output_table, .meaning = "where the results are written"},
    END};
const cfg_table pio_study_table = {.what = "study", .fields = study_fields};
_Static_assert(offsetof(pio_study, own) == 0, "tables of scenes count from the study's scene");

/* ---- design ---------------------------------------------------------------------------------------------- */

/* Returns the number of the experiment of this name; study->n if there is none. */
static size_t experiment_of(const pio_study *study, const char *name)
{
    size_t e = 0;
    while (e < study->n && strcmp(study->experiments[e].name, name) != 0) e++;
    return e;
}

/* Reports that an entry of the design names an experiment that does not exist. */
static void unknown(const pio_study *study, cfg_doc *doc, const cfg_node *name, const char *path)
{
    const char **names = pio_pool_take(&doc->pool, (study->n + 1) * sizeof *names);
    doc->no_memory |= !names;
    if (!names) return;
    for (size_t e = 0; e < study->n; e++) names[e] = study->experiments[e].name;
    pio_cfg_report(doc, PIOLA_BAD_DATA, name->mark, path, "there is no experiment '%s'%s (there are: %s)",
                   pio_cfg_printable(doc, name->text), pio_cfg_did_you_mean(doc, name->text, names, study->n),
                   pio_cfg_join(doc, names, study->n));
}

/* Returns the projection of an entry of the design with the keys that the experiment has of its own. */
static cfg_node *projection_of(const pio_study *study, cfg_doc *doc, cfg_node *projection, const study_experiment *e)
{
    const cfg_node *item = pio_cfg_get(doc->root, "experiments", NULL)->items[e - study->experiments];
    const cfg_node *own = pio_cfg_get(item, "projection", NULL);
    if (!own || projection->kind != CFG_PAIRS) return projection;
    cfg_node *both = pio_cfg_node(doc, CFG_PAIRS, projection->mark);
    for (size_t i = 0; both && i < projection->n; i++)
        if (!pio_cfg_get(own, projection->keys[i]->text, NULL))
            pio_cfg_put(doc, both, projection->keys[i], projection->items[i]);
    for (size_t i = 0; both && i < own->n; i++) pio_cfg_put(doc, both, own->keys[i], own->items[i]);
    return both ? both : projection;
}

/* Adds an entry of the design, without its key `experiments`, to an experiment. */
static void govern(const pio_study *study, cfg_doc *doc, const cfg_node *entry, study_experiment *e)
{
    cfg_node *own = pio_cfg_node(doc, CFG_PAIRS, entry->mark);
    for (size_t i = 0; own && i < entry->n; i++) {
        cfg_node *item = entry->items[i];
        if (!strcmp(entry->keys[i]->text, "experiments")) continue;
        if (!strcmp(entry->keys[i]->text, "projection")) item = projection_of(study, doc, item, e);
        pio_cfg_put(doc, own, entry->keys[i], item);
    }
    if (own) pio_cfg_put(doc, e->design, NULL, own);
}

/* Adds an entry to the experiments that it names, or to all of them. */
static void distribute(pio_study *study, cfg_doc *doc, size_t number)
{
    const cfg_node *entry = study->design->items[number], *list = pio_cfg_get(entry, "experiments", NULL);
    PATH(path, "design[%zu].experiments", number);
    const bool many = list && list->kind == CFG_SEQUENCE;
    if (list && (list->kind == CFG_PAIRS || (many && !list->n))) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, list->mark, path,
                       "expected a name or a list of names of experiments, got %s",
                       many ? "an empty list" : "a mapping");
        return;
    }
    for (size_t e = 0; !list && e < study->n; e++) govern(study, doc, entry, &study->experiments[e]);
    for (size_t i = 0; list && i < (many ? list->n : 1); i++) {
        const cfg_node *name = many ? list->items[i] : list;
        bool before = false;
        if (name->kind != CFG_SCALAR) {
            pio_cfg_report(doc, PIOLA_BAD_DATA, name->mark, path, "expected the name of an experiment, got %s",
                           pio_cfg_kind_of(name));
            return;
        }
        const size_t e = experiment_of(study, name->text);
        for (size_t j = 0; j < i; j++) before |= !strcmp(list->items[j]->text, name->text);
        if (before)
            pio_cfg_report(doc, PIOLA_BAD_DATA, name->mark, path, "'%s' occurs twice",
                           pio_cfg_printable(doc, name->text));
        else if (e == study->n)
            unknown(study, doc, name, path);
        else
            govern(study, doc, entry, &study->experiments[e]);
        if (before || e == study->n) return;
    }
}

/* ---- experiments ----------------------------------------------------------------------------------------- */

/* Keys that an experiment cannot set, because they are the study's. */
static void check_set(cfg_doc *doc, const study_experiment *e, size_t number)
{
    static const char *const studys[] = {"design", "optimizer", "output"};
    PATH(path, "experiments[%zu].set", number);
    for (size_t i = 0; e->set && i < e->set->n; i++) {
        const cfg_node *key = e->set->keys[i];
        const size_t length = strcspn(key->text, ".[");
        for (size_t k = 0; k < sizeof studys / sizeof *studys; k++)
            if (strlen(studys[k]) == length && !strncmp(studys[k], key->text, length))
                pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path,
                               "`%s` is the study's, not an experiment's; change it at `%s` of this file", studys[k],
                               studys[k]);
    }
}

/* Reports a threshold of an experiment without a projection that it could be of. */
static void check_threshold(cfg_doc *doc, const study_experiment *e, size_t number)
{
    PATH(path, "experiments[%zu].projection", number);
    for (size_t i = 0; i < e->design->n; i++)
        if (pio_cfg_get(e->design->items[i], "projection", NULL)) return;
    if (!isnan(e->threshold))
        pio_cfg_fault(doc, path,
                      "no entry of the design that governs '%s' is projected; add a `projection`, as {beta: 1}, there",
                      e->name);
}

/* Checks that what is combined can be. */
static void check_combine(cfg_doc *doc, const pio_study *study)
{
    bool counts = false;
    for (size_t e = 0; e < study->n; e++) counts |= study->experiments[e].weight > 0;
    if (!counts && study->own.optimizer.type == PIO_LEVENBERG_MARQUARDT)
        pio_cfg_fault(doc, "optimizer.type", "least squares need an experiment whose weight is above 0");
    if (study->combine.type != STUDY_MAXIMUM) return;
    if (!counts) pio_cfg_fault(doc, "combine.type", "a maximum needs an experiment whose weight is above 0");
    if (study->own.optimizer.type == PIO_LEVENBERG_MARQUARDT)
        pio_cfg_fault(doc, "combine.type",
                      "levenberg_marquardt is for sums of squares, which a maximum is not; use `sum`, or another "
                      "optimizer, as lbfgs");
}

/* Adds a key of the study, which has it or not, to what an experiment says. */
static void add_key(cfg_doc *doc, cfg_node *keys, const char *key, cfg_node *value)
{
    cfg_node *name;
    if (!pio_cfg_get(doc->root, key, &name)) return;
    pio_cfg_put(doc, keys, name, value ? value : pio_cfg_get(doc->root, key, NULL));
}

static void complete_experiment(pio_study *study, cfg_doc *doc, size_t number)
{
    study_experiment *e = &study->experiments[number];
    char path[PIO_PATH];
    piola_error error;
    PATH(where, "experiments[%zu].scene", number);
    const piola_status rc = pio_path_beneath(doc->folder, e->scene, &doc->allowed, path, sizeof path, &error);
    bool found;
    if (rc) pio_cfg_report(doc, rc, pio_cfg_find(doc->root, where, &found)->mark, where, "%s", error.message);
    if (rc) return;
    check_set(doc, e, number);
    check_threshold(doc, e, number);
    e->path = pio_pool_text(&doc->pool, path, strlen(path));
    cfg_node *keys = pio_cfg_node(doc, CFG_PAIRS, doc->root->mark);
    doc->no_memory |= !e->path || !keys;
    if (doc->no_memory) return;
    if (e->design->n) add_key(doc, keys, "design", e->design);
    add_key(doc, keys, "optimizer", NULL);
    e->over = (pio_scene_overlay){
        .name = e->name, .keys = keys, .set = e->set, .file = study->own.input.path, .sha256 = doc->inputs->sha256};
}

static void complete_output(pio_study *study, cfg_doc *doc, const pio_scene_leave *leave)
{
    char **directory = &study->own.output.directory;
    bool found;
    if (!*directory) {
        char text[80];
        pio_scene_default_folder(study->own.input.name, text, sizeof text);
        *directory = pio_pool_text(&doc->pool, text, strlen(text));
        doc->no_memory |= !*directory;
        return;
    }
    const cfg_node *node = pio_cfg_find(doc->root, "output.directory", &found);
    const char *own[] = {".", doc->folder};
    if (!leave->writes || node->mark.file->set || pio_path_allowed(*directory, &(pio_allowed){own, 2}) ||
        pio_path_allowed(*directory, &doc->allowed))
        return;
    pio_cfg_report(doc, PIOLA_REFUSED, node->mark, "output.directory",
                   "'%s' is neither below the study's folder nor below the current one; name the folder by -o, or "
                   "allow it with --allow PATH",
                   pio_cfg_printable(doc, *directory));
}

static void complete(pio_study *study, cfg_doc *doc, const pio_scene_leave *leave)
{
    for (size_t e = 0; e < study->n; e++) {
        study->experiments[e].design = pio_cfg_node(doc, CFG_SEQUENCE, doc->root->mark);
        if (!study->experiments[e].design) return;
    }
    for (size_t i = 0; study->design && i < study->design->n; i++) distribute(study, doc, i);
    for (size_t e = 0; e < study->n && !doc->no_memory; e++) complete_experiment(study, doc, e);
    complete_output(study, doc, leave);
    study->own.optimizer.is_set = pio_cfg_get(doc->root, "optimizer", NULL) != NULL;
    check_combine(doc, study);
    if (study->own.optimizer.is_set && study->own.optimizer.multi_start > 1)
        pio_cfg_fault(doc, "optimizer.multi_start",
                      "a study begins at one point, the `initial` of its design; several starts are of scenes alone");
    if (isnan(study->own.optimizer.stop_objective)) study->own.optimizer.stop_objective = -INFINITY;
    if (isnan(study->own.gradient.memory_budget)) study->own.gradient.memory_budget = 0;
}

static void load(pio_study *study, cfg_doc *doc, const char *path, const pio_scene_leave *leave,
                 const char *const *sets, size_t n_sets)
{
    doc->allowed = leave->allowed;
    if (!pio_cfg_load(doc, path, sets, n_sets) || !pio_cfg_decode(doc, &pio_study_table, study)) return;
    study->own.input.path = pio_pool_text(&doc->pool, path, strlen(path));
    study->own.input.text = doc->text;
    doc->no_memory |= !study->own.input.path || !study->own.input.text;
    if (!doc->no_memory) complete(study, doc, leave);
}

piola_status pio_study_load(pio_study **out, const char *path, const pio_scene_leave *leave, const char *const *sets,
                            size_t n_sets, FILE *errors, piola_error *error)
{
    pio_study *study = calloc(1, sizeof *study);
    struct scene_source *source = calloc(1, sizeof *source);
    *out = NULL;
    if (!study || !source) {
        free(study);
        free(source);
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory to read the study");
    }
    study->own.input.source = source;
    const pio_locale old = pio_locale_begin();
    load(study, &source->doc, path, leave, sets, n_sets);
    const piola_status status = pio_cfg_print_messages(&source->doc, errors, error);
    pio_locale_end(old);
    if (status)
        pio_study_free(study);
    else
        *out = study;
    return status;
}

void pio_study_free(pio_study *study)
{
    if (!study) return;
    pio_cfg_free(&study->own.input.source->doc);
    free(study->own.input.source);
    free(study);
}

bool pio_study_is(const char *path)
{
    cfg_doc doc = {0};
    const pio_locale old = pio_locale_begin();
    pio_cfg_load(&doc, path, NULL, 0);
    const bool is = pio_cfg_get(doc.root, "experiments", NULL) != NULL;
    pio_locale_end(old);
    pio_cfg_free(&doc);
    return is;
}

const char *pio_study_combination(const pio_study *study)
{
    return combination_names[study->combine.type];
}

bool pio_study_has(const pio_study *study, const char *path)
{
    return pio_scene_is_set(&study->own.input.source->doc, path);
}

size_t pio_study_entries(const pio_study *study)
{
    return study->design ? study->design->n : 0;
}

const char *pio_study_entry(const pio_study *study, size_t entry)
{
    const cfg_node *name = pio_cfg_get(study->design->items[entry], "name", NULL);
    return name && name->kind == CFG_SCALAR ? name->text : "";
}

piola_status pio_study_fault(const pio_study *study, piola_error *error, const char *path, const char *what)
{
    return pio_scene_fault(&study->own, error, path, "%s", what);
}
