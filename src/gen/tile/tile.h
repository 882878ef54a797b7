/* gen/tile/tile.h - shared by the files of the tile interpreter (tile.c, tile_code.c, tile_line.c, tile_run.c,
 * tile_fused.c, tile_hot.c, tile_isa.c), and the interface of a plug-in that compiles their scalar programs (llvm/).
 *
 * A tile is a run of elements in L1; a step is one instruction over a tile. Operands that are the same for every
 * element are uniform: plain words, computed once per job. Registers of the scalar program keep their numbers: at[r] is
 * the tile of register r, k[r] its word. */
#ifndef TUTTI_GEN_TILE_H
#define TUTTI_GEN_TILE_H

#include "../../base/machine.h"
#include "../gen.h"
#include "../isa/isa.h"

#include <stdatomic.h>

enum { GEN_GRAIN = 64, GEN_FORMS = 8, GEN_POLY = 16, GEN_DTYPES = 16 };
/* n is a multiple of GEN_GRAIN: loops have no remainders, tiles are padded. */
typedef struct gen_step gen_step;
typedef void gen_loop(const gen_step *, void *const *at, const op_word *k, int64_t n);
/* Kinds of steps. UNLESS_ANY and IF_ALL are skips: the next `which` steps are skipped if no element of the bool tile a
 * is true, or if all elements are true. */
typedef enum { GEN_RUN, GEN_LOAD, GEN_INDEX, GEN_STORE, GEN_UNLESS_ANY, GEN_IF_ALL } gen_step_kind;
struct gen_step {
    gen_loop *loop;
    gen_step_kind kind;
    op_reg d, a, b, c;                                   /* result, operands */
    int16_t which; /* LOAD, INDEX: the read; STORE: the result; skips: number of steps */
    /* polynomial in b with coefficients coef[0..ncoef), all uniform; if a is set, a is the leading coefficient */
    int16_t ncoef; const op_reg *coef;
};

/* Loops by code, dtype of the operands and form; bit 0, 1 or 2 of the form is set if operand a, b or c is uniform.
 * NULL: no loop for this form; the uniform operand must be expanded to a tile. */
typedef struct {
    gen_loop *op[OP_NCODE][GEN_DTYPES][GEN_FORMS];
    gen_loop *convert[GEN_DTYPES][GEN_DTYPES];           /* [from][to] */
    gen_loop *poly[2][2][GEN_POLY + 1];                  /* [f64][first coefficient is a tile][fused steps 1 ..] */
    gen_loop *fill[4], *copy[4];                         /* [log2 of the width]: from a uniform word; from a tile */
    bool (*same)(const void *, int64_t n, bool);         /* True if all bools of the tile equal the last argument */
    /* Writes from, from + step, ..: as i64, or as i32 if narrow. */
    void (*count)(void *to, int64_t from, int64_t step, int64_t n, bool narrow);
    void (*pad)(char *to, const char *from, int64_t n, int64_t capacity); /* n bytes, then zeros up to capacity */
} gen_tile_ops;
GEN_ISA_DECLARE(const gen_tile_ops, gen_tile_loops);

/* How the elements of an input (in < 0: indices) are laid over the result. dim: [result dim] the operand dim, or -1
 * where the input is broadcast. element > 0: element number element - 1 along the input's last dim, which is not in
 * dim[] (a word of a key). step: of indices, [result dim]. uniform: one element for the complete result. narrow:
 * indices as i32. last: the last step that reads the input. */
typedef struct {
    int16_t in, last; op_reg reg;
    bool uniform, narrow; int8_t element, dim[IR_RANK];
    const int64_t *step;
} gen_read;
/* The read of an index register (see OP_INDEX) over a shape. */
gen_read gen_read_index(base_arena *, const op_prog *, op_reg, const ir_type *shape);
typedef struct { op_reg reg; int16_t made; } gen_made;   /* a result: its register, the step that computes it */
typedef struct gen_tile_code gen_tile_code;

/* A scalar program over rows (rows_code.c): registers are the same for all elements, have one element per row, or are
 * full. A reduction's result is an input of the program. Only compiled loops run such a program; gen_tile_code.step and
 * the fields that belong to steps are unset. */
typedef enum { GEN_SAME, GEN_PER_ROW, GEN_FULL } gen_reach;
/* y = init op x[0] op x[1] .., op = reduce, in the order of reduce.h */
typedef struct { op_reg x, init, y; mesh_reduce reduce; } gen_row_reduce;
/* kept: number of the dims before the reduced ones. n: elements of a row, for every row. reach: [register]. reduce: in
 * the order of evaluation. full: [result] true if full, else an element per row. down: [result] not MESH_NONE if every
 * row is added to accumulators that the loop reads and writes. */
typedef struct {
    int kept; int64_t n; gen_reach *reach; int nreduce; gen_row_reduce *reduce; bool *full; const mesh_reduce *down;
} gen_row_prog;
/* A loop over rows of n elements: at[r] of reads and at[nreg + j] of results are addresses in the first row, step[..]
 * bytes from one row to the next; the elements of a row are dense. k[r]: uniform registers. buffer: GEN_ROW_BYTES bytes
 * per element, n rounded up to GEN_GRAIN, for values that one pass of a row keeps for a later pass. */
