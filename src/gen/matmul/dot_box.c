/* gen/matmul/dot_box.c - a product's boxes: dims that have a common stride are merged into one; the remaining several
 * dims are walked by pointers while packing. Operands and results that the loops of gemm.h can read and write in place
 * are passed to the loops without packing. */
#include "dot.h"
#include "../../op/prog/scalar.h"

#include <string.h>

enum { WIDEST = 128 };                                   /* columns of the widest tile */

/* ---- dims ---- */

static void dot_box_add(dot_axes *x, int64_t size, int64_t lhs, int64_t rhs, int64_t out)
{
    const int64_t step[3] = { lhs, rhs, out };
    bool joins = x->n > 0;
    if (size == 1) return;
    for (int t = 0; joins && t < 3; t++) joins = x->at[x->n - 1].step[t] == step[t] * size;
    if (!joins) x->n++, x->at[x->n - 1].size = 1;
    x->at[x->n - 1].size *= size;
    memcpy(x->at[x->n - 1].step, step, sizeof step);
}

int64_t dot_total(const dot_axes *x)
{
    int64_t n = 1;
    for (int i = 0; i < x->n; i++) n *= x->at[i].size;
    return n;
}

static int64_t offset(const dot_axes *x, int tensor, int64_t i)  /* elements, at index i in row-major order */
{
    int64_t at = 0;
    if (x->n == 1) return i * x->at[0].step[tensor];
    for (int d = x->n - 1; d >= 0; i /= x->at[d].size, d--) at += i % x->at[d].size * x->at[d].step[tensor];
    return at;
}

static int64_t inner(const dot_axes *x) { return x->n ? x->at[x->n - 1].size : 1; }
static int64_t dot_box_step(const dot_axes *x, int tensor) { return x->n ? x->at[x->n - 1].step[tensor] : 1; }
static bool as_one(const dot_axes *x, int t)             /* True if the dims have a common stride in this tensor */
{
    for (int d = 1; d < x->n; d++) if (x->at[d - 1].step[t] != x->at[d].step[t] * x->at[d].size) return false;
    return true;
}
/* How many indices from i on, at most n, are at a constant step. */
static int64_t dot_box_run(const dot_axes *x, int64_t i, int64_t n)
{
    const int64_t left = inner(x) - i % inner(x);
    return left < n ? left : n;
}

/* ---- packing ---- */

/* Packs two k from `from` on as pairs, of dims that are not one dim in memory. */
static void pack_pair(const dot_problem *p, int t, const dot_axes *l, uint32_t *dst, int width, int64_t lane, int lanes,
                      int64_t from)
{
    for (int j = 0; j < width; j++) {
        const char *at = p->p[t] + offset(l, t, lane + j) * p->size[t];
        uint16_t pair[2] = { 0 };
        for (int i = 0; j < lanes && i < 2; i++) {
            const char *const x = at + offset(&p->k, t, from + i) * p->size[t];
            float f;
            if (p->size[t] == 2) memcpy(&pair[i], x, 2);
            else memcpy(&f, x, 4), pair[i] = s_bf16_of_f32(f);
        }
        dst[j] = pair[0] | (uint32_t)pair[1] << 16;
    }
}

/* Packs `width` lanes from `lane` on of axis l, and nk of k from `from` on, a multiple of the depth: dst[k][lane]. */
static void pack(const dot_problem *p, int t, const dot_axes *l, char *dst, int width, int64_t lane, int lanes,
                 int64_t from, int64_t nk)
{
    const gemm_isa *isa = p->g.isa;
    const gemm_type type = p->g.type;
    const int64_t depth = isa->depth, acc = (int64_t)gemm_bytes(type) / depth;
    const int64_t ls = dot_box_step(l, t), ks = dot_box_step(&p->k, t);
    const bool straight = dot_box_run(l, lane, lanes) == lanes && (ls == 1 || ks != 1);
    const void *row[WIDEST];
    for (int64_t i = 0; i < nk;) {
        const int64_t run = dot_box_run(&p->k, from + i, nk - i), at = offset(&p->k, t, from + i);
        const int64_t n = i + run == nk ? run : run / depth * depth;
        if (!n) {                                        /* the last k of one line and the first of the next */
            pack_pair(p, t, l, (uint32_t *)(void *)(dst + i * width * acc), width, lane, lanes, from + i);
            i += depth;
            continue;
        }
        if (straight) {
            const char *src = p->p[t] + (at + offset(l, t, lane)) * p->size[t];
            isa->from_lanes[type](dst + i * width * acc, width, p->dtype[t], src, ks, ls, lanes, n);
        } else {
            for (int j = 0; j < width; j++)
                row[j] = j < lanes ? p->p[t] + (at + offset(l, t, lane + j)) * p->size[t] : NULL;
            isa->from_rows[type](dst + i * width * acc, width, p->dtype[t], row, ks, n);
        }
        i += n;
    }
}

