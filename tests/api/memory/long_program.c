/* A function of very many equations, as a loop of C under trace writes it: compiled, differentiated, printed, in time
 * that grows with its length. usage: long_program [TURNS] (10,000 equations; check-long: 100,000) */
#include <tutti.h>
#include <tutti/program.h>

#include <math.h>
#include <time.h>

#include "check.h"

static tt_val many(void *env, int narg, const tt_val *arg)
{
    tt_val x = arg[0];
    (void)narg;
    for (int i = 0; i < *(int *)env; i++) x = tt_add(tt_mul(x, tt_f(0.999f)), tt_f(1e-3f));   /* two equations */
    return x;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double took(int n)
{
    const tt_fn f = tt_bind_env("many", many, &n, sizeof n, 1);
    const double begin = seconds();
    float x = 0.5f;
    double slope = 1;
    for (int i = 0; i < n; i++) x = x * 0.999f + 1e-3f, slope *= 0.999;
    const double y = tt_num(tt_call(tt_jit(f), tt_full(0.5, TT_F32)));
    CHECK(fabs(y - x) < 1e-4, "%d turns: %g instead of %g", n, y, x);
    const double g = tt_num(tt_call(tt_jit(tt_grad(f)), tt_full(0.5, TT_F32)));
    CHECK(fabs(g - slope) <= 1e-3 * slope + 1e-20, "%d turns: slope %g instead of %g", n, g, slope);
    const char *text = tt_export(f, tt_full(0.5, TT_F32));
    CHECK(strlen(text) > 40 * (size_t)n, "%d turns: a text of %zu letters", n, strlen(text));
    CHECK(tt_ok(), "%s", tt_error());
    return seconds() - begin;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[EQUATIONS]")) return check_done();
    const int n = argc > 1 ? atoi(argv[1]) : 5000;
    took(50);
    const double part = took(n / 4), all = took(n);
    printf("%d equations %.2f s, %d equations %.2f s\n", n / 2, part, 2 * n, all);
    CHECK_VOLUME(2 * n, "equations of one function");
    CHECK(all < 12 * part + 1, "4 times the equations took %.1f times as long", all / part);
    tt_done();
    return check_done();
}
