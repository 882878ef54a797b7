/* primitives.h - what the property tests over the table of primitives share: cases, random values, boxes,
 * comparing. */
#ifndef TUTTI_TESTS_PROP_PRIMITIVES_H
#define TUTTI_TESTS_PROP_PRIMITIVES_H

#include "check.h"
#include "op/op.h"

#include <math.h>
#include <stdlib.h>

/* ---- random numbers: the same on every run, but for PROP_SEED=n in the environment ---- */

static uint64_t prop_state = 88172645463325252u;

static inline uint64_t prop_random(void) /* xorshift64* */
{
    prop_state ^= prop_state >> 12;
    prop_state ^= prop_state << 25;
    prop_state ^= prop_state >> 27;
    return prop_state * 2685821657736338717u;
}

static inline int64_t prop_below(int64_t n) { return (int64_t)((prop_random() >> 16) % (uint64_t)n); }
static inline double prop_unit(void) { return (double)(prop_random() >> 11) * 0x1p-53; }

/* ---- values ---- */

static const op_prim *prop_prim;                          /* whose case is looked at */

typedef enum { PROP_SMALL, PROP_WIDE, PROP_NARROW } prop_fill; /* floats: -3 .. 3 with ties; (-2, 2); (0.15, 0.85) */

typedef struct {
    const ir_type *type;
    void *at;
} prop_value;

static inline prop_value prop_new(base_arena *a, const ir_type *t)
{
    return (prop_value){ t, base_new(a, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes + 16) };
}

static inline ir_box prop_box(const prop_value *v) { return ir_box_dense(v->at, v->type); }

static inline ir_num prop_number(tt_dtype dtype, prop_fill fill)
{
    switch (ir_dtype_of(dtype)->cls) {
    case IR_BOOL_CLASS: return (ir_num){ .u = (uint64_t)prop_below(2) };
    case IR_UINT_CLASS: return (ir_num){ .u = (uint64_t)prop_below(7) };
    case IR_INT_CLASS: return (ir_num){ .i = prop_below(9) - 2 };
    default: break;
    }
    ir_num v = { .c = { 0, 0 } };
    double *const part[] = { &v.c.re, &v.c.im };
    for (int k = 0; k < (ir_is_float(dtype) ? 1 : 2); k++)
        *part[k] = fill == PROP_SMALL  ? (double)prop_below(7) - 3
                   : fill == PROP_WIDE ? 4 * prop_unit() - 2
                                       : 0.15 + 0.7 * prop_unit();
    return v;
}

static inline prop_value prop_fresh(base_arena *a, const ir_type *t, prop_fill fill)
{
    const prop_value v = prop_new(a, t);
    const ir_box b = prop_box(&v);
    int64_t i[IR_RANK];
    for (bool more = ir_first(&b, i); more; more = ir_next(&b, i)) ir_store(&b, i, prop_number(t->dtype, fill));
    return v;
}

/* A matrix far from singular: numbers stand out on the diagonal of the last two dims, each another one. Of other values
 * nothing changes. */
static inline prop_value prop_steady(prop_value v)
{
    const ir_box b = prop_box(&v);
    const int r = b.rank;
    int64_t i[IR_RANK];
    if (r < 2 || ir_dtype_of(b.dtype)->cls < IR_FLOAT_CLASS) return v;
    for (bool more = ir_first(&b, i); more; more = ir_next(&b, i)) {
        ir_num n = ir_load(&b, i);
        if (i[r - 2] != i[r - 1]) continue;
        n.f += 16 + 4 * (double)i[r - 1];
        if (op_is_complex(b.dtype)) n.c.im = 0;          /* as a Hermitian matrix has them */
        ir_store(&b, i, n);
    }
    return v;
}

static inline prop_value prop_operand(base_arena *a, const ir_type *t, prop_fill fill)
{
    const prop_value v = prop_fresh(a, t, fill);
    return prop_prim && prop_prim->kernel == OP_MATRIX ? prop_steady(v) : v;
}

static inline bool prop_same(tt_dtype dtype, ir_num a, ir_num b, double tolerance)
{
    if (op_is_complex(dtype)) {                          /* against the size of the number, not of the part */
        const double size = 1 + fabs(a.c.re) + fabs(a.c.im) + fabs(b.c.re) + fabs(b.c.im);
        const bool re = isnan(a.c.re) ? isnan(b.c.re) : a.c.re == b.c.re || fabs(a.c.re - b.c.re) <= tolerance * size;
        const bool im = isnan(a.c.im) ? isnan(b.c.im) : a.c.im == b.c.im || fabs(a.c.im - b.c.im) <= tolerance * size;
        return re && im;
    }
    if (!ir_is_float(dtype)) return a.u == b.u;
    if (isnan(a.f) || isnan(b.f)) return isnan(a.f) && isnan(b.f);
    if (a.f == b.f) return true;
    return fabs(a.f - b.f) <= tolerance * (1 + fabs(a.f) + fabs(b.f));
}

