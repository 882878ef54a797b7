/* run/run.h - executes plans. Knows meshes, layouts and boxes; knows no equation.
 *
 * Lockstep: the process knows the whole SPMD program and runs it for all its devices step by step on one pool of
 * workers. A value is stored once per instance, i.e. per distinct copy: instances of a value that varies over the atoms
 * `vary` are numbered by mesh_instance(). No device waits for another, so N devices on any number of cores cannot
 * deadlock.
 */
#ifndef TUTTI_RUN_H
#define TUTTI_RUN_H

#include <stdatomic.h>

#include "../ir/ir.h"

/* ---- kernels ---- */

/* Who wants to know which part of a result stands, or makes the part of an operand that is read next; NULL: does not.
 * All parts together are what the task's tiles make, or read. */
typedef struct run_callbacks {
    void (*on_written)(const struct run_callbacks *, const ir_box *part),
        (*on_needed)(const struct run_callbacks *, const ir_box *part);
} run_callbacks;
/* One task: the tiles [first, first + count) of one instance. arg: boxes of operands, then of results. */
typedef struct {
    int worker; const ir_box *arg; int64_t first, count; void *scratch, *shared;
    const void *prepared;                                /* see run_kernel; NULL: not made in advance */
    /* NULL, or: a kernel that `tells` calls it with each part of its result that is made, while it is in the cache;
     * one that asks (gen_on_demand_kernel), with a part of its operand that it wants to be made there, in its
     * scratch */
    const run_callbacks *callbacks;
} run_job;
typedef void run_code(const void *self, const run_job *);
typedef struct {
    run_code *code;
    const void *self;                                    /* lives as long as the plan */
    /* in how many parts a task may be split; NULL: 1. A part should be worth some 10 microseconds or more. This and
     * scratch are asked at bind: extents are there, addresses not */
    int64_t (*tiles)(const void *self, const ir_box *arg);
    int64_t (*scratch)(const void *self, const ir_box *arg);     /* bytes of scratch that a worker needs; NULL: 0 */
    run_code *finish;   /* NULL, or: once per instance after all of its tiles, to put together */
    /* what they left in so many bytes that they share (job->shared) */
    int64_t (*shared)(const void *self, const ir_box *arg);
    /* NULL, or: what the code likes to know of an instance's boxes before they have addresses: how many bytes (the
     * same for all instances); written to room, but for NULL */
    int64_t (*prepare)(const void *self, const ir_box *arg, void *buffer);
    bool merges; /* instances that are adjacent had better be one task, see merge_instances.c */
    bool notifies;                                       /* see run_job; where tiles share bytes, finish does not */
    base_name name;                                      /* "tile: mul add tanh", "dot", "dnn: convolution" */
    base_site site;
} run_kernel;

/* ---- plans: closed data, written by plan/, no pointers into the compiler's functions ---- */

/* A dim of which an instance holds not its range but the window that it needs for its range of a result's dim of
 * `size`. */
typedef struct { op_window window; int64_t size; } run_halo;     /* window.div 0: none */
typedef enum { RUN_ARENA, RUN_ARG, RUN_RESULT, RUN_CONST } run_space;
/* A value: one buffer per instance, all of the size of the largest, row-major with the strides of the largest. Several
 * run_values may name the same bytes (same home, at, bytes, vary): a view with other dims, as when a shard of a global
 * array becomes the local array of a manual region. */
typedef struct {
    tt_dtype dtype; int rank; const int64_t *dim;        /* global dims; local ones inside a manual region */
    const mesh_layout *layout;  /* how dims are split: an instance holds mesh_range of each; NULL: whole */
    const run_halo *halo;   /* [rank], or NULL: no dim has one. Only exchanges fill such values */
    mesh_set vary;                                       /* atoms over which instances differ (layout's and others) */
    run_space space; int64_t at; /* argument or result number, offset in the blob, or arena offset */
    int64_t bytes;  /* of the largest instance, a multiple of 64 (but for ends of plans of one device alone) */
    uint32_t slice; /* 0, or: a row of what is there, see RUN_SLICE_PTR; its number from 1 */
    /* Of vary's atoms, those whose instances are one box: dim 0 counts them, or they are dense one behind the other
     * along it. Their numbers have one distance; the layout does not name them. Such a value is only read. */
    mesh_set merged;
} run_value;    /* address = arena[vary] + instances(vary)*at + instance*bytes */

