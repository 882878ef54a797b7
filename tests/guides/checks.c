/* checks.c - small examples of Flax's own documents, in both random layouts: a dense layer and dropout behind
 * it, and a train state's loss before and after a step of Adam. The numbers are those that Flax prints. */
#include "check.h"

#include <math.h>
#include <tutti.h>

static tt_val dense(tt_nn m, tt_val x) { return tt_dense(m, "Dense_0", x, 4); }
static tt_val two(tt_nn m, tt_val x) { return tt_dense(m, ".", x, 2); }         /* the layer is the module */
static tt_val dropped(tt_nn m, tt_val x) { return tt_dropout(m, dense(m, x), 0.5); }

static void outputs(const char *what, tt_val got, const double *want)
{
    float y[4] = { 0 };
    CHECK(tt_read(got, y, sizeof y), "%s: %s", what, tt_error());
    for (int i = 0; i < 4; i++)                          /* of eight decimals */
        CHECK(fabs((double)y[i] - want[i]) <= 1.2e-7 * fabs(want[i]) + 5e-9, "%s, %d: %.9g, not %.9g", what, i,
              (double)y[i], want[i]);
}

static tt_val loss(tt_val params, tt_val x)              /* the mean of half the squares of what is missing to ones */
{
    return tt_mean(tt_mul(tt_f(0.5), tt_square(tt_sub(tt_apply(two, params, x), tt_ones(TT_F32, 1, 2)))));
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    static const struct { const char *layout; double dense[4], dropped[4], loss[2]; } flax[] = {
        { "original", { -0.88686204, -0.5928178, -0.5184689, -0.4345976 }, { 0, -1.1856356, -1.0369378, 0 },
          { 3.3514676, 3.343844 } },
        { "partitionable", { -0.17875527, 1.6255447, -1.2431065, -0.02554005 }, { -0.35751054, 3.2510893, 0, 0 },
          { 1.8136346, 1.8079796 } },
    };
    for (int i = 0; i < 2; i++) {
        tt_set_random_layout(flax[i].layout);
        tt_val x = tt_ones(TT_F32, 1, 3), y, next, params = tt_init(dense, tt_key(0), x), l, g;
        outputs(flax[i].layout, tt_apply(dense, params, x), flax[i].dense);
        tt_unpack(tt_apply_train(dropped, params, x, tt_key(1)), &y, &next);
        outputs("dropout", y, flax[i].dropped);
        x = tt_ones(TT_F32, 1, 2), params = tt_init(two, tt_key(0), x);
        tt_val adam = tt_adam(params, .rate = 1e-3);
        for (int step = 0; step < 2; step++) {
            tt_unpack(tt_call(tt_value_and_grad(loss), params, x), &l, &g);
            CHECK(fabs(tt_num(l) - flax[i].loss[step]) <= 1e-6 * flax[i].loss[step], "%s, step %d: %.8g, not %.8g",
                  flax[i].layout, step, tt_num(l), flax[i].loss[step]);
            tt_opt_step(&params, &adam, g);
        }
    }
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
