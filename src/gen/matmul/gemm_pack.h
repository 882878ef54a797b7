/* gen/matmul/gemm_pack.h - packing, and the tile that packs, for one accumulator: gemm_isa.c includes this file once
 * for each.
 *
 * Operands of any strides become blocks [k][lanes]. Adjacent lanes are copied by vectors; with contiguous k, N rows are
 * transposed at once. Each dtype that is QUICK has a loop of its own. */

/* Transposes N rows of N lanes: log2 N rounds of a perfect shuffle. */
INLINE void NAME(turn)(V *r)
{
    V s[N];
    UNROLL for (int round = 1; round < N; round *= 2) {
        UNROLL for (int i = 0; i < N / 2; i++) {
#if N == 16
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            s[2 * i + 1] =
                __builtin_shufflevector(r[i], r[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif N == 8
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
#elif N == 4
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 2], 0, 4, 1, 5);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 2], 2, 6, 3, 7);
#else
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 1], 0, 2);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 3);
#endif
        }
        UNROLL for (int i = 0; i < N; i++) r[i] = s[i];
    }
}

#if defined ISA_avx2
#define HALF(p, q) _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)(p))),                \
                                           _mm_loadu_si128((const void *)(q)), 1)
/* Four words of 8 rows: to[i] is word i of all rows. Each half is loaded directly into its register half. */
INLINE void NAME(four)(__m256i *to, const char *const *p, int64_t at)
{
    const __m256i a = HALF(p[0] + at, p[4] + at), b = HALF(p[1] + at, p[5] + at), c = HALF(p[2] + at, p[6] + at),
                  d = HALF(p[3] + at, p[7] + at);
    const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d), ab2 = _mm256_unpackhi_epi32(a, b),
                  cd2 = _mm256_unpackhi_epi32(c, d);
    to[0] = _mm256_unpacklo_epi64(ab, cd), to[1] = _mm256_unpackhi_epi64(ab, cd);
    to[2] = _mm256_unpacklo_epi64(ab2, cd2), to[3] = _mm256_unpackhi_epi64(ab2, cd2);
}
#undef HALF

/* 8 rows of elements of 4 bytes, or of 2 (bf16, a pair per word): q[i][row], `width` apart. Prefetches the 8 rows that
 * may come next. Returns how many of n were packed. */
INLINE int64_t NAME(quick_rows)(T *q, int width, const tt_dtype d, const char *const *p, int64_t n)
{
    int64_t i = 0;
    if (NATIVE(d)) {
        for (; i + 4 <= n; i += 4) {
            __m256i to[4];
            if (i % 16 == 0) UNROLL for (int l = 0; l < 8; l++) __builtin_prefetch(p[l] + i * 4 + 8 * (p[1] - p[0]));
            NAME(four)(to, p, i * 4);
            UNROLL for (int j = 0; j < 4; j++) _mm256_storeu_si256((void *)(q + (i + j) * width), to[j]);
        }
    } else {
        for (; i + 8 <= n; i += 8) {
            __m256i to[4];
            if (i % 32 == 0) UNROLL for (int l = 0; l < 8; l++) __builtin_prefetch(p[l] + i * 2 + 8 * (p[1] - p[0]));
            NAME(four)(to, p, i * 2);
            UNROLL for (int j = 0; j < 4; j++) {
                const __m256i odd = _mm256_and_si256(to[j], _mm256_set1_epi32((int)0xffff0000));
                _mm256_storeu_si256((void *)(q + (i + 2 * j) * width), _mm256_slli_epi32(to[j], 16));
                _mm256_storeu_si256((void *)(q + (i + 2 * j + 1) * width), odd);
            }
        }
    }
    return i;
}
#endif

/* Loads N adjacent elements of dtype. */
INLINE V NAME(lift)(const tt_dtype d, const void *p)
{
    T part[N] = { 0 };
    if (NATIVE(d)) return NAME(load)(p);
    NAME(widen)(part, d, p, 1, N);
    return NAME(load)(part);
}

