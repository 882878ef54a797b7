/* loops_hand.h - what bench/loops compares with, by hand with intrinsics: included once with LANES 16 (AVX-512) and
 * once with 8 (AVX2), both with FMA. HAND(f): f's name there; at: pointers to operands and results, [m, n] or [n]. */
#if LANES == 16
#define TARGET    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#define VEC       __m512
#define V(f)      _mm512_##f##_ps
#define HAND(f)   f##_512
#else
#define TARGET    __attribute__((target("avx2,fma")))
#define VEC       __m256
#define V(f)      _mm256_##f##_ps
#define HAND(f)   f##_256
#endif
#define SET(x)    V(set1)(x)
#define LOAD(p)   V(loadu)(p)

#if LANES == 16
TARGET static inline VEC HAND(floor)(VEC x) { return _mm512_roundscale_ps(x, _MM_FROUND_FLOOR); }
TARGET static inline VEC HAND(times_power)(VEC p, VEC k) { return _mm512_scalef_ps(p, k); }
TARGET static inline float HAND(sum)(VEC x) { return _mm512_reduce_add_ps(x); }
TARGET static inline float HAND(most)(VEC x) { return _mm512_reduce_max_ps(x); }
TARGET static inline VEC HAND(below)(VEC x, float limit, VEC yes, VEC no)        /* by |x| < limit */
{
    return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(_mm512_abs_ps(x), SET(limit), _CMP_LT_OQ), yes);
}
#else
TARGET static inline VEC HAND(floor)(VEC x) { return _mm256_floor_ps(x); }
TARGET static inline VEC HAND(times_power)(VEC p, VEC k)         /* k added to p's exponent, which has space for it */
{
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtps_epi32(k), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), bits));
}
#define FOLD(name, op)                                                                                                 \
    TARGET static inline float HAND(name)(VEC x)                                                                       \
    {                                                                                                                  \
        __m128 a = _mm_##op##_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));                              \
        a = _mm_##op##_ps(a, _mm_movehl_ps(a, a));                                                                     \
        return _mm_cvtss_f32(_mm_##op##_ss(a, _mm_shuffle_ps(a, a, 1)));                                               \
    }
FOLD(sum, add)
FOLD(most, max)
#undef FOLD
TARGET static inline VEC HAND(below)(VEC x, float limit, VEC yes, VEC no)
{
    const VEC size = _mm256_andnot_ps(SET(-0.f), x);
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(size, SET(limit), _CMP_LT_OQ));
}
#endif

TARGET static inline VEC HAND(exp)(VEC x)                /* the same reduction and polynomial as op/prog/poly.c's */
{
    const VEC y = V(min)(V(max)(x, SET(-87.33654f)), SET(88.722839f));
    const VEC k = HAND(floor)(V(fmadd)(y, SET(1.44269504f), SET(0.5f)));
    VEC r = V(fnmadd)(k, SET(0.693359375f), y), p = SET(1.9875691500e-4f);
    r = V(fnmadd)(k, SET(-2.12194440e-4f), r);
    p = V(fmadd)(p, r, SET(1.3981999507e-3f)), p = V(fmadd)(p, r, SET(8.3334519073e-3f));
    p = V(fmadd)(p, r, SET(4.1665795894e-2f)), p = V(fmadd)(p, r, SET(1.6666665459e-1f));
    p = V(fmadd)(p, r, SET(5.0000001201e-1f));
    p = V(fmadd)(V(mul)(r, r), p, V(add)(r, SET(1)));
    return HAND(times_power)(p, k);
}

TARGET static inline VEC HAND(tanh)(VEC x)               /* a ratio of two polynomials, as op/prog/poly.c's */
{
    const VEC y = V(min)(V(max)(x, SET(-7.90531110763549805f)), SET(7.90531110763549805f)), z = V(mul)(y, y);
    VEC a = SET(-2.76076847742355e-16f), b = SET(1.19825839466702e-06f);
    a = V(fmadd)(a, z, SET(2.00018790482477e-13f)), a = V(fmadd)(a, z, SET(-8.60467152213735e-11f));
    a = V(fmadd)(a, z, SET(5.12229709037114e-08f)), a = V(fmadd)(a, z, SET(1.48572235717979e-05f));
    a = V(fmadd)(a, z, SET(6.37261928875436e-04f)), a = V(fmadd)(a, z, SET(4.89352455891786e-03f));
    b = V(fmadd)(b, z, SET(1.18534705686654e-04f)), b = V(fmadd)(b, z, SET(2.26843463243900e-03f));
    b = V(fmadd)(b, z, SET(4.89352518554385e-03f));
    return HAND(below)(x, 0.0004f, x, V(div)(V(mul)(y, a), b));
}

TARGET static inline VEC HAND(gelu_of)(VEC x)
{
    const VEC c = V(mul)(V(mul)(x, x), x), u = V(add)(x, V(mul)(c, SET(0.044715f)));
    const VEC t = HAND(tanh)(V(mul)(u, SET(0.79788456f)));
    return V(mul)(x, V(add)(V(mul)(t, SET(0.5f)), SET(0.5f)));
}

/* at: x, bias, y */
TARGET static void HAND(gelu)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t r = 0; r < m; r++)
        for (int64_t i = 0; i < n; i += LANES)
            V(storeu)(at[2] + r * n + i, HAND(gelu_of)(V(add)(LOAD(at[0] + r * n + i), LOAD(at[1] + i))));
}

