/* trace/value/value.c - handles and the objects behind them.
 *
 * The table of slots is process-wide and never moves: chunks of slots, indexed by number. A handle is live while its
 * generation equals its slot's; freeing increments the generation, so a stale handle is detected until 2^32 reuses have
 * passed. Freed slots queue up per thread and the oldest is reused, so that a slot remembers for a while where its last
 * value was created and why it died, for error messages. Objects are counted. Handles, trees and caches hold
 * references; a scope frees its handles. */
#include "../trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../inner.h"

enum { CHUNK = 1024, CHUNKS = 1 << 16, FRESH = 64, QUARANTINE = 512 };

const tt_val trace_poison = { UINT32_MAX - 1, 1 };       /* tt_poison of tutti.h */

static trace_slot *_Atomic chunk[CHUNKS];
static _Atomic uint32_t nslot = FRESH;                   /* the first few are never used: slot 0 is "none" */
static _Atomic int64_t live;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER; /* slots of threads that ended */
static uint32_t left_first, left_last;
static int64_t left_n;

/* ---- slots ---- */

trace_slot *trace_slot_at(uint32_t i)
{
    trace_slot *c = i / CHUNK < CHUNKS ? atomic_load_explicit(&chunk[i / CHUNK], memory_order_acquire) : NULL;
    return c ? &c[i % CHUNK] : NULL;
}

static bool open_chunk(uint32_t i)                       /* allocates slot i's chunk if necessary */
{
    trace_slot *none = NULL, *c;
    if (i / CHUNK >= CHUNKS) return false;
    if (atomic_load(&chunk[i / CHUNK])) return true;
    if (!(c = base_heap(CHUNK * sizeof *c))) return false;
    for (uint32_t k = 0; k < CHUNK; k++) atomic_init(&c[k].born, (i / CHUNK * CHUNK + k) * 2654435761u | 1);
    if (!atomic_compare_exchange_strong(&chunk[i / CHUNK], &none, c)) base_heap_free(c);
    return true;
}

static void push_free(trace_thread *t, uint32_t i)
{
    trace_slot_at(i)->next = 0;
    if (t->free_last) trace_slot_at(t->free_last)->next = i;
    else t->free_first = i;
    t->free_last = i;
    t->nfree++;
}

static uint32_t new_slot(trace_thread *t)                /* 0: no memory */
{
    if (t->nfree < QUARANTINE) {
        pthread_mutex_lock(&left);
        if (left_first) {
            if (t->free_last) trace_slot_at(t->free_last)->next = left_first;
            else t->free_first = left_first;
            t->free_last = left_last;
            t->nfree += left_n;
            left_first = left_last = 0;
            left_n = 0;
        }
        pthread_mutex_unlock(&left);
    }
    if (t->nfree < QUARANTINE) {
        const uint32_t first = atomic_fetch_add(&nslot, FRESH);
        const bool more = open_chunk(first);             /* FRESH divides CHUNK */
        for (uint32_t k = 0; more && k < FRESH; k++) push_free(t, first + k);
    }
    const uint32_t i = t->free_first;
    if (!i) return 0;
    if (!(t->free_first = trace_slot_at(i)->next)) t->free_last = 0;
    t->nfree--;
    return i;
}

void trace_slots_leave(trace_thread *t)                  /* the thread ends: other threads take its free slots */
{
    pthread_mutex_lock(&left);
    if (t->free_first) {
        if (left_last) trace_slot_at(left_last)->next = t->free_first;
        else left_first = t->free_first;
        left_last = t->free_last;
        left_n += t->nfree;
    }
    pthread_mutex_unlock(&left);
    t->free_first = t->free_last = 0;
    t->nfree = 0;
}

tt_val trace_handle(trace_value *v)
{
    trace_thread *t = trace_this();
    const uint32_t i = trace_scope_reserve(t) ? new_slot(t) : 0;
    if (!i) {
        trace_unref(v);
        base_unwind(sizeof(trace_slot));
    }
    trace_slot *s = trace_slot_at(i);
    pin_remove(v);
    s->value = v;
    s->born_at = v->site;
    s->replaced_at = NULL;
    s->home = 0;
    s->keeps = 0;
    const tt_val h = { i, s->born };
    trace_scope_add(t, h);
    atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return h;
}

void trace_slot_free(tt_val h, trace_death why)
{
    trace_slot *s = trace_slot_at(h.slot);
    trace_value *v = s->value;
    s->value = NULL;
    s->death = why;
    atomic_store_explicit(&s->scope, 0, memory_order_relaxed);
    atomic_store_explicit(&s->born, h.born + 1 ? h.born + 1 : 1, memory_order_relaxed);
    push_free(trace_this(), h.slot);
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    pin_release(v);
}

int64_t trace_live(void) { return atomic_load(&live); }

