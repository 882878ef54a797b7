/* options.cpp - options are given in C++ as in C: what is written counts, also as 0; a text that is a null pointer is
 * refused unless the program spells it so. Built and run by tests/cpp.sh, under each compiler and standard. */
#include <cstdio>
#include <cstring>
#include <tutti.h>

static int passed, failed;

static void check(bool good, const char *what)
{
    (good ? passed : failed)++;
    if (!good) std::printf("FAIL: %s: %s\n", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static bool says(const char *part) { return !tt_ok() && std::strstr(tt_error(), part); }
static tt_val norm(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .momentum = 0, .eps = 0); }
static tt_val block(tt_nn m, tt_val x) { return tt_res_block(m, "b", x, 2, .norm = { .momentum = 0 }); }

#define NO_DECAY .decay = 0

static double moved(tt_val opt, double g)
{
    tt_val p = tt_dict("w", tt_ones(TT_F32, 2)), o = opt;
    tt_opt_step(&p, &o, tt_add(tt_mul(p, tt_i(0)), tt_f(g)));
    return tt_num(tt_amin(tt_get(p, "w")));
}

int main()
{
    enum { ROWS = 0 };
    const double r = 0;
    const char *none = nullptr, *zero = "0";
    const tt_val p = tt_dict("w", tt_ones(TT_F32, 2)), x = tt_ones(TT_F32, 2, 3);
    check(moved(tt_adamw(p, .rate = 1, NO_DECAY), 0) == 1 && tt_ok(), "no decay, in a macro");
    check(moved(tt_adamw(p, .rate = 1), 0) != 1 && tt_ok(), "the default decay");
    check(moved(tt_sgd(p, .rate = r), 1) == 1 && tt_ok(), "a rate that is 0");
    check(moved(tt_adam(p, .rate = r), 1) == 1 && tt_ok(), "a rate that is 0");
    const tt_val rows = tt_arange(TT_F32, 2), two = tt_reshape(rows, 2, 1);
    const tt_val out = tt_apply_train(norm, tt_init(norm, tt_key(0), two), two, tt_key(1));
    check(tt_num(tt_get(tt_item(out, 1), "n.mean")) == 0.5 && tt_ok(), "a momentum of 0");
    const tt_val image = tt_normal(tt_key(3), TT_F32, 2, 4, 4, 2), vars = tt_init(block, tt_key(0), image);
    const tt_val mean = tt_get(tt_item(tt_apply_train(block, vars, image, tt_key(1)), 1), "b.bn1.mean");
    check(tt_num(tt_amax(tt_abs(mean))) > 0.02 && tt_ok(), "a momentum of 0 in a struct of options");
    check(tt_rank(tt_sum(x, .dims = "0")) == 1 && tt_ok(), "a text");
    check(tt_rank(tt_sum(x, .dims = nullptr)) == 0 && tt_ok(), "nullptr");
    check(tt_rank(tt_sum(x, .dims = NULL)) == 0 && tt_ok(), "NULL");
    check(tt_rank(tt_sum(x, .dims = none ? none : nullptr)) == 0 && tt_ok(), "nullptr at last");
    check(tt_rank(tt_sum(x, .dims = zero ? zero : nullptr)) == 1 && tt_ok(), "a text or nullptr");
    tt_sum(x, .dims = 0);
    check(says(".dims = 0 is C's null pointer"), "0 in the place of a text");
    tt_sum(x, .dims = none);
    check(says(".dims = none is C's null pointer"), "a pointer that is null");
    tt_jit(tt_fn_of1("f", [](tt_val v) { return v; }), .mesh = tt_mesh{});
    check(tt_ok(), "an empty mesh, spelled");
    tt_adam(p, .every = ROWS);
    check(says(".every = ROWS; expected 1 or more"), "0 gradients make a step");
    std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
