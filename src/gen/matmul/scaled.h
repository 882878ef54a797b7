/* gen/matmul/scaled.h - shared by scaled.c and scaled_isa.c: products with packed weights of 8 or 4 bits, whose scales
 * are for blocks of 32 codes or more.
 *
 * Of few rows, every element of the result is 32 chains over rising k, one for each place of a block, added as a tree:
 * the same on every instruction set (that has fma) and beside any number of other rows. */
#ifndef TUTTI_GEN_SCALED_H
#define TUTTI_GEN_SCALED_H

#include "gemm.h"

/* FEW: most rows of x that are multiplied with weights in registers. AT_ONCE: most rows of weights in one call. */
enum { SCALED_FEW = 16, SCALED_BLOCK = 32, SCALED_AT_ONCE = 16, SCALED_ROWS = 6 };
/* Codes of 8 or 4 bits; blocks of a GGUF file, which have theirs behind a scale of f16. */
typedef enum { SCALED_I8, SCALED_U4, SCALED_Q8_0, SCALED_Q4_0, SCALED_KINDS } scaled_kind;

/* y[i * ldy + j] = the sum over k of x[i * ldx + k] w[j][k], i < rows, j < n. w: codes, rows ldw bytes apart; scale:
 * one number per block, rows lds apart; of blocks, which have their own, any numbers. */
typedef struct {
    int rows, n; int64_t blocks;
    const float *x; int64_t ldx; const uint8_t *w; int64_t ldw; const float *scale; int64_t lds; float *y; int64_t ldy;
} scaled_work;

typedef struct {
    int rows;                                            /* most rows of x at once */
    void (*few[SCALED_KINDS])(const scaled_work *);
    /* to[i] = code i of the blocks, times the block's scale, of blocks that have their own any number. */
    void (*widen[SCALED_KINDS])(float *to, const uint8_t *codes, const float *scale, int64_t blocks);
    void (*halves)(float *to, const uint16_t *from, int64_t n);          /* f16 to f32 */
} scaled_isa;

#endif
