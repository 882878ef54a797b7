/* rows.c - groups over rows give the bits of their equations one after another, each by its own engine: random
 * patterns of elementwise equations and reductions of the last dims, over several dtypes, with row values in both
 * forms, operands that are spread over rows or columns, parts of the rows, gaps in memory, split into blocks in any
 * order; softmax, layer norm and cross-entropy among them. On every instruction set of this machine. usage: gen_rows
 * [seed] */
#include "gen/gen.h"
#include "gen/isa/isa.h"
#include "gen/reduce/reduce.h"
#include "gen/rows/rows.h"

#include "check.h"
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>

#ifndef ALSO                                             /* llvm_rows.c: the same with compiled loops */
#define ALSO ""
#define ROUNDS 250
static void ran(const run_kernel *k) { (void)k; }
#endif

static uint64_t state = 88172645463325252u;
static uint64_t random64(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 2685821657736338717u;
}
static int below(int n) { return (int)(random64() >> 33) % n; }

/* rank, dims, how many are kept */
static const int64_t shapes[][6] = { { 2, 10, 100, 0, 0, 1 }, { 2, 300, 10, 0, 0, 1 }, { 3, 4, 50, 37, 0, 2 }, { 3, 8,
    6, 10, 0, 1 },
                                     { 2, 9, 3000, 0, 0, 1 }, { 4, 2, 3, 20, 32, 3 }, { 2, 70, 257, 0, 0, 1 }, { 2, 12,
                                         1, 0, 0, 1 },
                                     { 3, 1, 8, 64, 0, 2 }, { 2, 0, 40, 0, 0, 1 }, { 2, 20000, 10, 0, 0, 1 } };
enum { SHAPES = 11, VALUES = 48 };

typedef struct {
    base_arena *arena;
    ir_build *b;
    const ir_type *full, *row; int kept;                 /* row: without the reduced dims */
    ir_id value[VALUES], rows[VALUES]; int n, nrow;      /* full values; row values, of the rank of row */
    ir_id down[2]; int ndown;                            /* sums down the rows */
    int64_t lo[IR_RANK], size[IR_RANK];                  /* the part of the rows that is asked for */
    tt_dtype dtype;
    ir_fn *f;
} group;

static const ir_type *as(const ir_type *t, tt_dtype d) { return ir_type_of(d, t->rank, t->dim); }
static void keep(group *w, ir_id v) { if (v && w->n < VALUES) w->value[w->n++] = v; }
static void keep_row(group *w, ir_id v) { if (v && w->nrow < VALUES) w->rows[w->nrow++] = v; }

/* A row value spread over the rows: from the rank of rows, or by way of dims of size 1. */
static ir_id spread(group *w, ir_id v)
{
    int64_t dim[IR_RANK], at[IR_RANK];
    const tt_dtype d = ir_typeof(w->b, v)->dtype;
    const bool ones = below(2);
    for (int i = 0; i < w->full->rank; i++) at[i] = i, dim[i] = i < w->kept ? w->full->dim[i] : 1;
    if (ones) v = op_reshape(w->b, v, w->full->rank, dim);
    return op_broadcast(w->b, v, as(w->full, d), ones ? w->full->rank : w->kept, at);
}

static ir_id reduce(group *w, ir_id v, bool max)
{
    int64_t dim[IR_RANK];
    int n = 0;
    for (int d = w->kept; d < w->full->rank; d++) dim[n++] = d;
    return op_reduce_dims(w->b, max ? &prim_max : &prim_add, v, n, dim);
}

/* Sums, or maxima, down the rows, of values that are made there or come from outside. */
static void add_sums(group *w)
{
    const int64_t dim[IR_RANK] = { 0, 1, 2, 3 };
    for (int k = below(3); k > 0; k--) {
        const ir_id v = w->value[below(w->n)];
        w->down[w->ndown++] = op_reduce_dims(w->b, below(4) ? &prim_add : &prim_max, v, w->kept, dim);
    }
}

