/* gen/matmul/gemv.c - products of few rows or columns: how the wide operand is read, and where sums are kept.
 *
 * - Adjacent lanes: ONCE rows of w at once, in runs as long as the sums that a cache holds; the next rows are
 *   prefetched early. If x has more rows than registers hold: small blocks of w, which the first rows leave in the
 *   first-level cache for the others.
 * - Contiguous k: a vector of w's rows is transposed in registers, line by line to the rows' ends, and meets all rows
 *   of x there. If x has more rows than registers hold and w's rows are long, the few rows are lanes instead, one
 *   element of w is broadcast, and nothing is transposed.
 * - Anything else (other steps, kinds without loops here, remainders at the ends) is packed by gemm.h's callbacks,
 *   block by block.
 *
 * A matrix unit, if there is one, computes products of bf16 if lines of w are the unit's tiles as stored, or if x has
 * more than a few rows. */
#include "gemv.h"

#include <string.h>

#include "../isa/isa.h"

/* ONCE: rows of w at once; DEEP: k of small blocks; bytes of x, of sums, of a vector; SHORT: bytes of rows too short
 * for runs; SMALL: most elements of a small x; LANES: most lanes in blocks. */
enum { ONCE = 16, DEEP = 32, X_BYTES = BASE_L2 / 8, Y_BYTES = 64 << 10, VECTOR = 64, SHORT = 256, SMALL = 4096,
       LANES = 4 * GEMV_SIDE, LONG = 8 << 10 };  /* least bytes of k for w's rows to be read one after another */

/* On the unit: least k, and least rows if w's lanes are adjacent. */
enum { UNIT_K = 256, UNIT_ROWS = 5 };

GEN_ISA_DECLARE(const gemv_isa, gemv_kernels);
GEN_ISA_DECLARE(const gemv_unit, gemv_amx);

typedef struct {
    const gemm *g; const gemv_isa *isa;
    bool by_rows;                                        /* A is the wide operand: lanes are rows of C */
    int64_t few, wide, size;
    const gemm_side *w;
    gemv_kind kind, own;                                 /* of w; of packed operands */
    char *x, *block, *y, *transposed;
} gemv;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static gemv_kind own_kind(gemm_type t)
{
    static const gemv_kind kind[GEMM_TYPES] = { GEMV_F32, GEMV_F64, GEMV_U32, GEMV_U64 };
    return kind[t];
}

static gemv_kind kind_of(gemm_type t, tt_dtype d)        /* GEMV_KINDS: none */
{
    static const struct { tt_dtype dtype; gemm_type type; gemv_kind kind; } all[] = {
        { TT_F32, GEMM_F32, GEMV_F32 }, { TT_BF16, GEMM_F32, GEMV_BF16 }, { TT_F16, GEMM_F32, GEMV_F16 },
        { TT_F64, GEMM_F64, GEMV_F64 }, { TT_I32, GEMM_U32, GEMV_U32 },   { TT_U32, GEMM_U32, GEMV_U32 },
        { TT_I64, GEMM_U64, GEMV_U64 }, { TT_U64, GEMM_U64, GEMV_U64 }
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) if (all[i].dtype == d && all[i].type == t) return all[i].kind;
    return GEMV_KINDS;
}

enum { X = X_BYTES + GEMM_SLACK, KEPT = LANES + 16, BLOCK = DEEP * KEPT * 8 + GEMM_SLACK,
       SUMS = Y_BYTES + 2 * GEMV_FEW * VECTOR };

int64_t gemv_scratch(const gemm *g)
{
    return g->tree ? 0 : X + BLOCK + 2 * SUMS;
}

static int64_t groups_of(const gemv *v) { return (v->few + v->isa->rows - 1) / v->isa->rows; }

/* Adds nk rows of w, ldw apart, times x: all rows of x, n lanes of y. `ahead`: distance in elements to prefetch, 0: no
 * prefetch. With several groups of rows, the first group leaves a small block of w in the first-level cache, and all
 * groups share in prefetching. */
