/* api/gather.c - elements at several index arrays at once, and their updates: StableHLO's gather and scatter, with the
 * indices of the listed dims side by side in a last dim. Slices of several dims at places that are values. */
#include "index.h"
#include "../op/ops.h"

#include <stdlib.h>
#include <string.h>

/* n dims, in the order in which the indices are given; rest: the other dims in rising order. */
typedef struct {
    int n, dim[IR_RANK], nrest, rest[IR_RANK], mode, checked;
    const op_prim *how;
} places;

/* ---- indices ---- */

/* The indices, each made ready for its dim, in one array: [.., n]; one index alone keeps its dims. */
static ir_id joined_indices(ir_build *b, const ir_id *in, const ir_type *x, const places *p)
{
    const ir_type *t = ir_typeof(b, in[0]);
    ir_id part[IR_RANK];
    int64_t dim[IR_RANK];
    if (!t) return 0;
    if (p->n == 1) return index_ready(b, in[0], x->dim[p->dim[0]], p->mode, p->checked);
    if (t->rank) memcpy(dim, t->dim, (size_t)t->rank * sizeof *dim);
    dim[t->rank] = 1;
    for (int i = 0; i < p->n; i++) {
        const ir_id ready = index_ready(b, in[i], x->dim[p->dim[i]], p->mode, p->checked);
        if (!(part[i] = op_reshape(b, ready, t->rank + 1, dim))) return 0;
    }
    return op_concatenate(b, p->n, part, t->rank);
}

/* bool [index dims]: True where all indices are in range. */
static ir_id all_inside(ir_build *b, const ir_id *in, const ir_type *x, const places *p)
{
    ir_id all = 0;
    for (int i = 0; i < p->n; i++) {
        const int64_t size = x->dim[p->dim[i]];
        const ir_id here = index_inside(b, index_ready(b, in[i], size, p->mode, false), size);
        all = all ? op_and(b, all, here) : here;
    }
    return all;
}

/* ---- gather ---- */

static op_gather_attr gather_of(const ir_type *x, int rank, const places *p, int64_t *work)
{
    int64_t *const offset = work, *const gone = work + IR_RANK, *const map = work + 2 * IR_RANK,
                   *const size = work + 3 * IR_RANK;
    int n = 0;
    for (int i = 0; i < p->nrest; i++) offset[i] = rank + i;
    for (int i = 0; i < p->n; i++) map[i] = p->dim[i];
    for (int d = 0; d < x->rank; d++) size[d] = x->dim[d];
    for (int i = 0; i < p->n; i++) size[p->dim[i]] = 1;
    for (int d = 0; d < x->rank; d++)
        for (int i = 0; i < p->n; i++)
            if (p->dim[i] == d) gone[n++] = d;
    return (op_gather_attr){ .offset_dims = { p->nrest, offset },
                             .collapsed_slice_dims = { n, gone },
                             .start_index_map = { p->n, map },
                             .index_vector_dim = rank,
                             .slice_sizes = { x->rank, size } };
}

static bool gather_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const places *p = env;
    const ir_type *x = ir_typeof(b, in[0]), *i = ir_typeof(b, in[1]);
    int64_t work[4 * IR_RANK], dims[IR_RANK];
    const ir_id missing = index_missing(b, x->dtype);
    op_gather_attr a = gather_of(x, i->rank, p, work);
    a.fill = p->mode == FILL;
    a.nan = a.fill && !missing;
    out[0] = ir_emit(b, &prim_gather, &a, 2, (const ir_id[]){ in[0], joined_indices(b, in + 1, x, p) }, 0, NULL);
    const ir_type *t = out[0] ? ir_typeof(b, out[0]) : NULL;
    if (!t || !missing || p->mode != FILL) return t != NULL;
    for (int d = 0; d < i->rank; d++) dims[d] = d;
    const ir_id here =
        op_broadcast(b, all_inside(b, in + 1, x, p), ir_type_of(TT_BOOL, t->rank, t->dim), i->rank, dims);
    const ir_id none = op_broadcast(b, missing, ir_type_of(t->dtype, t->rank, t->dim), 0, NULL);
    return (out[0] = op_select(b, here, out[0], none)) != 0;
}

/* ---- scatter ---- */

