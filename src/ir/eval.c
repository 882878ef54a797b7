/* ir/eval.c - the reference evaluator: runs every equation by its primitive's reference, in order, on complete dense
 * values.
 *
 * Does not use layouts or plans, and is not fast. Values are in a private arena for the duration of the call; those of
 * a small function (the region of a reduction, called once per element) are on the stack. */
#include "ir.h"

#include <string.h>

enum { SMALL_BYTES = 2048, SMALL_VALUES = 48 };
typedef struct { const ir_fn *f; const ir_box *in, *out; base_arena *arena; bool ok; } job;

static size_t eval_bytes(const ir_type *t) { return ((size_t)ir_bytes(t) + 15) / 16 * 16; }

static size_t eval_bytes_of_results(const ir_fn *f, size_t limit) /* bytes of all results of equations, up to limit */
{
    size_t n = 0;
    for (ir_id i = f->narg + 1; i <= f->nvalue && n <= limit; i++) n += eval_bytes(f->type[i]);
    return n;
}

/* value: [nvalue + 1], boxes with memory for the results of equations; arg: buffer for the operands of an equation. */
static bool evaluate(const ir_fn *f, const ir_box *in, const ir_box *out, ir_box *value, ir_box *arg)
{
    for (uint32_t i = 0; i < f->narg; i++) value[i + 1] = in[i];
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        const uint64_t before = base_failures();
        for (uint32_t i = 0; i < e->nin; i++) arg[i] = value[e->in[i]];
        if (e->op->ref(e, arg, &value[e->out])) continue;
        return before != base_failures() ? false
                                         : base_bug(e->site, "%s: its reference fails without an error", e->op->name);
    }
    for (uint32_t i = 0; i < f->nret; i++) if (!ir_copy(&value[f->ret[i]], &out[i])) return false;
    return true;
}

static uint32_t most_operands(const ir_fn *f)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin > n) n = f->eqn[k].nin;
    return n;
}

static void large(void *arg)
{
    job *j = arg;
    const ir_fn *f = j->f;
    j->arena = base_open();
    ir_box *value = BASE_NEW(j->arena, ir_box, f->nvalue + 1), *operand = BASE_NEW(j->arena, ir_box, most_operands(f));
    for (ir_id i = f->narg + 1; i <= f->nvalue; i++)
        value[i] = ir_box_dense(base_new(j->arena, (size_t)ir_bytes(f->type[i])), f->type[i]);
    j->ok = evaluate(f, j->in, j->out, value, operand);
}

static bool small(const ir_fn *f, const ir_box *in, const ir_box *out)
{
    _Alignas(16) char mem[SMALL_BYTES];
    ir_box value[SMALL_VALUES + 1], operand[SMALL_VALUES];
    size_t at = 0;
    for (ir_id i = f->narg + 1; i <= f->nvalue; i++) {
        value[i] = ir_box_dense(mem + at, f->type[i]);
        at += eval_bytes(f->type[i]);
    }
    return evaluate(f, in, out, value, operand);
}

bool ir_eval(const ir_fn *f, const ir_box *in, const ir_box *out)
{
    if (f->nvalue <= SMALL_VALUES && most_operands(f) <= SMALL_VALUES &&
        eval_bytes_of_results(f, SMALL_BYTES) <= SMALL_BYTES)
        return small(f, in, out);
    job j = { .f = f, .in = in, .out = out };
    const bool done = base_catch(large, &j);
    base_close(j.arena);
    if (!done) base_unwind(0);
    return j.ok;
}
