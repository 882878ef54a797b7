/* tutti.h - Tutti: write a numerical program once, as if for one device; run it on a mesh of devices.
 *
 * A value is an immutable array or a tree of values.
 * A function takes values and returns a value.
 * A transform takes a function and returns a function.
 * A mesh names devices on a grid; a spec says over which mesh axes each dim of an array is sharded.
 * A scope owns the values that are created in it.
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
 * Memory: a value is created in the current scope and is freed with that scope; tt_assign() replaces a value in the
 * scope of its slot, so that the value outlives a loop iteration; tt_keep() keeps a value for C or another language
 * until tt_drop().
 *
 * Errors: a failed call returns a poisoned value and prints once, before it returns: the message, the line, the
 * operands with their lines, and a hint. Later calls on poison do nothing; loops end; tt_done() returns the error's
 * code as exit status. No function here exits or aborts. A failed call that returns a text or a report returns an
 * empty one, never NULL. Only tt_name, tt_tag, tt_leaf_axes, tt_config_value and tt_named_scope_enter return NULL,
 * which means "there is none".
 * Each thread has its own error; tt_done() returns the error of any thread. Ctrl-C ends loops, not calls: the code
 * after the loop runs, so that a program can save; tt_done() returns 130. The second Ctrl-C ends the program.
 *
 * Options are written `.name = value` after the arguments. An option that is not written has its default; a written
 * option takes effect, whatever its value: .decay = 0 is no decay, and so is .decay = d with d == 0.
 *
 * Notation, one for specs, rules and axes: `,` between dims, `;` between arguments, `+` joins mesh axes, `_` none,
 * `a:b` maps. One item for several arguments is for all of them; with a final `;` ("x;") the text is a list of one
 * item.
 *
 * Longer than 400 lines: what every program uses is in one header; tutti/<part>.h have the rest. */
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
/* compilers check the arguments against the format */
#define TT_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TT_API
#define TT_NODISCARD
#define TT_UNUSED
#define TT_FORMAT(fmt, args)
#endif
/*     puts("made with Tutti " TT_VERSION); */
#define TT_VERSION "0.1.0"

/* ---- handle types, passed by value ---- */

typedef struct { uint32_t slot, born; } tt_val;          /* an immutable array, or a tree of values */
typedef struct { uint32_t slot, born; } tt_fn;           /* a function of values */
typedef struct { const struct mesh *p; } tt_mesh;        /* devices on a grid whose axes have names */
/* the frame in which a module runs (tutti/nn.h); `alive` lives as long as what p points to (tt_is_live_at) */
typedef struct { struct tt_frame_s *p; tt_val alive; } tt_nn;
typedef struct { int64_t i, n; tt_val batch; struct tt_scope_s *scope; tt_val alive; } tt_loop;

