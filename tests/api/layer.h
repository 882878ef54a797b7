/* layer.h - for tests of convolutions: one of NHWC by HWIO, and its gradients as the primitive's transposes write
 * them. */
#ifndef TUTTI_TESTS_LAYER_H
#define TUTTI_TESTS_LAYER_H

#include "op/op.h"
#include "op/ops.h"

/* `d` is the window's dilation, `b` the base's (0: 1). */
typedef struct {
    const char *what; int64_t n, c, o, g; int space; int64_t h[3], k[3], s[3], lo[3], hi[3], d[3], b[3];
    bool taken[3];                                       /* gen_conv: each of the three is the unit's */
} layer;

static inline ir_dims layer_dims(base_arena *a, int n, const int64_t *v) { return (ir_dims){ n, BASE_COPY(a, v, n) }; }

/* ct_type: of the result's cotangent, for both gradients as well; NULL: only the convolution. many: so many side by
 * side; 0: one, without a dim. */
static inline ir_fn *layer_fn(base_arena *a, const layer *l, int64_t many, tt_dtype t, const ir_type *ct_type)
{
    static const int64_t none[3];
    const int n = l->space, m = many > 0;
    ir_build *b = ir_begin(a, base_intern("conv"), NULL);
    int64_t x[6] = { many }, w[6] = { many }, at[3], from[3], base[3];
    for (int i = 0; i < n; i++) {
        x[m + 1 + i] = l->h[i], w[m + i] = l->k[i], at[i] = m + 1 + i, from[i] = m + i;
        base[i] = l->b[i] ? l->b[i] : 1;
    }
    x[m] = l->n, x[m + n + 1] = l->c;
    w[m + n] = l->c / l->g, w[m + n + 1] = l->o;
#define DIMS(v) layer_dims(a, n, v)
    const op_conv_attr c = { m, m + n + 1, DIMS(at), m + n, m + n + 1, DIMS(from), m, m + n + 1, DIMS(at), DIMS(l->s),
                             DIMS(l->lo), DIMS(l->hi), DIMS(base), DIMS(l->d), DIMS(none), l->g, 1, m, t, OP_DEFAULT };
#undef DIMS
    const ir_id in[2] = { ir_arg(b, ir_type_of(t, m + n + 2, x)), ir_arg(b, ir_type_of(t, m + n + 2, w)) };
    const ir_id ct = ct_type ? ir_arg(b, ct_type) : 0;
    ir_id out[3] = { ir_emit(b, &prim_convolution, &c, 2, in, 0, NULL) }, grad[2] = { 0 };
    if (!out[0] || !ct) return out[0] ? ir_end(b, 1, out) : NULL;
    const ir_eqn e = *ir_def(b, out[0]);
    prim_convolution.transpose(b, &e, (ir_id[]){ 0, in[1] }, &ct, grad);
    out[1] = grad[0];
    prim_convolution.transpose(b, &e, (ir_id[]){ in[0], 0 }, &ct, grad);
    out[2] = grad[1];
    return ir_end(b, 3, out);
}

#endif
