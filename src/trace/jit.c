/* trace/jit.c - calls at top level of functions that are compiled: traced once per types, kept, launched.
 *
 * The key of a kept trace is, per argument, its structure, and per leaf its type, layout and weakness: interned
 * pointers, so a call of 50 leaves compares 1 kB. An entry holds what the C function read from outside while it was
 * traced (hidden arguments), the program, and how the result is put together. Entries live as long as the process,
 * like functions. grad, vmap and shard_map called at top level are traced anew each time, as C code that runs each
 * time should be; their programs are found again by content. */
#include "trace.h"

#include <stdatomic.h>
#include <string.h>

#include "inside.h"

typedef struct jit_entry {
    struct jit_entry *next;
    size_t nkey;
    const void **key;
    run_program *program;
    int nleaf, ncaught, nout;
    trace_value **caught;                                /* a reference each */
    const trace_tree *out;
    bool *weak, *consumed, donates;
} jit_entry;

static _Atomic int64_t traces, hits;

trace_counts trace_jit_counts(void) { return (trace_counts){ atomic_load(&traces), atomic_load(&hits) }; }

static void entry_free(jit_entry *e)
{
    if (!e) return;
    for (int i = 0; i < e->ncaught; i++) hold_release(e->caught[i]);
    base_heap_free(e->caught);
    base_heap_free(e->key);
    base_heap_free(e->weak);
    base_heap_free(e->consumed);
    base_heap_free(e);
}

static trace_fn *_Atomic users[4096];                    /* functions that have entries, for trace_jit_forget */
static _Atomic int nuser;

void trace_jit_forget(void)
{
    for (int i = 0; i < nuser && i < 4096; i++)
        for (jit_entry *e = atomic_exchange(&users[i]->cache, NULL), *next; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    nuser = 0;
    trace_eager_forget();
}

/* ---- keys ---- */

static const mesh_layout *laid(const trace_value *v)
{
    return v->form == TRACE_HELD || v->form == TRACE_SHAPE ? v->layout : NULL;
}

static size_t key_of(int n, trace_value *const *args, const void **key)
{
    size_t k = 0;
    const bool original = !strcmp(trace_random_layout(), "original"); /* words that functions under trace may read */
    key[k++] = (const void *)(uintptr_t)((base_switch("reproducible") != NULL) + 2 * (base_switch("x64") != NULL) +
                                         4 * original + 8 * run_dry() + 16 * (base_switch("even") != NULL));
    for (int i = 0; i < n; i++) {
        key[k++] = args[i]->tree;
        for (int l = 0; l < trace_nleaf(args[i]); l++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            key[k++] = v->type;
            key[k++] = (const char *)laid(v) + v->weak;
        }
    }
    return k;
}

static jit_entry *find(trace_fn *f, const void *const *key, size_t n)
{
    for (jit_entry *e = atomic_load_explicit(&f->cache, memory_order_acquire); e; e = e->next)
        if (e->nkey == n && !memcmp(e->key, key, n * sizeof *key)) return e;
    return NULL;
}

static void say_why(trace_fn *f, int n, trace_value *const *args)        /* TUTTI=retrace */
{
    const jit_entry *e = atomic_load(&f->cache);
    if (!e || !base_switch("retrace")) return;
    size_t k = 1;
    for (int i = 0; i < n; i++) {
        if (k >= e->nkey || e->key[k++] != args[i]->tree) {
            base_say("retrace %s: argument %d has another structure: %s", fn_name(f), i,
                     trace_tree_text(trace_temp(), args[i]->tree));
            return;
        }
        for (int l = 0; l < trace_nleaf(args[i]); l++, k += 2) {
            const trace_value *v = trace_leaf_of(args[i], l);
            const char *path = trace_leaf_path(trace_temp(), args[i]->tree, l);
            if (k + 1 < e->nkey && e->key[k] == v->type &&
                e->key[k + 1] == (const char *)(v->form == TRACE_HELD ? v->layout : NULL) + v->weak)
                continue;
            base_say("retrace %s: argument %d%s%s is %s%s", fn_name(f), i, *path ? ", leaf " : "", path,
                     trace_type_text(trace_temp(), v), v->weak ? " (weak)" : "");
            return;
        }
    }
    base_say("retrace %s: other arguments than last time", fn_name(f));
}

/* ---- tracing ---- */

const mesh *jit_mesh(const trace_fn *f, int n, trace_value *const *args)
{
    for (const trace_fn *g = f; g; g = g->key->f) if (g->key->mesh) return g->key->mesh;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            if (v->layout && v->layout->mesh) return v->layout->mesh;
        }
    return NULL;
}