typedef tt_val tt_f0(void);
typedef tt_val tt_f1(tt_val);
typedef tt_val tt_f2(tt_val, tt_val);
typedef tt_val tt_f3(tt_val, tt_val, tt_val);
typedef tt_val tt_f4(tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f5(tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f6(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f7(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
typedef tt_val tt_f8(tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val, tt_val);
/* for tt_bind and language bindings: any number of values */
typedef tt_val tt_env_f(void *env, int n, const tt_val *args);

/* ---- how the macros are built: a site, an argument list, options. Each argument is expanded once ---- */

#define TT_STR_(x)           #x
#define TT_STR(x)            TT_STR_(x)
#ifdef TT_NO_SITES
#define TT_AT(text)          ((const char *)0)
#else
#define TT_AT(text)          __FILE__ ":" TT_STR(__LINE__) ": " text      /* one static string */
#endif
/*     const int64_t dims[] = { 8, 14, 14, 1, TT_DIM_END }; tt_val small = tt_image_resize(images, dims); */
#define TT_DIM_END           INT64_MIN
#ifdef __cplusplus
}
#include <initializer_list>
#define TT_LIST(T, ...)      (std::initializer_list<T>{ __VA_ARGS__ }.begin())
#define TT_OPTS(T, ...)                                                                                                \
    ([&]() -> const T * {                                                                                              \
        static thread_local T o_;                                                                                      \
        o_ = __extension__ T{ .size = sizeof(T), .given = __extension__ #__VA_ARGS__, __VA_ARGS__ };                   \
        return &o_;                                                                                                    \
    }())
#define TT_VAL_LIT(s, b)     (tt_val{ s, b })
#define TT_FN_LIT(s, b)      (tt_fn{ s, b })
extern "C" {
#else
#define TT_LIST(T, ...)      ((T const[]){ __VA_ARGS__ })
#define TT_OPTS(T, ...) \
    (&(const T){ .size = sizeof(T), .given = __extension__ #__VA_ARGS__, __VA_ARGS__ })  /* of any length */
#define TT_VAL_LIT(s, b)     ((tt_val){ s, b })
#define TT_FN_LIT(s, b)      ((tt_fn){ s, b })
#endif
/*     const tt_val list[] = { x, y, tt_end }; const tt_fn functions[] = { TT_FN(f), tt_fn_end };
 *     if (tt_rank(x) != 2) return tt_poison; */
#define tt_end               TT_VAL_LIT(UINT32_MAX, UINT32_MAX)           /* ends a list of values */
#define tt_poison            TT_VAL_LIT(UINT32_MAX - 1, 1)        /* the result of a failed call */
#define tt_fn_end            TT_FN_LIT(UINT32_MAX, UINT32_MAX)            /* ends a list of functions */
/* Every option struct begins with three fields:
 * - size: its size in bytes;
 * - given: the text of the options as the call writes them, by which an option that is given as 0 differs from an
 *   option that is not given;
 * - name_your_options: a field that no positional argument can fill without a warning.
 *
 * A binding or a library that fills such a struct without TT_OPTS names in `given` the options whose zero is meant:
 * ".decay, .rate". All other zeros are defaults, and so is NULL in the place of the struct. The macro after each option
 * gives its range: TT_FROM_1, 1 or more; TT_ABOVE_0, above 0; TT_DEFAULT, whatever the option's call accepts.
 *     typedef struct my_opts { TT_OPTION_HEAD int64_t depth TT_FROM_1; const char *mode TT_DEFAULT; } my_opts; */
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
/* For functions with options that are written on top of Tutti: returns the options of a call, or all defaults where o
 * is NULL. Returns NULL with the error set if an argument was passed in the place of an option, an option that is a
 * text or a value is given as 0 (.dims = 0), a number is out of its range, or the struct is of another version.
 * TT_CHECKED assigns the result to o:
 *     if (!TT_CHECKED(tt_reduce_opts, site, "mean", o)) return tt_poison; */
#define TT_CHECKED(T, site, what, o) (((o) = (const T *)tt_options_at(site, what, #T, o)) != NULL)
TT_API const void *tt_options_at(const char *site, const char *what, const char *type, const void *o);
/* True if an option struct's `given` names the option: tt_given(o, "decay"). Needed only where the option's field is
 * 0.
 *     if (tt_given(o, "dims")) puts("dims were given, even as 0"); */
TT_API bool tt_given(const void *options, const char *name);
/* For an option that is an option struct itself (.norm = { .eps = 0 }, .norm.eps = 0): writes the part of `given` that
 * concerns the inner struct, ".eps", into `to`. NULL: nothing is given.
 *     char part[64]; tt_given_in(o, "norm", part, sizeof part); */
TT_API const char *tt_given_in(const void *options, const char *name, char *to, size_t capacity);

/* ---- values from and to C ---- */

/* A weak float scalar: takes the other operand's type (else f32). With TUTTI=x64, as under jax_enable_x64, C numbers
 * have 64 bits where no operand determines their type: an integer array with tt_f is f64. Sums of small integers also
 * have 64 bits then.
 *     tt_add(x, tt_f(0.5)), tt_mul(x, tt_i(2)), tt_where(tt_b(true), x, y); */
TT_API tt_val tt_f(double x);
/* A weak integer scalar (else i32; above 32 bits i64); tt_i(0.5) does not compile. */
TT_API tt_val tt_i(int64_t x);
#define tt_i(x)              tt_i(TT_INTEGER(x))
TT_API tt_val tt_b(bool x);
/* Copies dense row-major elements: tt_array(TT_F32, data, 2, 3). It is an error if the C type
 * of data does not fit the dtype, or an array is smaller than the dims need (tutti/memory.h). tt_read, tt_read_box and
 * tt_addressable_data check their destination in the same way.
 *     float rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; tt_val m = tt_array(TT_F32, rows, 2, 3);
 *     tt_zeros(TT_F32, 2, 3), tt_ones(TT_I32, 4), tt_full(0.1, TT_F32, 2, 3); */
#define tt_array(...)        TT_ARRAY_(TT_AT("tt_array(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_ARRAY_(at, dtype, data, ...) tt_array_of(at, dtype, data, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_array_at(const char *site, tt_dtype dtype, const void *data, const int64_t *dims);
#define tt_zeros(...)        TT_FULL_(TT_AT("tt_zeros(" #__VA_ARGS__ ")"), 0.0, __VA_ARGS__, TT_DIM_END)
#define tt_ones(...)         TT_FULL_(TT_AT("tt_ones(" #__VA_ARGS__ ")"), 1.0, __VA_ARGS__, TT_DIM_END)
/* x must be a value of an integer dtype: 2.5, or 300 as TT_I8, is an error. */
#define tt_full(x, ...)      TT_FULL_(TT_AT("tt_full(" #x ", " #__VA_ARGS__ ")"), x, __VA_ARGS__, TT_DIM_END)
#define TT_FULL_(at, x, dtype, ...) TT_FULL_OF_(x)(at, x, dtype, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_full_at(const char *site, double x, tt_dtype dtype, const int64_t *dims);
/* A literal of C as a constant: a number, or numbers in nested braces, which are the dims:
 *     tt_const(TT_F32, { { 1, 0.5 }, { -1e-3, 2.0 / 3 } });        // f32[2, 2]
 *     tt_const(TT_BOOL, { true, false }), tt_const(TT_I32, 7);
 * The text of the arguments is read, after macros are expanded: numbers, true, false, INFINITY, NAN, + - * / and
 * parentheses; variables are an error (tt_array copies from memory). So are rows of different lengths, a number that
 * the type does not have (300 as TT_I8, 0.5 as TT_I32), and a quotient of integers, which C would truncate. */
#define tt_const(dtype, ...) \
    tt_const_at(TT_AT("tt_const(" #dtype ", " #__VA_ARGS__ ")"), dtype, TT_EXPANDED_(__VA_ARGS__))
#define TT_EXPANDED_(...)    __extension__ #__VA_ARGS__
TT_API tt_val tt_const_at(const char *site, tt_dtype dtype, const char *literal);
/* tt_arange(dtype, stop), (dtype, start, stop) or (dtype, start, stop, step): start, start + step, ... up to, not
 * including, stop; start is 0 and step 1 by default; a step may be negative. Element i is start + i step, of floats of
 * 16 bits in float32, as in JAX. Errors: a number that an integer type does not have, step 0, a negative stop without
 * a start.
 *     tt_arange(TT_I32, 5), tt_arange(TT_F32, 1, 2, 0.25), tt_arange(TT_I32, 5, 0, -1); */
#define tt_arange(dtype, ...) \
    tt_arange_of_at(TT_AT("tt_arange(" #dtype ", " #__VA_ARGS__ ")"), dtype, \
        TT_LIST(double, TT_EACH(TT_REAL_, __VA_ARGS__), TT_REALS_END))
#define TT_REAL_(x)          (double)(x)
#define TT_REALS_END         1.7976931348623157e308
TT_API tt_val tt_arange_at(const char *site, tt_dtype dtype, int64_t n);         /* 0 .. n-1 */
TT_API tt_val tt_arange_of_at(const char *site, tt_dtype dtype, const double *numbers);
/* An abstract value: a dtype and dims, no elements. For tt_eval_shape, tt_plan, and as the expected form of a tree that
 * is loaded.
 *     tt_val big = tt_shape(TT_F32, 1 << 20, 256), same = tt_like(x); */
#define tt_shape(...)        TT_SHAPE_(TT_AT("tt_shape(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_SHAPE_(at, dtype, ...) tt_shape_at(at, dtype, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_shape_at(const char *site, tt_dtype dtype, const int64_t *dims);
#define tt_like(v)           tt_like_at(TT_AT("tt_like(" #v ")"), v)
TT_API tt_val tt_like_at(const char *site, tt_val v);    /* the abstract value of a value; of a tree, leaf by leaf */

/*     double l = tt_num(tt_sum(x)); float out[6]; tt_read(x, out, sizeof out); */
#define tt_num(v)            tt_num_at(TT_AT("tt_num(" #v ")"), v)
TT_API double tt_num_at(const char *site, tt_val v);     /* a scalar as a C number; waits; NaN on an error */
#define tt_read(v, to, bytes) tt_read_of(TT_AT("tt_read(" #v ")"), v, to, bytes)
/* Copies dense row-major elements; bytes must be the exact size */
TT_API bool tt_read_at(const char *site, tt_val v, void *to, size_t bytes);
/* tt_read_box(v, lo, n, to): copies the box [lo, lo + n) of v, dense row-major
 *     int64_t lo[] = { 0, 1 }, n2[] = { 2, 2 }; float box[4]; tt_read_box(x, lo, n2, box);
 *     printf("%zu bytes of %s\n", tt_bytes(params), tt_dtype_name(tt_dtype_of(x))); */
#define tt_read_box(v, lo, n, to) tt_read_box_of(TT_AT("tt_read_box(" #v ", " #lo ", " #n ")"), v, lo, n, to)
TT_API bool tt_read_box_at(const char *site, tt_val v, const int64_t *lo, const int64_t *n, void *to);
#define tt_bytes(v)          tt_bytes_at(TT_AT("tt_bytes(" #v ")"), v)
TT_API size_t tt_bytes_at(const char *site, tt_val v);   /* of the global array; of a tree: the sum of its leaves */
#define tt_dtype_of(v)       tt_dtype_of_at(TT_AT("tt_dtype_of(" #v ")"), v)
TT_API tt_dtype tt_dtype_of_at(const char *site, tt_val v);
/* NumPy's letters: 'b' bool, 'i' and 'u' integers, 'f' floats, 'c' complex numbers; '?': not a dtype
 *     if (tt_dtype_kind(tt_dtype_of(x)) == 'f') puts("floats"); */
TT_API char tt_dtype_kind(tt_dtype d);
TT_API const char *tt_dtype_name(tt_dtype d);            /* "f32"; "no dtype" if d is not a dtype */
/* True if the dtype's values are integers (bool is not). Then *least and *most are its range, as in numpy.iinfo;
 * otherwise 0 and 0. Either pointer may be NULL
 *     int64_t least; uint64_t most; if (tt_int_range(TT_I8, &least, &most)) printf("up to %d\n", (int)most);
 *     for (int d = 0; d < tt_rank(x); d++) printf("%d\n", (int)tt_dim(x, d));
 *     printf("%d elements\n", (int)tt_count(x)); */
TT_API bool tt_int_range(tt_dtype d, int64_t *least, uint64_t *most);
#define tt_rank(v)           tt_rank_at(TT_AT("tt_rank(" #v ")"), v)
TT_API int tt_rank_at(const char *site, tt_val v);       /* of an array; a tree: -1 */
#define tt_dim(v, i)         tt_dim_at(TT_AT("tt_dim(" #v ", " #i ")"), v, i)
TT_API int64_t tt_dim_at(const char *site, tt_val v, int i); /* negative i counts from the end; poison: 1 */
#define tt_count(v)          tt_count_at(TT_AT("tt_count(" #v ")"), v)
TT_API int64_t tt_count_at(const char *site, tt_val v);  /* number of elements */
/* True if the value is known only when the function runs
 *     if (!tt_is_traced(x)) printf("%g\n", tt_num(x)); */
#define tt_is_traced(v)      tt_is_traced_at(TT_AT("tt_is_traced(" #v ")"), v)
TT_API bool tt_is_traced_at(const char *site, tt_val v);

/* ---- functions and transforms ---- */

/* A C function as a tt_fn. name NULL: the name is taken from the first call that gets the function, "loss" of
 * tt_grad(loss).
 *     tt_fn_of0(NULL, f0), tt_fn_of1("half", f), tt_fn_of2(NULL, f2), tt_fn_of3(NULL, f3), tt_fn_of4(NULL, f4);
 *     tt_fn_of5(NULL, f5), tt_fn_of6(NULL, f6), tt_fn_of7(NULL, f7), tt_fn_of8(NULL, f8);
 *     tt_fn half = TT_FN(f), same = TT_FN(half); */
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
 * and the bytes are part of the cache key. size 0: f gets env itself, and env's address is part of the key. nargs -1:
 * any number of arguments.
 *     tt_fn scaled = tt_bind_env("scaled", with_env, &rate, sizeof rate, 1); */
#define tt_bind_env(name, f, env, size, nargs) \
    tt_bind_env_at(TT_AT("tt_bind_env(" #name ", " #f ", " #env ")"), name, f, env, size, nargs)
TT_API tt_fn tt_bind_env_at(const char *site, const char *name, tt_env_f *f, void *env, size_t size, int nargs);

/*     tt_val one = tt_call(f, x), two = tt_call(f2, x, y), three = tt_call_n(0, TT_FN(f2), 2, (tt_val[]){ x, y });
 *     printf("%s\n", tt_type_text(tt_eval_shape(f2, tt_shape(TT_F32, 8, 4), y))); */
#define tt_call(...)         TT_CALL_(TT_AT("tt_call(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_CALL_(at, f, ...) tt_call_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API tt_val tt_call_at(const char *site, tt_fn f, const tt_val *args);
TT_API tt_val tt_call_n(const char *site, tt_fn f, int n, const tt_val *args);
#define tt_eval_shape(...)   TT_EVAL_SHAPE_(TT_AT("tt_eval_shape(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EVAL_SHAPE_(at, f, ...) tt_eval_shape_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
/* Types of the result; computes nothing */
TT_API tt_val tt_eval_shape_at(const char *site, tt_fn f, const tt_val *args);

/* jit: the function is traced once per types of arguments, compiled, and cached.
 * - donate: argument numbers ("0" or "0, 2") whose memory may be reused; the call consumes these arguments.
 * - in, out: specs per argument and per item of the result ("data, _; _"), on mesh.
 * - rules: logical axis to mesh axis ("batch:data, hidden:model"), applied in order, as in Flax; on .mesh, else the
 *   mesh in use, else the arguments' mesh; where there is no mesh, nothing is laid out, as in Flax.
 * - reproducible: bits do not depend on rows, mesh or workers.
 * - strict: a gather of more bytes than this that was not requested (by tt_shard, .out or a spec) is an error at the
 *   line whose operand needs the gather; strict = 1: any gather; 0: none, under TUTTI=strict too (default: as there).
 *
 * If another function calls the jit, in and out lay values out as tt_shard does, and rules are in force inside the jit;
 * donate, reproducible and strict are those of the call at top level, which may also be a transform of a jit:
 * tt_grad(tt_jit(f, .reproducible = 1)).
 *     tt_fn step_fn = tt_jit(step, .donate = "0", .mesh = mesh, .rules = "batch:data, hidden:model"); */
typedef struct tt_jit_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *rules TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT, *donate TT_DEFAULT;
    int reproducible TT_DEFAULT;
    int64_t strict TT_DEFAULT;
} tt_jit_opts;
#define tt_jit(...)          TT_JIT_(TT_AT("tt_jit(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_JIT_(at, f, ...)  tt_jit_at(at, TT_FN(f), TT_OPTS(tt_jit_opts, __VA_ARGS__))
TT_API tt_fn tt_jit_at(const char *site, tt_fn f, const tt_jit_opts *);

/* Derivatives of a function whose result is a scalar (aux: a tuple whose first item is a scalar; the other items are
 * passed through). wrt: argument numbers, default "0"; several numbers give a tuple of gradients. The gradient of a
 * frozen integer leaf has no elements. value_and_grad returns (value, gradient), with aux (value, aux…, gradient).
 *     tt_fn by_w = tt_grad(loss), both = tt_grad(loss, .wrt = "0, 1"), with = tt_value_and_grad(loss); */
typedef struct tt_grad_opts { TT_OPTION_HEAD const char *wrt TT_DEFAULT; int aux TT_DEFAULT; } tt_grad_opts;
#define tt_grad(...)         TT_GRAD_(TT_AT("tt_grad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GRAD_(at, f, ...) tt_grad_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
TT_API tt_fn tt_grad_at(const char *site, tt_fn f, const tt_grad_opts *);
#define tt_value_and_grad(...) TT_VALGRAD_(TT_AT("tt_value_and_grad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VALGRAD_(at, f, ...) tt_value_and_grad_at(at, TT_FN(f), TT_OPTS(tt_grad_opts, __VA_ARGS__))
TT_API tt_fn tt_value_and_grad_at(const char *site, tt_fn f, const tt_grad_opts *);
/* jvp: a function of (primals, tangents), two tuples, that returns (result, tangent). vjp: a function of (primals,
 * cotangent) that returns (result, cotangents), where cotangents is a tuple without integers. An integer's tangent is
 * left out, or is f32[0], which is tt_grad's gradient of an integer. hessian: of a scalar function by argument wrt.
 *     tt_call(tt_jvp(f), tt_tuple(x), tt_tuple(dx)), tt_call(tt_vjp(f), tt_tuple(x), dy);
 *     tt_call(tt_hessian(energy), x); */
#define tt_jvp(f)            tt_jvp_at(TT_AT("tt_jvp(" #f ")"), TT_FN(f))
#define tt_vjp(f)            tt_vjp_at(TT_AT("tt_vjp(" #f ")"), TT_FN(f))
#define tt_hessian(f)        tt_hessian_at(TT_AT("tt_hessian(" #f ")"), TT_FN(f))
TT_API tt_fn tt_jvp_at(const char *site, tt_fn f), tt_vjp_at(const char *site, tt_fn f),
    tt_hessian_at(const char *site, tt_fn f);
/* Custom derivatives.
 * - vjp: fwd(args…) returns (result, residuals), bwd(residuals, cotangent) returns a cotangent per argument (a tuple;
 *   for one argument the cotangent itself).
 * - jvp: rule(primals, tangents) returns (result, tangent).
 * - tangent: rule(primals, result, tangents) returns the result's tangent. The result is f's, and its derivative is the
 *   same rule again, to any order: the rule of exp is (x, y, dx) -> y dx.
 * A rule may call its own function with the operands of the function; the call is the function's result, with the same
 * rule. With other operands the rule is traced again; 32 such calls, one within the other, are an error.
 *     tt_fn h = tt_custom_vjp(f, forward, backward), j = tt_custom_jvp(f, rule), e = tt_custom_tangent(f, tangent);
 *     tt_val target = tt_stop_gradient(y);
 *     tt_fn cheap = tt_remat(f); */
#define tt_custom_vjp(f, fwd, bwd) tt_custom_vjp_at(TT_AT("tt_custom_vjp(" #f ")"), TT_FN(f), TT_FN(fwd), TT_FN(bwd))
#define tt_custom_jvp(f, rule) tt_custom_jvp_at(TT_AT("tt_custom_jvp(" #f ")"), TT_FN(f), TT_FN(rule))
#define tt_custom_tangent(f, tangent) \
    tt_custom_tangent_at(TT_AT("tt_custom_tangent(" #f ")"), TT_FN(f), TT_FN(tangent))
TT_API tt_fn tt_custom_vjp_at(const char *site, tt_fn f, tt_fn fwd, tt_fn bwd),
    tt_custom_jvp_at(const char *site, tt_fn f, tt_fn rule),
    tt_custom_tangent_at(const char *site, tt_fn f, tt_fn tangent);
#define tt_stop_gradient(v)  tt_stop_gradient_at(TT_AT("tt_stop_gradient(" #v ")"), v)
TT_API tt_val tt_stop_gradient_at(const char *site, tt_val v); /* the same value with derivative zero */
/* f, whose values are recomputed in the backward pass, not stored (jax.checkpoint). policy: what is stored
 * nevertheless, besides the arguments that the backward pass needs, in the words of jax.checkpoint_policies:
 *   nothing_saveable                    the default
 *   everything_saveable                 all that the backward pass reads, as without tt_remat
 *   dots_saveable                       results of products and convolutions
 *   dots_with_no_batch_dims_saveable    results of products without batch dims: by weights, not those of attention
 *   save_only_these_names(a, b)         values of tt_checkpoint_name with one of these names
 *   save_any_names_but_these(a)         values of tt_checkpoint_name with another name
 *   save_anything_except_these_names(a) all but the values of these names
 * Gradients are the same. A loop inside f is stored as a whole or not at all, by the policy for its results: policies
 * do not look into its body; tt_remat of the body does.
 *     tt_val y = tt_call(tt_remat(f2, .policy = "save_only_these_names(hidden)"), x, w); */
typedef struct tt_remat_opts { TT_OPTION_HEAD const char *policy TT_DEFAULT; } tt_remat_opts;
#define tt_remat(...)        TT_REMAT_(TT_AT("tt_remat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_REMAT_(at, f, ...) tt_remat_at(at, TT_FN(f), TT_OPTS(tt_remat_opts, __VA_ARGS__))
TT_API tt_fn tt_remat_at(const char *site, tt_fn f, const tt_remat_opts *);
/* The same values under a name, for policies of tt_remat (jax.ad_checkpoint.checkpoint_name). Without a comma or a
 * parenthesis. What computed the value has no name: save_anything_except_these_names may store that instead.
 *     tt_val hidden = tt_checkpoint_name(tt_matmul(x, w), "hidden"); */
#define tt_checkpoint_name(v, name) tt_checkpoint_name_at(TT_AT("tt_checkpoint_name(" #v ", " #name ")"), v, name)
TT_API tt_val tt_checkpoint_name_at(const char *site, tt_val v, const char *name);

/* vmap: every leaf of arguments and results gets a mapped dim.
 * - in: per argument the position of the mapped dim, or _ (not mapped), "0; _"; default "0" for all.
 * - out: likewise for results.
 * - axis: a name for collectives.
 *
 * pmap: vmap whose axis is a mesh axis, one element per device (default mesh: one axis as long as the mapped dim). The
 * types of its function do not say over which axes a value varies, as in an unchecked tt_shard_map.
 *     tt_val rows_of = tt_call(tt_vmap(f2, .in = "0; _"), x, y), each = tt_call(tt_pmap(f, .axis = "i"), x); */
typedef struct tt_vmap_opts {
    TT_OPTION_HEAD
    const char *axis TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT;
    int64_t length TT_DEFAULT;                           /* of the mapped dim, if no argument has one */
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
/* shard_map: f receives its device's block of each argument, and its results are assembled.
 * - in, out: specs of the arguments (axes must divide the dims that they shard) and of the results. Specs name axes or
 *   parts of axes ("i.1.2"); '?' and '!' are errors. The spec "@" of a tree: each leaf by its own axes (tt_leaf's
 *   .axes, tutti/parallel.h); only the axes that are manual here count: a logical name shards nothing.
 * - axes: the manual axes (default: all of the mesh).
 * - unchecked: types track over which axes a value varies, and a result that varies over an axis that `out` does not
 *   name is an error; unchecked = 1 takes one device's copy instead.
 *
 *     tt_call(tt_shard_map(f, .mesh = mesh, .in = "data, _", .out = "data, _"), x); */
typedef struct tt_shard_map_opts {
    TT_OPTION_HEAD
    tt_mesh mesh TT_DEFAULT; const char *in TT_DEFAULT, *out TT_DEFAULT, *axes TT_DEFAULT; int unchecked TT_DEFAULT;
} tt_shard_map_opts;
#define tt_shard_map(...)    TT_SHARD_MAP_(TT_AT("tt_shard_map(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SHARD_MAP_(at, f, ...) tt_shard_map_at(at, TT_FN(f), TT_OPTS(tt_shard_map_opts, __VA_ARGS__))
TT_API tt_fn tt_shard_map_at(const char *site, tt_fn f, const tt_shard_map_opts *);

/* Control flow on values.
 * - scan: f(carry, x) returns (carry, y), over dim 0 of the leaves of xs; the result is (carry, ys). length: the number
 *   of iterations, where xs has no leaves to determine it; 0: none.
 * - while: cond(state) returns a bool scalar, body(state) the next state.
 * - fori: body(i, state) returns the next state, for i = lo, .., hi - 1. Bounds that are numbers of C, or tt_i of one,
 *   can be differentiated in reverse; bounds that are arrays make a while loop, which cannot.
 * - cond: both functions take the same values.
 * - switch: the index is clamped; each function takes one value.
 *
 * All branches return the same types; a C number takes the other branches' type. Outside compiled functions the chosen
 * branch is called; every other branch is traced once per types of arguments and is not run, so its errors, and
 * differences between branches, are reported whichever branch is chosen. A loop's body without iterations is traced in
 * the same way.
 *     tt_unpack(tt_scan(cell, carry, xs), &carry, &ys);
 *     tt_val end = tt_while(is_far, f, x), after = tt_fori(0, 10, body, x); */
typedef struct tt_scan_opts { TT_OPTION_HEAD int reverse TT_DEFAULT; int64_t length TT_DEFAULT; } tt_scan_opts;
#define tt_scan(...)         TT_SCAN_(TT_AT("tt_scan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SCAN_(at, f, carry, xs, ...) tt_scan_at(at, TT_FN(f), carry, xs, TT_OPTS(tt_scan_opts, __VA_ARGS__))
TT_API tt_val tt_scan_at(const char *site, tt_fn f, tt_val carry, tt_val xs, const tt_scan_opts *);
#define tt_while(cond, body, state) \
    tt_while_at(TT_AT("tt_while(" #cond ", " #body ", " #state ")"), TT_FN(cond), TT_FN(body), state)
TT_API tt_val tt_while_at(const char *site, tt_fn cond, tt_fn body, tt_val state);
#define tt_fori(lo, hi, body, state) \
    tt_fori_between_at(TT_AT("tt_fori(" #lo ", " #hi ", " #body ", " #state ")"), TT_BOUND(lo), TT_BOUND(hi), \
        TT_FN(body), state)
TT_API tt_val tt_fori_at(const char *site, int64_t lo, int64_t hi, tt_fn body, tt_val state);
TT_API tt_val tt_fori_between_at(const char *site, tt_val lo, tt_val hi, tt_fn body, tt_val state);
/* An integer of C, or a value, as a value; a floating-point number of C does not compile.
 *     tt_val three = TT_BOUND(3); */
static inline tt_val tt_bound_same(tt_val v) { return v; }
struct tt_takes_an_integer_or_a_value { int no; };
static inline tt_val tt_bound_wrong(struct tt_takes_an_integer_or_a_value x) { (void)x; return tt_poison; }
#ifdef __cplusplus
}
static inline tt_val tt_bound_any(tt_val v) { return v; }
static inline tt_val tt_bound_any(int64_t i) { return (tt_i)(i); }
static inline tt_val tt_bound_any(int i) { return (tt_i)(i); }
template <class T> static inline tt_val tt_bound_any(T i) { return (tt_i)(static_cast<int64_t>(i)); }
#define TT_BOUND(x)          tt_bound_any(x)
extern "C" {
#else
#define TT_BOUND(x) \
    _Generic((x), tt_val: tt_bound_same, float: tt_bound_wrong, double: tt_bound_wrong, default: tt_i)(x)
#endif
/*     tt_val chosen = tt_cond(tt_gt(tt_sum(x), tt_f(0)), up, down, x);
 *     tt_val one_of = tt_switch(tt_i(1), x, f, up, down); */
#define tt_cond(pred, yes, no, ...) \
    tt_cond_at(TT_AT("tt_cond(" #pred ", " #yes ", " #no ")"), pred, TT_FN(yes), TT_FN(no), \
               TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_cond_at(const char *site, tt_val pred, tt_fn yes, tt_fn no, const tt_val *args);
#define tt_switch(index, v, ...) \
    tt_switch_at(TT_AT("tt_switch(" #index ", " #v ")"), index, v, \
        TT_LIST(tt_fn, TT_EACH(TT_FN, __VA_ARGS__), tt_fn_end))
TT_API tt_val tt_switch_at(const char *site, tt_val index, tt_val v, const tt_fn *branches);

/* ---- scopes, loops ---- */

/* A loop of n iterations, whose number is it.i = 0, ..., n - 1; each iteration has a scope.
 * - start: the first it.i, from 0 to n, for a run that goes on at a checkpoint.
 * - bar: a progress bar on stderr with this name, the time that has passed, the time left, and the rate in iterations
 *   per second, smoothed as tqdm's, without the first iteration, which compiles. The bar follows the terminal's width.
 *   The bar of a loop inside of another loop takes the outer bar's place while the inner loop runs; a bar of another
 *   thread waits. Where stderr is no terminal, or TERM=dumb, a line is written at each tenth of the loop.
 *
 *     for (tt_loop it = tt_steps(1000, .bar = "train"); tt_next(&it); ) tt_note(&it, "step %d", (int)it.i); */
typedef struct tt_loop_opts { TT_OPTION_HEAD const char *bar TT_DEFAULT; int64_t start TT_DEFAULT; } tt_loop_opts;
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
/* A text next to the progress bar, evaluated only when the bar is repainted: tt_note(&it, "loss %.3f", tt_num(l)).
 *     if (tt_note_due(&it)) puts("the bar is painted again now");
 *     for (tt_loop it = tt_steps(10); tt_next(&it); ) tt_assign(&x, tt_call(f, x)); */
#define tt_note(loop, ...)   ((void)(tt_note_due(loop) && tt_note_at(loop, __VA_ARGS__)))
TT_API int tt_note_due(tt_loop *), tt_note_at(tt_loop *, const char *fmt, ...) TT_FORMAT(2, 3);
#define tt_assign(slot, v)   tt_assign_at(TT_AT("tt_assign(" #slot ", " #v ")"), slot, v)
/* *slot = v, in the slot's own scope; an empty slot takes the innermost scope that is not a loop's */
TT_API void tt_assign_at(const char *site, tt_val *slot, tt_val v);
/*     tt_scope inner = tt_scope_open(); x = tt_call(f, y); tt_scope_close(inner);
 *     tt_own(malloc(100), free); */
typedef struct { struct tt_scope_s *p; } tt_scope;
TT_API tt_scope tt_scope_open(void);
TT_API void tt_scope_close(tt_scope);
TT_API void tt_own(void *p, void (*freed)(void *));      /* the current scope calls freed(p) when it closes */
/* For handles {p, alive}. tt_alive_at: a value that is created now, in the current scope, and is freed with that scope,
 * or by tt_keep and tt_drop. tt_is_live_at: true if that value is live; else sets the error, which begins with `what`
 * and names the line where the handle was created. */
TT_API tt_val tt_alive_at(const char *site);
TT_API bool tt_is_live_at(const char *site, const char *what, tt_val alive);
/* The value lives until it is dropped.
 *     tt_val kept = tt_keep(tt_call(f, x));
 *     tt_drop(kept); */
#define tt_keep(v)           tt_keep_at(TT_AT("tt_keep(" #v ")"), v)
TT_API tt_val tt_keep_at(const char *site, tt_val v);
TT_API void tt_drop(tt_val v);
/*     tt_wait(tt_call(f, x)); */
#define tt_wait(v)           tt_wait_at(TT_AT("tt_wait(" #v ")"), v)
TT_API void tt_wait_at(const char *site, tt_val v);      /* until the value is computed */

/* ---- formulas ---- */

/* TT_E("2*x - 1 + 0.5*noise", x, noise): a formula over the named values: + - * / ^, parentheses, numbers (1/3 is a
 * third), calls of unary functions. A value that the formula does not read is an error.
 *     tt_val off = TT_E("(x - 1)^2 / 2 + tanh(y)", x, y); */
#define TT_E(formula, ...) \
    tt_formula_at(TT_AT("TT_E(" formula ")"), formula, #__VA_ARGS__, TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_formula_at(const char *site, const char *formula, const char *names, const tt_val *v);

#ifdef __cplusplus
}
#endif

#include <tutti/tree.h>
#include <tutti/sharding.h>
#include <tutti/report.h>
#include <tutti/callback.h>
#include <tutti/memory.h>
#include <tutti/dlpack.h>
#include <tutti/ops.h>
#include <tutti/array.h>
#include <tutti/index.h>
#include <tutti/transforms.h>
#include <tutti/collectives.h>
#include <tutti/form.h>
#include <tutti/linalg.h>
#include <tutti/num.h>
#include <tutti/numpy.h>
#include <tutti/image.h>
#include <tutti/special.h>
#include <tutti/stats.h>
#include <tutti/losses.h>
#include <tutti/scipy.h>
#include <tutti/random.h>
#include <tutti/nn.h>
#include <tutti/module.h>
#include <tutti/attention.h>
#include <tutti/parallel.h>
#include <tutti/process.h>
#include <tutti/engine.h>
#include <tutti/optim.h>
#include <tutti/data.h>
#include <tutti/ckpt.h>
#include <tutti/tokenizer.h>
#include <tutti/model.h>
#include <tutti/metrics.h>
#include <tutti/viz.h>
#include <tutti/explain.h>
#include <tutti/layout.h>
#include <tutti/program.h>

#endif
