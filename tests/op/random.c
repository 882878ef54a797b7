/* random.c - Threefry and random_bits: the reference vectors, JAX's words in both layouts, and the kernel on any box
 * and instruction set against the primitive's definition. */
#include "gen/gen.h"
#include "gen/isa/isa.h"
#include "op/random/threefry.h"

#include "check.h"
#include "op/ops.h"

#include <stdlib.h>

static uint64_t state = 0x243f6a8885a308d3u;
static int below(int n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)(state * 2685821657736338717u >> 33) % n;
}

static void test_vectors(void)
{
    static const uint32_t v[][6] = {                     /* key, counter, words */
        { 0, 0, 0, 0, 0x6b200159, 0x99ba4efe },
        { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7 },
        { 0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0 }
    };
    for (int i = 0; i < 3; i++) {
        const op_pair p = op_threefry((op_pair){ v[i][0], v[i][1] }, v[i][2], v[i][3]);
        CHECK(p.a == v[i][4] && p.b == v[i][5], "vector %d: %08x %08x", i, p.a, p.b);
    }
}

/* ---- words as JAX prints them ---- */

typedef struct { uint32_t seed; int64_t width, n; op_bits_layout layout; uint64_t want[9]; } draw;
static const draw draws[] = {
    { 1701, 8, 3, OP_BITS_ORIGINAL, { 216, 115, 43 } }, { 1701, 8, 3, OP_BITS_PARTITIONABLE, { 37, 59, 52 } },
    { 1701, 16, 3, OP_BITS_ORIGINAL, { 41682, 1300, 55017 } },
    { 1701, 16, 3, OP_BITS_PARTITIONABLE, { 42789, 29755, 60468 } },
    { 1701, 32, 3, OP_BITS_ORIGINAL, { 56197195, 4200222568, 961309823 } },
    { 1701, 32, 3, OP_BITS_PARTITIONABLE, { 1111271205, 2679469115, 974515252 } },
    { 1701, 64, 3, OP_BITS_ORIGINAL, { 3982329540505020460u, 16822122385914693683u, 7882654074788531506u } },
    { 1701, 64, 3, OP_BITS_PARTITIONABLE, { 3182764935064573181u, 366096495144982249u, 241365115613244543u } },
    { 0, 32, 4, OP_BITS_ORIGINAL, { 4146024105, 967050713, 2718843009, 1272950319 } },
    { 0, 32, 5, OP_BITS_ORIGINAL, { 2467461003, 428148500, 1688610540, 3840466878, 2562233961 } },
    { 0, 32, 5, OP_BITS_PARTITIONABLE, { 4070199207, 4202968722, 1427181096, 2012915765, 2447653815 } },
    { 0, 32, 6, OP_BITS_ORIGINAL, { 2467461003, 428148500, 3186719485, 3840466878, 2562233961, 1946702221 } }
};

static void test_words(void)
{
    for (size_t k = 0; k < sizeof draws / sizeof *draws; k++) {
        const draw *d = &draws[k];
        const op_random_bits_attr a = { { 1, &d->n }, d->width, d->layout };
        const uint64_t mask = d->width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << d->width) - 1;
        for (int64_t i = 0; i < d->n; i++) {
            const uint64_t v = op_random_element(&a, (op_pair){ 0, d->seed }, (uint64_t)i, (uint64_t)d->n) & mask;
            CHECK(v == d->want[i], "draw %zu, element %lld: %llu", k, (long long)i, (unsigned long long)v);
        }
    }
}

/* ---- the kernel against the definition ---- */

typedef struct {
    base_arena *arena;
    const op_random_bits_attr *attr;
    int batch;
    int64_t key[IR_RANK];
    ir_fn *f;
} program;

