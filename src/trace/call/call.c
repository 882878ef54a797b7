/* trace/call/call.c - calls of functions: C functions directly, transforms by tracing their functions.
 *
 * Inside a trace a transform traces its function as a closed one, applies itself and inlines the result; at top level
 * the complete call becomes a function that is compiled and run (jit.c). While a transform is open its line is in the
 * thread's chain, which is added to the first error: "in tt_value_and_grad(loss) at mlp.c:31". */
#include "../trace.h"

#include <ctype.h>
#include <string.h>

#include "../inner.h"

/* ---- C functions ---- */

static tt_val call_c(const fn_key *k, const tt_val *x)
{
    switch (k->arity) {
    case 0: return ((tt_f0 *)k->c)();
    case 1: return ((tt_f1 *)k->c)(x[0]);
    case 2: return ((tt_f2 *)k->c)(x[0], x[1]);
    case 3: return ((tt_f3 *)k->c)(x[0], x[1], x[2]);
    case 4: return ((tt_f4 *)k->c)(x[0], x[1], x[2], x[3]);
    case 5: return ((tt_f5 *)k->c)(x[0], x[1], x[2], x[3], x[4]);
    case 6: return ((tt_f6 *)k->c)(x[0], x[1], x[2], x[3], x[4], x[5]);
    case 7: return ((tt_f7 *)k->c)(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
    default: return ((tt_f8 *)k->c)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    }
}

/* What a function chooses for the calls in it, by loops that put the former choice back. */
typedef struct { const mesh *mesh; base_name rules, named; const char *precision, *random; } chosen;

static chosen chosen_now(const trace_thread *t)
{
    return (chosen){ t->mesh, t->rules, t->named, t->precision, t->random };
}

/* Puts the choices back that a traced function has left. False with the error set: there were some. A function is
 * traced once, so that what it leaves would depend on whether a call traces it. */
static bool chosen_back(base_site site, trace_fn *f, const chosen *was)
{
    trace_thread *const t = trace_this();
    const chosen now = chosen_now(t);
    const char *const what = now.mesh != was->mesh || now.rules != was->rules ? "mesh in use (TT_WITH, tt_set_mesh)"
        : now.named != was->named ? "name (TT_NAMED_SCOPE)"
        : now.precision != was->precision ? "precision (TT_PRECISION, tt_set_precision)"
        : now.random != was->random ? "layout of random bits (tt_set_random_layout)" : NULL;
    t->mesh = was->mesh, t->rules = was->rules, t->named = was->named;
    t->precision = was->precision, t->random = was->random;
    if (!what || base_failed()) return !what;
    base_fail(TT_ETRACE, site, "%s returns with another %s than it was called with", fn_name(f), what);
    base_hint("a traced function puts back what it chooses: no break or return leaves the body of a TT_ loop");
    return false;
}

static trace_value *call_user(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    if (k->arity >= 0 && n != k->arity) {
        base_fail(TT_EARG, site, "%s takes %d value%s, not %d", fn_name(f), k->arity, k->arity == 1 ? "" : "s", n);
        return NULL;
    }
    tt_val few[8], *x = n <= 8 ? few : BASE_NEW(trace_temp(), tt_val, n);
    for (int i = 0; i < n; i++) x[i] = trace_handle(trace_ref(args[i]));
    const uint64_t before = base_failures();
    const bool traced = trace_top() != NULL;
    const chosen was = chosen_now(trace_this());
    const tt_val y = k->kind == FN_C ? call_c(k, x) : k->env_f(k->env, n, x);
    if (traced) chosen_back(site, f, &was);
    trace_value *v = trace_peek(y);
    /* the call failed and the function went on: its result is meaningless */
    const bool failed = base_failures() != before && base_failed();
    if (v && v->form != TRACE_DONATED && !failed) return trace_ref(v);
    if (!failed) {
        trace_get(site, y);
        base_also(site, "returned by %s", fn_name(f));
    }
    return NULL;
}

typedef trace_value *caller(base_site, trace_fn *, int n, trace_value *const *args);
static const struct { caller *inside; bool direct, cached, writes; } how[FN_KINDS] = {
    [FN_C]          = { call_user, true, false, false },
    [FN_ENV]        = { call_user, true, false, false },
    [FN_JIT]        = { call_nested, false, true, false },
    [FN_GRAD]       = { call_grad, false, false, true },
    [FN_JVP]        = { call_jvp, false, false, true },
    [FN_VJP]        = { call_vjp, false, false, true },
    [FN_HESSIAN]    = { call_hessian, false, false, true },
    [FN_CUSTOM_VJP] = { call_custom_vjp, false, false, true },
    [FN_CUSTOM_JVP] = { call_custom_jvp, false, false, true },
    [FN_CUSTOM_TANGENT] = { call_custom_tangent, false, false, true },
    [FN_JACFWD]     = { call_jacobian, false, false, true },
    [FN_JACREV]     = { call_jacobian, false, false, true },
    [FN_LINEARIZE]  = { call_linearize, false, false, true },
    [FN_LINEAR]     = { call_linear, false, false, true },
    [FN_REMAT]      = { call_remat, false, false, true },
    [FN_VMAP]       = { call_vmap, false, false, true },
    [FN_PMAP]       = { call_pmap, false, true, false },
    [FN_SHARD_MAP]  = { call_shard_map, false, false, false },
    [FN_IR]         = { call_ir, false, true, false },
};

static trace_value *call_call(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    trace_thread *t = trace_this();
    const fn_kind kind = f->key->kind;
    if (how[kind].direct) return how[kind].inside(site, f, n, args);
    /* at top level no derivative is taken */
    if (kind == FN_CUSTOM_TANGENT && !trace_top()) return trace_call(site, f->key->f, n, args);
    const int depth = trace_depth();
    trace_link link = { t->link, f->key->site, NULL };
    t->link = &link;
    const uint64_t before = base_failures();
    trace_frame *top = trace_top();
    if (top) top->settle += how[kind].writes;
    trace_value *y = top ? how[kind].inside(site, f, n, args) : jit_run(site, f, n, args, how[kind].cached);
    if (top) top->settle -= how[kind].writes;
    if (!y) {
        if (base_failures() == before && !base_failed()) base_bug(site, "%s: a call failed without a word", fn_name(f));
        trace_chain();
        trace_abandon_to(depth);
    }
    t->link = link.outer;
    return y;
}

trace_value *trace_call(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    fn_named_by(f, site);
    if (!trace_deeper(site)) return trace_chain(), NULL;
    trace_value *const y = call_call(site, f, n, args);
    trace_this()->calls--;
    return y;
}

/* ---- signatures, closed functions ---- */

int fn_leaves(int n, trace_value *const *args)
{
    int k = 0;
    for (int i = 0; i < n; i++) k += trace_nleaf(args[i]);
    return k;
}

fn_sig fn_sig_of(base_arena *a, int n, trace_value *const *args)
{
    const int nleaf = fn_leaves(n, args);
    fn_sig s = { n, nleaf, BASE_NEW(a, const trace_tree *, n + 1), BASE_NEW(a, const ir_type *, nleaf + 1),
                 BASE_NEW(a, bool, nleaf + 1), BASE_NEW(a, base_site, nleaf + 1),
                 BASE_NEW(a, const mesh_layout *, nleaf + 1) };
    for (int i = 0, at = 0; i < n; i++) {
        s.tree[i] = args[i]->tree;
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            s.type[at] = v->type;
            s.weak[at] = v->weak;
            s.site[at] = v->site;
            s.layout[at] = v->layout;
        }
    }
    return s;
}

