/* hlo/raise/bit_expr.h - shared by bit_expr.c, threefry.c and random_bits.c: 32-bit words as expressions; equal
 * expressions are one node. */
#ifndef TUTTI_HLO_BIT_EXPR_H
#define TUTTI_HLO_BIT_EXPR_H

#include "raise.h"

/* A bit_expr is the number of a node, 0: unknown. A node is a word for each position (i0, i1, ...) of an array,
 * whatever the sizes of the dims. LEAF: a value of the function at position (i[map[0]], i[map[1]], ...); map -1:
 * position 0. A sum or xor with a constant has the constant outermost (ADD_CONST, XOR_CONST), so that equal chains of
 * additions are equal nodes. TABLE: a constant of one dim, from element k on. */
typedef enum { BIT_NONE, BIT_LEAF, BIT_CONST, BIT_TABLE, BIT_ADD, BIT_ADD_CONST, BIT_XOR, BIT_XOR_CONST, BIT_SHIFT_UP,
               BIT_SHIFT_DOWN, BIT_ROTATE } bit_kind;
typedef uint32_t bit_expr;
typedef struct {
    bit_kind kind;
    bit_expr a, b;                                       /* ADD and XOR: both operands, in order; others: a only */
    uint64_t k;                                          /* the constant, or the number of bits */
    /* LEAF: its value; others: the first value that is this node; 0: none */
    ir_id id;
    const op_const_attr *table;
    int8_t map[IR_RANK];
} bit_node;
typedef struct {
    base_arena *arena;
    const ir_fn *fn;
    bit_node *node;
    uint32_t n, cap, nslot, *slot;
    bit_expr *of;                                        /* [value of fn] */
    /* remaining number of equations of loops that may be visited */
    int64_t work;
} bit_exprs;

void hlo_bit_exprs(bit_exprs *, base_arena *, const ir_fn *); /* of all values of the function */
bit_expr hlo_bit_const(bit_exprs *, uint64_t), hlo_bit_add(bit_exprs *, bit_expr, bit_expr),
    hlo_bit_xor(bit_exprs *, bit_expr, bit_expr),
    hlo_bit_rotate(bit_exprs *, bit_expr, unsigned by);  /* rotated left by so many bits */
bit_expr hlo_bit_less(bit_exprs *, bit_expr sum, bit_expr part); /* x with x + part = sum; 0: not found */

#endif
