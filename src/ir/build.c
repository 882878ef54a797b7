/* ir/build.c - building functions: the only way to create equations.
 *
 * A failed ir_emit sets the error and returns id 0. An ir_emit with an operand 0 returns 0 and leaves the error as it
 * is, so rules need not check each call; ir_end with a result 0 returns NULL. Types are inferred by op_infer, states
 * are added here. The arrays of the function under construction double as they grow, so pointers into them do not
 * last. */
#include "ir.h"

#include <string.h>

struct ir_build {
    ir_fn *fn;
    base_site site;
    const void *context;
    uint32_t eqn_capacity, value_capacity;
    uint32_t *def;                                       /* [id]: 1 + index of the defining equation; 0: an argument */
};

ir_build *ir_begin(base_arena *a, base_name name, const mesh *m)
{
    ir_build *b = BASE_NEW(a, ir_build, 1);
    b->fn = BASE_NEW(a, ir_fn, 1);
    b->fn->arena = a;
    b->fn->name = base_intern(name ? name : "");
    b->fn->mesh = m;
    return b;
}

ir_build *ir_region(ir_build *outer, base_name name)
{
    ir_build *b = ir_begin(outer->fn->arena, name, outer->fn->mesh);
    b->site = outer->site;
    b->context = outer->context;
    return b;
}

ir_fn      *ir_build_fn(ir_build *b) { return b->fn; }
base_arena *ir_build_arena(ir_build *b) { return b->fn->arena; }
void        ir_set_context(ir_build *b, const void *context) { b->context = context; }
const void *ir_context(const ir_build *b) { return b->context; }
void       *ir_scratch(ir_build *b, size_t bytes) { return base_new(b->fn->arena, bytes); }
const ir_type *ir_typeof(const ir_build *b, ir_id id) { return id && id <= b->fn->nvalue ? b->fn->type[id] : NULL; }

base_site ir_site(ir_build *b, base_site site)
{
    const base_site former = b->site;
    b->site = site;
    return former;
}

const ir_eqn *ir_def(const ir_build *b, ir_id id)
{
    return id && id <= b->fn->nvalue && b->def[id] ? &b->fn->eqn[b->def[id] - 1] : NULL;
}

static void *build_grown(base_arena *a, const void *old, size_t n, size_t capacity, size_t each)
{
    void *p = base_new(a, capacity * each);
    if (n) memcpy(p, old, n * each);
    return p;
}

static ir_id new_values(ir_build *b, uint32_t n, const ir_type *const *type, uint32_t def)
{
    ir_fn *f = b->fn;
    const ir_id first = f->nvalue + 1;
    if (f->nvalue + n + 1 > b->value_capacity) {
        const uint32_t capacity = 2 * (f->nvalue + n) + 16;
        f->type = build_grown(f->arena, f->type, f->nvalue ? f->nvalue + 1 : 0, capacity, sizeof *f->type);
        b->def = build_grown(f->arena, b->def, f->nvalue ? f->nvalue + 1 : 0, capacity, sizeof *b->def);
        b->value_capacity = capacity;
    }
    for (uint32_t i = 0; i < n; i++) f->type[first + i] = type[i], b->def[first + i] = def;
    f->nvalue += n;
    return first;
}

ir_id ir_arg(ir_build *b, const ir_type *t)
{
    if (!t) return 0;
    if (b->fn->neqn) return base_bug(b->site, "an argument of %s after its first equation", b->fn->name);
    b->fn->narg++;
    return new_values(b, 1, &t, 0);
}

/* ---- types of an equation's results ---- */

/* The most results that e may have, plus the final NULL. The results of a function of C are listed in its attribute. */
uint32_t ir_infer_most(const ir_eqn *e)
{
    uint32_t n = e->op->nout > 0 ? (uint32_t)e->op->nout : e->nin;
    for (uint32_t s = 0; s < e->nsub; s++) if (e->sub[s]->nret > n) n = e->sub[s]->nret;
    for (const ir_field *f = e->op->nout < 0 ? e->op->field : NULL; f && f->name; f++)
        if (f->kind == IR_DIMS) n += (uint32_t)((const ir_dims *)(const void *)((const char *)e->attr + f->at))->n;
    return n + 1;
}

static bool count_fits(const ir_eqn *e, const char *what, int want, uint32_t got)
{
    return want < 0 || got == (uint32_t)want ||
           base_fail(TT_ETYPE, e->site, "%s has %d %s, not %u", e->op->name, want, what, got);
}

/* Sets the partial state of the results in s. Partial operands are allowed only if the equation is linear in them:
 * JOINT: all linear operands have the same state; EACH: one operand is partial. Otherwise the sum must be reduced
 * first: an error. */
