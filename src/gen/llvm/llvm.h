/* gen/llvm/llvm.h - the plug-in libtutti_llvm.so: tapes as loops over explicit vectors, compiled by LLVM.
 *
 * queue.c is the door: each tape is compiled once, by a thread of its own, while the interpreter goes on. text.c writes
 * the loop in LLVM's language and ops.c its instructions; api.c is the only file that knows LLVM, 16 to 20, which it
 * opens at run time. Nothing here links the core: what is needed comes in gen_host. */
#ifndef TUTTI_LLVM_H
#define TUTTI_LLVM_H

#include "../tile.h"

#include <stdio.h>

extern const gen_host *llvm_host;

/* ---- api.c: one thread ---- */
bool llvm_open(const char **why);                        /* finds and opens the library; some 50 ms */
gen_fused_loop *llvm_compile(const char *text, const char **why);        /* of the function "tape"; lives for ever */

/* ---- text.c ---- */
char *llvm_text(const gen_tile_code *, const char **why);        /* to be freed; NULL: not for this processor, too long */

/* A text that is being written. Values are names or literals of vectors; value[r] NULL: not written here yet. */
typedef struct llvm_string llvm_string;
typedef struct {
    const gen_tile_code *c; const op_inst *inst;
    FILE *head, *body;                                   /* before the loop; the loop */
    int lanes, temps, block;                             /* block: the label that is being written */
    bool *uniform;
    const char **value;
    op_reg *written; int nwritten;                       /* registers with a value, in order */
    llvm_string *strings;
    int used; const char *intrinsic[64];                 /* to be declared */
    const char *why;                                     /* why it cannot be written */
} llvm_writer;

const char *llvm_keep(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "%tN", defined by this line of the loop, or of its head */
const char *llvm_line(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *llvm_before(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *llvm_type(llvm_writer *, tt_dtype);          /* of a register: "<16 x float>", bool: "<16 x i1>" */
const char *llvm_element(tt_dtype);                      /* "float" */
const char *llvm_number(llvm_writer *, tt_dtype, uint64_t bits);         /* a literal, the same in all lanes */
const char *llvm_scalar(llvm_writer *, op_reg);          /* a uniform register as a scalar */
const char *llvm_splat(llvm_writer *, tt_dtype, const char *scalar);     /* written in the head */
const char *llvm_any(llvm_writer *, const char *mask);   /* is any lane true? An i1 */
void        llvm_block(llvm_writer *, int label);        /* begins it */
const char *llvm_value(llvm_writer *, op_reg);           /* written if need be */
int         llvm_bits(tt_dtype);                         /* of an element of a register: bool 1 */

/* ---- ops.c ---- */
const char *llvm_op(llvm_writer *, op_reg);              /* instruction r, of operands that are there; NULL: why is set */

#endif
