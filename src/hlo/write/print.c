/* hlo/write/print.c - functions as StableHLO text, in the generic form: "stablehlo.add"(%1, %2) : (t, t) -> t.
 *
 * Values are numbered over the whole function, so that a region may name values around it: the branches of a case take
 * parameters in the IR, but none in the text. Called functions follow @main. Types and literals: print_value.c. */
#include "print.h"
#include "../../op/ops.h"

#include <stdio.h>

typedef hlo_printer printer;

void hlo_indent(printer *p) { base_appendf(&p->t, "\n%*s", 2 * p->depth, ""); }

void hlo_print_values(printer *p, uint32_t n, const ir_id *id, const uint32_t *name)
{
    for (uint32_t i = 0; i < n; i++) base_appendf(&p->t, "%s%%%u", i ? ", " : "", name[id[i]]);
}

/* ---- functions ---- */

static bool body(printer *p, const ir_fn *f, uint32_t *name, const char *ending);

static uint32_t *print_fresh(printer *p, const ir_fn *f)
{
    return BASE_NEW(p->arena, uint32_t, f->nvalue + 1);
}

/* A region; outer: numbers of the outer values that its parameters stand for; NULL: it has parameters of its own. */
static bool print_region(printer *p, const ir_fn *f, const uint32_t *outer, const char *ending)
{
    uint32_t *const name = print_fresh(p, f);
    base_appendf(&p->t, "{");
    for (uint32_t i = 0; i < f->narg; i++) name[i + 1] = outer ? outer[i] : p->values++;
    if (!outer && f->narg) {
        hlo_indent(p);
        base_appendf(&p->t, "^bb0(");
        for (uint32_t i = 0; i < f->narg; i++) {
            base_appendf(&p->t, "%s%%%u: ", i ? ", " : "", name[i + 1]);
            hlo_print_type(&p->t, f->type[i + 1]);
        }
        base_appendf(&p->t, "):");
    }
    p->depth++;
    if (!body(p, f, name, ending)) return false;
    p->depth--;
    hlo_indent(p);
    base_appendf(&p->t, "}");
    return true;
}

static mesh_set print_axes_of(const ir_eqn *e)
{
    const ir_names axes = IR_ATTR(e, op_manual_attr)->manual_axes;
    return mesh_named(e->fn->mesh, axes.n, axes.v);
}

static bool reduces(const ir_eqn *e)
{
    return e->op == &prim_psum || e->op == &prim_pmax || e->op == &prim_pmin || e->op == &prim_reduce_scatter;
}

static bool regions(printer *p, const ir_eqn *e, const uint32_t *name)
{
    uint32_t *const outer = BASE_NEW(p->arena, uint32_t, e->nin + 1);
    for (uint32_t i = 1; i < e->nin; i++) outer[i - 1] = name[e->in[i]];
    base_appendf(&p->t, " (");
    if (e->op == &prim_sort || reduces(e)) {
        const ir_fn *const f = e->op == &prim_sort ? hlo_comparator(p->arena, e) : hlo_group_region(p->arena, e);
        if (!f || !print_region(p, f, NULL, "stablehlo.return")) return false;
    }
    const mesh_set around = p->manual;
    if (e->op == &prim_manual) p->manual |= print_axes_of(e);
    for (uint32_t s = 0; s < e->nsub; s++) {
        if (s) base_appendf(&p->t, ", ");
        if (!print_region(p, e->sub[s], e->op == &prim_case ? outer : NULL,
                          e->op == &prim_manual ? "sdy.return" : "stablehlo.return"))
            return false;
    }
    p->manual = around;
    base_appendf(&p->t, ")");
    return true;
}

static int number_of(printer *p, const ir_fn *f)
{
    for (const hlo_callee *c = p->first; c; c = c->next) if (c->fn == f) return c->number;
    hlo_callee *const c = BASE_NEW(p->arena, hlo_callee, 1);
    *c = (hlo_callee){ f, p->ncallee++, NULL };
    if (p->last) p->last->next = c;
    else p->first = c;
    p->last = c;
    return c->number;
}

