/* separators.c - texts of options whose separators are doubled, left over or missing: errors, not other texts. */
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

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(pads());
    CHECK_RUN(logical());
    tt_done();
    return check_done();
}
