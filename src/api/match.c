/* api/match.c - compares two trees: structure, shapes, kinds of numbers; reports the first difference by its path. */
#include "api.h"


static bool match_number(tt_dtype d)
{
    const ir_class c = ir_dtype_of(d)->cls;
    return c == IR_FLOAT_CLASS || c == IR_COMPLEX_CLASS;
}

static bool leaf_differs(base_site site, const char *what, const trace_tree *tree, int i, const trace_value *a,
                         const trace_value *b)
{
    const bool shape = !ir_same_dims(a->type, b->type);
    const char *path = trace_leaf_path(trace_temp(), tree, i);
    base_fail(shape ? TT_ESHAPE : TT_ETYPE, site, "%s: %s differ%s%s%s: %s and %s", what,
              shape ? "shapes" : "types", *path ? " at \"" : "", path, *path ? "\"" : "", trace_text(a->type),
              trace_text(b->type));
    trace_cite(a);
    return trace_cite(b);
}

typedef struct { const char *site, *what; tt_val a, b; bool ok; } matching;

static bool match(base_site site, const char *what, tt_val a, tt_val b)
{
    trace_value *const x = trace_get(site, a), *const y = x ? trace_get(site, b) : NULL;
    if (!y) return false;
    if (!trace_agree(x->tree, y->tree)) {
        trace_tree_differ(site, what, x->tree, y->tree);
        trace_cite(x);
        return trace_cite(y);
    }
    for (int i = 0; i < trace_nleaf(x); i++) {
        const trace_value *const u = trace_leaf_of(x, i), *const v = trace_leaf_of(y, i);
        if (trace_leaf_at(x->tree, i)->frozen) continue;
        const bool kinds = match_number(u->type->dtype) && !match_number(v->type->dtype),
                   cut = op_is_complex(v->type->dtype) && !op_is_complex(u->type->dtype);
        if (!ir_same_dims(u->type, v->type) || kinds || cut)
            return leaf_differs(site, what, x->tree, i, u, v);
    }
    return true;
}

static void match_run(void *p)
{
    matching *const m = p;
    m->ok = match(trace_site(m->site), m->what ? m->what : "tt_match", m->a, m->b);
}

/* A tt_hint may follow, as after tt_fail_at: the error is reported there, or at the thread's next query or call. */
bool tt_match_at(const char *site, const char *what, tt_val a, tt_val b)
{
    matching m = { site, what, a, b, false };
    if (tt_ok()) trace_enter(match_run, &m);
    return m.ok;
}
