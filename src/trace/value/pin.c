/* trace/value/pin.c - pins: the references that the C code of a running call holds, released if the call unwinds.
 *
 * A failed allocation jumps to the public entry past code that has references to values and arrays in its locals. So
 * each reference is pinned when it is taken, and unpinned when it is released or passes into a structure: a slot, a
 * tree, a cache. When an entry unwinds, its pins are released; when an entry returns normally, no pin is left.
 * References of structures are never pinned, and are released by pin_release. A search for a pin starts at the last one
 * taken, or behind the last one removed, so that both orders in which code releases its references are fast. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

enum { ARRAY = 1 };                                      /* tag of a run_array; the others are values */

bool pin_reserve(int n)
{
    trace_thread *t = trace_this();
    if (!t->depth || t->npins + n <= t->pins_cap) return true;
    const int cap = 2 * t->pins_cap + n + 64;
    void *more = base_heap_grow(t->pins, (size_t)t->npins * sizeof *t->pins, (size_t)cap * sizeof *t->pins);
    if (!more) return false;
    t->pins = more;
    t->pins_cap = cap;
    return true;
}

static void pin_note(uintptr_t word)
{
    trace_thread *t = trace_this();
    if (t->depth && t->npins < t->pins_cap) t->pins[t->npins++] = word;
}

static void strike(uintptr_t word)
{
    trace_thread *t = trace_this();
    int i = t->pins_next;
    if (i >= t->npins || t->pins[i] != word) for (i = t->npins; i-- > 0 && t->pins[i] != word;) ;
    if (i < 0) return;                                   /* a reference from before the entry */
    t->pins[i] = 0;
    t->pins_next = i + 1;
    while (t->npins && !t->pins[t->npins - 1]) t->npins--;
}

void pin_value(trace_value *v) { pin_note((uintptr_t)v); }
void pin_remove(const trace_value *v) { strike((uintptr_t)v); }

run_array *trace_pin(run_array *a)
{
    if (a && !pin_reserve(1)) {
        run_drop(a);
        base_unwind(sizeof a);
    }
    if (a) pin_note((uintptr_t)a | ARRAY);
    return a;
}

void trace_unpin(const run_array *a) { if (a) strike((uintptr_t)a | ARRAY); }

void trace_drop(run_array *a)
{
    trace_unpin(a);
    run_drop(a);
}

void pin_release_to(int mark)
{
    trace_thread *t = trace_this();
    while (t->npins > mark) {
        const uintptr_t word = t->pins[--t->npins];
        if (word & ARRAY) run_drop((run_array *)(word - ARRAY));
        else if (word) pin_release((trace_value *)word);
    }
}

void pin_thread_leave(trace_thread *t)
{
    base_heap_free(t->pins);
    t->pins = NULL;
    t->npins = t->pins_cap = 0;
}
