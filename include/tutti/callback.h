/* tutti/callback.h - looking inside of a function, and calling functions of C from it: eagerly, compiled, in loops and
 * branches, under tt_grad and tt_vmap, on meshes and in jobs.
 *
 *     static tt_val step(tt_val w, tt_val x)
 *     {
 *         tt_val loss = tt_mean(tt_square(tt_matmul(x, w)));
 *         tt_debug(loss, "loss {:.4f}");
 *         tt_debug(tt_dict("w", w, "loss", loss), "loss {loss} at {w}");
 *         return loss;
 *     }
 *
 * x is a value, or a tree whose leaves are the values. Calls happen in the order of the program, in loops once per
 * iteration; what returns nothing is never removed. Under tt_vmap they are made for each element, under tt_grad once,
 * in the forward pass, and once more in the backward pass of a tt_remat. tt_cond and tt_switch under a mapped index run
 * all their branches, and so all calls in these; a tt_while under a mapped condition calls for elements that are done,
 * too. On a mesh a function sees the complete values, once; in tt_shard_map and tt_pmap each device's own. A decision
 * (tt_cond, tt_while) that differs between devices of a tt_shard_map may not have calls inside: an error. Programs on
 * engines of PJRT (tt_engine) and exported ones cannot call back: an error that names the call. */
#include <tutti.h>
#ifndef TUTTI_CALLBACK_H
#define TUTTI_CALLBACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* partitioned 1: each device's part of the values is seen where it is, instead of the complete values. */
typedef struct tt_debug_opts { TT_OPTION_HEAD int partitioned TT_DEFAULT; } tt_debug_opts;

/* Prints a line when the function runs, as jax.debug.print does; in a job rank 0 prints, or, where ranks see different
 * values (.partitioned, tt_shard_map), each rank after its number. The format is Python's:
 *   {}        the next value, as tt_value_text has it        {0} {1}   values by number
 *   {loss}    the value at this path of the tree             {{ }}     braces
 *   {:.3f}    its elements as C prints them: [-<][+][0][width][.digits] and one of f F e E g G, and of d x for integers
 * Errors, at this line: a place without a value, a value without a place, a format that does not fit the value. */
#define tt_debug(...)        TT_DEBUG_(TT_AT("tt_debug(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DEBUG_(at, x, fmt, ...) tt_debug_at(at, x, fmt, TT_OPTS(tt_debug_opts, __VA_ARGS__))
TT_API void tt_debug_at(const char *site, tt_val x, const char *fmt, const tt_debug_opts *);

/* An operand or a result of a function of C: memory, type, sizes of the dims, and their strides in elements. A bool is
 * a byte, 0 or 1; types of less than 16 bits have a byte for each element. */
typedef struct tt_box {
    void *data; tt_dtype dtype; int rank; const int64_t *dims, *strides;
} tt_box;
/* A function of the program. Reads in[0 .. nin), the leaves of x in their order, and writes out[0 .. nout), those of
 * the declared result. Returns NULL, or what went wrong: the call then fails with this text at the line that made it,
 * and so does the program that runs. It is called by the thread that runs the program, one call at a time in the
 * process, and may call the library; what `in` points to must not be written to, and nothing of it be kept. */
typedef const char *tt_callback_f(void *env, int nin, const tt_box *in, int nout, const tt_box *out);

/* As jax.debug.callback: f looks at the values and returns nothing; nout is 0. f and env must live as long as functions
 * that were traced with them.
 *     static const char *seen(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
 *     { *(float *)env += *(const float *)in[0].data; return NULL; }
 *     tt_debug_callback(seen, &total, x); */
