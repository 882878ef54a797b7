/* trace/trace.h - values, trees, scopes, functions; C calls become IR, or run at once.
 *
 * - A handle (tt_val) is a slot and its generation, so that a dead or uninitialised handle is always detected.
 * - A slot holds a counted object: an array (concrete, a C number, traced, or abstract) or a tree, kept flat: a
 *   structure and its leaves.
 * - Structures are interned. Logical axes and `frozen` are annotations of their leaves, and are ignored when structures
 *   are compared.
 * - Tracing keeps a stack of frames per thread. A value of another frame, or a concrete value, becomes a hidden
 *   argument of the frame that reads it.
 * - Functions are interned by content, so that their caches outlive their handles.
 *
 * Functions here return NULL, false or a poisoned handle with the error set (base_fail); nothing here prints. */
#ifndef TUTTI_TRACE_H
#define TUTTI_TRACE_H

#include <tutti.h>

#include "../driver/driver.h"
#include "../transform/transform.h"

/* ---- the thread (thread.c) ---- */

base_arena *trace_temp(void);   /* for texts and lists; emptied when the outermost entry returns */
/* Runs a public entry: body within base_catch. On an unwinding, the frames that the entry had opened are abandoned. */
bool trace_enter(void (*body)(void *), void *arg);
/* Likewise; if a function of the program leaves the entry for good, the entry is abandoned, and left(env) called. */
bool trace_enter_guarded(void (*body)(void *), void *arg, void (*left)(void *), void *env);
bool trace_in_entry(void);                               /* True if this thread is inside a public entry */
/* The switches and this thread's choices that a function under trace may read, as bits: two calls with different
 * settings are compiled separately. */
uint64_t trace_settings(void);
bool trace_x64(void);                                    /* True if C numbers have 64 bits where no operand decides */
const char *trace_random_layout(void);                   /* in force on this thread: "partitionable" or "original" */
const char *trace_choose_random_layout(const char *);    /* a literal; NULL: the switch's. Returns the former choice */
int trace_precision(void);                               /* an op_precision: of products without one, on this thread */
const char *trace_choose_precision(const char *);
/* This thread's name that is appended to sites, and its mesh and rules for transforms without their own. */
base_name trace_named(const char *inner);                /* adds a name; returns the name in force before, NULL: none */
void trace_named_back(base_name was);
const mesh *trace_used(base_name *rules);                /* rules may be NULL */
void trace_use(const mesh *, base_name rules);
bool trace_rules_ok(base_site, const mesh *, const char *rules); /* false with the error set; mesh may be NULL */
bool trace_single_threaded(void);                        /* True if no other living thread has called the library */
base_site trace_site(const char *literal);               /* interned; a small cache per thread makes it cheap */

/* ---- structures of trees (tree.c, tree_text.c) ---- */

typedef enum { TRACE_LEAF, TRACE_TUPLE, TRACE_RECORD, TRACE_DICT } trace_kind;
typedef struct trace_tree {                              /* interned: equality is pointer equality */
    trace_kind kind;
    base_name tag;                                       /* of a record or an optimizer; NULL: none */
    int n, nleaf, deep;                                  /* deep: number of levels of nodes; 0: a leaf */
    const int *from;  /* [n] leaves before each child; NULL: each child is one leaf */
    const base_name *name;                               /* NULL: a tuple or leaf */
    const struct trace_tree *const *child, *const *leaf; /* leaf: all leaves, in order; NULL: the node is a leaf */
    base_name axes; bool frozen;                         /* of a leaf: logical axes; True if not trained */
    const struct trace_tree *plain;                      /* without tags and annotations; NULL: this node is plain */
} trace_tree;
static inline const trace_tree *trace_plain(const trace_tree *t) { return t->plain ? t->plain : t; }
static inline bool trace_agree(const trace_tree *a, const trace_tree *b)
{
    return a == b || trace_plain(a) == trace_plain(b);
}

const trace_tree *trace_leaf(base_name axes, bool frozen);
const trace_tree *trace_tree_of(trace_kind, base_name tag, int n, const base_name *name,
                                const trace_tree *const *child);
