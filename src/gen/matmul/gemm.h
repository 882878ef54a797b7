/* gen/matmul/gemm.h - C[m, n] = A[m, k] B[k, n] in register tiles, for dot.c and conv.c. The operands are read by
 * callbacks that pack them, so one algorithm serves all strides, windows and dtypes.
 *
 * Every element of C is one chain over rising k (floats: one fma per product where the machine has fma), whatever m, n,
 * the blocks, the instruction set's width or the number of workers; where k is long, a sum of such chains
 * (gemm_long.c). So the bits depend on the element's own row and column only. With `tree` the bits do not depend on
 * splits of k either (gemm_tree.c, tree.h). */
#ifndef TUTTI_GEN_GEMM_H
#define TUTTI_GEN_GEMM_H

#include "../../base/machine.h"
#include "../gen.h"
#include "../matrix_unit.h"

typedef enum { GEMM_F32, GEMM_F64, GEMM_U32, GEMM_U64, GEMM_TYPES } gemm_type;       /* the accumulator */
enum { GEMM_ROWS = 14, GEMM_WIDE = 8, GEMM_SLACK = 256,  /* most rows, vectors of a tile; bytes after packed blocks */
       GEMM_EIGHT = 8, GEMM_BLOCK = 32 };                /* the unit's block */
/* Most bytes of packed columns that stay in this machine's second-level cache while rows pass by. */
int64_t gemm_packed_bytes(void);
/* Bytes of scratch for a packed block of `bytes`. */
static inline int64_t gemm_padded(int64_t bytes) { return base_round_up(bytes + GEMM_SLACK, BASE_CACHE_LINE); }

/* The loops of one instruction set. A tile of r rows and v vectors, tile[type][v][r], is v * lanes[type] elements
 * wide. */
typedef struct {
    int rows, lanes[GEMM_TYPES];
    /* c (rows ldc apart) = or += (more) a b. a: packed [k][rows]; b: rows ldb apart. NULL: no such tile. */
    void (*tile[GEMM_TYPES][GEMM_WIDE + 1][GEMM_ROWS + 1])(int64_t k, const void *a, const void *b, int64_t ldb,
                                                           void *c, int64_t ldc, bool more);
    /* A tile of two vectors whose b is unpacked: rows ldb apart, of a dtype. Stores b, packed, to `keep`. */
    void (*keep[GEMM_TYPES][GEMM_ROWS + 1])(int64_t k, const void *a, tt_dtype, const void *b, int64_t ldb, void *keep,
                                            void *c, int64_t ldc, bool more);
    /* dst[i][j] = row[j][i * step], j < width, i < n; row NULL: zeros. Steps in elements of dtype. */
    void (*from_rows[GEMM_TYPES])(void *dst, int width, tt_dtype, const void *const *row, int64_t step, int64_t n);
    /* dst[i][j] = src[i * step + j * lane], j < lanes; zeros up to width. */
    void (*from_lanes[GEMM_TYPES])(void *dst, int width, tt_dtype, const void *src, int64_t step, int64_t lane,
                                   int lanes, int64_t n);
    /* As from_lanes with adjacent lanes, for `lanes` / width blocks of `width` lanes: dst advances by `next` bytes per
     * block. */
    void (*from_runs[GEMM_TYPES])(void *dst, int width, int64_t next, tt_dtype, const void *src, int64_t step,
                                  int64_t lanes, int64_t n);
    void (*narrow[GEMM_TYPES])(void *dst, tt_dtype, int64_t step, const void *src, int64_t n);    /* rounds, wraps */
    /* narrow of a tile into adjacent columns: rows `next` bytes apart, from rows `ld` elements apart. NULL: row by
     * row. */
    void (*narrow_tile[GEMM_TYPES])(void *dst, tt_dtype, int64_t next, const void *src, int64_t ld, int rows, int cols);
    /* c[rows][width] = the sum of GEMM_EIGHT products as a tree of pairs, each product rounded. merge: c += d. */
    void (*eight[GEMM_TYPES])(const void *a, int rows, const void *b, int64_t ldb, void *c, int width);
    void (*merge[GEMM_TYPES])(void *c, const void *d, int64_t n);
    void (*inner[GEMM_TYPES])(int64_t k, const void *a, const void *b, void *c);     /* c = a b of dense vectors */
    /* Packed at once: k; bytes of A, which stay in the second-level cache (0: one tile's rows); bytes of B (0:
     * gemm_packed_bytes()). */
    int64_t k_block, a_bytes, b_bytes;
    /* Neighbouring k in a packed element, which gemm.k counts: 1, or 2 of bf16 (gemm_bf16_isa.c). n of from_rows and
     * from_lanes counts k. */
    int depth;
} gemm_isa;
const gemm_isa *gemm_here(void);
const gemm_isa *gemm_bf16_here(void);  /* pairs of bf16; NULL: no such instructions, or TUTTI=no-bf16 */

