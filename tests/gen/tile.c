/* tile.c - the tile interpreter gives the bits of the primitives' definitions: random groups of elementwise equations
 * over all dtypes, with broadcasts, constants and indices; boxes that are parts, strided, empty, of odd lengths; split
 * into parts; results over donated operands; on every instruction set of this machine. usage: gen_tile [seed]
 *
 * Longer than 400 lines: groups are made, run and compared in one state. */
#include "gen/gen.h"
#include "gen/isa/isa.h"
#include "gen/tile/tile.h"

#include "check.h"
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>

#ifndef ALSO                                             /* llvm.c: the same with compiled loops */
#define ALSO ""
static void ran(const run_kernel *k) { (void)k; }
#endif

static uint64_t state = 88172645463325252u;
static uint64_t random64(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}
static int below(int n) { return (int)(random64() >> 33) % n; }

static const tt_dtype dtypes[] = { TT_F32, TT_F32, TT_F32, TT_F64, TT_BF16, TT_F16, TT_I32, TT_I32, TT_I64, TT_U32,
                                   TT_U8, TT_I8, TT_I16, TT_U16, TT_U64, TT_BOOL };
static const int64_t shapes[][4] = { { 1, 1000 }, { 2, 33, 70 }, { 1, 1 }, { 0 }, { 2, 7, 0 }, { 3, 5, 9, 13 },
                                     /* rank, dims */
                                     { 2, 300, 10 }, { 1, 64 }, { 3, 1, 40, 3 }, { 1, 5000 }, { 2, 2, 1500 },
                                     { 3, 2, 4, 320 } };
enum { VALUES = 40, INPUTS = 6, RESULTS = 3 };

typedef struct {
    base_arena *arena;
    ir_build *b;
    const ir_type *shape;                                /* any dtype: the dims */
    ir_id value[VALUES]; int n;                          /* of the result shape, any dtype */
    ir_id flag, low, high;                               /* scalars: bool, f32, f32 */
    ir_fn *f;
    gen_group g;
} group;

/* ---- making groups ---- */

static ir_id pick(group *w, tt_dtype d)                  /* a value of that dtype, converted if need be; 0: cannot */
{
    for (int tries = 0; tries < 8; tries++) {
        const ir_id v = w->value[below(w->n)];
        if (ir_typeof(w->b, v)->dtype == d) return v;
    }
    return op_convert(w->b, w->value[below(w->n)], d);
}

static void keep(group *w, ir_id v) { if (v && w->n < VALUES) w->value[w->n++] = v; }

/* A broadcast of an argument: some dims of the shape, others 1 or left out. */
static ir_id broadcast_arg(group *w, tt_dtype d)
{
    int64_t dim[IR_RANK], at[IR_RANK];
    int n = 0;
    for (int i = 0; i < w->shape->rank; i++) {
        if (!below(3)) continue;
        dim[n] = below(3) ? w->shape->dim[i] : 1, at[n++] = i;
    }
    const ir_id x = ir_arg(w->b, ir_type_of(d, n, dim));
    return op_broadcast(w->b, x, ir_type_of(d, w->shape->rank, w->shape->dim), n, at);
}

