/* trace/inner.h - declarations shared by the files of trace: the thread's state, slots, frames, functions. */
#ifndef TUTTI_TRACE_INNER_H
#define TUTTI_TRACE_INNER_H

#include <stdatomic.h>

#include "trace.h"

/* ---- slots ---- */

typedef enum { TRACE_CLOSED, TRACE_DROPPED } trace_death;
typedef struct {
    /* generation, read and written without an order: the scope in which a kept value was born may close, in its thread,
     * while another thread drops the value and takes the slot anew; no other scope has the serial that it looks for */
    _Atomic uint32_t born;
    uint32_t next;                                       /* next free slot */
    trace_value *value;
    _Atomic uint64_t scope;                              /* serial of the owning scope; 0: none (kept, or free) */
    base_site born_at;
    /* where tt_assign replaced the value in a variable, and the scope that owned it until then; NULL and 0: nowhere */
    base_site replaced_at;
    uint64_t home;
    int keeps;
    trace_death death;
} trace_slot;
trace_slot *trace_slot_at(uint32_t i);
void trace_slot_free(tt_val, trace_death);

/* ---- scopes: a stack per thread ---- */

struct tt_scope_s {
    struct tt_scope_s *outer;
    uint64_t serial;                                     /* unique in the process; handles name their scope by it */
    bool loop;
    int64_t n, cap;
    tt_val *at;                                          /* handles created or assigned here; some have moved since */
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
    uint64_t scope;                                      /* owns the values created during the trace; 0: none */
    int ncaptured, cap;
    /* placeholders: equations [first, first + n) */
    struct trace_capture { trace_value *value; ir_id id; uint32_t first, n; } *captured;
    int naxis;
    trace_axis axis[TRACE_AXES];
    const mesh *mesh;
    base_name rules;                                     /* logical axes to mesh axes, from the current jit */
    bool unchecked;
    /* [id], if axes are explicit; number of equations already inferred */
    const mesh_layout **layouts; uint32_t nlayouts, layouts_done;
    int settle;                                          /* > 0: a transform records; ambiguous layouts are settled */
};

void trace_log(base_site, int n, trace_value *const *y);         /* TUTTI=trace */

/* thread.c: True if an error that comes when a program runs may name a line: TUTTI=bounds, nan, inf. */
bool trace_checks(void);

/* ---- the chain of open transforms, for errors ---- */

typedef struct trace_link {
    struct trace_link *outer; base_site site;
    struct fn_rule *rule;                                /* the custom rule that is being traced; NULL: none */
} trace_link;

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
    base_site site;                                      /* of the current entry, or of an entry that it called */
    int depth;                                           /* number of open public entries */
    int calls;                                           /* number of nested calls of functions */
    uintptr_t *pins;                                     /* references that running C code holds (pin.c) */
    int npins, pins_cap, pins_next;
    bool chained;
    int lowering;                                        /* open traces that will not run: abstract values suffice */
    bool registered;
    int inside; _Atomic uint64_t inside_since;  /* retire.c: depth of lock-free reading; the counter at its entry */
    struct trace_thread *next_thread;
    const char *precision;                               /* of products without a precision; NULL: the switch's */
    const char *random;                                  /* chosen layout of random bits; NULL: the switch's */
    base_name named;                                     /* TT_NAMED_SCOPE's name, "a/b"; NULL: none */
    const mesh *mesh; base_name rules;                   /* from TT_WITH; NULL: none */
    const void *outermost;  /* key of the function being compiled, until called: nested.c */
    int64_t named_axes, ruled_axes;                      /* logical axes seen so far under rules; those with a rule */
} trace_thread;
trace_thread *trace_this(void);
bool trace_deeper(base_site);                            /* enters a call; false with the error set: too many calls */
void trace_slots_leave(trace_thread *), trace_pool_leave(trace_thread *);
/* retire.c. A thread that reads lists without a lock is "inside". trace_outside_to: depth is the value of t->inside
 * before trace_inside. A retired object, which begins with its trace_waiting, is freed when all threads that were
 * inside when it was retired have left. */
void trace_thread_in(trace_thread *), trace_thread_out(trace_thread *);
void trace_inside(trace_thread *), trace_outside_to(trace_thread *, int depth);
void trace_retire(trace_waiting *, void (*freed)(void *));
uint64_t trace_serial(void);                             /* a number that is unique in the process */
void trace_scope_heavy(const trace_scope *);             /* reports once that too many values are in the scope */
void trace_out_of_memory(base_site);
bool trace_scope_reserve(trace_thread *);                /* False: no memory */
void trace_scope_add(trace_thread *, tt_val);
trace_value *trace_traced_in(base_site, uint64_t frame, ir_id, const ir_type *, bool weak);

