/* gen/matmul/gemm_amx_pack.h - part of gemm_amx_isa.c: packs operands into tiles of bf16. A panel is two tiles wide;
 * per 32 of k it has parts 0, 1, 2, each of one or two tiles, in which k and k + 16 form a pair, so that lines of 16
 * floats are packed without a shuffle. Each function packs one layout: A or B, with contiguous k or with contiguous
 * rows or columns. */

/* Stores 16 pairs as three lines of bf16, `part` bytes apart: each part is the bf16 nearest to the remainder. */
INLINE void amx_pack_store(char *to, int64_t part, __m512 u, __m512 v)
{
    const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32((int)0xffff0000u);
    for (int p = 0; p < PARTS - 1; p++) {
        const __m512i a = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(u), half), top);
        const __m512i b = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(v), half), top);
        _mm512_store_si512(to + p * part, _mm512_or_si512(_mm512_srli_epi32(a, 16), b));
        u = _mm512_sub_ps(u, _mm512_castsi512_ps(a));
        v = _mm512_sub_ps(v, _mm512_castsi512_ps(b));
    }                                                    /* 8 bits remain, of a denormal perhaps more: a | (b & top) */
    _mm512_store_si512(to + (PARTS - 1) * part,
                       _mm512_ternarylogic_epi32(_mm512_srli_epi32(_mm512_castps_si512(u), 16), _mm512_castps_si512(v),
                                                 top, 0xf8));
}

enum { LEAST = (127 - 50) << 23, MOST = (127 + 100) << 23 };

INLINE void amx_pack_mark(__m512i most, int n, uint8_t *bad)
{
    const __mmask16 small = _mm512_cmplt_epu32_mask(most, _mm512_set1_epi32(LEAST)) & _mm512_test_epi32_mask(most,
        most);
    const __mmask16 out = _mm512_cmpgt_epu32_mask(most, _mm512_set1_epi32(MOST)) | small;
    for (int i = 0; out && i < n; i++) bad[i] |= out >> i & 1;
}

/* Packs a step of a panel from at most 32 rows of B, ldb apart, their first `cols` columns: `tiles` tiles per part. */
static void pack_columns(const float *x, int64_t ldb, int cols, int64_t nk, int tiles, char *to, uint32_t *most)
{
    for (int j = 0; j < tiles; j++) {
        const __mmask16 m = amx_first(cols - j * SIDE);
        __m512i size = _mm512_loadu_si512(most + j * SIDE);
        for (int i = 0; i < SIDE; i++) {
            const float *row = x + i * ldb + j * SIDE;
            const __m512 u = i < nk ? _mm512_maskz_loadu_ps(m, row) : _mm512_setzero_ps();
            const __m512 v = i + SIDE < nk ? _mm512_maskz_loadu_ps(m, row + SIDE * ldb) : _mm512_setzero_ps();
            size = size_of(size_of(size, u), v);
            amx_pack_store(to + j * TILE + i * 64, tiles * TILE, u, v);
        }
        _mm512_storeu_si512(most + j * SIDE, size);
    }
}

/* A panel of A being packed: `rows` rows, nk contiguous k, lda apart; the rows after them, up to the tiles' end, are
 * zeros. The panel is packed by 32 of k of one row, between products of the panel before it: the unit and the vectors
 * work at the same time. */
typedef struct {
    const float *x; int64_t lda, nk, k;
    int row, rows, tiles;
    char *to, *at; uint8_t *bad;
    __m512i most;                                        /* of the row so far */
} pack_queue;

INLINE void pack_begin(pack_queue *q, const float *x, int64_t lda, int rows, int64_t nk, char *to, uint8_t *bad)
{
    *q = (pack_queue){ .x = x, .lda = lda, .nk = nk, .rows = rows, .tiles = rows > SIDE ? 2 : 1, .to = to, .at = to,
                       .bad = bad, .most = _mm512_setzero_si512() };
}

INLINE bool pack_next(pack_queue *q)                     /* false: the panel is complete */
{
    if (q->row == q->tiles * SIDE) return false;
    const int64_t left = q->row < q->rows ? q->nk - q->k : 0;
    const __m512 u = _mm512_maskz_loadu_ps(amx_first(left), q->x + q->k);
    const __m512 v = _mm512_maskz_loadu_ps(amx_first(left - SIDE), q->x + q->k + SIDE);
    q->most = size_of(size_of(q->most, u), v);
    amx_pack_store(q->at, q->tiles * TILE, u, v);
    q->k += DEEP, q->at += PARTS * q->tiles * TILE;
    if (q->k < q->nk) return true;
    const uint32_t size = _mm512_reduce_max_epu32(q->most);
    if (q->row < q->rows) q->bad[q->row] |= size > MOST || (size && size < LEAST);
    q->row++, q->k = 0, q->x += q->lda, q->most = _mm512_setzero_si512();
    q->at = q->to + q->row / SIDE * TILE + q->row % SIDE * 64;
    return true;
}

/* Packs a step of a panel of A from at most 32 of A's columns, lda apart, with contiguous rows: the first `rows`. */
static void pack_transposed(const float *x, int64_t lda, int rows, int64_t nk, int tiles, char *to, uint32_t *most)
{
    for (int j = 0; j < tiles; j++) {
        const __mmask16 m = amx_first(rows - j * SIDE);
        __m512i size = _mm512_loadu_si512(most + j * SIDE);
        __m512 half[2][SIDE];
        for (int h = 0; h < 2; h++) {
            for (int i = 0; i < SIDE; i++) {
                const int at = h * SIDE + i;
                const float *line = x + at * lda + j * SIDE;
                half[h][i] = at < nk ? _mm512_maskz_loadu_ps(m, line) : _mm512_setzero_ps();
                size = size_of(size, half[h][i]);
            }
            amx_turn(half[h]);
        }
        for (int i = 0; i < SIDE; i++) amx_pack_store(to + j * TILE + i * 64, tiles * TILE, half[0][i], half[1][i]);
        _mm512_storeu_si512(most + j * SIDE, size);
    }
}

/* Packs a step of a panel of B from B's columns, ldb apart, with contiguous k. */
static void pack_lines(const float *x, int64_t ldb, int cols, int64_t nk, int tiles, char *to, uint32_t *most)
{
    for (int j = 0; j < tiles; j++) {
        __m512i size = _mm512_loadu_si512(most + j * SIDE);
        __m512 half[2][SIDE];
        for (int h = 0; h < 2; h++) {
            const __mmask16 m = amx_first(nk - h * SIDE);
            for (int i = 0; i < SIDE; i++) {
                const float *line = x + (j * SIDE + i) * ldb + h * SIDE;
                half[h][i] = j * SIDE + i < cols ? _mm512_maskz_loadu_ps(m, line) : _mm512_setzero_ps();
                _mm_prefetch(line + 2 * DEEP, _MM_HINT_T0);
            }
            amx_turn(half[h]);
        }
        for (int i = 0; i < SIDE; i++) {
            size = size_of(size_of(size, half[0][i]), half[1][i]);
            amx_pack_store(to + j * TILE + i * 64, tiles * TILE, half[0][i], half[1][i]);
        }
        _mm512_storeu_si512(most + j * SIDE, size);
    }
}