enum { GEN_ROW_BYTES = 64 };
typedef void gen_row_loop(void *const *at, const int64_t *step, const op_word *k, int64_t rows, int64_t n,
    void *buffer);

/* All steps of a scalar program in one loop over n elements, a multiple of GEN_GRAIN: at[r] of each read that is not
 * uniform and of each result, k[r] of uniform registers. at[r] of a counter (gen_is_counter) holds two i64, its first
 * value and its step. An iteration reads a few elements of every operand, then writes those of every result. */
typedef void gen_fused_loop(void *const *at, const op_word *k, int64_t n);
/* Never freed; loop NULL: not compiled, or not yet. */
typedef struct gen_fused { _Atomic(gen_fused_loop *) loop; } gen_fused;
/* Requests the compiled loop of a scalar program; NULL: the program will not be compiled. The plug-in compiles the
 * loop; the first call opens the plug-in. May be called by any thread. */
const gen_fused *gen_fuse(const gen_tile_code *);
/* done: elements computed so far. job: two of the code's jobs (tile_hot.c); 0: none. twice: one of them has run
 * twice. */
typedef struct {
    _Atomic int64_t done; _Atomic uintptr_t job[2]; atomic_bool twice, requested; _Atomic(const gen_fused *) fused;
} gen_hot;
gen_hot *gen_hot_new(base_arena *);
/* The compiled loop, or NULL if there is none yet. n: elements that the caller is about to compute in this job. job
 * NULL: the caller runs one of many jobs. */
gen_fused_loop *gen_hot_loop(const gen_tile_code *, int64_t n, const run_job *);

struct gen_tile_code {
    const op_prog *prog;                                 /* computes uniform registers */
    const gen_tile_ops *ops; gen_isa isa;
    int rank;                                            /* of the results */
    int nin, nout, nread, nstep, nuniform, nreg;
    gen_read *read;
    gen_made *out;
    gen_step *step;
    op_reg *uniform;                                     /* registers that are computed once, in order */
    int64_t *slot;                                       /* [register] offset of its tile, per element of a tile */
    int64_t width, tile;                                 /* bytes of all slots per element; most elements of a tile */
    /* own: for a compiled loop, slots of all reads and results at once; own_width: their bytes per element */
    gen_hot *hot; int64_t *own, own_width;
    double cost;                                         /* ns per element: an estimate, for splitting into tasks */
    bool prefetch; /* operands come from memory: a compiled loop prefetches them */
    base_name name; base_site site;                      /* "tile: mul add", the user's line of the last equation */
    const gen_row_prog *rows;                            /* NULL: not over rows */
};
/* Sets k[r] of the registers that are the same for all elements. Inputs among these registers must be set before. */
static inline void gen_uniforms(const gen_tile_code *c, op_word *k)
{
    for (const op_reg *r = c->uniform; r < c->uniform + c->nuniform; r++)
        if (c->prog->inst[*r].code == OP_CONST) k[*r] = c->prog->inst[*r].imm;
        else op_prog_step(c->prog, *r, k, NULL);
}
/* True if the read numbers elements over several dims: the counter of random bits. */
static inline bool gen_is_counter(const gen_tile_code *c, const gen_read *r)
{
    return r->in < 0 && c->prog->inst[r->reg].a >= IR_RANK;
}
/* Copies the parts of the code that are needed to run it to another arena. The scalar program must be closed and not
 * yet run. */
gen_tile_code *gen_tile_copy(base_arena *, const gen_tile_code *);
/* Fills in all fields from `ops` on; scalar program, reads and results must be set. shape: of the results. */
void gen_tile_compile(base_arena *, const ir_type *shape, gen_tile_code *);
void gen_tile_job(const void *code, const run_job *);
int64_t gen_tile_parts(const void *code, const ir_box *arg), gen_tile_scratch(const void *code, const ir_box *arg);

/* A read or a result along the line of a result box; reads come before results. step: in elements, over the merged
 * dims. first: of indices, the first value. offset: bytes from the start of the operand's box to the first element.
 * even: one step is enough for the complete line. */
typedef struct { int64_t offset, first; int size; bool dense, even; int64_t step[IR_RANK]; } gen_view;
/* total: number of elements; rank, n: the merged dims. few: there are fewer elements than a grain, and all views are
 * dense or uniform. */
typedef struct { int64_t total; bool few; int rank; int64_t n[IR_RANK]; gen_view view[]; } gen_line;
static inline int64_t gen_line_bytes(const gen_tile_code *c)
{
    return (int64_t)(sizeof(gen_line) + (size_t)(c->nread + c->nout) * sizeof(gen_view));
}
/* Returns the bytes of the line; writes the line unless buffer is NULL. */
int64_t gen_tile_line(const void *code, const ir_box *arg, void *buffer);
int64_t gen_tile_offset(const gen_read *, const ir_box *operand, const ir_box *result);
int64_t gen_tile_first(const gen_read *, const ir_box *result);

#endif
