/* exec.c - plans written by hand: segments over several classes, exchanges, loops, choices, donation, constants,
 * host steps, views, failing allocations; 1, 2 and 7 workers give the same bits.
 *
 * Longer than 400 lines: every case is a plan written by hand. */
#include "check.h"
#include "plan.h"

#include <sys/wait.h>
#include <unistd.h>

static run_array *run1(run_program *p, run_array *const *in, const bool *consumed)
{
    run_array *out = NULL;
    return run_launch(p, in, consumed, &out) ? out : NULL;
}

static bool equals(run_array *a, const float *want, int64_t n)
{
    float *got = malloc((size_t)n * 4 + 4);
    const bool same = a && run_read(a, NULL, NULL, got) && !memcmp(got, want, (size_t)n * 4);
    free(got);
    return same;
}

/* x[R, C] cut over a and b; s = sum over a and b of local sums is made by an exchange; y = (2x + 1 + index) + bias[C].
 * Arena values of one class share memory crosswise: t0 and t2 begin at 0 and differ in size. */
static hand *chain(const int64_t *dim, mesh_set *all)
{
    hand *h = hand_begin("a:4, b:2");
    *all = (mesh_set)((1u << h->m->natom) - 1);
    const mesh_layout *l = hand_layout(h, 2, "a, b"), *bl = hand_layout(h, 1, "b");
    const mesh_set vb = mesh_layout_vary(bl);
    const uint32_t x = hand_value(h, TT_F32, 2, dim, l, *all, RUN_ARG, 0);
    const uint32_t bias = hand_value(h, TT_F32, 2, (int64_t[]){ dim[0], dim[1] }, hand_layout(h, 2, "_, b"), vb,
                                     RUN_ARG, 1);
    const uint32_t y = hand_value(h, TT_F32, 2, dim, l, *all, RUN_RESULT, 0);
    const uint32_t t0 = hand_value(h, TT_F32, 2, dim, l, *all, RUN_ARENA, 0);
    const int64_t bytes = h->value[t0].bytes;
    const uint32_t t1 = hand_value(h, TT_F32, 2, dim, l, *all, RUN_ARENA, bytes);
    const uint32_t whole = hand_value(h, TT_F32, 2, dim, NULL, 0, RUN_ARENA, 0);
    const uint32_t w2 = hand_value(h, TT_F32, 2, dim, NULL, 0, RUN_ARENA, h->value[whole].bytes);
    const uint32_t t2 = hand_value(h, TT_F32, 2, dim, l, *all, RUN_ARENA, 0);
    h->value[t2].bytes = bytes + 64;                     /* crosswise with t0 */
    h->value[t1].at = bytes + 64;
    const uint32_t twice = hand_kernel(h, k_twice, NULL, rows_of, "twice"),
        index = hand_kernel(h, k_index, NULL, rows_of, "index");
    const uint32_t add = hand_kernel(h, k_add, NULL, rows_of, "add");
    hand_step(h, COMPUTE(h, twice, *all, x, t0));
    hand_step(h, COMPUTE(h, index, *all, t0, t1));
    hand_step(h, COMPUTE(h, add, *all, t1, bias, t2));
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .name = base_intern("all_gather"),
                            .exchange = { .from = t2, .to = whole } });
    hand_step(h, COMPUTE(h, twice, 0, whole, w2));
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .name = base_intern("slice"),
                            .exchange = { .from = w2, .to = t1 } });
    hand_step(h, COMPUTE(h, add, *all, t1, t2, y));
    return h;
}

