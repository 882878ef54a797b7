/* trace/call/map.c - vmap inside a trace: the function is traced on one element (mapped dims removed, a name bound),
 * and transform_vmap adds the dim.
 *
 * Also the positions of mapped dims ("0; _"), shared with pmap: one position per argument or result, `_` for values
 * that are not mapped. */
#include "../trace.h"

#include <ctype.h>
#include <string.h>

#include "../inner.h"

/* ---- positions: "0; _; 1" ---- */

/* Sets place[i] for n values. The default is 0; a single item is for all values. */
bool map_dims(base_site site, const char *what, const char *text, int n, int *place)
{
    for (int i = 0; i < n; i++) {
        place[i] = 0;
        if (!text) continue;
        const char *s = fn_spec_for(site, what, text, i, n), *p = s;
        if (!s) return false;
        int k = 0;
        while (isdigit((unsigned char)*p) && p - s < 3) k = 10 * k + (*p++ - '0');
        if (!strcmp(s, "_")) k = MAP_NONE;
        else if (p == s || *p) {
            base_fail(TT_ESPEC, site, "%s takes the number of the mapped dim, or _: not \"%s\"", what, s);
            base_caret(text, (size_t)(strstr(text, s) - text));
            return base_hint(
                "\"0; _\": the first argument is mapped along dim 0, the second not; specs of mesh axes are for "
                "tt_shard_map");
        }
        place[i] = k;
    }
    return true;
}

/* The size of the mapped dim, the same in all mapped leaves. MAP_ERROR: an error is set; MAP_NONE: no leaf is
 * mapped. */
int64_t map_size(base_site site, const char *what, int n, trace_value *const *args, const int *place)
{
    int64_t size = MAP_NONE;
    int first = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; place[i] != MAP_NONE && l < trace_nleaf(args[i]); l++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            const char *path = trace_leaf_path(trace_temp(), args[i]->tree, l);
            if (place[i] >= v->type->rank) {
                base_fail(TT_ESHAPE, site, "%s: argument %d%s%s is %s, which has no dim %d to map", what, i,
                          *path ? ", leaf " : "", path, trace_type_text(trace_temp(), v), place[i]);
                trace_cite(v);
                base_hint("give _ in .in for an argument that is the same for all");
                return MAP_ERROR;
            }
            const int64_t here = v->type->dim[place[i]];
            if (size >= 0 && here != size) {
                base_fail(TT_ESHAPE, site, "%s: mapped dims differ: %lld in argument %d and %lld in argument %d",
                          what, (long long)size, first, (long long)here, i);
                trace_cite(trace_leaf_of(args[first], 0));
                trace_cite(v);
                return MAP_ERROR;
            }
            if (size < 0) first = i;
            size = here;
        }
    return size;
}

ir_id map_to_front(ir_build *b, ir_id x, int from) { return from > 0 ? op_move(b, x, from, 0) : x; }

const ir_type *map_without(const ir_type *t, int dim)
{
    int64_t d[IR_RANK];
    int n = 0;
    for (int i = 0; i < t->rank; i++) if (i != dim) d[n++] = t->dim[i];
    return ir_type_as(t, t->dtype, n, d);
}

/* Sets place[leaf], the positions of mapped dims in results: one item per item of a tuple, or one for all. */
bool map_result_dims(base_site site, const char *what, const char *text, const trace_tree *t, int *place)
{
    const int n = fn_result_items(text, t);
    int *at = BASE_NEW(trace_temp(), int, n + 1);
    if (!map_dims(site, what, text, n, at)) return false;
    for (int l = 0; l < t->nleaf; l++) {
        int item = 0;
        while (n > 1 && l >= trace_leaf_from(t, item + 1)) item++;
        place[l] = at[item];
    }
    return true;
}

/* ---- vmap ---- */

static bool varies(base_site site, const fn_key *k, int j)
{
    base_fail(TT_ESHAPE, site, "vmap: result %d differs between elements, but its .out is _", j);
    base_also(k->site, "the map");
    return base_hint("give the number of the mapped dim in .out, or combine the elements by a collective over .axis");
}

trace_value *call_vmap(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    base_arena *a = trace_top()->arena;
    int *place = BASE_NEW(a, int, n + 1);
    trace_closed c;
    if (!map_dims(site, "tt_vmap's .in", k->in, n, place)) return NULL;
    int64_t size = map_size(site, "vmap", n, args, place);
    if (size >= 0 && k->length >= 0 && size != k->length) {
        base_fail(TT_ESHAPE, site, "vmap: the mapped dims have %lld elements, but .length is %lld", (long long)size,
                  (long long)k->length);
        return NULL;
    }
    if (size == MAP_NONE) size = k->length >= 0 ? k->length : MAP_NONE;
    if (size == MAP_NONE) {
        base_fail(TT_EARG, site, "vmap: no argument is mapped, so the number of elements is not known");
        base_hint("give .length, or map an argument in .in");
    }
    if (size < 0) return NULL;
    fn_sig s = fn_sig_of(a, n, args);
    const trace_axis axis = { k->axis, size, false, true };
    for (int i = 0, at = 0; i < n; i++)
        for (int l = 0; l < s.tree[i]->nleaf; l++, at++)
            if (place[i] != MAP_NONE) {
                s.type[at] = map_without(s.type[at], place[i]);
                s.layout[at] = fn_without(s.layout[at], place[i]);
            }
    if (!fn_close(site, k->f, &s, k->axis ? &axis : NULL, &c)) return NULL;
    ir_build *b = trace_top()->build;
    const int nret = (int)c.fn->nret;
    ir_id *in = BASE_NEW(a, ir_id, c.fn->narg + 1), *out = BASE_NEW(a, ir_id, nret + 1);
    bool *mapped = BASE_NEW(a, bool, c.fn->narg + 1), *want = BASE_NEW(a, bool, nret + 1);
    int *to = BASE_NEW(a, int, nret + 1);
    if (!map_result_dims(site, "tt_vmap's .out", k->out, c.out, to) || !fn_operands(site, n, args, &c,
        in)) return NULL;
    ir_site(b, site);
    for (int i = 0, at = 0; i < n; i++)
        for (int l = 0; l < s.tree[i]->nleaf; l++, at++) {
            mapped[at] = place[i] != MAP_NONE;
            if (mapped[at]) in[at] = map_to_front(b, in[at], place[i]);
        }
    for (int j = 0; j < nret; j++) want[j] = to[j] != MAP_NONE;
    ir_fn *g = transform_vmap(a, c.fn, mapped, want, k->axis, size);
    if (!g || !ir_inline(b, g, in, out)) return NULL;
    ir_site(b, site);
    for (int j = 0; j < nret; j++) {
        if (want[j] && to[j] == MAP_NONE && !varies(site, k, j)) return NULL;
        if (to[j] > c.fn->type[c.fn->ret[j]]->rank) {
            base_fail(TT_ESPEC, site, "vmap: .out puts the mapped dim at %d in a result of rank %d", to[j],
                      c.fn->type[c.fn->ret[j]]->rank + 1);
            return NULL;
        }
        if (to[j] > 0) out[j] = op_move(b, out[j], 0, to[j]);
    }
    return fn_opened(site, c.out, out, c.weak);
}
