/* run/run.h - executes plans. Knows meshes, layouts and boxes; knows no equation.
 *
 * Lockstep: the process knows the whole SPMD program and runs it for all its devices step by step on one pool of
 * workers. A value is stored once per instance, i.e. per distinct copy: instances of a value that varies over the atoms
 * `vary` are numbered by mesh_instance(). No device waits for another, so N devices on any number of cores cannot deadlock.
 */
#ifndef TUTTI_RUN_H
#define TUTTI_RUN_H

#include "../ir/ir.h"

/* ---- kernels ---- */

/* One task: the tiles [first, first + count) of one instance. arg: boxes of operands, then of results. */
typedef struct { int worker; const ir_box *arg; int64_t first, count; void *scratch; } run_job;
typedef void run_code(const void *self, const run_job *);
typedef struct {
    run_code *code;
    const void *self;                                    /* lives as long as the plan */
    int64_t (*tiles)(const void *self, const ir_box *arg);       /* in how many parts a task may be split; NULL: 1. A part
                                                            should be worth some 10 microseconds or more */
    int64_t (*scratch)(const void *self, const ir_box *arg);     /* bytes of scratch that a worker needs; NULL: 0 */
    base_name name;                                      /* "tile: mul add tanh", "dot", "dnn: convolution" */
    base_site site;
} run_kernel;

/* ---- plans: closed data, written by plan/, no pointers into the compiler's functions ---- */

typedef enum { RUN_ARENA, RUN_ARG, RUN_RESULT, RUN_CONST } run_home;
/* A value: one buffer per instance, all of the size of the largest, row-major with the strides of the largest. Several
 * run_values may name the same bytes (same home, at, bytes, vary): a view with other dims, as when a shard of a global
 * array becomes the local array of a manual region. */
typedef struct {
    tt_dtype dtype; int rank; const int64_t *dim;        /* global dims; local ones inside a manual region */
    const mesh_layout *layout;                           /* how dims are cut: an instance holds mesh_range of each; NULL: whole */
    mesh_set vary;                                       /* atoms over which instances differ (layout's and others) */
    run_home home; int64_t at;                           /* argument or result number, offset in the blob, or arena offset */
    int64_t bytes;                                       /* of the largest instance, a multiple of 64 */
} run_value;                                             /* address = arena[vary] + instances(vary)*at + instance*bytes */

typedef struct run_list { uint32_t n; const struct run_step *step; } run_list;
typedef enum { RUN_COMPUTE, RUN_EXCHANGE, RUN_LOOP, RUN_CHOOSE, RUN_HOST } run_kind;
typedef struct run_step {
    run_kind kind;
    base_site site;
    base_name name;                                      /* "psum", "dot_general": for TUTTI=plan and profiles */
    mesh_set vary;                                       /* COMPUTE: one task per instance of this class */
    uint32_t kernel, narg; const uint32_t *arg;          /* COMPUTE: values: operands, then results; 0 based */

    /* EXCHANGE: every instance of `to`, at coordinates c, pulls its box of the value. A source instance's coordinates are:
     * atoms in from's layout: the owners of each part of the box; atoms in `over`: all of them, combined with `how` in
     * rising order; other atoms of from's vary: as in c (0 where `to` does not vary over them). dims are equal. */
    uint32_t from, to; mesh_set over; mesh_how how;
    mesh_list order; const uint32_t *source;             /* ppermute: place along `order` (row-major) -> place whence; ~0: zeros */

    uint32_t test; run_list cond, body;                  /* LOOP: while (cond; value `test`) body. CHOOSE: value `test` (s32, clamped) */
    const run_list *branch; uint32_t nbranch;            /* or pred: picks a branch. `test` varies over nothing */
    void (*host)(void *env, uint32_t narg, const ir_box *arg); void *env;        /* HOST: on the control thread, in order; instance 0 */
} run_step;
typedef struct {
    const struct mesh *mesh;                             /* NULL: one device */
    uint32_t nvalue, nkernel, narg, nresult;
    const run_value *value; const run_kernel *kernel; run_list body;
    const uint32_t *arg, *result;                        /* [narg], [nresult]: their values (home RUN_ARG, RUN_RESULT); a result may
                                                            be an argument's or a constant's value: then it is shared, not copied */
    const int32_t *alias;                                /* [nresult]: donated argument whose buffer it takes, or -1 */
    const uint8_t *blob; int64_t nblob;                  /* constants, dense row-major, whole */
    uint64_t hash;
} run_plan;

/* ---- arrays: concrete values. Immutable, counted, any thread ---- */

typedef struct run_array run_array;
/* layout NULL: replicated. host: row-major dense elements of the whole value; NULL: zeros. NULL with the error set. */
run_array *run_array_of(const ir_type *, const mesh_layout *, const void *host);
run_array *run_keep(run_array *);
void       run_drop(run_array *);                        /* NULL is allowed */
const ir_type     *run_type(const run_array *);          /* global type */
const mesh_layout *run_layout(const run_array *);        /* NULL: replicated, no mesh */
int64_t run_instances(const run_array *);
ir_box  run_box(const run_array *, int64_t instance);    /* what that instance holds */
bool    run_read(run_array *, const int64_t *lo, const int64_t *n, void *host);  /* a box of the global value, dense; NULL lo: all */
run_array *run_move(run_array *, base_site, const mesh_layout *);        /* the same value laid out otherwise (also on another mesh) */
/* Wraps dense memory without copying; freed(env) when the last holder is gone. */
run_array *run_wrap(const ir_type *, const void *data, void (*freed)(void *env), void *env);

/* ---- programs: a plan bound to this process's devices: boxes, arenas, tasks ---- */

typedef struct run_program run_program;
run_program *run_bind(base_arena *owned, const run_plan *);      /* takes the arena that holds the plan; NULL with the error set, then
                                                            the caller still owns it */
void run_unbind(run_program *);
const run_plan *run_plan_of(const run_program *);
/* Waits; one launch at a time per process (a lock). out[i] is a new reference. consumed[j]: the caller gives up argument
 * j's reference, so that its buffer may be reused if nobody else holds it (NULL: none). Arguments not laid out as the
 * plan wants are moved first. */
bool run_launch(run_program *, run_array *const *in, const bool *consumed, run_array **out);

int  run_workers(void);                                  /* size of the pool: min(cores, TUTTI=workers:N) */
void run_pool_stop(void);                                /* joins the workers; the next launch starts them again */
/* Text of a plan for TUTTI=plan: steps with kernels, exchanges with site, axes, bytes; arena bytes per device. */
const char *run_plan_text(base_arena *, const run_plan *);
typedef struct { int64_t kernels, distinct, exchanges, exchange_bytes, arena_bytes, steps; } run_counts;
run_counts run_plan_counts(const run_plan *);            /* arena_bytes: per device; exchange_bytes: received, all devices */

#endif