static void segments(void)
{
    static const int64_t dims[][2] = { { 13, 5 }, { 8, 4 }, { 3, 1 }, { 0, 3 }, { 64, 300 }, { 400, 257 } };
    for (int k = 0; k < 6; k++) {
        const int64_t *dim = dims[k], n = dim[0] * dim[1];
        mesh_set all;
        hand *h = chain(dim, &all);
        float *x = calloc((size_t)n + 1, 4), *b = calloc((size_t)n + 1, 4), *want = calloc((size_t)n + 1, 4);
        for (int64_t i = 0; i < n; i++) {
            x[i] = (float)(i % 97) / 3;
            b[i] = (float)(i % 11) - 4;
            const float t = (2 * x[i] + 1) + 1000 * (float)(i / dim[1]) + (float)(i % dim[1]) + b[i];
            want[i] = 2 * t + 1 + t;
        }
        run_array *in[2] = { array_f32(h, 2, dim, "a, b", x), array_f32(h, 2, dim, NULL, b) }; /* the second is moved */
        run_program *p = run_bind(h->a, &h->p);
        CHECK(p != NULL, "%s", base_failed() ? base_failed()->what : "");
        for (int w = 0; p && w < 3; w++) {
            workers((const int[]){ 1, 2, 7 }[w]);
            for (int again = 0; again < 5; again++) {
                run_array *y = run1(p, in, NULL);
                CHECK(equals(y, want, n), "chain %d, %d workers", k, run_workers());
                run_drop(y);
            }
        }
        run_drop(in[0]);
        run_drop(in[1]);
        run_unbind(p);
        free(x), free(b), free(want);
    }
}

/* i = 0; while (i < limit) { x = x + i; i = i + 1 }; then branch by a flag: twice, or nothing, or x + x. */
static void loops(void)
{
    hand *h = hand_begin(NULL);
    const int64_t n[1] = { 5 };
    const uint32_t x0 = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_ARG, 0);
    const uint32_t limit = hand_value(h, TT_F32, 0, NULL, NULL, 0, RUN_ARG, 1);
    const uint32_t which = hand_value(h, TT_I32, 0, NULL, NULL, 0, RUN_ARG, 2);
    const uint32_t x = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_ARENA, 0);
    const uint32_t i = hand_value(h, TT_F32, 0, NULL, NULL, 0, RUN_ARENA, 64);
    const uint32_t test = hand_value(h, TT_BOOL, 0, NULL, NULL, 0, RUN_ARENA, 128);
    const uint32_t y = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_RESULT, 0);
    const uint32_t zero = hand_value(h, TT_F32, 0, NULL, NULL, 0, RUN_CONST, 0);
    const uint32_t one = hand_value(h, TT_F32, 0, NULL, NULL, 0, RUN_CONST, 4);
    memcpy(h->blob + 4, &(float){ 1 }, 4);
    const uint32_t less = hand_kernel(h, k_less, NULL, NULL, "less"), add = hand_kernel(h, k_add, NULL, rows_of, "add");
    const uint32_t twice = hand_kernel(h, k_twice, NULL, rows_of, "twice");
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .exchange = { .from = x0, .to = x } });
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .exchange = { .from = zero, .to = i } });
    const run_step cond[] = { COMPUTE(h, less, 0, i, limit, test) };
    const run_step body[] = { COMPUTE(h, twice, 0, x, x), COMPUTE(h, add, 0, i, one, i) };
    const run_list blocks[2] = { [RUN_COND] = hand_list(h, 1, cond), [RUN_BODY] = hand_list(h, 2, body) };
    hand_step(h, (run_step){ .kind = RUN_LOOP, .control = { test }, .nnested = 2,
        .nested = BASE_COPY(h->a, blocks, 2) });
    const run_step b0[] = { COMPUTE(h, twice, 0, x, y) }, b2[] = { COMPUTE(h, add, 0, x, x, y) };
    const run_step b1[] = { (run_step){ .kind = RUN_EXCHANGE, .exchange = { .from = x, .to = y } } };
    const run_list branch[] = { hand_list(h, 1, b0), hand_list(h, 1, b1), hand_list(h, 1, b2) };
    hand_step(h, (run_step){ .kind = RUN_CHOOSE, .control = { which }, .nnested = 3,
                            .nested = BASE_COPY(h->a, branch, 3) });
    run_program *p = run_bind(h->a, &h->p);
    CHECK(p != NULL, "%s", base_failed() ? base_failed()->what : "");
    for (int32_t w = -1; p && w < 5; w++) {
        float v[5] = { 0, 1, 2, 3, 4 };
        const float lim = (float)(w + 1);
        for (int k = 0; k < w + 1; k++) for (int e = 0; e < 5; e++) v[e] = 2 * v[e] + 1;
        const int b = w < 0 || w > 2 ? 2 : w;                 /* out of range: the last */
        for (int e = 0; e < 5; e++) v[e] = b == 0 ? 2 * v[e] + 1 : b == 1 ? v[e] : v[e] + v[e];
        run_array *in[3] = { array_f32(h, 1, n, NULL, (float[]){ 0, 1, 2, 3, 4 }), array_f32(h, 0, NULL, NULL, &lim),
                             run_array_of(ir_type_of(TT_I32, 0, NULL), NULL, &w) };
        run_array *out = run1(p, in, (bool[]){ true, true, true });
        CHECK(equals(out, v, 5), "loop of %d", (int)w + 1);
        run_drop(out);
    }
    run_unbind(p);
}

