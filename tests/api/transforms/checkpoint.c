/* checkpoint.c - policies of tt_remat: gradients to the bit, what a plan holds of 8 layers, words that are refused. */
#include "check.h"

#include <string.h>
#include <tutti.h>

enum { LAYERS = 8, WIDE = 64, ROWS = 512 };

static tt_val layer(tt_val x, tt_val w)
{
    const tt_val h = tt_checkpoint_name(tt_matmul(x, w), "hidden");
    return tt_checkpoint_name(tt_mul(tt_tanh(h), tt_exp(tt_neg(tt_square(h)))), "out");
}

static const char *policy;
static tt_val net(tt_val w, tt_val x)
{
    for (int i = 0; i < LAYERS; i++) {
        const tt_val one = tt_item(w, i);
        x = policy ? tt_call(tt_remat(layer, .policy = policy), x, one) : layer(x, one);
    }
    return tt_mean(tt_square(x));
}
static tt_val stacked(tt_val x, tt_val w)
{
    return tt_tuple(tt_call(tt_remat(layer, .policy = policy), x, w), tt_f(0));
}
static tt_val scanned(tt_val w, tt_val x) { return tt_mean(tt_square(tt_item(tt_scan(stacked, x, w), 0))); }

static const char *const policies[] = {
    "nothing_saveable", "everything_saveable", "dots_saveable", "dots_with_no_batch_dims_saveable",
    "save_only_these_names(hidden)", "save_only_these_names( out , none )", "save_any_names_but_these(hidden)",
    "save_anything_except_these_names(hidden, out)"
};
enum { N = sizeof policies / sizeof *policies };

static void gradients(tt_val w, tt_val x, tt_val all)
{
    static float want[LAYERS * WIDE * WIDE], got[LAYERS * WIDE * WIDE];
    policy = NULL;
    const tt_val plain = tt_call(tt_jit(tt_grad(net)), w, x);
    for (int i = 0; i < LAYERS; i++)
        CHECK(tt_read(tt_item(plain, i), want + i * WIDE * WIDE, sizeof want / LAYERS), "%s", tt_error());
    for (int k = 0; k < N; k++) {
        policy = policies[k];
        tt_clear_caches();
        const tt_val g = tt_call(tt_jit(tt_grad(net)), w, x), s = tt_call(tt_jit(tt_grad(scanned)), all, x);
        for (int i = 0; i < LAYERS; i++)
            CHECK(tt_read(tt_item(g, i), got + i * WIDE * WIDE, sizeof got / LAYERS), "%s", tt_error());
        CHECK(!memcmp(want, got, sizeof got), "%s: other gradients", policy);
        CHECK(tt_read(s, got, sizeof got) && !memcmp(want, got, sizeof got), "scanned, %s: other gradients %s", policy,
              tt_error());
    }
}

static int64_t arena(const char *p, tt_val w, tt_val x)
{
    tt_plan_counts c = { 0 };
    policy = p;
    tt_clear_caches();
    CHECK(tt_plan_count("checkpoint.c", tt_grad(net), (tt_val[]){ w, x, tt_end }, &c), "%s", tt_error());
    return c.arena_bytes;
}

/* Bytes of the plan's arena: a value of a layer is ROWS * WIDE floats, so what is saved of 8 layers is seen. */
static void memory(tt_val w, tt_val x)
{
    const int64_t none = arena("nothing_saveable", w, x), names = arena("save_only_these_names(out)", w, x);
    const int64_t dots = arena("dots_saveable", w, x), both = arena("save_only_these_names(hidden, out)", w, x);
    const int64_t value = ROWS * WIDE * 4, layers = LAYERS - 2;
    CHECK(none == names, "the operand of a layer is the result of the one before: %lld, %lld bytes", (long long)none,
          (long long)names);
    CHECK(dots >= none + layers * value && dots == both, "%lld, with the products %lld, with both names %lld bytes",
          (long long)none, (long long)dots, (long long)both);
}

static void refused(const char *text, const char *what, const char *hint)
{
    tt_remat(layer, .policy = text);
    CHECK(!tt_ok() && strstr(tt_error(), what) && strstr(tt_error(), hint), "%s: %s", text, tt_error());
    tt_clear();
}

static void words(tt_val x)
{
    refused("dots", "no policy \"dots\"", "dots_saveable");
    refused("", "no policy \"\"", "nothing_saveable");
    refused("save_only_these_names", "lacks names", "in parentheses");
    refused("save_only_these_names()", "lacks names", "in parentheses");
    refused("save_only_these_names(a,)", "lacks names", "in parentheses");
    refused("save_only_these_names(a) b", "lacks names", "in parentheses");
    refused("dots_saveable(a)", "takes no names", "dots_saveable");
    tt_checkpoint_name(x, "a, b");
    CHECK(!tt_ok() && strstr(tt_error(), "\"a, b\" is no name"), "%s", tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    tt_reproducible(1);
    tt_val one[LAYERS + 1];
    const tt_val key = tt_key(1);
    for (int i = 0; i < LAYERS; i++)
        one[i] = tt_mul(tt_normal(tt_fold_in(key, tt_i(i)), TT_F32, WIDE, WIDE), tt_f(0.1));
    one[LAYERS] = tt_end;
    const tt_val w = tt_tuple_at("checkpoint.c", one), x = tt_normal(tt_fold_in(key, tt_i(99)), TT_F32, ROWS, WIDE);
    const tt_val all = tt_concat_at("checkpoint.c", 0, one);
    gradients(w, x, tt_reshape(all, LAYERS, WIDE, WIDE));
    words(x);
    memory(w, x);
    return check_done() || (tt_clear(), tt_done());
}