static void write_program(void *arg)
{
    program *p = arg;
    p->arena = base_open();
    ir_build *b = ir_begin(p->arena, base_intern("draw"), NULL);
    const ir_id key = ir_arg(b, ir_type_of(TT_U32, p->batch + 1, p->key));
    const ir_id y = ir_emit(b, &prim_random_bits, p->attr, 1, &key, 0, NULL);
    p->f = ir_end(b, 1, &y);
}

static ir_box part_box(base_arena *a, const ir_type *t, bool part)
{
    int64_t lo[IR_RANK], n[IR_RANK];
    for (int d = 0; d < t->rank; d++) {
        lo[d] = part && t->dim[d] > 1 ? below((int)t->dim[d]) : 0;
        n[d] = part && t->dim[d] ? 1 + below((int)(t->dim[d] - lo[d])) : t->dim[d];
    }
    ir_box y = ir_box_of(NULL, t->dtype, t->rank, lo, n);
    const int spread = part ? 1 + below(2) : 1;          /* gaps between elements */
    for (int d = 0; d < t->rank; d++) y.step[d] *= spread;
    y.at = base_new(a, (size_t)(ir_box_count(&y) * spread + 1) * ir_dtype_of(t->dtype)->bytes);
    return y;
}

static void test_kernel(int round)
{
    static const int64_t widths[] = { 8, 16, 32, 64 };
    static const int64_t sizes[] = { 0, 1, 2, 3, 5, 7, 31, 32, 33, 1000, 1001, 40000 };
    int64_t shape[IR_RANK];
    op_random_bits_attr a = { { below(3), shape }, widths[below(4)], below(2) };
    program p = { .attr = &a, .batch = below(3) };
    for (int d = 0; d < a.shape.n; d++) shape[d] = d ? 1 + below(7) : sizes[below(12)];
    for (int d = 0; d < p.batch; d++) p.key[d] = 1 + below(3);
    p.key[p.batch] = 2;
    if (!base_catch(write_program, &p) || !p.f) {
        CHECK(false, "round %d: %s", round, base_failed() ? base_failed()->what : "?");
        base_clear_error();
        return;
    }
    const ir_eqn *e = &p.f->eqn[0];
    const ir_id in = e->in[0], out = e->out;
    uint32_t *keys = BASE_NEW(p.arena, uint32_t, 64);
    for (int i = 0; i < 64; i++) keys[i] = (uint32_t)below(1 << 30) * 7u;
    ir_box arg[2] = { ir_box_dense(keys, p.f->type[in]) };
    for (gen_isa i = GEN_BASE; i <= gen_isa_best(); i++) {
        base_switches(NULL, i == GEN_BASE ? "isa:base" : i == GEN_AVX2 ? "isa:avx2" : "isa:avx512");
        run_kernel k;
        gen_random.make(p.arena, &(gen_group){ .neqn = 1, .eqn = &e, .nin = 1, .nout = 1, .in = &in, .out = &out }, &k);
        arg[1] = part_box(p.arena, p.f->type[out], round & 1);
        ir_box want = arg[1];
        want.at = base_new(p.arena, (size_t)(2 * ir_box_count(&want) + 1) * 8);
        e->op->ref(e, arg, &want);
        for (int64_t t = k.tiles(k.self, arg) - 1; t >= 0; t--)
            k.code(k.self, &(run_job){ .arg = arg, .first = t, .count = 1 });
        int64_t at[IR_RANK], wrong = 0;
        for (bool more = ir_first(&want, at); more; more = ir_next(&want, at))
            wrong += ir_load(&want, at).u != ir_load(&arg[1], at).u;
        CHECK(!wrong, "round %d, isa %d: %lld of %lld words of width %lld, layout %lld differ", round, (int)i,
              (long long)wrong,
              (long long)ir_box_count(&want), (long long)a.bit_width, (long long)a.layout);
    }
    base_close(p.arena);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(test_vectors());
    CHECK_RUN(test_words());
    if (check_named("test_kernel"))
        for (int round = 0; round < 200; round++) test_kernel(round);
    return check_done();
}
