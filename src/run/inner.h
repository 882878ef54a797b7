/* run/inner.h - declarations shared by the files of src/run; no other room includes this header. */
#ifndef TUTTI_RUN_INNER_H
#define TUTTI_RUN_INNER_H

#include <stdatomic.h>

#include "../wire/wire.h"
#include "ranks.h"
#include "run.h"

/* How a value is stored: one buffer per instance, `bytes` apart, with the strides of the largest instance. global: one
 * dense buffer of the global value, of which instances are parts (constants, host memory). */
typedef struct {
    const mesh_layout *layout; int64_t bytes;   /* bytes: of an instance. The fields that launches read come first */
    const struct mesh *mesh; mesh_set vary, merged; bool global;
    tt_dtype dtype; int rank; const int64_t *dim; const run_halo *halo;
    int64_t size, step[IR_RANK];                         /* size: of an element; step: strides in elements */
    const run_ranks *ranks;                              /* which instances are here; NULL: all, by their numbers */
} run_storage;
bool    run_storage_of(run_storage *, const struct mesh *, tt_dtype, int rank, const int64_t *dim, const mesh_layout *,
                       const run_halo *, mesh_set vary);
bool    run_storage_value(run_storage *, const run_plan *, const run_value *);
int64_t run_storage_instances(const run_storage *);     /* number of instances here */
bool run_is_spread(const run_storage *);                 /* True if ranks hold different instances */
/* The number of the i-th instance here, and its coordinates; other atoms: 0. */
int64_t run_instance(const run_ranks *, int64_t i);
void    run_instance_coord(const struct mesh *, mesh_set vary, const run_ranks *, int64_t i, uint32_t *coord);
int64_t run_storage_number(const run_storage *, const uint32_t *coord); /* of the instance at coord, in the mesh */
/* returns the offset of the instance's box; .at is not set */
int64_t run_storage_box(const run_storage *, const uint32_t *coord, ir_box *);

/* What one destination box pulls from one part of the source: a rectangle, with dims merged and dims of size 1 left
 * out; to, from: strides in elements; at, src: offsets in bytes. No source: zeros; several: combined in this order. */
typedef struct {
    int rank; int64_t n[IR_RANK], to[IR_RANK], from[IR_RANK];
    int64_t at, count; uint32_t nsrc; const int64_t *src;
    /* several ranks: [nsrc]: numbers of the sources; offset in each of them */
    const int64_t *instance; int64_t inside;
} run_pull;
typedef bool run_pulled(void *env, const run_pull *);    /* false ends the enumeration */
bool run_pulls(const run_storage *from, const run_route *, const uint32_t *coord, const ir_box *to,
               run_pulled *, void *env);
/* How an exchange handles elements. to: their type in the destination. of: their type in the sources; where the two
 * types differ, several sources are combined, in the type of the sources. stream: the destination is larger than the
 * caches, and is written past them. */
typedef struct { tt_dtype of, to; mesh_reduce reduce; bool stream; } run_how;
/* Elements [first, first + count) of a pull, in row-major order of its rectangle. */
void run_pull_do(const run_pull *, int64_t first, int64_t count, const run_how *, char *to, const char *from);
/* to[i] = from[src[0] + i] op from[src[1] + i] op ..., op by mesh_reduce: n elements, strides in elements, src in
 * bytes; f16 and bf16 are combined in f32. */
void run_combine(const run_how *, int64_t n, char *to, int64_t step, const char *from, int64_t from_step,
                 uint32_t nsrc, const int64_t *src);
void run_stream(char *to, const char *from, size_t bytes);       /* copies past the caches */
void run_stream_end(void);                               /* before other threads read what was streamed */
bool run_combines(tt_dtype, mesh_reduce);                /* True if the reduction kind is defined for the type */

/* What an exchange sends to other ranks and receives from them (far.c). Offsets are in the program's area of messages,
 * where memory for a head is before the bytes. in_place: this rank and the other read the sources where they are. come:
 * the part that this rank reads in the other rank's memory: the other's source, or the rectangles that the other has
 * packed; NULL: none. */
