/* plan/memory/order.c - orders steps: a step that frees more memory than it needs runs as early as possible.
 *
 * An optimizer's update comes at a program's end, but its gradient is computed long before: moved up, the update frees
 * the gradient while it is in the cache, and writes the parameter in place. So the order is the program's order, and
 * after each step come the steps whose operands are all computed and whose results need no more bytes (over all
 * instances) than their dying operands free; results of the program count as 0 bytes.
 * - Steps that compute a few numbers from a few (for example a rate that updates wait for) run as early as possible.
 * - A step that reads a donated argument waits until it is the argument's last reader; otherwise its result could not
 *   take the argument's buffer.
 * - A step that computes a large result from little waits until another step reads the result: for example, the
 *   gradient of a table that is also a product's weight would otherwise be live from the loss on.
 * - Copies stay where they are: carries are refilled at a block's end.
 *
 * Before that, small sums over devices are grouped in every block, because at each sum all instances must have their
 * part before any part is read. So each sum waits until
 * (a) a step needs one of the waiting sums and is more than a small step towards a result (a loss, a small parameter's
 *     update);
 * (b) other data move; or
 * (c) a step is not an equation.
 * Then the sum is emitted together with all other sums whose operands are computed. The readers of the sums come after
 * the last of them. */
#include "../../base/machine.h"
#include "../inner.h"

#include <string.h>

enum { SMALL = 64 << 10, HELD = BASE_L2 / 2 };   /* bytes of one sum, and of all sums of a device, that may wait */
enum { FEW = 64 };                                       /* bytes of a value that is a few numbers */
enum { LARGE = 16 << 20 };                               /* bytes of results that are worth delaying */

typedef struct { uint32_t n, *item; } consumers;
typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t *waits;                                     /* [item]: number of operands not computed yet */
    bool *done;
    uint32_t *left;   /* [value]: number of readers in this block that are not emitted */
    consumers *of;                                       /* [value] */
    const bool *returned, *donated, *inside;             /* [value]; inside: read in a nested block */
    uint32_t *made;   /* [value]: 1 + index of the item of this block that computes it; 0: none */
    plan_item **out; uint32_t n;
    uint32_t depth;                                      /* of wake */
} order;

/* The distinct values that t reads. */
static uint32_t order_reads(const order *s, const plan_item *t, plan_id *v)
{
    const plan_id *in;
    uint32_t n = 0;
    for (uint32_t k = 0, most = plan_step_operands(t, &in); k < most; k++) {
        const plan_id base = s->f->value[in[k]].base;
        uint32_t i = 0;
        while (i < n && v[i] != base) i++;
        if (i == n) v[n++] = base;
    }
    return n;
}

static int64_t total(const plan_flat *f, plan_id v)
{
    return f->value[v].bytes * (f->mesh ? mesh_set_size(f->mesh, f->value[v].vary) : 1);
}

/* ---- small sums ---- */

static bool small_sum(const plan_flat *f, const plan_item *t)
{
    return t->kind == PLAN_MOVE && !t->move.copy && t->move.route.over && t->move.route.reduce != MESH_NONE
           && f->value[t->in[0]].bytes <= SMALL && f->value[t->out[0]].root == t->out[0];
}

/* Flags of a value: its step is emitted; its step waits; a step for which last_steps() is false reads it. */
enum { MADE = 1, WAITS = 2, NEEDED = 4 };
typedef struct {
    plan_flat *f; plan_block *b;
    uint8_t *is;                                         /* [value] */
    plan_item **sum; uint32_t nsum, late;   /* small sums that are not emitted; the first `late` were reached already */
    plan_item **after; uint32_t nafter;  /* waiting steps for which last_steps() is true: they read the sums */
    plan_item **out; uint32_t n;
    int64_t held;                                        /* bytes of the waiting sums of one device */
} together;

/* True if t is small and only results of the program depend on t. */
static bool last_steps(const together *s, const plan_item *t)
{
    const plan_id *out;
    if (t->kind != PLAN_EQN || t->eqn->op->ordered) return plan_is_copy(t);
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++)
        if (s->is[s->f->value[out[j]].base] & NEEDED || s->f->value[out[j]].bytes > SMALL) return false;
    return true;
}

