/* run/run.h - executes plans. Knows meshes, layouts and boxes; knows no equation.
 *
 * Lockstep: the process has the complete SPMD program and runs it for all its devices, step by step, on one pool of
 * workers. A value is stored once per instance, that is, per distinct copy: the instances of a value that varies over
 * the atoms `vary` are numbered by mesh_instance(). No device waits for another, so N devices on any number of cores
 * cannot deadlock. */
#ifndef TUTTI_RUN_H
#define TUTTI_RUN_H

#include <stdatomic.h>

#include "../ir/ir.h"

/* ---- kernels ---- */

/* Callbacks between a kernel and the kernel fused with it. on_written: this part of the result is complete. on_needed:
 * compute this part of the operand now. NULL: not used. All parts together cover what the task's tiles write or
 * read. */
typedef struct run_callbacks {
    void (*on_written)(const struct run_callbacks *, const ir_box *part),
        (*on_needed)(const struct run_callbacks *, const ir_box *part);
} run_callbacks;
/* One task: the tiles [first, first + count) of one instance. arg: boxes of the operands, then of the results. */
typedef struct {
    int worker; const ir_box *arg; int64_t first, count; void *scratch, *shared;
    const void *prepared;                                /* see run_kernel; NULL: not prepared */
    /* NULL, or: a kernel that notifies calls on_written for each part of its result while the part is in the cache; an
     * on-demand kernel (gen_on_demand_kernel) calls on_needed for each part of its operand, which is to be computed in
     * the kernel's scratch */
    const run_callbacks *callbacks;
} run_job;
typedef void run_code(const void *self, const run_job *);
typedef struct {
    run_code *code;
    const void *self;                                    /* lives as long as the plan */
    /* number of parts into which a task may be split; NULL: 1. A part should be worth at least some 10 microseconds.
     * tiles and scratch are called at bind: boxes have extents, but no addresses */
    int64_t (*tiles)(const void *self, const ir_box *arg);
    int64_t (*scratch)(const void *self, const ir_box *arg); /* bytes of scratch per worker; NULL: 0 */
    run_code *finish; /* NULL, or: called once per instance after all of its tiles, to combine their partial results */
    /* bytes for these partial results, which all tiles of an instance share (job->shared) */
    int64_t (*shared)(const void *self, const ir_box *arg);
    /* NULL, or: computes what the code needs about an instance's boxes before they have addresses. Returns the number
     * of bytes (the same for all instances); writes to buffer, unless NULL */
    int64_t (*prepare)(const void *self, const ir_box *arg, void *buffer);
    bool merges;   /* adjacent instances should be one task, see merge_instances.c */
    bool notifies;   /* calls on_written, see run_job; not from finish if tiles share bytes */
    base_name name;                                      /* "tile: mul add tanh", "dot", "dnn: convolution" */
    base_site site;
} run_kernel;

/* ---- plans: closed data, written by plan/, no pointers into the compiler's functions ---- */

/* A dim of which an instance holds, instead of its range, the window that it needs for its range of a result's dim of
 * `size`. */
typedef struct { op_window window; int64_t size; } run_halo; /* window.div 0: no window */
typedef enum { RUN_ARENA, RUN_ARG, RUN_RESULT, RUN_CONST } run_space;
/* A value: one buffer per instance, each with the size and the row-major strides of the largest instance. Several
 * run_values may refer to the same bytes (same space, at, bytes, vary): a view with other dims, as when a shard of a
 * global array becomes the local array of a manual region. */
typedef struct {
    tt_dtype dtype; int rank; const int64_t *dim;        /* global dims; local ones inside a manual region */
    const mesh_layout *layout;   /* how dims are sharded: an instance holds mesh_range of each; NULL: replicated */
    const run_halo *halo;   /* [rank], or NULL: no dim has a window. Only exchanges fill such values */
    mesh_set vary;   /* atoms over which instances differ (the layout's and others) */
    run_space space; int64_t at;   /* argument or result number, offset in the blob, or arena offset */
    /* of the largest instance, a multiple of 64 (except arguments and results of a single-device plan) */
    int64_t bytes;
    uint32_t slice;   /* 0, or: a row of the value stored there, see RUN_SLICE_PTR; its number from 1 */
    /* Sub-axes of vary whose instances are read as one merged box, stacked along dim 0 or contiguous along it, with a
     * constant stride. Disjoint from the layout's atoms. The value is read-only then. */
    mesh_set merged;
} run_value;   /* address = arena[vary] + instances(vary)*at + instance*bytes */

