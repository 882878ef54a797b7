/* run/run.h - executes plans: arrays, programs, launches, and what they cost. Knows meshes, layouts and boxes; knows no
 * equation. */
#ifndef TUTTI_RUN_H
#define TUTTI_RUN_H

#include "plan.h"

/* ---- arrays: concrete values. Immutable, reference-counted, usable from any thread ---- */

typedef struct run_array run_array;
/* layout NULL: replicated. host: row-major dense elements of the global value; NULL: zeros. NULL with the error set. */
run_array *run_array_of(const ir_type *, const mesh_layout *, const void *host);
/* host: the box of type `part` whose first element is at `first` of the global value; all blocks of this rank lie in
 * it. */
run_array *run_array_of_part(const ir_type *, const mesh_layout *, const ir_type *part, const int64_t *first,
                             const void *host);
/* Creates an array block by block: fill writes the dense box [lo, lo + n) of the global value, once per non-empty
 * instance. If fill returns false, it has set the error, and no array is created. */
typedef bool run_filler(void *env, const int64_t *lo, const int64_t *n, void *to);
run_array *run_array_fill(const ir_type *, const mesh_layout *, run_filler *fill, void *env);
/* An array over dense memory of the caller, aligned to a cache line. The memory is never written to and never freed
 * here: when the last reference is gone, freed(env) is called, if run_array_freed has set it. */
run_array *run_array_over(const ir_type *, void *at);
void       run_array_freed(run_array *, void (*freed)(void *env), void *env);
run_array *run_keep(run_array *);
void       run_drop(run_array *);                        /* NULL is allowed */
void       run_drop_all(int n, run_array *const *);      /* all at once; entries may be NULL */
const ir_type     *run_type(const run_array *);          /* global type */
const mesh_layout *run_layout(const run_array *);        /* NULL: replicated, no mesh */
int64_t run_instances(const run_array *);
ir_box  run_box(const run_array *, int64_t instance);    /* the box that the instance holds */
bool    run_is_complete(const run_array *);              /* True if this rank holds all of it */
/* copies a box of the global value to dense memory; NULL lo: all of it */
bool    run_read(run_array *, const int64_t *lo, const int64_t *n, void *host);
/* the same value in another layout, possibly on another mesh */
run_array *run_move(run_array *, base_site, const mesh_layout *);

bool    run_wait(run_array *);                           /* until computed; false with the error set: it was not */

/* ---- engines outside this process's memory (engine.h) ---- */

typedef struct run_engine run_engine;
/* Opens the library of PJRT at a path, or by a name; the number of its engine. 0 with the error set. */
int run_engine_open(base_arena *, base_site, const char *library);
run_engine *run_engine_at(int number);                   /* NULL: not opened, or the embedded one */
bool run_is_on(const run_array *, const run_engine *);   /* NULL, the embedded engine: false */
int run_engine_devices(const run_engine *);              /* number of devices */
const char *run_engine_device(const run_engine *, int device);   /* its kind: "NVIDIA H100" */
const char *run_engine_platform(const run_engine *);
/* From here on arrays are made and programs run there. 0: on the embedded engine; -1: nowhere, each is an error. */
void run_engine_use(int number);
int  run_engine_number(void);                            /* of the engine in force; 0, -1: as for run_engine_use */
bool run_engine_settle(void);     /* until all launches have ended; false with the error set: one failed unmet */
run_engine *run_engine_now(void);                        /* NULL: the embedded one */
/* False with the error set: the engine's library does not compute with such elements. */
bool run_there_has(run_engine *, base_site, tt_dtype);
bool run_engine_ok(void);                                /* False with the error set: run_engine_use(-1) */
extern _Thread_local base_site run_site;                 /* the call that launches or transfers, for messages */
const char *run_engine_libraries(base_arena *);          /* those that are found: lines "name<tab>path" */
const char *run_engine_report(base_arena *);             /* for doctor */
/* Transfers so far: to devices, to the host, between devices. */
typedef struct { int64_t times[3], bytes[3]; } run_transfers;
run_transfers run_transfers_now(void);
void run_there_programs(int64_t *from_disk, int64_t *compiled); /* programs of engines so far */
void run_there_constants(int64_t *number, int64_t *bytes);       /* constants that were sent to engines so far */

/* ---- parts of an array, and which rank has them (parts.c) ---- */

