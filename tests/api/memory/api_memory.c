/* api_memory.c - every allocation of small programs fails in turn: an error TT_EMEM, nothing else; and then the same
 * program works. */
#include <math.h>
#include <string.h>
#include <tutti.h>

#include "check.h"
#include "trace/trace.h"

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static tt_val loss(tt_val w, tt_val x) { return tt_sum(tt_square(tt_matmul(x, w))); }
static tt_val square(tt_val x) { return tt_mul(x, x); }
static tt_val share(tt_val x) { return tt_div(x, tt_psum(x, "i")); }
static tt_val add_up(tt_val c, tt_val x) { const tt_val s = tt_add(c, x); return tt_tuple(s, s); }

/* Sizes grow from try to try, so that nothing is found in a cache. */
static double eager(int n) { return tt_num(tt_sum(tt_mul(tt_ones(TT_F32, n), tt_f(2)))) - 2.0 * n; }
static double jit(int n) { return tt_num(tt_sum(tt_call(tt_jit(square), tt_ones(TT_F32, n)))) - n; }
static double grad(int n)
{
    return tt_num(tt_sum(tt_call(tt_jit(tt_grad(loss)), tt_ones(TT_F32, n), tt_ones(TT_F32, 2, n)))) - 4.0 * n * n;
}
static double vmap(int n) { return tt_num(tt_sum(tt_call(tt_vmap(square), tt_ones(TT_F32, n)))) - n; }
static double pmap(int n) { (void)n; return tt_num(tt_sum(tt_call(tt_pmap(share), tt_ones(TT_F32, 2, n)))) - n; }
static double scan(int n) { return tt_num(tt_item(tt_scan(add_up, tt_f(0), tt_ones(TT_F32, n)), 0)) - n; }
static double trees(int n)
{
    const tt_val t = tt_dict("a", tt_ones(TT_F32, n), "b", tt_tuple(tt_f(1), tt_f(2)));
    return tt_num(tt_sum(tt_get(tt_add(t, tt_set(t, "b.0", tt_f(5))), "a"))) - 2.0 * n;
}
static double loops(int n)
{
    tt_val p = tt_zeros(TT_F32, n);
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_assign(&p, tt_add(p, tt_ones(TT_F32, n)));
    return tt_num(tt_sum(p)) - 3.0 * n;
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const struct { const char *name; double (*run)(int);
    } all[] = {
        { "eager", eager }, { "jit", jit },   { "grad", grad },   { "vmap", vmap },
        { "pmap", pmap },   { "scan", scan }, { "trees", trees }, { "loops", loops },
    };
    int n = 3;
    tt_on_error(quiet, NULL);
    for (size_t p = 0; p < sizeof all / sizeof *all; p++) {
        int64_t nth = 1, failures = 0;
        bool good = true;
        for (bool more = true; more && nth < 4000; nth += nth < 400 ? 1 : 7) {
            tt_scope s = tt_scope_open();
            base_fail_allocation(nth);
            const double off = all[p].run(n);
            more = !base_fail_allocation(0);             /* the program makes so many: a cache does without */
            failures += !tt_ok();
            if (!tt_ok() && tt_error_record()->code != TT_EMEM)
                good = false, printf("  %s, allocation %lld: %s\n", all[p].name, (long long)nth, tt_error());
            if (tt_ok() && fabs(off) > 1e-3)
                good = false, printf("  %s, allocation %lld: off by %g\n", all[p].name, (long long)nth, off);
            if (trace_depth())
                good = false, printf("  %s, allocation %lld: a trace stays open\n", all[p].name, (long long)nth);
            tt_clear();
            tt_scope_close(s);
            n++;
        }
        CHECK(good, "%s", all[p].name);
        CHECK(failures > 3, "%s: %lld allocations failed", all[p].name, (long long)failures);
    }
    CHECK(tt_done() == 0, "done");
    return check_done();
}