typedef struct run_list { uint32_t n; const struct run_step *step; } run_list;
typedef enum { RUN_COMPUTE, RUN_EXCHANGE, RUN_LOOP, RUN_CHOOSE, RUN_HOST, RUN_SLICE_PTR } run_kind;
typedef struct run_step {
    run_kind kind;
    base_site site;
    base_name name;                                      /* "psum", "dot_general": for TUTTI=plan and profiles */
    mesh_set vary;                                       /* COMPUTE: one task per instance of this class */
    uint32_t kernel, narg; const uint32_t *arg;          /* COMPUTE: values: operands, then results; 0 based */
    uint32_t nwritten;  /* how many of the last arguments are results; 0: not known, all may be */
    double flops;   /* twice the multiply-adds of contractions, all instances; for profiles */

    /* EXCHANGE: every instance of `to`, at coordinates c, pulls its box of the value. A source instance's coordinates
     * are: atoms in from's layout: the owners of each part of the box; atoms in `over`: all of them, combined with
     * `how` in rising order; other atoms of from's vary: as in c (0 where `to` does not vary over them). dims are
     * equal. */
    uint32_t from, to; mesh_set over; mesh_reduce reduce;
    mesh_list order; const uint32_t *source; /* ppermute: place along `order` (row-major) -> place whence; ~0: zeros */

    uint32_t test; run_list cond, body; /* LOOP: while (cond; value `test`) body. CHOOSE: value `test` (i32 or */
    /* bool; out of range: the last) picks a branch. `test` varies over nothing */
    const run_list *branch; uint32_t nbranch;

    /* POINT: from here on the values of row `to->row` are row number `test` (an i32 that varies over nothing; beyond
     * the ends: the first, the last) of value `from`, along its first dim, which is whole in every instance. `to` is
     * that row: [1, ...]. */
    /* HOST: on the control thread, in order; instance 0 */
    void (*host)(void *env, uint32_t narg, const ir_box *arg); void *env;
} run_step;
typedef struct {
    const struct mesh *mesh;                             /* NULL: one device */
    /* one device does the work of the mesh's: arguments and results are whole arrays, of which instances are the parts
     * along dim 0, side by side; no step is an exchange */
    bool single_device;
    uint32_t nvalue, nkernel, narg, nresult, nslice;
    const run_value *value; const run_kernel *kernel; run_list body;
    /* [narg], [nresult]: their values (home RUN_ARG, RUN_RESULT); a result may be an argument's or a constant's
     * value: then it is shared, not copied */
    const uint32_t *arg, *result;
    const int32_t *alias;                                /* [nresult]: donated argument whose buffer it takes, or -1 */
    /* [narg]: donated, and of the size of a result; NULL: none. The caller keeps the others */
    const bool *donated;
    const uint8_t *blob; int64_t nblob;                  /* constants, dense row-major, whole */
} run_plan;

/* ---- arrays: concrete values. Immutable, counted, any thread ---- */

typedef struct run_array run_array;
/* layout NULL: replicated. host: row-major dense elements of the whole value; NULL: zeros. NULL with the error set. */
run_array *run_array_of(const ir_type *, const mesh_layout *, const void *host);
/* Made block by block: fill writes the dense box [lo, lo + n) of the whole, once per instance that is not empty. False:
 * it failed, and there is no array; an error is the filler's to set. */
typedef bool run_filler(void *env, const int64_t *lo, const int64_t *n, void *to);
run_array *run_array_fill(const ir_type *, const mesh_layout *, run_filler *fill, void *env);
run_array *run_keep(run_array *);
void       run_drop(run_array *);                        /* NULL is allowed */
void       run_drop_all(int n, run_array *const *);      /* at once; NULL among them is allowed */
const ir_type     *run_type(const run_array *);          /* global type */
const mesh_layout *run_layout(const run_array *);        /* NULL: replicated, no mesh */
int64_t run_instances(const run_array *);
ir_box  run_box(const run_array *, int64_t instance);    /* what that instance holds */
/* a box of the global value, dense; NULL lo: all */
bool    run_read(run_array *, const int64_t *lo, const int64_t *n, void *host);
/* the same value laid out otherwise (also on another mesh) */
run_array *run_move(run_array *, base_site, const mesh_layout *);

/* ---- programs: a plan bound to this process's devices: boxes, arenas, tasks ---- */