static void gemv_add(const gemv *v, gemv_kind kind, int64_t nk, const void *x, int64_t xk, const void *w, int64_t ldw,
                     int64_t n, char *y, int64_t ldy, int64_t ahead, bool more)
{
    const int64_t groups = groups_of(v), bytes = (int64_t)ir_dtype_of(v->w->dtype)->bytes;
    const bool keep = groups > 1 && w != v->block && nk <= DEEP && n <= LANES;
    gemv_work job = { .nk = nk, .xk = xk, .xi = 1, .w = w, .ldw = ldw, .n = n, .ldy = ldy, .more = more, .ldk = KEPT,
                      .keep = keep ? v->block : NULL, .prefetch = ahead ? (const char *)w + ahead * bytes : NULL,
                      .step = ldw * bytes, .lane = bytes, .turns = keep ? groups : 1 };
    for (int64_t i = 0; i < groups; i++) {
        const int64_t from = v->few * i / groups, rows = v->few * (i + 1) / groups - from;
        job.x = (const char *)x + from * v->size, job.y = y + from * ldy * v->size;
        v->isa->add[kind][rows](&job);
        if (keep) job.w = v->block, job.ldw = KEPT, kind = v->own, job.keep = NULL, job.turn++;
        else job.prefetch = NULL;
    }
}

/* Packs the wide operand's block of nk by n: adjacent lanes. */
static void pack(const gemv *v, int64_t lane, int64_t n, int64_t k, int64_t nk)
{
    if (v->by_rows) v->g->pack_a(v->g, v->block, (int)n, lane, k, nk);
    else v->g->pack_b(v->g, v->block, (int)n, lane, (int)n, k, nk);
}

/* The block's lanes are adjacent in w: rows of w are read in place. */
static void along(const gemv *v, const char *x, int64_t xk, int64_t lane, int64_t n, int64_t k, int64_t nk, int64_t ldy)
{
    const int64_t bytes = (int64_t)ir_dtype_of(v->w->dtype)->bytes, most = n * bytes > SHORT ? ONCE : nk;
    const char *w = (const char *)v->w->at + (lane + k * v->w->k) * bytes;
    for (int64_t i = 0; i < nk && groups_of(v) > 1; i += DEEP)
        for (int64_t j = 0; j < n; j += LANES)
            gemv_add(v, v->kind, least(DEEP, nk - i), x + i * xk * v->size, xk, w + (i * v->w->k + j) * bytes, v->w->k,
                     least(LANES, n - j), v->y + j * v->size, ldy, j + LANES < n ? LANES : DEEP * v->w->k - j,
                         k + i > 0);
    for (int64_t i = 0; i < nk && groups_of(v) <= 1; i += most)
        gemv_add(v, v->kind, least(most, nk - i), x + i * xk * v->size, xk, w + i * v->w->k * bytes, v->w->k, n, v->y,
            ldy,
                 ONCE * v->w->k, k + i > 0);
}

/* The block has any layout: w is packed in small blocks. */
static void in_blocks(const gemv *v, const char *x, int64_t xk, int64_t lane, int64_t n, int64_t k, int64_t nk,
                      int64_t ldy, char *y)
{
    for (int64_t j = 0; j < n; j += GEMV_SIDE)
        for (int64_t i = 0, now; i < nk; i += now) {
            const int64_t lanes = least(GEMV_SIDE, n - j);
            now = least(GEMV_DEEP, nk - i);
            pack(v, lane + j, lanes, k + i, now);
            gemv_add(v, v->own, now, x + i * xk * v->size, xk, v->block, lanes, lanes, y + j * v->size, ldy, 0,
                k + i > 0);
        }
}

/* k is contiguous in w: full vectors of lanes over full lines of k, for all groups of rows while the lines are in the
 * cache; then the remainders of lanes and of k. */
