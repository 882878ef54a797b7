/* lora.c - low-rank terms of dense layers, attention and gated networks: they begin at zero, are what is trained, and
 * are added into the kernels, of stacked layers too. */
#include "check.h"

#include <string.h>
#include <tutti.h>

enum { B = 3, T = 4, F = 8 };
static tt_val block(tt_nn m, tt_val x, int64_t rank)
{
    x = tt_add(x, tt_attention_layer(m, "attention", x, 2, .causal = 1, .lora = rank));
    x = tt_add(x, tt_gated_mlp(m, "mlp", x, 12, .lora = rank));
    return tt_dense(m, "out", x, F, .lora = rank, .axes = "embed, hidden");
}
static tt_val tuned(tt_nn m, tt_val x) { return block(m, x, 2); }
static tt_val plain(tt_nn m, tt_val x) { return block(m, x, 0); }
static tt_val tuned_stack(tt_nn m, tt_val x) { return tt_stack(m, "layers", tuned, 3, x); }
static tt_val plain_stack(tt_nn m, tt_val x) { return tt_stack(m, "layers", plain, 3, x); }

static void near(const char *what, tt_val a, tt_val b, double most)
{
    const double far = tt_num(tt_amax(tt_abs(tt_sub(a, b))));
    CHECK(far <= most, "%s: %g apart %s", what, far, tt_ok() ? "" : tt_error());
}

typedef struct { tt_module *tuned; } model;
static tt_val loss(void *env, int n, const tt_val *x)
{
    (void)n;
    return tt_mean(tt_square(tt_sub(tt_apply(((model *)env)->tuned, x[0], x[1]), tt_f(1))));
}

static void tuning(tt_module *with, tt_module *without, const char *out)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, B, T, F);
    const tt_val v = tt_train_only(tt_init(with, tt_key(0), x), "lora_a lora_b");
    model m = { with };
    const tt_fn f = tt_bind_env("loss", loss, &m, sizeof m, 2);
    char kernel[64], term[64];
    tt_snprintf(kernel, sizeof kernel, "%s.kernel", out);
    tt_snprintf(term, sizeof term, "%s.lora_b", out);
    CHECK(tt_leaf_frozen(tt_get(v, kernel)) && !tt_leaf_frozen(tt_get(v, term)), "what is trained");
    near("the terms begin at zero", tt_apply(with, v, x), tt_apply(without, tt_lora_merge(v), x), 0);
    tt_val p = v, opt = tt_adam(v, .rate = 0.01);
    double first = tt_num(tt_call(f, v, x));
    for (int i = 0; i < 20; i++) tt_opt_step(&p, &opt, tt_call(tt_grad(f), p, x));
    CHECK(tt_num(tt_call(f, p, x)) < first / 2, "the loss falls from %g to %g", first, tt_num(tt_call(f, p, x)));
    near("a frozen kernel", tt_get(p, kernel), tt_get(v, kernel), 0);
    const tt_val whole = tt_lora_merge(p);
    tt_match("the merged tree", tt_init(without, tt_key(0), x), whole);
    const tt_val y = tt_apply(with, p, x);               /* sums in another order */
    near("merged", y, tt_apply(without, whole, x), 1e-5 * (1 + tt_num(tt_amax(tt_abs(y)))));
    CHECK(!tt_leaf_frozen(tt_get(whole, kernel)) && tt_leaf_axes(tt_get(whole, kernel)), "the merged kernel's leaf");
    CHECK(tt_ok(), "%s", tt_error());
}

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void refusals(void)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, B, T, F), v = tt_init(plain, tt_key(0), x);
    tt_train_only(v, "lora_a");
    refused("no leaf's path ends with \"lora_a\"");
    tt_train_only(v, "ernel");
    refused("no leaf's path ends with \"ernel\"");
    tt_train_only(v, "not ");
    refused("a mask of 0 words");
    tt_train_only(v, NULL);
    refused("a mask of 0 words");
    tt_lora_merge(v);
    refused("no kernel has low-rank terms");
    const tt_val most = tt_train_only(v, "not kernel");
    CHECK(tt_leaf_frozen(tt_get(most, "out.kernel")) && !tt_leaf_frozen(tt_get(most, "out.bias")), "not kernel");
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(tuning(tuned, plain, "out"));
    CHECK_RUN(tuning(tuned_stack, plain_stack, "layers.out"));
    CHECK_RUN(refusals());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
