/* trace/call/branches.c - the results of a case's branches: types on which all branches agree; and the call of a branch
 * by a known index.
 *
 * A known index calls its branch as C code; the other branches are traced without being run, so that differing branches
 * are an error, as in a compiled function, whichever branch is taken. The result types of such a branch are cached by
 * the types of its arguments (jit_cache.c). A C function may read variables that change from call to call, so a branch
 * that differs is traced a second time before it is an error. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

case_result case_closed(const trace_closed *c)
{
    const ir_type **type = BASE_NEW(trace_this()->frame->arena, const ir_type *, c->fn->nret + 1);
    for (uint32_t j = 0; j < c->fn->nret; j++) type[j] = c->fn->type[c->fn->ret[j]];
    return (case_result){ c->out, type, c->weak };
}

/* Sets the type that all branches can return for leaf j: weak results take the other branches' dtype, vary is the
 * union. Returns the first branch that cannot return it; 0: all branches can. */
static int meet(int n, const case_result *r, int j, const ir_type **type, bool *weak)
{
    const ir_type *const t = r[0].type[j];
    trace_dtype d = { t->dtype, r[0].weak[j] };
    mesh_set vary = t->vary;
    for (int b = 1; b < n; b++) {
        const trace_dtype o = { r[b].type[j]->dtype, r[b].weak[j] }, both = trace_join(d, o);
        if (!ir_same_dims(t, r[b].type[j]) || !both.dtype || (d.dtype != o.dtype && !d.weak && !o.weak)) return b;
        d = both;
        vary |= r[b].type[j]->vary;
    }
    *type = ir_type_vary(ir_type_as(t, d.dtype, t->rank, t->dim), vary);
    *weak = d.weak;
    return 0;
}

/* The first branch that differs from the earlier ones; 0: none. *leaf: the differing leaf; -1: the trees differ. */
static int differs(int n, const case_result *r, const ir_type **type, bool *weak, int *leaf)
{
    *leaf = -1;
    for (int b = 1; b < n; b++) if (!trace_agree(r[b].out, r[0].out)) return b;
    for (*leaf = 0; *leaf < r[0].out->nleaf; ++*leaf) {
        const int b = meet(n, r, *leaf, &type[*leaf], &weak[*leaf]);
        if (b) return b;
    }
    return 0;
}

bool case_agree(base_site site, int n, const case_result *r, const ir_type **type, bool *weak)
{
    int j = -1;
    const int b = differs(n, r, type, weak, &j);
    if (!b) return true;
    if (j < 0)
        return trace_tree_differ(site, base_format(trace_temp(), "branches 0 and %d", b), r[0].out, r[b].out);
    const char *const path = trace_leaf_path(trace_temp(), r[0].out, j);
    int a = 0;  /* a weak branch 0 may agree with b where another branch does not */
    while (a < b - 1 && !meet(2, (case_result[]){ r[a], r[b] }, j, &type[j], &weak[j])) a++;
    base_fail(TT_ETYPE, site, "the branches differ: the result%s%s is %s in branch %d and %s in branch %d",
              *path ? " " : "", path, trace_text(r[a].type[j]), a, trace_text(r[b].type[j]), b);
    return base_hint("all branches must return the same types: convert with tt_cast, or broadcast, in one of them");
}

/* ---- a known index ---- */

typedef struct { base_site site; int taken, n, narg; trace_fn *const *branch; trace_value *const *args; } calling;

/* Traces branch b without running it; *out: its result types, in the temporary arena. */
static bool traced(const calling *q, int b, case_result *out)
{
    trace_frame *const root = trace_root(), *const here = trace_this()->frame;
    const fn_sig s = fn_sig_of(here->arena, q->narg, q->args);
    trace_closed c;
    if (root) root->mesh = jit_mesh(q->branch[b], q->narg, q->args);
    const bool ok = fn_close(q->site, q->branch[b], &s, NULL, &c);
    if (ok) {
        const int n = c.out->nleaf;
        const ir_type **type = BASE_NEW(trace_temp(), const ir_type *, n + 1);
        bool *weak = BASE_NEW(trace_temp(), bool, n + 1);
        for (int j = 0; j < n; j++) type[j] = c.fn->type[c.fn->ret[j]], weak[j] = c.weak[j];
        *out = (case_result){ c.out, type, weak };
    }
    trace_root_close(root);
    return ok;
}

