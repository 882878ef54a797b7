/* bench/ops.c - single operations as users write them (W10): a chain of elementwise ones, softmax, layer norm and their
 * gradients, Adam, and products of the shapes that training makes, forward and both gradients.
 *
 * usage: ops [ROUNDS]. GF/s count the products' multiply-adds, GB/s what must be read and written once. bench/loops and
 * bench/contract measure the kernels below these by themselves.
 */
#include "calls.h"
#include "jobs.h"

enum { CHAIN = 16 << 20, ROWS = 8192, COLUMNS = 1024 };

static tt_val chain(tt_val x, tt_val abc)                /* gelu(x a + b) + c */
{
    return tt_add(tt_gelu(tt_add(tt_mul(x, tt_item(abc, 0)), tt_item(abc, 1))), tt_item(abc, 2));
}
static tt_val softmax(tt_val x) { return tt_softmax(x); }
static tt_val norm(tt_val p, tt_val x)                   /* p: (x's scale, shift) */
{
    const tt_val d = tt_sub(x, tt_mean(x, .dims = "-1", .keepdims = 1));
    const tt_val r = tt_rsqrt(tt_add(tt_mean(tt_square(d), .dims = "-1", .keepdims = 1), tt_f(1e-5)));
    return tt_add(tt_mul(tt_mul(d, r), tt_item(p, 0)), tt_item(p, 1));
}
/* What softmax's gradient is made of: y, which the way forward left, and dy. */
static tt_val softmax_back(tt_val y, tt_val dy)
{
    return tt_mul(y, tt_sub(dy, tt_sum(tt_mul(y, dy), .dims = "-1", .keepdims = 1)));
}
/* x and dy, and what the primal function made is not used: only the gradient is computed. */
static tt_val norm_back(tt_val px, tt_val dy) { return tt_item(tt_call(tt_vjp(norm), px, dy), 1); }

static tt_val adam_create(tt_val key, tt_val x)
{
    const tt_val p = tt_mul(x, tt_f(0.5));
    (void)key;
    return tt_tuple(p, tt_adam(p, .rate = 1e-3));
}
static tt_val adam_step(tt_val s, tt_val gradient, tt_val unused)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1);
    tt_opt_step(&p, &o, gradient);
    return tt_tuple(tt_tuple(p, o), unused);
}

static tt_val forward(tt_val x, tt_val w) { return tt_matmul(x, w); }
static tt_val to_x(tt_val dy, tt_val w) { return tt_matmul(dy, tt_transpose(w)); }
static tt_val to_w(tt_val x, tt_val dy) { return tt_matmul(tt_transpose(x), dy); }

static const int64_t shape[][3] = { { 4096, 768, 3072 }, { 1024, 1024, 1024 }, { 1024, 256, 1024 }, { 512, 512, 512 },
                                    { 128, 3136, 256 },  { 128, 784, 512 },    { 16, 4096, 4096 },  { 4, 4096, 4096 },
                                    { 1, 4096, 4096 } };
enum { SHAPES = sizeof shape / sizeof *shape, PASSES = 3 };

static int products(call_job *j)
{
    static const struct { const char *name; tt_val (*f)(tt_val, tt_val); } pass[PASSES] = {
        { "forward", forward }, { "dX", to_x }, { "dW", to_w } };
    static char name[SHAPES * PASSES][64];
    int n = 0;
    for (int i = 0; i < SHAPES && rows_requested_of("GEMM"); i++) {
        const int64_t M = shape[i][0], K = shape[i][1], N = shape[i][2];
        const tt_val x = tt_normal(tt_key(1), TT_F32, M, K), w = tt_normal(tt_key(2), TT_F32, K, N);
        const tt_val dy = tt_normal(tt_key(3), TT_F32, M, N);
        for (int p = 0; p < PASSES && (M >= 64 || p < 2); p++, n++) {
            snprintf(name[n], sizeof *name, "GEMM %lldx%lldx%lld %s", (long long)M, (long long)K, (long long)N,
                     pass[p].name);
            const double flops = 2.0 * (double)M * (double)K * (double)N, bytes = 4.0 * (double)(M * K + K * N + M * N);
            j[n] = (call_job){ .work = name[n], .devices = 1, .x = p == 1 ? dy : x, .y = p == 2 ? dy : w, .two = 1,
                .fn = tt_jit(pass[p].f), .flops = M >= 64 ? flops : 0, .bytes = M >= 64 ? 0 : bytes };
        }
    }
    return n;
}

static tt_val drawn(int64_t key) { return tt_normal(tt_key(key), TT_F32, CHAIN); }

int main(int argc, char **argv)
{
    const int rounds = calls_rounds(argc, argv, 5);
    call_job jobs[8 + SHAPES * PASSES] = { 0 };
    int n = 0;
    if (rows_requested_of("W10")) {
        const tt_val wide = tt_normal(tt_key(0), TT_F32, CHAIN), x = tt_normal(tt_key(1), TT_F32, ROWS, COLUMNS);
        const tt_val dy = tt_normal(tt_key(2), TT_F32, ROWS, COLUMNS), abc = tt_tuple(drawn(7), drawn(8), drawn(9));
        const tt_val p = tt_tuple(tt_normal(tt_key(3), TT_F32, COLUMNS), tt_normal(tt_key(4), TT_F32, COLUMNS));
        const double row = 4.0 * ROWS * COLUMNS;
        jobs[n++] = (call_job){ "W10 chain 16M", 1, .x = wide, .y = abc, .two = 1, .fn = tt_jit(chain),
            .bytes = 20.0 * CHAIN };
        jobs[n++] = (call_job){ "W10 softmax", 1, .x = x, .fn = tt_jit(softmax), .bytes = 2 * row };
        jobs[n++] = (call_job){ "W10 softmax backward", 1, .x = tt_softmax(x), .y = dy, .two = 1,
            .fn = tt_jit(softmax_back), .bytes = 3 * row };
        jobs[n++] = (call_job){ "W10 layer norm", 1, .x = p, .y = x, .two = 1, .fn = tt_jit(norm), .bytes = 2 * row };
        jobs[n++] = (call_job){ "W10 layer norm backward", 1, .x = tt_tuple(p, x), .y = dy, .two = 1,
            .fn = tt_jit(norm_back),
                                   .bytes = 3 * row };
        job adam = { .work = "W10 adam 16M", .devices = 1, .create = tt_jit(adam_create),
                     .step = tt_jit(adam_step, .donate = "0"), .key = tt_key(0), .x = wide, .y = tt_f(0),
                         .flops = 10.0 * CHAIN };
        jobs_run(&adam, 1, rounds);
    }
    n += products(jobs + n);
    calls_run(jobs, n, rounds);
    return tt_done();
}
