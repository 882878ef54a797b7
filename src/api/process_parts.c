/* api/process_parts.c - services for rooms that save, load or assemble the arrays of all processes of a job: parts of
 * arrays, boxes brought to one process, agreements, bytes. */
#include "api.h"

#include "../wire/wire.h"

#include <string.h>

_Static_assert((int)TT_PART_RANK == (int)IR_RANK, "a part has all dims");

ENTRY4(int64_t, -1, tt_process_parts, tt_val, v, int64_t, turn, int64_t, capacity, tt_part *, out)
{
    trace_value *const x = trace_array(site, "tt_process_parts", v);
    if (!x) return -1;
    if (turn < 0 || capacity < 0 || (capacity && !out)) {
        base_fail(TT_EARG, site, "tt_process_parts: turn %lld, capacity %lld%s; expected 0 or more%s", (long long)turn,
                  (long long)capacity, out ? "" : ", the list NULL", out ? "" : ", and a list of that many parts");
        return -1;
    }
    const int64_t n = run_parts(x->type, x->layout, turn, 0, NULL), most = n < capacity ? n : capacity;
    run_part *const part = most > 0 ? BASE_NEW(trace_temp(), run_part, most) : NULL;
    if (part) run_parts(x->type, x->layout, turn, most, part);
    for (int64_t i = 0; part && i < most; i++) {
        out[i] = (tt_part){ .process = part[i].rank, .here = part[i].here };
        memcpy(out[i].lo, part[i].lo, sizeof out[i].lo);
        memcpy(out[i].n, part[i].n, sizeof out[i].n);
    }
    return n;
}

/* True if the boxes lie in the array and go to processes of the job; else sets the error. */
static bool good_boxes(base_site site, const trace_value *x, int64_t n, const tt_part *box)
{
    for (int64_t i = 0; i < n; i++) {
        if (box[i].process < 0 || box[i].process >= wire_ranks())
            return base_fail(TT_EARG, site, "tt_process_collect: box %lld goes to rank %d; ranks are 0 to %d",
                             (long long)i, box[i].process, wire_ranks() - 1);
        for (int d = 0; d < x->type->rank; d++)
            if (box[i].lo[d] < 0 || box[i].n[d] < 0 || box[i].n[d] > x->type->dim[d] - box[i].lo[d])
                return base_fail(TT_EARG, site, "tt_process_collect: dim %d has %lld elements; %lld from %lld on were "
                                 "requested", d, (long long)x->type->dim[d], (long long)box[i].n[d],
                                 (long long)box[i].lo[d]);
    }
    return true;
}

ENTRY4(bool, false, tt_process_collect, tt_val, v, int64_t, n, const tt_part *, box, void *const *, to)
{
    trace_value *const x = trace_array(site, "tt_process_collect", v);
    if (!x) return false;
    if (n < 0 || (n && (!box || !to)))
        return base_fail(TT_EARG, site, n < 0 ? "tt_process_collect: %lld boxes; expected 0 or more"
                                            : "tt_process_collect: %lld boxes, and the list of %s is NULL",
                                                (long long)n,
                         box ? "buffers" : "boxes");
    if (!good_boxes(site, x, n, box)) return trace_cite(x);
    run_array *const a = trace_data(site, x);
    run_part *const part = a && n ? BASE_NEW(trace_temp(), run_part, n) : NULL;
    for (int64_t i = 0; part && i < n; i++) {
        part[i].rank = box[i].process;
        memcpy(part[i].lo, box[i].lo, sizeof part[i].lo);
        memcpy(part[i].n, box[i].n, sizeof part[i].n);
    }
    const bool ok = a && run_collect(a, site, n, part, to);
    run_drop(a);
    return ok;
}

/* ---- agreements ---- */

/* What a process sends to all; hash: of the text that is to be the same. */
typedef struct { char where[188]; uint64_t hash; int32_t code; } word;

/* True if no rank has an error; else the error of the lowest of these ranks is set where there is none. */
static bool none_failed(base_site site, const char *what, const word *all, const tt_agreement *mine)
{
    int first = 0;
    while (first < wire_ranks() && !all[first].code) first++;
    if (first == wire_ranks()) return true;
    char text[1024] = "";
    if (first == wire_rank()) base_snprintf(text, sizeof text, "%s", mine->text ? mine->text : "an error");
    if (!wire_broadcast(site, first, text, sizeof text, what)) return false;
    text[sizeof text - 1] = '\0';
    if (mine->code) return false;
    return base_fail((tt_code)all[first].code, site, "rank %d: %s", first, text);
}

