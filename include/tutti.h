/* tutti.h - Tutti: write a numerical program once, as if for one device; run it on a mesh of devices.
 *
 * A value is an immutable array or a tree of values. A function takes values and gives a value. A transform takes a
 * function and gives a function. A mesh names devices. A spec says how dims are on a mesh. A scope owns what is born
 * in it.
 *
 *     #include <tutti.h>
 *     static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
 *     int main(void)
 *     {
 *         tt_val w = tt_normal(tt_key(0), TT_F32, 4, 2), x = tt_normal(tt_key(1), TT_F32, 8, 4);
 *         tt_show(tt_call(tt_jit(tt_grad(loss)), w, x));
 *         return tt_done();
 *     }
 *
 * Memory in three words: a value is BORN in the current scope and dies with it; tt_assign() replaces a value in the
 * scope of its slot, so that it outlives a loop; tt_keep() holds it for C or another language until tt_drop().
 * Errors: a failed call gives a poisoned value and prints once what, where, the operands with their lines, and a hint;
 * later calls on poison do nothing; loops end; tt_done() returns the code as exit status. Nothing here exits or aborts.
 * A failed call that gives a text or a report gives an empty one, never NULL. NULL is the answer of tt_name, tt_tag,
 * tt_leaf_axes, tt_config_value and tt_named_scope_enter alone: there is none.
 * Each thread has an error of its own; tt_done() returns that of any. Ctrl-C ends loops, not calls: what follows them
 * runs, so that a program can save; tt_done() returns 130. The second Ctrl-C ends the program.
 * Options are written `.name = value` after the arguments. One that is not written has its default; one that is written
 * counts whatever its value: .decay = 0 is no decay, and so is .decay = d with d == 0.
 * Notation, one for specs, rules and axes: `,` between dims, `;` between arguments, `+` joins mesh axes, `_` none,
 * `a:b` maps. One item for several arguments is for all of them; with a final `;` ("x;") it is a list of one.
 */
#ifndef TUTTI_H
#define TUTTI_H

#include <tutti/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TT_API __attribute__((visibility("default")))
#define TT_NODISCARD __attribute__((warn_unused_result))
#define TT_UNUSED __attribute__((unused))
#define TT_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))  /* compilers compare the arguments with it */
#else
#define TT_API
#define TT_NODISCARD
#define TT_UNUSED
#define TT_FORMAT(fmt, args)
#endif
#define TT_VERSION "0.1.0"

/* ---- nouns: one word each, passed by value ---- */

typedef struct { uint32_t slot, born; } tt_val;          /* an immutable array, or a tree of values */
typedef struct { uint32_t slot, born; } tt_fn;           /* a function of values */
typedef struct { const struct mesh *p; } tt_mesh;        /* devices on a grid whose axes have names */
typedef struct { struct tt_frame_s *p; } tt_nn;          /* the frame a module runs in (tutti/nn.h) */
typedef struct { int64_t i, n; tt_val batch; struct tt_scope_s *scope; } tt_loop;