typedef struct run_list { uint32_t n; const struct run_step *step; } run_list;
typedef enum { RUN_COMPUTE, RUN_EXCHANGE, RUN_LOOP, RUN_CHOOSE, RUN_HOST, RUN_SLICE_PTR } run_kind;
typedef struct run_step {
    run_kind kind;
    base_site site;
    base_name name;                                      /* "psum", "dot_general": for TUTTI=plan and profiles */
    mesh_set vary;                                       /* COMPUTE: one task per instance of this class */
    uint32_t kernel, narg; const uint32_t *arg;          /* COMPUTE: values: operands, then results; 0 based */
    uint32_t nwritten;   /* number of results, which are the last arguments; 0: unknown, all arguments may be written */
    double flops;   /* twice the multiply-adds of contractions, all instances; for profiles */

    /* EXCHANGE: every instance of `to`, at coordinates c, pulls its box of the value; `from` and `to` have equal dims.
     * The coordinates of the source instances are:
     * - atoms in the layout of `from`: the owners of each part of the box;
     * - atoms in `over`: all of them, combined by `reduce` in rising order;
     * - other atoms of the vary set of `from`: as in c (0 if `to` does not vary over them). */
    uint32_t from, to; mesh_set over; mesh_reduce reduce;
    mesh_list order; const uint32_t *source; /* ppermute: place along `order` (row-major) -> source place; ~0: zeros */

    /* LOOP: while (cond; value `test`) body. CHOOSE: value `test` (i32 or bool; out of range: the last) selects a
     * branch. `test` varies over nothing */
    uint32_t test; run_list cond, body;
    const run_list *branch; uint32_t nbranch;

    /* SLICE_PTR: from here on, the values of the slice `to->slice` are row number `test` (an i32 that varies over
     * nothing; clamped to the valid range) of value `from`, along its first dim, which is unsharded. `to` is that row:
     * [1, ...]. */
    /* HOST: called on the control thread, in order, for instance 0 */
    void (*host)(void *env, uint32_t narg, const ir_box *arg); void *env;
} run_step;
typedef struct {
    const struct mesh *mesh;                             /* NULL: one device */
    /* one device does the work of all devices of the mesh: arguments and results are complete arrays, whose contiguous
     * parts along dim 0 are the instances; no step is an exchange */
    bool single_device;
    uint32_t nvalue, nkernel, narg, nresult, nslice;
    const run_value *value; const run_kernel *kernel; run_list body;
    /* [narg], [nresult]: their values (space RUN_ARG, RUN_RESULT); a result may be an argument's or a constant's value:
     * then it is shared, not copied */
    const uint32_t *arg, *result;
    const int32_t *alias;   /* [nresult]: donated argument whose buffer the result takes, or -1 */
    /* [narg]: donated, and of the size of a result; NULL: none. The caller keeps the other arguments */
    const bool *donated;
    const uint8_t *blob; int64_t nblob;                  /* constants, dense row-major, unsharded */
} run_plan;

/* ---- arrays: concrete values. Immutable, reference-counted, usable from any thread ---- */

typedef struct run_array run_array;
/* layout NULL: replicated. host: row-major dense elements of the global value; NULL: zeros. NULL with the error set. */
run_array *run_array_of(const ir_type *, const mesh_layout *, const void *host);
/* Creates an array block by block: fill writes the dense box [lo, lo + n) of the global value, once per non-empty
 * instance. If fill returns false, it has set the error, and no array is created. */
typedef bool run_filler(void *env, const int64_t *lo, const int64_t *n, void *to);
run_array *run_array_fill(const ir_type *, const mesh_layout *, run_filler *fill, void *env);
run_array *run_keep(run_array *);
void       run_drop(run_array *);                        /* NULL is allowed */
void       run_drop_all(int n, run_array *const *);      /* all at once; entries may be NULL */
const ir_type     *run_type(const run_array *);          /* global type */
const mesh_layout *run_layout(const run_array *);        /* NULL: replicated, no mesh */
int64_t run_instances(const run_array *);
ir_box  run_box(const run_array *, int64_t instance);    /* the box that the instance holds */
/* copies a box of the global value to dense memory; NULL lo: all of it */
bool    run_read(run_array *, const int64_t *lo, const int64_t *n, void *host);
/* the same value in another layout, possibly on another mesh */
run_array *run_move(run_array *, base_site, const mesh_layout *);

/* ---- programs: a plan bound to this process's devices: boxes, arenas, tasks ---- */