static void add_random(group *w)
{
    static const op_prim *const floats[] = { &prim_neg, &prim_abs, &prim_exp, &prim_log, &prim_log1p, &prim_expm1,
        &prim_tanh,
        &prim_logistic, &prim_sqrt, &prim_rsqrt, &prim_erf, &prim_erf_inv, &prim_sin, &prim_cos, &prim_floor,
            &prim_ceil,
        &prim_sign, &prim_round_even, &prim_round_away, &prim_tan, &prim_cbrt };
    static const op_prim *const float2[] = { &prim_add, &prim_sub, &prim_mul, &prim_div, &prim_max, &prim_min,
        &prim_pow,
                                            &prim_rem, &prim_atan2 };
    static const op_prim *const ints[] = { &prim_add, &prim_sub, &prim_mul, &prim_div, &prim_rem, &prim_max, &prim_min,
                                          &prim_and, &prim_or, &prim_xor, &prim_shl, &prim_shr, &prim_sar };
    static const op_prim *const bools[] = { &prim_and, &prim_or, &prim_xor, &prim_max, &prim_add };
    ir_build *b = w->b;
    const ir_id x = w->value[below(w->n)];
    const tt_dtype d = ir_typeof(b, x)->dtype;
    const ir_class c = ir_dtype_of(d)->cls;
    const ir_id y = pick(w, d), in[3] = { x, y, pick(w, d) };
    if (!y || !in[2]) return;
    switch (below(8)) {
    case 0: keep(w, op_convert(b, x, dtypes[below(16)])); return;
    case 1: keep(w, op_compare(b, (op_cmp)below(6), x, y)); return;
    case 2: keep(w, op_select(b, pick(w, TT_BOOL), x, y)); return;
    case 3:
        keep(w, op_splat(b, ir_type_of(d, w->shape->rank, w->shape->dim), below(6) ? below(5) - 2 : -0.0));
        return;
    default: break;
    }
    if (below(20) == 0) keep(w, op_select(b, w->flag, x, y));
    if (d == TT_F32 && below(20) == 0) keep(w, op_clamp(b, w->low, x, w->high));
    if (d == TT_F32 && below(20) == 0)
        keep(w, ir_emit(b, &prim_bitcast, &(op_convert_attr){ TT_U32 }, 1, in, 0, NULL));
    if (below(20) == 0 && c != IR_BOOL_CLASS)
        keep(w, ir_emit(b, &prim_integer_pow, &(op_integer_pow_attr){ below(9) - 3 }, 1, in, 0, NULL));
    if (c == IR_FLOAT_CLASS) {
        if (below(4) == 0) keep(w, ir_emit(b, &prim_fma, NULL, 3, in, 0, NULL));
        else if (below(2)) keep(w, ir_emit(b, floats[below(21)], NULL, 1, in, 0, NULL));
        else keep(w, ir_emit(b, float2[below(9)], NULL, 2, in, 0, NULL));
    } else if (c == IR_BOOL_CLASS) keep(w, below(3) ? ir_emit(b, bools[below(5)], NULL, 2, in, 0, NULL) : op_not(b, x));
    else if (below(5)) keep(w, ir_emit(b, ints[below(13)], NULL, 2, in, 0, NULL));
    else if (below(2)) keep(w, below(2) ? op_not(b, x) : op_neg(b, x));
    else keep(w, ir_emit(b, below(2) ? &prim_clz : &prim_popcnt, NULL, 1, in, 0, NULL));
}

/* Words of random bits, of a key or of a key for each element of the first dims, `most` of them. */
static ir_id draw(ir_build *b, const ir_type *t, int most)
{
    static const int64_t widths[] = { 8, 16, 32, 64 };
    const int batch = below(3) ? 0 : below(most + 1);
    int64_t dim[IR_RANK], *rest = IR_NEW(b, int64_t, IR_RANK);
    memcpy(dim, t->dim, (size_t)batch * sizeof *dim);
    dim[batch] = 2;
    memcpy(rest, t->dim + batch, (size_t)(t->rank - batch) * sizeof *rest);
    const ir_id key[] = { ir_arg(b, ir_type_of(TT_U32, batch + 1, dim)) };
    const op_random_bits_attr a = { .shape = { t->rank - batch, rest }, .bit_width = widths[below(4)],
                                    .layout = OP_BITS_PARTITIONABLE };
    return ir_emit(b, &prim_random_bits, &a, 1, key, 0, NULL);
}

static void make_group(void *arg)
{
    group *w = arg;
    w->arena = base_open();
    w->b = ir_begin(w->arena, base_intern("group"), NULL);
    const int64_t *s = shapes[below(12)];
    w->shape = ir_type_of(TT_F32, (int)s[0], s + 1);
    w->flag = ir_arg(w->b, ir_type_of(TT_BOOL, 0, NULL));
    w->low = ir_arg(w->b, ir_type_of(TT_F32, 0, NULL)), w->high = ir_arg(w->b, ir_type_of(TT_F32, 0, NULL));
    const int nin = 1 + below(INPUTS), neqn = 1 + below(20);
    for (int i = 0; i < nin; i++) {
        const tt_dtype d = dtypes[below(16)];
        if (i && below(3) == 0) { keep(w, broadcast_arg(w, d)); continue; }
        keep(w, ir_arg(w->b, ir_type_of(d, w->shape->rank, w->shape->dim)));
    }
    if (w->shape->rank && below(3) == 0)
        keep(w, op_iota(w->b, ir_type_of(below(2) ? TT_I32 : TT_F32, w->shape->rank, w->shape->dim),
                        below(w->shape->rank)));
    if (below(4) == 0) keep(w, draw(w->b, w->shape, w->shape->rank));
    for (int k = 0; k < neqn; k++) add_random(w);
    ir_id *ret = BASE_NEW(w->arena, ir_id, RESULTS);
    const int nret = 1 + below(RESULTS);
    for (int j = 0; j < nret; j++) ret[j] = w->value[w->n - 1 - (j < w->n ? j : 0)];
    w->f = ir_end(w->b, (uint32_t)nret, ret);
}