/* Layouts of arguments: by .in, else as they come. */
static bool layouts_in(base_site site, const fn_key *k, int n, trace_value *const *args, const mesh_layout **in)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        const char *spec = NULL;
        if (k->kind == FN_JIT && k->in && !(spec = fn_spec_for(site, "tt_jit: .in", k->in, i, n))) return false;
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            in[at] = laid(v);
            if (spec && !(in[at] = mesh_parse(site, k->mesh, v->type->rank, spec))) return trace_cite(v);
            if (spec && base_switch("even") && !mesh_even(site, in[at], v->type->dim)) return trace_cite(v);
        }
    }
    return true;
}

/* Those, and those of what was read from outside. */
static const mesh_layout **layouts_of(base_arena *a, int nleaf, const mesh_layout **in, const trace_closed *c)
{
    const mesh_layout **all = BASE_NEW(a, const mesh_layout *, c->fn->narg + 1);
    for (int i = 0; i < nleaf; i++) all[i] = in[i];
    for (int i = 0; i < c->ncaught; i++) all[nleaf + i] = laid(c->caught[i]);
    return all;
}

/* Of results: by .out; else a leaf with logical axes by the rules; else as they come. */
static bool layouts_out(base_site site, const fn_key *k, base_arena *a, const trace_closed *c, drive_opts *o)
{
    const mesh_layout **out = BASE_NEW(a, const mesh_layout *, c->fn->nret + 1);
    if (k->kind != FN_JIT || !k->mesh || (!k->out && !k->rules)) return true;
    const trace_tree *t = c->out;
    const bool items = k->out && t->kind == TRACE_TUPLE && fn_items(k->out) == t->n;
    for (int i = 0; i < (int)c->fn->nret; i++) {
        const ir_type *const type = c->fn->type[c->fn->ret[i]];
        const int rank = type->rank;
        int item = 0;
        while (items && i >= trace_leaf_from(t, item + 1)) item++;
        const char *spec = k->out ? fn_spec_for(site, "tt_jit: .out", k->out, item, items ? t->n : 1) : NULL;
        const trace_tree *leaf = trace_leaf_at(t, i);
        if (k->out && (!spec || !(out[i] = mesh_parse(site, k->mesh, rank, spec)))) return false;
        if (k->out && base_switch("even") && !mesh_even(site, out[i], type->dim)) return false;
        if (!k->out && leaf->axes && !axes_layout(site, k->mesh, k->rules, leaf->axes, rank, &out[i])) return false;
    }
    o->out = out;
    return true;
}

/* What reports call them: "argument 0, params.up.kernel", "result 1". Interned: a report outlives the trace. */
static void names_of(base_arena *a, int n, trace_value *const *args, const fn_sig *s, const trace_closed *c, drive_opts *o)
{
    const char **in = BASE_NEW(a, const char *, c->fn->narg + 1), **out = BASE_NEW(a, const char *, c->fn->nret + 1);
    base_site *site = BASE_NEW(a, base_site, c->fn->narg + 1);
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const char *path = trace_leaf_path(a, args[i]->tree, l);
            in[at] = base_intern(base_format(a, "argument %d%s%s", i, *path ? ", " : "", path));
            site[at] = s->site[at];
        }
    for (int i = 0; i < c->ncaught; i++, at++) in[at] = "a value from outside", site[at] = c->caught[i]->site;
    for (int j = 0; j < (int)c->fn->nret; j++) {
        const char *path = trace_leaf_path(a, c->out, j);
        out[j] = *path ? base_intern(base_format(a, "result %s", path)) : "the result";
    }
    o->in_name = in, o->out_name = out, o->in_site = site;
}