/* ---- pins: references that running C code holds (pin.c); trace_ref pins, trace_unref unpins ---- */

bool pin_reserve(int n);                                 /* false: no memory for n more pins */
void pin_value(trace_value *);                           /* pins; the caller has reserved capacity */
void pin_remove(const trace_value *);                    /* unpins: a structure now owns the reference */
void pin_release_to(int mark);                           /* releases all pins after the first `mark` */
void pin_thread_leave(trace_thread *);
void pin_release(trace_value *);                        /* releases a structure's reference */
trace_value *trace_blank(trace_thread *, base_site, trace_form);         /* not pinned; NULL: no memory */

/* ---- functions: interned by content, never freed ---- */

typedef enum {
    FN_C, FN_ENV, FN_JIT, FN_GRAD, FN_JVP, FN_VJP, FN_HESSIAN, FN_CUSTOM_VJP, FN_CUSTOM_JVP, FN_CUSTOM_TANGENT,
    FN_JACFWD, FN_JACREV, FN_LINEARIZE, FN_LINEAR, FN_REMAT, FN_VMAP, FN_PMAP, FN_SHARD_MAP, FN_IR, FN_KINDS
} fn_kind;
typedef struct {                                         /* identifies a function; padding is not read */
    fn_kind kind;
    int arity;                                           /* number of parameters; ENV: as given, -1: any number */
    void (*c)(void);
    tt_env_f *env_f;
    void *env;                                           /* a copy if env_bytes > 0 */
    int64_t env_bytes;
    base_site site;
    trace_fn *f, *g, *h;                                 /* the functions that a transform was given */
    const mesh *mesh;
    const ir_fn *ir;                                     /* of an imported program; never freed */
    base_name in, out, axis, rules, donate, wrt, axes;   /* wrt: of remat the policy */
    int64_t length; /* vmap, pmap: size of the mapped dim; jit: strict, -1: no limit */
    int flag;                                            /* grad: aux; shard_map, pmap: unchecked; jit: reproducible */
    int value;                                           /* of grad: value_and_grad */
} fn_key;
struct trace_fn {
    const fn_key *key;                                   /* interned */
    uint32_t slot;
    base_name _Atomic name;                              /* for messages and TUTTI=ir:name; not part of the identity */
    struct jit_entry *_Atomic cache;                     /* of jit and pmap: the entries of previous traces */
};

base_name fn_name(const trace_fn *);                     /* a transform has the name of the transformed function */
void fn_named_by(trace_fn *, base_site);    /* names a C function by the text of this call, if it has no name */

/* The part of a compiled function's call that is kept (jit_cache.c, jit.c). */
typedef struct jit_entry {
    trace_waiting wait;
    struct jit_entry *_Atomic next, *other;              /* the next entry of this function; the next entry of all */
    trace_fn *fn;
    _Atomic uint64_t used; uint64_t seen;                /* time of the last hit; its copy while sorting */
    size_t nkey, bytes;
    const void **key;
    run_program *program;                                /* a counted reference */
    int nleaf, ncaptured, nout;
    trace_value **captured;                              /* references */
    base_arena *arena;                                   /* of the trace, or NULL: an earlier entry has it */
    const ir_fn *traced;
    const trace_tree *out;
    const ir_type **type;                                /* of results, if there is no program: branches.c */
    bool *weak, *consumed, donates;
} jit_entry;
void jit_entry_free(void *);                             /* NULL is allowed */
/* For a thread that is inside: the entry lives until the thread leaves. NULL: there is no such entry. */
jit_entry *jit_find(trace_fn *, const void *const *key, size_t n);
void jit_add(trace_fn *, jit_entry *);                   /* takes the entry; may evict others */
/* Writes the key of entries with such arguments. Returns its number of words. */
size_t jit_key(int n, trace_value *const *args, const void **key);
static inline size_t jit_key_most(int n, int nleaf) { return 1 + (size_t)n + 2 * (size_t)nleaf; }
void *jit_copied(const void *, size_t bytes, bool *ok);  /* heap copy; NULL and !*ok: no memory, or *ok was false */

/* The signature for which a function is traced: the arguments' structures, and their leaves in one list. */
typedef struct {
    int n, nleaf; const trace_tree **tree; const ir_type **type; bool *weak; base_site *site;
    const mesh_layout **layout;                          /* known layouts; NULL: none known */
} fn_sig;
fn_sig fn_sig_of(base_arena *, int n, trace_value *const *args);
/* Traces f for a signature as a closed function of the current program. axis: an axis to bind inside, or NULL. */
bool fn_close(base_site, trace_fn *, const fn_sig *, const trace_axis *axis, trace_closed *out);

