/* trace/inner.h - what the files of trace share among themselves: the thread's state, slots, frames, functions. */
#ifndef TUTTI_TRACE_INSIDE_H
#define TUTTI_TRACE_INSIDE_H

#include "trace.h"

/* ---- slots ---- */

typedef enum { TRACE_CLOSED, TRACE_DROPPED } trace_death;
typedef struct {
    uint32_t born, next;                                 /* generation; next free slot */
    trace_value *value;
    uint64_t scope;                                      /* serial of the scope that owns it; 0: none (kept, or free) */
    base_site born_at;
    int keeps;
    trace_death death;
} trace_slot;
trace_slot *trace_slot_at(uint32_t i);
void trace_slot_free(tt_val, trace_death);

/* ---- scopes: a stack per thread ---- */

struct tt_scope_s {
    struct tt_scope_s *outer;
    uint64_t serial;                                     /* of the process; handles know their scope by it */
    bool loop;
    int64_t n, cap;
    tt_val *at;                                          /* handles born or assigned here; some have moved away since */
    struct trace_owned { void *p; void (*freed)(void *); } *owned;
    int64_t nowned, owned_cap;
};

/* ---- frames: functions being traced ---- */

enum { TRACE_AXES = 8 };
struct trace_frame {
    trace_frame *outer;
    uint64_t serial;
    base_arena *arena;                                   /* the outermost frame's */
    ir_build *build;
    trace_scope *scope;                                  /* what is born while it is traced */
    int ncaptured, cap;
    /* placeholders: equations [first, first + n) */
    struct trace_capture { trace_value *value; ir_id id; uint32_t first, n; } *captured;
    int naxis;
    trace_axis axis[TRACE_AXES];
    const mesh *mesh;
    base_name rules;                                     /* logical axes to mesh axes, of the jit under way */
    bool unchecked;
    /* [id], when axes are explicit; equations that are done */
    const mesh_layout **layouts; uint32_t nlayouts, layouts_done;
    int settle;                                          /* a transform writes: no questions */
};

void trace_log(base_site, int n, trace_value *const *y);         /* TUTTI=trace */

/* ---- the chain of transforms under way, for errors ---- */

typedef struct trace_link { struct trace_link *outer; base_site site; } trace_link;

typedef struct trace_waiting { struct trace_waiting *next; uint64_t since; void (*freed)(void *); } trace_waiting;
typedef struct trace_thread {
    trace_scope *scope;
    trace_frame *frame;
    trace_link *link;
    uint32_t free_first, free_last;
    int64_t nfree;
    trace_value *pool;
    int npool;
    base_arena *temp;
    base_site site;                                      /* of the entry under way, or of one that it called */
    int depth;                                           /* public entries under way */
    int calls;                                           /* calls of functions under way, one within the other */
    uintptr_t *pins;                                     /* references that C code under way holds (pin.c) */
    int npins, pins_cap, pins_next;
    bool chained;
    int lowering;                                        /* traces under way that will not run: shapes will do */
    bool registered;
    int inside; _Atomic uint64_t inside_since;           /* reading lists without a lock (retire.c) */
    struct trace_thread *next_thread;
    const char *precision;                               /* of products that do not say; NULL: the switch's */
    const char *random;                                  /* chosen layout of random bits; NULL: the switch's */
    base_name named;                                     /* TT_NAMED_SCOPE's name, "a/b"; NULL: none */
    const mesh *mesh; base_name rules;                   /* TT_WITH's; NULL: none */
    const void *outermost;                               /* what is compiled, until it is called: nested.c */
    int64_t named_axes, ruled_axes;                      /* logical axes met under rules so far, and those with one */
} trace_thread;
trace_thread *trace_this(void);
bool trace_deeper(base_site);                            /* one call more; false with the error set: too many */
void trace_slots_leave(trace_thread *), trace_pool_leave(trace_thread *);
/* A thread that reads lists without a lock is inside; depth: what t->inside was. What is retired is freed when all that
 * were inside have come out; it begins with its trace_waiting. */
void trace_thread_in(trace_thread *), trace_thread_out(trace_thread *);
void trace_inside(trace_thread *), trace_outside_to(trace_thread *, int depth);
void trace_retire(trace_waiting *, void (*freed)(void *));
uint64_t trace_serial(void);                             /* a new number, of the process */
void trace_scope_heavy(const trace_scope *);             /* says once that too much has gathered in it */
void trace_out_of_memory(base_site);
bool trace_scope_room(trace_thread *);                   /* false: no memory */
void trace_scope_add(trace_thread *, tt_val);
trace_value *trace_traced_in(base_site, uint64_t frame, ir_id, const ir_type *, bool weak);

/* ---- references in the hands of C code under way (pin.c): trace_ref notes, trace_unref strikes out ---- */

bool pin_reserve(int n);                                 /* false: no memory for n more notes */
void pin_value(trace_value *);                           /* noted; there is room */
void pin_remove(const trace_value *);                    /* struck out: a structure has it now */
void pin_release_to(int mark);                           /* everything noted since there were `mark` notes */
void pin_thread_leave(trace_thread *);
void pin_release(trace_value *);                        /* a structure's reference */
trace_value *trace_blank(trace_thread *, base_site, trace_form);         /* one that is not noted; NULL: no memory */

