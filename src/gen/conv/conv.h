/* gen/conv/conv.h - convolutions: declarations shared by conv.c and conv_pack.c (register tiles, every attribute),
 * conv_matrix_unit.c (the matrix unit, or tiles that read through the window) and conv_engine.c, the engine of both.
 *
 * A convolution of a box is a list of problems: one per group and phase of base dilation (conv.c). Each problem walks,
 * for every spatial dim, over result places t and taps u, which meet elements of lhs at c0 + ts t + us u. */
#ifndef TUTTI_GEN_CONV_H
#define TUTTI_GEN_CONV_H

#include "../matmul/gemm.h"

enum { CONV_LHS, CONV_RHS, CONV_OUT, CONV_SPATIAL = IR_RANK - 2 };
typedef struct conv_matrix_unit conv_matrix_unit;
typedef struct { const ir_eqn *e; gemm_type type; const gemm_isa *isa; const conv_matrix_unit *matrix_unit; } conv;
/* One phase of base dilation along a spatial dim, in the letters of conv.c's header; o0 and j0 are indices within the
 * box. size: of lhs. */
typedef struct { int64_t o0, p, nt, j0, q, nu, c0, ts, us, size; } conv_phase;
/* A dim of rows: its size, its steps in lhs and in the result, and which spatial dim this is (-1: the batch). */
typedef struct { int64_t size, x, y; int dim; } conv_row_dim;
typedef struct {
    const op_conv_attr *a;
    int n;                                               /* number of spatial dims */
    op_taps tap[CONV_SPATIAL];
    conv_phase ph[CONV_SPATIAL];
    conv_row_dim row[CONV_SPATIAL + 1];                  /* row dims, major to minor: batch and spatial in some order */
    bool lanes;                                          /* pack along the last row dim */
    /* contracted features; steps of lhs and rhs along features; of rhs and result along columns */
    int64_t c, xc, rc, ro, yo;
    int64_t rk[CONV_SPATIAL], xs[CONV_SPATIAL]; /* steps of rhs taps and of lhs along spatial dims, in elements */
    const char *p[3];
    tt_dtype dtype[3];
    int64_t size[3], first;                              /* first: row 0 of g is this row of the problem */
    int64_t window;                                      /* elements from p[LHS] to where row 0 meets the first tap */
    gemm g;
} conv_problem;

/* Calls the callback on every group and phase of a box. Returns false, at once, if the callback does. */
typedef bool conv_each_fn(conv_problem *, const ir_box *arg, void *env);
bool conv_each(const conv *, const ir_box *arg, conv_each_fn *, void *env);
/* Computes the box by register tiles: tiles [first, first + count) of `tiles`. */
void conv_rows(const conv *, const ir_box *arg, int64_t first, int64_t count, int64_t tiles, void *scratch);
int64_t conv_rows_tiles(const conv *, const ir_box *arg);
int64_t conv_rows_scratch(const conv *, const ir_box *arg);
/* conv_pack.c: the functions of a gemm whose env is a conv_problem */
void conv_pack_a(const gemm *, void *dst, int width, int64_t row, int64_t k, int64_t nk);
void conv_pack_b(const gemm *, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk);
void conv_store(const gemm *, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld);

/* ---- im2col views, for the matrix unit or for tiles that read through the window ---- */

/* A problem as a product of matrices. X: im2col view of the input [row, (tap, feature)], read from lhs through the
 * window. T: weights [(tap, feature), col]. R: result [row, col].
 * R = X T forward and in the input gradient; T = X^T R in the weight gradient.
 * Steps are in elements. Along a dim, row r and tap t meet lhs at from + r rs + t ts; places outside [0, size) are
 * zeros. */
typedef struct { int64_t size, x, from, rows, rs, taps, ts, row_to, tap_to; } conv_dim;
/* Called by a running unit when images [0, n) of R are complete, if the view has a listener. */
typedef struct conv_listener conv_listener;
struct conv_listener { void (*images)(conv_listener *, int64_t n); };
enum { CONV_NOTIFY_BYTES = BASE_L2 / 4 };  /* bytes of R notified of at once: few enough to be still cached */
/* Columns may be of several phases of base dilation that read the same places. Of each phase: offsets of its R and T,
 * its rows, and its taps [tap, tap + taps) along each dim. T has zeros elsewhere. */
enum { CONV_PHASES = 16 };
typedef struct { int64_t r, t, rows[CONV_SPATIAL], tap[CONV_SPATIAL], taps[CONV_SPATIAL]; } conv_part;
typedef struct {
    int n; conv_dim d[CONV_SPATIAL];
    int64_t images, image_x, image_to;                   /* images that the rows are of; their steps in lhs and R */
    int64_t features, feature_to;                        /* adjacent in lhs; their step in T */
    int64_t cols, tap_col;                               /* adjacent in R; their step in T */
    int parts; const conv_part *part;                    /* phases, of cols / parts columns each; 0: one phase */
    const float *x; float *r, *t;                        /* lhs at place 0 of each dim, the first elements of R and T */
    bool back;                                           /* weight gradient: T = X^T R */
    conv_listener *listener;                             /* NULL: no notifications */
} conv_im2col;
struct conv_matrix_unit {
    double (*cycles)(const conv_im2col *);               /* estimated cost of the view */
    double (*row)(const conv_im2col *);                  /* estimated cost of one row of many */
    int64_t (*scratch)(const conv_im2col *);
    /* Runs the view. Returns false where infinities or NaNs occur and the full view must be computed without the unit
     * (weight gradient). bad: forward, the images that must be. */
    bool (*run)(const conv_im2col *, void *scratch, uint8_t *bad);
    bool merges;                                         /* accepts views of several phases */
};
const conv_matrix_unit *conv_matrix_unit_here(void);     /* NULL: neither a matrix unit nor tiles for this processor */
/* The same, restricted to a unit whose products are as precise as the equation's attribute requires. */
const conv_matrix_unit *conv_matrix_unit_for(const ir_eqn *);

/* ---- conv_im2col.c ---- */

/* Calls f on every im2col view of a box. Returns false if f does, which ends the loop, or if the memory has a layout
 * that no im2col view describes. */
typedef bool conv_im2col_fn(const conv_im2col *, void *env);
bool conv_im2cols(const conv *, const ir_box *arg, bool back, conv_im2col_fn *, void *env);

/* ---- conv_matrix_unit.c ---- */

bool conv_fits_unit(const gen_group *);
bool conv_on_unit(const gen_group *);                    /* True if the unit or the tiles are faster than plug-ins */
/* The boxes of convolution s of a batch. */
void conv_only(const conv *, const ir_box *arg, int64_t s, ir_box *one);
void conv_narrow(ir_box *, int64_t dim, int64_t lo, int64_t n);
/* The functions of a run_kernel. conv_matrix_unit_parts is 0 if the box is not for the unit. */
int64_t conv_matrix_unit_parts(const conv *, const ir_box *arg),
    conv_matrix_unit_shared(const conv *, const ir_box *arg),
    conv_matrix_unit_scratch(const conv *, const ir_box *arg);
void conv_matrix_unit_run(const conv *, const run_job *), conv_matrix_unit_finish(const conv *, const run_job *);

#endif