/* The whole function as a group: inputs are the arguments, results the distinct returned values made inside. A group of
 * one equation has its operands as inputs, one by one; the values given to them twice must then be alike: such are left
 * out. */
static bool as_group(group *w)
{
    ir_fn *f = w->f;
    const ir_eqn **e = BASE_NEW(w->arena, const ir_eqn *, f->neqn + 1);
    ir_id *in = BASE_NEW(w->arena, ir_id, f->narg + 1), *out = BASE_NEW(w->arena, ir_id, f->nret + 1);
    for (uint32_t k = 0; k < f->neqn; k++) e[k] = &f->eqn[k];
    for (uint32_t i = 0; i < f->narg; i++) in[i] = i + 1;
    w->g = (gen_group){ .neqn = f->neqn, .eqn = e, .nin = f->narg, .in = in, .out = out };
    for (uint32_t j = 0; j < f->nret; j++) {
        bool old = f->ret[j] <= f->narg;
        for (uint32_t i = 0; i < w->g.nout; i++) old |= out[i] == f->ret[j];
        if (!old) out[w->g.nout++] = f->ret[j];
    }
    if (f->neqn == 1) {
        const ir_eqn *one = e[0];
        if (gen_is_random_bits(one)) return false;       /* another engine's */
        for (uint32_t i = 0; i < one->nin; i++)
            for (uint32_t k = 0; k < i; k++) if (one->in[i] == one->in[k]) return false;
        w->g.nin = one->nin, w->g.in = one->in;
    }
    return w->g.nout > 0;
}

/* ---- running them ---- */

static void random_element(void *p, tt_dtype d)
{
    static const double special[] = { 0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 1e-40, 3e38, 1e5, -1e9, 2.5,
                                      -87.5, 88.8 };
    const uint64_t u = random64();
    const double even = (double)(int64_t)u / (below(3) ? 0x1p62 : 0x1p56), x = below(6) ? even : special[below(15)];
    const size_t bytes = ir_dtype_of(d)->bytes;
    static const uint32_t nans[] = { 0x7fffffff, 0xffffffff, 0x7fc08001 };   /* rounding may not carry out of them */
    float f = (float)x;
    if (d == TT_F32 && below(60) == 0) memcpy(&f, &nans[below(3)], sizeof f);
    uint16_t h = d == TT_BF16 ? ir_f32_bf16(f) : ir_f32_f16(f);
    uint64_t v = below(4) ? u >> below(63) : (uint64_t)(int64_t)(below(5) - 2);
    if (d == TT_BOOL) v = u >> 7 & 1;
    if (d == TT_F64) memcpy(p, &x, 8);
    else if (d == TT_F32) memcpy(p, &f, 4);
    else if (d == TT_BF16 || d == TT_F16) memcpy(p, &h, 2);
    else memcpy(p, &v, bytes);
}

/* A box of [lo, lo + n) of a value, in memory with gaps when `loose`. */
static ir_box box_of(base_arena *a, tt_dtype d, int rank, const int64_t *lo, const int64_t *n, bool loose)
{
    ir_box x = { .dtype = d, .rank = rank };
    int64_t count = 1;
    for (int k = rank - 1; k >= 0; k--) {
        x.lo[k] = lo[k], x.n[k] = n[k], x.step[k] = count;
        count *= n[k] + (loose && k == rank - 1 ? 3 : 0);
    }
    x.at = base_new(a, (size_t)(count + 1) * ir_dtype_of(d)->bytes);
    return x;
}

static bool same_bits(const ir_box *x, const ir_box *y, int64_t *where)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(x, i); more; more = ir_next(x, i)) {
        const ir_num a = ir_load(x, i), b = ir_load(y, i);
        const bool real = ir_is_float(x->dtype), nan = real && isnan(a.f) && isnan(b.f);
        const bool same = real ? a.f == b.f && signbit(a.f) == signbit(b.f) : a.u == b.u;
        if (!same && !nan) return memcpy(where, i, sizeof i), false;
    }
    return true;
}

