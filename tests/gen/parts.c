/* parts.c - a contraction, and what is gathered, scattered and turned, computed part by part under the equations
 * that read it: to the bit what the kernels give one after the other, whole or in single parts, for boxes anywhere in
 * the result, with results over operands. */
#include "check.h"
#include "gen/gen.h"
#include "op/ops.h"

#include <stdlib.h>

enum { ROUNDS = 60, ARGS = 4, OUTS = 2 };                /* x, y, m, w -> m', w' */

static uint64_t state = 12345;
static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}
static float number(void) { return (float)(below(2001) - 1000) / 256; }

typedef struct { base_arena *a; tt_dtype from; int batch; int64_t b, m, n, k; ir_fn *f; } problem;

/* d = x y; m' = 0.75 m + d; w' = w - m' d. x: [b, m, k] or its dims turned, as a gradient by weights has them. */
static void build(void *env)
{
    problem *p = env;
    const int r = 2 + p->batch, turned = (int)below(2);
    int64_t x[3] = { p->b, turned ? p->k : p->m, turned ? p->m : p->k }, y[3] = { p->b, p->k, p->n },
        z[3] = { p->b, p->m, p->n };
    const int64_t *const xs = x + 1 - p->batch, *const ys = y + 1 - p->batch, *const zs = z + 1 - p->batch;
    const int64_t zero = 0, left = p->batch + (turned ? 0 : 1), right = p->batch;
    ir_build *b = ir_begin(p->a, base_intern("led"), NULL);
    const ir_id ix = ir_arg(b, ir_type_of(p->from, r, xs)), iy = ir_arg(b, ir_type_of(p->from, r, ys));
    const ir_id im = ir_arg(b, ir_type_of(TT_F32, r, zs)), iw = ir_arg(b, ir_type_of(TT_F32, r, zs));
    const op_dot_attr dot = { .lhs_batching_dimensions = { p->batch, &zero },
                              .rhs_batching_dimensions = { p->batch, &zero },
        .lhs_contracting_dimensions = { 1, &left }, .rhs_contracting_dimensions = { 1, &right },
            .preferred_element_type = TT_F32 };
    const ir_id d = ir_emit(b, &prim_dot_general, &dot, 2, (ir_id[]){ ix, iy }, 0, NULL);
    const ir_id kept = op_add(b, op_mul(b, im, im), d), next = op_sub(b, iw, op_mul(b, kept, d));
    p->f = ir_end(b, OUTS, (ir_id[]){ kept, next });
}

static ir_box random_box(base_arena *a, const ir_type *t)
{
    const int64_t lo[IR_RANK] = { 0 };
    ir_box x = ir_box_of(NULL, t->dtype, t->rank, lo, t->dim);
    const int64_t n = ir_box_count(&x);
    x.at = base_new(a, (size_t)(n + 1) * ir_dtype_of(t->dtype)->bytes);
    for (int64_t i = 0; i < n; i++) {
        const float v = number();
        const uint16_t h = ir_f32_bf16(v);
        if (t->dtype == TT_F32) ((float *)x.at)[i] = v;
        else ((uint16_t *)x.at)[i] = h;
    }
    return x;
}

static void run(base_arena *a, const run_kernel *k, const ir_box *arg, bool split)
{
    const int64_t parts = k->tiles ? k->tiles(k->self, arg) : 1;
    const int64_t bytes = (k->scratch ? k->scratch(k->self, arg) : 0) + 128;
    char *scratch = base_new(a, (size_t)bytes);
    memset(scratch, 0xA5, (size_t)bytes);
    scratch += -(uintptr_t)scratch & 63;
    for (int64_t p = split ? parts - 1 : 0; p >= 0; p--)
        k->code(k->self, &(run_job){ .arg = arg, .first = p, .count = split ? 1 : parts, .scratch = scratch });
}

static bool same(const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(x, i); more; more = ir_next(x, i)) if (ir_load(x, i).u != ir_load(y, i).u) return false;
    return true;
}

static ir_box result_box(base_arena *a, const problem *p, const int64_t *lo, const int64_t *n)
{
    ir_box y = ir_box_of(NULL, TT_F32, 2 + p->batch, lo, n);
    y.at = base_new(a, (size_t)(ir_box_count(&y) + 1) * 4);
    return y;
}