static void donation(void)
{
    hand *h = hand_begin("a:2");
    const int64_t n[1] = { 1000 };
    const mesh_layout *l = hand_layout(h, 1, "a");
    const uint32_t x = hand_value(h, TT_F32, 1, n, l, 1, RUN_ARG, 0),
        y = hand_value(h, TT_F32, 1, n, l, 1, RUN_RESULT, 0);
    const uint32_t twice = hand_kernel(h, k_twice, NULL, rows_of, "twice");
    h->alias[0] = 0;
    hand_step(h, COMPUTE(h, twice, 1, x, y));
    float host[1000], want[1000];
    for (int i = 0; i < 1000; i++) host[i] = (float)i, want[i] = 2 * host[i] + 1;
    run_program *p = run_bind(h->a, &h->p);
    run_array *a = array_f32(h, 1, n, "a", host);
    const void *at = run_box(a, 0).at;
    run_array *b = run1(p, &a, NULL);
    CHECK(run_box(b, 0).at != at && equals(b, want, 1000) && equals(a, host, 1000), "kept");
    run_drop(b);
    run_keep(a);
    b = run1(p, &a, (bool[]){ true });
    CHECK(run_box(b, 0).at != at && equals(b, want, 1000) && equals(a, host, 1000), "held by another");
    run_drop(b);
    b = run1(p, &a, (bool[]){ true });                   /* the last reference: its buffer goes on */
    CHECK(run_box(b, 0).at == at && equals(b, want, 1000), "in place");
    run_drop(b);
    a = array_f32(h, 1, n, NULL, host);                  /* moved first: the copy is the program's own */
    b = run1(p, &a, NULL);
    CHECK(equals(b, want, 1000) && equals(a, host, 1000), "moved");
    run_drop(b);
    b = run1(p, &a, (bool[]){ true });
    CHECK(equals(b, want, 1000), "moved and given");
    run_drop(b);
    a = array_f32(h, 1, n, "a", host);
    base_fail_allocation(1);                             /* warm: no request at all */
    b = run1(p, &a, (bool[]){ true });
    base_fail_allocation(0);
    CHECK(b && equals(b, want, 1000), "without memory");
    run_drop(b);
    run_unbind(p);
}

/* Results that are an argument, a constant, a part of a constant; and an argument twice in one launch. */
static void shared(void)
{
    hand *h = hand_begin("a:2");
    const int64_t n[1] = { 5 };
    const mesh_layout *l = hand_layout(h, 1, "a");
    const float k[5] = { 5, 4, 3, 2, 1 };
    memcpy(h->blob + 64, k, sizeof k);
    hand_value(h, TT_F32, 1, n, l, 1, RUN_ARG, 0);
    const uint32_t b = hand_value(h, TT_F32, 1, n, l, 1, RUN_ARG, 1);
    const uint32_t c = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_CONST, 64);
    const uint32_t cut = hand_value(h, TT_F32, 1, n, l, 1, RUN_CONST, 64);
    h->result[h->p.nresult++] = 0;
    h->result[h->p.nresult++] = c;
    const uint32_t y = hand_value(h, TT_F32, 1, n, l, 1, RUN_RESULT, 2);
    h->alias[2] = 0;
    hand_step(h, COMPUTE(h, hand_kernel(h, k_add, NULL, rows_of, "add"), 1, b, cut, y));
    run_program *p = run_bind(h->a, &h->p);
    CHECK(p != NULL, "%s", base_failed() ? base_failed()->what : "");
    run_array *a = array_f32(h, 1, n, "a", (float[]){ 1, 2, 3, 4, 5 }), *out[3];
    CHECK(run_launch(p, (run_array *[]){ a, a }, (bool[]){ false, false }, out), "launch");
    CHECK(out[0] == a && equals(out[1], k, 5) && equals(out[2], (float[]){ 6, 6, 6, 6, 6 }, 5), "results");
    run_unbind(p);                                       /* the constant outlives its program */
    CHECK(equals(out[1], k, 5), "constant");
    for (int i = 0; i < 3; i++) run_drop(out[i]);
    run_drop(a);
}

