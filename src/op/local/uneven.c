/* op/local/uneven.c - parts of different sizes: what a device has of a dim that its list does not divide.
 *
 * Parts are those of the embedded engine, the nested balanced split (mesh/range.c). Each device has a block of the size
 * of the largest part; behind the elements of a smaller part is the *rest*, of any value. Equations that compute each
 * element from elements at the same position compute the rest too, and nothing reads it; a sum over the dim counts it
 * as the identity (op_local_mask_sum). Example: of 7 elements in 4 parts each device has 2, the last of them one
 * element and a rest of one.
 *
 * Between layouts the elements are moved within the device by a gather with constant indices: behind an all-gather the
 * rests of the parts are left out (op_local_close_up), before a collective that splits a dim the parts are set apart
 * (op_local_set_apart). */
#include "local.h"
#include "../build.h"
#include "../ops.h"

/* The parts at each place of a list: first elements and numbers of elements. */
typedef struct { int64_t parts, most, *lo, *n; } uneven_split;

static uneven_split uneven_split_of(const op_local_fn *p, mesh_list l, int64_t size)
{
    const mesh *const m = p->from;
    const int64_t parts = mesh_list_size(m, l);
    uneven_split s = { parts, op_local_most(p->from, l, size), BASE_NEW(p->a, int64_t, parts),
                       BASE_NEW(p->a, int64_t, parts) };
    for (int64_t k = 0; k < parts; k++) {
        uint32_t at[MESH_ATOMS] = { 0 };
        int64_t hi;
        mesh_place_coord(m, l, k, at);
        mesh_range(m, l, size, at, &s.lo[k], &hi);
        s.n[k] = hi - s.lo[k];
    }
    return s;
}

bool op_local_uneven(const mesh *m, mesh_list l, int64_t size)
{
    return size % mesh_list_size(m, l) != 0;
}

int64_t op_local_most(const mesh *m, mesh_list l, int64_t size)
{
    const int64_t parts = mesh_list_size(m, l);
    return size / parts + (size % parts != 0);
}

ir_id op_local_begin(op_local_fn *p, mesh_list l, int64_t size)
{
    if (!op_local_uneven(p->from, l, size)) return op_local_affine(p, l, 0, op_local_most(p->from, l, size));
    return op_local_table(p, l, uneven_split_of(p, l, size).lo);
}

/* ---- within a device ---- */

/* The elements index[place of l] of dim d, n of them for each place. */
static ir_id uneven_rows(op_local_fn *p, ir_id x, int d, mesh_list l, int64_t n, const int32_t *index)
{
    const ir_type *const t = ir_typeof(p->b, x);
    const int64_t places = mesh_list_size(p->from, l), dim[] = { places, n };
    bool same = true, all = true;
    if (!t) return 0;
    for (int64_t k = 0; k < places * n; k++) same &= index[k] == index[k % n], all &= index[k] == k % n;
    if (all && n <= t->dim[d]) {                         /* the first n */
        int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK];
        for (int k = 0; k < t->rank; k++) hi[k] = k == d ? n : t->dim[k], one[k] = 1;
        if (n == t->dim[d]) return x;
        return op_slice(p->b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, one });
    }
    ir_id row = op_const(p->b, ir_type_of(TT_I32, same ? 1 : 2, dim + same), index);
    if (!same) {
        const ir_id start[] = { op_local_place(p, l), op_int(p->b, TT_I32, 0) };
        row = op_reshape(p->b, op_dynamic_slice(p->b, row, start, (ir_dims){ 2, (const int64_t[]){ 1, n } }), 1, &n);
    }
    int64_t offset[IR_RANK], window[IR_RANK];
    const int64_t gone = d;
    int noffset = 0;
    for (int k = 0; k < t->rank; k++) {
        window[k] = k == d ? 1 : t->dim[k];
        if (k != d) offset[noffset++] = k;
    }
    const op_gather_attr a = { .offset_dims = { noffset, offset }, .collapsed_slice_dims = { 1, &gone },
                               .start_index_map = { 1, &gone }, .index_vector_dim = 1,
                               .slice_sizes = { t->rank, window } };
    return ir_emit(p->b, &prim_gather, &a, 2, (const ir_id[]){ x, row }, 0, NULL);
}

ir_id op_local_close_up(op_local_fn *p, ir_id x, int d, int64_t size, mesh_list from, mesh_list to)
{
    if (!x || !op_local_uneven(p->from, from, size)) return x;
    const uneven_split fine = uneven_split_of(p, from, size), coarse = uneven_split_of(p, to, size);
    const int64_t each = fine.parts / coarse.parts;
    int32_t *const index = BASE_NEW(p->a, int32_t, coarse.parts * coarse.most);
    for (int64_t k = 0; k < fine.parts; k++) {
        int32_t *const row = index + k / each * coarse.most + (fine.lo[k] - coarse.lo[k / each]);
        for (int64_t j = 0; j < fine.n[k]; j++) row[j] = (int32_t)(k % each * fine.most + j);
    }
    return uneven_rows(p, x, d, to, coarse.most, index);
}

