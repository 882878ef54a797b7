/* trace/hold.c - what the C code of a call under way holds: its references, so that an unwinding gives them back.
 *
 * A refused allocation jumps to the public entry over code that has references to values and arrays in its locals. So
 * each reference is noted when it is taken, and struck out when it is given back or passes into a structure: a slot, a
 * branch, a cache. What is noted when an entry unwinds is given back there; when an entry ends well nothing is.
 * References of structures are never noted, and given back by hold_release. Notes are struck out from the last one
 * taken, or behind the last one struck out: both orders in which code gives back what it took are quick. */
#include "trace.h"

#include <string.h>

#include "inside.h"

enum { ARRAY = 1 };                                      /* tag of a run_array; the others are values */

bool hold_room(int n)
{
    trace_thread *t = trace_this();
    if (!t->depth || t->nhold + n <= t->hold_cap) return true;
    const int cap = 2 * t->hold_cap + n + 64;
    void *more = base_heap_grow(t->hold, (size_t)t->nhold * sizeof *t->hold, (size_t)cap * sizeof *t->hold);
    if (!more) return false;
    t->hold = more;
    t->hold_cap = cap;
    return true;
}

static void note(uintptr_t word)
{
    trace_thread *t = trace_this();
    if (t->depth && t->nhold < t->hold_cap) t->hold[t->nhold++] = word;
}

static void strike(uintptr_t word)
{
    trace_thread *t = trace_this();
    int i = t->hold_next;
    if (i >= t->nhold || t->hold[i] != word) for (i = t->nhold; i-- > 0 && t->hold[i] != word;) ;
    if (i < 0) return;                                   /* a reference from before the entry */
    t->hold[i] = 0;
    t->hold_next = i + 1;
    while (t->nhold && !t->hold[t->nhold - 1]) t->nhold--;
}

void hold_value(trace_value *v) { note((uintptr_t)v); }
void hold_off(const trace_value *v) { strike((uintptr_t)v); }

run_array *trace_hold(run_array *a)
{
    if (a && !hold_room(1)) {
        run_drop(a);
        base_unwind(sizeof a);
    }
    if (a) note((uintptr_t)a | ARRAY);
    return a;
}

void trace_hold_off(const run_array *a) { if (a) strike((uintptr_t)a | ARRAY); }

void trace_drop(run_array *a)
{
    trace_hold_off(a);
    run_drop(a);
}

void hold_give_back(int mark)
{
    trace_thread *t = trace_this();
    while (t->nhold > mark) {
        const uintptr_t word = t->hold[--t->nhold];
        if (word & ARRAY) run_drop((run_array *)(word - ARRAY));
        else if (word) hold_release((trace_value *)word);
    }
}

void hold_leave(trace_thread *t)
{
    base_heap_free(t->hold);
    t->hold = NULL;
    t->nhold = t->hold_cap = 0;
}
