/* run/combine.c - combines several sources to one: selects the instruction set's loops (combine_isa.c); copies past the
 * caches. */
#include "inner.h"

#include <stdatomic.h>
#include <string.h>

typedef void combine(const run_how *, int64_t, char *, int64_t, const char *, int64_t, uint32_t, const int64_t *);
combine run_combine_base;

#ifdef __x86_64__
#include <emmintrin.h>

combine run_combine_avx2, run_combine_avx512;

static combine *combine_choose(void)
{
    const char *setting = base_switch("isa");
    const bool base = setting && !strcmp(setting, "base"), narrow = setting && !strcmp(setting, "avx2");
    if (!base && !narrow && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return run_combine_avx512;
    return !base && __builtin_cpu_supports("avx2") ? run_combine_avx2 : run_combine_base;
}

void run_stream(char *to, const char *from, size_t bytes)
{
    const size_t before = (size_t)(-(uintptr_t)to % BASE_CACHE_LINE), first = before < bytes ? before : bytes;
    memcpy(to, from, first);
    size_t i = first;
    for (; i + BASE_CACHE_LINE <= bytes; i += BASE_CACHE_LINE)
        for (size_t k = i; k < i + BASE_CACHE_LINE; k += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(to + k), _mm_loadu_si128((const __m128i *)(const void *)(from + k)));
    memcpy(to + i, from + i, bytes - i);
}

void run_stream_end(void) { _mm_sfence(); }
#else
static combine *combine_choose(void) { return run_combine_base; }
void run_stream(char *to, const char *from, size_t bytes) { memcpy(to, from, bytes); }
void run_stream_end(void) { }
#endif

bool run_combines(tt_dtype dtype, mesh_reduce reduce)
{
    const ir_class c = ir_dtype_of(dtype)->cls;
    if (reduce == MESH_AND || reduce == MESH_OR || reduce == MESH_XOR) return c != IR_FLOAT_CLASS &&
        c != IR_COMPLEX_CLASS;
    return reduce == MESH_SUM || reduce == MESH_PROD || c != IR_COMPLEX_CLASS;
}

void run_combine(const run_how *how, int64_t n, char *to, int64_t step, const char *from, int64_t from_step,
                 uint32_t nsrc, const int64_t *src)
{
    static combine *_Atomic chosen;
    combine *f = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!f) atomic_store_explicit(&chosen, f = combine_choose(), memory_order_relaxed);
    f(how, n, to, step, from, from_step, nsrc, src);
}
