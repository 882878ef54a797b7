/* tutti/program.h - programs as StableHLO text: a program that JAX, Flax or Keras prints becomes a function.
 *
 *     tt_fn loss = tt_import("loss.mlir");                 // jax.jit(loss).lower(...).as_text()
 *     tt_val g   = tt_call(tt_grad(loss), params, x, y);
 *
 * The function takes the arrays that @main takes, in order (trees count as their leaves), and returns its result, or a
 * tuple of its results. Custom derivatives are not recorded in such a text: the derivative is that of the text's
 * operations. Loops whose number of iterations is known from the text can be differentiated in reverse. */
#include <tutti.h>
#ifndef TUTTI_PROGRAM_H
#define TUTTI_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a file, or the text itself (if it begins with "module", "func.func", "#" or "//", or has several lines).
 * Importing the same text again returns the same function, with everything that was compiled for it. */
#define tt_import(source)    tt_import_at(TT_AT("tt_import(" #source ")"), source)
TT_API tt_fn tt_import_at(const char *site, const char *path_or_text);
/* The function's arguments as abstract values, a tuple: for tt_eval_shape, tt_plan and tt_explain.
 *     tt_val arguments = tt_import_args(h), result = tt_eval_shape(h, x); */
#define tt_import_args(f)    tt_import_args_at(TT_AT("tt_import_args(" #f ")"), f)
TT_API tt_val tt_import_args_at(const char *site, tt_fn f);

/* The arguments that the text marks as donated (jax.jit's donate_argnums), in the form of tt_jit's .donate: "0, 1". The
 * caller decides: tt_jit(f, .donate = tt_import_donated(f)). Lives as long as the program.
 *     tt_fn compiled = tt_jit(h, .donate = tt_import_donated(h)); */
#define tt_import_donated(f) tt_import_donated_at(TT_AT("tt_import_donated(" #f ")"), f)
TT_API const char *tt_import_donated_at(const char *site, tt_fn f);

/* Statistics of an imported program: operations by name (Tutti's names), floating-point operations per call (a loop
 * with an unknown number of iterations counts once and sets `unknown`), and its loops with iterations (-1: unknown) and
 * lines. Lives as long as the program; empty for a function that was not imported.
 *     const tt_program_work *work = tt_import_work(h); printf("%g operations\n", work->flops); */
typedef struct tt_op_count { const char *name; int64_t n; } tt_op_count;
typedef struct tt_loop_iterations { const char *site; int64_t iterations; } tt_loop_iterations;
typedef struct tt_program_work {
    int64_t operations; double flops; int unknown;
    int kinds; const tt_op_count *kind;                  /* most frequent first */
    int loops; const tt_loop_iterations *loop;
} tt_program_work;
#define tt_import_work(f)    tt_import_work_at(TT_AT("tt_import_work(" #f ")"), f)
TT_API const tt_program_work *tt_import_work_at(const char *site, tt_fn f);

/* f on arguments like these as StableHLO text that JAX and other compilers read, with requested layouts and collectives
 * in Shardy's dialect. Trees are given as their leaves. An array from outside that f reads is one more argument of the
 * text, after f's own. The text lives as long as the program. "": an error, or f has an operation that StableHLO cannot
 * express.
 *     puts(tt_export(f, x)); */
#define tt_export(...)       TT_EXPORT_(TT_AT("tt_export(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EXPORT_(at, f, ...) tt_export_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const char *tt_export_at(const char *site, tt_fn f, const tt_val *args);
/* tt_export in the syntax of a version of JAX: tt_export_for("0.12", f, x). Since 0.12 a collective names the axes of
 * its groups of devices (#stablehlo.replica_group_mesh_axes); before 0.12, and in tt_export, groups are tables of
 * devices, which JAX 0.12 also reads. NULL: as tt_export. Versions from 0.4 to 0.12 are known; others are an error.
 *     puts(tt_export_for("0.12", f, x)); */
#define tt_export_for(jax, ...) \
    TT_EXPORT_FOR_(TT_AT("tt_export_for(" #jax ", " #__VA_ARGS__ ")"), jax, __VA_ARGS__, tt_end)
#define TT_EXPORT_FOR_(at, jax, f, ...) tt_export_for_at(at, jax, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const char *tt_export_for_at(const char *site, const char *jax, tt_fn f, const tt_val *args);

#ifdef __cplusplus
}
#endif

#endif
