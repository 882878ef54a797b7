/* options_bare.c - a program without call sites (TT_NO_SITES) gives its options all the same. */
#define TT_NO_SITES
#include "check.h"

#include <tutti.h>

#define NO_DECAY .decay = 0

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const double r = 0;
    const tt_val p = tt_dict("w", tt_ones(TT_F32, 2));
    tt_val a = p, b = p, o = tt_adamw(p, .rate = 1, NO_DECAY), q = tt_sgd(p, .rate = r), zero = tt_mul(p, tt_i(0));
    tt_opt_step(&a, &o, zero);
    tt_opt_step(&b, &q, p);
    CHECK(tt_num(tt_amin(tt_get(a, "w"))) == 1, "no decay: %s", tt_value_text(tt_get(a, "w")));
    CHECK(tt_num(tt_amin(tt_get(b, "w"))) == 1, "no rate: %s", tt_value_text(tt_get(b, "w")));
    CHECK(tt_ok(), "%s", tt_error());
    return check_done();
}
