/* machine.c - the table of the caches (base/machine.h): what is found is plausible, and products have the same
 * bits whatever the second-level cache is, although it decides how many columns are packed at once. */
#include "gen/gen.h"

#include "base/machine.h"
#include "check.h"
#include "prop/primitives.h"

enum { M = 96, N = 700, K = 900 };

static void facts(base_arena *a)
{
    const base_machine *m = base_machine_facts();
    CHECK(m == base_machine_facts(), "found once");
    CHECK(m->line >= 16 && !(m->line & (m->line - 1)), "a line of %lld bytes", (long long)m->line);
    CHECK(m->l1 >= 4 << 10 && m->l1 <= m->l2 && m->l2 <= m->l3, "caches: %s", base_machine_report(a));
    base_machine_use(&(base_machine){ 128, 32 << 10, 3 << 19, 8 << 20 });
    CHECK(!strcmp(base_machine_report(a), "32 KiB, 1536 KiB, 8 MiB; lines of 128 bytes"), "%s", base_machine_report(a));
    base_machine_use(NULL);
}

static void round_up(void)
{
    CHECK(base_round_up(0, 64) == 0 && base_round_up(1, 64) == 64 && base_round_up(64, 64) == 64, "multiples of 64");
    CHECK(base_round_up(13, 6) == 18, "of any unit");
    _Alignas(RUN_CACHE_LINE) char at[2 * RUN_CACHE_LINE];
    CHECK(base_line_up(at + 1) == at + RUN_CACHE_LINE && base_line_up(at + RUN_CACHE_LINE) == at + RUN_CACHE_LINE,
          "lines");
}

/* The product of case `text` by the core's own loops, as a machine with a second-level cache of l2 bytes does it. */
static void *product(base_arena *a, const char *text, int64_t l2, int64_t *bytes)
{
    const ir_fn *f = ir_case(a, text);
    const ir_eqn *e = &f->eqn[f->neqn - 1];
    const gen_group g = { 1, &e, 2, 1, e->in, &e->out, false };
    ir_box arg[3];
    run_kernel k;
    base_machine_use(&(base_machine){ BASE_CACHE_LINE, BASE_L1, l2, BASE_UNCACHED });
    for (int i = 0; i < 3; i++) {
        const ir_type *t = i < 2 ? IR_IN(e, i) : IR_OUT(e, 0);
        arg[i] = ir_box_dense(NULL, t);
        arg[i].at = base_new(a, (size_t)ir_bytes(t) + 64);
        for (int64_t n = 0; i < 2 && n < ir_count(t); n++)
            ((float *)arg[i].at)[n] = (float)(n * 7919 % 1013 - 506) / 1024;
    }
    CHECK(gen_own_kernel(a, &g, &k), "%s", text);
    void *scratch = base_line_up(base_new(a, (size_t)(k.scratch ? k.scratch(k.self, arg) : 0) + 128));
    const int64_t tiles = k.tiles ? k.tiles(k.self, arg) : 1;
    k.code(k.self, &(run_job){ 0, arg, 0, tiles, scratch, NULL, NULL, NULL });
    base_machine_use(NULL);
    *bytes = ir_bytes(IR_OUT(e, 0));
    return arg[2].at;
}

static void same_bits(base_arena *a, const char *text)
{
    int64_t bytes;
    const void *want = product(a, text, BASE_L2, &bytes);
    static const int64_t l2[] = { 64 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20 };
    for (size_t i = 0; i < sizeof l2 / sizeof *l2; i++)
        CHECK(!memcmp(product(a, text, l2[i], &bytes), want, (size_t)bytes), "%s: other bits with a cache of %lld KiB",
              text, (long long)(l2[i] >> 10));
}

int main(void)
{
    base_arena *a = base_open();
    facts(a);
    round_up();
    for (int unit = 0; unit < 2; unit++) {               /* on the matrix unit, if there is one, and without it */
        if (unit) CHECK(base_switches(NULL, "no-amx"), "no-amx");
        same_bits(a, base_format(a, "dot_general f32[%d,%d], f32[%d,%d] {lhs_contracting_dimensions=[1], "
                                    "rhs_contracting_dimensions=[0], preferred_element_type=f32}", M, K, K, N));
        same_bits(a, base_format(a, "dot_general f32[%d,%d], f32[%d,%d] {lhs_contracting_dimensions=[0], "
                                    "rhs_contracting_dimensions=[1], preferred_element_type=f32}", K, M, N, K));
    }
    base_close(a);
    return check_done();
}
