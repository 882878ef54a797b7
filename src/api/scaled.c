/* api/scaled.c - the product with packed weights: codes and scales, or blocks that have both. */
#include "api.h"
#include "../op/ops.h"

VAL3(tt_scaled_matmul, tt_val, vx, tt_val, vc, tt_val, vs)
{
    static const char what[] = "tt_scaled_matmul";
    trace_value *const x = trace_array(site, what, vx), *const c = x ? trace_array(site, what, vc) : NULL;
    trace_value *const is = c ? trace_get(site, vs) : NULL;
    const bool blocks = is && is->tree->kind != TRACE_LEAF && !is->tree->n;
    trace_value *const s = is && !blocks ? trace_array(site, what, vs) : NULL;
    if (!is || (!blocks && !s)) return trace_poison;
    const int n = blocks ? 2 : 3;
    const op_scaled_dot_attr a = { false, x->type->dtype };
    trace_value *const in[] = { x, c, s };
    trace_value *const y = trace_emit(site, &prim_scaled_dot, &a, n, in);
    if (!y) for (int i = 0; i < n; i++) trace_cite(in[i]);
    return api_handle(y);
}