/* The k that so many units of the loops stand for: pairs, if the depth is 2, of which the last may be half. */
static int64_t ks_of(const dot_problem *p, int64_t units)
{
    const int64_t all = dot_total(&p->k), k = units * p->g.isa->depth;
    return k < all ? k : all;
}

static void dot_box_pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const dot_problem *p = g->env;
    pack(p, LHS, &p->m, dst, width, row, width, ks_of(p, k), ks_of(p, k + nk) - ks_of(p, k));
}

static void dot_box_pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
{
    const dot_problem *p = g->env;
    pack(p, RHS, &p->n, dst, width, col, cols, ks_of(p, k), ks_of(p, k + nk) - ks_of(p, k));
}

static void dot_box_store(const gemm *g, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld)
{
    const dot_problem *p = g->env;
    const int64_t acc = (int64_t)gemm_bytes(g->type), s = dot_box_step(&p->n, OUT);
    if (p->m.n <= 1 && p->n.n <= 1) {
        const int64_t next = dot_box_step(&p->m, OUT) * p->size[OUT];
        char *q = (char *)p->p[OUT] + row * next + col * s * p->size[OUT];
        if (s == 1 && g->isa->narrow_tile[g->type]) {
            g->isa->narrow_tile[g->type](q, p->dtype[OUT], next, tile, ld, rows, cols);
            return;
        }
        for (int i = 0; i < rows; i++, q += next)
            g->isa->narrow[g->type](q, p->dtype[OUT], s, (const char *)tile + i * ld * acc, cols);
        return;
    }
    for (int i = 0; i < rows; i++) {
        const int64_t to = offset(&p->m, OUT, row + i);
        for (int64_t j = 0; j < cols;) {
            const int64_t n = dot_box_run(&p->n, col + j, cols - j);
            char *q = (char *)p->p[OUT] + (to + offset(&p->n, OUT, col + j)) * p->size[OUT];
            g->isa->narrow[g->type](q, p->dtype[OUT], s, (const char *)tile + (i * ld + j) * acc, n);
            j += n;
        }
    }
}

/* ---- a box ---- */

static int free_dims(int rank, ir_dims batch, ir_dims sum, int *out)
{
    int n = 0;
    for (int d = 0; d < rank; d++) if (!op_dims_has(batch, d) && !op_dims_has(sum, d)) out[n++] = d;
    return n;
}

/* A stand-in for the address of a box that has none while a program is bound: NULL would mean that the operand has an
 * unsuitable layout, and the choices made at bind must be the choices made when the program runs. */
static const char nowhere[64];

