/* hlo/read/target.c - reads custom calls, by the name of the target. An unknown target is an error that names it. */
#include "../inner.h"

#include <string.h>

static bool identity(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != o->to.n) return hlo_refuse(r, o, TT_EARG, "as many results as operands");
    memcpy(y, x, (size_t)o->in.n * sizeof *y);
    return true;
}

static bool sharding(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)   /* of older texts */
{
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "one operand");
    return (y[0] = hlo_laid_out(r, &o->attr, x[0])) != 0;
}

static const hlo_rule targets[] = {
    { "Sharding", sharding },
    { "xla.sdy.PropagationBarrier", hlo_one_way },
    { "local_xla.sdy.PropagationBarrier", hlo_one_way },
    { "annotate_device_placement", identity },
    { "LayoutConstraint", identity },
    { "ApproxTopK", hlo_approx_top_k },
    { "cpu_csr_sparse_dense_ffi", hlo_sparse_product },
    { NULL, NULL },
};

/* Refuses a call of a function in the process that printed the text, of which the text holds only the address. */
static bool elsewhere(hlo_reader *r, const hlo_op *o, hlo_span name)
{
    if (memmem(name.at, name.n, "python", 6) && memmem(name.at, name.n, "callback", 8)) {
        hlo_refuse(r, o, TT_EARG, "@%.*s calls a Python function of the process that printed the text",
                   HLO_SPAN(name));
        return base_hint("print the program without pure_callback, io_callback and jax.debug");
    }
    if (hlo_is(name, "CustomSPMDPartitioning")) {
        hlo_refuse(r, o, TT_EARG, "custom_partitioning: what @%.*s computes is not in the text", HLO_SPAN(name));
        return base_hint("print the program for one device, where JAX writes the function itself, or with shard_map");
    }
    return hlo_refuse(r, o, TT_EARG, "the target @%.*s is unknown", HLO_SPAN(name));
}

static bool custom_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span name = hlo_choice(&o->attr, "call_target_name");
    for (const hlo_rule *k = r->more ? r->more->target : NULL; k && k->name; k++)
        if (hlo_is(name, k->name)) return k->read(r, o, x, y);
    for (const hlo_rule *k = targets; k->name; k++) if (hlo_is(name, k->name)) return k->read(r, o, x, y);
    const hlo_rule *const algebra = hlo_lapack(name);
    if (algebra) return algebra->read(r, o, x, y);
    return elsewhere(r, o, name);
}

const hlo_rule hlo_targets[] = { { "stablehlo.custom_call", custom_call }, { NULL, NULL } };
