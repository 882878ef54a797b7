/* api/at.c - reads and updates of slices as text: static slices first, then a gather or scatter of the indices that are
 * values. */
#include "at.h"

#include <string.h>

/* The dims of what is read: those of the index arrays stand before dim `front` of the others. */
typedef struct {
    int nindex, front, nrest;
    int64_t rest[AT_ITEMS + 1];
} at_form;

/* ---- static slices ---- */

/* The dims of v that a slice keeps, each cut to its range; the dims of elements stay with size 1. */
static tt_val ranged(base_site site, tt_val v, const at_slice *s)
{
    for (int k = 0; k < s->n; k++) {
        const at_item *i = &s->item[k];
        if (i->kind == AT_NEW || i->kind == AT_VALUE) continue;
        const int64_t n = i->kind == AT_ELEMENT ? 1 : i->n, size = tt_dim_at(site, v, i->dim), by = i->step;
        if (n == size && by > 0) continue;
        if (by >= 0) {
            v = tt_slice_at(site, v, i->dim, i->first, n ? i->first + (n - 1) * (by ? by : 1) + 1 : 0, by ? by : 1);
            continue;
        }
        const int64_t last = i->first + (n - 1) * by;
        v = tt_reverse_at(site, tt_slice_at(site, v, i->dim, last, i->first + 1, -by), i->dim);
    }
    return v;
}

/* True if every range of the slice is a run of neighbours, in either direction. */
static bool is_box(const at_slice *s)
{
    for (int k = 0; k < s->n; k++)
        if (s->item[k].kind == AT_RANGE && s->item[k].step != 1 && s->item[k].step != -1) return false;
    return true;
}

/* ---- shapes ---- */

/* The dims of the result without those of index arrays, and where these go. */
static at_form form_of(const at_slice *s, int nindex)
{
    at_form f = { .nindex = nindex };
    int runs = 0;
    bool in_run = false;
    for (int k = 0; k < s->n; k++) {
        const at_item *i = &s->item[k];
        const bool index = i->kind == AT_VALUE || i->kind == AT_ELEMENT;
        if (index && !in_run && !runs++) f.front = f.nrest;
        in_run = index;
        if (!index) f.rest[f.nrest++] = i->kind == AT_NEW ? 1 : i->n;
    }
    if (runs > 1) f.front = 0;
    f.rest[f.nrest] = TT_DIM_END;
    return f;
}

/* Moves the first `n` dims of v to before dim `to` of the others, or back. */
static tt_val moved(base_site site, tt_val v, int n, int to, bool back)
{
    const int rank = tt_rank_at(site, v);
    int64_t perm[IR_RANK + 1];
    if (!n || !to || rank < 0) return v;
    for (int d = 0; d < rank; d++) {
        const int from = d < to ? n + d : d < to + n ? d - to : d; /* result dim d is dim `from` of v */
        if (back) perm[from] = d;
        else perm[d] = from;
    }
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(site, v, perm);
}

static bool dims_ok(base_site site, const char *what, int rank)
{
    return rank <= IR_RANK ||
           base_fail(TT_ESHAPE, site, "%s: a result of %d dims; at most %d are allowed", what, rank, IR_RANK);
}

/* The index values of a slice as a tuple, and their dims as "0, 2". */
static tt_val indices(base_site site, const at_slice *s, const tt_val *index, bool elements, base_text *dims)
{
    tt_val list[AT_ITEMS + 1];
    int n = 0;
    for (int k = 0; k < s->n; k++) {
        const at_item *i = &s->item[k];
        if (i->kind != AT_VALUE && !(elements && i->kind == AT_ELEMENT)) continue;
        base_appendf(dims, "%s%d", n ? ", " : "", i->dim);
        list[n++] = i->kind == AT_VALUE ? index[i->value] : tt_i(i->first);
    }
    list[n] = tt_end;
    return tt_tuple_at(site, list);
}

/* The rank of the indices broadcast against each other; -1 with the error set. */
static int index_rank(base_site site, const at_slice *s, const tt_val *index)
{
    int most = 0;
    for (int k = 0; k < s->n; k++) {
        if (s->item[k].kind != AT_VALUE) continue;
        const int rank = tt_rank_at(site, index[s->item[k].value]);
        if (rank > most) most = rank;
    }
    return most;
}

/* ---- reading ---- */

