/* hlo/raise/rewrite.c - rewrites a function by a pass: regions and callees first, each once, then its equations in
 * order. Functions in which a pass finds nothing are not copied. */
#include "../inner.h"
#include "raise.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- functions already rewritten: a hash table by address, open addressing ---- */

typedef struct { const ir_fn *from; ir_fn *to; } done;
struct hlo_memo { done *at; uint32_t n, cap; };          /* cap: a power of two */

static done *rewrite_memo_slot(const struct hlo_memo *m, const ir_fn *f)
{
    uint32_t k = (uint32_t)base_hash(0, &f, sizeof f) & (m->cap - 1);
    while (m->at[k].from && m->at[k].from != f) k = (k + 1) & (m->cap - 1);
    return &m->at[k];
}

static void remember(hlo_pass *p, const ir_fn *from, ir_fn *to)
{
    struct hlo_memo *const m = p->memo;
    if (2 * (m->n + 1) > m->cap) {
        const struct hlo_memo old = *m;
        m->cap = old.cap ? 2 * old.cap : 16;
        m->at = BASE_NEW(p->arena, done, m->cap);
        for (uint32_t k = 0; k < old.cap; k++) if (old.at[k].from) *rewrite_memo_slot(m, old.at[k].from) = old.at[k];
    }
    *rewrite_memo_slot(m, from) = (done){ from, to };
    m->n++;
}

/* ---- equations ---- */

enum { NESTED = 16 };
bool hlo_is_number(const ir_fn *f, ir_id id, double want)
{
    const ir_eqn *e = ir_definition(f, id);
    for (int i = 0; i < NESTED && e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape); i++)
        e = ir_definition(f, e->in[0]);
    const op_const_attr *const c = e && e->op == &prim_const ? IR_ATTR(e, op_const_attr) : NULL;
    char rounded[16] = { 0 };
    if (!c || (!c->splat && c->shape.n) || ir_dtype_of(c->dtype)->bytes > (int)sizeof rounded) return false;
    const ir_box box = ir_box_dense(rounded, ir_type_of(c->dtype, 0, NULL));
    ir_store(&box, NULL, (ir_num){ .f = want });
    return memcmp(rounded, c->data.p, (size_t)ir_dtype_of(c->dtype)->bytes) == 0;
}

ir_id hlo_with_tangent(ir_build *b, int n, const ir_id *in, int which, hlo_tangent *tangent, const void *env)
{
    enum { MOST = 4 };
    ir_build *const f = ir_region(b, base_intern("spelled")), *const rule = ir_region(b, base_intern("rule"));
    ir_id own[MOST], at[MOST], din[MOST] = { 0 };
    for (int i = 0; i < n; i++) own[i] = ir_arg(f, ir_typeof(b, in[i])), at[i] = ir_arg(rule, ir_typeof(b, in[i]));
    const ir_id y = ir_arg(rule, ir_typeof(b, in[which]));
    for (int i = 0; i < n; i++) if (ir_is_float(ir_typeof(b, in[i])->dtype)) din[i] = ir_arg(rule, ir_typeof(b, in[i]));
    const ir_id dy = tangent(rule, env, at, y, din);
    ir_fn *const sub[] = { ir_end(f, 1, &own[which]), dy ? ir_end(rule, 1, &dy) : NULL };
    return sub[0] && sub[1] ? ir_emit(b, &prim_custom_jvp, NULL, (uint32_t)n, in, 2, sub) : 0;
}

ir_id hlo_reshaped(ir_build *b, ir_id x, int rank, const int64_t *dim)
{
    for (const ir_eqn *e = ir_def(b, x); e && e->op == &prim_reshape; e = ir_def(b, x)) x = e->in[0];
    return op_reshape(b, x, rank, dim);
}

ir_id hlo_clone(ir_build *b, const ir_eqn *e, const ir_id *in)
{
    if (e->op == &prim_reshape && in[0]) return hlo_reshaped(b, in[0], IR_OUT(e, 0)->rank, IR_OUT(e, 0)->dim);
    return ir_clone(b, e, in);
}