bool jit_trace(base_site site, trace_fn *f, int n, trace_value *const *args, jit_traced *t)
{
    trace_frame *root = trace_this()->frame;
    const fn_sig s = fn_sig_of(root->arena, n, args);
    memset(t, 0, sizeof *t);
    root->mesh = jit_mesh(f, n, args);
    atomic_fetch_add(&traces, 1);
    if (!layouts_in(site, f->key, n, args, s.layout) || !fn_close(site, f, &s, NULL, &t->c)) return false;
    t->opts.in = layouts_of(root->arena, s.nleaf, s.layout, &t->c);
    t->opts.site = f->key->site;
    names_of(root->arena, n, args, &s, &t->c, &t->opts);
    if (f->key->kind == FN_JIT) t->opts.strict = f->key->length;
    if (f->key->kind == FN_JIT && f->key->flag) t->opts.flags |= DRIVE_REPRODUCIBLE;
    return layouts_out(site, f->key, root->arena, &t->c, &t->opts);
}

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

static void *copied(const void *p, size_t bytes, bool *ok)
{
    void *c = *ok ? base_heap(bytes ? bytes : 1) : NULL;
    *ok = c != NULL;
    if (c && bytes) memcpy(c, p, bytes);
    return c;
}

/* Compiles what was traced into an entry of its own memory. NULL with the error set. */
static jit_entry *compiled(base_site site, trace_fn *f, int n, trace_value *const *args, size_t nkey,
                           const void *const *key)
{
    jit_traced t;
    base_arena *a = trace_this()->frame->arena;
    if (!jit_trace(site, f, n, args, &t)) return NULL;
    bool *donate = jit_donated(site, f->key, a, n, args, t.c.ncaught);
    if (!donate) return NULL;
    t.opts.donate = donate;
    run_program *p = drive_compile(t.c.fn, &t.opts);
    if (!p) return NULL;
    bool ok = hold_room(t.c.ncaught);
    jit_entry *e = copied(&(jit_entry){ 0 }, sizeof *e, &ok);
    if (!e) base_unwind(sizeof *e);
    e->program = p;
    e->nkey = nkey;
    e->key = copied(key, nkey * sizeof *key, &ok);
    e->nleaf = fn_leaves(n, args);
    e->nout = (int)t.c.fn->nret;
    e->out = t.c.out;
    e->weak = copied(t.c.weak, (size_t)e->nout, &ok);
    for (int i = 0; i < e->nleaf; i++) e->donates |= donate[i] &= run_plan_of(p)->given && run_plan_of(p)->given[i];
    e->consumed = copied(donate, (size_t)(e->nleaf + t.c.ncaught), &ok);
    e->caught = copied(t.c.caught, (size_t)t.c.ncaught * sizeof *e->caught, &ok);
    if (!ok) {
        entry_free(e);
        base_unwind(sizeof *e);
    }
    for (; e->ncaught < t.c.ncaught; e->ncaught++) hold_off(trace_ref(e->caught[e->ncaught]));
    return e;
}

static jit_entry *missed(base_site site, trace_fn *f, int n, trace_value *const *args, size_t nkey,
                         const void *const *key, bool cached)
{
    if (cached) say_why(f, n, args);
    trace_frame *root = trace_root();
    jit_entry *e = compiled(site, f, n, args, nkey, key);
    if (!e) trace_chain();
    trace_root_close(root);
    if (!e || !cached) return e;
    e->next = atomic_load(&f->cache);
    if (!e->next) {
        const int i = atomic_fetch_add(&nuser, 1);
        if (i < 4096) users[i] = f;
    }
    while (!atomic_compare_exchange_weak(&f->cache, &e->next, e)) ;
    return e;
}

/* ---- launching ---- */

