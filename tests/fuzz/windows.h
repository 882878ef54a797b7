/* fuzz/windows.h - pooling, selections and convolutions at random: strides, dilations, pads of either sign, groups. */
#ifndef TUTTI_TESTS_FUZZ_WINDOWS_H
#define TUTTI_TESTS_FUZZ_WINDOWS_H

#include "idioms.h"

typedef struct { int64_t n, stride, base, step, lo, hi; } taps;
static inline taps some_taps(int64_t size)
{
    taps t = { 1 + pick(3), 1 + (int64_t)(once_in(3) ? pick(3) : 0), 1 + (int64_t)(once_in(4) ? pick(2) : 0),
               1 + (int64_t)(once_in(4) ? pick(2) : 0), (int64_t)pick(3), (int64_t)pick(3) };
    if (once_in(6)) t.lo -= 2;
    if (once_in(6)) t.hi -= 2;
    if (once_in(8)) t.n = size > 0 ? size : 1;
    return t;
}

typedef struct { int64_t v[6][IR_RANK]; op_window_attr attr; } window;
static inline void some_window(const ir_type *t, window *w)
{
    for (int d = 0; d < t->rank; d++) {
        const taps p = pick(3) ? some_taps(t->dim[d]) : (taps){ 1, 1, 1, 1, 0, 0 };
        const int64_t v[6] = { p.n, p.stride, p.base, p.step, p.lo, p.hi };
        for (int k = 0; k < 6; k++) w->v[k][d] = v[k];
    }
    const int r = t->rank;
    w->attr = (op_window_attr){ { r, w->v[0] }, { r, w->v[1] }, { r, w->v[2] }, { r, w->v[3] }, { r, w->v[4] },
                                { r, w->v[5] } };
}

static inline ir_id make_window(gen *g)
{
    const ir_id x = any_such(g, has_dims);
    window w;
    if (!x) return 0;
    const tt_dtype t = type_of(g, x)->dtype;
    some_window(type_of(g, x), &w);
    const op_prim *m = some_monoid(t);
    const uint32_t which = pick(4);
    if (which < 3) {
        ir_fn *f = op_reducer(g->b, m, t);
        const ir_id in[2] = { x, once_in(4) ? number(g, t, 1) : op_identity(g->b, m->monoid, t) };
        if (in[1]) set_fact(g, in[1], start_fact(m, t, true));
        return f ? ir_emit(g->b, &prim_reduce_window, &w.attr, 2, in, 1, &f) : 0;
    }
    if (!is_sure(g, x)) return 0;                        /* selections: a source of the windows' shape */
    int64_t dim[IR_RANK], count = 1;
    for (int d = 0; d < type_of(g, x)->rank; d++) {
        w.v[2][d] = 1;
        const op_taps p = op_taps_of(&w.attr, d);
        dim[d] = op_window_count(type_of(g, x)->dim[d], &p);
        count *= dim[d];
    }
    if (count > FUZZ_COUNT) return 0;
    ir_fn *sub[2] = { op_region_compare(g->b, pick(2) ? OP_CMP_GE : OP_CMP_LE, t), op_reducer(g->b, &prim_add, t) };
    if (t == TT_BOOL || !sub[0] || !sub[1]) return 0;
    if (pick(2)) {
        const ir_id in[2] = { x, of_type(g, type_of(g, x)) };
        return ir_emit(g->b, &prim_select_and_gather, &w.attr, 2, in, 1, sub);
    }
    const ir_id in[3] = { x, of_type(g, ir_type_of(t, type_of(g, x)->rank, dim)), number(g, t, pick(2)) };
    if (!in[1] || fact_of(g, in[1]).kind != WHOLE) return 0;
    return ir_emit(g->b, &prim_select_and_scatter, &w.attr, 3, in, 2, sub);
}

static inline ir_id make_conv(gen *g)
{
    const int n = (int)pick(3);
    const bool features = pick(2), grouped = once_in(3);
    const int64_t fg = grouped && features ? 1 + pick(3) : 1, bg = grouped && !features ? 1 + pick(3) : 1;
    const int beside = once_in(4);                       /* several, side by side */
    int64_t dim[IR_RANK], ker[IR_RANK], at[3][IR_RANK], v[6][IR_RANK], order[IR_RANK];
    static const tt_dtype kinds[] = { TT_F32, TT_F32, TT_F32, TT_I32, TT_F64, TT_BF16, TT_F16, TT_C64, TT_I8, TT_F32 };
    const tt_dtype t = kinds[pick(10)];
    dim[0] = ker[0] = 1 + pick(3);
    for (int d = 0; d < n + 2; d++) order[d] = beside + d;
    for (int d = n + 2; d > 1 && pick(2); d--) {         /* any order of dims */
        const uint32_t k = pick((uint32_t)d);
        const int64_t s = order[d - 1];
        order[d - 1] = order[k], order[k] = s;
    }
    dim[order[0]] = (1 + pick(4)) * bg;                  /* batch, features, spatial */
    ker[order[1]] = 1 + pick(4);
    dim[order[1]] = ker[order[1]] * fg;
    ker[order[0]] = (1 + pick(3)) * fg * bg;
    for (int i = 0; i < n; i++) {
        const int64_t size = 1 + pick(9);
        const taps p = some_taps(size);
        dim[order[2 + i]] = size;
        ker[order[2 + i]] = p.n;
        for (int k = 0; k < 3; k++) at[k][i] = order[2 + i];
        const int64_t w[6] = { p.stride, p.lo, p.hi, p.base, p.step, pick(2) };
        for (int k = 0; k < 6; k++) v[k][i] = w[k];
    }
    const ir_id x = of_type(g, ir_type_of(t, beside + n + 2, dim)), k = of_type(g, ir_type_of(t, beside + n + 2, ker));
    if (!x || !k) return 0;
    const op_conv_attr a = { order[0], order[1], { n, at[0] }, order[1], order[0], { n, at[1] },
                             order[0], order[1], { n, at[2] }, { n, v[0] }, { n, v[1] }, { n, v[2] }, { n, v[3] },
                             { n, v[4] }, { n, v[5] }, fg, bg, beside, some_result(t), n % 3 };
    return ir_emit(g->b, &prim_convolution, &a, 2, (const ir_id[]){ x, k }, 0, NULL);
}

#endif
