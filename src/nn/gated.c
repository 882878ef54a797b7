/* nn/gated.c - the gated network of transformers (Shazeer, 2020): down(act(gate x) * up x). */
#include "nn.h"

#include <stdio.h>
#include <string.h>

/* Logical axes "embed, hidden" in the other order, for the kernel of down. */
static const char *turned(const char *axes, char to[NN_LIST])
{
    const char *comma = axes ? strchr(axes, ',') : NULL;
    if (!comma) return axes;                             /* refused by the parameter, which has two dims */
    snprintf(to, NN_LIST, "%s, %.*s", comma + 1 + strspn(comma + 1, " "), (int)(comma - axes), axes);
    return to;
}

tt_val tt_gated_mlp_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t hidden,
                       const tt_gated_mlp_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_gated_mlp_opts, site, "gated_mlp", o)) return tt_poison;
    nn_frame f;
    char axes[NN_LIST];
    if (!nn_enter(&f, m, site, "GatedMLP", name)) return tt_poison;
    const int64_t features = tt_dim_at(site, x, -1);
    if (tt_ok() && hidden < 1)
        return tt_fail_at(site, TT_EARG, "gated_mlp: %lld hidden features; expected 1 or more", (long long)hidden);
    tt_dense_opts d = { .size = sizeof d, .axes = o->axes, .no_bias = !o->bias, .kernel_init = o->kernel_init,
                        .dtype = o->dtype, .param_dtype = o->param_dtype, .precision = o->precision,
                        .lora = o->lora };
    const tt_nn in = { &f, f.alive };
    const tt_val gate = tt_dense_at(site, in, "gate", x, hidden, &d), up = tt_dense_at(site, in, "up", x, hidden, &d);
    const tt_val h = tt_mul_at(site, nn_activated(site, "gated_mlp: .act", o->act ? o->act : tt_silu_at, gate), up);
    d.axes = turned(o->axes, axes);
    return nn_leave(&f, tt_dense_at(site, in, "down", h, features, &d));
}
