/* gen/isa/isa_loop.h - of *_isa.c whose loops are written once and included for several types: NAME(f) is f with SUFFIX
 * behind it, loops of constant length are unrolled, and what is in registers stays there. */
#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

/* Sanitizers watch one copy of a loop, not one for each of its constants: that many times the code is compiled. */
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
