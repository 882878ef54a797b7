/* op/core/lockstep.c - the reference evaluator for manual regions: runs one function for all members of a set of atoms,
 * equation by equation, each collective by its primitive's .group. This evaluator defines the value of a manual region
 * in ir_eval; tests compare run/ with it.
 *
 * Loops and branches that contain collectives must take the same path on all members; those without collectives may
 * differ. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

static bool exchanges(const ir_fn *f)                    /* True if f contains a collective, at any depth */
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (e->op->kernel == OP_EXCHANGE) return true;
        for (uint32_t s = 0; s < e->nsub && e->op != &prim_manual; s++) if (exchanges(e->sub[s])) return true;
    }
    return false;
}

typedef struct {
    const op_device_set *c; const ir_fn *f; const ir_box *in, *out;  /* [member][value] */
    base_arena *arena; ir_box *value;                                 /* [member][id] */
    bool ok;
} run;

static ir_box *value_of(const run *r, int64_t member, ir_id v) { return &r->value[member * (r->f->nvalue + 1) + v]; }

static void gather_values(const run *r, const ir_eqn *e, ir_box *x, ir_box *y)
{
    for (int64_t m = 0; m < r->c->n; m++) {
        for (uint32_t i = 0; i < e->nin; i++) x[m * e->nin + i] = *value_of(r, m, e->in[i]);
        for (uint32_t j = 0; j < e->nout; j++) y[m * e->nout + j] = *value_of(r, m, e->out + j);
    }
}

/* Runs a collective for each group of members that differ only over the exchange's atoms, in the order of the axes'
 * names. */
static bool lockstep_exchange(const run *r, const ir_eqn *e)
{
    const op_device_set *const c = r->c;
    uint32_t coord[MESH_ATOMS] = { 0 };
    op_exchange x;
    if (!e->op->exchange(e, &x)) return false;
    if (x.over & ~c->over) return base_fail(TT_ETRACE, e->site, "%s over an axis that is not manual here", e->op->name);
    const int64_t n = mesh_list_size(c->mesh, x.order);
    ir_box *const operand = BASE_NEW(r->arena, ir_box, n);
    for (int64_t m = 0; m < c->n; m++) {
        int64_t me = 0;
        for (int64_t g = 0; g < n; g++) {
            int64_t rest = g;
            bool same = true;
            mesh_instance_coord(c->mesh, c->over, m, coord);
            for (int k = mesh_list_n(x.order); k-- > 0;) {
                const int atom = mesh_list_at(x.order, k);
                same &= coord[atom] == (uint32_t)(rest % c->mesh->atom[atom]);
                coord[atom] = (uint32_t)(rest % c->mesh->atom[atom]);
                rest /= c->mesh->atom[atom];
            }
            if (same) me = g;
            if (e->nin) operand[g] = *value_of(r, mesh_instance(c->mesh, c->over, coord), e->in[0]);
        }
        if (!e->op->group(e, (int)n, (int)me, operand, value_of(r, m, e->out))) return false;
    }
    return true;
}

static bool agreed(const run *r, const ir_eqn *e, const ir_box *x, size_t stride, int64_t *to)
{
    const int64_t zero[1] = { 0 };
    for (int64_t m = 0; m < r->c->n; m++) {
        const ir_num v = ir_load(&x[m * (int64_t)stride], zero);
        const int64_t is = x->dtype == TT_BOOL ? v.b : v.i;
        if (m && is != *to)
            return base_fail(TT_EPLAN, e->site, "%s: devices that exchange values inside take different branches",
                             e->op->name);
        *to = is;
    }
    return true;
}

static bool iterate(const run *r, const ir_eqn *e, ir_box *x, ir_box *y)
{
    const size_t n = (size_t)r->c->n * e->nin;
    bool *const more = BASE_NEW(r->arena, bool, r->c->n);
    ir_box *const test = BASE_NEW(r->arena, ir_box, r->c->n), *from = x, *to = BASE_NEW(r->arena, ir_box, n + 1);
    ir_box *const spare = BASE_NEW(r->arena, ir_box, n + 1);
    for (int64_t m = 0; m < r->c->n; m++) test[m] = ir_box_of(&more[m], TT_BOOL, 0, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        const ir_type *const t = e->fn->type[e->in[i % e->nin]];
        to[i] = ir_box_dense(base_new(r->arena, (size_t)ir_bytes(t)), t);
        spare[i] = ir_box_dense(base_new(r->arena, (size_t)ir_bytes(t)), t);
    }
    for (ir_box *next = to, *other = spare;;) {
        int64_t go = 0;
        if (!op_lockstep(r->c, e->sub[0], from, test) || !agreed(r, e, test, 1, &go)) return false;
        if (!go) break;
        if (!op_lockstep(r->c, e->sub[1], from, next)) return false;
        from = next;
        next = other;
        other = from;
    }
    for (size_t i = 0; i < n; i++) if (!ir_copy(&from[i], &y[i])) return false;
    return true;
}