trace_value *trace_peek(tt_val h)
{
    const trace_slot *s = trace_slot_at(h.slot);
    return s && s->born == h.born ? s->value : NULL;
}

/* ---- reading handles ---- */

static trace_value *gone(base_site site, const trace_value *v)
{
    base_fail(TT_ELIFE, site, "value was donated at %s", v->site ? v->site : "an unknown line");
    base_hint("a donated value is consumed: use the result of that call, or leave the argument out of .donate");
    return NULL;
}

static trace_value *dead(base_site site, tt_val h)
{
    const trace_slot *s = trace_slot_at(h.slot);
    if (h.slot == trace_poison.slot && h.born == trace_poison.born) {
        if (!base_failed())
            base_fail(TT_ELIFE, site, "value of a call that failed"),
                base_hint("the error of that call was cleared by tt_clear()");
        return NULL;
    }
    if (!h.slot) {
        base_fail(TT_ELIFE, site, "no value: this tt_val is empty");
        base_hint("a tt_val = {0} must be assigned before it is used");
    } else if (s && s->born == h.born + 1 && s->death == TRACE_DROPPED) {
        base_fail(TT_ELIFE, site, "value used after tt_drop");
        base_also(s->born_at, "created at");
    } else if (s && s->born == h.born + 1) {
        base_fail(TT_ELIFE, site, "value used after its scope closed");
        base_also(s->born_at, "created at");
        if (s->replaced_at) {
            base_also(s->replaced_at, "replaced at");
            base_hint("after b = a, tt_assign(&a, ...) ends the value of both; b has its own by tt_assign(&b, a)");
            return NULL;
        }
        base_hint("a value outlives its scope by tt_assign or tt_keep");
    } else {
        base_fail(TT_ELIFE, site,
                  s ? "value used after its scope closed, or never set" : "no value: this tt_val was never set");
        base_hint(s ? "a value outlives its scope by tt_assign or tt_keep; an empty one begins as tt_val v = {0}"
                    : "begin an empty one as tt_val v = {0}");
    }
    return NULL;
}

bool trace_is_live(base_site site, const char *what, tt_val alive)
{
    const trace_slot *s = trace_slot_at(alive.slot);
    if (trace_peek(alive)) return true;
    base_fail(TT_ELIFE, site, "%s: used after its scope closed", what);
    if (s && s->born == alive.born + 1) base_also(s->born_at, "created at");
    base_hint("such a handle ends with the scope, the loop's iteration or the module in which it was created");
    return false;
}

trace_value *trace_get_any(base_site site, tt_val h)
{
    trace_value *v = trace_peek(h);
    if (!v) return dead(site, h);
    return v->form == TRACE_DONATED ? gone(site, v) : v;
}

bool trace_is_alive(base_site site, const trace_value *v, int from, int n)
{
    for (int i = from; v->form == TRACE_TREE && i < from + n; i++)
        if (v->leaf[i]->form == TRACE_DONATED) return gone(site, v->leaf[i]);
    return true;
}

trace_value *trace_get(base_site site, tt_val h)
{
    trace_value *v = trace_get_any(site, h);
    return v && trace_is_alive(site, v, 0, v->tree->nleaf) ? v : NULL;
}

trace_value *trace_array(base_site site, const char *what, tt_val h)
{
    trace_value *v = trace_get(site, h);
    if (v && !v->type) {
        base_fail(TT_ETREE, site, "%s takes an array, not the tree %s", what, trace_tree_text(trace_temp(), v->tree));
        trace_cite(v);
        base_hint("take a leaf with tt_get or tt_item, or map over the leaves with tt_tree_map");
        return NULL;
    }
    return v;
}

int trace_count(const tt_val *list)
{
    int n = 0;
    while (!trace_is_end(list[n])) n++;
    return n;
}

/* ---- objects ---- */

static trace_value *fresh_or_null(base_site site, trace_form form)
{
    trace_value *v = pin_reserve(1) ? trace_blank(trace_this(), site, form) : NULL;
    if (v) pin_value(v);
    return v;
}

static trace_value *value_fresh(base_site site, trace_form form)
{
    trace_value *v = fresh_or_null(site, form);
    if (!v) base_unwind(sizeof *v);
    return v;
}