/* Calls f on its arguments as traced values: with these ids, or if ids is NULL with the frame's parameters. */
trace_value *fn_body(base_site site, trace_fn *f, trace_frame *frame, const fn_sig *s, const ir_id *ids)
{
    base_arena *a = frame->arena;
    trace_value **arg = BASE_NEW(a, trace_value *, s->n + 1), **leaf = BASE_NEW(a, trace_value *, s->nleaf + 1);
    for (int i = 0, at = 0; i < s->n; i++) {
        for (int l = 0; l < s->tree[i]->nleaf; l++, at++) {
            leaf[at] = ids ? trace_traced(s->site[at], ids[at], s->weak[at])
                           : trace_param(frame, s->site[at], at, s->weak[at], trace_leaf(NULL, false));
            trace_handle(leaf[at]);                      /* owned by the frame's scope */
        }
        arg[i] = trace_tree_value(site, s->tree[i], leaf + at - s->tree[i]->nleaf);
        trace_handle(arg[i]);
    }
    return trace_call(site, f, s->n, arg);
}

bool fn_close(base_site site, trace_fn *f, const fn_sig *s, const trace_axis *axis, trace_closed *out)
{
    const int depth = trace_depth();
    trace_frame *frame = trace_begin(site, fn_name(f), NULL, s->nleaf, s->type);
    layouts_of_params(frame, s);
    trace_value *y = !axis || trace_bind_axis(frame, *axis) ? fn_body(site, f, frame, s, NULL) : NULL;
    const bool ok = y && trace_end(frame, site, y, out);
    trace_unref(y);
    if (!ok) trace_chain();
    trace_abandon_to(depth);
    return ok;
}