static bool branch(const run *r, const ir_eqn *e, const ir_box *x, ir_box *y)
{
    int64_t k = 0;
    ir_box *const in = BASE_NEW(r->arena, ir_box, r->c->n * e->nin);
    if (!agreed(r, e, x, e->nin, &k)) return false;
    for (int64_t m = 0; m < r->c->n; m++)
        memcpy(in + m * (e->nin - 1), x + m * e->nin + 1, (e->nin - 1) * sizeof *in);
    return op_lockstep(r->c, e->sub[k < 0 || k >= e->nsub ? e->nsub - 1 : k], in, y);
}

static bool by_parts(const run *r, const ir_eqn *e, const ir_box *x, ir_box *y)        /* scan, call, custom rules */
{
    ir_build *const b = ir_begin(r->arena, e->op->name, e->fn->mesh);
    ir_id *const in = BASE_NEW(r->arena, ir_id, e->nin + 1), *const out = BASE_NEW(r->arena, ir_id, e->nout + 1);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = ir_arg(b, IR_IN(e, i));
    if (!e->op->decompose(b, e, in, out))
        return base_bug(e->site, "%s around collectives cannot be taken apart", e->op->name);
    const ir_fn *const f = ir_end(b, e->nout, out);
    return f && op_lockstep(r->c, f, x, y);
}

static bool lockstep_equation(const run *r, const ir_eqn *e)
{
    bool inside = false;
    for (uint32_t s = 0; s < e->nsub && e->op != &prim_manual; s++) inside |= exchanges(e->sub[s]);
    if (e->op->kernel == OP_EXCHANGE) return lockstep_exchange(r, e);
    ir_box *const x = BASE_NEW(r->arena, ir_box, r->c->n * e->nin + 1), *const y = BASE_NEW(r->arena, ir_box,
                                                                                            r->c->n * e->nout + 1);
    gather_values(r, e, x, y);
    if (inside)
        return e->op == &prim_while ? iterate(r, e, x, y) : e->op == &prim_case ? branch(r, e, x, y) : by_parts(r, e, x,
            y);
    for (int64_t m = 0; m < r->c->n; m++) if (!e->op->ref(e, x + m * e->nin, y + m * e->nout)) return false;
    return true;
}

static void all_equations(void *arg)
{
    run *const r = arg;
    const ir_fn *const f = r->f;
    r->arena = base_open();
    r->value = BASE_NEW(r->arena, ir_box, r->c->n * (f->nvalue + 1));
    for (int64_t m = 0; m < r->c->n; m++) {
        for (uint32_t i = 0; i < f->narg; i++) *value_of(r, m, i + 1) = r->in[m * f->narg + i];
        for (ir_id v = f->narg + 1; v <= f->nvalue; v++)
            *value_of(r, m, v) = ir_box_dense(base_new(r->arena, (size_t)ir_bytes(f->type[v])), f->type[v]);
    }
    for (uint32_t k = 0; k < f->neqn; k++) if (!lockstep_equation(r, &f->eqn[k])) return;
    for (int64_t m = 0; m < r->c->n; m++)
        for (uint32_t j = 0; j < f->nret; j++) {
            const ir_box *const to = &r->out[m * f->nret + j];
            if (to->at && !ir_copy(value_of(r, m, f->ret[j]), to)) return;
        }
    r->ok = true;
}

bool op_lockstep(const op_device_set *c, const ir_fn *f, const ir_box *in, const ir_box *out)
{
    run r = { .c = c, .f = f, .in = in, .out = out };
    const bool done = base_catch(all_equations, &r);
    base_close(r.arena);
    if (!done) base_unwind(0);
    return r.ok;
}
