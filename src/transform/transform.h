/* transform/transform.h - transforms, function to function: derivative, linear map, transpose, mapping over a new dim.
 *
 * Transforms map IR to IR on complete functions; there are no tracer towers. Results are allocated in the given arena
 * (unchanged regions of fn may be shared with the result, so fn's arena must live as long). NULL or false: the error is
 * set and names a site. Values of floating or complex dtype are differentiable ("smooth"); other values carry no
 * tangent and no cotangent. */
#ifndef TUTTI_TRANSFORM_H
#define TUTTI_TRANSFORM_H

#include "../op/op.h"

/* True if a value of this type may carry a tangent. */
bool transform_smooth(const ir_type *);

/* (inputs, tangents of the active inputs) -> (outputs, tangents of the smooth outputs; zeros where none arrives).
 * active is read at smooth inputs only; NULL: all of them. */
ir_fn *transform_jvp(base_arena *, const ir_fn *, const bool *active);

/* Splits a function; the known part computes the outputs and the values that the linear part needs (op_split).
 * requested (NULL: none): outputs that must be active even if no tangent reaches them, and then have zeros as tangents;
 * integers are never active. split->active is allocated in the arena. */
bool transform_linearize(base_arena *, const ir_fn *, const bool *active, const bool *requested, op_split *);

/* fn must be jointly linear in the marked inputs. Returns (other inputs, cotangents of all results) -> (cotangents of
 * the linear inputs). Types are those of the primal values. */
ir_fn *transform_transpose(base_arena *, const ir_fn *, const bool *linear);

/* Mapped inputs get a new dim 0 of size n. out [nret]: on entry, true requests the dim for a result; on return, true
 * for results that have the dim (the others do not depend on the mapped dim); NULL: every result gets the dim. axis:
 * the name by which collectives refer to the dim; NULL: none. */
ir_fn *transform_vmap(base_arena *, const ir_fn *, const bool *mapped, bool *out, base_name axis, int64_t n);

/* Reverse mode, composed of linearize and transpose. wrt [narg]: inputs to differentiate by; all must be smooth (errors
 * cite site, the line of the call of grad).
 *   grad: result 0 must be a smooth scalar; the others are auxiliary results (has_aux).
 *     transform_grad: (inputs) -> (gradients of wrt inputs, results 1..)
 *     transform_value_and_grad: (inputs) -> (all results, gradients of wrt inputs)
 *   vjp: (inputs, cotangents of the smooth results) -> (results, cotangents of wrt inputs) */
ir_fn *transform_grad(base_arena *, base_site, const ir_fn *, const bool *wrt);
ir_fn *transform_value_and_grad(base_arena *, base_site, const ir_fn *, const bool *wrt);
ir_fn *transform_vjp(base_arena *, base_site, const ir_fn *, const bool *wrt);

/* The function without equations that no result needs. Ordered equations (effects) are kept. Regions are not pruned. */
ir_fn *transform_prune(base_arena *, const ir_fn *);

/* ---- shared by the files of src/transform ---- */

/* The context that a transform gives to the rules that it calls: the transform's lifts, the axis being mapped, and a
 * memo of its linearizations (nested loops request the same body repeatedly). */
typedef struct transform_memo transform_memo;
typedef struct { op_context op; transform_memo *memo; } transform_context;
transform_context *transform_open(base_arena *, base_name axis);
ir_build *transform_begin(base_arena *, const ir_fn *like, const transform_context *);

bool transform_split(base_arena *, const ir_fn *, const bool *active, const bool *requested, transform_context *,
                     op_split *);
ir_fn *transform_reverse(base_arena *, const ir_fn *, const bool *linear, const transform_context *);
ir_fn *transform_map(base_arena *, const ir_fn *, const bool *mapped, bool *out, int64_t n, const transform_context *);
/* Copies equation e of another function, with operands and results through at[]. Returns false with the error set. */
bool   transform_copy(ir_build *, const ir_eqn *e, ir_id *at);
/* Extends need[id] from the marked values to all values that they depend on, among equations e with only[e] (NULL:
 * all); ordered equations are needed too. */
void   transform_need(const ir_fn *, bool *need, const bool *only);

/* Regions of the primitives that record a user's rules (op/loop), for the tracer. Each takes f's operands and returns
 * f's results.
 *   custom_jvp  f (x) -> y;  rule (x, tangents of smooth x) -> (y, tangents of smooth y)
 *   custom_vjp  f (x) -> y;  fwd (x) -> (y, residuals);
 *               bwd (residuals, cotangents of smooth y) -> cotangents of smooth x
 *   remat       f (x) -> y;  the linear part saves x only and recomputes f */

#endif
