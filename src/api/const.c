/* api/const.c - constants that are written in the program: literals of C as text, and ranges of numbers. */
#include "api.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- literals ---- */

typedef struct {
    base_site site;
    const char *text, *p;
    tt_dtype dtype;
    int rank, deep; /* rank: -1: no number was read yet */
    int64_t dim[IR_RANK], n;
    uint8_t *data;
} literal;
/* An integer, by sign and magnitude, or a number with a fraction. */
typedef struct {
    bool whole, minus;
    uint64_t size;
    double x;
} read_number;
static double const_real(read_number n)
{
    if (!n.whole) return n.x;
    return n.minus && n.size ? -(double)n.size : (double)n.size;
}

static bool const_bad(literal *l, const char *at, const char *message)
{
    if (base_failed()) return false;
    base_fail(TT_ETEXT, l->site, "tt_const: %s", message);
    return base_caret(l->text, (size_t)(at - l->text));
}

static void const_skip(literal *l)
{
    while (isspace((unsigned char)*l->p)) l->p++;
}

static bool too_wide(literal *l, const char *at) { return const_bad(l, at, "an integer of more than 64 bits"); }

static bool read_sum(literal *l, read_number *to);

/* A word: C's true and false, and what the macros NAN and INFINITY stand for. */
static bool read_word(literal *l, read_number *to)
{
    static const struct {
        const char *word;
        double x;
        bool whole;
    } all[] = {
        { "true", 1, true },
        { "false", 0, true },
        { "NAN", (double)NAN, false },
        { "INFINITY", (double)INFINITY, false },
        { "__builtin_nanf", (double)NAN, false },
        { "__builtin_nan", (double)NAN, false },
        { "__builtin_inff", (double)INFINITY, false },
        { "__builtin_inf", (double)INFINITY, false },
        { "__builtin_huge_valf", (double)INFINITY, false },
        { "__builtin_huge_val", (double)INFINITY, false },
    };
    const char *const at = l->p;
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strlen(all[i].word) != n || memcmp(all[i].word, at, n)) continue;
        *to = (read_number){ .whole = all[i].whole, .size = all[i].whole ? (uint64_t)all[i].x : 0, .x = all[i].x };
        l->p += n;
        const_skip(l);
        if (*at == '_' && *l->p == '(') l->p += strcspn(l->p, ")") + (strchr(l->p, ')') != NULL);
        return true;
    }
    const_bad(l, at, base_format(trace_temp(), n ? "\"%.*s\" is no number" : "expected a number", (int)n, at));
    return base_hint("numbers are written out here; tt_array(dtype, data, dims) copies what variables hold"), false;
}

static bool read_digits(literal *l, read_number *to)
{
    const bool hex = l->p[0] == '0' && (l->p[1] == 'x' || l->p[1] == 'X');
    const size_t whole = hex ? 2 + strspn(l->p + 2, "0123456789abcdefABCDEF") : strspn(l->p, "0123456789");
    char *end;
    if (strchr(".pP", l->p[whole] ? l->p[whole] : ' ') || (!hex && strchr("eE", l->p[whole] ? l->p[whole] : ' '))) {
        *to = (read_number){ .x = tt_strtod(l->p, &end) };
        if (end == l->p) return const_bad(l, l->p, "expected a number");
        l->p = end;
        if (strchr("fFlL", *l->p ? *l->p : ' ')) l->p++;
        return true;
    }
    if (!hex && whole > 1 && *l->p == '0') return const_bad(l, l->p, "C reads a number with a leading 0 as octal");
    uint64_t x = 0;
    for (size_t i = hex ? 2 : 0; i < whole; i++) {
        const char c = (char)tolower((unsigned char)l->p[i]);
        if (__builtin_mul_overflow(x, hex ? 16 : 10, &x) ||
            __builtin_add_overflow(x, c <= '9' ? c - '0' : c - 'a' + 10, &x))
            return too_wide(l, l->p);
    }
    *to = (read_number){ .whole = true, .size = x };
    l->p += whole;
    while (strchr("uUlL", *l->p ? *l->p : ' ')) l->p++;
    if (strchr("fF", *l->p ? *l->p : ' ')) return const_bad(l, l->p, "C reads no integer that ends in f");
    return true;
}

static bool read_factor(literal *l, read_number *to)
{
    const_skip(l);
    if (*l->p == '-' || *l->p == '+') {
        const bool minus = *l->p++ == '-';
        if (++l->deep > 100) return const_bad(l, l->p, "nested too deep");
        if (!read_factor(l, to)) return false;
        l->deep--;
        if (minus) to->minus = !to->minus, to->x = -to->x;
        return true;
    }
    if (*l->p == '(') {
        l->p++;
        if (++l->deep > 100) return const_bad(l, l->p, "nested too deep");
        if (!read_sum(l, to)) return false;
        l->deep--;
        const_skip(l);
        if (*l->p != ')') return const_bad(l, l->p, "expected )");
        l->p++;
        return true;
    }
    return isdigit((unsigned char)*l->p) || *l->p == '.' ? read_digits(l, to) : read_word(l, to);
}

