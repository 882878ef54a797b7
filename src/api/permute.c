/* api/permute.c - collectives that permute or query device indices: ppermute, pshift, axis_index, axis_size, pvary,
 * varies. */
#include "coll.h"
#include "../op/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- permutations: source[place] ---- */

enum { NAME_ORDER, MESH_ORDER };
typedef struct { coll c; const int64_t *source; } permuting;

/* JAX numbers the devices of ppermute in the mesh's axis order, whatever the order of the names. */
static ir_names mesh_order(ir_build *b, const coll *c)
{
    const mesh *m = ir_build_fn(b)->mesh;
    base_name *axis = IR_NEW(b, base_name, c->naxis);
    int n = 0;
    for (int i = 0; m && i < m->naxis; i++)
        for (int k = 0; k < c->naxis; k++) if (c->axis[k] == m->axis[i].name) axis[n++] = c->axis[k];
    return n == c->naxis ? (ir_names){ n, axis } : coll_names(c);
}

static bool permute_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const permuting *p = *(const permuting *const *)env;
    const ir_names axis = p->c.kind == MESH_ORDER ? mesh_order(b, &p->c) : coll_names(&p->c);
    const op_ppermute_attr a = { axis, { (int)p->c.size, p->source }, p->c.unchecked };
    const ir_id x = coll_each_own(b, in[0], &p->c);
    return (out[0] = ir_emit(b, &prim_ppermute, &a, 1, &x, 0, NULL)) != 0;
}

static trace_value *permute_leaf(base_site site, trace_value *v, const void *env)
{
    trace_value *y = NULL;
    if (trace_do(site, permute_body, &env, sizeof env, 1, &v, 1, &y)) y->weak = v->weak;
    return y;
}

/* Converts an index from the end (-1 the last) into one from the start. False: out of range. */
static bool placed(long *place, int64_t size)
{
    if (*place < 0) *place += size;
    return *place >= 0 && *place < size;
}

VAL3(tt_ppermute, tt_val, v, const char *, axis, const char *, pairs)
{
    permuting *p = BASE_NEW(trace_temp(), permuting, 1);
    trace_value *x = trace_get(site, v);
    if (!x || !coll_axes(site, "ppermute", axis, &p->c)) return trace_poison;
    p->c.kind = MESH_ORDER;
    int64_t *source = BASE_NEW(trace_temp(), int64_t, p->c.size);
    bool *sent = BASE_NEW(trace_temp(), bool, p->c.size);
    for (int64_t i = 0; i < p->c.size; i++) source[i] = -1;
    if (!pairs) {
        base_fail(TT_EARG, site, "ppermute: the pairs are NULL");
        base_hint("\"0>1, 1>2\": source>target; \"\": no place sends");
        return trace_poison;
    }
    bool more = pairs[strspn(pairs, " \t\n")] != 0;
    for (const char *s = pairs; more;) {
        char *end;
        while (isspace((unsigned char)*s)) s++;
        const char *at = s;
        long from = strtol(s, &end, 10);
        while (isspace((unsigned char)*end)) end++;
        bool good = end != s && *end == '>';
        const char *second = good ? end + 1 : end;
        long to = strtol(second, &end, 10);
        const char *after = end + strspn(end, " \t\n");
        more = *after == ',';
        good = good && end != second && (more || !*after) && placed(&from, p->c.size) && placed(&to, p->c.size);
        if (!good || source[to] >= 0 || sent[from]) {
            if (!good)
                base_fail(TT_ETEXT, site, "ppermute: pairs are source>target, places from 0 to %lld",
                          (long long)p->c.size - 1);
            else base_fail(TT_ETEXT, site, "ppermute: a place sends or receives twice: place %ld %s",
                           sent[from] ? from : to, sent[from] ? "sends" : "receives");
            base_caret(pairs, (size_t)(at - pairs));
            base_hint("\"0>1, 1>2\": who is no target gets zeros; -1 is the last place");
            return trace_poison;
        }
        sent[from] = true;
        source[to] = from;
        s = after + more;
    }
    p->source = source;
    return api_handle(trace_leafwise(site, x, permute_leaf, p));
}

VAL3(tt_pshift, tt_val, v, const char *, axis, int64_t, by)
{
    permuting *p = BASE_NEW(trace_temp(), permuting, 1);
    trace_value *x = trace_get(site, v);
    if (!x || !coll_axes(site, "pshift", axis, &p->c)) return trace_poison;
    const int64_t n = p->c.size;
    int64_t *source = BASE_NEW(trace_temp(), int64_t, n);
    for (int64_t i = 0; i < n; i++) source[i] = ((i - by % n) % n + n) % n;
    p->source = source;
    return api_handle(trace_leafwise(site, x, permute_leaf, p));
}

/* ---- indices, casts ---- */

static bool index_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)in;
    return (out[0] = coll_index(b, *(const coll *const *)env)) != 0;
}

VAL1(tt_axis_index, const char *, axis)
{
    coll *c = BASE_NEW(trace_temp(), coll, 1);
    trace_value *y = NULL;
    if (coll_axes(site, "axis_index", axis, c)) trace_do(site, index_body, &c, sizeof c, 0, NULL, 1, &y);
    return api_handle(y);
}

ENTRY1(int64_t, 1, tt_axis_size, const char *, axis)
{
    coll c = { .naxis = 0 };
    return coll_axes(site, "axis_size", axis, &c) ? c.size : 1;
}

static bool vary_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const coll *c = *(const coll *const *)env;
    return (out[0] = c->unchecked ? in[0] : op_to_varying(b, in[0], coll_names(c))) != 0;
}

static trace_value *vary_leaf(base_site site, trace_value *v, const void *env)
{
    return coll_with(site, vary_body, env, v);
}

VAL2(tt_pvary, tt_val, v, const char *, axis)
{
    coll *c = BASE_NEW(trace_temp(), coll, 1);
    trace_value *x = trace_get(site, v);
    return x && coll_axes(site, "tt_pvary", axis, c) ? api_handle(trace_leafwise(site, x, vary_leaf, c)) : trace_poison;
}

ENTRY2(bool, false, tt_varies, tt_val, v, const char *, axis)
{
    coll c = { .naxis = 0 };
    const trace_value *const x = trace_array(site, "tt_varies", v);
    if (!x || !coll_axes(site, "tt_varies", axis, &c)) return false;
    const mesh *const m = trace_mesh(trace_top());
    const mesh_set all = m && !c.unchecked ? mesh_named(m, c.naxis, c.axis) : 0;
    return (x->type->vary & all) == all;
}