const trace_tree *trace_tuple_of(int n, const trace_tree *const *child);
const trace_tree *trace_tagged(const trace_tree *, base_name tag);
/* trace_nest: outer with inner in the place of each leaf. trace_graft: outer with by[i] in the place of leaf i. */
const trace_tree *trace_nest(const trace_tree *outer, const trace_tree *inner);
const trace_tree *trace_graft(const trace_tree *outer, const trace_tree *const *by);
enum { TRACE_DEEPEST = 256 };                            /* levels: functions on trees recurse once per level */
bool trace_too_deep(base_site, const char *what, const trace_tree *);  /* True, with the error set, if too deep */
bool trace_path_ok(base_site, const char *what, const char *path);     /* false with the error set: too many parts */
/* True if the first n bytes of the name are UTF-8, as the text of a checkpoint must be; else sets the error. */
bool trace_name_ok(base_site, const char *what, const char *name, size_t n);
const trace_tree *trace_leaf_at(const trace_tree *, int i);     /* the i-th leaf's node */
int  trace_leaf_from(const trace_tree *, int child);     /* leaves before this child */
int  trace_child(const trace_tree *, const char *name, size_t n);       /* by name, or by number in a tuple; -1: none */
/* Follows "params.layer.0"; *from: the first leaf. NULL with the error set, or if `quiet` without an error. */
const trace_tree *trace_path(base_site, const trace_tree *, const char *path, int *from, bool quiet);
const char *trace_leaf_path(base_arena *, const trace_tree *, int leaf);        /* "a.b.c"; "" for a bare leaf */
const char *trace_tree_text(base_arena *, const trace_tree *);   /* "(lin{w, b}, _)" */
/* Sets the error; returns false. */
bool trace_tree_differ(base_site, const char *what, const trace_tree *a, const trace_tree *b);

/* ---- values (value.c) ---- */

typedef enum { TRACE_CONCRETE, TRACE_NUMBER, TRACE_TRACED, TRACE_ABSTRACT, TRACE_TREE, TRACE_DONATED } trace_form;
typedef struct trace_value {
    _Atomic uint32_t refs;
    trace_form form;                                     /* TREE: a tree. DONATED: the array was donated */
    bool weak;                                           /* of an array: a C number, yields in promotion */
    bool integer;                                        /* NUMBER: True if the number is i64, not real */
    ir_id id;                                            /* TRACED: the value's id in `frame` */
    uint64_t frame;
    const trace_tree *tree;
    const ir_type *type;                                 /* NULL: a tree */
    const mesh_layout *layout;                           /* CONCRETE, ABSTRACT; NULL: none */
    union { run_array *array; double real; int64_t i64; struct trace_value **leaf; };
    base_site site;                                      /* where it was created; DONATED: where it was donated */
} trace_value;

trace_value *trace_concrete(base_site, run_array *, bool weak);  /* takes the reference */
trace_value *trace_number(base_site, tt_dtype, double real, int64_t whole);     /* weak, except for TT_BOOL */
trace_value *trace_abstract(base_site, const ir_type *, const mesh_layout *, bool weak);
trace_value *trace_traced(base_site, ir_id, bool weak); /* in the innermost frame */
/* Takes new references to the leaves. */
trace_value *trace_tree_value(base_site, const trace_tree *, trace_value *const *leaf);
trace_value *trace_as(trace_value *, base_site, const trace_tree *leaf);    /* the same array under another leaf node */
trace_value *trace_ref(trace_value *);
void         trace_unref(trace_value *);                 /* NULL is allowed */
/* Pins an array that a local variable holds: it is released if the entry unwinds. NULL gives NULL. */
run_array   *trace_pin(run_array *);
void         trace_unpin(const run_array *);             /* the reference is released by other code */
void         trace_drop(run_array *);                    /* run_drop of a pinned array; NULL is allowed */
static inline int trace_nleaf(const trace_value *v) { return v->tree->nleaf; }
static inline trace_value *trace_leaf_of(trace_value *v, int i) { return v->type ? v : v->leaf[i]; }
trace_value *trace_sub(trace_value *, base_site, const trace_tree *, int from); /* a new reference to a subtree */
/* trace_set_path: x with v in the place of the value at path; dicts grow by missing names. trace_from_paths: a tree of
 * dicts with v[i] at path[i]. Return new references. */