static bool print_equation(printer *p, const ir_eqn *e, uint32_t *name)
{
    if (e->op == &prim_axis_index) return hlo_print_axis_index(p, e, name);
    if (e->op == &prim_alike) return hlo_print_sharding_group(p, e, name), true;
    if (hlo_print_algebra(p, e, name)) return true;
    if (hlo_print_device_number(p, e, name)) return true;
    if (e->op == &prim_to_varying) {                     /* the text does not state over which axes values vary */
        name[e->out] = name[e->in[0]];
        return true;
    }
    ir_id *const out = BASE_NEW(p->arena, ir_id, e->nout + 1);
    const bool is_if = e->op == &prim_case && IR_IN(e, 0)->dtype == TT_BOOL;
    const uint32_t first = p->values;
    for (uint32_t j = 0; j < e->nout; j++) out[j] = e->out + j;
    hlo_indent(p);
    for (uint32_t j = 0; j < e->nout; j++) base_appendf(&p->t, "%s%%%u", j ? ", " : "", first + j);
    p->values += e->nout;
    if (e->nout) base_appendf(&p->t, " = ");
    if (e->op == &prim_const) {
        base_appendf(&p->t, "stablehlo.constant ");
        hlo_print_literal(&p->t, IR_ATTR(e, op_const_attr), IR_OUT(e, 0));
    } else if (e->op == &prim_call) {
        base_appendf(&p->t, "func.call @f%d(", number_of(p, e->sub[0]));
        hlo_print_values(p, e->nin, e->in, name);
        base_appendf(&p->t, ") : ");
    } else {
        base_appendf(&p->t, "\"%s\"(",
                     is_if                                        ? "stablehlo.if"
                     : e->op == &prim_reshard                     ? prim_constrain.hlo /* JAX prints both so */
                     : reduces(e) && e->op != &prim_reduce_scatter ? "stablehlo.all_reduce"
                                                              : e->op->hlo);
        hlo_print_values(p, e->op == &prim_case ? 1 : e->nin, e->in, name);
        base_appendf(&p->t, ")");
        const size_t before = p->t.n;
        base_appendf(&p->t, " <{");
        const size_t begin = p->t.n;
        p->channels += e->op->kernel == OP_EXCHANGE;
        if (!hlo_print_attrs(p, e)) return false;
        if (p->t.n > begin) base_appendf(&p->t, "}>");
        else p->t.s[p->t.n = before] = 0;                /* other parsers reject empty braces */
        if (is_if) {                                     /* the true region, then the false one */
            ir_eqn turned = *e;
            ir_fn *const both[] = { e->sub[e->nsub - 1], e->sub[0] };
            turned.sub = both;
            if (!regions(p, &turned, name)) return false;
        } else if ((e->nsub || e->op == &prim_sort || reduces(e)) && !regions(p, e, name)) return false;
        base_appendf(&p->t, " : ");
    }
    for (uint32_t j = 0; j < e->nout; j++) name[e->out + j] = first + j;
    if (e->op == &prim_const) return true;
    hlo_print_types(&p->t, e->fn, e->op == &prim_case ? 1 : e->nin, e->in);
    base_appendf(&p->t, " -> ");
    hlo_print_types(&p->t, e->fn, e->nout, out);
    return true;
}

static bool body(printer *p, const ir_fn *f, uint32_t *name, const char *ending)
{
    for (uint32_t k = 0; k < f->neqn; k++) if (!print_equation(p, &f->eqn[k], name)) return false;
    hlo_indent(p);
    base_appendf(&p->t, "\"%s\"(", ending);
    hlo_print_values(p, f->nret, f->ret, name);
    base_appendf(&p->t, ") : ");
    hlo_print_types(&p->t, f, f->nret, f->ret);
    base_appendf(&p->t, " -> ()");
    return true;
}

/* {jax.buffer_donor = true, sdy.sharding = ...}, if there is anything to state */
static void print_arg_attrs(printer *p, const mesh *m, bool given, const mesh_layout *l)
{
    if (!m || (l && l->mesh != m)) l = NULL;
    if (!given && !l) return;
    base_appendf(&p->t, " {%s%s", given ? "jax.buffer_donor = true" : "", given && l ? ", " : "");
    if (l) base_appendf(&p->t, "sdy.sharding = "), hlo_print_layout(&p->t, l);
    base_appendf(&p->t, "}");
}

static bool function(printer *p, const ir_fn *f, const char *head, const hlo_borders *k)
{
    uint32_t *const name = print_fresh(p, f);
    const bool *const donate = k->donate ? k->donate : f->donate;
    p->values = 0;
    hlo_indent(p);
    base_appendf(&p->t, "func.func %s(", head);
    for (uint32_t i = 0; i < f->narg; i++) {
        name[i + 1] = p->values++;
        base_appendf(&p->t, "%s%%%u: ", i ? ", " : "", name[i + 1]);
        hlo_print_type(&p->t, f->type[i + 1]);
        print_arg_attrs(p, f->mesh, donate && donate[i], k->in ? k->in[i] : NULL);
    }
    base_appendf(&p->t, ") -> (");
    for (uint32_t j = 0; j < f->nret; j++) {
        if (j) base_appendf(&p->t, ", ");
        hlo_print_type(&p->t, f->type[f->ret[j]]);
        print_arg_attrs(p, f->mesh, false, k->out ? k->out[j] : NULL);
    }
    base_appendf(&p->t, ") {");
    p->depth++;
    if (!body(p, f, name, "func.return")) return false;
    p->depth--;
    hlo_indent(p);
    base_appendf(&p->t, "}");
    return true;
}

const char *hlo_write(base_arena *a, const ir_fn *f) { return hlo_write_with(a, f, &(hlo_borders){ 0 }); }

const char *hlo_write_with(base_arena *a, const ir_fn *f, const hlo_borders *k)
{
    printer p = { .arena = a, .t = { .arena = a }, .by_axes = k->by_axes, .spelled = k->spelled };
    char head[60];
    const ir_fn *const g = hlo_lower(a, f, k->spelled);
    if (!g) return NULL;
    base_appendf(&p.t, "module @tutti ");
    if (f->mesh)
        base_appendf(&p.t, "attributes {mhlo.num_partitions = %lld : i32, mhlo.num_replicas = 1 : i32} ",
                     (long long)mesh_size(f->mesh));
    base_appendf(&p.t, "{");
    if (f->mesh) hlo_print_mesh(&p.t, f->mesh, k->spelled);
    p.depth = 1;
    if (!function(&p, g, "public @main", k)) return NULL;
    for (const hlo_callee *c = p.first; c; c = c->next) {
        snprintf(head, sizeof head, "private @f%d", c->number);
        if (!function(&p, c->fn, head, &(hlo_borders){ 0 })) return NULL;
    }
    base_appendf(&p.t, "\n}\n");
    return p.t.s;
}