/* at: y, dy, dx: of tanh */
TARGET static void HAND(dtanh)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m * n; i += LANES) {
        const VEC y = LOAD(at[0] + i), d = LOAD(at[1] + i);
        V(storeu)(at[2] + i, V(mul)(d, V(sub)(SET(1), V(mul)(y, y))));
    }
}

/* at: p, m, v, g, new p, m, v (in place) */
TARGET static void HAND(adam)(float *const *at, int64_t rows_, int64_t n)
{
    for (int64_t i = 0; i < rows_ * n; i += LANES) {
        const VEC g = LOAD(at[3] + i);
        const VEC m = V(fmadd)(SET(0.9f), LOAD(at[1] + i), V(mul)(SET(0.1f), g));
        const VEC v = V(fmadd)(SET(0.999f), LOAD(at[2] + i), V(mul)(SET(0.001f), V(mul)(g, g)));
        const VEC s = V(add)(V(sqrt)(V(div)(v, SET(0.5f))), SET(1e-8f));
        const VEC u = V(div)(V(div)(m, SET(0.7f)), s);
        V(storeu)(at[4] + i, V(fnmadd)(SET(1e-3f), u, LOAD(at[0] + i)));
        V(storeu)(at[5] + i, m);
        V(storeu)(at[6] + i, v);
    }
}

/* at: x, y */
TARGET static void HAND(softmax)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t r = 0; r < m; r++) {
        const float *x = at[0] + r * n;
        float *y = at[1] + r * n;
        VEC a = SET(-INFINITY), b = a, s = SET(0), t = s;
        for (int64_t i = 0; i < n; i += 2 * LANES)
            a = V(max)(a, LOAD(x + i)), b = V(max)(b, LOAD(x + i + LANES));
        const VEC top = SET(HAND(most)(V(max)(a, b)));
        for (int64_t i = 0; i < n; i += 2 * LANES) {
            a = HAND(exp)(V(sub)(LOAD(x + i), top)), b = HAND(exp)(V(sub)(LOAD(x + i + LANES), top));
            s = V(add)(s, a), t = V(add)(t, b);
            V(storeu)(y + i, a), V(storeu)(y + i + LANES, b);
        }
        const VEC sum = SET(HAND(sum)(V(add)(s, t)));
        for (int64_t i = 0; i < n; i += LANES) V(storeu)(y + i, V(div)(LOAD(y + i), sum));
    }
}

/* at: y, dy, dx = y (dy - sum(y dy)) */
TARGET static void HAND(dsoftmax)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t r = 0; r < m; r++) {
        const float *y = at[0] + r * n, *d = at[1] + r * n;
        VEC s = SET(0), t = s;
        for (int64_t i = 0; i < n; i += 2 * LANES) {
            s = V(fmadd)(LOAD(y + i), LOAD(d + i), s);
            t = V(fmadd)(LOAD(y + i + LANES), LOAD(d + i + LANES), t);
        }
        const VEC sum = SET(HAND(sum)(V(add)(s, t)));
        for (int64_t i = 0; i < n; i += LANES)
            V(storeu)(at[2] + r * n + i, V(mul)(LOAD(y + i), V(sub)(LOAD(d + i), sum)));
    }
}

/* at: x, g, b, y */
TARGET static void HAND(norm)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t r = 0; r < m; r++) {
        const float *x = at[0] + r * n;
        VEC s = SET(0), t = s, q = s, p = s;
        for (int64_t i = 0; i < n; i += 2 * LANES) {
            const VEC a = LOAD(x + i), b = LOAD(x + i + LANES);
            s = V(add)(s, a), t = V(add)(t, b);
            q = V(fmadd)(a, a, q), p = V(fmadd)(b, b, p);
        }
        const float mean = HAND(sum)(V(add)(s, t)) / (float)n;
        const float square = HAND(sum)(V(add)(q, p)) / (float)n;
        const VEC u = SET(mean), k = SET(1 / sqrtf(fmaxf(square - mean * mean, 0) + 1e-5f));
        for (int64_t i = 0; i < n; i += LANES) {
            const VEC a = V(mul)(V(sub)(LOAD(x + i), u), k);
            V(storeu)(at[3] + r * n + i, V(fmadd)(a, LOAD(at[1] + i), LOAD(at[2] + i)));
        }
    }
}

/* at: h = (x - mean) k, k [rows], g, dy, dx = k (d - mean(d) - h mean(d h)), d = dy g */
TARGET static void HAND(dnorm)(float *const *at, int64_t m, int64_t n)
{
    for (int64_t r = 0; r < m; r++) {
        const float *h = at[0] + r * n, *d = at[3] + r * n;
        VEC s = SET(0), t = s;
        for (int64_t i = 0; i < n; i += LANES) {
            const VEC a = V(mul)(LOAD(d + i), LOAD(at[2] + i));
            s = V(add)(s, a), t = V(fmadd)(a, LOAD(h + i), t);
        }
        const VEC u = SET(HAND(sum)(s) / (float)n), v = SET(HAND(sum)(t) / (float)n);
        for (int64_t i = 0; i < n; i += LANES) {
            const VEC a = V(mul)(LOAD(d + i), LOAD(at[2] + i));
            const VEC b = V(fnmadd)(LOAD(h + i), v, V(sub)(a, u));
            V(storeu)(at[4] + r * n + i, V(mul)(b, SET(at[1][r])));
        }
    }
}
#undef LANES
#undef TARGET
#undef VEC
#undef V
#undef HAND
#undef SET
#undef LOAD