static bool donated_twice(base_site site, int i)
{
    base_fail(TT_ELIFE, site, "a donated value is given twice (leaf %d of the arguments)", i);
    return base_hint("give it once, or leave it out of .donate");
}

/* Arrays of arguments and captures. made[i]: this call's own, of a C number. */
static bool gather(base_site site, const jit_entry *e, int n, trace_value *const *args, run_array **in, bool *made,
                   int *got)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            trace_value *v = trace_leaf_of(args[i], l);
            made[at] = v->form != TRACE_HELD;
            if (!(in[at] = made[at] ? trace_hold(trace_data(site, v)) : v->held)) return false;
            *got = at + 1;
        }
    for (int i = 0; i < e->ncaught; i++, at++) {
        trace_value *v = e->caught[i];
        made[at] = v->form != TRACE_HELD;
        if (!(in[at] = made[at] ? trace_hold(trace_data(site, v)) : v->held)) return false;
        *got = at + 1;
    }
    for (int i = 0; e->donates && i < e->nleaf; i++)
        for (int k = 0; e->consumed[i] && k < e->nleaf + e->ncaught; k++)
            if (k != i && in[k] == in[i]) return donated_twice(site, i);
    return true;
}

static void consume(base_site site, const jit_entry *e, int n, trace_value *const *args, bool *consumed)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            trace_value *v = trace_leaf_of(args[i], l);
            consumed[at] = e->consumed[at] && v->form == TRACE_HELD;
            if (!consumed[at]) continue;
            v->form = TRACE_GONE;                        /* its reference goes to run_launch */
            v->site = site;
        }
}

static trace_value *result(base_site site, const jit_entry *e, run_array **out)
{
    for (int j = 0; j < e->nout; j++) trace_hold(out[j]);        /* there is room */
    enum { FEW = 512 };
    trace_value *few[FEW], **leaf = e->nout <= FEW ? few : BASE_NEW(trace_temp(), trace_value *, e->nout);
    for (int j = 0; j < e->nout; j++) {
        leaf[j] = trace_held(site, out[j], e->weak[j]);
        leaf[j]->tree = trace_leaf_at(e->out, j);
    }
    if (e->out->kind == TRACE_LEAF) return leaf[0];
    trace_value *y = trace_branch(site, e->out, leaf);
    for (int j = 0; j < e->nout; j++) trace_unref(leaf[j]);
    return y;
}

static trace_value *launch(base_site site, const jit_entry *e, int n, trace_value *const *args)
{
    enum { FEW = 512 };
    const int total = e->nleaf + e->ncaught;
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
    bool ok = gather(site, e, n, args, in, made, &got);
    if (ok) {
        if (!hold_room(e->nout)) base_unwind((size_t)e->nout * sizeof *out);
        memset(consumed, 0, (size_t)total);
        if (e->donates) consume(site, e, n, args, consumed);
        ok = run_launch(e->program, in, e->donates ? consumed : NULL, out);
    }
    for (int i = 0; i < got; i++) if (made[i]) trace_drop(in[i]);
    return ok ? result(site, e, out) : NULL;
}

typedef struct { base_site site; const jit_entry *e; int n; trace_value *const *args, *y; } launching;

static void launch_once(void *p)
{
    launching *l = p;
    l->y = launch(l->site, l->e, l->n, l->args);
}

trace_value *jit_run(base_site site, trace_fn *f, int n, trace_value *const *args, bool cached)
{
    const void *few[512], **key = few;
    const size_t most = 1 + (size_t)n + 2 * (size_t)fn_leaves(n, args);
    if (most > sizeof few / sizeof *few) key = BASE_NEW(trace_temp(), const void *, most);
    const size_t nkey = key_of(n, args, key);
    jit_entry *e = cached ? find(f, key, nkey) : NULL;
    if (e) atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    else if (!(e = missed(site, f, n, args, nkey, key, cached))) return NULL;
    if (cached) return launch(site, e, n, args);
    launching l = { site, e, n, args, NULL };
    const bool ended = base_catch(launch_once, &l);
    entry_free(e);
    if (!ended) base_unwind(sizeof *e);
    return l.y;
}