VAL4(tt_at, tt_val, v, const char *, text, const char *, names, const tt_val *, index)
{
    at_slice s;
    int64_t dim[2 * AT_ITEMS + 1];
    trace_value *x = trace_array(site, "at", v);
    if (!x || !at_read(site, "at", x->type, text, names, 1, index, &s)) return trace_poison;
    tt_val y = ranged(site, v, &s);
    const int nindex = s.nvalue ? index_rank(site, &s, index) : 0;
    const at_form f = form_of(&s, nindex);
    if (!dims_ok(site, "at", nindex + f.nrest)) return trace_poison;
    if (s.nvalue) {
        base_text dims = { .arena = trace_temp() };
        const tt_val list = indices(site, &s, index, false, &dims);
        y = tt_gather_at(site, y, dims.s, list, &(tt_take_opts){ .size = sizeof(tt_take_opts), .mode = s.mode });
    }
    if (!trace_peek(y)) return trace_poison;
    for (int d = 0; d < nindex; d++) dim[d] = tt_dim_at(site, y, d);
    memcpy(dim + nindex, f.rest, (size_t)(f.nrest + 1) * sizeof *dim);
    return moved(site, tt_reshape_at(site, y, dim), nindex, f.front, false);
}

/* ---- updates ---- */

typedef struct {
    const char *how;
    tt_val v, u;
    const char *text, *names;
    const tt_val *index;
} put_args;

static tt_val put_combined(base_site site, const char *how, tt_val old, tt_val u)
{
    typedef tt_val two(const char *, tt_val, tt_val);
    static const struct {
        const char *how;
        two *numbers, *truths;
    } all[] = {
        { "add", tt_add_at, tt_or_at },
        { "mul", tt_mul_at, tt_and_at },
        { "max", tt_max_at, tt_or_at },
        { "min", tt_min_at, tt_and_at },
    };
    const bool truth = tt_dtype_of_at(site, old) == TT_BOOL;
    for (int i = 0; i < 4; i++)
        if (!strcmp(how, all[i].how)) return (truth ? all[i].truths : all[i].numbers)(site, old, u);
    return u;
}

/* v with the ranges of the slice replaced by `now`, of their shape: a box in one piece, other ranges by a mask. */
static tt_val written(base_site site, tt_val v, tt_val now, const at_slice *s)
{
    const int rank = tt_rank_at(site, v);
    int64_t low[IR_RANK] = { 0 }, high[IR_RANK] = { 0 }, between[IR_RANK] = { 0 }, dim[IR_RANK + 1];
    tt_val start[IR_RANK + 1];
    if (!tt_count_at(site, now)) return v;
    for (int k = 0; k < s->n; k++) {
        const at_item *i = &s->item[k];
        if (i->kind == AT_NEW) continue;
        const int d = i->dim;
        const int64_t size = tt_dim_at(site, v, d), n = tt_dim_at(site, now, d);
        const int64_t by = i->kind == AT_RANGE ? i->step : 1, first = i->kind == AT_VALUE ? 0 : i->first;
        if (by < 0) now = tt_reverse_at(site, now, d);
        low[d] = by < 0 ? first + (n - 1) * by : first;
        between[d] = (by < 0 ? -by : by) - 1;
        high[d] = size - 1 - low[d] - (n - 1) * (between[d] + 1);
        start[d] = tt_i(low[d]);
        dim[d] = n;
    }
    start[rank] = tt_end, dim[rank] = TT_DIM_END;
    if (is_box(s)) return tt_dynamic_update_box_at(site, v, now, tt_tuple_at(site, start));
    const tt_val zero = tt_cast_at(site, tt_i(0), tt_dtype_of_at(site, v));
    const tt_val mask = tt_pad_at(site, tt_full_at(site, 1, TT_BOOL, dim), tt_b(false), low, high, between);
    return tt_where_at(site, mask, tt_pad_at(site, now, zero, low, high, between), v);
}

