/* gen/isa/isa.c - which instruction set the kernels use: the best one that the machine has, or a lesser one that the
 * user sets. */
#include "../gen.h"

#include <string.h>

gen_isa gen_isa_best(void)
{
#if defined __x86_64__
#define HAS_(feature) __builtin_cpu_supports(feature)
    if (!HAS_("avx2") || !HAS_("fma") || !HAS_("bmi2")) return GEN_BASE;
    return HAS_("avx512f") && HAS_("avx512bw") && HAS_("avx512dq") && HAS_("avx512vl") ? GEN_AVX512 : GEN_AVX2;
#undef HAS_
#else
    return GEN_BASE;
#endif
}

gen_isa gen_isa_now(void)
{
    static const struct { const char *word; gen_isa isa; } named[] = {
        { "base", GEN_BASE }, { "sse2", GEN_BASE }, { "avx2", GEN_AVX2 }, { "avx512", GEN_AVX512 }
    };
    const char *requested = base_switch("isa");
    const gen_isa best = gen_isa_best();
    for (int i = 0; requested && i < (int)(sizeof named / sizeof *named); i++)
        if (!strcmp(requested, named[i].word)) return named[i].isa < best ? named[i].isa : best;
    return best;
}
