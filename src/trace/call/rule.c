/* trace/call/rule.c - a rule that calls its own function: f in the rule of f.
 *
 * The rule is traced where f is called, so a call of f in the rule would trace the rule again, without an end. If the
 * operands of the call are those of f, the call's result is f's own result: a stand-in represents the result in the
 * rule, and the rule's region has f's results as further arguments. The derivative of a result is the rule again, to
 * any order. With other operands the rule is traced again, up to a limit, behind which comes an error. */
#include "../trace.h"
#include "../../op/ops.h"

#include "../inner.h"

enum { RULE_DEEPEST = 32 };                              /* rules of one function under way, one within the other */

static bool same_function(const fn_key *a, const fn_key *b)      /* whatever the line */
{
    return a->kind == b->kind && a->f == b->f && a->g == b->g && a->h == b->h;
}

/* The frame in which the rule is traced; NULL: the rule's frame is not open. */
static const trace_frame *rule_frame(const fn_rule *r)
{
    const trace_frame *f = trace_top();
    while (f && f->outer != r->top) f = f->outer;
    return f;
}

/* True if the arguments are, leaf by leaf, what the rule's function was called with. */
static bool own_operands(const fn_rule *r, int n, trace_value *const *args)
{
    const trace_frame *frame = rule_frame(r);
    int at = 0;
    if (!frame || fn_leaves(n, args) != r->nleaf) return false;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            if (v->form != TRACE_TRACED || v->frame != frame->serial) return false;
            if (v->id < 1 || v->id > (ir_id)r->nparam) return false;
            if (r->leaf[v->id - 1] != at) return false;
        }
    return true;
}

/* The stand-in: zeros in the frame of the call, which nothing reads in the end. */
static trace_value *stand_in(base_site site, fn_rule *r)
{
    if (r->result) return trace_ref(r->result);
    const trace_closed *c = r->f;
    trace_value **leaf = BASE_NEW(r->top->arena, trace_value *, c->fn->nret + 1);
    r->id = BASE_NEW(r->top->arena, ir_id, c->fn->nret + 1);
    for (uint32_t j = 0; j < c->fn->nret; j++) {
        const ir_type *t = c->fn->type[c->fn->ret[j]];
        if (!(r->id[j] = op_zeros_as(r->top->build, t))) return NULL;
        leaf[j] = trace_traced_in(site, r->top->serial, r->id[j], t, c->weak[j]);
        leaf[j]->tree = trace_leaf_at(c->out, (int)j);
    }
    r->result = trace_tree_value(site, c->out, leaf);
    for (uint32_t j = 0; j < c->fn->nret; j++) trace_unref(leaf[j]);
    return trace_ref(r->result);
}

bool fn_rule_again(base_site site, const trace_fn *f, int n, trace_value *const *args, trace_value **y)
{
    int deep = 0;
    for (const trace_link *l = trace_this()->link; l; l = l->outer) {
        if (!l->rule || !same_function(l->rule->key, f->key)) continue;
        if (own_operands(l->rule, n, args)) {
            *y = stand_in(site, l->rule);
            return true;
        }
        deep++;
    }
    if (deep < RULE_DEEPEST) return false;
    *y = NULL;
    const char *name = fn_name(f) ? fn_name(f) : "a function";
    base_fail(TT_EGRAD, site, "the rule of %s calls %s itself, %d times one within the other", name, name, deep);
    base_hint("in its rule a function may be called with the operands of the function; with others, call a function "
              "without the rule");
    return true;
}

void fn_rule_open(fn_rule *r, const trace_fn *f, const trace_closed *c, int nparam, const int *leaf, int nleaf)
{
    r->key = f->key, r->top = trace_top(), r->f = c, r->nparam = nparam, r->leaf = leaf, r->nleaf = nleaf;
    trace_this()->link->rule = r;
}
void fn_rule_close(fn_rule *r)
{
    trace_this()->link->rule = NULL;
    if (!r->result || r->owned) return;
    trace_handle(r->result);                             /* lives as long as the scope around the call */
    r->owned = true;
}

int fn_rule_result(const fn_rule *r, const trace_value *v)
{
    if (r && r->result && v->form == TRACE_TRACED && v->frame == r->top->serial)
        for (uint32_t j = 0; j < r->f->fn->nret; j++) if (r->id[j] == v->id) return (int)j;
    return -1;
}
