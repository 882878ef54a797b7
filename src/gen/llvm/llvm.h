/* gen/llvm/llvm.h - the plug-in libtutti_llvm.so: scalar programs as loops over explicit vectors, compiled by LLVM.
 *
 * - queue.c is the entry point: each scalar program is compiled once, by threads of the plug-in, while the interpreter
 *   computes.
 * - text.c writes the loop in LLVM's language; ops.c, convert.c, bits.c and plain.c write its instructions; rows.c,
 *   row_value.c and row_reduce.c write loops over rows.
 * - api.c is the only file that calls LLVM, 16 to 22, which it opens at run time.
 * - object.c turns LLVM's object into code that runs at any address, cache.c keeps that code on disk, names.c reports
 *   it to gdb and perf.
 *
 * No file here links the core: the core's functions come in gen_host. */
#ifndef TUTTI_LLVM_H
#define TUTTI_LLVM_H

#include "../../base/memstream.h"
#include "../tile/tile.h"

#include <stdio.h>

#if defined __aarch64__
#define LLVM_CPU "generic"
#else
#define LLVM_CPU "x86-64"
#endif

extern const gen_host *llvm_host;
/* Numbers of kernels: compiled; and in the cache found, damaged (deleted), not written. */
typedef struct { _Atomic int compiled, found, damaged, unwritten; } llvm_tally;
extern llvm_tally llvm_counts;

typedef struct { char text[512]; } llvm_message;         /* capacity for LLVM's messages */
typedef struct { char version[32], file[1024]; } llvm_found;
typedef struct { char *at; size_t n, entry; } llvm_code; /* code that runs at any page's start; at: to be freed */

/* ---- api.c ---- */
bool llvm_open(llvm_message *, llvm_found *, const char **why); /* finds and opens the library; some 50 ms; once */
/* Compiles the function "loop" of the text. May be called by any thread. */
bool llvm_compile(const char *text, llvm_code *, llvm_message *, const char **why);

/* ---- object.c ---- */
bool llvm_image(const char *object, size_t n, const char *entry, llvm_code *, char *message, size_t capacity,
    const char **why);
char *llvm_map(const llvm_code *, const char **why);     /* the address where the code runs; never unmapped */

/* ---- cache.c: any thread, open first ---- */
void llvm_cache_open(void);
void llvm_cache_knows(const llvm_found *);               /* records the version of LLVM that was opened */
bool llvm_cache_find(const char *text, llvm_code *);
void llvm_cache_keep(const char *text, const llvm_code *);

/* ---- names.c: with the queue's lock held ---- */
void llvm_name(const char *at, const llvm_code *, const char *name);

/* ---- text.c ---- */
char *llvm_text(const gen_tile_code *, const char **why); /* to be freed; NULL: not for this processor, or too long */

/* A text that is being written. Values are names or literals of vectors; value[r] NULL: not yet written here. */
typedef struct llvm_string llvm_string;
typedef struct { op_reg r; int lanes; const char *far, *by, *minus, *whole; } llvm_divisor;     /* ops.c */
enum { LLVM_DIVISORS = 16 };
typedef struct {
    const gen_tile_code *c; const op_inst *inst;
    FILE *head, *body;                                   /* before the loop; the loop */
    int lanes, temps, block;                             /* block: the label of the block that is being written */
    bool *uniform, *short_nan;                           /* short_nan: by llvm_short_nans */
    const char **value;
    op_reg *written; int nwritten;                       /* registers with a value, in order */
    llvm_string *strings;
    int used; const char *intrinsic[64];                 /* to be declared */
    const char *why;                                     /* why the text cannot be written */
    llvm_divisor divisor[LLVM_DIVISORS]; int ndivisor;
    bool fma64;                                          /* the text calls @fma64, which plain.c defines */
    struct llvm_rows *rows;                              /* rows.c; NULL: a loop over elements */
} llvm_writer;

/* Closes a stream of base_open_memstream. True if all that was written is in *text; else sets w->why. */
bool llvm_written(llvm_writer *w, FILE *, char *const *text);
const char *llvm_keep(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* writes a line of the loop, or of its head, that defines "%tN"; returns "%tN" */
const char *llvm_line(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *llvm_before(llvm_writer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *llvm_lanes_of(llvm_writer *, const char *element); /* "<16 x float>"; for one lane "float" */
const char *llvm_type(llvm_writer *, tt_dtype);          /* the type of a register's vector; of bool "<16 x i1>" */
const char *llvm_element(tt_dtype);                      /* "float" */
const char *llvm_number(llvm_writer *, tt_dtype, uint64_t bits);         /* a literal, the same in all lanes */
const char *llvm_scalar(llvm_writer *, op_reg);          /* a uniform register as a scalar */
const char *llvm_same(llvm_writer *, op_reg);            /* a uniform register as a vector */
void        llvm_attributes(const llvm_writer *, FILE *); /* the end of a text: declarations, the target processor */
const char *llvm_splat(llvm_writer *, tt_dtype, const char *scalar);     /* written in the head */
const char *llvm_any(llvm_writer *, const char *mask);   /* an i1: true if any lane is true */
void        llvm_block(llvm_writer *, int label);        /* begins a block */
const char *llvm_value(llvm_writer *, op_reg);           /* written on its first use */
int         llvm_bits(tt_dtype);                         /* of an element of a register; of bool 1 */

/* ---- rows.c, row_value.c: the scalar program of a group over rows ---- */
bool        llvm_rows_text(llvm_writer *, FILE *);
const char *llvm_row_value(llvm_writer *, op_reg);       /* llvm_value in a loop over rows */
/* True if the register has one element per row, and vectors of full registers are being written. */
bool        llvm_of_row(const llvm_writer *, op_reg);
const char *llvm_row_scalar(llvm_writer *, op_reg);      /* written at the beginning of the row */
/* Calls how(..). Lines that `how` writes to the head are written at the beginning of the row instead. */
const char *llvm_at_row(llvm_writer *, tt_dtype, const char *a, op_reg,
                        const char *(*how)(llvm_writer *, tt_dtype, const char *, op_reg));

/* ---- plain.c ---- */
void        llvm_plain_functions(const llvm_writer *, FILE *); /* the functions that this text calls */

/* ---- convert.c ---- */
/* short_nan: `from` is f32, and no NaN in a has one of its low 16 bits set (llvm_short_nans). */
const char *llvm_convert(llvm_writer *, tt_dtype from, const char *a, tt_dtype to, bool short_nan);
/* Sets short_nan[r] for each of n registers: true if r is f32 and no NaN in r has one of its low 16 bits set. */
void        llvm_short_nans(const op_inst *, int n, bool *short_nan);

/* ---- bits.c ---- */
const char *llvm_counter(llvm_writer *, const gen_read *); /* the counters of this iteration of a loop over elements */
const char *llvm_draw(llvm_writer *, op_code, tt_dtype counter, const char *a, const char *k0, const char *k1);

/* ---- ops.c ---- */
const char *llvm_call(llvm_writer *, const char *type, const char *name, const char *types, const char *args);
void        llvm_call_void(llvm_writer *, const char *name, const char *types, const char *args);
const char *llvm_combine(llvm_writer *, mesh_reduce, tt_dtype, const char *a, const char *b);
const char *llvm_op(llvm_writer *, op_reg);              /* instruction r on its operands' values; NULL: why is set */

#endif
