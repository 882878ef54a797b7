/* plan/fuse/kernel.c - kernels of fusion groups: one per distinct content.
 *
 * The equations of a group are emitted into a small function of their own, whose arguments are the values that the
 * group reads. So a kernel depends on nothing of the surrounding program, a group may extend across the border of a
 * manual region, and type states are dropped. Groups of equal content (primitives, attributes, regions, types, layouts,
 * data flow) share a kernel. */
#include "../inner.h"
#include "../../op/ops.h"

#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t *word; size_t n, cap; } key;   /* one buffer, reused for all groups */

typedef struct {
    plan_flat *f; plan_group *g;
    uint32_t nin, nout; plan_id *in, *out;
} group;

static int by_index(const void *x, const void *y)
{
    const plan_item *a = *(plan_item *const *)x, *b = *(plan_item *const *)y;
    return (a->index > b->index) - (a->index < b->index);
}

/* Index of the group's member that computes v or the value that v views; -1: v is read from memory. */
static int inside(const group *s, plan_id v)
{
    if (!plan_made_inside(s->f, s->g, v)) return -1;
    for (uint32_t i = 0; i < s->g->n; i++) if (s->g->item[i] == s->f->value[v].def) return (int)i;
    return -1;
}

/* Index of the result of member m that v is, or is a view of. */
static uint32_t result_of(const group *s, int m, plan_id v)
{
    const plan_item *t = s->g->item[m];
    uint32_t y = 0;
    while (y + 1 < t->nout && t->out[y] != s->f->value[v].base) y++;
    return y;
}

/* Index of the kernel argument that is operand k of member i. A single equation keeps its operands as given, including
 * repeated ones. */
static uint32_t kernel_operand(const group *s, uint32_t i, uint32_t k)
{
    uint32_t n = 0;
    if (s->g->n == 1) return k;
    while (s->in[n] != s->g->item[i]->in[k]) n++;
    return n;
}

static void kernel_argument(group *s, plan_id v)
{
    for (uint32_t i = 0; i < s->nin; i++) if (s->in[i] == v) return;
    s->in[s->nin++] = v;
}

/* Lists the kernel's operands and results. A single equation has all its results as arguments, used or not. */
static void arguments(group *s)
{
    plan_group *g = s->g;
    uint32_t most = 0, made = 0;
    for (uint32_t i = 0; i < g->n; i++) most += g->item[i]->nin, made += g->item[i]->nout;
    s->in = BASE_NEW(s->f->a, plan_id, most);
    s->out = BASE_NEW(s->f->a, plan_id, made);
    for (uint32_t i = 0; i < g->n; i++) {
        const plan_item *t = g->item[i];
        for (uint32_t k = 0; k < t->nin; k++)
            if (g->n == 1) s->in[s->nin++] = t->in[k];
            else if (inside(s, t->in[k]) < 0) kernel_argument(s, t->in[k]);
        for (uint32_t j = 0; j < t->nout; j++)
            if (g->n == 1 || (plan_owns(g, t) && s->f->value[t->out[j]].uses)) s->out[s->nout++] = t->out[j];
    }
}

/* ---- content ---- */

static void kernel_key_push(base_arena *a, key *k, uint64_t w)
{
    if (k->n == k->cap) {
        k->cap = k->cap ? 2 * k->cap : 64;
        uint64_t *grown = BASE_NEW(a, uint64_t, k->cap);
        if (k->n) memcpy(grown, k->word, k->n * sizeof *grown);
        k->word = grown;
    }
    k->word[k->n++] = w;
}

static void kernel_key_value(const plan_flat *f, key *k, plan_id v)
{
    const plan_value *x = &f->value[v];
    kernel_key_push(f->a, k, (uint64_t)(uintptr_t)ir_type_of(x->dtype, x->rank, x->dim));
    kernel_key_push(f->a, k, (uint64_t)(uintptr_t)x->layout);
}

/* True if an error of the equation's kernel names the equation's line, so that no other equation shares the kernel. */
static bool kernel_names_line(const ir_eqn *e)
{
    return e->op->ordered || (e->op == &prim_gather && IR_ATTR(e, op_gather_attr)->checked);
}

static void content(const group *s, key *k)
{
    base_arena *a = s->f->a;
    k->n = 0;
    kernel_key_push(a, k, s->g->item[0]->ref);
    for (uint32_t i = 0; i < s->g->n; i++) {
        const plan_item *t = s->g->item[i];
        kernel_key_push(a, k, (uint64_t)(uintptr_t)t->eqn->op);
        kernel_key_push(a, k, (uint64_t)(uintptr_t)t->eqn->attr);
        kernel_key_push(a, k, (uint64_t)t->nin << 32 | t->nout);
        if (kernel_names_line(t->eqn)) kernel_key_push(a, k, (uint64_t)(uintptr_t)t->eqn->site);
        for (uint32_t r = 0; r < t->eqn->nsub; r++) kernel_key_push(a, k, ir_hash(t->eqn->sub[r]));
        for (uint32_t x = 0; x < t->nin; x++) {
            const int m = inside(s, t->in[x]);
            kernel_key_push(a, k, m < 0 ? (uint64_t)kernel_operand(s, i, x)
                            : (uint64_t)m | (uint64_t)(1 + result_of(s, m, t->in[x])) << 32);
            kernel_key_value(s->f, k, t->in[x]);
        }
        for (uint32_t y = 0; y < t->nout; y++) kernel_key_value(s->f, k, t->out[y]);
    }
    for (uint32_t j = 0; j < s->nout; j++) kernel_key_push(a, k, (uint64_t)inside(s, s->out[j]));
}

