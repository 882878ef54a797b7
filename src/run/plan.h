/* run/plan.h - the closed plan: kernels, values and steps, as data. Written by plan/ and gen/, executed by run/.
 *
 * Lockstep: the process has the complete SPMD program and runs it for all its devices, step by step, on one pool of
 * workers. A value is stored once per instance, that is, per distinct copy: the instances of a value that varies over
 * the atoms `vary` are numbered by mesh_instance(). No device waits for another, so N devices on any number of cores
 * cannot deadlock. */
#ifndef TUTTI_RUN_PLAN_H
#define TUTTI_RUN_PLAN_H

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
/* COMMON: one copy that all ranks of a host read (common.c); only an exchange writes it. */
typedef enum { RUN_ARENA, RUN_ARG, RUN_RESULT, RUN_CONST, RUN_COMMON } run_space;
/* A value: one buffer per instance, each with the size and the row-major strides of the largest instance. Several
 * run_values may refer to the same bytes (same space, at, bytes, vary): a view with other dims, as when a shard of a
 * global array becomes the local array of a manual region. */
typedef struct {
    tt_dtype dtype; int rank; const int64_t *dim;        /* global dims; local ones inside a manual region */
    const mesh_layout *layout;   /* how dims are sharded: an instance holds mesh_range of each; NULL: replicated */
    const run_halo *halo;   /* [rank], or NULL: no dim has a window. Only exchanges fill such values */
    mesh_set vary;   /* atoms over which instances differ (the layout's and others) */
    run_space space; int64_t at;   /* number of the argument, result or common value, offset in the blob or arena */
    /* of the largest instance, a multiple of 64 (except arguments and results of a single-device plan) */
    int64_t bytes;
    uint32_t slice;   /* 0, or: a row of the value stored there, see RUN_SLICE_PTR; its number from 1 */
    /* Sub-axes of vary whose instances are read as one merged box, stacked along dim 0 or contiguous along it, with a
     * constant stride. Disjoint from the layout's atoms. The value is read-only then. */
    mesh_set merged;
} run_value;   /* address = arena[vary] + instances(vary)*at + instance*bytes */

/* Which instances of a value an exchange reads: every instance of the destination, at coordinates c, pulls its box of
 * the source. The coordinates of the source instances are:
 * - atoms in the layout of the source: the owners of each part of the box;
 * - atoms in `over`: all of them, combined by `reduce` in rising order;
 * - other atoms of the source's vary set: as in c (0 if the destination does not vary over them).
 * source: ppermute: place along `order` (row-major) -> source place; ~0: zeros. */
typedef struct { mesh_set over; mesh_reduce reduce; mesh_list order; const uint32_t *source; } run_route;

