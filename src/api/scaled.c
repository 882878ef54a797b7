/* api/scaled.c - the product with packed weights. */
#include "api.h"
#include "../op/ops.h"

VAL3(tt_scaled_matmul, tt_val, vx, tt_val, vc, tt_val, vs)
{
    trace_value *const x = trace_array(site, "tt_scaled_matmul", vx);
    trace_value *const c = x ? trace_array(site, "tt_scaled_matmul", vc) : NULL;
    trace_value *const s = c ? trace_array(site, "tt_scaled_matmul", vs) : NULL;
    if (!s) return trace_poison;
    const op_scaled_dot_attr a = { false, x->type->dtype };
    trace_value *const in[] = { x, c, s };
    trace_value *const y = trace_emit(site, &prim_scaled_dot, &a, 3, in);
    if (!y) for (int i = 0; i < 3; i++) trace_cite(in[i]);
    return api_handle(y);
}
