/* api/query.c - properties of values and of dtypes. No error for poison, whose error was reported before. */
#include "api.h"

typedef struct {
    const char *site;
    tt_val v;
    int i;
    int64_t out;
    enum { QUERY_BYTES, QUERY_DTYPE, QUERY_RANK, QUERY_DIM, QUERY_COUNT, QUERY_TRACED } kind;
} query_args;

static void answer(void *p)
{
    query_args *q = p;
    const base_site site = trace_site(q->site);
    trace_value *v = trace_get(site, q->v);
    if (!v) return;
    if (q->kind == QUERY_BYTES || q->kind == QUERY_COUNT || q->kind == QUERY_TRACED) {
        q->out = 0;
        for (int i = 0; i < trace_nleaf(v); i++) {
            const trace_value *leaf = trace_leaf_of(v, i);
            if (q->kind == QUERY_TRACED) q->out |= leaf->form == TRACE_TRACED;
            else
                q->out += ir_count(leaf->type) *
                          (q->kind == QUERY_BYTES ? (int64_t)ir_dtype_of(leaf->type->dtype)->bytes : 1);
        }
        return;
    }
    if (!v->type) {
        if (q->kind == QUERY_RANK) q->out = -1;
        else {
            base_fail(TT_ETREE, site, "%s takes an array, not the tree %s",
                      q->kind == QUERY_DIM ? "tt_dim" : "tt_dtype_of", trace_tree_text(trace_temp(), v->tree));
            trace_cite(v);
        }
        return;
    }
    if (q->kind == QUERY_DTYPE) q->out = v->type->dtype;
    if (q->kind == QUERY_RANK) q->out = v->type->rank;
    if (q->kind != QUERY_DIM) return;
    const int d = api_dim(site, "tt_dim", v, q->i);
    if (d >= 0) q->out = v->type->dim[d];
}

static int64_t query_value(const char *site, tt_val v, int kind, int i, int64_t otherwise)
{
    query_args q = { site, v, i, otherwise, kind };
    api_enter(answer, &q);
    return q.out;
}

size_t tt_bytes_at(const char *site, tt_val v) { return (size_t)query_value(site, v, QUERY_BYTES, 0, 0); }

char tt_dtype_kind(tt_dtype d)
{
    static const char letter[] = { [IR_BOOL_CLASS] = 'b', [IR_INT_CLASS] = 'i', [IR_UINT_CLASS] = 'u',
                                   [IR_FLOAT_CLASS] = 'f', [IR_COMPLEX_CLASS] = 'c' };
    const ir_dtype *t = ir_dtype_of(d);
    return t ? letter[t->cls] : '?';
}
const char *tt_dtype_name(tt_dtype d) { return ir_dtype_of(d) ? ir_dtype_of(d)->name : "no dtype"; }
bool tt_int_range(tt_dtype d, int64_t *least, uint64_t *most)
{
    int64_t lo = 0;
    uint64_t hi = 0;
    const bool is = ir_dtype_of(d) && ir_int_range(d, &lo, &hi);
    if (least) *least = lo;
    if (most) *most = hi;
    return is;
}
tt_dtype tt_dtype_of_at(const char *site, tt_val v) { return (tt_dtype)query_value(site, v, QUERY_DTYPE, 0, TT_F32); }
int tt_rank_at(const char *site, tt_val v) { return (int)query_value(site, v, QUERY_RANK, 0, 0); }
int64_t tt_dim_at(const char *site, tt_val v, int i) { return query_value(site, v, QUERY_DIM, i, 1); }
int64_t tt_count_at(const char *site, tt_val v) { return query_value(site, v, QUERY_COUNT, 0, 1); }
bool tt_is_traced_at(const char *site, tt_val v) { return query_value(site, v, QUERY_TRACED, 0, 0) != 0; }
