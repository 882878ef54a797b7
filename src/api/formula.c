/* api/formula.c - TT_E("2*x - 1 + 0.5*noise", x, noise): a formula over named values.
 *
 *   sum = term { (+|-) term }    term = factor { (*|/|%) factor }    factor = [-] power    power = atom [ ^ factor ]
 *   atom = number | name | name ( sum ) | ( sum )
 * Numbers are real: 1/3 is a third, 2^-1 a half. Names are the texts of the arguments; functions are the elementwise
 * ones of one value (exp, tanh, sqrt, ...). */
#include "api.h"
#include "../op/ops.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    base_site site;
    const char *text, *p;
    int n, depth;
    base_name *name;
    trace_value **value;
    bool *read;                                          /* of each value: the formula has its name */
} reader;

enum { DEEPEST = 200 };                                  /* maximum nesting of parentheses, minus signs and powers */
static trace_value *formula_sum(reader *r);

__attribute__((format(printf, 2, 3)))
static trace_value *complain(const reader *r, const char *fmt, ...)
{
    char what[256];
    va_list v;
    va_start(v, fmt);
    vsnprintf(what, sizeof what, fmt, v);
    va_end(v);
    base_fail(TT_ETEXT, r->site, "formula: %s", what);
    base_caret(r->text, (size_t)(r->p - r->text));
    return NULL;
}

static void formula_skip(reader *r) { while (isspace((unsigned char)*r->p)) r->p++; }

/* Values are references: an operation takes over the references to its operands. NULL: the error is set. */

static trace_value *apply1(reader *r, const op_prim *prim, const void *attr, trace_value *x)
{
    trace_value *y = x ? trace_map(r->site, prim, attr, 1, &x) : NULL;
    if (x) trace_unref(x);
    return y;
}

static trace_value *apply2(reader *r, const op_prim *prim, trace_value *a, trace_value *b)
{
    trace_value *y = a && b ? trace_map(r->site, prim, NULL, 2, (trace_value *[]){ a, b }) : NULL;
    if (a) trace_unref(a);
    if (b) trace_unref(b);
    return y;
}

/* Returns x after reading a ')', which must follow. */
static trace_value *closed(reader *r, trace_value *x)
{
    if (!x) return NULL;
    formula_skip(r);
    if (*r->p == ')') return r->p++, x;
    trace_unref(x);
    return complain(r, "')' is missing");
}

static trace_value *formula_named(reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_' || r->p[n] == '.' ||
           (r->p[n] == '-' && r->p[n + 1] == '>'))
        n += r->p[n] == '-' ? 2 : 1;
    const base_name name = base_intern_n(r->p, n);
    const char *after = r->p + n;
    while (isspace((unsigned char)*after)) after++;
    if (*after != '(') {
        for (int i = 0; i < r->n; i++)
            if (r->name[i] == name) {
                r->p += n;
                r->read[i] = true;
                return trace_ref(r->value[i]);
            }
        complain(r, "no value \"%s\"", name);
        base_hint("list the value after the formula: TT_E(\"2*x\", x)");
        return NULL;
    }
    const op_prim *prim = op_find(name);
    if (!prim || prim->nin != 1 || prim->kernel != OP_MAP || prim->attr) {
        complain(r, "no function \"%s\" of one value", name);
        base_hint("a formula has the functions of ops.h that take one value: exp, tanh, abs; others are calls in C");
        return NULL;
    }
    r->p = after + 1;
    return apply1(r, prim, NULL, closed(r, formula_sum(r)));
}

/* with tt_f's and tt_i's types; an integer of more than 32 bits has 64 */
static trace_value *formula_number(reader *r, tt_dtype dtype, double real, int64_t whole)
{
    if (dtype == TT_I32 && (whole < INT32_MIN || whole > (int64_t)UINT32_MAX)) dtype = TT_I64;
    if (trace_x64()) dtype = dtype == TT_F32 ? TT_F64 : TT_I64;
    return trace_number(r->site, dtype, real, whole);
}

/* A number in the text: digits alone are an integer, which keeps all of them. */
static trace_value *formula_literal(reader *r)
{
    const size_t digits = strspn(r->p, "0123456789");
    char *end;
    const double d = base_strtod(r->p, &end);
    if (end != r->p + digits) {
        r->p = end;
        return formula_number(r, TT_F32, d, 0);
    }
    errno = 0;
    const long long n = strtoll(r->p, NULL, 10);
    if (errno) return complain(r, "an integer has 64 bits at most; write a real number, 1e20");
    r->p = end;
    return formula_number(r, TT_I32, 0, n);
}

static trace_value *atom(reader *r)
{
    formula_skip(r);
    if (*r->p == '(') {
        r->p++;
        return closed(r, formula_sum(r));
    }
    if (isdigit((unsigned char)*r->p) || *r->p == '.') return formula_literal(r);
    if (isalpha((unsigned char)*r->p) || *r->p == '_') return formula_named(r);
    return complain(r, *r->p ? "expected a value or '('" : "the text ends where a value or '(' is expected");
}

static trace_value *factor(reader *r);

/* True if x is a number in the formula's text, not a value of the caller. */
static bool formula_written(const reader *r, const trace_value *x)
{
    bool own = x && x->form == TRACE_NUMBER;
    for (int i = 0; own && i < r->n; i++) own = x != r->value[i];
    return own;
}
static double real_of(const trace_value *x) { return x->integer ? (double)x->i64 : x->real; }
static trace_value *as_real(reader *r, trace_value *x)
{
    trace_value *y = formula_number(r, TT_F32, real_of(x), 0);
    trace_unref(x);
    return y;
}

