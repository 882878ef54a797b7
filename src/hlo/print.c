/* hlo/print.c - functions as StableHLO text, in the generic form: "stablehlo.add"(%1, %2) : (t, t) -> t.
 *
 * Values are numbered over the whole function, so that a region may name values around it: a branch of a case takes no
 * parameters there, ours are closed. Functions that are called stand behind @main. Literals: short ones as lists, long
 * ones as blobs, floats by their bits where a decimal would not do. */
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct callee { const ir_fn *fn; int number; struct callee *next; } callee;
typedef struct {
    base_arena *arena;
    base_text t;
    uint32_t values;                                     /* numbers given so far */
    callee *first, *last;                                /* functions to be written behind */
    int ncallee, depth, channels, groups;
    mesh_set manual;                                     /* axes of the manual regions around */
} printer;

static void indent(printer *p) { base_put(&p->t, "\n%*s", 2 * p->depth, ""); }

static const char *element(tt_dtype d)
{
    switch (d) {
    case TT_BOOL: return "i1";
    case TT_U2:   return "ui2";
    case TT_U4:   return "ui4";
    case TT_U8:   return "ui8";
    case TT_U16:  return "ui16";
    case TT_U32:  return "ui32";
    case TT_U64:  return "ui64";
    case TT_C64:  return "complex<f32>";
    case TT_C128: return "complex<f64>";
    default:      return ir_dtype_of(d)->name;
    }
}

static void type(printer *p, const ir_type *t)
{
    base_put(&p->t, "tensor<");
    for (int d = 0; d < t->rank; d++) base_put(&p->t, "%lldx", (long long)t->dim[d]);
    base_put(&p->t, "%s>", element(t->dtype));
}

static void types(printer *p, const ir_fn *f, uint32_t n, const ir_id *id)
{
    base_put(&p->t, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) base_put(&p->t, ", ");
        type(p, f->type[id[i]]);
    }
    base_put(&p->t, ")");
}

static void values(printer *p, uint32_t n, const ir_id *id, const uint32_t *name)
{
    for (uint32_t i = 0; i < n; i++) base_put(&p->t, "%s%%%u", i ? ", " : "", name[id[i]]);
}

/* ---- literals ---- */

enum { LISTED = 16 };

static void number(printer *p, tt_dtype d, const char *at)
{
    const size_t n = ir_dtype_of(d)->bytes;
    const ir_class c = ir_dtype_of(d)->cls;
    const ir_box box = ir_box_of((void *)(uintptr_t)at, d, 0, NULL, NULL);
    int64_t zero[1] = { 0 };
    uint64_t bits = 0;
    if (c == IR_COMPLEX_CLASS) {
        const tt_dtype part = d == TT_C64 ? TT_F32 : TT_F64;
        base_put(&p->t, "(");
        number(p, part, at);
        base_put(&p->t, ",");
        number(p, part, at + n / 2);
        base_put(&p->t, ")");
        return;
    }
    const ir_num v = ir_load(&box, zero);
    memcpy(&bits, at, n);
    if (c == IR_BOOL_CLASS) base_put(&p->t, "%s", v.b ? "true" : "false");
    else if (c == IR_UINT_CLASS) base_put(&p->t, "%llu", (unsigned long long)v.u);
    else if (c == IR_INT_CLASS) base_put(&p->t, "%lld", (long long)v.i);
    else if (isfinite(v.f) && d != TT_F64 && fabs(v.f) < 1e6 && v.f == floor(v.f)) base_put(&p->t, "%.6e", v.f);
    else base_put(&p->t, "0x%0*llX", (int)(2 * n), (unsigned long long)bits);
}

static void nested(printer *p, const ir_type *t, int dim, const char **at)
{
    if (dim == t->rank) {
        number(p, t->dtype, *at);
        *at += ir_dtype_of(t->dtype)->bytes;
        return;
    }
    base_put(&p->t, "[");
    for (int64_t i = 0; i < t->dim[dim]; i++) {
        if (i) base_put(&p->t, ", ");
        nested(p, t, dim + 1, at);
    }
    base_put(&p->t, "]");
}