#ifdef KEEPS
enum { NAME(SOON) = 32 };  /* prefetch distance in rows; the next panel is prefetched to the second-level cache */

INLINE void NAME(keep)(const int mr, const tt_dtype d, int64_t k, const T *a, const char *b, int64_t ldb, T *to, T *c,
                       int64_t ldc, bool more)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    V acc[ROWS][2];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < 2; j++) acc[i][j] = more ? NAME(load)(c + i * ldc + j * N) : (V){ 0 };
    for (; k > 0; k--, a += mr, b += ldb * size, to += 2 * N) {
        const V row[2] = { NAME(lift)(d, b), NAME(lift)(d, b + N * size) };
        __builtin_prefetch(b + NAME(SOON) * ldb * size);
        __builtin_prefetch(b + 2 * N * size, 0, 2);
        NAME(save)(to, row[0]), NAME(save)(to + N, row[1]);
        UNROLL for (int i = 0; i < mr; i++) {
            const V one = a[i] - (V){ 0 };
            UNROLL for (int j = 0; j < 2; j++) acc[i][j] = FMA(one, row[j], acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < 2; j++) NAME(save)(c + i * ldc + j * N, acc[i][j]);
}

#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        NAME(keep)(mr, d, k, a, b, ldb, to, c, ldc, more);                                                             \
        return;                                                                                                        \
    }
#define KEEP(rows)                                                                                                     \
    static void NAME(keep_##rows)(int64_t k, const void *a, tt_dtype dtype, const void *b, int64_t ldb, void *to,      \
                                  void *c, int64_t ldc, bool more)                                                     \
    {                                                                                                                  \
        enum { mr = rows };                                                                                            \
        QUICK(CASE)                                                                                                    \
        NAME(keep)(mr, dtype, k, a, b, ldb, to, c, ldc, more);                                                         \
    }
KEEPS(KEEP)
#undef KEEP
#undef CASE
#endif

/* Packs at most N rows: q[i][l], `width` apart. Lanes written past the end are overwritten by the next row, or are
 * slack. */
INLINE void NAME(rows_of)(T *q, int width, int lanes, bool over, const tt_dtype d, const void *const *row, int64_t step,
                          int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    int64_t i = 0;
#if defined ISA_avx2
    if (SIZE == 4 && step == 1 && over && (NATIVE(d) || d == TT_BF16)) {
        const char *p[8];
        bool all = true;
        for (int l = 0; l < 8; l++) p[l] = row[l < lanes ? l : 0], all &= p[l] != NULL;
        if (all) i = NAME(quick_rows)(q, width, d, p, n);
    }
#endif
    for (; i < n; i += N) {
        const int now = n - i < N ? (int)(n - i) : N;
        T part[N];
        V r[N];
        for (int l = 0; l < N; l++) {
            const char *p = l < lanes ? row[l] : NULL;
            if (!p) r[l] = (V){ 0 };
            else if (step == 1 && now == N) r[l] = NAME(lift)(d, p + i * size);
#ifdef MASKED
            else if (NATIVE(d) && step == 1) r[l] = NAME(FEW)((const T *)(const void *)p + i, now);
#endif
            else {
                memset(part, 0, sizeof part);
                NAME(widen)(part, d, p + i * step * size, step, now);
                r[l] = NAME(load)(part);
            }
        }
        NAME(turn)(r);
        if (over) for (int j = 0; j < now; j++) NAME(save)(q + (i + j) * width, r[j]);
        else for (int j = 0; j < now; j++) memcpy(q + (i + j) * width, &r[j], (size_t)lanes * sizeof(T));
    }
}

static void NAME(from_rows)(void *dst, int width, tt_dtype dtype, const void *const *row, int64_t step, int64_t n)
{
    for (int at = 0; at < width; at += N) {
        const int lanes = width - at < N ? width - at : N;
        const bool over = width <= N || lanes == N;
        T *const q = (T *)dst + at;
#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        NAME(rows_of)(q, width, lanes, over, d, row + at, step, n);                                                    \
        continue;                                                                                                      \
    }
        QUICK(CASE)
#undef CASE
        NAME(rows_of)(q, width, lanes, over, dtype, row + at, step, n);
    }
}