/* x op y. Of two integers in the text the result is a number too, so that (1 + 2)/2 is a quotient of numbers. */
static trace_value *combined(reader *r, const op_prim *prim, trace_value *x, trace_value *y)
{
    if (!formula_written(r, x) || !formula_written(r, y)) return apply2(r, prim, x, y);
    int64_t n = 0;
    if (prim == &prim_div) return apply2(r, prim, as_real(r, x), y);
    const bool over = prim == &prim_mul ? __builtin_mul_overflow(x->i64, y->i64, &n)
                      : prim == &prim_add ? __builtin_add_overflow(x->i64, y->i64, &n)
                      : prim == &prim_sub ? __builtin_sub_overflow(x->i64, y->i64, &n)
                                        : true;
    if (over || !x->integer || !y->integer || n != (int32_t)n) return apply2(r, prim, x, y);
    trace_unref(x);
    trace_unref(y);
    return formula_number(r, TT_I32, (double)n, n);
}

static trace_value *power(reader *r)
{
    trace_value *x = atom(r);
    formula_skip(r);
    if (!x || *r->p != '^') return x;
    r->p++;
    trace_value *y = factor(r);
    if (formula_written(r, x) && formula_written(r, y) && real_of(y) < 0) x = as_real(r, x);
    if (y && y->form == TRACE_NUMBER && y->integer) {
        const op_integer_pow_attr attr = { y->i64 };
        if (!api_power(r->site, x, y->i64)) return trace_unref(x), trace_unref(y), NULL;
        trace_unref(y);
        return apply1(r, &prim_integer_pow, &attr, x);
    }
    return apply2(r, &prim_pow, x, y);
}

static trace_value *factor(reader *r)
{
    formula_skip(r);
    if (r->depth == DEEPEST) return complain(r, "parentheses and signs are nested more than %d deep", DEEPEST);
    r->depth++;
    const bool minus = *r->p == '-';
    r->p += minus;
    trace_value *x = minus ? factor(r) : power(r);
    r->depth--;
    if (!minus) return x;
    if (!x || x->form != TRACE_NUMBER) return apply1(r, &prim_neg, NULL, x);
    trace_value *y = trace_number(r->site, x->type->dtype, -x->real, (int64_t)(0 - (uint64_t)x->i64));
    trace_unref(x);
    return y;
}

static trace_value *term(reader *r)
{
    trace_value *x = factor(r);
    for (formula_skip(r); x && (*r->p == '*' || *r->p == '/' || *r->p == '%'); formula_skip(r)) {
        const op_prim *prim = *r->p == '*' ? &prim_mul : *r->p == '/' ? &prim_div : &prim_rem;
        r->p++;
        x = combined(r, prim, x, factor(r));
    }
    return x;
}

static trace_value *formula_sum(reader *r)
{
    trace_value *x = term(r);
    for (formula_skip(r); x && (*r->p == '+' || *r->p == '-'); formula_skip(r)) {
        const op_prim *prim = *r->p == '+' ? &prim_add : &prim_sub;
        r->p++;
        x = combined(r, prim, x, term(r));
    }
    return x;
}

/* Splits "x, p.w, f(a, b)", the arguments' texts, at commas outside parentheses. */
static int formula_split(const char *names, int n, base_name *out)
{
    int k = 0;
    for (const char *p = names; *p && k < n;) {
        int deep = 0;
        size_t len = 0;
        while (isspace((unsigned char)*p)) p++;
        while (p[len] && (deep || p[len] != ',')) deep += p[len] == '(', deep -= p[len] == ')', len++;
        size_t end = len;
        while (end && isspace((unsigned char)p[end - 1])) end--;
        out[k++] = base_intern_n(p, end);
        p += len + (p[len] == ',');
    }
    return k;
}

/* True if the formula reads each value; else sets the error. A formula of numbers alone, "2^3", has one value that it
 * does not read: C17 requires an argument for the "..." of TT_E. */
static bool formula_reads_all(const reader *r)
{
    for (int i = 0; r->n > 1 && i < r->n; i++) {
        if (r->read[i]) continue;
        base_fail(TT_ETEXT, r->site, "TT_E: \"%s\" does not read the value \"%s\"", r->text, r->name[i]);
        return base_hint("list the values that the formula reads, each once");
    }
    return true;
}

VAL3(tt_formula, const char *, formula, const char *, names, const tt_val *, v)
{
    reader r = { .site = site, .text = formula, .p = formula, .n = api_list(site, "TT_E", v) };
    if (r.n < 0) return trace_poison;
    if (!formula || !names) {
        base_fail(TT_ETEXT, site, "TT_E: the formula, or the list of its names, is NULL");
        return trace_poison;
    }
    r.name = BASE_NEW(trace_temp(), base_name, r.n + 1);
    r.value = BASE_NEW(trace_temp(), trace_value *, r.n + 1);
    r.read = BASE_NEW(trace_temp(), bool, r.n + 1);
    for (int i = 0; i < r.n; i++) if (!(r.value[i] = trace_get(site, v[i]))) return trace_poison;
    formula_split(names, r.n, r.name);
    trace_value *x = formula_sum(&r);
    formula_skip(&r);
    if (!x || (!*r.p && formula_reads_all(&r))) return api_handle(x);
    trace_unref(x);
    if (*r.p) complain(&r, "expected an operator or the end of the formula");
    return trace_poison;
}