static ir_id map(group *w, ir_id x, ir_id y)
{
    ir_build *b = w->b;
    const bool real = ir_is_float(ir_typeof(b, x)->dtype);
    ir_id in[] = { x };
    switch (below(real ? 8 : 4)) {
    case 0: return op_add(b, x, y);
    case 1: return op_mul(b, x, y);
    case 2: return op_sub(b, x, y);
    case 3: return op_select(b, op_compare(b, OP_CMP_LT, x, y), y, x);
    case 4: return ir_emit(b, &prim_exp, NULL, 1, in, 0, NULL);
    case 5: return op_div(b, x, y);
    case 6: return ir_emit(b, &prim_tanh, NULL, 1, in, 0, NULL);
    default: return ir_emit(b, &prim_rsqrt, NULL, 1, in, 0, NULL);
    }
}

/* e^(x - its row's maximum), as softmax has it; or the maximum of numbers up to 1, which x may exceed by far. */
static ir_id shifted(group *w)
{
    const ir_id x = w->value[below(w->n)], y = below(2) ? x : ir_emit(w->b, &prim_tanh, NULL, 1, &x, 0, NULL);
    const ir_id by = op_sub(w->b, x, spread(w, reduce(w, y, true)));
    return ir_emit(w->b, &prim_exp, NULL, 1, &by, 0, NULL);
}

static ir_id operand(group *w)  /* an argument: full, spread from a column, a row or a number */
{
    int64_t at[IR_RANK], n = 0, dim[IR_RANK];
    if (below(3)) return ir_arg(w->b, as(w->full, w->dtype));
    const int from = below(2) ? w->kept : 0, to = from ? w->full->rank : w->kept;
    for (int d = from; d < to; d++) at[n] = d, dim[n++] = w->full->dim[d];
    if (!below(4)) n = 0;
    return op_broadcast(w->b, ir_arg(w->b, ir_type_of(w->dtype, (int)n, dim)), as(w->full, w->dtype), (int)n, at);
}

/* Random bits as numbers of the rows' type, of a key or of a key per row. */
static ir_id draw(group *w)
{
    const int batch = below(3) ? 0 : w->kept;
    int64_t dim[IR_RANK], *rest = IR_NEW(w->b, int64_t, IR_RANK);
    memcpy(dim, w->full->dim, (size_t)batch * sizeof *dim);
    dim[batch] = 2;
    memcpy(rest, w->full->dim + batch, (size_t)(w->full->rank - batch) * sizeof *rest);
    const ir_id key[] = { ir_arg(w->b, ir_type_of(TT_U32, batch + 1, dim)) };
    const op_random_bits_attr a = { .shape = { w->full->rank - batch, rest }, .bit_width = below(2) ? 32 : 64,
                                    .layout = OP_BITS_PARTITIONABLE };
    return op_convert(w->b, ir_emit(w->b, &prim_random_bits, &a, 1, key, 0, NULL), w->dtype);
}

static void make_group(void *arg)
{
    static const tt_dtype dtypes[] = { TT_F32, TT_F32, TT_F32, TT_F64, TT_BF16, TT_F16, TT_I32, TT_U8 };
    group *w = arg;
    w->arena = base_open();
    w->b = ir_begin(w->arena, base_intern("group"), NULL);
    const int64_t *s = shapes[below(SHAPES)];
    w->dtype = dtypes[below(8)], w->kept = (int)s[5];
    w->full = ir_type_of(w->dtype, (int)s[0], s + 1), w->row = ir_type_of(w->dtype, w->kept, s + 1);
    keep(w, ir_arg(w->b, w->full));
    for (int i = below(3); i > 0; i--) keep(w, operand(w));
    if (below(3) == 0) keep_row(w, ir_arg(w->b, w->row));
    if (below(4) == 0) keep(w, draw(w));
    for (int k = 2 + below(10); k > 0; k--) {
        const ir_id x = w->value[below(w->n)], y = w->value[below(w->n)];
        switch (below(4)) {
        case 0: keep_row(w, reduce(w, x, below(2))); break;
        case 1: if (w->nrow) keep_row(w, map(w, w->rows[below(w->nrow)], w->rows[below(w->nrow)])); break;
        case 2: if (w->nrow) keep(w, map(w, x, spread(w, w->rows[below(w->nrow)]))); break;
        default: keep(w, map(w, x, y)); break;
        }
    }
    if (below(4) == 0 && ir_is_float(w->dtype)) keep(w, shifted(w));
    keep_row(w, reduce(w, w->value[w->n - 1], below(2)));
    keep(w, map(w, w->value[below(w->n)], spread(w, w->rows[w->nrow - 1])));
    if (below(2)) add_sums(w);
    ir_id *ret = BASE_NEW(w->arena, ir_id, 6);
    uint32_t n = 0;
    for (int i = 0; i < w->ndown; i++) ret[n++] = w->down[i];
    ret[n++] = w->value[w->n - 1];
    if (below(2)) ret[n++] = w->rows[w->nrow - 1];
    if (below(2)) ret[n++] = w->value[below(w->n)];
    w->f = ir_end(w->b, n, ret);
}

