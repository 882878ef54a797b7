/* The borders of a text that another compiler partitions: parts that differ in size are an error, which says whether
 * the planned form was asked for, and why there is none. */
#include "check.h"
#include "driver/inner.h"

#include <string.h>
#include <tutti.h>

static void borders(const char *why, const char *said, const char *hint)
{
    base_arena *const a = base_open();
    ir_fn *const f = ir_parse(a, "t",
        "mesh \"x:4\"\nfn f(v1 f32[7]) -> f32[7] {\n  v2 f32[7] = neg v1\n  return v2\n}");
    CHECK(f, "%s", base_failed() ? base_failed()->what : "");
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (ir_id i = 1; i <= f->nvalue; i++) f->layout[i] = mesh_parse("t", f->mesh, 1, "x");
    CHECK(!driver_there_text(a, NULL, f->mesh, f, f, why), "a text with uneven borders");
    const char *const text = tt_error();
    CHECK(strstr(text, "which do not divide into 4 parts") && strstr(text, said) && strstr(text, hint), "%s", text);
    CHECK(!why == !strstr(text, "does not have"), "%s", text);
    tt_clear();
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(borders(NULL, "argument 0 of f is f32[7]", "which runs where TUTTI does not say form:global"));
    CHECK_RUN(borders("a reason", "which f does not have: a reason",
                      "pad the dim, or lay it out in parts of one size"));
    return check_done();
}
