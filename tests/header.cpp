/* header.cpp - the public header under C++: macros, options, records. Compiled by tools/house.sh, not run. */
#include <tutti.h>
static tt_val twice(tt_val x) { return tt_add(x, x); }
TT_RECORD(lin, w, b);
int main(){ tt_val a = tt_arange(TT_F32, 8); tt_show(tt_relu(a)); tt_val m = tt_mean(a, .over = "0"); tt_fn f = tt_jit(twice, .donate = "0"); (void)m; (void)f; tt_val z = tt_zeros(TT_F32, 2, 3); tt_unpack(z, &a, &m);  return tt_done(); }
