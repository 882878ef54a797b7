/* api/coll.c - the axes and device groups of a collective: their texts, and pieces of IR that all collectives write.
 *
 * A name must be bound by a vmap, pmap or shard_map that is being traced. */
#include "coll.h"
#include "../op/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

ir_names coll_names(const coll *c) { return (ir_names){ c->naxis, c->axis }; }

/* Resolves "i, j" to names in force. */
bool coll_axes(base_site site, const char *what, const char *text, coll *c)
{
    c->size = 1;
    bool more = text && *text;
    for (const char *p = text; more;) {
        size_t n = strcspn(p, ",");
        const char *at = p;
        more = p[n] == ',';
        p += n + more;
        while (n && isspace((unsigned char)*at)) at++, n--;
        while (n && isspace((unsigned char)at[n - 1])) n--;
        const trace_axis *a = trace_axis_find(at, n);
        for (int k = 0; a && k < c->naxis; k++)
            if (c->axis[k] == a->name) {
                base_fail(TT_EARG, site, "%s: axis \"%s\" is named twice", what, a->name);
                return base_caret(text, (size_t)(at - text));
            }
        if (!a || c->naxis == 8) {
            base_fail(TT_EMESH, site, "%s: axis \"%.*s\" is not bound here", what, (int)n, at);
            base_caret(text, (size_t)(at - text));
            const char *const bound = trace_axes_text(trace_temp());
            if (!strcmp(bound, "none"))
                return base_hint("no axis is bound here; tt_vmap, tt_pmap (.axis) and tt_shard_map bind axes");
            base_hint_choices(NULL, at, n, bound);
            return base_hint("axes in force: %s. They are named by tt_vmap, tt_pmap (.axis) and tt_shard_map", bound);
        }
        c->axis[c->naxis++] = a->name;
        c->size *= a->size;
        c->unchecked |= a->unchecked;
    }
    if (c->naxis) return true;
    base_fail(TT_EMESH, site, "%s: the name of an axis is missing", what);
    return base_hint("axes in force: %s", trace_axes_text(trace_temp()));
}

/* Reads "0 1; 2 3": every index exactly once, groups of equal size. */
bool coll_groups(base_site site, const char *what, const char *text, coll *c)
{
    if (!text) return true;
    base_arena *a = trace_temp();
    int32_t *flat = BASE_NEW(a, int32_t, c->size + 1), *table;
    bool *seen = BASE_NEW(a, bool, c->size + 1);
    int n = 0, in = 0;
    for (const char *p = text;;) {
        while (isspace((unsigned char)*p) || *p == ',') p++;
        if (*p == ';' || !*p) {
            if (c->ngroup++ && in != c->each) {
                base_fail(TT_EARG, site, "%s: .groups has a group of %d places and one of %d; expected one size", what,
                          c->each, in);
                return base_caret(text, (size_t)(p - text));
            }
            c->each = in;
            in = 0;
            if (!*p++) break;
            continue;
        }
        char *end;
        const long d = strtol(p, &end, 10);
        if (end == p || d < 0 || d >= c->size || seen[d]) {
            if (end == p) base_fail(TT_EARG, site, "%s: .groups: expected the number of a place", what);
            else if (d < 0 || d >= c->size)
                base_fail(TT_EARG, site, "%s: .groups names place %ld; expected 0 to %lld", what, d,
                          (long long)c->size - 1);
            else base_fail(TT_EARG, site, "%s: .groups names place %ld twice", what, d);
            base_caret(text, (size_t)(p - text));
            return base_hint("\"0 1; 2 3\": two groups of two");
        }
        seen[d] = true;
        flat[n++] = (int32_t)d;
        in++;
        p = end;
    }
    if (n != c->size || !c->each) {
        base_fail(TT_EARG, site, "%s: .groups names %d of %lld places; expected each of them once", what, n,
                  (long long)c->size);
        return base_caret(text, 0);
    }
    if (!c->unchecked) {
        base_fail(TT_EARG, site, "%s: .groups in a tt_shard_map without .unchecked = 1", what);
        return base_hint("give the tt_shard_map .unchecked = 1, or name a mesh axis of the group's size instead of "
                         ".groups");
    }
    table = BASE_NEW(a, int32_t, c->size * c->each);
    for (int g = 0; g < c->ngroup; g++)
        for (int i = 0; i < c->each; i++)
            memcpy(table + flat[g * c->each + i] * c->each, flat + g * c->each, (size_t)c->each * sizeof *table);
    c->group = table;
    return true;
}

/* ---- pieces, written into the current frame's build ---- */

/* Casts a value that is the same on all devices to one that varies: each device's copy counts, as in JAX. */
ir_id coll_each_own(ir_build *b, ir_id x, const coll *c)
{
    const mesh *m = ir_build_fn(b)->mesh;
    const ir_type *t = ir_typeof(b, x);
    return c->unchecked || !m || !t
               ? x
               : op_as(b, x, ir_type_vary(t, (mesh_set)(t->vary | mesh_named(m, c->naxis, c->axis))));
}

ir_id coll_gathered(ir_build *b, ir_id x, const coll *c, int64_t dim, bool stack)
{
    x = coll_each_own(b, x, c);
    const ir_type *t = ir_typeof(b, x);
    int64_t d[IR_RANK];
    if (!t) return 0;
    if (stack) {
        if (t->rank == IR_RANK) return 0;
        for (int i = 0, k = 0; i <= t->rank; i++) d[i] = i == dim ? 1 : t->dim[k++];
        x = op_reshape(b, x, t->rank + 1, d);
    }
    const op_gather_axes_attr a = { coll_names(c), dim, c->size, c->unchecked };
    return ir_emit(b, &prim_all_gather, &a, 1, &x, 0, NULL);
}

ir_id coll_index(ir_build *b, const coll *c)
{
    const op_axis_attr a = { coll_names(c), c->unchecked };
    return ir_emit(b, &prim_axis_index, &a, 0, NULL, 0, NULL);
}

/* The operands of this device's group: out[k] is the k-th member's. */
bool coll_members(ir_build *b, ir_id x, const coll *c, ir_id *out)
{
    const ir_id all = coll_gathered(b, x, c, 0, true), me = coll_index(b, c);
    const int64_t dim[2] = { c->size, c->each };
    const ir_id mine = op_at(b, op_const(b, ir_type_of(TT_I32, 2, dim), c->group), me);
    for (int k = 0; k < c->each; k++) out[k] = op_at(b, all, op_at(b, mine, op_int(b, TT_I32, k)));
    return out[c->each - 1] != 0;
}

/* The device's rank within its group. */
ir_id coll_rank_in_group(ir_build *b, const coll *c)
{
    int32_t *rank = IR_NEW(b, int32_t, c->size);
    for (int64_t p = 0; p < c->size; p++)
        for (int k = 0; k < c->each; k++)
            if (c->group[p * c->each + k] == p) rank[p] = k;
    return op_at(b, op_const(b, ir_type_of(TT_I32, 1, &c->size), rank), coll_index(b, c));
}

trace_value *coll_with(base_site site, trace_body *body, const coll *c, trace_value *v)
{
    trace_value *y = NULL;
    if (trace_do(site, body, &c, sizeof c, 1, &v, 1, &y)) y->weak = v->weak;
    return y;
}