static bool unite_partial(const ir_eqn *e, const ir_type *const *x, ir_type *s)
{
    uint64_t partial = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (x[i]->partial && i < 64) partial |= (uint64_t)1 << i;
    if (!partial) return true;
    const op_linear l = e->op->linear(e);
    const bool one = (partial & (partial - 1)) == 0;
    const uint64_t mask = l.in ? l.in : ~(uint64_t)0;    /* op_joint and op_each without a mask: every operand */
    const ir_type *first = x[__builtin_ctzll(partial)];
    bool alike = (partial & ~mask) == 0;
    for (uint32_t i = 0; i < e->nin && i < 64; i++) {
        if (l.kind != OP_JOINT || !(mask >> i & 1)) continue;
        alike &= x[i]->partial == first->partial && x[i]->reduce == first->reduce;
    }
    s->partial = first->partial;
    s->reduce = first->reduce;
    if (alike && ((l.kind == OP_JOINT && first->reduce == MESH_SUM) ||
        (l.kind == OP_EACH && one && first->reduce == MESH_SUM)))
        return true;
    base_fail(TT_ETYPE, e->site, "%s of a value whose parts must still be summed", e->op->name);
    return base_hint("finish it first with psum, or reduce_scatter");
}

static bool unite_states(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    ir_type s = { 0 };
    for (uint32_t i = 0; i < e->nin; i++) s.vary |= x[i]->vary, s.reduced |= x[i]->reduced;
    if (!unite_partial(e, x, &s)) return false;
    if (!s.vary && !s.partial && !s.reduced) return true;
    for (; *y; y++) *y = ir_type_states(*y, s.vary | (*y)->vary, s.partial, s.reduce, s.reduced);
    return true;
}

bool ir_infer(const ir_eqn *e, const ir_type *const *x, const ir_type **y, uint32_t *nout)
{
    const uint64_t before = base_failures();
    const uint32_t capacity = ir_infer_most(e);
    if (!count_fits(e, "operands", e->op->nin, e->nin) || !count_fits(e, "regions", e->op->nsub, e->nsub)) return false;
    memset(y, 0, capacity * sizeof *y);
    if (!op_infer(e, x, y))
        return before == base_failures() ? base_bug(e->site, "%s: no types, and no error", e->op->name) : false;
    if (base_failures() != before) return false;         /* an invalid type: too many dims, a negative size */
    uint32_t n = 0;
    while (n < capacity && y[n]) n++;
    *nout = n;
    if (e->op->nout >= 0 && n != (uint32_t)e->op->nout)
        return base_bug(e->site, "%s: types for %u results of %d", e->op->name, n, e->op->nout);
    return e->op->states || e->op->edges || unite_states(e, x, y); /* structural primitives: typed by their regions */
}

/* ---- equations ---- */

static bool poisoned(ir_build *b, const op_prim *op, uint32_t nin, const ir_id *in, uint32_t nsub, ir_fn *const *sub)
{
    bool bad = false;
    for (uint32_t i = 0; i < nin; i++) bad |= in[i] == 0;
    for (uint32_t i = 0; i < nsub; i++) bad |= !sub[i];
    if (bad && !base_failed()) base_bug(b->site, "%s: an operand or region is missing", op->name);
    for (uint32_t i = 0; i < nin && !bad; i++)
        if (in[i] > b->fn->nvalue)
            bad = !base_bug(b->site, "%s: operand %u is no value of %s", op->name, i, b->fn->name);
    return bad;
}

static void cite_operands(ir_build *b, const ir_eqn *e)  /* adds the operands' sites to the error */
{
    for (uint32_t i = 0; i < e->nin && i < 4; i++) {
        const ir_eqn *d = ir_def(b, e->in[i]);
        base_also(d ? d->site : NULL, "operand %u: %s", i,
                  ir_type_text_on(b->fn->arena, b->fn->mesh, b->fn->type[e->in[i]]));
    }
}

/* A long function is usually rebuilt several times in a row with few changes, so the arrays of a long function are
 * allocated at once for as many equations as the last long function had. */
enum { LONG = 512 };
static _Thread_local uint32_t last_long;

static ir_eqn *new_eqn(ir_build *b)
{
    ir_fn *f = b->fn;
    if (f->neqn == b->eqn_capacity) {
        uint32_t capacity = 2 * f->neqn + 6;             /* stored after success: tracing goes on after a failure */
        if (capacity > LONG && capacity < last_long + last_long / 16) capacity = last_long + last_long / 16;
        f->eqn = build_grown(f->arena, f->eqn, f->neqn, capacity, sizeof *f->eqn);
        b->eqn_capacity = capacity;
    }
    return &f->eqn[f->neqn++];
}