static bool waits(const together *s, const plan_item *t)
{
    const plan_id *in;
    for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) if (s->is[s->f->value[in[k]].base] & WAITS)
        return true;
    return false;
}

static void order_mark(together *s, const plan_item *t, uint8_t as)
{
    const plan_id *out;
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++) {
        uint8_t *x = &s->is[s->f->value[out[j]].base];
        *x = (*x & NEEDED) | as;
    }
}

static void emit_step(together *s, plan_item *t)
{
    order_mark(s, t, MADE);
    s->out[s->n++] = t;
}

/* Emits the sums that wait, all others whose operands are computed, and the steps that wait for them. */
static void emit_sums(together *s)
{
    uint32_t left = 0;
    for (uint32_t l = 0; l < s->nsum; l++) {
        plan_item *t = s->sum[l];
        const plan_id x = s->f->value[t->in[0]].base;
        const plan_item *maker = s->f->value[x].def;
        const bool ready = !maker || maker->block != s->b || s->is[x] & MADE;
        if (l < s->late || ready) emit_step(s, t);
        else s->sum[left++] = t;
    }
    for (uint32_t l = 0; l < s->nafter; l++) emit_step(s, s->after[l]);
    s->nsum = left;
    s->late = s->nafter = 0;
    s->held = 0;
}

static void pass(together *s, plan_item *t)
{
    const bool sum = small_sum(s->f, t), wait = waits(s, t);
    if (s->late && (s->held > HELD || (sum ? wait : t->kind != PLAN_EQN || t->eqn->op->ordered))) emit_sums(s);
    else if (wait && !last_steps(s, t)) emit_sums(s);
    else if (wait) s->after[s->nafter++] = t, order_mark(s, t, WAITS);
    if (sum && s->late < s->nsum && s->sum[s->late] == t) {
        s->late++;
        s->held += s->f->value[t->in[0]].bytes;
        order_mark(s, t, WAITS);
    } else if (!sum && !waits(s, t)) {
        emit_step(s, t);
    }
}

static void group_small_sums(plan_flat *f, plan_block *b, uint8_t *is)
{
    const plan_id *in;
    if (!b->n) return;
    together s = { .f = f, .b = b, .is = is, .sum = BASE_NEW(f->a, plan_item *, b->n + 1),
                   .after = BASE_NEW(f->a, plan_item *, b->n + 1), .out = BASE_NEW(f->a, plan_item *, b->n + 1) };
    for (uint32_t i = b->n; i-- > 0;)
        for (uint32_t k = 0, n = last_steps(&s, b->item[i]) ? 0 : plan_step_operands(b->item[i], &in); k < n; k++)
            is[f->value[in[k]].base] |= NEEDED;
    for (uint32_t i = 0; i < b->n; i++) if (small_sum(f, b->item[i])) s.sum[s.nsum++] = b->item[i];
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        pass(&s, t);                                     /* before its nested blocks, which may read waiting sums */
        PLAN_EACH_BLOCK(t, nested) group_small_sums(f, nested, is);
    }
    if (s.late) emit_sums(&s);
    b->item = s.out;
}

/* ---- early steps ---- */

/* True if t computes a few numbers from a few numbers: keeping them costs nothing, and steps that wait for them may
 * free much memory. */
static bool few(const order *s, const plan_item *t)
{
    const plan_id *out, *in;
    for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) if (s->f->value[in[k]].bytes > FEW) return false;
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++) if (s->f->value[out[j]].bytes > FEW) return false;
    return t->kind == PLAN_EQN;
}