/* Sets the error of texts that differ: what two ranks have from a little before the first difference on. */
static bool differ(base_site site, const char *what, const word *all, const char *same)
{
    enum { TEXT = 1024, BEFORE = 24, SHOWN = 120 };
    const int me = wire_rank();
    int r = 0;
    size_t at = 0;
    while (all[r].hash == all[me].hash) r++;
    char *const text = base_heap((size_t)wire_ranks() * TEXT), mine[TEXT];
    if (!text) base_unwind((size_t)wire_ranks() * TEXT);
    memset(mine, 0, sizeof mine);
    base_snprintf(mine, sizeof mine, "%s", same);
    bool good = wire_gather(site, mine, TEXT, text, what);
    const char *const other = text + (size_t)r * TEXT;
    if (good && other[TEXT - 1]) good = base_fail(TT_ERANK, site, "%s: a damaged text of rank %d", what, r);
    while (good && mine[at] && mine[at] == other[at]) at++;
    const size_t from = at > BEFORE && (strlen(mine) > SHOWN || strlen(other) > SHOWN) ? at - BEFORE : 0;
    const char *const cut = from ? "..." : "";
    if (good && !mine[at] && !other[at])
        base_fail(TT_ERANK, site, "%s: rank %d has another text than rank %d, behind its first %d bytes", what, me, r,
                  TEXT - 1);
    else if (good)
        base_fail(TT_ERANK, site, "%s: rank %d has \"%s%.*s\", rank %d \"%s%.*s\"", what, me, cut, SHOWN, mine + from,
                  r, cut, SHOWN, other + from);
    base_heap_free(text);
    return false;
}

static bool all_agreed(base_site site, const char *what, const word *all, const tt_agreement *mine)
{
    const int me = wire_rank();
    for (int r = 0; r < wire_ranks(); r++) {
        if (!strncmp(all[r].where, all[me].where, sizeof all[r].where)) continue;
        base_fail(TT_ERANK, site, "rank %d is at \"%s\", rank %d at \"%.*s\"", me, all[me].where, r,
                  (int)sizeof all[r].where - 1, all[r].where);
        return base_hint("all ranks make the same calls in the same order");
    }
    if (!none_failed(site, what, all, mine)) return false;
    for (int r = 0; r < wire_ranks(); r++)
        if (all[r].hash != all[me].hash) return differ(site, what, all, mine->same ? mine->same : "");
    return true;
}

ENTRY2(bool, false, tt_process_agree, const char *, what, const tt_agreement *, mine)
{
    if (!what || !mine) return base_fail(TT_EARG, site, "tt_process_agree: %s is NULL", what ? "mine" : "what");
    if (!(mine->patience >= 0))
        return base_fail(TT_EARG, site, "%s: a patience of %g seconds; expected 0 or more", what, mine->patience);
    if (!wire_now()) return mine->code == TT_OK;
    const double patience = wire_patience();
    const char *const same = mine->same ? mine->same : "";
    const size_t n = strlen(same);
    word me = { .code = (int32_t)mine->code, .hash = base_hash(1, same, n) };
    word *const all = base_heap((size_t)wire_ranks() * sizeof *all);
    if (!all) return false;
    base_snprintf(me.where, sizeof me.where, "%s at %s", what, site ? site : "an unknown line");
    if (mine->patience > patience) wire_set_patience(mine->patience);
    const bool good = wire_gather(site, &me, sizeof me, all, what) && all_agreed(site, what, all, mine);
    wire_set_patience(patience);
    base_heap_free(all);
    return good;
}

/* ---- bytes ---- */

ENTRY4(bool, false, tt_gather_bytes, const char *, what, const void *, mine, size_t, n, void *, all)
{
    if (what && (!n || (mine && all))) return !n || wire_gather(site, mine, (int64_t)n, all, what);
    return base_fail(TT_EARG, site, "tt_gather_bytes: %s is NULL", !what ? "what" : mine ? "all" : "mine");
}

ENTRY4(bool, false, tt_broadcast_bytes, const char *, what, int, from, void *, at, size_t, n)
{
    if (!what || (n && !at)) return base_fail(TT_EARG, site, "tt_broadcast_bytes: %s is NULL", what ? "at" : "what");
    if (from < 0 || from >= wire_ranks())
        return base_fail(TT_EARG, site, "tt_broadcast_bytes: there is no rank %d", from);
    return !n || wire_broadcast(site, from, at, (int64_t)n, what);
}

int tt_process_on_host(void)
{
    const wire_engine *const e = wire_now();
    int n = 0;
    for (int r = 0; e && r < e->me; r++) n += e->host_of[r] == e->host_of[e->me];
    return n;
}