typedef struct {
    int rank; bool in_place, sends, receives; int64_t send_at, send_bytes, recv_at, recv_bytes;
    const wire_part *come; const char *base;             /* base: where come was at the last launch */
} run_peer;
typedef struct run_far_found run_far_found;
typedef struct run_far {
    int npeer, nfrom; run_peer *peer; wire_part *part; wire_sender *from_rank; wire_first *first;
    uint32_t ordinal;                                    /* of the exchange in the program */
    uint32_t npack; run_pull *pack;                      /* from the source to the area */
    bool in_place;                                       /* parts of the post are read in place */
    /* from the source to a copy of it in shared memory, if the source is not there; part: an instance */
    uint32_t ncopy; run_pull *copy; char *copied; int64_t copied_bytes, part_bytes, from_at;
    tt_dtype dtype;
    int64_t area_lo, area_hi;
    /* sources of the pulls: offset in what `of` says: a peer's number, RUN_OWN: the source's slot, RUN_AREA: the area;
     * and relative to `from` */
    int64_t nsrc, *fixed, *src; int32_t *of;
    const char *from, *area;
    uint32_t post;
    /* block: offsets of the common copy, or of a step's results (shares.c), in the owner's memory */
    struct { wire_head head; int64_t block[RUN_SHARES]; } mine;
    /* common: bytes of the copy, 0: none; next: the one that is being filled; held: the one that may be read */
    int64_t common; char *next, *held; int32_t result;              /* number of the result that the copy is, or -1 */
    /* the group that has the copy: how many ranks, this rank's place among them, the first of them, whose message is
     * number owner_first; nblock: number of offsets behind a head */
    int members, place, owner, owner_first, nblock;
    struct run_shares *shares;                           /* of a step, not of an exchange; else NULL */
    struct run_far *next_common;
    run_far_found *found;
} run_far;
extern int64_t run_in_place_least;                       /* tests lower it */
/* *area: bytes of the area so far. *far NULL: no message. Unwinds; false with the error set. */
bool run_far_bind(base_arena *, const run_storage *from, int64_t from_at, const run_storage *to, const run_route *,
                  bool common, int64_t *area, run_far **far);
/* True if the other rank holds the instances that this rank holds, and there are some. */
bool run_far_alike(const run_storage *, int me, int rank);
enum { RUN_OWN = -1, RUN_AREA = -2 };
bool run_far_sources(const run_far *, run_pull *, int64_t *src, int32_t *of, int64_t from_at);
int64_t run_far_address(const run_far *, int32_t of, int64_t at, const char *from, const char *area);
/* from: the source's slot */
bool run_far_post(run_far *, char *area, const char *from, base_site, base_name, uint64_t program, uint32_t turn);
bool run_far_wait(run_far *, base_site, base_name);
void run_far_aim(run_far *, const char *from, const char *area);
/* In place, behind the pull: says that this rank has read; returns when the others have read its source. */
void run_far_read(run_far *);
/* The elements [share[0], share[1]) of an instance of so many that this rank computes of a common copy. */
void run_far_share(const run_far *, int64_t count, int64_t share[2]);
/* Of a common copy, which this rank then holds no longer. */
char *run_far_give(run_far *);
bool run_far_end(run_far *, base_site, base_name);

/* Blocks that a group of ranks of a host reads (common.c). Its first rank takes one, which so many ranks hold until
 * each has released it. take: NULL with the error set. From any thread. */
extern int64_t run_common_bytes;                         /* tests lower it: run_common_least */
char *run_common_take(int64_t bytes, int ranks);
void  run_common_hold(void *);                           /* once more by this rank, which holds it */
void  run_common_release(void *);                        /* NULL is allowed */
int   run_common_ranks(const void *);                    /* the number of ranks for which it was taken */
void  run_common_trim(void);
int64_t run_common_blocks(void);                         /* for tests: their number; how often one was taken */
int64_t run_common_taken(void);

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