typedef struct run_program run_program;
/* takes over the arena that holds the plan; NULL with the error set: the caller still owns the arena */
run_program *run_bind(base_arena *owned, const run_plan *);
void run_unbind(run_program *);
const run_plan *run_plan_of(const run_program *);
/* Runs the program and waits for the end; one launch at a time per process (a lock). out[i] is a new reference.
 * consumed[j]: the caller gives up the reference to argument j, so that its buffer may be reused if there is no other
 * holder (NULL: none). Arguments in a layout other than the plan's are moved first. False with the error set: nothing
 * was consumed, and no result was created. */
bool run_launch(run_program *, run_array *const *in, const bool *consumed, run_array **out);

int  run_workers(void);   /* size of the pool: TUTTI=workers:N, else the number of cores */
/* Sets the size of the pool from the next launch on; waits for running launches. False with the error set: n < 1, or
 * called from a host step. */
bool run_workers_set(base_site, int n);
void run_pool_stop(void);                                /* joins the workers; the next launch restarts them */
/* Text of a plan for TUTTI=plan: steps with kernels, exchanges with site, axes, bytes; arena bytes per device. */
const char *run_plan_text(base_arena *, const run_plan *);
/* arena_bytes: per device; exchange_bytes: received by all devices; rounds: adjacent exchanges count once. */
typedef struct { int64_t kernels, distinct, exchanges, exchange_bytes, arena_bytes, steps, rounds; } run_counts;
run_counts run_plan_counts(const run_plan *);

/* The memory of the device that holds most, in bytes (account.c). reused: results that take the buffers of donated
 * arguments. peak: arguments, results, constants and the arena. live: most bytes of the arena in use at one time, at
 * the step of `site`; line: these bytes by the user's lines that wrote them, largest first. line is allocated in the
 * arena. The cost does not depend on the number of devices. */
typedef struct { base_site site; base_name name; int64_t bytes; } run_line;
typedef struct {
    int64_t arguments, results, reused, constants, arena, peak, live; base_site site;
    int nline; run_line *line;
} run_memory;
void    run_memory_of(base_arena *, const run_plan *, run_memory *);
int64_t run_plan_arena(const run_plan *);                /* bytes of the arenas of one device */

/* Bytes of the largest instance of a value in this layout, a multiple of 64: the value of run_value.bytes. -1 with the
 * error set: more than 2^62. */
int64_t run_bytes(tt_dtype, int rank, const int64_t *dim, const mesh_layout *, const run_halo *);
/* Bytes of the largest instance's elements without padding: the distance between the parts of a complete array. */
int64_t run_part_stride(tt_dtype, int rank, const int64_t *dim, const mesh_layout *);
/* TUTTI=dry: arrays have no memory and programs compute nothing; reads give zeros. For tutti explain and tutti plan,
 * where the mesh need not exist. A program stays as it was bound. */
int64_t run_array_bytes(const run_array *);              /* bytes of the array's block */
bool run_dry(void);
void run_trim(void);                                     /* returns free buffers and the arena to the system */
/* TUTTI=time: logs the time of steps through base_log, and writes a timeline to the file of TUTTI=time:FILE; then
 * resets the accounts. */
void run_profile_log(void);
bool run_profiling(void);                                /* TUTTI=time or TUTTI=roofline */
void run_profile_compiled(double seconds);               /* records that a program was compiled */

/* ---- private to src/run ---- */

/* bytes; boxes on a worker's stack; nanoseconds of work for which the pool is worth waking */
enum { RUN_CACHE_LINE = 64, RUN_STACK_BOXES = 64, RUN_WAKE_NS = 4000 };
/* How a value is stored: one buffer per instance, `bytes` apart, with the strides of the largest instance. global: one
 * dense buffer of the global value, of which instances are parts (constants, host memory). */
typedef struct {
    const mesh_layout *layout; int64_t bytes;   /* bytes: of an instance. The fields that launches read come first */
    const struct mesh *mesh; mesh_set vary, merged; bool global;
    tt_dtype dtype; int rank; const int64_t *dim; const run_halo *halo;
    int64_t size, step[IR_RANK];                         /* size: of an element; step: strides in elements */
} run_storage;
bool    run_storage_of(run_storage *, const struct mesh *, tt_dtype, int rank, const int64_t *dim, const mesh_layout *,
                       const run_halo *, mesh_set vary);
bool    run_storage_value(run_storage *, const struct mesh *, const run_value *);
int64_t run_storage_instances(const run_storage *);
/* returns the offset of the instance's box; .at is not set */
int64_t run_storage_box(const run_storage *, const uint32_t *coord, ir_box *);

