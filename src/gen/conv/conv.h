/* gen/conv/conv.h - convolutions: what conv.c (register tiles, every attribute), conv_matrix_unit.c (the matrix unit,
 * or tiles that read through the window) and the engine of both share.
 *
 * A convolution of a box is a list of problems: one per group and phase of base dilation (conv.c). Each is, for every
 * spatial dim, a walk over result places t and taps u that meet elements of lhs at c0 + ts t + us u.
 */
#ifndef TUTTI_GEN_CONV_H
#define TUTTI_GEN_CONV_H

#include "../matmul/gemm.h"

enum { CONV_LHS, CONV_RHS, CONV_OUT, CONV_SPATIAL = IR_RANK - 2 };
typedef struct conv_matrix_unit conv_matrix_unit;
typedef struct { const ir_eqn *e; gemm_type type; const gemm_isa *isa; const conv_matrix_unit *matrix_unit; } conv;
typedef struct { int64_t o0, p, nt, j0, q, nu, c0, ts, us, size; } conv_phase;  /* of a spatial dim; o0, j0 in boxes */
/* A dim of rows: steps in lhs and result; which spatial one, or -1. */
typedef struct { int64_t size, x, y; int dim; } conv_row_dim;
typedef struct {
    const op_conv_attr *a;
    int n;                                               /* spatial dims */
    op_taps tap[CONV_SPATIAL];
    conv_phase ph[CONV_SPATIAL];
    conv_row_dim row[CONV_SPATIAL + 1];                  /* row dims, major to minor: batch and spatial in some order */
    bool lanes;                                          /* pack along the last row dim */
    int64_t c, xc, rc, ro, yo;        /* features contracted; steps of lhs and rhs along them; of columns */
    int64_t rk[CONV_SPATIAL], xs[CONV_SPATIAL]; /* steps of rhs taps and of lhs along spatial dims, in elements */
    const char *p[3];
    tt_dtype dtype[3];
    int64_t size[3], first;                              /* first: row 0 of g is this row */
    int64_t window;                                      /* from p[LHS] to where row 0 meets the first tap; elements */
    gemm g;
} conv_problem;

/* Every group and phase of a box; stops where `f` says false, and says so. */
typedef bool conv_each_fn(conv_problem *, const ir_box *arg, void *env);
bool conv_each(const conv *, const ir_box *arg, conv_each_fn *, void *env);
/* The box by register tiles: part [first, first + count) of `tiles`. */
void conv_rows(const conv *, const ir_box *arg, int64_t first, int64_t count, int64_t tiles, void *scratch);
int64_t conv_rows_tiles(const conv *, const ir_box *arg);
int64_t conv_rows_scratch(const conv *, const ir_box *arg);

/* ---- pictures, for the matrix unit or for tiles that read through the window ---- */

/* A problem as two matrices and a picture: X[row, (tap, feature)] is read from lhs through the window, R[row, col] and
 * T[(tap, feature), col] are what their names say; R = X T forward and to the input, T = X^T R to the weights. Steps
 * are in elements. Along a dim, row r and tap t meet lhs at from + r rs + t ts; outside [0, size) there are zeros. */
typedef struct { int64_t size, x, from, rows, rs, taps, ts, row_to, tap_to; } conv_dim;
/* Told by a unit at work that images [0, n) of R stand, if a picture asks for it. */
typedef struct conv_listener conv_listener;
struct conv_listener { void (*images)(conv_listener *, int64_t n); };
enum { CONV_NOTIFY_BYTES = 1 << 19 };                    /* bytes that are notified of at once: they are still cached */
/* Columns may be of several phases of base dilation that look at the same places: of each, from where on R and T are
 * its own, its rows, and its taps [tap, tap + taps) along each dim; T has zeros elsewhere. */
enum { CONV_PHASES = 16 };
typedef struct { int64_t r, t, rows[CONV_SPATIAL], tap[CONV_SPATIAL], taps[CONV_SPATIAL]; } conv_part;
typedef struct {
    int n; conv_dim d[CONV_SPATIAL];
    int64_t images, image_x, image_to;                   /* rows are of several images: steps in lhs and R */
    int64_t features, feature_to;                        /* side by side in lhs; their step in T */
    int64_t cols, tap_col;                               /* side by side in R; their step in T */
    int parts; const conv_part *part;                    /* of so many columns each; 0: all are one */
    const float *x; float *r, *t;                        /* lhs at place 0 of each dim, R and T at their first */
    bool back;                                           /* T = X^T R */
    conv_listener *listener;                             /* NULL: nobody asks */
} conv_im2col;
struct conv_matrix_unit {
    double (*cycles)(const conv_im2col *);               /* about what it costs */
    double (*row)(const conv_im2col *);                  /* a row of many */
    int64_t (*scratch)(const conv_im2col *);
    /* false: infinities or NaNs, all of it is to be done without; bad: forward, images that are */
    bool (*run)(const conv_im2col *, void *scratch, uint8_t *bad);
    bool merges;                                         /* takes pictures of several parts */
};
const conv_matrix_unit *conv_matrix_unit_here(void);     /* NULL: there is neither */
/* likewise, of what makes products as precise as that asks */
const conv_matrix_unit *conv_matrix_unit_for(const ir_eqn *);

/* ---- conv_im2col.c ---- */

/* Every picture of a box; stops where `f` says false, and says so; false too where memory is laid out otherwise. */
typedef bool conv_im2col_fn(const conv_im2col *, void *env);
bool conv_im2cols(const conv *, const ir_box *arg, bool back, conv_im2col_fn *, void *env);

/* ---- conv_matrix_unit.c ---- */

bool conv_fits_unit(const gen_group *);
bool conv_on_unit(const gen_group *);                    /* better so than by plug-ins */
/* Number s of the convolutions side by side. */
void conv_only(const conv *, const ir_box *arg, int64_t s, ir_box *one);
void conv_narrow(ir_box *, int64_t dim, int64_t lo, int64_t n);
/* As a kernel's. Parts: 0: it is not for the unit. */
int64_t conv_matrix_unit_parts(const conv *, const ir_box *arg),
    conv_matrix_unit_shared(const conv *, const ir_box *arg),
    conv_matrix_unit_scratch(const conv *, const ir_box *arg);
void conv_matrix_unit_run(const conv *, const run_job *), conv_matrix_unit_finish(const conv *, const run_job *);

#endif
