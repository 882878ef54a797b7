/* trace/call/jit.c - top-level calls of compiled functions: traced once per types, compiled once per layouts, cached,
 * launched.
 *
 * The key of an entry is, per argument, its structure, and per leaf its type, layout and weakness: interned pointers,
 * so that a call with 50 leaves compares 1 kB. An entry holds the captured values of the trace, the program, and the
 * result's structure; the first entry of its types also holds the trace. jit_cache.c stores the entries and evicts the
 * least recently used. grad, vmap and shard_map at top level are traced anew at each call, because their C code must
 * run at each call; their programs are found in the cache of programs by content. */
#include "../trace.h"

#include <stdatomic.h>
#include <string.h>

#include "../../pass/pass.h"
#include "../inner.h"

static _Atomic int64_t hits;

trace_counts trace_jit_counts(void) { return (trace_counts){ jit_traces(), atomic_load(&hits) }; }

/* ---- keys ---- */

size_t jit_key(int n, trace_value *const *args, const void **key)
{
    size_t k = 0;
    key[k++] = (const void *)(uintptr_t)(trace_settings() | (uint64_t)(uint32_t)run_engine_number() << 32);
    for (int i = 0; i < n; i++) {
        key[k++] = args[i]->tree;
        for (int l = 0; l < trace_nleaf(args[i]); l++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            key[k++] = v->type;
            key[k++] = (const void *)((uintptr_t)jit_layout(v) + v->weak);
        }
    }
    return k;
}

static bool same_types(const jit_entry *e, const void *const *key, size_t nkey, int n, trace_value *const *args)
{
    if (e->nkey != nkey || e->key[0] != key[0]) return false;
    size_t k = 1;
    for (int i = 0; i < n; i++) {
        if (e->key[k] != key[k]) return false;
        k++;
        for (int l = trace_nleaf(args[i]); l-- > 0; k += 2)      /* bit 0 of the address: the leaf is weak */
            if (e->key[k] != key[k] || ((uintptr_t)e->key[k + 1] ^ (uintptr_t)key[k + 1]) & 1) return false;
    }
    return true;
}

/* The entry whose trace fits these types in other layouts. */
static const jit_entry *find_traced(trace_fn *f, const void *const *key, size_t nkey, int n, trace_value *const *args)
{
    const mesh *m = jit_mesh(f, n, args);
    for (const jit_entry *e = atomic_load_explicit(&f->cache, memory_order_acquire); e;
         e = atomic_load_explicit(&e->next, memory_order_acquire))
        if (jit_trace_serves(e->traced, m) && same_types(e, key, nkey, n, args)) return e;
    return NULL;
}

static void print_retrace(trace_fn *f, int n, trace_value *const *args)  /* TUTTI=retrace */
{
    const jit_entry *e = atomic_load(&f->cache);
    while (e && !e->program) e = atomic_load(&e->next);
    if (!e || !base_switch("retrace")) return;
    size_t k = 1;
    for (int i = 0; i < n; i++) {
        if (k >= e->nkey || e->key[k++] != args[i]->tree) {
            base_log("retrace %s: argument %d has another structure: %s", fn_name(f), i,
                     trace_tree_text(trace_temp(), args[i]->tree));
            return;
        }
        for (int l = 0; l < trace_nleaf(args[i]); l++, k += 2) {
            const trace_value *v = trace_leaf_of(args[i], l);
            const char *path = trace_leaf_path(trace_temp(), args[i]->tree, l);
            if (k + 1 < e->nkey && e->key[k] == v->type &&
                e->key[k + 1] == (const char *)(v->form == TRACE_CONCRETE ? v->layout : NULL) + v->weak)
                continue;
            base_log("retrace %s: argument %d%s%s is %s%s", fn_name(f), i, *path ? ", leaf " : "", path,
                     trace_type_text(trace_temp(), v), v->weak ? " (weak)" : "");
            return;
        }
    }
    base_log("retrace %s: other arguments than last time", fn_name(f));
}

/* ---- compiling ---- */

bool *jit_donated(base_site site, const fn_key *k, base_arena *a, int n, trace_value *const *args, int ncaught)
{
    int *const list = BASE_NEW(a, int, n + 1);
    const int count = k->donate ? fn_numbers(site, ".donate", k->donate, n, list, n) : 0;
    bool *d = BASE_NEW(a, bool, fn_leaves(n, args) + ncaught + 1);
    if (count < 0) return NULL;
    for (int i = 0; i < count; i++) {
        int at = fn_leaves(list[i], args);
        for (int l = 0; l < trace_nleaf(args[list[i]]); l++) d[at++] = true;
    }
    return d;
}

void *jit_copied(const void *p, size_t bytes, bool *ok)
{
    void *c = *ok ? base_heap(bytes ? bytes : 1) : NULL;
    *ok = c != NULL;
    if (c && bytes) memcpy(c, p, bytes);
    return c;
}