static void gemv_transposed(const gemv *v, const char *x, int64_t xk, int64_t lane, int64_t n, int64_t k, int64_t nk,
                            int64_t ldy)
{
    const int64_t side = v->g->isa->lanes[GEMM_F32], whole = n - n % side, deep = nk - nk % GEMV_TURN;
    const int64_t groups = groups_of(v), strip = groups > 1 ? 2 * side : whole;
    const char *const w = (const char *)v->w->at + (lane * v->w->lane + k) * (int64_t)ir_dtype_of(v->w->dtype)->bytes;
    for (int64_t j = 0; j < whole && deep; j += strip)
        for (int64_t i = 0; i < groups; i++) {
            const int64_t from = v->few * i / groups, rows = v->few * (i + 1) / groups - from;
            const gemv_work job = { .nk = deep, .x = x + from * v->size, .xk = xk, .xi = 1, .ldw = v->w->lane,
                                    .w = w + j * v->w->lane * (int64_t)ir_dtype_of(v->w->dtype)->bytes,
                                    .n = least(strip, whole - j), .y = v->y + (from * ldy + j) * v->size, .ldy = ldy,
                                    .more = k > 0 };
            v->isa->transposed[v->kind][rows](&job);
        }
    in_blocks(v, x + deep * xk * v->size, xk, lane, whole, k + deep, nk - deep, ldy, v->y);
    in_blocks(v, x, xk, lane + whole, n - whole, k, nk, ldy, v->y + whole * v->size);
}

#define TURN(bits)                                                                                                     \
    static void turn_##bits(uint##bits##_t *to, const uint##bits##_t *from, int64_t ld, int64_t na, int64_t nb)        \
    {                                                                                                                  \
        for (int64_t b = 0; b < nb; b++)                                                                               \
            for (int64_t a = 0; a < na; a++) to[b * na + a] = from[a * ld + b];                                        \
    }
TURN(32)
TURN(64)
#undef TURN

/* Stores sums of n lanes from `lane` on to C. inner: y is [lane][few], else [few][lane]. */
static void gemv_store(const gemv *v, int64_t lane, int64_t n, int64_t ldy, bool inner)
{
    const gemm *g = v->g;
    const char *from = v->y;
    int64_t rows = v->few, cols = n, ld = ldy, row = 0, col = lane;
    if (v->by_rows) rows = n, cols = v->few, row = lane, col = 0;
    if (inner != v->by_rows && (inner || v->few > 1)) {  /* from[a][b], ldy apart, to [b][a] */
        const int64_t na = inner ? n : v->few, nb = inner ? v->few : n;
        if (v->size == 4) turn_32((uint32_t *)v->transposed, (const uint32_t *)v->y, ldy, na, nb);
        else turn_64((uint64_t *)v->transposed, (const uint64_t *)v->y, ldy, na, nb);
        from = v->transposed, ld = na;
    } else if (inner != v->by_rows) ld = 1;
    if (!g->c) {
        g->store(g, row, (int)rows, col, (int)cols, from, ld);
        return;
    }
    char *to = (char *)g->c + (row * g->ldc + col) * v->size;
    if (cols == ld && cols == g->ldc) cols *= rows, rows = 1;
    for (int64_t i = 0; i < rows; i++)
        memcpy(to + i * g->ldc * v->size, from + i * ld * v->size, (size_t)(cols * v->size));
}

/* x from k on, as [k][few], and the distance *xk between k. x is used in place if it has the right type and layout. */
static const char *gemv_row_of(const gemv *v, int64_t k, int64_t nk, int64_t *xk)
{
    const gemm_side *s = &v->g->side[v->by_rows];
    *xk = v->few;
    if ((v->few == 1 || s->lane == 1) && s->at && kind_of(v->g->type, s->dtype) == v->own) {
        *xk = s->k;
        return (const char *)s->at + k * s->k * v->size;
    }
    if (v->by_rows) v->g->pack_b(v->g, v->x, (int)v->few, 0, (int)v->few, k, nk);
    else v->g->pack_a(v->g, v->x, (int)v->few, 0, k, nk);
    return v->x;
}

static const gemv_isa *gemv_loops(const gemm *g)         /* of the same instruction set as g's */
{
    const int lanes = g->isa->lanes[GEMM_F32];
    return GEN_ISA_AT(gemv_kernels, lanes == 16 ? GEN_AVX512 : lanes == 8 ? GEN_AVX2 : GEN_BASE);
}

