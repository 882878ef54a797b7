/* hlo/raise/bit_expr.h - what bit_expr.c and threefry.c share: 32-bit words as expressions, equal ones one node. */
#ifndef TUTTI_HLO_WORDS_H
#define TUTTI_HLO_WORDS_H

#include "raise.h"

/* A node is a number, 0: not known. It stands for a word at each place (i0, i1, ...) of an array; how long the dims are
 * is not its business. LEAF: a value of the function at place (i[map[0]], i[map[1]], ...), map -1: at 0. Sums with a
 * constant and xors with one have it outermost (PLUS, FLIP), so equal chains of adding are equal nodes. TABLE: a
 * constant of one dim from element k on. */
typedef enum { BIT_NONE, BIT_LEAF, BIT_CONST, BIT_TABLE, BIT_ADD, BIT_ADD_CONST, BIT_XOR, BIT_XOR_CONST, BIT_SHIFT_UP,
               BIT_SHIFT_DOWN, BIT_ROTATE } bit_kind;
typedef uint32_t bit_expr;
typedef struct {
    bit_kind kind;
    bit_expr a, b;                                       /* of ADD and XOR both, in order; of the others a */
    uint64_t k;                                          /* the constant; by how many bits */
    ir_id id;                                            /* LEAF; and the first value that is this node; 0: none */
    const op_const_attr *table;
    int8_t map[IR_RANK];
} bit_node;
typedef struct {
    base_arena *arena;
    const ir_fn *fn;
    bit_node *node;
    uint32_t n, cap, nslot, *slot;
    bit_expr *of;                                        /* [value of fn] */
    int64_t work;                                        /* equations of loops that may still be looked at */
} bit_exprs;

void hlo_bit_exprs(bit_exprs *, base_arena *, const ir_fn *); /* of all of the function's values */
bit_expr hlo_bit_const(bit_exprs *, uint64_t), hlo_bit_add(bit_exprs *, bit_expr, bit_expr),
    hlo_bit_xor(bit_exprs *, bit_expr, bit_expr),
    hlo_bit_rotate(bit_exprs *, bit_expr, unsigned by);  /* turned up by so many bits */
bit_expr hlo_bit_less(bit_exprs *, bit_expr sum, bit_expr part); /* x with x + part = sum, where that can be seen */

#endif
