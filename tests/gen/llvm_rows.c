/* llvm_rows.c - rows.c once more, but that each group is compiled before it runs: LLVM's loops over rows give
 * the bits of the equations one after another, on each instruction set that they are written for. Skipped where there
 * is no LLVM. usage: gen_llvm_rows [seed] */
#include "gen/gen.h"
#include "gen/tile/tile.h"

static int compiled, left;
static const gen_tile_code *code_of(const run_kernel *);
static void ran(const run_kernel *k)
{
    const gen_tile_code *c = code_of(k);
    const gen_fused *f = c && c->hot ? atomic_load(&c->hot->fused) : NULL;
    if (!c || !c->hot || !atomic_load(&c->hot->requested)) return;   /* asked: not for empty boxes */
    *(f && atomic_load(&f->loop) ? &compiled : &left) += 1;
}

#define ALSO ",llvm:now,no-cache"
#define ROUNDS 30                                        /* a compilation takes a tenth of a second */
#define main test_all
#include "rows.c"
#undef main

static const gen_tile_code *code_of(const run_kernel *k) { return gen_rows_code_of(k); }
static void print(const char *line) { puts(line); }

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) return test_all(argc, argv);
    base_set_log_sink(print);
    base_arena *a = base_open();
    const char *report = strstr(gen_plugin_report(a), "llvm: "), *end = report ? strstr(report, ".so") : NULL;
    if (!end || (end[3] && end[3] != '\n')) CHECK_SKIP("gen_llvm_rows: %s", report ? report : "no plug-in");
    base_close(a);
    if (check_skipped) return check_done();
    const int status = test_all(argc, argv);
    if (left) printf("FAIL: ");
    printf("%d kernels were compiled, %d left to the interpreter\n", compiled, left);
    return compiled && !left ? status : 1;
}
