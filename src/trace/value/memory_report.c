/* trace/value/memory_report.c - finds the lines at which most of a thread's arrays were created.
 *
 * A loop of plain C opens no scope: values created in its iterations belong to the surrounding scope, so such a program
 * can fill the memory. Therefore
 * (a) a scope that is not a loop's reports once when very many values from one line are in it;
 * (b) when an allocation fails, the error names the line that requested the memory, the line that holds most, and the
 *     remedy.
 * No function here allocates memory. */
#include "../trace.h"

#include <stdatomic.h>
#include <stdint.h>

#include "../inner.h"

enum { LINES = 256, MANY = 100000, FEW = 30 };
static const size_t much = (size_t)1 << 30;
typedef struct { base_site site; int64_t n, bytes; } holder;

static int64_t memory_report_bytes_of(const trace_value *v)
{
    int64_t bytes = 0;
    if (v->form == TRACE_CONCRETE) return run_array_bytes(v->array);
    for (int i = 0; v->form == TRACE_TREE && i < v->tree->nleaf; i++)
        if (v->leaf[i]->form == TRACE_CONCRETE) bytes += run_array_bytes(v->leaf[i]->array);
    return bytes;
}

/* Adds the values that a scope owns to the lines where they were created; lines beyond the table's capacity are
 * skipped. */
static void memory_report_add(holder *line, const trace_scope *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const trace_slot *slot = trace_slot_at(s->at[i].slot);
        const trace_value *v = slot && slot->born == s->at[i].born && slot->scope == s->serial ? slot->value : NULL;
        if (!v || (v->form != TRACE_CONCRETE && v->form != TRACE_TREE)) continue;
        size_t k = (uintptr_t)slot->born_at / 16 % LINES;
        for (int tries = 0; tries < 8 && line[k].n && line[k].site != slot->born_at; tries++) k = (k + 1) % LINES;
        if (line[k].n && line[k].site != slot->born_at) continue;
        line[k].site = slot->born_at;
        line[k].n++;
        line[k].bytes += memory_report_bytes_of(v);
    }
}

static const holder *largest(const holder *line)
{
    const holder *most = line;
    for (int i = 1; i < LINES; i++)
        if (line[i].bytes > most->bytes || (line[i].bytes == most->bytes && line[i].n > most->n)) most = &line[i];
    return most;
}

static const char *const way_out = "values live till the scope they were born in ends, and a loop of C is none: "
    "write for (tt_loop it = tt_steps(n); tt_next(&it);), or tt_scope_open() and tt_scope_close() around its body; "
    "what is to live longer takes tt_assign";

void trace_scope_heavy(const trace_scope *s)
{
    static _Atomic bool said;
    if (s->n < FEW || s->loop || trace_top() || (s->n < MANY && base_live_bytes() < much) || atomic_load(&said)) return;
    holder line[LINES] = { { 0 } };
    memory_report_add(line, s);
    const holder *h = largest(line);
    if (h->n < FEW || (h->n < MANY && h->bytes < (int64_t)much) || atomic_exchange(&said, true)) return;
    base_log("note: %lld values, %.1f GB, are alive from %s", (long long)h->n, (double)h->bytes / 1e9,
             h->site ? h->site : "one line");
    base_log("note: %s", way_out);
}

/* For a failed allocation: adds to the error the requesting line and the line that holds most. */
void trace_out_of_memory(base_site site)
{
    holder line[LINES] = { { 0 } };
    bool plain = false;
    base_blame(site);
    for (const trace_scope *s = trace_this()->scope; s; s = s->outer) memory_report_add(line, s);
    const holder *h = largest(line);
    for (const trace_scope *s = trace_this()->scope; s; s = s->outer) plain |= !s->loop && s->n >= FEW;
    if (h->bytes) base_also(NULL, "most memory of this thread: %lld value%s, %.3f GB, from %s", (long long)h->n,
                            h->n == 1 ? "" : "s", (double)h->bytes / 1e9, h->site ? h->site : "an unknown line");
    if (plain && h->n >= FEW) base_hint("%s", way_out);
    else base_hint("smaller batches, tt_remat, or devices to share it (tt_shard); TUTTI=plan shows what a call needs");
}