typedef struct run_program run_program;
/* takes the arena that holds the plan; NULL with the error set, then the caller still owns it */
run_program *run_bind(base_arena *owned, const run_plan *);
void run_unbind(run_program *);
const run_plan *run_plan_of(const run_program *);
/* Waits; one launch at a time per process (a lock). out[i] is a new reference. consumed[j]: the caller gives up
 * argument j's reference, so that its buffer may be reused if nobody else holds it (NULL: none). Arguments not laid out
 * as the plan wants are moved first. False with the error set: nothing was consumed, no result made. */
bool run_launch(run_program *, run_array *const *in, const bool *consumed, run_array **out);

int  run_workers(void);                                  /* size of the pool: TUTTI=workers:N, else the cores */
/* From the next launch on; waits for those that run. False with the error set: n < 1, or from within a host step. */
bool run_workers_set(base_site, int n);
void run_pool_stop(void);                                /* joins the workers; the next launch starts them again */
/* Text of a plan for TUTTI=plan: steps with kernels, exchanges with site, axes, bytes; arena bytes per device. */
const char *run_plan_text(base_arena *, const run_plan *);
/* arena_bytes: per device; exchange_bytes: received, all devices; turns: exchanges that stand together count once. */
typedef struct { int64_t kernels, distinct, exchanges, exchange_bytes, arena_bytes, steps, rounds; } run_counts;
run_counts run_plan_counts(const run_plan *);

/* The memory of the device that holds most, in bytes (account.c). reused: results in the place of donated arguments.
 * peak: arguments, results, constants and the arena. live: of the arena, most at one time, at the step of `site`; line:
 * by the user's lines that wrote it, largest first. It lives in the arena, and does not depend on how many devices
 * there are. */
typedef struct { base_site site; base_name name; int64_t bytes; } run_line;
typedef struct {
    int64_t arguments, results, reused, constants, arena, peak, live; base_site site;
    int nline; run_line *line;
} run_memory;
void    run_memory_of(base_arena *, const run_plan *, run_memory *);
int64_t run_plan_arena(const run_plan *);                /* bytes of the arenas of a device */

/* Bytes of the largest instance of a value laid out so, a multiple of 64: what a plan writes into run_value.bytes.
 * -1 with the error set: more than 2^62. */
int64_t run_bytes(tt_dtype, int rank, const int64_t *dim, const mesh_layout *, const run_halo *);
/* Of the largest instance's elements, what is between the parts of a whole array. */
int64_t run_part_stride(tt_dtype, int rank, const int64_t *dim, const mesh_layout *);
/* TUTTI=dry: arrays have no memory and programs compute nothing; what is read of them is zeros. For tutti explain and
 * tutti plan, where the mesh need not exist. A program stays as it was bound. */
int64_t run_array_bytes(const run_array *);                  /* bytes of its block */
bool run_dry(void);
void run_trim(void);                                     /* gives free buffers and the arena back to the system */
/* TUTTI=time: where time went, through base_log, and as a timeline in the file of TUTTI=time:FILE; then forgets it. */
void run_profile_log(void);
bool run_profiling(void);                                /* TUTTI=time or TUTTI=roofline */
void run_profile_compiled(double seconds);               /* a program was compiled */

/* ---- of run's own files ---- */

/* bytes; boxes on a worker's stack; ns that are worth the pool */
enum { RUN_CACHE_LINE = 64, RUN_STACK_BOXES = 64, RUN_WAKE_NS = 4000 };
/* How a value is in its buffers: one per instance, `bytes` apart; strides of the largest instance. whole: one dense
 * buffer of the global value, of which instances are parts (constants, host memory). */
typedef struct {
    const mesh_layout *layout; int64_t bytes;            /* of an instance. Calls ask for what stands first */
    const struct mesh *mesh; mesh_set vary, merged; bool global;
    tt_dtype dtype; int rank; const int64_t *dim; const run_halo *halo;
    int64_t size, step[IR_RANK];                         /* of an element; strides in elements */
} run_storage;
bool    run_storage_of(run_storage *, const struct mesh *, tt_dtype, int rank, const int64_t *dim, const mesh_layout *,
                       const run_halo *, mesh_set vary);
