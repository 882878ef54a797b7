/* ir/print.c - prints functions as text, which parse.c reads and golden tests compare.
 *
 *     mesh "data:2, model:4"
 *     fn mlp(v1 f32[8, 4] @"data, _", v2 f32[4, 2] donate) -> f32[8, 2] {
 *       v3 f32[8, 2] = dot_general v1, v2 {lhs_contracting_dimensions=[1], ..., preferred_element_type=f32}
 *       v4 f32 = const {dtype=f32, data=0}
 *       v5 f32[2] = reduce v3, v4 {dimensions=[0]} add
 *       return v5
 *     }
 *
 * A region follows its equation as name(parameters) { ... }; a region that only applies a primitive to its two scalars
 * is printed as the primitive's name. Zero attributes are omitted, except words other than "default". A layout follows
 * the type: @"layout". */
#include "ir.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_name(base_text *t, base_name s)          /* quoted unless it is a word */
{
    bool plain = *s && !isdigit((unsigned char)*s);
    for (const char *p = s; *p; p++) plain &= isalnum((unsigned char)*p) || *p == '_' || *p == '.';
    base_appendf(t, plain ? "%s" : "\"%s\"", s);
}

static void put_real(base_text *t, double x, bool wide)  /* the fewest digits that read back as x */
{
    char s[32];
    int digits = wide ? 15 : 6;
    do base_snprintf(s, sizeof s, "%.*g", digits, x);
    while (digits++ < (wide ? 17 : 9) && (wide ? base_strtod(s, NULL) : (double)base_strtof(s, NULL)) != x);
    base_appendf(t, "%s", x != x ? "nan" : s);           /* inf prints as inf */
}

static bool odd_nan(const char *p, tt_dtype d)           /* True if a NaN whose bits "nan" would lose */
{
    uint64_t u = 0;
    memcpy(&u, p, ir_dtype_of(d)->bytes);
    if (d == TT_F64) return (u & 0x7fffffffffffffff) > 0x7ff0000000000000 && u != 0x7ff8000000000000;
    if (d == TT_F32) return (u & 0x7fffffff) > 0x7f800000 && u != 0x7fc00000;
    if (d == TT_F16) return (u & 0x7fff) > 0x7c00 && u != 0x7e00;
    if (ir_is_narrow(d)) return ir_is_float(d) && isnan(ir_narrow_f64(d, (uint8_t)u)) &&
        u != ir_f64_narrow(d, (double)NAN);
    return d == TT_BF16 && (u & 0x7fff) > 0x7f80 && u != 0x7fc0;
}

static void put_element(base_text *t, const char *p, tt_dtype d)
{
    const ir_class c = ir_dtype_of(d)->cls;
    uint64_t raw[2] = { 0 };
    memcpy(raw, p, ir_dtype_of(d)->bytes);
    if (c == IR_COMPLEX_CLASS || odd_nan(p, d)) {        /* bits: 0x, most significant digit first */
        if (ir_dtype_of(d)->bytes == 16) base_appendf(t, "0x%016" PRIx64 "%016" PRIx64, raw[1], raw[0]);
        else base_appendf(t, "0x%" PRIx64, raw[0]);
        return;
    }
    const ir_num v = ir_load(&(ir_box){ .at = raw, .dtype = d }, (const int64_t[]){ 0 });
    if (c == IR_BOOL_CLASS) base_appendf(t, v.u ? "true" : "false");
    else if (c == IR_INT_CLASS) base_appendf(t, "%" PRId64, v.i);
    else if (c == IR_UINT_CLASS) base_appendf(t, "%" PRIu64, v.u);
    else put_real(t, v.f, d == TT_F64);
}

/* The dtype of an IR_DATA field: the primitive's first IR_DTYPE field; without one, bytes. */
static tt_dtype dtype_of(const op_prim *op, const void *attr)
{
    for (const ir_field *f = op->field; f->name; f++)
        if (f->kind == IR_DTYPE) return *(const tt_dtype *)((const char *)attr + f->at);
    return TT_U8;
}

