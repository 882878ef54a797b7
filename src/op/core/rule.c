/* op/core/rule.c - factor rules: which dims of operands and results move together, and how each factor may be sharded.
 *
 * A primitive's .rules function (or its .rule text) appends entries by op_factor, op_dim and op_dim_window; op_rule_of
 * checks that the factors of a dim multiply to its size and packs the rule into one block, kept for ever under the key
 * (op, attributes, types, content of regions). Rules hold sizes and never ids, so equal equations share one rule. */
#include "../build.h"
#include "../../base/thread.h"

#include <pthread.h>
#include <string.h>

typedef struct {
    int tensor, dim;
    op_rule_at at;
} entry;
typedef struct { /* a rule under construction; op_rule is the first member */
    op_rule rule;
    entry *entry;
    int n, cap;
    bool overflow, memory;
} draft;

/* ---- the interface for primitives ---- */

int op_factor(op_rule *r, int64_t size, op_factor_kind kind)
{
    draft *d = (draft *)r;
    if (r->nfactor == OP_FACTORS) {
        d->overflow = true;
        return OP_FACTORS - 1;
    }
    r->factor[r->nfactor].size = size;
    r->factor[r->nfactor].kind = kind;
    return r->nfactor++;
}

static void append(op_rule *r, entry e)
{
    draft *d = (draft *)r;
    if (d->n == d->cap) {
        const int cap = d->cap ? 2 * d->cap : 32;
        void *grown = base_heap_grow(d->entry, (size_t)d->cap * sizeof *d->entry, (size_t)cap * sizeof *d->entry);
        if (!grown) {
            d->memory = true;
            return;
        }
        d->entry = grown;
        d->cap = cap;
    }
    d->entry[d->n++] = e;
}

void op_dim(op_rule *r, int tensor, int dim, int factor) { append(r, (entry){ tensor, dim, { .factor = factor } }); }

void op_dim_window(op_rule *r, int tensor, int dim, int factor, op_window w)
{
    append(r, (entry){ tensor, dim, { .factor = factor, .windowed = true, .window = w } });
}

void op_block_propagation(op_rule *r, int factor) { r->factor[factor].blocked = true; }

/* ---- rule texts ---- */

static bool rules_of_text(const ir_eqn *e, op_rule *r)
{
    enum { MAX = 8 };
    const int nin = (int)e->nin, n = r->ntensor;
    int rank[MAX], nlabel[MAX], label[MAX][IR_RANK], factor[64 + IR_RANK];
    bool out[64 + IR_RANK] = { 0 };
    if (n > MAX) return base_bug(e->site, "%s: too many operands for a rule text", e->op->name);
    for (int t = 0; t < n; t++) rank[t] = t < nin ? IR_IN(e, t)->rank : IR_OUT(e, t - nin)->rank;
    if (!op_labels(e, n, rank, label, nlabel)) return false;
    memset(factor, -1, sizeof factor);
    for (int t = nin; t < n; t++)
        for (int d = 0; d < nlabel[t]; d++) out[label[t][d]] = true;
    for (int t = 0; t < n; t++) {
        const int64_t *dim = t < nin ? IR_IN(e, t)->dim : IR_OUT(e, t - nin)->dim;
        for (int d = 0; d < nlabel[t]; d++) {
            const int k = label[t][d];
            if (factor[k] < 0) factor[k] = op_factor(r, dim[d], out[k] ? OP_PASS_THROUGH : OP_REDUCTION);
            op_dim(r, t, d, factor[k]);
        }
    }
    return true;
}

/* ---- packing ---- */

static const ir_type *tensor_type(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t) : IR_OUT(e, t - (int)e->nin);
}

/* Gives each dim without an entry a factor of its own that is never sharded, then checks each dim's product. */
static bool rule_complete(const ir_eqn *e, draft *d)
{
    for (int t = 0; t < d->rule.ntensor; t++) {
        const ir_type *type = tensor_type(e, t);
        for (int k = 0; k < type->rank; k++) {
            int64_t product = 1;
            int n = 0;
            bool shift = false;
            for (int i = 0; i < d->n; i++) {
                if (d->entry[i].tensor != t || d->entry[i].dim != k) continue;
                product *= d->rule.factor[d->entry[i].at.factor].size;
                shift |= d->entry[i].at.windowed;
                n++;
            }
            if (!n) op_dim(&d->rule, t, k, op_factor(&d->rule, type->dim[k], OP_NEED_REPLICATION));
            else if (!shift && product != type->dim[k])
                return base_bug(e->site, "%s: factors of tensor %d, dim %d have %lld elements, not %lld", e->op->name,
                                t, k, (long long)product, (long long)type->dim[k]);
        }
    }
    if (d->overflow) return base_bug(e->site, "%s: more than %d factors", e->op->name, OP_FACTORS);
    return !d->memory;
}

static op_rule *pack(const draft *d)
{
    const int ndim = d->rule.ntensor * IR_RANK;
    char *block =
        base_heap(sizeof(op_rule) + (size_t)ndim * sizeof(struct op_rule_dim) + (size_t)d->n * sizeof(op_rule_at));
    if (!block) return NULL;
    op_rule *r = (op_rule *)block;
    struct op_rule_dim *dim = (struct op_rule_dim *)(block + sizeof *r);
    op_rule_at *at = (op_rule_at *)(dim + ndim);
    *r = d->rule;
    r->dim = dim;
    for (int k = 0; k < ndim; k++) {
        dim[k].at = at;
        for (int i = 0; i < d->n; i++)
            if (d->entry[i].tensor * IR_RANK + d->entry[i].dim == k) *at++ = d->entry[i].at, dim[k].n++;
    }
    return r;
}