/* True if g is a small product whose operands and result have suitable layouts: one pass, no packing, no buffers. */
static bool small(const gemm *g)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    const gemm_side *x = &g->side[0], *w = &g->side[1];
    if (g->m > GEMV_SMALL || g->m > g->n || !g->c || !g->k || !x->at || !w->at || w->lane != 1) return false;
    if (g->k * g->m > SMALL || g->n * size > SHORT || kind_of(g->type, x->dtype) != own_kind(g->type)) return false;
    const gemv_kind kind = kind_of(g->type, w->dtype);
    return kind < GEMV_KINDS && gemv_loops(g)->add[kind][1];
}

/* True if g is a small product, or one of few rows or columns whose wide operand has a simple layout. Other
 * operands (windows, several dims) pack no more lanes here than gemm.c requests. */
bool gemv_fits(const gemm *g)
{
    if (g->tree || g->matrix_unit || g->run || g->isa->depth > 1) return false;
    return small(g) || (least(g->m, g->n) <= GEMV_FEW && g->side[g->m <= g->n].at);
}

static void at_once(const gemv *v)
{
    const gemm *g = v->g;
    const gemm_side *x = &g->side[0];
    const int64_t groups = groups_of(v);
    for (int64_t i = 0; i < groups; i++) {
        const int64_t from = v->few * i / groups, rows = v->few * (i + 1) / groups - from;
        const gemv_work job = { .nk = g->k, .x = (const char *)x->at + from * x->lane * v->size, .xk = x->k,
                                .xi = x->lane, .w = v->w->at, .ldw = v->w->k, .n = v->wide,
                                .y = (char *)g->c + from * g->ldc * v->size, .ldy = g->ldc, .exact = true };
        v->isa->add[v->kind][rows](&job);
    }
}

/* x from k on, as [k][vectors of rows], padded with zeros. */
static void rows_to_lanes(const gemv *v, int64_t k, int64_t nk, int64_t lanes)
{
    if (v->by_rows) v->g->pack_b(v->g, v->x, (int)v->few, 0, (int)v->few, k, nk);
    else v->g->pack_a(v->g, v->x, (int)v->few, 0, k, nk);
    for (int64_t i = nk; lanes > v->few && i-- > 0;) {
        char *const to = v->x + i * lanes * v->size;
        memmove(to, v->x + i * v->few * v->size, (size_t)(v->few * v->size));
        memset(to + v->few * v->size, 0, (size_t)((lanes - v->few) * v->size));
    }
}

/* k is contiguous in w, and vectors of x's rows are lanes: rows of w are read to their ends. */
static void run_across(const gemv *v, int vectors)
{
    const gemm *g = v->g;
    const int64_t bytes = (int64_t)ir_dtype_of(v->w->dtype)->bytes, lanes = vectors * (int64_t)g->isa->lanes[g->type];
    const int64_t chunk = Y_BYTES / (lanes * v->size), deep = X_BYTES / (lanes * v->size);
    for (int64_t lane = 0, n; lane < v->wide; lane += n) {
        n = least(chunk, v->wide - lane);
        for (int64_t k = 0, nk; k < g->k; k += nk) {
            nk = least(deep, g->k - k);
            if (!lane || deep < g->k) rows_to_lanes(v, k, nk, lanes);
            const gemv_work job = { .nk = nk, .x = v->x, .xk = lanes, .w = (const char *)v->w->at +
                                    (lane * v->w->lane + k) * bytes, .ldw = v->w->lane, .n = n, .y = v->y,
                                    .ldy = lanes, .more = k > 0 };
            v->isa->across[v->kind][vectors](&job);
        }
        gemv_store(v, lane, n, lanes, true);
    }
}

/* ---- on the matrix unit ---- */

static const gemv_unit *unit_for(const gemv *v)          /* the same for all parts of a product: bits differ */
{
    const gemm_side *x = &v->g->side[v->by_rows];
    if (v->g->type != GEMM_F32 || v->few > GEMV_FEW || v->g->k < UNIT_K || !x->at || !v->w->at) return NULL;
    if (v->kind != GEMV_BF16 || x->dtype != TT_BF16 || (x->k != 1 && x->lane != 1)) return NULL;
    if (v->w->k != 1 && (v->w->lane != 1 || v->few < UNIT_ROWS)) return NULL;
    return gemm_matrix_unit_here() ? GEN_ISA_PICK(gemv_amx) : NULL;
}