/* What one destination box pulls from one part of the source: a rectangle, with dims merged and dims of size 1 left
 * out; to, from: strides in elements; at, src: offsets in bytes. No source: zeros; several: combined in this order. */
typedef struct {
    int rank; int64_t n[IR_RANK], to[IR_RANK], from[IR_RANK];
    int64_t at, count; uint32_t nsrc; const int64_t *src;
} run_pull;
/* as in run_step */
typedef struct { mesh_set over; mesh_reduce reduce; mesh_list order; const uint32_t *source; } run_route;
typedef bool run_pulled(void *env, const run_pull *);    /* false ends the enumeration */
bool run_pulls(const run_storage *from, const run_route *, const uint32_t *coord, const ir_box *to,
               run_pulled *, void *env);
/* Elements [first, first + count) of a pull, in row-major order of its rectangle. */
void run_pull_do(const run_pull *, int64_t first, int64_t count, tt_dtype, mesh_reduce, char *to, const char *from);
/* to[i] = from[src[0] + i] op from[src[1] + i] op ..., op by mesh_reduce: n elements, strides in elements, src in
 * bytes; f16 and bf16 are combined in f32. */
void run_combine(tt_dtype, mesh_reduce, int64_t n, char *to, int64_t step, const char *from, int64_t from_step,
                 uint32_t nsrc, const int64_t *src);
bool run_combines(tt_dtype, mesh_reduce);                /* True if the reduction kind is defined for the type */

/* Locks around a few instructions: a waiting thread spins, and yields in between. */
typedef struct { _Atomic bool held; } run_lock;
void run_lock_wait(run_lock *);
static inline void run_locked(run_lock *l)
{
    if (atomic_exchange_explicit(&l->held, true, memory_order_acquire)) run_lock_wait(l);
}
static inline void run_unlocked(run_lock *l) { atomic_store_explicit(&l->held, false, memory_order_release); }

/* Buffers: from free lists by size, so that a warm process requests no memory from the system. NULL with the error
 * set. */
extern run_lock run_free_lists;                          /* lock of these lists and of the free list of array headers */
void *run_buffer_locked(int64_t bytes);                  /* called with the lock held, as is the next */
void  run_buffer_drop_locked(void *, int64_t bytes);
void *run_buffer(int64_t bytes);
void  run_buffer_drop(void *, int64_t bytes);
void  run_buffer_trim(void), run_buffer_forked(void);

struct run_array {
    _Atomic int64_t count;                               /* number of references */
    const ir_type *type;
    int64_t n; char *at;                                 /* number of instances; buffer of the first */
    struct run_array *next;                              /* in the free list */
    bool wrapped; uint32_t seen;   /* number of times the array is an argument of the current launch */
    void (*freed)(void *env); void *env;                 /* wrapped memory, not owned: called when it is released */
    run_storage storage;
};
/* An array with uninitialised buffers; bare: without memory. Called with run_free_lists held. */
run_array *run_array_locked(const ir_type *, const run_storage *, bool bare);
void run_array_trim(void);
bool run_same_storage(const mesh_layout *, const mesh_layout *);

/* The pool: one share per worker; the caller is worker 0 and also takes shares that no worker has begun. */
typedef void run_share(void *env, int share, int worker);
bool  run_pool_ready(int64_t scratch);   /* starts the pool if necessary; gives each worker this much scratch */
void  run_pool_wake(void);                               /* wakes sleeping workers ahead of work */
void  run_pool_do(run_share *, void *env);
void *run_scratch(int worker);
void  run_pool_join(void), run_launch_forked(void);

/* A step bound to instances. */
enum { RUN_SHARED = RUN_CONST + 1 };                     /* space of the bytes that tiles share */
/* A memory access of a step. own: each instance of the step touches only its own instance of the value; separate: each
 * instance has a contiguous range of its own, so that instances do not overlap whatever their offsets. */