static void run_kernel_on(base_arena *a, const run_kernel *k, ir_box *arg, bool split)
{
    const int64_t parts = k->tiles ? k->tiles(k->self, arg) : 1;
    char *scratch = base_new(a, (size_t)(k->scratch ? k->scratch(k->self, arg) : 0) + 128);
    scratch = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    memset(scratch, 0xA5, (size_t)(k->scratch ? k->scratch(k->self, arg) : 0));
    for (int64_t p = split ? parts - 1 : 0; p >= 0; p--)
        k->code(k->self, &(run_job){ .arg = arg, .first = p, .count = split ? 1 : parts, .scratch = scratch });
}

static void compare(group *w, const ir_box *want, const ir_box *got, const char *isa, int round)
{
    int64_t at[IR_RANK] = { 0 };
    for (uint32_t j = 0; j < w->g.nout; j++) {
        const bool same = same_bits(&want[j], &got[j], at);
        CHECK(same, "group %d on %s, result %u at [%lld, %lld, %lld]: %.17g, not %.17g", round, isa, j,
              (long long)at[0],
              (long long)at[1], (long long)at[2], ir_load(&got[j], at).f, ir_load(&want[j], at).f);
        if (!same && check_failed < 4) {
            printf("%s", ir_print(w->arena, w->f));
            for (int d = 0; d < got[j].rank; d++)
                printf("dim %d: [%lld, +%lld) by %lld\n", d, (long long)got[j].lo[d], (long long)got[j].n[d],
                       (long long)got[j].step[d]);
        }
    }
}

static void set_box(group *w, ir_box *arg, int loose_from)       /* a random part of the result, operands whole */
{
    int64_t lo[IR_RANK] = { 0 }, n[IR_RANK];
    for (int d = 0; d < w->shape->rank; d++) {
        n[d] = w->shape->dim[d];
        if (below(3) == 0 && n[d] > 1) lo[d] = below((int)n[d]), n[d] = 1 + below((int)(n[d] - lo[d]));
    }
    for (uint32_t i = 0; i < w->g.nin; i++) {
        const ir_type *t = w->f->type[w->g.in[i]];
        const int64_t zero[IR_RANK] = { 0 };
        arg[i] = box_of(w->arena, t->dtype, t->rank, zero, t->dim, below(4) < loose_from);
        int64_t at[IR_RANK];
        for (bool more = ir_first(&arg[i], at); more; more = ir_next(&arg[i], at)) {
            int64_t o = 0;
            for (int d = 0; d < t->rank; d++) o += at[d] * arg[i].step[d];
            random_element((char *)arg[i].at + o * (int64_t)ir_dtype_of(t->dtype)->bytes, t->dtype);
        }
    }
    for (uint32_t j = 0; j < w->g.nout; j++)
        arg[w->g.nin + j] = box_of(w->arena, w->f->type[w->g.out[j]]->dtype, w->shape->rank, lo, n,
                                   below(4) < loose_from);
}

/* Results over operands, as the planner donates buffers. */
static void in_place(group *w, const run_kernel *k, const ir_box *want, const ir_box *arg, const char *isa, int round)
{
    ir_box mine[64], result[RESULTS];
    const uint32_t n = w->g.nin + w->g.nout;
    memcpy(mine, arg, n * sizeof *arg);
    for (uint32_t i = 0; i < w->g.nin; i++) {
        const ir_box *x = &arg[i];
        mine[i] = ir_box_of(base_new(w->arena, (size_t)(ir_box_count(x) + 1) * 8), x->dtype, x->rank, x->lo, x->n);
        ir_copy(x, &mine[i]);
    }
    bool any = false, used[64] = { false };
    for (uint32_t j = 0; j < w->g.nout; j++)
        for (uint32_t i = 0; i < w->g.nin; i++) {
            const ir_box *y = &mine[w->g.nin + j];
            if (used[i] || !gen_in_place(&w->g, i, j) || ir_box_count(&mine[i]) != ir_box_count(y)) continue;
            const tt_dtype d = y->dtype;
            mine[w->g.nin + j] = mine[i], mine[w->g.nin + j].dtype = d;
            any = used[i] = true;
            break;
        }
    if (!any) return;
    for (uint32_t j = 0; j < w->g.nout; j++) result[j] = mine[w->g.nin + j];
    run_kernel_on(w->arena, k, mine, true);
    compare(w, want, result, isa, round);
}

