/* op/random/threefry2x32.c - the block cipher that generates all random numbers, elementwise on u32: (k0, k1, x0, x1)
 * -> (y0, y1). */
#include "../prog/prog.h"
#include "../ops.h"

/* A writer of words: scalar program registers or values of a function. */
typedef struct {
    void *at;
    int (*word)(void *, uint32_t), (*add)(void *, int, int), (*xor)(void *, int, int), (*rotate)(void *, int, int);
} writer;

static void threefry2x32_block(const writer *w, const int k[2], int x[2])
{
    static const int rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    void *const t = w->at;
    const int key[3] = { k[0], k[1], w->xor(t, w->xor(t, k[0], k[1]), w->word(t, 0x1bd11bda)) };
    for (int i = 0; i < 2; i++) x[i] = w->add(t, x[i], key[i]);
    for (int g = 0; g < 5; g++) {
        for (int r = 0; r < 4; r++) {
            x[0] = w->add(t, x[0], x[1]);
            x[1] = w->xor(t, w->rotate(t, x[1], rotations[g & 1][r]), x[0]);
        }
        x[0] = w->add(t, x[0], key[(g + 1) % 3]);
        x[1] = w->add(t, x[1], w->add(t, key[(g + 2) % 3], w->word(t, (uint32_t)g + 1)));
    }
}

static int prog_word(void *t, uint32_t v) { return op_integer(t, TT_U32, v); }
static int prog_add(void *t, int a, int b) { return t_add(t, (op_reg)a, (op_reg)b); }
static int prog_xor(void *t, int a, int b) { return t_xor(t, (op_reg)a, (op_reg)b); }
static int prog_rotate(void *t, int a, int r)
{
    const op_reg up = t_shl(t, (op_reg)a, op_integer(t, TT_U32, r));
    return t_or(t, up, t_shr(t, (op_reg)a, op_integer(t, TT_U32, 32 - r)));
}

static op_reg threefry_prog(op_prog *t, const ir_eqn *e, const op_reg *in)
{
    const writer w = { t, prog_word, prog_add, prog_xor, prog_rotate };
    const int k[2] = { in[0], in[1] };
    int x[2] = { in[2], in[3] };
    (void)e;
    threefry2x32_block(&w, k, x);
    op_yield(t, 1, (op_reg)x[1]);
    return (op_reg)x[0];
}

typedef struct { ir_build *b; const ir_type *type; } built;
static int built_word(void *at, uint32_t v)
{
    const built *w = at;
    return (int)op_splat(w->b, w->type, v);
}
static int built_add(void *at, int x, int y) { return (int)op_add(((built *)at)->b, (ir_id)x, (ir_id)y); }
static int built_xor(void *at, int x, int y) { return (int)op_xor(((built *)at)->b, (ir_id)x, (ir_id)y); }
static int built_rotate(void *at, int x, int r)
{
    ir_build *b = ((built *)at)->b;
    const ir_id up = op_shl(b, (ir_id)x, (ir_id)built_word(at, (uint32_t)r));
    return (int)op_or(b, up, op_shr(b, (ir_id)x, (ir_id)built_word(at, (uint32_t)(32 - r))));
}

static bool threefry_decompose(ir_build *b, const ir_eqn *e, const ir_id *in, ir_id *y)
{
    built at = { b, ir_typeof(b, in[2]) };
    const writer w = { &at, built_word, built_add, built_xor, built_rotate };
    const int k[2] = { (int)in[0], (int)in[1] };
    int x[2] = { (int)in[2], (int)in[3] };
    (void)e;
    threefry2x32_block(&w, k, x);
    y[0] = (ir_id)x[0], y[1] = (ir_id)x[1];
    return x[0] && x[1];
}

const op_prim prim_threefry2x32 = {
    .name = "threefry2x32", .doc = "the block cipher Threefry-2x32-20", .hlo = "", .call = "", .nin = 4, .nout = 2,
    .kernel = OP_MAP, .types = "u32, u32, u32, u32 -> u32, u32", .rule = "..., ..., ..., ... -> ..., ...",
    .linear = op_nonlinear, .partial = op_partial_none, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .batch = op_batch_map, .decompose = threefry_decompose, .ref = op_ref_prog, .exchange = op_exchange_none,
    .prog = threefry_prog,
    .cases = OP_CASES("threefry2x32 u32[5], u32[5], u32[5], u32[5]",
                      "threefry2x32 u32[2,0], u32[2,0], u32[2,0], u32[2,0]"),
};
