/* gen/gen.h - equations to kernels. Engines are tables; the first that does not refuse makes the kernel.
 *
 * An engine's fast path for one primitive is a candidate here, never a cell of the row. Kernels compute boxes: a box of
 * the results from boxes of the operands that hold at least what the factor rule asks (global indices in lo).
 * Boxes given to kernels: results are dense or strided with positive steps; operands may have step 0 or any stride.
 */
#ifndef TUTTI_GEN_H
#define TUTTI_GEN_H

#include "../op/op.h"
#include "../run/run.h"
#include "isa/isa.h"                                         /* which instruction set kernels use */

/* A fused group: equations of one function in order; values made and used inside only have no memory of their own.
 * Kernel arguments: in[0..nin), then out[0..nout). A group of several equations holds elementwise rows (OP_MAP) over
 * one result shape, broadcast_in_dim (folded into how an operand is read), const splats and iota, random bits of that
 * shape (gen_is_random_bits) of keys that are operands, and of that shape what gen_is_producer says, which only they
 * read, with at most one dot_general; or such over rows and over what is left of rows, and reductions of the last dims
 * between them, see rows.c; else it is one equation. */
typedef struct {
    uint32_t neqn; const ir_eqn *const *eqn;
    uint32_t nin, nout; const ir_id *in, *out;
    bool reproducible;  /* the choice must not depend on rows, mesh or workers; sums in fixed trees */
} gen_group;

typedef struct {
    size_t size; const char *name;                       /* "ref", "tile", "dot", "conv", "reduce", "move", "dnn" */
    const char *(*refuses)(const gen_group *);           /* NULL: can do it; else the reason, for TUTTI=refusals */
    bool (*make)(base_arena *, const gen_group *, run_kernel *);
} gen_engine;

extern const gen_engine gen_ref, gen_tile, gen_random, gen_dot, gen_conv, gen_reduce, gen_cum, gen_window, gen_sort;
extern const gen_engine gen_move, gen_parts, gen_rows, gen_fft, gen_linalg, gen_region;
/* All engines in order of preference, NULL at the end: plug-ins first, then the core's, ref last. Loads the
 * plug-ins. */
const gen_engine *const *gen_engines(void);
typedef struct { int dims; int64_t lo, n; } gen_range;      /* so many dims taken as one, row-major: [lo, lo + n) */
/* The plug-in interface: libtutti_NAME.so exports gen_plugin under the name tutti_engine; it links neither the core nor
 * anybody who does, and gets from the core what it needs. NULL: unusable here, and *why says so. What both must lay out
 * alike is in the number: a plug-in of another build is refused. */
#define GEN_WITH(h, T) ((h) * 31 + (uint32_t)sizeof(T))
#define GEN_ABI GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(GEN_WITH(1u, gen_host), gen_group), run_kernel), \
                run_job), ir_eqn), ir_type), op_prog)
typedef struct {
    void     *(*alloc)(base_arena *, size_t bytes);      /* base_new */
    base_name (*intern)(const char *text);
    void      (*log)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    bool      (*fail)(tt_code, base_site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));   /* base_fail */
    const char *(*option)(const char *word);             /* base_switch */
    /* what the engines after this one make: for boxes that it had better leave to them */
    bool      (*next)(base_arena *, const gen_group *, const gen_engine *after, run_kernel *);
    void      (*notify)(const run_job *, const ir_box *y, int nrange, const gen_range *); /* gen_notify */
} gen_host;
typedef const gen_engine *gen_plugin(uint32_t abi, const gen_host *, const char **why);
/* Another kind compiles scalar programs of the tile interpreter, see gen_fuse in tile.h: exported as tutti_fuser. NULL
 * for the scalar program: can it compile at all? Waits until that is known. */