static bool gives(const order *s, const plan_item *t)
{
    const plan_id *out, *in;
    int64_t freed = 0;
    if (small_sum(s->f, t)) return false;
    if (t->kind == PLAN_LOOP || t->kind == PLAN_CHOOSE || t->kind == PLAN_SLICE_PTR || plan_is_copy(t) ||
        (t->eqn && t->eqn->op->ordered)) return false;
    if (t->kind == PLAN_MOVE && s->f->value[t->out[0]].root != t->out[0]) return false;
    plan_id v[plan_step_operands(t, &in) + 1];
    for (uint32_t k = 0, n = order_reads(s, t, v); k < n; k++) {
        const plan_item *maker = s->f->value[v[k]].def;
        const bool last = s->left[v[k]] == 1, ours = maker && !maker->dropped && !s->returned[v[k]];
        if (s->donated[v[k]] && !last) return false;
        if (last && ours) freed += total(s->f, v[k]);
    }
    if (few(s, t)) return true;
    if (!freed) return false;
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++)
        if (!s->returned[out[j]]) freed -= total(s->f, out[j]);
    return freed >= 0;
}

enum { DEEPEST = 128 };                                  /* steps that wake each other; later ones keep their place */
static void order_emit(order *, uint32_t);

/* Emits the steps that waited for v (made), or for which v's last other reader was emitted (!made), if that frees
 * memory. */
static void wake(order *s, plan_id v, bool made)
{
    const consumers *r = &s->of[v];
    if ((!made && s->left[v] != 1) || s->depth == DEEPEST) return;
    s->depth++;
    for (uint32_t k = 0; k < r->n; k++)
        if (!s->done[r->item[k]] && !s->waits[r->item[k]] && gives(s, s->b->item[r->item[k]])) order_emit(s,
            r->item[k]);
    s->depth--;
}

/* Emits step i and, if it is a small sum, the small sums directly after it; then the steps that waited for them. */
static void order_emit(order *s, uint32_t i)
{
    const plan_id *in, *out;
    uint32_t end = i;
    if (s->done[i]) return;
    do {
        const plan_item *t = s->b->item[end];
        plan_id v[plan_step_operands(t, &in) + 1];
        const uint32_t nv = order_reads(s, t, v), nout = plan_step_results(t, &out);
        s->done[end] = true;
        s->out[s->n++] = s->b->item[end++];
        for (uint32_t k = 0; k < nv; k++) s->left[v[k]]--;
        for (uint32_t j = 0; j < nout; j++)
            for (uint32_t k = 0; k < s->of[out[j]].n; k++) s->waits[s->of[out[j]].item[k]]--;
    } while (small_sum(s->f, s->b->item[i]) && end < s->b->n && small_sum(s->f, s->b->item[end]) && !s->waits[end]);
    for (; i < end; i++) {
        const plan_item *t = s->b->item[i];
        plan_id v[plan_step_operands(t, &in) + 1];
        const uint32_t nv = order_reads(s, t, v), nout = plan_step_results(t, &out);
        for (uint32_t j = 0; j < nout; j++) wake(s, out[j], true);
        for (uint32_t k = 0; k < nv; k++) wake(s, v[k], false);
    }
}

static void link_up(order *s)
{
    plan_flat *f = s->f;
    bool *here = BASE_NEW(f->a, bool, f->nvalue + 1);
    const plan_id *in, *out;
    for (uint32_t pass = 0; pass < 2; pass++)            /* pass 0 counts, pass 1 fills */
        for (uint32_t i = 0; i < s->b->n; i++) {
            const plan_item *t = s->b->item[i];
            plan_id v[plan_step_operands(t, &in) + 1];
            for (uint32_t k = 0, n = order_reads(s, t, v); k < n; k++) {
                consumers *r = &s->of[v[k]];
                if (!pass) s->left[v[k]]++;
                else {
                    if (!r->item) r->item = BASE_NEW(f->a, uint32_t, s->left[v[k]]);
                    r->item[r->n++] = i;
                    s->waits[i] += here[v[k]];
                }
            }
            for (uint32_t j = 0, n = plan_step_results(t, &out); !pass && j < n; j++) {
                here[f->value[out[j]].base] = true;
                s->made[f->value[out[j]].base] = i + 1;
            }
        }
}

/* ---- late steps ---- */

static void look_inside(const plan_flat *f, const plan_block *b, bool outer, bool *inside)
{
    const plan_id *in;
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        for (uint32_t k = 0, n = outer ? 0 : plan_step_operands(t, &in); k < n; k++)
            inside[f->value[in[k]].base] = true;
        PLAN_EACH_BLOCK(t, nested) look_inside(f, nested, false, inside);
    }
}