/* ---- running them ---- */

static void random_element(void *p, tt_dtype d)
{
    static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1e-40, 3e38, 88.8 };
    const double even = (double)(int64_t)random64() / 0x1p61, x = below(60) ? even : special[below(10)];
    const float f = (float)x;
    const uint16_t h = d == TT_BF16 ? ir_f32_bf16(f) : ir_f32_f16(f);
    const uint64_t u = random64() >> 58;
    if (d == TT_F64) memcpy(p, &x, 8);
    else if (d == TT_F32) memcpy(p, &f, 4);
    else if (d == TT_BF16 || d == TT_F16) memcpy(p, &h, 2);
    else memcpy(p, &u, ir_dtype_of(d)->bytes);
}

static ir_box box_of(base_arena *a, const ir_type *t, const int64_t *lo, const int64_t *n, bool loose)
{
    ir_box x = { .dtype = t->dtype, .rank = t->rank };
    int64_t count = 1;
    for (int k = t->rank - 1; k >= 0; k--) {
        x.lo[k] = lo[k], x.n[k] = n[k], x.step[k] = count;
        count *= n[k] + (loose && k == t->rank - 1 ? 3 : 0);
    }
    x.at = base_new(a, (size_t)(count + 1) * ir_dtype_of(t->dtype)->bytes);
    return x;
}

static void run_on(base_arena *a, const run_kernel *k, ir_box *arg, bool split)
{
    const int64_t parts = k->tiles ? k->tiles(k->self, arg) : 1;
    const size_t size = (size_t)(k->scratch ? k->scratch(k->self, arg) : 0);
    const size_t all = (size_t)(k->shared ? k->shared(k->self, arg) : 0);
    char *scratch = base_new(a, size + 128), *shared = base_new(a, all + 64);
    scratch = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    memset(shared, 0xA5, all);
    memset(scratch, 0xA5, size);
    for (int64_t p = split ? parts - 1 : 0; p >= 0; p--)
    {
        run_job job = { .arg = arg, .first = p, .count = split ? 1 : parts, .scratch = scratch, .shared = shared };
        k->code(k->self, &job);
        if (p == 0 && k->finish) k->finish(k->self, &job);
    }
}

static bool is_down(const group *w, ir_id v) { return w->ndown && (w->down[0] == v || w->down[1] == v); }

/* Every value of the function, whole and dense, each equation by its own engine. */
static ir_box *one_by_one(group *w, const ir_box *in, bool reproducible)
{
    const ir_fn *f = w->f;
    ir_box *value = BASE_NEW(w->arena, ir_box, f->nvalue + 1), arg[16];
    for (uint32_t i = 0; i < f->narg; i++) value[i + 1] = in[i];
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        const int64_t zero[IR_RANK] = { 0 };
        run_kernel run;
        value[e->out] = box_of(w->arena, IR_OUT(e, 0), zero, IR_OUT(e, 0)->dim, false);
        for (uint32_t i = 0; i < e->nin; i++) arg[i] = value[e->in[i]];
        arg[e->nin] = value[e->out];
        const gen_group g = { 1, &e, e->nin, 1, e->in, &e->out, reproducible };
        const bool lines = e->op == &prim_reduce && !is_down(w, e->out);
        const bool made = lines ? gen_reduce_lines(w->arena, &g, &run) : gen_own_kernel(w->arena, &g, &run);
        CHECK(made, "%s: %s", e->op->name, base_failed() ? base_failed()->what : "?");
        if (made) run_on(w->arena, &run, arg, false);
    }
    return value;
}