bool    run_storage_value(run_storage *, const struct mesh *, const run_value *);
int64_t run_storage_instances(const run_storage *);
/* .at is not set: the offset is returned */
int64_t run_storage_box(const run_storage *, const uint32_t *coord, ir_box *);

/* What one destination box pulls from one part of the source: a rectangle, its dims merged and those of size 1 left
 * out; to/from: strides in elements, at and src: offsets in bytes. No source: zeros; several: combined in this
 * order. */
typedef struct {
    int rank; int64_t n[IR_RANK], to[IR_RANK], from[IR_RANK];
    int64_t at, count; uint32_t nsrc; const int64_t *src;
} run_pull;
/* as in run_step */
typedef struct { mesh_set over; mesh_reduce reduce; mesh_list order; const uint32_t *source; } run_route;
typedef bool run_pulled(void *env, const run_pull *);    /* false ends the walk */
bool run_pulls(const run_storage *from, const run_route *, const uint32_t *coord, const ir_box *to,
               run_pulled *, void *env);
/* Elements [first, first + count) of a pull, in row-major order of its rectangle. */
void run_pull_do(const run_pull *, int64_t first, int64_t count, tt_dtype, mesh_reduce, char *to, const char *from);
/* to[i] = from[src[0] + i] how from[src[1] + i] ...: n elements, strides in elements, src in bytes; f16, bf16 sum in
 * f32. */
void run_combine(tt_dtype, mesh_reduce, int64_t n, char *to, int64_t step, const char *from, int64_t from_step,
                 uint32_t nsrc, const int64_t *src);
bool run_combines(tt_dtype, mesh_reduce);                /* is there such a combination? */

/* Locks around a few instructions: a waiting thread looks again, and lets others run. */
typedef struct { _Atomic bool held; } run_lock;
void run_lock_wait(run_lock *);
static inline void run_locked(run_lock *l)
{
    if (atomic_exchange_explicit(&l->held, true, memory_order_acquire)) run_lock_wait(l);
}
static inline void run_unlocked(run_lock *l) { atomic_store_explicit(&l->held, false, memory_order_release); }

/* Buffers: from lists of free ones by size, so that a warm process asks the system for nothing. NULL with the error
 * set. */
extern run_lock run_free_lists;                          /* of those lists, and of the free headers of arrays */
void *run_buffer_locked(int64_t bytes);                  /* with the lock held, as the next */
void  run_buffer_drop_locked(void *, int64_t bytes);
void *run_buffer(int64_t bytes);
void  run_buffer_drop(void *, int64_t bytes);
void  run_buffer_trim(void), run_buffer_forked(void);

struct run_array {
    _Atomic int64_t count;                               /* holders */
    const ir_type *type;
    int64_t n; char *at;                                 /* instances; the first one's buffer */
    struct run_array *next;                              /* in the list of free ones */
    bool wrapped; uint32_t seen;    /* how often it is an argument of the launch that is going on */
    void (*freed)(void *env); void *env;                 /* wrapped memory: not ours */
    run_storage storage;
};
/* Buffers with any contents; bare: without memory. The lock of the spares is held. */
run_array *run_array_locked(const ir_type *, const run_storage *, bool bare);
void run_array_trim(void);
bool run_same_storage(const mesh_layout *, const mesh_layout *);

/* The pool: one share per worker; the caller is worker 0 and takes the shares of those who are late. */
typedef void run_share(void *env, int share, int worker);
bool  run_pool_ready(int64_t scratch);                   /* starts it if need be; every worker has so much scratch */
void  run_pool_wake(void);                               /* work is near */
void  run_pool_do(run_share *, void *env);
void *run_scratch(int worker);
void  run_pool_join(void), run_launch_forked(void);