/* Index of the first item that reads a result of t; 0: there is none, or t must stay. Adds the results' bytes. */
static uint32_t first_consumer(const order *s, const plan_item *t, int64_t *bytes)
{
    const plan_id *out;
    uint32_t first = s->b->n;
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n; j++) {
        const plan_value *x = out[j] ? &s->f->value[out[j]] : NULL;
        if (!x || x->base != out[j] || x->root != out[j] || s->returned[out[j]] || s->inside[out[j]]) return 0;
        const consumers *r = &s->of[out[j]];
        if (r->n && r->item[0] < first) first = r->item[0];
        *bytes += total(s->f, out[j]);
    }
    return first < s->b->n ? first : 0;
}

/* True if delaying step i to the first reader of its results lowers memory use, even though i's operands are kept until
 * then. */
static bool is_late(const order *s, uint32_t i)
{
    const plan_item *t = s->b->item[i];
    const plan_id *in;
    int64_t made = 0, held = 0;
    if (t->kind != PLAN_EQN || !t->eqn || t->eqn->op->ordered || few(s, t)) return false;
    const uint32_t first = first_consumer(s, t, &made);
    if (made < LARGE || first <= i + 1) return false;
    plan_id v[plan_step_operands(t, &in) + 1];
    for (uint32_t k = 0, n = order_reads(s, t, v); k < n; k++) {
        const consumers *r = &s->of[v[k]];
        if (s->donated[v[k]]) return false;
        if (s->f->value[v[k]].def && !s->returned[v[k]] && r->item[r->n - 1] < first) held += total(s->f, v[k]);
    }
    return 2 * held <= made;
}

/* Emits step i, and before it the steps that it waits for. */
static void demand(order *s, uint32_t i)
{
    const plan_id *in;
    if (s->done[i]) return;
    plan_id v[plan_step_operands(s->b->item[i], &in) + 1];
    for (uint32_t k = 0, n = order_reads(s, s->b->item[i], v); k < n; k++) {
        const uint32_t m = s->made[v[k]];
        if (m && m - 1 < i) demand(s, m - 1);
    }
    order_emit(s, i);
}

static void sort(plan_flat *f, plan_block *b, const bool *returned, const bool *donated, const bool *inside)
{
    order s = { .f = f, .b = b, .returned = returned, .donated = donated, .inside = inside };
    s.made = BASE_NEW(f->a, uint32_t, f->nvalue + 1);
    s.waits = BASE_NEW(f->a, uint32_t, b->n + 1);
    s.done = BASE_NEW(f->a, bool, b->n + 1);
    s.out = BASE_NEW(f->a, plan_item *, b->n + 1);
    s.left = BASE_NEW(f->a, uint32_t, f->nvalue + 1);
    s.of = BASE_NEW(f->a, consumers, f->nvalue + 1);
    link_up(&s);
    for (uint32_t i = 0; i < b->n; i++) if (few(&s, b->item[i]) && !s.waits[i] && gives(&s, b->item[i])) order_emit(&s,
        i);
    for (uint32_t i = 0; i < b->n; i++) if (!is_late(&s, i)) demand(&s, i);
    for (uint32_t i = 0; i < b->n; i++) demand(&s, i);
    b->item = s.out;
}

void plan_order(plan_flat *f)
{
    bool *returned = BASE_NEW(f->a, bool, f->nvalue + 1), *donated = BASE_NEW(f->a, bool, f->nvalue + 1);
    for (uint32_t j = 0; j < f->fn->nret; j++) returned[f->value[f->ret[j]].base] = true;
    for (uint32_t i = 0; f->fn->donate && i < f->fn->narg; i++) donated[f->arg[i]] = f->fn->donate[i];
    group_small_sums(f, &f->main, BASE_NEW(f->a, uint8_t, f->nvalue + 1));
    bool *inside = BASE_NEW(f->a, bool, f->nvalue + 1);
    look_inside(f, &f->main, true, inside);
    sort(f, &f->main, returned, donated, inside);
}