typedef struct run_there run_there;                      /* there.h */
typedef struct run_elsewhere run_elsewhere;
struct run_array {
    _Atomic int64_t count;                               /* number of references */
    const ir_type *type;
    int64_t n; char *at;                                 /* number of instances; buffer of the first */
    struct run_array *next;                              /* in the free list */
    bool wrapped; uint32_t seen;   /* number of times the array is an argument of the current launch */
    void (*freed)(void *env); void *env;                 /* wrapped memory, not owned: called when it is released */
    run_there *there;                                    /* buffers on an engine's devices; NULL: `at` */
    run_storage storage;
};
/* An array with uninitialised buffers; bare: without memory. Called with run_free_lists held. */
run_array *run_array_locked(const ir_type *, const run_storage *, bool bare);
run_array *run_array_new(const ir_type *, const mesh_layout *, bool bare);       /* takes that lock */
bool run_is_bare(const run_array *);                     /* True if it has elements, but no memory: TUTTI=dry */
bool run_array_fits(base_site, const ir_type *, const mesh_layout *);   /* True, or sets the error */
/* Fills all instances from a value of which this rank holds all that they need. */
bool run_fill_all(const run_storage *from, const char *at, run_array *to);
void run_array_common(run_array *, char *at);            /* the array is a common copy, and holds it */
void run_array_trim(void);
base_site run_made_at(const run_array *);                /* of an array on an engine */
bool run_same_type(const run_array *, const ir_type *);  /* launch.c */
/* In this process's memory, whatever engine is in force. */
run_array *run_move_here(run_array *, base_site, const mesh_layout *);
/* Copies a part of a dense block to `to`, whose lo is within the block. */
bool run_copy_box(const ir_box *block, const char *at, const ir_box *to);
bool run_launch_there(run_program *, run_array *const *in, const bool *consumed, run_array **out);
void run_unbind_there(run_elsewhere *);

/* The pool: one share per worker; the caller is worker 0 and also takes shares that no worker has begun. */
typedef void run_share(void *env, int share, int worker);
bool  run_pool_ready(int64_t scratch);   /* starts the pool if necessary; gives each worker this much scratch */
void  run_pool_wake(void);                               /* wakes sleeping workers ahead of work */
void  run_pool_do(run_share *, void *env);
void *run_scratch(int worker);
void  run_pool_join(void), run_launch_forked(void);

/* A step bound to instances. An exchange between ranks is several of them: pack, post, wait, pull; in place: read,
 * end. */
typedef enum { RUN_PULL, RUN_PACK, RUN_POST, RUN_WAIT, RUN_READ, RUN_END } run_stage;
/* spaces of the bytes that tiles share, and of messages */
enum { RUN_SHARED = RUN_COMMON + 1, RUN_MESSAGES };
/* A memory access of a step. own: each instance of the step touches only its own instance of the value; separate: each
 * instance has a contiguous range of its own, so that instances do not overlap whatever their offsets. */
