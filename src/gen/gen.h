/* gen/gen.h - equations to kernels. An engine is a table; the first engine that does not refuse a group makes its
 * kernel.
 *
 * A fast path of an engine for one primitive is a candidate here, never a cell of the primitive's table. A kernel
 * computes a box of the results from boxes of the operands that hold at least what the factor rule requires (global
 * indices in ir_box.lo). Boxes given to kernels: results are dense or strided with positive steps; operands may have
 * step 0 or any stride. */
#ifndef TUTTI_GEN_H
#define TUTTI_GEN_H

#include "../op/op.h"
#include "../run/plan.h"
#include "isa/isa.h"                                     /* the instruction set that kernels use */

/* A fused group: equations of one function, in order. A value that is both produced and read only inside the group has
 * no memory of its own. Kernel arguments: in[0..nin), then out[0..nout). A group is one of:
 * (a) one equation;
 * (b) elementwise: equations of class OP_MAP over one shape, plus broadcast_in_dim (which becomes a way of reading an
 *     operand), splat constants, iotas and random bits of that shape (gen_is_random_bits) whose keys are operands, plus
 *     producers of that shape (gen_is_producer; at most one dot_general) that only the group reads;
 * (c) rows: (b) over rows and over reduced rows, with reductions of the last dims between them (rows/rows.c). */
typedef struct {
    uint32_t neqn; const ir_eqn *const *eqn;
    uint32_t nin, nout; const ir_id *in, *out;
    bool reproducible; /* bits may not depend on rows, mesh or workers; sums are fixed trees */
} gen_group;

typedef struct {
    size_t size; const char *name;  /* "ref", "tile", "dot", "conv", "reduce", "move", "dnn", ... */
    const char *(*refuses)(const gen_group *); /* NULL: accepts the group; else the reason, for TUTTI=refusals */
    bool (*make)(base_arena *, const gen_group *, run_kernel *);
} gen_engine;

extern const gen_engine gen_ref, gen_tile, gen_random, gen_dot, gen_conv, gen_reduce, gen_cum, gen_window, gen_sort;
extern const gen_engine gen_move, gen_parts, gen_rows, gen_fft, gen_linalg, gen_region, gen_scaled;
/* All engines in order of preference, NULL at the end: plug-ins first, then the core's, ref last. Loads the
 * plug-ins. */
const gen_engine *const *gen_engines(void);
typedef struct { int dims; int64_t lo, n; } gen_range;   /* a number of dims taken as one, row-major: [lo, lo + n) */
/* The plug-in interface: libtutti_NAME.so exports a gen_plugin under the name tutti_engine. The plug-in links neither
 * the core nor a library that links the core; gen_host passes it the core's functions. Returns NULL if the plug-in is
 * unusable here, with the reason in *why. GEN_ABI hashes the sizes of all shared types, so a plug-in of another build
 * is refused. */
#define GEN_WITH(h, T) ((h) * 31 + (uint32_t)sizeof(T))
#define GEN_ABI GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(1u, gen_host), gen_group), run_kernel), \
                run_job), ir_eqn), ir_type), op_prog)
typedef struct {
    void     *(*alloc)(base_arena *, size_t bytes);      /* base_new */
    base_name (*intern)(const char *text);
    void      (*log)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    bool      (*fail)(tt_code, base_site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));   /* base_fail */
    const char *(*option)(const char *word);             /* base_switch */
    /* makes the kernel of the engines after `after`, for boxes on which those are faster */
    bool      (*next)(base_arena *, const gen_group *, const gen_engine *after, run_kernel *);
    void      (*notify)(const run_job *, const ir_box *y, int nrange, const gen_range *); /* gen_notify */
} gen_host;
typedef const gen_engine *gen_plugin(uint32_t abi, const gen_host *, const char **why);
/* A second kind of plug-in compiles scalar programs of the tile interpreter (gen_fuse in tile.h) and is exported as
 * tutti_fuser. With NULL as the scalar program it waits until the compiler's state is known, and returns NULL with the
 * reason in *why if it cannot compile at all. */
struct gen_tile_code;
typedef const struct gen_fused *gen_fuse_fn(const struct gen_tile_code *, const char **why);
typedef gen_fuse_fn *gen_fuser(uint32_t abi, const gen_host *, const char **why);
const char *gen_isa_report(base_arena *);                /* "avx512 (the processor has avx512, bf16 too)" */
/* for `tutti doctor`: the plug-ins found, and why others were not loaded */
const char *gen_plugin_report(base_arena *);
const char *gen_lapack_report(void);  /* for `tutti doctor`: the LAPACK found, or why there is none */
/* Makes the kernel with the first engine that accepts the group. Returns false with the error set. Plug-ins are loaded
 * with the first group that is large enough for them. */
