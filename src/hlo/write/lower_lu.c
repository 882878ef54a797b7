/* hlo/write/lower_lu.c - LU in operations of StableHLO, for compilers without LAPACK's: panels of columns by a loop,
 * and products for the rest, as JAX has it for devices that have no such routine.
 *
 * A panel's loop takes the largest element of a column, |re| + |im| for complex numbers and the first of equal ones as
 * in LAPACK, exchanges its row, and subtracts the multiples of it; a column of zeros stays. After each panel the rows
 * of the other columns are exchanged, the panel's rows to its right solved for, and a product updates the rest. */
#include "lower_algebra.h"

#include <string.h>

enum { PANEL = 64, PANELS = 8 };                         /* columns, at least; panels: each has a loop of its own */

typedef struct { ir_build *b; const ir_type *t, *index; int lead; int64_t m, n; } panel;   /* index: "i32[.., m, 1]" */

/* The row of column k's pivot, "i32[.., 1, 1]": the first of the largest at or below row k. */
static ir_id pivot(const panel *w, ir_id column, ir_id k, ir_id rows)
{
    ir_build *const b = w->b;
    const ir_id size = hlo_size1(b, column), here = op_compare(b, OP_CMP_GE, rows, hlo_spread(b, k, w->index));
    if (!size || !here) return 0;
    const ir_type *const t = ir_typeof(b, size);
    const ir_id below = op_select(b, here, size, op_splat(b, t, -1));
    const ir_id most = hlo_reduced(b, &prim_max, below, w->lead), found = op_equal(b, below, hlo_spread(b, most, t));
    const ir_id last = op_splat(b, w->index, (double)(w->m - 1));
    return hlo_reduced(b, &prim_min, op_select(b, found, rows, last), w->lead);
}

/* One column of a panel: consts: none; carry: the panel, the order of rows; x: k; y: the pivot. */
static ir_fn *panel_body(const panel *outer, ir_id a, ir_id order)
{
    panel w = *outer;
    w.b = ir_region(outer->b, base_intern("pivot"));
    ir_build *const b = w.b;
    const ir_id x = ir_arg(b, ir_typeof(outer->b, a)), o = ir_arg(b, ir_typeof(outer->b, order)),
                at = ir_arg(b, ir_type_of(TT_I32, 0, NULL));
    int64_t ones[IR_RANK];
    for (int d = 0; d < w.t->rank; d++) ones[d] = 1;
    const ir_id k = op_reshape(b, at, w.t->rank, ones), rows = op_iota(b, w.index, w.lead);
    const ir_id q = pivot(&w, hlo_cut(b, x, w.lead + 1, at, 1), k, rows);
    ir_id row, other;
    const ir_id moved = hlo_exchanged(b, x, false, k, q, &row), o2 = hlo_exchanged(b, o, false, k, q, &other);
    const ir_id head = hlo_cut(b, row, w.lead + 1, at, 1), column = hlo_cut(b, moved, w.lead + 1, at, 1);
    if (!head || !column || !o2) return NULL;
    const ir_type *const h = ir_typeof(b, head), *const c = ir_typeof(b, column);
    const ir_id none = op_equal(b, head, op_zeros(b, h)), by = op_select(b, none, op_ones(b, h), head);
    const ir_id below = op_compare(b, OP_CMP_GT, rows, hlo_spread(b, k, w.index));
    const ir_id part = op_select(b, below, op_div(b, column, hlo_spread(b, by, c)), op_zeros(b, c));
    const ir_id columns = op_iota(b, hlo_matrix_of(w.t, TT_I32, 1, w.n), w.lead + 1);
    const ir_id right = op_compare(b, OP_CMP_GT, columns, hlo_spread(b, k, ir_typeof(b, columns)));
    const ir_id tail = op_select(b, right, row, op_zeros(b, ir_typeof(b, row)));
    const ir_id less = op_sub(b, moved, op_mul(b, hlo_spread(b, part, w.t), hlo_spread(b, tail, w.t)));
    const ir_id in_k = op_equal(b, columns, hlo_spread(b, k, ir_typeof(b, columns)));
    const ir_id place = op_and(b, hlo_spread(b, below, w.t), hlo_spread(b, in_k, w.t));
    const ir_id ret[] = { op_select(b, place, hlo_spread(b, part, w.t), less), o2, q };
    return ret[0] && q ? ir_end(b, 3, ret) : NULL;
}

/* Factors a panel of m rows: y: the panel, "i32[.., m, 1]" the order of its rows, "i32[k, .., 1, 1]" pivots. */
static bool panel_of(ir_build *b, ir_id a, ir_id *y)
{
    const ir_type *const t = a ? ir_typeof(b, a) : NULL;
    if (!t) return false;
    panel w = { .b = b, .t = t, .lead = t->rank - 2, .m = t->dim[t->rank - 2], .n = t->dim[t->rank - 1] };
    w.index = hlo_matrix_of(t, TT_I32, w.m, 1);
    const int64_t k = w.m < w.n ? w.m : w.n;
    const op_scan_attr loop = { .length = k, .num_carry = 2 };
    const ir_id in[] = { a, op_as(b, op_iota(b, w.index, w.lead), t), op_iota(b, ir_type_of(TT_I32, 1, &k), 0) };
    ir_fn *const body = panel_body(&w, a, in[1]);
    const ir_id first = body ? ir_emit(b, &prim_scan, &loop, 3, in, 1, &body) : 0;
    for (ir_id j = 0; j < 3; j++) y[j] = first + j;
    return first != 0;
}