bool hlo_is_used(const ir_eqn *e, const bool *needed)
{
    for (uint32_t j = 0; j < e->nout; j++) if (needed[e->out + j]) return true;
    return ir_ordered(e);
}

ir_fn *hlo_without_dead(base_arena *a, const ir_fn *f)
{
    ir_build *const b = ir_begin(a, f->name, f->mesh);
    bool *const needed = BASE_NEW(a, bool, f->nvalue + 1);
    ir_id *const map = BASE_NEW(a, ir_id, f->nvalue + 1), *const ret = BASE_NEW(a, ir_id, f->nret + 1);
    for (uint32_t j = 0; j < f->nret; j++) needed[f->ret[j]] = true;
    for (uint32_t k = f->neqn; k-- > 0;)
        if (hlo_is_used(&f->eqn[k], needed))
            for (uint32_t i = 0; i < f->eqn[k].nin; i++) needed[f->eqn[k].in[i]] = true;
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (!hlo_is_used(e, needed)) continue;
        ir_id *const in = BASE_NEW(a, ir_id, e->nin + 1);
        for (uint32_t i = 0; i < e->nin; i++) in[i] = map[e->in[i]];
        ir_site(b, e->site);
        const ir_id out = hlo_clone(b, e, in);
        if (!out) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = out + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    return ir_end(b, f->nret, ret);
}

/* ---- the walk ---- */

static bool small_now(const ir_eqn *e, ir_fn *const *sub)        /* True if a call of a function that became small */
{
    return e->op == &prim_call && sub[0] != e->sub[0] && sub[0]->neqn <= HLO_SMALL;
}

static bool rewrite_equation(hlo_pass *p, ir_build *b, const ir_eqn *e, ir_id *map)
{
    ir_id *const in = BASE_NEW(p->arena, ir_id, e->nin + 1), *const out = BASE_NEW(p->arena, ir_id, e->nout + 1);
    ir_fn **const sub = BASE_NEW(p->arena, ir_fn *, e->nsub + 1);
    bool failed = false;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = map[e->in[i]];
    for (uint32_t i = 0; i < e->nsub; i++) sub[i] = rewrite_memo_slot(p->memo, e->sub[i])->to;
    ir_site(b, e->site);
    p->map = map;
    if (!p->equation(p, b, e, in, sub, out, &failed)) {
        if (small_now(e, sub)) failed = !ir_inline(b, sub[0], in, out);
        else {
            const ir_id first = e->nsub ? ir_emit(b, e->op, e->attr, e->nin, in, e->nsub, sub) : hlo_clone(b, e, in);
            for (uint32_t j = 0; j < e->nout; j++) out[j] = first + j;
            failed = !first;
        }
    }
    for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = out[j];
    return !failed;
}

static ir_fn *rewrite_written(hlo_pass *p, const ir_fn *f)
{
    ir_build *const b = ir_begin(p->arena, f->name, f->mesh);
    ir_id *const map = BASE_NEW(p->arena, ir_id, f->nvalue + 1), *const ret = BASE_NEW(p->arena, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) if (!rewrite_equation(p, b, &f->eqn[k], map)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    ir_fn *g = ir_end(b, f->nret, ret);
    if (!g || !(g = hlo_without_dead(p->arena, g))) return NULL;
    g->tag = f->tag, g->donate = f->donate;
    return g;
}

static ir_fn *rewritten(hlo_pass *p, const ir_fn *f)
{
    if (p->memo->cap && rewrite_memo_slot(p->memo, f)->from) return rewrite_memo_slot(p->memo, f)->to;
    bool other = false;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) {
            const ir_fn *const g = rewritten(p, f->eqn[k].sub[i]);
            if (!g) return NULL;
            other |= g != f->eqn[k].sub[i];
        }
    other |= !p->applies || p->applies(p, f);
    ir_fn *const g = other ? rewrite_written(p, f) : (ir_fn *)(uintptr_t)f;
    if (g) remember(p, f, g);
    return g;
}

ir_fn *hlo_rewritten(hlo_pass *p, const ir_fn *f)
{
    p->memo = BASE_NEW(p->arena, struct hlo_memo, 1);
    return rewritten(p, f);
}
