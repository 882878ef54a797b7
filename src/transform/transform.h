/* transform/transform.h - function to function: derivative, linear map, transpose, mapping over a new dim.
 *
 * IR to IR on whole functions; there are no tracer towers. Results live in the given arena (regions of fn that stay as
 * they are may be shared with it, so fn's arena must live as long). NULL or false: the error is set and names a site.
 * Differentiable are values of real floating dtype; others carry no tangent and no cotangent.
 */
#ifndef TUTTI_TRANSFORM_H
#define TUTTI_TRANSFORM_H

#include "../op/op.h"

/* May a value of this type carry a tangent? */
bool transform_smooth(const ir_type *);

/* (inputs, tangents of the active inputs) -> (outputs, tangents of the smooth outputs; zeros where none arrives).
 * active is read at smooth inputs only; NULL: all of them. */
ir_fn *transform_jvp(base_arena *, const ir_fn *, const bool *active);

/* The known part computes the outputs and what the linear part needs; see op_split. wanted (NULL: none): outputs that
 * must come out active even if no tangent reaches them (zeros then); integers never do. split->active lives in the
 * arena. */
bool transform_linearize(base_arena *, const ir_fn *, const bool *active, const bool *wanted, op_split *);

/* fn is linear in the inputs marked so (jointly). (other inputs, cotangents of all results) -> (cotangents of the
 * linear inputs). Types are those of the primal values. */
ir_fn *transform_transpose(base_arena *, const ir_fn *, const bool *linear);

/* Mapped inputs get a new dim 0 of size n. out: NULL: every result gets it too; else [nret], in: true asks for it,
 * out: who has it (the others do not depend on the mapped dim). axis: the name that collectives reach it by; NULL:
 * none. */
ir_fn *transform_vmap(base_arena *, const ir_fn *, const bool *mapped, bool *out, base_name axis, int64_t n);

/* Reverse mode, drawn from linearize and transpose. wrt [narg]: inputs to differentiate by; all must be smooth
 * (errors cite site, the line of the call of grad).
 *   grad: result 0 must be a smooth scalar; the others are carried along (has_aux).
 *     transform_grad: (inputs) -> (gradients of wrt inputs, results 1..)
 *     transform_value_and_grad: (inputs) -> (all results, gradients of wrt inputs)
 *   vjp: (inputs, cotangents of the smooth results) -> (results, cotangents of wrt inputs) */
ir_fn *transform_grad(base_arena *, base_site, const ir_fn *, const bool *wrt);
ir_fn *transform_value_and_grad(base_arena *, base_site, const ir_fn *, const bool *wrt);
ir_fn *transform_vjp(base_arena *, base_site, const ir_fn *, const bool *wrt);

/* The function without equations that no result needs. Ordered ones (effects) stay. Regions are not looked into. */
ir_fn *transform_prune(base_arena *, const ir_fn *);

/* ---- shared by the files of this room ---- */

/* What a transform gives to the rules it calls: its lifts, the axis being mapped, and what it has linearized before
 * (a loop in a loop asks for the same body again and again). */
typedef struct transform_memo transform_memo;
typedef struct { op_context op; transform_memo *memo; } transform_context;
transform_context *transform_open(base_arena *, base_name axis);
ir_build *transform_begin(base_arena *, const ir_fn *like, const transform_context *);

bool transform_split(base_arena *, const ir_fn *, const bool *active, const bool *wanted, transform_context *,
                     op_split *);
ir_fn *transform_reverse(base_arena *, const ir_fn *, const bool *linear, const transform_context *);
ir_fn *transform_map(base_arena *, const ir_fn *, const bool *mapped, bool *out, int64_t n, const transform_context *);
/* Copies equation e of another function, operands and results through at[]. False: the error is set. */
bool   transform_copy(ir_build *, const ir_eqn *e, ir_id *at);
/* need[id] for what the values marked in need[] depend on, among equations e with only[e] (NULL: all); ordered ones
 * too. */
void   transform_need(const ir_fn *, bool *need, const bool *only);

/* Regions of the primitives that record a user's rules (op/loop), for the tracer. Each takes f's operands and gives its
 * results.
 *   custom_jvp  f (x) -> y;  rule (x, tangents of smooth x) -> (y, tangents of smooth y)
 *   custom_vjp  f (x) -> y;  fwd (x) -> (y, residuals);
 *               bwd (residuals, cotangents of smooth y) -> cotangents of smooth x
 *   remat       f (x) -> y;  its linear part saves x only and computes f again */

#endif
