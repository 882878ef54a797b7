/* gen/reduce/reduce.h - the loops of reductions per dtype and monoid, for reduce.c, cum.c and reduce_window.c
 * (reduce_isa.c, per instruction set).
 *
 * Accumulators: f32 for f32, bf16 and f16; else the dtype itself. Element i of a reduced sequence goes to lane i mod
 * 32, where at most 64 elements of a block are added in one chain; the lanes of 32 blocks are added up, then 32 of
 * these sums, and so on; lanes are merged as a tree of halves (16, 8, 4, 2, 1). Rows of adjacent columns are in lanes,
 * too, in parts of at most 8,192 rows, which are merged pair by pair. So no sum is a chain of more than 256 additions,
 * and its error is some ulps for any length. In reproducible mode bits do not depend on splits: sums are trees (tree.h)
 * of leaves that are chains if they are short, else lanes. */
#ifndef TUTTI_GEN_REDUCE_H
#define TUTTI_GEN_REDUCE_H

#include "../gen.h"

enum { REDUCE_LANES = 32, REDUCE_HOWS = MESH_XOR + 1, REDUCE_KINDS = TT_F64 + 1 };
/* Elements of a block of a line; sums added in one chain; rows of a part of columns. */
enum { REDUCE_BLOCK = 64 * REDUCE_LANES, REDUCE_FAN = 32, REDUCE_ROWS = 256 * REDUCE_LANES };
typedef struct {
    size_t acc;                                          /* bytes of an accumulator; 0: no such reduction */
    bool exact;                                          /* associative: the order does not matter */
    void (*clear)(void *acc, int64_t n);                 /* sets to the identity */
    void (*along)(void *lanes, const void *x, int64_t step, int64_t n);  /* lanes[i % 32] op= x[i * step] */
    void (*across)(void *acc, const void *x, int64_t n); /* acc[i] op= x[i] */
    void (*merge)(void *acc, const void *other, int64_t n);      /* acc[i] op= other[i], both accumulators */
    void (*onto)(void *y, const void *x, int64_t n);     /* y[i] op= x[i], both elements, each rounded */
    void (*leaves)(void *acc, const void *x, int64_t m, int64_t n); /* acc[i] = identity op x[i m] op x[i m + 1] .. */
    void (*pairs)(void *acc, int64_t n);                 /* acc[0] = the tree of acc[0 .. n), n a power of two */
    void (*finish)(void *y, int64_t step, const void *acc, const void *init,
                   int64_t n);                                                       /* y[i * step] = init op acc[i] */
    /* y[i] = before op (x[0] op .. op x[i]). before: an accumulator or NULL. total: receives the reduction of all of x,
     * an accumulator or NULL. */
    void (*prefix)(void *y, const void *x, const void *before, int64_t n, int64_t ystep, int64_t xstep, void *total);
    /* y[i] = init op x[off[0] + i] op x[off[1] + i] .., i < n; repeated for `places` places, each ystep and xstep
     * further on */
    void (*window)(void *y, const void *x, const int64_t *off, int64_t taps, const void *init, int64_t n,
                   int64_t places, int64_t ystep, int64_t xstep);
} reduce_ops;

/* Max pooling along a line, T f32 or f64: the tap that each place has selected so far (-1: none). */
typedef struct {
    /* best stays where best keep v */
    void (*choose)(void *best, int32_t *tap, const void *v, int32_t now, op_cmp keep, int64_t n);
    /* y[i] = t[i] where tap[i] is now */
    void (*take)(void *y, const int32_t *tap, const void *t, int32_t now, int64_t n);
    void (*scatter)(void *y, const int32_t *tap, const void *t, int32_t now, int64_t n);  /* y[i] += t[i] there */
} reduce_select;
typedef struct {
    reduce_ops at[REDUCE_KINDS][REDUCE_HOWS];
    reduce_select select[2];
} reduce_isa;                                            /* [dtype][mesh_reduce]; f32, f64 */
const reduce_select *reduce_select_here(bool wide);
const reduce_ops *reduce_here(tt_dtype, mesh_reduce);    /* NULL: there is none */
/* y[i] = init op x[0] op .. op x[i], elements of `size` bytes. init: an element, or NULL for no initial value
 * (cum.c). */
void reduce_prefix(const reduce_ops *, void *y, const void *x, const void *init, int64_t n, int64_t ystep,
    int64_t xstep,
                   int64_t size);

/* gen_reduce's kernel without `finish`: no line is split into tasks. */
bool gen_reduce_lines(base_arena *, const gen_group *, run_kernel *);

#endif