static void shape(const dot *d, const ir_box *arg, dot_problem *p)
{
    const op_dot_attr *a = IR_ATTR(d->e, op_dot_attr);
    const ir_box *x = &arg[d->swapped ? RHS : LHS], *y = &arg[d->swapped ? LHS : RHS], *z = &arg[OUT];
    int64_t from[2] = { 0, 0 };
    int free[2][IR_RANK], o = 0;
    *p = (dot_problem){ .g = { .isa = d->isa, .type = d->type, .tree = d->tree, .pack_a = dot_box_pack_a,
        .pack_b = dot_box_pack_b,
                           .store = dot_box_store }, .on_demand = d->on_demand };
    for (int i = 0; i < a->lhs_batching_dimensions.n; i++, o++) {
        const int l = (int)a->lhs_batching_dimensions.v[i], r = (int)a->rhs_batching_dimensions.v[i];
        dot_box_add(&p->batch, z->n[o], x->step[l], y->step[r], z->step[o]);
        from[0] += (z->lo[o] - x->lo[l]) * x->step[l], from[1] += (z->lo[o] - y->lo[r]) * y->step[r];
    }
    const int nm = free_dims(x->rank, a->lhs_batching_dimensions, a->lhs_contracting_dimensions, free[0]);
    const int nn = free_dims(y->rank, a->rhs_batching_dimensions, a->rhs_contracting_dimensions, free[1]);
    memcpy(p->dims, (int[3]){ o, nm, nn }, sizeof p->dims);
    for (int i = 0; i < nm; i++, o++) {
        dot_box_add(&p->m, z->n[o], x->step[free[0][i]], 0, z->step[o]);
        from[0] += (z->lo[o] - x->lo[free[0][i]]) * x->step[free[0][i]];
    }
    for (int i = 0; i < nn; i++, o++) {
        dot_box_add(&p->n, z->n[o], 0, y->step[free[1][i]], z->step[o]);
        from[1] += (z->lo[o] - y->lo[free[1][i]]) * y->step[free[1][i]];
    }
    /* the part of the sum that both boxes hold: one of the boxes may hold more */
    for (int i = 0; i < a->lhs_contracting_dimensions.n; i++) {
        const int l = (int)a->lhs_contracting_dimensions.v[i], r = (int)a->rhs_contracting_dimensions.v[i];
        const int64_t lo = x->lo[l] > y->lo[r] ? x->lo[l] : y->lo[r], xe = x->lo[l] + x->n[l], ye = y->lo[r] + y->n[r];
        const int64_t n = (xe < ye ? xe : ye) - lo;
        dot_box_add(&p->k, n < 0 ? 0 : n, x->step[l], y->step[r], 0);
        from[0] += (lo - x->lo[l]) * x->step[l], from[1] += (lo - y->lo[r]) * y->step[r];
    }
    for (int t = 0; t < 3; t++) {
        const ir_box *const b = t == LHS ? x : t == RHS ? y : z;
        p->dtype[t] = b->dtype;
        p->size[t] = (int64_t)ir_dtype_of(b->dtype)->bytes;
        p->p[t] = b->at ? (const char *)b->at + (t < 2 ? from[t] * p->size[t] : 0) : nowhere;
    }
    p->g.m = dot_total(&p->m), p->g.n = dot_total(&p->n), p->g.k = dot_total(&p->k);
    p->g.k = (p->g.k + d->isa->depth - 1) / d->isa->depth;
}

static bool in_blocks(const dot_axes *x) { return x->n <= 1 || inner(x) % GEMM_BLOCK == 0; }

static int64_t dot_box_offset(const gemm *g, int t, int64_t i, int64_t j)
{
    const dot_problem *p = g->env;
    return t == RHS ? offset(&p->k, t, i) + offset(&p->n, t, j) : offset(&p->m, t, i) + offset(t ? &p->n : &p->k, t, j);
}

/* Describes operands with several dims without a common stride, e.g. heads between rows and the contracted dim: the
 * unit reads such operands block by block. */
static void set_places(dot_problem *q)
{
    const int64_t am = dot_box_step(&q->m, LHS), ak = dot_box_step(&q->k, LHS), bk = dot_box_step(&q->k, RHS),
        bn = dot_box_step(&q->n, RHS);
    gemm *g = &q->g;
    if (!g->matrix_unit || (q->m.n <= 1 && q->n.n <= 1 && q->k.n <= 1)) return;
    if (q->dtype[LHS] != TT_F32 || q->dtype[RHS] != TT_F32 || q->dtype[OUT] != TT_F32) return;
    if (!in_blocks(&q->m) || !in_blocks(&q->n) || !in_blocks(&q->k)) return;
    if ((am != 1 && ak != 1) || (bk != 1 && bn != 1) || dot_box_step(&q->n, OUT) != 1) return;
    g->offset = dot_box_offset, g->k_run = inner(&q->k);
    g->a_transposed = ak != 1, g->b_transposed = bn != 1;
    g->a = q->p[LHS], g->b = q->p[RHS], g->c = (void *)(uintptr_t)q->p[OUT];
    g->lda = g->a_transposed ? ak : am, g->ldb = g->b_transposed ? bn : bk, g->ldc = dot_box_step(&q->m, OUT);
}

