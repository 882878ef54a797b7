/* gen/matmul/gemm.h - C[m, n] = A[m, k] B[k, n] in register tiles, for dot.c and conv.c: the operands are read by
 * callbacks that pack them, so any strides, windows and dtypes are one algorithm.
 *
 * Every element of C is one chain over rising k (floats: one fma per product where the machine has it), whatever m,
 * n, the blocks, the instruction set's width or the number of workers; where k is long, a sum of such chains
 * (gemm_long.c). So bits depend on the element's own row and column only. With `tree` they do not depend on cuts of k
 * either (gemm_tree.c, tree.h). */
#ifndef TUTTI_GEN_GEMM_H
#define TUTTI_GEN_GEMM_H

#include "../gen.h"
#include "../matrix_unit.h"

typedef enum { GEMM_F32, GEMM_F64, GEMM_U32, GEMM_U64, GEMM_TYPES } gemm_type;       /* what is accumulated */
enum { GEMM_ROWS = 14, GEMM_WIDE = 8, GEMM_SLACK = 256, /* most rows, vectors of a tile; bytes after packed blocks */
       GEMM_EIGHT = 8, GEMM_BLOCK = 32 };                /* the unit's block */

/* One instruction set. Widths: a tile of r rows is `vectors` vectors wide, of lanes[type] elements. */
typedef struct {
    int rows, lanes[GEMM_TYPES];
    /* c (rows ldc apart) = or += (more) a b. a: packed [k][rows]; b: rows ldb apart. NULL: no such tile. */
    void (*tile[GEMM_TYPES][GEMM_WIDE + 1][GEMM_ROWS + 1])(int64_t k, const void *a, const void *b, int64_t ldb,
                                                           void *c, int64_t ldc, bool more);
    /* A tile of two vectors whose b is laid out as it does, rows ldb apart, of a dtype: `keep` is b packed
     * afterwards. */
    void (*keep[GEMM_TYPES][GEMM_ROWS + 1])(int64_t k, const void *a, tt_dtype, const void *b, int64_t ldb, void *keep,
                                            void *c, int64_t ldc, bool more);
    /* dst[i][j] = row[j][i * step], j < width, i < n; row NULL: zeros. Steps in elements of dtype. */
    void (*from_rows[GEMM_TYPES])(void *dst, int width, tt_dtype, const void *const *row, int64_t step, int64_t n);
    /* dst[i][j] = src[i * step + j * lane], j < lanes; zeros up to width. */
    void (*from_lanes[GEMM_TYPES])(void *dst, int width, tt_dtype, const void *src, int64_t step, int64_t lane,
                                   int lanes, int64_t n);
    /* Likewise lanes side by side, `lanes` / width times width of them: dst moves on by `next` bytes each time. */
    void (*from_runs[GEMM_TYPES])(void *dst, int width, int64_t next, tt_dtype, const void *src, int64_t step,
                                  int64_t lanes, int64_t n);
    void (*narrow[GEMM_TYPES])(void *dst, tt_dtype, int64_t step, const void *src, int64_t n);    /* rounds, wraps */
    /* c[rows][width] = the sum of GEMM_EIGHT products as a tree of pairs, each product rounded; and c += d. */
    void (*eight[GEMM_TYPES])(const void *a, int rows, const void *b, int64_t ldb, void *c, int width);
    void (*merge[GEMM_TYPES])(void *c, const void *d, int64_t n);
    void (*inner[GEMM_TYPES])(int64_t k, const void *a, const void *b, void *c);     /* c = a b of dense vectors */
    /* Packed at once: k; bytes of A, which stay in the second cache (0: one tile's rows); bytes of B. */
    int64_t k_block, a_bytes, b_bytes;
} gemm_isa;
const gemm_isa *gemm_here(void);

typedef struct gemm gemm;
/* The processor's matrix unit (gemm_amx_isa.c). run marks rows and columns that are not for it: the others are done. */
typedef struct {
    bool (*here)(void);
    bool (*worth)(const gemm *, tt_dtype x, tt_dtype y); /* of the whole sizes, or bits depended on parts */
    int64_t (*scratch)(const gemm *);                    /* for every part of it */
    void (*run)(const gemm *, void *scratch, uint8_t *bad_row, uint8_t *bad_col);
} gemm_matrix_unit;
const gemm_matrix_unit *gemm_matrix_unit_here(void);     /* NULL: there is none, or TUTTI=no-amx */
void gemm_matrix_unit_use(void);                         /* for matrix_unit.h: products of float32 run there */

/* An operand as it is: rows of A or columns of B `lane` elements apart, `k` between k. at NULL: not so simply. */
typedef struct { const void *at; tt_dtype dtype; int64_t lane, k; } gemm_side;

struct gemm {
    const gemm_isa *isa;
    const gemm_matrix_unit *matrix_unit;                 /* NULL: without */
    gemm_type type;
    int64_t m, n, k, run;                                /* run > 0: tiles do not reach over multiples of run rows */
    bool tree;                                           /* sums as trees over k */
    void (*pack_a)(const gemm *, void *dst, int width, int64_t row, int64_t k, int64_t nk); /* width rows from row */
    void (*pack_b)(const gemm *, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk);
    const void *env;                                     /* of the callbacks */
    const void *a; int64_t lda; /* for the unit: A as it is, rows of type, k side by side; or NULL */
    bool a_turned; /* A^T is laid out so: k rows lda apart, its columns side by side */
    const void *b; int64_t ldb;                          /* B as it is: rows of type, columns side by side; or NULL */
    bool b_turned;                                       /* B^T is laid out so: for the unit alone */
    /* For the unit alone, or NULL: a, b and c are laid out so only in blocks of 32 by 32. Elements from each to A's (i,
     * j), to B's or to C's; k_run of k of a row of A are adjacent. */
    int64_t (*offset)(const gemm *, int tensor, int64_t i, int64_t j); int64_t k_run;
    gemm_side side[2];                                   /* A and B, for gemv.c */
    void *c; int64_t ldc;                                /* C of type, columns side by side; NULL: by store */
    void (*store)(const gemm *, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld);
    /* NULL, or: this part of C stands, and is in the cache if it can be. All parts together are C */
    void (*on_made)(const gemm *, int64_t row, int64_t rows, int64_t col, int64_t cols);
};
void    gemm_run(const gemm *, void *scratch);
int64_t gemm_scratch(const gemm *);                      /* bytes for it and for any part of its rows and columns */
void    gemm_tree(const gemm *, void *scratch);          /* gemm_run and gemm_scratch where .tree is set */
int64_t gemm_tree_scratch(const gemm *);
void    gemm_long(const gemm *, void *scratch);          /* gemm_run where gemm_is_long; bytes besides gemm_scratch's */
bool    gemm_is_long(const gemm *);
int64_t gemm_long_scratch(const gemm *);                 /* for any part of it, too */

gemm_type   gemm_type_of(tt_dtype operand, tt_dtype result);
const char *gemm_refuses(tt_dtype operand, tt_dtype result);     /* NULL: has a type */
size_t      gemm_bytes(gemm_type);
bool        gemm_on_unit(const gen_group *);    /* dot.c: a product, worth the matrix unit by its whole sizes */
bool        gemm_is_whole(const ir_eqn *);      /* precision "highest": each product of f32 is one multiply-add */
bool        gemm_is_few(const gen_group *);     /* likewise: of few rows or columns, or small, gemv.h */

#endif