static void literal(printer *p, const op_const_attr *a, const ir_type *t)
{
    const char *at = a->data.p;
    base_put(&p->t, "dense<");
    if (a->splat || !t->rank) number(p, t->dtype, at);
    else if (!ir_count(t)) base_put(&p->t, "%s", "");
    else if (ir_count(t) <= LISTED || t->dtype == TT_BOOL) nested(p, t, 0, &at);
    else {
        base_put(&p->t, "\"0x");
        for (size_t i = 0; i < a->data.bytes; i++) base_put(&p->t, "%02X", (unsigned char)at[i]);
        base_put(&p->t, "\"");
    }
    base_put(&p->t, "> : ");
    type(p, t);
}

/* ---- functions ---- */

static bool body(printer *p, const ir_fn *f, uint32_t *name, const char *ending);

static uint32_t *fresh(printer *p, const ir_fn *f)
{
    return BASE_NEW(p->arena, uint32_t, f->nvalue + 1);
}

/* A region; outer: names of its parameters that are values around it, NULL: parameters of its own. */
static bool region(printer *p, const ir_fn *f, const uint32_t *outer, const char *ending)
{
    uint32_t *const name = fresh(p, f);
    base_put(&p->t, "{");
    for (uint32_t i = 0; i < f->narg; i++) name[i + 1] = outer ? outer[i] : p->values++;
    if (!outer && f->narg) {
        indent(p);
        base_put(&p->t, "^bb0(");
        for (uint32_t i = 0; i < f->narg; i++) {
            base_put(&p->t, "%s%%%u: ", i ? ", " : "", name[i + 1]);
            type(p, f->type[i + 1]);
        }
        base_put(&p->t, "):");
    }
    p->depth++;
    if (!body(p, f, name, ending)) return false;
    p->depth--;
    indent(p);
    base_put(&p->t, "}");
    return true;
}

static mesh_set axes_of(const ir_eqn *e)
{
    const ir_names axes = IR_ATTR(e, op_manual_attr)->axes;
    return mesh_named(e->fn->mesh, axes.n, axes.v);
}

static bool reduces(const ir_eqn *e)
{
    return e->op == &row_psum || e->op == &row_pmax || e->op == &row_pmin || e->op == &row_reduce_scatter;
}

static bool regions(printer *p, const ir_eqn *e, const uint32_t *name)
{
    uint32_t *const outer = BASE_NEW(p->arena, uint32_t, e->nin + 1);
    for (uint32_t i = 1; i < e->nin; i++) outer[i - 1] = name[e->in[i]];
    base_put(&p->t, " (");
    if (e->op == &row_sort || reduces(e)) {
        const ir_fn *const f = e->op == &row_sort ? hlo_comparator(p->arena, e) : hlo_group_region(p->arena, e);
        if (!f || !region(p, f, NULL, "stablehlo.return")) return false;
    }
    const mesh_set around = p->manual;
    if (e->op == &row_manual) p->manual |= axes_of(e);
    for (uint32_t s = 0; s < e->nsub; s++) {
        if (s) base_put(&p->t, ", ");
        if (!region(p, e->sub[s], e->op == &row_case ? outer : NULL,
                    e->op == &row_manual ? "sdy.return" : "stablehlo.return"))
            return false;
    }
    p->manual = around;
    base_put(&p->t, ")");
    return true;
}

static int number_of(printer *p, const ir_fn *f)
{
    for (const callee *c = p->first; c; c = c->next) if (c->fn == f) return c->number;
    callee *const c = BASE_NEW(p->arena, callee, 1);
    *c = (callee){ f, p->ncallee++, NULL };
    if (p->last) p->last->next = c;
    else p->first = c;
    p->last = c;
    return c->number;
}

/* ---- a device's place: from its number ---- */

static bool of_places(const ir_eqn *e)                   /* the place along all axes, which is partition_id */
{
    int64_t below, size;
    return e && e->op == &row_axis_index && hlo_place_along(e, &below, &size) && below == 1 &&
           size == mesh_size(e->fn->mesh);
}

static const ir_eqn *definition(const ir_fn *f, ir_id id)
{
    for (uint32_t k = 0; k < f->neqn; k++)
        if (id >= f->eqn[k].out && id < f->eqn[k].out + f->eqn[k].nout) return &f->eqn[k];
    return NULL;
}

