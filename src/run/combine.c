/* run/combine.c - combines several sources to one: selects the instruction set's loops (combine_isa.c). */
#include "inner.h"

#include <stdatomic.h>
#include <string.h>

typedef void combine(tt_dtype, tt_dtype, mesh_reduce, int64_t, char *, int64_t, const char *, int64_t, uint32_t,
                     const int64_t *);
combine run_combine_base;

#ifdef __x86_64__
combine run_combine_avx2, run_combine_avx512;

static combine *combine_choose(void)
{
    const char *setting = base_switch("isa");
    const bool base = setting && !strcmp(setting, "base"), narrow = setting && !strcmp(setting, "avx2");
    if (!base && !narrow && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return run_combine_avx512;
    return !base && __builtin_cpu_supports("avx2") ? run_combine_avx2 : run_combine_base;
}
#else
static combine *combine_choose(void) { return run_combine_base; }
#endif

bool run_combines(tt_dtype dtype, mesh_reduce reduce)
{
    const ir_class c = ir_dtype_of(dtype)->cls;
    if (reduce == MESH_AND || reduce == MESH_OR || reduce == MESH_XOR) return c != IR_FLOAT_CLASS &&
        c != IR_COMPLEX_CLASS;
    return reduce == MESH_SUM || reduce == MESH_PROD || c != IR_COMPLEX_CLASS;
}

void run_combine(tt_dtype of, tt_dtype dtype, mesh_reduce reduce, int64_t n, char *to, int64_t step, const char *from,
                 int64_t from_step, uint32_t nsrc, const int64_t *src)
{
    static combine *_Atomic chosen;
    combine *f = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!f) atomic_store_explicit(&chosen, f = combine_choose(), memory_order_relaxed);
    f(of, dtype, reduce, n, to, step, from, from_step, nsrc, src);
}
