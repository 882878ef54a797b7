/* hlo/read/unsupported.c - the list of known operations that are not supported, each with the reason that its error
 * gives. */
#include "../inner.h"

#include <string.h>

static const char dynamic[] = "shapes that are known only when it runs, which are not supported";
static const char quantised[] = "quantised types, which are not supported";
static const char host[] = "it exchanges values with the host while it runs, which is not supported";
static const char apart[] = "a collective that starts here and ends elsewhere, which is not supported";
static const char later[] = "it stands in texts behind Shardy's passes, not in what JAX prints";

static const struct { const char *name, *why, *hint; } unread[] = {
    { "stablehlo.dynamic_broadcast_in_dim", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.dynamic_conv", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.dynamic_gather", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.dynamic_iota", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.dynamic_pad", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.dynamic_reshape", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.real_dynamic_slice", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.set_dimension_size", dynamic, "print the program with dims that are numbers" },
    { "stablehlo.uniform_quantize", quantised, NULL },
    { "stablehlo.uniform_dequantize", quantised, NULL },
    { "stablehlo.infeed", host, NULL },
    { "stablehlo.outfeed", host, NULL },
    { "stablehlo.send", host, NULL },
    { "stablehlo.recv", host, NULL },
    { "stablehlo.async_start", apart, NULL },
    { "stablehlo.async_done", apart, NULL },
    { "stablehlo.rng", "numbers that each compiler draws in its own way, which is not supported",
      "draw with jax.random, which prints its own cipher or rng_bit_generator" },
    { "sdy.all_gather", later, "print the program as JAX lowers it" },
    { "sdy.all_reduce", later, "print the program as JAX lowers it" },
    { "sdy.all_slice", later, "print the program as JAX lowers it" },
    { "sdy.all_to_all", later, "print the program as JAX lowers it" },
    { "sdy.collective_permute", later, "print the program as JAX lowers it" },
    { "sdy.constant", later, "print the program as JAX lowers it" },
    { "sdy.named_computation", later, "print the program as JAX lowers it" },
    { "sdy.reduce_scatter", later, "print the program as JAX lowers it" },
};

bool hlo_unread(hlo_reader *r, const hlo_op *o)
{
    const hlo_span s = o->name;
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (hlo_is(s, unread[i].name)) {
            hlo_refuse(r, o, TT_EARG, "%s", unread[i].why);
            return unread[i].hint ? base_hint("%s", unread[i].hint) : false;
        }
    if (s.n > 5 && !memcmp(s.at, "vhlo.", 5)) {
        hlo_refuse(r, o, TT_EARG, "VHLO, the form in which StableHLO is stored, is not read");
        return base_hint("print StableHLO: lowered.as_text(), or exported.mlir_module()");
    }
    const bool ours = (s.n > 10 && !memcmp(s.at, "stablehlo.", 10)) || (s.n > 5 && !memcmp(s.at, "chlo.", 5));
    return hlo_fail(r->p, o->at, TT_EARG, "the operation %.*s is %s", HLO_SPAN(s),
                    ours ? "unknown" : "of an unknown dialect");
}
