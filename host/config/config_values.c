/* config_values.c -- decodes numbers and lists of numbers, with expressions in their place, and names; see
 * config_values.h. */
#include "host/config/config_values.h"
#include "host/base/decimal.h"

#include <math.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------------------------ */

char *pio_cfg_own_text(cfg_doc *doc, const char *text, size_t length)
{
    char *own = pio_pool_text(&doc->pool, text, length);
    if (!own) doc->no_memory = true;
    return own;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool pio_cfg_is_name(const char *text, size_t length, bool label)
{
    if (length == 0 || length > 64 || !(letter(text[0]) || (label && text[0] >= '0' && text[0] <= '9'))) return false;
    for (size_t i = 1; i < length; i++)
        if (!letter(text[i]) && !(text[i] >= '0' && text[i] <= '9') && !(label && (text[i] == '.' || text[i] == '-')))
            return false;
    return true;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool number(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, double *out)
{
    char why[400], range[80];
    if (node->kind != CFG_SCALAR || !node->plain || strcmp(pio_cfg_kind_of(node), "nothing") == 0) {
        const char *unit = pio_quantity_unit(f->quantity);
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a number%s%s, got %s%s",
                       *unit ? ", such as 1 " : "", unit, pio_cfg_kind_of(node),
                       node->kind == CFG_SCALAR && !node->plain ? "; remove the quotes" : "");
        return false;
    }
    if (!pio_quantity_parse(node->text, f->quantity, out, why, sizeof why)) {
        const bool expression = strpbrk(node->text, "*^(") != NULL;
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, expression ? "'%s' is an expression, %s" : "%s%s",
                       expression ? pio_cfg_printable(doc, node->text) : why,
                       expression ? "and this key has a number; what may vary, in scenes of finite elements alone, is "
                                    "listed in docs/scene.md"
                                  : "");
        return false;
    }
    if (!pio_range_holds(&f->range, *out)) {
        const char *unit = pio_quantity_unit(f->quantity);
        pio_angle_hint(node->text, f, *out, why, sizeof why);
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "'%s' is out of range: it must be %s%s%s%s",
                       pio_cfg_printable(doc, node->text), pio_range_text(&f->range, range, sizeof range),
                       *unit ? " " : "", unit, why);
        return false;
    }
    return true;
}

/* Returns whether a scalar that is no number is meant to be an expression: it is in quotes, begins as one, or has an
 * operator. */
static bool is_expression(const cfg_node *node)
{
    char why[400];
    double value;
    if (node->kind != CFG_SCALAR || !*node->text) return false;
    if (!node->plain) return true;
    if (strcmp(pio_cfg_kind_of(node), "nothing") == 0) return false;
    if (pio_quantity_parse(node->text, CFG_ANY, &value, why, sizeof why)) return false;
    const size_t length = pio_number_length(node->text);
    const char first = node->text[0];
    if (length) return strpbrk(node->text + length, "*/^()<>+-") != NULL;
    return first != '.' && strncmp(node->text, "-.", 2) != 0 && strncmp(node->text, "0x", 2) != 0;
}

/* Decodes a number, or where the field has texts an expression. */
bool pio_cfg_number(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, double *out, char **text)
{
    *text = NULL;
    if (!f->texts || !is_expression(node)) return number(doc, node, path, f, out);
    *text = pio_cfg_own_text(doc, node->text, strlen(node->text));
    *out = f->instead_of;
    return true;
}

void pio_cfg_integer(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    double value;
    if (!number(doc, node, path, f, &value)) return;
    double limit = f->size == sizeof(int64_t) ? 9007199254740992.0 : 2147483647.0;
    if (value < floor(value) || value > floor(value) || fabs(value) > limit) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "'%s' is not a whole number of at most %.0f",
                       pio_cfg_printable(doc, node->text), limit);
        return;
    }
    int64_t wide = (int64_t)value;
    int narrow = (int)(f->size == sizeof wide ? 0 : wide);
    if (f->size == sizeof wide) memcpy(at, &wide, sizeof wide);
    if (f->size == sizeof narrow) memcpy(at, &narrow, sizeof narrow);
}

/* ---- several ---------------------------------------------------------------------------------------------------- */

