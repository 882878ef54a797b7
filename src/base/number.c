/* base/number.c - number text and the floating-point mode, independent of the program that uses the library.
 *
 * A program that calls setlocale(LC_ALL, "de_DE.UTF-8") gets "2,5" from strtod and printf; files, IR, options and
 * source text use "2.5". All code that reads or writes numbers therefore calls these functions, which use the C locale:
 * strtod_l, and for printf the thread's locale, set and restored. If a program rounds upwards, flushes denormals or
 * traps exceptions, the library sets the usual mode while it computes, and restores the program's. */
#include "base.h"

#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }      /* allocates nothing */

double base_strtod(const char *text, char **end)
{
    pthread_once(&once, make_plain);
    const uint64_t was = base_rounding();
    const double x = strtod_l(text, end, plain);
    base_rounding_back(was);
    return x;
}

float base_strtof(const char *text, char **end)
{
    pthread_once(&once, make_plain);
    const uint64_t was = base_rounding();
    const float x = strtof_l(text, end, plain);
    base_rounding_back(was);
    return x;
}

int base_vsnprintf(char *to, size_t capacity, const char *fmt, va_list v)
{
    pthread_once(&once, make_plain);
    const locale_t was = uselocale(plain);
    const uint64_t mode = base_rounding();
    const int n = vsnprintf(to, capacity, fmt, v);
    base_rounding_back(mode);
    uselocale(was);
    return n;
}

int base_snprintf(char *to, size_t capacity, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = base_vsnprintf(to, capacity, fmt, v);
    va_end(v);
    return n;
}

int base_vfprintf(FILE *f, const char *fmt, va_list v)
{
    pthread_once(&once, make_plain);
    const locale_t was = uselocale(plain);
    const uint64_t mode = base_rounding();
    const int n = vfprintf(f, fmt, v);
    base_rounding_back(mode);
    uselocale(was);
    return n;
}

int base_fprintf(FILE *f, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = base_vfprintf(f, fmt, v);
    va_end(v);
    return n;
}

/* ---- floating-point mode: round to nearest, keep denormals, no traps ---- */

#if defined(__x86_64__)
#include <immintrin.h>
static const uint64_t usual = 0x1f80 | (uint64_t)0x37f << 32;    /* SSE, and x87, which the C library reads */
enum { FLAGS = 0x3f };                                   /* SSE: sticky exception flags, not part of the mode */
static inline uint64_t mode(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (_mm_getcsr() & ~(unsigned)FLAGS) | (uint64_t)x87 << 32;
}
static inline void set_mode(uint64_t m)
{
    const uint16_t x87 = (uint16_t)(m >> 32);
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr((unsigned)m | (_mm_getcsr() & FLAGS));
}
#elif defined(__aarch64__)
static const uint64_t usual = 0;
static inline uint64_t mode(void)
{
    uint64_t m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m));
    return m;
}
static inline void set_mode(uint64_t m) { __asm__ volatile("msr fpcr, %0" : : "r"(m)); }
#else
static const uint64_t usual = 0;
static inline uint64_t mode(void) { return usual; }
static inline void set_mode(uint64_t m) { (void)m; }
#endif

uint64_t base_rounding(void)
{
    const uint64_t was = mode();
    if (was != usual) set_mode(usual);
    return was;
}

void base_rounding_back(uint64_t was) { if (was != usual) set_mode(was); }