trace_value *trace_ref(trace_value *v)
{
    if (!pin_reserve(1)) base_unwind(sizeof v);
    pin_value(v);
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

void trace_unref(trace_value *v)
{
    if (v) pin_remove(v);
    pin_release(v);
}

trace_value *trace_concrete(base_site site, run_array *held, bool weak)
{
    trace_value *v = fresh_or_null(site, TRACE_CONCRETE);
    if (!v) {
        trace_drop(held);
        base_unwind(sizeof *v);
    }
    trace_unpin(held);
    v->array = held;
    v->type = run_type(held);
    v->layout = run_layout(held);
    v->weak = weak;
    v->tree = trace_leaf(NULL, false);
    return v;
}

trace_value *trace_number(base_site site, tt_dtype dtype, double real, int64_t whole)
{
    const ir_type *type = ir_type_of(dtype, 0, NULL);    /* may unwind, before any reference is taken */
    trace_value *v = value_fresh(site, TRACE_NUMBER);
    v->type = type;
    v->tree = trace_leaf(NULL, false);
    v->weak = dtype != TT_BOOL;
    v->integer = !ir_is_float(dtype) && ir_dtype_of(dtype)->cls != IR_COMPLEX_CLASS;
    if (v->integer) v->i64 = whole;
    else v->real = real;
    return v;
}

trace_value *trace_abstract(base_site site, const ir_type *type, const mesh_layout *layout, bool weak)
{
    trace_value *v = value_fresh(site, TRACE_ABSTRACT);
    v->type = type;
    v->layout = layout;
    v->weak = weak;
    v->tree = trace_leaf(NULL, false);
    return v;
}

trace_value *trace_traced_in(base_site site, uint64_t frame, ir_id id, const ir_type *type, bool weak)
{
    trace_value *v = value_fresh(site, TRACE_TRACED);
    v->frame = frame;
    v->id = id;
    v->type = type;
    v->weak = weak;
    v->tree = trace_leaf(NULL, false);
    return v;
}

trace_value *trace_as(trace_value *v, base_site site, const trace_tree *leaf)
{
    if (v->tree == leaf) return trace_ref(v);
    trace_value *c = value_fresh(site, v->form);
    const uint32_t one = 1;
    memcpy((char *)c + sizeof c->refs, (char *)v + sizeof v->refs, sizeof *c - sizeof c->refs);
    c->refs = one;
    c->tree = leaf;
    c->site = site ? site : v->site;
    if (c->form == TRACE_CONCRETE) run_keep(c->array);
    return c;
}

trace_value *trace_tree_value(base_site site, const trace_tree *tree, trace_value *const *leaf)
{
    if (tree->kind == TRACE_LEAF) return trace_as(leaf[0], leaf[0]->site, tree);
    trace_value *v = value_fresh(site, TRACE_TREE);
    trace_value **own = base_heap(((size_t)tree->nleaf + 1) * sizeof *own);
    v->tree = trace_leaf(NULL, false);
    if (!own) {
        v->form = TRACE_ABSTRACT;
        trace_unref(v);
        base_unwind(((size_t)tree->nleaf + 1) * sizeof *own);
    }
    v->tree = tree;
    v->leaf = own;
    for (int i = 0; i < tree->nleaf; i++) {
        own[i] = trace_as(leaf[i], leaf[i]->site, trace_leaf_at(tree, i));
        pin_remove(own[i]);
    }
    return v;
}

trace_value *trace_sub(trace_value *v, base_site site, const trace_tree *t, int from)
{
    if (t == v->tree) return trace_ref(v);
    return trace_tree_value(site, t, &v->leaf[from]);
}

/* ---- texts ---- */

const char *trace_text(const ir_type *t)
{
    const char *s = t->vary || t->partial ? ir_type_text_on(trace_temp(), trace_mesh(trace_top()), t)
                                          : ir_type_text(trace_temp(), t);
    return t->rank || strchr(s, '[') ? s
                                     : base_format(trace_temp(), "%s[]%s", ir_dtype_of(t->dtype)->name,
                                                   s + strlen(ir_dtype_of(t->dtype)->name));
}

const char *trace_type_text(base_arena *a, const trace_value *v)
{
    if (!v->type)
        return base_format(a, "%s of %d lea%s", v->tree->tag ? v->tree->tag : "tree", v->tree->nleaf,
                           v->tree->nleaf == 1 ? "f" : "ves");
    const ir_type *t = v->type;
    if (!v->layout) return trace_text(t);
    base_text s = { .arena = a };
    const mesh_layout *l = v->layout;
    base_appendf(&s, "%s[", ir_dtype_of(t->dtype)->name);
    for (int d = 0; d < t->rank; d++) {
        const mesh_layout one = { .mesh = l->mesh, .rank = 1, .dim = &l->dim[d] };
        base_appendf(&s, "%s%lld", d ? ", " : "", (long long)t->dim[d]);
        if (l->dim[d].atoms) base_appendf(&s, "@%s", mesh_print(a, &one));
    }
    base_appendf(&s, "]");
    if (l->partial) base_appendf(&s, "+%s(%s)", mesh_reduce_name[l->reduce], mesh_set_text(a, l->mesh, l->partial));
    return s.s;
}

bool trace_cite(const trace_value *v) { return base_also(v->site, "%s", trace_type_text(trace_temp(), v)); }