static void put_data(base_text *t, const op_prim *op, const void *attr, const ir_data *d)
{
    const tt_dtype type = dtype_of(op, attr);
    const size_t one = ir_dtype_of(type) ? ir_dtype_of(type)->bytes : 1, n = d->bytes / one;
    if (n != 1) base_appendf(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) base_appendf(t, ", ");
        put_element(t, (const char *)d->p + i * one, type);
    }
    if (n != 1) base_appendf(t, "]");
}

static bool print_is_zero(const ir_field *f, const char *at)
{
    switch (f->kind) {
    case IR_INT:     return *(const int64_t *)at == 0;
    case IR_ENUM:    return *(const int64_t *)at == 0 && (!f->choices || !strcmp(f->choices[0], "default"));
    case IR_REAL:    return !memcmp(at, &(double){ 0 }, sizeof(double));       /* -0 is not */
    case IR_BOOL:    return !*(const bool *)at;
    case IR_DTYPE:   return *(const tt_dtype *)at == 0;
    case IR_DIMS:    return ((const ir_dims *)at)->n == 0;
    case IR_NAME:    return *(const base_name *)at == NULL;
    case IR_NAMES:   return ((const ir_names *)at)->n == 0;
    case IR_LAYOUTS: return ((const ir_layouts *)at)->n == 0;
    case IR_DATA:    return ((const ir_data *)at)->bytes == 0;
    case IR_HOST:    return *(const void *const *)at == NULL;
    }
    return true;
}

static void put_field(base_text *t, const op_prim *op, const void *attr, const ir_field *f, const char *at)
{
    base_appendf(t, "%s=", f->name);
    switch (f->kind) {
    case IR_INT:   base_appendf(t, "%" PRId64, *(const int64_t *)at); return;
    case IR_REAL:  put_real(t, *(const double *)at, true); return;
    case IR_BOOL:  base_appendf(t, "true"); return;
    case IR_DTYPE: base_appendf(t, "%s", ir_dtype_of(*(const tt_dtype *)at)->name); return;
    case IR_NAME:  put_name(t, *(const base_name *)at); return;
    case IR_DATA:  put_data(t, op, attr, (const ir_data *)at); return;
    case IR_HOST:  base_appendf(t, "host"); return;
    case IR_ENUM:
        if (f->choices) base_appendf(t, "%s", f->choices[*(const int64_t *)at]);
        else base_appendf(t, "%" PRId64, *(const int64_t *)at);
        return;
    case IR_DIMS:
        for (int i = 0; i < ((const ir_dims *)at)->n; i++)
            base_appendf(t, "%s%" PRId64, i ? ", " : "[", ((const ir_dims *)at)->v[i]);
        break;
    case IR_NAMES:
        for (int i = 0; i < ((const ir_names *)at)->n; i++) {
            base_appendf(t, i ? ", " : "[");
            put_name(t, ((const ir_names *)at)->v[i]);
        }
        break;
    case IR_LAYOUTS:
        for (int i = 0; i < ((const ir_layouts *)at)->n; i++) {
            const mesh_layout *l = ((const ir_layouts *)at)->v[i];
            base_appendf(t, i ? ", " : "[");
            base_appendf(t, l ? "\"%s\"" : "none", l ? mesh_print(t->arena, l) : "");
        }
        break;
    }
    base_appendf(t, "]");
}

static void put_attr(base_text *t, const op_prim *op, const void *attr)
{
    bool any = false;
    for (const ir_field *f = op->field; attr && f && f->name; f++) {
        const char *at = (const char *)attr + f->at;
        if (print_is_zero(f, at)) continue;
        base_appendf(t, any ? ", " : " {");
        put_field(t, op, attr, f, at);
        any = true;
    }
    if (any) base_appendf(t, "}");
}

/* ---- functions ---- */

typedef struct { base_text t; bool sites; } writer;

static void put_fn(writer *w, const ir_fn *f, int depth);

/* The primitive p of a region (a, b) { r = p a, b; return r } on scalars of the dtype of the equation's first operand;
 * NULL: another region. */