typedef struct gemm gemm;
/* The processor's matrix unit (gemm_amx_isa.c). run marks the rows and columns that the unit cannot compute; all others
 * are computed. */
typedef struct {
    bool (*here)(void);
    /* True if the product, given by its full sizes, is worth the unit; sizes of parts would make bits depend on the
     * parts. */
    bool (*worth)(const gemm *, tt_dtype x, tt_dtype y);
    int64_t (*scratch)(const gemm *);                    /* enough for every part of the product */
    void (*run)(const gemm *, void *scratch, uint8_t *bad_row, uint8_t *bad_col);
} gemm_matrix_unit;
const gemm_matrix_unit *gemm_matrix_unit_here(void);     /* NULL: none, or TUTTI=no-amx */
void gemm_matrix_unit_use(void);                         /* for matrix_unit.h: a float32 product runs on the unit */

/* An operand in place: rows of A or columns of B are `lane` elements apart, consecutive k are `k` elements apart. at
 * NULL: the operand has no such layout. */
typedef struct { const void *at; tt_dtype dtype; int64_t lane, k; } gemm_side;

struct gemm {
    const gemm_isa *isa;
    const gemm_matrix_unit *matrix_unit;                 /* NULL: do not use it */
    gemm_type type;
    int64_t m, n, k, run;                                /* run > 0: tiles do not cross multiples of `run` rows */
    bool tree;                                           /* sums as trees over k */
    bool a_once;                                         /* A is packed once for all columns: scratch for all of A */
    void (*pack_a)(const gemm *, void *dst, int width, int64_t row, int64_t k, int64_t nk); /* width rows from row on */
    void (*pack_b)(const gemm *, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk);
    const void *env;                                     /* of the callbacks */
    const void *a; int64_t lda; /* for the unit: A in place, rows of `type` with contiguous k; or NULL */
    bool a_transposed;          /* A^T has that layout: k rows lda apart, contiguous columns */
    const void *b; int64_t ldb;                          /* B in place: rows of `type`, contiguous columns; or NULL */
    bool b_transposed;                                       /* B^T has that layout: for the unit alone */
    /* NULL, or for the unit alone: a, b and c have the layouts above only in blocks of 32 by 32. Returns the offset in
     * elements from a, b or c to (i, j) of that matrix. k_run: how many k of a row of A are adjacent. */
    int64_t (*offset)(const gemm *, int tensor, int64_t i, int64_t j); int64_t k_run;
    gemm_side side[2];                                   /* A and B, for gemv.c */
    void *c; int64_t ldc;                                /* C of `type`, contiguous columns; NULL: by store */
    void (*store)(const gemm *, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld);
    bool sums;                                           /* C is scratch: complete tiles of it are stored */
    /* NULL, or called when this part of C is complete, while it is in the cache if possible. All parts together are
     * C. */
    void (*on_made)(const gemm *, int64_t row, int64_t rows, int64_t col, int64_t cols);
};
void    gemm_run(const gemm *, void *scratch);
int64_t gemm_scratch(const gemm *);  /* bytes, for the product and any part of its rows and columns */
void    gemm_tree(const gemm *, void *scratch);          /* gemm_run where .tree is set; then the bytes of scratch */
int64_t gemm_tree_scratch(const gemm *);
void    gemm_long(const gemm *, void *scratch); /* gemm_run where gemm_is_long; scratch in addition to gemm_scratch's */
bool    gemm_is_long(const gemm *);
int64_t gemm_long_scratch(const gemm *);                 /* for the product and for any part of it */

gemm_type   gemm_type_of(tt_dtype operand, tt_dtype result);
const char *gemm_refuses(tt_dtype operand, tt_dtype result);     /* NULL: there is a gemm_type */
size_t      gemm_bytes(gemm_type);
bool        gemm_on_unit(const gen_group *);    /* dot.c: true if the full sizes are worth the unit */
const gemm_isa *gemm_isa_for(const gen_group *);         /* dot.c: gemm_here(), or gemm_bf16_here() */
bool        gemm_is_exact(const ir_eqn *);  /* True if precision "highest": a multiply-add per product of f32 */
bool        gemm_is_few(const gen_group *);     /* True if few rows or columns, or small: gemv.h */

#endif