static bool scatter_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const places *p = env;
    const ir_type *x = ir_typeof(b, in[0]), *i = ir_typeof(b, in[2]);
    int64_t work[4 * IR_RANK];
    const op_gather_attr g = gather_of(x, i->rank, p, work);
    const op_scatter_attr a = { .update_window_dims = g.offset_dims,
                                .inserted_window_dims = g.collapsed_slice_dims,
                                .scatter_dims_to_operand_dims = g.start_index_map,
                                .index_vector_dim = i->rank };
    const ir_id arg[3] = { in[0], joined_indices(b, in + 2, x, p), op_convert(b, in[1], x->dtype) };
    ir_fn *region = index_region(b, p->how, x->dtype);
    return region && (out[0] = ir_emit(b, &prim_scatter, &a, 3, arg, 1, &region)) != 0;
}

/* ---- arguments ---- */

/* The indices as arrays of one type and shape, new references; 0 with the error set. */
static int indices_of(base_site site, const char *what, trace_value *index, trace_value **out)
{
    const int n = trace_nleaf(index);
    int rank = 0;
    int64_t dim[IR_RANK + 1];
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, n + 1);
    for (int i = 0; i < n; i++) {
        leaf[i] = out[i] = trace_leaf_of(index, i);
        if (!index_integers(site, what, leaf[i])) return 0;
    }
    if (!trace_broadcast(site, what, n, leaf, &rank, dim) || !api_together(site, n, out)) return 0;
    dim[rank] = TT_DIM_END;
    for (int i = 0; i < n; i++) {
        const tt_val wide = tt_broadcast_at(site, trace_handle(out[i]), dim);
        if (!(out[i] = trace_get(site, wide))) return 0;
    }
    return n;
}

/* Reads "2, 0" as dims of v, in this order; false with the error set. */
static bool places_read(base_site site, const char *what, tt_val v, const char *dims, int n, places *p)
{
    const int rank = tt_rank_at(site, v);
    bool taken[IR_RANK] = { false };
    memset(p, 0, sizeof *p);
    if (!dims) return base_fail(TT_EARG, site, "%s: the list of dims is NULL", what);
    const trace_value *const x = trace_array(site, what, v);
    if (!x || !api_dims_argument(site, what, x, dims, &p->n)) return false;
    if (p->n != n || !n) {
        base_fail(TT_EARG, site, "%s: %d dim%s in \"%s\", %d array%s of indices", what, p->n, p->n == 1 ? "" : "s",
                  dims, n, n == 1 ? "" : "s");
        return base_hint("one array per dim: tt_tuple(i, j) for \"0, 1\"");
    }
    for (int i = 0; i < n; i++) {
        char *end;
        const long d = strtol(dims, &end, 10);
        taken[p->dim[i] = (int)(d < 0 ? d + rank : d)] = true;
        dims = strchr(end, ',') ? strchr(end, ',') + 1 : end;
    }
    for (int d = 0; d < rank; d++)
        if (!taken[d]) p->rest[p->nrest++] = d;
    return true;
}

/* True unless an index looks into a dim of size 0, which has no elements; else sets the error. */
static bool has_elements(base_site site, const char *what, trace_value *x, const places *p, const trace_value *index)
{
    for (int i = 0; i < p->n && ir_count(index->type); i++)
        if (!x->type->dim[p->dim[i]]) {
            base_fail(TT_ESHAPE, site, "%s: no elements to take: dim %d of %s has size 0", what, p->dim[i],
                      trace_text(x->type));
            return trace_cite(x);
        }
    return true;
}

VAL4(tt_gather, tt_val, v, const char *, dims, tt_val, index, const tt_take_opts *, o)
{
    static const char *const what = "gather";
    trace_value *x = trace_array(site, what, v), *i = x ? trace_get(site, index) : NULL, *in[IR_RANK + 2], *y = NULL;
    places p;
    if (!i || !API_OPTIONS(site, what, tt_take_opts, o)) return trace_poison;
    const int n = trace_nleaf(i), mode = index_mode(site, what, o->mode, "fill");
    if (mode < 0 || !places_read(site, what, v, dims, n, &p) || !indices_of(site, what, i, in + 1)) return trace_poison;
    if (!has_elements(site, what, x, &p, in[1])) return trace_poison;
    if (p.nrest + in[1]->type->rank > IR_RANK) {
        base_fail(TT_ESHAPE, site, "gather: a result of %d dims; at most %d are allowed", p.nrest + in[1]->type->rank,
                  IR_RANK);
        return trace_poison;
    }
    in[0] = x;
    p.mode = mode;
    p.checked = base_switch("bounds") != NULL;
    if (trace_do(site, gather_body, &p, sizeof p, n + 1, in, 1, &y)) y->weak = x->weak;
    return api_handle(y);
}