#define tt_debug_callback(...) \
    TT_DEBUG_CALLBACK_(TT_AT("tt_debug_callback(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DEBUG_CALLBACK_(at, f, env, x, ...) \
    tt_debug_callback_at(at, f, env, x, TT_OPTS(tt_debug_opts, __VA_ARGS__))
TT_API void tt_debug_callback_at(const char *site, tt_callback_f *f, void *env, tt_val x, const tt_debug_opts *);

/* vmap_method: how tt_vmap maps a call: "sequential": a call for each element; "expand_dims": one call, in which each
 * operand has a new dim 0, of size 1 where it is not mapped; "broadcast_all": of size n, with copies. Each result has a
 * new dim 0 of size n. Without it tt_vmap is an error. */
typedef struct tt_callback_opts { TT_OPTION_HEAD const char *vmap_method TT_DEFAULT; } tt_callback_opts;

/* As jax.pure_callback: the values that f computes from those of x. result: their types and tree: tt_shape(TT_F32, 3),
 * tt_like(x), a tree of these; elements of a value are not read. f must give the same results for the same operands: it
 * is called as often as needed, or never if nothing reads its results; in a job each rank calls it. Errors: what f
 * reports; a derivative by x, unless the call is in a function with a rule (tt_custom_jvp, tt_custom_vjp).
 *     tt_val y = tt_pure_callback(look_up, NULL, tt_like(x), x, .vmap_method = "sequential"); */
#define tt_pure_callback(...) TT_PURE_CALLBACK_(TT_AT("tt_pure_callback(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_PURE_CALLBACK_(at, f, env, result, x, ...) \
    tt_pure_callback_at(at, f, env, result, x, TT_OPTS(tt_callback_opts, __VA_ARGS__))
TT_API tt_val tt_pure_callback_at(const char *site, tt_callback_f *f, void *env, tt_val result, tt_val x,
                                  const tt_callback_opts *);

/* As jax.experimental.io_callback: likewise, of a function with effects: it is called exactly as often as the program
 * says, in order, whether or not something reads its results; in a job rank 0 calls it, and all ranks get the results.
 * result tt_end: none. An error where a derivative would call it a second time: forward mode through a tt_while, and
 * tt_remat.
 *     tt_val row = tt_io_callback(next_row, file, tt_shape(TT_F32, 8), i); */
#define tt_io_callback(...)  TT_IO_CALLBACK_(TT_AT("tt_io_callback(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_IO_CALLBACK_(at, f, env, result, x, ...) \
    tt_io_callback_at(at, f, env, result, x, TT_OPTS(tt_callback_opts, __VA_ARGS__))
TT_API tt_val tt_io_callback_at(const char *site, tt_callback_f *f, void *env, tt_val result, tt_val x,
                                const tt_callback_opts *);

/* ---- kernels of one's own, by name ---- */

/* As jax.ffi.register_ffi_target: gives a function of C a name, for tt_ffi_call and for programs that are imported:
 * stablehlo.custom_call @NAME calls it, element by element under tt_vmap. A Python callback of JAX,
 * @xla_ffi_python_cpu_callback with {index = 2}, has the name "xla_ffi_python_cpu_callback#2"; those without results
 * (prints, checks) that have no function are left out of the program, and a note says so. From a shared object: the
 * file, as dlopen takes it, and the function's symbol. False with the error set: the name is another function's; no
 * such file or symbol.
 *     tt_register_ffi_target("scale", scale, NULL);
 *     tt_register_ffi_library("gelu", "./libkernels.so", "gelu_f32"); */
#define tt_register_ffi_target(name, f, env) \
    tt_register_ffi_target_at(TT_AT("tt_register_ffi_target(" #name ", " #f ")"), name, f, env)
TT_API bool tt_register_ffi_target_at(const char *site, const char *name, tt_callback_f *f, void *env);
#define tt_register_ffi_library(name, path, symbol) \
    tt_register_ffi_library_at(TT_AT("tt_register_ffi_library(" #name ", " #path ", " #symbol ")"), name, path, symbol)
TT_API bool tt_register_ffi_library_at(const char *site, const char *name, const char *path, const char *symbol);

/* has_side_effect 1: as tt_io_callback; else as tt_pure_callback.
 * elementwise 1: each element of the results depends on the operands' elements at its place, and all have one shape:
 * then the function is mapped and sharded like tt_exp, without .vmap_method. It is called for parts of the arrays, by
 * several threads at once. */
typedef struct tt_ffi_opts {
    TT_OPTION_HEAD
    const char *vmap_method TT_DEFAULT; int has_side_effect TT_DEFAULT, elementwise TT_DEFAULT;
} tt_ffi_opts;
/* As jax.ffi.ffi_call: what the function of this name computes from the values of x; result as of tt_pure_callback. A
 * derivative is given with tt_custom_jvp or tt_custom_vjp.
 *     tt_val y = tt_ffi_call("gelu", tt_like(x), x, .elementwise = 1); */
#define tt_ffi_call(...)     TT_FFI_CALL_(TT_AT("tt_ffi_call(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_FFI_CALL_(at, name, result, x, ...) tt_ffi_call_at(at, name, result, x, TT_OPTS(tt_ffi_opts, __VA_ARGS__))
TT_API tt_val tt_ffi_call_at(const char *site, const char *name, tt_val result, tt_val x, const tt_ffi_opts *);

#ifdef __cplusplus
}
#endif
#endif
