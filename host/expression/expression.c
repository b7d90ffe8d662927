/* expression.c -- see expression.h: a parser by recursive descent, which checks dimensions and makes operations as it
 * reads. */
#include "host/expression/expression_code.h"
#include "host/base/decimal.h"
#include "host/base/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct {
    const char *text; /* the whole expression */
    size_t at;        /* the next character */
    size_t united[2]; /* begin and end of the last number with a unit; 0, 0: none so far */
    int depth;        /* levels of recursion */
    const pio_expression_scope *scope;
    pio_expression *out;
    pio_expression_fault *fault;
    bool failed;
} parser;

static const pio_dimension none = {0, 0, 0, 0};

static pio_term fail(parser *p, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static pio_term fail(parser *p, size_t at, const char *format, ...)
{
    va_list args;
    if (!p->failed) {
        p->failed = true;
        p->fault->at = at;
        va_start(args, format);
        vsnprintf(p->fault->text, sizeof p->fault->text, format, args);
        va_end(args);
    }
    return pio_term_number(0, none, at);
}

static const char *words(pio_dimension unit, char out[80])
{
    return pio_dimension_text(unit, out, 80);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(parser *p)
{
    while (p->text[p->at] == ' ') p->at++;
    return p->text[p->at];
}

static bool accept(parser *p, char c)
{
    if (peek(p) != c || p->failed) return false;
    p->at++;
    return true;
}

static void expect(parser *p, char c, const char *what)
{
    if (accept(p, c) || p->failed) return;
    if (p->text[p->at])
        fail(p, p->at, "'%c' is expected here, %s, not '%c'", c, what, p->text[p->at]);
    else
        fail(p, p->at, "'%c' is missing at the end, %s", c, what);
}

/* Makes an operation of values that are no comparisons. */
static pio_term make(parser *p, pio_operation op, const pio_term *a, const pio_term *b, size_t at)
{
    if (!p->failed && (a->truth || (b && b->truth)))
        return fail(p, at, "a comparison stands in the first place of if(condition, a, b) alone");
    const pio_term made = p->failed ? *a : pio_term_make(p->out, op, a, b, NULL, at);
    if (made.op < -1)
        return fail(p, at,
                    "the expression has more than %d operations; a part that is the same everywhere would "
                    "be a number in `constants`",
                    PIO_PROGRAM_OPS);
    return made;
}

/* Gives a value its dimension. */
static pio_term with(parser *p, pio_term made, pio_dimension unit)
{
    made.unit = unit;
    if (!pio_dimension_legal(unit)) return fail(p, made.at, "the unit of this has an exponent beyond 40");
    return made;
}

/* Makes an operation whose operands must be of one kind. */
static pio_term alike(parser *p, pio_operation op, const char *verb, const pio_term *a, const pio_term *b, size_t at)
{
    char left[80], right[80];
    if (!p->failed && !a->fits && !b->fits && !pio_dimension_same(a->unit, b->unit))
        return fail(p, at, "%s %s and %s; both must be of one kind", verb, words(a->unit, left), words(b->unit, right));
    pio_term made = with(p, make(p, op, a, b, at), a->fits ? b->unit : a->unit);
    made.fits = a->fits && b->fits;
    return made;
}

static pio_term sum(parser *p);
static pio_term unary(parser *p);

/* ---- functions ------------------------------------------------------------------------------------------------ */

static const char *const functions[] = {"sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "abs", "min", "max", "if"};
enum { SIN, COS, TAN, TANH, EXP, LOG, SQRT, ABS, MIN, MAX, IF, FUNCTIONS };

/* Returns half the dimension. */
static pio_term root(parser *p, const pio_term *a, size_t at)
{
    char left[80];
    if ((a->unit.m | a->unit.kg | a->unit.s | a->unit.K) & 1)
        return fail(p, at, "sqrt of %s has a unit that cannot be", words(a->unit, left));
    return with(p, make(p, PIO_OP_SQRT, a, NULL, at), pio_dimension_times(none, a->unit, PIO_DIMENSION_PARTS / 2));
}

/* A function of one operand, of which all but abs and sqrt want a plain number. */
static pio_term one(parser *p, int f, size_t at)
{
    static const pio_operation op[] = {[SIN] = PIO_OP_SIN, [COS] = PIO_OP_COS, [TANH] = PIO_OP_TANH,
                                       [EXP] = PIO_OP_EXP, [LOG] = PIO_OP_LOG, [ABS] = PIO_OP_ABS};
    char left[80];
    const pio_term a = sum(p);
    if (p->failed) return a;
    if (f == SQRT) return root(p, &a, at);
    if (f == ABS) return with(p, make(p, PIO_OP_ABS, &a, NULL, at), a.unit);
    if (!pio_dimension_same(a.unit, none))
        return fail(p, at, "%s is of %s, not of %s; divide it by something of that kind", functions[f],
                    f <= TAN ? "an angle or a plain number" : "a plain number", words(a.unit, left));
    if (f != TAN) return make(p, op[f], &a, NULL, at);
    const pio_term s = make(p, PIO_OP_SIN, &a, NULL, at), c = make(p, PIO_OP_COS, &a, NULL, at);
    return make(p, PIO_OP_DIVIDE, &s, &c, at);
}

/* if(a < b, yes, no), with <, <=, >, >=. */
static pio_term choose(parser *p, size_t at)
{
    pio_term a = sum(p), b;
    const size_t mark = p->at;
    const char sign = peek(p);
    if (p->failed) return a;
    if (sign != '<' && sign != '>')
        return fail(p, p->at,
                    "if begins with a comparison, as in if(x < 10 mm, a, b); <, <=, > or >= is expected here");
    p->at++;
    const bool equal = p->text[p->at] == '=';
    p->at += equal;
    b = sum(p);
    const pio_operation op = equal ? PIO_OP_AT_MOST : PIO_OP_LESS;
    const pio_term truth = sign == '<' ? alike(p, op, "the comparison is of", &a, &b, mark)
                                       : alike(p, op, "the comparison is of", &b, &a, mark);
    expect(p, ',', "between the condition and the value where it holds");
    a = sum(p);
    const size_t comma = p->at;
    expect(p, ',', "between the two values of if");
    b = sum(p);
    if (p->failed) return a;
    char left[80], right[80];
    if (!a.fits && !b.fits && !pio_dimension_same(a.unit, b.unit))
        return fail(p, comma, "if gives %s or %s; both must be of one kind", words(a.unit, left), words(b.unit, right));
    pio_term made = pio_term_make(p->out, PIO_OP_SELECT, &truth, &a, &b, at);
    if (made.op < -1) return make(p, PIO_OP_ADD, &made, &made, at);
    made = with(p, made, a.fits ? b.unit : a.unit);
    made.fits = a.fits && b.fits;
    return made;
}

static pio_term call(parser *p, int f, size_t at)
{
    pio_term made;
    expect(p, '(', "after the name of a function");
    if (p->failed) return pio_term_number(0, none, at);
    if (f == MIN || f == MAX) {
        made = sum(p);
        if (!p->failed && peek(p) != ',') return fail(p, p->at, "%s has two values or more", functions[f]);
        while (!p->failed && accept(p, ',')) {
            const pio_term next = sum(p);
            made = alike(p, f == MIN ? PIO_OP_MIN : PIO_OP_MAX, f == MIN ? "min is of" : "max is of", &made, &next, at);
        }
    } else {
        made = f == IF ? choose(p, at) : one(p, f, at);
    }
    expect(p, ')', "after the values of a function");
    return made;
}

/* ---- names and numbers ---------------------------------------------------------------------------------------- */

/* Returns whether the name at `at` is a unit, behind an operator and a number with a unit: part of a unit that is none.
 */
static bool compound(const parser *p, const char *name, size_t at)
{
    cfg_quantity quantity;
    size_t k = p->united[1];
    while (p->text[k] == ' ') k++;
    if (k == 0 || (p->text[k] != '/' && p->text[k] != '*')) return false;
    for (k++; p->text[k] == ' ';) k++;
    return k == at && pio_unit_length(name, &quantity) == strlen(name);
}

static pio_term unknown(parser *p, const char *name, size_t at)
{
    static const char *const own[] = {"x", "y", "z", "t", "pi"};
    const char *known[64 + 64 + FUNCTIONS + 5], *near;
    char list[200] = "";
    size_t n = 0, used = 0;
    for (size_t k = 0; k < p->scope->n && k < 64; k++) {
        known[n++] = p->scope->constants[k].name;
        if (used + strlen(p->scope->constants[k].name) + 3 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, ", %s", p->scope->constants[k].name);
    }
    for (size_t k = 0; k < p->scope->n_tables && k < 64; k++) known[n++] = p->scope->tables[k].name;
    for (size_t k = 0; k < 5; k++) known[n++] = own[k];
    for (size_t k = 0; k < FUNCTIONS; k++) known[n++] = functions[k];
    near = pio_nearest(name, known, n);
    if (compound(p, name, at)) {
        const int length = (int)(at - p->united[0]) < 60 ? (int)(at - p->united[0]) : 60;
        return fail(p, at,
                    "unknown name '%.40s'; only the compound units of docs/scene.md can do without parentheses: write "
                    "%.*s(1 %.40s)",
                    name, length, p->text + p->united[0], name);
    }
    if (near) return fail(p, at, "unknown name '%.40s'; did you mean '%s'?", name, near);
    return fail(p, at, "unknown name '%.40s'; there are x, y, z, t, pi%s; others are named in `constants` or `tables`",
                name, list);
}

/* A coordinate, or a table, where there is no place. */
static pio_term nowhere(parser *p, size_t at)
{
    return fail(p, at, "%s no place x, y or z, and no table; it is the same everywhere", p->scope->no_space);
}

static pio_term named(parser *p)
{
    const size_t at = p->at;
    char name[66];
    size_t length = 0;
    while (letter(p->text[at + length]) || digit(p->text[at + length])) length++;
    p->at += length;
    snprintf(name, sizeof name, "%.*s", (int)(length < 65 ? length : 65), p->text + at);
    for (int f = 0; f < FUNCTIONS; f++)
        if (!strcmp(name, functions[f])) return call(p, f, at);
    if (!strcmp(name, "pi")) return pio_term_number(PI, none, at);
    if (!strcmp(name, "t")) {
        if (p->scope->no_time) return fail(p, at, "%s no time t; it is the same at all times", p->scope->no_time);
        p->out->in_time = true;
        return pio_term_leaf(p->out, PIO_OP_TIME, 0, pio_dimension_of(CFG_TIME), at);
    }
    if (length == 1 && name[0] >= 'x' && name[0] <= 'z') {
        if (p->scope->no_space) return nowhere(p, at);
        if (name[0] == 'z' && p->scope->dimension == 2) return fail(p, at, "a 2D scene has no z; there are x and y");
        p->out->in_space = true;
        return pio_term_leaf(p->out, (pio_operation)(PIO_OP_X + (name[0] - 'x')), 0, pio_dimension_of(CFG_LENGTH), at);
    }
    for (size_t k = 0; k < p->scope->n && k < 64; k++) {
        const cfg_named *own = &p->scope->constants[k];
        if (strcmp(own->name, name) != 0) continue;
        p->out->constants |= UINT64_C(1) << k;
        return pio_term_leaf(p->out, PIO_OP_CONSTANT, (int)k, pio_dimension_of(own->quantity), at);
    }
    for (size_t k = 0; k < p->scope->n_tables && k < 64; k++) {
        const pio_expression_table *own = &p->scope->tables[k];
        if (strcmp(own->name, name) != 0) continue;
        if (p->scope->no_space) return nowhere(p, at);
        p->out->tables |= UINT64_C(1) << k;
        p->out->in_space = true;
        return pio_term_leaf(p->out, own->nearest ? PIO_OP_NEAREST_TABLE : PIO_OP_LINEAR_TABLE, (int)k,
                             pio_dimension_of(own->quantity), at);
    }
    return unknown(p, name, at);
}

/* A number, with a unit behind it or none. */
static pio_term number(parser *p)
{
    const size_t at = p->at, length = pio_number_length(p->text + at);
    char whole[160], why[300];
    cfg_quantity quantity = CFG_ONE;
    double value;
    size_t unit = at + length;
    while (p->text[unit] == ' ') unit++;
    size_t end = unit + pio_unit_length(p->text + unit, &quantity);
    if (end == unit && letter(p->text[unit])) {
        while (letter(p->text[end]) || digit(p->text[end])) end++;
        return fail(p, unit, "unknown unit '%.*s' behind a number; a product is written 2*x",
                    (int)(end - unit < 40 ? end - unit : 40), p->text + unit);
    }
    if (end == unit) end = at + length;
    if (quantity == CFG_MEMORY) return fail(p, unit, "an amount of memory does not belong here");
    snprintf(whole, sizeof whole, "%.*s", (int)(end - at < 159 ? end - at : 159), p->text + at);
    if (end - at > 150 || !pio_quantity_parse(whole, quantity, &value, why, sizeof why))
        return fail(p, at, "%s", end - at > 150 ? "a number of more than 100 characters" : why);
    p->at = end;
    if (end > at + length) p->united[0] = at, p->united[1] = end;
    pio_term made = pio_term_number(value, pio_dimension_of(quantity), at);
    made.fits = end == at + length && value >= 0 && value <= 0;
    return made;
}

static pio_term primary(parser *p)
{
    const char c = peek(p);
    if (p->failed) return pio_term_number(0, none, p->at);
    if (letter(c)) return named(p);
    if (pio_number_length(p->text + p->at) && c != '+' && c != '-') return number(p);
    if (accept(p, '(')) {
        const pio_term inner = sum(p);
        if (!p->failed && (peek(p) == '<' || peek(p) == '>'))
            return fail(p, p->at, "a comparison stands in the first place of if(condition, a, b) alone");
        expect(p, ')', "to close the parenthesis");
        return inner;
    }
    if (!c) return fail(p, p->at, "the expression ends where a number, a name or '(' is expected");
    if (c < ' ' || c > '~') return fail(p, p->at, "this character does not belong into an expression");
    return fail(p, p->at, "a number, a name or '(' is expected here, not '%c'", c);
}

/* ---- operators ------------------------------------------------------------------------------------------------ */

/* base^n of a number n: whole powers are products. */
static pio_term fixed_power(parser *p, const pio_term *base, double n, size_t at)
{
    char left[80];
    const double parts = n * PIO_DIMENSION_PARTS;
    const pio_dimension all = base->unit;
    if (!(fabs(n) <= 16) && !pio_dimension_same(all, none))
        return fail(p, at, "a power of %s has an exponent from -16 to 16", words(all, left));
    if (!pio_dimension_same(all, none) &&
        (fabs(parts - round(parts)) > 0 || fmod(all.m * parts, PIO_DIMENSION_PARTS) != 0 ||
         fmod(all.kg * parts, PIO_DIMENSION_PARTS) != 0 || fmod(all.s * parts, PIO_DIMENSION_PARTS) != 0 ||
         fmod(all.K * parts, PIO_DIMENSION_PARTS) != 0))
        return fail(p, at, "this power of %s has a unit that cannot be", words(all, left));
    const pio_dimension unit = pio_dimension_same(all, none) ? none : pio_dimension_times(none, all, (int)round(parts));
    if (fabs(n) <= 1024 && !(fabs(n - round(n)) > 0)) {
        if (!(fabs(n) > 0)) return pio_term_number(1, none, at);
        pio_term made = pio_term_power(p->out, base, (int)fabs(n), at);
        const pio_term unity = pio_term_number(1, none, at);
        if (n < 0 && made.op >= -1) made = pio_term_make(p->out, PIO_OP_DIVIDE, &unity, &made, NULL, at);
        if (made.op < -1) return make(p, PIO_OP_ADD, &made, &made, at);
        made.at = at;
        made.fits = false;
        return with(p, made, unit);
    }
    const pio_term exponent = pio_term_number(n, none, at);
    return with(
        p, fabs(n - 0.5) > 0 ? make(p, PIO_OP_POWER, base, &exponent, at) : make(p, PIO_OP_SQRT, base, NULL, at), unit);
}

static pio_term power(parser *p)
{
    char left[80];
    const pio_term base = primary(p);
    const char sign = peek(p);
    const size_t at = p->at;
    if (p->failed || sign != '^') return base;
    p->at++;
    const pio_term exponent = unary(p);
    if (p->failed) return base;
    if (base.truth || exponent.truth) return make(p, PIO_OP_POWER, &base, &exponent, at);
    if (!pio_dimension_same(exponent.unit, none))
        return fail(p, at, "an exponent is a plain number, not %s", words(exponent.unit, left));
    if (exponent.op == -1) return fixed_power(p, &base, exponent.number, at);
    if (!pio_dimension_same(base.unit, none))
        return fail(p, at,
                    "a power of %s needs an exponent that is a number, such as 2; or divide the base by "
                    "something of its kind",
                    words(base.unit, left));
    return make(p, PIO_OP_POWER, &base, &exponent, at);
}

static pio_term unary(parser *p)
{
    peek(p);
    const size_t at = p->at;
    if (++p->depth > PIO_EXPRESSION_DEPTH)
        return fail(p, at, "more than %d parentheses, functions and signs in each other", PIO_EXPRESSION_DEPTH);
    const bool minus = accept(p, '-'), plus = !minus && accept(p, '+');
    const pio_term inner = minus || plus ? unary(p) : power(p);
    p->depth--;
    if (!minus || p->failed) return inner;
    pio_term made = with(p, make(p, PIO_OP_NEGATE, &inner, NULL, at), inner.unit);
    made.fits = inner.fits;
    return made;
}

static pio_term product(parser *p)
{
    pio_term a = unary(p);
    while (!p->failed && (peek(p) == '*' || peek(p) == '/')) {
        const size_t at = p->at++;
        const bool times = p->text[at] == '*';
        if (p->text[p->at] == '*') return fail(p, p->at, "a power is written with ^, as in x^2");
        const pio_term b = unary(p);
        if (p->failed) break;
        if (!times && b.op == -1 && !(fabs(b.number) > 0)) return fail(p, at, "this divides by 0");
        a = with(p, make(p, times ? PIO_OP_MULTIPLY : PIO_OP_DIVIDE, &a, &b, at),
                 pio_dimension_times(a.unit, b.unit, times ? PIO_DIMENSION_PARTS : -PIO_DIMENSION_PARTS));
    }
    return a;
}

static pio_term sum(parser *p)
{
    pio_term a = product(p);
    while (!p->failed && (peek(p) == '+' || peek(p) == '-')) {
        const size_t at = p->at++;
        const bool plus = p->text[at] == '+';
        const pio_term b = product(p);
        a = alike(p, plus ? PIO_OP_ADD : PIO_OP_SUBTRACT, plus ? "'+' is between" : "'-' is between", &a, &b, at);
    }
    return a;
}

bool pio_expression_compile(const char *text, const pio_expression_scope *scope, cfg_quantity quantity,
                            pio_expression *out, pio_expression_fault *fault)
{
    parser p = {.text = text, .scope = scope, .out = out, .fault = fault};
    char got[80], units[300];
    memset(out, 0, sizeof *out);
    *fault = (pio_expression_fault){0};
    if (strlen(text) > PIO_EXPRESSION_CHARACTERS) {
        fail(&p, PIO_EXPRESSION_CHARACTERS, "the expression has more than %d characters", PIO_EXPRESSION_CHARACTERS);
        return false;
    }
    const pio_term all = sum(&p);
    const char rest = peek(&p);
    if (!p.failed && (rest == '<' || rest == '>'))
        fail(&p, p.at, "a comparison stands in the first place of if(condition, a, b) alone");
    if (!p.failed && rest) {
        if (letter(rest) || digit(rest) || rest == '(')
            fail(&p, p.at, "an operator is missing here; a product is written with *");
        else
            fail(&p, p.at, "an operator or the end is expected here, not '%c'",
                 rest >= ' ' && rest <= '~' ? rest : '?');
    }
    if (!p.failed && !all.fits && !pio_dimension_same(all.unit, pio_dimension_of(quantity))) {
        pio_quantity_units(quantity, ", ", units, sizeof units);
        fail(&p, all.at, "the value is %s, but a %s is expected%s%s%s", words(all.unit, got),
             quantity == CFG_ONE ? "plain number" : pio_quantity_name(quantity), *units ? " (" : "", units,
             *units ? ")" : "");
    }
    if (!p.failed && !pio_term_finish(out, &all))
        fail(&p, all.at, "the expression has more than %d operations", PIO_PROGRAM_OPS);
    return !p.failed;
}
