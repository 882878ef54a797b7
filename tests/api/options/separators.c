/* separators.c - texts of options whose separators are doubled, left over or missing: errors, not other texts; integers
 * in formulas keep all their digits. */
#include "check.h"

#include <string.h>
#include <tutti.h>

static void refused(const char *text, const char *error)
{
    CHECK(!tt_ok() && strstr(tt_error(), error), "\"%s\": \"%s\" is not in \"%s\"", text, error, tt_error());
    tt_clear();
}

static void pads(void)
{
    static const char *const wrong[] = { "1:1,,1:1", "1:1, 1:1,", ",1:1, 1:1", "1:1, , 1:1" };
    const tt_val x = tt_ones(TT_F32, 1, 5, 5, 1), w = tt_ones(TT_F32, 3, 3, 1, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tt_convolve(x, w, .pad = wrong[i]), refused(wrong[i], ".pad");
        tt_max_pool(x, .window = { 2, 2 }, .pad = wrong[i]), refused(wrong[i], ".pad");
    }
    CHECK(tt_dim(tt_convolve(x, w, .pad = " 1:1 ,1:1 "), 1) == 5 && tt_ok(), "%s", tt_error());
    CHECK(tt_dim(tt_convolve(x, w, .pad = "1:1 0:0"), 2) == 3 && tt_ok(), "%s", tt_error());
}

static tt_val embed(tt_val x) { return tt_logical_constraint(x, "embed"); }
static const char *names;
static tt_val named(tt_val x) { return tt_logical_constraint(x, names); }
static void logical(void)
{
    static const char *const wrong[] = { "b,,c", "b, c,", ", b", "b c", " " };
    const tt_mesh m = tt_mesh("i:2, j:2");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        names = wrong[i];
        tt_call(tt_jit(named, .mesh = m, .rules = "b:i, c:j"), tt_ones(TT_F32, 4, 4, 4));
        refused(names, "a comma is between two names");
        if (i == 4) continue;                            /* no names at all */
        tt_logical_spec(names, "b:i, c:j"), refused(names, "is no name");
    }
    tt_call(tt_jit(embed, .mesh = m, .rules = "embed:i,"), tt_ones(TT_F32, 4));
    refused("embed:i,", "a rule without ':'");
    CHECK(!strcmp(tt_logical_spec("b, _, c", "b:i, c:j"), "i, _, j"), "%s", tt_error());
}

static void integers(void)
{
    const int64_t one[] = { 1, -1 }, n = ((int64_t)1 << 53) + 1;
    const uint32_t most[] = { 1 };
    int64_t got[2] = { 0 };
    const tt_val v = tt_array(TT_I64, one, 2), u = tt_array(TT_U32, most, 1), i = tt_ones(TT_I32, 2), f = tt_f(1);
    CHECK(tt_read(TT_E("v*9007199254740993", v), got, sizeof got) && got[0] == n && got[1] == -n, "%s", tt_error());
    CHECK(tt_read(TT_E("9223372036854775807 + v", v), got, sizeof got) && got[1] == INT64_MAX - 1, "%s", tt_error());
    const tt_val y = TT_E("u + 4294967294", u);
    CHECK(tt_dtype_of(y) == TT_U32 && tt_num(y) == 4294967295.0, "%s: %s", tt_type_text(y), tt_value_text(y));
    CHECK(tt_num(TT_E("5000000000/8*f", f)) == 625000000, "a quotient of numbers: %s", tt_error());
    TT_E("i + 4294967296", i), refused("4294967296 beside i32", "4294967296");
    TT_E("v + 9223372036854775808", v), refused("2^63", "64 bits");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(pads());
    CHECK_RUN(logical());
    CHECK_RUN(integers());
    tt_done();
    return check_done();
}
