/* packed.c - tt_pack_params: a module runs on packed kernels and tables without a change; its numbers are those of the
 * widened weights, of layers over several dims, in stacks, with low-rank terms beside them; what does not fit. */
#include "check.h"

#include <string.h>
#include <tutti.h>

enum { B = 2, T = 5, VOCAB = 96, WIDTH = 64, HEADS = 4, LAYERS = 3 };

static tt_val block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_attention_layer(m, "attention", tt_rms_norm(m, "norm1", x), HEADS, .kv_heads = 2, .causal = 1,
                                     .rope = 1e4, .axes = "embed, heads, depth"));
    x = tt_add(x, tt_gated_mlp(m, "mlp", tt_rms_norm(m, "norm2", x), 96, .axes = "embed, hidden"));
    return tt_add(x, tt_dense(m, "back", x, WIDTH, .lora = 4));
}
static tt_val stacked(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, VOCAB, WIDTH, .axes = "vocab, embed");
    return tt_attend(m, "words", tt_rms_norm(m, "norm", tt_stack(m, "layers", block, LAYERS, x, .remat = 1)));
}
static tt_val named(tt_nn m, tt_val ids)
{
    tt_val x = tt_embed(m, "words", ids, VOCAB, WIDTH);
    x = tt_sub_module(m, "one", block, x);
    x = tt_dense(m, "wide", x, 48, .split = { 3, 16 });
    x = tt_dense(m, "over", x, 32, .dims = "1, -1");     /* [B, T, 3, 16] over T and 16: rows of 80 */
    return tt_dense(m, "head", x, VOCAB, .no_bias = 1);
}

static tt_val some_ids(void) { return tt_randint(tt_key(7), TT_I32, tt_i(0), tt_i(VOCAB), B, T); }

static double apart(tt_val a, tt_val b) { return tt_num(tt_amax(tt_abs(tt_sub(a, b)))) / tt_num(tt_amax(tt_abs(b))); }

/* params with each dict of codes and scales as the array that it stands for, in the shape of `like`. */
static tt_val widened(tt_val packed, tt_val like)
{
    tt_val y = like;
    for (int i = 0; i < tt_tree_leaves(like, 0, NULL); i++) {
        const char *const path = tt_leaf_path(like, i);
        const tt_val leaf = tt_get(like, path), v = tt_get(packed, path);
        if (tt_rank(v) >= 0) continue;
        tt_val w = tt_dequantize(tt_get(v, "codes"), tt_get(v, "scales"));
        const bool table = strstr(path, "embedding") != NULL;
        if (!table) w = tt_swapaxes(w, -1, -2);
        int64_t dims[12], rank = tt_rank(leaf);
        for (int d = 0; d < rank; d++) dims[d] = tt_dim(leaf, d);
        dims[rank] = TT_DIM_END;
        y = tt_set(y, path, tt_reshape_at("widened", w, dims));
    }
    return y;
}

static void runs(tt_module *module, int bits, int64_t group, int tables, double rough)
{
    const tt_val ids = some_ids(), p = tt_init(module, tt_key(0), ids);
    const char *const skip = module == named ? "over.kernel" : NULL;
    const tt_val q = tt_pack_params(module, p, ids, .bits = bits, .group = group, .tables = tables, .skip = skip);
    CHECK(tt_ok(), "%s", tt_error());
    const tt_val y = tt_apply(module, q, ids), w = tt_apply(module, widened(q, p), ids), x = tt_apply(module, p, ids);
    const double near = apart(y, w), far = apart(y, x);
    CHECK(tt_ok() && near < 2e-6, "%d bits: %g of the widened weights %s", bits, near, tt_ok() ? "" : tt_error());
    CHECK(far > 1e-4 && far < rough, "%d bits: %g of the weights before", bits, far);
    CHECK((double)tt_bytes(q) < 0.6 * (double)tt_bytes(p), "%g of %g bytes", (double)tt_bytes(q), (double)tt_bytes(p));
    CHECK(tt_has(q, "words.embedding.codes") == (tables != 0), "tables");
    printf("%d bits: %.2g of the widened weights, %.2g of those before\n", bits, near, far);
}