/* The primitive of "add" and its kin; NULL and *set: "set". False with the error set. */
static bool combined_by(base_site site, const char *what, const char *how, tt_dtype dtype, const op_prim **prim)
{
    static const struct {
        const char *word;
        const op_prim *prim, *truth;
    } all[] = {
        { "set", NULL, NULL },          { "add", &prim_add, &prim_or },  { "mul", &prim_mul, &prim_and },
        { "max", &prim_max, &prim_or }, { "min", &prim_min, &prim_and },
    };
    for (int i = 0; how && i < 5; i++) {
        if (strcmp(how, all[i].word)) continue;
        *prim = dtype == TT_BOOL ? all[i].truth : all[i].prim;
        return true;
    }
    base_fail(TT_EARG, site, "%s: no way to combine \"%s\"", what, how ? how : "(null)");
    base_hint_choices("the ways are", how ? how : "", how ? strlen(how) : 0, "set, add, mul, max, min");
    return false;
}

typedef struct {
    const char *how, *dims;
    tt_val v, index, updates;
    const tt_take_opts *o;
} scatter_args;

VAL1(api_scatter, const scatter_args *, q)
{
    static const char *const what = "scatter";
    const tt_take_opts *o = q->o;
    trace_value *x = trace_array(site, what, q->v), *u = x ? trace_array(site, what, q->updates) : NULL;
    trace_value *i = u ? trace_get(site, q->index) : NULL, *in[IR_RANK + 3], *y = NULL;
    const op_prim *how;
    int64_t dim[IR_RANK + 1];
    places p;
    if (!i || !API_OPTIONS(site, what, tt_take_opts, o)) return trace_poison;
    const int n = trace_nleaf(i), mode = index_mode(site, what, o->mode, "drop");
    if (mode < 0 || !combined_by(site, what, q->how, x->type->dtype, &how)) return trace_poison;
    if (!places_read(site, what, q->v, q->dims, n, &p) || !indices_of(site, what, i, in + 2)) return trace_poison;
    if (!api_goes_into(site, what, u, x)) return trace_poison;
    const ir_type *const at = in[2]->type;
    if (p.nrest + at->rank > IR_RANK) {
        base_fail(TT_ESHAPE, site, "%s: updates of %d dims; at most %d are allowed", what, p.nrest + at->rank, IR_RANK);
        return trace_poison;
    }
    for (int d = 0; d < at->rank; d++) dim[d] = at->dim[d];
    for (int d = 0; d < p.nrest; d++) dim[at->rank + d] = x->type->dim[p.rest[d]];
    dim[at->rank + p.nrest] = TT_DIM_END;
    in[1] = trace_get(site, tt_broadcast_at(site, q->updates, dim));
    in[0] = x;
    p.mode = mode, p.how = how;
    p.checked = base_switch("bounds") != NULL;
    if (in[1] && trace_do(site, scatter_body, &p, sizeof p, n + 2, in, 1, &y)) y->weak = x->weak && u->weak;
    return api_handle(y);
}

tt_val tt_scatter_at(const char *site, const char *how, tt_val v, const char *dims, tt_val index, tt_val updates,
                     const tt_take_opts *o)
{
    return api_scatter_at(site, &(scatter_args){ how, dims, v, index, updates, o });
}

/* ---- boxes ---- */

typedef struct {
    int64_t rank, size[IR_RANK];
} box_env;