static bool to_u32(const ir_eqn *e) { return e->op == &row_convert && IR_OUT(e, 0)->dtype == TT_U32; }

static bool only_to_u32(const ir_eqn *e)                 /* its place is read as a device's number and nothing else */
{
    for (uint32_t k = 0; k < e->fn->neqn; k++)
        for (uint32_t i = 0; i < e->fn->eqn[k].nin; i++)
            if (e->fn->eqn[k].in[i] == e->out && !to_u32(&e->fn->eqn[k])) return false;
    for (uint32_t j = 0; j < e->fn->nret; j++) if (e->fn->ret[j] == e->out) return false;
    return true;
}

static uint32_t with_number(printer *p, const char *op, uint32_t x, int64_t n)   /* x op n, of u32 */
{
    indent(p);
    base_put(&p->t, "%%%u = stablehlo.constant dense<%lld> : tensor<ui32>", p->values++, (long long)n);
    indent(p);
    base_put(&p->t, "%%%u = \"stablehlo.%s\"(%%%u, %%%u) : (tensor<ui32>, tensor<ui32>) -> (tensor<ui32>)", p->values,
             op, x, p->values - 1);
    return p->values++;
}

static uint32_t place(printer *p, const ir_eqn *e, int64_t below, int64_t size)  /* partition_id, divided and cut, as i32 */
{
    indent(p);
    uint32_t id = p->values++;
    base_put(&p->t, "%%%u = \"stablehlo.partition_id\"() : () -> (tensor<ui32>)", id);
    if (below > 1) id = with_number(p, "divide", id, below);
    if (below * size < mesh_size(e->fn->mesh)) id = with_number(p, "remainder", id, size);
    indent(p);
    base_put(&p->t, "%%%u = \"stablehlo.convert\"(%%%u) : (tensor<ui32>) -> (tensor<i32>)", p->values, id);
    return p->values++;
}

/* Where axes are left to the compiler a device has no number: as JAX does, in a region over those axes too. */
static bool axis_index(printer *p, const ir_eqn *e, uint32_t *name)
{
    const mesh_set rest = (mesh_set)((1u << e->fn->mesh->natom) - 1) & (mesh_set)~p->manual;
    int64_t below, size;
    if (!hlo_place_along(e, &below, &size)) return false;
    if (!rest) {
        if (!of_places(e) || !only_to_u32(e)) name[e->out] = place(p, e, below, size);
        return true;
    }
    indent(p);
    const uint32_t result = p->values++;
    base_put(&p->t, "%%%u = \"sdy.manual_computation\"() <{in_shardings = #sdy.sharding_per_value<[]>, ", result);
    hlo_put_axes(&p->t, e->fn->mesh, rest);
    base_put(&p->t, ", out_shardings = #sdy.sharding_per_value<[<@mesh, []>]>}> ({");
    p->depth++;
    const uint32_t id = place(p, e, below, size);
    indent(p);
    base_put(&p->t, "\"sdy.return\"(%%%u) : (tensor<i32>) -> ()", id);
    p->depth--;
    indent(p);
    base_put(&p->t, "}) : () -> (tensor<i32>)");
    name[e->out] = result;
    return true;
}

static void alike(printer *p, const ir_eqn *e, uint32_t *name)   /* a group of its own; the values are the operands */
{
    for (uint32_t i = 0; i < e->nin; i++) {
        indent(p);
        base_put(&p->t, "\"sdy.sharding_group\"(%%%u) <{group_id = %d : i64}> : ", name[e->in[i]], p->groups);
        types(p, e->fn, 1, &e->in[i]);
        base_put(&p->t, " -> ()");
        name[e->out + i] = name[e->in[i]];
    }
    p->groups++;
}

static bool device_number(printer *p, const ir_eqn *e, uint32_t *name)   /* partition_id, if that is what it is */
{
    const ir_eqn *const from = to_u32(e) ? definition(e->fn, e->in[0]) : NULL;
    if (!of_places(from) || !only_to_u32(from)) return false;
    indent(p);
    base_put(&p->t, "%%%u = \"stablehlo.partition_id\"() : () -> (tensor<ui32>)", p->values);
    name[e->out] = p->values++;
    return true;
}