typedef struct run_list { uint32_t n; const struct run_step *step; } run_list;
typedef enum { RUN_COMPUTE, RUN_EXCHANGE, RUN_LOOP, RUN_CHOOSE, RUN_HOST, RUN_SLICE_PTR } run_kind;
enum { RUN_COND, RUN_BODY };                             /* the two blocks of a loop */
typedef struct run_step {
    run_kind kind;
    uint32_t nnested; const run_list *nested;            /* blocks: LOOP: RUN_COND, RUN_BODY; CHOOSE: the branches */
    base_site site;
    base_name name;                                      /* "psum", "dot_general": for TUTTI=plan and profiles */
    mesh_set vary;                                       /* COMPUTE: one task per instance of this class */
    /* COMPUTE, HOST: values: operands, then results; 0 based. nwritten: number of results, which are the last
     * arguments; 0: unknown, all arguments may be written */
    uint32_t narg, nwritten; const uint32_t *arg;
    union {
        /* flops: twice the multiply-adds of contractions, all instances; for profiles */
        /* common: the results, all of the program, are alike on all ranks of a group, and each rank computes a share of
         * the tiles, in memory that the others read (run/shares.c) */
        struct { uint32_t kernel; double flops; bool common; } compute;
        /* values of equal dims. common: all ranks hold the same instances of `to`, which has no other writer, so each
         * of them computes a share of it in memory that the others read: a value of RUN_COMMON or a result */
        struct { uint32_t from, to; run_route route; bool common; } exchange;
        /* LOOP: while (cond; value `test`) body. CHOOSE: value `test` (i32 or bool; out of range: the last) selects a
         * branch. `test` varies over nothing */
        struct { uint32_t test; } control;
        /* From here on, the values of the slice `row->slice` are row number `index` (an i32 that varies over nothing;
         * clamped to the valid range) of value `of`, along its first dim, which is unsharded. `row` is that row:
         * [1, ...]. */
        struct { uint32_t row, of, index; } slice_ptr;
        /* called on the control thread, in order, for each instance of this class here; apart: other ranks have
         * other instances */
        struct { void (*call)(const void *env, uint32_t narg, const ir_box *arg, bool apart); const void *env; } host;
    };
} run_step;
/* Walks over the blocks nested in a step, in order; none unless it is a LOOP or a CHOOSE. */
#define RUN_EACH_BLOCK(s, l) \
    for (const run_list *l = (s)->nested; l && l < (s)->nested + (s)->nnested; l++)
typedef struct {
    const struct mesh *mesh;                             /* NULL: one device */
    /* one device does the work of all devices of the mesh: arguments and results are complete arrays, whose contiguous
     * parts along dim 0 are the instances; no step is an exchange */
    bool single_device;
    uint32_t nvalue, nkernel, narg, nresult, nslice, ncommon;
    const run_value *value; const run_kernel *kernel; run_list body;
    /* [narg], [nresult]: their values (space RUN_ARG, RUN_RESULT); a result may be an argument's or a constant's value:
     * then it is shared, not copied */
    const uint32_t *arg, *result;
    const int32_t *alias;   /* [nresult]: donated argument whose buffer the result takes, or -1 */
    /* [narg]: donated, and of the size of a result; NULL: none. The caller keeps the other arguments */
    const bool *donated;
    uint32_t nhidden;       /* on an engine elsewhere: the last so many arguments are constants, given by the program */
    const uint8_t *blob; int64_t nblob;                  /* constants, dense row-major, unsharded */
} run_plan;

/* ---- what plans depend on ---- */

/* alignment and multiple of the bytes of an instance; arguments of a kernel whose boxes a worker keeps on its stack */
enum { RUN_CACHE_LINE = BASE_CACHE_LINE, RUN_STACK_BOXES = 64 };
/* Bytes of the largest instance of a value in this layout, a multiple of 64: the value of run_value.bytes. -1 with the
 * error set: more than 2^62. */
int64_t run_bytes(tt_dtype, int rank, const int64_t *dim, const mesh_layout *, const run_halo *);
/* Bytes of the largest instance's elements without padding: the distance between the parts of a complete array. */
int64_t run_part_stride(tt_dtype, int rank, const int64_t *dim, const mesh_layout *);
/* True if both layouts store a value in the same way. */
bool run_same_storage(const mesh_layout *, const mesh_layout *);
/* The near atoms, along which no exchange leaves a rank: two devices that differ in a near atom alone are of one rank.
 * With one rank all atoms are near. If the devices of some rank are no box of the mesh, or a rank has no device, only
 * atoms of size 1 are. The result is the same on all ranks. */
mesh_set run_near(const struct mesh *);
/* The least bytes of a value for one common copy; INT64_MAX: the ranks do not share memory. The same on all ranks. */
int64_t run_common_least(void);
/* The least bytes of all results of a step of which each rank computes a share, and the most results. Tests lower the
 * first. */
extern int64_t run_shares_least;
enum { RUN_SHARES = 16 };
/* The atoms along which all instances of a step are merged to one task (merge_instances.c); 0: none. */
mesh_set run_merged_over(const run_plan *, const run_step *);

#endif