trace_value *trace_set_path(base_site, trace_value *x, const char *path, trace_value *v);
trace_value *trace_from_paths(base_site, int n, const char *const *path, trace_value *const *v);

/* Handles. A handle belongs to the scope that is current when the handle is created. */
tt_val trace_handle(trace_value *);                      /* takes the reference */
trace_value *trace_get(base_site, tt_val);               /* borrowed; NULL with the error set: dead, poisoned or none */
trace_value *trace_get_any(base_site, tt_val);           /* as trace_get, but leaves of a tree may have been donated */
bool trace_is_alive(base_site, const trace_value *, int from, int n);   /* false with the error set: one was donated */
/* True if `alive` of a handle {p, alive} is live; else sets the error, which `what` begins. */
bool trace_is_live(base_site, const char *what, tt_val alive);
trace_value *trace_peek(tt_val);                         /* borrowed; NULL without an error */
trace_value *trace_array(base_site, const char *what, tt_val);   /* as trace_get, and refuses trees */
extern const tt_val trace_poison;
static inline bool trace_is_end(tt_val v) { return v.slot == UINT32_MAX && v.born == UINT32_MAX; }
int trace_count(const tt_val *list);                     /* up to tt_end */

const char *trace_text(const ir_type *);                 /* "f32[4, 256]", "f32[]", "f32[8]{i}" */
const char *trace_type_text(base_arena *, const trace_value *);  /* "f32[4, 256@model]", "tree of 3 leaves" */
bool trace_cite(const trace_value *);                    /* adds an operand to the error just set; false */

/* ---- scopes (scope.c) ---- */

typedef struct tt_scope_s trace_scope;
uint64_t trace_scope_open(bool loop);                    /* its number, unique in the process */
void trace_scope_close(uint64_t scope); /* closes the scopes inside it too; no effect if it is closed */
void trace_assign(base_site, tt_val *slot, tt_val v);
void trace_keep(tt_val), trace_release(tt_val);
void trace_own(void *p, void (*freed)(void *));
void trace_scopes_end(void);                             /* closes all scopes of this thread */
void trace_owned_end(void);                              /* frees the memory that scopes own in addition to values */
int64_t trace_live(void);                                /* live handles of the process, for tests */

/* ---- promotion (promote.c) ---- */

typedef struct { tt_dtype dtype; bool weak; } trace_dtype;
trace_dtype trace_join(trace_dtype, trace_dtype);        /* JAX's lattice; dtype 0: the two have no common type */
/* True if a value of type `got` can take the place of one of type `want` without a loss: the same dtype, or a C number
 * of no wider kind. */
bool trace_takes(const ir_type *want, const ir_type *got, bool weak);
bool        trace_no_join(base_site, const char *what, int n, trace_value *const *x);   /* fails, citing the operands */
trace_dtype trace_dtype_of(const trace_value *);
trace_dtype trace_inexact(trace_dtype);                  /* the float type of an integer operand of a float function */
bool trace_broadcast(base_site, const char *what, int n, trace_value *const *x, int *rank, int64_t *dim);

/* ---- recording and running (frame.c, apply.c, eager.c) ---- */

typedef struct trace_frame trace_frame;
typedef struct { base_name name; int64_t size; bool manual, unchecked; } trace_axis;

trace_frame *trace_top(void);                            /* NULL: nothing is being traced on this thread */
ir_build    *trace_builder(trace_frame *);
/* True if the function whose trace made v is still being traced, on this thread; else sets the error. */
bool         trace_is_open(base_site, const trace_value *v);
const mesh  *trace_mesh(const trace_frame *);
/* True if the values are on the same devices in the same order, whatever their meshes are called; else sets the
 * error. */
bool         trace_one_mesh(base_site, int n, trace_value *const *x);
/* Puts the program under trace on this mesh. Returns false if it is on another one. spec: the text that names the
 * mesh's axes, for the error; or NULL. */