/* The starts as i32 scalars: of a tuple its leaves, of an array [rank] its elements; negative ones from the end. */
static void box_starts(ir_build *b, const ir_id *in, const ir_type *x, ir_id *out)
{
    const ir_type *first = x->rank ? ir_typeof(b, in[0]) : NULL;
    for (int64_t d = 0; d < x->rank; d++) {
        const int64_t next = d + 1, one = 1;
        ir_id at =
            first && first->rank
                ? op_reshape(b, op_slice(b, in[0], (ir_dims){ 1, &d }, (ir_dims){ 1, &next }, (ir_dims){ 1, &one }), 0,
                             NULL)
                : in[d];
        out[d] = api_start(b, at, x->dim[d]);
    }
}

static bool box_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const box_env *e = env;
    ir_id at[IR_RANK];
    box_starts(b, in + 1, ir_typeof(b, in[0]), at);
    return (out[0] = op_dynamic_slice(b, in[0], at, (ir_dims){ (int)e->rank, e->size })) != 0;
}

static bool box_update_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    ir_id at[IR_RANK];
    const ir_type *x = ir_typeof(b, in[0]);
    (void)env;
    box_starts(b, in + 2, x, at);
    return (out[0] = op_dynamic_update_slice(b, in[0], op_convert(b, in[1], x->dtype), at)) != 0;
}

/* The leaves of start, which fit a value of this rank; their number, -1 with the error set. */
static int starts_of(base_site site, const char *what, const trace_value *x, tt_val start, trace_value **out)
{
    trace_value *s = trace_get(site, start);
    const int rank = x->type->rank, n = s ? trace_nleaf(s) : -1;
    const bool array = s && s->type && s->type->rank == 1 && s->type->dim[0] == rank;
    bool fits = array || n == rank;
    for (int i = 0; fits && i < n; i++) {
        out[i] = trace_leaf_of(s, i);
        if (!index_integers(site, what, out[i])) return -1;
        fits = array || !out[i]->type->rank;
    }
    if (fits || n < 0) return n;
    base_fail(TT_ESHAPE, site, "%s: the start of a box of %s is %s; expected %d integer%s, one per dim", what,
              trace_text(x->type), trace_type_text(trace_temp(), s), rank, rank == 1 ? "" : "s");
    return base_hint("tt_tuple(i, j), or an array [%d]", rank), -1;
}

VAL3(tt_dynamic_box, tt_val, v, tt_val, start, const int64_t *, sizes)
{
    static const char *const what = "tt_dynamic_box";
    trace_value *x = trace_array(site, what, v), *in[IR_RANK + 2], *y = NULL;
    box_env e;
    memset(&e, 0, sizeof e);
    const int n = x ? api_dims(site, what, sizes, e.size) : -1,
              k = n < 0 ? -1 : starts_of(site, what, x, start, in + 1);
    if (k < 0) return trace_poison;
    bool fits = n == x->type->rank;
    for (int d = 0; fits && d < n; d++) fits = e.size[d] <= x->type->dim[d];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "dynamic_box: a box %s of %s; expected a size per dim, at most the dim's",
                  trace_text(ir_type_of(x->type->dtype, n, e.size)), trace_text(x->type));
        trace_cite(x);
        return trace_poison;
    }
    in[0] = x;
    e.rank = n;
    if (trace_do(site, box_body, &e, sizeof e, k + 1, in, 1, &y)) y->weak = x->weak;
    return api_handle(y);
}

VAL3(tt_dynamic_update_box, tt_val, v, tt_val, piece, tt_val, start)
{
    static const char *const what = "tt_dynamic_update_box";
    trace_value *x = trace_array(site, what, v), *u = x ? trace_array(site, what, piece) : NULL, *in[IR_RANK + 3],
                *y = NULL;
    const int k = u ? starts_of(site, what, x, start, in + 2) : -1;
    if (k < 0) return trace_poison;
    bool fits = u->type->rank == x->type->rank;
    for (int d = 0; fits && d < x->type->rank; d++) fits = u->type->dim[d] <= x->type->dim[d];
    if (!fits) {
        base_fail(TT_ESHAPE, site, "dynamic_update_box: the part %s does not fit into %s", trace_text(u->type),
                  trace_text(x->type));
        trace_cite(x);
        trace_cite(u);
        return trace_poison;
    }
    if (!api_goes_into(site, what, u, x)) return trace_poison;
    in[0] = x, in[1] = u;
    if (trace_do(site, box_update_body, NULL, 0, k + 2, in, 1, &y)) y->weak = x->weak && u->weak;
    return api_handle(y);
}