bool fn_captured(base_site site, const trace_closed *c, ir_id *in)
{
    for (int i = 0; i < c->ncaptured; i++) if (!(in[i] = trace_id(trace_top(), site, c->captured[i]))) return false;
    return true;
}

bool fn_operands(base_site site, int n, trace_value *const *args, const trace_closed *c, ir_id *in)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++)
            if (!(in[at++] = trace_id(trace_top(), site, trace_leaf_of(args[i], l)))) return false;
    return !c || fn_captured(site, c, in + at);
}

trace_value *fn_opened(base_site site, const trace_tree *tree, const ir_id *ids, const bool *weak)
{
    trace_value **leaf = BASE_NEW(trace_top()->arena, trace_value *, tree->nleaf + 1);
    if (!layouts_update(trace_top())) return NULL;
    for (int i = 0; i < tree->nleaf; i++) {
        if (!ids[i]) return NULL;
        leaf[i] = trace_traced(site, ids[i], weak && weak[i]);
        leaf[i]->tree = trace_leaf_at(tree, i);
    }
    trace_value *v = trace_tree_value(site, tree, leaf);
    for (int i = 0; i < tree->nleaf; i++) trace_unref(leaf[i]);
    return v;
}

trace_value *fn_tuple(base_site site, int n, trace_value *const *items)
{
    base_arena *a = trace_temp();
    const trace_tree **child = BASE_NEW(a, const trace_tree *, n + 1);
    trace_value **leaf = BASE_NEW(a, trace_value *, fn_leaves(n, items) + 1);
    for (int i = 0, at = 0; i < n; i++) {
        child[i] = items[i]->tree;
        for (int l = 0; l < trace_nleaf(items[i]); l++) leaf[at++] = trace_leaf_of(items[i], l);
    }
    return trace_tree_value(site, trace_tuple_of(n, child), leaf);
}

trace_value *fn_item(base_site site, trace_value *v, int i)
{
    return trace_sub(v, site, v->tree->child[i], trace_leaf_from(v->tree, i));
}

/* ---- captures that several regions of one equation share ---- */

void fn_unite(fn_pool *u, const trace_closed *c)
{
    trace_value **more = BASE_NEW(trace_top()->arena, trace_value *, u->n + c->ncaptured + 1);
    if (u->n) memcpy(more, u->v, (size_t)u->n * sizeof *more);
    u->v = more;
    for (int i = 0; i < c->ncaptured; i++) {
        int k = 0;
        while (k < u->n && u->v[k] != c->captured[i]) k++;
        if (k == u->n) u->v[u->n++] = c->captured[i];
    }
}