bool         trace_use_mesh(base_site, const mesh *, const char *spec);
const trace_axis *trace_axis_find(const char *name, size_t n);   /* innermost; NULL: not bound here */
const char  *trace_axes_text(base_arena *);              /* the axes in force, "i:8, j:2"; "none" */

/* A root holds the arena of the frames above it, and the references that they need. NULL: a root is open already. */
trace_frame *trace_root(void);
void         trace_root_close(trace_frame *);            /* NULL is allowed */
/* Begins a function with arguments of these types. */
trace_frame *trace_begin(base_site, base_name, const mesh *, int nleaf, const ir_type *const *type);
trace_value *trace_param(trace_frame *, base_site, int i, bool weak, const trace_tree *leaf);    /* new reference */
bool trace_bind_axis(trace_frame *, trace_axis);
typedef struct {    /* a closed function: its parameters, then the values that it captured */
    ir_fn *fn;
    const trace_tree *out;
    const bool *weak;                                    /* [nret] */
    int ncaptured;
    trace_value *const *captured;                        /* the root holds references */
} trace_closed;
bool trace_end(trace_frame *, base_site, trace_value *result, trace_closed *);   /* result: a value of this frame */
int  trace_depth(void);                                  /* open frames on this thread, roots too */
void trace_abandon_to(int depth);                        /* after a failure or an unwinding */
ir_id trace_id(trace_frame *, base_site, trace_value *leaf);     /* the leaf's id in that frame; 0: error */

/* Emits or runs a piece of IR on leaves: body writes the piece into a build. Outside a trace the piece is compiled once
 * per types of operands and content of env. out: new references. */
typedef bool trace_body(ir_build *, const ir_id *in, ir_id *out, const void *env);
bool trace_do(base_site, trace_body *, const void *env, size_t size, int n, trace_value *const *x, int nout,
              trace_value **out);
/* Emits or runs one equation on leaves whose types suit the primitive. */
trace_value *trace_emit(base_site, const op_prim *, const void *attr, int n, trace_value *const *x);
/* Applies an elementwise primitive to values: promotes, broadcasts, maps over the leaves of trees. Returns a new
 * reference. */
trace_value *trace_map(base_site, const op_prim *, const void *attr, int n, trace_value *const *x);
tt_val trace_apply(base_site, const op_prim *, const void *attr, int n, const tt_val *x);
/* The function that trace_leafwise applies to each leaf. */
typedef trace_value *trace_each(base_site, trace_value *leaf, const void *env);
trace_value *trace_leafwise(base_site, trace_value *, trace_each *, const void *env);
/* True unless the value is a C integer (tt_i) that dtype, an integer type, cannot hold; else sets the error. */
bool trace_number_fits(base_site, const char *what, const trace_value *, tt_dtype);
trace_value *trace_number_as(trace_value *, tt_dtype);   /* a C number of another dtype; new reference */
run_array *trace_data(base_site, trace_value *leaf);     /* a new reference to a concrete array's data; NULL: error */
bool trace_number_of(base_site, const char *what, trace_value *, double *out);  /* a concrete scalar as a C number */
void trace_eager_forget(void);

/* ---- functions (fn.c, call.c, jit.c, grad.c, map.c, loops.c) ---- */

typedef struct trace_fn trace_fn;
void trace_fn_named(trace_fn *, base_site, int i);        /* names it by argument i of a call, if it has no name */
trace_fn *trace_fn_get(base_site, tt_fn);                /* NULL with the error set */
tt_fn trace_fn_handle(const trace_fn *);
trace_value *trace_call(base_site, trace_fn *, int n, trace_value *const *args);         /* new reference */
/* Traces f on arguments like args, without running it. trace_shapes: the result's abstract value (a new reference).
 * trace_ir_text: the closed function as text, which lives until the outermost entry returns. trace_program: the
 * compiled program, which the cache owns. */