/* A kernel in two halves: each row's sum goes to shared memory, then all are added to one number. */
static int64_t rows_shared(const void *self, const ir_box *arg) { return rows_of(self, arg) * 4; }

static void k_row_sum(const void *self, const run_job *j)
{
    const ir_box *x = &j->arg[0];
    (void)self;
    for (int64_t r = j->first; r < j->first + j->count && r < x->n[0]; r++) {
        float s = 0;
        for (int64_t c = 0; c < x->n[1]; c++) s += ((float *)x->at)[r * x->step[0] + c * x->step[1]];
        ((float *)j->shared)[r] = s;
    }
}

static void k_add_rows(const void *self, const run_job *j)
{
    float s = 0;
    (void)self;
    for (int64_t r = 0; r < j->arg[0].n[0]; r++) s += ((float *)j->shared)[r];
    *(float *)j->arg[1].at = s;
}

static void halves(void)
{
    for (int k = 0; k < 3; k++) {
        hand *h = hand_begin((const char *[]){ "a:1", "a:3", "a:8" }[k]);
        const mesh_set all = (mesh_set)((1u << h->m->natom) - 1);
        const int64_t dim[2] = { 250, 300 }, devices[1] = { mesh_size(h->m) };
        const uint32_t x = hand_value(h, TT_F32, 2, dim, hand_layout(h, 2, "a, _"), all, RUN_ARG, 0);
        const uint32_t t = hand_value(h, TT_F32, 2, dim, hand_layout(h, 2, "a, _"), all, RUN_ARENA, 0);
        hand_value(h, TT_F32, 1, devices, hand_layout(h, 1, "a"), all, RUN_RESULT, 0);
        const uint32_t y = hand_value(h, TT_F32, 0, NULL, NULL, all, RUN_RESULT, 0);
        const uint32_t sum = hand_kernel(h, k_row_sum, NULL, rows_of, "sum"),
            twice = hand_kernel(h, k_twice, NULL, rows_of, "twice");
        h->kernel[sum].finish = k_add_rows;
        h->kernel[sum].shared = rows_shared;
        hand_step(h, COMPUTE(h, twice, all, x, t));
        hand_step(h, COMPUTE(h, sum, all, t, y));
        hand_step(h, COMPUTE(h, hand_kernel(h, k_add, NULL, rows_of, "add"), all, y, y, y));
        float *host = malloc(250 * 300 * 4), want[8];
        for (int i = 0; i < 250 * 300; i++) host[i] = (float)(i * 7 % 1000) / 16;
        run_array *in = array_f32(h, 2, dim, "a, _", host), *out;
        run_program *p = run_bind(h->a, &h->p);
        CHECK(p != NULL, "%s", base_failed() ? base_failed()->what : "");
        for (int64_t i = 0; i < devices[0]; i++) {
            const ir_box b = run_box(in, i);
            want[i] = 0;
            for (int64_t r = b.lo[0]; r < b.lo[0] + b.n[0]; r++) {
                float s = 0;
                for (int c = 0; c < 300; c++) s += 2 * host[r * 300 + c] + 1;
                want[i] += s;
            }
            want[i] += want[i];
        }
        for (int w = 0; w < 9; w++) {
            workers((const int[]){ 1, 2, 7 }[w / 3]);
            out = run1(p, &in, NULL);
            CHECK(equals(out, want, devices[0]), "two halves on %d devices, %d workers", (int)devices[0],
                  run_workers());
            run_drop(out);
        }
        run_drop(in);
        run_unbind(p);
        free(host);
    }
}

/* Where each instance's rows were when they were summed, and the sums; all parts of an instance say the same. */
static _Atomic(char *) seen[2][8];

static void k_seen(const void *self, const run_job *j)
{
    const int64_t i = j->arg[0].lo[0] / j->arg[0].n[0];
    seen[0][i] = j->arg[0].at;
    seen[1][i] = j->shared;
    k_row_sum(self, j);
}

