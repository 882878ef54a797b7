/* hlo/read/target.c - reads custom calls, by the name of the target. An unknown target is an error that names it. */
#include "../inner.h"
#include "../../op/ops.h"

#include <stdio.h>
#include <string.h>

static bool identity(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != o->to.n)
        return hlo_refuse(r, o, TT_EARG, "%d results of %d operands; expected as many", o->to.n, o->in.n);
    memcpy(y, x, (size_t)o->in.n * sizeof *y);
    return true;
}

static bool sharding(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)   /* of older texts */
{
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
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

static bool is_python(hlo_span name)
{
    return memmem(name.at, name.n, "python", 6) && memmem(name.at, name.n, "callback", 8);
}

/* The name under which a function of C can stand for the call: the target's; of a Python callback with its number. */
static base_name name_of_target(hlo_reader *r, const hlo_op *o, hlo_span name)
{
    char text[300];
    const int64_t index = is_python(name) ? hlo_int(r, o, hlo_record(o, "mhlo.backend_config"), "index", -1) : -1;
    if (index < 0) return base_intern_n(name.at, name.n);
    snprintf(text, sizeof text, "%.*s#%lld", HLO_SPAN(name), (long long)index);
    return base_intern(text);
}

/* A call of a function of C that the program has registered. */
static bool registered(hlo_reader *r, const hlo_op *o, op_host_attr a, const ir_id *x, ir_id *y)
{
    int64_t *const to = BASE_NEW(r->p->arena, int64_t, (size_t)o->to.n * (IR_RANK + 2) + 1);
    const op_prim *const op = hlo_flag(&o->attr, "has_side_effect") ? &prim_io_callback : &prim_pure_callback;
    for (int j = 0; j < (int)o->to.n; j++) {
        const ir_type *const t = hlo_result(o, j);
        if (!t) return false;
        a.results.n += op_host_result(t, to + a.results.n);
    }
    a.results.v = to, a.vmap_method = OP_VMAP_SEQUENTIAL;
    return hlo_emit(r, op, &a, (int)o->in.n, x, y);
}

/* Refuses a call of a function in the process that printed the text, of which the text holds only the number; without
 * results, as of a print, the call is left out. */
static bool elsewhere(hlo_reader *r, const hlo_op *o, hlo_span name)
{
    if (is_python(name) && !o->to.n) {
        base_log("note: %s: @%.*s, which has no results, is left out", r->p->file ? r->p->file : "a program",
                 HLO_SPAN(name));
        return true;
    }
    if (is_python(name)) {
        hlo_refuse(r, o, TT_EARG, "@%.*s calls a Python function of the process that printed the text",
                   HLO_SPAN(name));
        return base_hint("register a function of C in its place: tt_register_ffi_target(\"%s\", f, env)",
                         name_of_target(r, o, name)), false;
    }
    if (hlo_is(name, "CustomSPMDPartitioning")) {
        hlo_refuse(r, o, TT_EARG, "custom_partitioning: what @%.*s computes is not in the text", HLO_SPAN(name));
        return base_hint("print the program for one device, where JAX writes the function itself, or with shard_map");
    }
    hlo_refuse(r, o, TT_EARG, "the target @%.*s is unknown", HLO_SPAN(name));
    return base_hint("tt_register_ffi_target gives a function of C this name"), false;
}

static bool custom_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span name = hlo_choice(&o->attr, "call_target_name");
    for (const hlo_rule *k = r->more ? r->more->target : NULL; k && k->name; k++)
        if (hlo_is(name, k->name)) return k->read(r, o, x, y);
    for (const hlo_rule *k = targets; k->name; k++) if (hlo_is(name, k->name)) return k->read(r, o, x, y);
    const hlo_rule *const algebra = hlo_lapack(name);
    op_host_attr a;
    if (algebra) return algebra->read(r, o, x, y);
    if (op_host_target(name_of_target(r, o, name), &a)) return registered(r, o, a, x, y);
    return elsewhere(r, o, name);
}

const hlo_rule hlo_targets[] = { { "stablehlo.custom_call", custom_call }, { NULL, NULL } };