typedef tt_val tt_f0(void);
typedef tt_val tt_f1(tt_val);
typedef tt_val tt_f2(tt_val, tt_val);
typedef tt_val tt_f3(tt_val, tt_val, tt_val);
typedef tt_val tt_f4(tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f5(tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f6(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f7(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f8(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_env_f(void *env, int n, const tt_val *args);   /* for tt_bind and bindings: any number of values */

/* ---- how the macros are made: a site, an argument list, options. An argument is expanded once ---- */

#define TT_STR_(x)           #x
#define TT_STR(x)            TT_STR_(x)
#ifdef TT_NO_SITES
#define TT_AT(text)          ((const char *)0)
#else
#define TT_AT(text)          __FILE__ ":" TT_STR(__LINE__) ": " text      /* one static string */
#endif
#define TT_DIM_END           INT64_MIN
#ifdef __cplusplus
}
#include <initializer_list>
#define TT_LIST(T, ...)      (std::initializer_list<T>{ __VA_ARGS__ }.begin())
#define TT_OPTS(T, ...)                                                                                                \
    ([&]() -> const T * {                                                                                              \
        static thread_local T o_;                                                                                      \
        o_ = T{ .size = sizeof(T), .given = __extension__ #__VA_ARGS__, __VA_ARGS__ };                                 \
        return &o_;                                                                                                    \
    }())
#define TT_VAL_LIT(s, b)     (tt_val{ s, b })
#define TT_FN_LIT(s, b)      (tt_fn{ s, b })
extern "C" {
#else
#define TT_LIST(T, ...)      ((T const[]){ __VA_ARGS__ })
#define TT_OPTS(T, ...) \
    (&(const T){ .size = sizeof(T), .given = __extension__ #__VA_ARGS__, __VA_ARGS__ })  /* however long the text */
#define TT_VAL_LIT(s, b)     ((tt_val){ s, b })
#define TT_FN_LIT(s, b)      ((tt_fn){ s, b })
#endif
#define tt_end               TT_VAL_LIT(UINT32_MAX, UINT32_MAX)           /* ends a list of values */
#define tt_poison            TT_VAL_LIT(UINT32_MAX - 1, 1)        /* what a failed call gives */
#define tt_fn_end            TT_FN_LIT(UINT32_MAX, UINT32_MAX)            /* ends a list of functions */
/* Every option struct begins so: its size; the text of the options as the call writes them, which tells one that is
 * given as 0 from one that is not given; then a field that no positional argument can fill without a warning. Who fills
 * such a struct without TT_OPTS, a binding or a library on top, names in `given` the options whose zero is meant,
 * ".decay, .rate"; all other zeros are defaults, and so is NULL in the place of the struct.
 * Behind each option stands what it may be where it is given: TT_FROM_1, 1 or more; TT_ABOVE_0, above 0; TT_DEFAULT,
 * whatever its call takes. */
#ifdef __cplusplus
#define TT_OPTION_HEAD \
    size_t size = 0; const char *given = nullptr; struct tt_name_your_options *name_your_options = nullptr;
#define TT_DEFAULT           = {}
#else
#define TT_OPTION_HEAD       size_t size; const char *given; struct tt_name_your_options *name_your_options;
#define TT_DEFAULT
#endif
#define TT_FROM_1            TT_DEFAULT
#define TT_ABOVE_0           TT_DEFAULT
/* For functions on top of Tutti that have options: those of a call, or all defaults where o is NULL. NULL with the
 * error set: something was passed in an option's place, a text or a value is given that is none (.dims = 0), a number
 * is out of its range, the struct is another version's. TT_CHECKED puts the answer into o:
 *     if (!TT_CHECKED(tt_reduce_opts, site, "mean", o)) return tt_poison; */
#define TT_CHECKED(T, site, what, o) (((o) = (const T *)tt_options_at(site, what, #T, o)) != NULL)
TT_API const void *tt_options_at(const char *site, const char *what, const char *type, const void *o);
/* True if an option struct's `given` names the option: tt_given(o, "decay"). Worth asking where its field is 0. */
TT_API bool tt_given(const void *options, const char *name);
/* Of an option that is an option struct itself (.norm = { .eps = 0 }, .norm.eps = 0): what its `given` has to say,
 * ".eps", written into to; NULL: nothing. */
TT_API const char *tt_given_in(const void *options, const char *name, char *to, size_t capacity);

/* ---- values from and to C ---- */

/* A weak float scalar: takes the other operand's type (else f32). With TUTTI=x64, as under jax_enable_x64, C numbers
 * have 64 bits where nothing else tells their type: an integer array with tt_f is f64. Sums of small integers are of
 * 64 bits then, too. */
TT_API tt_val tt_f(double x);
TT_API tt_val tt_i(int64_t x);                           /* a weak integer scalar (else i32) */
TT_API tt_val tt_b(bool x);
/* Copies dense row-major elements: tt_array(TT_F32, data, 2, 3). The C type of data is compared with the dtype, and the
 * size of an array with the dims (tutti/memory.h); so with what tt_read, tt_read_box and tt_addressable_data write
 * to. */
#define tt_array(...)        TT_ARRAY_(TT_AT("tt_array(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_ARRAY_(at, dtype, data, ...) tt_array_of(at, dtype, data, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_array_at(const char *site, tt_dtype dtype, const void *data, const int64_t *dims);
#define tt_zeros(...)        TT_FULL_(TT_AT("tt_zeros(" #__VA_ARGS__ ")"), 0.0, __VA_ARGS__, TT_DIM_END)
#define tt_ones(...)         TT_FULL_(TT_AT("tt_ones(" #__VA_ARGS__ ")"), 1.0, __VA_ARGS__, TT_DIM_END)
#define tt_full(x, ...)      TT_FULL_(TT_AT("tt_full(" #x ", " #__VA_ARGS__ ")"), x, __VA_ARGS__, TT_DIM_END)
#define TT_FULL_(at, x, dtype, ...) tt_full_at(at, x, dtype, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_full_at(const char *site, double x, tt_dtype dtype, const int64_t *dims);
#define tt_arange(dtype, n)  tt_arange_at(TT_AT("tt_arange(" #dtype ", " #n ")"), dtype, *TT_DIMS(n))
TT_API tt_val tt_arange_at(const char *site, tt_dtype dtype, int64_t n);         /* 0 .. n-1 */
/* An abstract value: a dtype and dims, no elements. For tt_eval_shape, tt_plan, and as the form of what is to be
 * loaded. */
#define tt_shape(...)        TT_SHAPE_(TT_AT("tt_shape(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_SHAPE_(at, dtype, ...) tt_shape_at(at, dtype, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_shape_at(const char *site, tt_dtype dtype, const int64_t *dims);
#define tt_like(v)           tt_like_at(TT_AT("tt_like(" #v ")"), v)
TT_API tt_val tt_like_at(const char *site, tt_val v);    /* the abstract value of a value, tree by tree */

#define tt_num(v)            tt_num_at(TT_AT("tt_num(" #v ")"), v)
TT_API double tt_num_at(const char *site, tt_val v);     /* a scalar as a C number; NaN when it failed; waits */
#define tt_read(v, to, bytes) tt_read_of(TT_AT("tt_read(" #v ")"), v, to, bytes)
/* Dense row-major; bytes must be exact */
TT_API bool tt_read_at(const char *site, tt_val v, void *to, size_t bytes);
/* tt_read_box(v, lo, n, to): the box [lo, lo + n) of it, dense row-major */
#define tt_read_box(v, lo, n, to) tt_read_box_of(TT_AT("tt_read_box(" #v ", " #lo ", " #n ")"), v, lo, n, to)
TT_API bool tt_read_box_at(const char *site, tt_val v, const int64_t *lo, const int64_t *n, void *to);
TT_API size_t tt_bytes(tt_val v);                        /* of the whole value; a tree: of its leaves */
TT_API tt_dtype tt_dtype_of(tt_val v);
/* NumPy's letters: 'b' truth, 'i' and 'u' integers, 'f' floats, 'c' complex numbers; '?': no dtype */
TT_API char tt_dtype_kind(tt_dtype d);
TT_API const char *tt_dtype_name(tt_dtype d);            /* "f32"; "no dtype" of what is none */
/* True if its values are integers (bool is none); then also their range, as numpy.iinfo has it, else 0 and 0.
 * NULL: not asked for */
TT_API bool tt_int_range(tt_dtype d, int64_t *least, uint64_t *most);
TT_API int tt_rank(tt_val v);                            /* of an array; -1: a tree */
TT_API int64_t tt_dim(tt_val v, int i);                  /* negative i from the end; 1 when poisoned */
TT_API int64_t tt_count(tt_val v);                       /* elements */
/* Stands for a value that is known only when the function runs */
TT_API bool tt_is_traced(tt_val v);

/* ---- trees ---- */

#define tt_tuple(...)        tt_tuple_at(TT_AT("tt_tuple(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_tuple_at(const char *site, const tt_val *v);
TT_API tt_val tt_none(void);                             /* the empty tuple */
/* tt_dict("loss", l, "accuracy", a): names known when the program runs; sorted. NULL names end the list. */
#define tt_dict(...) \
    tt_dict_at(TT_AT("tt_dict(" #__VA_ARGS__ ")"), __VA_ARGS__, (const char *)0, (const char *)0, (const char *)0)
TT_API tt_val tt_dict_at(const char *site, const char *name, ...);
TT_API tt_val tt_dict_n(const char *site, int n, const char *const *name, const tt_val *v);
TT_API tt_val tt_record_n(const char *site, const char *tag, const char *fields, int n, const tt_val *v);
TT_API bool   tt_fields_n(const char *site, tt_val v, const char *tag, const char *fields, int n, tt_val *out);
#define tt_item(tuple, i)    tt_item_at(TT_AT("tt_item(" #tuple ", " #i ")"), tuple, i)
TT_API tt_val tt_item_at(const char *site, tt_val tree, int i);
#define tt_get(tree, path)   tt_get_at(TT_AT("tt_get(" #tree ", " #path ")"), tree, path)
TT_API tt_val tt_get_at(const char *site, tt_val tree, const char *path);        /* "params.layer.up.kernel" */
TT_API bool   tt_has(tt_val tree, const char *path);
#define tt_set(tree, path, v) tt_set_at(TT_AT("tt_set(" #tree ", " #path ", " #v ")"), tree, path, v)
TT_API tt_val tt_set_at(const char *site, tt_val tree, const char *path, tt_val v);      /* a new tree; dicts grow */
/* A tree of dicts at once: v[i], an array or a tree, stands at paths[i] ("layer.0.kernel"). Errors: a path twice or
 * above another, a name without letters, more than 256 parts. One path "": v[0] itself. */
#define tt_tree(...)         tt_tree_at(TT_AT("tt_tree(" #__VA_ARGS__ ")"), __VA_ARGS__)   /* (n, paths, v) */
TT_API tt_val tt_tree_at(const char *site, int n, const char *const *paths, const tt_val *v);
#define tt_unpack(tuple, ...) \
    tt_unpack_at(TT_AT("tt_unpack(" #tuple ", " #__VA_ARGS__ ")"), tuple, TT_LIST(tt_val *, __VA_ARGS__, NULL))
TT_API bool tt_unpack_at(const char *site, tt_val tuple, tt_val *const *slots);
TT_API int tt_items(tt_val tree);                        /* children; 0: an array or empty */
TT_API const char *tt_kind(tt_val v);                    /* "array", "tuple", "record", "dict" */
TT_API const char *tt_name(tt_val tree, int i);          /* the i-th child's name; NULL: a tuple */
TT_API int tt_tree_leaves(tt_val tree, int n, tt_val *out); /* how many; fills at most n */
TT_API const char *tt_leaf_path(tt_val tree, int i);     /* "a.b.c"; lives as long as the program */
#define tt_tree_unflatten(like, n, leaves) tt_tree_unflatten_at(TT_AT("tt_tree_unflatten(" #like ")"), like, n, leaves)
TT_API tt_val tt_tree_unflatten_at(const char *site, tt_val like, int n, const tt_val *leaves);
/* True if the trees go together leaf by leaf: one structure, and a leaf of b has the shape of a's, and is of floats
 * where a's is (of what width does not matter; leaves that are frozen in a are passed over), complex only where a's
 * is. Else an error names the first path that differs, after `what`: tt_match("weights and masks", w, m). A tt_hint may
 * follow, as after tt_fail_at. */
#define tt_match(what, a, b) tt_match_at(TT_AT("tt_match(" #what ", " #a ", " #b ")"), what, a, b)
TT_API bool tt_match_at(const char *site, const char *what, tt_val a, tt_val b);
/* Leafwise f over trees of one structure: tt_tree_map(f, a, b). */
#define tt_tree_map(f, ...) \
    tt_tree_map_at(TT_AT("tt_tree_map(" #f ", " #__VA_ARGS__ ")"), TT_FN(f), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_tree_map_at(const char *site, tt_fn f, const tt_val *trees);
/* Leafwise f(env, path, leaf), "a.b.c" being the path; a new tree of what it gives. */
typedef tt_val tt_path_f(void *env, const char *path, tt_val leaf);
#define tt_tree_map_with_path(f, env, tree) \
    tt_tree_map_with_path_at(TT_AT("tt_tree_map_with_path(" #f ", " #tree ")"), f, env, tree)
TT_API tt_val tt_tree_map_with_path_at(const char *site, tt_path_f *f, void *env, tt_val tree);
TT_API tt_val tt_tagged(const char *tag, tt_val tree);   /* a tree that says what it is ("adam"); arithmetic keeps it */
TT_API const char *tt_tag(tt_val tree);                  /* NULL: none */
typedef struct tt_leaf_opts { TT_OPTION_HEAD const char *axes TT_DEFAULT; int frozen TT_DEFAULT; } tt_leaf_opts;
/* Annotates a leaf: its logical axes, and that it does not learn (batch statistics), or with .frozen = 0 that it
 * learns again. They ride on the tree. */
#define tt_leaf(...)         TT_LEAF_(TT_AT("tt_leaf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LEAF_(at, v, ...) tt_leaf_at(at, v, TT_OPTS(tt_leaf_opts, __VA_ARGS__))
TT_API tt_val tt_leaf_at(const char *site, tt_val v, const tt_leaf_opts *);
TT_API const char *tt_leaf_axes(tt_val v);               /* NULL: none given */
TT_API bool tt_leaf_frozen(tt_val v);

/* TT_RECORD(lin, w, b): struct lin { tt_val w, b; }, lin_of() unpacks a tree into it, lin_val() packs it. */
#define TT_RECORD(T, ...)                                                                                              \
    typedef struct T { tt_val __VA_ARGS__; } T;                                                                        \
    TT_UNUSED static inline T T##_of(tt_val v)                                                                         \
    {                                                                                                                  \
        T r;                                                                                                           \
        tt_fields_n(TT_AT(#T "_of()"), v, #T, #__VA_ARGS__, (int)(sizeof(T) / sizeof(tt_val)), (tt_val *)&r);          \
        return r;                                                                                                      \
    }                                                                                                                  \
    TT_UNUSED static inline tt_val T##_val(T r)                                                                        \
    {                                                                                                                  \
        return tt_record_n(TT_AT(#T "_val()"), #T, #__VA_ARGS__, (int)(sizeof(T) / sizeof(tt_val)), (tt_val *)&r);     \
    }                                                                                                                  \
    struct T

/* ---- functions and transforms ---- */

/* A C function as a tt_fn. name NULL: as the call that it is first given to writes it, "loss" of tt_grad(loss). */
struct tt_takes_0_to_8_values_and_returns_one { int incomplete; };
TT_API tt_fn tt_fn_of0(const char *, tt_f0 *), tt_fn_of1(const char *, tt_f1 *), tt_fn_of2(const char *, tt_f2 *),
    tt_fn_of3(const char *, tt_f3 *), tt_fn_of4(const char *, tt_f4 *), tt_fn_of5(const char *, tt_f5 *),
    tt_fn_of6(const char *, tt_f6 *), tt_fn_of7(const char *, tt_f7 *), tt_fn_of8(const char *, tt_f8 *);
static inline tt_fn tt_fn_same(const char *name, tt_fn f) { (void)name; return f; }
TT_API tt_fn tt_fn_wrong(const char *, struct tt_takes_0_to_8_values_and_returns_one);
#ifdef __cplusplus
}
static inline tt_fn tt_fn_any(const char *, tt_fn f) { return f; }
static inline tt_fn tt_fn_any(const char *n, tt_f0 *f) { return tt_fn_of0(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f1 *f) { return tt_fn_of1(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f2 *f) { return tt_fn_of2(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f3 *f) { return tt_fn_of3(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f4 *f) { return tt_fn_of4(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f5 *f) { return tt_fn_of5(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f6 *f) { return tt_fn_of6(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f7 *f) { return tt_fn_of7(n, f); }
static inline tt_fn tt_fn_any(const char *n, tt_f8 *f) { return tt_fn_of8(n, f); }
#define TT_FN(f)             tt_fn_any(0, f)
extern "C" {
#else
#define TT_FN(f)                                                                                                       \
    _Generic((f), tt_fn: tt_fn_same, tt_f0 *: tt_fn_of0, tt_f1 *: tt_fn_of1, tt_f2 *: tt_fn_of2, tt_f3 *: tt_fn_of3,   \
             tt_f4 *: tt_fn_of4, tt_f5 *: tt_fn_of5, tt_f6 *: tt_fn_of6, tt_f7 *: tt_fn_of7, tt_f8 *: tt_fn_of8,       \
             default: tt_fn_wrong)(0, f)
#endif
/* A C function with an environment, for closures: f(env, n, args). size > 0: env's bytes are copied, f gets the copy,
 * and they are part of the cache key; size 0: f gets env itself, and its address is. nargs -1: any number. */
TT_API tt_fn tt_bind_env(const char *name, tt_env_f *f, void *env, size_t size, int nargs);

#define tt_call(...)         TT_CALL_(TT_AT("tt_call(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_CALL_(at, f, ...) tt_call_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API tt_val tt_call_at(const char *site, tt_fn f, const tt_val *args);
TT_API tt_val tt_call_n(const char *site, tt_fn f, int n, const tt_val *args);
#define tt_eval_shape(...)   TT_EVAL_SHAPE_(TT_AT("tt_eval_shape(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EVAL_SHAPE_(at, f, ...) tt_eval_shape_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
/* Types of the result, nothing computed */
TT_API tt_val tt_eval_shape_at(const char *site, tt_fn f, const tt_val *args);

/* jit: traced once per types of arguments, compiled, cached. donate: argument numbers ("0" or "0, 2") whose memory
 * may be reused; they are consumed. in, out: specs per argument and per item of the result ("data, _; _"), on mesh.
 * rules: logical axis to mesh axis ("batch:data, hidden:model"), taken in their order, as Flax does; on .mesh, the mesh
 * in use or that of the arguments, and where there is none, as in Flax, nothing is laid out. reproducible:
 * bits independent of rows, mesh and workers. strict: a gather of more bytes than this that was not requested (by
 * tt_shard, .out or a spec) is an error at the line that wants it; strict = 1: any. Of a jit that another function
 * calls, in and out lay values out as tt_shard does, and rules are in force within; donate, reproducible and strict are
 * those of the call at top level, tt_grad(tt_jit(f, .reproducible = 1)) too. */
typedef struct tt_jit_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *rules TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT, *donate TT_DEFAULT;
    int reproducible TT_DEFAULT;
    int64_t strict TT_DEFAULT;
} tt_jit_opts;
#define tt_jit(...)          TT_JIT_(TT_AT("tt_jit(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_JIT_(at, f, ...)  tt_jit_at(at, TT_FN(f), TT_OPTS(tt_jit_opts, __VA_ARGS__))
TT_API tt_fn tt_jit_at(const char *site, tt_fn f, const tt_jit_opts *);

/* Derivatives of a function whose result is a scalar (aux: whose first item is; the others are passed on). wrt:
 * argument numbers, default "0"; several give a tuple of gradients; a frozen leaf of integers has one without
 * elements. value_and_grad gives (value, gradient), with aux (value, aux…, gradient). */
typedef struct tt_grad_opts { TT_OPTION_HEAD const char *wrt TT_DEFAULT; int aux TT_DEFAULT; } tt_grad_opts;
#define tt_grad(...)         TT_GRAD_(TT_AT("tt_grad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GRAD_(at, f, ...) tt_grad_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
TT_API tt_fn tt_grad_at(const char *site, tt_fn f, const tt_grad_opts *);
#define tt_value_and_grad(...) TT_VALGRAD_(TT_AT("tt_value_and_grad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VALGRAD_(at, f, ...) tt_value_and_grad_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
TT_API tt_fn tt_value_and_grad_at(const char *site, tt_fn f, const tt_grad_opts *);
/* jvp: a function of (primals, tangents), two tuples, giving (result, tangent). vjp: of (primals, cotangent) giving
 * (result, cotangents), cotangents a tuple with none for integers. An integer's tangent is left out, or is f32[0]: what
 * tt_grad gives for it. hessian of a scalar function of argument wrt. */
#define tt_jvp(f)            tt_jvp_at(TT_AT("tt_jvp(" #f ")"), TT_FN(f))
#define tt_vjp(f)            tt_vjp_at(TT_AT("tt_vjp(" #f ")"), TT_FN(f))
#define tt_hessian(f)        tt_hessian_at(TT_AT("tt_hessian(" #f ")"), TT_FN(f))
TT_API tt_fn tt_jvp_at(const char *site, tt_fn f), tt_vjp_at(const char *site, tt_fn f),
    tt_hessian_at(const char *site, tt_fn f);
/* Custom derivatives. vjp: fwd(args…) gives (result, residuals), bwd(residuals, cotangent) gives a cotangent per
 * argument (a tuple; the bare one for one argument). jvp: rule(primals, tangents) gives (result, tangent). tangent:
 * of (primals, result, tangents) it gives the result's tangent; the result is f's, whose own derivative is this one
 * again, to any order: exp is (x, y, dx) -> y dx. */
#define tt_custom_vjp(f, fwd, bwd) tt_custom_vjp_at(TT_AT("tt_custom_vjp(" #f ")"), TT_FN(f), TT_FN(fwd), TT_FN(bwd))
#define tt_custom_jvp(f, rule) tt_custom_jvp_at(TT_AT("tt_custom_jvp(" #f ")"), TT_FN(f), TT_FN(rule))
#define tt_custom_tangent(f, tangent) \
    tt_custom_tangent_at(TT_AT("tt_custom_tangent(" #f ")"), TT_FN(f), TT_FN(tangent))
TT_API tt_fn tt_custom_vjp_at(const char *site, tt_fn f, tt_fn fwd, tt_fn bwd),
    tt_custom_jvp_at(const char *site, tt_fn f, tt_fn rule),
    tt_custom_tangent_at(const char *site, tt_fn f, tt_fn tangent);
#define tt_stop_gradient(v)  tt_stop_gradient_at(TT_AT("tt_stop_gradient(" #v ")"), v)
TT_API tt_val tt_stop_gradient_at(const char *site, tt_val v); /* the value, with derivative zero */
#define tt_remat(f)          tt_remat_at(TT_AT("tt_remat(" #f ")"), TT_FN(f))
TT_API tt_fn tt_remat_at(const char *site, tt_fn f);     /* computed again in the backward pass instead of stored */

/* vmap: every argument and result leaf gets a mapped dim. in: per argument the dim's place or _ (not mapped), "0; _";
 * default "0" for all. out likewise. axis: a name for collectives. pmap: vmap whose axis is on a mesh axis, one
 * element per device (mesh default: one axis as long as the mapped dim). groups in collectives and JAX's older rules
 * (unchecked). */
typedef struct tt_vmap_opts {
    TT_OPTION_HEAD
    const char *axis TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT;
    int64_t length TT_DEFAULT;                           /* of the mapped dim, when no argument tells */
} tt_vmap_opts;
#define tt_vmap(...)         TT_VMAP_(TT_AT("tt_vmap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VMAP_(at, f, ...) tt_vmap_at(at, TT_FN(f), TT_OPTS(tt_vmap_opts, __VA_ARGS__))
TT_API tt_fn tt_vmap_at(const char *site, tt_fn f, const tt_vmap_opts *);
typedef struct tt_pmap_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *axis TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT, *donate TT_DEFAULT;
} tt_pmap_opts;
#define tt_pmap(...)         TT_PMAP_(TT_AT("tt_pmap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_PMAP_(at, f, ...) tt_pmap_at(at, TT_FN(f), TT_OPTS(tt_pmap_opts, __VA_ARGS__))
TT_API tt_fn tt_pmap_at(const char *site, tt_fn f, const tt_pmap_opts *);
/* shard_map: f sees its device's block of each argument as `in` cuts them (every dim must divide), and its results
 * are put together by `out`. The spec "@" of a tree: each leaf by its own axes (tt_leaf's .axes, tutti/parallel.h),
 * whole where it has none. axes: the manual axes (default: all of the mesh). Types track over which axes a value
 * varies, and a result that varies over an axis that `out` does not name is refused; unchecked = 1 takes one device's
 * copy instead. */
typedef struct tt_shard_map_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *in TT_DEFAULT, *out TT_DEFAULT, *axes TT_DEFAULT; int unchecked TT_DEFAULT;
} tt_shard_map_opts;
#define tt_shard_map(...)    TT_SHARD_MAP_(TT_AT("tt_shard_map(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SHARD_MAP_(at, f, ...) tt_shard_map_at(at, TT_FN(f), TT_OPTS(tt_shard_map_opts, __VA_ARGS__))
TT_API tt_fn tt_shard_map_at(const char *site, tt_fn f, const tt_shard_map_opts *);

/* Control flow on values. scan: f(carry, x) gives (carry, y), over dim 0 of xs's leaves; the result is (carry, ys).
 * length: the iterations, where xs has no leaves to tell them; 0: none.
 * while: cond(state) a bool scalar, body(state) the state. fori: body(i, state). cond: both functions of the same
 * values. switch: index clamped, functions of one value. Branches give the same types; a C number takes the others'.
 * Outside of compiled functions the branch that is taken is called; each other one is traced once per types of
 * arguments, and not run: its errors, and branches that differ, are told whichever is taken. Bodies likewise where
 * there is no iteration. */
typedef struct tt_scan_opts { TT_OPTION_HEAD int reverse TT_DEFAULT; int64_t length TT_DEFAULT; } tt_scan_opts;
#define tt_scan(...)         TT_SCAN_(TT_AT("tt_scan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SCAN_(at, f, carry, xs, ...) tt_scan_at(at, TT_FN(f), carry, xs, TT_OPTS(tt_scan_opts, __VA_ARGS__))
TT_API tt_val tt_scan_at(const char *site, tt_fn f, tt_val carry, tt_val xs, const tt_scan_opts *);
#define tt_while(cond, body, state) \
    tt_while_at(TT_AT("tt_while(" #cond ", " #body ", " #state ")"), TT_FN(cond), TT_FN(body), state)
TT_API tt_val tt_while_at(const char *site, tt_fn cond, tt_fn body, tt_val state);
#define tt_fori(lo, hi, body, state) \
    tt_fori_at(TT_AT("tt_fori(" #lo ", " #hi ", " #body ", " #state ")"), lo, hi, TT_FN(body), state)
TT_API tt_val tt_fori_at(const char *site, int64_t lo, int64_t hi, tt_fn body, tt_val state);
#define tt_cond(pred, yes, no, ...) \
    tt_cond_at(TT_AT("tt_cond(" #pred ", " #yes ", " #no ")"), pred, TT_FN(yes), TT_FN(no), \
               TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_cond_at(const char *site, tt_val pred, tt_fn yes, tt_fn no, const tt_val *args);
#define tt_switch(index, v, ...) \
    tt_switch_at(TT_AT("tt_switch(" #index ", " #v ")"), index, v, \
        TT_LIST(tt_fn, TT_EACH(TT_FN, __VA_ARGS__), tt_fn_end))
TT_API tt_val tt_switch_at(const char *site, tt_val index, tt_val v, const tt_fn *branches);

/* ---- meshes and layouts ---- */

/* A mesh is text: names and sizes, major axis first. The compiler lays values out over its axes; of "data:2 explicit,
 * model:4" data is explicit: every value's layout over it is known while a function is traced (tt_spec answers there),
 * follows from its operands' and is never chosen. Where it does not follow, as for a product whose summed dim both
 * operands cut, tt_shard around it says it: tt_shard(tt_matmul(x, w), mesh, "data, _"); any other use is an error.
 * order: device ids, row-major */
typedef struct tt_mesh_opts {
    TT_OPTION_HEAD
    const int64_t *order TT_DEFAULT;
} tt_mesh_opts;
#define tt_mesh(...)         TT_MESH_(TT_AT("tt_mesh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MESH_(at, text, ...) tt_mesh_at(at, text, TT_OPTS(tt_mesh_opts, __VA_ARGS__))
TT_API tt_mesh tt_mesh_at(const char *site, const char *text, const tt_mesh_opts *);     /* "data:2, model:4" */
TT_API int64_t tt_mesh_size(tt_mesh m, const char *axis);        /* axis NULL: devices; 0: no such axis */
TT_API const char *tt_mesh_spec(tt_mesh m);              /* "data:2, model:4", as tt_mesh reads it */
TT_API int64_t tt_device_id(tt_mesh m, int64_t place);   /* the device at a row-major place of the mesh */
/* TUTTI=devices:N, else the largest mesh so far, else the cores */
TT_API int64_t tt_device_count(void);
/* Lays a value (or each leaf of a tree) out: dim by dim the mesh axes it is sharded over. Uneven dims are allowed; with
 * TUTTI=even they are errors, and inside a traced function lose the axes that do not fit, as in JAX. */
#define tt_shard(v, mesh, spec) tt_shard_at(TT_AT("tt_shard(" #v ", " #mesh ", " #spec ")"), v, mesh, spec)
TT_API tt_val tt_shard_at(const char *site, tt_val v, tt_mesh mesh, const char *spec);
#define tt_logical_constraint(v, names) \
    tt_logical_constraint_at(TT_AT("tt_logical_constraint(" #v ", " #names ")"), v, names)
/* Logical axes of a value; the jit's rules lay it out */
TT_API tt_val tt_logical_constraint_at(const char *site, tt_val v, const char *names);
TT_API const char *tt_spec(tt_val v);                    /* "data, _"; "": no layout. Lives as long as the program */
TT_API tt_mesh tt_mesh_of(tt_val v);
/* true if v has this layout; equivalent layouts are equal */
TT_API bool tt_has_layout(tt_val v, tt_mesh mesh, const char *spec);
/* Copies what device (row-major number in the mesh) holds, with its place; false: out of range. lo, n may be NULL. */
#define tt_addressable_data(v, device, lo, n, to, bytes) \
    tt_addressable_data_of(TT_AT("tt_addressable_data(" #v ", " #device ")"), v, device, lo, n, to, bytes)
TT_API bool(tt_addressable_data)(tt_val v, int64_t device, int64_t *lo, int64_t *n, void *to, size_t bytes);
/* An array made block by block: fill(env, lo, n, to) writes the dense row-major box [lo, lo + n) of the whole, once for
 * each distinct block of the layout. False: it failed, and so does this, with the error that it set (tt_fail_at), else
 * with one that names the block. Without a mesh there is one block. */
typedef bool tt_fill(void *env, const int64_t *lo, const int64_t *n, void *to);
#define tt_array_from_callback(dtype, dims, mesh, spec, fill, env) \
    tt_array_from_callback_at(TT_AT("tt_array_from_callback(" #dtype ", " #dims ", " #fill ")"), dtype, dims, mesh, \
        spec, fill, env)
TT_API tt_val tt_array_from_callback_at(const char *site, tt_dtype dtype, const int64_t *dims, tt_mesh mesh,
    const char *spec,
    tt_fill *fill, void *env);
/* The older guides' pair: a new leading dim of size n with one copy per device of the mesh's axis; and its first
 * element. */
#define tt_replicate(v, mesh) tt_replicate_at(TT_AT("tt_replicate(" #v ", " #mesh ")"), v, mesh)
#define tt_unreplicate(v)    tt_unreplicate_at(TT_AT("tt_unreplicate(" #v ")"), v)
TT_API tt_val tt_replicate_at(const char *site, tt_val v, tt_mesh mesh), tt_unreplicate_at(const char *site, tt_val v);

/* The mesh in use on this thread, and the rules: what tt_jit, tt_pmap and tt_shard_map that are made here take when
 * they are given no mesh.
 *     for (TT_WITH(mesh, .rules = "batch:data, hidden:model")) step = tt_jit(train);
 * Nested ones replace what is around them. tt_current_mesh(): the mesh in use; tt_set_mesh and tt_restore_mesh are the
 * two ends of the loop. Leave it by its end, not by break or return. */
typedef struct tt_set_mesh_opts { TT_OPTION_HEAD const char *rules TT_DEFAULT; } tt_set_mesh_opts;
typedef struct { tt_mesh mesh; const char *rules; } tt_mesh_context;
#define TT_WITH(...) \
    tt_mesh_context tt_was_ = tt_set_mesh(__VA_ARGS__), *tt_in_ = &tt_was_; tt_in_; \
    tt_in_ = (tt_restore_mesh(tt_was_), (tt_mesh_context *)0)
#define tt_set_mesh(...)     TT_SET_MESH_(TT_AT("tt_set_mesh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SET_MESH_(at, m, ...) tt_set_mesh_at(at, m, TT_OPTS(tt_set_mesh_opts, __VA_ARGS__))
/* what was in use before */
TT_API tt_mesh_context tt_set_mesh_at(const char *site, tt_mesh m, const tt_set_mesh_opts *);
TT_API void tt_restore_mesh(tt_mesh_context was);
TT_API tt_mesh tt_current_mesh(void);

/* ---- scopes, loops ---- */

typedef struct tt_loop_opts { TT_OPTION_HEAD const char *bar TT_DEFAULT; } tt_loop_opts;
/* For (tt_loop it = tt_steps(1000, .bar = "train"); tt_next(&it); ) { ... it.i ... } */
#define tt_steps(...)        TT_STEPS_(TT_AT("tt_steps(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_STEPS_(at, n, ...) tt_steps_of(at, n, TT_OPTS(tt_loop_opts, __VA_ARGS__))
TT_API void tt_steps_at(const char *site, int64_t n, const tt_loop_opts *, tt_loop *out);
static inline tt_loop tt_steps_of(const char *site, int64_t n, const tt_loop_opts *o)
{
    tt_loop l;
    tt_steps_at(site, n, o, &l);
    return l;
}
/* Closes the iteration's scope, opens the next; 0 at the end or after an error */
TT_API int tt_next(tt_loop *);
/* A line beside the bar, evaluated only when the bar repaints: tt_note(&it, "loss %.3f", tt_num(l)). */
#define tt_note(loop, ...)   ((void)(tt_note_due(loop) && tt_note_at(loop, __VA_ARGS__)))
TT_API int tt_note_due(tt_loop *), tt_note_at(tt_loop *, const char *fmt, ...) TT_FORMAT(2, 3);
#define tt_assign(slot, v)   tt_assign_at(TT_AT("tt_assign(" #slot ", " #v ")"), slot, v)
/* *slot = v, in the slot's own scope; an empty slot takes the nearest scope that is no loop's */
TT_API void tt_assign_at(const char *site, tt_val *slot, tt_val v);
typedef struct { struct tt_scope_s *p; } tt_scope;
TT_API tt_scope tt_scope_open(void);
TT_API void tt_scope_close(tt_scope);
TT_API void tt_own(void *p, void (*freed)(void *));      /* the current scope calls freed(p) when it closes */
TT_API tt_val tt_keep(tt_val v);
TT_API void tt_drop(tt_val v);
TT_API void tt_wait(tt_val v);                           /* until it is computed */

/* ---- showing, errors, switches ---- */

/* A name for what is written in the loop's body: plans, profiles and errors have it after the line, "[sync/metrics]"
 * when they nest. It changes no value and no program.
 *     for (TT_NAMED_SCOPE("sync_gradients")) grads = tt_pmean(grads, "data");
 * Leave it by its end, not by break or return. */
#define TT_NAMED_SCOPE(name) \
    const char *tt_was_ = tt_named_scope_enter(name), *tt_in_ = ""; tt_in_; \
    tt_in_ = (tt_named_scope_exit(tt_was_), (const char *)0)
TT_API const char *tt_named_scope_enter(const char *name); /* what was in force before; NULL: nothing */
TT_API void tt_named_scope_exit(const char *was);

#define tt_show(v)           tt_show_at(TT_AT("tt_show(" #v ")"), v)
/* Type with layout, and elements (long ones abridged); trees with paths */
TT_API void tt_show_at(const char *site, tt_val v);
TT_API const char *tt_type_text(tt_val v);               /* "f32[4, 256, 1024@model]"; lives as long as the program */
/* The elements of an array as NumPy prints them, "1.4580092", "[3 0 1 2]"; of what has none, its type. Lives till this
 * thread has asked for 1,024 later ones, or ends. */
TT_API const char *tt_value_text(tt_val v);
/* In JAX's words: form "spec" PartitionSpec('data', None), "sharding" NamedSharding(...), and the others of
 * tutti/layout.h. "": no layout, or with the error set a form that there is not. */
#define tt_text(v, form)     tt_text_at(TT_AT("tt_text(" #v ", " #form ")"), v, form)
TT_API const char *tt_text_at(const char *site, tt_val v, const char *form);
typedef struct { tt_code code; const char *message; const char *site; const char *hint; } tt_error_info;
TT_API int tt_ok(void);                                  /* no error so far on this thread */
TT_API const char *tt_error(void);                       /* the whole text of the first error; "": none (tt_ok) */
/* Its parts; code TT_OK and empty texts: none. What an error lacks, a site or a hint, is empty too. */
TT_API const tt_error_info *tt_error_record(void);
TT_API void tt_clear(void);                              /* forgets the error, and a Ctrl-C, and goes on */
/* Instead of printing to stderr */
TT_API void tt_on_error(void (*handler)(const tt_error_info *, void *env), void *env);
/* Fails as a library call does; returns poison. For functions written on top of Tutti. */
TT_API tt_val tt_fail_at(const char *site, tt_code code, const char *fmt, ...) TT_FORMAT(3, 4);
TT_API void tt_hint(const char *fmt, ...) TT_FORMAT(1, 2);
/* The hint for a word (n letters; -1: all) that is none of `words`: tt_hint_choices("the forms are", w, -1, "a, b")
 * says "the forms are: a, b", after the one that the word is close to, if there is one. */
TT_API void tt_hint_choices(const char *lead, const char *word, int n, const char *words);
/* Keeps a copy of `bytes` bytes until this thread keeps the next of the kind, or ends; returns the copy. For functions
 * written on top of Tutti that hand out texts: return tt_keep_latest("my summary", text, strlen(text) + 1). NULL with
 * the error set: out of memory. */
TT_API const void *tt_keep_latest(const char *kind, const void *data, size_t bytes);
/* Forgets what was traced and compiled so far, as far as no other thread runs it: it is made again when it is called.
 * The caches are bounded without it: 2,048 compiled calls, 1 GiB or an eighth of the memory, least recently used out.
 */
TT_API void tt_clear_caches(void);
/* Closes what is open; the code of the first error, of this thread or else of another; 0: none. Ends main. A program
 * that ends without it waits for the savers of all its threads; when an error was met that it neither cleared nor asked
 * for, and main says 0, it is told so and the exit status is the error's. */
TT_API int tt_done(void);
TT_API bool tt_config(const char *words);                /* as the variable TUTTI: "ir:train, plan, devices:4" */
/* What follows its colon ("" when nothing does); NULL: not in force */
TT_API const char *tt_config_value(const char *word);
TT_API void tt_reproducible(int on);                     /* from here on: bits independent of rows, mesh and workers */
/* How many threads compute, from the next call on (256 at most), in place of one per core that the process may use
 * (taskset) or TUTTI=workers:N: tt_threads(1) leaves the other cores to the program. Returns the number in force;
 * tt_threads(0) only asks. Waits for calls that run on other threads; values never depend on it. 0 with an error: n is
 * negative. TUTTI=pin binds each of them but the caller's to a core of its own. */
#define tt_threads(n)        tt_threads_at(TT_AT("tt_threads(" #n ")"), n)
TT_API int tt_threads_at(const char *site, int n);
/* The compiled plan as TUTTI=plan prints it */
TT_API const char *tt_plan_text(const char *site, tt_fn f, const tt_val *args);
typedef struct {
    int64_t kernels, distinct, exchanges, exchange_bytes, arena_bytes, steps; double trace_s, compile_s;
} tt_plan_counts;
TT_API bool tt_plan_count(const char *site, tt_fn f, const tt_val *args, tt_plan_counts *);
TT_API const char *tt_ir_text(const char *site, tt_fn f, const tt_val *args);    /* the traced function as IR text */
TT_API const char *tt_doctor(void);                      /* what was found: CPU, engines, plug-ins, threads */
/* A line for people on stdout, beside the progress bar */
TT_API void tt_print(const char *fmt, ...) TT_FORMAT(1, 2);

/* TT_E("2*x - 1 + 0.5*noise", x, noise): a formula over the named values: + - * / ^, parentheses, numbers (1/3 is a
 * third), calls of unary functions. */
#define TT_E(formula, ...) \
    tt_formula_at(TT_AT("TT_E(" formula ")"), formula, #__VA_ARGS__, TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_formula_at(const char *site, const char *formula, const char *names, const tt_val *v);

#ifdef __cplusplus
}
#endif

#include <tutti/memory.h>
#include <tutti/ops.h>
#include <tutti/array.h>
#include <tutti/collectives.h>
#include <tutti/form.h>
#include <tutti/linalg.h>
#include <tutti/num.h>
#include <tutti/numpy.h>
#include <tutti/random.h>
#include <tutti/nn.h>
#include <tutti/parallel.h>
#include <tutti/optim.h>
#include <tutti/data.h>
#include <tutti/ckpt.h>
#include <tutti/viz.h>
#include <tutti/explain.h>
#include <tutti/layout.h>
#include <tutti/program.h>

#endif
