/* ref_after.c - TUTTI=ref-after:N on a planted error: this program's own gen_sort takes the place of the library's, and
 * the first element that it sorts is wrong by one. `plan_ref_after show` prints the result of a small program; the test
 * runs that under each N, and tests/bisect.sh runs tools/bisect on it. */
#include "check.h"
#include "gen/gen.h"
#include "op/ops.h"

#include <tutti.h>

#include <string.h>

/* ---- the planted error ---- */

static const char *wrong_refuses(const gen_group *g)
{
    return g->neqn > 1 || g->eqn[0]->op != &prim_sort ? "it is no sort" : gen_ref.refuses(g);
}

static void wrong_run(const void *self, const run_job *job)
{
    const run_kernel *const right = self;
    right->code(right->self, job);
    ((float *)job->arg[1].at)[0] += 1;
}

static bool wrong_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    run_kernel *const right = BASE_NEW(a, run_kernel, 1);
    if (!gen_ref.make(a, g, right)) return false;
    *k = *right;
    k->code = wrong_run, k->self = right, k->name = "wrong";
    return true;
}

const gen_engine gen_sort = { sizeof(gen_engine), "sort", wrong_refuses, wrong_make };

/* ---- the program ---- */

static tt_val ordered(tt_val x)
{
    tt_val y = tt_add(tt_mul(x, x), tt_f(0.5));
    y = tt_sort(y, 0);
    return tt_mul(tt_exp(tt_neg(y)), tt_sum(y));
}

static int show(void)
{
    const tt_val x = tt_array(TT_F32, ((float[]){ 3, 1, 2, -4 }), 4);
    tt_show(tt_call(tt_jit(ordered), x));
    return tt_done();
}

/* ---- what it prints under TUTTI=switches; log: what it says about the equation ---- */

static void printed(const char *self, const char *switches, char out[200], char log[400])
{
    char command[400], line[300];
    *out = *log = 0;
    snprintf(command, sizeof command, "TUTTI=%s '%s' show 2>&1", switches, self);
    FILE *const f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "is the last before ref-after")) snprintf(log, 400, "%s", line);
        else snprintf(out, 200, "%.199s", line);
    if (f) pclose(f);
}

int main(int argc, char **argv)
{
    char right[200], wrong[200], out[200], log[400], switches[40];
    int first = 0;
    if (!check_main_options(argc, argv, __FILE__, "[show]")) return check_done();
    if (argc > 1) return show();
    printed(argv[0], "ref", right, log);
    CHECK(*right && !*log, "under ref: %s%s", right, log);
    printed(argv[0], "no-llvm", wrong, log);
    CHECK(strcmp(right, wrong), "the planted error shows nothing: %s", wrong);
    for (int n = 1; n <= 16; n++) {
        snprintf(switches, sizeof switches, "ref-after:%d", n);
        printed(argv[0], switches, out, log);
        if (!first && strcmp(out, right)) {
            first = n;
            CHECK(strstr(log, "sort") && strstr(log, "ref_after.c:"), "equation %d: %s", n, log);
        }
        CHECK(!strcmp(out, first ? wrong : right), "ref-after:%d gives %s", n, out);
    }
    CHECK(first > 1, "no equation is wrong");
    printed(argv[0], "ref-after:4294967296", out, log);  /* more than 32 bits: no equation is left to the reference */
    CHECK(!strcmp(out, wrong), "2^32 gives %s", out);
    return check_done();
}