ir_id ir_emit(ir_build *b, const op_prim *op, const void *attr, uint32_t nin, const ir_id *in, uint32_t nsub,
              ir_fn *const *sub)
{
    ir_fn *f = b->fn;
    if (poisoned(b, op, nin, in, nsub, sub)) return 0;
    ir_id *own = BASE_COPY(f->arena, in, nin);
    if (!op_unify(b, op, attr, nin, own)) return 0;
    ir_eqn e = { .op = op, .attr = ir_attr_intern(op, attr), .fn = f, .in = own, .sub = BASE_COPY(f->arena, sub, nsub),
                 .nin = nin, .nsub = nsub, .site = b->site };
    enum { FEW = 16 };
    const uint32_t capacity = ir_infer_most(&e);
    const ir_type *few_x[FEW], *few_y[FEW], **x = nin <= FEW ? few_x : BASE_NEW(f->arena, const ir_type *, nin);
    const ir_type **y = capacity <= FEW ? few_y : BASE_NEW(f->arena, const ir_type *, capacity);
    for (uint32_t i = 0; i < nin; i++) x[i] = f->type[own[i]];
    const bool clean = !base_failed();
    if (!ir_infer(&e, x, y, &e.nout)) {
        if (clean && base_failed() && !base_failed()->ncite) cite_operands(b, &e);
        return 0;
    }
    e.out = new_values(b, e.nout, y, f->neqn + 1);
    *new_eqn(b) = e;
    return e.out;
}

/* Emits an equation with the primitive, attributes and regions of `like`. If the operands have the same types, so have
 * the results, and inference is skipped; primitives whose inference may depend on the mesh also need the same mesh. */
ir_id ir_clone(ir_build *b, const ir_eqn *like, const ir_id *in)
{
    ir_fn *f = b->fn;
    bool alike = like->fn->mesh == f->mesh || like->op->kernel == OP_MAP || like->op->kernel == OP_CONTRACT;
    if (poisoned(b, like->op, like->nin, in, like->nsub, like->sub)) return 0;
    for (uint32_t i = 0; alike && i < like->nin; i++) alike = f->type[in[i]] == IR_IN(like, i);
    if (!alike) return ir_emit(b, like->op, like->attr, like->nin, in, like->nsub, like->sub);
    ir_eqn e = { .op = like->op, .attr = like->attr, .fn = f, .in = BASE_COPY(f->arena, in, like->nin),
                 .sub = BASE_COPY(f->arena, like->sub, like->nsub), .nin = like->nin, .nout = like->nout,
                 .nsub = like->nsub, .site = b->site };
    e.out = new_values(b, e.nout, like->fn->type + like->out, f->neqn + 1);
    *new_eqn(b) = e;
    return e.out;
}

bool ir_inline(ir_build *b, const ir_fn *f, const ir_id *in, ir_id *out)
{
    const base_site site = b->site;
    ir_id *map = IR_NEW(b, ir_id, f->nvalue + 1);
    bool ok = true;
    if (f->narg) memcpy(map + 1, in, f->narg * sizeof *map);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id *arg = IR_NEW(b, ir_id, e->nin);
        for (uint32_t i = 0; i < e->nin; i++) arg[i] = map[e->in[i]];
        ir_site(b, e->site ? e->site : site);
        const ir_id first = ir_clone(b, e, arg);
        ok &= first != 0;
        for (uint32_t i = 0; i < e->nout; i++) map[e->out + i] = first ? first + i : 0;
    }
    ir_site(b, site);
    for (uint32_t i = 0; i < f->nret; i++) out[i] = map[f->ret[i]];
    return ok;
}

bool ir_ordered(const ir_eqn *e)
{
    bool any = e->op->ordered;
    for (uint32_t s = 0; s < e->nsub && !any; s++) any = e->sub[s]->ordered;
    return any;
}

ir_fn *ir_end(ir_build *b, uint32_t nret, const ir_id *ret)
{
    ir_fn *f = b->fn;
    bool bad = false;
    for (uint32_t i = 0; i < nret; i++) bad |= ret[i] == 0;
    if (bad && !base_failed()) base_bug(b->site, "%s: a result is missing", f->name);
    if (bad) return NULL;
    if (f->neqn > LONG) last_long = f->neqn;
    for (uint32_t k = 0; k < f->neqn && !f->ordered; k++) f->ordered = ir_ordered(&f->eqn[k]);
    f->nret = nret;
    f->ret = BASE_COPY(f->arena, ret, nret);
    f->donate = BASE_NEW(f->arena, bool, f->narg);
    return ir_well_formed(f) ? f : NULL;
}

ir_fn *ir_fn_copy(base_arena *a, const ir_fn *f)
{
    ir_fn *g = BASE_COPY(a, f, 1);
    g->arena = a;
    g->type = f->type ? BASE_COPY(a, f->type, f->nvalue + 1) : NULL;
    g->layout = f->layout ? BASE_COPY(a, f->layout, f->nvalue + 1) : NULL;
    g->donate = f->donate ? BASE_COPY(a, f->donate, f->narg) : NULL;
    g->ret = BASE_COPY(a, f->ret, f->nret);
    g->eqn = BASE_COPY(a, f->eqn, f->neqn);
    for (uint32_t k = 0; k < f->neqn; k++) {
        ir_eqn *e = &g->eqn[k];
        ir_fn **sub = BASE_NEW(a, ir_fn *, e->nsub);
        for (uint32_t r = 0; r < e->nsub; r++) sub[r] = ir_fn_copy(a, e->sub[r]);
        e->fn = g;
        e->in = BASE_COPY(a, e->in, e->nin);
        e->sub = sub;
        e->sharding = NULL; /* in another arena */
    }
    return g;
}