/* A custom rule while it is traced (rule.c). */
typedef struct fn_rule {
    const fn_key *key;
    trace_frame *top;                                    /* the frame of the call */
    const trace_closed *f;
    int nparam, nleaf;                                   /* number of the rule's parameters; of f's operands */
    const int *leaf;                                     /* [parameter]: the operand that it is; -1: none */
    trace_value *result;                                 /* what stands for f's result in the rule; NULL: not read */
    bool owned;                                          /* result, by a scope: the rule was closed */
    ir_id *id;                                           /* of the leaves of result, in top */
} fn_rule;
void fn_rule_open(fn_rule *, const trace_fn *, const trace_closed *f, int nparam, const int *leaf, int nleaf);
void fn_rule_close(fn_rule *);
/* True if *y is the result of the call of f, which is in f's own rule; *y NULL: with the error set. */
bool fn_rule_again(base_site, const trace_fn *f, int n, trace_value *const *args, trace_value **y);
int  fn_rule_result(const fn_rule *, const trace_value *);       /* the leaf of result that v is; -1: none */
/* Calls f on traced leaves of the current frame. */
trace_value *fn_body(base_site, trace_fn *, trace_frame *, const fn_sig *, const ir_id *ids);
/* Ids in the current frame of the leaves of values, then of c's captures. */
bool fn_operands(base_site, int n, trace_value *const *args, const trace_closed *c, ir_id *in);
bool fn_captured(base_site, const trace_closed *c, ir_id *in);
/* A tree of traced values: ids[i] with weak[i] (weak NULL: none is weak). Returns a new reference. */
trace_value *fn_opened(base_site, const trace_tree *, const ir_id *ids, const bool *weak);
/* Returns a new reference; the caller keeps its references to the items. */
trace_value *fn_tuple(base_site, int n, trace_value *const *items);
trace_value *fn_item(base_site, trace_value *, int i);   /* returns a new reference */
int fn_leaves(int n, trace_value *const *args);
typedef struct { int n; trace_value **v; } fn_pool;      /* values that several regions capture, each once */
void fn_unite(fn_pool *, const trace_closed *);
int  fn_found(const fn_pool *, const trace_value *);
const mesh_layout *fn_without(const mesh_layout *, int dim);     /* without one dim; NULL gives NULL */
/* A result cast to the type on which the regions agree: only results that are weak, or that vary over fewer atoms,
 * change. */
ir_id fn_fitted(ir_build *, ir_id, const ir_type *);
/* fn_result_items: the number of items of a result. fn_numbers: reads "0, 2" into numbers below n, and returns how many
 * there are; -1 with the error set. */
int fn_result_items(const char *text, const trace_tree *);
int fn_numbers(base_site, const char *what, const char *text, int n, int *out, int capacity);
/* The number of items separated by ';'. */
int fn_items(const char *text);
/* The spec of argument i of n; a single item is for all arguments. NULL with the error set. */
base_name fn_spec_for(base_site, const char *what, const char *text, int i, int n);

/* The result of a branch of a case (branches.c). */
typedef struct { const trace_tree *out; const ir_type *const *type; const bool *weak; } case_result;
case_result case_closed(const trace_closed *);           /* in the root's arena */
/* True if the branches agree: then *type and *weak are the types that all can return; else sets the error. */
bool case_agree(base_site, int n, const case_result *, const ir_type **type, bool *weak);
/* Calls the taken branch; the other branches are traced, and must return the same types. Returns a new reference. */
trace_value *case_known(base_site, int taken, int n, trace_fn *const *branch, int narg, trace_value *const *args);

trace_value *call_grad(base_site, trace_fn *, int, trace_value *const *),
    *call_jvp(base_site, trace_fn *, int, trace_value *const *),
    *call_vjp(base_site, trace_fn *, int, trace_value *const *),
        *call_hessian(base_site, trace_fn *, int, trace_value *const *),
    *call_custom_vjp(base_site, trace_fn *, int, trace_value *const *),
        *call_custom_jvp(base_site, trace_fn *, int, trace_value *const *),
        *call_custom_tangent(base_site, trace_fn *, int, trace_value *const *),
    *call_jacobian(base_site, trace_fn *, int, trace_value *const *),
    *call_linearize(base_site, trace_fn *, int, trace_value *const *),
    *call_linear(base_site, trace_fn *, int, trace_value *const *),
    *call_remat(base_site, trace_fn *, int, trace_value *const *),
    *call_nested(base_site, trace_fn *, int, trace_value *const *),
        *call_vmap(base_site, trace_fn *, int, trace_value *const *),
    *call_pmap(base_site, trace_fn *, int, trace_value *const *),
        *call_shard_map(base_site, trace_fn *, int, trace_value *const *),
    *call_ir(base_site, trace_fn *, int, trace_value *const *);