static const op_prim *only_row(const ir_eqn *outer, const ir_fn *f)
{
    const ir_eqn *e = f->eqn;
    const ir_type *t = outer->nin ? IR_IN(outer, 0) : NULL;
    if (f->narg != 2 || f->neqn != 1 || f->nret != 1 || e->nin != 2 || e->nout != 1 || e->nsub || e->attr) return NULL;
    if (f->type[1] != f->type[2] || f->tag || f->layout) return NULL;
    if (*f->name && strcmp(f->name, e->op->name)) return NULL;
    if (!t || f->type[1] != ir_type_as(t, t->dtype, 0, NULL)) return NULL;
    return e->in[0] == 1 && e->in[1] == 2 && f->ret[0] == e->out ? e->op : NULL;
}

static void put_type(writer *w, const ir_fn *f, ir_id i)
{
    base_appendf(&w->t, "%s", ir_type_text_on(w->t.arena, f->mesh, f->type[i]));
    if (f->layout && f->layout[i]) base_appendf(&w->t, " @\"%s\"", mesh_print(w->t.arena, f->layout[i]));
}

static void put_region(writer *w, const ir_eqn *e, const ir_fn *f, int depth)
{
    const op_prim *only = only_row(e, f);
    base_appendf(&w->t, " ");
    if (only) {
        base_appendf(&w->t, "%s", only->name);
        return;
    }
    if (*f->name) put_name(&w->t, f->name);
    put_fn(w, f, depth);
}

static void put_eqn(writer *w, const ir_eqn *e, int depth)
{
    base_text *t = &w->t;
    base_appendf(t, "%*s", 2 * depth + 2, "");
    for (uint32_t i = 0; i < e->nout; i++) {
        base_appendf(t, "%sv%u ", i ? ", " : "", e->out + i);
        put_type(w, e->fn, e->out + i);
    }
    base_appendf(t, "%s%s", e->nout ? " = " : "", e->op->name);
    for (uint32_t i = 0; i < e->nin; i++) base_appendf(t, "%sv%u", i ? ", " : " ", e->in[i]);
    put_attr(t, e->op, e->attr);
    for (uint32_t s = 0; s < e->nsub; s++) put_region(w, e, e->sub[s], depth + 1);
    if (w->sites && e->site) base_appendf(t, "  # %s", e->site);
    base_appendf(t, "\n");
}

static void put_fn(writer *w, const ir_fn *f, int depth)
{
    base_text *t = &w->t;
    base_appendf(t, "(");
    for (uint32_t i = 0; i < f->narg; i++) {
        base_appendf(t, "%sv%u ", i ? ", " : "", i + 1);
        put_type(w, f, i + 1);
        if (f->donate[i]) base_appendf(t, " donate");
    }
    base_appendf(t, ")");
    if (f->tag) base_appendf(t, " tag \"%s\"", f->tag);
    if (!depth && f->nret) base_appendf(t, " ->");
    for (uint32_t i = 0; i < f->nret && !depth; i++)
        base_appendf(t, "%s %s", i ? "," : "", ir_type_text_on(t->arena, f->mesh, f->type[f->ret[i]]));
    base_appendf(t, " {\n");
    for (uint32_t k = 0; k < f->neqn; k++) put_eqn(w, &f->eqn[k], depth);
    base_appendf(t, "%*sreturn", 2 * depth + 2, "");
    for (uint32_t i = 0; i < f->nret; i++) base_appendf(t, "%sv%u", i ? ", " : " ", f->ret[i]);
    base_appendf(t, "\n%*s}", 2 * depth, "");
}

static const char *print(base_arena *a, const ir_fn *f, bool sites)
{
    writer w = { { .arena = a }, sites };
    if (f->mesh) base_appendf(&w.t, "mesh \"%s\"\n", mesh_text(a, f->mesh));
    base_appendf(&w.t, "fn ");
    put_name(&w.t, *f->name ? f->name : "f");
    put_fn(&w, f, 0);
    base_appendf(&w.t, "\n");
    return w.t.s;
}

const char *ir_print(base_arena *a, const ir_fn *f) { return print(a, f, false); }
const char *ir_print_sites(base_arena *a, const ir_fn *f) { return print(a, f, true); }

const char *ir_eqn_text(base_arena *a, const ir_eqn *e)
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", e->op->name);
    for (uint32_t i = 0; i < e->nin; i++) base_appendf(&t, "%sv%u", i ? ", " : " ", e->in[i]);
    put_attr(&t, e->op, e->attr);
    return t.s;
}