typedef struct { mesh_set vary; int space; int64_t lo, hi, bytes; bool write, own, separate; } run_access;
typedef struct run_bound {
    const run_kernel *kernel;                            /* NULL: an exchange, or a step outside phases */
    int64_t n; const run_ranks *ranks;                   /* instances here */
    ir_box *box;                                         /* [n * narg]; NULL: computed by the worker, task by task */
    const int64_t *tile;   /* [n + 1]: index of each instance's first tile; [n]: number of tiles */
    char *prepared; int64_t prepared_bytes;              /* instance i's at prepared + i * prepared_bytes; NULL: none */
    int64_t shared; bool finish;   /* bytes that tiles share; finish: the step runs the kernel's second half */
    bool complete_instances, segment; /* shares are complete instances, not tiles; segment: see run_segment */
    uint32_t narg;
    int64_t shared_at;                                   /* offset in the arena's slot */
    const run_step *step;
    run_stage stage; run_far *far;                       /* far NULL: the exchange stays in the rank */
    const run_pull *pull; const int64_t *pull_at;   /* EXCHANGE: instance i has pulls [pull_at[i], pull_at[i + 1]) */
    int64_t chunk; bool stream;                          /* elements of a tile; run_how.stream */
    /* of a common copy: this rank's elements of instance i are [share[2 * i], share[2 * i + 1]); of a step of which
     * ranks compute shares: its tiles; NULL: all */
    const int64_t *share;
    uint32_t naccess; const run_access *access;
    uint32_t phase;   /* number of steps of the phase that this step begins; 0: inside a phase */
    /* ns: estimates for the step and for its phase; the best of the first runs */
    double cost, phase_cost, best; int runs;
    const struct run_bound_list *sub;                    /* [step->nnested]: the nested blocks */
    struct run_spent *account;                           /* TUTTI=time */
} run_bound;
typedef struct run_bound_list { uint32_t n; run_bound *at; } run_bound_list;
/* True if a step of the plan is bound as several stages, on ranks that have a part in it. */
static inline bool run_may_post(const run_step *s)
{
    return s->kind == RUN_EXCHANGE || (s->kind == RUN_COMPUTE && s->compute.common);
}
/* True if the step waits for other ranks: for what they send, or until they have read. */
static inline bool run_waits(const run_bound *b) { return b->far && (b->stage == RUN_WAIT || b->stage == RUN_END); }
/* What profiles call a step: its kernel, its operation, or the wait. */
base_name run_profile_name(const run_bound *);
#define RUN_EACH_SUB(b, l) \
    for (const run_bound_list *l = (b)->sub; l && l < (b)->sub + (b)->step->nnested; l++)
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
    run_elsewhere *there;                                /* NULL: the embedded engine runs the plan */
    void *cache_entry;                                   /* entry of the cache that holds the program; NULL: none */
    run_storage *storage;                                /* [nvalue] */
    uint32_t *slot_of; int64_t *at;                      /* [nvalue]: slot, and offset of instance 0 in it */
    run_slot *slot;
    run_bound_list body;
    int64_t bytes, scratch;                              /* bytes of the program's arena, of a worker's scratch */
    int workers;                                         /* number of workers for which phases are divided */
    /* has_moved, has_taken: moved[], taken[] have entries */
    bool running, parallel, profiled, timeline, dry, has_moved, has_taken;
    run_port *in_port, *out_port;                        /* [narg], [nresult] */
    run_array **in, **moved, **out, **constant;          /* of the launch; constant[i]: result i is a constant */
    bool *taken;   /* [nresult]: the result has taken a donated argument's buffer */
    /* exchanges that fill common copies; out_common: [nresult]: the result is one */
    run_far *common; bool *out_common;
    run_segment segment;
    /* messages between ranks; lost: a wait has failed, and messages may still come, so the area is never freed */
    char *area; int64_t area_bytes; bool lost;
    /* spread: values differ between ranks. word: hash of the plan's text. turn: of the launch. agreed: all ranks
     * have launched this plan before */
    bool spread, agreed; uint64_t word; uint32_t turn, exchanges;
    struct run_watch *watch;                             /* NULL: results are not looked at */
};
/* True if one step writes what the other one accesses, and not only within instances that both divide alike */
bool run_conflict(const run_bound *, const run_bound *);
void run_overlap(const run_program *, run_bound_list *, base_arena *);           /* overlap.c: at bind */
/* divides lists into phases; each: every step is a phase */
void run_divide_phases(run_program *, int workers, bool each);
void run_segment_find(run_program *);   /* segment.c: at bind. run_segment_run: when phases are divided */
bool run_segment_has(const run_program *, const run_bound *);
void run_segment_run(run_program *, int shares);
bool run_body(run_program *);                            /* exec.c: runs the program's list */
bool run_bind_steps(run_program *);                      /* steps.c; unwinds */
bool run_step_bad(const run_step *, const char *what);   /* false with the error set: a mistake in the plan */
run_access run_access_of(const run_program *, uint32_t value, mesh_set vary, bool write);
/* bind_exchange.c. run_bind_messages: replaces the pull of an exchange between ranks by all of the exchange's stages:
 * pack, post, wait, pull, and in place also read and end. Returns the end of the stages. */
bool run_bind_exchange(run_program *, run_bound *);
/* shares.c: steps of which each rank of a group computes a share. bind: divides the tiles, of which tile[] has the
 * number of each instance; ready: before a launch, given: the donated argument whose buffer a result may take, or NULL;
 * offer, settle: when the step's post and its wait are executed. */
