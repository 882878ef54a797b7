/* Every case of every row is a function; its text reads back to the same text and hash, and it verifies. */
#include "op/op.h"
#include "check.h"

static void one(const op_row *row, const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s: %s", row->name, text, base_failed() ? base_failed()->what : "no error");
    base_forget();
    if (f) {
        const char *s = ir_print(a, f);
        CHECK(f->eqn[f->neqn - 1].op == row, "%s: %s is a case of another row", row->name, text);
        CHECK(ir_verify(f), "%s: %s: %s", row->name, text, base_failed() ? base_failed()->what : "");
        base_forget();
        const ir_fn *g = ir_parse(a, "case", s);
        CHECK(g, "%s does not read back: %s", s, base_failed() ? base_failed()->what : "");
        base_forget();
        if (g) CHECK(!strcmp(ir_print(a, g), s) && ir_hash(f) == ir_hash(g), "%s reads back as\n%s", s, ir_print(a, g));
    }
    base_close(a);
}

int main(void)
{
    for (const op_row *const *r = op_rows; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++) one(*r, *c);
    return check_done();
}
