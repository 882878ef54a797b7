/* layouts_along.c - operations that need a dim whole and leave its size: the layout that the dim has is the result's,
 * as in Shardy, though the dim is put together in between. */
#include "check.h"

#include <tutti.h>

static tt_val cumsum(tt_val x) { return tt_cumsum(x, 1); }
static tt_val cumprod(tt_val x) { return tt_cumprod(x, 1); }
static tt_val sort(tt_val x) { return tt_sort(x, 1); }
static tt_val fft(tt_val x) { return tt_abs(tt_fft(x)); }

static void check_layout(const char *name, tt_fn f, const char *spec)
{
    const tt_mesh mesh = tt_mesh("x:2, y:2");
    const tt_val x = tt_shard(tt_reshape(tt_arange(TT_F32, 32), 4, 8), mesh, spec);
    const tt_val y = tt_call(tt_jit(f, .mesh = mesh), x);
    CHECK(tt_ok() && tt_has_layout(y, mesh, spec), "%s of \"%s\" is laid out as \"%s\" %s", name, spec, tt_spec(y),
        tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    static const char *const specs[] = { "_, x", "y, x", "_, x+y", "x, _" };
    for (int i = 0; i < 4; i++) {
        check_layout("cumsum", TT_FN(cumsum), specs[i]);
        check_layout("cumprod", TT_FN(cumprod), specs[i]);
        check_layout("sort", TT_FN(sort), specs[i]);
        check_layout("fft", TT_FN(fft), specs[i]);
    }
    tt_done();
    return check_done();
}