bool run_shares_bind(run_program *, run_bound *, int64_t *tile);
void run_shares_ready(run_program *, run_array *given(run_program *, uint32_t result, const bool *consumed),
                      const bool *consumed);
bool run_shares_offer(run_far *);
bool run_shares_settle(run_program *, run_far *);
bool run_has_shares(const run_program *, uint32_t result);       /* True if the result is one of such a step */
run_bound *run_bind_messages(const run_program *, run_bound *);
/* merge_instances.c: boxes [narg] of the merged instances (run_merged_over) at the given instance along the other
 * atoms; .at: offsets from instance 0 of the values */
bool run_merged_boxes(const run_plan *, const run_step *, mesh_set over, int64_t instance, ir_box *);
bool run_nested(void (*body)(void *), void *env);        /* launch.c: a host step */
bool run_profile_program(run_program *);                 /* creates an account for every step; false: out of memory */
void run_spend(struct run_spent *, double seconds);
void run_profile_forked(void);
enum { RUN_DEVICES = 1 << 18 };                          /* the most devices of a mesh on which something is computed */
bool run_mesh_fits(const mesh *);  /* True if the mesh is not too large to compute on; else sets the error */
/* The file that this rank writes for a word of TUTTI, or NULL. Of a job rank 0 writes it; with TUTTI=ranks:all each
 * rank has a file of its own, steps.rank2.svg for steps.svg. to: memory for the name. */
enum { RUN_PATH = 4096 + 32 };
const char *run_profile_file(const char *word, char to[RUN_PATH]);
/* A file of a profile while it is written: beside the file that it replaces when it is whole. */
typedef struct { FILE *to; const char *what, *file; char part[RUN_PATH + 32]; } run_profile_out;
/* False after the error that the file cannot be written, which is logged if there is an earlier error. */
bool run_profile_open(run_profile_out *, const char *what, const char *file);
bool run_profile_close(run_profile_out *);
/* A timeline of events in Chrome's trace format, which Perfetto reads (timeline.c). share: a worker's part of a step's
 * instance, which ends now; turn: the execution of the step. */
bool run_timeline_on(void);
void run_timeline_forked(void);
void run_timeline_share(const struct run_program *, const run_bound *, uint32_t turn, int worker, int64_t instance,
                        double start);
void run_timeline_wait(const struct run_program *, const run_bound *, uint32_t turn, double start);
void run_timeline_write(void);                           /* writes the file of TUTTI=time:FILE */
/* watch.c: TUTTI=nan, TUTTI=inf. open: reads the two switches, when a program is bound; a switch that changes later
 * concerns programs that are bound then. begin: the arguments are in place. before, after: of a step, which ran well.
 * loop: a loop begins an iteration, counted from 0; -1: the loop has ended. end: false, with the error set, if a result
 * holds what a step has made; all ranks call it. */
enum { RUN_NAN = 1, RUN_INF = 2 };
typedef struct run_watch run_watch;
bool run_watch_open(run_program *);
void run_watch_close(run_program *);
void run_watch_begin(run_program *);
bool run_watch_before(run_program *, const run_bound *), run_watch_after(run_program *, const run_bound *);
void run_watch_loop(run_watch *, base_site, int64_t iteration);
bool run_watch_end(run_program *);
/* "on device data=2, model=0": an instance's coordinates on the axes over which the step varies; false: none. */
enum { RUN_DEVICE = 256 };
bool run_device_text(const run_program *, const run_bound *, int64_t instance, char to[RUN_DEVICE]);
/* exec.c: the address of a value's instance 0; the boxes of a step's instance, which may be in own_boxes */
char *run_base_of(const run_program *, uint32_t value);
ir_box *run_boxes_of(const run_program *, const run_bound *, int64_t instance, ir_box *own_boxes);
typedef struct { base_name name; base_site site; double seconds, bytes, flops; } run_rate; /* totals of a step */
/* sorted by time, longest first; TUTTI=roofline:FILE */
void run_roofline_write(const run_rate *, size_t n, double peak, double copy);

#endif