static bool same_bits(const ir_box *x, const ir_box *y, int64_t *where)      /* y: a part of x */
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        const ir_num a = ir_load(x, i), b = ir_load(y, i);
        const bool real = ir_is_float(x->dtype), nan = real && isnan(a.f) && isnan(b.f);
        const bool same = real ? a.f == b.f && signbit(a.f) == signbit(b.f) : a.u == b.u;
        if (!same && !nan) return memcpy(where, i, sizeof i), false;
    }
    return true;
}

static void set_operands(group *w, ir_box *arg)
{
    for (uint32_t i = 0; i < w->f->narg; i++) {
        const ir_type *t = w->f->type[i + 1];
        const int64_t zero[IR_RANK] = { 0 };
        arg[i] = box_of(w->arena, t, zero, t->dim, below(3) == 0);
        int64_t at[IR_RANK];
        for (bool more = ir_first(&arg[i], at); more; more = ir_next(&arg[i], at)) {
            int64_t o = 0;
            for (int d = 0; d < t->rank; d++) o += at[d] * arg[i].step[d];
            random_element((char *)arg[i].at + o * (int64_t)ir_dtype_of(t->dtype)->bytes, t->dtype);
        }
    }
}

/* Results of a part of the rows. */
static void set_results(group *w, const gen_group *g, ir_box *arg)
{
    int64_t lo[IR_RANK] = { 0 }, n[IR_RANK];
    for (int d = 0; d < w->full->rank; d++) {
        n[d] = w->full->dim[d];
        if (d < w->kept && below(3) == 0 && n[d] > 1) lo[d] = below((int)n[d]), n[d] = 1 + below((int)(n[d] - lo[d]));
    }
    for (uint32_t j = 0; j < g->nout; j++) {
        const int from = is_down(w, g->out[j]) ? w->kept : 0;
        arg[g->nin + j] = box_of(w->arena, w->f->type[g->out[j]], lo + from, n + from, below(4) == 0);
    }
    memcpy(w->lo, lo, sizeof lo), memcpy(w->size, n, sizeof n);
}

/* A sum down these rows, of the values of all rows. */
static ir_box sum_of(group *w, const ir_box *value, ir_id v)
{
    const ir_eqn *e = w->f->eqn;
    while (e->out != v) e++;
    ir_box arg[3] = { value[e->in[0]], value[e->in[1]], value[v] };
    run_kernel k;
    const gen_group g = { 1, &e, e->nin, 1, e->in, &e->out, false };
    for (int d = 0; d < w->kept; d++) {
        arg[0].at = (char *)arg[0].at + w->lo[d] * arg[0].step[d] * (int64_t)ir_dtype_of(arg[0].dtype)->bytes;
        arg[0].lo[d] = w->lo[d], arg[0].n[d] = w->size[d];
    }
    arg[2] = box_of(w->arena, w->f->type[v], w->lo + w->kept, w->size + w->kept, false);
    if (gen_own_kernel(w->arena, &g, &k)) run_on(w->arena, &k, arg, false);
    return arg[2];
}

static gen_group as_group(group *w)
{
    ir_fn *f = w->f;
    const ir_eqn **e = BASE_NEW(w->arena, const ir_eqn *, f->neqn + 1);
    ir_id *in = BASE_NEW(w->arena, ir_id, f->narg + 1), *out = BASE_NEW(w->arena, ir_id, f->nret + 1);
    gen_group g = { .neqn = f->neqn, .eqn = e, .nin = f->narg, .in = in, .out = out };
    for (uint32_t k = 0; k < f->neqn; k++) e[k] = &f->eqn[k];
    for (uint32_t i = 0; i < f->narg; i++) in[i] = i + 1;
    for (uint32_t j = 0; j < f->nret; j++) {
        bool old = f->ret[j] <= f->narg;
        for (uint32_t i = 0; i < g.nout; i++) old |= out[i] == f->ret[j];
        if (!old) out[g.nout++] = f->ret[j];
    }
    return g;
}