static void test_group(int round)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };
    group w = { .n = 0 };
    ir_box arg[64], want[RESULTS];
    if (!base_catch(make_group, &w) || !w.f) {
        CHECK(false, "group %d: %s", round, base_failed() ? base_failed()->what : "?");
        base_clear_error();
    } else if (as_group(&w)) {
        run_kernel k;
        set_box(&w, arg, 1);
        CHECK(!gen_ref.refuses(&w.g) && gen_ref.make(w.arena, &w.g, &k), "ref makes it");
        run_kernel_on(w.arena, &k, arg, false);
        for (uint32_t j = 0; j < w.g.nout; j++) {
            want[j] = arg[w.g.nin + j];
            const ir_box *y = &want[j];
            arg[w.g.nin + j] = box_of(w.arena, y->dtype, y->rank, y->lo, y->n, below(4) == 0);
        }
        for (gen_isa i = GEN_BASE; i <= gen_isa_best(); i++) {
            char words[64];
            snprintf(words, sizeof words, "isa:%s%s", isas[i], ALSO);
            base_switches(NULL, words);
            const char *why = gen_tile.refuses(&w.g);
            CHECK(!why && gen_tile.make(w.arena, &w.g, &k), "group %d: %s\n%s", round,
                  why ? why : base_failed() ? base_failed()->what : "?", ir_print(w.arena, w.f));
            base_clear_error();
            if (why) break;
            run_kernel_on(w.arena, &k, arg, round & 1);
            ran(&k);
            compare(&w, want, arg + w.g.nin, isas[i], round);
            in_place(&w, &k, want, arg, isas[i], round);
        }
    }
    base_close(w.arena);
}

/* ---- random bits whose counters pass 2^32 ---- */

static void make_far(void *arg)
{
    group *w = arg;
    static const int64_t dim[] = { 3, 1ll << 31, 2 };
    w->b = ir_begin(w->arena, base_intern("far"), NULL);
    w->shape = ir_type_of(TT_F32, 3, dim);
    const ir_id v = draw(w->b, w->shape, 1), u = ir_emit(w->b, &prim_not, NULL, 1, &v, 0, NULL);
    w->f = ir_end(w->b, 1, BASE_COPY(w->arena, &u, 1));
}

static void test_far(void)
{
    static const char *const isas[] = { "isa:base" ALSO, "isa:avx2" ALSO, "isa:avx512" ALSO };
    group w = { .arena = base_open() };
    ir_box arg[2];
    run_kernel k;
    CHECK(base_catch(make_far, &w) && w.f && as_group(&w), "%s", base_failed() ? base_failed()->what : "?");
    const int64_t zero[3] = { 0 }, lo[] = { 0, (1ll << 31) - 150, 0 }, n[] = { 2, 150, 2 };
    const ir_type *key = w.f->type[1], *y = w.f->type[w.g.out[0]];
    arg[0] = box_of(w.arena, TT_U32, key->rank, zero, key->dim, false);
    for (int64_t i = 0; i < ir_box_count(&arg[0]); i++) ((uint32_t *)arg[0].at)[i] = (uint32_t)random64();
    arg[1] = box_of(w.arena, y->dtype, 3, lo, n, false);
    CHECK(gen_ref.make(w.arena, &w.g, &k), "ref makes it");
    run_kernel_on(w.arena, &k, arg, false);
    const ir_box want = arg[1];
    for (gen_isa i = GEN_BASE; i <= gen_isa_best(); i++) {
        base_switches(NULL, isas[i]);
        arg[1] = box_of(w.arena, y->dtype, 3, lo, n, false);
        CHECK(gen_tile.make(w.arena, &w.g, &k), "tile makes it");
        run_kernel_on(w.arena, &k, arg, true);
        ran(&k);
        compare(&w, &want, &arg[1], isas[i], -1);
    }
    base_close(w.arena);
}

/* ---- results so large that they pass the caches by: as made in parts that do not ---- */

static void make_large(void *arg)
{
    group *w = arg;
    static const int64_t dim[] = { 3001, 2803 };
    w->b = ir_begin(w->arena, base_intern("large"), NULL);
    w->shape = ir_type_of(TT_F32, 2, dim);
    const ir_id x = ir_arg(w->b, w->shape), y = op_mul(w->b, op_add(w->b, x, x), x), ret[] = { y, op_neg(w->b, y) };
    w->f = ir_end(w->b, 2, BASE_COPY(w->arena, ret, 2));
}