/* ---- functions: interned by content, kept for ever ---- */

typedef enum {
    FN_C, FN_ENV, FN_JIT, FN_GRAD, FN_JVP, FN_VJP, FN_HESSIAN, FN_CUSTOM_VJP, FN_CUSTOM_JVP, FN_CUSTOM_TANGENT,
    FN_REMAT, FN_VMAP, FN_PMAP, FN_SHARD_MAP, FN_IR, FN_KINDS
} fn_kind;
typedef struct {                                         /* what makes a function the one it is; no padding is read */
    fn_kind kind;
    int arity;                                           /* C; ENV: as told, -1: any number */
    void (*c)(void);
    tt_env_f *env_f;
    void *env;                                           /* its own copy when env_bytes > 0 */
    int64_t env_bytes;
    base_site site;
    trace_fn *f, *g, *h;                                 /* what a transform was given */
    const mesh *mesh;
    const ir_fn *ir;                                     /* of a program that was read; lives for ever */
    base_name in, out, axis, rules, donate, wrt, axes;
    int64_t length;                                      /* of the mapped dim; of jit: strict */
    int flag;                                            /* aux; unchecked; reproducible */
    int value;                                           /* of grad: value_and_grad */
} fn_key;
struct trace_fn {
    const fn_key *key;                                   /* interned */
    uint32_t slot;
    base_name _Atomic name;                              /* for people and TUTTI=ir:name; not part of what it is */
    struct jit_entry *_Atomic cache;                     /* of jit and pmap: what was traced so far */
};

base_name fn_name(const trace_fn *);                     /* a transform: of what it transforms */
void fn_named_by(trace_fn *, base_site);    /* a C function without a name gets the one that this call writes */

/* What a call of a compiled function keeps (jit_cache.c, jit.c). */
typedef struct jit_entry {
    trace_waiting wait;
    struct jit_entry *_Atomic next, *other;              /* of this function; of all */
    trace_fn *fn;
    _Atomic uint64_t used; uint64_t seen;                /* when a call found it last; the same, while sorting */
    size_t nkey, bytes;
    const void **key;
    run_program *program;                                /* held */
    int nleaf, ncaptured, nout;
    trace_value **captured;                              /* a reference each */
    base_arena *arena;                                   /* of what was traced, or NULL: it is an earlier entry's */
    const ir_fn *traced;
    const trace_tree *out;
    const ir_type **type;                                /* of results, where there is no program: branches.c */
    bool *weak, *consumed, donates;
} jit_entry;
void jit_entry_free(void *);                             /* NULL: nothing */
/* By a thread that is inside: the entry stays until it comes out. NULL: none. */
jit_entry *jit_find(trace_fn *, const void *const *key, size_t n);
void jit_add(trace_fn *, jit_entry *);                   /* takes it; others may go */
/* By what an entry of such arguments is found; how many words at most. */
size_t jit_key(int n, trace_value *const *args, const void **key);
static inline size_t jit_key_most(int n, int nleaf) { return 1 + (size_t)n + 2 * (size_t)nleaf; }
void *jit_copied(const void *, size_t bytes, bool *ok);  /* to the heap; NULL and not ok: no memory, or was not ok */

/* What a function is traced for: the arguments' structures, and their leaves one after the other. */
typedef struct {
    int n, nleaf; const trace_tree **tree; const ir_type **type; bool *weak; base_site *site;
    const mesh_layout **layout;                          /* as far as known; NULL: nothing is */
} fn_sig;
fn_sig fn_sig_of(base_arena *, int n, trace_value *const *args);
/* Traces f for a signature as a closed function of the current program. axis: bound inside, or NULL. */
bool fn_close(base_site, trace_fn *, const fn_sig *, const trace_axis *axis, trace_closed *out);
/* f called on open leaves of the current frame. */
trace_value *fn_body(base_site, trace_fn *, trace_frame *, const fn_sig *, const ir_id *ids);
/* Leaves of values, then of what c caught, in the current frame. */
bool fn_operands(base_site, int n, trace_value *const *args, const trace_closed *c, ir_id *in);
bool fn_captured(base_site, const trace_closed *c, ir_id *in);
/* A tree of open values: ids[i] with weak[i] (NULL: none). New reference. */
trace_value *fn_opened(base_site, const trace_tree *, const ir_id *ids, const bool *weak);
trace_value *fn_tuple(base_site, int n, trace_value *const *items);      /* new reference; items stay the caller's */
trace_value *fn_item(base_site, trace_value *, int i);   /* new reference */
int fn_leaves(int n, trace_value *const *args);
typedef struct { int n; trace_value **v; } fn_pool;      /* what several regions read from outside, each once */
void fn_unite(fn_pool *, const trace_closed *);
int  fn_found(const fn_pool *, const trace_value *);
const mesh_layout *fn_without(const mesh_layout *, int dim);     /* one dim less; NULL: NULL */
bool fn_same_dims(const ir_type *, const ir_type *);
/* A result cast to the type that regions agree on: only weak ones differ, or ones that vary over less. */
ir_id fn_fitted(ir_build *, ir_id, const ir_type *);
/* Reads "0, 2" into numbers below n; returns how many, -1 with the error set. */
int fn_result_items(const char *text, const trace_tree *);
int fn_numbers(base_site, const char *what, const char *text, int n, int *out, int capacity);
/* How many items stand between ';'. */
int fn_items(const char *text);
/* The spec for argument i of n: one item serves all. NULL with the error set. */
base_name fn_spec_for(base_site, const char *what, const char *text, int i, int n);

