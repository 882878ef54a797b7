/* hlo/write/stateless.c - the same function without states: a text does not say over which axes values vary, so its
 * manual regions are unchecked, as they are when the text is read again. Lowering comes after it, and need not type the
 * loops that it spells out by states. */
#include "print.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct copied { const ir_fn *from; ir_fn *to; struct copied *next; } copied;
typedef struct { base_arena *arena; copied *done; } pass;

static bool has_states(const ir_fn *f)
{
    for (uint32_t i = 1; i <= f->nvalue; i++) if (f->type[i]->vary) return true;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) if (has_states(f->eqn[k].sub[s])) return true;
    return false;
}

/* The equation's attributes, of which "unchecked" is true. */
static const void *unchecked(const pass *p, const ir_eqn *e)
{
    const ir_field *f = e->op->field;
    while (f && f->name && strcmp(f->name, "unchecked")) f++;
    if (!f || !f->name) return e->attr;
    char *const a = BASE_COPY(p->arena, (const char *)e->attr, e->op->attr);
    *(bool *)(void *)(a + f->at) = true;
    return a;
}

static ir_fn *stateless(pass *p, const ir_fn *f)
{
    for (const copied *c = p->done; c; c = c->next) if (c->from == f) return c->to;
    ir_build *const b = ir_begin(p->arena, f->name, f->mesh);
    ir_id *const map = IR_NEW(b, ir_id, f->nvalue + 1), *const ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 1; i <= f->narg; i++) map[i] = ir_arg(b, ir_type_vary(f->type[i], 0));
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const x = IR_NEW(b, ir_id, e->nin + 1);
        ir_fn **const sub = IR_NEW(b, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        for (uint32_t s = 0; s < e->nsub; s++) if (!(sub[s] = stateless(p, e->sub[s]))) return NULL;
        ir_site(b, e->site);
        const ir_id y = e->op == &prim_to_varying
                            ? x[0] : ir_emit(b, e->op, unchecked(p, e), e->nin, x, e->nsub, sub);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    copied *const c = BASE_NEW(p->arena, copied, 1);
    *c = (copied){ f, ir_end(b, f->nret, ret), p->done };
    if (!c->to) return NULL;
    c->to->donate = f->donate, c->to->tag = f->tag;
    p->done = c;
    return c->to;
}

ir_fn *hlo_stateless(base_arena *a, const ir_fn *f)
{
    pass p = { a, NULL };
    return has_states(f) ? stateless(&p, f) : (ir_fn *)(uintptr_t)f;
}
