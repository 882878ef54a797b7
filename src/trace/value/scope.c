/* trace/value/scope.c - scopes own the values created in them; a loop iteration is a scope; tt_assign moves a value to
 * its slot's scope.
 *
 * A scope keeps a list of handles. A handle that moved to another scope (assigned, kept) is recognised by its slot's
 * `scope` field, so that moving a handle needs no search; a full list is swept before it grows. Scopes form a stack per
 * thread: closing a scope closes all scopes inside it, so that leaving a loop by break or return leaks nothing. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

static trace_scope *scope_push(trace_thread *t, bool loop) /* NULL: no memory */
{
    trace_scope *s = base_heap(sizeof *s);
    if (!s) return NULL;
    s->serial = trace_serial();
    s->loop = loop;
    s->outer = t->scope;
    return t->scope = s;
}

uint64_t trace_scope_open(bool loop)
{
    trace_thread *t = trace_this();
    /* the program's own scope, so that a loop is inside a scope */
    trace_scope *s = t->scope ? t->scope : scope_push(t, false);
    if (s) s = scope_push(t, loop);
    if (!s) base_unwind(sizeof *s);
    return s->serial;
}

static bool owns(const trace_scope *s, tt_val h)
{
    const trace_slot *slot = trace_slot_at(h.slot);
    return slot && atomic_load_explicit(&slot->born, memory_order_relaxed) == h.born &&
           atomic_load_explicit(&slot->scope, memory_order_relaxed) == s->serial;
}

static void close_one(trace_thread *t)
{
    trace_scope *s = t->scope;
    for (int64_t i = s->n; i-- > 0;) if (owns(s, s->at[i])) trace_slot_free(s->at[i], TRACE_CLOSED);
    for (int64_t i = s->nowned; i-- > 0;) s->owned[i].freed(s->owned[i].p);
    t->scope = s->outer;
    base_heap_free(s->at);
    base_heap_free(s->owned);
    base_heap_free(s);
}

void trace_scope_close(uint64_t scope)
{
    trace_thread *t = trace_this();
    trace_scope *s = t->scope;
    while (s && s->serial != scope) s = s->outer;
    if (!s) return;                                      /* already closed, together with an outer scope */
    while (t->scope != s) close_one(t);
    close_one(t);
}

void trace_scopes_end(void)
{
    trace_thread *t = trace_this();
    while (t->scope) close_one(t);
}

void trace_owned_end(void)
{
    for (trace_scope *s = trace_this()->scope; s; s = s->outer)
        while (s->nowned) {
            const struct trace_owned o = s->owned[--s->nowned];
            o.freed(o.p);
        }
}

/* True if scope s has capacity for one more handle: a full list drops handles that moved or died, and grows if half
 * remain. */
static bool scope_reserve(trace_scope *s)
{
    if (s->n < s->cap) return true;
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) if (owns(s, s->at[i])) s->at[n++] = s->at[i];
    s->n = n;
    if (n < s->cap / 2) return true;
    trace_scope_heavy(s);
    const int64_t cap = 2 * s->cap + 32;
    tt_val *at = base_heap_grow(s->at, (size_t)s->cap * sizeof *at, (size_t)cap * sizeof *at);
    if (!at) return false;
    s->at = at;
    s->cap = cap;
    return true;
}

bool trace_scope_reserve(trace_thread *t) { return (t->scope || scope_push(t, false)) && scope_reserve(t->scope); }

static void add_to(trace_scope *s, tt_val h)
{
    s->at[s->n++] = h;
    atomic_store_explicit(&trace_slot_at(h.slot)->scope, s->serial, memory_order_relaxed);
}

void trace_scope_add(trace_thread *t, tt_val h) { add_to(t->scope, h); }

static trace_scope *scope_of(trace_thread *t, uint64_t serial)
{
    trace_scope *s = t->scope;
    while (s && s->serial != serial) s = s->outer;
    return s;
}

/* The old value moves to the current scope: copies of its handle stay valid until the end of the iteration. What is
 * assigned to such a copy belongs to the scope in which the old value was. */
void trace_assign(base_site site, tt_val *slot, tt_val v)
{
    trace_thread *t = trace_this();
    trace_value *fresh = trace_get(site, v);
    const bool held = trace_peek(*slot) != NULL;
    if (slot->slot == v.slot && slot->born == v.born) return;
    if (!fresh) {                                        /* keep the last valid value: the error explains the failure */
        if (!held) *slot = trace_poison;
        return;
    }
    if (!t->scope && !scope_push(t, false)) base_unwind(sizeof *t->scope);
    const trace_slot *const had = held ? trace_slot_at(slot->slot) : NULL;
    trace_scope *home = had && had->home ? scope_of(t, had->home) : NULL;
    if (held && !home) home = scope_of(t, had->scope);
    const bool kept = held && !had->scope;
    if (!home) {
        home = t->scope;
        while (home->loop && home->outer) home = home->outer;
    }
    if (!scope_reserve(home) || !scope_reserve(t->scope)) base_unwind(sizeof v);
    const tt_val old = *slot;
    *slot = trace_handle(trace_ref(fresh));              /* created in the current scope, then moved to the slot's */
    t->scope->n--;
    add_to(home, *slot);
    if (held && !kept && home != t->scope) {
        trace_slot *const s = trace_slot_at(old.slot);
        s->home = home->serial;
        s->replaced_at = site;
        add_to(t->scope, old);
    }
}

void trace_keep(tt_val h)
{
    trace_slot *s = trace_peek(h) ? trace_slot_at(h.slot) : NULL;
    if (!s) return;
    atomic_store_explicit(&s->scope, 0, memory_order_relaxed);
    s->keeps++;
}

void trace_release(tt_val h)
{
    trace_slot *s = trace_peek(h) ? trace_slot_at(h.slot) : NULL;
    if (s && s->keeps > 0 && --s->keeps == 0) trace_slot_free(h, TRACE_DROPPED);
}

static bool scope_reserve_owned(trace_scope *s)
{
    if (s->nowned < s->owned_cap) return true;
    const int64_t cap = 2 * s->owned_cap + 8;
    struct trace_owned *o = base_heap_grow(s->owned, (size_t)s->owned_cap * sizeof *o, (size_t)cap * sizeof *o);
    if (!o) return false;
    s->owned = o;
    s->owned_cap = cap;
    return true;
}

void trace_own(void *p, void (*freed)(void *))           /* p is freed even on an error */
{
    trace_thread *t = trace_this();
    trace_scope *s = t->scope ? t->scope : scope_push(t, false);
    if (!s || !scope_reserve_owned(s)) {
        freed(p);
        base_unwind(sizeof *s->owned);
    }
    s->owned[s->nowned++] = (struct trace_owned){ p, freed };
}