/* Where a and b first differ, as text; NULL: they do not. */
static inline const char *prop_differs(base_arena *t, const prop_value *a, const prop_value *b, double tolerance)
{
    int64_t i[IR_RANK];
    if (a->type != b->type)
        return base_format(t, "types %s and %s", ir_type_text(t, a->type), ir_type_text(t, b->type));
    const ir_box p = prop_box(a), q = prop_box(b);
    for (bool more = ir_first(&p, i); more; more = ir_next(&p, i)) {
        const ir_num u = ir_load(&p, i), v = ir_load(&q, i);
        if (prop_same(a->type->dtype, u, v, tolerance)) continue;
        base_text s = { .arena = t };
        base_appendf(&s, "at [");
        for (int d = 0; d < p.rank; d++) base_appendf(&s, "%s%lld", d ? "," : "", (long long)i[d]);
        if (op_is_complex(a->type->dtype)) base_appendf(&s, "] %.9g%+.9gi and %.9g%+.9gi", u.c.re, u.c.im, v.c.re,
            v.c.im);
        else if (ir_is_float(a->type->dtype)) base_appendf(&s, "] %.9g and %.9g", u.f, v.f);
        else base_appendf(&s, "] %lld and %lld", (long long)u.i, (long long)v.i);
        return s.s;
    }
    return NULL;
}

static inline double prop_tolerance(tt_dtype d) /* of a few roundings */
{
    d = op_real_dtype(d);
    if (ir_is_narrow(d) && ir_is_float(d)) return ldexp(2, -ir_dtype_of(d)->mant);
    return d == TT_F64 ? 1e-12 : d == TT_F32 ? 1e-5 : d == TT_F16 ? 4e-3 : d == TT_BF16 ? 3e-2 : 0;
}

/* ---- functions ---- */

/* f(x) by the reference evaluator; results are allocated. False: the error is set. */
static inline bool prop_eval(base_arena *a, const ir_fn *f, const prop_value *x, prop_value *y)
{
    ir_box *in = BASE_NEW(a, ir_box, f->narg), *out = BASE_NEW(a, ir_box, f->nret);
    for (uint32_t i = 0; i < f->narg; i++) in[i] = prop_box(&x[i]);
    for (uint32_t i = 0; i < f->nret; i++) y[i] = prop_new(a, f->type[f->ret[i]]), out[i] = prop_box(&y[i]);
    return ir_eval(f, in, out);
}

static inline const char *prop_error(void) /* what the thread's error says; takes it away */
{
    static char text[512];
    const base_error *e = base_failed();
    snprintf(text, sizeof text, "%s%s%s", e ? e->what : "no error set", e && e->hint ? "; " : "",
             e && e->hint ? e->hint : "");
    base_clear_error();
    return text;
}

/* Runs check on every case of the primitives named on the command line, or of all; false from check stops that case. */
typedef void prop_check(base_arena *, const op_prim *, const char *text);

static prop_check *prop_now;
static const char *prop_text;

static inline void prop_body(void *arg) { prop_now(arg, prop_prim, prop_text); }

/* Begins a main whose cases are the primitives that have cases, and refuses the names of others. False after --list,
 * which prints the names. */
static inline bool prop_main(int argc, char **argv)
{
    check_lists = argc == 2 && !strcmp(argv[1], "--list");
    for (const op_prim *const *r = op_prims; check_lists && *r; r++)
        if ((*r)->cases && (*r)->cases[0]) puts((*r)->name);
    for (int i = 1; i < argc && !check_lists; i++) {
        bool known = false;
        for (const op_prim *const *r = op_prims; *r; r++) known |= !strcmp(argv[i], (*r)->name);
        if (known) continue;
        fprintf(stderr, "%s: no primitive is named \"%s\"\n  hint: --list prints the names\n", argv[0], argv[i]);
        exit(2);
    }
    return !check_lists;
}

/* True if the command names no primitive, or this one. */
static inline bool prop_is_wanted(const op_prim *prim, int argc, char **argv)
{
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], prim->name);
    return wanted;
}

static inline void prop_over_cases(prop_check *check, int argc, char **argv)
{
    const char *const seed = getenv("PROP_SEED");
    if (seed) prop_state += (uint64_t)strtoll(seed, NULL, 10) * 0x9E3779B97F4A7C15u;
    prop_now = check;
    size_t n = 0;
    for (const op_prim *const *r = op_prims; *r; r++) {
        const bool wanted = prop_is_wanted(*r, argc, argv);
        prop_prim = *r;
        for (const char *const *c = (*r)->cases; wanted && c && *c; c++) {
            if (argc < 2 && !check_turn(n++)) continue;
            base_arena *a = base_open();
            prop_text = *c;
            CHECK(base_catch(prop_body, a), "%s: out of memory", *c);
            base_close(a);
            base_clear_error();
        }
    }
}

#endif