static ir_id rows_in_order(ir_build *b, ir_id x, ir_id order)    /* order: "i32[.., m, 1]" */
{
    const ir_type *const t = order ? ir_typeof(b, order) : NULL;
    return t ? op_permuted_rows(b, x, op_reshape(b, order, t->rank - 1, t->dim)) : 0;
}

/* Pivots of all panels, "i32[k, .., 1, 1]", as "i32[.., k]" */
static ir_id pivots_of(ir_build *b, int n, const ir_id *list, int rank)
{
    const ir_id all = n > 1 ? op_concatenate(b, n, list, 0) : list[0];
    const ir_type *const t = all ? ir_typeof(b, all) : NULL;
    return t ? op_move(b, op_reshape(b, all, rank - 1, t->dim), 0, rank - 2) : 0;
}

/* The columns [from, to) of x in the panel's place: what is left of them, above them, and the factored rows. */
static ir_id with_rows(ir_build *b, ir_id x, ir_id below, int64_t from, int64_t c0, int64_t c1)
{
    if (c1 <= c0) return 0;
    if (!from) return below;
    const ir_id both[] = { op_part_of(b, x, 0, from, c0, c1), below };
    return both[0] && both[1] ? op_concatenate(b, 2, both, ir_typeof(b, x)->rank - 2) : 0;
}

/* Columns beyond the panel: U12 = L11^-1 A12, and A22 - L21 U12 below it. */
static ir_id updated(ir_build *b, ir_id l, ir_id right, int64_t m, int64_t r)
{
    const ir_type *const t = right ? ir_typeof(b, right) : NULL;
    if (!t || !l) return 0;
    const int64_t n = t->dim[t->rank - 1], k = ir_typeof(b, l)->dim[t->rank - 1];
    const ir_id u = op_solve_triangular(b, op_part_of(b, l, 0, r, 0, k), op_part_of(b, right, 0, r, 0, n),
                                        (op_triangular_attr){ true, true, true, OP_NO_TRANSPOSE });
    if (m == r) return u;
    const ir_id rest = op_sub(b, op_part_of(b, right, r, m, 0, n), op_product(b, op_part_of(b, l, r, m, 0, k), u));
    return u && rest ? op_concatenate(b, 2, (const ir_id[]){ u, rest }, t->rank - 2) : 0;
}

/* Factors the panel of columns [c, c + r) of x, from row c on; *q: its pivots, counted from row 0. */
static ir_id panel_in(ir_build *b, ir_id x, int64_t c, int64_t r, ir_id *q)
{
    ir_id y[3];
    const ir_type *const t = x ? ir_typeof(b, x) : NULL;
    if (!t) return 0;
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], rows = m - c;
    if (!panel_of(b, op_part_of(b, x, c, m, c, c + r), y)) return 0;
    *q = op_add(b, y[2], op_splat(b, ir_typeof(b, y[2]), (double)c));
    const ir_id left = c ? rows_in_order(b, op_part_of(b, x, c, m, 0, c), y[1]) : 0;
    const ir_id right = c + r < n ? rows_in_order(b, op_part_of(b, x, c, m, c + r, n), y[1]) : 0;
    ir_id part[3];
    int parts = 0;
    if (c) part[parts++] = with_rows(b, x, left, c, 0, c);
    part[parts++] = with_rows(b, x, y[0], c, c, c + r);
    if (c + r < n) part[parts++] = with_rows(b, x, updated(b, y[0], right, rows, r), c, c + r, n);
    for (int i = 0; i < parts; i++) if (!part[i]) return 0;
    return parts > 1 ? op_concatenate(b, parts, part, t->rank - 1) : part[0];
}

bool hlo_spell_lu(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_type *const t = IR_IN(e, 0);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], k = m < n ? m : n;
    const int64_t width = k > PANEL * PANELS ? (k + PANELS - 1) / PANELS : PANEL;
    const int panels = (int)((k + width - 1) / width);
    ir_id *const q = IR_NEW(b, ir_id, panels + 1), a = x[0];
    for (int i = 0; i < panels && ir_count(t); i++) {
        const int64_t c = i * width, r = k - c < width ? k - c : width;
        if (!(a = panel_in(b, a, c, r, &q[i]))) return false;
    }
    const bool some = ir_count(t) > 0;
    y[0] = a;
    y[1] = some ? pivots_of(b, panels, q, t->rank) : op_zeros(b, IR_OUT(e, 1));
    const ir_fn *const f = y[1] ? hlo_permutation(ir_build_arena(b), e->fn->mesh, ir_typeof(b, y[1]), m) : NULL;
    return f && ir_inline(b, f, &y[1], &y[2]);
}