typedef struct { mesh_set vary; int space; int64_t lo, hi, bytes; bool write, own, separate; } run_access;
typedef struct run_bound {
    const run_kernel *kernel;                            /* NULL: an exchange, or a step outside phases */
    int64_t n;                                           /* instances */
    ir_box *box;                                         /* [n * narg]; NULL: computed by the worker, task by task */
    const int64_t *tile;   /* [n + 1]: index of each instance's first tile; [n]: number of tiles */
    char *prepared; int64_t prepared_bytes;              /* instance i's at prepared + i * prepared_bytes; NULL: none */
    int64_t shared; bool finish;   /* bytes that tiles share; finish: the step runs the kernel's second half */
    bool whole_instances, segment;   /* shares are complete instances, not tiles; segment: see run_segment */
    uint32_t narg;
    int64_t shared_at;                                   /* offset in the arena's slot */
    const run_step *step;
    const run_pull *pull; const int64_t *pull_at;   /* EXCHANGE: instance i has pulls [pull_at[i], pull_at[i + 1]) */
    int64_t chunk;                                       /* elements of a tile */
    uint32_t naccess; const run_access *access;
    uint32_t phase;   /* number of steps of the phase that this step begins; 0: inside a phase */
    /* ns: estimates for the step and for its phase; the best of the first runs */
    double cost, phase_cost, best; int runs;
    const struct run_bound_list *sub;                    /* LOOP: cond, body. CHOOSE: branches */
    struct run_spent *account;                           /* TUTTI=time */
} run_bound;
typedef struct run_bound_list { uint32_t n; run_bound *at; } run_bound_list;
typedef struct { ir_box *box; int64_t offset; } run_patch;
/* current base address of a memory space, and the boxes that depend on it */
typedef struct { char *base; uint32_t n; run_patch *patch; } run_slot;
enum { RUN_SLOT_ARENA, RUN_SLOT_CONST, RUN_SLOTS };      /* followed by arguments, results, slices */
void run_slot_at(run_slot *, char *base);                /* launch.c */

/* What a launch reads of an argument or a result, two in a cache line. storage: of results; equal results share one. */
typedef struct { const ir_type *type; const mesh_layout *layout; const run_storage *storage; run_space space;
} run_port;

/* Steps that each worker runs for one instance of their class after the other (segment.c). n: number of instances; 0:
 * there is no segment. shares: number of workers, each with the arena of one instance, `bytes`; 0: not active. */
typedef struct { mesh_set vary; int64_t n, bytes; const run_step *first, *last; int shares; } run_segment;

struct run_program {
    base_arena *arena; const run_plan *plan;
    void *cache_entry;                                   /* entry of the cache that holds the program; NULL: none */
    run_storage *storage;                                /* [nvalue] */
    uint32_t *slot_of; int64_t *at;                      /* [nvalue]: slot, and offset of instance 0 in it */
    run_slot *slot;
    run_bound_list body;
    int64_t bytes, scratch;                              /* bytes of the program's arena, of a worker's scratch */
    int workers;                                         /* number of workers for which phases are divided */
    /* has_moved, has_taken: moved[], taken[] have entries */
    bool running, parallel, profiled, dry, has_moved, has_taken;
    run_port *in_port, *out_port;                        /* [narg], [nresult] */
    run_array **in, **moved, **out, **constant;          /* of the launch; constant[i]: result i is a constant */
    bool *taken;   /* [nresult]: the result has taken a donated argument's buffer */
    run_segment segment;
};
/* divides lists into phases; each: every step is a phase */
void run_divide_phases(run_program *, int workers, bool each);
void run_segment_find(run_program *);   /* segment.c: at bind. run_segment_run: when phases are divided */
bool run_segment_has(const run_program *, const run_bound *);
void run_segment_run(run_program *, int shares);
bool run_body(run_program *);                            /* exec.c: runs the program's list */
bool run_bind_steps(run_program *);                      /* steps.c; unwinds */
/* merge_instances.c. run_merged_over: atoms along which all instances are merged; 0: none. run_merged_boxes: boxes
 * [narg] of the given instance along the other atoms; .at: offsets from instance 0 of the values */
mesh_set run_merged_over(const run_plan *, const run_step *);
bool run_merged_boxes(const run_plan *, const run_step *, mesh_set over, int64_t instance, ir_box *);
bool run_nested(void (*body)(void *), void *env);        /* launch.c: a host step */
bool run_profile_program(run_program *);                 /* creates an account for every step; false: out of memory */
void run_spend(struct run_spent *, double start, double seconds);
void run_profile_forked(void);
/* A timeline of events with start and duration, in Chrome's trace format, which Perfetto reads (timeline.c). */
void run_timeline_add(base_name, base_site, double start, double seconds);
void run_timeline_write(void);                           /* writes the file of TUTTI=time:FILE */
typedef struct { base_name name; base_site site; double seconds, bytes, flops; } run_rate; /* totals of a step */
/* sorted by time, longest first; TUTTI=roofline:FILE */
void run_roofline_write(const run_rate *, size_t n, double peak, double copy);

#endif