/* A step bound to instances. */
enum { RUN_SHARED = RUN_CONST + 1 };                     /* home of what tiles share */
/* own: a step's instance touches what is its own; apart: which is by itself, whatever is where in it */
typedef struct { mesh_set vary; int space; int64_t lo, hi, bytes; bool write, own, separate; } run_access;
typedef struct run_bound {
    const run_kernel *kernel;                            /* NULL: an exchange, or no step of a phase */
    int64_t n;                                           /* instances */
    ir_box *box;                                         /* [n * narg]; NULL: made by the worker, task by task */
    const int64_t *tile;    /* [n + 1]: where an instance's tiles begin; .. [n]: all of them */
    char *prepared; int64_t prepared_bytes;              /* instance i's at known + i * nknown; NULL: none */
    int64_t shared; bool finish;                         /* bytes that tiles share; the second half of a kernel */
    bool whole_instances, segment;                       /* shares are whole instances, not tiles; see run_segment */
    uint32_t narg;
    int64_t shared_at;                                   /* in the arena's slot */
    const run_step *step;
    const run_pull *pull; const int64_t *pull_at;   /* EXCHANGE: instance i has pulls [pull_at[i], pull_at[i + 1]) */
    int64_t chunk;                                       /* elements of a tile */
    uint32_t naccess; const run_access *access;
    uint32_t phase;                                      /* steps of the phase that it begins; 0: it is inside one */
    double cost, phase_cost, best; int runs; /* ns: guessed for it, for its phase; the best of the first runs */
    const struct run_bound_list *sub;                    /* LOOP: cond, body. CHOOSE: branches */
    struct run_spent *account;                           /* TUTTI=time */
} run_bound;
typedef struct run_bound_list { uint32_t n; run_bound *at; } run_bound_list;
typedef struct { ir_box *box; int64_t offset; } run_patch;
/* where a home begins now, and which boxes must know */
typedef struct { char *base; uint32_t n; run_patch *patch; } run_slot;
enum { RUN_SLOT_ARENA, RUN_SLOT_CONST, RUN_SLOTS };      /* then arguments, then results, then rows */
void run_slot_at(run_slot *, char *base);                /* launch.c */

/* What a launch asks of an argument or a result, two in a cache line. made: of results; equal ones share it. */
typedef struct { const ir_type *type; const mesh_layout *layout; const run_storage *storage; run_space space;
} run_port;

/* Steps that each worker does for one instance of their class after the other (segment.c). shares: of so many workers,
 * each with the arena of one instance, `bytes`; 0: not now. n: instances; 0: there is none. */
typedef struct { mesh_set vary; int64_t n, bytes; const run_step *first, *last; int shares; } run_segment;

struct run_program {
    base_arena *arena; const run_plan *plan;
    void *cache_entry;                                   /* of the cache that has it; NULL: none has */
    run_storage *storage;                                /* [nvalue] */
    uint32_t *slot_of; int64_t *at;                      /* [nvalue]: slot, and offset of instance 0 in it */
    run_slot *slot;
    run_bound_list body;
    int64_t bytes, scratch;                              /* of its arena, of a worker */
    int workers;                                         /* for how many barriers were set */
    bool running, parallel, profiled, dry, has_moved, has_taken; /* moves, takes: moved[], taken[] have any */
    run_port *in_port, *out_port;                        /* [narg], [nresult] */
    run_array **in, **moved, **out, **constant;          /* of the launch; constant[i]: result i is a constant */
    bool *taken;                                         /* [nresult]: has taken a donated argument's buffer */
    run_segment segment;
};
void run_divide_phases(run_program *, int workers, bool each); /* divides lists into phases; each: every step is one */
void run_segment_find(run_program *);                    /* segment.c: at bind; at cuts */
bool run_segment_has(const run_program *, const run_bound *);
void run_segment_run(run_program *, int shares);
bool run_body(run_program *);                            /* exec.c: the whole list */
bool run_bind_steps(run_program *);                      /* steps.c; unwinds */
/* merge_instances.c. joins: atoms along which all instances are one; 0: none. boxes: of the others' i-th, [narg], .at:
 * offsets from the values' instance 0 */
mesh_set run_merged_over(const run_plan *, const run_step *);
bool run_merged_boxes(const run_plan *, const run_step *, mesh_set over, int64_t instance, ir_box *);
bool run_nested(void (*body)(void *), void *env);        /* launch.c: a host step */
bool run_profile_program(run_program *);                 /* every step gets its account; false: no memory */
void run_spend(struct run_spent *, double start, double seconds);
void run_profile_forked(void);
/* A timeline: what began when and took how long. Chrome's trace format, which Perfetto reads. (timeline.c) */
void run_timeline_add(base_name, base_site, double start, double seconds);
void run_timeline_write(void);                           /* writes the file of TUTTI=time:FILE */
typedef struct { base_name name; base_site site; double seconds, bytes, flops; } run_rate;  /* what a step did in all */
/* the longest first; TUTTI=roofline:FILE */
void run_roofline_write(const run_rate *, size_t n, double peak, double copy);

#endif
