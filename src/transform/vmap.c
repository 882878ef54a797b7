/* transform/vmap.c - maps a function of one element to a function of n: the new dim is dim 0 of every mapped value.
 *
 * Equations whose operands are all unmapped are copied and do not get the new dim, unless they name the mapped axis
 * (collectives, also inside regions): their rule resolves the name. If a primitive needs the mapped dim elsewhere, its
 * rule emits a transpose, which simplification merges into the dims of dot_general and convolution. */
#include "transform.h"

#include <string.h>

static bool names_axis(const ir_eqn *e, base_name axis)
{
    for (const ir_field *f = axis ? e->op->field : NULL; f && f->name; f++) {
        if (f->kind != IR_NAMES) continue;
        const ir_names *const names = (const ir_names *)((const char *)e->attr + f->at);
        for (int i = 0; i < names->n; i++) if (names->v[i] == axis) return true;
    }
    for (uint32_t s = 0; axis && s < e->nsub; s++)
        for (uint32_t k = 0; k < e->sub[s]->neqn; k++) if (names_axis(&e->sub[s]->eqn[k], axis)) return true;
    return false;
}

typedef struct { ir_build *b; int64_t n; base_name axis; ir_id *at; bool *mapped; } map;

/* True if y is t, with a new dim 0 of size n if mapped. */
static bool vmap_grown(const ir_type *y, const ir_type *t, bool mapped, int64_t n)
{
    const int at = mapped;
    return y->dtype == t->dtype && y->rank == t->rank + at && (!at || y->dim[0] == n) &&
           (!t->rank || !memcmp(y->dim + at, t->dim, (size_t)t->rank * sizeof *t->dim));
}

static bool map_rule(map *m, const ir_eqn *e)
{
    ir_build *const b = m->b;
    ir_id *const x = IR_NEW(b, ir_id, e->nin + 1), *const y = IR_NEW(b, ir_id, e->nout + 1);
    bool *const in = IR_NEW(b, bool, e->nin + 1), *const out = IR_NEW(b, bool, e->nout + 1);
    const uint64_t before = base_failures();
    for (uint32_t i = 0; i < e->nin; i++) x[i] = m->at[e->in[i]], in[i] = m->mapped[e->in[i]];
    for (uint32_t j = 0; j < e->nout; j++) out[j] = true;
    const base_site site = ir_site(b, e->site);
    e->op->batch(b, e, x, in, m->n, y, out);
    ir_site(b, site);
    if (base_failures() != before) return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!y[j] || !vmap_grown(ir_typeof(b, y[j]), IR_OUT(e, j), out[j], m->n))
            return base_bug(e->site, "%s: the batch rule gives result %u another type", e->op->name, j);
        m->at[e->out + j] = y[j];
        m->mapped[e->out + j] = out[j];
    }
    return true;
}

static const ir_type *wider(const ir_type *t, int64_t n)
{
    int64_t dim[IR_RANK + 1] = { n };
    if (t->rank == IR_RANK) {
        base_fail(TT_ESHAPE, NULL, "vmap: a value of %d dims, the limit, has no place for the mapped dim", IR_RANK);
        return NULL;
    }
    if (t->rank) memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
    return ir_type_as(t, t->dtype, t->rank + 1, dim);
}

ir_fn *transform_map(base_arena *a, const ir_fn *f, const bool *mapped, bool *out, int64_t n,
                     const transform_context *c)
{
    ir_build *const b = transform_begin(a, f, c);
    map m = { b, n, c->op.axis, BASE_NEW(a, ir_id, f->nvalue + 2), BASE_NEW(a, bool, f->nvalue + 2) };
    ir_id *const ret = BASE_NEW(a, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) {
        const ir_type *const t = mapped[i - 1] ? wider(f->type[i], n) : f->type[i];
        if (!t) return NULL;
        m.at[i] = ir_arg(b, t);
        m.mapped[i] = mapped[i - 1];
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        bool rule = names_axis(e, m.axis);
        for (uint32_t i = 0; i < e->nin; i++) rule |= m.mapped[e->in[i]];
        if (!(rule ? map_rule(&m, e) : transform_copy(b, e, m.at))) return NULL;
    }
    for (uint32_t j = 0; j < f->nret; j++) {
        const ir_id v = f->ret[j];
        const bool has = m.mapped[v], wants = !out || out[j];
        ret[j] = wants && !has ? op_spread(b, m.at[v], n) : m.at[v];
        if (out) out[j] = wants || has;
    }
    ir_fn *const whole = ir_end(b, f->nret, ret);
    return whole ? transform_prune(a, whole) : NULL;
}

ir_fn *transform_vmap(base_arena *a, const ir_fn *f, const bool *mapped, bool *out, base_name axis, int64_t n)
{
    return transform_map(a, f, mapped, out, n, transform_open(a, axis));
}