/* A custom call whose results are ours in another order, with others between them. */
static bool algebra(printer *p, const ir_eqn *e, uint32_t *name)
{
    base_text attrs = { .arena = p->arena };
    hlo_called c;
    if (!hlo_algebra_call(&attrs, e, &c)) return false;
    const uint32_t first = p->values;
    indent(p);
    for (int j = 0; j < c.n; j++) base_put(&p->t, "%s%%%u", j ? ", " : "", first + (uint32_t)j);
    p->values += (uint32_t)c.n;
    base_put(&p->t, " = \"stablehlo.custom_call\"(");
    values(p, e->nin, e->in, name);
    base_put(&p->t, ") <{%s}> : ", attrs.s);
    types(p, e->fn, e->nin, e->in);
    base_put(&p->t, " -> (");
    for (int j = 0; j < c.n; j++) {
        if (j) base_put(&p->t, ", ");
        type(p, c.type[j]);
        if (c.at[j] >= 0) name[e->out + (uint32_t)c.at[j]] = first + (uint32_t)j;
    }
    base_put(&p->t, ")");
    if (c.minus < 0) return true;
    const ir_type *const t = c.type[c.minus];
    indent(p);
    base_put(&p->t, "%%%u = stablehlo.constant dense<%d> : ", p->values, c.by);
    type(p, t);
    indent(p);
    base_put(&p->t, "%%%u = \"stablehlo.subtract\"(%%%u, %%%u) : (", p->values + 1, first + (uint32_t)c.minus, p->values);
    type(p, t);
    base_put(&p->t, ", ");
    type(p, t);
    base_put(&p->t, ") -> (");
    type(p, t);
    base_put(&p->t, ")");
    name[e->out + (uint32_t)c.at[c.minus]] = p->values + 1;
    p->values += 2;
    return true;
}

static bool equation(printer *p, const ir_eqn *e, uint32_t *name)
{
    if (e->op == &row_axis_index) return axis_index(p, e, name);
    if (e->op == &row_alike) return alike(p, e, name), true;
    if (algebra(p, e, name)) return true;
    if (device_number(p, e, name)) return true;
    if (e->op == &row_to_varying) {                      /* the text does not say over what values vary */
        name[e->out] = name[e->in[0]];
        return true;
    }
    ir_id *const out = BASE_NEW(p->arena, ir_id, e->nout + 1);
    const bool is_if = e->op == &row_case && IR_IN(e, 0)->dtype == TT_BOOL;
    const uint32_t first = p->values;
    for (uint32_t j = 0; j < e->nout; j++) out[j] = e->out + j;
    indent(p);
    for (uint32_t j = 0; j < e->nout; j++) base_put(&p->t, "%s%%%u", j ? ", " : "", first + j);
    p->values += e->nout;
    if (e->nout) base_put(&p->t, " = ");
    if (e->op == &row_const) {
        base_put(&p->t, "stablehlo.constant ");
        literal(p, IR_ATTR(e, op_const_attr), IR_OUT(e, 0));
    } else if (e->op == &row_call) {
        base_put(&p->t, "func.call @f%d(", number_of(p, e->sub[0]));
        values(p, e->nin, e->in, name);
        base_put(&p->t, ") : ");
    } else {
        base_put(&p->t, "\"%s\"(",
                 is_if                                        ? "stablehlo.if"
                 : e->op == &row_reshard                      ? row_constrain.hlo        /* what JAX prints for both */
                 : reduces(e) && e->op != &row_reduce_scatter ? "stablehlo.all_reduce"
                                                              : e->op->hlo);
        values(p, e->op == &row_case ? 1 : e->nin, e->in, name);
        base_put(&p->t, ")");
        const size_t before = p->t.n;
        base_put(&p->t, " <{");
        const size_t begin = p->t.n;
        p->channels += e->op->kernel == OP_EXCHANGE;
        if (!hlo_put_attrs(&p->t, e, p->channels)) return false;
        if (p->t.n > begin) base_put(&p->t, "}>");
        else p->t.s[p->t.n = before] = 0;                /* empty braces are refused by others */
        if (is_if) {                                     /* true, then false */
            ir_eqn turned = *e;
            ir_fn *const both[] = { e->sub[e->nsub - 1], e->sub[0] };
            turned.sub = both;
            if (!regions(p, &turned, name)) return false;
        } else if ((e->nsub || e->op == &row_sort || reduces(e)) && !regions(p, e, name)) return false;
        base_put(&p->t, " : ");
    }
    for (uint32_t j = 0; j < e->nout; j++) name[e->out + j] = first + j;
    if (e->op == &row_const) return true;
    types(p, e->fn, e->op == &row_case ? 1 : e->nin, e->in);
    base_put(&p->t, " -> ");
    types(p, e->fn, e->nout, out);
    return true;
}