static void kernels(const problem *p, const ir_box *in, const int64_t *lo, const int64_t *n)
{
    base_arena *a = p->a;
    const ir_fn *f = p->f;
    const ir_eqn *all[8];
    for (uint32_t i = 0; i < f->neqn; i++) all[i] = &f->eqn[i];
    const ir_id id[ARGS] = { 1, 2, 3, 4 }, made = f->eqn[0].out, rest_in[3] = { 3, 4, made };
    const gen_group whole = { f->neqn, all, ARGS, OUTS, id, f->ret, false };
    const gen_group dot = { 1, all, 2, 1, id, &made, false };
    const gen_group rest = { f->neqn - 1, all + 1, 3, OUTS, rest_in, f->ret, false };
    run_kernel k[3];
    ir_box arg[ARGS + OUTS], alone[3] = { in[0], in[1], result_box(a, p, lo, n) }, then[3 + OUTS] = { in[2], in[3] };
    CHECK(gen_kernel(a, &whole, &k[0]) && gen_own_kernel(a, &dot, &k[1]) && gen_own_kernel(a, &rest, &k[2]), "kernels");
    CHECK(strstr(k[0].name, "dot, tile"), "%s", k[0].name);
    memcpy(arg, in, ARGS * sizeof *in);
    for (int j = 0; j < OUTS; j++) arg[ARGS + j] = result_box(a, p, lo, n), then[3 + j] = result_box(a, p, lo, n);
    run(a, &k[1], alone, false);
    then[2] = alone[2];
    run(a, &k[2], then, false);
    for (int split = 0; split < 2; split++) {
        run(a, &k[0], arg, split);
        for (int j = 0; j < OUTS; j++)
            CHECK(same(&arg[ARGS + j], &then[3 + j]), "result %d of %s\n%s", j, split ? "single parts" : "one job",
                ir_print(a, f));
    }
    CHECK(gen_in_place(&whole, 2, 0) && gen_in_place(&whole, 3, 1), "what is read elementwise may be overwritten");
    CHECK(!gen_in_place(&whole, 0, 0) && !gen_in_place(&whole, 1, 1), "what is contracted may not");
    if (ir_box_count(&arg[ARGS]) != ir_box_count(&in[2])) return;
    arg[ARGS].at = in[2].at, arg[ARGS + 1].at = in[3].at;
    run(a, &k[0], arg, true);
    for (int j = 0; j < OUTS; j++) CHECK(same(&arg[ARGS + j], &then[3 + j]), "result %d over its operand", j);
}

static void round_of(void *env)
{
    problem *p = env;
    int64_t lo[3] = { 0 }, n[3];
    build(p);
    if (!p->f) base_unwind(0);
    const ir_type *z = p->f->type[p->f->ret[0]];
    ir_box in[ARGS];
    for (int i = 0; i < ARGS; i++) in[i] = random_box(p->a, p->f->type[i + 1]);
    for (int d = 0; d < z->rank; d++) {
        n[d] = z->dim[d];
        if (below(3) == 0 && n[d] > 1) lo[d] = below(n[d]), n[d] = 1 + below(n[d] - lo[d]);
    }
    kernels(p, in, lo, n);
}

/* ---- what is moved: rows of a table, a transpose, sums into rows of zeros and of windows, and an operand ---- */

/* y = (table[at] + turned^T) * added + windows + x, of [m, n] */
static void build_moves(void *env)
{
    problem *p = env;
    const int64_t table[2] = { 50, p->n }, at[2] = { p->m, 1 }, turned[2] = { p->n, p->m }, dims[2] = { p->m, p->n };
    const int64_t into[2] = { p->k + 1, 1 }, added[2] = { p->k + 1, p->n }, zero = 0, one = 1, both[2] = { 1, 0 };
    const int64_t wide[2] = { p->m, 2 * p->n }, list[6][2] = { { 2, 2 }, { 1, 2 }, { 1, 1 }, { 1, 1 }, { 1, 0 } };
    ir_dims d[6];
    for (int i = 0; i < 6; i++) d[i] = (ir_dims){ 2, BASE_COPY(p->a, list[i], 2) };
    const op_window_attr pairs = { d[0], d[1], d[2], d[3], d[4], d[5] };
    ir_build *b = ir_begin(p->a, base_intern("moves"), NULL);
    const ir_type *t = ir_type_of(TT_F32, 2, dims);
    const ir_id x[] = { ir_arg(b, ir_type_of(TT_F32, 2, table)), ir_arg(b, ir_type_of(TT_I32, 2, at)),
                        ir_arg(b, ir_type_of(TT_F32, 2, turned)), ir_arg(b, ir_type_of(TT_I32, 2, into)),
                        ir_arg(b, ir_type_of(TT_F32, 2, added)), ir_arg(b, ir_type_of(TT_F32, 2, wide)), ir_arg(b, t) };
    const int64_t *const slice = BASE_COPY(p->a, ((int64_t[]){ 1, p->n }), 2);
    const op_gather_attr rows = { .offset_dims = { 1, &one }, .collapsed_slice_dims = { 1, &zero },
                                  .start_index_map = { 1, &zero }, .index_vector_dim = 1, .slice_sizes = { 2, slice } };
    const op_scatter_attr sums = { .update_window_dims = { 1, &one }, .inserted_window_dims = { 1, &zero },
                                   .scatter_dims_to_operand_dims = { 1, &zero }, .index_vector_dim = 1 };
    const ir_id taken = ir_emit(b, &prim_gather, &rows, 2, x, 0, NULL);
    const ir_id back = ir_emit(b, &prim_transpose, &(op_transpose_attr){ { 2, both } }, 1, x + 2, 0, NULL);
    const ir_id start = op_splat(b, t, 0.5), in[] = { start, x[3], x[4] };
    ir_fn *const plus = op_reducer(b, &prim_add, TT_F32);
    const ir_id sum = ir_emit(b, &prim_scatter, &sums, 3, in, 1, &plus);
    const ir_id part[] = { x[5], op_splat(b, ir_type_of(TT_F32, 0, NULL), 0) };
    const ir_id windows = ir_emit(b, &prim_reduce_window, &pairs, 2, part, 1, &plus);
    const ir_id y = op_add(b, op_add(b, op_mul(b, op_add(b, taken, back), sum), windows), x[6]);
    p->f = ir_end(b, 1, BASE_COPY(p->a, &y, 1));
}