ir_id op_local_set_apart(op_local_fn *p, ir_id x, int d, int64_t size, mesh_list from, mesh_list to)
{
    if (!x || !op_local_uneven(p->from, to, size)) return x;
    const uneven_split coarse = uneven_split_of(p, from, size), fine = uneven_split_of(p, to, size);
    const int64_t each = fine.parts / coarse.parts;
    int32_t *const index = BASE_NEW(p->a, int32_t, fine.parts * fine.most);
    for (int64_t k = 0; k < fine.parts; k++)
        for (int64_t j = 0; j < fine.n[k]; j++)
            index[k * fine.most + j] = (int32_t)(fine.lo[k] - coarse.lo[k / each] + j);
    return uneven_rows(p, x, d, from, each * fine.most, index);
}

/* Where the part by `to` begins in the part by `from`, a prefix of it. *over: how far the largest part would reach
 * beyond the block. */
static ir_id uneven_start(op_local_fn *p, mesh_list from, mesh_list to, int64_t size, int64_t *over)
{
    const uneven_split coarse = uneven_split_of(p, from, size), fine = uneven_split_of(p, to, size);
    int64_t *const at = BASE_NEW(p->a, int64_t, fine.parts);
    *over = 0;
    for (int64_t k = 0; k < fine.parts; k++) {
        at[k] = fine.lo[k] - coarse.lo[k / (fine.parts / coarse.parts)];
        if (at[k] + fine.most - coarse.most > *over) *over = at[k] + fine.most - coarse.most;
    }
    return op_local_table(p, to, at);
}

ir_id op_local_take(op_local_fn *p, ir_id x, const ir_type *whole, const mesh_list *has, const mesh_list *to)
{
    const mesh *const m = p->from;
    const ir_type *const t = ir_typeof(p->b, x);
    int64_t size[IR_RANK + 1], over[IR_RANK + 1] = { 0 }, none[IR_RANK + 1] = { 0 };
    ir_id start[IR_RANK + 1];
    bool any = false, beyond = false;
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) any |= mesh_list_size(m, has ? has[d] : 0) != mesh_list_size(m, to[d]);
    if (!any) return x;
    for (int d = 0; d < t->rank; d++) {
        const mesh_list was = has ? has[d] : 0;
        const mesh_list further = mesh_list_beyond(to[d], mesh_list_n(was));
        size[d] = mesh_list_size(m, further) == 1 ? t->dim[d] : op_local_most(p->from, to[d], whole->dim[d]);
        if (mesh_list_size(m, further) == 1 || !op_local_uneven(p->from, to[d], whole->dim[d]))
            start[d] = op_local_affine(p, further, 0, size[d]);
        else start[d] = uneven_start(p, was, to[d], whole->dim[d], &over[d]);
        beyond |= over[d] > 0;
    }
    const ir_dims no = { t->rank, none };
    if (beyond) x = op_pad(p->b, x, no, (ir_dims){ t->rank, over }, no);
    return op_dynamic_slice(p->b, x, start, (ir_dims){ t->rank, size });
}

/* A local value with `fill`, a scalar, in place of the rests of its parts. */
static ir_id uneven_masked(op_local_fn *p, ir_id x, const ir_type *whole, const mesh_list *at, ir_id fill)
{
    const ir_type *const t = ir_typeof(p->b, x);
    ir_id within = 0;
    if (!t) return 0;
    const ir_type *const i = ir_type_of(TT_I32, t->rank, t->dim);
    for (int d = 0; d < t->rank; d++) {
        if (!op_local_uneven(p->from, at[d], whole->dim[d])) continue;
        const ir_id n = op_local_table(p, at[d], uneven_split_of(p, at[d], whole->dim[d]).n),
                    in = op_compare(p->b, OP_CMP_LT, op_iota(p->b, i, d), op_broadcast(p->b, n, i, 0, NULL));
        within = within ? op_and(p->b, within, in) : in;
    }
    return within ? op_select(p->b, within, x, op_broadcast(p->b, fill, t, 0, NULL)) : x;
}

bool op_local_mask_sum(op_local *e, int i, mesh_reduce kind)
{
    const ir_type *const t = IR_IN(e->e, i);
    mesh_list at[IR_RANK + 1] = { 0 };
    bool any = false;
    for (int d = 0; d < t->rank; d++) {
        const struct op_rule_dim *const dim = &e->c.rule->dim[i * IR_RANK + d];
        if (dim->n != 1 || e->c.rule->factor[dim->at[0].factor].kind != OP_REDUCTION) continue;
        at[d] = e->need[i][d];
        any |= op_local_uneven(e->p->from, at[d], t->dim[d]);
    }
    if (!any) return true;
    return (e->x[i] = uneven_masked(e->p, e->x[i], t, at, op_identity(e->p->b, kind, t->dtype))) != 0;
}