/* u with the shape of what the slice reads, and then with the dims of indices in front and without new dims. */
static tt_val spread(base_site site, tt_val u, const at_slice *s, const at_form *f, const int64_t *indexed)
{
    int64_t dim[2 * AT_ITEMS + 1];
    int n = 0;
    for (int d = 0; d <= f->nrest; d++) {
        for (int k = 0; d == f->front && k < f->nindex; k++) dim[n++] = indexed[k];
        if (d < f->nrest) dim[n++] = f->rest[d];
    }
    dim[n] = TT_DIM_END;
    const tt_val wide = moved(site, tt_broadcast_at(site, u, dim), f->nindex, f->front, true);
    n = 0;
    for (int k = 0; k < f->nindex; k++) dim[n++] = indexed[k];
    for (int k = 0; k < s->n; k++)
        if (s->item[k].kind == AT_RANGE) dim[n++] = s->item[k].n;
    dim[n] = TT_DIM_END;
    return tt_reshape_at(site, wide, dim);
}

static tt_val put_static(base_site site, const put_args *q, tt_val u, const at_slice *s)
{
    int64_t dim[IR_RANK + 1];
    const int rank = tt_rank_at(site, q->v);
    const tt_val old = ranged(site, q->v, s);
    for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, old, d);
    dim[rank] = TT_DIM_END;
    const tt_val now = put_combined(site, q->how, old, tt_reshape_at(site, u, dim));
    return written(site, q->v, tt_cast_at(site, now, tt_dtype_of_at(site, q->v)), s);
}

/* The scatter goes into the ranges alone, which are then written back unless they are all of v. */
static tt_val put_indexed(base_site site, const put_args *q, tt_val u, at_slice *s)
{
    bool whole = true;
    base_text dims = { .arena = trace_temp() };
    at_slice ranges = *s;
    for (int k = 0; k < s->n; k++) {
        at_item *i = &ranges.item[k];
        const int64_t size = i->kind == AT_NEW ? 0 : tt_dim_at(site, q->v, i->dim);
        if (i->kind == AT_ELEMENT) *i = (at_item){ AT_RANGE, i->dim, 0, 0, size, 1 };
        whole &= i->kind != AT_RANGE || (i->n == size && i->step == 1);
    }
    const tt_val list = indices(site, s, q->index, true, &dims), part = whole ? q->v : ranged(site, q->v, &ranges);
    const tt_take_opts o = { .size = sizeof o, .mode = s->mode };
    const tt_val now = tt_scatter_at(site, q->how, part, dims.s, list, u, &o);
    return whole ? now : written(site, q->v, now, &ranges);
}

VAL1(api_at_put, const put_args *, q)
{
    const char *const what = base_format(trace_temp(), "at_%s", q->how ? q->how : "put");
    at_slice s;
    int64_t indexed[IR_RANK + 1] = { 0 };
    trace_value *x = trace_array(site, what, q->v), *u = x ? trace_array(site, what, q->u) : NULL;
    if (!u || !at_read(site, what, x->type, q->text, q->names, 2, q->index, &s)) return trace_poison;
    const char *const ways = " set add mul max min ", *const way =
                                                          base_format(trace_temp(), " %s ", q->how ? q->how : "-");
    if (!strstr(ways, way)) {
        base_fail(TT_EARG, site, "at_put: no way to combine \"%s\"", q->how ? q->how : "(null)");
        return base_hint_choices("the ways are", way, strlen(way), "set, add, mul, max, min"), trace_poison;
    }
    if (!api_goes_into(site, what, u, x)) return trace_poison;
    const int nindex = s.nvalue ? index_rank(site, &s, q->index) : 0;
    for (int k = 0; k < s.n; k++) {
        const tt_val i = s.item[k].kind == AT_VALUE ? q->index[s.item[k].value] : tt_end;
        const int rank = s.item[k].kind == AT_VALUE ? tt_rank_at(site, i) : 0;
        for (int d = 0; d < rank; d++) {
            const int64_t n = tt_dim_at(site, i, d);
            if (n != 1 || !indexed[nindex - rank + d]) indexed[nindex - rank + d] = n;
        }
    }
    const at_form f = form_of(&s, nindex);
    if (!dims_ok(site, what, nindex + f.nrest)) return trace_poison;
    const tt_val wide = spread(site, q->u, &s, &f, indexed);
    if (!trace_peek(wide)) return trace_poison;
    return s.nvalue ? put_indexed(site, q, wide, &s) : put_static(site, q, wide, &s);
}

tt_val tt_at_put_at(const char *site, const char *how, tt_val v, const char *text, tt_val u, const char *names,
                    const tt_val *index)
{
    return api_at_put_at(site, &(put_args){ how, v, u, text, names, index });
}