static int places(_Atomic(char *) at[8])
{
    int n = 0;
    for (int i = 0; i < 8; i++) {
        bool before = false;
        for (int k = 0; k < i; k++) before |= at[k] == at[i];
        n += !before;
    }
    return n;
}

enum { ROWS = 129, COLUMNS = 1024 };

/* t1 = 2x + 1 + 1000 row + column; y = 2x + 1 + the sum of the instance's part of t1. What is in the arena is
 * crosswise: t0 and t2 begin at 0 and differ in size. Another device looks at the sums, or none does. */
static hand *members(bool exchanged)
{
    hand *h = hand_begin("a:8");
    const mesh_set all = (mesh_set)((1u << h->m->natom) - 1);
    const int64_t dim[2] = { 8 * ROWS, COLUMNS }, devices[1] = { 8 };
    const mesh_layout *l = hand_layout(h, 2, "a, _"), *each = hand_layout(h, 1, "a");
    const uint32_t x = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARG, 0);
    const uint32_t y = hand_value(h, TT_F32, 2, dim, l, all, RUN_RESULT, 0);
    const uint32_t t0 = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARENA, 0);
    const int64_t bytes = h->value[t0].bytes;
    const uint32_t t1 = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARENA, bytes + 64);
    const uint32_t t2 = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARENA, 0);
    const uint32_t s = hand_value(h, TT_F32, 0, NULL, NULL, all, RUN_ARENA, 2 * bytes + 64);
    const uint32_t sums = hand_value(h, TT_F32, 1, devices, each, all, RUN_ARENA, 2 * bytes + 64);
    const uint32_t there = hand_value(h, TT_F32, 1, devices, NULL, 0, RUN_ARENA, 0);
    h->value[t2].bytes = bytes + 64;
    const uint32_t twice = hand_kernel(h, k_twice, NULL, rows_of, "twice"),
        index = hand_kernel(h, k_index, NULL, rows_of, "index"), add = hand_kernel(h, k_add, NULL, rows_of, "add"),
        sum = hand_kernel(h, k_seen, NULL, rows_of, "sum");
    h->kernel[sum].finish = k_add_rows;
    h->kernel[sum].shared = rows_shared;
    hand_step(h, COMPUTE(h, twice, all, x, t0));
    hand_step(h, COMPUTE(h, index, all, t0, t1));
    hand_step(h, COMPUTE(h, sum, all, t1, s));
    if (exchanged)
        hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .name = base_intern("all_gather"),
                                .exchange = { .from = sums, .to = there } });
    hand_step(h, COMPUTE(h, twice, all, x, t2));
    hand_step(h, COMPUTE(h, add, all, t2, s, y));
    return h;
}

/* Members of an ensemble go one after the other, in as many places as there are workers; with 3 workers not, for 8
 * members are no whole number of shares. */
static void segments_of_ensemble(void)
{
    const int64_t dim[2] = { 8 * ROWS, COLUMNS }, n = dim[0] * dim[1];
    float *x = malloc((size_t)n * 4), *want = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(i % 97) / 4;
    for (int m = 0; m < 8; m++) {
        float all = 0;
        for (int r = m * ROWS; r < (m + 1) * ROWS; r++) {
            float row = 0;
            for (int c = 0; c < COLUMNS; c++) row += 2 * x[r * COLUMNS + c] + 1 + (1000 * (float)r + (float)c);
            all += row;
        }
        for (int i = m * ROWS * COLUMNS; i < (m + 1) * ROWS * COLUMNS; i++) want[i] = 2 * x[i] + 1 + all;
    }
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        hand *h = members(exchanged);
        run_array *in = array_f32(h, 2, dim, "a, _", x);
        run_program *p = run_bind(h->a, &h->p);
        CHECK(p != NULL, "%s", base_failed() ? base_failed()->what : "");
        for (int w = 0; p && w < 6; w++) {
            const int asked = (const int[]){ 2, 1, 3, 4, 8, 2 }[w], few = !exchanged && asked != 3 ? asked : 8;
            workers(asked);
            for (int again = 0; again < 2; again++) {
                run_array *y = run1(p, &in, NULL);
                CHECK(equals(y, want, n), "members, %d workers", asked);
                CHECK(places(seen[0]) == few && places(seen[1]) == few, "%d workers: %d and %d places, not %d", asked,
                      places(seen[0]), places(seen[1]), few);
                run_drop(y);
            }
        }
        run_drop(in);
        run_unbind(p);
    }
    free(x);
    free(want);
}

