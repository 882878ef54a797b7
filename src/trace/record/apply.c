/* trace/record/apply.c - primitives on values: recorded in the current frame, or run at once.
 *
 * trace_emit takes leaves whose types fit the primitive. trace_map is for elementwise primitives: it promotes operands
 * that share a letter in the primitive's types ("F, F -> F"), broadcasts shapes, and works leafwise on trees of one
 * structure, where an array next to a tree is combined with every leaf. Outside a trace, a single equation goes through
 * driver_one, and a piece of several equations through a compiled program kept in eager.c. */
#include "../trace.h"
#include "../../op/ops.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "../inner.h"

enum { MOST = 4 };                                       /* maximum number of operands of an elementwise primitive */

static bool cite_all(int n, trace_value *const *x)
{
    base_uncite();                                       /* cite the user's operands, not the equation's */
    for (int i = 0; i < n && i < 4; i++) trace_cite(x[i]);
    return false;
}

typedef struct { const op_prim *prim; const void *attr; int64_t n; } equation;

static bool emit_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const equation *e = env;
    return (out[0] = ir_emit(b, e->prim, e->attr, (uint32_t)e->n, in, 0, NULL)) != 0;
}

trace_value *trace_emit(base_site site, const op_prim *prim, const void *attr, int n, trace_value *const *x)
{
    trace_frame *f = trace_top();
    trace_value *y = NULL;
    if (f) {
        ir_id *in = BASE_NEW(f->arena, ir_id, n + 1);
        for (int i = 0; i < n; i++) if (!(in[i] = trace_id(f, site, x[i]))) return NULL;
        ir_site(f->build, site);
        const ir_id id = ir_emit(f->build, prim, attr, (uint32_t)n, in, 0, NULL);
        if (id && !layouts_update(f)) return NULL;
        if (id) y = trace_traced(site, id, false), trace_log(site, 1, &y);
    } else if (!trace_one_mesh(site, n, x)) {
        return NULL;
    } else if (layouts_any_explicit(n, x)) {
        const equation e = { prim, attr ? ir_attr_intern(prim, attr) : NULL, n };
        return trace_do(site, emit_body, &e, sizeof e, n, x, 1, &y) ? y : NULL;
    } else {
        run_array *few[MOST], **in = n <= MOST ? few : BASE_NEW(trace_temp(), run_array *, n), *out = NULL;
        uint32_t nout = 0;
        int got = 0;
        while (got < n && (in[got] = trace_pin(trace_data(site, x[got])))) got++;
        if (got == n && driver_one(site, prim, attr, (uint32_t)n, in, 0, NULL, &out, &nout))
            y = trace_concrete(site, trace_pin(out), false);
        for (int i = 0; i < got; i++) trace_drop(in[i]);
        if (got < n) return NULL;
    }
    if (!y) cite_all(n, x);
    return y;
}

/* ---- elementwise ---- */

typedef struct {  /* the resolved operands of one elementwise call; env of its piece */
    const op_prim *prim;
    const void *attr;
    tt_dtype dtype[MOST];
    int n, rank;
    int64_t dim[IR_RANK];
} mapping;

static bool map_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const mapping *m = env;
    ir_id x[MOST];
    for (int i = 0; i < m->n; i++) {
        x[i] = op_convert(b, in[i], m->dtype[i]);
        const ir_type *t = ir_typeof(b, x[i]);
        int64_t to[IR_RANK];
        if (!t) return false;
        for (int d = 0; d < t->rank; d++) to[d] = d + m->rank - t->rank;
        if (t->rank != m->rank || (m->rank && memcmp(t->dim, m->dim, (size_t)m->rank * sizeof *m->dim)))
            x[i] = op_broadcast(b, x[i], ir_type_as(t, m->dtype[i], m->rank, m->dim), t->rank, to);
    }
    return (out[0] = ir_emit(b, m->prim, m->attr, (uint32_t)m->n, x, 0, NULL)) != 0;
}

/* Reads the primitive's types: letter[i] of operand i; returns the result's letter. */
static char read_types(const op_prim *prim, int n, char *letter)
{
    const char *s = prim->types ? prim->types : prim == &prim_select ? "B, T, T -> T" : "T, T, T -> T";
    for (int i = 0; i < n; i++) {
        while (*s == ' ' || *s == ',') s++;
        letter[i] = *s;
        while (isalnum((unsigned char)*s)) s++;
    }
    while (*s && *s != '>') s++;                         /* "->" */
    for (s += *s == '>'; *s == ' ';) s++;
    return *s;
}

/* True if the primitive is defined on bools. As in JAX and NumPy, -true, true - true and true / true are not, nor is
 * the sign of a bool. */
static bool counts_truths(const op_prim *prim)
{
    return prim != &prim_neg && prim != &prim_sign && prim != &prim_sub && prim != &prim_div;
}
static bool no_truths(base_site site, const op_prim *prim, int n, trace_value *const *x)
{
    base_fail(TT_ETYPE, site, "%s: of bools; expected numbers", prim->name);
    for (int k = 0; k < n; k++) trace_cite(x[k]);
    return base_hint(prim == &prim_sub ? "tt_xor compares bools; tt_cast makes numbers of bools"
                     : prim == &prim_neg ? "tt_not negates bools; tt_cast makes numbers of bools"
                                       : "tt_cast makes numbers of bools");
}