static void branches_keep(trace_fn *f, const void *const *key, size_t nkey, const case_result *r)
{
    const size_t n = (size_t)r->out->nleaf;
    bool ok = true;
    jit_entry *e = jit_copied(&(jit_entry){ .nkey = nkey, .nout = (int)n, .out = r->out }, sizeof *e, &ok);
    if (!e) base_unwind(sizeof *e);
    e->key = jit_copied(key, nkey * sizeof *key, &ok);
    e->type = jit_copied(r->type, n * sizeof *r->type, &ok);
    e->weak = jit_copied(r->weak, n * sizeof *r->weak, &ok);
    if (!ok) {
        jit_entry_free(e);
        base_unwind(sizeof *e);
    }
    jit_add(f, e);
}

static bool branches_found(trace_fn *f, const void *const *key, size_t nkey, case_result *out)
{
    trace_thread *const t = trace_this();
    const int outside = t->inside;
    trace_inside(t);  /* the entry may be evicted, but lives until this thread leaves */
    const jit_entry *const e = jit_find(f, key, nkey);
    if (e) {
        const ir_type **type = BASE_NEW(trace_temp(), const ir_type *, e->nout + 1);
        bool *weak = BASE_NEW(trace_temp(), bool, e->nout + 1);
        memcpy(type, e->type, (size_t)e->nout * sizeof *type);
        memcpy(weak, e->weak, (size_t)e->nout * sizeof *weak);
        *out = (case_result){ e->out, type, weak };
    }
    trace_outside_to(t, outside);
    return e != NULL;
}

/* The results of the branches that are not taken; cached, except under a trace, where types belong to the trace. */
static bool others(const calling *q, case_result *r)
{
    static const char mark = 0;                          /* ends a key: the entry has types, not a program */
    const int nleaf = fn_leaves(q->narg, q->args);
    const void **key = BASE_NEW(trace_temp(), const void *, jit_key_most(q->narg, nleaf) + 1);
    size_t nkey = jit_key(q->narg, q->args, key);
    key[nkey++] = &mark;
    for (int b = 0; b < q->n; b++) {
        if (b == q->taken || (!trace_top() && branches_found(q->branch[b], key, nkey, &r[b]))) continue;
        if (!traced(q, b, &r[b])) return false;
        if (!trace_top()) branches_keep(q->branch[b], key, nkey, &r[b]);
    }
    return true;
}

static case_result result_of(trace_value *y)
{
    const int n = trace_nleaf(y);
    const ir_type **type = BASE_NEW(trace_temp(), const ir_type *, n + 1);
    bool *weak = BASE_NEW(trace_temp(), bool, n + 1);
    for (int j = 0; j < n; j++) type[j] = trace_leaf_of(y, j)->type, weak[j] = trace_leaf_of(y, j)->weak;
    return (case_result){ y->tree, type, weak };
}

static bool fit_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const ir_type *const *t = env;
    return (out[0] = fn_fitted(b, in[0], *t)) != 0;
}

/* y converted to the type on which the branches agree. New reference. */
static trace_value *fitted(base_site site, trace_value *y, const trace_tree *tree, const ir_type *const *type,
                           const bool *weak)
{
    const int n = trace_nleaf(y);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, n + 1), *whole = NULL;
    int made = 0;
    for (; made < n; made++) {
        trace_value *v = trace_leaf_of(y, made);
        if (v->type == type[made] && v->weak == weak[made]) leaf[made] = trace_ref(v);
        else if (!trace_do(site, fit_body, &type[made], sizeof *type, 1, &v, 1, &leaf[made])) break;
        else leaf[made]->weak = weak[made];
    }
    if (made == n) whole = trace_tree_value(site, tree, leaf);
    while (made-- > 0) trace_unref(leaf[made]);
    return whole;
}

trace_value *case_known(base_site site, int taken, int n, trace_fn *const *branch, int narg, trace_value *const *args)
{
    const calling q = { site, taken, n, narg, branch, args };
    case_result *r = BASE_NEW(trace_temp(), case_result, n);
    if (!others(&q, r)) return NULL;
    trace_value *const y = trace_call(site, branch[taken], narg, args);
    if (!y) return NULL;
    r[taken] = result_of(y);
    const ir_type **type = BASE_NEW(trace_temp(), const ir_type *, y->tree->nleaf + r[0].out->nleaf + 1);
    bool *weak = BASE_NEW(trace_temp(), bool, y->tree->nleaf + r[0].out->nleaf + 1), ok = true;
    int leaf;
    if (differs(n, r, type, weak, &leaf)) {              /* cached types may be stale: traces once more */
        for (int b = 0; ok && b < n; b++) ok = b == taken || traced(&q, b, &r[b]);
        ok = ok && case_agree(site, n, r, type, weak);
    }
    trace_value *const z = ok ? fitted(site, y, r[0].out, type, weak) : NULL;
    trace_unref(y);
    return z;
}