/* What a branch of a case gives (branches.c). */
typedef struct { const trace_tree *out; const ir_type *const *type; const bool *weak; } case_result;
case_result case_closed(const trace_closed *);           /* in the root's arena */
/* The types that all branches can give, and which are weak; false with the error set: they differ. */
bool case_agree(base_site, int n, const case_result *, const ir_type **type, bool *weak);
/* Calls that branch; the others are traced, and must give the same types. New reference. */
trace_value *case_known(base_site, int taken, int n, trace_fn *const *branch, int narg, trace_value *const *args);

trace_value *call_grad(base_site, trace_fn *, int, trace_value *const *),
    *call_jvp(base_site, trace_fn *, int, trace_value *const *),
    *call_vjp(base_site, trace_fn *, int, trace_value *const *),
        *call_hessian(base_site, trace_fn *, int, trace_value *const *),
    *call_custom_vjp(base_site, trace_fn *, int, trace_value *const *),
        *call_custom_jvp(base_site, trace_fn *, int, trace_value *const *),
        *call_custom_tangent(base_site, trace_fn *, int, trace_value *const *),
    *call_remat(base_site, trace_fn *, int, trace_value *const *),
    *call_nested(base_site, trace_fn *, int, trace_value *const *),
        *call_vmap(base_site, trace_fn *, int, trace_value *const *),
    *call_pmap(base_site, trace_fn *, int, trace_value *const *),
        *call_shard_map(base_site, trace_fn *, int, trace_value *const *),
    *call_ir(base_site, trace_fn *, int, trace_value *const *);
/* Places of mapped dims, of vmap and pmap (map.c): "0; _; 1", one item serves all, default 0. */
enum { MAP_NONE = -1, MAP_ERROR = -2 };
bool map_places(base_site, const char *what, const char *text, int n, int *place);
bool map_result_places(base_site, const char *what, const char *text, const trace_tree *, int *place);   /* per leaf */
int64_t map_size(base_site, const char *what, int n, trace_value *const *args, const int *place);
const ir_type *map_without(const ir_type *, int dim);
ir_id map_to_front(ir_build *, ir_id, int from);
/* A layout from logical axes ("batch, hidden") and rules ("batch:data, hidden:model"); unnamed dims stay whole. */
bool axes_layout(base_site, const mesh *, const char *rules, const char *names, int rank, const mesh_layout **);
/* Explicit axes (layouts.c). All do nothing where there are none. */
mesh_set lay_keep(const trace_frame *);                  /* atoms that count in a frame */
void lay_params(trace_frame *, const fn_sig *);
bool lay_now(trace_frame *);                             /* brings layouts up to date; false with the error set */
const mesh_layout *lay_of(trace_frame *, ir_id);         /* NULL: open, or no axis is explicit */
bool lay_closed(trace_frame *, base_site, ir_id); /* false with the error set: how it is laid out does not follow */
bool lay_captured(trace_frame *, base_site, ir_id, const trace_value *);
ir_id lay_as(ir_build *, ir_id, const mesh_layout *, mesh_set keep);     /* a constraint; other axes are left open */
bool lay_gradients(trace_frame *, base_site, const trace_value *like, ir_id *);  /* of its smooth leaves */
bool lay_piece(ir_build *, const mesh_layout *const *in, int nout, ir_id *out);
bool lay_among(int n, trace_value *const *x);            /* does one are on explicit axes? */
/* A call as it is compiled (jit.c): traced, with the layouts that arguments have and results get. */
typedef struct { trace_closed c; driver_opts opts; } jit_traced;
const mesh *jit_mesh(const trace_fn *, int n, trace_value *const *args);
bool  jit_trace(base_site, trace_fn *, int n, trace_value *const *args, jit_traced *);
bool  jit_trace_serves(const ir_fn *traced, const mesh *);       /* arguments on that mesh, in whatever layouts */
bool  jit_lay(base_site, trace_fn *, int n, trace_value *const *args, const trace_closed *, jit_traced *);    /* then */
int64_t jit_traces(void);
const mesh_layout *jit_layout(const trace_value *);      /* of what has one by itself; NULL */
bool *jit_donated(base_site, const fn_key *, base_arena *, int n, trace_value *const *args, int ncaught);
/* At top level: traces the whole call, compiles, runs. cached: by the types of its arguments. */
trace_value *jit_run(base_site, trace_fn *, int, trace_value *const *, bool cached);

#endif
