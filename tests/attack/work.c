/* work.c - small programs for refuse.sh: training with an optimizer and a save, or reading a program of StableHLO. */
#include <tutti.h>
#include <tutti/ckpt.h>
#include <tutti/data.h>
#include <tutti/optim.h>
#include <tutti/program.h>

#include <stdio.h>
#include <string.h>

static tt_val loss(tt_val p, tt_val x) { return tt_mean(tt_square(tt_tanh(tt_matmul(x, tt_get(p, "w"))))); }
static tt_val twice(tt_val x) { return tt_add(x, tt_mul(x, tt_f(2))); }

static void train(const char *dir)
{
    char path[600];
    const tt_val x = tt_normal(tt_key(1), TT_F32, 8, 16);
    tt_val p = tt_dict("w", tt_normal(tt_key(0), TT_F32, 16, 4)), o = tt_adam(p, .rate = 0.1);
    const tt_fn g = tt_jit(tt_value_and_grad(loss));
    for (tt_loop it = tt_steps(3, .bar = "train"); tt_next(&it);) {
        const tt_val r = tt_call(g, p, x);
        tt_opt_step(&p, &o, tt_item(r, 1));
        tt_note(&it, "loss %.4f", tt_num(tt_item(r, 0)));
    }
    snprintf(path, sizeof path, "%s/run", dir);
    tt_save(path, p, .force = 1);
    tt_show(tt_sum(tt_get(tt_load(path), "w")));
    snprintf(path, sizeof path, "%s/run.npz", dir);
    tt_write_npz(path, p);
    tt_show(tt_sum(tt_get(tt_read_npz(path), "w")));
}

static void import(void)
{
    const char *text = tt_export(twice, tt_ones(TT_F32, 3));
    const tt_fn f = tt_import(text ? text : "");
    tt_show(tt_call(tt_jit(f), tt_ones(TT_F32, 3)));
}

int main(int argc, char **argv)
{
    if (argc > 2) train(argv[2]);
    else import();
    return tt_done();
}