/* The box [lo, lo + n). rank: the rank that has it, or is to have it. here: this rank has it. */
typedef struct { int64_t lo[IR_RANK], n[IR_RANK]; int rank; bool here; } run_part;
/* Writes the distinct parts of a layout, at most `capacity`; the rank of a part is its holder number `turn` modulo the
 * number of holders. Without a mesh: one part, of rank 0, here. Returns the number of parts; -1 with the error set. */
int64_t run_parts(const ir_type *, const mesh_layout *, int64_t turn, int64_t capacity, run_part *);
/* Brings n boxes of an array to one rank each, dense; all ranks together, with the same boxes. to[i] is read on the
 * rank of box i, where NULL is an error of all ranks. */
bool run_collect(run_array *, base_site, int64_t n, const run_part *, void *const *to);

/* ---- programs: a plan bound to this process's devices: boxes, arenas, tasks ---- */

typedef struct run_program run_program;
/* takes over the arena that holds the plan; NULL with the error set: the caller still owns the arena */
run_program *run_bind(base_arena *owned, const run_plan *);
void run_unbind(run_program *);
/* The program, a bound plan without steps, runs on the engine's devices from now on: as this text of StableHLO,
 * compiled for the devices of the plan's mesh. constant, [nhidden]: dense elements of the hidden arguments, which live
 * for ever. False with the error set. */
bool run_compile_there(run_program *, run_engine *, const char *text, const void *const *constant);
const run_plan *run_plan_of(const run_program *);
/* Text for tutti plan, by the engine's library: what a program needs, which is this one or, if it is NULL, compiled
 * from `text` for the mesh; and what devices have. It says what the library does not tell. */
const char *run_needs_text(base_arena *, run_engine *, const run_program *, const struct mesh *, const char *text);
size_t run_program_bytes(const run_program *);           /* memory of the program itself, without its arena */
/* The entry of the cache that holds the program; NULL: none. */
void *run_cache_entry(const run_program *);
void run_set_cache_entry(run_program *, void *entry);
/* Runs the program and waits for the end; one launch at a time per process (a lock). out[i] is a new reference.
 * consumed[j]: the caller gives up the reference to argument j, so that its buffer may be reused if there is no other
 * holder (NULL: none). Arguments in a layout other than the plan's are moved first. False with the error set: nothing
 * was consumed, and no result was created. */
bool run_launch(run_program *, run_array *const *in, const bool *consumed, run_array **out);
/* Ends the launches of this thread that began after run_under_way gave `until`, and that never return, since a function
 * of the program has jumped out of them or ended the thread. A base_guard around launches calls this. */
void run_launches_left(const void *until);
const void *run_under_way(void);

/* How ranks divide the devices: rank k has the devices [k * devices, (k + 1) * devices). me < 0: this process computes
 * for all ranks, in the order in which ranks would (TUTTI=ranks:N). */
typedef struct { int me, ranks; int64_t devices; } run_job_shape;
/* Before the first mesh is used. devices 0: as many as the ranks need for the first mesh that is
 * used; -1, for tests: for each mesh. */
void run_job_set(run_job_shape);
run_job_shape run_job_now(void);                         /* ranks 1: one process, as at the start */
/* Devices of a rank of a job; 1 from then on if no mesh was used before and no number is given. */
int64_t run_job_devices(void);
bool run_job_real(void);                                 /* True if other processes hold devices */
/* True if two ranks hold the same instances of any value or none in common: each rank is a box of the mesh. */
bool run_ranks_are_boxes(const mesh *);

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

/* TUTTI=dry: arrays have no memory and programs compute nothing; reads give zeros. For tutti explain and tutti plan,
 * where the mesh need not exist. A program stays as it was bound. */
int64_t run_array_bytes(const run_array *);              /* bytes of the array's block */
bool run_dry(void);
void run_trim(void);                                     /* returns free buffers and the arena to the system */
/* TUTTI=time: logs the time of steps through base_log, and writes the files of TUTTI=time:FILE and TUTTI=roofline:FILE;
 * then resets the accounts. Sets an error if a file cannot be written. */
void run_profile_log(void);
bool run_profiling(void);                                /* TUTTI=time or TUTTI=roofline */
void run_profile_compiled(double seconds);               /* records that a program was compiled */

#endif