static int sums;                                         /* down rows, compared */

static void test_group(int round)
{
    static const char *const isas[] = { "isa:base" ALSO, "isa:avx2" ALSO, "isa:avx512" ALSO };
    group w = { .n = 0 };
    ir_box arg[32];
    if (!base_catch(make_group, &w) || !w.f) {
        CHECK(false, "group %d: %s", round, base_failed() ? base_failed()->what : "?");
        base_clear_error();
        return;
    }
    gen_group g = as_group(&w);
    g.reproducible = round % 5 == 4;
    const char *why = gen_rows.refuses(&g);
    if (why && strstr(why, "view")) why = "";            /* of an argument: the planner makes that one itself */
    if (w.ndown && g.reproducible) why = why && strstr(why, "trees") ? "" : why ? why : "sums are no trees";
    CHECK(!why || !*why, "group %d: %s\n%s", round, why, ir_print(w.arena, w.f));
    set_operands(&w, arg);
    for (gen_isa i = GEN_BASE; !why && i <= gen_isa_best(); i++) {
        run_kernel k;
        int64_t at[IR_RANK] = { 0 };
        base_switches(NULL, isas[i]);
        ir_box *want = one_by_one(&w, arg, g.reproducible);
        set_results(&w, &g, arg);
        CHECK(gen_rows.make(w.arena, &g, &k), "group %d: %s", round, base_failed() ? base_failed()->what : "?");
        run_on(w.arena, &k, arg, round & 1);
        ran(&k);
        for (uint32_t j = 0; j < g.nout; j++) {
            if (is_down(&w, g.out[j])) want[g.out[j]] = sum_of(&w, want, g.out[j]), sums++;
            const bool same = same_bits(&want[g.out[j]], &arg[g.nin + j], at);
            CHECK(same, "group %d, %s, result %u at [%lld, %lld, %lld]\n%s", round, isas[i], j, (long long)at[0],
                  (long long)at[1], (long long)at[2], check_failed < 3 ? ir_print(w.arena, w.f) : "");
        }
    }
    base_close(w.arena);
}

/* The estimate of what an element of e = exp(x) and of its sums over rows costs, in ns. */
static double cost_of(int64_t width)
{
    base_arena *const a = base_open();
    const ir_fn *const f = ir_parse(a, "cost", base_format(a, "fn f(x f32[64,%lld]) {\ne = exp x\n"
                                    "s = reduce e, 0 {dimensions=[1]} add\nreturn e, s\n}\n", (long long)width));
    const ir_id x = 1;
    run_kernel k;
    double cost = -1;
    if (f && f->neqn <= 4) {
        const ir_eqn *e[4];
        for (uint32_t i = 0; i < f->neqn; i++) e[i] = &f->eqn[i];
        const gen_group g = { .neqn = f->neqn, .eqn = e, .nin = 1, .in = &x, .nout = 2, .out = f->ret };
        if (gen_rows.make(a, &g, &k) && gen_rows_code_of(&k)) cost = gen_rows_code_of(&k)->cost;
    }
    base_close(a);
    return cost;
}

/* The interpreter takes as long for a row of ten elements as for one of fifty, so ten cost more: what is short in
 * elements is long in time, and is compiled as soon (tile_hot.c). */
static void short_rows(void)
{
    const double few = cost_of(10), many = cost_of(4000);
    CHECK(many > 0 && few > 10 * many, "an element of a row of 10: %g ns, of 4,000: %g ns", few, many);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[SEED]")) return check_done();
    if (argc > 1) state ^= strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u;
    for (int round = 0; round < check_share(ROUNDS); round++) test_group(round);
    CHECK(sums > check_share(ROUNDS) / 12, "%d sums down rows", sums);
    CHECK_RUN(short_rows());
    return check_done();
}
