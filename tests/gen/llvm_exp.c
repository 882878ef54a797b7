/* llvm_exp.c - exp of every f32: the compiled loops of all instruction sets, of which AVX-512's has 2^n p by one
 * instruction, give the bits of the interpreter. A sample and what is around the limits; --all: all 2^32;
 * --turn K: each third block of them, beginning with the K-th. Skipped where there is no LLVM.
 * usage: gen_llvm_exp [--all | --turn K] */
#include "gen/gen.h"
#include "gen/isa/isa.h"
#include "gen/tile/tile.h"

#include "check.h"
#include "op/ops.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 18 };
static float *x, *want, *got;
typedef struct { base_arena *a; ir_fn *f; gen_group g; const ir_eqn *e; ir_id in, out; } program;

static void make_program(void *arg)
{
    program *p = arg;
    const int64_t n = BLOCK;
    ir_build *b = ir_begin(p->a, base_intern("exp"), NULL);
    const ir_id v = ir_arg(b, ir_type_of(TT_F32, 1, &n));
    ir_id *ret = BASE_NEW(p->a, ir_id, 1);
    ret[0] = ir_emit(b, &prim_exp, NULL, 1, &v, 0, NULL);
    p->f = ir_end(b, 1, ret);
    p->e = &p->f->eqn[0], p->in = 1, p->out = ret[0];
    p->g = (gen_group){ .neqn = 1, .eqn = &p->e, .nin = 1, .in = &p->in, .nout = 1, .out = &p->out };
}

typedef struct { run_kernel k; char words[64]; void *scratch; } engine;
static bool make_engine(program *p, engine *e, const char *words)
{
    snprintf(e->words, sizeof e->words, "%s", words);
    base_switches(NULL, e->words);
    return gen_tile.make(p->a, &p->g, &e->k);
}

static void run(const program *p, engine *e, float *y)
{
    ir_box box[2] = { ir_box_dense(x, p->f->type[1]), ir_box_dense(y, p->f->type[1]) };
    base_switches(NULL, e->words);
    if (!e->scratch) e->scratch = base_new(p->a, (size_t)(e->k.scratch ? e->k.scratch(e->k.self, box) : 0) + 64);
    char *scratch = (char *)(((uintptr_t)e->scratch + 63) & ~(uintptr_t)63);
    const int64_t tiles = e->k.tiles ? e->k.tiles(e->k.self, box) : 1;
    e->k.code(e->k.self, &(run_job){ .arg = box, .count = tiles, .scratch = scratch });
}

static bool same(float a, float b) { return !memcmp(&a, &b, sizeof a) || (a != a && b != b); }

static int compiled(const engine *e)
{
    const gen_tile_code *c = e->k.self;
    const gen_fused *f = c->hot ? atomic_load(&c->hot->fused) : NULL;
    return f && atomic_load(&f->loop);
}

/* The numbers in x by the interpreter and by the loops: -1, or whose bits differ and where. */
static int compare(const program *p, engine *e, int n, int *at)
{
    run(p, &e[0], want);
    for (int i = 1; i < n; i++) {
        run(p, &e[i], got);
        if (!memcmp(got, want, BLOCK * sizeof *got)) continue;
        for (int k = 0; k < BLOCK; k++) if (!same(got[k], want[k])) return *at = k, i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--all --turn K")) return check_done();
    static const char *const words[] = { "no-llvm", "isa:base,no-llvm", "isa:base,llvm:now,no-cache",
                                         "isa:avx2,llvm:now,no-cache", "isa:avx512,llvm:now,no-cache" };
    static const float edge[] = { 0, 0.34657f, 87.33654f, 87.68f, 87.8f, 88.0297f, 88.376f, 88.7228f, 88.8f, 1e-38f,
                                  3e38f };
    static engine e[5];
    const bool third = argc > 2 && !strcmp(argv[1], "--turn"), all = third || (argc > 1 && !strcmp(argv[1], "--all"));
    const int64_t first = third ? atoi(argv[2]) % 3 : 0, step = third ? 3 : 1;
    const int n = 3 + (int)gen_isa_best() - (int)GEN_BASE, edges = 2 * (int)(sizeof edge / sizeof *edge);
    program p = { .a = base_open() };
    const char *report = strstr(gen_plugin_report(p.a), "llvm: "), *end = report ? strstr(report, ".so") : NULL;
    if (!end || (end[3] && end[3] != '\n')) CHECK_SKIP("gen_llvm_exp: %s", report ? report : "no plug-in");
    x = malloc(BLOCK * sizeof *x), want = malloc(BLOCK * sizeof *x), got = malloc(BLOCK * sizeof *x);
    if (check_skipped || !x || !want || !got) {
        base_close(p.a);
        free(x), free(want), free(got);
        return check_done();
    }
    CHECK(base_catch(make_program, &p) && p.f, "it is made");
    for (int i = 0; i < n; i++) CHECK(make_engine(&p, &e[i], words[i]), "%s makes it", words[i]);
    const int64_t blocks = all ? (1ll << 32) / BLOCK : 8 + edges;
    for (int64_t b = first; b < blocks && !check_failed; b += step) {
        for (int64_t i = 0; i < BLOCK; i++) {
            uint32_t bits = (uint32_t)(b * BLOCK + i);
            if (!all && b < 8) bits = (uint32_t)(b * BLOCK + i) * 2047;
            else if (!all) {
                memcpy(&bits, &edge[(b - 8) / 2], 4);
                bits = (bits + (uint32_t)i - BLOCK / 2) ^ (uint32_t)(b & 1) << 31;
            }
            memcpy(&x[i], &bits, 4);
        }
        int at = 0;
        const int wrong = compare(&p, e, n, &at);
        CHECK(wrong < 0, "exp(%a) is %a by %s, %a by the interpreter", (double)x[at], (double)got[at],
              words[wrong < 0 ? 0 : wrong], (double)want[at]);
    }
    CHECK_VOLUME((blocks - first + step - 1) / step * BLOCK, "numbers of which exp is the interpreter's");
    for (int i = 2; i < n; i++) CHECK(compiled(&e[i]), "%s: a loop was compiled", words[i]);
    base_close(p.a);
    free(x), free(want), free(got);
    return check_done();
}