trace_value *trace_shapes(base_site, trace_fn *, int n, trace_value *const *args);
const char *trace_ir_text(base_site, trace_fn *, int n, trace_value *const *args);
run_program *trace_program(base_site, trace_fn *, int n, trace_value *const *args, double *trace_s, double *compile_s);
/* Compiles without binding: the exchanges, and if `plan` the plan, in the arena. Arguments may be shapes. what: for the
 * message if another function is being traced. */
bool trace_lower(base_site, trace_fn *, int n, trace_value *const *args, const char *what, bool plan, base_arena *,
                 driver_lowered *);
bool trace_chain(void);  /* adds the open transforms to the error, once; returns false */
void trace_chain_forget(void);
typedef struct { int64_t traces, hits; } trace_counts;
trace_counts trace_jit_counts(void);    /* of the process: functions traced by jit and pmap; cache hits */
void trace_jit_forget(void);
int64_t trace_device_count(void);   /* TUTTI=devices:N, else the largest mesh so far, else the cores */
void trace_mesh_seen(const mesh *);
int64_t trace_mesh_largest(void);                        /* number of devices of the largest mesh; 0: no mesh so far */

tt_fn trace_fn_c(const char *name, int arity, void (*f)(void));
tt_fn trace_fn_env(const char *name, tt_env_f *, void *env, size_t size, int nargs);
tt_fn trace_fn_jit(base_site, tt_fn, const tt_jit_opts *, bool any_gather);  /* any_gather: .strict = 0 was given */
tt_fn trace_fn_grad(base_site, tt_fn, const tt_grad_opts *, bool value);
tt_fn trace_fn_jvp(base_site, tt_fn), trace_fn_vjp(base_site, tt_fn), trace_fn_hessian(base_site, tt_fn);
tt_fn trace_fn_jacobian(base_site, tt_fn, const tt_grad_opts *, bool reverse);
tt_fn trace_fn_linearize(base_site, tt_fn), trace_fn_linear(base_site, tt_fn);
tt_fn trace_fn_custom_vjp(base_site, tt_fn f, tt_fn fwd, tt_fn bwd),
    trace_fn_custom_jvp(base_site, tt_fn f, tt_fn rule), trace_fn_custom_tangent(base_site, tt_fn f, tt_fn tangent);
tt_fn trace_fn_remat(base_site, tt_fn, base_name policy);  /* NULL: nothing is saved */
tt_fn trace_fn_vmap(base_site, tt_fn, const tt_vmap_opts *, int64_t length);    /* -1: not given */
tt_fn trace_fn_pmap(base_site, tt_fn, const tt_pmap_opts *);
tt_fn trace_fn_shard_map(base_site, tt_fn, const tt_shard_map_opts *);
tt_fn trace_fn_ir(const ir_fn *);                        /* an imported program; never freed */
/* StableHLO text, in trace_temp(). by_axes: see hlo_borders. */
const char *trace_export(base_site, trace_fn *, int n, trace_value *const *args, bool by_axes);
tt_fn trace_import(base_site, base_site name, const char *text); /* equal StableHLO texts give the same function */
const ir_fn *trace_fn_imported(base_site, tt_fn);  /* the program of an imported function; NULL with the error set */

trace_value *trace_scan(base_site, trace_fn *, trace_value *carry, trace_value *xs, int64_t length, bool reverse);
trace_value *trace_while(base_site, trace_fn *cond, trace_fn *body, trace_value *state);
trace_value *trace_fori(base_site, int64_t lo, int64_t hi, trace_fn *body, trace_value *state);
trace_value *trace_case(base_site, trace_value *index, int nbranch, trace_fn *const *branch, int n,
                        trace_value *const *args);
trace_value *trace_stop(base_site, trace_value *);
trace_value *trace_axes(base_site, trace_value *, const char *names);    /* by the jit's rules; else unchanged */
/* Under trace: the value, laid out as given from here on. spec: the text that the user wrote, or NULL. */
trace_value *trace_constrain(base_site, trace_value *, const mesh_layout *, const char *spec);
/* True if the layout uses no axis of a surrounding manual region; else sets the error. */
bool trace_not_manual(base_site, const mesh_layout *, const char *spec);

#endif