/* See dot.h. */
gemm dot_part(const dot_problem *p, dot_problem *q, int64_t batch, int64_t m0, int64_t m, int64_t n0, int64_t n)
{
    static const tt_dtype native[GEMM_TYPES][2] = {
        { TT_F32, TT_F32 }, { TT_F64, TT_F64 }, { TT_I32, TT_U32 }, { TT_I64, TT_U64 }
    };
    const tt_dtype *own = native[p->g.type];
    const bool single = p->g.isa->depth == 1;            /* pairs are packed, whatever they are made of */
    const bool is[3] = { false, single && (p->dtype[RHS] == own[0] || p->dtype[RHS] == own[1]),
                         p->dtype[OUT] == own[0] || p->dtype[OUT] == own[1] };
    *q = *p;
    for (int t = 0; t < 3; t++) q->p[t] += offset(&p->batch, t, batch) * p->size[t];
    gemm *g = &q->g;
    g->env = q, g->m = m, g->n = n;
    memcpy(q->from, (int64_t[3]){ batch, m0, n0 }, sizeof q->from);
    q->p[LHS] += m0 ? offset(&p->m, LHS, m0) * p->size[LHS] : 0;
    q->p[RHS] += n0 ? offset(&p->n, RHS, n0) * p->size[RHS] : 0;
    q->p[OUT] += ((m0 ? offset(&p->m, OUT, m0) : 0) + (n0 ? offset(&p->n, OUT, n0) : 0)) * p->size[OUT];
    if (is[OUT] && p->m.n <= 1 && p->n.n <= 1 && dot_box_step(&p->n, OUT) == 1)
        g->c = (void *)(uintptr_t)q->p[OUT], g->ldc = p->m.n ? dot_box_step(&p->m, OUT) : n;
    if (is[RHS] && p->n.n <= 1 && p->k.n <= 1) {
        g->b_transposed = dot_box_step(&p->n, RHS) != 1 && dot_box_step(&p->k, RHS) == 1;
        if (g->b_transposed || dot_box_step(&p->n, RHS) == 1) g->b = q->p[RHS];
        g->ldb = g->b_transposed ? dot_box_step(&p->n, RHS) : p->k.n ? dot_box_step(&p->k, RHS) : n;
    }
    if (single && p->dtype[LHS] == own[0] && p->m.n <= 1 && p->k.n <= 1) {
        g->a_transposed = dot_box_step(&p->k, LHS) != 1 && dot_box_step(&p->m, LHS) == 1;
        if (g->a_transposed || dot_box_step(&p->k, LHS) == 1) g->a = q->p[LHS];
        g->lda = dot_box_step(g->a_transposed ? &p->k : &p->m, LHS);
    }
    for (int t = 0; t < 2; t++) {
        const dot_axes *lanes = t ? &p->n : &p->m;
        if (lanes->n > 1 || !as_one(&p->k, t) || dot_total(&p->k) % g->isa->depth) continue;
        g->side[t] = (gemm_side){ q->p[t], p->dtype[t], lanes->n ? dot_box_step(lanes, t) : 0,
            p->k.n ? dot_box_step(&p->k, t) * g->isa->depth : 0 };
    }
    set_places(q);
    return *g;
}

/* Advances from a batch's full product to the next batch's: only addresses change. */
void dot_next(const dot_problem *p, dot_problem *q, int64_t batch)
{
    gemm *g = &q->g;
    int64_t by[3];
    q->from[0] = batch;
    for (int t = 0; t < 3; t++) {
        by[t] = (offset(&p->batch, t, batch) - offset(&p->batch, t, batch - 1)) * p->size[t];
        q->p[t] += by[t];
        if (t < 2 && g->side[t].at) g->side[t].at = (const char *)g->side[t].at + by[t];
    }
    if (g->a) g->a = (const char *)g->a + by[LHS];
    if (g->b) g->b = (const char *)g->b + by[RHS];
    if (g->c) g->c = (char *)g->c + by[OUT];
}

void dot_measure(const dot *d, const ir_box *arg, dot_problem *p)
{
    dot_problem q;
    shape(d, arg, p);
    if (!d->matrix_unit || !p->g.m || !p->g.n || !p->g.k || !dot_total(&p->batch)) return;
    p->g.matrix_unit = d->matrix_unit;
    const gemm g = dot_part(p, &q, 0, 0, p->g.m, 0, p->g.n);
    if (!d->matrix_unit->worth(&g, p->dtype[LHS], p->dtype[RHS])) p->g.matrix_unit = NULL;
}