bool gen_kernel(base_arena *, const gen_group *, run_kernel *);
bool gen_own_kernel(base_arena *, const gen_group *, run_kernel *);      /* the same, without plug-ins */
/* True if e's result can be computed part by part for elementwise readers (parts.c). */
bool gen_is_producer(const ir_eqn *);
/* True if e draws random bits whose words a scalar program can compute one by one. */
bool gen_is_random_bits(const ir_eqn *);
/* Kernels run one after the other over parts of a dim: fused/chain.c. An argument of a stage is an argument of the
 * chain (operands, then results) or, if `inner`, a buffer: a value that only the chain reads. */
typedef struct { bool inner; uint32_t at; const ir_type *type; int dim; } gen_chain_arg;
typedef struct { run_kernel k; uint32_t narg; const gen_chain_arg *arg; } gen_chain_stage;
typedef struct {
    uint32_t nin, nstage, nbuffer; const gen_chain_stage *stage;
    int dim; int64_t bytes; /* the dim that is split, of the first result; bytes produced per row of it */
    const int64_t *buffer;                               /* [nbuffer + 1]: where each begins, in bytes per row */
} gen_chain;
void gen_chain_kernel(base_arena *, const gen_chain *, run_kernel *);
/* A kernel that notifies of parts of its one result (the producer), and a kernel that computes elements from the
 * elements at the same places (the consumer), part by part as the notifications come: fused/epilogue.c. Arguments: nin
 * operands, the results of `consumer`, then the result of `producer`, which may share the memory of one of the
 * consumer's results. producer_at[], consumer_at[]: the number of each operand, or nin: the producer's result. */
typedef struct {
    run_kernel producer, consumer;
    /* nout: results of the consumer; nproducer, nconsumer: operands of each */
    uint32_t nin, nout, nproducer, nconsumer; const uint32_t *producer_at, *consumer_at;
} gen_epilogue;
void gen_epilogue_kernel(base_arena *, const gen_epilogue *, run_kernel *);
/* A kernel that computes elements (the producer), and a kernel that requests them as an operand, part by part (the
 * consumer): fused/prologue.c. producer_at[], consumer_at[]: the argument that is each operand, then each result.
 * GEN_PART: the requested operand, of `type`, whose dim d has the range of dim like[d].dim of argument like[d].arg. The
 * first ncut of the operand's dims are split. */
enum { GEN_PART = UINT16_MAX };
typedef struct {
    run_kernel producer, consumer;
    uint32_t nin, nproducer, nconsumer; const uint32_t *producer_at, *consumer_at; /* nin: operands of the producer */
    const ir_type *type; struct { uint32_t arg; int dim; } like[IR_RANK]; int ncut;
} gen_prologue;
void gen_prologue_kernel(base_arena *, const gen_prologue *, const gen_group *first, run_kernel *);
/* Makes the kernel of a product, by the core's own loops, that requests parts of `operand` (run_callbacks.on_needed).
 * The operand's box is dense and has no address; its dims are batch dims, then kept dims, then summed dims. */
void gen_on_demand_kernel(base_arena *, const gen_group *, int operand, run_kernel *);
/* True if the core's own kernel of this product of bf16 rounds operands of float32 while it packs them: then it also
 * makes the kernel of a group of one or two conversions from float32 and the product. */
bool gen_rounds_operands(const ir_eqn *, bool reproducible);
/* Splits ranges of y into boxes and reports each to the job's on_written: the first range is over the first dims, the
 * second range over the dims after those, and so on; dims that no range names are complete. */
void gen_notify(const run_job *, const ir_box *y, int nrange, const gen_range *);
/* The same for a part of an operand, reported to on_needed. */
void gen_request(const run_job *, const ir_box *x, int nrange, const gen_range *);
/* gen_narrow narrows dim d to [lo, lo + n), counted from the beginning of the box. gen_run_full runs a kernel over all
 * of the given boxes. */
void gen_narrow(ir_box *, int d, int64_t lo, int64_t n);
void gen_run_full(const run_kernel *, int worker, const ir_box *arg, void *scratch);
/* True if operand `in`'s buffer may hold result `out`: an elementwise group with the same box and dtype size, or
 * operand 0 of dynamic_update_slice and scatter. */
bool gen_in_place(const gen_group *, uint32_t in, uint32_t out);

#endif