static void run_on_unit(const gemv *v, const gemv_unit *u)
{
    enum { MOST_K = X_BYTES / (2 * GEMV_FEW), MOST = Y_BYTES / (4 * GEMV_FEW) };
    const bool across = v->w->k == 1;
    for (int64_t lane = 0, n; lane < v->wide; lane += n) {
        n = least(MOST, v->wide - lane);
        const int64_t ldy = across ? GEMV_FEW : base_round_up(n, GEMV_FEW) + GEMV_FEW;
        for (int64_t k = 0, nk; k < v->g->k; k += nk) {
            nk = least(MOST_K, v->g->k - k);
            if (!lane || MOST_K < v->g->k) u->pack(v->x, &v->g->side[v->by_rows], (int)v->few, k, nk, across);
            const uint16_t *const w = (const uint16_t *)v->w->at + lane * v->w->lane + k * v->w->k;
            const gemv_work job = { .nk = nk, .x = v->x, .w = w, .ldw = across ? v->w->lane : v->w->k, .n = n,
                                    .y = v->y, .ldy = ldy, .more = k > 0 };
            (across ? u->across : u->along)(&job);
        }
        gemv_store(v, lane, n, ldy, across);
    }
}

void gemv_run(const gemm *g, void *scratch)
{
    gemv v = { .g = g, .isa = gemv_loops(g), .by_rows = g->m > g->n, .own = own_kind(g->type),
               .size = (int64_t)gemm_bytes(g->type), .x = scratch };
    v.few = v.by_rows ? g->n : g->m, v.wide = v.by_rows ? g->m : g->n;
    v.w = &g->side[!v.by_rows];
    v.kind = kind_of(g->type, v.w->dtype);
    v.block = v.x + X, v.y = v.block + BLOCK, v.transposed = v.y + SUMS;
    const bool straight = v.kind < GEMV_KINDS && v.isa->add[v.kind][1] && (v.w->lane == 1 || v.wide == 1);
    const gemv_unit *const unit = unit_for(&v);
    if (unit) {
        run_on_unit(&v, unit);
        return;
    }
    if (small(g)) {
        at_once(&v);
        return;
    }
    const int64_t vectors = (v.few + g->isa->lanes[g->type] - 1) / g->isa->lanes[g->type];
    const bool turns = !straight && v.kind < GEMV_KINDS && v.w->k == 1 && v.isa->transposed[v.kind][1];
    if (!straight && (turns ? groups_of(&v) : v.few) > 1 && v.w->k == 1 && v.kind < GEMV_KINDS &&
        vectors <= GEMV_ACROSS && g->k * (int64_t)ir_dtype_of(v.w->dtype)->bytes >= LONG &&
        v.isa->across[v.kind][vectors]) {
        run_across(&v, (int)vectors);
        return;
    }
    const int64_t fit = Y_BYTES / (v.few * v.size) / VECTOR * VECTOR;
    const int64_t most = straight || turns || fit < LANES ? fit : LANES;
    const int64_t chunks = (v.wide + most - 1) / most, chunk = base_round_up((v.wide + chunks - 1) / chunks, VECTOR);
    const char *x = NULL;
    int64_t xk = 0;
    const int64_t deep = X_BYTES / (v.few * v.size);
    for (int64_t lane = 0; lane < v.wide; lane += chunk) {
        const int64_t n = least(chunk, v.wide - lane), pad = VECTOR / v.size, ldy = base_round_up(n, pad) + pad;
        if (!g->k) memset(v.y, 0, (size_t)(v.few * ldy * v.size));
        for (int64_t k = 0, nk; k < g->k; k += nk) {
            nk = least(deep, g->k - k);
            if (!lane || deep < g->k) x = gemv_row_of(&v, k, nk, &xk);
            if (straight) along(&v, x, xk, lane, n, k, nk, ldy);
            else if (turns) gemv_transposed(&v, x, xk, lane, n, k, nk, ldy);
            else in_blocks(&v, x, xk, lane, n, k, nk, ldy, v.y);
        }
        gemv_store(&v, lane, n, ldy, false);
    }
}
