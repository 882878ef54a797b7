/* regression.c - linear regression: every device takes a share of the points, pmean averages the gradients. */
#include <stdio.h>
#include <tutti.h>

TT_RECORD(lin, w, b);                               /* struct lin { tt_val w, b; }, and lin_of(), lin_val() */

static tt_val loss(tt_val p, tt_val x, tt_val y)
{
    lin m = lin_of(p);
    return tt_mean(tt_square(tt_sub(tt_add(tt_mul(m.w, x), m.b), y)));
}

static tt_val update(tt_val p, tt_val x, tt_val y)  /* what one device does with its share */
{
    tt_val l, g;
    tt_unpack(tt_pmean(tt_call(tt_value_and_grad(loss), p, x, y), "dev"), &l, &g);
    return tt_tuple(tt_sub(p, tt_mul(tt_f(0.05), g)), l);
}

int main(void)
{
    tt_val  k = tt_key(123), p, x, y;
    tt_mesh mesh = tt_mesh("dev:8");
    tt_val  noise = tt_normal(tt_fold_in(k, tt_i(1)), TT_F32, 8, 16);
    x = tt_normal(k, TT_F32, 8, 16);                /* eight devices, sixteen points each */
    y = TT_E("2*x - 1 + 0.5*noise", x, noise);
    p = lin_val((lin){ .w = tt_f(0), .b = tt_f(0) });
    tt_fn step = tt_pmap(update, .mesh = mesh, .axis = "dev", .in = "_; 0; 0", .out = "_; _");
    for (tt_loop it = tt_steps(1000); tt_next(&it); ) {
        tt_val out = tt_call(step, p, x, y);
        tt_assign(&p, tt_item(out, 0));
        if (it.i % 100 == 0) printf("step %4d  loss %.3f\n", (int)it.i, tt_num(tt_item(out, 1)));
    }
    printf("w = %.2f  b = %.2f\n", tt_num(lin_of(p).w), tt_num(lin_of(p).b));
    return tt_done();
}