static struct { int calls; bool fail; float seen; run_program *inner; run_array *given; } host_state;

static void call_back(const void *env, uint32_t narg, const ir_box *arg, bool apart)
{
    (void)apart;
    host_state.calls += env == &host_state && narg == 1;
    host_state.seen = *(float *)arg[0].at;
    if (host_state.inner) {
        run_array *b = run1(host_state.inner, &host_state.given, NULL);
        if (b) host_state.seen += *(float *)run_box(b, 0).at;
        run_drop(b);
    }
    if (host_state.fail) base_fail(TT_EARG, NULL, "the user said no");
}

static hand *with_host(void)
{
    hand *h = hand_begin(NULL);
    const int64_t n[1] = { 3 };
    const uint32_t x = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_ARG, 0),
        y = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_RESULT, 0);
    const uint32_t t = hand_value(h, TT_F32, 1, n, NULL, 0, RUN_ARENA, 0),
        twice = hand_kernel(h, k_twice, NULL, rows_of, "twice");
    h->alias[0] = 0;
    hand_step(h, COMPUTE(h, twice, 0, x, t));
    hand_step(h, (run_step){ .kind = RUN_HOST, .name = base_intern("print"), .host = { call_back, &host_state },
                             .narg = 1, .arg = BASE_COPY(h->a, &t, 1) });
    hand_step(h, COMPUTE(h, twice, 0, t, y));
    return h;
}

static void hosts(void)
{
    hand *h = with_host(), *inner = with_host();
    const int64_t n[1] = { 3 };
    run_program *p = run_bind(h->a, &h->p), *q = run_bind(inner->a, &inner->p);
    run_array *a = array_f32(h, 1, n, NULL, (float[]){ 1, 2, 3 }), *b = run1(p, &a, NULL);
    CHECK(equals(b, (float[]){ 7, 11, 15 }, 3) && host_state.calls == 1 && host_state.seen == 3, "host step");
    run_drop(b);
    host_state.fail = true;
    b = run1(p, &a, (bool[]){ true });
    CHECK(!b && base_failed() && !strcmp(base_failed()->what, "the user said no"), "failing host step");
    base_clear_error();
    CHECK(run_instances(a) == 1 && run_box(a, 0).at, "the argument is still the caller's");
    host_state.fail = false;
    run_drop(a);
    a = array_f32(h, 1, n, NULL, (float[]){ 1, 2, 3 });
    host_state.inner = p;
    host_state.given = a;
    b = run1(p, &a, NULL);
    CHECK(!b && base_failed(), "a program inside itself");
    base_clear_error();
    host_state.inner = NULL;
    hand *plain = hand_begin(NULL);
    const uint32_t x = hand_value(plain, TT_F32, 1, n, NULL, 0, RUN_ARG, 0),
        y = hand_value(plain, TT_F32, 1, n, NULL, 0, RUN_RESULT, 0);
    const uint32_t t = hand_value(plain, TT_F32, 1, n, NULL, 0, RUN_ARENA, 0),
        twice = hand_kernel(plain, k_twice, NULL, rows_of, "twice");
    hand_step(plain, COMPUTE(plain, twice, 0, x, t));
    hand_step(plain, COMPUTE(plain, twice, 0, t, y));
    run_program *r = run_bind(plain->a, &plain->p);
    host_state.inner = r;
    b = run1(p, &a, NULL);                               /* a program inside another: its arena is its own */
    CHECK(equals(b, (float[]){ 7, 11, 15 }, 3) && host_state.seen == 10, "nested launch");
    host_state.inner = NULL;
    run_drop(b);
    run_drop(a);
    run_unbind(p), run_unbind(q), run_unbind(r);
}