static bool read_product(literal *l, read_number *to)
{
    if (!read_factor(l, to)) return false;
    for (const_skip(l); *l->p == '*' || *l->p == '/'; const_skip(l)) {
        const char *const at = l->p;
        read_number y;
        l->p++;
        if (!read_factor(l, &y)) return false;
        if (*at == '/' && to->whole && y.whole) {
            const_bad(l, at, "a quotient of integers: C would cut its fraction off");
            return base_hint("write one of them as a real number: 1.0 / 3"), false;
        }
        if (to->whole && y.whole) {
            to->minus ^= y.minus;
            if (__builtin_mul_overflow(to->size, y.size, &to->size)) return too_wide(l, at);
            continue;
        }
        const double x = const_real(*to), z = const_real(y);
        *to = (read_number){ .x = *at == '*' ? x * z : x / z };
    }
    return true;
}

/* The sum of two integers; false with the error set: it has more than 64 bits. */
static bool whole_sum(literal *l, const char *at, read_number *to, read_number y)
{
    if (to->minus == y.minus) return !__builtin_add_overflow(to->size, y.size, &to->size) || too_wide(l, at);
    if (to->size < y.size) *to = (read_number){ .whole = true, .minus = y.minus, .size = y.size - to->size };
    else to->size -= y.size;
    return true;
}

static bool read_sum(literal *l, read_number *to)
{
    if (!read_product(l, to)) return false;
    for (const_skip(l); *l->p == '+' || *l->p == '-'; const_skip(l)) {
        const char *const at = l->p++;
        read_number y;
        if (!read_product(l, &y)) return false;
        if (*at == '-') y.minus = !y.minus, y.x = -y.x;
        if (to->whole && y.whole) {
            if (!whole_sum(l, at, to, y)) return false;
        } else *to = (read_number){ .x = const_real(*to) + const_real(y) };
    }
    return true;
}

/* True if an integer type from `least` to `most` has the number. */
static bool type_has(read_number n, int64_t least, uint64_t most)
{
    if (!n.whole) return n.x == floor(n.x) && n.x >= (double)least && n.x < (double)most + 1;
    return n.minus && n.size ? least < 0 && n.size <= (uint64_t) - (least + 1) + 1 : n.size <= most;
}

/* Appends the number in the literal's dtype. */
static bool append_number(literal *l, const char *at, read_number n)
{
    const ir_dtype *const d = ir_dtype_of(l->dtype);
    int64_t least = 0;
    uint64_t most = 1;
    const bool whole = ir_int_range(l->dtype, &least, &most) || d->cls == IR_BOOL_CLASS;
    if (whole && !type_has(n, least, most))
        return const_bad(l, at, base_format(trace_temp(), "%.17g is no %s", const_real(n), d->name));
    const ir_type *one = ir_type_of(l->dtype, 0, NULL);
    const ir_box box = ir_box_dense(l->data + (size_t)l->n * d->bytes, one);
    ir_num v = { .c = { const_real(n), 0 } };
    if (d->cls == IR_INT_CLASS) v.i = !n.whole ? (int64_t)n.x : (int64_t)(n.minus ? 0 - n.size : n.size);
    if (d->cls == IR_UINT_CLASS) v.u = !n.whole ? (uint64_t)n.x : n.size;
    if (d->cls == IR_BOOL_CLASS) v.b = const_real(n) != 0;
    ir_store(&box, NULL, v);
    l->n++;
    return true;
}

/* A number, or a list in braces; dims are those of the first item at each depth. */
static bool read_value(literal *l, int depth)
{
    const_skip(l);
    const char *const at = l->p;
    if (*at != '{') {
        read_number x;
        if (l->rank < 0) l->rank = depth;
        if (depth != l->rank) return const_bad(l, at, "a number beside a list");
        return read_sum(l, &x) && append_number(l, at, x);
    }
    if (depth == IR_RANK || (l->rank >= 0 && depth >= l->rank)) return const_bad(l, at, "a list beside a number");
    int64_t n = 0;
    const_skip((l->p++, l));
    while (*l->p != '}') {
        if (!read_value(l, depth + 1)) return false;
        n++;
        const_skip(l);
        if (*l->p == ',') const_skip((l->p++, l));
        else if (*l->p != '}') return const_bad(l, l->p, "expected , or }");
    }
    l->p++;
    if (!n && l->rank < 0) l->rank = depth + 1;
    if (l->dim[depth] < 0) l->dim[depth] = n;
    if (l->dim[depth] == n) return true;
    return const_bad(
        l, at,
        base_format(trace_temp(), "a row of %lld, where the first has %lld", (long long)n, (long long)l->dim[depth]));
}

typedef struct {
    tt_dtype dtype;
    int rank;
    int64_t dim[IR_RANK];
    const void *data;
} const_env;

static bool const_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const const_env *e = env;
    (void)in;
    return (out[0] = op_const(b, ir_type_of(e->dtype, e->rank, e->dim), e->data)) != 0;
}