static bool body(printer *p, const ir_fn *f, uint32_t *name, const char *ending)
{
    for (uint32_t k = 0; k < f->neqn; k++) if (!equation(p, &f->eqn[k], name)) return false;
    indent(p);
    base_put(&p->t, "\"%s\"(", ending);
    values(p, f->nret, f->ret, name);
    base_put(&p->t, ") : ");
    types(p, f, f->nret, f->ret);
    base_put(&p->t, " -> ()");
    return true;
}

/* {jax.buffer_donor = true, sdy.sharding = ...}, where something is to be said */
static void said(printer *p, const mesh *m, bool given, const mesh_layout *l)
{
    if (!m || (l && l->mesh != m)) l = NULL;
    if (!given && !l) return;
    base_put(&p->t, " {%s%s", given ? "jax.buffer_donor = true" : "", given && l ? ", " : "");
    if (l) base_put(&p->t, "sdy.sharding = "), hlo_put_layout(&p->t, l);
    base_put(&p->t, "}");
}

static bool function(printer *p, const ir_fn *f, const char *head, const hlo_borders *k)
{
    uint32_t *const name = fresh(p, f);
    const bool *const donate = k->donate ? k->donate : f->donate;
    p->values = 0;
    indent(p);
    base_put(&p->t, "func.func %s(", head);
    for (uint32_t i = 0; i < f->narg; i++) {
        name[i + 1] = p->values++;
        base_put(&p->t, "%s%%%u: ", i ? ", " : "", name[i + 1]);
        type(p, f->type[i + 1]);
        said(p, f->mesh, donate && donate[i], k->in ? k->in[i] : NULL);
    }
    base_put(&p->t, ") -> (");
    for (uint32_t j = 0; j < f->nret; j++) {
        if (j) base_put(&p->t, ", ");
        type(p, f->type[f->ret[j]]);
        said(p, f->mesh, false, k->out ? k->out[j] : NULL);
    }
    base_put(&p->t, ") {");
    p->depth++;
    if (!body(p, f, name, "func.return")) return false;
    p->depth--;
    indent(p);
    base_put(&p->t, "}");
    return true;
}

const char *hlo_write(base_arena *a, const ir_fn *f) { return hlo_write_with(a, f, &(hlo_borders){ 0 }); }

const char *hlo_write_with(base_arena *a, const ir_fn *f, const hlo_borders *k)
{
    printer p = { .arena = a, .t = { .arena = a } };
    char head[60];
    const ir_fn *const g = hlo_lower(a, f);
    if (!g) return NULL;
    base_put(&p.t, "module @tutti ");
    if (f->mesh)
        base_put(&p.t, "attributes {mhlo.num_partitions = %lld : i32, mhlo.num_replicas = 1 : i32} ",
                 (long long)mesh_size(f->mesh));
    base_put(&p.t, "{");
    if (f->mesh) hlo_put_mesh(&p.t, f->mesh);
    p.depth = 1;
    if (!function(&p, g, "public @main", k)) return NULL;
    for (const callee *c = p.first; c; c = c->next) {
        snprintf(head, sizeof head, "private @f%d", c->number);
        if (!function(&p, c->fn, head, &(hlo_borders){ 0 })) return NULL;
    }
    base_put(&p.t, "\n}\n");
    return p.t.s;
}