/* Promotes together the operands that share a letter. */
static bool promote(base_site site, const op_prim *prim, int n, trace_value *const *x, mapping *m, bool *weak)
{
    char letter[MOST];
    const char result = read_types(prim, n, letter);
    bool alike = true;                                   /* of one dtype, weak or not: the join is that dtype */
    *weak = false;
    for (int i = 1; i < n; i++) alike &= x[i]->type->dtype == x[0]->type->dtype && x[i]->weak == x[0]->weak;
    for (int i = 0; i < n; i++) {
        trace_dtype t = trace_dtype_of(x[i]);
        const ir_class c = ir_dtype_of(t.dtype)->cls;
        for (int k = 0; k < n && !alike; k++) if (letter[k] == letter[i]) t = trace_join(t, trace_dtype_of(x[k]));
        if (!t.dtype) return trace_no_join(site, prim->name, n, x);
        if (letter[i] == 'F' || letter[i] == 'X') t = trace_inexact(t);
        if ((letter[i] == 'N' || letter[i] == 'Z') && t.dtype == TT_BOOL) {
            if (!counts_truths(prim)) return no_truths(site, prim, n, x);
            t = (trace_dtype){ TT_I32, false };
        }
        if (letter[i] == 'B' && c != IR_BOOL_CLASS) {
            base_fail(TT_ETYPE, site, "%s: operand %d must be bool, not %s", prim->name, i, ir_dtype_of(t.dtype)->name);
            for (int k = 0; k < n; k++) trace_cite(x[k]);
            return base_hint("a condition comes from a comparison: tt_ne(x, tt_i(0))");
        }
        m->dtype[i] = t.dtype;
        if (letter[i] == result && result != 'B') *weak = t.weak;
    }
    return true;
}

static trace_value *map_leaves(base_site site, const op_prim *prim, const void *attr, int n, trace_value *const *x)
{
    mapping m;
    trace_value *own[MOST] = { NULL }, *arg[MOST], *y = NULL;
    bool weak, same = true;
    memset(&m, 0, sizeof m);
    m.prim = prim;
    m.n = n;
    if (!promote(site, prim, n, x, &m, &weak) || !trace_broadcast(site, prim->name, n, x, &m.rank, m.dim)) return NULL;
    for (int i = 0; i < n; i++)
        if (!trace_number_fits(site, prim->name, x[i], m.dtype[i])) return cite_all(n, x), NULL;
    for (int i = 0; i < n; i++) {
        const ir_type *t = x[i]->type;
        const bool number = x[i]->form == TRACE_NUMBER && t->dtype != m.dtype[i];
        arg[i] = number ? own[i] = trace_number_as(x[i], m.dtype[i]) : x[i];
        same &= (number || t->dtype == m.dtype[i]) && t->rank == m.rank &&
                (!m.rank || !memcmp(t->dim, m.dim, (size_t)m.rank * sizeof *m.dim));
    }
    if (same) {
        y = trace_emit(site, prim, attr, n, arg);
    } else {
        m.attr = attr ? ir_attr_intern(prim, attr) : NULL;
        trace_do(site, map_body, &m, offsetof(mapping, dim) + (size_t)m.rank * sizeof *m.dim, n, arg, 1, &y);
    }
    for (int i = 0; i < n; i++) trace_unref(own[i]);
    if (y) y->weak = weak;
    return y;
}

trace_value *trace_map(base_site site, const op_prim *prim, const void *attr, int n, trace_value *const *x)
{
    const trace_tree *tree = NULL;
    trace_value *arg[MOST];
    for (int i = 0; i < n; i++) {
        if (x[i]->type) continue;
        if (tree && !trace_agree(tree, x[i]->tree)) {
            trace_tree_differ(site, prim->name, tree, x[i]->tree);
            for (int k = 0; k < n; k++) trace_cite(x[k]);
            return NULL;
        }
        if (!tree) tree = x[i]->tree;
    }
    if (!tree) return map_leaves(site, prim, attr, n, x);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, tree->nleaf + 1), *y = NULL;
    int done = 0;
    for (; done < tree->nleaf; done++) {
        for (int i = 0; i < n; i++) arg[i] = trace_leaf_of(x[i], done);
        if (!(leaf[done] = map_leaves(site, prim, attr, n, arg))) break;
    }
    if (done == tree->nleaf) y = trace_tree_value(site, tree, leaf);
    else base_also(NULL, "at leaf \"%s\"", trace_leaf_path(trace_temp(), tree, done));
    for (int i = 0; i < done; i++) trace_unref(leaf[i]);
    return y;
}

tt_val trace_apply(base_site site, const op_prim *prim, const void *attr, int n, const tt_val *x)
{
    trace_value *v[MOST];
    for (int i = 0; i < n; i++) if (!(v[i] = trace_get(site, x[i]))) return trace_poison;
    trace_value *y = trace_map(site, prim, attr, n, v);
    return y ? trace_handle(y) : trace_poison;
}

trace_value *trace_leafwise(base_site site, trace_value *v, trace_each *f, const void *env)
{
    if (v->type) return f(site, v, env);
    const int n = trace_nleaf(v);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, n + 1), *y = NULL;
    int done = 0;
    while (done < n && (leaf[done] = f(site, v->leaf[done], env))) done++;
    if (done == n) y = trace_tree_value(site, v->tree, leaf);
    else if (base_failed()) base_also(NULL, "at leaf \"%s\"", trace_leaf_path(trace_temp(), v->tree, done));
    for (int i = 0; i < done; i++) trace_unref(leaf[i]);
    return y;
}