/* Every allocation of bind and launch fails once; nothing is lost, nothing consumed. */
static void without_memory(void)
{
    const int64_t dim[2] = { 13, 5 };
    float x[65], y[65];
    for (int i = 0; i < 65; i++) x[i] = (float)i;
    bool good = true, finished = false;
    run_pool_stop();
    run_trim();
    for (int nth = 1; !finished && good && nth < 500; nth++) {
        mesh_set all;
        hand *h = chain(dim, &all);
        run_array *in[2] = { array_f32(h, 2, dim, "a, b", x), array_f32(h, 2, dim, NULL, x) }, *out = NULL;
        run_trim();
        base_fail_allocation(nth);
        run_program *p = run_bind(h->a, &h->p);
        const bool done = p && run_launch(p, in, (bool[]){ true, true }, &out);
        finished = done && !base_failed();
        base_fail_allocation(0);
        if (!done) good = base_failed() && base_failed()->code == TT_EMEM && run_read(in[0], NULL, NULL, y) &&
            !memcmp(x, y, sizeof y);
        base_clear_error();
        if (!done) run_drop(in[0]), run_drop(in[1]);
        run_drop(out);
        if (p) run_unbind(p); else base_close(h->a);
    }
    CHECK(good && finished, "allocation failures");
    run_pool_stop();
    run_trim();
    const size_t before = base_live_bytes();
    for (int k = 0; k < 3; k++) {
        mesh_set all;
        hand *h = chain(dim, &all);
        run_array *in[2] = { array_f32(h, 2, dim, "a, b", x), array_f32(h, 2, dim, NULL, x) }, *out = NULL;
        run_program *p = run_bind(h->a, &h->p);
        run_launch(p, in, (bool[]){ true, true }, &out);
        run_drop(out);
        run_unbind(p);
    }
    run_pool_stop();
    run_trim();
    CHECK(base_live_bytes() == before, "%zu bytes lost", base_live_bytes() - before);
}

static void forks(void)
{
#ifdef __SANITIZE_THREAD__
    CHECK_SKIP("fork with threads, under the thread sanitizer");
    return;
#endif
    const int64_t dim[2] = { 400, 257 };
    mesh_set all;
    hand *h = chain(dim, &all);
    float *x = calloc(400 * 257, 4);
    run_array *in[2] = { array_f32(h, 2, dim, "a, b", x), array_f32(h, 2, dim, NULL, x) };
    run_program *p = run_bind(h->a, &h->p);
    workers(2);
    run_array *y = run1(p, in, NULL);
    float *want = malloc(400 * 257 * 4);
    run_read(y, NULL, NULL, want);
    const pid_t child = fork();
    if (!child) {
        alarm(20);
        run_array *z = run1(p, in, NULL);
        _exit(!equals(z, want, 400 * 257));
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "in a child process");
    run_array *z = run1(p, in, NULL);
    CHECK(equals(z, want, 400 * 257), "in the parent, after");
    run_drop(y), run_drop(z), run_drop(in[0]), run_drop(in[1]);
    run_unbind(p);
    free(x), free(want);
}

static void texts(void)
{
    const int64_t dim[2] = { 13, 5 };
    mesh_set all;
    hand *h = chain(dim, &all);
    const run_counts c = run_plan_counts(&h->p);
    CHECK(c.kernels == 5 && c.distinct == 3 && c.exchanges == 2 && c.steps == 7, "counts");
    /* gathered; cutting moves nothing */
    CHECK(c.exchange_bytes == 7 * 65 * 4, "%lld bytes", (long long)c.exchange_bytes);
    const char *t = run_plan_text(h->a, &h->p);
    CHECK(strstr(t, "plan of 7 steps on a:4, b:2: 5 kernels (3 distinct), 2 exchanges (1820 B)"), "%s", t);
    CHECK(strstr(t, "compute  8 x twice: %3 f32[13@a, 5@b] = a0 f32[13@a, 5@b]    hand.c:1: step()\n"), "%s", t);
    CHECK(strstr(t, "exchange copy: %5 f32[13, 5] = %7 f32[13@a, 5@b], 1820 B\n"), "%s", t);
    base_close(h->a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(segments());
    CHECK_RUN(loops());
    CHECK_RUN(donation());
    CHECK_RUN(shared());
    CHECK_RUN(halves());
    CHECK_RUN(segments_of_ensemble());
    CHECK_RUN(hosts());
    CHECK_RUN(without_memory());
    CHECK_RUN(forks());
    CHECK_RUN(texts());
    if (base_failed()) printf("left over: %s\n", base_failed()->what);
    run_pool_stop();
    return check_done();
}
