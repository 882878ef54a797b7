/* api/multihost.c - values of one rank and of all ranks: gathering, broadcasting, comparing.
 *
 * The functions of jax.experimental.multihost_utils, leaf by leaf. Without a job there is one rank, and each function
 * gives what it gives for one rank. */
#include "api.h"

#include <string.h>

#include "../wire/wire.h"

/* ---- who holds a value ---- */

static bool for_all(trace_value *x, bool (*is)(const mesh_layout *))
{
    for (int i = 0; x && i < trace_nleaf(x); i++) if (!is(trace_leaf_of(x, i)->layout)) return false;
    return x != NULL;
}

static bool is_replicated(const mesh_layout *l) { return !l || !l->mesh || !mesh_used(l); }

ENTRY1(bool, false, tt_is_fully_addressable, tt_val, v) { return for_all(trace_get(site, v), api_is_local); }
ENTRY1(bool, false, tt_is_fully_replicated, tt_val, v) { return for_all(trace_get(site, v), is_replicated); }

/* ---- values of this rank as bytes ---- */

static size_t bytes_of(const ir_type *t) { return (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes; }

void *api_host_elements(base_site site, trace_value *v, const int64_t *lo, const int64_t *n)
{
    const ir_type *const t = n ? ir_type_of(v->type->dtype, v->type->rank, n) : v->type;
    void *const at = base_new(trace_temp(), bytes_of(t) + 1);
    run_array *const a = trace_pin(trace_data(site, v));
    const bool read = a && run_read(a, lo, n, at);
    trace_drop(a);
    return read ? at : NULL;
}

/* True if all ranks are here with a leaf of the same type. */
static bool same_types(base_site site, const char *what, const ir_type *t)
{
    const char *const text = base_format(trace_temp(), "%s of %s", what, trace_text(t));
    const uint64_t word = base_hash(4, text, strlen(text));
    return wire_agree(NULL, word, wire_turn(), WIRE_MEETING, base_intern(text)) || (base_blame(site), false);
}

trace_value *api_concrete_like(base_site site, run_array *a, const trace_value *like)
{
    trace_value *const y = a ? trace_concrete(site, a, false) : NULL;
    if (y) y->tree = like->tree;
    return y;
}

/* ---- gathering ---- */

static const ir_type *gathered_type(const ir_type *t, int n, bool tiled)
{
    int64_t dim[IR_RANK];
    if (tiled && t->rank) {
        memcpy(dim, t->dim, (size_t)t->rank * sizeof *dim);
        dim[0] *= n;
        return ir_type_of(t->dtype, t->rank, dim);
    }
    dim[0] = n;
    memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
    return ir_type_of(t->dtype, t->rank + 1, dim);
}

/* The array of a mesh without its layout: every rank holds all of it. */
static trace_value *whole(base_site site, trace_value *v)
{
    run_array *const a = trace_pin(trace_data(site, v)), *const all = a ? run_move(a, site, NULL) : NULL;
    trace_drop(a);
    return api_concrete_like(site, all, v);
}

static trace_value *allgather_leaf(base_site site, trace_value *v, const void *env)
{
    const tt_allgather_opts *const o = env;
    const int n = wire_ranks();
    if (v->layout && v->layout->mesh) return whole(site, v);
    if (v->type->rank == IR_RANK && !o->tiled) {
        base_fail(TT_ESHAPE, site, "tt_process_allgather: %s has %d dims, the limit, so there is none for the ranks",
                  trace_text(v->type), IR_RANK);
        return NULL;
    }
    void *const mine = api_host_elements(site, v, NULL, NULL);
    const int64_t bytes = (int64_t)bytes_of(v->type);
    if (!mine || (n > 1 && !same_types(site, "tt_process_allgather", v->type))) return NULL;
    char *const all = base_new(trace_temp(), (size_t)(bytes * n) + 1);
    if (!wire_gather(site, mine, bytes, all, "tt_process_allgather")) return NULL;
    return api_concrete_like(site, run_array_of(gathered_type(v->type, n, o->tiled), NULL, all), v);
}

/* True unless the call is inside a traced function, which is the same on all ranks. */
static bool not_traced(base_site site, const char *what)
{
    if (!trace_top()) return true;
    base_fail(TT_ETRACE, site, "%s: called inside a traced function", what);
    return base_hint("%s sends values at once: call it outside, with arguments or results", what);
}

VAL2(tt_process_allgather, tt_val, v, const tt_allgather_opts *, o)
{
    trace_value *const x = trace_get(site, v);
    if (!x || !API_OPTIONS(site, "tt_process_allgather", tt_allgather_opts, o) ||
        !not_traced(site, "tt_process_allgather"))
        return trace_poison;
    return api_handle(trace_leafwise(site, x, allgather_leaf, o));
}

/* ---- broadcasting, meeting, comparing ---- */

static trace_value *broadcast_leaf(base_site site, trace_value *v, const void *env)
{
    const int source = *(const int *)env;
    if ((v->layout && v->layout->mesh) || wire_ranks() == 1) return trace_ref(v);
    void *const at = api_host_elements(site, v, NULL, NULL);
    const char *const what = base_format(trace_temp(), "tt_broadcast_one_to_all(.source = %d)", source);
    if (!at || !same_types(site, what, v->type)) return NULL;
    if (!wire_broadcast(site, source, at, (int64_t)bytes_of(v->type), "tt_broadcast_one_to_all")) return NULL;
    return api_concrete_like(site, run_array_of(v->type, NULL, at), v);
}

VAL2(tt_broadcast_one_to_all, tt_val, v, const tt_broadcast_opts *, o)
{
    trace_value *const x = trace_get(site, v);
    if (!x || !API_OPTIONS(site, "tt_broadcast_one_to_all", tt_broadcast_opts, o) ||
        !not_traced(site, "tt_broadcast_one_to_all"))
        return trace_poison;
    if (o->source < 0 || o->source >= wire_ranks()) {
        base_fail(TT_EARG, site, "tt_broadcast_one_to_all: .source = %d; ranks are 0 to %d", o->source,
                  wire_ranks() - 1);
        return trace_poison;
    }
    return api_handle(trace_leafwise(site, x, broadcast_leaf, &o->source));
}

ENTRY1(bool, false, tt_sync_global_devices, const char *, name)
{
    if (!name) return base_fail(TT_EARG, site, "tt_sync_global_devices: the name is NULL");
    return wire_meet(site, base_intern(name)) || (base_blame(site), false);
}

/* A hash of the types and bytes of all leaves. 0 with the error set. */
static uint64_t leaves_hash(base_site site, trace_value *x)
{
    uint64_t h = 1;
    for (int i = 0; i < trace_nleaf(x); i++) {
        trace_value *const v = trace_leaf_of(x, i);
        const char *const type = trace_text(v->type), *const path = trace_leaf_path(trace_temp(), x->tree, i);
        const void *const at = api_host_elements(site, v, NULL, NULL);
        if (!at) return 0;
        h = base_hash(h, type, strlen(type));
        h = base_hash(h, path, strlen(path));
        h = base_hash(h, at, bytes_of(v->type));
    }
    return h ? h : 1;
}

typedef struct { uint64_t hash; int64_t bytes; } rank_text;

bool api_same_text(base_site site, const char *what, const char *noun, const char *text, const char *hint)
{
    const int n = wire_ranks();
    const size_t own = strlen(text);
    const rank_text mine = { base_hash(1, text, own), (int64_t)own + 1 };
    rank_text *const all = BASE_NEW(trace_temp(), rank_text, n);
    if (!wire_gather(site, &mine, sizeof mine, all, what)) return false;
    int other = 1;
    while (other < n && all[other].hash == all[0].hash) other++;
    if (other >= n) return true;
    int64_t most = 1;                                    /* the texts themselves are sent for the error alone */
    for (int r = 0; r < n; r++) most = all[r].bytes > most ? all[r].bytes : most;
    char *const texts = base_new(trace_temp(), (size_t)n * (size_t)most), *const at = texts + wire_rank() * most;
    memcpy(at, text, own);
    if (!wire_gather(site, at, most, texts, what)) return false;
    base_fail(TT_ERANK, site, "%s: rank 0 gives %s %s, rank %d %s", what, noun, texts, other, texts + other * most);
    return base_hint("%s", hint);
}

typedef struct { uint64_t value, layout; } rank_value;

bool api_same_everywhere(base_site site, const char *what, trace_value *x, const mesh_layout *to)
{
    const int n = wire_ranks();
    if (n == 1) return true;
    const char *const layout = !to ? "" : base_format(trace_temp(), "\"%s\" over %s", mesh_print(trace_temp(), to),
                                                      mesh_text(trace_temp(), to->mesh));
    const rank_value mine = { leaves_hash(site, x), base_hash(1, layout, strlen(layout)) };
    rank_value *const all = BASE_NEW(trace_temp(), rank_value, n);
    if (!wire_gather(site, &mine, sizeof mine, all, what)) return false;
    for (int r = 1; r < n && mine.value; r++) {
        if (all[r].value == all[0].value) continue;
        base_fail(TT_ERANK, site, "%s: rank %d gives another value than rank 0", what, r);
        trace_cite(x);
        return base_hint("tt_broadcast_one_to_all(v) gives every rank the value of rank 0");
    }
    for (int r = 1; r < n && mine.value; r++)
        if (all[r].layout != all[0].layout)
            return api_same_text(site, what, "the layout", layout,
                                 "all ranks make the same calls in the same order, with the same shapes and layouts");
    return mine.value != 0;
}

ENTRY1(bool, false, tt_assert_equal, tt_val, v)
{
    trace_value *const x = trace_get(site, v);
    return x && not_traced(site, "tt_assert_equal") && api_same_everywhere(site, "tt_assert_equal", x, NULL);
}