/* Shared by derivatives (grad.c, jacobian.c). True if the leaves of these arguments may be differentiated by; else sets
 * the error. */
bool grad_smooth_args(base_site, const char *what, trace_value *const *args, int n, const int *wrt);
/* One-hot rows for every element: [n, shape]. */
ir_id grad_basis(ir_build *, const ir_type *);
/* The structure of tangents: t with an empty tuple in the place of each leaf without derivative. */
const trace_tree *grad_smooth_tree(const trace_tree *, const ir_type *const *type);
/* The types of a function's results. */
const ir_type **grad_types_of(const ir_fn *);
/* Ids of the smooth leaves of a tangent or cotangent of `like`; -1 with the error set. */
int grad_dual_ids(base_site, const char *what, const trace_tree *like, const ir_type *const *type, trace_value *,
                  ir_id *out);
/* The items of a tuple, or the value itself as the only item; owned by the frame's scope. */
int grad_items_of(base_site, trace_value *, trace_value ***out);
/* Positions of mapped dims, of vmap and pmap (map.c): "0; _; 1"; a single item is for all values, and the default is
 * 0. */
enum { MAP_NONE = -1, MAP_ERROR = -2 };
bool map_dims(base_site, const char *what, const char *text, int n, int *place);
bool map_result_dims(base_site, const char *what, const char *text, const trace_tree *, int *place);     /* per leaf */
int64_t map_size(base_site, const char *what, int n, trace_value *const *args, const int *place);
const ir_type *map_without(const ir_type *, int dim);
ir_id map_to_front(ir_build *, ir_id, int from);
/* A layout from logical axes ("batch, hidden") and rules ("batch:data, hidden:model"); other dims are not sharded. */
bool axes_layout(base_site, const mesh *, const char *rules, const char *names, int rank, const mesh_layout **);
/* Explicit axes (layouts.c). In a frame without explicit axes these functions have no effect. */
mesh_set layouts_explicit(const trace_frame *);          /* the atoms of explicit axes in a frame */
void layouts_of_params(trace_frame *, const fn_sig *);
bool layouts_update(trace_frame *);                      /* brings layouts up to date; false with the error set */
const mesh_layout *layouts_find(trace_frame *, ir_id);   /* NULL: open, or no axis is explicit */
bool layouts_check(trace_frame *, ir_id);  /* True if the value's layout is not open; else sets the error */
bool layouts_of_captured(trace_frame *, ir_id, const trace_value *);
ir_id layouts_constrain(ir_build *, ir_id, const mesh_layout *, mesh_set keep); /* a constraint; other axes stay open */
/* Constrains gradients to the layouts of like's smooth leaves. */
bool layouts_constrain_gradients(trace_frame *, base_site, const trace_value *like, ir_id *);
bool layouts_constrain_piece(ir_build *, const mesh_layout *const *in, int nout, ir_id *out);
bool layouts_any_explicit(int n, trace_value *const *x); /* True if a value is on explicit axes */
/* A call as it is compiled (jit.c): the trace, with the layouts of arguments and results. */
typedef struct { trace_closed c; driver_opts opts; } jit_traced;
const mesh *jit_mesh(const trace_fn *, int n, trace_value *const *args);
bool  jit_trace(base_site, trace_fn *, int n, trace_value *const *args, jit_traced *);
/* True if the trace suits arguments on that mesh, in any layout */
bool  jit_trace_serves(const ir_fn *traced, const mesh *);
/* Sets the layouts for a trace that jit_trace_serves. */
bool  jit_infer_layouts(base_site, trace_fn *, int n, trace_value *const *args, const trace_closed *, jit_traced *);
int64_t jit_traces(void);
const mesh_layout *jit_layout(const trace_value *);      /* of a value with a layout of its own; NULL: it has none */
bool *jit_donated(base_site, const fn_key *, base_arena *, int n, trace_value *const *args, int ncaught);
/* At top level: traces the complete call, compiles and runs it. cached: by the types of its arguments. */
trace_value *jit_run(base_site, trace_fn *, int, trace_value *const *, bool cached);

#endif