typedef struct { base_arena *arena; const ir_fn *from, *copy; } keeping;

static void jit_keep(void *p)
{
    keeping *k = p;
    k->arena = base_open_long();
    k->copy = ir_fn_copy(k->arena, k->from);
}

/* Compiles a trace into an entry with memory of its own. The trace is new, or one that an earlier call recorded for
 * other layouts (`before`). NULL with the error set. */
static jit_entry *compiled(base_site site, trace_fn *f, int n, trace_value *const *args, size_t nkey,
                           const void *const *key, const jit_entry *before, bool kept)
{
    jit_traced t;
    base_arena *a = trace_this()->frame->arena;
    if (before) {
        const trace_closed c = { (ir_fn *)(uintptr_t)before->traced, before->out, before->weak, before->ncaptured,
                                 before->captured };
        if (!jit_infer_layouts(site, f, n, args, &c, &t)) return NULL;
    } else if (!jit_trace(site, f, n, args, &t)) return NULL;
    bool *donate = jit_donated(site, f->key, a, n, args, t.c.ncaptured);
    if (!donate) return NULL;
    t.opts.donate = donate;
    run_site = site;                                     /* while tracing, run_site was set to other lines */
    run_program *p = driver_compile(t.c.fn, &t.opts);
    if (!p) return NULL;
    keeping k = { .from = t.c.fn };
    if (kept && !before && (!base_catch(jit_keep, &k) || !k.copy)) {
        base_close(k.arena);
        driver_release_program(p);
        base_unwind(sizeof k);
    }
    bool ok = pin_reserve(t.c.ncaptured);
    jit_entry *e = jit_copied(&(jit_entry){ 0 }, sizeof *e, &ok);
    if (!e) {
        base_close(k.arena);
        driver_release_program(p);
        base_unwind(sizeof *e);
    }
    e->arena = k.arena, e->traced = k.copy;
    e->program = p;
    e->nkey = nkey;
    e->key = jit_copied(key, nkey * sizeof *key, &ok);
    e->nleaf = fn_leaves(n, args);
    e->nout = (int)t.c.fn->nret;
    e->out = t.c.out;
    e->weak = jit_copied(t.c.weak, (size_t)e->nout, &ok);
    for (int i = 0; i < e->nleaf; i++) e->donates |= donate[i] &= run_plan_of(p)->donated && run_plan_of(p)->donated[i];
    e->consumed = jit_copied(donate, (size_t)(e->nleaf + t.c.ncaptured), &ok);
    e->captured = jit_copied(t.c.captured, (size_t)t.c.ncaptured * sizeof *e->captured, &ok);
    if (!ok) {
        jit_entry_free(e);
        base_unwind(sizeof *e);
    }
    for (; e->ncaptured < t.c.ncaptured; e->ncaptured++) pin_remove(trace_ref(e->captured[e->ncaptured]));
    return e;
}

static jit_entry *missed(base_site site, trace_fn *f, int n, trace_value *const *args, size_t nkey,
                         const void *const *key, bool cached)
{
    const jit_entry *before = cached && f->key->kind == FN_JIT ? find_traced(f, key, nkey, n, args) : NULL;
    if (cached && !before) print_retrace(f, n, args);
    trace_frame *root = trace_root();
    jit_entry *e = compiled(site, f, n, args, nkey, key, before, cached && f->key->kind == FN_JIT);
    if (!e) trace_chain();
    trace_root_close(root);
    if (!e || !cached) return e;
    jit_add(f, e);
    return e;
}

/* ---- launching ---- */

/* Names the i-th leaf of all arguments: "argument 0, params.w". */
static const char *leaf_name(int n, trace_value *const *args, int i)
{
    int a = 0;
    while (a < n && i >= trace_nleaf(args[a])) i -= trace_nleaf(args[a++]);
    const char *const path = a < n ? trace_leaf_path(trace_temp(), args[a]->tree, i) : "";
    if (a == n) return "what the function reads from outside";
    return base_format(trace_temp(), "argument %d%s%s", a, *path ? ", " : "", path);
}

static bool donated_twice(base_site site, int n, trace_value *const *args, int i, int k)
{
    base_fail(TT_ELIFE, site, "a donated value is given twice: as %s and as %s", leaf_name(n, args, i < k ? i : k),
              leaf_name(n, args, i < k ? k : i));
    return base_hint("give the value once, or leave the argument out of .donate");
}

/* Arrays of arguments and captures. made[i]: created by this call, from a C number. */
static bool jit_gather(base_site site, const jit_entry *e, int n, trace_value *const *args, run_array **in, bool *made,
                       int *got)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            trace_value *v = trace_leaf_of(args[i], l);
            made[at] = v->form != TRACE_CONCRETE;
            if (!(in[at] = made[at] ? trace_pin(trace_data(site, v)) : v->array)) return false;
            *got = at + 1;
        }
    for (int i = 0; i < e->ncaptured; i++, at++) {
        trace_value *v = e->captured[i];
        made[at] = v->form != TRACE_CONCRETE;
        if (!(in[at] = made[at] ? trace_pin(trace_data(site, v)) : v->array)) return false;
        *got = at + 1;
    }
    for (int i = 0; e->donates && i < e->nleaf; i++)
        for (int k = 0; e->consumed[i] && k < e->nleaf + e->ncaptured; k++)
            if (k != i && in[k] == in[i]) return donated_twice(site, n, args, i, k);
    return true;
}