static void test_large(void)
{
    group w = { .arena = base_open() };
    ir_box whole[3], part[3];
    run_kernel k;
    base_switches(NULL, "" ALSO);
    CHECK(base_catch(make_large, &w) && w.f && as_group(&w), "%s", base_failed() ? base_failed()->what : "?");
    const int64_t zero[2] = { 0 }, *n = w.shape->dim;
    for (int i = 0; i < 3; i++) whole[i] = box_of(w.arena, TT_F32, 2, zero, n, false), part[i] = whole[i];
    for (int64_t i = 0; i < n[0] * n[1]; i++) ((float *)whole[0].at)[i] = (float)(int32_t)random64() / 0x1p20f;
    CHECK(gen_tile.make(w.arena, &w.g, &k), "tile makes it");
    run_kernel_on(w.arena, &k, whole, true);
    for (int64_t from = 0; from < n[0]; from += 800) {
        for (int i = 1; i < 3; i++) {
            const int64_t lo[2] = { from, 0 }, rows[2] = { n[0] - from < 800 ? n[0] - from : 800, n[1] };
            part[i] = box_of(w.arena, TT_F32, 2, lo, rows, false);
        }
        run_kernel_on(w.arena, &k, part, false);
        for (int i = 1; i < 3; i++)
            CHECK(!memcmp((float *)whole[i].at + from * n[1], part[i].at, (size_t)ir_box_count(&part[i]) * 4),
                  "result %d, rows from %lld", i, (long long)from);
    }
    base_close(w.arena);
}

/* ---- strided lines, which compiled loops write in place: as dense ones, and nothing beside them ---- */

static void make_lined(void *arg)
{
    group *w = arg;
    static const int64_t dim[] = { 29, 384 };
    w->b = ir_begin(w->arena, base_intern("lined"), NULL);
    w->shape = ir_type_of(TT_BF16, 2, dim);
    const ir_id x = ir_arg(w->b, w->shape), z = ir_arg(w->b, ir_type_of(TT_F32, 2, dim));
    const ir_id y = op_mul(w->b, op_add(w->b, x, x), op_convert(w->b, z, TT_BF16)), ret[] = { y, op_neg(w->b, y) };
    w->f = ir_end(w->b, 2, BASE_COPY(w->arena, ret, 2));
}

/* A part of 384 columns of rows of 1,000. over: result 0 takes the place of operand 0. */
static void test_lined(bool over)
{
    enum { ROWS = 29, COLUMNS = 384, ROW = 1000, BYTES = (ROWS * ROW + 8) * 4 };
    static const int64_t zero[2] = { 0 };
    group w = { .arena = base_open() };
    ir_box dense[4], part[4];
    run_kernel k;
    base_switches(NULL, "" ALSO);
    CHECK(base_catch(make_lined, &w) && w.f && as_group(&w), "%s", base_failed() ? base_failed()->what : "?");
    for (int i = 0; i < 4; i++) {
        dense[i] = box_of(w.arena, i == 1 ? TT_F32 : TT_BF16, 2, zero, w.shape->dim, false), part[i] = dense[i];
        part[i].at = memset(base_new(w.arena, BYTES), 0x3c, BYTES), part[i].step[0] = ROW;
        for (int64_t r = 0; r < ROWS * COLUMNS && i < 2; r++)
            random_element((char *)dense[i].at + r * (i ? 4 : 2), dense[i].dtype);
        if (i < 2) ir_copy(&dense[i], &part[i]);
    }
    if (over) part[2] = part[0];
    CHECK(gen_tile.make(w.arena, &w.g, &k), "tile makes it");
    for (int i = 0; i < 2; i++) run_kernel_on(w.arena, &k, i ? part : dense, i);
    ran(&k);
    compare(&w, dense + 2, part + 2, over ? "lines, over an operand" : "lines", -1);
    bool beside = true;
    for (int i = 2; i < 4; i++)
        for (int64_t r = 0; r < ROWS * ROW; r++)
            beside &= r % ROW < COLUMNS || ((const uint16_t *)part[i].at)[r] == 0x3c3c;
    CHECK(beside, "a result is written beside its lines");
    base_close(w.arena);
}

#include "api/tile_single.h"

#ifndef ROUNDS
#define ROUNDS 300
#endif

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[SEED]")) return check_done();
    if (argc > 1) state ^= strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u;
    for (int round = 0; round < ROUNDS; round++) test_group(round);
    for (int i = 0; i < 6; i++) test_far();
    test_large();
    for (int over = 0; over < 2; over++) test_lined(over);
    test_quotients(TT_F32, 200);
    test_quotients(TT_F64, 200);
    test_singles();
    return check_done();
}
