/* driver/eager.c - eager calls: each runs a program of one equation, cached by the call's content.
 *
 * The key consists of pointers: the primitive, interned attributes, types and layouts of the operands, and content of
 * regions. Layouts of results come from the same propagation as in a compiled program, because an eager call is one. */
#include "inner.h"

#include "../pass/pass.h"

#include <string.h>

static driver_table calls = { .lock = PTHREAD_MUTEX_INITIALIZER, .most = 1024, .most_bytes = 64 << 20 };

typedef struct {
    base_site site;
    const op_prim *op; const void *attr;
    uint32_t n; run_array *const *in;
    uint32_t nsub; ir_fn *const *sub;
    const mesh *mesh;
    base_arena *a;
    ir_fn *fn;
} call;

/* The mesh of the attributes' layouts: an eager reshard moves a value to a mesh that it is not on yet. */
static const mesh *attr_mesh(const op_prim *op, const void *attr)
{
    for (const ir_field *f = op->field; f && f->name; f++) {
        if (f->kind != IR_LAYOUTS) continue;
        const ir_layouts *l = (const ir_layouts *)((const char *)attr + f->at);
        for (int i = 0; i < l->n; i++) if (l->v[i]) return l->v[i]->mesh;
    }
    return NULL;
}

static void build(void *arg)
{
    call *c = arg;
    c->a = base_open();
    ir_build *b = ir_begin(c->a, c->op->name, c->mesh);
    ir_id *x = IR_NEW(b, ir_id, c->n + 1);
    ir_fn **sub = IR_NEW(b, ir_fn *, c->nsub + 1);
    for (uint32_t i = 0; i < c->n; i++) x[i] = ir_arg(b, run_type(c->in[i]));
    for (uint32_t i = 0; i < c->nsub; i++) if (!(sub[i] = pass_on_mesh(c->a, c->sub[i], c->mesh))) return;
    ir_site(b, c->site);
    ir_id y = ir_emit(b, c->op, c->attr, c->n, x, c->nsub, sub);
    const uint32_t nout = y ? ir_def(b, y)->nout : 0;
    ir_id *ret = IR_NEW(b, ir_id, nout + 1);
    for (uint32_t j = 0; j < nout; j++) ret[j] = y + j;
    if (y) c->fn = ir_end(b, nout, ret);
}

static driver_entry *miss(call *c, uint64_t hash, const uint64_t *key, uint32_t nkey)
{
    run_program *p = NULL;
    const mesh_layout *layout[c->n + 1];
    for (uint32_t i = 0; i < c->n; i++) layout[i] = run_layout(c->in[i]);
    if (base_catch(build, c) && c->fn) {
        const driver_config config = { .in = layout, .flags = driver_flags(0), .strict = driver_strict(0),
            .eager = true };
        p = driver_pipeline(c->fn, c->mesh, &config);
    }
    if (c->a) base_close(c->a);
    return p ? driver_insert(&calls, hash, key, nkey, p) : NULL;
}

bool driver_one(base_site site, const op_prim *op, const void *attr, uint32_t n, run_array *const *in, uint32_t nsub,
                ir_fn *const *sub, run_array **out, uint32_t *nout)
{
    uint64_t key[6 + 2 * n + nsub];
    uint32_t k = 0;
    call c = { site, op, attr, n, in, nsub, sub, nsub ? sub[0]->mesh : NULL, NULL, NULL };
    key[k++] = (uintptr_t)op;
    key[k++] = (uintptr_t)ir_attr_intern(op, attr);
    key[k++] = (uint64_t)n << 32 | nsub;
    const uint32_t flags = driver_flags(0);
    key[k++] = flags;
    key[k++] = flags & DRIVER_CHECKS ? (uintptr_t)site : 0;          /* errors of the program name its line */
    for (uint32_t i = 0; i < n; i++) {
        const mesh_layout *l = run_layout(in[i]);
        key[k++] = (uintptr_t)run_type(in[i]);
        key[k++] = (uintptr_t)l;
        if (!c.mesh && l) c.mesh = l->mesh;
    }
    if (!c.mesh) c.mesh = attr_mesh(op, attr);
    key[k++] = (uintptr_t)c.mesh;
    for (uint32_t i = 0; i < nsub; i++) key[k++] = ir_hash(sub[i]);
    const uint64_t hash = base_hash(0, key, sizeof key);
    driver_entry *e = driver_find(&calls, hash, key, k);
    if (e) DRIVER_COUNT(eager_hits, 1);
    else {
        DRIVER_COUNT(eager_misses, 1);
        if (!(e = miss(&c, hash, key, k))) return false;
    }
    const bool ok = run_launch(e->program, in, NULL, out);
    if (ok) *nout = run_plan_of(e->program)->nresult;
    driver_release(&calls, e);
    return ok;
}

void driver_forget_eager(void) { driver_clear(&calls); }
void driver_trim_eager(void) { driver_trim(&calls, 0, 0); }