static op_rule *make_rule(const ir_eqn *e)
{
    const uint64_t before = base_failures();
    draft d = { .rule.ntensor = (int)(e->nin + e->nout) };
    op_rule *r = NULL;
    bool ok = true;
    if (e->op->rules) e->op->rules(e, &d.rule);
    else if (e->op->rule) ok = rules_of_text(e, &d.rule);
    if (ok && (e->op->edges || rule_complete(e, &d)) && base_failures() == before) r = pack(&d);
    base_heap_free(d.entry);
    return r;
}

/* ---- the table ---- */

typedef struct {
    const void *key;
    op_rule *rule;
} slot;
static struct {
    pthread_mutex_t lock;
    slot *at;
    size_t n, cap;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* All that a rule may depend on, as interned bytes: equal content gives an equal pointer. */
static const void *rule_key(const ir_eqn *e)
{
    const size_t n = 4 + e->nin + e->nout + e->nsub;
    uint64_t few[32], *w = n <= 32 ? few : base_heap(n * sizeof *w);
    size_t k = 0;
    if (!w) return NULL;
    w[k++] = (uintptr_t)e->op;
    w[k++] = (uintptr_t)e->attr;
    w[k++] = (uint64_t)e->nin << 32 | e->nout;
    w[k++] = e->nsub;
    for (uint32_t i = 0; i < e->nin; i++) w[k++] = (uintptr_t)IR_IN(e, i);
    for (uint32_t i = 0; i < e->nout; i++) w[k++] = (uintptr_t)IR_OUT(e, i);
    for (uint32_t i = 0; i < e->nsub; i++) w[k++] = e->op->edges ? 0 : ir_hash(e->sub[i]);
    const void *key = base_intern_bytes(w, n * sizeof *w);
    if (w != few) base_heap_free(w);
    return key;
}

static slot *rule_slot(slot *at, size_t cap, const void *key)
{
    size_t i = (size_t)(((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);
    while (at[i].key && at[i].key != key) i = (i + 1) & (cap - 1);
    return &at[i];
}

static op_rule *find_rule(const void *key)
{
    pthread_mutex_lock(&table.lock);
    op_rule *r = table.cap ? rule_slot(table.at, table.cap, key)->rule : NULL;
    pthread_mutex_unlock(&table.lock);
    return r;
}

/* Returns the rule of the table for the key: another thread may have inserted one first, and then r is freed. */
static op_rule *keep_rule(const void *key, op_rule *r)
{
    op_rule *kept = NULL;
    pthread_mutex_lock(&table.lock);
    if (2 * table.n >= table.cap) {
        const size_t cap = table.cap ? 2 * table.cap : 256;
        slot *grown = base_heap(cap * sizeof *grown);
        for (size_t i = 0; grown && i < table.cap; i++)
            if (table.at[i].key) *rule_slot(grown, cap, table.at[i].key) = table.at[i];
        if (grown) base_heap_free(table.at), table.at = grown, table.cap = cap;
    }
    if (2 * table.n < table.cap) {
        slot *s = rule_slot(table.at, table.cap, key);
        if (!s->key) *s = (slot){ key, r }, table.n++;
        kept = s->rule;
    }
    pthread_mutex_unlock(&table.lock);
    if (kept != r) base_heap_free(r);
    return kept;
}

/* The thread's last answers, for equations without regions: every layer and every pass asks for the same rules. */
typedef struct { const op_prim *op; const void *attr; const ir_type *type[6]; uint32_t nin, nout; } cache_key;
typedef struct { cache_key key; op_rule *rule; } cache_entry;

static cache_entry *remembered(const ir_eqn *e, cache_key *q) /* the cache entry of e; NULL: e is not cached */
{
    enum { KEPT = 512, MOST = sizeof q->type / sizeof *q->type };
    static _Thread_local cache_entry *kept;
    if (e->nsub || e->nin + e->nout > MOST) return NULL;
    if (!kept && !base_thread_memory(&kept, KEPT * sizeof *kept)) return NULL;
    *q = (cache_key){ .op = e->op, .attr = e->attr, .nin = e->nin, .nout = e->nout };
    uint64_t h = (uintptr_t)e->op ^ (uintptr_t)e->attr * 31;
    for (uint32_t i = 0; i < e->nin + e->nout; i++) {
        q->type[i] = tensor_type(e, (int)i);
        h = (h ^ (uintptr_t)q->type[i]) * 0x9E3779B97F4A7C15u;
    }
    return &kept[(h ^ h >> 32) % KEPT];
}

bool op_rule_of(const ir_eqn *e, op_rule **out)
{
    cache_key q;
    cache_entry *a = remembered(e, &q);
    if (a && !memcmp(&a->key, &q, sizeof q)) return *out = a->rule, true;
    const void *key = rule_key(e);
    if (!key) return false;
    if (!(*out = find_rule(key))) {
        op_rule *r = make_rule(e);
        *out = r ? keep_rule(key, r) : NULL;
    }
    if (a && *out) *a = (cache_entry){ q, *out };
    return *out != NULL;
}