static void moves(void *env)
{
    problem *p = env;
    build_moves(p);
    if (!p->f) base_unwind(0);
    base_arena *a = p->a;
    const ir_fn *f = p->f;
    const ir_eqn **all = BASE_NEW(a, const ir_eqn *, f->neqn);
    ir_id *id = BASE_NEW(a, ir_id, f->narg);
    ir_box arg[8], *value = BASE_NEW(a, ir_box, f->nvalue + 1);
    run_kernel k;
    for (uint32_t i = 0; i < f->neqn; i++) all[i] = &f->eqn[i];
    for (uint32_t i = 0; i < f->narg; i++) {
        const ir_type *t = f->type[id[i] = i + 1];
        arg[i] = random_box(a, t->dtype == TT_I32 ? ir_type_of(TT_F32, t->rank, t->dim) : t);
        for (int64_t n = 0; t->dtype == TT_I32 && n < ir_count(t); n++)
            ((int32_t *)arg[i].at)[n] = (int32_t)below(60) - 5;
        arg[i].dtype = t->dtype;
        value[i + 1] = arg[i];
    }
    for (uint32_t i = 0; i < f->neqn; i++) {             /* one after the other, whole */
        const ir_eqn *e = &f->eqn[i];
        ir_box one[4];
        for (uint32_t x = 0; x < e->nin; x++) one[x] = value[e->in[x]];
        one[e->nin] = value[e->out] = random_box(a, IR_OUT(e, 0));
        CHECK(gen_own_kernel(a, &(gen_group){ 1, &all[i], e->nin, 1, e->in, &e->out, false }, &k), "%s", e->op->name);
        run(a, &k, one, false);
    }
    const gen_group whole = { f->neqn, all, f->narg, 1, id, f->ret, false };
    const char *const leads = "gather, move: transpose, move: scatter, window: reduce_window, tile";
    CHECK(gen_kernel(a, &whole, &k) && strstr(k.name, leads), "%s", k.name);
    int64_t lo[2] = { 0 }, n[2] = { p->m, p->n }, at[IR_RANK];
    for (int d = 0; d < 2; d++) if (below(3) == 0 && n[d] > 1) lo[d] = below(n[d]), n[d] = 1 + below(n[d] - lo[d]);
    for (int split = 0; split < 3; split++) {            /* the last one over its operand, if that is all of it */
        ir_box *const y = &arg[f->narg];
        if (split < 2) *y = result_box(a, p, lo, n);
        else if (n[0] * n[1] == p->m * p->n) y->at = arg[f->narg - 1].at;
        run(a, &k, arg, split > 0);
        bool good = true;
        for (bool more = ir_first(y, at); more; more = ir_next(y, at))
            good &= ir_load(y, at).u == ir_load(&value[f->ret[0]], at).u;
        CHECK(good, "%lld x %lld, %d", (long long)p->m, (long long)p->n, split);
    }
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (int r = 0; r < ROUNDS / 2; r++) {
        problem p = { .a = base_open(), .n = 1 + below(300), .k = below(400) };
        p.m = below(6) ? 1 + below(500) : below(2);
        if (r < 4) p.n = r % 2 ? 40000 : 1, p.m = 1 + below(6);
        const bool ended = base_catch(moves, &p);
        CHECK(ended, "moves %d: %s", r, base_failed() ? base_failed()->what : "unwound");
        base_clear_error();
        base_close(p.a);
    }
    for (int r = 0; r < ROUNDS; r++) {
        problem p = { .a = base_open(), .from = below(4) ? TT_F32 : TT_BF16, .batch = (int)below(2) };
        p.b = 1 + below(3), p.k = below(40);
        p.m = below(6) ? 1 + below(400) : below(2), p.n = below(6) ? 1 + below(400) : 40000 + below(9);
        if (p.n > 400 && p.m > 4) p.m = 3;
        if (!r) p.batch = 1, p.b = 2, p.m = 601, p.n = 450, p.k = 3;     /* more than a part for each place of a dim */
        const bool ended = base_catch(round_of, &p);
        CHECK(ended, "round %d: %s", r, base_failed() ? base_failed()->what : "unwound");
        base_clear_error();
        base_close(p.a);
    }
    return check_done();
}