/* Under trace a constant of the program; else an array. */
static tt_val constant_of(base_site site, const literal *l)
{
    const_env e;
    trace_value *y = NULL;
    const ir_type *t = ir_type_of(l->dtype, l->rank, l->dim);
    if (!trace_top()) {
        run_array *a = run_array_of(t, NULL, l->data);
        return a ? trace_handle(trace_concrete(site, a, false)) : trace_poison;
    }
    memset(&e, 0, sizeof e);
    e.dtype = l->dtype, e.rank = l->rank, e.data = l->data;
    memcpy(e.dim, l->dim, (size_t)l->rank * sizeof *l->dim);
    trace_do(site, const_body, &e, sizeof e, 0, NULL, 1, &y);
    return api_handle(y);
}

VAL2(tt_const, tt_dtype, dtype, const char *, text)
{
    const ir_dtype *const d = ir_dtype_of(dtype);
    literal l = { .site = site, .text = text, .p = text, .dtype = dtype, .rank = -1 };
    if (!api_dtype(site, "tt_const", dtype)) return trace_poison;
    if (!text) {
        base_fail(TT_ETEXT, site, "tt_const: the text is NULL");
        return trace_poison;
    }
    for (int i = 0; i < IR_RANK; i++) l.dim[i] = -1;
    l.data = BASE_NEW(trace_temp(), uint8_t, (strlen(text) + 1) * d->bytes);
    if (!read_value(&l, 0)) return trace_poison;
    const_skip(&l);
    if (*l.p) {
        const_bad(&l, l.p, *l.p == ',' ? "several values" : "what follows was not expected");
        base_hint("a list has braces: tt_const(dtype, { 1, 2, 3 })");
        return trace_poison;
    }
    return constant_of(site, &l);
}

/* ---- ranges ---- */

/* The number of elements; -1 with the error set. */
static int64_t range_count(base_site site, double from, double to, double by)
{
    const double n = ceil((to - from) / by);
    if (by != 0 && isfinite(from) && isfinite(to) && n < 0x1p48) return n > 0 ? (int64_t)n : 0;
    base_fail(TT_EARG, site, "tt_arange: from %g to %g by steps of %g; expected %s", from, to, by,
              by == 0 ? "a step above or below 0" : "finite numbers, and at most 2^48 of them");
    return -1;
}

/* True if an integer type has the number; else sets the error. */
static bool range_holds(base_site site, tt_dtype dtype, double x)
{
    int64_t least;
    uint64_t most;
    if (!ir_int_range(dtype, &least, &most)) return true;
    if (x == floor(x) && x >= (double)least && x < (double)most + 1) return true;
    base_fail(TT_ETYPE, site, "tt_arange: %.17g is no number of type %s", x, ir_dtype_of(dtype)->name);
    return base_hint("a float type has fractions: tt_arange(TT_F32, 0, 1, 0.1)"), false;
}

/* step: given; else the elements are those of an iota in dtype. */
static tt_val arithmetic(base_site site, tt_dtype dtype, int64_t n, double from, double by, bool step)
{
    int64_t least;
    uint64_t most;
    if (ir_int_range(dtype, &least, &most)) {
        if (!range_holds(site, dtype, from) || (n > 1 && !range_holds(site, dtype, from + (double)(n - 1) * by)))
            return trace_poison;
        const tt_val line = tt_mul_at(site, tt_arange_at(site, TT_I64, n), tt_i((int64_t)by));
        return tt_cast_at(site, tt_add_at(site, line, tt_i((int64_t)from)), dtype);
    }
    const tt_dtype work = step ? ir_widened(dtype) : dtype;
    const tt_val line = step ? tt_mul_at(site, tt_arange_at(site, work, n), tt_f(by)) : tt_arange_at(site, work, n);
    return tt_cast_at(site, tt_add_at(site, line, tt_f(from)), dtype);
}

VAL2(tt_arange_of, tt_dtype, dtype, const double *, number)
{
    int n = 0;
    while (number && n < 4 && number[n] != TT_REALS_END) n++;
    const ir_dtype *const d = ir_dtype_of(dtype);
    if (!api_dtype(site, "tt_arange", dtype)) return trace_poison;
    if (!n || n > 3 || d->cls == IR_COMPLEX_CLASS || d->cls == IR_BOOL_CLASS) {
        base_fail(TT_EARG, site, "tt_arange: %d numbers of type %s; expected 1 to 3 of a type of real numbers", n,
                  d->name);
        base_hint("tt_arange(dtype, stop), tt_arange(dtype, start, stop) or tt_arange(dtype, start, stop, step)");
        return trace_poison;
    }
    if (n == 1 && number[0] < 0) {
        base_fail(TT_ESHAPE, site, "tt_arange: %lld numbers; expected 0 or more", (long long)number[0]);
        return trace_poison;
    }
    const double from = n > 1 ? number[0] : 0, to = number[n > 1], by = n > 2 ? number[2] : 1;
    const int64_t count = range_count(site, from, to, by);
    if (count < 0) return trace_poison;
    if (from == 0 && n < 3) return tt_arange_at(site, dtype, count);
    if ((d->cls == IR_INT_CLASS || d->cls == IR_UINT_CLASS) && by != floor(by))
        return range_holds(site, dtype, by), trace_poison;
    return arithmetic(site, dtype, count, from, by, n > 2);
}
