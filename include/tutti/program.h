/* tutti/program.h - programs as StableHLO text: what JAX, Flax or Keras print becomes a function like any other.
 *
 *     tt_fn loss = tt_import("loss.mlir");                 // jax.jit(loss).lower(...).as_text()
 *     tt_val g   = tt_call(tt_grad(loss), params, x, y);
 *
 * The function takes the arrays that @main takes, one after the other (trees count as their leaves), and gives its
 * result, or a tuple of its results. Custom derivatives leave no trace in such a text: the derivative is that of what
 * the text says. Loops whose number of turns the text tells differentiate in reverse. */
#include <tutti.h>
#ifndef TUTTI_PROGRAM_H
#define TUTTI_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a file, or the text itself (it begins with "module", "func.func", "#" or "//", or has several lines).
 * Reading a text again gives the same function, with all that was compiled for it. */
#define tt_import(source)    tt_import_at(TT_AT("tt_import(" #source ")"), source)
TT_API tt_fn tt_import_at(const char *site, const char *path_or_text);
/* Its arguments as abstract values, a tuple: for tt_eval_shape, tt_plan and tt_explain. */
#define tt_import_args(f)    tt_import_args_at(TT_AT("tt_import_args(" #f ")"), f)
TT_API tt_val tt_import_args_at(const char *site, tt_fn f);

/* The arguments that the text says may be given away (jax.jit's donate_argnums), as tt_jit's .donate takes them: "0,
 * 1". Who calls decides: tt_jit(f, .donate = tt_import_donated(f)). Lives as long as the program. */
#define tt_import_donated(f) tt_import_donated_at(TT_AT("tt_import_donated(" #f ")"), f)
TT_API const char *tt_import_donated_at(const char *site, tt_fn f);

/* What an imported program has and does: operations by name (as Tutti has them), floating operations of a call (a loop
 * that is not counted turns once: unknown is set), its loops with their iterations (-1: not known) and lines. Lives as
 * long as the program; of a function that is no such program it is empty. */
typedef struct tt_op_count { const char *name; int64_t n; } tt_op_count;
typedef struct tt_loop_iterations { const char *site; int64_t iterations; } tt_loop_iterations;
typedef struct tt_program_work {
    int64_t operations; double flops; int unknown;
    int kinds; const tt_op_count *kind;                  /* most first */
    int loops; const tt_loop_iterations *loop;
} tt_program_work;
#define tt_import_work(f)    tt_import_work_at(TT_AT("tt_import_work(" #f ")"), f)
TT_API const tt_program_work *tt_import_work_at(const char *site, tt_fn f);

/* The whole of f on arguments like these, as StableHLO text that JAX and other compilers read: layouts that it asks for
 * and collectives in Shardy's dialect. Trees are their leaves. The text lives as long as the program. "": an error,
 * or f does what the text cannot say. */
#define tt_export(...)       TT_EXPORT_(TT_AT("tt_export(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EXPORT_(at, f, ...) tt_export_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const char *tt_export_at(const char *site, tt_fn f, const tt_val *args);
/* The same as JAX of that version prints it: tt_export_for("0.12", f, x). Since 0.12 a collective names the axes of its
 * groups of devices (#stablehlo.replica_group_mesh_axes); before, and by tt_export, groups are tables of devices, which
 * JAX 0.12 reads too. NULL: as tt_export. */
#define tt_export_for(jax, ...) \
    TT_EXPORT_FOR_(TT_AT("tt_export_for(" #jax ", " #__VA_ARGS__ ")"), jax, __VA_ARGS__, tt_end)
#define TT_EXPORT_FOR_(at, jax, f, ...) tt_export_for_at(at, jax, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const char *tt_export_for_at(const char *site, const char *jax, tt_fn f, const tt_val *args);

#ifdef __cplusplus
}
#endif

#endif
