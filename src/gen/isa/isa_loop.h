/* gen/isa/isa_loop.h - macros for *_isa.c files whose loops are written once and included for several types. NAME(f) is
 * f followed by SUFFIX; UNROLL unrolls loops of constant length, so that arrays of constant length stay in
 * registers. */
#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

/* Under sanitizers a loop is compiled once, not inlined for each of its constants, which would multiply the code. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(a) JOIN(a, SUFFIX)