int fn_found(const fn_pool *u, const trace_value *v)
{
    int i = 0;
    while (u->v[i] != v) i++;
    return i;
}

const mesh_layout *fn_without(const mesh_layout *l, int dim)
{
    mesh_list d[IR_RANK + 1] = { 0 };
    if (!l || l->rank <= dim) return NULL;
    for (int i = 0; i < l->rank; i++) if (i != dim) d[i - (i > dim)] = l->dim[i].atoms;
    return mesh_layout_dims(l->mesh, l->rank - 1, d);
}

ir_id fn_fitted(ir_build *b, ir_id x, const ir_type *t) { return op_as(b, op_convert(b, x, t->dtype), t); }

/* ---- lists in options ---- */

/* Sets the error with the caret at `at`; returns false. */
static bool numbers_bad(const char *text, const char *at, const char *hint)
{
    base_caret(text, (size_t)(at - text));
    return base_hint("%s", hint);
}

int fn_numbers(base_site site, const char *what, const char *text, int n, int *out, int capacity)
{
    int got = 0;
    for (const char *p = text; *p;) {                    /* one comma between items; one at the end: a list of one */
        while (isspace((unsigned char)*p)) p++;
        const bool comma = *p == ',';
        if (got && !comma && *p) {
            base_fail(TT_EARG, site, "%s = \"%s\": expected ',' between two argument numbers", what, text);
            return numbers_bad(text, p, "arguments are counted from 0: \"0\" or \"0, 2\""), -1;
        }
        p += got && comma;
        while (isspace((unsigned char)*p)) p++;
        if (!*p) break;
        int k = 0, digits = 0;
        const char *at = p;
        for (; isdigit((unsigned char)*p) && digits < 6; p++, digits++) k = 10 * k + (*p - '0');
        if (!digits || k >= n || got == capacity) {
            base_fail(TT_EARG, site,
                      !digits ? "%s = \"%s\": expected an argument number" : "%s = \"%s\": no argument %d of %d", what,
                          text,
                      k, n);
            return numbers_bad(text, at, "arguments are counted from 0: \"0\" or \"0, 2\""), -1;
        }
        for (int i = 0; i < got; i++) {
            if (out[i] != k) continue;
            base_fail(TT_EARG, site, "%s: argument %d is named twice", what, k);
            return numbers_bad(text, at, "each argument once"), -1;
        }
        out[got++] = k;
    }
    return got;
}

/* True if the text ends with ';': "x;" is a list of one item; "x" is one item for all. */
static bool closed(const char *text)
{
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1])) n--;
    return n && text[n - 1] == ';';
}

int fn_items(const char *text)
{
    int n = !closed(text);
    for (; *text; text++) n += *text == ';';
    return n;
}

/* The number of items of a result: the items of a tuple, unless one text is for the complete result. */
int fn_result_items(const char *text, const trace_tree *t)
{
    return text && t->kind == TRACE_TUPLE && (fn_items(text) > 1 || closed(text)) ? t->n : 1;
}

/* Item i without surrounding blanks. */
static base_name item_text(const char *text, int i)
{
    while (i-- > 0) text = strchr(text, ';') + 1;
    size_t n = strcspn(text, ";");
    while (n && isspace((unsigned char)*text)) text++, n--;
    while (n && isspace((unsigned char)text[n - 1])) n--;
    return base_intern_n(text, n);
}

base_name fn_spec_for(base_site site, const char *what, const char *text, int i, int n)
{
    const int items = fn_items(text);
    if (items == 1 && !closed(text)) return item_text(text, 0);
    if (items == n) return item_text(text, i);
    base_fail(TT_ESPEC, site, "%s has %d item%s for %d value%s", what, items, items == 1 ? "" : "s", n,
              n == 1 ? "" : "s");
    base_caret(text, 0);
    base_hint("one item per value, separated by ';', or one item for all");
    return NULL;
}
