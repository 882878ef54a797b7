/* llvm.c - tile.c once more, but that the scalar programs are compiled before they run: LLVM's loops give the
 * interpreter's bits for every code and dtype, on each of its instruction sets. Skipped where there is no LLVM. usage:
 * gen_llvm [seed] */
#include "gen/gen.h"
#include "gen/tile/tile.h"

/* The remainder of floats is libm's, so such a scalar program is the interpreter's. */
static bool has_remainder(const op_prog *t)
{
    for (int r = 1; r < t->n; r++) if (t->inst[r].code == OP_REM && ir_is_float(t->inst[r].dtype)) return true;
    return false;
}

static int compiled, left;

static void ran(const run_kernel *k)
{
    const gen_tile_code *c = k->self;
    const gen_fused *f = c->hot ? atomic_load(&c->hot->fused) : NULL;
    if (!c->hot || !atomic_load(&c->hot->requested)) return; /* asked: not for empty boxes */
    if (f && atomic_load(&f->loop)) compiled++;
    else if (!has_remainder(c->prog)) left++;
}

#define ALSO ",llvm:now,no-cache"
#define ROUNDS 120
#define main test_all
#include "tile.c"
#undef main

static void print(const char *line) { puts(line); }

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) return test_all(argc, argv);
    base_set_log_sink(print);
    base_arena *a = base_open();
    const char *report = strstr(gen_plugin_report(a), "llvm: "), *end = report ? strstr(report, ".so") : NULL;
    if (!end || (end[3] && end[3] != '\n')) CHECK_SKIP("gen_llvm: %s", report ? report : "no plug-in");
    base_close(a);
    if (check_skipped) return check_done();
    const int status = test_all(argc, argv);
    if (left) printf("FAIL: ");
    printf("%d kernels were compiled, %d left to the interpreter\n", compiled, left);
    return compiled && !left ? status : 1;
}