/* Decodes exactly `want` numbers (0: 2 or 3) into out[3], and where the field has texts these into texts[3]. */
bool pio_cfg_numbers(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, size_t want, double *out,
                     char **texts)
{
    bool good = true;
    if (node->kind != CFG_SEQUENCE || (want ? node->n != want : node->n != 2 && node->n != 3)) {
        char got[40];
        snprintf(got, sizeof got, "%zu", node->n);
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a list of %s numbers%s, got %s",
                       want == 2   ? "2"
                       : want == 3 ? "3"
                                   : "2 or 3",
                       f->type == CFG_PAIR ? "" : " (as many as method.dimension)",
                       node->kind == CFG_SEQUENCE ? got : pio_cfg_kind_of(node));
        return false;
    }
    for (size_t i = 0; i < node->n; i++) {
        char sub[CFG_PATH];
        snprintf(sub, sizeof sub, "%.480s[%zu]", path, i);
        good &= texts ? pio_cfg_number(doc, node->items[i], sub, f, out + i, texts + i)
                      : number(doc, node->items[i], sub, f, out + i);
    }
    return good;
}

void pio_cfg_pair(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    double two[3] = {0, 0, 0};
    if (!pio_cfg_numbers(doc, node, path, f, 2, two, NULL)) return;
    if (two[0] < two[1])
        memcpy(at, two, 2 * sizeof *two);
    else
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "the first number must be below the second");
}

void pio_cfg_spin(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at)
{
    double three[3] = {0, 0, 0};
    bool scalar = doc->dimension == 2 || (doc->dimension == 0 && node->kind == CFG_SCALAR);
    if (scalar && node->kind == CFG_SEQUENCE) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected one number in a 2D scene, got a list");
        return;
    }
    if (scalar ? number(doc, node, path, f, three + 2) : pio_cfg_numbers(doc, node, path, f, 3, three, NULL))
        memcpy(at, three, sizeof three);
}

void pio_cfg_number_list(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner)
{
    char *at = owner + f->offset;
    size_t n = node->kind == CFG_SEQUENCE ? node->n : 1;
    if (node->kind == CFG_PAIRS || n == 0) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a number or a list of numbers, got %s",
                       n ? "a mapping" : "an empty list");
        return;
    }
    cfg_array list = {pio_pool_take(&doc->pool, n * sizeof(double)), n};
    char **texts = f->texts ? pio_pool_take(&doc->pool, n * sizeof *texts) : NULL;
    bool any = false;
    doc->no_memory |= !list.v || (f->texts && !texts);
    for (size_t i = 0; i < n && list.v && (texts || !f->texts); i++) {
        char sub[CFG_PATH], *text;
        bool many = node->kind == CFG_SEQUENCE;
        snprintf(sub, sizeof sub, many ? "%.480s[%zu]" : "%.480s", path, i);
        pio_cfg_number(doc, many ? node->items[i] : node, sub, f, (double *)list.v + i, &text);
        if (texts) texts[i] = text;
        any |= text != NULL;
    }
    memcpy(at, &list, sizeof list);
    if (any) memcpy(owner + f->texts, &texts, sizeof texts);
}

/* Decodes a mapping of names to numbers with units. */
void pio_cfg_named(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner)
{
    if (node->kind != CFG_PAIRS || node->n == 0) {
        pio_cfg_report(doc, PIOLA_BAD_DATA, node->mark, path, "expected a mapping of names to numbers, got %s",
                       node->n ? pio_cfg_kind_of(node) : "nothing");
        return;
    }
    cfg_named *list = pio_pool_take(&doc->pool, node->n * sizeof *list);
    doc->no_memory |= !list;
    for (size_t i = 0; list && i < node->n; i++) {
        const cfg_node *key = node->keys[i];
        char sub[CFG_PATH];
        snprintf(sub, sizeof sub, "%.400s.%.80s", path, key->text);
        if (!pio_cfg_is_name(key->text, strlen(key->text), false))
            pio_cfg_report(doc, PIOLA_BAD_DATA, key->mark, path,
                           "'%s' is not a name; use up to 64 letters, digits and _, beginning with a letter or _",
                           pio_cfg_printable(doc, key->text));
        list[i] = (cfg_named){.name = pio_cfg_own_text(doc, key->text, strlen(key->text)), .quantity = CFG_ONE};
        cfg_node one = *node->items[i];
        one.plain |= one.kind == CFG_SCALAR; /* in JSON a number with a unit is in quotes */
        if (!number(doc, &one, sub, f, &list[i].value)) continue;
        const char *unit = one.text + pio_number_length(one.text);
        pio_unit_length(unit + strspn(unit, " "), &list[i].quantity);
    }
    memcpy(owner + f->offset, &list, sizeof list);
    memcpy(owner + f->second, &node->n, sizeof node->n);
}