/* ---- low-rank terms, layouts ---- */

static tt_val loss(tt_val p, tt_val ids) { return tt_mean(tt_square(tt_apply(stacked, p, ids))); }

static void trained(void)
{
    const tt_val ids = some_ids(), p = tt_train_only(tt_init(stacked, tt_key(0), ids), "lora_a lora_b");
    tt_val q = tt_pack_params(stacked, p, ids, .bits = 4), opt = tt_adam(q, .rate = 1e-2);
    const tt_val codes = tt_get(q, "layers.mlp.up.kernel.codes");
    const double before = tt_num(tt_call(tt_jit(loss), q, ids));
    for (int i = 0; i < 10; i++) tt_opt_step(&q, &opt, tt_call(tt_jit(tt_grad(loss)), q, ids));
    const double after = tt_num(tt_call(tt_jit(loss), q, ids));
    CHECK(tt_ok() && after < 0.9 * before, "the loss falls from %g to %g %s", before, after, tt_ok() ? "" : tt_error());
    const tt_val moved = tt_sub(tt_cast(tt_get(q, "layers.mlp.up.kernel.codes"), TT_I32), tt_cast(codes, TT_I32));
    CHECK(tt_num(tt_amax(tt_abs(moved))) == 0, "codes are trained");
    CHECK(!strcmp(tt_leaf_axes(codes), "_, hidden, embed"), "%s", tt_leaf_axes(codes));
    CHECK(!strcmp(tt_leaf_axes(tt_get(q, "layers.attention.out.kernel.scales")), "_, embed, heads"), "%s",
          tt_leaf_axes(tt_get(q, "layers.attention.out.kernel.scales")));
    CHECK(tt_rank(tt_get(q, "layers.back.lora_a")) == 3 && tt_dim(codes, 1) == 96 && tt_dim(codes, 2) == 32, "forms");
}

/* ---- what does not fit ---- */

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void misfits(void)
{
    const tt_val ids = some_ids(), p = tt_init(named, tt_key(0), ids);
    tt_pack_params(named, p, ids);
    refused("\"over.kernel\" has rows of 80, which groups of 32 do not divide");
    tt_pack_params(named, p, ids, .skip = "over.kernel up.krnel");
    refused("no kernel's path ends with \"up.krnel\"");
    tt_pack_params(named, p, ids, .bits = 5, .skip = "over.kernel");
    refused(".bits = 5; expected 8 or 4");
    tt_pack_params(named, p, ids, .skip = "kernel");
    refused("no kernel that is to be packed");
    tt_pack_params(NULL, p, ids);
    refused("the module is NULL");
    const tt_val q = tt_pack_params(named, p, ids, .skip = "over.kernel one.mlp.up.kernel up.kernel");
    CHECK(tt_ok() && tt_rank(tt_get(q, "one.mlp.up.kernel")) == 2, "a kernel of two words: %s", tt_error());
    tt_apply(named, tt_set(q, "head.kernel", tt_get(q, "wide.kernel")), ids);
    refused("variable \"head.kernel\" is packed as i8[48, 64]; this layer's is [96, 32]");
    tt_apply(named, tt_set(q, "head.kernel", tt_dict("codes", tt_get(q, "head.kernel.codes"))), ids);
    refused("variable \"head.kernel\" is a tree without \"scales\"");
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(runs(stacked, 8, 32, 0, 0.05));
    CHECK_RUN(runs(stacked, 4, 32, 1, 1));
    CHECK_RUN(runs(named, 8, 16, 0, 0.05));
    CHECK_RUN(runs(named, 4, 32, 1, 1));
    CHECK_RUN(trained());
    CHECK_RUN(misfits());
    return check_done();
}