/* ---- the group's own function ---- */

static const ir_type *kernel_plain_type(const ir_type *t) { return ir_type_of(t->dtype, t->rank, t->dim); }

static ir_fn *kernel_rewrite(group *s, ir_id *arg, ir_id *made)
{
    const plan_group *g = s->g;
    ir_build *b = ir_begin(s->f->a, base_intern("kernel"), s->f->mesh);
    for (uint32_t i = 0; i < g->n; i++)                  /* arguments first: ids 1..narg */
        for (uint32_t k = 0; k < g->item[i]->nin; k++) {
            if (inside(s, g->item[i]->in[k]) >= 0) continue;
            ir_id *a = &arg[kernel_operand(s, i, k)];
            if (!*a) *a = ir_arg(b, kernel_plain_type(IR_IN(g->item[i]->eqn, k)));
        }
    for (uint32_t i = 0; i < g->n; i++) {
        const plan_item *t = g->item[i];
        ir_id *x = IR_NEW(b, ir_id, t->nin + 1);
        for (uint32_t k = 0; k < t->nin; k++) {
            const int m = inside(s, t->in[k]);
            x[k] = m >= 0 ? made[m] + result_of(s, m, t->in[k]) : arg[kernel_operand(s, i, k)];
            if (m >= 0 && s->f->value[t->in[k]].base != t->in[k]) {
                const plan_value *v = &s->f->value[t->in[k]];
                x[k] = op_reshape(b, x[k], v->rank, v->dim);
            }
        }
        ir_site(b, t->eqn->site);
        made[i] = ir_emit(b, t->eqn->op, t->eqn->attr, t->nin, x, t->eqn->nsub, t->eqn->sub);
        if (!made[i]) return NULL;
    }
    ir_id *ret = IR_NEW(b, ir_id, s->nout + 1);
    for (uint32_t j = 0; j < s->nout; j++) {
        const int m = inside(s, s->out[j]);
        ret[j] = made[m] + result_of(s, m, s->out[j]);
    }
    return ir_end(b, s->nout, ret);
}

static plan_kernel *kernel_make(group *s)
{
    plan_flat *f = s->f;
    plan_kernel *k = BASE_NEW(f->a, plan_kernel, 1);
    ir_id *arg = BASE_NEW(f->keep, ir_id, s->nin + 1), *made = BASE_NEW(f->a, ir_id, s->g->n);
    const ir_fn *fn = kernel_rewrite(s, arg, made);
    if (!fn) return NULL;
    fn = ir_fn_copy(f->keep, fn);
    const ir_eqn **eqn = BASE_NEW(f->keep, const ir_eqn *, fn->neqn);
    for (uint32_t i = 0; i < fn->neqn; i++) eqn[i] = &fn->eqn[i];
    k->group = (gen_group){ fn->neqn, eqn, s->nin, s->nout, arg, fn->ret, f->reproducible };
    k->number = f->nkernel++;
    const bool host = eqn[0]->op->kernel == OP_HOST;     /* emit.c makes a step without a kernel of it */
    const bool ref = (s->g->item[0]->ref || host) && !gen_ref.refuses(&k->group);
    return (ref ? gen_ref.make : gen_kernel)(f->keep, &k->group, &k->code) ? k : NULL;
}

static bool kernel(plan_flat *f, plan_item *leader, key *c)
{
    plan_group *g = leader->group;
    while (g->into) g = g->into;
    group s = { .f = f, .g = g };
    qsort(g->item, g->n, sizeof *g->item, by_index);
    arguments(&s);
    content(&s, c);
    const size_t bytes = c->n * sizeof *c->word;
    const size_t capacity = sizeof f->kernel / sizeof *f->kernel;
    plan_kernel **head = &f->kernel[base_hash(f->reproducible, c->word, bytes) % capacity], *k;
    for (k = *head; k; k = k->next) if (k->nkey == bytes && !memcmp(k->key, c->word, bytes)) break;
    if (!k) {
        if (!(k = kernel_make(&s))) return false;
        k->key = base_copy(f->a, c->word, bytes);
        k->nkey = bytes;
        k->next = *head;
        *head = k;
    }
    g->kernel = k;
    g->nin = s.nin, g->in = s.in, g->nout = s.nout, g->out = s.out;
    leader->group = g;
    if (s.nout) leader->vary = f->value[s.out[0]].vary;
    if (g->n > 1) leader->site = g->item[g->n - 1]->eqn->site;
    return true;
}

static bool kernels(plan_flat *f, plan_block *b, key *c)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (t->kind == PLAN_EQN && !kernel(f, t, c)) return false;
        PLAN_EACH_BLOCK(t, nested) if (!kernels(f, nested, c)) return false;
    }
    return true;
}

bool plan_kernels(plan_flat *f, plan_block *b) { return kernels(f, b, &(key){ 0 }); }

/* Kernels that occur only inside other kernels (chain.c, epilogue.c, prologue.c) get no number. */
static void kernel_number(plan_flat *f, const plan_block *b, bool first)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        plan_kernel *k = t->kind == PLAN_EQN ? t->group->kernel : NULL;
        if (k && first) k->number = UINT32_MAX;
        else if (k && k->number == UINT32_MAX) k->number = f->nkernel++;
        PLAN_EACH_BLOCK(t, nested) kernel_number(f, nested, first);
    }
}

void plan_number_kernels(plan_flat *f)
{
    f->nkernel = 0;
    kernel_number(f, &f->main, true);
    kernel_number(f, &f->main, false);
}