static void consume(base_site site, const jit_entry *e, int n, trace_value *const *args, bool *consumed)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            trace_value *v = trace_leaf_of(args[i], l);
            consumed[at] = e->consumed[at] && v->form == TRACE_CONCRETE;
            if (!consumed[at]) continue;
            v->form = TRACE_DONATED;                     /* its reference goes to run_launch */
            v->site = site;
        }
}

/* The results as a value, which owns the references. Leaves are not pinned individually: they are put into the tree at
 * once, and no code in between unwinds. */
static trace_value *jit_result(base_site site, const jit_entry *e, run_array **out)
{
    trace_thread *t = trace_this();
    const bool tree = e->out->kind != TRACE_LEAF;
    const size_t bytes = ((size_t)e->nout + 1) * sizeof(trace_value *);
    bool reserved = pin_reserve(1);
    trace_value *one, **leaf = tree ? base_heap(bytes) : &one, *y = tree ? trace_blank(t, site, TRACE_TREE) : NULL;
    int made = 0;
    for (reserved &= leaf && (y || !tree); reserved && made < e->nout; made++) {
        trace_value *v = leaf[made] = trace_blank(t, site, TRACE_CONCRETE);
        if (!(reserved = v != NULL)) break;
        v->array = out[made];
        v->type = run_type(out[made]);
        v->layout = run_layout(out[made]);
        v->weak = e->weak[made];
        v->tree = trace_leaf_at(e->out, made);
    }
    if (!reserved) {
        for (int j = 0; j < e->nout; j++) j < made ? pin_release(leaf[j]) : run_drop(out[j]);
        if (tree) base_heap_free(leaf), pin_release(y);
        base_unwind(bytes);
    }
    if (!tree) y = one;
    else y->tree = e->out, y->leaf = leaf;
    pin_value(y);
    return y;
}

static trace_value *jit_launch(base_site site, const jit_entry *e, int n, trace_value *const *args)
{
    enum { FEW = 512 };
    const int total = e->nleaf + e->ncaptured;
    run_array *in_few[FEW], *out_few[FEW];
    bool made_few[FEW], consumed_few[FEW], *made = made_few, *consumed = consumed_few;
    run_array **in = in_few, **out = out_few;
    int got = 0;
    if (total > FEW) {
        in = BASE_NEW(trace_temp(), run_array *, total);
        made = BASE_NEW(trace_temp(), bool, total);
        consumed = BASE_NEW(trace_temp(), bool, total);
    }
    if (e->nout > FEW) out = BASE_NEW(trace_temp(), run_array *, e->nout);
    bool ok = jit_gather(site, e, n, args, in, made, &got);
    if (ok) {
        if (!pin_reserve(1)) base_unwind(sizeof *out);   /* nothing is consumed yet */
        memset(consumed, 0, (size_t)total);
        if (e->donates) consume(site, e, n, args, consumed);
        run_site = site;
        ok = run_launch(e->program, in, e->donates ? consumed : NULL, out);
    }
    for (int i = 0; i < got; i++) if (made[i]) trace_drop(in[i]);
    return ok ? jit_result(site, e, out) : NULL;
}

typedef struct { base_site site; const jit_entry *e; int n; trace_value *const *args, *y; } launching;

static void launch_once(void *p)
{
    launching *l = p;
    l->y = jit_launch(l->site, l->e, l->n, l->args);
}

trace_value *jit_run(base_site site, trace_fn *f, int n, trace_value *const *args, bool cached)
{
    const void *few[512], **key = few;
    const size_t most = jit_key_most(n, fn_leaves(n, args));
    if (most > sizeof few / sizeof *few) key = BASE_NEW(trace_temp(), const void *, most);
    const size_t nkey = jit_key(n, args, key);
    trace_thread *t = trace_this();
    const int outside = t->inside;
    if (cached) trace_inside(t);  /* the entry may be evicted, but lives until this thread leaves */
    jit_entry *e = cached ? jit_find(f, key, nkey) : NULL;
    if (e) atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    else e = missed(site, f, n, args, nkey, key, cached);
    if (cached || !e) {
        trace_value *y = e ? jit_launch(site, e, n, args) : NULL;
        trace_outside_to(t, outside);
        return y;
    }
    launching l = { site, e, n, args, NULL };
    const bool ended = base_catch(launch_once, &l);
    jit_entry_free(e);
    if (!ended) base_unwind(sizeof *e);
    return l.y;
}