struct gen_tile_code;
typedef const struct gen_fused *gen_fuse_fn(const struct gen_tile_code *, const char **why);
typedef gen_fuse_fn *gen_fuser(uint32_t abi, const gen_host *, const char **why);
const char *gen_isa_report(base_arena *);                /* "avx512 (the processor has avx512, bf16 too)" */
const char *gen_plugin_report(base_arena *);             /* for doctor: what was found, and why something was not */
const char *gen_lapack_report(void);                     /* likewise, of LAPACK */
/* The first engine that takes the group makes the kernel. False with the error set. Plug-ins are loaded when the first
 * group comes that is large enough for them. */
bool gen_kernel(base_arena *, const gen_group *, run_kernel *);
bool gen_own_kernel(base_arena *, const gen_group *, run_kernel *);      /* likewise, without plug-ins */
bool gen_is_producer(const ir_eqn *); /* may it be made part by part where elementwise equations read it? parts.c */
bool gen_is_random_bits(const ir_eqn *); /* random bits whose words a scalar program can make one by one */
/* Kernels that run one behind the other over parts of a dim, chain.c. An argument of a stage is one of the chain's,
 * operands then results, or a room: a value that only the chain sees. */
typedef struct { bool inner; uint32_t at; const ir_type *type; int dim; } gen_chain_arg;       /* dim: which is split */
typedef struct { run_kernel k; uint32_t narg; const gen_chain_arg *arg; } gen_chain_stage;
typedef struct {
    uint32_t nin, nstage, nbuffer; const gen_chain_stage *stage;
    int dim; int64_t bytes;                              /* that is split of the first result; that a row of it makes */
    const int64_t *buffer;                               /* [nroom + 1]: where each begins, in bytes of a row */
} gen_chain;
void gen_chain_kernel(base_arena *, const gen_chain *, run_kernel *);
/* A kernel that tells of its one result, and one that makes elements from what it made at the same place, part by part
 * as these are notified of: epilogue.c. Arguments: nin operands, the results of `rest`, then the result of `lead`,
 * whose memory may be that of one of them. at[]: which operand it is, or nin: the result of lead. */
typedef struct {
    run_kernel producer, consumer;
    /* nout: of rest; operands of each */
    uint32_t nin, nout, nproducer, nconsumer; const uint32_t *producer_at, *consumer_at;
} gen_epilogue;
void gen_epilogue_kernel(base_arena *, const gen_epilogue *, run_kernel *);
/* A kernel that makes elements and one that asks for them, its operand, part by part: prologue.c. at[]: which argument
 * is each one's operand, then result; GEN_PART: what is made, of `type`, dims as those of arguments, the first ncut of
 * them cut in parts. */
enum { GEN_PART = UINT16_MAX };
typedef struct {
    run_kernel producer, consumer;
    uint32_t nin, nproducer, nconsumer; const uint32_t *producer_at, *consumer_at; /* nin: operands of first */
    const ir_type *type; struct { uint32_t arg; int dim; } like[IR_RANK]; int ncut;
} gen_prologue;
void gen_prologue_kernel(base_arena *, const gen_prologue *, const gen_group *first, run_kernel *);
/* The kernel of a product by our own loops that asks for parts of that operand (run_callbacks), whose box is dense and
 * has no address: batches, then what is kept, then what is summed. */
void gen_on_demand_kernel(base_arena *, const gen_group *, int operand, run_kernel *);
/* As boxes, to who wants to be told: of y the elements in these ranges, of the first dims, those behind them, and so
 * on; dims that no range names are whole. */
void gen_notify(const run_job *, const ir_box *y, int nrange, const gen_range *);
/* likewise for a part of an operand */
void gen_request(const run_job *, const ir_box *x, int nrange, const gen_range *);
/* [lo, lo + n) of dim d, counted from where the box begins; a kernel over all of these boxes. */
void gen_narrow(ir_box *, int d, int64_t lo, int64_t n);
void gen_run_full(const run_kernel *, int worker, const ir_box *arg, void *scratch);
/* May operand i's buffer hold result j (elementwise: same box and dtype size; dynamic_update_slice, scatter: operand
 * 0)? */
bool gen_in_place(const gen_group *, uint32_t in, uint32_t out);

#endif