/* Packs adjacent lanes. Before the last row, elements read past the lanes' end are inside the operand, too. */
INLINE void NAME(lanes_of)(T *q, int width, const tt_dtype d, const char *p, int64_t step, int lanes, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    int64_t i = 0;
    if (width == 2 * N && lanes == width)
        for (; i < n; i++, q += width, p += step * size) {
            const V one = NAME(lift)(d, p), two = NAME(lift)(d, p + N * size);
            NAME(save)(q, one), NAME(save)(q + N, two);
        }
    if (width < N && lanes == width && step >= N)
        for (; i + 1 < n; i++, q += width, p += step * size) NAME(save)(q, NAME(lift)(d, p));
    for (; i < n; i++, q += width, p += step * size) {
        int j = 0;
        for (; j + N <= lanes; j += N) NAME(save)(q + j, NAME(lift)(d, p + j * size));
        if (j < lanes && i + 1 < n && step >= N) NAME(save)(q + j, NAME(lift)(d, p + j * size)), j = lanes;
#ifdef MASKED
        if (NATIVE(d) && j < lanes)                      /* writes past the end */
            NAME(save)(q + j, NAME(FEW)((const T *)(const void *)p + j, lanes - j)), j = lanes;
#endif
        if (j < lanes) NAME(widen)(q + j, d, p + j * size, 1, lanes - j);
        for (j = lanes; j < width; j++) q[j] = 0;
    }
}

enum { NAME(EARLY) = 8 };                                /* prefetch distance in rows */

INLINE void NAME(runs_of)(T *dst, int width, int64_t next, const tt_dtype d, const char *src, int64_t step,
                          int64_t blocks, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    for (int64_t i = 0; i < n; i++, dst += width, src += step * size) {
        const char *p = src;
        T *q = dst;
        for (int64_t b = 0; b < blocks; b++, p += width * size, q = (T *)(void *)((char *)q + next)) {
            int j = 0;
            __builtin_prefetch(p + NAME(EARLY) * step * size);
            for (; j + N <= width; j += N) NAME(save)(q + j, NAME(lift)(d, p + j * size));
            if (j == width) continue;
            if (b + 1 < blocks || (i + 1 < n && step >= N)) NAME(save)(q + j, NAME(lift)(d, p + j * size));
            else NAME(widen)(q + j, d, p + j * size, 1, width - j);
        }
    }
}

static void NAME(from_runs)(void *dst, int width, int64_t next, tt_dtype dtype, const void *src, int64_t step,
                            int64_t lanes, int64_t n)
{
#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        if (width == 2 * N) NAME(runs_of)(dst, 2 * N, next, d, src, step, lanes / width, n);                           \
        else NAME(runs_of)(dst, width, next, d, src, step, lanes / width, n);                                          \
        return;                                                                                                        \
    }
    QUICK(CASE)
#undef CASE
    NAME(runs_of)(dst, width, next, dtype, src, step, lanes / width, n);
}

static void NAME(from_lanes)(void *dst, int width, tt_dtype dtype, const void *src, int64_t step, int64_t lane,
                             int lanes, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(dtype)->bytes;
    const char *p = src;
    T *q = dst;
#define CASE(d)                                                                                                        \
    if (lane == 1 && (dtype == (d) || (NATIVE(d) && NATIVE(dtype)))) {                                                 \
        NAME(lanes_of)(q, width, d, p, step, lanes, n);                                                                \
        return;                                                                                                        \
    }
    QUICK(CASE)
#undef CASE
    for (int64_t i = 0; i < n; i++, q += width, p += step * size) {
        NAME(widen)(q, dtype, p, lane, lanes);
        for (int j = lanes; j < width; j++) q[j] = 0;
    }
}
